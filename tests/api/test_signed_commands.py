"""TABLE-SIGN-1: a seat with a key speaks only by signed commands, on the history that it has seen."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from werkzeug.test import TestResponse

from service.audit import bundle
from service.audit.verify import verify
from service.core import decide
from service.record.commit import Request, SeatSignature, dump_request
from service.record.ed25519 import public_key, sign_bytes
from service.record.statements import statement
from service.rules import ruleset
from service.rules.kernel.messages import Actor
from service.usecases import sending
from tests.api.client import Api, Table, is_problem
from tests.api.conftest import BOTH
from tests.audit.refitted import with_request
from tests.support.javascript_verifier import Case, judged

SECRET, OTHER = bytes(range(32)), bytes(range(1, 33))
ADD = {"type": "add", "amount": 3}
CHOOSE = {"type": "choose", "number": 3}


def head_of(table: Table, who: Api) -> tuple[str, int, str]:
    """Return the line of play that is played, and the number and hash of its newest commit."""
    about = who.get(table.at)
    return about["line"], about["version"], about["hash"]


def signed(
    seat: str,
    command: dict[str, Any],
    key: str,
    head: tuple[str, int, str],
    index: int = 0,
    secret: bytes = SECRET,
) -> str:
    """Return the signature of one command."""
    encounter, n, hash_ = head
    data = {name: value for name, value in command.items() if name != "type"}
    request = Request(encounter, command["type"], "", "", Actor(seat=seat, role=""), data)
    return sign_bytes(statement(request, SeatSignature(key, index, n, hash_, "")), secret).hex()


def send_signed(
    table: Table, who: Api, seat: str, command: dict[str, Any], key: str, **changed: Any
) -> TestResponse:
    head = changed.get("head") or head_of(table, who)
    value = signed(seat, changed.get("instead", command), key, head, secret=changed.get("secret", SECRET))
    field = f"{head[1]}:{head[2]} {value}"
    return table.send(
        who, command, Idempotency_Key=f'"{changed.get("sent_key", key)}"', Rewound_Signature=field
    )


@pytest.fixture
def keyed(table: Table) -> Table:
    """Return a table at which ada has set her key."""
    answer = table.send(table.ada, {"type": "set_seat_key", "seat": "ada", "key": public_key(SECRET).hex()})
    assert answer.status_code == 200, answer.text
    return table


@pytest.fixture
def lying(keyed: Table, monkeypatch: pytest.MonkeyPatch) -> Table:
    """Return the table at a host whose code takes every command as signed."""
    monkeypatch.setattr(decide, "_is_signed", lambda *_: True)
    monkeypatch.setattr(sending, "check_signature", lambda *_: None)
    return keyed


def verdicts(who: Api, table: Table) -> tuple[str, str]:
    """Return what both verifiers say of the bundle of the gm, without rules."""
    raw = who("GET", f"{table.at}/bundle").data
    found = verify(bundle.read(raw), BOTH, without_rules=True).verdict
    return str(found), judged([Case(raw)])[0]


def signed_in(who: Api, table: Table) -> tuple[int, str]:
    """Return how many commands a whole audit finds signed, and its verdict."""
    report = verify(bundle.read(who("GET", f"{table.at}/bundle").data), BOTH)
    return report.counts.commands_signed, report.verdict.name


def test_TABLE_SIGN_1_what_is_not_signed_is_refused_and_leaves_no_trace(keyed: Table) -> None:
    before = keyed.gm.get(keyed.at)["version"]

    refusal = is_problem(keyed.send(keyed.ada, CHOOSE), 409, "command-refused")

    assert (refusal["code"], refusal["rule"]) == ("not_signed", "TABLE-SIGN-1")
    assert keyed.gm.get(keyed.at)["version"] == before
    assert keyed.send(keyed.bo, CHOOSE).status_code == 200, "bo has no key"


def test_TABLE_SIGN_1_what_is_signed_is_on_the_record_and_proved_by_both_verifiers(keyed: Table) -> None:
    answer = send_signed(keyed, keyed.ada, "ada", CHOOSE, "k-1")

    assert answer.status_code == 200, answer.text
    n = json.loads(answer.text)["n"]
    assert keyed.ada.get(f"{keyed.at}/commands/{n}")["outcome"] in ("accepted", "sealed")
    keyed.send(keyed.bo, CHOOSE)
    assert signed_in(keyed.gm, keyed) == (1, "valid_unsigned_to_epoch")
    assert verdicts(keyed.gm, keyed) == ("valid_unsigned_without_rules",) * 2


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"instead": {"type": "choose", "number": 4}}, "signature_false"),
        ({"secret": OTHER}, "signature_false"),
        ({"sent_key": "k-2"}, "signature_false"),
        ({"head": ("00000000-0000-8000-8000-000000000000", 1, "00" * 32)}, "signature_false"),
    ],
)
def test_TABLE_SIGN_1_a_false_signature_is_refused(keyed: Table, changed: dict[str, Any], code: str) -> None:
    refusal = is_problem(
        send_signed(keyed, keyed.ada, "ada", CHOOSE, "k-1", **changed), 409, "command-refused"
    )

    assert refusal["code"] == code


@pytest.mark.parametrize(("n", "hash_"), [(1, "00" * 32), (9_999, "11" * 32)])
def test_TABLE_SIGN_1_a_head_of_another_history_is_refused(keyed: Table, n: int, hash_: str) -> None:
    line = head_of(keyed, keyed.ada)[0]

    answer = send_signed(keyed, keyed.ada, "ada", CHOOSE, "k-1", head=(line, n, hash_))

    assert is_problem(answer, 409, "command-refused")["code"] == "other_history"


def test_TABLE_SIGN_1_a_signature_of_a_seat_without_a_key_is_refused(keyed: Table) -> None:
    answer = send_signed(keyed, keyed.bo, "bo", CHOOSE, "k-1")

    assert is_problem(answer, 409, "command-refused")["code"] == "no_key"


@pytest.mark.parametrize(
    ("field", "headers"),
    [
        ("x", {"Idempotency_Key": '"k"'}),
        (f"1:{'0' * 64}", {"Idempotency_Key": '"k"'}),
        (f"1:{'0' * 64} {'0' * 128}", {}),
        (f"1:{'0' * 64}" + f" {'0' * 128}" * 3, {"Idempotency_Key": '"k"'}),
    ],
)
def test_a_malformed_signature_is_a_problem(keyed: Table, field: str, headers: dict[str, str]) -> None:
    is_problem(keyed.send(keyed.ada, CHOOSE, Rewound_Signature=field, **headers), 400, "bad-request")


def test_a_repeat_of_a_signed_command_is_the_first_one_whatever_its_head(keyed: Table) -> None:
    first = json.loads(send_signed(keyed, keyed.ada, "ada", CHOOSE, "k-1").text)
    keyed.send(keyed.bo, CHOOSE)

    again = send_signed(keyed, keyed.ada, "ada", CHOOSE, "k-1")

    assert (again.headers["Idempotency-Replayed"], json.loads(again.text)["n"]) == ("true", first["n"])


def test_each_command_of_an_array_has_a_signature(keyed: Table) -> None:
    keyed.send(keyed.gm, {"type": "set_seat_key", "seat": "gm", "key": public_key(OTHER).hex()})
    head = head_of(keyed, keyed.gm)
    commands = [ADD, {**ADD, "amount": 4}]
    values = [signed("gm", each, "k-1", head, index, OTHER) for index, each in enumerate(commands)]

    swapped = f"{head[1]}:{head[2]} {values[1]} {values[0]}"
    refused = keyed.send(keyed.gm, commands, Idempotency_Key='"k-1"', Rewound_Signature=swapped)
    field = f"{head[1]}:{head[2]} {' '.join(values)}"
    taken = keyed.send(keyed.gm, commands, Idempotency_Key='"k-1"', Rewound_Signature=field)

    assert is_problem(refused, 409, "command-refused")["code"] == "signature_false"
    assert [each["outcome"] for each in json.loads(taken.text)["outcomes"]] == ["accepted"] * 2
    assert signed_in(keyed.gm, keyed)[0] == 2
    assert verdicts(keyed.gm, keyed) == ("valid_unsigned_without_rules",) * 2


def test_TABLE_SIGN_1_a_seat_sets_its_key_once_and_the_gm_replaces_or_removes_it(keyed: Table) -> None:
    other = {"type": "set_seat_key", "seat": "ada", "key": public_key(OTHER).hex()}
    again = send_signed(keyed, keyed.ada, "ada", other, "k-1")
    foreign = keyed.send(keyed.bo, {**other, "seat": "ada"})

    assert is_problem(again, 409, "command-refused")["code"] == "key_is_set"
    assert is_problem(foreign, 409, "command-refused")["code"] == "not_gm"
    assert keyed.send(keyed.gm, other).status_code == 200
    assert send_signed(keyed, keyed.ada, "ada", CHOOSE, "k-2").status_code == 409
    assert send_signed(keyed, keyed.ada, "ada", CHOOSE, "k-3", secret=OTHER).status_code == 200
    assert keyed.send(keyed.gm, {"type": "remove_seat_key", "seat": "ada"}).status_code == 200
    gone = keyed.send(keyed.gm, {"type": "remove_seat_key", "seat": "ada"})
    assert is_problem(gone, 409, "command-refused")["code"] == "no_key"
    assert keyed.ada.get(f"{keyed.at}/seats/ada")["key"] is None
    keyed.send(keyed.bo, CHOOSE)
    assert signed_in(keyed.gm, keyed)[0] == 2, "the attempt that the rules refused was signed, too"


def test_a_key_that_is_none_is_refused(table: Table) -> None:
    answer = table.send(table.ada, {"type": "set_seat_key", "seat": "ada", "key": "AB" * 32})

    assert is_problem(answer, 409, "command-refused")["code"] == "key_malformed"


def test_a_host_that_invents_a_command_is_found(lying: Table) -> None:
    n = json.loads(lying.send(lying.ada, CHOOSE).text)["n"]
    lying.send(lying.bo, CHOOSE)

    assert verdicts(lying.gm, lying) == (f"forged_command({n})",) * 2


def test_a_host_that_changes_a_command_is_found(lying: Table) -> None:
    n = json.loads(
        send_signed(lying, lying.ada, "ada", CHOOSE, "k-1", instead={"type": "choose", "number": 5}).text
    )["n"]
    lying.send(lying.bo, CHOOSE)

    assert verdicts(lying.gm, lying) == (f"forged_command({n})",) * 2


def test_a_host_that_takes_a_command_twice_is_found(lying: Table) -> None:
    lying.send(lying.gm, {"type": "set_seat_key", "seat": "gm", "key": public_key(SECRET).hex()})
    head = head_of(lying, lying.gm)
    send_signed(lying, lying.gm, "gm", ADD, "k-1", head=head)
    n = json.loads(
        lying.send(
            lying.gm,
            ADD,
            Idempotency_Key='"k-2"',
            Rewound_Signature=f"{head[1]}:{head[2]} {signed('gm', ADD, 'k-2', head)}",
        ).text
    )["n"]
    raw = lying.gm("GET", f"{lying.at}/bundle").data
    assert b"k-2" in raw
    evidence = bundle.read(raw)
    same = json.loads(evidence.requests[n - 2] or b"")["signed"]
    forged = with_request(replace(evidence, notes=(), keys=()), n, lambda data: data.update(signed=same))

    ours = str(verify(bundle.read(forged), BOTH, without_rules=True).verdict)
    assert (ours, judged([Case(forged)])[0]) == (f"forged_command({n})",) * 2


def test_a_host_that_shows_a_player_another_history_is_found(lying: Table) -> None:
    line = head_of(lying, lying.ada)[0]
    n = json.loads(send_signed(lying, lying.ada, "ada", CHOOSE, "k-1", head=(line, 2, "ab" * 32)).text)["n"]
    lying.send(lying.bo, CHOOSE)

    assert verdicts(lying.gm, lying) == (f"forked({n})",) * 2


def test_a_key_stays_after_an_undo_and_the_repeated_commands_need_no_signature(keyed: Table) -> None:
    send_signed(keyed, keyed.ada, "ada", CHOOSE, "k-1")
    keyed.send(keyed.bo, CHOOSE)
    keyed.send(keyed.gm, ADD)
    undone = keyed.gm("POST", f"{keyed.at}/undo", {"to": keyed.gm.get(keyed.at)["version"] - 1})
    assert undone.status_code == 200, undone.text
    redone = keyed.gm("POST", f"{keyed.at}/redo", {})
    assert redone.status_code == 200, redone.text
    keyed.send(keyed.gm, {"type": "end_round"})

    assert is_problem(keyed.send(keyed.ada, CHOOSE), 409, "command-refused")["code"] == "not_signed"
    assert send_signed(keyed, keyed.ada, "ada", CHOOSE, "k-2").status_code == 200
    keyed.send(keyed.bo, CHOOSE)
    assert verdicts(keyed.gm, keyed) == ("valid_unsigned_without_rules",) * 2
    # TABLE-AMEND-2: the redo restored the commit that `k-1` signed
    assert signed_in(keyed.gm, keyed) == (2, "valid_unsigned_to_epoch")


def test_a_host_that_makes_another_seat_the_gm_is_found(
    keyed: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    keyed.send(keyed.gm, {"type": "set_seat_key", "seat": "gm", "key": public_key(OTHER).hex()})
    _as_gm(keyed, monkeypatch)
    n = json.loads(keyed.send(keyed.bo, ADD).text)["n"]

    assert verdicts(keyed.gm, keyed) == (f"forged_command({n})",) * 2


def test_TABLE_SEAT_1_a_seat_speaks_in_its_own_role_alone(
    keyed: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    _as_gm(keyed, monkeypatch, lying=False)

    assert is_problem(keyed.send(keyed.bo, ADD), 409, "command-refused")["code"] == "other_role"


def _as_gm(table: Table, monkeypatch: pytest.MonkeyPatch, *, lying: bool = True) -> None:
    """Make the host write each command of bo as that of a gm; *lying*, its rules take that."""

    def forged(request: Request) -> bytes:
        seat = request.actor.seat
        return dump_request(replace(request, actor=Actor(seat=seat, role="gm")) if seat == "bo" else request)

    monkeypatch.setattr(sending, "dump_request", forged)
    if lying:
        monkeypatch.setattr(ruleset, "admit", lambda *_: None)


def test_a_key_comes_with_the_seat_or_with_its_token(table: Table) -> None:
    opened = table.gm("POST", f"{table.at}/seats", {"seat": "cy", "role": "player", "key": "ab" * 32})
    issued = table.gm("POST", f"{table.at}/seats/ada/token", {"key": public_key(SECRET).hex()})
    wrong = table.gm("POST", f"{table.at}/seats/ada/token", {"key": "AB" * 32})

    assert (opened.status_code, json.loads(opened.text)["key"]) == (201, "ab" * 32)
    assert (issued.status_code, json.loads(issued.text)["key"]) == (201, public_key(SECRET).hex())
    assert is_problem(wrong, 409, "command-refused")["code"] == "key_malformed"
