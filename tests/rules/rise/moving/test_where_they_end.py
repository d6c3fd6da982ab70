"""Two laws in random play: everybody ends where its group saw it, and no two are in one space unsaid.

The fights have doors that are shut, walls that are raised, and pushes; whatever is offered is done, these
things more often than others.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any, Final

import pytest

from service.rules.kernel.messages import Event, Private
from service.rules.rise.body.effects import Moved
from service.rules.rise.creatures.state import State
from service.rules.ruleset import Decision
from service.rules.space.grid import Cell
from tests.rules.rise.bot import choices, data_of
from tests.rules.rise.kit import BLADE, Fight, Seeded, entry, opened

RAISE: Final = {
    "id": "raise",
    "usage": "minor",
    "range_ft": 60,
    "repeat_same_round": True,
    "zone": {"kind": "wall", "radius_ft": 5, "until": "brief"},
}
GUST: Final = {"id": "gust", "range_ft": 60, "effects": [{"does": "push", "amount": 15}]}
WARD: Final = {
    "id": "ward",
    "tags": ["swift"],
    "usage": "minor",
    "effects": [{"does": "heal_dr", "amount": 9}],
}
WANTED: Final = (
    *("move", "shove", "manipulate_object", "use_ability", "plan_movement", "overrun", "charge"),
    *("strike", "step_aside", "commit_swift"),
)
RULES: Final = ("follow", "withdraw", "custom", "block")
"""Movements that go by a rule: where they lead is known only when all have moved."""
REASONS: Final = ("movement_stopped", "location_effect_ignored", "block_checked", "mount_bolted")
"""The events that say why a creature is not where its group saw it."""


def crowd(seed: int) -> Fight:
    """Return two groups of players and one of monsters, on either side of a wall with doors."""
    random = Random(seed)
    cells = [(x, y) for x in range(6) for y in range(4)]
    random.shuffle(cells)
    entries = [
        entry(
            f"{kind}@{side}/{side}{i}",
            cells.pop(),
            hp_max=12,
            dr_max=4,
            weapons=[BLADE],
            brawling_accuracy=8,
            abilities=[RAISE, GUST, WARD],
        )
        for kind, side in (("pc", "a"), ("pc", "b"), ("mon", "m"))
        for i in range(3)
    ]
    doors = {f"2,{y}|3,{y}": random.choice(("open_door", "open_door", "wall")) for y in range(-1, 5)}
    mode = random.choice(("strict", "auto"))
    options = {"swift_mode": mode, "exertion_prompt": "never", "gm_blind": random.choice((True, False))}
    return opened(*entries, dice=Seeded(seed), declared_sides=[], walls=doors, options=options)


class Watch:
    """Follow a fight fact by fact, and hold it to both laws."""

    def __init__(self) -> None:
        self.ends: dict[str, Cell] = {}
        """Where groups saw their members when they were done, or where their plans lead."""
        self.events: list[Event[Any]] = []
        self.phases = self.stopped = 0

    def follow(self, before: State, decision: Decision[State]) -> None:
        """Hold the facts of one command to the laws."""
        state = before
        for fact in decision.facts:
            emitted: object = fact.event if isinstance(fact, Private) else fact
            event: Any = emitted
            if isinstance(emitted, Event):
                if event.type == "group_announced":
                    world = state.at(event.group)
                    self.ends |= {name: world.creatures[name].position for name in state.groups[event.group]}
                    self.ends = {name: end for name, end in self.ends.items() if name not in world.plans}
                if event.type == "sprint_answered" and event.path:
                    self.ends[event.creature] = event.path[-1]
                if event.type == "plans_revealed":
                    self.ends |= {n: plan.path[-1] for n, plan in event.plans.items() if plan.path}
            state = fact.evolve(state)
            if isinstance(event, Event):
                self.events.append(event)
                if event.type == "phase_started":
                    self.ends, self.events = {}, []
                if event.type in ("phase_resolved", "movement_resolved", "movements_made"):
                    self.hold(state)
        for group in ("", *state.apart):
            then, now = (
                (each.at(group) if group else each for each in (before, state))
                if group
                in (
                    "",
                    *before.apart,
                )
                else (before, state.at(group))
            )
            assert {*now.crowded()} <= {*then.crowded()}, (group, now.crowded())

    def hold(self, state: State) -> None:
        """Hold everybody to be where its group saw it, unless an event says why not."""
        for name, end in self.ends.items():
            if state.creatures[name].position != end:
                assert name in list(self.explained()), (name, end, state.creatures[name].position)
                self.stopped += 1
        self.ends = {}
        self.phases += 1

    def explained(self) -> Iterator[str]:
        """Yield the creatures of which an event says why they end elsewhere."""
        event: Any
        for event in self.events:
            if event.type in REASONS:
                yield event.creature
            if event.type == "moved" and event.how == "forced":
                yield event.creature


def played(seed: int, commands: int) -> Watch:
    """Play at random, and hold every command to the laws."""
    fight, watch, random = crowd(seed).do("start_combat"), Watch(), Random(seed)
    for _ in range(commands):
        found = [each for each in choices(fight) if each[1].type not in ("end_combat", "close", "ask_pause")]
        wanted = [each for each in found if each[1].type in WANTED]
        if not found:
            break
        seat, offer = random.choice(wanted if wanted and random.random() < 0.8 else found)
        before = fight.state
        decision = fight.send(offer.type, seat, **data_of(offer, random))
        assert decision.refusal is None, (seed, offer, decision.refusal)
        watch.follow(before, decision)
    return watch


@pytest.mark.parametrize("seed", range(4))
def test_RI_RES_16_everybody_ends_where_its_group_saw_it_or_an_event_says_why(seed: int) -> None:
    """RI-RES-16, RI-MOVE-4."""
    watch = played(seed, 150)
    assert watch.phases >= 2


def test_two_in_one_space_that_nothing_explains_are_found() -> None:
    """The first law can fail: an event that puts one creature onto another is planted."""
    before = crowd(1).do("start_combat").state
    one, other = [creature for creature in before.creatures.values() if creature.altitude == 0][:2]
    planted = Moved(creature=one.id, path=(other.position,), how="forced")
    with pytest.raises(AssertionError, match=one.id):
        Watch().follow(before, Decision(state=planted.evolve(before), facts=(planted,)))


def test_one_that_is_put_back_without_a_reason_is_found() -> None:
    """The second law can fail: its group saw it elsewhere, and no event names it."""
    watch, state = Watch(), crowd(1).do("start_combat").state
    name, found = next(iter(state.creatures.items()))
    watch.ends = {name: (found.position[0] + 1, found.position[1])}
    with pytest.raises(AssertionError, match=name):
        watch.hold(state)
