"""Who sends what in Heart Rush, and the code and rule of its refusal."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.heartrush.creatures.character import Condition, Wound
from service.rules.heartrush.creatures.sheet import Coat, Complication, Poison
from service.rules.heartrush.surviving.poison import is_potent
from service.rules.kernel.records import changed
from tests.rules.heartrush.kit import Fight, begun, opened
from tests.rules.heartrush.sides import PLACES, refusal_of

# --- beginning -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("by", "type_", "data", "code", "rule"),
    [
        ("zoe", "begin_combat", {}, "not_gm", "HR-SVC-1"),
        ("gm", "begin_combat", {"unaware_side": "elves"}, "no_such_side", "HR-START-1"),
        ("gm", "begin_combat", {"surprised": ["elf"]}, "no_such_creature", "HR-START-1"),
        ("gm", "begin_combat", {"hidden": {"elf": ["pia"]}}, "no_such_creature", "HR-START-9"),
        ("gm", "begin_combat", {"hidden": {"pia": ["elf"]}}, "no_such_creature", "HR-START-9"),
        ("gm", "grant_priority", {}, "no_encounter", "HR-START-4"),
    ],
)
def test_HR_START_1_and_HR_START_4_a_fight_begins_with_those_who_are_there(
    by: str, type_: str, data: dict[str, Any], code: str, rule: str
) -> None:
    assert refusal_of(opened(PLACES), by, type_, **data) == (code, rule)


def test_HR_START_1_each_side_has_somebody() -> None:
    """HR-START-1: one creature is enough, and none is not."""
    assert refusal_of(opened({"pia": (0, 0), "ash": (1, 0)}), "gm", "begin_combat") == (
        "side_empty",
        "HR-START-1",
    )
    assert refusal_of(opened({"pia": (0, 0), "orc": (1, 0)}), "gm", "begin_combat") is None


@pytest.mark.parametrize(
    ("by", "starter", "code", "rule"),
    [
        ("zoe", None, "not_gm", "HR-SVC-1"),
        ("gm", "elf", "no_such_creature", "HR-START-4"),
        ("gm", "ash", None, None),
    ],
)
def test_HR_START_4_the_gm_grants_the_first_priority(
    by: str, starter: str | None, code: str | None, rule: str | None
) -> None:
    fight = opened(PLACES).do("begin_combat", unaware_side="enemies")
    assert refusal_of(fight, by, "grant_priority", starter=starter) == (code and (code, rule))
    if code is None:
        assert fight.logged("priority_granted")[0].starter == "ash"
        assert refusal_of(fight, "gm", "grant_priority") == ("priority_granted_already", "HR-START-4")


@pytest.mark.parametrize(("face", "side"), [(1, "enemies"), (3, "enemies"), (4, "players"), (6, "players")])
def test_HR_START_3_a_d6_decides_who_begins(face: int, side: str) -> None:
    fight = opened(PLACES).do("begin_combat").do("grant_priority", face)
    assert fight.state.priority_side == side
    assert [die.sides for roll in fight.rolls for die in roll.dice] == [6]


# --- words and numbers of the gm -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("item", "code"),
    [
        ("x", None),
        ("x" * 120, None),
        ("x" * 121, "malformed"),  # the bound of what things are called
        ("", "params_missing"),
        (None, "params_missing"),
    ],
)
def test_HR_ACT_9_what_is_handled_is_said_in_a_few_words(item: str | None, code: str | None) -> None:
    found = refusal_of(begun(PLACES), "zoe", "object", creature="pia", verb="handle", item=item)
    assert found == ((code, "HR-ACT-9") if code == "params_missing" else code and (code, None))


@pytest.mark.parametrize(
    ("amount", "code"),
    [(0, "params_missing"), (1, None), (1000, None), (1001, "params_missing"), (-1, "malformed")],
)
def test_HR_XP_1_an_award_has_bounds(amount: int, code: str | None) -> None:
    found = refusal_of(opened(PLACES), "gm", "award_xp", creatures=["pia"], amount=amount)
    assert found == ((code, "HR-XP-1") if code == "params_missing" else code and (code, None))


@pytest.mark.parametrize(
    ("heals", "kind", "healed"),
    [(True, "hit_points", 1), (False, "hit_points", 0), (True, "aspect_new", 0), (False, "aspect_new", 0)],
)
def test_HR_XP_2_bought_hit_points_heal_where_the_house_says_so(
    kind: str, healed: int, *, heals: bool
) -> None:
    fight = opened(PLACES, options={"hp_purchase_heals": heals})
    fight.do("award_xp", creatures=["pia"], amount=100)
    fight.do("spend_xp", creature="pia", purchase={"kind": kind, "text": "old"})
    (event,) = fight.logged("xp_spent")
    assert (event.healed > 0) is bool(healed)
    assert event.because[0] == "HR-XP-2"


def test_HR_XP_2_the_dead_buy_nothing() -> None:
    fight = opened(PLACES).do("award_xp", creatures=["pia"], amount=100).given("pia", status="dead")
    found = refusal_of(fight, "zoe", "spend_xp", creature="pia", purchase={"kind": "hit_points"})
    assert (found and found[0]) == "dead"


@pytest.mark.parametrize(("until", "works"), [(None, True), (101, True), (100, False), (99, False)])
def test_HR_POIS_3_a_coat_works_until_its_time(until: int | None, *, works: bool) -> None:
    state = changed(begun(PLACES).state, clock_s=100)
    assert is_potent(state, Coat(poison=Poison(id="asp"), until_s=until)) is works


@pytest.mark.parametrize(
    ("text", "code"), [("", "params_missing"), ("x", None), ("x" * 280, None), ("x" * 281, "params_missing")]
)
def test_HR_GEN_7_and_HR_WND_2_a_complication_and_a_wound_are_described_in_1_to_280_characters(
    text: str, code: str | None
) -> None:
    pending = Complication(id="k1", creature="pia", what="lift it")
    wound = Wound(id="w1", rank=2, initial_rank=2)
    fight = begun(PLACES).with_table(complications=(pending,)).given("pia", wounds=(wound,))
    told = refusal_of(fight, "gm", "tell_complication", complication="k1", text=text)
    assert told == (code and (code, "HR-GEN-7"))
    assert len(fight.state.complications) == (1 if code else 0)
    described = refusal_of(fight, "gm", "describe_wound", creature="pia", wound="w1", description=text)
    assert described == (code and (code, "HR-WND-2"))
    assert fight["pia"].wounds[0].description == ("wound" if code else text)


@pytest.mark.parametrize(
    ("by", "type_", "data", "code", "rule"),
    [
        ("zoe", "tell_complication", {"complication": "k1", "text": "x"}, "not_gm", "HR-SVC-1"),
        ("gm", "tell_complication", {"complication": "k1", "text": "x"}, "no_such_complication", "HR-GEN-7"),
        (
            "zoe",
            "describe_wound",
            {"creature": "pia", "wound": "w1", "description": "x"},
            "not_gm",
            "HR-SVC-1",
        ),
        (
            "gm",
            "describe_wound",
            {"creature": "pia", "wound": "w2", "description": "x"},
            "wound_none",
            "HR-WND-2",
        ),
        (
            "gm",
            "describe_wound",
            {"creature": "orc", "wound": "w1", "description": "x"},
            "wound_none",
            "HR-WND-4",
        ),
        ("zoe", "rest", {"rest": "short"}, "not_gm", "HR-SVC-1"),
        ("gm", "rest", {"rest": "long", "hours": 6}, "params_missing", "HR-REST-2"),
        ("zoe", "award_xp", {"creatures": ["pia"], "amount": 1}, "not_gm", "HR-SVC-1"),
        ("gm", "award_xp", {"creatures": [], "amount": 1}, "params_missing", "HR-XP-1"),
        (
            "zoe",
            "coat_weapon",
            {"creature": "pia", "weapon": "fork", "poison": "asp"},
            "weapon_not_wielded",
            "HR-POIS-1",
        ),
        (
            "zoe",
            "coat_weapon",
            {"creature": "pia", "weapon": "mace", "poison": "elf"},
            "no_poison_dose",
            "HR-POIS-1",
        ),
        (
            "gm",
            "coat_weapon",
            {"creature": "pia", "weapon": "mace", "poison": "asp"},
            "not_your_creature",
            "TABLE-SEAT-1",
        ),
        ("zoe", "treat_wounds", {"creature": "orc", "patient": "pia"}, "not_your_creature", "TABLE-SEAT-1"),
        ("zoe", "treat_wounds", {"creature": "ash", "patient": "orc"}, "wound_none", "HR-WND-4"),
        ("gm", "fall", {"creature": "gone", "feet": 10}, "target_dead", "HR-ENV-9"),
        (
            "gm",
            "hazard",
            {"creature": "gone", "what": "x", "ability": "might", "cn": 8},
            "target_dead",
            "HR-ENV-9",
        ),
    ],
)
def test_HR_REST_2_HR_WND_4_HR_POIS_1_and_HR_SVC_1_at_leisure_it_is_refused(
    by: str, type_: str, data: dict[str, Any], code: str, rule: str
) -> None:
    poisons = [{"id": "asp", "doses": 1}]
    places = {**PLACES, "gone": (20, 20)}
    fight = opened(places, sheets={"pia": {"poisons": poisons}, "gone": {"like": "wolf"}})
    fight.given("pia", wounds=(Wound(id="w1", rank=2, initial_rank=2),)).given("gone", status="dead")
    assert refusal_of(fight, by, type_, **data) == (code, rule)


@pytest.mark.parametrize("status", ["unconscious", "dead"])
def test_HR_ZERO_6_and_HR_POIS_1_who_is_not_awake_coats_no_weapon(status: str) -> None:
    fight = opened(PLACES, sheets={"pia": {"poisons": [{"id": "asp", "doses": 1}]}})
    coating = {"creature": "pia", "weapon": "mace", "poison": "asp"}
    fight.given("pia", status=status)
    assert refusal_of(fight, "zoe", "coat_weapon", **coating) == ("unconscious", "HR-ZERO-6")
    fight.given("pia", status="active")
    assert refusal_of(fight, "zoe", "coat_weapon", **coating) is None
    assert fight["pia"].doses["asp"] == 0


@pytest.mark.parametrize(
    ("cn", "refusal"),
    [(-1, ("malformed", None)), (0, None), (200, None), (201, ("params_missing", "HR-ENV-9"))],
)
def test_HR_ENV_9_a_trap_has_a_number_to_200(cn: int, refusal: tuple[str, str | None] | None) -> None:
    data = {"creature": "pia", "what": "a trap", "ability": "agility", "cn": cn, "damage": 1}
    assert refusal_of(opened(PLACES), "gm", "hazard", **data) == refusal


def test_HR_REST_1_a_short_rest_brings_the_heart_die_back() -> None:
    fight = opened(PLACES).given("pia", heart_die=4, hp=1).do("rest", rest="short", creatures=["pia"])
    (event,) = fight.logged("rested")
    assert (event.rest, event.success, event.heart_die) == ("short", True, fight["pia"].sheet.heart_die)
    assert fight["pia"].heart_die == fight["pia"].sheet.heart_die > 4


# --- prompts ---------------------------------------------------------------------------------------------

NEAR = {"pia": (0, 0), "ash": (0, 1), "bru": (1, 1), "orc": (1, 0)}


def engaged() -> Fight:
    """Return a fight in which Pia has engaged the orc, and Ash and Bru may join."""
    return begun(NEAR).do("engage", creature="pia", target="orc")


@pytest.mark.parametrize("type_", ["join_engagement", "decline_join"])
def test_HR_ACT_12_who_joins_answers_its_own_prompt_while_it_waits(type_: str) -> None:
    fight = engaged()
    ash, bru = fight.prompt("ash"), fight.prompt("bru")
    for prompt, code in ((bru, "not_your_prompt"), ("r1/none", "join_window_closed")):
        found = refusal_of(fight, "zoe", type_, creature="ash", prompt=prompt)
        assert (found and found[0]) == code
    assert refusal_of(fight, "zoe", type_, creature="pia", prompt=ash) == (
        "already_in_engagement",
        "HR-ENG-5",
    )
    before = fight["ash"].action
    assert refusal_of(fight, "zoe", type_, creature="ash", prompt=ash) is None
    assert before - fight["ash"].action == (1 if type_ == "join_engagement" else 0)
    fight.joined_by()
    found = refusal_of(fight, "zoe", type_, creature="bru", prompt=bru)
    assert found == ("join_window_closed", "HR-ACT-12")


def test_HR_ENG_5_who_has_no_action_left_does_not_join() -> None:
    fight = engaged()
    prompt = fight.prompt("ash")
    fight.given("ash", action=0)
    found = refusal_of(fight, "zoe", "join_engagement", creature="ash", prompt=prompt)
    assert (found and found[0]) == "action_spent"


def test_HR_ACT_5_an_engagement_takes_an_action() -> None:
    fight = engaged()
    (used,) = fight.logged("ability_used")
    assert (used.creature, used.ability, used.paid) == ("pia", "engage", "action")
    assert fight["pia"].action == 0


def test_HR_STANCE_1_a_stance_is_chosen_once_and_while_stances_are_chosen() -> None:
    fight = engaged()
    early = refusal_of(fight, "zoe", "choose_stance", creature="pia", prompt="r1/none", stance="might")
    assert early == ("stances_not_complete", "HR-STANCE-1")
    fight.joined_by("ash")
    pia, ash = fight.prompt("pia"), fight.prompt("ash")
    assert refusal_of(fight, "zoe", "choose_stance", creature="bru", prompt=pia, stance="might") == (
        "not_in_engagement",
        "HR-STANCE-1",
    )
    found = refusal_of(fight, "zoe", "choose_stance", creature="pia", prompt=ash, stance="might")
    assert (found and found[0]) == "not_your_prompt"
    fight.stances(pia="agility")
    found = refusal_of(fight, "zoe", "choose_stance", creature="pia", prompt=pia, stance="might")
    assert found == ("stance_already_committed", "HR-STANCE-1")


def test_TABLE_SEAT_1_nobody_answers_the_prompt_of_another_creature_of_its_seat() -> None:
    fight = engaged().joined_by("ash").stances(pia="agility", ash="agility", orc="defensive")
    pia, ash = fight.prompt("pia"), fight.prompt("ash")
    not_yours = ("not_your_prompt", "TABLE-SEAT-1")
    agility = {"order": "attack_first", "target": "orc"}
    assert refusal_of(fight, "zoe", "declare_agility", creature="pia", prompt=ash, **agility) == not_yours
    assert refusal_of(fight, "gm", "declare_agility", creature="orc", prompt=pia, **agility) is not None


def test_HR_ACT_13_who_trips_answers_a_prompt_about_one_that_is_off_balance() -> None:
    places = {"pia": (0, 0), "ash": (9, 0), "orc": (0, 3), "wolf": (9, 3)}
    fight = begun(places, first="enemies").given("orc", conditions={"off_balanced": Condition()})
    without = ("no_trip_trigger", "HR-ACT-13")
    for target in ("elf", "wolf", "orc"):
        assert refusal_of(fight, "zoe", "trip", creature="pia", target=target) == without
    fight.do("dash", creature="orc", to=[0, -1])
    prompt = fight.prompt("pia")
    assert refusal_of(fight, "zoe", "trip", creature="pia", target="wolf", prompt=prompt) == without
    assert refusal_of(fight, "zoe", "trip", creature="pia", target="elf", prompt=prompt) == without
    assert refusal_of(fight, "zoe", "trip", creature="pia", target="orc", prompt=prompt) is None
    used = fight.logged("ability_used")[-1]
    assert (used.ability, used.paid, used.instant) == ("trip", "action", True)
