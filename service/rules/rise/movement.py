"""Run a movement phase at the table: plans are made apart, revealed together, resolved in one step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar, Literal

from service.rules.chance import Chance
from service.rules.grid import Cell
from service.rules.messages import Command, Event, Offer, Refused, Tale
from service.rules.records import changed, record
from service.rules.rise.aloft import TookOff
from service.rules.rise.blocking import blocks
from service.rules.rise.conflicts import Paths, settle
from service.rules.rise.damage import tire
from service.rules.rise.effects import move
from service.rules.rise.groups import WorldsOpened, audience, carried_over, occasion, opened
from service.rules.rise.lasting import Plan
from service.rules.rise.permission import own
from service.rules.rise.reactive import intended, outrun
from service.rules.rise.state import State
from service.rules.rulebook import rule
from service.rules.sealed import Sealed
from service.rules.stack import Awaited, Frame
from service.rules.table import GM

Reached = Literal["begin", "plans", "sprints", "resolve"]


@record
class GroupFrame(Frame[State]):
    """A phase in which groups act apart: who is done, and how far it has come."""

    kind: ClassVar[str] = "rise_phase"
    done: tuple[str, ...] = ()
    """The groups that have finished what they are at."""
    at_work: tuple[str, ...] = ()
    """The groups that are waited for now."""

    def waiting(self, state: State) -> tuple[Awaited, ...]:
        """Return what outsiders may know: that a group is still at it."""
        return tuple(
            [
                Awaited(prompt=f"{self.path}/{group}", seat=seat_of(state, group), accepts=())
                for group in self.at_work
                if group not in self.done and group not in state.apart
            ]
        )

    def waits(self, state: State) -> bool:
        if self.finished(state) or unread(state):
            return False
        return any(group not in self.done for group in self.at_work)

    def finished(self, state: State) -> list[str]:
        """Return the groups whose stacks are empty and of whom nobody has been told yet."""
        return [
            group
            for group in self.at_work
            if group not in self.done and group in state.apart and not state.at(group).stacks.table
        ]


def unread(state: State) -> dict[str, tuple[str, ...]]:
    """Return the worlds whose readers do not control their groups any more, with who should read them."""
    found = {}
    for group, kept in state.worlds.items():
        readers = audience(state, state.groups[group])
        if isinstance(kept, Sealed) and kept.audience != readers:
            found[group] = readers
    return found


@record
class ReadersChanged(Event[State]):
    """Other seats control a group in the middle of a phase: its world is theirs to read from now on."""

    type: ClassVar[str] = "readers_changed"
    readers: Mapping[str, tuple[str, ...]]

    def evolve(self, state: State) -> State:
        worlds = dict(state.worlds)
        for group, readers in self.readers.items():
            worlds[group] = changed(worlds[group], audience=readers)
        return changed(state, worlds=worlds)


def hand_over(state: State) -> Tale[State]:
    """Tell who reads which world from now on."""
    return (yield ReadersChanged(readers=unread(state), because=("RI-INFO-1",)))


def seat_of(state: State, group: str) -> str:
    """Return the seat that is named to others for what *group* owes."""
    return min([state.controller(name) for name in state.groups[group]], default=GM)


@record
class GroupFinished(Event[State]):
    """A group is done with what it was at; what it decided stays sealed."""

    type: ClassVar[str] = "group_finished"
    group: str
    path: str

    def evolve(self, state: State) -> State:
        frame = state.stacks.find(self.path)
        assert isinstance(frame, GroupFrame)
        return state.put(changed(frame, done=(*frame.done, self.group)))


@record
class MovementFrame(GroupFrame):
    """The movement phase."""

    kind: ClassVar[str] = "rise_movement"
    reached: Reached = "begin"
    asked: tuple[str, ...] = ()
    """Who may still sprint after an outrunning creature."""
    sprinting: tuple[str, ...] = ()

    def waiting(self, state: State) -> tuple[Awaited, ...]:
        if self.reached != "sprints":
            return super().waiting(state)
        return tuple(
            [
                Awaited(
                    prompt=f"{self.path}/sprint/{name}",
                    seat=state.controller(name),
                    accepts=("consent_sprint",),
                    creature=name,
                )
                for name in self.asked
            ]
        )

    def waits(self, state: State) -> bool:
        return bool(self.asked) if self.reached == "sprints" else super().waits(state)

    def advance(self, state: State, chance: Chance) -> Tale[State]:
        if self.reached == "begin":
            return (yield from begin(state))
        if unread(state):
            return (yield from hand_over(state))
        for group in self.finished(state):
            return (yield GroupFinished(group=group, path=self.path, because=("RI-INFO-2",)))
        if self.reached == "plans":
            return (yield from reveal(state))
        return (yield from resolve(state, chance, self))


def moving(state: State) -> MovementFrame:
    """Return the frame of the movement phase."""
    frame = state.top
    assert isinstance(frame, MovementFrame)
    return frame


@record
class PlanningBegun(Event[State]):
    """All groups plan their movements."""

    type: ClassVar[str] = "planning_began"
    groups: tuple[str, ...]

    def evolve(self, state: State) -> State:
        return state.put(changed(moving(state), reached="plans", at_work=self.groups))


@record
class PlansRevealed(Event[State]):
    """The plans of one group are open."""

    type: ClassVar[str] = "plans_revealed"
    group: str
    plans: Mapping[str, Plan]
    occasion: str

    def evolve(self, state: State) -> State:
        return changed(carried_over(state, self.group), plans={**state.plans, **self.plans})


@record
class SprintsAsked(Event[State]):
    """Creatures that fall behind may sprint."""

    type: ClassVar[str] = "sprints_asked"
    asked: tuple[str, ...]
    sprinting: tuple[str, ...]

    def evolve(self, state: State) -> State:
        return state.put(
            changed(
                moving(state),
                reached="sprints" if self.asked else "resolve",
                asked=self.asked,
                sprinting=self.sprinting,
            )
        )


@record
class SprintAnswered(Event[State]):
    """A creature that falls behind sprints, or does not."""

    type: ClassVar[str] = "sprint_answered"
    creature: str
    accepted: bool

    def evolve(self, state: State) -> State:
        frame = moving(state)
        asked = tuple([name for name in frame.asked if name != self.creature])
        sprinting = (*frame.sprinting, self.creature) if self.accepted else frame.sprinting
        return state.put(
            changed(frame, asked=asked, sprinting=sprinting, reached="sprints" if asked else "resolve")
        )


@record
class Mounted(Event[State]):
    """A creature is on its mount, or on none any more."""

    type: ClassVar[str] = "mounted"
    creature: str
    mount: str | None

    def evolve(self, state: State) -> State:
        return state.with_creature(self.creature, mount=self.mount)


def stranded_riders(state: State) -> Tale[State]:
    """Tell which riders are no longer where their mounts are."""
    for name, creature in state.creatures.items():
        if creature.mount is not None and state.creatures[creature.mount].position != creature.position:
            state = yield Mounted(creature=name, mount=None, because=("RI-MOUNT-1",))
    return state


@record
class MovementResolved(Event[State]):
    """All movements of the phase have happened."""

    type: ClassVar[str] = "movement_resolved"
    paths: Mapping[str, tuple[Cell, ...]]
    path: str

    def evolve(self, state: State) -> State:
        return changed(state.popped(self.path), stage="movement_end", step=4)


# --- the phase ---------------------------------------------------------------------------------------


@rule("RI-RES-1", "P24-25, P60")
def begin(state: State) -> Tale[State]:
    """Inside a group everything is sequential and known, between groups everything is simultaneous."""
    state = yield PlanningBegun(groups=tuple(state.groups))
    return (yield WorldsOpened(groups={group: opened(state, group, "plan") for group in state.groups}))


@rule("RI-INFO-4", "P24", settles=("C-22",))
def reveal(state: State) -> Tale[State]:
    """Members see each other's plans while they make them; everybody else sees them once all are made."""
    plans = {group: dict(state.at(group).plans) for group in state.groups}
    for group in state.groups:
        state = yield PlansRevealed(group=group, plans=plans[group], occasion=occasion(state, group))
    behind = outrun(state, state.plans)
    auto = tuple([name for name in behind if state.plans[name].sprint == "auto"])
    asked = tuple([name for name in behind if state.plans[name].sprint == "ask"])
    return (yield SprintsAsked(asked=asked, sprinting=auto, because=("RI-CONF-6",)))


