"""Sign checkpoints of stored encounters, after comparing the store with what was signed before.

The notary signs a checkpoint for every commit that closes an epoch or the encounter or accepts a loss, and
for the head on request. It computes each root from the bytes stored since the last signed one.

Laws. A signed tree always continues every tree that this machine or the store remembers as signed. A
contradiction is a dispute: it is stored, the encounter is not folded, and only a person's acceptance ends it.
A signature is written to this machine's signing memory before it is published.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import RLock
from typing import Final, NamedTuple

from service.audit.evidence import fight_of
from service.audit.signing import Signer, foreign
from service.audit.signing_memory import RememberedHead, SigningMemory
from service.caches import RecentCache
from service.log import Entry, Log, NoSuchEncounter, StreamHead
from service.record.canonical import commit_hash
from service.record.commit import Commit, load_commit
from service.record.frontier import Frontier
from service.record.log_entries import END, HEAD, LogEntry
from service.record.subjects import CONTINUED, ENDED, EPOCH_ENDED, LOST, are_about, is_about
from service.stores import checkpoints, removals
from service.stores.checkpoints import TreeHead
from service.stores.disputes import (
    ALTERED,
    FORKED,
    MISSING,
    RESTORED,
    ROLLED_BACK,
    SIGNED,
    Dispute,
    Disputes,
    lost_lines,
)
from service.stores.disputes import COLLECTION as DISPUTES
from service.stores.encounter_index import EncounterIndex
from service.stores.public_log import PublicLog

PAGE: Final = 500


class Disputed(Exception):
    """An encounter's stored history is not the one that was signed."""

    def __init__(self, dispute: Dispute) -> None:
        super().__init__(f"{dispute.encounter}: {dispute.text}")
        self.dispute = dispute


@dataclass(frozen=True)
class _Reached:
    """The tree of the stored commits that were read, and the hash of the last one."""

    frontier: Frontier
    hash: str = ""

    @cached_property
    def root(self) -> bytes:
        """The root of the tree."""
        return self.frontier.root()

    @property
    def point(self) -> TreeHead:
        """The tree's size and root, as in a checkpoint."""
        return TreeHead(self.frontier.size, self.root.hex())

    def followed(self, entry: Entry) -> _Reached:
        """Return the tree with one more commit."""
        leaf = commit_hash(entry.raw)
        return _Reached(self.frontier.append(leaf), leaf.hex())


class _Closed(NamedTuple):
    """A tree to sign."""

    at: _Reached
    epoch: int
    """The epoch of the dice after it."""
    kind: str = ""
    """The kind of its entry in the public log; empty: it has none, because somebody asked for it."""
    continued_in: str = ""
    """Of an end: the line of play that continues this one."""


