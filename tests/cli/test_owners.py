"""`rewound owners` counts what each owner stores, as the quotas count it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from click.testing import CliRunner

from service.cli import owners
from service.cli.owners import owners_of
from service.log import Log
from service.log.memory import MemoryLog
from service.settings import Settings
from service.stores import api_keys
from service.stores.encounter_index import EncounterEntry, EncounterIndex

NOW = 1_800_000_000.0


@pytest.fixture
def log() -> MemoryLog:
    """Give a store in which one owner has two encounters of three commands, and another has nothing."""
    made = MemoryLog()
    _, ada = api_keys.create(made, "ada", NOW)
    _, bo = api_keys.create(made, "bo", NOW)
    api_keys.end(made, bo.id)
    for name in ("e1", "e2"):
        EncounterIndex(made).enter(EncounterEntry(name, ada.owner, "tiny@1", "", "2026-01-02T00:00:00Z"))
        for n in range(1, 4):
            made.append(name, b"x" * 1_000, scope="s", key=str(n), fingerprint="f", create=n == 1)
    return made


def test_each_owner_is_counted_and_the_largest_is_first(log: MemoryLog) -> None:
    ada, bo = owners_of(log, replace(Settings(), owner_encounters=4, owner_commands=8), NOW)
    assert (ada.names, ada.encounters, ada.commands, ada.percent) == (("ada",), 2, 6, 75)
    assert ada.bytes >= 6_000
    assert (bo.names, bo.encounters, bo.bytes, bo.percent, bo.valid_keys) == (("bo",), 0, 0, 0, 0)


def test_without_quotas_nothing_is_a_share(log: MemoryLog) -> None:
    free = replace(Settings(), owner_encounters=0, owner_commands=0, owner_mb=0)
    assert [each.percent for each in owners_of(log, free, NOW)] == [0, 0]


def test_the_command_prints_a_line_for_each_and_json(log: MemoryLog, monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def here(_: Settings) -> Iterator[Log]:
        yield log

    monkeypatch.setattr(owners, "opened", here)
    plain = CliRunner().invoke(owners.command)
    assert plain.exit_code == 0, plain.output
    lines = plain.output.splitlines()
    assert len(lines) == 2
    assert "2 encounters" in lines[0]
    assert lines[0].endswith("1 valid keys  ada")
    found = json.loads(CliRunner().invoke(owners.command, ["--json"]).output)
    assert [each["names"] for each in found] == [["ada"], ["bo"]]
