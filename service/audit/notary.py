"""Sign what stands in the store, after holding it to what was signed before.

A checkpoint is signed for every commit that closes an epoch or the encounter, and for the head when somebody
asks. The root is made of the stored bytes since the last signed one, each time.

Laws. Nothing is signed that does not continue what this machine, or the store, remembers as signed. Whatever
contradicts it is a dispute: it is written down, the encounter is not folded, and only a person's acceptance
ends it. What is signed is remembered here before it is told to anybody.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from threading import RLock
from typing import Final

from service.audit.signing import Signer, foreign
from service.audit.witness import Seen, Witness
from service.encounter.record.canonical import commit_hash
from service.encounter.record.commit import load_commit
from service.encounter.record.frontier import Frontier
from service.encounter.stores import points, removals
from service.encounter.stores.disputes import (
    ALTERED,
    FORKED,
    MISSING,
    ROLLED_BACK,
    SIGNED,
    Dispute,
    Disputes,
)
from service.encounter.stores.points import Point
from service.encounter.stores.register import Register
from service.log import Entry, Head, Log, NoSuchEncounter

PAGE: Final = 500
_CLOSING: Final = ("epoch_closed", "encounter_closed", "continued")
_TRACES: Final = (*(f'"{type_}"'.encode() for type_ in _CLOSING), b'"lost":{')


class Disputed(Exception):
    """Say that an encounter's stored history is not the one that was signed."""

    def __init__(self, dispute: Dispute) -> None:
        super().__init__(f"{dispute.encounter}: {dispute.text}")
        self.dispute = dispute


@dataclass(frozen=True)
class _Reached:
    """How far stored bytes were read, and the hash there."""

    frontier: Frontier
    hash: str = ""


