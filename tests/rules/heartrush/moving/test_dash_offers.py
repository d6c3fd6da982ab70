"""A dash is offered where the search of the whole reach leads and there is room, whatever is in the way."""

from __future__ import annotations

from random import Random

import pytest

from service.rules.heartrush.creatures.character import Condition
from service.rules.heartrush.creatures.sheet import SIZES
from service.rules.heartrush.creatures.size_and_bonds import mount_of
from service.rules.heartrush.moving.paths import ends_of, may_stop, within
from service.rules.kernel.records import changed
from tests.rules.heartrush.kit import Fight, begun

NEAR = range(-6, 7)
GROUNDS = ("difficult", "wall", "shallow_water", "deep_water", "climb")
PLACES = {"pia": (0, 0), "ash": (5, 1), "bru": (-6, 2), "orc": (1, -6), "wolf": (-2, 6)}


def placed(random: Random) -> Fight:
    """Return a fight of five creatures of any size up to L4, on any ground, some with a condition."""
    sheets = {name: {"size": random.choice(SIZES[:8]), "weapons": []} for name in PLACES}
    fight = begun(PLACES, sheets=sheets)
    sparse = random.choice((0.0, 0.1, 0.3))
    ground = {f"{x},{y}": random.choice(GROUNDS) for x in NEAR for y in NEAR if random.random() < sparse}
    fight.state = changed(fight.state, terrain=ground)
    for name in PLACES:
        if random.random() < 0.3:
            fight.given(name, conditions={random.choice(("slowed", "prone", "dazed")): Condition(level=1)})
    return fight


@pytest.mark.parametrize("seed", range(12))
def test_a_dash_is_offered_where_the_search_leads(seed: int) -> None:
    random = Random(seed)
    fight = placed(random)
    for name in PLACES:
        for budget in (0, 17, 45):
            same_as_the_search(fight, name, budget)


def test_a_climber_is_offered_what_the_search_finds_on_its_mount() -> None:
    fight = begun({"pia": (0, 0), "orc": (1, 0)}, sheets={"orc": {"size": "l3"}})
    fight.given("pia", conditions={"creature_climber": Condition(level=1, source="orc")})
    assert mount_of(fight.state, fight["pia"]) == fight["orc"]
    same_as_the_search(fight, "pia", 45)


def same_as_the_search(fight: Fight, name: str, budget: int) -> None:
    """Compare where a walk may end with the search."""
    creature = fight[name]
    found = within(fight.state, creature, budget)
    wanted = {cell for cell in found if cell != creature.position and may_stop(fight.state, creature, cell)}
    ends = ends_of(fight.state, creature, budget)
    assert sorted(ends) == sorted(wanted)
