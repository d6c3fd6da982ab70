"""Follow and withdraw for a standard action: paid at once, resolved with what all groups did."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from service.rules.rise.creatures.state import State
from tests.rules.rise.bot import choices, data_of, melee
from tests.rules.rise.kit import Fight, begun, entry, opened, unfolded

FOLLOW: dict[str, Any] = {"ability": "follow", "distance_ft": 5}
OWN: dict[str, Any] = {"ability": "custom", "within_ft": 10, "distance_ft": None}
WITHDRAW: dict[str, Any] = {"ability": "withdraw", "distance_ft": 30}


def _east(start: int, end: int, y: int = 0) -> list[list[int]]:
    return [[x, y] for x in range(start + 1, end + 1)]


def _chase(**follower: Any) -> Fight:
    """Return a fight in which `f` may follow `w`, who may withdraw from it."""
    kind = follower.pop("kind", "mon")
    speeds = follower.pop("speeds", {"land": 30})
    return begun(entry(f"{kind}@x/f", (0, 0), **follower), entry("mon@y/w", (1, 0), speeds=speeds))


def test_RI_ACT_4_a_standard_action_buys_a_movement_that_reacts() -> None:
    """RI-ACT-4, C-48, RI-CONF-5: both go as far as they can, and no die is thrown."""
    fight = _chase().do("move", "w", targets=["f"], **WITHDRAW).do("move", "f", targets=["w"], **FOLLOW)
    assert fight.seen("x", "f").budget.standard == "traded_movement"
    assert [fight.seen("x", name).position for name in "fw"] == [(0, 0), (1, 0)], "nobody has seen it move"
    assert fight.refused("strike", "f", target="w") == "standard_action_spent"
    fight.end("f", "w")
    assert [fight[name].position for name in "fw"] == [(6, 0), (7, 0)]
    assert not fight.rolls
    assert [sorted(e.plans) for e in fight.logged("group_announced")] == [["f"], ["w"]]


@pytest.mark.parametrize(("sprint", "ends"), [(False, (6, 0)), (True, (8, 0))])
def test_RI_UNIV_SPRINT_a_follower_that_is_outrun_sprints_without_tiring(
    sprint: bool,  # noqa: FBT001  # what the case is about
    ends: tuple[int, int],
) -> None:
    """RI-CONF-6, RI-V-23 in the action phase: who may sprint says so beforehand, and pays nothing."""
    fight = _chase(kind="pc", speeds={"land": 40}).do("move", "f", targets=["w"], sprint=sprint, **FOLLOW)
    fight.end("f").do("move", "w", targets=["f"], **WITHDRAW).end("w")
    assert (fight["f"].position, fight["w"].position, fight["f"].fatigue) == (ends, (9, 0), 0)


def test_RI_REAC_2_a_follower_goes_after_whom_another_group_moved() -> None:
    """RI-REAC-2, C-19: non-reactive movers first, those who were pushed too."""
    fight = begun(entry("mon@x/f", (0, 0)), entry("mon@y/t", (2, 0)), entry("mon@z/s", (2, 1)))
    fight.do("move", "f", targets=["t"], **FOLLOW).end("f")
    fight.do("shove", "s", 6, target="t", direction=[0, -1]).end("s").rest()
    assert (fight["t"].position, fight["f"].position) == ((2, -3), (1, -2))


def test_RI_REAC_3_a_withdrawal_keeps_its_distance_from_where_others_end() -> None:
    """RI-REAC-3: several targets; and no farther than is needed."""
    fight = begun(entry("mon@x/w", (0, 0)), entry("mon@y/a", (6, 0)), entry("mon@y/b", (8, 0)))
    fight.do("move", "w", ability="withdraw", targets=["a", "b"], distance_ft=20).end("w")
    fight.do("move", "a", path=[[x, 0] for x in (5, 4, 3, 2)]).end("a").rest()
    assert (fight["a"].position, fight["w"].position) == ((2, 0), (-2, 0))


def test_RI_REAC_5_a_follower_stops_where_the_speed_it_paid_for_ends() -> None:
    """RI-RES-12: what happens to its speed later in the phase changes nothing."""
    fight = begun(entry("mon@x/f", (0, 0), fatigue=0), entry("mon@y/t", (1, 0)))
    fight.given("f", conditions=()).do("move", "f", targets=["t"], **FOLLOW).end("f")
    fight.do("move", "t", path=_east(1, 7)).end("t")
    assert fight["f"].position == (6, 0)


def test_RI_MOVE_5_a_follower_gets_up_first() -> None:
    fight = begun(entry("mon@x/f", (0, 0)), entry("mon@y/t", (1, 0)))
    fight.do("trip", "t", 8, target="f").end("t").rest().to_actions()
    assert fight["f"].has("prone")
    fight.do("move", "f", targets=["t"], stand_up=True, **FOLLOW)
    assert not fight.seen("x", "f").has("prone"), "it got up at once"
    fight.end("f").do("move", "t", path=_east(1, 7)).end("t")
    assert (fight["f"].position, fight["f"].has("prone")) == ((3, 0), False)


def test_RI_GROUP_5_whoever_follows_an_ally_that_moved_already_is_seen_where_it_ends() -> None:
    """RI-GROUP-5: for the group there is nothing left to wait for."""
    fight = begun(entry("pc@p/a", (0, 0)), entry("pc@p/b", (0, 1)), entry("mon@m/o", (20, 20)))
    fight.do("move", "a", path=_east(0, 6)).end("a").do("move", "b", targets=["a"], **FOLLOW)
    assert fight.seen("p", "b").position == (5, 1)
    assert not fight.state.at("p").plans
    fight.end("b").rest()
    assert fight["b"].position == (5, 1)


def test_RI_REAC_2_an_ally_that_follows_an_ally_who_waits_itself_waits_too() -> None:
    fight = begun(entry("pc@p/a", (0, 0)), entry("pc@p/b", (-1, 0)), entry("mon@m/o", (1, 0)))
    fight.do("move", "a", targets=["o"], **FOLLOW).end("a").do("move", "b", targets=["a"], **FOLLOW).end("b")
    assert [fight.seen("p", name).position for name in "ab"] == [(0, 0), (-1, 0)]
    fight.do("move", "o", path=_east(1, 5)).end("o")
    assert [fight[name].position for name in "abo"] == [(4, 0), (3, 0), (5, 0)]


def test_RI_MOVE1_7_what_the_group_did_first_is_the_one_movement() -> None:
    """RI-MOVE1-2, RI-MOVE1-4, RI-MOVE1-8: shoved and then following, or the other way round."""
    places = (entry("pc@p/a", (0, 1)), entry("pc@p/f", (0, 0)), entry("mon@m/o", (5, 0)))
    shoved = begun(*places).do("shove", "a", 5, target="f", willing=True, direction=[0, -1]).end("a")
    assert shoved.refused("move", "f", targets=["o"], **FOLLOW) == "already_moved_this_phase"

    fight = begun(*places).do("move", "f", targets=["o"], **FOLLOW).end("f")
    fight.do("shove", "a", 5, target="f", willing=True, direction=[0, -1]).end("a")
    assert [e.creature for e in fight.logged("location_effect_ignored")] == ["f"]
    fight.rest()
    assert fight["f"].position == (4, 0)


def test_RI_MOVE1_8_a_wasted_second_movement_goes_nowhere() -> None:
    """C-18, the option `second_move`."""
    fight = begun(entry("pc@p/f", (0, 0)), entry("mon@m/o", (5, 5)), options={"second_move": "wasted"})
    fight.given("f", location_changed=True).do("move", "f", targets=["o"], **FOLLOW)
    assert fight.seen("p", "f").budget.standard == "traded_movement"
    assert fight.logged("location_effect_ignored")
    fight.end("f").rest()
    assert fight["f"].position == (0, 0)


@pytest.mark.parametrize(
    ("option", "far", "ends"),
    [("own", True, (4, 0)), ("own", False, (0, -3)), ("outside", True, (0, -3))],
)
def test_RI_MOVE1_6_a_follower_is_pushed_only_if_it_goes_nowhere(
    option: str,
    far: bool,  # noqa: FBT001  # whether there is any way to go
    ends: tuple[int, int],
) -> None:
    """RI-MOVE1-6, C-15: a movement of no feet is none; the option `shove_of_movers`."""
    fight = begun(
        *(entry("pc@p/f", (0, 0)), entry("mon@m/s", (0, 1)), entry("mon@m/o", (5 if far else 1, 0))),
        options={"shove_of_movers": option},
    )
    fight.do("move", "f", targets=["o"], **FOLLOW).end("f")
    fight.do("shove", "s", 6, target="f", direction=[0, -1]).end("s").rest()
    assert fight["f"].position == ends
    assert bool(fight.logged("location_effect_ignored")) is far


def test_RI_CONF_2_a_follower_ends_where_another_has_to_pass() -> None:
    """RI-CONF-3, RI-REAC-6: whose path its end bars rolls initiative; it comes after whom it follows."""
    fight = begun(entry("mon@x/f", (0, 0)), entry("mon@y/t", (2, 0)), entry("mon@z/o", (5, 5)))
    fight.do("move", "f", targets=["t"], **FOLLOW).end("f")
    fight.do("move", "t", path=_east(2, 6)).end("t")
    fight.do("move", "o", path=[[5, y] for y in range(4, -1, -1)]).end("o")
    fight.throw(9, 2, 5)
    assert fight.logged("conflict_found")[-1].order == ("t", "f", "o")
    assert [fight[name].position for name in "fto"] == [(5, 1), (6, 0), (5, 2)]


def test_RI_MOUNT_1_a_mount_that_follows_takes_its_rider_along() -> None:
    """RI-MOVE1-3: the rider has no other movement in the phase."""
    fight = begun(
        entry("pc@p/r", (0, 0), mount="horse"),
        entry("pc@p/horse", (0, 0), carries_riders=True, speeds={"land": 50}),
        entry("mon@m/o", (6, 0)),
    )
    fight.do("move", "horse", targets=["o"], **FOLLOW).end("horse")
    assert fight.refused("move", "r", path=[[0, 1]]) == "already_moved_this_phase"
    assert fight.refused("move", "r", targets=["o"], **FOLLOW) == "already_moved_this_phase"
    fight.rest()
    assert [fight[name].position for name in ("r", "horse")] == [(5, 0), (5, 0)]
    assert fight["r"].mount == "horse"


@pytest.mark.parametrize("rule", [False, True])
def test_RI_MOVE1_1_nobody_is_pushed_off_the_mount_that_carries_it(
    rule: bool,  # noqa: FBT001  # whether the mount goes by a rule
) -> None:
    """C-15: being carried is the rider's own change of place, so what others would do to it is ignored."""
    gust = {"id": "gust", "range_ft": 60, "effects": [{"does": "push", "amount": 15}]}
    fight = begun(
        entry("mon@p/r", (0, 0), mount="horse"),
        entry("mon@p/horse", (0, 0), carries_riders=True, speeds={"land": 50}),
        entry("mon@m/s", (0, -2), abilities=[gust]),
        entry("mon@m/o", (6, 0)),
    )
    way = {"targets": ["o"], **FOLLOW} if rule else {"path": _east(0, 5)}
    fight.do("move", "horse", **way).end("horse")
    fight.do("use_ability", "s", ability="gust", targets=["r"]).end("s").rest()
    assert [fight[name].position for name in ("r", "horse")] == [(5, 0), (5, 0)]
    assert fight["r"].mount == "horse"
    assert [(e.creature, e.source) for e in fight.logged("location_effect_ignored")] == [("r", "s")]


