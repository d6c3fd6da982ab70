"""What begins with a moment ends with it, and what was derived is derived again when its cause changes."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.heartrush.creatures.character import Condition
from service.rules.heartrush.table.entries import carry
from service.rules.kernel.codec import to_data
from service.rules.table.carried import CarriedFrom
from tests.rules.heartrush.kit import Fight, begun, opened, sheet

# --- a lost time to strike -----------------------------------------------------------------------------


@pytest.mark.parametrize(("house", "contested"), [("sequential", False), ("batch", True)])
def test_HR_STANCE_AGI_5_an_attack_whose_time_is_over_meets_nobody(house: str, *, contested: bool) -> None:
    """The wolf steps out of reach and cannot attack; Pia steps after it, and it can only defend."""
    fight = begun({"pia": (0, 0), "wolf": (1, 0)}, options={"agility_2b": house})
    fight.do("engage", creature="pia", target="wolf").joined_by().stances(pia="agility", wolf="agility")
    fight.answer("declare_agility", "pia", order="move_first", target="wolf")
    fight.answer("declare_agility", "wolf", order="move_first", target="pia")
    fight.answer("sidestep", "wolf", to=[2, 0]).answer("sidestep", "pia", to=[1, 0])
    begun_ = fight.logged("exchange_begun")
    assert [(event.attacker, event.how) for event in begun_] == [
        (
            "wolf" if contested and begun_[0].attacker == "wolf" else "pia",
            "contested" if contested else "normal",
        )
    ]


# --- breath --------------------------------------------------------------------------------------------

LAKE: dict[str, Any] = {
    "terrain": {f"{x},0": "deep_water" for x in range(1, 6)},
    "scenery": {"water": {f"{x},0": {"submerged": True} for x in range(2, 6)}},
}


def diving(**changes: Any) -> Fight:
    """Return a fight in which Pia holds her breath under water."""
    fight = begun({"pia": (1, 0), "orc": (9, 9), "ash": (9, 8)}, **LAKE, **changes)
    fight.do("dash", 4, 4, creature="pia", path=[[2, 0]])
    assert fight["pia"].breath == 8
    return fight


def ruled(fight: Fight, **effect: Any) -> Fight:
    return fight.do("gm_ruling", kind="effect", decision="so it is", effects=[effect])


@pytest.mark.parametrize(
    "effect",
    [
        {"kind": "knock_out", "creature": "pia"},
        {"kind": "condition", "creature": "pia", "condition": "stunned"},
        {"kind": "condition", "creature": "pia", "condition": "incapacitated"},
    ],
)
def test_HR_BREATH_4_who_cannot_hold_its_breath_any_more_suffocates(effect: dict[str, Any]) -> None:
    fight = ruled(diving(), **effect)
    assert (fight["pia"].breath, fight["pia"].has("suffocating")) == (None, True)
    assert fight.logged("breath_lost")[-1].because == ("HR-BREATH-4",)


def test_HR_BREATH_4_above_water_it_breathes() -> None:
    fight = begun({"pia": (1, 0), "orc": (9, 9), "ash": (9, 8)}, **LAKE).given("pia", breath=5)
    ruled(fight, kind="knock_out", creature="pia")
    assert (fight["pia"].breath, fight["pia"].has("suffocating")) == (None, False)


# --- a save is no check of movement ----------------------------------------------------------------------


@pytest.mark.parametrize("water", [{"stands_from": "small"}, {"submerged": True}])
def test_HR_FALL_1_the_water_one_falls_into_does_not_hamper_the_save(water: dict[str, Any]) -> None:
    """HR-ENV-3, HR-ENV-4: water hampers attacks, defenses and checks; one falls through air."""
    scenery = {
        "heights": {f"{x},{y}": 20 for x in range(-6, 1) for y in range(-6, 7)},
        "ledges": [f"0,{y}|1,{y}" for y in range(-6, 7)],
        "water": {"1,0": water},
    }
    fight = begun({"pia": (0, 0), "orc": (9, 9)}, scenery=scenery, terrain={"1,0": "deep_water"})
    fight.do("dash", 4, 4, creature="pia", path=[[1, 0]])
    assert len(fight.rolls[0].dice) == 2
    assert fight.logged("landed")[-1].damage == 12


# --- a hold and the end of a fight -------------------------------------------------------------------------

FROM = CarriedFrom(encounter="0" * 32, n=1, hash="00" * 32)


def ended_while_held() -> Fight:
    fight = begun({"pia": (0, 0), "wolf": (1, 0)}, sheets={"wolf": {"like": "wolf"}})
    fight.given("wolf", conditions={"grappling": Condition(source="pia")})
    fight.given("pia", conditions={"grappled": Condition(source="wolf")})
    return fight.do("end_combat")


def test_HR_CARRY_1_who_was_held_when_the_fight_ended_walks_in_the_next() -> None:
    character = carry(ended_while_held().state, "pia", FROM).character
    assert not character.conditions
    assert not character.has("restrained")


@pytest.mark.parametrize(
    ("conditions", "left"),
    [
        ({"restrained": {"level": 1, "source": "wolf", "since": 0}}, {}),
        ({"restrained": {"level": 2, "source": None, "since": 0}}, {"restrained": 2}),
        ({"poisoned": {"level": 1, "source": "wolf", "since": 0}}, {"poisoned": 1}),
    ],
)
def test_HR_CARRY_1_a_record_carried_before_is_read_right(
    conditions: dict[str, Any], left: dict[str, int]
) -> None:
    """A hold once left its level behind, with the grappler as its source."""
    carried = to_data(carry(ended_while_held().state, "pia", FROM))
    carried["character"]["conditions"] = conditions
    orc = {"sheet": sheet("orc"), "position": [5, 5]}
    fight = opened(
        {},
        creatures=[{"carried": carried, "position": [0, 0]}, orc],
        seats=[{"seat": "zoe", "role": "player", "creatures": ["pia"]}],
    )
    assert {name: found.level for name, found in fight["pia"].conditions.items()} == left
    if not left:
        fight.do("dash", creature="pia", to=[0, 3])


# --- who begins ------------------------------------------------------------------------------------------


def test_HR_START_4_nobody_is_named_before_it_is_settled_which_side_begins() -> None:
    fight = opened({"pia": (0, 0), "ash": (0, 1), "orc": (1, 0)}).do("begin_combat")
    (offer,) = [offer for offer in fight.offers("gm") if offer.type == "grant_priority"]
    assert offer.choices["starter"] == (None,)
    assert fight.refused("grant_priority", starter="pia") == "no_valid_target"
    fight.do("grant_priority").throw(4)
    assert fight.state.priority_side == "players"


def test_HR_START_4_only_who_can_act_of_the_side_that_begins_is_named() -> None:
    fight = opened({"pia": (0, 0), "ash": (0, 1), "orc": (1, 0)})
    fight.given("ash", conditions={"stunned": Condition()}).do("begin_combat", unaware_side="enemies")
    (offer,) = [offer for offer in fight.offers("gm") if offer.type == "grant_priority"]
    assert offer.choices["starter"] == (None, "pia")
    for starter in ("orc", "ash"):
        assert fight.refused("grant_priority", starter=starter) == "no_valid_target"


# --- which way ----------------------------------------------------------------------------------------------


def test_HR_FORCE_5_a_push_by_nobody_says_which_way() -> None:
    fight = begun({"pia": (0, 0), "orc": (5, 5)})
    effect = {"kind": "push", "creature": "orc", "feet": 10}
    assert fight.refused("gm_ruling", kind="effect", decision="x", effects=[effect]) == "effect_not_possible"
    assert "a direction" in str(fight.refusal)


@pytest.mark.parametrize("direction", [(-1, 0), (0, 1), (1, 1)])
def test_HR_FORCE_5_who_pushes_out_of_its_own_place_says_which_way(direction: tuple[int, int]) -> None:
    """A tiny enemy in Pia's own cell: no way leads straight away from her."""
    claws = [{"id": "claws", "size_class": "ultralight", "damage_type": "slashing", "tags": ["natural"]}]
    fight = begun({"pia": (0, 0), "wolf": (0, 0)}, sheets={"wolf": {"size": "tiny", "weapons": claws}})
    fight.do("engage", creature="pia", target="wolf").joined_by().stances(pia="might", wolf="cunning")
    fight.answer("declare_attack", "pia", 1, 1, 1, 1, 6, 6, target="wolf")
    fight.answer("choose_push", "pia", distance=20)
    assert fight["wolf"].position == (0, 0)
    nowhere = {"creature": "pia", "prompt": fight.prompt("pia"), "direction": [0, 0]}
    assert fight.refused("choose_direction", **nowhere) == "push_not_possible"
    fight.answer("choose_direction", "pia", direction=list(direction))
    assert fight["wolf"].position == (4 * direction[0], 4 * direction[1])


