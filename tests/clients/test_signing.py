"""Both clients sign by themselves what a seat with a key sends, and both verifiers find what was changed."""

from __future__ import annotations

import json
import stat
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from rewound_client import (
    FalseReceipt,
    OtherKey,
    Problem,
    ReceiptFolder,
    Refused,
    Rewound,
    SeatKey,
    Table,
    receipts,
)
from service.audit import bundle
from service.audit.receipts import BadReceipt, read_receipt, sign_receipts
from service.audit.verify import verify
from service.cli import main
from service.log.values import CommitWrite
from service.record.canonical import dumps
from service.record.commit import SeatSignature, load_request
from service.rules.registry import REGISTRY
from tests.audit.refitted import with_request
from tests.clients.conftest import ROOT, Host
from tests.support.javascript_verifier import Case, judged, node

Json = dict[str, Any]


@pytest.fixture
def gm(rewound: Rewound, forms: Json) -> Table:
    """Return the sample fight, opened, as its gm sees it."""
    return rewound.open(forms["s002"]["opening"])


def seated(gm: Table, form: Json) -> dict[str, Table]:
    """Return the table as each seat of *form* sees it."""
    return {"gm": gm} | {each["seat"]: gm.sit(each["seat"]) for each in form["opening"]["seats"]}


def play(seats: dict[str, Table], steps: list[Json]) -> None:
    for step in steps:
        if "send" in step:
            assert seats[step["seat"]].send(step["send"])["outcome"] in ("accepted", "sealed"), step


def verdicts(raw: bytes) -> tuple[str, str]:
    """Return what both verifiers say of a bundle, without rules."""
    return str(verify(bundle.read(raw), REGISTRY, without_rules=True).verdict), judged([Case(raw)])[0]


def signed_of(raw: bytes, seat: str) -> list[int]:
    """Return the numbers of the commands of *seat* that are signed."""
    requests = [load_request(each) for each in bundle.read(raw).requests if each]
    return [n for n, each in enumerate(requests, 1) if each.actor.seat == seat and each.signed]


def changed(raw: bytes, n: int) -> bytes:
    """Return the bundle in which request *n* is dated and claimed otherwise, and all hashes fit that."""
    return with_request(
        replace(bundle.read(raw), notes=(), keys=()), n, lambda data: data["data"].update(target="somebody")
    )


def test_the_python_client_signs_every_command_and_both_verifiers_find_a_changed_one(
    gm: Table, forms: Json, tmp_path: Path
) -> None:
    form = forms["s002"]
    key = SeatKey.kept_in(tmp_path / "zoe.key")
    others = seated(gm, form)
    zoe = others["zoe"].signing("zoe", key)
    play({**others, "zoe": zoe}, form["steps"])
    zoe.contest(3, "that was not so")

    raw = gm.bundle()
    own = [n for n, each in enumerate(bundle.read(raw).requests, 1) if each and b'"seat":"zoe"' in each]
    assert signed_of(raw, "zoe") == [n for n in own if n in signed_of(raw, "zoe")]
    assert len(signed_of(raw, "zoe")) == sum(step.get("seat") == "zoe" for step in form["steps"]) + 1
    assert verdicts(raw) == ("valid_unsigned_without_rules",) * 2
    n = signed_of(raw, "zoe")[0]
    assert verdicts(changed(raw, n)) == (f"forged_command({n})",) * 2


def test_a_key_is_kept_in_its_file_for_its_owner_alone(tmp_path: Path) -> None:
    made = SeatKey.kept_in(tmp_path / "zoe.key")

    assert SeatKey.kept_in(tmp_path / "zoe.key").public == made.public
    assert stat.S_IMODE((tmp_path / "zoe.key").stat().st_mode) == 0o600
    assert SeatKey(made.secret).public == made.public != SeatKey.make().public


def test_a_lost_key_is_replaced_by_the_gm_on_the_record(gm: Table) -> None:
    zoe = gm.sit("zoe")
    zoe.signing("zoe", SeatKey.make())
    key = SeatKey.make()

    with pytest.raises(OtherKey):
        zoe.signing("zoe", key)
    gm.replace_seat_key("zoe", key.public)
    zoe.signing("zoe", key).contest(1, "signed by the new key")
    gm.replace_seat_key("zoe", None)
    zoe.contest(1, "signed by nobody")

    raw = gm.bundle()
    assert raw.count(b"seat_key_set") == 2
    assert len(signed_of(raw, "zoe")) == 1
    assert verdicts(raw) == ("valid_unsigned_without_rules",) * 2


