"""The ring: it carries a shard and nothing else, and a queue that is down stops nobody."""

import json
import zlib
from collections import Counter
from pathlib import Path

import redis
from rq.utils import as_text

from service.encounter.signals.doorbell import FOLD, QUEUE, Ringer, shard_of
from service.log.queue import queue_client
from tests.encounter.sitting import eid


def test_a_ring_names_the_function_and_the_shard(queue: redis.Redis) -> None:
    assert Ringer(queue).ring(3)

    [job] = queue.lrange(f"rq:queue:{QUEUE}", 0, -1)
    key = f"rq:job:{as_text(job)}"
    data = queue.hget(key, "data")
    assert isinstance(data, bytes)
    assert json.loads(zlib.decompress(data)) == [FOLD, None, [3], {}]
    assert queue.hget(key, "result_ttl") == b"0"
    assert queue.ttl(key) > 0


def test_rings_that_wait_are_seen(queue: redis.Redis) -> None:
    ringer = Ringer(queue)

    assert not ringer.is_rung()
    ringer.ring(0)
    assert ringer.is_rung()


def test_a_queue_that_is_down_stops_nobody(tmp_path: Path) -> None:
    with queue_client(f"unix://{tmp_path}/nobody.sock") as client:
        assert not Ringer(client).ring(0)
        assert not Ringer(client).is_rung()


def test_an_encounter_stays_in_its_shard_and_shards_are_filled_alike() -> None:
    shards = Counter(shard_of(eid(number), 4) for number in range(4000))

    assert sorted(shards) == [0, 1, 2, 3]
    assert min(shards.values()) > 900
    assert [shard_of(eid(number), 4) for number in (1, 2, 3)] == [
        shard_of(eid(number), 4) for number in (1, 2, 3)
    ]
    assert shard_of(eid(5), 1) == 0
