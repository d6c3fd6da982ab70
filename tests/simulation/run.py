"""Run one plan, and judge it."""

from __future__ import annotations

import gc
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from service.core.fold import ChainBroken
from service.log import StoreFailure
from tests.simulation import stdlib
from tests.simulation.client import OWNER, Book, Client, Table, view_of
from tests.simulation.connection import Noise
from tests.simulation.judge import CRASHED, HANGS, NOTICED_S, Broken, judge, late, left_behind
from tests.simulation.plan import Fault, Plan
from tests.simulation.processes import Api, Cluster, Failed, Service, Unanswered, Worker
from tests.simulation.queue import Queue
from tests.simulation.scheduler import Process, Scheduler, Stuck
from tests.simulation.server import Server

CLIENTS_S: Final = 400.0
"""Within how much virtual time every client is done."""

QUIET_S: Final = 40.0
"""Within how much virtual time everything is folded once nothing goes wrong any more."""

GREEDY: Final = "greedy"
"""The owner that sends more than a worker decides."""

DOWN_S: Final = 0.3
FAILS_OVER_S: Final = 0.01
"""How long at least it takes until a replica is in its primary's place."""

Sabotage = Callable[["World"], None]


@dataclass
class Result:
    """What became of a run."""

    plan: Plan
    broken: list[Broken]
    steps: int
    calls: int
    seconds: float
    """Of virtual time."""
    trace: list[str] = field(default_factory=list)
    faults: dict[str, int] = field(default_factory=dict)


