"""Hold movements that react to what becomes of others, and heights where movements meet."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.rise.kit import Fight, begun, entry

WINGS = {"land": 30, "fly": 60}


def _to(x: int, y: int, *, start: tuple[int, int]) -> list[list[int]]:
    """Return the straight path from *start* to a cell."""
    steps = max(abs(x - start[0]), abs(y - start[1]))
    dx, dy = (x - start[0]) // steps, (y - start[1]) // steps
    return [[start[0] + dx * i, start[1] + dy * i] for i in range(1, steps + 1)]


def _follows(fight: Fight, whom: str = "w", **more: Any) -> Fight:
    return fight.do("plan_movement", "f", ability="follow", targets=[whom], **more)


def test_RI_REAC_2_who_follows_the_loser_stays_behind_it() -> None:
    """RI-CONF-5: X beats W to its place, W stops where F wanted to be; F is behind W and in no conflict."""
    fight = begun(
        entry("mon@x/f", (0, 0)),
        entry("mon@y/w", (1, 0)),
        entry("mon@z/x", (7, 5)),
        phase="movement",
    )
    _follows(fight).do("plan_movement", "w", path=_to(7, 0, start=(1, 0)))
    fight.do("plan_movement", "x", path=_to(7, 0, start=(7, 5))).throw(2, 5)
    assert fight.logged("conflict_found")[-1].order == ("x", "w")
    assert [fight[name].position for name in "fwx"] == [(5, 0), (6, 0), (7, 0)]


def test_RI_REAC_2_who_could_pass_whom_it_follows_stops_with_it() -> None:
    """RI-REAC-2: an ally stays near the loser of a conflict; it rolls nothing."""
    fight = begun(
        entry("pc@x/f", (0, 1)),
        entry("pc@x/w", (1, 0)),
        entry("mon@z/x", (4, 5)),
        phase="movement",
        options={"exertion_prompt": "never"},
    )
    _follows(fight).do("plan_movement", "w", path=_to(7, 0, start=(1, 0)))
    fight.do("plan_movement", "x", path=_to(4, 0, start=(4, 5))).throw(2, 9)
    assert fight.logged("conflict_found")[-1].order == ("x", "w")
    assert (fight["w"].position, fight["x"].position) == ((3, 0), (4, 0))
    assert fight.state.distance(fight["f"], fight["w"]) == 5


def test_RI_REAC_6_a_follower_resolves_after_whom_it_follows_whatever_its_check() -> None:
    """RI-CONF-3: F has the best check and cannot come before W; it comes before O, whom it beats."""
    fight = begun(
        entry("mon@x/f", (0, 0)), entry("mon@y/w", (2, 0)), entry("mon@z/o", (5, 5)), phase="movement"
    )
    _follows(fight).do("plan_movement", "w", path=_to(6, 0, start=(2, 0)))
    fight.do("plan_movement", "o", path=_to(5, 0, start=(5, 5))).throw(9, 2, 5)
    assert fight.logged("conflict_found")[-1].order == ("w", "f", "o")
    assert [fight[name].position for name in "fwo"] == [(5, 1), (6, 0), (5, 2)]


def test_RI_REAC_2_who_follows_goes_by_where_the_other_was_stopped() -> None:
    """RI-REAC-2, RI-MOVE-4: W runs into somebody who stays; F does not run on to where W meant to be."""
    fight = begun(
        entry("pc@x/f", (0, 1)), entry("pc@x/w", (1, 0)), entry("mon@z/x", (4, 0)), phase="movement"
    )
    _follows(fight).do("plan_movement", "w", path=_to(7, 0, start=(1, 0))).do("pass_movement", "x")
    assert fight["w"].position == (3, 0)
    assert fight.state.distance(fight["f"], fight["w"]) == 5
    assert fight["f"].position == (2, 1)


def test_RI_REAC_4_who_follows_the_blocked_stays_with_it() -> None:
    fight = begun(
        entry("pc@x/f", (0, 2)),
        entry("pc@x/w", (1, 1)),
        entry("mon@z/b", (2, 0)),
        phase="movement",
        options={"exertion_prompt": "never"},
    )
    _follows(fight).do("plan_movement", "w", path=_to(7, 1, start=(1, 1)))
    fight.do("plan_movement", "b", ability="block", targets=["w"]).throw(9, 2)
    assert fight.logged("block_checked")[-1].blocked
    assert fight["w"].position == (1, 1), "the first step would have led past"
    assert fight["f"].position == (0, 2), "near enough already"


def test_RI_REAC_4_a_follower_that_is_blocked_is_not_led_past_the_blocker() -> None:
    fight = begun(
        entry("pc@x/f", (1, 1)),
        entry("pc@x/w", (3, 1)),
        entry("mon@z/b", (2, 0)),
        entry("mon@z/s", (8, 1)),
        phase="movement",
        options={"exertion_prompt": "never"},
    )
    _follows(fight).do("plan_movement", "w", path=_to(9, 1, start=(3, 1))).do("pass_movement", "s")
    fight.do("plan_movement", "b", ability="block", targets=["f"]).throw(9, 2)
    assert (fight["w"].position, fight["f"].position) == ((7, 1), (1, 1))


def test_RI_RES_7_in_the_action_phase_too() -> None:
    """RI-REAC-6, C-48: a follower for a standard action, whose quarry is beaten to its place."""
    fight = begun(entry("mon@x/f", (0, 0)), entry("mon@y/w", (1, 0)), entry("mon@z/x", (7, 5)))
    fight.do("move", "f", ability="follow", targets=["w"]).end("f")
    fight.do("move", "w", path=_to(7, 0, start=(1, 0))).end("w")
    fight.do("move", "x", path=_to(7, 0, start=(7, 5))).end("x").throw(2, 5)
    assert [fight[name].position for name in "fwx"] == [(5, 0), (6, 0), (7, 0)]


# --- heights where movements meet ----------------------------------------------------------------------


def _meet(altitude: int, lands: int | None, *, over: int = 0) -> Fight:
    """Return a fight in which flyer `e` and walker `f` want one space; `e` ends so high there."""
    fight = begun(
        entry("mon@p/e", (5, 0), speeds=WINGS, altitude=altitude),
        entry("mon@m/f", (0, 0), altitude=over),
        phase="movement",
        options={"fall_damage": "none"},
    )
    high = {} if lands is None else {"altitude_ft": lands}
    fight.do("plan_movement", "e", mode="fly", path=_to(3, 0, start=(5, 0)), **high)
    return fight.do("plan_movement", "f", path=_to(3, 0, start=(0, 0)))


@pytest.mark.parametrize(("altitude", "lands"), [(20, 0), (0, 0)])
def test_RI_CONF_1_heights_are_those_at_which_movements_end(altitude: int, lands: int) -> None:
    """C-13: who lands where a walker ends conflicts with it, from however high it came."""
    fight = _meet(altitude, lands).throw(9, 2)
    assert fight.logged("conflict_found")[-1].order == ("e", "f")
    assert [fight[name].position for name in "ef"] == [(3, 0), (2, 0)]


@pytest.mark.parametrize(("altitude", "lands"), [(20, None), (0, 20), (0, None)])
def test_RI_CONF_1_who_ends_above_is_in_no_conflict(altitude: int, lands: int | None) -> None:
    """RI-MOVE-4: also one that was on the ground when it began."""
    fight = _meet(altitude, lands)
    assert not fight.logged("conflict_found")
    assert [fight[name].position for name in "ef"] == [(3, 0), (3, 0)]


@pytest.mark.parametrize(("start", "end", "at"), [(20, 0, (4, 0)), (0, 20, (4, 0)), (0, 0, (1, 0))])
def test_RI_MOVE_4_a_flyer_passes_above_whoever_stands_below(
    start: int, end: int, at: tuple[int, int]
) -> None:
    """RI-MOVE-9: it rises before its first step and sinks after its last, as its speed is counted."""
    fight = begun(
        entry("mon@p/e", (0, 0), speeds=WINGS, altitude=start),
        entry("mon@m/f", (2, 0)),
        phase="movement",
        options={"fall_damage": "none"},
    )
    fight.do("plan_movement", "e", mode="fly", path=_to(4, 0, start=(0, 0)), altitude_ft=end)
    fight.do("pass_movement", "f")
    assert (fight["e"].position, fight["e"].altitude) == (at, end)


def test_RI_MOVE_4_who_lands_on_somebody_ends_before_or_above() -> None:
    fight = begun(
        entry("mon@p/e", (0, 0), speeds=WINGS, altitude=20),
        entry("mon@p/g", (6, 5), speeds=WINGS, altitude=20),
        entry("mon@m/f", (2, 0)),
        entry("mon@m/h", (5, 5)),
        phase="movement",
        options={"fall_damage": "none"},
    ).given("g", position=(5, 5))
    fight.do("plan_movement", "e", mode="fly", path=_to(2, 0, start=(0, 0)), altitude_ft=0)
    fight.do("plan_movement", "g", mode="fly", path=[], altitude_ft=0)
    fight.do("pass_movement", "f").do("pass_movement", "h")
    assert (fight["e"].position, fight["e"].altitude) == ((1, 0), 0)
    assert (fight["g"].position, fight["g"].altitude) == ((5, 5), 5), "right above"


def test_RI_REAC_4_nobody_on_the_ground_blocks_who_flies_high() -> None:
    fight = begun(
        entry("mon@p/e", (1, 1), speeds=WINGS, altitude=30),
        entry("mon@m/b", (2, 0)),
        phase="movement",
        options={"fall_damage": "none"},
    )
    fight.do("plan_movement", "e", mode="fly", path=_to(7, 1, start=(1, 1)))
    fight.do("plan_movement", "b", ability="block", targets=["e"])
    assert not fight.logged("block_checked")
    assert fight["e"].position == (7, 1)


def test_RI_UNIV_OVERRUN_who_flies_above_runs_nobody_over() -> None:
    fight = begun(
        entry("mon@p/e", (0, 0), speeds=WINGS, altitude=30),
        entry("mon@m/b", (2, 0)),
        phase="movement",
        options={"fall_damage": "none"},
    )
    fight.do("plan_movement", "e", ability="overrun", mode="fly", path=_to(4, 0, start=(0, 0)))
    fight.do("pass_movement", "b")
    assert not fight.logged("attack_rolled")
    assert fight["e"].position == (4, 0)


@pytest.mark.parametrize(
    ("high", "legal"), [({"altitude_ft": 0}, False), ({}, True), ({"altitude_ft": 20}, True)]
)
def test_RI_MOVE_4_a_flight_for_a_standard_action_passes_above_too(
    high: dict[str, int],
    legal: bool,  # noqa: FBT001  # what the case is about
) -> None:
    """It is offered as far as it is legal: without a height of its own it ends just above the ground."""
    fight = begun(entry("mon@p/e", (0, 0), speeds=WINGS), entry("mon@m/b", (2, 0)))
    path = ((1, 0), (2, 0), (3, 0), (4, 0))
    if not legal:
        assert fight.refused("move", "e", mode="fly", path=path, **high) == "enemy_blocks_path"
        return
    assert high or fight.allows("move", "e", mode="fly", path=path)
    fight.do("move", "e", mode="fly", path=path, **high).end("e").rest()
    assert (fight["e"].position, fight["e"].altitude) == ((4, 0), high.get("altitude_ft", 5))


def test_RI_CONF_1_flights_of_the_action_phase_meet_at_the_heights_at_which_they_end() -> None:
    fight = begun(
        entry("mon@p/e", (5, 0), speeds=WINGS, altitude=20),
        entry("mon@m/f", (0, 0)),
        options={"fall_damage": "none"},
    )
    fight.do("move", "e", mode="fly", path=_to(3, 0, start=(5, 0)), altitude_ft=0).end("e")
    fight.do("move", "f", path=_to(3, 0, start=(0, 0))).end("f").throw(2, 9)
    assert fight.logged("conflict_found")[-1].order == ("f", "e")
    assert [fight[name].position for name in "ef"] == [(4, 0), (3, 0)]
