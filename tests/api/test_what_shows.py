"""What is GM-only, on both sides of each threshold that docs/secrets.md lists: only what is listed shows.

Every fight is played over HTTP three times: with two values on one side of a threshold, whose answers to
everybody but the gm are the same, and with one on the other side, which shows exactly what the list names.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import pytest

from service.log.memory import MemoryLog
from service.record.commit import load_commit
from tests.api.apart import hashes_of, remembering
from tests.api.everything import PATHS, answers, masked
from tests.api.quick import Quick
from tests.api.test_secrecy import SEATS, served
from tests.rules.heartrush.kit import opening as heartrush
from tests.rules.rise.kit import entry
from tests.rules.rise.kit import opening as rise

WATCHER = {"seat": "eve", "role": "observer", "creatures": []}
DRAWN = re.compile(r"^[0-9a-f]{64}$")


@dataclass
class Received:
    """What players and observers are told of a fight that was played: every answer, and what they mean."""

    answers: dict[str, list[str]] = field(default_factory=dict)
    state: dict[str, str] = field(default_factory=dict)
    happened: list[str] = field(default_factory=list)


def leaves(data: Any, at: str = "") -> Iterator[tuple[str, str]]:
    """Yield each value in *data* with its place."""
    if isinstance(data, dict) and data:
        for name, value in data.items():
            yield from leaves(value, f"{at}/{name}")
    elif isinstance(data, list) and data:
        for i, value in enumerate(data):
            yield from leaves(value, f"{at}/{i}")
    elif not (isinstance(data, str) and DRAWN.match(data)):
        yield at, json.dumps(data)


def played(data: Mapping[str, Any], commands: Sequence[tuple[str, Mapping[str, Any]]]) -> Received:
    """Play *commands* by these seats; dice are thrown from a seed that is always the same."""
    log = MemoryLog()
    found = Received()
    with ExitStack() as stack:
        stack.enter_context(remembering())
        api = stack.enter_context(served(log))
        gm = Quick(api.app, api.token)
        made = gm("POST", "/v1/encounters", data)
        assert made.status_code == 201, made.text
        at = "/v1/encounters/" + json.loads(made.text)["encounter"]
        seats = {"gm": gm}
        for each in data["seats"]:
            token = json.loads(gm("POST", f"{at}/seats/{each['seat']}/token", {}).text)["token"]
            seats[each["seat"]] = gm.with_token(token)
        for seat, command in commands:
            answer = seats[seat]("POST", f"{at}/commands", command)
            assert answer.status_code == 200, answer.text
            assert json.loads(answer.text)["outcome"] == "accepted", answer.text
        while any("pass_turn" in each["prompt"]["accepts"] for each in gm.get(f"{at}/options")["options"]):
            assert gm("POST", f"{at}/commands", {"type": "pass_turn", "creature": "o"}).status_code == 200
        read = seats["eve"].get(f"{at}/commits")["commits"]
        found.happened = [
            event.get("type", "sealed") for each in read for event in json.loads(each["commit"])["events"]
        ]
        players = sorted(seats.keys() - {"gm"})
        for seat in players:
            state = seats[seat].get(f"{at}/state")["state"]
            found.state.update((f"{seat}{place}", value) for place, value in leaves(state))
        collected = {seat: answers(seats[seat], at, PATHS, ()) for seat in players}
        commits = [load_commit(each.raw) for each in log.commits(at.rpartition("/")[2], 0, 10_000)]
        hashes = frozenset(hashes_of(commits))
        found.answers = {seat: masked(texts, hashes) for seat, texts in collected.items()}
    return found


def fields(left: Received, right: Received) -> set[str]:
    """Return the fields of creatures, and of the rest of the state that differ for anybody."""
    differ = {at for at, value in left.state.items() ^ right.state.items()}
    return {re.sub(r"^[^/]*/(creatures/[^/]+/[^/]+|[^/]+).*", r"\1", at) for at in differ}


def events(left: Received, right: Received) -> set[str]:
    """Return the types of events of which one fight has more than the other."""
    one, other = Counter(left.happened), Counter(right.happened)
    return {*(one - other), *(other - one)}


def shows(one: Received, alike: Received, beyond: Received) -> tuple[set[str], set[str]]:
    """Return what shows on the other side of a threshold; nothing may on the same side."""
    for seat, texts in one.answers.items():
        assert texts == alike.answers[seat], f"{seat} tells two values on one side apart"
        assert texts != beyond.answers[seat], f"{seat} is told nothing"
    return fields(one, beyond), events(one, beyond)


# --- Heart Rush --------------------------------------------------------------------------------------


def orc(
    commands: Sequence[Mapping[str, Any]],
    start: Mapping[str, Any] | None = None,
    pia: Mapping[str, Any] | None = None,
    zoe: Sequence[str] = ("pia",),
    **sheet: Any,
) -> Received:
    """Play a fight whose orc keeps these fields of its sheet for the gm; commands of Zoe's are hers."""
    data = heartrush(
        {"pia": (0, 0), "orc": (1, 0)},
        sheets={"orc": sheet, "pia": pia or {}},
        seats=[SEATS[0], WATCHER],
        declared_sides=[],
    )
    monster = next(each for each in data["creatures"] if each["sheet"]["id"] == "orc")
    monster.update({**(start or {}), "gm_only": list(sheet)})
    sent = [("zoe" if command.get("creature") in zoe else "gm", command) for command in commands]
    return played({"edition": "heartrush@1", **data}, sent)


