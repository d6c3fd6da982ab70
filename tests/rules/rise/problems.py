"""Make random problems of movement as text, and record outcomes: `python -m tests.rules.rise.problems`.

Creatures stand on a small field with walls around it and want to be at the same few cells; no path leads
through a wall, and no two checks are the same.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, Final

from service.rules.space.grid import STEPS, Cell
from tests.rules.rise.movements import problem_of, solve_with, written

COUNT: Final = 240
VECTORS: Final = Path(__file__).parents[2] / "vectors" / "rise_movements.json"
SIDES: Final = ("x", "y", "z")


def problem_text(seed: int, most: int) -> tuple[str, tuple[str, ...], str]:
    """Return creatures with their plans, a map, and checks."""
    random = Random(seed * 100 + most)
    many = random.randint(2, most) if most < 20 else most
    width = 5 + most // 3
    free = [(x, y) for x in range(width) for y in range(width)]
    random.shuffle(free)
    ground = {(x, y): "#" for x in range(-1, width + 1) for y in (-1, width)}
    ground |= {(x, y): "#" for x in (-1, width) for y in range(width)}
    ground |= {free.pop(): random.choice("#~") for _ in range(random.randint(0, width))}
    goals = free[-1 - many // 4 :]
    names = [f"c{i}" for i in range(many)]
    texts = [_creature(random, name, free.pop(0), names, goals, ground) for name in names]
    checks = random.sample(range(1, 4 * many), many)
    around = range(-1, width + 1)
    rows = tuple("".join(ground.get((x, y), ".") for x in around) for y in around)
    return " | ".join(texts), rows, " ".join(f"{n}={c}" for n, c in zip(names, checks, strict=True))


def _creature(
    random: Random,
    name: str,
    at: Cell,
    names: Sequence[str],
    goals: Sequence[Cell],
    ground: Mapping[Cell, str],
) -> str:
    has = f"{random.choice(SIDES)}/{name} {at[0]},{at[1]} land={random.choice((20, 30, 40))}"
    if random.random() < 0.2:
        has += f" fly=40 by=fly alt={random.choice((5, 15, 30))}"
    others = [other for other in names if other != name]
    kind = random.choice(("go", "go", "go", "follow", "withdraw", "near", "away", "block", "stay"))
    if kind in ("follow", "withdraw", "near", "away", "block"):
        feet = {"withdraw": " 20", "near": " 10", "away": " 30"}.get(kind, "")
        return f"{has} {kind} {random.choice(others)}{feet}"
    path = _walk(random, at, random.choice(goals), ground) if kind == "go" else []
    return " ".join([has, *(f"> {x},{y}" for x, y in path)])


def _walk(random: Random, at: Cell, goal: Cell, ground: Mapping[Cell, str]) -> list[Cell]:
    """Return a few steps towards *goal* that lead through no wall."""
    path: list[Cell] = []
    for _ in range(random.randint(1, 5)):
        open_ = [(at[0] + dx, at[1] + dy) for dx, dy in STEPS]
        open_ = [cell for cell in open_ if ground.get(cell) != "#"]
        if at == goal or not open_:
            break
        at = min(open_, key=lambda cell: max(abs(cell[0] - goal[0]), abs(cell[1] - goal[1])))
        path.append(at)
    return path


def record() -> list[dict[str, Any]]:
    """Return the problems of the first seeds with their outcomes."""
    found = []
    for seed in range(COUNT):
        creatures, ground, checks = problem_text(seed, 40 if seed % 60 == 0 else 3 + seed % 9)
        problem = problem_of(creatures, ground)
        outcome = written(problem, solve_with(problem, checks))
        found.append(
            {
                "creatures": creatures.split(" | "),
                "ground": ground,
                "checks": checks,
                "outcome": outcome.split(" | "),
            }
        )
    return found


if __name__ == "__main__":
    lines = ",\n".join(json.dumps(each) for each in record())
    VECTORS.write_text(f'{{"problems": [\n{lines}\n]}}\n', encoding="utf-8")
