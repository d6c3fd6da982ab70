"""Put conditions on creatures and take them off, and let them end when their time is over."""

from __future__ import annotations

from typing import ClassVar, Final

from service.rules.kernel.messages import Emits, Event
from service.rules.kernel.records import record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.rise import books
from service.rules.rise.creatures.condition_kinds import kind_of
from service.rules.rise.creatures.creature import Creature
from service.rules.rise.creatures.lasting import Condition
from service.rules.rise.creatures.sheet import Effect
from service.rules.rise.state import State

RI_DUR_1: Final = Rule(
    "RI-DUR-1",
    "What lasts this round ends with its last step, what lasts briefly with that of the next round.",
    books.GLOSSARY,
)
RI_COND_1: Final = Rule(
    "RI-COND-1",
    "A condition stays until it is removed; a second of its kind adds nothing but must go as well.",
    (books.CODEX_COMBAT, books.CODEX_CHARACTERS),
)


ALL = "*"
"""The name by which every condition is meant."""


@record
class ConditionGained(Event[State]):
    """A condition or timed effect lies on a creature."""

    type: ClassVar[str] = "condition_gained"
    creature: str
    condition: Condition

    def evolve(self, state: State) -> State:
        conditions = (*state.creatures[self.creature].conditions, self.condition)
        return state.with_creature(self.creature, conditions=conditions)


@record
class ConditionLost(Event[State]):
    """A condition lies on a creature no more: every instance; with `*` all; with `name@source` theirs."""

    type: ClassVar[str] = "condition_lost"
    creature: str
    condition: str

    def evolve(self, state: State) -> State:
        kept = tuple(
            [c for c in state.creatures[self.creature].conditions if not is_meant(c, self.condition)]
        )
        return state.with_creature(self.creature, conditions=kept)


def is_meant(condition: Condition, name: str) -> bool:
    """Tell whether losing *name* takes this condition away."""
    if name == ALL:
        return condition.until == "condition" and not kind_of(condition.name).is_posture
    return name in (condition.name, f"{condition.name}@{condition.source}")


@record
class EffectsExpired(Event[State]):
    """Timed effects are over."""

    type: ClassVar[str] = "effects_expired"
    step: int
    creatures: tuple[str, ...]

    def evolve(self, state: State) -> State:
        for name in self.creatures:
            kept = tuple([c for c in state.creatures[name].conditions if not over(state, c, self.step)])
            state = state.with_creature(name, conditions=kept)
        return state


def over(state: State, condition: Condition, step: int) -> bool:
    """Tell whether *condition* ends with *step* of this round."""
    if condition.until == "phase":
        return step in (4, 10)
    return step == 11 and condition.expires is not None and condition.expires <= state.round


@enforces(RI_DUR_1)
def expire(state: State, step: int) -> Emits[State]:
    """Emit the end of the effects that last until *step*; nothing if there are none."""
    ending = tuple(
        [
            name
            for name, creature in state.creatures.items()
            if any(over(state, c, step) for c in creature.conditions)
        ]
    )
    return (yield EffectsExpired(step=step, creatures=ending)) if ending else state


@enforces(RI_COND_1)
def gain(creature: str, condition: Condition) -> Emits[State]:
    """Emit the gain of a condition."""
    return (yield ConditionGained(creature=creature, condition=condition))


def lose(state: State, creature: str, name: str) -> Emits[State]:
    """Tell that every instance of a condition is removed, if there is one."""
    found: Creature = state.creatures[creature]
    kind, _, source = name.partition("@")
    if name != ALL and not any(c.name == kind and source in ("", c.source) for c in found.conditions):
        return state
    if name == ALL and not found.conditions:
        return state
    return (yield ConditionLost(creature=creature, condition=name, because=("RI-COND-1",)))


def condition_of(effect: Effect, source: str, round_: int) -> Condition:
    """Return the condition that *effect* puts on a creature in round *round_*."""
    expires = {"round": round_, "brief": round_ + 1}.get(effect.until)
    return Condition(
        name=effect.condition,
        source=source,
        until=effect.until,
        expires=expires,
        since=round_,
        modifiers=effect.modifiers,
        dice=effect.dice,
        tick=effect.tick,
        keep=effect.keep,
    )
