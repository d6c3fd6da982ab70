"""`rewound doctor` finds what is wrong with an installation, says how to mend it, and changes nothing."""

from __future__ import annotations

import json
import shutil
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from service.audit import signing
from service.cli import doctor
from service.cli.doctor import Diagnosis, examined
from service.key_files import Keyring
from service.log import StoreMemory
from service.log.memory import MemoryLog
from service.settings import Settings
from service.signals.heartbeats import record_heartbeat
from service.stores.disputes import Dispute, Disputes
from service.stores.public_log import COSIGNED, DOWN, FORKED, LogDispute, PublicLog, WitnessState
from tests.cli.fights import Service, played

DISPUTE = Dispute("0d9cc8a1-5a5e-4a7c-9f0f-0a1b2c3d4e5f", "rolled_back", 9, "ab" * 32, 4)


def by_name(settings: Settings) -> dict[str, Diagnosis]:
    return {each.what: each for each in examined(settings)}


def in_store(log: MemoryLog, settings: Settings | None = None) -> dict[str, Diagnosis]:
    return {
        each.what: each
        for each in doctor.store_findings(
            log, settings or Settings(workers=0, given_keys=Keyring.of(bytes(32)))
        )
    }


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Give the settings of an installation that was never started."""
    home = tmp_path / "home"
    return Settings(data_dir=home, key_file=home / "secret.key", signing_key_file=home / "signing.key")


def test_nothing_is_wrong_with_a_running_service(service: Service) -> None:
    played(service, "s002", seeded=True)
    found = by_name(service.station.settings)
    assert {each.what: each for each in found.values() if each.state != "ok"} == {}
    assert "1 alive" in found["workers"].text
    assert "this machine's among them" in found["signer"].text
    assert "opens those of the 0" not in found["seeds"].text


def test_an_installation_that_was_never_started_is_left_as_it_is(settings: Settings) -> None:
    found = by_name(settings)
    assert {name for name, each in found.items() if each.state == "fault"} == set()
    assert found["store"].mending == "rewound serve makes it at its first start"
    assert found["secret key"].state == "warning"
    assert not settings.data_dir.exists()


def test_a_signing_memory_beside_the_store_is_a_warning(settings: Settings, tmp_path: Path) -> None:
    found = by_name(settings)["signing memory"]
    assert found.state == "warning"
    assert "REWOUND_SIGNING_MEMORY_FILE" in found.mending
    elsewhere = replace(settings, given_signing_memory_file=tmp_path / "usb" / "signing-memory.db")
    assert by_name(elsewhere)["signing memory"].state == "ok"
    servers = replace(settings, streams_url="unix:///nowhere?db=0", queue_url="unix:///nowhere?db=1")
    assert by_name(servers)["signing memory"].state == "ok"


def test_a_key_that_others_may_read_is_a_fault(settings: Settings) -> None:
    settings.secret_keys()
    settings.key_file.chmod(0o644)
    found = by_name(settings)["secret key"]
    assert found.state == "fault"
    assert found.mending.startswith(f"chmod 600 {settings.key_file}")


def test_another_secret_key_opens_no_seed(service: Service) -> None:
    played(service, "s002", seeded=True)
    found = by_name(replace(service.station.settings, given_keys=Keyring.of(bytes(32))))["seeds"]
    assert (found.state, found.text.split(" of the newest")[0].split()[:7]) == (
        "fault",
        ["the", "secret", "key", "does", "not", "open", "the"],
    )


def test_a_lost_secret_key_is_a_fault_where_there_is_a_store(service: Service, tmp_path: Path) -> None:
    lost = tmp_path / "secret.key"
    embedded = replace(service.station.settings, streams_url=None, queue_url=None, key_file=lost)
    found = by_name(embedded)["store"]
    assert (found.state, found.text) == ("fault", f"the store was not examined: {lost} does not exist")
    assert not lost.exists()


def test_an_api_apart_from_its_workers_reads_no_secret(service: Service) -> None:
    found = by_name(replace(service.station.settings, workers=0))
    assert found.keys() & {"seeds", "signer", "signing key"} == set()
    assert found["history"].state == "ok"


def test_servers_that_do_not_answer_are_faults(settings: Settings) -> None:
    gone = replace(settings, streams_url="unix:///nowhere/streams", queue_url="unix:///nowhere/queue")
    gone = replace(gone, given_keys=Keyring.of(bytes(32)))
    found = by_name(gone)
    assert (found["queue"].state, found["store"].state) == ("fault", "fault")


@pytest.mark.parametrize(("free", "state"), [(1 << 25, "fault"), (1 << 29, "warning"), (1 << 31, "ok")])
def test_a_disk_that_is_nearly_full_is_noticed(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, free: int, state: str
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=free))
    assert by_name(settings)["disk"].state == state


@pytest.mark.parametrize(
    ("memory", "state"),
    [(StoreMemory(5, 0), "warning"), (StoreMemory(89, 100), "ok"), (StoreMemory(90, 100), "fault")],
)
def test_a_store_without_room_is_noticed(
    monkeypatch: pytest.MonkeyPatch, memory: StoreMemory, state: str
) -> None:
    log = MemoryLog()
    monkeypatch.setattr(log, "memory", lambda: memory)
    assert in_store(log)["memory"].state == state


def test_a_worker_whose_clock_is_ahead_is_named() -> None:
    log = MemoryLog()
    now = int(time.time() * 1000)
    record_heartbeat(log, "right", now)
    assert in_store(log)["clocks"].state == "ok"
    record_heartbeat(log, "fast", now + 5_000)
    found = in_store(log)["clocks"]
    assert (found.state, found.text) == ("fault", "ahead of this machine's clock: fast")


def test_a_service_without_a_worker_is_a_warning() -> None:
    assert in_store(MemoryLog())["workers"].state == "warning"


def test_two_signing_keys_are_a_fault(settings: Settings) -> None:
    log = MemoryLog()
    mine = signing.Signer(settings.origin, settings.signing_key())
    ready = replace(settings, given_keys=Keyring.of(bytes(32)))
    assert in_store(log, ready)["signer"].state == "ok"
    signing.publish(log, signing.Signer(settings.origin, bytes(range(32))), 1)
    assert in_store(log, ready)["signer"].state == "warning"
    signing.publish(log, mine, 2)
    found = in_store(log, ready)["signer"]
    assert (found.state, found.mending) == (
        "fault",
        "copy one signing key to all machines, or replace it by rewound keys rotate",
    )


def test_a_disputed_encounter_is_a_fault_until_it_is_accepted() -> None:
    log = MemoryLog()
    Disputes(log).open(DISPUTE)
    found = in_store(log)["history"]
    assert (found.state, DISPUTE.encounter in found.text) == ("fault", True)
    Disputes(log).open(replace(DISPUTE, accepted=True, why="forked"))
    assert in_store(log)["history"].state == "ok"


def test_the_command_prints_each_finding_with_its_mending_and_ends_with_1(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.secret_keys()
    settings.key_file.chmod(0o644)
    for name in ("DATA_DIR", "KEY_FILE"):
        path = settings.data_dir if name == "DATA_DIR" else settings.key_file
        monkeypatch.setenv(f"REWOUND_{name}", str(path))
    plain = CliRunner().invoke(doctor.command)
    assert plain.exit_code == 1
    assert f"mend: chmod 600 {settings.key_file}" in plain.output
    data = CliRunner().invoke(doctor.command, ["--json"])
    assert data.exit_code == 1
    assert {each["state"] for each in json.loads(data.output)} == {"ok", "warning", "fault"}


def test_a_public_log_that_stands_still_and_a_witness_that_contradicts_are_faults() -> None:
    log = MemoryLog()
    known = PublicLog(log)
    assert in_store(log)["public log"] == Diagnosis("public log", "ok", "0 entries")
    known.put_dispute(LogDispute("rolled_back", 9, 4))
    known.put_witness("ada", WitnessState(3, FORKED, 9))
    known.put_witness("ben", WitnessState(3, DOWN, 9))
    known.put_witness("cy", WitnessState(9, COSIGNED, 9))

    found = in_store(log)

    assert [found[f"witness {name}"].state for name in ("ada", "ben", "cy")] == ["fault", "warning", "ok"]
    assert "another or a longer history" in found["witness ada"].text
    assert found["public log"].state == "fault"
    assert "9 entries was signed, and the store has 4" in found["public log"].text
    known.keep_witnesses({"cy"})
    known.put_dispute(None)
    assert {name for name, each in in_store(log).items() if each.state == "fault"} == set()
