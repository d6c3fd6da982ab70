"""Find the operation of a path at once, where the path is spelled plainly; Flask finds every other.

A step of a path is a name or any text without a slash; a name goes before any text, as in Flask.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Self

from service.api.operations import Operation


class Route(NamedTuple):
    """An operation, and the named parts of the path at which it was asked."""

    operation: Operation
    path: Mapping[str, str]


@dataclass
class _Step:
    """What may follow the steps so far."""

    named: dict[str, _Step] = field(default_factory=dict)
    any: _Step | None = None
    operations: dict[str, tuple[Operation, tuple[str, ...]]] = field(default_factory=dict)
    """The operations of this path by method, with the names of the path's parts."""


class Routes:
    """The paths of all operations."""

    def __init__(self, first: _Step) -> None:
        self._first = first

    @classmethod
    def of(cls, operations: Iterable[Operation]) -> Self:
        """Return the routes to *operations*; a GET answers HEAD too."""
        first = _Step()
        for each in operations:
            at = first
            for text in each.path[1:].split("/"):
                if not text.startswith("{"):
                    at = at.named.setdefault(text, _Step())
                    continue
                if at.any is None:
                    at.any = _Step()
                at = at.any
            for method in ("GET", "HEAD") if each.method == "GET" else (each.method,):
                at.operations[method] = (each, tuple(each.path_names))
        return cls(first)

    def find(self, method: str, path: str) -> Route | None:
        """Return the route to *path*; None where Flask is to be asked."""
        if not path.startswith("/") or "%" in path or not path.isascii():
            return None
        at, parts = self._first, []
        for text in path[1:].split("/"):
            step = at.named.get(text)
            if step is None:
                if at.any is None or not text:
                    return None
                parts.append(text)
                step = at.any
            at = step
        found = at.operations.get(method)
        if found is None or len(found[1]) != len(parts):
            return None
        return Route(found[0], dict(zip(found[1], parts, strict=True)))
