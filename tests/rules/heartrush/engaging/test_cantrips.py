"""Cantrips take the weapon's place: bolts, blasts, and what a hit brings (HR-WPN-13)."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.heartrush import HEARTRUSH
from service.rules.heartrush.body.weapons import max_range_ft, protection, range_ft
from service.rules.heartrush.creatures.character import Condition
from service.rules.ruleset import waiting
from service.usecases.openings import opening_faults
from tests.rules.heartrush.kit import Fight, begun, opening


def bolt(name: str, element: str, size: str = "ultralight", **cantrip: Any) -> dict[str, Any]:
    return {
        "id": name,
        "size_class": size,
        "attack_type": "ranged",
        "damage_type": cantrip.pop("damage_type", "none"),
        "tags": ["spell"],
        "cantrip": {"element": element, "form": "bolt", **cantrip},
    }


def blast(name: str, element: str, size: str = "ultralight", **cantrip: Any) -> dict[str, Any]:
    found = bolt(name, element, size, **cantrip)
    return {**found, "attack_type": "melee", "cantrip": {**found["cantrip"], "form": "blast"}}


FIRE_BOLT = bolt(
    "fire-bolt", "fire", harmless=True, conditions={"burning": 2}, might_conditions={"burning": 1}
)
WATER_BOLT = bolt(
    "water-bolt", "water", "light", damage_type="bludgeoning", drenches=True, conditions={"off_balanced": 1}
)
LIGHTNING = bolt("lightning", "air", doubled_by=["wet", "metal_armor"])
FORCE_BLAST = blast("force-blast", "force", harmless=True, push_ft=20, might_push_ft=10)
EARTH_BLAST = blast("earth-blast", "earth", "heavy", damage_type="bludgeoning")


def caster(weapon: dict[str, Any], places: Any = None, *, sheets: Any = None, **own: Any) -> Fight:
    growth = own.pop("growth", {"attunements": [weapon["cantrip"]["element"]]})
    pia = {"weapons": [weapon], "armor": "none", "growth": growth, **own}
    return begun(places or {"pia": (0, 0), "wolf": (1, 0)}, sheets={"pia": pia, **(sheets or {})})


def engaged(fight: Fight, target: str, **stances: str) -> Fight:
    return (
        fight.do("engage", creature="pia", target=target)
        .joined_by(*_others(stances, target))
        .stances(**stances)
    )


def _others(stances: dict[str, str], target: str) -> list[str]:
    return [name for name in stances if name not in ("pia", target)]


def accepted(fight: Fight) -> Fight:
    while any("accept_damage" in awaited.accepts for awaited in waiting(fight.state)):
        fight.answer("accept_damage", fight.waits_for()[0])
    return fight


@pytest.mark.parametrize(("level", "feet"), [("", 30), ("advanced_", 60), ("paragon_", 120)])
def test_HR_WPN_13_a_bolt_reaches_by_attunement(level: str, feet: int) -> None:
    fight = caster(FIRE_BOLT, growth={f"{level}attunements": ["fire"]})
    pia = fight["pia"]
    (weapon,) = pia.sheet.weapons
    assert (range_ft(pia, weapon), max_range_ft(pia, weapon)) == (feet, 2 * feet)


def test_HR_WPN_13_a_bolt_that_does_no_damage_burns_at_the_end_of_the_step() -> None:
    """Heart and cunning and the weapon die, no die for a damage type; 2d6 as soon as it burns."""
    fight = engaged(caster(FIRE_BOLT), "wolf", pia="cunning", wolf="defensive")
    fight.answer("declare_attack", "pia", 8, 6, 4, 1, 1, target="wolf")
    assert fight.logged("exchange_settled")[-1].hit
    assert fight["wolf"].level("burning") == 2
    fight.throw(1, 2)
    assert fight.logged("damage_pending")[-1].cause == "burning"
    (burn,) = [roll for roll in fight.rolls if ("what", "burning") in roll.purpose]
    assert [die.sides for die in burn.dice] == [6, 6]
    assert [die.sides for die in fight.rolls[0].dice] == [8, 6, 4]


def test_HR_WPN_13_its_own_might_bonus_stands_in_for_that_of_bows() -> None:
    """Armor counts, as the bonus of shots that would ignore it is not had; one level more burns."""
    sheets = {"wolf": {"armor": "heavy"}}
    fight = engaged(caster(FIRE_BOLT, sheets=sheets), "wolf", pia="might", wolf="cunning")
    fight.answer("declare_attack", "pia", 8, 8, 4, 1, 1, target="wolf")
    assert fight.logged("defense_rolled")[-1].rolled.total == 1 + 1 + 6
    assert fight["wolf"].level("burning") == 3


def test_HR_WPN_13_without_one_of_its_own_a_bolt_ignores_armor_in_might_as_a_bow_does() -> None:
    sheets = {"wolf": {"armor": "heavy"}}
    fight = engaged(caster(WATER_BOLT, sheets=sheets), "wolf", pia="might", wolf="cunning")
    fight.answer("declare_attack", "pia", 8, 8, 8, 1, 1, target="wolf")
    assert fight.logged("defense_rolled")[-1].rolled.total == 1 + 1
    assert [die.sides for die in fight.rolls[0].dice] == [8, 8, 8], "no die for bludgeoning in might"


def test_HR_WPN_13_water_drenches_and_lightning_doubles_against_the_wet() -> None:
    places = {"pia": (0, 0), "ash": (0, 1), "wolf": (1, 0)}
    air = {"weapons": [LIGHTNING], "growth": {"attunements": ["air"]}}
    fight = caster(WATER_BOLT, places, sheets={"ash": air})
    fight.given("wolf", conditions={"burning": Condition(level=2)})
    engaged(fight, "wolf", pia="cunning", ash="agility", wolf="defensive")
    fight.answer("declare_attack", "pia", 3, 3, 3, 3, 3, target="wolf")
    accepted(fight)
    assert fight["wolf"].drenched
    assert fight["wolf"].level("off_balanced") == 1
    assert not fight["wolf"].has("burning"), "HR-COND-19: what is drenched burns no more"
    fight.answer("declare_agility", "ash", 2, 3, 4, order="no_move", target="wolf")
    assert fight.logged("attack_rolled")[-1].rolled.total == 2 * (2 + 3 + 4)


def test_HR_WPN_13_lightning_doubles_against_metal_armor() -> None:
    fight = caster(LIGHTNING, sheets={"wolf": {"metal_armor": True}})
    engaged(fight, "wolf", pia="cunning", wolf="defensive")
    fight.answer("declare_attack", "pia", 2, 3, 4, target="wolf")
    assert fight.logged("attack_rolled")[-1].rolled.total == 18


AROUND = {"pia": (0, 0), "wolf": (1, 0), "orc": (-1, 0), "rat": (0, 1)}
PACK = {"rat": {"like": "wolf"}}


def test_HR_WPN_13_a_blast_strikes_two_with_a_roll_each_and_pushes_them_at_the_end() -> None:
    fight = caster(FORCE_BLAST, {**AROUND, "rat": (9, 9)}, sheets=PACK)
    engaged(fight, "wolf", pia="cunning", wolf="defensive", orc="defensive")
    offers = [offer for offer in fight.offers("zoe", "pia") if offer.type == "declare_attack"]
    assert {offer.given["target"]: offer.choices["also"] for offer in offers if offer.given} == {
        "wolf": ((), ("orc",)),
        "orc": ((), ("wolf",)),
    }
    fight.answer("declare_attack", "pia", 8, 6, 4, 1, 1, 8, 6, 4, 1, 1, target="wolf", also=["orc"])
    assert [(e.creature, e.exchange.rpartition("/")[2]) for e in fight.logged("attack_rolled")] == [
        ("pia", "wolf"),
        ("pia", "orc"),
    ]
    assert (fight["wolf"].position, fight["orc"].position) == ((5, 0), (-5, 0))
    assert not fight.logged("damage_pending"), "it does no damage"


def test_HR_WPN_13_a_blast_strikes_no_third_before_advanced_attunement() -> None:
    fight = caster(FORCE_BLAST, AROUND, sheets=PACK)
    engaged(fight, "wolf", pia="cunning", wolf="defensive", orc="defensive", rat="defensive")
    code = fight.refused(
        "declare_attack", creature="pia", prompt=fight.prompt("pia"), target="wolf", also=["orc", "rat"]
    )
    assert code == "no_valid_target"
    twice = fight.refused(
        "declare_attack", creature="pia", prompt=fight.prompt("pia"), target="wolf", also=["wolf"]
    )
    assert twice == "no_valid_target"


def test_HR_WPN_13_at_advanced_attunement_a_blast_strikes_as_many_as_it_reaches() -> None:
    fight = caster(EARTH_BLAST, AROUND, sheets=PACK, growth={"advanced_attunements": ["earth"]})
    engaged(fight, "wolf", pia="cunning", wolf="defensive", orc="defensive", rat="defensive")
    fight.answer("declare_attack", "pia", target="wolf", also=["orc", "rat"])
    assert [e.defender for e in fight.logged("exchange_begun")] == ["wolf"]
    assert len(fight.state.top.waiting(fight.state) if fight.state.top else ()) == 1


def test_HR_WPN_13_two_of_a_blasts_targets_may_meet_it_in_contests() -> None:
    """HR-ATK-4 for each of them; the blast is rolled against each."""
    fight = caster(EARTH_BLAST, {**AROUND, "rat": (9, 9)}, sheets=PACK)
    engaged(fight, "wolf", pia="agility", wolf="agility", orc="agility")
    fight.answer("declare_agility", "pia", order="no_move", target="wolf", also=["orc"])
    fight.answer("declare_agility", "wolf", order="no_move", target="pia")
    fight.answer("declare_agility", "orc", *[1] * 13, order="no_move", target="pia")
    assert [(e.attacker, e.defender, e.how) for e in fight.logged("exchange_begun")] == [
        ("pia", "wolf", "contested"),
        ("pia", "orc", "contested"),
    ]


def test_HR_WPN_13_the_unattuned_and_the_busy_cannot() -> None:
    mace = {"id": "mace", "size_class": "light"}
    sheets = {
        "pia": {
            "weapons": [mace, FIRE_BOLT, FORCE_BLAST],
            "shield": "light",
            "growth": {"attunements": ["force"]},
        }
    }
    fight = begun({"pia": (0, 0), "wolf": (1, 0)}, sheets=sheets)
    fight.do("object", creature="pia", verb="stow").do("pass_side", side="enemies")
    draw = {"creature": "pia", "verb": "draw"}
    assert fight.refused("object", item="fire-bolt", **draw) == "no_attunement"
    assert fight.refused("object", item="force-blast", **draw) == "no_free_hand"
    offers = [o for o in fight.offers("zoe", "pia") if o.given.get("verb") == "draw"]
    assert [offer.choices["item"] for offer in offers] == [("mace",)]


def test_HR_WPN_13_whoever_holds_somebody_has_no_hands_for_a_blast() -> None:
    fight = caster(FORCE_BLAST)
    fight.given("pia", conditions={"grappling": Condition(level=1, source="wolf")})
    assert fight.refused("engage", creature="pia", target="wolf") == "no_free_hand"


def test_HR_WPN_13_a_bolt_from_hiding_brings_what_it_brings_at_once() -> None:
    fight = caster(FIRE_BOLT, {"pia": (0, 0), "wolf": (4, 0)}).given("pia", hidden_from=("wolf",))
    fight.do("opportunity_attack", creature="pia", target="wolf", stance="cunning")
    fight.throw(8, 6, 4)
    fight.throw(*[1] * 7)
    assert fight["wolf"].level("burning") == 2


@pytest.mark.parametrize(
    ("changes", "at"),
    [
        ({"tags": []}, "/creatures/0/sheet/weapons/0/cantrip"),
        ({"attack_type": "melee"}, "/creatures/0/sheet/weapons/0/attack_type"),
        (
            {"cantrip": {**FIRE_BOLT["cantrip"], "conditions": {"sleepy": 1}}},
            "/creatures/0/sheet/weapons/0/cantrip/conditions/sleepy",
        ),
        ({"cantrip": {**FIRE_BOLT["cantrip"], "push_ft": 7}}, "/creatures/0/sheet/weapons/0/cantrip/push_ft"),
        ({"cantrip": {**FIRE_BOLT["cantrip"], "element": "void"}}, "/creatures/0/sheet/wielded"),
    ],
)
def test_HR_WPN_13_a_cantrip_that_cannot_be_is_refused_at_the_opening(changes: Any, at: str) -> None:
    pia = {"weapons": [{**FIRE_BOLT, **changes}], "growth": {"attunements": ["fire"]}}
    data = opening({"pia": (0, 0), "wolf": (1, 0)}, sheets={"pia": pia})
    assert [where for where, _ in opening_faults(HEARTRUSH, data)] == [at]


def test_HR_WPN_10_a_shield_needs_a_hand_that_the_weapon_leaves() -> None:
    sheets = {"pia": {"shield": "heavy", "armor": "none"}, "bru": {"shield": "heavy"}}
    fight = begun({"pia": (0, 0), "bru": (0, 1), "wolf": (1, 0)}, sheets=sheets)
    assert sum(term.amount for term in protection(fight["pia"])) == 2
    assert sum(term.amount for term in protection(fight["bru"])) == 0, "a maul takes both hands"
