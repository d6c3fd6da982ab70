"""Hold the solver of movements: every case in three lines, and what is true of all outcomes."""

from __future__ import annotations

import json
from itertools import combinations
from random import Random
from typing import Any, Final, NamedTuple

import pytest

from service.rules.kernel.meter import DECIDING, Meter
from service.rules.kernel.records import changed
from service.rules.rise.creatures.creature import BIG_ENOUGH, above
from service.rules.rise.moving.movement_problem import (
    NeedsInitiative,
    Outcome,
    Problem,
    place_movers,
    pose,
    shake_off,
)
from service.rules.rise.moving.movement_solver import solve
from service.rules.space.grid import cells
from tests.rules.rise.movements import problem_of, solve_with, told, written
from tests.rules.rise.problems import VECTORS, problem_text

CORRIDOR: Final = ("#######", ".......", "#######")


class Case(NamedTuple):
    """A problem, the checks that are rolled, and how it comes out."""

    name: str
    creatures: str
    checks: str
    outcome: str
    ground: tuple[str, ...] = ()


CASES: Final = (
    # --- conflicts
    Case(
        "RI-V-20 three into one space",
        "x/a 0,5 > 5,5 | y/b 5,0 > 5,5 | z/c 10,5 > 5,5",
        "a=7 b=9 c=8",
        "a 4,5 | b 5,5 | c 6,5 | order b c a",
    ),
    Case(
        "RI-CONF-5 nobody rolls where nobody meets",
        "x/a 0,0 > 3,0 | y/b 0,5 > 3,5",
        "",
        "a 3,0 | b 3,5",
    ),
    Case(
        "RI-CONF-1 who meets must roll",
        "x/a 0,0 > 3,0 | y/b 6,0 > 3,0",
        "a=3",
        "needs a b",
    ),
    Case(
        "RI-CONF-1 who ends above is in no conflict",
        "p/e 5,0 alt=20 fly=60 by=fly > 3,0 | m/f 0,0 > 3,0",
        "",
        "e 3,0^20 | f 3,0",
    ),
    Case(
        "RI-CONF-1 who lands where a walker ends is in conflict with it",
        "p/e 5,0 alt=20 fly=60 by=fly ends=0 > 3,0 | m/f 0,0 > 3,0",
        "e=9 f=2",
        "e 3,0 | f 2,0 | order e f",
    ),
    Case(
        "RI-CONF-1 a start on the ground counts less than an end in the air",
        "p/e 5,0 fly=60 by=fly ends=20 > 3,0 | m/f 0,0 > 3,0",
        "",
        "e 3,0^20 | f 3,0",
    ),
    Case(
        "RI-CONF-3 where the way leads through a loser's place nothing is lost",
        "x/a 0,0 > 3,0 | x/b 6,0 > 3,0 | x/c 3,3 > 3,0",
        "a=2 b=5 c=9",
        "a 2,0 | b 4,0 | c 3,0 | order c b a",
    ),
    Case(
        "C-13 two change places in a corridor",
        "x/p 0,0 > 4,0 | y/e 4,0 > 0,0",
        "p=9 e=2",
        "p 3,0 | order p e",
        CORRIDOR,
    ),
    Case(
        "C-13 two change places in the open",
        "x/p 0,0 > 4,0 | y/e 4,0 > 0,0",
        "",
        "e 0,0 | p 4,0",
    ),
    Case(
        "RI-MOVE-4 two sizes apart nobody is in the way",
        "x/p 0,0 > 4,0 | y/ogre 2,0 size=huge",
        "",
        "p 4,0",
    ),
    Case(
        "RI-MOVE-4 an enemy who stays stops a movement",
        "x/p 0,0 > 4,0 | y/e 2,0",
        "",
        "p 1,0",
    ),
    Case(
        "RI-MOVE-4 an ally who stays is passed",
        "x/p 0,0 > 4,0 | x/e 2,0",
        "",
        "p 4,0",
    ),
    Case(
        "RI-MOVE-4 an ally who stays at the end is stopped at",
        "x/p 0,0 > 2,0 | x/e 2,0",
        "",
        "p 1,0",
    ),
    Case(
        "RI-RES-16 a wall that has come since undoes no push",
        "x/p 0,0 as=pushed > 3,0 | y/e 5,5",
        "",
        "p 3,0",
        ("....", "...#"),
    ),
    Case(
        "RI-UNIV-OVERRUN nobody ends in whom it has run over",
        "x/p 0,0 as=overrun passes=e > 2,0 | y/e 2,0",
        "",
        "p 1,0",
    ),
    Case(
        "RI-CONF-2 two conflicts that share nobody are two contests",
        "w/a 0,0 > 1,0 | x/b 2,0 > 1,0 | y/c 0,5 > 1,5 | z/d 2,5 > 1,5",
        "a=9 b=3 c=2 d=8",
        "a 1,0 | d 1,5 | order a b | order d c",
    ),
    Case(
        "RI-UNIV-OVERRUN who is run over is passed",
        "x/p 0,0 as=overrun passes=e > 4,0 | y/e 2,0",
        "",
        "p 4,0",
    ),
    # --- heights
    Case(
        "RI-MOVE-4 a flyer that comes down passes above",
        "p/e 0,0 alt=20 fly=60 by=fly ends=0 > 4,0 | m/f 2,0",
        "",
        "e 4,0",
    ),
    Case(
        "RI-MOVE-4 a flyer that rises passes above",
        "p/e 0,0 fly=60 by=fly ends=20 > 4,0 | m/f 2,0",
        "",
        "e 4,0^20",
    ),
    Case(
        "RI-MOVE-4 a flight along the ground is stopped",
        "p/e 0,0 fly=60 by=fly ends=0 > 4,0 | m/f 2,0",
        "",
        "e 1,0",
    ),
    Case(
        "RI-MOVE-4 who lands on somebody ends before it",
        "p/e 0,0 alt=20 fly=60 by=fly ends=0 > 2,0 | m/f 2,0",
        "",
        "e 1,0",
    ),
    # --- movements that react
    Case(
        "RI-V-22 a chase at equal speed is no conflict",
        "x/f 0,0 follow w | y/w 1,0 withdraw f 30",
        "",
        "f 6,0 | w 7,0",
    ),
    Case(
        "RI-V-23 a monster stays behind",
        "x/f 0,0 follow w | y/w 1,0 land=40 withdraw f 30",
        "",
        "f 6,0 | w 9,0",
    ),
    Case(
        "RI-REAC-2 followers of followers go after them",
        "x/a 0,0 follow b | y/b 1,0 follow c | z/c 2,0 > 8,0",
        "",
        "a 6,0 | b 7,0 | c 8,0",
    ),
    Case(
        "RI-REAC-2 who follows the loser stays behind it",
        "x/f 0,0 follow w | y/w 1,0 > 7,0 | z/x 7,5 > 7,0",
        "w=2 x=5",
        "f 5,0 | w 6,0 | x 7,0 | order x w",
    ),
    Case(
        "RI-REAC-2 an ally stays near the loser",
        "x/f 0,1 pc=1 follow w | x/w 1,0 pc=1 > 7,0 | z/x 4,5 > 4,0",
        "w=2 x=9",
        "f 2,1 | w 3,0 | x 4,0 | order x w",
    ),
    Case(
        "RI-REAC-6 a follower resolves after whom it follows",
        "x/f 0,0 follow w | y/w 2,0 > 6,0 | z/o 5,5 > 5,0",
        "f=9 o=2 w=5",
        "f 5,1 | o 5,2 | w 6,0 | order w f o",
    ),
    Case(
        "RI-REAC-2 who follows goes by where the other was stopped",
        "x/f 0,1 pc=1 follow w | x/w 1,0 pc=1 > 7,0 | z/x 4,0",
        "",
        "f 2,1 | w 3,0",
    ),
    Case(
        "RI-REAC-3 no farther than is needed from several",
        "x/w 0,0 withdraw a,b 20 | y/a 6,0 > 2,0 | y/b 8,0",
        "",
        "a 2,0 | w -2,0",
    ),
    Case(
        "RI-REAC-5 a follower stops where its speed ends",
        "x/f 0,0 land=20 follow t | y/t 1,0 > 7,0",
        "",
        "f 4,0 | t 7,0",
    ),
    Case(
        "RI-REAC-1 a rule of one's own leads near",
        "x/p 0,0 near e 30 | y/e 10,0 > 8,0",
        "",
        "e 8,0 | p 2,0",
    ),
    Case(
        "RI-REAC-1 a rule of one's own leads away",
        "x/p 0,0 away e 40 | y/e 2,0 > 7,0",
        "",
        "e 7,0 | p -1,0",
    ),
    Case(
        "RI-REAC-1 one way until the rule is kept",
        "x/p 0,0 step=0,1 away e 40 | y/e 2,0 > 7,0",
        "",
        "e 7,0 | p 0,2",
    ),
    Case(
        "RI-REAC-1 a rule that is kept already leads nowhere",
        "x/p 0,0 near e 30 | y/e 4,0",
        "",
        "",
    ),
    # --- in the air
    Case(
        "RI-REAC-2 a follower climbs within its speed",
        "p/f 0,0 fly=60 by=fly follow e 10 | m/e 2,0 alt=40 fly=60 by=fly up",
        "",
        "f 1,0^30",
    ),
    Case(
        "RI-REAC-2 the followed is where its climb ends",
        "p/f 0,0 alt=20 fly=60 by=fly follow e | m/e 1,0 alt=20 fly=60 by=fly ends=50 > 2,0",
        "",
        "e 2,0^50 | f 1,0^45",
    ),
    Case(
        "RI-REAC-2 who walks goes below as far as it helps",
        "p/f 0,0 follow e | m/e 5,0 alt=30 fly=60 by=fly up",
        "",
        "f 4,0",
    ),
    Case(
        "RI-REAC-3 who is above withdraws upwards",
        "p/f 0,0 alt=30 fly=60 by=fly withdraw e 50 | m/e 1,0",
        "",
        "f -1,0^45",
    ),
    Case(
        "RI-REAC-3 who is level withdraws across",
        "p/f 0,0 alt=30 fly=60 by=fly withdraw e 30 | m/e 1,0 alt=30 fly=60 by=fly up",
        "",
        "f -5,0^30",
    ),
    Case(
        "RI-MOVE-9 a glider that follows sinks",
        "p/f 0,0 alt=40 glide=30 by=glide follow e | m/e 6,0 alt=40 fly=60 by=fly up",
        "",
        "f 5,0^30",
    ),
    # --- blocks
    Case(
        "RI-REAC-4 a blocker makes passing costly",
        "x/b 2,1 block t | y/t 0,0 > 6,0",
        "b=10 t=5",
        "t 1,0 | b blocks t",
    ),
    Case(
        "RI-REAC-4 a blocker that loses blocks nobody",
        "x/b 2,1 block t | y/t 0,0 > 6,0",
        "b=4 t=5",
        "t 6,0 | b misses t",
    ),
    Case(
        "RI-SWIFT-10 a block is looked at first",
        "x/b 2,1 block t | y/t 0,0 > 6,0 | y/u 6,5 > 6,0",
        "",
        "needs b t",
    ),
    Case(
        "RI-REAC-4 several blockers add up",
        "x/a 1,1 block t | x/b 0,1 block t | y/t 0,0 as=sprint > 3,0",
        "a=9 b=8 t=1",
        "a blocks t | b blocks t",
    ),
    Case(
        "RI-REAC-4 who could pass the blocker ignores it",
        "y/b 2,1 block t | y/t 0,0 > 3,0",
        "",
        "t 3,0",
    ),
    Case(
        "RI-REAC-4 nobody on the ground blocks who flies high",
        "p/e 1,1 alt=30 fly=60 by=fly > 7,1 | m/b 2,0 block e",
        "",
        "e 7,1^30",
    ),
    Case(
        "RI-REAC-4 who follows the blocked stays with it",
        "x/f 0,2 pc=1 follow w | x/w 1,1 pc=1 > 7,1 | z/b 2,0 block w",
        "b=9 w=2",
        "b blocks w",
    ),
    Case(
        "RI-REAC-4 a follower that is blocked is not led past the blocker",
        "x/f 1,1 pc=1 follow w | x/w 3,1 pc=1 > 9,1 | z/b 2,0 block f | z/s 8,1",
        "b=9 f=2",
        "w 7,1 | b blocks f",
    ),
    # --- mounts
    Case(
        "RI-MOUNT-1 who mounts ends where its mount is",
        "p/r 0,0 pc=1 onto=horse > 2,0 | p/horse 2,0 carries=1",
        "",
        "r 2,0",
    ),
)
"""Each in the order of its lines: who plans what, which checks are rolled, how it comes out."""


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_a_case_comes_out_as_its_row_says(case: Case) -> None:
    problem = problem_of(case.creatures, case.ground)
    assert written(problem, solve_with(problem, case.checks)) == case.outcome


