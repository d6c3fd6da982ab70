"""Every promise of the documentation that calls a record whole is held by a test that is named here."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

from tests.docs.pages import PAGES, ROOT

HELD: Final = {
    r"(contains|has) (the whole fight|a fight whole|it whole)|whole fight in one file": (
        "tests/audit/test_whole_fights.py::test_a_whole_fight_is_one_file_that_both_verifiers_judge"
    ),
    r"decides a whole fight|over a whole bundle": (
        "tests/docs/test_by_hand.py::test_its_functions_prove_a_whole_bundle"
    ),
    r"plays a whole contested fight": (
        "tests/docs/test_commands.py::test_the_contested_ruling_is_told_by_its_example"
    ),
    r"along the whole chain": (
        "tests/audit/test_carrying.py::test_a_chain_of_rise_is_compared_in_the_same_way"
    ),
    r"array takes effect whole": "tests/api/test_arrays.py::test_the_whole_array_happens_once",
    r"whole turn": "tests/api/test_turns_in_one_request.py::test_a_turn_is_sent_whole",
    r"bundle is refused whole": "tests/api/test_bundles.py::test_a_bundle_that_fails_is_refused_whole",
    r"signed whole": (
        "tests/api/test_bundles.py::test_with_a_key_a_bundle_that_it_did_not_sign_whole_is_refused"
    ),
    r"whole backup is read": (
        "tests/cli/test_backup_command.py::"
        "test_what_was_backed_up_under_load_is_restored_elsewhere_and_played_on"
    ),
    r"put back whole|restored whole": (
        "tests/cli/test_backup.py::test_an_older_data_directory_put_back_whole_is_noticed_by_receipts_alone"
    ),
    r"whole creature|sealed whole": (
        "tests/api/test_hidden_creatures.py::test_TABLE_HIDDEN_1_no_answer_differs_with_what_lurks_and_where"
    ),
    r"carries a creature whole": "tests/api/test_carried.py::test_a_seat_takes_what_it_sees_and_no_more",
    r"whole log": "tests/cli/test_public_log.py::test_a_log_is_followed_and_its_openings_are_counted",
}
"""Promises, each by its words, and the test that holds it."""
RECORDED: Final = re.compile(
    r"\bwhole (\w+ )?(fight|fights|bundle|record|path|chain|array|turn|backup|log|evening|creature|history)\b"
    r"|\b(fight|bundle|record|path|array|creature|directory)( \w+){0,4} whole\b|\bsigned whole\b",
    re.IGNORECASE,
)
"""Words that call something whole that is recorded, kept or sent."""
_FENCE: Final = re.compile(r"```.*?```", re.DOTALL)
_ASIDE: Final = 60
"""Letters around a promise within which its words stand."""


def promises() -> Iterator[tuple[str, str]]:
    """Yield each page with the words of each promise; what is printed as code is left out."""
    for page in PAGES:
        text = re.sub(r"\s+", " ", _FENCE.sub("", page.read_text("utf-8")))
        for found in RECORDED.finditer(text):
            yield page.name, text[max(0, found.start() - _ASIDE) : found.end() + _ASIDE]


def test_each_promise_is_held_by_a_test() -> None:
    found = list(promises())
    assert len(found) >= len(HELD)
    assert [
        each for each in found if not any(re.search(words, each[1], re.IGNORECASE) for words in HELD)
    ] == []


def test_each_test_exists_and_each_promise_is_made() -> None:
    said = " ".join(words for _, words in promises())
    for words, named in HELD.items():
        assert re.search(words, said, re.IGNORECASE), words
        file, _, name = named.partition("::")
        tree = ast.parse((ROOT / file).read_text("utf-8"))
        assert name in {each.name for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)}, named
