"""Offensive actions: grapples, climbs, hinders and stunts instead of attacks, and how they end."""

from typing import Any

import pytest

from service.rules.contests.contests import TEXT_LENGTH
from service.rules.heartrush.creatures.character import Condition
from service.rules.ruleset import waiting
from tests.rules.heartrush.kit import Fight, begun

SIDE_BY_SIDE = {"pia": (0, 0), "wolf": (1, 0)}
BARE: dict[str, dict[str, Any]] = {"pia": {"weapons": []}}


def engaged(stances: dict[str, str], *, sheets: Any = None, **changes: Any) -> Fight:
    """Return a fight in which Pia has engaged the wolf and both have shown their stances."""
    fight = begun(SIDE_BY_SIDE, sheets={**BARE, **(sheets or {})}, **changes)
    fight.do("engage", creature="pia", target="wolf").joined_by()
    return fight.stances(**stances)


def seizing(fight: Fight, *faces: int) -> Fight:
    """Let Pia seize the wolf, which opposes with agility."""
    fight.answer("declare_offensive", "pia", what="grapple", target="wolf")
    return fight.answer("choose_defense_ability", "wolf", *faces, ability="agility")


def stays(fight: Fight) -> Fight:
    """Let the wolf, in agility, neither attack nor move."""
    fight.answer("decline_attack", "wolf")
    while "wolf" in fight.waits_for() and fight.state.phase != "priority":
        fight.answer("decline_sidestep", "wolf")
    return fight


def test_HR_V_64_a_helped_heroine_seizes_the_wolf() -> None:
    """HR-OFF-1..4, HR-GRAP-1/4, HR-COND-24/25, HR-ACT-10."""
    fight = engaged({"pia": "cunning", "wolf": "agility"}).given("pia", help=1)
    seizing(fight, 6, 4, 2, 3, 5)
    assert [event.total for event in fight.logged("contest_rolled")] == [10, 8]
    assert not fight["wolf"].conditions, "effects wait for all attacks"
    stays(fight)
    assert [event.wasted for event in fight.logged("condition_gained")] == [0, 0]
    hold = fight["pia"].conditions["grappling"]
    assert (hold.source, hold.hands) == ("wolf", 2)
    assert (fight["wolf"].level("grappled"), fight["wolf"].level("restrained")) == (1, 1)
    assert not fight["pia"].help
    assert not fight.logged("attack_rolled")


def test_HR_V_65_one_hand_halves_and_none_seizes_nothing() -> None:
    """HR-GRAP-3."""
    fight = engaged({"pia": "cunning", "wolf": "agility"}, sheets={"pia": {}}).given("pia", help=1)
    seizing(fight, 6, 4, 2, 3, 5)
    assert [event.total for event in fight.logged("contest_rolled")] == [5, 8]
    assert not fight.logged("offensive_resolved")[-1].won

    full = engaged({"pia": "cunning", "wolf": "agility"}, sheets={"pia": {"shield": "light"}})
    asked = {"creature": "pia", "what": "grapple", "target": "wolf", "prompt": full.prompt("pia")}
    assert full.refused("declare_offensive", **asked) == "no_free_hand"


@pytest.mark.parametrize(("sheets", "hands"), [(None, 2), ({"pia": {}}, 1)], ids=["bare", "with a mace"])
def test_HR_GRAP_4_a_hold_takes_as_many_hands_as_are_free(sheets: Any, hands: int) -> None:
    fight = engaged({"pia": "cunning", "wolf": "agility"}, sheets=sheets).given("pia", help=1)
    stays(seizing(fight, 8, 6, 2, 1, 1))
    assert fight["pia"].conditions["grappling"].hands == hands


