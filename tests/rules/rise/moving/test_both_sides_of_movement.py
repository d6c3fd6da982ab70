"""Both sides of Rise's bounds of movement: blocks, conflicts, movements by a rule, and traded ones."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import pytest

from service.rules.kernel.records import changed
from service.rules.rise.creatures.character import Condition
from service.rules.rise.moving.movement_problem import NeedsInitiative, Outcome
from service.rules.rise.moving.movement_solver import solve, warn_of_many
from tests.rules.rise.kit import Fight, begun, entry
from tests.rules.rise.movements import problem_of, solve_with, told, written
from tests.rules.rise.test_both_sides import QUIET, refusal_of


class Row(NamedTuple):
    """A problem of movement, the checks that are rolled, and how it comes out."""

    name: str
    creatures: str
    checks: str
    outcome: str
    ground: tuple[str, ...] = ()


ROWS: Final = (
    # A blocker's speed is paid for each step from one space beside it to another.
    Row(
        "RI-REAC-4 two steps beside the blocker cost its speed twice",
        "x/b 2,1 land=5 block t | y/t 0,0 land=30 > 6,0",
        "b=9 t=1",
        "t 4,0 | b blocks t",
    ),
    Row(
        "RI-REAC-4 a foot too little is too little",
        "x/b 2,1 land=5 block t | y/t 0,0 land=29 > 6,0",
        "b=9 t=1",
        "t 3,0 | b blocks t",
    ),
    Row(
        "RI-REAC-4 the second diagonal costs 10 feet here too",
        "x/b 2,1 land=5 block t | y/t 0,0 land=25 > 4,4",
        "b=9 t=1",
        "t 3,3 | b blocks t",
    ),
    Row(
        "RI-REAC-4 what a climb costs is not left for the blocker",
        "x/b 2,1 land=5 block t | y/t 0,0 fly=30 by=fly ends=5 > 4,0",
        "b=9 t=1",
        "t 3,0^5 | b blocks t",
    ),
    Row(
        "RI-REAC-4 rough ground costs 5 feet more to leave here too",
        "x/b 2,1 land=5 block t | y/t 0,0 land=30 > 6,0",
        "b=9 t=1",
        "t 3,0 | b blocks t",
        (".......", ".~....."),
    ),
    Row(
        "RI-REAC-4 one step beside the blocker passes it",
        "x/b 1,1 land=5 block t | y/t 1,0 land=30 > 7,0",
        "b=9 t=1",
        "t 6,0 | b blocks t",
    ),
    Row(
        "RI-SWIFT-10 each blocks the one it names",
        "x/b 2,1 land=60 block t | x/c 2,-1 land=60 block t | y/t 0,0 land=30 > 6,0",
        "b=9 c=1 t=5",
        "t 1,0 | b blocks t | c misses t",
    ),
    Row(
        "RI-SWIFT-10 nobody is blocked who goes another way",
        "x/b 9,9 block t | y/t 0,0 > 3,0",
        "",
        "t 3,0",
    ),
    # Who comes behind another does not conflict with it.
    Row(
        "RI-CONF-1 a follower is in no conflict with whom it follows",
        "x/f 0,0 follow w | y/w 2,0 > 4,0",
        "",
        "f 3,0 | w 4,0",
    ),
    Row(
        "RI-CONF-1 an enemy's end in the way is a conflict",
        "x/f 0,0 > 4,0 | y/w 3,3 > 3,0",
        "f=2 w=9",
        "f 2,0 | w 3,0 | order w f",
    ),
    # Movements by a rule.
    Row(
        "RI-REAC-3 the nearest gives the direction",
        "x/p 0,0 withdraw e,f 30 | y/e 2,0 | z/f 0,5",
        "",
        "p -4,0",
    ),
    Row(
        "RI-REAC-3 the nearest gives the direction, whatever its name",
        "x/p 0,0 withdraw e,f 30 | y/f 2,0 | z/e 0,5",
        "",
        "p -4,0",
    ),
    Row(
        "RI-REAC-3 it goes no farther than it says",
        "x/p 0,0 withdraw e 20 | y/e 2,0",
        "",
        "p -2,0",
    ),
    Row(
        "RI-REAC-3 who is far enough away stays",
        "x/p 0,0 withdraw e 10 | y/e 2,0",
        "",
        "",
    ),
)


@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_a_problem_comes_out_as_its_row_says(row: Row) -> None:
    problem = problem_of(row.creatures, row.ground)
    assert written(problem, solve_with(problem, row.checks)) == row.outcome


def pairs(many: int) -> str:
    """Return so many pairs, far from each other, who both want one space."""
    return " | ".join(f"x/a{i} 0,{9 * i} > 3,{9 * i} | y/b{i} 6,{9 * i} > 3,{9 * i}" for i in range(many))


@pytest.mark.parametrize(("many", "warning"), [(1, ""), (3, ""), (4, "plans are over-complicated")])
def test_RI_CONF_5_and_RI_CONF_7_more_than_three_conflicts_are_many(many: int, warning: str) -> None:
    checks = " ".join(f"a{i}={2 * i + 1} b{i}={2 * i + 2}" for i in range(many))
    found = solve_with(problem_of(pairs(many)), checks)
    assert isinstance(found, Outcome)
    assert len(found.conflicts) == many, "each is a contest of its own"
    assert [conflict.warning for conflict in found.conflicts][-1] == warning
    assert warn_of_many(many) == warning


@pytest.mark.parametrize(
    ("rolled", "settled", "is_solved"),
    [(2, 2, True), (0, 2, False), (2, 1, False), (2, 0, False), (0, 0, False)],
)
def test_RI_CONF_5_checks_and_doubts_are_settled_before_anybody_moves(
    rolled: int, settled: int, *, is_solved: bool
) -> None:
    """RI-CONF-5: two pairs; each needs its checks, and no doubt whether it is a conflict."""
    problem = problem_of(pairs(2))
    found = solve(problem)
    assert isinstance(found, NeedsInitiative)
    assert len(found.doubts) == 2
    names = ("a0", "b0", "a1", "b1")[: 2 * rolled]
    state = told(problem, {name: (i,) for i, name in enumerate(names)})
    doubts = [(doubt.question, *doubt.creatures) for doubt in found.doubts]
    state = changed(state, defaulted=tuple(doubts[:settled]))
    assert isinstance(solve(changed(problem, state=state)), Outcome) is is_solved


# --- traded movements --------------------------------------------------------------------------------------


def acting(*more: dict[str, Any], **changes: Any) -> Fight:
    """Return a fight in which `p` may trade its action; its enemy `e` is 4 cells east."""
    speeds = {"land": 30, "fly": 30, "glide": 30}
    return begun(
        entry("pc@p/p", (0, 0), **{"speeds": speeds, **changes}),
        entry("mon@m/e", (4, 0)),
        *more,
        options=QUIET,
    )


@pytest.mark.parametrize(
    ("data", "at"),
    [
        ({"ability": "follow", "targets": ["e"]}, (3, 0)),
        ({"ability": "follow", "targets": ["e"], "distance_ft": 5}, (3, 0)),
        ({"ability": "follow", "targets": ["e"], "distance_ft": 10}, (2, 0)),
        ({"ability": "withdraw", "targets": ["e"], "distance_ft": 30}, (-2, 0)),
        ({"ability": "custom", "targets": ["e"], "within_ft": 15}, (1, 0)),
        ({"ability": "custom", "targets": ["e"], "beyond_ft": 25}, (-1, 0)),
    ],
)
def test_RI_MOVE1_5_a_traded_movement_may_go_by_a_rule(data: dict[str, Any], at: tuple[int, int]) -> None:
    fight = acting()
    fight.do("move", "p", **data)
    assert fight.seen("p", "p").budget.standard == "traded_movement"
    fight.end("p").rest()
    assert fight["p"].position == at


@pytest.mark.parametrize("ability", ["follow", "withdraw", "custom"])
def test_RI_MOVE1_5_a_rule_leads_a_flyer_no_higher_by_itself(ability: str) -> None:
    fight = acting()
    more = {"within_ft": 10} if ability == "custom" else {"distance_ft": 10}
    fight.do("move", "p", ability=ability, targets=["e"], mode="fly", **more)
    assert not fight.logged("took_off")


@pytest.mark.parametrize(
    ("mode", "path", "altitude", "code"),
    [
        ("fly", [[0, -1]], 5, None),
        ("fly", [[0, -1]], 25, None),
        ("fly", [[0, -1]], 30, "movement_exceeds_speed"),
        ("fly", [[0, -1], [0, -2]], 20, None),
        ("fly", [[0, -1], [0, -2]], 25, "movement_exceeds_speed"),
        ("fly", [[0, -1]], 7, "invalid_target"),
    ],
)
def test_RI_MOVE1_5_and_RI_MOVE_9_a_climb_takes_its_part_of_the_speed(
    mode: str, path: list[list[int]], altitude: int, code: str | None
) -> None:
    fight = acting()
    found = refusal_of(fight, "seat-p", "move", creature="p", mode=mode, path=path, altitude_ft=altitude)
    assert (found is None) is (code is None), found
    if code is None:
        after = fight.seen("p", "p")
        assert after.altitude == altitude
        assert after.budget.modes == {mode: 5 * len(path) + altitude}


def test_RI_MOVE1_5_a_glider_sinks_as_it_goes() -> None:
    fight = acting(altitude=40)
    fight.do("move", "p", mode="glide", path=[[0, -1]])
    (event,) = fight.logged("took_off")
    assert (event.creature, event.altitude) == ("p", 30)


@pytest.mark.parametrize(
    ("data", "trades", "code"),
    [
        ({"path": [[0, -1]]}, "any", None),
        ({"path": [[0, -1]], "sprint": True}, "any", None),
        ({"path": [[0, -1]]}, "hustle", None),
        ({"path": [[0, -1]], "sprint": True}, "hustle", "no_such_trade"),
        ({"ability": "follow", "targets": ["e"]}, "hustle", "no_such_trade"),
    ],
)
def test_RI_MOVE1_5_where_the_house_says_so_it_is_a_plain_movement(
    data: dict[str, Any], trades: str, code: str | None
) -> None:
    options = dict(QUIET) if trades == "any" else {**QUIET, "traded_movement": trades}
    fight = begun(entry("pc@p/p", (0, 0)), entry("mon@m/e", (4, 0)), options=options)
    found = refusal_of(fight, "seat-p", "move", creature="p", **data)
    assert (found[0] if found else None) == code


def test_RI_MOVE1_5_and_RI_MOVE_5_what_was_interrupted_goes_on_on_foot() -> None:
    """RI-MOVE-5: who has begun to move does not get up any more."""
    fight = acting(abilities=[{"id": "wave", "usage": "minor"}])
    fight.given("p", conditions=(Condition(name="prone"),))
    fight.do("move", "p", path=[[0, -1]], pause=True)
    fight.do("use_ability", "p", ability="wave", targets=["p"])
    again = refusal_of(fight, "seat-p", "move", creature="p", stand_up=True, path=[[0, -2]])
    assert again == ("wrong_step", "RI-MOVE-5")
    fight.do("move", "p", path=[[0, -2]])
    hows = [effect.how for effect in fight.state.at("p").effects if effect.does == "locate"]
    assert hows == ["self", "continued"]
    assert fight.seen("p", "p").position == (0, -2)
