"""Make marshmallow schemas from the shapes of records, the only description of input.

Laws. A schema accepts exactly what its record can hold: no unknown field, no text for a number, no 1 for
true. Each record's schema is made once. Valid input is used as it was sent; nothing is converted.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from typing import Any, ClassVar, Final

import marshmallow
from marshmallow import RAISE, Schema, ValidationError
from marshmallow.exceptions import SCHEMA

from service.api.fields import (
    AnythingField,
    BooleanField,
    ChoiceField,
    IntegerField,
    ListField,
    MappingField,
    Part,
    TextField,
    TupleField,
    UnionField,
    Worded,
    kind_of,
)
from service.api.problems import invalid
from service.rules.kernel.families import NO_FAMILIES, Families
from service.rules.kernel.hints import (
    Alternatives,
    AnyList,
    Anything,
    Choice,
    FixedList,
    Member,
    Names,
    RecordObject,
    Scalar,
    Shape,
    fields_of,
)
from service.rules.kernel.json_pointer import escaped
from service.rules.kernel.near import close_name

UNKNOWN: Final = "no such field"
"""The message for a field that the record does not have."""


class KindField(Worded):
    """An object of one of several kinds in *families*; its member *tag* names the kind."""

    def __init__(self, tag: str, head: type, families: Families, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.tag = tag
        self.head = head
        self.families = families

    @cached_property
    def kinds(self) -> Mapping[str, StrictSchema]:
        """The schemas by tag, made at first use because a kind may contain others of its family."""
        found = sorted(self.families.members(self.head).items())
        return {tag: _member(self.head, self.tag, kind, self.families)() for tag, kind in found}

    def _deserialize(self, value: object, attr: str | None, data: Any, **kwargs: Any) -> object:
        del attr, data, kwargs
        if type(value) is not dict:
            raise ValidationError(f"an object, not {kind_of(value)}")
        name = value.get(self.tag)
        schema = self.kinds.get(name) if type(name) is str else None
        if schema is None:
            raise ValidationError({self.tag: ["one of " + ", ".join(self.kinds)]})
        messages = _messages(schema, value)
        if messages:
            raise ValidationError(dict(messages))
        return value


class StrictSchema(Schema):
    """The schema of a record; it refuses unknown fields."""

    class Meta:
        """Options for marshmallow: an undeclared field is an error."""

        unknown = RAISE

    error_messages = {"unknown": UNKNOWN, "type": "an object"}  # noqa: RUF012 - as marshmallow declares it

    record: ClassVar[Any] = None
    """The record whose fields it has, None for a schema that was declared by hand."""

    def handle_error(self, error: ValidationError, data: Any, **kwargs: Any) -> None:
        """Name unknown fields in the order of the data, each with its closest match."""
        del kwargs
        assert isinstance(error.messages, dict)
        found = error.messages
        for name in [name for name in data if found.get(name) == [UNKNOWN]] if isinstance(data, dict) else ():
            del found[name]  # marshmallow has them in the order of a set
            found[name] = [UNKNOWN + near(name, self.fields)]


def near(name: str, names: Iterable[str]) -> str:
    """Return a hint at the closest match of *name* among *names*, an empty text if none is similar.

    A name that *name* abbreviates matches too: `hp` matches `hp_max`.
    """
    known = list(names)
    close = close_name(name, known)
    found = [close] if close is not None else [each for each in known if each.startswith(f"{name}_")]
    return f"; closest match: {', '.join(found)}" if found else ""


def schema_of(
    kind: Any,
    *,
    name: str | None = None,
    tag: str | None = None,
    edition: str | None = None,
    only: tuple[str, ...] | None = None,
    families: Families = NO_FAMILIES,
) -> type[StrictSchema]:
    """Return the schema class of the record *kind*, or of its fields *only*.

    With *tag* or *edition* it also has a required field `type` or `edition` with that constant value.
    *families* are those of the record's ruleset.
    """
    declared: dict[str, Any] = {"record": kind}
    for key, value in (("type", tag), ("edition", edition)):
        if value is not None:
            declared[key] = ChoiceField((value,), required=True)
    declared |= {field: made for field, made in _fields(kind, families) if only is None or field in only}
    return type(name or kind.__name__, (StrictSchema,), declared | _wanting(declared))


def _wanting(declared: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a schema with the fields *declared* says where something else than an object stands."""
    names = [name for name, made in declared.items() if getattr(made, "required", False)]
    said = f"an object with {', '.join(names)}" if names else "an object"
    return {"error_messages": {**StrictSchema.error_messages, "type": said}}


def strict(name: str, declared: Mapping[str, marshmallow.fields.Field[Any]]) -> StrictSchema:
    """Return a schema with the class name *name* and exactly the fields *declared*."""
    kind: type[StrictSchema] = type(name, (StrictSchema,), dict(declared))
    return kind()


@cache
def nested(kind: Any, families: Families) -> type[StrictSchema]:
    """Return the schema class of a nested record, prefixed with its book because two may have a `Sheet`."""
    return schema_of(kind, name=f"{_book(kind.__module__)}{kind.__name__}", families=families)


