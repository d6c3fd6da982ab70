"""Know the state of any encounter at any number, from its commits and as little else as possible.

State is the fold of the commits; a copy kept here is used only while its number and hash are the record's.
The same code serves workers, which keep what they have just decided, and API processes, which are handed
commits as they are published. It may be used by any number of threads.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from json import loads
from threading import Lock
from typing import Any, Final

from service.core import snapshots
from service.core.decide import FoldedState, unfolded
from service.core.no_rules import NO_RULES
from service.log.errors import NoSuchEncounter
from service.log.protocol import Log
from service.log.values import Entry, StreamHead
from service.record.canonical import NotCanonical
from service.record.commit import ACCEPTED, Commit, fold_commit, load_commit, load_request
from service.record.envelopes import envelopes
from service.record.intervals import EVERY
from service.rules.ruleset import Ruleset

AnyFolded = FoldedState[Any]
Registry = Mapping[str, Ruleset[Any]]

PAGE: Final = 500
"""Commits read in one round trip."""

OFFERED: Final = 64
"""Published commits kept for an encounter until somebody asks; with more the store is read."""


class UnknownEdition(Exception):
    """Say that an encounter was opened under rules that this process does not have."""

    def __init__(self, encounter: str, edition: str) -> None:
        super().__init__(f"{encounter} is played by {edition}, which is not on the shelf")
        self.encounter = encounter
        self.edition = edition


class ChainBroken(Exception):
    """Say that stored commits do not follow each other: *n* does not continue the one before it.

    Or an envelope of it is not there.
    """

    def __init__(self, encounter: str, n: int) -> None:
        super().__init__(f"commit {n} of {encounter} does not continue the one before it")
        self.encounter = encounter
        self.n = n


class Folder:
    """Folds encounters, and keeps the *capacity* last used."""

    def __init__(self, log: Log, registry: Registry, *, capacity: int = 512, asks: bool = True) -> None:
        """Keep so many states; with *asks* a worker is asked for snapshots where there are none."""
        self._log = log
        self._asks = asks
        self._registry = registry
        self._capacity = capacity
        self._kept: OrderedDict[str, AnyFolded] = OrderedDict()
        self._offered: dict[str, list[Entry]] = {}
        self._lock = Lock()
        self._doubts = 0
        self._compared: dict[str, int] = {}
        """How often all was doubted before each kept state was last compared with its head."""

    # --- the present ---------------------------------------------------------------------------------

    def current(self, encounter: str, at_least: int | None = None) -> AnyFolded:
        """Return the encounter as folded now, in any case with commit *at_least* if it exists.

        With *at_least* a kept state that has it is returned without asking the store. Raises
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
        if folded.hash != head.hash:  # the store has lost what was kept
            folded = self._from_store(encounter, head.folded)
        if folded.hash != head.hash:
            raise ChainBroken(encounter, folded.n + 1)
        self.keep(folded)
        self._compared[encounter] = doubts
        return folded

    def doubt(self) -> None:
        """Compare each kept state with its head before it is used again: the store may have lost commits.

        What was published until now is not folded: it may be of those.
        """
        with self._lock:
            self._doubts += 1
            self._offered.clear()

    def offer(self, encounter: str, n: int, raw: bytes) -> None:
        """Take commit *n* as published: it is folded when somebody asks and it continues what is kept."""
        with self._lock:
            if encounter not in self._kept:
                return
            waiting = self._offered.setdefault(encounter, [])
            if len(waiting) < OFFERED:
                waiting.append(Entry(n, raw))

    def _caught_up(self, encounter: str) -> AnyFolded | None:
        """Return what is kept, with the published commits that continue it folded onto it."""
        with self._lock:
            kept = self._kept.get(encounter)
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
        """Return what is kept of the encounter, whether it is still current or not."""
        with self._lock:
            folded = self._kept.get(encounter)
            if folded is not None:
                self._kept.move_to_end(encounter)
            return folded

    def keep(self, folded: AnyFolded) -> None:
        """Keep *folded* as the encounter's last known state."""
        with self._lock:
            self._kept[folded.encounter] = folded
            self._kept.move_to_end(folded.encounter)
            if len(self._kept) > self._capacity:
                gone, _ = self._kept.popitem(last=False)
                self._offered.pop(gone, None)
                self._compared.pop(gone, None)

    def drop(self, encounter: str) -> None:
        """Forget the encounter: the next question is answered from the store alone."""
        with self._lock:
            self._kept.pop(encounter, None)
            self._offered.pop(encounter, None)
            self._compared.pop(encounter, None)

    # --- the past ------------------------------------------------------------------------------------

    def at(self, encounter: str, n: int) -> AnyFolded:
        """Return the encounter as folded up to commit *n*, or to the last one there is."""
        return _twice(lambda: self._at(encounter, n))

    def _at(self, encounter: str, n: int) -> AnyFolded:
        head = self._head(encounter)
        kept = self.kept(encounter)
        if kept is not None and kept.n == n <= head.folded:
            return kept
        return self._from_store(encounter, min(n, head.folded), kept)

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
        """Fold up to *upto* from *kept* where that is near, else from the nearest stored state."""
        if kept is not None and 0 <= upto - kept.n <= EVERY:
            folded = self._onward(kept, upto)
            if folded is not None:
                return folded
        ruleset = self.ruleset(encounter)
        start = snapshots.nearest(self._log, encounter, ruleset, upto) or unfolded(encounter, ruleset)
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
        """Return the rules that the encounter's first request asks for; raises `UnknownEdition`."""
        first = self._log.commands(encounter, 0, 1)
        if not first:
            raise NoSuchEncounter(encounter)
        try:
            edition = load_request(first[0].raw).data.get("edition")
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
        """Fold the stored commits up to *upto* onto *folded*; None if they do not continue it."""
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
        """Fold *entries* onto *folded*; None if they do not continue it."""
        last = folded
        try:
            for _, last in self._fold(folded, entries):  # noqa: B007 - the last one is what is wanted
                pass
        except ChainBroken:
            return None
        return last

    def _fold(self, folded: AnyFolded, entries: Sequence[Entry]) -> Iterator[tuple[Commit, AnyFolded]]:
        """Yield each of *entries* and what *folded* becomes with it; raises `ChainBroken`."""
        commits = [load_commit(entry.raw) for entry in entries]
        if not commits:
            return
        encounter = folded.encounter
        payloads = self._payloads(encounter, commits)
        stops = self._stops(encounter, commits)
        for commit in commits:
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
        """Return the opened envelopes of *commits*, by number and index."""
        sealed = [commit.n for commit in commits if commit.has_envelopes]
        found: dict[int, dict[int, Any]] = {}
        if sealed:
            for (n, index), lies in envelopes(self._log, encounter, sealed[0] - 1, sealed[-1]).items():
                found.setdefault(n, {})[index] = loads(lies.payload)
        return found

    def _stops(self, encounter: str, commits: Sequence[Commit]) -> dict[int, str]:
        """Return the batches that end with those of *commits* that may have been refused, by number."""
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
    """Return what *fold* returns; a failover between its look at the head and at the commits is no damage."""
    try:
        return fold()
    except ChainBroken:
        return fold()


def _stops(raw: bytes) -> str | None:
    try:
        return load_request(raw).stops
    except NotCanonical:
        return None
