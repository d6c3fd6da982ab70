"""Hold flying, gliding, jumping, falling, and being thrown back."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.rise.creatures.combat_statistics import defense_terms, total
from tests.rules.rise.kit import Fight, begun, entry

WINGS = {"land": 30, "fly": 60, "glide": 30}


def flying(altitude: int, *more: dict[str, Any], **options: Any) -> Fight:
    """Return a fight in which `f` is so high in the air and movements are planned."""
    flyer = entry("mon@p/f", (0, 0), speeds=WINGS, altitude=altitude)
    return begun(flyer, *more, entry("mon@m/e", (9, 0)), phase="movement", options=options)


def test_RI_MOVE_9_going_up_is_part_of_the_movement() -> None:
    """RI-MOVE-9, RI-MOVE-1."""
    fight = flying(0)
    code = fight.refused("plan_movement", "f", mode="fly", path=[[1, 0]], altitude_ft=60)
    assert code == "insufficient_speed"
    assert fight.refused("plan_movement", "f", path=[[1, 0]], altitude_ft=20) == "no_such_movement_mode"
    assert fight.refused("plan_movement", "f", mode="fly", path=[], altitude_ft=7) == "path_blocked"
    fight.do("plan_movement", "f", mode="fly", path=[[1, 0]], altitude_ft=40).do("pass_movement", "e")
    assert (fight["f"].aloft, fight["f"].altitude) == ("flying", 40)
    assert total(defense_terms(fight["f"], "armor", None)) == 8, "at home on land, it is clumsy in the air"


def test_RI_MOVE_9_hovering_and_landing_are_movements_too() -> None:
    fight = flying(40)
    fight.do("plan_movement", "f", mode="fly", path=[]).do("pass_movement", "e").to_actions()
    fight.do("move", "f", mode="fly", path=[], altitude_ft=0).end("f").rest()
    assert (fight["f"].aloft, fight["f"].altitude) == (None, 0)
    assert not fight.logged("fell")


def test_RI_MOVE_9_gliding_goes_down_ten_feet() -> None:
    fight = flying(30)
    fight.do("plan_movement", "f", mode="glide", path=[[1, 0]]).do("pass_movement", "e")
    assert fight["f"].altitude == 20


@pytest.mark.parametrize(("value", "hp"), [("d6_per_10_ft", 13), ("none", 20)])
def test_RI_ORDER_5_a_fall_hurts_for_every_ten_feet(value: str, hp: int) -> None:
    """RI-ORDER-5, RI-DMG-6 (C-43): damage of the surroundings, at the end of the phase."""
    fight = flying(25, fall_damage=value).do("pass_movement", "f").do("pass_movement", "e")
    if value != "none":
        fight.throw(3, 4)
    assert (fight["f"].hp, fight["f"].altitude) == (hp, 0)
    assert fight["f"].has("prone")
    assert fight.logged("fell")[-1].feet == 25


def test_RI_ORDER_5_from_high_up_one_falls_for_several_phases() -> None:
    fight = flying(600, fall_damage="none").do("pass_movement", "f").do("pass_movement", "e")
    assert (fight["f"].altitude, fight["f"].aloft) == (300, "falling")
    fight.to_actions().rest()
    assert (fight["f"].altitude, fight["f"].aloft) == (0, None)


def test_RI_ATK_1_blades_do_not_reach_what_flies_high() -> None:
    """RI-ATK-1, RI-MOVE-4: and nobody stands in the way of what passes overhead."""
    fight = flying(20, entry("mon@m/g", (1, 0)))
    fight.do("plan_movement", "f", mode="fly", path=[[1, 0], [2, 0]])
    fight.do("pass_movement", "e").do("pass_movement", "g").to_actions()
    assert fight["f"].position == (2, 0)
    assert fight.refused("strike", "g", target="f") == "not_adjacent"


def test_RI_MOVE_10_how_high_one_jumps() -> None:
    fight = begun(entry("mon@p/p", (0, 0), strength=8), phase="movement")
    high = {"ability": "jump", "path": [[1, 0]]}
    assert fight.refused("plan_movement", "p", **high, altitude_ft=15) == "insufficient_speed"
    fight.do("plan_movement", "p", **high, altitude_ft=10)
    assert (fight["p"].aloft, fight["p"].altitude) == ("falling", 10)


def gust(does: str) -> dict[str, Any]:
    """Return an ability that moves its target 20 feet straight away."""
    return {"id": "gust", "range_ft": 30, "effects": [{"does": does, "amount": 20}]}


def test_RI_MOVE_7_a_knockback_hurts_both_it_and_what_it_hits() -> None:
    """RI-MOVE-7: 1d6 for each 10 feet that were left."""
    fight = begun(
        entry("mon@p/p", (0, 0), abilities=[gust("knockback")]),
        entry("mon@m/e", (1, 0)),
        entry("mon@n/wall", (3, 0)),
    )
    fight.do("use_ability", "p", 4, ability="gust", targets=["e"]).end("p").rest()
    assert (fight["e"].position, fight["e"].hp, fight["wall"].hp) == ((2, 0), 16, 16)


def test_RI_MOVE_7_a_push_ends_harmlessly_and_counts_as_a_movement() -> None:
    fight = begun(
        entry("mon@p/p", (0, 0), abilities=[gust("push")]),
        entry("mon@m/e", (1, 0)),
        terrain={"4,0": "wall"},
    )
    fight.do("use_ability", "p", ability="gust", targets=["e"]).end("p").rest()
    assert (fight["e"].position, fight["e"].hp) == ((3, 0), 20)
    assert not fight.rolls
