"""Both sides of Heart Rush's numbers: speeds, ways, heart dice, hazards, rounds, and what is carried on."""

from __future__ import annotations

from typing import Any, Final

import pytest

from service.rules.heartrush.body.actions import is_charged
from service.rules.heartrush.body.conditions import crippled, fade, slowed
from service.rules.heartrush.body.damage import refusal_to_shrug
from service.rules.heartrush.creatures.abilities import Ability
from service.rules.heartrush.creatures.character import Condition, Entry, Wound
from service.rules.heartrush.moving.paths import check_path, speed
from service.rules.heartrush.surviving.experience import grow_heart
from service.rules.heartrush.table.combat import begin_round
from service.rules.heartrush.table.entries import carry, pass_days
from service.rules.heartrush.timing.engagement import (
    EngagementDeclared,
    EngagementFrame,
    Participant,
    eligible,
)
from service.rules.kernel.messages import Refused
from service.rules.kernel.records import changed
from service.rules.table.carried import CarriedFrom
from tests.rules.heartrush.kit import begun, opened
from tests.rules.heartrush.sides import code_of, emitted, refusal_of, types

PLACES: Final = {"pia": (0, 0), "ash": (0, 2), "orc": (1, 0)}
FROM: Final = CarriedFrom(encounter="e", n=1, hash="00" * 32)


def conditions(*names: str, level: int = 1) -> dict[str, Condition]:
    """Return conditions of these names."""
    return {name: Condition(level=level) for name in names}


# --- speeds and ways -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("feet", "armor", "held", "found"),
    [
        (30, "none", (), 30),
        (5, "none", (), 5),
        (0, "none", (), 0),
        (0, "heavy", (), 0),
        (5, "heavy", (), 0),
        (30, "none", ("crippled",), 5),
        (30, "none", ("slowed",), 15),
        (5, "none", ("crippled",), 5),
    ],
)
def test_HR_MOVE_2_and_HR_COND_12_a_speed_is_what_is_left_and_never_below_nothing(
    feet: int, armor: str, held: tuple[str, ...], found: int
) -> None:
    pia = opened(PLACES).state.creatures["pia"]
    pia = changed(pia, sheet=changed(pia.sheet, speed=feet, armor=armor), conditions=conditions(*held))
    assert speed(pia) == found


@pytest.mark.parametrize(
    ("held", "feet", "after"),
    [((), 30, 30), (("crippled",), 30, 5), (("crippled",), 4, 4), ((), 4, 4)],
)
def test_HR_COND_12_the_crippled_go_5_feet_at_most(held: tuple[str, ...], feet: int, after: int) -> None:
    pia = changed(opened(PLACES).state.creatures["pia"], conditions=conditions(*held))
    assert crippled(pia, feet) == after
    assert slowed(pia, feet) == feet


@pytest.mark.parametrize(
    ("path", "walls", "budget", "code"),
    [
        (((0, 1),), (), 5, None),
        (((0, 1),), (), 4, "insufficient_movement"),
        (((-1, 1), (-2, 2)), (), 15, None),
        (((-1, 1), (-2, 2)), (), 14, "insufficient_movement"),
        (((-1, 1), (-1, 2), (-2, 3)), (), 20, None),
        (((-1, 1), (-1, 2), (-2, 3)), (), 19, "insufficient_movement"),
        (((0, 1), (-1, 2), (-2, 2), (-3, 3)), (), 25, None),
        (((0, 1), (-1, 2), (-2, 2), (-3, 3)), (), 24, "insufficient_movement"),
        (((-1, 1), (-2, 2), (-3, 3)), (), 20, None),
        (((-1, 1), (-2, 2), (-3, 3)), (), 19, "insufficient_movement"),
        (((0, 2),), (), 30, "blocked"),
        (((0, 1),), ("0,0|0,1",), 30, "blocked"),
        (((-1, 0), (-1, 1)), ("0,0|0,1",), 30, None),
        (((1, 0),), (), 30, "space_occupied"),
        (((0, 1), (0, 2)), (), 30, "space_occupied"),
        (((0, 1), (0, 2), (0, 3)), (), 30, None),
    ],
)
def test_HR_MOVE_6_a_way_is_open_free_and_paid_for(
    path: tuple[tuple[int, int], ...], walls: tuple[str, ...], budget: int, code: str | None
) -> None:
    """HR-MOVE-6, HR-MOVE-1: with the house's option the second diagonal counts twice."""
    fight = opened(
        PLACES,
        options={"metric": "alternating"},
        walls=dict.fromkeys(walls, "wall"),
    )
    found = code_of(check_path, fight.state, fight["pia"], path, budget)
    assert found == code


