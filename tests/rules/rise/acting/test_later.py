"""Delayed and repeated attacks when they come: whom they reach then, and at whom they are aimed."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.rise.kit import Fight, begun, entry, opened, unfolded

ECHO = {"id": "echo", "later": "next_action", "range_ft": 5, "strike": {"versus": ["armor"], "flat": 7}}
EMBER = {"id": "ember", "later": "next_action", "range_ft": 5, "effects": [{"does": "damage", "amount": 3}]}


def declared(ability: str = "echo", terrain: dict[str, str] | None = None, **options: Any) -> Fight:
    """Return a fight in which p has declared an ability on its neighbour e, and the next round has begun."""
    fight = opened(
        entry("pc@p/p", (0, 0), abilities=[ECHO, EMBER]),
        entry("mon@m/e", (1, 0)),
        entry("mon@m/f", (0, 1)),
        terrain=terrain or {},
        options={"exertion_prompt": "never", **options},
    ).do("start_combat", start_phase="action")
    fight.to_actions().do("use_ability", "p", ability=ability, targets=["e"]).do("end_turn", "p")
    return fight.rest()


def gone(fight: Fight, *path: tuple[int, int]) -> Fight:
    """Let e walk away, and nobody commit to anything."""
    return fight.do("plan_movement", "e", path=[list(cell) for cell in path]).to_actions()


def test_RI_DELAY_4_it_does_not_reach_whoever_has_walked_away() -> None:
    """RI-ATK-1: the same ability used now would be out of range."""
    fight = gone(declared(), (2, 0), (3, 0), (4, 0)).do("begin_turn", "p")
    (fired,) = fight.logged("delayed_fired")
    assert (fired.targets, fired.missed) == ((), ("e",))
    fight.do("end_turn", "p").rest()
    assert fight["e"].hp == 20


def test_RI_DELAY_4_nor_whoever_stands_behind_a_wall() -> None:
    """RI-ATK-12: a wall between them stops it as it stops a strike."""
    far = {**ECHO, "range_ft": 60}
    fight = opened(
        entry("pc@p/p", (0, 0), abilities=[far]),
        entry("mon@m/e", (1, 0)),
        terrain={"1,-1": "wall"},
        options={"exertion_prompt": "never"},
    ).do("start_combat", start_phase="action")
    fight.to_actions().do("use_ability", "p", ability="echo", targets=["e"]).do("end_turn", "p").rest()
    gone(fight, (2, -1), (2, -2)).do("begin_turn", "p")
    assert fight.logged("delayed_fired")[-1].missed == ("e",)


@pytest.mark.parametrize("ability", ["echo", "ember"])
def test_RI_DELAY_4_it_comes_to_whom_it_reaches(ability: str) -> None:
    fight = declared(ability).to_actions().do("begin_turn", "p")
    if ability == "echo":
        fight.throw(9)
    fight.do("end_turn", "p").rest()
    assert fight["e"].hp == (13 if ability == "echo" else 17)


def test_RI_DELAY_6_an_attack_is_aimed_when_it_comes() -> None:
    """P30: additional attacks during your next action."""
    fight = gone(declared(), (2, 0), (3, 0), (4, 0)).do("begin_turn", "p", hold_delayed=True)
    offers = unfolded(fight.offers("seat-p"), "targets")
    offered = [offer.given.get("targets") for offer in offers if offer.type == "fire_delayed"]
    assert offered == [None, ("p",), ("f",)]
    assert fight.refused("fire_delayed", "p", ability="echo", targets=["e"]) == "target_out_of_range"
    fight.do("fire_delayed", "p", 9, ability="echo", targets=["f"]).do("end_turn", "p").rest()
    assert (fight["e"].hp, fight["f"].hp) == (20, 13)


def test_RI_DELAY_6_an_effect_without_an_attack_lies_on_its_targets() -> None:
    fight = declared("ember").to_actions().do("begin_turn", "p", hold_delayed=True)
    assert fight.refused("fire_delayed", "p", ability="ember", targets=["f"]) == "invalid_target"
    assert fight.allows("fire_delayed", "p", ability="ember")


@pytest.mark.parametrize(("felled", "rolls"), [("allowed", True), ("refused", False)])
def test_RI_DELAY_4_the_felled_are_attacked_as_by_a_strike(felled: str, *, rolls: bool) -> None:
    """C-37: rolled and wasted, or not rolled at all, whether it is a strike or comes later."""
    fight = declared(attack_the_felled=felled).given("e", hp=1).to_actions()
    fight.do("begin_turn", "p", hold_delayed=True).do("strike", "p", 9, 5, target="e")
    assert fight.seen("p", "e").dead
    fight.do("fire_delayed", "p", ability="echo")
    asked = any("throw_dice" in a for a in [o.type for o in fight.offers("seat-p")])
    assert asked is rolls


@pytest.mark.parametrize(("fate", "hp"), [("unconscious", 17), ("dead", 20)])
def test_RI_DELAY_4_what_a_monster_that_lies_senseless_began_comes(fate: str, hp: int) -> None:
    """C-30: it needs no attack, and its owner lives; of the dead it lapses."""
    owner = entry("mon@p/p", (0, 0), hp=5, abilities=[EMBER])
    fight = begun(
        owner, entry("mon@p/q", (9, 9)), entry("mon@m/e", (1, 0)), options={"monsters_at_zero": fate}
    )
    fight.do("use_ability", "p", ability="ember", targets=["e"]).end("p").do("pass_turn", "q")
    fight.do("strike", "e", 8, 5, target="p").end("e").to_actions().rest()
    assert fight["e"].hp == hp
