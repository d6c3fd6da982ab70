"""Check what a creature may plan: its movement, and the free abilities in the course of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final, Protocol

from service.rules.kernel.messages import Emits, Event, Refused
from service.rules.kernel.records import changed, record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.kernel.values import AbilityId, CreatureId
from service.rules.rise import books
from service.rules.rise.acting.brawling import GRIP, check_grapple_moves, check_grappled, grip, not_twice
from service.rules.rise.acting.combat_time import ActionPaid, check_free, paid
from service.rules.rise.acting.special_abilities import (
    ability_on,
    carried_out,
    check_targets,
    priced,
    single_aims,
    use_of,
)
from service.rules.rise.acting.strikes import check_straight
from service.rules.rise.attacks.making_attacks import AssaultBegun
from service.rules.rise.body.aerial_movement import climb_ft
from service.rules.rise.body.effects import apply_quietly, state_after
from service.rules.rise.body.movement_and_positioning import (
    budget_of,
    check_direction,
    check_path,
    is_wall,
    once_up,
)
from service.rules.rise.body.running_the_game import ruled
from service.rules.rise.creatures.creature import Creature, FreeUse, is_able
from service.rules.rise.creatures.permission import is_allowed
from service.rules.rise.creatures.sheet import Ability
from service.rules.rise.creatures.state import State
from service.rules.rise.sight.obstacles_and_targets import atom_of, check_place
from service.rules.rise.sight.vision_and_lines import check_reach, is_clear, known_of
from service.rules.space.grid import FEET, Cell, distance

# --- movements -----------------------------------------------------------------------------------------
# On what its group knows when it plans.

RI_REAC_1: Final = Rule(
    "RI-REAC-1",
    "A reactive movement is one simple rule about what everybody plainly sees.",
    books.MOVEMENT.at("Movement Abilities"),
)


REACTIVE = ("follow", "withdraw", "block")


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


class Intent(OwnRule, Protocol):
    """A movement as it is planned."""

    @property
    def ability(self) -> str: ...
    @property
    def path(self) -> tuple[Cell, ...]: ...
    @property
    def mode(self) -> str: ...
    @property
    def stand_up(self) -> bool: ...
    @property
    def altitude_ft(self) -> int | None: ...


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
        raise Refused("reactive_rule_too_complex", f"{ability} keys on one creature", RI_REAC_1.id)


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
    """Return whether *other* is somebody else, and *creature* plainly sees it."""
    return other.id != creature.id and is_seen(view, creature, other)


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
    """Return whether *creature* plainly sees *other*."""
    blind = creature.has("blinded") or other.has("unseen")
    return not blind and is_clear(view, creature.position, other.position)


def check_teleport(view: State, creature: Creature, path: tuple[Cell, ...], feet: int) -> None:
    """Refuse a teleport that is not one jump to a clear place in sight and in range."""
    at = path[0] if len(path) == 1 else None
    if at is None or is_wall(view, creature, at):
        raise Refused("path_blocked", f"{creature.id} names one free place to appear at", "RI-MOVE-1")
    if distance(creature.position, 1, at, 1, "alternating") > max(feet, FEET):
        raise Refused("insufficient_speed", f"{creature.id} teleports {feet} feet", "RI-MOVE-1")
    if not is_clear(view, creature.position, at):
        raise Refused("no_line_of_effect", f"{creature.id} has no clear line there", "RI-ATK-1")


# --- free abilities ------------------------------------------------------------------------------------
# Planned with one's own movement, and done in its course. They are paid when they are planned, and sealed
# with the plan. What a creature does to itself before its first step, and whatever is Swift, comes before
# anybody moves; everything else when all have moved. None of it attacks, hurts or moves anybody: that is for
# the action phase.

Paths = Mapping[CreatureId, tuple[Cell, ...]]
FORCE: Final = ("damage", "push", "knockback")
"""Effects that are for the action phase, though no attack roll is made for them."""


@record
class FreeAbilityCame(Event[State]):
    """A free ability is used in the course of its user's movement."""

    type: ClassVar[str] = "free_ability_came"
    creature: CreatureId
    ability: AbilityId
    at: Cell
    """Where its user is then: short of the place it had planned, where something has stopped it."""
    missed: tuple[CreatureId, ...] = ()
    """Whom it cannot reach from there."""
    placed: bool = True
    """Whether it could reach the place of its zone or area from there."""

    def evolve(self, state: State) -> State:
        top: Any = state.top  # the phase's own frame, which imports this file
        return state.put(changed(top, used=top.used + 1))