def test_RI_REAC_2_a_teleporting_creature_is_followed_by_who_beats_it() -> None:
    creatures = "x/p 0,0 follow e | y/e 2,0 teleport 5,0"
    problem = problem_of(creatures)
    assert shake_off(problem.state) == NeedsInitiative(contests=(("p", "e"),))
    for check, lost, outcome in ((9, (), "e 5,0 | p 4,0"), (2, ("p",), "e 5,0 | p 1,0")):
        state = told(problem, {"p": (check,), "e": (5,)})
        assert shake_off(state) == lost
        posed = pose(state, state.plans, shaken_off=lost)
        assert written(posed, solve_with(posed)) == outcome


def test_C_44_a_follower_that_agrees_to_sprint_keeps_up() -> None:
    problem = problem_of("x/f 0,0 pc=1 follow w | y/w 1,0 land=40 withdraw f 30")
    posed = pose(problem.state, problem.state.plans, sprinting=("f",))
    assert written(posed, solve_with(posed)) == "f 8,0 | w 9,0"


def test_RI_CONF_7_many_conflicts_bring_a_warning() -> None:
    pairs = " | ".join(f"x/a{i} 0,{3 * i} > 2,{3 * i} | y/b{i} 4,{3 * i} > 2,{3 * i}" for i in range(4))
    checks = " ".join(f"a{i}={2 * i + 1} b{i}={2 * i + 2}" for i in range(4))
    found = solve_with(problem_of(pairs), checks)
    assert isinstance(found, Outcome)
    assert [conflict.warning for conflict in found.conflicts] == ["", "", "", "plans are over-complicated"]


