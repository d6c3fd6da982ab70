"""Walk the table of ways to change place: each mover by each thing that a change of place may bring."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Final, TypeAlias

import pytest

from service.rules.kernel.messages import Emits
from service.rules.rise import RISE
from service.rules.rise.body import effects
from service.rules.rise.body.effects import MOVES, Moved
from service.rules.rise.creatures.creature import How
from service.rules.rise.creatures.state import State
from service.rules.ruleset import waiting
from tests.rules.rise.kit import Fight, begun, entry, opened

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


def judged(fight: Fight, to: list[int]) -> Fight:
    """Let the GM say that the next deed puts `v` somewhere."""
    (asked,) = [awaited.prompt for awaited in waiting(fight.state) if "judge_deed" in awaited.accepts]
    return fight.do("judge_deed", prompt=asked, effects=[{"does": "locate", "target": "v", "to": to}])


def locate(fight: Fight, to: list[int]) -> Fight:
    """Let the GM put `v` somewhere between rounds."""
    there = {"does": "locate", "target": "v", "to": to}
    return fight.do("gm_ruling", kind="effect", decision="there", effects=[there])


def moves_itself(fight: Fight) -> Fight:
    return fight.do("move", "v", path=[[2, 0], [3, 0], [4, 0]]).end("v")


def goes_on(fight: Fight) -> Fight:
    """Stop on the way, as at a door, and go on."""
    return fight.do("move", "v", path=[[2, 0]], pause=True).do("move", "v", path=[[3, 0], [4, 0]]).end("v")


def is_shoved(fight: Fight) -> Fight:
    return fight.do("shove", "u", target="v", willing=True, distance_ft=15).throw(9).end("u")


def is_pushed(fight: Fight) -> Fight:
    return fight.do("use_ability", "u", ability="gust", targets=["v"]).end("u")


def is_put(fight: Fight) -> Fight:
    fight.do("improvise", "u", deed="swing it over", targets=["v"]).end("u").rest()
    return judged(fight, [4, 0])


def is_placed(fight: Fight) -> Fight:
    return locate(fight.do("ask_pause").rest(), [4, 0])


def finished(fight: Fight, *faces: int) -> Fight:
    """End the phase, and throw *faces* if dice are asked for."""
    fight.rest()
    if any("go_on" in awaited.accepts for awaited in waiting(fight.state)):
        fight.do("go_on")
    return fight.throw(*(faces if any(awaited.wants for awaited in waiting(fight.state)) else ()))


Mover: TypeAlias = Callable[[Fight], Fight]
MOVERS: Final[dict[str, tuple[How, Mover]]] = {
    "move": ("self", moves_itself),
    "go on": ("continued", goes_on),
    "shove": ("forced", is_shoved),
    "push": ("forced", is_pushed),
    "deed": ("teleport", is_put),
    "ruling": ("placed", is_placed),
}
"""Who is moved in which way, and by what: `v` goes east from (1, 0) to (4, 0), by itself or by others."""
NOT_PLAYED: Final = ("landed",)
"""Ways with a test of their own, below."""
PUT: Final = ("deed", "ruling")
"""What puts `v` where it ends, without a way there."""
IN_A_WORLD: Final = [name for name in MOVERS if name not in PUT]
"""What happens in a group's own world, while it acts."""


def entries(*more: dict[str, Any], **changes: Any) -> tuple[dict[str, Any], ...]:
    """Return `u` beside `v`, an ally out of the way, a guard of another side beside both, and *more*."""
    return (
        entry("pc@p/u", (0, 0), brawling_accuracy=9, abilities=[GUST]),
        entry("pc@p/v", (1, 0), **changes),
        entry("pc@p/w", (-1, 0), abilities=[GUST, FIRE]),
        entry("mon@m/g", (1, 1), abilities=[SNAP]),
        *more,
    )


def staged(*more: dict[str, Any], phase: str = "action", **changes: Any) -> Fight:
    return begun(*entries(*more, **changes), phase=phase)


def moved(mover: str, fight: Fight) -> Fight:
    """Return *fight* after the mover moved `v`, and the phase is over."""
    fight = finished(MOVERS[mover][1](fight), 2)
    assert fight["v"].position == (4, 0)
    return fight


# --- what each way brings ------------------------------------------------------------------------------


