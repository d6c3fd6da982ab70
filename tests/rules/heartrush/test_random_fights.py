"""Play fights nobody wrote: bots take what they are offered, and what must always hold holds."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

import pytest

from service.rules.heartrush import HEARTRUSH
from service.rules.heartrush.creatures.character import Condition
from service.rules.heartrush.creatures.state import State
from service.rules.kernel.codec import from_data, to_data
from service.rules.kernel.messages import Event, Fact, Private, Rolled
from service.rules.kernel.records import Sealed
from service.rules.kernel.sealed import view
from service.rules.ruleset import fold
from tests.rules.heartrush.bot import Choice, Table
from tests.rules.heartrush.nearmiss import probe
from tests.rules.heartrush.ranges import faults

FIGHTS = 16
COMMANDS = 250
SEEDS = range(FIGHTS)


@cache
def played(seed: int) -> Table:
    """Return the fight that bots play from *seed*; whoever looks at it changes nothing."""
    table = Table(seed).open()
    before = HEARTRUSH.blank
    while table.commands < COMMANDS and (decision := table.step()) is not None:
        broken = faults(table.state, before, decision.facts)
        assert not broken, f"seed {seed}, command {table.commands}: {broken}"
        before = table.state
    return table


@pytest.mark.parametrize("seed", SEEDS)
def test_somebody_can_always_do_something_until_combat_ends(seed: int) -> None:
    table = played(seed)
    over = table.state.phase == "ended"
    assert over or table.commands >= COMMANDS, f"seed {seed} is stuck: {table.state.top}"


@pytest.mark.parametrize("seed", SEEDS)
def test_the_record_alone_gives_the_state(seed: int) -> None:
    """Every fact survives its trip through JSON, and folded again gives the state that was decided."""
    table = played(seed)
    again: State = HEARTRUSH.blank
    for fact in table.facts:
        again = fold(again, [recorded(fact)])
    assert again == table.state, f"seed {seed}: folded is not decided"


def recorded(fact: Fact[State]) -> Fact[State]:
    """Return *fact* as it comes back from the log."""
    if isinstance(fact, Rolled):
        return Rolled(roll=type(fact.roll).from_data(through_json(fact.roll.to_data())))
    if isinstance(fact, Private):
        event = recorded(fact.event)
        assert isinstance(event, Event)
        return Private(scope=fact.scope, event=event)
    data = through_json(to_data(fact))
    kind: type[Event[State]] = HEARTRUSH.events[data.pop("type")]
    return from_data(kind, data, families=HEARTRUSH.families)


def through_json(data: object) -> Any:
    """Return *data* as JSON gives it back."""
    return json.loads(json.dumps(data))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_state_survives_its_trip_through_json(seed: int) -> None:
    table = Table(seed).open()
    for _ in range(60):
        if table.step() is None:
            break
        assert (
            from_data(State, through_json(to_data(table.state)), families=HEARTRUSH.families) == table.state
        ), f"seed {seed}"


@pytest.mark.parametrize("seed", SEEDS)
def test_no_other_seat_sees_what_is_sealed(seed: int) -> None:
    table, known = Table(seed).open(), Known()
    for _ in range(120):
        if table.step() is None:
            break
        for seat in table.state.seats:
            for sealed in known.sealed_in(view(table.state, seat)):
                assert sealed.value is None, f"seed {seed}: {seat} sees {sealed}"
                assert f"seat:{seat}" not in sealed.audience, f"seed {seed}: {seat} does not see its own"


class Known:
    """What is looked through already: records never change, and most of a state is in the next one too."""

    def __init__(self) -> None:
        self._found: dict[int, tuple[object, list[Sealed[Any]]]] = {}
        """By the id of each object: the object itself, so that its id stays its own, and what is in it."""

    def sealed_in(self, value: object) -> list[Sealed[Any]]:
        """Return every envelope anywhere in *value*."""
        kept = self._found.get(id(value))
        if kept is None:
            kept = self._found[id(value)] = (value, self._look(value))
        return kept[1]

    def _look(self, value: object) -> list[Sealed[Any]]:
        if isinstance(value, Sealed):
            return [value]
        if isinstance(value, State):
            return self._all((value.stacks.table, value.creatures))
        if isinstance(value, tuple | list):
            return self._all(value)
        if isinstance(value, Mapping):
            return self._all(value.values())
        known = getattr(value, "__dict__", {})
        return self._all([item for name, item in known.items() if not name.startswith("_")])

    def _all(self, values: Iterable[object]) -> list[Sealed[Any]]:
        return [found for item in values for found in self.sealed_in(item)]


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_offered_is_accepted_and_what_is_not_is_refused(seed: int) -> None:
    """Not only what the bot picks: one command of every offer, spoiled ones, and some of other moments."""
    table = Table(seed).open()
    past: list[Choice] = []
    for i in range(80):
        if i % 10 == 0:
            probe(table, table.chance.sample(past, min(15, len(past))))
        choice = table.pick()
        if choice is None:
            break
        table.must(choice.type, choice.awaited.seat, choice.data)
        past.append(choice)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_fight_goes_on_whatever_befalls_its_creatures(seed: int) -> None:
    """Now and then somebody is thrown down, stunned, hidden or surprised out of the blue; nobody is stuck."""
    table = Table(seed).open()
    while table.commands < COMMANDS:
        trouble(table)
        if table.step() is None:
            break
    over = table.state.phase == "ended"
    assert over or table.commands >= COMMANDS, f"seed {seed} is stuck: {table.state.top}"


TROUBLES = ("prone", "off_balanced", "stunned", "incapacitated", "slowed", "dazed", "restrained")


def trouble(table: Table) -> None:
    """Let something befall a creature while the table is at rest, if it is still at rest afterwards."""
    state, chance = table.state, table.chance
    at_rest = state.phase == "priority" and state.top is not None and state.top.kind == "combat"
    if not at_rest or chance.random() > 0.2:
        return
    name = chance.choice(list(state.creatures))
    creature = state.creatures[name]
    enemies = tuple(other.id for other in state.creatures.values() if other.side != creature.side)
    condition = Condition(level=chance.randint(1, 3))
    befallen = chance.choice(
        [
            state.with_creature(name, conditions={}),
            state.with_creature(name, hidden_from=enemies),
            state.with_creature(name, surprised=True),
            *(
                state.with_creature(name, conditions={**creature.conditions, key: condition})
                for key in TROUBLES
            ),
        ]
    )
    if befallen.top is not None and befallen.top.waits(befallen):
        table.state = befallen
