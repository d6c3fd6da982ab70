"""Rules that meet where a table seldom looks: who is asked can answer, and what is over is not listed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from service.rules.heartrush import HEARTRUSH
from service.rules.ruleset import waiting
from service.usecases.openings import opening_faults
from tests.rules.heartrush.casts import ability, declare, do, engaged, fight_with, let_go, owners
from tests.rules.heartrush.kit import Fight, begun, opening

ROW = {"pia": (0, 0), "wolf": (1, 0), "bru": (1, 1)}
DUEL = {"pia": (0, 0), "orc": (1, 0), "ash": (5, 5), "wolf": (9, 9)}


def ruled(fight: Fight, **effect: Any) -> Fight:
    """Let the GM rule one effect."""
    return fight.do("gm_ruling", kind="effect", decision="so be it", effects=[effect])


@pytest.mark.parametrize(
    ("condition", "asked"), [("stunned", False), ("incapacitated", False), ("prone", True)]
)
def test_HR_WPN_6_who_can_do_nothing_any_more_chooses_no_push(condition: str, *, asked: bool) -> None:
    """Else the fight stands still: every answer of a stunned creature is refused."""
    fight = begun(ROW).do("engage", creature="pia", target="wolf").joined_by("bru")
    fight.stances(pia="might", wolf="cunning", bru="might")
    fight.answer("declare_attack", "pia", target="wolf")
    fight.answer("declare_attack", "bru", 1, 1, 1, 1, 6, 6, 1, 1, 1, 1, 6, 6, target="wolf")
    ruled(fight, kind="condition", creature="bru", condition=condition)
    fight.answer("choose_push", "pia", distance=0)
    assert (fight.waits_for() == ["bru"]) == asked
    assert (fight.state.phase == "priority") != asked


def test_HR_SVC_1_who_is_taken_out_while_its_dice_are_owed_strikes_nobody() -> None:
    fight = engaged(begun(DUEL), "pia", "orc", pia="might", orc="defensive")
    fight.answer("declare_attack", "pia", target="orc")
    ruled(fight, kind="withdraw", creature="pia")
    assert len(fight.logged("dice_withdrawn")) == 1
    assert (fight["orc"].hp, fight.state.phase) == (35, "priority")
    assert [event.hit for event in fight.logged("exchange_settled")] == [False]


def test_HR_ABIL_2_a_pool_of_no_dice_is_none() -> None:
    fight = fight_with(DUEL, owners(pia=("eternal-fortitude",)))
    let_go(declare(fight, "pia", "eternal-fortitude"))
    assert fight.state.lasting == ()
    assert [event.why for event in fight.logged("nothing_changed")] == ["not_possible"]


def test_HR_ABIL_2_a_pool_ends_with_its_last_die() -> None:
    fight = fight_with(DUEL, owners(pia=("eternal-fortitude",)), first="enemies")
    let_go(declare(fight, "pia", "eternal-fortitude", rush=1))
    engaged(fight, "orc", "pia", orc="might", pia="defensive")
    let_go(fight).answer("declare_attack", "orc", target="pia")
    fight.throw(1, 1, 1)
    let_go(fight).answer("choose", "pia", 8, 8, 6, 6, option="2")
    let_go(fight)
    assert fight.state.lasting == ()
    assert [event.reason for event in fight.logged("effect_ended")] == ["used"]


def test_HR_ZERO_2_a_wound_that_the_house_clamps_to_brings_to_zero() -> None:
    fight = ruled(begun(DUEL, options={"clamp_hp_to_cap": True}), kind="wound", creature="pia", rank=45)
    assert (fight["pia"].hp, fight["pia"].down_since_s) == (-5, 0)
    ruled(fight, kind="wound", creature="pia", rank=40)
    assert (fight["pia"].hp, fight["pia"].status) == (-45, "dead")


def next_round(fight: Fight) -> Fight:
    """Let both sides pass until the next round begins."""
    before = fight.state.round
    while fight.state.round == before:
        fight.do("pass_side", side=fight.state.priority_side)
    return fight


STENCH = {"kind": "aura", "condition": "dazed", "within_ft": 5}
PROMISE = {"kind": "next_rush", "points": 2}


def test_HR_ABIL_2_a_passive_aura_radiates_as_each_round_begins() -> None:
    stench = ability("stench", "passive", always=[STENCH])
    fight = fight_with(DUEL, owners(pia=("stench",)), abilities=[stench])
    for _ in range(2):
        assert next_round(fight)["orc"].level("dazed") == 1
    assert next_round(ruled(fight, kind="die", creature="pia"))["orc"].level("dazed") == 0


def test_HR_RUSH_5_rush_that_a_passive_ability_promises_comes_each_round() -> None:
    fight = fight_with(DUEL, owners(pia=("oath",)), abilities=[ability("oath", "passive", always=[PROMISE])])
    assert [next_round(fight)["pia"].rush for _ in range(2)] == [2, 2]


def test_HR_RUSH_5_rush_that_was_promised_to_the_dead_comes_to_nobody() -> None:
    oath = ability(
        "oath", "heart", "instant", effects=[do("lay", creature="self", modifier=PROMISE, lasts="ongoing")]
    )
    fight = declare(fight_with(DUEL, owners(pia=("oath",)), abilities=[oath]), "pia", "oath")
    next_round(ruled(let_go(fight), kind="die", creature="pia"))
    assert (fight["pia"].rush, fight.state.lasting) == (0, ())


@pytest.mark.parametrize("word", ["grappled", "creature_climber", "unconscious", "stuned"])
@pytest.mark.parametrize(
    "written",
    [
        {"tags": ["passive"], "always": [{**STENCH, "condition": "?"}]},
        {"effects": [do("lay", creature="self", modifier={**STENCH, "condition": "?"}, lasts="minute")]},
        {"effects": [do("knock_down", creature="self", otherwise="?")]},
        {"effects": [do("soak", creature="self", condition="?")]},
    ],
)
def test_HR_SVC_9_what_is_laid_on_one_creature_is_no_end_of_a_bond(
    word: str, written: dict[str, Any]
) -> None:
    """Half a bond would hold a creature that nobody holds."""
    text = json.dumps({"id": "net", "name": "Net", "tags": ["heart", "instant"], **written})
    net = json.loads(text.replace('"?"', f'"{word}"'))
    faults = opening_faults(HEARTRUSH, opening(DUEL, sheets=owners(pia=("net",)), abilities=[net]))
    assert [fault for fault in faults if fault[0].startswith("/abilities/0/")]


def test_HR_RES_2_whom_nobody_is_left_in_reach_of_is_not_asked() -> None:
    """Pushed away by something else than an attack, before the step's declarations are in."""
    fight = engaged(begun(DUEL), "pia", "orc", pia="defensive", orc="might")
    assert fight.waits_for()[0] == "orc"
    ruled(fight, kind="push", creature="pia", feet=15, direction=[-1, 0])
    assert fight.state.phase == "priority"
    assert not fight.logged("declaration_made")


