"""One embedded server for the whole run, started the way the product starts it, and clean databases in it.

`streams` is the log in database 0, `queue` a client of RQ's database 1; both are emptied before each test.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from hypothesis import HealthCheck, settings

from service.api import request
from service.log.valkey import ValkeyLog
from service.supervisor import EmbeddedValkey
from tests.cluster.nodes import Cluster
from tests.page.chromium import HOW_TO_GET_ONE, chromium
from tests.support import crashes

# A bound by the clock on each example fails where a busy machine stalls; a whole test has two minutes.
settings.register_profile("no_hurry", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("no_hurry")

SOURCES = Path(__file__).parents[1] / "service"
WRITTEN = pytest.StashKey[dict[Path, int]]()


def written() -> dict[Path, int]:
    """Return when each source of the service was written."""
    return {path: path.stat().st_mtime_ns for path in SOURCES.rglob("*.py")}


def pytest_configure(config: pytest.Config) -> None:
    """Remember the sources: services that tests start read them at other times than this process."""
    config.stash[WRITTEN] = written()


OVERNIGHT_S = 1200
"""Seconds that a long check may take: a busy machine slows the longest of them far beyond two minutes."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give long checks their time, and begin with the modules that are slow.

    At the end, one of them would keep a single processor busy.
    """
    for item in items:
        if item.get_closest_marker("overnight") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(OVERNIGHT_S))
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)  # stable: a module's tests stay together, in order


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say it if the sources changed meanwhile: rules that differ make an audit say `rules_changed`."""
    if chromium() is None:
        terminalreporter.section("no browser")
        terminalreporter.write_line(HOW_TO_GET_ONE)
    if written() != config.stash[WRITTEN]:
        terminalreporter.section("the sources changed while the tests ran: run what failed again", red=True)


@pytest.fixture(scope="session", autouse=True)
def _no_hurry() -> Iterator[None]:
    """Have who says nothing of waiting wait long, where the API runs in this process.

    A machine that stalls for two seconds would make an answer a pending one.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(request, "WAIT", 25.0)
        yield


@pytest.fixture(scope="session", autouse=True)
def _watched_workers() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        crashes.watch(patch)
        yield


@pytest.fixture(autouse=True)
def _no_crash(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test that saw a command crash its worker, unless it plants one; then it must see it."""
    yield
    found = crashes.drained()
    planted = request.node.get_closest_marker("plants_crash") is not None
    assert planted or not found, "\n".join(found)
    assert found or not planted, "this test plants no crash"


@pytest.fixture(scope="session")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedValkey]:
    directory: Path = tmp_path_factory.mktemp("valkey")
    with EmbeddedValkey(directory) as server:
        yield server


@pytest.fixture(scope="session")
def standing_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Give a cluster that no test breaks."""
    with Cluster(tmp_path_factory.mktemp("cluster")) as cluster:
        yield cluster


@pytest.fixture
def cluster_url(standing_cluster: Cluster) -> str:
    """Give the address of a node of a cluster that is empty."""
    standing_cluster.empty()
    return standing_cluster.url


@pytest.fixture
def streams_url(valkey: EmbeddedValkey) -> str:
    """Give the address of an empty database for the streams."""
    _empty(valkey.url)
    return valkey.url


@pytest.fixture
def queue_url(valkey: EmbeddedValkey) -> str:
    """Give the address of an empty database for RQ."""
    _empty(valkey.queue_url)
    return valkey.queue_url


@pytest.fixture
def streams(streams_url: str) -> Iterator[ValkeyLog]:
    log = ValkeyLog.connect(streams_url)
    yield log
    log.close()


@pytest.fixture
def queue(queue_url: str) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(queue_url, socket_timeout=30) as client:
        yield client


def _empty(url: str) -> None:
    with redis.Redis.from_url(url) as client:
        client.flushdb()
