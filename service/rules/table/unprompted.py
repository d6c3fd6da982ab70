"""Which commands answer no prompt, under which heading people find each, and which roles may send it.

A ruleset adds its own. What answers no prompt and is not here is not listed: programs send it by its schema.
"""

from __future__ import annotations

from typing import Final

from service.rules.kernel.records import record
from service.rules.table.table import GM

PLAYER: Final = "player"


@record
class Unprompted:
    """A command that answers no prompt: its heading, and the roles whose seats may send it."""

    type: str
    heading: str
    roles: tuple[str, ...] = (GM,)
    writes: tuple[str, ...] = ()
    """Fields that name something new, so that nothing on the table is a value of them."""


def under(
    heading: str, *types: str, roles: tuple[str, ...] = (GM,), writes: tuple[str, ...] = ()
) -> tuple[Unprompted, ...]:
    """Return the commands *types*, all under one *heading*."""
    return tuple(Unprompted(type=type_, heading=heading, roles=roles, writes=writes) for type_ in types)


SHARED: Final[tuple[Unprompted, ...]] = (
    *under("Ruling", "gm_ruling"),
    *under("Creatures", "add_creature", "show_sheet"),
    *under(
        "Hidden creatures",
        "hide_creature",
        "move_hidden_creature",
        "reveal_creature",
        "withdraw_hidden_creature",
    ),
    *under("Behind the screen", "roll_behind_screen", "show_roll"),
    *under("Seats", "open_seat", writes=("seat",)),
    *under("Seats", "change_seat", "close_seat", "remove_seat_key"),
    *under("The end", "close"),
)
"""What every ruleset has; a type that a ruleset does not have is left out."""
