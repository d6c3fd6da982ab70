"""A hold and a climb last while their two ends are together, and a hold keeps the hands that it takes."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.heartrush.creatures.character import Condition
from tests.rules.heartrush.casts import ability, do, use
from tests.rules.heartrush.kit import Fight, begun

HOLD = {"grappling": Condition(source="wolf")}
HELD = {"grappled": Condition(source="pia")}
KNIFE = {"id": "knife", "size_class": "ultralight", "damage_type": "piercing"}
MAUL = {"id": "maul", "size_class": "heavy", "damage_type": "bludgeoning"}
BOW = {"id": "bow", "size_class": "light", "attack_type": "ranged", "damage_type": "piercing"}


def holding(places: dict[str, tuple[int, int]] | None = None, **changes: Any) -> Fight:
    """Return a fight in which Pia holds the wolf beside her."""
    fight = begun({"pia": (0, 0), "wolf": (1, 0), "orc": (20, 20), **(places or {})}, **changes)
    return fight.given("pia", conditions=HOLD).given("wolf", conditions=HELD)


def ruled(fight: Fight, **effect: Any) -> Fight:
    return fight.do("gm_ruling", kind="effect", decision="so it is", effects=[effect])


def is_free(fight: Fight) -> bool:
    assert fight["pia"].has("grappling") == fight["wolf"].has("grappled")
    return not fight["wolf"].has("grappled") and not fight["wolf"].has("restrained")


@pytest.mark.parametrize(("to", "free"), [((1, 1), False), ((2, 0), True), ((6, 0), True)])
@pytest.mark.parametrize("who", ["pia", "wolf"])
def test_HR_GRAP_8_who_is_moved_out_of_reach_is_free(who: str, to: tuple[int, int], *, free: bool) -> None:
    at = to if who == "wolf" else (1 - to[0], to[1])
    fight = ruled(holding(), kind="move", creature=who, to=list(at))
    assert is_free(fight) is free
    if free:
        assert fight.logged("freed")[-1].because == ("HR-GRAP-8",)


def test_HR_GRAP_8_an_instant_that_repositions_frees() -> None:
    away = ability(
        "away",
        "heart",
        "instant",
        params=[{"name": "to", "kind": "cell", "within_ft": 10}],
        effects=[do("move", creature="self", to="$to")],
    )
    fight = holding(sheets={"wolf": {"abilities": ["away"]}}, abilities=[away])
    prompt = next(a for a in fight.offers("gm", "wolf") if a.type == "declare_instant")
    fight.do("declare_instant", creature="wolf", ability="away", params={"to": [3, 0]}, prompt=prompt.prompt)
    assert fight["wolf"].position == (3, 0)
    assert is_free(fight)


def test_HR_GRAP_8_a_wall_or_a_door_between_ends_a_hold() -> None:
    assert is_free(ruled(holding(), kind="walls", edges=["0,0|1,0"], becomes="wall"))
    assert not is_free(ruled(holding(), kind="walls", edges=["0,1|1,1"], becomes="wall"))
    fight = holding(walls={"0,0|1,0": "open_door"})
    fight.do("object", creature="pia", verb="close", item="0,0|1,0")
    assert is_free(fight)


def test_HR_GRAP_8_a_ledge_that_opens_between_ends_a_hold() -> None:
    edges = [f"0,{y}|1,{y}" for y in range(-3, 4)]
    cells = [[x, y] for x in range(-3, 1) for y in range(-3, 4)]
    fight = ruled(holding(), kind="scenery", cells=cells, height_ft=20, edges=edges, ledge=True)
    assert is_free(fight)


@pytest.mark.parametrize(("reach", "free"), [("height", True), ("flat", False)])
def test_HR_FALL_4_a_hold_does_not_survive_a_fall_unless_the_house_says_so(reach: str, *, free: bool) -> None:
    scenery = {
        "heights": {f"{x},{y}": 20 for x in range(-6, 1) for y in range(-6, 7)},
        "ledges": [f"0,{y}|1,{y}" for y in range(-6, 7)],
    }
    fight = begun(
        {"pia": (0, 0), "wolf": (-1, 0), "orc": (20, 20)}, scenery=scenery, options={"ledge_reach": reach}
    )
    fight.given("pia", conditions=HOLD).given("wolf", conditions=HELD)
    fight.do("sidestep", 8, 6, creature="pia", to=[1, 0])
    assert (fight["pia"].position, fight["wolf"].position) == ((1, 0), (0, 0))
    assert is_free(fight) is free


# --- the level that a hold brings ------------------------------------------------------------------------


def test_HR_COND_25_the_level_of_a_hold_is_not_stored_and_ends_with_it() -> None:
    fight = holding()
    assert (fight["wolf"].level("restrained"), "restrained" in fight["wolf"].conditions) == (1, False)
    fight.given("wolf", conditions={**HELD, "restrained": Condition(level=2)})
    assert fight["wolf"].level("restrained") == 3
    fight.do("let_go", creature="pia")
    assert fight["wolf"].level("restrained") == 2
    fight.given("wolf", conditions={**HELD, "restrained": Condition(level=5)})
    assert fight["wolf"].level("restrained") == 5


def test_HR_COND_25_only_the_hold_itself_can_be_taken_off_a_captive() -> None:
    effect = {"kind": "lose_condition", "creature": "wolf", "condition": "restrained"}
    fight = holding()
    assert (
        fight.refused("gm_ruling", kind="effect", decision="free", effects=[effect]) == "effect_not_possible"
    )
    assert "by a hold" in str(fight.refusal)
    assert is_free(ruled(fight, kind="lose_condition", creature="wolf", condition="grappled"))


# --- hands -------------------------------------------------------------------------------------------------


def seized(hands: int, *weapons: dict[str, Any], **sheet: Any) -> Fight:
    """Return a fight in which Pia, who has these weapons and none in hand, holds the wolf with *hands*."""
    fight = holding(sheets={"pia": {"weapons": list(weapons), **sheet}})
    return fight.given("pia", conditions={"grappling": Condition(source="wolf", hands=hands)}, wielded=None)


@pytest.mark.parametrize(
    ("hands", "weapon", "code"),
    [
        (1, KNIFE, None),
        (1, MAUL, "no_free_hand"),
        (1, BOW, "no_free_hand"),
        (2, KNIFE, "no_free_hand"),
        (2, MAUL, "no_free_hand"),
    ],
)
def test_HR_GRAP_3_what_holds_a_captive_draws_nothing(
    hands: int, weapon: dict[str, Any], code: str | None
) -> None:
    fight = seized(hands, weapon)
    offered = [
        offer
        for offer in fight.offers("zoe", "pia")
        if offer.type == "object" and offer.given["verb"] == "draw"
    ]
    assert bool(offered) is (code is None)
    if code is None:
        fight.do("object", creature="pia", verb="draw", item=weapon["id"])
    else:
        assert fight.refused("object", creature="pia", verb="draw", item=weapon["id"]) == code


@pytest.mark.parametrize(("hands", "weapon"), [(1, MAUL), (2, KNIFE)])
def test_HR_GRAP_3_what_holds_a_captive_picks_nothing_up_and_is_given_nothing(
    hands: int, weapon: dict[str, Any]
) -> None:
    fight = begun(
        {"pia": (0, 0), "wolf": (1, 0), "orc": (20, 20)}, sheets={"pia": {"weapons": [weapon]}}
    ).given("pia", rush=1, action=1)
    fight.do("object", creature="pia", verb="drop", item=weapon["id"])
    (thing,) = fight.state.lying
    fight.given("pia", conditions={"grappling": Condition(source="wolf", hands=hands)})
    fight.given("wolf", conditions=HELD).do("pass_side", side="enemies")
    assert fight.refused("object", creature="pia", verb="pick_up", item=thing) == "no_free_hand"
    effect = {"kind": "arm", "creature": "pia", "weapon": {**weapon, "id": "other"}}
    found = fight.refused("gm_ruling", kind="effect", decision="take it", effects=[effect])
    assert found == "effect_not_possible"


def test_HR_GRAP_3_a_hold_takes_the_hands_that_were_free() -> None:
    for wielded, hands in ((None, 2), ("mace", 1)):
        fight = begun({"pia": (0, 0), "wolf": (1, 0), "orc": (20, 20)}).given("pia", wielded=wielded)
        ruled(fight, kind="condition", creature="wolf", condition="grappled", by="pia")
        assert fight["pia"].conditions["grappling"].hands == hands


def test_HR_ACT_9_a_part_of_the_body_is_not_put_away() -> None:
    fight = begun({"pia": (0, 0), "wolf": (1, 0)}, first="enemies")
    assert not [o for o in fight.offers("gm", "wolf") if o.type == "object" and o.given["verb"] == "stow"]
    assert fight.refused("object", creature="wolf", verb="stow") == "weapon_not_wielded"


# --- willing bonds ---------------------------------------------------------------------------------------


def test_HR_SVC_9_the_gm_lets_somebody_ride_a_friend() -> None:
    """Nobody has to be engaged for it: the mount carries its rider wherever it goes. HR-CLIMB-2."""
    fight = begun(
        {"pia": (0, 0), "horse": (1, 0), "orc": (20, 20)},
        sheets={"horse": {"like": "pia", "size": "large", "kind": "companion"}},
    )
    ruled(fight, kind="condition", creature="pia", condition="creature_climber", by="horse")
    assert fight["pia"].position == fight["horse"].position == (1, 0)
    fight.do("dash", creature="horse", path=[[2, 0], [3, 0]])
    assert fight["pia"].position == (3, 0)


def test_HR_SVC_9_the_gm_lets_somebody_drag_a_fallen_friend() -> None:
    fight = begun({"pia": (0, 0), "ash": (1, 0), "orc": (20, 20)}).given("ash", status="unconscious", hp=-1)
    ruled(fight, kind="condition", creature="ash", condition="grappled", by="pia")
    fight.do("sidestep", creature="pia", to=[-1, 0])
    assert fight["ash"].position == (0, 0)


@pytest.mark.parametrize(
    ("effect", "why"),
    [
        ({"condition": "grappled"}, "needs another creature"),
        ({"condition": "grappled", "by": "elf"}, "there is no creature elf"),
        ({"condition": "grappled", "by": "orc"}, "is not next to"),
        ({"condition": "creature_climber", "by": "pia"}, "is no smaller than"),
        ({"condition": "grappling", "by": "wolf"}, "is not next to"),
        ({"condition": "climbed_on", "by": "pia", "lasts": "minute"}, "lasts as long as"),
    ],
)
def test_HR_SVC_9_half_a_bond_and_one_that_cannot_be_is_refused(effect: dict[str, Any], why: str) -> None:
    fight = begun({"pia": (0, 0), "wolf": (1, 0), "orc": (20, 20)})
    whole = {"kind": "condition", "creature": "wolf", **effect}
    assert fight.refused("gm_ruling", kind="effect", decision="?", effects=[whole]) == "effect_not_possible"
    assert why in str(fight.refusal)


def test_HR_SVC_9_an_ability_that_grapples_ties_its_user() -> None:
    grab = ability(
        "grab",
        "heart",
        params=[{"name": "whom", "kind": "creature", "within_ft": 5}],
        effects=[do("condition", creature="$whom", condition="grappled")],
    )
    fight = begun({"pia": (0, 0), "wolf": (1, 0)}, sheets={"pia": {"abilities": ["grab"]}}, abilities=[grab])
    use(fight, "pia", "grab", whom="wolf")
    assert (fight["pia"].has("grappling"), fight["wolf"].has("grappled")) == (True, True)


def laid(creature: str, condition: str, by: str) -> dict[str, Any]:
    return {"kind": "condition", "creature": creature, "condition": condition, "by": by}


@pytest.mark.parametrize(
    ("second", "why"),
    [
        (laid("wolf", "grappled", "pia"), "ties pia and wolf already"),
        (laid("pia", "grappling", "wolf"), "ties pia and wolf already"),
        (laid("pia", "grappled", "wolf"), "ties pia and wolf already"),
        (laid("wolf", "grappling", "pia"), "ties pia and wolf already"),
        (laid("ash", "grappled", "pia"), "ties pia to wolf already"),
        (laid("wolf", "grappled", "ash"), "has pia hold wolf already"),
        (laid("ash", "grappling", "wolf"), "has pia hold wolf already"),
    ],
)
def test_HR_GRAP_5_one_ruling_lays_no_hold_twice(second: dict[str, Any], why: str) -> None:
    """Neither from the other end, nor the other way round, nor a second one of the same creature."""
    fight = begun({"pia": (0, 0), "wolf": (1, 0), "ash": (1, 1), "orc": (20, 20)})
    effects = [laid("wolf", "grappled", "pia"), second]
    assert fight.refused("gm_ruling", kind="effect", decision="?", effects=effects) == "effect_not_possible"
    assert fight.refusal is not None
    assert fight.refusal.detail == f"effect 1: an effect before it {why}"


def test_HR_GRAP_5_one_ruling_lays_several_holds_and_either_of_two() -> None:
    fight = begun({"pia": (0, 0), "wolf": (1, 0), "ash": (1, 1), "orc": (20, 20)})
    ruled(fight, **laid("wolf", "grappled", "pia"))
    effects = [laid("ash", "grappled", "wolf"), {"kind": "rush", "creature": "ash", "points": 1}]
    fight.do("gm_ruling", kind="effect", decision="so", effects=effects)
    assert fight["ash"].conditions["grappled"].source == "wolf"
    fight = begun({"pia": (0, 0), "wolf": (1, 0), "orc": (20, 20)})
    ends = {"won": [laid("wolf", "grappled", "pia")], "lost": [laid("pia", "grappled", "wolf")]}
    contest = {
        "kind": "contest",
        "creature": "pia",
        "ability": "might",
        "against": "wolf",
        "what": "?",
        **ends,
    }
    fight.do("gm_ruling", kind="effect", decision="so", effects=[contest])


def test_HR_CLIMB_1_one_ruling_lets_nobody_climb_twice() -> None:
    sheets = {name: {"like": "pia", "size": "large", "kind": "companion"} for name in ("horse", "mule")}
    fight = begun({"pia": (0, 0), "horse": (1, 0), "mule": (0, 1), "orc": (20, 20)}, sheets=sheets)
    effects = [laid("pia", "creature_climber", "horse"), laid("mule", "climbed_on", "pia")]
    assert fight.refused("gm_ruling", kind="effect", decision="?", effects=effects) == "effect_not_possible"
    assert fight.refusal is not None
    assert "ties pia to horse already" in fight.refusal.detail
