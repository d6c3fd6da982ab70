"""Change lines that enforce rules, and count the mutants that the rules' own tests kill: `make mutants`.

`BUDGET` bounds the time (10m), `SEED` chooses which mutants come first, `RULES=HR-COND,RI-DMG-2` names rules
by how their ids begin. Every mutant that survives is printed with its line, then the score of each book.
Arguments name other sources than the rules, and tests.
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TextIO, TypeAlias

import pytest

from tests.mutants.killing import KILLED, SURVIVED, UNTESTED, Bench, bench
from tests.mutants.making import Mutant, module_at, mutants_of
from tests.overnight.__main__ import seconds_of

ROOT: Final = Path(__file__).parents[2]
BOOKS: Final = {"heartrush": "HR-", "rise": "RI-", "table": "TABLE-"}
"""Each with how the ids of its rules begin; `table` has what both books share."""
TESTS: Final = ("tests/rules", "tests/core")
Say: TypeAlias = Callable[[str], object]


@dataclass
class Score:
    """What became of the mutants of one book that were tried."""

    book: str
    mutants: Sequence[Mutant]
    """All of them, in the order in which they are tried."""
    found: Counter[str] = field(default_factory=Counter)
    """How many were killed, survived, or have no test."""

    @property
    def text(self) -> str:
        """The line of the score."""
        tried = self.found[KILLED] + self.found[SURVIVED]
        share = f" ({self.found[KILLED] / tried:.1%})" if tried else ""
        killed = f"{self.found[KILLED]} of {tried} mutants killed{share}"
        return f"{self.book}: {killed}, {self.found[UNTESTED]} without a test; {len(self.mutants)} in all"


class Trying:
    """A plugin of pytest that tries mutants instead of running the tests that were collected."""

    def __init__(self, scores: Sequence[Score], sources: Sequence[Path], seconds: float, say: Say) -> None:
        self.scores = scores
        self.sources = sources
        self.seconds = seconds
        self.say = say
        self.bench: Bench | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try mutants, one of each book after the other, until the time is over or all were tried."""
        self.bench = bench(session, self.sources)
        until = time.monotonic() + self.seconds
        for turn in range(max(len(score.mutants) for score in self.scores)):
            for score in self.scores:
                if turn < len(score.mutants) and time.monotonic() < until:
                    self._try(score, score.mutants[turn])
        return True

    def _try(self, score: Score, mutant: Mutant) -> None:
        """Try one mutant; say it if it survives."""
        assert self.bench is not None
        verdict = self.bench.verdict(mutant)
        score.found[verdict] += 1
        if verdict != KILLED:
            self.say(f"{verdict}  {mutant.line_for(ROOT)}\n")


def tried(
    sources: Path, tests: Sequence[str], seconds: float, seed: int, only: Sequence[str], say: Say
) -> list[Score]:
    """Return the scores of the rules below *sources* by *tests*, after *seconds* or all mutants."""
    paths = sorted(sources.rglob("*.py"))
    found = list(mutants_of([module_at(path) for path in paths]))
    scores = []
    for book, begins in BOOKS.items():
        mutants = [m for m in found if any(_is_chosen(rule, begins, only) for rule in m.rules)]
        random.Random(seed).shuffle(mutants)
        scores.append(Score(book, mutants))
    unknown = [each for each in only if not any(r.startswith(each) for m in found for r in m.rules)]
    if unknown:
        raise ValueError(f"RULES names no rule with a line to change: {', '.join(unknown)}")
    plugin = Trying(scores, paths, seconds, say)
    options = ["-s", "--tb=native", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:hypothesispytest"]
    options += ["-o", "timeout=0"]  # a fork is bounded by its CPU: how busy the machine is decides no verdict
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere, redirect_stdout(nowhere):
        status = pytest.main([*options, *tests], plugins=[plugin])
    assert plugin.bench is not None, f"pytest ended with {status}"
    assert status is not pytest.ExitCode.INTERNAL_ERROR, "an error ended the run early"
    assert not plugin.bench.failing, f"these fail without a mutant: {', '.join(plugin.bench.failing)}"
    return scores


def _is_chosen(rule: str, begins: str, only: Sequence[str]) -> bool:
    return rule.startswith(begins) and (not only or any(rule.startswith(each) for each in only))


def main() -> None:
    """Try mutants for the budget; print survivors and scores."""
    budget = seconds_of(os.environ.get("BUDGET") or "10m")
    seed = int(os.environ.get("SEED") or time.time())
    only = [name for name in (os.environ.get("RULES") or "").split(",") if name]

    def say(text: str, to: TextIO = sys.stdout) -> None:
        to.write(text)
        to.flush()

    say(f"seed {seed}, budget {budget} s\n")
    sources, *tests = sys.argv[1:] or (str(ROOT / "service" / "rules"), *TESTS)
    scores = tried(Path(sources).resolve(), tests, budget, seed, only, say)
    say("".join(f"{score.text}\n" for score in scores))


if __name__ == "__main__":
    main()
