"""Hold free abilities in the movement phase: planned with the movement and done in its course."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.ruleset import waiting
from tests.rules.rise.kit import Fight, begun, entry, unfolded

MEND = {"id": "mend", "usage": "free", "range_ft": 10, "effects": [{"does": "heal_hp", "amount": 3}]}
ONCE = {**MEND, "id": "once", "per_round_limit": 1}
SHAKE = {"id": "shake", "usage": "free", "effects": [{"does": "lose", "condition": "slowed"}]}
SLOW = {
    "id": "slow",
    "range_ft": 99,
    "effects": [{"does": "gain", "condition": "slowed", "modifiers": {"defenses": -2}}],
}
FREE: tuple[dict[str, Any], ...] = (MEND, ONCE, SHAKE)


def east(start: int, end: int) -> list[list[int]]:
    """Return the cells from one column to another, the first left out."""
    step = 1 if end > start else -1
    return [[x, 0] for x in range(start + step, end + step, step)]


def use(ability: str, *targets: str, **more: Any) -> dict[str, Any]:
    """Return a free ability as a plan has it."""
    return {"ability": ability, "targets": list(targets), **more}


def marching(*more: dict[str, Any], hp: int = 10, **changes: Any) -> Fight:
    """Return a fight at its plans: one that knows free abilities, and an enemy far off."""
    mine = {"abilities": list(FREE), **changes}
    return begun(entry("mon@p/p", (0, 0), hp=hp, **mine), entry("mon@m/e", (0, 9)), *more, phase="movement")


def test_RI_PHASE_3_a_free_ability_is_used_on_the_way() -> None:
    """C-25, RI-ACT-7: sealed with the plan, paid in the round's free actions, true once all have moved."""
    fight = marching()
    fight.do("plan_movement", "p", path=east(0, 4), free_actions=[use("mend", "p", step=2)])
    assert fight["p"].hp == 10, "it is a plan"
    fight.do("pass_movement", "e")
    assert (fight["p"].hp, fight["p"].position) == (13, (4, 0))
    assert fight["p"].budget.free == {"mend": 1}
    (came,) = fight.logged("free_ability_came")
    assert (came.at, came.missed, came.because) == ((2, 0), (), ("RI-PHASE-3", "C-25"))
    assert [e.type for e in fight.events].index("moved") < [e.type for e in fight.events].index("healed")


def test_RI_PHASE_3_whoever_stays_may_use_them_too() -> None:
    """RI-MOVE1-6: to stay is not a change of place; who is held fast has its free actions as well."""
    fight = marching().given("p", conditions=())
    fight.do("pass_movement", "p", free_actions=[use("mend", "p"), use("once", "p")]).do("pass_movement", "e")
    assert (fight["p"].hp, fight["p"].location_changed) == (16, False)
    assert not fight.logged("moved")


def test_RI_ACT_7_limits_count_for_the_round() -> None:
    """RI-ACT-7: within a plan, and from the movement phase into the action phase."""
    fight = marching()
    twice = [use("once", "p"), use("once", "p")]
    assert fight.refused("plan_movement", "p", free_actions=twice) == "free_ability_limit"
    assert fight.refused("pass_movement", "p", free_actions=twice) == "free_ability_limit"
    fight.do("pass_movement", "p", free_actions=twice[:1]).to_actions()
    assert fight.refused("use_ability", "p", ability="once", targets=["p"]) == "free_ability_limit"
    fight.rest().do("plan_movement", "p", free_actions=twice[:1])


def test_C_25_the_soft_limit_counts_what_is_planned() -> None:
    """RI-ACT-7: after the GM has said that it is enough."""
    fight = begun(
        entry("mon@p/p", (0, 0), abilities=list(FREE)),
        entry("mon@m/e", (0, 9)),
        phase="movement",
        options={"free_actions_warn": 2},
    )
    three = [use("mend", "p")] * 3
    fight.do("rule", question="free_action_reasonable", subjects=["p"], chosen="no")
    assert fight.refused("pass_movement", "p", free_actions=three) == "free_action_unreasonable"
    fight.do("pass_movement", "p", free_actions=three[:2]).to_actions()
    assert fight.refused("use_ability", "p", ability="mend", targets=["p"]) == "free_action_unreasonable"


def held() -> Fight:
    """Return a fight at the plans of its second round, in which `p` holds `e`."""
    fight = begun(entry("mon@p/p", (0, 0)), entry("mon@m/e", (1, 0)))
    return fight.do("grapple", "p", 6, target="e").end("p").rest()


