"""Plan movements in secret: what is offered, and what is sealed until all groups have planned."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Final, Literal

from service.rules.kernel.folding import alike
from service.rules.kernel.messages import Awaited, Emits, Event, Noted, Offer, Refused, Sentence
from service.rules.kernel.records import EMPTY, changed, record, with_key
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.kernel.values import CreatureId, Creatures, Direction, StepId, Targets
from service.rules.rise import books
from service.rules.rise.acting.turns import sender
from service.rules.rise.body.effects import grapplers
from service.rules.rise.body.movement_and_positioning import (
    check_carried,
    check_mount,
    check_not_carried,
    check_sprints,
    may_sprint,
)
from service.rules.rise.creatures.creature import Creature, FreeUse, Plan, obeys
from service.rules.rise.creatures.permission import Act, able, in_phase, is_allowed
from service.rules.rise.creatures.state import State
from service.rules.rise.planning.intents import (
    REACTIVE,
    braced,
    check_intent,
    check_seen,
    check_uses,
    offered_uses,
    payment,
    seen_by,
)
from service.rules.rise.sight.vision_and_lines import feet_offered, onto, straight
from service.rules.rise.values import BeyondFeet, CellPath, CustomFeet, ModeName, NearFeet
from service.rules.rolls.chance import Chance
from service.rules.secrecy.choices import SecretChoice, by_seats, to_open, to_seal
from service.rules.space.compact import StraightPaths
from service.rules.space.grid import STEPS, Cell, Feet, cells
from service.rules.table.stack import Frame, FrameDone

# --- what may be planned -------------------------------------------------------------------------------
# Straight ways by each mode, onto mounts, with free abilities.

BY_TARGET: Final[tuple[Mapping[str, Any], ...]] = (
    {"ability": "follow"},
    {"ability": "withdraw"},
    {"ability": "block"},
    {"ability": "shove"},
    {"ability": "custom", "within_ft": 10},
)
"""The movements that are offered against each creature in sight."""
CHOICES: Final[Mapping[str, Mapping[str, tuple[Any, ...]]]] = MappingProxyType(
    {
        "follow": MappingProxyType({"distance_ft": (5, 10, 30, 60)}),
        "withdraw": MappingProxyType({"distance_ft": (5, 10, 30, 60)}),
        "shove": MappingProxyType({"direction": STEPS}),
    }
)
"""What is left to choose of them, besides whether it sprints."""
AFTER_OTHERS: Final = ("follow", "withdraw")
"""The movements that react, and by which a creature may sprint where it falls short."""


def ways(view: State, creature: Creature) -> Iterator[tuple[Mapping[str, Any], StraightPaths]]:
    """Yield the movements along straight paths that *creature* may try, and where they may lead."""
    riders = tuple([other.id for other in view.creatures.values() if other.mount == creature.id])
    found: list[Mapping[str, Any]] = [{"ability": each} for each in ("hustle", "sprint", "overrun", "jump")]
    found += [{"mode": mode} for mode in creature.sheet.speeds if mode != "land"]
    found += [{"stand_up": True}]
    for way in found:
        ability, mode = way.get("ability", "hustle"), way.get("mode", "land")
        feet = feet_offered(
            view, creature, mode, ability=ability, sprint=ability == "sprint", stand_up="stand_up" in way
        )
        paths = straight(view, creature, feet, through=True)
        if paths:
            yield way, paths
            if riders:
                yield {**way, "carry": riders}, paths


def mounts(view: State, creature: Creature) -> Mapping[str, StraightPaths]:
    """Return the straight paths on which *creature* may try to get onto each mount."""
    found = [m for m in view.creatures.values() if m.sheet.carries_riders and m.id != creature.id]
    feet = feet_offered(view, creature) if found else 0
    ridden = {m.id: onto(creature, cells(m.position, m.space), feet) for m in found}
    return {name: StraightPaths.of(creature.position, lines) for name, lines in ridden.items()}


def freely(view: State, creature: Creature) -> Iterator[tuple[tuple[FreeUse, ...], StraightPaths]]:
    """Yield free abilities that *creature* may use on its way, and the ways it may go with any of them."""
    plain = free_ways(view, creature)
    uses = offered_uses(view, creature)
    ready = {use: braced(view, creature, (use,)) for use in uses}
    steady = tuple([use for use in uses if ready[use] is view])
    if steady:
        yield steady, plain.or_none()
    for use in uses:
        if ready[use] is not view:
            yield (use,), braced_ways(view, creature, ready[use]).or_none()
    alone = [use for use in uses if use.targets in ((), (creature.id,)) and use.at is None]
    for use in alone if plain else ():
        if braced_ways(view, creature, ready[use]):
            yield (changed(use, step=1),), plain


def free_ways(view: State, creature: Creature) -> StraightPaths:
    """Return the straight ways that *creature* may walk on its own feet."""
    return straight(view, creature, feet_offered(view, creature), through=True)


def braced_ways(view: State, creature: Creature, ready: State) -> StraightPaths:
    """Return the straight ways that *creature* may walk once it has braced itself, as *ready* has it."""
    there = ready.creatures[creature.id]
    if changed(there, conditions=creature.conditions) != creature:
        return free_ways(ready, there)
    return straight(view, creature, feet_offered(ready, there), through=True)  # conditions change feet alone


def as_command_data(uses: Sequence[FreeUse]) -> tuple[tuple[Mapping[str, Any], ...], ...]:
    """Return each of *uses* alone, as a command says it; fields with their defaults are left out."""
    return tuple([(_one_as_data(use),) for use in uses])


def _one_as_data(use: FreeUse) -> Mapping[str, Any]:
    said = {name: value for name, value in vars(use).items() if value or name == "ability"}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in said.items()}


# --- plans ---------------------------------------------------------------------------------------------
# A path, or one simple rule about others; sealed until all groups have planned.

RI_PHASE_1: Final = Rule(
    "RI-PHASE-1",
    "The movement phase holds one movement for each creature, and free actions.",
    (books.TIME.at("Phases"), books.TIME.at("The Movement Phase")),
)
RI_UNIV_HUSTLE: Final = Rule(
    "RI-UNIV-HUSTLE",
    "Plan one movement: along a path, by a rule about others, through them, or pushing who holds one.",
    (books.TIME.at("The Movement Phase"), books.MOVEMENT.at("Hustle")),
)
RI_CONF_8: Final = Rule(
    "RI-CONF-8",
    "Who reacts is asked whether it sprints, and who goes along a path only if it says whom it is to reach.",
    books.TIME.at("Conflicting Actions"),
    settles=("C-20",),
)
RI_CONF_9: Final = Rule(
    "RI-CONF-9",
    "Members who plan to end in one space are warned; they may plan otherwise until plans are open.",
    (books.TIME.at("Resolving Actions"), books.TIME.at("Conflicting Actions")),
    settles=("C-26",),
)


@record
class PlanFrame(Frame[State]):
    """A group that plans its movements: waits for each member able to move."""

    kind: ClassVar[str] = "rise_plans"
    opening: bool = False
    """Whether plans that seats have sealed themselves are opened now."""

    def waiting(self, state: State) -> tuple[Awaited, ...]:
        answers = [
            Awaited(
                prompt=f"{self.path}/{name}",
                seat=state.controller(name),
                accepts=("plan_movement", "pass_movement", "manipulate_object", "guide_with_knees"),
                creature=name,
            )
            for name in state.groups[state.here]
            if not state.creatures[name].budget.moved and obeys(state.creatures[name])
        ]
        if not by_seats(state):
            return tuple(answers)
        return to_open(state, answers) if self.opening else to_seal(state, answers)

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        return (yield PlansSealed(path=self.path, because=("RI-INFO-2",)))


@record
class MovementPlanned(Event[State]):
    """A creature has planned its movement, or to make none."""

    type: ClassVar[str] = "movement_planned"
    creature: CreatureId
    plan: Plan | None
    """The planned movement; null for none."""

    def evolve(self, state: State) -> State:
        state = state.with_budget(self.creature, moved=True)
        if self.plan is None:
            return state
        return changed(state, plans=with_key(state.plans, self.creature, self.plan))


@record
class PlanWithdrawn(Event[State]):
    """A creature takes back what it has planned, and what it has paid in the plan."""

    type: ClassVar[str] = "plan_withdrawn"
    creature: CreatureId
    path: StepId

    def evolve(self, state: State) -> State:
        creature = state.creatures[self.creature]
        free = dict(creature.budget.free)
        for use in state.plans[self.creature].free_actions if self.creature in state.plans else ():
            free[use.ability] -= 1
        left = {ability: count for ability, count in free.items() if count}
        state = state.with_budget(self.creature, moved=False, free=left)
        plans = {name: plan for name, plan in state.plans.items() if name != self.creature}
        state = changed(state, plans=plans)
        return state if state.top is not None else state.pushed(PlanFrame(path=self.path))


@record
class PlansCollide(Noted[State]):
    """These members plan to end in one space: it takes initiative, unless one of them plans otherwise."""

    type: ClassVar[str] = "plans_collide"
    creatures: Creatures


@record
class PlansSealed(FrameDone[State]):
    """All members of the group have planned."""

    type: ClassVar[str] = "plans_sealed"


@enforces(RI_PHASE_1)
def planning(view: State, command: Act) -> Creature:
    """Return the creature that plans; refuse one that has used its movement."""
    found = in_phase(view, command, "movement")
    able(found)
    if found.budget.moved or view.top is None:
        detail = (
            f"{found.id} has planned its movement; withdraw_plan takes the plan back until all have planned"
        )
        raise Refused("movement_already_used", detail, RI_PHASE_1.id)
    return found


@enforces(RI_UNIV_HUSTLE)
@record
class PlanMovement(Act):
    """Plan one movement: along a path, by a rule about others, through them, or pushing who holds one."""

    type: ClassVar[str] = "plan_movement"
    sentence: ClassVar[Sentence] = {
        "ability=follow": "Follow {targets}[, with {free_actions}]",
        "ability=withdraw": "Withdraw from {targets}[, with {free_actions}]",
        "ability=block": "Block {targets}[, with {free_actions}]",
        "ability=custom": "Keep within {within_ft} ft of {targets}[, with {free_actions}]",
        "ability=jump": "Jump[, with {free_actions}]",
        "ability=overrun": "Run through others[, with {free_actions}]",
        "ability=shove": "Push along whom you hold[, with {free_actions}]",
        "ability=teleport": "Teleport[, with {free_actions}]",
        "ability=sprint": "Sprint[, with {free_actions}]",
        "sprint=ask": "Move to reach {targets}, sprinting if it takes that",
        "": "Move[ by {mode}][ onto {mount}][{stand_up}, standing up first][, with {free_actions}]",
    }
    ability: Literal[
        "hustle",
        "sprint",
        "follow",
        "withdraw",
        "block",
        "jump",
        "overrun",
        "shove",
        "teleport",
        "custom",
    ] = "hustle"
    """The movement ability."""
    path: CellPath = ()
    targets: Targets = ()
    distance_ft: CustomFeet = 5
    mode: ModeName = "land"
    sprint: Literal["never", "ask", "auto"] | None = None
    """Whether it sprints where it falls short; null asks if it follows or withdraws, and may sprint.

    A monster may sprint only if the GM rules so. A hustle may ask: its seat is asked if the path ends beside
    none of the `targets`.
    """
    carry: tuple[CreatureId, ...] = ()
    """Creatures that ride along."""
    mount: CreatureId | None = None
    """The creature to mount where the path ends."""
    stand_up: bool = False
    """Whether to get up from prone first, for half the speed."""
    direction: Direction | None = None
    """The one step in which a shove, or a custom movement by a rule, goes; null is straight away."""
    altitude_ft: Feet | None = None
    """How high a flight or a jump ends; null stays as high, or just above the ground."""
    within_ft: NearFeet | None = None
    beyond_ft: BeyondFeet | None = None

    free_actions: tuple[FreeUse, ...] = ()
    """Free abilities to use on the way, each after so many steps."""

    def check(self, view: State) -> None:
        self.check_plan(view, planning(view, self))

    def check_plan(self, view: State, creature: Creature) -> None:
        """Refuse what *creature*, which may plan a movement, may not plan."""
        check_uses(view, creature, self.way(), self.free_actions)
        view = braced(view, creature, self.free_actions)
        creature = view.creatures[creature.id]
        check_not_carried(view, creature)
        self.check_sprint(view, creature)
        for rider in self.carry:
            check_carried(view, creature, rider, sprints=self.ability == "sprint")
        check_intent(view, creature, self)
        if self.mount is not None:
            check_mount(view, creature, self.mount, self.path)

    def check_sprint(self, view: State, creature: Creature) -> None:
        """Refuse to sprint after others along a path, except for a hustle that says whom it is to reach."""
        along = self.ability not in (*REACTIVE, "shove", "custom")
        if along and self.ability == "hustle" and self.sprint == "ask" and self.targets and self.path:
            for name in self.targets:
                check_seen(view, creature, name)
            check_sprints(view, creature)
            return
        if self.sprint in ("ask", "auto"):
            if self.ability not in AFTER_OTHERS:
                no_sprint(self.ability)
            check_sprints(view, creature)
        if along and self.targets:
            raise Refused("invalid_target", "a path names targets only to ask for a sprint", "RI-MOVE-1")

    def way(self) -> tuple[tuple[int, int], ...]:
        """Return the path that is planned; where others are reacted to there is none."""
        return () if self.ability in (*REACTIVE, "shove") else self.path

    def decide(self, state: State) -> Emits[State]:
        creature = state.creatures[self.creature]
        asks = self.ability == "hustle" and self.sprint == "ask"
        reacts = asks or (self.ability in AFTER_OTHERS and may_sprint(state, creature))
        plan = Plan(
            ability=self.ability,
            path=self.way(),
            targets=self.targets,
            distance_ft=self.distance_ft,
            mode=self.mode,
            sprint=(self.sprint or "ask") if reacts else "never",
            carry=self.carry,
            mount=self.mount,
            stand_up=self.stand_up,
            step=self.direction,
            altitude_ft=self.altitude_ft,
            within_ft=self.within_ft,
            beyond_ft=self.beyond_ft,
            free_actions=self.free_actions,
        )
        for use in self.free_actions:
            yield payment(self.creature, use)
        state = yield MovementPlanned(creature=self.creature, plan=plan)
        return (yield from warn(state, self.creature))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        command = cls(by=sender(view, awaited), creature=awaited.creature or "")
        if not is_allowed(planning, view, command):
            return
        creature = view.creatures[command.creature]
        tried = [
            (way, {"path": paths})
            for way, paths in ways(view, creature)
            if command.may(view, **way, path=paths[0])
        ]
        for way, choices in alike(tried):  # the ways along a path have the same cells
            yield Offer(type=cls.type, creature=creature.id, given=way, choices=choices)
        yield from cls.reaching(view, command, creature)
        for mount, found in mounts(view, creature).items():
            legal = [line for line, path in found.lines() if command.may(view, mount=mount, path=path)]
            if legal:
                given: Mapping[str, Any] = {"mount": mount}
                choices = {"path": StraightPaths.of(creature.position, legal)}
                yield Offer(type=cls.type, creature=creature.id, given=given, choices=choices)
        for uses, paths in freely(view, creature):
            if command.may(view, free_actions=uses[:1], path=paths[0]):
                choices = {"free_actions": as_command_data(uses), "path": paths}
                yield Offer(type=cls.type, creature=creature.id, choices=choices)
        for way, choices in cls.by_rule(view, command, creature):
            yield Offer(type=cls.type, creature=creature.id, given=way, choices=choices)

    @classmethod
    def by_rule(
        cls, view: State, command: PlanMovement, creature: Creature
    ) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
        """Yield the movements by a rule about others, and what of them is to choose."""
        seen, held = seen_by(view, creature), grapplers(creature)
        for by_rule in BY_TARGET:
            targets = tuple([(name,) for name in (held if by_rule["ability"] == "shove" else seen)])
            if targets and command.may(view, **by_rule, targets=targets[0]):
                choices = {"targets": targets, **CHOICES.get(by_rule["ability"], EMPTY)}
                if by_rule["ability"] in AFTER_OTHERS:
                    asks = command.may(view, **by_rule, targets=targets[0], sprint="ask")
                    choices["sprint"] = ("never", "ask", "auto") if asks else ("never",)
                yield by_rule, choices

    @classmethod
    def reaching(cls, view: State, command: PlanMovement, creature: Creature) -> Iterator[Offer]:
        """Yield the hustles of a player's creature that are to reach somebody, by a sprint if needed."""
        targets, paths = tuple([(name,) for name in seen_by(view, creature)]), free_ways(view, creature)
        if targets and paths and command.may(view, sprint="ask", targets=targets[0], path=paths[0]):
            choices = {"targets": targets, "path": paths}
            yield Offer(type=cls.type, creature=creature.id, given={"sprint": "ask"}, choices=choices)

    def may(self, view: State, **more: object) -> bool:
        """Return whether this plan with *more* is legal for a creature that may plan a movement."""
        return is_allowed(changed(self, **more).check_plan, view, view.creatures[self.creature])