def check_uses(view: State, creature: Creature, path: Sequence[Cell], uses: Sequence[FreeUse]) -> None:
    """Refuse free abilities that the creature cannot use on its way; each counts for those after it."""
    for use in uses:
        if not 0 <= use.step <= len(path):
            raise Refused("invalid_target", f"{creature.id} takes no step {use.step}", "RI-ACT-6")
        if use.ability == GRIP:
            check_grip(view, creature, use)
        else:
            check_use(view, creature, path, use)
        creature = changed(creature, budget=paid(creature.budget, payment(creature.id, use)))


def check_grip(view: State, creature: Creature, use: FreeUse) -> None:
    """Refuse to firm a grip where there is none, or twice."""
    check_grappled(creature)
    not_twice(creature, GRIP)
    check_free(view, creature, GRIP, None)
    if use.targets or use.at is not None or use.altitude_ft:
        raise Refused("invalid_target", f"{GRIP} has no target", "RI-UNIV-MAINTAIN")


def check_use(view: State, creature: Creature, path: Sequence[Cell], use: FreeUse) -> None:
    """Refuse an ability that is not free, that attacks, or that does not reach from where it is used."""
    ability = check_free_ability(view, creature, use.ability)
    there = changed(creature, position=place_on(creature.position, path, use.step))
    check_place(view, there, ability, use.at, use.altitude_ft)
    check_targets(view, there, ability, use.targets)


def check_free_ability(view: State, creature: Creature, id_: str) -> Ability:
    """Return the ability; refused where it is not free or attacks, or was used as often as it may be."""
    ability = ability_on(creature, id_)
    check_peaceful(view, ability)
    check_free(view, creature, ability.id, ability.per_round_limit)
    return ability


def check_peaceful(view: State, ability: Ability) -> None:
    """Refuse what takes an action, and what attacks: only boundaries do that in the movement phase (C-50)."""
    if ability.trigger != "none":
        raise Refused("unknown_action_type", f"{ability.id} comes by itself, by its trigger", "RI-ACT-1")
    if priced(view, ability).usage not in ("free", "none"):
        raise Refused("wrong_phase", f"{ability.id} is not a free action", "RI-PHASE-1")
    if ability.strike is not None or any(effect.does in FORCE for effect in ability.effects):
        raise Refused("wrong_phase", f"{ability.id} attacks or moves somebody", "RI-PHASE-1")
    if ability.later != "none":
        raise Refused("wrong_phase", f"{ability.id} comes in later actions", "RI-DELAY-1")


def payment(creature: str, use: FreeUse) -> ActionPaid:
    """Return what a use costs: one of the free actions of the round."""
    return ActionPaid(creature=creature, pay="free", what=use.ability, because=("RI-PHASE-3", "C-25"))


def place_on(start: Cell, path: Sequence[Cell], step: int) -> Cell:
    """Return where *path* is after so many steps, or where it ends before."""
    return path[min(step, len(path)) - 1] if step and path else start


def comes_first(user: Creature, use: FreeUse) -> bool:
    """Return whether a use comes before anybody moves: it is Swift, or one's own before the first step."""
    if use.ability == GRIP:
        return True
    ability = ability_on(user, use.ability)
    alone = ability.area is None and set(use.targets) <= {user.id}
    alone = alone or all(effect.to == "self" for effect in ability.effects)
    return "swift" in ability.tags or (use.step == 0 and alone and ability.zone is None)


