"""Draw walls and doors on edges for a random map."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from service.rules.space.grid import Cell, cells
from service.rules.space.walls import key_of

KINDS = ("wall", "closed_door", "closed_door", "open_door")


def drawn_walls(board: int, places: Sequence[Cell], side: int) -> dict[str, str]:
    """Return what is on some edges of a board: half of all boards have none.

    None divides a space *side* cells wide at one of *places*. It is drawn from *places*, so the rest of an
    opening is drawn as if there were no walls.
    """
    chance = Random(repr(list(places)))
    if chance.random() < 0.5:
        return {}
    inside = {(a, b) for at in places for a in cells(at, side) for b in cells(at, side)}
    around = [
        ((x, y), beside)
        for x in range(-1, board + 1)
        for y in range(-1, board + 1)
        for beside in ((x + 1, y), (x, y + 1))
        if ((x, y), beside) not in inside
    ]
    chosen = chance.sample(around, chance.randint(1, len(around) // 4))
    return {key_of(*edge): chance.choice(KINDS) for edge in chosen}
