"""A failure of random play is told by the few commands that bring it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import pytest

from service.rules.heartrush.creatures.character import Condition
from service.rules.heartrush.creatures.state import State
from service.rules.heartrush.moving.dash_and_sidestep import Dash
from service.rules.heartrush.table.combat import CombatFrame
from service.rules.heartrush.timing.clock import DrinkPotion
from service.rules.kernel.messages import Refused
from service.rules.kernel.records import changed
from service.rules.rise.acting.turns import EndTurn
from tests.random_play.fuzz import told
from tests.random_play.offer_check import Stuck, Unheld
from tests.random_play.shrinking import Given, smallest, story
from tests.rules.heartrush import campaign
from tests.rules.heartrush.campaign import Campaign
from tests.rules.heartrush.kit import opened
from tests.rules.heartrush.plays import probed, wild
from tests.rules.rise.test_every_rule import campaign as rise_campaign

pytestmark = pytest.mark.slow


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


@pytest.mark.overnight
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


def refusing(monkeypatch: pytest.MonkeyPatch, command: type[Any], when: Callable[[Any], bool]) -> None:
    """Plant a fault: what is offered is refused in some states."""
    decides = command.decide

    def careless(self: Any, state: Any) -> Any:
        if when(state):
            raise Refused("planted", "what was offered")
        return decides(self, state)

    monkeypatch.setattr(command, "decide", careless)


def counted(text: str) -> tuple[int, int]:
    """Return how many commands a story needs, and how many were played."""
    few, many = re.findall(r"^(\d+) of (\d+) commands bring it", text, re.MULTILINE)[0]
    return int(few), int(many)


@cache
def late_seed() -> int:
    """Return a seed of a wild fight that a creature joins after 200 commands; it changes with the rules."""

    def is_joined(seed: int, budget: int) -> bool:
        fight = wild(seed, budget=budget)
        fight.play()
        return any(name.startswith("late") for name in fight.state.creatures)

    return next(seed for seed in range(26, 226) if is_joined(seed, 500) and not is_joined(seed, 200))


@pytest.mark.overnight
def test_an_offer_that_is_refused_after_200_commands_is_told_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    seed = late_seed()

    def make() -> Campaign:
        return wild(seed, budget=500)

    refusing(monkeypatch, Dash, lambda state: any(name.startswith("late") for name in state.creatures))
    with pytest.raises(Unheld, match="is offered, but refused: planted"):
        make().play()
    text = story("wild", seed, make)
    few, many = counted(text)
    assert few == 1, text
    assert many > 200, text
    assert "add_creature" in text.splitlines()[-1]


def test_an_offer_of_rise_that_is_refused_is_told_by_few(monkeypatch: pytest.MonkeyPatch) -> None:
    refusing(monkeypatch, EndTurn, lambda state: "late" in state.creatures)
    with pytest.raises(Unheld, match=r"end_turn .* is offered, but refused: planted"):
        rise_campaign(0).play()
    text = story("rise", 0, lambda: rise_campaign(0))
    few, many = counted(text)
    assert few <= 10 < many, text
    assert "add_creature" in text


def test_a_crash_in_rise_is_told_by_few(monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(_self: EndTurn, _state: Any) -> Any:
        raise KeyError("planted")

    monkeypatch.setattr(EndTurn, "decide", crash)
    with pytest.raises(KeyError, match="planted"):
        rise_campaign(0).play()
    text = story("rise", 0, lambda: rise_campaign(0))
    few, many = counted(text)
    assert few <= 10 < many, text
    assert "end_turn" in text.splitlines()[-1]


@pytest.mark.overnight
def test_a_fight_in_which_nobody_may_do_anything_is_told_by_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """As soon as somebody has come late, nobody is offered anything."""
    seed = late_seed()

    def make() -> Campaign:
        return wild(seed, budget=500)

    asks = CombatFrame.waiting

    def silent(self: CombatFrame, state: State) -> Any:
        late = any(name.startswith("late") for name in state.creatures)
        return tuple(changed(a, accepts=()) if late else a for a in asks(self, state))

    monkeypatch.setattr(CombatFrame, "waiting", silent)
    with pytest.raises(Stuck):
        make().play()
    text = story("wild", seed, make)
    few, many = counted(text)
    assert few == 1, text
    assert many > 200, text
