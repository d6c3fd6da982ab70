"""Bring creatures into a fight that has begun: announced at once, there with the next phase."""

from __future__ import annotations

import re
from random import Random
from typing import Any

import pytest

from service.rules.rise import RISE
from service.rules.rise.creatures.character import sheet_of
from service.rules.rise.creatures.state import State
from tests.rules.rise.kit import Fight, begun, entry, opened, opening
from tests.support.in_process_service import House, random_command

SEATS = [{"seat": "zoe", "role": "player", "creatures": ["k1"]}]


def late(position: tuple[int, int] = (9, 9), name: str = "late", **changes: Any) -> dict[str, Any]:
    return entry(f"mon@y/{name}", position, **changes)


def fight(**changes: Any) -> Fight:
    return begun(entry("pc@x/k1", (0, 0)), entry("mon@y/k2", (5, 0)), **changes)


def passed(fight: Fight) -> Fight:
    for name in list(fight.state.creatures):
        fight.do("pass_turn", name)
    return fight


def test_RI_GM_5_who_comes_late_is_announced_and_joins_with_the_next_phase() -> None:
    now = fight().do("add_creature", entry=late())
    assert [sheet_of(known.entry).id for known in now.state.arriving] == ["late"]
    assert "late" not in now.state.creatures
    assert all("late" not in now.state.at(group).creatures for group in now.state.groups)
    passed(now)
    assert now.state.phase == "movement"
    assert now.state.round == 2
    assert now["late"].position == (9, 9)
    assert not now.state.arriving
    assert any("late" in members for members in now.state.groups.values())
    now.do("plan_movement", "late", ability="hustle", path=[[9, 8]])


def test_RI_GM_5_before_the_fight_begins_it_is_there_at_once() -> None:
    now = opened(entry("pc@x/k1", (0, 0)), entry("mon@y/k2", (5, 0))).do("add_creature", entry=late())
    assert now["late"].hp == now["late"].sheet.hp_max
    now.do("start_combat", start_phase="action")
    assert now.state.group_of("late") == now.state.group_of("k2")


def test_RI_GM_5_two_join_in_the_order_in_which_they_were_announced_each_where_it_is_free() -> None:
    now = fight().do("add_creature", entry=late((0, 0))).do("add_creature", entry=late((0, 0), "later"))
    passed(now)
    assert list(now.state.creatures) == ["k1", "k2", "late", "later"]
    places = [creature.position for creature in now.state.creatures.values()]
    assert len(set(places)) == 4
    assert now["late"].position == (-1, 0)


def test_RI_GM_5_a_players_seat_controls_it_from_then_on() -> None:
    now = begun(entry("pc@x/k1", (0, 0)), entry("mon@y/k2", (5, 0)), seats=SEATS).do(
        "add_creature", entry=entry("pc@x/bo", (1, 1)), seat="zoe"
    )
    assert now.state.controller("k1") == "zoe"
    passed(now)
    assert now.state.controller("k1") == "zoe"
    assert now.state.controller("bo") == "zoe"


@pytest.mark.parametrize(
    ("entry_", "seat", "code"),
    [
        (late(name="k1"), None, "creature_taken"),
        (late(hp=99), None, "opening_not_possible"),
        (late(mount="k2"), None, "opening_not_possible"),
        (late(), "nobody", "no_such_seat"),
    ],
)
def test_RI_GM_5_what_cannot_take_part_is_refused(
    entry_: dict[str, Any], seat: str | None, code: str
) -> None:
    assert fight().refused("add_creature", entry=entry_, seat=seat) == code


def test_RI_GM_5_nobody_is_announced_twice() -> None:
    now = fight().do("add_creature", entry=late())
    assert now.refused("add_creature", entry=late((3, 3))) == "creature_taken"


def test_RI_GM_5_it_is_the_gms_to_say() -> None:
    now = begun(entry("pc@x/k1", (0, 0)), entry("mon@y/k2", (5, 0)), seats=SEATS)
    decision = now.send("add_creature", "zoe", entry=late())
    assert decision.refusal is not None
    assert decision.refusal.code == "not_gm"


def test_RI_GM_5_what_is_gm_only_about_it_stays_so_on_the_way_and_there() -> None:
    hidden = {**late(hp_max=77, hp=77), "gm_only": ["hp_max"]}
    random = Random(1)  # one for all: each anew would throw the same face at every tie, for ever
    with House() as house:
        encounter = house.open(RISE, opening(entry("pc@x/k1", (0, 0)), entry("pc@y/k2", (5, 0))))
        house.send(encounter, "gm", "start_combat", start_phase="action")
        house.send(encounter, "gm", "add_creature", entry=hidden)
        while not house.state(encounter).has_creature("late"):
            random_command(house, encounter, random)
        told = [str(commit.events) for commit in house.commits(encounter)]
        assert any("creature_arriving" in events for events in told)
        assert not any(re.search(r"\b77\b", events) for events in told), "no number; in a hash it may stand"
        state = house.state(encounter)
        assert isinstance(state, State)
        assert state.creatures["late"].sheet.hp_max == 77
        assert house.audit(encounter).verdict.is_sound
