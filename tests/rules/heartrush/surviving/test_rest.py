"""Short rests, long rests with their sleeping check, and what they renew (B.21); the clock they move."""

from typing import Any

import pytest

from service.rules.heartrush.creatures.character import Wound
from service.rules.heartrush.surviving.rests_and_healing import Night, sleep_terms
from service.rules.heartrush.timing.clock import day, month, week
from tests.rules.heartrush.kit import Fight, begun, opened

PLACES = {"pia": (0, 0), "ash": (3, 0), "orc": (20, 0)}
INN = {"shelter": "structure", "bedding": "bed", "warmth": "comfortable"}
WARM_GROUND = {"warmth": "comfortable"}


def hurt(*, treated: bool = True, options: dict[str, Any] | None = None) -> Fight:
    """Return Pia as the example of the book has her: 14 hit points, a d4 heart, a wound of 12."""
    wound = Wound(id="w", rank=12, initial_rank=12, treated=treated)
    return opened(PLACES, options=options or {}).given("pia", hp=14, heart_die=4, wounds=(wound,))


def slept(fight: Fight, *faces: int, **night: object) -> Fight:
    """Let Pia sleep for a night, and throw what is asked for."""
    return fight.do("rest", *faces, rest="long", creatures=["pia"], night=night)


def test_HR_V_86_a_bad_night_and_a_good_one() -> None:
    """HR-REST-1/2/3/4/5, HR-WND-8."""
    fight = hurt()
    fight.do("rest", rest="short", creatures=["pia"])
    assert (fight["pia"].heart_die, fight.state.clock_s) == (8, 600)

    slept(fight, 69, 5, **WARM_GROUND)
    assert fight.logged("rested")[-1].check == 99
    assert (fight["pia"].hp, fight["pia"].level("dazed"), fight["pia"].wounds[0].rank) == (21, 1, 12)

    fight.do("advance_clock", hours=16)
    slept(fight, **INN)
    pia = fight["pia"]
    assert (pia.wounds[0].rank, pia.hp, pia.has("dazed"), pia.failed_nights) == (11, 29, False, 0)


@pytest.mark.parametrize(("heal", "rank", "hp"), [(False, 12, 28), (True, 11, 29)])
def test_HR_WND_8_untreated_wounds_do_not_heal_unless_the_house_says_so(
    *, heal: bool, rank: int, hp: int
) -> None:
    """A-27."""
    fight = slept(hurt(treated=False, options={"untreated_wounds_heal": heal}), **INN)
    assert (fight["pia"].wounds[0].rank, fight["pia"].hp) == (rank, hp)


def test_HR_REST_4_a_good_night_renews_heart_die_and_abilities() -> None:
    fight = hurt().given("pia", spent=("cry", "roar"), cooldowns={"cold-snap": 4, "fire": 1})
    slept(fight, 70, **WARM_GROUND)
    pia = fight["pia"]
    assert (pia.heart_die, pia.spent, pia.cooldowns, pia.long_rests) == (8, (), {"cold-snap": 3}, 1)


def test_HR_REST_5_nights_of_bad_sleep_add_up() -> None:
    fight = slept(hurt(), 1, 1, **WARM_GROUND)
    assert fight["pia"].level("weakened") == 1
    fight.do("advance_clock", days=1)
    slept(fight, 1, 3, 6, **WARM_GROUND)
    fight.do("advance_clock", days=1)
    slept(fight, 1, **WARM_GROUND)
    pia = fight["pia"]
    assert {key: pia.level(key) for key in pia.conditions} == {"weakened": 2, "off_balanced": 2, "dazed": 2}
    fight.do("advance_clock", days=1)
    assert slept(fight, **INN)["pia"].conditions == {}


def test_HR_REST_5_half_of_what_is_missing_is_rounded_down() -> None:
    fight = slept(hurt().given("pia", hp=15), 1, 1, **WARM_GROUND)
    assert fight["pia"].hp == 21


@pytest.mark.parametrize(
    ("night", "total"),
    [
        ({"shelter": "structure", "bedding": "bed", "warmth": "comfortable"}, 110),
        ({"shelter": "tent", "bedding": "bedroll", "warmth": "chilly"}, 50),
        ({"warmth": "searing"}, -30),
        ({"warmth": "muggy"}, -10),
        ({"warmth": "freezing"}, -10),
        ({"warmth": "bone_chilling"}, -30),
        ({"warmth": "chilly", "watch": ("pia",)}, -10),
        ({"warmth": "chilly", "dreamwort": ("pia",)}, 30),
        ({"shelter": "tent", "warmth": "chilly", "sleepdraught": ("pia",)}, 60),
        ({"warmth": "freezing", "sleepdraught": ("pia",)}, -20),
    ],
)
def test_HR_REST_3_what_a_sleeping_check_adds(night: dict[str, Any], total: int) -> None:
    assert sum(term.amount for term in sleep_terms(Night(**night), "pia")) == total


def test_HR_REST_3_who_keeps_watch_is_not_sure_to_sleep() -> None:
    fight = slept(hurt(), 10, **INN, watch=["pia"])
    assert fight.logged("rested")[-1].check == 100


