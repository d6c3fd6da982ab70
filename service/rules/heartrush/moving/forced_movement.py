"""Push creatures: straight away, step by step, with what a collision costs; holders may follow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final, Literal, NamedTuple

from service.dice.values import Roll
from service.rules.heartrush import books
from service.rules.heartrush.body.actions import winded
from service.rules.heartrush.body.damage import half, hurt
from service.rules.heartrush.body.permission import answering_for, own
from service.rules.heartrush.body.weapons import shield_held
from service.rules.heartrush.creatures.ledges import drop_ft
from service.rules.heartrush.creatures.size_and_bonds import WAYS, captive_of, displaced, freed, grappler_of
from service.rules.heartrush.creatures.state import Creature, State
from service.rules.heartrush.moving.bonds import look_at_bonds
from service.rules.heartrush.moving.climbing import hold_on
from service.rules.heartrush.moving.falling import fall_over
from service.rules.heartrush.moving.movement import befall, bumped_into, come_along, trip_trigger, walk
from service.rules.heartrush.moving.pushed_ways import follow_path, left_behind, way
from service.rules.heartrush.rolling.rolls import throw
from service.rules.heartrush.timing.windows import WindowOpened
from service.rules.heartrush.values import (
    BlockerId,
    CauserId,
    ComesAlong,
    FeetLeft,
    FollowCell,
    PushDirection,
    PushId,
    WalkedCells,
)
from service.rules.kernel.messages import Awaited, Command, Emits, Event, Offer, Refused, Sentence
from service.rules.kernel.records import changed, record
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.values import CreatureId, Direction, Feet, HitPoints, PromptId, Total
from service.rules.rolls.chance import Chance, PoolDie
from service.rules.secrecy.hiding import OccupiedSpace
from service.rules.space.grid import FEET, STEPS, Cell
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
HR_FORCE_5: Final = Rule(
    "HR-FORCE-5",
    "No way leads straight away from one's own place: who pushes a creature that is in it says which way.",
    RULING,
    left_open="the ledger has pushes straight away, and not from the very place of who pushes",
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
    by: CauserId | None
    step: Direction | None
    """The direction; null where no way leads away: who pushes chooses one."""
    follow: FollowCell | None


@record
class PushFrame(DeclaredPush, Frame[State]):
    """A push under way."""

    kind: ClassVar[str] = "push"
    left_ft: FeetLeft
    began_prone: bool = False
    """Whether it was prone when the push began."""
    stage: Literal["direction", "held", "moving", "collision", "companion", "shared", "done"] = "moving"
    """`direction` while the pusher has not said which way it goes; `held` while the grappler of the pushed
    creature has not said whether it comes along."""
    companion: CreatureId | None = None
    """Who comes along: the captive of the pushed creature, or the grappler that does not let go."""
    started_ft: Feet = 0
    """The feet with which the push began."""
    crossed: tuple[Cell, ...] = ()
    """Where it has been, from the beginning of the push on."""
    blocker: BlockerId | None = None
    total: Total = 0
    """What the blocker takes of a collision."""
    mover_total: Total = 0
    """What the pushed creature takes of the collision."""

    def waiting(self, state: State) -> tuple[Awaited, ...]:
        if self.stage == "direction" and self.by is not None:
            return (self._asked(state, self.by, "choose_direction"),)
        grappler = grappler_of(state, state.creatures[self.creature]) if self.stage == "held" else None
        if grappler is None:  # also where the hold was broken while its grappler was being asked
            return ()
        return (self._asked(state, grappler.id, "follow_captive"),)

    def _asked(self, state: State, creature: str, command: str) -> Awaited:
        return Awaited(
            prompt=f"{self.path}/{creature}",
            seat=state.controller(creature),
            accepts=(command,),
            creature=creature,
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
    push: PushId
    feet: Feet

    def evolve(self, state: State) -> State:
        mover = state.creatures[self.creature]
        captive = captive_of(state, mover) if mover.conditions else None
        held = "held" if self.feet > 0 and grappler_of(state, mover) is not None else "moving"
        frame = opened_by(
            self,
            PushFrame,
            self.push,
            left_ft=self.feet,
            started_ft=self.feet,
            crossed=(mover.position,),
            began_prone=mover.has("prone"),
            stage="direction" if self.step is None else held,
            companion=captive.id if captive is not None else None,
        )
        return state.pushed(frame)


@record
class Pushed(Event[State]):
    """A creature was moved by force along these cells."""

    type: ClassVar[str] = "pushed"
    push: PushId
    creature: CreatureId
    path: WalkedCells
    left_ft: FeetLeft

    def evolve(self, state: State) -> State:
        frame = state.frame(self.push, PushFrame)
        state = displaced(state, self.creature, self.path[-1], "pushed")
        return state.put(changed(frame, left_ft=self.left_ft, crossed=(*frame.crossed, *self.path)))


@record
class PushStopped(Event[State]):
    """Something stops a push before its end."""

    type: ClassVar[str] = "push_stopped"
    push: PushId
    creature: CreatureId
    blocker: CreatureId | None
    """The creature in the way; null for a wall."""

    def evolve(self, state: State) -> State:
        return state.with_frame(self.push, PushFrame, stage="collision", blocker=self.blocker)


@record
class Collision(Event[State]):
    """What a stopped push costs, and how it is shared."""

    type: ClassVar[str] = "collision"
    push: PushId
    creature: CreatureId
    mover_damage: HitPoints
    """The damage that the pushed creature takes."""
    blocker: BlockerId | None
    blocker_damage: HitPoints
    """The damage that the creature in the way takes."""

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
    push: PushId
    creature: CreatureId

    def evolve(self, state: State) -> State:
        frame = state.frame(self.push, PushFrame)
        return state.put(changed(frame, stage="shared" if frame.total else "done"))


@record
class CompanionLost(Event[State]):
    """The other one of a grappling pair does not come along any more."""

    type: ClassVar[str] = "companion_lost"
    push: PushId
    creature: CreatureId

    def evolve(self, state: State) -> State:
        return state.with_frame(self.push, PushFrame, companion=None)


@record
class PushDone(Event[State]):
    """A push is over."""

    type: ClassVar[str] = "push_done"
    push: PushId

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
    ahead = look_ahead(state, frame, mover)
    company = state.creatures[frame.companion] if frame.companion is not None else None
    if ahead.part:
        left = frame.left_ft - FEET * len(ahead.part)
        state = yield Pushed(push=frame.path, creature=mover.id, path=ahead.part, left_ft=left)
        state = yield from accompany(state, frame, mover, company)
        frame = state.frame(frame.path, PushFrame)
    if ahead.over is not None:
        state = yield from finish(state, frame)
        edge = changed(mover, position=ahead.edge)
        state = yield from fall_over(state, edge, ahead.over, climbing=False)
        return state if company is None else (yield from befall(state, company, "companion"))
    if ahead.trippers:
        window = f"{frame.path}/trip-{frame.left_ft}"
        state = yield WindowOpened(window=window, trigger="trip", subject=mover.id, eligible=ahead.trippers)
    if company is not None and ahead.part:
        state = yield from befall(state, company, "companion")
    if ahead.trippers or ahead.is_unfinished or state.top != frame:
        return state
    if ahead.hidden_creature is not None:  # once found it stands in the way like anybody; the push goes on
        return (yield from bumped_into(state, mover.id, ahead.hidden_creature))
    if ahead.stopped:
        return (yield PushStopped(push=frame.path, creature=mover.id, blocker=ahead.blocker))
    return (yield from finish(state, frame))


class Ahead(NamedTuple):
    """The next part of a push, and what ends it."""

    part: tuple[Cell, ...]
    edge: Cell
    """The cell before its last one."""
    over: Cell | None = None
    """The cell beyond the ledge that it goes over."""
    trippers: tuple[str, ...] = ()
    hidden_creature: str | None = None
    stopped: bool = False
    blocker: str | None = None
    is_unfinished: bool = False
    """Whether the push goes on after it."""


def look_ahead(state: State, frame: PushFrame, mover: Creature) -> Ahead:
    """Return how far *mover* is pushed before something comes of it; with company it goes step by step."""
    assert frame.step is not None, "the direction is chosen first"
    crossed, stopped, blocker = way(state, mover, frame.step, frame.left_ft, frame.companion)
    way_ft, brings = len(crossed), WAYS["pushed"]
    for i, cell in enumerate(crossed):
        hidden_creature = state.hidden_creature_in(OccupiedSpace(cell, mover.space))
        if brings.meets and hidden_creature is not None:
            edge = (mover.position, *crossed[:i])[-1]
            return Ahead(crossed[:i], edge, hidden_creature=hidden_creature)
        edge = (mover.position, *crossed[: i + 1])[-2]
        over = (edge[0] + frame.step[0], edge[1] + frame.step[1])
        if brings.falls and drop_ft(state, changed(mover, position=edge), edge, over, climbing=False):
            return Ahead(crossed[: i + 1], edge, over)
        can_trip = brings.tripped and not mover.has("prone")
        trippers = trip_trigger(state, mover, cell) if can_trip else ()
        is_last = i == way_ft - 1
        if trippers or (frame.companion is not None and not is_last):
            return Ahead(crossed[: i + 1], edge, trippers=trippers, is_unfinished=not is_last)
    return Ahead(crossed, mover.position, stopped=stopped, blocker=blocker)


def accompany(state: State, frame: PushFrame, before: Creature, company: Creature | None) -> Emits[State]:
    """Emit who comes along with a creature that was as *before*, and which bonds end where nobody does."""
    if company is not None:
        state = yield from come_along(state, company, before.position, before.id, "companion")
    if not before.conditions:
        return state
    state = yield from look_at_bonds(state)
    if company is not None and not are_bound(state, before.id, company.id):
        state = yield CompanionLost(push=frame.path, creature=company.id, because=("HR-FORCE-3",))
    return state


def are_bound(state: State, one: str, other: str) -> bool:
    """Return whether one of two creatures holds the other."""
    pair = (grappler_of(state, state.creatures[one]), grappler_of(state, state.creatures[other]))
    return (pair[0] is not None and pair[0].id == other) or (pair[1] is not None and pair[1].id == one)


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
    push: PushId
    creature: CreatureId

    def evolve(self, state: State) -> State:
        return state.with_frame(self.push, PushFrame, stage="done")


def finish(state: State, frame: PushFrame) -> Emits[State]:
    """Emit the end of a push: its climber holds on, and the pusher follows where it was."""
    state = yield PushDone(push=frame.path, because=("HR-WPN-6",))
    gone_ft = frame.started_ft - frame.left_ft
    if gone_ft and WAYS["pushed"].shakes and state.creatures[frame.creature].has("creature_climber"):
        state = yield from hold_on(state, f"{frame.path}/hold", frame.creature, gone_ft)
    if frame.by is None or frame.follow is None:
        return state
    path = follow_path(state, frame.by, frame.follow)
    left = left_behind(state.creatures[frame.creature], frame.crossed, frame.crossed[-1])
    if path is None or frame.follow not in left:
        return state
    state = yield Followed(push=frame.path, creature=frame.by, because=("HR-WPN-6",))
    return (yield from walk(state, frame.by, path, how="followed"))


@record
class Followed(Event[State]):
    """A creature goes after whom it has pushed."""

    type: ClassVar[str] = "followed"
    push: PushId
    creature: CreatureId

    def evolve(self, state: State) -> State:
        return winded(state, self.creature, "followed")


# --- which way -----------------------------------------------------------------------------------------


@record
class DirectionChosen(Event[State]):
    """Who pushes a creature that is in its own place says which way it goes."""

    type: ClassVar[str] = "direction_chosen"
    push: PushId
    creature: CreatureId
    direction: PushDirection

    def evolve(self, state: State) -> State:
        frame = state.frame(self.push, PushFrame)
        held = frame.left_ft > 0 and grappler_of(state, state.creatures[frame.creature]) is not None
        return state.put(changed(frame, step=self.direction, stage="held" if held else "moving"))


@enforces(HR_FORCE_5)
@record
class ChooseDirection(Command[State]):
    """Say which way a creature goes that you push out of your own place."""

    type: ClassVar[str] = "choose_direction"
    sentence: ClassVar[str] = "Push it {direction}"
    creature: CreatureId
    prompt: PromptId
    direction: Direction
    """One of the eight steps, along x and y."""

    def check(self, view: State) -> None:
        own(view, self, self.creature)
        answering_for(view, self, self.creature)
        if self.direction not in STEPS:
            raise Refused("push_not_possible", "a direction is one of the eight steps", HR_FORCE_5.id)

    def decide(self, state: State) -> Emits[State]:
        frame = state.top_frame(PushFrame)
        return (yield DirectionChosen(push=frame.path, creature=self.creature, direction=self.direction))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        yield Offer(
            type=cls.type, creature=awaited.creature, prompt=awaited.prompt, choices={"direction": STEPS}
        )


# --- following a captive -------------------------------------------------------------------------------


@record
class CaptiveFollowed(Event[State]):
    """A grappler comes along with its captive, or lets it go."""

    type: ClassVar[str] = "captive_followed"
    push: PushId
    creature: CreatureId
    captive: CreatureId
    """The id of the captive."""
    follow: ComesAlong

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
    sentence: ClassVar[Sentence] = {
        "follow=True": "Go along with whom you hold",
        "follow=False": "Let go of whom you hold",
        "": "Go along, or let go",
    }
    creature: CreatureId
    prompt: PromptId
    follow: ComesAlong

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
