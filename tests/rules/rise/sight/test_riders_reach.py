"""RI-MOUNT-1: a rider is where its mount is, for its own attacks and for everybody else's."""

from __future__ import annotations

import pytest

from tests.rules.rise.kit import Fight, begun, entry

QUAKE = {
    "id": "quake",
    "area": {"shape": "sphere", "size_ft": 5, "range_ft": 60, "whom": "everyone"},
    "effects": [{"does": "damage", "amount": 3}],
}
HORSE = {"size": "large", "carries_riders": True, "combat_trained": True}


def mounted(*at: tuple[int, int]) -> Fight:
    """Return a rider in the corner of a large horse at (5, 0) to (6, 1), and enemies."""
    foes = [entry(f"mon@m/e{i}", cell, abilities=[QUAKE]) for i, cell in enumerate(at)]
    return begun(entry("pc@p/r", (5, 0), mount="h"), entry("pc@p/h", (5, 0), **HORSE), *foes)


@pytest.mark.parametrize("at", [(4, 0), (7, 0), (7, 2), (6, 2), (4, -1)])
def test_a_rider_reaches_and_is_reached_around_its_mount(at: tuple[int, int]) -> None:
    assert mounted(at).allows("strike", "r", target="e0", weapon="blade")
    fight = mounted(at)
    fight.do("pass_turn", "r").do("pass_turn", "h")
    assert fight.allows("strike", "e0", target="r", weapon="blade")


@pytest.mark.parametrize("at", [(8, 0), (3, 0), (5, 3)])
def test_it_does_not_reach_farther(at: tuple[int, int]) -> None:
    assert not mounted(at).allows("strike", "r", target="e0", weapon="blade")


def test_an_area_that_catches_the_mount_catches_its_rider() -> None:
    fight = mounted((9, 9)).do("pass_turn", "r").do("pass_turn", "h")
    fight.do("use_ability", "e0", ability="quake", at=[7, 1]).end("e0")
    assert {event.creature for event in fight.logged("damage_taken")} == {"r", "h"}
