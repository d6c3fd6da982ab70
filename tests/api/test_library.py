"""The library of a ruleset: every condition says what it does, and a sheet's weapons are words."""

from __future__ import annotations

import re
from typing import Any

import pytest

from service.api.sheets import sheet_in_words
from service.rules.heartrush.body.conditions import CONDITIONS as HEARTRUSH_CONDITIONS
from service.rules.kernel.rulebook import rules_in
from service.rules.registry import REGISTRY
from service.rules.rise.creatures.combat_statistics import CONDITIONS as RISE_CONDITIONS

CONDITIONS = {"heartrush@1": HEARTRUSH_CONDITIONS, "rise@1": RISE_CONDITIONS}


@pytest.mark.parametrize("edition", CONDITIONS)
def test_every_condition_of_a_book_is_listed_with_what_it_does(edition: str) -> None:
    found = {each.id: each for each in REGISTRY[edition].library() if each.kind == "condition"}
    assert found.keys() == CONDITIONS[edition].keys()
    for each in found.values():
        assert each.name, each.id
        assert re.fullmatch(r"[-+]?\w.*\.", each.text), (each.id, each.text)


def test_a_condition_of_heart_rush_says_its_own_rules_and_no_others() -> None:
    every = {rule.statement for rule in rules_in(("service.rules",)).values()}
    found = {each.id: each.text for each in REGISTRY["heartrush@1"].library() if each.kind == "condition"}
    for name, kind in HEARTRUSH_CONDITIONS.items():
        said = {statement for statement in every if statement in found[name]}
        assert len(said) == len(kind.rules) > 0, name
    assert "four levels are death" in found["vulnerable_mental"]
    assert "hidden" not in found["creature_climber"]
    assert found["slowed"].endswith("It fades: it loses a level at the start of each round.")


def test_a_condition_of_rise_says_its_numbers_and_the_rule_about_it() -> None:
    (prone,) = (
        each for each in REGISTRY["rise@1"].library() if (each.kind, each.id) == ("condition", "prone")
    )
    assert "-2 to armor" in prone.text
    assert "getting up costs half of the speed" in prone.text


@pytest.mark.parametrize("edition", CONDITIONS)
def test_weapons_on_a_sheet_are_words_not_fields(edition: str) -> None:
    ruleset = REGISTRY[edition]
    blocks = [each for each in ruleset.library() if each.kind == "stat_block"]
    weapons = {each.id: each.text for each in ruleset.library() if each.kind == "weapon"}
    assert blocks
    for block in blocks:
        seen = type("Seen", (), {"creatures": {"it": type("It", (), {"sheet": block.data})}})
        groups: Any = sheet_in_words(ruleset, seen, "it")
        (line,) = (line["text"] for group in groups for line in group["lines"] if line["name"] == "weapons")
        for weapon in block.data.weapons:
            assert f"{weapon.id}: {weapons[weapon.id]}" in line
        assert not re.search(r"_|size class|attack type|strike|versus|close", line), line
