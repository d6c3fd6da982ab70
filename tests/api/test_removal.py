"""Closed encounters are removed once their bundle was had, by owner or house; what is left says so."""

from __future__ import annotations

import json
import time
from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from service.audit import bundle
from service.audit.verify import verify
from service.log import Log
from service.stores.archive.storage import DirectoryStorage
from service.stores.disputes import ROLLED_BACK, Dispute, Disputes
from service.stores.encounter_index import GRACE_S
from service.usecases.services import Services
from tests.api.client import Api, Table, is_problem
from tests.api.conftest import Worker
from tests.api.test_amendments import accepted, did, made
from tests.api.test_fork_lifetime import keys_of
from tests.support.tiny_game import SHELF
from workers.retention import DAY_S, Retention

ADD = {"type": "add", "amount": 1}
DELETED: tuple[object, ...] = (None, [], [], [], {}, None, None)


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    (tmp_path / "archive").mkdir()
    return tmp_path / "archive"


@pytest.fixture
def over(table: Table) -> Table:
    """Give a table whose game is played and closed."""
    table.send(table.gm, ADD)
    table.send(table.ada, {"type": "choose", "number": 2})
    table.send(table.gm, {"type": "end_round"})
    assert table.gm("DELETE", table.at).status_code == 200
    return table


def had(table: Table) -> tuple[bytes, str]:
    """Return the gm's bundle and its digest, as soon as what signs its close stands in it."""
    ends = time.monotonic() + 30
    while not is_signed(table):
        assert time.monotonic() < ends, "its close is not signed"
        time.sleep(0.01)
    raw = table.gm("GET", f"{table.at}/bundle").data
    return raw, sha256(raw).hexdigest()


def is_signed(table: Table) -> bool:
    """Tell whether nothing of it will be signed any more: it is open, or its close is signed."""
    answer = table.gm.get(table.at)
    points = table.gm.get(f"{table.at}/checkpoints?limit=1")["checkpoints"]
    return not answer["closed"] or [point["size"] for point in points] == [answer["version"]]


def removed(table: Table) -> Any:
    answer = table.gm("POST", f"{table.at}/removal", {"bundle": had(table)[1]})
    assert answer.status_code == 200, answer.text
    return json.loads(answer.text)


def keeping(log: Log, days: int, directory: Path, later_s: float = 0) -> Retention:
    """Return what a worker keeps by, *later_s* from now."""
    return Retention(
        log,
        SHELF,
        DirectoryStorage(directory),
        days,
        Event(),
        lambda _: None,
        lambda: time.time() + later_s,
    )


def everywhere(table: Table) -> Iterator[tuple[Api, str, str, object]]:
    for who in (table.gm, table.ada):
        for path in (
            "",
            "/state",
            "/options",
            "/commits",
            "/commits/2/explanation",
            "/rounds",
            "/rolls",
            "/seats",
        ):
            yield who, "GET", f"{table.at}{path}", None
        yield who, "POST", f"{table.at}/commands", ADD
    yield table.gm, "GET", f"{table.at}/bundle", None
    yield table.gm, "DELETE", table.at, None
    yield table.gm, "POST", f"{table.at}/forks", {"at": 1}
    yield table.gm, "POST", f"{table.at}/audits", {}


def test_a_removed_encounter_says_so_at_every_address_and_to_every_seat(
    over: Table, log: Log, worker: Worker, archive: Path
) -> None:
    head = over.gm.get(over.at)
    found = removed(over)

    assert (found["size"], found["hash"], found["by"]) == (head["version"], head["hash"], "owner")
    for is_deleted in (False, True):
        if is_deleted:
            keeping(log, 0, archive, GRACE_S + 1).look()
            assert keys_of(log, over.id) == DELETED
        for who, method, target, body in everywhere(over):
            problem = is_problem(who(method, target, body), 410, "encounter-removed")
            assert problem["removed"] == found
        assert over.gm.get(f"{over.at}/removal") == over.ada.get(f"{over.at}/removal") == found
        assert over.gm.get("/v1/encounters")["encounters"] == []


