"""Hold both answers of each house option whose other answer no chapter's test needs."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.rise.options import DEFAULTS, OPTIONS
from tests.rise.kit import Fight, begun, entry

HIT = {"id": "hit", "range_ft": 99, "effects": [{"does": "damage", "amount": 8}]}
MEND = {"id": "mend", "range_ft": 99, "effects": [{"does": "heal_hp", "amount": 10}]}
SLOW = {"id": "hit", "range_ft": 99, "effects": [{"does": "gain", "condition": "slowed"}]}
CLEANSE = {"id": "mend", "range_ft": 99, "effects": [{"does": "lose", "condition": "*"}]}


def test_every_option_has_a_default_and_says_what_it_settles() -> None:
    for key, spec in OPTIONS.items():
        assert spec.settles, key
        assert DEFAULTS[key] == spec.values[0], key
        assert spec.bounds or len(spec.values) > 1, key


def met(hit: dict[str, Any], mend: dict[str, Any], **options: Any) -> Fight:
    """Return a fight in which `v` was hit by another group and mended by its own in the same phase."""
    fight = begun(
        entry("mon@m/v", (1, 0), hp=5),
        entry("mon@m/healer", (2, 0), abilities=[mend]),
        entry("mon@p/f", (0, 0), abilities=[hit]),
        options=options,
    )
    fight.do("use_ability", "f", ability="hit", targets=["v"]).end("f")
    return fight.do("use_ability", "healer", ability="mend", targets=["v"]).end("healer").rest()


@pytest.mark.parametrize(("value", "hp", "felled"), [("too_late", -3, True), ("saves", 10, False)])
def test_C_07_healing_of_the_same_phase(value: str, hp: int, *, felled: bool) -> None:
    fight = met(HIT, MEND, late_healing=value)
    assert fight["v"].defeated is felled
    assert fight["v"].hp == hp


@pytest.mark.parametrize(("value", "left"), [("removes", []), ("keeps", ["slowed"])])
def test_C_10_a_cleansing_and_what_comes_with_it(value: str, left: list[str]) -> None:
    fight = met(SLOW, CLEANSE, cleanse=value)
    assert [condition.name for condition in fight["v"].known()] == left


@pytest.mark.parametrize(("value", "credit"), [("everyone", ("x1", "y1")), ("last", ("y1",))])
def test_C_08_who_is_said_to_have_felled_it(value: str, credit: tuple[str, ...]) -> None:
    """RI-MULTI-3."""
    fight = begun(
        entry("mon@z/b", (1, 0), hp=8),
        entry("mon@x/x1", (0, 0), abilities=[HIT]),
        entry("mon@y/y1", (2, 0), abilities=[HIT]),
        options={"credit": value},
    )
    fight.do("use_ability", "x1", ability="hit", targets=["b"]).end("x1")
    fight.do("use_ability", "y1", ability="hit", targets=["b"]).end("y1").rest()
    assert fight["b"].credit == credit


@pytest.mark.parametrize(("value", "prone"), [(True, True), (False, False)])
def test_C_53_falling_unconscious(value: object, prone: object) -> None:
    fight = begun(
        entry("mon@p/v", (1, 0)),
        entry(
            "mon@m/f", (0, 0), abilities=[{**SLOW, "effects": [{"does": "gain", "condition": "unconscious"}]}]
        ),
        options={"fall_prone": value},
    )
    fight.do("use_ability", "f", ability="hit", targets=["v"]).end("f").rest()
    assert fight["v"].down
    assert fight["v"].has("prone") is prone


@pytest.mark.parametrize(("value", "order"), [("dexterity", ("a", "b")), ("speed", ("b", "a"))])
def test_C_12_what_initiative_adds(value: str, order: tuple[str, ...]) -> None:
    fight = begun(
        entry("mon@x/a", (0, 0), dexterity=3),
        entry("mon@y/b", (2, 0), speeds={"land": 60}),
        phase="movement",
        options={"initiative": value},
    )
    fight.do("plan_movement", "a", path=[[1, 0]]).do("plan_movement", "b", path=[[1, 0]]).throw(5, 5)
    assert fight.told("conflict_found")[-1].order == order


@pytest.mark.parametrize(("value", "outcome"), [("better", "glance"), ("second", "miss")])
def test_RI_UNIV_DESPERATE_which_roll_counts(value: str, outcome: str) -> None:
    fight = begun(entry("pc@p/f", (0, 0)), entry("mon@m/e", (1, 0)), options={"exertion_keeps": value})
    fight.do("strike", "f", 7, target="e").do("desperate_exertion", "f", 1)
    assert fight.told("attack_rolled")[-1].outcome == outcome


@pytest.mark.parametrize(("value", "asked"), [("misses", False), ("always", True), ("never", False)])
def test_C_44_when_a_player_is_asked(value: str, asked: object) -> None:
    fight = begun(entry("pc@p/f", (0, 0)), entry("mon@m/e", (1, 0)), options={"exertion_prompt": value})
    fight.do("strike", "f", 9, target="e")
    assert fight.told("attack_rolled")[-1].asks is asked


def test_C_25_after_a_ruling_free_actions_have_an_end() -> None:
    """RI-ACT-7, RI-GM-2."""
    yell = {"id": "yell", "usage": "free", "effects": []}
    fight = begun(entry("mon@p/p", (0, 0), abilities=[yell]), options={"free_actions_warn": 2})
    for _ in range(3):
        fight.do("use_ability", "p", ability="yell", targets=["p"])
    fight.do("rule", question="free_action_reasonable", subjects=["p"], chosen="no")
    code = fight.refused("use_ability", "p", ability="yell", targets=["p"])
    assert code == "free_action_unreasonable"


def test_C_30_what_needs_no_owner_comes_without_it() -> None:
    """RI-DELAY-4."""
    echo = {
        "id": "echo",
        "later": "next_action",
        "range_ft": 60,
        "effects": [{"does": "damage", "amount": 3}],
    }
    faint = {**SLOW, "effects": [{"does": "gain", "condition": "unconscious"}]}
    fight = begun(entry("mon@p/p", (0, 0), abilities=[echo]), entry("mon@m/e", (1, 0), abilities=[faint]))
    fight.do("use_ability", "p", ability="echo", targets=["e"]).end("p")
    fight.do("use_ability", "e", ability="hit", targets=["p"]).end("e").to_actions().rest()
    assert fight["p"].down
    assert fight["e"].hp == 17
