"""Abilities: frequencies, costs, parameters, instants and windows (HR-ABIL, HR-TIME, D.4, D.7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from service.dice import stream as streams
from service.rules.kernel.messages import Rolled
from service.rules.rolls.chance import Chance, PoolDie
from service.rules.ruleset import waiting
from tests.rules.heartrush.casts import (
    ability,
    declare,
    do,
    engaged,
    fight_with,
    let_go,
    owners,
    prompts,
    use,
)
from tests.rules.heartrush.kit import Fight, begun, opened

NEAR = {"pia": (0, 0), "wolf": (1, 0)}
BLAST = ability(
    "blast",
    "heart",
    params=[{"name": "target", "kind": "creature", "side": "enemy", "within_ft": 30}],
    effects=[do("damage", creature="$target", dice=[6])],
)
SHOUT = ability("shout", "minor", effects=[do("rush", creature="self", points=0)])


def with_own(*own: dict[str, Any], places: Any = NEAR, who: str = "pia", **changes: Any) -> Fight:
    return fight_with(places, owners(**{who: tuple(a["id"] for a in own)}), abilities=list(own), **changes)


# --- frequency and cost ---------------------------------------------------------------------------


def test_HR_V_10_nothing_but_instants_in_an_engagement() -> None:
    """HR-PRIO-8, HR-ENG-3/8."""
    fight = fight_with({"pia": (0, 0), "ash": (0, 1), "orc": (1, 0)}, owners(pia=("battlescreech",)))
    fight.do("engage", creature="ash", target="orc")

    assert (
        fight.refused("use_ability", creature="pia", ability="battlescreech", params={"chosen": ["orc"]})
        == "engagement_in_progress"
    )
    assert fight.refused("engage", creature="pia", target="orc") == "engagement_in_progress"


def test_HR_V_19_a_wound_charges_a_heart_ability_once() -> None:
    """HR-ABIL-4, HR-DMG-5, A-33."""
    fight = with_own(BLAST)
    use(fight, "pia", "blast", 3, target="wolf").answer("accept_damage", "wolf")
    fight.do("pass_side", side="enemies")
    again = {"creature": "pia", "ability": "blast", "params": {"target": "wolf"}}
    assert fight.refused("use_ability", **again) == "frequency_exhausted"

    fight.do("pass_side", side="players").do("engage", creature="wolf", target="pia").joined_by()
    fight.stances(wolf="might", pia="defensive")
    fight.answer("declare_attack", "wolf", 6, 6, 8, 1, 1, target="pia")
    fight.answer("accept_damage", "pia")
    assert fight["pia"].wounds == ()
    fight.given("pia", heart_die=4)
    assert [e.abilities for e in fight.logged("heart_recharged")] == []


def test_HR_ABIL_4_a_wound_before_the_use_banks_nothing() -> None:
    fight = with_own(BLAST, places={"pia": (0, 0), "orc": (1, 0)})
    fight.do("pass", creature="pia").do("engage", creature="orc", target="pia").joined_by()
    fight.stances(orc="might", pia="cunning")
    fight.answer("declare_attack", "orc", 8, 10, 12, 1, 1, target="pia").answer("accept_damage", "pia")
    assert [wound.rank for wound in fight["pia"].wounds] == [26]
    assert fight.logged("heart_recharged") == []
    assert fight["pia"].spent == ()


def test_HR_V_19_used_then_wounded_then_used_again() -> None:
    fight = with_own(BLAST, places={"pia": (0, 0), "orc": (1, 0)})
    use(fight, "pia", "blast", 1, target="orc").answer("accept_damage", "orc")
    fight.do("engage", creature="orc", target="pia").joined_by().stances(orc="might", pia="cunning")
    fight.answer("declare_attack", "orc", 5, 5, 9, 3, 4, target="pia").answer("accept_damage", "pia")
    assert [wound.rank for wound in fight["pia"].wounds] == [10]
    assert [e.abilities for e in fight.logged("heart_recharged")] == [("blast",)]
    fight.answer("choose_push", "orc", distance=0)

    use(fight, "pia", "blast", 1, target="orc").answer("accept_damage", "orc")
    fight.do("pass_side", side="enemies")
    again = {"creature": "pia", "ability": "blast", "params": {"target": "orc"}}
    assert fight.refused("use_ability", **again) == "frequency_exhausted"


@pytest.mark.parametrize(("days", "code"), [(6, "frequency_exhausted"), (7, None)])
def test_HR_V_20_weekly_abilities_wait_seven_days(days: int, code: str | None) -> None:
    """HR-ABIL-6: used on day 3, refused on day 9, usable on day 10."""
    assert _again_after("weekly", days) == code


@pytest.mark.parametrize(("days", "code"), [(29, "frequency_exhausted"), (30, None)])
def test_HR_V_20_monthly_abilities_wait_thirty_days(days: int, code: str | None) -> None:
    """HR-ABIL-7: used on day 3, usable on day 33."""
    assert _again_after("monthly", days) == code


def test_HR_V_20_major_abilities_wait_for_a_long_rest() -> None:
    """HR-ABIL-5."""
    assert _again_after("major", 1) == "frequency_exhausted"


def _again_after(tag: str, days: int) -> str | None:
    own = ability("own", tag, effects=[do("rush", creature="self", points=1)])
    fight = with_own(own)
    _at_day(fight, 3)
    use(fight, "pia", "own")
    fight.do("pass_side", side="enemies")
    _at_day(fight, 3 + days)
    decision = fight.send("use_ability", "zoe", creature="pia", ability="own")
    return decision.refusal.code if decision.refusal else None


def _at_day(fight: Fight, day: int) -> None:
    fight.with_table(clock_s=day * 86_400 + 3600)


def test_HR_ABIL_3_the_nth_use_of_a_minor_ability_costs_n_rush() -> None:
    fight = with_own(SHOUT).given("pia", rush=4)
    use(fight, "pia", "shout").do("pass_side", side="enemies")
    assert fight["pia"].rush == 3
    use(fight, "pia", "shout").do("pass_side", side="enemies")
    assert fight["pia"].rush == 1
    assert fight.refused("use_ability", creature="pia", ability="shout") == "insufficient_rush"


def test_HR_ABIL_3_minor_abilities_need_an_encounter() -> None:
    fight = opened(NEAR, sheets=owners(pia=("shout",)), abilities=[SHOUT])
    assert fight.refused("use_ability", creature="pia", ability="shout") == "no_encounter"


def test_HR_ABIL_9_outside_combat_only_frequency_counts() -> None:
    own = ability("own", "major", "full_action", effects=[do("rush", creature="self", points=0)])
    fight = opened(NEAR, sheets=owners(pia=("own",)), abilities=[own])
    use(fight, "pia", "own")
    assert fight.state.phase == "setup"
    assert fight.refused("use_ability", creature="pia", ability="own") == "frequency_exhausted"


def test_HR_ABIL_5_extra_rush_where_the_ability_takes_it() -> None:
    """A-75."""
    fight = fight_with(NEAR, owners(pia=("eternal-fortitude", "tumble"))).given("pia", rush=3)
    refused = fight.refused
    assert refused("declare_instant", creature="pia", ability="eternal-fortitude", rush_extra=4) == (
        "insufficient_rush"
    )
    declare(fight, "pia", "eternal-fortitude", rush=2)
    assert fight["pia"].rush == 1


def test_HR_ABIL_10_only_a_full_action_costs_the_action() -> None:
    own = ability("own", "major", "full_action", effects=[do("rush", creature="self", points=0)])
    fight = with_own(SHOUT, own).given("pia", rush=1)
    use(fight, "pia", "shout").do("pass_side", side="enemies")
    assert fight["pia"].action == 1
    use(fight, "pia", "own")
    assert fight["pia"].action == 0


def test_HR_V_98_what_is_said_and_what_is_passive() -> None:
    """HR-ABIL-1/2/8."""
    fight = fight_with(NEAR, owners(pia=("target-the-weakness", "agile")))
    assert fight.refused("use_ability", creature="pia", ability="agile") == "passive_not_activatable"
    fight.do("engage", creature="pia", target="wolf")
    prompt = fight.prompt("pia")
    data = {"creature": "pia", "ability": "target-the-weakness", "prompt": prompt}
    assert fight.refused("declare_instant", **data, params={"creature": "wolf"}) == "params_missing"


def test_HR_V_98_an_instant_whose_target_died_fizzles_and_its_cost_is_kept() -> None:
    """HR-ABIL-11: last in, first out; the first finds nobody."""
    kill = ability(
        "kill",
        "heart",
        "instant",
        params=[{"name": "target", "kind": "creature"}],
        effects=[do("die", creature="$target")],
    )
    fight = fight_with(
        {"pia": (0, 0), "ash": (0, 1), "wolf": (1, 0), "orc": (1, 1)},
        owners(pia=("kill",), ash=("kill",)),
        abilities=[kill],
    )
    declare(fight, "pia", "kill", target="wolf")
    declare(fight, "ash", "kill", target="wolf")
    assert [(e.creature, e.reason) for e in fight.logged("instant_fizzled")] == [("pia", "wolf is dead")]
    assert fight["pia"].spent == ("kill",)


def test_HR_ABIL_11_an_ability_that_finds_nobody_fizzles() -> None:
    answer = ability(
        "answer", "heart", "instant", trigger=["ability_declared"], effects=[do("die", creature="declarer")]
    )
    fight = fight_with(
        {"pia": (0, 0), "ash": (0, 1), "wolf": (1, 0)},
        owners(pia=("blast",), wolf=("answer",)),
        abilities=[BLAST, answer],
    )
    use(fight, "pia", "blast", target="wolf")
    declare(fight, "wolf", "answer")
    assert fight["pia"].status == "dead"
    assert [e.ability for e in fight.logged("ability_fizzled")] == ["blast"]
    assert fight.logged("cost_paid")[0].ability == "blast"


# --- windows --------------------------------------------------------------------------------------

MORE = ability(
    "more", "heart", "instant", trigger=["damage_pending"], effects=[do("change_damage", dice=[6])]
)
HALF = ability(
    "half", "heart", "instant", trigger=["damage_pending"], effects=[do("change_damage", half="down")]
)
AGAIN = ability(
    "again",
    "heart",
    "instant",
    trigger=["attack_rolled", "rolls_known"],
    effects=[do("reroll", which="attack")],
)


def test_HR_V_22_the_last_declared_resolves_first() -> None:
    """HR-TIME-4, HR-TIME-7, HR-DMG-5."""
    fight = fight_with(
        {"ash": (0, 0), "orc": (1, 0)}, owners(ash=("more",), orc=("half",)), abilities=[MORE, HALF]
    )
    engaged(fight, "ash", "orc", ash="agility", orc="might")
    fight.answer("declare_agility", "ash", 6, 7, 8, 3, 2, order="attack_first", target="orc")
    assert fight.logged("window_opened")[-1].about["excess"] == 12

    declare(fight, "ash", "more")
    declare(fight, "orc", "half", 4)
    fight.answer("accept_damage", "orc")
    assert [(e.before, e.after) for e in fight.logged("damage_changed")] == [(12, 6), (6, 10)]
    assert [wound.rank for wound in fight["orc"].wounds] == [10]


def test_HR_V_23_a_settled_result_is_not_rolled_again() -> None:
    """HR-TIME-6/8."""
    fight = fight_with({"ash": (0, 0), "orc": (1, 0)}, owners(ash=("again",)), abilities=[AGAIN])
    engaged(fight, "ash", "orc", ash="agility", orc="might")
    fight.answer("declare_agility", "ash", 6, 7, 8, order="attack_first", target="orc")
    prompt = fight.prompt("ash")
    fight.do("pass_window", 3, 2, creature="ash", prompt=prompt)
    later = fight.prompt("ash")
    fight.do("pass_window", creature="ash", prompt=later).answer("accept_damage", "orc")
    for late in (prompt, later, None):
        data = {"creature": "ash", "ability": "again", **({"prompt": late} if late else {})}
        assert fight.refused("declare_instant", **data) == "window_closed"


def test_HR_TIME_8_a_rerolled_attack_meets_the_same_defense() -> None:
    """A-50: a re-roll is a new roll; its windows open again."""
    fight = fight_with({"ash": (0, 0), "orc": (1, 0)}, owners(ash=("again",)), abilities=[AGAIN])
    engaged(fight, "ash", "orc", ash="agility", orc="might")
    fight.answer("declare_agility", "ash", 1, 1, 1, order="attack_first", target="orc")
    fight.do("pass_window", 3, 2, creature="ash", prompt=fight.prompt("ash"))
    declare(fight, "ash", "again", 6, 7, 8)
    fight.answer("accept_damage", "orc")
    assert fight["orc"].hp == 35 - 12
    assert [roll.name.place for roll in fight.rolls if roll.name.stream == "ash/attack"] == [0, 1]


def test_dice_added_to_a_roll_take_its_next_words_and_keep_its_name() -> None:
    """HR-TIME-8, HR-TIME-4."""
    more = ability(
        "more",
        "minor",
        "instant",
        trigger=["attack_rolled"],
        effects=[do("add_dice", which="attack", dice=[6], flat=1)],
    )
    fight = fight_with({"ash": (0, 0), "orc": (1, 0)}, owners(ash=("more",)), abilities=[more])
    fight.given("ash", rush=3)
    engaged(fight, "ash", "orc", ash="agility", orc="might")
    fight.answer("declare_agility", "ash", 6, 7, 8, order="attack_first", target="orc")
    declare(fight, "ash", "more").do("pass_window", 4, creature="ash", prompt=fight.prompt("ash"))
    declare(fight, "ash", "more", 5, 3, 2)

    rolls = [roll for roll in fight.rolls if roll.name.stream == "ash/attack"]
    assert [roll.name for roll in rolls] == [rolls[0].name] * 3
    assert [[die.face for die in roll.dice] for roll in rolls] == [[6, 7, 8], [6, 7, 8, 4], [6, 7, 8, 4, 5]]
    assert fight.logged("roll_changed")[-1].rolled.total == 32
    assert fight.state.place(0, "ash/attack") == 1


def test_advantage_after_the_roll_adds_a_die_and_drops_the_lowest() -> None:
    """HR-TIME-8."""
    lean = ability(
        "luck", "heart", "instant", trigger=["attack_rolled"], effects=[do("lean", which="attack", levels=1)]
    )
    fight = fight_with({"ash": (0, 0), "orc": (1, 0)}, owners(ash=("luck",)), abilities=[lean])
    engaged(fight, "ash", "orc", ash="agility", orc="might")
    fight.answer("declare_agility", "ash", 6, 2, 8, order="attack_first", target="orc")
    declare(fight, "ash", "luck", 5, 3, 2)
    assert fight.logged("roll_changed")[-1].rolled.total == 6 + 8 + 5


def test_a_die_that_is_set_keeps_its_face_on_the_record() -> None:
    """HR-TIME-8."""
    fate = ability(
        "fate",
        "heart",
        "instant",
        trigger=["attack_rolled"],
        effects=[do("set_die", which="attack", role="weapon", face=8)],
    )
    fight = fight_with({"ash": (0, 0), "orc": (1, 0)}, owners(ash=("fate",)), abilities=[fate])
    engaged(fight, "ash", "orc", ash="agility", orc="might")
    fight.answer("declare_agility", "ash", 6, 2, 1, order="attack_first", target="orc")
    declare(fight, "ash", "fate", 3, 2)
    assert fight.logged("roll_changed")[-1].rolled.total == 6 + 2 + 8
    assert [die.face for die in fight.rolls[-2].dice] == [6, 2, 1]


def test_HR_TIME_6_windows_open_at_every_moment_of_an_engagement() -> None:
    """HR-TIME-4: a holder of an instant that fits any moment is asked at each; D.4."""
    ready = ability("ready", "minor", "instant", effects=[do("rush", creature="self", points=0)])
    fight = fight_with({"ash": (0, 0), "orc": (1, 0)}, owners(ash=("ready",)), abilities=[ready])
    fight.do("engage", creature="ash", target="orc")
    let_go(let_go(fight).joined_by()).stances(ash="agility", orc="might")
    let_go(fight).answer("declare_agility", "ash", 6, 7, 8, order="attack_first", target="orc")
    let_go(fight).throw(3, 2)
    let_go(fight).answer("accept_damage", "orc")
    let_go(fight).answer("decline_sidestep", "ash")
    let_go(fight)

    assert [e.trigger for e in fight.logged("window_opened")] == [
        "ability_declared",
        "joining_closed",
        "stances_revealed",
        "attack_rolled",
        "rolls_known",
        "damage_pending",
        "damage_applied",
        "step_over",
        "engagement_closing",
    ]


def test_a_fight_without_instants_opens_no_windows() -> None:
    """HR-TIME-4."""
    fight = begun({"ash": (0, 0), "orc": (1, 0)})
    engaged(fight, "ash", "orc", ash="agility", orc="might")
    fight.answer("declare_agility", "ash", 6, 7, 8, 3, 2, order="attack_first", target="orc")
    assert fight.logged("window_opened") == []


def test_HR_TIME_4_an_instant_at_an_idle_moment_needs_no_priority() -> None:
    """HR-PRIO-7: priority stays where it is."""
    ready = ability("ready", "minor", "instant", effects=[do("rush", creature="self", points=0)])
    fight = fight_with(NEAR, owners(wolf=("ready",)), abilities=[ready])
    declare(fight, "wolf", "ready")
    assert fight.state.priority_side == "players"
    assert [e.ability for e in fight.logged("instant_resolved")] == ["ready"]


def test_HR_TIME_4_the_surprised_declare_nothing() -> None:
    ready = ability("ready", "minor", "instant", effects=[do("rush", creature="self", points=0)])
    fight = fight_with(NEAR, owners(wolf=("ready",)), abilities=[ready]).given("wolf", surprised=True)
    assert fight.refused("declare_instant", creature="wolf", ability="ready") == "surprised"
    assert all("declare_instant" not in a.accepts for a in waiting(fight.state))


def test_HR_TIME_6_a_window_may_open_after_each_step() -> None:
    """HR-MOVE-3."""
    snare = ability(
        "snare",
        "heart",
        "instant",
        trigger=["step_taken"],
        effects=[do("condition", creature="mover", condition="prone")],
    )
    fight = fight_with({"pia": (0, 0), "wolf": (9, 0)}, owners(wolf=("snare",)), abilities=[snare])
    fight.do("dash", creature="pia", path=[[1, 0], [2, 0], [3, 0]])
    fight.do("pass_window", creature="wolf", prompt=fight.prompt("wolf"))
    declare(fight, "wolf", "snare")
    assert fight["pia"].position == (2, 0)
    assert fight["pia"].has("prone")


SHADOW = ability(
    "shadow",
    "heart",
    "instant",
    trigger=["step_taken"],
    params=[{"name": "to", "kind": "cell", "within_ft": 10}],
    effects=[do("move", creature="self", to="$to")],
)


def stepping_away(**changes: Any) -> Fight:
    """Return a fight in which Pia takes a step away from the wolf, which the wolf may answer."""
    places = {"pia": (0, 0), "wolf": (2, 0), "ash": (3, 1)}
    fight = fight_with(places, owners(wolf=("shadow",)), abilities=[SHADOW], **changes)
    return fight.do("dash", creature="pia", path=[[-1, 0]])


def test_HR_ABIL_8_who_is_left_behind_repositions_as_an_instant() -> None:
    """The example of the book: an enemy moves away, and the answer is a move."""
    fight = stepping_away()
    declare(fight, "wolf", "shadow", to=[0, 1])
    assert (fight["pia"].position, fight["wolf"].position) == ((-1, 0), (0, 1))


@pytest.mark.parametrize(
    ("to", "code"),
    [
        ([5, 0], "not_in_range"),
        ([2, 3], "not_in_range"),
        ([-1, 0], "not_in_range"),
        ([3, 1], "blocked"),
        ([3, 0], "blocked"),
        (7, "params_missing"),
    ],
)
def test_HR_ABIL_8_the_cell_is_in_reach_and_free(to: Any, code: str) -> None:
    fight = stepping_away(terrain={"3,0": "wall"})
    given = {
        "creature": "wolf",
        "ability": "shadow",
        "prompt": prompts(fight, "wolf")[0],
        "params": {"to": to},
    }
    assert fight.refused("declare_instant", **given) == code


def test_HR_ABIL_8_offers_name_the_free_cells_in_reach_alone() -> None:
    fight = stepping_away(terrain={"3,0": "wall"})
    said = [
        tuple(params["to"])
        for offer in fight.offers("gm", "wolf")
        if offer.type == "declare_instant"
        for params in (offer.given.get("params"), *offer.choices.get("params", ()))
        if params is not None
    ]
    near = {(x, y) for x in range(5) for y in range(-2, 3)}
    assert set(said) <= near - {(2, 0), (3, 0), (3, 1)}
    assert said


def test_HR_ABIL_8_a_closed_wall_between_keeps_the_creature_where_it_is() -> None:
    fight = stepping_away(walls={"2,0|2,1": "wall"})
    declare(fight, "wolf", "shadow", to=[2, 1])
    assert fight["wolf"].position == (2, 0)


def test_HR_ABIL_8_who_drags_itself_just_moves() -> None:
    params = [{"name": "to", "kind": "cell", "within_ft": 5}]
    roll = ability("roll", "heart", "quick", params=params, effects=[do("drag", creature="self", to="$to")])
    fight = with_own(roll)
    x, y = fight["pia"].position
    use(fight, "pia", "roll", to=[x - 1, y])
    assert fight["pia"].position == (x - 1, y)


def test_HR_SVC_1_a_ruling_names_the_cell_itself() -> None:
    effect = {"kind": "move", "creature": "pia", "to": "$to"}
    said = {"kind": "effect", "subject": "pia", "decision": "so", "reason": "so", "effects": [effect]}
    decision = with_own(SHADOW).send("gm_ruling", "gm", **said)
    assert decision.refusal is not None
    assert decision.refusal.code == "effect_not_possible"


def test_D_4_a_resolution_may_be_answered_again() -> None:
    """An instant is answered on top of another; both act, the last first."""
    fight = fight_with(
        {"ash": (0, 0), "orc": (1, 0), "wolf": (0, 1)},
        owners(ash=("more",), orc=("half",), wolf=("more",)),
        abilities=[MORE, HALF],
    )
    engaged(fight, "ash", "orc", ash="agility", orc="might")
    fight.answer("declare_agility", "ash", 6, 7, 8, 3, 2, order="attack_first", target="orc")
    declare(fight, "ash", "more")
    fight.do("pass_window", creature="orc", prompt=fight.prompt("orc"))
    declare(fight, "wolf", "more")
    declare(fight, "orc", "half", 1, 2)
    assert [e.creature for e in fight.logged("instant_resolved")] == ["orc", "wolf", "ash"]
    assert fight.logged("damage_pending")[-1].amount == 12 // 2 + 1 + 2


def test_a_stance_that_meets_an_open_window_stays_sealed() -> None:
    """SVC-2: refused or not, nobody else learns it."""
    ready = ability("ready", "minor", "instant", effects=[do("rush", creature="self", points=0)])
    fight = fight_with(
        {"ash": (0, 0), "orc": (1, 0), "wolf": (1, 1)},
        owners(wolf=("ready",), orc=("ready",)),
        abilities=[ready],
    )
    let_go(fight.do("engage", creature="ash", target="orc")).joined_by()
    prompt = f"{let_go(fight).logged('engagement_declared')[-1].engagement}/stance/ash"
    declare(fight, "wolf", "ready")
    assert any("pass_window" in a.accepts for a in waiting(fight.state))
    decision = fight.send("choose_stance", "zoe", creature="ash", stance="might", prompt=prompt)
    assert decision.refusal is not None
    assert decision.outcome == "sealed"


# --- definitions ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("own", "pointer"),
    [
        (ability("own", "instant", effects=[do("die", creature="self")]), "/abilities/0/tags/0"),
        (ability("own", "heart", "minor", effects=[do("die", creature="self")]), "/abilities/0/tags/1"),
        (ability("own", "heart", "slow", "quick", effects=[do("die", creature="self")]), "/abilities/0/tags"),
        (ability("own", "passive", "instant", always=[{"kind": "explode"}]), "/abilities/0/tags"),
        (ability("own", "heart", always=[{"kind": "explode"}]), "/abilities/0/always"),
        (
            ability("own", "heart", effects=[do("die", creature="$who")]),
            "/abilities/0/effects/0/effect/creature",
        ),
        (
            ability("own", "heart", effects=[do("die", creature="hurt")]),
            "/abilities/0/effects/0/effect/creature",
        ),
        (ability("own", "heart"), "/abilities/0/effects"),
        (ability("agile", "heart", effects=[do("die", creature="self")]), "/abilities/0/id"),
        (
            ability("own", "heart", trigger=["rolls_known"], effects=[do("die", creature="self")]),
            "/abilities/0/trigger",
        ),
        (
            ability("own", "minor", rush_extra=True, effects=[do("die", creature="self")]),
            "/abilities/0/rush_extra",
        ),
    ],
)
def test_HR_ABIL_1_definitions_are_checked_before_a_fight_knows_them(own: Any, pointer: str) -> None:
    fight = Fight()
    with pytest.raises(AssertionError, match="opening_not_possible") as fault:
        fight = opened(NEAR, abilities=[own])
    assert f"{pointer}:" in str(fault.value)
    assert not fight.events


def test_a_sheet_names_only_abilities_that_exist() -> None:
    with pytest.raises(AssertionError, match="/creatures/0/sheet/abilities/0"):
        opened(NEAR, sheets=owners(pia=("no-such-thing",)))


def test_the_gm_rules_on_what_an_ability_leaves_open() -> None:
    """HR-SVC-1: tT-12."""
    stunt = ability("stunt", "major", effects=[{"kind": "adjudicate", "question": "does the bridge hold?"}])
    fight = with_own(stunt)
    use(fight, "pia", "stunt")
    prompt = next(a.prompt for a in waiting(fight.state) if "rule_ability" in a.accepts)
    effects = [{"kind": "condition", "creature": "wolf", "condition": "prone"}]
    assert fight.send("rule_ability", "zoe", prompt=prompt, accept=True).refusal
    lost = [{**effects[0], "creature": "nobody"}]
    assert fight.refused("rule_ability", prompt=prompt, accept=True, effects=lost) == "params_missing"
    fight.do("rule_ability", prompt=prompt, accept=True, reason="it breaks", effects=effects)
    assert fight["wolf"].has("prone")
    assert fight.state.priority_side == "enemies"


# --- options --------------------------------------------------------------------------------------


def test_A_50_the_house_may_leave_late_instants_to_the_gm() -> None:
    """Nothing is rewound: the GM says what it still does."""
    fight = fight_with(
        {"ash": (0, 0), "orc": (1, 0)},
        owners(ash=("again",)),
        abilities=[AGAIN],
        options={"allow_retroactive": "gm"},
    )
    declare(fight, "ash", "again")
    prompt = next(a.prompt for a in waiting(fight.state) if "rule_ability" in a.accepts)
    effects = [{"kind": "damage", "creature": "orc", "amount": 2}]
    fight.do("rule_ability", prompt=prompt, accept=True, reason="the blow was better", effects=effects)
    fight.answer("accept_damage", "orc")
    assert fight["orc"].hp == 33


@pytest.mark.parametrize(("resets", "passes"), [(False, 1), (True, 0)])
def test_A_04_whether_an_instant_starts_the_declines_again(resets: bool, passes: int) -> None:  # noqa: FBT001 - an option's value
    ready = ability("ready", "minor", "instant", effects=[do("rush", creature="self", points=0)])
    fight = fight_with(
        NEAR, owners(wolf=("ready",)), abilities=[ready], options={"instant_resets_passes": resets}
    )
    fight.do("pass_side", side="players")
    declare(fight, "wolf", "ready")
    assert fight.state.passes == passes


def test_every_way_to_use_an_ability_that_is_offered_is_accepted() -> None:
    """HR-ABIL-8."""
    fight = fight_with(
        {"pia": (0, 0), "ash": (0, 1), "orc": (1, 0), "wolf": (1, 1)},
        owners(pia=("battlescreech", "adrenaline-spike", "curseweaver", "cry-of-defiance")),
    )
    offers = [o for o in fight.offers("zoe", "pia") if o.type in ("use_ability", "declare_instant")]
    assert {o.given["ability"] for o in offers} >= {"battlescreech", "adrenaline-spike", "curseweaver"}
    for offer in offers:
        for params in offer.choices["params"]:
            before = fight.state
            prompt = {"prompt": offer.prompt} if offer.prompt else {}
            data = {"creature": "pia", "ability": offer.given["ability"], "params": params, **prompt}
            decision = fight.send(offer.type, "zoe", **data)
            assert decision.refusal is None, (params, decision.refusal)
            fight.state = before


def test_HR_ABIL_2_what_is_always_on_is_asked_of_the_state_each_time() -> None:
    fight = fight_with({"pia": (0, 0), "orc": (1, 0), "wolf": (0, 1)}, owners(pia=("in-the-thick-of-it",)))
    fight.given("wolf", status="unconscious", hp=-1)
    engaged(fight, "pia", "orc", pia="agility", orc="might")
    fight.answer("declare_agility", "pia", 1, 1, 1, 1, 1, order="attack_first", target="orc")
    assert fight.logged("attack_rolled")[-1].rolled.total == 3 + 1


def test_HR_GEN_2_an_ability_is_told_from_its_cost_to_its_end() -> None:
    fight = with_own(BLAST)
    use(fight, "pia", "blast", 3, target="wolf").answer("accept_damage", "wolf")
    told = [
        event.type
        for event in fight.events
        if event.type
        in (
            "ability_used",
            "cost_paid",
            "use_declared",
            "effects_begun",
            "damage_applied",
            "ability_resolved",
        )
    ]
    assert told == [
        "ability_used",
        "cost_paid",
        "use_declared",
        "effects_begun",
        "damage_applied",
        "ability_resolved",
    ]


# --- dice ------------------------------------------------------------------------------------------


class StreamDice:
    """The dice of a service: words of a key, by the name of the roll."""

    def faces(self, lane: int, epoch: int, stream: str, place: int, sides: Sequence[int]) -> tuple[int, ...]:
        """Return the faces of a roll."""
        return streams.faces(bytes(32), stream, place, sides)

    def link(self, lane: int, epoch: int) -> bytes:
        """Return a link that tells its epoch."""
        return bytes([lane, epoch]) * 16


def test_dice_added_by_the_service_are_the_next_words_of_the_roll() -> None:
    """dice.md, the name of a roll: after all that were shown, same name, all dice logged again."""
    table = begun({"ash": (0, 0), "orc": (1, 0)}, declared_sides=[]).state
    chance = Chance(StreamDice())
    tale = chance.throw(
        table, owner="ash", stream="ash/attack", purpose={}, pool=[PoolDie(role="heart", sides=8)]
    )
    first = next(tale)
    assert isinstance(first, Rolled)
    shown = first.roll
    more = chance.amend(table, owner="ash", roll=shown, pool=[PoolDie(role="gift", sides=6)])
    told = next(more)
    assert isinstance(told, Rolled)
    again = told.roll

    assert again.name == shown.name
    assert again.dice[0] == shown.dice[0]
    assert [die.face for die in again.dice[1:]] == list(streams.more(bytes(32), "ash/attack", 0, [8], [6]))
