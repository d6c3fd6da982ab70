"""Connect to the server with RQ's jobs; it needs redis-py's own client, because RQ uses that.

Nothing in that server is needed: it may be wiped or down at any moment.
"""

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from service.log.errors import StoreRefused
from service.log.valkey.wire import ANSWER_S


def queue_client(url: str, *, answer_s: float = ANSWER_S) -> redis.Redis:
    """Return an unconnected client of the server at *url* that sends nothing twice."""
    return redis.Redis.from_url(
        url, socket_timeout=answer_s, socket_connect_timeout=answer_s, retry=Retry(NoBackoff(), 0)
    )


def check_queue(client: redis.Redis) -> None:
    """Return unless the server is a node of a cluster, on which RQ's worker does not start.

    Raises `StoreRefused`. A server that is down or may not be asked passes, because it may be up later.
    """
    try:
        is_cluster = client.info("cluster")["cluster_enabled"]
    except Exception:  # noqa: BLE001 - whatever is there, rings are tried on it and logged if they fail
        return
    if is_cluster:
        raise StoreRefused("the queue's server is a node of a cluster, and RQ needs a server of its own")
