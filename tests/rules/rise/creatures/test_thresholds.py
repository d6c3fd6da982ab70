"""What play shows of GM-only numbers in Rise: on which side of a threshold they lie, and nothing else."""

from __future__ import annotations

import json
from typing import Any

import pytest

from service.core import views
from service.rules.kernel.codec import from_data
from service.rules.kernel.messages import Private
from service.rules.kernel.sealed import view
from service.rules.rise.table.opening import Opening, faults
from tests.rules.rise.kit import Fight, entry, opened, opening

STING = {
    "id": "sting",
    "strike": {"versus": ["armor"], "flat": 6},
    "on_loss": [{"does": "gain", "condition": "poisoned", "until": "brief"}],
}
TIRE = {"id": "tire", "range_ft": 60, "effects": [{"does": "damage", "amount": 5, "sort": "subdual"}]}


def told(fight: Fight) -> str:
    """Return the state that the hero's player reads, and every public event."""
    events = [event for event in fight.events if not isinstance(event, Private)]
    seen = views.state_data(fight.state, "seat-p")
    return json.dumps([seen, [view(e, "seat-p").type for e in events]], default=str, sort_keys=True)


def against(gm_only: dict[str, Any], ability: str, start: dict[str, Any] | None = None) -> Fight:
    """Return a fight after a round in which the hero used an ability on an ogre with GM-only fields."""
    ogre = {**entry("mon@m/ogre", (1, 0), **gm_only, **(start or {})), "gm_only": list(gm_only)}
    fight = opened(
        entry("pc@p/p", (0, 0), abilities=[STING, TIRE]), ogre, options={"exertion_prompt": "never"}
    )
    fight.do("start_combat", start_phase="action").do("no_more_swift", "ogre")
    fight.do("use_ability", "p", ability=ability, targets=["ogre"])
    fight.throw(*([9] if ability == "sting" else []))
    return fight.do("end_turn", "p").rest()


def resisting(dr: int) -> str:
    return told(against({"dr_max": dr, "hp_max": 60}, "sting"))


def test_RI_DMG_5_what_follows_a_loss_tells_a_threshold_and_no_more() -> None:
    """It tells whether resistance stopped all of the damage, not how much there is."""
    assert resisting(2) == resisting(5)
    assert resisting(6) == resisting(40)
    assert resisting(5) != resisting(6)


def test_RI_ORDER_4_how_far_below_zero_it_fell_shows_nowhere() -> None:
    """Subdual damage of 5 fells an ogre with 4 hit points as it does one with 5."""
    left, right = (told(against({"hp_max": hp}, "tire")) for hp in (4, 5))
    assert left == right
    assert left != told(against({"hp_max": 6}, "tire"))


@pytest.mark.parametrize(("initiative", "refused"), [("speed", True), ("dexterity", False)])
def test_RI_INIT_1_speeds_are_not_gm_only_where_initiative_rolls_tell_them(
    initiative: str, *, refused: bool
) -> None:
    ogre = {**entry("mon@m/ogre", (1, 0), speeds={"land": 40}), "gm_only": ["speeds"]}
    data = opening(entry("pc@p/p", (0, 0)), ogre, options={"initiative": initiative})
    found = [pointer for pointer, _ in faults(from_data(Opening, data))]
    assert found == (["/creatures/1/gm_only/0"] if refused else [])


def blocked(speed: int) -> tuple[int, int]:
    """Return where a hero stops that an ogre of this GM-only speed blocks."""
    ogre = {**entry("mon@m/ogre", (2, 1), speeds={"land": speed}), "gm_only": ["speeds"]}
    fight = opened(entry("pc@p/p", (0, 0)), ogre, options={"exertion_prompt": "never"})
    fight.do("start_combat", start_phase="movement")
    fight.do("plan_movement", "p", path=[[1, 0], [2, 0], [3, 0], [4, 0]])
    fight.do("plan_movement", "ogre", ability="block", targets=["p"])
    return fight.throw(9, 1)["p"].position


def test_RI_REAC_4_where_it_stops_whom_it_blocks_tells_a_threshold_of_its_speed() -> None:
    assert blocked(10) == blocked(20)
    assert blocked(40) == blocked(60)
    assert blocked(20) != blocked(40)
