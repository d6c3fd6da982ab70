"""Be the store's server: one at a time, on disk before it answers, with a replica that may lag behind.

What is kept is a `MemoryLog`; what happened to it is a journal. A crash loses what was not synced: the
journal's start is played again into a new log. A failover does the same with what the replica had.
Nothing that was not synced is answered or published. In replicated mode a change is answered when the replica
has it, and is seen before: whoever reads or listens is shown what the primary has.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from service.log import StoreRefusal, Submitted
from service.log.memory import MemoryLog
from tests.simulation.scheduler import Scheduler

Mode = Literal["single", "replicated", "lagging"]
"""Alone; with a replica that has all that was answered; with one that may lack the last of it."""

SYNC_S: Final = 0.0005
SLOW_SYNC_S: Final = 0.5
REPLICATION_S: Final = 0.001
SLOW_REPLICATION_S: Final = 0.3
_PAUSE_S: Final = 0.05
"""How soon a call looks again for a primary."""
_SLOW_REPLICATION: Final = 0.1
"""How often replication is slow, of 1."""

LAG_S: Final = 0.3
"""How far a replica that nobody waits for may be behind."""


Step = tuple[str, tuple[Any, ...], dict[str, Any]]
"""A method of the log with its arguments."""

_SOON_S: Final = 0.003
"""Within how many seconds of a call something happens that waits for it."""

_SPLIT: Final = 0.1
"""How often a pipeline is read in two pieces, of 1 for each step."""


@dataclass(eq=False)
class Call:
    """One pipeline of requests to the server, and their answers."""

    steps: tuple[Step, ...]
    changes: bool
    answered: Callable[[Call], object]
    """Called in the hub as soon as the answers leave the server."""
    broken: Callable[[], object]
    """Called in the hub when the connection breaks before that."""
    answers: list[Any] = field(default_factory=list)
    """The answer of each step; a refusal is an exception."""


@dataclass
class Subscription:
    """One connection that listens."""

    name: str
    args: tuple[Any, ...]
    told: Callable[[list[Any]], object]
    broken: Callable[[], object]
    source: Any = None
    """The listener of the log that is kept now."""


@dataclass
class Line:
    """One change of the journal: a method of the log, its arguments, and when it ran."""

    name: str
    args: tuple[Any, ...]
    more: dict[str, Any]
    at: float


@dataclass
class Server:
    """The primary, and the replica as far as it matters: how much of the journal it has."""

    hub: Scheduler
    mode: Mode
    slow_syncs: float = 0.0
    """How many syncs of the disk are slow, of 1."""
    is_up: bool = True
    is_parted: bool = False
    """Whether the replica gets nothing."""
    generation: int = 0
    """Counts crashes and failovers: what was on its way to an earlier one is lost."""
    journal: list[Line] = field(default_factory=list)
    synced: int = 0
    replicated: int = 0
    answers_early: bool = False
    """A planted fault: it answers before it syncs."""
    waits_for_replica: bool = True
    """False is a planted fault of replicated mode: it answers before the replica has it."""
    lost_at: float = -1.0
    """When a failover last lost what may have been answered."""
    lost: dict[tuple[str, int], float] = field(default_factory=dict)
    """When a failover last lost a commit that may have been seen, by encounter and number."""
    calls: int = 0
    armed: list[tuple[str, Callable[[], object]]] = field(default_factory=list)
    """What happens a moment after the next call of a name."""
    stood: dict[tuple[str, int], float] = field(default_factory=dict)
    """Since when each commit is safe, by encounter and number."""
    appended: dict[tuple[str, int], float] = field(default_factory=dict)
    """When each command was appended, by encounter and number."""

    def __post_init__(self) -> None:
        self._replaying: float | None = None
        self.kind: type[MemoryLog] = MemoryLog
        """What it keeps; a planted fault keeps something else."""
        self.log = self.kind(self._clock)
        self.subscriptions: list[Subscription] = []
        self._inbox: list[Call] = []
        self._pending: list[Call] = []
        """What ran and is answered with the next sync."""
        self._awaited: list[tuple[int, Call]] = []
        """What is synced and is answered when the replica has as much of the journal."""
        self._unsaid: list[tuple[Subscription, list[Any]]] = []
        self._is_busy = False
        self._safe = 0

    def _clock(self) -> float:
        return self.hub.now if self._replaying is None else self._replaying

    # --- calls ----------------------------------------------------------------------------------------

    def arrive(self, call: Call) -> None:
        """Take *call* from the network; a server that is down breaks the connection.

        In a cluster a call finds out before it is sent, and waits for the next primary, as in the product.
        """
        if not self.is_up and self.mode != "single":
            self.hub.after(_PAUSE_S * self.hub.chance.random(), lambda: self.arrive(call))
            return
        if not self.is_up:
            call.broken()
            return
        self._inbox.append(call)
        if not self._is_busy:
            self._work()

    def _work(self) -> None:
        """Run what has arrived, then sync, then answer."""
        batch, self._inbox = self._inbox, []
        before = len(self.journal)
        done = [call for call in batch if self._run(call)]
        if self.answers_early:
            self._answer(done)
        else:
            self._pending = done
        if len(self.journal) == before:
            self._done()
            return
        self._is_busy = True
        slow = self.slow_syncs and self.hub.chance.random() < self.slow_syncs
        self._later((SLOW_SYNC_S if slow else SYNC_S) * self.hub.chance.random(), self._flush)

    def _run(self, call: Call) -> bool:
        """Run the steps of *call* that were read; whether all of them were."""
        for name, args, more in call.steps[len(call.answers) :]:
            if call.answers and self.hub.chance.random() < _SPLIT:
                self._inbox.append(call)
                return False
            self.calls += 1
            if self.armed:
                self._set_off(name)
            try:
                call.answers.append(getattr(self.log, name)(*args, **more))
            except StoreRefusal as refusal:
                call.answers.append(refusal)
                continue
            answer = call.answers[-1]
            if isinstance(answer, Submitted) and not answer.replayed:
                for n in range(answer.n, answer.n + 1 + len(more.get("more", ()))):
                    self.appended[args[0], n] = self.hub.now
            if call.changes:
                self.journal.append(Line(name, args, more, self.hub.now))
                self._hear()
        return True

    def _set_off(self, name: str) -> None:
        """Let happen what waits for a call of *name*."""
        off = [do for on, do in self.armed if name.startswith(on)]
        self.armed = [(on, do) for on, do in self.armed if not name.startswith(on)]
        for do in off:
            self.hub.after(self.hub.chance.random() * _SOON_S, do)

    def _hear(self) -> None:
        """Collect what the log published, for each who listens."""
        for subscription in self.subscriptions:
            heard: list[Any] = []
            while (message := subscription.source.get(0)) is not None:
                heard.append(message)
            if heard:
                self._unsaid.append((subscription, heard))

    def _flush(self) -> None:
        self.synced = len(self.journal)
        self._replicate()
        self._done()

    @property
    def _waits(self) -> bool:
        """Whether a change is answered when the replica has it."""
        return self.mode == "replicated" and self.waits_for_replica

    def _replicate(self) -> None:
        """Let the replica have later what is synced now."""
        if self.mode == "single":
            return
        upto, longest = self.synced, LAG_S
        if self._waits:
            is_slow = self.hub.chance.random() < _SLOW_REPLICATION
            longest = SLOW_REPLICATION_S if is_slow else REPLICATION_S

        def arrive() -> None:
            if not self.is_parted:
                self.replicated = max(self.replicated, upto)
                self._confirm()

        self._later(longest * self.hub.chance.random(), arrive)

    def _done(self) -> None:
        """Publish what is synced, answer what waits for no replica, and go on with what arrived meanwhile."""
        answers, self._pending = self._pending, []
        unsaid, self._unsaid = self._unsaid, []
        for subscription, heard in unsaid:
            subscription.told(heard)
        if self._waits:
            self._awaited += [(self.synced, call) for call in answers if call.changes]
            answers = [call for call in answers if not call.changes]
        self._answer(answers)
        self._confirm()
        self._is_busy = False
        if self._inbox:
            self._work()

    def _confirm(self) -> None:
        """Note what is safe now, and answer what waited for that."""
        safe = self.replicated if self._waits else self.synced
        for line in self.journal[self._safe : safe]:
            if line.name == "commit":
                self.stood.setdefault((line.args[0], line.args[1].n), self.hub.now)
        self._safe = max(self._safe, safe)
        confirmed = [call for upto, call in self._awaited if upto <= self.replicated]
        self._awaited = [(upto, call) for upto, call in self._awaited if upto > self.replicated]
        self._answer(confirmed)

    @staticmethod
    def _answer(calls: list[Call]) -> None:
        for call in calls:
            call.answered(call)

    def _later(self, seconds: float, do: Callable[[], object]) -> None:
        """Call *do* later, unless this server is gone by then."""
        generation = self.generation

        def if_alive() -> None:
            if self.generation == generation:
                do()

        self.hub.after(seconds, if_alive)

    def subscribe(self, subscription: Subscription) -> None:
        """Begin to tell *subscription*; raises nothing, a server that is down breaks it."""
        if not self.is_up:
            subscription.broken()
            return
        subscription.source = getattr(self.log, subscription.name)(*subscription.args)
        self.subscriptions.append(subscription)

    def follow(self, subscription: Subscription, buckets: Sequence[int]) -> None:
        """Tell it of these buckets, too."""
        if subscription in self.subscriptions:
            subscription.source.follow(buckets)

    def leave(self, subscription: Subscription, buckets: Sequence[int]) -> None:
        """Tell it no more of these buckets."""
        if subscription in self.subscriptions:
            subscription.source.leave(buckets)

    def unsubscribe(self, subscription: Subscription) -> None:
        """Stop telling it."""
        if subscription in self.subscriptions:
            self.subscriptions.remove(subscription)
            subscription.source.close()

    def encounters(self) -> list[str]:
        """Return every encounter that was appended to."""
        return sorted({line.args[0] for line in self.journal if line.name.startswith("submit")})

    def keep(self, kind: type[MemoryLog]) -> None:
        """Keep *kind* instead, from the start."""
        self.kind = kind
        self._replay()

    # --- faults ---------------------------------------------------------------------------------------

    def crash(self) -> None:
        """Lose what is not synced, and be down."""
        self.hub.note(f"the store crashes: {len(self.journal) - self.synced} changes lost")
        self._cut(self.synced)
        self.replicated = min(self.replicated, self.synced)
        self.is_up = False

    def restart(self) -> None:
        """Serve what was synced."""
        if not self.is_up:
            self.hub.note("the store is up")
            self._replay()
            self.is_up = True
            self._replicate()

    def part(self) -> None:
        """Let nothing more come to the replica."""
        self.hub.note("the replica is cut off")
        self.is_parted = True

    def fail_over(self) -> None:
        """Lose the primary with all that the replica has not; the replica takes its place with `restart`."""
        answered = self.replicated < self.synced
        self.hub.note(f"failover: {len(self.journal) - self.replicated} changes lost")
        for line in self.journal[self.replicated : self.synced]:
            if line.name == "commit":
                self.lost[line.args[0], line.args[1].n] = self.hub.now
        self._cut(self.replicated)
        self.synced = len(self.journal)
        if answered and self.mode == "lagging":
            self.lost_at = self.hub.now
        self.is_up = self.is_parted = False

    def _cut(self, upto: int) -> None:
        del self.journal[upto:]
        self._safe = min(self._safe, upto)
        self.generation += 1
        waiting = [*self._pending, *self._inbox, *(call for _, call in self._awaited)]
        self._pending, self._inbox, self._unsaid, self._is_busy = [], [], [], False
        self._awaited = []
        subscriptions, self.subscriptions = self.subscriptions, []
        for call in waiting:
            call.broken()
        for subscription in subscriptions:
            subscription.broken()

    def _replay(self) -> None:
        self.log = self.kind(self._clock)
        for line in self.journal:
            self._replaying = line.at
            getattr(self.log, line.name)(*line.args, **line.more)
        self._replaying = None