def test_RI_ACT_11_a_grip_is_firmed_in_either_phase_but_once() -> None:
    """RI-UNIV-MAINTAIN, C-46: a free action with a check; it comes first, for it is Swift."""
    fight = held()
    firm = [use("maintain_grapple")]
    assert fight.refused("pass_movement", "p", free_actions=[*firm, *firm]) == "free_check_repeated"
    assert (
        fight.refused("pass_movement", "p", free_actions=[use("maintain_grapple", "e")]) == "invalid_target"
    )
    fight.do("pass_movement", "p", free_actions=firm).do("pass_movement", "e").throw(5)
    assert fight["p"].budget.free == {"maintain_grapple": 1}
    assert fight.refused("maintain_grapple", "p") == "free_check_repeated"
    fight.to_actions().do("pass_turn", "p").do("escape_grapple", "e", 4).end("e")
    assert fight["e"].has("grappled"), "8 against a grip of 9"
    fight = marching()
    assert fight.refused("pass_movement", "p", free_actions=firm) == "not_grappled"


@pytest.mark.parametrize(
    ("ability", "code"),
    [
        ({"strike": {"versus": ["mental"], "damaging": False}}, "wrong_phase"),
        ({"effects": [{"does": "damage", "amount": 3}]}, "wrong_phase"),
        ({"effects": [{"does": "push", "amount": 10}]}, "wrong_phase"),
        ({"later": "next_action"}, "wrong_phase"),
        ({"usage": "minor"}, "wrong_phase"),
        ({"usage": "standard"}, "wrong_phase"),
        ({"trigger": "hurt"}, "unknown_action_type"),
    ],
)
def test_C_50_nothing_attacks_in_the_movement_phase(ability: dict[str, Any], code: str) -> None:
    """RI-PHASE-1: neither what costs an action, nor what hurts, moves others or comes later."""
    fight = marching(abilities=[{**MEND, **ability}])
    assert fight.refused("plan_movement", "p", free_actions=[use("mend", "p")]) == code
    assert not [o for o in fight.offers("gm") if "free_actions" in o.choices and o.creature == "p"]


@pytest.mark.parametrize(
    ("uses", "code"),
    [
        (use("nothing", "p"), "ability_not_in_profile"),
        (use("mend", "nobody"), "invalid_target"),
        (use("mend"), "invalid_target"),
        (use("mend", "p", step=3), "invalid_target"),
        (use("mend", "p", step=-1), "malformed"),
        (use("mend", "p", at=[0, 0]), "invalid_target"),
        (use("mend", "e"), "target_out_of_range"),
    ],
)
def test_RI_ACT_6_a_use_has_its_place_and_its_reach(uses: dict[str, Any], code: str) -> None:
    assert marching().refused("plan_movement", "p", path=east(0, 2), free_actions=[uses]) == code


def test_RI_ACT_6_it_is_used_from_where_the_path_has_come_to() -> None:
    """RI-RES-7: the other is reached where it stood, though it goes away in the same phase."""
    fight = marching(entry("mon@p/q", (6, 0), hp=10))
    path = {"path": east(0, 5)}
    assert fight.refused("plan_movement", "p", **path, free_actions=[use("mend", "q", step=3)]) == (
        "target_out_of_range"
    )
    fight.do("plan_movement", "p", **path, free_actions=[use("mend", "q", step=4)])
    fight.do("plan_movement", "q", path=east(6, 9)).do("pass_movement", "e")
    assert (fight["q"].position, fight["q"].hp) == ((9, 0), 13)


def test_RI_CONF_3_who_is_stopped_short_does_what_it_still_can() -> None:
    """RI-ATK-12: what is out of reach from there is missed, and spent."""
    wall = entry("mon@m/f", (2, 0))
    fight = marching(entry("mon@p/q", (6, 0), hp=10), wall)
    both = [use("mend", "q", step=4), use("mend", "p", step=4)]
    fight.do("plan_movement", "p", path=east(0, 4), free_actions=both).to_actions()
    assert fight["p"].position == (1, 0)
    assert [(e.at, e.missed) for e in fight.logged("free_ability_came")] == [
        ((1, 0), ("q",)),
        ((1, 0), ()),
    ]
    assert (fight["p"].hp, fight["q"].hp) == (13, 10)
    assert fight["p"].budget.free == {"mend": 2}


