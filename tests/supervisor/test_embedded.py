"""The embedded server leaves nothing behind, is never doubled, and keeps what it acknowledged."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
import redis

from service.log import OutcomeUnknown, StoreUnavailable
from service.log.valkey import ValkeyLog
from service.log.valkey.loading import load_progress
from service.log.valkey.wire import Wire
from service.supervisor import DirectoryInUse, EmbeddedValkey, NotStarted
from service.supervisor.orphan import wait_out
from service.supervisor.place import prepare, take
from service.supervisor.server import Server

ROOT = Path(__file__).parents[2]

APPLICATION = """
import sys
from pathlib import Path
from service.supervisor import EmbeddedValkey
with EmbeddedValkey(Path(sys.argv[1])) as server:
    print("ready", flush=True)
    sys.stdin.read()
"""


def command_lines() -> dict[int, str]:
    """Read what runs on this machine: on Linux without `ps`, which small images lack."""
    if Path("/proc/self/cmdline").exists():
        lines = {}
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                lines[int(entry.name)] = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:  # it ended while we looked
                continue
        return lines
    listed = subprocess.run(["ps", "-axww", "-o", "pid=,args="], capture_output=True, text=True, check=True)
    return {int(pid): line for pid, line in (line.split(None, 1) for line in listed.stdout.splitlines())}


def processes(word: str, directory: Path) -> list[int]:
    """Find the processes that have both words in their command line."""
    return [pid for pid, line in command_lines().items() if word in line and str(directory) in line]


def servers(directory: Path) -> list[int]:
    return processes("valkey-server", directory)


def keepers(directory: Path) -> list[int]:
    return processes("-m service.supervisor.keeper", directory)


def becomes_true(claim: Callable[[], bool], within_s: float = 20.0) -> bool:
    ends = time.monotonic() + within_s
    while time.monotonic() < ends:
        if claim():
            return True
        time.sleep(0.02)
    return False


@pytest.fixture
def directory(tmp_path: Path) -> Iterator[Path]:
    """Give a directory to which no process may belong afterwards."""
    directory = tmp_path / "valkey"
    yield directory
    assert becomes_true(lambda: processes("", directory) == []), processes("", directory)


@dataclass
class Application:
    """Another process with an embedded server, to be killed."""

    process: subprocess.Popen[str]
    keeper: int

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def application(directory: Path) -> Iterator[Application]:
    process = subprocess.Popen(
        [sys.executable, "-c", APPLICATION, directory],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    (keeper,) = keepers(directory)
    with process:
        yield Application(process, keeper)


def write(url: str, encounter: str = "e1", count: int = 20) -> None:
    log = ValkeyLog.connect(url)
    for i in range(count):
        log.append(encounter, b"x", scope="s", key=f"{i}", fingerprint="f", create=i == 0)
    log.close()


def written(url: str, encounter: str = "e1") -> list[int]:
    log = ValkeyLog.connect(url)
    try:
        return [entry.n for entry in log.commands(encounter, 0, 100_000)]
    finally:
        log.close()


def test_a_stop_leaves_the_data_and_nothing_else(directory: Path) -> None:
    with EmbeddedValkey(directory) as server:
        write(server.url)
        assert len(servers(directory)) == 1
        socket = directory / "valkey.sock"
        assert socket.exists()

    assert processes("", directory) == []
    assert not socket.exists()
    with EmbeddedValkey(directory) as server:
        assert written(server.url) == list(range(1, 21))


def test_the_directory_is_for_its_owner_alone(directory: Path) -> None:
    directory.mkdir(mode=0o755)

    with EmbeddedValkey(directory):
        assert directory.stat().st_mode & 0o777 == 0o700


def test_the_server_listens_on_its_socket_alone_and_is_durable(directory: Path) -> None:
    with EmbeddedValkey(directory) as server:
        with redis.Redis.from_url(server.url) as client:
            assert client.config_get("port") == {b"port": b"0"} or client.config_get("port") == {"port": "0"}
        log = ValkeyLog.connect(server.url)
        log.check_durable()
        log.close()


def test_the_queue_is_a_database_of_its_own(directory: Path) -> None:
    with EmbeddedValkey(directory) as server:
        write(server.url)
        with redis.Redis.from_url(server.queue_url) as client:
            client.flushdb()
        assert len(written(server.url)) == 20


def test_a_second_start_is_refused_and_names_the_first(directory: Path, application: Application) -> None:
    with pytest.raises(DirectoryInUse, match=rf"{directory} is in use by process {application.process.pid}"):
        EmbeddedValkey(directory).start()

    assert len(servers(directory)) == 1


def test_ctrl_c_reaches_the_application_alone(directory: Path, application: Application) -> None:
    assert os.getpgid(application.keeper) != os.getpgid(application.process.pid)


def test_an_application_that_is_killed_takes_its_server_with_it(
    directory: Path, application: Application
) -> None:
    application.kill()

    assert becomes_true(lambda: processes("", directory) == [])


def test_a_start_right_after_the_kill_waits_for_the_old_server(
    directory: Path, application: Application
) -> None:
    url = EmbeddedValkey(directory).url
    write(url)
    application.kill()

    with EmbeddedValkey(directory) as server:
        assert len(servers(directory)) == 1
        assert written(server.url) == list(range(1, 21))


def orphan(directory: Path) -> Server:
    """Start a server as one that nobody keeps: its keeper was killed, and the kernel did not see to it."""
    place = prepare(directory)
    lock = take(place.server_lock)
    assert lock is not None
    server = Server(place, lock)
    assert becomes_true(lambda: _answers(place.url()))
    return server


def test_an_orphan_is_waited_out_and_its_data_are_there(directory: Path) -> None:
    left = orphan(directory)
    write(EmbeddedValkey(directory).url)

    with EmbeddedValkey(directory) as server:
        assert left.ended() == 0
        assert len(servers(directory)) == 1
        assert written(server.url) == list(range(1, 21))


def test_an_orphan_without_its_socket_is_still_not_doubled(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.supervisor.orphan.PATIENCE_S", 0.3)
    left = orphan(directory)
    (directory / "valkey.sock").unlink()

    with pytest.raises(NotStarted, match="does not end"):
        wait_out(prepare(directory))

    assert servers(directory) == [left.pid]
    left.stop()


def test_a_keeper_that_is_killed_is_started_again_with_its_server(directory: Path) -> None:
    with EmbeddedValkey(directory) as server:
        write(server.url)
        [keeper], [first] = keepers(directory), servers(directory)

        os.kill(keeper, signal.SIGKILL)

        assert becomes_true(lambda: keepers(directory) not in ([], [keeper]))
        assert becomes_true(lambda: servers(directory) not in ([], [first]))
        assert becomes_true(lambda: _answers(server.url))
        assert written(server.url) == list(range(1, 21))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere the next start ends the orphan")
def test_a_keeper_and_an_application_that_are_killed_at_once_leave_nothing_behind(
    directory: Path, application: Application
) -> None:
    os.kill(application.process.pid, signal.SIGSTOP)  # so that it starts nothing in between
    os.kill(application.keeper, signal.SIGKILL)
    application.kill()

    assert becomes_true(lambda: processes("", directory) == [])


def test_a_server_that_is_killed_comes_back_with_all_it_acknowledged(directory: Path) -> None:
    with EmbeddedValkey(directory) as server:
        log = ValkeyLog.connect(server.url)
        log.append("e1", b"x", scope="s", key="0", fingerprint="f", create=True)
        acknowledged, unknown = 1, 0
        for kill in range(3):
            (victim,) = servers(directory)
            for i in range(200):
                try:
                    log.append("e1", b"x", scope=f"s{kill}", key=f"{i}", fingerprint="f")
                    acknowledged += 1
                except OutcomeUnknown:
                    unknown += 1
                except StoreUnavailable:
                    assert becomes_true(lambda: _answers(server.url))
                if i == 100:
                    os.kill(victim, signal.SIGKILL)
            assert becomes_true(lambda: _answers(server.url))

        entries = log.commands("e1", 0, 10_000)
        log.close()

    assert [entry.n for entry in entries] == list(range(1, len(entries) + 1))
    assert acknowledged <= len(entries) <= acknowledged + unknown


def _answers(url: str) -> bool:
    try:
        with closing(Wire(url)) as wire:
            return load_progress(wire) is None
    except StoreUnavailable:
        return False


def test_a_path_too_long_for_a_socket_gets_a_short_one(tmp_path: Path) -> None:
    directory = tmp_path / ("long" * 30)

    with EmbeddedValkey(directory) as server:
        assert len(server.url) <= len("unix://?db=0") + 100
        assert server.url == EmbeddedValkey(directory).url
        assert server.url != EmbeddedValkey(tmp_path / ("else" * 30)).url
        write(server.url)

    assert processes("", directory) == []


def test_a_name_with_spaces_and_signs_is_a_name(tmp_path: Path) -> None:
    directory = tmp_path / "Ada's fights? 100%"

    with EmbeddedValkey(directory) as server:
        write(server.url)


def test_a_server_that_cannot_start_says_why(directory: Path) -> None:
    (directory / "appendonlydir").mkdir(parents=True)
    (directory / "appendonlydir" / "appendonly.aof.manifest").write_text("not a manifest\n")

    with pytest.raises(NotStarted, match=r"(?i)manifest"):
        EmbeddedValkey(directory).start()


@pytest.mark.parametrize(("memory_mb", "least"), [(64, 64_000_000), (0, 100_000_000)])
def test_the_server_has_a_limit_of_memory(tmp_path: Path, memory_mb: int, least: int) -> None:
    with (
        EmbeddedValkey(tmp_path / "store", memory_mb=memory_mb) as server,
        closing(ValkeyLog.connect(server.url)) as log,
    ):
        memory = log.memory()

    assert 0 < memory.used < memory.limit
    assert memory.limit >= least
    assert memory_mb == 0 or memory.limit < 2 * least
