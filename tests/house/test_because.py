"""Every event names its rule where it is emitted: by `because`, or by a function that enforces one."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import service
from service.rules.heartrush import HEARTRUSH
from service.rules.kernel.messages import Event
from service.rules.rise import RISE

RULES: Final = Path(*service.__path__, "rules")
RULED_BY_THEIR_CALLERS: Final = {
    "ask_breath",
    "befall",
    "begin",
    "begin_round",
    "conclude",
    "interrupt",
    "pause",
    "shove",
    "sidestep",
}
"""Parts of functions that enforce a rule: every caller of one of them does."""


def kinds(of: type[Event[Any]] = Event) -> Iterator[str]:
    """Yield the name of every kind of event."""
    for kind in of.__subclasses__():
        yield kind.__name__
        yield from kinds(kind)


def unruled(
    node: ast.AST, known: set[str], inside: str = "", *, ruled: bool = False
) -> Iterator[tuple[str, int]]:
    """Yield each function that emits an event for which no rule speaks there, with the line."""
    for child in ast.iter_child_nodes(node):
        name, covered = inside, ruled
        if isinstance(child, ast.ClassDef | ast.FunctionDef):
            name = child.name
            covered = ruled or any("enforces" in ast.unparse(mark) for mark in child.decorator_list)
        if isinstance(child, ast.Yield) and isinstance(child.value, ast.Call) and not covered:
            says = {word.arg for word in child.value.keywords}
            if ast.unparse(child.value.func) in known and not says & {"because", None}:
                yield inside, child.lineno
        yield from unruled(child, known, name, ruled=covered)


def test_a_rule_speaks_for_every_event_where_it_is_emitted() -> None:
    assert HEARTRUSH.events
    assert RISE.events
    known = set(kinds())
    found = {
        (name, f"{path.name}:{line}")
        for path in sorted(RULES.rglob("*.py"))
        if path.parent.name != "kernel"
        for name, line in unruled(ast.parse(path.read_text()), known)
    }
    assert [place for name, place in sorted(found) if name not in RULED_BY_THEIR_CALLERS] == []
    assert {name for name, _ in found} == RULED_BY_THEIR_CALLERS


def test_a_silent_event_is_found() -> None:
    silent = "def back(state):\n    return (yield Moved(creature='pia'))\n"
    assert list(unruled(ast.parse(silent), {"Moved"})) == [("back", 2)]
    for spoken in (
        "def back(state):\n    return (yield Moved(creature='pia', because=('HR-SVC-1',)))\n",
        "@enforces(HR_ACT_7)\ndef back(state):\n    return (yield Moved(creature='pia'))\n",
    ):
        assert list(unruled(ast.parse(spoken), {"Moved"})) == []
