"""`rewound backup` under load, a kill, `rewound restore` elsewhere, and play goes on: real processes."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from rewound_client import RetryPolicy, Rewound, RewoundError, Table
from service.cli.client import connect
from service.cli.local_service import reserved_port
from tests.cli.test_backup import PLACES, disputed, key_in, serving, signed
from tests.cli.test_serve import COMMAND, PATIENCE_S, ROOT, Served
from tests.rules.heartrush.kit import opening

pytestmark = pytest.mark.slow

TABLES = 3
PAUSE_S = 0.05
"""Between the commands of a table: a backup takes seconds, and every command is audited twice afterwards."""
IMPATIENT = RetryPolicy(total_s=5)
"""Of those who play until the service is killed: a client retries for a minute by itself."""
ROLL = {"type": "roll_behind_screen", "dice": [6], "bonus": 0, "what": "a door"}


def run(home: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command on the data in *home*."""
    return subprocess.run(
        [*COMMAND, *arguments],
        cwd=ROOT,
        env={**os.environ, "REWOUND_DATA_DIR": str(home), **environment},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


@dataclass
class Load:
    """Tables at which the gm plays on until it is stopped, and the newest acknowledged commit of each."""

    acknowledged: dict[str, int] = field(default_factory=dict)
    stopping: Event = field(default_factory=Event)

    def play(self, table: Table) -> None:
        with suppress(RewoundError):  # the service is killed in the middle of it
            while not self.stopping.wait(PAUSE_S):
                self.acknowledged[table.encounter] = table.send(ROLL)["n"]


@contextmanager
def loaded(tables: list[Table]) -> Iterator[Load]:
    load = Load()
    with ThreadPoolExecutor(len(tables)) as pool:
        for table in tables:
            pool.submit(load.play, table)
        try:
            yield load
        finally:
            load.stopping.set()


def audited(table: Table) -> str:
    """Return the verdict about an encounter, after its close."""
    table.close()
    audit: dict[str, Any] = dict(table.audit(None, None, wait_s=PATIENCE_S))
    return str(audit["certificate"]["verdict"]["name"])


def after(newest: dict[str, int], more: int) -> None:
    """Wait until every table has gone on by *more* commits."""
    wanted = {encounter: n + more for encounter, n in newest.items()}
    ends = time.monotonic() + PATIENCE_S
    while any(newest[encounter] < n for encounter, n in wanted.items()):
        assert time.monotonic() < ends, (newest, wanted)
        time.sleep(0.02)


def opened(client: Rewound) -> Table:
    return client.open({"edition": "heartrush@1", **opening(PLACES)})


def accept(table: Any) -> str:
    """Have the gm accept the history that was restored; return what the dispute is about."""
    said = table.get()["dispute"]
    words = {
        "type": "accept_history",
        "reason": "the disk died",
        "lost": said["lost"],
        "epoch": said["epoch"],
    }
    assert table.send(words)["outcome"] == "accepted"
    return str(said["why"])


@pytest.mark.parametrize("sealing", [("--encrypt",), pytest.param((), marks=pytest.mark.overnight)])
def test_what_was_backed_up_under_load_is_restored_elsewhere_and_played_on(
    tmp_path: Path, sealing: tuple[str, ...]
) -> None:
    home, elsewhere, backups = tmp_path / "data", tmp_path / "elsewhere", tmp_path / "backups"
    key = key_in(home)
    with reserved_port("127.0.0.1") as port:
        served = Served(home, "--port", str(port))
        try:
            served.wait_for("Rewound serves")
            with connect(f"http://127.0.0.1:{port}", key) as client:
                tables = [opened(client) for _ in range(TABLES)]
                player = tables[1].open_seat("max", "player", [])["token"]
                with (
                    Rewound(f"http://127.0.0.1:{port}", key, retry_policy=IMPATIENT) as impatient,
                    loaded([impatient.encounter(table.encounter) for table in tables]) as load,
                ):
                    while len(load.acknowledged) < TABLES:
                        time.sleep(0.02)
                    after(load.acknowledged, 5)
                    acknowledged = dict(load.acknowledged)
                    made = run(home, "backup", "--to", str(backups), *sealing)
                    assert made.returncode == 0, made.stderr
                    after(load.acknowledged, 5)
                    seen = signed(tables[0])  # the signing memory knows of what the backup does not have
                    os.killpg(served.process.pid, signal.SIGKILL)
                    served.process.wait()
            served.until(lambda: not served.processes())
        finally:
            if served.process.poll() is None:
                served.process.kill()
                served.process.wait()

    elsewhere.mkdir()
    for file in (*home.glob("*.key"), *home.glob("signing-memory.db*")):
        shutil.copy2(file, elsewhere / file.name)
    restored = run(elsewhere, "restore", "--from", str(backups))
    assert restored.returncode == 0, restored.stderr
    lost, *others = (table.encounter for table in tables)
    assert f"lost      {lost}: commits " in restored.stdout
    assert f" to {seen}, which were signed" in restored.stdout
    assert not any(encounter in restored.stdout for encounter in others)
    assert "2 other open encounters advance by 2 epochs" in restored.stdout
    again = run(elsewhere, "restore", "--from", str(backups))
    assert (again.returncode, "the store has data" in again.stderr) == (1, True)

    with serving(elsewhere, key) as client:
        dispute = disputed(client.encounter(lost))["dispute"]
        assert (dispute["why"], dispute["lost"]["size"]) == ("rolled_back", seen)
        for encounter in (lost, *others):
            table = client.encounter(encounter)
            assert (accept(table) == "restored") == (encounter != lost)
            assert table.get()["version"] >= acknowledged[encounter]
            assert table.get()["epoch"] > 1, "the dice of lost play would fall again"
            assert table.send(ROLL)["outcome"] == "accepted"
        assert client.encounter(others[0]).with_token(player).get()["version"] > 0, "a token was lost"
        assert {audited(client.encounter(each)) for each in (lost, *others)} == {"valid"}
