"""Play a fight of forty by a script: four groups of ten, each of which has to do with every other.

In each round everybody plans a movement, some towards the same cell or after an enemy; every group commits to
a Swift ability; everybody shoots at an enemy. The last word of a phase resolves it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from service.rules.rise.creatures.state import State
from service.rules.ruleset import waiting
from tests.rules.rise.bot import KIT
from tests.rules.rise.kit import entry, opening

SIDES: Final = ("bats", "heroes", "orcs", "wolves")
EACH: Final = 10
OPTIONS: Final = {"exertion_prompt": "never", "swift_mode": "strict"}


class Step(NamedTuple):
    """One command of somebody."""

    type: str
    seat: str
    data: dict[str, Any]


def forty(sides: Sequence[str] = SIDES) -> dict[str, Any]:
    """Return the opening: one side of monsters, the others of players, in rows among each other."""
    entries = [
        entry(
            f"{'mon' if side == 'bats' else 'pc'}@{side}/{side}-{i}",
            (2 * i, 2 * s),
            dexterity=i % 4,
            accuracy=9 + i % 3,
            **{**KIT, "hp_max": 6 if side == "bats" else 12, "dr_max": 0},
        )
        for s, side in enumerate(sides)
        for i in range(EACH)
    ]
    return opening(*entries, declared_sides=[], options=OPTIONS)


def next_step(state: State) -> Step:
    """Return what comes next: the first answer owed, given as the script has it."""
    if state.stage == "setup":
        return Step("start_combat", "gm", {})
    awaited = next(a for a in waiting(state) if a.accepts and a.creature)
    name = str(awaited.creature)
    if "consent_sprint" in awaited.accepts:
        return Step("consent_sprint", awaited.seat, {"creature": name, "accept": True})
    group = state.group_of(name)
    assert group is not None
    local = state.at(group)
    if state.phase == "movement":
        return Step("plan_movement", awaited.seat, {"creature": name, **plan(local, name)})
    if "commit_swift" in awaited.accepts:
        return _swift(local, name, awaited.seat)
    return _action(local, name, awaited.seat)


def plan(local: State, name: str) -> dict[str, Any]:
    """Return the movement of a creature: a step to one side or the other, or after an enemy."""
    side, _, number = name.partition("-")
    i, at = int(number), local.creatures[name].position
    if i % 5 == 4:
        reach = "auto" if local.creatures[name].sheet.is_pc else "never"
        return {"ability": "follow", "targets": [enemy(local, side, i)], "sprint": reach}
    step = 1 if i % 2 == 0 else -1
    return {"path": [[at[0] + step, at[1]]]}


def enemy(local: State, side: str, i: int, beyond: int = 1) -> str:
    """Return the next able creature of the side that comes *beyond* after *side*."""
    sides = [each for each in SIDES if f"{each}-0" in local.creatures]
    other = sides[(sides.index(side) + beyond) % len(sides)]
    names = [f"{other}-{(i + j) % EACH}" for j in range(EACH)]
    able = [name for name in names if not local.creatures[name].dead]
    return (able or names)[0]


def _swift(local: State, name: str, seat: str) -> Step:
    budget = local.creatures[name].budget
    if name.endswith("-0") and not budget.swift:
        return Step("commit_swift", seat, {"creature": name, "ability": "guard"})
    return Step("no_more_swift", seat, {"creature": name})


def _action(local: State, name: str, seat: str) -> Step:
    side, _, number = name.partition("-")
    budget = local.creatures[name].budget
    here = {"creature": name}
    if budget.standard == "unused":
        beyond = 1 + (int(number) + local.round) % 3
        return Step(
            "strike", seat, {**here, "weapon": "bow", "target": enemy(local, side, int(number), beyond)}
        )
    return Step("end_turn", seat, here)
