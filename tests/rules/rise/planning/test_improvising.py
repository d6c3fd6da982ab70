"""Deeds that no ability names: paid, sealed, announced, ordered where they conflict, judged by the GM."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.kernel.sealed import view
from service.rules.ruleset import waiting
from tests.rules.rise.kit import Fight, begun, entry, opened
from tests.rules.rise.test_questions import answered

TOPPLE = "topple the statue onto the ogre"
ASKING = {"auto_default": False, "auto_end": False}


def duel(**options: Any) -> Fight:
    """Return a fight of a player's a and b against the gm's o, in its first action phase."""
    o = entry("mon@y/o", (1, 0), d8=2)
    return begun(entry("pc@x/a", (0, 0)), entry("pc@x/b", (0, 1)), o, options=options)


def judge(fight: Fight, *faces: int, **data: Any) -> Fight:
    """Let the GM judge the deed that waits."""
    (asked,) = [a for a in waiting(fight.state) if "judge_deed" in a.accepts]
    assert asked.seat == "gm"
    return fight.do("judge_deed", None, *faces, prompt=asked.prompt, **data)


def harm(target: str, amount: int) -> dict[str, Any]:
    return {"does": "damage", "target": target, "amount": amount}


# --- trying ------------------------------------------------------------------------------------------


def test_RI_ACT_12_a_deed_is_tried_in_secret_and_judged_once_all_is_announced() -> None:
    fight = duel().do("improvise", "a", deed=TOPPLE, targets=["o"])
    assert [deed.deed for deed in fight.state.at("x").deeds] == [TOPPLE]
    assert "statue" not in repr(view(fight.state, "gm")), "the gm is as blind as for any other action"
    fight.end("a").rest()
    (asked,) = [a for a in waiting(fight.state) if not a.optional]
    assert (asked.seat, asked.accepts) == ("gm", ("judge_deed",))
    judge(fight, decision="it falls", effects=[harm("o", 8)])
    assert (fight["o"].hp, fight.state.round) == (12, 2)


def test_RI_ACT_12_the_damage_of_a_deed_and_a_strike_come_at_once() -> None:
    """RI-RES-10: o strikes 8+4 = 12 against 12 for 10, and the statue does 25: both fall in one phase."""
    fight = duel().given("a", hp=10)
    fight.do("improvise", "a", deed=TOPPLE, targets=["o"]).end("a")
    fight.do("pass_turn", "b").do("strike", "o", 8, 8, target="a").end("o")
    judge(fight, effects=[harm("o", 25)])
    assert (fight["a"].hp, fight["o"].defeated) == (0, True)


@pytest.mark.parametrize(
    ("pay", "code"),
    [
        ("standard", "standard_action_spent"),
        ("movement", "standard_action_spent"),
        ("minor", None),
        ("free", None),
    ],
)
def test_RI_ACT_12_each_deed_is_paid_with_an_action(pay: str, code: str | None) -> None:
    """RI-ACT-9: a turn holds one standard action, which is spent or given away, and one minor action."""
    fight = duel().do("improvise", "a", deed=TOPPLE, pay="standard")
    data = {"deed": "shout", "pay": pay}
    if code is None:
        fight.do("improvise", "a", **data)
        assert len(fight.state.at("x").deeds) == 2
    else:
        assert fight.refused("improvise", "a", **data) == code


@pytest.mark.parametrize(
    ("deed", "code"), [("shout", "same_minor_action_twice"), ("whistle", "minor_action_spent")]
)
def test_RI_ACT_5_the_same_minor_deed_is_not_tried_twice(deed: str, code: str) -> None:
    fight = duel().do("improvise", "a", deed="shout", pay="minor")
    assert fight.refused("improvise", "a", deed=deed, pay="minor") == code


def test_RI_ACT_7_free_deeds_are_as_many_as_is_reasonable() -> None:
    fight = duel(free_actions_warn=1)
    fight.do("rule", None, question="free_action_reasonable", chosen="no")
    fight.do("improvise", "a", deed="shout", pay="free")
    assert fight.refused("improvise", "a", deed="sing", pay="free") == "free_action_unreasonable"


@pytest.mark.parametrize(("deed", "code"), [("shout", "free_check_repeated"), ("sing", None)])
def test_RI_ACT_11_the_same_free_deed_is_not_tried_twice(deed: str, code: str | None) -> None:
    fight = duel().do("improvise", "a", deed="shout", pay="free")
    decision = fight.send("improvise", "seat-x", creature="a", deed=deed, pay="free")
    assert (decision.refusal.code if decision.refusal else None) == code


@pytest.mark.parametrize(
    ("data", "code"),
    [
        ({"deed": ""}, "params_missing"),
        ({"deed": TOPPLE, "targets": ["nobody"]}, "no_such_creature"),
        ({"deed": TOPPLE, "thing": "x" * 5000}, "malformed"),
    ],
)
def test_RI_ACT_12_a_deed_has_words_and_is_about_somebody_who_is_there(
    data: dict[str, Any], code: str
) -> None:
    assert duel().refused("improvise", "a", **data) == code


def test_RI_ACT_12_deeds_are_of_the_action_phase() -> None:
    fight = begun(entry("pc@x/a", (0, 0)), entry("mon@y/o", (1, 0)), phase="movement")
    assert fight.refused("improvise", "a", deed=TOPPLE) == "wrong_phase"


@pytest.mark.parametrize("pay", ["standard", "minor", "free", "movement"])
def test_RI_ACT_12_what_may_pay_for_a_deed_is_offered(pay: str) -> None:
    fight = duel()
    assert fight.allows("improvise", "a", deed="improvise", targets=("o",), pay=pay)
    fight.do("improvise", "a", deed="improvise", pay="standard")
    assert fight.allows("improvise", "a", deed="improvise", pay=pay) is (pay in ("minor", "free"))


# --- what comes of it --------------------------------------------------------------------------------


def test_RI_ACT_13_a_deed_stands_in_its_groups_log_where_it_was_tried() -> None:
    """RI-HEAL-5: a is healed by b before its deed hurts it, so it ends 3 below the most, not at the most."""
    mend = {"id": "mend", "range_ft": 60, "effects": [{"does": "heal_hp", "amount": 9}]}
    ends = []
    for first in ("a", "b"):
        fight = begun(
            entry("pc@x/a", (0, 0)), entry("pc@x/b", (0, 1), abilities=[mend]), entry("mon@y/o", (9, 0))
        )
        fight.given("a", hp=15)
        for name in (first, "b" if first == "a" else "a"):
            if name == "a":
                fight.do("improvise", "a", deed="leap through the fire").end("a")
            else:
                fight.do("use_ability", "b", ability="mend", targets=["a"]).end("b")
        fight.rest()
        judge(fight, effects=[harm("a", 3)])
        ends.append(fight["a"].hp)
    assert ends == [20, 17]


def test_RI_ACT_13_the_damage_of_a_deed_comes_before_healing_by_other_groups() -> None:
    """RI-HEAL-1: o has 5, the deed does 8, its own ally heals 10 in the same phase: it is dead (C-07)."""
    mend = {"id": "mend", "range_ft": 60, "effects": [{"does": "heal_hp", "amount": 10}]}
    fight = begun(
        entry("pc@x/a", (0, 0)), entry("mon@y/o", (1, 0), hp=5), entry("mon@y/p", (2, 0), abilities=[mend])
    )
    fight.do("improvise", "a", deed=TOPPLE).end("a")
    fight.do("use_ability", "p", ability="mend", targets=["o"]).end("p").rest()
    judge(fight, effects=[harm("o", 8)])
    assert fight["o"].dead
    assert fight["o"].credit == ("a",)


@pytest.mark.parametrize(("moves", "ends"), [(False, (5, 5)), (True, (1, 1))])
def test_RI_MOVE1_1_a_deed_moves_nobody_who_has_moved(moves: bool, ends: tuple[int, int]) -> None:  # noqa: FBT001 - a row
    fight = duel().do("improvise", "a", deed="pull the rug").end("a").do("pass_turn", "b")
    if moves:
        fight.do("move", "o", path=[[1, 1]]).end("o")
    else:
        fight.do("pass_turn", "o")
    judge(fight, effects=[{"does": "locate", "target": "o", "to": [5, 5]}])
    assert fight["o"].position == ends


def test_RI_ACT_13_the_deed_of_a_creature_that_falls_in_the_phase_stands() -> None:
    """RI-RES-3: no action interrupts another group's."""
    fight = duel().given("a", hp=3)
    fight.do("improvise", "a", deed=TOPPLE).end("a").do("pass_turn", "b")
    fight.do("strike", "o", 8, 8, target="a").end("o")
    judge(fight, 9, effects=[harm("o", 4)])
    assert fight["a"].wounds
    assert fight["o"].hp == 16


