"""TABLE-SEAT-1: who opens, changes and closes seats, what a seat may control, and who may act at all."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.heartrush.kit import Fight, opened


@pytest.fixture
def table() -> Fight:
    """Return a table: zoe and tom play, eve observes, ann audits, and the seat of max is closed."""
    fight = opened({"pia": (0, 0), "ash": (0, 1), "orc": (9, 0)})
    fight.do("change_seat", seat="zoe", creatures=["pia"])
    for seat, role in (("eve", "observer"), ("ann", "auditor"), ("max", "player"), ("tom", "player")):
        fight.do("open_seat", seat=seat, role=role)
    return fight.do("close_seat", seat="max")


def _seat(seat: str, role: str = "player", *creatures: str) -> dict[str, Any]:
    return {"seat": seat, "role": role, "creatures": creatures}


@pytest.mark.parametrize(
    ("by", "type_", "data", "code"),
    [
        ("zoe", "open_seat", _seat("new"), "not_gm"),
        ("gm", "open_seat", _seat("zoe"), "seat_taken"),
        ("gm", "open_seat", _seat("gm"), "seat_taken"),
        ("gm", "open_seat", _seat("max"), "seat_taken"),
        ("gm", "open_seat", _seat("clock"), "seat_taken"),
        ("gm", "open_seat", _seat("new", "observer", "ash"), "observer_controls_nothing"),
        ("gm", "open_seat", _seat("new", "auditor", "ash"), "observer_controls_nothing"),
        ("gm", "open_seat", _seat("new", "player", "elf"), "no_such_creature"),
        ("gm", "open_seat", _seat("new", "player", "ash", "pia"), "creature_taken"),
        ("zoe", "change_seat", {"seat": "zoe", "creatures": []}, "not_gm"),
        ("gm", "change_seat", {"seat": "new", "creatures": []}, "no_such_seat"),
        ("gm", "change_seat", {"seat": "max", "creatures": []}, "no_such_seat"),
        ("gm", "change_seat", {"seat": "eve", "creatures": []}, "observer_controls_nothing"),
        ("gm", "change_seat", {"seat": "gm", "creatures": []}, "observer_controls_nothing"),
        ("gm", "change_seat", {"seat": "zoe", "creatures": ["elf"]}, "no_such_creature"),
        ("gm", "change_seat", {"seat": "tom", "creatures": ["pia"]}, "creature_taken"),
        ("zoe", "issue_token", {"seat": "zoe"}, "not_gm"),
        ("gm", "issue_token", {"seat": "new"}, "no_such_seat"),
        ("gm", "issue_token", {"seat": "max"}, "no_such_seat"),
        ("zoe", "close_seat", {"seat": "eve"}, "not_gm"),
        ("gm", "close_seat", {"seat": "max"}, "no_such_seat"),
        ("gm", "close_seat", {"seat": "gm"}, "gm_stays"),
        ("new", "pass", {"creature": "pia"}, "no_such_seat"),
        ("max", "pass", {"creature": "pia"}, "seat_cannot_act"),
        ("eve", "pass", {"creature": "pia"}, "seat_cannot_act"),
        ("ann", "pass", {"creature": "pia"}, "seat_cannot_act"),
    ],
)
def test_TABLE_SEAT_1_refuses(table: Fight, by: str, type_: str, data: dict[str, Any], code: str) -> None:
    refusal = table.send(type_, by, **data).refusal

    assert refusal is not None
    assert (refusal.code, refusal.rule) == (code, "TABLE-SEAT-1")


def test_TABLE_SEAT_1_each_change_is_in_the_record_and_in_the_state(table: Fight) -> None:
    table.do("open_seat", **_seat("new", "player", "ash"))
    assert table.events[-2:] == [*table.logged("seat_opened")[-1:], *table.logged("seat_token_issued")[-1:]]
    assert [(event.seat, event.number) for event in table.logged("seat_token_issued")[-1:]] == [("new", 1)]
    assert table.state.controller("ash") == "new"
    table.do("change_seat", seat="new", creatures=["orc", "ash"])
    assert (table.state.controller("orc"), table.state.controller("pia")) == ("new", "zoe")
    table.do("issue_token", seat="new").do("issue_token", seat="new")
    assert [event.number for event in table.logged("seat_token_issued")[-2:]] == [2, 3]
    assert table.state.seats["new"].tokens == 3
    table.do("close_seat", seat="new")
    assert (table.state.controller("orc"), table.state.controller("ash")) == ("gm", "gm")
    seats = [event for event in table.events if event.type.startswith("seat_")]
    assert {event.because for event in seats} == {("TABLE-SEAT-1",)}


KEY, OTHER = "ab" * 32, "cd" * 32


@pytest.mark.parametrize(
    ("by", "type_", "data", "code"),
    [
        ("zoe", "set_seat_key", {"seat": "zoe", "key": KEY}, None),
        ("gm", "set_seat_key", {"seat": "zoe", "key": KEY}, None),
        ("tom", "set_seat_key", {"seat": "zoe", "key": KEY}, "not_gm"),
        ("tom", "set_seat_key", {"seat": "tom", "key": OTHER}, "key_is_set"),
        ("gm", "set_seat_key", {"seat": "tom", "key": OTHER}, None),
        ("zoe", "set_seat_key", {"seat": "zoe", "key": "ab" * 31}, "key_malformed"),
        ("zoe", "set_seat_key", {"seat": "zoe", "key": "xy" * 32}, "key_malformed"),
        ("gm", "open_seat", {**_seat("new"), "key": KEY}, None),
        ("gm", "open_seat", _seat("new"), None),
        ("gm", "open_seat", {**_seat("new"), "key": "ab" * 33}, "key_malformed"),
        ("gm", "issue_token", {"seat": "zoe", "key": KEY}, None),
        ("gm", "issue_token", {"seat": "zoe", "key": "ab"}, "key_malformed"),
        ("gm", "remove_seat_key", {"seat": "tom"}, None),
        ("gm", "remove_seat_key", {"seat": "zoe"}, "no_key"),
    ],
)
def test_TABLE_SIGN_1_a_seat_sets_its_key_once_and_the_gm_at_any_time(
    table: Fight, by: str, type_: str, data: dict[str, Any], code: str | None
) -> None:
    """Tom has a key, and Zoe has none."""
    table.do("set_seat_key", seat="tom", key=KEY)
    refusal = table.send(type_, by, **data).refusal
    assert (refusal and (refusal.code, refusal.rule)) == (code and (code, "TABLE-SIGN-1"))
    if code is None:
        kept = table.state.seats[data["seat"]].key
        assert kept == (None if type_ == "remove_seat_key" else data.get("key"))
