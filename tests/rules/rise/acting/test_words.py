"""Words that act: a condition that a ruling lays does something, or says that it is the table's own."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.rise.creatures.combat_statistics import CONDITIONS
from tests.rules.rise.kit import Fight, entry, opened


def ruled(fight: Fight, **effect: Any) -> str | None:
    """Return why a ruling on `e` is refused, None if it is not."""
    data = {"kind": "effect", "decision": "so", "effects": [{"does": "gain", "target": "e", **effect}]}
    refusal = fight.send("gm_ruling", "gm", **data).refusal
    return None if refusal is None else refusal.detail


def table() -> Fight:
    return opened(entry("pc@p/p", (0, 0)), entry("mon@m/e", (1, 0)))


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("hidden", "hide_creature"),
        ("stun", "stunned"),
        ("blind", "blinded"),
        ("Prone!", "prone"),
        ("immobile", "immobilized"),
        ("unconcious", "unconscious"),
        ("invisible", "unseen"),
        ("asleep", "unconscious"),
    ],
)
def test_a_word_that_means_nothing_here_is_refused_with_what_does(name: str, meant: str) -> None:
    detail = ruled(table(), name=name)
    assert detail is not None
    assert meant in detail


def test_a_condition_of_the_tables_own_says_so() -> None:
    fight = table()
    assert "custom" in (ruled(fight, name="enchanted") or "")
    assert ruled(fight, name="enchanted", custom=True) is None
    assert fight["e"].has("enchanted")
    assert "not custom" in (ruled(fight, name="prone", custom=True) or "")
    assert "stunned is one" in (ruled(fight, name="stuned", custom=True) or ""), "a slip of the pen is none"
    assert ruled(fight, does="lose", name="enchanted") is None


@pytest.mark.parametrize("name", [name for name in CONDITIONS if name not in ("squeezing", "grappled")])
def test_every_condition_of_the_book_may_be_laid_and_lifted(name: str) -> None:
    fight = table()
    assert ruled(fight, name=name) is None
    assert fight["e"].has(name)
    assert fight["e"].down is (name == "unconscious"), "who loses its senses falls at once"
    assert ruled(fight, does="lose", name=name) is None
    assert not fight["e"].has(name)
    assert not fight["e"].down


def test_squeezing_comes_of_a_place_alone() -> None:
    assert "judged" in (ruled(table(), name="squeezing") or "")


def test_a_hold_holds_both_and_ends_for_both() -> None:
    fight = table()
    assert ruled(fight, name="grappled", by="p") is None
    assert fight["e"].has("grappled")
    assert fight["p"].has("grappled")
    assert ruled(fight, does="lose", name="grappled") is None
    assert not fight["e"].has("grappled")
    assert not fight["p"].has("grappled")
