"""Rules are plugged in by a list alone: nothing looks for subclasses, and no import changes a class."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

# It finds nothing to run: a record that has subclasses is looked into, because they may have sealed fields.
ALLOWED: Final = frozenset({"service/rules/kernel/sealed.py: __subclasses__"})


def plugs(path: str, text: str) -> Iterator[str]:
    """Yield each search for subclasses in *text*, and each class that it changes while it is imported."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr == "__subclasses__":
            yield f"{path}: {node.attr}"
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else ()
        yield from (f"{path}: {ast.unparse(each)}" for each in targets if isinstance(each, ast.Attribute))
        if isinstance(node, ast.Expr) and ast.unparse(node).startswith("setattr("):
            yield f"{path}: {ast.unparse(node)}"


def test_rules_are_plugged_in_by_a_list_alone(root: Path) -> None:
    sources = sorted((root / "service/rules").rglob("*.py"))
    found = {
        each
        for path in sources
        for each in plugs(str(path.relative_to(root)), path.read_text(encoding="utf-8"))
    }
    assert len(sources) > 100, "a search that finds nothing proves nothing"
    assert found == ALLOWED


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("def f():\n    return Base.__subclasses__()\n", "a.py: __subclasses__"),
        ("def f():\n    return type.__subclasses__(Base)\n", "a.py: __subclasses__"),
        ("State.den = Den()\n", "a.py: State.den"),
        ("setattr(State, 'den', Den())\n", "a.py: setattr(State, 'den', Den())"),
    ],
)
def test_another_way_is_seen(text: str, found: str) -> None:
    assert list(plugs("a.py", text)) == [found]
