"""Hold what is the GM's to say: each question of the ledger's end, on the record, by default or by answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

from service.rules.rise.body.running_the_game import ANSWERS, Rule
from service.rules.ruleset import waiting
from tests.rules.rise.kit import Fight, begun, entry, opened
from tests.support.rule_ledger import read

QUESTIONS: Final = read(Path(__file__).parent / "fixtures" / "questions.json")
STRONG: Final = {"accuracy": 9}
ASKING: Final = {"auto_default": False, "auto_end": False}


def slain(**options: Any) -> Fight:
    """Return a fight in which a monster has been struck to zero, and everybody is done."""
    fight = begun(entry("mon@m/e", (1, 0), hp_max=5), entry("pc@p/f", (0, 0), **STRONG), options=options)
    fight.do("strike", "f", 8, 6, target="e").end("f")
    return fight.do("pass_turn", "e")


def answered(fight: Fight, chosen: str) -> Fight:
    """Let the GM answer the question that waits."""
    (asked,) = [a for a in waiting(fight.state) if "answer_ruling" in a.accepts]
    assert asked.seat == "gm"
    decision = fight.send("answer_ruling", "gm", prompt=asked.prompt, chosen=chosen, note="as we said")
    assert decision.refusal is None, decision.refusal
    return fight


def test_every_question_of_the_ledger_can_be_ruled_on() -> None:
    kinds = Rule.__annotations__["question"]
    assert all(question in kinds for question in QUESTIONS)
    assert set(ANSWERS) - set(QUESTIONS) == {"deed_conflict"}, "of deeds the ledger has no question"


def test_RI_GM_2_the_default_answers_on_the_record() -> None:
    """With auto_default play goes on, and everybody sees what was the GM's to say."""
    fight = slain()
    (asked,) = [e for e in fight.logged("ruling_requested") if e.question == "monster_fate"]
    assert (asked.subjects, asked.fallback, asked.prompt) == (("e",), "dead", None)
    assert fight["e"].dead


@pytest.mark.parametrize("fate", ["dead", "unconscious"])
def test_RI_GM_2_without_a_default_the_step_waits_for_the_gm(fate: str) -> None:
    fight = slain(**ASKING)
    assert fight["e"].hp == 5, "the step that asks is not taken yet"
    answered(fight, fate)

    assert fight["e"].defeated
    assert fight["e"].dead is (fate == "dead")
    assert fight.state.rulings[-1].note == "as we said"
    assert fight.state.round == 2, "the phase went on"


def test_RI_GM_2_only_the_gm_answers_and_only_what_was_asked() -> None:
    fight = slain(**ASKING)
    (asked,) = [a for a in waiting(fight.state) if "answer_ruling" in a.accepts]
    for seat, prompt, chosen, code in (
        ("seat-p", asked.prompt, "dead", "not_gm"),
        ("gm", "r1/elsewhere", "dead", "prompt_gone"),
        ("gm", asked.prompt, "turned to stone", "ruling_required"),
    ):
        decision = fight.send("answer_ruling", seat, prompt=prompt, chosen=chosen)
        assert decision.refusal is not None
        assert decision.refusal.code == code
    assert [o.choices for o in fight.offers("gm") if o.type == "answer_ruling"] == [
        {"chosen": ("dead", "unconscious")}
    ]


def _into_one_space(**options: Any) -> Fight:
    fight = begun(entry("mon@x/a", (0, 0)), entry("mon@y/b", (2, 0)), phase="movement", options=options)
    fight.do("plan_movement", "a", path=[[1, 0]])
    return fight.do("plan_movement", "b", path=[[1, 0]])


def test_conflict_exists_is_asked_and_may_be_denied() -> None:
    fight = _into_one_space(**ASKING)
    answered(fight, "no")
    assert [fight[name].position for name in "ab"] == [(1, 0), (1, 0)]
    assert not fight.logged("initiative_rolled")

    fight = answered(_into_one_space(**ASKING), "yes").throw(9, 3)
    assert [fight[name].position for name in "ab"] == [(1, 0), (2, 0)]


def test_conflict_exists_by_default_it_does() -> None:
    fight = _into_one_space().throw(9, 3)
    assert [e.question for e in fight.logged("ruling_requested")] == ["conflict_exists"]
    assert fight["a"].position == (1, 0)


