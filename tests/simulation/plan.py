"""Say what a run does: who takes part, what clients send, what goes wrong and when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from random import Random
from typing import Any, Final

from tests.simulation.server import Mode

LASTS_S: Final = 6.0
"""Within how many seconds of virtual time faults begin."""


@dataclass(frozen=True)
class Op:
    """One thing that a client does."""

    do: str
    """One of `_OPS`, or `burst`, or `flood`: as many arrays of fifty."""
    count: int = 1
    after_s: float = 0.0
    """How long the client waits before."""
    wait_s: float = 2.0
    """How long the request waits for its outcome."""


@dataclass(frozen=True)
class Fault:
    """One thing that goes wrong."""

    kind: str
    at: float
    who: int = 0
    lasts_s: float = 0.0
    on: str = ""
    """The call after which it happens, the first that the store runs from then on; empty: at once."""


@dataclass(frozen=True)
class Plan:
    """One run."""

    seed: int
    mode: Mode = "single"
    groups: int = 1
    encounters: int = 1
    apis: int = 1
    workers: int = 1
    clients: tuple[tuple[Op, ...], ...] = ()
    faults: tuple[Fault, ...] = ()
    noise: dict[str, float] = field(default_factory=dict)
    decision_s: float = 0.0
    """How long a worker takes to decide a command."""
    greedy: int = 0
    """The encounters, from the first on, that belong to an owner of their own."""

    @property
    def size(self) -> int:
        """How much there is to read of it."""
        ops = sum(len(each) for each in self.clients)
        return ops + 2 * len(self.faults) + 2 * len(self.noise) + self.apis + self.workers + self.groups

    def data(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return asdict(self)

    @classmethod
    def of(cls, data: dict[str, Any]) -> Plan:
        """Return the plan that `data` gave."""
        clients = tuple(tuple(Op(**op) for op in each) for each in data["clients"])
        return cls(**data | {"clients": clients, "faults": tuple(Fault(**each) for each in data["faults"])})


_OPS: Final = (
    *("add",) * 6,
    *("roll", "roll", "choose", "bad", "array", "array", "exact", "exact", "stale", "read", "read"),
    *("again", "end_round"),
)
_FAULTS: Final = (
    *("kill_worker", "kill_worker", "stop_worker", "end_worker", "kill_api", "stop_api"),
    *("crash_store", "crash_store", "cut_worker", "cut_api", "wipe_queue", "skew"),
)
_NOISE: Final = {
    "late": (0.02, 0.1, 0.3),
    "lost_answers": (0.02, 0.1),
    "lost_messages": (0.02, 0.1, 0.3),
    "lost_rings": (0.1, 0.5, 1.0),
    "doubled_rings": (0.1, 0.5),
    "slow_syncs": (0.1, 0.3),
}
"""What may go wrong all along, and how often, of 1."""


def plan_of(seed: int, mode: Mode | None = None, *, bursts: bool = False) -> Plan:
    """Return the plan that *seed* gives: a few processes, some kinds of fault, never all of them at once.

    With *bursts* clients also send commands that no worker can decide.
    """
    chance = Random(f"plan/{seed}")
    chosen: Mode = chance.choice(("single", "single", "replicated", "lagging"))
    chosen = mode or chosen
    encounters = chance.choice((1, 1, 2))
    ops = (*_OPS, "burst") if bursts else _OPS
    fewest, most = (3, 4) if chosen == "replicated" else (1, 3)  # a number that is lost is wanted by another
    clients = tuple(
        tuple(_op(chance, ops) for _ in range(chance.randint(fewest, 6)))
        for _ in range(chance.randint(fewest, most))
    )
    kinds = chance.sample(_FAULTS, chance.randint(0, 4))
    if chosen != "single":
        kinds += ["fail_over"] * (3 if chosen == "replicated" else 1)
    faults = [_fault(chance, kind) for kind in kinds for _ in range(chance.randint(1, 2))]
    noise = {
        kind: chance.choice(_NOISE[kind])
        for kind in chance.sample(sorted(_NOISE), chance.choice((0, 1, 1, 2)))
    }
    if chosen == "replicated":
        noise.setdefault("late", 0.1)  # what was decided before a failover is often sent after it
    return Plan(
        seed=seed,
        mode=chosen,
        groups=chance.choice((1, 2, 8)),
        encounters=min(encounters, len(clients)),
        apis=chance.choice((1, 2)),
        workers=chance.choice((1, 2, 2)),
        clients=clients,
        faults=tuple(sorted(faults, key=lambda fault: fault.at)),
        noise=noise,
    )


def greedy_plan_of(seed: int) -> Plan:
    """Return a plan in which one owner sends far more than a worker decides, and another plays.

    Workers are killed and ended, and nothing else goes wrong.
    """
    chance = Random(f"greedy/{seed}")
    flood = Op("flood", count=chance.randint(4, 8), wait_s=0.0)
    greedy = chance.choice((1, 1, 2))
    kinds = ("kill_worker", "kill_worker", "end_worker")
    faults = [
        Fault(chance.choice(kinds), at=round(0.5 + 5 * chance.random(), 4), who=chance.randrange(2))
        for _ in range(chance.choice((0, 1, 2)))
    ]
    polite = tuple(Op("add", after_s=0.2 + 0.4 * chance.random(), wait_s=2.0) for _ in range(14))
    return Plan(
        seed=seed,
        groups=chance.choice((1, 2, 8)),
        encounters=greedy + 1,
        workers=chance.choice((1, 2)),
        clients=((flood,),) * greedy + (polite,),
        faults=tuple(sorted(faults, key=lambda fault: fault.at)),
        noise=chance.choice(({}, {"doubled_rings": 0.5})),
        decision_s=0.02,
        greedy=greedy,
    )


def _op(chance: Random, ops: Sequence[str]) -> Op:
    return Op(
        do=chance.choice(ops),
        count=chance.randint(2, 4),
        after_s=chance.choice((0.0, 0.0, 0.0, 0.1, 0.6, 1.5)) * chance.random(),
        wait_s=chance.choice((0.0, 0.3, 2.0, 2.0)),
    )


def _fault(chance: Random, kind: str) -> Fault:
    return Fault(
        kind=kind,
        at=round(chance.random() ** 2 * LASTS_S, 4),
        who=chance.randrange(4),
        lasts_s=round(chance.choice((0.1, 0.5, 1.0, 3.0)) * chance.random(), 4),
        on=chance.choice(("", "", "submit", "submit", "commit")),
    )
