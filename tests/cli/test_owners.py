"""`rewound owners` counts what each owner stores, as the quotas count it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from click.testing import CliRunner, Result

from service.cli import owners
from service.cli.owners import owners_of
from service.log import Log
from service.log.memory import MemoryLog
from service.settings import Settings
from service.stores import api_keys, owner_quotas
from service.stores.encounter_index import EncounterEntry, EncounterIndex
from service.stores.owner_quotas import OwnQuotas, StorageQuotas

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


@pytest.fixture
def run(log: MemoryLog, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Return a function that runs the command on the store."""

    @contextmanager
    def here(_: Settings) -> Iterator[Log]:
        yield log

    monkeypatch.setattr(owners, "opened", here)
    return lambda *arguments: CliRunner().invoke(owners.command, arguments)


def test_the_command_prints_a_line_for_each_and_json(run: Callable[..., Result]) -> None:
    plain = run()
    assert plain.exit_code == 0, plain.output
    lines = plain.output.splitlines()
    assert len(lines) == 2
    assert "2 encounters" in lines[0]
    assert lines[0].endswith("1 valid keys  ada")
    found = json.loads(run("--json").output)
    assert [each["names"] for each in found] == [["ada"], ["bo"]]


def test_a_megabyte_is_the_same_for_the_service_and_for_the_command(log: MemoryLog) -> None:
    ada = owners_of(log, replace(Settings(), owner_encounters=0, owner_commands=0, owner_mb=1), NOW)[0]
    assert ada.percent == 100 * ada.bytes // StorageQuotas.of(0, 0, 1).bytes == 100 * ada.bytes // 1_000_000


def test_the_largest_encounters_are_listed(log: MemoryLog, run: Callable[..., Result]) -> None:
    ada = owners_of(log, Settings(), NOW)[0].owner
    log.append("e1", b"x" * 90_000, scope="s", key="large", fingerprint="f", create=False)

    lines = run("largest", ada, "--count", "1").output.splitlines()

    assert len(lines) == 1
    assert lines[0].startswith("e1 ")
    assert "4 commands  2026-01-02" in lines[0]
    assert len(run("largest", ada).output.splitlines()) == 2


def test_quotas_are_given_one_by_one_and_taken_back(log: MemoryLog, run: Callable[..., Result]) -> None:
    ada = owners_of(log, Settings(), NOW)[0].owner
    first = run("quotas", ada, "--encounters", "3")
    second = run("quotas", ada, "--mb", "2")

    assert first.exit_code == second.exit_code == 0
    assert owner_quotas.find(log, ada) == OwnQuotas(encounters=3, bytes=2_000_000)
    assert [line.split()[1:4] for line in second.output.splitlines()[:2]] == [
        ["2", "of", "3"],
        ["6", "of", "2000000"],
    ]
    assert second.output.count("of its own") == 2
    assert owners_of(log, Settings(), NOW)[0].has_own_quotas
    run("quotas", ada, "--reset", "--commands", "0")
    assert owner_quotas.find(log, ada) == OwnQuotas(commands=0)
    run("quotas", ada, "--reset")
    assert log.record(owner_quotas.COLLECTION, ada) is None


@pytest.mark.parametrize("command", ["quotas", "largest"])
def test_an_owner_that_is_not_there_is_named(run: Callable[..., Result], command: str) -> None:
    answer = run(command, "0123456789ab")
    assert answer.exit_code == 1
    assert "there is no owner 0123456789ab" in str(answer.exception or "") + answer.output
