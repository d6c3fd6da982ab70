"""Write what was measured as a table: figure, unit, and the aim it is held against."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median as _median


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


def median(values: list[float]) -> float:
    """Return the median of *values*."""
    return float(_median(values))


def shown(value: float) -> str:
    """Return *value* with as many digits as it deserves."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.2f}" if abs(value) >= 1 else f"{value:.3f}"


def markdown(title: str, rows: list[Row]) -> str:
    """Return *rows* as a Markdown table under *title*."""
    lines = [f"### {title}", "", "| what | measured | aim | |", "|---|---|---|---|"]
    for row in rows:
        sign = "at most " if row.most else "at least "
        aim = "" if row.aim is None else sign + shown(row.aim)
        lines.append(f"| {row.what} | {shown(row.value)} {row.unit} | {aim} | {row.verdict} |")
    return "\n".join(lines)
