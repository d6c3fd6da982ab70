"""What is announced and changes nothing says so: Swift effects, seen or not, and damage from other groups."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.rise.kit import Fight, begun, entry, opened

MEND = {
    "id": "mend",
    "tags": ["swift"],
    "range_ft": 60,
    "effects": [{"does": "heal_hp", "amount": 5}],
}
CLEAN = {
    "id": "clean",
    "tags": ["swift"],
    "range_ft": 60,
    "effects": [{"does": "lose", "condition": "dazed"}],
}


def said(fight: Fight) -> list[tuple[Any, ...]]:
    """Return what was said of effects that changed nothing."""
    return [(e.what, e.why, e.creature, e.effect) for e in fight.logged("nothing_changed")]


@pytest.mark.parametrize("kind", ["mon", "pc"])
@pytest.mark.parametrize(
    ("ability", "expected"),
    [("mend", ("heal_hp", "already_so", "v", None)), ("clean", ("lose", "not_there", "v", None))],
)
def test_TABLE_UNCHANGED_1_a_swift_effect_that_changes_nothing_says_so(
    kind: str, ability: str, expected: tuple[Any, ...]
) -> None:
    """Also one that others do not know of before the announcement: then it says so, and not before."""
    fight = opened(
        entry("mon@m/v", (5, 0), abilities=[MEND, CLEAN]),
        entry(f"{kind}@p/p", (0, 0)),
        options={"exertion_prompt": "never"},
    ).do("start_combat", start_phase="action")
    fight.do("commit_swift", "v", ability=ability, targets=["v"]).to_actions()
    assert said(fight) == ([expected] if kind == "mon" else [])
    fight.rest()
    assert said(fight) == [expected]


@pytest.mark.parametrize("ability", ["mend", "clean"])
def test_TABLE_UNCHANGED_1_a_swift_effect_that_changes_something_says_nothing(ability: str) -> None:
    fight = opened(entry("mon@m/v", (5, 0), hp=5, abilities=[MEND, CLEAN]), entry("pc@p/p", (0, 0)))
    daze = {"does": "gain", "target": "v", "name": "dazed"}
    fight.do("gm_ruling", None, kind="correction", decision="so", effects=[daze])
    fight.do("start_combat", start_phase="action")
    fight.do("commit_swift", "v", ability=ability, targets=["v"]).to_actions().rest()
    assert said(fight) == []
    assert (fight["v"].hp, fight["v"].has("dazed")) == ((10, True) if ability == "mend" else (5, False))


@pytest.mark.parametrize("sort", ["normal", "environmental", "subdual"])
def test_TABLE_UNCHANGED_1_damage_from_another_group_to_the_dead_says_so(sort: str) -> None:
    blast = {
        "id": "blast",
        "range_ft": 60,
        "effects": [{"does": "damage", "amount": 8, "sort": sort}],
    }
    fight = begun(entry("mon@m/v", (5, 0)), entry("mon@p/p", (0, 0), abilities=[blast]))
    fight.do("use_ability", "p", ability="blast", targets=["v"])
    fight.given("v", dead=True, defeated=True).end("p").rest()
    assert said(fight) == [("damage", "out_of_play", "v", None)]
    assert fight["v"].hp == 20


def test_TABLE_UNCHANGED_1_damage_that_resistance_takes_says_what_it_did() -> None:
    frost = {
        "id": "frost",
        "range_ft": 60,
        "effects": [{"does": "damage", "amount": 3, "sort": "environmental"}],
    }
    fight = begun(entry("mon@m/v", (5, 0), dr=5, dr_max=5), entry("mon@p/p", (0, 0), abilities=[frost]))
    fight.do("use_ability", "p", ability="frost", targets=["v"]).end("p").rest()
    taken = fight.logged("damage_taken")[-1]
    assert (taken.dr, taken.hp) == (0, 0)
