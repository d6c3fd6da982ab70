"""Commit to all dice of a lane with one hash, and disclose them epoch by epoch.

A lane is a hash chain C_0 .. C_N: the last link is its secret seed, each earlier one the hash of the next
(the idea is TESLA's, RFC 4082). C_0, the anchor, is published before anything is rolled. The dice of epoch e
derive from C_e, which is disclosed when the epoch closes.

Laws. Anybody can compute the earlier links from a disclosed one, and nobody a later one, so links are
disclosed in order. Epochs count from 1, because C_0 is public and so would be a key derived from it. No
message and no repr contains a seed.
"""

import hmac
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
from types import MappingProxyType
from typing import Final

from service.dice.encoding import EID_BYTES, HASH_BYTES, check_id, check_length, hkdf, label, lp
from service.dice.errors import BadParameter, DiceError

OPEN_LANE: Final = 0
"""The lane of rolls that everybody sees by the end of their round."""

SEALED_LANE: Final = 1
"""The lane of rolls that may stay sealed beyond their round: a hidden creature's, the GM's own."""

LANES: Final = (OPEN_LANE, SEALED_LANE)

DEFAULT_EPOCHS: Final = 4096
MAX_EPOCHS: Final = 65_536

_MARKS: Final = (2, 4, 6)
"""How often n is halved for the index of a mark: of 4,096 links, those at 1,024, 256 and 64 are marks."""

_NONE: Final[Mapping[int, bytes]] = MappingProxyType({})

_CHAIN: Final = label("chain")
_SEAT: Final = label("seat")
_SEAL: Final = label("seal")
_KEY: Final = label("key")
_ENVELOPE: Final = label("envelope")
_CHOICE: Final = label("choice")


class DiceExhausted(DiceError):
    """The epoch is beyond the last link: the lane has no more dice, and a chain is never renewed."""

    code = "dice_exhausted"

    def __init__(self, lane: int, epoch: int, n: int) -> None:
        super().__init__(f"lane {lane} has dice for {n} epochs, not for epoch {epoch}")
        self.lane = lane
        self.epoch = epoch
        self.n = n


@dataclass(frozen=True, slots=True)
class Anchor:
    """A lane as commit 1 publishes it: its number of epochs *n*, and C_0 as *value*.

    Raises `BadParameter` for a lane, a number or a length outside the format.
    """

    lane: int
    n: int
    value: bytes

    def __post_init__(self) -> None:
        _check_lane(self.lane)
        _check_epochs(self.n)
        check_length(self.value, HASH_BYTES, "an anchor")


class Chain:
    """The hash chain of one lane, computed from its seed.

    On the way down to a link, those half-way to it are stored, so the links of successive epochs take a few
    hashes each. The *n* hashes of the anchor are computed when it is first needed, unless it is in *marks*:
    links by index, the anchor's at 0, as `marks` of the same chain returned them.
    Raises `BadParameter` for a seed, eid, lane or n outside the format.
    """

    __slots__ = ("_marks", "_passed", "eid", "lane", "n")

    def __init__(
        self, seed: bytes, eid: bytes, lane: int, n: int = DEFAULT_EPOCHS, marks: Mapping[int, bytes] = _NONE
    ) -> None:
        self.eid = check_length(eid, EID_BYTES, "an encounter's id")
        self.lane = _check_lane(lane)
        self.n = _check_epochs(n)
        self._marks = marks
        self._passed = {n: check_length(seed, HASH_BYTES, "a seed"), **marks}

    @property
    def anchor(self) -> Anchor:
        """The lane as commit 1 publishes it."""
        return Anchor(self.lane, self.n, self.marks[0])

    @property
    def marks(self) -> Mapping[int, bytes]:
        """The anchor, by index 0, and a few secret links, from which early ones are soon computed."""
        if not self._marks:
            self._down_to(0)
            self._marks = {i: self._passed[i] for i in (0, *(self.n >> halvings for halvings in _MARKS))}
        return self._marks

    def link(self, i: int) -> bytes:
        """Return C_i for an epoch *i* from 1 to n; raises `DiceExhausted` above, `BadParameter` below."""
        if i > self.n:
            raise DiceExhausted(self.lane, i, self.n)
        if i < 1:
            raise BadParameter(f"epochs count from 1, so {i} has no link")
        return self._passed[i] if i in self._passed else self._down_to(i)

    def _down_to(self, i: int) -> bytes:
        """Return C_i, and store the links half-way to it; those below it are forgotten: epochs count up."""
        kept = {self.n, *self._marks}
        passed = {k: link for k, link in self._passed.items() if k >= i or k in kept}
        above = min(k for k in passed if k >= i)
        while above > i:
            middle = i + (above - i) // 2
            passed[middle] = walk(self.eid, self.lane, above, passed[above], middle)
            above = middle
        self._passed = passed
        return passed[i]


