"""Files of strangers are read one way, without a prototype, and an unknown format accuses nobody."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from click.testing import CliRunner

from service.cli import main
from service.record.canonical import dumps
from tests.audit.bundle_vectors import (
    SEAT_KEY,
    bare,
    file_of,
    first,
    in_commit,
    keyed,
    lines_of,
    said,
    with_key,
)
from tests.audit.refitted import with_request
from tests.audit.shapes import PROTOTYPE
from tests.audit.strangers import drawn, files
from tests.support.javascript_verifier import Case, expected, judged
from tests.support.tiny_table import SIGNER

Change = Callable[[dict[str, Any]], object]
DRAWN = 60


def both(*cases: Case) -> list[tuple[str, str]]:
    """Return what Python and JavaScript say of each case."""
    return list(zip(map(expected, cases), judged(cases), strict=True))


def with_member(name: str) -> dict[str, Case]:
    """Return cases in which one object more has the member *name*, of those with exactly their members."""
    value = {"x": 1} if name == "__proto__" else 1
    raw = files().raw

    def line(kind: str) -> Case:
        lines = lines_of(raw)
        first(lines, kind)[name] = value
        return Case(file_of(lines), pinned=(SIGNER.public,))

    def file(which: str, raw_file: bytes, *path: str) -> Case:
        data = json.loads(raw_file)
        holder = data
        for step in path:
            holder = holder[step]
        holder[name] = value
        given: dict[str, Any] = {which: dumps(data)}
        return Case(raw, pinned=(SIGNER.public,), **given)

    made = {kind: line(kind) for kind in ("header", "command", "commit", "key", "checkpoint", "trailer")}
    made["a commit"] = Case(in_commit(4, lambda commit: commit.update({name: value})))
    made["a roll"] = Case(in_commit(3, lambda commit: commit["rolls"][0].update({name: value})))
    made["a request"] = Case(with_request(bare(), 4, lambda data: data.update({name: value})))
    made["a signature"] = Case(said_with(name, value))
    made["a receipt"] = file("receipt", files().receipt)
    made["a batch"] = file("receipt", files().receipt, "batch")
    made["a certificate"] = file("certificate", files().certificate)
    made["its signature"] = file("certificate", files().certificate, "signature")
    told = files().logged[0]
    logged = Case(told.bundle, pinned=(SIGNER.public,), policy=told.policy.encode())
    made["a log proof"] = replace(logged, log=file("log", told.proof).log)
    return made


def said_with(name: str, value: object) -> bytes:
    lines = lines_of(said(keyed(), 4))
    command = [line for line in lines if line["kind"] == "command"][3]
    data = json.loads(command["bytes"])
    data["signed"][name] = value
    command["bytes"] = dumps(data).decode()
    return file_of(lines)


@pytest.mark.parametrize("name", PROTOTYPE)
def test_a_member_with_a_name_of_every_object_is_one_too_many(name: str) -> None:
    made = with_member(name)
    found = dict(zip(made, both(*made.values()), strict=True))

    assert [what for what, (ours, theirs) in found.items() if ours != theirs] == []
    assert [what for what, (ours, _) in found.items() if ours.startswith("valid")] == []


def test_a_group_of_a_policy_needs_a_number_and_no_name_of_an_object() -> None:
    logged = files().logged[0]
    cases = [
        Case(
            logged.bundle,
            pinned=(SIGNER.public,),
            log=logged.proof,
            policy=logged.policy.replace("quorum", f"group x {name} ada\nquorum").encode(),
        )
        for name in (*PROTOTYPE, "all")
    ]
    assert both(*cases) == [("usage", "usage")] * len(PROTOTYPE) + [both(cases[-1])[0]]


@pytest.mark.parametrize(
    "format_", ["rewound/receipt/2", "rewound/receipt/1\u007f", "", 1, None, "rewound/certificate/1"]
)
def test_a_receipt_of_an_unknown_format_never_accuses_the_host(format_: object) -> None:
    forged_one = dumps({"format": format_, "n": 5, "hash": "ab" * 32})
    assert both(Case(files().raw, pinned=(SIGNER.public,), receipt=forged_one)) == [("receipt_mismatch",) * 2]


def test_a_number_and_a_hash_that_nobody_signed_are_read_in_one_way() -> None:
    receipt = json.loads(files().receipt)
    hash_ = receipt["hash"]
    right = [
        f'{{"hash":"{hash_}","n":4}}',
        f' {{ "n" : 4,\n"hash": "{hash_}" }}',
        f'{{"n":4,"hash":"{hash_}","é":"\\/"}}',
    ]
    wrong = [
        *(f'{{"n":{n},"hash":"{hash_}"}}' for n in ("4.0", "4e0", "04", "0", "-4", '"4"', "true", '4,"n":4')),
        f'{{"n":4,"hash":"{hash_.upper()}"}}',
        "[" * 100_000,
        "[" * 100_000 + "]" * 100_000,
        "",
    ]
    cases = [Case(files().raw, pinned=(SIGNER.public,), receipt=text.encode()) for text in (*right, *wrong)]
    usable = [expected(case) for case in cases[: len(right)]]
    assert [ours == theirs for ours, theirs in both(*cases)] == [True] * len(cases)
    assert usable[:2] == ["valid_without_rules"] * 2
    assert [ours for ours, _ in both(*cases[len(right) :])] == ["receipt_mismatch"] * len(wrong)


def test_a_deep_receipt_does_not_hold_and_ends_in_no_traceback(tmp_path: Any) -> None:
    record, receipt = tmp_path / "fight.jsonl", tmp_path / "receipt.json"
    record.write_bytes(files().raw)
    receipt.write_text("[" * 100_000)
    done = CliRunner().invoke(main, ["verify", str(record), "--receipt", str(receipt), "--without-rules"])
    assert (done.exit_code, type(done.exception)) == (23, SystemExit)
    assert "not canonical JSON" in " ".join(done.output.split())


@pytest.mark.parametrize(
    "spell", [str.upper, lambda key: f" {key}", lambda key: f"{key}\n", lambda key: f"{key[:2]} {key[2:]}"]
)
def test_a_key_of_a_seat_has_one_spelling(spell: Callable[[str], str]) -> None:
    assert both(Case(said(with_key(bare(), 2, "ada", spell(SEAT_KEY)), 4))) == [("forged_command(4)",) * 2]


def test_files_of_strangers_are_judged_alike() -> None:
    cases = [drawn(seed) for seed in range(DRAWN)]
    found = both(*cases)

    assert [(seed, ours, theirs) for seed, (ours, theirs) in enumerate(found) if ours != theirs] == []
    assert {"usage", "receipt_mismatch", "certificate_mismatch", "bad_log_proof", "valid_without_rules"} <= {
        ours.partition("(")[0] for ours, _ in found
    }
