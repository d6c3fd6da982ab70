"""Hold extra damage: once for each attack and target, halved and multiplied with it, never again later."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.kernel.codec import from_data
from service.rules.rise.table.opening import Opening, faults
from tests.rules.rise.kit import Fight, begun, entry, opening

EXTRA = {"does": "extra", "dice": [6], "amount": 1}
SEAR: dict[str, Any] = {
    "id": "sear",
    "range_ft": 60,
    "strike": {"versus": ["reflex"], "dice": [4], "flat": 2, "half_on_miss": True},
    "effects": [EXTRA],
}
FLAME: dict[str, Any] = {
    "id": "flame",
    "usage": "minor",
    "range_ft": 60,
    "effects": [{"does": "gain", "condition": "flame", "dice": [6], "modifiers": {"damage": 1}}],
}


def against(*others: dict[str, Any], abilities: list[dict[str, Any]], **options: Any) -> Fight:
    """Return a fight of `f` with *abilities* against `e` and *others*."""
    user = entry("mon@p/f", (0, 0), abilities=abilities)
    return begun(user, entry("mon@m/e", (1, 0), hp_max=99), *others, options=options)


@pytest.mark.parametrize(
    ("die", "dice", "amount"),
    [((9,), (3, 5), 11), ((5,), (3, 5), 5), ((2,), (3, 5), 5), ((10, 6), (3, 4, 5, 6), 24)],
    ids=["hit", "glance", "miss", "crit"],
)
def test_RI_DMG_1_extra_damage_is_halved_and_multiplied_with_the_attack(
    die: tuple[int, ...], dice: tuple[int, ...], amount: int
) -> None:
    """RI-ATK-4, RI-ATK-5, RI-DMG-2: all the dice again on a critical hit, and the fixed parts multiplied."""
    fight = against(abilities=[SEAR]).do("use_ability", "f", *die, *dice, ability="sear", targets=["e"])
    assert [event.amount for event in fight.logged("damage_rolled")] == [amount]
    assert {die.role for die in fight.rolls[-1].dice} == {"damage", "extra"}


@pytest.mark.parametrize(("die", "amount"), [((9,), 11), ((5,), 5), ((10, 6), 22)])
def test_RI_INFO_5_kept_back_it_is_halved_and_multiplied_all_the_same(
    die: tuple[int, ...], amount: int
) -> None:
    """RI-DMG-1."""
    fight = against(abilities=[SEAR], visibility="none")
    fight.do("use_ability", "f", *die, 3, 5, ability="sear", targets=["e"]).end("f").rest()
    assert fight["e"].hp == 99 - amount


def test_RI_DMG_1_it_comes_once_for_each_target_and_no_effect_brings_it_again() -> None:
    """RI-ATK-1: each target has a roll of its own; what an effect does besides is no attack."""
    burns = {**SEAR, "effects": [EXTRA, {"does": "damage", "amount": 4}]}
    fight = against(entry("mon@m/g", (1, 1), hp_max=99), abilities=[burns])
    fight.do("use_ability", "f", 9, 3, 5, 9, 1, 2, ability="sear", targets=["e", "g"])
    assert (fight.seen("p", "e").hp, fight.seen("p", "g").hp) == (99 - 11 - 4, 99 - 6 - 4)
    fight = against(abilities=[SEAR])
    assert fight.refused("use_ability", "f", ability="sear", targets=["e", "e"]) == "invalid_target"


def test_RI_DMG_1_what_lies_on_the_attacker_adds_to_all_its_attacks() -> None:
    """RI-CALC-1: of two of one name the weightier counts."""
    weak = {**FLAME, "id": "spark", "effects": [{**FLAME["effects"][0], "dice": []}]}
    fight = against(abilities=[FLAME, weak, SEAR])
    fight.do("use_ability", "f", ability="flame", targets=["f"])
    fight.do("use_ability", "f", ability="spark", targets=["f"], pay="standard").end("f").rest().to_actions()
    fight.do("strike", "f", 9, 5, 6, target="e")
    assert fight.logged("damage_rolled")[-1].amount == 5 + 2 + 6 + 1
    assert [term.what for term in fight.rolls[-1].terms] == ["flat damage", "flame"]


def test_RI_DMG_1_without_dice_it_is_a_number() -> None:
    strike = {**SEAR["strike"], "dice": []}
    fixed = {**SEAR, "strike": strike, "effects": [{"does": "extra", "amount": 3}]}
    fight = against(abilities=[fixed]).do("use_ability", "f", 9, ability="sear", targets=["e"])
    assert fight.logged("damage_rolled")[-1].amount == 5


@pytest.mark.parametrize(
    ("more", "rolls"),
    [
        ({"at_once": True, "later": "next_action"}, ((3, 5), (3,))),
        ({"at_once": True, "later": "each_action", "times": 2}, ((3, 5), (3,), (3,))),
        ({"later": "each_action", "times": 2}, ((), (3, 5), (3,))),
    ],
)
def test_RI_DELAY_5_extra_damage_is_spent_on_the_first_instance(
    more: dict[str, Any], rolls: tuple[tuple[int, ...], ...]
) -> None:
    """RI-DMG-1, RI-FATIG-2: and the first instance is what tires."""
    caster = entry("pc@p/f", (0, 0), abilities=[{**SEAR, **more, "cost_fatigue": 1}])
    options = {"exertion_prompt": "never"}
    fight = begun(caster, entry("mon@m/e", (1, 0), hp_max=99), options=options)
    first, *others = [((9, *faces) if faces else ()) for faces in rolls]
    fight.do("use_ability", "f", *first, ability="sear", targets=["e"]).end("f").rest()
    for faces in others:
        fight.to_actions().do("begin_turn", "f", *faces).end("f").rest()
    amounts = [event.amount for event in fight.logged("damage_rolled")]
    assert amounts == [sum(faces) + (3 if len(faces) == 2 else 2) for faces in rolls if faces]
    assert fight["f"].fatigue == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"strike": None},
        {"strike": {"versus": ["reflex"], "damaging": False}},
        {"effects": [], "on_miss": [EXTRA]},
        {"effects": [], "on_crit": [EXTRA]},
        {"effects": [], "on_loss": [EXTRA]},
        {"effects": [{**EXTRA, "to": "self"}]},
        {"at_once": True},
    ],
)
def test_RI_DMG_1_extra_damage_without_an_attack_is_refused_with_the_opening(wrong: dict[str, Any]) -> None:
    data = opening(entry("mon@p/f", (0, 0), abilities=[{**SEAR, **wrong}]))
    pointer, _ = next(faults(from_data(Opening, data)))
    assert pointer.startswith("/creatures/0/sheet/abilities/0")
    assert not [*faults(from_data(Opening, opening(entry("mon@p/f", (0, 0), abilities=[SEAR]))))]
