"""Record what a group's actions do as effects with nominal amounts, and make them true where they apply.

In a group's world an effect is entered in its log and made true there at once. The announcement applies the
same effects to the table by the same functions, so resistance is spent once and limits are met once.
"""

from __future__ import annotations

from typing import ClassVar, Final

from service.rules.kernel.messages import TABLE, Emits, Event
from service.rules.kernel.records import changed, record
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.rise import books
from service.rules.rise.creatures.lasting import Atom, How
from service.rules.rise.harm.conditions import gain, lose
from service.rules.rise.harm.damage import heal, hurt, restore
from service.rules.rise.harm.felling import consequences, tire
from service.rules.rise.harm.treading import before_hidden_creatures, hidden_creature_at
from service.rules.rise.state import State
from service.rules.rolls.chance import Chance
from service.rules.secrecy.hidden_creatures import reveal_discovered
from service.rules.space.grid import Cell

RI_RES_11: Final = Rule(
    "RI-RES-11",
    "Effects are logged with their nominal amounts; resistance, limits and thresholds come later.",
    (RULING, books.TIME.at("Resolving Actions"), books.TIME.at("Simultaneous Damage and Healing")),
)
RI_MOVE1_6: Final = Rule(
    "RI-MOVE1-6",
    "Ending where one began, or not moving at all, is no change of place.",
    books.TIME.at("Only One Movement Per Phase"),
)
RI_MOVE1_2: Final = Rule(
    "RI-MOVE1-2",
    "Of all effects that would move a creature in one phase the first does, the others do nothing.",
    books.TIME.at("Only One Movement Per Phase"),
)
RI_MOVE1_1: Final = Rule(
    "RI-MOVE1-1",
    "One change of place in a phase is all a creature gets; being carried by its mount counts as its own.",
    books.TIME.at("Only One Movement Per Phase"),
)


@record
class EffectRecorded(Event[State]):
    """An effect stands in the group's log."""

    type: ClassVar[str] = "effect_recorded"
    effect: Atom

    def evolve(self, state: State) -> State:
        return changed(state, effects=(*state.effects, self.effect))


@record
class Moved(Event[State]):
    """A creature changed its place, along with those it carries."""

    type: ClassVar[str] = "moved"
    creature: str
    path: tuple[Cell, ...]
    """The cells it entered, in order."""
    how: str
    riders: tuple[str, ...] = ()

    def evolve(self, state: State) -> State:
        for name in (self.creature, *self.riders):
            state = state.with_creature(name, position=self.path[-1], location_changed=True)
        return state


@record
class LocationEffectIgnored(Event[State]):
    """Something would have moved a creature that has moved in this phase already; it stays where it is."""

    type: ClassVar[str] = "location_effect_ignored"
    creature: str
    source: str
    reason: str = "one_movement_per_phase"

    def evolve(self, state: State) -> State:
        return state


@enforces(RI_RES_11)
def note(state: State, chance: Chance, effect: Atom) -> Emits[State]:
    """Log an effect in the world of its group, and make it true there."""
    if state.here != TABLE:
        effect = entered(state, effect)
        state = yield EffectRecorded(effect=effect)
    return (yield from apply(state, chance, effect))


def entered(state: State, effect: Atom) -> Atom:
    """Return *effect* as it stands in the log of this world."""
    early = effect.swift and not state.committed
    return changed(effect, seq=len(state.effects) + 1, group=state.here, swift=early)


def note_quietly(state: State, effect: Atom) -> Emits[State]:
    """Log an effect from which no die can follow, and make it true."""
    effect = entered(state, effect)
    state = yield EffectRecorded(effect=effect, because=("RI-RES-11",))
    if effect.does == "locate":
        return (yield from relocate(state, effect))
    return (yield from apply_quietly(state, effect))


def note_place(state: State, creature: str, path: tuple[Cell, ...], how: How = "self") -> Emits[State]:
    """Log that a creature goes along *path* by its own will, and make it true."""
    atom = Atom(seq=0, source=creature, target=creature, does="locate", path=path, how=how)
    return (yield from note_quietly(state, atom))


def apply(state: State, chance: Chance, effect: Atom) -> Emits[State]:
    """Make one effect true, with everything that follows from it for its target."""
    target = effect.target
    if effect.does == "damage":
        state = yield from hurt(state, target, effect.source, effect.amount, effect.sort)
        return (yield from consequences(state, chance, target, subdual=effect.sort == "subdual"))
    if effect.does == "locate":
        return (yield from relocate(state, effect))
    return (yield from apply_quietly(state, effect))


def apply_quietly(state: State, effect: Atom) -> Emits[State]:
    """Make true an effect that neither hurts nor moves: healing, conditions, fatigue."""
    target = effect.target
    if effect.does == "heal_hp":
        return (yield from heal(state, target, effect.amount))
    if effect.does == "heal_dr":
        return (yield from restore(state, target, effect.amount))
    if effect.does == "gain":
        assert effect.condition is not None, "what is gained is named"
        return (yield from gain(target, effect.condition))
    if effect.does == "lose":
        return (yield from lose(state, target, effect.name))
    assert effect.does == "fatigue", effect.does
    return (yield from tire(state, target, effect.amount, effect.name))


def state_after(state: State, emitted: Emits[State]) -> State:
    """Return *state* after all events of *emitted*, which are recorded nowhere and throw no dice."""
    try:
        fact = next(emitted)
        while True:
            state = fact.evolve(state)
            fact = emitted.send(state)
    except StopIteration as end:
        result: State = end.value
        return result


@enforces(RI_MOVE1_6)
def is_change(state: State, effect: Atom) -> bool:
    """Tell whether *effect* changes the place of its target."""
    return bool(effect.path) and effect.path[-1] != state.creatures[effect.target].position


@enforces(RI_MOVE1_2)
def relocate(state: State, effect: Atom) -> Emits[State]:
    """Emit a change of place, or that it is ignored because the creature has moved in this phase."""
    if not is_change(state, effect):
        return state
    if state.creatures[effect.target].location_changed and effect.how != "continued":
        return (yield LocationEffectIgnored(creature=effect.target, source=effect.source))
    way = before_hidden_creatures(state, state.creatures[effect.target], effect.path)
    if way:
        state = yield from move(state, effect.target, way, effect.how)
    if way == effect.path:
        return state
    hidden_creature = hidden_creature_at(state, state.creatures[effect.target], effect.path[len(way)])
    assert hidden_creature is not None, "it is what ended the way"
    after: State = yield from reveal_discovered(state, hidden_creature, effect.target)
    return after


@enforces(RI_MOVE1_1)
def move(
    state: State, creature: str, path: tuple[Cell, ...], how: str, movers: tuple[str, ...] = ()
) -> Emits[State]:
    """Emit the movement of a creature and of the riders that it carries."""
    riders = [name for name, other in state.creatures.items() if other.mount == creature]
    free = tuple([n for n in riders if n not in movers and not state.creatures[n].location_changed])
    return (yield Moved(creature=creature, path=path, how=how, riders=free))
