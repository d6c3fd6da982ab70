"""Send what nobody should: every command with any parameters is accepted or refused, never a fault."""

from __future__ import annotations

from dataclasses import dataclass, fields
from random import Random
from typing import Any

import pytest

from service.rules.kernel.codec import Malformed, from_data, to_data
from service.rules.rise import RISE
from service.rules.rise.creatures.state import State
from tests.rules.rise.bot import KIT, melee, play
from tests.rules.rise.campaign import Campaign
from tests.rules.rise.cast import drawable
from tests.rules.rise.kit import Fight, entry, opening

WORDS = (
    "he0",
    "he1",
    "or0",
    "or1",
    "he2",
    "",
    "blade",
    "bow",
    "mend",
    "guard",
    "echo",
    "burn",
    "shout",
    "nobody",
)
VALUES: tuple[Any, ...] = (
    *WORDS,
    *(
        "fly",
        "land",
        "follow",
        "block",
        "hustle",
        "standard",
        "minor",
        "free",
        "total_defense",
        "armor",
        "open",
    ),
    *(0, 1, -5, 30, 10_000, True, False, None),
    *([], ["he0"], ["or0", "nobody"], [[1, 0]], [[0, 1], [0, 2]], [[0, 0]], [[9, 9], [-9, 4]]),
    *([1, 0], [0, 0], [3, 7], {}, {"g": ["he0", "or0"]}, {"g": ["nobody"]}),
)


def junk(fight: Fight, random: Random) -> None:
    """Send a command of a random type with random parameters; one that does not fit its class is not sent."""
    kind = random.choice([each for each in sorted(RISE.commands) if each not in ("close", "end_combat")])
    names = [f.name for f in fields(RISE.commands[kind]) if f.metadata.get("given", True)]
    seats = [*fight.state.seats, "nobody"]
    for _ in range(12):
        data = {name: random.choice(VALUES) for name in names if random.random() < 0.8}
        if "creature" in names:
            data["creature"] = random.choice(WORDS[:5])
        try:
            fight.send(kind, random.choice(seats), **data)
        except Malformed:
            continue
        return


@pytest.mark.parametrize("seed", range(10))
def test_no_command_is_a_fault(seed: int) -> None:
    random = Random(seed)
    fight = melee(seed, each=2, played=1 + seed % 2)
    for turn in range(25):
        play(fight, 100 * seed + turn, 4)
        for _ in range(25):
            if fight.state.closed or fight.state.stage == "ended":
                return
            junk(fight, random)


@pytest.mark.parametrize("seed", range(10))
def test_every_house_plays(seed: int) -> None:
    random = Random(seed)
    options: dict[str, Any] = {
        key: random.choice(spec.values) if spec.bounds is None else random.randint(*spec.bounds)
        for key, spec in drawable().items()
        if key != "profile"
    }
    sides = ("heroes", "orcs", "wolves")[: random.choice((2, 3))]
    fight = play(melee(seed, sides, played=random.choice((0, 1, 2)), **options), seed, 120)
    assert from_data(State, to_data(fight.state), families=RISE.families) == fight.state, (seed, options)


@dataclass
class Crowd(Campaign):
    """Four groups of ten, of which two are players'."""

    def opening(self) -> dict[str, Any]:
        sides = {"heroes": "pc", "orcs": "pc", "wolves": "mon", "bats": "mon"}
        entries = [
            entry(f"{kind}@{side}/{side[:2]}{i}", (2 * s, 2 * i), dexterity=i, **KIT)
            for s, (side, kind) in enumerate(sides.items())
            for i in range(10)
        ]
        return opening(*entries, declared_sides=[])

    def play(self) -> Crowd:
        """Begin at once and play until the budget is spent."""
        self.open()
        self.must("start_combat", "gm", {})
        while self.commands < self.budget:
            self.turn()
        return self


def test_four_groups_of_ten_play_and_fold() -> None:
    played = Crowd(1, 40, budget=152, meddling=0.0).play()
    tried = played.done.total() + played.codes.total()  # a seed may also try what is not offered
    assert tried == 152, "150 after the opening and the start"
    assert played.done.total() > 140
    assert len(played.state.creatures) == 40
    assert from_data(State, to_data(played.state), families=RISE.families) == played.state
