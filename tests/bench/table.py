"""Write what was measured as tables: figure, unit, and the aim it is held against.

A module of this package that measures something registers its function with `section`; `make bench` finds it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import median as _median
from typing import Final

QUICK: Final = bool(os.environ.get("QUICK"))
"""Whether a look in a few minutes is wanted: fewer and shorter turns, so that ratios scatter more."""

TURNS: Final = 2 if QUICK else 5
"""How often each side of a comparison has its turn; what is printed is the median."""


@dataclass(frozen=True)
class Row:
    """One figure. *aim* is a least value, or a greatest one where *most* is true."""

    what: str
    value: float
    unit: str
    aim: float | None = None
    most: bool = False

    @property
    def verdict(self) -> str:
        """`reached`, `missed`, or nothing where there is no aim."""
        if self.aim is None:
            return ""
        reached = self.value <= self.aim if self.most else self.value >= self.aim
        return "reached" if reached else "missed"


Rows = Callable[[], "list[Row | str]"]
"""Measures, and returns figures and lines of text: a peer that is not installed is named in a line."""

SECTIONS: Final[dict[str, tuple[str, Rows]]] = {}
"""What `make bench` measures: title and function, by the name of the module."""


def section(title: str) -> Callable[[Rows], Rows]:
    """Have the decorated function's rows printed under *title*; a module has one section."""

    def register(rows: Rows) -> Rows:
        SECTIONS[rows.__module__.rpartition(".")[2]] = (title, rows)
        return rows

    return register


def median(values: Iterable[float]) -> float:
    """Return the median of *values*."""
    return float(_median(values))


def shown(value: float) -> str:
    """Return *value* with as many digits as it deserves."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.2f}" if abs(value) >= 1 else f"{value:.3f}"


def markdown(title: str, rows: Iterable[Row | str]) -> str:
    """Return *rows* as a Markdown table under *title*."""
    lines = [f"### {title}", "", "| what | measured | aim | result |", "|---|---|---|---|"]
    for row in rows:
        if isinstance(row, str):
            lines.append(f"| {row} | | | |")
            continue
        sign = "at most " if row.most else "at least "
        aim = "" if row.aim is None else sign + shown(row.aim)
        lines.append(f"| {row.what} | {shown(row.value)} {row.unit} | {aim} | {row.verdict} |")
    return "\n".join(lines)
