"""Fights in which everybody has abilities and spells, by chance: nothing breaks, the record holds it all."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from service.rules.heartrush import HEARTRUSH
from service.rules.heartrush.creatures.abilities import Spell
from service.rules.heartrush.creatures.state import State
from service.rules.heartrush.using.catalogue import CATALOGUE
from service.rules.kernel.codec import from_data, to_data
from service.rules.kernel.sealed import view
from service.rules.ruleset import decide, fold, waiting
from tests.rules.heartrush.bot import Choice, Table, choices, random_opening
from tests.rules.heartrush.ranges import faults
from tests.rules.heartrush.test_random_fights import recorded, through_json

FIGHTS = 12
COMMANDS = 250
SEEDS = range(FIGHTS)
ABILITIES = [name for name, found in CATALOGUE.items() if not isinstance(found, Spell)]
SPELLS = [name for name, found in CATALOGUE.items() if isinstance(found, Spell)]


class Gifted(Table):
    """A fight of creatures with abilities, that bots like to bring to engagements."""

    def opening(self) -> dict[str, Any]:
        """Return an opening whose sheets name abilities and spells."""
        opening = random_opening(self.chance)
        for entry in opening["creatures"]:
            entry["sheet"]["abilities"] = self.chance.sample(ABILITIES, self.chance.randint(0, 6))
            entry["sheet"]["growth"] = {
                "spells": self.chance.sample(SPELLS, self.chance.randint(0, 2)),
                "attunements": ["water", "fire", "force"],
            }
            entry["sheet"]["speed"] = 60
        return opening

    def pick(self) -> Choice | None:
        """Engage where one can, half of the time."""
        if self.chance.random() < 0.5:
            for awaited in waiting(self.state):
                if "engage" in awaited.accepts:
                    seen = view(self.state, awaited.seat)
                    offers = tuple(HEARTRUSH.commands["engage"].offers(seen, awaited))
                    if offers:
                        return next(choices(self.chance, awaited, offers))
        return super().pick()


@cache
def played(seed: int) -> Gifted:
    table = Gifted(seed)
    table.open()
    before = HEARTRUSH.blank
    while table.commands < COMMANDS and (decision := table.step()) is not None:
        broken = faults(table.state, before, decision.facts)
        assert not broken, f"seed {seed}, command {table.commands}: {broken}"
        before = table.state
    return table


@pytest.mark.parametrize("seed", SEEDS)
def test_nobody_is_stuck(seed: int) -> None:
    table = played(seed)
    assert table.state.phase == "ended" or table.commands >= COMMANDS, f"seed {seed}: {table.state.top}"


@pytest.mark.parametrize("seed", SEEDS)
def test_the_record_alone_gives_the_state(seed: int) -> None:
    table = played(seed)
    again: State = HEARTRUSH.blank
    for fact in table.facts:
        again = fold(again, [recorded(fact)])
    assert again == table.state, f"seed {seed}: folded is not decided"
    assert from_data(State, through_json(to_data(table.state)), families=HEARTRUSH.families) == table.state, (
        f"seed {seed}"
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_everything_offered_is_accepted(seed: int) -> None:
    table = Gifted(seed)
    table.open()
    for i in range(90):
        if i % 15 == 0:
            for choice in table.offered():
                command = table.command(choice.type, choice.awaited.seat, choice.data)
                refusal = decide(table.state, command, table.dice).refusal
                assert refusal is None, f"seed {seed}: {choice.type} {choice.data}: {refusal}"
        if table.step() is None:
            break


def test_most_of_the_catalogue_is_used() -> None:
    """Whatever chance brings: windows, effects that lie, dice that are added, spells."""
    used = {getattr(fact, "ability", None) for seed in SEEDS for fact in played(seed).facts}
    assert len(used & set(CATALOGUE)) >= 12, sorted(used & set(CATALOGUE), key=str)
