"""Experience is awarded with a reason and spent at prices the rules work out (B.22)."""

from typing import Any

import pytest

from tests.heartrush.kit import Fight, begun, opened

PLACES = {"pia": (0, 0), "ash": (3, 0), "orc": (20, 0)}


def rich(xp: int = 100, options: dict[str, Any] | None = None, **growth: object) -> Fight:
    """Return a fight not yet begun in which Pia has experience to spend."""
    sheets = {"pia": {"growth": {"xp_total": xp, "xp_unspent": xp, **growth}}}
    return opened(PLACES, sheets=sheets, options=options or {})


def bought(fight: Fight, **purchase: object) -> int:
    """Let Pia buy something; return what it cost."""
    fight.do("spend_xp", creature="pia", purchase=purchase)
    price: int = fight.told("xp_spent")[-1].price
    return price


def refused(fight: Fight, **purchase: object) -> str:
    """Return the code with which a purchase of Pia is refused."""
    return fight.refused("spend_xp", creature="pia", purchase=purchase)


@pytest.mark.parametrize(
    ("total", "award", "largest"),
    [(199, 1, 10), (198, 1, 8), (499, 1, 12), (999, 1, 20), (0, 1000, 20)],
)
def test_HR_V_88_the_heart_die_grows_with_all_experience(total: int, award: int, largest: int) -> None:
    """HR-XP-9: also where all of it was spent."""
    sheets = {"pia": {"growth": {"xp_total": total, "xp_unspent": 0}}}
    fight = opened(PLACES, sheets=sheets).do("award_xp", creatures=["pia"], amount=award)
    assert (fight["pia"].sheet.heart_die, fight["pia"].heart_die) == (largest, largest)
    assert fight["pia"].sheet.growth.xp_unspent == award


def test_HR_XP_9_a_heart_die_below_its_maximum_stays_where_it_is() -> None:
    sheets = {"pia": {"growth": {"xp_total": 199}}}
    fight = (
        opened(PLACES, sheets=sheets).given("pia", heart_die=4).do("award_xp", creatures=["pia"], amount=1)
    )
    assert (fight["pia"].sheet.heart_die, fight["pia"].heart_die) == (10, 4)


def test_HR_XP_1_experience_comes_from_the_gm_with_a_reason() -> None:
    """Also TT-10: everybody sees the reason; a usual award is the combat rank."""
    fight = opened(PLACES, sheets={"pia": {"combat_rank": 3}, "ash": {"combat_rank": 2}})
    fight.do("award_xp", creatures=["pia", "ash"], reason="the bridge was held")
    assert [(e.creature, e.amount, e.reason) for e in fight.told("xp_awarded")] == [
        ("pia", 3, "the bridge was held"),
        ("ash", 2, "the bridge was held"),
    ]
    decision = fight.send("award_xp", "zoe", creatures=["pia"], amount=100)
    assert decision.refusal is not None
    assert decision.refusal.code == "not_gm"
    assert fight.refused("award_xp", creatures=["orc"]) == "params_missing"


def test_HR_XP_2_nothing_is_bought_in_combat_or_on_credit() -> None:
    fight = begun(PLACES, sheets={"pia": {"growth": {"xp_total": 9, "xp_unspent": 9}}})
    assert refused(fight, kind="hit_points") == "in_combat"
    assert bought(fight.do("end_combat"), kind="hit_points") == 5
    assert refused(fight, kind="hit_points") == "insufficient_xp"
    assert fight["pia"].sheet.growth.xp_unspent == 4


def test_HR_XP_3_aspects_cost_their_next_rank() -> None:
    fight = rich()
    assert bought(fight, kind="aspect_new", text="last of the watch") == 1
    assert [bought(fight, kind="aspect_raise", aspect=0) for _ in range(4)] == [2, 3, 4, 5]
    assert refused(fight, kind="aspect_raise", aspect=0) == "aspect_max"
    assert bought(fight, kind="aspect_reword", aspect=0, text="first of the watch") == 0
    aspect = fight["pia"].sheet.growth.aspects[0]
    assert (aspect.text, aspect.rank) == ("first of the watch", 5)
    assert refused(fight, kind="aspect_raise", aspect=1) == "params_missing"


