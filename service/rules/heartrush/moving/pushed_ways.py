"""Compute where a push leads, where a fall ends, and who can come along or follow."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from service.rules.heartrush.body.weapons import shield_held
from service.rules.heartrush.creatures.ledges import drop_ft, height_at, is_too_steep, top_ft
from service.rules.heartrush.creatures.state import Creature, State
from service.rules.heartrush.moving.paths import (
    allowance,
    check_can_move,
    climb_cn,
    is_walled,
    may_stop,
    others_at,
    steps_of,
    way_within,
)
from service.rules.kernel.messages import Refused
from service.rules.space.grid import FEET, STEPS, Cell, cells, line

# --- the way of a push ---------------------------------------------------------------------------------

WITHIN_SIZES = 2
"""A creature at most this many sizes from the mover stops it."""


def obstacle(
    state: State, mover: Creature, before: Cell, at: Cell, companion: str | None = None
) -> tuple[bool, str | None]:
    """Return whether a push from *before* stops before *at*, and who stops it (None: a wall or a ledge)."""
    if is_walled(state, mover, at) or state.is_barred(before, at, mover.space):
        return True, None
    if is_too_steep(state, mover, before, at, climbing=False):
        return True, None
    falls = drop_ft(state, mover, before, at, climbing=False) > 0
    brink = height_at(state, before, mover.space) if falls else 0
    around = others_at(state, mover, mover.position)  # who shares its space already does not stop it
    for other in others_at(state, mover, at):
        near = abs(other.rank - mover.rank) <= WITHIN_SIZES
        shield_wall = shield_held(other) == "heavy" and other.side != mover.side
        if falls and top_ft(state, other) <= brink:
            continue  # it stands at the foot, below what goes over the brink
        if (near or shield_wall) and other not in around and other.id != companion:
            return True, other.id
    return False, None


def way(
    state: State, mover: Creature, step: Cell, feet: int, companion: str | None = None
) -> tuple[tuple[Cell, ...], bool, str | None]:
    """Return the cells a push crosses, whether it is stopped, and by whom; it ends beyond a ledge."""
    crossed: list[Cell] = []
    for cell in line(mover.position, step, feet // FEET):
        before = crossed[-1] if crossed else mover.position
        stopped, blocker = obstacle(state, mover, before, cell, companion)
        if stopped:
            return tuple(crossed), True, blocker
        if drop_ft(state, mover, before, cell, climbing=False):
            lands = landing(state, mover, cell)
            if lands is None:  # the foot of the ledge is full
                return tuple(crossed), True, next((o.id for o in others_at(state, mover, cell)), None)
            return (*crossed, lands), False, None
        crossed.append(cell)
    return tuple(crossed), False, None


MOST_LANDINGS: Final = 400
"""Cells at the foot of a ledge that are looked at for room."""


def landing(state: State, mover: Creature, below: Cell) -> Cell | None:
    """Return where *mover* lands that goes over a ledge into *below*: the nearest place there with room."""
    found = [below]
    for at in found:
        if may_stop(state, mover, at):
            return at
        if len(found) > MOST_LANDINGS:
            return None
        for dx, dy in STEPS:
            new = (at[0] + dx, at[1] + dy)
            if new not in found and not is_walled(state, mover, new) and _is_level(state, mover, at, new):
                found.append(new)
    return None


def _is_level(state: State, mover: Creature, old: Cell, new: Cell) -> bool:
    """Return whether neither a closed edge nor a ledge is in the way of a step."""
    if state.is_barred(old, new, mover.space) or drop_ft(state, mover, old, new, climbing=False):
        return False
    return not is_too_steep(state, mover, old, new, climbing=False)


def pulled_to(state: State, captive: Creature, mover: Creature, old: Cell) -> Cell | None:
    """Return where *captive* goes when *mover*, which has it along, has left *old*; None: it cannot come.

    It is one step into a cell that the mover has left, with room, past no wall and up no ledge.
    """
    left = left_behind(mover, (old,), mover.position)
    x, y = captive.position
    for dx, dy in STEPS:
        new = (x + dx, y + dy)
        if not any(cell in left for cell in cells(new, captive.space)) or not may_stop(state, captive, new):
            continue
        barred = state.is_barred(captive.position, new, captive.space)
        if not barred and not is_too_steep(state, captive, captive.position, new, climbing=False):
            return new
    return None


def left_behind(mover: Creature, places: Iterable[Cell], end: Cell) -> tuple[Cell, ...]:
    """Return the cells that the space of *mover* covers at *places* and no longer covers at *end*."""
    kept = cells(end, mover.space)
    covered = (cell for place in places for cell in cells(place, mover.space))
    return tuple(cell for cell in dict.fromkeys(covered) if cell not in kept)


def cannot_follow(creature: Creature) -> Refused | None:
    """Return what keeps *creature* from following whom it pushes: it cannot move by itself at all."""
    try:
        check_can_move(creature)
    except Refused as refused:
        return refused
    if creature.has("grappling"):
        return Refused("grappling", f"{creature.id} holds somebody", "HR-COND-24")
    return Refused("surprised", f"{creature.id} is surprised", "HR-START-7") if creature.surprised else None


def follow_path(state: State, creature: str, to: Cell) -> tuple[Cell, ...] | None:
    """Return the way by which a pusher follows to *to*, None if it cannot get there: by its own legs.

    It is no longer than its speed; a climb is none.
    """
    follower = state.creatures[creature]
    if cannot_follow(follower) is not None or not may_stop(state, follower, to):
        return None
    found = way_within(state, follower, to, allowance(follower, stand=False))
    if found is None or any(
        climb_cn(state, follower, a, b) for a, b, _ in steps_of(follower.position, found)
    ):
        return None
    return found