def _in_a_corridor(**options: Any) -> Fight:
    walls = {f"{x},{y}": "wall" for x in range(-1, 6) for y in (-1, 1)}
    fight = begun(
        entry("mon@p/p", (0, 0)), entry("mon@m/e", (4, 0)), phase="movement", terrain=walls, options=options
    )
    fight.do("plan_movement", "p", path=[[x, 0] for x in range(1, 5)])
    return fight.do("plan_movement", "e", path=[[x, 0] for x in (3, 2, 1, 0)])


def test_swap_conflict_is_asked_where_two_change_places_in_a_corridor() -> None:
    """C-13: a question of its own, which the GM answers for the two of them."""
    fight = answered(_in_a_corridor(**ASKING), "no")
    assert [fight[name].position for name in "pe"] == [(4, 0), (0, 0)]
    assert not fight.logged("initiative_rolled")

    fight = answered(_in_a_corridor(**ASKING), "yes").throw(5, 8)
    assert [fight[name].position for name in "pe"] == [(3, 0), (4, 0)]
    assert [(r.question, r.subjects) for r in fight.state.rulings] == [
        ("combat_start", ()),
        ("swap_conflict", ("e", "p")),
    ]


def test_swap_conflict_by_default_it_is_one() -> None:
    """C-13, RI-CONF-1."""
    fight = _in_a_corridor().throw(5, 8)
    assert [(e.question, e.fallback) for e in fight.logged("ruling_requested")] == [("swap_conflict", "yes")]
    assert [e.creatures for e in fight.logged("conflict_found")] == [("e", "p")]


def test_RI_GM_2_a_question_is_put_once_though_its_step_is_taken_again() -> None:
    """RI-GM-2: a player is asked about its initiative in between (C-44)."""
    fight = begun(entry("pc@p/p", (0, 0)), entry("mon@m/e", (2, 0)), phase="movement")
    fight.do("plan_movement", "p", path=[[1, 0]]).do("plan_movement", "e", path=[[1, 0]])
    fight.throw(6, 4).do("desperate_exertion", "p", 9)
    assert fight["p"].position == (1, 0)
    assert [e.question for e in fight.logged("ruling_requested")] == ["conflict_exists"]


def _two_shovers(**options: Any) -> Fight:
    fight = begun(
        entry("mon@t/t", (5, 5)),
        entry("mon@x/x1", (4, 5), brawling_accuracy=9),
        entry("mon@y/y1", (5, 4), brawling_accuracy=9),
        options=options,
    )
    fight.do("shove", "x1", 6, target="t", direction=[1, 0]).end("x1")
    fight.do("shove", "y1", 6, target="t", direction=[0, 1]).end("y1")
    return fight.do("pass_turn", "t")


def test_location_conflict_the_gm_may_say_which_effect_is_first() -> None:
    fight = answered(_two_shovers(**ASKING), "x1")
    assert fight["t"].position == (8, 5)


def test_location_conflict_is_decided_by_initiative_otherwise() -> None:
    fight = _two_shovers().throw(3, 8)
    assert fight["t"].position == (5, 8)


def test_group_order_a_quarrel_may_be_settled_by_arrival() -> None:
    """RI-GROUP-4, RI-GROUP-6."""
    seats = [
        {"seat": "one", "role": "player", "creatures": ["p"]},
        {"seat": "two", "role": "player", "creatures": ["q"]},
    ]
    fight = begun(entry("pc@p/p", (0, 0)), entry("pc@p/q", (1, 0)), entry("mon@m/e", (5, 0)), seats=seats)
    fight.do("set_order", "p", order=["p", "q"]).do("set_order", "q", order=["q", "p"])
    assert fight.refused("begin_turn", "q") == "order_not_agreed"
    fight.do("rule", question="group_order", chosen="arrival").do("begin_turn", "q")


def test_monster_sprint_exception() -> None:
    fight = begun(entry("mon@m/e", (0, 0)), phase="movement")
    path = [[x, 0] for x in range(1, 9)]
    assert fight.refused("plan_movement", "e", ability="sprint", path=path) == "monster_cannot_sprint"
    fight.do("rule", question="monster_sprint_exception", subjects=["e"], chosen="yes")
    fight.do("plan_movement", "e", ability="sprint", path=path)
    assert fight["e"].position == (8, 0)


