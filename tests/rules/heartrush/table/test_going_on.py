"""Characters that go on from one encounter to the next, and what the days between bring them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from service.rules.heartrush import HEARTRUSH
from service.rules.heartrush.creatures.character import Character, Condition, Entry, Wound
from service.rules.heartrush.creatures.state import Creature
from service.rules.heartrush.table.entries import carry, entry_faults
from service.rules.kernel.codec import Malformed, to_data
from service.rules.kernel.messages import Refused
from service.rules.kernel.records import changed
from service.rules.kernel.sealed import names, view
from service.rules.ruleset import carried
from service.rules.table.carried import CarriedFrom
from tests.rules.heartrush.kit import Fight, begun, opened, sheet

PLACES = {"pia": (0, 0), "ash": (3, 0), "orc": (20, 0)}
ORIGIN = CarriedFrom(encounter="00112233-4455-6677-8899-aabbccddeeff", n=7, hash="ab" * 32)
DAY_S = 86_400
CRY = {
    "id": "cry",
    "name": "Cry",
    "tags": ["major", "instant"],
    "effects": [{"kind": "do", "effect": {"kind": "rush", "creature": "self", "points": 1}}],
}
WEEKLY = {**CRY, "id": "chant", "name": "Chant", "tags": ["weekly", "quick"]}
OWN: dict[str, Any] = {
    "abilities": [CRY, WEEKLY],
    "sheets": {"pia": {"abilities": ["cry", "chant"], "potions": 2}},
}
POISON = {"id": "sap", "doses": 2, "dice": 1, "sides": 6, "potent_s": 2 * DAY_S}


def worn() -> Fight:
    """Return Pia after a hard day: what she has used, suffered and prepared."""
    fight = opened(PLACES, **OWN)
    return fight.with_table(clock_s=3 * DAY_S).given(
        "pia",
        hp=14,
        heart_die=4,
        wounds=(
            Wound(id="r1/e1/a", rank=12, initial_rank=12, treated=True),
            Wound(id="r2/e1/a", rank=3, initial_rank=3),
        ),
        conditions={"dazed": Condition(level=2, since=1), "poisoned": Condition(level=2)},
        spent=("cry",),
        last_used={"chant": 3 * DAY_S},
        cooldowns={"cold-snap": 4},
        destiny_points=7,
        potions=1,
    )


def taken(fight: Fight, creature: str = "pia", seat: str = "gm") -> dict[str, Any]:
    data: dict[str, Any] = to_data(carried(HEARTRUSH, view(fight.state, seat), creature, ORIGIN))
    return data


def entering(data: Mapping[str, Any], days: int = 0, /, **beside: Any) -> Fight:
    """Return the next encounter, which Pia enters as she was carried."""
    orc = {"sheet": sheet("orc"), "position": [20, 0]}
    pia = {"carried": data, "days_between": days, "position": [5, 5], **beside}
    seats = [{"seat": "zoe", "role": "player", "creatures": ["pia"]}]
    return opened({}, creatures=[pia, orc], seats=seats)


def refusal(data: Mapping[str, Any], days: int = 0, /, **beside: Any) -> str:
    """Return why the opening is refused: by its rules, or already as it is read."""
    with pytest.raises((AssertionError, Malformed), match=r"opening_not_possible|/opening/") as found:
        entering(data, days, **beside)
    return str(found.value)


def test_HR_CARRY_1_a_character_enters_exactly_as_it_stood() -> None:
    fight = worn()
    before, after = fight["pia"], entering(taken(fight))["pia"]
    assert after.position == (5, 5)
    for name in names(Character):
        if name not in ("wounds", "conditions"):
            assert getattr(after, name) == getattr(before, name), name
    assert [(w.rank, w.initial_rank, w.treated) for w in after.wounds] == [(12, 12, True), (3, 3, False)]
    assert {name: c.level for name, c in after.conditions.items()} == {"dazed": 2, "poisoned": 2}


def test_HR_CARRY_1_a_chain_of_encounters_without_days_changes_nothing() -> None:
    first = taken(worn())
    second = taken(entering(first))
    assert second == first
    assert taken(entering(second)) == first


def test_HR_CARRY_1_what_belongs_to_the_fight_stays_behind() -> None:
    held = {"grappled": Condition(source="orc"), "prone": Condition(), "cover": Condition(level=2)}
    fight = opened(PLACES).given("pia", conditions=held, rush=3, uses={"x": 2}, status="gone", help=1)
    fight.given("orc", conditions={"grappling": Condition(source="pia")})
    after = entering(taken(fight))["pia"]
    assert (dict(after.conditions), after.rush, dict(after.uses), after.help) == ({}, 0, {}, 0)
    assert after.status == "active", "who fled one fight is in the next"


def test_HR_CARRY_1_nobody_is_carried_out_of_a_fight() -> None:
    fight = begun({"pia": (0, 0), "orc": (5, 0)})
    with pytest.raises(Refused) as refused:
        taken(fight)
    assert (refused.value.code, refused.value.rule) == ("in_combat", "HR-CARRY-1")
    fight.do("end_combat")
    assert taken(fight)["character"]["sheet"]["id"] == "pia"


def test_HR_CARRY_2_three_days_by_hand() -> None:
    """Three nights: the treated wound of 12 is one of 9, and hit points rise to 40 - 9 - 3."""
    fight = entering(taken(worn()), 3)
    pia = fight["pia"]
    assert fight.state.clock_s == 6 * DAY_S
    assert [wound.rank for wound in pia.wounds] == [9, 3]
    assert (pia.hp, pia.heart_die, pia.spent, dict(pia.cooldowns)) == (28, 8, (), {"cold-snap": 1})
    assert {name: c.level for name, c in pia.conditions.items()} == {"poisoned": 2}
    assert (pia.long_rests, pia.last_long_rest_day, pia.potions) == (3, 7, 1)


@pytest.mark.parametrize(("days", "code"), [(6, "frequency_exhausted"), (7, None)])
def test_HR_ABIL_6_a_week_counts_across_encounters(days: int, code: str | None) -> None:
    fight = entering(taken(worn()), days)
    decision = fight.send("use_ability", "zoe", creature="pia", ability="chant")
    assert (decision.refusal and decision.refusal.code) == code


def test_HR_POIS_3_a_coat_lapses_between_encounters() -> None:
    poisons = {"pia": {"poisons": [POISON]}}
    fight = opened(PLACES, sheets=poisons).do("coat_weapon", creature="pia", weapon="mace", poison="sap")
    data = taken(fight)
    assert data["character"]["coats"]["mace"]["until_s"] == 2 * DAY_S
    assert data["character"]["doses"] == {"sap": 1}
    for days, lapsed in ((1, False), (2, True)):
        later = entering(data, days)
        coat = later["pia"].coats["mace"]
        assert (coat.until_s is not None and coat.until_s <= later.state.clock_s) == lapsed


def test_HR_REST_6_a_potion_works_on_the_way() -> None:
    fight = worn().do("drink_potion", creature="pia")
    data = taken(fight)
    assert data["character"]["potions_at_s"] == [3 * DAY_S + 3600]
    later = entering(data, 1)
    assert later["pia"].potions_at_s == ()
    assert [wound.rank for wound in later["pia"].wounds] == [10, 2], "the potion's rank, and one of the night"


def test_HR_ZERO_2_who_was_carried_at_zero_falls_on_the_way_and_wakes_rested() -> None:
    fight = opened(PLACES).given("pia", hp=-3, down_since_s=0)
    later = entering(taken(fight), 1)
    told = [event.type for event in later.events]
    assert told.index("unconscious") < told.index("healed") < told.index("woke")
    assert (later["pia"].hp, later["pia"].status) == (40, "active")


def test_HR_CARRY_2_the_dead_stay_dead() -> None:
    fight = opened(PLACES).given("pia", hp=-40, status="dead")
    later = entering(taken(fight), 30)
    assert (later["pia"].status, later["pia"].hp) == ("dead", -40)


@pytest.mark.parametrize(
    ("seconds", "left"),
    [(5, {"dazed": 2, "slowed": 3}), (6, {"dazed": 1, "slowed": 2}), (18, {})],
)
def test_HR_COND_27_the_clock_fades_what_rounds_would_fade(seconds: int, left: dict[str, int]) -> None:
    worse = {"dazed": Condition(level=2), "slowed": Condition(level=3)}
    fight = opened(PLACES).given("pia", conditions=worse).do("advance_clock", seconds=seconds)
    assert {name: c.level for name, c in fight["pia"].conditions.items()} == left


def test_HR_COND_27_a_bad_night_weighs_until_a_good_one() -> None:
    tired = {"dazed": Condition(), "blinded": Condition()}
    fight = opened(PLACES).given("pia", conditions=tired, failed_nights=1)
    fight.do("advance_clock", hours=5)
    assert set(fight["pia"].conditions) == {"dazed"}


def test_HR_COND_27_no_clock_fades_what_a_running_fight_has() -> None:
    fight = begun({"pia": (0, 0), "orc": (5, 0)}).given("pia", conditions={"dazed": Condition(level=2)})
    assert fight.do("advance_clock", hours=1)["pia"].level("dazed") == 2


def test_HR_CARRY_1_the_latest_sets_the_clock_and_the_others_wait_for_it() -> None:
    early, late = taken(worn()), taken(worn().with_table(clock_s=10 * DAY_S), "ash")
    orc = {"sheet": sheet("orc"), "position": [20, 0]}
    entries = [
        {"carried": early, "days_between": 1, "position": [0, 0]},
        {"carried": late, "days_between": 2, "position": [2, 0]},
    ]
    fight = opened({}, creatures=[*entries, orc], seats=[])
    assert fight.state.clock_s == 12 * DAY_S
    passed = {event.creature: (event.seconds, event.nights) for event in fight.logged("days_passed")}
    assert passed == {"pia": (9 * DAY_S, 1), "ash": (2 * DAY_S, 2)}


def test_HR_CARRY_1_what_stands_beside_it_is_written_in_by_hand() -> None:
    data = taken(worn())
    stronger = {**data["character"]["sheet"], "might": 10}
    pia = entering(data, sheet=stronger, hp=20, heart_die=6)["pia"]
    assert (pia.sheet.might, pia.hp, pia.heart_die, pia.spent) == (10, 20, 6, ("cry",))


def test_HR_CARRY_1_arrivals_are_carried_too_but_not_from_the_future() -> None:
    data = taken(worn())
    fight = opened({"ash": (0, 0), "orc": (9, 0)})
    entry = {"carried": data, "position": [3, 3], "days_between": 1}
    assert fight.refused("add_creature", entry=entry) == "clock_behind"
    fight.do("advance_clock", days=4).do("add_creature", entry=entry)
    assert fight["pia"].hp == 26, "one night: wounds of 11 and 3"
    fight.do("use_ability", creature="pia", ability="cry")
    assert fight["pia"].spent == ("cry",), "the night charged it, and its own definition came along"


def test_HR_CARRY_1_own_abilities_go_along() -> None:
    data = taken(worn())
    assert [each["id"] for each in data["abilities"]] == ["cry", "chant"]
    fight = entering(data)
    assert set(fight.state.abilities) == {"cry", "chant"}
    orc = {"sheet": sheet("orc"), "position": [20, 0]}
    other = {**CRY, "tags": ["weekly", "instant"]}
    with pytest.raises(AssertionError, match="an id that no other"):
        opened({}, creatures=[{"carried": data, "position": [0, 0]}, orc], seats=[], abilities=[other])


@pytest.mark.parametrize(
    ("path", "value", "where"),
    [
        (("hp",), 41, "/hp"),
        (("heart_die",), 12, "/heart_die"),
        (("wielded",), "axe", "/wielded"),
        (("destiny_points",), 11, "/destiny_points"),
        (("wounds", 0, "rank"), -1, "/wounds/0"),
        (("conditions", "dazed", "level"), 6, "/conditions/dazed"),
        (("last_used", "chant"), 3 * DAY_S + 1, "/last_used/chant"),
        (("cooldowns", "cold-snap"), -1, "/cooldowns/cold-snap"),
    ],
)
def test_what_no_character_can_be_is_refused(path: tuple[Any, ...], value: Any, where: str) -> None:
    data = taken(worn())
    at = data["character"]
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    assert f"carried/character{where}" in refusal(data)


class Counted(str):
    """An id that counts how often it is compared with another."""

    __slots__ = ()
    compared = 0

    def __eq__(self, other: object) -> bool:
        Counted.compared += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


def wounds(count: int, name: type[str] = str) -> tuple[Wound, ...]:
    return tuple(Wound(id=name(f"w{i}"), rank=0, initial_rank=0) for i in range(count))


def test_who_has_a_wound_twice_is_refused() -> None:
    data = taken(worn().given("pia", wounds=wounds(10_000)))
    data["character"]["wounds"][9_999]["id"] = data["character"]["wounds"][0]["id"]
    assert "carried/character/wounds/9999: an id of its own" in refusal(data)


def test_ten_thousand_wounds_are_compared_in_one_pass() -> None:
    pia = carry(view(worn().state, "gm"), "pia", ORIGIN)
    pia = changed(pia, character=changed(pia.character, wounds=wounds(10_000, Counted)))
    entry = Entry(carried=pia, position=(5, 5))
    Counted.compared = 0
    assert [*entry_faults(entry, "")] == []
    assert Counted.compared < 100_000, "each with each are fifty million"


def test_what_cannot_be_said_of_an_entry_is_refused() -> None:
    data = taken(worn())
    assert "days_between" in refusal(data, 401)
    assert "not both" in refusal(data, stat_block="goblin")
    with pytest.raises(AssertionError, match="days_between"):
        opened({}, creatures=[{"sheet": sheet("pia"), "position": [0, 0], "days_between": 1}], seats=[])


def test_what_is_gm_only_stays_so_and_no_other_seat_can_take_it() -> None:
    goblin = {"sheet": sheet("orc", id="orc"), "position": [9, 9], "gm_only": ["hp_max", "might"], "hp": 30}
    fight = opened({}, creatures=[goblin, {"sheet": sheet("pia"), "position": [0, 0]}], seats=[])
    data = taken(fight, "orc")
    assert (data["character"]["hp"], data["character"]["sheet"]["might"]) == (30, 10)
    theirs = taken(fight, "orc", "zoe")
    assert theirs["character"]["hp"] == theirs["character"]["sheet"]["might"] == {"sealed": ["seat:gm"]}
    later = opened(
        {},
        creatures=[{"carried": data, "position": [9, 9]}, {"sheet": sheet("pia"), "position": [0, 0]}],
        seats=[{"seat": "zoe", "creatures": ["pia"]}],
    )
    assert set(later["orc"].gm_only) == {"hp_max", "might"}
    seen = to_data(view(later.state, "zoe"))["creatures"]["orc"]
    assert seen["hp"] == seen["sheet"]["might"] == {"sealed": ["seat:gm"]}
    opening = to_data(view(later.logged("encounter_opened")[0], "zoe"))["opening"]["creatures"][0]
    assert opening["carried"]["character"]["hp"] == {"sealed": ["seat:gm"]}
    assert opening["carried"]["character"]["sheet"]["might"] == {"sealed": ["seat:gm"]}
    assert changed(later["orc"], hp=3).hp == 3


def test_a_creature_is_its_character_and_what_the_fight_adds() -> None:
    assert issubclass(Creature, Character)
    of_the_fight = set(names(Creature)) - set(names(Character))
    assert {"position", "rush", "uses", "standing", "hidden_from"} <= of_the_fight


def test_HR_CARRY_1_who_is_taken_away_unconscious_does_not_wake_by_it() -> None:
    for fell in (True, False):
        fight = begun({"pia": (0, 0), "ash": (1, 1), "wolf": (9, 9)}).given("pia", hp=-5, down_since_s=0)
        if fell:
            fight.do("go_unconscious", creature="pia")
        effects = [{"kind": "withdraw", "creature": "pia"}]
        fight.do("gm_ruling", kind="effect", decision="carried off", effects=effects).do("end_combat")
        assert entering(taken(fight))["pia"].status == ("unconscious" if fell else "active")
