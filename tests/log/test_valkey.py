"""What the server's log does when the server, its memory or the line to it gives out."""

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
import redis

from service.log import (
    Appended,
    KnownKey,
    NotDurable,
    NotPermitted,
    OtherFormat,
    OutcomeUnknown,
    StoreFull,
    StoreUnavailable,
    keys,
)
from service.log.valkey import ValkeyLog, durable
from service.log.valkey.library import LIBRARY, code, install
from service.log.valkey.wire import Wire
from service.supervisor import EmbeddedValkey


def opening(log: ValkeyLog) -> Appended:
    return log.append("e1", b"x", scope="gm", key="open", fingerprint="f", create=True)


@pytest.fixture
def client(streams_url: str) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(streams_url) as client:
        yield client


# --- the line -----------------------------------------------------------------------------------------


class Relay:
    """A line to the server that passes requests on and can lose the answers; counts connections."""

    def __init__(self, directory: Path, server: str) -> None:
        self.path = directory / "relay.sock"
        self.loses_answers = False
        self.connections = 0
        self._server = server
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(str(self.path))
        self._listening.listen()
        self._open: list[socket.socket] = [self._listening]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        for line in self._open:
            line.close()

    def cut(self) -> None:
        """Cut every line that stands."""
        for line in self._open[1:]:
            line.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listening.accept()
            except OSError:
                return
            self.connections += 1
            far = socket.socket(socket.AF_UNIX)
            far.connect(self._server)
            self._open += [near, far]
            threading.Thread(target=self._pass, args=(near, far, lambda: False), daemon=True).start()
            threading.Thread(
                target=self._pass, args=(far, near, lambda: self.loses_answers), daemon=True
            ).start()

    @staticmethod
    def _pass(source: socket.socket, target: socket.socket, loses: Callable[[], bool]) -> None:
        try:
            while data := source.recv(65536):
                if not loses():
                    target.sendall(data)
            target.shutdown(socket.SHUT_RDWR)
        except OSError:
            return


@pytest.fixture
def relay(valkey: EmbeddedValkey, streams: ValkeyLog, tmp_path: Path) -> Iterator[Relay]:
    relay = Relay(tmp_path, str(valkey.directory / "valkey.sock"))
    yield relay
    relay.close()


def test_a_lost_answer_is_unknown_is_not_sent_again_and_is_settled_by_its_key(
    streams: ValkeyLog, relay: Relay
) -> None:
    distant = ValkeyLog.connect(f"unix://{relay.path}", answer_s=1.5)
    relay.loses_answers = True

    with pytest.raises(OutcomeUnknown):
        opening(distant)

    assert len(streams.commands("e1", 0, 10)) == 1
    assert relay.connections == 1
    relay.loses_answers = False
    assert distant.find_key("e1", "gm", "open") == KnownKey(1, "f")
    assert opening(distant) == Appended(1, replayed=True)
    distant.close()


def test_a_lost_answer_to_a_question_is_no_unknown_change(streams: ValkeyLog, relay: Relay) -> None:
    distant = ValkeyLog.connect(f"unix://{relay.path}", answer_s=1.5)
    relay.loses_answers = True

    with pytest.raises(StoreUnavailable):
        distant.head("e1")
    distant.close()


def test_a_line_that_was_cut_while_idle_is_opened_again(streams: ValkeyLog, relay: Relay) -> None:
    distant = ValkeyLog.connect(f"unix://{relay.path}", answer_s=30)
    relay.cut()

    assert opening(distant).n == 1
    distant.close()


def test_a_listener_that_lost_its_line_says_so(streams: ValkeyLog, relay: Relay) -> None:
    distant = ValkeyLog.connect(f"unix://{relay.path}", answer_s=30)
    with distant.listen_outcomes() as outcomes:
        relay.cut()

        with pytest.raises(StoreUnavailable):
            outcomes.get(30)
    distant.close()


def test_a_listener_whose_log_is_closed_says_so(streams_url: str) -> None:
    log = ValkeyLog.connect(streams_url)
    with log.listen_outcomes() as outcomes:
        log.close()

        with pytest.raises(StoreUnavailable, match="were closed"):
            outcomes.get(0)
    log.close()


