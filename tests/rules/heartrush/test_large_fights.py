"""A fight of two hundred creatures goes on: nothing offered there takes more work than a command has."""

from __future__ import annotations

import random
from typing import Any

import pytest

from service.rules.heartrush.creatures.character import Condition
from service.rules.kernel.values import CREATURES
from service.rules.rolls.chance import Chance
from service.rules.ruleset import waiting
from tests.rules.heartrush import kit
from tests.rules.heartrush.bot import RandomDice
from tests.rules.heartrush.casts import ability, do
from tests.rules.heartrush.kit import Fight, begun, opened, sheet

ROW = 20
SIDES = ("players", "enemies")
ROUSE = ability("rouse", "heart", "instant", effects=[do("heal", creature="self", amount=1)])


@pytest.fixture(autouse=True)
def dice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the service throw: nobody throws for two hundred."""
    source = RandomDice(random.Random(7))
    monkeypatch.setattr(kit, "Chance", lambda _: Chance(source))


def crowd(count: int, start: Any = begun, *, sheets: dict[str, Any] | None = None, **changes: Any) -> Fight:
    """Return a fight of *count* creatures in rows, each beside enemies, who shrug nothing off."""
    names = [f"c{i}" for i in range(count)]
    entries = [
        {
            "sheet": sheet(
                name,
                like="pia",
                side=SIDES[(i % ROW + i // ROW) % 2],
                heart_die=4,
                hp_max=200,
                **(sheets or {}),
            ),
            "position": [i % ROW, i // ROW],
        }
        for i, name in enumerate(names)
    ]
    seats = [{"seat": "zoe", "role": "player", "creatures": []}]
    fight: Fight = start({}, creatures=entries, declared_sides=[], seats=seats, **changes)
    fight.mirror = None
    return fight


def engaged(fight: Fight, stance: str) -> Fight:
    """Let everybody join one engagement in *stance*, all windows passed."""
    fight.do("engage", creature="c0", target="c1")
    for type_, said in (("join_engagement", {}), ("choose_stance", {"stance": stance})):
        while owed := [awaited for awaited in waiting(fight.state) if type_ in awaited.accepts]:
            fight.answer(type_, str(owed[0].creature), **said)
    return fight


def test_TABLE_STANDING_1_forty_that_let_every_window_pass_attack_in_one_decision() -> None:
    fight = crowd(40, abilities=[ROUSE], sheets={"abilities": ["rouse"]})
    for name in fight.state.creatures:
        fight.do("set_standing", creature=name, windows="pass")
    engaged(fight, "might")
    for name in [a.creature or "" for a in waiting(fight.state) if "declare_attack" in a.accepts]:
        (offer, *_) = (one for one in fight.offers("gm", name) if one.type == "declare_attack")
        fight.answer("declare_attack", name, target=offer.choices["target"][0])
    assert fight.state.phase == "priority"
    assert len(fight.logged("attack_rolled")) > 30
    assert {len(event.creatures) for event in fight.logged("all_passed")} == {40}


def test_HR_COND_28_a_minute_passes_at_once_for_two_hundred_that_burn() -> None:
    fight = crowd(CREATURES, opened)
    for name in fight.state.creatures:
        fight.given(name, conditions={"burning": Condition(level=5)})
    fight.do("advance_clock", seconds=60, reason="they burn")
    assert not any(creature.has("burning") for creature in fight.state.creatures.values())
