"""Continue otherwise from an earlier moment: proposed, shown, then accepted or dropped; undo and redo alike.

History is never edited. What the GM proposes is decided in a line of its own, by the same rules and with the
same dice wherever the same is thrown (`lines.py`). Accepting it ends this line, which stays as it was played,
and names the other. Each proposal is on the record and is given an epoch that no round uses, so nobody aims
dice by proposing again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from service.rules.contests import close, gm_alone, open_contest, said
from service.rules.disputes import Amendment, Instead, Kind
from service.rules.messages import Command, Event, Offer, Refused, Tale
from service.rules.records import changed, record
from service.rules.rulebook import rule
from service.rules.stack import Awaited, Stacks
from service.rules.table import Table

MOST_INSTEAD: Final = 20


# --- facts -----------------------------------------------------------------------------------------------


@record
class AmendmentProposed(Event[Table]):
    """The GM proposes to continue from before a commit; dice that come of it have an epoch of their own."""

    type: ClassVar[str] = "amendment_proposed"
    amendment: str
    kind: Kind
    commit: int
    epoch: int
    contest: str | None
    decision: str
    reason: str
    instead: tuple[Instead, ...]
    line: str = ""
    """The earlier line in which the commit stands, where it is not this one."""

    def evolve(self, state: Table) -> Table:
        made = Amendment(
            id=self.amendment,
            kind=self.kind,
            commit=self.commit,
            epoch=self.epoch,
            contest=self.contest,
            decision=self.decision,
            reason=self.reason,
            line=self.line,
            instead=self.instead,
        )
        return changed(state, amendment=made, amendments=state.amendments + 1, spent=self.epoch)


@record
class AmendmentDropped(Event[Table]):
    """The GM lets a proposal go; this line goes on."""

    type: ClassVar[str] = "amendment_dropped"
    amendment: str

    def evolve(self, state: Table) -> Table:
        return changed(state, amendment=None)


@record
class Head:
    """Where a line of play stood: the number and hash of its last commit."""

    n: int
    hash: str


@record
class Continued(Event[Table]):
    """The encounter goes on in another line of play; this one stays as it was played."""

    type: ClassVar[str] = "continued"
    encounter: str
    head: Head
    amendment: str

    def evolve(self, state: Table) -> Table:
        return changed(state, continued=self.encounter, amendment=None, closed=True, stacks=Stacks())


# --- commands --------------------------------------------------------------------------------------------


@rule("TABLE-AMEND-1", "service ruling")
@record
class Amend(Command[Table]):
    """The GM may answer a contest by having the fight decided again from that commit, as it should be."""

    type: ClassVar[str] = "amend"
    contest: str
    decision: str
    instead: tuple[Instead, ...]
    """What is taken in place of the contested command; nothing leaves it out."""
    reason: str = ""

    def check(self, view: Table) -> None:
        gm_alone(self.by)
        contest = open_contest(view, self.contest)
        if contest.encounter != view.encounter:
            raise Refused("other_line", f"{self.contest} is about another line of play")
        said(self.decision, "a decision")
        said(self.reason, "a reason", least=0)
        if len(self.instead) > MOST_INSTEAD:
            raise Refused("params_missing", f"at most {MOST_INSTEAD} commands")

    def decide(self, state: Table) -> Tale[Table]:
        return (
            yield proposed(
                state,
                "as_ruled",
                state.contests[self.contest].commit,
                reason=self.reason,
                answer=self,
            )
        )


@record
class Undo(Command[Table]):
    """Take back everything from a commit on, of this line or of one that it goes on from."""

    type: ClassVar[str] = "undo"
    commit: int
    reason: str = ""
    line: str = ""
    """The earlier line in which the commit stands; nothing may have been played since."""

    def check(self, view: Table) -> None:
        gm_alone(self.by)
        said(self.reason, "a reason", least=0)
        not_the_opening(self.commit)
        if self.line and (view.origin is None or self.line == view.encounter):
            raise Refused("other_line", "this line does not go on from that one", "TABLE-AMEND-2")

    def decide(self, state: Table) -> Tale[Table]:
        return (yield proposed(state, "undo", self.commit, reason=self.reason, line=self.line))


@record
class Redo(Command[Table]):
    """Take again what the last undo has taken back that was not taken again yet."""

    type: ClassVar[str] = "redo"
    reason: str = ""

    def check(self, view: Table) -> None:
        gm_alone(self.by)
        said(self.reason, "a reason", least=0)
        if view.origin is None or not view.origin.levels:
            raise Refused("nothing_to_redo", "no undo leads to where this line begins", "TABLE-AMEND-2")

    def decide(self, state: Table) -> Tale[Table]:
        return (yield proposed(state, "redo", 0, reason=self.reason))


@rule("TABLE-AMEND-3", "service ruling")
@record
class AcceptAmendment(Command[Table]):
    """An accepted proposal ends this line, which stays readable as it was played, and names its successor."""

    type: ClassVar[str] = "accept_amendment"
    amendment: str
    version: int
    """The version of this line that was compared."""
    encounter: str
    head: Head
    """Where the new line stood when it was compared."""

    def check(self, view: Table) -> None:
        gm_alone(self.by)
        pending(view, self.amendment)

    def decide(self, state: Table) -> Tale[Table]:
        found = pending(state, self.amendment)
        if found.contest is not None:
            state = yield from close(found.contest, "as_ruled", found.decision, found.reason)
        return (
            yield Continued(
                encounter=self.encounter,
                head=self.head,
                amendment=self.amendment,
                because=("TABLE-AMEND-3",),
            )
        )

    @classmethod
    def offers(cls, view: Table, awaited: Awaited) -> Iterator[Offer]:
        yield from ()


@record
class DropAmendment(Command[Table]):
    """Let a proposal go: the line as played goes on, with dice that the proposal did not show."""

    type: ClassVar[str] = "drop_amendment"
    amendment: str

    def check(self, view: Table) -> None:
        gm_alone(self.by)
        pending(view, self.amendment)

    def decide(self, state: Table) -> Tale[Table]:
        return (yield AmendmentDropped(amendment=self.amendment, because=("TABLE-AMEND-3",)))


# --- rules -----------------------------------------------------------------------------------------------


@rule("TABLE-AMEND-2", "service ruling")
def not_the_opening(commit: int) -> None:
    """Everything but the opening can be undone, and what was undone be taken again with the same dice."""
    if commit < 2:
        raise Refused("opening_stands", "the opening cannot be taken back")


def proposed(
    state: Table,
    kind: Kind,
    commit: int,
    *,
    reason: str = "",
    line: str = "",
    answer: Amend | None = None,
) -> AmendmentProposed:
    """Return the fact of a proposal, with the epoch from which its new dice come."""
    return AmendmentProposed(
        amendment=f"a{state.amendments + 1}",
        kind=kind,
        commit=commit,
        epoch=max(state.epoch, state.spent) + 1,
        contest=answer.contest if answer else None,
        decision=answer.decision if answer else "",
        reason=reason,
        line=line,
        instead=answer.instead if answer else (),
        because=("TABLE-AMEND-1",) if kind == "as_ruled" else ("TABLE-AMEND-2",),
    )


def pending(view: Table, amendment: str) -> Amendment:
    """Return the proposal if it is the one at hand."""
    found = view.amendment
    if found is None or found.id != amendment:
        raise Refused("no_such_amendment", f"{amendment} is not proposed now", "TABLE-AMEND-3")
    return found
