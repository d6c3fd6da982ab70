"""Hold brawling, movement in parts, flying, squeezing and what else moves or binds."""

from __future__ import annotations

import pytest

from tests.rules.rise.kit import Seeded, begun, entry, opened

SHIFT = {"id": "shift", "usage": "minor", "range_ft": 30, "effects": [{"does": "heal_dr", "amount": 1}]}


def test_RI_UNIV_GRAPPLE_binds_both() -> None:
    """RI-UNIV-GRAPPLE, RI-UNIV-MAINTAIN, RI-UNIV-ESCAPE, RI-ACT-11, RI-SWIFT-3."""
    fight = begun(entry("mon@p/p", (0, 0)), entry("mon@m/e", (1, 0)))
    assert fight.refused("maintain_grapple", "p") == "not_grappled"
    fight.do("grapple", "p", 6, target="e").end("p").rest()
    assert fight["p"].has("grappled")
    assert fight["e"].has("grappled")
    fight.do("pass_movement", "p").do("pass_movement", "e")
    fight.do("maintain_grapple", "p", 5)
    assert fight.refused("maintain_grapple", "p") == "free_check_repeated"
    fight.to_actions()
    assert fight.refused("move", "p", path=[[0, 1]]) == "immobilized"
    assert fight.refused("maintain_grapple", "e") == "swift_not_precommitted"
    fight.do("pass_turn", "p").do("escape_grapple", "e", 4).end("e")
    assert fight["e"].has("grappled"), "8 against a grip of 9, which is Swift"
    fight.to_actions().do("pass_turn", "p").do("escape_grapple", "e", 4).end("e")
    assert not fight["e"].has("grappled"), "nobody has firmed the grip in this round"
    assert not fight["p"].has("grappled")


def test_RI_UNIV_ESCAPE_has_to_beat_the_grip() -> None:
    fight = begun(entry("pc@p/p", (0, 0)), entry("mon@m/e", (1, 0)))
    fight.do("grapple", "p", 6, target="e").end("p").rest().to_actions()
    fight.do("maintain_grapple", "p", 9).end("p")
    fight.do("escape_grapple", "e", 8).end("e")
    assert fight["e"].has("grappled"), "12 against a grip of 13: known early, for it is Swift"


def test_RI_UNIV_ESCAPE_leaves_other_holds_alone() -> None:
    fight = begun(entry("mon@p/p", (0, 0)), entry("mon@m/e", (1, 0)), entry("mon@m/f", (0, 1)))
    for target in ("e", "f"):
        fight.do("grapple", "p", 6, target=target).end("p").rest().to_actions()
    fight.do("pass_turn", "p").do("escape_grapple", "e", 6).end("e").rest()
    assert [fight[name].has("grappled") for name in "pef"] == [True, False, True]


def test_RI_UNIV_GRAPPLE_ends_with_the_senses_of_either() -> None:
    fight = begun(entry("mon@p/p", (0, 0)), entry("mon@m/e", (1, 0), hp=5))
    fight.do("grapple", "p", 6, target="e").end("p").rest().to_actions()
    fight.do("strike", "p", 9, 5, target="e").end("p").rest()
    assert fight["e"].dead
    assert not fight["p"].has("grappled")


def test_RI_UNIV_GRAPPLE_takes_a_free_hand() -> None:
    fight = begun(entry("mon@p/p", (0, 0), hands=1), entry("mon@m/e", (1, 0)), phase="movement")
    fight.do("manipulate_object", "p", what="draw", item="torch")
    fight.to_actions()
    assert fight.refused("grapple", "p", target="e") == "no_free_hand"


def test_RI_UNIV_DIRTY_takes_two_off_a_defense() -> None:
    fight = begun(entry("mon@p/p", (0, 0)), entry("mon@m/e", (1, 0)))
    fight.do("dirty_trick", "p", 6, target="e", defense="mental").end("p").rest()
    (trick,) = fight["e"].conditions
    assert trick.modifiers == {"mental": -2}
    fight = begun(entry("mon@p/p", (0, 0)), entry("mon@m/e", (1, 0)), options={"profile": "rise-5d"})
    assert fight.refused("dirty_trick", "p", target="e") == "ability_not_in_profile"


@pytest.mark.parametrize(("profile", "defense"), [("rise-4d", "fortitude"), ("rise-5d", "brawn")])
def test_RI_UNIV_SHOVE_attacks_what_the_printing_says(profile: str, defense: str) -> None:
    """RI-UNIV-SHOVE, RI-UNIV-TRIP (C-42)."""
    fight = begun(
        entry("mon@p/p", (0, 0)), entry("mon@m/e", (1, 0)), options={"profile": profile, "visibility": "full"}
    )
    fight.do("shove", "p", 1, target="e").end("p")
    assert list(fight.logged("attack_rolled")[-1].defenses) == [defense]
    fight.do("trip", "e", 1, target="p")
    assert next(iter(fight.logged("attack_rolled")[-1].defenses)) == defense


