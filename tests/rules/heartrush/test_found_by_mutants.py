"""What changes of the rules' lines that no test noticed have shown, each by its rule."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.heartrush import HEARTRUSH
from service.rules.heartrush.body.actions import AbilityUsed
from service.rules.heartrush.creatures.character import Condition
from service.rules.heartrush.table.opening import Opening, faults
from service.rules.kernel.codec import from_data
from service.rules.kernel.messages import Refused
from service.rules.kernel.records import changed
from service.rules.kernel.sealed import view
from service.rules.ruleset import carried, waiting
from service.rules.table.carried import CarriedFrom
from tests.rules.heartrush.casts import ability, do
from tests.rules.heartrush.kit import Fight, begun, opened, opening, sheet
from tests.rules.heartrush.sides import refusal_of

PLACES = {"pia": (0, 0), "ash": (0, 2), "orc": (9, 0)}
SIDE_BY_SIDE = {"pia": (0, 0), "wolf": (1, 0)}


def mine(places: Any = PLACES, **changes: Any) -> Fight:
    """Return a fight in which the players hold priority."""
    fight = begun(places, **changes)
    return fight.do("pass_side", side="enemies") if fight.state.priority_side == "enemies" else fight


def ruled(fight: Fight, **effect: Any) -> Fight:
    """Let the GM rule that one thing happens."""
    return fight.do("gm_ruling", kind="other", decision="so be it", reason="fair", effects=[effect])


@pytest.mark.parametrize(
    ("type_", "data"),
    [("dash", {"to": [1, 0]}), ("pass", {}), ("call_out", {"words": "run"}), ("help", {"target": "ash"})],
)
def test_HR_PRIO_1_nobody_acts_while_dice_are_still_to_be_thrown(type_: str, data: dict[str, Any]) -> None:
    fight = mine({**PLACES, "ash": (0, 1)})
    fight.send("roll_check", "gm", creature="ash", ability="might", cn=5, what="lift")
    assert refusal_of(fight, "zoe", type_, creature="pia", **data) == ("no_priority", "HR-PRIO-1")
    fight.throw(4, 4)
    assert refusal_of(fight, "zoe", type_, creature="pia", **data) is None


def test_HR_MOVE_8_to_be_put_aside_costs_no_movement() -> None:
    """Pia walks into Ash's space, and a hidden wolf stops her there."""
    fight = begun({"pia": (0, 0), "ash": (1, 0), "orc": (9, 9)})
    fight.do("hide_creature", entry={"sheet": sheet("wolf"), "position": [2, 0]})
    fight.do("dash", creature="pia", path=[[1, 0], [2, 0], [3, 0]])
    assert fight["pia"].position != (1, 0)
    assert fight["pia"].moved_ft == 5
    assert [event.feet for event in fight.logged("moved")] == [5, 0]


def test_HR_GEN_2_an_ability_in_a_turn_counts_as_acting() -> None:
    state = changed(begun(PLACES).state, phase="turn", acted_this_round=False)
    after = AbilityUsed(creature="pia", ability="help", paid="none").evolve(state)
    assert (after.acted_this_round, after.phase) == (True, "turn")


def test_HR_CAST_3_a_saving_throw_against_a_spell_is_no_skill_check_and_leaves_the_bonus() -> None:
    """HR-ASP-1: the bonus of an aspect waits for the next skill check."""
    dread = ability(
        "dread",
        elements=["mind"],
        params=[{"name": "chosen", "kind": "creatures", "side": "enemy", "within_ft": 30}],
        effects=[
            {"kind": "save", "who": "$chosen", "ability": "cunning"},
            do("condition", creature="failed", condition="dazed", levels=2),
        ],
    )
    del dread["tags"]
    sheets = {"pia": {"growth": {"spells": ["dread"], "attunements": ["mind"]}, "paragon_level": 1}}
    fight = mine(SIDE_BY_SIDE, sheets=sheets, spells=[dread]).given("wolf", bonus=9)
    fight.do("cast", creature="pia", ability="dread", params={"chosen": ["wolf"]}).throw(1, 1)
    assert [event.success for event in fight.logged("save_made")] == [False]
    assert fight["wolf"].bonus == 9


