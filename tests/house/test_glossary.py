"""Hold the glossary to the code: its names exist, class names are unique, retired words name nothing."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

RETIRED = {
    "told",
    "host",
    "desk",
    "lookout",
    "pulse",
    "bell",
    "shelf",
    "agenda",
    "lurker",
    "lurking",
    "astray",
}
"""Words that name no class any more."""


@cache
def _modules(root: Path) -> tuple[tuple[Path, ast.Module], ...]:
    return tuple(
        (path.relative_to(root), ast.parse(path.read_text(encoding="utf-8")))
        for top in ("service", "workers")
        for path in sorted((root / top).rglob("*.py"))
    )


def _names(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name
        elif isinstance(node, ast.AnnAssign | ast.Assign):
            targets = [node.target] if isinstance(node, ast.AnnAssign) else node.targets
            yield from (each.id for each in targets if isinstance(each, ast.Name))


def _classes(root: Path) -> dict[str, list[Path]]:
    found: dict[str, list[Path]] = defaultdict(list)
    for path, tree in _modules(root):
        if not {"heartrush", "rise"} & set(path.parts):
            for node in ast.walk(tree):
                if isinstance(node, ast.ClassDef):
                    found[node.name].append(path)
    return found


def _rows(root: Path) -> Iterator[tuple[str, list[str]]]:
    text = (root / "docs" / "glossary.md").read_text(encoding="utf-8")
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and len(cells) == 3 and cells[0] not in {"word", "---"}:
            yield cells[0], re.findall(r"`(\w+)`", cells[2])


def test_every_name_in_the_glossary_exists(root: Path) -> None:
    known = {name for _, tree in _modules(root) for name in _names(tree)}
    rows = list(_rows(root))
    assert len(rows) > 40
    assert {name for _, names in rows for name in names} <= known


def test_no_word_has_two_rows(root: Path) -> None:
    words = [word for word, _ in _rows(root)]
    assert len(words) == len(set(words))


def test_no_two_classes_outside_the_books_share_a_name(root: Path) -> None:
    assert {name: paths for name, paths in _classes(root).items() if len(paths) > 1} == {}


def test_no_class_is_named_by_a_retired_word(root: Path) -> None:
    parts = {
        name: {part.lower() for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)} for name in _classes(root)
    }
    assert {name for name, words in parts.items() if words & RETIRED} == set()
