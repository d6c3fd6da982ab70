"""Push creatures: straight away, step by step, with what a collision costs; holders may follow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final, Literal

from service.dice.values import Roll
from service.rules.heartrush import books
from service.rules.heartrush.body.damage import half, hurt
from service.rules.heartrush.body.ledges import drop_ft
from service.rules.heartrush.body.permission import answering_for, own
from service.rules.heartrush.body.weapons import shield_held
from service.rules.heartrush.creatures.size_and_bonds import Moved, captive_of, freed, grappler_of, moved
from service.rules.heartrush.creatures.state import State
from service.rules.heartrush.moving.climbing import hold_on, step_off
from service.rules.heartrush.moving.falling import fall_over
from service.rules.heartrush.moving.movement import bumped_into, trip_trigger
from service.rules.heartrush.moving.paths import free_behind, way
from service.rules.heartrush.rolling.rolls import throw
from service.rules.heartrush.timing.windows import WindowOpened
from service.rules.kernel.messages import Awaited, Command, Emits, Event, Offer
from service.rules.kernel.records import changed, record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.kernel.values import CreatureId, Direction, Feet, HitPoints, PromptId, StepId, Total
from service.rules.rolls.chance import Chance, PoolDie
from service.rules.secrecy.hiding import OccupiedSpace
from service.rules.space.grid import FEET, Cell
from service.rules.table.stack import Frame, opened_by

# --- pushes --------------------------------------------------------------------------------------------
# Straight away, step by step, until done or stopped, with what a collision costs.

HR_FORCE_4: Final = Rule(
    "HR-FORCE-4",
    "Forced movement next to somebody can be tripped, but gives no opportunity attack.",
    books.COMBAT.at("Trip"),
)
HR_FORCE_1: Final = Rule(
    "HR-FORCE-1",
    "A push stopped by a wall, one near in size or an enemy's heavy shield costs 1d6 per 5 ft left.",
    books.BASICS.at("Forced Movement"),
    settles=("A-38",),
)
HR_FORCE_2: Final = Rule(
    "HR-FORCE-2",
    "A creature without a shield that stops the mover takes half; the mover takes the odd point.",
    books.BASICS.at("Forced Movement"),
    settles=("A-39",),
)
HR_FORCE_3: Final = Rule(
    "HR-FORCE-3",
    "Force that moves one of a grappling pair hurts both; a captive goes where its grappler is pushed.",
    books.CONDITIONS.at("Grappling"),
)


@record
class DeclaredPush:
    """Who is pushed, by whom and in which direction."""

    creature: CreatureId
    """Who is pushed."""
    by: CreatureId | None
    step: Direction
    follow: Cell | None


@record
class PushFrame(DeclaredPush, Frame[State]):
    """A push under way."""

    kind: ClassVar[str] = "push"
    left_ft: Feet
    began_prone: bool = False
    stage: Literal["held", "moving", "collision", "companion", "shared", "done"] = "moving"
    """`held` while the grappler of the pushed creature has not said whether it comes along."""
    companion: CreatureId | None = None
    """Who comes along: the captive of the pushed creature, or the grappler that does not let go."""
    started_ft: Feet = 0
    blocker: CreatureId | None = None
    total: Total = 0
    """What the blocker takes of a collision."""
    mover_total: Total = 0

    def waiting(self, state: State) -> tuple[Awaited, ...]:
        grappler = grappler_of(state, state.creatures[self.creature]) if self.stage == "held" else None
        if grappler is None:  # also where the hold was broken while its grappler was being asked
            return ()
        return (
            Awaited(
                prompt=f"{self.path}/{grappler.id}",
                seat=state.controller(grappler.id),
                accepts=("follow_captive",),
                creature=grappler.id,
            ),
        )

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        if self.stage == "companion":
            return (yield from hurt_companion(state, self))
        if self.stage in ("held", "moving"):
            return (yield from go_on(state, self))
        if self.stage == "collision":
            return (yield from collide(state, chance, self))
        if self.stage == "shared":
            return (yield from share(state, self))
        return (yield from finish(state, self))


@record
class PushBegun(DeclaredPush, Event[State]):
    """A creature is pushed straight away from somebody."""

    type: ClassVar[str] = "push_begun"
    push: StepId
    feet: Feet

    def evolve(self, state: State) -> State:
        mover = state.creatures[self.creature]
        captive = captive_of(state, mover) if mover.conditions else None
        held = self.feet > 0 and mover.has("grappled") and grappler_of(state, mover) is not None
        frame = opened_by(
            self,
            PushFrame,
            self.push,
            left_ft=self.feet,
            started_ft=self.feet,
            began_prone=mover.has("prone"),
            stage="held" if held else "moving",
            companion=captive.id if captive is not None else None,
        )
        return state.pushed(frame)


@record
class Pushed(Event[State]):
    """A creature was moved by force along these cells."""

    type: ClassVar[str] = "pushed"
    push: StepId
    creature: CreatureId
    path: tuple[Cell, ...]
    left_ft: Feet

    def evolve(self, state: State) -> State:
        frame = state.frame(self.push, PushFrame)
        behind = (state.creatures[self.creature].position, *self.path)[-2]
        state = moved(state, self.creature, self.path[-1])
        if frame.companion is not None:
            state = moved(state, frame.companion, behind)
        return state.put(changed(frame, left_ft=self.left_ft))


@record
class PushStopped(Event[State]):
    """Something stops a push before its end."""

    type: ClassVar[str] = "push_stopped"
    push: StepId
    creature: CreatureId
    blocker: CreatureId | None
    """The creature in the way; null for a wall."""

    def evolve(self, state: State) -> State:
        return state.with_frame(self.push, PushFrame, stage="collision", blocker=self.blocker)


@record
class Collision(Event[State]):
    """What a stopped push costs, and how it is shared."""

    type: ClassVar[str] = "collision"
    push: StepId
    creature: CreatureId
    mover_damage: HitPoints
    blocker: CreatureId | None
    blocker_damage: HitPoints

    def evolve(self, state: State) -> State:
        frame = state.frame(self.push, PushFrame)
        stage = "shared" if self.blocker_damage else "done"
        return state.put(
            changed(
                frame,
                stage="companion" if frame.companion else stage,
                total=self.blocker_damage,
                mover_total=self.mover_damage,
            )
        )


@record
class CompanionHurt(Event[State]):
    """A creature that holds the pushed one, or is held by it, takes the same damage."""

    type: ClassVar[str] = "companion_hurt"
    push: StepId
    creature: CreatureId

    def evolve(self, state: State) -> State:
        frame = state.frame(self.push, PushFrame)
        return state.put(changed(frame, stage="shared" if frame.total else "done"))


@record
class PushDone(Event[State]):
    """A push is over."""

    type: ClassVar[str] = "push_done"
    push: StepId

    def evolve(self, state: State) -> State:
        return state.popped(self.push)


def push(state: State, path: str, creature: str, by: str, feet: int, follow: Cell | None) -> Emits[State]:
    """Emit that *by* pushes *creature* straight away from itself."""
    step = state.away(creature, by)
    return (
        yield PushBegun(
            push=path,
            creature=creature,
            by=by,
            step=step,
            feet=feet,
            follow=follow,
            because=("HR-WPN-6", "A-36"),
        )
    )


@enforces(HR_FORCE_4)
def go_on(state: State, frame: PushFrame) -> Emits[State]:
    """Emit the next part of a forced movement: its cells, a trip, a collision, or its end."""
    mover = state.creatures[frame.creature]
    if mover.has("prone") and not frame.began_prone:
        return (yield from finish(state, frame))
    crossed, stopped, blocker = way(state, mover, frame.step, frame.left_ft, frame.companion)
    hidden_creatures = [state.hidden_creature_in(OccupiedSpace(cell, mover.space)) for cell in crossed]
    found = next(
        (i for i, hidden_creature in enumerate(hidden_creatures) if hidden_creature is not None), None
    )
    if found is not None:
        crossed = crossed[:found]
    edge = changed(mover, position=(mover.position, *crossed)[-2]) if crossed else mover
    falls = bool(crossed) and drop_ft(state, edge, edge.position, crossed[-1], climbing=False) > 0
    for i, cell in enumerate(crossed[:-1] if falls else crossed):
        trippers = () if mover.has("prone") else trip_trigger(state, mover, cell)
        if trippers:
            left = frame.left_ft - FEET * (i + 1)
            state = yield Pushed(push=frame.path, creature=mover.id, path=crossed[: i + 1], left_ft=left)
            window = f"{frame.path}/trip-{left}"
            return (yield WindowOpened(window=window, trigger="trip", subject=mover.id, eligible=trippers))
    if crossed:
        left = frame.left_ft - FEET * len(crossed)
        state = yield Pushed(push=frame.path, creature=mover.id, path=crossed, left_ft=left)
    if falls:
        state = yield from finish(state, state.frame(frame.path, PushFrame))
        return (yield from fall_over(state, edge, crossed[-1], climbing=False))
    if found is not None:  # once it is found it stands in the way like anybody, and the push goes on
        return (yield from bumped_into(state, mover.id, str(hidden_creatures[found])))
    if stopped:
        return (yield PushStopped(push=frame.path, creature=mover.id, blocker=blocker))
    return (yield from finish(state, frame))


@enforces(HR_FORCE_1)
def collide(state: State, chance: Chance, frame: PushFrame) -> Emits[State]:
    """Emit the dice and the damage of a push that was stopped."""
    roll: Roll
    state, roll = yield from throw(
        state,
        chance,
        owner=frame.creature,
        stream=f"{frame.creature}/collision",
        purpose={"what": "collision", "push": frame.path},
        pool=(PoolDie(role="collision", sides=6),) * (frame.left_ft // FEET),
    )
    mover, other = split(state, frame, roll.total)
    state = yield Collision(
        push=frame.path,
        creature=frame.creature,
        mover_damage=mover,
        blocker=frame.blocker,
        blocker_damage=other,
    )
    return (
        yield from hurt(
            state, f"{frame.path}/mover", frame.creature, mover, source=frame.blocker, cause="collision"
        )
    )


@enforces(HR_FORCE_2)
def split(state: State, frame: PushFrame, total: int) -> tuple[int, int]:
    """Return the damage of a collision for the mover, and for what stopped it."""
    if frame.blocker is None:
        return total, 0
    shield = shield_held(state.creatures[frame.blocker])
    spared = shield == "heavy" or (shield == "light" and state.house.light_shield_blocks_split)
    return (total, 0) if spared else (half(total), half(total, up=False))


@enforces(HR_FORCE_3)
def hurt_companion(state: State, frame: PushFrame) -> Emits[State]:
    """Emit the damage of a collision for the other one of a grappling pair."""
    assert frame.companion is not None
    state = yield CompanionHurt(push=frame.path, creature=frame.companion)
    path = f"{frame.path}/companion"
    return (
        yield from hurt(
            state, path, frame.companion, frame.mover_total, source=frame.creature, cause="collision"
        )
    )


def share(state: State, frame: PushFrame) -> Emits[State]:
    """Emit the blocker's half of a collision."""
    assert frame.blocker is not None
    state = yield CollisionShared(push=frame.path, creature=frame.blocker, because=("HR-FORCE-2", "A-39"))
    path = f"{frame.path}/blocker"
    return (
        yield from hurt(state, path, frame.blocker, frame.total, source=frame.creature, cause="collision")
    )


