"""Carrying a character, whatever the book: when it can be carried, and what says where it comes from."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.heartrush import HEARTRUSH
from service.rules.kernel.codec import to_data
from service.rules.kernel.messages import Refused
from service.rules.rise import RISE
from service.rules.ruleset import carried
from service.rules.table.carried import CarriedFrom
from tests.rules.heartrush import kit as heartrush
from tests.rules.rise import kit as rise
from tests.support.tiny_game import TINY

ORIGIN = CarriedFrom(encounter="00112233-4455-6677-8899-aabbccddeeff", n=7, hash="ab" * 32)


def at_rest(edition: str) -> tuple[Any, Any, str]:
    """Return a ruleset, a fight of it that has not begun, and the command that begins it."""
    if edition == "rise@1":
        pair = rise.entry("pc@heroes/pia", (0, 0)), rise.entry("mon@orcs/orc", (9, 0))
        return RISE, rise.opened(*pair), "start_combat"
    return HEARTRUSH, heartrush.opened({"pia": (0, 0), "orc": (9, 0)}), "begin_combat"


@pytest.mark.parametrize("edition", ["heartrush@1", "rise@1"])
def test_TABLE_CARRY_1_a_character_is_carried_while_no_combat_runs(edition: str) -> None:
    ruleset, fight, begin = at_rest(edition)
    before = to_data(carried(ruleset, fight.state, "pia", ORIGIN))
    assert before["carried_from"] == to_data(ORIGIN)
    assert before["character"]["sheet"]["id"] == "pia"
    with pytest.raises(Refused, match="combat") as refused:
        carried(ruleset, fight.do(begin).state, "pia", ORIGIN)
    assert refused.value.code == "in_combat"
    assert to_data(carried(ruleset, fight.do("end_combat").state, "pia", ORIGIN)) == before


@pytest.mark.parametrize("edition", ["heartrush@1", "rise@1"])
def test_TABLE_CARRY_1_only_who_is_there_is_carried(edition: str) -> None:
    ruleset, fight, _ = at_rest(edition)
    with pytest.raises(Refused) as refused:
        carried(ruleset, fight.state, "nobody", ORIGIN)
    assert refused.value.code == "no_such_creature"


def test_TABLE_CARRY_1_a_book_that_carries_nobody_says_so() -> None:
    with pytest.raises(Refused, match="carries no characters") as refused:
        carried(TINY, TINY.blank, "ada", ORIGIN)
    assert (refused.value.code, refused.value.rule) == ("not_carriable", "TABLE-CARRY-1")


@pytest.mark.parametrize(("ruleset", "edition"), [(HEARTRUSH, "heartrush@1"), (RISE, "rise@1")])
def test_TABLE_CARRY_1_what_may_be_written_in_is_part_of_an_entry_and_of_a_character(
    ruleset: Any, edition: str
) -> None:
    assert ruleset.carrying is not None
    _, fight, _ = at_rest(edition)
    character = to_data(carried(ruleset, fight.state, "pia", ORIGIN))["character"]
    entry = to_data(fight.logged("encounter_opened")[0])["opening"]["creatures"][0]
    assert set(ruleset.carrying.written) <= set(character) & set(entry)
