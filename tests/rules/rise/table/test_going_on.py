"""Characters of Rise that go on from one encounter to the next, and what the days between bring them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from service.rules.kernel.codec import Malformed, to_data
from service.rules.kernel.messages import Refused
from service.rules.kernel.records import changed
from service.rules.kernel.sealed import names, view
from service.rules.rise import RISE
from service.rules.rise.creatures.character import Character, Condition, VitalWound
from service.rules.rise.creatures.creature import Creature
from service.rules.rise.creatures.sheet import Tick
from service.rules.ruleset import carried
from service.rules.table.carried import CarriedFrom
from tests.rules.rise.kit import Fight, entry, opened, sheet

ORIGIN = CarriedFrom(encounter="00112233-4455-6677-8899-aabbccddeeff", n=7, hash="ab" * 32)
SEATS = [{"seat": "zoe", "role": "player", "creatures": ["pia"]}]


def wound(result: int, effect: str, **changes: Any) -> VitalWound:
    return VitalWound(die=max(1, result), result=result, effect=effect, gained=0, **changes)


SLOW, REFLEX, DYING = wound(3, "speed"), wound(8, "reflex"), wound(-2, "dying", deadline=10)


def worn() -> Fight:
    """Return Pia after a hard fight: hurt, tired, poisoned, and with nothing left to recover by."""
    fight = opened(entry("pc@heroes/pia", (0, 0), dr_max=4), entry("mon@orcs/orc", (9, 0)))
    return fight.given(
        "pia",
        hp=7,
        dr=1,
        fatigue=2,
        wounds=(SLOW, REFLEX),
        conditions=(Condition(name="poisoned", source="orc", since=3),),
        recovered=True,
        held=("lamp",),
    )


def taken(fight: Fight, creature: str = "pia", seat: str = "gm") -> dict[str, Any]:
    data: dict[str, Any] = to_data(carried(RISE, view(fight.state, seat), creature, ORIGIN))
    return data


def entering(data: Mapping[str, Any], days: int = 0, /, **beside: Any) -> Fight:
    """Return the next encounter, which Pia enters as she was carried."""
    pia = {"carried": data, "days_between": days, "position": [5, 5], **beside}
    return opened(creatures=[pia, entry("mon@orcs/orc", (20, 0))], seats=SEATS)


def refusal(data: Mapping[str, Any], days: int = 0, /, **beside: Any) -> str:
    """Return why the opening is refused: by its rules, or already as it is read."""
    with pytest.raises((AssertionError, Malformed), match=r"opening_not_possible|/opening/") as found:
        entering(data, days, **beside)
    return str(found.value)


def test_RI_CARRY_1_a_character_enters_exactly_as_it_stood() -> None:
    fight = worn()
    before, after = fight["pia"], entering(taken(fight))["pia"]
    assert after.position == (5, 5)
    for name in names(Character):
        if name != "conditions":
            assert getattr(after, name) == getattr(before, name), name
    assert after.conditions == (Condition(name="poisoned"),), (
        "without the round and the orc of the other fight"
    )


def test_RI_CARRY_1_a_chain_of_encounters_without_days_changes_nothing() -> None:
    first = taken(worn())
    second = taken(entering(first))
    assert second == first
    assert taken(entering(second)) == first


def test_RI_CARRY_1_what_belongs_to_the_fight_stays_behind() -> None:
    brief = Condition(name="dazed", until="brief", expires=4, since=3)
    held = Condition(name="grappled", source="orc")
    burning = Condition(name="burning", source="pia", tick=Tick(step=11, damage=2))
    fight = worn().given(
        "pia",
        conditions=(
            brief,
            held,
            Condition(name="prone"),
            Condition(name="squeezing", until="permanent"),
            burning,
        ),
        altitude=10,
        aloft="flying",
        unaware_of=("orc",),
        hurt_by=("orc",),
    )
    after = entering(taken(fight))["pia"]
    assert after.conditions == (burning,)
    assert (after.altitude, after.aloft, after.unaware_of, after.hurt_by) == (0, None, (), ())


def test_RI_CARRY_1_who_is_down_still_lies_there() -> None:
    fight = worn().given("pia", down=True, fatigue=9, conditions=(Condition(name="prone", source="pia"),))
    after = entering(taken(fight))["pia"]
    assert (after.down, after.has("prone")) == (True, True)


@pytest.mark.parametrize(
    ("changes", "defeated"), [({}, False), ({"hp": 0}, True), ({"dead": True}, True)], ids=str
)
def test_RI_CARRY_1_who_was_taken_out_of_a_fight_alive_is_in_the_next(
    changes: dict[str, Any], *, defeated: bool
) -> None:
    fight = worn().given("pia", **{"hp": 5, "defeated": True, **changes})
    assert taken(fight)["character"]["defeated"] is defeated


def test_RI_CARRY_1_nobody_is_carried_out_of_a_fight() -> None:
    fight = worn().do("start_combat")
    with pytest.raises(Refused) as refused:
        taken(fight)
    assert (refused.value.code, refused.value.rule) == ("in_combat", "RI-CARRY-1")
    fight.do("end_combat")
    assert taken(fight)["character"]["sheet"]["id"] == "pia"


def test_RI_CARRY_1_hit_points_below_zero_end_with_the_fight() -> None:
    fight = worn().do("start_combat").given("pia", hp=-4, depth=1).do("end_combat")
    assert taken(fight)["character"]["hp"] == 0


def test_RI_CARRY_1_a_mortal_wound_has_the_rounds_left_that_it_had() -> None:
    """Gained in round 3, it kills after round 13; the fight ends in round 5, so 8 rounds are left."""
    late = wound(-2, "dying", deadline=13)
    fight = worn().do("start_combat").given("pia", wounds=(late,), down=True)
    fight.state = changed(fight.state, round=5)
    data = taken(fight.do("end_combat"))
    assert data["character"]["wounds"][0]["deadline"] == 8
    assert entering(data)["pia"].wounds[0].deadline == 8


@pytest.mark.parametrize(("days", "left"), [(1, [8]), (2, []), (30, [])])
def test_RI_CARRY_2_each_night_takes_the_gravest_wound(days: int, left: list[int]) -> None:
    """Of 3 (speed) and 8 (reflex) the first night takes the 3; one night ends fatigue and fills the rest."""
    fight = entering(taken(worn()), days)
    pia = fight["pia"]
    assert [each.result for each in pia.wounds] == left
    assert (pia.hp, pia.dr, pia.fatigue, pia.conditions, pia.recovered) == (20, 4, 0, (), False)
    assert pia.held == ("lamp",)
    [passed] = fight.logged("days_passed")
    assert (passed.nights, passed.because) == (days, ("RI-CARRY-2",))


def test_RI_VITAL_3_with_the_wound_that_halved_it_resistance_is_whole_again() -> None:
    half = worn().given("pia", wounds=(wound(4, "half_dr"),), dr=0)
    assert entering(taken(half), 1)["pia"].dr == 4
    half.send("rest", "gm", creature="pia", rest="short")
    assert half["pia"].dr == 2
    half.send("rest", "gm", creature="pia", rest="long", wound=0)
    assert half["pia"].dr == 4


def test_RI_VITAL_7_nobody_sleeps_with_an_untreated_mortal_wound() -> None:
    fight = worn().given("pia", wounds=(DYING,), down=True)
    dead = entering(taken(fight), 1)
    assert dead["pia"].dead
    assert not dead.logged("days_passed")
    treated = worn().given("pia", wounds=(wound(-2, "dying", deadline=10, treated=True),), down=True)
    well = entering(taken(treated), 1)
    assert (well["pia"].dead, well["pia"].down, well["pia"].wounds) == (False, False, ())
    assert [event.type for event in well.events][-2:] == ["days_passed", "woke"]


def test_RI_CARRY_2_the_dead_stay_dead_and_the_dropped_get_up() -> None:
    dead = worn().given("orc", hp=-3, dead=True, defeated=True)
    orc = {"carried": taken(dead, "orc"), "days_between": 30, "position": [3, 3]}
    pia = entry("pc@heroes/pia", (0, 0))
    later = opened(creatures=[pia, orc], seats=[])
    assert (later["orc"].dead, later["orc"].hp) == (True, 0)
    dropped = {**orc, "carried": taken(worn().given("orc", hp=0, defeated=True), "orc")}
    later = opened(creatures=[pia, dropped], seats=[])
    assert (later["orc"].defeated, later["orc"].hp) == (False, 20)


def test_RI_CARRY_1_what_stands_beside_it_is_written_in_by_hand() -> None:
    data = taken(worn())
    stronger = {**data["character"]["sheet"], "accuracy": 9}
    pia = entering(data, sheet=stronger, hp=15, dr=0, fatigue=0)["pia"]
    assert (pia.sheet.accuracy, pia.hp, pia.dr, pia.fatigue, pia.recovered) == (9, 15, 0, 0, True)


def test_RI_CARRY_1_arrivals_and_hidden_creatures_are_carried_too() -> None:
    data = taken(worn())
    late = {"carried": data, "position": [3, 3], "days_between": 1}
    fight = opened(entry("pc@heroes/ash", (0, 0)), entry("mon@orcs/orc", (9, 0)))
    fight.do("add_creature", entry=late)
    assert (fight["pia"].hp, fight["pia"].fatigue) == (20, 0)
    hidden = opened(entry("pc@heroes/ash", (0, 0)), entry("mon@orcs/orc", (9, 0)))
    hidden.do("hide_creature", entry=late).do("reveal_creature", hidden_creature=1)
    assert [each.result for each in hidden["pia"].wounds] == [8]


@pytest.mark.parametrize(
    ("path", "value", "where"),
    [
        (("hp",), 21, "/hp"),
        (("hp",), -1, "/hp"),
        (("dr",), 5, "/dr"),
        (("fatigue",), -1, "/fatigue"),
        (("wounds", 0, "die"), 11, "/wounds/0"),
        (("wounds", 1, "gained"), 1, "/wounds/1"),
        (("wounds", 1, "deadline"), 11, "/wounds/1"),
        (("conditions", 0, "until"), "round", "/conditions/0"),
        (("conditions", 0, "name"), "grappled", "/conditions/0"),
    ],
)
def test_what_no_character_can_be_is_refused(path: tuple[Any, ...], value: Any, where: str) -> None:
    data = taken(worn())
    at = data["character"]
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    assert f"carried/character{where}" in refusal(data)


def test_what_cannot_be_said_of_an_entry_is_refused() -> None:
    data = taken(worn())
    assert "days_between" in refusal(data, 401)
    assert "carried_from/n" in refusal({**data, "carried_from": {**data["carried_from"], "n": 0}})
    with pytest.raises(AssertionError, match="days_between"):
        opened({**entry("pc@heroes/pia", (0, 0)), "days_between": 1})
    with pytest.raises(AssertionError, match="a sheet, or a carried character"):
        opened(creatures=[{"position": [0, 0]}], seats=[])


def test_what_is_gm_only_stays_so_and_no_other_seat_can_take_it() -> None:
    orc = {"sheet": sheet("orc", "orcs"), "position": [9, 9], "gm_only": ["hp_max", "willpower"], "hp": 13}
    pia = entry("pc@heroes/pia", (0, 0))
    fight = opened(creatures=[pia, orc], seats=SEATS)
    data = taken(fight, "orc")
    assert data["character"]["hp"] == 13
    assert taken(fight, "orc", "zoe")["character"]["hp"] == {"sealed": ["seat:gm"]}
    entries = [pia, {"carried": data, "position": [9, 9]}]
    later = opened(creatures=entries, seats=SEATS)
    assert set(later["orc"].gm_only) == {"hp_max", "willpower"}
    seen = to_data(view(later.state, "zoe"))["creatures"]["orc"]
    assert seen["hp"] == seen["sheet"]["willpower"] == {"sealed": ["seat:gm"]}
    told = to_data(view(later.logged("encounter_opened")[0], "zoe"))["opening"]["creatures"][1]
    assert told["carried"]["character"]["hp"] == {"sealed": ["seat:gm"]}
    assert told["carried"]["character"]["sheet"]["willpower"] == {"sealed": ["seat:gm"]}


def test_a_creature_is_its_character_and_what_the_fight_adds() -> None:
    assert issubclass(Creature, Character)
    of_the_fight = set(names(Creature)) - set(names(Character))
    assert {"position", "budget", "depth", "unaware_of", "mount", "aloft", "delayed"} <= of_the_fight
