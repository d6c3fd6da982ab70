"""Play twins of Rise in which somebody lurks near or far: until it is seen they are told the same."""

from __future__ import annotations

from random import Random
from typing import Any, Final

import pytest

from service.rules.messages import Private
from service.rules.rise.state import State
from service.rules.ruleset import Decision
from service.rules.sealed import view
from tests.rise.bot import KIT, choices, data_of
from tests.rise.kit import Fight, Seeded, entry, opened

PLAYERS: Final = ("seat-heroes", "seat-elves")
PLACES: Final = ((-1, 1), (-1, 3), (5, 1), (3, 5))
"""Where many go."""


def begun(seed: int, *, near: bool) -> Fight:
    """Return a fight of three sides in which four lurk, near or far."""
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
    return bool(fight.told("lurker_revealed"))


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


@pytest.mark.parametrize(("seeds", "steps", "least"), [(range(6), 8, 1), (range(18, 19), 60, 1)])
def test_TABLE_LURK_2_until_a_lurker_is_found_nothing_tells_that_it_is_near(
    seeds: range, steps: int, least: int
) -> None:
    """In the first phase and in later ones."""
    found = [played(seed, steps) for seed in seeds]
    assert sum(step > 0 for step in found) >= least, found
