"""Hold a mount: the rider's check as the round begins, the knees, and where a mount runs when nobody does."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.rise.kit import Fight, entry, opened

NEVER: dict[str, Any] = {"options": {"exertion_prompt": "never"}}


def mounted(*faces: int, phase: str = "movement", horse: Any = (), rider: Any = (), **changes: Any) -> Fight:
    """Return a fight of a rider on an untrained horse, one enemy to the east, with the check thrown."""
    fight = opened(
        entry("pc@p/horse", (0, 0), **{"carries_riders": True, "combat_trained": False, **dict(horse)}),
        entry("pc@p/r", (0, 0), **{"mount": "horse", **dict(rider)}),
        entry("mon@m/e", (4, 0)),
        **changes,
    )
    return fight.do("start_combat", start_phase=phase).throw(*faces)


@pytest.mark.parametrize(
    ("face", "rider", "holds"),
    [
        (10, {}, True),
        (9, {}, False),
        (9, {"dexterity": 1}, True),
        (9, {"dexterity": 4, "ride": 0}, False),
        (4, {"ride": 6}, True),
        (10, {"fatigue": 4}, False),
    ],
)
def test_RI_MOUNT_1_an_untrained_mount_is_held_by_a_ride_check_of_10(
    face: int, rider: dict[str, Any], *, holds: bool
) -> None:
    """RI-FATIG-1: it is a check, so fatigue beyond the tolerance counts."""
    fight = mounted(face, rider=rider, **NEVER)
    (told,) = fight.logged("ride_checked")
    assert (told.creature, told.mount, told.difficulty, told.success) == ("r", "horse", 10, holds)
    assert fight["horse"].budget.bolts is not holds
    (roll,) = fight.rolls
    assert roll.name.stream == "r/ride/control"
    assert dict(roll.purpose) == {"who": "r", "what": "ride to hold"}


@pytest.mark.parametrize(
    "changes",
    [{"horse": {"combat_trained": True}}, {"rider": {"mount": None, "position": [0, 1]}}],
    ids=["trained", "nobody rides it"],
)
def test_RI_MOUNT_1_no_check_for_a_trained_mount_or_one_without_a_rider(changes: dict[str, Any]) -> None:
    if "rider" in changes:
        fight = opened(
            entry("pc@p/horse", (0, 0), carries_riders=True, combat_trained=False), entry("pc@p/r", (0, 2))
        ).do("start_combat")
    else:
        fight = mounted(**changes)
    assert not fight.logged("ride_asked")
    assert fight.state.phase == "movement"


def test_RI_MOUNT_1_a_mount_in_the_air_is_10_harder_to_hold() -> None:
    flying = {"altitude": 20, "speeds": {"fly": 40}}
    fight = mounted(10, horse=flying, rider={"altitude": 20, "ride": 9}, **NEVER)
    (told,) = fight.logged("ride_checked")
    assert (told.total, told.difficulty, told.success) == (19, 20, False)


def test_RI_MOUNT_1_what_nobody_holds_flees_with_its_rider() -> None:
    """RI-MOVE1-3: that is the rider's change of place."""
    fight = mounted(3, **NEVER)
    assert fight.refused("plan_movement", "horse", path=[[1, 0]]) == "mount_bolts"
    assert not any(offer.creature == "horse" for offer in fight.offers("seat-p"))
    fight.do("pass_movement", "r").do("pass_movement", "e")
    (told,) = fight.logged("mount_bolted")
    assert (told.creature, told.plan.targets) == ("horse", ("e",))
    assert (fight["horse"].position, fight["r"].position) == ((-6, 0), (-6, 0))

    fight.to_actions()
    assert fight.refused("move", "horse", path=[[-7, 0]]) == "mount_bolts"
    fight.do("pass_turn", "r").do("pass_turn", "e")
    assert fight.state.round == 2, "nobody waited for the horse"
    fight.throw(10)
    assert not fight["horse"].budget.bolts
    fight.do("plan_movement", "horse", path=[[-5, 0]], carry=["r"])


def test_RI_MOUNT_1_a_rider_may_leave_a_mount_that_bolts() -> None:
    fight = mounted(3, **NEVER)
    fight.do("plan_movement", "r", path=[[0, 1]]).do("pass_movement", "e")
    assert (fight["horse"].position, fight["r"].position) == ((-6, 0), (0, 1))
    assert fight["r"].mount is None