@record
class CollisionShared(Event[State]):
    """The creature that stopped a push takes its part of the collision."""

    type: ClassVar[str] = "collision_shared"
    push: StepId
    creature: CreatureId

    def evolve(self, state: State) -> State:
        return state.with_frame(self.push, PushFrame, stage="done")


def finish(state: State, frame: PushFrame) -> Emits[State]:
    """Emit the end of a push; the pusher follows into a cell that was left or crossed."""
    state = yield PushDone(push=frame.path, because=("HR-WPN-6",))
    gone_ft = frame.started_ft - frame.left_ft
    if gone_ft and state.creatures[frame.creature].has("creature_climber"):
        state = yield from step_off(state, frame.creature)
        if state.creatures[frame.creature].has("creature_climber"):
            state = yield from hold_on(state, f"{frame.path}/hold", frame.creature, gone_ft)
    if frame.by is None or frame.follow is None:
        return state
    if frame.follow not in free_behind(state, frame.by, frame.creature, frame.step):
        return state
    return (
        yield Moved(creature=frame.by, path=(frame.follow,), feet=0, how="followed", because=("HR-WPN-6",))
    )


# --- following a captive -------------------------------------------------------------------------------


@record
class CaptiveFollowed(Event[State]):
    """A grappler comes along with its captive, or lets it go."""

    type: ClassVar[str] = "captive_followed"
    push: StepId
    creature: CreatureId
    captive: CreatureId
    follow: bool

    def evolve(self, state: State) -> State:
        frame = state.frame(self.push, PushFrame)
        state = state.put(
            changed(frame, stage="moving", companion=self.creature if self.follow else frame.companion)
        )
        return state if self.follow else freed(state, state.creatures[self.captive])


@record
class FollowCaptive(Command[State]):
    """When whom you hold is pushed away: go along and share its harm, or let go."""

    type: ClassVar[str] = "follow_captive"
    creature: CreatureId
    prompt: PromptId
    follow: bool

    def check(self, view: State) -> None:
        own(view, self, self.creature)
        answering_for(view, self, self.creature)

    def decide(self, state: State) -> Emits[State]:
        frame = state.top_frame(PushFrame)
        return (
            yield CaptiveFollowed(
                push=frame.path,
                creature=self.creature,
                captive=frame.creature,
                follow=self.follow,
                because=("HR-FORCE-3",),
            )
        )

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        yield Offer(
            type=cls.type,
            creature=awaited.creature,
            prompt=awaited.prompt,
            choices={"follow": (True, False)},
        )
