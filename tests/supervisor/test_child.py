"""A process that is forked from a warm one: it comes back when it is killed, and ends with its parents."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from service.supervisor import child

ROOT = Path(__file__).parents[2]
MODULE = "tests.supervisor.forked_module"
PROGRAM = f"""
from service.supervisor import child
child.MODULES = {{"{MODULE}": ("json",)}}
child.main()
"""


class Started:
    """One warm process with a lifeline."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, MODULE, *arguments],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def said(self) -> tuple[int, int, list[str]]:
        """Return what the forked process said: its parent, itself, its arguments."""
        assert self.process.stdout is not None
        parent, own, *arguments = self.process.stdout.readline().split()
        return int(parent), int(own), arguments


@pytest.fixture
def start() -> Iterator[Callable[..., Started]]:
    made: list[Started] = []

    def begin(*arguments: str) -> Started:
        made.append(Started(*arguments))
        return made[-1]

    yield begin
    for each in made:
        if each.process.poll() is None:
            os.killpg(each.process.pid, signal.SIGKILL)
        each.process.wait(60)
        for pipe in (each.process.stdin, each.process.stdout, each.process.stderr):
            assert pipe is not None
            pipe.close()


def is_there(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] != "Z"
    except OSError:
        return False


def gone(pid: int) -> bool:
    ends = time.monotonic() + 60
    while is_there(pid) and time.monotonic() < ends:
        time.sleep(0.01)
    return not is_there(pid)


def test_a_killed_process_is_forked_again_from_the_same_parent(start: Callable[..., Started]) -> None:
    started = start("a", "b")
    parent, first, arguments = started.said()
    assert (parent, arguments) == (started.process.pid, ["a", "b"])

    os.kill(first, signal.SIGKILL)

    again, second, arguments = started.said()
    assert (again, arguments) == (parent, ["a", "b"])
    assert second != first


def test_a_signal_to_stop_is_passed_on_and_the_end_is_the_childs(
    start: Callable[..., Started],
) -> None:
    started = start()
    _, own, _ = started.said()

    started.process.terminate()

    assert started.process.wait(60) == 7
    assert gone(own)


def test_an_end_with_a_status_is_the_end_of_the_parent(start: Callable[..., Started]) -> None:
    assert start("fails").process.wait(60) == 5


def test_short_lives_one_after_the_other_are_the_end_of_the_parent(start: Callable[..., Started]) -> None:
    started = start("dies")

    assert started.process.wait(60) == 128 + signal.SIGKILL
    assert [started.said()[0] for _ in range(child.SHORT_LIVES)] == [started.process.pid] * child.SHORT_LIVES


@pytest.mark.parametrize("how", ["killed", "left"])
def test_a_process_ends_with_the_one_it_was_forked_from_and_with_the_supervisor(
    start: Callable[..., Started], how: str
) -> None:
    started = start()
    _, own, _ = started.said()

    if how == "killed":
        started.process.kill()
    else:
        assert started.process.stdin is not None
        started.process.stdin.close()

    assert started.process.wait(60) == -signal.SIGKILL
    assert gone(own)


def test_only_modules_of_the_service_are_run() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "service.supervisor.child", "json"], cwd=ROOT, capture_output=True, check=False
    )
    assert ended.returncode == 1
    assert b"is not one of gunicorn, workers" in ended.stderr


def test_what_a_module_needs_is_imported_and_computed_before_the_fork() -> None:
    """In a process of its own, because warming imports nearly everything."""
    program = (
        "import sys, service.supervisor.child as child\n"
        "for module in child.MODULES: child.warm(module)\n"
        "from service.record import digest\n"
        "from service.api import app\n"
        "wanted = {name for names in child.MODULES.values() for name in names}\n"
        "assert wanted <= set(sys.modules), wanted - set(sys.modules)\n"
        "assert app._url_map.cache_info().currsize == 1\n"
        "import threading; assert threading.active_count() == 1, threading.enumerate()\n"
    )
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, timeout=300)
