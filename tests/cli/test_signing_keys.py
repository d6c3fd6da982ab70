"""Rotate the signing key: the newest key of the public log is printed last, and witnesses are named."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from service.audit import signing
from service.audit.notes import verifier_key
from service.cli import keys
from service.key_files import read_or_create_key
from service.log import Log
from service.log.memory import MemoryLog
from service.settings import Settings


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MemoryLog:
    log = MemoryLog()

    @contextmanager
    def opened(settings: Settings) -> Iterator[Log]:
        yield log

    for name in [each for each in os.environ if each.startswith("REWOUND_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("REWOUND_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("REWOUND_ORIGIN", "table.example")
    monkeypatch.setattr(keys, "opened", opened)
    signing.publish(log, signing.Signer("table.example", read_or_create_key(tmp_path / "signing.key")), 1)
    return log


def test_the_logs_newest_key_is_printed_last_and_witnesses_need_it(log: MemoryLog) -> None:
    run = CliRunner().invoke
    before = run(keys.command, ["signing", "log"]).stdout.split()
    rotated = run(keys.command, ["rotate"])
    public = rotated.stdout.strip()
    assert [each.public for each in signing.published(log)][-1] == public
    assert "witnesses" in rotated.stderr
    assert "rewound keys signing log" in rotated.stderr
    after = run(keys.command, ["signing", "log"]).stdout.split()
    assert after == [*before, verifier_key("table.example/log", bytes.fromhex(public))]
