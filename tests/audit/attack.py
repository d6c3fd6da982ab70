"""Try to compute the dice of an open epoch from everything a live encounter shows, as a cheat would.

A fight of random moves stops in the middle of an epoch. Every 32 bytes that stand in what any seat is given
(hashes, anchors, links, salts, nonces, seals, commitments), and every hash and link made of them, are tried
as the link, the epoch key or the seed that the open epoch's dice come from. Rolls of many dice make a hit by
chance impossible.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from hashlib import sha256
from random import Random
from typing import Final

from service.audit.bundle import write
from service.audit.verify import verify
from service.dice.chain import Anchor, discloses, epoch_key, seal, step
from service.dice.stream import faces
from service.record.canonical import eid_of
from tests.audit.evidence_of import evidence_of
from tests.support.tiny_game import SHELF
from tests.support.tiny_table import Sitting, eid, player

READERS: Final = ("gm", "ada", "bo", "ivy")
DICE: Final = [1000] * 8
_HASH: Final = re.compile(rb"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")


def fight(seed: int) -> Sitting:
    """Return a fight in the middle of an epoch, in which dice of both lanes lie on the table."""
    random = Random(seed)
    sitting = Sitting(eid(seed + 1))
    sitting.open()
    sitting.do("open_seat", seat="ivy", role="auditor")
    for _ in range(random.randint(1, 4)):
        for _ in range(random.randint(1, 4)):
            _move(sitting, random)
        sitting.do("end_round")
    if random.random() < 0.3:
        sitting.do("advance_epoch", reason="a pause")
    sitting.do("roll_behind_screen", dice=DICE, what="luck")
    for _ in range(8):
        sitting.do("roll", sides=1000)
    return sitting


def _move(sitting: Sitting, random: Random) -> None:
    kind = random.choice(["roll", "add", "whisper", "choose", "screen", "wrong"])
    if kind == "roll":
        sitting.do("roll", sides=random.randint(2, 100))
    elif kind == "whisper":
        sitting.do("whisper", to=["ada"], note="psst")
    elif kind == "choose":
        sitting.do("choose", player("ada"), number=random.randint(1, 3))
    elif kind == "screen":
        sitting.do("roll_behind_screen", dice=[20], what="luck")
    else:
        sitting.do("add", amount=3 if kind == "add" else 12)


def shown(sitting: Sitting) -> dict[str, bytes]:
    """Return what each seat may have of the running fight: its bundle, and the audit's report."""
    evidence = evidence_of(sitting)
    report = verify(evidence, SHELF)
    assert report.verdict.is_sound, report.verdict
    return {seat: b"".join(write(evidence, seat)) + repr(report).encode() for seat in READERS}


def candidates(sitting: Sitting, told: bytes) -> Iterator[bytes]:
    """Yield every value that might be a link, a key or a seed: what stands there, and what is made of it."""
    id_ = eid_of(sitting.encounter)
    for text in dict.fromkeys(_HASH.findall(told)):
        value = bytes.fromhex(text.decode())
        yield value
        yield value[::-1]
        yield sha256(value).digest()
        for lane in (0, 1):
            for epoch in range(1, sitting.state.epoch + 2):
                yield step(id_, lane, epoch, value)


def found(sitting: Sitting, told: bytes) -> list[str]:
    """Return every way in which *told* gives away the dice of the open epoch: none, or they are broken."""
    id_, state = eid_of(sitting.encounter), sitting.state
    anchors = {lane.lane: Anchor(lane.lane, lane.n, bytes.fromhex(lane.anchor)) for lane in state.dice.lanes}
    sealed = seal(id_, anchors.values(), {})
    streams = {0: "table", 1: "gm/screen"}
    coming = {
        lane: sitting.secrets.dice_for(state).faces(lane, state.epoch, stream, 99, DICE)
        for lane, stream in streams.items()
    }
    hits = []
    for value in dict.fromkeys(candidates(sitting, told)):
        for lane, stream in streams.items():
            if discloses(value, state.epoch, anchors[lane].value, 0, id_, lane):
                hits.append(f"lane {lane}: the link of the open epoch {state.epoch}")
            keys = (value, epoch_key(value, sealed, id_, lane, state.epoch))
            if any(faces(key, stream, 99, DICE) == coming[lane] for key in keys):
                hits.append(f"lane {lane}: a key of the open epoch {state.epoch}")
    return hits


def attacked(seed: int) -> list[str]:
    """Return what any seat can compute of the open epoch in the fight of *seed*; a planted link is found."""
    sitting = fight(seed)
    result = shown(sitting)
    link = sitting.secrets.chains[0].link(sitting.state.epoch)
    planted = found(sitting, result["bo"] + json.dumps({"oops": link.hex()}).encode())
    assert len(planted) == 2, "the attack does not even find what is laid before it"
    return [f"{seat}: {hit}" for seat in READERS for hit in found(sitting, result[seat])]