@enforces(RI_CONF_8)
def no_sprint(ability: str) -> None:
    """Refuse to sprint after others with a plan along a path that is to reach nobody."""
    raise Refused(
        "sprint_not_reactive",
        f"{ability} leads along a path; plan a sprint, or ask with targets to reach",
        RI_CONF_8.id,
    )


@enforces(RI_CONF_9)
def warn(state: State, creature: str) -> Emits[State]:
    """Emit a warning if *creature* plans to end in the space of another member."""
    mine = ends_in(state, creature)
    others = [
        name
        for name in state.plans
        if name != creature and any(cell in mine for cell in ends_in(state, name))
    ]
    return (yield PlansCollide(creatures=(creature, *others))) if others else state


def ends_in(state: State, creature: str) -> tuple[Cell, ...]:
    """Return the cells in which a path that is planned ends; a rule about others names none."""
    plan = state.plans[creature]
    if not plan.path or plan.mount is not None:
        return ()
    return tuple(cells(plan.path[-1], state.creatures[creature].space))


@record
class PassMovement(Act):
    """Stay where the creature is in this movement phase, and do no more than what is free."""

    type: ClassVar[str] = "pass_movement"
    sentence: ClassVar[str] = "Stay in place[, and {free_actions}]"
    passes: ClassVar[bool] = True
    free_actions: tuple[FreeUse, ...] = ()
    """Free abilities to use meanwhile."""

    def check(self, view: State) -> None:
        check_uses(view, planning(view, self), (), self.free_actions)

    def decide(self, state: State) -> Emits[State]:
        for use in self.free_actions:
            yield payment(self.creature, use)
        plan = Plan(ability="stay", free_actions=self.free_actions) if self.free_actions else None
        return (yield MovementPlanned(creature=self.creature, plan=plan, because=("RI-MOVE1-6",)))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        command = cls(by=sender(view, awaited), creature=awaited.creature or "")
        if not is_allowed(command.check, view):
            return
        yield Offer(type=cls.type, creature=command.creature)
        uses = as_command_data(offered_uses(view, view.creatures[command.creature]))
        if uses:
            yield Offer(type=cls.type, creature=command.creature, choices={"free_actions": uses})


class PlanChoice(SecretChoice[State]):
    """The choice of a movement; a creature without one stays where it is."""

    commands = (PlanMovement, PassMovement)

    def no_choice(self, state: State, creature: str) -> Emits[State]:
        return (yield MovementPlanned(creature=creature, plan=None, because=("RI-MOVE1-6",)))


@record
class WithdrawPlan(Act):
    """Take back what a creature has planned, until all groups have planned: it plans once more."""

    type: ClassVar[str] = "withdraw_plan"
    sentence: ClassVar[str] = "Take back the plan"

    def check(self, view: State) -> None:
        creature = in_phase(view, self, "movement")
        if by_seats(view) and creature.budget.moved:
            raise Refused("choice_not_sealed", "a plan that was opened stays", "TABLE-CHOICE-2")
        if not creature.budget.moved:
            raise Refused("nothing_planned", f"{creature.id} has planned nothing to take back", "RI-INFO-4")

    def decide(self, state: State) -> Emits[State]:
        path = f"r{state.round}/{state.stage}/{state.here}"
        return (yield PlanWithdrawn(creature=self.creature, path=path, because=("RI-UNIV-HUSTLE",)))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        yield Offer(type=cls.type, creature=awaited.creature)