def test_RI_ACT_13_nothing_may_come_of_it() -> None:
    fight = duel().do("improvise", "a", deed="convince the ogre").end("a").rest()
    assert {"effects": ((),), "roll": (None, {"difficulty": 5, "attribute": "dexterity"})} in [
        offer.choices for offer in fight.offers("gm") if offer.type == "judge_deed"
    ]
    judge(fight, decision="it does not listen")
    (judged,) = fight.logged("deed_judged")
    assert (judged.effects, judged.success, fight.state.round) == ((), None, 2)


ROLL = {"difficulty": 10, "attribute": "dexterity"}


@pytest.mark.parametrize(
    ("face", "more", "hp"),
    [(7, {}, 12), (6, {}, 19), (6, {"bonus": 1}, 12), (8, {"bonus": -2}, 19)],
    ids=["reaches it", "one short", "a bonus", "a penalty"],
)
def test_RI_ACT_13_a_check_decides_between_two_outcomes(face: int, more: dict[str, int], hp: int) -> None:
    """A d10 and 3 of dexterity against 10."""
    fight = begun(
        entry("pc@x/a", (0, 0), dexterity=3), entry("mon@y/o", (1, 0)), options={"exertion_prompt": "never"}
    )
    fight.do("improvise", "a", deed=TOPPLE).end("a").rest()
    judge(fight, face, roll={**ROLL, **more}, effects=[harm("o", 8)], failed=[harm("o", 1)])
    assert fight["o"].hp == hp