def test_HR_V_67_ties_fail_equals_do_not_beat_and_holds_are_single() -> None:
    """HR-GRAP-1/5, HR-OFF-1."""
    fight = engaged({"pia": "cunning", "wolf": "agility"})
    seizing(fight, 5, 4, 4, 5)
    assert not fight.logged("offensive_resolved")[-1].won, "9 against 9"

    even = engaged({"pia": "cunning", "wolf": "cunning"})
    asked = {"creature": "pia", "what": "grapple", "target": "wolf"}
    assert even.refused("declare_offensive", **asked, prompt=even.prompt("pia")) == "stance_not_beaten"

    held = engaged({"pia": "cunning", "wolf": "agility"})
    held.given("wolf", conditions={"grappled": Condition(source="orc")})
    assert held.refused("declare_offensive", **asked, prompt=held.prompt("pia")) == "already_grappled"
    held.given("wolf", conditions={}).given("pia", conditions={"grappling": Condition(source="orc")})
    assert held.refused("declare_offensive", **asked, prompt=held.prompt("pia")) == "already_grappling"


def test_HR_OFF_1_equal_stances_and_the_beaten_do_not_qualify_defensive_by_the_house() -> None:
    """A-41, both values."""
    asked = {"creature": "pia", "what": "hinder", "way": "blind", "target": "wolf"}
    fight = engaged({"pia": "cunning", "wolf": "defensive"})
    fight.answer("declare_offensive", "pia", what="hinder", way="blind", target="wolf")
    assert fight["wolf"].level("blinded") == 1

    strict = engaged({"pia": "cunning", "wolf": "defensive"}, options={"defensive_counts_as_beaten": False})
    assert strict.refused("declare_offensive", **asked, prompt=strict.prompt("pia")) == "stance_not_beaten"


def test_HR_OFF_2_it_replaces_the_attack() -> None:
    fight = engaged({"pia": "cunning", "wolf": "agility"})
    prompt = fight.prompt("pia")
    seizing(fight, 5, 4, 4, 5)
    again = {"creature": "pia", "target": "wolf", "prompt": prompt}
    assert fight.refused("declare_attack", **again) == "attack_already_made"
    assert fight.refused("declare_offensive", what="grapple", **again) == "attack_already_made"


def test_HR_OFF_3_it_lands_after_all_attacks() -> None:
    fight = engaged({"pia": "cunning", "wolf": "agility"})
    fight.answer("declare_offensive", "pia", what="hinder", way="blind", target="wolf")
    assert fight["wolf"].level("blinded") == 0
    stays(fight)
    assert fight["wolf"].level("blinded") == 1


def test_HR_OFF_4_conditions_and_no_weapon_change_its_check() -> None:
    fight = engaged({"pia": "cunning", "wolf": "agility"})
    seizing(fight, 5, 4, 4, 5)
    assert [len(roll.dice) for roll in fight.rolls[-2:]] == [2, 2]

    weak = begun(SIDE_BY_SIDE, sheets=BARE).given("pia", conditions={"weakened": Condition()})
    weak.do("engage", creature="pia", target="wolf").joined_by().stances(pia="cunning", wolf="agility")
    seizing(weak, 5, 4, 8, 4, 5)
    assert [event.total for event in weak.logged("contest_rolled")] == [9, 9]


@pytest.mark.parametrize(("value", "complications"), [(False, 0), (True, 1)])
def test_A_52_a_natural_1_in_a_contest_troubles_by_the_house(*, value: bool, complications: int) -> None:
    fight = engaged({"pia": "cunning", "wolf": "agility"}, options={"contested_complications": value})
    seizing(fight, 5, 1, 4, 5)
    assert len(fight.state.complications) == complications


def test_HR_V_71_who_has_slipped_away_is_not_seized() -> None:
    """HR-OFF-3, A-51."""
    fight = engaged({"pia": "cunning", "wolf": "agility"})
    seizing(fight, 6, 4, 3, 5)
    fight.answer("declare_agility", "wolf", order="attack_first")
    fight.answer("sidestep", "wolf", to=[2, 0])
    assert fight.logged("offensive_action_fizzled")[-1].reason == "not_adjacent"
    assert not fight["wolf"].conditions


def test_A_51_the_house_may_let_it_land_all_the_same() -> None:
    fight = engaged({"pia": "cunning", "wolf": "agility"}, options={"offensive_recheck_adjacency": False})
    seizing(fight, 6, 4, 3, 5)
    fight.answer("declare_agility", "wolf", order="attack_first")
    fight.answer("sidestep", "wolf", to=[2, 0])
    assert fight["wolf"].has("grappled")


