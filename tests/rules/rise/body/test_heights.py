"""Hold movements that react in the air: flyers climb and sink by their rule, walkers go below."""

from __future__ import annotations

from typing import Any

from service.rules.rise.creatures.combat_statistics import speed_of
from tests.rules.rise.kit import Fight, begun, entry, unfolded

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
    assert not fight.logged("fell")


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
    assert not fight.logged("fell")


def test_RI_ORDER_5_who_followed_on_wings_and_then_rests_falls() -> None:
    """RI-ORDER-5, RI-MOVE-9: from the height at which its rule left it."""
    fight = sky(0, 40, 2)
    fight.do("plan_movement", "f", ability="follow", mode="fly", targets=["e"])
    fight.do("plan_movement", "e", mode="fly", path=[])
    high = fight["f"].altitude
    fight.to_actions().rest()
    assert {fell.creature: fell.feet for fell in fight.logged("fell")}["f"] == high >= 35


def test_RI_REAC_1_nobody_chooses_a_height_beside_its_rule() -> None:
    fight = sky(0, 40, 2)
    plan = {"ability": "follow", "mode": "fly", "targets": ["e"], "altitude_ft": 500}
    assert fight.refused("plan_movement", "f", **plan) == "reactive_rule_too_complex"


# --- for a standard action -----------------------------------------------------------------------------


def high_up(altitude: int, other: int, apart: int, **more: Any) -> Fight:
    """Return a fight in its action phase: `f` is at *altitude*, `e` *apart* cells off at *other*."""
    flyer = entry("mon@p/f", (0, 0), speeds=WINGS, altitude=altitude, **more)
    quarry = entry("mon@m/e", (apart, 0), speeds=WINGS, altitude=other)
    return begun(flyer, quarry, options={"fall_damage": "none"})


def test_RI_REAC_2_for_a_standard_action_a_flyer_climbs_by_its_rule_too() -> None:
    """C-48, RI-REAC-5: nobody sees it climb before the announcement; feet up and across are one speed."""
    fight = high_up(0, 5, 1)
    fight.do("move", "f", ability="follow", mode="fly", targets=["e"])
    assert (fight.seen("p", "f").aloft, fight.seen("p", "f").altitude) == (None, 0)
    fight.end("f").do("move", "e", mode="fly", path=[[2, 0]], altitude_ft=40).end("e")
    assert (gap(fight), fight["f"].aloft, fight["f"].altitude) == (5, "flying", 35)
    assert not fight.logged("fell")


def test_RI_REAC_3_for_a_standard_action_a_flyer_withdraws_upwards() -> None:
    fight = high_up(30, 0, 1)
    fight.do("move", "f", ability="withdraw", mode="fly", targets=["e"], distance_ft=50).end("f").rest()
    assert (gap(fight), fight["f"].position, fight["f"].altitude) == (50, (-1, 0), 45)


def test_RI_MOVE_9_a_flyer_whose_rule_leads_nowhere_has_moved_and_does_not_fall() -> None:
    fight = high_up(30, 30, 1)
    fight.do("move", "f", ability="follow", mode="fly", targets=["e"]).end("f")
    fight.do("move", "e", mode="fly", path=[]).end("e")
    assert (fight["f"].position, fight["f"].altitude) == ((0, 0), 30)
    assert not fight.logged("fell")


def test_RI_MOVE1_7_a_flyer_that_climbed_by_its_rule_is_not_pushed_besides() -> None:
    """RI-MOVE1-6: up is a way to go."""
    fight = begun(
        entry("mon@p/f", (0, 0), speeds=WINGS),
        entry("mon@m/e", (0, 1), speeds=WINGS),
        entry("mon@z/s", (-1, 0)),
        options={"fall_damage": "none"},
    )
    fight.do("move", "f", ability="follow", mode="fly", targets=["e"]).end("f")
    fight.do("move", "e", mode="fly", path=[], altitude_ft=30).end("e")
    fight.do("shove", "s", 8, target="f").end("s")
    assert (fight["f"].position, fight["f"].altitude) == ((0, 0), 25)
    assert [event.creature for event in fight.logged("location_effect_ignored")] == ["f"]


def test_RI_GROUP_5_a_flyer_that_follows_an_ally_who_flew_is_seen_where_it_ends() -> None:
    fight = begun(
        entry("pc@p/a", (0, 0), speeds=WINGS),
        entry("pc@p/b", (0, 1), speeds=WINGS),
        entry("mon@m/o", (20, 20)),
    )
    fight.do("move", "a", mode="fly", path=[[1, 0]], altitude_ft=30).end("a")
    fight.do("move", "b", ability="follow", mode="fly", targets=["a"])
    assert (fight.seen("p", "b").position, fight.seen("p", "b").altitude) == ((0, 1), 25)
    fight.end("b").rest()
    assert (fight["b"].altitude, fight["b"].aloft) == (25, "flying")


def test_RI_REAC_2_flights_by_a_rule_are_offered_as_they_are_accepted() -> None:
    fight = high_up(0, 20, 3)
    offers = [
        offer for offer in fight.offers("gm") if offer.type == "move" and offer.given.get("mode") == "fly"
    ]
    kinds = {offer.given["ability"] for offer in unfolded(offers, "ability") if "targets" in offer.choices}
    assert kinds == {"follow", "withdraw", "custom"}
