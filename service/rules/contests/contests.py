"""Contests of a commit or roll, and the GM's answers; both are ordinary commands and events.

A contest names what everybody can see: a commit, an event in it or a roll. The GM ends it in one of three
ways: upheld, repaired by effects from now on (the ruleset's `gm_ruling`), or decided again from that commit
(`amendments.py`). The reader of the record checks that the commit exists before the command is accepted.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final

from service.rules.kernel.messages import Actor, Command, Emits, Event, Refused
from service.rules.kernel.records import changed, record, with_key
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.values import (
    Claim,
    CommitNumber,
    ContestedEvent,
    ContestedRoll,
    ContestId,
    Decision,
    Ordinal,
    Reason,
    RollId,
    SeatId,
)
from service.rules.table.disputes import Contest, Ending
from service.rules.table.table import GM, Table

TABLE_CONTEST_1: Final = Rule(
    "TABLE-CONTEST-1",
    "The GM and every player may contest what everybody can see; play goes on until the GM answers.",
    RULING,
)
TABLE_CONTEST_2: Final = Rule(
    "TABLE-CONTEST-2",
    "The GM may uphold what happened; the explanation of the commit gives the reason.",
    RULING,
)


TEXT_LENGTH: Final = 1000
MOST_OPEN: Final = 20
"""Contests one seat may have open at once."""


@record
class ContestOpened(Event[Table]):
    """A seat contests a moment: a commit, an event in it by its index, or a roll by its name."""

    type: ClassVar[str] = "contest_opened"
    decides: ClassVar[str] = "contest"
    plays: ClassVar[bool] = False
    contest: ContestId
    seat: SeatId
    commit: CommitNumber
    event: ContestedEvent | None
    roll: ContestedRoll | None
    claim: Claim

    def evolve(self, state: Table) -> Table:
        made = Contest(
            seat=self.seat,
            line=state.encounter,
            commit=self.commit,
            event=self.event,
            roll=self.roll,
            claim=self.claim,
        )
        return changed(state, contests=with_key(state.contests, self.contest, made))


@record
class ContestClosed(Event[Table]):
    """The GM answered a contest; if it is `upheld`, the explanation of the commit gives the reason."""

    type: ClassVar[str] = "contest_closed"
    decides: ClassVar[str] = "contest"
    plays: ClassVar[bool] = False
    contest: ContestId
    ending: Ending
    """How the contest was answered."""
    decision: Decision
    reason: Reason

    def evolve(self, state: Table) -> Table:
        closed = changed(
            state.contests[self.contest], status=self.ending, decision=self.decision, reason=self.reason
        )
        return changed(state, contests=with_key(state.contests, self.contest, closed))


@enforces(TABLE_CONTEST_1)
@record
class OpenContest(Command[Table]):
    """Contest a commit, an event or a roll that everybody can see; play goes on until the GM answers."""

    type: ClassVar[str] = "contest"
    sentence: ClassVar[str] = "Contest it"
    commit: CommitNumber
    claim: Claim
    event: Ordinal | None = None
    """The event's index in the commit."""
    roll: RollId | None = None
    """The roll's name: `epoch/lane/stream#place`."""

    def check(self, view: Table) -> None:
        check_text(self.claim, "a claim")
        mine = [c for c in view.contests.values() if c.seat == self.by.seat and c.status == "open"]
        if len(mine) >= MOST_OPEN:
            raise Refused(
                "too_many_contests", f"{self.by.seat} has {MOST_OPEN} contests open", TABLE_CONTEST_1.id
            )

    def decide(self, state: Table) -> Emits[Table]:
        return (
            yield ContestOpened(
                contest=f"c{len(state.contests) + 1}",
                seat=self.by.seat,
                commit=self.commit,
                event=self.event,
                roll=self.roll,
                claim=self.claim,
                because=("TABLE-CONTEST-1",),
            )
        )


@enforces(TABLE_CONTEST_2)
@record
class Uphold(Command[Table]):
    """Uphold what happened, as the GM; the explanation of the commit gives the reason."""

    type: ClassVar[str] = "uphold"
    contest: ContestId
    decision: Decision
    reason: Reason = ""

    def check(self, view: Table) -> None:
        gm_alone(self.by)
        open_contest(view, self.contest)
        check_text(self.decision, "a decision")

    def decide(self, state: Table) -> Emits[Table]:
        state = yield from close(self.contest, "upheld", self.decision, self.reason)
        return state


def gm_alone(by: Actor) -> None:
    """Raise `Refused` for everybody but the GM."""
    if by.role != GM:
        raise Refused("not_gm", f"{by.seat} is not the gm")


def open_contest(view: Table, contest: str) -> Contest:
    """Return the contest if it is open; raises `Refused`."""
    found = view.contests.get(contest)
    if found is None:
        raise Refused("no_such_contest", f"there is no contest {contest}", "TABLE-CONTEST-2")
    if found.status != "open":
        raise Refused("contest_answered", f"{contest} was answered: {found.status}", "TABLE-CONTEST-2")
    return found


def check_text(text: str, what: str, *, least: int = 1, rule_id: str | None = None) -> None:
    """Raise `Refused` for text shorter than *least* or longer than `TEXT_LENGTH`, citing *rule_id*."""
    if not least <= len(text) <= TEXT_LENGTH:
        raise Refused("params_missing", f"{what} has {least} to {TEXT_LENGTH} characters", rule_id)


def close(contest: str, ending: Ending, decision: str, reason: str) -> Emits[Any]:
    """Emit the answer to a contest."""
    return (
        yield ContestClosed(
            contest=contest,
            ending=ending,
            decision=decision,
            reason=reason,
            because=("TABLE-CONTEST-2",),
        )
    )