@pytest.mark.parametrize("points", [1, 2])
def test_HR_ASP_1_one_point_may_be_spent_and_as_many_as_the_rank(points: int) -> None:
    growth = {"growth": {"aspects": [{"text": "leave no one behind", "rank": 2}]}}
    fight = opened(PLACES, sheets={"pia": growth}).given("pia", destiny_points=3)
    fight.send("invoke_aspect", "gm", creature="pia", aspect=0, points=points)
    assert (fight["pia"].destiny_points, fight["pia"].bonus) == (3 - points, points)


@pytest.mark.parametrize(("shallow", "extra"), [(0, 5), (1, 5), (3, 5), (4, 1)])
def test_HR_ENV_4_a_large_creature_stands_where_it_stands_in_all_of_its_water(
    shallow: int, extra: int
) -> None:
    """HR-ENV-3: it fills four cells of deep water, in some of which it could stand."""
    cells = ["0,0", "1,0", "0,1", "1,1"]
    water = {cell: {"stands_from": "small" if i < shallow else None} for i, cell in enumerate(cells)}
    fight = opened(
        {"pia": (0, 0), "orc": (9, 9)},
        sheets={"pia": {"size": "l2"}},
        terrain=dict.fromkeys(cells, "deep_water"),
        scenery={"water": water},
    )
    fight.send("roll_check", "gm", creature="pia", ability="agility", what="swim", cn=10, needs=["motion"])
    (frame,) = [each for each in fight.state.stacks.table if each.kind == "dice"]
    assert str(frame).count("disadvantage") == extra


def test_HR_CARRY_1_nobody_is_carried_who_was_not_there() -> None:
    """TABLE-SEAT-1."""
    origin = CarriedFrom(encounter="00112233-4455-6677-8899-aabbccddeeff", n=7, hash="ab" * 32)
    fight = opened(PLACES)
    with pytest.raises(Refused) as refused:
        carried(HEARTRUSH, view(fight.state, "gm"), "elf", origin)
    assert (refused.value.code, refused.value.rule) == ("no_such_creature", "TABLE-SEAT-1")


def test_HR_OFF_1_the_dead_are_no_target_of_an_offensive_action() -> None:
    fight = begun({**SIDE_BY_SIDE, "orc": (0, 1)}).do("engage", creature="pia", target="wolf")
    fight.joined_by("orc").stances(pia="cunning", wolf="agility", orc="agility")
    ruled(fight, kind="hp", creature="wolf", hp=-99)
    asked = {"creature": "pia", "what": "hinder", "way": "blind", "prompt": fight.prompt("pia")}
    found = refusal_of(fight, "zoe", "declare_offensive", target="wolf", **asked)
    assert found == ("target_dead", "HR-OFF-1")
    assert refusal_of(fight, "zoe", "declare_offensive", target="orc", **asked) is None


STAIRS: dict[str, Any] = {
    "scenery": {
        "heights": {f"{x},{y}": 20 * (2 - x) for x in (0, 1) for y in range(-3, 4)},
        "ledges": [f"{x},{y}|{x + 1},{y}" for x in (0, 1) for y in range(-3, 4)],
    }
}
"""Steps of 20 feet, down from the first column to the second and from that to the third."""


@pytest.mark.parametrize(("held", "fallen"), [(True, ["pia", "orc"]), (False, ["pia"])])
def test_HR_FORCE_4_whom_one_holds_comes_along_over_a_ledge_and_falls_too(
    fallen: list[str], *, held: bool
) -> None:
    """Pia is pushed down from the second step, and the orc that she holds comes down from the first."""
    fight = begun({"pia": (1, 0), "orc": (0, 0)}, **STAIRS)
    if held:
        fight.given("pia", conditions={"grappling": Condition(source="orc")})
        fight.given("orc", conditions={"grappled": Condition(source="pia")})
    ruled(fight, kind="push", creature="pia", feet=5, direction=[1, 0])
    fight.throw(8, 6)
    assert sorted(event.creature for event in fight.logged("fell")) == sorted(fallen)
    assert fight["orc"].position == ((1, 0) if held else (0, 0))