def test_a_key_comes_with_a_seat_or_with_its_token(gm: Table) -> None:
    key, other = SeatKey.make(), SeatKey.make()
    bob = gm.with_token(gm.open_seat("bob", "player", key=key.public)["token"])
    bob.signing("bob", key).contest(1, "with the seat")
    again = gm.with_token(gm.issue_token("bob", key=other.public)["token"])

    again.signing("bob", other).contest(1, "with the token")

    assert len(signed_of(gm.bundle(), "bob")) == 2


def test_a_gm_with_a_key_signs_everything_that_a_gm_does(gm: Table, forms: Json) -> None:
    boss = gm.signing("gm", SeatKey.make())
    seats = seated(boss, forms["s002"])
    play(seats, forms["s002"]["steps"][:6])
    boss.open_seat("bob", "player")
    boss.change_seat("bob", ["orc"])
    boss.close_seat("bob")
    boss.rule(seats["zoe"].contest(3, "no")["contest"], "upheld", "yes", reason="so it is")
    boss.send_all([{"type": "contest", "commit": 2, "claim": each} for each in ("a", "b")])
    boss.drop(boss.undo(boss.get()["version"] - 1, preview=True)["amendment"])

    raw = gm.bundle()
    own = [each for each in bundle.read(raw).requests[1:] if each and b'"role":"gm"' in each]
    assert len(signed_of(raw, "gm")) == len(own) - 1, "all but the one that set the key"
    assert verdicts(raw) == ("valid_unsigned_without_rules",) * 2
    with pytest.raises(Refused) as refused:
        gm.contest(2, "not signed")
    assert refused.value.code == "not_signed"

    done = [boss.undo(boss.get()["version"] - 1, "too far"), boss.redo("not at all")]
    boss.close("the end")

    assert [each["status"] for each in done] == ["accepted", "accepted"]
    assert verify(bundle.read(gm.bundle()), REGISTRY).verdict.name == "valid_unsigned"


def test_an_undo_in_one_request_says_how_a_gm_with_a_key_undoes(rewound: Rewound, gm: Table) -> None:
    boss = gm.signing("gm", SeatKey.make())
    boss.contest(1, "no")

    with pytest.raises(Problem) as refused:
        rewound.call("POST", f"/encounters/{gm.encounter}/undo", {"to": 2})

    assert isinstance(refused.value, Refused)
    assert (refused.value.code, refused.value.rule) == ("accept_apart", "TABLE-SIGN-1")
    assert "preview" in refused.value.detail


def test_a_signed_command_goes_to_the_line_in_which_play_goes_on(gm: Table) -> None:
    zoe = gm.sit("zoe").signing("zoe", SeatKey.make())
    zoe.contest(1, "before")
    gm.contest(1, "again")
    gm.undo(gm.get()["version"] - 1)

    zoe.contest(1, "after")

    assert verdicts(gm.bundle()) == ("valid_unsigned_without_rules",) * 2


def test_the_newest_commit_that_was_followed_is_signed(gm: Table) -> None:
    zoe = gm.sit("zoe").signing("zoe", SeatKey.make())
    zoe.contest(1, "one")
    gm.contest(1, "two")
    seen = gm.get()["version"]
    next(each for each in zoe.follow() if each["n"] == seen)

    zoe.contest(1, "three")

    last = load_request(bundle.read(gm.bundle()).requests[-1] or b"")
    assert isinstance(last.signed, SeatSignature)
    assert last.signed.n == seen


# --- JavaScript -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def found(host: Host) -> Json:
    """Return what the script found that plays the sample fight with a key of each seat."""
    fight = str(ROOT / "examples" / "orc-and-hound.json")
    data: Json = json.loads(node("tests/clients/signing.mjs", host.address, host.key, fight))
    return data


def test_the_javascript_client_signs_every_command_and_both_verifiers_find_a_changed_one(found: Json) -> None:
    raw = found["before"].encode()
    requests = [load_request(each) for each in bundle.read(raw).requests if each]
    unsigned = [each.type for each in requests if each.actor.seat != "clock" and not each.signed]

    assert unsigned == ["open", "set_seat_key"], "the service opened it, and a key signs from the next on"
    assert verdicts(raw) == ("valid_unsigned_without_rules",) * 2
    n = signed_of(raw, "zoe")[0]
    assert verdicts(changed(raw, n)) == (f"forged_command({n})",) * 2