# --- what is true of every outcome -------------------------------------------------------------------


def random_problem(seed: int, most: int = 8) -> tuple[Problem, str]:
    """Return a problem of up to *most* movers, and checks without ties."""
    creatures, ground, checks = problem_text(seed, most)
    return problem_of(creatures, ground), checks


def taken_twice(problem: Problem, found: Outcome) -> list[tuple[str, str]]:
    """Return the pairs that share a space though they may not: one of them moved there."""
    after = place_movers(problem.state, found.routes).creatures
    moved = [name for name, path in found.routes.paths.items() if path]
    return [
        (a.id, b.id)
        for a, b in combinations(after.values(), 2)
        if (a.id in moved or b.id in moved)
        and abs(a.rank - b.rank) < BIG_ENOUGH
        and {*cells(a.position, a.space)} & {*cells(b.position, b.space)}
        and not above(a, b)
    ]


@pytest.mark.parametrize("many", [3, 8, 40])
def test_no_two_end_in_one_space(many: int) -> None:
    """Where both may not be: neither is two sizes larger, and none is above the other."""
    for seed in range(6 if many == 40 else 60):
        problem, checks = random_problem(seed, many)
        found = solve_with(problem, checks)
        assert isinstance(found, Outcome), (seed, found)
        assert not taken_twice(problem, found), (seed, written(problem, found))


