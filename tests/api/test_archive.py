"""Archived encounters: out of the store, read as before, brought back by a command, erased whole."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any, cast

import pytest

from service.api.app import create_app
from service.audit.evidence import stored
from service.audit.notary import Notary
from service.audit.verify import verify
from service.key_files import Keyring
from service.log import CachedState, EncounterExists, Log, NoSuchEncounter, Submitted
from service.log.memory import MemoryLog
from service.log.valkey.loop_log import LoopLog
from service.log.values import ArchivedTotals
from service.record.commit import load_request
from service.stores import api_keys
from service.stores.archive import archive_log
from service.stores.archive.archive_log import ArchiveLog, ArchiveLoopLog, with_archive
from service.stores.archive.container import NotAnArchive, keys_of, pack, unpack
from service.stores.archive.entries import IDLE, find
from service.stores.archive.lines import spell
from service.stores.archive.storage import ArchiveUnavailable, DirectoryStorage
from service.stores.encounter_index import GRACE_S
from service.stores.secrets import EncounterSecrets
from service.usecases.services import make_services
from tests.api.client import Api, Table, is_problem
from tests.api.conftest import BOTH, KEY, Worker, until_it_listens
from tests.api.test_removal import had, keeping
from tests.support.canaries import spellings
from tests.support.tiny_table import SIGNER
from workers.archiving import Archiver, NotArchivable
from workers.audits import Auditor
from workers.periodic import WorkerStopped

ADD = {"type": "add", "amount": 1}
ROLL = {"type": "roll", "sides": 20}
CANARY = "the password is xyzzy-plugh"
ELSEWHERE = {"open", "issue_token"}
"""Commands that have addresses of their own."""
ARCHIVE_KEYS = keys_of(Keyring.of(KEY))


@pytest.fixture
def place(tmp_path: Path) -> DirectoryStorage:
    return DirectoryStorage(tmp_path / "archive")


@pytest.fixture
def log(place: DirectoryStorage) -> Iterator[Log]:
    """Give a log with an archive, as every process has it."""
    kept = with_archive(MemoryLog(), place, ARCHIVE_KEYS)
    yield kept
    kept.close()


def archiver(log: Log, place: Any, idle_s: float = 0.0, later_s: float = 0.0) -> Archiver:
    return Archiver(log, BOTH, place, ARCHIVE_KEYS, idle_s, Event(), clock=lambda: time.time() + later_s)


@contextmanager
def archiving(log: Log, place: DirectoryStorage) -> Iterator[None]:
    """Bring back what is wanted, as a worker does."""
    working = archiver(log, place)
    thread = Thread(target=working.run, daemon=True)
    thread.start()
    try:
        yield
    finally:
        working.stopping.set()
        working.ring()
        thread.join()


@pytest.fixture
def played(table: Table) -> Table:
    """Give a table in the middle of a game, with things sealed in it."""
    for who, command in (
        (table.gm, ROLL),
        (table.ada, {"type": "choose", "number": 2}),
        (table.gm, {"type": "whisper", "to": ["ada"], "note": CANARY}),
        (table.gm, {"type": "add", "amount": 99}),
        (table.gm, {"type": "end_round"}),
        (table.gm, ROLL),
    ):
        table.send(who, command)
    return table


@pytest.fixture
def fresh(log: Any, place: DirectoryStorage) -> Iterator[Api]:
    """Give another process's API, without a token."""
    services = make_services(
        with_archive(inner(log), place, ARCHIVE_KEYS),
        BOTH,
        ring=lambda _bucket: None,
        clock=time.time,
        keys=Keyring.of(KEY),
        mode="memory",
    )
    until_it_listens(services)
    yield Api(create_app(services))
    services.outcomes.close()


def version(table: Table) -> int:
    found: int = table.gm.get(table.at)["version"]
    return found


def inner(log: Any) -> MemoryLog:
    found: MemoryLog = log.log
    return found