@cache
def _member(head: type, tag: str, kind: Any, families: Families) -> type[StrictSchema]:
    """Return the schema class of a member of a family, for example `HeartrushEffectPush`."""
    name = f"{_book(kind.__module__)}{head.__name__}{kind.__name__}"
    declared: dict[str, Any] = {"record": kind, tag: ChoiceField((getattr(kind, tag),), required=True)}
    return type(name, (StrictSchema,), declared | dict(_fields(kind, families)))


def _book(module: str) -> str:
    """Return the name prefix for a ruleset's own records: `Rise` for `service.rules.rise.creatures.state`.

    For another package it is the package's name, `RewoundDuel` for `rewound_duel`, so that two packages may
    have records of one name.
    """
    first = module.partition(".")[0]
    if first != "service":
        return "".join(part.capitalize() for part in first.split("_"))
    below = module.removeprefix(_RULES).split(".")
    return below[0].capitalize() if module.startswith(_RULES) and len(below) > 1 else ""


_RULES: Final = "service.rules."


def _fields(kind: type, families: Families) -> Iterator[tuple[str, marshmallow.fields.Field[Any]]]:
    """Yield the fields of a record."""
    for field in fields_of(kind):
        if field.given:
            yield field.name, _field_of(field.shape, families, required=field.required)


def _field_of(shape: Shape, families: Families, **kwargs: Any) -> marshmallow.fields.Field[Any]:
    """Return the marshmallow field of a value of *shape* with members of *families*."""
    made: marshmallow.fields.Field[Any] = _FIELDS[type(shape)](shape, families, kwargs)
    return made


def _alternatives(
    shape: Alternatives, families: Families, kwargs: dict[str, Any]
) -> marshmallow.fields.Field[Any]:
    if shape.optional:
        kwargs["allow_none"] = True
    if len(shape.ways) == 1:
        return _field_of(shape.ways[0], families, **kwargs)
    return UnionField(tuple(_field_of(way, families) for way in shape.ways), **kwargs)


def _tuple(shape: FixedList, families: Families, kwargs: dict[str, Any]) -> marshmallow.fields.Field[Any]:
    return TupleField(tuple(_field_of(each, families) for each in shape.items), **kwargs)


def _mapping(shape: Names, families: Families, kwargs: dict[str, Any]) -> marshmallow.fields.Field[Any]:
    names, each = _field_of(shape.key, families), _field_of(shape.each, families)
    return MappingField(names, each, shape.meaning, **kwargs)


def _scalar(shape: Scalar, _: Families, kwargs: dict[str, Any]) -> marshmallow.fields.Field[Any]:
    if shape.kind is bool:
        return BooleanField(**kwargs)
    return (TextField if shape.kind is str else IntegerField)(shape.meaning, **kwargs)


_FIELDS: Final[Mapping[type[Shape], Callable[[Any, Families, dict[str, Any]], Any]]] = types.MappingProxyType(
    {
        Scalar: _scalar,
        Choice: lambda shape, _, kwargs: ChoiceField(shape.values, **kwargs),
        Alternatives: _alternatives,
        AnyList: lambda shape, families, kwargs: ListField(
            _field_of(shape.each, families), shape.meaning, **kwargs
        ),
        FixedList: _tuple,
        Names: _mapping,
        RecordObject: lambda shape, families, kwargs: Part(nested(shape.kind, families), **kwargs),
        Member: lambda shape, families, kwargs: KindField(shape.tag, shape.head, families, **kwargs),
        # the rules check it: a parameter of an ability that the client defines
        Anything: lambda _shape, _families, kwargs: AnythingField(**kwargs | {"allow_none": True}),
    }
)
"""The field of each shape that a client may send; nothing sealed comes from a client."""


def faults(schema: Schema, data: object) -> list[tuple[str, str]]:
    """Return the faults of *data* under *schema*, each a JSON pointer and what was expected; none if it fits.

    Unknown fields come first, because a misspelled field also makes a required one missing.
    """
    if type(data) is not dict:
        return [("", f"an object, not {kind_of(data)}")]
    messages = _messages(schema, data)
    return sorted(_pointers(messages, ""), key=lambda fault: UNKNOWN not in fault[1]) if messages else []


def raise_if_invalid(found: Sequence[tuple[str, str]]) -> None:
    """Raise a problem if any faults were *found*."""
    if found:
        raise invalid(*found)


def _messages(schema: Schema, data: dict[str, Any]) -> Any:
    """Return marshmallow's messages by field, empty if *data* fits.

    marshmallow's frame references the error that it raises, and the error's traceback references the frame.
    This cycle would keep the whole request alive until the garbage collector runs. Without its traceback the
    error is freed at once.
    """
    try:
        schema.load(data)
    except ValidationError as fault:
        fault.__traceback__ = None
        return fault.messages
    return {}


def _pointers(messages: Any, pointer: str) -> Iterator[tuple[str, str]]:
    if isinstance(messages, Mapping):
        for key, below in messages.items():
            yield from _pointers(below, pointer if key == SCHEMA else f"{pointer}/{escaped(str(key))}")
    elif isinstance(messages, list):
        yield from ((pointer, str(message)) for message in messages)
    else:
        yield pointer, str(messages)
