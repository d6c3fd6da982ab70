"""Both sides of each bound of Rise's attacks and damage, asked of the rule itself."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.rise.attacks.attack_rolls import EXPLOSIONS, against, damage_amount
from service.rules.rise.creatures.combat_statistics import halved
from service.rules.rise.creatures.sheet import Strike
from service.rules.rise.sight.obstacles_and_targets import Aim, Assault
from service.rules.rolls.chance import Chance
from tests.rules.rise.kit import BLADE, Seeded, begun, entry
from tests.rules.rise.test_both_sides import QUIET, pair


@pytest.mark.parametrize(
    ("faces", "total", "hit"),
    [
        ((5,), 9, False),
        ((7,), 11, False),
        ((8,), 12, True),
        ((10, 1), 15, True),
        ((10, 10, 2), 26, True),
    ],
)
def test_RI_ATK_2_a_ten_adds_a_ten_sided_die(faces: tuple[int, ...], total: int, *, hit: bool) -> None:
    """RI-ATK-2, RI-GROUP-5: accuracy 4 against armor 12; terms of accuracy are those of the sheet."""
    fight = pair(weapons=[BLADE])
    fight.do("strike", "p", target="e")
    fight.rest(*faces)
    roll = next(roll for roll in fight.rolls if roll.name.stream == "p/attack")
    assert [die.sides for die in roll.dice] == [10] * len(faces)
    assert [die.role for die in roll.dice] == ["attack", *["explosion"] * (len(faces) - 1)]
    assert roll.total == total


@pytest.mark.parametrize(
    ("strike", "assault", "found"),
    [
        ({}, {}, {"armor": 12}),
        ({"versus": ("armor", "reflex")}, {}, {"armor": 12, "reflex": 10}),
        ({"versus": ("mental",)}, {}, {"mental": 10}),
        ({}, {"defense_terms": {"mount": 2}}, {"armor": 14}),
        ({}, {"willing": ("e",)}, {"armor": 0}),
        ({"versus": ("armor", "reflex")}, {"willing": ("e",)}, {"armor": 0, "reflex": 0}),
        ({"versus": ("grip",)}, {"maneuver": "grip"}, {"grip": -EXPLOSIONS}),
    ],
)
def test_RI_ATK_10_and_RI_GROUP_5_which_defenses_an_attack_has_to_reach(
    strike: dict[str, Any], assault: dict[str, Any], found: dict[str, int]
) -> None:
    fight = pair()
    use = Assault(user="p", what="x", targets=("e",), **assault)
    assert dict(against(fight.state, Aim(use, "e"), Strike(**strike), None)) == found
    assert EXPLOSIONS == 20


@pytest.mark.parametrize(
    ("kind", "mode", "multiple", "amount"),
    [
        ("mon", "roll", 0, 3),
        ("mon", "roll", 1, 6),
        ("mon", "roll", 2, 9),
        ("mon", "multiply", 1, 6),
        ("mon", "multiply", 2, 9),
        ("obj", "roll", 2, 3),
        ("obj", "multiply", 2, 3),
    ],
)
def test_RI_DMG_2_a_critical_hit_multiplies_what_is_no_die(
    kind: str, mode: str, multiple: int, amount: int
) -> None:
    fight = begun(
        entry("pc@p/p", (0, 0)),
        entry("mon@m/m", (9, 0)),
        entry(f"{kind}@m/e", (1, 0)),
        options={**QUIET, "crit_mode": mode},
    )
    aim = Aim(Assault(user="p", what="x", targets=("e",)), "e")
    emits = damage_amount(fight.state, Chance(Seeded()), aim, Strike(flat=3), multiple)
    with pytest.raises(StopIteration) as done:
        next(emits)
    assert done.value.value[1] == amount


@pytest.mark.parametrize(
    ("amount", "times", "left_"), [(9, 0, 9), (9, 1, 4), (9, 2, 3), (8, 1, 4), (1, 1, 0), (0, 1, 0)]
)
def test_RI_DMG_3_each_half_takes_one_more_share(amount: int, times: int, left_: int) -> None:
    assert halved(amount, times) == left_
    assert halved(amount) == amount // 2
