"""Several fights in one encounter, with rests and the clock between them (HR-SVC-7)."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from service.rules.heartrush.creatures.state import State
from service.rules.kernel.messages import Event, Fact, Private
from tests.rules.heartrush.kit import Fight, begun
from tests.rules.heartrush.plays import staged
from tests.rules.heartrush.scenes import SCENES

PLACES = {"pia": (0, 0), "ash": (2, 0), "orc": (9, 0)}
SHOUT = {
    "id": "shout",
    "name": "Shout",
    "tags": ["minor", "priority"],
    "effects": [{"kind": "do", "effect": {"kind": "heal", "creature": "self", "amount": 1}}],
}
VOW = {**SHOUT, "id": "vow", "name": "Vow", "tags": ["major", "priority"]}
KNOWN = {"abilities": ["shout", "vow"]}


def first_fight(**options: object) -> Fight:
    fight = begun(PLACES, sheets={"pia": KNOWN}, abilities=[SHOUT, VOW], options=options)
    fight.given("pia", rush=2)
    fight.do("use_ability", creature="pia", ability="shout").do("pass_side", side="enemies")
    fight.do("use_ability", creature="pia", ability="vow")
    return fight


def again(fight: Fight) -> Fight:
    return fight.do("begin_combat", unaware_side="enemies").do("grant_priority")


def test_HR_SVC_7_what_counts_for_a_fight_starts_anew() -> None:
    fight = first_fight()
    assert dict(fight["pia"].uses) == {"shout": 1}
    fight.do("end_combat")
    again(fight)
    pia = fight["pia"]
    assert (dict(pia.uses), pia.rush, pia.rounds_active, pia.action) == ({}, 1, (), 1)
    assert fight.refused("use_ability", creature="pia", ability="vow") == "frequency_exhausted"
    assert (fight.state.round, fight.state.rounds_before, fight.state.passes) == (2, 1, 0)
    assert fight.state.priority_side == "players"


def test_HR_SVC_7_a_night_between_two_fights_is_on_the_record() -> None:
    fight = first_fight().do("end_combat")
    inn = {"shelter": "structure", "bedding": "bed", "warmth": "comfortable"}
    fight.do("rest", rest="long", night=inn).do("advance_clock", hours=16)
    again(fight).do("use_ability", creature="pia", ability="vow")
    assert fight["pia"].spent == ("vow",)
    assert [event.type for event in fight.events].count("combat_began") == 2


@pytest.mark.parametrize(("formula", "gain"), [("round_number", 2), ("active_rounds", 0)])
def test_HR_RUSH_2_rush_counts_the_rounds_of_this_fight(formula: str, gain: int) -> None:
    fight = first_fight(rush_formula=formula).do("end_combat")
    again(fight)
    for side in ("players", "enemies", "players"):
        fight.do("pass_side", side=side)
    assert fight.state.round == 3
    assert fight.logged("rush_gained")[-1].gains.get("pia", 0) == gain


def test_HR_SVC_7_nobody_begins_a_fight_that_is_decided() -> None:
    fight = begun(PLACES)
    assert fight.refused("begin_combat") == "in_combat"
    fight.do("end_combat").given("orc", status="dead", hp=-35)
    assert fight.refused("begin_combat") == "side_empty"
    assert "begin_combat" not in {offer.type for offer in fight.offers("gm")}
    fight.do("add_creature", entry={"stat_block": "orc", "id": "late", "side": "enemies", "position": [5, 5]})
    assert "begin_combat" in {offer.type for offer in fight.offers("gm")}
    again(fight)
    assert fight["late"].action == 1


def test_HR_SVC_7_turns_are_rolled_for_again() -> None:
    fight = begun({"pia": (0, 0), "orc": (9, 0)}, options={"timing": "turns"}, turn_order=["pia", "orc"])
    fight.do("end_combat").do("begin_combat", unaware_side="enemies")
    orders = [fight.state.turn_order, fight.do("grant_priority").state.turn_order]
    assert orders == [(), ("pia", "orc")]


def test_HR_SVC_7_travellers_meet_fire_water_and_ledges_in_their_fights_and_between() -> None:
    """HR-COND-28, HR-BREATH-3, HR-FALL-1: random campaigns of three fights with rests between."""
    (travellers,) = [scene for scene in SCENES if scene.name == "travellers"]
    played = [moments(staged(travellers, seed, budget=300).play().facts) for seed in range(6)]
    met = set().union(*played)
    assert max(happened.count(("fighting", "combat_began")) for happened in played) == travellers.fights
    for hazard in ("fell", "went_under", "breath_spent"):
        assert {("between", hazard), ("fighting", hazard)} <= met
    assert {("between", "time_harmed"), ("between", "rested"), ("fighting", "round_ending")} <= met


def moments(facts: Iterable[Fact[State]]) -> list[tuple[str, str]]:
    """Return the types of events of *facts*, each with whether it was in a fight or between fights."""
    happened, when = [], "between"
    for fact in facts:
        event = fact.event if isinstance(fact, Private) else fact
        if isinstance(event, Event):
            when = {"combat_began": "fighting", "combat_ended": "between"}.get(event.type, when)
            happened.append((when, event.type))
    return happened
