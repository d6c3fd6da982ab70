"""Carry out effects that are data: damage, healing, conditions, movement and the like, one after the other.

Rulings and abilities both end here; the kinds of effect stand in `effect_kinds` and where a chapter adds one.
An effect names everything it does; its dice are thrown when its turn comes, and what it causes runs through
the same chapters as if the rules themselves had said it.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import ClassVar, Final, TypeAlias

from service.dice.values import Roll
from service.rules.heartrush.sheets.sheet import DieSize
from service.rules.heartrush.state import State
from service.rules.kernel.messages import Awaited, Emits, Event, Fact
from service.rules.kernel.records import changed, record
from service.rules.rolls.chance import Chance, PoolDie
from service.rules.table.stack import Frame

_Amount: TypeAlias = Generator[Fact[State], State, tuple[State, int]]
MOST: Final = 1000
"""The largest number an effect may name."""


@record
class Effect:
    """One thing that is done, as data; `kind` tells which."""

    kind: ClassVar[str]

    def fault(self, view: State) -> str | None:
        """Return what keeps this from being an effect in *view*, in a few words; None where nothing does."""
        raise NotImplementedError

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        """Tell what comes of it; *frame* says who caused it and by which rules."""
        raise NotImplementedError


@record
class EffectsFrame(Frame[State]):
    """Effects under way: each begins when everything the one before it set off is over."""

    kind: ClassVar[str] = "effects"
    effects: tuple[Effect, ...]
    source: str | None
    """The creature that causes them, if one does."""
    cause: str
    """The recorded source of damage: `ruling`, or an ability's id."""
    rules: tuple[str, ...]
    at: int = 0

    def waiting(self, state: State) -> tuple[Awaited, ...]:
        return ()

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        if self.at == len(self.effects):
            return (yield EffectsDone(effects=self.path, because=self.rules))
        state = yield EffectTaken(effects=self.path, number=self.at, because=self.rules)
        return (yield from self.effects[self.at].tell(state, chance, self))

    def path_of(self, what: str) -> str:
        """Return the path of what the effect at hand sets off."""
        return f"{self.path}/{what}-{self.at}"


@record
class EffectsBegun(Event[State]):
    """Effects are carried out now, in their order."""

    type: ClassVar[str] = "effects_begun"
    effects: str
    order: tuple[Effect, ...]
    source: str | None
    cause: str

    def evolve(self, state: State) -> State:
        return state.pushed(
            EffectsFrame(
                path=self.effects,
                effects=self.order,
                source=self.source,
                cause=self.cause,
                rules=self.because,
            )
        )


@record
class EffectTaken(Event[State]):
    """The next effect has its turn."""

    type: ClassVar[str] = "effect_taken"
    effects: str
    number: int

    def evolve(self, state: State) -> State:
        frame = state.frame(self.effects, EffectsFrame)
        return state.put(changed(frame, at=self.number + 1))


@record
class EffectsDone(Event[State]):
    """All effects are carried out."""

    type: ClassVar[str] = "effects_done"
    effects: str

    def evolve(self, state: State) -> State:
        return state.popped(self.effects)


def faults(view: State, effects: tuple[Effect, ...]) -> str | None:
    """Return what is wrong with the first of *effects* that cannot be, with its place; None where all can."""
    for i, effect in enumerate(effects):
        fault = effect.fault(view)
        if fault:
            return f"effect {i}: {fault}"
    return None


# --- parts that several kinds share ----------------------------------------------------------------


def no_such(view: State, creature: str, *, dead: bool = False) -> str | None:
    """Return that *creature* is not there, or dead, if nothing can be done to it."""
    found = view.creatures.get(creature)
    if found is None:
        return f"there is no creature {creature}"
    return None if found.is_present or dead else f"{creature} is not among the living here"


def amount_fault(amount: int, dice: tuple[DieSize, ...]) -> str | None:
    """Return that an amount is none: neither dice nor a number that is at least 0."""
    if not 0 <= amount <= MOST or len(dice) > MOST or (amount == 0 and not dice):
        return f"an amount from 1 to {MOST}, or dice"
    return None


def rolled(
    state: State, chance: Chance, frame: EffectsFrame, creature: str, amount: int, dice: tuple[DieSize, ...]
) -> _Amount:
    """Tell the dice of an amount, if it has any; return the state and the whole."""
    if not dice:
        return state, amount
    roll: Roll
    owner = frame.source or creature
    state, roll = yield from chance.throw(
        state,
        owner=owner,
        stream=f"{owner}/effect",
        purpose={"what": "effect", "effects": frame.path, "on": creature},
        pool=tuple(PoolDie(role=frame.cause, sides=sides) for sides in dice),
    )
    return state, amount + roll.total
