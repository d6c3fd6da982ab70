"""Give whole encounters as a log dumps them: drawn ids and times, a key of the client's for each command."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any
from uuid import UUID

from service.core.decide import DecidedCommit
from service.log.keys import key_field
from service.log.values import Payload, StoredEncounter
from service.record.canonical import commit_hash
from service.record.commit import load_request
from service.record.fingerprint import command_fingerprint
from service.record.frontier import Frontier
from service.record.timestamps import timestamp_of
from tests.rules.heartrush.recorded import Recorded as HeartrushFight
from tests.rules.rise.campaign import Recorded as RiseFight
from tests.support.recorded_fight import Record

BEGAN_S = 1_767_322_984


def heartrush(seed: int, budget: int) -> StoredEncounter:
    """Return a random fight of Heart Rush."""
    return fought(HeartrushFight(seed, many=4, budget=budget), seed)


def rise(seed: int, budget: int) -> StoredEncounter:
    """Return a random fight of Rise."""
    return fought(RiseFight(seed, many=4, budget=budget), seed)


def fought(fight: Any, seed: int) -> StoredEncounter:
    """Return the record of *fight*, which is played now."""
    fight.record.stamp = stamps(seed)
    fight.play()
    return dumped(fight.record, seed)


def stamps(seed: int) -> Callable[[int], tuple[str, str]]:
    """Return what draws the time and the nonce of each request."""
    chance, at = Random(f"stamps {seed}"), [float(BEGAN_S)]

    def stamp(_n: int) -> tuple[str, str]:
        at[0] += chance.expovariate(1 / 9)
        return timestamp_of(at[0]), chance.randbytes(16).hex()

    return stamp


def dumped(record: Record[Any], seed: int) -> StoredEncounter:
    """Return *record* as a log dumps it."""
    return whole(record.folded.encounter, record.requests, record.written, seed)


def whole(
    encounter: str, requests: Sequence[bytes], written: Sequence[DecidedCommit[Any]], seed: int = 0
) -> StoredEncounter:
    """Return an encounter whose commands came one by one, each with a key of its client's."""
    chance, frontier = Random(f"keys {seed}"), Frontier()
    for each in written:
        frontier = frontier.append(commit_hash(each.raw))
    keys = {}
    for n, raw in enumerate(requests, 1):
        asked = load_request(raw)
        key = str(UUID(bytes=chance.randbytes(16), version=4))
        print_ = command_fingerprint(encounter, asked.type, asked.data)
        keys[key_field(f"seat:{asked.actor.seat}", key)] = f"{n} {print_}"
    return StoredEncounter(
        encounter=encounter,
        hash=written[-1].hash,
        frontier=frontier.to_bytes(),
        commands=list(requests),
        commits=[each.raw for each in written],
        sealed=[Payload(each.n, index, lies.stored) for each in written for index, lies in each.sealed],
        keys=keys,
        marks={},
        derived={},
    )
