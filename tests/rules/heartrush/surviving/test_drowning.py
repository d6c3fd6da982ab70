"""Water over one's head, and time that hurts: breath is held by itself, and the clock burns and suffocates.

The book: a might check gives as many rounds of breath, each round, action and move takes one, and whoever has
none left suffocates; who is suddenly unable to breathe suffocates at once. Fire does 1d6 for each level at
the end of a round and loses a level.
"""

from typing import Any

import pytest

from service.rules.heartrush.creatures.character import Condition
from service.rules.heartrush.table.entries import carry
from service.rules.kernel.messages import Refused
from service.rules.table.carried import CarriedFrom
from tests.rules.heartrush.kit import Fight, begun, opened

LAKE: dict[str, Any] = {
    "terrain": {f"{x},0": "deep_water" for x in range(1, 6)},
    "scenery": {"water": {f"{x},0": {"submerged": True} for x in range(2, 6)}},
}
"""The shore is at 0,0; one can stand at 1,0, and from 2,0 on heads are under water."""
SWIMMER = {"pia": {"swim_speed": 60, "armor": "none"}}


def at_the_lake(pia: tuple[int, int] = (0, 0), *, begins: bool = True, **sheet: Any) -> Fight:
    """Return a fight with Pia at the lake and the orc far away."""
    make = begun if begins else opened
    return make({"pia": pia, "orc": (9, 9)}, sheets={"pia": {**SWIMMER["pia"], **sheet}}, **LAKE)


def put(fight: Fight, creature: str, to: tuple[int, int], *faces: int) -> Fight:
    """Let the GM put a creature somewhere, and throw *faces*."""
    effects = [{"kind": "move", "creature": creature, "to": list(to)}]
    return fight.do("gm_ruling", *faces, kind="effect", decision="so it is", effects=effects)


# --- under water ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("faces", "rounds"), [((6, 5), 11), ((2, 3), 5)])
def test_HR_BREATH_3_who_dashes_under_water_holds_its_breath(faces: tuple[int, int], rounds: int) -> None:
    """Heart d8 and might d8: their total is the rounds of air. HR-BREATH-1."""
    fight = at_the_lake().do("dash", *faces, creature="pia", to=[2, 0])
    assert fight["pia"].breath == rounds
    assert [event.creature for event in fight.logged("went_under")] == ["pia"]
    assert fight.logged("went_under")[-1].because == ("HR-BREATH-3",)


def test_HR_BREATH_3_where_one_can_stand_nobody_is_asked() -> None:
    fight = at_the_lake().do("dash", creature="pia", to=[1, 0])
    assert (fight["pia"].breath, fight["pia"].under_water) == (None, False)


def test_HR_BREATH_3_who_is_pushed_under_holds_its_breath_too() -> None:
    fight = at_the_lake((1, 0))
    effects = [{"kind": "push", "creature": "pia", "feet": 5, "direction": [1, 0]}]
    fight.do("gm_ruling", 6, 5, kind="effect", decision="shove", effects=effects)
    assert fight["pia"].breath == 11


@pytest.mark.parametrize("condition", ["stunned", "incapacitated"])
def test_HR_BREATH_3_who_cannot_hold_it_suffocates_at_once(condition: str) -> None:
    """The book's "unable to breathe". HR-BREATH-2."""
    fight = at_the_lake((1, 0)).given("pia", conditions={condition: Condition()})
    assert put(fight, "pia", (2, 0))["pia"].has("suffocating")


def test_HR_BREATH_3_the_unconscious_suffocate_at_once() -> None:
    fight = at_the_lake((1, 0)).given("pia", status="unconscious", hp=-1)
    assert put(fight, "pia", (2, 0))["pia"].has("suffocating")


def test_HR_BREATH_3_who_breathes_water_needs_no_breath() -> None:
    fight = at_the_lake(breathes_water=True).do("dash", creature="pia", to=[2, 0])
    assert (fight["pia"].breath, fight["pia"].under_water) == (None, True)


def test_HR_BREATH_3_who_held_it_before_the_dive_is_not_asked_again() -> None:
    """Eleven rounds, less one for the dash."""
    fight = at_the_lake((1, 0), begins=False).do("hold_breath", 6, 5, creature="pia")
    fight.do("dash", creature="pia", to=[2, 0])
    assert fight["pia"].breath == 10
    assert len(fight.logged("breath_asked")) == 1


def test_HR_BREATH_3_who_comes_up_breathes_by_itself() -> None:
    fight = put(at_the_lake((1, 0)), "pia", (2, 0), 6, 5)
    put(fight, "pia", (1, 0))
    assert (fight["pia"].breath, fight["pia"].under_water) == (None, False)


def test_HR_BREATH_3_who_suffocates_and_comes_up_suffocates_no_more() -> None:
    fight = at_the_lake((1, 0)).given("pia", conditions={"stunned": Condition()})
    put(fight, "pia", (2, 0))
    assert not put(fight, "pia", (1, 0))["pia"].has("suffocating")


