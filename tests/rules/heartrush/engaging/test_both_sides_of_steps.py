"""Both sides of what stances and the steps of an engagement do: who chooses, who attacks, who moves when."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.heartrush.engaging.stances import ChooseStance
from service.rules.kernel.messages import Actor
from tests.rules.heartrush.kit import Fight, begun
from tests.rules.heartrush.sides import refusal_of

CLUB: Any = [{"id": "club", "size_class": "light", "damage_type": "bludgeoning"}]
FOUR: Any = {"p1": (0, 0), "e1": (1, 0), "p2": (0, 1), "e2": (1, 1)}
TWINS: Any = {
    name: {"like": "pia", "side": "players" if name[0] == "p" else "enemies", "weapons": CLUB}
    for name in ("p1", "e1", "p2", "e2", "p3")
}
PAIR: Any = {"pia": (0, 0), "wolf": (1, 0)}


def four(places: Any = None, *, options: Any = None, **stances: str) -> Fight:
    """Return an engagement of equals, p1's of e1, after the reveal of *stances*."""
    found = {name: at for name, at in {**FOUR, **(places or {})}.items() if name in stances}
    sheets = {name: TWINS[name] for name in found}
    fight = begun(found, sheets=sheets, options=options or {}).do("engage", creature="p1", target="e1")
    return fight.joined_by(*[name for name in stances if name not in ("p1", "e1")]).stances(**stances)


# --- the choice of a stance ------------------------------------------------------------------------------


def test_HR_STANCE_1_a_stance_is_chosen_in_an_engagement_alone() -> None:
    fight = begun(PAIR)
    choice = {"creature": "pia", "stance": "might", "prompt": "r1/e1/commit/pia"}
    assert refusal_of(fight, "zoe", "choose_stance", **choice) == ("not_in_engagement", "HR-STANCE-1")
    fight.do("engage", creature="pia", target="wolf").joined_by()
    choice["prompt"] = fight.prompt("pia")
    fight.do("choose_stance", **choice)
    (committed,) = fight.logged("stance_committed")
    assert committed.creature == "pia"
    fight.stances(wolf="might")
    found = refusal_of(fight, "zoe", "choose_stance", **choice)
    assert found == ("stances_not_complete", "HR-STANCE-1")


def test_HR_STANCE_1_a_stance_is_sealed_while_stances_are_chosen() -> None:
    fight = begun(PAIR)
    choice = ChooseStance(
        by=Actor(seat="zoe", role="player"), creature="pia", stance="might", prompt="r1/e1/commit/pia"
    )
    assert choice.scope(fight.state) is None
    fight.do("engage", creature="pia", target="wolf").joined_by()
    assert choice.scope(fight.state) is not None
    fight.stances(pia="might", wolf="might")
    assert choice.scope(fight.state) is None


@pytest.mark.parametrize(("house", "code"), [(True, "gm_must_commit_first"), (False, None)])
def test_HR_STANCE_1_the_gm_chooses_first_where_the_house_says_so(code: str | None, *, house: bool) -> None:
    """HR-STANCE-2."""
    fight = begun(PAIR, options={"gm_commits_first": house}).do("engage", creature="pia", target="wolf")
    fight.joined_by()
    choice = {"creature": "pia", "stance": "might", "prompt": fight.prompt("pia")}
    found = refusal_of(fight, "zoe", "choose_stance", **choice)
    assert (found and found[0]) == code
    fight.stances(wolf="might")
    assert (fight.logged("stance_committed")[0].creature == "wolf") is house


@pytest.mark.parametrize(
    ("who", "moved_ft", "surprised", "stance", "found"),
    [
        ("ash", 30, False, "agility", "HR-STANCE-5"),
        ("ash", 30, False, "defensive", None),
        ("ash", 0, False, "agility", None),
        ("pia", 30, False, "agility", None),
        ("pia", 0, True, "agility", "HR-START-7"),
        ("pia", 0, True, "defensive", None),
    ],
)
def test_HR_STANCE_1_who_ran_with_a_bow_or_is_surprised_may_only_defend(
    who: str, moved_ft: int, stance: str, found: str | None, *, surprised: bool
) -> None:
    """HR-STANCE-5 and HR-START-7."""
    options = {"surprised_stance": "defensive"}
    fight = begun({who: (0, 0), "wolf": (1, 0)}, first="enemies", options=options)
    fight.given(who, moved_ft=moved_ft, surprised=surprised)
    fight.do("engage", creature="wolf", target=who).joined_by()
    refusal = refusal_of(fight, "zoe", "choose_stance", creature=who, stance=stance, prompt=fight.prompt(who))
    assert refusal == (found and ("stance_not_allowed", found))


# --- the agility step ------------------------------------------------------------------------------------