class World:
    """Everything of one run."""

    def __init__(self, plan: Plan, *, traced: bool = False) -> None:
        self.plan = plan
        self.hub = hub = Scheduler(plan.seed, traced=traced)
        noise = plan.noise
        self.server = Server(hub, plan.mode, slow_syncs=noise.get("slow_syncs", 0.0))
        self.queue = Queue(hub, noise.get("lost_rings", 0.0), noise.get("doubled_rings", 0.0))
        self.noise = Noise(
            noise.get("late", 0.0), noise.get("lost_answers", 0.0), noise.get("lost_messages", 0.0)
        )
        self.cluster = Cluster(hub, self.server, self.queue, self.noise, plan.groups, plan.decision_s)
        self.book = Book(hub)
        self.tables = [
            Table(number, GREEDY if number < plan.greedy else OWNER) for number in range(plan.encounters)
        ]
        self.happened: dict[str, int] = {}
        self.ended_at: list[float] = []
        """When processes were killed or ended."""
        self.settles = False
        """Whether play is over and all is only waited for."""

    def run(self) -> Result:
        """Play the plan, let everything settle, and judge."""
        hub, plan = self.hub, self.plan
        broken: list[Broken] = []
        try:
            self.apis = [Api(self.cluster, f"api{i}") for i in range(plan.apis)]
            self.workers = [Worker(self.cluster, f"worker{i}") for i in range(plan.workers)]
            broken += self._play()
            broken += self._settle()
        except Stuck as stuck:
            broken.append(Broken(HANGS, "", str(stuck)))
        live = {} if broken else self._live()
        log = self.server.log
        if plan.greedy and not broken:
            polite = [table.id for table in self.tables if table.owner != GREEDY]
            broken += late(self.server, polite, self.ended_at)
        if live:
            lost_at, lost = self.server.lost_at, self.server.lost
            broken += judge(log, self.tables, self.book, live, lost_at, lost)
        for actor in hub.failed:
            error = actor.error
            broken.append(Broken(CRASHED, "", f"{actor.name}: {type(error).__name__}: {error}"))
        for each in (*self.apis, *self.workers):
            hub.kill(each.process)
        hub.kill(self.outside)
        return Result(plan, broken, hub.steps, self.server.calls, hub.now, hub.trace or [], self.happened)

    def _play(self) -> list[Broken]:
        """Have all clients do everything while faults happen."""
        plan, hub = self.plan, self.hub
        self.outside = Process("client")
        actors = []
        for number, ops in enumerate(plan.clients):
            table = self.tables[number % plan.encounters]
            client = Client(f"c{number}", hub, self.apis, table, ops, self.book)
            run = client.open if number < plan.encounters else client.run
            actors.append(hub.spawn(client.name, self.outside, run))
        for fault in plan.faults:
            hub.after(fault.at, partial(self._arm, fault))
        over = max((fault.at + fault.lasts_s + 1.0 for fault in plan.faults), default=0.0)
        hub.after(over, lambda: None)
        if not hub.run(lambda: hub.now >= over and all(actor.is_done for actor in actors), CLIENTS_S):
            left = [actor.name for actor in actors if not actor.is_done]
            return [Broken(HANGS, "", f"{', '.join(left)} after {hub.now:.0f} s")]
        return []

    def _settle(self) -> list[Broken]:
        """Let nothing go wrong any more, and wait until nothing waits."""
        hub, server = self.hub, self.server
        self.noise.late = self.noise.lost_answers = self.noise.lost_messages = 0.0
        self.queue.lost = self.queue.doubled = server.slow_syncs = 0.0
        server.armed.clear()
        self.settles = True
        hub.run(lambda: server.is_up and not server.is_parted, QUIET_S)
        for each in (*self.apis, *self.workers):
            each.skew(0.0)
        if server.lost_at >= 0:
            hub.run(lambda: hub.now > server.lost_at + NOTICED_S, 2 * NOTICED_S)
            self._repeat()
        broken = self._wait_for_quiet()
        unsettled = self.book.unsettled()
        if unsettled and not broken:
            self._repeat(unsettled)
            broken = self._wait_for_quiet()
        return broken

    def _wait_for_quiet(self) -> list[Broken]:
        """Wait until nothing waits; return what does so for too long."""
        hub, server = self.hub, self.server
        ends = hub.now + QUIET_S

        def is_quiet() -> bool:
            return not left_behind(server.log, server.encounters()) and not self._requests()

        while not is_quiet() and hub.now < ends:
            tick = hub.now + 0.25
            hub.run(lambda: False, 0.25)
            hub.now = max(hub.now, tick)
        broken = left_behind(server.log, server.encounters())
        broken += [Broken(HANGS, "", f"{name} is not answered") for name in self._requests()]
        return broken

    def _repeat(self, keys: Collection[str] | None = None) -> None:
        """Have clients send *keys* again, or everything where a failover has lost what they were answered."""
        actors = []
        for table in self.tables:
            client = Client(f"again{table.number}", self.hub, self.apis, table, (), self.book)
            actors.append(self.hub.spawn(client.name, self.outside, partial(client.repeat_all, keys)))
        self.hub.run(lambda: all(actor.is_done for actor in actors), CLIENTS_S)

    def _requests(self) -> list[str]:
        return [
            actor.name
            for api in self.apis
            for actor in api.process.actors
            if actor.name.endswith("/request") and not actor.is_done
        ]

    def _live(self) -> dict[str, tuple[int, str]]:
        """Ask an API process for the state of every encounter, as a client would."""
        live: dict[str, tuple[int, str]] = {}

        def look() -> None:
            for table in self.tables:
                while table.id and table.id not in live:
                    try:
                        folded = self.apis[0].ask(lambda host, id_=table.id: host.folder.current(id_), 8.0)  # type: ignore[misc]  # bound now
                    except (Failed, Unanswered, StoreFailure):
                        self.hub.sleep(0.1)
                    except ChainBroken:
                        live[table.id] = (0, "")
                    else:
                        live[table.id] = (folded.n, view_of(folded.state))

        actor = self.hub.spawn("last", self.outside, look)
        self.hub.run(lambda: actor.is_done, 60.0)
        return live

    # --- faults ---------------------------------------------------------------------------------------

    def _arm(self, fault: Fault) -> None:
        if fault.on:
            self.server.armed.append((fault.on, partial(self._happen, fault)))
        else:
            self._happen(fault)

    def _happen(self, fault: Fault) -> None:
        kind, _, whose = fault.kind.partition("_")
        happened = getattr(self, f"_{fault.kind}", None)
        self.happened[fault.kind] = self.happened.get(fault.kind, 0) + 1
        if kind in {"kill", "end"}:
            self.ended_at.append(self.hub.now)
        if happened is not None:
            happened(fault)
            return
        among: list[Service] = list(self.workers if whose == "worker" else self.apis)
        service = among[fault.who % len(among)]
        if service.process.is_dead:
            return
        match kind:
            case "kill":
                service.kill()
            case "stop":
                self._stop(service, fault.lasts_s)
            case "cut":
                self._cut(service, fault.lasts_s)
            case "end":
                assert isinstance(service, Worker)
                service.end()
            case _:
                raise ValueError(fault.kind)

    def _stop(self, service: Service, lasts_s: float) -> None:
        process = service.process
        self.hub.note(f"{process.name} is stopped")
        self.hub.stop(process)

        def go_on() -> None:
            self.hub.note(f"{process.name} goes on")
            self.hub.go_on(process)

        self.hub.after(lasts_s, go_on)

    def _cut(self, service: Service, lasts_s: float) -> None:
        wire = service.wire
        self.hub.note(f"the line of {service.process.name} is cut")
        wire.is_cut = True

        def mend() -> None:
            self.hub.note(f"the line of {wire.process.name} is mended")
            wire.is_cut = False

        self.hub.after(lasts_s, mend)

    def _crash_store(self, fault: Fault) -> None:
        if self.server.is_up:
            self.server.crash()
            self.hub.after(fault.lasts_s * DOWN_S, self.server.restart)

    def _fail_over(self, fault: Fault) -> None:
        """Lose the primary, at once or cut off from its replica first; the replica takes its place."""
        if self.settles:
            return  # what it would lose is noticed by nobody any more
        parted_s = fault.lasts_s * DOWN_S * (fault.who % 2)
        if parted_s:
            self.server.part()
            self.hub.after(parted_s, self.server.fail_over)
        else:
            self.server.fail_over()
        self.hub.after(parted_s + FAILS_OVER_S + fault.lasts_s * DOWN_S, self.server.restart)

    def _wipe_queue(self, _fault: Fault) -> None:
        self.queue.wipe()

    def _skew(self, fault: Fault) -> None:
        services = (*self.apis, *self.workers)
        seconds = (fault.lasts_s - 0.5) * 10
        services[fault.who % len(services)].skew(seconds)


@contextmanager
def simulating() -> Iterator[Callable[..., Result]]:
    """Give what runs plans; the product's clock, threads and chance are simulated meanwhile."""

    def run(plan: Plan, *, traced: bool = False, sabotage: Sabotage | None = None) -> Result:
        world = World(plan, traced=traced)
        with stdlib.under(world.hub):
            if sabotage is not None:
                sabotage(world)
            return world.run()

    was_on = gc.isenabled()
    with stdlib.substituted():
        gc.disable()  # cycles are collected between runs, so that no run pays for another's
        try:
            yield run
        finally:
            if was_on:
                gc.enable()