def test_HR_GRAP_1_a_grapple_needs_an_adjacent_creature() -> None:
    fight = begun(
        {"pia": (0, 0), "wolf": (2, 0)},
        sheets={"pia": {"weapons": [{"id": "pike", "size_class": "light", "tags": ["reach"]}]}},
    )
    fight.do("engage", creature="pia", target="wolf").joined_by().stances(pia="cunning", wolf="agility")
    asked = {"creature": "pia", "what": "grapple", "target": "wolf", "prompt": fight.prompt("pia")}
    assert fight.refused("declare_offensive", **asked) == "not_adjacent"


def test_HR_GRAP_2_the_larger_has_a_level_for_each_size() -> None:
    fight = engaged({"pia": "cunning", "wolf": "agility"}, sheets={"wolf": {"size": "l2"}})
    fight.answer("declare_offensive", "pia", what="grapple", target="wolf")
    fight.answer("choose_defense_ability", "wolf", 5, 4, 3, 5, 6, 6, ability="might")
    assert fight.logged("contest_rolled")[-1].total == 12, "two extra d6, two lowest dropped"


def test_HR_GRAP_4_the_winner_holds_and_HR_GRAP_5_nobody_else_lands_on_the_held() -> None:
    fight = engaged({"pia": "cunning", "wolf": "agility"})
    seizing(fight, 6, 4, 3, 5)
    fight.given("wolf", conditions={"grappled": Condition(source="orc")})
    stays(fight)
    assert fight.logged("offensive_action_fizzled")[-1].reason == "already_grappled"
    assert not fight["pia"].has("grappling")


HOLD = {"grappling": Condition(source="wolf")}
HELD = {"grappled": Condition(source="pia")}


@pytest.mark.parametrize(("size", "faces", "dealt"), [("large", (4, 5), 9), ("l2", (4, 5, 3), 12)])
def test_HR_V_68_a_grappler_may_crush_instead_of_pushing(
    size: str, faces: tuple[int, ...], dealt: int
) -> None:
    """HR-GRAP-6."""
    at = (0, 0) if size == "large" else (-1, 0)
    fight = begun({"pia": at, "wolf": (1, 0)}, sheets={"pia": {"weapons": [], "size": size}})
    fight.given("pia", conditions=HOLD).given("wolf", conditions=HELD, hp=20)
    fight.do("engage", creature="pia", target="wolf").joined_by().stances(pia="might", wolf="cunning")
    fight.answer("declare_attack", "pia", 1, 1, 1, 1, 1, 6, 6, 6, target="wolf")
    fight.answer("deal_instead", "pia", *faces)
    fight.answer("accept_damage", "wolf")
    assert fight["wolf"].hp == 20 - dealt
    assert fight["wolf"].position == (1, 0)


def test_HR_GRAP_7_an_action_breaks_free_and_the_hold_hampers_neither() -> None:
    fight = begun(SIDE_BY_SIDE, first="enemies").given("pia", conditions=HOLD).given("wolf", conditions=HELD)
    assert fight.refused("break_free", creature="pia", ability="might") == "no_priority"
    fight.do("break_free", creature="wolf", ability="agility")
    fight.answer("choose_defense_ability", "pia", 5, 5, 4, 4, ability="might")
    assert [event.total for event in fight.logged("contest_rolled")] == [10, 8]
    assert not fight["wolf"].conditions
    assert not fight["pia"].conditions
    assert fight["wolf"].action == 0
    assert fight.state.priority_side == "players"


def test_HR_GRAP_7_nobody_breaks_free_of_nobody() -> None:
    fight = begun(SIDE_BY_SIDE)
    assert fight.refused("break_free", creature="pia", ability="might") == "not_grappled"