@pytest.mark.parametrize(("hp_max", "price"), [(40, 5), (50, 6), (45, 5), (9, 1)])
def test_HR_XP_4_ten_hit_points_cost_a_tenth_of_the_maximum_and_one(hp_max: int, price: int) -> None:
    """A-61: the tenth is rounded down."""
    sheets = {"pia": {"hp_max": hp_max, "growth": {"xp_total": 10, "xp_unspent": 10}}}
    fight = opened(PLACES, sheets=sheets)
    assert bought(fight, kind="hit_points") == price
    assert (fight["pia"].sheet.hp_max, fight["pia"].hp) == (hp_max + 10, hp_max)


def test_A_61_the_house_may_heal_with_the_purchase() -> None:
    fight = rich(options={"hp_purchase_heals": True})
    bought(fight, kind="hit_points")
    assert (fight["pia"].sheet.hp_max, fight["pia"].hp) == (50, 50)


@pytest.mark.parametrize(("cap", "prices"), [("d12", [10, 12]), ("d20", [10, 12, 20])])
def test_HR_XP_5_an_ability_die_costs_its_faces(cap: str, prices: list[int]) -> None:
    """A-46: to d12, or d20 where the house says so."""
    fight = rich(options={"ability_die_cap": cap})
    assert [bought(fight, kind="ability_die", ability="might") for _ in prices] == prices
    assert refused(fight, kind="ability_die", ability="might") == "die_max"
    assert fight["pia"].sheet.might == prices[-1]


def test_HR_XP_6_talents_cost_three_and_as_many_as_their_kind_are_owned() -> None:
    fight = rich()
    assert [bought(fight, kind="combat_talent", name=name) for name in ("tumble", "agile")] == [3, 4]
    assert bought(fight, kind="noncombat_talent", name="herbalist") == 3
    assert refused(fight, kind="combat_talent", name="tumble") == "already_owned"
    assert refused(fight, kind="combat_talent", name="flurry", requires=["parry"]) == "prerequisite_missing"
    assert bought(fight, kind="combat_talent", name="flurry", requires=["tumble"]) == 5


def test_HR_XP_7_destiny_levels_cost_five_and_as_many_as_are_owned() -> None:
    """A-60: levels are counted, not the talents that have one."""
    fight = rich(combat_talents=["tumble"])
    assert refused(fight, kind="destiny_level", name="agile") == "prerequisite_missing"
    assert [bought(fight, kind="destiny_level", name="tumble") for _ in range(2)] == [5, 6]


def test_HR_XP_8_spells_cost_six_and_twice_the_spells_owned() -> None:
    fight = rich(attunements=["water", "fire"])
    assert refused(fight, kind="spell", name="gust", elements=["air"]) == "prerequisite_missing"
    assert bought(fight, kind="spell", name="cold-snap", elements=["water"]) == 6
    assert bought(fight, kind="spell", name="steam", elements=["water", "fire"]) == 8
    assert refused(fight, kind="spell", name="steam", elements=["water"]) == "already_owned"


def test_HR_XP_8_the_spelltouched_pay_the_number_of_their_spells() -> None:
    fight = rich(spelltouched=True)
    assert [bought(fight, kind="spell", name=name) for name in ("one", "two", "three")] == [0, 1, 2]


def test_HR_XP_2_only_its_own_seat_or_the_gm_spends_for_a_character() -> None:
    seats = [{"seat": "zoe", "creatures": ["pia"]}, {"seat": "yan", "creatures": ["ash"]}]
    sheets = {"pia": {"growth": {"xp_total": 10, "xp_unspent": 10}}}
    fight = opened(PLACES, sheets=sheets, seats=seats)
    decision = fight.send("spend_xp", "gm", creature="pia", purchase={"kind": "hit_points"})
    assert decision.refusal is None
    decision = fight.send("spend_xp", "yan", creature="pia", purchase={"kind": "hit_points"})
    assert decision.refusal is not None
    assert decision.refusal.code == "not_your_creature"
