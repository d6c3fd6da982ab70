"""Run actors one at a time, in virtual time, in an order that one seed decides.

An actor is a greenlet: it runs the product's own blocking code until that code waits for something, and then
gives way to the hub. The hub chooses the next actor that can run by chance; when none can, time moves to the
next timer. So a run is a function of its seed: no thread, no clock and no chance of the machine takes part.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Final, NoReturn

from greenlet import getcurrent, greenlet

EPOCH: Final = 1_800_000_000.0
"""The wall clock's reading, in seconds since 1970, at the start of each run."""


class Died(BaseException):
    """The process of this actor was killed: nothing of it runs on."""


class Stuck(Exception):
    """A run takes more steps than any run may."""


@dataclass(eq=False)
class Process:
    """What is killed and stopped together: the actors of one process, with a wall clock of its machine's."""

    name: str
    is_dead: bool = False
    is_stopped: bool = False
    skew_s: float = 0.0
    """How far its wall clock is ahead."""
    actors: list[Actor] = field(default_factory=list)
    held: list[Actor] = field(default_factory=list)
    """Actors that could run if the process were not stopped."""


class Actor:
    """One thread of control of one process."""

    __slots__ = ("error", "greenlet", "is_done", "is_parked", "name", "process", "ticket", "woken")

    def __init__(self, name: str, process: Process, body: Callable[[], None]) -> None:
        self.name = name
        self.process = process
        self.greenlet = greenlet(body)
        self.ticket = 0
        """Which wait it is in: the timer of an earlier one is void."""
        self.is_parked = False
        self.woken = False
        self.is_done = False
        self.error: BaseException | None = None


class Scheduler:
    """The hub of one run."""

    def __init__(self, seed: int, *, traced: bool = False, most_steps: int = 200_000) -> None:
        self.chance = Random(seed)
        self.now = 0.0
        """Seconds since the start of the run."""
        self.steps = 0
        self.trace: list[str] | None = [] if traced else None
        self.failed: list[Actor] = []
        """Actors that ended with an exception: a thread of the product that nobody sees end."""
        self._most_steps = most_steps
        self._ready: list[Actor] = []
        self._timers: list[tuple[float, int, Callable[[], object]]] = []
        self._made = 0
        self._hub = getcurrent()
        self._current: Actor | None = None

    # --- for whoever runs -----------------------------------------------------------------------------

    @property
    def current(self) -> Actor:
        """The actor that runs now."""
        assert self._current is not None, "no actor runs"
        return self._current

    @property
    def is_inside(self) -> bool:
        """Whether an actor runs now."""
        return self._current is not None

    def wall(self) -> float:
        """Return the wall clock of the process that asks, in seconds since 1970."""
        skew = self._current.process.skew_s if self._current is not None else 0.0
        return EPOCH + self.now + skew

    def park(self, seconds: float | None = None) -> bool:
        """Wait to be woken, *seconds* at most; whether it was. Raises `Died` where the process was killed."""
        actor = self.current
        if actor.process.is_dead:
            raise Died
        actor.is_parked, actor.woken = True, False
        actor.ticket = ticket = actor.ticket + 1
        if seconds is not None:
            self.after(seconds, lambda: self._wake(actor, ticket, woken=False))
        self._hub.switch()
        if actor.process.is_dead:
            raise Died
        return actor.woken

    def sleep(self, seconds: float) -> None:
        """Wait for *seconds*."""
        self.park(max(seconds, 0.0))

    def pause(self) -> None:
        """Give way to whoever else can run now."""
        if self.current.process.is_dead:
            raise Died
        self._ready.append(self.current)
        self._hub.switch()
        if self.current.process.is_dead:
            raise Died

    def wake(self, actor: Actor) -> None:
        """Have *actor*, which is parked, run on."""
        self._wake(actor, actor.ticket, woken=True)

    def _wake(self, actor: Actor, ticket: int, *, woken: bool) -> None:
        if actor.is_parked and actor.ticket == ticket and not actor.is_done:
            actor.is_parked, actor.woken = False, woken
            self._ready.append(actor)

    def after(self, seconds: float, do: Callable[[], object]) -> None:
        """Call *do* in the hub when *seconds* have passed."""
        self._made += 1
        heapq.heappush(self._timers, (self.now + seconds, self._made, do))

    def note(self, text: str) -> None:
        """Add a line to the trace, where there is one."""
        if self.trace is not None:
            who = self._current.name if self._current is not None else "-"
            self.trace.append(f"{self.now:9.4f} {who:16} {text}")

    # --- processes ------------------------------------------------------------------------------------

    def spawn(self, name: str, process: Process, run: Callable[[], object]) -> Actor:
        """Have *run* called by a new actor of *process*."""

        def body() -> None:
            try:
                run()
            except Died:
                pass
            except BaseException as error:  # noqa: BLE001 - kept, and judged at the end of the run
                actor.error = error
                self.failed.append(actor)
            actor.is_done = True
            process.actors.remove(actor)

        actor = Actor(f"{process.name}/{name}", process, body)
        actor.greenlet.parent = self._hub
        process.actors.append(actor)
        self._ready.append(actor)
        return actor

    def kill(self, process: Process) -> None:
        """End *process* at once: whatever its actors are in the middle of. For the hub alone."""
        assert self._current is None, "an actor cannot kill"
        process.is_dead = True
        for actor in list(process.actors):
            if actor.greenlet and not actor.is_done:  # it has begun, and not ended
                self._current = actor
                try:
                    actor.greenlet.throw(Died)
                finally:
                    self._current = None
            actor.is_done = True
        process.actors.clear()
        process.held.clear()

    def stop(self, process: Process) -> None:
        """Let nothing of *process* run until it is continued."""
        process.is_stopped = True

    def go_on(self, process: Process) -> None:
        """Continue what was stopped."""
        process.is_stopped = False
        self._ready += process.held
        process.held.clear()

    # --- the hub --------------------------------------------------------------------------------------

    def run(self, until: Callable[[], bool], limit_s: float) -> bool:
        """Run until *until* holds; False where *limit_s* of virtual time passed or nothing can run."""
        ends = self.now + limit_s
        while not until():
            self.steps += 1
            if self.steps > self._most_steps:
                self._give_up()
            if self._ready:
                self._resume(self._take())
            elif self._timers and self._timers[0][0] <= ends:
                self.now, _, do = heapq.heappop(self._timers)
                do()
            else:
                return False
        return True

    def _give_up(self) -> NoReturn:
        raise Stuck(f"{self.steps} steps in {self.now:.1f} s of virtual time")

    def _take(self) -> Actor:
        """Take one of those that can run, by chance."""
        ready = self._ready
        if len(ready) > 1:
            at = int(self.chance.random() * len(ready))
            ready[at], ready[-1] = ready[-1], ready[at]
        return ready.pop()

    def _resume(self, actor: Actor) -> None:
        if actor.is_done:
            return
        if actor.process.is_stopped:
            actor.process.held.append(actor)
            return
        self._current = actor
        try:
            actor.greenlet.switch()
        finally:
            self._current = None
