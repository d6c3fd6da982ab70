"""A sample of `make mutants`: planted rules whose mutants live or die by one row, and a real rule's lines."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from threading import Event
from typing import Final

import pytest

from tests.mutants import killing
from tests.mutants.making import module_at, mutants_of

ROOT: Final = Path(__file__).parents[2]

PLANTED: Final = """
from service.rules.kernel.messages import Refused
from service.rules.kernel.rulebook import RULING, Rule, enforces

HR_PLANT_1 = Rule("HR-PLANT-1", "Below three hit points a creature is dying.", RULING, settles=("A-1", "A-2"))
HR_PLANT_2 = Rule("HR-PLANT-2", "A heavy weapon throws a d12.", RULING)
SIDES = {"heavy": 12, "light": 6}


@enforces(HR_PLANT_1)
def is_dying(hp: int) -> bool:
    "Tell whether a creature is dying."
    return hp < 3


@enforces(HR_PLANT_2)
def die_of(size: str) -> int:
    "Return the sides of a die."
    return SIDES[size]


def spend(left: int) -> int:
    "Take one point."
    if left <= 0:
        raise Refused("none_left", "0 are left", "HR-PLANT-3")
    return left + 5
"""
TESTS: Final = """
from planted import die_of, is_dying, spend
import pytest
from service.rules.kernel.messages import Refused


def test_HR_PLANT_1_the_weak_are_dying():
    assert is_dying(1) and not is_dying(9)


def test_HR_PLANT_2_each_size_has_its_die():
    assert [die_of(size) for size in ("heavy", "light")] == [12, 6]


def test_a_point_is_spent():
    "HR-PLANT-3."
    assert spend(1) == 6
    with pytest.raises(Refused):
        spend(0)
"""
ROW: Final = """

def test_HR_PLANT_1_the_bound():
    assert is_dying(2) and not is_dying(3)
"""


def run(*arguments: str | Path, **environment: str) -> tuple[int, str]:
    """Return the exit status of the tool, and what it printed."""
    found = subprocess.run(
        [sys.executable, "-m", "tests.mutants", *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, "SEED": "7", "BUDGET": "60s", **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    return found.returncode, found.stdout + found.stderr


@pytest.fixture
def planted(tmp_path: Path) -> Path:
    (tmp_path / "planted.py").write_text(PLANTED, "utf-8")
    (tmp_path / "test_planted.py").write_text(TESTS, "utf-8")
    return tmp_path


def test_only_lines_that_enforce_a_rule_are_changed_and_each_in_every_way(planted: Path) -> None:
    mutants = list(mutants_of([module_at(planted / "planted.py")]))

    assert {(mutant.rules, mutant.place) for mutant in mutants} == {
        (("HR-PLANT-1",), "is_dying"),
        (("HR-PLANT-2",), "SIDES"),
        (("HR-PLANT-3",), "spend"),
    }
    changes = [m.change.partition(" becomes ")[2] for m in mutants if m.place == "is_dying"]
    assert changes == ["`return hp <= 3`", "`return hp < 4`", "`return hp < 2`"]
    assert sum(mutant.change.startswith("without `raise Refused") for mutant in mutants) == 1
    assert not any("return left" in mutant.change for mutant in mutants)


CITING: Final = """
from service.rules.kernel.rulebook import RULING, Rule, enforces

HR_PLANT_4 = Rule("HR-PLANT-4", "A step leads aside.", RULING, settles=("A-1", "A-2"))
WAYS = ((1, 0), (0, 1))
NAMES = {"aside": ("left", "right")}


@enforces(HR_PLANT_4)
def step(way: str) -> tuple[int, int]:
    "Return a step."
    check_text(way, rule_id="HR-PLANT-5")
    check_length(way)
    if way not in NAMES["aside"]:
        raise Refused("no_way", way, HR_PLANT_4.id)
    return WAYS[0]


@enforces(HR_PLANT_4)
class Go:
    "Go a step."

    def check(self) -> None:
        "Refuse to go far."
        self.is_far(7)

    def offers(self) -> bool:
        "Return what may be gone."
        return self.is_near(7) and self.is_far(7)

    def is_near(self, feet: int) -> bool:
        "Tell what is near."
        return feet < 5

    def is_far(self, feet: int) -> bool:
        "Tell what is far."
        return feet > 5


