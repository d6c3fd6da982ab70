"""Hold the code to the ledger of Rise, line by line: rules, vectors, reason codes, questions for the GM.

The lists are data of ids alone (`fixtures/`); what is missing is named here with its reason, and nothing is
missing that is not named.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from service.rules import rise
from tests.support.rule_ledger import is_tested, read, words
from tests.support.rules_in_use import rules_of

HERE: Final = Path(__file__).parent
OURS: Final = rules_of("service.rules.rise")
RULES_OF: Final = Path(rise.__file__).parent

WITHOUT_HOME: Final = {
    "RI-UNIV-BLOCK": "one row of the ledger with RI-UNIV-FOLLOW; what it does is RI-REAC-4",
    "RI-UNIV-WITHDRAW": "one row of the ledger with RI-UNIV-FOLLOW; what it does is RI-REAC-3",
}
"""Rules of section B that no code of Rise is the home of."""

BEYOND: Final = {
    "RI-REAC-6": "reactions in a conflict: the ledger leads them by others and says nothing of checks",
    "RI-GM-4": "contests, which the service has for every ruleset",
    "RI-CARRY-1": "characters that go on: the ledger is of one fight",
    "RI-CARRY-2": "the days between two encounters: the ledger has their rests, and no encounters",
    "RI-CONF-8": "what a plan says of sprinting: the ledger has it for whoever reacts alone",
    "RI-CONF-9": "the warning of C-26, which the ledger has as a default ruling",
    "RI-DELAY-6": "aiming what comes later: P30 says additional attacks, the ledger not at whom",
    "RI-INFO-6": "what others read of a group that is waited for",
    "RI-RES-15": "a pause of the GM's between the announcement and the end of the round",
    "RI-ROUND-6": "a fight that ends by itself: the seed gives no end (RI-ROUND-5)",
    "RI-ACT-12": "improvised deeds: the ledger has no command for what no ability names",
    "RI-ACT-13": "what comes of them",
    "RI-CONF-11": "sprinting in answer along a path: the ledger's C-20 is of those who react",
    "RI-CONF-10": "conflicts of them: the ledger's C-39 is of things that are picked up",
    "RI-SWIFT-11": "what the dead kept up: the ledger ends it with the merge, without an id",
    "RI-MAN-5": "the ledger has what one lets go of, and not what the dead hold",
    "RI-GM-7": "who comes back, who leaves, and other ground: the ledger leaves them to the GM",
    "RI-GM-6": "abilities that are gained or lost: the ledger's sheets are fixed",
    "RI-ROUND-7": "several fights in one encounter: the ledger is of one fight",
    "RI-CONF-12": "things that are taken in several worlds: the ledger's C-39 is of those who want one",
    "RI-GROUP-8": "groups by attitudes: the ledger's C-23 has no friend of two enemies",
    "RI-RES-16": "what was done is not done again: the ledger merges movements and says nothing of doors",
    "RI-GM-5": "reinforcements: the ledger lists the command and says nothing of when they join",
}
"""Rules of the code that the ledger does not have."""

NEVER_RAISED: Final = {
    "already_rerolled": "a roll that was made again is shown no more, so it is too_late",
    "allowance_not_banked": "no command names a round other than the one that runs",
    "cannot_interrupt_enemy": "each group acts in its own world: an enemy's action is not there to interrupt",
    "hidden_until_announcement": "what is hidden is an envelope in the answer, not a refusal to read it",
    "no_line_of_sight": "walls block sight and effect alike, so no_line_of_effect says it",
    "no_refund": "there is no command that asks for anything back",
    "phase_order": "phases follow each other by themselves; a command of the other one is wrong_phase",
    "reactive_cannot_modify": "a reactive attack is not shown to be rolled again, so it is too_late",
    "seal_mismatch": "the service makes the seals; an audit holds payloads to them and says tampered",
}
"""Reason codes of the ledger that Rise does not raise."""

RULE_IDS: Final = read(HERE / "fixtures" / "rules.json")
VECTORS: Final = read(HERE / "fixtures" / "vectors.json")
CODES: Final = read(HERE / "fixtures" / "codes.json")


def test_every_rule_has_a_home_or_a_reason_to_have_none() -> None:
    assert len(RULE_IDS) == len(set(RULE_IDS)) == 180
    assert set(RULE_IDS) - OURS == WITHOUT_HOME.keys()


def test_no_rule_of_the_code_is_unknown_to_the_ledger() -> None:
    assert OURS - set(RULE_IDS) == BEYOND.keys()


@pytest.mark.parametrize("vector", VECTORS)
def test_every_visible_vector_names_a_test(vector: str) -> None:
    assert is_tested(HERE, vector), f"no test function is named by {vector}"


def test_every_reason_code_is_raised_or_has_a_reason_not_to_be() -> None:
    assert set(CODES) - words(RULES_OF) == NEVER_RAISED.keys()
