"""Read the wings of both books from their files: what each imports, and on which floor each module stands."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
BOOKS: Final = ("heartrush", "rise")
WINGS: Final = tuple(
    f"service.rules.{book}.{opening.parent.name}"
    for book in BOOKS
    for opening in sorted((ROOT / "service/rules" / book).glob("*/__init__.py"))
)


@cache
def modules() -> Mapping[str, frozenset[str]]:
    """Return the modules of the books, each with those of its own book that it imports."""
    texts = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts): path.read_text("utf-8")
        for wing in WINGS
        for path in sorted((ROOT / wing.replace(".", "/")).glob("*.py"))
        if path.stem != "__init__"
    }
    return {name: frozenset(_imported(text, texts)) for name, text in texts.items()}


def _imported(text: str, known: Mapping[str, str]) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.module:
            targets = (node.module, *(f"{node.module}.{each.name}" for each in node.names))
            yield from (each for each in targets if each in known)


def wing_of(module: str) -> str:
    """Return the package of the wing that *module* is in."""
    return module.rpartition(".")[0]


def floor_of(module: str, found: Mapping[str, frozenset[str]]) -> int:
    """Return the floor of *module* in its wing: 1 if it imports nothing of the wing."""
    below = [each for each in found[module] if wing_of(each) == wing_of(module)]
    return 1 + max((floor_of(each, found) for each in below), default=0)
