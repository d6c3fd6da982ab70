"""Put an older data directory back, whole or without its signing memory: what is noticed, and by whom."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from rewound_client import Rewound, Table
from service.audit import bundle
from service.audit.evidence import Receipt
from service.audit.verify import verify
from service.cli.client import connect
from service.cli.local_service import reserved_port
from service.rules.registry import REGISTRY
from tests.cli.test_serve import COMMAND, PATIENCE_S, ROOT, Served
from tests.rules.heartrush.kit import opening

PLACES = {"pia": (0, 0), "orc": (1, 0)}

pytestmark = pytest.mark.slow


@contextmanager
def serving(home: Path, key: str) -> Iterator[Rewound]:
    """Give a client of a service on *home*; it is stopped as its operator stops it."""
    with reserved_port("127.0.0.1") as port:
        served = Served(home, "--port", str(port))
        try:
            served.wait_for("Rewound serves")
            with connect(f"http://127.0.0.1:{port}", key) as client:
                yield client
            assert served.stop() == 0
        finally:
            if served.process.poll() is None:
                served.process.kill()
                served.process.wait()


def key_in(home: Path) -> str:
    made = subprocess.run(
        [*COMMAND, "keys", "create", "ada"],
        cwd=ROOT,
        env={**os.environ, "REWOUND_DATA_DIR": str(home)},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=True,
    )
    return made.stdout.strip()


def signed(table: Table) -> int:
    """Return how many commits of the encounter are signed, once that is all of them."""
    return int(table.checkpoint()["size"])


def disputed(table: Table) -> dict[str, Any]:
    """Return the encounter once its dispute is told: a worker looks at its start."""
    ends = time.monotonic() + PATIENCE_S
    while (answer := table.get())["dispute"] is None:
        assert time.monotonic() < ends, answer
        time.sleep(0.1)
    return dict(answer)


@dataclass(frozen=True)
class SealedValues:
    """A data directory, a copy of it that is a command older, and what a client was told of that command."""

    home: Path
    backup: Path
    key: str
    encounter: str
    receipt: Receipt


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> SealedValues:
    directory = tmp_path_factory.mktemp("backup")
    home, backup = directory / "data", directory / "older"
    key = key_in(home)
    roll = {"type": "roll_behind_screen", "dice": [6], "bonus": 0, "what": "a door"}
    with serving(home, key) as client:
        opened = {"edition": "heartrush@1", **opening(PLACES)}
        table = client.open(opened)
        assert signed(table) == 1
        shutil.copytree(home, backup, ignore=shutil.ignore_patterns("*.sock"))
        found = table.send(roll)
        assert signed(table) == found["n"] == 2
    return SealedValues(home, backup, key, table.encounter, Receipt(found["n"], found["hash"]))


def test_an_older_store_beside_a_newer_signing_memory_is_noticed(kept: SealedValues) -> None:
    shutil.rmtree(kept.home / "valkey")
    shutil.copytree(kept.backup / "valkey", kept.home / "valkey")

    with serving(kept.home, kept.key) as client:
        found = disputed(client.encounter(kept.encounter))

    assert (found["version"], found["dispute"]["why"]) == (1, "rolled_back")
    assert found["dispute"]["lost"]["size"] == kept.receipt.n


@pytest.mark.overnight
def test_an_older_data_directory_put_back_whole_is_noticed_by_receipts_alone(kept: SealedValues) -> None:
    with serving(kept.backup, kept.key) as client:
        table = client.encounter(kept.encounter)
        assert signed(table) == 1
        assert table.get()["dispute"] is None, "nobody on this machine remembers more"
        raw = table.bundle()

    evidence = bundle.read(raw, receipts=[kept.receipt])
    assert verify(evidence, REGISTRY).verdict.name == "truncated"
