"""Every rule whose text says *creature* is played once with a friend and once with an enemy.

A rule of the book that says creature means both. Where the two differ here, the rule or the table says so.
The rules are found by their statements: a new one that says creature has to be put in one of the two lists.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from service.rules.kernel.rulebook import rules_in
from service.rules.rise import RISE
from service.rules.rise.body.movement_and_positioning import in_the_way, occupant
from service.rules.rise.creatures.creature import Creature
from service.rules.rise.sight.obstacles_and_targets import in_between
from service.rules.ruleset import waiting
from tests.rules.rise.kit import Fight, begun, entry

SIDES = ("p", "m")
WEAK = {"armor": 0, "fortitude": 0, "reflex": 0, "mental": 0}
ABILITIES: list[dict[str, Any]] = [
    {"id": "heal", "usage": "minor", "range_ft": 30, "effects": [{"does": "heal_hp", "amount": 5}]},
    {"id": "bolt", "range_ft": 30, "strike": {"versus": ["reflex"], "dice": [6]}},
    {"id": "curse", "range_ft": 30, "effects": [{"does": "gain", "condition": "slowed"}]},
    {"id": "gust", "range_ft": 30, "effects": [{"does": "push", "amount": 10}]},
    {
        "id": "burst",
        "area": {"shape": "sphere", "size_ft": 15, "range_ft": 0, "whom": "everyone"},
        "strike": {"versus": ["reflex"], "dice": [6]},
    },
    {"id": "aid", "usage": "minor", "range_ft": 30, "effects": [{"does": "heal_dr", "amount": 5}]},
]


def met(side: str, at: tuple[int, int] = (1, 0), phase: str | None = None, **other: Any) -> Fight:
    """Return a fight of p with another one of *side* at *at*; an enemy is far away."""
    mine = entry("mon@p/p", (0, 0), abilities=ABILITIES, strength=4)
    sheet = {**WEAK, "hp_max": 50, "hp": 20, "dr_max": 10, "dr": 0, **other}
    changes: dict[str, Any] = {} if phase is None else {"phase": phase}
    return begun(mine, entry(f"mon@{side}/o", at, **sheet), entry("mon@m/x", (15, 15)), **changes)


def thrown(fight: Fight) -> Fight:
    """Throw sixes, or the most a die has, until no dice are due."""
    while due := [awaited for awaited in waiting(fight.state) if awaited.wants]:
        fight.throw(*[min(6, int(die.rsplit("d", 1)[1])) for die in due[0].wants])
    return fight


def felt(creature: Creature) -> tuple[object, ...]:
    return creature.hp, creature.dr, creature.position, creature.condition_names


def met_by(type_: str, **data: Any) -> Callable[[str], object]:
    """Return the scene in which p does something to the other one: what its group sees, and what is true."""

    def scene(side: str) -> object:
        fight = met(side)
        refusal = fight.send(type_, "gm", creature="p", **data).refusal
        if refusal is not None:
            return refusal.code
        seen = felt(thrown(fight).seen("p", "o"))
        done = fight.end("p").rest()
        return seen, felt(thrown(done)["o"])

    return scene


def passed(side: str) -> object:
    """Return who is in p's way, and who keeps it from ending, by size: equal, two larger, and unconscious."""
    fights = [met(side), met(side, size="huge"), met(side).given("o", down=True, hp=-1)]
    return [
        tuple(
            None if found is None else found.id
            for found in (asked(fight.state, fight["p"], (1, 0)) for asked in (in_the_way, occupant))
        )
        for fight in fights
    ]


def covered(side: str) -> object:
    """Return the cover that one between gives against p, at a distance from p and beside it."""
    far, near = met(side, (2, 0)), met(side)
    return [
        list(in_between(fight.state, fight["p"], fight["x"], fight["o"].position)) for fight in (far, near)
    ]


def shoved(side: str) -> object:
    """Return where a creature ends that has moved before somebody shoves it: RI-MOVE1-1 asks no side."""
    fight = met(side).do("move", "o", path=[[1, 1]]).end("o")
    fight.do("shove", "p", target="o", direction=[1, 0])
    return thrown(thrown(fight).end("p").rest())["o"].position


def reacted(side: str) -> object:
    """Return where p ends that follows, withdraws from and blocks the other one, which walks on."""
    ends = []
    for ability, more in (("follow", {"distance_ft": 5}), ("withdraw", {}), ("block", {})):
        fight = met(side, phase="movement")
        fight.do("plan_movement", "p", ability=ability, targets=["o"], **more)
        fight.do("plan_movement", "o", path=[[2, 0], [3, 0]])
        thrown(fight.to_actions())
        ends.append((ability, fight["p"].position, fight["o"].position))
    return ends


def flung(side: str) -> object:
    """Return where the other one lies that p holds and throws."""
    fight = met(side, size="small").do("grapple", "p", target="o")
    thrown(fight).end("p").rest()
    fight.to_actions()
    refusal = fight.send("throw", "gm", creature="p", target="o", direction=[0, 1]).refusal
    if refusal is not None:
        return refusal.code
    thrown(thrown(fight).end("p").rest())
    return fight["o"].position, fight["o"].condition_names


def felled(side: str) -> object:
    """Return who is said to have defeated the other one, by two blows of p's group."""
    fight = met(side, hp=1, hp_max=1).do("strike", "p", target="o")
    thrown(thrown(fight).end("p").rest())
    return fight["o"].defeated, fight["o"].dead


