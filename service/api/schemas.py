"""Make marshmallow schemas from the type hints of records: the one place where input is described.

Laws. A schema accepts exactly what its record can hold: no field too many, no text for a number, no 1 for
true. Schemas are made once per record. What passes is used as it was sent; nothing is converted.
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
"""What is said of a field that a record does not have."""


class KindField(Worded):
    """An object of one of several kinds, which its own *tag* names."""

    def __init__(self, tag: str, head: type, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.tag = tag
        self.head = head

    @cached_property
    def kinds(self) -> Mapping[str, StrictSchema]:
        """The schemas by their tags; made at first use, for a kind may hold others of its family."""
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
    """The schema of a record: fields it does not have are refused."""

    class Meta:
        """Say what marshmallow does with fields that nobody declared."""

        unknown = RAISE

    error_messages = {"unknown": UNKNOWN, "type": "an object"}  # noqa: RUF012 - as marshmallow declares it

    def handle_error(self, error: ValidationError, data: Any, **kwargs: Any) -> None:
        """Say of each field that is none which one may be meant."""
        del data, kwargs
        assert isinstance(error.messages, dict)
        for name, said in error.messages.items():
            if said == [UNKNOWN]:
                error.messages[name] = [UNKNOWN + near(name, self.fields)]


def near(name: str, names: Iterable[str]) -> str:
    """Return a hint at those of *names* that may be meant by *name*, nothing if none is near.

    A name that begins with *name* is near too: `hp` for `hp_max`.
    """
    known = list(names)
    found = get_close_matches(name, known, n=1) or [each for each in known if each.startswith(f"{name}_")]
    return f"; near it: {', '.join(found)}" if found else ""


def schema_of(
    kind: Any,
    *,
    name: str | None = None,
    tag: str | None = None,
    edition: str | None = None,
    only: tuple[str, ...] | None = None,
) -> type[StrictSchema]:
    """Return the schema class of the record *kind*, or of its fields *only*.

    With *tag* or *edition* it also has the field `type` or `edition`, with that one value.
    """
    declared: dict[str, Any] = {}
    for key, value in (("type", tag), ("edition", edition)):
        if value is not None:
            declared[key] = ChoiceField((value,), required=True)
    declared |= {field: made for field, made in _fields(kind) if only is None or field in only}
    return type(name or kind.__name__, (StrictSchema,), declared)


def strict(name: str, declared: Mapping[str, marshmallow.fields.Field[Any]]) -> StrictSchema:
    """Return the schema called *name* that has exactly the fields *declared*."""
    kind: type[StrictSchema] = type(name, (StrictSchema,), dict(declared))
    return kind()


@cache
def nested(kind: Any) -> type[StrictSchema]:
    """Return the one schema class of a record nested in others; two rulesets may each have a `Sheet`."""
    return schema_of(kind, name=f"{_book(kind.__module__)}{kind.__name__}")


@cache
def _member(head: type, tag: str, kind: Any) -> type[StrictSchema]:
    """Return the one schema class of a member of a family: `HeartrushEffectPush`.

    Where it names somebody a template may stand (`$target`), so the rules alone say who is known.
    """
    name = f"{_book(kind.__module__)}{head.__name__}{kind.__name__}"
    declared: dict[str, Any] = {tag: ChoiceField((getattr(kind, tag),), required=True)}
    return type(name, (StrictSchema,), declared | dict(_fields(kind, named=False)))


def _book(module: str) -> str:
    """Return what the names of a ruleset's own records begin with: `Rise` for `service.rules.rise.state`."""
    below = module.removeprefix(_RULES).split(".")
    return below[0].capitalize() if module.startswith(_RULES) and len(below) > 1 else ""


_RULES: Final = "service.rules."


def _fields(kind: type, *, named: bool = True) -> Iterator[tuple[str, marshmallow.fields.Field[Any]]]:
    """Yield the fields of a record; with *named*, what they are called tells which of them hold ids."""
    hints = get_type_hints(kind, include_extras=True, localns={"ClassVar": ClassVar, "Mapping": Mapping})
    for field in fields(kind):
        if field.metadata.get("given", True):
            required = field.default is MISSING and field.default_factory is MISSING
            name = field.name if named else ""
            yield field.name, field_of(hints[field.name], name=name, required=required)


def field_of(hint: Any, *, name: str = "", **kwargs: Any) -> marshmallow.fields.Field[Any]:
    """Return the marshmallow field of a type *hint*; a hint nobody thought of is a programming mistake."""
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
    """Return the field of a list, a mapping or a record."""
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
"""Fields that name somebody: what they hold is an id even where their hint says only text."""


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
"""Fields in which somebody writes at length: their text may have lines."""


def _plain(hint: Any, name: str, kwargs: dict[str, Any]) -> marshmallow.fields.Field[Any] | None:
    if hint is str:
        return TextField(is_id=name in _IDS, lines=name in _LINES, **kwargs)
    if hint is bool:
        return BooleanField(**kwargs)
    if hint is int:
        return IntegerField(**kwargs)
    if hint is Any:  # what the rules themselves look at: a parameter of an ability that a client brought
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
    """Return what keeps *data* from fitting *schema*: (JSON pointer, what was expected), none if it fits.

    A misspelled field comes first: the field that it should be is missing for the same reason.
    """
    if type(data) is not dict:
        return [("", f"an object, not {kind_of(data)}")]
    messages = _messages(schema, data)
    return sorted(_pointers(messages, ""), key=lambda fault: UNKNOWN not in fault[1]) if messages else []


def raise_if_invalid(found: Sequence[tuple[str, str]]) -> None:
    """Raise the problem of the faults *found*, if there are any.

    It is `not-strict-json` where each is text for a number, else `invalid`.
    """
    if not found:
        return
    if all(detail == NUMBER_AS_TEXT for _, detail in found):
        raise Problem("not-strict-json", f"{found[0][0]}: {found[0][1]}", members={"errors": listed(found)})
    raise invalid(*found)


def _messages(schema: Schema, data: dict[str, Any]) -> Any:
    """Return marshmallow's messages by field, empty where *data* fits.

    A frame of marshmallow holds the error that it raises, whose traceback holds the frame: the whole request
    would live until the collector looks for cycles. Without its traceback the error is freed at once.
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
