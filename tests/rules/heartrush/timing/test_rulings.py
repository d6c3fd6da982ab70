"""What the GM decides: each row of the ledger's table-talk as a command, recorded exactly (F.2, B.24)."""

from typing import Any

import pytest

from service.rules.heartrush import HEARTRUSH
from service.rules.heartrush.creatures.state import State
from service.rules.kernel.codec import from_data, to_data
from service.rules.kernel.messages import Event
from service.rules.ruleset import waiting
from tests.rules.heartrush.kit import Fight, begun

PLACES = {"pia": (0, 0), "ash": (4, 0), "orc": (1, 0), "wolf": (5, 0)}


def ruled(fight: Fight, kind: str, *effects: dict[str, Any], **data: object) -> Fight:
    """Let the GM rule on something, with these effects."""
    return fight.do(
        "gm_ruling",
        kind=kind,
        decision="so be it",
        reason="it stands to reason",
        effects=list(effects),
        **data,
    )


def cannot(fight: Fight, *effects: dict[str, Any]) -> str:
    """Return why the GM cannot rule so."""
    assert (
        fight.refused("gm_ruling", kind="other", decision="so", effects=list(effects))
        == "effect_not_possible"
    )
    assert fight.refusal is not None
    return fight.refusal.detail


# --- the ruling itself -----------------------------------------------------------------------------


def test_HR_SVC_1_a_ruling_says_who_ruled_on_what_why_and_with_which_effects() -> None:
    fight = ruled(begun(PLACES), "effect", {"kind": "rush", "creature": "pia", "points": 2}, subject="pia")
    ruling = fight.logged("gm_ruling_recorded")[-1]
    assert (ruling.kind, ruling.subject, ruling.decision) == ("effect", "pia", "so be it")
    assert (ruling.reason, ruling.seat, ruling.because) == ("it stands to reason", "gm", ("HR-SVC-1",))
    assert to_data(ruling.effects) == [{"kind": "rush", "creature": "pia", "points": 2}]
    assert fight["pia"].rush == 3


def test_HR_SVC_1_only_the_gm_rules() -> None:
    decision = begun(PLACES).send("gm_ruling", "zoe", kind="other", decision="I win")
    assert decision.refusal is not None
    assert (decision.refusal.code, decision.refusal.rule) == ("not_gm", "HR-SVC-1")


def test_HR_SVC_1_a_ruling_is_told_in_data_from_which_it_is_read_again() -> None:
    fight = begun(PLACES)
    ruled(
        fight,
        "hazard",
        {
            "kind": "check",
            "creature": "pia",
            "ability": "agility",
            "what": "a falling beam",
            "cn": 9,
            "save": True,
            "failure": [{"kind": "damage", "creature": "pia", "dice": [6, 6]}],
        },
    )
    fight.throw(4, 4, 3, 5)
    fight.answer("accept_damage", "pia")
    for event in fight.events:
        data = to_data(event)
        data.pop("type")
        again: Event[State] = from_data(HEARTRUSH.events[event.type], data, families=HEARTRUSH.families)
        assert again == event


def test_HR_SVC_1_effects_run_through_the_rules() -> None:
    """Damage may be shrugged off and wounds; a push collides; conditions stop at five."""
    fight = begun(PLACES)
    ruled(
        fight,
        "effect",
        {"kind": "damage", "creature": "pia", "amount": 20, "cause": "fire"},
        {"kind": "condition", "creature": "pia", "condition": "dazed", "levels": 7},
        {"kind": "move", "creature": "ash", "to": [7, 7]},
        {"kind": "hp", "creature": "orc", "hp": 5},
        {"kind": "die", "creature": "wolf"},
    )
    assert fight.logged("damage_pending")[-1].cause == "fire"
    assert fight["ash"].position == (4, 0), "the next effect waits for the first"
    fight.answer("shrug", "pia")
    pia = fight["pia"]
    assert (pia.hp, pia.heart_die, [w.rank for w in pia.wounds], pia.level("dazed")) == (30, 6, [10], 5)
    assert fight["ash"].position == (7, 7)
    assert (fight["orc"].hp, fight["wolf"].status) == (5, "dead")
    assert fight.state.priority_side == "players"


