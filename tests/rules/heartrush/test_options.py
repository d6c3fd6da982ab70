"""Every house option of a fight, at both its values: the default first, then the other reading."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.heartrush.creatures.character import Condition, Wound
from service.rules.heartrush.timing.engagement import EngagementFrame
from service.rules.kernel.records import Sealed
from service.rules.kernel.sealed import view
from tests.rules.heartrush.kit import Fight, begun, opened

NEAR = {"pia": (0, 0), "orc": (1, 0)}
BOW = {"id": "bow", "size_class": "light", "attack_type": "ranged", "damage_type": "slashing"}
SPIKE = {"id": "spike", "size_class": "light", "damage_type": "piercing"}


def both(key: str, *values: tuple[object, object]) -> pytest.MarkDecorator:
    """Run a test for the option *key* at each of its values, with what is expected."""
    return pytest.mark.parametrize(("options", "expected"), [({key: value}, want) for value, want in values])


def meet(fight: Fight, who: str, whom: str, mine: str, theirs: str) -> Fight:
    """Let *who* engage *whom*, alone, in these stances."""
    return fight.do("engage", creature=who, target=whom).joined_by().stances(**{who: mine, whom: theirs})


@both("callout_passes_priority", (True, "enemies"), (False, "players"))
def test_A_03_a_call_out_hands_priority_over(options: dict[str, Any], expected: str) -> None:
    fight = begun(NEAR, options=options).do("call_out", creature="pia", words="For the hearth!")
    assert fight.state.priority_side == expected


@both("instant_resets_passes", (False, 1), (True, 0))
def test_A_04_an_instant_starts_the_count_again(options: dict[str, Any], expected: int) -> None:
    fight = begun({**NEAR, "wolf": (9, 9)}, options=options).given("orc", exposed=True)
    fight.do("pass_side", side="players")
    assert fight.state.passes == 1
    fight.do("opportunity_attack", 1, 1, 1, 8, 6, creature="pia", target="orc", stance="agility")
    assert fight.state.passes == expected


@both("enforce_starter", (False, None), (True, "no_priority"))
def test_A_06_only_the_starter_begins(options: dict[str, Any], expected: str | None) -> None:
    fight = opened({**NEAR, "ash": (0, 3)}, options=options).do("begin_combat", unaware_side="enemies")
    fight.do("grant_priority", starter="pia").send("call_out", "zoe", creature="ash", words="Now!")
    assert (fight.refusal.code if fight.refusal else None) == expected


@both("surprised_stance", ("free", "might"), ("defensive", "defensive"), ("helpless", "helpless"))
def test_A_08_what_the_surprised_do_when_engaged(options: dict[str, Any], expected: str) -> None:
    fight = begun(NEAR, options=options).given("orc", surprised=True)
    fight.do("engage", creature="pia", target="orc").stances(pia="defensive")
    if expected != "helpless":
        stances = next(offer.choices["stance"] for offer in fight.offers("gm", "orc"))
        assert ("might" in stances) == (expected == "might")
        fight.stances(orc=expected)
    assert fight.logged("stances_revealed")[0].stances["orc"] == expected


@both("defense_die", ("attacker_stance", "cunning"), ("defender_stance", "agility"))
def test_A_10_whose_stance_names_the_defenders_die(options: dict[str, Any], expected: str) -> None:
    fight = meet(begun({"pia": (0, 0), "wolf": (1, 0)}, options=options), "pia", "wolf", "cunning", "agility")
    fight.answer("declare_attack", "pia", 1, 1, 1, 6, 6, target="wolf")
    assert fight.rolls[-1].dice[1].role == expected


@both("same_stance_attacks", (True, 1), (False, 0))
def test_A_11_a_stance_attacks_its_own_kind(options: dict[str, Any], expected: int) -> None:
    fight = meet(begun(NEAR, options=options), "pia", "orc", "might", "might")
    assert len(fight.logged("step_started")) == expected


@both("target_declaration", ("sealed", True), ("open", False))
def test_A_13_targets_stay_sealed(options: dict[str, Any], *, expected: bool) -> None:
    fight = meet(begun(NEAR, options=options), "pia", "orc", "might", "might")
    fight.answer("declare_attack", "pia", target="orc")
    frame = view(fight.state, "gm").top
    assert isinstance(frame, EngagementFrame)
    assert isinstance(frame.participants["pia"].declaration, Sealed) is expected


@both("simultaneity", ("snapshot", 6), ("live", 4))
def test_A_14_an_attack_sees_what_the_step_has_done(options: dict[str, Any], expected: int) -> None:
    fight = begun({"ash": (0, 3), "wolf": (0, 1), "pia": (0, 0)}, options=options)
    fight.do("engage", creature="ash", target="wolf").joined_by("pia")
    fight.stances(ash="cunning", wolf="cunning", pia="agility")
    fight.answer("declare_attack", "ash", target="wolf")
    fight.answer("declare_attack", "wolf", 6, 4, 5, 7, 3, 4, target="pia").answer("shrug", "wolf")
    fight.throw(4, 2, 3, 1)
    assert [roll.dice[0].sides for roll in fight.rolls if roll.name.stream == "wolf/attack"] == [expected]


@both("agility_2b", ("sequential", ["e1", "attack", "p1"]), ("batch", ["e1", "p1", "attack"]))
def test_A_15_moves_and_attacks_of_who_moves_first(options: dict[str, Any], expected: list[str]) -> None:
    sheets = {"p1": {"like": "pia", "side": "players"}, "e1": {"like": "bru", "side": "enemies"}}
    fight = begun({"p1": (0, 0), "e1": (1, 0)}, sheets=sheets, options=options)
    meet(fight, "p1", "e1", "agility", "agility")
    fight.answer("declare_agility", "p1", order="move_first", target="e1")
    fight.answer("declare_agility", "e1", order="move_first", target="p1")
    fight.answer("sidestep", "e1", *((4, 3, 5, 4, 3, 5) if expected[1] == "attack" else ()), to=[1, 1])
    fight.answer("sidestep", "p1", *((4, 3, 5, 4, 3, 5) if expected[1] != "attack" else ()), to=[0, 1])
    told = [event for event in fight.events if event.type in ("moved", "exchange_begun")]
    assert [getattr(event, "creature", "attack") for event in told] == expected


def wounded(fight: Fight, excess: int, answer: str = "accept_damage") -> Fight:
    """Let the orc hit defensive Bru, whose halves are the orc's own, for *excess*."""
    meet(fight, "orc", "bru", "might", "cunning")
    faces = [1, 1, 1]
    for i, most in enumerate((8, 10, 12)):
        faces[i] += min(most - 1, excess + 2 - sum(faces))
    fight.answer("declare_attack", "orc", *faces, 1, 1, target="bru")
    return fight.answer(answer, "bru") if fight["bru"].heart_die > 4 else fight


