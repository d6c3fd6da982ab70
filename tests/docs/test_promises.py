"""Each promise of docs/guarantees.md, and each lie of a host that is caught, is shown by tests that exist."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import Final

from tests.docs.pages import ROOT
from tests.docs.promises import PAGE, promises, rows, tries
from tests.docs.promises import page as made

UNSEEN: Final = {
    "leave out a command that it did not answer",
    "know coming dice",
}
"""What a host may try, and nobody finds."""


def test_every_promise_is_shown_and_nothing_else() -> None:
    said, shown = {*promises()}, {row["promise"] for row in rows()}
    assert len(said) > 35
    assert shown == said | {section["name"] for section in tries()}


def test_everything_that_a_host_tries_has_what_is_found_in_each_column() -> None:
    for section in tries():
        tried = [row for row in rows() if row["promise"] == section["name"]]
        assert len({row["what"] for row in tried}) == len(tried) > 0
        assert {len(row["finds"]) for row in tried} == {len(section["columns"])}, section["name"]


def test_every_row_names_tests_that_exist() -> None:
    named = [test for row in rows() for test in row["tests"]]
    assert {row["what"] for row in rows() if not row["tests"]} == UNSEEN
    missing = [each for each in named if each.partition("::")[2] not in functions(each.partition("::")[0])]
    assert missing == []


def test_the_page_is_made_of_the_rows() -> None:
    """If not: `python -m tests.docs.promises` writes it again."""
    assert PAGE.read_text("utf-8") == made()


@cache
def functions(file: str) -> frozenset[str]:
    tree = ast.parse(Path(ROOT, file).read_text("utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))
