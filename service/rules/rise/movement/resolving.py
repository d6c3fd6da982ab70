"""Resolve movements at the table, in either phase: roll what the solver needs, then emit its outcome."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import ClassVar, TypeAlias

from service.rules.kernel.messages import Emits, Event, Fact
from service.rules.kernel.records import changed, record
from service.rules.rise.harm.effects import move
from service.rules.rise.harm.treading import hidden_creature_at
from service.rules.rise.movement.initiative import asks_players, roll_order
from service.rules.rise.movement.problem import NeedsInitiative, Outcome, Problem, Routes
from service.rules.rise.movement.solve import solve
from service.rules.rise.questions import answer
from service.rules.rise.space.paths import flown, in_the_way, is_wall
from service.rules.rise.space.riding import Mounted
from service.rules.rise.state import State
from service.rules.rolls.chance import Chance
from service.rules.secrecy.hidden_creatures import reveal_discovered

Solved: TypeAlias = Generator[Fact[State], State, tuple[State, Outcome | None]]


@record
class BlockChecked(Event[State]):
    """A creature tried to keep another from passing."""

    type: ClassVar[str] = "block_checked"
    blocker: str
    creature: str
    blocked: bool

    def evolve(self, state: State) -> State:
        return state


@record
class ConflictFound(Event[State]):
    """Movements that cannot all happen, and the order in which they resolve."""

    type: ClassVar[str] = "conflict_found"
    creatures: tuple[str, ...]
    order: tuple[str, ...]
    warning: str = ""

    def evolve(self, state: State) -> State:
        return state


def find_outcome(state: State, chance: Chance, problem: Problem) -> Solved:
    """Emit what the solver needs until it has an outcome; null while players are asked first."""
    while True:
        found = solve(problem)
        for rider, mount in found.mounted.items():
            if state.creatures[rider].mount != mount:
                state = yield Mounted(creature=rider, mount=mount, because=("RI-MOUNT-1",))
        if isinstance(found, Outcome):
            return state, found
        state = yield from meet_needs(state, chance, found)
        if asks_players(state):
            return state, None
        problem = changed(problem, state=state)


def meet_needs(state: State, chance: Chance, needs: NeedsInitiative) -> Emits[State]:
    """Put the solver's doubts to the GM, and roll the initiative that it needs."""
    for doubt in needs.doubts:
        state, _ = yield from answer(state, doubt.question, doubt.creatures)
    for creatures in needs.contests:
        state = yield from roll_order(state, chance, creatures)
        if asks_players(state):
            break
    return state


def carry_out(
    state: State,
    problem: Problem,
    outcome: Outcome,
    hows: Mapping[str, str],
    notes: Sequence[Event[State]] = (),
) -> Emits[State]:
    """Emit *notes*, what kept movements from being what was wanted, and where everybody goes.

    Who is not named in *hows* moves by itself.
    """
    routes = outcome.routes
    for note in (*notes, *note_blocks(outcome), *note_conflicts(outcome)):
        state = yield note
    for name, path in routes.paths.items():
        if path and path[-1] != state.creatures[name].position:
            state = yield from move(state, name, path, hows.get(name, "self"), tuple(routes.paths))
    return (yield from reveal_found(state, routes, problem.passes))


def note_blocks(outcome: Outcome) -> list[Event[State]]:
    """Return the events of the blocks."""
    return [
        BlockChecked(
            blocker=block.blocker,
            creature=block.creature,
            blocked=block.blocked,
            because=("RI-REAC-4", "C-19"),
        )
        for block in outcome.blocks
    ]


def note_conflicts(outcome: Outcome) -> list[Event[State]]:
    """Return the events of the conflicts."""
    return [
        ConflictFound(creatures=c.creatures, order=c.order, warning=c.warning, because=("RI-CONF-2",))
        for c in outcome.conflicts
    ]


def reveal_found(state: State, routes: Routes, passes: Mapping[str, Sequence[str]]) -> Emits[State]:
    """Reveal the hidden creatures that end a movement before anything else does."""
    for name in sorted(routes.lost) if state.hidden_creatures else ():
        hidden_creature = find_ahead(state, name, routes, passes.get(name, ()))
        if hidden_creature is not None:
            state = yield from reveal_discovered(state, hidden_creature, name)
    return state


def find_ahead(state: State, name: str, routes: Routes, ignoring: Sequence[str]) -> str | None:
    """Return the hidden creature that the rest of a path meets before anything else, if any."""
    creature, _ = flown(state.creatures[name], routes.altitudes.get(name))
    for cell in routes.lost[name]:
        hidden_creature = hidden_creature_at(state, creature, cell)
        if hidden_creature is not None:
            return hidden_creature
        if is_wall(state, creature, cell) or in_the_way(state, creature, cell, ignoring) is not None:
            return None
    return None