def test_RI_UNIV_TRIP_fails_on_far_larger_targets() -> None:
    fight = begun(entry("mon@p/p", (0, 0)), entry("mon@m/e", (1, 0), size="huge"))
    assert fight.refused("trip", "p", target="e") == "target_too_big"


def test_RI_ATK_1_abilities_of_size_fail_on_far_larger_targets_too() -> None:
    gulp = {"id": "gulp", "tags": ["size_based"], "strike": {"versus": ["fortitude"], "damaging": False}}
    fight = begun(entry("mon@p/p", (0, 0), abilities=[gulp]), entry("mon@m/e", (1, 0), size="huge"))
    assert fight.refused("use_ability", "p", ability="gulp", targets=["e"]) == "target_too_big"


def test_RI_UNIV_OVERRUN_goes_through_whoever_is_beaten() -> None:
    path = [[x, 0] for x in range(1, 5)]
    for face, end in ((6, (4, 0)), (5, (0, 0))):
        fight = begun(entry("mon@p/p", (0, 0)), entry("mon@m/e", (1, 0)))
        fight.do("overrun", "p", face, path=path).end("p").rest()
        assert fight["p"].position == end


def test_RI_UNIV_THROW_hurls_what_is_held() -> None:
    fight = begun(entry("mon@p/p", (0, 0), strength=2), entry("mon@m/e", (1, 0)))
    assert fight.refused("throw", "p", target="e") == "not_touching"
    fight.do("grapple", "p", 6, target="e").end("p").rest().to_actions()
    fight.do("throw", "p", 6, target="e", direction=[1, 0]).end("p").rest()
    assert fight["e"].position == (5, 0)


def test_RI_UNIV_READY_is_not_played() -> None:
    ready = {"id": "ready", "tags": ["swift"], "effects": []}
    fight = begun(entry("mon@p/p", (0, 0), abilities=[ready]), options={"profile": "rise-5d"})
    assert fight.refused("use_ability", "p", ability="ready", targets=["p"]) == "ability_not_in_profile"


def test_RI_ATK_11_reactive_attacks_stand_as_rolled() -> None:
    riposte = {"id": "riposte", "tags": ["reactive"], "range_ft": 5, "strike": {"dice": [6]}}
    fight = begun(entry("pc@p/p", (0, 0), abilities=[riposte]), entry("mon@m/e", (1, 0)))
    fight.do("use_ability", "p", 1, ability="riposte", targets=["e"])
    assert fight.refused("desperate_exertion", "p") == "too_late", "nobody is asked"


def test_RI_ACT_6_minor_actions_come_in_the_middle_of_a_movement() -> None:
    """RI-ACT-6 (C-24)."""
    fight = begun(entry("mon@p/p", (0, 0), abilities=[SHIFT]))
    fight.do("move", "p", path=[[1, 0], [2, 0]], pause=True)
    fight.do("use_ability", "p", ability="shift", targets=["p"])
    assert fight.refused("move", "p", path=[[x, 0] for x in range(3, 8)]) == "insufficient_speed"
    fight.do("move", "p", path=[[x, 0] for x in range(3, 7)]).end("p")
    assert fight["p"].position == (6, 0)


def test_RI_MOVE_6_ways_of_moving_mix_within_their_speeds() -> None:
    fight = begun(entry("mon@p/p", (0, 0), speeds={"land": 30, "climb": 10}))
    assert fight.refused("move", "p", path=[[1, 0]], mode="swim") == "no_such_movement_mode"
    fight.do("move", "p", path=[[1, 0], [2, 0]], mode="climb", pause=True)
    assert fight.refused("move", "p", path=[[3, 0]], mode="climb") == "insufficient_speed"
    fight.do("move", "p", path=[[x, 0] for x in range(3, 7)]).end("p")
    assert fight["p"].position == (6, 0)


def test_RI_MOVE_7_a_push_ends_at_an_obstacle() -> None:
    """RI-MOVE-7, RI-UNIV-SHOVE."""
    fight = begun(entry("mon@p/p", (0, 0)), entry("mon@m/e", (1, 0)), terrain={"3,0": "wall"})
    fight.do("shove", "p", 8, target="e").end("p").rest()
    assert (fight["e"].position, fight["p"].position) == ((2, 0), (1, 0))


def test_RI_MOVE_8_squeezing_is_judged_when_a_phase_begins() -> None:
    fight = opened(entry("mon@p/p", (0, 0), size="large"), terrain={"4,1": "wall"})
    fight.given("p", position=(3, 0)).do("start_combat")
    assert fight.seen("p", "p").has("squeezing")
    fight.do("plan_movement", "p", path=[[2, 0]])
    assert not fight.seen("p", "p").has("squeezing")


def test_RI_MOVE_9_flyers_have_to_keep_moving() -> None:
    """RI-MOVE-9, RI-ORDER-5 (C-43)."""
    for floats in (False, True):
        fight = begun(
            entry("mon@p/p", (0, 0), speeds={"land": 30, "fly": 40}, floats=floats), phase="movement"
        )
        fight.do("plan_movement", "p", mode="fly", path=[[1, 0]])
        assert fight["p"].aloft == "flying"
        fight.to_actions().rest()
        assert bool(fight.logged("fell")) is not floats
        assert fight["p"].has("prone") is not floats


