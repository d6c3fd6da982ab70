"""Read type hints once: the codec, the check of what clients send and JSON Schema are made from its shapes.

A shape says what a value of a hint is made of. A module that uses shapes has one function for each of their
classes, and reads no hint.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from typing import Annotated, Any, ClassVar, Final, Literal, Union, get_args, get_origin, get_type_hints

from service.rules.kernel.families import family_tag
from service.rules.kernel.records import Sealed


@dataclass(frozen=True)
class Shape:
    """The base of all shapes."""


@dataclass(frozen=True)
class Scalar(Shape):
    """Text, a whole number, or true and false: exactly the type *kind*."""

    kind: type


@dataclass(frozen=True)
class Nothing(Shape):
    """None."""


@dataclass(frozen=True)
class Anything(Shape):
    """Data of any form."""


@dataclass(frozen=True)
class Choice(Shape):
    """One of *values*."""

    values: tuple[Any, ...]


@dataclass(frozen=True)
class Alternatives(Shape):
    """A value of one of *ways*, or None if it is *optional*."""

    ways: tuple[Shape, ...]
    optional: bool


@dataclass(frozen=True)
class FixedList(Shape):
    """A list with one item of each of *items*."""

    items: tuple[Shape, ...]


@dataclass(frozen=True)
class AnyList(Shape):
    """A list of any length."""

    each: Shape


@dataclass(frozen=True)
class Names(Shape):
    """An object with any names."""

    each: Shape


@dataclass(frozen=True)
class SealedValue(Shape):
    """A sealed value."""

    inner: Shape


@dataclass(frozen=True)
class RecordObject(Shape):
    """An object with the fields of the record *kind*; see `fields_of`."""

    kind: Any


@dataclass(frozen=True)
class Member(Shape):
    """An object of one class of a family, which its member *tag* names."""

    head: Any
    tag: str


@dataclass(frozen=True)
class Described(Shape):
    """A value of *inner*, with the text of its annotation."""

    inner: Shape
    text: str


@dataclass(frozen=True)
class FieldShape:
    """A field of a record."""

    name: str
    shape: Shape
    given: bool
    """Whether data has it; one that is not given is filled in by the service."""
    default: Any
    """`MISSING` if it has none."""

    @property
    def required(self) -> bool:
        """Whether data must have it."""
        return self.default is MISSING


def shape_of(hint: object) -> Shape:
    """Return the shape of a type *hint*."""
    for kind in _SCALARS:
        if hint is kind:
            return Scalar(kind)
    if hint is None or hint is type(None):
        return Nothing()
    if hint is Any:
        return Anything()
    origin: Any = get_origin(hint) or hint
    of_arguments = _GENERIC.get(origin)
    if of_arguments is not None:
        return of_arguments(get_args(hint))
    tag = family_tag(origin)
    return Member(origin, tag) if tag else RecordObject(origin)


def undescribed(shape: Shape) -> Shape:
    """Return *shape* without the text of its annotation."""
    return undescribed(shape.inner) if isinstance(shape, Described) else shape


def is_plain(shape: Shape) -> bool:
    """Return whether every value of *shape* is text, a whole number, true, false or None."""
    bare = undescribed(shape)
    if isinstance(bare, Alternatives):
        return all(map(is_plain, bare.ways))
    return isinstance(bare, Scalar | Nothing | Choice)


@cache
def fields_of(kind: type[Any]) -> tuple[FieldShape, ...]:
    """Return the fields of the record *kind*, in order."""
    hints = get_type_hints(kind, include_extras=True, localns=_LOCALS)
    every = fields(kind)
    assert all(field.default_factory is MISSING for field in every), "a default never changes: it is shared"
    found = tuple(
        FieldShape(
            name=field.name,
            shape=shape_of(hints[field.name]),
            given=field.metadata.get("given", True),
            default=field.default,
        )
        for field in every
    )
    for each in found:
        for part in parts_of(each.shape) if each.given else ():
            if isinstance(part, RecordObject) and not is_dataclass(part.kind):
                name = getattr(part.kind, "__name__", part.kind)
                text = (
                    f"{kind.__name__}.{each.name} holds a {name}, which is neither a record nor {_READABLE}"
                )
                raise TypeError(text)
    return found


def parts_of(shape: Shape) -> Iterator[Shape]:
    """Yield *shape* and every shape in it, but not the fields of a record."""
    yield shape
    for value in vars(shape).values():
        for inner in value if isinstance(value, tuple) else (value,):
            if isinstance(inner, Shape):
                yield from parts_of(inner)


def required_fields(fields: Iterable[FieldShape]) -> tuple[str, ...]:
    """Return the names of those *fields* of a record that data must have."""
    return tuple(field.name for field in fields if field.given and field.required)


def _described(arguments: tuple[Any, ...]) -> Shape:
    text = next((note for note in arguments[1:] if isinstance(note, str)), "")
    return Described(shape_of(arguments[0]), text)


def _alternatives(arguments: tuple[Any, ...]) -> Shape:
    ways = tuple(shape_of(each) for each in arguments if each is not type(None))
    return Alternatives(ways, optional=len(ways) < len(arguments))


def _list(arguments: tuple[Any, ...]) -> Shape:
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        return AnyList(shape_of(arguments[0]))
    return FixedList(tuple(map(shape_of, arguments)))


_SCALARS: Final = (str, int, bool)

_READABLE: Final = "a str, int, bool, Literal, tuple or Mapping"
"""What a field may hold besides records, for the author of a ruleset."""

_GENERIC: Final[Mapping[Any, Callable[[tuple[Any, ...]], Shape]]] = types.MappingProxyType(
    {
        Annotated: _described,
        Literal: Choice,
        Union: _alternatives,
        types.UnionType: _alternatives,
        tuple: _list,
        dict: lambda arguments: Names(shape_of(arguments[1])),
        Mapping: lambda arguments: Names(shape_of(arguments[1])),
        Sealed: lambda arguments: SealedValue(shape_of((*arguments, Any)[0])),
    }
)
"""How a hint is read that takes other hints as its arguments."""

_LOCALS: Final = {"ClassVar": ClassVar, "Mapping": Mapping}
"""Names that annotations use but modules import only for type checking."""
