"""One service for all of these tests, put together as `rewound serve` does: real processes, its own store."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from service.audit import bundle
from service.cli.client import Client
from service.cli.station import Station, any_free_port
from service.encounter import keys
from service.settings import Settings
from tests.cli.fights import Service, closed, played


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    home = tmp_path_factory.mktemp("service")
    settings = replace(
        Settings(),
        data_dir=home,
        key_file=home / "secret.key",
        signing_key_file=home / "signing.key",
        port=any_free_port("127.0.0.1"),
        api_workers=1,
        log_level="error",
    )
    with Station(settings, print) as station:
        assert station.wait_until_ready(lambda: False)
        with closing(station.log()) as log:
            token, _ = keys.create(log, "tests", time.time())
        with closing(Client(station.url, token)) as owner:
            yield Service(station, owner)


@pytest.fixture
def service(running: Service) -> Iterator[Service]:
    """Give the service; whoever sat down stands up after the test."""
    yield running
    running.stand_up()


@pytest.fixture(scope="session")
def bundle_file(running: Service, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the bundle of the sample fight, played with seeded dice and closed, as its gm has it."""
    table = closed(played(running, "s002", seeded=True))
    running.stand_up()
    file = tmp_path_factory.mktemp("bundles") / "fight.jsonl"
    file.write_bytes(b"".join(bundle.write(running.evidence(table.encounter), "gm")))
    return file
