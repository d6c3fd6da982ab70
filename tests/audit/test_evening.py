"""An evening is judged in one process: one table, one status, and a fight that is missing is missed."""

from __future__ import annotations

import json
import os
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
from tests.audit.evidence_of import closed, evidence_of, forged, signed_evidence
from tests.audit.games import RULES, signed_throughout, written
from tests.audit.log_vectors import vectors
from tests.audit.test_coverage import recovered, with_heads
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
    (receipt,) = sign_receipts([(record.encounter, write_of(record, 2)._replace(**changed))], SIGNER.secret)
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
    fights = judge_evening(read_evening(files.items()), Held(**held), RULES)
    return [(fight.file, str(fight.report.verdict), fight.note) for fight in fights]


def both(tmp_path: Path, files: dict[str, bytes], *options: str) -> dict[str, Any]:
    """Write *files* and return what both command lines say of the directory, which is the same."""
    for name, raw in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(raw)
    return said_of([tmp_path], *options)


def said_of(paths: list[Path], *options: str) -> dict[str, Any]:
    """Return what both command lines say of an evening at *paths*, which is the same."""
    words = [*map(str, paths), "--json", "--without-rules", *options]
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
        if row["verdict"]["name"] in ("bad_log_proof", "malformed"):
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


def test_fights_of_one_title_are_told_apart_by_their_ids(tmp_path: Path) -> None:
    listed = "".join(f"{eid(n)} {title}\n" for n, title in enumerate(("Ford", "Ford", "Mill"), 1)).encode()
    for name, raw in evening(fights__txt=listed).items():
        (tmp_path / name).write_bytes(raw)
    words = ["verify", str(tmp_path), "--without-rules", "--unsigned"]
    ours = CliRunner().invoke(main, words).output
    script = ROOT / "clients/javascript/verify.mjs"
    theirs = subprocess.run([NODE, script, *words[1:]], capture_output=True, text=True, check=False).stdout

    for text in (ours, theirs):
        assert text.count(f"Ford {eid(1)[:8]}") == 2
        assert f"Mill {eid(3)[:8]}" not in text


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
        ("seat-keys.txt", f"ada:{'ab' * 32}\nada:{'cd' * 32}"),
        ("seat-keys.txt", f"{eid(1)} ada:{'ab' * 32}\n{eid(1)} ada:{'cd' * 32}"),
        ("fights.txt", "Table 1"),
        ("policy.txt", "group g constructor x"),
    ],
)
def test_a_wrong_line_is_named_and_judges_nothing(tmp_path: Path, name: str, text: str) -> None:
    with pytest.raises(BadEvening, match=name):
        read_evening([(name, f"{text}\n".encode())])
    assert both(tmp_path, evening() | {name: f"{text}\n".encode()}) == {"status": 1}


def test_two_keys_of_one_seat_are_refused_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(bundle_of(game(1)))
    words = ["--seat-key", f"ada:{'ab' * 32}", "--seat-key", f"ada:{'cd' * 32}"]
    assert said_of([tmp_path / "a"], *words) == {"status": 2}


def test_two_files_of_one_fight_are_said_to_be_so(tmp_path: Path) -> None:
    files = evening() | {"again.jsonl": bundle_of(game(2))}
    found = both(tmp_path, files)
    assert [row["note"] for row in found["fights"]] == ["", "", "the same encounter as again.jsonl", ""]


def other_history(sitting: Sitting) -> bytes:
    """Return a game that its host decided otherwise afterwards, and signed again."""
    evidence = forged(evidence_of(sitting), 2, lambda commit: commit.update(epoch=7))
    return written(signed_throughout(evidence))


def test_two_sound_histories_of_one_fight_are_named(tmp_path: Path) -> None:
    files = {"a": bundle_of(game(1)), "b": other_history(game(1)), "keys.txt": HOST}
    found = both(tmp_path / "1", files)
    texts = [row["verdict"]["text"] for row in found["fights"]]
    assert (texts, found["status"]) == (["valid_without_rules", "forked(2)"], 6)
    running = game(1)
    running.requests.pop(), running.written.pop()
    part = written(signed_evidence(running, len(running.written)))
    assert both(tmp_path / "2", {**files, "b": part})["status"] == 0, "an earlier part contradicts nothing"


def test_a_history_that_was_lost_may_differ(tmp_path: Path) -> None:
    recovery, _ = recovered()
    before = written(signed_throughout(evidence_of(closed())))
    after = written(with_heads(7, len(recovery.commits)))
    assert recovery.encounter == closed().encounter
    found = both(tmp_path, {"a": before, "b": after, "keys.txt": HOST})
    assert [row["verdict"]["text"] for row in found["fights"]] == ["valid_without_rules"] * 2


