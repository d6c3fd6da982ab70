"""Read type hints once: the codec, the check of what clients send and JSON Schema are made from its shapes.

A shape says what a value of a hint is made of. A module that uses shapes has one function for each of their
classes, and reads no hint.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from functools import cache
from typing import Annotated, Any, ClassVar, Final, Literal, Union, get_args, get_origin, get_type_hints

from service.rules.kernel.families import family_tag
from service.rules.kernel.meaning import UNSAID, Meaning
from service.rules.kernel.records import Sealed


@dataclass(frozen=True)
class Shape:
    """The base of all shapes."""

    meaning: Meaning = field(default=UNSAID, kw_only=True)
    """What the notes of its annotation say about the value."""


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
    """A list with as many items as its meaning allows."""

    each: Shape


@dataclass(frozen=True)
class Names(Shape):
    """An object with as many names as its meaning allows, each of which fits *key*."""

    each: Shape
    key: Shape = Scalar(str)


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


def meant(shape: Shape, meaning: Meaning) -> Shape:
    """Return *shape* with what *meaning* says besides; each alternative has it too."""
    noted = replace(shape, meaning=shape.meaning.with_notes(meaning))
    if isinstance(noted, Alternatives):
        return replace(noted, ways=tuple([meant(way, meaning) for way in noted.ways]))
    return noted


def kind_in(shape: Shape) -> str:
    """Return the kind of a value of *shape*, or of the items of a list, or of the values of an object.

    It is empty if the shape says none.
    """
    return next((part.meaning.kind for part in parts_of(shape) if part.meaning.kind), "")


def is_plain(shape: Shape) -> bool:
    """Return whether every value of *shape* is text, a whole number, true, false or None."""
    if isinstance(shape, Alternatives):
        return all(map(is_plain, shape.ways))
    return isinstance(shape, Scalar | Nothing | Choice)


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


def _noted(arguments: tuple[Any, ...]) -> Shape:
    shape = shape_of(arguments[0])
    for note in arguments[1:]:
        if isinstance(note, str):
            shape = meant(shape, Meaning(said=note))
        elif isinstance(note, Meaning):
            shape = meant(shape, note)
    return shape


def _alternatives(arguments: tuple[Any, ...]) -> Shape:
    ways = tuple(shape_of(each) for each in arguments if each is not type(None))
    return Alternatives(ways, optional=len(ways) < len(arguments))


def _list(arguments: tuple[Any, ...]) -> Shape:
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        each = shape_of(arguments[0])
        return AnyList(each, meaning=_counted(each))
    return FixedList(tuple(map(shape_of, arguments)))


def _names(arguments: tuple[Any, ...]) -> Shape:
    key = shape_of(arguments[0])
    return Names(shape_of(arguments[1]), key, meaning=_counted(key))


def _counted(each: Shape) -> Meaning:
    """Return the greatest count of a list of *each*, or of an object with such names, if *each* says one.

    A record says it with a class variable `many`; of words that are listed, there are as many as the list.
    """
    many = each.meaning.many
    if many is None and isinstance(each, Choice):
        many = len(each.values)
    if many is None and isinstance(each, RecordObject | Member):
        many = vars(each.kind if isinstance(each, RecordObject) else each.head).get("many")
    return Meaning(count=many) if isinstance(many, int) else UNSAID


_SCALARS: Final = (str, int, bool)

_READABLE: Final = "a str, int, bool, Literal, tuple or Mapping"
"""What a field may hold besides records, for the author of a ruleset."""

_GENERIC: Final[Mapping[Any, Callable[[tuple[Any, ...]], Shape]]] = types.MappingProxyType(
    {
        Annotated: _noted,
        Literal: Choice,
        Union: _alternatives,
        types.UnionType: _alternatives,
        tuple: _list,
        dict: _names,
        Mapping: _names,
        Sealed: lambda arguments: SealedValue(shape_of((*arguments, Any)[0])),
    }
)
"""How a hint is read that takes other hints as its arguments."""

_LOCALS: Final = {"ClassVar": ClassVar, "Mapping": Mapping}
"""Names that annotations use but modules import only for type checking."""
