"""What a commit is about: exactly what its events say, however its bytes look."""

import inspect
import re
from typing import Any

import pytest

from service.record import subjects
from service.record.canonical import NotCanonical, dumps
from service.record.subjects import (
    CONTINUED,
    ENDED,
    LOST,
    REVEALED,
    SEALED,
    SEATING,
    SEATS,
    Subject,
    events_about,
    is_about,
)
from service.rules.registry import REGISTRY

FIELDS = ("encounter", "n", "prev", "at", "edition", "epoch", "request", "outcome")
ALL = {name: value for name, value in vars(subjects).items() if isinstance(value, Subject)}


def commit(*events: dict[str, Any]) -> bytes:
    return dumps(dict.fromkeys(FIELDS, 1) | {"v": 1, "events": list(events), "rolls": []})


def test_events_are_found_with_their_index() -> None:
    raw = commit({"type": "moved"}, {"type": "seat_closed", "seat": "zoe"}, {"sealed": "ab", "opens": "end"})
    assert events_about(raw, SEATS) == {1: {"type": "seat_closed", "seat": "zoe"}}
    assert sorted(events_about(raw, SEATS, SEALED)) == [1, 2]
    assert not is_about(raw, CONTINUED, REVEALED)


@pytest.mark.parametrize("name", ALL)
def test_a_value_that_looks_like_a_subject_is_none(name: str) -> None:
    subject = ALL[name]
    words = [*subject.types, subject.field]
    raw = commit({"type": "moved", "how": words, "inside": {word: 1 for word in words if word}})
    assert any(trace in raw for trace in subject.traces)
    assert not is_about(raw, subject)


def test_a_loss_is_the_field_of_one_event() -> None:
    lost = {"size": 3, "root": "ab"}
    assert is_about(commit({"type": "epoch_advanced", "lost": lost}), LOST)
    assert not is_about(commit({"type": "epoch_advanced", "lost": None}), LOST)
    assert not is_about(commit({"type": "swift_used", "lost": lost}), LOST)


def test_bytes_that_are_no_commit_are_read_only_if_they_may_matter() -> None:
    assert not is_about(b"", ENDED)
    with pytest.raises(NotCanonical):
        is_about(b'{"type":"encounter_closed"', ENDED)


def test_every_event_that_changes_seats_is_among_them() -> None:
    openings = {"line_begun", "forked", *(f"{edition.opening.type}ed" for edition in REGISTRY.values())}
    found = {
        type_
        for edition in REGISTRY.values()
        for type_, kind in edition.events.items()
        if re.search(r"\bseats=|self\.seated\(", inspect.getsource(kind.evolve))
    }
    assert found - openings == set(SEATING)
