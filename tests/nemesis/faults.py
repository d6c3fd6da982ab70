"""Choose and do what goes wrong: kills, stops, full stops, and faults of disk, queue and clock.

Kills come from shuffled decks, so that each process there is has its share; between them come the other
faults. Each is done at random, or right after a request was sent, an answer or a commit was heard.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from typing import Final

import redis

from service.supervisor import EmbeddedValkey
from tests.cluster.nodes import Node
from tests.nemesis.disk import Disk
from tests.nemesis.history import History
from tests.nemesis.servers import Servers
from tests.nemesis.tree import API, BESIDE, KEEPER, MASTER, SERVE, STORE, WORKER, Tree

KILLED: Final = (
    *(STORE,) * 4,
    *(API,) * 3,
    *(WORKER,) * 3,
    BESIDE,
    *(KEEPER,) * 2,
    *(MASTER,) * 2,
    *(SERVE,) * 2,
    f"{STORE} + {API}",
    f"{STORE} + {WORKER}",
    f"{KEEPER} + {STORE}",
    f"{SERVE} + {STORE}",
    f"{SERVE} + {KEEPER}",
)
"""A deck of kills."""
PRIMARY: Final = "primary"
QUEUE: Final = "queue's server"
KILLED_ON_CLUSTER: Final = (
    *(PRIMARY,) * 6,
    *(API,) * 3,
    *(WORKER,) * 3,
    BESIDE,
    *(MASTER,) * 2,
    *(SERVE,) * 2,
    QUEUE,
    f"{PRIMARY} + {API}",
    f"{PRIMARY} + {WORKER}",
    f"{SERVE} + {PRIMARY}",
)
"""A deck of kills where the streams lie on a cluster."""
OTHERS: Final = (
    *("stop a process",) * 4,
    "stop and start serve",
    "fill the disk",
    "slow the disk",
    "wipe the queue",
    "move the clock",
)
"""A deck of the other faults."""
OTHERS_ON_CLUSTER: Final = (
    *("stop a process",) * 3,
    *("stop a primary",) * 2,
    "stop and start serve",
    "wipe the queue",
    "move the clock",
)
"""A deck of the other faults there; its servers share a disk that is not to be full."""
OTHERS_SHARE: Final = 0.35
"""How many of the actions are no kills."""
MOMENTS: Final = ("invoke", "ok", "told", "random")
"""Right after a request was sent, an answer came, a commit was told; or whenever it is."""
FLIGHT_S: Final = 2.0
JUMPS_S: Final = (3_600.0, -7_200.0, 400 * 86_400.0, -86_400.0)


@dataclass
class Nemesis:
    """Everything that goes wrong in one run."""

    tree: Tree
    disk: Disk
    history: History
    chance: Random
    servers: Servers | None = None
    """The cluster and the queue's server, where the service does not start its own."""
    longest_s: float = 4.0
    """How long a process is stopped, the disk is full or slow, the clock wrong, at most."""
    kills: int = 0
    acts: int = 0
    _decks: dict[str, Iterator[str]] = field(default_factory=dict)

    def act(self, what: str = "") -> None:
        """Do *what*, or what comes next."""
        what = what or self._next()
        deeds: dict[str, Callable[[], None]] = {
            "stop a process": self._stop,
            "stop a primary": self._stop_primary,
            "stop and start serve": self.tree.restart,
            "fill the disk": lambda: self.disk.fill(self.tree, self._seconds()),
            "slow the disk": lambda: self.disk.slow(self.tree, self._seconds()),
            "wipe the queue": self._wipe,
            "move the clock": self._jump,
        }
        if what in deeds:
            self._noted(what, 0, deeds[what])
        else:
            self._kill(what)

    def _next(self) -> str:
        if self.chance.random() < OTHERS_SHARE:
            return self._dealt("others", OTHERS_ON_CLUSTER if self.servers else OTHERS)
        return self._dealt("kills", KILLED_ON_CLUSTER if self.servers else KILLED)

    def _dealt(self, name: str, cards: tuple[str, ...]) -> str:
        """Return the next card of a deck; it is shuffled again when it is used up."""

        def deal() -> Iterator[str]:
            while True:
                yield from self.chance.sample(cards, len(cards))

        return next(self._decks.setdefault(name, deal()))

    def _noted(self, what: str, kills: int, deed: Callable[[], None], when: str = "random") -> None:
        self.acts += 1
        self.kills += kills
        act = self.acts
        in_flight = self.history.in_flight
        self.history.note("act", act=act, what=what, kills=kills, when=when, in_flight=in_flight)
        deed()
        self.history.note("over", act=act)

    # --- kills ---------------------------------------------------------------------------------------

    def _kill(self, roles: str) -> None:
        how = signal.SIGTERM if "+" not in roles and self.chance.random() < 0.2 else signal.SIGKILL
        nodes = [node for role in roles.split(" + ") for node in self._nodes(role)]
        pids = [pid for role in roles.split(" + ") for pid in self._one(role)]
        pids += [node.process.pid for node in nodes if node.process is not None]
        when = self.chance.choice(MOMENTS)
        if when != "random":
            self.history.wait_for(when, FLIGHT_S)
        if when in ("ok", "told"):  # the one that was answered is no longer in flight; another mostly is
            time.sleep(self.chance.uniform(0, 0.01))
        else:
            self.history.wait_for_flight(FLIGHT_S)

        def deed() -> None:
            for pid in pids:
                with suppress(ProcessLookupError):
                    os.kill(pid, how)

        name = roles if how == signal.SIGKILL else f"{roles} (SIGTERM)"
        if pids:
            self._noted(name, len(pids), deed, when)
        else:
            self.history.note("note", text=f"there is no {roles}")
        for node in nodes:
            assert self.servers is not None
            self.servers.bring_back(node)

    def _nodes(self, role: str) -> list[Node]:
        """Return the server of *role* that is to be killed, where the harness keeps it."""
        if self.servers is None or role not in (PRIMARY, QUEUE):
            return []
        return [self.servers.queue if role == QUEUE else self.servers.primary(self.chance)]

    def _one(self, role: str) -> list[int]:
        found = self.tree.of(role)
        return [self.chance.choice(found).pid] if found else []

    # --- what is no kill -----------------------------------------------------------------------------

    def _seconds(self) -> float:
        return self.chance.uniform(self.longest_s / 4, self.longest_s)

    def _stop(self) -> None:
        """Stop a process, and let it go on later."""
        found = self.tree.processes()
        if not found:
            return
        process = self.chance.choice(found)
        self.history.note("note", text=f"{process.role} is stopped", pid=process.pid)
        with suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGSTOP)
            time.sleep(self._seconds())
            os.kill(process.pid, signal.SIGCONT)

    def _stop_primary(self) -> None:
        """Stop a primary for so long that a replica may take its place, and let it go on."""
        assert self.servers is not None
        node = self.servers.primary(self.chance)
        self.history.note("note", text=f"primary {node.port} is stopped")
        node.signal(signal.SIGSTOP)
        time.sleep(self._seconds())
        node.signal(signal.SIGCONT)

    def _wipe(self) -> None:
        """Empty RQ's database again and again."""
        ends = time.monotonic() + self._seconds()
        url = self.servers.queue_url if self.servers else EmbeddedValkey(self.tree.home / "valkey").queue_url
        with redis.Redis.from_url(url, socket_timeout=5) as queue:
            while time.monotonic() < ends:
                with suppress(redis.RedisError):
                    queue.flushdb()
                time.sleep(0.1)

    def _jump(self) -> None:
        """Set the clock of every Python process, and set it back."""
        self.tree.clock.write_text(str(self.chance.choice(JUMPS_S)), "ascii")
        time.sleep(self._seconds())
        self.tree.clock.write_text("0", "ascii")

    def heal(self) -> None:
        """Lift whatever may be left of a fault."""
        self.tree.clock.write_text("0", "ascii")
        for process in self.tree.processes():
            with suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGCONT)
