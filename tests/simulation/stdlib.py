"""Stand in for the clock, the threads and the chance that the product's modules imported.

Each name in a module of the product that is bound to one of the standard library's is bound to one of these
while a simulation runs. So the product's code needs no seam of its own, and new code is taken in by itself.
"""

from __future__ import annotations

import os
import queue
import secrets
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from werkzeug.local import LocalProxy

from service.record import intervals
from tests.simulation.scheduler import Actor, Scheduler

INTERVAL: Final = 4
"""Commits of one interval: a run has too few for those of the product."""

PREFIXES: Final = ("service.", "workers.")

_PREEMPTED: Final = 0.2
"""How often a thread that takes a lock lets others run first."""

_now: list[Scheduler] = []


def scheduler() -> Scheduler:
    """Return the scheduler of the simulation that runs."""
    return _now[-1]


class Clock:
    """The module `time`."""

    @staticmethod
    def monotonic() -> float:
        return scheduler().now

    perf_counter = thread_time = monotonic

    @staticmethod
    def time() -> float:
        return scheduler().wall()

    @staticmethod
    def sleep(seconds: float) -> None:
        scheduler().sleep(seconds)


class Lock:
    """A lock; whoever takes it may be preempted first."""

    def __init__(self) -> None:
        self._holder: Actor | None = None
        self._is_held = False
        self._waiting: list[Actor] = []

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:  # noqa: FBT001, FBT002 - as threading has it
        hub = scheduler()
        if hub.is_inside and hub.chance.random() < _PREEMPTED and not hub.current.process.is_dead:
            hub.pause()
        ends = None if timeout < 0 else hub.now + timeout
        while self._is_held:
            left = None if ends is None else ends - hub.now
            if not blocking or (left is not None and left <= 0):
                return False
            self._waiting.append(hub.current)
            try:
                hub.park(left)
            finally:
                if hub.current in self._waiting:
                    self._waiting.remove(hub.current)
        self._is_held = True
        return True

    def release(self) -> None:
        assert self._is_held, "release of a lock that nobody holds"
        self._is_held = False
        if self._waiting:
            scheduler().wake(self._waiting.pop(0))

    def locked(self) -> bool:
        return self._is_held

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()


class RLock(Lock):
    """A lock that its holder may take again."""

    def __init__(self) -> None:
        super().__init__()
        self._depth = 0

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:  # noqa: FBT001, FBT002 - as threading has it
        if self._is_held and self._holder is scheduler().current:
            self._depth += 1
            return True
        taken = super().acquire(blocking, timeout)
        if taken:
            self._holder, self._depth = scheduler().current, 1
        return taken

    def release(self) -> None:
        self._depth -= 1
        if self._depth == 0:
            self._holder = None
            super().release()


class Event:
    """A flag that can be waited for."""

    def __init__(self) -> None:
        self._is_set = False
        self._waiting: list[Actor] = []

    def is_set(self) -> bool:
        return self._is_set

    def set(self) -> None:
        self._is_set = True
        for actor in self._waiting:
            scheduler().wake(actor)
        self._waiting.clear()

    def clear(self) -> None:
        self._is_set = False

    def wait(self, timeout: float | None = None) -> bool:
        if self._is_set:
            return True
        hub = scheduler()
        self._waiting.append(hub.current)
        try:
            hub.park(timeout)
        finally:
            if hub.current in self._waiting:
                self._waiting.remove(hub.current)
        return self._is_set


class Thread:
    """An actor of the process that makes it."""

    def __init__(
        self,
        target: Callable[..., object],
        args: tuple[Any, ...] = (),
        name: str = "thread",
        *,
        daemon: bool = False,
    ) -> None:
        self.daemon = daemon
        self._name = name
        self._run = lambda: target(*args)
        self._actor: Actor | None = None

    def start(self) -> None:
        hub = scheduler()
        self._actor = hub.spawn(self._name, hub.current.process, self._run)

    def is_alive(self) -> bool:
        return self._actor is not None and not self._actor.is_done

    def join(self, timeout: float | None = None) -> None:
        hub = scheduler()
        ends = None if timeout is None else hub.now + timeout
        while self.is_alive() and (ends is None or hub.now < ends):
            hub.sleep(0.05)


class SimpleQueue:
    """A queue without an end."""

    def __init__(self) -> None:
        self._items: list[Any] = []
        self._waiting: list[Actor] = []

    def put(self, item: object) -> None:
        self._items.append(item)
        if self._waiting:
            scheduler().wake(self._waiting[0])

    def empty(self) -> bool:
        return not self._items

    def get_nowait(self) -> Any:
        if not self._items:
            raise queue.Empty
        return self._items.pop(0)

    def get(self, block: bool = True, timeout: float | None = None) -> Any:  # noqa: FBT001, FBT002 - as queue has it
        hub = scheduler()
        ends = None if timeout is None else hub.now + timeout
        while block and not self._items and (ends is None or hub.now < ends):
            self._waiting.append(hub.current)
            try:
                hub.park(None if ends is None else ends - hub.now)
            finally:
                self._waiting.remove(hub.current)
        return self.get_nowait()


class Queues:
    """The module `queue`."""

    SimpleQueue = SimpleQueue
    Empty = queue.Empty


class Silence:
    """A logger whose lines nobody reads."""

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *_, **__: None


def _random(size: int) -> bytes:
    return scheduler().chance.randbytes(size)


_IN_PLACE_OF: Final[tuple[tuple[object, object], ...]] = (
    (time, Clock),
    (time.monotonic, Clock.monotonic),
    (time.time, Clock.time),
    (queue, Queues),
    (threading.Lock, Lock),
    (threading.RLock, RLock),
    (threading.Event, Event),
    (threading.Thread, Thread),
    (uuid.uuid4, lambda: uuid.UUID(bytes=_random(16), version=4)),
    (os.urandom, _random),
    (secrets.token_hex, lambda size: _random(size).hex()),
)


def _bound() -> Iterator[tuple[Any, str, object]]:
    """Yield what of the product is to be bound anew: (whose, name, stand-in)."""
    stand_ins = {id(real): stand_in for real, stand_in in _IN_PLACE_OF}
    silence = Silence()
    for module_name, module in sorted(sys.modules.items()):
        if not module_name.startswith(PREFIXES):
            continue
        for name, value in sorted(vars(module).items()):
            if name == "_logger":
                yield module, name, silence
            elif name == "EVERY" and value is intervals.EVERY:
                yield module, name, INTERVAL
            elif id(value) in stand_ins:
                yield module, name, stand_ins[id(value)]
            for function in (value, *vars(value).values()) if isinstance(value, type) else (value,):
                if isinstance(value, LocalProxy):  # Flask's, which has nothing to show outside of a request
                    continue
                defaults = getattr(function, "__defaults__", None)
                if isinstance(defaults, tuple) and any(id(each) in stand_ins for each in defaults):
                    yield function, "__defaults__", tuple(stand_ins.get(id(each), each) for each in defaults)


@contextmanager
def substituted() -> Iterator[None]:
    """Bind the product's names and defaults to the stand-ins, and in the end to what they were bound to."""
    before: list[tuple[Any, str, object]] = []
    for whose, name, stand_in in list(_bound()):
        before.append((whose, name, getattr(whose, name)))
        setattr(whose, name, stand_in)
    try:
        yield
    finally:
        for whose, name, value in reversed(before):
            setattr(whose, name, value)


@contextmanager
def under(hub: Scheduler) -> Iterator[None]:
    """Have the stand-ins ask *hub*."""
    _now.append(hub)
    try:
        yield
    finally:
        _now.pop()