def test_RI_MOUNT_1_in_a_house_that_says_so_a_lost_mount_stays() -> None:
    fight = mounted(3, options={"lost_mount": "stays", "exertion_prompt": "never"})
    fight.do("pass_movement", "r").do("pass_movement", "e")
    assert fight["horse"].position == (0, 0)
    assert not fight.logged("mount_bolted")


def test_RI_MOUNT_1_a_mount_that_sees_no_enemy_stays() -> None:
    fight = mounted(3, terrain={f"2,{y}": "wall" for y in range(-9, 10)}, **NEVER)
    fight.do("pass_movement", "r").do("pass_movement", "e")
    assert not fight.logged("mount_bolted")


def test_RI_MOUNT_1_of_two_riders_the_first_has_the_reins() -> None:
    fight = opened(
        entry("pc@p/horse", (0, 0), carries_riders=True, combat_trained=False),
        entry("pc@p/r", (0, 0), mount="horse"),
        entry("pc@p/s", (0, 0), mount="horse"),
    )
    fight.do("start_combat").throw(10)
    assert [told.creature for told in fight.logged("ride_checked")] == ["r"]


OFF: dict[str, Any] = {"kind": "correction", "decision": "it fell off"}


@pytest.mark.parametrize("faces", [(), (7,)], ids=["before it is thrown", "before it is kept"])
def test_RI_MOUNT_1_a_check_is_dropped_where_a_ruling_has_put_the_rider_down(faces: tuple[int, ...]) -> None:
    """RI-GM-4: the faces that were asked for do not count for a later check either."""
    fight = mounted(*faces)
    down = {"does": "locate", "target": "r", "to": [3, 3]}
    fight.do("gm_ruling", **OFF, effects=[down])
    (told,) = fight.logged("ride_dropped")
    assert (told.creature, told.purpose) == ("r", "control")
    assert not fight.logged("ride_checked")
    assert fight.state.phase == "movement"
    assert not fight.state.declared_faces


def test_RI_UNIV_DESPERATE_a_ride_check_may_be_rolled_again() -> None:
    """RI-MOUNT-1: 2 better, the better counts, and it tires by 2."""
    fight = mounted(7)
    assert {offer.type for offer in fight.offers("seat-p")} == {"desperate_exertion", "keep_roll"}
    assert fight.allows("desperate_exertion", "r")
    assert fight.allows("keep_roll", "r")
    assert not fight.allows("keep_roll", "horse")
    fight.do("desperate_exertion", "r", 8)
    (told,) = fight.logged("ride_checked")
    assert (told.total, told.success, fight["r"].fatigue) == (10, True, 2)


@pytest.mark.parametrize(("keeps", "total"), [("better", 7), ("second", 4)])
def test_RI_UNIV_DESPERATE_which_ride_check_counts_is_the_houses_to_say(keeps: str, total: int) -> None:
    fight = mounted(7, options={"exertion_keeps": keeps}).do("desperate_exertion", "r", 2)
    assert (fight.logged("ride_checked")[-1].total, fight["r"].fatigue) == (total, 2)
    assert fight.refused("desperate_exertion", "r") in ("too_late", "wrong_phase")


def test_RI_UNIV_DESPERATE_a_ride_check_may_be_kept() -> None:
    fight = mounted(7).do("keep_roll", "r")
    assert (fight["horse"].budget.bolts, fight["r"].fatigue) == (True, 0)


def test_RI_UNIV_DESPERATE_no_monster_rolls_a_ride_check_again() -> None:
    fight = opened(
        entry("mon@m/wolf", (0, 0), carries_riders=True, combat_trained=False),
        entry("mon@m/imp", (0, 0), mount="wolf"),
    )
    fight.do("start_combat").throw(2)
    assert fight["wolf"].budget.bolts


# --- with the knees ----------------------------------------------------------------------------------


def riding(*held: str, **changes: Any) -> Fight:
    """Return a fight at its turns, of a rider on a trained horse that holds things."""
    horse = {"combat_trained": True}
    fight = mounted(phase="action", horse=horse, rider=changes.pop("rider", ()), **changes)
    return fight.given("r", held=held).to_actions()


