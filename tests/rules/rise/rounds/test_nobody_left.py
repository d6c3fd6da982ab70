"""Let phases go by in which a group has nobody left who can act: its worlds open and close in one commit."""

from __future__ import annotations

from typing import Any

from service.rules.rise import RISE
from service.rules.rise.creatures.state import State
from tests.rules.rise.kit import entry, opening
from tests.support.recorded_fight import Record


def opened(*entries: dict[str, Any]) -> Record[State]:
    """Return the record of a fight under the GM alone that has begun with its movement phase."""
    record = Record(RISE, 7)
    given = record.opening({**opening(*entries, declared_sides=[]), "seats": []})
    assert record.send("open", "gm", given) is None
    assert record.send("start_combat", "gm", {"start_phase": "movement"}) is None
    return record


def do(record: Record[State], type_: str, creature: str, **data: Any) -> None:
    """Send a command that must be accepted, and hold the record to the state that was decided."""
    seat = record.folded.state.controller(creature)
    refusal = record.send(type_, seat, {"creature": creature, **data})
    assert refusal is None, refusal
    assert record.folded_again() == record.folded.state


def test_RI_FATIG_2_the_last_who_can_act_falls_by_its_own_sprint() -> None:
    """Its group has nothing to commit and no turns: both are over within the commit of its plan."""
    record = opened(entry("pc@x/pia", (0, 0), fatigue_tolerance=0))
    for step in range(1, 6):
        do(record, "plan_movement", "pia", ability="sprint", path=[[step, 0]])
        if step < 5:
            do(record, "no_more_swift", "pia")
            do(record, "pass_turn", "pia")

    assert record.folded.state.creatures["pia"].down
    assert record.folded.state.stage == "idle"


def test_RI_FATIG_2_it_falls_beside_a_group_that_never_acts() -> None:
    """Things have a group too: a free deed, then a plan that fells the last who can act, end the round."""
    record = opened(
        entry("pc@x/pia", (0, 0), fatigue_tolerance=0, fatigue=4),
        entry("obj@y/rock", (5, 0)),
    )
    do(record, "manipulate_object", "pia", what="other")
    do(record, "plan_movement", "pia", ability="sprint", path=[[1, 0]])
    assert record.folded.state.creatures["pia"].down
