"""service/rules/BOUNDS.md says what the types of values say."""

from __future__ import annotations

from tests.docs.kinds import PAGE, page


def test_the_table_of_bounds_is_that_of_the_declarations() -> None:
    assert PAGE.read_text("utf-8") == page()


def test_every_number_has_a_reason_for_its_bounds() -> None:
    rows = [row for row in page().partition("## Texts")[0].splitlines() if row.startswith("| `")]
    assert len(rows) > 20
    assert [row for row in rows if not row.split("|")[-2].strip()] == []
