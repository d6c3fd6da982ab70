"""Hold riders of mounts that fly: as high as these, in the air and out of it."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.rise.creatures.combat_statistics import midair
from tests.rules.rise.kit import Fight, begun, entry

WINGED: dict[str, Any] = {"carries_riders": True, "combat_trained": True, "speeds": {"land": 30, "fly": 60}}


def riding(altitude: int = 0, phase: str = "movement", **rider: Any) -> Fight:
    """Return a fight in which `r` rides `g`, which has wings, with an enemy far off."""
    return begun(
        entry("pc@p/r", (0, 0), mount="g", altitude=altitude, **rider),
        entry("pc@p/g", (0, 0), altitude=altitude, **WINGED),
        entry("mon@m/e", (9, 9)),
        phase=phase,
        options={"exertion_prompt": "never"},
    )


def high(fight: Fight) -> list[tuple[int, str | None]]:
    return [(fight[name].altitude, fight[name].aloft) for name in "rg"]


def test_RI_MOUNT_1_a_rider_rises_and_sinks_with_its_mount() -> None:
    """RI-MOVE-9: in both phases, and neither falls while the mount flies."""
    fight = riding()
    fight.do("plan_movement", "g", mode="fly", path=[[1, 0]], altitude_ft=30, carry=["r"])
    fight.do("pass_movement", "r").do("pass_movement", "e")
    assert high(fight) == [(30, "flying")] * 2
    fight.to_actions().do("move", "g", mode="fly", path=[[2, 0]], altitude_ft=20).end("g").rest()
    assert high(fight) == [(20, "flying")] * 2
    assert fight["r"].position == (2, 0)
    assert not fight.logged("fell")


def test_RI_MOUNT_1_a_rider_follows_through_the_air_on_its_mount() -> None:
    """RI-REAC-2, C-48: by the rule that its mount goes by."""
    fight = begun(
        entry("pc@p/r", (0, 0), mount="g"),
        entry("pc@p/g", (0, 0), **WINGED),
        entry("mon@m/e", (2, 0), altitude=40, speeds={"fly": 30}),
    )
    fight.do("move", "g", ability="follow", mode="fly", targets=["e"]).end("g")
    fight.do("pass_turn", "r").do("move", "e", mode="fly", path=[]).end("e")
    assert high(fight)[0] == high(fight)[1]
    assert fight["r"].altitude >= 30


def test_RI_ORDER_5_a_mount_that_falls_takes_its_rider_down() -> None:
    """RI-MOVE-9: it did not move in the phase; both hit the ground."""
    fight = riding(20)
    for name in ("g", "r", "e"):
        fight.do("pass_movement", name)
    fight.throw(1, 1, 1, 1)
    assert sorted(event.creature for event in fight.logged("fell")) == ["g", "r"]
    assert high(fight) == [(0, None)] * 2


def test_RI_MOUNT_1_a_rider_knocked_out_of_the_air_falls() -> None:
    fight = riding(30, "action")
    fight.do("move", "g", mode="fly", path=[[1, 0]]).end("g").do("pass_turn", "r")
    fight.given("r", fatigue=99).rest().throw(1, 1, 1)
    assert [event.creature for event in fight.logged("mounted")] == ["r"]
    assert [event.creature for event in fight.logged("fell")] == ["r"]


def test_RI_MOUNT_1_nobody_mounts_what_hovers_out_of_reach() -> None:
    fight = begun(
        entry("pc@p/r", (0, 0)),
        entry("pc@p/g", (1, 0), altitude=20, **WINGED),
        entry("mon@m/e", (9, 9)),
        phase="movement",
    )
    assert fight.refused("plan_movement", "r", path=[[1, 0]], mount="g") == "mount_departed"


def test_RI_MOVE_9_whoever_rides_sits_and_is_not_in_mid_air() -> None:
    """The mount is, where it is at home on land: 4 less armor and reflex."""
    fight = riding(20)
    assert [term.amount for name in "rg" for term in midair(fight[name])] == [-4]


@pytest.mark.parametrize("first", ["r", "g"])
def test_RI_MOUNT_1_a_rider_lands_with_its_mount_beside_who_stands_below(first: str) -> None:
    """RI-ORDER-5: whichever of the two the opening names first."""
    both = {
        "r": entry("pc@p/r", (0, 0), mount="g", altitude=20),
        "g": entry("pc@p/g", (0, 0), altitude=20, **WINGED),
    }
    order = [both[first], *(each for name, each in both.items() if name != first)]
    fight = begun(*order, entry("mon@m/e", (0, 0)), phase="movement", options={"exertion_prompt": "never"})
    for name in ("g", "r", "e"):
        fight.do("pass_movement", name)
    fight.throw(1, 1, 1, 1)
    assert fight["r"].position == fight["g"].position != (0, 0)
    assert (fight["r"].mount, fight["r"].altitude) == ("g", 0)
