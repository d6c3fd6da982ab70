"""Swift effects of several groups: whose come first, and what others do not know before the announcement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from service.rules.kernel.messages import Event
from service.rules.kernel.records import Sealed, changed, record, with_key
from service.rules.kernel.sealed import is_closed, unsealed
from service.rules.rise.body.effects import apply_quietly, state_after
from service.rules.rise.creatures.character import Condition
from service.rules.rise.creatures.combat_statistics import ALL, is_meant
from service.rules.rise.creatures.creature import Atom, Creature, HiddenSwift
from service.rules.rise.creatures.state import State
from service.rules.rise.values import GroupIds

# --- unseen Swift abilities ----------------------------------------------------------------------------
# Unknown to others until the announcement. They lie outside the creatures, in one envelope for each
# group that commits, whether it did anything or not. Whether an attack hits counts them; what others read
# before the announcement is what they knew.


@record
class SwiftHidden(Event[State]):
    """The Swift abilities of these groups are in force; what they are stays sealed until the announcement."""

    type: ClassVar[str] = "swift_resolved"
    groups: GroupIds

    def evolve(self, state: State) -> State:
        logs = {group: state.at(group).effects for group in state.worlds}
        for group in self.groups:
            world = state.worlds[group]
            assert isinstance(world, Sealed), "at the table worlds are sealed"
            effects = [e for e in logs[group] if e.swift and not is_thrown_off(state, e, logs)]
            kept = Sealed(audience=world.audience, opens=world.opens, value=hidden_of(state, effects))
            state = changed(state, hidden_swift=with_key(state.hidden_swift, group, kept))
        return state


def is_from_outside(state: State, effect: Atom) -> bool:
    """Return whether another group than its target's did this."""
    return effect.group != state.group_of(effect.target)


def in_swift_order(state: State, logs: Mapping[str, Sequence[Atom]]) -> list[Atom]:
    """Return the Swift effects of *logs* as they come true: on each creature its own group's come last.

    So no name of a group decides which of two that contradict each other comes first.
    """

    def place(effect: Atom) -> int:
        if is_from_outside(state, effect):
            return 1
        is_early = state.house.cleanse == "keeps" and effect.does == "lose" and effect.name == ALL
        return 0 if is_early else 2

    return sorted((each for group in sorted(logs) for each in logs[group] if each.swift), key=place)


def is_thrown_off(state: State, effect: Atom, logs: Mapping[str, Sequence[Atom]]) -> bool:
    """Return whether its target's own group takes away what another group's Swift effect lays on it.

    Both are Swift, so they are simultaneous: the other group's comes first, whatever the groups are called.
    """
    if not effect.swift or effect.condition is None or not is_from_outside(state, effect):
        return False
    return any(
        each.swift
        and each.does == "lose"
        and each.target == effect.target
        and (each.name != ALL or state.house.cleanse == "removes")
        and is_meant(effect.condition, each.name)
        for each in logs.get(state.group_of(effect.target) or "", ())
    )


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
    for group, kept in state.hidden_swift.items():
        if not is_closed(kept):
            swift: HiddenSwift = unsealed(kept)
            left = without(found.conditions, swift.lost.get(creature, ()))
            logs = {group: swift.effects}
            off = [e for e in state.effects if e.target == creature and is_thrown_off(state, e, logs)]
            left = without(left, [e.condition for e in off if e.condition is not None])
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
