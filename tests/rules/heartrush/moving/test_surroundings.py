"""The world around a fight: water, climbs, light, cover, hiding, falls, breath, poison, sizes and shoves."""

import random
from fractions import Fraction
from itertools import pairwise
from math import floor
from typing import Any

import pytest

from service.rules.heartrush.body.weapons import is_cut, lines_blocked
from service.rules.heartrush.creatures.character import Condition
from service.rules.heartrush.creatures.size_and_bonds import slots
from service.rules.heartrush.moving.paths import climb_ft
from service.rules.ruleset import waiting
from tests.rules.heartrush.kit import Fight, begun, opened

DUEL = {"pia": (0, 0), "orc": (1, 0)}


def gm(fight: Fight, type_: str, *faces: int, **data: Any) -> Fight:
    """Send a command of the GM's that must be accepted."""
    decision = fight.send(type_, "gm", **data)
    assert decision.refusal is None, decision.refusal
    return fight.throw(*faces)


def dice(fight: Fight) -> str:
    """Return the dice that are asked for now."""
    return " ".join(waiting(fight.state)[0].wants)


def shooting(distance: int = 4, **changes: Any) -> Fight:
    """Return a fight in which Ash has the orc in the sights of her bow."""
    fight = begun({"ash": (0, 0), "orc": (distance, 0)}, **changes)
    fight.do("engage", creature="ash", target="orc").joined_by().stances(ash="might", orc="defensive")
    return fight.answer("declare_attack", "ash", target="orc")


# --- ground, water, climbing ---------------------------------------------------------------------------


def test_HR_ENV_1_difficult_ground_halves_what_is_left() -> None:
    mud = {f"0,{y}": "difficult" for y in range(1, 9)}
    fight = begun({"bru": (0, 0), "orc": (5, 5)}, terrain=mud)
    assert (
        fight.refused("dash", creature="bru", path=[[0, y] for y in range(1, 7)]) == "insufficient_movement"
    )
    fight.do("dash", creature="bru", path=[[0, y] for y in range(1, 6)])


def test_HR_ENV_2_shallow_water_is_difficult_and_deep_water_is_swum() -> None:
    """A dash of 55 ft swims 15 less 5 for the armor: two cells."""
    deep = {f"0,{y}": "deep_water" for y in range(1, 9)}
    fight = begun({"pia": (0, 0), "orc": (5, 5)}, terrain=deep)
    assert (
        fight.refused("dash", creature="pia", path=[[0, y] for y in range(1, 4)]) == "insufficient_movement"
    )
    fight.do("dash", creature="pia", path=[[0, 1], [0, 2]])
    shallow = begun({"pia": (0, 0), "orc": (5, 5)}, terrain=dict.fromkeys(deep, "shallow_water"))
    shallow.do("dash", creature="pia", path=[[0, y] for y in range(1, 6)])


@pytest.mark.parametrize(
    ("water", "extra", "faces", "total"),
    [(None, 1, (6, 4, 8), 10), ({"stands_from": None}, 5, (6, 4, 8, 7, 3, 2, 5), 5)],
)
def test_HR_V_80_water_hampers_who_stands_and_more_who_cannot(
    water: dict[str, Any] | None, extra: int, faces: tuple[int, ...], total: int
) -> None:
    """HR-ENV-3/4."""
    scenery = {"water": {"0,0": water}} if water else {}
    fight = begun(DUEL, terrain={"0,0": "deep_water"}, scenery=scenery)
    gm(fight, "roll_check", creature="pia", ability="agility", what="swim", cn=10, needs=["motion"])
    assert dice(fight).count("disadvantage:d8") == extra
    assert fight.throw(*faces).logged("check_rolled")[-1].total == total


def test_HR_ENV_3_water_hampers_attacks_and_defenses_HR_ENV_4_by_size() -> None:
    fight = begun(DUEL, terrain={"0,0": "deep_water"}, scenery={"water": {"0,0": {"stands_from": "large"}}})
    fight.do("engage", creature="pia", target="orc").joined_by().stances(pia="might", orc="defensive")
    fight.answer("declare_attack", "pia", target="orc")
    assert dice(fight).count("disadvantage") == 5


