"""The short view of a fight, alike in every ruleset: creatures as tokens, cells by rows, and their edges.

Laws. A ruleset makes it from a seat's view and reads nothing else, so it shows nothing that the state hides
from that seat. A field that is closed to the reader is None, where a rule reads a blank.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal, TypeAlias, get_args

from service.rules.kernel.records import Sealed, record
from service.rules.kernel.values import (
    BeganInRound,
    Code,
    Count,
    Feet,
    HitPoints,
    HitPointsNow,
    Label,
    Level,
    SideId,
)
from service.rules.space.grid import Cell, Row, overlaid
from service.rules.space.walls import Edge, Walls, edge_at

EdgeKind: TypeAlias = Literal["wall", "closed_door", "open_door", "ledge"]
EDGE_KINDS: Final[tuple[str, ...]] = get_args(EdgeKind)
TokenStatus = Literal["active", "down", "dead", "gone"]
TOKEN_STATUSES: Final[tuple[str, ...]] = get_args(TokenStatus)


@record
class ShownCondition:
    """A condition of a creature; the level is 1 where levels mean nothing."""

    name: Label
    level: Level = 1
    since: BeganInRound = 0


@record
class CreatureToken:
    """One creature as a token on a map shows it."""

    id: Code
    name: Label
    side: SideId
    kind: Code
    """What the ruleset calls it: `pc`, `npc`, `monster`, `object` and so on."""
    size: Code
    space: Count
    """Cells along one side of its space."""
    position: Cell
    """The cell of its space with the lowest x and y."""
    height_ft: Feet
    status: TokenStatus
    """`down` cannot act for now; `gone` is out of the fight alive."""
    hp: HitPointsNow | None
    """None if the reader may not know it."""
    hp_max: HitPoints | None
    conditions: tuple[ShownCondition, ...] = ()
    hidden: bool = False
    """Whether only the GM knows of it."""
    load: Count | None = None
    """What it carries, in the ruleset's units; None if there are none, or the reader may not know it."""
    capacity: Count | None = None
    """The most it can carry."""


@record
class Ground:
    """What a cell is made of; without arguments, plain ground at height 0."""

    terrain: Code = "normal"
    light: Code = "bright"
    water: Code | None = None
    """How deep its water is, in a few words, where the ruleset says so."""
    height_ft: Feet = 0
    zones: tuple[Code, ...] = ()
    """What abilities have made of it."""


@record
class MapRow:
    """Cells side by side that are alike."""

    row: Row
    """Their y, the least x and the greatest x."""
    ground: Ground


@record
class MapEdge:
    """A wall, a door or a ledge between two cells side by side."""

    between: Edge
    """The left or upper cell first."""
    kind: EdgeKind


@record
class BattleMap:
    """The map as a seat sees it. A cell in none of its rows is plain ground at height 0."""

    rows: tuple[MapRow, ...] = ()
    """By row and column."""
    edges: tuple[MapEdge, ...] = ()
    """By row and column."""
    light: Code = "bright"
    """How bright the cells are that are in no row."""


def rows_of(cells: Iterable[tuple[Cell, Ground]]) -> tuple[MapRow, ...]:
    """Return *cells*, each with its ground, as rows of cells that are alike."""
    layers = (((y, x, x), ground) for (x, y), ground in cells)
    return tuple(MapRow(row=row, ground=ground) for row, (ground,) in overlaid(layers))


def edges_of(walls: Walls, ledges: Iterable[str] = ()) -> tuple[MapEdge, ...]:
    """Return the walls, doors and ledges of a map, by row and column."""
    kinds: list[tuple[str, EdgeKind]] = [*walls.items(), *((key, "ledge") for key in ledges)]
    placed = [(edge, kind) for key, kind in kinds if (edge := edge_at(key)) is not None]
    ordered = sorted(placed, key=lambda each: [cell[::-1] for cell in each[0]])
    return tuple(MapEdge(between=edge, kind=kind) for edge, kind in ordered)


def legible(of: object, name: str) -> int | None:
    """Return the number in the field *name*, or what is shown for it; None if the reader may not know it."""
    value = vars(of)[name]  # as an attribute it would be a blank
    if isinstance(value, Sealed):
        value = value.shown if value.closed else value.value
    return None if value is None else int(value)
