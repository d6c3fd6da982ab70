"""Say which commands a new line of play takes of the old one, and what opens it.

A command is taken as it was given: its seat, its time and its data. What was refused is not taken again, nor
what is about contests, proposals and seats. A proposed line knows who sat where when a command was given.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from types import MappingProxyType
from typing import Final

from service.core.continuation import ContinuationReader, Proposal, line_start
from service.core.lineage import NOT_PLAYED, entries, undone
from service.record.commit import ACCEPTED, SEALED, Request, load_commit, load_request
from service.rules.acceptance import LineAccepted
from service.rules.codec import from_data, to_data
from service.rules.continuing import BeginLine, split_sealed
from service.rules.messages import Actor, Event
from service.rules.records import changed
from service.rules.sealed import unsealed
from service.rules.seats import SeatChanged, SeatClosed, SeatOpened, SeatTokenIssued
from service.rules.seeding import CommitSeed, RevealSeed, WaiveSeed
from service.rules.table import GM, Seat, Table

_LABEL: Final = b"rewound/line/1\x00"
SEEDING: Final = (CommitSeed.type, WaiveSeed.type, RevealSeed.type)
"""Commands that a new line does not take: the seeding of its dice is the old line's, as it stood last."""
SEATING: Final[Mapping[str, type[Event[Table]]]] = MappingProxyType(
    {kind.type: kind for kind in (SeatOpened, SeatChanged, SeatTokenIssued, SeatClosed, LineAccepted)}
)
"""Facts that say who sits where."""
_SEATS: Final = b'"seat'
NOT_TAKEN: Final = frozenset((*NOT_PLAYED, *SEEDING))


@dataclass(frozen=True)
class RepeatedCommand:
    """A command of the new line: the old one's number, 0 if the ruling put it in, and its request."""

    old: int
    request: Request


def _range(reading: ContinuationReader, found: Proposal) -> tuple[str, int, int]:
    """Return the encounter whose commands the new line takes, the first and the last of them."""
    if found.amendment.kind == "redo":
        part = undone(reading, found.parent)[0]
        return part.line, part.first, part.last
    return found.parent, found.amendment.commit, found.n


def repeated_commands(reading: ContinuationReader, found: Proposal) -> tuple[str, list[RepeatedCommand]]:
    """Return the encounter whose commands the new line takes, and these commands in order."""
    source, first, last = _range(reading, found)
    amendment = found.amendment
    if amendment.kind == "undo":
        return source, []
    chosen: list[RepeatedCommand] = []
    commands = entries(reading.log.commands, source, first - 1, last)
    commits = entries(reading.log.commits, source, first - 1, last)
    for command, entry in zip(commands, commits, strict=False):
        request, commit = load_request(command.raw), load_commit(entry.raw)
        if amendment.kind == "as_ruled" and commit.n == first:
            chosen += [RepeatedCommand(0, each) for each in _instead(found, request)]
        elif commit.outcome in (ACCEPTED, SEALED) and request.type not in NOT_TAKEN:
            chosen.append(RepeatedCommand(commit.n, _again(found, request)))
    return source, chosen


def _again(found: Proposal, request: Request) -> Request:
    """Return an old command for the new line; a ruling that answered a contest there only rules here."""
    data = {name: value for name, value in request.data.items() if name != "contest"}
    return replace(request, encounter=found.encounter, data=data, batch=None)


def _instead(found: Proposal, contested: Request) -> Iterator[Request]:
    for number, each in enumerate(unsealed(found.amendment.instead)):
        by = contested.actor if each.by == "sender" else Actor(seat=GM, role=GM)
        seed = f"{found.encounter}/{number}".encode()
        yield Request(
            encounter=found.encounter,
            type=each.type,
            at=contested.at,
            nonce=sha256(_LABEL + seed).hexdigest()[:32],
            actor=by,
            data=to_data(each.data),
        )


def _seated(
    reading: ContinuationReader,
    found: Proposal,
    seats: Mapping[str, Seat],
    commands: Sequence[RepeatedCommand],
) -> dict[str, Mapping[str, Seat]]:
    """Return who sat where when *commands* were given, by their numbers in the new line, where that changed.

    *seats* is who sits where when the line begins.
    """
    source, first, last = _range(reading, found)
    numbers = {each.old: number for number, each in enumerate(commands, 2) if each.old}
    if not numbers:
        return {}
    judged = reading.folder.at(source, 1).state.seats_by_command
    sat: dict[str, Mapping[str, Seat]] = {}
    table, known = Table(seats=seats), seats
    for entry in entries(reading.log.commits, source, first - 1, last):
        table = changed(table, seats=judged.get(str(entry.n), table.seats))
        if entry.n in numbers and table.seats != known:
            sat[str(numbers[entry.n])] = known = table.seats
        if _SEATS in entry.raw:
            for event in load_commit(entry.raw).events:
                kind = SEATING.get(event.get("type", ""))
                if kind is not None:
                    told = {name: value for name, value in event.items() if name != "type"}
                    table = from_data(kind, told).evolve(table)
    return sat


def opening(reading: ContinuationReader, found: Proposal, at: str) -> tuple[Request, list[RepeatedCommand]]:
    """Return the request that opens the line of a proposal, and the commands that follow it."""
    begun = line_start(reading, found)
    source, commands = repeated_commands(reading, found)
    state = changed(begun.state, seats_by_command=_seated(reading, found, begun.state.seats, commands))
    everybody, _ = split_sealed(state)
    data = {
        "encounter": found.encounter,
        "edition": begun.state.edition,
        "digest": begun.state.digest,
        "dice": to_data(begun.state.dice),
        "origin": to_data(begun.state.origin),
        "source": source,
        "plan": [each.old for each in commands],
        "state": everybody.data,
        "orders": to_data(everybody.orders),
        "occasions": list(begun.occasions),
        "links": list(begun.links),
    }
    nonce = sha256(_LABEL + found.encounter.encode()).hexdigest()[:32]
    gm = Actor(seat=GM, role=GM)
    return Request(found.encounter, BeginLine.type, at, nonce, gm, data), commands
