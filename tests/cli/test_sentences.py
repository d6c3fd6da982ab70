"""Tell events in one sentence: patterns name the members of what lies inside a field."""

from __future__ import annotations

import re
from dataclasses import fields
from string import Formatter

import pytest

from service.core.sentences import Speech, forms_of, inside, sentence, speech_of, spoken
from service.rules.kernel.hints import Scalar, Shape
from service.rules.registry import REGISTRY

BOOKS = {"heartrush@1": REGISTRY["heartrush@1"], "rise@1": REGISTRY["rise@1"]}
HEARTRUSH, RISE = (speech_of(book) for book in BOOKS.values())
NAMES = {"pia": "Pia", "orc": "The orc"}


def test_a_pattern_may_name_what_lies_inside_a_field() -> None:
    assault = {"user": "pia", "what": "strike", "targets": ["orc"], "spent": False}
    found = sentence({"type": "ability_used", "assault": assault, "because": ["RI-ATK-8"]}, NAMES, RISE)
    assert found == "Pia uses strike on The orc"


def test_a_movement_that_reacts_is_told_with_whom_it_reacts_to() -> None:
    plan = {"ability": "follow", "targets": ["orc"], "path": []}
    found = sentence(
        {"type": "movement_declared", "creature": "pia", "plan": plan, "because": []}, NAMES, RISE
    )
    assert found == "(for its own group: Pia is going to follow: The orc)"


def test_the_other_book_tells_its_own_event_of_that_type() -> None:
    event = {"type": "ability_used", "creature": "orc", "ability": "howl", "paid": "action", "because": []}
    assert sentence(event, NAMES, HEARTRUSH) == "The orc uses howl, for its action"
    assert sentence({**event, "paid": "rush"}, NAMES, HEARTRUSH) == "The orc uses howl, for a rush point"
    assert sentence({**event, "paid": "free"}, NAMES, HEARTRUSH) == "The orc uses howl"


def test_the_sides_of_dice_and_numbers_of_creatures_are_not_taken_for_others() -> None:
    rolled = {"type": "screen_roll_begun", "dice": [6, 20], "what": "the door", "because": []}
    assert sentence(rolled, NAMES) == "the gm rolls d6, d20 for the door"
    gained = {"type": "rush_gained", "gains": {"orc": 1, "pia": 2}, "because": []}
    assert sentence(gained, {**NAMES, "orc": "Wolf 1"}, HEARTRUSH) == "rush: 1 for Wolf 1, 2 for Pia"


def test_what_has_no_pattern_is_told_by_its_fields() -> None:
    assert sentence({"type": "seen", "by": "pia", "because": []}, NAMES) == "seen by=pia"


@pytest.mark.parametrize("edition", BOOKS)
def test_every_event_of_a_book_has_a_sentence_of_its_own_fields(edition: str) -> None:
    book = BOOKS[edition]
    patterns = speech_of(book).patterns
    assert set(book.events) <= set(patterns), "each has a sentence, or an empty one"
    assert set(book.sentences) <= set(book.events)
    for name, event in book.events.items():
        known = {field.name for field in fields(event)}
        said = {
            field for form in forms_of(patterns[name]) for _, field, _, _ in Formatter().parse(form) if field
        }
        strange = {field for field in said if not any(field == k or field.startswith(f"{k}_") for k in known)}
        assert not strange, f"{name} says {strange}"


@pytest.mark.parametrize("edition", BOOKS)
def test_no_sentence_says_yes_or_no_of_a_field(edition: str) -> None:
    """Each of both has a text of its own: "wins the contest", not "is over (won: yes)"."""
    speech = speech_of(BOOKS[edition])
    for name, pattern in speech.patterns.items():
        for form in forms_of(pattern):
            bare = re.sub(r"\[[^\[\]]*\]", "", form)
            shown = {field for _, field, _, _ in Formatter().parse(bare) if field}
            flags = {field for field in shown if is_flag(speech.fields.get(name, {}).get(field))}
            assert not flags, f"{name} says {flags}"


def is_flag(shape: Shape | None) -> bool:
    return isinstance(shape, Scalar) and shape.kind is bool


def test_what_is_true_false_or_nothing_is_said_in_words() -> None:
    event = {"type": "grip_tested", "creature": "pia", "held": True, "because": []}
    assert sentence(event, NAMES, HEARTRUSH) == "Pia tests its grip, and holds on"
    assert sentence({**event, "held": False}, NAMES, HEARTRUSH) == "Pia tests its grip, and lets go"
    assert (
        sentence({"type": "seen", "by": None, "at": False, "because": []}, NAMES) == "seen by=nothing at=no"
    )


def test_a_pattern_may_name_what_lies_two_levels_inside() -> None:
    event = {"type": "creature_added", "entry": {"sheet": {"name": "Wolf"}}, "because": []}
    assert sentence(event, NAMES, RISE) == "Wolf joins"


@pytest.mark.parametrize(
    ("name", "within"),
    [("The undead orc", "the undead orc"), ("His hound", "his hound"), ("Pia", "Pia"), ("A", "A")],
)
def test_a_name_with_an_article_is_not_capitalized_inside_a_sentence(name: str, within: str) -> None:
    event = {"type": "hit", "by": "pia", "target": "orc"}
    fields = HEARTRUSH.fields["exchange_hit"]
    both = {"by": fields["by"], "target": fields["creature"]}
    patterns = {"hit": "{target} is hit by {by}", "struck": "{by} hits {target}"}
    speech = Speech(patterns, {"hit": both, "struck": both})
    names = {"pia": inside("Pia"), "orc": inside(name)}
    found = spoken([event, event | {"type": "struck"}], names, speech)
    assert found == [f"{name} is hit by Pia", f"Pia hits {within}"]
