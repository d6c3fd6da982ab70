"""Hold the code to the ledger, line by line: rules, seeds, vectors and reason codes.

The lists are data of ids alone (`fixtures/`, `tests/vectors/heartrush_rules.json`); what is missing is
named here with its reason, and nothing is missing that is not named.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any, Final

import pytest

from service.rules import heartrush
from service.rules.heartrush.creatures.options import OPTIONS
from service.rules.kernel.rulebook import rules_in
from tests.rules.heartrush.conftest import DICELESS, SHEETS, WITH_FACES
from tests.support.rule_ledger import is_tested, names_of_tests, read, words
from tests.support.rules_in_use import rules_of

HERE: Final = Path(__file__).parent
OURS: Final = rules_of("service.rules.heartrush")
FIXTURES: Final = HERE / "fixtures"
RULES_OF: Final = Path(heartrush.__file__).parent

WITHOUT_HOME: Final[dict[str, str]] = {}
"""Rules of section B that no code of Heart Rush is the home of."""

NEVER_RAISED: Final = {
    "stale_seq": "HR-SVC-3: `If-Match` is held against the version before any rule sees the command",
}
"""Reason codes of section F.3 that Heart Rush does not raise."""


RULE_IDS: Final = [row["id"] for row in read(HERE.parents[1] / "vectors" / "heartrush_rules.json")]
COVERAGE: Final = read(FIXTURES / "coverage.json")
VECTORS: Final = [row["id"] for row in read(FIXTURES / "vectors.json")]
CODES: Final = read(FIXTURES / "codes.json")


def test_the_ledger_has_254_rules() -> None:
    assert len(RULE_IDS) == len(set(RULE_IDS)) == 254


def test_every_rule_has_a_home_or_a_reason_to_have_none() -> None:
    assert set(RULE_IDS) - OURS == WITHOUT_HOME.keys()


def test_no_rule_of_the_code_is_unknown_to_the_ledger() -> None:
    unknown = {rule for rule in OURS if rule.startswith("HR-")} - set(RULE_IDS)
    open_ = {name for name, rule in rules_in(("service.rules.heartrush",)).items() if rule.left_open}
    new, known = unknown - open_, open_ - unknown
    assert not new, f"declare {sorted(new)} with left_open=: what do the books leave open?"
    assert not known, f"the ledger has {sorted(known)}: declare them without left_open="


def test_F_1_has_a_row_for_every_run_of_blocks_of_the_four_seeds() -> None:
    assert Counter(row["seed"] for row in COVERAGE) == {"000": 28, "002": 22, "003": 39, "004": 8}
    assert len(VECTORS) == len(set(VECTORS)) == 70


@pytest.mark.parametrize("row", COVERAGE, ids=lambda row: f"{row['seed']}/{row['blocks']}")
def test_F_1_every_block_of_every_seed_has_its_rules_in_code(row: dict[str, Any]) -> None:
    assert row["rules"] or row["talk"] or row["vectors"]
    assert set(row["rules"]) <= set(RULE_IDS)
    assert set(row["rules"]) - OURS <= WITHOUT_HOME.keys()
    assert all(is_tested(HERE, vector) for vector in row["vectors"])


@pytest.mark.parametrize("vector", VECTORS)
def test_every_visible_vector_names_a_test(vector: str) -> None:
    assert is_tested(HERE, vector), f"no test function is named by {vector}"


def test_E_every_vector_with_printed_faces_has_a_test_that_throws_them_over_HTTP() -> None:
    """`conftest.py` plays it both ways, and fails where no face went over HTTP."""
    assert len(WITH_FACES) == 34
    played = [name for name in names_of_tests(HERE) if name not in SHEETS | DICELESS]
    numbers = {int(found[1]) for name in played if (found := re.match(r"test_HR_V_(\d+)_", name))}
    assert numbers >= WITH_FACES


def test_F_2_every_row_of_table_talk_names_a_test() -> None:
    told = "".join(path.read_text("utf-8") for path in sorted(HERE.rglob("test_*.py")))
    named = {int(number) for number in re.findall(r"TT[-_](\d+)", told)}
    assert named == set(range(1, 15))


def test_F_3_every_reason_code_is_raised_or_has_a_reason_not_to_be() -> None:
    assert set(CODES) - words(RULES_OF) == NEVER_RAISED.keys()


def test_F_3_every_reason_code_is_asked_for_by_a_test() -> None:
    assert set(CODES) - words(HERE) - NEVER_RAISED.keys() == set()


DEFAULTS_OF_C: Final = read(FIXTURES / "options.json")
"""The options of section C by ambiguity, each with its default; an empty row is settled by a rule alone."""


@pytest.mark.parametrize("row", DEFAULTS_OF_C, ids=lambda row: row["id"])
def test_C_every_ambiguity_is_settled_by_an_option_with_its_default_or_by_a_rule(row: dict[str, Any]) -> None:
    for key, default in row["options"].items():
        assert OPTIONS[key].settles == row["id"]
        assert OPTIONS[key].values[0] == default
        assert OPTIONS[key].bounds or len(OPTIONS[key].values) > 1
    if not row["options"]:
        settling = {
            ruling for name in OURS for ruling in rules_in(("service.rules.heartrush",))[name].settles
        }
        assert row["id"] in settling


def test_C_an_option_that_settles_no_ambiguity_of_the_ledger_changes_a_rule() -> None:
    known = {key for row in DEFAULTS_OF_C for key in row["options"]}
    rules = rules_in(("service.rules.heartrush",))
    for key in OPTIONS.keys() - known:
        assert OPTIONS[key].settles in rules, f"{key} names neither a row of options.json nor a rule"