TWO_SEATS = [
    {"seat": "zoe", "role": "player", "creatures": ["pia"]},
    {"seat": "tom", "role": "player", "creatures": ["bru"]},
]


@pytest.mark.parametrize(
    ("type_", "data", "places", "path"),
    [
        ("trip", {}, {"pia": (1, 1), "bru": (-1, 1), "wolf": (0, 0)}, [[0, 1], [0, 2]]),
        (
            "opportunity_attack",
            {"stance": "might"},
            {"pia": (0, 0), "bru": (0, 1), "wolf": (1, 0)},
            [[2, 0], [3, 0]],
        ),
    ],
)
def test_TABLE_SEAT_1_who_answers_a_movement_answers_the_prompt_of_its_own_seat(
    type_: str, data: dict[str, Any], places: dict[str, tuple[int, int]], path: list[list[int]]
) -> None:
    """HR-ACT-13, HR-OA-1: two seats are asked about one movement."""
    fight = begun(places, first="enemies", seats=TWO_SEATS)
    if type_ == "trip":
        ruled(fight, kind="condition", creature="wolf", condition="off_balanced", levels=2)
    fight.do("dash", creature="wolf", path=path)
    pia, bru = fight.prompt("pia"), fight.prompt("bru")
    asked = {"target": "wolf", **data}
    found = refusal_of(fight, "zoe", type_, creature="pia", prompt=bru, **asked)
    assert found == ("not_your_prompt", "TABLE-SEAT-1")
    assert refusal_of(fight, "zoe", type_, creature="pia", prompt=pia, **asked) is None


@pytest.mark.parametrize("owner", ["wolf", "nobody"])
def test_HR_MOVE_3_a_movement_waits_for_those_alone_who_can_answer_a_step(owner: str) -> None:
    """HR-TIME-6: the table knows an ability that answers steps; who has none is not asked."""
    snare = ability(
        "snare",
        "heart",
        "instant",
        trigger=["step_taken"],
        effects=[do("condition", creature="mover", condition="prone")],
    )
    sheets = {owner: {"abilities": ["snare"]}} if owner == "wolf" else {}
    fight = mine({"pia": (0, 0), "wolf": (4, 0)}, sheets=sheets, abilities=[snare])
    fight.do("dash", creature="pia", path=[[0, 1]])
    assert bool(fight.logged("window_opened")) is (owner == "wolf")
    assert fight.state.priority_side == (None if owner == "wolf" else "enemies")


@pytest.mark.parametrize(("ground", "climbs"), [({}, False), ({"climb_cn": {"0,1": 9}}, True)])
def test_HR_ENV_6_what_has_to_be_climbed_by_a_check_takes_a_dash(
    ground: dict[str, Any], *, climbs: bool
) -> None:
    fight = mine({"pia": (0, 0), "orc": (5, 5)}, terrain={"0,1": "climb"}, scenery=ground)
    found = refusal_of(fight, "zoe", "sidestep", creature="pia", to=[0, 1], pay="rush")
    assert found == (("blocked", "HR-ENV-6") if climbs else None), found
    assert refusal_of(fight, "zoe", "dash", creature="pia", to=[0, 1]) is None or not climbs


@pytest.mark.parametrize("to", [[0, 1], [50, 0]])
def test_HR_ACT_8_who_has_spent_its_dash_and_its_action_reads_so_wherever_it_would_go(to: list[int]) -> None:
    fight = mine().given("pia", action=0, rush=0, free_dash=False)
    found = refusal_of(fight, "zoe", "dash", creature="pia", to=to)
    assert found is not None
    assert found[0] == "action_spent"
    assert "dash" not in {offer.type for offer in fight.offers("zoe", "pia")}


