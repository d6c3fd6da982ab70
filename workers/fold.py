"""Fold one encounter: decide the appended commands and commit them, a turn at a time.

Safety rests on the compare-and-set of the commit function alone: work that is late or done twice still leaves
one commit per command. A state is cached between calls and used only while the store's head is at the same
commit. A command that made three workers fail is committed as `quarantined`, and the encounter continues.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from traceback import extract_tb
from typing import Any, Final

import structlog

from service import tracing
from service.caches import RecentCache
from service.core import continuation, fork_state, views
from service.core.decide import DecidedCommit, FoldedState, decide_request, quarantine_request, unfolded
from service.core.fold import UNUSED_S, Folder
from service.core.snapshot import snapshot_of
from service.core.summaries import last_summarized, summarized
from service.key_files import Keyring
from service.log.errors import NoSuchEncounter, StaleCommit, StoreFailure
from service.log.protocol import Log
from service.log.values import CommandNotification, CommitWrite, Entry, StreamHead
from service.record.canonical import NotCanonical, dumps
from service.record.commit import load_request
from service.record.intervals import EVERY
from service.record.log_entries import LINE, OPENING, LogEntry, pseudonym_of
from service.record.occasions import Occasions
from service.record.quarantine import CRASHED, DISPUTED, KILLED, Quarantine, because
from service.record.subjects import ADMISSION, are_about
from service.rules.contests.acceptance import AcceptLine
from service.rules.contests.continuing import SealedValues
from service.rules.table.lines import FORK, Origin
from service.signals.command_traces import CommandTraces
from service.stores import quarantines
from service.stores.encounter_index import EncounterIndex
from service.stores.public_log import PublicLog
from service.stores.removals import CLOSED
from service.stores.secrets import EncounterSecrets, service_key_of
from workers.losses import CommittedHistory
from workers.resuming import resume
from workers.turns import Turn, TurnTime
from workers.watching import FoldObserver, NullFoldObserver, no_snapshot

PAGE: Final = 64
"""Commands that are read, decided and written in one round trip."""

MAX_TRIES: Final = 3
"""How often a command is tried before it is quarantined."""

SLOW_S: Final = 0.002
"""Seconds of the processor that the commands of a slow encounter take, on the average of the last ones."""

NEWEST: Final = 0.25
"""The share of the newest command in that average."""

KEPT: Final = 10_000
"""Encounters whose state and secrets are cached. A fight of four takes 30 kB, and a millisecond to load."""

_logger: Final = structlog.get_logger()
Decided = tuple[FoldedState[Any], list[CommitWrite]]


@dataclass
class NotifiedFold:
    """What became of notified commands."""

    done: dict[str, int] = field(default_factory=dict)
    """The number of commits, by encounter."""
    left: list[str] = field(default_factory=list)
    """Encounters that need `CommandFolder.fold_page`."""
    late: dict[str, list[CommandNotification]] = field(default_factory=dict)
    """The commands for which no time was left, by encounter."""


class SecretMissing(Exception):
    """The encounter has commands but no secret to decide them with."""

    def __init__(self, encounter: str) -> None:
        super().__init__(f"{encounter} has no secret")
        self.encounter = encounter


class RecordNotAsSigned(Exception):
    """The encounter's stored history is not the signed one, so nothing may be added to it."""

    def __init__(self, encounter: str) -> None:
        super().__init__(f"{encounter} is disputed")
        self.encounter = encounter


