"""Start and stop `rewound serve` as its operator does: real processes, and nothing of them left behind."""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any, Final

import pytest
import requests

from service.cli.client import connect, not_ready
from service.cli.demo import STOPPED as DEMO_STOPPED
from service.cli.local_service import LocalService, reserved_port
from service.cli.serve import Demo, show
from service.settings import Settings
from service.supervisor.place import take
from tests.cli.fights import Service, played
from tests.support.waiting import until

ROOT = Path(__file__).parents[2]
PATIENCE_S = 60.0
COMMAND = (sys.executable, "-c", "from service.cli import main; main(prog_name='rewound')")

pytestmark = pytest.mark.slow


class Served:
    """One `rewound serve`, and what it printed."""

    def __init__(
        self,
        home: Path,
        *arguments: str,
        command: str = "serve",
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.home = home
        self.out = home.with_suffix(".out")
        level = {} if "--demo" in arguments else {"REWOUND_LOG_LEVEL": "error"}
        with self.out.open("wb") as out:
            self.process = subprocess.Popen(
                [*COMMAND, command, *arguments],
                cwd=ROOT,
                env={**os.environ, "REWOUND_DATA_DIR": str(home), **level, **(environment or {})},
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    @property
    def printed(self) -> str:
        return self.out.read_text("utf-8")

    def until(self, holds: Callable[[], object]) -> None:
        """Wait until *holds* does; fails with what was printed."""
        until(holds, lambda: self.printed, PATIENCE_S, every_s=0.05)

    def wait_for(self, text: str) -> str:
        """Return what was printed once *text* is in it."""
        self.until(lambda: text in self.printed or self.process.poll() is not None)
        assert text in self.printed, self.printed
        return self.printed

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Ask it to stop; its exit status."""
        self.process.send_signal(number)
        return self.process.wait(PATIENCE_S)

    def processes(self) -> list[int]:
        """Return every process that was started for this data directory and still runs."""
        wanted = f"REWOUND_DATA_DIR={self.home}".encode()
        store = str(self.home / "valkey").encode()
        found = []
        for entry in Path("/proc").iterdir():
            if not entry.name.isdecimal() or int(entry.name) == os.getpid():
                continue
            try:
                environment = (entry / "environ").read_bytes().split(b"\0")
                line = (entry / "cmdline").read_bytes()
                status = (entry / "stat").read_text().rpartition(") ")[2][0]
            except OSError:  # it has just ended, or is not ours to look at
                continue
            if (wanted in environment or store in line) and status != "Z":
                found.append(int(entry.name))
        return sorted(found)


@pytest.fixture
def ports() -> Iterator[Iterator[str]]:
    """Give free ports, each held for this test."""
    with ExitStack() as held:
        yield (str(held.enter_context(reserved_port("127.0.0.1"))) for _ in count())


@pytest.fixture
def port(ports: Iterator[str]) -> str:
    return next(ports)


@pytest.fixture
def start(tmp_path: Path, ports: Iterator[str]) -> Iterator[Callable[..., Served]]:
    """Give what starts a service, on a port of its own unless one is given."""
    started: list[Served] = []

    def begin(
        *arguments: str,
        home: str = "data",
        command: str = "serve",
        environment: Mapping[str, str] | None = None,
    ) -> Served:
        has_port = "--port" in arguments or command != "serve"
        given = () if has_port else ("--port", next(ports))
        started.append(Served(tmp_path / home, *arguments, *given, command=command, environment=environment))
        return started[-1]

    yield begin
    for served in started:
        if served.process.poll() is None:
            served.process.kill()
            served.process.wait()
    for served in started:
        served.until(lambda served=served: not served.processes())  # type: ignore[misc]  # bound now


LAST: Final = "#key=rw_"
"""The end of what the demo prints."""


def key_of(printed: str) -> str:
    found = re.search(r"API key: (rw_\S+)", printed)
    assert found is not None, printed
    return found[1]


def typed(line: str) -> Any:
    """Type a line that was printed into a shell; return the JSON that it prints."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", f"set -euo pipefail\n{line}"],
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE_S,
    )
    return json.loads(done.stdout)


