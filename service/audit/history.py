"""Read the losses that a record claims, and the seats in its state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from service.record.commit import QUARANTINED, Commit
from service.rules.table.table import Table

Data = dict[str, Any]

ADVANCES: Final = "epoch_advanced"
"""The type of the events that may claim a loss: a command of the gm moves the dice past it."""


class Loss(NamedTuple):
    """A range of signed commits that the record declares lost, and the commit that declares it.

    Commands that waited for the acceptance were quarantined just before it, at the numbers of lost commits.
    """

    first: int
    """The first quarantined commit before the acceptance, or the acceptance itself."""
    accepted_in: int
    """The commit that accepts the loss."""
    size: int
    """How many commits had been signed."""

    def covers(self, size: int) -> bool:
        """Return whether a head of *size* commits may be one of the lost history."""
        return self.first <= size <= self.size


def claimed_losses(commits: Sequence[Commit]) -> list[Loss]:
    """Return the losses that *commits* claim. A claim alone proves nothing."""
    found = []
    moved = ((commit.n, event) for commit in commits for event in commit.events)
    for n, event in moved:
        if claims_a_loss(event):
            first = n
            while first > 1 and commits[first - 2].outcome == QUARANTINED:
                first -= 1
            found.append(Loss(first, n, event["lost"]["size"]))
    return found


def claims_a_loss(event: Mapping[str, Any]) -> bool:
    """Return whether *event* states that signed commits were lost."""
    lost = event.get("lost")
    return event.get("type") == ADVANCES and isinstance(lost, dict) and type(lost.get("size")) is int


def seats_of(state: Table) -> list[Data]:
    """Return every seat in *state* with its role, its creatures and the number of tokens issued to it."""
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