def fire(amount: int) -> dict[str, Any]:
    effect = {"kind": "damage", "creature": "orc", "amount": amount, "cause": "fire"}
    return {"type": "gm_ruling", "kind": "effect", "decision": "fire", "effects": [effect]}


def standing(shrug: str) -> dict[str, Any]:
    return {"type": "set_standing", "creature": "orc", "shrug": shrug}


def test_TABLE_GMONLY_1_at_zero_the_time_it_is_down_shows() -> None:
    found = shows(*(orc([], {"hp": hp}, hp_max=35) for hp in (1, 20, 0)))
    assert found == ({"creatures/orc/down_since_s"}, set())


def test_TABLE_GMONLY_1_a_standing_answer_shows_what_would_have_killed() -> None:
    burnt = [standing("if_it_kills"), fire(11)]
    found = shows(*(orc(burnt, {"hp": 1}, hp_max=most) for most in (30, 31, 10)))
    assert found == (
        {f"creatures/orc/{name}" for name in ("heart_die", "wounds")},
        {"wound_marked", "shrugged"},
    )


def test_TABLE_GMONLY_1_damage_shows_that_it_kills() -> None:
    found = shows(*(orc([standing("never"), fire(31)], {"hp": 1}, hp_max=most) for most in (60, 70, 20)))
    assert found == ({"creatures/orc/status", "creatures/orc/down_since_s"}, {"fell_to_zero", "died"})


def test_TABLE_GMONLY_1_a_fall_shows_that_hit_points_are_gone() -> None:
    found = shows(*(orc([standing("never"), fire(11)], hp_max=most) for most in (30, 12, 11)))
    assert found == ({"creatures/orc/down_since_s"}, {"fell_to_zero"})


def test_TABLE_GMONLY_1_a_wound_shows_its_threshold_was_reached() -> None:
    found = shows(*(orc([standing("never"), fire(11)], wound_threshold=least) for least in (12, 30, 11)))
    assert found == ({"creatures/orc/wounds"}, {"wound_marked"})


AMBUSH: list[dict[str, Any]] = [
    standing("never"),
    {"type": "begin_combat", "hidden": {"pia": ["orc"]}},
    {"type": "opportunity_attack", "creature": "pia", "target": "orc", "stance": "might", "pay": "action"},
]


@pytest.mark.parametrize(("name", "more"), [("natural_armor", {"armor": "natural"}), ("defense_bonus", {})])
def test_TABLE_GMONLY_2_damage_shows_what_armor_let_through(name: str, more: dict[str, Any]) -> None:
    found = shows(*(orc(AMBUSH, **{**more, name: points}) for points in (60, 70, 0)))
    assert found == (
        {"creatures/orc/wounds", "creatures/orc/hp"},
        {"exchange_hit", "damage_pending", "damage_applied", "wound_marked"},
    )