class CommandFolder:
    """Folds encounters one after the other. Each thread needs its own; the `Folder` may be shared."""

    def __init__(
        self,
        log: Log,
        folder: Folder,
        keys: Keyring,
        watch: FoldObserver | None = None,
        snapshot: Callable[[FoldedState[Any]], object] = no_snapshot,
        settled: Callable[[str], object] = lambda _: None,
        receipts: Callable[[Sequence[tuple[str, CommitWrite]]], list[bytes]] = lambda _: [],
    ) -> None:
        """Fold the encounters of *log*.

        *snapshot* is called with each state that is due for a snapshot, *settled* with each encounter that
        became idle. *receipts* signs a receipt of each (encounter, commit); none if it returns none.
        """
        self._log = log
        self._folder = folder
        self._keys = keys
        self.watch: FoldObserver = watch or NullFoldObserver()
        self._snapshot = snapshot
        self.settled = settled
        self._receipts = receipts
        self._due: dict[str, FoldedState[Any]] = {}
        self._committed = CommittedHistory()
        self._register = EncounterIndex(log)
        self._owners: RecentCache[str, str] = RecentCache(KEPT)
        self.log, self.folder, self.occasions = log, folder, Occasions(log)
        self._secrets: RecentCache[str, EncounterSecrets] = RecentCache(
            KEPT, seconds=UNUSED_S, clock=time.monotonic, by_use=True
        )
        self.traces = CommandTraces(log)
        self._begun: dict[tuple[str, int], int] = {}
        """When the commands that are not committed yet were begun (nanoseconds), if they are traced."""
        self._costs: RecentCache[str, float] = RecentCache(KEPT)
        """The average of what the last commands of each encounter took, in seconds of the processor."""
        self._suspicious: set[str] = set()
        """Encounters in which a worker may have died, until no command waits."""
        self._slow: set[str] = set()
        """Encounters whose commands are slow, which `take_slow` has not returned yet."""
        self.deciding_since: float | None = None
        """When the current decision began (monotonic seconds), for the watchdog; None between decisions."""

    def fold_page(self, encounter: str, turn: TurnTime) -> int | None:
        """Commit a page of what was appended to *encounter*, at least one command.

        No command is begun once *turn* is over. Return the number of commits, None if no command was waiting.
        Raises `StoreFailure`, and if the encounter cannot be folded: `NoSuchEncounter`, `UnknownEdition`,
        `ChainBroken`, `SecretMissing`, `Undecipherable`, `RecordNotAsSigned`.
        """
        try:
            with turn:
                return self._page(encounter, turn)
        except StaleCommit as stale:
            _logger.info("fold.stale", encounter=encounter, head=stale.folded)
            self._folder.drop(encounter)
            return 0
        except BaseException:
            self._folder.drop(encounter)
            raise

    def fold_notified(self, turns: Sequence[Turn]) -> NotifiedFold:
        """Decide the commands of *turns* while their time lasts, and write them in one round trip.

        A notification contains the request, so the store is not read if the encounter's state is cached and
        the request continues it; the commit's compare-and-set is the check.
        """
        self._begun.clear()
        done: list[tuple[FoldedState[Any], FoldedState[Any], list[CommitWrite]]] = []
        found = NotifiedFold()
        for turn in turns:
            if turn.time.is_over:
                found.late[turn.encounter] = turn.notified
                continue
            kept = self._folder.kept(turn.encounter)
            with turn.time:
                decided = None if kept is None else self._decide_notified(kept, turn)
            if kept is None or decided is None:
                found.left.append(turn.encounter)
                continue
            if decided[1]:
                done.append((kept, *decided))
            late = [each for each in turn.notified if each.n > decided[0].n]
            if late:
                found.late[turn.encounter] = late
        if done:
            writes = self._receipted([(folded, folds) for _, folded, folds in done])
            staleness = self._log.commit_all(
                [(kept.encounter, folds) for (kept, _, _), folds in zip(done, writes, strict=True)]
            )
            for (kept, folded, _), stale in zip(done, staleness, strict=True):
                if stale is None:
                    self._keep(kept, folded)
                    found.done[kept.encounter] = folded.n - kept.n
                else:
                    self._folder.drop(kept.encounter)
                    found.late.pop(kept.encounter, None)
                    found.left.append(kept.encounter)
        return found

    def _decide_notified(self, folded: FoldedState[Any], turn: Turn) -> Decided | None:
        """Return the state after the commands of *turn* that fit into its time, and the commits to write.

        At least one is decided. Return None if they do not continue *folded*.
        """
        secrets = self._secrets.get(folded.encounter)
        notifications = [wake for wake in turn.notified if not 0 < wake.n <= folded.n]  # already folded
        if not notifications:
            return folded, []
        if secrets is None or folded.n == 0 or not secrets.are_of(folded.state):
            return None
        if (
            folded.encounter in self._suspicious
            or not self.watch.may_fold(folded.encounter)
            or notifications[0].n < self.watch.resumes(folded.encounter)
        ):
            return None
        folds: list[CommitWrite] = []
        for wake in notifications:
            if wake.n != folded.n + 1:
                return None
            begun = time.thread_time()
            written = self._try(folded, wake, secrets, tries=1)
            if written is None:
                self._folder.drop(folded.encounter)  # the next page starts cold, and counts the try
                return None
            folds.append(self._to_write(folded, wake, written))
            folded = self._reached(written.folded)
            self._time(folded, begun)
            if turn.time.is_over:
                break
        return folded, last_summarized(folds, folded.state)

    def owner_of(self, encounter: str) -> str:
        """Return the owner of *encounter*; empty if the index does not know it."""
        known = self._owners.get(encounter)
        if known is None:
            entry = self._register.find(encounter)
            known = "" if entry is None else entry.owner
            if entry is not None:
                self._owners.put(encounter, known)
        return known

    def take_slow(self) -> set[str]:
        """Return the encounters whose commands were slow since the last call."""
        slow, self._slow = self._slow, set()
        return slow

    def _time(self, folded: FoldedState[Any], begun: float) -> None:
        """Count what the last command took, which was begun at *begun* by the thread's processor.

        An opening takes long and comes once, so it does not count.
        """
        if folded.n == 1:
            return
        before = self._costs.get(folded.encounter) or 0.0
        cost = before + NEWEST * (time.thread_time() - begun - before)
        self._costs.put(folded.encounter, cost)
        if cost > SLOW_S:
            self._slow.add(folded.encounter)

    def give_up(self, encounter: str) -> None:
        """Drop the cached state of an encounter that another process folds from now on."""
        self._folder.drop(encounter)
        self._suspicious.discard(encounter)

    def recheck(self) -> None:
        """Compare every encounter with what was signed before it is folded again, after a store outage."""
        self.watch.recheck()

    def settle(self, encounter: str) -> None:
        """Store the state of an encounter that became idle; drop it from the cache if it is closed."""
        folded = self._folder.kept(encounter)
        if folded is None:
            return
        self._log.put_state(encounter, snapshot_of(folded))
        self.settled(encounter)
        if folded.state.closed:
            self._folder.drop(encounter)
            self._secrets.drop(encounter)

    def _page(self, encounter: str, turn: TurnTime) -> int | None:
        """Decide and commit one page; return the number of commits, None if no command was waiting."""
        if not self.watch.may_fold(encounter):
            raise RecordNotAsSigned(encounter)
        kept = self._folder.kept(encounter)
        folded, head, entries = self._look(encounter, kept)
        if head is None:
            raise NoSuchEncounter(encounter)
        self._committed.check_head(encounter, head)
        if (head.folded, head.hash) != (folded.n, folded.hash):
            self._folder.current(encounter)  # another worker has folded meanwhile
            return 0
        if not entries:
            return None
        if not folded.n and resume(self, encounter, entries[0].raw, head.appended):
            self._folder.drop(encounter)  # its record now has the commits that it continues
            return 0
        return self._decide_all(folded, entries, turn, cold=kept is None)

    def _look(
        self, encounter: str, kept: FoldedState[Any] | None
    ) -> tuple[FoldedState[Any], StreamHead | None, list[Entry]]:
        """Return the encounter as folded, its head, and commands that wait; an opening takes one read."""
        if kept is None:
            head, entries = self._log.look(encounter, 0, PAGE)
            if head is not None and not head.folded and entries:
                ruleset = self._folder.ruleset_in(encounter, entries[0].raw)
                return unfolded(encounter, ruleset), head, entries
        folded = kept or self._folder.current(encounter)
        return folded, *self._log.look(encounter, folded.n, PAGE)

    def _decide_all(
        self, folded: FoldedState[Any], entries: list[Entry], turn: TurnTime, *, cold: bool
    ) -> int:
        """Decide *entries* in order and commit them together, or one by one if a worker may have died here.

        Decide the first one, and more while *turn* lasts. Return the number of commits.
        """
        encounter, start = folded.encounter, folded
        self._begun.clear()
        secrets = self._secrets_for(folded)
        waiting: list[CommitWrite] = []
        crashed = False
        resumes = self.watch.resumes(encounter)
        for entry in entries:
            begun = time.thread_time()
            tries = self._tries(encounter, entry.n, cold=cold and entry is entries[0])
            if entry.n < resumes and not _accepts_line(entry.raw):  # sent during a dispute: dice may be known
                cause = because(DISPUTED, folded.ruleset)
                written: DecidedCommit[Any] | None = quarantine_request(folded, entry.raw, entry.n, cause)
            else:
                written = self._try(folded, entry, secrets, tries)
            if written is None:
                crashed = True
                break
            waiting.append(self._to_write(folded, entry, written))
            folded = self._reached(written.folded)
            self._time(folded, begun)
            if encounter in self._suspicious:
                self._log.commit(encounter, *self._ready(folded, waiting))
                waiting = []
            if turn.is_over:
                break
        if waiting:
            self._log.commit(encounter, *self._ready(folded, waiting))
        if len(entries) < PAGE and folded.n == entries[-1].n:
            self._suspicious.discard(encounter)
        if crashed:
            self._folder.drop(encounter)  # the next page starts cold, and counts the try
        else:
            self._keep(start, folded)
        return folded.n - start.n

    def _tries(self, encounter: str, n: int, *, cold: bool) -> int:
        """Return which try of command *n* this is, counted where a worker may have died."""
        if not cold and encounter not in self._suspicious:
            return 1
        tries = self._log.tried(encounter, n)
        if tries > 1:  # this turn may end before the command that killed
            self._suspicious.add(encounter)
        return tries

    def _try(
        self,
        folded: FoldedState[Any],
        entry: Entry | CommandNotification,
        secrets: EncounterSecrets,
        tries: int,
    ) -> DecidedCommit[Any] | None:
        """Return the decided commit, or None if the rules raised an exception and it is tried again."""
        if tries > MAX_TRIES:  # so a worker died at the last try
            return self._quarantine(folded, entry, because(KILLED, folded.ruleset))
        self.deciding_since = time.monotonic()
        if tracing.is_on():
            self._begun[folded.encounter, entry.n] = time.time_ns()
        try:
            return decide_request(folded.ruleset, folded, entry.raw, entry.n, secrets, self._sealed_values)
        except StoreFailure:  # an outage is not the command's fault: sealed values are read meanwhile
            raise
        except Exception as error:  # noqa: BLE001 - a rule's exception concerns this command alone
            frame = extract_tb(error.__traceback__)[-1]
            _logger.error(  # noqa: TRY400 - a traceback's text may hold a command's payload
                "command.crashed",
                encounter=folded.encounter,
                n=entry.n,
                error=type(error).__name__,
                where=f"{frame.filename.rpartition('/')[2]}:{frame.lineno}",
            )
            if tries < MAX_TRIES:
                return None
            if isinstance(error, MemoryError):  # a larger machine decides it, so it is no crash to repeat
                return self._quarantine(folded, entry, because(KILLED, folded.ruleset))
            return self._quarantine(folded, entry, because(CRASHED, folded.ruleset, error))
        finally:
            self.deciding_since = None

    def _quarantine(
        self, folded: FoldedState[Any], entry: Entry | CommandNotification, cause: Quarantine
    ) -> DecidedCommit[Any]:
        """Return the commit that sets a command aside, and note it for the operator."""
        _logger.error("command.quarantined", encounter=folded.encounter, n=entry.n, cause=cause["cause"])
        self._log.put_record(quarantines.COLLECTION, f"{folded.encounter}/{entry.n}", b"")
        return quarantine_request(folded, entry.raw, entry.n, cause)

    def _to_write(
        self, before: FoldedState[Any], entry: Entry | CommandNotification, written: DecidedCommit[Any]
    ) -> CommitWrite:
        """Return the commit to write; first mark an encounter that ends as finished in the index.

        Clients that learn of the end therefore find the mark. If this process dies in between, the next one
        decides the same end. Only if three in a row die there is the command quarantined, and the mark wrong.
        """
        state = written.folded.state
        closes = state.closed and not before.state.closed
        if closes and state.is_over and state.continued is None:
            self._register.finish(before.encounter)
        if written.n == 1 and written.events:
            self._propose_opening(written.folded)
        if before.state.draft and not state.draft:
            self._propose_line(written.folded)
        process = "" if isinstance(entry, Entry) or are_about(written.events, ADMISSION) else entry.process
        prompts = b""
        if written.seat in state.seats:  # its receipt and its next prompts come to the sender with the commit
            asked = views.asked_next(state, written.seat, written.owed) if written.asks_next else {}
            prompts = dumps(asked)
        write = written.write_after(before.hash, entry.raw, prompts, process)
        return summarized(write, state, written.at) if closes else write

    def _propose_opening(self, folded: FoldedState[Any]) -> None:
        """Let the public log say that the encounter was opened, before its commit 1 is written."""
        entry = self._register.find(folded.encounter)
        owner = pseudonym_of(entry.owner if entry is not None else "", service_key_of(self._keys))
        PublicLog(self._log).propose([LogEntry(OPENING, folded.encounter, 1, folded.hash, owner)])

    def _propose_line(self, folded: FoldedState[Any]) -> None:
        """Let the public log say that a line goes on, before the commit that accepts it is written."""
        origin = folded.state.origin
        assert origin is not None, "a proposed line has an origin"
        root = folded.frontier.root().hex()
        entry = LogEntry(
            *(LINE, folded.encounter, folded.n, root),
            parent=origin.parent,
            n=origin.n,
            head=origin.hash,
            ruled_in=origin.proposed_in,
        )
        PublicLog(self._log).propose([entry])

    def _ready(self, folded: FoldedState[Any], waiting: list[CommitWrite]) -> list[CommitWrite]:
        """Return *waiting*, which lead to *folded*, as they are written."""
        return last_summarized(self._receipted([(folded, waiting)])[0], folded.state)

    def _receipted(
        self, batch: Sequence[tuple[FoldedState[Any], list[CommitWrite]]]
    ) -> list[list[CommitWrite]]:
        """Return the commits of *batch*, each with a receipt in the answer to its sender.

        One signature covers all of them. Of a line that is only proposed nothing is signed.
        """
        answered = [
            (folded.encounter, write)
            for folded, writes in batch
            for write in writes
            if write.next_prompt and not folded.state.draft
        ]
        signed = {
            (encounter, write.n): receipt
            for (encounter, write), receipt in zip(answered, self._receipts(answered), strict=False)
        }
        return [
            [_with_receipt(write, signed.get((folded.encounter, write.n))) for write in writes]
            for folded, writes in batch
        ]

    def _reached(self, folded: FoldedState[Any]) -> FoldedState[Any]:
        """Note a decided state that is due for a snapshot once its commit is written; return the state."""
        self._committed.hold(folded)
        if folded.n % EVERY == 0:
            self._due[folded.encounter] = folded
        return folded

    def _keep(self, start: FoldedState[Any], folded: FoldedState[Any]) -> None:
        self._folder.keep(folded)
        self._committed.note(folded)
        for n in range(start.n + 1, folded.n + 1) if self._begun else ():
            if (begun := self._begun.pop((folded.encounter, n), None)) is not None:
                self.traces.note("decide command", "consumer", folded.encounter, n, begun)
        due = self._due.pop(folded.encounter, None)
        if due is not None and start.n < due.n <= folded.n:
            self._snapshot(due)
        if folded.state.closed and not start.state.closed:
            self._log.set_due(CLOSED, [folded.encounter], int(time.time() * 1000), reschedule=False)
        is_accepted = start.state.draft and not folded.state.draft  # it discloses due links
        closes = folded.state.epoch > start.state.epoch or is_accepted
        if folded.state.draft:
            return  # a line that is only proposed is signed once it is accepted
        self.watch.folded(folded.encounter, start.n, folded.n, closes=closes, is_closed=folded.state.closed)

    def _secrets_for(self, folded: FoldedState[Any]) -> EncounterSecrets:
        """Return the secrets that *folded* was opened with; cached ones may belong to a lost opening."""
        if folded.n == 0 or not self._secrets_of(folded.encounter).are_of(folded.state):
            self._secrets.drop(folded.encounter)  # a blank state cannot confirm the cached ones
        return self._secrets_of(folded.encounter)

    def _secrets_of(self, encounter: str) -> EncounterSecrets:
        found = self._secrets.get(encounter)
        if found is None:
            found = self._read_secrets(encounter)
            self._secrets.put(encounter, found)
        return found

    def _read_secrets(self, encounter: str) -> EncounterSecrets:
        """Return the encounter's stored secrets, or those of the line of play that it continues.

        Raises `SecretMissing`.
        """
        blob = self._log.secret(encounter)
        if blob is not None:
            return EncounterSecrets.decrypt(encounter, blob, self._keys.keys)
        parent = continuation.inherits(self._log, encounter)
        if parent is None:
            raise SecretMissing(encounter)
        return self._secrets_of(parent).continued(encounter)

    def _sealed_values(self, origin: Origin) -> tuple[SealedValues, ...]:
        """Return the sealed values of the state with which a line of play begins."""
        return (
            fork_state.sealed_fork_values(self, origin)
            if origin.kind == FORK
            else continuation.sealed_values(self, origin)
        )


def _accepts_line(raw: bytes) -> bool:
    """Return whether a request is the service's own that ends a draft: it throws no die.

    Set aside, the line would be a draft for ever, which moves its dice as a draft does: to seen ones.
    """
    try:
        return load_request(raw).type == AcceptLine.type
    except NotCanonical:
        return False


def _with_receipt(write: CommitWrite, receipt: bytes | None) -> CommitWrite:
    """Return *write* with a receipt among the members of the answer to its sender."""
    if receipt is None:
        return write
    rest = write.next_prompt[1:]
    return write._replace(next_prompt=b'{"receipt":' + receipt + (b"" if rest == b"}" else b",") + rest)
