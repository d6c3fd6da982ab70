"""Begin and end combat by the GM's word, and let rounds go by in which nobody can act."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Literal

from service.rules.messages import Command, Event, Offer, Refused, Tale
from service.rules.records import EMPTY, changed, record
from service.rules.rise.permission import gm
from service.rules.rise.rulings import ruling
from service.rules.rise.state import State
from service.rules.rulebook import rule
from service.rules.stack import Awaited


@record
class CombatStarted(Event[State]):
    """Combat begins with this phase."""

    type: ClassVar[str] = "combat_started"
    start_phase: Literal["movement", "action"]
    unaware: tuple[str, ...]
    partly_unaware: tuple[str, ...] = ()

    def evolve(self, state: State) -> State:
        state = changed(state, stage="round_start", start_phase=self.start_phase)
        for name in self.unaware:
            state = state.with_creature(name, unaware_of=others(state, name))
        for name in self.partly_unaware:
            state = state.with_creature(name, partly_unaware_of=others(state, name))
        return state


def others(state: State, name: str) -> tuple[str, ...]:
    """Return who fights on another side than *name*."""
    side = state.creatures[name].sheet.side
    return tuple([n for n, creature in state.creatures.items() if creature.sheet.side != side])


@record
class RoundForced(Event[State]):
    """The GM lets another round go by."""

    type: ClassVar[str] = "round_forced"

    def evolve(self, state: State) -> State:
        return changed(state, stage="round_end", step=11)


@record
class CombatEnded(Event[State]):
    """Combat is over; what was unfinished is dropped."""

    type: ClassVar[str] = "combat_ended"
    reason: str

    def evolve(self, state: State) -> State:
        stacks = changed(state.stacks, table=state.stacks.table[:1])
        return changed(state, stage="ended", stacks=stacks, worlds=EMPTY, hidden_swift=EMPTY)


@rule("RI-ROUND-4", "R4/R5 Surprise Attacks")
@record
class StartCombat(Command[State]):
    """Whoever starts a fight by surprise picks its first phase; those who see it not coming are unaware."""

    type: ClassVar[str] = "start_combat"
    start_phase: Literal["movement", "action"] = "movement"
    unaware: tuple[str, ...] = ()
    partly_unaware: tuple[str, ...] = ()
    """Who knows of danger, but not where it comes from."""

    def check(self, view: State) -> None:
        gm(self)
        if view.stage != "setup":
            raise Refused("wrong_step", "combat has begun already")
        for name in (*self.unaware, *self.partly_unaware):
            if name not in view.creatures:
                raise Refused("no_such_creature", f"there is no creature {name}", "TABLE-SEAT-1")

    def decide(self, state: State) -> Tale[State]:
        surprised = (*self.unaware, *self.partly_unaware)
        state = yield from ruling(state, "combat_start", surprised, self.start_phase)
        return (
            yield CombatStarted(
                start_phase=self.start_phase, unaware=self.unaware, partly_unaware=self.partly_unaware
            )
        )

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        if view.stage == "setup":
            yield Offer(type=cls.type, choices={"start_phase": ("movement", "action")})


@record
class EndCombat(Command[State]):
    """End combat by the GM's word."""

    type: ClassVar[str] = "end_combat"
    reason: str = "called by the gm"

    def check(self, view: State) -> None:
        gm(self)
        if view.stage in ("setup", "ended"):
            raise Refused("wrong_step", "there is no combat to end", "RI-ROUND-5")

    def decide(self, state: State) -> Tale[State]:
        return (yield CombatEnded(reason=self.reason, because=("RI-ROUND-5",)))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        yield Offer(type=cls.type)


@record
class NextRound(Command[State]):
    """Let a round go by in which nobody is able to act."""

    type: ClassVar[str] = "next_round"

    def check(self, view: State) -> None:
        gm(self)
        if view.phase:
            raise Refused("phase_not_ready", f"the {view.phase} phase waits for who can act", "RI-PHASE-6")
        if view.stage != "idle":
            raise Refused("wrong_step", "no round is there to go by", "RI-ROUND-5")

    def decide(self, state: State) -> Tale[State]:
        return (yield RoundForced(because=("RI-ROUND-5",)))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        if view.stage == "idle":
            yield Offer(type=cls.type)