def test_RI_MOVE1_6_who_is_carried_nowhere_is_pushed_off() -> None:
    gust = {"id": "gust", "range_ft": 60, "effects": [{"does": "push", "amount": 15}]}
    fight = begun(
        entry("mon@p/r", (0, 0), mount="horse"),
        entry("mon@p/horse", (0, 0), carries_riders=True),
        entry("mon@m/s", (0, -2), abilities=[gust]),
        entry("mon@m/o", (1, 0)),
    )
    fight.do("move", "horse", targets=["o"], **FOLLOW).end("horse")
    fight.do("use_ability", "s", ability="gust", targets=["r"]).end("s").rest()
    assert [fight[name].position for name in ("r", "horse")] == [(0, 3), (0, 0)]


@pytest.mark.parametrize(("faces", "ends"), [((9, 2), (3, 0)), ((2, 9), (0, 3))])
@pytest.mark.parametrize("names", ["bc", "cb"])
def test_RI_MOVE1_7_who_pushes_the_mount_contends_with_who_pushes_its_rider(
    names: str, faces: tuple[int, int], ends: tuple[int, int]
) -> None:
    """RI-MOVE1-1: carried or pushed, the rider changes its place once; the mount goes in either case."""
    gust = {"id": "gust", "range_ft": 60, "effects": [{"does": "push", "amount": 15}]}
    east, south = names[0], names[1]
    fight = begun(
        entry("mon@p/r", (0, 0), mount="horse"),
        entry("mon@p/horse", (0, 0), carries_riders=True),
        entry(f"mon@{east}/{east}", (-5, 0), abilities=[gust]),
        entry(f"mon@{south}/{south}", (0, -5), abilities=[gust]),
    )
    fight.do("use_ability", east, ability="gust", targets=["horse"]).end(east)
    fight.do("use_ability", south, ability="gust", targets=["r"]).end(south).rest()
    fight.throw(*(faces if names == "bc" else faces[::-1]))
    assert [fight[name].position for name in ("r", "horse")] == [ends, (3, 0)]
    assert (fight["r"].mount == "horse") is (ends == (3, 0))


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"targets": ["nobody"]}, "target_not_visible"),
        ({"targets": ["f"]}, "target_not_visible"),
        ({"targets": []}, "reactive_rule_too_complex"),
        ({"targets": ["o", "p"]}, "reactive_rule_too_complex"),
        ({"targets": ["o"], "path": [[0, 1]]}, "reactive_rule_too_complex"),
        ({"targets": ["o"], "pause": True}, "reactive_rule_too_complex"),
        ({"targets": ["o"], "sprint": True}, "monster_cannot_sprint"),
        ({"targets": ["o"], "mode": "swim"}, "no_such_movement_mode"),
        ({"targets": ["o"], "stand_up": True}, "invalid_target"),
        ({"ability": "hustle", "targets": ["o"]}, "invalid_target"),
        ({"targets": ["o"], "mode": "fly", "altitude_ft": 20}, "reactive_rule_too_complex"),
        ({"targets": ["o"], "within_ft": 10}, "invalid_target"),
        ({"ability": "custom", "targets": ["o"]}, "reactive_rule_too_complex"),
        ({"ability": "custom", "targets": ["o"], "distance_ft": None}, "reactive_rule_too_complex"),
        ({"ability": "custom", "targets": ["o"], "within_ft": 10}, "reactive_rule_too_complex"),
        ({**OWN, "targets": ["o"], "beyond_ft": 5}, "reactive_rule_too_complex"),
        ({**OWN, "targets": ["o", "p"]}, "reactive_rule_too_complex"),
        ({**OWN, "targets": ["o"], "direction": [2, 0]}, "path_not_straight"),
        ({"ability": "hustle", "targets": [], "path": [[0, 1]]}, "invalid_target"),
    ],
)
def test_RI_REAC_1_what_is_no_simple_rule_is_refused(more: dict[str, Any], code: str) -> None:
    flies = {"land": 30, "fly": 30}
    fight = begun(entry("mon@x/f", (0, 0), speeds=flies), entry("mon@y/o", (5, 0)), entry("mon@y/p", (5, 1)))
    assert fight.refused("move", "f", **{**FOLLOW, **more}) == code


