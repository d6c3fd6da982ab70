"""Both sides of Rise's rounds, phases and their effects: what comes at which step, and what does not."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.kernel.records import changed
from service.rules.rise.attacks.attack_rolls import crits
from service.rules.rise.body.taking_damage import wasted
from service.rules.rise.creatures.character import Condition
from service.rules.rise.creatures.combat_statistics import modifiers
from service.rules.rise.creatures.creature import Budget
from service.rules.rise.creatures.sheet import Strike, Tick, Zone
from service.rules.rise.creatures.state import Placed
from service.rules.rise.planning.initiative import initiative_terms
from tests.rules.rise.kit import Fight, begun, entry, opened
from tests.rules.rise.test_both_sides import QUIET, pair


def places(fight: Fight, *types: str) -> list[str]:
    """Return the events of these types, in order."""
    return [event.type for event in fight.events if event.type in types]


def test_RI_ORDER_2_swift_effects_are_step_6_and_turns_step_7() -> None:
    fight = pair()
    assert [(event.reached, event.step) for event in fight.logged("action_step_reached")] == [
        ("swift", 6),
        ("first", 7),
    ]


@pytest.mark.parametrize(("step", "hp"), [(1, 19), (2, 19)])
def test_RI_ROUND_1_a_round_begins_with_its_first_step(step: int, hp: int) -> None:
    """RI-ROUND-1: what ticks at step 1 comes before the movements, once a round."""
    fight = pair()
    tick = Condition(name="tick", tick=Tick(step=step, damage=1))
    fight.given("p", conditions=(tick,)).rest()
    assert fight.state.round == 2
    assert fight["p"].hp == hp
    order = places(fight, "round_started", "damage_taken", "phase_started")[-3:]
    assert order == ["round_started", "damage_taken", "phase_started"]
    fight.to_actions()
    assert fight["p"].hp == hp


@pytest.mark.parametrize("dead", [(), ("e",), ("p",)])
def test_RI_ROUND_1_a_round_in_which_anybody_can_act_goes_on(dead: tuple[str, ...]) -> None:
    fight = begun(
        entry("pc@p/p", (0, 0)),
        entry("pc@p/q", (0, 1)),
        entry("mon@m/e", (1, 0)),
        options={**QUIET, "auto_end": False},
    )
    for name in dead:
        fight.given(name, dead=True)
    fight.rest()
    assert fight.state.round == 2
    assert not fight.logged("nobody_can_act")


def test_RI_ROUND_3_a_round_begins_at_its_first_step_and_with_all_actions() -> None:
    fight = pair()
    (event,) = fight.logged("round_started")
    spent = fight.state.with_creature("p", budget=Budget(standard="used", moved=True))
    after = event.evolve(changed(spent, step=9))
    assert (after.round, after.step, after.stage) == (1, 1, "action_start")
    assert after.creatures["p"].budget == Budget()
    second = changed(event, round=2).evolve(spent)
    assert (second.round, second.step, second.stage) == (2, 1, "movement_start")


@pytest.mark.parametrize(
    ("goes_on", "dead", "after"),
    [(True, ("e",), True), (True, (), False), (False, ("e",), False), (False, (), False)],
)
def test_RI_ROUND_3_a_fight_that_goes_on_does_so_until_two_sides_stand(
    dead: tuple[str, ...], *, goes_on: bool, after: bool
) -> None:
    fight = pair()
    (event,) = fight.logged("round_started")
    state = changed(fight.state, goes_on=goes_on)
    for name in dead:
        state = state.with_creature(name, dead=True)
    assert event.evolve(state).goes_on is after


@pytest.mark.parametrize(("unaware", "questions"), [([], []), (["e"], ["combat_start"])])
def test_RI_ROUND_4_who_is_unaware_is_a_ruling_of_the_gm(unaware: list[str], questions: list[str]) -> None:
    fight = opened(entry("pc@p/p", (0, 0)), entry("mon@m/e", (9, 0))).do("start_combat", unaware=unaware)
    made = [event.ruling for event in fight.logged("ruling_made")]
    assert [each.question for each in made if each.subjects] == questions
    (event,) = fight.logged("combat_started")
    assert event.unaware == tuple(unaware)


def burning(phase: str, until: Any = "permanent") -> Fight:
    """Return a fight in which `p` stands in fire."""
    fight = begun(entry("pc@p/p", (0, 0), hp=10), entry("mon@m/e", (9, 0)), phase=phase, options=QUIET)
    fire = Zone(kind="hazard", damage=3, until=until)
    fight.state = changed(fight.state, zones=(Placed(zone=fire, at=(0, 0), source="e", since=1, number=0),))
    return fight


def test_RI_ORDER_3_fire_burns_before_the_next_phase_and_the_end_of_the_round() -> None:
    """RI-ORDER-3: at step 4, before the actions begin, and at step 10, before the round ends."""
    fight = burning("movement").to_actions()
    order = places(fight, "damage_taken", "phase_started")
    assert order == ["phase_started", "damage_taken", "phase_started"]
    fight.rest()
    assert places(fight, "damage_taken", "round_ended") == ["damage_taken", "damage_taken", "round_ended"]


@pytest.mark.parametrize(("until", "left"), [("round", 0), ("brief", 1), ("permanent", 1)])
def test_RI_ORDER_4_what_lasts_for_a_round_is_over_with_it(until: str, left: int) -> None:
    assert len(burning("action", until).rest().state.zones) == left


@pytest.mark.parametrize(("source", "by"), [("e", "e"), ("", "p")])
def test_RI_ORDER_3_what_ticks_is_the_deed_of_who_caused_it(source: str, by: str) -> None:
    fight = pair()
    tick = Condition(name="tick", source=source, tick=Tick(step=10, damage=1))
    fight.given("p", conditions=(tick,)).rest()
    (event,) = fight.logged("damage_taken")
    assert (event.creature, event.source) == ("p", by)


@pytest.mark.parametrize(("toward", "now", "later"), [(None, "setup", False), ("phase", "action", True)])
def test_RI_GROUP_2_an_attitude_holds_at_once_unless_a_phase_runs(
    toward: str | None, now: str, *, later: bool
) -> None:
    fight = pair() if toward else opened(entry("pc@p/p", (0, 0)), entry("mon@m/e", (9, 0)))
    fight.send("set_attitude", "seat-p", creature="p", toward="e", attitude="neutral", next_phase=True)
    (event,) = fight.logged("attitude_set")
    assert (event.later, now == "setup") == (later, not later)


# --- numbers ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("hp", "wasted_"), [(3, 0), (0, 0), (-1, 1), (-7, 7)])
def test_RI_MULTI_2_damage_below_zero_is_wasted(hp: int, wasted_: int) -> None:
    assert wasted(changed(pair()["e"], hp=hp)) == wasted_


@pytest.mark.parametrize(("speed", "base"), [(30, 6), (29, 5), (25, 5), (5, 1)])
def test_RI_INIT_1_speed_counts_a_fifth_where_the_house_says_so(speed: int, base: int) -> None:
    """RI-INIT-1 and RI-INIT-2."""
    fight = begun(
        entry("pc@p/p", (0, 0), speeds={"land": speed}),
        entry("mon@m/e", (9, 0)),
        options={**QUIET, "initiative": "speed"},
    )
    terms = initiative_terms(fight.state, fight["p"])
    assert [(term.what, term.amount) for term in terms] == [("speed", base)]


@pytest.mark.parametrize(
    ("margin", "bonus", "times"),
    [(-20, 0, 0), (0, 0, 0), (9, 0, 0), (10, 0, 1), (9, 1, 1), (20, 0, 2), (10, -1, 0)],
)
def test_RI_ATK_6_each_ten_beyond_the_defense_is_one_more_time(margin: int, bonus: int, times: int) -> None:
    assert crits(margin, Strike(crit_bonus=bonus)) == times


@pytest.mark.parametrize(("amount", "hp"), [(0, 5), (1, 6), (2, 7), (90, 20)])
def test_RI_HEAL_3_one_hit_point_is_healing(amount: int, hp: int) -> None:
    fight = pair().given("p", hp=5)
    tick = Condition(name="tick", tick=Tick(step=10, heal=amount))
    fight.given("p", conditions=(tick,)).rest()
    assert fight["p"].hp == hp
    assert bool(fight.logged("healed")) is (amount > 0)


@pytest.mark.parametrize(
    ("hp", "depth", "damage", "new"),
    [(1, 0, 1, 0), (1, 0, 2, 1), (1, 0, 20, 1), (1, 0, 21, 2), (-1, 1, 1, 0), (-1, 1, 19, 1)],
)
def test_RI_VITAL_6_each_depth_is_a_wound_of_its_own(hp: int, depth: int, damage: int, new: int) -> None:
    """RI-VITAL-6, RI-VITAL-1: with 20 hit points one wound below zero, and one for each 20 more."""
    tick = Condition(name="tick", tick=Tick(step=10, damage=damage))
    fight = pair().given("p", hp=hp, depth=depth, conditions=(tick,)).rest(*[9] * new)
    assert len(fight.logged("vital_wound_taken")) == new
    assert [event.wound.die for event in fight.logged("vital_wound_taken")] == [9] * new


@pytest.mark.parametrize(
    ("conditions", "amount"),
    [
        (({"accuracy": 2},), 2),
        (({"accuracy": 2}, {"accuracy": 3}), 5),
        (({"accuracy": 2}, {"accuracy": -3}), -1),
        ((), 0),
    ],
)
def test_RI_COND_2_what_conditions_change_is_added_up(
    conditions: tuple[dict[str, int], ...], amount: int
) -> None:
    held = tuple(Condition(name=f"c{i}", modifiers=each) for i, each in enumerate(conditions))
    found = modifiers(changed(pair()["p"], conditions=held), "accuracy")
    assert sum(term.amount for term in found) == amount
