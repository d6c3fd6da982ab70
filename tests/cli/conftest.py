"""One service for all of these tests, put together as `rewound serve` does: real processes, its own store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from service.audit import bundle
from tests.cli.fights import Service, closed, played, served


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with served(tmp_path_factory.mktemp("service")) as service:
        yield service


@pytest.fixture
def service(running: Service) -> Service:
    return running


@pytest.fixture(scope="session")
def bundle_file(running: Service, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the bundle of the sample fight, played with seeded dice and closed, as its gm has it."""
    table = closed(played(running, "s002", seeded=True))
    file = tmp_path_factory.mktemp("bundles") / "fight.jsonl"
    file.write_bytes(b"".join(bundle.write(running.evidence(table.encounter), "gm")))
    return file
