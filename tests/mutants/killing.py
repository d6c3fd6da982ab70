"""Run the tests that name a rule and reach its lines against a mutant of these, in a process of its own.

The tests are collected once, by pytest; a mutant runs in a fork of that process. There the mutated code takes
the place of the original: of a function its code object, of a constant its value in every module that has it.
No source is written, and nothing that a mutant does outlives its fork. A test that does not run the changed
statement cannot see the change: which lines each test runs is found once, and the others are not run.
"""

from __future__ import annotations

import ast
import gc
import inspect
import os
import pickle
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, is_dataclass
from functools import cache, partial
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any, Final, TypeAlias

import pytest

from service.cli.rules import ids_in
from service.rules.kernel import hints, sealed
from service.rules.secrecy.gm_only import revealing
from tests.mutants.making import Mutant

SERVED: Final = frozenset({"valkey", "services", "worker", "standing_cluster"})
"""Fixtures of tests that need a service: they are left out, because each costs a second or more."""
PATIENCE: Final = 5
"""How many times the CPU of its tests a mutant may take before it counts as killed, and some seconds."""
MEMORY: Final = 2**31
"""Bytes that a mutant may take more than the tests."""
MOST_S: Final = 5
"""Seconds of CPU: longer tests, which play at random, are left out."""
LONGER: Final = 20
"""How many times the CPU a test may take while its lines are traced."""
BUSY: Final = 60
"""How many seconds a fork may take for each of its CPU, on a machine that does much else: then it hangs."""

KILLED, SURVIVED, UNTESTED = "killed", "survived", "untested"

Place: TypeAlias = tuple[str, str, int]
"""A function by the path of its sources, its qualified name and its first line."""
TraceFunction: TypeAlias = Callable[[FrameType, str, object], Any]
Lines: TypeAlias = frozenset[tuple[str, int]]
"""Lines of sources, each by its path and its number."""


@dataclass
class Bench:
    """The collected tests by the rules that they name, and what is to be mutated."""

    session: pytest.Session
    tests: Mapping[str, tuple[pytest.Item, ...]]
    functions: Mapping[Place, tuple[FunctionType, ...]]
    wanted: frozenset[str]
    """The paths of the sources that are mutated."""
    costs: dict[str, float] = field(default_factory=dict)
    """Seconds of CPU of each test without a mutant, by its node id."""
    reached: dict[str, Lines] = field(default_factory=dict)
    """The lines that each test runs without a mutant, by its node id."""
    failing: list[str] = field(default_factory=list)
    """Tests that fail without a mutant."""

    def tests_of(self, mutant: Mutant) -> list[pytest.Item]:
        """Return the tests that name a rule of *mutant* or of the code it stands in, the cheapest first."""
        rules = (*mutant.rules, *mutant.marked)
        found = {item.nodeid: item for rule in rules for item in self.tests.get(rule, ())}
        for id_, item in found.items():
            if id_ not in self.costs:
                self.costs[id_], is_green = forked(partial(_cost, item), MOST_S) or (MOST_S, True)
                if not is_green:
                    self.failing.append(id_)
        kept = [item for id_, item in found.items() if self.costs[id_] < MOST_S]
        return sorted(kept, key=lambda item: (self.costs[item.nodeid], item.nodeid))

    def verdict(self, mutant: Mutant) -> str:
        """Return what becomes of *mutant*."""
        named = self.tests_of(mutant)
        if not named:
            return UNTESTED
        items = [item for item in named if self._reaches(item, mutant)]
        if not items:
            return SURVIVED
        limit = 5 + int(PATIENCE * sum(self.costs[item.nodeid] for item in items))

        def run() -> bool:
            self._apply(mutant)
            return all(_is_green(item) for item in items)

        return SURVIVED if forked(run, limit) is True else KILLED

    def _reaches(self, item: pytest.Item, mutant: Mutant) -> bool:
        """Return whether a test runs the changed statement; of a constant it may read the value."""
        if mutant.is_constant:
            return True
        if item.nodeid not in self.reached:
            found = forked(partial(_lines_of, item, self.wanted), LONGER * MOST_S)
            assert found is not None, f"{item.nodeid} does not end when its lines are traced"
            self.reached[item.nodeid] = found
        lines = self.reached[item.nodeid]
        return any((str(mutant.path), line) in lines for line in range(mutant.line, mutant.end + 1))

    def _apply(self, mutant: Mutant) -> None:
        """Put the mutated code in the place of the original, in this process."""
        whole = mutant.compiled()
        path = str(mutant.path)
        found = {(path, code.co_qualname, code.co_firstlineno): code for code in _codes(whole)}
        changed = [
            (function, found[place])
            for place, functions in self.functions.items()
            if place in found
            for function in functions
            if function.__code__ != found[place]
        ]
        for function, code in changed:
            function.__code__ = code
        if not changed:
            _rebind(mutant)


