"""The tables of rules are whole: no rule of either book stands in them with a blank."""

from __future__ import annotations

from pathlib import Path

import pytest

TABLES = Path(__file__).parents[2] / "service" / "rules"


@pytest.mark.parametrize(("book", "least"), [("heartrush", 254), ("rise", 176)])
def test_no_cell_of_the_table_of_rules_is_blank(book: str, least: int) -> None:
    text = (TABLES / book / "RULES.md").read_text("utf-8")
    rows = [
        line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith(("| HR-", "| RI-"))
    ]

    assert len(rows) >= least
    assert {len(row) for row in rows} == {6}
    assert [row[0] for row in rows if not all(cell.strip() for cell in row)] == []