def test_a_line_that_was_cut_off_hides_no_fight_that_is_missing(tmp_path: Path) -> None:
    cut = bundle_of(game(1)) + f'{{"encounter":"{eid(7)}","kind":"line"'.encode()
    found = both(tmp_path, {"a": cut, "fights.txt": f"{eid(1)}\n{eid(7)} Final\n".encode()}, "--unsigned")
    assert [row["verdict"]["text"] for row in found["fights"]] == ["valid_unsigned_without_rules", "missing"]
    assert found["status"] == 40


@pytest.mark.parametrize("name", ["keys.txt", "seat-keys.txt", "policy.txt", "fights.txt"])
def test_a_text_file_in_a_folder_that_somebody_handed_in_counts_for_nothing(
    tmp_path: Path, name: str
) -> None:
    found = both(tmp_path, evening() | {f"from-eve/{name}": b"anything"})
    assert (found["status"], found["unread"]) == (0, [f"from-eve/{name}"])


def test_two_policies_are_refused_and_files_of_one_name_are_both_judged(tmp_path: Path) -> None:
    both(tmp_path / "1", {"a": bundle_of(game(1)), "policy.txt": b"unseen 9 9\n"})
    both(tmp_path / "2", {"a": bundle_of(game(2)), "keys.txt": HOST})
    found = said_of([tmp_path / "1", tmp_path / "2"])
    assert [row["file"] for row in found["fights"]] == [str(tmp_path / "2" / "a"), "a"]
    assert found["status"] == 0
    (tmp_path / "2" / "policy.txt").write_bytes(b"unseen 1 1\n")
    assert said_of([tmp_path / "1", tmp_path / "2"]) == {"status": 1}


SPACES = (0x0B, 0x0C, 0x1C, 0x1F, 0x85, 0xA0, 0x180E, 0x2028, 0x202F, 0x3000, 0xFEFF, 0x00)


@pytest.mark.parametrize("code", SPACES, ids=lambda code: f"U+{code:04X}")
def test_words_stand_between_spaces_and_tabs_and_lines_end_alike_in_both(tmp_path: Path, code: int) -> None:
    odd = chr(code)
    found = both(tmp_path / "1", evening(fights__txt=f"{eid(1)} one{odd}two\n".encode()))
    assert [row["note"] for row in found["fights"]] == ["", *["it is not in the list"] * 2]
    assert both(tmp_path / "2", evening(keys__txt=HOST[:-1] + f"{odd}#\n".encode())) == {"status": 1}
    assert both(tmp_path / "3", evening(keys__txt=f"#\n{odd}".encode() + HOST)) == {"status": 1}


def test_a_text_file_of_another_system_is_read(tmp_path: Path) -> None:
    marked = b"\xef\xbb\xbf" + HOST.replace(b"\n", b"\r\n") + b"\t \r\n"
    assert both(tmp_path, evening(keys__txt=marked))["status"] == 0


def test_links_and_names_of_any_bytes_stop_nobody(tmp_path: Path) -> None:
    both(tmp_path, evening())
    (tmp_path / "loop").symlink_to(".")
    (tmp_path / "self").symlink_to("self")
    (tmp_path / "broken").symlink_to("nowhere")
    (tmp_path / "again").symlink_to("table-1.jsonl")
    for name in (b"\xe9\x1b[31m", "\U0001f600".encode(), "\ufb01".encode()):
        (tmp_path / os.fsdecode(name)).write_bytes(b"?")
    found = said_of([tmp_path])
    assert [row["file"] for row in found["fights"]] == ["again", *(f"table-{n}.jsonl" for n in (1, 2, 3))]
    assert found["unread"] == ["\ufb01", "\ufffd\x1b[31m", "\U0001f600"]


@pytest.mark.parametrize("named", [b"12345", b"null", b"true", b'[1,"a"]', b'{"a":1}', b'"__proto__"'])
def test_a_header_that_names_no_encounter_is_malformed(tmp_path: Path, named: bytes) -> None:
    raw = bundle_of(game(1)).replace(f'"encounter":"{eid(1)}"'.encode(), b'"encounter":' + named, 1)
    found = both(tmp_path, {"a": raw, "keys.txt": HOST})
    (row,) = found["fights"]
    row["verdict"]["detail"] = ""
    assert row["verdict"]["text"] == "malformed(0)"


def test_people_get_a_table(tmp_path: Path) -> None:
    for name, raw in evening(fights__txt=f"{eid(9)} Final\n".encode()).items():
        (tmp_path / name).write_bytes(raw)
    done = CliRunner().invoke(main, ["verify", str(tmp_path), "--without-rules"])
    assert done.exit_code == 40
    assert "4 fights: something is wrong with 1" in done.stdout
    assert "table-2.jsonl" in done.stdout
    assert "Final" in done.stdout