def bench(session: pytest.Session, sources: Sequence[Path]) -> Bench:
    """Return what is to be run and mutated: tests of *session*, functions whose sources are *sources*."""
    wanted = {str(path) for path in sources}
    functions: dict[Place, tuple[FunctionType, ...]] = {}
    for each in gc.get_objects():
        if type(each) is FunctionType and each.__code__.co_filename in wanted:
            code = each.__code__
            place = (code.co_filename, code.co_qualname, code.co_firstlineno)
            functions[place] = (*functions.get(place, ()), each)
    tests: dict[str, tuple[pytest.Item, ...]] = {}
    for item in session.items:
        if isinstance(item, pytest.Function) and not _is_served(item):
            for rule in dict.fromkeys(ids_in(f"{item.name} {source_of(item.function)}")):
                tests[rule] = (*tests.get(rule, ()), item)
    for kind in [each for each in gc.get_objects() if isinstance(each, type) and is_dataclass(each)]:
        if kind.__module__.startswith("service.rules."):
            learn(kind)
    gc.collect()
    gc.freeze()  # forks share what is there
    return Bench(session, tests, functions, frozenset(wanted))


def learn(kind: type) -> None:
    """Read the types of a record's fields once, before forks do: no rule changes them."""
    with suppress(NameError, TypeError):  # a base with parameters, or of names that no test needs
        hints.fields_of(kind)
        vars(sealed)["_suspects"](kind)
        revealing(kind)


@cache
def source_of(function: Callable[..., object]) -> str:
    """Return the source of a test, which is the same for each of its cases."""
    return inspect.getsource(function)


def _is_served(item: pytest.Function) -> bool:
    """Tell whether a test needs a service."""
    callspec = getattr(item, "callspec", None)
    return bool(SERVED & set(item.fixturenames)) or (
        callspec is not None and callspec.params.get("way") == "http"
    )


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Yield every code in *code*."""
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield each
            yield from _codes(each)


def _rebind(mutant: Mutant) -> None:
    """Give a constant its mutated value, in every module that has it."""
    undo = mutant.edit.swap()
    try:
        value = next(
            node.value
            for node in mutant.tree.body
            if isinstance(node, (ast.Assign, ast.AnnAssign))
            and node.value is not None
            and mutant.place in {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
            and node.lineno == mutant.line
        )
        code = compile(ast.Expression(value), str(mutant.path), "eval")
    finally:
        undo.swap()
    home = next(m for m in list(sys.modules.values()) if getattr(m, "__file__", None) == str(mutant.path))
    old, new = vars(home)[mutant.place], eval(code, vars(home))  # noqa: S307 - it is our own constant
    for module in list(sys.modules.values()):
        if getattr(module, "__dict__", {}).get(mutant.place) is old:
            setattr(module, mutant.place, new)


# --- forks ----------------------------------------------------------------------------------------------


def forked(run: Callable[[], Any], seconds: int) -> Any:
    """Return what *run* returns in a fork; None if it ends otherwise, hangs, or takes more CPU."""
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reads)
            _bounded(seconds)
            with os.fdopen(writes, "wb") as answer:
                pickle.dump(run(), answer)
        finally:
            os._exit(0)
    os.close(writes)
    hanging = threading.Timer(BUSY * seconds, os.kill, (child, signal.SIGKILL))
    hanging.start()
    with os.fdopen(reads, "rb") as answer:
        raw = answer.read()
    hanging.cancel()
    hanging.join()
    os.waitpid(child, 0)
    try:
        return pickle.loads(raw)  # noqa: S301 - our own fork wrote it
    except (EOFError, pickle.UnpicklingError):
        return None


def _bounded(seconds: int) -> None:
    """Bound the CPU and memory of this process, and keep what it prints to itself."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    if seconds:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    most = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _cost(item: pytest.Item) -> tuple[float, bool]:
    """Return the CPU of a test, and whether it passes."""
    began = time.process_time()
    is_green = _is_green(item)
    return time.process_time() - began, is_green


def _lines_of(item: pytest.Item, wanted: frozenset[str]) -> Lines:
    """Return the lines of *wanted* sources that a test runs, in any of its threads."""
    found: set[tuple[str, int]] = set()

    def seen(frame: FrameType, event: str, _: object) -> TraceFunction | None:
        path = frame.f_code.co_filename
        if path not in wanted:
            return None
        found.add((path, frame.f_lineno))
        return seen

    threading.settrace(seen)
    sys.settrace(seen)
    try:
        _is_green(item)
    finally:
        sys.settrace(None)
    return frozenset(found)


def _is_green(item: pytest.Item) -> bool:
    """Run a test with its fixtures; tell whether nothing failed."""
    reports: list[pytest.TestReport] = []

    class Watching:
        def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
            reports.append(report)

    watching = Watching()
    item.config.pluginmanager.register(watching)
    try:
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
    finally:
        item.config.pluginmanager.unregister(watching)
    return bool(reports) and not any(report.failed for report in reports)
