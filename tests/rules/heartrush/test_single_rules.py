"""Rules that no vector and no other test names, one claim each, by their ids."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from service.rules.heartrush.creatures.sheet import rank
from service.rules.heartrush.moving.grapple import size_edges
from service.rules.kernel.sealed import is_closed, view
from tests.rules.heartrush.casts import ability, do, owners, use
from tests.rules.heartrush.kit import Fight, begun, opened

NEAR = {"pia": (0, 0), "orc": (1, 0)}


def ruled(fight: Fight, **effect: Any) -> Fight:
    """Let the GM rule that one thing happens."""
    return fight.do("gm_ruling", kind="other", decision="so be it", reason="fair", effects=[effect])


def test_HR_ACT_1_one_action_a_round_and_another_in_the_next() -> None:
    fight = begun({"pia": (0, 0), "bru": (0, 1), "orc": (9, 9)})
    fight.do("help", creature="pia", target="bru").do("pass_side", side="enemies")
    assert fight.refused("help", creature="pia", target="bru") == "action_spent"
    while fight.state.round == 1:
        fight.do("pass_side", side=str(fight.state.priority_side))
    assert fight["pia"].action == 1


def test_HR_ACT_2_what_is_no_full_action_leaves_the_action() -> None:
    fight = begun({"pia": (0, 0), "orc": (9, 9)}).do("dash", creature="pia", to=[1, 0])
    assert fight["pia"].action == 1
    assert fight.logged("ability_used")[0].paid == "free"


def test_HR_ACT_8_a_dash_goes_sixty_feet_and_no_further() -> None:
    fight = begun({"pia": (0, 0), "orc": (20, 20)}, sheets={"pia": {"armor": "none"}})
    assert fight.refused("dash", creature="pia", to=[13, 0]) == "insufficient_movement"
    fight.do("dash", creature="pia", to=[12, 0])
    assert fight["pia"].moved_ft == 60


def test_HR_ACT_11_a_sentence_is_kept_and_hands_priority_over() -> None:
    fight = begun(NEAR).do("call_out", creature="pia", words="To me!")
    assert [event.words for event in fight.logged("called_out")] == ["To me!"]
    assert fight.state.priority_side == "enemies"
    fight.do("pass_side", side="enemies")
    assert fight.refused("call_out", creature="pia", words="") == "sentence_too_long"


def test_HR_ACT_12_an_engagement_is_entered_for_an_action_and_only_before_it_begins() -> None:
    fight = begun({**NEAR, "bru": (1, 1)}).do("engage", creature="pia", target="orc")
    fight.joined_by("bru")
    assert fight["bru"].action == 0
    (joined,) = [event for event in fight.logged("ability_used") if event.ability == "join_engagement"]
    assert (joined.creature, joined.paid, joined.instant) == ("bru", "action", True)
    fight.stances(pia="defensive", orc="defensive", bru="defensive")
    fight = begun({**NEAR, "bru": (1, 1)})
    assert fight.refused("join_engagement", creature="bru", prompt="r1/e1/bru") == "join_window_closed"


def test_HR_DMG_4_hit_points_go_below_zero() -> None:
    fight = begun(NEAR).given("pia", hp=6)
    ruled(fight, kind="damage", creature="pia", amount=8)
    fight.answer("accept_damage", "pia")
    assert fight["pia"].hp == -2


def test_HR_DMG_8_two_small_hurts_are_no_wound_where_their_sum_would_be() -> None:
    fight = begun(NEAR)
    for _ in range(2):
        ruled(fight, kind="damage", creature="pia", amount=9)
        fight.answer("accept_damage", "pia")
    assert (fight["pia"].hp, fight["pia"].wounds) == (22, ())


def test_HR_MOVE_1_a_path_is_of_neighbouring_cells_and_a_diagonal_costs_five_feet() -> None:
    fight = begun({"pia": (0, 0), "orc": (9, 9)})
    assert fight.refused("dash", creature="pia", path=[[2, 0]]) == "blocked"
    fight.do("dash", creature="pia", path=[[1, 1], [2, 2]])
    assert fight["pia"].moved_ft == 10


def test_HR_MOVE_6_a_path_is_tested_whole_before_its_first_step() -> None:
    fight = begun({"pia": (0, 0), "orc": (9, 9)}, terrain={"3,0": "wall"})
    assert fight.refused("dash", creature="pia", path=[[1, 0], [2, 0], [3, 0]]) == "blocked"
    assert fight["pia"].position == (0, 0)


def test_HR_OA_3_the_target_defends_with_the_die_of_the_strikers_stance() -> None:
    fight = begun(NEAR, first="enemies").do("dash", creature="orc", to=[5, 0])
    fight.answer("opportunity_attack", "pia", target="orc", stance="cunning", pay="action")
    fight.throw(1, 1, 1, 8, 4)
    assert [[die.sides for die in roll.dice] for roll in fight.rolls][-1] == [8, 4]
    assert fight.logged("contested_rolled") == []


def test_HR_RUSH_4_what_is_not_there_is_not_spent() -> None:
    fight = begun(NEAR).given("pia", rush=0)
    assert fight.refused("sidestep", creature="pia", to=[0, 1], pay="rush") == "insufficient_rush"
    assert fight["pia"].rush == 0


def test_HR_SIZE_1_a_level_of_difference_is_one_step_of_the_order() -> None:
    order = ["minuscule", "tiny", "small", "medium", "large", "l2", "l3", "l4"]
    assert [rank(b) - rank(a) for a, b in pairwise(order)] == [1] * 7


def test_HR_SIZE_7_the_larger_of_a_grapple_has_a_level_for_each_size() -> None:
    fight = begun(NEAR, sheets={"orc": {"size": "l2"}})
    assert [edge.levels for edge in size_edges(fight["orc"], fight["pia"])] == [2]
    assert size_edges(fight["pia"], fight["orc"]) == ()


def test_HR_STANCE_MIG_1_might_strikes_last_and_not_at_agility() -> None:
    fight = begun({**NEAR, "wolf": (0, 1)}).do("engage", creature="pia", target="orc").joined_by("wolf")
    fight.stances(pia="might", orc="cunning", wolf="agility")
    fight.answer("decline_attack", "orc").answer("decline_attack", "wolf")
    assert [event.step for event in fight.logged("step_started")] == ["cunning", "agility", "might"]
    prompt = fight.prompt("pia")
    assert fight.refused("declare_attack", creature="pia", target="wolf", prompt=prompt) == "no_valid_target"


def test_HR_START_4_the_side_that_begins_names_one_of_its_own() -> None:
    fight = opened(NEAR).do("begin_combat", unaware_side="enemies").do("grant_priority", starter="pia")
    assert fight.state.starter == "pia"
    other = opened(NEAR).do("begin_combat", unaware_side="enemies")
    assert other.refused("grant_priority", starter="orc") == "no_valid_target"


def test_HR_ZERO_4_death_is_at_the_negative_of_the_maximum() -> None:
    fight = begun({**NEAR, "ash": (5, 5)}).given("pia", hp=1)
    ruled(fight, kind="damage", creature="pia", amount=40)
    fight.answer("accept_damage", "pia")
    assert (fight["pia"].hp, fight["pia"].status) == (-39, "active")
    ruled(fight, kind="hp", creature="pia", hp=-40)
    assert fight["pia"].status == "dead"


def test_HR_GEN_3_what_an_ability_requires_is_asked_beyond_the_general_rules() -> None:
    own = ability(
        "last-stand",
        "heart",
        requires=[{"kind": "wields", "size_class": "light"}],
        effects=[do("rush", creature="self", points=2)],
    )
    fight = begun(NEAR, sheets=owners(pia=("last-stand",)), abilities=[own])
    fight.given("pia", wielded=None, rush=0)
    assert fight.refused("use_ability", creature="pia", ability="last-stand") == "prerequisite_missing"
    use(fight.given("pia", wielded="mace"), "pia", "last-stand")
    assert fight["pia"].rush == 2


def test_HR_TIME_3_what_is_quick_waits_while_an_enemy_has_its_turn() -> None:
    own = ability("hop", "heart", "quick", effects=[do("rush", creature="self", points=1)])
    fight = opened(
        {**NEAR, "ash": (0, 1)},
        sheets=owners(pia=("hop",)),
        options={"timing": "turns"},
        turn_order=["orc", "ash", "pia"],
        abilities=[own],
    )
    fight.do("begin_combat").do("grant_priority")
    assert fight.refused("use_ability", creature="pia", ability="hop") == "not_ally_turn"
    use(fight.do("end_turn", creature="orc"), "pia", "hop")
    assert fight["pia"].spent == ("hop",)


def test_HR_SVC_2_a_stance_is_sealed_even_from_the_gm_until_all_are_open() -> None:
    fight = begun(NEAR).do("engage", creature="pia", target="orc").joined_by().stances(pia="might")
    sealed, own = (_stance(view(fight.state, seat)) for seat in ("gm", "zoe"))
    assert (is_closed(sealed), is_closed(own)) == (True, False)
    fight.stances(orc="defensive")
    assert _stance(view(fight.state, "gm")) == "might"


def _stance(state: Any) -> Any:
    return state.stacks.find("r1/e1").participants["pia"].stance


def test_HR_SVC_3_an_answer_that_comes_again_changes_nothing() -> None:
    fight = begun(NEAR).do("engage", creature="pia", target="orc").joined_by()
    prompt = fight.prompt("pia")
    fight.do("choose_stance", creature="pia", prompt=prompt, stance="might")
    before = fight.state
    assert fight.refused("choose_stance", creature="pia", prompt=prompt, stance="might")
    assert fight.state == before


def test_HR_RUSH_5_promised_rush_comes_with_the_next_round_once_for_each_promise() -> None:
    promise = do("lay", creature="self", modifier={"kind": "next_rush", "points": 2}, lasts="ongoing")
    own = ability("brood", "minor", effects=[promise])
    fight = begun(NEAR, sheets=owners(pia=("brood",)), abilities=[own]).given("pia", rush=3)
    for _ in range(2):
        use(fight, "pia", "brood").do("pass_side", side="enemies")
    assert fight["pia"].rush == 0
    seen = []
    for number in (2, 3):
        while fight.state.round < number:
            fight.do("pass_side", side=str(fight.state.priority_side))
        seen.append(fight["pia"].rush)
    assert seen == [4, 0]
    gained = [event.because[0] for event in fight.logged("rush_gained")]
    assert gained[1:4] == ["HR-RUSH-2", "HR-RUSH-5", "HR-RUSH-5"], "after the round's own"
