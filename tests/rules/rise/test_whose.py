"""TABLE-SEAT-1 in Rise: commands refuse creatures and seats that are not there or not the sender's."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.rise.kit import Fight, entry, opened

PIA, ORC = entry("pc@heroes/pia", (0, 0)), entry("mon@orcs/orc", (5, 0))


def code_of(fight: Fight, by: str, type_: str, **data: Any) -> tuple[str, str | None] | None:
    """Return the code and the rule of a refusal; None if it is accepted."""
    found = fight.send(type_, by, **data).refusal
    return (found.code, found.rule) if found is not None else None


@pytest.mark.parametrize(
    ("type_", "data", "name"),
    [
        ("start_combat", {"unaware": ["orc", "{}"]}, "pia"),
        ("start_combat", {"partly_unaware": ["{}"]}, "orc"),
        ("set_groups", {"groups": {"all": ["orc", "{}"]}}, "pia"),
        ("set_attitude", {"creature": "orc", "toward": "{}", "attitude": "enemy"}, "pia"),
    ],
)
def test_TABLE_SEAT_1_a_creature_that_is_named_takes_part(
    type_: str, data: dict[str, Any], name: str
) -> None:
    def naming(value: Any, who: str) -> Any:
        if isinstance(value, dict):
            return {key: naming(each, who) for key, each in value.items()}
        if isinstance(value, list):
            return [naming(each, who) for each in value]
        return who if value == "{}" else value

    fight = opened(PIA, ORC)
    assert code_of(fight, "gm", type_, **naming(data, "elf")) == ("no_such_creature", "TABLE-SEAT-1")
    assert code_of(fight, "gm", type_, **naming(data, name)) is None


@pytest.mark.parametrize(
    ("by", "creature", "code"),
    [
        ("seat-heroes", "pia", None),
        ("seat-heroes", "orc", "not_your_creature"),
        ("gm", "pia", "not_your_creature"),
        ("gm", "orc", None),
        ("gm", "elf", "no_such_creature"),
    ],
)
def test_TABLE_SEAT_1_each_seat_speaks_for_its_own(by: str, creature: str, code: str | None) -> None:
    toward = "orc" if creature == "pia" else "pia"
    found = code_of(opened(PIA, ORC), by, "set_attitude", creature=creature, toward=toward, attitude="enemy")
    assert found == (code and (code, "TABLE-SEAT-1"))


def test_TABLE_SEAT_1_a_wound_is_of_a_creature_that_takes_part() -> None:
    fight = opened(PIA, ORC)
    assert code_of(fight, "gm", "treat_wound", creature="elf", wound=0) == (
        "no_such_creature",
        "TABLE-SEAT-1",
    )
    assert code_of(fight, "gm", "treat_wound", creature="pia", wound=0) == ("invalid_target", "RI-VITAL-5")


@pytest.mark.parametrize(
    ("seat", "code"),
    [
        ("new", "no_such_seat"),
        ("eve", "no_such_seat"),
        ("max", "no_such_seat"),
        ("seat-heroes", None),
        ("gm", None),
        (None, None),
    ],
)
def test_TABLE_SEAT_1_an_arrival_is_given_to_an_open_seat_of_a_player(
    seat: str | None, code: str | None
) -> None:
    fight = opened(PIA, ORC)
    for each in ({"seat": "eve", "role": "observer"}, {"seat": "max", "role": "player"}):
        assert code_of(fight, "gm", "open_seat", **each) is None
    assert code_of(fight, "gm", "close_seat", seat="max") is None
    found = code_of(fight, "gm", "add_creature", entry=entry("pc@heroes/bru", (9, 9)), seat=seat)
    assert found == (code and (code, "TABLE-SEAT-1"))
