"""Both sides of each bound of weapons, stances and strikes, asked of the rule itself."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.heartrush.body.weapons import check_ranged_stance, ignores_armor, protection, range_ft
from service.rules.heartrush.creatures.sheet import Weapon
from service.rules.heartrush.engaging.declaring import PERK_CHOICES, is_foe
from service.rules.heartrush.engaging.opportunity_attacks import OpportunityAttack
from service.rules.heartrush.engaging.stances import may_target
from service.rules.heartrush.timing.exposed import open_targets
from service.rules.kernel.codec import from_data
from service.rules.kernel.records import changed
from tests.rules.heartrush.kit import begun, opened
from tests.rules.heartrush.sides import PLACES, code_of, refusal_of

# --- weapons and armor -----------------------------------------------------------------------------------


def weapon(**changes: Any) -> Weapon:
    return from_data(Weapon, {"id": "w", "size_class": "light", "damage_type": "piercing", **changes})


@pytest.mark.parametrize(
    ("changes", "feet"),
    [
        ({}, 5),
        ({"size_class": "heavy"}, 5),
        ({"attack_type": "thrown"}, 20),
        ({"attack_type": "whip"}, 20),
        ({"attack_type": "ranged", "size_class": "ultralight"}, 20),
        ({"attack_type": "ranged"}, 30),
        ({"attack_type": "ranged", "size_class": "heavy"}, 60),
        ({"tags": ["reach"]}, 10),
    ],
)
def test_HR_WPN_3_each_weapon_has_its_range(changes: dict[str, Any], feet: int) -> None:
    fight = begun(PLACES)
    assert range_ft(fight["pia"], weapon(**changes)) == feet
    dashed = changed(fight["pia"], dashed=True)
    assert range_ft(dashed, weapon(**changes)) == (5 if "tags" in changes else feet)


@pytest.mark.parametrize(
    ("sheet", "terms"),
    [
        ({"armor": "none"}, []),
        ({"armor": "light"}, [("armor", 2)]),
        ({"armor": "medium"}, [("armor", 4)]),
        ({"armor": "heavy"}, [("armor", 6)]),
        ({"armor": "natural", "natural_armor": 3}, [("armor", 3)]),
        ({"armor": "none", "shield": "light"}, [("shield", 1)]),
        ({"armor": "none", "shield": "heavy"}, [("shield", 2)]),
        ({"armor": "medium", "defense_bonus": 1}, [("armor", 4), ("defense bonus", 1)]),
    ],
)
def test_HR_WPN_10_each_armor_and_shield_adds_its_bonus(
    sheet: dict[str, Any], terms: list[tuple[str, int]]
) -> None:
    creature = begun(PLACES, sheets={"pia": sheet})["pia"]
    assert [(term.what, term.amount) for term in protection(creature)] == terms
    bare = [(what, amount) for what, amount in terms if what != "armor"]
    assert [(term.what, term.amount) for term in protection(creature, without_armor=True)] == bare
    assert {term.rule for term in protection(creature)} <= {"HR-WPN-10"}


@pytest.mark.parametrize(
    ("attack_type", "might_bonus", "ignores"),
    [("ranged", True, True), ("ranged", False, False), ("melee", True, False), ("thrown", True, False)],
)
def test_HR_WPN_7_the_might_bonus_of_a_shot_ignores_armor(
    attack_type: str, *, might_bonus: bool, ignores: bool
) -> None:
    assert ignores_armor(weapon(attack_type=attack_type), might_bonus=might_bonus) is ignores


@pytest.mark.parametrize(
    ("name", "stance", "moved", "code"),
    [
        ("ash", "might", 15, None),
        ("ash", "might", 16, "stance_not_allowed"),
        ("ash", "cunning", 20, "stance_not_allowed"),
        ("ash", "agility", 0, None),
        ("ash", "defensive", 30, None),
        ("pia", "might", 30, None),
    ],
)
def test_HR_STANCE_5_who_shoots_has_moved_half_its_speed_at_most(
    name: str, stance: str, moved: int, code: str | None
) -> None:
    fight = begun(PLACES).given(name, moved_ft=moved)
    assert code_of(check_ranged_stance, fight[name], 30, stance) == code


# --- who may be attacked ---------------------------------------------------------------------------------


@pytest.mark.parametrize("own_kind", [True, False])
@pytest.mark.parametrize(
    ("stance", "targets"),
    [
        ("might", "might cunning defensive helpless"),
        ("agility", "agility might defensive helpless"),
        ("cunning", "cunning agility defensive helpless"),
        ("defensive", ""),
        ("helpless", ""),
    ],
)
def test_HR_STANCE_4_a_stance_attacks_all_but_the_one_that_beats_it(
    stance: str, targets: str, *, own_kind: bool
) -> None:
    state = begun(PLACES, options={"same_stance_attacks": own_kind}).state
    found = {
        other
        for other in ("might", "agility", "cunning", "defensive", "helpless")
        if may_target(state, stance, other)
    }
    assert found == set(targets.split()) - (set() if own_kind else {stance})


@pytest.mark.parametrize(
    ("friendly_fire", "other", "may"),
    [(True, "ash", True), (True, "orc", True), (False, "ash", False), (False, "orc", True)],
)
def test_HR_RES_2_friends_are_attacked_only_where_the_house_allows_it(
    other: str, *, friendly_fire: bool, may: bool
) -> None:
    fight = begun(PLACES, options={"friendly_fire": friendly_fire})
    assert is_foe(fight.state, fight["pia"], fight[other]) is may


def test_HR_START_8_the_surprised_in_range_may_be_struck() -> None:
    places = {"pia": (0, 0), "ash": (0, 1), "orc": (1, 0), "wolf": (9, 0)}
    fight = opened(places).do("begin_combat", surprised=["ash", "orc", "wolf"]).do("grant_priority")
    assert open_targets(fight.state, fight["pia"]) == ("orc",)
    fight.given("orc", status="dead")
    assert open_targets(fight.state, fight["pia"]) == ()


def test_HR_OA_1_two_levels_of_a_perk_are_spent_in_every_way() -> None:
    """HR-OA-1 and HR-STANCE-CUN-2."""
    assert [dict(each) for each in PERK_CHOICES] == [
        {},
        {"dazed": 1},
        {"dazed": 2},
        {"off_balanced": 1},
        {"off_balanced": 2},
        {"weakened": 1},
        {"weakened": 2},
        {"dazed": 1, "off_balanced": 1},
        {"dazed": 1, "weakened": 1},
        {"off_balanced": 1, "weakened": 1},
    ]


@pytest.mark.parametrize(
    ("creature", "target", "changes", "code"),
    [
        ("pia", "orc", {}, None),
        ("pia", "elf", {}, "no_oa_trigger"),
        ("pia", "ash", {}, "no_oa_trigger"),
        ("pia", "wolf", {}, "no_oa_trigger"),
        ("bru", "orc", {}, "not_in_range"),
        ("pia", "orc", {"perk": {"dazed": 1}, "stance": "cunning"}, "perk_not_available"),
        ("pia", "orc", {"perk": {"dazed": 0}, "stance": "cunning"}, None),
        ("pia", "orc", {"push": 5}, "push_not_possible"),
        ("pia", "orc", {"prompt": "r1/none"}, "window_closed"),
    ],
)
def test_HR_OA_1_a_strike_outside_engagements_is_at_one_who_gives_an_opening(
    creature: str, target: str, changes: dict[str, Any], code: str | None
) -> None:
    places = {"pia": (0, 0), "ash": (0, 1), "bru": (-9, 0), "orc": (1, 0), "wolf": (1, 1)}
    fight = opened(places).do("begin_combat", surprised=["ash", "orc"]).do("grant_priority", 6)
    data = {"creature": creature, "target": target, "stance": "might", "pay": "action", **changes}
    found = refusal_of(fight, "zoe", "opportunity_attack", **data)
    assert (found and found[0]) == code
    if code is None:
        (used,) = fight.logged("ability_used")
        assert (used.instant, used.paid, fight["pia"].action) == (True, "action", 0)


@pytest.mark.parametrize(
    ("stance", "melee", "who", "as_beaten", "feet"),
    [
        ("might", True, "pia", True, (0, 5, 10)),
        ("might", False, "pia", True, (0, 5, 10)),
        ("agility", True, "pia", True, ()),
        ("might", True, "pia", False, ()),
        ("might", False, "ash", True, ()),
    ],
)
def test_HR_OA_1_what_a_strike_may_push(
    stance: str, who: str, feet: tuple[int, ...], *, melee: bool, as_beaten: bool
) -> None:
    options = {"oa_perks": "as_if_beaten"} if as_beaten else {}
    fight = begun(PLACES, options=options)
    found = OpportunityAttack.push_choices(fight.state, fight[who], fight["orc"], stance, melee=melee)
    assert found == feet
