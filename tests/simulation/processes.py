"""Be the service's processes: API processes and workers made of the product's own parts, in virtual time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, cast

from service.core.fold import Folder
from service.key_files import Keyring
from service.log import Log
from service.signals.doorbell import RqNotifier
from service.usecases.services import Services, make_services
from tests.simulation import stdlib
from tests.simulation.connection import Noise, Wire, connected
from tests.simulation.queue import Queue
from tests.simulation.scheduler import Actor, Process, Scheduler
from tests.simulation.server import Server
from tests.support.tiny_game import SHELF
from tests.support.tiny_table import KEY
from workers.fold import CommandFolder
from workers.groups import GroupFolding
from workers.heartbeat import LONGEST_S, HeartbeatThread
from workers.snapshots import SnapshotWriter
from workers.sweep import SweepThread
from workers.webhooks import WebhookSender

RESTART_S: Final = 0.3
"""How soon a process that died is started again."""


class Unanswered(Exception):
    """The process died, or the answer took longer than the client waits."""


class Failed(Exception):
    """The service says that nothing was changed, or nobody listens and nothing was sent."""

    def __init__(self, status: int, code: str) -> None:
        super().__init__(code)
        self.status = status
        self.code = code


class _Untold:
    """Tells no webhook."""

    def heard(self, encounter: str) -> None:
        """Note nothing."""

    def schedule_deliveries(self, encounter: str) -> None:
        """Put nothing there."""


class SlowFolder(CommandFolder):
    """Takes *decision_s* of virtual time for each decision, which else takes none."""

    hub: Scheduler
    decision_s = 0.0

    def _try(self, *args: Any, **more: Any) -> Any:
        if self.decision_s:
            self.hub.sleep(self.decision_s)
        return super()._try(*args, **more)


@dataclass(eq=False)
class Cluster:
    """What all processes of a run share."""

    hub: Scheduler
    server: Server
    queue: Queue
    noise: Noise
    groups: int
    decision_s: float = 0.0


class Service:
    """A process that is started again whenever it dies."""

    def __init__(self, cluster: Cluster, name: str) -> None:
        self.cluster = cluster
        self.hub = cluster.hub
        self.name = name
        self.lives = 0
        self.is_wanted = True
        self.skew_s = 0.0
        self.process: Process
        self.log: Log
        self.wire: Wire
        self.start()

    def start(self) -> None:
        """Begin a life."""
        self.lives += 1
        self.process = Process(f"{self.name}.{self.lives}", skew_s=self.skew_s)
        self.log, self.wire = connected(self.hub, self.process, self.cluster.server, self.cluster.noise)
        self.hub.spawn("main", self.process, self.main)

    def main(self) -> None:
        """Do what the process does."""
        raise NotImplementedError

    def kill(self) -> None:
        """End the process as SIGKILL does, and have it started again."""
        self.hub.note(f"{self.process.name} is killed")
        self.hub.kill(self.process)
        self.wire.hang_up()
        self.hub.after(RESTART_S, self.start)

    def skew(self, seconds: float) -> None:
        """Set the wall clock of its machine that far ahead."""
        self.hub.note(f"the clock of {self.process.name} is {seconds:+.0f} s off")
        self.skew_s = self.process.skew_s = seconds


class Api(Service):
    """One API process: it answers requests, each in an actor of its own."""

    services: Services | None = None

    def start(self) -> None:
        """Begin a life, with nothing under way."""
        self.services = None
        self._waiting: list[Actor] = []
        super().start()

    def main(self) -> None:
        """Make what a process serves with."""
        self.services = make_services(
            self.log,
            SHELF,
            ring=self.cluster.queue.ring,
            clock=stdlib.Clock.time,
            keys=Keyring.of(KEY),
            mode="durable",
        )

    def kill(self) -> None:
        """End it; whoever waits for an answer learns that none comes."""
        super().kill()
        for actor in self._waiting:
            self.hub.wake(actor)

    def ask(self, handle: Callable[[Services], Any], seconds: float) -> Any:
        """Have *handle* called in this process, as by a request from the actor that calls.

        Raises `Failed`, `Unanswered`, and what *handle* raises.
        """
        hub, me, services = self.hub, self.hub.current, self.services
        if services is None or self.process.is_dead:
            hub.sleep(0.001)
            raise Failed(503, "never sent")
        process = self.process
        found: list[Any] = []

        def serve() -> None:
            try:
                found.append(handle(services))
            except Exception as error:  # noqa: BLE001 - carried to whoever asked
                found.append(error)
            hub.wake(me)

        hub.spawn("request", process, serve)
        self._waiting.append(me)
        ends = hub.now + seconds
        while not found and not process.is_dead and hub.now < ends:
            hub.park(ends - hub.now)
        if me in self._waiting:
            self._waiting.remove(me)
        if not found:
            raise Unanswered
        if isinstance(found[0], Exception):
            raise found[0]
        return found[0]


class Worker(Service):
    """One worker: it answers rings, folds, sweeps and beats, each in an actor, as `workers.run` has it."""

    def main(self) -> None:
        """Make a worker's parts, and answer rings until it is stopped."""
        log, cluster = self.log, self.cluster
        stopping = cast("Any", stdlib.Event())
        folder = Folder(log, SHELF)
        snapshooter = SnapshotWriter(log, SHELF, stopping)
        folding = SlowFolder(log, folder, Keyring.of(KEY), snapshot=snapshooter.take)
        folding.hub, folding.decision_s = self.hub, cluster.decision_s
        ringer = cast("RqNotifier", cluster.queue)
        telling = cast("WebhookSender", _Untold())
        name = self.process.name
        fold = GroupFolding(log, folding, ringer, cluster.groups, stopping, telling)
        pulse = HeartbeatThread(log, name, folding, stopping, LONGEST_S)
        self.stopping = stopping
        self.hub.spawn("fold", self.process, fold.run)
        for lookout in (SweepThread(log, fold, name, stopping), pulse, snapshooter):
            self.hub.spawn(lookout.name, self.process, lookout.run)
        while not stopping.is_set():
            bucket = cluster.queue.take(1.0)
            if bucket is not None:
                fold.answer(bucket)

    def end(self) -> None:
        """Stop it as SIGTERM does, and have it started again once it has ended."""
        self.hub.note(f"{self.process.name} is told to stop")
        stopping = getattr(self, "stopping", None)
        if stopping is not None:
            stopping.set()
        self._restart_when_over(self.process)

    def _restart_when_over(self, process: Process) -> None:
        if process.is_dead or process is not self.process:
            return
        if process.actors:
            self.hub.after(0.05, lambda: self._restart_when_over(process))
        else:
            self.wire.hang_up()
            self.start()
