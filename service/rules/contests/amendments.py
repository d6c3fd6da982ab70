"""Amendments: proposals to continue from an earlier commit. They are accepted or dropped; undo and redo too.

History is never edited. A proposal is decided in its own line, by the same rules and with the same dice for
the same rolls (`lines.py`). Its acceptance ends this line, which stays unchanged and names the other. Each
proposal is recorded and gets an epoch that no round uses, so that nobody can choose dice by proposing again.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final, Literal, TypeVar

from service.rules.contests.contests import check_text, close, gm_alone, open_contest
from service.rules.kernel.messages import Command, Emits, Event, Private, Refused, Scope
from service.rules.kernel.records import Sealed, changed, record
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.values import (
    AmendmentId,
    CommitHash,
    CommitNumber,
    ContestId,
    Decision,
    EncounterId,
    Epoch,
    Occasion,
    Ordinal,
    Reason,
)
from service.rules.table.disputes import Amendment, Instead, Kind
from service.rules.table.stack import Stacks
from service.rules.table.table import GM, Table

TABLE_AMEND_1: Final = Rule(
    "TABLE-AMEND-1",
    "The GM may answer a contest by proposing to decide the fight again from the contested commit.",
    RULING,
)
TABLE_AMEND_3: Final = Rule(
    "TABLE-AMEND-3",
    "An accepted proposal ends this line, which stays readable and names the line that continues it.",
    RULING,
)
TABLE_AMEND_2: Final = Rule(
    "TABLE-AMEND-2", "Everything but the opening can be undone, and then redone with the same dice.", RULING
)
TABLE_AMEND_5: Final = Rule(
    "TABLE-AMEND-5",
    "Every change of the fight outdates a proposal; refused commands, contests and seats do not.",
    RULING,
)


S = TypeVar("S", bound=Table)

MOST_INSTEAD: Final = 20


# --- facts -----------------------------------------------------------------------------------------------


@record
class AmendmentProposed(Event[Table]):
    """The GM proposes to continue from before a commit; new dice come from the proposal's own epoch."""

    type: ClassVar[str] = "amendment_proposed"
    decides: ClassVar[str] = "amendment"
    plays: ClassVar[bool] = False
    amendment: AmendmentId
    kind: Kind
    """The kind, which says what the other members mean."""
    commit: CommitNumber
    epoch: Epoch
    contest: ContestId | None
    decision: Decision
    reason: Reason

    def evolve(self, state: Table) -> Table:
        made = Amendment(
            id=self.amendment,
            kind=self.kind,
            commit=self.commit,
            epoch=self.epoch,
            contest=self.contest,
            decision=self.decision,
            reason=self.reason,
        )
        return changed(state, amendment=made, amendments=state.amendments + 1, last_exposed_epoch=self.epoch)


@record
class AmendmentDetailed(Event[Table]):
    """The commands that replace the contested one; only the GM reads them, since they may be secret."""

    type: ClassVar[str] = "amendment_detailed"
    plays: ClassVar[bool] = False
    amendment: AmendmentId
    instead: tuple[Instead, ...]
    """The commands that replace the contested one."""

    def evolve(self, state: Table) -> Table:
        if state.amendment is None or state.amendment.id != self.amendment:
            return state
        scope = scope_of(self.amendment)
        sealed = Sealed(audience=scope.audience, opens=scope.opens, value=self.instead)
        return changed(state, amendment=changed(state.amendment, instead=sealed))


@record
class AmendmentDropped(Event[Table]):
    """A proposal is dropped or replaced; this line continues without the dice that the proposal showed."""

    type: ClassVar[str] = "amendment_dropped"
    decides: ClassVar[str] = "amendment"
    plays: ClassVar[bool] = False
    amendment: AmendmentId
    why: Literal["dropped", "superseded"] = "dropped"
    """Whether it was dropped, or replaced by a newer one."""

    def evolve(self, state: Table) -> Table:
        return changed(state, amendment=None, amendments_dropped=state.amendments_dropped + 1)


@record
class Head:
    """The head of a line of play: the number and hash of its last commit."""

    n: CommitNumber
    hash: CommitHash


@record
class Continued(Event[Table]):
    """The encounter continues in another line of play; this one stays unchanged."""

    type: ClassVar[str] = "continued"
    decides: ClassVar[str] = "line"
    encounter: EncounterId
    head: Head
    """The last commit of this line of play."""
    amendment: AmendmentId
    occasion: Occasion | None = None
    """Opens the replacing commands for all, if the new line hides none of them."""

    def evolve(self, state: Table) -> Table:
        return changed(state, continued=self.encounter, amendment=None, closed=True, stacks=Stacks())


# --- commands --------------------------------------------------------------------------------------------


@enforces(TABLE_AMEND_1)
@record
class Amend(Command[Table]):
    """Answer a contest, as the GM, by proposing to decide the fight again from the contested commit."""

    type: ClassVar[str] = "amend"
    contest: ContestId
    decision: Decision
    instead: tuple[Instead, ...]
    """The commands that replace the contested one; empty if it is left out."""
    reason: Reason = ""

    def check(self, view: Table) -> None:
        gm_alone(self.by)
        contest = open_contest(view, self.contest)
        if contest.line != view.encounter:
            raise Refused("other_line", f"{self.contest} is about another line of play", TABLE_AMEND_1.id)
        check_text(self.decision, "a decision")
        if len(self.instead) > MOST_INSTEAD:
            raise Refused("params_missing", f"at most {MOST_INSTEAD} commands", TABLE_AMEND_1.id)

    def decide(self, state: Table) -> Emits[Table]:
        commit = state.contests[self.contest].commit
        state = yield from propose(state, "as_ruled", commit, reason=self.reason, answer=self)
        assert state.amendment is not None
        detailed = AmendmentDetailed(
            amendment=state.amendment.id, instead=self.instead, because=("TABLE-AMEND-1",)
        )
        return (yield Private(scope=scope_of(state.amendment.id), event=detailed))


