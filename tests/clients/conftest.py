"""One real service for the clients, and the sample fight as they are given it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from rewound_client import Rewound
from tests.cli.fights import Service, served

ROOT: Final = Path(__file__).parents[2]


@dataclass(frozen=True)
class Host:
    """Where a service runs, and an API key of it."""

    address: str
    key: str


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with served(tmp_path_factory.mktemp("service")) as service:
        yield service


@pytest.fixture(scope="session")
def host(running: Service) -> Host:
    return Host(running.station.url, running.key)


@pytest.fixture
def rewound(host: Host) -> Iterator[Rewound]:
    with Rewound(host.address, host.key) as found:
        yield found


@pytest.fixture(scope="session")
def forms() -> dict[str, Any]:
    """Give the forms of the sample fight, with all dice declared."""
    found: dict[str, Any] = json.loads((ROOT / "examples" / "orc-and-hound.json").read_text("utf-8"))["forms"]
    return found
