"""Hold the ledger's vectors of movement: conflicts, chases, mounts, pushes, sprints."""

from __future__ import annotations

from tests.rules.rise.kit import begun, entry

LONE = {"communicates": False}


def _east(start: int, end: int, y: int = 0) -> list[list[int]]:
    step = 1 if end > start else -1
    return [[x, y] for x in range(start + step, end + step, step)]


def test_RI_V_20_three_into_one_space() -> None:
    """RI-CONF-1, RI-CONF-2, RI-CONF-3, RI-CONF-4, RI-INIT-1."""
    fight = begun(
        entry("mon@x/a", (0, 5), dexterity=3),
        entry("mon@y/b", (5, 0)),
        entry("mon@z/c", (10, 5), dexterity=2),
        phase="movement",
    )
    fight.do("plan_movement", "a", path=_east(0, 5, 5))
    fight.do("plan_movement", "b", path=[[5, y] for y in range(1, 6)])
    fight.do("plan_movement", "c", path=_east(10, 5, 5))
    fight.throw(4, 9, 6)

    assert fight.logged("conflict_found")[-1].order == ("b", "c", "a")
    assert [fight[name].position for name in "abc"] == [(4, 5), (5, 5), (6, 5)]


def test_RI_INIT_3_only_the_tied_roll_again() -> None:
    """RI-INIT-3, RI-INIT-4, RI-INIT-2."""
    fight = begun(
        entry("pc@x/a", (0, 5), fatigue=4),
        entry("mon@y/b", (10, 5)),
        entry("mon@z/c", (5, 10)),
        phase="movement",
        options={"exertion_prompt": "never"},
    )
    fight.do("plan_movement", "a", path=_east(0, 5, 5)).do("plan_movement", "b", path=_east(10, 5, 5))
    fight.do("plan_movement", "c", path=[[5, y] for y in range(9, 4, -1)])
    fight.throw(9, 8, 2, 3, 7)

    assert fight.logged("initiative_rolled")[0].total == 8, "one level of fatigue beyond the tolerance"
    assert fight.logged("conflict_found")[-1].order == ("b", "a", "c")
    assert fight["b"].position == (5, 5)


def test_RI_V_22_a_chase_at_equal_speed_is_no_conflict() -> None:
    """RI-CONF-5, RI-REAC-2, RI-REAC-3, RI-REAC-5."""
    fight = begun(entry("mon@x/f", (0, 0)), entry("mon@y/w", (1, 0)), phase="movement")
    fight.do("plan_movement", "f", ability="follow", targets=["w"], distance_ft=5)
    fight.do("plan_movement", "w", ability="withdraw", targets=["f"], distance_ft=30)

    assert (fight["w"].position, fight["f"].position) == ((7, 0), (6, 0))
    assert not fight.rolls


def _outrun(kind: str) -> object:
    fight = begun(
        entry(f"{kind}@x/f", (0, 0)), entry("mon@y/w", (1, 0), speeds={"land": 40}), phase="movement"
    )
    fight.do("plan_movement", "f", ability="follow", targets=["w"], distance_ft=5)
    fight.do("plan_movement", "w", ability="withdraw", targets=["f"], distance_ft=30)
    return fight


def test_RI_V_23_a_player_sprints_after_whoever_outruns_it() -> None:
    """RI-CONF-6, RI-UNIV-SPRINT."""
    fight = begun(entry("pc@x/f", (0, 0)), entry("mon@y/w", (1, 0), speeds={"land": 40}), phase="movement")
    fight.do("plan_movement", "f", ability="follow", targets=["w"], distance_ft=5)
    fight.do("plan_movement", "w", ability="withdraw", targets=["f"], distance_ft=30)
    fight.do("consent_sprint", "f", accept=True)

    assert (fight["w"].position, fight["f"].position) == ((9, 0), (8, 0))
    assert fight["f"].fatigue == 1


