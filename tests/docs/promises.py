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

Under each promise of [Guarantees](../docs/guarantees.md), and under what a host may try, stand the cases in
which it is held, how, and the tests that show it. `python -m tests.docs.promises` makes the tables from
[promises.toml](promises.toml).
"""
_PROMISE: Final = re.compile(r"^- \*\*([^*]+)\.\*\* ((?:.|\n {2})+)$", re.MULTILINE)


def promises() -> dict[str, str]:
    """Return the sentences that promise, by their names."""
    text = GUARANTEES.read_text("utf-8")
    promised = text[text.index("## Promised") : text.index("## Not promised")]
    return {name: " ".join(says.split()) for name, says in _PROMISE.findall(promised)}


def tries() -> dict[str, list[str]]:
    """Return what a host may try, by the section that tells it."""
    _, _, *sections = GUARANTEES.read_text("utf-8").split("\n## ")
    return {
        section.partition("\n")[0]: re.findall(r"^\| (?!the host tries)([^|]+) \|", section, re.MULTILINE)
        for section in sections[1:]
    }


def rows() -> list[dict[str, Any]]:
    """Return each case with the promise that it is of."""
    found: list[dict[str, Any]] = tomllib.loads(ROWS.read_text("utf-8"))["shown"]
    return found


def page() -> str:
    """Return the page."""
    said = promises() | dict.fromkeys(tries(), "")
    parts = [_HEAD]
    for name, says in said.items():
        sentence = re.sub(r"\]\((?!https)([^)]+)\)", r"](../docs/\1)", says)
        table = "| what | how | shown by |\n|---|---|---|\n" + "".join(
            f"| {each['what']} | {each.get('how', '')} | {_shown(each)} |\n"
            for each in rows()
            if each["promise"] == name
        )
        parts.append(f"## {name}\n\n" + (f"{sentence}\n\n" if sentence else "") + table)
    return "\n".join(parts)


def _shown(row: dict[str, Any]) -> str:
    tests = ", ".join(f"`{each}`" for each in row["tests"])
    return f"{tests}; {row['also']}" if "also" in row else tests


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
