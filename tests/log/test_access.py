"""The users of the store that `deploy/compose.yaml` makes, on a real server: who may read what.

The API draws an encounter's secret and can never read one; a worker reads it and decides with it. The whole
service plays through both.
"""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any

import pytest
import redis
import yaml

from service.api.app import create_app
from service.audit import bundle
from service.audit.notary import Notary
from service.audit.signing_memory import RememberedHead, SigningMemory
from service.audit.verify import verify
from service.key_files import Keyring
from service.log import keys as names
from service.log.errors import NotPermitted, StoreUnavailable
from service.log.valkey import ValkeyLog
from service.log.valkey.library import LIBRARY
from service.log.valkey.queue import queue_client
from service.log.values import CachedState
from service.signals.doorbell import FOLD, RqNotifier
from service.stores import api_keys, checkpoints, webhooks
from service.stores.archive.storage import DirectoryStorage
from service.stores.backups import restoring
from service.stores.backups.capture import captured
from service.stores.backups.items import EncounterItem
from service.stores.disputes import Dispute, Disputes
from service.stores.encounter_index import GRACE_S
from service.stores.secrets import EncounterSecrets
from service.supervisor.server import binary
from service.usecases.restored import suspend
from service.usecases.services import make_services
from tests.api.client import Api, Table, is_problem
from tests.api.conftest import KEY, Worker
from tests.api.test_removal import everywhere, had
from tests.support.tiny_game import SHELF
from tests.support.tiny_table import SIGNER
from tests.support.waiting import until
from workers.queue import FoldJobThread
from workers.retention import Retention

ROOT = Path(__file__).parents[2]


def deployed(name: str) -> str:
    """Return the users of the store *name* in deployment, each with a password `<name>-word`."""
    compose = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text("utf-8"))
    service = compose["services"][name]
    acl = f"/run/secrets/{name}-users"
    assert service["command"] == ["valkey-server", f"/etc/valkey/{name}.conf", "--aclfile", acl]
    assert service["secrets"] == [f"{name}-users"]
    text = (ROOT / "deploy" / f"{name}-users.acl").read_text("utf-8").replace("@queue@", "@rewound@")
    return re.sub(r"@(\w+)@", r">\1-word", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE))


@dataclass(frozen=True)
class Store:
    """A server with the deployed users."""

    socket: Path

    def url(self, user: str) -> str:
        return f"unix://{user}:{user}-word@{self.socket}"

    def client(self, user: str) -> redis.Redis:
        return redis.Redis.from_url(self.url(user))