# --- dice and hazards ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("total", "die", "grown"),
    [
        (199, 8, []),
        (200, 8, [10]),
        (499, 8, [10]),
        (500, 8, [12]),
        (999, 8, [12]),
        (1000, 8, [20]),
        (200, 10, []),
        (500, 10, [12]),
        (0, 4, []),
    ],
)
def test_HR_XP_9_and_HR_XP_1_experience_brings_a_larger_heart_die(
    total: int, die: int, grown: list[int]
) -> None:
    state = opened(PLACES).state
    pia = state.creatures["pia"]
    sheet = changed(pia.sheet, heart_die=die, growth=changed(pia.sheet.growth, xp_total=total))
    state = state.with_creature("pia", sheet=sheet, heart_die=die)
    assert [event.heart_die_max for event in emitted(grow_heart(state, "pia"), state)] == grown


@pytest.mark.parametrize(
    ("cause", "code"),
    [
        ("attack", None),
        ("fall", "hazards_not_shruggable"),
        ("hazard", "hazards_not_shruggable"),
        ("burning", "hazards_not_shruggable"),
        ("suffocation", "hazards_not_shruggable"),
        ("collision", "hazards_not_shruggable"),
    ],
)
def test_HR_DMG_2_what_is_no_creatures_doing_is_not_shrugged_off(cause: str, code: str | None) -> None:
    state = opened(PLACES, options={"hazards_shruggable": False}).state
    assert refusal_to_shrug(state, state.creatures["pia"], cause) == code


@pytest.mark.parametrize(
    ("die", "status", "code"),
    [
        (4, "active", "heart_die_minimum"),
        (6, "active", None),
        (8, "unconscious", "unconscious"),
        (8, "dead", "dead"),
    ],
)
def test_HR_DMG_2_who_has_a_heart_die_to_lose_may_shrug(die: int, status: str, code: str | None) -> None:
    state = opened(PLACES).state.with_creature("pia", heart_die=die, status=status)
    assert refusal_to_shrug(state, state.creatures["pia"]) == code


@pytest.mark.parametrize(
    ("type_", "data", "code"),
    [
        ("fall", {"feet": 1_000}, None),
        ("fall", {"feet": 1_001}, "malformed"),
        ("hazard", {"what": "a", "ability": "agility", "cn": 0, "damage": 1}, None),
        ("hazard", {"what": "", "ability": "agility", "cn": 0, "damage": 1}, "params_missing"),
        ("hazard", {"what": "a", "ability": "agility", "cn": -1, "damage": 1}, "malformed"),
        ("roll_check", {"what": "a", "ability": "might", "cn": 8}, None),
        ("roll_check", {"what": "", "ability": "might", "cn": 8}, "params_missing"),
        ("roll_check", {"what": "a", "ability": "might", "cn": 8, "advantage": 20}, None),
        ("roll_check", {"what": "a", "ability": "might", "cn": 8, "advantage": -20}, None),
        ("roll_check", {"what": "a", "ability": "might", "cn": 8, "advantage": 21}, "params_missing"),
        ("roll_check", {"what": "a", "ability": "might", "cn": 8, "advantage": -21}, "params_missing"),
    ],
)
def test_HR_FALL_1_HR_ENV_9_HR_GEN_5_and_HR_AD_3_the_gm_says_what_can_be(
    type_: str, data: dict[str, Any], code: str | None
) -> None:
    found = refusal_of(opened(PLACES), "gm", type_, creature="pia", **data)
    assert (found[0] if found else None) == code