HARD = {"orc": (0, 0), "bru": (1, 0)}


@both("half_rounding", ("up", 33), ("down", 34))
def test_A_18_a_shrugged_half_is_rounded(options: dict[str, Any], expected: int) -> None:
    assert wounded(begun(HARD, first="enemies", options=options), 13, "shrug")["bru"].hp == expected


@both("shrug_per_round", ("unlimited", ["orc", "bru"]), (1, ["orc"]))
def test_A_19_how_often_a_creature_shrugs(options: dict[str, Any], expected: list[str]) -> None:
    fight = begun(HARD, first="enemies", options=options).given("bru", shrugs=1)
    meet(fight, "orc", "bru", "might", "cunning").answer("declare_attack", "orc", 5, 1, 1, 1, 1, target="bru")
    assert ("shrug" in [offer.type for offer in fight.offers("zoe", "bru")]) == ("bru" in expected)


@both("wound_threshold", (10, [10]), (11, []))
def test_A_20_the_least_damage_that_wounds(options: dict[str, Any], expected: list[int]) -> None:
    fight = wounded(begun(HARD, first="enemies", options=options), 10)
    assert [wound.rank for wound in fight["bru"].wounds] == expected


@both("clamp_hp_to_cap", (False, 30), (True, 25))
def test_A_22_a_wound_lowers_hit_points_to_the_cap(options: dict[str, Any], expected: int) -> None:
    fight = begun(HARD, first="enemies", options=options)
    fight.given("bru", wounds=(Wound(id="old", rank=5, initial_rank=5),))
    assert wounded(fight, 10)["bru"].hp == expected


@both("death_line", ("base_max", "active"), ("current_cap", "dead"))
def test_A_23_which_maximum_the_line_of_death_mirrors(options: dict[str, Any], expected: str) -> None:
    fight = begun(HARD, first="enemies", options={**options, "auto_end": False})
    fight.given("bru", hp=-20, wounds=(Wound(id="old", rank=12, initial_rank=12),))
    assert wounded(fight, 9)["bru"].status == expected


@both("zero_hp", ("choice", "active"), ("immediate", "unconscious"))
def test_A_24_whether_zero_leaves_a_choice(options: dict[str, Any], expected: str) -> None:
    fight = begun(HARD, first="enemies", options={**options, "auto_end": False}).given("bru", hp=5)
    assert wounded(fight, 8)["bru"].status == expected


