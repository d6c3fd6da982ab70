"""Tables and bounds of rules, one row for each entry: a changed number fails the row that has it."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.heartrush.body.conditions import CONDITIONS, ConditionGained, gain, is_ongoing
from service.rules.heartrush.body.damage import crush_dice
from service.rules.heartrush.body.weapons import favoured_die, weapon_die
from service.rules.heartrush.body.wounds import heals_by_itself, is_healed, treatable
from service.rules.heartrush.creatures.character import Condition, Wound
from service.rules.heartrush.creatures.sheet import UNARMED
from service.rules.kernel.records import changed
from service.rules.kernel.rulebook import rules_in
from tests.rules.heartrush.kit import begun

PLACES = {"pia": (0, 0), "orc": (1, 0)}
FADING = ("dazed", "weakened", "off_balanced", "shaken", "blinded", "slowed", "burning")
LEVELED = (
    *(*FADING, "restrained", "poisoned", "vulnerable_physical", "vulnerable_mental"),
    *("confused", "frightened", "charmed", "cover"),
)
FLAGS = ("stunned", "incapacitated", "suffocating", "crippled", "prone", "obscured", "highground")


@pytest.mark.parametrize("condition", LEVELED)
def test_HR_COND_1_levels_stop_at_five(condition: str) -> None:
    fight = begun(PLACES).given("orc", conditions={condition: Condition(level=2)})
    for levels, wasted in ((3, 0), (4, 1)):
        gained = next(gain(fight.state, "orc", condition, levels))
        assert isinstance(gained, ConditionGained)
        assert gained.wasted == wasted


@pytest.mark.parametrize("condition", FLAGS)
def test_HR_COND_1_what_has_no_levels_is_gained_once(condition: str) -> None:
    gained = next(gain(begun(PLACES).state, "orc", condition, 2))
    assert isinstance(gained, ConditionGained)
    assert gained.wasted == 1


def test_HR_COND_1_no_levels_change_nothing() -> None:
    assert list(gain(begun(PLACES).state, "orc", "dazed", 0)) == []


@pytest.mark.parametrize("condition", [*LEVELED, *FLAGS, "grappled", "grappling"])
def test_HR_COND_3_these_seven_fade_and_no_others(condition: str) -> None:
    """HR-COND-2."""
    assert is_ongoing(condition) == (condition not in FADING)


def test_HR_COND_1_a_condition_that_the_gm_has_named_is_gained_once_and_stays() -> None:
    gained = next(gain(begun(PLACES).state, "orc", "homesick", 2))
    assert isinstance(gained, ConditionGained)
    assert gained.wasted == 1
    assert is_ongoing("homesick")


def test_HR_COND_1_every_condition_of_the_book_has_levels_or_none() -> None:
    bonds = ("creature_climber", "climbed_on", "grappling", "grappled")
    listed = {**dict.fromkeys((*LEVELED, "enraged"), 5), **dict.fromkeys((*FLAGS, *bonds), 1)}
    assert {name: kind.levels for name, kind in CONDITIONS.items() if name in listed} == listed


def test_HR_COND_1_a_condition_that_the_book_lacks_has_a_rule_of_what_it_leaves_open() -> None:
    """The declaration of its rule says `left_open=`, so no list here names it."""
    bonds = {"creature_climber", "climbed_on", "grappling", "grappled"}
    rules = rules_in(("service.rules.heartrush",))
    for name in CONDITIONS.keys() - {*LEVELED, *FLAGS, *bonds, "enraged"}:
        assert any(rules[each].left_open for each in CONDITIONS[name].rules), name


@pytest.mark.parametrize(("size", "sides"), [("heavy", 12), ("light", 8), ("ultralight", 4)])
def test_HR_WPN_1_each_class_of_weapon_has_its_die(size: str, sides: int) -> None:
    """HR-WPN-2: the favoured die is of the same size."""
    weapon: Any = changed(UNARMED, size_class=size, damage_type="slashing")
    assert weapon_die(weapon).sides == sides
    assert [die.sides for die in favoured_die(weapon, "agility")] == [sides]


@pytest.mark.parametrize(
    ("damage", "stance"), [("bludgeoning", "might"), ("slashing", "agility"), ("piercing", "cunning")]
)
def test_HR_WPN_2_each_damage_type_favours_one_stance(damage: str, stance: str) -> None:
    weapon: Any = changed(UNARMED, damage_type=damage)
    stances = ("might", "agility", "cunning", "defensive")
    assert [each for each in stances if favoured_die(weapon, each)] == [stance]


@pytest.mark.parametrize(("mine", "dice"), [("small", 1), ("medium", 1), ("large", 2), ("l2", 3), ("l3", 4)])
def test_HR_GRAP_6_a_die_more_for_each_size_larger(mine: str, dice: int) -> None:
    fight = begun(PLACES, sheets={"orc": {"size": mine, "weapons": []}})
    assert crush_dice(fight["orc"], fight["pia"]) == 0
    fight.given("orc", conditions={"grappling": Condition(source="pia")})
    assert crush_dice(fight["orc"], fight["pia"]) == dice
    fight.given("orc", conditions={"grappling": Condition(source="ash")})
    assert crush_dice(fight["orc"], fight["pia"]) == 0


@pytest.mark.parametrize(
    ("rank", "gone", "where_it_stays"), [(-1, True, True), (0, True, False), (1, False, False)]
)
def test_HR_WND_5_a_wound_of_rank_0_is_gone_unless_the_house_keeps_it(
    rank: int, *, gone: bool, where_it_stays: bool
) -> None:
    assert is_healed(begun(PLACES).state, rank) is gone
    assert is_healed(begun(PLACES, options={"keep_rank0_wounds": True}).state, rank) is where_it_stays


@pytest.mark.parametrize(("treated", "heals"), [(True, True), (False, False)])
def test_HR_WND_7_only_untreated_wounds_are_treated_HR_WND_8_and_treated_ones_heal(
    *, treated: bool, heals: bool
) -> None:
    wound = Wound(id="w1", rank=1, initial_rank=1, treated=treated)
    assert treatable((wound,)) == (() if treated else (wound,))
    assert heals_by_itself(begun(PLACES).state, wound) is heals
    assert heals_by_itself(begun(PLACES, options={"untreated_wounds_heal": True}).state, wound)
