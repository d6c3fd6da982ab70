"""Carry out the movements of all groups together, in either phase: what cannot be, then all who move."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from service.rules.chance import Chance
from service.rules.hidden_creatures import reveal_discovered
from service.rules.messages import Emits, Event
from service.rules.rise.creatures.lasting import Plan
from service.rules.rise.harm.effects import move
from service.rules.rise.harm.treading import hidden_creature_at
from service.rules.rise.movement.conflicts import Around, Pairs, Settled, Ways, settle
from service.rules.rise.space.paths import flown, in_the_way, is_wall
from service.rules.rise.state import State


def carried_out(
    state: State,
    chance: Chance,
    wanted: Ways,
    hows: Mapping[str, str],
    around: Around,
    notes: list[Event[State]],
) -> Settled:
    """Tell what keeps movements from being what was wanted, and where everybody goes; return the ways gone.

    *notes* are told once nobody is asked any more. Who is not named in *hows* moves by itself.
    """
    ways: Ways
    state, ways = yield from settle(state, chance, wanted, around, notes)
    for note in notes:
        state = yield note
    for name, path in ways.paths.items():
        if path and path[-1] != state.creatures[name].position:
            state = yield from move(state, name, path, hows.get(name, "self"), tuple(wanted.paths))
    state = yield from come_upon(state, ways, around.past)
    return state, ways


def come_upon(state: State, ways: Ways, past: Mapping[str, Sequence[str]]) -> Emits[State]:
    """Tell which hidden creatures were found by whom: the first thing that ended a way."""
    for name in sorted(ways.left) if state.hidden_creatures else ():
        hidden_creature = ahead(state, name, ways, past.get(name, ()))
        if hidden_creature is not None:
            state = yield from reveal_discovered(state, hidden_creature, name)
    return state


def ahead(state: State, name: str, ways: Ways, ignoring: Sequence[str]) -> str | None:
    """Return the hidden creature that what is left of a way comes upon before anything else, if any."""
    creature, _ = flown(state.creatures[name], ways.highs.get(name))
    for cell in ways.left[name]:
        hidden_creature = hidden_creature_at(state, creature, cell)
        if hidden_creature is not None:
            return hidden_creature
        if is_wall(state, creature, cell) or in_the_way(state, creature, cell, ignoring) is not None:
            return None
    return None


def coming_after(plans: Mapping[str, Plan]) -> Pairs:
    """Return who moves along behind whom, also through others: nobody runs into who comes after it."""
    pairs = {(name, target): None for name, plan in plans.items() for target in plan.targets}
    known = 0
    while len(pairs) > known:
        known = len(pairs)
        pairs |= {(a, d): None for a, b in pairs for c, d in pairs if b == c and a != d}
    return tuple(pairs)
