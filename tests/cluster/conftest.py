"""The workers' hall on a cluster, and clusters that tests may break."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import redis

from service.log import Log
from service.log.valkey import ValkeyLog
from tests.api.conftest import api, owner, services, table, worker
from tests.cluster.nodes import Cluster
from tests.workers.conftest import Hall, reaped

__all__ = ["api", "owner", "services", "table", "worker"]


@pytest.fixture
def hall(cluster_url: str, queue: redis.Redis, queue_url: str, tmp_path: Path) -> Iterator[Hall]:
    """Give workers on the cluster that stands."""
    with (
        closing(ValkeyLog.connect(cluster_url)) as log,
        reaped(Hall(log, queue, cluster_url, queue_url, tmp_path)) as hall,
    ):
        yield hall


@pytest.fixture
def streams_url(cluster_url: str) -> str:
    """Give the address of the cluster, where tests of one server ask for the server's."""
    return cluster_url


@pytest.fixture
def log(cluster_url: str) -> Iterator[Log]:
    """Give the log that the API in this process serves."""
    with closing(ValkeyLog.connect(cluster_url)) as log:
        yield log


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """Give a cluster for one test, which may break it."""
    with Cluster(tmp_path / "cluster") as cluster:
        yield cluster
