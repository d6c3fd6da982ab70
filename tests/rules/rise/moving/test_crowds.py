"""Hold that two hundred may all go by rules about each other, and it is not too much work for a decision."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import pytest

from service.rules.kernel.meter import DECIDING, Meter
from service.rules.rise.moving.movement_problem import Outcome
from tests.rules.rise.kit import Seeded, begun, entry
from tests.rules.rise.movements import problem_of, solve_with

EACH: Final = 100
AT_ONCE: Final = 3 * DECIDING // 4
"""What the movements may take of the work of a decision, which does more than move."""

Rule = Callable[[str, int], str]
CROWDS: Final[dict[str, Rule]] = {
    "each other": lambda other, n: f"follow {other}{n}",
    "one in the middle": lambda _, n: "follow b50" if n != EACH // 2 else "follow a50",
    "near each other": lambda other, n: f"near {other}{n} 10",
    "from afar": lambda other, n: f"follow {other}{(n + 50) % EACH} 60",
    "in a circle": lambda other, n: f"follow {other}{(n + (other == 'b')) % EACH}",
    "away": lambda other, _: f"withdraw {','.join(f'{other}{i}' for i in range(8))} 240",
}


def armies(rule: Rule, pace: int = 1) -> Iterator[str]:
    """Yield two armies in ranks of twenty, 40 feet apart; *rule* says what each does about the other."""
    for side, other, below in (("a", "b", 0), ("b", "a", 5 * pace + 7)):
        for n in range(EACH):
            at = f"{n % 20 * pace},{n // 20 * pace + below}"
            yield f"{side}/{side}{n} {at} {rule(other, n)}"


@pytest.mark.parametrize("pace", [1, 2])
@pytest.mark.parametrize("name", CROWDS)
def test_TABLE_WORK_1_two_armies_may_react_to_each_other(name: str, pace: int) -> None:
    problem = problem_of(" | ".join(armies(CROWDS[name], pace)))
    checks = " ".join(f"{side}{n}={i * EACH + n + 1}" for i, side in enumerate("ab") for n in range(EACH))
    with Meter(AT_ONCE):
        found = solve_with(problem, checks)
    assert isinstance(found, Outcome)
    assert any(found.routes.paths.values())


def test_TABLE_WORK_1_two_hundred_may_walk_in_one_file() -> None:
    """RI-REAC-2: each goes behind the one ahead, so all of them keep up."""
    file = [f"a/c{n} {n},0 follow c{n + 1}" for n in range(199)]
    problem = problem_of(" | ".join([*file, "a/c199 199,0 > 205,0"]))
    with Meter(AT_ONCE):
        found = solve_with(problem)
    assert isinstance(found, Outcome)
    assert {len(path) for path in found.routes.paths.values()} == {6}


def test_TABLE_WORK_1_the_last_plan_of_two_armies_is_accepted() -> None:
    """RI-UNIV-FOLLOW: also if the players' army may sprint, and so goes its ways twice."""
    armies_of = [
        entry(f"{kind}@{side}/{side}{n}", (n % 20, n // 20 + below))
        for side, kind, below in (("a", "pc", 0), ("b", "mon", 12))
        for n in range(EACH)
    ]
    never = {"exertion_prompt": "never"}
    fight = begun(*armies_of, phase="movement", dice=Seeded(), declared_sides=[], options=never)
    for side, other, sprint in (("a", "b", "auto"), ("b", "a", "never")):
        for n in range(EACH):
            fight.do("plan_movement", f"{side}{n}", ability="follow", targets=[f"{other}{n}"], sprint=sprint)
    assert fight.logged("movement_resolved")
