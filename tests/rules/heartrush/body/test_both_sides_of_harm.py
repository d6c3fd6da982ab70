"""Both sides of each bound of damage, healing, rest and hazards, asked of the rule itself."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.heartrush.body.damage import DamageFrame, burn, take
from service.rules.heartrush.body.wounds import heal
from service.rules.heartrush.creatures.character import Condition, Wound
from service.rules.heartrush.timing.clock import day
from service.rules.ruleset import waiting
from tests.rules.heartrush.kit import begun, opened
from tests.rules.heartrush.sides import MALFORMED, PLACES, emitted, refusal_of, types

BESIDE = {"pia": (0, 0), "ash": (1, 0), "orc": (10, 0)}
CUT = Wound(id="w1", rank=2, initial_rank=2)


@pytest.mark.parametrize(
    ("hp", "final", "events"),
    [
        (9, 0, ["damage_applied"]),
        (9, 1, ["damage_applied"]),
        (9, 4, ["damage_applied"]),
        (9, 5, ["damage_applied", "wound_marked"]),
        (3, 3, ["damage_applied", "fell_to_zero"]),
        (0, 3, ["damage_applied"]),
        (5, 5, ["damage_applied", "wound_marked", "fell_to_zero"]),
        (-30, 9, ["damage_applied", "wound_marked"]),
        (-35, 5, ["damage_applied", "wound_marked", "died"]),
        (-35, 4, ["damage_applied"]),
    ],
)
def test_HR_DMG_4_and_HR_DMG_5_damage_is_taken_then_wounds_then_fells(
    hp: int, final: int, events: list[str]
) -> None:
    fight = begun(PLACES, sheets={"pia": {"hp_max": 40, "wound_threshold": 5}}).given("pia", hp=hp)
    frame = DamageFrame(path="r1/d", creature="pia", amount=9, source="orc", cause="attack")
    state = fight.state.pushed(frame)
    found = emitted(take(state, frame, final), state)
    assert [event.type for event in found] == events
    assert (found[0].amount, found[0].hp, found[0].note) == (final, hp - final, None)


@pytest.mark.parametrize(("final", "saves"), [(0, False), (1, True)])
def test_HR_DMG_4_what_follows_damage_follows_none_of_0(final: int, *, saves: bool) -> None:
    """HR-COND-23: a climber that is hurt saves, one that is not does not."""
    fight = begun(PLACES, sheets={"orc": {"size": "l2", "weapons": []}})
    fight.given("pia", conditions={"creature_climber": Condition(source="orc")})
    fight.given("orc", conditions={"climbed_on": Condition(source="pia")})
    frame = DamageFrame(path="r1/d", creature="pia", amount=final, source="ash", cause="attack")
    state = fight.state.pushed(frame)
    found = types(take(state, frame, final), state)
    assert found[0] == "damage_applied"
    assert (len(found) > 1) is saves


def test_HR_COND_19_each_fire_has_its_own_number() -> None:
    fight = begun(PLACES)
    (event,) = emitted(burn(fight.state, "pia", 2), fight.state)
    assert (event.burn, event.creature, event.levels) == ("r1/burn/pia-1", "pia", 2)
    ruling = {"kind": "condition", "creature": "orc", "condition": "burning", "levels": 2}
    fight.send("gm_ruling", "gm", kind="effect", decision="oil", effects=[ruling])
    caught = fight.logged("fire_caught")
    assert [each.burn for each in caught] == ["r1/burn/orc-1"]


@pytest.mark.parametrize(
    ("status", "hp", "amount", "events", "after"),
    [
        ("active", 5, 3, ["healed"], 8),
        ("active", 5, 0, [], 5),
        ("active", 5, -3, [], 5),
        ("active", 39, 3, ["healed"], 40),
        ("active", 42, 3, ["healed"], 42),
        ("dead", 5, 3, [], 5),
        ("dead", 5, 0, [], 5),
        ("unconscious", -3, 3, ["healed"], 0),
        ("unconscious", -3, 4, ["healed", "woke"], 1),
        ("unconscious", -3, 0, [], -3),
    ],
)
def test_HR_REST_6_and_HR_WND_1_healing_stops_at_the_cap_and_wakes(
    status: str, hp: int, amount: int, events: list[str], after: int
) -> None:
    fight = begun(PLACES, sheets={"pia": {"hp_max": 40}}).given("pia", hp=hp, status=status)
    found = emitted(heal(fight.state, "pia", amount, "ash"), fight.state)
    assert [event.type for event in found] == events
    if found:
        assert (found[0].amount, found[0].hp, found[0].source) == (amount, after, "ash")
        assert found[0].gained == after - hp, "what it really regained"


@pytest.mark.parametrize("amount", [0, -3])
def test_HR_REST_6_whose_hit_points_are_gm_only_is_healed_by_none(amount: int) -> None:
    fight = begun(PLACES).given("orc", gm_only=("hp_max",))
    found = emitted(heal(fight.state, "orc", amount), fight.state)
    assert [(event.type, event.amount) for event in found] == [("healed", 0)]
    fight.given("orc", status="dead")
    assert not emitted(heal(fight.state, "orc", amount), fight.state)


# --- rest ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hours", "code"),
    [(6, "params_missing"), (7, None), (8, None), (24, None), (25, "params_missing"), (0, "params_missing")],
)
def test_HR_REST_2_a_long_rest_takes_7_to_24_hours(hours: int, code: str | None) -> None:
    fight = opened(BESIDE)
    found = refusal_of(fight, "gm", "rest", rest="long", hours=hours, creatures=["pia"])
    assert found == (code and (code, "HR-REST-2"))
    short = refusal_of(opened(BESIDE), "gm", "rest", rest="short", hours=hours)
    assert short is None, "hours are those of a night"


@pytest.mark.parametrize(
    ("status", "code"),
    [("active", None), ("unconscious", None), ("dead", "dead"), ("gone", "dead")],
)
def test_HR_ZERO_4_the_dead_do_not_rest(status: str, code: str | None) -> None:
    """HR-REST-2."""
    fight = opened(BESIDE).given("pia", status=status)
    found = refusal_of(fight, "gm", "rest", rest="short", creatures=["pia"])
    assert found == (code and (code, "HR-ZERO-4"))
    assert refusal_of(fight, "gm", "rest", rest="short") is None, "everybody alive"
    rested = [event.creature for event in fight.logged("rested")]
    assert ("pia" in rested) is (code is None)


@pytest.mark.parametrize(
    ("who", "ago", "code"), [("pia", 0, "already_rested"), ("pia", 1, None), ("ash", 0, None)]
)
def test_HR_REST_2_a_creature_has_one_long_rest_a_day(who: str, ago: int, code: str | None) -> None:
    fight = opened(BESIDE).given(who, last_long_rest_day=day(7 * 3600) - ago)
    found = refusal_of(fight, "gm", "rest", rest="long", hours=7, creatures=["pia"])
    assert found == (code and (code, "HR-REST-2"))
    assert refusal_of(fight, "gm", "rest", rest="short", creatures=["pia"]) is None or not code


@pytest.mark.parametrize(
    ("failed", "sides", "gained"),
    [
        (0, ["sleepless:d6"], ["off_balanced"]),
        (1, ["sleepless:d6", "sleepless:d6"], ["off_balanced", "off_balanced"]),
        (2, [], ["weakened", "off_balanced", "dazed"]),
        (3, [], ["weakened", "off_balanced", "dazed"]),
    ],
)
def test_HR_REST_5_a_bad_night_brings_one_to_three_levels(
    failed: int, sides: list[str], gained: list[str]
) -> None:
    fight = opened(BESIDE, sheets={"pia": {"hp_max": 40}}).given(
        "pia", failed_nights=failed, hp=31, heart_die=4
    )
    night = {"warmth": "bone_chilling"}
    fight.do("rest", 50, rest="long", creatures=["pia"], night=night)
    asked = list(waiting(fight.state)[0].wants) if waiting(fight.state) else []
    assert [each for each in asked if each.startswith("sleepless")] == sides
    fight.throw(*[4] * len(sides))
    (rested,) = fight.logged("rested")
    assert (rested.rest, rested.success, rested.check, rested.heart_die) == ("long", False, 20, 4)
    assert rested.because == ("HR-REST-2", "HR-REST-5")
    assert [(each.condition, each.levels) for each in fight.logged("condition_gained")] == [
        (name, 1) for name in gained
    ]
    assert [each.amount for each in fight.logged("healed")] == [4]


def test_HR_REST_4_and_HR_REST_5_a_good_night_ends_what_bad_ones_brought() -> None:
    """HR-REST-2."""
    bad = {"weakened": Condition(), "off_balanced": Condition(), "dazed": Condition(), "blinded": Condition()}
    fight = opened(BESIDE, sheets={"pia": {"hp_max": 40}})
    fight.given("pia", conditions=bad, hp=31, heart_die=4)
    fight.do("rest", 99, rest="long", creatures=["pia"], night={"warmth": "comfortable"})
    (rested,) = fight.logged("rested")
    assert (rested.rest, rested.success, rested.check, rested.heart_die) == ("long", True, 129, 8)
    assert rested.because == ("HR-REST-2", "HR-REST-4")
    assert not {"weakened", "off_balanced", "dazed"} & set(fight["pia"].conditions)
    assert [each.amount for each in fight.logged("healed")] == [9]


# --- treating wounds -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("patient", "changes", "data", "refusal"),
    [
        ("pia", {}, {}, None),
        ("ash", {}, {"patient": "ash"}, ("wound_none", "HR-WND-4")),
        ("pia", {}, {"patient": "elf"}, ("no_such_creature", "TABLE-SEAT-1")),
        ("pia", {"status": "dead"}, {}, ("target_dead", "HR-WND-4")),
        ("pia", {"status": "unconscious"}, {}, None),
        (
            "pia",
            {"wounds": (Wound(id="w1", rank=1, initial_rank=2, treated=True),)},
            {},
            ("already_treated", "HR-WND-7"),
        ),
        ("pia", {"position": (9, 9)}, {}, None),
        ("pia", {}, {"ability": "might"}, ("params_missing", "HR-WND-4")),
    ],
)
def test_HR_WND_4_whose_wounds_are_treated_at_leisure(
    patient: str, changes: dict[str, Any], data: dict[str, Any], refusal: tuple[str, str] | None
) -> None:
    fight = opened(BESIDE).given("pia", wounds=(CUT,)).given(patient, **changes)
    asked = {"creature": "ash", "patient": "pia", **data}
    assert refusal_of(fight, "gm", "treat_wounds", **asked) == ("not_your_creature", "TABLE-SEAT-1")
    assert refusal_of(fight, "zoe", "treat_wounds", **asked) == refusal
    if refusal is None:
        (begins,) = fight.logged("treatment_begun")
        assert (begins.healer, begins.patient, begins.ability) == ("ash", "pia", "cunning")
        assert not fight.logged("ability_used")


@pytest.mark.parametrize(
    ("allowed", "changes", "refusal"),
    [
        (True, {}, None),
        (False, {}, ("in_combat", "HR-WND-4")),
        (True, {"action": 0}, ("action_spent", "HR-ACT-1")),
        (True, {"position": (2, 0)}, ("not_adjacent", "HR-WND-4")),
        (True, {"position": (1, 1)}, None),
    ],
)
def test_HR_WND_4_in_combat_a_treatment_is_an_action_beside_the_patient(
    changes: dict[str, Any], refusal: tuple[str, str] | None, *, allowed: bool
) -> None:
    fight = begun(BESIDE, options={"treat_in_combat": allowed})
    fight.given("pia", wounds=(CUT,)).given("ash", **changes)
    asked = {"creature": "ash", "patient": "pia"}
    assert refusal_of(fight, "gm", "treat_wounds", **asked) == ("not_your_creature", "TABLE-SEAT-1")
    assert refusal_of(fight, "zoe", "treat_wounds", **asked) == refusal
    used = [(event.ability, event.paid) for event in fight.logged("ability_used")]
    assert used == ([] if refusal else [("treat_wounds", "action")])


def test_HR_WND_4_who_has_no_priority_treats_nobody() -> None:
    fight = begun(BESIDE, first="enemies", options={"treat_in_combat": True}).given("pia", wounds=(CUT,))
    found = refusal_of(fight, "zoe", "treat_wounds", creature="ash", patient="pia")
    assert (found and found[0]) == "no_priority"


@pytest.mark.parametrize("face", [1, 5])
def test_HR_WND_4_a_check_takes_its_total_off_each_wound(face: int) -> None:
    deep = Wound(id="w2", rank=20, initial_rank=20)
    fight = opened(BESIDE).given("pia", wounds=(CUT, deep))
    fight.do("treat_wounds", creature="ash", patient="pia")
    fight.throw(*[face] * len(waiting(fight.state)[0].wants))
    (event,) = fight.logged("wound_treated")
    assert (event.creature, event.healer) == ("pia", "ash")
    assert event.total >= 0
    assert fight.logged("treatment_done")
    assert all(wound.treated for wound in fight["pia"].wounds)
    assert [w.rank for w in fight["pia"].wounds] == [r for r in (2 - event.total, 20 - event.total) if r > 0]


@pytest.mark.parametrize(
    ("wounds", "wound", "code"),
    [
        (("w1",), "w1", None),
        (("w1", "w2"), "w1", None),
        (("w1", "w2"), "w2", None),
        (("w1",), "w2", "wound_none"),
        ((), "w1", "wound_none"),
    ],
)
def test_HR_WND_2_the_gm_describes_one_of_the_wounds(
    wounds: tuple[str, ...], wound: str, code: str | None
) -> None:
    fight = opened(BESIDE).given("pia", wounds=tuple(Wound(id=w, rank=2, initial_rank=2) for w in wounds))
    found = refusal_of(fight, "gm", "describe_wound", creature="pia", wound=wound, description="a cut")
    assert (found and found[0]) == code
    told = {each.id: each.description for each in fight["pia"].wounds}
    assert [name for name, text in told.items() if text == "a cut"] == ([] if code else [wound])


# --- hazards ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({}, None),
        ({"what": "x" * 200}, None),
        ({"what": "x" * 201}, "malformed"),
        ({"what": ""}, "params_missing"),
        ({"damage": 0}, "params_missing"),
        ({"damage": 0, "dice": [6]}, None),
        ({"damage": 1, "dice": []}, None),
        ({"damage": -1}, "malformed"),
        ({"cn": 200}, None),
        ({"cn": 201}, "params_missing"),
        ({"cn": 0}, None),
    ],
)
def test_HR_ENV_9_a_hazard_has_a_number_words_and_damage(changes: dict[str, Any], code: str | None) -> None:
    data = {"creature": "pia", "what": "a trap", "ability": "agility", "cn": 8, "damage": 4, **changes}
    fight = opened(BESIDE)
    if code == "malformed":
        assert refusal_of(fight, "gm", "hazard", **data) == MALFORMED
        return
    assert refusal_of(fight, "gm", "hazard", **data) == (code and (code, "HR-ENV-9"))
    assert refusal_of(fight, "zoe", "hazard", **data) == ("not_gm", "HR-SVC-1")


@pytest.mark.parametrize(("faces", "taken"), [((1, 1), 4), ((8, 6), 0)])
def test_HR_ENV_9_the_saving_throw_spares_the_damage(faces: tuple[int, ...], taken: int) -> None:
    fight = opened(BESIDE)
    data = {"creature": "pia", "what": "a trap", "ability": "agility", "cn": 8, "damage": 4}
    fight.send("hazard", "gm", **data)
    (begins,) = fight.logged("effects_begun")
    (trial,) = begins.order
    assert (begins.effects, begins.source, begins.cause) == ("r0/hazard-1", None, "hazard")
    assert (trial.creature, trial.ability, trial.what, trial.cn, trial.save) == (
        "pia",
        "agility",
        "a trap",
        8,
        True,
    )
    fight.throw(*faces)
    assert [event.amount for event in fight.logged("damage_pending")] == ([taken] if taken else [])
