"""Write generated files from the code, and hold them to it."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from service.cli import rules
from service.cli.checkout import settle
from service.rules.heartrush import HEARTRUSH
from service.rules.kernel.rulebook import rules_in


def test_a_rule_is_named_in_full_in_short_and_by_a_tests_name() -> None:
    assert list(rules.ids_in("HR-ENG-1/2/4, HR-STANCE-CUN-2 and TABLE-SEAT-1")) == [
        "HR-ENG-1",
        "HR-ENG-2",
        "HR-ENG-4",
        "HR-STANCE-CUN-2",
        "TABLE-SEAT-1",
    ]
    assert list(rules.ids_in("def test_HR_STANCE_1_a_shown_stance_is_locked()")) == ["HR-STANCE-1"]


def test_what_a_helper_names_is_not_tested_by_it(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(
        "def helper():\n    '''HR-ENG-1'''\n\ndef test_a():\n    '''HR-ENG-2'''\n"
    )

    assert rules.named_in_tests(tmp_path) == {"HR-ENG-2": ("test_it.py",)}


def test_a_vector_names_rules_too(tmp_path: Path) -> None:
    (tmp_path / "vectors").mkdir()
    (tmp_path / "vectors" / "fight.json").write_text('{"rules": ["HR-ENG-3"]}')

    assert rules.named_in_tests(tmp_path) == {"HR-ENG-3": ("vectors/fight.json",)}


def test_a_list_of_ids_tests_nothing(tmp_path: Path) -> None:
    (tmp_path / "vectors").mkdir()
    (tmp_path / "vectors" / "rules.json").write_text('[{"id": "HR-ENG-3"}]')

    assert rules.named_in_tests(tmp_path) == {}


def test_the_table_has_every_rule_of_the_edition_and_a_blank_where_no_test_names_it() -> None:
    found = rules.rules_of(HEARTRUSH)

    text = rules.table(HEARTRUSH, found, {"HR-ENG-1": ("heartrush/test_it.py",)})

    assert {rule.id for rule in found} >= rules_in(HEARTRUSH.packages, shared=False).keys()
    rows = {line.split(" | ")[0].removeprefix("| "): line for line in text.splitlines() if "| HR-" in line}
    assert rows["HR-ENG-1"].endswith("| `heartrush/test_it.py` |")
    assert rows["HR-ENG-2"].endswith("|  |")
    assert rules_in(HEARTRUSH.packages)["HR-ENG-2"].statement in rows["HR-ENG-2"]


def test_rules_are_listed_in_the_order_of_their_numbers() -> None:
    ids = [rule.id for rule in rules.rules_of(HEARTRUSH)]

    assert ids.index("HR-ACT-9") < ids.index("HR-ACT-10")


def test_a_file_that_is_out_of_date_is_written_or_told(tmp_path: Path) -> None:
    file = tmp_path / "table.md"

    with pytest.raises(click.ClickException, match=r"table.md is out of date: run make-it"):
        settle({file: "new"}, check=True, by="make-it")
    settle({file: "new"}, check=False, by="make-it")

    assert file.read_text() == "new"
    settle({file: "new"}, check=True, by="make-it")
