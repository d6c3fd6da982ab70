"""Give the GM's ruling one shape in every book: a decision, its reason, and effects of the book's own.

A ruling works forward: nothing on the record is changed, and what it does runs through the rules like
anything else. A book adds its kinds, its effects and what follows from them.
"""

from __future__ import annotations

from typing import ClassVar, Final, TypeVar

from service.rules.contests import close, open_contest, said
from service.rules.messages import Command, Emits, Event, Refused
from service.rules.records import record
from service.rules.table import Table

T = TypeVar("T", bound=Table)

MOST_EFFECTS: Final = 100


@record
class GmRulingRecorded(Event[T]):
    """The GM ruled: on what, how, and why; a book adds the effects."""

    abstract: ClassVar[bool] = True
    type: ClassVar[str] = "gm_ruling_recorded"
    ruling: str
    kind: str
    subject: str | None
    decision: str
    reason: str
    seat: str


@record
class RulingOfGm(Command[T]):
    """The GM rules; a book adds the effects that follow."""

    abstract: ClassVar[bool] = True
    type: ClassVar[str] = "gm_ruling"
    kind: str
    decision: str
    reason: str = ""
    subject: str | None = None
    """What it is about: a creature, a side, a command's number, a place."""
    contest: str | None = None
    """The contest that it answers: what went wrong is mended by its effects."""

    def check_contest(self, view: T) -> None:
        """Refuse to answer a contest that is not open."""
        if self.contest is not None:
            open_contest(view, self.contest)

    def close_contest(self, state: T) -> Emits[T]:
        """Tell that the contest it answers is answered, if it answers one."""
        if self.contest is None:
            return state
        after: T = yield from close(self.contest, "effects", self.decision, self.reason)
        return after


def check_words(decision: str, reason: str, rule_id: str | None = None) -> None:
    """Refuse a ruling that says nothing or goes on for ever."""
    said(decision, "a decision", rule_id=rule_id)
    said(reason, "a reason", least=0, rule_id=rule_id)


def check_effects(number: int, fault: str | None, rule_id: str | None = None) -> None:
    """Refuse more effects than a ruling has, and one that cannot be: *fault* says why."""
    if number > MOST_EFFECTS:
        raise Refused("effect_not_possible", f"at most {MOST_EFFECTS} effects", rule_id)
    if fault is not None:
        raise Refused("effect_not_possible", fault, rule_id)
