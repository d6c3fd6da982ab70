"""Choices that seats sealed themselves are held to their commitments by both verifiers, without the rules."""

from __future__ import annotations

import re
from typing import Any

import pytest

from service.dice.chain import choice_commitment
from service.record.canonical import dumps, eid_of
from tests.audit.refitted import unsigned, verdicts, with_events
from tests.support.javascript_verifier import OTHERWISE

PROMPT = "r1/e1/stance/pia"
CHOICE = {"type": "choose_stance", "creature": "pia", "prompt": PROMPT, "stance": "might"}
SALT = "5a" * 32


def committed(**changes: Any) -> dict[str, Any]:
    """Return the event of a commitment of ada to `CHOICE`."""
    made = choice_commitment(eid_of(unsigned().encounter), "ada", PROMPT, bytes.fromhex(SALT), dumps(CHOICE))
    event = {"type": "seat_choice_committed", "prompt": PROMPT, "creature": "pia", "seat": "ada"}
    return {**event, "commitment": made.hex(), "because": [], **changes}


def opened(**changes: Any) -> dict[str, Any]:
    """Return the event that opens `CHOICE`."""
    event = {"type": "seat_choice_opened", "prompt": PROMPT, "creature": "pia", "seat": "ada"}
    return {**event, "choice": CHOICE, "salt": SALT, "because": [], **changes}


def judged(*events: dict[str, Any]) -> tuple[str, str]:
    """Return what Python and JavaScript say of a record with *events* in it, without the place."""
    raw, places = with_events("roll_begun", *events)
    ours, theirs = verdicts(raw)
    assert ours == OTHERWISE or int(re.findall("[0-9]+", ours)[0]) in places
    return ours.partition("(")[0], theirs.partition("(")[0]


@pytest.mark.parametrize(
    "events",
    [
        (committed(), opened()),
        (opened(),),
        (committed(), opened(), opened(salt="5b" * 32)),
        (committed(commitment="00" * 32), committed(), opened()),
    ],
    ids=["it fits", "the commitment is not known here", "opened again", "committed to again"],
)
def test_TABLE_CHOICE_2_a_choice_that_fits_is_left_to_the_rules(events: tuple[dict[str, Any], ...]) -> None:
    """The rules of the game that is changed know no such events, so the audit decides otherwise."""
    assert judged(*events) == ("not_deterministic", OTHERWISE)


@pytest.mark.parametrize(
    "lie",
    [
        {"choice": {**CHOICE, "stance": "agility"}},
        {"choice": {**CHOICE, "more": 1}},
        {"salt": "5b" * 32},
        {"seat": "bo"},
    ],
    ids=["another choice", "a field more", "another salt", "another seat"],
)
def test_TABLE_CHOICE_2_a_choice_that_was_changed_after_the_commitment_is_tampered(
    lie: dict[str, Any],
) -> None:
    assert judged(committed(), opened(**lie)) == ("tampered", "tampered")


@pytest.mark.parametrize(
    "event",
    [
        committed(commitment="00"),
        committed(prompt=7),
        committed(prompt=""),
        committed(prompt="x" * 201),
        committed(seat="Ada"),
        opened(choice=[]),
        opened(choice=None),
        opened(salt=SALT.upper().replace("5", "A")),
        opened(salt=5),
        {"type": "seat_choice_opened", "seat": "ada", "because": []},
    ],
)
def test_an_event_of_a_choice_has_its_members(event: dict[str, Any]) -> None:
    assert judged(event) == ("malformed", "malformed")
