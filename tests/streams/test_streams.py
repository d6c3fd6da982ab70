"""Streams as they are served: nothing missed and nothing twice after cuts; who stalls is dropped."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

import pytest

from service.supervisor import EmbeddedValkey
from tests.bench import fights, servers
from tests.streams.crowd import Encounter, follow, have_room, stalled, was_dropped
from tests.support.waiting import until

pytestmark = pytest.mark.slow

SEED = 7
STUCK = 8
BEGUN = 3
"""Commits of an encounter that was opened and begun."""


def playing(encounter: Encounter, commands: int) -> Callable[[], int | None]:
    """Return what sends one command each time, and the last number when all were sent."""
    script = islice(fights.simple(), commands)
    sent = 0

    def play() -> int | None:
        nonlocal sent
        command = next(script, None)
        if command is None:
            return sent
        sent = encounter.send([command])
        return None

    return play


def test_clients_that_are_cut_off_again_and_again_miss_nothing_and_get_nothing_twice(
    valkey: EmbeddedValkey, streams_url: str, queue_url: str
) -> None:
    with servers.service(valkey) as (port, key, _):
        encounter = Encounter.opened(port, key)

        followed = follow(encounter, 10, cuts=15, seed=SEED, play=playing(encounter, 200), patience_s=90)

    assert followed.faults(BEGUN + 200) == [], f"seed {SEED}"
    assert followed.cuts == 10 * 15


@pytest.mark.overnight
def test_readers_that_stall_are_dropped_and_nobody_else_waits(
    valkey: EmbeddedValkey, streams_url: str, queue_url: str
) -> None:
    """Eight take all places but one, and take nothing of what they are told; then their places are free."""
    room = {"REWOUND_API_STREAMS": str(STUCK + 1)}
    with servers.service(valkey, processes=1, settings=room) as (port, key, _):
        encounter = Encounter.opened(port, key)
        last = encounter.grow(600)
        stuck = [stalled(encounter) for _ in range(STUCK)]
        played = playing(encounter, 20)

        followed = follow(encounter, 1, cuts=0, seed=SEED, play=played, patience_s=60)
        assert followed.faults(last + 20) == []
        # who asked and went holds a place for a second
        until(lambda: have_room(encounter, STUCK + 1), "room for others", every_s=1.5)
        dropped = [was_dropped(line) for line in stuck]
        for line in stuck:
            line.close()
    assert dropped == [True] * STUCK