PATHS = (
    *(
        "",
        "/state",
        "/state?at=4",
        "/state?at=4&known=8",
        "/state?round=1",
        "/options",
        "/commits",
        "/commits/5/explanation",
    ),
    *(
        "/rounds",
        "/rounds/1",
        "/rounds/1/replay",
        "/rolls",
        "/rolls/statistics",
        "/creatures/statistics",
        "/seats",
        "/contests",
        "/bundle",
    ),
    *("/diff?start=2&end=7", "/commands/4", "/audits", "/checkpoints", "/forks"),
)


def told(table: Table) -> dict[tuple[str, str], tuple[int, bytes, str | None]]:
    """Return what everybody is answered everywhere."""
    found = {}
    for name, who in (("gm", table.gm), ("ada", table.ada), ("bo", table.bo)):
        for path in PATHS:
            answer = who("GET", table.at + path)
            data = answer.data if answer.status_code == 200 else b""  # a refusal names its request
            found[name, path] = (answer.status_code, data, answer.headers.get("ETag"))
    return found


def is_cold(log: Any, encounter: str) -> bool:
    kept = inner(log)
    gone = (kept.head(encounter), kept.commits(encounter, 0, 1), kept.commands(encounter, 0, 1))
    assert (gone == (None, [], [])) is (kept.archived(encounter) is not None)
    return gone == (None, [], [])


# --- reading ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("closes", [False, True], ids=["idle", "closed"])
def test_an_archived_encounter_answers_as_before(
    log: Log, place: DirectoryStorage, played: Table, *, closes: bool
) -> None:
    if closes:
        assert played.gm("DELETE", played.at).status_code == 200
        had(played)
    before = told(played)
    assert {status for status, _, _ in before.values()} == {200, 403}

    archiver(log, place).archive(played.id)

    assert is_cold(log, played.id)
    assert inner(log).secret(played.id) is not None
    assert told(played) == before
    assert is_cold(log, played.id)  # reading brings nothing back


def test_a_process_that_never_saw_it_reads_it_too(
    log: Log, place: DirectoryStorage, played: Table, fresh: Api
) -> None:
    wanted = played.gm.get(f"{played.at}/state?at=6")
    archiver(log, place).archive(played.id)

    assert fresh.with_token(played.gm.token or "").get(f"{played.at}/state?at=6") == wanted


def test_an_archived_encounter_is_audited_where_it_lies(
    log: Log, place: DirectoryStorage, played: Table
) -> None:
    archiver(log, place).archive(played.id)
    asked = played.gm("POST", f"{played.at}/audits", {})
    Auditor(log, BOTH, worker="one", stopping=Event()).look()

    audit = played.gm.get(f"{played.at}/audits/{json.loads(asked.text)['audit']}")

    assert (audit["status"], audit["certificate"]["counts"]["commits"]) == ("done", version(played))
    assert "valid" in audit["verdict"]
    assert is_cold(log, played.id)


def test_a_file_keeps_no_fingerprint_of_a_command_that_came_alone(log: Log, played: Table) -> None:
    played.send(played.gm, ADD)
    stored = inner(log).dump(played.id)
    assert stored is not None
    text, data = spell(stored)

    known = [value.partition(" ") for value in stored.keys.values()]
    kept = {int(n) for n, _, print_ in known if bytes.fromhex(print_) in data or print_.encode() in text}

    sent = {n for n, raw in enumerate(stored.commands, 1) if load_request(raw).type not in ELSEWHERE}
    assert sent
    assert not sent & kept


