"""The buckets whose commits a process on an event loop receives, while one of its readers needs them."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from functools import partial
from threading import RLock
from typing import Final

from service.log import StoreFailure, bucket_of
from service.log.valkey.loop_log import LoopLog
from service.record.subjects import ADMISSION, is_about
from service.steps import Pause

FOLLOWED_S: Final = 5.0
"""Seconds in which the store confirms that a bucket is followed; later, the log is read without it."""


def concerns_all(raw: bytes) -> bool:
    """Return whether a commit may change who is let in, so that every process must hear it."""
    return is_about(raw, ADMISSION)


class Follow:
    """One reader's part in hearing every commit of a bucket, until it is closed."""

    def __init__(self, followed: Followed, bucket: int) -> None:
        self._followed = followed
        self._bucket = bucket
        self._is_closed = False

    @property
    def begun(self) -> Pause[None]:
        """The wait until it is so; while the subscription is broken, what is missed is read from the log."""
        return Pause(partial(self._followed.wait, self._bucket), self.park)

    async def park(self) -> None:
        """Return when it is so; see `begun`."""
        await self._followed.park(self._bucket)

    def close(self) -> None:
        """Follow no more; a second time changes nothing."""
        if not self._is_closed:
            self._is_closed = True
            self._followed.leave(self._bucket)


class Followed:
    """The buckets that one process follows. Without an event loop it hears every bucket anyway."""

    def __init__(self) -> None:
        self._counts: dict[int, int] = {}
        """How many follow each bucket."""
        self._lock = RLock()  # what the collector of garbage closes, it may close while this is held
        self._line: LoopLog | None = None
        """The subscription on which the event loop receives commits, None if there is none."""
        self._loop: asyncio.AbstractEventLoop | None = None

    def follow(self, encounter: str) -> Follow:
        """Have every commit of *encounter* heard from the end of the result's `begun` until it is closed."""
        bucket = bucket_of(encounter)
        with self._lock:
            self._counts[bucket] = self._counts.get(bucket, 0) + 1
        return Follow(self, bucket)

    def leave(self, bucket: int) -> None:
        """Take one of those who follow *bucket* away."""
        with self._lock:
            left = self._counts[bucket] = self._counts[bucket] - 1
            if not left:
                del self._counts[bucket]
        if not left and self._loop is not None:
            with suppress(RuntimeError):  # the loop has ended, and hears nothing any more
                self._loop.call_soon_threadsafe(self._unsubscribe, bucket)

    def _unsubscribe(self, bucket: int) -> None:
        if bucket not in self._counts and self._line is not None:
            self._line.leave(bucket)

    async def park(self, bucket: int) -> None:
        """Return when *bucket* is heard; at once where the subscription is broken, which begins with it."""
        if self._line is not None:
            with suppress(StoreFailure, TimeoutError):
                await asyncio.wait_for(self._line.follow(bucket), FOLLOWED_S)

    def wait(self, bucket: int) -> None:
        """Do the same in a thread beside the loop."""
        if self._loop is not None:
            with suppress(TimeoutError):
                asyncio.run_coroutine_threadsafe(self.park(bucket), self._loop).result(2 * FOLLOWED_S)

    async def begin(self, line: LoopLog) -> None:
        """Follow on *line*, whose subscription has begun on this loop, what is followed by now."""
        self._loop, self._line = asyncio.get_running_loop(), line
        await asyncio.gather(*map(line.follow, tuple(self._counts)))

    def end(self) -> None:
        """Note that the subscription has ended."""
        self._line = None
