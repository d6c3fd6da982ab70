"""Read off the record what a certificate lists: rulings, moved epochs, seats, and what was told of dice.

Only public events are read, so that a certificate tells nobody what its reader may not see.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from service.encounter.commit import Commit
from service.rules.table import Table

Data = dict[str, Any]

RULINGS: Final = (
    "gm_ruling_recorded",
    "ruling_made",
    "contest_closed",
    "continued",
    "line_begun",
)
"""Events by which a person decided what the rules did not."""

ADVANCES: Final = ("epoch_advanced", "dice_moved")
"""Events by which an epoch of the dice ended though no round did."""


@dataclass(frozen=True, slots=True)
class History:
    """What people did to an encounter beside playing it."""

    rulings: tuple[Data, ...] = ()
    """Each with its commit's number and the public event."""
    advances: tuple[Data, ...] = ()
    abandoned_before: int | None = None
    """How many encounters its owner had abandoned before, where the opening counts them."""


NOTHING: Final = History()


def history_of(commits: Sequence[Commit], opening: Mapping[str, Any]) -> History:
    """Return what *commits* tell publicly; *opening* is what the first request said."""
    abandoned = opening.get("abandoned_before")
    return History(
        rulings=tuple(_told(commits, RULINGS)),
        advances=tuple(_told(commits, ADVANCES)),
        abandoned_before=abandoned if isinstance(abandoned, int) else None,
    )


def _told(commits: Sequence[Commit], types: tuple[str, ...]) -> Iterator[Data]:
    for commit in commits:
        for event in commit.events:
            if event.get("type") in types:
                yield {"n": commit.n, "event": event}


def seats_of(state: Table) -> list[Data]:
    """Return who sat at the table, and how many tokens each seat was issued."""
    return [
        {
            "seat": id_,
            "role": seat.role,
            "creatures": list(seat.creatures),
            "tokens": seat.tokens,
            "closed": seat.closed,
        }
        for id_, seat in sorted(state.seats.items())
    ]