def test_HR_STANCE_AGI_1_attacks_before_moving_come_in_order_then_the_movers_one_by_one() -> None:
    """HR-STANCE-AGI-2: who attacks without moving attacks with those who attack first."""
    fight = four(p1="agility", e1="defensive", p2="agility", e2="defensive")
    fight.answer("declare_agility", "p1", order="no_move", target="e1")
    fight.answer("declare_agility", "p2", *[1, 1, 1, 6, 6] * 2, order="attack_first", target="e2")
    assert [e.attacker for e in fight.logged("exchange_begun")] == ["p1", "p2"]
    assert [e.movers for e in fight.logged("targets_revealed")] == [("p2",)]
    assert fight.waits_for() == ["p2"]
    fight.answer("sidestep", "p2", to=[0, 2])
    assert fight.logged("engagement_ended")


@pytest.mark.parametrize("house", ["sequential", "batch"])
def test_HR_STANCE_AGI_1_who_moves_first_strikes_after_its_move_or_after_all_moves(house: str) -> None:
    """HR-STANCE-AGI-5, with A-15."""
    fight = four(p1="agility", e1="defensive", p2="agility", e2="defensive", options={"agility_2b": house})
    faces = (1, 1, 1, 6, 6)
    fight.answer("declare_agility", "p1", order="move_first", target="e1")
    fight.answer("declare_agility", "p2", order="move_first", target="e2")
    assert [e.movers for e in fight.logged("targets_revealed")] == [("p1", "p2")]
    fight.answer("sidestep", "p1", *(faces if house == "sequential" else ()), to=[0, -1])
    fight.answer("sidestep", "p2", *(faces if house == "sequential" else faces * 2), to=[0, 2])
    said: list[Any] = [e for e in fight.events if e.type in ("sidestep_taken", "exchange_begun")]
    order = [f"{e.attacker} strikes" if e.type == "exchange_begun" else e.creature for e in said]
    one_by_one = ["p1", "p1 strikes", "p2", "p2 strikes"]
    assert order == (one_by_one if house == "sequential" else ["p1", "p2", "p1 strikes", "p2 strikes"])
    assert {e.because for e in fight.logged("attack_due")} == {("HR-STANCE-AGI-5", "A-15")}
    assert fight.logged("engagement_ended")


def test_HR_STANCE_AGI_4_the_longer_side_moves_on_alone() -> None:
    """The side that was engaged moves first; what is left of the longer one follows."""
    fight = four({"p3": (2, 0)}, p1="agility", e1="agility", p2="agility", p3="agility")
    for name in ("p1", "e1", "p2", "p3"):
        fight.answer("declare_agility", name, order="move_first")
    assert [e.movers for e in fight.logged("targets_revealed")] == [("e1", "p1", "p2", "p3")]


@pytest.mark.parametrize(
    ("order", "target", "code"),
    [
        ("move_first", "e2", None),
        ("attack_first", "e2", "not_in_range"),
        ("no_move", "e2", "not_in_range"),
        ("no_move", "e1", None),
    ],
)
def test_HR_STANCE_AGI_3_who_moves_first_may_name_whom_it_does_not_reach_yet(
    order: str, target: str, code: str | None
) -> None:
    fight = four({"p2": (1, 1), "e2": (2, 2)}, p1="agility", e1="might", p2="might", e2="might")
    asked = {"creature": "p1", "prompt": fight.prompt("p1"), "order": order, "target": target}
    found = refusal_of(fight, "zoe", "declare_agility", **asked)
    assert (found and found[0]) == code


# --- exchanges -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("stance", "bonus"), [("cunning", True), ("might", False)])
def test_HR_RES_4_might_at_cunning_has_its_bonus_and_a_club_earns_a_push(stance: str, *, bonus: bool) -> None:
    """HR-WPN-6, HR-STANCE-MIG-1 and HR-STANCE-MIG-2."""
    fight = four(p1="might", e1=stance)
    fight.answer("declare_attack", "p1", target="e1")
    if stance == "might":
        fight.answer("decline_attack", "e1")
    (begun_,) = fight.logged("exchange_begun")
    assert begun_.might_bonus is bonus
    assert [(e.creature, e.target) for e in fight.logged("push_earned")] == [("p1", "e1")] * bonus


def test_HR_RES_4_a_bow_has_the_bonus_of_might_without_a_push() -> None:
    fight = begun({"ash": (0, 0), "wolf": (3, 0)}).do("engage", creature="ash", target="wolf").joined_by()
    fight.stances(ash="might", wolf="cunning").answer("declare_attack", "ash", target="wolf")
    (begun_,) = fight.logged("exchange_begun")
    assert begun_.might_bonus
    assert not fight.logged("push_earned")


def test_HR_RES_4_an_offensive_action_takes_the_place_of_its_attack() -> None:
    """HR-OFF-1."""
    fight = four(p1="might", e1="defensive")
    fight.answer("declare_offensive", "p1", target="e1", what="hinder", way="blind")
    assert not fight.logged("exchange_begun")


def test_HR_RES_4_an_opportunity_attack_goes_by_the_present() -> None:
    """No step has begun, so nothing was kept of its beginning."""
    fight = begun(PAIR).given("wolf", exposed=True)
    fight.do("opportunity_attack", 1, 1, 1, 1, 6, 6, creature="pia", target="wolf", stance="might")
    assert [e.how for e in fight.logged("exchange_begun")] == ["opportunity"]
    assert fight.logged("exchange_settled")
