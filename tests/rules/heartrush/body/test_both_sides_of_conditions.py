"""Both sides of each bound of conditions, pushes and space, asked of the rule itself."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.heartrush.body.conditions import end_charm, gain
from service.rules.heartrush.body.damage import refusal_to_shrug
from service.rules.heartrush.body.permission import check_able, check_alive
from service.rules.heartrush.creatures.character import Condition
from service.rules.heartrush.creatures.size_and_bonds import fit_together, is_counted
from service.rules.heartrush.moving.forced_movement import PushFrame, share, split
from service.rules.heartrush.rolling.rolls import prone
from service.rules.heartrush.timing.priority import pass_after_ability
from service.rules.kernel.records import changed
from tests.rules.heartrush.kit import begun, opened
from tests.rules.heartrush.sides import PLACES, code_of, emitted, refusal_of, types

PUSHED: dict[str, Any] = {"creature": "pia", "by": "ash", "step": (1, 0), "follow": None}


@pytest.mark.parametrize(
    ("levels", "source", "events"),
    [
        (0, "ash", []),
        (-1, "ash", []),
        (1, "ash", ["condition_lost", "condition_gained"]),
        (1, "orc", ["condition_gained"]),
    ],
)
def test_HR_COND_1_and_HR_COND_16_a_rage_at_another_ends_the_older_one(
    levels: int, source: str, events: list[str]
) -> None:
    fight = begun(PLACES).given("pia", conditions={"enraged": Condition(level=1, source="orc")})
    assert types(gain(fight.state, "pia", "enraged", levels, source), fight.state) == events


@pytest.mark.parametrize(
    ("conditions", "events"),
    [
        ({}, []),
        ({"charmed": Condition(source="orc")}, []),
        ({"charmed": Condition(source="ash")}, ["condition_lost"]),
    ],
)
def test_HR_COND_17_an_attack_ends_the_charm_of_its_attacker(
    conditions: dict[str, Condition], events: list[str]
) -> None:
    fight = begun(PLACES).given("pia", conditions=conditions)
    assert types(end_charm(fight.state, "pia", "ash"), fight.state) == events


@pytest.mark.parametrize(
    ("conditions", "shot", "levels"),
    [
        ({}, False, []),
        ({"dazed": Condition()}, False, []),
        ({"dazed": Condition()}, True, []),
        ({"prone": Condition()}, False, [-1]),
        ({"prone": Condition()}, True, [1]),
    ],
)
def test_HR_COND_18_the_prone_defend_better_against_shots_alone(
    conditions: dict[str, Condition], levels: list[int], *, shot: bool
) -> None:
    creature = begun(PLACES).given("pia", conditions=conditions)["pia"]
    assert [edge.levels for edge in prone(creature, defends_against_shot=shot)] == levels


@pytest.mark.parametrize(
    ("how", "willing"), [("dash", True), ("sidestep", True), ("pushed", False), ("dragged", False)]
)
def test_HR_MOVE_4_a_dash_and_a_sidestep_are_willing(how: str, *, willing: bool) -> None:
    assert is_counted(how) is willing


@pytest.mark.parametrize(
    ("blocker", "shield", "light_blocks", "shares"),
    [
        (None, "none", True, (7, 0)),
        ("orc", "none", True, (4, 3)),
        ("orc", "heavy", False, (7, 0)),
        ("orc", "light", True, (7, 0)),
        ("orc", "light", False, (4, 3)),
    ],
)
def test_HR_FORCE_2_what_stops_a_push_takes_half_unless_its_shield_spares_it(
    blocker: str | None, shield: str, shares: tuple[int, int], *, light_blocks: bool
) -> None:
    sheets = {"orc": {"shield": shield, "weapons": []}}
    fight = begun(PLACES, sheets=sheets, options={"light_shield_blocks_split": light_blocks})
    frame = PushFrame(path="r1/p1", **PUSHED, left_ft=10, blocker=blocker)
    assert split(fight.state, frame, 7) == shares


def test_HR_FORCE_2_the_blocker_takes_its_half_after_the_mover() -> None:
    frame = PushFrame(path="r1/p1", **PUSHED, left_ft=5, blocker="orc", total=3, stage="shared")
    state = begun(PLACES).state.pushed(frame)
    first, *rest = emitted(share(state, frame), state)
    assert (first.type, first.creature, first.because) == ("collision_shared", "orc", ("HR-FORCE-2", "A-39"))
    assert first.evolve(state).frame("r1/p1", PushFrame).stage == "done"
    assert [event.creature for event in rest] == ["orc"]


@pytest.mark.parametrize(
    ("size", "others", "fits"),
    [
        ("medium", (), False),
        ("small", ("small",) * 4, True),
        ("small", ("small",) * 5, False),
        ("tiny", ("tiny",) * 9, True),
        ("tiny", ("tiny",) * 10, False),
        ("tiny", ("medium",), False),
    ],
)
def test_HR_SIZE_2_as_many_of_one_side_share_a_cell_as_fill_it(
    size: Any, others: tuple[Any, ...], *, fits: bool
) -> None:
    fight = begun(PLACES)

    def sized(name: str, to: Any) -> Any:
        return changed(fight[name], sheet=changed(fight[name].sheet, size=to))

    mover, there = sized("pia", size), [sized("ash", other) for other in others]
    assert fit_together(mover, there) is fits
    if there:
        assert not fit_together(mover, [*there[1:], sized("orc", others[0])])
        assert not fit_together(mover, [sized("orc", other) for other in others])


@pytest.mark.parametrize(
    ("status", "code"), [("active", None), ("unconscious", None), ("dead", "dead"), ("gone", "dead")]
)
def test_HR_SVC_1_and_HR_ZERO_4_the_dead_and_those_who_left_do_nothing(status: str, code: str | None) -> None:
    fight = begun(PLACES).given("pia", status=status)
    assert code_of(check_alive, fight["pia"]) == code
    acts = "unconscious" if status == "unconscious" else code
    assert code_of(check_able, fight["pia"], "dash", ()) == acts


@pytest.mark.parametrize(("last", "side"), [("pia", "enemies"), ("orc", "players")])
def test_HR_PRIO_2_priority_passes_to_the_other_side_after_an_ability(last: str, side: str) -> None:
    fight = begun(PLACES)
    state = changed(fight.state, last_actor=last, last_actor_side=fight[last].sheet.side, phase="resolving")
    (event,) = emitted(pass_after_ability(state), state)
    assert (event.type, event.side, event.reason, event.passes) == ("priority_passed", side, "ability", 0)


@pytest.mark.parametrize("cn", [(None, None), (8, {"creature": "orc", "by": "might"})])
def test_HR_ZERO_4_and_HR_GEN_8_a_check_is_against_one_thing_and_not_of_the_dead(
    cn: tuple[int | None, Any],
) -> None:
    number, against = cn
    data = {"creature": "pia", "ability": "might", "what": "lift it"}
    fight = opened(PLACES)
    assert refusal_of(fight, "gm", "roll_check", **data, cn=number, against=against) == (
        "params_missing",
        "HR-GEN-8",
    )
    fight.given("pia", status="dead")
    assert refusal_of(fight, "gm", "roll_check", **data, cn=8) == ("dead", "HR-ZERO-4")
    fight.given("pia", status="unconscious")
    assert refusal_of(fight, "gm", "roll_check", **data, cn=8) is None


@pytest.mark.parametrize(
    ("cause", "shruggable", "changes", "why"),
    [
        ("attack", True, {}, None),
        ("attack", False, {}, None),
        ("fall", True, {}, None),
        ("fall", False, {}, "hazards_not_shruggable"),
        ("hazard", False, {}, "hazards_not_shruggable"),
        ("attack", True, {"heart_die": 4}, "heart_die_minimum"),
        ("attack", True, {"heart_die": 6}, None),
        ("attack", True, {"status": "unconscious"}, "unconscious"),
        ("attack", True, {"status": "dead"}, "dead"),
    ],
)
def test_HR_DMG_2_who_cannot_shrug_damage_off(
    cause: str, changes: dict[str, Any], why: str | None, *, shruggable: bool
) -> None:
    fight = begun(PLACES, options={"hazards_shruggable": shruggable}).given("pia", **changes)
    assert refusal_to_shrug(fight.state, fight["pia"], cause) == why


@pytest.mark.parametrize(("shrugs", "why"), [(0, None), (1, "already_shrugged"), (2, "already_shrugged")])
def test_HR_DMG_2_the_house_may_allow_one_shrug_a_round(shrugs: int, why: str | None) -> None:
    once = begun(PLACES, options={"shrug_per_round": 1}).given("pia", shrugs=shrugs)
    assert refusal_to_shrug(once.state, once["pia"]) == why
    ever = begun(PLACES).given("pia", shrugs=shrugs)
    assert refusal_to_shrug(ever.state, ever["pia"]) is None