def check_length(way: str) -> None:
    "Refuse a long word."
    if len(way) > 9:
        raise Refused("long", way, "HR-PLANT-6")
"""


def test_no_rule_row_or_offer_is_changed_and_a_check_is_of_the_rule_that_it_cites(
    tmp_path: Path,
) -> None:
    (tmp_path / "citing.py").write_text(CITING, "utf-8")
    mutants = list(mutants_of([module_at(tmp_path / "citing.py")]))

    assert {mutant.place for mutant in mutants} == {
        *("step", "Go.check", "Go.is_far", "check_length", "WAYS", "NAMES"),
    }
    assert {(m.rules, m.marked) for m in mutants if "check_text" in m.change} == {
        (("HR-PLANT-5",), ("HR-PLANT-4",))
    }
    assert {(m.rules, m.marked) for m in mutants if "check_length" in m.change} == {
        (("HR-PLANT-4",), ("HR-PLANT-4", "HR-PLANT-6"))
    }
    changes = [m.change.partition(" becomes ")[2].strip("`") for m in mutants if m.is_constant]
    assert "WAYS = ((1, 0),)" in changes
    assert "WAYS = ((1, 0), (0, 2))" in changes
    assert "NAMES = {'aside': ('left',)}" in changes
    assert not any("(1,)" in change or "(0,)" in change for change in changes)


@pytest.mark.overnight
def test_a_mutant_lives_until_a_row_at_the_bound_kills_it(planted: Path) -> None:
    sources = (planted / "planted.py").read_text("utf-8")
    status, said = run(planted, planted)

    assert said.count("survived  ") == 3
    assert "survived  HR-PLANT-1" in said
    assert "`return hp < 3` becomes `return hp <= 3`" in said
    assert "heartrush: 9 of 12 mutants killed (75.0%), 0 without a test; 12 in all" in said
    with (planted / "test_planted.py").open("a", encoding="utf-8") as file:
        file.write(ROW)
    assert run(planted, planted) == (0, "seed 7, budget 60 s\n" + EVERY)
    assert status == 0
    assert (planted / "planted.py").read_text("utf-8") == sources


EVERY: Final = (
    "heartrush: 12 of 12 mutants killed (100.0%), 0 without a test; 12 in all\n"
    "rise: 0 of 0 mutants killed, 0 without a test; 0 in all\n"
    "table: 0 of 0 mutants killed, 0 without a test; 0 in all\n"
)


@pytest.mark.overnight
def test_a_test_that_fails_without_a_mutant_kills_none(planted: Path) -> None:
    with (planted / "test_planted.py").open("a", encoding="utf-8") as file:
        file.write(ROW.replace("is_dying(2)", "is_dying(5)"))
    status, said = run(planted, planted)

    assert status != 0
    assert "test_HR_PLANT_1_the_bound" in said.partition("fail without a mutant")[2]


SLOW: Final = """

def test_HR_PLANT_3_slowly():
    import time
    time.sleep(1)
    assert spend(1) == 6
"""


@pytest.mark.overnight
def test_how_busy_the_machine_is_fails_no_test(planted: Path) -> None:
    """A fork is bounded by its CPU: the seconds that a test may take by the clock are none of its own."""
    with (planted / "test_planted.py").open("a", encoding="utf-8") as file:
        file.write(ROW + SLOW)
    status, said = run(planted, planted, PYTEST_ADDOPTS="-o timeout=0.5")

    assert (status, said) == (0, "seed 7, budget 60 s\n" + EVERY)


def test_a_fork_that_waits_for_ever_comes_to_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(killing, "BUSY", 1)
    assert killing.forked(lambda: Event().wait(), 1) is None
    assert killing.forked(lambda: "done", 60) == "done"


def test_the_own_tests_of_a_real_rule_kill_every_mutant_of_its_lines() -> None:
    tests = ROOT / "tests" / "rules" / "rise" / "test_bounds.py"
    status, said = run(ROOT / "service" / "rules", tests, RULES="RI-MOVE-2")

    assert status == 0, said
    assert "survived" not in said
    assert re.search(r"rise: [1-9]", said)
