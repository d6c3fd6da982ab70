"""Plant every violation there is in a clean run: the checker names each, and nothing in the clean one."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.nemesis.checker import check, hash_of
from tests.nemesis.planted import (
    PLANTED,
    STREAM,
    E,
    Story,
    add,
    clean,
    lost_command,
    request,
    unknown_for_ever,
)
from tests.nemesis.violations import LOST, PROMISES


@pytest.fixture
def story() -> Story:
    return clean()


def test_a_clean_run_breaks_nothing(story: Story) -> None:
    assert check(story.history, {E: story.shown}) == []


@pytest.mark.parametrize(("plant", "name"), PLANTED, ids=[plant.__name__ for plant, _ in PLANTED])
def test_a_planted_violation_is_named(story: Story, plant: Callable[[Story], None], name: str) -> None:
    plant(story)

    assert name in story.found()


def test_each_violation_there_is_was_planted() -> None:
    assert {name for _, name in PLANTED} == set(PROMISES)


def test_what_turns_out_not_to_have_happened_is_settled_too(story: Story) -> None:
    unknown_for_ever(story)
    story.invoke(9, "open end", [add(5)])
    story.note("fail", op=9, status=409, code="command-refused")

    assert story.found() == set()


def test_a_number_that_was_given_without_an_outcome_counts_like_any_other(story: Story) -> None:
    story.record([*story.requests, request(8, add(6))])
    story.note("told", client=STREAM, encounter=E, connection=2, n=8, hash=hash_of(story.shown.log[7].commit))
    story.invoke(8, "pending", [add(6)])
    story.note("ok", op=8, encounter=E, n=8, status=202, outcomes=[{"n": 8, "outcome": "pending"}])
    assert story.found() == set()

    lost_command(story)
    assert LOST in story.found()