def test_what_is_left_is_enough_to_hold_a_bundle_to(over: Table, log: Log, archive: Path) -> None:
    """Checkpoints and certificates outlive the record, and the bundle is what was there, and sound."""
    over.gm("POST", f"{over.at}/checkpoints")
    audit = json.loads(over.gm("POST", f"{over.at}/audits", {}).text)["audit"]
    raw, digest = had(over)
    notes = over.gm.get(f"{over.at}/checkpoints")
    found = removed(over)
    keeping(log, 0, archive, GRACE_S + 1).look()

    assert found["bundle"] == digest
    evidence = bundle.read(raw)
    assert (len(evidence.commits), evidence.head) == (found["size"], found["hash"])
    assert verify(evidence, SHELF).verdict.is_sound
    assert over.gm.get(f"{over.at}/checkpoints") == notes
    assert notes["checkpoints"][0]["size"] == found["size"]
    assert [each["audit"] for each in over.gm.get(f"{over.at}/audits")["audits"]] == [audit]
    assert over.gm.get(f"{over.at}/audits/{audit}")["encounter"] == over.id


def test_only_what_is_closed_is_removed_and_only_for_whoever_has_the_bundle(table: Table, log: Log) -> None:
    at = f"{table.at}/removal"
    is_problem(table.gm("GET", at), 404, "not-found")
    is_problem(table.gm("POST", at, {"bundle": had(table)[1]}), 409, "not-removable")
    table.gm("DELETE", table.at)
    players = sha256(table.ada("GET", f"{table.at}/bundle").data).hexdigest()
    for digest in (players, "0" * 64, had(table)[1].upper()):
        is_problem(table.gm("POST", at, {"bundle": digest}), 409, "bundle-digest-mismatch")
    is_problem(table.gm("POST", at, {}), 422, "invalid")
    is_problem(table.ada("POST", at, {"bundle": had(table)[1]}), 403, "forbidden")

    assert table.gm.get(table.at)["closed"]
    assert log.head(table.id) is not None


def test_a_removal_happens_once_and_the_id_never_stands_for_another(
    owner: Api, log: Log, archive: Path
) -> None:
    opening = {"edition": "tiny@1"}
    first = owner("POST", "/v1/encounters", opening, Idempotency_Key="once")
    id_ = json.loads(first.text)["encounter"]
    table = Table(id_, owner, owner, owner)
    owner("DELETE", table.at)
    found = removed(table)

    again = owner("POST", f"{table.at}/removal", {"bundle": found["bundle"]})
    assert json.loads(again.text) == found
    is_problem(owner("POST", f"{table.at}/removal", {"bundle": "0" * 64}), 410, "encounter-removed")
    for later_s in (0, GRACE_S + 1):
        keeping(log, 0, archive, later_s).look()
        repeat = owner("POST", "/v1/encounters", opening, Idempotency_Key="once")
        assert is_problem(repeat, 410, "encounter-removed")["removed"] == found


def test_the_bundle_tells_its_digest(over: Table) -> None:
    answer = over.gm("GET", f"{over.at}/bundle")

    name, _, found = answer.headers["Repr-Digest"].partition("=")
    assert (name, found.strip(":")) == ("sha-256", b64encode(sha256(answer.data).digest()).decode())


def test_the_house_archives_what_was_closed_long_enough_ago_and_then_removes_it(
    owner: Api, over: Table, log: Log, services: Services, archive: Path
) -> None:
    played = Table.opened(owner)
    version = over.gm.get(over.at)["version"]
    had(over)

    keeping(log, 0, archive, 999 * DAY_S).look()
    keeping(log, 2, archive, 2 * DAY_S - 60).look()
    assert list(archive.iterdir()) == []
    keeping(log, 2, archive, 2 * DAY_S + 60).look()

    services.removals.forget(over.id)
    [file] = archive.iterdir()
    problem = is_problem(over.ada("GET", over.at), 410, "encounter-removed")["removed"]
    assert (problem["by"], problem["size"], problem["bundle"]) == (
        "retention",
        version,
        sha256(file.read_bytes()).hexdigest(),
    )
    assert verify(bundle.read(file.read_bytes()), SHELF).verdict.is_sound
    keeping(log, 2, archive, 2 * DAY_S + 60 + GRACE_S + 1).look()
    assert keys_of(log, over.id) == DELETED
    assert played.gm.get(played.at)["closed"] is False


