"""Tell who can be reached: range and lines of effect, all on the positions a group knows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from service.rules.grid import Cell
from service.rules.messages import Refused
from service.rules.rise.creatures.creature import Creature
from service.rules.rise.state import State
from service.rules.rulebook import rule


@rule("RI-ATK-1", "BK 5.1")
def check_reach(
    view: State, user: Creature, target: Creature, reach_ft: int, *, touching: bool = False
) -> None:
    """An attack is a d10 and accuracy against each defense it names; it needs range and a clear line."""
    if touching and not view.adjacent(user, target):
        raise Refused("not_adjacent", f"{target.id} is not adjacent to {user.id}")
    if not touching and view.distance(user, target) > reach_ft and not view.adjacent(user, target):
        raise Refused("target_out_of_range", f"{target.id} is out of reach of {user.id}")
    if not is_clear(view, *nearest(user, target)):
        raise Refused("no_line_of_effect", f"something stands between {user.id} and {target.id}")


def targets_of(view: State, user: Creature, names: Sequence[str], reach_ft: int) -> Iterator[Creature]:
    """Yield the targets called *names*; refused where one is not there, out of reach, or named twice."""
    for number, name in enumerate(names):
        target = view.creatures.get(name)
        if target is None or name in names[:number]:
            raise Refused("invalid_target", f"{name} is nobody, or a target already", "RI-ATK-1")
        if name != user.id:
            check_reach(view, user, target, reach_ft)
        yield target


def is_clear(view: State, start: Cell, end: Cell) -> bool:
    """Tell whether no wall lies between two cells."""
    if not view.terrain and not view.zones:
        return True
    return all(view.ground(cell) != "wall" for cell in between(start, end))


def between(start: Cell, end: Cell) -> Iterator[Cell]:
    """Yield the cells that the straight line from *start* to *end* passes, both ends left out."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    steps = max(abs(dx), abs(dy))
    for i in range(1, steps):
        yield (start[0] + _nearest(dx * i, steps), start[1] + _nearest(dy * i, steps))


def _nearest(part: int, whole: int) -> int:
    """Return part / whole, rounded to the nearest whole number; halves go away from zero."""
    sign = 1 if part >= 0 else -1
    return sign * ((2 * abs(part) + whole) // (2 * whole))


def nearest(a: Creature, b: Creature) -> tuple[Cell, Cell]:
    """Return the cells of two spaces that lie nearest each other."""
    return facing(a.position, a.space, b.position, b.space)


def facing(a: Cell, a_side: int, b: Cell, b_side: int) -> tuple[Cell, Cell]:
    """Return the cells of two spaces, given by corner and side, that lie nearest each other."""
    x, y = (_facing(a[i], a_side, b[i], b_side) for i in (0, 1))
    return (x[0], y[0]), (x[1], y[1])


def _facing(a: int, a_side: int, b: int, b_side: int) -> tuple[int, int]:
    """Return where two spaces come nearest along one axis."""
    common = max(a, b)
    return min(common, a + a_side - 1), min(common, b + b_side - 1)