def braced(view: State, creature: Creature, uses: Sequence[FreeUse]) -> State:
    """Return *view* as it is for the creature when it sets out: with what it does to itself before."""
    for use in uses:
        if use.ability == GRIP or not comes_first(creature, use):
            continue
        aim = (use.at, use.altitude_ft)
        assault = use_of(view, creature.id, ability_on(creature, use.ability), use.targets, *aim)
        for effect in (*assault.effects, *assault.after):
            if effect.does in ("gain", "lose") and (effect.to == "self" or creature.id in assault.targets):
                atom = atom_of(view, assault, effect, creature.id, effect.amount)
                view = state_after(view, apply_quietly(view, atom))
    return view


# --- as the movements of the phase resolve -----------------------------------------------------------


def planned(state: State, *, first: bool) -> list[tuple[str, FreeUse]]:
    """Return the planned free actions, by creature: those before movement if *first*, else those after."""
    return [
        (name, use)
        for name, plan in sorted(state.plans.items())
        for use in plan.free_actions
        if comes_first(state.creatures[name], use) is first
    ]


def due(state: State, used: int, *, moved: bool) -> list[tuple[str, FreeUse]]:
    """Return the uses that come now, *used* of them having come: those after the movements once all moved."""
    first = planned(state, first=True)
    return planned(state, first=False)[used - len(first) :] if moved else first[used:]


def come(state: State, name: str, use: FreeUse, paths: Paths, *, moved: bool) -> Emits[State]:
    """Emit that a use comes, on whom it still reaches from where its user got to."""
    user = state.creatures[name]
    start = user.stood or user.position
    where = place_on(start, paths.get(name, ()), use.step) if moved else user.position
    there = changed(user, position=where)
    range_ft = 0 if use.ability == GRIP else ability_on(user, use.ability).range_ft
    missed = tuple([t for t in use.targets if t != name and not reaches(state, there, t, range_ft)])
    placed = use.at is None or is_placed(state, there, use)
    state = yield FreeAbilityCame(
        creature=name,
        ability=use.ability,
        at=where,
        missed=missed,
        placed=placed,
        because=("RI-PHASE-3", "C-25"),
    )
    if not (placed and is_able(user)):
        return state
    if use.ability == GRIP:
        return (yield AssaultBegun(assault=grip(name), because=("RI-UNIV-MAINTAIN",)))
    ability = priced(state, ability_on(user, use.ability))
    if ability.area is not None:
        filled = use_of(as_it_stood(state, there), name, ability, (), use.at, use.altitude_ft)
        return (yield AssaultBegun(assault=filled, because=("RI-ATK-1",)))
    targets = tuple([target for target in use.targets if target not in missed])
    return (yield from carried_out(state, name, ability, targets, use.at))


def is_placed(state: State, there: Creature, use: FreeUse) -> bool:
    """Return whether its zone or area is still in range from where the user got to."""
    try:
        check_place(state, there, ability_on(there, use.ability), use.at, use.altitude_ft)
    except Refused:
        return False
    return True


def as_it_stood(state: State, there: Creature) -> State:
    """Return the field as the phase began, with the user *there*: nobody moves out of an area, or into it."""
    stood = {
        name: changed(c, position=c.stood or c.position, altitude=c.stood_ft if c.stood else c.altitude)
        for name, c in state.creatures.items()
    }
    return changed(state, creatures={**stood, there.id: there})


def reaches(state: State, there: Creature, target: str, range_ft: int) -> bool:
    """Return whether *target* is in reach where it stood when the phase began: moving away dodges nothing."""
    other = state.creatures[target]
    try:
        check_reach(state, there, changed(other, position=other.stood or other.position), range_ft)
    except Refused:
        return False
    return True


# --- what is offered ---------------------------------------------------------------------------------


def offered_uses(view: State, creature: Creature) -> tuple[FreeUse, ...]:
    """Return the free abilities that *creature* may use before its first step."""

    def find(_: State) -> tuple[FreeUse, ...]:
        grip = FreeUse(ability=GRIP)
        found = [grip] if is_allowed(check_uses, view, creature, (), (grip,)) else []
        for ability in creature.sheet.abilities:
            if is_allowed(check_free_ability, view, creature, ability.id):
                found += [FreeUse(ability=ability.id, **aim) for aim in single_aims(view, creature, ability)]
        return tuple(found)

    return known_of(view, creature, "free uses", find)
