"""Walk over every field that a ruleset declares, and find those of which something is not said.

A number that a client may send has bounds, a text a greatest length, a list and an object a greatest count;
what has any form says that a command or a state is in it, which is read by fields of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from service.rules.kernel.families import Families
from service.rules.kernel.hints import (
    AnyList,
    Anything,
    FieldShape,
    Member,
    Names,
    RecordObject,
    Scalar,
    Shape,
    fields_of,
    parts_of,
)

READ_BY_ITSELF: Final = ("command", "state")
"""The kinds of data of any form that is read by fields of its own."""


class Declared(NamedTuple):
    """A field that a record declares."""

    record: Any
    field: FieldShape

    def __str__(self) -> str:
        """Return the name of the record and of the field."""
        return f"{self.record.__name__}.{self.field.name}"


def declared_in(kinds: Iterable[Any], families: Families) -> Iterator[Declared]:
    """Yield each field that data of *kinds* has, and of every record in it, once."""
    left, seen = list(kinds), set()
    while left:
        kind = left.pop(0)
        if kind in seen:
            continue
        seen.add(kind)
        for field in fields_of(kind):
            if field.given:
                yield Declared(kind, field)
                for part in parts_of(field.shape):
                    if isinstance(part, RecordObject):
                        left.append(part.kind)
                    elif isinstance(part, Member):
                        left += families.members(part.head).values()


def unsaid(kinds: Iterable[Any], families: Families) -> Iterator[str]:
    """Yield what is not said of the fields of *kinds*: `Sheet.speed is a number without bounds`."""
    for declared in declared_in(kinds, families):
        for part in parts_of(declared.field.shape):
            fault = _unsaid(part)
            if fault:
                yield f"{declared} {fault}"


def _unsaid(shape: Shape) -> str | None:
    meaning = shape.meaning
    if isinstance(shape, Scalar) and shape.kind is not bool and not meaning.is_bounded:
        return "is a number without bounds" if shape.kind is int else "is text without a greatest length"
    if isinstance(shape, AnyList | Names) and meaning.count is None:
        return f"is {'a list' if isinstance(shape, AnyList) else 'an object'} without a greatest count"
    if isinstance(shape, Anything) and meaning.kind not in READ_BY_ITSELF:
        return "has any form"
    return None
