"""Built-in actions are declared before they happen, and may be answered in between (HR-GEN-2, HR-TIME-4)."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.heartrush.timing.windows import DeedFrame
from service.rules.kernel.records import Sealed
from tests.rules.heartrush.casts import ability, declare, do, fight_with, owners

SLAY = ability(
    "slay", "heart", "instant", trigger=["ability_declared"], effects=[do("die", creature="declarer")]
)
DECLARED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("engage", {"target": "wolf"}),
    ("dash", {"path": [[0, -1], [0, -2]]}),
    ("sidestep", {"to": [0, -1], "pay": "action"}),
    ("help", {"target": "ash"}),
    ("call_out", {"words": "Hold!"}),
    ("object", {"verb": "handle", "item": "a door"}),
)
DONE = {
    "engage": "engagement_declared",
    "dash": "moved",
    "sidestep": "moved",
    "help": "help_given",
    "call_out": "called_out",
    "object": "object_handled",
}


def fight_of(**owned: tuple[str, ...]) -> Any:
    return fight_with({"pia": (0, 0), "ash": (0, 1), "wolf": (1, 0)}, owners(**owned), abilities=[SLAY])


@pytest.mark.parametrize(("name", "data"), DECLARED)
def test_HR_GEN_2_what_is_declared_may_be_answered_and_then_happens(name: str, data: dict[str, Any]) -> None:
    fight = fight_of(wolf=("slay",))
    fight.do(name, creature="pia", **data)

    assert [e.trigger for e in fight.logged("window_opened")] == ["ability_declared"]
    assert fight.logged(DONE[name]) == []
    assert fight.logged("ability_used")[-1].ability == name
    fight.answer("pass_window", "wolf")

    [done] = fight.logged(DONE[name])
    assert done.because
    assert len(fight.logged("deed_begun")) == 1


@pytest.mark.parametrize(("name", "data"), DECLARED)
def test_HR_GEN_2_what_finds_nobody_to_do_it_is_in_vain_and_stays_paid(
    name: str, data: dict[str, Any]
) -> None:
    fight = fight_of(wolf=("slay",))
    fight.do(name, creature="pia", **data)
    declare(fight, "wolf", "slay")

    assert fight["pia"].status == "dead"
    assert [e.reason for e in fight.logged("deed_in_vain")] == ["pia can do nothing"]
    assert fight.logged(DONE[name]) == []
    assert fight.logged("ability_used")[0].ability == name


@pytest.mark.parametrize(("name", "data"), DECLARED)
def test_HR_GEN_2_where_nobody_could_answer_it_happens_at_once(name: str, data: dict[str, Any]) -> None:
    fight = fight_of()
    fight.do(name, creature="pia", **data)

    assert fight.logged("deed_declared") == []
    assert len(fight.logged(DONE[name])) == 1


def test_HR_SVC_2_where_a_declared_dash_leads_is_its_seats_alone() -> None:
    fight = fight_of(wolf=("slay",))
    fight.do("dash", creature="pia", path=[[0, -1], [0, -2]])

    [public] = fight.logged("deed_declared")
    assert "path" not in vars(public)

    frame = fight.state.stacks.find("r1/dash/pia/free")
    assert isinstance(frame, DeedFrame)
    assert isinstance(frame.said, Sealed)
    assert frame.said.audience == (f"seat:{fight.state.controller('pia')}",)
