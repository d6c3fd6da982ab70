"""Keep Swift abilities that a group committed unseen in force, and unknown to others until its announcement.

They lie outside the creatures, in one envelope for each group that commits, whether it did anything or not.
Whether an attack hits counts them; what others read before the announcement is what they knew.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from service.rules.kernel.messages import Event
from service.rules.kernel.records import Sealed, changed, record, with_key
from service.rules.kernel.sealed import is_closed, unsealed
from service.rules.rise.creatures.creature import Creature
from service.rules.rise.creatures.lasting import Atom, Condition, HiddenSwift
from service.rules.rise.harm.conditions import is_meant
from service.rules.rise.harm.effects import apply_quietly, state_after
from service.rules.rise.state import State


@record
class SwiftHidden(Event[State]):
    """The Swift abilities of these groups are in force; what they are stays sealed until the announcement."""

    type: ClassVar[str] = "swift_resolved"
    groups: tuple[str, ...]

    def evolve(self, state: State) -> State:
        for group in self.groups:
            world = state.worlds[group]
            assert isinstance(world, Sealed), "at the table worlds are sealed"
            effects = [effect for effect in state.at(group).effects if effect.swift]
            kept = Sealed(audience=world.audience, opens=world.opens, value=hidden_of(state, effects))
            state = changed(state, hidden_swift=with_key(state.hidden_swift, group, kept))
        return state


def hidden_of(state: State, effects: Sequence[Atom]) -> HiddenSwift:
    """Return what these Swift effects do to the creatures of *state*."""
    before = {name: creature.conditions for name, creature in state.creatures.items()}
    after = {name: list(conditions) for name, conditions in before.items()}
    for effect in effects:
        if effect.does == "gain":
            assert effect.condition is not None, "what is gained is named"
            after[effect.target].append(effect.condition)
        elif effect.does == "lose":
            after[effect.target] = [c for c in after[effect.target] if not is_meant(c, effect.name)]
    return HiddenSwift(
        effects=tuple(effects),
        gained={name: new for name, now in after.items() if (new := without(now, before[name]))},
        lost={name: old for name, then in before.items() if (old := without(then, after[name]))},
    )


def without(conditions: Sequence[Condition], others: Sequence[Condition]) -> tuple[Condition, ...]:
    """Return *conditions* less those among *others*, each counted once."""
    left, found = list(others), []
    for condition in conditions:
        if condition in left:
            left.remove(condition)
        else:
            found.append(condition)
    return tuple(found)


def felt(state: State, creature: str) -> Creature:
    """Return a creature as it is for what attacks it: with hidden Swift effects in force."""
    found = state.creatures[creature]
    for kept in state.hidden_swift.values():
        if not is_closed(kept):
            swift: HiddenSwift = unsealed(kept)
            left = without(found.conditions, swift.lost.get(creature, ()))
            found = changed(found, conditions=(*left, *swift.gained.get(creature, ())))
    return found


def known_to(state: State, audience: tuple[str, ...], group: str) -> State:
    """Return *state* with what *group*, and others with the same readers, did unseen as true as all else."""
    for other, kept in state.hidden_swift.items():
        if other == group or (isinstance(kept, Sealed) and kept.audience == audience):
            state = unhidden(state, other)
    return state


def unhidden(state: State, group: str) -> State:
    """Return *state* with what a group did unseen as true as everything else."""
    kept = state.hidden_swift.get(group)
    if kept is None:
        return state
    state = changed(
        state, hidden_swift={name: other for name, other in state.hidden_swift.items() if name != group}
    )
    for effect in unsealed(kept).effects:
        state = state_after(state, apply_quietly(state, effect))
    return state