@pytest.mark.parametrize(("kind", "files"), [("commits", []), ("commands", [".unsound"])])
def test_what_is_not_sound_is_kept(
    over: Table, log: Any, services: Services, archive: Path, kind: str, files: list[str]
) -> None:
    """A record that was changed is evidence: it is not removed by itself."""
    had(over)
    stream = getattr(log._encounters[over.id], kind)  # noqa: SLF001 - the store itself is tampered with
    changed = [raw.replace(b'"number":2', b'"number":3').replace(b'"by":1,', b'"by":2,') for raw in stream]
    assert changed != stream
    stream[:] = changed

    keeping(log, 1, archive, DAY_S + 60).look()

    services.removals.forget(over.id)
    assert services.removals.of(over.id) is None
    assert [file.suffix for file in archive.iterdir()] == files
    assert log.due("closed", int((time.time() + DAY_S) * 1000), 9) == []
    assert log.due("closed", int((time.time() + 3 * DAY_S) * 1000), 9) == [over.id]


LATER = (0, DAY_S + 60 + GRACE_S + 1)
"""Before the records of a removed fight are deleted, and after."""


@pytest.mark.parametrize("by", ["owner", "retention"])
def test_a_fight_is_removed_with_all_its_lines_or_not_at_all(
    table: Table, log: Log, services: Services, archive: Path, by: str
) -> None:
    did(table, ADD, ADD, ADD)
    accepted(table, made(table.gm("POST", f"{table.at}/undo", {"to": 4, "preview": True})))
    accepted(table, made(table.gm("POST", f"{table.at}/redo", {"preview": True})))
    accepted(table, made(table.gm("POST", f"{table.at}/undo", {"to": 3, "preview": True})))
    dropped = made(table.gm("POST", f"{table.at}/undo", {"to": 2, "preview": True}))
    made(table.gm("DELETE", f"{table.at}/amendments/{dropped['amendment']}"), 200)
    lines = [each["line"] for each in table.gm.get(f"{table.at}/lines")["lines"]]
    assert len(lines) == 5
    for line in lines[:3]:
        keeping(log, 1, archive, DAY_S + 60).look()
        ended = had(Table(table.id, *(who.in_line(line) for who in (table.gm, table.ada, table.bo))))[1]
        asked = table.gm("POST", f"/v1/encounters/{line}/removal", {"bundle": ended})
        is_problem(asked, 409, "not-removable")
        assert table.gm.get(table.at)["line"] == lines[3]
    table.gm("DELETE", table.at)
    head = table.gm.get(table.at)
    raw, digest = had(table)

    if by == "owner":
        found = made(table.gm("POST", f"{table.at}/removal", {"bundle": digest}), 200)
    else:
        keeping(log, 1, archive, DAY_S + 60).look()
        [file] = archive.iterdir()
        assert (file.name, file.read_bytes()) == (f"{table.id}.jsonl", raw)
        for line in lines:
            services.removals.forget(line)
        found = table.gm.get(f"{table.at}/removal")
    assert (found["encounter"], found["size"], found["hash"]) == (table.id, head["version"], head["hash"])
    assert (found["bundle"], found["by"]) == (digest, by)
    assert len(bundle.read_fight(raw)) == 4, "what was proposed and dropped is in no bundle"
    for later_s in LATER:
        keeping(log, 0, archive, later_s).look()
        for line in (table.id, *lines):
            at = f"/v1/encounters/{line}"
            for path in ("", "/state", "/bundle", "/lines"):
                is_problem(table.gm("GET", at + path), 410, "encounter-removed")
                if line != dropped["line"]:  # no player ever sees that one
                    is_problem(table.ada("GET", at + path), 410, "encounter-removed")
            assert made(table.gm("POST", f"{at}/removal", {"bundle": digest}), 200)["bundle"] == digest
        assert table.ada.get(f"{table.at}/removal") == found
        assert table.gm.get("/v1/encounters")["encounters"] == []
    assert all(keys_of(log, line) == DELETED for line in lines)


@pytest.mark.parametrize("line", [0, 1])
def test_a_fight_with_a_line_in_dispute_is_not_removed(table: Table, log: Log, line: int) -> None:
    did(table, ADD, ADD)
    newest = accepted(table, made(table.gm("POST", f"{table.at}/undo", {"to": 3, "preview": True})))
    table.gm("DELETE", table.at)
    digest = had(table)[1]
    Disputes(log).open(Dispute((table.id, newest.id)[line], ROLLED_BACK, 9, "ab" * 32, 1, epoch=3))
    is_problem(table.gm("POST", f"{table.at}/removal", {"bundle": digest}), 409, "not-removable")
