"""Closed encounters are removed once their bundle was had, by owner or house; what is left says so."""

from __future__ import annotations

import json
import time
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from service.audit import bundle
from service.audit.verify import verify
from service.log import Log
from service.rules.kernel.records import changed
from service.stores.archive.storage import DirectoryStorage
from service.stores.encounter_index import GRACE_S
from service.stores.removals import Removal, put
from service.stores.removing import NotRemovable, check
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


def test_a_line_outlives_those_that_go_on_from_it(over: Table, services: Services) -> None:
    entry, folded = services.encounters.find(over.id), services.folder.current(over.id)
    assert entry is not None
    check(services.log, entry, folded)
    elsewhere = "22222222-2222-8222-8222-222222222222"
    continued = replace(folded, state=changed(folded.state, continued=elsewhere))

    with pytest.raises(NotRemovable, match="remove that one first"):
        check(services.log, entry, continued)
    put(services.log, Removal(elsewhere, "", "owner", 1, "", "", {}), 0)
    check(services.log, entry, continued)
    with pytest.raises(NotRemovable, match="fork"):
        check(services.log, replace(entry, expires="2030-01-01T00:00:00Z"), folded)


def test_the_line_before_a_removed_one_is_readable_at_its_own_address(table: Table) -> None:
    did(table, ADD, ADD)
    newest = accepted(table, made(table.gm("POST", f"{table.at}/undo", {"to": 3, "preview": True})))
    newest.send(newest.gm, {"type": "close", "reason": "enough"})
    assert newest.gm("POST", f"{newest.at}/checkpoints", Prefer="wait=30").status_code == 200
    raw = newest.gm("GET", f"{newest.at}/bundle").data
    removal = {"bundle": sha256(raw).hexdigest()}
    assert newest.gm("POST", f"{newest.at}/removal", removal).status_code == 200

    found = table.gm.get(table.at)

    assert (found["encounter"], found["line"], found["continued"]) == (table.id, table.id, newest.id)
    again = newest.as_played.gm
    is_problem(again("GET", newest.at), 410, "encounter-removed")
    for at in (table.at, newest.at):  # a repeat has no effect on the line before
        assert newest.gm("POST", f"{at}/removal", removal).status_code == 200
    assert table.gm.get(table.at)["line"] == table.id
