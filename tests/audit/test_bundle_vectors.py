"""Both verifiers give each bundle of the vectors the verdict that the table has for it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from service.cli import main
from tests.audit.bundle_vectors import HOME, TABLE
from tests.audit.bundle_vectors import vectors as made_now
from tests.support.javascript_verifier import NODE, ROOT

ROWS: list[dict[str, Any]] = json.loads(TABLE.read_text("utf-8"))
FORGED = [row["name"] for row in ROWS if row["name"].startswith("fight-forged-")]
MOST_BYTES = 5 * 2**20
NAMES = ("file", "receipt", "certificate", "policy")


def words(row: dict[str, Any], home: Path = HOME) -> list[str]:
    """Return the command line's words of a row, whose files are in *home*."""
    found = [str(home / row["file"])]
    for key in row["keys"]:
        found += ["--key", key]
    for receipt in row.get("receipts", []):
        found += ["--receipt", receipt]
    for key in row.get("seat_keys", []):
        found += ["--seat-key", key]
    if "policy" in row:
        found += ["--policy", str(home / row["policy"])]
    if "receipt" in row:
        found += ["--receipt", str(home / row["receipt"])]
    if "certificate" in row:
        found += ["--certificate", str(home / row["certificate"])]
    return found


def python(*arguments: str) -> tuple[str, int]:
    done = CliRunner(catch_exceptions=False).invoke(main, ["verify", "--json", *arguments])
    return json.loads(done.stdout)["verdict"]["text"], done.exit_code


def javascript(*arguments: str) -> tuple[str, int]:
    script = ROOT / "clients" / "javascript" / "verify.mjs"
    done = subprocess.run([NODE, script, "--json", *arguments], capture_output=True, check=False, timeout=60)
    return json.loads(done.stdout)["verdict"]["text"], done.returncode


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
def test_both_verifiers_give_the_verdict_of_the_table(row: dict[str, Any]) -> None:
    found = javascript(*words(row), "--without-rules")

    assert found == python(*words(row), "--without-rules")
    assert found[0] == row["verdict"]
    assert (found[1] == 0) == (found[0] == "valid_without_rules")


@pytest.mark.parametrize("named", FORGED)
def test_a_fight_forged_by_somebody_without_a_key_is_named_and_never_ends_with_0(named: str) -> None:
    (row,) = [row for row in ROWS if row["name"] == named]
    name, status = python(*words(row))

    assert status != 0
    assert not name.startswith("valid")
    assert name == row["verdict"], "it is named before any rule is applied"


def test_there_are_enough_of_them_of_every_kind_and_they_are_small() -> None:
    wrong = [row["verdict"].partition("(")[0] for row in ROWS if not row["verdict"].startswith("valid")]

    assert len(wrong) >= 40
    assert len(FORGED) >= 4
    assert set(wrong) == {
        *("not_a_bundle", "malformed", "tampered", "truncated", "forked", "empty", "unsigned_from"),
        *("dice_invalid", "certificate_mismatch", "forged_command", "receipt_mismatch"),
        *("false_quarantine", "false_refusal", "dice_moved", "outdated", "seam_broken", "not_accepted"),
    }
    assert sum(path.stat().st_size for path in HOME.iterdir()) < MOST_BYTES


def test_the_table_is_of_the_files_that_are_there() -> None:
    files = {
        row[name] for row in ROWS for name in ("file", "receipt", "certificate", "policy") if name in row
    }

    assert files == {path.name for path in HOME.iterdir()} - {TABLE.name}
    made = [row["name"] for row in ROWS if not row["name"].startswith("fight-")]
    assert made == [each.name for each in made_now()]
    assert Path(HOME / "right-closed.jsonl").read_bytes().startswith(b'{"edition":"tiny@1"')