@pytest.mark.parametrize(
    ("own", "ends"),
    [
        ({"within_ft": 10}, (5, 0)),
        ({"beyond_ft": 40}, (-1, 0)),
        ({"beyond_ft": 40, "direction": [0, 1]}, (0, 2)),
    ],
)
def test_RI_ACT_4_a_standard_action_buys_a_rule_of_ones_own(
    own: dict[str, Any], ends: tuple[int, int]
) -> None:
    """C-48, RI-REAC-1: near, away, or one way until the rule is kept; where the other ends shows later."""
    fight = begun(entry("pc@x/f", (0, 0)), entry("mon@y/o", (2, 0)))
    fight.do("move", "f", ability="custom", targets=["o"], **own)
    assert fight.seen("x", "f").position == (0, 0)
    fight.end("f").do("move", "o", path=_east(2, 7)).end("o")
    assert fight["f"].position == ends
    assert not fight.rolls


def test_RI_REAC_1_a_rule_of_ones_own_may_say_two_things_if_the_gm_allows_it() -> None:
    fight = begun(entry("pc@x/f", (0, 0)), entry("mon@y/o", (2, 0)))
    two = {"ability": "custom", "targets": ["o"], "within_ft": 20, "beyond_ft": 10}
    assert fight.refused("move", "f", **two) == "reactive_rule_too_complex"
    fight.do("rule", question="reactive_plan_ok", subjects=["f"], chosen="yes")
    fight.do("move", "f", **two).end("f").do("move", "o", path=_east(2, 7)).end("o")
    assert 10 <= fight.state.distance(fight["f"], fight["o"]) <= 20


