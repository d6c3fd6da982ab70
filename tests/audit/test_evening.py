"""An evening is judged in one process: one table, one status, and a fight that is missing is missed."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from service.audit.certificate import certificate, signed
from service.audit.evening import BadEvening, judge_evening, read_evening
from service.audit.held import Held
from service.audit.mirror import Mirror
from service.audit.receipts import sign_receipts
from service.audit.verify import verify
from service.cli import main
from service.record.canonical import dumps
from tests.audit.evidence_of import evidence_of
from tests.audit.games import RULES, signed_throughout, written
from tests.audit.log_vectors import vectors
from tests.audit.test_mirror import LOGS, fetching
from tests.audit.test_moved_dice import KEY as SEAT_KEY
from tests.audit.test_moved_dice import keyed, said
from tests.audit.test_receipts import write_of
from tests.support.a_log import a_log, opening
from tests.support.javascript_verifier import NODE, ROOT
from tests.support.tiny_table import SIGNER, Sitting, eid

HOST = f"{SIGNER.public.hex()}\n".encode()


def game(number: int) -> Sitting:
    sitting = Sitting(eid(number))
    sitting.open()
    sitting.do("roll")
    sitting.do("close", reason="enough")
    return sitting


def bundle_of(sitting: Sitting) -> bytes:
    return written(signed_throughout(evidence_of(sitting)))


def receipt_of(number: int, **changed: Any) -> bytes:
    record = evidence_of(game(number))
    (receipt,) = sign_receipts([(record.encounter, replace(write_of(record, 2), **changed))], SIGNER.secret)
    return receipt


def evening(**more: bytes) -> dict[str, bytes]:
    """Return the files of three fights, and *more*, whose names have `__` for a dot and `_` for `-`."""
    files = {f"table-{n}.jsonl": bundle_of(game(n)) for n in (1, 2, 3)}
    return (
        files
        | {"keys.txt": HOST}
        | {name.replace("__", ".").replace("_", "-"): raw for name, raw in more.items()}
    )


def judged(files: dict[str, bytes], **held: Any) -> list[tuple[str, str, str]]:
    """Return file, verdict and note of each fight."""
    fights = judge_evening(read_evening(files), Held(**held), RULES)
    return [(fight.file, str(fight.report.verdict), fight.note) for fight in fights]


def both(tmp_path: Path, files: dict[str, bytes], *options: str) -> dict[str, Any]:
    """Write *files* and return what both command lines say of the directory, which is the same."""
    for name, raw in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(raw)
    words = [str(tmp_path), "--json", "--without-rules", *options]
    ours = CliRunner().invoke(main, ["verify", *words])
    theirs = subprocess.run(
        [NODE, ROOT / "clients/javascript/verify.mjs", *words], capture_output=True, text=True, check=False
    )
    assert theirs.returncode == ours.exit_code, theirs.stderr + ours.output
    if ours.exit_code in (1, 2):
        return {"status": ours.exit_code}
    found: dict[str, Any] = json.loads(ours.stdout)
    others = json.loads(theirs.stdout)
    for row in (*found["fights"], *others["fights"]):
        if row["verdict"]["name"] == "bad_log_proof":
            row["verdict"]["detail"] = ""  # each says it in its own words
    assert others == found
    assert found["status"] == ours.exit_code
    return found


def test_every_fight_is_decided_again_in_one_process() -> None:
    assert judged(evening()) == [(f"table-{n}.jsonl", "valid", "") for n in (1, 2, 3)]


def test_what_lies_beside_the_bundles_is_used_by_what_it_is(tmp_path: Path) -> None:
    report = verify(signed_throughout(evidence_of(game(2))), {}, without_rules=True)
    answer = {"n": 2, "receipt": json.loads(receipt_of(3))}
    files = evening(
        a__json=receipt_of(1),
        b__json=json.dumps(answer, indent=1).encode(),
        readme=b"\xff",
        paper=dumps(signed(certificate(report), SIGNER)),
    )
    found = both(tmp_path, files)

    assert [row["verdict"]["name"] for row in found["fights"]] == ["valid_without_rules"] * 3
    assert (found["status"], found["unread"]) == (0, ["readme"])
    forged = both(tmp_path, evening(a__json=receipt_of(1, hash="ab" * 32)))
    assert [row["verdict"]["text"] for row in forged["fights"]] == ["forked(2)", *["valid_without_rules"] * 2]
    assert forged["status"] == 6


def test_a_fight_that_should_be_there_and_is_not_is_missed(tmp_path: Path) -> None:
    listed = "".join(f"{eid(n)} Table {n}\n" for n in (1, 2, 7)).encode()
    found = both(tmp_path, evening(fights__txt=listed, c__json=receipt_of(8)))
    rows = [
        (row["title"], row["verdict"]["text"], row["verdict"]["detail"], row["note"])
        for row in found["fights"]
    ]

    assert rows == [
        ("Table 1", "valid_without_rules", "", ""),
        ("Table 2", "valid_without_rules", "", ""),
        ("", "valid_without_rules", "", "it is not in the list"),
        ("Table 7", "missing", "it should be there", ""),
        ("", "missing", "a receipt names it", ""),
    ]
    assert found["status"] == 40


def test_the_fights_that_an_owner_opened_in_the_public_log_should_be_there(tmp_path: Path) -> None:
    (tmp_path / "host").mkdir()
    (tmp_path / "fights").mkdir()
    mine, other = "ab" * 16, "cd" * 16
    logged = [replace(opening(at), encounter=eid(at + 1), owner=mine if at < 4 else other) for at in range(6)]
    _, writer = a_log(tmp_path / "host", *logged)
    Mirror(tmp_path / "mirror").follow(fetching(writer), LOGS)
    for name, raw in evening().items():
        (tmp_path / "fights" / name).write_bytes(raw)
    words = [
        "verify",
        str(tmp_path / "fights"),
        "--mirror",
        str(tmp_path / "mirror"),
        "--without-rules",
        "--json",
    ]
    done = CliRunner().invoke(main, [*words, "--owner", mine])

    rows = json.loads(done.stdout)["fights"]
    assert [row["encounter"] for row in rows if row["verdict"]["name"] == "missing"] == [eid(4)]
    assert done.exit_code == 40
    assert CliRunner().invoke(main, words).exit_code == 2, "a mirror without an owner names no fights"


def test_keys_of_seats_are_pinned_for_all_fights_or_for_one(tmp_path: Path) -> None:
    sitting = keyed()
    sitting.put(said(sitting, "add", 2, amount=1))
    sitting.do("close", reason="enough")
    files = {"a.jsonl": bundle_of(sitting), "keys.txt": HOST}
    asked = both(tmp_path / "1", files)
    assert asked["fights"][0]["keys_not_given"] == ["ada"]
    right = both(tmp_path / "2", files | {"seat-keys.txt": f"# from ada\n\nada:{SEAT_KEY}\n".encode()})
    assert (right["status"], right["fights"][0]["keys_not_given"]) == (0, [])
    other = f"{sitting.encounter} ada:{'ab' * 32}\n".encode()
    wrong = both(tmp_path / "3", files | {"seat-keys.txt": other})
    assert (wrong["status"], wrong["fights"][0]["verdict"]["text"]) == (22, "forged_command(2)")


def test_a_log_proof_and_a_policy_are_used(tmp_path: Path) -> None:
    (vector, *_) = vectors(tmp_path)
    files = {
        "a.jsonl": vector.bundle,
        "proof": vector.proof,
        "policy.txt": vector.policy.encode(),
        "keys.txt": HOST,
    }
    assert both(tmp_path / "1", files)["status"] == 0
    unproved = {name: raw for name, raw in files.items() if name != "proof"}
    assert both(tmp_path / "0", unproved)["fights"][0]["verdict"]["text"] == "bad_log_proof"
    late = both(tmp_path / "2", files, "--delay", "0")
    assert late["fights"][0]["verdict"]["text"] == "misdated(1)"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("keys.txt", "abc"),
        ("keys.txt", f"{'ab' * 32} twice"),
        ("seat-keys.txt", "ada"),
        ("seat-keys.txt", f"x ada:{'ab' * 32}"),
        ("seat-keys.txt", f"{eid(1)} of ada:{'ab' * 32}"),
        ("fights.txt", "Table 1"),
        ("policy.txt", "group g constructor x"),
    ],
)
def test_a_wrong_line_is_named_and_judges_nothing(tmp_path: Path, name: str, text: str) -> None:
    with pytest.raises(BadEvening, match=name):
        read_evening({name: f"{text}\n".encode()})
    assert both(tmp_path, evening() | {name: f"{text}\n".encode()}) == {"status": 1}


def test_two_files_of_one_fight_are_said_to_be_so(tmp_path: Path) -> None:
    files = evening() | {"again.jsonl": bundle_of(game(2))}
    found = both(tmp_path, files)
    assert [row["note"] for row in found["fights"]] == ["", "", "the same encounter as again.jsonl", ""]


def test_people_get_a_table(tmp_path: Path) -> None:
    for name, raw in evening(fights__txt=f"{eid(9)} Final\n".encode()).items():
        (tmp_path / name).write_bytes(raw)
    done = CliRunner().invoke(main, ["verify", str(tmp_path), "--without-rules"])
    assert done.exit_code == 40
    assert "4 fights: something is wrong with 1" in done.stdout
    assert "table-2.jsonl" in done.stdout
    assert "Final" in done.stdout