def test_RI_V_23_a_monster_stays_behind() -> None:
    """RI-CONF-6."""
    fight = begun(entry("mon@x/f", (0, 0)), entry("mon@y/w", (1, 0), speeds={"land": 40}), phase="movement")
    assert fight.refused("plan_movement", "f", ability="sprint", path=[[0, 1]]) == "monster_cannot_sprint"
    fight.do("plan_movement", "f", ability="follow", targets=["w"], distance_ft=5)
    fight.do("plan_movement", "w", ability="withdraw", targets=["f"], distance_ft=30)

    assert fight["f"].position == (6, 0)


def test_RI_V_25_nobody_moves_onto_a_mount_and_is_carried_on() -> None:
    """RI-MOVE1-3, RI-MOUNT-1."""
    fight = begun(
        entry("pc@p/r", (0, 0)),
        entry("pc@p/horse", (2, 0), carries_riders=True, speeds={"land": 50}),
        phase="movement",
    )
    fight.do("plan_movement", "r", ability="hustle", path=_east(0, 2), mount="horse")
    code = fight.refused("plan_movement", "horse", path=_east(2, 12), carry=["r"])
    assert code == "already_moved_this_phase"
    fight.do("pass_movement", "horse")
    assert (fight["r"].position, fight["r"].mount) == ((2, 0), "horse")

    fight.to_actions()
    fight.do("move", "horse", path=_east(2, 12)).end("horse")
    fight.do("pass_turn", "r")
    assert (fight["r"].position, fight["horse"].position) == ((12, 0), (12, 0))


def test_RI_V_26_an_ally_who_shoves_after_a_move_moves_alone() -> None:
    """RI-MOVE1-1, RI-MOVE1-2, RI-MOVE1-4, RI-ATK-10."""
    fight = begun(entry("pc@p/c", (0, 0)), entry("pc@p/ally", (6, 1)))
    fight.do("move", "c", path=_east(0, 6)).end("c")
    fight.do("shove", "ally", 5, target="c", willing=True, direction=[1, 0]).end("ally")

    assert fight.logged("attack_rolled")[-1].outcome == "hit"
    assert fight.logged("location_effect_ignored")
    assert (fight["c"].position, fight["ally"].position) == ((6, 0), (9, 1))


def test_RI_V_28_an_enemys_shove_does_not_undo_a_move() -> None:
    """RI-MOVE1-7 (C-15), RI-UNIV-SHOVE."""
    fight = begun(entry("pc@p/p", (0, 0)), entry("mon@m/ogre", (0, -1), brawling_accuracy=5))
    fight.do("move", "p", path=_east(0, 6)).end("p")
    fight.do("shove", "ogre", 6, target="p", direction=[0, 1]).end("ogre")

    assert (fight["p"].position, fight["ogre"].position) == ((6, 0), (0, 2))


def test_RI_V_28_without_a_move_it_pushes() -> None:
    fight = begun(entry("pc@p/p", (0, 0)), entry("mon@m/ogre", (0, -1), brawling_accuracy=5))
    fight.do("pass_turn", "p")
    fight.do("shove", "ogre", 6, target="p", direction=[0, 1]).end("ogre")

    assert (fight["p"].position, fight["ogre"].position) == ((0, 3), (0, 2))


def test_C_15_where_the_house_says_so_the_push_counts() -> None:
    fight = begun(
        entry("pc@p/p", (0, 0)),
        entry("mon@m/ogre", (0, -1), brawling_accuracy=5),
        options={"shove_of_movers": "outside"},
    )
    fight.do("move", "p", path=_east(0, 6)).end("p")
    fight.do("shove", "ogre", 6, target="p", direction=[0, 1]).end("ogre")

    assert fight["p"].position == (0, 3)


