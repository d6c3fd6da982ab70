"""marshmallow fields that check single values strictly: text, integers, lists.

Laws. A field accepts values of its JSON type and nothing similar: no text for a number, no 1 for true. Valid
values are used as they were sent; nothing is converted.
"""

from __future__ import annotations

import re
from typing import Any, Final

import marshmallow
from marshmallow import ValidationError

from service.record.text import fault
from service.rules.kernel import values
from service.rules.kernel.meaning import A_LIST, AN_OBJECT, Meaning

ID: Final = re.compile(values.ID)
"""The pattern of ids of creatures, seats, sides and weapons, which are parts of the names of rolls."""

NUMBER: Final = re.compile(r"-?(0|[1-9][0-9]{0,14})")
"""A whole number that somebody sent as text, and that the answer repeats."""


class Worded(marshmallow.fields.Field[Any]):
    """A base of all fields here, with messages for missing and null values that replace marshmallow's."""

    default_error_messages = {  # noqa: RUF012 - marshmallow reads the class attribute and never writes it
        "required": "this field is required",
        "null": "a value, not null",
        "type": "an object",
    }


class TextField(Worded, marshmallow.fields.String):
    """Text as its *meaning* allows, on one line unless it may have several."""

    def __init__(self, meaning: Meaning, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.meaning = meaning

    def _deserialize(self, value: object, attr: str | None, data: object, **kwargs: object) -> str:
        del attr, data, kwargs
        if type(value) is not str:
            raise ValidationError(f"text, not {kind_of(value)}")
        wrong = fault(value, lines=bool(self.meaning.lines)) or self.meaning.text_fault(value)
        if wrong is not None:
            raise ValidationError(wrong)
        return value


class IntegerField(Worded, marshmallow.fields.Integer):
    """A whole number as its *meaning* allows."""

    def __init__(self, meaning: Meaning, **kwargs: Any) -> None:
        super().__init__(strict=True, **kwargs)
        self.meaning = meaning

    def _deserialize(self, value: object, attr: str | None, data: object, **kwargs: object) -> int:
        del attr, data, kwargs
        if type(value) is str:
            number = value if NUMBER.fullmatch(value) else "1"
            raise ValidationError(f'a whole number, not text: {number}, not "{number}"')
        if type(value) is not int:
            raise ValidationError(f"a whole number, not {kind_of(value)}")
        wrong = self.meaning.number_fault(value)
        if wrong is not None:
            raise ValidationError(wrong)
        return value


class BooleanField(Worded, marshmallow.fields.Boolean):
    """Exactly true or false."""

    def _deserialize(self, value: object, attr: str | None, data: object, **kwargs: object) -> bool:
        del attr, data, kwargs
        if type(value) is not bool:
            raise ValidationError(f"true or false, not {kind_of(value)}")
        return value


class ChoiceField(Worded):
    """One of *values*, of exactly the same type."""

    def __init__(self, values: tuple[Any, ...], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.values = values
        self._known = frozenset((type(value), value) for value in values)

    def _deserialize(self, value: object, attr: str | None, data: object, **kwargs: object) -> object:
        del attr, data, kwargs
        if type(value) in (str, int, bool) and (type(value), value) in self._known:
            return value
        raise ValidationError("one of " + ", ".join(_spelled(known) for known in self.values))


class ListField(Worded, marshmallow.fields.List[Any]):
    """A list of as many items of one kind as its *meaning* allows."""

    def __init__(self, each: marshmallow.fields.Field[Any], meaning: Meaning, **kwargs: Any) -> None:
        super().__init__(each, **kwargs)
        self.meaning = meaning

    def _deserialize(self, value: object, attr: str | None, data: Any, **kwargs: Any) -> list[Any]:
        if type(value) is not list:
            raise ValidationError(f"a list, not {kind_of(value)}")
        wrong = self.meaning.count_fault(len(value), A_LIST)
        if wrong is not None:
            raise ValidationError(wrong)
        return super()._deserialize(value, attr, data, **kwargs)


class TupleField(Worded, marshmallow.fields.Tuple):
    """A list of fixed length whose items each have a field of their own."""

    def _deserialize(self, value: object, attr: str | None, data: Any, **kwargs: Any) -> Any:
        wanted = f"a list of {len(self.tuple_fields)}"
        if all(isinstance(each, IntegerField) for each in self.tuple_fields):
            wanted += " whole numbers"
        if type(value) is not list:
            raise ValidationError(f"{wanted}, not {kind_of(value)}")
        if len(value) != len(self.tuple_fields):
            raise ValidationError(f"{wanted}, not of {len(value)}")
        return super()._deserialize(value, attr, data, **kwargs)


class MappingField(Worded, marshmallow.fields.Dict):
    """An object with as many names of one kind as its *meaning* allows, and values of one kind."""

    def __init__(
        self,
        names: marshmallow.fields.Field[Any],
        each: marshmallow.fields.Field[Any],
        meaning: Meaning,
        **kwargs: Any,
    ) -> None:
        super().__init__(keys=names, values=each, **kwargs)
        self.meaning = meaning
        self.names = names
        self.each = each

    def _deserialize(self, value: object, attr: str | None, data: Any, **kwargs: Any) -> Any:
        del attr, data, kwargs
        if type(value) is not dict:
            raise ValidationError(f"an object, not {kind_of(value)}")
        wrong = self.meaning.count_fault(len(value), AN_OBJECT)
        if wrong is not None:
            raise ValidationError(wrong)
        messages: dict[str, Any] = {}
        for name, item in value.items():
            try:
                self.names.deserialize(name)
                self.each.deserialize(item)
            except ValidationError as fault:
                messages[name] = fault.messages
        if messages:
            raise ValidationError(messages)
        return value


class UnionField(Worded):
    """A value that fits at least one of *ways*."""

    def __init__(self, ways: tuple[marshmallow.fields.Field[Any], ...], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.ways = ways

    def _deserialize(self, value: object, attr: str | None, data: Any, **kwargs: Any) -> object:
        wanted = []
        for way in self.ways:
            try:
                return way._deserialize(value, attr, data, **kwargs)  # noqa: SLF001 - a field made of fields
            except ValidationError as fault:
                wanted += [str(message) for message in fault.messages]
        raise ValidationError(" or ".join(dict.fromkeys(wanted)))


class ComponentField(Worded, marshmallow.fields.Raw):
    """An object that another component of the OpenAPI document describes; the handler checks it."""

    def __init__(self, name: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.component = name


class AnythingField(Worded, marshmallow.fields.Raw):
    """A value of any kind."""


class Part(Worded, marshmallow.fields.Nested):
    """An object with a schema of its own."""


def kind_of(value: object) -> str:
    """Return the name of the JSON type of *value*, with an article if it needs one."""
    return _KINDS.get(type(value), "a value of another type")


_KINDS: Final = {
    str: "text",
    int: "a number",
    bool: "true or false",
    list: "a list",
    dict: "an object",
    type(None): "null",
}


def _spelled(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