def test_RI_ACT_13_fatigue_counts_in_the_check() -> None:
    """RI-FATIG-1: level 5 with a tolerance of 3 takes 2 off: 9 + 2 - 2 = 9 against 10."""
    fight = begun(
        entry("pc@x/a", (0, 0), dexterity=2), entry("mon@y/o", (1, 0)), options={"exertion_prompt": "never"}
    ).given("a", fatigue=5)
    fight.do("improvise", "a", deed=TOPPLE).end("a").rest()
    judge(fight, 9, roll=ROLL, effects=[harm("o", 8)])
    assert (fight.logged("deed_rolled")[0].total, fight["o"].hp) == (9, 20)


@pytest.mark.parametrize(
    ("answer", "faces", "hp", "fatigue"),
    [("desperate_exertion", (8,), 12, 2), ("desperate_exertion", (4,), 20, 2), ("keep_roll", (), 20, 0)],
)
def test_RI_UNIV_DESPERATE_a_player_may_roll_the_check_of_a_deed_again(
    answer: str, faces: tuple[int, ...], hp: int, fatigue: int
) -> None:
    """It misses 10 with a 3; exertion adds 2: 8 + 2 = 10 is enough, 4 + 2 is not."""
    fight = duel().do("improvise", "a", deed=TOPPLE).end("a").rest()
    judge(fight, 3, roll={"difficulty": 10}, effects=[harm("o", 8)])
    (asked,) = [a for a in waiting(fight.state) if "keep_roll" in a.accepts]
    assert asked.creature == "a"
    fight.do(answer, "a", *faces)
    assert (fight["o"].hp, fight["a"].fatigue) == (hp, fatigue)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        ({"effects": [harm("nobody", 1)]}, "effect_not_possible"),
        ({"effects": [harm("o", 0)]}, "effect_not_possible"),
        ({"failed": [harm("o", 1)]}, "effect_not_possible"),
        ({"roll": {"difficulty": -1}}, "malformed"),
        ({"roll": {"difficulty": 101}}, "effect_not_possible"),
        ({"roll": {"difficulty": 100, "bonus": 101}}, "effect_not_possible"),
        ({"effects": [{"does": "teach", "target": "a", "ability": {"id": "fire"}}]}, "effect_not_possible"),
        ({"prompt": "r1/action/deeds/1/a"}, "prompt_gone"),
    ],
)
def test_RI_ACT_13_a_judgement_is_one_that_can_be(data: dict[str, Any], code: str) -> None:
    fight = duel().do("improvise", "a", deed=TOPPLE).end("a").rest()
    assert fight.refused("judge_deed", None, **{"prompt": "r1/action/deeds/0/a", **data}) == code


