"""Hold both answers of each house option whose other answer no chapter's test needs."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.rise.creatures.options import DEFAULTS, OPTIONS
from tests.rules.rise.kit import Fight, begun, entry

HIT = {"id": "hit", "range_ft": 99, "effects": [{"does": "damage", "amount": 8}]}
MEND = {"id": "mend", "range_ft": 99, "effects": [{"does": "heal_hp", "amount": 10}]}
SLOW = {"id": "hit", "range_ft": 99, "effects": [{"does": "gain", "condition": "slowed"}]}
CLEANSE = {"id": "mend", "range_ft": 99, "effects": [{"does": "lose", "condition": "*"}]}


def test_every_option_has_a_default_and_says_what_it_settles() -> None:
    for key, spec in OPTIONS.items():
        assert spec.settles, key
        assert DEFAULTS[key] == spec.values[0], key
        assert spec.bounds or len(spec.values) > 1, key


def met(hit: dict[str, Any], mend: dict[str, Any], **options: Any) -> Fight:
    """Return a fight in which `v` was hit by another group and mended by its own in the same phase."""
    fight = begun(
        entry("mon@m/v", (1, 0), hp=5),
        entry("mon@m/healer", (2, 0), abilities=[mend]),
        entry("mon@p/f", (0, 0), abilities=[hit]),
        options=options,
    )
    fight.do("use_ability", "f", ability="hit", targets=["v"]).end("f")
    return fight.do("use_ability", "healer", ability="mend", targets=["v"]).end("healer").rest()


@pytest.mark.parametrize(("value", "hp", "felled"), [("too_late", -3, True), ("saves", 10, False)])
def test_C_07_healing_of_the_same_phase(value: str, hp: int, *, felled: bool) -> None:
    fight = met(HIT, MEND, late_healing=value)
    assert fight["v"].defeated is felled
    assert fight["v"].hp == hp


@pytest.mark.parametrize(("value", "left"), [("removes", []), ("keeps", ["slowed"])])
def test_C_10_a_cleansing_and_what_comes_with_it(value: str, left: list[str]) -> None:
    fight = met(SLOW, CLEANSE, cleanse=value)
    assert [condition.name for condition in fight["v"].conditions] == left


@pytest.mark.parametrize(("value", "credit"), [("everyone", ("x1", "y1")), ("last", ("y1",))])
def test_C_08_who_is_said_to_have_felled_it(value: str, credit: tuple[str, ...]) -> None:
    """RI-MULTI-3."""
    fight = begun(
        entry("mon@z/b", (1, 0), hp=8),
        entry("mon@x/x1", (0, 0), abilities=[HIT]),
        entry("mon@y/y1", (2, 0), abilities=[HIT]),
        options={"credit": value},
    )
    fight.do("use_ability", "x1", ability="hit", targets=["b"]).end("x1")
    fight.do("use_ability", "y1", ability="hit", targets=["b"]).end("y1").rest()
    assert fight["b"].credit == credit


@pytest.mark.parametrize(("value", "prone"), [(True, True), (False, False)])
def test_C_53_falling_unconscious(value: object, prone: object) -> None:
    fight = begun(
        entry("mon@p/v", (1, 0)),
        entry(
            "mon@m/f", (0, 0), abilities=[{**SLOW, "effects": [{"does": "gain", "condition": "unconscious"}]}]
        ),
        options={"fall_prone": value},
    )
    fight.do("use_ability", "f", ability="hit", targets=["v"]).end("f").rest()
    assert fight["v"].down
    assert fight["v"].has("prone") is prone


@pytest.mark.parametrize(("value", "order"), [("dexterity", ("a", "b")), ("speed", ("b", "a"))])
def test_C_12_what_initiative_adds(value: str, order: tuple[str, ...]) -> None:
    fight = begun(
        entry("mon@x/a", (0, 0), dexterity=3),
        entry("mon@y/b", (2, 0), speeds={"land": 60}),
        phase="movement",
        options={"initiative": value},
    )
    fight.do("plan_movement", "a", path=[[1, 0]]).do("plan_movement", "b", path=[[1, 0]]).throw(5, 5)
    assert fight.logged("conflict_found")[-1].order == order


@pytest.mark.parametrize(("value", "outcome"), [("better", "glance"), ("second", "miss")])
def test_RI_UNIV_DESPERATE_which_roll_counts(value: str, outcome: str) -> None:
    fight = begun(entry("pc@p/f", (0, 0)), entry("mon@m/e", (1, 0)), options={"exertion_keeps": value})
    fight.do("strike", "f", 7, target="e").do("desperate_exertion", "f", 1)
    assert fight.logged("attack_rolled")[-1].outcome == outcome


@pytest.mark.parametrize(("value", "asked"), [("misses", False), ("always", True), ("never", False)])
def test_C_44_when_a_player_is_asked(value: str, asked: object) -> None:
    fight = begun(entry("pc@p/f", (0, 0)), entry("mon@m/e", (1, 0)), options={"exertion_prompt": value})
    fight.do("strike", "f", 9, target="e")
    assert fight.logged("attack_rolled")[-1].asks is asked


def test_C_25_after_a_ruling_free_actions_have_an_end() -> None:
    """RI-ACT-7, RI-GM-2."""
    yell = {"id": "yell", "usage": "free", "effects": []}
    fight = begun(entry("mon@p/p", (0, 0), abilities=[yell]), options={"free_actions_warn": 2})
    for _ in range(3):
        fight.do("use_ability", "p", ability="yell", targets=["p"])
    fight.do("rule", question="free_action_reasonable", subjects=["p"], chosen="no")
    code = fight.refused("use_ability", "p", ability="yell", targets=["p"])
    assert code == "free_action_unreasonable"


def test_C_30_what_needs_no_owner_comes_without_it() -> None:
    """RI-DELAY-4."""
    echo = {
        "id": "echo",
        "later": "next_action",
        "range_ft": 60,
        "effects": [{"does": "damage", "amount": 3}],
    }
    faint = {**SLOW, "effects": [{"does": "gain", "condition": "unconscious"}]}
    fight = begun(
        entry("mon@p/p", (0, 0), abilities=[echo]),
        entry("mon@m/e", (1, 0), abilities=[faint]),
        options={"auto_end": False},
    )
    fight.do("use_ability", "p", ability="echo", targets=["e"]).end("p")
    fight.do("use_ability", "e", ability="hit", targets=["p"]).end("e").to_actions().rest()
    assert fight["p"].down
    assert fight["e"].hp == 17


@pytest.mark.parametrize(("value", "dead"), [("dead", True), ("unconscious", False)])
def test_C_41_what_becomes_of_monsters_at_zero(value: str, *, dead: bool) -> None:
    """RI-HP-3."""
    fight = met(HIT, {**MEND, "effects": []}, monsters_at_zero=value)
    assert fight["v"].defeated
    assert fight["v"].dead is dead


def hurt_pc(*faces: int, hp: int = 3, amount: int = 25, **options: Any) -> Fight:
    """Return a fight in which a player's creature with a maximum of 10 took this much damage from outside."""
    blow = {"id": "hit", "range_ft": 99, "effects": [{"does": "damage", "amount": amount}]}
    fight = begun(
        entry("pc@p/v", (0, 0), hp=hp, hp_max=10), entry("mon@m/e", (5, 0), abilities=[blow]), options=options
    )
    fight.do("pass_turn", "v").do("use_ability", "e", ability="hit", targets=["v"]).end("e")
    return fight.throw(*faces)


