"""Write waiting code once, both for a thread that blocks and for an event loop that awaits.

A function that has to wait is a generator: it yields a `Pause` and receives the pause's result. `run` drives
it in a thread, which blocks at every pause. The HTTP server drives it on an event loop and awaits each pause
there.
"""

from __future__ import annotations

import asyncio
import time
from asyncio import _get_running_loop  # public by its documentation, and the cheap one
from collections.abc import Awaitable, Callable, Generator
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Generic, TypeVar

from service.log import WouldWait

T = TypeVar("T")
Item = TypeVar("Item")


@dataclass(frozen=True)
class Pause(Generic[T]):
    """Something to wait for, by blocking or by awaiting; both return the same."""

    block: Callable[[], T]
    park: Callable[[], Awaitable[T]]


async def _nothing() -> None:
    return None


IN_POOL: Final[Pause[None]] = Pause(lambda: None, _nothing)
"""Continue in a thread that may block; a thread continues in itself."""

Steps = Generator[Pause[Any], Any, T]
Stream = Generator[Item | Pause[Any], Any, None]
"""Items, and pauses between them."""


def sleep(seconds: float) -> Pause[None]:
    """Return a pause of *seconds*."""
    return Pause(partial(time.sleep, seconds), partial(asyncio.sleep, seconds))


def in_thread(work: Callable[[], T]) -> Pause[T]:
    """Return a pause for blocking *work*: in this thread, or in a thread of the loop's pool."""

    async def park() -> T:
        return await asyncio.get_running_loop().run_in_executor(None, work)

    return Pause(work, park)


def within(around: AbstractContextManager[Any], steps: Steps[T]) -> Steps[T]:
    """Yield the pauses of *steps*, which run inside *around* from each pause to the next."""
    answer: Any = None
    raised: BaseException | None = None
    while True:
        try:
            with around:
                pause = steps.send(answer) if raised is None else steps.throw(raised)
        except StopIteration as done:
            result: T = done.value
            return result
        answer = raised = None
        try:
            answer = yield pause
        except GeneratorExit:
            steps.close()
            raise
        except BaseException as fault:  # noqa: BLE001 - it is raised where the steps wait
            raised = fault


def run(steps: Steps[T]) -> T:
    """Run *steps* to their end in this thread, which blocks at every pause; return their result."""
    try:
        pause = next(steps)
        while True:
            try:
                found = pause.block()
            except Exception as failure:  # noqa: BLE001 - it is raised in the steps, at the pause
                pause = steps.throw(failure)
            else:
                pause = steps.send(found)
    except StopIteration as end:
        result: T = end.value
        return result


def blocking(stream: Stream[Item]) -> Generator[Item]:
    """Yield the items of *stream* in this thread, which blocks at every pause."""
    try:
        found = next(stream)
        while True:
            if isinstance(found, Pause):
                found = stream.send(found.block())
            else:
                yield found
                found = next(stream)
    except StopIteration:
        return
    finally:
        stream.close()


def settle(work: Callable[[], T]) -> Steps[T]:
    """Return the result of *work*, which changes nothing; if it would block, call it in the pool."""
    try:
        return work()
    except WouldWait:
        pass
    yield IN_POOL
    return work()


class Wakeup:
    """Wakes one coroutine of the running loop; any thread may ring."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._woken: asyncio.Future[None] = self._loop.create_future()

    def ring(self) -> None:
        """Wake the coroutine, now or as soon as it waits."""
        if _get_running_loop() is self._loop:
            self._resolve()
            return
        with suppress(RuntimeError):  # the loop has ended, so nothing waits there any more
            self._loop.call_soon_threadsafe(self._resolve)

    async def wait(self, seconds: float) -> None:
        """Return when `ring` was called, or after *seconds*."""
        if seconds <= 0 or self._woken.done():
            return
        timer = self._loop.call_later(seconds, self._resolve)
        try:
            await self._woken
        finally:
            timer.cancel()

    def _resolve(self) -> None:
        if not self._woken.done():
            self._woken.set_result(None)
