"""Hold what comes at which boundary of a round, one row for each step and for each side of a bound."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.kernel.records import changed
from service.rules.rise.creatures.character import Condition, VitalWound
from service.rules.rise.creatures.sheet import Tick, Zone
from service.rules.rise.creatures.state import Placed
from service.rules.rise.rounds.rounds import is_decided
from tests.rules.rise.kit import Fight, begun, entry

QUIET = {"exertion_prompt": "never"}


def ticking(step: int, **tick: Any) -> Fight:
    """Return a fight that plans its first movements, in which something happens to `v` at *step*."""
    fight = begun(entry("pc@p/v", (0, 0), hp=10), entry("mon@m/e", (9, 0)), phase="movement", options=QUIET)
    return fight.given("v", conditions=(Condition(name="tick", tick=Tick(step=step, **tick)),))


@pytest.mark.parametrize(
    ("step", "seen"),
    [
        (1, (0, 0, 1, 1)),
        (2, (0, 0, 1, 1)),
        (4, (0, 1, 1, 2)),
        (5, (0, 1, 1, 2)),
        (10, (0, 0, 1, 1)),
        (11, (0, 0, 1, 1)),
    ],
)
def test_RI_ROUND_2_each_boundary_has_its_place_between_the_phases(step: int, seen: tuple[int, ...]) -> None:
    """RI-ROUND-2, RI-ORDER-3: how often, before the actions, in them, after the round and after movements."""
    fight = ticking(step, damage=1)
    found = [10 - fight["v"].hp]
    fight.to_actions()
    found.append(10 - fight["v"].hp)
    fight.rest()
    found.append(10 - fight["v"].hp)
    fight.to_actions()
    found.append(10 - fight["v"].hp)
    assert tuple(found) == seen


@pytest.mark.parametrize(("step", "hp"), [(4, 7), (10, 4)])
def test_RI_ORDER_3_a_hazard_burns_at_the_end_of_each_phase(step: int, hp: int) -> None:
    """RI-ORDER-3: at the steps 4 and 10, and at no other."""
    fight = begun(entry("pc@p/v", (0, 0), hp=10), entry("mon@m/e", (9, 0)), phase="movement", options=QUIET)
    fire = Zone(kind="hazard", damage=3, until="permanent")
    placed = Placed(zone=fire, at=(0, 0), source="e", since=1, number=0)
    fight.state = changed(fight.state, zones=(placed,))
    fight.to_actions()
    if step == 10:
        fight.rest()
    assert fight["v"].hp == hp


def test_RI_ORDER_3_damage_comes_before_healing_and_waking_last() -> None:
    """RI-ORDER-3, RI-HP-1: who is healed at a boundary wakes there; who is hurt there falls."""
    faint = VitalWound(die=3, result=3, effect="faint_below_half", gained=0)
    fight = ticking(4, heal=9).given("v", hp=2, wounds=(faint,), down=True, location_changed=False)
    fight.to_actions()
    assert (fight["v"].hp, fight["v"].down) == (11, False)
    assert [event.creature for event in fight.logged("woke")] == ["v"]
    fight = ticking(4, damage=1).given("v", hp=10, wounds=(faint,))
    fight.to_actions()
    assert (fight["v"].hp, fight["v"].down) == (9, True)
    assert [event.creature for event in fight.logged("fell_unconscious")] == ["v"]


@pytest.mark.parametrize(("hp", "after"), [(-7, 0), (-1, 0), (0, 0), (1, 1)])
def test_RI_ORDER_4_below_zero_becomes_zero_with_the_round(hp: int, after: int) -> None:
    fight = begun(entry("pc@p/v", (0, 0)), entry("mon@m/e", (9, 0)), options=QUIET)
    fight.given("v", hp=hp, depth=int(hp < 0))
    fight.rest()
    assert (fight["v"].hp, fight["v"].depth) == (after, 0)
    assert [event.creatures for event in fight.logged("hit_points_reset")] == ([("v",)] if hp < 0 else [])


@pytest.mark.parametrize(("deadline", "dead"), [(1, True), (2, False)])
def test_RI_ORDER_4_the_dying_die_with_the_round_of_their_deadline(deadline: int, *, dead: bool) -> None:
    fight = begun(entry("pc@p/v", (0, 0)), entry("pc@p/w", (0, 1)), entry("mon@m/e", (9, 0)), options=QUIET)
    fight.given("v", wounds=(VitalWound(die=1, result=0, effect="dying", gained=1, deadline=deadline),))
    fight.rest()
    assert fight["v"].dead is dead


def test_RI_ROUND_2_who_is_cramped_when_a_phase_begins_squeezes_in_it() -> None:
    """RI-ROUND-2, RI-MOVE-8."""
    fight = begun(entry("pc@p/v", (0, 0)), entry("mon@m/e", (9, 0)), phase="movement", options=QUIET)
    fight.given("v", conditions=(Condition(name="squeezing"),)).to_actions()
    assert not fight["v"].has("squeezing"), "it has room"


@pytest.mark.parametrize(
    ("start", "stages"), [("movement", ["movement", "movement"]), ("action", ["action", "movement"])]
)
def test_RI_ROUND_3_the_first_round_alone_may_skip_its_movements(start: str, stages: list[str]) -> None:
    """RI-ROUND-3, RI-ROUND-2: and what was spent is restored."""
    fight = begun(entry("pc@p/v", (0, 0)), entry("mon@m/e", (9, 0)), phase=start, options=QUIET)
    found = [fight.state.stage]
    fight.to_actions().given("v", budget=changed(fight["v"].budget, standard="used", minors=("wave",))).rest()
    assert [fight.state.round, *found, fight.state.stage] == [2, *stages]
    assert (fight["v"].budget.standard, fight["v"].budget.minors) == ("unused", ())


@pytest.mark.parametrize(
    ("v", "e", "ended"),
    [
        ({}, {}, False),
        ({}, {"dead": True}, True),
        ({}, {"defeated": True}, True),
        ({"dead": True}, {"defeated": True}, True),
        ({"dead": True}, {"dead": True}, True),
        ({"fatigue": 9}, {"fatigue": 9}, False),
    ],
)
def test_RI_ROUND_6_combat_ends_where_one_side_stands_or_nobody_lives(
    v: dict[str, Any], e: dict[str, Any], *, ended: bool
) -> None:
    fight = begun(entry("pc@p/v", (0, 0)), entry("pc@m/e", (9, 0)), options=QUIET)
    fight.given("v", **v).given("e", **e)
    assert is_decided(fight.state) is ended


@pytest.mark.parametrize(
    ("second", "hp"),
    [
        ({"name": "tick"}, 7),
        ({"name": "other"}, 4),
        ({"name": "tick", "tick": Tick(step=10, damage=5)}, 5),
        ({"name": "tick", "tick": Tick(step=10, damage=1)}, 7),
        ({"name": "tick", "tick": Tick(step=1, damage=1)}, 7),
        ({"name": "tick", "tick": None}, 7),
    ],
)
def test_RI_COND_1_of_two_effects_of_one_name_one_comes_by_itself(second: dict[str, Any], hp: int) -> None:
    """The second adds nothing, from whomever it is; the weightier counts."""
    fight = begun(entry("mon@p/v", (0, 0), hp=10), entry("mon@m/e", (9, 0)))
    first = Condition(name="tick", source="e", tick=Tick(step=10, damage=3))
    fight.given("v", conditions=(first, changed(first, source="v", **second))).rest()
    assert fight["v"].hp == hp
