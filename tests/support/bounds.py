"""Values at the bounds of what a field declares, made of the same shapes as the schemas and the codec.

`value_of` gives a value at one end, `Case`s put one value out of bounds into it, each with its JSON pointer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, Literal, NamedTuple

from service.rules.kernel.families import Families
from service.rules.kernel.hints import (
    Alternatives,
    AnyList,
    Choice,
    FieldShape,
    FixedList,
    Member,
    Names,
    RecordObject,
    Scalar,
    Shape,
    fields_of,
)
from service.rules.kernel.json_pointer import escaped
from service.rules.kernel.meaning import Meaning

End = Literal["least", "most"]
ENDS: Final[tuple[End, ...]] = ("least", "most")

FITTING: Final[Mapping[str, str]] = {"cell": "3,-2", "edge": "2,0|3,0"}
"""Texts for the patterns that are not ids, by kind."""


def value_of(shape: Shape, end: End, families: Families, within: tuple[Any, ...] = ()) -> Any:
    """Return a value of *shape* whose numbers and texts are at *end*; lists have as few items as they may.

    *within* are the records around it: an object of a family in itself is left out.
    """
    made = _VALUES.get(type(shape))
    if made is None:  # None, and data of any form
        return None

    def of(each: Shape, *around: Any) -> Any:
        return value_of(each, end, families, (*within, *around))

    return made(shape, of, end, families, within)


def _listed(shape: AnyList, of: _Of, _: End, __: Families, within: tuple[Any, ...]) -> list[Any]:
    return [] if _circle(shape.each, within) else [of(shape.each)]


def _member(shape: Member, of: _Of, _: End, families: Families, within: tuple[Any, ...]) -> dict[str, Any]:
    members = families.members(shape.head)
    fit = [tag for tag in sorted(members) if not any(_holds(each, within) for each in _given(members[tag]))]
    return {shape.tag: fit[0], **{each.name: of(each.shape, shape.head) for each in _given(members[fit[0]])}}


def _given(kind: Any) -> list[FieldShape]:
    return [field for field in fields_of(kind) if field.given]


def _holds(field: FieldShape, within: tuple[Any, ...]) -> bool:
    return field.required and _circle(field.shape, within)


def _circle(shape: Shape, within: tuple[Any, ...]) -> bool:
    """Return whether *shape* is an object of a record or a family that it is in already."""
    if isinstance(shape, Alternatives):
        return any(_circle(way, within) for way in shape.ways)
    own = shape.head if isinstance(shape, Member) else shape.kind if isinstance(shape, RecordObject) else None
    return own in within and own is not None


def _scalar(shape: Scalar, end: End) -> Any:
    meaning = shape.meaning
    if shape.kind is bool:
        return end == "most"
    if shape.kind is int:
        return meaning.least if end == "least" else meaning.most
    if meaning.pattern:
        length = (meaning.least if end == "least" else meaning.most) or 1
        return FITTING.get(meaning.kind, "a" * length)
    return "x" * ((meaning.least if end == "least" else meaning.most) or 0)


class Case(NamedTuple):
    """A value that is out of bounds, where it is, and what it says is expected."""

    pointer: str
    data: Any
    expected: str


def cases(shape: Shape, data: Any, families: Families, pointer: str = "") -> Iterator[Case]:
    """Yield *data* of *shape* with each one of its values out of bounds, below or above."""
    if isinstance(shape, Alternatives) and len(shape.ways) == 1:
        yield from cases(shape.ways[0], data, families, pointer)
    elif isinstance(shape, Scalar) and shape.kind is not bool:
        yield from _beyond(shape, pointer)
    elif isinstance(shape, FixedList | AnyList):
        yield from _in_list(shape, data, families, pointer)
    elif isinstance(shape, Names):
        for key, item in data.items():
            for case in cases(shape.each, item, families, f"{pointer}/{escaped(key)}"):
                yield case._replace(data={**data, key: case.data})
    elif isinstance(shape, RecordObject | Member):
        kind = (
            shape.kind if isinstance(shape, RecordObject) else families.members(shape.head)[data[shape.tag]]
        )
        yield from _in_record(kind, data, families, pointer)


def _in_list(shape: FixedList | AnyList, data: Any, families: Families, pointer: str) -> Iterator[Case]:
    if isinstance(shape, AnyList):
        yield from _too_many(shape.meaning, data, pointer)
    for i, item in enumerate(data):
        each = shape.each if isinstance(shape, AnyList) else shape.items[i]
        for case in cases(each, item, families, f"{pointer}/{i}"):
            yield case._replace(data=[*data[:i], case.data, *data[i + 1 :]])


def _in_record(kind: Any, data: Any, families: Families, pointer: str) -> Iterator[Case]:
    for field in _given(kind):
        for case in cases(field.shape, data[field.name], families, f"{pointer}/{field.name}"):
            yield case._replace(data={**data, field.name: case.data})


def _beyond(shape: Scalar, pointer: str) -> Iterator[Case]:
    meaning = shape.meaning
    assert meaning.least is not None, pointer
    assert meaning.most is not None, pointer
    if shape.kind is int:
        yield Case(pointer, meaning.least - 1, meaning.numbers)
        yield Case(pointer, meaning.most + 1, meaning.numbers)
        if meaning.step and meaning.step > 1:
            yield Case(pointer, meaning.least + 1, meaning.numbers)
    else:
        yield Case(pointer, "a" * (meaning.most + 1), meaning.form if meaning.pattern else meaning.texts)


def _too_many(meaning: Meaning, data: list[Any], pointer: str) -> Iterator[Case]:
    assert meaning.count is not None, pointer
    if data:
        yield Case(pointer, data * (meaning.count + 1), meaning.counts("a list"))


_Of = Callable[..., Any]
"""Returns a value of a shape inside, which is also in the records given after it."""

_VALUES: Final[Mapping[type[Shape], Callable[[Any, _Of, End, Families, tuple[Any, ...]], Any]]] = {
    Scalar: lambda shape, _of, end, _families, _within: _scalar(shape, end),
    Choice: lambda shape, _of, end, _families, _within: shape.values[0 if end == "least" else -1],
    Alternatives: lambda shape, of, _end, _families, _within: of(shape.ways[0]),
    FixedList: lambda shape, of, _end, _families, _within: [of(each) for each in shape.items],
    AnyList: _listed,
    Names: lambda shape, of, _end, _families, _within: {of(shape.key): of(shape.each)},
    RecordObject: lambda shape, of, _end, _families, _within: {
        each.name: of(each.shape, shape.kind) for each in _given(shape.kind)
    },
    Member: _member,
}
