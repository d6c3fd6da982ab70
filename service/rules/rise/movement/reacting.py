"""React to others with a movement of the action phase: follow them, or withdraw from them.

Where others go shows only when all groups have acted. So the rule is kept, with the feet it may use, until
the announcement; the mover stands where it is, also for its own group. Only where it reacts to allies of its
group who have moved already is there nothing to wait for.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar, Final, Protocol

from service.rules.kernel.messages import Emits, Event, Refused
from service.rules.kernel.records import EMPTY, changed, record, with_key
from service.rules.rise.creatures.creature import Creature
from service.rules.rise.creatures.lasting import Plan
from service.rules.rise.harm.effects import LocationEffectIgnored, note_place
from service.rules.rise.movement.problem import Intents, place_movers
from service.rules.rise.movement.reactive import route_all
from service.rules.rise.planning.intents import check_own_rule, check_reactive
from service.rules.rise.space.aloft import TookOff
from service.rules.rise.space.soaring import BY_RULE, lands
from service.rules.rise.state import State
from service.rules.space.grid import Cell

OFFERED: Final[Mapping[str, Mapping[str, tuple[int, ...]]]] = MappingProxyType(
    {
        "follow": MappingProxyType({"distance_ft": (5, 10, 30)}),
        "withdraw": MappingProxyType({"distance_ft": (10, 30, 60)}),
        "custom": MappingProxyType({"within_ft": (10, 30)}),
    }
)
"""The movements that go by a rule and that a standard action buys, with the distances that are offered."""
FIXED: Final[Mapping[str, Mapping[str, int]]] = MappingProxyType(
    {"follow": EMPTY, "withdraw": EMPTY, "custom": MappingProxyType({"within_ft": 10})}
)
"""What of a rule has to be said for it to be one."""
NEAR_FT: Final = 5
"""The distance where none is named."""


class Wanted(Protocol):
    """A movement for a standard action, as it is declared."""

    @property
    def ability(self) -> str: ...
    @property
    def path(self) -> tuple[Cell, ...]: ...
    @property
    def targets(self) -> tuple[str, ...]: ...
    @property
    def distance_ft(self) -> int | None: ...
    @property
    def altitude_ft(self) -> int | None: ...
    @property
    def within_ft(self) -> int | None: ...
    @property
    def beyond_ft(self) -> int | None: ...
    @property
    def direction(self) -> Cell | None: ...
    @property
    def pause(self) -> bool: ...


@record
class MovementDeclared(Event[State]):
    """A creature has paid for a movement that reacts to others; where it leads shows with theirs."""

    type: ClassVar[str] = "movement_declared"
    creature: str
    plan: Plan

    def evolve(self, state: State) -> State:
        carried = [name for name, other in state.creatures.items() if other.mount == self.creature]
        for name in (self.creature, *carried):
            state = state.with_creature(name, location_changed=True)  # nothing of its group moves it now
        return changed(state, plans=with_key(state.plans, self.creature, self.plan))


def check_rule(view: State, creature: Creature, move: Wanted) -> None:
    """Refuse a movement that mixes a path with a rule about others, or keys on what nobody sees."""
    own = (move.within_ft, move.beyond_ft, move.direction)
    if move.ability != "custom" and own != (None, None, None):
        raise Refused("invalid_target", f"{move.ability} is no rule of one's own", "RI-REAC-1")
    if move.ability not in BY_RULE:
        if move.targets or move.distance_ft is not None:
            raise Refused("invalid_target", "a path is about nobody", "RI-MOVE-1")
        return
    if creature.budget.paused:
        raise Refused("wrong_step", f"{creature.id} goes on along a path", "RI-ACT-6")
    if move.path or move.pause:
        raise Refused("reactive_rule_too_complex", f"{move.ability} has no path and no pause", "RI-REAC-1")
    if move.altitude_ft is not None:
        raise Refused("reactive_rule_too_complex", "whom it reacts to leads it up and down", "RI-REAC-1")
    check_reactive(view, creature, move.ability, move.targets)
    if move.ability == "custom":
        if move.distance_ft is not None:
            raise Refused("reactive_rule_too_complex", "say how near or how far to keep", "RI-REAC-1")
        check_own_rule(view, creature, move)


def reacted(state: State, name: str, plan: Plan) -> Emits[State]:
    """Tell that a creature reacts: at once to whom cannot move any more, else when all is open."""
    if state.creatures[name].location_changed:
        return (yield LocationEffectIgnored(creature=name, source=name, because=("RI-MOVE1-2", "C-18")))
    if all(has_moved(state, target) for target in plan.targets):
        routes = route_all(Intents(state=state, plans={name: plan}))
        after = place_movers(state, routes)
        high = lands(after, state.creatures[name], routes.altitudes.get(name))
        if high is not None:
            state = yield TookOff(creature=name, altitude=high, because=("RI-MOVE-9",))
        return (yield from note_place(state, name, routes.paths[name]))
    return (yield MovementDeclared(creature=name, plan=plan, because=("RI-UNIV-FOLLOW", "C-48")))


def has_moved(state: State, target: str) -> bool:
    """Tell whether *target* is of this group, and known to stand where its movement ended."""
    other = state.creatures[target]
    waits = target in state.plans or other.mount in state.plans
    return other.location_changed and not waits and target in state.groups[state.here]
