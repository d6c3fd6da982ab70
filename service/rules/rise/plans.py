"""Plan movements in secret: a path, or one simple rule about others; sealed until all groups have planned."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Literal

from service.rules.chance import Chance
from service.rules.grid import STEPS, cells
from service.rules.messages import Event, Offer, Refused, Tale
from service.rules.records import changed, record, with_key
from service.rules.rise.lasting import Plan
from service.rules.rise.moving import budget_of
from service.rules.rise.paths import check_path
from service.rules.rise.permission import Act, able, in_phase
from service.rules.rise.state import Creature, State, is_able
from service.rules.rise.turns import offered, sender
from service.rules.rulebook import rule
from service.rules.stack import Awaited, Frame

REACTIVE = ("follow", "withdraw", "block")


@record
class PlanFrame(Frame[State]):
    """A group that plans its movements: waits for each member able to move."""

    kind: ClassVar[str] = "rise_plans"

    def waiting(self, state: State) -> tuple[Awaited, ...]:
        return tuple(
            [
                Awaited(
                    prompt=f"{self.path}/{name}",
                    seat=state.controller(name),
                    accepts=("plan_movement", "pass_movement", "manipulate_object"),
                    creature=name,
                )
                for name in state.groups[state.here]
                if not state.creatures[name].budget.moved and is_able(state.creatures[name])
            ]
        )

    def advance(self, state: State, chance: Chance) -> Tale[State]:
        return (yield PlansSealed(path=self.path, because=("RI-INFO-2",)))


@record
class MovementPlanned(Event[State]):
    """A creature has planned its movement, or to make none."""

    type: ClassVar[str] = "movement_planned"
    creature: str
    plan: Plan | None

    def evolve(self, state: State) -> State:
        state = state.with_budget(self.creature, moved=True)
        if self.plan is None:
            return state
        return changed(state, plans=with_key(state.plans, self.creature, self.plan))


@record
class PlansSealed(Event[State]):
    """All members of the group have planned."""

    type: ClassVar[str] = "plans_sealed"
    path: str

    def evolve(self, state: State) -> State:
        return state.popped(self.path)


@rule("RI-PHASE-1", "P06, P09")
def planning(view: State, command: Act) -> Creature:
    """The movement phase holds one movement for each creature, and free actions."""
    found = in_phase(view, command, "movement")
    able(found)
    if found.budget.moved or view.top is None:
        raise Refused("movement_already_used", f"{found.id} has used its movement")
    return found


@rule("RI-REAC-1", "R4")
def check_reactive(view: State, creature: Creature, command: PlanMovement) -> None:
    """A reactive movement is one simple rule about what everybody plainly sees."""
    for name in command.targets:
        if name not in view.creatures or name == creature.id:
            raise Refused("target_not_visible", f"{creature.id} sees no {name}")
    if not command.targets or (command.ability != "withdraw" and len(command.targets) > 1):
        raise Refused("reactive_rule_too_complex", f"{command.ability} keys on one creature")


@rule("RI-UNIV-HUSTLE", "P09, R4")
@record
class PlanMovement(Act):
    """Plan one movement: hustle or sprint along a path, follow, withdraw, block, or carry a rider."""

    type: ClassVar[str] = "plan_movement"
    ability: Literal["hustle", "sprint", "follow", "withdraw", "block", "jump"] = "hustle"
    path: tuple[tuple[int, int], ...] = ()
    targets: tuple[str, ...] = ()
    distance_ft: int = 5
    mode: str = "land"
    sprint: Literal["never", "ask", "auto"] = "ask"
    """Whether a reactive movement that falls short sprints."""
    carry: tuple[str, ...] = ()
    """Creatures that ride along."""
    mount: str | None = None
    """The creature to mount where the path ends."""

    def check(self, view: State) -> None:
        creature = planning(view, self)
        sprints = self.ability == "sprint"
        budget = budget_of(view, creature, self.mode, sprint=sprints)
        if self.ability in REACTIVE:
            check_reactive(view, creature, self)
        else:
            check_path(view, creature, self.path, budget)
        for rider in self.carry:
            check_carried(view, creature, rider, sprints=sprints)
        if self.mount is not None:
            check_mount(view, creature, self.mount, self.path)

    def decide(self, state: State) -> Tale[State]:
        creature = state.creatures[self.creature]
        reactive = self.ability in REACTIVE
        plan = Plan(
            ability=self.ability,
            path=() if reactive else self.path,
            targets=self.targets,
            distance_ft=self.distance_ft,
            mode=self.mode,
            sprint=self.sprint if reactive and creature.sheet.is_pc else "never",
            carry=self.carry,
            mount=self.mount,
        )
        return (yield MovementPlanned(creature=self.creature, plan=plan))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        by, name = sender(view, awaited), awaited.creature or ""
        at = view.creatures[name].position
        for dx, dy in STEPS:
            path = ((at[0] + dx, at[1] + dy),)
            yield from offered(cls(by=by, creature=name, path=path), view, path=path)
        for ability in ("follow", "withdraw"):
            for target in view.creatures:
                command = cls(by=by, creature=name, ability=ability, targets=(target,))
                yield from offered(command, view, ability=ability, targets=(target,))


@rule("RI-MOUNT-1", "R4/R5, P69")
def check_carried(view: State, mount: Creature, rider: str, *, sprints: bool) -> None:
    """A mount carries whoever shares its space; being carried is the rider's one change of place."""
    plan = view.plans.get(rider)
    if plan is not None and plan.path:
        onto_a_mount(rider)
    found = view.creatures.get(rider)
    if found is None or found.mount != mount.id:
        raise Refused("mount_departed", f"{rider} does not ride {mount.id}")
    if sprints:
        raise Refused("mount_cannot_sprint", f"{mount.id} carries {rider}")


def check_mount(view: State, rider: Creature, mount: str, path: tuple[tuple[int, int], ...]) -> None:
    """Refuse to mount what carries nobody, or what is not where the path ends."""
    found = view.creatures.get(mount)
    there = path[-1] if path else rider.position
    if found is None or not found.sheet.carries_riders or there not in cells(found.position, found.space):
        raise Refused("mount_departed", f"{rider.id} cannot mount {mount} there", "RI-MOUNT-1")


@rule("RI-MOVE1-3", "P69")
def onto_a_mount(rider: str) -> None:
    """Nobody moves onto a mount and is carried by it in the same phase."""
    raise Refused("already_moved_this_phase", f"{rider} moves by itself in this phase")


@record
class PassMovement(Act):
    """Stay where the creature is in this movement phase."""

    type: ClassVar[str] = "pass_movement"

    def check(self, view: State) -> None:
        planning(view, self)

    def decide(self, state: State) -> Tale[State]:
        return (yield MovementPlanned(creature=self.creature, plan=None, because=("RI-MOVE1-6",)))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        yield from offered(cls(by=sender(view, awaited), creature=awaited.creature or ""), view)
