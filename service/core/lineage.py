"""Find where lines of play begin and what an undo took back.

Laws. The record of a line has every commit of the path that led to it, so it is read by number like any
other. A line's own commits are those from its beginning on. A redo restores what one undo took back;
step-by-step redo returns the way that step-by-step undo went.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Protocol

from service.core.decide import BEGUN
from service.core.fold import Folder
from service.log import Log
from service.record.commit import ACCEPTED, SEALED, Request, load_commit, load_request
from service.rules.contests.acceptance import AcceptLine
from service.rules.contests.amendments import AcceptAmendment, Amend, DropAmendment, Redo, Undo
from service.rules.contests.contests import OpenContest, Uphold
from service.rules.contests.continuing import BeginLine
from service.rules.table.lines import FORK, Origin
from service.rules.table.seats import ChangeSeat, CloseSeat, IssueToken, OpenSeat, RemoveSeatKey, SetSeatKey

ABOUT_LINES: Final = tuple(
    kind.type for kind in (OpenContest, Uphold, Amend, Undo, Redo, AcceptAmendment, DropAmendment)
)
"""Commands about a line of play, not in it: no other line repeats them, and none begins with them."""
AT_THE_TABLE: Final = tuple(
    kind.type for kind in (OpenSeat, ChangeSeat, IssueToken, SetSeatKey, RemoveSeatKey, CloseSeat)
)
"""Commands about seats: no line takes them back, and none repeats them."""
OF_LINES: Final = (BeginLine.type, AcceptLine.type)
"""Commands of the service that begin and accept a line."""
NOT_PLAYED: Final = frozenset((*ABOUT_LINES, *AT_THE_TABLE, *OF_LINES))
"""Commands that do not change the fight."""
PAGE: Final = 500


class LineageReader(Protocol):
    """Reads a record."""

    @property
    def log(self) -> Log:
        """The record."""
        ...

    @property
    def folder(self) -> Folder:
        """Its folded states."""
        ...


@dataclass(frozen=True)
class LinePart:
    """Consecutive commits of a record."""

    line: str
    first: int
    last: int


def began(log: Log, line: str) -> int:
    """Return the number of the first commit of *line* that is not one of the line that it continues."""
    mark = log.marks_named(BEGUN, [line])[0]
    return 1 if mark is None else int(mark)


def beginning_request(log: Log, line: str) -> Request | None:
    """Return the request that began *line*, or a fork; None for another encounter."""
    entries_ = log.commands(line, began(log, line) - 1, 1)
    request = load_request(entries_[0].raw) if entries_ else None
    return request if request is not None and request.type == BeginLine.type else None


def origin_of(reading: LineageReader, line: str) -> Origin | None:
    """Return the origin of *line*; None if it continues no other."""
    origin: Origin | None = reading.folder.at(line, began(reading.log, line)).state.origin
    return origin


def repeated_commands(log: Log, line: str) -> int:
    """Return how many commands *line* repeated from another when it began."""
    begun = beginning_request(log, line)
    return 0 if begun is None else len(begun.data.get("plan", ()))


def is_played(reading: LineageReader, part: LinePart) -> bool:
    """Return whether *part* contains play, not only commands about lines and seats."""
    commands = entries(reading.log.commands, part.line, part.first - 1, part.last)
    commits = entries(reading.log.commits, part.line, part.first - 1, part.last)
    return any(
        load_commit(commit.raw).outcome in (ACCEPTED, SEALED)
        and load_request(command.raw).type not in NOT_PLAYED
        for command, commit in zip(commands, commits, strict=False)
    )


def is_as_begun(reading: LineageReader, line: str, upto: int) -> bool:
    """Return whether *line* contains no play beyond the commands that it repeated when it began."""
    first = began(reading.log, line) + 1 + repeated_commands(reading.log, line)
    return not is_played(reading, LinePart(line, first, upto))


def ends_redoing(reading: LineageReader, line: str, upto: int) -> bool:
    """Return whether a line contains play, up to a commit, since the undo or redo that began it."""
    origin = origin_of(reading, line)
    return origin is not None and bool(origin.levels) and not is_as_begun(reading, line, upto)


def undone(reading: LineageReader, line: str) -> list[LinePart]:
    """Return the parts that redos would restore where *line* begins, the next first: one for each undo.

    A part ends before the proposal of its undo.
    """
    steps: list[Origin] = []
    while (origin := origin_of(reading, line)) is not None and origin.levels and origin.kind != FORK:
        steps.append(origin)
        line = origin.proposed_in
    found: list[LinePart] = []
    for step in reversed(steps):
        if step.kind == "redo":
            found = found[1:]
        else:
            found = [LinePart(step.parent, step.n + 1, step.upto - 1), *found[: step.levels - 1]]
    return found


def levels(reading: LineageReader, line: str, upto: int, kind: str) -> int:
    """Return how many redos are possible after an undo or a redo in *line* at commit *upto*."""
    origin = origin_of(reading, line)
    known = origin.levels if origin is not None else 0
    if kind == "redo":
        return known - 1
    if kind != "undo":
        return 0
    return 1 + (known if known and is_as_begun(reading, line, upto) else 0)


def entries(read: Any, encounter: str, after: int, upto: int) -> Iterator[Any]:  # noqa: ANN401 - either stream's reader
    """Yield the entries *after* < n <= *upto* of a stream, page by page."""
    while after < upto:
        page = read(encounter, after, min(PAGE, upto - after))
        if not page:
            return
        yield from page
        after = page[-1].n
