"""TABLE-SEAT-1 in Heart Rush: commands refuse creatures, seats and prompts that are not the sender's."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.heartrush.kit import Fight, begun, opened, sheet

PLACES = {"pia": (0, 0), "ash": (1, 0), "wolf": (0, -1), "orc": (3, 0)}
CHECK = {"ability": "might", "what": "lift it", "cn": 8}


def code_of(fight: Fight, by: str, type_: str, **data: Any) -> tuple[str, str | None]:
    """Return the code and the rule of a refusal."""
    found = fight.send(type_, by, **data).refusal
    assert found is not None, f"{type_} was accepted"
    return found.code, found.rule


@pytest.fixture
def quiet() -> Fight:
    """Return a table before combat."""
    fight = opened(PLACES)
    for seat, role in (("eve", "observer"), ("max", "player"), ("tom", "player")):
        fight.do("open_seat", seat=seat, role=role)
    return fight.do("close_seat", seat="max")


@pytest.mark.parametrize(
    ("type_", "data"),
    [
        ("roll_check", {"creature": "elf", **CHECK}),
        (
            "roll_check",
            {"creature": "pia", **CHECK, "cn": None, "against": {"creature": "elf", "by": "might"}},
        ),
        ("award_xp", {"creatures": ["pia", "elf"], "amount": 1}),
        ("describe_wound", {"creature": "elf", "wound": "w1", "description": "a cut"}),
        ("rest", {"rest": "short", "creatures": ["pia", "elf"]}),
        ("rest", {"rest": "long", "night": {"watch": ["elf"]}}),
        ("hold_breath", {"creature": "elf"}),
        ("breathe", {"creature": "elf"}),
        ("cut_off", {"creature": "elf"}),
        ("fall", {"creature": "elf", "feet": 20}),
        ("hazard", {"creature": "elf", "what": "a trap", "ability": "agility", "cn": 8, "damage": 1}),
        ("allow_hiding", {"creature": "elf", "cn": 8}),
        ("allow_hiding", {"creature": "pia", "cn": 8, "viewers": ["orc", "elf"]}),
        ("spend_xp", {"creature": "elf", "purchase": {"kind": "hit_points"}}),
        ("pass", {"creature": "elf"}),
    ],
)
def test_TABLE_SEAT_1_nothing_is_done_to_a_creature_that_is_not_there(
    quiet: Fight, type_: str, data: dict[str, Any]
) -> None:
    fight = begun(PLACES) if type_ == "pass" else quiet
    assert code_of(fight, "gm", type_, **data) == ("no_such_creature", "TABLE-SEAT-1")


@pytest.mark.parametrize(
    ("type_", "data"),
    [
        ("roll_check", {"creature": "pia", **CHECK}),
        (
            "roll_check",
            {"creature": "pia", **CHECK, "cn": None, "against": {"creature": "orc", "by": "might"}},
        ),
        ("award_xp", {"creatures": ["pia", "ash"], "amount": 1}),
        ("rest", {"rest": "short", "creatures": ["pia", "ash"]}),
        ("rest", {"rest": "long", "night": {"watch": ["ash"]}}),
        ("hold_breath", {"creature": "pia"}),
        ("cut_off", {"creature": "pia"}),
        ("fall", {"creature": "pia", "feet": 20}),
        ("hazard", {"creature": "pia", "what": "a trap", "ability": "agility", "cn": 8, "damage": 1}),
        ("allow_hiding", {"creature": "pia", "cn": 8, "viewers": ["orc"]}),
    ],
)
def test_TABLE_SEAT_1_what_names_creatures_that_are_there_is_accepted(
    quiet: Fight, type_: str, data: dict[str, Any]
) -> None:
    assert quiet.send(type_, "gm", **data).refusal is None


@pytest.mark.parametrize(
    ("type_", "data"),
    [
        ("pass", {}),
        ("dash", {"to": [0, 1]}),
        ("sidestep", {"to": [0, 1], "pay": "rush"}),
        ("engage", {"target": "wolf"}),
        ("object", {"verb": "handle", "item": "a door"}),
        ("call_out", {"words": "help!"}),
    ],
)
def test_TABLE_SEAT_1_a_seat_acts_with_its_own_creatures_alone(type_: str, data: dict[str, Any]) -> None:
    fight = begun(PLACES)
    fight.do("open_seat", seat="tom", role="player")
    for by in ("gm", "tom"):
        assert code_of(fight, by, type_, creature="pia", **data) == ("not_your_creature", "TABLE-SEAT-1")
    assert code_of(fight, "zoe", type_, creature="elf", **data) == ("no_such_creature", "TABLE-SEAT-1")
    assert fight.send(type_, "zoe", creature="pia", **data).refusal is None


@pytest.mark.parametrize(
    ("seat", "code"),
    [("new", "no_such_seat"), ("max", "no_such_seat"), ("eve", "no_such_seat"), ("tom", None), ("gm", None)],
)
def test_TABLE_SEAT_1_a_creature_that_arrives_is_given_to_an_open_seat_of_a_player(
    quiet: Fight, seat: str, code: str | None
) -> None:
    entry = {"sheet": sheet("bru"), "position": [9, 9]}
    found = quiet.send("add_creature", "gm", entry=entry, seat=seat).refusal
    assert (found and (found.code, found.rule)) == (code and (code, "TABLE-SEAT-1"))
    if code is None:
        assert quiet.state.controller("bru") == seat