def test_HR_RUSH_1_nobody_has_rush_outside_combat() -> None:
    fight = opened({"pia": (0, 0), "orc": (9, 0)})
    gift = {"kind": "rush", "creature": "pia", "points": 3}
    assert fight.refused("gm_ruling", kind="effect", decision="so", effects=[gift]) == "effect_not_possible"
    fight = begun({"pia": (0, 0), "orc": (9, 0)})
    fight.do("gm_ruling", kind="effect", decision="so", effects=[gift]).do("end_combat")
    assert fight["pia"].rush == 0


@pytest.mark.parametrize(
    ("lasts", "seconds", "left"),
    [
        ("round", 5, 1),
        ("round", 6, 0),
        ("engagement", 6, 0),
        ("minute", 59, 1),
        ("minute", 60, 0),
        ("ongoing", 900, 1),
    ],
)
def test_HR_COND_30_what_is_laid_outside_combat_ends_with_time(lasts: str, seconds: int, left: int) -> None:
    fight = opened({"pia": (0, 0), "orc": (9, 0)})
    bar = {"kind": "lay", "creature": "orc", "modifier": {"kind": "bar", "what": ["speak"]}, "lasts": lasts}
    fight.do("gm_ruling", kind="effect", decision="so", effects=[bar])
    fight.do("advance_clock", seconds=seconds)
    assert len(fight.state.lasting) == left
    assert [event.because for event in fight.logged("effect_ended")] == [("HR-COND-30",)] * (1 - left)