def curls(printed: str) -> list[str]:
    return [line.strip() for line in printed.splitlines() if line.strip().startswith("curl ")]


def test_the_demo_is_played_once_its_curl_lines_work_and_a_second_start_finds_it(
    start: Callable[..., Served], port: str
) -> None:
    first = start("--demo", "--port", port)
    printed = first.wait_for(LAST)

    assert '"event": ' not in printed, "log lines drown what is printed"
    state, why, audits = (typed(line) for line in curls(printed))
    assert state["state"]["creatures"]["pia"]["hp"] <= 40
    assert why["rolls"][0]["derivation"]["disclosed"] is True
    assert f"Commit {why['n']}: its dice" in printed
    assert [each["verdict"] for each in audits["audits"]] == ["valid_to_epoch(1)"]

    assert first.stop() == 0
    second = start("--demo", "--port", port)
    again = second.wait_for(LAST)

    assert key_of(again) == key_of(printed)
    assert curls(again) == curls(printed)
    assert typed(curls(again)[0]) == state
    page = again.rstrip().splitlines()[-1].strip()
    assert page.endswith(f"/encounters/{state['line']}#key={key_of(again)}")
    assert requests.get(page, timeout=30).headers["Content-Type"] == "text/html; charset=utf-8"


def test_a_sample_fight_that_was_undone_is_shown_like_any_other(
    running: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    table = played(running, "s002", seeded=True).gm
    table.undo(to=3)
    assert not list(table.rolls())
    show(running.station, Demo(running.key, table.encounter))
    _, why, _ = curls(printed := capsys.readouterr().out)
    assert "Commit 1: the rules that decided it" in printed
    assert typed(why)["n"] == 1


@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.overnight)])
def test_stopping_leaves_no_process_socket_or_lock_behind(start: Callable[..., Served], number: int) -> None:
    served = start("--workers", "2")
    served.wait_for("Rewound serves")
    assert len(served.processes()) >= 5, "itself, the API and its process, two workers, the store"

    assert served.stop(number) == 0

    assert served.processes() == []
    assert list(served.home.rglob("*.sock")) == []
    for name in ("supervisor.lock", "server.lock"):
        lock = take(served.home / "valkey" / name)
        assert lock is not None, f"{name} is still held"
        os.close(lock)


def test_a_killed_service_takes_its_processes_with_it(start: Callable[..., Served]) -> None:
    served = start()
    served.wait_for("Rewound serves")

    served.stop(signal.SIGKILL)

    served.until(lambda: not served.processes())


KILLED: Final[dict[str, tuple[bytes, bool]]] = {
    "keeper": (b"service.supervisor.keeper", False),
    "store": (b"valkey-server", False),
    "API": (b"gunicorn", False),
    "API process": (b"gunicorn", True),
    "worker": (b"workers\0", False),
}
"""What is killed: a word of its command line, and whether it is a child of the one that has the word too."""


@pytest.mark.parametrize(
    "what",
    [
        pytest.param(each, marks=() if each in {"store", "API process"} else pytest.mark.overnight)
        for each in KILLED
    ],
)
def test_whatever_is_killed_comes_back_by_itself(start: Callable[..., Served], port: str, what: str) -> None:
    served = start("--port", port)
    served.wait_for("Rewound serves")
    before = _found(served, what)

    for pid in before:
        os.kill(pid, signal.SIGKILL)

    served.until(lambda: (now := _found(served, what)) and not set(now) & set(before))
    served.until(lambda: _is_ready(int(port)))
    assert served.stop() == 0
    assert served.processes() == []
    assert "Address already in use" not in served.printed


