"""Change the secret key in steps: at each one everything opens, tokens stay, and nothing is shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from service.cli import secret_keys
from service.key_files import Keyring, read_or_create_keyring
from service.log import Log
from service.log.memory import MemoryLog
from service.settings import Settings
from service.stores.archive import container
from service.stores.encounter_index import COLLECTION
from service.stores.secrets import EncounterSecrets, Undecipherable, service_key_of
from tests.support.tiny_table import eid

Run = Callable[[str], Result]
COUNT = 3


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("REWOUND_DATA_DIR", str(tmp_path))
    path = tmp_path / "secret.key"
    read_or_create_keyring(path)
    return path


@pytest.fixture
def log(file: Path) -> MemoryLog:
    log = MemoryLog()
    (key,) = read_or_create_keyring(file).keys
    for n in range(COUNT):
        log.put_record(COLLECTION, eid(n), b"")
        log.put_secret(eid(n), EncounterSecrets.create(eid(n)).encrypt(key))
    log.put_record(COLLECTION, eid(COUNT), b"")  # an imported one has no seeds
    return log


@pytest.fixture
def run(log: MemoryLog, monkeypatch: pytest.MonkeyPatch) -> Run:
    @contextmanager
    def here(_: Settings) -> Iterator[Log]:
        yield log

    monkeypatch.setattr(secret_keys, "opened", here)
    return lambda step: CliRunner().invoke(secret_keys.secret_keys, [step])


def seeds(log: MemoryLog, ring: Keyring) -> list[EncounterSecrets]:
    return [EncounterSecrets.decrypt(eid(n), log.secret(eid(n)) or b"", ring.keys) for n in range(COUNT)]


def opens(log: MemoryLog, ring: Keyring) -> int:
    """Return how many encounters *ring* opens."""
    found = 0
    for n in range(COUNT):
        try:
            EncounterSecrets.decrypt(eid(n), log.secret(eid(n)) or b"", ring.keys)
        except Undecipherable:
            continue
        found += 1
    return found


def test_the_key_is_changed_in_four_steps(run: Run, log: MemoryLog, file: Path) -> None:
    rings = [read_or_create_keyring(file)]
    before = [
        EncounterSecrets.decrypt(eid(n), log.secret(eid(n)) or b"", rings[0].keys) for n in range(COUNT)
    ]
    for step in ("add", "use", "reseal", "drop"):
        done = run(step)
        assert done.exit_code == 0, done.output
        ring = read_or_create_keyring(file)
        assert opens(log, ring) == COUNT
        assert opens(log, rings[-1]) == COUNT, "a process that has not restarted yet cannot go on"
        assert service_key_of(ring) == service_key_of(rings[0]), "tokens and ids have changed"
        assert file.stat().st_mode & 0o777 == 0o600
        for each in (*ring.keys, *rings[0].keys):
            assert each.hex() not in done.output
        rings.append(ring)
    first, added, used, resealed, last = rings
    assert added.keys[0] == first.keys[0]
    assert used.keys == resealed.keys == added.keys[::-1]
    assert last.keys == used.keys[:1]
    assert opens(log, first) == 0
    assert seeds(log, last) == before
    assert container.keys_of(last) == container.keys_of(used), "archived files would be closed"


def test_a_key_that_is_needed_is_not_dropped(run: Run, log: MemoryLog, file: Path) -> None:
    run("add")
    run("use")
    before = file.read_text("ascii")
    refused = run("drop")
    assert refused.exit_code == 1
    assert f"the seeds of {COUNT} encounters need an older key" in refused.output
    assert file.read_text("ascii") == before
    assert run("reseal").exit_code == run("drop").exit_code == 0


def test_what_each_key_opens_is_shown(run: Run, log: MemoryLog, file: Path) -> None:
    run("add")
    shown = run("show")
    rows = re.findall(
        r"^[0-9a-f]{8}  (seals|opens)  the seeds of (\d+) encounters$", shown.output, re.MULTILINE
    )
    assert rows == [("seals", str(COUNT)), ("opens", "0")]
    log.replace_secret(eid(0), EncounterSecrets.create(eid(0)).encrypt(bytes(32)))
    closed = run("show")
    assert closed.exit_code == 1
    assert "no key opens the seeds of 1 encounters" in closed.output


def test_an_encounter_that_is_removed_meanwhile_stays_removed(
    run: Run, log: MemoryLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("add")
    run("use")
    replace = log.replace_secret

    def late(encounter: str, blob: bytes) -> bool:
        log._encounters.pop(encounter, None)  # noqa: SLF001 - what a removal does
        return replace(encounter, blob)

    monkeypatch.setattr(log, "replace_secret", late)
    assert "0 encounters are sealed again" in run("reseal").output
    assert [log.secret(eid(n)) for n in range(COUNT)] == [None] * COUNT


def test_keys_of_a_setting_are_printed_for_it(run: Run, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = file.read_text("ascii")
    monkeypatch.setenv("REWOUND_SECRET_KEY", "ab" * 32)
    added = run("add")
    found = re.search(r"^REWOUND_SECRET_KEY=(\S+)$", added.output, re.MULTILINE)
    assert found
    ring = Keyring.read(found[1])
    assert (ring.keys[0], len(ring.keys)) == (bytes.fromhex("ab" * 32), 2)
    assert service_key_of(ring) == service_key_of(Keyring.of(bytes.fromhex("ab" * 32)))
    assert file.read_text("ascii") == before


def test_without_a_key_file_none_is_made(run: Run, file: Path) -> None:
    file.unlink()
    for step in ("show", "add", "use", "reseal", "drop"):
        assert run(step).exit_code == 1
        assert not file.exists()
