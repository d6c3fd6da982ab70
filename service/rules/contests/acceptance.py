"""Continue an encounter in an accepted line of play, and disclose the links that the proposal withheld.

A proposed line discloses no link (`closing.py`) and rolls only the old line's dice and those of the
proposal's epoch (`draws.py`). An accepted line takes seats and contests from the end of the old line,
regardless of what was undone or redone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final, TypeVar

from service.rules.kernel.messages import Command, Emits, Event, Refused
from service.rules.kernel.records import EMPTY, changed, record
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.values import Code, EncounterId, SeatId
from service.rules.rolls.chance import Chance
from service.rules.rolls.closing import disclose
from service.rules.table.disputes import Contest
from service.rules.table.stack import Frame
from service.rules.table.table import CLOCK, Seat, Table

TABLE_AMEND_4: Final = Rule(
    "TABLE-AMEND-4",
    "An accepted line discloses the links that are due, and takes over the current seats and contests.",
    RULING,
)


S = TypeVar("S", bound=Table)

PATH = "accepted"
BECAUSE = ("TABLE-AMEND-4",)


@record
class LineAccepted(Event[Table]):
    """This line was accepted: the encounter continues in it, with the current seats and contests."""

    type: ClassVar[str] = "line_accepted"
    decides: ClassVar[str] = "line"
    parent: EncounterId
    """The line that accepted it."""
    seats: Mapping[SeatId, Seat]
    """The seats, by id."""
    contests: Mapping[Code, Contest]
    """The contests, by id."""

    def evolve(self, state: Table) -> Table:
        state = changed(state, draft=False, seats_by_command=EMPTY, seats=self.seats, contests=self.contests)
        return state.pushed(DisclosingFrame(path=PATH)) if state.undisclosed_epochs else state


@record
class DueDisclosed(Event[Table]):
    """Every link that was due is disclosed."""

    type: ClassVar[str] = "due_disclosed"

    def evolve(self, state: Table) -> Table:
        return state.popped(PATH)


@record
class DisclosingFrame(Frame[Table]):
    """Discloses the links of the epochs that ended while the line was proposed, in order."""

    kind: ClassVar[str] = "disclosing"

    def advance(self, state: Table, chance: Chance) -> Emits[Table]:
        for epoch in state.undisclosed_epochs:
            state = yield from disclose(state, epoch, chance)
        return (yield DueDisclosed(because=BECAUSE))


def taking(state: S, n: int) -> S:
    """Return the state in which command *n* is decided; a proposed line uses the seats of that time."""
    seats = state.seats_by_command.get(str(n)) if state.draft else None
    return state if seats is None else changed(state, seats=seats)


@enforces(TABLE_AMEND_4)
@record
class AcceptLine(Command[Table]):
    """Make a proposed line the line of play, as the service."""

    type: ClassVar[str] = "accept_line"
    bounded: ClassVar[bool] = False
    parent: EncounterId
    seats: Mapping[SeatId, Seat]
    contests: Mapping[Code, Contest]

    def check(self, view: Table) -> None:
        if self.by.role != CLOCK:
            raise Refused(
                "not_gm",
                f"the service itself sends {self.type}: accept the proposal with accept_amendment",
                TABLE_AMEND_4.id,
            )
        if not view.draft:
            raise Refused("already_open", "this line is not proposed", TABLE_AMEND_4.id)

    def decide(self, state: Table) -> Emits[Table]:
        return (
            yield LineAccepted(parent=self.parent, seats=self.seats, contests=self.contests, because=BECAUSE)
        )
