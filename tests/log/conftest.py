"""Both stores behind one fixture, and a way to see everything that a store holds."""

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
import redis

from service.log import Log
from service.log.memory import MemoryLog
from service.log.valkey import ValkeyLog

_HELD = ("_encounters", "_dirty", "_rings", "_leases", "_shelves")


@dataclass(frozen=True)
class Store:
    """A store under test: *dump* tells everything it holds, in a form that compares."""

    log: Log
    dump: Callable[[], object]


@pytest.fixture(params=["memory", "valkey"])
def store(request: pytest.FixtureRequest) -> Iterator[Store]:
    if request.param == "memory":
        memory = MemoryLog()
        yield Store(memory, lambda: copy.deepcopy([vars(memory)[held] for held in _HELD]))
        return
    url: str = request.getfixturevalue("streams_url")
    log = ValkeyLog.connect(url)
    with redis.Redis.from_url(url) as client:
        yield Store(log, lambda: {key: client.dump(key) for key in client.scan_iter()})
    log.close()


@pytest.fixture
def log(store: Store) -> Log:
    return store.log
