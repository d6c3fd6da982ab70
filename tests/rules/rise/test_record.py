"""Play through requests and commits: what is stored folds to what was decided, and secrets stay sealed."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from service.core.decide import DecidedCommit, FoldedState, decide_request, unfolded
from service.record.commit import Request, dump_request, fold_commit, load_commit
from service.rules.kernel.codec import from_data, to_data
from service.rules.kernel.messages import Actor
from service.rules.rise import RISE
from service.rules.rise.creatures.state import State
from service.rules.ruleset import legal
from tests.rules.rise.bot import data_of, melee
from tests.support.tiny_table import eid, secrets_of


class Sitting:
    """A fight of Rise that is played as requests and commits, with fixed times, nonces and seeds."""

    def __init__(self) -> None:
        self.encounter = eid()
        self.secrets = secrets_of(self.encounter)
        self.written: list[DecidedCommit[State]] = []

    @property
    def folded(self) -> FoldedState[State]:
        """Where the fight stands."""
        return self.written[-1].folded if self.written else unfolded(self.encounter, RISE)

    def do(self, type_: str, seat: str, data: dict[str, Any]) -> DecidedCommit[State]:
        """Decide the next request."""
        n = len(self.written) + 1
        actor = Actor(seat=seat, role="gm" if seat == "gm" else "player")
        at = f"2026-01-02T00:{n // 60:02}:{n % 60:02}.000Z"
        raw = dump_request(Request(self.encounter, type_, at, f"{n:032x}", actor, data))
        written = decide_request(RISE, self.folded, raw, n, self.secrets)
        self.written.append(written)
        return written

    def open(self, played: int) -> None:
        """Open a small fight and begin it."""
        opening = next(data["opening"] for type_, _, data in melee(0, played=played).sent if type_ == "open")
        told = {"encounter": self.encounter, "edition": "rise@1", "digest": "0" * 64}
        told |= {"dice": to_data(self.secrets.setup()), "opening": opening}
        self.do("open", "gm", told)
        self.do("start_combat", "gm", {})

    def play(self, seed: int, commands: int) -> None:
        """Send random legal commands."""
        random = Random(seed)
        for _ in range(commands):
            state = self.folded.state
            found = [
                (seat, offer)
                for seat in state.seats
                for _, offers in legal(RISE, state, seat)
                for offer in offers
                if offer.type not in ("end_combat", "close")
            ]
            if not found:
                return
            seat, offer = random.choice(found)
            self.do(offer.type, seat, data_of(offer, random))


def refolded(sitting: Sitting) -> State:
    """Return the state as the stored bytes alone tell it."""
    state = RISE.blank
    for written in sitting.written:
        payloads = {index: json.loads(lies.payload) for index, lies in written.sealed}
        state = fold_commit(RISE, state, load_commit(written.raw), payloads)
    return state


@pytest.mark.parametrize("seed", range(6))
def test_stored_commits_fold_to_what_was_decided(seed: int) -> None:
    sitting = Sitting()
    sitting.open(played=1 + seed % 2)
    sitting.play(seed, 120)

    assert refolded(sitting) == sitting.folded.state, seed
    assert from_data(State, to_data(sitting.folded.state), families=RISE.families) == sitting.folded.state, (
        seed
    )


def test_deciding_again_gives_the_same_bytes() -> None:
    raws = []
    for _ in range(2):
        sitting = Sitting()
        sitting.open(played=2)
        sitting.play(5, 80)
        raws.append([written.raw for written in sitting.written])
    assert raws[0] == raws[1]


def _planned(path: list[list[int]]) -> Sitting:
    sitting = Sitting()
    sitting.open(played=2)
    sitting.do("plan_movement", "seat-heroes", {"creature": "he0", "path": path})
    return sitting


def test_a_plan_tells_outsiders_nothing() -> None:
    """RI-INFO-1, RI-INFO-2, RI-INFO-3: whatever is planned or refused, the record has the same shape."""
    shapes = []
    for path in ([[0, 1]], [[1, 0], [1, 1]], [[9, 9]]):
        commit = json.loads(_planned(path).written[-1].raw)
        for event in commit["events"]:
            assert event.pop("sealed")
        del commit["request"]
        shapes.append(commit)
    assert shapes[0] == shapes[1] == shapes[2]
    assert shapes[0]["outcome"] == "sealed"
    assert shapes[0]["events"] == [
        {"audience": ["seat:seat-heroes"], "opens": "r1/movement/heroes/announced"}
    ]


def test_a_refusal_in_a_group_is_sealed_with_it() -> None:
    """RI-INFO-3."""
    written = _planned([[9, 9]]).written[-1]
    payload = json.loads(written.sealed[0][1].payload)
    assert payload["at"] == "heroes"
    assert payload["outcome"] == "refused"
    assert payload["refusal"]["code"] == "path_blocked"
    assert payload["refusal"]["rule"] == "RI-MOVE-2"


def test_outsiders_cannot_act_for_a_group() -> None:
    sitting = Sitting()
    sitting.open(played=2)
    written = sitting.do("pass_movement", "seat-orcs", {"creature": "he0"})
    assert json.loads(written.raw)["refusal"]["code"] == "not_your_creature"