@record
class Undo(Command[Table]):
    """Undo everything from a commit on."""

    type: ClassVar[str] = "undo"
    commit: CommitNumber
    reason: Reason = ""

    def check(self, view: Table) -> None:
        gm_alone(self.by)
        not_the_opening(self.commit)

    def decide(self, state: Table) -> Emits[Table]:
        state = yield from propose(state, "undo", self.commit, reason=self.reason)
        return state


@record
class Redo(Command[Table]):
    """Redo what the last undo took back and no redo has restored."""

    type: ClassVar[str] = "redo"
    reason: Reason = ""

    def check(self, view: Table) -> None:
        gm_alone(self.by)
        if view.origin is None or not view.origin.levels:
            raise Refused("nothing_to_redo", "this line does not begin with an undo", "TABLE-AMEND-2")

    def decide(self, state: Table) -> Emits[Table]:
        state = yield from propose(state, "redo", 0, reason=self.reason)
        return state


@enforces(TABLE_AMEND_3)
@record
class AcceptAmendment(Command[Table]):
    """Accept a proposal, as the GM: this line ends, and the new one continues it."""

    type: ClassVar[str] = "accept_amendment"
    sentence: ClassVar[str] = "Accept the proposal"
    amendment: AmendmentId
    version: Ordinal
    """The version of this line that was compared."""
    encounter: EncounterId
    head: Head
    """The head of the new line when it was compared."""
    is_open: bool = False
    """Whether the new line hides nothing of the commands that replace the contested one."""

    def check(self, view: Table) -> None:
        gm_alone(self.by)
        if pending(view, self.amendment).outdated:
            raise Refused(
                "amendment_outdated",
                f"something was played since {self.amendment} was made: propose it again",
                TABLE_AMEND_3.id,
            )

    def decide(self, state: Table) -> Emits[Table]:
        found = pending(state, self.amendment)
        if found.contest is not None:
            state = yield from close(found.contest, "as_ruled", found.decision, found.reason)
        return (
            yield Continued(
                encounter=self.encounter,
                head=self.head,
                amendment=self.amendment,
                occasion=scope_of(self.amendment).opens if self.is_open else None,
                because=("TABLE-AMEND-3",),
            )
        )


@record
class DropAmendment(Command[Table]):
    """Drop a proposal: the line as played continues, with dice that the proposal did not show."""

    type: ClassVar[str] = "drop_amendment"
    amendment: AmendmentId

    def check(self, view: Table) -> None:
        gm_alone(self.by)
        pending(view, self.amendment)

    def decide(self, state: Table) -> Emits[Table]:
        return (yield AmendmentDropped(amendment=self.amendment, because=("TABLE-AMEND-3",)))


# --- rules -----------------------------------------------------------------------------------------------


@enforces(TABLE_AMEND_2)
def not_the_opening(commit: int) -> None:
    """Refuse to undo the opening."""
    if commit < 2:
        raise Refused("opening_stands", "the opening cannot be undone", TABLE_AMEND_2.id)


def propose(
    state: Table,
    kind: Kind,
    commit: int,
    *,
    reason: str = "",
    answer: Amend | None = None,
) -> Emits[Any]:
    """Emit a proposal with the epoch of its new dice; a pending proposal is dropped first."""
    if state.amendment is not None:
        gone = AmendmentDropped(amendment=state.amendment.id, why="superseded", because=("TABLE-AMEND-3",))
        state = yield gone
    return (
        yield AmendmentProposed(
            amendment=f"a{state.amendments + 1}",
            kind=kind,
            commit=commit,
            epoch=max(state.epoch, state.last_exposed_epoch) + 1,
            contest=answer.contest if answer else None,
            decision=answer.decision if answer else "",
            reason=reason,
            because=("TABLE-AMEND-1",) if kind == "as_ruled" else ("TABLE-AMEND-2",),
        )
    )


def scope_of(amendment: str) -> Scope:
    """Return the audience of the replacing commands, and the occasion that opens them for all."""
    return Scope(audience=(f"seat:{GM}",), opens=f"amendment/{amendment}")


def noted(before: Table, after: S, *, plays: bool) -> S:
    """Return the state *after* a command; if it *plays*, a proposal pending *before* is outdated."""
    standing = after.amendment
    if not plays or standing is None or before.amendment is None or standing.id != before.amendment.id:
        return after
    return outdated(after)


@enforces(TABLE_AMEND_5)
def outdated(state: S) -> S:
    """Return *state* with its proposal outdated."""
    assert state.amendment is not None
    return changed(state, amendment=changed(state.amendment, outdated=True))


def pending(view: Table, amendment: str) -> Amendment:
    """Return the pending proposal; raises `Refused` if its id is not *amendment*."""
    found = view.amendment
    if found is None or found.id != amendment:
        raise Refused("no_such_amendment", f"{amendment} is not proposed now", "TABLE-AMEND-3")
    return found