ATTACK: list[dict[str, Any]] = [
    {"type": "set_standing", "creature": "pia", "shrug": "never"},
    {"type": "begin_combat", "hidden": {"orc": ["pia"]}},
    {"type": "opportunity_attack", "creature": "orc", "target": "pia", "stance": "cunning", "pay": "action"},
]


def test_TABLE_GMONLY_1_a_die_shows_when_it_is_thrown() -> None:
    dice: tuple[dict[str, Any], ...] = (
        {"agility": 6, "cunning": 4},
        {"agility": 12, "cunning": 4},
        {"agility": 6, "cunning": 10},
    )
    found = shows(*(orc(ATTACK, **each) for each in dice))
    assert found == ({"creatures/pia/hp"}, set())


# --- Rise --------------------------------------------------------------------------------------------

STING = {
    "id": "sting",
    "strike": {"versus": ["armor"], "flat": 6},
    "on_loss": [{"does": "gain", "condition": "poisoned", "until": "brief"}],
}
TIRE = {"id": "tire", "range_ft": 60, "effects": [{"does": "damage", "amount": 5, "sort": "subdual"}]}
BURN = {"id": "burn", "range_ft": 60, "effects": [{"does": "damage", "amount": 5}]}


def ogre(
    commands: Sequence[tuple[str, Mapping[str, Any]]],
    at: tuple[int, int] = (1, 0),
    items: Mapping[str, Any] | None = None,
    terrain: Mapping[str, str] | None = None,
    brawling: int = 0,
    **sheet: Any,
) -> Received:
    """Play a round of a hero and an ogre that keeps these fields of its sheet for the gm."""
    more = {"brawling_accuracy": brawling} if brawling else {}
    monster = {**entry("mon@m/o", at, **sheet, **more), "gm_only": list(sheet)}
    hero = entry("pc@p/p", (0, 0), abilities=[STING, TIRE, BURN], accuracy=10)
    data = rise(hero, monster, declared_sides=[], options={"exertion_prompt": "never", "auto_end": False})
    data |= {"items": items or {}, "terrain": terrain or {}}
    return played({"edition": "rise@1", **data, "seats": [*data["seats"], WATCHER]}, commands)


def using(ability: str) -> list[tuple[str, Mapping[str, Any]]]:
    return [
        ("gm", {"type": "start_combat", "start_phase": "action"}),
        ("gm", {"type": "no_more_swift", "creature": "o"}),
        ("seat-p", {"type": "use_ability", "creature": "p", "ability": ability, "targets": ["o"]}),
        ("seat-p", {"type": "end_turn", "creature": "p"}),
    ]


def test_RI_DMG_5_an_effect_of_a_loss_shows_that_resistance_was_beaten() -> None:
    found = shows(*(ogre(using("sting"), dr_max=points, hp_max=60) for points in (2, 5, 6)))
    assert found == ({"creatures/o/conditions"}, {"condition_gained"})


@pytest.mark.parametrize(
    ("ability", "also", "more"),
    [("tire", set(), {"hit_points_reset"}), ("burn", {"creatures/o/dead"}, {"ruling_requested"})],
)
def test_TABLE_GMONLY_1_a_monster_that_falls_shows_that_its_hit_points_are_gone(
    ability: str, also: set[str], more: set[str]
) -> None:
    found = shows(*(ogre(using(ability), hp_max=most) for most in (30, 40, 5)))
    assert found == (
        {"stacks", "creatures/o/credit", "creatures/o/defeated", *also},
        {"sealed", "group_finished", "defeated", *more},
    )


def test_TABLE_GMONLY_1_a_hit_shows_that_a_defense_was_reached() -> None:
    found = shows(*(ogre(using("sting"), defenses={"armor": least}) for least in (60, 70, 2)))
    assert found == (
        {"creatures/o/hp", "creatures/o/conditions"},
        {"damage_taken", "condition_gained"},
    )


def test_RI_REAC_4_where_it_stops_whom_it_blocks_shows_a_speed() -> None:
    block: list[tuple[str, Mapping[str, Any]]] = [
        ("gm", {"type": "start_combat", "start_phase": "movement"}),
        ("seat-p", {"type": "plan_movement", "creature": "p", "path": [[1, 0], [2, 0], [3, 0], [4, 0]]}),
        ("gm", {"type": "plan_movement", "creature": "o", "ability": "block", "targets": ["p"]}),
    ]
    found = shows(*(ogre(block, (2, 1), speeds={"land": feet}) for feet in (10, 20, 60)))
    assert found == ({"creatures/p/position", "creatures/p/stood"}, set())


