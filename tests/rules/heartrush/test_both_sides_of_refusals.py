"""Both sides of Heart Rush's refusals: commands that somebody may send and others may not, and their bounds.

A row is named by its rule, so that it counts for that rule alone.
"""

from __future__ import annotations

from typing import Any, Final

import pytest

from service.rules.heartrush.body.conditions import fade_with_time
from service.rules.heartrush.creatures.character import Condition
from service.rules.heartrush.creatures.size_and_bonds import fit_together
from service.rules.heartrush.moving.climbing import check_climb
from service.rules.heartrush.moving.grapple import size_edges
from service.rules.heartrush.rolling.rolls import grappling, high_ground
from service.rules.heartrush.timing.starting_combat import CombatBegan
from service.rules.kernel.records import changed
from tests.rules.heartrush.kit import Fight, begun, opened
from tests.rules.heartrush.sides import code_of, emitted, refusal_of

PLACES: Final = {"pia": (0, 0), "ash": (0, 2), "orc": (1, 0)}
SPENT: Final = {"action": 0, "rush": 0, "free_dash": False, "free_object": False, "free_callout": False}


def acting(**changes: Any) -> Fight:
    """Return a fight in which the players hold priority, and Pia is as *changes* say."""
    fight = begun(PLACES)
    if fight.state.priority_side != "players":
        fight.do("pass_side", side="enemies")
    fight.state = fight.state.with_creature("pia", **changes)
    return fight


ACTIONS: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "HR-ACT-8": ("dash", {"to": [0, 1]}),
    "HR-ACT-7": ("sidestep", {"to": [0, 1], "pay": "action"}),
    "HR-ACT-9": ("object", {"verb": "handle", "item": "a cup"}),
    "HR-ACT-11": ("call_out", {"words": "run"}),
    "HR-ACT-5": ("engage", {"target": "orc"}),
}


@pytest.mark.parametrize("rule", ACTIONS)
def test_an_action_is_taken_by_who_has_one_and_priority(rule: str) -> None:
    type_, data = ACTIONS[rule]
    given: tuple[tuple[dict[str, Any], bool], ...] = (
        ({}, True),
        (SPENT, False),
        ({"status": "unconscious"}, False),
        ({"status": "dead"}, False),
        ({"conditions": {"stunned": Condition(level=1)}}, False),
    )
    for changes, accepted in given:
        found = refusal_of(acting(**changes), "zoe", type_, creature="pia", **data)
        assert (found is None) is accepted, (changes, found)
    for by, changes in (("gm", {}), ("tom", {})):
        fight = acting(**changes)
        if by == "tom":
            fight.do("open_seat", seat="tom", role="player")
        assert refusal_of(fight, by, type_, creature="pia", **data) is not None, by
    waits = acting().do("pass_side", side="players")
    if waits.state.priority_side != "players":
        found = refusal_of(waits, "zoe", type_, creature="pia", **data)
        assert found is not None
        assert found[0] == "no_priority"


@pytest.mark.parametrize(
    ("rule", "type_", "data", "code"),
    [
        ("HR-ACT-5", "engage", {"target": "orc"}, None),
        ("HR-ACT-5", "engage", {"target": "ash"}, "target_not_enemy"),
        ("HR-ACT-5", "engage", {"target": "elf"}, "target_not_enemy"),
        ("HR-ACT-11", "call_out", {"words": ""}, "sentence_too_long"),
        ("HR-ACT-9", "object", {"verb": "handle", "item": ""}, "params_missing"),
        ("HR-ACT-9", "object", {"verb": "handle", "item": "x"}, None),
    ],
)
def test_a_command_is_refused_as_its_row_says(
    rule: str, type_: str, data: dict[str, Any], code: str | None
) -> None:
    found = refusal_of(acting(), "zoe", type_, creature="pia", **data)
    assert (found[0] if found else None) == code


