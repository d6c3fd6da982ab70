"""Keep creatures hidden in Rise: no group knows of one, and it is met where all ways become true."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from service.rules.kernel.sealed import view
from service.rules.rise import RISE
from service.rules.rise.creatures.character import sheet_of
from service.rules.rise.creatures.state import State
from tests.rules.rise.kit import Fight, begun, entry, opened, opening
from tests.rules.rise.moving.test_movements import east
from tests.rules.rise.sight.test_areas import quake
from tests.support.in_process_service import House, random_command

WINGS = {"land": 30, "fly": 60}
GUST = {"id": "gust", "range_ft": 60, "effects": [{"does": "push", "amount": 20}]}
PUT = {"does": "locate", "target": "p", "to": [5, 0]}


def hidden_creature(position: tuple[int, int] = (5, 0), name: str = "gob", **changes: Any) -> dict[str, Any]:
    return entry(f"mon@orcs/{name}", position, **changes)


def ambush(*more: dict[str, Any], hidden: dict[str, Any], phase: str = "movement", **hero: Any) -> Fight:
    """Return a fight of a hero at the origin and an enemy far off, in which somebody hides."""
    heroes = entry("pc@heroes/p", (0, 0), **hero), entry("mon@wolves/e", (0, 20))
    fight = opened(*heroes, *more).do("hide_creature", entry=hidden)
    fight.do("start_combat", start_phase=phase)
    return fight.to_actions() if phase == "action" else fight


def walked(fight: Fight, path: list[list[int]], **plan: Any) -> Fight:
    """Let the hero go last of all heroes, and the enemy stay."""
    fight.do("plan_movement", "p", **{"ability": "hustle", "path": path, **plan}).do("pass_movement", "e")
    return fight


# --- what nobody is told -----------------------------------------------------------------------------


def test_TABLE_HIDDEN_1_in_no_world_anything_lurks_and_nobody_is_offered_less() -> None:
    fight, other = ambush(hidden=hidden_creature()), ambush(hidden=hidden_creature((30, 30)))
    assert fight.state.hidden_creatures
    assert not any(fight.state.at(group).hidden_creatures for group in fight.state.groups)
    assert fight.offers("seat-heroes") == other.offers("seat-heroes")
    assert fight.offers("gm") == other.offers("gm")


def test_TABLE_HIDDEN_1_initiative_groups_and_creatures_are_as_without_it() -> None:
    fight, without = (
        ambush(hidden=hidden_creature()),
        begun(entry("pc@heroes/p", (0, 0)), entry("mon@wolves/e", (0, 20)), phase="movement"),
    )
    assert fight.state.groups == without.state.groups
    assert fight.state.creatures == without.state.creatures
    assert not view(fight.state, "seat-heroes").known_hidden()
    assert view(fight.state, "gm").known_hidden()


@pytest.mark.parametrize(
    ("data", "code"),
    [
        ({"entry": hidden_creature((9, 9))}, "creature_taken"),
        ({"entry": hidden_creature((9, 9), name="p")}, "creature_taken"),
        ({"entry": hidden_creature(name="rat")}, "space_occupied"),
        ({"entry": hidden_creature((0, 20), name="rat")}, "space_occupied"),
        ({"entry": hidden_creature((9, 9), name="rat", hp=99)}, "opening_not_possible"),
    ],
)
def test_TABLE_HIDDEN_1_what_cannot_lurk_is_refused(data: dict[str, Any], code: str) -> None:
    assert ambush(hidden=hidden_creature()).refused("hide_creature", **data) == code


def test_TABLE_HIDDEN_1_above_and_below_somebody_is_room() -> None:
    fight = ambush(hidden=hidden_creature((0, 20), altitude=10)).do(
        "hide_creature", entry=hidden_creature(name="rat")
    )
    assert fight.refused("move_hidden_creature", hidden_creature=2, position=[0, 20]) == "space_occupied"
    assert fight.do("move_hidden_creature", hidden_creature=2, position=[5, 1]).state.known_hidden()[
        "2"
    ].position == (5, 1)
    assert (
        fight.refused("move_hidden_creature", hidden_creature=3, position=[0, 20])
        == "no_such_hidden_creature"
    )


def test_TABLE_HIDDEN_1_it_is_the_gms_to_hide_and_to_show_also_between_two_fights() -> None:
    fight = ambush(hidden=hidden_creature(), phase="action")
    for command, data in (
        ("hide_creature", {"entry": hidden_creature((9, 9), "rat")}),
        ("move_hidden_creature", {"hidden_creature": 1, "position": [9, 9]}),
        ("reveal_creature", {"hidden_creature": 1}),
        ("withdraw_hidden_creature", {"hidden_creature": 1}),
    ):
        refusal = fight.send(command, "seat-heroes", **data).refusal
        assert refusal is not None
        assert refusal.code == "not_gm"
    fight.rest().do("end_combat")
    fight.do("hide_creature", entry=hidden_creature((9, 9), "rat"))
    assert fight.do("reveal_creature", hidden_creature=2)["rat"].position == (9, 9)
    assert not fight.do("withdraw_hidden_creature", hidden_creature=1).state.hidden_creatures


# --- being found -------------------------------------------------------------------------------------


def test_TABLE_HIDDEN_2_a_way_ends_before_it_and_it_joins_with_the_next_phase() -> None:
    fight = ambush(hidden=hidden_creature())
    fight.do("plan_movement", "p", ability="hustle", path=east(0, 6))
    assert not fight.logged("hidden_creature_revealed")
    fight.do("pass_movement", "e")
    (told,) = fight.logged("hidden_creature_revealed")
    assert (told.found_by, told.because) == ("p", ("TABLE-HIDDEN-2",))
    assert fight["p"].position == (4, 0)
    assert fight["gob"].position == (5, 0)
    assert fight.state.phase == "action"
    assert any("gob" in members for members in fight.state.groups.values())
    assert not fight.state.hidden_creatures


@pytest.mark.parametrize(
    ("hides", "flies", "ends"), [(0, 40, (6, 0)), (40, 40, (4, 0)), (0, 0, (4, 0)), (40, 0, (6, 0))]
)
def test_TABLE_HIDDEN_2_heights_count(hides: int, flies: int, ends: tuple[int, int]) -> None:
    fight = ambush(hidden=hidden_creature(altitude=hides), speeds=WINGS, altitude=flies)
    walked(fight, east(0, 6), mode="fly" if flies else "land")
    assert fight["p"].position == ends
    assert bool(fight.logged("hidden_creature_revealed")) is (ends == (4, 0))


def test_TABLE_HIDDEN_2_who_is_stopped_by_somebody_else_before_it_finds_nothing() -> None:
    """RI-CONF-2: the elf was first, and the hero's way ends before it."""
    fight = ambush(entry("pc@elves/q", (3, 5)), hidden=hidden_creature())
    fight.do("plan_movement", "q", ability="hustle", path=[[3, 4], [3, 3], [3, 2], [3, 1], [3, 0]])
    fight.do("pass_movement", "e").do("plan_movement", "p", ability="hustle", path=east(0, 6))
    fight.throw(1, 9).do("keep_roll", "p")
    assert fight["q"].position == (3, 0)
    assert fight["p"].position == (2, 0)
    assert not fight.logged("hidden_creature_revealed")


