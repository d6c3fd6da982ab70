"""Play both books by options, with every answer held to the contract: its types are those of what is sent."""

from __future__ import annotations

from itertools import count

import pytest

from tests.api.client import Api
from tests.random_play.offered import BOOKS, Play, serving

COMMANDS = 60
FIGHTS = 2
EVENTS = 25
"""Types of events that the fights of a book must show at least."""


@pytest.mark.parametrize("book", BOOKS)
def test_states_events_options_and_outcomes_are_of_the_types_of_the_contract(book: str) -> None:
    shown: set[str] = set()
    seeds = count(1)
    with serving() as (api, services):
        checked = Api(api.app, api.token)
        for _ in range(FIGHTS):
            fight = Play(checked, services, book, next(seeds), budget=COMMANDS).play()
            for seat in fight.seats.values():
                seat.get(f"{fight.at}/state")
                seat.get(f"{fight.at}/commits?limit=5")
                seat.get(f"{fight.at}/rolls")
                for n in range(1, len(fight.sent) + 2):
                    outcome = seat.get(f"{fight.at}/commands/{n}")
                    shown |= {event["type"] for event in outcome["events"]}
            checked.get(f"{fight.at}/rounds/1/replay?limit=10")
    assert len(shown) > EVENTS, shown
