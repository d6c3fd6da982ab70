"""Read off the record what a certificate lists: rulings, moved epochs, seats, and what was told of dice.

Only public events are read, so that a certificate tells nobody what its reader may not see.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from service.record.commit import QUARANTINED, Commit
from service.rules.table import Table

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
"""Events by which a person decided what the rules did not."""

ADVANCES: Final = frozenset(("epoch_advanced", "dice_moved"))
"""Events by which dice were moved though no round ended: by command, or by a ruling that amended the past."""


WHOLE: Final = ("state", "orders")
"""Members that hold a whole state: a certificate says that there is one, the record says which."""

WAIVERS: Final = frozenset(("seed_waived",))


@dataclass(frozen=True, slots=True)
class History:
    """What people did to an encounter beside playing it."""

    rulings: tuple[Data, ...] = ()
    """Each with its commit's number and the public event."""
    advances: tuple[Data, ...] = ()
    waivers: tuple[Data, ...] = ()
    """Which listed seats added no seed, by whose word and why."""


class Loss(NamedTuple):
    """A stretch of signed commits that the record says is lost, and the commit that says so.

    The commands that waited for the acceptance are set aside in front of it, in the place of what was lost.
    """

    first: int
    accepted_in: int
    """The commit that accepts the loss."""
    size: int
    """How many commits had been signed."""

    def covers(self, size: int) -> bool:
        """Return whether a head of *size* commits may be one of the lost history."""
        return self.first <= size <= self.size


NOTHING: Final = History()


def history_of(commits: Sequence[Commit]) -> History:
    """Return what *commits* tell publicly."""
    told = tuple(_told(commits, RULINGS | ADVANCES | WAIVERS))
    return History(
        rulings=_of(told, RULINGS),
        advances=_of(told, ADVANCES),
        waivers=_of(told, WAIVERS),
    )


def _of(told: tuple[Data, ...], types: frozenset[str]) -> tuple[Data, ...]:
    return tuple(each for each in told if each["event"]["type"] in types)


def claimed_losses(commits: Sequence[Commit]) -> list[Loss]:
    """Return what *commits* say was signed once and lost. The claim alone proves nothing."""
    found = []
    for n, event in ((told["n"], told["event"]) for told in _told(commits, ADVANCES)):
        lost = event.get("lost")
        if isinstance(lost, dict) and type(lost.get("size")) is int:
            first = n
            while first > 1 and commits[first - 2].outcome == QUARANTINED:
                first -= 1
            found.append(Loss(first, n, lost["size"]))
    return found


def _told(commits: Sequence[Commit], types: frozenset[str]) -> Iterator[Data]:
    for commit in commits:
        for event in commit.events:
            if event.get("type") in types:
                yield {"n": commit.n, "event": {k: v for k, v in event.items() if k not in WHOLE}}


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
