"""The short view of a fight, alike in every ruleset: creatures as tokens, cells by rows, and their edges.

Laws. A ruleset makes it from a seat's view and reads nothing else, so it shows nothing that the state hides
from that seat. A field that is closed to the reader is None, where a rule reads a blank.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias

from service.rules.kernel.records import Sealed, record
from service.rules.kernel.values import (
    BeganInRound,
    Code,
    Count,
    CreatureId,
    Feet,
    FeetAboveGround,
    HitPoints,
    HitPointsNow,
    Level,
    Name,
    SideId,
)
from service.rules.space.grid import Cell, Row, overlaid
from service.rules.space.walls import Edge, Walls, edge_at

EdgeKind: TypeAlias = Literal["wall", "closed_door", "open_door", "ledge"]
TokenStatus = Literal["active", "down", "dead", "gone"]


@record
class ShownCondition:
    """A condition."""

    name: Name
    level: Level = 1
    """1 where levels mean nothing."""
    since: BeganInRound = 0


@record
class CreatureToken:
    """A creature as a token on a map shows it."""

    id: CreatureId
    """The id."""
    name: Name
    side: SideId
    kind: Code
    """What the ruleset calls it: `pc`, `npc`, `monster`, `object` and so on."""
    size: Code
    """The size of the creature."""
    space: Count
    """Cells along one side of its space."""
    position: Cell
    """The cell of its space with the lowest x and y, as `[x, y]`."""
    height_ft: FeetAboveGround
    status: TokenStatus
    """`down` cannot act for now; `gone` is out of the fight alive."""
    hp: HitPointsNow | None
    """Hit points; null if your seat may not know them."""
    hp_max: HitPoints | None
    """The maximum; null if your seat may not know it."""
    conditions: tuple[ShownCondition, ...] = ()
    """Each condition once."""
    hidden: bool = False
    """Whether only the GM knows of it."""
    load: Count | None = None
    """What it carries, in Heart Rush in slots; null if the ruleset does not count it, or your seat may not
    know it."""
    capacity: Count | None = None
    """The most that it can carry; null as `load` is."""


@record
class Ground:
    """What a cell is made of; without arguments, plain ground at height 0."""

    terrain: Code = "normal"
    """What the ruleset calls it: `normal`, `difficult`, `wall` and so on."""
    light: Code = "bright"
    """`bright`, `dim` or `dark`."""
    water: Code | None = None
    """How deep its water is, if the ruleset says so."""
    height_ft: Feet = 0
    """Feet above the other cells."""
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
    """Both cells, the left or upper one first."""
    kind: EdgeKind
    """What is on the edge."""


@record
class BattleMap:
    """The map as a seat sees it. A cell in none of its rows is plain ground at height 0."""

    rows: tuple[MapRow, ...] = ()
    """The rows, by row and column."""
    edges: tuple[MapEdge, ...] = ()
    """Walls, doors and ledges, by row and column."""
    light: Code = "bright"
    """How bright the cells are that are in no row: as in a row."""


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