class Notary:
    """Signs for one process; any number of its threads may use it."""

    def __init__(
        self, log: Log, signing_memory: SigningMemory, signer: Callable[[], Signer], capacity: int = 10_000
    ) -> None:
        self._log = log
        self._signing_memory = signing_memory
        self._register = EncounterIndex(log)
        self._signer = signer
        self._public_log = PublicLog(log)
        self.disputes = Disputes(log)
        self._signed: RecentCache[str, _Reached] = RecentCache(capacity)
        self._lock = RLock()

    # --- signing -------------------------------------------------------------------------------------

    def sign_closed(self, encounter: str) -> list[TreeHead]:
        """Sign each close of an epoch or of the encounter, and each acceptance of a loss; raises `Disputed`.

        Return only the newly signed heads: what is already signed is not signed again.
        """
        return self._sign(encounter, with_head=False)

    def sign_head(self, encounter: str) -> list[TreeHead]:
        """Sign what `sign_closed` signs, and the current head; raises `Disputed`."""
        return self._sign(encounter, with_head=True)

    def _sign(self, encounter: str, *, with_head: bool) -> list[TreeHead]:
        with self._lock:
            head = self._head(encounter)
            if foreign(self._log, encounter):
                return []  # it was imported, and its own service has signed it
            start = self._signed_tree(encounter, head, self.disputes.find(encounter))
            if start.frontier.size == 0:
                self._sign_earlier(encounter)
            made: list[TreeHead] = []
            reached = start
            for entry, at in self._onward(encounter, start, head.folded):
                reached = at
                is_last = with_head and entry.n == head.folded
                if is_last or _closes(entry.raw, encounter):
                    self._put_all([(encounter, _closed(at, entry.raw, encounter))])
                    made.append(at.point)
            self._check_against_head(encounter, reached, head)
            return made

    def _sign_earlier(self, encounter: str) -> None:
        """Sign the closes of the lines that led to *encounter*: nothing is signed before an earlier close."""
        for line in fight_of(self._log, encounter)[:-1]:
            self.sign_closed(line)

    def sign_closed_together(self, encounters: Sequence[str]) -> tuple[dict[str, list[TreeHead]], list[str]]:
        """Sign what `sign_closed` signs, for several encounters; return the new heads, and those left.

        The first closes of all encounters take two round trips to read, one sync of the signing memory and
        two round trips to publish. The second closes follow, because nothing is signed after an unpublished
        close. An encounter is left for `sign_closed` if this process has not yet compared it with its
        signatures, if anything contradicts the last of them, or if it is a line of which nothing is signed.
        """
        with self._lock:
            known = {each: at for each in encounters if (at := self._signed.get(each)) is not None}
            tails = self._log.tails([(each, at.frontier.size) for each, at in known.items()], PAGE)
            closed: dict[str, list[_Closed]] = {}
            for (each, start), (head, entries) in zip(known.items(), tails, strict=True):
                found = None if _is_line(each, entries) else _closed_in(each, start, head, entries)
                if found is not None:
                    closed[each] = found
            contradicted = self._contradicted({each: known[each].frontier.size for each in closed})
            made = {each: found for each, found in closed.items() if each not in contradicted}
            for nth in range(max(map(len, made.values()), default=0)):
                self._put_all([(each, found[nth]) for each, found in made.items() if nth < len(found)])
        signed = {each: [close.at.point for close in found] for each, found in made.items()}
        return signed, [each for each in encounters if each not in signed]

    def _contradicted(self, sizes: Mapping[str, int]) -> set[str]:
        """Return the encounters whose last signed size differs from *sizes*, or that have a dispute."""
        stored = self._log.records_named(
            [(collection, each) for collection in (checkpoints.COLLECTION, DISPUTES) for each in sizes]
            if sizes
            else []
        )
        latest, disputes = stored[: len(sizes)], stored[len(sizes) :]
        seen = self._signing_memory.last_checkpoints(sizes)
        return {
            each
            for (each, size), blob, dispute in zip(sizes.items(), latest, disputes, strict=True)
            if dispute is not None
            or (0 if blob is None else checkpoints.read_latest(blob).size) != size
            or (each in seen and seen[each].size != size)
        }

    def _put_all(self, closed: Sequence[tuple[str, _Closed]]) -> None:
        """Sign the given trees: propose them to the public log, remember them, then publish to the store.

        A process that dies in between leaves the rest to the next one, which signs the same trees again.
        """
        if not closed:
            return
        signer = self._signer()
        self._public_log.propose([entry for each in closed if (entry := self._entry(*each)) is not None])
        signed = []
        for encounter, (at, epoch, *_) in closed:
            note = signer.checkpoint(encounter, at.frontier.size, at.root)
            signed.append(checkpoints.SignedTreeHead(encounter, at.point, note, epoch))
        self._signing_memory.remember(
            *(
                RememberedHead(
                    *(encounter, at.frontier.size, at.root, each.note, epoch),
                    owner=self._owner(encounter),
                    fight=self._register.root(encounter),
                )
                for (encounter, (at, epoch, *_)), each in zip(closed, signed, strict=True)
            )
        )
        checkpoints.put_all(self._log, signed)
        for encounter, close in closed:
            self._signed.put(encounter, close.at)

    def _entry(self, encounter: str, close: _Closed) -> LogEntry | None:
        """Return the entry of a signed tree in the public log; None for a fork, which is only a what-if."""
        entry = self._register.find(encounter)
        is_fork = entry is not None and self._register.first(entry).parent is not None
        if not close.kind or is_fork:
            return None
        point = close.at.point
        return LogEntry(close.kind, encounter, point.size, point.root, continued_in=close.continued_in)

    def _owner(self, encounter: str) -> str:
        entry = self._register.find(encounter)
        return entry.owner if entry is not None else ""

    def encounters(self) -> list[str]:
        """Return the encounters that this machine has signed anything of."""
        return self._signing_memory.encounters()

    # --- comparing with what was signed --------------------------------------------------------------

    def check(self, encounter: str) -> int:
        """Compare the store with the signed heads of *encounter*; raises `Disputed`, `NoSuchEncounter`.

        Raises `Disputed` as well while a restored history is not accepted. Returns the number of the command
        that accepted the last dispute; 0 if none did.
        """
        with self._lock:
            head, last = self._head(encounter), self.disputes.find(encounter)
            self._signed_tree(encounter, head, last)
            if last is None:
                return 0
            if last.why == RESTORED and not last.accepted:
                raise Disputed(last)
            return last.resumes if last.accepted else 0

    def recompute(self, encounter: str) -> None:
        """Recompute the tree of all stored bytes and compare it with the head and the signed heads.

        Raises `Disputed`, `NoSuchEncounter`. An open dispute is withdrawn if everything agrees: the store is
        whole again.
        """
        with self._lock:
            self._signed.drop(encounter)
            head = self._head(encounter)
            reached = self._signed_tree(encounter, head, self.disputes.find(encounter))
            for _, at in self._onward(encounter, reached, head.folded):
                reached = at
            self._check_against_head(encounter, reached, head)
            self.disputes.withdraw(encounter)

    def check_missing(self, encounter: str, now: float) -> None:
        """Raise `Disputed` if *encounter* was signed on this machine and is missing in the store.

        A removed encounter, a fork that had expired at *now* (seconds since 1970), or a line whose loss was
        accepted with its fight is not missing: its remembered head is deleted.
        """
        with self._lock:
            seen = self._signing_memory.seen(encounter)
            if seen is None or self._log.head(encounter) is not None:
                return
            entry = self._register.find(encounter)
            is_gone = removals.find(self._log, encounter) is not None or (entry and entry.has_expired(now))
            if is_gone or self.disputes.accepts(encounter, seen.size, seen.root.hex()):
                self._signing_memory.forget(encounter)
                return
            self._dispute(encounter, MISSING, TreeHead(seen.size, seen.root.hex()), 0)

    def _signed_tree(self, encounter: str, head: StreamHead, last: Dispute | None) -> _Reached:
        """Return the last signed tree, recomputed from stored bytes if not cached; raises `Disputed`.

        *last* is the last dispute about *encounter*, accepted or not.
        """
        known = self._signed.get(encounter)
        heads = [
            point
            for point in self._remembered_heads(encounter, last)
            if known is None or point.size != known.frontier.size
        ]
        beyond = [point for point in heads if point.size > head.folded]
        if known is not None and known.frontier.size > head.folded:
            beyond.append(known.point)
        if beyond:
            self._dispute(encounter, ROLLED_BACK, beyond[0], head.folded)
        reached = known or _Reached(Frontier())
        wanted = {point.size: point for point in heads if point.size > reached.frontier.size}
        for entry, at in self._onward(encounter, reached, max(wanted, default=0)):
            reached = at
            point = wanted.get(entry.n)
            if point is not None and at.point != point:
                self._dispute(encounter, FORKED, point, head.folded)
        self._signed.put(encounter, reached)
        return reached

    def _remembered_heads(self, encounter: str, last: Dispute | None) -> list[TreeHead]:
        """Return the signed heads that the signing memory, the store and an open dispute remember.

        A head that only the signing memory remembers is written to the store again. Heads that a person has
        accepted as lost are left out.
        """
        seen, stored = self._signing_memory.seen(encounter), checkpoints.latest(self._log, encounter)
        ours = None if seen is None else TreeHead(seen.size, seen.root.hex())
        if seen is not None and ours is not None:
            if last is not None and last.accepts(ours.size, ours.root):
                self._signing_memory.forget(encounter)
            elif stored is None or stored.size < ours.size:
                checkpoints.put(self._log, encounter, ours, seen.note, seen.epoch)
        standing = last if last is not None and not last.accepted and last.why in SIGNED else None
        disputed = None if standing is None else TreeHead(standing.size, standing.root)
        heads = dict.fromkeys(point for point in (ours, stored, disputed) if point is not None)
        return [point for point in heads if last is None or not last.accepts(point.size, point.root)]

    def _check_against_head(self, encounter: str, reached: _Reached, head: StreamHead) -> None:
        """Raise `Disputed` if the bytes up to the head do not have its hash, or the tree stored with it."""
        if reached.frontier.size == head.folded and not _is_head(reached, head):
            self._dispute(encounter, ALTERED, reached.point, head.folded)

    def _dispute(self, encounter: str, why: str, point: TreeHead, folded: int) -> None:
        self._signed.drop(encounter)
        seen, before = self._signing_memory.seen(encounter), self.disputes.standing(encounter)
        known = [each for each in (seen, before) if each is not None]  # another machine may have signed more
        fight = (seen.fight if seen is not None else "") or self._register.root(encounter)
        lines = [each for each in self._signing_memory.lines_of(fight) if each.encounter != encounter]
        # The lines of a fight throw the same dice, so those of a later line may have been seen as well.
        epochs = [each.epoch for each in (*known, *lines)]
        dispute = Dispute(
            *(encounter, why, point.size, point.root, folded),
            epoch=max([checkpoints.epoch(self._log, encounter), *epochs]),
            owner=next((each.owner for each in known if each.owner), ""),
            lines=lost_lines(self._log, lines),
        )
        raise Disputed(self.disputes.open(dispute))

    # --- stored bytes --------------------------------------------------------------------------------

    def _head(self, encounter: str) -> StreamHead:
        head = self._log.head(encounter)
        if head is None:
            raise NoSuchEncounter(encounter)
        return head

    def _onward(self, encounter: str, start: _Reached, upto: int) -> Iterator[tuple[Entry, _Reached]]:
        """Yield the stored commits after *start* up to number *upto*, each with the tree that it completes.

        Raises `Disputed` if one is missing.
        """
        at = start
        while (size := at.frontier.size) < upto:
            entries = self._log.commits(encounter, size, min(PAGE, upto - size))
            if not entries or entries[0].n != size + 1:
                self._dispute(encounter, ALTERED, at.point, upto)
            for entry in entries:
                at = at.followed(entry)
                yield entry, at


