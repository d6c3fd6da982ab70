"""What two or three groups do to each other in one phase comes out alike, whatever they are called."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations_with_replacement, permutations, product
from random import Random
from typing import Any, Final

import pytest

from service.rules.rise.moving.movement_problem import Outcome, place_movers
from service.rules.ruleset import waiting
from tests.rules.rise.kit import Fight, begun, entry, opened
from tests.rules.rise.movements import problem_of, solve_with, written
from tests.rules.rise.problems import problem_text

Act = Callable[[Fight, str, str], object]
FACES: Final = (9, 2)
"""What the first and the second throw whenever a roll is asked for."""


def ability(name: str, *effects: Mapping[str, Any], tags: tuple[str, ...] = ()) -> dict[str, Any]:
    return {"id": name, "range_ft": 60, "tags": [*tags], "effects": [*effects]}


def gain(condition: str, **modifiers: int) -> dict[str, Any]:
    return {"does": "gain", "condition": condition, "modifiers": modifiers, "until": "condition"}


ALL: Final = {"does": "lose", "condition": "*"}
SWIFT: Final = ("swift",)
ABILITIES: Final = (
    ability("blast", {"does": "damage", "amount": 8}),
    ability("frost", {"does": "damage", "amount": 8, "sort": "environmental"}),
    ability("tire", {"does": "damage", "amount": 8, "sort": "subdual"}),
    ability("mend", {"does": "heal_hp", "amount": 9}),
    ability("haste", {"does": "heal_hp", "amount": 9}, tags=SWIFT),
    ability("ward", {"does": "heal_dr", "amount": 3}, tags=SWIFT),
    ability("slow", gain("slowed")),
    ability("fell", gain("prone")),
    ability("curse", gain("cursed", defenses=-4), tags=SWIFT),
    ability("cleanse", ALL),
    ability("shed", ALL, tags=SWIFT),
    ability("gust", {"does": "push", "amount": 15}),
)
EARLY: Final = tuple(each["id"] for each in ABILITIES if each["tags"])
ON_SELF: Final = ("haste", "ward", "shed")


def use(name: str, *, on_self: bool = False) -> Act:
    def act(fight: Fight, who: str, other: str) -> object:
        if name in EARLY:
            return fight.do("pass_turn", who)
        return fight.do("use_ability", who, ability=name, targets=[who if on_self else other]).end(who)

    return act


def turn(type_: str, *faces: int, on: str | None = "target", **data: Any) -> Act:
    def act(fight: Fight, who: str, other: str) -> object:
        named: dict[str, Any] = {} if on is None else {on: [other] if on == "targets" else other}
        return fight.do(type_, who, *faces, **named, **data).end(who)

    return act


def walk(fight: Fight, who: str, other: str) -> object:
    x, y = fight[who].position
    dx, dy = fight.state.away(fight[who], fight[other])
    return fight.do("move", who, path=[[x + dx * i, y + dy * i] for i in (1, 2, 3)]).end(who)


ACTS: Final[Mapping[str, Act]] = {
    **{str(each["id"]): use(str(each["id"])) for each in ABILITIES},
    "cleanse_self": use("cleanse", on_self=True),
    "strike": turn("strike", 9, 5),
    "trip": turn("trip", 9),
    "shove": turn("shove", 9),
    "grapple": turn("grapple", 9),
    "escape": turn("escape_grapple", 9, on=None),
    "walk": walk,
    "follow": turn("move", on="targets", ability="follow", distance_ft=5),
    "withdraw": turn("move", on="targets", ability="withdraw", distance_ft=20),
}
FREE_ONLY: Final = ("walk", "follow", "withdraw")
PAIRS: Final = [
    (first, second, is_held)
    for is_held in (False, True)
    for first, second in combinations_with_replacement(ACTS, 2)
    if not any(each in (FREE_ONLY if is_held else ("escape",)) for each in (first, second))
]


def played(first: str, second: str, names: tuple[str, str], *, is_held: bool) -> list[object]:
    """Return how both end, as *names* do *first* and *second* to each other."""
    kit = {"hp": 7, "dr": 0, "dr_max": 5, "abilities": [*ABILITIES]}
    fight = opened(*(entry(f"mon@{name}/{name}", (i, 0), **kit) for i, name in enumerate(names)))
    fight.do("start_combat", start_phase="action")
    if is_held:
        fight.to_actions().do("grapple", names[0], 9, target=names[1]).end(names[0]).rest()
        for name in names:
            fight.do("pass_movement", name)
    turns = ((names[0], names[1], first), (names[1], names[0], second))
    for who, other, what in turns:
        if what in EARLY:
            fight.do("commit_swift", who, ability=what, targets=[who if what in ON_SELF else other])
    fight.to_actions()
    for who, other, what in turns:
        ACTS[what](fight, who, other)
    while due := [a for a in waiting(fight.state) if a.wants]:
        fight.throw(FACES[names.index(due[0].prompt.split("/")[3])])
    role = dict(zip(names, ("first", "second"), strict=True))
    return [
        (one.hp, one.dr, one.position, one.defeated, sorted((c.name, role[c.source]) for c in one.conditions))
        for one in (fight[name] for name in names)
    ]


@pytest.mark.parametrize("first", ACTS)
def test_RI_RES_14_names_decide_nothing(first: str) -> None:
    """RI-RES-6: of what contradicts itself for both a die decides, and nothing else does."""
    for each, second, is_held in PAIRS:
        if each == first:
            found = played(first, second, ("a", "z"), is_held=is_held)
            assert found == played(first, second, ("z", "a"), is_held=is_held), (second, is_held)


RING: Final = (1, 2, 0)
"""At whom each of three aims: the next, so that none is spared."""
GANG: Final = (2, 2, 0)
"""At whom each of three aims: two at one."""
THREE: Final = ((0, 0), (1, 1), (0, 1))
OF_THREE: Final = (9, 5, 2)
"""What each of three throws whenever a roll is asked for."""


def played_by_three(acts: Sequence[str], names: Sequence[str], aims: Sequence[int]) -> list[object]:
    """Return how three end who are called *names*, each of which does its act to the one at whom it aims."""
    kit = {"hp": 7, "dr": 0, "dr_max": 5, "abilities": [*ABILITIES]}
    fight = opened(*(entry(f"mon@{name}/{name}", at, **kit) for name, at in zip(names, THREE, strict=True)))
    fight.do("start_combat", start_phase="action")
    turns = [(name, names[aim], what) for name, aim, what in zip(names, aims, acts, strict=True)]
    for who, other, what in turns:
        if what in EARLY:
            fight.do("commit_swift", who, ability=what, targets=[other])
    fight.to_actions()
    for who, other, what in turns:
        ACTS[what](fight, who, other)
    while due := [a for a in waiting(fight.state) if a.wants]:
        fight.throw(OF_THREE[names.index(due[0].prompt.split("/")[3])])
    return [
        (one.hp, one.dr, one.position, one.defeated, [(c.name, names.index(c.source)) for c in held])
        for one in (fight[name] for name in names)
        for held in [sorted(one.conditions, key=lambda c: (c.name, names.index(c.source)))]
    ]


@pytest.mark.parametrize("aims", [RING, GANG], ids=["ring", "gang"])
@pytest.mark.parametrize("first", [act for act in ACTS if act != "escape"])
def test_RI_RES_14_three_names_decide_nothing(first: str, aims: tuple[int, ...]) -> None:
    """RI-MULTI-1: each act of one, with acts of the others that are drawn, under other names."""
    random = Random(first)
    able = [act for act in ACTS if act != "escape"]
    for _ in range(12):
        acts = (first, random.choice(able), random.choice(able))
        found = [played_by_three(acts, names, aims) for names in (("a", "m", "z"), ("z", "a", "m"))]
        assert found[0] == found[1], acts


@pytest.mark.parametrize("lifts", ["cleanse", "shed"])
@pytest.mark.parametrize("names", list(permutations("amz")))
def test_RI_RES_14_what_one_lays_on_a_third_another_lifts(lifts: str, names: tuple[str, ...]) -> None:
    """C-10: as its own group lifts what others lay at the same time, Swift or not."""
    lays = "curse" if lifts == "shed" else "slow"
    *_, third = played_by_three((lays, lifts, "strike"), names, GANG)
    assert third == (7, 0, THREE[2], False, [])


@pytest.mark.parametrize("most", [3, 5, 8])
def test_RI_REAC_6_names_decide_no_movement(most: int) -> None:
    for seed in range(25):
        text, rows, checks = problem_text(seed, most)
        creatures = text.split(" | ")
        names = [f"c{number}" for number in range(len(creatures))]
        other = dict(zip(names, reversed(names), strict=True))

        def swapped(words: str, other: Mapping[str, str] = other) -> str:
            return re.sub(r"\bc\d+\b", lambda found: other[found[0]], words)

        again = " | ".join([swapped(creature) for creature in reversed(creatures)])
        outcomes = [
            written(problem, solve_with(problem, rolled))
            for problem, rolled in (
                (problem_of(text, rows), checks),
                (problem_of(again, rows), swapped(checks)),
            )
        ]
        assert sorted(outcomes[0].split(" | ")) == sorted(swapped(outcomes[1]).split(" | ")), seed


PLANS: Final = (
    *("stay", "> 4,2", "follow {0}", "block {0}", "withdraw {0} 30", "withdraw {0},{1} 20"),
    *("near {0},{1} 10", "away {0},{1} 30"),
)
"""What each of three may plan about the next and the one after."""


@pytest.mark.parametrize("places", [("0,2", "4,0", "6,4"), ("1,1", "2,1", "3,2"), ("0,0", "5,0", "10,0")])
@pytest.mark.parametrize("first", PLANS)
def test_RI_REAC_3_names_of_three_decide_no_movement(first: str, places: tuple[str, ...]) -> None:
    """RI-MULTI-1: of several who are as near it is the order in which a plan names them that counts."""
    for second, third in product(PLANS, repeat=2):
        found = set()
        for names in (("a", "m", "z"), ("z", "m", "a"), ("m", "z", "a")):
            plans = [
                f"{name}/{name} {at} {plan.format(names[number - 2], names[number - 1])}"
                for number, (name, at, plan) in enumerate(
                    zip(names, places, (first, second, third), strict=True)
                )
            ]
            problem = problem_of(" | ".join(plans))
            checks = " ".join(f"{name}={face}" for name, face in zip(names, OF_THREE, strict=True))
            outcome = solve_with(problem, checks)
            assert isinstance(outcome, Outcome)
            after = place_movers(problem.state, outcome.routes).creatures
            found.add(tuple(after[name].position for name in names))
        assert len(found) == 1, (second, third, found)


@pytest.mark.parametrize(
    ("ability", "distance_ft", "gap", "ends"),
    [
        ("withdraw", 20, 1, ((-2, 0), (3, 0))),
        ("follow", 5, 3, ((1, 0), (2, 0))),
        ("follow", 5, 5, ((2, 0), (3, 0))),
    ],
)
def test_RI_REAC_3_who_react_to_each_other_go_alike(
    ability: str, distance_ft: int, gap: int, ends: tuple[tuple[int, int], ...]
) -> None:
    """C-19: each takes half of the way, and of an odd way both take the step."""
    fight = begun(entry("pc@a/a", (0, 0)), entry("pc@z/z", (gap, 0)), phase="movement")
    for who, other in (("a", "z"), ("z", "a")):
        fight.do("plan_movement", who, ability=ability, targets=[other], distance_ft=distance_ft)
    assert (fight["a"].position, fight["z"].position) == ends


@pytest.mark.parametrize("faces", [(9, 2), (2, 9)])
def test_RI_REAC_2_followers_of_each_other_contend_for_the_space_between(faces: tuple[int, int]) -> None:
    fight = begun(entry("mon@a/a", (0, 0)), entry("mon@z/z", (4, 0)), phase="movement")
    for who, other in (("a", "z"), ("z", "a")):
        fight.do("plan_movement", who, ability="follow", targets=[other], distance_ft=5)
    fight.throw(*faces)
    ends = ((2, 0), (3, 0)) if faces[0] > faces[1] else ((1, 0), (2, 0))
    assert (fight["a"].position, fight["z"].position) == ends


@pytest.mark.parametrize("names", [("a", "z"), ("z", "a")])
@pytest.mark.parametrize("winner", [0, 1])
def test_RI_CONF_4_followers_contend_for_the_last_place(names: tuple[str, str], winner: int) -> None:
    """RI-CONF-2: both are as near, and only one space beside whom they follow is free."""
    around = ((4, 1), (4, -1), (5, 1), (5, -1), (6, 0), (6, 1), (6, -1))
    guards = [entry(f"mon@m/g{number}", at) for number, at in enumerate(around)]
    followers = [entry(f"mon@{name}/{name}", at) for name, at in zip(names, ((1, 2), (1, -2)), strict=True)]
    fight = begun(entry("mon@m/m", (5, 0)), *guards, *followers, phase="movement")
    for name in names:
        fight.do("plan_movement", name, ability="follow", targets=["m"], distance_ft=5)
    for guard in ("m", *(f"g{number}" for number in range(len(around)))):
        fight.do("pass_movement", guard)
    checks = {name: 9 if names[winner] == name else 2 for name in names}
    fight.throw(*(checks[name] for name in sorted(names)))
    assert fight[names[winner]].position == (4, 0)
    assert fight.state.distance(fight[names[1 - winner]], fight["m"]) == 10


def test_RI_COND_1_two_who_seize_each_other_are_in_one_grapple() -> None:
    fight = begun(entry("mon@a/a", (0, 0)), entry("mon@z/z", (1, 0)))
    fight.do("grapple", "a", 9, target="z").end("a").do("grapple", "z", 9, target="a").end("z")
    assert [[c.source for c in fight[name].conditions] for name in ("a", "z")] == [["z"], ["a"]]


def test_RI_CONF_5_who_shoves_in_vain_walks_behind_without_a_check() -> None:
    fight = begun(entry("mon@a/a", (0, 0)), entry("mon@z/z", (1, 0)))
    fight.do("shove", "a", 9, target="z").end("a").do("move", "z", path=[[2, 0], [3, 0], [4, 0]]).end("z")
    assert (fight["a"].position, fight["z"].position) == ((3, 0), (4, 0))
    assert not fight.logged("conflict_found")


def test_RI_SWIFT_11_what_the_dead_keep_up_ends_with_the_phase() -> None:
    web = {"does": "gain", "condition": "slowed", "until": "sustain"}
    webs = {"id": "web", "range_ft": 60, "effects": [{**web, "keep": "minor"}]}
    places = (entry("mon@a/a", (0, 0), hp=7, abilities=[webs]), entry("mon@a/b", (9, 9)))
    fight = begun(*places, entry("mon@z/z", (1, 0)))
    fight.do("use_ability", "a", ability="web", targets=["z"]).end("a").rest()
    for name in ("a", "b", "z"):
        fight.do("pass_movement", name)
    fight.do("sustain", "a", condition="slowed").to_actions()
    assert fight["z"].has("slowed")
    fight.do("strike", "z", 9, 8, target="a").end("z").rest()
    assert fight["a"].dead
    assert not fight["z"].has("slowed")
    assert fight.logged("condition_lost")[-1].because == ("RI-SWIFT-11",)
