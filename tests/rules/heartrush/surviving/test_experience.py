"""Experience is awarded with a reason and spent at prices the rules work out (B.22)."""

from typing import Any

import pytest

from service.rules.heartrush import HEARTRUSH
from service.rules.heartrush.moving.dash_and_sidestep import sidesteps_of
from service.rules.heartrush.table.opening import Opening, faults
from service.rules.heartrush.using.catalogue import CATALOGUE
from service.rules.kernel.codec import from_data
from tests.rules.heartrush.casts import ability, do
from tests.rules.heartrush.kit import Fight, begun, opened, opening, sheet

PLACES = {"pia": (0, 0), "ash": (3, 0), "orc": (20, 0)}


def talent(name: str, kind: str = "combat", *builds_on: str) -> dict[str, Any]:
    """Return a talent of the opening's own."""
    more = {"always": [{"kind": "more_sidesteps"}]} if kind == "combat" else {"text": "knows herbs"}
    return ability(name, "passive", talent=kind, builds_on=list(builds_on), **more)


def spell(name: str, *elements: str) -> dict[str, Any]:
    """Return a spell of the opening's own."""
    effects = [do("rush", creature="self", points=1)]
    return {"id": name, "name": name, "elements": list(elements), "effects": effects}


TALENTS = [
    talent("herbalist", "noncombat"),
    talent("flurry"),
    talent("parry"),
    talent("riposte", "combat", "parry"),
]
SPELLS = [spell("gust", "air"), spell("steam", "water", "fire"), *map(spell, ("one", "two", "three"))]


def rich(
    xp: int = 100, options: dict[str, Any] | None = None, *, own: bool = True, **growth: object
) -> Fight:
    """Return a fight not yet begun in which Pia has experience to spend."""
    sheets = {"pia": {"growth": {"xp_total": xp, "xp_unspent": xp, **growth}}}
    defined = {"abilities": TALENTS, "spells": SPELLS} if own else {}
    return opened(PLACES, sheets=sheets, options=options or {}, **defined)


