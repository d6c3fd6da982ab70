"""Both sides of each bound of movement, space and range, asked of the rule itself."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

import pytest

from service.rules.heartrush.body.weapons import (
    beyond_range,
    check_ranged_move,
    leaves_no_step,
    lines_blocked,
    may_wield,
    push_ft,
    whip_die,
)
from service.rules.heartrush.creatures.character import Condition
from service.rules.heartrush.creatures.sheet import Weapon
from service.rules.heartrush.moving.movement import Walk, stride
from service.rules.heartrush.moving.paths import (
    NEVER_FT,
    check_can_move,
    may_enter,
    may_stop,
    standing_cost,
    step_cost,
    swim_ft,
)
from service.rules.kernel.codec import from_data
from service.rules.kernel.records import changed
from tests.rules.heartrush.kit import begun
from tests.rules.heartrush.sides import PLACES, code_of, refusal_of

# --- who moves at all ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("condition", "speed", "code"),
    [
        (None, 60, None),
        (None, 0, "speed_zero"),
        (None, 1, None),
        ("stunned", 60, "speed_zero"),
        ("incapacitated", 60, "speed_zero"),
        ("restrained", 60, "speed_zero"),
        ("grappled", 60, "speed_zero"),
        ("grappling", 60, None),
        ("prone", 60, None),
        ("dazed", 60, None),
    ],
)
def test_HR_COND_5_who_is_held_has_no_speed(condition: str | None, speed: int, code: str | None) -> None:
    fight = begun(PLACES, sheets={"pia": {"armor": "none", "speed": speed}})
    fight.given("pia", conditions={condition: Condition()} if condition else {})
    assert code_of(check_can_move, fight["pia"]) == code
    found = refusal_of(fight, "zoe", "dash", creature="pia", path=[[0, 1]])
    if condition is None and speed != 1:
        assert found == (code and (code, "HR-COND-5"))


@pytest.mark.parametrize(
    ("data", "code"),
    [
        ({}, "params_missing"),
        ({"path": [[0, 1]], "to": [0, 1]}, "params_missing"),
        ({"path": []}, "params_missing"),
        ({"to": [0, 0]}, "params_missing"),
        ({"stand": True}, "not_prone"),
        ({"path": [[0, 1]], "stand": True}, "not_prone"),
        ({"to": [13, 0]}, "insufficient_movement"),
        ({"path": [[0, 1]]}, None),
        ({"to": [0, 1]}, None),
        ({"to": [0, 11]}, None),
    ],
)
def test_HR_ACT_8_a_dash_has_a_path_or_a_goal(data: dict[str, Any], code: str | None) -> None:
    fight = begun(PLACES)
    before = fight["pia"]
    assert refusal_of(fight, "zoe", "dash", creature="pia", **data) == (code and (code, "HR-ACT-8"))
    if code:
        assert fight["pia"] == before
        return
    (used,) = fight.logged("ability_used")
    assert (used.ability, used.paid, used.instant) == ("dash", "free", False)
    assert not fight["pia"].free_dash
    assert fight["pia"].action == before.action


@pytest.mark.parametrize(
    ("data", "code", "at", "lies"),
    [
        ({"stand": True}, None, (0, 0), False),
        ({"stand": True, "path": []}, None, (0, 0), False),
        ({"stand": True, "to": [0, 5]}, None, (0, 5), False),
        ({"stand": True, "to": [0, 6]}, "insufficient_movement", (0, 0), True),
        ({"to": [0, 1]}, None, (0, 1), True),
        ({"to": [0, 2]}, "insufficient_movement", (0, 0), True),
    ],
)
def test_HR_MOVE_5_and_HR_ACT_8_the_prone_stand_up_first_or_crawl(
    data: dict[str, Any], code: str | None, at: tuple[int, int], *, lies: bool
) -> None:
    fight = begun(PLACES).given("pia", conditions={"prone": Condition()})
    assert standing_cost(fight["pia"]) == 27
    found = refusal_of(fight, "zoe", "dash", creature="pia", **data)
    assert found == (code and (code, "HR-ACT-8"))
    assert (fight["pia"].position, fight["pia"].has("prone")) == (at, lies)


@pytest.mark.parametrize(
    ("changes", "refusal"),
    [
        ({"conditions": {"grappling": Condition(source="orc")}}, ("grappling", "HR-COND-24")),
        ({"used_reach": True}, ("reach_dashed", "HR-WPN-3")),
        ({"free_dash": False, "action": 0, "rush": 9}, ("action_spent", "HR-ACT-1")),
        ({"free_dash": False, "action": 1, "rush": 0}, None),
        ({"free_dash": True, "action": 0, "rush": 0}, None),
        ({"ranged_stance_taken": True, "moved_ft": 25}, ("ranged_move_cap", "HR-WPN-4")),
        ({"ranged_stance_taken": True, "moved_ft": 20}, None),
        ({"spell_cast": True, "moved_ft": 25}, ("moved_too_far_to_cast", "HR-CAST-1")),
        ({"spell_cast": True, "moved_ft": 20}, None),
    ],
)
def test_HR_ACT_8_who_may_dash(changes: dict[str, Any], refusal: tuple[str, str] | None) -> None:
    fight = begun(PLACES).given("pia", **changes)
    assert refusal_of(fight, "zoe", "dash", creature="pia", to=[0, 1]) == refusal
    if refusal is None:
        paid = "free" if changes.get("free_dash", True) else "action"
        assert fight.logged("ability_used")[0].paid == paid


@pytest.mark.parametrize(
    ("data", "changes", "code"),
    [
        ({}, {}, "params_missing"),
        ({"to": [0, 1], "stand": True}, {}, "params_missing"),
        ({"to": [0, 1], "stand": True}, {"conditions": {"prone": Condition()}}, "params_missing"),
        ({"stand": True}, {}, "not_prone"),
        ({"stand": True}, {"conditions": {"prone": Condition()}}, None),
        ({"to": [0, 2]}, {}, "blocked"),
        ({"to": [1, 1]}, {}, "blocked"),
        ({"to": [-1, 0]}, {}, "space_occupied"),
        ({"to": [0, 1]}, {}, None),
        ({"to": [0, 1]}, {"conditions": {"grappled": Condition(source="orc")}}, "speed_zero"),
        ({"to": [0, 1]}, {"action": 0, "rush": 0}, "cannot_pay"),
        ({"to": [0, 1], "pay": "rush"}, {"rush": 0}, "insufficient_rush"),
        ({"to": [0, 1], "pay": "action"}, {"action": 0, "rush": 9}, "action_spent"),
    ],
)
def test_HR_ACT_7_a_sidestep_is_one_step_or_standing_up(
    data: dict[str, Any], changes: dict[str, Any], code: str | None
) -> None:
    places = {"pia": (0, 0), "ash": (-1, 0), "orc": (10, 0)}
    fight = begun(places, terrain={"1,1": "wall"}).given("pia", **changes)
    found = refusal_of(fight, "zoe", "sidestep", creature="pia", **data)
    assert (found and found[0]) == code
    if code is None:
        (used,) = fight.logged("ability_used")
        assert (used.ability, used.paid) == ("sidestep", "action")
        assert (fight["pia"].position, fight["pia"].has("prone")) == (tuple(data.get("to", (0, 0))), False)
        assert fight["pia"].free_dash


# --- through whom ----------------------------------------------------------------------------------------

SIZES: Any = ("tiny", "small", "medium", "large", "l2")


@pytest.mark.parametrize("passing", ["smaller_mover", "either_smaller"])
@pytest.mark.parametrize("side", ["players", "enemies"])
@pytest.mark.parametrize("allies", [True, False])
def test_HR_SIZE_4_two_sizes_apart_pass_through_each_other(passing: str, side: str, *, allies: bool) -> None:
    options = {"pass_through": passing, "allies_passable": allies}
    sheets: dict[str, Any] = {name: {"weapons": []} for name in ("pia", "ash", "orc")}
    fight = begun(PLACES, sheets=sheets, options=options)
    other = "ash" if side == "players" else "orc"
    for mine, its in product(range(len(SIZES)), repeat=2):
        for name, size in (("pia", SIZES[mine]), (other, SIZES[its])):
            fight.given(name, sheet=changed(fight[name].sheet, size=size))
        through = its - mine >= 2 or (passing == "either_smaller" and mine - its >= 2)
        found = may_enter(fight.state, fight["pia"], fight[other].position)
        assert found is (through or (allies and side == "players")), (SIZES[mine], SIZES[its])
        assert may_enter(fight.state, fight["pia"], (0, 5))


def test_HR_SIZE_4_nobody_enters_a_wall() -> None:
    fight = begun(PLACES, terrain={"0,1": "wall"})
    assert not may_enter(fight.state, fight["pia"], (0, 1))
    assert may_enter(fight.state, fight["pia"], (1, 1))
    assert may_enter(fight.state, fight["pia"], (4, 0)), "Ash is a friend"
    assert not may_stop(fight.state, fight["pia"], (4, 0))
    assert not may_enter(fight.state, fight["pia"], (10, 0))


# --- what it costs ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ground", "feet"),
    [
        ("normal", 5),
        ("difficult", 10),
        ("shallow_water", 10),
        ("deep_water", 27),
        ("climb", 55),
    ],
)
def test_HR_ENV_1_each_ground_has_its_price(ground: str, feet: int) -> None:
    fight = begun(PLACES, terrain={"0,1": ground, "9,9": "wall"})
    assert step_cost(fight.state, fight["pia"], (0, 0), (0, 1), 0) == feet


@pytest.mark.parametrize("cell", [(0, 1), (0, 2)])
def test_HR_ENV_1_ground_that_cannot_be_entered_costs_more_than_any_speed(cell: tuple[int, int]) -> None:
    sheets = {"pia": {"armor": "heavy", "shield": "heavy", "swim_speed": 0}}
    fight = begun(PLACES, sheets=sheets, terrain={"0,1": "deep_water", "0,2": "deep_water"})
    assert swim_ft(fight["pia"]) == 0
    assert step_cost(fight.state, fight["pia"], (0, 0), cell, 0) == NEVER_FT == 1_000_000


@pytest.mark.parametrize(
    ("left", "diagonals", "taken", "feet", "slanted"),
    [
        (((0, 1), (0, 2)), 0, 2, 10, 0),
        (((1, 1), (2, 2), (3, 3)), 0, 3, 20, 3),
        (((1, 1), (2, 2), (3, 3)), 1, 3, 25, 4),
        (((0, 1), (1, 2), (1, 3)), 0, 3, 15, 1),
        ((), 2, 0, 0, 2),
    ],
)
def test_HR_MOVE_6_and_HR_MOVE_1_every_second_diagonal_counts_twice_by_the_house(
    left: Any, diagonals: int, taken: int, feet: int, slanted: int
) -> None:
    fight = begun(PLACES, options={"metric": "alternating"})
    walk = Walk(creature="pia", left=left, diagonals=diagonals)
    gone = stride(fight.state, fight["pia"], walk, step_by_step=False)
    assert (gone.taken, gone.feet, gone.diagonals) == (taken, feet, slanted)
    assert (gone.striking, gone.tripping, gone.climb_cn, gone.hidden_creature) == ((), (), 0, None)


# --- reach and range -------------------------------------------------------------------------------------


def weapon(**changes: Any) -> Weapon:
    return from_data(Weapon, {"id": "w", "size_class": "light", "damage_type": "piercing", **changes})


@pytest.mark.parametrize(
    ("attack_type", "feet", "started", "full"),
    [
        ("ranged", 25, 0, 0),
        ("ranged", 30, 0, 0),
        ("ranged", 35, 1, 0),
        ("ranged", 40, 1, 1),
        ("ranged", 45, 2, 1),
        ("ranged", 50, 2, 2),
        ("thrown", 20, 0, 0),
        ("thrown", 25, 1, 1),
        ("thrown", 30, 2, 2),
        ("thrown", 31, 3, 2),
        ("whip", 60, 0, 0),
        ("melee", 60, 0, 0),
    ],
)
def test_HR_WPN_5_each_increment_beyond_range_is_a_level(
    attack_type: str, feet: int, started: int, full: int
) -> None:
    for counts, levels in (("started", started), ("completed", full)):
        fight = begun(PLACES, options={"range_increment": counts})
        assert beyond_range(fight.state, fight["pia"], weapon(attack_type=attack_type), feet) == levels


@pytest.mark.parametrize(
    ("shot", "moved", "feet", "code"),
    [
        (True, 0, 15, None),
        (True, 0, 16, "ranged_move_cap"),
        (True, 10, 5, None),
        (True, 15, 0, None),
        (True, 15, 5, "ranged_move_cap"),
        (False, 15, 15, None),
    ],
)
def test_HR_WPN_4_who_has_shot_moves_half_its_speed(
    moved: int, feet: int, code: str | None, *, shot: bool
) -> None:
    creature = changed(begun(PLACES)["pia"], ranged_stance_taken=shot, moved_ft=moved)
    assert code_of(check_ranged_move, creature, 30, feet) == code
    assert leaves_no_step(creature, 30) is (shot and moved > 10)


@pytest.mark.parametrize(
    ("terrain", "blocked"),
    [
        ({}, 0),
        ({"9,9": "wall"}, 0),
        ({"5,5": "difficult"}, 0),
        ({"2,-1": "wall", "2,0": "wall", "2,1": "wall"}, 4),
    ],
)
def test_HR_COVER_1_walls_alone_cut_lines(terrain: Mapping[str, str], blocked: int) -> None:
    fight = begun({"pia": (0, 0), "orc": (4, 0)}, terrain=terrain)
    assert lines_blocked(fight.state, fight["pia"], fight["orc"]) == blocked


@pytest.mark.parametrize(
    ("size", "sizes_of_weapons"),
    [
        ("minuscule", "ultralight"),
        ("tiny", "ultralight"),
        ("small", "ultralight light"),
        ("medium", "ultralight light heavy"),
        ("large", "ultralight light heavy"),
    ],
)
def test_HR_WPN_11_and_HR_SIZE_5_the_small_wield_what_is_light_enough(
    size: str, sizes_of_weapons: str
) -> None:
    sheet: Any = begun(PLACES)["pia"].sheet
    classes = ("ultralight", "light", "heavy")
    found = [each for each in classes if may_wield(changed(sheet, size=size), weapon(size_class=each))]
    assert found == sizes_of_weapons.split()
    teeth = [weapon(size_class=each, tags=["natural"]) for each in classes]
    assert all(may_wield(changed(sheet, size=size), each) for each in teeth)


@pytest.mark.parametrize(
    ("attack_type", "size", "might_bonus", "sides"),
    [
        ("whip", "light", True, [8]),
        ("whip", "heavy", True, [12]),
        ("whip", "light", False, []),
        ("melee", "light", True, []),
        ("melee", "light", False, []),
    ],
)
def test_HR_WPN_9_the_might_bonus_of_a_whip_is_a_die(
    attack_type: str, size: str, sides: list[int], *, might_bonus: bool
) -> None:
    lash = weapon(attack_type=attack_type, size_class=size)
    assert [die.sides for die in whip_die(lash, might_bonus=might_bonus)] == sides


@pytest.mark.parametrize(
    ("mine", "other", "feet"),
    [
        ("medium", "medium", 10),
        ("large", "medium", 15),
        ("medium", "large", 5),
        ("medium", "l2", 0),
        ("small", "l2", 0),
    ],
)
def test_HR_SIZE_3_a_push_goes_farther_for_each_size(mine: Any, other: Any, feet: int) -> None:
    fight = begun(PLACES)
    pusher, pushed = (
        changed(fight[name], sheet=changed(fight[name].sheet, size=size))
        for name, size in (("pia", mine), ("orc", other))
    )
    assert push_ft(pusher, pushed) == feet
