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
    found = [each for group in sorted(logs) for each in logs[group] if each.swift]
    outside = [each for each in found if is_from_outside(state, each)]

    def place(effect: Atom) -> tuple[int, int]:
        if effect in outside:
            return 1, turn_among(state, effect, outside)
        is_early = state.house.cleanse == "keeps" and effect.does == "lose" and effect.name == ALL
        return (0, 0) if is_early else (2, 0)

    return sorted(found, key=place)


def turn_among(state: State, effect: Atom, others: Sequence[Atom]) -> int:
    """Return when *effect* comes: first what is lifted again, then what lifts, then what stays.

    Groups are simultaneous, so one lifts what another lays. A group itself acts in order: what it lays after
    it has lifted stays.
    """
    if effect.does == "lose":
        return 1
    return 0 if any(is_lifted(state, effect, other) for other in others) else 2


def is_lifted(state: State, effect: Atom, lift: Atom) -> bool:
    """Return whether *lift* takes away the condition that *effect* lays."""
    if effect.condition is None or lift.target != effect.target:
        return False
    if lift.group == effect.group:
        return lift.seq > effect.seq and lift.does == "lose" and is_meant(effect.condition, lift.name)
    return takes_away(state, lift, effect.condition)


def takes_away(state: State, lift: Atom, condition: Condition) -> bool:
    """Return whether *lift* takes away a *condition* that another group lays at the same time."""
    reaches = lift.name != ALL or state.house.cleanse == "removes"
    return lift.does == "lose" and reaches and is_meant(condition, lift.name)


def is_thrown_off(state: State, effect: Atom, logs: Mapping[str, Sequence[Atom]]) -> bool:
    """Return whether its target's own group takes away what another group's Swift effect lays on it.

    Both are Swift, so they are simultaneous: the other group's comes first, whatever the groups are called.
    """
    if not effect.swift or effect.condition is None or not is_from_outside(state, effect):
        return False
    return any(
        each.swift and each.target == effect.target and takes_away(state, each, effect.condition)
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
    hidden: dict[str, HiddenSwift] = {
        group: unsealed(kept) for group, kept in state.hidden_swift.items() if not is_closed(kept)
    }
    for group, swift in hidden.items():
        left = without(found.conditions, swift.lost.get(creature, ()))
        logs = {group: swift.effects}
        off = [e for e in state.effects if e.target == creature and is_thrown_off(state, e, logs)]
        left = without(left, [e.condition for e in off if e.condition is not None])
        lifts = lifted_by_others(state, creature, group, hidden)
        gained = swift.gained.get(creature, ())
        stays = [each for each in gained if not any(takes_away(state, lift, each) for lift in lifts)]
        found = changed(found, conditions=(*left, *stays))
    return found


def lifted_by_others(
    state: State, creature: str, group: str, hidden: Mapping[str, HiddenSwift]
) -> list[Atom]:
    """Return what others do unseen to *creature* at the same time as *group*, if that is not its own."""
    if group == state.group_of(creature):
        return []
    theirs = [each for other, swift in hidden.items() if other != group for each in swift.effects]
    return [each for each in theirs if each.target == creature]


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