def test_a_listener_that_waits_when_its_log_is_closed_says_so(streams_url: str) -> None:
    log = ValkeyLog.connect(streams_url)
    with log.listen_outcomes() as outcomes:
        threading.Timer(0.1, log.close).start()

        with pytest.raises(StoreUnavailable, match="were closed"):
            outcomes.get(60)


def test_a_server_that_is_not_there_is_unavailable(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable):
        ValkeyLog.connect(f"unix://{tmp_path}/nobody.sock")


def test_a_server_that_was_away_for_long_is_reached_again(valkey: EmbeddedValkey, tmp_path: Path) -> None:
    path = tmp_path / "later.sock"
    wire = Wire(f"unix://{path}")
    for _ in range(1_200):
        with pytest.raises(StoreUnavailable):
            wire.read("PING")
    path.symlink_to(valkey.directory / "valkey.sock")

    with closing(wire):
        assert wire.read("PING") == b"PONG"


# --- memory -------------------------------------------------------------------------------------------


def test_out_of_memory_refuses_before_the_first_write(streams: ValkeyLog, client: redis.Redis) -> None:
    opening(streams)
    before = {key: client.dump(key) for key in client.scan_iter()}
    client.config_set("maxmemory", "1mb")
    try:
        with pytest.raises(StoreFull):
            streams.append("e1", b"y", scope="gm", key="k2", fingerprint="f")
        assert streams.find_key("e1", "gm", "k2") is None
    finally:
        client.config_set("maxmemory", "0")

    assert {key: client.dump(key) for key in client.scan_iter()} == before
    assert streams.append("e1", b"y", scope="gm", key="k2", fingerprint="f").n == 2


# --- the functions ------------------------------------------------------------------------------------


def test_a_library_of_the_same_number_with_other_code_is_replaced(
    streams: ValkeyLog, streams_url: str, client: redis.Redis
) -> None:
    client.function_load(code() + "\n-- edited\n", replace=True)
    wire = Wire(streams_url)

    install(wire)

    assert code().encode() in client.function_list(LIBRARY, withcode=True)[0]
    wire.close()


def test_a_library_of_another_number_is_left_alone(
    streams: ValkeyLog, streams_url: str, client: redis.Redis
) -> None:
    client.function_load(code().replace(LIBRARY, "rewound_0"), replace=True)

    ValkeyLog.connect(streams_url).close()

    assert len(client.function_list("rewound_0")) == 1
    client.function_delete("rewound_0")


@pytest.mark.parametrize(
    ("key", "found"),
    [("side:{keys}:records", "keys in an unnamed format"), (keys.FORMAT, "in the format x")],
)
def test_a_store_of_another_format_is_refused_and_left_as_it_is(
    streams_url: str, client: redis.Redis, key: str, found: str
) -> None:
    client.flushall()
    client.set(key, "x")

    before = len(client.client_list())

    with pytest.raises(OtherFormat, match=found):
        ValkeyLog.connect(streams_url)

    assert list(client.scan_iter()) == [key.encode()]
    ends = time.monotonic() + 10
    while len(client.client_list()) > before:  # the server hears of it a moment later
        assert time.monotonic() < ends, "what is refused keeps no connection"


def test_functions_that_a_server_lost_are_installed_again(streams: ValkeyLog, client: redis.Redis) -> None:
    client.function_flush()

    assert opening(streams).n == 1

    client.function_delete(LIBRARY)
    assert streams.hold_leases(["sweep"], "w", 1_000) == [True]


