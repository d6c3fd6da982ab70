"""Run a movement phase at the table: plans are made apart, revealed together, resolved in one step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar, Final, Literal

from service.rules.kernel.messages import Awaited, Command, Emits, Event, Offer, Refused, Sentence
from service.rules.kernel.records import EMPTY, changed, record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.kernel.values import Count, CreatureId, GroupId, Occasion, StepId
from service.rules.rise import books
from service.rules.rise.body.aerial_movement import TookOff, climb_ft, lands
from service.rules.rise.body.effects import let_go
from service.rules.rise.body.movement_and_positioning import budget_of, check_path, come_off, feet_of, once_up
from service.rules.rise.body.taking_damage import tire
from service.rules.rise.creatures.combat_statistics import lose
from service.rules.rise.creatures.creature import Creature, How, Plan
from service.rules.rise.creatures.permission import is_allowed, own
from service.rules.rise.creatures.state import State
from service.rules.rise.moving.mounts import bolt
from service.rules.rise.moving.movement_problem import (
    Intents,
    NeedsInitiative,
    Outcome,
    Paths,
    Routes,
    by_carriers,
    place_movers,
    pose,
    route_all,
    shake_off,
)
from service.rules.rise.moving.movement_resolution import (
    carry_out,
    find_outcome,
    find_outrun,
    meet_needs,
    rush,
    rushers,
)
from service.rules.rise.moving.objects import share_out
from service.rules.rise.planning.groups import (
    GroupFrame,
    WorldsOpened,
    carried_over,
    hand_over,
    occasion,
    opened,
    unread,
)
from service.rules.rise.planning.initiative import asks_players, exertions, spent
from service.rules.rise.planning.intents import come, due, planned
from service.rules.rise.planning.planning import PlanFrame
from service.rules.rise.sight.vision_and_lines import straight
from service.rules.rise.values import Agrees, AskedCreatures, GroupIds, HasAgreed, SprintingCreatures
from service.rules.rolls.chance import Chance
from service.rules.secrecy.choices import by_seats
from service.rules.space.compact import StraightPaths
from service.rules.space.grid import Cell

RI_RES_1: Final = Rule(
    "RI-RES-1",
    "Inside a group everything is sequential and known, between groups everything is simultaneous.",
    (books.TIME.at("Resolving Actions"), books.TIME.at("Multi-Group Battles")),
)
RI_INFO_4: Final = Rule(
    "RI-INFO-4",
    "Members see each other's plans while they make them; everybody else sees them once all are made.",
    books.TIME.at("Resolving Actions"),
    settles=("C-22",),
)
RI_PHASE_4: Final = Rule(
    "RI-PHASE-4",
    "A phase has no length: all its movements happen together, in the order that the rules give.",
    books.TIME.at("Phases"),
)
RI_RES_9: Final = Rule(
    "RI-RES-9",
    "Once plans are open, say whether a creature that falls behind sprints; it tires by 1 if it does.",
    books.TIME.at("Resolving Actions"),
    settles=("C-20",),
)
RI_CONF_11: Final = Rule(
    "RI-CONF-11",
    "A player's creature whose path leaves it beside nobody it was to reach may go on, as far as a sprint.",
    books.TIME.at("Conflicting Actions"),
    settles=("C-20",),
)


Reached = Literal["begin", "plans", "opening", "revealed", "sprints", "resolve", "moved"]


@record
class MovementFrame(GroupFrame):
    """The movement phase."""

    kind: ClassVar[str] = "rise_movement"
    reached: Reached = "begin"
    """The point that was reached."""
    asked: tuple[CreatureId, ...] = ()
    """Who may still sprint after an outrunning creature."""
    sprinting: SprintingCreatures = ()
    rushed: tuple[CreatureId, ...] = ()
    """Whose overruns and shoves are settled."""
    used: Count = 0
    """How many of the free abilities in the plans have come."""
    paths: Paths = EMPTY
    """The ways that were gone, where free abilities come after them."""

    def waiting(self, state: State) -> tuple[Awaited, ...]:
        if self.reached == "sprints":
            return self.asks(state, "sprint", self.asked, ("consent_sprint",))
        return super().waiting(state)

    def waits(self, state: State) -> bool:
        return bool(self.asked) if self.reached == "sprints" else super().waits(state)

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        if self.reached == "begin":
            return (yield from begin(state))
        if unread(state):
            return (yield from hand_over(state))
        if (news := self.news(state)) is not None:
            return (yield news)
        if self.reached in ("plans", "opening"):
            return (yield from close_plans(state, self))
        moved = self.reached == "moved"
        for name, use in due(state, self.used, moved=moved):
            return (yield from come(state, name, use, self.paths, moved=moved))
        return (yield from go_on(state, chance, self))


def go_on(state: State, chance: Chance, frame: MovementFrame) -> Emits[State]:
    """Emit what follows once plans are open and no free ability is due."""
    if frame.reached == "revealed":
        return (yield from ask(state))
    if frame.reached == "moved":
        return (yield MovementResolved(paths=frame.paths, path=frame.path, because=("RI-PHASE-4",)))
    for name in rushers(state):
        if name not in frame.rushed:
            intents = Intents(state=state, plans=by_carriers(state, state.plans), sprinting=frame.sprinting)
            return (yield from rush(state, name, route_all(intents)))
    return (yield from resolve(state, chance))


@record
class PlanningBegun(Event[State]):
    """All groups plan their movements."""

    type: ClassVar[str] = "planning_began"
    groups: GroupIds

    def evolve(self, state: State) -> State:
        return state.with_top(MovementFrame, reached="plans", at_work=self.groups)


@record
class PlansOpening(Event[State]):
    """All groups have sealed their plans; each seat opens its own now."""

    type: ClassVar[str] = "plans_opening"
    path: StepId

    def evolve(self, state: State) -> State:
        for group in state.apart:
            frame = PlanFrame(path=f"{self.path}/{group}", opening=True)
            state = state.with_at(group, state.at(group).pushed(frame))
        return state.with_top(MovementFrame, reached="opening")


@record
class PlansRevealed(Event[State]):
    """The plans of one group are open."""

    type: ClassVar[str] = "plans_revealed"
    group: GroupId
    plans: Mapping[CreatureId, Plan]
    """The planned movements, by creature."""
    occasion: Occasion

    def evolve(self, state: State) -> State:
        plans = dict(sorted(self.plans.items()))  # as the record spells them: a fold has no other order
        state = changed(carried_over(state, self.group), plans={**state.plans, **plans})
        return state.with_top(MovementFrame, reached="revealed")


@record
class SprintsAsked(Event[State]):
    """Creatures that fall behind may sprint."""

    type: ClassVar[str] = "sprints_asked"
    asked: AskedCreatures
    sprinting: SprintingCreatures

    def evolve(self, state: State) -> State:
        return state.put(
            changed(
                state.top_frame(MovementFrame),
                reached="sprints" if self.asked else "resolve",
                asked=self.asked,
                sprinting=self.sprinting,
            )
        )


@record
class SprintAnswered(Event[State]):
    """A creature that falls behind sprints, or does not."""

    type: ClassVar[str] = "sprint_answered"
    creature: CreatureId
    accepted: HasAgreed
    path: tuple[Cell, ...] = ()
    """The cells with which its path goes on."""

    def evolve(self, state: State) -> State:
        plan = state.plans[self.creature]
        longer = changed(plan, path=(*plan.path, *self.path), sprint="auto")
        state = changed(state, plans={**state.plans, self.creature: longer}) if self.path else state
        frame = state.top_frame(MovementFrame)
        asked = tuple([name for name in frame.asked if name != self.creature])
        sprinting = (*frame.sprinting, self.creature) if self.accepted else frame.sprinting
        return state.put(
            changed(frame, asked=asked, sprinting=sprinting, reached="sprints" if asked else "resolve")
        )


@record
class MovementsMade(Event[State]):
    """All have moved; what they do on their ways for nothing comes now."""

    type: ClassVar[str] = "movements_made"
    paths: Paths
    """The way of each creature, by id."""

    def evolve(self, state: State) -> State:
        return state.with_top(MovementFrame, reached="moved", paths=self.paths)


@record
class MovementResolved(Event[State]):
    """All movements of the phase have happened."""

    type: ClassVar[str] = "movement_resolved"
    paths: Mapping[CreatureId, tuple[Cell, ...]]
    """The way of each creature, by id."""
    path: StepId

    def evolve(self, state: State) -> State:
        return changed(state.popped(self.path), stage="movement_end", step=4)


# --- the phase ---------------------------------------------------------------------------------------


@enforces(RI_RES_1)
def begin(state: State) -> Emits[State]:
    """Emit the beginning of planning, in a world for each group."""
    state = yield PlanningBegun(groups=tuple(state.groups))
    return (yield WorldsOpened(groups={group: opened(state, group, "plan") for group in state.groups}))


def close_plans(state: State, frame: MovementFrame) -> Emits[State]:
    """Emit that all plans are revealed, or before that, if seats have sealed them, that they are opened."""
    if frame.reached == "plans" and by_seats(state):
        return (yield PlansOpening(path=frame.path, because=("TABLE-CHOICE-2",)))
    return (yield from reveal(state))


@enforces(RI_INFO_4)
def reveal(state: State) -> Emits[State]:
    """Emit all plans, revealed together, and what their members exerted themselves for."""
    plans = {group: dict(state.at(group).plans) for group in state.groups}
    logs = [effect for group in state.groups for effect in state.at(group).effects]
    for group in state.groups:
        state = yield PlansRevealed(group=group, plans=plans[group], occasion=occasion(state, group))
    for effect in logs:  # what members exerted themselves for, while they planned
        state = yield from tire(state, effect.target, effect.amount, effect.name)
    return (yield from bolt(state))


def ask(state: State) -> Emits[State]:
    """Emit who falls behind, and may sprint after all."""
    behind = find_outrun(Intents(state=state, plans=by_carriers(state, state.plans)))
    auto = tuple([name for name in behind if state.plans[name].sprint == "auto"])
    asked = tuple([name for name in behind if state.plans[name].sprint == "ask"])
    return (yield SprintsAsked(asked=asked, sprinting=auto, because=("RI-CONF-6",)))


@enforces(RI_PHASE_4)
def resolve(state: State, chance: Chance) -> Emits[State]:
    """Emit the movements of the phase, or the questions that they raise."""
    state = yield from exertions(state, chance)
    state = yield from share_out(state, chance)
    if asks_players(state):
        return state
    while isinstance(lost := shake_off(state), NeedsInitiative):
        state = yield from meet_needs(state, chance, lost)
        if asks_players(state):
            return state
    problem = pose(state, state.plans, state.top_frame(MovementFrame).sprinting, lost)
    outcome: Outcome | None
    state, outcome = yield from find_outcome(state, chance, problem)
    if outcome is None:
        return state
    pushed: dict[str, How] = {
        name: "forced" for name, plan in state.plans.items() if plan.ability == "pushed"
    }
    state = yield from carry_out(state, problem, outcome, pushed)
    return (yield from conclude(state, outcome.routes))


def conclude(state: State, routes: Routes) -> Emits[State]:
    """Emit what follows from the movements: who comes off a mount, lets go, lands or tires."""
    frame, after = state.top_frame(MovementFrame), place_movers(state, routes)
    state = yield from come_off(state)
    state = yield from let_go(state)
    for name in sorted(state.plans):
        high = lands(after, state.creatures[name], routes.altitudes.get(name))
        state = yield from afterwards(state, name, frame, high)
    state = yield from spent(state)
    if planned(state, first=False):
        return (yield MovementsMade(paths=routes.paths))
    return (yield MovementResolved(paths=routes.paths, path=frame.path))


def afterwards(state: State, name: str, frame: MovementFrame, high: int | None) -> Emits[State]:
    """Emit what a movement leaves behind: a creature on its feet, tired, or in the air."""
    plan = state.plans[name]
    if plan.stand_up:
        state = yield from lose(state, name, "prone")
    if plan.ability in ("sprint", "overrun") or name in frame.sprinting:
        state = yield from tire(state, name, 1, plan.ability if plan.ability == "overrun" else "sprint")
    if high is not None:
        jumped = plan.ability == "jump"
        state = yield TookOff(creature=name, jumped=jumped, altitude=high, because=("RI-MOVE-9",))
    return state


@enforces(RI_RES_9)
@record
class ConsentSprint(Command[State]):
    """Say whether a creature that falls behind sprints; it tires by 1 if it does."""

    type: ClassVar[str] = "consent_sprint"
    sentence: ClassVar[Sentence] = {
        "accept=True": "Sprint to keep up",
        "accept=False": "Fall behind",
        "": "Sprint to keep up, or fall behind",
    }
    creature: CreatureId
    accept: Agrees
    path: tuple[Cell, ...] = ()
    """The cells with which the path of a hustle goes on; a creature that reacts goes by its rule."""

    def check(self, view: State) -> None:
        creature = own(view, self, self.creature)
        frame = view.top
        if not isinstance(frame, MovementFrame) or self.creature not in frame.asked:
            raise Refused("wrong_step", f"{self.creature} is not asked to sprint", "RI-CONF-6")
        plan = view.plans[self.creature]
        goes_on = self.accept and plan.ability == "hustle"
        if bool(self.path) is not goes_on:
            fault = "says how its path goes on" if goes_on else "has no path to go on"
            raise Refused("invalid_target", f"{self.creature} {fault}", "RI-CONF-11")
        if goes_on:
            check_further(view, creature, plan, self.path)

    def decide(self, state: State) -> Emits[State]:
        hustles = state.plans[self.creature].ability == "hustle"
        because = ("RI-CONF-11", "C-20") if hustles else ("RI-CONF-6",)
        answered = SprintAnswered(
            creature=self.creature, accepted=self.accept, path=self.path, because=because
        )
        return (yield answered)

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        name = awaited.creature or ""
        plan = view.plans[name]
        if plan.ability != "hustle":
            yield Offer(type=cls.type, creature=name, choices={"accept": (True, False)})
            return
        yield Offer(type=cls.type, creature=name, given={"accept": False})
        creature = view.creatures[name]
        there = changed(creature, position=plan.path[-1])
        moved = view.with_creature(name, position=plan.path[-1])
        left = farther(view, creature, plan) - feet_of(view, creature, plan.path)
        further = straight(moved, there, left, through=True)
        lines = [
            line for line, path in further.lines() if is_allowed(check_further, view, creature, plan, path)
        ]
        if lines:
            choices = {"path": StraightPaths.of(there.position, lines)}
            yield Offer(type=cls.type, creature=name, given={"accept": True}, choices=choices)


@enforces(RI_CONF_11)
def check_further(view: State, creature: Creature, plan: Plan, path: tuple[Cell, ...]) -> None:
    """Refuse to go on along *path* farther than a sprint leads in all."""
    check_path(view, creature, (*plan.path, *path), farther(view, creature, plan))


def farther(view: State, creature: Creature, plan: Plan) -> int:
    """Return the feet of a planned hustle that becomes a sprint."""
    feet = (once_up if plan.stand_up else budget_of)(view, creature, plan.mode, sprint=True)
    return feet - climb_ft(creature, plan.ability, plan.mode, plan.altitude_ft)
