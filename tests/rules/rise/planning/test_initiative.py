"""Hold initiative where actions cannot all happen, and exertion on it, in either phase."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.rise.planning.initiative import roll_order
from service.rules.rolls.chance import Chance
from service.rules.ruleset import waiting
from tests.rules.rise.kit import Fight, NoDice, begun, entry

GIFTED = {"brawling_accuracy": 9}


def grabbing(**options: Any) -> Fight:
    """Return a fight in which a player's creature and a monster took one thing in the same phase."""
    fight = begun(entry("pc@p/p", (0, 0)), entry("mon@m/e", (2, 0)), items={"crown": [1, 0]}, options=options)
    for name in ("p", "e"):
        fight.do("manipulate_object", name, what="pick_up", item="crown").end(name)
    return fight.throw(6, 4)


@pytest.mark.parametrize(("again", "holder"), [(5, "p"), (3, "e")])
def test_C_44_exertion_decides_who_takes_a_thing(again: int, holder: str) -> None:
    """C-39, RI-UNIV-DESPERATE: its own check, before the order is applied; 2 more, for 2 fatigue."""
    fight = grabbing()
    assert {fight[name].held for name in "pe"} == {("crown",)}, "it waits"
    assert fight.logged("group_announced"), "everybody knows what was done"
    fight.do("desperate_exertion", "p", again)
    assert [name for name in "pe" if fight[name].held] == [holder]
    assert (fight["p"].fatigue, fight["e"].fatigue) == (2, 0)
    assert fight.state.round == 2


def test_C_44_the_check_stands_where_its_player_says_so_and_the_house_may_not_ask() -> None:
    fight = grabbing().do("keep_roll", "p")
    assert (fight["e"].held, fight["p"].fatigue) == (("crown",), 0)
    assert grabbing(exertion_prompt="never")["e"].held == ("crown",)


def shoving(**options: Any) -> Fight:
    """Return a fight in which two players' creatures of two groups push a third, and moved it both."""
    fight = begun(
        entry("mon@t/t", (5, 5)),
        entry("pc@x/x1", (4, 5), **GIFTED),
        entry("pc@y/y1", (5, 4), **GIFTED),
        options=options,
    )
    fight.do("shove", "x1", 6, target="t", direction=[1, 0]).end("x1")
    fight.do("shove", "y1", 6, target="t", direction=[0, 1]).end("y1")
    return fight.do("pass_turn", "t").throw(3, 8)


@pytest.mark.parametrize(("again", "end"), [(9, (8, 5)), (2, (5, 8))])
def test_C_44_exertion_decides_who_pushes(again: int, end: tuple[int, int]) -> None:
    """C-16, RI-MOVE1-7: only who came second is asked, and what one knows then is told once."""
    fight = shoving()
    assert [(a.creature, a.accepts) for a in waiting(fight.state)] == [
        ("x1", ("desperate_exertion", "keep_roll"))
    ]
    fight.do("desperate_exertion", "x1", again)
    assert fight["t"].position == end
    assert len(fight.logged("location_effect_ignored")) == 1
    assert [e.question for e in fight.logged("ruling_requested")] == ["location_conflict"]
    assert (fight["x1"].fatigue, fight["y1"].fatigue) == (2, 0)


def test_C_44_each_of_several_is_asked_and_all_that_roll_again_are_compared() -> None:
    """RI-CONF-4: three into one space in the action phase."""
    fight = begun(entry("mon@a/a", (0, 2)), entry("pc@b/b", (2, 0)), entry("pc@c/c", (4, 2)))
    for name, path in (("a", [[1, 2], [2, 2]]), ("b", [[2, 1], [2, 2]]), ("c", [[3, 2], [2, 2]])):
        fight.do("move", name, path=path).end(name)
    fight.throw(8, 5, 4)
    assert [a.creature for a in waiting(fight.state)] == ["b", "c"]
    assert fight.refused("desperate_exertion", "a") == "groups_still_resolving"
    fight.do("desperate_exertion", "b").do("desperate_exertion", "c").throw(2, 9)
    assert [fight[name].position for name in "abc"] == [(1, 2), (2, 1), (2, 2)]
    assert fight.logged("conflict_found")[-1].order == ("c", "a", "b")
    assert [fight[name].fatigue for name in "abc"] == [0, 2, 2]


def test_RI_INIT_4_a_conflict_in_which_nobody_moves_takes_no_check() -> None:
    """Two may be in conflict although the paths of both were cut to nothing before it was found."""
    state = grabbing().state
    with pytest.raises(StopIteration) as ended:
        next(roll_order(state, Chance(NoDice()), ()))
    assert ended.value.value is state


def racing(phase: str, *faces: int) -> Fight:
    """Return a fight in which a and b want one space, c and d another far off, after their checks."""
    cells = {"a": (0, 0), "b": (2, 0), "c": (0, 5), "d": (2, 5)}
    fight = begun(*(entry(f"pc@{name}/{name}", at) for name, at in cells.items()), phase=phase)
    for name, (_, y) in cells.items():
        if phase == "movement":
            fight.do("plan_movement", name, path=[[1, y]])
        else:
            fight.do("move", name, path=[[1, y]]).end(name)
    return fight.throw(*faces)


def asked(fight: Fight) -> list[str | None]:
    """Return who is asked to exert itself."""
    return [each.creature for each in waiting(fight.state) if "desperate_exertion" in each.accepts]


@pytest.mark.parametrize("phase", ["movement", "action"])
def test_C_44_who_has_won_its_own_contest_is_not_asked(phase: str) -> None:
    """RI-CONF-5: a check of 9 in another contest beats nobody here."""
    fight = racing(phase, 9, 3, 2, 8)
    assert asked(fight) == ["b", "c"]
    fight.do("keep_roll", "b").do("keep_roll", "c")
    assert [event.order for event in fight.logged("conflict_found")] == [("a", "b"), ("d", "c")]
    assert [fight[name].position for name in "abcd"] == [(1, 0), (2, 0), (0, 5), (1, 5)]


@pytest.mark.parametrize("phase", ["movement", "action"])
def test_RI_INIT_3_equal_checks_of_two_contests_are_no_tie(phase: str) -> None:
    fight = racing(phase, 9, 2, 2, 9)
    assert not any(each.wants for each in waiting(fight.state)), "nobody throws again"
    assert asked(fight) == ["b", "c"]
