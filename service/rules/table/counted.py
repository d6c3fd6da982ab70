"""What statistics count of creatures: who acts, who harms whom, and how much.

Laws. It names types of events and their fields alone. Who counts reads events as a seat sees them, so what is
counted shows nothing that the seat cannot read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from service.rules.kernel.records import EMPTY, record


@record
class Harm:
    """An event by which a creature takes damage: the names of its fields."""

    creature: str = "creature"
    amount: str = "amount"
    source: str = "source"
    """Who causes it; what is no creature is not counted as one."""
    declared: str = ""
    """The type of the earlier event that names the source, where this one does not."""
    key: str = ""
    """The field by which this event and the earlier one belong together."""


@record
class Counted:
    """The events that count."""

    acts: Mapping[str, str] = EMPTY
    """For each type of event that is an act of a creature, the field that names the creature."""
    harms: Mapping[str, Harm] = EMPTY
    """The events by which damage is taken, by type."""


UNCOUNTED: Final = Counted()
"""Nothing is counted."""