@pytest.mark.parametrize(
    ("effect", "field", "value"),
    [
        ({"kind": "rush", "creature": "pia", "points": -5}, "rush", 0),
        ({"kind": "action", "creature": "pia", "actions": 1}, "action", 2),
        ({"kind": "action", "creature": "pia", "actions": -3}, "action", 0),
        ({"kind": "heart_die", "creature": "pia", "die": 4}, "heart_die", 4),
        ({"kind": "heart_die", "creature": "pia"}, "heart_die", 8),
        ({"kind": "knock_out", "creature": "pia"}, "status", "unconscious"),
        ({"kind": "hp", "creature": "pia", "hp": -40}, "status", "dead"),
        ({"kind": "hp", "creature": "pia", "hp": -39}, "down_since_s", 0),
        ({"kind": "destiny", "creature": "pia", "points": 9}, "destiny_points", 10),
        ({"kind": "destiny", "creature": "pia", "points": -9}, "destiny_points", 0),
        ({"kind": "hidden", "creature": "pia", "hidden_from": ["orc"]}, "hidden_from", ("orc",)),
        ({"kind": "expose", "creature": "pia"}, "exposed", True),
        ({"kind": "penalty", "creature": "pia", "penalty": 4}, "penalty", 4),
        ({"kind": "bonus", "creature": "pia", "bonus": 4}, "bonus", 4),
    ],
)
def test_HR_SVC_1_each_effect_does_what_it_says(effect: dict[str, Any], field: str, value: object) -> None:
    fight = ruled(begun(PLACES), "effect", effect)
    assert getattr(fight["pia"], field) == value


@pytest.mark.parametrize(
    "effect",
    [
        {"kind": "damage", "creature": "nobody", "amount": 3},
        {"kind": "damage", "creature": "pia"},
        {"kind": "wound", "creature": "pia", "rank": 0},
        {"kind": "ease_wounds", "creature": "pia", "amount": 1, "wound": "w9"},
        {"kind": "condition", "creature": "pia", "condition": "dazed", "levels": 0},
        {"kind": "push", "creature": "pia", "feet": 7},
        {"kind": "push", "creature": "pia", "feet": 5, "direction": [2, 0]},
        {"kind": "hp", "creature": "pia", "hp": 41},
        {"kind": "restore", "creature": "pia", "hp": 4},
        {"kind": "surprise", "creature": "pia"},
        {"kind": "unaware", "side": "players"},
        {"kind": "hidden", "creature": "pia", "hidden_from": ["nobody"]},
        {"kind": "terrain", "cells": [[0, 0]], "terrain": "wall"},
        {"kind": "option", "option": "timing", "value": "turns"},
        {"kind": "option", "option": "wound_threshold", "value": 12},
        {"kind": "priority", "side": "nobody"},
        {
            "kind": "check",
            "creature": "pia",
            "ability": "might",
            "what": "x",
            "cn": 5,
            "failure": [{"kind": "die", "creature": "nobody"}],
        },
    ],
)
def test_HR_SVC_1_a_ruling_whose_effects_cannot_be_is_refused_whole(effect: dict[str, Any]) -> None:
    cannot(begun(PLACES), {"kind": "rush", "creature": "orc", "points": 1}, effect)


@pytest.mark.parametrize(
    "effect",
    [
        {"kind": "damage", "creature": "pia", "amount": -3},
        {"kind": "rush", "creature": "pia", "points": -1_001},
        {"kind": "action", "creature": "pia", "actions": -1_001},
        {"kind": "destiny", "creature": "pia", "points": 11},
        {"kind": "destiny", "creature": "pia", "points": -11},
    ],
)
def test_HR_SVC_1_an_effect_out_of_bounds_is_malformed(effect: dict[str, Any]) -> None:
    fight = begun(PLACES)
    assert fight.refused("gm_ruling", kind="other", decision="so", effects=[effect]) == "malformed"


def test_HR_SVC_1_a_ruling_may_come_in_the_middle_of_anything() -> None:
    fight = begun(PLACES).do("engage", creature="pia", target="orc").joined_by()
    ruled(fight, "effect", {"kind": "damage", "creature": "orc", "dice": [6]}).throw(3)
    fight.answer("accept_damage", "orc")
    assert fight["orc"].hp == 32
    fight.stances(pia="might", orc="defensive")
    assert fight.waits_for() == ["pia"]


def test_HR_SVC_6_a_mistake_is_corrected_by_an_entry_of_its_own() -> None:
    fight = begun(PLACES)
    ruled(fight, "effect", {"kind": "die", "creature": "orc"})
    before = list(fight.events)
    ruled(fight, "correction", {"kind": "restore", "creature": "orc", "hp": 35}, subject="command 4")
    assert fight.events[: len(before)] == before
    assert (fight["orc"].status, fight["orc"].hp) == ("active", 35)
    assert fight.logged("gm_ruling_recorded")[-1].because == ("HR-SVC-1", "HR-SVC-6")


def test_HR_SVC_1_options_are_frozen_but_for_a_ruling() -> None:
    fight = begun(PLACES)
    before = fight.state.house
    ruled(fight, "other", {"kind": "option", "option": "wound_threshold", "value": 11})
    assert (before.wound_threshold, fight.state.house.wound_threshold) == (10, 11)