def test_HR_ENV_5_shots_reach_half_as_far_under_water() -> None:
    deep = {f"{x},0": "deep_water" for x in range(10)}
    under = {"water": {key: {"submerged": True} for key in deep}}
    fish = {name: {"breathes_water": True} for name in ("ash", "orc")}
    fight = begun({"ash": (0, 0), "orc": (7, 0)}, sheets=fish, terrain=deep, scenery=under)
    assert fight.refused("engage", creature="ash", target="orc") == "not_in_range"
    near = begun({"ash": (0, 0), "orc": (6, 0)}, sheets=fish, terrain=deep, scenery=under)
    near.do("engage", creature="ash", target="orc")


@pytest.mark.parametrize(("faces", "at"), [((4, 5), (0, 1)), ((4, 2), (0, 0))])
def test_HR_ENV_6_a_climb_may_ask_for_might_first(faces: tuple[int, int], at: tuple[int, int]) -> None:
    terrain, scenery = {"0,1": "climb"}, {"climb_cn": {"0,1": 9}}
    fight = begun({"pia": (0, 0), "orc": (5, 5)}, terrain=terrain, scenery=scenery)
    fight.do("dash", *faces, creature="pia", to=[0, 1])
    assert fight["pia"].position == at
    assert fight.state.priority_side == "enemies"


def test_HR_ENV_6_a_free_climb_takes_the_climb_speed_and_a_sheer_wall_nobody() -> None:
    terrain = {"0,1": "climb", "0,2": "climb"}
    fight = begun({"pia": (0, 0), "orc": (5, 5)}, terrain=terrain)
    assert fight.refused("dash", creature="pia", path=[[0, 1], [0, 2]]) == "insufficient_movement"
    fight.do("dash", creature="pia", path=[[0, 1]])
    sheer = begun({"pia": (0, 0), "orc": (5, 5)}, terrain=terrain, scenery={"sheer": ["0,1"]})
    assert sheer.refused("dash", creature="pia", path=[[0, 1]]) == "insufficient_movement"


@pytest.mark.parametrize(("sheer", "climbs"), [("0,1", False), ("1,1", False), ("2,1", True)])
def test_HR_ENV_6_one_sheer_cell_stops_whoever_needs_several(sheer: str, *, climbs: bool) -> None:
    terrain = {f"{x},{y}": "climb" for x in range(3) for y in range(1, 4)}
    places = {"pia": (0, 0), "orc": (9, 9)}
    fight = begun(places, sheets={"pia": {"size": "l2"}}, terrain=terrain, scenery={"sheer": [sheer]})
    assert (climb_ft(fight.state, fight["pia"], (0, 1)) > 0) is climbs


# --- light ---------------------------------------------------------------------------------------------


def test_HR_ENV_7_darkness_hides_and_dim_light_hampers_the_eyes() -> None:
    assert dice(shooting(scenery={"ambient": "dark"})).count("disadvantage") == 5
    assert "disadvantage" not in dice(shooting(scenery={"ambient": "dim"}))
    lit = shooting(scenery={"ambient": "dark", "light": {"4,0": "bright"}})
    assert "disadvantage" not in dice(lit)
    fight = begun(DUEL, scenery={"ambient": "dim"})
    gm(fight, "roll_check", creature="pia", ability="cunning", what="watch", cn=9, needs=["sight"])
    assert dice(fight).count("disadvantage") == 1


def test_HR_ENV_8_darkvision_sees_one_step_better() -> None:
    assert "disadvantage" not in dice(
        shooting(scenery={"ambient": "dark"}, sheets={"ash": {"darkvision": True}})
    )
    fight = begun(DUEL, scenery={"ambient": "dark"}, sheets={"pia": {"darkvision": True}})
    gm(fight, "roll_check", creature="pia", ability="cunning", what="watch", cn=9, needs=["sight"])
    assert dice(fight).count("disadvantage") == 1


def test_the_gm_may_light_a_fire_and_raise_a_mound() -> None:
    fight = begun({"ash": (0, 0), "orc": (4, 0)}, scenery={"ambient": "dark"})
    effects = [
        {"kind": "scenery", "cells": [[4, 0]], "light": "bright"},
        {"kind": "scenery", "cells": [[0, 0]], "height_ft": 10},
    ]
    gm(fight, "gm_ruling", kind="environment", decision="the barn burns", effects=effects)
    fight.do("engage", creature="ash", target="orc").joined_by().stances(ash="might", orc="defensive")
    fight.answer("declare_attack", "ash", target="orc")
    assert "disadvantage" not in dice(fight)
    assert "advantage" in dice(fight)


