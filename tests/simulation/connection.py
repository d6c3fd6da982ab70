"""Speak to the simulated server as `ValkeyLog` speaks to the real one: one process's side of the wire.

Every call takes time both ways and may be overtaken. Without an answer, a read or a call that was never sent
raises `StoreUnavailable`, and a change that may have happened `OutcomeUnknown`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Self, cast

from service.log import CommitWrite, Log, OutcomeUnknown, StaleCommit, StoreUnavailable
from tests.simulation.scheduler import Actor, Died, Process, Scheduler
from tests.simulation.server import Call, Server, Step, Subscription

ANSWER_S: Final = 5.0
"""How long an answer is waited for, as the product's wire does."""

_UNSENT: Final = 0.5
"""How often a process that is killed while a call is on its way had not sent it yet, of 1."""

READS: Final = frozenset(
    {
        *(
            "head",
            "sizes",
            "look",
            "commands",
            "commits",
            "sealed",
            "marks",
            "marks_named",
            "find_key",
            "secret",
            "state",
        ),
        *("dirty", "record", "records", "records_named", "due", "memory", "ping"),
        *("tails", "snapshots", "snapshot", "occasions"),
    }
)
"""What changes nothing; whatever else the log can do is a change and stands in the journal."""


@dataclass
class Noise:
    """What goes wrong on the wire, each as how often, of 1."""

    late: float = 0.0
    """A call or an answer takes up to two seconds."""
    lost_answers: float = 0.0
    lost_messages: float = 0.0
    """A published message reaches one listener not."""


