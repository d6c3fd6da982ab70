"""Both sides of Rise's deeds: what is planned, handled, pushed and repeated, and what a group agrees on."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.kernel.records import changed
from service.rules.rise.acting.swift import check_cost
from service.rules.rise.acting.turns import agreed, may_act
from service.rules.rise.acting.turns import turns as turns_of
from service.rules.rise.body.taking_damage import fell
from service.rules.rise.creatures.character import Condition
from service.rules.rise.creatures.combat_statistics import in_force
from service.rules.rise.creatures.sheet import Ability
from service.rules.rise.moving.objects import check_hands, detailed
from service.rules.rise.rounds.rounds import is_decided
from tests.rules.rise.kit import BLADE, Fight, begun, entry, opened
from tests.rules.rise.test_both_sides import QUIET, pair, refusal_of, refused


def code_of(call: Any, *args: Any, **more: Any) -> str | None:
    """Return the code with which *call* refuses, None if it does not."""
    found = refused(call, *args, **more)
    return found[0] if found else None


# --- plans -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("who", "data", "sprint"),
    [
        ("p", {"ability": "follow", "targets": ["e"]}, "ask"),
        ("p", {"ability": "withdraw", "targets": ["e"], "distance_ft": 60}, "ask"),
        ("p", {"ability": "follow", "targets": ["e"], "sprint": "never"}, "never"),
        ("p", {"ability": "follow", "targets": ["e"], "sprint": "auto"}, "auto"),
        ("p", {"path": [[0, -1]]}, "never"),
        ("e", {"ability": "follow", "targets": ["p"]}, "never"),
        ("e", {"path": [[2, 0]]}, "never"),
    ],
)
def test_RI_UNIV_HUSTLE_a_player_character_that_reacts_is_asked_whether_it_sprints(
    who: str, data: dict[str, Any], sprint: str
) -> None:
    fight = pair("movement")
    fight.do("plan_movement", who, **data)
    (event,) = fight.logged("movement_planned")
    assert event.plan.sprint == sprint


# --- things ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("what", "pay", "code"),
    [
        ("draw", "free", "needs_minor_action"),
        ("draw", "minor", None),
        ("stow", "free", "needs_minor_action"),
        ("stow", "minor", None),
        ("rummage", "minor", "needs_standard_action"),
        ("rummage", "free", "needs_standard_action"),
        ("rummage", "standard", None),
        ("heavy", "minor", "needs_standard_action"),
        ("heavy", "standard", None),
        ("drop", "free", None),
        ("pick_up", "free", None),
    ],
)
def test_RI_MAN_4_what_takes_which_action_in_detail(what: str, pay: str, code: str | None) -> None:
    assert code_of(detailed, what, pay) == code


@pytest.mark.parametrize(
    ("at", "code"),
    [
        ((-1, 0), None),
        ((-1, -1), None),
        ((-2, 0), "invalid_target"),
        ((0, -2), "invalid_target"),
        ((1, -1), None),
    ],
)
def test_RI_MAN_1_a_thing_takes_one_cell(at: tuple[int, int], code: str | None) -> None:
    fight = pair(hands=2)
    state = changed(fight.state, lying={"stone": at})
    assert code_of(check_hands, state, fight["p"], "pick_up", "stone") == code


# --- pushes ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("moved", "feet", "ends"),
    [
        ((), 15, {"p": (3, 0), "e": (4, 0)}),
        ((), 5, {"p": (1, 0), "e": (2, 0)}),
        ((), 0, {"p": (0, 0), "e": (1, 0)}),
        (("p",), 15, {"p": (0, 0), "e": (1, 0)}),
    ],
)
def test_RI_MOVE1_4_the_pusher_walks_along_and_pushes_nobody_if_it_has_moved(
    moved: tuple[str, ...], feet: int, ends: dict[str, tuple[int, int]]
) -> None:
    """RI-MOVE1-4, RI-UNIV-SHOVE: a shove of so many feet, eastwards."""
    fight = begun(
        entry("pc@p/p", (0, 0), speeds={"land": 60}),
        entry("mon@m/e", (1, 0)),
        options={**QUIET, "second_move": "wasted"},
    )
    for name in moved:
        fight.given(name, location_changed=True)
    fight.do("shove", "p", 9, target="e", direction=[1, 0], distance_ft=feet)
    fight.end("p").rest()
    assert {name: fight[name].position for name in ends} == ends


@pytest.mark.parametrize(
    ("faces", "speed", "end"),
    [((9,), 30, (4, 0)), ((9,), 60, (7, 0)), ((3,), 30, (1, 0)), ((10, 9), 30, (7, 0))],
)
def test_RI_UNIV_SHOVE_a_hit_pushes_half_the_speed_and_all_of_it_critically(
    faces: tuple[int, ...], speed: int, end: tuple[int, int]
) -> None:
    fight = begun(entry("pc@p/p", (0, 0), speeds={"land": speed}), entry("mon@m/e", (1, 0)), options=QUIET)
    fight.do("shove", "p", *faces, target="e", direction=[1, 0]).end("p").rest()
    assert fight["e"].position == end


# --- what counts -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("weights", "counts"), [((1, 2), 2), ((2, 1), 2), ((-3, 2), -3), ((2, -2), 2), ((-2, 2), -2)]
)
def test_RI_CALC_1_of_one_name_the_weightiest_counts_and_of_equals_the_first(
    weights: tuple[int, ...], counts: int
) -> None:
    held = tuple(Condition(name="hex", modifiers={"armor": each}) for each in weights)
    (found,) = in_force(changed(pair()["p"], conditions=held))
    assert found.modifiers == {"armor": counts}


@pytest.mark.parametrize(
    ("ability", "recovered", "code"),
    [
        ("recover", False, None),
        ("recover", True, "recover_already_used"),
        ("hum", True, None),
        ("hum", False, None),
    ],
)
def test_RI_SWIFT_4_only_recovering_waits_for_a_rest(
    ability: str, code: str | None, *, recovered: bool
) -> None:
    creature = changed(pair()["p"], recovered=recovered)
    assert code_of(check_cost, creature, Ability(id=ability, usage="free")) == code


@pytest.mark.parametrize(
    ("changes", "dead", "over"),
    [
        ({}, ("e",), True),
        ({}, (), False),
        ({"goes_on": True}, ("e",), False),
        ({"round": 0}, ("e",), False),
        ({}, ("p", "q", "e"), True),
        ({}, ("p",), False),
    ],
)
def test_RI_ROUND_6_a_fight_is_over_where_nothing_keeps_it_going(
    changes: dict[str, Any], dead: tuple[str, ...], *, over: bool
) -> None:
    state = pair().state
    for name in dead:
        state = state.with_creature(name, dead=True)
    assert is_decided(changed(state, **changes)) is over


def test_RI_ROUND_6_the_house_may_leave_the_end_to_the_gm() -> None:
    for auto_end in (True, False):
        fight = begun(
            entry("pc@p/p", (0, 0)), entry("mon@m/e", (9, 0)), options={**QUIET, "auto_end": auto_end}
        )
        assert is_decided(fight.state.with_creature("e", dead=True)) is auto_end


@pytest.mark.parametrize(
    ("orders", "refused_"),
    [
        ({}, {"p": False, "q": False}),
        ({"a": ("p", "q")}, {"p": False, "q": True}),
        ({"a": ("q", "p")}, {"p": True, "q": False}),
        ({"a": ("q",)}, {"p": True, "q": False}),
        ({"a": ()}, {"p": False, "q": False}),
        ({"a": ("p", "q"), "b": ("p", "q")}, {"p": False, "q": True}),
        ({"a": ("p", "q"), "b": ("q", "p")}, {"p": True, "q": True}),
        ({"a": ("p", "q"), "b": ("p", "q"), "c": ("q", "p")}, {"p": True, "q": True}),
    ],
)
def test_RI_GROUP_4_a_group_acts_in_the_order_on_which_it_agrees(
    orders: dict[str, tuple[str, ...]], refused_: dict[str, bool]
) -> None:
    view = changed(pair().state.at("p"), orders=orders)
    found = {name: code_of(agreed, view, name) for name in ("p", "q")}
    assert found == {name: "order_not_agreed" if said else None for name, said in refused_.items()}


@pytest.mark.parametrize(("changes", "acts"), [({}, True), ({"dead": True}, False)])
def test_RI_RES_13_a_bolting_mount_and_the_dead_have_no_turn(changes: dict[str, Any], *, acts: bool) -> None:
    fight = pair()
    view = fight.state.at("p")
    frame = turns_of(view)
    creature = changed(view.creatures["p"], **changes)
    assert may_act(view, frame, creature) is acts
    assert not may_act(view, frame, changed(creature, budget=changed(creature.budget, bolts=True)))


@pytest.mark.parametrize(("usage", "what"), [("minor", "minor:wave"), ("standard", "wave"), ("free", "wave")])
def test_RI_ACT_1_a_payment_says_what_it_is_for(usage: str, what: str) -> None:
    fight = begun(
        entry("pc@p/p", (0, 0), abilities=[{"id": "wave", "usage": usage}]),
        entry("mon@m/e", (9, 0)),
        options=QUIET,
    )
    fight.do("use_ability", "p", ability="wave", targets=["p"])
    assert [event.what for event in fight.logged("action_paid")] == [what]


@pytest.mark.parametrize(
    ("conditions", "faces"), [((), (9,)), (("blinded",), (9, 5)), (("dazzled",), (9, 3))]
)
def test_RI_ATK_13_what_is_not_seen_is_missed_by_a_d10(
    conditions: tuple[str, ...], faces: tuple[int, ...]
) -> None:
    fight = pair(weapons=[BLADE]).given("p", conditions=tuple(Condition(name=name) for name in conditions))
    fight.do("strike", "p", *faces, target="e")
    found = [die.sides for roll in fight.rolls for die in roll.dice if roll.name.stream == "p/concealment"]
    assert found == [10] * (len(faces) - 1)


@pytest.mark.parametrize(
    ("profile", "faces"), [("rise-4d", (9,)), ("rise-4d", (10, 3)), ("rise-5d", (9,)), ("rise-5d", (10, 3))]
)
def test_RI_ATK_2_only_a_ten_explodes_in_either_printing(profile: str, faces: tuple[int, ...]) -> None:
    fight = begun(
        entry("pc@p/p", (0, 0), weapons=[BLADE]),
        entry("mon@m/e", (1, 0)),
        options={**QUIET, "profile": profile},
    )
    fight.do("strike", "p", *faces, target="e")
    assert [len(roll.dice) for roll in fight.rolls if roll.name.stream == "p/attack"] == [len(faces)]


def test_RI_HP_3_a_monster_at_zero_by_subdual_damage_sleeps() -> None:
    state = pair().given("e", hp=-2).state
    event: Any = next(fell(state, "e", subdual=True))
    assert (event.creature, event.fate, event.wasted_damage) == ("e", "unconscious", 2)


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"speeds": {"land": 30}}, None),
        ({"speeds": {"land": 30, "roll": 5}}, "/creatures/0/sheet/speeds/roll"),
        ({"altitude": -5}, "/creatures/0/altitude"),
        ({"altitude": 7}, "/creatures/0/altitude"),
        ({"altitude": 10, "speeds": {"land": 30, "fly": 30}}, None),
    ],
)
def test_RI_HP_4_an_entry_says_what_can_be(changes: dict[str, Any], pointer: str | None) -> None:
    entries = (entry("pc@p/p", (0, 0), **changes), entry("mon@m/e", (9, 0)))
    if pointer is None:
        assert opened(*entries)["p"].hp == 20
        return
    with pytest.raises(Exception, match=pointer):
        opened(*entries)


@pytest.mark.parametrize("conditions", [(), ("grappled",)])
def test_RI_UNIV_MAINTAIN_begins_a_turn(conditions: tuple[str, ...]) -> None:
    fight: Fight = pair().given("p", conditions=tuple(Condition(name=n, source="e") for n in conditions))
    found = refusal_of(fight, "seat-p", "maintain_grapple", creature="p")
    assert (found is None) is bool(conditions), found
    if conditions:
        assert fight.seen("p", "p").budget.turn == "open"