def bought(fight: Fight, **purchase: object) -> int:
    """Let Pia buy something; return what it cost."""
    fight.do("spend_xp", creature="pia", purchase=purchase)
    price: int = fight.logged("xp_spent")[-1].price
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
    assert [(e.creature, e.amount, e.reason) for e in fight.logged("xp_awarded")] == [
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
    assert refused(fight, kind="combat_talent", name="riposte") == "prerequisite_missing"
    assert bought(fight, kind="combat_talent", name="flurry") == 5
    assert bought(fight, kind="combat_talent", name="parry") == 6
    assert bought(fight, kind="combat_talent", name="riposte") == 7


def test_HR_XP_7_destiny_levels_cost_five_and_as_many_as_are_owned() -> None:
    """A-60: levels are counted, not the talents that have one."""
    fight = rich(combat_talents=["tumble"])
    assert refused(fight, kind="destiny_level", name="agile") == "prerequisite_missing"
    assert [bought(fight, kind="destiny_level", name="tumble") for _ in range(2)] == [5, 6]


def test_HR_XP_8_spells_cost_six_and_twice_the_spells_owned() -> None:
    fight = rich(attunements=["water", "fire"])
    assert refused(fight, kind="spell", name="gust") == "prerequisite_missing"
    assert bought(fight, kind="spell", name="cold-snap") == 6
    assert bought(fight, kind="spell", name="steam") == 8
    assert refused(fight, kind="spell", name="steam") == "already_owned"


def test_HR_XP_8_the_spelltouched_pay_the_number_of_their_spells() -> None:
    fight = rich(spelltouched=True)
    assert [bought(fight, kind="spell", name=name) for name in ("one", "two", "three")] == [0, 1, 2]


def test_HR_XP_8_a_spell_that_was_bought_is_known_and_cast() -> None:
    """No sheet names it in the opening: the shipped catalogue does."""
    fight = rich(attunements=["water"], own=False)
    assert fight.state.abilities == {}
    assert bought(fight, kind="spell", name="cold-snap") == 6
    fight.do("begin_combat", unaware_side="enemies").do("grant_priority")
    fight.given("orc", position=(1, 0))
    assert "cast" in {offer.type for offer in fight.offers("zoe", "pia")}
    fight.do("cast", creature="pia", ability="cold-snap", params={"chosen": ["orc"]})
    assert fight["orc"].level("restrained") == 1


def test_HR_XP_8_a_spell_that_was_bought_is_cast_outside_combat_too() -> None:
    fight = rich(attunements=["fire"], own=False)
    bought(fight, kind="spell", name="aura-of-ignition")
    fight.do("cast", creature="pia", ability="aura-of-ignition")
    assert [one.ability for one in fight.state.lasting] == ["aura-of-ignition"]


def test_HR_XP_6_a_talent_that_was_bought_is_used() -> None:
    fight = rich(own=False)
    assert bought(fight, kind="combat_talent", name="battlescreech") == 3
    fight.do("begin_combat", unaware_side="enemies").do("grant_priority")
    fight.given("orc", position=(1, 0))
    fight.do("use_ability", creature="pia", ability="battlescreech", params={"chosen": ["orc"]})
    assert [one.on for one in fight.state.lasting] == [("orc",)]


def test_HR_XP_6_a_passive_talent_that_was_bought_holds() -> None:
    fight = rich(own=False)
    bought(fight, kind="combat_talent", name="agile")
    assert sidesteps_of(fight.state, fight["pia"]) == 2


def test_HR_XP_6_a_noncombat_talent_of_the_openings_own_is_bought_and_counted() -> None:
    fight = rich()
    bought(fight, kind="noncombat_talent", name="herbalist")
    assert fight["pia"].sheet.growth.noncombat_talents == ("herbalist",)
    assert "herbalist" in fight["pia"].sheet.abilities


@pytest.mark.parametrize(
    ("attunements", "name", "code"),
    [
        (["water"], "aura-of-ignition", "prerequisite_missing"),
        (["water"], "force-strike", "prerequisite_missing"),
        ([], "cold-snap", "prerequisite_missing"),
        (["fire"], "steam", "prerequisite_missing"),
        (["water"], "no-such-spell", "unknown_spell"),
        (["water"], "battlescreech", "unknown_spell"),
        (["water"], "", "params_missing"),
    ],
)
def test_HR_XP_8_the_spells_own_elements_decide(attunements: list[str], name: str, code: str) -> None:
    fight = rich(attunements=attunements)
    assert refused(fight, kind="spell", name=name) == code
    assert fight["pia"].sheet.growth.xp_unspent == 100


@pytest.mark.parametrize(
    ("kind", "named"),
    [
        ("spell", "spell"),
        ("combat_talent", "talent"),
        ("noncombat_talent", "talent"),
        ("destiny_level", "talent"),
    ],
)
def test_a_purchase_without_a_name_is_refused_with_what_is_missing(kind: str, named: str) -> None:
    decision = rich().send("spend_xp", "gm", creature="pia", purchase={"kind": kind})
    assert decision.refusal is not None
    assert decision.refusal.detail == f"`name` is missing, the id of the {named}"


@pytest.mark.parametrize("claim", ["elements", "requires"])
def test_HR_XP_8_a_buyer_cannot_claim_what_the_spell_needs(claim: str) -> None:
    assert refused(rich(), kind="spell", name="aura-of-ignition", **{claim: []}) == "malformed"


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("combat_talent", "no-such-talent"),
        ("noncombat_talent", "battlescreech"),
        ("combat_talent", "herbalist"),
        ("combat_talent", "crippling-blows"),
        ("combat_talent", "cold-snap"),
    ],
)
def test_HR_XP_6_what_is_no_talent_of_this_kind_is_not_sold(kind: str, name: str) -> None:
    assert refused(rich(attunements=["water"]), kind=kind, name=name) == "unknown_ability"