def test_RI_ACT_6_a_movement_along_a_path_goes_on_along_a_path() -> None:
    fight = begun(entry("pc@x/f", (0, 0)), entry("mon@y/o", (5, 0)))
    fight.do("move", "f", path=[[1, 0]], pause=True)
    assert fight.refused("move", "f", targets=["o"], **FOLLOW) == "wrong_step"
    assert not any(offer.given.get("targets") for offer in _moves(fight))


def test_RI_ACT_4_a_house_may_sell_hustles_only() -> None:
    """C-48, the option `traded_movement`."""
    fight = begun(entry("pc@x/f", (0, 0)), entry("mon@y/o", (5, 0)), options={"traded_movement": "hustle"})
    assert fight.refused("move", "f", targets=["o"], **FOLLOW) == "no_such_trade"
    assert not any(offer.given.get("targets") for offer in _moves(fight))


def _moves(fight: Fight) -> list[Any]:
    return [offer for offer in unfolded(fight.offers("seat-x"), "ability", "targets") if offer.type == "move"]


def test_RI_REAC_1_following_and_withdrawing_are_offered_for_whom_one_sees() -> None:
    """A wall hides one; a player may sprint, whatever it does."""
    fight = opened(
        *(entry("pc@x/f", (0, 0)), entry("mon@y/o", (5, 0)), entry("mon@y/p", (0, 5))),
        terrain={"3,0": "wall"},
    )
    fight.do("start_combat", start_phase="action").to_actions()
    found = [offer for offer in _moves(fight) if offer.given.get("targets")]
    assert [(o.given["ability"], o.given["targets"], o.given.get("stand_up", False)) for o in found] == [
        ("block", ("p",), False),
        ("follow", ("p",), False),
        ("withdraw", ("p",), False),
        ("custom", ("p",), False),
    ]
    assert [offer.choices.get("sprint") for offer in found] == [None, *[(False, True)] * 3]