def test_TABLE_HIDDEN_2_two_who_come_upon_it_find_it_once() -> None:
    fight = ambush(entry("pc@heroes/q", (10, 0)), hidden=hidden_creature())
    fight.do("plan_movement", "q", ability="hustle", path=east(10, 5))
    walked(fight, east(0, 5))
    assert [event.found_by for event in fight.logged("hidden_creature_revealed")] == ["p"]
    assert (fight["p"].position, fight["q"].position) == ((4, 0), (6, 0))


def test_TABLE_HIDDEN_2_whoever_follows_goes_by_what_becomes_of_its_leader() -> None:
    fight = ambush(entry("pc@heroes/q", (-1, 0)), hidden=hidden_creature((3, 0)))
    fight.do("plan_movement", "q", ability="follow", targets=["p"], distance_ft=5)
    walked(fight, east(0, 6))
    assert (fight["p"].position, fight["q"].position) == ((2, 0), (1, 0))
    assert [event.found_by for event in fight.logged("hidden_creature_revealed")] == ["p"]
    assert not fight.logged("conflict_found")


@pytest.mark.parametrize("hides", [(3, 0), (30, 30)])
def test_TABLE_HIDDEN_1_whether_a_follower_may_sprint_is_asked_of_what_was_meant(
    hides: tuple[int, int],
) -> None:
    """What stops its leader is told when all move, and no sooner."""
    fight = ambush(entry("pc@heroes/q", (-1, 0), speeds={"land": 10}), hidden=hidden_creature(hides))
    fight.do("plan_movement", "q", ability="follow", targets=["p"], distance_ft=5, sprint="ask")
    walked(fight, east(0, 6))
    assert [event.asked for event in fight.logged("sprints_asked")] == [("q",)]
    assert not fight.logged("hidden_creature_revealed")
    fight.do("consent_sprint", "q", accept=False)
    assert len(fight.logged("hidden_creature_revealed")) == (hides == (3, 0))


def test_TABLE_HIDDEN_2_what_was_done_on_the_way_stands() -> None:
    """RI-RES-12: a charge struck in its group's world; the merge stops it short of what it could not see."""
    fight = ambush(entry("mon@wolves/w", (6, 0)), hidden=hidden_creature((3, 0)), phase="action")
    fight.do("charge", "p", 8, 4, target="w", weapon="blade", path=east(0, 5))
    assert fight.seen("heroes", "p").position == (5, 0)
    fight.end("p").rest()
    assert fight["p"].position == (2, 0)
    assert fight["w"].hp < 20
    assert [event.found_by for event in fight.logged("hidden_creature_revealed")] == ["p"]
    assert fight["gob"].position == (3, 0), "the round after begins with a phase, and it has joined"


