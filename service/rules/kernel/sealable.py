"""Let fields of records be sealed, and read them as their values.

A rule reads `creature.hp` and gets the true number, whether or not it is sealed. In a view that may not open
the field, the rule reads what the envelope shows to others, or a blank. So rules run on every view. A value
that replaces a sealed value is sealed in the same way, so a rule cannot reveal a field by changing it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from typing import Any, TypeVar

from service.rules.kernel.records import RESEALED, SEALABLE, rebuilt
from service.rules.kernel.sealed import Sealed

R = TypeVar("R")

Blank = Callable[[Any], Any]
"""Returns the value that a record's sealed field has in a view that may not open it."""


class _Field:
    """Reads one field of a record, whether it is sealed or not."""

    def __init__(self, name: str, blank: Blank) -> None:
        self.name = name
        self.blank = blank

    def __get__(self, of: Any, kind: type | None = None) -> Any:  # noqa: ANN401 - a field of any type
        if of is None:
            return self
        value = of.__dict__[self.name]
        if type(value) is not Sealed:
            return value
        if not value.closed:
            return value.value
        return self.blank(of) if value.shown is None else value.shown

    def __set__(self, of: Any, value: object) -> None:  # noqa: ANN401 - a record of any kind
        of.__dict__[self.name] = value


def sealable(*names: str, **blanks: Blank) -> Callable[[type[R]], type[R]]:
    """Return a decorator of records whose fields *names* may be sealed; *blanks* replace fields' defaults."""

    def decorate(cls: type[R]) -> type[R]:
        before: tuple[str, ...] = getattr(cls, SEALABLE, ())
        known = {field.name: field for field in fields(cls)}  # type: ignore[arg-type]  # a record is a dataclass
        for name in (*names, *blanks):
            default = known[name].default
            assert name in blanks or default is not MISSING, f"{cls.__name__}.{name} has no blank"
            setattr(cls, name, _Field(name, blanks.get(name) or _constant(default)))
        setattr(cls, SEALABLE, (*before, *names, *blanks))
        setattr(cls, RESEALED, _resealed)
        return cls

    return decorate


def _constant(value: object) -> Blank:
    return lambda _: value


def _resealed(old: object, changes: Mapping[str, object]) -> Mapping[str, object]:
    """Return *changes* with each value sealed like the value that it replaces in *old*."""
    found = old.__dict__
    for name, value in changes.items():
        before = found.get(name)
        if type(before) is Sealed and type(value) is not Sealed:
            alike = rebuilt(before, value=None if before.closed else value, shown=None)
            changes = {**changes, name: alike}
    return changes


def handed(of: object, name: str) -> Any:  # noqa: ANN401 - a field of any type
    """Return the field *name* of a record without unsealing it."""
    return vars(of)[name]