def test_RI_ACT_6_what_one_does_to_oneself_before_setting_out_counts_for_the_way() -> None:
    """RI-ACT-6, RI-PHASE-5: slowed until it shakes it off, which has to come before the first step."""
    fight = begun(entry("mon@p/p", (0, 0), abilities=[SHAKE]), entry("mon@m/e", (9, 9), abilities=[SLOW]))
    fight.do("use_ability", "e", ability="slow", targets=["p"]).end("e").rest()
    assert fight["p"].has("slowed")
    way = {"path": east(0, 6)}
    late = [use("shake", "p", step=1)]
    assert fight.refused("plan_movement", "p", **way) == "insufficient_speed"
    assert fight.refused("plan_movement", "p", **way, free_actions=late) == "insufficient_speed"
    found = [o for o in fight.offers("gm") if "free_actions" in o.choices and o.type == "plan_movement"]
    assert max(len(path) for offer in found for path in offer.choices["path"]) == 6
    fight.do("plan_movement", "p", **way, free_actions=[use("shake", "p")]).do("pass_movement", "e")
    assert fight["p"].position == (6, 0)
    assert not fight["p"].has("slowed")


@pytest.mark.parametrize(("tags", "outcome"), [(["swift"], "miss"), ([], "hit")])
def test_RI_SWIFT_10_what_is_swift_comes_before_anything_of_the_phase(tags: list[str], outcome: str) -> None:
    """C-21: a shove as a movement attacks after it; what is not Swift comes too late for that."""
    guard = {
        "id": "guard",
        "usage": "free",
        "tags": tags,
        "range_ft": 30,
        "effects": [{"does": "gain", "condition": "guard", "modifiers": {"defenses": 5}, "until": "round"}],
    }
    fight = begun(
        entry("mon@p/p", (0, 0)), entry("mon@m/e", (1, 0)), entry("mon@m/f", (1, 1), abilities=[guard])
    )
    fight.do("grapple", "p", 6, target="e").end("p").rest()
    fight.do("plan_movement", "p", ability="shove", targets=["e"]).do("pass_movement", "e")
    fight.do("plan_movement", "f", path=[[2, 1]], free_actions=[use("guard", "e")]).throw(8)
    assert fight.logged("attack_rolled")[-1].outcome == outcome
    assert fight["e"].has("guard")


CHEER = {
    "id": "cheer",
    "usage": "free",
    "area": {"shape": "sphere", "size_ft": 10, "range_ft": 0, "whom": "allies"},
    "effects": [{"does": "heal_hp", "amount": 3}],
}
AIMED = {**CHEER, "area": {**CHEER["area"], "range_ft": 15, "whom": "everyone"}}  # type: ignore[dict-item]  # an area


def crowd(cheer: dict[str, Any], *more: dict[str, Any]) -> Fight:
    """Return a fight at its plans: `p` fills an area, `a` is an ally two cells off, `b` one six cells off."""
    allies = (entry("mon@p/a", (2, 0), hp=10), entry("mon@p/b", (6, 0), hp=10), *more)
    return marching(*allies, abilities=[cheer])


def test_RI_PHASE_3_an_area_catches_who_stood_in_it_when_the_phase_began() -> None:
    """RI-RES-7: whoever moves out dodges nothing, whoever moves in gains nothing; it spares its user."""
    fight = crowd(CHEER)
    fight.do("plan_movement", "p", path=east(0, -3), free_actions=[use("cheer")])
    fight.do("plan_movement", "a", path=[[2, y] for y in range(1, 7)])
    fight.do("plan_movement", "b", path=east(6, 3)).do("pass_movement", "e")
    assert [fight[name].hp for name in "pab"] == [10, 13, 10]
    assert not fight.rolls


def test_RI_PHASE_3_an_area_spreads_from_where_its_user_has_got_to() -> None:
    fight = crowd(CHEER)
    fight.do("plan_movement", "p", path=[[1, 1], [2, 1], [3, 1], [4, 1]], free_actions=[use("cheer", step=4)])
    for name in "abe":
        fight.do("pass_movement", name)
    assert [fight[name].hp for name in "pab"] == [10, 13, 13]


@pytest.mark.parametrize(("blocked", "hp"), [(False, [10, 10, 13]), (True, [10, 10, 10])])
def test_RI_CONF_3_who_is_stopped_short_may_not_get_its_area_there(
    blocked: bool,  # noqa: FBT001  # what the case is about
    hp: list[int],
) -> None:
    fight = crowd(AIMED, entry("mon@m/x", (1, 1 if blocked else 8)))
    aim = use("cheer", step=3, at=[6, 0], altitude_ft=0)
    fight.do("plan_movement", "p", path=[[1, 1], [2, 1], [3, 1]], free_actions=[aim])
    for name in "abex":
        fight.do("pass_movement", name)
    assert [fight[name].hp for name in "pab"] == hp
    assert [event.placed for event in fight.logged("free_ability_came")] == [not blocked]