def test_HR_BREATH_3_what_the_gm_lets_breathe_under_water_is_not_asked_again() -> None:
    fight = put(at_the_lake((1, 0), begins=False), "pia", (2, 0), 6, 5)
    assert fight.send("breathe", "gm", creature="pia").refusal is None
    put(fight, "pia", (3, 0))
    assert fight["pia"].breath is None
    assert len(fight.logged("breath_asked")) == 1


def test_HR_BREATH_3_who_begins_under_water_is_asked_at_once() -> None:
    fight = at_the_lake((2, 0), begins=False).throw(6, 5)
    assert fight["pia"].breath == 11


def test_HR_BREATH_3_when_the_water_goes_everybody_breathes() -> None:
    fight = put(at_the_lake((1, 0)), "pia", (2, 0), 6, 5)
    effects = [{"kind": "scenery", "cells": [[2, 0]], "water": {"stands_from": "minuscule"}}]
    fight.do("gm_ruling", kind="environment", decision="the dam breaks", effects=effects)
    assert fight["pia"].breath is None


# --- time that hurts -----------------------------------------------------------------------------------


def test_HR_COND_28_the_clock_takes_breath_and_then_hurts() -> None:
    """Three rounds of air, then two of suffocation: 4 and 2 of 30 seconds."""
    fight = put(at_the_lake((1, 0), begins=False), "pia", (2, 0), 2, 3).given("pia", breath=3)
    fight.do("advance_clock", 4, seconds=30).answer("accept_damage", "pia").throw(2)
    fight.answer("accept_damage", "pia")
    assert (fight["pia"].hp, fight.state.clock_s) == (34, 30)
    assert [event.left for event in fight.logged("breath_spent")] == [2, 1, 0]
    assert [event.seconds for event in fight.logged("clock_advanced")] == [6, 6, 6, 6, 6]


def test_HR_COND_28_fire_burns_down_with_the_clock() -> None:
    """Burning 2: 2d6, then 1d6, then it is out; the rest of the minute passes at once. HR-COND-19."""
    fight = opened({"pia": (0, 0), "orc": (9, 9)}).given("pia", conditions={"burning": Condition(level=2)})
    fight.do("advance_clock", 3, 4, minutes=1).answer("accept_damage", "pia").throw(5)
    fight.answer("accept_damage", "pia")
    assert (fight["pia"].hp, fight["pia"].conditions, fight.state.clock_s) == (28, {}, 60)
    assert [event.seconds for event in fight.logged("clock_advanced")] == [6, 6, 48]


@pytest.mark.parametrize(("seconds", "hurts"), [(5, False), (6, True)])
def test_HR_COND_28_less_than_a_rounds_time_hurts_nobody(seconds: int, hurts: bool) -> None:  # noqa: FBT001 - a row
    fight = opened({"pia": (0, 0), "orc": (9, 9)}).given("pia", conditions={"burning": Condition(level=1)})
    fight.do("advance_clock", *(4,) * hurts, seconds=seconds)
    assert bool(fight.logged("damage_pending")) == hurts
    if not hurts:
        assert (fight["pia"].level("burning"), fight.state.clock_s) == (1, 5)


def test_HR_COND_28_deep_water_puts_a_fire_out() -> None:
    fight = at_the_lake((1, 0), begins=False).given("pia", conditions={"burning": Condition(level=3)})
    fight.do("advance_clock", minutes=1)
    assert (fight["pia"].hp, fight["pia"].conditions) == (40, {})


def test_HR_COND_28_who_dies_of_it_is_hurt_no_more() -> None:
    fight = put(at_the_lake((1, 0), begins=False), "pia", (2, 0), 2, 3)
    fight.given("pia", hp=-38, breath=None, conditions={"suffocating": Condition()})
    fight.do("advance_clock", 4, hours=1).answer("accept_damage", "pia")
    assert (fight["pia"].status, fight.state.clock_s) == ("dead", 3600)


def test_HR_COND_28_in_combat_the_rounds_count_and_the_clock_hurts_nobody() -> None:
    fight = begun({"pia": (0, 0), "orc": (9, 9)}).given("pia", conditions={"burning": Condition(level=2)})
    fight.do("advance_clock", minutes=1)
    assert (fight["pia"].hp, fight["pia"].level("burning")) == (40, 2)


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"conditions": {"burning": Condition(level=1)}}, "in_peril"),
        ({"conditions": {"suffocating": Condition()}}, "in_peril"),
        ({"breath": 4}, "in_peril"),
        ({"conditions": {"dazed": Condition(level=1)}}, None),
    ],
)
def test_HR_COND_28_nobody_rests_or_is_carried_in_peril(changes: dict[str, Any], code: str | None) -> None:
    """HR-CARRY-1."""
    fight = opened({"pia": (0, 0), "orc": (9, 9)}).given("pia", **changes)
    source = CarriedFrom(encounter="00" * 16, n=1, hash="00" * 32)
    if code is None:
        assert carry(fight.state, "pia", source).character.sheet.id == "pia"
        fight.do("rest", rest="short")
        return
    assert fight.refused("rest", rest="short") == code
    assert fight.refused("rest", rest="short", creatures=["orc"]) == code, "time passes for all"
    assert all(offer.type != "rest" for offer in fight.offers("gm"))
    with pytest.raises(Refused, match="pia"):
        carry(fight.state, "pia", source)
