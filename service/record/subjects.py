"""What a commit is about, so that a reader parses only the commits that concern it.

A subject is the type of an event or the name of a field. Canonical bytes spell both in one way only, so a
commit without these bytes is not about the subject, and it is not parsed. A commit with them is parsed,
because the same bytes may be a value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, Final

from service.record.commit import load_commit
from service.rules.contests.acceptance import LineAccepted
from service.rules.contests.amendments import AmendmentProposed, Continued
from service.rules.contests.continuing import LineBegun, LinkInherited
from service.rules.kernel.messages import Event
from service.rules.rolls.closing import EncounterClosed, EpochClosed, LaneDisclosed
from service.rules.rolls.epochs import EpochAdvanced
from service.rules.table.seats import (
    SeatChanged,
    SeatClosed,
    SeatKeyRemoved,
    SeatKeySet,
    SeatOpened,
    SeatTokenIssued,
)
from service.rules.table.table import Table


@dataclass(frozen=True)
class Subject:
    """An event of one of *types* (empty: of any type) that has *field*, if one is named."""

    types: tuple[str, ...] = ()
    field: str = ""

    @cached_property
    def traces(self) -> tuple[bytes, ...]:
        """Bytes of which every commit about this subject has some."""
        return tuple(f'"{type_}"'.encode() for type_ in self.types) or (f'"{self.field}":'.encode(),)

    def is_of(self, event: Mapping[str, Any]) -> bool:
        """Return whether *event* is about the subject."""
        is_meant = not self.types or event.get("type") in self.types
        return is_meant and (not self.field or event.get(self.field) is not None)


SEATING: Final[Mapping[str, type[Event[Table]]]] = MappingProxyType(
    {
        kind.type: kind
        for kind in (
            SeatOpened,
            SeatChanged,
            SeatTokenIssued,
            SeatKeySet,
            SeatKeyRemoved,
            SeatClosed,
            LineAccepted,
        )
    }
)
"""Events that change the seats."""

SEATS: Final = Subject(types=tuple(SEATING))
"""Who has which seat changes, and which tokens are valid."""
CONTINUED: Final = Subject(types=(Continued.type,))
"""Another line of play continues this one."""
GOES_ON: Final = Subject(types=(Continued.type, LineAccepted.type))
"""The encounter goes on in another line of play."""
ADMISSION: Final = Subject(types=(*SEATS.types, *CONTINUED.types))
"""Who is let in may change."""
PROPOSED: Final = Subject(types=(AmendmentProposed.type,))
"""An amendment is proposed."""
SEALED: Final = Subject(field="sealed")
"""It has envelopes."""
REVEALED: Final = Subject(field="occasion")
"""Envelopes are opened to all."""
LINKS: Final = Subject(types=(EpochClosed.type, LinkInherited.type))
"""Links of the dice's chains are disclosed."""
SEEDS: Final = Subject(types=(EncounterClosed.type, LaneDisclosed.type))
"""Seeds of the dice are disclosed."""
LINE_BEGUN: Final = Subject(types=(LineBegun.type,))
"""The record begins as a line of play that goes on from another one."""
ENDED: Final = Subject(types=(Continued.type, EncounterClosed.type))
"""The line of play ends."""
EPOCH_ENDED: Final = Subject(types=(EpochClosed.type, *ENDED.types))
"""The epoch ends, perhaps because the line does."""
LOST: Final = Subject(types=(EpochAdvanced.type,), field="lost")
"""The GM accepts that signed commits are lost."""


def events_about(raw: bytes, *subjects: Subject) -> dict[int, dict[str, Any]]:
    """Return the events of the commit *raw* that are about one of *subjects*, by index.

    Raises `NotCanonical` if bytes that may be about one are not a commit.
    """
    for subject in subjects:
        for trace in subject.traces:
            if trace in raw:
                events = enumerate(load_commit(raw).events)
                return {i: event for i, event in events if any(each.is_of(event) for each in subjects)}
    return {}


def is_about(raw: bytes, *subjects: Subject) -> bool:
    """Return whether the commit *raw* is about one of *subjects*; raises as `events_about` does."""
    return bool(events_about(raw, *subjects))


def are_about(events: Iterable[Mapping[str, Any]], subject: Subject) -> bool:
    """Return whether one of *events* is about *subject*: for a commit whose events are at hand."""
    return any(map(subject.is_of, events))
