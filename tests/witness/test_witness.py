"""A witness cosigns what extends what it saw, and nothing else; a service submits, whoever is down."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from service.audit import checkpoint, cosignature, notes
from service.audit.checkpoint import Checkpoint, sign
from service.audit.log_writer import log_name
from service.record.ed25519 import public_key
from service.stores.public_log import COSIGNED, DOWN, FORKED, PublicLog
from service.witness.web import application
from tests.support.a_log import START, Witnesses, a_log, head, opening, secret_of
from tests.support.tiny_table import SIGNER
from workers.witnesses import submission


def cosigners(log: PublicLog, names: str = "ada ben") -> dict[str, int]:
    """Return when each witness cosigned the latest checkpoint."""
    latest = log.latest()
    assert latest is not None
    note = notes.parse(latest[1])
    times = {
        name: cosignature.cosigned_at(note, f"{name}.example", public_key(secret_of(name)))
        for name in names.split()
    }
    return {name: time for name, time in times.items() if time is not None}


def test_both_witnesses_cosign_as_the_log_grows(tmp_path: Path) -> None:
    _, writer = a_log(tmp_path, *(opening(at) for at in range(5)))
    witnesses = Witnesses(tmp_path, ["ada", "ben"])
    submitter = witnesses.submitter(writer.log)

    assert [(name, said.outcome) for name, said in submitter.submit()] == [
        ("ada", COSIGNED),
        ("ben", COSIGNED),
    ]
    assert cosigners(writer.log) == {"ada": START, "ben": START}
    assert submitter.submit() == []  # nothing is new

    writer.log.propose([head(1, size) for size in range(2, 700)])
    writer.write()
    witnesses.now += 60
    submitter.submit()
    assert cosigners(writer.log) == {"ada": START + 60, "ben": START + 60}
    latest = writer.log.latest()
    assert latest is not None
    standing = witnesses.all["ada"].store.standing(log_name(SIGNER.origin))
    assert standing == checkpoint.parse(latest[1])
    assert standing.size == 703


def test_a_witness_that_is_down_is_named_and_hinders_no_other(tmp_path: Path) -> None:
    _, writer = a_log(tmp_path, opening(1))
    witnesses = Witnesses(tmp_path, ["ada", "ben"], down={"ada"})
    submitter = witnesses.submitter(writer.log)

    assert [(name, said.outcome) for name, said in submitter.submit()] == [("ada", DOWN), ("ben", COSIGNED)]
    assert cosigners(writer.log) == {"ben": START}
    assert (writer.log.witness("ada").size, writer.log.witness("ben").size) == (0, 1)

    witnesses.down.clear()
    assert submitter.submit() == []  # it is left alone for a while
    witnesses.now += 60
    submitter.submit()
    assert cosigners(writer.log) == {"ada": START + 60, "ben": START}


def test_a_witness_that_was_shown_another_history_refuses_and_keeps_the_proof(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    _, shown = a_log(tmp_path, *(opening(at) for at in range(3)))
    _, other = a_log(tmp_path / "b", *(opening(at) for at in (0, 1, 9)))
    witnesses = Witnesses(tmp_path, ["ada"])
    witnesses.submitter(shown.log).submit()

    assert [said.outcome for _, said in witnesses.submitter(other.log).submit()] == [FORKED]
    assert cosigners(other.log) == {}
    kept = witnesses.all["ada"].store.contradictions(log_name(SIGNER.origin))
    latest = other.log.latest()
    assert latest is not None
    assert [note for _, note in kept] == [latest[1]]
    assert latest[1] in witnesses.all["ada"].report().text

    other.log.propose([opening(at) for at in range(20, 30)])
    other.write()
    assert [said.outcome for _, said in witnesses.submitter(other.log).submit()] == [FORKED]
    assert len(witnesses.all["ada"].store.contradictions(log_name(SIGNER.origin))) == 2


def test_a_service_that_was_put_back_learns_it_from_its_witness(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    _, newest = a_log(tmp_path, *(opening(at) for at in range(4)))
    _, older = a_log(tmp_path / "old", *(opening(at) for at in range(2)))
    witnesses = Witnesses(tmp_path, ["ada"])
    witnesses.submitter(newest.log).submit()

    assert [said.outcome for _, said in witnesses.submitter(older.log).submit()] == [FORKED]


def answered(witnesses: Witnesses, body: bytes, method: str = "POST", path: str = "/add-checkpoint") -> Any:
    """Return what the witness's server answers."""
    found: list[Any] = []
    environ = {
        "REQUEST_METHOD": method,
        "PATH_INFO": path,
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.input": BytesIO(body),
    }
    text = b"".join(application(witnesses.all["ada"])(environ, lambda *given: found.extend(given)))
    return int(found[0][:3]), dict(found[1]), text.decode()


def test_it_answers_as_the_specification_says(tmp_path: Path) -> None:
    _, writer = a_log(tmp_path, *(opening(at) for at in range(3)))
    witnesses = Witnesses(tmp_path, ["ada"])
    latest = writer.log.latest()
    assert latest is not None
    size, note = latest
    first = submission(0, writer.tree(size), note)

    status, headers, text = answered(witnesses, first)
    assert (status, text.startswith("— ada.example ")) == (200, True)
    status, headers, text = answered(witnesses, first)
    assert (status, headers["Content-Type"], text) == (409, "text/x.tlog.size", "3\n")
    assert answered(witnesses, submission(3, writer.tree(size), note))[0] == 200  # again, with the right size

    writer.log.propose([opening(7), opening(8)])
    writer.write()
    latest = writer.log.latest()
    assert latest is not None
    grown = submission(3, writer.tree(5), latest[1]).decode()
    lines = grown.split("\n")
    wrong = "\n".join([lines[0], lines[2], lines[1], *lines[3:]])
    assert answered(witnesses, wrong.encode())[0] == 422
    assert answered(witnesses, grown.encode())[0] == 200

    stranger = sign(Checkpoint("elsewhere/log", 9, bytes(32)), SIGNER.secret)
    assert answered(witnesses, f"old 0\n\n{stranger}".encode())[0] == 404
    forged = sign(Checkpoint(log_name(SIGNER.origin), 9, bytes(32)), bytes(32))
    assert answered(witnesses, f"old 5\n\n{forged}".encode())[0] == 403
    assert answered(witnesses, f"old 6\n\n{latest[1]}".encode())[0] == 400


@pytest.mark.parametrize(
    "body",
    [b"", b"old\n\nx", b"old 01\n\nx\n", b"old 0\nAAAA\n\n", b"\xff\n\n", b"new 0\n\n", b"old 0\n" * 99],
)
def test_what_is_no_submission_is_400(tmp_path: Path, body: bytes) -> None:
    assert answered(Witnesses(tmp_path, ["ada"]), body)[0] == 400


def test_other_requests_are_refused(tmp_path: Path) -> None:
    witnesses = Witnesses(tmp_path, ["ada"])
    assert answered(witnesses, b"", "GET")[0] == 405
    assert answered(witnesses, b"", "GET", "/else")[0] == 404
    assert answered(witnesses, b"x" * 70_000)[0] == 413
    status, _, text = answered(witnesses, b"", "GET", "/")
    assert (status, text.splitlines()[1]) == (200, f"log {log_name(SIGNER.origin)}: nothing yet")
