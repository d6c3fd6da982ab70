"""The docstring of a wing is its table of contents: its chapters in the book's order, with their modules."""

from __future__ import annotations

import re
from importlib import import_module
from pkgutil import iter_modules
from typing import Final

import pytest

from tests.house.wings import BOOKS, WINGS

LINE: Final = re.compile(r"^- (.+): (`.+)$", re.MULTILINE)
MODULE: Final = re.compile(r"`(\w+)`")


def contents(package: str) -> tuple[list[str], str]:
    """Return the chapters that the docstring of *package* lists, and the docstring with its lines joined."""
    text = re.sub(r"\n +", " ", import_module(package).__doc__ or "")
    return [chapter for line in LINE.finditer(text) for chapter in line[1].split("; ")], text


def modules_of(package: str) -> set[str]:
    return {each.name for each in iter_modules(import_module(package).__path__)}


@pytest.mark.parametrize("book", BOOKS)
def test_each_wing_of_a_book_is_listed_once(book: str) -> None:
    package = f"service.rules.{book}"
    _, text = contents(package)
    assert len(modules_of(package)) > 7, "a search that finds nothing proves nothing"
    assert sorted(MODULE.findall(text)) == sorted(modules_of(package))


@pytest.mark.parametrize("wing", WINGS)
def test_each_module_of_a_wing_is_listed_once(wing: str) -> None:
    _, text = contents(wing)
    assert modules_of(wing), "a search that finds nothing proves nothing"
    assert sorted(MODULE.findall(text)) == sorted(modules_of(wing))


@pytest.mark.parametrize("wing", WINGS)
def test_chapters_are_those_of_the_books_in_their_order(wing: str) -> None:
    named, _ = contents(wing)
    known = list(vars(import_module(f"{wing.rpartition('.')[0]}.books")).values())
    chapters = list(dict.fromkeys(each.chapter for each in known if hasattr(each, "chapter")))
    assert named == [chapter for chapter in chapters if chapter in named]
