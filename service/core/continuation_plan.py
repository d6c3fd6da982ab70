"""Plan a new line of play: the commands that it repeats from the old one, and the request that opens it.

A command is repeated as it was given: its seat, its time and its data. Refused commands are not repeated, nor
those about contests, proposals and seats. A draft judges each command by the seats of its time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Final

from service.core.continuation import ContinuationReader, Proposal, line_start
from service.core.lineage import NOT_PLAYED, entries, undone
from service.record.commit import ACCEPTED, SEALED, Request, load_commit, load_request
from service.record.subjects import SEATING, SEATS, events_about
from service.rules.contests.continuing import BeginLine, split_sealed
from service.rules.kernel.codec import from_data, to_data
from service.rules.kernel.messages import Actor
from service.rules.kernel.records import changed
from service.rules.kernel.sealed import unsealed
from service.rules.rolls.seeding import CommitSeed, RevealSeed, WaiveSeed
from service.rules.table.table import GM, Seat, Table

_LABEL: Final = b"rewound/line/1\x00"
SEEDING: Final = (CommitSeed.type, WaiveSeed.type, RevealSeed.type)
"""Commands that a new line does not repeat, because it inherits the last seeding of the old line's dice."""
NOT_REPEATED: Final = frozenset((*NOT_PLAYED, *SEEDING))


@dataclass(frozen=True)
class RepeatedCommand:
    """A command of the new line: its request, and the old command's number, 0 if the ruling added it."""

    old: int
    request: Request


def _range(reading: ContinuationReader, found: Proposal) -> tuple[str, int, int]:
    """Return the encounter whose commands the new line repeats, and the first and last of their numbers."""
    if found.amendment.kind == "redo":
        part = undone(reading, found.parent)[0]
        return part.line, part.first, part.last
    return found.parent, found.amendment.commit, found.n


def repeated_commands(reading: ContinuationReader, found: Proposal) -> tuple[str, list[RepeatedCommand]]:
    """Return the encounter whose commands the new line repeats, and these commands in order."""
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
        elif commit.outcome in (ACCEPTED, SEALED) and request.type not in NOT_REPEATED:
            chosen.append(RepeatedCommand(commit.n, _repeated(found, request)))
    return source, chosen


def _repeated(found: Proposal, request: Request) -> Request:
    """Return an old command as a request to the new line, without the contest that it answered there."""
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
    """Return the seats at the time of each of *commands* where they changed, by its number in the new line.

    *seats* are the seats with which the line begins.
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
        for event in events_about(entry.raw, SEATS).values():
            fields = {name: value for name, value in event.items() if name != "type"}
            table = from_data(SEATING[event["type"]], fields).evolve(table)
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
