"""Let a check or a save decide which effects follow: hazards, stunts, whatever the GM makes of a moment."""

from __future__ import annotations

from typing import ClassVar

from service.rules.heartrush.checks.challenge import challenge_number
from service.rules.heartrush.checks.checks import Against, CheckAsked, Checked, Checking, Leaning
from service.rules.heartrush.operations.effects import (
    MOST,
    Effect,
    EffectsBegun,
    EffectsFrame,
    faults,
    no_such,
)
from service.rules.heartrush.sheets.sheet import Ability
from service.rules.heartrush.state import State
from service.rules.kernel.messages import Awaited, Emits, Event
from service.rules.kernel.records import record
from service.rules.rolls.chance import Chance


@record
class TrialFrame(Checking):
    """A check or save under way, and the effects that wait for what it comes to."""

    kind: ClassVar[str] = "trial"
    success: tuple[Effect, ...]
    failure: tuple[Effect, ...]
    source: str | None
    cause: str
    rules: tuple[str, ...]
    checked: Checked | None = None

    def waiting(self, state: State) -> tuple[Awaited, ...]:
        return ()

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        assert self.checked is not None, "the check above it comes first"
        follows = self.success if self.checked.success else self.failure
        state = yield TrialDecided(trial=self.path, success=self.checked.success, because=self.rules)
        if not follows:
            return state
        return (
            yield EffectsBegun(
                effects=self.path, order=follows, source=self.source, cause=self.cause, because=self.rules
            )
        )


@record
class TrialBegun(Event[State]):
    """What follows depends on a check or a save."""

    type: ClassVar[str] = "trial_begun"
    trial: str
    success: tuple[Effect, ...]
    failure: tuple[Effect, ...]
    source: str | None
    cause: str

    def evolve(self, state: State) -> State:
        return state.pushed(
            TrialFrame(
                path=self.trial,
                success=self.success,
                failure=self.failure,
                source=self.source,
                cause=self.cause,
                rules=self.because,
            )
        )


@record
class TrialDecided(Event[State]):
    """The check or save is made: one of the two lists of effects follows."""

    type: ClassVar[str] = "trial_decided"
    trial: str
    success: bool

    def evolve(self, state: State) -> State:
        return state.popped(self.trial)


@record
class Trial(Effect):
    """Have a creature make a check or a save; other effects follow from its success or its failure."""

    kind: ClassVar[str] = "check"
    creature: str
    ability: Ability
    what: str
    cn: int | None = None
    against: Against | None = None
    save: bool = False
    advantage: int = 0
    success: tuple[Effect, ...] = ()
    failure: tuple[Effect, ...] = ()

    def fault(self, view: State) -> str | None:
        if (self.cn is None) == (self.against is None) or not 0 <= (self.cn or 0) <= MOST:
            return "a number of 0 or more, or whose number it is"
        if self.against is not None and self.against.creature not in view.creatures:
            return f"there is no creature {self.against.creature}"
        return no_such(view, self.creature) or faults(view, (*self.success, *self.failure))

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        if no_such(state, self.creature):
            return state
        against = self.against
        cn = self.cn if against is None else challenge_number(state.creatures[against.creature], against.by)
        path = frame.path_of("trial")
        state = yield TrialBegun(
            trial=path,
            success=self.success,
            failure=self.failure,
            source=frame.source,
            cause=frame.cause,
            because=frame.rules,
        )
        leaning = Leaning(levels=self.advantage, what=frame.cause, rule=frame.rules[0])
        return (
            yield CheckAsked(
                check=f"{path}/check",
                creature=self.creature,
                ability=self.ability,
                cn=cn,
                what=self.what,
                save=self.save,
                leanings=(leaning,) if leaning.levels else (),
                because=("HR-GEN-5", *frame.rules),
            )
        )
