"""Give every check its part of the night, and keep what fails with what brings it."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryFile
from time import monotonic

from tests.overnight.checks import ROOT, Check
from tests.overnight.watching import end_group, watched


@dataclass(frozen=True)
class Failure:
    """A run that failed: its seed, its command line and environment, and what it printed."""

    seed: int
    command: Sequence[str]
    output: str
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def line(self) -> str:
        """The line for a shell that starts the run again, from the root of the project."""
        values = [f"{name}={value}" for name, value in self.environment.items()]
        return shlex.join([*(["env", *values] if values else []), *self.command])

    @property
    def size(self) -> int:
        """How much there is to read; the smallest is read first."""
        return len(self.output)


@dataclass
class Result:
    """What became of one check."""

    check: Check
    runs: int = 0
    seconds: float = 0.0
    failures: list[Failure] = field(default_factory=list)

    @property
    def is_green(self) -> bool:
        """Tell whether it ran, and nothing failed."""
        return self.runs > 0 and not self.failures


Say = Callable[[str], object]


def run_once(check: Check, seed: int) -> Failure | None:
    """Run *check* with *seed* in a process of its own; the failure, None if there is none."""
    command = check.command(seed)
    own = check.environment(seed)
    with TemporaryFile() as printed:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, **own},
            stdout=printed,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            end = watched(process, check.limit_s)
        finally:
            end_group(process.pid)
            process.wait()
        printed.seek(0)
        text = printed.read().decode(errors="replace")
    if end is None:
        return None
    return Failure(seed, command, f"{text}\n{end}", own)


def night(checks: Sequence[Check], budget_s: float, first_seed: int, kept: Path, say: Say) -> list[Result]:
    """Run *checks* for *budget_s* in all, each for its share and at least once; failures go to *kept*."""
    shares = sum(check.share for check in checks)
    results = []
    seed = first_seed
    for check in checks:
        result = Result(check)
        began = monotonic()
        while result.runs == 0 or (check.repeats and monotonic() - began < budget_s * check.share / shares):
            failure = run_once(check, seed)
            result.runs += 1
            result.seconds = monotonic() - began
            if failure is not None:
                result.failures.append(failure)
                store(result, kept)
            say(f"{check.name}: run {result.runs}, seed {seed}, {'failed' if failure else 'green'}\n")
            seed += check.work
        results.append(result)
    return results


def store(result: Result, kept: Path) -> None:
    """Write the failures of *result*, the smallest as number 1."""
    kept.mkdir(parents=True, exist_ok=True)
    for old in kept.glob(f"{result.check.name}-*.txt"):
        old.unlink()
    for at, failure in enumerate(sorted(result.failures, key=lambda each: each.size), 1):
        text = f"seed {failure.seed}\n$ {failure.line}\n{failure.output}\n"
        (kept / f"{result.check.name}-{at}-seed-{failure.seed}.txt").write_text(text, "utf-8")


def table(results: Iterable[Result]) -> str:
    """Return one line a check: what was done, how many runs failed, and their seeds, smallest first."""
    rows = [("target", "work done", "minutes", "failures", "seeds")]
    for result in results:
        ordered = sorted(result.failures, key=lambda each: each.size)
        rows.append(
            (
                result.check.name,
                f"{result.runs * result.check.work:,} {result.check.unit}",
                f"{result.seconds / 60:.1f}",
                str(len(result.failures)),
                ", ".join(str(failure.seed) for failure in ordered) or "-",
            )
        )
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    return "".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() + "\n"
        for row in rows
    )
