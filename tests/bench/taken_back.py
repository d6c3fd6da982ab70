"""Measure undo and redo of a fight in which each roll behind the screen has a seal of its own."""

from __future__ import annotations

import time
from collections.abc import Callable
from random import Random
from typing import Final

from service.rules.heartrush import HEARTRUSH
from service.rules.table.table import GM
from tests.bench.table import QUICK, Row, section
from tests.rules.heartrush.bot import random_opening
from tests.support.in_process_service import House

FEW: Final = 250
MANY: Final = 500 if QUICK else 1_000
REDO_S: Final = 3.0
GROWTH: Final = 1.5
"""The most by which a roll may cost more among many: what is linear has 1."""


@section("Taken back")
def rows() -> list[Row | str]:
    """Undo rolls behind the screen and redo them, few and many of them."""
    (few_undo, few_redo), (undo, redo) = _measured(FEW), _measured(MANY)
    by = MANY / FEW
    return [
        Row(f"undo of {MANY} rolls behind the screen", undo, "s of CPU"),
        Row("their redo", redo, "s of CPU", REDO_S, most=True),
        Row(f"undo of {MANY} ÷ undo of {FEW}, a roll", undo / few_undo / by, "", GROWTH, most=True),
        Row("the same of the redo", redo / few_redo / by, "", GROWTH, most=True),
    ]


def _measured(rolls: int) -> tuple[float, float]:
    """Return the CPU of an undo of *rolls* rolls, and of its redo, in API and worker together."""
    with House() as house:
        line = house.open(HEARTRUSH, random_opening(Random(3)))
        first = len(house.commits(line)) + 1
        for _ in range(rolls):
            house.send(line, GM, "roll_behind_screen", dice=[6], what="who comes")
        undone: list[str] = []

        def undo() -> None:
            undone.append(house.accept(line, house.proposed(line, "undo", commit=first)))

        taken = _cpu(undo)
        return taken, _cpu(lambda: house.accept(undone[0], house.proposed(undone[0], "redo")))


def _cpu(do: Callable[[], object]) -> float:
    began = time.process_time()
    do()
    return time.process_time() - began