def test_RI_MOVE_10_whoever_jumps_falls_in_the_next_phase() -> None:
    fight = begun(entry("mon@p/p", (0, 0)), phase="movement")
    fight.do("plan_movement", "p", ability="jump", path=[[1, 0]])
    assert fight["p"].aloft == "falling"
    assert not fight.logged("fell")
    fight.to_actions().rest()
    assert fight.logged("fell")


def test_RI_MOVE1_6_going_nowhere_is_no_change_of_place() -> None:
    """RI-MOVE1-6, RI-MOVE1-8."""
    fight = begun(entry("pc@p/c", (0, 0)), entry("pc@p/ally", (0, 1)), entry("mon@m/e", (9, 9)))
    fight.do("move", "c", path=[]).end("c")
    fight.do("shove", "ally", 5, target="c", willing=True, direction=[0, -1]).end("ally")
    fight.rest()
    assert fight["c"].position == (0, -3)


def test_RI_MOVE1_8_a_second_move_is_refused_at_no_cost() -> None:
    fight = begun(entry("mon@p/p", (1, 0)), entry("mon@p/ally", (0, 0)), entry("mon@m/e", (3, 0)))
    fight.do("shove", "ally", 5, target="p", willing=True, distance_ft=5).end("ally")
    assert fight.refused("move", "p", path=[[1, 1]]) == "already_moved_this_phase"
    assert fight.refused("charge", "p", path=[[2, 1]], target="e") == "already_moved_this_phase"
    assert fight.seen("p", "p").budget.standard == "unused"


def test_RI_UNIV_CHARGE_goes_straight() -> None:
    fight = begun(entry("mon@p/p", (0, 0)), entry("mon@m/e", (3, 1)))
    assert fight.refused("charge", "p", path=[[1, 0], [2, 1]], target="e") == "path_not_straight"


def test_RI_RES_8_whoever_is_felled_drops_where_it_ends() -> None:
    """RI-RES-8, RI-RES-4, RI-RES-12, RI-ORDER-2."""
    fight = begun(entry("pc@p/p", (0, 0), hp=1), entry("mon@m/e", (1, 0)))
    fight.do("move", "p", path=[[-1, 0], [-2, 0]]).end("p")
    fight.do("strike", "e", 9, 5, target="p")
    fight.do("end_turn", "e", 1)
    assert fight["p"].position == (-2, 0)
    assert fight["p"].down


def test_RI_PHASE_4_all_movements_happen_together() -> None:
    """RI-PHASE-4, RI-UNIV-HUSTLE (C-13): crossing and changing places in the open is no conflict."""
    fight = begun(entry("mon@p/p", (0, 0)), entry("mon@m/e", (2, 0)), phase="movement")
    fight.do("plan_movement", "p", path=[[1, 1], [2, 0]])
    fight.do("plan_movement", "e", path=[[1, -1], [0, 0]])
    assert (fight["p"].position, fight["e"].position) == ((2, 0), (0, 0))
    assert not fight.rolls


def test_RI_UNIV_FOLLOW_two_who_follow_each_other_meet() -> None:
    """RI-UNIV-FOLLOW (C-19)."""
    fight = begun(entry("mon@p/p", (0, 0)), entry("mon@m/e", (9, 0)), phase="movement")
    fight.do("plan_movement", "p", ability="follow", targets=["e"])
    fight.do("plan_movement", "e", ability="follow", targets=["p"])
    assert fight.state.adjacent(fight["p"], fight["e"])


def test_RI_CONF_7_many_conflicts_are_a_warning() -> None:
    creatures = []
    for i in range(4):
        creatures += [entry(f"mon@a{i}/a{i}", (0, 5 * i)), entry(f"mon@b{i}/b{i}", (2, 5 * i))]
    fight = begun(*creatures, phase="movement", declared_sides=[], dice=Seeded(1))
    for i in range(4):
        fight.do("plan_movement", f"a{i}", path=[[1, 5 * i]])
        fight.do("plan_movement", f"b{i}", path=[[1, 5 * i]])
    assert fight.logged("conflict_found")[-1].warning


def test_RI_UNIV_THROW_a_thing_lies_where_it_was_thrown() -> None:
    fight = begun(
        entry("mon@p/p", (0, 0), strength=2), phase="movement", items={"gem": [1, 0]}, terrain={"0,3": "wall"}
    )
    fight.do("manipulate_object", "p", what="pick_up", item="gem").do("pass_movement", "p").to_actions()
    assert fight.refused("throw", "p", item="gem", direction=[0, 0]) == "path_not_straight"
    fight.do("throw", "p", item="gem", direction=[0, 1]).end("p")
    assert fight.state.lying == {"gem": (0, 2)}
