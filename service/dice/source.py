"""Provide dice for decisions: from the seeds in play, from disclosed links in an audit.

Laws. Both sources give the same faces for the same name. A name always gives the same faces, so a decision
that is refused or repeated uses up nothing. An audit cannot derive the key of an open epoch.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol

from service.dice import stream as streams
from service.dice.chain import Anchor, Chain, DiceExhausted, discloses, epoch_key, walk
from service.dice.encoding import EID_BYTES, HASH_BYTES, check_length
from service.dice.errors import DiceError


class NotDisclosed(DiceError):
    """The link of the epoch is not published yet, so its dice cannot be derived."""

    code = "not_disclosed"

    def __init__(self, lane: int, epoch: int) -> None:
        super().__init__(f"no link gives the dice of lane {lane} in epoch {epoch}")
        self.lane = lane
        self.epoch = epoch


class FalseLink(DiceError):
    """A published link does not hash down to its lane's anchor."""

    code = "false_link"

    def __init__(self, lane: int, epoch: int) -> None:
        super().__init__(f"the link of lane {lane} for epoch {epoch} does not lead to the anchor")
        self.lane = lane
        self.epoch = epoch


class Dice(Protocol):
    """The dice that a decision may use."""

    def faces(self, lane: int, epoch: int, stream: str, place: int, sides: Sequence[int]) -> tuple[int, ...]:
        """Return one face per entry of *sides*, for the roll with this name."""
        ...

    def link(self, lane: int, epoch: int) -> bytes:
        """Return the link that is disclosed when *epoch* closes."""
        ...


class SeededDice:
    """The dice of an encounter in play: *chains* by lane, and the *seal* of all seeds."""

    __slots__ = ("_chains", "_keys")

    def __init__(self, eid: bytes, seal: bytes, chains: Mapping[int, Chain]) -> None:
        for lane, chain in chains.items():
            assert (chain.lane, chain.eid) == (lane, eid), f"the chain of lane {lane} belongs elsewhere"
        self._chains = dict(chains)
        self._keys = _EpochKeys(eid, seal)

    def faces(self, lane: int, epoch: int, stream: str, place: int, sides: Sequence[int]) -> tuple[int, ...]:
        """Return the faces of the roll; raises `DiceExhausted` beyond the last epoch."""
        return streams.faces(self._keys.key(lane, epoch, self.link), stream, place, sides)

    def link(self, lane: int, epoch: int) -> bytes:
        """Return C_epoch of *lane*, which is secret until *epoch* closes; raises `DiceExhausted`."""
        return self._chains[lane].link(epoch)


class DisclosedDice:
    """The dice that published *links*, by (lane, epoch), determine; the constructor verifies all links.

    A link determines the earlier epochs of its lane too. Raises `FalseLink` for the first link, in order of
    lane and epoch, that does not lead to its anchor. The work is at most n hashes per lane.
    """

    def __init__(
        self, eid: bytes, seal: bytes, anchors: Iterable[Anchor], links: Mapping[tuple[int, int], bytes]
    ) -> None:
        self._eid = check_length(eid, EID_BYTES, "an encounter's id")
        self._keys = _EpochKeys(eid, check_length(seal, HASH_BYTES, "a seal"))
        by_lane = {anchor.lane: anchor for anchor in anchors}
        self._epochs = {lane: anchor.n for lane, anchor in by_lane.items()}
        self._links = {lane: {0: anchor.value} for lane, anchor in by_lane.items()}
        for (lane, epoch), link in sorted(links.items()):
            if lane not in by_lane or epoch > by_lane[lane].n:
                raise FalseLink(lane, epoch)
            known, proved = next(reversed(self._links[lane].items()))
            if not discloses(link, epoch, proved, known, eid, lane):
                raise FalseLink(lane, epoch)
            self._links[lane][epoch] = link

    def faces(self, lane: int, epoch: int, stream: str, place: int, sides: Sequence[int]) -> tuple[int, ...]:
        """Return the faces of the roll; raises `NotDisclosed`, and `DiceExhausted` beyond the last epoch."""
        return streams.faces(self._keys.key(lane, epoch, self.link), stream, place, sides)

    def link(self, lane: int, epoch: int) -> bytes:
        """Return C_epoch of *lane* from the next disclosed link; raises `NotDisclosed`, `DiceExhausted`."""
        if epoch > self._epochs.get(lane, epoch):
            # Deciding again must run out of dice exactly where the first decision did.
            raise DiceExhausted(lane, epoch, self._epochs[lane])
        links = self._links.get(lane, {})
        known = list(links)
        at = bisect_left(known, epoch)
        if epoch < 1 or at == len(known):
            raise NotDisclosed(lane, epoch)
        return walk(self._eid, lane, known[at], links[known[at]], epoch)


class _EpochKeys:
    """A cache of the last used epoch key of each lane; a key is derived at the epoch's first roll."""

    __slots__ = ("_current", "_eid", "_seal")

    def __init__(self, eid: bytes, seal: bytes) -> None:
        self._eid = eid
        self._seal = seal
        self._current: dict[int, tuple[int, bytes]] = {}

    def key(self, lane: int, epoch: int, link: Callable[[int, int], bytes]) -> bytes:
        """Return the key of *epoch* in *lane*; *link* provides C_epoch if the key is not cached."""
        current = self._current.get(lane)
        if current is None or current[0] != epoch:
            current = epoch, epoch_key(link(lane, epoch), self._seal, self._eid, lane, epoch)
            self._current[lane] = current
        return current[1]