def reacted_in(seed: int) -> int:
    """Play at random, movements that react before all else, and return how many were declared."""
    random, fight = Random(seed), melee(seed, ("heroes", "orcs", "bats"), exertion_prompt="never")
    for _ in range(200):
        found = [(seat, offer) for seat, offer in choices(fight) if offer.type not in ("end_combat", "close")]
        wanted = [one for one in found if one[1].type == "move" and one[1].given.get("targets")]
        seat, offer = random.choice(wanted if wanted and random.random() < 0.7 else found)
        decision = fight.send(offer.type, seat, **data_of(offer, random))
        assert decision.refusal is None, (seed, offer, decision.refusal)
        assert_nobody_shares(fight.state, seed)
    return sum(len(event.plans) for event in fight.logged("group_announced"))


def assert_nobody_shares(state: State, seed: int) -> None:
    """Fail if two who stand are in one space, though neither rides the other."""
    standing = [c for c in state.creatures.values() if not (c.dead or c.defeated or c.altitude)]
    taken = [c.position for c in standing]
    assert len(taken) == len(set(taken)), seed


@pytest.mark.parametrize("seed", range(3))
def test_RI_ACT_4_whatever_reacts_in_random_play_is_accepted_and_resolved(seed: int) -> None:
    """Every offer of it is taken, and nobody ends in a space that is taken."""
    assert reacted_in(seed) > 3


