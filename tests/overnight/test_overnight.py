"""The night itself: every check has its turn, and what fails is kept with what brings it."""

from __future__ import annotations

import itertools
import re
import shlex
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.overnight.__main__ import seconds_of
from tests.overnight.checks import CHECKS, ROOT, Check
from tests.overnight.night import Result, night, run_once, table
from tests.overnight.watching import end_group, watched

PASSES = "print('fine')"
FAILS = "import sys; print('x' * (int(sys.argv[1]) % 7)); sys.exit(1)"


def check(name: str, code: str, *, share: int = 1, limit_s: int = 60) -> Check:
    return Check(
        name,
        share=share,
        work=10,
        unit="things",
        command=lambda seed: (sys.executable, "-c", code, str(seed)),
        limit_s=limit_s,
    )


def test_the_page_for_contributors_names_every_check_in_its_order() -> None:
    page = " ".join((ROOT / "docs" / "checks.md").read_text("utf-8").split())
    said = page.partition("`make overnight BUDGET=2h` runs ")[2].partition(" Each runs")[0]
    assert re.findall(r"`(\w+)`", said) == [each.name for each in CHECKS]


def test_every_check_has_a_turn_and_the_rest_of_the_time_goes_by_share(tmp_path: Path) -> None:
    said: list[str] = []

    small, large = night(
        [check("small", PASSES), check("large", PASSES, share=9)], 3.0, 100, tmp_path / "kept", said.append
    )

    assert small.runs >= 1
    assert large.runs > small.runs
    assert large.seconds >= 2.7
    assert not (tmp_path / "kept").exists()
    seeds = [int(found[1]) for line in said if (found := re.search(r"seed ([0-9]+)", line))]
    assert seeds == [100 + 10 * at for at in range(len(seeds))], "no seed is used twice"


def test_what_fails_is_kept_with_its_seed_and_command_the_smallest_first(tmp_path: Path) -> None:
    (result,) = night([check("bad", FAILS)], 1.0, 3, tmp_path, lambda _line: None)

    kept = sorted(tmp_path.iterdir(), key=lambda file: int(file.name.split("-")[1]))

    assert result.failures
    assert len(kept) == len(result.failures)
    printed = [
        len(file.read_text().partition(shlex.quote(FAILS))[2].partition("\n")[2].partition("\n")[0])
        for file in kept
    ]
    assert printed == sorted(printed)
    assert "sys.exit(1)" in kept[0].read_text()
    assert "it ended with 1" in kept[0].read_text()
    line = table([result]).splitlines()[1]
    assert all(str(failure.seed) in line for failure in result.failures)
    assert f"{10 * result.runs} things" in line


def test_what_is_kept_names_a_line_that_starts_the_same_run_again(tmp_path: Path) -> None:
    """The values it needs are in it, and a shell takes it as it is."""
    code = "import os, sys; sys.exit(int(os.environ['EXIT']) + len(sys.argv))"
    bad = replace(check("bad", code), environment=lambda seed: {"EXIT": str(seed), "ORDER": "a b; c"})
    night([bad], 0.0, 40, tmp_path, lambda _line: None)
    (kept,) = tmp_path.iterdir()
    line = next(line for line in kept.read_text().splitlines() if line.startswith("$ "))

    again = subprocess.run(["/bin/sh", "-c", line.removeprefix("$ ")], cwd=ROOT, check=False)

    assert again.returncode == 40 + 2
    assert "it ended with 42" in kept.read_text()


def test_a_run_that_uses_too_much_processor_time_hangs() -> None:
    failure = run_once(check("busy", "while True: pass", limit_s=1), 1)

    assert failure is not None
    assert re.search(r"it hung: [0-9]+ s of processor time were used", failure.output)


def test_a_run_that_does_nothing_hangs_and_one_that_is_slow_does_not() -> None:
    """The machine is slow where a run uses little processor time, and still some."""
    waits = (sys.executable, "-c", "import time; time.sleep(60)")
    with subprocess.Popen(waits, start_new_session=True) as process:
        assert watched(process, 60, still_s=0.5) == "it hung: hardly any processor time was used for 0 s"
        end_group(process.pid)

    ends = (sys.executable, "-c", "import time; time.sleep(4)")
    with subprocess.Popen(ends, start_new_session=True) as process:
        spent = itertools.count(0.0, 2.0)
        assert watched(process, 60, used=lambda _pid: next(spent), still_s=1.5) is None


def test_where_nobody_says_what_processes_use_the_clock_decides() -> None:
    waits = (sys.executable, "-c", "import time; time.sleep(60)")
    with subprocess.Popen(waits, start_new_session=True) as process:
        assert watched(process, 60, used=lambda _pid: None, longest_s=1.0) == "it hung: 1 s passed"
        end_group(process.pid)


def test_nothing_that_a_run_started_outlives_it(tmp_path: Path) -> None:
    found = tmp_path / "pid"
    code = (
        "import pathlib, subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"pathlib.Path({str(found)!r}).write_text(str(child.pid))\n"
    )
    assert run_once(check("leaves", code), 1) is None

    child = Path("/proc") / found.read_text() / "stat"
    ends = time.monotonic() + 60
    while child.exists() and child.read_text().rpartition(") ")[2][0] != "Z":
        assert time.monotonic() < ends, "it still runs"
        time.sleep(0.05)


def test_a_check_that_never_ran_is_not_green() -> None:
    assert not Result(check("none", PASSES)).is_green


def test_every_long_target_of_the_makefile_has_a_turn() -> None:
    targets = re.findall(
        r"^([a-z]+):.*## .*(?:\(long\)|\(minutes\))", (ROOT / "Makefile").read_text(), re.MULTILINE
    )

    assert set(targets) - {"overnight"} <= {check.name for check in CHECKS}
    assert {"fuzz", "undoing", "mutations", "twins", "streams", "contract", "dice"} <= set(targets)


@pytest.mark.parametrize(("text", "seconds"), [("90s", 90), ("15m", 900), ("2h", 7200)])
def test_a_budget_is_a_number_with_its_unit(text: str, seconds: int) -> None:
    assert seconds_of(text) == seconds


@pytest.mark.parametrize("text", ["", "2", "h", "2d", "-1h", "1.5h"])
def test_any_other_budget_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="BUDGET"):
        seconds_of(text)
