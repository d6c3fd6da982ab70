"""Walk the table of ways to change place: each mover by each thing that a change of place may bring."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from service.rules.kernel.records import changed
from service.rules.rise import RISE
from service.rules.rise.body.effects import MOVES, Moved
from service.rules.rise.creatures.creature import Creature
from service.rules.ruleset import waiting
from tests.rules.rise.kit import Fight, begun, entry

GUST: Final = {"id": "gust", "range_ft": 60, "effects": [{"does": "push", "amount": 15}]}
SNAP: Final = {
    "id": "snap",
    "tags": ["reactive"],
    "usage": "none",
    "trigger": "leaves_reach",
    "strike": {"dice": [4]},
}
FIRE: Final = {
    "id": "fire",
    "usage": "minor",
    "range_ft": 60,
    "zone": {"kind": "hazard", "radius_ft": 5, "damage": 3, "until": "brief"},
}


def locate(fight: Fight, to: list[int]) -> Fight:
    """Let the GM put `v` somewhere between rounds."""
    there = {"does": "locate", "target": "v", "to": to}
    return fight.do("gm_ruling", kind="effect", decision="there", effects=[there])


def moves_itself(fight: Fight) -> Fight:
    return fight.do("move", "v", path=[[2, 0], [3, 0], [4, 0]]).end("v")


def is_shoved(fight: Fight) -> Fight:
    return fight.do("shove", "u", target="v", willing=True, distance_ft=15).throw(9).end("u")


def is_pushed(fight: Fight) -> Fight:
    return fight.do("use_ability", "u", ability="gust", targets=["v"]).end("u")


def is_put(fight: Fight) -> Fight:
    fight.do("improvise", "u", deed="swing it over", targets=["v"]).end("u").rest()
    effects = [{"does": "locate", "target": "v", "to": [4, 0]}]
    return fight.do("judge_deed", prompt=f"r{fight.state.round}/action/deeds/0/u", effects=effects)


def finished(fight: Fight, *faces: int) -> Fight:
    """End the phase, and throw *faces* if dice are asked for."""
    fight.rest()
    return fight.throw(*(faces if any(awaited.wants for awaited in waiting(fight.state)) else ()))


MOVERS: Final[dict[str, Callable[[Fight], Fight]]] = {
    "move": moves_itself,
    "shove": is_shoved,
    "push": is_pushed,
    "deed": is_put,
}
"""Who is moved by what: `v` goes east from (1, 0), by itself or by `u`."""


def staged(*more: dict[str, Any], phase: str = "action", **changes: Any) -> Fight:
    """Return `u` beside `v`, an ally out of the way, and a guard of another side beside both."""
    return begun(
        entry("pc@p/u", (0, 0), brawling_accuracy=9, abilities=[GUST]),
        entry("pc@p/v", (1, 0), **changes),
        entry("pc@p/w", (-1, 0), abilities=[GUST, FIRE]),
        entry("mon@m/g", (1, 1), abilities=[SNAP]),
        *more,
        phase=phase,
    )


@pytest.mark.parametrize("mover", MOVERS)
def test_a_change_of_place_is_the_one_of_the_phase(mover: str) -> None:
    """RI-MOVE1-1, RI-MOVE1-2: whatever an ally does after it moves nobody."""
    fight = staged()
    if mover != "deed":
        MOVERS[mover](fight)
        fight.do("use_ability", "w", ability="gust", targets=["v"]).end("w")
        assert [event.creature for event in fight.logged("location_effect_ignored")] == ["v"]
    else:
        moves_itself(fight)
        is_put(fight)
    finished(fight, 2)
    assert fight["v"].position == (4, 0)


@pytest.mark.parametrize("mover", MOVERS)
def test_who_is_taken_out_of_a_reach_is_attacked(mover: str) -> None:
    """RI-ATK-11: once, so of pusher and pushed the first is attacked."""
    fight = finished(MOVERS[mover](staged()), 2)
    assert fight["v"].position == (4, 0)
    first = "u" if mover == "shove" else "v"
    assert [event.reaction.target for event in fight.logged("reaction_came")] == [first]


@pytest.mark.parametrize("mover", [name for name in MOVERS if name != "move"])
def test_a_hold_that_is_out_of_touch_is_over(mover: str) -> None:
    """RI-UNIV-GRAPPLE: in the group's own world at once, and then on the table."""
    fight = staged(phase="movement").do("ask_pause").to_actions().rest()
    held = {"does": "gain", "name": "grappled", "target": "v", "by": "g"}
    fight.do("gm_ruling", kind="effect", decision="held", effects=[held]).do("go_on").to_actions()
    assert fight["g"].has("grappled"), "a hold holds both"
    MOVERS[mover](fight)
    assert mover == "deed" or not fight.seen("p", "v").has("grappled"), "its group sees it free"
    finished(fight, 2)
    assert not fight["v"].has("grappled")
    assert not fight["g"].has("grappled")


@pytest.mark.parametrize("mover", MOVERS)
def test_a_mount_takes_its_rider_along(mover: str) -> None:
    """RI-MOUNT-1."""
    rider = entry("pc@p/r", (1, 0), mount="v")
    fight = finished(MOVERS[mover](staged(rider, carries_riders=True, combat_trained=True)), 2)
    assert fight["v"].position == fight["r"].position == (4, 0)
    assert fight["r"].mount == "v"


@pytest.mark.parametrize("mover", MOVERS)
def test_what_burns_where_it_ends_burns_it(mover: str) -> None:
    fight = staged().do("use_ability", "w", ability="fire", at=[5, 0]).end("w")
    finished(MOVERS[mover](fight), 2)
    assert [event.creature for event in fight.logged("damage_taken") if event.amount == 3] == ["v"]


def test_a_rider_that_is_put_elsewhere_is_off_its_mount() -> None:
    """Bonds are looked at after a ruling too."""
    fight = begun(
        entry("pc@p/m", (0, 0), carries_riders=True, combat_trained=True),
        entry("pc@p/v", (0, 0), mount="m"),
        entry("mon@m/g", (9, 9)),
        phase="movement",
    )
    fight.do("ask_pause").to_actions().rest()
    locate(fight, [5, 0])
    assert (fight["v"].mount, fight["v"].position) == (None, (5, 0))


def test_only_one_event_changes_a_place() -> None:
    """No event moves a creature beside `moved`: none of the others changes where it is."""
    fight = staged()
    creature = fight["v"]
    assert {field for field in vars(creature) if "position" in field} == {"position"}
    others = [kind for kind in RISE.events.values() if kind is not Moved]
    assert len(others) > 100
    for kind in others:
        code = kind.evolve.__code__
        assert "position" not in code.co_names or kind.type in READS, kind.type


READS: Final = (
    "object_manipulated",
    "took_off",
    "free_ability_came",
    "hidden_creature_moved",
    "phase_started",
)
"""Events that read where a creature is, or a cell of their own, and change no place."""


def test_every_way_is_declared() -> None:
    """The ways that events name are those of the table."""
    assert set(MOVES) == {"self", "continued", "forced", "teleport", "landed"}
    assert not MOVES["landed"].counts, "a fall is no movement of its own (C-43)"
    assert MOVES["continued"].goes_on
    assert isinstance(changed(staged()["v"], location_changed=True), Creature)