# --- cover ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("walls", "level"),
    [
        ((), 0),
        (((0, 1),), 0),
        (((4, 1),), 1),
        (((3, 1),), 2),
        (((2, 1),), 3),
        (((1, 0), (1, 1)), 4),
    ],
)
def test_HR_COVER_1_each_blocked_corner_line_is_a_level(
    walls: tuple[tuple[int, int], ...], level: int
) -> None:
    terrain = {f"{x},{y}": "wall" for x, y in walls}
    fight = begun({"ash": (0, 0), "orc": (4, 2)}, terrain=terrain)
    assert lines_blocked(fight.state, fight["ash"], fight["orc"]) == level


def _passes(start: tuple[int, int], goal: tuple[int, int], walls: tuple[tuple[int, int], ...]) -> bool:
    """Tell whether a line meets wall, piece by piece between the grid lines it crosses."""
    dx, dy = goal[0] - start[0], goal[1] - start[1]
    cuts = {Fraction(0), Fraction(1)}
    cuts |= {Fraction(k - start[0], dx) for k in range(-9, 9) if dx}
    cuts |= {Fraction(k - start[1], dy) for k in range(-9, 9) if dy}
    inside = sorted(cut for cut in cuts if 0 <= cut <= 1)
    for near, far in pairwise(inside):
        x, y = (start[i] + (dx, dy)[i] * (near + far) / 2 for i in (0, 1))
        columns = (int(x) - 1, int(x)) if x.denominator == 1 else (floor(x),)
        rows = (int(y) - 1, int(y)) if y.denominator == 1 else (floor(y),)
        if all((i, j) in walls for i in columns for j in rows):
            return True
    return False