def test_RI_ACT_13_only_the_gm_judges_and_only_what_was_tried() -> None:
    fight = duel()
    assert fight.refused("judge_deed", None, prompt="r1/action/deeds/0/a") == "prompt_gone"
    fight.do("improvise", "a", deed=TOPPLE).end("a").rest()
    decision = fight.send("judge_deed", "seat-x", prompt="r1/action/deeds/0/a")
    assert decision.refusal is not None
    assert decision.refusal.code == "not_gm"


def test_RI_ACT_13_an_attribute_that_is_gm_only_is_said_as_a_bonus() -> None:
    monster = {**entry("mon@y/o", (1, 0), strength=4), "gm_only": ["strength"]}
    fight = begun(entry("pc@x/a", (0, 0)), monster)
    fight.do("pass_turn", "a").do("improvise", "o", deed="tear down the gate").end("o")
    prompt = "r1/action/deeds/0/o"
    refused = fight.refused("judge_deed", None, prompt=prompt, roll={**ROLL, "attribute": "strength"})
    assert refused == "gm_only"
    judge(fight, 6, roll={"difficulty": 10, "bonus": 4})
    assert fight.logged("deed_judged")[0].success


def test_RI_ACT_13_a_deed_puts_both_creatures_into_a_hold() -> None:
    fight = duel().do("improvise", "a", deed="wrap the chain around it").end("a").rest()
    held = {"does": "gain", "name": "grappled"}
    judge(fight, effects=[{**held, "target": "o", "by": "a"}])
    assert [[c.source for c in fight[name].conditions] for name in "ao"] == [["o"], ["a"]]
    fight.to_actions().do("escape_grapple", "a", 9)
    assert not fight.seen("x", "o").conditions


@pytest.mark.parametrize("by", ["", "nobody", "o"])
def test_RI_GM_4_who_is_grappled_is_so_by_another_creature(by: str) -> None:
    """No ruling names the gm as the one who holds: everybody who holds is somewhere."""
    effects = [{"does": "gain", "name": "grappled", "target": "o", "by": by}]
    fight = duel().rest().do("end_combat")
    refused = fight.refused("gm_ruling", None, kind="effect", decision="held", effects=effects)
    assert refused == "effect_not_possible"


# --- conflicts ---------------------------------------------------------------------------------------


def two_groups(thing: tuple[str, str] = ("rope", "rope"), /, **options: Any) -> Fight:
    """Return a fight in which a of x and b of y have tried something, and everybody is done."""
    fight = begun(entry("pc@x/a", (0, 0)), entry("pc@y/b", (1, 0)), options=options)
    fight.do("improvise", "a", deed="cut the rope", thing=thing[0]).end("a")
    return fight.do("improvise", "b", deed="climb the rope", thing=thing[1]).end("b")


def judged(fight: Fight) -> list[str]:
    """Return whose deeds the GM judges, in order."""
    while any("judge_deed" in a.accepts for a in waiting(fight.state)):
        judge(fight)
    return [event.creature for event in fight.logged("deed_judged")]