@both("rush_formula", ("active_rounds", 0), ("round_number", 2))
def test_A_29_what_rush_is_counted_from(options: dict[str, Any], expected: int) -> None:
    fight = begun({"pia": (0, 0), "orc": (9, 0)}, options=options)
    while fight.state.round == 1:
        fight.do("pass_side", side=fight.state.priority_side)
    assert fight["pia"].rush == expected


@both("cunning_perk_needs_hit", (False, 2), (True, 0))
def test_A_34_the_cunning_perk_needs_damage(options: dict[str, Any], expected: int) -> None:
    fight = meet(
        begun({"wolf": (0, 0), "pia": (1, 0)}, first="enemies", options=options),
        "wolf",
        "pia",
        "cunning",
        "agility",
    )
    fight.answer("declare_attack", "wolf", 1, 1, 1, 1, 8, 6, target="pia", perk={"dazed": 2})
    assert fight["pia"].level("dazed") == expected


@both("ability_conditions_affect_ad", (True, 5), (False, 3))
def test_A_35_dazed_and_its_kin_reach_attack_rolls(options: dict[str, Any], expected: int) -> None:
    fight = begun(NEAR, options=options).given("pia", conditions={"off_balanced": Condition(level=2)})
    meet(fight, "pia", "orc", "agility", "defensive")
    fight.answer("declare_agility", "pia", *[1] * expected, target="orc", order="no_move")
    assert len(fight.rolls[-1].dice) == expected


@both("pass_through", ("smaller_mover", "space_occupied"), ("either_smaller", None))
def test_A_37_who_may_enter_anothers_space(options: dict[str, Any], expected: str | None) -> None:
    tiny = {"orc": {"size": "tiny", "weapons": []}}
    fight = begun(NEAR, options=options, sheets=tiny)
    fight.send("dash", "zoe", creature="pia", path=[[1, 0], [2, 0]])
    assert (fight.refusal.code if fight.refusal else None) == expected


@both("allies_passable", (True, None), (False, "space_occupied"))
def test_A_37_whether_allies_may_be_walked_through(options: dict[str, Any], expected: str | None) -> None:
    fight = begun({"pia": (0, 0), "bru": (1, 0), "orc": (9, 0)}, options=options)
    fight.send("dash", "zoe", creature="pia", path=[[1, 0], [2, 0]])
    assert (fight.refusal.code if fight.refusal else None) == expected


@both("light_shield_blocks_split", (True, (9, 0)), (False, (5, 4)))
def test_A_38_whether_a_light_shield_spares_its_bearer(
    options: dict[str, Any], expected: tuple[int, int]
) -> None:
    places = {"pia": (0, 0), "wolf": (1, 0), "bru": (2, 0)}
    fight = begun(places, options=options, sheets={"bru": {"shield": "light", "weapons": []}})
    meet(fight, "pia", "wolf", "might", "cunning")
    fight.answer("declare_attack", "pia", 1, 1, 1, 1, 6, 6, target="wolf")
    fight.answer("choose_push", "pia", 4, 5, distance=10)
    assert [(e.mover_damage, e.blocker_damage) for e in fight.logged("collision")] == [expected]


@both("join_requires", ("enemy_in_range", False), ("any_participant_in_range", True))
def test_A_40_who_may_join(options: dict[str, Any], *, expected: bool) -> None:
    fight = begun({**NEAR, "bru": (-1, 0)}, options=options).do("engage", creature="pia", target="orc")
    assert ("bru" in fight.waits_for()) is expected


@both("helpless_stance", ("helpless", "helpless"), ("defensive", "defensive"))
def test_A_42_how_the_helpless_stand(options: dict[str, Any], expected: str) -> None:
    fight = begun(NEAR, options=options).given("orc", conditions={"stunned": Condition()})
    fight.do("engage", creature="pia", target="orc").stances(pia="defensive")
    assert fight.logged("stance_forced")[0].stance == expected


@both("oa_perks", ("none", "perk_not_available"), ("as_if_beaten", None))
def test_A_43_the_cunning_perk_of_an_opportunity_attack(
    options: dict[str, Any], expected: str | None
) -> None:
    fight = begun({**NEAR, "wolf": (9, 9)}, options=options).given("orc", exposed=True)
    strike = {"creature": "pia", "target": "orc", "stance": "cunning", "perk": {"dazed": 2}}
    fight.send("opportunity_attack", "zoe", **strike)
    assert (fight.refusal.code if fight.refusal else None) == expected
    if expected is None:
        fight.throw(1, 1, 1, 8, 4)
        assert fight["orc"].level("dazed") == 2


