"""The doorbell in a Valkey or Redis server: dirty sets, bells, wakes and outcomes.

Nothing here is needed for safety: a lost ring is found by the sweeper in the dirty set, a lost message by
reading the log.
"""

import time
from collections.abc import Callable
from typing import Generic, Self, TypeVar

from redis import exceptions

from service.log import keys
from service.log.errors import Unavailable
from service.log.library import call
from service.log.values import Outcome, Wake
from service.log.wire import Raw, Wire, raise_translated

Heard = TypeVar("Heard")


class ValkeyDoorbell:
    """Which encounters wait for a fold, and who was told."""

    _wire: Wire

    def mark_dirty(self, shard: int, encounter: str, at_ms: int) -> None:
        """Note that the encounter waits for a fold, since *at_ms* unless it waits for longer."""
        self._wire.change("ZADD", keys.dirty(shard), "NX", at_ms, encounter)

    def dirty(self, shard: int, older_than: int, count: int = 1000) -> list[str]:
        """Read encounters that wait since *older_than* or before, the longest waiting first."""
        found = self._wire.read("ZRANGE", keys.dirty(shard), "-inf", older_than, "BYSCORE", "LIMIT", 0, count)
        return [encounter.decode() for encounter in found]

    def clean(self, shard: int, encounter: str) -> bool:
        """Take the encounter from the dirty set if everything appended is folded."""
        taken = self._wire.change(*call("clean", (keys.dirty(shard), keys.head(encounter)), encounter))
        return bool(taken)

    def ring(self, shard: int, ttl_ms: int) -> bool:
        """Ring unless somebody rang or holds the bell."""
        return self._wire.change("SET", keys.bell(shard), "rung", "NX", "PX", ttl_ms) is not None

    def hold_bell(self, shard: int, token: str, ttl_ms: int) -> bool:
        """Take over a rung or free bell, or prolong one's own."""
        return bool(self._wire.change(*call("hold", (keys.bell(shard),), token, ttl_ms)))

    def release_bell(self, shard: int, token: str) -> bool:
        """Free the bell if *token* holds it."""
        return bool(self._wire.change(*call("release", (keys.bell(shard),), token)))

    def wake(self, shard: int, encounter: str) -> None:
        """Tell whoever lingers on the shard that the encounter has something to fold."""
        self._wire.change("PUBLISH", keys.wakes(shard), f"{encounter}\n0\n")

    def listen_wakes(self, shard: int) -> "ValkeyListener[Wake]":
        """Subscribe to the commands that wake the shard."""
        return ValkeyListener(self._wire, keys.wakes(shard), _wake)

    def listen_outcomes(self) -> "ValkeyListener[Outcome]":
        """Subscribe to every commit of every encounter."""
        return ValkeyListener(self._wire, keys.OUTCOMES, _outcome)


class ValkeyListener(Generic[Heard]):
    """One subscription on a connection of its own; it ends with the first error and is not mended."""

    def __init__(self, wire: Wire, channel: str, load: Callable[[bytes], Heard]) -> None:
        self._url = wire.url
        self._wire = wire
        self._closed = wire.closed
        self._load = load
        self._pubsub = wire.pubsub()
        try:
            self._pubsub.subscribe(channel)
            # the confirmation: everything said after it is heard
            confirmed = self._pubsub.parse_response(timeout=5.0)
        except exceptions.RedisError as error:
            self._pubsub.close()
            raise_translated(error, self._url, changes=False)
        if confirmed is None:
            self._pubsub.close()
            raise Unavailable(f"{self._url} did not confirm a subscription")

    def get(self, timeout: float) -> Heard | None:
        """Wait up to *timeout* seconds for the next message."""
        ends = time.monotonic() + timeout
        while True:
            left = max(0.0, ends - time.monotonic())
            message = self._next(left)
            if message is not None:
                return self._load(message["data"])
            if left == 0.0:
                return None

    def _next(self, timeout: float) -> Raw:
        """Return redis-py's next message.

        Another thread may close the log at any moment. redis-py then either opens a new connection, which has
        missed what was said in between, or falls over the socket that it has no more.
        """
        try:
            message = self._pubsub.get_message(timeout=timeout)
        except exceptions.RedisError as error:
            raise_translated(error, self._url, changes=False)
        except (TypeError, ValueError, AttributeError) as error:
            if self._wire.closed == self._closed:
                raise
            raise Unavailable(f"the connections to {self._url} were closed") from error
        if self._wire.closed != self._closed:
            raise Unavailable(f"the connections to {self._url} were closed")
        return message

    def close(self) -> None:
        """End the subscription."""
        self._pubsub.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _wake(message: bytes) -> Wake:
    encounter, n, raw = message.split(b"\n", 2)
    return Wake(encounter.decode(), int(n), raw)


def _outcome(message: bytes) -> Outcome:
    encounter, n, told, raw = message.split(b"\n", 3)
    return Outcome(encounter.decode(), int(n), raw, told)
