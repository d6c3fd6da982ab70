"""Count the steps of a piece of work, and stop it at its limit.

A step is a small piece of work of this project's own code: a cell that a search settles, a fact, a frame that
advances, an offer, a cell of a line. The code that does it calls `spend`, so a ruleset is counted without
knowing it. No clock is read, and what a record caches costs the same whether or not it is there already. So a
command takes the same number of steps in a worker, in an audit, and on every machine.

A piece of work inside another is counted there too. What is not counted is work that calls nothing of the
kernel: a loop in a ruleset's own Python ends with its worker, and its command is quarantined.

A read has a `Stop`, with which another thread ends it where it spends its next step: nobody waits for it any
more, or it takes too long. A decision has none, because it must come out the same everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar, Token
from types import TracebackType
from typing import Final, Generic, Self, TypeVar

V = TypeVar("V")

TOO_MUCH_WORK: Final = "too_much_work"
"""The code of the refusal of a command that takes more than `DECIDING` steps."""

DECIDING: Final = 60_000
"""The most steps of a decision: two hundred blasts take 33,000, ten minutes of drowning more than 20,000."""

READING: Final = 120_000
"""The most steps of a read: all that one request computes by the rules."""

ATTRIBUTE: Final = 10_000
"""The most steps of an attribute that is computed once (`computed_from`); it costs its readers none."""

_ANY: Final = 2**62
"""The steps that nobody limits."""


class TooMuchWork(Exception):
    """The work takes more steps than it may. No rule catches it: it ends the whole piece of work."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"it takes more than {limit} steps")
        self.limit = limit


class WorkStopped(Exception):
    """The read was stopped from outside. No rule catches it: it ends the whole read."""

    def __init__(self) -> None:
        super().__init__("it was stopped")


class Stop:
    """What another thread sets to stop a read."""

    __slots__ = ("is_set",)

    def __init__(self) -> None:
        self.is_set = False


_NEVER: Final = Stop()


class Meter:
    """The steps of one piece of work: a `with` block counts what is spent inside it.

    A read is lenient: what a record has cached costs it nothing, since no record keeps how a read comes out.
    """

    __slots__ = (
        "_around",
        "_left_before",
        "_token",
        "counted",
        "depth",
        "is_lenient",
        "left",
        "limit",
        "mark",
        "stop",
    )

    def __init__(self, limit: int = _ANY, *, is_lenient: bool = False, stop: Stop = _NEVER) -> None:
        self.limit = limit
        self.left = limit
        self.is_lenient = is_lenient
        self.counted = 0
        """The steps that were spent or are cached."""
        self.depth = 0
        """How many values are being computed that a record will cache, each inside the one before it."""
        self.stop = stop
        """What stops the work; a piece of work inside another stops with it."""
        self.mark = object()
        """What says of a cached value that this piece of work has spent its steps."""

    @property
    def spent(self) -> int:
        """The steps that were spent."""
        return self.limit - self.left

    def __enter__(self) -> Self:
        """Count from here on, as far as the work around it allows."""
        around = _METER.get()
        self._around: Meter | None = around
        self._token: Token[Meter | None] = _METER.set(self)
        if around is not None and self.stop is _NEVER:
            self.stop = around.stop
        if around is not None and around.left < self.left:
            self.limit -= self.left - around.left
            self.left = around.left
        self._left_before = self.left
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Charge the work around it; raises `TooMuchWork` if that has no steps left."""
        _METER.reset(self._token)
        if self._around is not None:
            self._around.charge(self._left_before - self.left)

    def spend(self, steps: int) -> None:
        """Count *steps*; raises `TooMuchWork` beyond the limit, and `WorkStopped`."""
        self.charge(steps)
        if self.stop.is_set:
            raise WorkStopped

    def charge(self, steps: int) -> None:
        """Count *steps* that are done, which nobody stops any more; raises `TooMuchWork`."""
        self.counted += steps
        self.left -= steps
        if self.left < 0:
            raise TooMuchWork(self.limit)


_METER: Final[ContextVar[Meter | None]] = ContextVar("meter", default=None)


def spend(steps: int = 1) -> None:
    """Count *steps* of what is being done; raises `TooMuchWork` beyond its limit, and `WorkStopped`."""
    meter = _METER.get()
    if meter is not None:
        meter.counted += steps
        meter.left -= steps
        if meter.left < 0:
            raise TooMuchWork(meter.limit)
        if meter.stop.is_set:
            raise WorkStopped


def end_if_stopped() -> None:
    """Raise `WorkStopped` if the read that is being done is stopped; for work that spends no steps."""
    meter = _METER.get()
    if meter is not None and meter.stop.is_set:
        raise WorkStopped


class Cached(Generic[V]):
    """A value that a record caches, and the steps that it takes to compute it.

    A piece of work spends them once, whether it computes the value or finds it. Inside the computation of
    another value they are spent each time: so that value costs the same, whoever computes it and when.
    """

    __slots__ = ("_mark", "_steps", "value")

    def __init__(self, compute: Callable[[], V]) -> None:
        meter = _METER.get()
        if meter is None:
            with Meter() as alone:
                self._compute(compute, alone)
        else:
            self._compute(compute, meter)

    def _compute(self, compute: Callable[[], V], meter: Meter) -> None:
        before = meter.counted
        meter.depth += 1
        try:
            self.value = compute()
        finally:
            meter.depth -= 1
        self._steps = meter.counted - before
        self._mark: object = None if meter.depth else meter.mark

    def read(self) -> V:
        """Return the value; raises `TooMuchWork` if its steps are more than are left."""
        if self._steps:
            self._spend()
        return self.value

    def _spend(self) -> None:
        meter = _METER.get()
        if meter is None:
            return
        if meter.is_lenient:
            meter.counted += self._steps
        elif meter.depth:
            meter.spend(self._steps)
        elif self._mark is not meter.mark:
            self._mark = meter.mark
            meter.spend(self._steps)


def apart(compute: Callable[[], V], limit: int = ATTRIBUTE) -> V:
    """Return what *compute* returns; it has *limit* steps of its own, and the work around it spends none.

    So it raises `TooMuchWork` always or never, whoever reads first what it computes.
    """
    token = _METER.set(Meter(limit))
    try:
        return compute()
    finally:
        _METER.reset(token)