@pytest.mark.parametrize(("value", "results"), [("in_turn", [7, 3, 5]), ("together", [7, 5, 9])])
def test_C_32_wounds_of_one_blow(value: str, results: list[int]) -> None:
    """RI-VITAL-6."""
    fight = hurt_pc(7, 5, 9, wounds_at_once=value)
    assert [wound.result for wound in fight["v"].wounds] == results


@pytest.mark.parametrize(("value", "deadline"), [("after", 11), ("with", 10)])
def test_C_34_when_the_minute_of_the_dying_begins(value: str, deadline: int) -> None:
    """RI-VITAL-7."""
    fight = hurt_pc(9, 1, hp=0, amount=11, minute=value)
    assert fight["v"].wounds[-1].result == -1
    assert fight["v"].wounds[-1].deadline == deadline


@pytest.mark.parametrize(("value", "hp"), [("by_kind", 14), ("by_group", 10)])
def test_C_51_in_which_order_simultaneous_damage_is_taken(value: str, hp: int) -> None:
    """RI-HEAL-1: what the surroundings do is judged on the resistance before this phase's hits."""
    storm = {**HIT, "effects": [{"does": "damage", "amount": 4, "sort": "environmental"}]}
    fight = begun(
        entry("mon@p/v", (1, 0), dr=4, dr_max=4),
        entry("mon@a/x", (0, 0), abilities=[{**HIT, "effects": [{"does": "damage", "amount": 10}]}]),
        entry("mon@b/y", (2, 0), abilities=[storm]),
        options={"damage_order": value},
    )
    for name in ("x", "y"):
        fight.do("use_ability", name, ability="hit", targets=["v"]).end(name)
    assert fight.rest()["v"].hp == hp


@pytest.mark.parametrize(("value", "hp"), [("in_turn", 12), ("last", 20)])
def test_C_05_a_groups_own_healing_and_its_own_damage(value: str, hp: int) -> None:
    """RI-HEAL-5."""
    fight = begun(
        entry("mon@p/v", (1, 0)),
        entry("mon@p/a", (0, 0), abilities=[MEND]),
        entry("mon@p/b", (2, 0), abilities=[HIT]),
        options={"own_healing": value},
    )
    fight.do("use_ability", "a", ability="mend", targets=["v"]).end("a")
    fight.do("use_ability", "b", ability="hit", targets=["v"]).end("b").rest()
    assert fight["v"].hp == hp


