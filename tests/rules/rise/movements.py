"""Write movements as text: who stands where and plans what, with which checks, and how it comes out.

A creature is `side/name x,y`, what it has (`land=40 fly=60 alt=20 size=large pc=1`), and what it plans:
`> 5,0 > 5,3` goes there in straight lines, `follow w 10`, `withdraw f,g 30`, `near w 10`, `away w 40`,
`block t`, `teleport 9,9`, `stay`. An outcome names who moves anywhere (`a 4,5`, with `^20` its height), then
blocks and conflicts. `|` parts what is of one kind. The ground is a map of rows, `#` a wall and `~`
difficult; its first character is the cell -1,-1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from service.rules.kernel.codec import from_data
from service.rules.kernel.records import changed
from service.rules.rise import RISE
from service.rules.rise.creatures.creature import Creature, Plan
from service.rules.rise.creatures.sheet import Sheet
from service.rules.rise.creatures.state import State, Terrain
from service.rules.rise.moving.movement_problem import NeedsInitiative, Outcome, Problem, place_movers, pose
from service.rules.rise.moving.movement_solver import solve
from service.rules.space.grid import Cell
from tests.rules.rise.kit import sheet

SPEEDS: Final = ("land", "fly", "glide")
TARGETED: Final = {
    "follow": ("follow", "distance_ft"),
    "withdraw": ("withdraw", "distance_ft"),
    "near": ("custom", "within_ft"),
    "away": ("custom", "beyond_ft"),
    "block": ("block", "distance_ft"),
}
"""Plans about others: the ability, and what their number is."""


def cell(text: str) -> Cell:
    x, y = text.split(",")
    return int(x), int(y)


def straight(at: Cell, corners: Sequence[Cell]) -> Iterator[Cell]:
    """Yield the cells of straight lines from *at* to each of *corners* in turn."""
    for corner in corners:
        while at != corner:
            dx, dy = corner[0] - at[0], corner[1] - at[1]
            at = (at[0] + (dx > 0) - (dx < 0), at[1] + (dy > 0) - (dy < 0))
            yield at


def creature_of(who: str, at: str, has: Mapping[str, str]) -> Creature:
    """Return the creature `side/name` at a cell."""
    side, _, name = who.partition("/")
    more: dict[str, Any] = {"carries_riders": "carries" in has}
    more["speeds"] = {mode: int(has[mode]) for mode in SPEEDS if mode in has} or {"land": 30}
    kind = "pc" if "pc" in has else "monster"
    made = from_data(Sheet, sheet(name, side, kind=kind, size=has.get("size", "medium"), **more))
    place, high = cell(at), int(has.get("alt", 0))
    mount = has.get("mount")
    return Creature(
        sheet=made,
        position=place,
        hp=made.hp_max,
        dr=0,
        altitude=high,
        stood=place,
        stood_ft=high,
        aloft="flying" if high else None,
        mount=mount,
    )


def plan_of(at: Cell, words: Sequence[str], has: Mapping[str, str]) -> Plan | None:
    """Return what *words* plan from the cell *at*; null to stay."""
    if not words or words[0] == "stay":
        return None
    common: dict[str, Any] = {"mode": has.get("by", "land"), "mount": has.get("onto")}
    if "ends" in has:
        common["altitude_ft"] = int(has["ends"])
    if "step" in has:
        common["step"] = cell(has["step"])
    if "passes" in has:
        common["passes"] = tuple(has["passes"].split(","))
    word, *rest = words
    if word == ">":
        corners = [cell(each) for each in rest if each != ">"]
        return Plan(ability=has.get("as", "hustle"), path=tuple(straight(at, corners)), **common)
    if word == "up":
        return Plan(ability="hustle", **common)
    if word == "teleport":
        return Plan(ability="teleport", path=(cell(rest[0]),), **common)
    ability, number = TARGETED[word]
    common |= {"distance_ft": 5, number: int(rest[1]) if rest[1:] else 5}
    return Plan(ability=ability, targets=tuple(rest[0].split(",")), **common)


def ground_of(rows: Sequence[str]) -> dict[str, Terrain]:
    """Return the cells of a map that are not plain ground."""
    kinds: Mapping[str, Terrain] = {"#": "wall", "~": "difficult"}
    return {
        f"{x},{y}": kinds[sign]
        for y, row in enumerate(rows, -1)
        for x, sign in enumerate(row, -1)
        if sign in kinds
    }


def problem_of(creatures: str, ground: Sequence[str] = ()) -> Problem:
    """Return the problem that *creatures* write, on a map."""
    table: dict[str, Creature] = {}
    plans: dict[str, Plan] = {}
    for text in creatures.split("|"):
        who, at, *words = text.split()
        has = dict(word.split("=") for word in words if "=" in word)
        made = table[who.partition("/")[2]] = creature_of(who, at, has)
        plan = plan_of(made.position, [word for word in words if "=" not in word], has)
        if plan is not None:
            plans[made.id] = plan
    state = changed(RISE.blank, creatures=table, plans=plans, terrain=ground_of(ground))
    return pose(state, plans)


def told(problem: Problem, initiative: Mapping[str, tuple[int, ...]]) -> State:
    """Return the table of a problem with checks rolled, and with what conflicts it has not denied."""
    return changed(problem.state, initiative=initiative)


def solve_with(problem: Problem, checks: str = "") -> Outcome | NeedsInitiative:
    """Return what becomes of a problem when *checks* (`a=7 b=9`) are rolled; doubts are conflicts."""
    initiative = {name: (int(check),) for name, check in (each.split("=") for each in checks.split())}
    found = solve(problem)
    while isinstance(found, NeedsInitiative):
        if any(name not in initiative for names in found.contests for name in names):
            return found
        before = problem.state
        defaulted = (*before.defaulted, *[(doubt.question, *doubt.creatures) for doubt in found.doubts])
        after = changed(before, initiative=initiative, defaulted=defaulted)
        assert after != before, "checks that are tied"
        problem = changed(problem, state=after)
        found = solve(problem)
    return found


def written(problem: Problem, found: Outcome | NeedsInitiative) -> str:
    """Return *found* as text: who ends where, what was blocked, in which order conflicts resolved."""
    if isinstance(found, NeedsInitiative):
        return "needs " + ", ".join(" ".join(names) for names in found.contests)
    before, after = problem.state.creatures, place_movers(problem.state, found.routes).creatures
    parts = [
        f"{name} {there.position[0]},{there.position[1]}" + (f"^{there.altitude}" if there.altitude else "")
        for name, there in sorted(after.items())
        if (there.position, there.altitude) != (before[name].position, before[name].altitude)
    ]
    parts += [
        f"{each.blocker} {'blocks' if each.blocked else 'misses'} {each.creature}" for each in found.blocks
    ]
    parts += ["order " + " ".join(each.order) for each in found.conflicts]
    return " | ".join(parts)