# --- feet, bonuses and checks ----------------------------------------------------------------------------

TO_ZOE: dict[str, Any] = {"type": "change_seat", "seat": "zoe", "creatures": ["pia", "orc"]}


def test_TABLE_GMONLY_1_feet_gone_show_a_speed_and_a_dash_that_is_not_taken_too() -> None:
    dash: list[dict[str, Any]] = [TO_ZOE, {"type": "dash", "creature": "orc", "to": [4, 0]}]
    found = shows(*(orc(dash, zoe=("pia", "orc"), speed=feet) for feet in (30, 60, 10)))
    assert found == ({"creatures/orc/position"}, {"deed_declared", "deed_in_vain", "moved"})


@pytest.mark.parametrize(
    ("name", "values", "to"),
    [("armor", ("none", "natural", "heavy"), [11, 0]), ("shield", ("none", "light", "heavy"), [10, 0])],
)
def test_TABLE_GMONLY_1_feet_gone_show_what_slows(name: str, values: tuple[str, ...], to: list[int]) -> None:
    dash: list[dict[str, Any]] = [TO_ZOE, {"type": "dash", "creature": "orc", "to": to}]
    found = shows(*(orc(dash, None, None, ("pia", "orc"), **{name: value}) for value in values))
    assert found == ({"creatures/orc/position"}, {"deed_declared", "deed_in_vain", "moved"})


def test_TABLE_GMONLY_2_damage_shows_an_attack_bonus() -> None:
    armored = {"armor": "natural", "natural_armor": 40}
    found = shows(*(orc(ATTACK, pia=armored, attack_bonus=bonus) for bonus in (0, 1, 60)))
    assert found == (
        {"creatures/pia/wounds", "creatures/pia/hp"},
        {"exchange_hit", "damage_pending", "damage_applied", "wound_marked"},
    )


def test_TABLE_GMONLY_2_damage_shows_a_shield() -> None:
    shields: tuple[dict[str, Any], ...] = (
        {"shield": "light", "natural_armor": 60},
        {"shield": "heavy", "natural_armor": 60},
        {"shield": "light", "natural_armor": 0},
    )
    found = shows(*(orc(AMBUSH, armor="natural", **each) for each in shields))
    assert found == (
        {"creatures/orc/wounds", "creatures/orc/hp"},
        {"exchange_hit", "damage_pending", "damage_applied", "wound_marked"},
    )


def test_TABLE_GMONLY_1_a_check_shows_presence() -> None:
    check = [{"type": "roll_check", "creature": "orc", "ability": "presence", "what": "to scare", "cn": 4}]
    dice: tuple[dict[str, Any], ...] = (
        {"presence": 4, "might": 6},
        {"presence": 4, "might": 12},
        {"presence": 12, "might": 6},
    )
    found = shows(*(orc(check, **each) for each in dice))
    assert found == ({"stacks"}, {"check_needs_choice", "check_resolved"})


def planning(*plans: tuple[str, Mapping[str, Any]]) -> list[tuple[str, Mapping[str, Any]]]:
    """Return a movement phase in which these plan."""
    return [
        ("gm", {"type": "start_combat", "start_phase": "movement"}),
        *((seat, {"type": "plan_movement", **plan}) for seat, plan in plans),
    ]


def acting(type_: str, **given: Any) -> list[tuple[str, Mapping[str, Any]]]:
    """Return an action of the ogre in the first round."""
    return [
        ("gm", {"type": "start_combat", "start_phase": "action"}),
        ("gm", {"type": "no_more_swift", "creature": "o"}),
        ("seat-p", {"type": "pass_turn", "creature": "p"}),
        ("gm", {"type": type_, "creature": "o", **given}),
        ("gm", {"type": "end_turn", "creature": "o"}),
    ]


