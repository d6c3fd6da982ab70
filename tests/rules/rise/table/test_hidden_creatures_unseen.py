"""Play twins of Rise in which somebody hides near or far: until it is seen they receive the same."""

from __future__ import annotations

from random import Random
from typing import Any, Final

import pytest

from service.rules.kernel.messages import Private
from service.rules.kernel.sealed import view
from service.rules.rise.creatures.state import State
from service.rules.ruleset import Decision
from tests.rules.rise.bot import KIT, choices, data_of
from tests.rules.rise.kit import Fight, Seeded, entry, opened

PLAYERS: Final = ("seat-heroes", "seat-elves")
PLACES: Final = ((-1, 1), (-1, 3), (5, 1), (3, 5))
"""Where many go."""
SEEDS: Final = (32, *range(32), *range(33, 100))
"""The first is found late, when it was chosen; other rules may need more."""
FEWEST: Final = 6
"""Seeds that are played in any case."""


def begun(seed: int, *, near: bool) -> Fight:
    """Return a fight of three sides in which four hide, near or far."""
    sides = (("heroes", "pc"), ("elves", "pc"), ("orcs", "mon"))
    cast = [
        entry(f"{kind}@{side}/{side[:2]}{i}", (2 * n, 2 * i), **KIT)
        for n, (side, kind) in enumerate(sides)
        for i in range(2)
    ]
    fight = opened(*cast, dice=Seeded(seed), declared_sides=[], options={"exertion_prompt": "never"})
    for i, (x, y) in enumerate(PLACES):
        at = (x, y) if near else (200 + 5 * i, 200)
        fight.do("hide_creature", entry=entry(f"mon@orcs/l{i}", at))
    return fight.do("start_combat", start_phase="movement")


def public(decision: Decision[State] | None) -> tuple[Any, ...]:
    """Return what everybody is told of a decision."""
    assert decision is not None
    told = tuple(fact for fact in decision.facts if not isinstance(fact, Private))
    return decision.refusal, told


def revealed(fight: Fight) -> bool:
    return bool(fight.logged("hidden_creature_revealed"))


def played(seed: int, steps: int) -> int:
    """Play twins by the same commands until something is seen; return after how many, 0 for never."""
    near, far, chance = begun(seed, near=True), begun(seed, near=False), Random(seed)
    for step in range(1, steps + 1):
        for seat in PLAYERS:
            assert view(near.state, seat) == view(far.state, seat), f"seed {seed}, step {step}, {seat}"
        offered = choices(near)
        assert offered == choices(far), f"seed {seed}, step {step}"
        moves = [one for one in offered if one[1].type in ("plan_movement", "move", "charge")]
        seat, offer = chance.choice(moves or offered)
        data = data_of(offer, chance)
        near.send(offer.type, seat, **data)
        far.send(offer.type, seat, **data)
        assert not revealed(far)
        if revealed(near):
            return step
        assert public(near.last) == public(far.last), f"seed {seed}, step {step}: {offer.type}"
    return 0


@pytest.mark.parametrize(("steps", "after"), [(8, 0), (60, 8)])
def test_TABLE_HIDDEN_2_until_a_lurker_is_found_nothing_tells_that_it_is_near(steps: int, after: int) -> None:
    """In the first phase and in later ones; six seeds, and as many more as one so late takes."""
    found = 0
    for i, seed in enumerate(SEEDS, 1):
        found += played(seed, steps) > after
        if found and i >= FEWEST:
            break
    assert found