def test_an_outcome_does_not_depend_on_the_order_of_the_input() -> None:
    for seed in range(60):
        creatures, ground, checks = problem_text(seed, 8)
        problem = problem_of(creatures, ground)
        found = written(problem, solve_with(problem, checks))
        mixed = creatures.split("|")
        Random(seed).shuffle(mixed)
        again = problem_of("|".join(mixed), ground)
        assert written(again, solve_with(again, checks)) == found, seed


def test_a_problem_has_one_outcome() -> None:
    """Solved twice, posed anew, or with checks known before the solver asks."""
    for seed in range(60):
        problem, checks = random_problem(seed)
        found = solve_with(problem, checks)
        assert solve_with(problem, checks) == found
        assert solve_with(random_problem(seed)[0], checks) == found
        assert isinstance(found, Outcome)
        initiative = {name: (int(check),) for name, check in (each.split("=") for each in checks.split())}
        early = changed(problem, state=told(problem, initiative))
        assert written(problem, solve_with(early, checks)) == written(problem, found)


def test_nobody_goes_farther_than_it_wanted_unless_it_reacts() -> None:
    for seed in range(60):
        problem, checks = random_problem(seed)
        found = solve_with(problem, checks)
        assert isinstance(found, Outcome)
        for name, path in found.routes.paths.items():
            plan = problem.intents.plans[name]
            if plan.path:
                assert plan.path[: len(path)] == path, (seed, name)
                assert found.routes.lost[name] == plan.path[len(path) :] or plan.path != path