def test_a_file_keeps_few_snapshots(
    log: Log, place: DirectoryStorage, played: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.archiving.SNAPSHOT_EVERY", 4)
    for n in (2, 4, 6, 8):
        assert log.put_snapshot(played.id, CachedState(n, "0" * 64, "1" * 64, b"state"))
    log.put_occasions(played.id, 6, b"came")

    archiver(log, place).archive(played.id)

    assert [name.n for name in log.snapshots(played.id)] == [4, 8]
    assert [entry.n for entry in log.occasions(played.id)] == [6]


# --- bringing back ------------------------------------------------------------------------------------


def test_a_command_brings_an_idle_encounter_back(log: Log, place: DirectoryStorage, played: Table) -> None:
    archiver(log, place).archive(played.id)
    with archiving(log, place):
        played.send(played.gm, ADD)
        played.send(played.gm, ROLL)

    assert not is_cold(log, played.id)
    assert list(place.path.iterdir()) == []
    assert log.archived_totals() == ArchivedTotals(0, 0)
    assert verify(stored(log, played.id), BOTH).verdict.is_sound


def test_a_repeated_command_of_an_archived_encounter_is_the_first_one(
    log: Log, place: DirectoryStorage, played: Table
) -> None:
    key = {"Idempotency-Key": '"once"'}
    first = played.gm("POST", f"{played.at}/commands", ADD, **key)
    archiver(log, place).archive(played.id)
    with archiving(log, place):
        again = played.gm("POST", f"{played.at}/commands", ADD, **key)

    assert json.loads(again.text)["n"] == json.loads(first.text)["n"] == version(played)
    assert again.headers["Idempotency-Replayed"] == "true"


def test_while_nobody_brings_it_back_a_command_is_answered_503_and_is_nowhere(
    log: Log, place: DirectoryStorage, played: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive_log, "WAIT_S", 0.05)
    archiver(log, place).archive(played.id)

    before = version(played)
    problem = played.gm("POST", f"{played.at}/commands", ADD)

    is_problem(problem, 503, "archive-unavailable")
    assert problem.headers["Retry-After"] == "2"
    archiver(log, place).look()
    assert not is_cold(log, played.id)
    assert version(played) == before


def test_a_worker_that_stops_breaks_off_before_it_writes_or_restores(
    log: Any, place: DirectoryStorage, played: Table
) -> None:
    stopped = archiver(log, place)
    stopped.stopping.set()
    with pytest.raises(WorkerStopped):
        stopped.archive(played.id)
    assert not place.path.exists()

    archiver(log, place).archive(played.id)
    with pytest.raises(WorkerStopped):
        stopped.bring_back(played.id)
    assert is_cold(log, played.id)


@pytest.mark.parametrize(
    "spoil", [Path.unlink, lambda file: file.write_bytes(b"x")], ids=["missing", "damaged"]
)
def test_a_command_whose_file_is_lost_is_answered_at_once(
    log: Log,
    place: DirectoryStorage,
    played: Table,
    monkeypatch: pytest.MonkeyPatch,
    spoil: Callable[[Path], object],
) -> None:
    monkeypatch.setattr(archive_log, "_TICK_S", None)  # a command that waits fails
    version(played)  # the process has the state
    entry = archiver(log, place).archive(played.id)
    spoil(place.path / entry.name)

    told = is_problem(played.gm("POST", f"{played.at}/commands", ADD), 503, "archive-unavailable")
    assert told["detail"] == (
        "the file of the archived encounter is missing or damaged; the operator must restore it"
    )


def test_it_may_be_archived_again_and_again(log: Log, place: DirectoryStorage, played: Table) -> None:
    first = version(played)
    for n in (first, first + 1, first + 2):
        entry = archiver(log, place).archive(played.id)
        assert (entry.n, [file.name for file in place.path.iterdir()]) == (n, [entry.name])
        assert log.archived_totals() == ArchivedTotals(1, entry.size)
        with archiving(log, place):
            played.send(played.gm, ADD)


# --- when -----------------------------------------------------------------------------------------------


def test_what_has_been_idle_long_enough_is_archived(log: Log, place: DirectoryStorage, played: Table) -> None:
    archiver(log, place, idle_s=60, later_s=0).look()  # its first look notes what there is
    archiver(log, place, idle_s=60, later_s=50).look()
    assert not is_cold(log, played.id)

    archiver(log, place, idle_s=60, later_s=70).look()

    assert is_cold(log, played.id)
    assert log.due(IDLE, 2**53, 9) == []


def test_a_command_begins_the_idle_time_anew(log: Log, place: DirectoryStorage, played: Table) -> None:
    archiver(log, place, idle_s=60).look()
    archiver(log, place, idle_s=60, later_s=40).touched(played.id)

    archiver(log, place, idle_s=60, later_s=70).look()
    assert not is_cold(log, played.id)

    archiver(log, place, idle_s=60, later_s=110).look()
    assert is_cold(log, played.id)


def test_what_waits_for_a_decision_stays(
    log: Log, place: DirectoryStorage, played: Table, worker: Worker
) -> None:
    worker.pause()
    played.gm("POST", f"{played.at}/commands", ADD, Prefer="respond-async")

    with pytest.raises(NotArchivable):
        archiver(log, place).archive(played.id)

    assert not is_cold(log, played.id)


# --- faults ---------------------------------------------------------------------------------------------


class Broken(DirectoryStorage):
    """A directory in which one thing goes wrong."""

    def __init__(self, place: DirectoryStorage, fault: str) -> None:
        super().__init__(place.path)
        self.fault = fault

    def put(self, name: str, raw: bytes) -> None:
        if self.fault == "put":
            raise ArchiveUnavailable("planted")
        super().put(name, raw)
        if self.fault == "after put":
            raise ArchiveUnavailable("planted")

    def get(self, name: str) -> bytes:
        raw = super().get(name)
        return raw[:-1] + bytes([raw[-1] ^ 1]) if self.fault == "get" else raw


@pytest.mark.parametrize("fault", ["put", "after put", "get", "evict", "after evict"])
def test_a_fault_at_any_step_loses_nothing_and_is_made_good(
    log: Any, place: DirectoryStorage, played: Table, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    before = told(played)
    evict = inner(log).evict

    def broken(*arguments: Any) -> bool:
        if fault == "after evict":
            evict(*arguments)
        raise ArchiveUnavailable("planted")

    with monkeypatch.context() as patch:
        if "evict" in fault:
            patch.setattr(inner(log), "evict", broken)
        with pytest.raises((ArchiveUnavailable, NotArchivable)):
            archiver(log, Broken(place, fault)).archive(played.id)
    assert told(played) == before

    log.set_due(IDLE, [played.id], 0, reschedule=True)
    archiver(log, place, idle_s=60).look()

    assert is_cold(log, played.id)
    assert told(played) == before
    assert log.due(IDLE, 2**53, 9) == []


def test_what_is_played_while_it_is_archived_stays(log: Any, place: DirectoryStorage, played: Table) -> None:
    before = version(played)

    class Slow(DirectoryStorage):
        def get(self, name: str) -> bytes:
            played.send(played.gm, ADD)
            return super().get(name)

    with pytest.raises(NotArchivable):
        archiver(log, Slow(place.path)).archive(played.id)

    assert not is_cold(log, played.id)
    assert list(place.path.iterdir()) == []
    assert version(played) == before + 1


def test_of_two_workers_one_brings_it_back(log: Any, place: DirectoryStorage, played: Table) -> None:
    archiver(log, place).archive(played.id)
    one, two, before = archiver(log, place), archiver(log, place), version(played)
    restore = inner(log).restore

    def late(*arguments: Any) -> bool:
        inner(log).restore = restore  # type: ignore[method-assign]  # as it was
        two.bring_back(played.id)
        return restore(*arguments)

    inner(log).restore = late  # type: ignore[method-assign, assignment]  # once
    one.bring_back(played.id)

    assert not is_cold(log, played.id)
    assert version(played) == before


def meanwhile(
    log: Any, place: DirectoryStorage, table: Table, step: Callable[..., Any]
) -> Callable[..., Any]:
    """Return *step* with a worker that brings the table's encounter back right before it."""

    def late(*given: Any) -> Any:
        archiver(log, place).bring_back(table.id)
        return step(*given)

    return late


@pytest.mark.parametrize("step", ["find", "read_file"])
def test_what_is_brought_back_while_somebody_looks_for_it_is_found(
    log: Any, place: DirectoryStorage, played: Table, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """The store has nothing, then the archive has nothing: the store has it by now."""
    before = log.head(played.id)
    monkeypatch.setattr(archive_log, step, meanwhile(log, place, played, getattr(archive_log, step)))

    archiver(log, place).archive(played.id)
    assert log.head(played.id) == before
    archiver(log, place).archive(played.id)
    assert log.look(played.id, 0, 1)[0] == before


def test_a_command_that_meets_an_encounter_on_its_way_back_is_appended(
    log: Any, place: DirectoryStorage, played: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive_log, "find", meanwhile(log, place, played, find))
    archiver(log, place).archive(played.id)

    sent = played.send(played.gm, ADD)

    assert sent.status_code == 200, sent.text


@pytest.mark.parametrize(
    "spoil", [lambda raw: raw[:-1], lambda raw: raw[:60] + b"x" + raw[61:], lambda _: b""]
)
def test_a_damaged_file_is_never_read_as_the_record(
    log: Log, place: DirectoryStorage, played: Table, spoil: Callable[[bytes], bytes]
) -> None:
    entry = archiver(log, place).archive(played.id)
    file = place.path / entry.name
    file.write_bytes(spoil(file.read_bytes()))

    for path in ("/state?at=4", "/commits", "/bundle"):
        is_problem(played.gm("GET", played.at + path), 503, "archive-unavailable")


# --- what lies there ------------------------------------------------------------------------------------


def test_nothing_sealed_and_no_secret_can_be_read_from_the_file(
    log: Log, place: DirectoryStorage, played: Table
) -> None:
    secrets = EncounterSecrets.decrypt(played.id, log.secret(played.id) or b"", (KEY,))
    blob = log.secret(played.id) or b"-"
    whole = inner(log).dump(played.id)
    assert whole is not None
    assert any(CANARY.encode() in payload.raw for payload in whole.sealed)
    plain = unpack(played.id, pack(whole, ARCHIVE_KEYS[0]), ARCHIVE_KEYS)
    assert plain == whole
    archiver(log, place).archive(played.id)

    (file,) = place.path.iterdir()
    raw = file.read_bytes()

    hidden = [CANARY.encode(), b'"sealed"', *secrets.seeds.values(), secrets.envelope_secret]
    for each in hidden:
        assert not any(spelling in raw for spelling in spellings(each).values())
    for part in (*plain.commits, *plain.commands, *(payload.raw for payload in plain.sealed)):
        assert blob not in part  # the secret is not even inside
    assert file.stat().st_mode & 0o077 == 0
    with pytest.raises(NotAnArchive):
        unpack(played.id, raw, keys_of(Keyring.of(bytes(32))))
    with pytest.raises(NotAnArchive):
        unpack("00000000-0000-0000-0000-000000000001", raw, ARCHIVE_KEYS)


def test_a_record_that_was_tampered_with_does_not_leave_the_store(
    log: Any, place: DirectoryStorage, played: Table
) -> None:
    kept = inner(log)._encounters[played.id]  # noqa: SLF001 - planted
    kept.commands[3] = kept.commands[3].replace(b'"nonce":"', b'"nonce":"0', 1)

    with pytest.raises(NotArchivable):
        archiver(log, place).archive(played.id)

    assert not is_cold(log, played.id)


# --- erasure --------------------------------------------------------------------------------------------


def test_an_archived_encounter_is_removed_with_its_file(
    log: Log, place: DirectoryStorage, played: Table
) -> None:
    assert played.gm("DELETE", played.at).status_code == 200
    _, digest = had(played)
    archiver(log, place).archive(played.id)
    assert played.gm("POST", f"{played.at}/removal", {"bundle": digest}).status_code == 200

    keeping(log, 0, place.path, GRACE_S + 1).look()

    assert list(place.path.iterdir()) == []
    assert (inner(log).archived(played.id), inner(log).secret(played.id)) == (None, None)
    assert log.archived_totals() == ArchivedTotals(0, 0)
    is_problem(played.gm("GET", f"{played.at}/state"), 410, "encounter-removed")


def test_the_house_keeps_an_archived_encounter_no_longer_than_another(
    log: Log, place: DirectoryStorage, played: Table, fresh: Api
) -> None:
    assert played.gm("DELETE", played.at).status_code == 200
    raw, _ = had(played)
    archiver(log, place).archive(played.id)

    keeping(log, 2, place.path, 3 * 86_400).look()
    keeping(log, 2, place.path, 3 * 86_400 + GRACE_S + 1).look()

    assert [file.name for file in place.path.iterdir()] == [f"{played.id}.jsonl"]
    assert (place.path / f"{played.id}.jsonl").read_bytes() == raw
    is_problem(fresh.with_token(played.gm.token or "")("GET", f"{played.at}/state"), 410, "encounter-removed")


def test_loaded_files_have_a_bound(
    log: Any, place: DirectoryStorage, owner: Api, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive_log, "LOADED_BYTES", 1)
    tables = [Table.opened(owner) for _ in range(3)]
    assert worker.signing_memory is not None
    notary = Notary(log, worker.signing_memory, lambda: SIGNER)
    for table in tables:
        notary.sign_head(table.id)
        archiver(log, place).archive(table.id)
    other = ArchiveLog(inner(log), place, ARCHIVE_KEYS)

    for table in tables * 2:
        assert other.head(table.id) is not None
        assert len(other._loaded) == 1  # noqa: SLF001 - what is bounded


def test_metrics_tell_how_much_is_archived(
    log: Log, place: DirectoryStorage, played: Table, api: Api
) -> None:
    token, _ = api_keys.create(log, "operator", time.time(), scopes=("operator",))
    entry = archiver(log, place).archive(played.id)

    text = api.with_token(token)("GET", "/metrics").text

    assert "rewound_archived_encounters 1.0" in text
    assert f"rewound_archived_bytes {float(entry.size)}" in text


def test_an_opening_asked_for_again_is_the_archived_encounter(
    log: Any, place: DirectoryStorage, played: Table
) -> None:
    archiver(log, place).archive(played.id)

    with archiving(log, place), pytest.raises(EncounterExists):
        log.append(played.id, b"{}", scope="x", key="y", fingerprint="z", create=True)


def test_a_command_sent_on_the_loop_brings_it_back_too(
    log: Any, place: DirectoryStorage, played: Table
) -> None:
    class Direct:
        """The loop's own way to the store, past the archive."""

        async def submit(self, encounter: str, request: bytes, **options: Any) -> Submitted:
            return inner(log).submit(encounter, request, **options)

    on_loop = ArchiveLoopLog(cast("LoopLog", Direct()), log)
    options = {"scope": "x", "fingerprint": "f", "at_ms": 1, "notify_ms": 1}
    archiver(log, place).archive(played.id)
    with archiving(log, place):
        with pytest.raises(EncounterExists):
            asyncio.run(on_loop.submit(played.id, b"{}", **options, key="1", create=True))  # type: ignore[arg-type]  # as spelled
        archiver(log, place).archive(played.id)
        before = log.head(played.id).appended

        sent = asyncio.run(on_loop.submit(played.id, b"{}", **options, key="2"))  # type: ignore[arg-type]  # as spelled

    assert sent.n == before + 1
    with pytest.raises(NoSuchEncounter):
        asyncio.run(on_loop.submit("nobody", b"{}", **options, key="2"))  # type: ignore[arg-type]  # as spelled
