"""Check what a creature wants to do with its movement, on what its group knows when it plans."""

from __future__ import annotations

from typing import Final, Protocol

from service.rules.kernel.messages import Refused
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.rise import books
from service.rules.rise.acting.shoving import check_grapple_moves
from service.rules.rise.acting.strikes import check_straight
from service.rules.rise.creatures.creature import Creature
from service.rules.rise.rulings import ruled
from service.rules.rise.space.aloft import climb_ft
from service.rules.rise.space.pace import budget_of, once_up
from service.rules.rise.space.paths import check_direction, check_path, is_wall
from service.rules.rise.space.sight import is_clear, known_of
from service.rules.rise.state import State
from service.rules.space.grid import FEET, Cell, distance

RI_REAC_1: Final = Rule(
    "RI-REAC-1",
    "A reactive movement is one simple rule about what everybody plainly sees.",
    books.MOVEMENT.at("Movement Abilities"),
)


REACTIVE = ("follow", "withdraw", "block")


class Intent(Protocol):
    """A movement as it is planned."""

    @property
    def ability(self) -> str: ...
    @property
    def path(self) -> tuple[Cell, ...]: ...
    @property
    def targets(self) -> tuple[str, ...]: ...
    @property
    def mode(self) -> str: ...
    @property
    def stand_up(self) -> bool: ...
    @property
    def direction(self) -> Cell | None: ...
    @property
    def altitude_ft(self) -> int | None: ...
    @property
    def within_ft(self) -> int | None: ...
    @property
    def beyond_ft(self) -> int | None: ...


def check_intent(view: State, creature: Creature, plan: Intent) -> None:
    """Refuse a plan that the creature cannot try; what others do against it is seen later."""
    if plan.ability == "shove":
        check_grapple_moves(view, creature, plan.targets, plan.direction)
        return
    mode = "teleport" if plan.ability == "teleport" else plan.mode
    sprints = plan.ability == "sprint"
    if plan.stand_up:
        feet = once_up(view, creature, mode, sprint=sprints)
    else:
        feet = budget_of(view, creature, mode, sprint=sprints)
    if plan.ability in REACTIVE or (plan.ability == "custom" and not plan.path):
        if plan.altitude_ft is not None:
            raise Refused("reactive_rule_too_complex", "whom it reacts to leads it up and down", "RI-REAC-1")
        check_reactive(view, creature, plan.ability, plan.targets)
        if plan.ability == "custom":
            check_own_rule(view, creature, plan)
    elif plan.ability == "teleport":
        check_teleport(view, creature, plan.path, feet)
    else:
        if plan.ability == "overrun":
            check_straight(creature, plan.path)
        up = climb_ft(creature, plan.ability, mode, plan.altitude_ft)
        check_path(view, creature, plan.path, feet - up)


@enforces(RI_REAC_1)
def check_reactive(view: State, creature: Creature, ability: str, targets: tuple[str, ...]) -> None:
    """Refuse a movement by a rule about unseen creatures, or about too many."""
    for name in targets:
        check_seen(view, creature, name)
    alone = ability not in ("withdraw", "custom")
    if not targets or (alone and len(targets) > 1):
        raise Refused("reactive_rule_too_complex", f"{ability} keys on one creature")


def check_seen(view: State, creature: Creature, name: str) -> None:
    """Refuse to react to whom *creature* does not see."""
    found = view.creatures.get(name)
    if found is None or not is_other_seen(view, creature, found):
        raise Refused("target_not_visible", f"{creature.id} sees no {name}", "RI-REAC-1")


def seen_by(view: State, creature: Creature) -> tuple[str, ...]:
    """Return whom *creature* may react to."""

    def find(_: State) -> tuple[str, ...]:
        others = view.creatures.items()
        return tuple([name for name, other in others if is_other_seen(view, creature, other)])

    return known_of(view, creature, "seen", find)


def is_other_seen(view: State, creature: Creature, other: Creature) -> bool:
    """Tell whether *other* is somebody else, and *creature* plainly sees it."""
    return other.id != creature.id and is_seen(view, creature, other)


class OwnRule(Protocol):
    """A rule of one's own about others."""

    @property
    def targets(self) -> tuple[str, ...]: ...
    @property
    def direction(self) -> Cell | None: ...
    @property
    def within_ft(self) -> int | None: ...
    @property
    def beyond_ft(self) -> int | None: ...


def check_own_rule(view: State, creature: Creature, plan: OwnRule) -> None:
    """Refuse a rule of one's own that says nothing, or more than one thing without the GM's leave."""
    bounds = [feet for feet in (plan.within_ft, plan.beyond_ft) if feet is not None]
    if not bounds:
        raise Refused("reactive_rule_too_complex", "say how near or how far to keep", "RI-REAC-1")
    if plan.direction is not None:
        check_direction(plan.direction)
    simple = len(bounds) == 1 and len(plan.targets) == 1
    if not simple and ruled(view, "reactive_plan_ok", creature.id) != "yes":
        raise Refused("reactive_rule_too_complex", "the gm has not allowed so much at once", "RI-REAC-1")


def is_seen(view: State, creature: Creature, other: Creature) -> bool:
    """Tell whether *creature* plainly sees *other*."""
    blind = creature.has("blinded") or other.has("unseen")
    return not blind and is_clear(view, creature.position, other.position)


def check_teleport(view: State, creature: Creature, path: tuple[Cell, ...], feet: int) -> None:
    """Refuse a teleport that is not one jump to a clear place in sight and in range."""
    if len(path) != 1 or is_wall(view, creature, path[-1]):
        raise Refused("path_blocked", f"{creature.id} names one free place to appear at", "RI-MOVE-1")
    if distance(creature.position, 1, path[0], 1, "alternating") > max(feet, FEET):
        raise Refused("insufficient_speed", f"{creature.id} teleports {feet} feet", "RI-MOVE-1")
    if not is_clear(view, creature.position, path[0]):
        raise Refused("no_line_of_effect", f"{creature.id} has no clear line there", "RI-ATK-1")
