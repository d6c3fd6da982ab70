"""The page of the books lists every book and chapter that the rules of a ruleset name, and no other."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import pytest

from service.rules.heartrush.books import BOOKS as HEARTRUSH_BOOKS
from service.rules.kernel.rulebook import RULING, Book, rules_in
from service.rules.registry import REGISTRY
from service.rules.rise.books import BOOKS as RISE_BOOKS
from tests.docs.pages import ROOT

PAGE: Final = (ROOT / "docs" / "books.md").read_text("utf-8")


def rows_of(books: Iterable[Book], packages: tuple[str, ...]) -> list[str]:
    """Return the table of *books*, with the chapters that the rules in *packages* name."""
    places = [place for rule in rules_in(packages, shared=False).values() for place in rule.places]
    return [
        f"| {book.name} | {book.text} | "
        f"{'; '.join(sorted({place.chapter for place in places if place.book == book}, key=_numbered))} |"
        for book in books
    ]


def _numbered(chapter: str) -> tuple[tuple[int, ...], str]:
    number, _, _ = chapter.partition(" ")
    return tuple(int(part) for part in number.split(".")) if number[0].isdecimal() else (99,), chapter


@pytest.mark.parametrize(("edition", "books"), [("heartrush@1", HEARTRUSH_BOOKS), ("rise@1", RISE_BOOKS)])
def test_the_page_has_every_book_of_a_ruleset_with_its_chapters(
    edition: str, books: tuple[Book, ...]
) -> None:
    ruleset = REGISTRY[edition]
    _, _, section = PAGE.partition(f"\n## {ruleset.title}\n")
    lines = section.partition("\n## ")[0].splitlines()
    shown = [line for line in lines if line.startswith(f"| {ruleset.title}, ")]
    assert shown == rows_of(books, ruleset.packages)


def test_the_sources_of_the_page_are_written_as_those_of_rules() -> None:
    written = " ".join(PAGE.split())
    assert str(RULING) in written
    assert any(
        f"`{place}`" in PAGE
        for rule in rules_in(REGISTRY["heartrush@1"].packages).values()
        for place in rule.places
        if place.heading
    )
