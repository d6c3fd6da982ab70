"""The docstring of a book's package is its table of contents: its chapters in order, with their modules."""

from __future__ import annotations

import re
from importlib import import_module
from pkgutil import iter_modules
from typing import Final

import pytest

LINE: Final = re.compile(r"^- (.+): (`.+)$", re.MULTILINE)
MODULE: Final = re.compile(r"`(\w+)`")


def contents(book: str) -> tuple[list[str], str]:
    """Return the chapters that the docstring of *book* lists, and the docstring with its lines joined."""
    text = re.sub(r"\n +", " ", import_module(f"service.rules.{book}").__doc__ or "")
    return [chapter for line in LINE.finditer(text) for chapter in line[1].split("; ")], text


BOOKS: Final = ("heartrush", "rise")


@pytest.mark.parametrize("book", BOOKS)
def test_each_module_is_listed_once(book: str) -> None:
    modules = {each.name for each in iter_modules(import_module(f"service.rules.{book}").__path__)}
    _, text = contents(book)
    assert len(modules) > 30, "a search that finds nothing proves nothing"
    assert sorted(MODULE.findall(text)) == sorted(modules)


@pytest.mark.parametrize("book", BOOKS)
def test_chapters_are_those_of_the_books_in_their_order(book: str) -> None:
    named, _ = contents(book)
    known = list(vars(import_module(f"service.rules.{book}.books")).values())
    chapters = list(dict.fromkeys(each.chapter for each in known if hasattr(each, "chapter")))
    assert named == [chapter for chapter in chapters if chapter in named]
    assert len(named) > 5
