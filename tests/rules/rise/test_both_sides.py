"""Both sides of each bound of Rise's rules, asked of the rule itself or sent as a command."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.kernel.messages import Refused
from service.rules.kernel.records import changed
from service.rules.rise.acting.brawling import check_grapple_moves
from service.rules.rise.acting.strikes import target_of
from service.rules.rise.acting.swift import recover, total_defense
from service.rules.rise.body.movement_and_positioning import once_up, sprinting
from service.rules.rise.creatures.character import Condition, VitalWound
from service.rules.rise.creatures.creature import RECOVERS
from service.rules.rise.moving.moving import left
from service.rules.rise.moving.objects import check_hands
from service.rules.rise.rounds.rounds import is_low
from tests.rules.rise.kit import BLADE, Fight, begun, entry, opened

QUIET = {"exertion_prompt": "never"}
FAINT = VitalWound(die=3, result=3, effect="faint_below_half", gained=0)


def refusal_of(fight: Fight, by: str, type_: str, **data: Any) -> tuple[str, str | None] | None:
    """Return the code and the rule of a refusal, None if the command is accepted."""
    found = fight.send(type_, by, **data).refusal
    return (found.code, found.rule) if found is not None else None


def refused(call: Any, *args: Any, **more: Any) -> tuple[str, str | None] | None:
    """Return the code and the rule with which *call* refuses, None if it does not."""
    try:
        call(*args, **more)
    except Refused as found:
        return found.code, found.rule
    return None


def pair(phase: str = "action", **changes: Any) -> Fight:
    """Return a fight of `p`, its ally `q` and its enemy `e`."""
    return begun(
        entry("pc@p/p", (0, 0), **{"speeds": {"land": 30, "fly": 30}, **changes}),
        entry("pc@p/q", (0, 1)),
        entry("mon@m/e", (1, 0)),
        phase=phase,
        options=QUIET,
    )


# --- rest, and what the GM alone says --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("by", "data", "changes", "refusal"),
    [
        ("gm", {}, {}, None),
        ("seat-p", {}, {}, ("not_gm", None)),
        ("gm", {"rest": "long", "wound": 0}, {"wounds": (FAINT,)}, None),
        ("gm", {"rest": "long", "wound": 1}, {"wounds": (FAINT,)}, ("invalid_target", None)),
        ("gm", {"rest": "long", "wound": 0}, {}, ("invalid_target", None)),
        ("gm", {}, {"dead": True}, ("actor_incapacitated", "RI-REST-1")),
        ("gm", {"creature": "elf"}, {}, ("no_such_creature", None)),
    ],
)
def test_RI_REST_1_who_rests_and_which_wound_heals(
    by: str, data: dict[str, Any], changes: dict[str, Any], refusal: tuple[str, str | None] | None
) -> None:
    fight = opened(entry("pc@p/p", (0, 0)), entry("mon@m/e", (9, 0))).given("p", **changes)
    found = refusal_of(fight, by, "rest", **{"creature": "p", **data})
    assert (found and found[0]) == (refusal and refusal[0])
    if refusal and refusal[1]:
        assert found == refusal
    if refusal is None:
        (event,) = fight.logged("rested")
        assert (event.creature, event.rest, event.wound) == (
            "p",
            data.get("rest", "short"),
            data.get("wound"),
        )


def test_RI_REST_1_nobody_rests_in_combat() -> None:
    assert refusal_of(pair(), "gm", "rest", creature="p") == ("no_rest_in_combat", "RI-REST-1")


@pytest.mark.parametrize(
    ("by", "changes", "refusal"),
    [
        ("gm", {}, None),
        ("seat-p", {}, ("not_gm", "RI-GM-1")),
        ("gm", {"supersedes": "ruling-1"}, None),
        ("gm", {"supersedes": "ruling-9"}, ("ruling_required", "RI-GM-3")),
    ],
)
def test_RI_GM_2_and_RI_GM_3_the_gm_rules_and_rules_again(
    by: str, changes: dict[str, Any], refusal: tuple[str, str] | None
) -> None:
    fight = pair()
    said = {"question": "trivial_manipulation", "subjects": ["p"], "chosen": "yes"}
    assert refusal_of(fight, "gm", "rule", **said) is None
    found = refusal_of(fight, by, "rule", **{**said, "chosen": "no", **changes})
    assert (found and found[0]) == (refusal and refusal[0])
    if refusal is None:
        made = [event.ruling for event in fight.logged("ruling_made")][1:]
        assert [(each.id, each.chosen, each.supersedes) for each in made] == [
            ("ruling-2", "yes", None),
            ("ruling-3", "no", changes.get("supersedes")),
        ]


@pytest.mark.parametrize("phase", ["movement", "action"])
def test_RI_ROUND_5_a_round_goes_by_where_nobody_can_act(phase: str) -> None:
    found = refusal_of(pair(phase=phase), "gm", "next_round")
    assert found == ("phase_not_ready", "RI-PHASE-6")
    assert refusal_of(opened(entry("pc@p/p", (0, 0)), entry("mon@m/e", (9, 0))), "gm", "next_round") == (
        "wrong_step",
        "RI-ROUND-5",
    )
    fight = pair(phase=phase)
    for name in ("p", "q", "e"):
        fight.given(name, down=True)
    assert (refusal_of(fight, "seat-p", "next_round") or ("",))[0] == "not_gm"


# --- movement --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spent", "mode", "sprint", "feet"),
    [
        ({}, "land", False, 30),
        ({}, "land", True, 60),
        ({"land": 10}, "land", False, 20),
        ({"land": 10}, "land", True, 50),
        ({"fly": 10}, "land", False, 20),
        ({"land": 10}, "fly", False, 20),
        ({"land": 25}, "fly", False, 5),
        ({"land": 5, "fly": 10}, "land", False, 15),
        ({"land": 5, "fly": 15}, "fly", False, 5),
        ({"land": 30}, "land", False, 0),
    ],
)
def test_RI_MOVE_6_what_one_mode_took_is_left_to_none(
    spent: dict[str, int], mode: str, feet: int, *, sprint: bool
) -> None:
    fight = pair(speeds={"land": 30, "fly": 20})
    creature = changed(fight["p"], budget=changed(fight["p"].budget, modes=spent))
    assert left(fight.state, creature, mode, sprint=sprint) == feet


@pytest.mark.parametrize(
    ("changes", "hands", "found"),
    [
        ({"conditions": (Condition(name="prone"),)}, 2, 15),
        ({}, 2, ("invalid_target", "RI-MOVE-5")),
        ({"conditions": (Condition(name="prone"),), "held": ("a", "b")}, 2, ("no_free_hand", "RI-MOVE-5")),
        ({"conditions": (Condition(name="prone"),), "held": ("a",)}, 2, 15),
        ({"conditions": (Condition(name="prone"),)}, 0, 15),
        (
            {"conditions": (Condition(name="prone"), Condition(name="immobilized"))},
            2,
            ("immobilized", "RI-COND-2"),
        ),
    ],
)
def test_RI_MOVE_5_who_gets_up_has_a_free_hand_and_half_its_speed(
    changes: dict[str, Any], hands: int, found: Any
) -> None:
    fight = pair(hands=hands).given("p", **changes)
    refusal = refused(once_up, fight.state, fight["p"], "land", sprint=False)
    assert refusal == (found if isinstance(found, tuple) else None)
    if refusal is None:
        assert once_up(fight.state, fight["p"], "land", sprint=False) == found


@pytest.mark.parametrize(
    ("who", "mounted", "refusal"),
    [
        ("p", False, None),
        ("e", False, ("monster_cannot_sprint", "RI-UNIV-SPRINT")),
    ],
)
def test_RI_UNIV_SPRINT_a_player_character_doubles_its_speed(
    who: str, refusal: tuple[str, str] | None, *, mounted: bool
) -> None:
    fight = pair()
    found = refused(sprinting, fight.state, fight[who], 30)
    assert (found and found[0]) == (refusal and refusal[0])
    if refusal is None:
        assert sprinting(fight.state, fight[who], 30) == 60
        assert sprinting(fight.state, fight[who], 5) == 10


@pytest.mark.parametrize(
    ("data", "code"),
    [
        ({"path": [[0, -1]], "targets": ["e"]}, "invalid_target"),
        ({"path": [[0, -1]], "distance_ft": 5}, "invalid_target"),
        ({"path": [[0, -1]]}, None),
        ({"ability": "follow", "targets": ["e"], "within_ft": 5}, "invalid_target"),
        ({"ability": "follow", "targets": ["e"], "path": [[0, -1]]}, "reactive_rule_too_complex"),
        ({"ability": "follow", "targets": ["e"], "pause": True}, "reactive_rule_too_complex"),
        ({"ability": "follow", "targets": ["e"]}, None),
        ({"path": [[0, -1]], "sprint": True}, None),
        ({"path": [[0, -1]], "stand_up": True}, "invalid_target"),
        ({"path": [[0, -7]]}, "path_not_contiguous"),
        ({"path": [[0, -y] for y in range(1, 7)]}, None),
        ({"path": [[0, -y] for y in range(1, 8)]}, "movement_exceeds_speed"),
    ],
)
def test_RI_MOVE1_5_and_RI_MOVE_1_a_movement_is_a_path_or_a_rule(
    data: dict[str, Any], code: str | None
) -> None:
    fight = pair()
    before = fight.seen("p", "p")
    found = refusal_of(fight, "seat-p", "move", creature="p", **data)
    assert (found is None) is (code is None), found
    if code in ("invalid_target", "reactive_rule_too_complex"):
        assert (found or ("",))[0] == code
    if code is not None:
        assert fight.seen("p", "p") == before
        return
    after = fight.seen("p", "p")
    assert after.budget.standard == "traded_movement"
    if "path" in data:
        assert after.position == tuple(data["path"][-1])
        assert after.budget.modes == {"land": 5 * len(data["path"])}


def test_RI_MOVE1_5_who_gets_up_and_moves_spends_both() -> None:
    fight = pair().given("p", conditions=(Condition(name="prone"),))
    fight.do("move", "p", stand_up=True, path=[[0, -1]])
    after = fight.seen("p", "p")
    assert not after.has("prone")
    assert (after.position, after.budget.modes) == ((0, -1), {"land": 20})


def test_RI_MOVE1_5_a_flight_takes_off() -> None:
    fight = pair()
    fight.do("move", "p", mode="fly", path=[[0, -1]], altitude_ft=10)
    (event,) = fight.logged("took_off")
    assert (event.creature, event.altitude, event.because) == ("p", 10, ("RI-MOVE-9",))
    rule = pair()
    rule.do("move", "p", mode="fly", ability="follow", targets=["e"])
    assert not rule.logged("took_off")


# --- hands, grapples, targets ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("what", "at", "held", "refusal"),
    [
        ("pick_up", (0, 1), (), None),
        ("pick_up", (0, 0), (), None),
        ("pick_up", (1, 1), (), None),
        ("pick_up", (0, 2), (), ("invalid_target", "RI-MAN-1")),
        ("pick_up", (2, 0), (), ("invalid_target", "RI-MAN-1")),
        ("pick_up", None, (), ("invalid_target", "RI-MAN-1")),
        ("pick_up", (0, 1), ("a",), None),
        ("pick_up", (0, 1), ("a", "b"), ("no_free_hand", "RI-MAN-1")),
        ("draw", None, ("a", "b"), ("no_free_hand", "RI-MAN-1")),
        ("draw", None, ("a",), None),
        ("other", None, ("a", "b"), None),
    ],
)
def test_RI_MAN_1_what_lies_beside_one_is_taken_with_a_free_hand(
    what: str, at: tuple[int, int] | None, held: tuple[str, ...], refusal: tuple[str, str] | None
) -> None:
    fight = pair(hands=2).given("p", held=held)
    state = changed(fight.state, lying={} if at is None else {"stone": at})
    assert refused(check_hands, state, fight["p"], what, "stone") == refusal


@pytest.mark.parametrize(
    ("conditions", "targets", "direction", "refusal"),
    [
        ((), ("e",), None, ("not_grappled", "RI-UNIV-SHOVE")),
        (("grappled",), ("e",), None, None),
        (("grappled",), (), None, ("invalid_target", "RI-UNIV-SHOVE")),
        (("grappled",), ("e", "q"), None, ("invalid_target", "RI-UNIV-SHOVE")),
        (("grappled", "immobilized"), ("e",), None, ("immobilized", "RI-COND-2")),
        (("grappled",), ("e",), (1, 0), None),
        (("grappled",), ("e",), (2, 0), ("path_not_straight", "RI-UNIV-SHOVE")),
    ],
)
def test_RI_UNIV_SHOVE_and_RI_COND_2_who_is_held_moves_with_all_who_hold(
    conditions: tuple[str, ...],
    targets: tuple[str, ...],
    direction: tuple[int, int] | None,
    refusal: tuple[str, str] | None,
) -> None:
    fight = pair().given("p", conditions=tuple(Condition(name=n, source="e") for n in conditions))
    found = refused(check_grapple_moves, fight.state, fight["p"], targets, direction)
    assert (found and found[0]) == (refusal and refusal[0]) or direction == (2, 0)
    if direction == (2, 0):
        assert found is not None


@pytest.mark.parametrize(
    ("name", "willing", "refusal"),
    [
        ("e", False, None),
        ("q", False, None),
        ("q", True, None),
        ("e", True, ("invalid_target", "RI-ATK-10")),
        ("p", False, ("invalid_target", "RI-ATK-1")),
        ("elf", False, ("invalid_target", "RI-ATK-1")),
    ],
)
def test_RI_ATK_1_and_RI_ATK_10_whom_one_may_target(
    name: str, refusal: tuple[str, str] | None, *, willing: bool
) -> None:
    fight = pair()
    assert refused(target_of, fight.state, fight["p"], name, willing=willing) == refusal


def test_RI_UNIV_ESCAPE_who_is_in_no_grapple_escapes_none() -> None:
    fight = pair()
    assert refusal_of(fight, "seat-p", "escape_grapple", creature="p") == ("not_grappled", "RI-UNIV-GRAPPLE")
    fight.given("p", conditions=(Condition(name="grappled", source="e"),))
    assert refusal_of(fight, "seat-p", "escape_grapple", creature="p") is None
    assert fight.seen("p", "p").budget.standard == "used"


@pytest.mark.parametrize(
    ("path", "target", "code"),
    [
        ([], "e", "path_not_straight"),
        ([[0, -1]], "e", None),
        ([[1, -1]], "e", None),
        ([[0, -1], [1, -1]], "e", "path_not_straight"),
        ([[0, -1], [-1, -2], [-2, -3]], "e", "path_not_straight"),
        ([[0, 1]], "e", "space_occupied"),
        ([[0, -y] for y in range(1, 8)], "e", "movement_exceeds_speed"),
    ],
)
def test_RI_UNIV_CHARGE_a_charge_is_one_straight_line(
    path: list[list[int]], target: str, code: str | None
) -> None:
    fight = pair(weapons=[BLADE])
    found = refusal_of(fight, "seat-p", "charge", creature="p", path=path, target=target)
    if code == "path_not_straight":
        assert found == (code, "RI-UNIV-CHARGE")
    assert (found is None) is (code is None), found


# --- the round -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "low"),
    [
        ({"hp": -1}, True),
        ({"hp": 0}, False),
        ({"hp": 1}, False),
        ({"hp": 5, "depth": 1}, True),
        ({"hp": -1, "dead": True}, False),
    ],
)
def test_RI_ORDER_4_whose_hit_points_are_reset(changes: dict[str, Any], *, low: bool) -> None:
    fight = pair().given("p", **changes)
    assert is_low(fight.state, fight["p"]) is low


def test_RI_UNIV_TOTALDEF_all_defenses_rise_by_two() -> None:
    for lasts in ("round", "phase"):
        fight = begun(
            entry("pc@p/p", (0, 0)), entry("mon@m/e", (9, 0)), options={**QUIET, "total_defense_lasts": lasts}
        )
        (effect,) = total_defense(fight.state)
        assert (effect.does, effect.condition, effect.until, effect.swift) == (
            "gain",
            "total_defense",
            lasts,
            True,
        )
        assert effect.modifiers == {"defenses": 2}


@pytest.mark.parametrize(
    ("gm_only", "dr", "hp"),
    [((), 7, 10), (("hp_max",), None, None), (("dr_max",), None, None), (("hp_max", "dr_max"), None, None)],
)
def test_RI_UNIV_RECOVER_half_the_hit_points_and_all_resistance_come_back(
    gm_only: tuple[str, ...], dr: int | None, hp: int | None
) -> None:
    creature = changed(pair(hp_max=20, dr_max=7)["p"], gm_only=gm_only)
    effects = recover(creature)
    assert [(effect.does, effect.swift) for effect in effects] == [
        ("lose", True),
        ("heal_dr", True),
        ("heal_hp", True),
    ]
    assert effects[0].condition == "*"
    amounts = (effects[1].amount, effects[2].amount)
    assert amounts == ((dr, hp) if not gm_only else (RECOVERS, RECOVERS))