@pytest.mark.parametrize("seed", range(20))
def test_whole_numbers_cut_the_lines_that_fractions_cut(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(200):
        start, goal = (
            (chance.randint(0, 4), chance.randint(0, 4)),
            (chance.randint(0, 4), chance.randint(0, 4)),
        )
        walls = tuple((chance.randint(-1, 4), chance.randint(-1, 4)) for _ in range(chance.randint(1, 6)))
        if start != goal:
            assert is_cut(start, goal, walls) == _passes(start, goal, walls), (seed, start, goal, walls)


def test_HR_COVER_1_shots_are_hampered_by_cover_and_stopped_by_all_of_it() -> None:
    assert dice(shooting(terrain={"3,0": "wall"})).count("disadvantage") == 2
    wall = {f"2,{y}": "wall" for y in range(-2, 3)}
    fight = begun({"ash": (0, 0), "orc": (4, 0)}, terrain=wall)
    assert fight.refused("engage", creature="ash", target="orc") == "total_cover"


def test_HR_COVER_1_the_gm_may_assign_cover() -> None:
    fight = begun({"ash": (0, 0), "orc": (4, 0)}).given("orc", conditions={"cover": Condition(level=3)})
    fight.do("engage", creature="ash", target="orc").joined_by().stances(ash="might", orc="defensive")
    fight.answer("declare_attack", "ash", target="orc")
    assert dice(fight).count("disadvantage") == 3
    fight.given("orc", conditions={"cover": Condition(level=4)})


def test_a_line_along_a_wall_is_free_and_one_between_two_walls_is_not() -> None:
    assert not is_cut((0, 0), (4, 0), ((2, 0),))
    assert is_cut((0, 0), (4, 0), ((2, 0), (2, -1)))
    assert not is_cut((0, 0), (4, 4), ((1, 2), (2, 1))), "between two corners that touch"


def test_HR_SIZE_4_a_larger_friends_space_is_a_level_of_cover() -> None:
    places = {"ash": (0, 0), "orc": (4, 0), "wolf": (4, 0)}
    fight = begun(places, sheets={"wolf": {"size": "tiny", "weapons": []}})
    fight.do("engage", creature="ash", target="wolf").joined_by().stances(ash="might", wolf="defensive")
    fight.answer("declare_attack", "ash", target="wolf")
    assert dice(fight).count("disadvantage") == 1


# --- hazards, falls, breath ----------------------------------------------------------------------------


def test_HR_ENV_9_a_hazard_hurts_who_fails_its_save() -> None:
    trap = {"creature": "pia", "what": "darts", "ability": "agility", "cn": 12, "dice": [6, 6]}
    fight = gm(begun(DUEL), "hazard", 5, 6, 4, 5, **trap)
    fight.answer("accept_damage", "pia")
    assert fight["pia"].hp == 31
    assert gm(begun(DUEL), "hazard", 6, 6, **trap)["pia"].hp == 40
    assert begun(DUEL).send("hazard", "zoe", **trap).refusal.code == "not_gm"  # type: ignore[union-attr]  # a refusal there is


def test_HR_FALL_1_a_fall_costs_what_the_save_lacks() -> None:
    fight = gm(begun(DUEL), "fall", 5, 4, creature="pia", feet=30)
    fight.answer("accept_damage", "pia")
    assert fight["pia"].hp == 40 - 21
    assert fight["pia"].wounds[0].rank == 21
    assert gm(begun(DUEL), "fall", 5, 4, creature="pia", feet=5)["pia"].hp == 40


def test_HR_FALL_1_outside_combat_too() -> None:
    fight = gm(opened(DUEL), "fall", 5, 4, creature="pia", feet=30)
    fight.answer("shrug", "pia")
    assert fight["pia"].hp == 40 - 11


@pytest.mark.parametrize(("value", "hp"), [(True, 40 - 11), (False, 40 - 21)])
def test_A_56_hazards_may_be_shrugged_off_by_the_house(*, value: bool, hp: int) -> None:
    fight = gm(begun(DUEL, options={"hazards_shruggable": value}), "fall", 5, 4, creature="pia", feet=30)
    if value:
        fight.answer("shrug", "pia")
    assert fight["pia"].hp == hp


def test_HR_V_79_breath_lasts_a_might_check_and_costs_by_move_and_round() -> None:
    """HR-BREATH-1/2, HR-COND-10, A-57."""
    fight = begun(DUEL, terrain={"0,0": "deep_water"}).do("hold_breath", 5, 4, creature="pia")
    assert fight["pia"].breath == 9
    fight.do("pass_side", side="enemies").do("dash", creature="pia", to=[0, 1]).do(
        "pass_side", side="enemies"
    )
    fight.do("engage", creature="pia", target="orc").joined_by().stances(pia="defensive", orc="defensive")
    while fight.state.round == 1:
        fight.do("pass_side", side=fight.state.priority_side)
    assert fight["pia"].breath == 6
    fight.given("pia", breath=1).do("dash", creature="pia", to=[0, 0])
    assert fight["pia"].has("suffocating")
    while fight.state.phase != "round_end":
        fight.do("pass_side", side=fight.state.priority_side)
    fight.throw(3).answer("accept_damage", "pia")
    assert fight["pia"].hp == 37


def test_HR_BREATH_2_cut_off_suffocates_at_once_and_breathing_ends_it() -> None:
    fight = gm(begun(DUEL), "cut_off", creature="pia")
    assert fight["pia"].has("suffocating")
    assert fight.refused("breathe", creature="pia") == "gm_approval_required"
    gm(fight, "breathe", creature="pia")
    assert not fight["pia"].has("suffocating")
    assert fight.refused("hold_breath", creature="pia") == "gm_approval_required"
    gm(fight, "hold_breath", 5, 4, creature="pia").do("breathe", creature="pia")
    assert fight["pia"].breath is None
    fight.do("pass_side", side="enemies")
    assert fight.refused("breathe", creature="pia") == "breath_not_held"


# --- poison --------------------------------------------------------------------------------------------

VIPER: dict[str, Any] = {"pia": {"poisons": [{"id": "viper", "doses": 3, "conditions": {"poisoned": 1}}]}}


def coated(**changes: Any) -> Fight:
    """Return a fight before its begin, in which Pia's mace is poisoned."""
    fight = opened(DUEL, sheets=VIPER, **changes)
    return fight.do("coat_weapon", creature="pia", weapon="mace", poison="viper")


def facing(fight: Fight) -> Fight:
    """Begin the fight, and let Pia's cunning meet the orc's agility."""
    gm(fight, "begin_combat", unaware_side="enemies")
    gm(fight, "grant_priority").do("engage", creature="pia", target="orc").joined_by()
    return fight.stances(pia="cunning", orc="agility")


def test_HR_V_82_poison_is_put_on_before_and_follows_the_wound() -> None:
    """HR-POIS-1/2, HR-DMG-7, A-59."""
    fight = coated()
    assert fight["pia"].doses == {"viper": 2}
    gm(fight, "begin_combat", unaware_side="enemies")
    gm(fight, "grant_priority")
    assert fight.refused("coat_weapon", creature="pia", weapon="mace", poison="viper") == "in_combat"

    fight.do("engage", creature="pia", target="orc").joined_by().stances(pia="cunning", orc="agility")
    fight.answer("declare_attack", "pia", 6, 5, 6, 6, 3, target="orc")
    fight.answer("accept_damage", "orc", 5)
    assert fight.logged("damage_pending")[-1].cause == "poison"
    fight.answer("accept_damage", "orc")
    assert fight["orc"].hp == 35 - 4 - 5
    assert fight["orc"].level("poisoned") == 1
    assert not fight["pia"].coats


def test_HR_POIS_2_a_blow_that_does_no_damage_keeps_the_coat() -> None:
    fight = facing(coated())
    fight.answer("declare_attack", "pia", 1, 1, 1, 4, 4, target="orc")
    assert "mace" in fight["pia"].coats


def test_HR_POIS_1_no_dose_no_coat() -> None:
    fight = opened(DUEL, sheets={"pia": {"poisons": [{"id": "viper", "doses": 0}]}})
    asked = {"creature": "pia", "weapon": "mace", "poison": "viper"}
    assert fight.refused("coat_weapon", **asked) == "no_poison_dose"


def test_HR_POIS_3_a_lapsed_coat_does_nothing_and_is_scraped_off_first() -> None:
    sheets = {"pia": {"poisons": [{"id": "viper", "doses": 3, "potent_s": 60}]}}
    fight = opened(DUEL, sheets=sheets).do("coat_weapon", creature="pia", weapon="mace", poison="viper")
    gm(fight, "advance_clock", seconds=120, reason="waiting")
    asked = {"creature": "pia", "weapon": "mace", "poison": "viper"}
    assert fight.refused("coat_weapon", **asked) == "weapon_coated"
    facing(fight).answer("declare_attack", "pia", 6, 5, 6, 1, 1, target="orc").answer("accept_damage", "orc")
    assert not fight.logged("poison_struck")
    assert "mace" in fight["pia"].coats
    clean = opened(DUEL, sheets=sheets).do("coat_weapon", **asked)
    clean.do("scrape_weapon", creature="pia", weapon="mace").do("coat_weapon", **asked)
    assert clean["pia"].doses == {"viper": 1}


# --- hiding --------------------------------------------------------------------------------------------


def test_HR_V_83_nobody_hides_in_combat_or_without_the_gm() -> None:
    """HR-HIDE-1, HR-START-9, A-58."""
    assert begun(DUEL).refused("hide", creature="pia") == "in_combat"
    fight = opened(DUEL)
    assert fight.refused("hide", creature="pia") == "gm_approval_required"
    gm(fight, "allow_hiding", creature="pia", cn=9)
    fight.do("hide", 5, 4, creature="pia")
    assert fight["pia"].hidden_from == ("orc",)


def test_HR_HIDE_1_who_fails_is_seen() -> None:
    fight = opened(DUEL)
    gm(fight, "allow_hiding", creature="pia", cn=10)
    assert fight.do("hide", 5, 4, creature="pia")["pia"].hidden_from == ()
    assert fight.refused("hide", creature="pia") == "gm_approval_required", "one try a place"


# --- sizes ---------------------------------------------------------------------------------------------


def test_HR_V_77_tiny_creatures_share_a_mediums_cell_and_small_ones_do_not() -> None:
    """HR-SIZE-2/4/5."""
    tiny = begun({"pia": (0, 0), "orc": (2, 0)}, sheets={"pia": {"size": "tiny", "weapons": []}})
    tiny.do("dash", creature="pia", to=[2, 0])
    small = begun({"pia": (0, 0), "orc": (2, 0)}, sheets={"pia": {"size": "small"}})
    assert small.refused("dash", creature="pia", path=[[1, 0], [2, 0]]) == "space_occupied"


@pytest.mark.parametrize(
    ("size", "die", "carried"),
    [("medium", 4, 8), ("medium", 8, 10), ("large", 8, 14), ("small", 6, 7), ("small", 10, 8)],
)
def test_HR_V_76_slots_follow_size_and_might(size: str, die: int, carried: int) -> None:
    """HR-SIZE-8."""
    fight = begun(DUEL, sheets={"pia": {"size": size, "might": die}})
    assert slots(fight["pia"].sheet) == carried


def test_HR_SIZE_2_five_small_friends_fill_a_cell() -> None:
    small = {"like": "pia", "size": "small"}
    names = ["a", "b", "c", "d", "e"]
    places = {**dict.fromkeys(names, (0, 0)), "f": (1, 0), "orc": (5, 5)}
    fight = begun(places, sheets=dict.fromkeys((*names, "f"), small))
    assert fight.refused("dash", creature="f", path=[[0, 0]]) == "space_occupied"
    fight.do("dash", creature="a", to=[0, 1]).do("pass_side", side="enemies")
    fight.do("dash", creature="f", path=[[0, 0]])


@pytest.mark.parametrize(("value", "code"), [("smaller_mover", "space_occupied"), ("either_smaller", None)])
def test_A_37_the_house_may_let_the_larger_walk_over_the_smaller(value: str, code: str | None) -> None:
    sheets = {"orc": {"size": "tiny", "weapons": []}}
    fight = begun({"pia": (0, 0), "orc": (1, 0)}, sheets=sheets, options={"pass_through": value})
    decision = fight.send("dash", "zoe", creature="pia", path=[[1, 0]])
    assert (decision.refusal and decision.refusal.code) == code


@pytest.mark.parametrize(("value", "code"), [(True, None), (False, "space_occupied")])
def test_A_37_allies_may_be_passed_by_the_house(*, value: bool, code: str | None) -> None:
    places = {"pia": (0, 0), "ash": (0, 1), "orc": (9, 9)}
    fight = begun(places, options={"allies_passable": value})
    decision = fight.send("dash", "zoe", creature="pia", path=[[0, 1], [0, 2]])
    assert (decision.refusal and decision.refusal.code) == code


# --- forced movement -----------------------------------------------------------------------------------

HOLD = {"grappling": Condition(source="wolf")}
HELD = {"grappled": Condition(source="pia")}


def shoved(feet: int = 10, **changes: Any) -> Fight:
    """Return a fight in which the wolf, held by Pia, is pushed into a wall at its back."""
    fight = begun({"pia": (0, 0), "wolf": (1, 0)}, terrain={"2,0": "wall"}, **changes)
    fight.given("pia", conditions=HOLD).given("wolf", conditions=HELD)
    push = {"kind": "push", "creature": "wolf", "feet": feet, "direction": [1, 0]}
    return gm(fight, "gm_ruling", kind="effect", decision="a gust", effects=[push])


def test_HR_V_97_a_grappler_goes_along_and_shares_the_harm() -> None:
    """HR-FORCE-3."""
    fight = shoved()
    fight.answer("follow_captive", "pia", 2, 4, follow=True)
    fight.answer("accept_damage", "wolf").answer("accept_damage", "pia")
    assert (fight["wolf"].hp, fight["pia"].hp) == (14, 34)
    assert fight["wolf"].has("grappled")


def test_HR_V_97_or_lets_go_and_is_spared() -> None:
    fight = shoved()
    fight.answer("follow_captive", "pia", 2, 4, follow=False)
    fight.answer("accept_damage", "wolf")
    assert (fight["wolf"].hp, fight["pia"].hp) == (14, 40)
    assert not fight["wolf"].conditions
    assert not fight["pia"].conditions


def test_HR_FORCE_3_a_captive_goes_where_its_grappler_is_pushed() -> None:
    fight = begun({"pia": (0, 0), "wolf": (1, 0)})
    fight.given("pia", conditions=HOLD).given("wolf", conditions=HELD)
    push = {"kind": "push", "creature": "pia", "feet": 10, "direction": [-1, 0]}
    gm(fight, "gm_ruling", kind="effect", decision="a gust", effects=[push])
    assert (fight["pia"].position, fight["wolf"].position) == ((-2, 0), (-1, 0))


@pytest.mark.parametrize(("value", "wolf"), [(True, 20), (False, 16)])
def test_A_38_a_light_shield_spares_its_bearer_by_the_house(*, value: bool, wolf: int) -> None:
    places = {"pia": (0, 0), "orc": (1, 0), "wolf": (2, 0)}
    sheets = {"wolf": {"shield": "light"}}
    fight = begun(places, sheets=sheets, options={"light_shield_blocks_split": value})
    push = {"kind": "push", "creature": "orc", "feet": 10, "direction": [1, 0]}
    gm(fight, "gm_ruling", 4, 5, kind="effect", decision="a gust", effects=[push])
    while fight.state.phase == "priority" and "accept_damage" in waiting(fight.state)[0].accepts:
        fight.answer("accept_damage", str(waiting(fight.state)[0].creature))
    assert fight["wolf"].hp == wolf
    assert fight["orc"].hp == 35 - (9 if value else 5), "A-39: the odd point is the mover's"