def test_RI_V_29_the_better_initiative_shoves() -> None:
    """RI-MOVE1-7 (C-16)."""
    fight = begun(
        entry("mon@t/t", (5, 5)),
        entry("mon@x/x1", (4, 5), dexterity=1),
        entry("mon@y/y1", (5, 4), dexterity=3),
    )
    fight.do("shove", "x1", 8, target="t", direction=[1, 0]).end("x1")
    fight.do("shove", "y1", 8, target="t", direction=[0, 1]).end("y1")
    fight.do("pass_turn", "t")
    fight.throw(5, 5)

    assert [fight[name].position for name in ("t", "y1", "x1")] == [(5, 8), (5, 7), (7, 5)]


def test_RI_V_31_sprinting_in_both_phases() -> None:
    """RI-PHASE-5, RI-UNIV-SPRINT, RI-MOVE1-5."""
    fight = begun(entry("pc@p/p", (0, 0)), phase="movement")
    fight.do("plan_movement", "p", ability="sprint", path=_east(0, 12))
    assert fight["p"].fatigue == 1
    fight.do("move", "p", path=_east(12, 24), sprint=True)
    assert fight.refused("move", "p", path=[[25, 0]]) == "standard_action_spent"
    fight.end("p")

    assert (fight["p"].position, fight["p"].fatigue) == ((24, 0), 1)


def test_RI_MOVE_2_every_second_diagonal_costs_ten() -> None:
    fight = begun(entry("mon@p/p", (0, 0)), phase="movement")
    assert fight.refused("plan_movement", "p", path=[[i, i] for i in range(1, 6)]) == "insufficient_speed"
    fight.do("plan_movement", "p", path=[[i, i] for i in range(1, 5)])
    assert fight["p"].position == (4, 4)


def test_RI_MOVE_3_leaving_difficult_ground_costs_five_more() -> None:
    rough = {f"{x},0": "difficult" for x in range(3)}
    fight = begun(entry("mon@p/p", (0, 0)), phase="movement", terrain=rough)
    assert fight.refused("plan_movement", "p", path=_east(0, 4)) == "insufficient_speed"
    fight.do("plan_movement", "p", path=_east(0, 3))


def test_RI_MOVE_4_enemies_block_the_way() -> None:
    fight = begun(entry("mon@p/p", (0, 0)), entry("mon@m/e", (2, 0)), entry("mon@p/q", (0, 1)))
    assert fight.refused("move", "p", path=_east(0, 3)) == "enemy_blocks_path"
    assert fight.refused("move", "p", path=[[0, 1]]) == "space_occupied"
    fight.do("move", "p", path=[[0, 1], [0, 2]])


def test_RI_MOVE_5_prone_creatures_crawl_or_stand_up() -> None:
    fight = begun(entry("mon@p/p", (0, 0)), entry("mon@p/q", (0, 1)))
    fight.do("trip", "q", 9, target="p").end("q")
    assert fight.refused("move", "p", path=_east(0, 4)) == "insufficient_speed"
    assert fight.refused("move", "p", path=_east(0, 4), stand_up=True) == "insufficient_speed"
    fight.do("move", "p", path=_east(0, 3), stand_up=True)
    assert not fight.seen("p", "p").has("prone")


def test_RI_REAC_4_a_blocker_makes_passing_costly() -> None:
    """RI-REAC-4, RI-SWIFT-10."""
    fight = begun(entry("mon@x/b", (2, 1), dexterity=5), entry("mon@y/t", (0, 0)), phase="movement")
    fight.do("plan_movement", "b", ability="block", targets=["t"])
    fight.do("plan_movement", "t", path=_east(0, 6))
    fight.throw(5, 5)

    assert fight.logged("block_checked")[-1].blocked
    assert fight["t"].position == (1, 0)


def test_RI_REAC_1_a_reactive_plan_keys_on_one_creature() -> None:
    fight = begun(
        entry("mon@x/b", (2, 1)), entry("mon@y/t", (0, 0)), entry("mon@y/u", (9, 0)), phase="movement"
    )
    code = fight.refused("plan_movement", "b", ability="follow", targets=["t", "u"])
    assert code == "reactive_rule_too_complex"
    assert fight.refused("plan_movement", "b", ability="follow", targets=["zed"]) == "target_not_visible"
