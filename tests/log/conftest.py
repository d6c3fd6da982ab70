"""Every store behind one fixture: memory, one server, a cluster; and a way to see all that a store holds."""

import copy
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass

import pytest
import redis

from service.log import Log
from service.log.memory import MemoryLog
from service.log.valkey import ValkeyLog

_HELD = ("_encounters", "_dirty", "_notified_until", "_leases", "_collections")


@dataclass(frozen=True)
class Store:
    """A store under test: *dump* tells everything it holds, in a form that compares."""

    log: Log
    dump: Callable[[], object]


@pytest.fixture(params=["memory", "valkey", "cluster"])
def store(request: pytest.FixtureRequest) -> Iterator[Store]:
    if request.param == "memory":
        memory = MemoryLog()
        yield Store(memory, lambda: copy.deepcopy([vars(memory)[held] for held in _HELD]))
        return
    if request.param == "cluster":
        url: str = request.getfixturevalue("cluster_url")
        client: redis.Redis | redis.RedisCluster = redis.RedisCluster.from_url(url)
    else:
        url = request.getfixturevalue("streams_url")
        client = redis.Redis.from_url(url)
    with closing(client), closing(ValkeyLog.connect(url)) as log:
        yield Store(log, lambda: {key: client.dump(key) for key in client.scan_iter()})


@pytest.fixture
def log(store: Store) -> Log:
    return store.log
