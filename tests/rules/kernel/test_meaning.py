"""A field says what it holds in one place, and the codec holds what is sent to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

import pytest

from service.rules.kernel.codec import Malformed, from_data
from service.rules.kernel.declared import declared_in, unsaid
from service.rules.kernel.families import NO_FAMILIES
from service.rules.kernel.hints import AnyList, Scalar, fields_of, kind_in, shape_of
from service.rules.kernel.meaning import at_most, number, text, within
from service.rules.kernel.messages import Actor, Command
from service.rules.kernel.records import EMPTY, record
from service.rules.kernel.values import Cell, CellKey, CreatureId, Feet, HitPoints, Remark

GM = Actor(seat="gm", role="gm")


@record
class Blow:
    damage: HitPoints
    note: Remark = ""


@record
class Move(Command[Any]):
    type: ClassVar[str] = "move"
    creature: CreatureId
    speed: Annotated[Feet | None, within(5, 60, step=5)] = None
    with_: Annotated[tuple[CreatureId, ...], at_most(2, fewest=1)] = ("pia",)
    at: Cell = (0, 0)
    heights: Mapping[CellKey, Feet] = EMPTY
    blows: Annotated[tuple[Blow, ...], at_most(3)] = ()

    def check(self, view: Any) -> None: ...

    def decide(self, state: Any) -> Any: ...


@pytest.mark.parametrize(
    ("data", "pointer", "expected"),
    [
        ({"speed": 65}, "/speed", "a whole number of feet from 5 to 60, in steps of 5"),
        ({"speed": 0}, "/speed", "a whole number of feet from 5 to 60, in steps of 5"),
        ({"speed": 7}, "/speed", "a whole number of feet from 5 to 60, in steps of 5"),
        ({"speed": True}, "/speed", "a whole number"),
        (
            {"creature": "Pia"},
            "/creature",
            "An id of 1 to 24 characters: a-z, 0-9, -; it does not begin with -; closest match: pia",
        ),
        ({"with_": []}, "/with_", "a list of 1 to 2"),
        ({"with_": ["a", "b", "c"]}, "/with_", "a list of 1 to 2"),
        (
            {"with_": ["a", "-"]},
            "/with_/1",
            "An id of 1 to 24 characters: a-z, 0-9, -; it does not begin with -",
        ),
        ({"at": [0, 10_000]}, "/at/1", "a whole number from -9999 to 9999"),
        ({"heights": {"3,2": -5}}, "/heights/3,2", "a whole number of feet from 0 to 1000"),
        ({"heights": {"3": 5}}, "/heights/3", "a cell is written x,y, such as 3,-2"),
        ({"heights": {f"0,{n}": 5 for n in range(2_001)}}, "/heights", "an object of at most 2000 names"),
        ({"blows": [{"damage": 10_001}]}, "/blows/0/damage", "a whole number of hit points from 0 to 10000"),
        ({"blows": [{"damage": 1, "note": "x" * 501}]}, "/blows/0/note", "text of at most 500 characters"),
    ],
)
def test_what_is_sent_is_read_within_its_bounds(data: Mapping[str, Any], pointer: str, expected: str) -> None:
    with pytest.raises(Malformed) as refused:
        from_data(Move, {"creature": "pia", **data}, by=GM)

    assert (refused.value.pointer, refused.value.expected) == (pointer, expected)


def test_both_bounds_are_within() -> None:
    for speed in (5, 60, None):
        assert from_data(Move, {"creature": "pia", "speed": speed}, by=GM).speed == speed


def test_what_the_rules_made_is_read_as_it_is() -> None:
    assert from_data(Blow, {"damage": -7}).damage == -7
    with pytest.raises(Malformed, match="/damage"):
        from_data(Blow, {"damage": -7}, bounded=True)


def test_the_last_note_wins_and_the_others_stay() -> None:
    speed = next(field for field in fields_of(Move) if field.name == "speed").shape

    assert kind_in(speed) == "feet"
    assert shape_of(Annotated[Feet, within(1, 2)]).meaning.unit == "feet"
    assert shape_of(tuple[CreatureId, ...]).meaning.count == 200
    assert shape_of(Annotated[tuple[CreatureId, ...], at_most(3)]).meaning.count == 3


def test_a_bound_is_a_multiple_of_its_step() -> None:
    with pytest.raises(AssertionError, match="7 is no multiple of 5"):
        number("feet", 0, 7, step=5)


@record
class Loose:
    speed: int
    name: str
    steps: tuple[Feet, ...] = ()
    blows: tuple[Blow, ...] = ()
    any: Mapping[str, Any] = EMPTY
    said: Annotated[str, text("words", 5)] = ""


def test_what_a_field_does_not_say_is_found() -> None:
    assert list(unsaid([Loose], NO_FAMILIES)) == [
        "Loose.speed is a number without bounds",
        "Loose.name is text without a greatest length",
        "Loose.blows is a list without a greatest count",
        "Loose.any is an object without a greatest count",
        "Loose.any has any form",
        "Loose.any is text without a greatest length",
    ]
    assert list(unsaid([Move], NO_FAMILIES)) == []
    assert [str(each) for each in declared_in([Move], NO_FAMILIES)][-2:] == ["Blow.damage", "Blow.note"]


def test_a_list_of_values_has_their_greatest_count() -> None:
    shape = shape_of(tuple[int, ...])

    assert isinstance(shape, AnyList)
    assert shape.each == Scalar(int)
    assert shape.meaning.count is None
