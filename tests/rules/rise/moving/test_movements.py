"""Hold movements that attack, react, bind or are blocked: overruns, shoves, custom rules, blocks, mounts."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.kernel.records import changed
from service.rules.rise.creatures.character import Condition
from service.rules.rise.planning.initiative import ties
from tests.rules.rise.kit import Fight, begun, entry, opened


def east(start: int, end: int, y: int = 0) -> list[list[int]]:
    """Return the cells from *start* to *end* along x, the start left out."""
    step = 1 if end > start else -1
    return [[x, y] for x in range(start + step, end + step, step)]


def planned(*entries: dict[str, Any], **changes: Any) -> Fight:
    """Return a fight in which movements are planned."""
    return begun(*entries, phase="movement", **changes)


@pytest.mark.parametrize(("face", "end"), [(6, 4), (5, 0)])
def test_RI_UNIV_OVERRUN_as_a_movement_attacks_who_stands_in_the_way(face: int, end: int) -> None:
    """RI-UNIV-OVERRUN: 1 fatigue, and a miss ends it before the creature."""
    fight = planned(entry("pc@p/p", (0, 0)), entry("mon@m/e", (1, 0)), options={"exertion_prompt": "never"})
    fight.do("plan_movement", "p", ability="overrun", path=east(0, 4)).do("pass_movement", "e")
    fight.do("step_aside", "e", accept=False).throw(face)
    assert fight["p"].position == (end, 0)
    assert fight["p"].fatigue == 1


def test_RI_UNIV_OVERRUN_who_steps_aside_is_passed() -> None:
    fight = planned(entry("pc@p/p", (0, 0)), entry("mon@m/e", (1, 0)), entry("mon@m/big", (9, 9)))
    fight.do("plan_movement", "p", ability="overrun", path=east(0, 4))
    fight.do("pass_movement", "e").do("pass_movement", "big")
    fight.do("step_aside", "e", accept=True)
    assert (fight["p"].position, fight["e"].position) == ((4, 0), (1, 0))
    assert not fight.rolls
    assert fight.refused("step_aside", "e", accept=True) == "wrong_step"


def test_RI_UNIV_OVERRUN_a_miss_may_be_rolled_again() -> None:
    """RI-UNIV-DESPERATE also in the movement phase."""
    fight = planned(entry("pc@p/p", (0, 0)), entry("mon@m/e", (1, 0)))
    fight.do("plan_movement", "p", ability="overrun", path=east(0, 4)).do("pass_movement", "e")
    fight.do("step_aside", "e", accept=False).throw(3)
    fight.do("desperate_exertion", "p", 4)
    assert fight["p"].position == (4, 0)
    assert fight["p"].fatigue == 3


def test_RI_UNIV_OVERRUN_stops_at_what_is_too_big_and_attacks_nobody_who_leaves() -> None:
    fight = planned(
        entry("mon@p/p", (0, 0), size="small"),
        entry("mon@m/e", (2, 0)),
        entry("mon@m/ogre", (3, 0), size="large"),
    )
    fight.do("plan_movement", "p", ability="overrun", path=east(0, 2))
    fight.do("plan_movement", "e", path=[[2, -1]]).do("pass_movement", "ogre")
    assert fight["p"].position == (2, 0), "two sizes apart are no obstacle, and e has left"
    assert not fight.rolls


def _grappling(**options: Any) -> Fight:
    fight = begun(entry("mon@p/p", (0, 0)), entry("mon@m/e", (1, 0)), options=options)
    return fight.do("grapple", "p", 6, target="e").end("p").rest()


def test_RI_UNIV_SHOVE_is_a_movement_for_whoever_grapples() -> None:
    """RI-UNIV-SHOVE, RI-MOVE1-1: both move, and that is the one movement of both."""
    fight = _grappling()
    assert fight.refused("plan_movement", "p", path=[[0, 1]]) == "immobilized"
    assert fight.refused("plan_movement", "p", ability="shove") == "invalid_target"
    fight.do("plan_movement", "p", ability="shove", targets=["e"]).do("pass_movement", "e")
    fight.throw(8)
    assert (fight["p"].position, fight["e"].position) == ((3, 0), (4, 0))
    assert fight["e"].location_changed is False or fight.logged("moved")


def test_RI_UNIV_SHOVE_that_misses_moves_nobody() -> None:
    fight = _grappling()
    fight.do("plan_movement", "p", ability="shove", targets=["e"]).do("pass_movement", "e").throw(2)
    assert (fight["p"].position, fight["e"].position) == ((0, 0), (1, 0))
    free = planned(entry("mon@p/p", (0, 0)), entry("mon@m/e", (1, 0)))
    assert free.refused("plan_movement", "p", ability="shove", targets=["e"]) == "not_grappled"


def test_RI_MOVE_5_getting_up_costs_half_the_speed_in_either_phase() -> None:
    for phase, command in (("movement", "plan_movement"), ("action", "move")):
        fight = opened(entry("mon@p/p", (0, 0)), entry("mon@m/e", (9, 9)))
        fight.given("p", conditions=(Condition(name="prone"),)).do("start_combat", start_phase=phase)
        if phase == "action":
            fight.to_actions()
        assert fight.refused(command, "p", stand_up=True, path=east(0, 4)) == "insufficient_speed"
        fight.do(command, "p", stand_up=True, path=east(0, 3))
        if phase == "action":
            fight.end("p").rest()
        else:
            fight.do("pass_movement", "e")
        assert (fight["p"].position, fight["p"].has("prone")) == ((3, 0), False)
    held = opened(entry("mon@p/p", (0, 0), hands=1), entry("mon@m/e", (9, 9)))
    held.given("p", conditions=(Condition(name="prone"),), held=("torch",)).do("start_combat")
    assert held.refused("plan_movement", "p", stand_up=True) == "no_free_hand"


def test_RI_REAC_1_a_movement_by_a_simple_rule_of_ones_own() -> None:
    """RI-REAC-1: near one creature, or away from it, or one way until the rule is kept."""
    fight = planned(entry("mon@p/p", (0, 0)), entry("mon@m/e", (10, 0)), entry("mon@n/f", (0, 3)))
    assert fight.refused("plan_movement", "p", ability="custom", targets=["e"]) == "reactive_rule_too_complex"
    code = fight.refused("plan_movement", "p", ability="custom", targets=["e", "f"], within_ft=30)
    assert code == "reactive_rule_too_complex"
    fight.do("plan_movement", "p", ability="custom", targets=["e"], within_ft=30)
    fight.do("plan_movement", "e", path=east(10, 8))
    fight.do("plan_movement", "f", ability="custom", targets=["e"], beyond_ft=50, direction=[-1, 0])
    assert fight["p"].position == (2, 0)
    assert fight["f"].position == (-1, 3), "the first place at which the rule is kept"


def test_RI_REAC_1_the_gm_may_allow_more_than_one_thing() -> None:
    fight = planned(entry("mon@p/p", (0, 0)), entry("mon@m/e", (1, 0)), entry("mon@n/f", (4, 0)))
    rule = {"ability": "custom", "targets": ["e", "f"], "within_ft": 40, "beyond_ft": 20}
    assert fight.refused("plan_movement", "p", **rule) == "reactive_rule_too_complex"
    fight.do("rule", question="reactive_plan_ok", subjects=["p"], chosen="yes")
    fight.do("plan_movement", "p", **rule).do("pass_movement", "e").do("pass_movement", "f")
    assert fight["p"].position == (-3, 0)


def test_RI_REAC_1_only_what_is_plainly_seen_is_followed() -> None:
    fight = planned(entry("mon@p/p", (0, 0)), entry("mon@m/e", (4, 0)), terrain={"2,0": "wall"})
    assert fight.refused("plan_movement", "p", ability="follow", targets=["e"]) == "target_not_visible"


def test_RI_REAC_2_followers_of_followers_go_after_them() -> None:
    """RI-REAC-2, RI-UNIV-FOLLOW: whom one follows has moved before one follows."""
    fight = planned(entry("mon@a/a", (0, 0)), entry("mon@b/b", (1, 0)), entry("mon@c/c", (2, 0)))
    fight.do("plan_movement", "a", ability="follow", targets=["b"])
    fight.do("plan_movement", "b", ability="follow", targets=["c"])
    fight.do("plan_movement", "c", path=east(2, 8))
    assert [fight[name].position for name in "abc"] == [(6, 0), (7, 0), (8, 0)]


@pytest.mark.parametrize(("face", "end"), [(9, (4, 0)), (2, (0, 0))])
def test_RI_REAC_2_who_follows_a_teleporting_creature_needs_initiative(
    face: int, end: tuple[int, int]
) -> None:
    """RI-REAC-2: it teleports within sight; who loses goes on as though it had stayed."""
    fight = planned(entry("mon@p/p", (0, 0)), entry("mon@m/e", (1, 0), speeds={"land": 30, "teleport": 60}))
    assert fight.refused("plan_movement", "e", ability="teleport", path=[[20, 0]]) == "insufficient_speed"
    fight.do("plan_movement", "p", ability="follow", targets=["e"])
    fight.do("plan_movement", "e", ability="teleport", path=[[5, 0]]).throw(5, face)
    assert fight["e"].position == (5, 0)
    assert fight["p"].position == end


def test_RI_REAC_4_several_blockers_add_up_and_the_first_step_counts() -> None:
    """RI-REAC-4, RI-SWIFT-10."""
    blockers = [entry("mon@x/a", (1, 1), dexterity=9), entry("mon@x/b", (1, -1), dexterity=8)]
    fight = planned(*blockers, entry("pc@y/t", (0, 0)), options={"exertion_prompt": "never"})
    fight.do("plan_movement", "a", ability="block", targets=["t"])
    fight.do("plan_movement", "b", ability="block", targets=["t"])
    fight.do("plan_movement", "t", ability="sprint", path=east(0, 3)).throw(5, 5, 5)
    assert fight["t"].position == (0, 0), "60 feet do not pay for 30 and 30 and the way"


@pytest.mark.parametrize(("value", "end"), [("blocker", 2), ("blocked", 0)])
def test_C_19_whose_speed_passing_a_blocker_costs(value: str, end: int) -> None:
    fight = planned(
        entry("mon@x/b", (1, 1), dexterity=9, speeds={"land": 20}),
        entry("mon@y/t", (0, 0)),
        options={"block_speed": value},
    )
    fight.do("plan_movement", "b", ability="block", targets=["t"])
    fight.do("plan_movement", "t", path=[[1, 0], [1, -1]]).throw(5, 5)
    assert fight["t"].position == ((1, -1) if end else (0, 0))


def test_RI_REAC_4_who_could_pass_the_blocker_ignores_it() -> None:
    fight = planned(entry("mon@x/b", (1, 1)), entry("mon@y/t", (0, 0), size="tiny", speeds={"land": 30}))
    fight.do("plan_movement", "b", ability="block", targets=["t"])
    fight.do("plan_movement", "t", path=east(0, 3))
    assert fight["t"].position == (3, 0)
    assert not fight.rolls


CORRIDOR = {f"{x},{y}": "wall" for x in range(-1, 6) for y in (-1, 1)}


@pytest.mark.parametrize(("ruling", "conflict"), [(None, True), ("no", False)])
def test_C_13_changing_places_in_a_corridor_is_a_conflict(ruling: str | None, *, conflict: bool) -> None:
    """RI-CONF-1: unless the GM says that they squeeze past each other."""
    fight = planned(entry("mon@p/p", (0, 0)), entry("mon@m/e", (4, 0)), terrain=CORRIDOR)
    if ruling:
        fight.do("rule", question="swap_conflict", chosen=ruling)
    fight.do("plan_movement", "p", path=east(0, 4)).do("plan_movement", "e", path=east(4, 0))
    if conflict:
        fight.throw(5, 8)
        assert (fight["p"].position, fight["e"].position) == ((3, 0), (4, 0))
    else:
        assert (fight["p"].position, fight["e"].position) == ((4, 0), (0, 0))
        assert not fight.rolls


def test_RI_INIT_3_a_later_equal_check_ties_with_those_that_tied_before() -> None:
    """RI-INIT-3: compared as far as both have rolled."""
    state = planned(entry("mon@a/a", (0, 0)), entry("mon@b/b", (2, 0)), entry("mon@c/c", (9, 9))).state
    rolled = {"a": (8, 2), "b": (8, 5), "c": (8,)}
    assert ties(changed(state, initiative=rolled), ["a", "b", "c"]) == ["c"]
    assert ties(changed(state, initiative={**rolled, "c": (8, 5)}), ["a", "b", "c"]) == ["b", "c"]
    assert not ties(changed(state, initiative={**rolled, "c": (8, 5, 1), "b": (8, 5, 9)}), ["a", "b", "c"])


def _racing(**options: Any) -> Fight:
    fight = planned(entry("pc@p/p", (0, 0)), entry("mon@m/e", (2, 0)), options=options)
    fight.do("plan_movement", "p", path=[[1, 0]]).do("plan_movement", "e", path=[[1, 0]])
    return fight.throw(6, 4)


@pytest.mark.parametrize(("again", "first"), [(5, "p"), (3, "e")])
def test_C_44_a_player_may_exert_itself_for_its_initiative(again: int, first: str) -> None:
    """RI-UNIV-DESPERATE: before the order is applied, with 2 more, for 2 fatigue."""
    fight = _racing()
    assert fight["p"].position == (0, 0), "it waits"
    fight.do("desperate_exertion", "p", again)
    assert fight[first].position == (1, 0)
    assert fight["p"].fatigue == 2
    assert len(fight.logged("conflict_found")) == 1


def test_C_44_the_check_may_stand_and_the_house_may_not_ask() -> None:
    fight = _racing().do("keep_roll", "p")
    assert (fight["e"].position, fight["p"].fatigue) == ((1, 0), 0)
    assert _racing(exertion_prompt="never")["e"].position == (1, 0)


def test_RI_MOUNT_1_riders_come_off() -> None:
    """RI-MOUNT-1: knocked out one falls off unless the saddle holds; who rides what falls lies there."""
    faint = {"id": "faint", "range_ft": 99, "effects": [{"does": "gain", "condition": "unconscious"}]}
    for saddle, whom in ((False, "r"), (True, "r"), (True, "horse")):
        fight = begun(
            entry("pc@p/horse", (0, 0), carries_riders=True),
            entry("pc@p/r", (0, 0), mount="horse", military_saddle=saddle),
            entry("mon@m/e", (5, 0), abilities=[faint]),
        )
        fight.do("pass_turn", "r").do("pass_turn", "horse")
        fight.do("use_ability", "e", ability="faint", targets=[whom]).end("e")
        kept = saddle and whom == "r"
        assert (fight["r"].mount == "horse") is kept
        assert fight["r"].has("prone")


def test_C_49_who_is_carried_does_not_step_off_in_the_same_phase() -> None:
    """RI-MOVE1-3, in whichever order the two are planned."""
    fight = planned(entry("pc@p/horse", (0, 0), carries_riders=True), entry("pc@p/r", (0, 0), mount="horse"))
    fight.do("plan_movement", "horse", path=east(0, 3), carry=["r"])
    assert fight.refused("plan_movement", "r", path=[[0, 1]]) == "already_moved_this_phase"
    fight.do("pass_movement", "r")
    assert fight["r"].position == (3, 0)


@pytest.mark.parametrize(("profile", "code"), [("rise-4d", None), ("rise-5d", "mount_cannot_sprint")])
def test_RI_MOUNT_1_whether_mounts_sprint_is_the_printings_to_say(profile: str, code: str | None) -> None:
    fight = planned(
        entry("pc@p/horse", (0, 0), carries_riders=True),
        entry("pc@p/r", (0, 0), mount="horse"),
        options={"profile": profile},
    )
    data = {"ability": "sprint", "path": east(0, 8), "carry": ["r"]}
    if code is None:
        fight.do("plan_movement", "horse", **data)
    else:
        assert fight.refused("plan_movement", "horse", **data) == code


def test_RI_UNIV_CHARGE_needs_legs_free_and_a_blade() -> None:
    bow = {"id": "bow", "melee": False, "close_ft": 60, "long_ft": 60, "strike": {"dice": [6]}}
    fight = begun(entry("mon@p/p", (0, 0), weapons=[bow]), entry("mon@m/e", (3, 0)))
    assert fight.refused("charge", "p", path=east(0, 2), target="e") == "not_adjacent"
    held = _grappling().to_actions()
    assert held.refused("charge", "e", path=east(1, 2), target="p") == "immobilized"
