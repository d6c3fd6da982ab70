"""Whatever the GM rules on anybody at any moment: somebody is asked next, and every offer is accepted.

The ruling is tried beside the fight, which goes on as if it had not come.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import pytest

from service.rules.heartrush import HEARTRUSH
from service.rules.heartrush.creatures.state import State
from service.rules.kernel.messages import Awaited
from service.rules.ruleset import decide, legal, waiting
from tests.rules.heartrush.bot import Table, choices
from tests.rules.heartrush.plays import KINDS

STEPS: Final = 60
"""Commands of a fight."""
AT_REST: Final = ("setup", "idle", "ended")
"""Phases in which nobody may be asked for anything."""

Effects = list[dict[str, Any]]


def condition(name: str) -> Callable[[str, str], Effects]:
    """Return what lays a condition on a creature."""
    return lambda who, _: [{"kind": "condition", "creature": who, "condition": name}]


def alone(kind: str, **fields: Any) -> Callable[[str, str], Effects]:
    """Return an effect on a creature."""
    return lambda who, _: [{"kind": kind, "creature": who, **fields}]


RULINGS: Final[Mapping[str, Callable[[str, str], Effects]]] = {
    "stunned": condition("stunned"),
    "incapacitated": condition("incapacitated"),
    "restrained": condition("restrained"),
    "prone": condition("prone"),
    "confused": condition("confused"),
    "knocked out": alone("knock_out"),
    "dead": alone("die"),
    "gone": alone("withdraw"),
    "without an action": alone("action", actions=-1),
    "at zero": alone("hp", hp=0),
    "elsewhere": alone("move", to=[12, 12]),
    "pushed": alone("push", feet=15, direction=[1, 0]),
    "struck": alone("damage", amount=12),
    "held": lambda who, by: [{"kind": "condition", "creature": who, "condition": "grappled", "by": by}],
}


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_HR_SVC_1_whoever_is_asked_after_a_ruling_can_answer(kind: str) -> None:
    for seed in range(2):
        table: Table = KINDS[kind](seed).open()
        chance = random.Random(seed)
        for _ in range(STEPS):
            if table.step() is None:
                break
            before = table.state
            for who, other, name in tried(before, chance):
                table.state = ruled(table, RULINGS[name](who, other))
                faults = list(unanswerable(table, chance)) if table.state is not before else []
                assert not faults, f"{kind}, seed {seed}: {who} is {name} at {before.top}: {faults}"
                table.state = before


def tried(state: State, chance: random.Random) -> Iterator[tuple[str, str, str]]:
    """Yield whom a ruling is about, another creature, and which: all in the middle of something, else one."""
    asked = [awaited.creature for awaited in waiting(state) if awaited.creature]
    if not asked:
        return
    is_under_way = state.top is not None and state.top.kind != "combat"
    for name in RULINGS if is_under_way else [chance.choice(list(RULINGS))]:
        who = chance.choice(asked if chance.random() < 0.5 else list(state.creatures))
        yield who, chance.choice([other for other in state.creatures if other != who]), name


def ruled(table: Table, effects: Effects) -> State:
    """Return the state after a ruling; as it was, where the ruling is not possible."""
    said = {"kind": "effect", "decision": "so be it", "reason": "a test", "effects": effects}
    decision = decide(table.state, table.command("gm_ruling", "gm", said), table.dice)
    return decision.state if decision.refusal is None else table.state


def unanswerable(table: Table, chance: random.Random) -> Iterator[str]:
    """Yield what is asked for and has no answer, and every offer that is refused."""
    owed = waiting(table.state)
    if not owed and table.state.phase not in AT_REST:
        yield f"nobody is asked in phase {table.state.phase}"
    for seat in dict.fromkeys(awaited.seat for awaited in owed):
        for awaited, offers in legal(HEARTRUSH, table.state, seat):
            if not offers and not awaited.optional and not awaited.wants:
                yield f"no answer to {awaited.prompt}"
            yield from refused(table, chance, awaited, offers)


def refused(table: Table, chance: random.Random, awaited: Awaited, offers: Any) -> Iterator[str]:
    """Yield each of *offers* that is refused, taken with one value of each choice."""
    for choice in choices(chance, awaited, offers):
        if not awaited.wants:
            command = table.command(choice.type, awaited.seat, choice.data)
            refusal = decide(table.state, command, table.dice).refusal
            if refusal is not None:
                yield f"{choice.type} {choice.data}: {refusal.code}"
