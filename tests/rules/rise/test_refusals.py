"""Hold who is refused what, and with which code: a row for each refusal, and beside it what is allowed."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.kernel.messages import Refused
from service.rules.rise.acting.combat_time import check_pay
from service.rules.rise.body.movement_and_positioning import check_direction
from service.rules.rise.creatures.character import Condition, VitalWound
from tests.rules.rise.kit import BLADE, Fight, begun, entry, opened

BOW = {
    "id": "bow",
    "melee": False,
    "projectile": True,
    "close_ft": 60,
    "long_ft": 120,
    "strike": {"dice": [6]},
}
HIT = {"id": "hit", "range_ft": 60, "effects": [{"does": "damage", "amount": 1}]}
WAVE = {"id": "wave", "usage": "minor", "range_ft": 60}
QUICK = {"exertion_prompt": "never"}


def side_by_side(phase: str = "action", **options: Any) -> Fight:
    """Return a fight in which `p` stands between its ally `q` and its enemy `e`."""
    return begun(
        entry("pc@p/p", (0, 0), abilities=[HIT, WAVE], weapons=[BLADE, BOW], speeds={"land": 30, "fly": 30}),
        entry("pc@p/q", (0, 1)),
        entry("mon@m/e", (1, 0)),
        phase=phase,
        options={**QUICK, **options},
    ).given("p", held=("stone",))


SPENT: dict[str, tuple[str, dict[str, Any]]] = {
    "RI-UNIV-THROW a thing": ("throw", {"item": "stone"}),
    "RI-UNIV-THROW an ally": ("throw", {"target": "q", "willing": True}),
    "RI-UNIV-OVERRUN": ("overrun", {"path": [[1, 0], [2, 0]]}),
    "RI-UNIV-RECKLESS": ("reckless_attack", {"target": "e"}),
    "RI-UNIV-CHARGE": ("charge", {"target": "e", "path": [[1, 1]]}),
    "RI-RES-4": ("strike", {"target": "e"}),
}


@pytest.mark.parametrize("what", SPENT)
def test_RI_ACT_2_each_of_these_takes_the_standard_action(what: str) -> None:
    """RI-UNIV-THROW, RI-UNIV-OVERRUN, RI-UNIV-RECKLESS, RI-UNIV-CHARGE, RI-RES-4: before them and after."""
    type_, data = SPENT[what]
    after = side_by_side().do("use_ability", "p", ability="hit", targets=["e"])
    assert after.refused(type_, "p", **data) == "standard_action_spent"
    fight = side_by_side()
    fight.do(type_, "p", **data)
    assert fight.seen("p", "p").budget.standard == "used"


MOVED: dict[str, tuple[str, dict[str, Any], str | None]] = {
    "RI-UNIV-OVERRUN": ("overrun", {"path": [[1, 0], [2, 0]]}, "already_moved_this_phase"),
    "RI-UNIV-CHARGE": ("charge", {"target": "e", "path": [[1, 1]]}, "already_moved_this_phase"),
    "RI-MOVE1-5 a path": ("move", {"path": [[0, -1]]}, "already_moved_this_phase"),
    "RI-MOVE1-5 a rule": ("move", {"ability": "follow", "targets": ["e"]}, "already_moved_this_phase"),
    "RI-MOVE1-5 no path": ("move", {}, "already_moved_this_phase"),
    "RI-MOVE1-5 up and on": ("move", {"stand_up": True, "path": [[0, -1]]}, "already_moved_this_phase"),
    "RI-MOVE1-5 up": ("move", {"stand_up": True}, None),
}


@pytest.mark.parametrize("what", MOVED)
def test_RI_MOVE1_5_who_has_moved_in_this_phase_moves_no_more_but_gets_up(what: str) -> None:
    """RI-UNIV-OVERRUN, RI-UNIV-CHARGE, RI-MOVE1-5, RI-MOVE1-8."""
    type_, data, code = MOVED[what]
    fight = side_by_side()
    if data.get("stand_up"):
        fight.given("p", conditions=(Condition(name="prone"),))
    fight.given("p", location_changed=True)
    decision = fight.send(type_, "seat-p", creature="p", **data)
    assert (decision.refusal.code if decision.refusal else None) == code


WAYS: tuple[tuple[dict[str, Any], str | None], ...] = (
    ({"path": [[1, 0]]}, "enemy_blocks_path"),
    ({"path": [[0, 1]]}, "space_occupied"),
    ({"path": [[x, -x] for x in range(1, 4)]}, None),
    ({"path": [[0, -y] for y in range(1, 7)]}, None),
    ({"path": [[0, -y] for y in range(1, 8)]}, "insufficient_speed"),
    ({"mode": "fly", "altitude_ft": 10, "path": [[0, -y] for y in range(1, 5)]}, None),
    ({"mode": "fly", "altitude_ft": 10, "path": [[0, -y] for y in range(1, 6)]}, "insufficient_speed"),
    ({"mode": "fly", "altitude_ft": 7, "path": [[0, -1]]}, "path_blocked"),
    ({"altitude_ft": 10, "path": [[0, -1]]}, "no_such_movement_mode"),
    ({"mode": "swim", "path": [[0, -1]]}, "no_such_movement_mode"),
    ({"stand_up": True, "path": [[0, -1]]}, "invalid_target"),
)


@pytest.mark.parametrize(("data", "code"), WAYS)
def test_RI_MOVE1_5_a_standard_action_buys_a_way_that_one_can_go(
    data: dict[str, Any], code: str | None
) -> None:
    fight = side_by_side()
    if code is None:
        fight.do("move", "p", **data).end("p").rest()
        assert fight["p"].position == tuple(data["path"][-1])
        assert fight["p"].altitude == data.get("altitude_ft", 0)
    else:
        assert fight.refused("move", "p", **data) == code


def test_RI_MOVE1_5_a_flight_ends_in_the_air_where_a_walk_would_be_stopped() -> None:
    fight = side_by_side().do("move", "p", mode="fly", altitude_ft=10, path=[[1, 0]])
    assert fight.seen("p", "p").altitude == 10
    assert fight.seen("p", "p").position == (1, 0)


@pytest.mark.parametrize("step", [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y])
def test_RI_MOVE_7_eight_steps_are_directions(step: tuple[int, int]) -> None:
    check_direction(step)


@pytest.mark.parametrize("step", [(0, 0), (2, 0), (0, 2), (-2, 0), (0, -2), (1, 2), (2, 1), (-2, -1)])
def test_RI_MOVE_7_nothing_else_is(step: tuple[int, int]) -> None:
    with pytest.raises(Refused) as refused:
        check_direction(step)
    assert refused.value.code == "path_not_straight"


@pytest.mark.parametrize(
    ("type_", "data"),
    [
        ("strike", {"target": "p"}),
        ("strike", {"target": "nobody"}),
        ("strike", {"target": "e", "willing": True}),
        ("use_ability", {"ability": "hit"}),
        ("use_ability", {"ability": "hit", "targets": ["nobody"]}),
        ("overrun", {"path": [[1, 0], [2, 0]], "aside": ["e"]}),
        ("throw", {"target": "e", "willing": True}),
        ("throw", {"target": "p"}),
    ],
)
def test_RI_ATK_1_these_are_no_targets(type_: str, data: dict[str, Any]) -> None:
    """RI-UNIV-OVERRUN and RI-UNIV-THROW: an enemy neither steps aside nor lets itself be thrown."""
    assert side_by_side().refused(type_, "p", **data) == "invalid_target"


def test_RI_UNIV_THROW_a_willing_ally_is_not_attacked() -> None:
    fight = side_by_side().do("throw", "p", target="q", willing=True, direction=[0, 1])
    assert [a.assault.willing for a in fight.logged("ability_used")] == [("q",)]


def test_RI_UNIV_THROW_what_is_held_is_not_willing() -> None:
    fight = side_by_side()
    fight.do("grapple", "p", 6, target="e").end("p").rest().to_actions()
    fight.do("throw", "p", target="e", direction=[1, 0])
    assert [a.assault.willing for a in fight.logged("ability_used")][-1] == ()


def test_RI_UNIV_THROW_a_thrown_thing_is_no_free_action() -> None:
    fight = side_by_side().do("throw", "p", item="stone", direction=[0, -1])
    assert [(e.what, e.item, e.free) for e in fight.logged("object_manipulated")] == [
        ("drop", "stone", False)
    ]


@pytest.mark.parametrize(
    ("what", "pay", "strikes", "waves"),
    [
        ("draw", "free", None, None),
        ("draw", "minor", None, "minor_action_spent"),
        ("draw", "standard", "standard_action_spent", None),
        ("drop", "free", None, None),
        ("drop", "standard", None, None),
    ],
)
def test_RI_UNIV_MANIP_is_paid_as_it_says(
    what: str, pay: str, strikes: str | None, waves: str | None
) -> None:
    """RI-UNIV-MANIP, RI-MAN-3: and what one lets go of costs nothing."""
    fight = side_by_side().do("manipulate_object", "p", what=what, item="stone", pay=pay)
    for code, type_, data in (
        (waves, "use_ability", {"ability": "wave", "targets": ["p"]}),
        (strikes, "use_ability", {"ability": "hit", "targets": ["e"]}),
    ):
        decision = fight.send(type_, "seat-p", creature="p", **data)
        assert (decision.refusal.code if decision.refusal else None) == code


def test_RI_PHASE_3_who_lies_senseless_handles_nothing() -> None:
    """RI-PHASE-3: in neither phase."""
    for phase in ("movement", "action"):
        fight = side_by_side(phase)
        fight.given("p", wounds=(VitalWound(die=1, result=0, effect="dying", gained=1),))
        assert fight.refused("manipulate_object", "p", what="drop", item="stone") == "actor_incapacitated"


def test_RI_ORDER_1_sealed_plans_stay_sealed() -> None:
    """RI-ORDER-1: what one handles in the movement phase comes before the group seals its plans."""
    fight = side_by_side("movement").do("manipulate_object", "p", what="draw", item="torch")
    fight.do("pass_movement", "p").do("pass_movement", "q")
    assert fight.refused("manipulate_object", "p", what="drop", item="torch") == "wrong_step"


def committing(**options: Any) -> Fight:
    """Return a fight before Swift abilities are committed."""
    fight = opened(
        entry("pc@p/p", (0, 0)),
        entry("pc@m/e", (1, 0)),
        entry("pc@p/q", (0, 1)),
        options={**QUICK, **options},
    )
    return fight.do("start_combat", start_phase="action")


def test_RI_INFO_2_what_is_committed_or_declined_is_sealed() -> None:
    """RI-INFO-2: once each, and nothing after `no_more_swift`."""
    fight = committing().do("commit_swift", "p", ability="total_defense")
    assert fight.refused("commit_swift", "p", ability="total_defense") == "already_sealed"
    fight.do("no_more_swift", "q")
    assert fight.refused("commit_swift", "q", ability="total_defense") == "already_sealed"
    assert fight.refused("no_more_swift", "q") == "already_sealed"


def test_RI_ATK_1_universal_swift_abilities_are_for_their_user() -> None:
    fight = committing()
    assert fight.refused("commit_swift", "p", ability="recover", targets=["q"]) == "invalid_target"
    fight.do("commit_swift", "p", ability="recover", targets=["p"])


def test_RI_UNIV_RECOVER_once_before_a_rest_however_it_is_declared() -> None:
    committed = committing().do("commit_swift", "p", ability="recover").to_actions()
    assert committed.seen("p", "p").recovered
    declared = side_by_side().do("recover", "p")
    assert declared.seen("p", "p").recovered
    assert not declared.seen("p", "q").recovered


def test_RI_ACT_2_a_committed_reckless_attack_strikes_once() -> None:
    """RI-UNIV-RECKLESS: the strike follows what was committed, and follows it once."""
    fight = committing().do("commit_swift", "p", ability="reckless_attack").to_actions()
    fight.do("reckless_attack", "p", 1, target="e")
    assert fight.refused("reckless_attack", "p", target="e") == "standard_action_spent"


def test_RI_ACT_1_there_are_no_other_actions() -> None:
    creature = side_by_side()["p"]
    for usage, pay in (
        ("standard", "standard"),
        ("minor", "minor"),
        ("movement", "movement"),
        ("move_or_standard", "movement"),
        ("move_or_standard", "standard"),
        ("free", "free"),
        ("none", "none"),
    ):
        check_pay(creature, usage, pay, "x")
    with pytest.raises(Refused) as refused:
        check_pay(creature, "bonus", "bonus", "x")
    assert refused.value.code == "unknown_action_type"
    burst = {"id": "burst", "trigger": "hurt", "usage": "minor", "effects": []}
    fight = begun(entry("pc@p/p", (0, 0), abilities=[burst, HIT]), entry("mon@m/e", (1, 0)))
    assert fight.refused("use_ability", "p", ability="burst", targets=["p"]) == "unknown_action_type"


@pytest.mark.parametrize(
    ("mount", "path", "code"),
    [
        ("horse", [[0, 1]], None),
        ("horse", [[1, 0]], "mount_departed"),
        ("e", [[0, 1]], "mount_departed"),
        ("q", [[0, 1]], "mount_departed"),
        ("nobody", [[0, 1]], "mount_departed"),
    ],
)
def test_RI_MOUNT_1_one_mounts_what_carries_riders_where_it_stands(
    mount: str, path: list[list[int]], code: str | None
) -> None:
    fight = begun(
        entry("pc@p/p", (0, 0)),
        entry("pc@p/horse", (0, 1), carries_riders=True),
        entry("pc@p/q", (0, 2)),
        entry("mon@m/e", (5, 0)),
        phase="movement",
    )
    decision = fight.send("plan_movement", "seat-p", creature="p", path=path, mount=mount)
    assert (decision.refusal.code if decision.refusal else None) == code


@pytest.mark.parametrize(("phase", "type_"), [("movement", "plan_movement"), ("action", "move")])
@pytest.mark.parametrize("path", [[], [[0, 2]]])
def test_RI_MOUNT_1_nobody_mounts_itself(phase: str, type_: str, path: list[list[int]]) -> None:
    fight = begun(
        entry("pc@p/horse", (0, 1), carries_riders=True, size="large"), entry("mon@m/e", (5, 0)), phase=phase
    )
    assert fight.refused(type_, "horse", path=path, mount="horse") == "mount_departed"
    assert not [offer for offer in fight.offers("seat-p") if offer.given.get("mount")]


def test_RI_VITAL_5_only_a_mortal_wound_is_treated() -> None:
    fight = opened(entry("pc@p/p", (0, 0)))
    light = VitalWound(die=5, result=5, effect="accuracy", gained=0)
    mortal = VitalWound(die=1, result=0, effect="dying", gained=0, deadline=9)
    fight.given("p", wounds=(light, mortal))
    decision = fight.send("treat_wound", "gm", creature="p", wound=0)
    assert decision.refusal is not None
    assert decision.refusal.code == "invalid_target"
    assert fight.send("treat_wound", "gm", creature="p", wound=1).refusal is None
    assert [wound.treated for wound in fight["p"].wounds] == [False, True]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        ({"path": [[0, -y] for y in range(1, 7)]}, None),
        ({"path": [[0, -y] for y in range(1, 8)]}, "insufficient_speed"),
        ({"path": [[0, -2]]}, "path_blocked"),
        ({"ability": "follow", "targets": ["e"]}, None),
        ({"ability": "follow", "targets": ["e", "q"]}, "reactive_rule_too_complex"),
        ({"ability": "follow", "targets": ["nobody"]}, "target_not_visible"),
        ({"ability": "follow"}, "reactive_rule_too_complex"),
        ({"ability": "follow", "targets": ["e"], "altitude_ft": 5}, "reactive_rule_too_complex"),
        ({"ability": "withdraw", "targets": ["e", "q"]}, None),
        ({"ability": "withdraw", "targets": ["p"]}, "target_not_visible"),
        ({"ability": "block", "targets": ["e", "q"]}, "reactive_rule_too_complex"),
        ({"ability": "block", "targets": ["e"], "altitude_ft": 5}, "reactive_rule_too_complex"),
        ({"ability": "hustle", "sprint": "auto", "path": [[0, -1]]}, "sprint_not_reactive"),
        ({"ability": "teleport", "path": [[0, -6]]}, "no_such_movement_mode"),
    ],
)
def test_RI_UNIV_HUSTLE_what_may_be_planned(data: dict[str, Any], code: str | None) -> None:
    """RI-UNIV-HUSTLE, RI-REAC-1, RI-MOVE-1."""
    decision = side_by_side("movement").send("plan_movement", "seat-p", creature="p", **data)
    assert (decision.refusal.code if decision.refusal else None) == code


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ([[4, 0]], None),
        ([[5, 0]], "insufficient_speed"),
        ([[3, 3]], None),
        ([[4, 4]], "insufficient_speed"),
        ([], "path_blocked"),
        ([[1, 0], [2, 0]], "path_blocked"),
        ([[0, 1]], "path_blocked"),
    ],
)
def test_RI_MOVE_1_a_teleport_is_one_jump_within_its_range(path: list[list[int]], code: str | None) -> None:
    """RI-MOVE-1: 20 feet, and never into a wall."""
    fight = begun(
        entry("pc@p/p", (0, 0), speeds={"land": 30, "teleport": 20}),
        entry("mon@m/e", (9, 9)),
        phase="movement",
        terrain={"0,1": "wall"},
    )
    decision = fight.send("plan_movement", "seat-p", creature="p", ability="teleport", path=path)
    assert (decision.refusal.code if decision.refusal else None) == code


@pytest.mark.parametrize(
    ("conditions", "code"),
    [
        ((), None),
        (("prone",), None),
        (("immobilized",), "immobilized"),
        (("grappled",), "immobilized"),
        (("prone", "immobilized"), "immobilized"),
        (("prone", "slowed"), None),
    ],
)
def test_RI_COND_2_one_condition_that_holds_fast_is_enough(
    conditions: tuple[str, ...], code: str | None
) -> None:
    fight = side_by_side().given("p", conditions=tuple([Condition(name=name) for name in conditions]))
    decision = fight.send("move", "seat-p", creature="p", path=[[0, -1]])
    assert (decision.refusal.code if decision.refusal else None) == code


def test_RI_UNIV_OVERRUN_a_run_goes_no_farther_than_its_speed() -> None:
    """RI-UNIV-OVERRUN, RI-MOVE-1."""
    far = [[x, 0] for x in range(1, 8)]
    assert side_by_side().refused("overrun", "p", path=far) == "insufficient_speed"
    side_by_side().do("overrun", "p", path=far[:6])


def test_RI_ACT_3_one_minor_action_and_another_for_the_standard_one() -> None:
    wave, shift = WAVE, {**WAVE, "id": "shift"}
    fight = begun(entry("pc@p/p", (0, 0), abilities=[wave, shift]), entry("mon@m/e", (1, 0)))
    fight.do("use_ability", "p", ability="wave", targets=["p"])
    assert fight.refused("use_ability", "p", ability="shift", targets=["p"]) == "minor_action_spent"
    fight.do("use_ability", "p", ability="shift", targets=["p"], pay="standard")
    assert fight.refused("strike", "p", target="e") == "standard_action_spent"


def test_RI_PHASE_6_a_passed_turn_is_said() -> None:
    fight = side_by_side().do("pass_turn", "p").do("begin_turn", "q").do("end_turn", "q")
    assert [event.creature for event in fight.logged("turn_passed")] == ["p"]


@pytest.mark.parametrize(
    ("carrier", "rider", "code"),
    [("horse", "r", None), ("horse", "q", "mount_departed"), ("horse", "e", "mount_departed")],
)
def test_RI_MOUNT_1_only_riders_are_carried(carrier: str, rider: str, code: str | None) -> None:
    fight = begun(
        entry("pc@p/horse", (0, 0), carries_riders=True, size="large"),
        entry("pc@p/r", (0, 0), mount="horse"),
        entry("pc@p/q", (5, 5)),
        entry("mon@m/e", (9, 0)),
        phase="movement",
    )
    data = {"path": [[0, -1]], "carry": [rider]}
    decision = fight.send("plan_movement", "seat-p", creature=carrier, **data)
    assert (decision.refusal.code if decision.refusal else None) == code


def test_RI_MOVE1_5_who_gets_up_for_the_standard_action_stands() -> None:
    fight = side_by_side().given("p", conditions=(Condition(name="prone"),))
    fight.do("move", "p", stand_up=True, path=[[0, -1], [0, -2], [0, -3]])
    assert not fight.seen("p", "p").has("prone")
    assert fight.end("p").rest()["p"].position == (0, -3)
    crawling = side_by_side().given("p", conditions=(Condition(name="prone"),))
    crawling.do("move", "p", path=[[0, -1]])
    assert crawling.seen("p", "p").has("prone")
