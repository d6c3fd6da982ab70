"""Read from /proc what processes have used: CPU, and how often they waited and were woken again."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

_PROC: Final = Path("/proc")
_TICKS: Final = os.sysconf("SC_CLK_TCK")
_WAITS: Final = "voluntary_ctxt_switches:"


class Usage(NamedTuple):
    """Seconds of CPU, and voluntary context switches."""

    cpu: float = 0.0
    switches: int = 0

    def since(self, before: Usage) -> Usage:
        """Return what was used after *before*."""
        return Usage(self.cpu - before.cpu, self.switches - before.switches)


def with_children(pid: int) -> list[int]:
    """Return *pid* and the processes below it that live now."""
    parents: dict[int, list[int]] = {}
    for process in _PROC.glob("[0-9]*"):
        with suppress(OSError):
            parents.setdefault(int(_fields(process)[1]), []).append(int(process.name))
    found = [pid]
    for each in found:
        found += parents.get(each, [])
    return found


def used(pids: Iterable[int]) -> Usage:
    """Return what *pids* have used together since they began; nothing for one that has ended."""
    cpu, switches = 0.0, 0
    for pid in pids:
        with suppress(OSError):
            fields = _fields(_PROC / str(pid))
            cpu += (int(fields[11]) + int(fields[12])) / _TICKS
            for status in (_PROC / str(pid) / "task").glob("*/status"):
                switches += _waits(status)
    return Usage(cpu, switches)


def private_kb(pids: Iterable[int]) -> int:
    """Return the kilobytes of memory that *pids* have for themselves, shared pages by their shares."""
    found = 0
    for pid in pids:
        for line in (_PROC / str(pid) / "smaps_rollup").read_text().splitlines():
            if line.startswith("Pss_Anon:"):
                found += int(line.split()[1])
    return found


def _waits(status: Path) -> int:
    """Return the voluntary context switches of a thread, 0 for one that has just ended."""
    with suppress(OSError):
        for line in status.read_text().splitlines():
            if line.startswith(_WAITS):
                return int(line.removeprefix(_WAITS))
    return 0


def _fields(process: Path) -> list[str]:
    """Return what `stat` says of a process after its name: its state first, its parent second."""
    return (process / "stat").read_text().rpartition(")")[2].split()