@pytest.mark.parametrize(("value", "spent"), [("refused", "unused"), ("wasted", "traded_movement")])
def test_C_18_a_second_movement_of_ones_own(value: str, spent: str) -> None:
    """RI-MOVE1-8."""
    fight = begun(entry("mon@p/v", (1, 0)), entry("mon@p/a", (0, 0)), options={"second_move": value})
    fight.do("shove", "a", 5, target="v", willing=True, distance_ft=5).end("a")
    decision = fight.send("move", "gm", creature="v", path=[[2, 1]])
    assert (decision.refusal is None) is (value == "wasted")
    assert fight.seen("p", "v").budget.standard == spent
    assert fight.seen("p", "v").position == (2, 0)


@pytest.mark.parametrize(("value", "refused"), [(True, False), (False, True)])
def test_C_24_minor_actions_in_the_middle_of_a_movement(*, value: bool, refused: bool) -> None:
    """RI-ACT-6."""
    wave = {"id": "wave", "usage": "minor", "effects": []}
    fight = begun(entry("mon@p/p", (0, 0), abilities=[wave]), options={"minor_in_movement": value})
    fight.do("move", "p", path=[[1, 0]], pause=True)
    decision = fight.send("use_ability", "gm", creature="p", ability="wave", targets=["p"])
    assert (decision.refusal is not None) is refused


@pytest.mark.parametrize(("value", "refused"), [("any", False), ("hustle", True)])
def test_C_48_what_movement_a_standard_action_buys(value: str, *, refused: bool) -> None:
    """RI-ACT-4."""
    fight = begun(entry("pc@p/p", (0, 0)), options={"traded_movement": value})
    decision = fight.send("move", "seat-p", creature="p", path=[[1, 0]], sprint=True)
    assert (decision.refusal is not None) is refused


@pytest.mark.parametrize(("value", "refused"), [("allowed", False), ("refused", True)])
def test_C_37_attacks_on_the_felled(value: str, *, refused: bool) -> None:
    """RI-ATK-12."""
    fight = begun(
        entry("mon@p/a", (0, 0)),
        entry("mon@p/b", (2, 0)),
        entry("mon@m/e", (1, 0), hp=5),
        options={"attack_the_felled": value},
    )
    fight.do("strike", "a", 9, 8, target="e").end("a")
    decision = fight.send("strike", "gm", creature="b", target="e")
    assert (decision.refusal is not None) is refused


@pytest.mark.parametrize(("value", "moved"), [("best", True), ("nobody", False)])
def test_C_16_whom_several_outsiders_move(value: str, *, moved: bool) -> None:
    """RI-MOVE1-7."""
    fight = begun(
        entry("mon@t/t", (5, 5)),
        entry("mon@x/x1", (4, 5)),
        entry("mon@y/y1", (5, 4)),
        options={"outside_moves": value},
    )
    fight.do("shove", "x1", 8, target="t", direction=[1, 0]).end("x1")
    fight.do("shove", "y1", 8, target="t", direction=[0, 1]).end("y1")
    fight.do("pass_turn", "t").throw(*([5, 6] if moved else []))
    assert (fight["t"].position != (5, 5)) is moved


@pytest.mark.parametrize(("value", "hp"), [("come", 17), ("lapse", 20)])
def test_C_30_delayed_effects_of_whoever_cannot_act(value: str, hp: int) -> None:
    """RI-DELAY-4."""
    echo = {**HIT, "id": "echo", "later": "next_action", "effects": [{"does": "damage", "amount": 3}]}
    faint = {**HIT, "effects": [{"does": "gain", "condition": "unconscious"}]}
    fight = begun(
        entry("mon@p/p", (0, 0), abilities=[echo]),
        entry("mon@m/e", (1, 0), abilities=[faint]),
        options={"ownerless_delayed": value, "auto_end": False},
    )
    fight.do("use_ability", "p", ability="echo", targets=["e"]).end("p")
    fight.do("use_ability", "e", ability="hit", targets=["p"]).end("e").to_actions().rest()
    assert fight["e"].hp == hp


def test_RI_GROUP_2_attitudes_can_be_said_for_the_next_phase() -> None:
    """RI-GROUP-2: inside a phase they are fixed; the unconscious regard everybody as an ally."""
    fight = begun(entry("mon@p/a", (0, 0)), entry("mon@p/b", (1, 0)), phase="movement")
    assert fight.refused("set_attitude", toward="b", attitude="enemy", creature="a") == "attitude_locked"
    fight.do("set_attitude", "a", toward="b", attitude="enemy", next_phase=True)
    assert fight.state.groups == {"p": ("a", "b")}
    fight.do("pass_movement", "a").do("pass_movement", "b")
    assert fight.state.groups == {"a": ("a",), "b": ("b",)}
    assert fight.state.with_creature("a", down=True).attitude("a", "b") == "ally"


def test_RI_ACT_10_objects_take_no_turns() -> None:
    fight = begun(entry("mon@p/a", (0, 0)), entry("obj@m/door", (1, 0)))
    fight.do("pass_turn", "a")
    assert fight.state.round == 2
