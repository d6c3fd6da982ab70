"""A class of the rules says what differs: it repeats no method of a class that it extends."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from importlib import import_module
from types import FunctionType
from typing import Any

from tests.house.wings import modules


def classes() -> Iterator[type]:
    for name in modules():
        for found in vars(import_module(name)).values():
            if inspect.isclass(found) and found.__module__ == name:
                yield found


def function_of(member: object) -> FunctionType | None:
    inner = member.__func__ if isinstance(member, classmethod | staticmethod) else member
    return inner if isinstance(inner, FunctionType) and inner.__name__ != "<lambda>" else None


def said(function: FunctionType) -> tuple[str, ...] | None:
    """Return what a function does, without its docstring; None for one that has no source."""
    try:
        node: Any = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    except OSError:
        return None
    lines = [each for each in node.body if not isinstance(getattr(each, "value", None), ast.Constant)]
    return (ast.dump(node.args), *(ast.dump(each) for each in lines))


def repeated(kind: type) -> Iterator[str]:
    for name, member in vars(kind).items():
        own = function_of(member)
        inherited = next((vars(base)[name] for base in kind.__mro__[1:] if name in vars(base)), None)
        other = function_of(inherited)
        if own is None or other is None or name.startswith("__"):
            continue
        if len(said(own) or ()) > 1 and without_types(own) == without_types(other):
            yield f"{kind.__module__}.{own.__qualname__} repeats {other.__qualname__}"


def without_types(function: FunctionType) -> tuple[object, ...]:
    """Return the names of the parameters, and what is done: a book names its own state."""
    return (*inspect.signature(function).parameters, *(said(function) or ())[1:])


class Once:
    def found(self, state: int) -> int:
        return state


class Twice(Once):
    def found(self, state: int) -> int:
        """Say the same in another way."""
        return state


def test_no_class_repeats_a_method_that_it_inherits() -> None:
    found = list(classes())
    assert len(found) > 500, "a search that finds nothing proves nothing"
    assert list(repeated(Twice)), "a repeated method is found"
    assert not [line for each in found for line in repeated(each)]