def test_a_server_that_lost_the_functions_for_a_user_who_may_not_install_them_is_unavailable(
    streams: ValkeyLog, client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.function_delete(LIBRARY)

    def refuse(_wire: Wire) -> None:
        raise NotPermitted

    monkeypatch.setattr(streams._wire, "prepare", refuse)  # noqa: SLF001 - the log's own step
    with pytest.raises(StoreUnavailable, match="lost the log's functions"):
        opening(streams)


def test_any_number_of_processes_may_start_at_once(streams_url: str, client: redis.Redis) -> None:
    client.function_flush()
    program = (
        "import sys; from service.log.valkey import ValkeyLog; sys.stdin.read(1);"
        f"log = ValkeyLog.connect({streams_url!r}); log.ping();"
        "log.append('e' + sys.argv[1], b'x', scope='s', key='k', fingerprint='f', create=True)"
    )
    root = Path(__file__).parents[2]
    starters = [
        subprocess.Popen([sys.executable, "-c", program, str(i)], stdin=subprocess.PIPE, cwd=root)
        for i in range(4)
    ]
    for starter in starters:
        starter.communicate(b"!", timeout=60)

    assert [starter.returncode for starter in starters] == [0] * 4
    assert client.exists(*(keys.head(f"e{i}") for i in range(4))) == 4


# --- settings -----------------------------------------------------------------------------------------


def test_the_embedded_server_is_durable(streams: ValkeyLog) -> None:
    streams.check_durable()


@pytest.mark.parametrize(
    ("setting", "value", "good"),
    [
        ("appendonly", "no", "yes"),
        ("appendfsync", "everysec", "always"),
        ("no-appendfsync-on-rewrite", "yes", "no"),
        ("maxmemory-policy", "allkeys-lru", "noeviction"),
    ],
)
def test_each_setting_that_could_lose_a_command_is_named_with_its_mending(
    streams: ValkeyLog, client: redis.Redis, setting: str, value: str, good: str
) -> None:
    client.config_set(setting, value)
    try:
        with pytest.raises(NotDurable) as refused:
            streams.check_durable()
    finally:
        client.config_set(setting, good)

    (fault,) = refused.value.faults
    assert f"{setting} is {value}" in fault
    assert f"CONFIG SET {setting} {good}" in fault


def test_a_replica_is_refused_however_writable_it_is(streams: ValkeyLog, client: redis.Redis) -> None:
    client.replicaof("127.0.0.1", 1)
    client.config_set("replica-read-only", "no")
    try:
        with pytest.raises(NotDurable, match=r"it is a replica of 127\.0\.0\.1:1"):
            streams.check_durable()
    finally:
        client.config_set("replica-read-only", "yes")
        client.replicaof("NO", "ONE")
    streams.check_durable()


@pytest.mark.parametrize(
    ("followers", "fault"),
    [
        ({"127.0.0.1:7": []}, None),
        ({"127.0.0.1:7": ["appendfsync is everysec"]}, "appendfsync is everysec"),
        ({"127.0.0.1:7": [], "127.0.0.1:8": StoreUnavailable("no route")}, "cannot be asked"),
    ],
    ids=["on disk", "not on disk", "not reached"],
)
def test_every_replica_that_may_confirm_is_on_its_disk(
    streams: ValkeyLog,
    monkeypatch: pytest.MonkeyPatch,
    followers: dict[str, list[str] | Exception],
    fault: str | None,
) -> None:
    router = streams._wire  # noqa: SLF001 - the log's own line
    lines = [
        f"slave{i}:ip={address.partition(':')[0]},port={address.partition(':')[2]},state=online,offset=1"
        for i, address in enumerate(followers)
    ]
    info = "\r\n".join(["role:master", *lines]).encode()
    (primary,) = router.primaries()
    read = primary.read

    def answers(*command: str) -> object:
        return info if command == ("INFO", "replication") else read(*command)

    def faults(wire: Wire) -> list[str]:
        found = followers.get(wire.url.removeprefix("redis://"), [])
        if isinstance(found, Exception):
            raise found
        return found

    monkeypatch.setattr(router, "wanted_replicas", 1)
    monkeypatch.setattr(primary, "read", answers)
    monkeypatch.setattr(router, "_url_of", lambda address: f"redis://{address}")
    monkeypatch.setattr(durable, "_faults", faults)

    if fault is None:
        streams.check_durable()
    else:
        with pytest.raises(NotDurable, match=fault):
            streams.check_durable()
