"""Weigh a state: about how many bytes of memory it and what it refers to take.

What two states share is weighed in each, so the sum over a cache is an upper bound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from sys import getsizeof
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, Final

_NOT_PART_OF_IT: Final = (type, FunctionType, BuiltinFunctionType, ModuleType)
_PARTLESS: Final = (str, bytes, int, float, bool, type(None))

_Parts = Callable[[Any], Iterable[object]]


def weight_of(value: object) -> int:
    """Return about how many bytes *value* takes, with all that it refers to."""
    total, seen = 0, set[int]()
    waiting: list[Any] = [value]
    while waiting:
        each = waiting.pop()
        number = id(each)
        if number in seen:
            continue
        seen.add(number)
        weighs, parts = _of(each.__class__)
        if weighs:
            total += getsizeof(each)
            if parts is not None:
                waiting.extend(parts(each))
    return total


@cache
def _of(kind: type) -> tuple[bool, _Parts | None]:
    """Return whether values of *kind* are part of a state, and how their parts are found; None: no parts."""
    if issubclass(kind, _NOT_PART_OF_IT):
        return False, None
    if issubclass(kind, _PARTLESS):
        return True, None
    if issubclass(kind, Mapping):
        return True, lambda value: (*value.keys(), *value.values())
    if issubclass(kind, tuple | list | set | frozenset):
        return True, lambda value: value
    slots = (getattr(each, "__slots__", ()) for each in kind.__mro__)
    names = [name for each in slots for name in ((each,) if isinstance(each, str) else each)]
    own = [name for name in names if not name.startswith("__")]
    if kind.__dictoffset__ and not own:
        return True, _in_dict
    return True, lambda value: _in_both(value, own)


def _in_dict(value: object) -> Iterable[object]:
    return vars(value).values()


def _in_both(value: object, slots: Iterable[str]) -> Iterable[object]:
    found = [getattr(value, name) for name in slots if hasattr(value, name)]
    return [*found, *vars(value).values()] if hasattr(value, "__dict__") else found