@pytest.mark.parametrize(
    "send",
    [
        ("hold_breath", "gm", {"creature": "pia"}, "HR-PRIO-1"),
        ("begin_combat", "gm", {}, "HR-PRIO-1"),
        ("rest", "gm", {"rest": "short"}, "HR-PRIO-1"),
    ],
    ids=lambda send: send[0],
)
def test_HR_PRIO_1_HR_START_1_and_HR_REST_2_what_is_asked_is_answered_first(
    send: tuple[str, str, dict[str, Any], str],
) -> None:
    type_, by, data, _ = send
    fight = opened(PLACES)
    assert refusal_of(fight, "gm", "roll_check", creature="pia", what="lift", ability="might", cn=8) is None
    found = refusal_of(fight, by, type_, **data)
    assert found is not None
    assert found[0] == "no_priority"


# --- rounds ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("held", "left"),
    [
        ({}, None),
        ({"dazed": 2}, {"pia": {"dazed": 1}}),
        ({"dazed": 1}, {"pia": {"dazed": 0}}),
        ({"prone": 1}, None),
        ({"prone": 1, "dazed": 2}, {"pia": {"dazed": 1}}),
    ],
)
def test_HR_COND_2_each_round_takes_a_level_of_what_fades(held: dict[str, int], left: Any) -> None:
    found = {name: Condition(level=level) for name, level in held.items()}
    state = opened(PLACES).state.with_creature("pia", conditions=found)
    events = emitted(fade(state), state)
    assert [event.levels for event in events] == ([] if left is None else [left])


@pytest.mark.parametrize(
    ("acted", "able", "stops"),
    [(False, False, True), (True, False, False), (False, True, False), (True, True, False)],
)
def test_HR_START_5_a_round_begins_with_what_fades_and_with_rush(
    *, acted: bool, able: bool, stops: bool
) -> None:
    state = changed(begun(PLACES, options={"auto_end": False}).state, acted_this_round=acted)
    for name in PLACES:
        state = state.with_creature(name, status="active" if able else "unconscious", rush=0)
    state = state.with_creature("pia", conditions=conditions("dazed", level=2))
    found = types(begin_round(state), state)
    assert found[:2] == ["round_started", "conditions_faded"]
    assert "rush_gained" in found
    assert ("nobody_can_act" in found) is stops


def test_HR_ENG_3_each_engagement_of_a_round_is_counted() -> None:
    state = begun(PLACES).state
    declared = EngagementDeclared(engagement="r1/e1", initiator="pia", target="orc")
    assert declared.evolve(state).engagements == state.engagements + 1
    assert declared.evolve(changed(state, engagements=3)).engagements == 4


@pytest.mark.parametrize(
    ("changes", "joins"),
    [({}, True), ({"action": 0}, False), ({"status": "unconscious"}, False), ({"action": 1}, True)],
)
def test_HR_ENG_6_who_has_an_action_left_may_join(changes: dict[str, Any], *, joins: bool) -> None:
    state = begun(PLACES).state.with_creature("ash", **changes)
    frame = EngagementFrame(
        path="r1/e1",
        initiator="pia",
        first_target="orc",
        targeted_side="enemies",
        participants={"pia": Participant(entry="initiated"), "orc": Participant(entry="forced")},
    )
    assert ("ash" in eligible(state, frame)) is joins
    assert "pia" not in eligible(state, frame)
    assert "ash" not in eligible(state, changed(frame, declined=("ash",)))