def test_A_76_the_hold_hampers_the_grappler_by_the_house() -> None:
    fight = begun(SIDE_BY_SIDE, first="enemies", options={"grappler_hold_disadvantage": True})
    fight.given("pia", conditions=HOLD).given("wolf", conditions=HELD)
    fight.do("break_free", creature="wolf", ability="agility")
    fight.answer("choose_defense_ability", "pia", 5, 5, 4, 4, 8, ability="might")
    assert [event.total for event in fight.logged("contest_rolled")] == [10, 8]
    assert len(fight.rolls[-1].dice) == 3


def test_HR_COND_24_a_grappler_drags_its_captive_and_cannot_dash() -> None:
    fight = begun(SIDE_BY_SIDE).given("pia", conditions=HOLD).given("wolf", conditions=HELD)
    assert fight.refused("dash", creature="pia", to=[-1, 0]) == "grappling"
    fight.do("sidestep", creature="pia", to=[-1, 0])
    assert (fight["pia"].position, fight["wolf"].position) == ((-1, 0), (0, 0))
    fight.given("pia", conditions={**HOLD, "prone": Condition()}, rush=1).do("pass_side", side="enemies")
    assert fight.refused("sidestep", creature="pia", stand=True) == "grappling"


def test_HR_COND_24_letting_go_frees_both() -> None:
    fight = begun(SIDE_BY_SIDE).given("pia", conditions=HOLD).given("wolf", conditions=HELD)
    fight.do("let_go", creature="pia")
    assert not fight["pia"].conditions
    assert not fight["wolf"].conditions


def test_HR_ZERO_6_who_faints_lets_go() -> None:
    fight = begun(SIDE_BY_SIDE).given("pia", conditions=HOLD, hp=0).given("wolf", conditions=HELD)
    fight.do("go_unconscious", creature="pia")
    assert not fight["wolf"].has("grappled")
    assert not fight["pia"].has("grappling")


# --- climbing ------------------------------------------------------------------------------------------

GIANT: dict[str, dict[str, Any]] = {"wolf": {"size": "l2", "weapons": []}, "pia": {"weapons": []}}


def climbed(**changes: Any) -> Fight:
    """Return a fight in which Pia has climbed onto a giant wolf."""
    fight = begun(SIDE_BY_SIDE, sheets=GIANT, **changes)
    fight.do("engage", creature="pia", target="wolf").joined_by().stances(pia="cunning", wolf="defensive")
    fight.answer("declare_offensive", "pia", what="climb", target="wolf", ability="agility")
    return fight.answer("choose_defense_ability", "wolf", 8, 5, 3, 5, ability="might")


def test_HR_CLIMB_1_a_smaller_creature_climbs_on_and_shares_the_cells() -> None:
    fight = climbed()
    assert fight["pia"].conditions["creature_climber"].source == "wolf"
    assert fight["wolf"].has("climbed_on")
    assert fight["pia"].position == (1, 0)


def test_HR_CLIMB_1_only_on_what_is_two_sizes_larger_and_once() -> None:
    fight = engaged({"pia": "cunning", "wolf": "agility"}, sheets={"wolf": {"size": "large"}})
    asked = {"creature": "pia", "what": "climb", "target": "wolf", "prompt": fight.prompt("pia")}
    assert fight.refused("declare_offensive", **asked) == "target_too_small"
    high = engaged({"pia": "cunning", "wolf": "agility"}, sheets=GIANT)
    high.given("pia", conditions={"creature_climber": Condition(source="orc")})
    assert high.refused("declare_offensive", **{**asked, "prompt": high.prompt("pia")}) == "already_climbing"


def test_HR_COND_23_the_climber_goes_where_its_mount_goes() -> None:
    fight = climbed()
    fight.do("dash", creature="wolf", to=[5, 0])
    assert fight["pia"].position == (5, 0)


def test_HR_COND_23_its_climber_is_not_in_its_way() -> None:
    fight = climbed()
    fight.given("pia", rush=0).do("dash", creature="wolf", to=[-2, 0])
    assert fight["pia"].position == (-2, 0)


