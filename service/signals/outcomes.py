"""Pass commits to the requests that wait for them, through one subscription per process.

Laws. A request never waits for a commit that was already received. Commits missed while the subscription
was broken are read from the log. A waiting request costs no connection; a request that stops waiting leaves
nothing behind.

A process on an event loop hears the commits that it asked for, those that concern every process, and all
commits of a bucket that it follows. A request that waits for a commit which another process may have asked
for follows the bucket first, then looks into the log, and then waits. A process without a loop hears all.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from threading import Event, Lock, Thread
from typing import Final

import structlog

from service.caches import RecentCache
from service.log import Listener, Log, Outcome, StoreFailure
from service.log.valkey.loop_log import LoopLog
from service.signals.followed import Followed, concerns_all
from service.steps import Pause, Wakeup

REMEMBERED: Final = 1_024
"""How many outcomes are remembered for requests that ask a moment after these were received."""

USUAL: Final = 64 * 1_024
"""The bytes of an outcome that counts as one of them; a larger one counts as several."""

TICK: Final = 0.1
"""Seconds that the thread waits for a message before it asks again."""

PAUSE: Final = 0.5
"""Seconds between two attempts to subscribe."""

_logger: Final = structlog.get_logger()

Place = tuple[str, int]

Waiter = Callable[[], object]
"""Wakes a waiting request; it may be called from any thread."""


class OutcomeListener:
    """The process's one subscriber."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._lock = Lock()
        self._hearing = Lock()
        """Held while one commit is heard: a thread may have read what is published at the same time."""
        self._heard: RecentCache[Place, Outcome] = RecentCache(REMEMBERED * USUAL, size_of=_size)
        self._doubted: set[Place] = set()
        """Heard by an earlier subscription; these must be read from the log."""
        self._waiting: dict[Place, list[Waiter]] = {}
        self._hooks: list[Callable[[Outcome], None]] = [self._hear_admission]
        self._admission_hooks: list[Callable[[Outcome], None]] = []
        self._awaited_hooks: list[Callable[[Outcome], None]] = []
        self._resubscribed_hooks: list[Callable[[], None]] = []
        self._lost_hooks: list[Callable[[], None]] = []
        self.followed = Followed()
        """The buckets whose commits this process receives."""
        self._stop = Event()
        self._listener: Listener[Outcome] | None = None
        """What the thread listens to now."""
        self._stands = Event()
        self._thread = Thread(target=self._run, name="outcomes", daemon=True)

    def start(self) -> None:
        """Start listening; return at once."""
        self._thread.start()

    def close(self) -> None:
        """Stop listening."""
        self._stop.set()
        listener = self._listener
        if listener is not None:
            listener.interrupt()
        if self._thread.is_alive():
            self._thread.join()

    @property
    def is_active(self) -> bool:
        """Whether the subscription is active."""
        return self._stands.is_set()

    @property
    def waiting(self) -> int:
        """The number of commits that requests wait for."""
        return len(self._waiting)

    def on_each(self, hook: Callable[[Outcome], None]) -> None:
        """Call *hook* with every commit heard, before its waiters are woken; *hook* must be quick."""
        self._hooks.append(hook)

    def on_admission(self, hook: Callable[[Outcome], None]) -> None:
        """Call *hook* as `on_each` does, but only with commits that may change who is let in."""
        self._admission_hooks.append(hook)

    def on_awaited(self, hook: Callable[[Outcome], None]) -> None:
        """Call *hook* with every commit that a request waits for, before its waiters are woken."""
        self._awaited_hooks.append(hook)

    def on_resubscribed(self, hook: Callable[[], None]) -> None:
        """Call *hook* whenever a subscription begins, because commits may have been missed."""
        self._resubscribed_hooks.append(hook)

    def on_lost(self, hook: Callable[[], None]) -> None:
        """Call *hook* whenever the subscription is lost: a failover may have taken back heard commits."""
        self._lost_hooks.append(hook)

    def pause(self, encounter: str, n: int, seconds: float, *, asked: bool = False) -> Pause[Outcome | None]:
        """Return the wait for commit *n*, in a thread or on a loop; see `wait`."""
        given = (encounter, n, seconds)
        return Pause(partial(self.wait, *given, asked=asked), partial(self.park, *given, asked=asked))

    def wait(self, encounter: str, n: int, seconds: float, *, asked: bool = False) -> Outcome | None:
        """Return commit *n* as soon as it is written, None if that takes longer than *seconds*.

        Set *asked* if this process has just appended the command, because the commit is then published to it.
        """
        place = (encounter, n)
        held = Lock()
        held.acquire()  # lighter than an Event, which has two locks; it is released when the commit is heard
        heard = self._expect(place, held.release)
        if heard is not None:
            return heard
        looks = not asked and seconds > 0
        follow = self.followed.follow(encounter) if looks else None
        try:
            if follow is not None:
                follow.begun.block()
            if (looks or self._is_doubted(place)) and (read := self._read(place)) is not None:
                return self._found(read)
            held.acquire(timeout=seconds)
        finally:
            self._forget(place, held.release)
            if follow is not None:
                follow.close()
        return self._heard.get(place) or self._read(place)

    async def park(self, encounter: str, n: int, seconds: float, *, asked: bool = False) -> Outcome | None:
        """Do as `wait` does on an event loop; the store is asked by a thread of the loop's pool."""
        place = (encounter, n)
        wakeup = Wakeup()
        heard = self._expect(place, wakeup.ring)
        if heard is not None:
            return heard
        looks = not asked and seconds > 0
        follow = self.followed.follow(encounter) if looks else None
        try:
            if follow is not None:
                await follow.park()
            if (looks or self._is_doubted(place)) and (read := await self._read_in_pool(place)) is not None:
                return self._found(read)
            await wakeup.wait(seconds)
        finally:
            self._forget(place, wakeup.ring)
            if follow is not None:
                follow.close()
        return self._heard.get(place) or await self._read_in_pool(place)

    def _found(self, read: Outcome) -> Outcome:
        """Return what was *read*; who hears each commit hears it first, as if it had been published."""
        if not self._is_doubted((read.encounter, read.n)):
            self._hear(read)
        return read

    def _is_doubted(self, place: Place) -> bool:
        return not self._stands.is_set() or place in self._doubted

    async def _read_in_pool(self, place: Place) -> Outcome | None:
        return await asyncio.get_running_loop().run_in_executor(None, self._read, place)

    def _expect(self, place: Place, bell: Waiter) -> Outcome | None:
        """Return the commit at *place* if it was heard; else call *bell* when it is."""
        with self._lock:
            heard = self._heard.get(place)
            if heard is None:
                self._waiting.setdefault(place, []).append(bell)
        return heard

    def _forget(self, place: Place, bell: Waiter) -> None:
        with self._lock:
            bells = self._waiting.get(place)
            if bells is not None and bell in bells:
                bells.remove(bell)
                if not bells:
                    del self._waiting[place]

    def _read(self, place: Place) -> Outcome | None:
        encounter, n = place
        entries = self._log.commits(encounter, n - 1, 1)
        return next((Outcome(encounter, n, entry.raw) for entry in entries if entry.n == n), None)

    async def listen_on(self, log: LoopLog) -> None:
        """Listen on the running event loop, instead of in the thread, until cancelled."""
        lost = ""

        async def begun() -> None:
            nonlocal lost
            lost = ""
            await self.followed.begin(log)
            await asyncio.get_running_loop().run_in_executor(None, self._begin)

        while True:
            try:
                await log.hear_outcomes(self._hear, begun)
            except StoreFailure as failure:
                lost = self._note_loss(lost, failure)
            finally:
                self.followed.end()
            await asyncio.sleep(PAUSE)

    def _begin(self) -> None:
        """Catch up after subscribing, because commits may have been missed before."""
        self._catch_up()
        for hook in self._resubscribed_hooks:
            hook()
        self._stands.set()

    def _note_loss(self, lost: str, failure: StoreFailure) -> str:
        """Log the loss of the subscription unless it repeats the last logged one; return its text."""
        self._stands.clear()
        self._doubt()
        if str(failure) != lost:  # an outage is one line, not one for each attempt
            _logger.warning("outcomes.lost", why=str(failure))
        return str(failure)

    def _run(self) -> None:
        lost = ""
        while not self._stop.is_set():
            try:
                with self._log.listen_outcomes() as listener:
                    lost = ""
                    self._listener = listener
                    self._begin()
                    self._listen(listener)
            except StoreFailure as failure:
                lost = self._note_loss(lost, failure)
                self._stop.wait(PAUSE)
            finally:
                self._listener = None

    def _listen(self, listener: Listener[Outcome]) -> None:
        while not self._stop.is_set():
            outcome = listener.get(TICK)
            if outcome is not None:
                self._hear(outcome)

    def _hear(self, outcome: Outcome) -> None:
        place = (outcome.encounter, outcome.n)
        with self._hearing:
            known = self._heard.get(place)
            if known is not None and known.raw == outcome.raw:
                return  # it was read, or it was asked for here and its bucket is followed
            _call(self._hooks, outcome)  # first: who asks from the next line on waits no more
            with self._lock:
                self._heard.put(place, outcome)
                bells = self._waiting.pop(place, ())
        if bells:
            _call(self._awaited_hooks, outcome)
        for bell in bells:
            bell()

    def _hear_admission(self, outcome: Outcome) -> None:
        if concerns_all(outcome.raw):
            _call(self._admission_hooks, outcome)

    def _doubt(self) -> None:
        """Let heard commits be read again: a server may lose one and give its number to another commit."""
        with self._lock:
            self._doubted = set(self._heard.drop_all()) or self._doubted
        for hook in self._lost_hooks:
            hook()

    def _catch_up(self) -> None:
        """Read the commits missed while there was no subscription, for the requests that wait."""
        with self._lock:
            places = list(self._waiting)
        for place in places:
            read = self._read(place)
            if read is not None:
                self._hear(read)


def _size(outcome: Outcome) -> int:
    return max(USUAL, len(outcome.raw))


def _call(hooks: list[Callable[[Outcome], None]], outcome: Outcome) -> None:
    for hook in hooks:
        try:
            hook(outcome)
        except Exception:  # a failing hook must not keep the outcome from those who wait
            _logger.exception("outcomes.listener_failed", encounter=outcome.encounter, n=outcome.n)