@pytest.mark.parametrize(
    ("by", "type_", "data", "code", "rule"),
    [
        ("gm", "fall", {"creature": "pia", "feet": 4}, "params_missing", "HR-FALL-1"),
        ("gm", "fall", {"creature": "pia", "feet": 5}, None, "HR-FALL-1"),
        ("gm", "end_combat", {}, "no_encounter", "HR-SVC-4"),
        (
            "zoe",
            "coat_weapon",
            {"creature": "pia", "weapon": "axe", "poison": "x"},
            "weapon_not_wielded",
            "HR-POIS-1",
        ),
        (
            "zoe",
            "coat_weapon",
            {"creature": "pia", "weapon": "mace", "poison": "x"},
            "no_poison_dose",
            "HR-POIS-1",
        ),
        ("zoe", "scrape_weapon", {"creature": "pia", "weapon": "mace"}, "weapon_not_coated", "HR-POIS-3"),
        ("zoe", "invoke_wound", {"creature": "pia", "wound": "w9"}, "wound_none", "HR-WND-4"),
        ("zoe", "ask_ruling", {"creature": "pia", "text": "may I?"}, None, "HR-SVC-1"),
        ("zoe", "ask_ruling", {"creature": "pia", "text": ""}, "params_missing", "HR-SVC-1"),
    ],
    ids=lambda value: value if isinstance(value, str) and value.startswith("HR-") else None,
)
def test_before_combat_a_command_is_refused_as_its_row_says(
    by: str, type_: str, data: dict[str, Any], code: str | None, rule: str
) -> None:
    found = refusal_of(opened(PLACES), by, type_, **data)
    assert (found[0] if found else None) == code
    assert found is None or found[1] in (rule, None), found


def test_HR_SVC_1_the_gm_has_at_most_so_many_requests_to_answer() -> None:
    fight = opened(PLACES)
    for i in range(100):
        assert refusal_of(fight, "zoe", "ask_ruling", creature="pia", text=f"may I {i}?") is None, i
    found = refusal_of(fight, "zoe", "ask_ruling", creature="pia", text="and now?")
    assert found == ("too_many_requests", "HR-SVC-1")


def test_HR_GEN_1_and_HR_START_1_what_is_over_cannot_end_and_what_runs_cannot_begin() -> None:
    fight = begun(PLACES)
    found = refusal_of(fight, "gm", "begin_combat")
    assert found is not None
    assert found[0] == "in_combat"
    fight.do("end_combat")
    assert refusal_of(fight, "gm", "end_combat") == ("encounter_over", "HR-GEN-1")


# --- what a fight has not counted yet --------------------------------------------------------------------


@pytest.mark.parametrize("left", [0, 7])
def test_HR_SVC_7_a_fight_begins_with_nothing_counted(left: int) -> None:
    fight = opened(PLACES)
    counted = ("passes", "auto_passes", "engagements", "movements", "instants", "turn")
    state = changed(fight.state, acted_this_round=bool(left), **dict.fromkeys(counted, left))
    for name in PLACES:
        state = state.with_creature(name, action=left, meditation=left, rounds_active=(left,))
        state = state.with_creature(name, free_dash=False, free_object=False, free_callout=False)
    after = CombatBegan(unaware_side=None, surprised=("pia",)).evolve(state)
    assert [getattr(after, name) for name in counted] == [0] * 6
    assert after.acted_this_round is False
    assert (after.starting_side, after.starter, after.priority_side) == (None, None, None)
    assert (after.last_actor_side, after.last_actor, after.ending) == (None, None, "")
    assert (after.member_passed, after.turn_order, after.turns, after.delayed) == ((), (), (), ())
    assert dict(after.initiative) == {}
    for name in PLACES:
        found = after.creatures[name]
        assert (found.action, found.meditation, found.rounds_active) == (1, 0, ())
        assert (found.free_dash, found.free_object, found.free_callout) == (True, True, True)
        assert found.surprised is (name == "pia")


# --- room for creatures in one cell ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mover", "others", "fits"),
    [
        ("small", {"small": 4}, True),
        ("small", {"small": 5}, False),
        ("small", {"small": 4, "minuscule": 1}, False),
        ("tiny", {"tiny": 9}, True),
        ("tiny", {"tiny": 10}, False),
        ("tiny", {"tiny": 9, "minuscule": 1}, False),
        ("minuscule", {"minuscule": 999}, True),
        ("minuscule", {"minuscule": 1000}, False),
        ("small", {"small": 3, "tiny": 2}, True),
        ("medium", {}, False),
        ("tiny", {"medium": 1}, False),
    ],
)
def test_HR_SIZE_2_a_cell_holds_a_thousand_parts(mover: str, others: dict[str, int], *, fits: bool) -> None:
    pia = opened(PLACES).state.creatures["pia"]

    def sized(size: str) -> Any:
        return changed(pia, sheet=changed(pia.sheet, size=size))

    there = [sized(size) for size, many in others.items() for _ in range(many)]
    assert fit_together(sized(mover), there) is fits


