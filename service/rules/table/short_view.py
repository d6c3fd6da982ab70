"""The short view of a fight, alike in every ruleset: its creatures as tokens, and the cells of its map.

Laws. A ruleset makes it from a seat's view and reads nothing else, so it shows nothing that the state hides
from that seat. A field that is closed to the reader is None, where a rule reads a blank.
"""

from __future__ import annotations

from typing import Final, Literal, get_args

from service.rules.kernel.records import Sealed, record

TokenStatus = Literal["active", "down", "dead", "gone"]
TOKEN_STATUSES: Final[tuple[str, ...]] = get_args(TokenStatus)


@record
class ShownCondition:
    """A condition of a creature; the level is 1 where levels mean nothing."""

    name: str
    level: int = 1


@record
class CreatureToken:
    """One creature as a token on a map shows it."""

    id: str
    name: str
    side: str
    kind: str
    """What the ruleset calls it: `pc`, `npc`, `monster`, `object` and so on."""
    size: str
    space: int
    """Cells along one side of its space."""
    position: tuple[int, int]
    """The cell of its space with the lowest x and y."""
    height_ft: int
    status: TokenStatus
    """`down` cannot act for now; `gone` is out of the fight alive."""
    hp: int | None
    """None if the reader may not know it."""
    hp_max: int | None
    conditions: tuple[ShownCondition, ...] = ()
    hidden: bool = False
    """Whether only the GM knows of it."""
    load: int | None = None
    """What it carries, in the ruleset's units; None if there are none, or the reader may not know it."""
    capacity: int | None = None
    """The most it can carry."""


@record
class MapCell:
    """A cell that differs from plain, bright ground at height 0."""

    cell: tuple[int, int]
    terrain: str = "normal"
    light: str = "bright"
    water: str | None = None
    """How deep its water is, in a few words, where the ruleset says so."""
    height_ft: int = 0
    zones: tuple[str, ...] = ()
    """What abilities have made of it."""


def legible(of: object, name: str) -> int | None:
    """Return the number in the field *name*, or what is shown for it; None if the reader may not know it."""
    value = vars(of)[name]  # as an attribute it would be a blank
    if isinstance(value, Sealed):
        value = value.shown if value.closed else value.value
    return None if value is None else int(value)