def test_RI_UNIV_THROW_where_a_thing_lies_shows_strength() -> None:
    picked = {"type": "manipulate_object", "creature": "o", "what": "pick_up", "item": "gem"}
    start, *rest = acting("throw", item="gem", direction=[0, 1])
    throw = [
        ("gm", {**start[1], "start_phase": "movement"}),
        ("gm", picked),
        ("gm", {"type": "pass_movement", "creature": "o"}),
        ("seat-p", {"type": "pass_movement", "creature": "p"}),
        *rest,
    ]
    found = shows(*(ogre(throw, items={"gem": [2, 0]}, strength=points) for points in (2, 3, 8)))
    assert found == ({"lying"}, set())


def test_RI_MOVE_10_how_far_it_jumps_shows_strength() -> None:
    """The gm's jump that is too far is refused at the door: it leaves no trace."""
    jump = {"creature": "o", "ability": "jump", "path": [[2, 0], [3, 0], [4, 0], [5, 0]]}
    short = {**jump, "path": jump["path"][:2]}
    p = ("seat-p", {"creature": "p", "path": [[0, 1]]})
    found = shows(
        *(
            ogre(planning(p, ("gm", way)), strength=points)
            for points, way in ((8, jump), (9, jump), (4, short))
        )
    )
    assert found == ({"creatures/o/position", "creatures/o/stood"}, set())
    one, other = (ogre(planning(p, ("gm", short)), strength=points) for points in (4, 9))
    assert one.answers == other.answers


def test_RI_UNIV_FOLLOW_feet_that_are_followed_show_a_speed() -> None:
    follow = {"creature": "o", "ability": "follow", "targets": ["p"], "distance_ft": 10}
    ways = planning(("seat-p", {"creature": "p", "path": [[-1, 0], [-2, 0], [-3, 0]]}), ("gm", follow))
    found = shows(*(ogre(ways, (3, 0), speeds={"land": feet}) for feet in (30, 40, 5)))
    assert found == ({"creatures/o/position", "creatures/o/stood"}, set())


def test_RI_UNIV_WITHDRAW_feet_that_it_keeps_away_show_a_speed() -> None:
    """Nor does the explanation tell how many cells a faster creature looks at."""
    withdraw = {"creature": "o", "ability": "withdraw", "targets": ["p"], "distance_ft": 60}
    ways = planning(("seat-p", {"creature": "p", "path": [[-1, 0], [-2, 0], [-3, 0]]}), ("gm", withdraw))
    found = shows(*(ogre(ways, (3, 0), speeds={"land": feet}) for feet in (30, 40, 5)))
    assert found == ({"creatures/o/position", "creatures/o/stood"}, set())


def test_RI_UNIV_SHOVE_feet_that_are_pushed_show_a_speed() -> None:
    shove = acting("shove", target="p", direction=[-1, 0])
    found = shows(
        *(ogre(shove, terrain={"-3,0": "wall"}, brawling=60, speeds={"land": feet}) for feet in (60, 70, 5))
    )
    moved = {f"creatures/{name}/{field}" for name in "op" for field in ("position", "stood")}
    assert found == (moved, set())


def test_RI_UNIV_THROW_where_a_creature_lands_shows_strength() -> None:
    gripped = [*acting("grapple", target="p"), ("gm", {"type": "pass_movement", "creature": "o"})]
    gripped += [("seat-p", {"type": "pass_movement", "creature": "p"})]
    throw = [*gripped, *acting("throw", target="p", direction=[-1, 0])[1:]]
    found = shows(
        *(ogre(throw, terrain={"-6,0": "wall"}, brawling=60, strength=points) for points in (8, 9, 0))
    )
    assert found == ({"creatures/p/position", "creatures/p/stood"}, set())


def test_TABLE_GMONLY_1_an_ability_shows_when_it_is_used() -> None:
    used = acting("use_ability", ability="roar", targets=["p"])
    quiet, loud = (
        {"id": "roar", "range_ft": 60, "effects": [{"does": "damage", "amount": n}]} for n in (1, 3)
    )
    other = {"id": "spit", "range_ft": 30, "effects": [{"does": "damage", "amount": 9}]}
    found = shows(*(ogre(used, abilities=kit) for kit in ([quiet, other], [quiet], [loud, other])))
    assert found == ({"creatures/p/hp"}, set())