@pytest.mark.parametrize("to", [(1, 0), (0, 1), (2, 3)])
def test_HR_MOVE_7_a_climber_comes_along_by_as_many_cells(to: tuple[int, int]) -> None:
    fight = begun({"pia": (5, 7), "wolf": (5, 6), "orc": (20, 20)}, sheets={"pia": {"size": "l2"}})
    fight.given("pia", conditions={"climbed_on": Condition(source="wolf")})
    fight.given("wolf", conditions={"creature_climber": Condition(source="pia")})
    before = fight["wolf"].position
    ruled(fight, kind="move", creature="pia", to=[5 + to[0], 7 + to[1]])
    assert fight["pia"].position == (5 + to[0], 7 + to[1])
    assert fight["wolf"].position == (before[0] + to[0], before[1] + to[1])


@pytest.mark.parametrize(("amount", "shrugs"), [(20, False), (99, True)])
def test_HR_ZERO_3_what_would_kill_is_shrugged_off_by_who_has_said_so(amount: int, *, shrugs: bool) -> None:
    """TABLE-STANDING-1."""
    fight = begun(SIDE_BY_SIDE).do("set_standing", creature="pia", shrug="if_it_kills")
    ruled(fight, kind="damage", creature="pia", amount=amount, cause="fire")
    assert bool(fight.logged("shrugged")) is shrugs
    assert not any("shrug" in each.accepts for each in waiting(fight.state))


@pytest.mark.parametrize("follow", [None, [1, 0]])
def test_HR_WPN_6_who_follows_a_push_is_where_it_was(follow: list[int] | None) -> None:
    fight = begun(SIDE_BY_SIDE)
    fight.do("engage", creature="pia", target="wolf").joined_by().stances(pia="might", wolf="cunning")
    fight.answer("declare_attack", "pia", 1, 1, 1, 1, 6, 6, target="wolf")
    fight.answer("choose_push", "pia", distance=10, follow=follow)
    assert fight["pia"].position == ((1, 0) if follow else (0, 0))
    assert [event.creature for event in fight.logged("followed")] == (["pia"] if follow else [])


def test_HR_ACT_14_a_window_is_let_pass_by_who_is_asked_and_at_its_own_prompt() -> None:
    fight = begun({"pia": (0, 0), "bru": (0, 1), "wolf": (1, 0)}, first="enemies", seats=TWO_SEATS)
    fight.do("dash", creature="wolf", path=[[2, 0], [3, 0]])
    pia, bru = fight.prompt("pia"), fight.prompt("bru")
    for by, creature, prompt, code, rule in (
        ("tom", "pia", pia, "not_your_creature", "TABLE-SEAT-1"),
        ("zoe", "pia", bru, "not_your_prompt", "TABLE-SEAT-1"),
        ("zoe", "pia", "r1/none/pia", "window_closed", "HR-SVC-3"),
    ):
        assert refusal_of(fight, by, "pass_window", creature=creature, prompt=prompt) == (code, rule)
    fight.do("pass_window", creature="pia", prompt=pia)
    assert [(each.creature, each.window) for each in fight.logged("window_passed")] == [
        ("pia", pia.removesuffix("/pia"))
    ]
    assert refusal_of(fight, "zoe", "pass_window", creature="pia", prompt=pia) == (
        "window_closed",
        "HR-SVC-3",
    )
    assert fight["wolf"].position == (1, 0)
    fight.do("pass_window", creature="bru", prompt=bru)
    assert fight["wolf"].position == (3, 0)


@pytest.mark.parametrize(
    ("changes", "at"),
    [
        ({}, None),
        ({"player_side": "elves"}, "/player_side"),
        ({"declared_sides": ["enemies", "elves"]}, "/declared_sides/1"),
    ],
    ids=["both sides", "a player side", "a declared side"],
)
def test_HR_SVC_8_an_opening_names_the_sides_that_it_has(changes: dict[str, Any], at: str | None) -> None:
    found = faults(from_data(Opening, opening(PLACES, **changes), families=HEARTRUSH.families))
    assert [(pointer, text) for pointer, text in found] == (
        [] if at is None else [(at, "one of players and enemies")]
    )
