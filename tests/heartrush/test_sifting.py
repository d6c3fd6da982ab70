"""A failure of random play is told by the few commands that bring it."""

from __future__ import annotations

import pytest

from service.rules.heartrush.state import State
from tests.heartrush import campaign
from tests.heartrush.plays import probed
from tests.heartrush.sifting import Given, smallest, story


def test_all_that_is_not_needed_is_left_out() -> None:
    given = [Given("pass", "gm", {"n": n}) for n in range(40)]
    needed = [given[3], given[17], given[39]]
    assert smallest(given, lambda commands: all(one in commands for one in needed)) == needed


def test_a_planted_fault_is_told_with_its_seed_and_a_handful_of_commands(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def lying(state: State, *_: object) -> list[str]:
        return [name for name, creature in state.creatures.items() if creature.has("prone")]

    monkeypatch.setattr(campaign, "faults", lying)
    with pytest.raises(AssertionError, match="seed 0, command"):
        probed("fallen", 0).play()
    told = story("fallen", 0)
    assert told.startswith("FAILED fallen 0\n")
    assert "\n1 of " in told, told
    assert '"condition": "prone"' in told.splitlines()[-1]