def test_the_solver_asks_only_for_what_it_lacks() -> None:
    """Whoever is named in a need has no check yet."""
    for seed in range(60):
        problem, checks = random_problem(seed)
        known = {name: (int(check),) for name, check in (each.split("=") for each in checks.split())}
        state = told(problem, dict(list(known.items())[::2]))
        found = solve(changed(problem, state=state))
        if isinstance(found, NeedsInitiative) and not found.doubts:
            assert all(any(name not in state.initiative for name in names) for names in found.contests)


@pytest.mark.parametrize("many", [9, 199])
def test_followers_from_afar_take_few_steps_of_work(many: int) -> None:
    """TABLE-WORK-1, RI-REAC-2: a pack may run after one that is far away."""
    pack = [f"x/c{n} {n % 8},{n // 8} land=60 follow prey" for n in range(many)]
    problem = problem_of(" | ".join(["y/prey 29,2 land=60 > 30,2", *pack]), ())
    with Meter(DECIDING):
        found = written(problem, solve_with(problem, " ".join(f"c{n}={n + 1}" for n in range(many))))
    assert found.startswith("c0 12,0")


def test_followers_find_out_soon_that_a_door_is_shut() -> None:
    """TABLE-WORK-1: the room around whom they follow is looked at before the ground outside."""
    wall = range(27, 33)
    rows = [
        ["#" if x in (wall[0], wall[-1]) and 0 <= y <= 5 else "." for x in range(-1, 34)]
        for y in range(-1, 7)
    ]
    for y in (0, 5):
        for x in wall:
            rows[y + 1][x + 1] = "#"
    pack = [f"x/c{n} {n % 8},{n // 8} land=60 follow prey" for n in range(40)]
    problem = problem_of(" | ".join(["y/prey 29,2 land=60", *pack]), tuple(map("".join, rows)))
    with Meter(DECIDING // 2):
        found = written(problem, solve_with(problem, " ".join(f"c{n}={n + 1}" for n in range(40))))
    assert found.startswith("c0 12,0")


@pytest.mark.parametrize("gap", range(5, 32, 2))
@pytest.mark.parametrize("rule", ["near {} 10", "follow {}", "away {} 150"])
def test_two_who_react_to_each_other_take_few_steps_of_work(rule: str, gap: int) -> None:
    """TABLE-WORK-1: they halve what they lack, however far apart they are."""
    texts = (f"x/a 0,0 land=150 {rule.format('b')}", f"y/b {gap},0 land=150 {rule.format('a')}")
    problem = problem_of(" | ".join(texts), ())
    with Meter(DECIDING // 100):
        solve_with(problem, "a=1 b=2")


def vectors() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(VECTORS.read_text(encoding="utf-8"))["problems"]
    return found


def test_the_recorded_problems_come_out_as_recorded() -> None:
    assert len(vectors()) >= 200
    for vector in vectors():
        problem = problem_of(" | ".join(vector["creatures"]), vector["ground"])
        found = written(problem, solve_with(problem, vector["checks"]))
        assert found.split(" | ") == vector["outcome"], vector["creatures"]