# --- edges -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("conditions", "levels"), [({}, []), ({"grappling": Condition(level=1)}, [-1])])
def test_HR_COND_24_who_holds_somebody_rolls_one_level_worse(
    conditions: dict[str, Any], levels: list[int]
) -> None:
    pia = changed(opened(PLACES).state.creatures["pia"], conditions=conditions)
    assert [(edge.levels, edge.rule) for edge in grappling(pia)] == [(each, "HR-COND-24") for each in levels]


@pytest.mark.parametrize(
    ("who", "other", "levels"),
    [("medium", "medium", []), ("large", "medium", [1]), ("l2", "medium", [2]), ("small", "medium", [])],
)
def test_HR_GRAP_2_and_HR_SIZE_7_the_larger_one_has_an_edge_for_each_size(
    who: str, other: str, levels: list[int]
) -> None:
    pia = opened(PLACES).state.creatures["pia"]
    found = size_edges(
        changed(pia, sheet=changed(pia.sheet, size=who)), changed(pia, sheet=changed(pia.sheet, size=other))
    )
    assert [edge.levels for edge in found] == levels


@pytest.mark.parametrize(
    ("heights", "attacker", "target", "above"),
    [
        ({}, {}, {}, False),
        ({"0,0": 5}, {}, {}, True),
        ({"1,0": 5}, {}, {}, False),
        ({"0,0": 5, "1,0": 5}, {}, {}, False),
        ({"0,0": 5}, {}, {"highground": Condition(level=1)}, False),
        ({}, {"highground": Condition(level=1)}, {}, True),
        ({}, {"highground": Condition(level=1)}, {"highground": Condition(level=1)}, False),
        ({}, {}, {"highground": Condition(level=1)}, False),
    ],
)
def test_HR_COND_22_who_stands_higher_has_the_edge(
    heights: dict[str, int], attacker: dict[str, Any], target: dict[str, Any], *, above: bool
) -> None:
    state = opened(PLACES).state
    state = changed(state, scenery=changed(state.scenery, heights=heights))
    state = state.with_creature("pia", conditions=attacker).with_creature("orc", conditions=target)
    found = high_ground(state, state.creatures["pia"], state.creatures["orc"])
    assert [(edge.levels, edge.rule) for edge in found] == ([(1, "HR-COND-22")] if above else [])


# --- climbing onto somebody --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("at", "size", "conditions", "code"),
    [
        ((1, 0), "l2", (), None),
        ((9, 0), "l2", (), "not_adjacent"),
        ((1, 0), "large", (), "target_too_small"),
        ((1, 0), "l2", ("grappled",), "restrained"),
        ((1, 0), "l2", ("creature_climber",), "already_climbing"),
    ],
)
def test_HR_CLIMB_1_and_HR_COND_5_one_climbs_onto_who_is_near_and_far_larger(
    at: tuple[int, int], size: str, conditions: tuple[str, ...], code: str | None
) -> None:
    fight = opened({"pia": (0, 0), "orc": at}, sheets={"orc": {"size": size}})
    held = {name: Condition(level=1, source="orc") for name in conditions}
    state = fight.state.with_creature("pia", conditions=held)
    assert code_of(check_climb, state, state.creatures["pia"], state.creatures["orc"]) == code


# --- between two encounters --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seconds", "level", "left"), [(0, 3, None), (5, 3, None), (6, 3, 2), (12, 3, 1), (18, 3, 0), (600, 3, 0)]
)
def test_HR_COND_27_conditions_fade_with_each_round_of_time(
    seconds: int, level: int, left: int | None
) -> None:
    state = opened(PLACES).state.with_creature("pia", conditions={"dazed": Condition(level=level)})
    assert state.house.round_seconds == 6
    emits = fade_with_time(state, seconds, ("pia",))
    if left is None:
        assert emitted(emits, state) == []
        return
    (event,) = emitted(emits, state)
    assert event.levels == {"pia": {"dazed": left}}