def test_HR_COND_23_a_climber_that_walks_off_its_mount_climbs_no_more() -> None:
    fight = climbed()
    fight.given("wolf", rush=0, action=0).do("pass_side", side="enemies").do(
        "dash", creature="pia", to=[0, 0]
    )
    assert not fight["pia"].has("creature_climber")
    assert not fight["wolf"].has("climbed_on")


def test_HR_COND_24_a_bond_the_gm_unties_is_gone_at_both_ends() -> None:
    fight = begun(SIDE_BY_SIDE).given("pia", conditions=HOLD).given("wolf", conditions=HELD)
    effect = {"kind": "lose_condition", "creature": "wolf", "condition": "grappled"}
    fight.send("gm_ruling", "gm", kind="effect", decision="it slips away", effects=[effect])
    assert not fight["pia"].conditions
    assert not fight["wolf"].conditions


def test_HR_STANCE_AGI_2_who_moves_first_seizes_after_its_step() -> None:
    fight = begun({"pia": (0, 0), "orc": (2, 0)}, sheets={"pia": {"weapons": [WHIP]}})
    fight.do("engage", creature="pia", target="orc").joined_by().stances(pia="agility", orc="might")
    fight.answer("declare_offensive", "pia", what="grapple", target="orc", order="move_first")
    fight.answer("sidestep", "pia", to=[1, 0])
    fight.answer("choose_defense_ability", "orc", 6, 6, 2, 2, ability="might")
    assert fight.logged("contest_rolled")[0].total == 6, "one hand is halved"
    assert fight["orc"].has("grappled")


WHIP = {"id": "lash", "size_class": "ultralight", "attack_type": "whip"}


def test_HR_COND_23_it_attacks_its_mount_at_three_and_is_attacked_at_three_against() -> None:
    fight = climbed()
    fight.given("wolf", action=1)
    fight.do("engage", creature="wolf", target="pia").joined_by().stances(pia="might", wolf="might")
    fight.answer("declare_attack", "pia", target="wolf")
    fight.answer("declare_attack", "wolf", target="pia")
    extra = [awaited.wants for awaited in waiting(fight.state)]
    assert "advantage:d4" in extra[0] or "disadvantage:d6" in extra[0]


def test_HR_COND_23_hurt_it_saves_or_falls() -> None:
    fight = climbed()
    fight.given("wolf", action=1)
    fight.do("engage", creature="wolf", target="pia").joined_by().stances(pia="defensive", wolf="might")
    fight.answer("declare_attack", "wolf", 6, 6, 4, 4, 6, 6, 6, 1, 1, target="pia")
    fight.answer("accept_damage", "pia", 1, 1)
    assert not fight["pia"].has("creature_climber")
    assert not fight["wolf"].has("climbed_on")
    assert fight["pia"].position not in ((1, 0), (2, 0), (1, 1), (2, 1))


def test_HR_COND_23_an_action_shakes_all_climbers_off() -> None:
    fight = climbed()
    assert fight.refused("shake_off", creature="pia", ability="might") == "no_priority"
    fight.given("wolf", action=1).do("shake_off", creature="wolf", ability="might")
    fight.answer("choose_defense_ability", "pia", 6, 6, 2, 2, ability="might")
    assert not fight["pia"].has("creature_climber")
    fight.given("pia", action=1)
    assert fight.refused("shake_off", creature="pia", ability="might") == "not_climbing"


# --- hindering -----------------------------------------------------------------------------------------


def hindered(way: str, *faces: int, sheets: Any = None, condition: str | None = None) -> Fight:
    fight = engaged({"pia": "cunning", "wolf": "defensive"}, sheets=sheets)
    return fight.answer(
        "declare_offensive", "pia", *faces, what="hinder", way=way, target="wolf", condition=condition
    )


@pytest.mark.parametrize(("size", "at"), [("medium", (2, 0)), ("small", (3, 0)), ("large", (1, 0))])
def test_HR_V_70_a_hindering_push_goes_by_size_and_always_unbalances(size: str, at: tuple[int, int]) -> None:
    """HR-HIND-1, A-51."""
    wolf = {"size": size, "weapons": []}
    fight = hindered("push", sheets={"wolf": wolf})
    assert fight["wolf"].level("off_balanced") == 2
    assert fight["wolf"].position == at


