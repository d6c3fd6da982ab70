"""Make marshmallow schemas from the type hints of records, the only description of input.

Laws. A schema accepts exactly what its record can hold: no unknown field, no text for a number, no 1 for
true. Each record's schema is made once. Valid input is used as it was sent; nothing is converted.
"""

from __future__ import annotations

import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from difflib import get_close_matches
from functools import cache, cached_property
from typing import Annotated, Any, ClassVar, Final, Literal, Union, get_args, get_origin, get_type_hints

import marshmallow
from marshmallow import RAISE, Schema, ValidationError
from marshmallow.exceptions import SCHEMA

from service.api.fields import (
    NUMBER_AS_TEXT,
    Anything,
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
from service.api.problems import Problem, invalid, listed
from service.rules.families import family_tag, members
from service.rules.json_pointer import escaped

_ID_WORDS: Final = "an id"
_NOT_NEGATIVE: Final = "feet, 0 or more"
UNKNOWN: Final = "no such field"
"""The message for a field that the record does not have."""


class KindField(Worded):
    """An object of one of several kinds; its member *tag* names the kind."""

    def __init__(self, tag: str, head: type, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.tag = tag
        self.head = head

    @cached_property
    def kinds(self) -> Mapping[str, StrictSchema]:
        """The schemas by tag, made at first use because a kind may contain others of its family."""
        found = sorted(members(self.head).items())
        return {tag: _member(self.head, self.tag, kind)() for tag, kind in found}

    def _deserialize(self, value: object, attr: str | None, data: Any, **kwargs: Any) -> object:
        del attr, data, kwargs
        if type(value) is not dict:
            raise ValidationError(f"an object, not {kind_of(value)}")
        told = value.get(self.tag)
        schema = self.kinds.get(told) if type(told) is str else None
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

    def handle_error(self, error: ValidationError, data: Any, **kwargs: Any) -> None:
        """Add the closest match to the message of each unknown field."""
        del data, kwargs
        assert isinstance(error.messages, dict)
        for name, said in error.messages.items():
            if said == [UNKNOWN]:
                error.messages[name] = [UNKNOWN + near(name, self.fields)]


def near(name: str, names: Iterable[str]) -> str:
    """Return a hint at the closest match of *name* among *names*, an empty text if none is similar.

    A name that *name* abbreviates matches too: `hp` matches `hp_max`.
    """
    known = list(names)
    found = get_close_matches(name, known, n=1) or [each for each in known if each.startswith(f"{name}_")]
    return f"; closest match: {', '.join(found)}" if found else ""


def schema_of(
    kind: Any,
    *,
    name: str | None = None,
    tag: str | None = None,
    edition: str | None = None,
    only: tuple[str, ...] | None = None,
) -> type[StrictSchema]:
    """Return the schema class of the record *kind*, or of its fields *only*.

    With *tag* or *edition* it also has a required field `type` or `edition` with that constant value.
    """
    declared: dict[str, Any] = {}
    for key, value in (("type", tag), ("edition", edition)):
        if value is not None:
            declared[key] = ChoiceField((value,), required=True)
    declared |= {field: made for field, made in _fields(kind) if only is None or field in only}
    return type(name or kind.__name__, (StrictSchema,), declared)


def strict(name: str, declared: Mapping[str, marshmallow.fields.Field[Any]]) -> StrictSchema:
    """Return a schema with the class name *name* and exactly the fields *declared*."""
    kind: type[StrictSchema] = type(name, (StrictSchema,), dict(declared))
    return kind()


@cache
def nested(kind: Any) -> type[StrictSchema]:
    """Return the schema class of a nested record, prefixed with its book because two may have a `Sheet`."""
    return schema_of(kind, name=f"{_book(kind.__module__)}{kind.__name__}")


@cache
def _member(head: type, tag: str, kind: Any) -> type[StrictSchema]:
    """Return the schema class of a member of a family, for example `HeartrushEffectPush`.

    Its fields for ids also take a template (`$target`), so only the rules check them.
    """
    name = f"{_book(kind.__module__)}{head.__name__}{kind.__name__}"
    declared: dict[str, Any] = {tag: ChoiceField((getattr(kind, tag),), required=True)}
    return type(name, (StrictSchema,), declared | dict(_fields(kind, named=False)))


def _book(module: str) -> str:
    """Return the name prefix for a ruleset's own records: `Rise` for `service.rules.rise.state`."""
    below = module.removeprefix(_RULES).split(".")
    return below[0].capitalize() if module.startswith(_RULES) and len(below) > 1 else ""


_RULES: Final = "service.rules."


def _fields(kind: type, *, named: bool = True) -> Iterator[tuple[str, marshmallow.fields.Field[Any]]]:
    """Yield the fields of a record; with *named*, a field's name decides whether it holds ids."""
    hints = get_type_hints(kind, include_extras=True, localns={"ClassVar": ClassVar, "Mapping": Mapping})
    for field in fields(kind):
        if field.metadata.get("given", True):
            required = field.default is MISSING and field.default_factory is MISSING
            name = field.name if named else ""
            yield field.name, field_of(hints[field.name], name=name, required=required)


def field_of(hint: Any, *, name: str = "", **kwargs: Any) -> marshmallow.fields.Field[Any]:
    """Return the marshmallow field for a type *hint*; asserts that the hint is supported."""
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        text = next((note for note in args[1:] if isinstance(note, str)), "")
        kwargs["metadata"] = {"description": text} | kwargs.get("metadata", {})
        if text == _NOT_NEGATIVE:
            return IntegerField(least=0, **kwargs)
        return field_of(args[0], name=_ID_WORDS if text.startswith(_ID_WORDS) else name, **kwargs)
    if origin in (Union, types.UnionType):
        return _union(args, name, kwargs)
    if origin is Literal:
        return ChoiceField(args, **kwargs)
    return _plain(hint, name, kwargs) or _of_many(hint, name, kwargs)


def _of_many(hint: Any, name: str, kwargs: dict[str, Any]) -> marshmallow.fields.Field[Any]:
    """Return the field for a list, a mapping or a record."""
    origin, args = get_origin(hint), get_args(hint)
    if origin is tuple:
        if args[-1] is Ellipsis:
            return ListField(field_of(args[0], name=name), **kwargs)
        return TupleField(tuple(field_of(arg) for arg in args), **kwargs)
    if origin is not None and issubclass(origin, Mapping):
        return MappingField(field_of(args[1]), **kwargs)
    assert is_dataclass(hint), f"no field for {hint!r}"
    return _of_record(hint, kwargs)


def _of_record(hint: Any, kwargs: dict[str, Any]) -> marshmallow.fields.Field[Any]:
    tag = family_tag(hint)
    if tag is not None:
        return KindField(tag, hint, **kwargs)
    return Part(nested(hint), **kwargs)


_IDS: Final = (
    _ID_WORDS,
    "seat",
    "creature",
    "creatures",
    "target",
    "targets",
    "side",
    "sides",
)
"""Names of fields whose text must be an id, even if the hint is only `str`."""


_LINES: Final = (
    "claim",
    "complication",
    "decision",
    "description",
    "note",
    "question",
    "reason",
    "text",
    "words",
)
"""Names of fields for prose, whose text may have several lines."""


def _plain(hint: Any, name: str, kwargs: dict[str, Any]) -> marshmallow.fields.Field[Any] | None:
    if hint is str:
        return TextField(is_id=name in _IDS, lines=name in _LINES, **kwargs)
    if hint is bool:
        return BooleanField(**kwargs)
    if hint is int:
        return IntegerField(**kwargs)
    if hint is Any:  # the rules check it: a parameter of an ability that the client defines
        return Anything(**kwargs | {"allow_none": True})
    return None


def _union(args: tuple[Any, ...], name: str, kwargs: dict[str, Any]) -> marshmallow.fields.Field[Any]:
    given = tuple(arg for arg in args if arg is not type(None))
    if len(given) < len(args):
        kwargs["allow_none"] = True
    if len(given) == 1:
        return field_of(given[0], name=name, **kwargs)
    return UnionField(tuple(field_of(arg, name=name) for arg in given), **kwargs)


def faults(schema: Schema, data: object) -> list[tuple[str, str]]:
    """Return the faults of *data* under *schema*, each a JSON pointer and what was expected; none if it fits.

    Unknown fields come first, because a misspelled field also makes a required one missing.
    """
    if type(data) is not dict:
        return [("", f"an object, not {kind_of(data)}")]
    messages = _messages(schema, data)
    return sorted(_pointers(messages, ""), key=lambda fault: UNKNOWN not in fault[1]) if messages else []


def raise_if_invalid(found: Sequence[tuple[str, str]]) -> None:
    """Raise a problem if any faults were *found*.

    The problem is `not-strict-json` if every fault is text in place of a number, else `invalid`.
    """
    if not found:
        return
    if all(detail == NUMBER_AS_TEXT for _, detail in found):
        raise Problem("not-strict-json", f"{found[0][0]}: {found[0][1]}", members={"errors": listed(found)})
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
