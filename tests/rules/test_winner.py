"""Both books say which side won, once only one has anybody left."""

from __future__ import annotations

import pytest

from tests.rules.heartrush.kit import begun
from tests.rules.rise.kit import entry, opened


@pytest.mark.parametrize(
    ("orc", "pia", "winner"),
    [
        ("active", "active", None),
        ("dead", "active", "players"),
        ("unconscious", "active", "players"),
        ("active", "unconscious", "enemies"),
        ("dead", "dead", None),
    ],
)
def test_heart_rush_is_won_by_the_side_that_has_somebody_active(
    orc: str, pia: str, winner: str | None
) -> None:
    state = begun({"pia": (0, 0), "orc": (1, 0)}).state
    for name, status in (("orc", orc), ("pia", pia)):
        state = state.with_creature(name, status=status)
    assert state.won_by == winner


@pytest.mark.parametrize("gone", ["down", "dead", "defeated"])
def test_rise_is_won_by_the_side_that_has_somebody_left(gone: str) -> None:
    state = opened(entry("pc@heroes/p", (0, 0)), entry("mon@foes/e", (3, 0))).state
    assert state.won_by is None
    state = state.with_creature("e", **{gone: True})
    assert state.won_by == "heroes"
    assert state.with_creature("p", dead=True).won_by is None
