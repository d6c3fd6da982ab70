"""Fold encounters: return the state at any commit, reading as few commits as possible.

State is the fold of the commits. A cached state is used only while its number and hash are the record's. The
same code serves workers, which cache what they have just decided, and API processes, which receive commits as
they are published. It is thread-safe.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from json import loads
from threading import Lock
from time import monotonic
from typing import Any, Final

from service.caches import RecentCache
from service.core import snapshots
from service.core.decide import FoldedState, unfolded
from service.core.no_rules import NO_RULES
from service.core.weighing import weight_of
from service.log.errors import NoSuchEncounter
from service.log.protocol import Log
from service.log.values import Entry, StreamHead
from service.record.canonical import NotCanonical, commit_hash
from service.record.commit import ACCEPTED, Commit, fold_commit, load_commit, load_request
from service.record.envelopes import envelopes
from service.record.intervals import EVERY
from service.rules.kernel.meter import end_if_stopped
from service.rules.ruleset import Ruleset

AnyFolded = FoldedState[Any]
Registry = Mapping[str, Ruleset[Any]]

PAGE: Final = 500
"""Commits read in one round trip."""

ROOM: Final = 128 * 1024 * 1024
"""Bytes that cached states may take together."""

WEIGHED_EVERY: Final = 64
"""Commits after which a cached state is weighed again."""

PAST: Final = 8
"""States at earlier commits that are cached."""

OFFERED: Final = 16
"""Published commits buffered for an encounter until it is read; beyond that the store is read."""

UNUSED_S: Final = 300.0
"""Seconds for which a cached state is kept without a use, as between two evenings."""

_DROPPED: Final = 8
"""How many unused states are dropped at once, so that nobody waits for it."""


class UnknownEdition(Exception):
    """The encounter was opened under rules that this process does not have."""

    def __init__(self, encounter: str, edition: str) -> None:
        super().__init__(f"{encounter} is played by {edition}, which is not registered")
        self.encounter = encounter
        self.edition = edition


class ChainBroken(Exception):
    """The stored commits do not form a chain: commit *n* does not continue the one before it.

    Or one of its envelopes is missing.
    """

    def __init__(self, encounter: str, n: int) -> None:
        super().__init__(f"commit {n} of {encounter} does not continue the one before it")
        self.encounter = encounter
        self.n = n


class Folder:
    """Folds encounters, and caches those last used: at most *capacity*, and no more than fit into *room*.

    A state that nobody used for `UNUSED_S` is dropped when the next one is cached.
    """

    def __init__(
        self,
        log: Log,
        registry: Registry,
        *,
        capacity: int = 512,
        room: int = ROOM,
        asks: bool = True,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """Cache *capacity* states in *room* bytes; with *asks*, ask a worker for missing snapshots."""
        self._log = log
        self._clock = clock
        self._asks = asks
        self._registry = registry
        self._capacity = capacity
        self._room = room
        self._cached: OrderedDict[str, AnyFolded] = OrderedDict()
        """The state that was used last is the last one."""
        self._used: dict[str, float] = {}
        """When each cached state was used last."""
        self._weights: dict[str, tuple[int, int]] = {}
        """The number of the commit at which each cached state was weighed, and its weight then in bytes."""
        self._weight = 0
        """The sum of the weights."""
        self._offered: dict[str, list[Entry]] = {}
        self._past: RecentCache[tuple[str, int], AnyFolded] = RecentCache(PAST)
        """States at earlier commits: whoever rules on one asks for it several times."""
        self._lock = Lock()
        self._doubts = 0
        self._compared: dict[str, int] = {}
        """The value of `_doubts` when each cached state was last compared with its head."""

    # --- the present ---------------------------------------------------------------------------------

    def current(self, encounter: str, at_least: int | None = None) -> AnyFolded:
        """Return the encounter as folded now; it includes commit *at_least* if that exists.

        With *at_least*, a cached state that includes it is returned without asking the store. Raises
        `NoSuchEncounter`, `UnknownEdition`, `ChainBroken`.
        """
        return _twice(lambda: self._current(encounter, at_least))

    def _current(self, encounter: str, at_least: int | None) -> AnyFolded:
        doubts = self._doubts
        kept = self._caught_up(encounter)
        is_sure = self._compared.get(encounter) == doubts
        if kept is not None and at_least is not None and kept.n >= at_least and is_sure:
            return kept
        head = self._head(encounter)
        if kept is not None and (kept.n, kept.hash) == (head.folded, head.hash):
            self._compared[encounter] = doubts
            return kept
        folded = self._from_store(encounter, head.folded, kept)
        if folded.hash != head.hash:  # the store has lost commits of the cached state
            folded = self._from_store(encounter, head.folded)
        if folded.hash != head.hash:
            raise ChainBroken(encounter, folded.n + 1)
        self.keep(folded)
        self._compared[encounter] = doubts
        return folded

    def doubt(self) -> None:
        """Compare each cached state with its head before its next use: the store may have lost commits.

        Commits published until now are dropped, because they may be lost too.
        """
        with self._lock:
            self._doubts += 1
            self._offered.clear()

    def offer(self, encounter: str, n: int, raw: bytes) -> None:
        """Take commit *n* as published: it is folded at the next read if it continues the cached state."""
        with self._lock:
            if encounter not in self._cached:
                return
            waiting = self._offered.setdefault(encounter, [])
            if len(waiting) < OFFERED:
                waiting.append(Entry(n, raw))

    def _caught_up(self, encounter: str) -> AnyFolded | None:
        """Return the cached state with the published commits that continue it; None if nothing is cached."""
        with self._lock:
            kept = self._cached.get(encounter)
            offered = self._offered.pop(encounter, None)
        if kept is None or not offered:
            return self.kept(encounter)
        n, entries = kept.n, []
        for entry in offered:
            if entry.n == n + 1:
                entries.append(entry)
                n = entry.n
        folded = self._extend(kept, entries) if entries else None
        if folded is None:
            return self.kept(encounter)
        self.keep(folded)
        return folded

    def kept(self, encounter: str) -> AnyFolded | None:
        """Return the cached state of the encounter, current or not; None if there is none."""
        with self._lock:
            folded = self._cached.get(encounter)
            if folded is not None:
                self._use(encounter)
            return folded

    def keep(self, folded: AnyFolded) -> None:
        """Cache *folded* as the encounter's last known state."""
        with self._lock:
            self._cached[folded.encounter] = folded
            self._use(folded.encounter)
            self._weigh(folded)
            while len(self._cached) > self._capacity or (self._weight > self._room and len(self._cached) > 1):
                self._forget(next(iter(self._cached)))
            unused_since = self._clock() - UNUSED_S
            for encounter in tuple(islice(self._cached, _DROPPED)):
                if self._used[encounter] > unused_since:
                    break
                self._forget(encounter)

    def _use(self, encounter: str) -> None:
        self._cached.move_to_end(encounter)
        self._used[encounter] = self._clock()

    def begin(self, encounter: str, ruleset: Ruleset[Any], raw: bytes) -> None:
        """Cache the encounter as its commit 1, *raw*, makes it; one that is cached already stays as it is."""
        if self.kept(encounter) is None:
            folded = self._extend(unfolded(encounter, ruleset), [Entry(1, raw)])
            if folded is not None:
                self.keep(folded)

    def drop(self, encounter: str) -> None:
        """Drop the cached state: the next read uses the store alone."""
        with self._lock:
            self._forget(encounter)
        self._past.drop_all(lambda key, _: key[0] == encounter)

    def _weigh(self, folded: AnyFolded) -> None:
        """Note the weight of a cached state, unless it was weighed a few commits ago."""
        at, before = self._weights.get(folded.encounter, (-WEIGHED_EVERY, 0))
        if 0 <= folded.n - at < WEIGHED_EVERY:
            return
        weight = weight_of(folded.state)
        self._weights[folded.encounter] = folded.n, weight
        self._weight += weight - before

    def _forget(self, encounter: str) -> None:
        self._cached.pop(encounter, None)
        self._used.pop(encounter, None)
        self._offered.pop(encounter, None)
        self._compared.pop(encounter, None)
        self._weight -= self._weights.pop(encounter, (0, 0))[1]

    # --- the past ------------------------------------------------------------------------------------

    def at(self, encounter: str, n: int) -> AnyFolded:
        """Return the encounter as folded up to commit *n*, or up to its last commit if that is earlier."""
        return _twice(lambda: self._at(encounter, n))

    def _at(self, encounter: str, n: int) -> AnyFolded:
        head = self._head(encounter)
        kept = self.kept(encounter)
        if kept is not None and kept.n == n <= head.folded:
            return kept
        n = min(n, head.folded)
        past = self._past.get((encounter, n))
        if past is None or not self._has(past):
            past = self._from_store(encounter, n, kept)
            self._past.put((encounter, n), past)
        return past

    def _has(self, folded: AnyFolded) -> bool:
        """Return whether the record has the last commit of *folded*, so also all before it."""
        entries = self._log.commits(folded.encounter, folded.n - 1, 1) if folded.n else []
        return bool(entries) and commit_hash(entries[0].raw).hex() == folded.hash

    def steps(self, encounter: str, after: int, upto: int) -> Iterator[tuple[Commit, AnyFolded]]:
        """Yield each commit with *after* < n <= *upto*, and the encounter as folded with it."""
        folded = self.at(encounter, after)
        while folded.n < upto:
            entries = self._log.commits(encounter, folded.n, min(PAGE, upto - folded.n))
            if not entries:
                return
            for step in self._fold(folded, entries):
                yield step
                folded = step[1]

    # --- folding -------------------------------------------------------------------------------------

    def _head(self, encounter: str) -> StreamHead:
        head = self._log.head(encounter)
        if head is None:
            raise NoSuchEncounter(encounter)
        return head

    def _from_store(self, encounter: str, upto: int, kept: AnyFolded | None = None) -> AnyFolded:
        """Fold up to *upto* from *kept* if that is near, else from the nearest stored state."""
        if kept is not None and 0 <= upto - kept.n <= EVERY:
            folded = self._onward(kept, upto)
            if folded is not None:
                return folded
        ruleset = self.ruleset(encounter)
        start = unfolded(encounter, ruleset)
        if upto:
            start = snapshots.nearest(self._log, encounter, ruleset, upto) or start
        if self._asks and upto - start.n > EVERY:
            snapshots.ask(self._log, encounter, ruleset)
        if kept is not None and start.n < kept.n <= upto:
            folded = self._onward(kept, upto)
            if folded is not None:
                return folded
        folded = self._onward(start, upto)
        if folded is None:
            raise ChainBroken(encounter, start.n + 1)
        return folded

    def ruleset(self, encounter: str) -> Ruleset[Any]:
        """Return the ruleset that the encounter's first request names; raise `UnknownEdition`."""
        first = self._log.commands(encounter, 0, 1)
        if not first:
            raise NoSuchEncounter(encounter)
        return self.ruleset_in(encounter, first[0].raw)

    def ruleset_in(self, encounter: str, first: bytes) -> Ruleset[Any]:
        """Return the ruleset that *first*, the first request, names; raise `UnknownEdition`."""
        try:
            edition = load_request(first).data.get("edition")
        except NotCanonical:
            return NO_RULES
        return self._registered(encounter, edition) if isinstance(edition, str) else NO_RULES

    def _registered(self, encounter: str, edition: str) -> Ruleset[Any]:
        if edition == NO_RULES.edition:
            return NO_RULES
        try:
            return self._registry[edition]
        except KeyError:
            raise UnknownEdition(encounter, edition) from None

    def _onward(self, folded: AnyFolded, upto: int) -> AnyFolded | None:
        """Return *folded* with the stored commits up to *upto*; None if they do not continue it."""
        if folded.n > upto:
            return None
        while folded.n < upto:
            entries = self._log.commits(folded.encounter, folded.n, min(PAGE, upto - folded.n))
            extended = self._extend(folded, entries)
            if not entries or extended is None:
                return None
            folded = extended
        return folded

    def _extend(self, folded: AnyFolded, entries: Sequence[Entry]) -> AnyFolded | None:
        """Return *folded* with *entries*; None if they do not continue it."""
        last = folded
        try:
            for _, last in self._fold(folded, entries):  # noqa: B007 - only the last one is used
                pass
        except ChainBroken:
            return None
        return last

    def _fold(self, folded: AnyFolded, entries: Sequence[Entry]) -> Iterator[tuple[Commit, AnyFolded]]:
        """Yield each commit of *entries*, and the encounter as folded with it; raise `ChainBroken`."""
        commits = [load_commit(entry.raw) for entry in entries]
        if not commits:
            return
        encounter = folded.encounter
        payloads = self._payloads(encounter, commits)
        stops = self._stops(encounter, commits)
        for commit in commits:
            end_if_stopped()
            n = folded.n + 1
            if commit.n != n or commit.prev != folded.hash:
                raise ChainBroken(encounter, n)
            lying = payloads.get(n, {})
            if commit.has_envelopes and commit.lacks_any_of(lying):
                raise ChainBroken(encounter, n)
            state = fold_commit(folded.ruleset, folded.state, commit, lying, stops.get(n))
            folded = folded.followed(bytes.fromhex(commit.hash), state)
            yield commit, folded

    def _payloads(self, encounter: str, commits: Sequence[Commit]) -> dict[int, dict[int, Any]]:
        """Return the payloads of the envelopes of *commits*, by number and index."""
        sealed = [commit.n for commit in commits if commit.has_envelopes]
        found: dict[int, dict[int, Any]] = {}
        if sealed:
            for (n, index), envelope in envelopes(self._log, encounter, sealed[0] - 1, sealed[-1]).items():
                found.setdefault(n, {})[index] = loads(envelope.payload)
        return found

    def _stops(self, encounter: str, commits: Sequence[Commit]) -> dict[int, str]:
        """Return the batches that stop with those of *commits* that may have been refused, by number."""
        wanted = {commit.n for commit in commits if commit.outcome != ACCEPTED}
        if not wanted:
            return {}
        first, last = min(wanted), max(wanted)
        found: dict[int, str] = {}
        for entry in self._log.commands(encounter, first - 1, last - first + 1):
            if entry.n in wanted:
                stops = _stops(entry.raw)
                if stops is not None:
                    found[entry.n] = stops
        return found


def _twice(fold: Callable[[], AnyFolded]) -> AnyFolded:
    """Return what *fold* returns; retry once, because a failover may come between its reads."""
    try:
        return fold()
    except ChainBroken:
        return fold()


def _stops(raw: bytes) -> str | None:
    try:
        return load_request(raw).stops
    except NotCanonical:
        return None