def counts(mover: str) -> bool:
    """Tell whether nothing that comes after it in the phase moves `v`."""
    fight = staged()
    if mover in IN_A_WORLD:
        MOVERS[mover][1](fight)
        fight.do("use_ability", "w", ability="gust", targets=["v"]).end("w")
        seen = fight.seen("p", "v").position
    elif mover == "deed":
        fight.do("improvise", "w", deed="pull it back", targets=["v"]).end("w")
        judged(is_put(fight), [9, 0])
        seen = fight["v"].position
    else:
        seen = locate(is_placed(fight), [9, 0])["v"].position
    assert fight.logged("location_effect_ignored") if seen == (4, 0) else seen != (1, 0)
    return seen == (4, 0)


def comes_too_late(mover: str) -> bool:
    """Tell whether it moves nobody who has changed its place in the phase, nor in the group's world."""
    fight = staged()
    if mover != "go on":  # which has moved half way before
        fight.do("move", "v", path=[[2, 0]]).end("v")
    MOVERS[mover][1](fight)
    late = fight.seen("p", "v").position == (2, 0) if mover in IN_A_WORLD else None
    finished(fight, 2)
    assert bool(fight.logged("location_effect_ignored")) is (fight["v"].position == (2, 0))
    assert late in (None, fight["v"].position == (2, 0))
    return fight["v"].position == (2, 0)


def is_attacked(mover: str) -> bool:
    """Tell whether the guard attacks: once, so of pusher and pushed the first."""
    came = [event.reaction.target for event in moved(mover, staged()).logged("reaction_came")]
    assert came in ([], ["u" if mover == "shove" else "v"])
    return bool(came)


def rides_along(mover: str) -> bool:
    """Tell whether the rider of `v` is with it, in the group's world and on the table."""
    rider = entry("pc@p/r", (1, 0), mount="v")
    fight = staged(rider, carries_riders=True, combat_trained=True)
    if mover in IN_A_WORLD:
        MOVERS[mover][1](fight)
        mine = fight.state.at("p").creatures
        if (mine["r"].position, mine["r"].mount) != (mine["v"].position, "v"):
            return False
        fight = finished(fight, 2)
    else:
        fight = moved(mover, fight)
    return (fight["r"].position, fight["r"].mount) == (fight["v"].position, "v")


def is_free(mover: str) -> bool:
    """Tell whether `v` and the guard that held it are free: in the group's world at once, then for all."""
    fight = staged(phase="movement").do("ask_pause").to_actions().rest()
    held = {"does": "gain", "name": "grappled", "target": "v", "by": "g"}
    fight.do("gm_ruling", kind="effect", decision="held", effects=[held])
    if mover == "ruling":
        locate(fight, [4, 0])
        return not (fight["v"].has("grappled") or fight["g"].has("grappled"))
    fight.do("go_on").to_actions()
    assert fight["g"].has("grappled"), "a hold holds both"
    MOVERS[mover][1](fight)
    if mover != "deed" and fight.seen("p", "v").has("grappled"):
        return False
    finished(fight, 2)
    assert fight["v"].position == (4, 0)
    return not (fight["v"].has("grappled") or fight["g"].has("grappled"))


def burns(mover: str) -> bool:
    """Tell whether what burns where it ends burns `v`, and only it."""
    fight = staged().do("use_ability", "w", ability="fire", at=[5, 0]).end("w")
    hurt = [e.creature for e in moved(mover, fight).logged("damage_taken") if e.amount == 3]
    return hurt == ["v"]


def discovers(mover: str) -> bool:
    """Tell whether `v` finds who is hidden where it ends; it stops before it, unless it is put there."""
    fight = opened(*entries()).do("hide_creature", entry=entry("mon@m/imp", (4, 0)))
    fight.do("start_combat", start_phase="action").to_actions()
    finished(MOVERS[mover][1](fight), 2)
    found = [event.found_by for event in fight.logged("hidden_creature_revealed")]
    return found == ["v"] and fight["v"].position == ((4, 0) if mover in PUT else (3, 0))


