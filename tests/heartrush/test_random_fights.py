"""Play fights nobody wrote: bots take what they are offered, and what must always hold holds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest

from service.rules.codec import from_data, to_data
from service.rules.heartrush import HEARTRUSH
from service.rules.heartrush.state import Condition, Creature, State
from service.rules.messages import Event, Fact, Private, Rolled
from service.rules.ruleset import decide, fold
from service.rules.sealed import Sealed, view
from tests.heartrush.bot import Table

FIGHTS = 16
COMMANDS = 250
SEEDS = range(FIGHTS)
LADDER = (4, 6, 8, 10, 12, 20)


@cache
def played(seed: int) -> Table:
    """Return the fight that bots play from *seed*; whoever looks at it changes nothing."""
    table = Table(seed).open()
    while table.commands < COMMANDS and table.step() is not None:
        check_ranges(table)
    return table


def check_ranges(table: Table) -> None:
    """Hold every creature to what a creature can be."""
    for creature in table.state.creatures.values():
        assert is_possible(creature), f"seed {table.seed}, command {table.commands}: {creature}"


def is_possible(creature: Creature) -> bool:
    """Tell whether the numbers of *creature* are in their ranges."""
    return (
        creature.hp <= creature.sheet.hp_max
        and creature.rush >= 0
        and creature.action in (0, 1)
        and creature.heart_die in LADDER
        and creature.heart_die <= creature.sheet.heart_die
        and creature.shrugs >= 0
        and creature.help >= 0
        and all(1 <= condition.level <= 5 for condition in creature.conditions.values())
    )


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
    return from_data(kind, data)


def through_json(data: object) -> Any:
    """Return *data* as JSON gives it back."""
    return json.loads(json.dumps(data))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_state_survives_its_trip_through_json(seed: int) -> None:
    table = Table(seed).open()
    for _ in range(60):
        if table.step() is None:
            break
        assert from_data(State, through_json(to_data(table.state))) == table.state, f"seed {seed}"


@pytest.mark.parametrize("seed", SEEDS)
def test_no_other_seat_sees_what_is_sealed(seed: int) -> None:
    table = Table(seed).open()
    for _ in range(120):
        if table.step() is None:
            break
        for seat in table.state.seats:
            for sealed in sealed_in(view(table.state, seat)):
                assert sealed.value is None, f"seed {seed}: {seat} sees {sealed}"
                assert f"seat:{seat}" not in sealed.audience, f"seed {seed}: {seat} does not see its own"


def sealed_in(value: object) -> list[Sealed[Any]]:
    """Return every envelope anywhere in *value*."""
    if isinstance(value, Sealed):
        return [value]
    if isinstance(value, State):
        return sealed_in((value.stacks.table, value.creatures))
    if isinstance(value, tuple | list):
        return [found for item in value for found in sealed_in(item)]
    if isinstance(value, Mapping):
        return [found for item in value.values() for found in sealed_in(item)]
    known = getattr(value, "__dict__", {})
    return [found for name, item in known.items() if not name.startswith("_") for found in sealed_in(item)]


@pytest.mark.parametrize("seed", SEEDS)
def test_everything_offered_is_accepted(seed: int) -> None:
    """Not only what the bot picks: one command of every offer, at every tenth moment of a fight."""
    table = Table(seed).open()
    for i in range(80):
        if i % 10 == 0:
            for choice in table.offered():
                command = table.command(choice.type, choice.awaited.seat, choice.data)
                decision = decide(table.state, command, table.dice)
                assert decision.refusal is None, f"seed {seed}: {choice}: {decision.refusal}"
        if table.step() is None:
            break


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_not_offered_is_refused(seed: int) -> None:
    """Offers with another target, cell or prompt put in are refused, and change nothing."""
    table = Table(seed).open()
    for i in range(80):
        if i % 10 == 0:
            for choice in table.offered():
                for data in spoiled(table.state, choice.data):
                    command = table.command(choice.type, choice.awaited.seat, data)
                    decision = decide(table.state, command, table.dice)
                    assert decision.refusal is not None, f"seed {seed}: {choice.type} {data} was accepted"
                    assert decision.state is table.state
        if table.step() is None:
            break


def spoiled(state: State, data: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return *data* with one thing wrong in each copy."""
    found: list[dict[str, Any]] = []
    if data.get("to") is not None:
        found.append({**data, "to": [999, 999]})
    if data.get("target") is not None:
        found += [{**data, "target": "nobody"}, {**data, "target": data.get("creature", "nobody")}]
        found += [{**data, "target": c.id} for c in state.creatures.values() if c.vitality == "dead"]
    if data.get("prompt") is not None:
        found.append({**data, "prompt": "r0/e0/stance/nobody"})
    if data.get("creature") is not None:
        found.append({**data, "creature": "nobody"})
    return found


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