@pytest.mark.parametrize(("faces", "order"), [((4, 7), ["b", "a"]), ((7, 4), ["a", "b"])])
def test_RI_CONF_10_deeds_about_one_thing_conflict_and_initiative_orders_them(
    faces: tuple[int, int], order: list[str]
) -> None:
    """RI-CONF-2: from the highest check down; the record says that it was the GM's to say."""
    fight = two_groups(exertion_prompt="never").throw(*faces)
    assert [e.question for e in fight.logged("ruling_requested")] == ["deed_conflict"]
    assert judged(fight) == order


@pytest.mark.parametrize("thing", [("rope", "gate"), ("rope", ""), ("", "")])
def test_RI_CONF_10_deeds_about_other_things_need_no_initiative(thing: tuple[str, str]) -> None:
    fight = two_groups(thing)
    assert judged(fight) == ["a", "b"]
    assert not fight.logged("initiative_rolled")


@pytest.mark.parametrize(
    ("chosen", "faces", "order"),
    [
        ("none", (), ["a", "b"]),
        ("b", (), ["b", "a"]),
        ("a", (), ["a", "b"]),
        ("initiative", (2, 9), ["b", "a"]),
    ],
)
def test_RI_CONF_10_the_gm_may_settle_a_conflict_of_deeds(
    chosen: str, faces: tuple[int, ...], order: list[str]
) -> None:
    """P64: almost all conflicts are of movements; of the others the GM says whether they are any."""
    fight = answered(two_groups(exertion_prompt="never", **ASKING), chosen).throw(*faces)
    assert judged(fight) == order


def test_RI_CONF_10_a_standing_answer_settles_it_without_asking() -> None:
    fight = begun(entry("pc@x/a", (0, 0)), entry("pc@y/b", (1, 0)), options=ASKING)
    fight.do("rule", None, question="deed_conflict", chosen="b", scope_of="encounter")
    fight.do("improvise", "a", deed="cut", targets=["b"]).end("a")
    fight.do("improvise", "b", deed="climb", targets=["b"]).end("b")
    assert judged(fight) == ["b", "a"]


def test_RI_CONF_10_deeds_of_one_group_come_in_its_order() -> None:
    """RI-RES-1: inside a group everything is sequential."""
    fight = duel().do("improvise", "b", deed="hold it", targets=["o"]).end("b")
    fight.do("improvise", "a", deed=TOPPLE, targets=["o"]).end("a").rest()
    assert judged(fight) == ["b", "a"]
    assert not fight.logged("ruling_requested")


def test_RI_CONF_10_conflicts_that_share_a_deed_are_one() -> None:
    """Two want the rope, and two of them are about c: three creatures, one order."""
    fight = begun(
        entry("pc@x/a", (0, 0)),
        entry("pc@y/b", (1, 0)),
        entry("pc@z/c", (2, 0)),
        options={"exertion_prompt": "never"},
    )
    fight.do("improvise", "a", deed="cut", thing="rope").end("a")
    fight.do("improvise", "b", deed="tie", thing="rope", targets=["c"]).end("b")
    fight.do("improvise", "c", deed="duck", targets=["c"]).end("c").throw(3, 5, 8)
    assert judged(fight) == ["c", "b", "a"]


def test_RI_UNIV_DESPERATE_initiative_of_deeds_may_be_rolled_again() -> None:
    fight = two_groups().throw(4, 7)
    fight.do("desperate_exertion", "a", 6)
    assert judged(fight) == ["a", "b"]
    assert fight["a"].fatigue == 2


def test_a_deed_comes_back_where_swift_was_committed_before() -> None:
    """Strict: the group's world is opened twice, and what was tried stays."""
    fight = opened(entry("pc@x/a", (0, 0)), entry("pc@y/b", (1, 0))).do("start_combat", start_phase="action")
    fight.do("commit_swift", "a", ability="total_defense").to_actions()
    fight.do("improvise", "a", deed="shout", pay="minor").end("a").rest()
    judge(fight)
    assert [event.deed for event in fight.logged("deed_judged")] == ["shout"]
