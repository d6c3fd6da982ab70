"""Both sides of Rise's refusals: a row for what is refused, and beside it a row for what is accepted.

A row is named by its rule, so that it counts for that rule alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

import pytest

from service.rules.kernel.messages import Actor
from service.rules.kernel.records import EMPTY, changed
from service.rules.rise.acting.brawling import check_hand, check_size
from service.rules.rise.acting.combat_time import check_free, check_minor, check_trade
from service.rules.rise.creatures.character import Condition
from service.rules.rise.creatures.creature import Budget
from service.rules.rise.creatures.sheet import Ability, Area, Effect, Zone
from service.rules.rise.moving.hurling import Throw
from service.rules.rise.planning.intents import check_peaceful, check_teleport
from service.rules.rise.sight.obstacles_and_targets import check_place
from tests.rules.rise.kit import BLADE, Fight, begun, entry, opened
from tests.rules.rise.test_both_sides import QUIET, refusal_of, refused

PRONE: Final = {"conditions": (Condition(name="prone"),)}
HELD: Final = {"conditions": (Condition(name="grappled", source="e"),)}
SPENT: Final = {"budget": Budget(standard="used")}
RULING: Final = {"kind": "correction", "decision": "so"}
BOW: Final = {"id": "bow", "melee": False, "projectile": True, "close_ft": 60, "long_ft": 120}


def apart(phase: str = "action", **changes: Any) -> Fight:
    """Return a fight of `p`, its ally `q` and its enemy `e`, each beside the other."""
    return begun(
        entry("pc@p/p", (0, 0), weapons=[BLADE, {**BOW, "strike": {"dice": [6]}}], **changes),
        entry("pc@p/q", (0, 1)),
        entry("mon@m/e", (1, 0)),
        phase=phase,
        options=QUIET,
    )


def before() -> Fight:
    """Return the same before combat begins."""
    return opened(entry("pc@p/p", (0, 0)), entry("pc@p/q", (0, 1)), entry("mon@m/e", (1, 0)), options=QUIET)


def beside_a_giant() -> Fight:
    """Return a fight of `p` beside an enemy two sizes larger."""
    return begun(entry("pc@p/p", (0, 0)), entry("mon@m/e", (1, 0), size="huge"), options=QUIET)


def planning(**changes: Any) -> Fight:
    """Return the same while movements are planned."""
    return apart("movement", **changes)


def ended() -> Fight:
    """Return the same after combat has ended."""
    return apart().rest().do("end_combat")


class Row(NamedTuple):
    """A command of a seat, and how it is refused; None where it is accepted."""

    rule: str
    fight: Callable[[], Fight]
    by: str
    command: str
    data: dict[str, Any]
    code: str | None
    given: Mapping[str, Any] = EMPTY
    """What `p` has then."""


ROWS: Final = (
    # --- who but the GM
    Row("RI-ROUND-4", before, "seat-p", "start_combat", {}, "not_gm"),
    Row("RI-ROUND-4", before, "gm", "start_combat", {}, None),
    Row("RI-ROUND-4", apart, "gm", "start_combat", {}, "wrong_step"),
    Row("RI-ROUND-4", before, "gm", "start_combat", {"unaware": ["elf"]}, "no_such_creature"),
    Row("RI-ROUND-5", before, "gm", "end_combat", {}, "wrong_step"),
    Row("RI-ROUND-5", apart, "gm", "end_combat", {}, None),
    Row("RI-ROUND-5", ended, "gm", "end_combat", {}, "wrong_step"),
    Row("RI-ROUND-6", apart, "gm", "continue_combat", {}, "wrong_step"),
    Row("RI-ROUND-6", ended, "gm", "continue_combat", {}, None),
    Row("RI-RES-15", apart, "seat-p", "ask_pause", {}, "not_gm"),
    Row("RI-RES-15", apart, "gm", "ask_pause", {}, None),
    Row("RI-RES-15", apart, "seat-p", "go_on", {}, "not_gm"),
    Row("RI-RES-15", apart, "gm", "go_on", {}, "wrong_step"),
    Row("RI-VITAL-5", before, "seat-p", "treat_wound", {"creature": "p", "wound": 0}, "not_gm"),
    Row("RI-PHASE-4", apart, "gm", "treat_wound", {"creature": "p", "wound": 0}, "wrong_phase"),
    Row("RI-GM-4", ended, "seat-p", "gm_ruling", RULING, "not_gm"),
    Row("RI-GM-4", ended, "gm", "gm_ruling", RULING, None),
    Row("RI-GM-4", ended, "gm", "gm_ruling", {**RULING, "decision": ""}, "params_missing"),
    Row("RI-GM-4", ended, "gm", "gm_ruling", {**RULING, "contest": "c9"}, "no_such_contest"),
    # --- groups
    Row("RI-GROUP-1", before, "gm", "set_groups", {"groups": {"a": ["p", "q"]}}, None),
    Row("RI-GROUP-1", before, "gm", "set_groups", {"groups": {"a": ["p"], "b": ["p"]}}, "not_in_group"),
    Row("RI-GROUP-1", apart, "seat-p", "set_order", {"creature": "p", "order": ["q", "p"]}, None),
    Row("RI-GROUP-1", apart, "seat-p", "set_order", {"creature": "p", "order": ["q", "e"]}, "not_in_group"),
    # --- brawling
    Row("RI-UNIV-DIRTY", apart, "seat-p", "dirty_trick", {"target": "e", "defense": "reflex"}, None),
    Row(
        "RI-UNIV-DIRTY", apart, "seat-p", "dirty_trick", {"target": "e", "defense": "luck"}, "invalid_target"
    ),
    Row(
        "RI-UNIV-DIRTY",
        apart,
        "seat-p",
        "dirty_trick",
        {"target": "e"},
        "no_free_hand",
        {"held": ("a", "b")},
    ),
    Row("RI-UNIV-ESCAPE", apart, "seat-p", "escape_grapple", {}, None, HELD),
    Row("RI-UNIV-ESCAPE", apart, "seat-p", "escape_grapple", {}, "standard_action_spent", {**HELD, **SPENT}),
    Row("RI-UNIV-SHOVE", apart, "seat-p", "shove", {"target": "e", "direction": [1, 0]}, None),
    Row("RI-UNIV-SHOVE", apart, "seat-p", "shove", {"target": "e", "direction": [2, 0]}, "path_not_straight"),
    Row("RI-UNIV-SHOVE", apart, "seat-p", "shove", {"target": "e", "pay": "movement"}, None, HELD),
    Row(
        "RI-UNIV-SHOVE",
        apart,
        "seat-p",
        "shove",
        {"target": "e", "pay": "movement", "willing": True},
        "invalid_target",
        HELD,
    ),
    # --- running, throwing, striking
    Row("RI-UNIV-OVERRUN", apart, "seat-p", "overrun", {"path": [[1, 0], [2, 0]]}, None),
    Row("RI-UNIV-OVERRUN", apart, "seat-p", "overrun", {"path": [[1, 0], [2, 1]]}, "path_not_straight"),
    Row("RI-UNIV-OVERRUN", beside_a_giant, "seat-p", "overrun", {"path": [[1, 0], [2, 0]]}, "target_too_big"),
    Row("RI-MOVE-4", apart, "seat-p", "overrun", {"path": [[1, 0], [2, 0]]}, None),
    Row("RI-MOVE-4", apart, "seat-p", "overrun", {"path": [[1, 0]]}, "space_occupied"),
    Row("RI-UNIV-THROW", apart, "seat-p", "throw", {"item": "stone"}, "no_free_hand"),
    Row("RI-UNIV-THROW", apart, "seat-p", "throw", {"item": "stone"}, None, {"held": ("stone",)}),
    Row(
        "RI-ATK-8",
        apart,
        "seat-p",
        "strike",
        {"target": "e", "weapon": "bow", "thrown": True},
        "invalid_target",
    ),
    Row("RI-ATK-8", apart, "seat-p", "strike", {"target": "e", "weapon": "blade", "thrown": True}, None),
    Row("RI-RES-4", apart, "seat-p", "strike", {"target": "e"}, None),
    Row("RI-RES-4", apart, "seat-p", "strike", {"target": "p"}, "invalid_target"),
    Row("RI-UNIV-RECKLESS", apart, "seat-p", "reckless_attack", {"target": "e"}, None),
    Row("RI-UNIV-RECKLESS", apart, "seat-p", "reckless_attack", {"target": "p"}, "invalid_target"),
    Row("RI-UNIV-CHARGE", apart, "seat-p", "charge", {"target": "e", "path": [[1, -1]]}, None),
    Row("RI-UNIV-CHARGE", apart, "seat-p", "charge", {"target": "e", "path": [[-1, -1]]}, "not_adjacent"),
    # --- in the movement phase
    Row(
        "RI-PHASE-1",
        planning,
        "seat-p",
        "manipulate_object",
        {"what": "draw", "item": "a", "pay": "standard"},
        "wrong_phase",
    ),
    Row("RI-PHASE-1", planning, "seat-p", "plan_movement", {"path": [[0, -1]]}, None),
    Row(
        "RI-PHASE-1",
        planning,
        "seat-p",
        "plan_movement",
        {"path": [[0, -1]]},
        "actor_incapacitated",
        {"dead": True},
    ),
    Row("RI-MAN-3", planning, "seat-p", "manipulate_object", {"what": "drop", "item": "a"}, "invalid_target"),
    Row(
        "RI-MAN-3",
        planning,
        "seat-p",
        "manipulate_object",
        {"what": "drop", "item": "a"},
        None,
        {"held": ("a",)},
    ),
    Row(
        "RI-UNIV-HUSTLE",
        planning,
        "seat-p",
        "plan_movement",
        {"path": [[0, -1]], "carry": ["q"]},
        "mount_departed",
    ),
    Row(
        "RI-UNIV-HUSTLE",
        planning,
        "seat-p",
        "plan_movement",
        {"path": [[0, -1]], "mount": "e"},
        "mount_departed",
    ),
    Row(
        "RI-UNIV-HUSTLE",
        planning,
        "seat-p",
        "plan_movement",
        {"path": [[0, -1]], "free_actions": [{"ability": "hum"}]},
        "ability_not_in_profile",
    ),
    Row("RI-MOVE-5", apart, "seat-p", "move", {"stand_up": True}, None, PRONE),
    Row("RI-INFO-3", apart, "seat-p", "plan_movement", {"path": [[0, -1]]}, "wrong_phase"),
)


@pytest.mark.parametrize("row", ROWS, ids=[f"{row.rule} {row.command} {row.code}" for row in ROWS])
def test_a_command_is_refused_as_its_row_says(row: Row) -> None:
    fight = row.fight().given("p", **row.given)
    data = dict(row.data) if row.by == "gm" else {"creature": "p", **row.data}
    if row.command in ("start_combat", "ask_pause", "go_on", "gm_ruling") and row.by != "gm":
        del data["creature"]
    found = refusal_of(fight, row.by, row.command, **data)
    assert (found[0] if found else None) == row.code, found


# --- asked of the rule itself ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "conditions", "code"),
    [
        ("medium", (), None),
        ("large", (), None),
        ("huge", (), ("target_too_big", "RI-UNIV-SHOVE")),
        ("huge", ("prone",), None),
        ("gargantuan", ("prone",), ("target_too_big", "RI-UNIV-SHOVE")),
    ],
)
def test_RI_UNIV_SHOVE_a_target_is_at_most_one_size_larger(
    size: str, conditions: tuple[str, ...], code: tuple[str, str] | None
) -> None:
    fight = begun(entry("mon@p/p", (0, 0)), entry("mon@m/e", (9, 0), size=size), options=QUIET)
    fight.given("e", conditions=tuple(Condition(name=name) for name in conditions))
    assert refused(check_size, fight["p"], fight["e"]) == code


@pytest.mark.parametrize(
    ("held", "code"),
    [((), None), (("a",), None), (("a", "b"), ("no_free_hand", "RI-UNIV-GRAPPLE"))],
)
def test_RI_UNIV_GRAPPLE_one_free_hand_is_enough(held: tuple[str, ...], code: tuple[str, str] | None) -> None:
    assert refused(check_hand, apart(hands=2).given("p", held=held)["p"]) == code


@pytest.mark.parametrize(
    ("size", "willing", "held", "code"),
    [
        ("medium", True, False, None),
        ("medium", False, True, None),
        ("medium", False, False, "not_touching"),
        ("large", True, False, "too_heavy"),
        ("huge", True, False, "target_too_big"),
    ],
)
def test_RI_UNIV_THROW_what_is_thrown_is_in_hand_and_no_larger(
    size: str, code: str | None, *, willing: bool, held: bool
) -> None:
    fight = begun(entry("pc@p/p", (0, 0)), entry("pc@p/q", (9, 1), size=size), entry("mon@m/e", (20, 0)))
    if held:
        fight.given("q", conditions=(Condition(name="grappled", source="p"),))
    command = Throw(by=Actor(seat="seat-p", role="player"), creature="p", target="q", willing=willing)
    found = refused(command.check_lifted, fight["p"], fight["q"])
    assert (found[0] if found else None) == code


@pytest.mark.parametrize(
    ("standard", "minors", "code"),
    [
        ("unused", (), None),
        ("unused", ("a",), "minor_action_spent"),
        ("traded_minor", ("a",), None),
        ("traded_minor", ("a", "b"), "minor_action_spent"),
    ],
)
def test_RI_ACT_3_a_traded_standard_action_is_a_second_minor_one(
    standard: Any, minors: tuple[str, ...], code: str | None
) -> None:
    creature = changed(apart()["p"], budget=Budget(standard=standard, minors=minors))
    found = refused(check_minor, creature)
    assert (found[0] if found else None) == code


@pytest.mark.parametrize(
    ("wanted", "code"),
    [("movement", None), ("minor", None), ("free", "no_such_trade"), ("standard", "no_such_trade")],
)
def test_RI_ACT_4_a_standard_action_buys_a_movement_or_a_minor_one(wanted: Any, code: str | None) -> None:
    found = refused(check_trade, apart()["p"], wanted)
    assert (found[0] if found else None) == code


@pytest.mark.parametrize(
    ("used", "limit", "code"),
    [
        ({}, 1, None),
        ({}, 0, "free_ability_limit"),
        ({"hum": 1}, 1, "free_ability_limit"),
        ({"hum": 1}, 2, None),
    ],
)
def test_RI_ACT_7_a_free_ability_is_used_up_to_its_limit(
    used: dict[str, int], limit: int, code: str | None
) -> None:
    fight = apart()
    creature = changed(fight["p"], budget=Budget(free=used))
    found = refused(check_free, fight.state, creature, "hum", limit)
    assert (found[0] if found else None) == code


@pytest.mark.parametrize(
    ("ability", "found"),
    [
        ({}, None),
        ({"trigger": "regeneration"}, ("unknown_action_type", "RI-ACT-1")),
        ({"usage": "minor"}, ("wrong_phase", "RI-PHASE-1")),
        ({"effects": (Effect(does="push"),)}, ("wrong_phase", "RI-PHASE-1")),
        (
            {"effects": (Effect(does="gain", condition="x"), Effect(does="push"))},
            ("wrong_phase", "RI-PHASE-1"),
        ),
        ({"effects": (Effect(does="gain", condition="x"),)}, None),
        ({"later": "next_action"}, ("wrong_phase", "RI-DELAY-1")),
    ],
)
def test_RI_PHASE_1_RI_ACT_1_and_RI_DELAY_1_what_goes_with_a_movement(
    ability: dict[str, Any], found: tuple[str, str] | None
) -> None:
    made = Ability(id="hum", **{"usage": "free", **ability})
    assert refused(check_peaceful, planning().state, made) == found


@pytest.mark.parametrize(
    ("path", "feet", "walls", "found"),
    [
        (((6, 0),), 30, (), None),
        (((7, 0),), 30, (), ("insufficient_speed", "RI-MOVE-1")),
        (((0, -1),), 0, (), None),
        (((0, -2),), 0, (), ("insufficient_speed", "RI-MOVE-1")),
        (((4, 4),), 30, (), None),
        (((5, 5),), 30, (), ("insufficient_speed", "RI-MOVE-1")),
        ((), 30, (), ("path_blocked", "RI-MOVE-1")),
        (((0, -1), (0, -2)), 30, (), ("path_blocked", "RI-MOVE-1")),
        (((0, -1),), 30, ((0, -1),), ("path_blocked", "RI-MOVE-1")),
        (((0, -3),), 30, ((0, -2),), ("no_line_of_effect", "RI-ATK-1")),
        (((0, -3),), 30, ((3, -2),), None),
    ],
)
def test_RI_MOVE_1_and_RI_ATK_1_a_teleport_is_one_jump_in_sight(
    path: tuple[tuple[int, int], ...],
    feet: int,
    walls: tuple[tuple[int, int], ...],
    found: tuple[str, str] | None,
) -> None:
    fight = planning()
    state = changed(fight.state, terrain={f"{x},{y}": "wall" for x, y in walls})
    assert refused(check_teleport, state, state.creatures["p"], path, feet) == found


@pytest.mark.parametrize(
    ("at", "walls", "found"),
    [
        ((0, -4), (), None),
        ((0, -5), (), ("target_out_of_range", "RI-ATK-1")),
        ((0, -3), ((0, -2),), ("no_line_of_effect", "RI-ATK-1")),
        ((0, -3), ((3, -2),), None),
    ],
)
def test_RI_ATK_1_a_zone_lies_in_range_and_in_sight(
    at: tuple[int, int], walls: tuple[tuple[int, int], ...], found: tuple[str, str] | None
) -> None:
    fight = apart()
    state = changed(fight.state, terrain={f"{x},{y}": "wall" for x, y in walls})
    ability = Ability(id="fog", usage="standard", range_ft=20, zone=Zone(kind="hazard"))
    assert refused(check_place, state, state.creatures["p"], ability, at) == found


@pytest.mark.parametrize(
    ("area", "at", "altitude", "flies", "found"),
    [
        ({"shape": "line", "size_ft": 20}, (0, -4), 0, 0, None),
        ({"shape": "line", "size_ft": 20}, (0, -5), 0, 0, "target_out_of_range"),
        ({"shape": "radius", "size_ft": 5, "range_ft": 20}, (0, -4), 0, 0, None),
        ({"shape": "radius", "size_ft": 5, "range_ft": 20}, (0, -5), 0, 0, "target_out_of_range"),
        ({"shape": "radius", "size_ft": 5, "range_ft": 20}, (0, -1), -5, 0, "invalid_target"),
        ({"shape": "radius", "size_ft": 5, "range_ft": 20}, (0, -1), 7, 0, "invalid_target"),
        ({"shape": "radius", "size_ft": 5, "range_ft": 20}, (0, -1), -1, 0, "invalid_target"),
        ({"shape": "radius", "size_ft": 5, "range_ft": 20}, (0, -1), 10, 0, None),
        ({"shape": "radius", "size_ft": 5, "range_ft": 20}, (0, -4), 20, 20, None),
        ({"shape": "radius", "size_ft": 5, "range_ft": 20}, (0, -4), 40, 0, "target_out_of_range"),
    ],
)
def test_RI_ATK_1_an_area_begins_in_range(
    area: dict[str, Any], at: tuple[int, int], altitude: int, flies: int, found: str | None
) -> None:
    fight = apart()
    creature = changed(fight["p"], altitude=flies)
    ability = Ability(id="blast", usage="standard", area=Area(**area))
    refusal = refused(check_place, fight.state, creature, ability, at, altitude)
    assert refusal == ((found, "RI-ATK-1") if found else None)
