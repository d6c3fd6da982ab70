"""Measure single answers in a fight of thirty: a dash to a cell, what a seat may do, a movement planned.

What counts is the CPU of one command, or of one look at the options, in one process and without a store. Of
the options of ten creatures, all of them the gm's, the bytes count that the API answers without compression.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from time import process_time
from typing import Any, Final

from service.core import views
from service.core.decide import FoldedState, decide_request, unfolded
from service.rules.heartrush import HEARTRUSH
from service.rules.kernel.records import changed
from service.rules.rise import RISE
from service.rules.ruleset import Ruleset, legal
from service.stores.secrets import EncounterSecrets
from tests.bench import core, fights
from tests.bench.table import TURNS, Row, median, section
from tests.rules.rise.bot import BLADE
from tests.rules.rise.forty import SIDES, forty, next_step
from tests.support.recorded_fight import Record

AIM_MS: Final = 5.0
AIM_KB: Final = 15.0
PER_SIDE: Final = 15
NEAR: Final = [-2, 0]
FAR: Final = [-6, 0]
"""As far as a dash goes in a straight line, of sixty feet less what its bearer carries, or nearly so."""


@section("Single answers")
def rows(times: int = 4 * TURNS) -> list[Row | str]:
    """Measure each answer *times* times in turn and return the medians."""
    secrets, folded = _thirty()
    planning, acting = _in_phase("movement"), _in_phase("action")
    asked: dict[str, Callable[[], float]] = {
        "dash with `to`, two cells": lambda: _dashed(folded, secrets, {"to": NEAR}),
        "dash with `to`, six cells": lambda: _dashed(folded, secrets, {"to": FAR}),
        "dash by `path`, two cells": lambda: _dashed(folded, secrets, {"path": [[-1, 0], NEAR]}),
        "options of 30 creatures, one seat": lambda: _looked(HEARTRUSH, folded.state),
        "plan_movement among 30 creatures": _planned,
        "options of 30 creatures in Rise, movement phase, one seat": lambda: _looked(
            RISE, planning.folded.state
        ),
        "options of 30 creatures in Rise, action phase, one seat": lambda: _looked(RISE, acting.folded.state),
    }
    found: dict[str, list[float]] = {what: [] for what in asked}
    for _ in range(times):
        for what, ask in asked.items():
            found[what].append(ask())
    spent = [Row(what, median(each), "ms of CPU", AIM_MS, most=True) for what, each in found.items()]
    return [*spent, *_sizes()]


def _sizes() -> Iterator[Row]:
    """Yield how many bytes the options of ten creatures take, of five on each side."""
    for what, state in (
        ("Heart Rush", _heartrush_of_ten()),
        ("Rise, movement phase", _rise_of_ten("movement")),
        ("Rise, action phase", _rise_of_ten("action")),
    ):
        ruleset = HEARTRUSH if what == "Heart Rush" else RISE
        options = [
            {
                "prompt": views.prompt_data(awaited),
                "commands": [views.offer_data(ruleset, offer) for offer in offers],
            }
            for awaited, offers in legal(ruleset, state, "gm")
        ]
        answer = json.dumps({"version": 1, "seat": "gm", "options": options}, separators=(",", ":"))
        yield Row(f"options of ten creatures, {what}", len(answer) / 1_000, "KB", AIM_KB, most=True)


def _heartrush_of_ten() -> Any:
    """Return a fight of ten in which it is the players' turn."""
    secrets = EncounterSecrets.create(core.ENCOUNTER, epochs=64)
    folded: FoldedState[Any] = unfolded(core.ENCOUNTER, core.RULESET)
    for raw in core.opened(secrets, fights.opening(5, apart=6)):
        folded = decide_request(core.RULESET, folded, raw, folded.n + 1, secrets).folded
    return folded.state


def _rise_of_ten(phase: str) -> Any:
    """Return a fight of ten in one of its phases, where everybody may still move or act."""
    record: Record[Any] = Record(RISE, 1)
    creatures: list[dict[str, Any]] = [
        {
            "sheet": {"id": f"{side}-{i}", "name": side, "side": side, "hp_max": 10, "weapons": [BLADE]},
            "position": [2 * s, 2 * i],
        }
        for s, side in enumerate(("heroes", "orcs"))
        for i in range(5)
    ]
    opened = record.opening({"creatures": creatures, "seats": [], "declared_sides": []})
    sent: list[tuple[str, dict[str, Any]]] = [("open", opened), ("start_combat", {"start_phase": phase})]
    if phase == "action":
        sent += [("no_more_swift", {"creature": each["sheet"]["id"]}) for each in creatures]
    for type_, data in sent:
        assert record.send(type_, "gm", data) is None, type_
    return record.folded.state


def _thirty() -> tuple[EncounterSecrets, FoldedState[Any]]:
    """Return a fight of thirty in which it is the players' turn."""
    secrets = EncounterSecrets.create(core.ENCOUNTER, epochs=64)
    folded: FoldedState[Any] = unfolded(core.ENCOUNTER, core.RULESET)
    for raw in core.opened(secrets, fights.opening(PER_SIDE, apart=2)):
        folded = decide_request(core.RULESET, folded, raw, folded.n + 1, secrets).folded
    return secrets, folded


def _dashed(folded: FoldedState[Any], secrets: EncounterSecrets, where: dict[str, Any]) -> float:
    raw = core.request("dash", {"creature": "players-0", **where})
    began = process_time()
    written = decide_request(core.RULESET, folded, raw, folded.n + 1, secrets)
    spent = (process_time() - began) * 1_000
    assert b'"refusal"' not in written.raw, written.raw
    return spent


def _in_phase(phase: str) -> Record[Any]:
    """Return Rise's fight of thirty where the first movement is planned, or the first action is taken."""
    record: Record[Any] = Record(RISE, 1)
    assert record.send("open", "gm", record.opening(forty(SIDES[:3]))) is None
    awaited = {"movement": "plan_movement", "action": "strike"}[phase]
    while next_step(record.folded.state).type != awaited:
        assert record.send(*next_step(record.folded.state)) is None
    return record


def _planned() -> float:
    """Return the milliseconds of the first movement planned in a fight of thirty."""
    record = _in_phase("movement")
    step = next_step(record.folded.state)
    return _ms(lambda: record.send(*step))


def _looked(ruleset: Ruleset[Any], state: Any) -> float:
    """Return the milliseconds of a look at the options of a state of which nothing is cached yet."""
    new = changed(state, creatures=dict(state.creatures))
    return _ms(lambda: list(legal(ruleset, new, "gm")))


def _ms(do: Callable[[], object]) -> float:
    began = process_time()
    do()
    return (process_time() - began) * 1_000