@pytest.mark.parametrize(
    ("uses", "code"),
    [
        (use("cheer", "a", at=[2, 0]), "invalid_target"),
        (use("cheer"), "invalid_target"),
        (use("cheer", at=[6, 0]), "target_out_of_range"),
        (use("cheer", at=[2, 0], altitude_ft=3), "invalid_target"),
        (use("cheer", at=[2, 0], altitude_ft=50), "target_out_of_range"),
    ],
)
def test_RI_ATK_1_an_area_on_the_way_has_its_place_and_its_range(uses: dict[str, Any], code: str) -> None:
    assert crowd(AIMED).refused("plan_movement", "p", free_actions=[uses]) == code


def test_RI_SWIFT_10_a_swift_area_comes_before_anybody_moves() -> None:
    """RI-SWIFT-1: it spreads from where its user sets out, whatever step it is planned for."""
    swift = {**CHEER, "tags": ["swift"]}
    fight = crowd(swift)
    fight.do("plan_movement", "p", path=east(0, 6), free_actions=[use("cheer", step=3)])
    for name in "abe":
        fight.do("pass_movement", name)
    assert [fight[name].hp for name in "pab"] == [10, 13, 10]
    types = [event.type for event in fight.events]
    assert types.index("free_ability_came") < types.index("moved")


def test_RI_PHASE_3_areas_are_offered_around_everybody_in_range() -> None:
    """What is offered is exact: each offer is accepted in a fight of its own."""
    fight = crowd(AIMED)
    offers = unfolded(fight.offers("gm"), "free_actions")
    offers = [o for o in offers if o.given.get("free_actions") and o.creature == "p"]
    uses = {(o.type, *o.given["free_actions"][0]["at"]) for o in offers}
    assert uses == {(type_, x, 0) for type_ in ("pass_movement", "plan_movement") for x in (0, 2)}
    for offer in offers:
        more = {"path": [list(c) for c in offer.choices["path"][0]]} if "path" in offer.choices else {}
        crowd(AIMED).do(offer.type, "p", free_actions=list(offer.given["free_actions"]), **more)


def test_C_38_a_zone_lies_there_once_all_have_moved() -> None:
    """RI-PHASE-4: it stops nobody who moves in the same phase."""
    thorns = {
        "id": "thorns",
        "usage": "free",
        "range_ft": 30,
        "zone": {"kind": "wall", "radius_ft": 0, "until": "brief"},
    }
    fight = marching(entry("mon@m/f", (4, 0)), abilities=[thorns])
    fight.do("pass_movement", "p", free_actions=[use("thorns", at=[2, 1])])
    fight.do("plan_movement", "f", path=[[3, 1], [2, 1], [1, 1]]).do("pass_movement", "e")
    assert fight["f"].position == (1, 1)
    assert fight.state.ground((2, 1)) == "wall"


def test_RI_PHASE_3_dice_of_a_free_ability_are_thrown_when_it_comes() -> None:
    """RI-INFO-2: nothing is thrown while plans are sealed."""
    dicey = {**MEND, "effects": [{"does": "heal_hp", "dice": [6], "amount": 1}], "cost_fatigue": 1}
    fight = begun(
        entry("pc@p/p", (0, 0), hp=5, abilities=[dicey]), entry("mon@m/e", (9, 9)), phase="movement"
    )
    fight.do("pass_movement", "p", free_actions=[use("mend", "p")])
    assert not [a for a in waiting(fight.state) if a.wants]
    fight.do("pass_movement", "e").throw(4)
    assert (fight["p"].hp, fight["p"].fatigue) == (10, 1)


def test_RI_PHASE_3_free_abilities_are_offered_with_plans_and_with_staying() -> None:
    """What is offered is exact: each offer is accepted in a fight of its own."""
    fight = marching()
    offers = unfolded(fight.offers("gm"), "free_actions")
    offers = [o for o in offers if o.given.get("free_actions") and o.creature == "p"]
    uses = [(offer.type, offer.given["free_actions"][0]) for offer in offers]
    assert {(type_, one["ability"], one.get("step", 0)) for type_, one in uses} == {
        *(("pass_movement", a["id"], 0) for a in FREE),
        *(("plan_movement", a["id"], step) for a in FREE for step in (0, 1)),
    }
    for offer in offers:
        for path in offer.choices.get("path", ((),)):
            other = marching()
            more = {"path": [list(cell) for cell in path]} if offer.type == "plan_movement" else {}
            other.do(offer.type, "p", free_actions=list(offer.given["free_actions"]), **more)
