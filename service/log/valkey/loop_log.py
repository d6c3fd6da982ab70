"""The operations of a log that run on an event loop without a thread: append, and listen for commits."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from secrets import token_hex
from typing import Protocol, Unpack

from service.log import keys
from service.log.errors import StoreUnavailable, WouldWait
from service.log.protocol import ALL_BUCKETS, SubmitOptions
from service.log.valkey.doorbell import outcome_of
from service.log.valkey.log import ValkeyLog
from service.log.valkey.loop_subscription import LoopSubscription
from service.log.valkey.pipe import Pipe
from service.log.valkey.submission import submit_call, submitted
from service.log.valkey.wire import Reply, Wire
from service.log.values import Outcome, Submitted


class LoopLog(Protocol):
    """The part of a log that an event loop uses."""

    async def submit(self, encounter: str, request: bytes, **options: Unpack[SubmitOptions]) -> Submitted:
        """Do as `Doorbell.submit` does, without blocking the loop."""
        ...

    async def hear_outcomes(
        self, heard: Callable[[Outcome], None], begun: Callable[[], Awaitable[None]]
    ) -> None:
        """Call *heard* with commits until they can be heard no more.

        It hears the commits of its own commands, those that concern every process, and those of the buckets
        that it follows. *begun* is awaited once it is subscribed. Raises `StoreUnavailable` at the end.
        """
        ...

    async def follow(self, bucket: int) -> None:
        """Receive every commit of *bucket* too, for as long as the subscription lasts; returns once it does.

        Raises `StoreUnavailable` if there is no subscription.
        """
        ...

    def leave(self, bucket: int) -> None:
        """Hear the bucket no more."""
        ...


class ValkeyLoopLog:
    """The same in a Valkey or Redis server."""

    def __init__(self, log: ValkeyLog) -> None:
        self._router = log.router
        self._process = token_hex(8)
        self._subscription: LoopSubscription | None = None
        self._pipes: dict[Wire, Pipe] = {}

    async def submit(self, encounter: str, request: bytes, **options: Unpack[SubmitOptions]) -> Submitted:
        """Send the append with all others that wait; see `Pipe`."""
        options["process"] = self._process
        command = submit_call(encounter, request, options)
        try:
            answer: Reply = await self._pipe_to(keys.head(encounter)).change(command)
        except WouldWait:  # nothing was done; the router can send it another way
            loop = asyncio.get_running_loop()
            answer = await loop.run_in_executor(None, partial(self._router.change, *command))
        return submitted(encounter, answer, options)

    async def hear_outcomes(
        self, heard: Callable[[Outcome], None], begun: Callable[[], Awaitable[None]]
    ) -> None:
        """Subscribe on this loop; see `LoopLog.hear_outcomes`."""
        replies = [keys.replies(bucket, self._process) for bucket in ALL_BUCKETS]
        channels = replies + [keys.notices(bucket) for bucket in ALL_BUCKETS]
        subscription = LoopSubscription(self._router, channels, lambda message: heard(outcome_of(message)))
        try:
            await subscription.begin()
            self._subscription = subscription
            await begun()
            await subscription.last()
        finally:
            self._subscription = None
            subscription.close()

    async def follow(self, bucket: int) -> None:
        """Subscribe to one more channel; see `LoopLog.follow`."""
        if self._subscription is None:
            raise StoreUnavailable("there is no subscription")
        await self._subscription.follow(keys.outcomes(bucket))

    def leave(self, bucket: int) -> None:
        """Leave the bucket's channel."""
        if self._subscription is not None:
            self._subscription.leave(keys.outcomes(bucket))

    def _pipe_to(self, key: str) -> Pipe:
        """Return this loop's pipe to the node that has *key*; raise `WouldWait`."""
        if self._router.wanted_replicas:
            raise WouldWait
        node = self._router.node_of(key)
        pipe = self._pipes.get(node)
        if pipe is None:
            pipe = self._pipes[node] = Pipe(self._router, node)
        return pipe
