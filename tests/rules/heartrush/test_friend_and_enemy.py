"""Every rule whose text says *creature* is played once with a friend and once with an enemy.

A rule of the book that says creature means both. Where the two differ here, the rule or the table says so.
The rules are found by their statements: a new one that says creature has to be put in one of the two lists.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from service.rules.heartrush import HEARTRUSH
from service.rules.heartrush.body.damage import crush_dice
from service.rules.heartrush.body.weapons import is_sheltered
from service.rules.heartrush.creatures.character import Condition
from service.rules.heartrush.creatures.size_and_bonds import fit_together
from service.rules.heartrush.engaging.declaring import is_foe
from service.rules.heartrush.moving.climbing import check_climb
from service.rules.heartrush.moving.grapple import check_reach, check_unheld, size_edges
from service.rules.heartrush.moving.paths import may_enter, step_cost
from service.rules.heartrush.rolling.rolls import climbing, high_ground, unseen_edges
from service.rules.heartrush.timing.exposed import open_targets, watchers
from service.rules.kernel.rulebook import rules_in
from service.rules.ruleset import waiting
from tests.rules.heartrush.kit import Fight, begun, opened
from tests.rules.heartrush.sides import code_of

SIDES = ("players", "enemies")
SMALL: dict[str, Any] = {"size": "small", "weapons": []}


def met(
    side: str, at: tuple[int, int] = (1, 0), *, pia: Any = None, options: Any = None, **other: Any
) -> Fight:
    """Return a fight of Pia with another one of *side* at *at*; an orc is far away."""
    sheets = {"other": {"like": "wolf", "side": side, **other}, "pia": pia or {}}
    return begun({"pia": (0, 0), "other": at, "orc": (20, 20)}, sheets=sheets, options=options or {})


def shove(fight: Fight, creature: str, feet: int, direction: tuple[int, int]) -> Fight:
    effect = {"kind": "push", "creature": creature, "feet": feet, "direction": list(direction)}
    return fight.do("gm_ruling", kind="effect", decision="so", effects=[effect])


def helped(side: str) -> object:
    return met(side).send("help", "zoe", creature="pia", target="other").refusal


def tripped(side: str) -> object:
    fight = met(side, (2, 1)).given("other", conditions={"off_balanced": Condition()})
    return [event.eligible for event in shove(fight, "other", 5, (-1, 0)).logged("window_opened")]


def entered(side: str) -> object:
    large, equal = met(side, size="l2", pia=SMALL), met(side)
    return tuple(may_enter(fight.state, fight["pia"], (1, 0)) for fight in (large, equal))


def paid(side: str) -> object:
    fight = met(side, size="l2", pia=SMALL)
    return step_cost(fight.state, fight["pia"], (0, 0), (1, 0), 0)


def crowded(side: str) -> object:
    fight = met(side, size="tiny", weapons=[], pia={"size": "tiny", "weapons": []})
    return fit_together(fight["pia"], (fight["other"],))


def sheltered(side: str) -> object:
    fight = met(side, size="l2", pia=SMALL).given("pia", position=(1, 0))
    return is_sheltered(fight.state, fight["pia"])


def collided(side: str) -> object:
    fight = shove(met(side, (2, 0)), "pia", 10, (1, 0)).throw(5)
    return [(event.mover_damage, event.blocker_damage) for event in fight.logged("collision")]


def grappled(side: str) -> object:
    fight = met(side, size="large")
    codes = [code_of(check_reach, fight.state, fight["pia"], fight["other"])]
    codes.append(code_of(check_unheld, fight["pia"], fight["other"]))
    fight.given("other", conditions={"grappled": Condition(source="orc")})
    codes.append(code_of(check_unheld, fight["pia"], fight["other"]))
    return codes, [edge.levels for edge in size_edges(fight["other"], fight["pia"])]


def crushed(side: str) -> object:
    fight = met(side).given("pia", conditions={"grappling": Condition(source="other")})
    fight.given("other", conditions={"grappled": Condition(source="pia")})
    return crush_dice(fight["pia"], fight["other"])


def climbed(side: str) -> object:
    fight = met(side, size="l2")
    return code_of(check_climb, fight.state, fight["pia"], fight["other"])


def swayed(side: str) -> object:
    """Return what high ground, an obscured target and a climb do to an attack."""
    fight = met(side).given("pia", conditions={"highground": Condition()})
    fight.given("other", conditions={"obscured": Condition()})
    edges = [*high_ground(fight.state, fight["pia"], fight["other"])]
    edges += unseen_edges(fight.state, fight["pia"], fight["other"])
    fight.given("pia", conditions={"creature_climber": Condition(source="other")})
    return [edge.levels for edge in (*edges, *climbing(fight["pia"], fight["other"]))]


def ambushed(side: str) -> object:
    """Return whom Pia may strike from hiding, and when it is surprised."""
    fight = met(side).given("pia", hidden_from=("other",))
    found = open_targets(fight.state, fight["pia"])
    fight.given("pia", hidden_from=()).given("other", surprised=True)
    return found, open_targets(fight.state, fight["pia"])


def watched(side: str) -> object:
    fight = met(side)
    return [watcher.enemy.id for watcher in watchers(fight.state, fight["other"])]


def joined(side: str) -> object:
    """Return whether one beside an engagement is asked to join it, whichever side it is on."""
    sheets = {"other": {"like": "wolf", "side": side}}
    fight = begun({"pia": (0, 0), "orc": (1, 0), "other": (0, 1)}, sheets=sheets)
    fight.do("engage", creature="pia", target="orc")
    return "other" in [found.creature for found in waiting(fight.state) if "join_engagement" in found.accepts]


def aimed(side: str) -> object:
    """Return whether an attack may mean it, with friendly fire and without."""
    fights = (met(side), met(side, options={"friendly_fire": False}))
    return tuple(is_foe(fight.state, fight["pia"], fight["other"]) for fight in fights)


def treated(side: str) -> object:
    sheets = {"other": {"like": "wolf", "side": side}}
    fight = opened({"pia": (0, 0), "other": (1, 0), "orc": (20, 20)}, sheets=sheets)
    wound = {"kind": "wound", "creature": "other", "rank": 12}
    fight.do("gm_ruling", kind="effect", decision="hurt", effects=[wound])
    return fight.send("treat_wounds", "zoe", creature="pia", patient="other").refusal


def both(outcome: object) -> tuple[object, object]:
    """Return the same outcome with a friend and with an enemy."""
    return outcome, outcome


Scene = Callable[[str], object]
TWO: dict[str, tuple[Scene, tuple[object, object]]] = {
    "HR-ACT-10": (helped, both(None)),
    "HR-ACT-13": (tripped, both([("pia",)])),
    "HR-SIZE-4": (entered, ((True, True), (True, False))),
    "HR-ENV-1": (paid, both(10)),
    "HR-SIZE-2": (crowded, (True, False)),
    "HR-COVER-1": (sheltered, (True, False)),
    "HR-FORCE-2": (collided, both([(3, 2)])),
    "HR-GRAP-1": (grappled, both(([None, None, "already_grappled"], [1]))),
    "HR-GRAP-2": (grappled, both(([None, None, "already_grappled"], [1]))),
    "HR-GRAP-5": (grappled, both(([None, None, "already_grappled"], [1]))),
    "HR-SIZE-7": (grappled, both(([None, None, "already_grappled"], [1]))),
    "HR-GRAP-6": (crushed, both(1)),
    "HR-CLIMB-1": (climbed, both(None)),
    "HR-COND-20": (swayed, both([1, -5, 3])),
    "HR-COND-22": (swayed, both([1, -5, 3])),
    "HR-COND-23": (swayed, both([1, -5, 3])),
    "HR-COND-21": (ambushed, (((), ()), (("other",), ("other",)))),
    "HR-HIDE-2": (ambushed, (((), ()), (("other",), ("other",)))),
    "HR-START-8": (ambushed, (((), ()), (("other",), ("other",)))),
    "HR-OA-1": (watched, (["orc"], ["pia"])),
    "HR-ENG-5": (joined, both(outcome=True)),
    "HR-ENG-6": (joined, both(outcome=True)),
    "HR-ENG-7": (joined, both(outcome=True)),
    "HR-STANCE-AGI-1": (aimed, ((True, False), (True, True))),
    "HR-STANCE-MIG-1": (aimed, ((True, False), (True, True))),
    "HR-STANCE-MIG-2": (aimed, ((True, False), (True, True))),
    "HR-RES-4": (aimed, ((True, False), (True, True))),
    "HR-WND-4": (treated, both(None)),
}
"""What two creatures have to do with each other: a scene, and its outcome with a friend and with an enemy.
Only enemies strike at movers, from hiding and by surprise, as the book says *enemy* there; friends are walked
through, share a cell and shelter each other (A-37)."""
ALONE = {
    *("HR-ABIL-10", "HR-ACT-1", "HR-ACT-2", "HR-ATK-1", "HR-BREATH-2", "HR-CAST-4", "HR-COND-5"),
    *("HR-COND-10", "HR-COND-25", "HR-ENV-4", "HR-FALL-1", "HR-FALL-2", "HR-GEN-1", "HR-GEN-2", "HR-GEN-8"),
    *("HR-MOVE-5", "HR-RES-5", "HR-RUSH-1", "HR-SIZE-5", "HR-SIZE-8", "HR-STANCE-5", "HR-STANCE-6"),
    *("HR-STANCE-AGI-2", "HR-STANCE-DEF-1", "HR-START-6", "HR-START-7", "HR-START-9", "HR-TIME-2"),
    *("HR-WND-6", "HR-WPN-4", "HR-WPN-11", "HR-ZERO-1", "HR-ZERO-2", "HR-ZERO-4", "HR-ZERO-5"),
    *(
        "HR-SVC-9",
        "HR-COND-29",
        "HR-COND-31",
        "HR-MOVE-8",
        "HR-FALL-4",
        "HR-FORCE-5",
        "HR-FORCE-3",
        "HR-POIS-2",
    ),
}
"""Rules about one creature, whatever the others are; and those of bonds, which ask nobody's side."""


def said() -> set[str]:
    """Return the ids of the rules of Heart Rush that say creature."""
    rules = rules_in(HEARTRUSH.packages)
    return {id_ for id_, rule in rules.items() if id_.startswith("HR-") and "creature" in rule.statement}


def test_every_rule_that_says_creature_is_played_or_is_about_one_alone() -> None:
    assert said() - {*TWO} - ALONE == set()


@pytest.mark.parametrize("rule", TWO)
def test_a_rule_that_says_creature_is_played_with_a_friend_and_with_an_enemy(rule: str) -> None:
    scene, outcome = TWO[rule]
    assert tuple(scene(side) for side in SIDES) == outcome


def test_HR_ENV_1_the_space_of_a_larger_friend_is_difficult_ground() -> None:
    """Small Pia has 10 feet: into the space of an L2 that is 5 feet of her way, whoever it is."""
    for side in SIDES:
        fight = met(side, size="l2", pia={**SMALL, "speed": 10, "armor": "none"})
        assert fight.refused("dash", creature="pia", path=[[1, 0], [2, 0]]) == "insufficient_movement"
        fight.do("dash", creature="pia", path=[[1, 0]])
        assert fight["pia"].moved_ft == 10