def step(eid: bytes, lane: int, i: int, later: bytes) -> bytes:
    """Return C_{i-1}, computed from C_i, *later*."""
    return walk(eid, lane, i, later, i - 1)


def walk(eid: bytes, lane: int, i: int, later: bytes, j: int) -> bytes:
    """Return C_j, computed from C_i, *later*, with i - j hashes; j must not exceed i."""
    opening = sha256(_CHAIN + eid + lane.to_bytes(1, "big"))
    for k in range(i, j, -1):
        hashed = opening.copy()
        hashed.update(k.to_bytes(4, "big") + later)
        later = hashed.digest()
    return later


def discloses(later: bytes, i: int, earlier: bytes, j: int, eid: bytes, lane: int) -> bool:
    """Return whether *later* as C_i hashes down to *earlier* as C_j; False for malformed input.

    The caller must bound *i* by the chain's n, because the work is i - j hashes.
    """
    if not 0 <= j < i <= MAX_EPOCHS or len(later) != HASH_BYTES:
        return False
    return hmac.compare_digest(walk(eid, lane, i, later, j), earlier)


def seat_commitment(eid: bytes, seat: str, seed: bytes) -> bytes:
    """Return the commitment that *seat* publishes before any seed is revealed; raises `BadParameter`."""
    check_length(eid, EID_BYTES, "an encounter's id")
    return sha256(_SEAT + eid + _seat_and_seed(seat, seed)).digest()


def seal(eid: bytes, lanes: Iterable[Anchor], seats: Mapping[str, bytes]) -> bytes:
    """Return T, the salt of every epoch key: a hash of all anchors by lane and all seats' seeds by id.

    Raises `BadParameter` for a lane given twice, or a seat or seed outside the format.
    """
    check_length(eid, EID_BYTES, "an encounter's id")
    anchors = sorted(lanes, key=lambda anchor: anchor.lane)
    if any(one.lane == next_.lane for one, next_ in pairwise(anchors)):
        raise BadParameter("a lane has two anchors")
    hashed = [_SEAL, eid, len(anchors).to_bytes(1, "big")]
    hashed += [a.lane.to_bytes(1, "big") + a.n.to_bytes(4, "big") + a.value for a in anchors]
    hashed += [len(seats).to_bytes(2, "big")]
    hashed += [_seat_and_seed(seat, seats[seat]) for seat in sorted(seats)]
    return sha256(b"".join(hashed)).digest()


def epoch_key(link: bytes, seal: bytes, eid: bytes, lane: int, epoch: int) -> bytes:
    """Return D_e, the key of all rolls of *epoch* in *lane*, derived from its *link* C_e."""
    info = _KEY + eid + lane.to_bytes(1, "big") + epoch.to_bytes(4, "big")
    return hkdf(salt=seal, ikm=link, info=info)


def envelope_commitment(eid: bytes, salt: bytes, payload: bytes) -> bytes:
    """Return the commitment to a sealed *payload* (canonical JSON) in a commit; raises `BadParameter`."""
    check_length(eid, EID_BYTES, "an encounter's id")
    check_length(salt, HASH_BYTES, "an envelope's salt")
    return sha256(_ENVELOPE + eid + salt + payload).digest()


def choice_commitment(eid: bytes, seat: str, prompt: str, salt: bytes, choice: bytes) -> bytes:
    """Return the commitment of *seat* to a *choice* (canonical JSON) at *prompt*; raises `BadParameter`."""
    check_length(eid, EID_BYTES, "an encounter's id")
    check_length(salt, HASH_BYTES, "a choice's salt")
    where = lp(check_id(seat).encode("ascii")) + lp(prompt.encode())
    return sha256(_CHOICE + eid + where + salt + choice).digest()


def _seat_and_seed(seat: str, seed: bytes) -> bytes:
    return lp(check_id(seat).encode("ascii")) + check_length(seed, HASH_BYTES, "a seat's seed")


def _check_lane(lane: int) -> int:
    if lane not in LANES:
        raise BadParameter(f"there is no lane {lane}")
    return lane


def _check_epochs(n: int) -> int:
    if not 1 <= n <= MAX_EPOCHS:
        raise BadParameter(f"a lane has 1 to {MAX_EPOCHS} epochs, not {n}")
    return n