@pytest.mark.parametrize("end", ["die", "knock_out", "withdraw"])
def test_HR_ABIL_2_a_tune_is_over_when_nobody_plays_it(end: str) -> None:
    fight = fight_with({**DUEL, "orc": (5, 0)}, owners(pia=("hypnotic-tune",)))
    fight.do("use_ability", creature="pia", ability="hypnotic-tune", params={"listeners": ["orc"]})
    assert fight.refused("dash", creature="orc", to=[7, 0]) == "barred"
    ruled(fight, kind=end, creature="pia").do("gm_ruling", kind="effect", decision="go on", effects=[GO_ON])
    fight.do("dash", creature="orc", to=[7, 0])


GO_ON = {"kind": "priority", "side": "enemies"}


def test_HR_ABIL_2_what_lies_on_the_dead_ends_with_the_round() -> None:
    bless = ability(
        "bless",
        "heart",
        "instant",
        params=[{"name": "whom", "kind": "creatures"}],
        effects=[
            do(
                "lay",
                creature="$whom",
                modifier={"kind": "roll_bonus", "rolls": ["attack"], "flat": 5},
                lasts="minute",
            )
        ],
    )
    fight = fight_with(DUEL, owners(pia=("bless",)), abilities=[bless])
    let_go(declare(fight, "pia", "bless", whom=["pia", "ash"]))
    ruled(fight, kind="die", creature="ash")
    assert [effect.on for effect in fight.state.lasting] == [("pia",), ("ash",)]
    assert [effect.on for effect in next_round(fight).state.lasting] == [("pia",)]


