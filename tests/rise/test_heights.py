"""Hold movements that react in the air: flyers climb and sink by their rule, walkers go below."""

from __future__ import annotations

from typing import Any

from service.rules.rise.harm.numbers import speed_of
from tests.rise.kit import Fight, begun, entry

WINGS = {"land": 30, "fly": 60, "glide": 30}


def sky(altitude: int, other: int, apart: int, **more: Any) -> Fight:
    """Return a fight in its movement phase: `f` is at *altitude*, `e` *apart* cells off at *other*."""
    flyer = entry("mon@p/f", (0, 0), speeds={**WINGS, **more}, altitude=altitude)
    quarry = entry("mon@m/e", (apart, 0), speeds=WINGS, altitude=other)
    return begun(flyer, quarry, phase="movement", options={"fall_damage": "none"})


def gap(fight: Fight) -> int:
    return fight.state.distance(fight["f"], fight["e"])


def test_RI_REAC_2_who_follows_through_the_air_climbs_within_its_speed() -> None:
    """RI-REAC-2, RI-MOVE-9: near in space, and in the air where the path ended."""
    fight = sky(0, 40, 2)
    fight.do("plan_movement", "f", ability="follow", mode="fly", targets=["e"], distance_ft=10)
    fight.do("plan_movement", "e", mode="fly", path=[])
    assert gap(fight) <= 10
    assert (fight["f"].aloft, fight["f"].altitude) == ("flying", 30)
    assert not fight.told("fell")


def test_RI_REAC_2_the_followed_is_where_its_own_climb_ends() -> None:
    fight = sky(20, 20, 1)
    fight.do("plan_movement", "f", ability="follow", mode="fly", targets=["e"])
    fight.do("plan_movement", "e", mode="fly", path=[[2, 0]], altitude_ft=50)
    assert (gap(fight), fight["f"].altitude) == (5, 45)


def test_RI_REAC_2_who_follows_a_walker_sinks() -> None:
    fight = sky(40, 0, 4)
    fight.do("plan_movement", "f", ability="follow", mode="fly", targets=["e"])
    fight.do("pass_movement", "e")
    assert (gap(fight), fight["f"].altitude, fight["f"].aloft) == (5, 5, "flying")


def test_RI_REAC_5_a_flyer_out_of_speed_stops_on_its_way_up() -> None:
    """RI-REAC-5: feet up and feet across are one speed."""
    fight = sky(5, 200, 10)
    speed = speed_of(fight.state, fight["f"], "fly")
    fight.do("plan_movement", "f", ability="follow", mode="fly", targets=["e"])
    fight.do("plan_movement", "e", mode="fly", path=[])
    x, y = fight["f"].position
    assert y == 0
    assert 5 * x + fight["f"].altitude - 5 <= speed
    assert fight["f"].altitude >= speed, "the longer way is upwards"


def test_RI_REAC_2_who_walks_goes_below_as_far_as_it_helps() -> None:
    fight = sky(0, 30, 5)
    fight.do("plan_movement", "f", ability="follow", targets=["e"])
    fight.do("plan_movement", "e", mode="fly", path=[])
    assert (gap(fight), fight["f"].aloft, fight["f"].altitude) == (30, None, 0)
    assert fight["f"].position == (4, 0), "straight below would be no nearer"


def test_RI_REAC_3_who_is_above_withdraws_upwards() -> None:
    """RI-REAC-3: away from one right below is up, and across once that is shorter."""
    fight = sky(30, 0, 1)
    fight.do("plan_movement", "f", ability="withdraw", mode="fly", targets=["e"], distance_ft=50)
    fight.do("pass_movement", "e")
    assert (gap(fight), fight["f"].position, fight["f"].altitude) == (50, (-1, 0), 45)


def test_RI_REAC_3_who_is_level_withdraws_across() -> None:
    fight = sky(30, 30, 1)
    fight.do("plan_movement", "f", ability="withdraw", mode="fly", targets=["e"], distance_ft=30)
    fight.do("plan_movement", "e", mode="fly", path=[])
    assert (gap(fight), fight["f"].position, fight["f"].altitude) == (30, (-5, 0), 30)


def test_RI_REAC_3_height_alone_may_be_far_enough() -> None:
    fight = sky(60, 0, 1)
    fight.do("plan_movement", "f", ability="withdraw", mode="fly", targets=["e"], distance_ft=40)
    fight.do("pass_movement", "e")
    assert (fight["f"].position, fight["f"].altitude) == ((0, 0), 60)


def test_RI_MOVE_9_a_glider_that_follows_sinks_and_stays_up() -> None:
    fight = sky(40, 40, 6)
    fight.do("plan_movement", "f", ability="follow", mode="glide", targets=["e"])
    fight.do("plan_movement", "e", mode="fly", path=[])
    assert (fight["f"].altitude, fight["f"].aloft) == (30, "flying")
    assert not fight.told("fell")


def test_RI_ORDER_5_who_followed_on_wings_and_then_rests_falls() -> None:
    """RI-ORDER-5, RI-MOVE-9: from the height at which its rule left it."""
    fight = sky(0, 40, 2)
    fight.do("plan_movement", "f", ability="follow", mode="fly", targets=["e"])
    fight.do("plan_movement", "e", mode="fly", path=[])
    high = fight["f"].altitude
    fight.to_actions().rest()
    assert {fell.creature: fell.feet for fell in fight.told("fell")}["f"] == high >= 35


def test_RI_REAC_1_nobody_chooses_a_height_beside_its_rule() -> None:
    fight = sky(0, 40, 2)
    plan = {"ability": "follow", "mode": "fly", "targets": ["e"], "altitude_ft": 500}
    assert fight.refused("plan_movement", "f", **plan) == "reactive_rule_too_complex"
