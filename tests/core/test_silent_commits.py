"""Every commit that changes something says what: an entry of the log is never empty."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any, Final

import pytest

from service.core.sentences import speech_of
from service.rules.kernel.messages import Event
from service.rules.registry import REGISTRY
from service.rules.shared import EVENTS
from service.usecases import reading
from tests.core.undoing import last_played, opened_with_secrets, played_with_secrets, started
from tests.support.in_process_service import House

pytestmark = pytest.mark.slow

COMMANDS: Final = 60
SEEDS: Final = [0, *(pytest.param(seed, marks=pytest.mark.overnight) for seed in range(1, 50))]


@pytest.mark.parametrize("edition", REGISTRY)
@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.overnight) for seed in range(1, 50))]
)
def test_TABLE_AMEND_4_every_accepted_commit_is_said_to_every_seat(edition: str, seed: int) -> None:
    """Fights with secrets, an undo and its redo: a page shows what is refused or sealed otherwise."""
    random = Random(f"{edition}/{seed}")
    with House() as house:
        line = opened_with_secrets(house, edition, random)
        started(house, line)
        played_with_secrets(house, line, random, COMMANDS)
        undo = house.proposed(line, "undo", commit=random.randint(2, last_played(house, line)))
        undone = house.accept(line, undo)
        redone = house.accept(undone, house.proposed(undone, "redo"))
        said = [each for played in (line, undone, redone) for each in _accepted(house, played)]
    assert len(said) > COMMANDS
    assert {kind for kinds, _ in said for kind in kinds} >= {"line_accepted", "line_begun", "continued"}
    assert [kinds for kinds, text in said if not text] == []


def _accepted(house: House, line: str) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    """Yield the kinds of the events of each accepted commit, and what each seat reads of them."""
    size = len(house.commits(line))
    for seat in house.state(line).seats:
        found = reading.page(house.services, line, seat, 0, size, size)
        for each, text in zip(found, reading.spoken(house.services, line, seat, found), strict=True):
            if each.commit.outcome == "accepted":
                yield tuple(event.get("type", "sealed") for event in each.commit.events), text


@pytest.mark.parametrize("edition", REGISTRY)
def test_every_event_that_people_decide_has_a_sentence(edition: str) -> None:
    ruleset = REGISTRY[edition]
    patterns = speech_of(ruleset).patterns
    kinds: tuple[type[Event[Any]], ...] = (*EVENTS, *ruleset.events.values())
    decided = [kind.type for kind in kinds if kind.decides]
    assert "line_accepted" in decided
    assert [type_ for type_ in decided if not patterns[type_]] == []
