"""The long checks: what one run of each does, and its part of the time.

A run takes one or two minutes and a seed of its own; `make overnight` repeats it until the check's part of
the budget is used up. So every check has a turn, however short the night is.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
PYTHONS: Final = ROOT / ".venv" / "pythons"


@dataclass(frozen=True)
class Check:
    """One check: how a run is started, what it does, and how long it may take."""

    name: str
    share: int
    """Its part of the budget, in parts of the sum."""
    work: int
    """How many of *unit* one run does."""
    unit: str
    command: Callable[[int], Sequence[str]]
    """The command line for a seed."""
    environment: Callable[[int], Mapping[str, str]] = lambda _seed: {}
    limit_s: int = 1_200
    """Seconds of processor time after which a run hangs, which is a failure."""
    repeats: bool = True
    """Whether another seed makes another run; else one run is all."""


def _module(name: str, count: int) -> Callable[[int], Sequence[str]]:
    """Return the command line of a module that takes how many, and the first seed."""
    return lambda seed: (sys.executable, "-m", name, str(count), str(seed))


def _pythons(_seed: int) -> Sequence[str]:
    found = sorted(str(path) for path in PYTHONS.glob("*/bin/python"))
    return (sys.executable, "-m", "tests.audit.elsewhere", "--pythons", *(found or [sys.executable]))


CHECKS: Final = (
    Check(
        "fuzz",
        share=4,
        work=1,
        unit="seed of every kind of fight",
        command=lambda seed: (sys.executable, "-m", "tests.random_play.fuzz", "1", str(seed), "all"),
    ),
    Check(
        "offered",
        share=3,
        work=1_000,
        unit="offered commands of each book",
        command=lambda seed: (
            *(sys.executable, "-m", "tests.random_play.offered"),
            *("--commands", "1000", "--seed", str(seed)),
        ),
    ),
    Check(
        "slow",
        share=2,
        work=1,
        unit="run of the tests that are too slow for `make test`",
        command=lambda _seed: (
            *(sys.executable, "-m", "pytest", "-q", "-n", "2"),
            *("--dist", "loadscope", "-m", "overnight"),
        ),
        limit_s=3_600,
        repeats=False,
    ),
    Check("undoing", 2, 1, "fight of each book", _module("tests.core.undoing", 1)),
    Check("mutations", 2, 250, "mutants", _module("tests.audit.mutations", 250)),
    Check(
        "mutants",
        share=2,
        work=1,
        unit="sample of the lines of rules, two minutes long",
        command=lambda _seed: (sys.executable, "-m", "tests.mutants"),
        environment=lambda seed: {"BUDGET": "2m", "SEED": str(seed)},
    ),
    Check("shapes", 1, 250, "bundles", _module("tests.audit.shapes", 250)),
    Check("twins", 3, 4, "scripts", _module("tests.api.twins", 4)),
    Check("cluster", 1, 5, "failovers of a cluster under load", _module("tests.cluster", 5)),
    Check("streams", 1, 25, "clients cut 50 times", _module("tests.streams", 25)),
    Check(
        "contract",
        share=2,
        work=20,
        unit="seconds as each role",
        command=_module("tests.contract", 20),
    ),
    Check("pythons", 1, 1, "run of the golden fights on every Python", _pythons, repeats=False),
    Check("dice", 1, 50, "live fights attacked", _module("tests.dice", 50)),
    Check("draws", 1, 20, "epochs of 4,996 draws", _module("tests.clients.draws", 20)),
    Check("simulate", 2, 5_000, "schedules", _module("tests.simulation", 5_000)),
    Check(
        "nemesis",
        share=3,
        work=20,
        unit="kills",
        command=lambda _seed: (sys.executable, "-m", "tests.nemesis"),
        environment=lambda seed: {"KILLS": "20", "SEED": str(seed)},
    ),
    Check(
        "rehearsal",
        share=1,
        work=1,
        unit="rehearsal of what an operator does",
        command=lambda _seed: (sys.executable, "-m", "tests.rehearsal"),
        repeats=False,
    ),
)
"""In the order in which they take their turns."""