def test_HR_DMG_1_rounds_that_nobody_counts_limit_no_shrugs() -> None:
    """The house lets a creature shrug once a round; outside combat there are no rounds."""
    fight = opened({"pia": (0, 0), "orc": (9, 0)}, options={"shrug_per_round": 1, "hazards_shruggable": True})
    for _ in range(2):
        blow = {"kind": "damage", "creature": "pia", "amount": 8}
        fight.do("gm_ruling", kind="effect", decision="so", effects=[blow]).answer("shrug", "pia")
        assert fight["pia"].shrugs == 0
    assert fight["pia"].hp == 32


def test_HR_SVC_7_nobody_is_named_or_has_passed_when_a_fight_is_over() -> None:
    fight = begun({"pia": (0, 0), "ash": (0, 1), "orc": (9, 0)}).do("pass", creature="pia").do("end_combat")
    assert (fight.state.member_passed, fight.state.starter, fight.state.ending) == ((), None, "")


FELT = ("frightened", "enraged", "charmed")
ENDS: dict[str, dict[str, Any]] = {
    "dies": {"kind": "die", "creature": "orc"},
    "leaves": {"kind": "withdraw", "creature": "orc"},
}


def laid(condition: str) -> dict[str, Any]:
    return {"kind": "condition", "creature": "pia", "condition": condition, "levels": 2, "by": "orc"}


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("condition", FELT)
def test_HR_COND_31_a_feeling_ends_with_whom_it_is_about(condition: str, end: str) -> None:
    fight = begun({"pia": (0, 0), "orc": (5, 0), "wolf": (9, 9)})
    ruled(fight, **laid(condition))
    ruled(fight, kind="condition", creature="wolf", condition=condition, by="pia")
    assert fight["pia"].level(condition) == 2
    ruled(fight, **ENDS[end])
    assert not fight["pia"].has(condition)
    assert fight["wolf"].has(condition), "that is about somebody who is there"


@pytest.mark.parametrize("condition", FELT)
def test_HR_COND_31_nobody_feels_for_one_that_died_before(condition: str) -> None:
    """An effect that kills its user frightens nobody with it after that."""
    fight = begun({"pia": (0, 0), "orc": (5, 0), "wolf": (9, 9)})
    effects = [ENDS["dies"], laid(condition)]
    fight.do("gm_ruling", kind="effect", decision="so it is", effects=effects)
    assert not fight["pia"].has(condition)


@pytest.mark.parametrize("condition", FELT)
def test_HR_COND_31_one_that_lies_unconscious_is_still_feared(condition: str) -> None:
    fight = begun({"pia": (0, 0), "orc": (5, 0), "wolf": (9, 9)})
    ruled(fight, **laid(condition))
    ruled(fight, kind="knock_out", creature="orc")
    assert fight["pia"].has(condition)
