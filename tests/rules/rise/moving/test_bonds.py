"""Bonds that two groups make and break in one phase, and flyers that others move."""

from __future__ import annotations

import pytest

from tests.rules.rise.kit import begun, entry

GUST = {"id": "gust", "range_ft": 60, "effects": [{"does": "push", "amount": 15}]}


@pytest.mark.parametrize(("holder", "held"), [("a", "t"), ("t", "a")])
def test_RI_UNIV_ESCAPE_who_breaks_free_is_free_though_it_is_seized_again(holder: str, held: str) -> None:
    """RI-RES-6, RI-RES-14: what the holder does comes before, whatever the two are called."""
    fight = begun(entry(f"mon@{holder}/{holder}", (-1, 0)), entry(f"mon@{held}/{held}", (0, 0)))
    fight.do("grapple", holder, 9, target=held).end(holder).rest().to_actions()
    fight.do("escape_grapple", held, 9).end(held)
    fight.do("grapple", holder, 9, target=held).end(holder).rest()
    assert [fight[name].has("grappled") for name in (holder, held)] == [False, False]


def test_RI_UNIV_ESCAPE_who_breaks_free_may_be_seized_by_another() -> None:
    fight = begun(entry("mon@a/a", (-1, 0)), entry("mon@b/b", (1, 0)), entry("mon@t/t", (0, 0)))
    fight.do("grapple", "a", 9, target="t").end("a").rest().to_actions()
    fight.do("escape_grapple", "t", 9).end("t").do("grapple", "b", 9, target="t").end("b").rest()
    assert [fight[name].has("grappled") for name in "abt"] == [False, True, True]


@pytest.mark.parametrize(("moves", "falls"), [("nothing", True), ("charge", False), ("fly", False)])
def test_RI_MOVE_9_who_is_pushed_has_spent_no_movement(moves: str, *, falls: bool) -> None:
    """It falls if it does nothing itself; a charge or a flight of its own keeps it up."""
    fight = begun(
        entry("mon@e/e", (0, 0), speeds={"fly": 30, "land": 30}, altitude=20),
        entry("mon@m/m", (0, 4), speeds={"fly": 30}, altitude=20, floats=True),
        entry("mon@b/b", (-3, 0), abilities=[GUST]),
    )
    if moves == "charge":
        fight.do("charge", "e", 1, path=[[0, 1], [0, 2], [0, 3]], target="m")
    elif moves == "fly":
        fight.do("move", "e", path=[[0, 1]], mode="fly")
    fight.do("use_ability", "b", ability="gust", targets=["e"]).end("b").rest()
    if falls:
        fight.throw(3, 3)
    assert fight["e"].altitude == (0 if falls else 20)
