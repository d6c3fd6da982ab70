"""Say how far apart two creatures are, and who is next to whom: past walls, doors and ledges.

Reach, holds, trips, help and opportunity attacks all ask here.
"""

from __future__ import annotations

from typing import Final

from service.rules.heartrush.creatures.ledges import height_at, ledges_of
from service.rules.heartrush.creatures.state import Creature, State
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.space.grid import FEET, heights_apart
from service.rules.space.walls import inner_corners, is_line_closed

HR_FALL_4: Final = Rule(
    "HR-FALL-4",
    "Across a ledge two creatures are as far apart as it is high, for melee, holds, trips and help.",
    RULING,
    left_open="the ledger has distance by cells, and no height between two of them",
)


@enforces(HR_FALL_4)
def feet_apart(state: State, a: Creature, b: Creature) -> int:
    """Return the feet between two creatures: the drop, where a ledge parts them and it is the longer way."""
    flat = state.distance(a, b)
    if not state.scenery.ledges or state.house.ledge_reach == "flat" or not is_parted(state, a, b):
        return flat
    low, high = height_at(state, a.position, a.space), height_at(state, b.position, b.space)
    return max(flat, heights_apart(low, a.space, high, b.space))


def is_parted(state: State, a: Creature, b: Creature) -> bool:
    """Return whether ledges cut every line between two creatures."""
    edges = ledges_of(state).edges
    goals = inner_corners(b.position, b.space)
    return all(
        is_line_closed(edges, state.is_solid, start, goal)
        for start in inner_corners(a.position, a.space)
        for goal in goals
    )


def cut_by_edges(state: State, attacker: Creature, target: Creature) -> list[list[bool]]:
    """Return for each corner of *attacker*, and in it of *target*, whether a closed edge cuts their line."""
    goals = inner_corners(target.position, target.space)
    starts = inner_corners(attacker.position, attacker.space)
    return [[state.is_line_cut(start, goal) for goal in goals] for start in starts]


def is_walled_off(state: State, attacker: Creature, target: Creature) -> bool:
    """Return whether closed edges cut every line between two creatures: neither reaches the other."""
    return bool(state.walls) and all(map(all, cut_by_edges(state, attacker, target)))


def is_adjacent(state: State, creature: Creature, other: Creature) -> bool:
    """Return whether two creatures are next to each other, with no closed edge and no high ledge between."""
    return feet_apart(state, creature, other) <= FEET and not is_walled_off(state, creature, other)
