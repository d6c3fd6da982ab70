"""Keep Swift abilities of a group true and unknown to others until its announcement.

A condition lies on its creature sealed. What recovers hit points, resistance or health lies beside the
numbers, so that no number tells of it, and becomes part of them when the creature is attacked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from service.rules.messages import Event, Tale
from service.rules.records import record
from service.rules.rise.creatures.lasting import Atom
from service.rules.rise.harm.conditions import ConditionGained
from service.rules.rise.harm.effects import apply_quietly, as_told
from service.rules.rise.state import State
from service.rules.sealed import Sealed, is_closed, unsealed


@record
class SwiftHidden(Event[State]):
    """The Swift abilities of these groups are in force; what they are stays sealed until the announcement."""

    type: ClassVar[str] = "swift_resolved"
    groups: tuple[str, ...]

    def evolve(self, state: State) -> State:
        for group in self.groups:
            world = state.worlds[group]
            assert isinstance(world, Sealed), "at the table worlds are sealed"
            for effect in state.at(group).effects:
                if effect.swift:
                    state = in_secret(state, effect, world.audience, world.opens)
        return state


@record
class SwiftFelt(Event[State]):
    """Attacking this creature has shown what it recovered before everybody else acted."""

    type: ClassVar[str] = "swift_felt"
    creature: str

    def evolve(self, state: State) -> State:
        return recovered(state, self.creature, state.creatures[self.creature].secret)


def felt(state: State, creature: str) -> Tale[State]:
    """Tell that a creature's secret recovery counts now, for it is attacked."""
    return (
        (yield SwiftFelt(creature=creature, because=("RI-SWIFT-1",)))
        if state.creatures[creature].secret
        else state
    )


def in_secret(state: State, effect: Atom, audience: tuple[str, ...], opens: str) -> State:
    """Return *state* with a Swift effect true in it and known to *audience* alone."""
    if effect.does == "gain":
        assert effect.condition is not None, "what is gained is named"
        hidden = ConditionGained(
            creature=effect.target, condition=effect.condition, hidden_from_others=audience, opens=opens
        )
        return hidden.evolve(state)
    kept = (*state.creatures[effect.target].secret, Sealed(audience=audience, opens=opens, value=effect))
    return state.with_creature(effect.target, secret=kept)


def recovered(state: State, creature: str, secret: Sequence[Sealed[Atom]]) -> State:
    """Return *state* with these secret effects part of the creature's numbers, and secret no more."""
    left = tuple([kept for kept in state.creatures[creature].secret if kept not in secret])
    state = state.with_creature(creature, secret=left)
    for kept in secret:
        state = as_told(state, apply_quietly(state, unsealed(kept)))
    return state


def known_to(state: State, audience: tuple[str, ...]) -> State:
    """Return *state* with what these readers know in secret part of the numbers."""
    for name, creature in state.creatures.items():
        mine = [kept for kept in creature.secret if kept.audience == audience]
        if mine:
            state = recovered(state, name, mine)
    return state


def unhidden(state: State, opens: str) -> State:
    """Return *state* with everything open that was hidden until this occasion."""
    for name, creature in state.creatures.items():
        due = [kept for kept in creature.secret if kept.opens == opens and not is_closed(kept)]
        if due:
            state = recovered(state, name, due)
        if any(isinstance(c, Sealed) and c.opens == opens and not is_closed(c) for c in creature.conditions):
            shown = tuple(
                [
                    unsealed(c) if isinstance(c, Sealed) and c.opens == opens else c
                    for c in state.creatures[name].conditions
                ]
            )
            state = state.with_creature(name, conditions=shown)
    return state
