"""Write tests/PROMISES.md: what shows each promise of docs/guarantees.md, from tests/promises.toml."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any, Final

TESTS: Final = Path(__file__).parents[1]
ROWS: Final = TESTS / "promises.toml"
PAGE: Final = TESTS / "PROMISES.md"
GUARANTEES: Final = TESTS.parent / "docs" / "guarantees.md"
_HEAD: Final = """# What shows each promise

Under each promise of [Guarantees](../docs/guarantees.md) are the cases in which it is held, how, and the
tests that show it. Behind them are the tables of what a host may try, with what a reader of the file finds.
`python -m tests.docs.promises` makes all of it from [promises.toml](promises.toml).
"""
_PROMISE: Final = re.compile(r"^- \*\*([^*]+)\.\*\* ((?:.|\n {2})+)$", re.MULTILINE)


def promises() -> dict[str, str]:
    """Return the sentences that promise, by their names."""
    text = GUARANTEES.read_text("utf-8")
    promised = text[text.index("## Promised") : text.index("## Not promised")]
    return {name: " ".join(says.split()) for name, says in _PROMISE.findall(promised)}


def tries() -> list[dict[str, Any]]:
    """Return the sections of what a host may try, each with its columns."""
    found: list[dict[str, Any]] = _table()["section"]
    return found


def rows() -> list[dict[str, Any]]:
    """Return each case with the promise that it is of."""
    found: list[dict[str, Any]] = _table()["shown"]
    return found


def _table() -> dict[str, Any]:
    return tomllib.loads(ROWS.read_text("utf-8"))


def page() -> str:
    """Return the page."""
    parts = [_HEAD]
    for name, says in promises().items():
        table = "| what | how | shown by |\n|---|---|---|\n" + "".join(
            f"| {each['what']} | {each.get('how', '')} | {_shown(each)} |\n" for each in _of(name)
        )
        parts.append(f"## {name}\n\n{_from_here(says)}\n\n{table}")
    for section in tries():
        columns = ["the host tries to", *section["columns"], "shown by"]
        table = f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}\n" + "".join(
            f"| {' | '.join([each['what'], *each['finds'], _shown(each)])} |\n"
            for each in _of(section["name"])
        )
        parts.append(f"## {section['name']}\n\n{_from_here(section['says'])}\n\n{table}")
    return "\n".join(parts)


def _of(promise: str) -> list[dict[str, Any]]:
    return [each for each in rows() if each["promise"] == promise]


def _from_here(text: str) -> str:
    """Return *text* with its links, which are those of docs/guarantees.md, as this page needs them."""
    return re.sub(r"\]\((?!https)([^)]+)\)", r"](../docs/\1)", text)


def _shown(row: dict[str, Any]) -> str:
    tests = ", ".join(f"`{each}`" for each in row["tests"])
    return f"{tests}; {row['also']}" if "also" in row else tests


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
