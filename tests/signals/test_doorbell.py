"""The ring: it carries a bucket and nothing else, and a queue that is down stops nobody."""

import json
import zlib
from pathlib import Path

import redis
from rq.utils import as_text

from service.log.valkey.queue import queue_client
from service.signals.doorbell import FOLD, QUEUE, RqNotifier


def test_a_ring_names_the_function_and_the_bucket(queue: redis.Redis) -> None:
    assert RqNotifier(queue).ring(3)

    [job] = queue.lrange(f"rq:queue:{QUEUE}", 0, -1)
    key = f"rq:job:{as_text(job)}"
    data = queue.hget(key, "data")
    assert isinstance(data, bytes)
    assert json.loads(zlib.decompress(data)) == [FOLD, None, [3], {}]
    assert queue.hget(key, "result_ttl") == b"0"
    assert queue.ttl(key) > 0


def test_a_queue_that_is_down_stops_nobody(tmp_path: Path) -> None:
    with queue_client(f"unix://{tmp_path}/nobody.sock") as client:
        assert not RqNotifier(client).ring(0)