# --- carried on ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("dazed", True),
        ("cover", False),
        ("obscured", False),
        ("highground", False),
        ("prone", False),
        ("grappled", False),
        ("grappling", False),
    ],
)
def test_HR_CARRY_1_what_a_place_or_another_makes_stays_behind(name: str, *, kept: bool) -> None:
    held = {name: Condition(level=2, since=7)}
    found = carry(opened(PLACES).state.with_creature("pia", conditions=held), "pia", FROM)
    after = found.character.conditions
    assert dict(after) == ({name: Condition(level=2, since=0)} if kept else {})


@pytest.mark.parametrize("name", ["burning", "suffocating"])
def test_HR_CARRY_1_who_is_in_peril_is_not_carried(name: str) -> None:
    state = opened(PLACES).state.with_creature("pia", conditions=conditions(name))
    with pytest.raises(Refused) as refused:
        carry(state, "pia", FROM)
    assert (refused.value.code, refused.value.rule) == ("in_peril", "HR-CARRY-1")
    assert carry(state, "ash", FROM).character.sheet.id == "ash"


def test_HR_CARRY_1_wounds_are_numbered_from_one_again() -> None:
    state = opened(PLACES).state
    wounds = tuple(Wound(id=f"r{i}/w", rank=i, initial_rank=i) for i in (1, 2))
    found = carry(state.with_creature("pia", wounds=wounds, status="gone"), "pia", FROM).character
    assert [wound.id for wound in found.wounds] == ["carried-1", "carried-2"]
    assert [wound.rank for wound in found.wounds] == [1, 2]
    assert found.status == "active"


def made(frequency: Any) -> Ability:
    """Return an ability that is used so often."""
    return Ability(id="hum", name="Hum", tags=(frequency,))


@pytest.mark.parametrize(
    ("frequency", "spent", "charged"),
    [
        ("at_will", (), True),
        ("major", (), True),
        ("major", ("hum",), False),
        ("weekly", (), True),
        ("monthly", (), True),
    ],
)
def test_HR_ABIL_4_what_is_used_up_is_not_used_again(
    frequency: str, spent: tuple[str, ...], *, charged: bool
) -> None:
    state = opened(PLACES).state.with_creature("pia", spent=spent)
    assert is_charged(state, state.creatures["pia"], made(frequency)) is charged


@pytest.mark.parametrize(
    ("seconds", "status", "faded", "passed"),
    [
        (0, "active", False, False),
        (-6, "active", False, False),
        (1, "active", False, True),
        (6, "active", True, True),
        (6, "dead", False, False),
        (86_400, "active", True, True),
        (86_400, "dead", False, False),
    ],
)
def test_HR_CARRY_2_time_between_two_fights_passes_for_who_lives(
    seconds: int, status: str, *, faded: bool, passed: bool
) -> None:
    state = opened(PLACES).state
    came = Entry(carried=carry(state, "pia", FROM), position=(0, 0), days_between=0)
    state = changed(state, clock_s=seconds)
    state = state.with_creature("pia", conditions=conditions("dazed", level=3), status=status)
    found = types(pass_days(state, came), state)
    assert found == [*["conditions_faded"] * faded, *["days_passed"] * passed]


@pytest.mark.parametrize(
    ("house", "frequency", "before", "after", "charged"),
    [
        ("day", "major", 86_399, 86_400, True),
        ("day", "major", 86_390, 86_399, False),
        ("day", "weekly", 86_399, 86_400, False),
        ("long_rest", "major", 86_399, 86_400, False),
    ],
)
def test_HR_CARRY_2_a_new_day_charges_major_abilities_where_the_house_says_so(
    house: str, frequency: str, before: int, after: int, *, charged: bool
) -> None:
    state = opened(PLACES, options={"major_recharge": house}).state
    state = changed(state, clock_s=before, abilities={"hum": made(frequency)})
    state = state.with_creature("pia", spent=("hum",))
    came = Entry(carried=carry(state, "pia", FROM), position=(0, 0), days_between=0)
    state = changed(state, clock_s=after)
    assert ("heart_recharged" in types(pass_days(state, came), state)) is charged