ALL: Final = tuple(MOVERS)
OF_THE_PHASE: Final = tuple(name for name in MOVERS if name != "ruling")
BY_OTHERS: Final = ("shove", "push", "deed", "ruling")
RULES: Final[dict[str, tuple[Callable[[str], bool], tuple[str, ...]]]] = {
    "counts": (counts, OF_THE_PHASE),
    "comes too late": (comes_too_late, ("push", "deed")),
    "is attacked": (is_attacked, OF_THE_PHASE),
    "carries": (rides_along, ALL),
    "frees": (is_free, BY_OTHERS),
    "burns": (burns, ALL),
    "discovers": (discovers, ALL),
}
"""What each rule looks at, and for which movers it brings something."""
NOT_TRIED: Final = {
    "frees": ("move", "go on"),  # who is held does not move by itself
    "comes too late": ("move", "shove"),  # they are refused: no command of the group comes so far
}
CELLS: Final = [
    pytest.param(rule, mover, id=f"{rule}-{mover}")
    for rule in RULES
    for mover in MOVERS
    if mover not in NOT_TRIED.get(rule, ())
]


@pytest.mark.parametrize(("rule", "mover"), CELLS)
def test_each_way_brings_what_the_table_says(rule: str, mover: str) -> None:
    """RI-MOVE1-1, RI-MOVE1-2, RI-ATK-11, RI-MOUNT-1, RI-UNIV-GRAPPLE, TABLE-HIDDEN-2, RI-GM-4."""
    look, brings = RULES[rule]
    assert look(mover) is (mover in brings)


def test_every_way_is_played() -> None:
    assert sorted({how for how, _ in MOVERS.values()} | set(NOT_PLAYED)) == sorted(MOVES)


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


# --- the table can fail -------------------------------------------------------------------------------------


def plant(monkeypatch: pytest.MonkeyPatch, name: str, fault: object) -> None:
    """Put a fault into every module of the book that uses what *name* stands for in `effects`."""
    right = getattr(effects, name)
    for module in [each for key, each in sys.modules.items() if key.startswith(RISE_MODULES)]:
        if getattr(module, name, None) is right:
            monkeypatch.setattr(module, name, fault)


RISE_MODULES: Final = "service.rules.rise."


def is_found(rule: str, mover: str) -> bool:
    """Tell whether a cell of the table fails."""
    try:
        test_each_way_brings_what_the_table_says(rule, mover)
    except AssertionError:
        return True
    return False


@pytest.mark.parametrize(
    ("rule", "mover", "how", "changes"),
    [
        ("counts", "move", "self", {"counts": False}),
        ("counts", "push", "forced", {"counts": False}),
        ("counts", "shove", "forced", {"counts": False}),
        ("comes too late", "push", "forced", {"goes_on": True}),
        ("comes too late", "go on", "continued", {"goes_on": False}),
        ("comes too late", "ruling", "placed", {"goes_on": False}),
        ("is attacked", "move", "self", {"sets_off": False}),
        ("is attacked", "push", "forced", {"sets_off": False}),
        ("is attacked", "deed", "teleport", {"sets_off": False}),
        ("is attacked", "ruling", "placed", {"sets_off": True}),
        ("carries", "go on", "continued", {"carries": "still"}),
    ],
)
def test_a_fault_in_the_products_table_is_found(
    rule: str, mover: str, how: How, changes: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch, "MOVES", {**MOVES, how: MOVES[how]._replace(**changes)})
    assert is_found(rule, mover)


def silently(state: State, *_: object) -> Emits[State]:
    """Emit nothing."""
    yield from ()
    return state


WITHOUT: Final[dict[str, dict[str, object]]] = {
    "carries": {"comes_along": lambda *_: False},
    "frees": {"loosen": silently, "let_go": silently},
    "discovers": {"hidden_creature_at": lambda *_: None},
}
"""Which functions do what every way brings, and what they are if it is left out."""
LEFT_OUT: Final = [
    cell
    for cell in CELLS
    if cell.values[0] in WITHOUT
    and not (
        cell.values[0] == "discovers" and cell.values[1] in PUT
    )  # every command reveals whom one stands on
]


@pytest.mark.parametrize(("rule", "mover"), LEFT_OUT)
def test_a_way_that_leaves_something_out_is_found(
    rule: str, mover: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, instead in WITHOUT[rule].items():
        plant(monkeypatch, name, instead)
    assert is_found(rule, mover)


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
    assert set(MOVES) == {"self", "continued", "forced", "teleport", "placed", "landed"}
    assert not MOVES["landed"].counts, "a fall is no movement of its own (C-43)"