def test_HR_SVC_1_a_mover_that_was_put_elsewhere_walks_no_further() -> None:
    fight = begun(PLACES).do("pass_side", side="players")
    fight.do("dash", creature="orc", to=[1, 5])
    assert "pia" in fight.waits_for()
    ruled(fight, "other", {"kind": "move", "creature": "orc", "to": [20, 20]})
    assert fight["orc"].position == (20, 20)
    assert fight.logged("movement_ended")


@pytest.mark.parametrize("effect", ["die", "withdraw", "knock_out"])
@pytest.mark.parametrize("creature", ["pia", "orc"])
def test_HR_SVC_1_whoever_is_ruled_out_of_an_engagement_keeps_nobody_waiting(
    effect: str, creature: str
) -> None:
    fight = begun(PLACES, sheets={"orc": {"weapons": []}})
    fight.do("engage", creature="pia", target="orc").joined_by().stances(pia="might")
    ruled(fight, "effect", {"kind": effect, "creature": creature})
    assert creature not in fight.waits_for()
    while fight.state.top is not None and fight.state.top.kind != "combat":
        (waits,) = waiting(fight.state)
        if "choose_stance" in waits.accepts:
            fight.answer("choose_stance", str(waits.creature), stance="defensive")
        else:
            fight.answer("decline_attack", str(waits.creature))
    assert fight.logged("engagement_ended")


@pytest.mark.parametrize(("stance", "declared"), [("cunning", True), ("might", True), ("agility", False)])
def test_HR_RES_6_nobody_is_asked_for_an_attack_once_the_other_side_has_left(
    *, stance: str, declared: bool
) -> None:
    """Whom the gm takes out of the engagement leaves nobody to attack, but a friend who is in it too."""
    fight = begun({"pia": (0, 0), "bru": (0, 1), "wolf": (1, 0), "orc": (9, 9)})
    fight.do("engage", creature="pia", target="wolf").joined_by("bru")
    fight.stances(pia=stance, bru=stance, wolf="defensive")
    if declared:
        fight.answer("declare_attack", "bru", target="wolf")
    ruled(fight, "effect", {"kind": "withdraw", "creature": "wolf"})
    assert fight.logged("engagement_ended")
    assert not fight.rolls
    assert fight.state.priority_side == "enemies"


@pytest.mark.parametrize("leaves", ["wolf", "bru"])
def test_HR_RES_2_nobody_strikes_at_whom_the_gm_takes_away_before_its_turn(leaves: str) -> None:
    """Attacks of a step are simultaneous for those who fall in it, and not for those who leave the fight."""
    fight = begun({"pia": (0, 0), "bru": (0, 1), "wolf": (1, 0), "orc": (1, 1)})
    fight.do("engage", creature="pia", target="wolf").joined_by("bru", "orc")
    fight.stances(pia="might", bru="might", wolf="defensive", orc="defensive")
    fight.answer("declare_attack", "pia", target="orc")
    fight.answer("declare_attack", "bru", target="wolf")
    assert fight.waits_for()[0] == "pia", "her dice"
    ruled(fight, "effect", {"kind": "withdraw", "creature": leaves})
    fight.throw(1, 1, 1, 1, 8, 8)
    assert fight.logged("engagement_ended")
    assert [event.creature for event in fight.logged("attack_rolled")] == ["pia"]


def test_HR_SVC_1_who_is_brought_back_to_where_somebody_stands_comes_beside_it() -> None:
    fight = begun({"pia": (0, 0), "ash": (9, 9), "wolf": (1, 0)}, first="enemies")
    ruled(fight, "effect", {"kind": "die", "creature": "pia"})
    fight.do("dash", creature="wolf", path=[[0, 0]])
    ruled(fight, "correction", {"kind": "restore", "creature": "pia", "hp": 5})
    assert (fight["pia"].status, fight["pia"].hp, fight["wolf"].position) == ("active", 5, (0, 0))
    assert fight["pia"].position != (0, 0)
    assert "HR-SVC-1" in fight.events[-1].because


@pytest.mark.parametrize("thrown", [(), (8, 8, 8, 8)])
def test_HR_RES_2_an_attack_comes_to_nothing_whose_target_leaves_during_it(thrown: tuple[int, ...]) -> None:
    fight = begun({"pia": (0, 0), "orc": (1, 0), "wolf": (9, 9)})
    fight.do("engage", creature="pia", target="orc").joined_by()
    fight.stances(pia="might", orc="defensive")
    fight.answer("declare_attack", "pia", *thrown, target="orc")
    ruled(fight, "effect", {"kind": "withdraw", "creature": "orc"})
    assert len(fight.logged("dice_withdrawn")) == 1, "nobody throws any more"
    assert (fight["orc"].hp, len(fight.logged("engagement_ended"))) == (35, 1)