@pytest.mark.parametrize(
    ("sprint", "asked", "ends"),
    [(None, True, (8, 0)), ("ask", True, (8, 0)), ("auto", False, (8, 0)), ("never", False, (6, 0))],
)
def test_monster_sprint_exception_lets_a_monster_sprint_after_others(
    sprint: str | None, ends: tuple[int, int], *, asked: bool
) -> None:
    """RI-CONF-6, C-20: it is asked at the reaction, as a player's creature is."""
    fight = begun(entry("mon@m/e", (0, 0)), entry("pc@p/p", (1, 0), speeds={"land": 40}), phase="movement")
    follow = {"ability": "follow", "targets": ["p"], "distance_ft": 5}
    for reacts in ("ask", "auto"):
        code = fight.refused("plan_movement", "e", **follow, sprint=reacts)
        assert code == "monster_cannot_sprint"
    assert _sprints_offered(fight, "e") == {("never",)}
    fight.do("rule", question="monster_sprint_exception", subjects=["e"], chosen="yes")
    assert _sprints_offered(fight, "e") == {("never", "ask", "auto")}
    fight.do("plan_movement", "e", **follow, **({"sprint": sprint} if sprint else {}))
    fight.do("plan_movement", "p", ability="withdraw", targets=["e"], distance_ft=30, sprint="never")
    assert any("consent_sprint" in each.accepts for each in waiting(fight.state)) is asked
    if asked:
        fight.do("consent_sprint", "e", accept=True)
    assert (fight["e"].position, fight["p"].position) == (ends, (9, 0))


def _sprints_offered(fight: Fight, name: str) -> set[tuple[str, ...]]:
    offers = [o for o in fight.offers("gm") if o.type == "plan_movement" and o.creature == name]
    return {o.choices["sprint"] for o in offers if o.given.get("ability") == "follow"}


def test_trivial_manipulation_is_not_counted() -> None:
    """RI-MAN-3."""
    fight = begun(entry("pc@p/p", (0, 0)), entry("mon@m/e", (5, 0)))
    fight.do("manipulate_object", "p")
    assert fight.refused("manipulate_object", "p") == "free_manipulation_spent"
    fight.do("rule", question="trivial_manipulation", subjects=["p"], chosen="yes")
    fight.do("manipulate_object", "p").do("manipulate_object", "p")
    assert fight.seen("p", "p").budget.manipulations == 1


def test_action_cost_what_no_rule_prices() -> None:
    """P15: which activity is significant is the GM's to say."""
    hum = {"id": "hum", "usage": "none", "effects": [{"does": "heal_hp", "amount": 1}]}
    fight = begun(entry("pc@p/p", (0, 0), abilities=[hum]), entry("mon@m/e", (5, 0)))
    use = {"ability": "hum", "targets": ["p"]}
    fight.do("rule", question="action_cost", subjects=["hum"], chosen="minor").do("use_ability", "p", **use)
    assert fight.seen("p", "p").budget.minors == ("hum",)
    assert fight.refused("use_ability", "p", **use) == "same_minor_action_twice"


def test_options_of_the_house_may_be_ruled_on_in_a_fight() -> None:
    """crit_mode, visibility, swift_mode: from the ruling on."""
    fight = opened(entry("pc@p/p", (0, 0)), entry("pc@q/q", (1, 0)))
    for key, chosen in (("crit_mode", "multiply"), ("visibility", "full"), ("swift_mode", "lenient")):
        assert getattr(fight.state.house, key) != chosen
        fight.do("rule", question=key, chosen=chosen)
        assert getattr(fight.state.house, key) == chosen


def test_the_gms_own_commands_are_rulings() -> None:
    """combat_start and group_membership: what the GM sets is on the record as its answer."""
    fight = opened(entry("pc@p/p", (0, 0)), entry("mon@m/e", (1, 0)))
    fight.do("set_groups", groups={"all": ["p", "e"]}).do("start_combat", start_phase="action")
    assert [(r.question, r.chosen) for r in fight.state.rulings] == [
        ("group_membership", "all"),
        ("combat_start", "action"),
    ]
