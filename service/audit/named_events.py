"""Check that what is recorded in a seat's name is what its command says.

Seats, keys, seeds and choices bind a host also for a verifier without the rules. Each of these events repeats
what a command sent, so it stands in the commit of that command; otherwise a host could write a seed or a key
of its own into any commit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from service.audit.contents import Payloads, events_of
from service.audit.verdict import FORGED_COMMAND, Fault, Verdict
from service.record.canonical import dumps
from service.record.commit import Commit, Request
from service.rules.rolls.asking import DiceDeclared, ThrowDice
from service.rules.rolls.epochs import AcceptHistory, AdvanceEpoch, EpochAdvanced
from service.rules.rolls.seeding import CommitSeed, SeedCommitted, SeedWaived, WaiveSeed
from service.rules.secrecy.choices import ChoiceCommitted, ChoiceOpened, OpenChoice, SealChoice
from service.rules.table.seats import (
    IssueToken,
    OpenSeat,
    RemoveSeatKey,
    SeatKeyRemoved,
    SeatKeySet,
    SetSeatKey,
)
from service.rules.table.table import GM

_Event = Mapping[str, Any]
_Fits = Callable[[_Event, Request], bool]


def check_named_events(
    commits: Sequence[Commit], requests: Sequence[Request | None], payloads: Payloads
) -> None:
    """Raise `Fault` for an event that says other than the command in whose commit it stands.

    A withheld request is compared with nothing.
    """
    for commit, request in zip(commits, requests, strict=True):
        for event in events_of(commit, payloads) if request is not None else ():
            commands, fits = _NAMED.get(event["type"], (None, None))
            if commands is None or fits is None or request is None:
                continue
            if request.type not in commands or not fits(event, request):
                detail = f"the event {event['type']} says other than its command, {request.type}"
                raise Fault(Verdict(FORGED_COMMAND, commit.n, detail))


def _repeats(*names: str) -> _Fits:
    """Return whether an event has these members of its command."""
    return lambda event, request: all(
        dumps(event.get(name)) == dumps(request.data.get(name)) for name in names
    )


def _is_of_seat(event: _Event, request: Request) -> bool:
    return bool(request.actor.seat == event.get("seat"))


def _by_gm_or_seat(event: _Event, request: Request) -> bool:
    return request.actor.seat == GM or _is_of_seat(event, request)


def _by_gm(_: _Event, request: Request) -> bool:
    return request.actor.seat == GM


def _waives(event: _Event, request: Request) -> bool:
    named = request.data.get("seat")
    return (request.actor.seat if named is None else named) == event.get("seat")


def _all(*checks: _Fits) -> _Fits:
    return lambda event, request: all(check(event, request) for check in checks)


_NAMED: Final[Mapping[str, tuple[tuple[str, ...], _Fits]]] = MappingProxyType(
    {
        SeatKeySet.type: (
            (SetSeatKey.type, IssueToken.type, OpenSeat.type),
            _all(_by_gm_or_seat, _repeats("seat", "key")),
        ),
        SeatKeyRemoved.type: ((RemoveSeatKey.type,), _all(_by_gm, _repeats("seat"))),
        SeedCommitted.type: ((CommitSeed.type,), _all(_is_of_seat, _repeats("commitment"))),
        SeedWaived.type: ((WaiveSeed.type,), _all(_by_gm_or_seat, _waives)),
        EpochAdvanced.type: ((AdvanceEpoch.type, AcceptHistory.type), _by_gm),
        DiceDeclared.type: ((ThrowDice.type,), _all(_is_of_seat, _repeats("faces"))),
        ChoiceCommitted.type: ((SealChoice.type,), _all(_is_of_seat, _repeats("prompt", "commitment"))),
        ChoiceOpened.type: ((OpenChoice.type,), _all(_is_of_seat, _repeats("prompt", "choice", "salt"))),
    }
)
"""By the type of an event: the commands that it stands for, and what of them it repeats."""
