"""Hold carried characters to the commits that they name: true, forged, by hand, taken too early."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

import pytest

from service.audit.carrying import sources_of, with_carried
from service.audit.evidence import Evidence, stored
from service.audit.report import Report
from service.audit.verify import verify
from service.core import views
from service.rules.heartrush import HEARTRUSH
from service.rules.rise import RISE
from service.rules.table.carried import CarriedFrom
from tests.rules.heartrush.kit import opening, sheet
from tests.rules.rise.kit import entry as rise_entry
from tests.rules.rise.kit import opening as rise_opening
from tests.support.in_process_service import BOTH, House

PLACES = {"pia": (0, 0), "orc": (20, 0)}
RISE_PAIR = rise_entry("pc@heroes/pia", (0, 0), dr_max=3), rise_entry("mon@orcs/orc", (9, 0))


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    with House() as made:
        yield made


@pytest.fixture(scope="module")
def before(house: House) -> str:
    """Return an encounter in which Pia was hurt and spent destiny, and an orc has GM-only hit points."""
    given = opening(PLACES, declared_sides=[])
    given["creatures"][1] |= {"gm_only": ["hp_max"], "hp": 20}
    line = house.open(HEARTRUSH, given)
    hurt = {"kind": "hp", "creature": "pia", "hp": 21}
    destiny = {"kind": "destiny", "creature": "pia", "points": 2}
    for effect in (hurt, destiny):
        said = {"subject": "pia", "decision": "so", "reason": "so", "kind": "effect"}
        ruled = house.send(line, "gm", "gm_ruling", effects=[effect], **said)
        assert ruled.outcome == "accepted", ruled.refusal
    return line


def taken(
    house: House, line: str, creature: str = "pia", at: int | None = None, ruleset: Any = HEARTRUSH
) -> dict[str, Any]:
    folded = house.services.folder.current(line) if at is None else house.services.folder.at(line, at)
    origin = CarriedFrom(encounter=line, n=folded.n, hash=folded.hash)
    found = views.carried_data(ruleset, folded.state, creature, origin, "gm")
    assert found is not None
    return deepcopy(found)


def rise_before(house: House) -> str:
    """Return an encounter of Rise in which Pia was hurt and tired."""
    line = house.open(RISE, rise_opening(*RISE_PAIR))
    said = {"subject": "pia", "decision": "so", "reason": "so", "kind": "effect"}
    effects = [
        {"does": "damage", "target": "pia", "amount": 9},
        {"does": "fatigue", "target": "pia", "amount": 2},
    ]
    ruled = house.send(line, "gm", "gm_ruling", effects=effects, **said)
    assert ruled.outcome == "accepted", ruled.refusal
    return line


def next_one(house: House, carried: Mapping[str, Any], **beside: Any) -> Evidence:
    orc = {"sheet": sheet("wolf"), "position": [20, 0]}
    entry = {"carried": carried, "position": [0, 0], **beside}
    line = house.open(HEARTRUSH, opening({}, creatures=[entry, orc], seats=[], declared_sides=[]))
    return stored(house.log, line)


def judged(house: House, child: Evidence, *sources: str) -> Report:
    report = verify(child, BOTH)
    assert report.verdict.is_sound, str(report.verdict)
    return with_carried(report, child, [stored(house.log, each) for each in sources], BOTH)


def findings(report: Report) -> dict[str, str]:
    assert report.verdict.is_sound, f"{report.verdict}: {report.verdict.detail}"
    return {each.name: each.detail for each in report.findings}


def test_what_stood_there_is_found_to_be_so(house: House, before: str) -> None:
    child = next_one(house, taken(house, before), days_between=4)
    assert sources_of(child) == (before,)
    assert findings(judged(house, child, before)) == {
        "carried": f"pia is what stood after commit 3 of {before}"
    }


def test_a_forged_character_is_named_with_the_place_and_both_values(house: House, before: str) -> None:
    forged = taken(house, before)
    forged["character"]["hp"] = 40
    report = judged(house, next_one(house, forged), before)
    assert str(report.verdict) == "carry_forged(1, /events/0/opening/creatures/0/carried/character/hp)"
    assert report.verdict.detail.endswith("/character/hp is 40 and was 21")
    assert not report.verdict.is_sound


@pytest.mark.parametrize(
    "change",
    [
        {"spent": ["cry"]},
        {"potions": 3},
        {"conditions": {"dazed": {"level": 1, "source": None, "since": 0}}},
        {"wounds": [{"id": "w", "rank": 1, "initial_rank": 9, "description": "cut", "treated": True}]},
        {"last_used": {"chant": 0}},
        {"destiny_points": 10},
    ],
    ids=lambda change: next(iter(change)),
)
def test_whatever_is_forged_is_found(house: House, before: str, change: dict[str, Any]) -> None:
    forged = taken(house, before)
    forged["character"] |= change
    verdict = judged(house, next_one(house, forged), before).verdict
    assert verdict.name == "carry_forged"
    assert f"/carried/character/{next(iter(change))}" in (verdict.path or "")


def test_another_commit_another_encounter_and_no_commit_are_forged(house: House, before: str) -> None:
    good = taken(house, before)
    for change, what in (({"hash": "00" * 32}, "another commit"), ({"n": 99}, "has 3 commits")):
        forged = {**good, "carried_from": {**good["carried_from"], **change}}
        verdict = judged(house, next_one(house, forged), before).verdict
        assert verdict.name == "carry_forged"
        assert what in verdict.detail
    stranger = deepcopy(good)
    stranger["character"]["sheet"]["id"] = "ada"
    assert judged(house, next_one(house, stranger), before).verdict.name == "carry_forged"


def test_without_the_other_record_nothing_is_said_to_be_proved(house: House, before: str) -> None:
    forged = taken(house, before)
    forged["character"]["hp"] = 40
    found = findings(judged(house, next_one(house, forged)))
    assert list(found) == ["carry_unproved"]
    assert before in found["carry_unproved"]


def test_what_the_host_wrote_in_by_hand_is_named_and_is_no_forgery(house: House, before: str) -> None:
    data = taken(house, before)
    stronger = {**data["character"]["sheet"], "might": 10}
    found = findings(judged(house, next_one(house, data, sheet=stronger, hp=30, heart_die=8), before))
    assert found["by_hand"] == "pia: written in by hand in commit 1: /hp, /sheet/might"
    assert "carried" in found


def test_a_character_from_before_it_was_hurt_is_named(house: House, before: str) -> None:
    found = findings(judged(house, next_one(house, taken(house, before, at=1)), before))
    assert found["carried_early"].startswith("pia was carried from commit 1 of 3")


def test_what_is_gm_only_is_compared_and_not_said(house: House, before: str) -> None:
    forged = taken(house, before, "orc")
    assert forged["character"]["hp"] == 20
    assert findings(judged(house, next_one(house, forged), before))["carried"].startswith("orc is what stood")
    forged["character"]["hp"] = 19
    verdict = judged(house, next_one(house, forged), before).verdict
    assert verdict.name == "carry_forged"
    assert verdict.detail.endswith("/character/hp differs")


def test_arrivals_and_hidden_creatures_are_compared_too(house: House, before: str) -> None:
    forged = taken(house, before)
    forged["character"]["hp"] = 40
    entry = {"carried": forged, "position": [3, 3]}
    for type_, place, said in (
        (
            "hide_creature",
            "/events/0/payload/events/0/entry",
            "/hp differs",
        ),  # only the gm knows the creature
        ("add_creature", "/events/0/entry", "/hp is 40 and was 21"),
    ):
        line = house.open(HEARTRUSH, opening({"ash": (0, 0), "orc": (9, 9)}, declared_sides=[]))
        commit = house.send(line, "gm", type_, entry=entry)
        verdict = judged(house, stored(house.log, line), before).verdict
        assert (verdict.name, verdict.n) == ("carry_forged", commit.n)
        assert (verdict.path or "").startswith(place)
        assert verdict.detail.endswith(said)


def test_a_chain_of_rise_is_compared_in_the_same_way(house: House) -> None:
    before = rise_before(house)
    good = taken(house, before, ruleset=RISE)
    assert (good["character"]["hp"], good["character"]["dr"], good["character"]["fatigue"]) == (14, 0, 2)
    orc = RISE_PAIR[1]

    def entered(carried: Mapping[str, Any], **beside: Any) -> Evidence:
        entries = [{"carried": carried, "position": [0, 0], **beside}, orc]
        return stored(house.log, house.open(RISE, {"creatures": entries, "seats": []}))

    assert findings(judged(house, entered(good, days_between=2), before)) == {
        "carried": f"pia is what stood after commit 2 of {before}"
    }
    by_hand = findings(judged(house, entered(good, hp=20, dr=0, fatigue=0), before))
    assert by_hand["by_hand"] == "pia: written in by hand in commit 1: /hp, /fatigue"
    forged = deepcopy(good)
    forged["character"]["recovered"] = True
    verdict = judged(house, entered(forged), before).verdict
    assert verdict.name == "carry_forged"
    assert verdict.detail.endswith("/character/recovered is true and was false")
