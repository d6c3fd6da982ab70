"""Find the description of a record and of each of its fields, for the OpenAPI document.

A field's text is the docstring below it, else that of its annotation: its own, or of the type that it names.
Docstrings of fields are read from the sources.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, Final

from service.rules.kernel.hints import Alternatives, FieldShape

CONSTANTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "type": "The type, which says what the other members are.",
        "kind": "The kind, which says what the other members are.",
        "edition": "The edition of the rules.",
    }
)
"""The texts of members that have one value, which selects a schema."""


def record_text(kind: Any) -> str:
    """Return the first paragraph of the docstring of *kind*, empty if it has none of its own."""
    own = vars(kind).get("__doc__") or ""
    return "" if own.startswith(f"{kind.__name__}(") else _line(own.split("\n\n")[0])


def field_text(kind: Any, field: FieldShape) -> str:
    """Return the description of *field* of the record *kind*, empty if nobody wrote one."""
    ways = field.shape.ways if isinstance(field.shape, Alternatives) else ()
    said = next((shape.meaning.said for shape in (field.shape, *ways) if shape.meaning.said), "")
    return field_docstrings(kind).get(field.name) or _sentence(said)


@cache
def field_docstrings(kind: Any) -> Mapping[str, str]:
    """Return the docstrings of the fields of *kind* and of its bases, by name."""
    found: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        found |= _module_docstrings(base.__module__).get(base.__qualname__, {})
    return found


@cache
def _module_docstrings(module: str) -> Mapping[str, Mapping[str, str]]:
    """Return the docstrings of fields in the source of *module*, by class and field."""
    try:
        tree = ast.parse(inspect.getsource(sys.modules[module]))
    except (OSError, TypeError, KeyError):  # built in, or installed without its source
        return {}
    return {node.name: dict(_documented(node)) for node in tree.body if isinstance(node, ast.ClassDef)}


def _documented(node: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for one, two in zip(node.body, node.body[1:], strict=False):
        if (
            isinstance(one, ast.AnnAssign)
            and isinstance(one.target, ast.Name)
            and isinstance(two, ast.Expr)
            and isinstance(two.value, ast.Constant)
            and isinstance(two.value.value, str)
        ):
            yield one.target.id, _line(two.value.value)


def _line(text: str) -> str:
    return " ".join(text.split())


def _sentence(text: str) -> str:
    """Return *text* with a capital and a full stop, as docstrings have them."""
    return f"{text[:1].upper()}{text[1:].removesuffix('.')}." if text else ""
