"""Weigh a state: about how many bytes of memory it and what it refers to take.

What two states share is weighed in each, so the sum over a cache is an upper bound.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from sys import getsizeof
from types import BuiltinFunctionType, FunctionType, ModuleType

_NOT_PART_OF_IT = (type, FunctionType, BuiltinFunctionType, ModuleType)


def weight_of(value: object) -> int:
    """Return about how many bytes *value* takes, with all that it refers to."""
    total, seen, waiting = 0, set[int](), [value]
    while waiting:
        each = waiting.pop()
        if id(each) in seen or isinstance(each, _NOT_PART_OF_IT):
            continue
        seen.add(id(each))
        total += getsizeof(each)
        waiting.extend(_parts_of(each))
    return total


def _parts_of(value: object) -> Iterable[object]:
    if isinstance(value, str | bytes | int | float | bool) or value is None:
        return ()
    if isinstance(value, Mapping):
        return [*value.keys(), *value.values()]
    if isinstance(value, tuple | list | set | frozenset):
        return value
    slots = (getattr(kind, "__slots__", ()) for kind in type(value).__mro__)
    names = [name for each in slots for name in ((each,) if isinstance(each, str) else each)]
    found = [getattr(value, name) for name in names if not name.startswith("__") and hasattr(value, name)]
    return [*found, *vars(value).values()] if hasattr(value, "__dict__") else found
