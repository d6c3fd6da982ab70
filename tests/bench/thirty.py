"""Measure one engagement of thirty: everybody joins in might, and the last word resolves every attack.

What counts is the CPU of the command that resolves the step: fifteen contests at once, or thirty attacks on
others than the attacker's own; the aim is 30 ms. Dice and bytes are the service's own.
"""

from __future__ import annotations

from collections.abc import Iterator
from time import process_time
from typing import Any, Final

from service.core.decide import DecidedCommit, FoldedState, decide_request, unfolded
from service.stores.secrets import EncounterSecrets
from tests.bench import core, fights
from tests.bench.table import TURNS, Row, median, section

PER_SIDE: Final = 15
AIM_MS: Final = 30.0
BOW: Final = {"id": "bow", "size_class": "heavy", "attack_type": "ranged", "damage_type": "piercing"}
"""Its range of 60 ft takes in whoever stands one row on."""


def script(*, contested: bool) -> Iterator[fights.Command]:
    """Yield one engagement of all in might: each pair against each other, or everybody against the next."""
    players = [f"players-{i}" for i in range(PER_SIDE)]
    enemies = [f"enemies-{i}" for i in range(PER_SIDE)]
    everybody = [name for pair in zip(players, enemies, strict=True) for name in pair]
    path = "r1/e1"
    yield {"type": "engage", "creature": "players-0", "target": "enemies-0"}
    for name in everybody[2:]:
        yield {"type": "join_engagement", "creature": name, "prompt": f"{path}/join/{name}"}
    for name in everybody:
        prompt = f"{path}/stance/{name}"
        yield {"type": "choose_stance", "creature": name, "stance": "might", "prompt": prompt}
    for name in everybody:
        target = _target(name, contested=contested)
        prompt = f"{path}/might/{name}"
        yield {"type": "declare_attack", "creature": name, "target": target, "prompt": prompt}


def _target(name: str, *, contested: bool) -> str:
    """Return whom *name* attacks: whoever faces it, or for enemies the player after that one."""
    side, _, place = name.partition("-")
    if side == "players":
        return f"enemies-{place}"
    return f"players-{(int(place) + (0 if contested else 1)) % PER_SIDE}"


def last_command(*, contested: bool) -> tuple[float, DecidedCommit[Any]]:
    """Return the milliseconds of CPU of the command that resolves the engagement, and what it wrote."""
    secrets = EncounterSecrets.create(core.ENCOUNTER, epochs=64)
    folded: FoldedState[Any] = unfolded(core.ENCOUNTER, core.RULESET)
    opening = fights.opening(PER_SIDE)
    for entry in opening["creatures"]:
        entry["sheet"]["weapons"] = [BOW]
    requests = [*core.opened(secrets, opening), *map(_request, script(contested=contested))]
    for raw in requests[:-1]:
        folded = _decided(folded, raw, secrets).folded
    began = process_time()
    written = _decided(folded, requests[-1], secrets)
    return (process_time() - began) * 1_000, written


def _request(command: fights.Command) -> bytes:
    data = dict(command)
    return core.request(data.pop("type"), data)


def _decided(folded: FoldedState[Any], raw: bytes, secrets: EncounterSecrets) -> DecidedCommit[Any]:
    written = decide_request(core.RULESET, folded, raw, folded.n + 1, secrets)
    assert b'"refusal"' not in written.raw, written.raw
    return written


@section("Thirty creatures")
def rows(times: int = TURNS) -> list[Row | str]:
    """Measure both engagements *times* times and return the medians."""
    found: list[Row | str] = []
    for contested, what in ((True, "15 contests"), (False, "30 attacks")):
        spent = [last_command(contested=contested)[0] for _ in range(times)]
        found.append(Row(f"engagement of 30, {what}", median(spent), "ms of CPU", AIM_MS, most=True))
    return found
