"""Mend what went wrong by effects that work forward: the GM's word, recorded with everything it does.

Nothing announced is rewritten. The effects run through the rules like any other damage, healing or condition,
so a wound that follows from them is rolled.
"""

from __future__ import annotations

from typing import ClassVar, Final, Literal

from service.rules.contests.contests import check_text
from service.rules.contests.gm_rulings import GmRulingRecorded, RulingOfGm, check_effects
from service.rules.kernel.messages import Emits, Event, Refused
from service.rules.kernel.records import changed, record
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.values import Code, Count
from service.rules.rise.acting.mending import Mendings, effects_fault
from service.rules.rise.body.effects import let_go
from service.rules.rise.creatures.permission import gm
from service.rules.rise.creatures.state import State
from service.rules.rolls.chance import Chance
from service.rules.table.stack import Frame

RI_GM_4: Final = Rule(
    "RI-GM-4",
    "The GM may correct a mistake by effects that work from now on; nothing recorded is changed.",
    RULING,
)

Kind = Literal["damage", "effect", "environment", "correction", "other"]


@record
class CorrectionFrame(Frame[State]):
    """The effects of a ruling that are still to come."""

    kind: ClassVar[str] = "correction"
    effects: Mendings
    done: Count = 0
    """How many of its effects are done."""

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        state = yield from self.effects[0].said(state, chance, self.done)
        state = yield from let_go(state)
        return (yield CorrectionTaken(correction=self.path, because=("RI-GM-4",)))


@record
class CorrectionMade(GmRulingRecorded[State]):
    """The GM ruled: on what, how, why, and with which effects."""

    kind: Kind
    """The kind: which of those listed."""
    effects: Mendings

    def evolve(self, state: State) -> State:
        if not self.effects:
            return state
        return state.pushed(CorrectionFrame(path=self.ruling, effects=self.effects))


@record
class CorrectionTaken(Event[State]):
    """One effect of a ruling is done."""

    type: ClassVar[str] = "correction_taken"
    correction: Code
    """The id of the correction."""

    def evolve(self, state: State) -> State:
        frame = state.top_frame(CorrectionFrame)
        if len(frame.effects) == 1:
            return state.popped(self.correction)
        return state.put(changed(frame, effects=frame.effects[1:], done=frame.done + 1))


@enforces(RI_GM_4)
@record
class GmRuling(RulingOfGm[State]):
    """Rule as the GM, with effects that mend what went wrong, from now on."""

    kind: Kind
    """The kind: which of those listed."""
    effects: Mendings = ()

    def check(self, view: State) -> None:
        gm(self)
        if view.worlds:  # also those of which the GM sees nothing
            raise Refused(
                "groups_still_resolving", "groups act apart; rule when they have been announced", RI_GM_4.id
            )
        check_text(self.decision, "a decision")
        self.check_contest(view)
        check_effects(len(self.effects), effects_fault(view, self.effects))

    def decide(self, state: State) -> Emits[State]:
        state = yield from self.close_contest(state)
        return (
            yield CorrectionMade(
                ruling=f"r{state.round}/correction/{len(state.stacks.table)}",
                kind=self.kind,
                subject=self.subject,
                decision=self.decision,
                reason=self.reason,
                seat=self.by.seat,
                effects=self.effects,
            )
        )