@pytest.mark.overnight
def test_a_service_that_was_killed_starts_again_at_once_on_its_port(
    start: Callable[..., Served], port: str
) -> None:
    first = start("--port", port)
    first.wait_for("Rewound serves")
    with socket.create_connection(("127.0.0.1", int(port))) as client:  # somebody in the middle of a request
        client.sendall(b"GET /livez HTTP/1.1\r\nHost: here\r\n")

        first.stop(signal.SIGKILL)
        second = start("--port", port)

        second.wait_for("Rewound serves")
        assert not set(first.processes()) - set(second.processes())


@pytest.mark.overnight
def test_every_line_of_its_log_is_one_json_object_whoever_writes_it(
    start: Callable[..., Served], port: str
) -> None:
    served = start("--port", port, environment={"REWOUND_LOG_LEVEL": "info", "REWOUND_API_WORKERS": "1"})
    served.wait_for("Rewound serves")
    for what in ("worker", "API process"):
        before = _found(served, what)
        for pid in before:
            os.kill(pid, signal.SIGKILL)
        served.until(lambda: (now := _found(served, what)) and not set(now) & set(before))  # noqa: B023 - it ends before the next
        served.until(lambda: _is_ready(int(port)))
    assert served.stop() == 0

    lines = [json.loads(line) for line in served.printed.splitlines() if "Rewound serves" not in line]
    writers = {line.get("logger") or line["event"] for line in lines}
    assert {"gunicorn.error", "service.note", "worker.started", "http.answered"} <= writers
    assert all({"event", "level", "timestamp"} <= line.keys() for line in lines)


def test_without_workers_it_makes_no_key_that_signs(tmp_path: Path, streams_url: str, queue_url: str) -> None:
    data = tmp_path / "data"
    settings = Settings(
        streams_url=streams_url,
        queue_url=queue_url,
        data_dir=data,
        workers=0,
        key_file=data / "secret.key",
        signing_key_file=data / "signing.key",
    )
    with reserved_port("127.0.0.1") as port, LocalService(replace(settings, port=port), print):
        assert (data / "secret.key").exists()
        assert not (data / "signing.key").exists()


MOMENTS: Final[Mapping[str, Callable[[Served], object]]] = {
    "its first process": lambda served: _children(served.process.pid),
    "a worker": lambda served: _children_with(served, b"workers"),
    "the API": lambda served: _children_with(served, b"gunicorn"),
}
"""When somebody asks it to stop, by what runs then."""
STOPS: Final[Mapping[str, tuple[str, int]]] = {
    "serve": ("stopped before it was ready; nothing was lost", 0),
    "demo": (DEMO_STOPPED, 130),
}
"""What a start that was stopped ends with: a line, and a status."""


@pytest.mark.parametrize(
    ("command", "moment"),
    [
        pytest.param(command, moment, marks=() if command == "serve" else pytest.mark.overnight)
        for command in STOPS
        for moment in MOMENTS
    ],
)
def test_ctrl_c_while_it_starts_ends_it_with_one_line(
    start: Callable[..., Served], command: str, moment: str
) -> None:
    _stopped_at_once(start(command=command), command, moment)


