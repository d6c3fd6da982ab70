"""Plan a new line of play: the commands that it repeats from the old one, and the request that begins it.

A command is repeated as it was given: its seat, its time and its data. Refused commands are not repeated, nor
those about contests, proposals and seats. A draft judges each command by the seats of its time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Final

from service.core.continuation import ContinuationReader, Proposal, line_start
from service.core.lineage import NOT_PLAYED, entries
from service.record.commit import ACCEPTED, SEALED, Commit, Request, load_commit, load_request
from service.rules.contests.acceptance import taking
from service.rules.contests.continuing import LINE_OWN, BeginLine, split_sealed
from service.rules.kernel.codec import to_data
from service.rules.kernel.messages import Actor
from service.rules.kernel.records import changed
from service.rules.kernel.sealed import unsealed
from service.rules.rolls.seeding import CommitSeed, RevealSeed, WaiveSeed
from service.rules.table.table import CLOCK, GM, Seat

_LABEL: Final = b"rewound/line/1\x00"
SEEDING: Final = (CommitSeed.type, WaiveSeed.type, RevealSeed.type)
"""Commands that a new line does not repeat, because it inherits the last seeding of the old line's dice."""
NOT_REPEATED: Final = frozenset((*NOT_PLAYED, *SEEDING))


@dataclass(frozen=True)
class RepeatedCommand:
    """A command of the new line: its request, and the old command's number, 0 if the ruling added it."""

    old: int
    request: Request


def planned(reading: ContinuationReader, found: Proposal) -> list[RepeatedCommand]:
    """Return the commands that the new line repeats from the line that proposed it, in order.

    An undo repeats none, and neither does a redo: its record has what it restores.
    """
    amendment = found.amendment
    if amendment.kind != "as_ruled":
        return []
    source, first = found.parent, amendment.commit
    chosen: list[RepeatedCommand] = []
    commands = entries(reading.log.commands, source, first - 1, found.n)
    commits = entries(reading.log.commits, source, first - 1, found.n)
    for command, entry in zip(commands, commits, strict=False):
        request, commit = load_request(command.raw), load_commit(entry.raw)
        if commit.n == first:
            chosen += [RepeatedCommand(0, each) for each in _instead(found, request)]
        elif is_played(request, commit):
            chosen.append(RepeatedCommand(commit.n, _repeated(found, request)))
    return chosen


def is_played(request: Request, commit: Commit) -> bool:
    """Return whether a command is repeated: not refused, and not about contests, proposals and seats."""
    return commit.outcome in (ACCEPTED, SEALED) and request.type not in NOT_REPEATED


def _repeated(found: Proposal, request: Request) -> Request:
    """Return an old command as a request to the new line, without the contest that it answered there."""
    data = {name: value for name, value in request.data.items() if name != "contest"}
    return replace(request, encounter=found.encounter, data=data, batch=None)


def _instead(found: Proposal, contested: Request) -> Iterator[Request]:
    """Yield what a ruling puts in place of a command; what the service itself had sent, the gm sends."""
    for number, each in enumerate(unsealed(found.amendment.instead)):
        is_theirs = each.by == "sender" and contested.actor.seat != CLOCK
        by = contested.actor if is_theirs else Actor(seat=GM, role=GM)
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
    reading: ContinuationReader, found: Proposal, seats: Mapping[str, Seat], numbers: Mapping[int, int]
) -> dict[str, Mapping[str, Seat]]:
    """Return the seats at the time of each repeated command where they changed, by its new number.

    *seats* are those with which the line begins; *numbers* has each old command's number in the new line.
    """
    if not numbers:
        return {}
    sat: dict[str, Mapping[str, Seat]] = {}
    first = found.amendment.commit
    known, before = seats, reading.folder.at(found.parent, first - 1).state
    for commit, after in reading.folder.steps(found.parent, first - 1, max(numbers)):
        judged_by = taking(before, commit.n).seats
        if commit.n in numbers and judged_by != known:
            sat[str(numbers[commit.n])] = known = judged_by
        before = after.state
    return sat


def opening(reading: ContinuationReader, found: Proposal, at: str) -> tuple[Request, list[RepeatedCommand]]:
    """Return the request that begins the line of a proposal, and the commands that follow it."""
    begun = line_start(reading, found)
    assert begun.state.origin is not None, "a line continues another"
    commands = planned(reading, found)
    numbers = {each.old: n for n, each in enumerate(commands, begun.state.origin.n + 2) if each.old}
    seated = _seated(reading, found, begun.state.seats, numbers)
    state = changed(begun.state, seats_by_command=seated)
    everybody, _ = split_sealed(state, LINE_OWN)
    data = {
        "encounter": found.encounter,
        "edition": begun.state.edition,
        "digest": begun.state.digest,
        "origin": to_data(begun.state.origin),
        "plan": [each.old for each in commands],
        "state": everybody.data,
        "orders": to_data(everybody.orders),
        "links": list(begun.links),
    }
    nonce = sha256(_LABEL + found.encounter.encode()).hexdigest()[:32]
    gm = Actor(seat=GM, role=GM)
    return Request(found.encounter, BeginLine.type, at, nonce, gm, data), commands