def helpless(side: str) -> object:
    """Return what a strike does to one that is unaware of p."""
    fight = met(side).given("o", unaware_of=("p",)).do("strike", "p", target="o")
    return felt(thrown(fight).seen("p", "o"))


def judged(side: str) -> object:
    """Return what the GM's word after a deed does."""
    fight = met(side).do("improvise", "p", deed="topple it", targets=["o"]).end("p").rest()
    prompt = waiting(fight.state)[0].prompt
    effects = [{"does": "damage", "target": "o", "amount": 3}]
    fight.do("judge_deed", prompt=prompt, decision="it falls", effects=effects)
    return felt(fight["o"])


def both(outcome: object) -> tuple[object, object]:
    """Return the same outcome with a friend and with an enemy."""
    return outcome, outcome


Scene = Callable[[str], object]
OTHERS = [(None, None), (None, "o")]
"""Nobody is in the way of who may share a space; who lies unconscious is passed, and nobody ends there."""
TWO: dict[str, tuple[Scene, tuple[object, object]]] = {
    "RI-MOVE-4": (
        passed,
        ([(None, "o"), (None, None), (None, "o")], [("o", "o"), (None, None), (None, "o")]),
    ),
    "RI-ATK-15": (covered, ([[], []], [["o"], ["o"]])),
    "RI-ATK-14": (helpless, both((4, 0, (1, 0), ()))),
    "RI-MULTI-3": (felled, both((True, True))),
    "RI-HP-4": (felled, both((True, True))),
    "RI-MOVE1-1": (shoved, both((1, 1))),
    "RI-MOVE1-2": (shoved, both((1, 1))),
    **dict.fromkeys(
        ("RI-REAC-4", "RI-REAC-6"),
        (
            reacted,
            both([("follow", (2, 0), (3, 0)), ("withdraw", (0, 0), (3, 0)), ("block", (0, 0), (3, 0))]),
        ),
    ),
    "RI-UNIV-THROW": (flung, both(((1, 5), ()))),
    "RI-ACT-12": (judged, both((17, 0, (1, 0), ()))),
    "RI-CONF-10": (judged, both((17, 0, (1, 0), ()))),
}
"""What two creatures have to do with each other: a scene, and its outcome with a friend and with an enemy.
Only enemies block the way, and only an ally in touch gives no cover, as the book says there."""
DEEDS: dict[str, tuple[Scene, object]] = {
    "strike": (met_by("strike", target="o"), (4, 0, (1, 0), ())),
    "an attack by an ability": (met_by("use_ability", ability="bolt", targets=["o"]), (8, 0, (1, 0), ())),
    "healing": (met_by("use_ability", ability="heal", targets=["o"]), (25, 0, (1, 0), ())),
    "resistance": (met_by("use_ability", ability="aid", targets=["o"]), (20, 5, (1, 0), ())),
    "a condition": (met_by("use_ability", ability="curse", targets=["o"]), (20, 0, (1, 0), ("slowed",))),
    "a push": (met_by("use_ability", ability="gust", targets=["o"]), (20, 0, (3, 0), ())),
    "an area": (met_by("use_ability", ability="burst"), (8, 0, (1, 0), ())),
    "grapple": (met_by("grapple", target="o"), (20, 0, (1, 0), ("grappled",))),
    "trip": (met_by("trip", target="o"), (20, 0, (1, 0), ("prone",))),
    "shove": (met_by("shove", target="o", direction=[1, 0]), (20, 0, (7, 0), ())),
    "dirty trick": (met_by("dirty_trick", target="o"), (20, 0, (1, 0), ("dirty_trick",))),
    "overrun": (met_by("overrun", path=[[1, 0], [2, 0]]), (20, 0, (1, 0), ())),
}
"""What one creature does to another: the same to a friend and to an enemy, in its own world and at last."""
ALONE = {
    *(
        "RI-FATIG-1",
        "RI-MOVE-5",
        "RI-ACT-10",
        "RI-MOVE-8",
        "RI-VITAL-8",
        "RI-MULTI-2",
        "RI-HP-1",
        "RI-MOVE1-6",
    ),
    *("RI-ORDER-5", "RI-MOVE-9", "RI-MOVE-10", "RI-GROUP-7", "RI-RES-13", "RI-ACT-8", "RI-UNIV-MAINTAIN"),
    *("RI-GM-6", "RI-PHASE-1", "RI-INIT-4", "RI-REAC-2", "RI-CONF-6", "RI-ACT-6", "RI-RES-8", "RI-RES-16"),
    *("RI-MOVE1-7", "RI-RES-9", "RI-CONF-11", "RI-GM-5"),
}
"""Rules about one creature, whatever the others are; and those that are about another group by their text."""


def said() -> set[str]:
    """Return the ids of the rules of Rise that say creature."""
    rules = rules_in(RISE.packages)
    return {id_ for id_, rule in rules.items() if id_.startswith("RI-") and "creature" in rule.statement}


def test_every_rule_that_says_creature_is_played_or_is_about_one_alone() -> None:
    assert said() - {*TWO} - ALONE == set()


@pytest.mark.parametrize("rule", TWO)
def test_a_rule_that_says_creature_is_played_with_a_friend_and_with_an_enemy(rule: str) -> None:
    scene, outcome = TWO[rule]
    assert tuple(scene(side) for side in SIDES) == outcome


@pytest.mark.parametrize("deed", DEEDS)
def test_what_one_does_to_another_asks_for_no_side(deed: str) -> None:
    scene, outcome = DEEDS[deed]
    assert [scene(side) for side in SIDES] == [(outcome, outcome)] * 2