@pytest.mark.parametrize("phase", ["movement", "action"])
@pytest.mark.parametrize(
    ("ability", "distance_ft", "at", "gap"),
    [("follow", 5, (-1, 0), 5), ("withdraw", 20, (5, 0), 20)],
)
def test_RI_REAC_2_who_reacts_to_a_rider_goes_by_where_its_mount_carries_it(
    phase: str, ability: str, distance_ft: int, at: tuple[int, int], gap: int
) -> None:
    """RI-MOUNT-1, RI-REAC-3: not by where it sat."""
    horse = entry("mon@y/h", (0, 0), carries_riders=True)
    rider = entry("mon@y/r", (0, 0), size="small", mount="h")
    fight = begun(horse, rider, entry("mon@z/z", at), phase=phase)
    moves, passes = ("move", "pass_turn") if phase == "action" else ("plan_movement", "pass_movement")
    fight.do(moves, "h", path=[[x, 0] for x in (1, 2, 3, 4)])
    if phase == "action":
        fight.end("h")
    fight.do(passes, "r").do(moves, "z", ability=ability, targets=["r"], distance_ft=distance_ft)
    if phase == "action":
        fight.end("z")
    assert fight["r"].position == (4, 0)
    assert not fight.rolls
    assert fight.state.distance(fight["z"], fight["r"]) == gap


@pytest.mark.parametrize("phase", ["movement", "action"])
def test_RI_REAC_4_who_blocks_a_rider_blocks_its_mount(phase: str) -> None:
    """RI-MOUNT-1: a rider goes where its mount goes, in both phases."""
    horse = entry("mon@x/m", (1, 0), carries_riders=True)
    rider = entry("mon@x/r", (1, 0), mount="m", size="small")
    fight = begun(horse, rider, entry("mon@z/c", (2, 1)), phase=phase)
    way = [[x, 0] for x in range(2, 7)]
    if phase == "movement":
        fight.do("plan_movement", "m", path=way, carry=["r"]).do("pass_movement", "r")
        fight.do("plan_movement", "c", 9, 2, ability="block", targets=["r"])
    else:
        fight.do("move", "m", path=way).end("m").do("pass_turn", "r")
        fight.do("move", "c", ability="block", targets=["r"]).end("c").throw(9, 2)
    assert [(each.creature, each.blocked) for each in fight.logged("block_checked")] == [("m", True)]
    assert fight["m"].position == fight["r"].position == (1, 0)
