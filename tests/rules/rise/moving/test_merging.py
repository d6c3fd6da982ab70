"""Hold how the effects of all groups on one creature come together, one row for each kind of effect."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.rise.body.effects import state_after
from service.rules.rise.creatures.character import Condition, VitalWound
from service.rules.rise.creatures.creature import Atom
from service.rules.rise.moving.merging import merge
from service.rules.rolls.chance import Chance
from tests.rules.rise.kit import Fight, NoDice, begun, entry


def atom(does: Any, amount: int = 0, *, target: str = "v", group: str = "m", **more: Any) -> Atom:
    """Return an effect on `v`, by the enemy's group where nothing else is said."""
    return Atom(seq=0, source="e", target=target, does=does, amount=amount, group=group, **more)


def merged(*effects: Atom, kind: str = "mon", options: Any = None, **changes: Any) -> Fight:
    """Return a fight after *effects* of the groups `m`, of the enemy, and `p`, its own, on `v`."""
    fight = begun(
        entry(f"{kind}@p/v", (0, 0), dr=3, dr_max=5),
        entry("mon@p/w", (0, 1)),
        entry("mon@m/e", (1, 0)),
        options=options or {},
    ).given("v", **{"hp": 10, **changes})
    logs = {group: tuple([e for e in effects if e.group == group]) for group in ("m", "p")}
    fight.mirror = None
    fight.state = state_after(fight.state, merge(fight.state, Chance(NoDice()), "v", logs, "p"))
    return fight


@pytest.mark.parametrize(
    ("effects", "hp", "dr"),
    [
        ((), 10, 3),
        ((atom("damage", 5),), 8, 0),
        ((atom("damage", 5, sort="environmental"),), 8, 3),
        ((atom("damage", 5, sort="subdual"),), 8, 0),
        ((atom("damage", 5), atom("damage", 2)), 6, 0),
        ((atom("damage", 5, target="w"),), 10, 3),
        ((atom("heal_hp", 4),), 14, 3),
        ((atom("heal_hp", 4, target="w"),), 10, 3),
        ((atom("heal_dr", 9),), 10, 5),
        ((atom("heal_dr", 9), atom("damage", 5)), 8, 5),
        ((atom("heal_hp", 15), atom("damage", 5)), 20, 0),
        ((atom("heal_dr", 2, group="p"),), 10, 5),
        ((atom("heal_hp", 4, group="p"),), 14, 3),
        ((atom("damage", 4, group="p"),), 9, 0),
        ((atom("heal_hp", 4, group="p", target="w"),), 10, 3),
        ((atom("heal_dr", 2, group="p"), atom("damage", 5, group="p")), 10, 0),
    ],
)
def test_RI_RES_10_damage_and_healing_of_all_groups(effects: tuple[Atom, ...], hp: int, dr: int) -> None:
    """RI-RES-10, RI-HEAL-1, RI-HEAL-2, RI-DMG-5: enemies' damage, one's own in its order, their healing."""
    fight = merged(*effects)
    assert (fight["v"].hp, fight["v"].dr, fight["w"].hp) == (hp, dr, 20)


PRONE = Condition(name="prone", source="e")
SLOWED = Condition(name="slowed", source="e")


@pytest.mark.parametrize(
    ("effects", "before", "after"),
    [
        ((atom("gain", condition=PRONE),), (), ("prone",)),
        ((atom("gain", condition=PRONE, group="p"),), (), ("prone",)),
        ((atom("gain", condition=PRONE, target="w"),), (), ()),
        ((atom("lose", name="prone"),), (PRONE,), ()),
        ((atom("lose", name="prone", group="p"),), (PRONE,), ()),
        ((atom("lose", name="stunned"),), (PRONE,), ("prone",)),
        ((atom("lose", name="*"),), (PRONE, SLOWED), ("prone",)),
        ((atom("gain", condition=SLOWED), atom("lose", name="*", group="p")), (), ()),
        ((atom("lose", name="*", group="p"), atom("gain", condition=PRONE, group="p")), (), ("prone",)),
    ],
)
def test_RI_RES_10_conditions_of_all_groups(
    effects: tuple[Atom, ...], before: tuple[Condition, ...], after: tuple[str, ...]
) -> None:
    fight = merged(*effects, conditions=before)
    assert tuple(condition.name for condition in fight["v"].conditions) == after


