"""Do what a brawling maneuver does beyond its effects: firm grips, pushes, throws, running through."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final

from service.rules.kernel.messages import Emits, Event
from service.rules.kernel.records import changed, record
from service.rules.rise.attacks.uses import Aim, Assault
from service.rules.rise.creatures.lasting import Atom, Condition, How, Plan
from service.rules.rise.harm.effects import LocationEffectIgnored, note
from service.rules.rise.harm.holds import grasp, part
from service.rules.rise.space.forced import hurl, push, push_feet, pushed_path, throw_feet
from service.rules.rise.space.paths import feet_of, walk
from service.rules.rise.state import State
from service.rules.rolls.chance import Chance
from service.rules.space.grid import Cell

GRAPPLES: Final = ("rush_shove", "grapple_shove")
"""Shoves that move a whole grapple: in the movement phase, and for a traded movement."""


@record
class RushedThrough(Event[State]):
    """An overrun leads past whom it beat, up to whom it did not; a shove moves whom it beat along."""

    type: ClassVar[str] = "rushed_through"
    user: str
    passed: tuple[str, ...]
    path: tuple[Cell, ...]
    pushed: Mapping[str, tuple[Cell, ...]]

    def evolve(self, state: State) -> State:
        plan = state.plans[self.user]
        mine = changed(plan, path=self.path, passes=(*plan.passes, *self.passed))
        plans = {**state.plans, self.user: mine}
        for name, path in self.pushed.items():
            if name not in plans or not plans[name].path:
                kept = plans[name].free_actions if name in plans else ()
                plans[name] = Plan(ability="pushed", path=path, passes=(self.user,), free_actions=kept)
        return changed(state, plans=plans)


def landed(state: State, chance: Chance, aim: Aim, *, critical: bool) -> Emits[State]:
    """Tell what a maneuver that hit does: a grapple begins or ends, a push or throw moves its target."""
    assault = aim.assault
    if assault.maneuver == "grapple":
        return (yield from grasp(state, chance, assault.user, aim.target))
    if assault.maneuver == "escape":
        return (yield from part(state, chance, assault.user, aim.target))
    if assault.push is None or assault.maneuver in GRAPPLES:
        return state
    if assault.maneuver == "throw":
        far = min(assault.push_ft, throw_feet(state, state.creatures[assault.user]))
        return (yield from hurl(state, chance, assault.user, aim.target, assault.push, far))
    user, target = state.creatures[assault.user], state.creatures[aim.target]
    feet = min(assault.push_ft, push_feet(state, user, target, critical=critical))
    return (yield from push(state, chance, assault.user, aim.target, assault.push, feet))


def gripped(state: State, chance: Chance, user: str, total: int) -> Emits[State]:
    """Tell how firm a grip is for the rest of the round."""
    firm = Condition(name="grip", source=user, until="round", expires=state.round, modifiers={"grip": total})
    atom = Atom(seq=0, source=user, target=user, does="gain", condition=firm, swift=True)
    return (yield from note(state, chance, atom))


def ended(
    state: State, chance: Chance, assault: Assault, stopped_by: str | None, *, critical: bool
) -> Emits[State]:
    """Tell where a running maneuver ends: at once in a turn, in the plan where it is a movement."""
    beaten = assault.targets if stopped_by is None else assault.targets[: assault.targets.index(stopped_by)]
    if assault.maneuver in GRAPPLES:
        return (yield from shoved_along(state, chance, assault, beaten, critical=critical))
    if assault.maneuver not in ("overrun", "rush"):
        return state
    user = state.creatures[assault.user]
    if assault.maneuver == "rush":
        path = up_to(state, user.space, assault.path, stopped_by)
        return (
            yield RushedThrough(
                user=user.id, passed=beaten, path=path, pushed={}, because=("RI-UNIV-OVERRUN",)
            )
        )
    path = walk(state, user, assault.path, feet_of(state, user, assault.path), beaten).cells
    return (
        yield from note(state, chance, Atom(seq=0, source=user.id, target=user.id, does="locate", path=path))
    )


def up_to(state: State, space: int, path: tuple[Cell, ...], stopped_by: str | None) -> tuple[Cell, ...]:
    """Return *path* up to the space of whom it stops at."""
    if stopped_by is None:
        return path
    other = state.creatures[stopped_by]
    for length, cell in enumerate(path):
        if touches(cell, space, other.position, other.space):
            return path[:length]
    return path


def touches(a: Cell, a_side: int, b: Cell, b_side: int) -> bool:
    """Tell whether two spaces share a cell."""
    return a[0] < b[0] + b_side and b[0] < a[0] + a_side and a[1] < b[1] + b_side and b[1] < a[1] + a_side


def shoved_along(
    state: State, chance: Chance, assault: Assault, beaten: tuple[str, ...], *, critical: bool
) -> Emits[State]:
    """Tell how a grapple moves: only if all who are in it were beaten, as far as all of them can go."""
    user = assault.user
    ways: dict[str, tuple[Cell, ...]] = {}
    if beaten == assault.targets:
        ways = together(state, assault, critical=critical)
    if assault.maneuver == "grapple_shove":
        return (yield from dragged(state, chance, user, ways))
    path = ways.pop(user, ())
    return (yield RushedThrough(user=user, passed=beaten, path=path, pushed=ways, because=("RI-UNIV-SHOVE",)))


def together(state: State, assault: Assault, *, critical: bool) -> dict[str, tuple[Cell, ...]]:
    """Return how far all who are in a grapple can go the same way, its mover first."""
    assert assault.push is not None, "a shove has a direction"
    everybody = (assault.user, *assault.targets)
    user = state.creatures[assault.user]
    feet = min(push_feet(state, user, state.creatures[name], critical=critical) for name in assault.targets)
    if assault.maneuver == "grapple_shove":
        feet = min(feet, assault.push_ft)
    ways = {
        name: pushed_path(state, state.creatures[name], assault.push, feet, everybody) for name in everybody
    }
    length = min(map(len, ways.values()))
    return {name: way[:length] for name, way in ways.items()}


def dragged(state: State, chance: Chance, user: str, ways: Mapping[str, tuple[Cell, ...]]) -> Emits[State]:
    """Tell that a grapple moves; it stays where one of them has moved in this phase already."""
    stays = [name for name in ways if state.creatures[name].location_changed]
    for name in stays:
        state = yield LocationEffectIgnored(creature=name, source=user, because=("RI-MOVE1-2",))
    for name, path in ways.items() if not stays else ():
        how: How = "self" if name == user else "forced"
        atom = Atom(seq=0, source=user, target=name, does="locate", path=path, how=how)
        state = yield from note(state, chance, atom)
    return state
