"""The GM's ruling, which has one shape in every book: a decision, its reason, and the book's own effects.

A ruling changes nothing in the record: its effects apply from now on, by the rules. A book adds the kinds
and the effects.
"""

from __future__ import annotations

from typing import ClassVar, Final, TypeVar

from service.rules.contests.contests import close, open_contest
from service.rules.kernel.messages import Command, Emits, Event, Refused
from service.rules.kernel.records import record
from service.rules.kernel.values import (
    Code,
    ContestId,
    Decision,
    Reason,
    RulingId,
    SeatId,
    Subject,
    SubjectOf,
)
from service.rules.table.table import Table

T = TypeVar("T", bound=Table)

MOST_EFFECTS: Final = 100


@record
class GmRulingRecorded(Event[T]):
    """The GM ruled: the subject, the decision and the reason; a book adds the effects."""

    abstract: ClassVar[bool] = True
    type: ClassVar[str] = "gm_ruling_recorded"
    acts: ClassVar[bool] = True
    decides: ClassVar[str] = "ruling"
    ruling: RulingId
    """The id of the ruling."""
    kind: Code
    subject: SubjectOf | None
    decision: Decision
    reason: Reason
    seat: SeatId


@record
class RulingOfGm(Command[T]):
    """The GM rules; a book adds the effects that follow."""

    abstract: ClassVar[bool] = True
    type: ClassVar[str] = "gm_ruling"
    sentence: ClassVar[str] = "Give a ruling"
    kind: Code
    decision: Decision
    reason: Reason = ""
    subject: Subject | None = None
    """What the ruling is about: a creature, a side, a command's number or a place."""
    contest: ContestId | None = None
    """The contest that the ruling answers; its effects repair what went wrong."""

    def check_contest(self, view: T) -> None:
        """Raise `Refused` if the ruling answers a contest that is not open."""
        if self.contest is not None:
            open_contest(view, self.contest)

    def close_contest(self, state: T) -> Emits[T]:
        """Emit the answer to the contest, if the ruling answers one."""
        if self.contest is None:
            return state
        after: T = yield from close(self.contest, "effects", self.decision, self.reason)
        return after


def check_effects(number: int, fault: str | None, rule_id: str | None = None) -> None:
    """Raise `Refused` for more than `MOST_EFFECTS` effects, and for *fault*, if an effect has one."""
    if number > MOST_EFFECTS:
        raise Refused("effect_not_possible", f"at most {MOST_EFFECTS} effects", rule_id)
    if fault is not None:
        raise Refused("effect_not_possible", fault, rule_id)
