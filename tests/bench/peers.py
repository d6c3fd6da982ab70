"""Measure other libraries beside ours, each on work of the same kind, by CPU in a process of its own.

They are installed into a scratch directory inside `.venv` and are no part of the project; one that cannot be
installed is named. None of them does the same as ours: see docs/performance.md for what each leaves out.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from tests.bench import core, fights
from tests.bench.table import TURNS, Row, median, section

PROGRAMS: Final = Path(__file__).with_name("peer_programs")
SCRATCH: Final = Path(sys.prefix) / "bench-peers"
INSTALL_S: Final = 300
COUNT: Final = 5_000


class Peer(NamedTuple):
    """Another library: its name and version, the program that uses it, and what it counts."""

    name: str
    version: str
    program: str
    counts: str

    @property
    def is_python(self) -> bool:
        """Whether it is a Python package; else one of npm."""
        return self.program.endswith(".py")


PEERS: Final = (
    Peer("eventsourcing", "9.5.6", "eventsourcing_fight.py", "commands"),
    Peer("boardgame.io", "0.50.2", "boardgame_fight.cjs", "moves"),
    Peer("pokemon-showdown", "0.11.11", "showdown_battles.cjs", "choices"),
)


@section("Peers")
def rows() -> list[Row | str]:
    """Measure deciding a simple command and an engagement beside each peer, in turns."""
    faults = {peer: _installed(peer) for peer in PEERS}
    found: dict[str, list[float]] = {peer.name: [] for peer in PEERS}
    simple: list[float] = []
    engaged: list[float] = []
    for _ in range(TURNS):
        simple.append(core.decide(fights.opening(apart=2), fights.simple())[0])
        engaged.append(core.decide(fights.opening(), fights.engagements())[0])
        for peer in PEERS:
            if faults[peer] is None:
                found[peer.name].append(_ran(peer))
    collected: list[Row | str] = []
    for peer in PEERS:
        if faults[peer] is not None:
            collected.append(f"{peer.name}: not installed ({faults[peer]})")
            continue
        rates = found[peer.name]
        collected += [
            Row(f"{peer.name} {peer.version}", median(rates), f"{peer.counts}/s of one core"),
            Row(f"deciding a simple command ÷ {peer.name}", _ratio(simple, rates), ""),
            Row(f"deciding an engagement's command ÷ {peer.name}", _ratio(engaged, rates), ""),
        ]
    return collected


def _ratio(ours: Sequence[float], theirs: Sequence[float]) -> float:
    return median(a / b for a, b in zip(ours, theirs, strict=True))


def _installed(peer: Peer) -> str | None:
    """Install *peer* unless it is there; what kept it from that, None if it is there."""
    where = SCRATCH / peer.name
    done = where / f"installed-{peer.version}"
    if done.exists():
        return None
    if peer.is_python:
        package = f"{peer.name}=={peer.version}"
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(where), package]
    else:
        npm = shutil.which("npm")
        if npm is None:
            return "there is no npm"
        package = f"{peer.name}@{peer.version}"
        command = [npm, "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts"]
        command += ["--prefix", str(where), package]
    where.mkdir(parents=True, exist_ok=True)
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=INSTALL_S)
    except subprocess.TimeoutExpired:
        return f"nothing came within {INSTALL_S} s"
    except subprocess.CalledProcessError as fault:
        return f"{Path(command[0]).name} ended with {fault.returncode}"
    done.touch()
    return None


def _ran(peer: Peer) -> float:
    """Return what the peer's program has counted a second of CPU."""
    where = SCRATCH / peer.name
    command = [sys.executable if peer.is_python else "node", str(PROGRAMS / peer.program), str(COUNT)]
    paths = {"PYTHONPATH": str(where), "NODE_PATH": str(where / "node_modules")}
    ran = subprocess.run(command, check=True, capture_output=True, env={**os.environ, **paths})
    return float(json.loads(ran.stdout.splitlines()[-1]))