@both("oa_perks", ("none", (1, 0)), ("as_if_beaten", (3, 0)))
def test_A_43_the_might_push_of_an_opportunity_attack(
    options: dict[str, Any], expected: tuple[int, int]
) -> None:
    fight = begun({**NEAR, "wolf": (9, 9)}, options=options).given("orc", exposed=True)
    strike = {"creature": "pia", "target": "orc", "stance": "might"}
    if expected == (1, 0):
        assert fight.refused("opportunity_attack", **strike, push=10) == "push_not_possible"
    else:
        fight.do("opportunity_attack", 1, 1, 1, 1, 8, 8, **strike, push=10)
    assert fight["orc"].position == expected


@both("oa_step_count", ("both_inside", 0), ("ends_inside", 1))
def test_A_44_which_steps_count_as_within_reach(options: dict[str, Any], expected: int) -> None:
    fight = begun({"pia": (0, 0), "orc": (2, 0)}, first="enemies", options=options)
    fight.do("dash", creature="orc", path=[[1, 0], [1, 1]])
    assert len(fight.logged("window_opened")) == expected


@both("metric", ("chebyshev", 10), ("alternating", 15), ("euclid", 10))
def test_A_45_what_two_diagonals_measure(options: dict[str, Any], expected: int) -> None:
    fight = begun({"pia": (0, 0), "orc": (2, 2)}, options=options)
    assert fight.state.distance(fight["pia"], fight["orc"]) == expected


@both("hazards_shruggable", (True, True), (False, False))
def test_A_56_whether_a_collision_may_be_shrugged_off(options: dict[str, Any], *, expected: bool) -> None:
    fight = begun({"pia": (0, 0), "wolf": (1, 0)}, terrain={"3,0": "wall"}, options=options)
    meet(fight, "pia", "wolf", "might", "cunning")
    fight.answer("declare_attack", "pia", 1, 1, 1, 1, 6, 6, target="wolf")
    fight.answer("choose_push", "pia", 4, distance=10)
    assert ("shrug" in [offer.type for offer in fight.offers("gm", "wolf")]) is expected


@both("range_increment", ("started", 4), ("completed", 3))
def test_A_63_what_counts_beyond_range(options: dict[str, Any], expected: int) -> None:
    fight = begun({"ash": (0, 0), "orc": (7, 0)}, options=options, sheets={"ash": {"weapons": [BOW]}})
    meet(fight, "ash", "orc", "cunning", "defensive")
    fight.answer("declare_attack", "ash", *[1] * expected, target="orc")
    assert len(fight.rolls[-1].dice) == expected


@both("friendly_fire", (True, ("orc", "bru")), (False, ("orc",)))
def test_A_67_whether_attacks_reach_allies(options: dict[str, Any], expected: tuple[str, ...]) -> None:
    fight = begun({**NEAR, "bru": (1, 1)}, options=options).do("engage", creature="pia", target="orc")
    fight.joined_by("bru").stances(pia="might", orc="defensive", bru="defensive")
    (offer,) = [offer for offer in fight.offers("zoe", "pia") if offer.type == "declare_attack"]
    assert offer.choices["target"] == expected


@both("auto_end", (True, "ended"), (False, "priority"))
def test_A_71_whether_combat_ends_by_itself(options: dict[str, Any], expected: str) -> None:
    fight = begun(NEAR, options=options).given("orc", hp=-34)
    meet(fight, "pia", "orc", "agility", "defensive")
    fight.answer("declare_agility", "pia", 8, 6, 8, 1, 1, target="orc", order="no_move")
    fight.answer("accept_damage", "orc")
    assert (fight["orc"].status, fight.state.phase) == ("dead", expected)


@both("gm_commits_first", (False, None), (True, "gm_must_commit_first"))
def test_HR_STANCE_2_the_gm_chooses_first(options: dict[str, Any], expected: str | None) -> None:
    fight = begun(NEAR, options=options).do("engage", creature="pia", target="orc")
    fight.send("choose_stance", "zoe", creature="pia", prompt=fight.prompt("pia"), stance="might")
    assert (fight.refusal.code if fight.refusal else None) == expected


def test_encounters_with_the_same_options_have_one_house() -> None:
    options = {"instant_resets_passes": True}
    assert opened(NEAR, options=options).state.house is opened(NEAR, options=dict(options)).state.house
    assert opened(NEAR).state.house != opened(NEAR, options=options).state.house