def ask(client: redis.Redis, *command: str | bytes | int) -> object:
    """Send *command* as it is."""
    found: Any = client
    return found.execute_command(*command)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    place = tmp_path_factory.mktemp("acl")
    address = place / "s"
    conf = [line for line in (ROOT / "deploy" / "valkey-streams.conf").read_text().splitlines() if line]
    settings = [line for line in conf if not line.startswith(("#", "dir ", "bind ", "protected-mode "))]
    (place / "streams.conf").write_text(
        "\n".join([*settings, f"dir {place}", "port 0", f"unixsocket {address}"])
    )
    looks_at_all = "user scan on >scan-word ~* +@read\n"  # in these tests alone
    (place / "streams.acl").write_text(deployed("streams") + looks_at_all)
    process = subprocess.Popen(
        [binary(), place / "streams.conf", "--aclfile", place / "streams.acl"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    try:
        _until_it_answers(Store(address), process)
        yield Store(address)
    finally:
        process.terminate()
        process.communicate()


def holding(store: Store, encounter: str) -> dict[str, bytes]:
    """Return every key that names *encounter*, or holds something that does, with all that it holds."""
    names = (encounter.encode(), encounter.replace("-", "").encode())
    found = {}
    with store.client("scan") as client:
        ask(client, "AUTH", "scan", "scan-word")
        for key in client.scan_iter():
            held = repr(_held(client, key)).encode()
            if any(name in key or name in held for name in names):
                found[key.decode()] = held
    return found


def _held(client: redis.Redis, key: bytes) -> object:
    """Return all that *key* holds, whatever its type is."""
    read = {
        b"string": ("GET", key),
        b"hash": ("HGETALL", key),
        b"set": ("SMEMBERS", key),
        b"zset": ("ZRANGE", key, 0, -1, "WITHSCORES"),
        b"list": ("LRANGE", key, 0, -1),
        b"stream": ("XRANGE", key, "-", "+"),
    }
    kind: Any = client.type(key)
    return ask(client, *read[kind])


def _until_it_answers(store: Store, process: subprocess.Popen[bytes]) -> None:
    ends = time.monotonic() + 60
    while time.monotonic() < ends:
        assert process.poll() is None, process.communicate()[0].decode()
        with socket.socket(socket.AF_UNIX) as line, suppress(OSError):
            line.connect(str(store.socket))
            return
        time.sleep(0.02)
    raise AssertionError("the store does not start")


@pytest.fixture
def worker(store: Store) -> Iterator[ValkeyLog]:
    log = ValkeyLog.connect(store.url("worker"))
    yield log
    log.close()


@pytest.fixture
def api(store: Store, worker: ValkeyLog) -> Iterator[ValkeyLog]:
    worker.ping()  # a worker was first: it brings the functions
    log = ValkeyLog.connect(store.url("api"))
    yield log
    log.close()


@pytest.fixture
def table(api: ValkeyLog, worker: ValkeyLog, tmp_path: Path) -> Iterator[Table]:
    """Give a game that is served by one user and decided by the other."""
    signing_memory = SigningMemory(tmp_path / "signing-memory.db")
    working = Worker(worker, signing_memory)
    working.start()
    host = make_services(
        api, SHELF, ring=lambda _: None, clock=time.time, keys=Keyring.of(KEY), mode="durable"
    )
    try:
        token, _ = api_keys.create(api, "tests", time.time())
        yield Table.opened(Api(create_app(host), token))
    finally:
        host.outcomes.close()
        working.stop()
        signing_memory.close()


def test_a_game_is_played_through_both_users(table: Table) -> None:
    answer = table.send(table.gm, {"type": "roll"})
    assert json.loads(answer.text)["outcome"] == "accepted", answer.text
    assert json.loads(table.send(table.ada, {"type": "choose", "number": 2}).text)["outcome"] == "accepted"
    assert json.loads(table.send(table.gm, {"type": "end_round"}).text)["outcome"] == "accepted"
    assert table.gm.get(f"{table.at}/rolls")["rolls"]
    assert table.gm.get(f"{table.at}/commits/4/explanation")
    assert table.gm.get(f"{table.at}/state")["state"]["round"] == 2


def test_the_api_cannot_read_a_secret_in_any_way(table: Table, store: Store, worker: ValkeyLog) -> None:
    name = names.secret(table.id)
    blob = worker.secret(table.id)
    assert blob is not None
    assert EncounterSecrets.decrypt(table.id, blob, (KEY,)).seeds

    client = store.client("api")
    tries = [
        ("GET", name),
        ("GETDEL", name),
        ("GETEX", name),
        ("GETRANGE", name, 0, -1),
        ("SUBSTR", name, 0, -1),
        ("MGET", name),
        ("STRLEN", name),
        ("DUMP", name),
        ("COPY", name, "collection:{x}:y"),
        ("RENAME", name, "collection:{x}:y"),
        ("SORT", "collection:{x}:y", "BY", "nosort", "GET", name),
        ("SET", name, "x", "GET"),
        ("APPEND", name, ""),
        ("EVAL", f"return redis.call('GET', '{name}')", 0),
        ("EVAL", "return redis.call('GET', KEYS[1])", 1, name),
        ("FUNCTION", "LOAD", "REPLACE", "#!lua name=x\nredis.register_function('x', function() end)"),
        ("FUNCTION", "DUMP"),
        ("ACL", "SETUSER", "api", "allkeys"),
        ("ACL", "GETUSER", "worker"),
        ("CONFIG", "SET", "dir", "/"),
        ("CONFIG", "REWRITE"),
        ("MIGRATE", "localhost", 1, name, 0, 10),
        ("MONITOR",),
        ("SYNC",),
        ("PSYNC", "?", -1),
        ("REPLICAOF", "localhost", 1),
        ("SAVE",),
        ("BGREWRITEAOF",),
        ("SHUTDOWN",),
        ("KEYS", "*"),
        ("SCAN", 0),
        ("CLIENT", "LIST"),
        ("SLOWLOG", "GET"),
        ("MEMORY", "USAGE", name),
        ("OBJECT", "FREQ", name),
        ("RESTORE", "collection:{x}:y", 0, blob),
    ]
    for command in tries:
        with pytest.raises(redis.exceptions.ResponseError) as refused:
            ask(client, *command)
        assert isinstance(refused.value, redis.exceptions.NoPermissionError), (command, refused.value)
    with pytest.raises(redis.exceptions.NoPermissionError):
        client.get(name)
    assert worker.secret(table.id) == blob
    client.close()


def test_no_function_of_the_log_gives_the_api_a_secret(table: Table, store: Store) -> None:
    """A function runs with the rights of who calls it, so naming the secret's key anywhere is refused."""
    name = names.secret(table.id)
    client = store.client("api")
    for function, keys_, arguments in (
        (f"{LIBRARY}_release", 1, ["x"]),
        (f"{LIBRARY}_hold", 1, ["x", 1000]),
        (f"{LIBRARY}_tried", 1, ["1"]),
        (f"{LIBRARY}_clean", 2, ["x"]),
        (f"{LIBRARY}_put_record", 2, ["x", "y"]),
        (f"{LIBRARY}_append", 3, ["f", "g", "h", "", "0"]),
        (f"{LIBRARY}_put_derived", 2, ["1", "1/a", "1/", "x", "99", "4"]),
    ):
        with pytest.raises(redis.exceptions.NoPermissionError):
            ask(client, "FCALL", function, keys_, *([name] * keys_), *arguments)
    client.close()


def test_the_api_cannot_write_a_commit(table: Table, store: Store) -> None:
    client = store.client("api")
    for key in ("commits", "marks", "sealed", "state"):
        with pytest.raises(redis.exceptions.NoPermissionError):
            ask(client, "XADD", names.commits(table.id).replace("commits", key), "*", "r", "x")
    client.close()


def test_the_api_reads_snapshots_and_can_write_none(table: Table, store: Store) -> None:
    """A worker that folded on from a planted state would commit what never was."""
    worker, api = ValkeyLog.connect(store.url("worker")), ValkeyLog.connect(store.url("api"))
    snapshot = CachedState(1, "0" * 64, "a" * 64, b"state")
    with closing(worker), closing(api):
        assert worker.put_snapshot(table.id, snapshot)
        assert worker.put_occasions(table.id, 1, b"came")

        assert api.snapshots(table.id) == [snapshot.name]
        assert api.snapshot(table.id, snapshot.name) == snapshot
        assert [entry.raw for entry in api.occasions(table.id)] == [b"came"]
        for write in (
            lambda: api.put_snapshot(table.id, snapshot),
            lambda: api.put_occasions(table.id, 1, b"never"),
            lambda: api.put_state(table.id, snapshot),
        ):
            with pytest.raises(NotPermitted):
                write()
        worker.forget(table.id)
        assert api.snapshots(table.id) == []


def test_a_worker_archives_and_restores_and_the_api_can_do_neither(table: Table, store: Store) -> None:
    worker, api = ValkeyLog.connect(store.url("worker")), ValkeyLog.connect(store.url("api"))
    with closing(worker), closing(api):
        whole = worker.dump(table.id)
        assert whole is not None
        before, secret = api.commits(table.id, 0, 99), worker.secret(table.id)
        moves: list[Callable[[], object]] = [
            lambda: api.evict(table.id, len(whole.commits), whole.hash, b"entry", 1),
            lambda: api.restore(whole, b""),
        ]
        for move in moves:
            with pytest.raises(NotPermitted):
                move()

        assert worker.evict(table.id, len(whole.commits), whole.hash, b"entry", 1)
        assert (api.archived(table.id), api.head(table.id)) == (b"entry", None)
        assert worker.restore(whole, b"entry")

        assert api.commits(table.id, 0, 99) == before
        assert (worker.secret(table.id), api.archived(table.id)) == (secret, None)


def test_a_backup_reads_everything_and_a_restore_writes_it(
    table: Table, store: Store, worker: ValkeyLog, tmp_path: Path
) -> None:
    log = ValkeyLog.connect(store.url("backup"))
    with closing(log):
        items = list(captured(log, DirectoryStorage(tmp_path / "archive"), frozenset()))
        found = [each for each in items if isinstance(each, EncounterItem) and each.encounter == table.id]
        secret, before = worker.secret(table.id), worker.commits(table.id, 0, 99)
        assert found[0].secret == secret
        worker.forget(table.id)
        put = restoring.put_encounters(
            log, DirectoryStorage(tmp_path / "archive"), found, lambda item: item.stored, time.time()
        )
        restoring.put_records(log, items)
        log.mark_dirty(table.id, 1)

        assert (worker.secret(table.id), worker.commits(table.id, 0, 99)) == (secret, before)
        dispute = suspend(log, table.id, put[table.id], put[table.id].epoch + 1, "ada")
        assert dispute.size == len(before)
        assert Disputes(worker).standing(table.id) == dispute
    with store.client("backup") as client:
        for command in (("CONFIG", "SET", "dir", "/"), ("ACL", "LIST"), ("FLUSHALL",), ("SHUTDOWN",)):
            with pytest.raises(redis.exceptions.NoPermissionError):
                ask(client, *command)


def test_a_worker_writes_the_public_log(worker: ValkeyLog) -> None:
    """A function runs with the rights of who calls it, so each command in it has to be allowed."""
    assert worker.append_records("public/test", 0, [("a", b"1"), ("b", b"2")])
    assert not worker.append_records("public/test", 0, [("c", b"3")])
    assert not worker.append_records("public/test", 2, [("a", b"3")])
    assert [each.id for each in worker.records("public/test")] == ["b", "a"]


def test_without_a_password_nobody_does_anything_but_ask_whether_it_lives(store: Store) -> None:
    client = redis.Redis(unix_socket_path=str(store.socket))
    assert client.ping()
    for command in (
        ("GET", "{b0001}:x:secret"),
        ("XRANGE", "{b0001}:x:commands", "-", "+"),
        ("INFO",),
        ("ACL", "LIST"),
    ):
        with pytest.raises(redis.exceptions.NoPermissionError):
            ask(client, *command)
    client.close()


def test_a_worker_reads_a_secret_and_never_changes_it(table: Table, store: Store) -> None:
    client = store.client("worker")
    secret = names.secret(table.id)
    for command in (("SET", secret, "x"), ("HSET", secret, "x", "y"), ("ZADD", secret, 1, "x")):
        with pytest.raises(redis.exceptions.NoPermissionError):
            ask(client, *command)
    client.close()


def test_forks_and_rulings_are_made_through_both_users(table: Table, worker: ValkeyLog) -> None:
    """Their dice follow from secrets that the API never reads: a fork has its own, a line its parent's.

    A line has the rolls of the path before it.
    """
    for command in ({"type": "roll"}, {"type": "add", "amount": 3}, {"type": "roll"}):
        assert table.send(table.gm, command).status_code == 200
    roll = {"type": "roll"}
    forked = table.gm("POST", f"{table.at}/forks", {"at": 5, "commands": [roll]}, Prefer="wait=10")
    assert forked.status_code == 201, forked.text
    fork = json.loads(forked.text)["encounter"]
    assert table.gm.get(f"/v1/encounters/{fork}/state?min_version=2")["state"]["counter"]
    assert worker.secret(fork) not in (None, worker.secret(table.id))

    proposed = table.gm(
        "POST", f"{table.at}/undo", {"to": 4, "reason": "no", "preview": True}, Prefer="wait=10"
    )
    assert proposed.status_code == 201, proposed.text
    amendment, line = (json.loads(proposed.text)[name] for name in ("amendment", "line"))
    version = {"version": json.loads(proposed.text)["version"]}
    accepted = table.gm("POST", f"{table.at}/amendments/{amendment}/accept", version)
    assert accepted.status_code == 200, accepted.text
    assert worker.secret(line) is None
    for at, count in ((f"/v1/encounters/{line}", 2), (f"/v1/encounters/{fork}", 2)):
        assert table.gm("POST", f"{at}/commands", roll).status_code == 200
        assert len(table.gm.get(f"{at}/rolls")["rolls"]) == count, at
        assert table.gm("POST", f"{at}/commands", {"type": "end_round"}).status_code == 200


def test_a_worker_alone_forgets_an_encounter_and_its_secret_with_it(
    table: Table, api: ValkeyLog, worker: ValkeyLog
) -> None:
    assert worker.secret(table.id) is not None
    with pytest.raises(NotPermitted):
        api.forget(table.id)
    worker.forget(table.id)
    assert (worker.secret(table.id), worker.head(table.id), worker.commits(table.id, 0, 9)) == (
        None,
        None,
        [],
    )


def test_of_a_removed_encounter_its_tombstone_is_left_and_nothing_else(
    table: Table, store: Store, worker: ValkeyLog, tmp_path: Path
) -> None:
    """Through both users: bundle, removal, deletion; then every key of the store is looked at."""
    table.send(table.gm, {"type": "add", "amount": 1})
    table.send(table.ada, {"type": "choose", "number": 2})
    table.send(table.gm, {"type": "end_round"})
    table.gm("POST", f"{table.at}/audits", {})
    assert table.gm("DELETE", table.at).status_code == 200
    signing_memory = SigningMemory(tmp_path / "signing-memory.db")
    until(
        lambda: (seen := signing_memory.seen(table.id)) and seen.size == table.gm.get(table.at)["version"],
        "signed",
    )
    before = holding(store, table.id)
    assert {of(table.id) for of in (names.commits, names.commands, names.sealed, names.secret)} <= set(before)

    owner = json.loads(worker.record("encounters", table.id) or b"")["owner"]
    found = webhooks.Webhook("w1", owner, "https://example.com/", "2026-01-01T00:00:00.000Z")
    webhooks.put(worker, found)
    for encounter in (table.id, "another"):
        webhooks.move_cursor(worker, found.id, encounter, 3)
        webhooks.put_delivery(worker, webhooks.WebhookDelivery(found.id, encounter, 3))
    elsewhere = SigningMemory(tmp_path / "elsewhere.db")
    elsewhere.remember(signing_memory.seen(table.id) or RememberedHead("", 0, b"", ""))
    checkpoints.ask(worker, table.id, 1, 0)
    until(lambda: checkpoints.asked(worker, 0, 1) == [], "an answer")
    Disputes(worker).open(Dispute(table.id, "forked", 3, "ab" * 32, 5, accepted=True))
    raw, digest = had(table)
    assert verify(bundle.read(raw), SHELF).verdict.is_sound
    assert table.gm("POST", f"{table.at}/removal", {"bundle": digest}).status_code == 200
    later = lambda: time.time() + GRACE_S + 1  # noqa: E731 - the clock of whoever deletes
    Retention(worker, SHELF, DirectoryStorage(tmp_path), 0, Event(), signing_memory.forget, later).look()

    assert worker.clean(table.id)  # as whoever folds does once it is quiet
    for who, method, target, body in everywhere(table):
        assert is_problem(who(method, target, body), 410, "encounter-removed")["removed"]["bundle"] == digest
    left = holding(store, table.id)
    tombstone = {
        *("collection:{removed}", "collection:{encounters}", f"collection:{{encounters/{owner}}}"),
        *("collection:{checkpoints}", f"collection:{{checkpoints/{table.id}}}"),
        *("schedule:{audits}", f"collection:{{audits/{table.id}}}"),
        "schedule:{public-log-pending}",  # what anybody may read in the public log
    }
    assert {key.rpartition(":")[0] for key in left} == tombstone
    for key, held in left.items():
        assert not any(played in held for played in (b"counted", b"chosen", b"choose", b"actor")), key
    assert [each.encounter for _, each in webhooks.deliveries(worker, found.id, None, 9)] == ["another"]
    assert webhooks.cursor(worker, found.id, "another") == 3
    assert (signing_memory.encounters(), elsewhere.encounters()) == ([], [table.id])
    Notary(worker, elsewhere, lambda: SIGNER).check_missing(table.id, time.time())
    assert elsewhere.encounters() == []  # another machine's forgets it at its next start
    for each in (signing_memory, elsewhere):
        each.close()


def test_an_api_that_comes_before_every_worker_says_what_to_do(store: Store) -> None:
    with store.client("worker") as client:
        ask(
            client,
            "FUNCTION",
            "LOAD",
            "REPLACE",
            f"#!lua name={LIBRARY}\nredis.register_function('q', function() end)",
        )
    try:
        with pytest.raises(StoreUnavailable, match="start a worker first") as found:
            ValkeyLog.connect(store.url("api"))
        assert "api-word" not in str(found.value)
    finally:
        ValkeyLog.connect(store.url("worker")).close()


def test_the_queues_user_may_ring_and_answer_and_nobody_else_may(tmp_path: Path) -> None:
    store, stopping, answered = Store(tmp_path / "s"), Event(), []
    (tmp_path / "queue.acl").write_text(deployed("queue"))
    settings = ("--port", "0", "--unixsocket", str(store.socket), "--dir", str(tmp_path), "--save", "")
    process = subprocess.Popen(
        [binary(), *settings, "--aclfile", tmp_path / "queue.acl"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    try:
        _until_it_answers(store, process)
        queue = queue_client(f"{store.url('rewound')}?db=0")
        answering: FoldJobThread

        def answer(bucket: int) -> None:
            answered.append(bucket)
            answering.on_signal(signal.SIGTERM, None)

        answering = FoldJobThread(queue, {FOLD: answer}, stopping)
        RqNotifier(queue).ring(3)
        answering.run()
        with redis.Redis(unix_socket_path=str(store.socket)) as anybody:
            assert anybody.ping()
            with pytest.raises(redis.exceptions.NoPermissionError):
                anybody.keys()
        for command in (("CONFIG", "GET", "*"), ("FLUSHALL",), ("SHUTDOWN",), ("ACL", "LIST")):
            with pytest.raises(redis.exceptions.NoPermissionError):
                ask(queue, *command)
        queue.close()
    finally:
        process.terminate()
        process.communicate()

    assert answered == [3]