def test_HR_REST_2_one_long_rest_a_day_of_seven_hours_at_least() -> None:
    fight = hurt()
    short = fight.send("rest", "gm", rest="long", creatures=["pia"], hours=6, night=INN)
    assert short.refusal is not None
    assert short.refusal.code == "params_missing"
    slept(fight, **INN)
    assert fight.state.clock_s == 8 * 3600
    assert fight.refused("rest", rest="long", creatures=["pia"], night=INN) == "already_rested"
    fight.do("rest", rest="long", creatures=["ash"], night=INN)
    fight.do("advance_clock", hours=1)
    slept(fight, **INN)
    assert fight["pia"].long_rests == 2


def test_HR_REST_1_nobody_rests_in_combat() -> None:
    fight = begun(PLACES)
    assert fight.refused("rest", rest="short") == "in_combat"
    assert begun(PLACES).do("end_combat").do("rest", rest="short").state.clock_s == 600


def test_HR_REST_4_a_night_wakes_the_unconscious_if_wounds_let_it() -> None:
    fight = opened(PLACES).given("pia", hp=-5, down_since_s=0).given("ash", hp=-5, down_since_s=0)
    fight.given("ash", wounds=(Wound(id="w", rank=45, initial_rank=45),))
    fight.do("rest", rest="long", creatures=["pia", "ash"], night=INN)
    assert [event.reason for event in fight.logged("unconscious")] == ["ten_minutes", "ten_minutes"]
    assert (fight["pia"].hp, fight["pia"].status) == (40, "active")
    assert (fight["ash"].hp, fight["ash"].status) == (-5, "unconscious")


@pytest.mark.parametrize(("recharge", "left"), [("long_rest", ("cry",)), ("any_rest", ())])
def test_A_32_which_rests_charge_heart_abilities(recharge: str, left: tuple[str, ...]) -> None:
    fight = hurt(options={"heart_recharge": recharge}).given("pia", spent=("cry",))
    fight.do("rest", rest="short", creatures=["pia"])
    assert fight["pia"].spent == left


def test_HR_REST_1_a_short_rest_frees_a_spell_that_waits_for_no_long_one() -> None:
    fight = hurt().given("pia", cooldowns={"fire": 0, "cold-snap": 2})
    fight.do("rest", rest="short", creatures=["pia"])
    assert fight["pia"].cooldowns == {"cold-snap": 2}


# --- the clock -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seconds", "days", "weeks", "months"),
    [(0, 1, 1, 1), (86_399, 1, 1, 1), (86_400, 2, 1, 1), (7 * 86_400, 8, 2, 1), (30 * 86_400, 31, 5, 2)],
)
def test_the_clock_counts_days_weeks_and_months(seconds: int, days: int, weeks: int, months: int) -> None:
    assert (day(seconds), week(seconds), month(seconds)) == (days, weeks, months)


def test_only_the_gm_moves_the_clock_and_only_forward() -> None:
    fight = opened(PLACES)
    fight.do("advance_clock", days=2, hours=3, minutes=4, seconds=5, reason="a long walk")
    assert fight.state.clock_s == 2 * 86_400 + 3 * 3600 + 4 * 60 + 5
    decision = fight.send("advance_clock", "zoe", days=1)
    assert decision.refusal is not None
    assert decision.refusal.code == "not_gm"
    assert fight.refused("advance_clock") == "params_missing"
    assert fight.refused("advance_clock", days=1, hours=-1) == "malformed"
    assert fight.refused("advance_clock", days=401) == "malformed"


@pytest.mark.parametrize(("recharge", "left"), [("long_rest", ("adrenaline-spike",)), ("day", ())])
def test_A_32_a_new_day_charges_major_abilities_where_the_house_says_so(
    recharge: str, left: tuple[str, ...]
) -> None:
    sheets = {"pia": {"abilities": ["adrenaline-spike", "battlescreech"]}}
    fight = opened(PLACES, sheets=sheets, options={"major_recharge": recharge})
    fight.given("pia", spent=("adrenaline-spike", "battlescreech"))
    fight.do("advance_clock", hours=23)
    assert fight["pia"].spent == ("adrenaline-spike", "battlescreech")
    fight.do("advance_clock", hours=1)
    assert fight["pia"].spent == (*left, "battlescreech")


def test_HR_REST_4_weekly_abilities_are_not_renewed_by_a_night() -> None:
    """HR-ABIL-6: only heart and major ones are."""
    sheets = {"pia": {"abilities": ["adrenaline-spike", "battlescreech", "curseweaver"]}}
    fight = opened(PLACES, sheets=sheets)
    fight.given("pia", spent=("adrenaline-spike", "battlescreech"), last_used={"curseweaver": 0})
    slept(fight, **INN)
    assert (fight["pia"].spent, fight["pia"].last_used) == ((), {"curseweaver": 0})


@pytest.mark.parametrize("night", [{"shelter": "structure", "bedding": "bed"}, {}])
def test_HR_ZERO_5_a_night_wakes_whom_something_else_than_wounds_has_felled(night: dict[str, str]) -> None:
    """With all its hit points there is nothing to heal, and it is above zero all the same."""
    fight = opened({"pia": (0, 0), "orc": (9, 9)})
    fight.do(
        "gm_ruling", kind="effect", decision="asleep", effects=[{"kind": "knock_out", "creature": "pia"}]
    )
    assert [event.reason for event in fight.logged("unconscious")] == ["effect"]
    fight.do("rest", rest="long", creatures=["pia"], night=night)
    if not night:
        fight.throw(1, 1)
    assert fight["pia"].status == "active"