class Wire:
    """The line between one process and the server."""

    def __init__(self, hub: Scheduler, process: Process, server: Server, noise: Noise) -> None:
        self.hub = hub
        self.process = process
        self.server = server
        self.noise = noise
        self.is_cut = False
        """Whether nothing comes through: neither calls nor answers nor messages."""
        self.subscriptions: list[Subscription] = []

    def latency(self) -> float:
        """Return how long one way takes, in seconds."""
        chance = self.hub.chance
        if self.happens(self.noise.late):
            return chance.random() * 2.0
        return 0.0001 + chance.random() * 0.001

    def hang_up(self) -> None:
        """Close what a process that has ended left open, as its machine does."""
        for subscription in self.subscriptions:
            self.hub.after(self.latency(), partial(self.server.unsubscribe, subscription))

    def happens(self, often: float) -> bool:
        """Tell whether what goes wrong so *often*, of 1, goes wrong now."""
        return bool(often) and self.hub.chance.random() < often

    def call(self, name: str, *args: Any, changes: bool, **more: Any) -> Any:
        """Have the server do *name*, and return its answer or raise its refusal."""
        answer = self.call_all(((name, args, more),), changes=changes)[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    def call_all(self, steps: tuple[Step, ...], *, changes: bool) -> list[Any]:
        """Have the server do *steps* in order, in one round trip; their answers, refusals among them."""
        hub = self.hub
        if hub.current.process.is_dead:
            raise Died
        exchange = _Exchange(self, hub.current, steps)
        call = Call(steps, changes, exchange.answered, exchange.broken)
        hub.after(self.latency(), lambda: self._arrive(call, exchange))
        ends = hub.now + ANSWER_S
        while exchange.end is None and hub.now < ends:
            hub.park(ends - hub.now)
        if exchange.end != "answered":
            exchange.end = exchange.end or "timeout"
            text = f"{steps[0][0]} is not answered: {exchange.end}"
            hub.note(text)
            raise (OutcomeUnknown if changes else StoreUnavailable)(text)
        if hub.trace is not None:
            for (step, args, _), answer in zip(steps, call.answers, strict=True):
                hub.note(f"{step}({', '.join(map(_short, args))}) -> {_short(answer)}")
        return call.answers

    def _arrive(self, call: Call, exchange: _Exchange) -> None:
        if self.process.is_dead and self.hub.chance.random() < _UNSENT:
            return
        if self.is_cut:
            exchange.is_lost()
        else:
            self.server.arrive(call)


class _Exchange:
    """One round trip, as its caller sees it."""

    def __init__(self, wire: Wire, caller: Actor, steps: tuple[Step, ...]) -> None:
        self._wire = wire
        self._caller = caller
        self._name = steps[0][0]
        self.end: str | None = None
        """How it ended: `answered`, `cut`, `broken` or `timeout`."""

    def answered(self, _call: Call) -> None:
        """Carry the answers to the caller, or lose them."""
        wire = self._wire
        if wire.is_cut or wire.happens(wire.noise.lost_answers):
            wire.hub.note(f"the answer to {self._name} is lost")
            self.is_lost()
        else:
            wire.hub.after(wire.latency(), lambda: self._over("answered"))

    def broken(self) -> None:
        """Tell the caller that the connection broke."""
        self._over("broken")

    def is_lost(self) -> None:
        """Let the caller find out later that no answer comes."""
        self._wire.hub.after(self._wire.hub.chance.random(), lambda: self._over("cut"))

    def _over(self, end: str) -> None:
        if self.end is None:
            self.end = end
            self._wire.hub.wake(self._caller)


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


class Connection:
    """The log, as one process has it: every method of the protocol, each as a call or as a subscription."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_") or not hasattr(Log, name):
            raise AttributeError(name)
        if name.startswith("listen_"):
            made: Callable[..., Any] = partial(Heard, self._wire, name)
        else:
            waits = name == "find_key" and self._wire.server.mode == "replicated"
            made = partial(self._wire.call, name, changes=waits or name not in READS)
        setattr(self, name, made)
        return made

    def look(self, encounter: str, after: int, count: int) -> Any:
        """Read the head, then commands: in one round trip, and not in one step."""
        steps: tuple[Step, ...] = (("head", (encounter,), {}), ("commands", (encounter, after, count), {}))
        return tuple(self._wire.call_all(steps, changes=False))

    def commit(self, encounter: str, *folds: CommitWrite) -> int:
        """Send each commit as a step of its own: some may be written where others are lost."""
        answers = self._wire.call_all(tuple(_commit(encounter, fold) for fold in folds), changes=True)
        if isinstance(answers[-1], StaleCommit):
            raise answers[-1]
        return sum(each == 1 for each in answers)

    def commit_all(self, batch: Sequence[tuple[str, Sequence[CommitWrite]]]) -> list[StaleCommit | None]:
        """As `commit`, for several encounters."""
        steps = tuple(_commit(encounter, fold) for encounter, folds in batch for fold in folds)
        answers = iter(self._wire.call_all(steps, changes=True))
        last = [[next(answers) for _ in folds][-1] for _, folds in batch]
        return [each if isinstance(each, StaleCommit) else None for each in last]

    def call(self, name: str, *args: Any, **more: Any) -> Any:
        """Send one change, also one that only a planted fault knows."""
        return self._wire.call(name, *args, changes=True, **more)

    def close(self) -> None:
        """Give nothing back: there is nothing."""


def _commit(encounter: str, fold: CommitWrite) -> Step:
    return "commit", (encounter, fold), {}


class Heard:
    """One subscription of one process."""

    def __init__(self, wire: Wire, name: str, *args: Any) -> None:
        self._wire = wire
        self._name = name
        self._heard: deque[Any] = deque()
        self._waits: Actor | None = None
        self._is_broken = False
        self._is_interrupted = False
        self._last = 0.0
        self._subscription = Subscription(name, args, self._told, self._break)
        wire.subscriptions.append(self._subscription)
        self._exchange(partial(wire.server.subscribe, self._subscription))
        wire.hub.note(f"{name} stands")

    def _exchange(self, ask: Callable[[], object]) -> None:
        """Have the server do what changes the subscription, and wait until it has."""
        hub, wire = self._wire.hub, self._wire
        hub.sleep(wire.latency())
        if wire.is_cut or not wire.server.is_up or self._is_broken:
            raise StoreUnavailable(f"{self._name}: cannot subscribe")
        ask()
        hub.sleep(wire.latency())

    def follow(self, buckets: Sequence[int]) -> None:
        """Hear these buckets from now on, too."""
        self._exchange(partial(self._wire.server.follow, self._subscription, buckets))

    def leave(self, buckets: Sequence[int]) -> None:
        """Hear these buckets no more."""
        self._exchange(partial(self._wire.server.leave, self._subscription, buckets))

    def interrupt(self) -> None:
        """Have the `get` that waits, or the next one that finds nothing, return None."""
        self._is_interrupted = True
        self._wake()

    def _told(self, messages: list[Any]) -> None:
        """Carry *messages* to the process, in order."""
        hub = self._wire.hub
        for message in messages:
            if self._wire.is_cut or self._wire.happens(self._wire.noise.lost_messages):
                hub.note(f"a message of {self._name} is lost")
                continue
            self._last = max(self._last, hub.now + self._wire.latency())
            hub.after(self._last - hub.now, lambda message=message: self._arrive(message))  # type: ignore[misc]  # bound now, not when called

    def _arrive(self, message: object) -> None:
        self._heard.append(message)
        self._wake()

    def _break(self) -> None:
        self._is_broken = True
        self._wake()

    def _wake(self) -> None:
        if self._waits is not None:
            self._wire.hub.wake(self._waits)

    def get(self, timeout: float) -> Any:
        """Return the next message, None if none comes in time; raises `StoreUnavailable` on a broken line."""
        hub = self._wire.hub
        ends = hub.now + timeout
        while not self._heard:
            if self._is_broken:
                raise StoreUnavailable(f"{self._name}: the connection broke")
            if self._is_interrupted or hub.now >= ends:
                self._is_interrupted = False
                return None
            self._waits = hub.current
            hub.park(ends - hub.now)
            self._waits = None
        return self._heard.popleft()

    def close(self) -> None:
        """End the subscription."""
        self._wire.server.unsubscribe(self._subscription)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def connected(hub: Scheduler, process: Process, server: Server, noise: Noise) -> tuple[Log, Wire]:
    """Return the log as *process* has it, and the line it goes over."""
    wire = Wire(hub, process, server, noise)
    return cast("Log", Connection(wire)), wire
