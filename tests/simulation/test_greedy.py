"""One owner sends far more than a worker decides: another waits a moment, also after a kill."""

from __future__ import annotations

from collections import Counter
from typing import Any
from unittest import mock

import pytest

from tests.simulation.judge import LATE
from tests.simulation.plan import greedy_plan_of
from tests.simulation.processes import SlowFolder
from tests.simulation.run import simulating
from workers.fold import CommandFolder
from workers.turns import Turns, TurnTime

SEEDS = range(16)


def test_a_greedy_owner_makes_no_other_wait() -> None:
    happened: Counter[str] = Counter()
    with simulating() as run:
        for seed in SEEDS:
            plan = greedy_plan_of(seed)
            result = run(plan)
            assert not result.broken, f"seed {seed}: {'; '.join(map(str, result.broken))}"
            happened.update(result.faults)

    assert happened["kill_worker"] >= 5
    assert happened["end_worker"] >= 1


def _drained(self: SlowFolder, encounter: str, _turn: TurnTime) -> int | None:
    """Fold page after page until nothing is left, as a worker once did."""
    total = 0
    while (commits := CommandFolder.fold_page(self, encounter, TurnTime(1e9))) is not None:
        total += commits
    return total or None


def _first_come(self: Turns) -> Any:
    """Give every turn of a round to the encounter that waits longest."""
    waiting = next(iter(self._waiting.values()), None)
    if waiting is None:
        return []
    others = [each for each in self._waiting if each != waiting.encounter]
    held = [(each, list(self._waiting[each].notified), self._waiting[each].reads) for each in others]
    self.drop(lambda encounter: encounter != waiting.encounter)
    turns = _take(self)
    for encounter, notified, reads in held:
        if reads:
            self.read(encounter)
        else:
            self.put_back(encounter, notified)
    return turns


_take = Turns.take


@pytest.mark.parametrize(
    ("whose", "name", "planted"),
    [(SlowFolder, "fold_page", _drained), (Turns, "take", _first_come)],
    ids=["an encounter that is drained", "a queue that serves the first to its end"],
)
def test_a_worker_without_turns_is_found(whose: type, name: str, planted: Any) -> None:
    found: set[str] = set()
    with simulating() as run, mock.patch.object(whose, name, planted, create=True):
        for seed in SEEDS:
            found |= {broken.name for broken in run(greedy_plan_of(seed)).broken}
            if LATE in found:
                return
    pytest.fail(f"not found, but {found or 'nothing'}")