def test_HR_XP_2_what_is_sold_by_name_is_offered_and_nothing_else() -> None:
    fight = rich(attunements=["water"], combat_talents=["tumble"], aspects=[{"text": "stubborn"}])
    offers = [offer for offer in fight.offers("zoe", "pia") if offer.type == "spend_xp"]
    purchases = [dict(purchase) for offer in offers for purchase in offer.choices["purchase"]]
    for purchase in purchases:
        branch = Fight(state=fight.state, mirror=None)
        assert branch.send("spend_xp", "zoe", creature="pia", purchase=purchase).refusal is None, purchase
    named = {(purchase["kind"], purchase.get("name")) for purchase in purchases}
    names = {*CATALOGUE, *fight.state.abilities, "nothing"}
    for kind in ("combat_talent", "noncombat_talent", "spell", "destiny_level"):
        for name in names:
            branch = Fight(state=fight.state, mirror=None)
            wanted = {"kind": kind, "name": name}
            accepted = branch.send("spend_xp", "zoe", creature="pia", purchase=wanted).refusal is None
            assert accepted is ((kind, name) in named), wanted


@pytest.mark.parametrize(
    ("growth", "fault"),
    [
        ({"spells": ["cold-snap"]}, "it needs attunement to water"),
        ({"spells": ["cold-snap"], "attunements": ["fire"]}, "it needs attunement to water"),
        ({"spells": ["no-such-spell"]}, "no spell has this id"),
        ({"spells": ["battlescreech"]}, "no spell has this id"),
    ],
)
def test_HR_XP_8_nobody_begins_with_a_spell_that_it_cannot_have(growth: dict[str, Any], fault: str) -> None:
    """Neither in an opening nor as an arrival."""
    command = opening({"pia": (0, 0), "orc": (1, 0)}, sheets={"pia": {"growth": growth}})
    found = dict(faults(from_data(Opening, command, families=HEARTRUSH.families)))
    assert found == {"/creatures/0/sheet/growth/spells/0": fault}
    fight = opened(PLACES)
    entry = {"sheet": sheet("mage", like="pia", growth=growth), "position": [9, 9]}
    assert fight.refused("add_creature", entry=entry) == "opening_not_possible"


@pytest.mark.parametrize("key", ["attunements", "advanced_attunements", "paragon_attunements"])
def test_HR_XP_8_any_degree_of_attunement_will_do(key: str) -> None:
    growth: dict[str, Any] = {key: ["water"]}
    assert bought(rich(**growth), kind="spell", name="cold-snap") == 6


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"builds_on": ["cold-snap"]}, "/abilities/0/builds_on/0"),
        ({"talent": None}, "/abilities/0/builds_on"),
    ],
)
def test_HR_XP_6_a_talent_builds_on_talents_alone(changes: dict[str, Any], where: str) -> None:
    again = {**talent("riposte-2"), "builds_on": ["tumble"], **changes}
    assert where in dict(
        faults(from_data(Opening, opening({"pia": (0, 0)}, abilities=[again]), families=HEARTRUSH.families))
    )


def test_HR_XP_2_only_its_own_seat_or_the_gm_spends_for_a_character() -> None:
    seats = [{"seat": "zoe", "creatures": ["pia"]}, {"seat": "yan", "creatures": ["ash"]}]
    sheets = {"pia": {"growth": {"xp_total": 10, "xp_unspent": 10}}}
    fight = opened(PLACES, sheets=sheets, seats=seats)
    decision = fight.send("spend_xp", "gm", creature="pia", purchase={"kind": "hit_points"})
    assert decision.refusal is None
    decision = fight.send("spend_xp", "yan", creature="pia", purchase={"kind": "hit_points"})
    assert decision.refusal is not None
    assert decision.refusal.code == "not_your_creature"
