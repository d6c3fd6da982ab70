"""RI-V-14 as a law: no order in which groups resolve, and no mixing of their commands, changes anything.

Each creature has a script of its own, drawn from a seed and its own name, so what it does depends on nothing
but what its group knows. The same scripts are played with groups one after the other, in two orders, and
with their commands mixed in several ways, in strict mode. State, dice and announcements must be the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Final

import pytest

from service.rules.kernel.messages import Offer
from service.rules.rise import RISE
from service.rules.rise.creatures.state import State
from service.rules.ruleset import legal
from tests.rules.rise.bot import KIT, data_of
from tests.rules.rise.kit import Fight, Seeded, entry, opened, unfolded

SIDES: Final = ("bats", "heroes", "orcs", "wolves")
EACH: Final = 3
SEEDS: Final = range(3)
ROUNDS: Final = 2
MEETS: Final = 2
"""Other groups that each group has to do with, at least, on either side."""
DICE: Final = 30
"""Rolls of all fights, at least."""
SMITE: Final = {"id": "smite", "range_ft": 60, "effects": [{"does": "damage", "dice": [8], "amount": 16}]}
BURST: Final = {
    "id": "burst",
    "area": {"shape": "sphere", "size_ft": 10, "range_ft": 60},
    "strike": {"versus": ["reflex"], "dice": [6], "half_on_miss": True},
}
SKIPS: Final = (
    *("end_combat", "close", "set_order", "no_more_swift", "pass_turn"),
    *("begin_turn", "end_turn", "manipulate_object", "move"),
)
NEVER: Final = ("withdraw_plan", "ask_pause")
"""They keep a round from its end: who plans again what it has withdrawn plays for ever."""
AIMED: Final = 0.8
"""How often a group does something to another, where it can."""
REACTING: Final = 0.3
"""How often a group keeps its standard action, and spends it on a movement that reacts to others."""
Order = Callable[[list[str]], str]
"""Which of the groups that could go on is the next to do something."""


def crowd(seed: int) -> Fight:
    """Return four groups, each of one seat, that stand within reach of each other."""
    random = Random(seed)
    places = [(x, y) for x in range(0, 8, 2) for y in range(0, 6, 2)]
    random.shuffle(places)
    entries = [
        entry(
            f"{'pc' if side != 'bats' else 'mon'}@{side}/{side[0]}{i}",
            places[EACH * s + i],
            dexterity=random.randint(0, 3),
            accuracy=random.randint(4, 9),
            brawling_accuracy=8,
            hp_max=random.choice((1, 2, 3)),
            **KIT | {"dr_max": 0, "abilities": [*KIT["abilities"], SMITE, BURST]},
        )
        for s, side in enumerate(SIDES)
        for i in range(EACH)
    ]
    fight = opened(*entries, dice=Seeded(seed), declared_sides=[], options={"swift_mode": "strict"})
    return fight.do("start_combat")


def seat_of(group: str) -> str:
    """Return who plays a group."""
    return "gm" if group == "bats" else f"seat-{group}"


@dataclass
class Script:
    """What one group does: each step drawn from its name, the round and how many came before in the fight."""

    seed: int
    group: str
    taken: int = 0
    step: Offer | None = None
    seen: tuple[object, ...] = ()

    def next(self, state: State) -> Offer | None:
        """Return what the group does next, if anything; looked up anew when its world has changed."""
        seen = (state.worlds.get(self.group), state.stacks)
        if not self.seen or any(a is not b for a, b in zip(seen, self.seen, strict=True)):
            self.seen, self.step = seen, self._drawn(state)
        return self.step

    def _drawn(self, state: State) -> Offer | None:
        asked = legal(RISE, state, seat_of(self.group))
        all_ = [o for awaited, each in asked for o in each if o.creature and awaited.creature]
        single = unfolded(all_, "target", "targets", "at", "what", "item", "free_actions")
        offers = [offer for offer in single if offer.type not in NEVER]
        kept = [offer for offer in offers if offer.type not in SKIPS] or offers
        if not kept:
            return None
        random = Random(f"{self.seed}/{self.group}/{state.round}/{self.taken}")
        aimed = [offer for offer in kept if self._is_aimed(state, offer)]
        kept = aimed if aimed and random.random() < AIMED else kept
        reacting = [
            o for o in offers if o.type == "no_more_swift" or (o.type == "move" and "targets" in o.given)
        ]
        kept = reacting if reacting and random.random() < REACTING else kept
        type_ = random.choice(sorted({offer.type for offer in kept}))
        mine = [offer for offer in kept if offer.type == type_]
        return random.choice(sorted(mine, key=lambda offer: str((offer.creature, offer.given))))

    def _is_aimed(self, state: State, offer: Offer) -> bool:
        """Tell whether it is done to somebody of another group."""
        targets = (*offer.given.get("targets", ()), offer.given.get("target", ""))
        return "at" in offer.given or any(state.group_of(n) not in (None, self.group) for n in targets)

    def play(self, fight: Fight) -> None:
        """Do the next step, which must be accepted."""
        assert self.step is not None
        data = data_of(self.step, Random(f"{self.seed}/{self.taken}"))
        decision = fight.send(self.step.type, seat_of(self.group), **data)
        assert decision.refusal is None, (self.seed, self.step, decision.refusal)
        self.taken += 1


def played(seed: int, order: Order) -> Fight:
    """Play whole rounds, the next group always chosen by *order*."""
    fight = crowd(seed)
    scripts = {group: Script(seed, group) for group in SIDES}
    while fight.state.round <= ROUNDS and fight.state.stage != "idle":
        assert set(fight.state.groups) <= set(SIDES), (seed, fight.state.groups)
        able = [group for group, script in scripts.items() if script.next(fight.state) is not None]
        if able:
            scripts[order(able)].play(fight)
        else:
            judge(fight)
    return fight


def judge(fight: Fight) -> None:
    """Judge the next deed, as a GM who says the same of it in whichever order it was tried."""
    found = [offer for _, each in legal(RISE, fight.state, "gm") for offer in each]
    offer = next(offer for offer in found if offer.type == "judge_deed")
    decision = fight.send(offer.type, "gm", **data_of(offer, Random(0)))
    assert decision.refusal is None, (offer, decision.refusal)


def by_name(names: tuple[str, ...]) -> Order:
    """Return the order in which each group does all it can before the next in *names*."""
    return lambda able: min(able, key=names.index)


def mixed(salt: int) -> Order:
    """Return an order in which any group may come next."""
    drawn = Random(salt)
    return drawn.choice


def dice_of(fight: Fight) -> list[tuple[str, str, str]]:
    """Return every roll: its name, its faces, its terms."""
    return sorted((str(roll.name), str(roll.dice), str(roll.terms)) for roll in fight.rolls)


def logs_of(fight: Fight) -> list[tuple[str, str]]:
    """Return what each group announced, in the order of the announcements."""
    return [(event.group, str(event.effects) + str(event.plans)) for event in fight.logged("group_announced")]


def hold(seed: int, mixes: int = 3) -> list[Fight]:
    """Fail unless every order gives what the first one gives; return the fights."""
    orders = [by_name(SIDES), by_name(SIDES[::-1]), *(mixed(100 * seed + i) for i in range(mixes))]
    fights = [played(seed, order) for order in orders]
    for fight in fights[1:]:
        assert dice_of(fight) == dice_of(fights[0]), seed
        assert logs_of(fight) == logs_of(fights[0]), seed
        assert fight.state == fights[0].state, seed
    return fights


def meet(fight: Fight) -> set[tuple[str, str]]:
    """Return which groups' creatures hurt, move or mark creatures of which others."""
    return {
        (event.group, group)
        for event in fight.logged("group_announced")
        for atom in event.effects
        if (group := fight.state.group_of(atom.target)) not in (None, event.group)
    }


