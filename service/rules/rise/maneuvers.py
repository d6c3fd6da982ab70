"""Do what a brawling maneuver does beyond its effects: firm grips, pushes, throws, running through."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from service.rules.chance import Chance
from service.rules.grid import Cell
from service.rules.messages import Event, Tale
from service.rules.records import changed, record
from service.rules.rise.effects import note
from service.rules.rise.forced import hurl, push, push_feet, pushed_path
from service.rules.rise.holds import grasp, part
from service.rules.rise.lasting import Atom, Condition, Plan
from service.rules.rise.paths import feet_of, walk
from service.rules.rise.state import State
from service.rules.rise.uses import Aim, Assault


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
                plans[name] = Plan(ability="pushed", path=path, passes=(self.user,))
        return changed(state, plans=plans)


def landed(state: State, chance: Chance, aim: Aim, *, critical: bool) -> Tale[State]:
    """Tell what a maneuver that hit does: a grapple begins or ends, a push or throw moves its target."""
    assault = aim.assault
    if assault.maneuver == "grapple":
        return (yield from grasp(state, chance, assault.user, aim.target))
    if assault.maneuver == "escape":
        return (yield from part(state, chance, assault.user, aim.target))
    if assault.push is None or assault.maneuver == "rush_shove":
        return state
    if assault.maneuver == "throw":
        return (yield from hurl(state, chance, assault.user, aim.target, assault.push, assault.push_ft))
    user, target = state.creatures[assault.user], state.creatures[aim.target]
    feet = min(assault.push_ft, push_feet(state, user, target, critical=critical))
    return (yield from push(state, chance, assault.user, aim.target, assault.push, feet))


def gripped(state: State, chance: Chance, user: str, total: int) -> Tale[State]:
    """Tell how firm a grip is for the rest of the round."""
    firm = Condition(name="grip", source=user, until="round", expires=state.round, modifiers={"grip": total})
    atom = Atom(seq=0, source=user, target=user, does="gain", condition=firm, swift=True)
    return (yield from note(state, chance, atom))


def ended(
    state: State, chance: Chance, assault: Assault, stopped_by: str | None, *, critical: bool
) -> Tale[State]:
    """Tell where a running maneuver ends: at once in a turn, in the plan where it is a movement."""
    beaten = assault.targets if stopped_by is None else assault.targets[: assault.targets.index(stopped_by)]
    if assault.maneuver == "rush_shove":
        return (yield from shoved_along(state, assault, beaten, critical=critical))
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


def shoved_along(state: State, assault: Assault, beaten: tuple[str, ...], *, critical: bool) -> Tale[State]:
    """Tell how a grapple moves: only if all who are in it were beaten, as far as all of them can go."""
    assert assault.push is not None, "a shove has a direction"
    user = state.creatures[assault.user]
    pushed: dict[str, tuple[Cell, ...]] = {}
    path: tuple[Cell, ...] = ()
    if beaten == assault.targets:
        everybody = (user.id, *beaten)
        others = [state.creatures[name] for name in beaten]
        feet = min(push_feet(state, user, other, critical=critical) for other in others)
        ways = [pushed_path(state, c, assault.push, feet, everybody) for c in (user, *others)]
        length = min(map(len, ways))
        path = ways[0][:length]
        pushed = {name: way[:length] for name, way in zip(beaten, ways[1:], strict=True)}
    return (
        yield RushedThrough(user=user.id, passed=beaten, path=path, pushed=pushed, because=("RI-UNIV-SHOVE",))
    )
