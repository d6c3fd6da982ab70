"""Hold what conditions do, by their names, and what a house may keep from an attacker's group."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.kernel.sealed import view
from service.rules.rise.creatures.character import Condition
from service.rules.rise.creatures.combat_statistics import CONDITIONS, defense_terms, speed_of, total
from service.rules.rise.table.presentation import tokens
from service.rules.table.short_view import ShownCondition
from tests.rules.rise.kit import Fight, begun, entry, opened


def lying(*names: str) -> Fight:
    """Return a fight that has not begun, in which `v` suffers from conditions of these names."""
    fight = opened(entry("mon@p/v", (0, 0)), entry("mon@m/e", (1, 0)))
    return fight.given("v", conditions=tuple([Condition(name=name, source="e") for name in names]))


def suffering(*names: str) -> Fight:
    """Return such a fight with turns open."""
    return lying(*names).do("start_combat", start_phase="action").to_actions()


@pytest.mark.parametrize(
    ("names", "armor", "fortitude", "speed"),
    [
        (["prone"], -2, 0, 15),
        (["slowed"], -2, 0, 15),
        (["immobilized"], -4, 0, 0),
        (["slowed", "immobilized"], -4, 0, 0),
        (["dazed"], -1, -1, 30),
        (["stunned"], -2, -2, 30),
        (["dazed", "stunned"], -2, -2, 30),
        (["grappled"], -2, 0, 30),
        (["squeezing"], -2, 0, 15),
        (["midair"], -4, 0, 30),
        (["blinded"], -2, 0, 30),
        (["dazzled"], 0, 0, 30),
        (["helpless"], -6, 0, 30),
        (["helpless", "blinded"], -6, 0, 30),
        (["unconscious"], -6, 0, 30),
        (["prone", "dazed", "grappled"], -5, -1, 15),
    ],
)
def test_RI_COND_2_every_named_state_has_its_numbers(
    names: list[str], armor: int, fortitude: int, speed: int
) -> None:
    """RI-COND-2, RI-ATK-14, RI-MOVE-5."""
    fight = lying(*names)
    victim, attacker = fight["v"], fight["e"]
    assert total(defense_terms(victim, "armor", attacker)) == 12 + armor
    assert total(defense_terms(victim, "fortitude", attacker)) == 10 + fortitude
    assert speed_of(fight.state, victim) == speed


@pytest.mark.parametrize(("name", "face", "outcome"), [("dazzled", 2, "miss"), ("blinded", 5, "miss")])
def test_RI_ATK_13_whoever_sees_badly_misses_by_chance(name: str, face: int, outcome: str) -> None:
    """RI-COND-2: dazzled treats everything as concealed, blinded sees nothing."""
    fight = suffering(name)
    fight.do("strike", "v", 9, face, target="e")
    assert fight.logged("attack_rolled")[-1].outcome == outcome
    fight = suffering(name)
    fight.do("strike", "v", 9, face + 1, 4, target="e")
    assert fight.logged("attack_rolled")[-1].outcome == "hit"


def test_RI_ATK_14_partly_unaware_is_two_less() -> None:
    """RI-ATK-14, RI-ROUND-4."""
    fight = opened(entry("mon@p/f", (0, 0)), entry("mon@m/e", (1, 0)))
    fight.do("start_combat", start_phase="action", partly_unaware=["e"]).to_actions()
    fight.do("strike", "f", 6, 3, target="e")
    assert fight.logged("attack_rolled")[-1].outcome == "hit", "10 against an armor of 12 - 2"


def test_RI_DUR_1_how_long_each_duration_lasts() -> None:
    """RI-DUR-1: this phase, this round, briefly, until removed."""
    effects = [
        {"does": "gain", "condition": until, "until": until, "modifiers": {"armor": -1}}
        for until in ("phase", "round", "brief", "condition", "permanent")
    ]
    curse = {"id": "curse", "range_ft": 60, "effects": effects}
    fight = begun(entry("mon@p/p", (0, 0)), entry("mon@m/e", (5, 0), abilities=[curse]))
    fight.do("pass_turn", "p").do("use_ability", "e", ability="curse", targets=["p"]).end("e")
    assert [c.name for c in fight["p"].conditions] == ["brief", "condition", "permanent"]
    assert "phase" in [e.condition.name for e in fight.logged("condition_gained")]
    fight.to_actions().rest()
    assert [c.name for c in fight["p"].conditions] == ["condition", "permanent"]


def _hidden(*more: dict[str, Any], face: int, **options: Any) -> Fight:
    fight = begun(
        entry("pc@p/p", (0, 0)),
        entry("mon@m/e", (1, 0)),
        *more,
        options={"visibility": "none", "exertion_prompt": "never", **options},
    )
    return fight.do("strike", "p", face, 5, target="e")


@pytest.mark.parametrize(("face", "outcome", "hp"), [(9, "hit", 13), (6, "glance", 17), (2, "miss", 20)])
def test_RI_INFO_5_a_house_may_tell_nothing_before_the_announcement(face: int, outcome: str, hp: int) -> None:
    """RI-INFO-5: neither the outcome nor what it did, and the same dice are thrown whatever it is."""
    fight = _hidden(face=face)
    assert fight.logged("attack_rolled")[-1].outcome == "unknown"
    assert not fight.logged("damage_rolled")
    assert view(fight.state, "seat-p").at("p").creatures["e"].hp == 20
    assert len(fight.rolls) == 2
    fight.end("p").rest()
    (judged,) = fight.logged("attack_judged")
    assert (judged.outcome, fight["e"].hp) == (outcome, hp)


def test_RI_INFO_5_critical_hits_multiply_what_was_thrown() -> None:
    fight = begun(
        entry("mon@p/p", (0, 0), accuracy=14), entry("mon@m/e", (1, 0)), options={"visibility": "none"}
    )
    fight.do("strike", "p", 9, 5, target="e").end("p").rest()
    assert fight.logged("attack_judged")[-1].outcome == "crit"
    assert fight["e"].hp == 20 - 2 * 7


def test_RI_INFO_5_a_player_is_asked_without_being_told_and_the_better_roll_counts() -> None:
    fight = begun(entry("pc@p/p", (0, 0)), entry("mon@m/e", (1, 0)), options={"visibility": "none"}).do(
        "strike", "p", 9, target="e"
    )
    fight.do("desperate_exertion", "p", 2, 5).end("p").rest()
    assert fight.logged("attack_judged")[-1].total == 13
    assert fight["e"].hp == 13
    assert fight["p"].fatigue == 2


def test_RI_INFO_5_what_follows_an_attack_comes_with_it() -> None:
    bite = {
        "id": "bite",
        "strike": {"dice": [6]},
        "effects": [{"does": "gain", "condition": "dazed", "until": "brief"}],
        "on_loss": [{"does": "heal_hp", "dice": [4], "to": "self"}],
    }
    for face, dazed, hp in ((9, True, 13), (2, False, 10)):
        fight = begun(
            entry("mon@p/p", (0, 0), hp=10, abilities=[bite]),
            entry("mon@m/e", (1, 0)),
            options={"visibility": "none"},
        )
        fight.do("use_ability", "p", face, 4, 3, ability="bite", targets=["e"]).end("p").rest()
        assert (fight["e"].has("dazed"), fight["p"].hp) == (dazed, hp)


@pytest.mark.parametrize("name", [*(name for name in CONDITIONS if name != "squeezing"), "homesick"])
def test_RI_COND_1_whatever_is_laid_is_lifted_by_a_rest_and_by_a_word(name: str) -> None:
    """None binds for ever: the GM's word ends it at once, and so does a rest; squeezing is judged anew."""
    laid = {"does": "gain", "target": "o", "name": name, "custom": name not in CONDITIONS}
    by = {"by": "p"} if name == "grappled" else {}
    for lifts in (
        ("gm_ruling", {"kind": "effect", "decision": "so", "effects": [{**laid, "does": "lose"}]}),
        ("rest", {"creature": "o", "rest": "short"}),
    ):
        fight = opened(entry("pc@p/p", (0, 0)), entry("pc@p/o", (1, 0)), entry("mon@m/x", (9, 9)))
        fight.do("gm_ruling", kind="effect", decision="so", effects=[{**laid, **by}])
        assert fight["o"].has(name)
        type_, data = lifts
        assert fight.send(type_, "gm", **data).refusal is None
        assert not fight["o"].has(name)
        assert not fight["o"].down
        assert not fight["p"].has(name)


def test_a_condition_is_shown_once_with_the_round_in_which_it_first_began() -> None:
    conditions = tuple([Condition(name="dazed", source="e", since=since) for since in (3, 2)])
    shown = {token.id: token for token in tokens(lying().given("v", conditions=conditions).state)}
    assert shown["v"].conditions == (ShownCondition(name="dazed", since=2),)


@pytest.mark.parametrize(
    ("names", "feet"),
    [
        ((), 30),
        (("prone",), 15),
        (("prone", "slowed"), 10),
        (("slowed", "slowed"), 15),
        (("prone", "squeezing"), 10),
        (("prone", "slowed", "squeezing"), 5),
    ],
)
def test_RI_DMG_3_a_speed_halved_twice_is_a_third(names: tuple[str, ...], feet: int) -> None:
    """RI-MOVE-5: each reason halves once, and two of one name are one reason (RI-CALC-1)."""
    fight = begun(entry("mon@p/p", (0, 0)), entry("mon@m/e", (9, 9)))
    laid = tuple(Condition(name=name, source=f"s{n}", since=1) for n, name in enumerate(names))
    fight.given("p", conditions=laid)
    assert speed_of(fight.state, fight["p"]) // 5 * 5 == feet