def _closed_in(
    encounter: str, start: _Reached, head: StreamHead | None, entries: Sequence[Entry]
) -> list[_Closed] | None:
    """Return the trees to sign that end in *entries*, the stored commits after *start* up to the head.

    None if the entries do not reach the head without a gap, or the head has another hash or tree.
    """
    if head is None or head.folded < start.frontier.size:
        return None
    found: list[_Closed] = []
    at = start
    for entry in entries:
        if at.frontier.size == head.folded:  # it was stored after the head was read
            break
        if entry.n != at.frontier.size + 1:
            return None
        at = at.followed(entry)
        if _closes(entry.raw, encounter):
            found.append(_closed(at, entry.raw, encounter))
    return found if at.frontier.size == head.folded and _is_head(at, head) else None


def _is_line(encounter: str, entries: Sequence[Entry]) -> bool:
    """Return whether the stored *entries* begin with commits of another line, which may have to be signed."""
    return bool(entries) and load_commit(entries[0].raw).encounter != encounter


def _is_head(at: _Reached, head: StreamHead) -> bool:
    """Return whether *head* has the hash and the tree of *at*, the tree of all commits."""
    if not at.hash:
        return True
    return at.hash == head.hash and head.frontier in (b"", at.frontier.to_bytes())


def _closed(at: _Reached, raw: bytes, encounter: str) -> _Closed:
    """Return the tree *at* the commit *raw*, and what the public log says of it."""
    commit = load_commit(raw)
    if not _is_closing(commit, encounter):
        return _Closed(at, commit.epoch)
    is_end = are_about(commit.events, ENDED)
    later = next((event["encounter"] for event in commit.events if CONTINUED.is_of(event)), "")
    return _Closed(at, commit.epoch, END if is_end else HEAD, later)


def _closes(raw: bytes, encounter: str) -> bool:
    """Return whether the stored commit *raw* is one that `_is_closing`; few have to be parsed for it."""
    return is_about(raw, EPOCH_ENDED, LOST) and _is_closing(load_commit(raw), encounter)


def _is_closing(commit: Commit, encounter: str) -> bool:
    """Return whether a commit closes an epoch or its encounter, or accepts the loss of signed commits.

    A line of play has commits of the line that it continues, which was signed in its own name.
    """
    is_of_it = commit.encounter == encounter
    return is_of_it and (are_about(commit.events, EPOCH_ENDED) or are_about(commit.events, LOST))
