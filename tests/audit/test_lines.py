"""Hold a line of play to the one it goes on from."""

from __future__ import annotations

from dataclasses import replace

import pytest

from service.audit.evidence import Evidence, stored
from service.audit.lines import mismatch
from tests.encounter.house import BOTH, House
from tests.encounter.tiny import TINY


@pytest.fixture(scope="module")
def lines() -> tuple[Evidence, Evidence, Evidence]:
    """Give a line as played, the line in which it goes on, and the same game played by itself."""
    with House() as house:
        one, other = (house.open(TINY, {}) for _ in range(2))
        for line in (one, other):
            house.send(line, "gm", "roll")
            house.send(line, "ada", "choose", number=3)
            house.send(line, "gm", "add", amount=4)
            house.send(line, "bo", "choose", number=1)
        house.send(one, "ada", "contest", commit=2, claim="a d8 it should be")
        instead = [{"type": "roll", "data": {"sides": 8}}]
        proposal = house.proposed(one, "amend", contest="c1", decision="so it is", instead=instead)
        after = house.accept(one, proposal)
        house.send(after, "gm", "add", amount=1)
        played, goes_on, apart = (stored(house.log, line) for line in (one, after, other))
        return played, goes_on, apart


def test_a_line_goes_on_from_the_one_it_names(lines: tuple[Evidence, Evidence, Evidence]) -> None:
    played, goes_on, _ = lines
    assert mismatch(played, goes_on, BOTH) is None


def test_what_does_not_fit_is_named(lines: tuple[Evidence, Evidence, Evidence]) -> None:
    played, goes_on, apart = lines
    assert mismatch(played, apart, BOTH) == "it does not go on from another encounter"
    assert mismatch(apart, goes_on, BOTH) == f"it goes on from {played.encounter}"
    posing = replace(apart, encounter=played.encounter)
    assert mismatch(posing, goes_on, BOTH) == "commit 1 is not the one it goes on from"
    unaccepted = replace(played, commits=played.commits[:-1])
    assert mismatch(unaccepted, goes_on, BOTH) == "the line it goes on from has not accepted it"
    shortened = replace(goes_on, commits=goes_on.commits[:1])
    assert mismatch(played, shortened, BOTH) == "the line it goes on from goes on in another one"
    swapped = list(played.requests)
    swapped[2] = swapped[3]
    assert mismatch(replace(played, requests=swapped), goes_on, BOTH) == (
        "its command 3 is not command 3 as it was given"
    )


def test_with_something_sealed_from_the_reader_the_state_is_not_compared(
    lines: tuple[Evidence, Evidence, Evidence],
) -> None:
    played, goes_on, _ = lines
    with House() as house:
        line = house.open(TINY, {})
        house.send(line, "ada", "choose", number=3)
        house.send(line, "gm", "add", amount=4)
        after = house.accept(line, house.proposed(line, "undo", commit=3))
        blind = replace(stored(house.log, line), opened={})
        told = mismatch(blind, stored(house.log, after), BOTH)
    assert told == "commit 2 is sealed from this reader, so the state cannot be compared"
    assert mismatch(replace(played, opened={}), goes_on, BOTH) is None  # nothing was sealed before commit 2