class Notary:
    """Signs for one process; any number of its threads may use it."""

    def __init__(
        self, log: Log, witness: Witness, signer: Callable[[], Signer], capacity: int = 10_000
    ) -> None:
        self._log = log
        self._witness = witness
        self._register = Register(log)
        self._signer = signer
        self._capacity = capacity
        self.disputes = Disputes(log)
        self._signed: OrderedDict[str, _Reached] = OrderedDict()
        self._lock = RLock()

    # --- signing -------------------------------------------------------------------------------------

    def sign_closed(self, encounter: str) -> list[Point]:
        """Sign each close of an epoch or of the encounter, and each acceptance of a loss; raises `Disputed`.

        What is signed already is not signed again.
        """
        return self._sign(encounter, with_head=False)

    def sign_head(self, encounter: str) -> list[Point]:
        """Sign what `sign_closed` does, and the head as it is now; raises `Disputed`."""
        return self._sign(encounter, with_head=True)

    def _sign(self, encounter: str, *, with_head: bool) -> list[Point]:
        with self._lock:
            head = self._head(encounter)
            if foreign(self._log, encounter):
                return []  # it came in a bundle, and its own service has signed it
            start = self._held(encounter, head)
            made: list[Point] = []
            reached = start
            for entry, at in self._onward(encounter, start, head.folded):
                reached = at
                is_last = with_head and entry.n == head.folded
                if is_last or _closes(entry.raw):
                    made.append(self._put(encounter, at, load_commit(entry.raw).epoch))
            self._hold_to_head(encounter, reached, head)
            return made

    def _put(self, encounter: str, at: _Reached, epoch: int) -> Point:
        """Sign the tree that was reached: remembered first, told then."""
        point = Point(at.frontier.size, at.frontier.root().hex())
        text = self._signer().checkpoint(encounter, point.size, at.frontier.root())
        entry = self._register.find(encounter)
        owner = entry.owner if entry is not None else ""
        self._witness.remember(Seen(encounter, point.size, at.frontier.root(), text, epoch, owner))
        points.put(self._log, encounter, point, text, epoch)
        self._keep(encounter, at)
        return point

    def encounters(self) -> list[str]:
        """Return the encounters of which something was signed on this machine."""
        return self._witness.encounters()

    # --- holding to what was signed ------------------------------------------------------------------

    def check(self, encounter: str) -> None:
        """Hold the store to what was signed of *encounter*; raises `Disputed`, `NoSuchEncounter`."""
        with self._lock:
            self._held(encounter, self._head(encounter))

    def recompute(self, encounter: str) -> None:
        """Make the whole tree of the stored bytes anew, and hold all of it to head and signatures.

        A dispute that stands is withdrawn if all of it holds: the store is whole again.
        """
        with self._lock:
            self._signed.pop(encounter, None)
            head = self._head(encounter)
            reached = self._held(encounter, head)
            for _, at in self._onward(encounter, reached, head.folded):
                reached = at
            self._hold_to_head(encounter, reached, head)
            self.disputes.withdraw(encounter)

    def check_missing(self, encounter: str, now: float) -> None:
        """Hold an encounter that is not in the store to what was signed of it here; raises `Disputed`.

        What was removed, and a fork whose time was over at *now*, is not missing: it is forgotten here too.
        """
        with self._lock:
            seen = self._witness.seen(encounter)
            if seen is None or self._log.head(encounter) is not None:
                return
            entry = self._register.find(encounter)
            if removals.find(self._log, encounter) is not None or (entry and entry.has_expired(now)):
                self._witness.forget(encounter)
                return
            self._dispute(encounter, MISSING, Point(seen.size, seen.root.hex()), 0)

    def _held(self, encounter: str, head: Head) -> _Reached:
        """Return the last signed tree, recomputed from stored bytes unless it was before."""
        known = self._signed.get(encounter)
        told = [
            point for point in self._told(encounter) if known is None or point.size != known.frontier.size
        ]
        beyond = [point for point in told if point.size > head.folded]
        if known is not None and known.frontier.size > head.folded:
            beyond.append(Point(known.frontier.size, known.frontier.root().hex()))
        if beyond:
            self._dispute(encounter, ROLLED_BACK, beyond[0], head.folded)
        reached = known or _Reached(Frontier())
        wanted = {point.size: point for point in told if point.size > reached.frontier.size}
        for entry, at in self._onward(encounter, reached, max(wanted, default=0)):
            reached = at
            point = wanted.get(entry.n)
            if point is not None and at.frontier.root().hex() != point.root:
                self._dispute(encounter, FORKED, point, head.folded)
        self._keep(encounter, reached)
        return reached

    def _told(self, encounter: str) -> list[Point]:
        """Return what is remembered as signed, here and in the store; what only we remember is put back."""
        seen, stored = self._witness.seen(encounter), points.latest(self._log, encounter)
        ours = None if seen is None else Point(seen.size, seen.root.hex())
        if seen is not None and ours is not None:
            if self.disputes.accepts(encounter, ours.size, ours.root):
                self._witness.forget(encounter)
            elif stored is None or stored.size < ours.size:
                points.put(self._log, encounter, ours, seen.note, seen.epoch)
        standing = self.disputes.standing(encounter)
        disputed = Point(standing.size, standing.root) if standing and standing.why in SIGNED else None
        told = dict.fromkeys(point for point in (ours, stored, disputed) if point is not None)
        return [point for point in told if not self.disputes.accepts(encounter, point.size, point.root)]

    def _hold_to_head(self, encounter: str, reached: _Reached, head: Head) -> None:
        """Demand that the bytes up to the head have its hash, and the tree that it keeps."""
        if reached.frontier.size != head.folded or not reached.hash:
            return
        if reached.hash != head.hash or head.frontier not in (b"", reached.frontier.to_bytes()):
            point = Point(reached.frontier.size, reached.frontier.root().hex())
            self._dispute(encounter, ALTERED, point, head.folded)

    def _dispute(self, encounter: str, why: str, point: Point, folded: int) -> None:
        self._signed.pop(encounter, None)
        seen, before = self._witness.seen(encounter), self.disputes.standing(encounter)
        known = [each for each in (seen, before) if each is not None]  # another machine may have known more
        epoch = max([points.epoch(self._log, encounter), *[each.epoch for each in known]])
        owner = next((each.owner for each in known if each.owner), "")
        dispute = Dispute(encounter, why, point.size, point.root, folded, epoch=epoch, owner=owner)
        raise Disputed(self.disputes.open(dispute))

    # --- stored bytes --------------------------------------------------------------------------------

    def _head(self, encounter: str) -> Head:
        head = self._log.head(encounter)
        if head is None:
            raise NoSuchEncounter(encounter)
        return head

    def _onward(self, encounter: str, start: _Reached, upto: int) -> Iterator[tuple[Entry, _Reached]]:
        """Yield the stored commits after *start* up to number *upto*, each with the tree it ends."""
        frontier = start.frontier
        while frontier.size < upto:
            entries = self._log.commits(encounter, frontier.size, min(PAGE, upto - frontier.size))
            if not entries or entries[0].n != frontier.size + 1:
                point = Point(frontier.size, frontier.root().hex())
                self._dispute(encounter, ALTERED, point, upto)
            for entry in entries:
                leaf = commit_hash(entry.raw)
                frontier = frontier.append(leaf)
                yield entry, _Reached(frontier, leaf.hex())

    def _keep(self, encounter: str, at: _Reached) -> None:
        self._signed[encounter] = at
        self._signed.move_to_end(encounter)
        if len(self._signed) > self._capacity:
            self._signed.popitem(last=False)


def _closes(raw: bytes) -> bool:
    """Tell whether a commit closes an epoch or its encounter, or accepts that signed commits were lost."""
    if not any(trace in raw for trace in _TRACES):
        return False
    events = load_commit(raw).events
    return any(event.get("type") in _CLOSING or isinstance(event.get("lost"), dict) for event in events)
