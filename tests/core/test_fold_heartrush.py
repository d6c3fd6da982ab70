"""Random fights of Heart Rush, decided to bytes: folding the bytes gives the state that deciding gave."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from typing import Any

import pytest

from service.core.decide import DecidedCommit, FoldedState, decide_request, unfolded
from service.core.snapshot import folded_from, snapshot_of
from service.record.canonical import is_canonical
from service.record.commit import Request, dump_request, fold_commit, load_commit
from service.rules.heartrush import HEARTRUSH
from service.rules.heartrush.creatures.state import State
from service.rules.kernel.codec import to_data
from service.rules.kernel.messages import Actor
from service.rules.ruleset import legal, waiting
from tests.rules.heartrush.bot import SELDOM, choices, random_opening
from tests.support.tiny_table import eid, secrets_of

COMMANDS = 120


@dataclass
class Fight:
    """A fight that a seed plays, one request after the other."""

    seed: int
    folded: FoldedState[State] = field(default_factory=lambda: unfolded(eid(), HEARTRUSH))
    written: list[DecidedCommit[State]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)
        self.secrets = secrets_of(eid())

    def send(self, type_: str, by: Actor, data: dict[str, Any]) -> None:
        """Decide one command, down to its bytes and back."""
        n = self.folded.n + 1
        raw = dump_request(Request(eid(), type_, "2026-01-02T03:04:05.000Z", f"{n:032x}", by, data))
        self.written.append(decide_request(HEARTRUSH, self.folded, raw, n, self.secrets))
        self.folded = self.written[-1].folded

    def open(self) -> None:
        """Open a fight of all kinds."""
        data = {
            "encounter": eid(),
            "edition": HEARTRUSH.edition,
            "digest": "00" * 32,
            "dice": to_data(self.secrets.setup()),
            "opening": random_opening(self.chance),
        }
        self.send("open", Actor(seat="gm", role="gm"), data)

    def step(self) -> bool:
        """Let one seat do one thing it may; whether anybody could."""
        state = self.folded.state
        seats = list(dict.fromkeys(awaited.seat for awaited in waiting(state)))
        self.chance.shuffle(seats)
        for seat in seats:
            offered = [
                choice
                for awaited, offers in legal(HEARTRUSH, state, seat)
                for choice in choices(self.chance, awaited, offers)
                if choice.type not in SELDOM or self.chance.random() < 0.02
            ]
            if offered:
                choice = self.chance.choice(offered)
                self.send(choice.type, Actor(seat=seat, role=state.seats[seat].role), dict(choice.data))
                return True
        return False


@pytest.mark.parametrize("seed", range(8))
def test_folding_a_fights_bytes_gives_the_state_that_deciding_gave(seed: int) -> None:
    fight = Fight(seed)
    fight.open()
    while fight.folded.n < COMMANDS and fight.step():
        pass
    assert len(fight.written) > 10, f"seed {seed} proves nothing"

    state = HEARTRUSH.blank
    for written in fight.written:
        payloads = {index: json.loads(lies.payload) for index, lies in written.sealed}
        state = fold_commit(HEARTRUSH, state, load_commit(written.raw), payloads)
        assert state == written.state, f"seed {seed}, commit {written.n}"
        assert is_canonical(written.raw), f"seed {seed}, commit {written.n}"
    assert folded_from(eid(), HEARTRUSH, snapshot_of(fight.folded)) == fight.folded, f"seed {seed}"
