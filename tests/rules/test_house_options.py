"""A book's options are one record, from which their specs, their defaults and their types are made."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any, Literal

import pytest

from service.rules import heartrush, rise
from service.rules.heartrush.creatures.options import House as HeartRushHouse
from service.rules.house_options import defaults, option, specs_of
from service.rules.kernel.records import changed, record
from service.rules.rise.creatures.creature import Ruling
from service.rules.rise.creatures.options import House as RiseHouse

HEARTRUSH, RISE = heartrush.HEARTRUSH, rise.RISE


RULES = Path(heartrush.__file__).parents[1]
BOOKS = {"heartrush", "rise"}


@cache
def read_in(book: str) -> frozenset[str]:
    """Return what the rules of a book, and those of all rulesets, name: attributes, and keys as texts."""
    others = BOOKS - {book}
    paths = [path for path in RULES.rglob("*.py") if path.relative_to(RULES).parts[0] not in others]
    return frozenset(name for path in paths if path.name != "options.py" for name in names_in(path))


def names_in(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


@record
class Stakes:
    """The options of a card game."""

    ante: Literal[5, 10] = option("A-1", "what each pays first")
    blind: Literal[False, True] = option("A-2", "whether the first two pay more")
    limit: int = option("A-3", "the highest bid", default=50, bounds=(1, 99))


def test_specs_are_made_of_the_record() -> None:
    specs = specs_of(Stakes)
    assert list(specs) == ["ante", "blind", "limit"]
    assert [(spec.values, spec.settles, spec.bounds) for spec in specs.values()] == [
        ((5, 10), "A-1", None),
        ((False, True), "A-2", None),
        ((50,), "A-3", (1, 99)),
    ]
    assert defaults(specs.values()) == {"ante": 5, "blind": False, "limit": 50}
    assert specs["limit"].fault(100) == "a whole number from 1 to 99"


@pytest.mark.parametrize(("ruleset", "house"), [(HEARTRUSH, HeartRushHouse), (RISE, RiseHouse)])
def test_a_state_reads_every_option_of_its_book(ruleset: Any, house: type) -> None:
    assert [field.name for field in fields(house)] == list(ruleset.options)
    for key, spec in ruleset.options.items():
        assert getattr(ruleset.blank.house, key) == spec.values[0]
        for value in spec.values:
            chosen: Mapping[str, object] = {key: value}
            assert getattr(changed(ruleset.blank, options=chosen).house, key) == value


@pytest.mark.parametrize("ruleset", [HEARTRUSH, RISE], ids=lambda each: each.edition)
def test_each_option_is_read_by_a_rule(ruleset: Any) -> None:
    unread = ruleset.options.keys() - read_in(ruleset.edition.partition("@")[0])
    assert not unread, f"no rule reads {sorted(unread)} of `state.house`"


def test_a_ruling_of_the_gm_counts_from_then_on_the_last_one_first() -> None:
    def ruled(*chosen: str) -> str:
        rulings = tuple(Ruling(id=each, question="visibility", subjects=(), chosen=each) for each in chosen)
        return changed(RISE.blank, rulings=rulings, options={"visibility": "none"}).house.visibility

    assert [ruled(), ruled("full"), ruled("full", "outcomes"), ruled("full", "anything else")] == [
        "none",
        "full",
        "outcomes",
        "full",
    ]


@pytest.mark.parametrize("ruleset", [HEARTRUSH, RISE], ids=lambda each: each.edition)
def test_each_value_of_an_option_has_a_sentence_of_its_own(ruleset: Any) -> None:
    for spec in ruleset.options.values():
        values = spec.values if spec.bounds is None else spec.bounds
        sentences = [spec.sentence(value) for value in values]
        assert len(set(sentences)) == len(values), spec.key
        assert all(each[0].isupper() and each.endswith(".") for each in sentences), spec.key
        assert not any("{" in each for each in sentences), spec.key


def test_an_option_without_sentences_is_named_with_its_value() -> None:
    assert specs_of(Stakes)["ante"].sentence(10) == "What each pays first: 10."
