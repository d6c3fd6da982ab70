"""Tables and bounds of rules, one row for each entry: a changed number fails the row that has it."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.kernel.codec import Malformed, from_data
from service.rules.kernel.messages import Refused
from service.rules.kernel.records import changed
from service.rules.rise.acting.strikes import circumstances
from service.rules.rise.acting.swift import early, is_simple
from service.rules.rise.attacks.attack_rolls import judge
from service.rules.rise.body.aerial_movement import stays_up
from service.rules.rise.body.effects import is_change, move
from service.rules.rise.body.movement_and_positioning import check_path, feet_of, leaving, step_feet
from service.rules.rise.body.taking_damage import exhaust, fall_or_wake, heal, tire
from service.rules.rise.body.vital_wounds import due, stream
from service.rules.rise.creatures.character import Arrival, Condition, Entry, VitalWound
from service.rules.rise.creatures.combat_statistics import accuracy_terms
from service.rules.rise.creatures.creature import Atom, Plan
from service.rules.rise.creatures.sheet import Ability, Effect, Strike, Weapon
from service.rules.rise.moving.movement_problem import Intents, budget
from service.rules.rise.rounds.action_phase import is_strict
from service.rules.rise.table.opening import Opening, faults
from tests.rules.rise.kit import begun, entry, opened, opening


@pytest.mark.parametrize(
    ("hp", "wounds", "by_halves"),
    [(1, 0, 0), (0, 0, 0), (-1, 1, 1), (-4, 1, 1), (-5, 1, 2), (-9, 1, 2), (-10, 2, 3), (-20, 3, 5)],
)
def test_RI_VITAL_1_a_wound_below_zero_and_one_for_each_maximum(hp: int, wounds: int, by_halves: int) -> None:
    for step, wanted in (("full", wounds), ("half", by_halves)):
        fight = begun(entry("pc@p/v", (0, 0), hp_max=10), options={"depth_step": step})
        fight.given("v", hp=hp)
        assert due(fight.state, fight["v"]) == wanted


def test_RI_VITAL_1_half_of_one_hit_point_counts_as_one() -> None:
    fight = begun(entry("pc@p/v", (0, 0), hp_max=1), options={"depth_step": "half"})
    fight.given("v", hp=-2)
    assert due(fight.state, fight["v"]) == 3


def test_RI_MOVE_3_one_difficult_cell_below_a_large_creature_is_enough() -> None:
    fight = begun(entry("mon@p/p", (0, 0), size="huge"), terrain={"4,1": "difficult"})
    assert fight["p"].space > 1
    assert [leaving(fight.state, fight["p"], (x, 0)) for x in (3, 4, 5)] == [5, 5, 0]


@pytest.mark.parametrize(("ground", "feet"), [("normal", 0), ("difficult", 5), ("obstacle", 5), ("wall", 0)])
def test_RI_MOVE_3_only_difficult_ground_and_obstacles_cost_more_to_leave(ground: str, feet: int) -> None:
    terrain = {} if ground == "normal" else {"3,0": ground}
    fight = begun(entry("mon@p/p", (0, 0)), terrain=terrain)
    assert leaving(fight.state, fight["p"], (3, 0)) == feet


@pytest.mark.parametrize(
    ("cell", "diagonals", "feet"),
    [((3, 5), 0, 5), ((3, 5), 1, 5), ((2, 6), 1, 5), ((3, 6), 0, 5), ((3, 6), 1, 10), ((3, 6), 2, 5)],
)
def test_RI_MOVE_2_every_second_diagonal_costs_ten(cell: tuple[int, int], diagonals: int, feet: int) -> None:
    assert step_feet((2, 5), cell, diagonals) == feet


def test_RI_MOVE_2_a_path_names_every_cell() -> None:
    fight = begun(entry("mon@p/p", (0, 0)), phase="movement")
    with pytest.raises(Refused) as refused:
        check_path(fight.state, fight["p"], ((1, 0), (3, 0)), 30)
    assert (refused.value.code, refused.value.rule) == ("path_blocked", "RI-MOVE-2")
    check_path(fight.state, fight["p"], ((1, 0), (2, 0), (3, 0)), 30)


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"hp": 0}, None),
        ({"hp": 20}, None),
        ({"hp": -1}, "/creatures/0/hp"),
        ({"hp": 21}, "/creatures/0/hp"),
        ({"dr": 0, "dr_max": 3}, None),
        ({"dr": 3, "dr_max": 3}, None),
        ({"dr": -1, "dr_max": 3}, "/creatures/0/dr"),
        ({"dr": 4, "dr_max": 3}, "/creatures/0/dr"),
        ({"altitude": 0}, None),
        ({"altitude": 5}, None),
        ({"altitude": 15}, None),
        ({"altitude": -5}, "/creatures/0/altitude"),
        ({"altitude": 4}, "/creatures/0/altitude"),
        ({"fatigue": 0}, None),
        ({"fatigue": 1}, None),
        ({"fatigue": -1}, "/creatures/0/fatigue"),
        ({"dr_max": -1}, "/creatures/0/sheet/dr_max"),
        ({"hp_max": 1}, None),
        ({"hp_max": 0}, "/creatures/0/sheet/hp_max"),
    ],
)
def test_RI_HP_4_a_creature_begins_within_its_bounds(changes: dict[str, int], where: str | None) -> None:
    data = opening(entry("pc@p/v", (0, 0), **changes))
    try:
        found = [at for at, _ in faults(from_data(Opening, data, bounded=True))]
    except Malformed as fault:  # what a field may be alone, its type says
        found = [fault.pointer]
    assert found == ([where] if where else [])


@pytest.mark.parametrize(
    ("margin", "bonus", "outcome"),
    [
        (-3, 0, ("miss", 0)),
        (-2, 0, ("glance", 0)),
        (-1, 0, ("glance", 0)),
        (0, 0, ("hit", 0)),
        (9, 0, ("hit", 0)),
        (10, 0, ("crit", 1)),
        (19, 0, ("crit", 1)),
        (20, 0, ("crit", 2)),
        (5, 4, ("hit", 0)),
        (6, 4, ("crit", 1)),
        (0, -5, ("hit", 0)),
    ],
)
def test_RI_ATK_4_RI_ATK_6_outcomes_by_the_margin(margin: int, bonus: int, outcome: tuple[str, int]) -> None:
    """RI-ATK-3, RI-ATK-4, RI-ATK-5, RI-ATK-6, RI-ATK-7."""
    assert judge(12 + margin, {"armor": 12}, Strike(crit_bonus=bonus)) == outcome


def test_RI_ATK_7_every_defense_is_to_be_beaten() -> None:
    """RI-ATK-3, RI-ATK-7: the least margin counts."""
    assert judge(20, {"armor": 10, "reflex": 20}, Strike()) == ("hit", 0)
    assert judge(20, {"armor": 10, "reflex": 21}, Strike(damaging=False)) == ("miss", 0)


@pytest.mark.parametrize(
    ("brawling", "bonus", "terms"),
    [
        (False, 0, [(4, "accuracy")]),
        (True, 0, [(7, "brawling accuracy")]),
        (False, 2, [(4, "accuracy"), (2, "this attack")]),
        (True, -2, [(7, "brawling accuracy"), (-2, "this attack")]),
    ],
)
def test_RI_ATK_9_terms_of_an_attack(*, brawling: bool, bonus: int, terms: list[tuple[int, str]]) -> None:
    fight = begun(entry("pc@p/p", (0, 0), accuracy=4, brawling_accuracy=7))
    found = accuracy_terms(fight["p"], brawling=brawling, bonus=bonus)
    assert [(term.amount, term.what) for term in found] == terms


@pytest.mark.parametrize(
    ("gained", "phase", "number"),
    [((), "", 1), ((1,), "action", 2), ((1, 1), "action", 3), ((1,), "movement", 1), ((0,), "action", 1)],
)
def test_RI_VITAL_8_wounds_of_this_phase_number_the_dice(
    gained: tuple[int, ...], phase: str, number: int
) -> None:
    fight = begun(entry("pc@p/v", (0, 0)))
    wounds = [VitalWound(die=5, result=5, effect="accuracy", gained=n, phase=phase) for n in gained]
    fight.given("v", wounds=tuple(wounds))
    assert stream(fight.state, fight["v"]) == f"v/vital/action/{number}"


@pytest.mark.parametrize(
    ("state", "amount", "healed"),
    [
        ({}, 3, 8),
        ({}, 0, None),
        ({}, -2, None),
        ({}, -1, 15),
        ({"dead": True}, 3, None),
        ({"defeated": True}, 3, None),
        ({"hp": -5}, 3, 3),
        ({"hp": 18}, 3, 20),
    ],
)
def test_RI_HEAL_3_RI_UNIV_RECOVER_who_is_healed_and_by_how_much(
    state: dict[str, Any], amount: int, healed: int | None
) -> None:
    """RI-HEAL-3 and RI-UNIV-RECOVER: -1 stands for half of the maximum; the dead and the defeated stay so."""
    fight = begun(entry("mon@p/v", (0, 0), hp=5)).given("v", **state)
    emitted: list[Any] = list(heal(fight.state, "v", amount))
    assert [event.hp for event in emitted] == ([healed] if healed is not None else [])


@pytest.mark.parametrize(("who", "levels", "tires"), [("pc", 1, True), ("pc", 0, False), ("mon", 1, False)])
def test_RI_FATIG_2_no_levels_are_no_event(who: str, levels: int, *, tires: bool) -> None:
    fight = begun(entry(f"{who}@p/v", (0, 0)))
    assert (next(tire(fight.state, "v", levels, "test"), None) is not None) is tires


@pytest.mark.parametrize(
    ("down", "fatigue", "emitted"),
    [(False, 8, "fell_unconscious"), (True, 0, "woke"), (False, 0, None), (True, 8, None)],
)
def test_RI_HP_1_falling_and_waking_are_events_of_their_own(
    fatigue: int, emitted: str | None, *, down: bool
) -> None:
    fight = begun(entry("pc@p/v", (0, 0))).given("v", down=down, fatigue=fatigue)
    found: Any = next(fall_or_wake(fight.state, "v"), None)
    assert (found.type if found is not None else None) == emitted


@pytest.mark.parametrize(
    ("path", "cost"),
    [
        ([(1, 0)], 5),
        ([(1, 1)], 5),
        ([(1, 1), (2, 2)], 15),
        ([(1, 1), (2, 1), (3, 2)], 20),
        ([(1, 1), (2, 2), (3, 3)], 20),
        ([(0, 1), (0, 2), (1, 3)], 15),
        ([(1, 1), (0, 1), (-1, 0)], 20),
        ([(1, 1), (1, 2), (2, 3)], 20),
    ],
)
def test_RI_REAC_4_diagonals_are_counted_along_the_whole_way(path: list[tuple[int, int]], cost: int) -> None:
    """RI-REAC-4 and RI-MOVE-2: a step along an axis between two diagonal ones forgets none."""
    fight = begun(entry("mon@p/p", (0, 0)))
    assert feet_of(fight.state, fight["p"], tuple(path)) == cost


@pytest.mark.parametrize(
    ("path", "changes"), [((), False), (((0, 0),), False), (((1, 0),), True), (((1, 0), (0, 0)), False)]
)
def test_RI_MOVE1_6_a_place_changes_by_where_a_way_ends(
    path: tuple[tuple[int, int], ...], *, changes: bool
) -> None:
    fight = begun(entry("mon@p/p", (0, 0)))
    effect = Atom(seq=0, source="p", target="p", does="locate", path=path)
    assert is_change(fight.state, effect) is changes


@pytest.mark.parametrize(
    ("mode", "played", "strict"),
    [("auto", 1, False), ("auto", 2, True), ("auto", 3, True), ("strict", 1, True), ("lenient", 3, False)],
)
def test_RI_GM_1_two_groups_of_players_commit_to_swift_before(
    mode: str, played: int, *, strict: bool
) -> None:
    others = [entry(f"pc@side{n}/c{n}", (n, 0)) for n in range(played)]
    fight = opened(*others, entry("mon@m/e", (9, 0)), options={"swift_mode": mode})
    fight.do("start_combat", start_phase="action")
    assert is_strict(fight.state) is strict


@pytest.mark.parametrize(
    ("ability", "simple"),
    [
        ({"tags": ("swift",)}, True),
        ({"tags": ("swift",), "strike": Strike()}, False),
        ({"tags": ("swift", "swift_roll_ok"), "strike": Strike()}, True),
        ({"tags": ("swift",), "effects": (Effect(does="damage", amount=1),)}, False),
        ({"effects": (Effect(does="gain", condition="c", swift=True),)}, True),
        ({"strike": Strike(), "effects": (Effect(does="gain", to="self", swift=True),)}, True),
        ({"strike": Strike(), "effects": (Effect(does="gain", swift=True),)}, False),
        (
            {
                "strike": Strike(),
                "effects": (Effect(does="gain", to="self", swift=True), Effect(does="gain", swift=True)),
            },
            False,
        ),
    ],
)
def test_RI_SWIFT_2_what_may_be_swift(ability: dict[str, Any], *, simple: bool) -> None:
    assert is_simple(Ability(id="a", **ability)) is simple


def test_RI_SWIFT_6_all_of_a_swift_ability_is_early_and_of_others_what_says_so() -> None:
    one, two = Effect(does="gain", condition="a"), Effect(does="gain", condition="b", swift=True)
    whole = early(Ability(id="a", tags=("swift",), effects=(one, two)))
    assert [(effect.condition, effect.swift) for effect in whole] == [("a", True), ("b", True)]
    part = early(Ability(id="a", effects=(one, two)))
    assert [(effect.condition, effect.swift) for effect in part] == [("b", True)]


@pytest.mark.parametrize(
    ("distance", "terms"),
    [
        (1, {"adjacent target": -4}),
        (2, {}),
        (4, {}),
        (5, {"long range": -4}),
    ],
)
def test_RI_ATK_8_projectiles_by_distance(distance: int, terms: dict[str, int]) -> None:
    fight = begun(entry("pc@p/p", (0, 0)), entry("mon@m/e", (distance, 0)))
    bow = Weapon(id="bow", strike=Strike(), melee=False, projectile=True, close_ft=20, long_ft=120)
    assert circumstances(fight.state, fight["p"], fight["e"], bow) == terms


@pytest.mark.parametrize(("melee", "terms"), [(False, {"moving mount": -2}), (True, {})])
def test_RI_ATK_8_a_moving_mount_jolts_what_flies_alone(terms: dict[str, int], *, melee: bool) -> None:
    fight = begun(
        entry("pc@p/horse", (0, 0), carries_riders=True),
        entry("pc@p/p", (0, 0), mount="horse"),
        entry("mon@m/e", (3, 0)),
    ).given("horse", location_changed=True)
    weapon = Weapon(id="w", strike=Strike(), melee=melee, close_ft=20, long_ft=20)
    assert circumstances(fight.state, fight["p"], fight["e"], weapon) == terms


@pytest.mark.parametrize(("taken", "refused"), [(99, False), (100, True)])
def test_RI_GM_5_a_hundred_creatures_take_part(taken: int, *, refused: bool) -> None:
    """RI-GM-5: those on their way count."""
    fight = begun(entry("pc@p/p", (0, 0)), entry("mon@m/e", (1, 0)))
    arrival = Arrival(entry=from_data(Entry, entry("mon@m/x", (5, 5))))
    fight.state = changed(fight.state, arriving=(arrival,) * (taken - 2))
    decision = fight.send("add_creature", "gm", entry=entry("mon@m/new", (9, 9)))
    assert (decision.refusal is not None) is refused


@pytest.mark.parametrize(
    ("changes", "up"),
    [
        ({"aloft": "flying", "hovered": True}, True),
        ({"aloft": "flying"}, False),
        ({"aloft": "flying", "location_changed": True}, False),  # others may have pushed it
        ({"aloft": "jumping", "hovered": True}, False),
        ({"aloft": "falling", "hovered": True}, False),
        ({"aloft": "flying", "hovered": True, "dead": True}, False),
        ({"aloft": "flying", "hovered": True, "defeated": True}, False),
        ({"aloft": "flying", "hovered": True, "fatigue": 9}, False),
    ],
)
def test_RI_MOVE_9_who_stays_in_the_air(changes: dict[str, Any], *, up: bool) -> None:
    fight = begun(entry("pc@p/p", (0, 0), speeds={"fly": 30}), entry("pc@p/balloon", (5, 0), floats=True))
    assert stays_up(fight.given("p", **changes)["p"]) is up
    assert stays_up(fight["balloon"])
    assert not stays_up(fight.given("balloon", dead=True)["balloon"])


@pytest.mark.parametrize(("aloft", "after"), [("jumping", "falling"), ("falling", None), (None, None)])
def test_RI_ORDER_5_who_jumped_falls_with_the_next_phase(aloft: str | None, after: str | None) -> None:
    """RI-ORDER-5, RI-MOVE-10."""
    fight = begun(
        entry("pc@p/p", (0, 0)), entry("mon@m/e", (9, 0)), phase="movement", options={"fall_damage": "none"}
    )
    fight.given("p", aloft=aloft, altitude=5 if aloft else 0).to_actions()
    assert (fight["p"].aloft, fight["p"].altitude) == (after, 5 if after else 0)


@pytest.mark.parametrize(
    ("plan", "sprinting", "feet"),
    [
        ({}, False, 30),
        ({}, True, 60),
        ({"ability": "sprint"}, False, 60),
        ({"stand_up": True}, False, 15),
        ({"stand_up": True, "ability": "sprint"}, False, 45),
        ({"feet": 20}, True, 20),
        ({"feet": 0}, False, 0),
    ],
)
def test_RI_REAC_5_the_feet_of_a_plan(plan: dict[str, Any], feet: int, *, sprinting: bool) -> None:
    fight = begun(entry("pc@p/p", (0, 0), speeds={"land": 30}), phase="movement")
    if plan.get("stand_up"):
        fight.given("p", conditions=(Condition(name="prone"),))
    made = Plan(**{"ability": "follow", **plan})
    intents = Intents(state=fight.state, plans={"p": made}, sprinting=("p",) if sprinting else ())
    assert budget(intents, made, "p") == feet


@pytest.mark.parametrize(
    ("movers", "changed_place", "riders"),
    [((), False, ("r", "s")), (("r",), False, ("s",)), ((), True, ("s",)), (("r", "s"), False, ())],
)
def test_RI_MOVE1_1_a_mount_takes_along_who_has_not_moved(
    movers: tuple[str, ...], riders: tuple[str, ...], *, changed_place: bool
) -> None:
    fight = begun(
        entry("pc@p/horse", (0, 0), size="huge", carries_riders=True),
        entry("pc@p/r", (0, 0), mount="horse"),
        entry("pc@p/s", (0, 0), mount="horse"),
        entry("pc@p/q", (9, 0)),
    )
    fight.given("r", location_changed=changed_place)
    moved: Any = next(move(fight.state, "horse", ((1, 0),), "self", movers))
    assert moved.riders == riders


@pytest.mark.parametrize(("carried", "total"), [(0, 7), (1, 5), (2, 3)])
def test_RI_VITAL_2_each_wound_carried_takes_two_off_the_next(carried: int, total: int) -> None:
    """RI-VITAL-2, RI-VITAL-3, RI-VITAL-6: one wound is due, and one is taken."""
    harm = {"id": "harm", "range_ft": 99, "effects": [{"does": "damage", "amount": 2}]}
    fight = begun(entry("pc@p/v", (0, 0), hp=1), entry("mon@m/e", (9, 0), abilities=[harm]))
    old = VitalWound(die=9, result=9, effect="fatigue", gained=0)
    fight.given("v", wounds=(old,) * carried)
    fight.do("pass_turn", "v").do("use_ability", "e", ability="harm", targets=["v"]).end("e").rest(7)
    assert [(wound.die, wound.result) for wound in fight["v"].wounds[carried:]] == [(7, total)]


def test_RI_DMG_2_a_critical_hit_rolls_or_multiplies() -> None:
    """RI-DMG-2, RI-DMG-1: 2d8+4, or 1d8+2 times 2."""
    for mode, faces, amount in (("roll", (9, 3, 5), 12), ("multiply", (9, 3), 10)):
        options = {"crit_mode": mode, "exertion_prompt": "never"}
        fight = begun(entry("mon@p/p", (0, 0), accuracy=14), entry("mon@m/e", (1, 0)), options=options)
        fight.do("strike", "p", *faces, target="e")
        assert fight.logged("damage_rolled")[-1].amount == amount


@pytest.mark.parametrize(
    ("hp", "depth", "levels"),
    [(1, 0, []), (0, 0, []), (-1, 0, [3]), (-1, 1, []), (-20, 0, [3]), (-20, 2, [])],
)
def test_RI_DMG_7_subdual_damage_tires_where_other_damage_wounds(
    hp: int, depth: int, levels: list[int]
) -> None:
    """RI-DMG-7: what has been reached before tires no more."""
    fight = begun(entry("pc@p/v", (0, 0))).given("v", hp=hp, depth=depth)
    emitted: list[Any] = list(exhaust(fight.state, "v"))
    assert [event.levels for event in emitted] == levels


@pytest.mark.parametrize(
    ("changes", "free"),
    [
        ({}, False),
        ({"altitude": 5}, True),
        ({"altitude": 30}, True),
        ({"size": "tiny"}, True),
        ({"size": "small"}, False),
    ],
)
def test_RI_MOVE_4_an_opening_puts_in_one_cell_who_may_share_it(
    changes: dict[str, Any], *, free: bool
) -> None:
    speeds = {"speeds": {"land": 30, "fly": 30}} if "altitude" in changes else {}
    both = opening(entry("mon@p/p", (0, 0)), entry("mon@m/e", (0, 0), **speeds, **changes))
    assert (not list(faults(from_data(Opening, both)))) is free
