"""Check that what is recorded in a seat's name is what its command says.

Seats, keys, seeds, choices and decisions bind a host also for a verifier without the rules. Each of these
events repeats what a command sent, so it stands in the commit of that command; otherwise a host could write a
seed, a key or a ruling of its own into any commit. Some of them never stand beside an envelope, because a
request beside a closed one is withheld, and nobody could compare it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from service.audit.beginnings import AS_RULED
from service.audit.contents import Payloads, events_of
from service.audit.verdict import FORGED_COMMAND, Fault, Verdict
from service.record.canonical import dumps
from service.record.commit import Commit, Request
from service.rules.contests.acceptance import AcceptLine, LineAccepted
from service.rules.contests.amendments import (
    AcceptAmendment,
    Amend,
    AmendmentDropped,
    AmendmentProposed,
    Continued,
    DropAmendment,
    Redo,
    Undo,
)
from service.rules.contests.contests import ContestClosed, ContestOpened, OpenContest, Uphold
from service.rules.contests.continuing import BeginLine, LineBegun
from service.rules.contests.gm_rulings import GmRulingRecorded, RulingOfGm
from service.rules.rolls.asking import DiceDeclared, ThrowDice
from service.rules.rolls.epochs import AcceptHistory, AdvanceEpoch, EpochAdvanced
from service.rules.rolls.seeding import (
    CommitSeed,
    RevealSeed,
    SeedCommitted,
    SeedRevealed,
    SeedWaived,
    WaiveSeed,
)
from service.rules.secrecy.choices import (
    ChoiceCommitted,
    ChoiceForfeited,
    ChoiceOpened,
    ChoiceVoided,
    ForfeitChoice,
    OpenChoice,
    SealChoice,
)
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
        _check_open(commit)
        for event in events_of(commit, payloads) if request is not None else ():
            commands, fits = _NAMED.get(event["type"], (None, None))
            if fits is None or request is None:
                continue
            is_theirs = commands is None or request.type in commands
            if not is_theirs or not fits(event, request):
                detail = f"the event {event['type']} says other than its command, {request.type}"
                raise Fault(Verdict(FORGED_COMMAND, commit.n, detail))


def _check_open(commit: Commit) -> None:
    """Raise `Fault` for an envelope beside an event whose command everybody may read."""
    if not any("sealed" in event for event in commit.events):
        return
    for event in commit.events:
        type_ = event.get("type")
        if type_ in _OPEN or (type_ == AmendmentProposed.type and event.get("kind") != AS_RULED):
            raise Fault(Verdict(FORGED_COMMAND, commit.n, f"an envelope stands beside the event {type_}"))


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


def _says(*names: str) -> _Fits:
    """Return whether an event has these texts of its command, the empty one for a missing one."""
    return lambda event, request: all(
        dumps(event.get(name, "")) == dumps(request.data.get(name, "")) for name in names
    )


def _proposes(event: _Event, request: Request) -> bool:
    """Return whether *event* proposes what its command asks for."""
    is_same = _repeats("commit") if request.type == Undo.type else _repeats("contest")
    return _KIND_OF[request.type] == event.get("kind") and is_same(event, request)


def _drops(event: _Event, request: Request) -> bool:
    """Return whether *event* drops what its command names; another proposal drops the one before it."""
    return request.type != DropAmendment.type or _repeats("amendment")(event, request)


def _waives(event: _Event, request: Request) -> bool:
    named = request.data.get("seat")
    return (request.actor.seat if named is None else named) == event.get("seat")


def _all(*checks: _Fits) -> _Fits:
    return lambda event, request: all(check(event, request) for check in checks)


_KIND_OF: Final = MappingProxyType({Amend.type: AS_RULED, Undo.type: "undo", Redo.type: "redo"})
"""By the type of a command that proposes another line of play: the kind of its proposal."""

_NAMED: Final[Mapping[str, tuple[tuple[str, ...] | None, _Fits]]] = MappingProxyType(
    {
        SeatKeySet.type: (
            (SetSeatKey.type, IssueToken.type, OpenSeat.type),
            _all(_by_gm_or_seat, _repeats("seat", "key")),
        ),
        SeatKeyRemoved.type: ((RemoveSeatKey.type,), _all(_by_gm, _repeats("seat"))),
        SeedCommitted.type: ((CommitSeed.type,), _all(_is_of_seat, _repeats("commitment"))),
        SeedWaived.type: ((WaiveSeed.type,), _all(_by_gm_or_seat, _waives)),
        SeedRevealed.type: ((RevealSeed.type,), _all(_is_of_seat, _repeats("seed"))),
        EpochAdvanced.type: (
            (AdvanceEpoch.type, AcceptHistory.type),
            _all(_by_gm, _repeats("reason", "lost")),
        ),
        DiceDeclared.type: ((ThrowDice.type,), _all(_is_of_seat, _repeats("faces"))),
        ChoiceCommitted.type: ((SealChoice.type,), _all(_is_of_seat, _repeats("prompt", "commitment"))),
        ChoiceOpened.type: ((OpenChoice.type,), _all(_is_of_seat, _repeats("prompt", "choice", "salt"))),
        ChoiceForfeited.type: ((ForfeitChoice.type,), _all(_by_gm, _repeats("prompt", "reason"))),
        ChoiceVoided.type: ((OpenChoice.type,), _repeats("prompt")),
        ContestOpened.type: (
            (OpenContest.type,),
            _all(_is_of_seat, _repeats("commit", "claim", "event", "roll")),
        ),
        ContestClosed.type: (
            (Uphold.type, AcceptAmendment.type, RulingOfGm.type),
            _by_gm,
        ),
        GmRulingRecorded.type: (None, _is_of_seat),
        AmendmentProposed.type: (tuple(_KIND_OF), _all(_by_gm, _proposes, _says("decision", "reason"))),
        AmendmentDropped.type: ((DropAmendment.type, *_KIND_OF), _all(_by_gm, _drops)),
        Continued.type: ((AcceptAmendment.type,), _all(_by_gm, _repeats("encounter", "amendment", "head"))),
        LineBegun.type: ((BeginLine.type,), _all(_by_gm, _repeats("encounter", "origin", "plan", "state"))),
        LineAccepted.type: ((AcceptLine.type,), _repeats("parent", "seats", "contests")),
    }
)
"""By the type of an event: the commands that it stands for, None for any, and what of them it repeats."""

_OPEN: Final = frozenset(
    (
        *(SeatKeySet.type, SeatKeyRemoved.type, SeedCommitted.type, EpochAdvanced.type),
        *(ContestOpened.type, Continued.type),
    )
)
"""Types of events beside which no envelope stands; the proposal of an undo or a redo is another."""
