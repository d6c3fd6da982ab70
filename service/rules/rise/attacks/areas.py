"""Find whom an area catches: shapes on the grid, what walls keep out, and whom the ability means.

No target is named: an area catches those it means who are in it, as far as the user's group knows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from service.rules.kernel.messages import Refused
from service.rules.rise.attacks.uses import Origin
from service.rules.rise.creatures.creature import Creature
from service.rules.rise.creatures.sheet import Ability, Area
from service.rules.rise.space.attitudes import are_allies
from service.rules.rise.space.sight import facing, is_clear
from service.rules.rise.state import State
from service.rules.space.grid import FEET, Cell, cells, distance, reachable


def is_aimed(ability: Ability) -> bool:
    """Tell whether a use of *ability* names a cell: where its zone or area lies, or where its area points."""
    area = ability.area
    return ability.zone is not None or (area is not None and (area.is_narrow or area.range_ft > 0))


def origin_of(user: Creature, area: Area, at: Cell | None, altitude: int = 0) -> Origin:
    """Return where an area begins: at a cell in range, or at its user, on the side it points to."""
    if at is not None and area.is_narrow:
        start, _ = facing(user.position, user.space, at, 1)
        return Origin(at=start, side=1, altitude=user.altitude)
    if at is not None and area.range_ft:
        return Origin(at=at, side=1, altitude=altitude)
    return Origin(at=user.position, side=user.space, altitude=user.altitude)


def check_area(view: State, user: Creature, area: Area, at: Cell, altitude: int) -> None:
    """Refuse an area that begins out of range or behind a wall, or that points nowhere within its length."""
    start, _ = facing(user.position, user.space, at, 1)
    flat = distance(user.position, user.space, at, 1, "alternating")
    if area.is_narrow:
        if start == at or altitude:
            raise Refused("invalid_target", f"{at} is no direction from {user.id}", "RI-ATK-1")
        if flat > area.size_ft:
            raise Refused("target_out_of_range", f"{at} is out of reach of {user.id}", "RI-ATK-1")
        return
    if altitude < 0 or altitude % FEET:
        raise Refused("invalid_target", "heights are steps of 5 feet from the ground", "RI-ATK-1")
    if combined(flat, abs(altitude - user.altitude)) > area.range_ft:
        raise Refused("target_out_of_range", f"{at} is out of reach of {user.id}", "RI-ATK-1")
    if view.ground(at) == "wall" or not is_clear(view, start, at):
        raise Refused("no_line_of_effect", f"something stands between {user.id} and {at}", "RI-ATK-1")


def check_named(ability: Ability, targets: tuple[str, ...]) -> None:
    """Refuse targets for what fills an area: it names nobody."""
    if ability.area is not None and targets:
        raise Refused("invalid_target", f"{ability.id} fills an area and names nobody", "RI-ATK-1")


def caught(
    state: State, user: Creature, ability: Ability, at: Cell | None = None, altitude: int = 0
) -> tuple[str, ...]:
    """Return whom the area of *ability* catches, in the order in which they entered the fight."""
    area = ability.area
    assert area is not None, "only areas catch"
    origin = origin_of(user, area, at, altitude)
    spread = flooded(state, area, origin) if area.shape == "cylinder" else None

    def is_in(cell: Cell) -> bool:
        if spread is not None:
            return cell in spread
        return is_filled(area, origin, at, cell) and reaches(state, origin, cell)

    return tuple(
        [
            other.id
            for other in state.creatures.values()
            if is_meant(state, user, other, ability) and is_level(area, origin, other)
            if any(is_in(cell) for cell in cells(other.position, other.space))
        ]
    )


def whom(state: State, user: str, ability: Ability, targets: tuple[str, ...]) -> tuple[str, ...]:
    """Return whom what is Swift of an ability is for: its area, its targets, or else its user."""
    if ability.strike is None and ability.area is not None:
        return caught(state, state.creatures[user], ability)
    return targets if targets and ability.strike is None else (user,)


def is_meant(state: State, user: Creature, other: Creature, ability: Ability) -> bool:
    """Tell whether the ability does something to *other* if it stands in its area."""
    area = ability.area
    assert area is not None, "only areas catch"
    too_big = "size_based" in ability.tags and other.rank - other.has("prone") - user.rank > 1
    if other.dead or other.defeated or too_big:
        return False
    if other.id == user.id:
        return area.whom == "everyone" and area.range_ft > 0
    if area.whom == "enemies":
        return state.attitude(user.id, other.id) == "enemy"
    return area.whom == "everyone" or are_allies(state, user.id, other.id)


# --- geometry ----------------------------------------------------------------------------------------


def is_filled(area: Area, origin: Origin, at: Cell | None, cell: Cell) -> bool:
    """Tell whether the shape covers *cell*, whatever stands in between."""
    if distance(origin.at, origin.side, cell, 1, "alternating") > area.size_ft:
        return False
    if not area.is_narrow:
        return True
    assert at is not None, "cones and lines point somewhere"
    dx, dy = at[0] - origin.at[0], at[1] - origin.at[1]
    x, y = cell[0] - origin.at[0], cell[1] - origin.at[1]
    along, across = x * dx + y * dy, x * dy - y * dx
    if along <= 0:
        return False
    return abs(across) <= along if area.shape == "cone" else is_on_line(area, (dx, dy), across)


def is_on_line(area: Area, towards: Cell, across: int) -> bool:
    """Tell whether a cell so far beside a line, scaled by its direction, lies within its width.

    A line takes the cells that it passes through, and those whose middle lies within its width; where its
    edge goes through middles, those on one fixed side.
    """
    dx, dy = towards
    beside = 4 * across**2 - (area.width_ft // FEET) ** 2 * (dx**2 + dy**2)
    return 2 * abs(across) < abs(dx) + abs(dy) or beside < 0 or (beside == 0 and across > 0)


def is_level(area: Area, origin: Origin, other: Creature) -> bool:
    """Tell whether the area reaches the height of *other*: a line is 5 feet high, others as they are wide."""
    up = height(origin, other)
    if area.shape == "line":
        return up == 0
    if area.shape == "cylinder":
        return up <= area.size_ft
    flat = distance(origin.at, origin.side, other.position, other.space, "alternating")
    return combined(flat, up) <= area.size_ft


def height(origin: Origin, other: Creature) -> int:
    """Return the feet between where an area begins and the height of *other*, 0 where they overlap."""
    top, over = other.altitude + FEET * (other.space - 1), origin.altitude + FEET * (origin.side - 1)
    return max(0, other.altitude - over, origin.altitude - top)


def combined(flat: int, up: int) -> int:
    """Return the feet of a way that goes so far and so high, every second diagonal counting double."""
    return max(flat, up) + min(flat, up) // 10 * FEET


def reaches(state: State, origin: Origin, cell: Cell) -> bool:
    """Tell whether no wall lies between where the area begins and *cell*."""
    return is_clear(state, facing(origin.at, origin.side, cell, 1)[0], cell)


def flooded(state: State, area: Area, origin: Origin) -> frozenset[Cell]:
    """Return what a cylinder fills: it goes around walls as long as it stays within its radius."""

    def entering(cell: Cell) -> int | None:
        return 0 if is_filled(area, origin, None, cell) and state.ground(cell) != "wall" else None

    return frozenset(reachable(origin.at, 0, entering, alternating=False))


# --- offers ------------------------------------------------------------------------------------------


def aims(view: State, ability: Ability) -> Iterator[dict[str, Any]]:
    """Yield the ways to place the area of *ability* that options name: around or towards each creature."""
    area = ability.area
    if area is None or not is_aimed(ability):
        yield {}
        return
    spots = [(c.position, 0 if area.is_narrow else c.altitude) for c in view.creatures.values()]
    for at, altitude in dict.fromkeys(spots):
        yield {"at": at, "altitude_ft": altitude} if altitude else {"at": at}