@rule("RI-PHASE-4", "P07")
def resolve(state: State, chance: Chance, frame: MovementFrame) -> Tale[State]:
    """A phase is no length of time: all its movements happen together, in no order but that of the rules."""
    wanted: Paths = intended(state, state.plans, frame.sprinting)
    state, wanted = yield from blocks(state, chance, wanted)
    paths: Paths
    for name, plan in state.plans.items():
        if plan.mount is not None:
            state = yield Mounted(creature=name, mount=plan.mount, because=("RI-MOUNT-1",))
    behind = [(name, target) for name, plan in state.plans.items() for target in plan.targets]
    state, paths = yield from settle(state, chance, wanted, behind)
    for name, path in paths.items():
        if path and path[-1] != state.creatures[name].position:
            state = yield from move(state, name, path, "self", tuple(wanted))
    state = yield from stranded_riders(state)
    for name, plan in state.plans.items():
        if plan.ability == "sprint" or name in frame.sprinting:
            state = yield from tire(state, name, 1, "sprint")
        if plan.mode in ("fly", "glide") or plan.ability == "jump":
            state = yield TookOff(creature=name, jumped=plan.ability == "jump", because=("RI-MOVE-9",))
    return (yield MovementResolved(paths=paths, path=frame.path))


@rule("RI-RES-9", "P27", settles=("C-20",))
@record
class ConsentSprint(Command[State]):
    """Once plans are open, say whether a creature that falls behind sprints; it tires by 1 if it does."""

    type: ClassVar[str] = "consent_sprint"
    creature: str
    accept: bool

    def check(self, view: State) -> None:
        own(view, self, self.creature)
        frame = view.top
        if not isinstance(frame, MovementFrame) or self.creature not in frame.asked:
            raise Refused("wrong_step", f"{self.creature} is not asked to sprint", "RI-CONF-6")

    def decide(self, state: State) -> Tale[State]:
        return (yield SprintAnswered(creature=self.creature, accepted=self.accept, because=("RI-CONF-6",)))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        yield Offer(type=cls.type, creature=awaited.creature, choices={"accept": (True, False)})
