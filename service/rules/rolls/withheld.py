"""What stays sealed of a creature's rolls and events while its fields are GM-only."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from service.dice.values import Roll, Term
from service.rules.kernel.messages import Scope
from service.rules.kernel.records import Sealed
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.table.table import GM

TABLE_GMONLY_2: Final = Rule(
    "TABLE-GMONLY-2",
    "If a creature's rolls are GM-only, everybody sees their dice, and only the GM sees their flat parts.",
    RULING,
)


AUDIENCE: Final = (f"seat:{GM}",)
ROLLS: Final = "rolls"
"""The name for rolls in `gm_only`: an event that shows a total reveals the flat parts of the roll."""

WITHHELD: Final = Term(amount=0, what="flat parts are for the gm", rule="TABLE-GMONLY-2")


def scope_of(creature: str) -> Scope:
    """Return the audience of *creature*'s GM-only fields, and the occasion that opens them for all."""
    return Scope(audience=AUDIENCE, opens=f"sheet/{creature}")


def sealed_for(creature: str, value: Any, shown: Any = None) -> Sealed[Any]:  # noqa: ANN401 - any field
    """Return *value*, a GM-only fact about *creature*, sealed; others read *shown*, or a blank for None."""
    scope = scope_of(creature)
    return Sealed(audience=scope.audience, opens=scope.opens, value=value, shown=shown)


@enforces(TABLE_GMONLY_2)
def open_part(roll: Roll) -> Roll:
    """Return *roll* without its terms, which only the GM sees."""
    return replace(roll, terms=(WITHHELD,))
