"""RI-CONF-12: who took a thing contends for it, and where it ends follows from who won."""

from __future__ import annotations

import pytest

from tests.rules.rise.kit import Fight, begun, entry


def orb(faces: tuple[int, int], *ways: str) -> Fight:
    """Return two groups that take an orb, after x did *ways* with it; x rolls first."""
    fight = begun(entry("mon@x/x1", (0, 0), strength=2), entry("mon@y/y1", (2, 0)), items={"orb": [1, 0]})
    fight.do("manipulate_object", "x1", what="pick_up", item="orb")
    if "walk" in ways:
        fight.do("move", "x1", path=[[0, 1], [0, 2]])
    if "throw" in ways:
        fight.do("throw", "x1", item="orb", direction=[-1, 0])
    if "drop" in ways:
        fight.do("manipulate_object", "x1", what="drop", item="orb")
    fight.end("x1").do("manipulate_object", "y1", what="pick_up", item="orb").end("y1")
    return fight.throw(*faces)


@pytest.mark.parametrize(
    ("ways", "lies"), [(("drop",), (0, 0)), (("walk", "drop"), (0, 2)), (("throw",), (-4, 0))]
)
def test_RI_CONF_12_who_let_go_of_it_still_had_it(ways: tuple[str, ...], lies: tuple[int, int]) -> None:
    """m34, m35."""
    won = orb((9, 2), *ways)
    assert (won["x1"].held, won["y1"].held, dict(won.state.lying)) == ((), (), {"orb": lies})
    lost = orb((2, 9), *ways)
    assert (lost["x1"].held, lost["y1"].held, dict(lost.state.lying)) == ((), ("orb",), {})


def test_RI_CONF_12_who_holds_it_and_won_keeps_it() -> None:
    assert orb((9, 2))["x1"].held == ("orb",)
    assert orb((2, 9))["x1"].held == ()


def test_RI_CONF_12_one_taker_rolls_nothing() -> None:
    fight = begun(entry("mon@x/x1", (0, 0)), entry("mon@y/y1", (2, 0)), items={"orb": [1, 0]})
    fight.do("manipulate_object", "x1", what="pick_up", item="orb")
    fight.do("manipulate_object", "x1", what="drop", item="orb").end("x1").do("pass_turn", "y1")
    assert fight.state.lying == {"orb": (0, 0)}
    assert not fight.rolls
    assert not fight.state.takings