def test_HR_V_70_a_hindering_harm_is_1d4_and_two_levels() -> None:
    fight = hindered("harm", 3, condition="dazed")
    fight.answer("accept_damage", "wolf")
    assert (fight["wolf"].hp, fight["wolf"].level("dazed")) == (17, 2)


def test_HR_HIND_1_topples_what_is_at_most_one_size_larger() -> None:
    assert hindered("topple")["wolf"].has("prone")
    large = engaged({"pia": "cunning", "wolf": "defensive"}, sheets={"wolf": {"size": "l2", "weapons": []}})
    asked = {"creature": "pia", "what": "hinder", "way": "topple", "target": "wolf"}
    assert large.refused("declare_offensive", **asked, prompt=large.prompt("pia")) == "target_too_large"


def test_HR_HIND_1_blinds_by_one_level() -> None:
    assert hindered("blind")["wolf"].level("blinded") == 1


def test_HR_STUNT_1_a_stunt_waits_for_the_gm() -> None:
    fight = engaged({"pia": "cunning", "wolf": "defensive"})
    fight.answer("declare_offensive", "pia", what="stunt", target="wolf", text="kick sand")
    (asked,) = waiting(fight.state)
    assert (asked.seat, asked.accepts) == ("gm", ("adjudicate",))
    (event,) = fight.logged("adjudication_asked")
    assert (event.text, event.against) == ("kick sand", "wolf"), "it is said as it was written, without an id"


@pytest.mark.parametrize(
    ("length", "says"), [(0, False), (1, True), (TEXT_LENGTH, True), (TEXT_LENGTH + 1, False)]
)
def test_HR_STUNT_1_a_stunt_is_described(length: int, *, says: bool) -> None:
    fight = engaged({"pia": "cunning", "wolf": "defensive"})
    given = {"what": "stunt", "target": "wolf", "text": "x" * length}
    decision = fight.send("declare_offensive", "zoe", creature="pia", prompt=fight.prompt("pia"), **given)
    assert (decision.refusal is None) == says
    assert says or (decision.refusal is not None and decision.refusal.code == "params_missing")


def test_every_offer_of_an_offensive_action_is_accepted() -> None:
    fight = engaged({"pia": "cunning", "wolf": "agility"}, sheets={"wolf": {"size": "large"}})
    offers = [offer for offer in fight.offers("zoe", "pia") if offer.type == "declare_offensive"]
    assert {offer.given["what"] for offer in offers} == {"grapple", "hinder", "stunt"}
    for offer in offers:
        chosen = {key: values[-1] for key, values in offer.choices.items()}
        given = {**offer.given, **offer.written, **chosen}
        trial = Fight(state=fight.state)
        trial.do("declare_offensive", creature="pia", prompt=offer.prompt, **given)


@pytest.mark.parametrize("text", ["kick sand", "and then " * 110])
def test_HR_STUNT_1_the_gm_is_offered_contests_by_which_a_stunt_may_be_tried(text: str) -> None:
    """Every ability, and what winning brings; one of them is sent as it is offered."""
    fight = engaged({"pia": "cunning", "wolf": "defensive"})
    fight.answer("declare_offensive", "pia", what="stunt", target="wolf", text=text)
    found = [
        offer for offer in fight.offers("gm") if offer.type == "adjudicate" and "effects" in offer.choices
    ]
    (offer,) = found
    assert {effects[0]["ability"] for effects in offer.choices["effects"]} == {
        *("might", "agility", "cunning", "presence"),
    }
    blinding = next(
        effects
        for effects in offer.choices["effects"]
        if effects[0]["ability"] == "cunning" and effects[0]["won"][0]["condition"] == "blinded"
    )
    fight.do("adjudicate", prompt=offer.prompt, **offer.given, effects=blinding)
    fight.answer("choose", "wolf", 8, 6, 1, 1, option="agility")
    assert fight["wolf"].has("blinded")
