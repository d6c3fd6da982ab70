"""A sealed value that a line of play inherits is put in its place, and nothing else is made anew."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from service.rules.heartrush import HEARTRUSH
from service.rules.kernel.codec import from_data, placed, to_data
from service.rules.kernel.json_pointer import steps
from service.rules.kernel.sealed import places_of_sealed
from service.rules.kernel.sealed_data import taken
from service.rules.table.table import GM, Table
from tests.core.undoing import opened
from tests.support.in_process_service import House

ROLLS = 12


@pytest.fixture(scope="module")
def undone() -> tuple[Table, list[Table]]:
    """Return the state of a line that took rolls behind the screen back, and of each folded commit of it."""
    with House() as house:
        line = opened(house, HEARTRUSH.edition, Random(3))
        first = len(house.commits(line)) + 1
        for _ in range(ROLLS):
            house.send(line, GM, "roll_behind_screen", dice=[6], what="who comes")
        after = house.accept(line, house.proposed(line, "undo", commit=first))
        return house.state(after), [house.state(line), house.state(after)]


def test_a_line_has_a_sealed_part_for_each_roll_that_nobody_saw(undone: tuple[Table, list[Table]]) -> None:
    state, _ = undone
    assert state.line is not None
    assert len(state.line.sealed_rolls) == ROLLS


def test_what_is_placed_is_what_reading_the_whole_gives(undone: tuple[Table, list[Table]]) -> None:
    for state in undone[1]:
        places = list(places_of_sealed(state))
        assert places
        for pointer, _ in places:
            data = to_data(state)
            value = taken(data, pointer)
            closed = from_data(type(state), data, families=state.families)
            assert closed != state

            found = placed(closed, steps(pointer), value, state.families)

            assert found == state


def test_what_does_not_lie_on_the_way_stays_the_same_object(undone: tuple[Table, list[Table]]) -> None:
    """So that a thousand values cost a thousand times one value, not a thousand times the state."""
    state, _ = undone
    pointer = next(at for at, _ in places_of_sealed(state) if at.startswith("/line/"))
    value: Any = taken(to_data(state), pointer)

    found = placed(state, steps(pointer), value, state.families)

    assert found == state
    assert found.line is not state.line
    assert [name for name, part in vars(found).items() if part is not vars(state).get(name)] == ["line"]


def test_a_place_inside_what_is_closed_is_not_there(undone: tuple[Table, list[Table]]) -> None:
    state, _ = undone
    pointer = next(at for at, _ in places_of_sealed(state) if at.startswith("/line/"))
    data = to_data(state)
    taken(data, pointer)
    closed = from_data(type(state), data, families=state.families)

    with pytest.raises(LookupError):
        placed(closed, [*steps(pointer), "value", "some roll"], [], state.families)
