"""A failure of random play is told by the few commands that bring it."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from service.rules.heartrush.rounds.potions import DrinkPotion
from service.rules.heartrush.state import Condition, State
from service.rules.messages import Refused
from tests.fuzz import told
from tests.heartrush import campaign
from tests.heartrush.kit import opened
from tests.heartrush.plays import probed
from tests.offering import Unheld
from tests.sifting import Given, smallest


def test_all_that_is_not_needed_is_left_out() -> None:
    given = [Given("pass", "gm", {"n": n}) for n in range(40)]
    needed = [given[3], given[17], given[39]]
    assert smallest(given, lambda commands: all(one in commands for one in needed)) == needed


def test_what_comes_after_the_fault_goes_first_and_few_plays_are_needed() -> None:
    given = [Given("pass", "gm", {"n": n}) for n in range(224)]
    plays = 0

    def fails(commands: Sequence[Given]) -> bool:
        nonlocal plays
        plays += 1
        return given[5] in commands and given[9] in commands

    assert smallest(given, fails) == [given[5], given[9]]
    assert plays < 60


def test_what_needs_no_command_at_all_is_told_by_none() -> None:
    given = [Given("pass", "gm", {"n": n}) for n in range(224)]
    assert smallest(given, lambda _: True) == []


def test_a_command_that_is_accepted_without_an_offer_is_told_by_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fault is in no command that was played: options and outcome of a probed one differ."""

    def careless(self: DrinkPotion, view: State) -> None:
        if self.creature not in view.creatures:
            raise Refused("no_such_creature", "nobody")

    monkeypatch.setattr(DrinkPotion, "check", careless)
    with pytest.raises(Unheld, match=r"drink_potion .* is not offered, but accepted"):
        probed("wild", 0).play()
    text = told("wild", 0)
    few, many = map(int, re.findall(r"^(\d+) of (\d+) commands bring it", text, re.MULTILINE)[0])
    assert few <= 3 < many, text


def test_wild_2_is_no_longer_offered_one_thing_and_done_another() -> None:
    """At 92945b3: `drink_potion {'creature': 'c3'} by gm is not offered, but accepted`."""
    probed("wild", 2).play()


@pytest.mark.parametrize("state", ["stunned", "incapacitated"])
@pytest.mark.parametrize("command", ["drink_potion", "hide"])
def test_whoever_can_do_nothing_is_neither_offered_nor_allowed_anything_at_leisure(
    command: str, state: str
) -> None:
    fight = opened({"pia": (0, 0), "orc": (1, 0)}, sheets={"pia": {"potions": 1}})
    assert fight.send("allow_hiding", "gm", creature="pia", cn=5).refusal is None
    assert command in {offer.type for offer in fight.offers("zoe", "pia")}
    fight.given("pia", conditions={state: Condition(level=1)})
    assert command not in {offer.type for offer in fight.offers("zoe", "pia")}
    assert fight.refused(command, creature="pia") == state


def test_a_planted_fault_is_told_with_its_seed_and_a_handful_of_commands(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def lying(state: State, *_: object) -> list[str]:
        return [name for name, creature in state.creatures.items() if creature.has("prone")]

    monkeypatch.setattr(campaign, "faults", lying)
    with pytest.raises(AssertionError, match="seed 0, command"):
        probed("fallen", 0).play()
    text = told("fallen", 0)
    assert text.startswith("FAILED fallen 0\n")
    assert "\n1 of " in text, text
    assert '"condition": "prone"' in text.splitlines()[-1]