def test_RI_MOUNT_1_one_hand_has_the_reins_unless_the_knees_guide() -> None:
    """RI-ACT-7: it is a free action, and costs nothing else."""
    fight = riding("lance")
    assert fight.refused("manipulate_object", "r", what="draw", item="blade") == "no_free_hand"
    assert fight.allows("guide_with_knees", "r")
    assert not fight.allows("guide_with_knees", "horse")
    fight.do("guide_with_knees", "r", 5)
    assert fight.logged("ride_checked")[-1].success
    assert fight.seen("p", "r").budget.standard == "unused"
    fight.do("manipulate_object", "r", what="draw", item="blade")
    (roll,) = fight.rolls
    assert (roll.name.stream, dict(roll.purpose)["what"]) == ("r/ride/knees", "ride to guide")


def test_RI_ACT_11_the_knees_are_tried_once_a_round() -> None:
    fight = riding("lance", **NEVER).do("guide_with_knees", "r", 4)
    assert not fight.logged("ride_checked")[-1].success
    assert fight.refused("guide_with_knees", "r") == "free_check_repeated"
    assert fight.refused("manipulate_object", "r", what="draw", item="blade") == "no_free_hand"
    assert not fight.allows("guide_with_knees", "r")


def test_RI_ACT_11_in_the_next_round_the_knees_are_tried_anew() -> None:
    fight = riding(**NEVER).do("guide_with_knees", "r", 5).end("r").rest()
    assert fight.state.round == 2
    assert not fight["r"].budget.knees
    fight.do("guide_with_knees", "r", 5)
    assert fight.state.phase == "movement", "RI-PHASE-3: free actions are for both phases"
    assert fight.seen("p", "r").budget.knees
    fight.do("pass_movement", "r").do("pass_movement", "horse").do("pass_movement", "e")
    fight.to_actions()
    assert fight.seen("p", "r").budget.knees, "what was freed stays free in the action phase"
    assert fight.refused("guide_with_knees", "r") == "free_check_repeated"


def test_RI_UNIV_DESPERATE_the_knees_may_try_again() -> None:
    fight = riding("lance").do("guide_with_knees", "r", 4).do("desperate_exertion", "r", 3)
    assert fight.logged("ride_checked")[-1].success
    assert fight.seen("p", "r").fatigue == 2
    fight.end("r").rest()
    assert fight["r"].fatigue == 2


def test_RI_UNIV_DESPERATE_knees_that_try_again_while_plans_are_made_tire_as_well() -> None:
    """RI-INFO-4: the others learn of it with the plans."""
    fight = riding("lance").rest()
    assert fight.state.phase == "movement"
    fight.do("guide_with_knees", "r", 4).do("desperate_exertion", "r", 3)
    assert (fight.seen("p", "r").fatigue, fight["r"].fatigue) == (2, 0)
    fight.to_actions()
    assert fight["r"].fatigue == 2


def test_RI_MOUNT_1_only_riders_have_knees_to_guide_with() -> None:
    fight = riding()
    assert fight.refused("guide_with_knees", "horse") == "mount_departed"


def test_RI_INFO_1_what_the_knees_did_is_the_groups_own_until_the_announcement() -> None:
    fight = riding(**NEVER).do("guide_with_knees", "r", 5)
    assert fight.seen("p", "r").budget.knees
    assert not fight["r"].budget.knees
    assert not fight.seen("m", "r").budget.knees


BOW = {"id": "bow", "melee": False, "close_ft": 90, "long_ft": 90, "strike": {"dice": [6]}}


@pytest.mark.parametrize(
    ("steps", "sprint", "penalty"),
    [(0, False, 0), (3, False, -2), (6, False, -2), (6, True, -2), (7, True, -4)],
)
def test_RI_MOUNT_1_shots_from_a_moving_mount_are_worse(steps: int, penalty: int, *, sprint: bool) -> None:
    """A mount that goes no farther than its speed has not sprinted, whatever was asked of it."""
    fight = riding(rider={"weapons": [BOW, {"id": "blade", "strike": {"dice": [8]}}]})
    if steps:
        path = [[0, y + 1] for y in range(steps)]
        fight.do("move", "horse", path=path, sprint=sprint).end("horse")
    fight.do("strike", "r", target="e", weapon="bow").throw(1)
    terms = {term.what: (term.amount, term.rule) for term in fight.rolls[-1].terms}
    assert terms.get("moving mount", (0, "RI-MOUNT-1")) == (penalty, "RI-MOUNT-1")


def test_RI_MOUNT_1_a_blade_does_not_mind_that_the_mount_moves() -> None:
    fight = riding().do("move", "horse", path=[[1, 0], [2, 0], [3, 0]]).end("horse")
    fight.do("strike", "r", target="e").throw(1)
    assert "moving mount" not in {term.what for term in fight.rolls[-1].terms}
