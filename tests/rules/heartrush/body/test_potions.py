"""Potions (HR-REST-6), and other things that a careful reader of the books found missing."""

from __future__ import annotations

import pytest

from service.rules.heartrush.creatures.character import Condition, Wound
from tests.rules.heartrush.kit import Fight, begun, opened

DUEL = {"pia": (0, 0), "orc": (1, 0)}
FLASK = {"pia": {"potions": 1}}
HELD = Condition(level=1, source="orc")
WOUNDS = (Wound(id="a", rank=6, initial_rank=6), Wound(id="b", rank=1, initial_rank=1))


def hurt(fight: Fight) -> Fight:
    return fight.given("pia", hp=10, wounds=WOUNDS)


def test_HR_REST_6_a_potion_works_after_an_hour_and_stops_at_the_cap() -> None:
    fight = hurt(opened(DUEL, sheets=FLASK)).do("drink_potion", creature="pia")
    fight.do("advance_clock", minutes=59)
    assert fight["pia"].hp == 10
    fight.do("advance_clock", minutes=1)
    assert [wound.rank for wound in fight["pia"].wounds] == [5]
    assert fight["pia"].hp == 30
    assert fight.refused("drink_potion", creature="pia") == "no_potion"
    again = hurt(opened(DUEL, sheets=FLASK)).given("pia", hp=25).do("drink_potion", creature="pia")
    assert again.do("advance_clock", minutes=60)["pia"].hp == 35, "the cap of a wound of rank 5"


@pytest.mark.parametrize("timing", ["priority", "turns"])
def test_HR_REST_6_in_combat_drinking_is_an_object_interaction(timing: str) -> None:
    fight = begun(DUEL, sheets=FLASK, options={"timing": timing}, turn_order=["pia", "orc"])
    assert "drink_potion" in {offer.type for offer in fight.offers("zoe", "pia")}
    fight.do("drink_potion", creature="pia")
    assert not fight["pia"].free_object
    assert fight["pia"].action == 1
    assert fight["pia"].potions_at_s == (3600,)


def test_HR_TIME_10_a_turn_offers_all_that_priority_offers() -> None:
    """What is done against a hold, fire, fear or for breath is offered in the turn edition as well."""
    fight = begun({**DUEL, "ash": (0, 1)}, options={"timing": "turns"}, turn_order=["pia", "ash", "orc"])
    fight.given(
        "pia", conditions={"grappled": Condition(level=1, source="orc"), "burning": Condition(level=2)}
    )
    fight.given("orc", conditions={"grappling": Condition(level=1, source="pia")})
    offered = {offer.type for offer in fight.offers("zoe", "pia")}
    assert {"break_free", "douse"} <= offered
    fight.do("douse", creature="pia")
    assert fight["pia"].level("burning") == 1
    assert fight["pia"].action == 0


def test_HR_ACT_13_a_friend_may_be_tripped_too() -> None:
    """Seed 000 says a creature that moves past, not an enemy."""
    fight = begun({"pia": (0, 0), "ash": (0, 2), "orc": (20, 20)})
    fight.given("ash", conditions={"off_balanced": Condition(level=1)})
    fight.do("dash", creature="ash", path=[[0, 1], [1, 1], [2, 1]])
    fight.answer("trip", "pia", target="ash")
    assert fight["ash"].has("prone")
    assert fight["ash"].position == (0, 1)
    assert fight["pia"].action == 0


@pytest.mark.parametrize("kind", ["ranged", "thrown", "melee"])
def test_HR_COND_18_the_prone_are_harder_to_hit_by_what_flies(kind: str) -> None:
    """Thrown weapons fly as arrows do, for lying prone as for cover; hand to hand it is the other way."""
    knife = {"id": "knife", "size_class": "light", "attack_type": kind, "damage_type": "slashing"}
    fight = begun(DUEL, sheets={"pia": {"weapons": [knife]}})
    fight.given("orc", conditions={"prone": Condition(level=1)})
    fight.do("engage", creature="pia", target="orc").joined_by().stances(pia="cunning", orc="defensive")
    fight.answer("declare_attack", "pia", 1, 1, 1, target="orc")
    fight.throw(1, 1, 1)
    defense = fight.rolls[-1]
    assert defense.dice[2].sides == (8 if kind == "melee" else 4), "its largest die again, or its smallest"
