"""Hold what the page of each book says is left out to the rulesets: its rules, commands and effects exist."""

from __future__ import annotations

import re
from typing import Any, Final

import pytest

from service.rules.heartrush import HEARTRUSH
from service.rules.heartrush.body.operations import Effect
from service.rules.heartrush.table.kinds import KINDS
from service.rules.kernel.rulebook import HOMES
from service.rules.rise import RISE
from tests.docs.pages import ROOT

PAGES: Final = {
    "heartrush@1": (ROOT / "docs" / "heartrush.md").read_text("utf-8"),
    "rise@1": (ROOT / "docs" / "rise.md").read_text("utf-8"),
}
TABLES: Final[dict[str, Any]] = {"heartrush@1": HEARTRUSH, "rise@1": RISE}
WORDS_OF: Final = {
    "heartrush@1": {kind.kind for kind in KINDS[Effect]} | {"handle"},  # type: ignore[attr-defined]  # each has one
    "rise@1": {"mount", "follow", "other", "sheet", "days_between", "locate"},
}
"""What the last column of each table names besides commands: effects of rulings, and values of commands."""


def rows(edition: str) -> list[list[str]]:
    """Return the cells of the rows of what is outside *edition*."""
    section = PAGES[edition].split(f"## Outside `{edition}`")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


@pytest.mark.parametrize("edition", TABLES)
def test_each_subject_has_its_reason_and_what_to_do_instead(edition: str) -> None:
    found = rows(edition)
    assert len(found) > 5
    for row in found:
        assert len(row) == 3, row
        assert all(row), row
    assert len(dict.fromkeys(row[0] for row in found)) == len(found)


@pytest.mark.parametrize("edition", TABLES)
def test_what_to_do_instead_exists(edition: str) -> None:
    commands = {*TABLES[edition].commands}
    for subject, _, instead in rows(edition):
        for name in re.findall(r"`([a-z_]+)`", instead):
            assert name in commands | WORDS_OF[edition], f"{subject}: {name}"


@pytest.mark.parametrize("edition", TABLES)
def test_every_rule_that_the_page_names_is_enforced(edition: str) -> None:
    known = {rule.id for rule in HOMES}
    named = set(re.findall(r"\b(?:HR|RI|TABLE)-[A-Z0-9]+-[A-Z0-9]+\b", PAGES[edition]))
    assert len(named) > 15
    assert named - known == set()
