"""Stat blocks are whole, legal creatures that an opening may name (F.6)."""

from typing import Any

import pytest

from service.rules.heartrush.creatures.bestiary import BESTIARY, drawn
from service.rules.heartrush.creatures.character import Entry
from service.rules.heartrush.table.opening import Opening, faults
from service.rules.kernel.records import changed
from tests.rules.heartrush.kit import CAST, Fight, opened, sheet


def opening(**entry: object) -> Opening:
    """Return a fight between Pia and what *entry* describes."""
    return Opening(
        sides=("players", "enemies"),
        player_side="players",
        creatures=(
            Entry(sheet=drawn("new-character", "pia", "players", "Pia"), position=(0, 0)),
            changed(Entry(position=(9, 9)), **entry),
        ),
    )


@pytest.mark.parametrize("name", sorted(BESTIARY))
def test_every_stat_block_can_take_part(name: str) -> None:
    assert list(faults(opening(stat_block=name, id="it", side="enemies"))) == []


def test_a_stat_block_is_recorded_as_the_sheet_it_is() -> None:
    places = {"pia": (0, 0)}
    creatures = [
        {"sheet": sheet("pia"), "position": [0, 0]},
        {"stat_block": "orc", "id": "grum", "side": "enemies", "name": "Grum", "position": [1, 0]},
        {"stat_block": "wolf", "id": "gnash", "side": "enemies", "position": [2, 0], "hp": 7},
    ]
    fight: Fight = opened(places, creatures=creatures)
    recorded = fight.logged("encounter_opened")[-1].opening.creatures[1]
    assert (recorded.stat_block, recorded.sheet.name, recorded.sheet.might) == (None, "Grum", 10)
    assert (fight["gnash"].hp, fight["gnash"].sheet.name) == (7, "Wolf")


def test_the_orc_and_the_wolf_are_those_of_the_ledger() -> None:
    for name in ("orc", "wolf"):
        block, cast = BESTIARY[name], CAST[name]
        numbers = ("hp_max", "might", "agility", "cunning", "presence")
        assert [getattr(block, key) for key in numbers] == [cast[key] for key in numbers]
        assert block.weapons[0].id == cast["weapons"][0]["id"]


@pytest.mark.parametrize(
    ("entry", "pointer"),
    [
        ({"stat_block": "dragon", "id": "it", "side": "enemies"}, "/creatures/1/stat_block"),
        ({}, "/creatures/1/stat_block"),
        ({"stat_block": "orc", "side": "enemies"}, "/creatures/1/id"),
        ({"stat_block": "orc", "id": "it"}, "/creatures/1/side"),
        ({"sheet": BESTIARY["orc"], "stat_block": "orc"}, "/creatures/1"),
        ({"stat_block": "orc", "id": "gm", "side": "enemies"}, "/creatures/1/sheet/id"),
        ({"stat_block": "orc", "id": "it", "side": "nobody"}, "/creatures/1/sheet/side"),
    ],
)
def test_an_entry_has_a_sheet_or_a_stat_block(entry: dict[str, Any], pointer: str) -> None:
    assert pointer in [place for place, _ in faults(opening(**entry))]


@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        ("new-character", (40, 8, 6, 6, 4, 4)),
        ("animal-companion", (20, 6, 6, 4, 2, 2)),
        ("hired-attendant", (40, 8, 6, 6, 6, 6)),
        ("skirmisher", (30, 8, 6, 12, 6, 4)),
        ("swarm", (25, 6, 4, 8, 6, 4)),
    ],
)
def test_the_numbers_of_the_appendix(name: str, numbers: tuple[int, ...]) -> None:
    block = BESTIARY[name]
    assert (
        block.hp_max,
        block.heart_die,
        block.might,
        block.agility,
        block.cunning,
        block.presence,
    ) == numbers