@pytest.mark.parametrize("command", STOPS)
def test_ctrl_c_counts_where_a_shell_has_told_it_to_ignore_it(
    start: Callable[..., Served], command: str
) -> None:
    """A shell without job control starts what runs in the background so."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        served = start(command=command)
    finally:
        signal.signal(signal.SIGINT, before)
    _stopped_at_once(served, command, "its first process")


def _stopped_at_once(served: Served, command: str, moment: str) -> None:
    """Stop what starts at a moment; it ends with one line and leaves no process."""
    served.until(lambda: MOMENTS[moment](served))
    started = _children(served.process.pid)

    status = served.stop(signal.SIGINT)

    line, expected = STOPS[command]
    last = served.printed.splitlines(keepends=True)[-1]
    assert (json.loads(last)["text"] if command == "serve" else last) == line
    assert "Traceback" not in served.printed
    assert status == expected
    assert not [pid for pid in started if _parent(pid)]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.overnight
def test_the_demo_is_stopped_in_the_middle_of_its_fight(start: Callable[..., Served], number: int) -> None:
    served = start(command="demo")
    served.wait_for("a service of its own runs at")
    started = _children(served.process.pid)

    assert served.stop(number) == 130

    assert served.printed.endswith(DEMO_STOPPED)
    assert "Traceback" not in served.printed
    assert not [pid for pid in started if _parent(pid)]


@pytest.mark.overnight
def test_metrics_lie_where_a_full_data_disk_cannot_hurt(start: Callable[..., Served]) -> None:
    served = start()
    served.wait_for("Rewound serves")
    [master, *api] = [pid for pid in served.processes() if b"\0gunicorn\0" in _line(pid)]
    environment = dict(
        entry.split(b"=", 1) for entry in Path(f"/proc/{master}/environ").read_bytes().split(b"\0") if entry
    )
    directory = Path(os.fsdecode(environment[b"PROMETHEUS_MULTIPROC_DIR"]))

    assert list(directory.glob("*.db"))
    assert directory.stat().st_mode & 0o777 == 0o700
    assert not [
        line for pid in (master, *api) for line in _mapped(pid) if os.fsencode(served.home) in line
    ], "a file with the data is mapped into memory"
    assert served.stop() == 0
    assert not directory.exists()


@pytest.mark.overnight
def test_the_data_directory_and_what_is_in_it_is_for_its_owner_alone(start: Callable[..., Served]) -> None:
    served = start("--demo")
    served.wait_for("An audit, which decides")
    served.until(Path(served.home / "signing-memory.db-wal").exists)

    modes = {path: path.stat().st_mode & 0o077 for path in (served.home, *served.home.glob("*"))}

    assert {path for path, others in modes.items() if others} == set()


def test_api_processes_and_workers_have_a_bound_of_memory(start: Callable[..., Served], port: str) -> None:
    served = start("--port", port, environment={"REWOUND_PROCESS_MB": "1500", "REWOUND_API_WORKERS": "1"})
    served.wait_for("Rewound serves")

    def bounds(word: bytes) -> set[int]:
        pids = [pid for pid in served.processes() if word in _line(pid)]
        working = [pid for pid in pids if _threads(pid) > FORKING]
        return {resource.prlimit(pid, resource.RLIMIT_DATA)[0] for pid in working}

    for word in (b"gunicorn", b"workers\0"):  # those beside them may begin later
        served.until(lambda word=word: bounds(word) == {1_500 << 20})  # type: ignore[misc]  # it is called at once


def _found(served: Served, what: str) -> list[int]:
    word, is_forked = KILLED[what]
    pids = [pid for pid in served.processes() if word in _line(pid)]
    forked = [pid for pid in pids if _parent(pid) in pids]
    return forked if is_forked else [pid for pid in pids if pid not in forked]


FORKING: Final = 2
"""The most threads of a process that only forks others: its own, and one that waits for its parent's end."""


def _threads(pid: int) -> int:
    """Return how many threads a process has."""
    try:
        return len(list(Path(f"/proc/{pid}/task").iterdir()))
    except OSError:
        return 0


def _parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()[1])
    except OSError:
        return 0


def _mapped(pid: int) -> list[bytes]:
    try:
        return [line for line in Path(f"/proc/{pid}/maps").read_bytes().splitlines() if b" rw-s " in line]
    except OSError:
        return []


def _is_ready(port: int) -> bool:
    return not_ready(f"http://127.0.0.1:{port}") is None


def _children(parent: int) -> list[int]:
    return [
        int(entry.name)
        for entry in Path("/proc").iterdir()
        if entry.name.isdecimal() and _parent(int(entry.name)) == parent
    ]


def _children_with(served: Served, word: bytes) -> list[int]:
    """Return the children that have *word* in their command lines."""
    return [pid for pid in _children(served.process.pid) if word in _line(pid)]


