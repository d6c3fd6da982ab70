"""Route plain paths to operations without Flask, which routes all others.

A segment of a path is a fixed name or a parameter; a name takes precedence, as in Flask.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Self

from service.api.operations import Operation


class Route(NamedTuple):
    """An operation, and the path parameters of the request."""

    operation: Operation
    path: Mapping[str, str]


@dataclass
class _Step:
    """A node of the routing tree: the segments that may follow, and the operations that end here."""

    named: dict[str, _Step] = field(default_factory=dict)
    any: _Step | None = None
    operations: dict[str, tuple[Operation, tuple[str, ...]]] = field(default_factory=dict)
    """The operations of this path by method, with the names of their path parameters."""


class Routes:
    """The routing tree of all operations."""

    def __init__(self, first: _Step) -> None:
        self._first = first

    @classmethod
    def of(cls, operations: Iterable[Operation]) -> Self:
        """Return the routing tree of *operations*; a GET operation also answers HEAD."""
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
        """Return the route to *path*; None if Flask has to route it."""
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
