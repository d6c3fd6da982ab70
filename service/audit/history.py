"""Read what a certificate lists from the record: rulings, advanced epochs, waived seeds, losses and seats.

Only public events are read, so a certificate leaks nothing that is sealed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from service.record.commit import QUARANTINED, Commit
from service.rules.table.table import Table

Data = dict[str, Any]

RULINGS: Final = frozenset(
    (
        "gm_ruling_recorded",
        "ruling_made",
        "contest_opened",
        "contest_closed",
        "amendment_proposed",
        "amendment_dropped",
        "continued",
        "line_begun",
    )
)
"""Types of events that record a person's decision outside the rules."""

ADVANCES: Final = frozenset(("epoch_advanced", "stream_redirected"))
"""Types of events that moved dice although no round ended: a command, or a ruling that amended the past."""


WHOLE: Final = ("state", "orders")
"""Members that hold a whole state. A certificate omits them because the record has them."""

WAIVERS: Final = frozenset(("seed_waived",))


@dataclass(frozen=True, slots=True)
class History:
    """What people did to an encounter besides playing it."""

    rulings: tuple[Data, ...] = ()
    """Each with its commit's number and the public event."""
    advances: tuple[Data, ...] = ()
    waivers: tuple[Data, ...] = ()
    """The events that waived a listed seat's seed: who waived it, and why."""


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


NOTHING: Final = History()


def history_of(commits: Sequence[Commit]) -> History:
    """Return the rulings, advances and waivers in the public events of *commits*."""
    found = tuple(_events_of(commits, RULINGS | ADVANCES | WAIVERS))
    return History(
        rulings=_of(found, RULINGS),
        advances=_of(found, ADVANCES),
        waivers=_of(found, WAIVERS),
    )


def _of(found: tuple[Data, ...], types: frozenset[str]) -> tuple[Data, ...]:
    return tuple(each for each in found if each["event"]["type"] in types)


def claimed_losses(commits: Sequence[Commit]) -> list[Loss]:
    """Return the losses that *commits* claim. A claim alone proves nothing."""
    found = []
    for n, event in ((each["n"], each["event"]) for each in _events_of(commits, ADVANCES)):
        lost = event.get("lost")
        if isinstance(lost, dict) and type(lost.get("size")) is int:
            first = n
            while first > 1 and commits[first - 2].outcome == QUARANTINED:
                first -= 1
            found.append(Loss(first, n, lost["size"]))
    return found


def _events_of(commits: Sequence[Commit], types: frozenset[str]) -> Iterator[Data]:
    for commit in commits:
        for event in commit.events:
            if event.get("type") in types:
                yield {"n": commit.n, "event": {k: v for k, v in event.items() if k not in WHOLE}}


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