@pytest.mark.parametrize("end", ["die", "withdraw"])
def test_HR_OA_1_nobody_is_asked_to_strike_at_who_is_gone(end: str) -> None:
    fight = begun({"pia": (0, 0), "orc": (1, 0), "wolf": (0, 1), "ash": (5, 5)})
    fight.do("dash", creature="pia", to=[-4, 0])
    assert "opportunity_attack" in {offer.type for offer in fight.offers("gm", "orc")}
    ruled(fight, kind=end, creature="pia")
    assert (fight.state.phase, fight["pia"].position) == ("priority", (0, 0))


def test_HR_OA_1_the_first_strike_that_kills_leaves_nothing_to_strike_at() -> None:
    fight = begun({"pia": (0, 0), "orc": (1, 0), "wolf": (0, 1), "ash": (5, 5)}).given("pia", hp=-39)
    fight.do("dash", creature="pia", to=[-4, 0])
    strike = {"target": "pia", "stance": "agility", "pay": "action"}
    fight.answer("opportunity_attack", "orc", 8, 6, 12, 12, 1, 1, **strike).answer("accept_damage", "pia")
    assert (fight["pia"].status, fight.state.phase) == ("dead", "priority")


@pytest.mark.parametrize(
    ("condition", "more"),
    [("prone", ("disadvantage:d8",)), ("poisoned", ("disadvantage:d8",) * 2), ("slowed", ())],
)
def test_TABLE_DICE_1_a_ruling_that_changes_a_roll_changes_the_dice_that_are_asked(
    condition: str, more: tuple[str, ...]
) -> None:
    """Else a face that was thrown for one die is read as another's: a d4 that shows 12."""
    fight = begun({"pia": (0, 0), "orc": (1, 0), "wolf": (9, 9)}, first="enemies")
    fight.do("dash", creature="orc", path=[[2, 0], [3, 0], [4, 0]])
    fight.answer("opportunity_attack", "pia", target="orc", stance="might")
    (before,) = [awaited.wants for awaited in waiting(fight.state)]
    ruled(fight, kind="condition", creature="pia", condition=condition, levels=2)
    (now,) = [awaited.wants for awaited in waiting(fight.state)]
    assert now == (*before, *more)
    assert len(fight.logged("dice_withdrawn")) == bool(more), "what is asked for still is not asked again"
    fight.throw(*[8] * len(now))
    (roll,) = [roll for roll in fight.rolls if roll.name.stream == "pia/attack"]
    assert len(roll.dice) == len(now)


def test_HR_ZERO_1_whom_a_tune_holds_may_still_let_itself_fall() -> None:
    """What is offered whatever keeps a creature from acting is not refused for it."""
    fight = fight_with({**DUEL, "orc": (5, 0)}, owners(pia=("hypnotic-tune",)))
    fight.do("use_ability", creature="pia", ability="hypnotic-tune", params={"listeners": ["orc"]})
    fight.given("orc", hp=0).with_table(phase="ended")
    assert fight.refused("dash", creature="orc", to=[7, 0]) == "barred"
    assert "go_unconscious" in {offer.type for offer in fight.offers("gm", "orc")}
    fight.do("go_unconscious", creature="orc")
    assert fight["orc"].status == "unconscious"


def test_HR_GEN_9_a_contest_that_begins_while_another_waits_is_another() -> None:
    """Two under way with one path would roll for each other without an end."""
    fight = begun(DUEL)
    terms = {"ability": "might", "answered_with": ["agility", "presence"], "what": "tug"}
    for tries, opposes in (("pia", "orc"), ("ash", "wolf")):
        assert fight.send("roll_contest", "gm", creature=tries, against=opposes, **terms).refusal is None
    paths = [frame.path for frame in fight.state.stacks.table]
    assert len(set(paths)) == len(paths)
    fight.answer("choose", "wolf", *[4] * 4, option="agility")
    assert [(event.creature, event.against) for event in fight.logged("opposed_decided")] == [("ash", "wolf")]
