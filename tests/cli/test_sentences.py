"""Tell events in one sentence: patterns name the members of what lies inside a field."""

from __future__ import annotations

from service.core.sentences import sentence
from service.rules.heartrush.presentation import SENTENCES as HEARTRUSH
from service.rules.rise.presentation import SENTENCES as RISE

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
    assert sentence(event, NAMES, HEARTRUSH) == "The orc uses howl (pays: action)"


def test_what_has_no_pattern_is_told_by_its_fields() -> None:
    assert sentence({"type": "seen", "by": "pia", "because": []}, NAMES) == "seen by=Pia"