def test_TABLE_HIDDEN_2_a_push_of_another_group_finds_it() -> None:
    fight = ambush(
        entry("mon@wolves/w", (-1, 0), abilities=[GUST]), hidden=hidden_creature((2, 0)), phase="action"
    )
    fight.do("pass_turn", "p").do("use_ability", "w", ability="gust", targets=["p"]).end("w").rest()
    assert fight["p"].position == (1, 0)
    assert [event.found_by for event in fight.logged("hidden_creature_revealed")] == ["p"]


def test_TABLE_HIDDEN_2_who_is_put_there_stays_and_what_lurked_gives_way() -> None:
    fight = ambush(hidden=hidden_creature(), phase="action").rest()
    assert not fight.logged("hidden_creature_revealed")
    fight = opened(entry("pc@heroes/p", (0, 0)), entry("mon@wolves/e", (0, 20)))
    fight.do("hide_creature", entry=hidden_creature())
    fight.do("gm_ruling", kind="correction", decision="it stood there", effects=[PUT])
    assert fight["p"].position == (5, 0)
    assert fight["gob"].position == (4, 0)
    assert [event.found_by for event in fight.logged("hidden_creature_revealed")] == ["p"]


def test_TABLE_HIDDEN_2_who_is_put_onto_several_finds_each() -> None:
    fight = opened(entry("pc@heroes/p", (0, 0), size="large"), entry("mon@wolves/e", (0, 20)))
    for place, name in (((5, 0), "gob"), ((6, 1), "gab")):
        fight.do("hide_creature", entry=hidden_creature(place, name))
    fight.do("gm_ruling", kind="correction", decision="it stood there", effects=[PUT])
    assert [
        (event.hidden_creature, event.found_by) for event in fight.logged("hidden_creature_revealed")
    ] == [
        (1, "p"),
        (2, "p"),
    ]
    assert fight.state.hidden_creatures == {}
    assert len({fight[name].position for name in ("gob", "gab")} - {(5, 0), (5, 1), (6, 0), (6, 1)}) == 2


def test_TABLE_HIDDEN_2_who_comes_down_on_it_finds_it() -> None:
    fight = ambush(hidden=hidden_creature((1, 0)), speeds=WINGS, altitude=20)
    walked(fight, [[1, 0]], mode="fly", altitude_ft=0)
    assert [event.found_by for event in fight.logged("hidden_creature_revealed")] == ["p"]
    assert fight["p"].position == (1, 0)
    assert fight["gob"].position != (1, 0)


# --- being shown -------------------------------------------------------------------------------------


def test_TABLE_HIDDEN_3_it_takes_no_part_so_nothing_happens_to_it() -> None:
    fight = ambush(hidden=hidden_creature((2, 0)), phase="action", abilities=[quake(size_ft=15)])
    fight.do("use_ability", "p", ability="blast").end("p").rest()
    assert fight.state.known_hidden()["1"].hp is None
    fight.do("reveal_creature", hidden_creature=1).to_actions()
    assert fight["gob"].hp == 20


def test_TABLE_HIDDEN_3_before_the_fight_begins_it_is_there_at_once() -> None:
    fight = opened(entry("pc@heroes/p", (0, 0)), entry("mon@wolves/e", (0, 20)))
    fight.do("hide_creature", entry=hidden_creature()).do("reveal_creature", hidden_creature=1)
    assert fight["gob"].position == (5, 0)


def test_TABLE_HIDDEN_3_a_taken_place_and_a_taken_id_are_resolved_when_it_is_seen() -> None:
    fight = ambush(hidden=hidden_creature(), phase="action").do("add_creature", entry=hidden_creature())
    fight.do("reveal_creature", hidden_creature=1)
    assert [sheet_of(known.entry).id for known in fight.state.arriving] == ["gob", "gob-2"]
    fight.rest()
    assert (fight["gob"].position, fight["gob-2"].position) == ((5, 0), (4, 0))


@pytest.mark.parametrize("seed", range(3))
def test_TABLE_HIDDEN_3_random_play_around_lurkers_audits_valid(seed: int) -> None:
    chance = Random(seed)
    with House() as house:
        encounter = house.open(RISE, opening(entry("pc@x/k1", (0, 0)), entry("pc@y/k2", (5, 0))))
        for i, place in enumerate(((2, 0), (3, 1), (30, 30))):
            house.send(encounter, "gm", "hide_creature", entry=hidden_creature(place, f"g{i}"))
        house.send(encounter, "gm", "start_combat", start_phase="movement")
        for _ in range(25):
            random_command(house, encounter, chance)
        state = house.state(encounter)
        assert isinstance(state, State)
        if state.hidden_creatures:
            house.send(
                encounter, "gm", "reveal_creature", hidden_creature=int(next(iter(state.hidden_creatures)))
            )
        assert house.audit(encounter).verdict.is_sound, f"seed {seed}"
