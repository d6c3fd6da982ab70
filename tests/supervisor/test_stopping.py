"""A stop that takes long says once which process it waits for, and what that process does until then."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from service.supervisor import Supervised, Supervisor, supervisor

PATIENCE_S = 60.0


def started(name: Path, *, seconds: float, say: supervisor.Say) -> Supervisor:
    """Return the supervisor of a process that ignores SIGTERM and ends by itself."""
    made = Supervisor(say)
    script = f"trap '' TERM; touch '{name}'; sleep {seconds}"
    made.start(Supervised("the API", ("/bin/sh", "-c", script), finishes="answer its requests"))
    ends = time.monotonic() + PATIENCE_S
    while not name.exists():
        assert time.monotonic() < ends, "the process did not start"
        time.sleep(0.01)
    return made


def test_a_stop_that_takes_long_says_once_what_it_waits_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "SILENT_S", 0.1)
    said: list[str] = []
    started(tmp_path / "runs", seconds=1.5, say=said.append).stop()
    assert said == ["waiting for the API to answer its requests (at most 35 s)"]


def test_a_hurried_stop_waits_for_nothing(tmp_path: Path) -> None:
    said: list[str] = []
    started(tmp_path / "runs", seconds=600, say=said.append).stop(lambda: True)
    assert said == []