def test_RI_RES_10_a_house_may_let_cleansings_come_too_early() -> None:
    """RI-RES-10: then what enemies do in the phase outlasts a cleansing of the same phase."""
    cleansed = (atom("gain", condition=SLOWED), atom("lose", name="*", group="p"))
    assert not merged(*cleansed, options={"cleanse": "removes"})["v"].has("slowed")
    assert merged(*cleansed, options={"cleanse": "keeps"})["v"].has("slowed")


@pytest.mark.parametrize(("levels", "group", "fatigue"), [(2, "m", 2), (1, "p", 1), (0, "m", 0)])
def test_RI_RES_10_RI_FATIG_2_fatigue_of_all_groups(levels: int, group: str, fatigue: int) -> None:
    assert merged(atom("fatigue", levels, group=group), kind="pc")["v"].fatigue == fatigue


@pytest.mark.parametrize(("order", "dr", "hp"), [("by_kind", 0, 7), ("by_group", 0, 7)])
def test_RI_HEAL_1_subdual_damage_comes_after_all_other(order: str, dr: int, hp: int) -> None:
    """RI-HEAL-1: 2 lethal and 4 subdual against 3 of resistance, whichever is first in the log."""
    subdual, lethal = atom("damage", 4, sort="subdual"), atom("damage", 2)
    for effects in ((subdual, lethal), (lethal, subdual)):
        fight = merged(*effects, options={"damage_order": order})
        assert (fight["v"].dr, fight["v"].hp) == (dr, hp)


@pytest.mark.parametrize(
    ("late_healing", "effects", "defeated"),
    [
        ("too_late", (atom("damage", 13), atom("heal_hp", 9)), True),
        ("saves", (atom("damage", 13), atom("heal_hp", 9)), False),
        ("saves", (atom("damage", 13),), True),
        ("too_late", (atom("damage", 12), atom("heal_hp", 9)), False),
    ],
)
def test_RI_HEAL_2_healing_of_the_same_phase_is_late(
    late_healing: str, effects: tuple[Atom, ...], *, defeated: bool
) -> None:
    """RI-HEAL-2, RI-HP-3, RI-RES-10: 10 hit points and 3 of resistance."""
    assert merged(*effects, options={"late_healing": late_healing})["v"].defeated is defeated


@pytest.mark.parametrize(
    ("wounded", "turn", "code"),
    [(True, True, "cannot_modify_vital_roll"), (True, False, "too_late"), (False, True, "too_late")],
)
def test_RI_VITAL_2_the_roll_of_a_wound_stands(code: str, *, wounded: bool, turn: bool) -> None:
    """RI-VITAL-2, RI-UNIV-DESPERATE: without a wound, or out of one's turn, there is no roll to change."""
    fight = begun(entry("pc@p/v", (0, 0)), entry("mon@m/e", (5, 0)))
    if turn:
        fight.do("begin_turn", "v")
    if wounded:
        fight.given("v", wounds=(VitalWound(die=5, result=5, effect="mental", gained=1, phase="action"),))
    assert fight.refused("desperate_exertion", "v") == code


def test_RI_MOVE1_7_of_one_group_the_first_push_counts_and_nobody_rolls() -> None:
    """RI-MOVE1-2: the second pushed nobody in its own world; only groups contend."""
    shove = {"id": "gust", "range_ft": 60, "effects": [{"does": "push", "amount": 10}]}
    places = (
        entry("mon@x/b", (0, 0), abilities=[shove]),
        entry("mon@x/a", (1, 1), abilities=[shove]),
        entry("mon@y/e", (1, 0)),
        entry("mon@z/z", (1, 6), abilities=[shove]),
    )
    fight = begun(*places)
    for name in ("b", "a"):
        fight.do("use_ability", name, ability="gust", targets=["e"]).end(name)
    fight.do("pass_turn", "z").rest()
    assert (fight["e"].position, fight.rolls) == ((3, 0), [])
    fight = begun(*places)
    for name in ("b", "a", "z"):
        fight.do("use_ability", name, ability="gust", targets=["e"]).end(name)
    fight.rest(9, 2)
    assert len(fight.rolls) == 2
    assert fight["e"].position == (3, 0)