@cache
def fights_of(seed: int) -> tuple[Fight, ...]:
    """Return the fights of one seed, held to each other."""
    return tuple(hold(seed))


@pytest.mark.parametrize("seed", SEEDS)
def test_RI_V_14_no_order_of_groups_and_no_interleaving_matters(seed: int) -> None:
    """RI-RES-14: in strict mode the same choices give the same state and the same dice."""
    fights = fights_of(seed)
    assert len({str(fight.sent) for fight in fights}) == len(fights), "the orders do differ"


def test_the_law_is_not_empty() -> None:
    """Dice are thrown by all groups, every group has to do with every other, and wounds are taken."""
    fights = [fights_of(seed)[0] for seed in SEEDS]
    pairs = {pair for fight in fights for pair in meet(fight)}
    rollers = {roll.name.stream[0] for fight in fights for roll in fight.rolls}
    types = {event.type for fight in fights for event in fight.events}

    assert all(len({other for one, other in pairs if one == side}) >= MEETS for side in SIDES), pairs
    assert all(len({one for one, other in pairs if other == side}) >= MEETS for side in SIDES), pairs
    assert rollers == {side[0] for side in SIDES}
    assert sum(len(fight.rolls) for fight in fights) > DICE
    assert types >= {"attack_rolled", "damage_taken", "vital_wound_taken", "moved"}
    assert types >= {"swift_committed", "condition_gained", "group_announced"}
    assert any(event.plans for fight in fights for event in fight.logged("group_announced"))