def _line(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def test_a_port_that_was_given_and_is_in_use_is_told(start: Callable[..., Served]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        served = start("--port", str(port))

        assert served.process.wait(PATIENCE_S) == 1
    assert f"127.0.0.1:{port} is in use" in served.printed


def test_a_port_that_is_held_is_given_to_nobody_else_and_may_be_listened_on() -> None:
    with reserved_port("127.0.0.1") as port:
        others = set()
        for _ in range(2_000):
            with reserved_port("127.0.0.1") as other:
                others.add(other)
        with (
            socket.create_server(("127.0.0.1", port)) as server,
            socket.create_connection(("127.0.0.1", port)),
            server.accept()[0] as line,
        ):
            assert line.getsockname() == ("127.0.0.1", port)
    assert port not in others


def test_a_data_directory_that_is_in_use_is_told(start: Callable[..., Served]) -> None:
    first = start()
    first.wait_for("Rewound serves")
    second = start()

    assert second.process.wait(PATIENCE_S) == 1
    assert str(first.home) in second.printed
    assert "Traceback" not in second.printed


def test_settings_that_are_wrong_are_all_told_at_once(tmp_path: Path) -> None:
    result = _run(tmp_path, ["serve"], REWOUND_PORT="0", REWOUND_WORKERS="many")

    assert result.returncode == 1
    assert "REWOUND_PORT" in result.stderr
    assert "REWOUND_WORKERS" in result.stderr


@pytest.mark.overnight
def test_keys_are_made_listed_and_revoked_with_and_without_a_service(
    start: Callable[..., Served], tmp_path: Path
) -> None:
    made = _run(tmp_path / "data", ["keys", "create", "ada"])
    token = made.stdout.strip()
    served = start()
    url = re.search(r"http://\S+", served.wait_for("Rewound serves"))
    assert url is not None

    with connect(url[0], token) as client:
        assert list(client.encounters()) == []
    listed = _run(tmp_path / "data", ["keys", "list"]).stdout
    assert re.search(r"valid .* read,write,keys +ada", listed)
    assert token not in listed
    assert _run(tmp_path / "data", ["keys", "revoke", listed.split()[0]]).returncode == 0
    assert "revoked" in _run(tmp_path / "data", ["keys", "list"]).stdout


@pytest.mark.overnight
def test_a_bundle_of_the_demo_is_written_and_verified(start: Callable[..., Served], tmp_path: Path) -> None:
    served = start("--demo")
    served.wait_for("An audit, which decides")
    encounter = json.loads((served.home / "demo.json").read_text())["encounter"]
    file = tmp_path / "demo.jsonl"

    assert _run(served.home, ["bundle", encounter, "--out", str(file)]).returncode == 0
    verified = _run(tmp_path / "elsewhere", ["verify", "--unsigned", str(file)])

    assert verified.returncode == 0, verified.stdout
    assert "valid_unsigned_to_epoch(1)" in verified.stdout


def test_the_demo_command_plays_replays_audits_and_proves_every_die(tmp_path: Path) -> None:
    result = _run(tmp_path / "nowhere", ["demo"])

    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.index("valid_to_epoch(1)") < result.stdout.index("\nvalid  nothing was changed")
    assert re.search(r"dice +[1-9]\d* rolls proved, 0 .*, 0 thrown by hand", result.stdout)
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.overnight
def test_the_demo_command_enters_the_dice_of_the_worked_example(tmp_path: Path) -> None:
    result = _run(tmp_path / "nowhere", ["demo", "--declared"])

    assert result.returncode == 0, result.stdout + result.stderr
    assert "Every state is as the script expects." in result.stdout
    assert result.stdout.index("valid_to_epoch(1)") < result.stdout.index("\nvalid  nothing was changed")
    assert "heart d8 6 + agility d8 7 + weapon d8 8 = 21" in result.stdout
    assert not (tmp_path / "nowhere").exists()


def _run(home: Path, arguments: Sequence[str], **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments],
        cwd=ROOT,
        env={**os.environ, "REWOUND_DATA_DIR": str(home), "COLUMNS": "200", **environment},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
