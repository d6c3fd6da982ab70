"""Hold zones, things that several want, and what a phase sets off at its end."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.kernel.codec import Malformed
from tests.rules.rise.kit import Fight, begun, entry, opened


def maker(kind: str, **zone: Any) -> dict[str, Any]:
    """Return an ability that makes such ground around a cell."""
    return {"id": "make", "range_ft": 60, "zone": {"kind": kind, "radius_ft": 5, **zone}}


def test_C_38_a_wall_stands_for_its_own_group_at_once_and_for_others_from_the_announcement_on() -> None:
    """RI-RES-2, RI-DUR-1 (C-38)."""
    bow = {"id": "bow", "melee": False, "close_ft": 60, "long_ft": 60, "strike": {"dice": [6]}}
    fight = begun(
        entry("mon@p/p", (0, 0), abilities=[maker("wall", radius_ft=5)], weapons=[bow]),
        entry("mon@p/q", (0, 1), weapons=[bow]),
        entry("mon@m/e", (6, 0), weapons=[bow]),
    )
    assert fight.refused("use_ability", "p", ability="make") == "invalid_target"
    assert fight.refused("use_ability", "p", ability="make", at=[40, 0]) == "target_out_of_range"
    fight.do("use_ability", "p", ability="make", at=[3, 0]).end("p")
    assert fight.state.at("p").ground((3, 0)) == "wall"
    fight.do("strike", "e", 9, 4, target="p").end("e").rest()
    assert fight["p"].hp == 16
    assert fight.state.ground((3, 0)) == "wall"
    fight.to_actions()
    assert fight.refused("strike", "e", target="p") == "no_line_of_effect"
    fight.rest().to_actions()
    assert fight.state.ground((3, 0)) == "normal", "brief"


def test_C_38_a_hazard_hurts_others_at_the_end_of_the_phase_for_the_first_time() -> None:
    """RI-ORDER-3 (C-38)."""
    fire = maker("hazard", damage=3, until="round")
    fight = begun(entry("mon@p/p", (0, 0), abilities=[fire]), entry("mon@m/e", (6, 0), dr=1, dr_max=1))
    fight.do("use_ability", "p", ability="make", at=[6, 0]).end("p")
    assert fight.seen("p", "e").hp == 20
    fight.rest()
    assert (fight["e"].hp, fight["e"].dr) == (18, 1), "damage of the surroundings"
    fight.to_actions()
    assert fight["e"].hp == 18, "this round's zone is gone"


def test_C_38_darkness_hides_who_is_in_it_and_blinds_it() -> None:
    """RI-ATK-13, RI-RES-12 (C-38)."""
    fight = begun(
        entry("mon@p/p", (0, 0), abilities=[maker("darkness")]),
        entry("mon@p/q", (5, 0)),
        entry("mon@m/e", (6, 0)),
    )
    fight.do("use_ability", "p", ability="make", at=[6, 0]).end("p")
    fight.do("strike", "q", 9, 5, target="e").end("q")
    assert fight.logged("attack_rolled")[-1].outcome == "miss"
    fight.rest().to_actions()
    fight.do("strike", "e", 9, 6, 3, target="q")
    assert fight.logged("attack_rolled")[-1].outcome == "hit"


def grabbing(phase: str) -> Fight:
    """Return a fight with a gem between two groups."""
    sides = [entry("mon@p/p", (0, 0), dexterity=1), entry("mon@m/e", (2, 0))]
    return begun(*sides, phase=phase, items={"gem": [1, 0], "far": [9, 9]})


@pytest.mark.parametrize(("faces", "winner"), [((5, 8), "p"), ((9, 5), "e")])
@pytest.mark.parametrize("phase", ["movement", "action"])
def test_C_39_two_groups_that_take_one_thing_roll_for_it(
    phase: str, faces: tuple[int, int], winner: str
) -> None:
    """RI-CONF-2, RI-INIT-1 (C-39): e rolls first by name; whoever loses took in vain."""
    fight = grabbing(phase)
    assert fight.refused("manipulate_object", "p", what="pick_up", item="far") == "invalid_target"
    for name in ("p", "e"):
        fight.do("manipulate_object", name, what="pick_up", item="gem")
    if phase == "movement":
        fight.do("pass_movement", "p").do("pass_movement", "e")
    else:
        fight.end("p", "e")
    fight.throw(*faces)
    held = {name: fight[name].held for name in ("p", "e")}
    assert held == {name: ("gem",) if name == winner else () for name in ("p", "e")}
    assert "gem" not in fight.state.lying


def test_RI_MAN_1_what_is_dropped_lies_there_and_hands_have_an_end() -> None:
    """RI-MAN-1, RI-MAN-3."""
    fight = begun(entry("mon@p/p", (0, 0), hands=1), phase="movement", items={"gem": [1, 0]})
    fight.do("manipulate_object", "p", what="pick_up", item="gem")
    fight.do("pass_movement", "p").to_actions()
    assert fight.refused("manipulate_object", "p", what="draw", item="torch", pay="minor") == "no_free_hand"
    fight.do("manipulate_object", "p", what="drop", item="gem").end("p")
    assert fight.state.lying == {"gem": (0, 0)}


def _guarded(trigger: str, **more: Any) -> dict[str, Any]:
    riposte = {"id": "riposte", "tags": ["reactive"], "trigger": trigger, "strike": {"dice": [6]}}
    return {**riposte, "usage": "none", **more}


def test_RI_ATK_11_who_leaves_ones_reach_is_attacked_at_the_end_of_the_phase() -> None:
    """RI-ATK-11 (C-50): nothing comes before that, and nobody may roll it again."""
    fight = begun(
        entry("pc@p/p", (0, 0), abilities=[_guarded("leaves_reach")]),
        entry("mon@m/e", (1, 0)),
        phase="movement",
    )
    fight.do("pass_movement", "p").do("plan_movement", "e", path=[[2, 0], [3, 0]])
    fight.throw(3)
    assert fight.logged("attack_rolled")[-1].asks is False
    assert fight.state.stage == "action"
    fight.to_actions()
    assert fight.refused("use_ability", "p", ability="riposte", targets=["e"]) == "unknown_action_type"


def test_RI_ATK_11_who_comes_near_or_hurts_is_attacked_once_and_sets_nothing_else_off() -> None:
    fight = opened(
        entry("mon@p/p", (0, 0), abilities=[_guarded("hurt")]),
        entry("mon@m/e", (1, 0), abilities=[_guarded("hurt"), _guarded("enters_reach", id="snap")]),
    ).do("start_combat", start_phase="action")
    fight.to_actions().do("strike", "e", 9, 3, target="p").end("e").do("pass_turn", "p").throw(9, 4)
    assert (fight["p"].hp, fight["e"].hp) == (15, 16)
    assert len(fight.logged("reaction_came")) == 1
    fight.do("plan_movement", "p", path=[[0, 1], [-1, 1], [-2, 1]]).do("pass_movement", "e").to_actions()
    fight.rest().do("plan_movement", "p", path=[[-1, 0], [0, 0]]).do("pass_movement", "e").throw(1)
    assert fight.logged("reaction_came")[-1].reaction.ability == "snap"


def test_RI_SWIFT_9_nobody_keeps_up_a_zone() -> None:
    """A zone that nothing could end is no zone of a sheet."""
    with pytest.raises(Malformed, match="zone/until"):
        opened(entry("mon@p/p", (0, 0), abilities=[maker("wall", until="sustain")]), entry("mon@m/e", (6, 0)))


@pytest.mark.parametrize("names", [("a", "z"), ("z", "a")])
def test_RI_ATK_11_reactions_of_one_phase_come_together(names: tuple[str, str]) -> None:
    """RI-RES-10: both leave each other's reach, and each fells the other, whatever they are called."""
    deadly = {**_guarded("leaves_reach"), "strike": {"flat": 25}}
    first, second = names
    fight = begun(
        entry(f"mon@{first}/{first}", (0, 0), abilities=[deadly]),
        entry(f"mon@{second}/{second}", (1, 0), abilities=[deadly]),
        phase="movement",
    )
    fight.do("plan_movement", first, path=[[-1, 0]]).do("plan_movement", second, path=[[2, 0]]).throw(9, 9)
    assert fight["a"].dead
    assert fight["z"].dead


@pytest.mark.parametrize("names", [("a", "z"), ("z", "a")])
def test_RI_ATK_11_of_those_who_set_it_off_the_nearest_is_attacked(names: tuple[str, str]) -> None:
    """RI-RES-14: it may come once a round; of those as near the place decides, and no name."""
    other, first = names
    riposte = _guarded("hurt", range_ft=60)
    fight = begun(
        entry("mon@m/m", (0, 0), hp_max=90, abilities=[riposte]),
        entry(f"mon@{other}/{other}", (1, 0)),
        entry(f"mon@{first}/{first}", (0, 1)),
    )
    fight.do("pass_turn", "m")
    for name in names:
        fight.do("strike", name, 9, 3, target="m").end(name)
    fight.throw(9, 4)
    assert [each.reaction.target for each in fight.logged("reaction_came")] == [first]