def test_in_javascript_too_a_gm_with_a_key_undoes_and_redoes(found: Json) -> None:
    assert found["amended"] == ["accepted", "accepted"]
    assert verify(bundle.read(found["after"].encode()), REGISTRY).verdict.name == "valid_unsigned"


def test_in_javascript_too_a_key_is_kept_and_another_one_is_refused(found: Json) -> None:
    assert (found["isKept"], found["other"], found["unsigned"]) == (True, True, "not_signed")


def test_in_javascript_too_a_false_receipt_is_an_error(found: Json) -> None:
    assert found["failed"] == [None, True, True, True]
    assert found["unfit"] == [True, True, True], "their signatures are true, and no verifier takes them"
    assert found["receipts"]
    for receipt in found["receipts"]:
        assert read_receipt(dumps(receipt)).n == receipt["n"]


# --- receipts in Python ---------------------------------------------------------------------------------


def test_receipts_are_kept_as_files_that_the_verifier_takes(gm: Table, tmp_path: Path) -> None:
    folder = ReceiptFolder(tmp_path / "receipts")
    zoe = gm.sit("zoe").keeping(folder).signing("zoe", SeatKey.make())
    zoe.send_all([{"type": "contest", "commit": 1, "claim": each} for each in ("a", "b")])
    key = read_receipt(folder.files()[0].read_bytes()).public
    gm.checkpoint()
    (tmp_path / "fight.jsonl").write_bytes(gm.bundle())
    given = [word for file in folder.files() for word in ("--receipt", str(file))]

    assert [read_receipt(each.read_bytes()).n for each in folder.files()] == [3, 4, 5]
    words = ["verify", str(tmp_path / "fight.jsonl"), "--key", key.hex(), "--json", *given]
    done = CliRunner(catch_exceptions=False).invoke(main, words)
    assert done.exit_code == 0, done.stdout
    assert json.loads(done.stdout)["log"]["receipts"] == 3
    zoe.keeping(folder, key=key.hex()).send({"type": "contest", "commit": 1, "claim": "c"})
    with pytest.raises(FalseReceipt):
        zoe.keeping(folder, key="00" * 32).send({"type": "contest", "commit": 1, "claim": "d"})


@pytest.mark.parametrize(
    "change", [{"n": 1}, {"hash": "00" * 32}, {"signature": "00" * 64}, {"key": "zz"}, {"batch": None}]
)
def test_a_receipt_that_was_changed_is_false(gm: Table, change: Json) -> None:
    kept: list[Json] = []
    gm.keeping(kept.append).contest(1, "is answered without a receipt")
    outcome = gm.keeping(kept.append).send({"type": "contest", "commit": 1, "claim": "a"})

    (receipt,) = kept
    assert receipts.is_true(receipt)
    assert not receipts.is_true(receipt | change)
    with pytest.raises(FalseReceipt):
        receipts.ReceiptChecker(kept.append).take(dict(outcome) | {"receipt": receipt | change})
    assert len(kept) == 1


@pytest.mark.parametrize("name", ["more", "format", "key", "signature", "prev"])
def test_a_receipt_that_is_spelled_as_no_verifier_takes_it_is_false(gm: Table, name: str) -> None:
    """The service could give receipts that look true and prove nothing: their signatures are true."""
    kept: list[Json] = []
    outcome = gm.keeping(kept.append).send({"type": "contest", "commit": 1, "claim": "a"})
    (receipt,) = kept
    spelled = receipt | {name: str(receipt.get(name, "")).upper()}

    with pytest.raises(BadReceipt):
        read_receipt(dumps(spelled))
    with pytest.raises(FalseReceipt):
        receipts.ReceiptChecker(kept.append).take(dict(outcome) | {"receipt": spelled})
    assert len(kept) == 1


def test_a_receipt_cannot_name_a_file_outside_its_folder(tmp_path: Path) -> None:
    folder = ReceiptFolder(tmp_path / "receipts")
    write = CommitWrite(1, prev="cd" * 32, hash="ab" * 32, raw=b"", request=b"{}")
    (raw,) = sign_receipts([("../outside", write)], b"\x01" * 32)
    answer = {"n": 1, "hash": "ab" * 32, "receipt": json.loads(raw)}

    with pytest.raises(FalseReceipt):
        receipts.ReceiptChecker(folder).take(answer)
    assert [*tmp_path.rglob("*.receipt.json")] == []
