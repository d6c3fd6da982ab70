"""RI-CONF-12: who took a thing contends for it, and where it ends follows from who won."""

from __future__ import annotations

import pytest

from tests.rules.rise.kit import BLADE, Fight, begun, entry


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


def felled_with_the_orb(at: tuple[int, int] = (0, 0)) -> Fight:
    """Return a fight after x1 has picked up the orb beside its blade and been struck dead."""
    fight = begun(
        entry("mon@x/x1", at, hp_max=1, hp=1, weapons=[BLADE]),
        entry("mon@x/x2", (9, 9)),
        entry("mon@y/y1", (at[0], at[1] + 1), weapons=[BLADE]),
        items={"orb": [1, 0]},
    )
    fight.do("manipulate_object", "x1", what="draw", item="blade")
    fight.do("manipulate_object", "x1", what="pick_up", item="orb", pay="minor").end("x1")
    return fight.do("strike", "y1", 9, 8, target="x1", weapon="blade").end("y1").rest()


def test_RI_MAN_5_what_the_dead_hold_lies_where_they_died() -> None:
    fight = felled_with_the_orb()
    assert fight["x1"].dead
    assert (fight["x1"].held, dict(fight.state.lying)) == (("blade",), {"orb": (0, 0)})
    assert fight.logged("object_manipulated")[-1].because == ("RI-MAN-5",)
    fight.to_actions().do("manipulate_object", "y1", what="pick_up", item="orb").end("y1").rest()
    assert fight["y1"].held == ("orb",)


def test_RI_MAN_5_who_lies_unconscious_keeps_what_it_holds() -> None:
    places = (entry("pc@x/x1", (0, 0)), entry("mon@x/x2", (9, 9)), entry("mon@y/y1", (0, 1)))
    fight = begun(*places, items={"orb": [1, 0]})
    fight.do("manipulate_object", "x1", what="pick_up", item="orb").end("x1").do("ask_pause").rest()
    sleeps = {"does": "gain", "target": "x1", "name": "unconscious"}
    fight.do("gm_ruling", kind="effect", decision="so", effects=[sleeps]).do("go_on").to_actions()
    assert fight["x1"].down
    assert fight["x1"].held == ("orb",)
