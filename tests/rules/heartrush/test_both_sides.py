"""Both sides of each bound of Heart Rush's rules, asked of the rule itself."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.heartrush.body.actions import EXERTIONS, AbilityUsed
from service.rules.heartrush.body.damage import half
from service.rules.heartrush.body.wounds import fall_to_zero, wake
from service.rules.heartrush.moving.paths import check_move_after_casting, check_path, step_cost
from service.rules.heartrush.timing.priority import pass_unable
from service.rules.kernel.messages import Refused
from service.rules.kernel.records import changed
from service.rules.ruleset import waiting
from tests.rules.heartrush.kit import begun, opened
from tests.rules.heartrush.sides import PLACES, code_of, emitted, refusal_of, types

# --- zero hit points -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hp", "before", "status", "falls"),
    [
        (0, 1, "active", True),
        (-3, 9, "active", True),
        (1, 9, "active", False),
        (-1, 0, "active", False),
        (-1, -1, "active", False),
        (0, 1, "unconscious", False),
        (0, 1, "dead", False),
    ],
)
def test_HR_ZERO_2_who_comes_to_zero_falls_once(hp: int, before: int, status: str, *, falls: bool) -> None:
    state = begun(PLACES).given("pia", hp=hp, status=status).state
    assert types(fall_to_zero(state, "pia", before), state) == (["fell_to_zero"] if falls else [])


@pytest.mark.parametrize(
    ("hp", "status", "wakes"),
    [
        (1, "unconscious", True),
        (0, "unconscious", False),
        (-1, "unconscious", False),
        (1, "active", False),
        (1, "dead", False),
    ],
)
def test_HR_ZERO_5_the_unconscious_wake_above_zero(hp: int, status: str, *, wakes: bool) -> None:
    state = begun(PLACES).given("pia", hp=hp, status=status).state
    assert types(wake(state, "pia"), state) == (["woke"] if wakes else [])


@pytest.mark.parametrize(
    ("hp", "phase", "code"),
    [
        (0, "precombat", None),
        (-1, "priority", None),
        (1, "priority", "hp_positive"),
        (1, "precombat", "hp_positive"),
    ],
)
def test_HR_ZERO_1_who_is_at_zero_may_fall_where_the_fight_waits(
    hp: int, phase: str, code: str | None
) -> None:
    fight = opened(PLACES).do("begin_combat", unaware_side="enemies")
    if phase == "priority":
        fight.do("grant_priority")
    assert fight.state.phase == phase
    fight.given("pia", hp=hp)
    assert refusal_of(fight, "zoe", "go_unconscious", creature="pia") == (code and (code, "HR-ZERO-1"))
    assert fight["pia"].status == ("active" if code else "unconscious")


def test_HR_PRIO_1_nobody_falls_by_choice_while_dice_are_awaited() -> None:
    fight = begun({"pia": (0, 0), "orc": (1, 0)}).given("pia", hp=-1)
    fight.do("engage", creature="pia", target="orc").joined_by().stances(pia="might", orc="cunning")
    fight.answer("declare_attack", "pia", target="orc")
    assert any(awaited.wants for awaited in waiting(fight.state))
    assert refusal_of(fight, "zoe", "go_unconscious", creature="pia") == ("no_priority", "HR-PRIO-1")


# --- what an action takes --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ability", "paid", "left"),
    [
        ("engage", "action", (0, 2, True, True)),
        ("use_ability", "rush", (1, 1, True, True)),
        ("dash", "free", (1, 2, False, True)),
        ("object", "free", (1, 2, True, False)),
        ("trip", "none", (1, 2, True, True)),
    ],
)
def test_HR_GEN_2_each_payment_takes_its_own(
    ability: str, paid: Any, left: tuple[int, int, bool, bool]
) -> None:
    state = begun(PLACES).given("pia", action=1, rush=2, free_dash=True, free_object=True).state
    found = AbilityUsed(creature="pia", ability=ability, paid=paid).evolve(state).creatures["pia"]
    assert (found.action, found.rush, found.free_dash, found.free_object) == left
    assert found.dashed is (ability == "dash")


@pytest.mark.parametrize(
    ("phase", "instant", "after"),
    [
        ("priority", False, "resolving"),
        ("priority", True, "priority"),
        ("precombat", False, "precombat"),
        ("setup", False, "setup"),
        ("ended", False, "ended"),
    ],
)
def test_HR_GEN_2_priority_waits_for_an_ability_that_is_no_instant(
    phase: Any, after: str, *, instant: bool
) -> None:
    state = changed(begun(PLACES).state, phase=phase)
    used = AbilityUsed(creature="pia", ability="engage", paid="none", instant=instant)
    assert used.evolve(state).phase == after


@pytest.mark.parametrize(
    ("ability", "paid", "phase", "strains"),
    [
        *(
            (ability, "none", "setup", True)
            for ability in (
                "dash",
                "sidestep",
                "object",
                "help",
                "break_free",
                "shake_off",
                "steady",
                "douse",
            )
        ),
        ("drink_potion", "none", "setup", False),
        ("call_out", "free", "priority", False),
        ("engage", "action", "priority", True),
        ("use_ability", "none", "priority", False),
        ("dash", "none", "priority", False),
    ],
)
def test_HR_GEN_2_what_takes_breath(ability: str, paid: Any, phase: str, *, strains: bool) -> None:
    fight = begun(PLACES) if phase == "priority" else opened(PLACES)
    state = fight.given("pia", breath=5).state
    after = AbilityUsed(creature="pia", ability=ability, paid=paid, instant=True).evolve(state)
    assert (after.top is not None and after.top.kind == "strain") is strains
    assert len(EXERTIONS) == 8


@pytest.mark.parametrize(("resets", "passes"), [(True, 0), (False, 1)])
def test_HR_PRIO_7_an_instant_leaves_the_declines_unless_the_house_resets_them(
    passes: int, *, resets: bool
) -> None:
    state = begun(PLACES, options={"instant_resets_passes": resets}).state
    state = changed(state, passes=1, auto_passes=1)
    used = AbilityUsed(creature="pia", ability="trip", paid="none", instant=True)
    after = used.evolve(state)
    assert (after.phase, after.passes, after.auto_passes) == ("priority", passes, passes)
    other = used.evolve(changed(state, phase="resolving"))
    assert (other.passes, other.auto_passes) == (1, 1)


@pytest.mark.parametrize(("before", "type_"), [(0, "priority_passed"), (1, "round_ran_out")])
def test_HR_PRIO_10_the_second_automatic_pass_ends_the_round(before: int, type_: str) -> None:
    state = changed(begun(PLACES).state, passes=0, auto_passes=before)
    (event,) = emitted(pass_unable(state), state)
    assert (event.type, event.passes) == (type_, 1)


@pytest.mark.parametrize(
    ("number", "up", "down"), [(0, 0, 0), (1, 1, 0), (2, 1, 1), (3, 2, 1), (7, 4, 3), (-3, -1, -2)]
)
def test_HR_GEN_4_halves_are_rounded_up_unless_a_rule_rounds_down(number: int, up: int, down: int) -> None:
    assert (half(number), half(number, up=True), half(number, up=False)) == (up, up, down)


# --- movement --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cast", "moved", "feet", "code"),
    [
        (True, 0, 15, None),
        (True, 0, 20, "moved_too_far_to_cast"),
        (True, 10, 5, None),
        (True, 10, 10, "moved_too_far_to_cast"),
        (False, 10, 20, None),
    ],
)
def test_HR_CAST_1_who_has_cast_moves_half_its_speed(
    moved: int, feet: int, code: str | None, *, cast: bool
) -> None:
    fight = begun(PLACES, sheets={"pia": {"armor": "none", "speed": 30}})
    fight.given("pia", spell_cast=cast, moved_ft=moved, cast_at_ft=0)
    assert code_of(check_move_after_casting, fight["pia"], feet) == code


@pytest.mark.parametrize(
    ("metric", "costs"),
    [("chebyshev", [5, 5, 5, 5]), ("alternating", [5, 5, 5, 10])],
)
def test_HR_MOVE_1_a_diagonal_after_an_odd_number_of_them_may_count_twice(
    metric: str, costs: list[int]
) -> None:
    fight = begun(PLACES, options={"metric": metric})
    steps = [((0, 1), (0, 2), 1), ((0, 1), (1, 1), 1), ((0, 1), (1, 2), 0), ((0, 1), (1, 2), 1)]
    assert [step_cost(fight.state, fight["pia"], old, new, n) for old, new, n in steps] == costs
    twice = step_cost(fight.state, fight["pia"], (1, 0), (2, 1), 3)
    assert twice == costs[-1]
    assert step_cost(fight.state, fight["pia"], (1, 0), (2, 1), 2) == 5


@pytest.mark.parametrize(
    ("path", "budget", "found"),
    [
        ([(0, 1), (0, 2)], 10, 10),
        ([(0, 1), (0, 2)], 9, "insufficient_movement"),
        ([(0, 2)], 30, "blocked"),
        ([(1, 1)], 30, "blocked"),
        ([(0, -1), (0, -2)], 30, 10),
        ([(0, -1)], 30, "space_occupied"),
        ([(-1, 0)], 30, "space_occupied"),
        ([(-1, 1), (-2, 2), (-3, 3)], 20, 20),
        ([(-1, 1), (-1, 2), (-2, 3)], 20, 20),
        ([(0, 1), (0, 2), (0, 3), (-1, 4)], 20, 20),
        ([], 0, 0),
    ],
)
def test_HR_MOVE_6_a_path_is_free_and_short_enough(
    path: list[tuple[int, int]], budget: int, found: int | str
) -> None:
    places = {"pia": (0, 0), "ash": (0, -1), "orc": (-1, 0)}
    fight = begun(places, options={"metric": "alternating"}, terrain={"1,1": "wall"})
    try:
        spent: int | str = check_path(fight.state, fight["pia"], tuple(path), budget)
    except Refused as refused:
        spent = refused.code
    assert spent == found
