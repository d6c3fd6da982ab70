"""Walk the grid step by step, stop where an enemy may strike, and trip over what is beside the way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar, Final, NamedTuple

from service.rules.heartrush import books
from service.rules.heartrush.body.actions import AbilityUsed, afford_action
from service.rules.heartrush.body.answers import sealed_to
from service.rules.heartrush.body.conditions import ConditionLost, gain
from service.rules.heartrush.body.permission import acting, answering, is_unbarred
from service.rules.heartrush.creatures.ledges import drop_ft
from service.rules.heartrush.creatures.size_and_bonds import WAYS, Moved, captive_of
from service.rules.heartrush.creatures.state import Creature, State, is_able
from service.rules.heartrush.moving.bonds import look_at_bonds
from service.rules.heartrush.moving.climbing import ask_climb
from service.rules.heartrush.moving.falling import fall_over
from service.rules.heartrush.moving.paths import (
    HR_MOVE_2,
    HR_MOVE_6,
    allowance,
    check_can_move,
    check_path,
    climb_cn,
    left_this_round,
    may_stop,
    speed,
    standing_cost,
    step_cost,
)
from service.rules.heartrush.moving.pushed_ways import pulled_to
from service.rules.heartrush.timing.exposed import Trigger, is_unsteady_beside, provoked_by, watchers
from service.rules.heartrush.timing.windows import (
    InstantDeclared,
    StackItem,
    WindowFrame,
    WindowOpened,
    fizzle,
    is_worth_asking,
    listens_for,
)
from service.rules.heartrush.values import Diagonals, IsStanding, Manner, MovementId
from service.rules.kernel.messages import Awaited, Command, Emits, Event, Offer, Private, Refused, Way
from service.rules.kernel.records import EMPTY, Sealed, changed, record
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.sealed import unsealed
from service.rules.kernel.values import (
    CreatureId,
    Feet,
    Occasion,
    PromptId,
    SeatId,
    TargetId,
)
from service.rules.rolls.chance import Chance
from service.rules.secrecy.hidden_creatures import reveal_discovered
from service.rules.secrecy.hiding import OccupiedSpace
from service.rules.space.grid import FEET, Cell, is_step, nearest
from service.rules.table.stack import Frame

# --- trips ---------------------------------------------------------------------------------------------

HR_SIZE_6: Final = Rule(
    "HR-SIZE-6",
    "A knockdown works on what is at most one size larger than its user.",
    books.BASICS.at("Size"),
)
HR_ACT_13: Final = Rule(
    "HR-ACT-13",
    "An unsteady creature, at most one size larger, falls prone in a space next to you it moves through.",
    books.COMBAT.at("Trip"),
    settles=("A-70",),
)


@record
class TripItem(StackItem):
    """A declared trip, and whom it is meant for."""

    kind: ClassVar[str] = "trip"
    target: TargetId

    def resolve(self, state: State, window: str) -> Emits[State]:
        if state.creatures[self.target].has("prone"):
            return (yield from fizzle(self.creature, self.ability, "the target is prone already"))
        if not is_unsteady_beside(state, state.creatures[self.creature], state.creatures[self.target]):
            return (yield from fizzle(self.creature, self.ability, "the target is not unsteady beside it"))
        return (yield from gain(state, self.target, "prone", 1, self.creature))


@enforces(HR_SIZE_6)
def at_most_one_size_larger(creature: Creature, than: Creature) -> bool:
    """Return whether *creature* is at most one size larger than *than*."""
    return creature.rank <= than.rank + 1


def trip_trigger(state: State, mover: Creature, at: Cell) -> tuple[str, ...]:
    """Return who may trip *mover* as it comes to *at*: the able beside it with their action left."""
    if state.paused() or not mover.level("off_balanced") or mover.has("prone"):
        return ()
    return tuple(
        other.id
        for other in state.creatures.values()
        if other.id != mover.id
        and is_able(other)
        and other.action > 0
        and is_unbarred(state, other, "trip")
        and at_most_one_size_larger(mover, other)
        and is_unsteady_beside(state, other, changed(mover, position=at))
    )


@enforces(HR_ACT_13)
@record
class Trip(Command[State]):
    """Trip an off-balanced creature, at most one size larger, that moves through an adjacent space."""

    type: ClassVar[str] = "trip"
    sentence: ClassVar[str] = "Trip {target}"
    creature: CreatureId
    target: TargetId
    prompt: PromptId | None = None

    def check(self, view: State) -> None:
        creature = acting(view, self, self.creature)
        target = view.creatures.get(self.target)
        if target is None or not target.level("off_balanced"):
            raise Refused("no_trip_trigger", f"{self.target} keeps its footing", HR_ACT_13.id)
        if not at_most_one_size_larger(target, creature):
            raise Refused("target_too_large", f"{self.target} is too large for {self.creature}", "HR-SIZE-6")
        if self.prompt is None:
            raise Refused("no_trip_trigger", f"{self.target} does not move", HR_ACT_13.id)
        answering(view, self, late="window_closed")
        afford_action(creature)
        frame = view.top_frame(WindowFrame)
        if frame.subject != self.target or self.prompt != f"{frame.path}/{self.creature}":
            raise Refused("no_trip_trigger", f"{frame.path} is about {frame.subject}", HR_ACT_13.id)

    def decide(self, state: State) -> Emits[State]:
        assert self.prompt is not None
        yield AbilityUsed(creature=self.creature, ability=self.type, paid="action", instant=True)
        item = TripItem(creature=self.creature, ability=self.type, target=self.target)
        return (yield InstantDeclared(window=self.prompt.rpartition("/")[0], item=item))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        frame = view.top
        if isinstance(frame, WindowFrame) and view.creatures[awaited.creature or ""].action:
            yield Offer(
                type=cls.type,
                creature=awaited.creature,
                prompt=awaited.prompt,
                given={"target": frame.subject},
            )


# --- walking -------------------------------------------------------------------------------------------
# A mover stops where an enemy may strike at it. A dash is walked until it is done or somebody may react;
# only then does the rest of its path wait on the stack, sealed to the mover's seat.

HR_MOVE_8: Final = Rule(
    "HR-MOVE-8",
    "Whom a hidden creature stops in somebody else's space ends in the nearest free place.",
    RULING,
    left_open="the ledger has who may be passed, and no hidden creature that stops somebody there",
)
HR_MOVE_3: Final = Rule(
    "HR-MOVE-3",
    "Leaving an enemy's melee reach, or moving more than 5 ft inside it, lets it strike before the step.",
    books.COMBAT.at("Actions"),
    settles=("A-44",),
)


@record
class MovementFrame(Frame[State]):
    """A dash that somebody may interrupt: what is left of it is known to the mover's seat alone."""

    kind: ClassVar[str] = "movement"
    creature: CreatureId
    left: tuple[Cell, ...] | Sealed[tuple[Cell, ...]]
    """The cells still to walk, each as x and y."""
    diagonals: Diagonals = 0
    standing: IsStanding = False
    crawling: bool = False
    """Whether the mover lay prone when it set out."""
    provoked: tuple[CreatureId, ...] = ()
    """Enemies that have had their trigger from this movement."""
    inside: Mapping[CreatureId, Feet] = EMPTY
    """Feet walked so far within the reach of each enemy."""
    climbed: bool = False
    """Whether the check that climbing asked for has been made."""
    how: Manner = "dash"
    walked: Feet = 0
    """Cells walked so far: prompts are numbered by them, for how many are left is nobody else's business."""
    feet: Feet = 0
    """The feet that these cells have cost."""
    stood: IsStanding = False
    """Whether the mover stood up first, which took half of its movement."""

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        creature = state.creatures[self.creature]
        left: tuple[Cell, ...] = unsealed(self.left)
        fell = creature.has("prone") and not self.standing and not self.crawling
        strayed = bool(left) and not is_step(creature.position, left[0])
        held = cannot_go_on(creature, self.how)
        if creature.status != "active" or fell or strayed or held is not None:
            because = (held.rule or "HR-MOVE-3") if held is not None else "HR-MOVE-3"
            return (yield MovementEnded(movement=self.path, occasion=f"{self.path}/end", because=(because,)))
        left = still_open(state, creature, self, left)
        if self.standing and creature.has("prone"):
            state = yield ConditionLost(creature=self.creature, condition="prone", because=("HR-MOVE-5",))
        walk = Walk(
            creature=self.creature,
            left=left,
            diagonals=self.diagonals,
            provoked=self.provoked,
            inside=self.inside,
            climbed=self.climbed,
            how=self.how,
            walked=self.walked,
            feet=self.feet,
            stood=self.stood,
        )
        return (yield from go_on(state, self.path, walk))


def cannot_go_on(creature: Creature, how: str) -> Refused | None:
    """Return what keeps a mover where it is, since others have reacted: no speed, or a captive of its own."""
    if not WAYS[how].by_itself:
        return None
    try:
        check_can_move(creature)
    except Refused as refused:
        return refused
    if creature.has("grappling") and not WAYS[how].drags:
        return Refused("grappling", f"{creature.id} holds somebody", "HR-COND-24")
    return None


@enforces(HR_MOVE_6)
def still_open(
    state: State, creature: Creature, frame: MovementFrame, left: tuple[Cell, ...]
) -> tuple[Cell, ...]:
    """Return as much of the way *left* as nothing bars that has changed since it was planned."""
    if not WAYS[frame.how].by_itself:
        return left
    budget = still_to_go(creature, frame)
    for end in range(len(left), 0, -1):
        try:
            check_path(state, creature, left[:end], budget, frame.diagonals)
        except Refused:
            continue
        return left[:end]
    return ()


@enforces(HR_MOVE_2)
def still_to_go(creature: Creature, frame: MovementFrame) -> int | None:
    """Return the feet that its speed, as it is now, leaves a mover of those it has not walked; None: any."""
    way = WAYS[frame.how]
    if not way.pays:
        return None
    whole = allowance(creature, stand=False)
    if frame.standing or frame.stood:
        whole = speed(creature) - standing_cost(creature)
    left = max(0, whole - frame.feet)
    return left_this_round(creature, left) if way.counts else left


class Walk(NamedTuple):
    """How far a movement has come: the cells left, and what enemies have seen of it."""

    creature: str
    left: tuple[Cell, ...]
    diagonals: int = 0
    provoked: tuple[str, ...] = ()
    inside: Mapping[str, int] = EMPTY
    climbed: bool = False
    how: str = "dash"
    walked: int = 0
    feet: int = 0
    stood: bool = False


@record
class MovementBegun(Event[State]):
    """A movement is under way and may be interrupted."""

    type: ClassVar[str] = "movement_begun"
    movement: MovementId
    creature: CreatureId

    def evolve(self, state: State) -> State:
        crawling = state.creatures[self.creature].has("prone")
        frame = MovementFrame(path=self.movement, creature=self.creature, left=(), crawling=crawling)
        return changed(state, movements=state.movements + 1).pushed(frame)


@record
class MovementPlanned(Event[State]):
    """What is left of an interrupted movement; shown to the mover's seat alone until it ends."""

    type: ClassVar[str] = "movement_planned"
    movement: MovementId
    left: tuple[Cell, ...]
    """The cells still to walk, each as x and y."""
    diagonals: Diagonals
    standing: IsStanding
    provoked: tuple[CreatureId, ...]
    """The ids of the creatures that were provoked."""
    inside: Mapping[CreatureId, Feet]
    """The feet walked inside each creature's reach, by creature."""
    seat: SeatId
    how: Manner = "dash"
    walked: Feet = 0
    """The cells walked so far."""
    feet: Feet = 0
    """The feet that they have cost."""
    stood: IsStanding = False
    """Whether the mover stood up first."""

    def evolve(self, state: State) -> State:
        frame = state.frame(self.movement, MovementFrame)
        sealed = Sealed(audience=(f"seat:{self.seat}",), opens=f"{self.movement}/end", value=self.left)
        return state.put(
            changed(
                frame,
                left=sealed,
                diagonals=self.diagonals,
                standing=self.standing,
                provoked=self.provoked,
                inside=self.inside,
                how=self.how,
                walked=self.walked,
                feet=self.feet,
                stood=self.stood,
            )
        )


@record
class MovementEnded(Event[State]):
    """An interrupted movement is over, at its end or before it; its plan is open to all."""

    type: ClassVar[str] = "movement_ended"
    movement: MovementId
    occasion: Occasion

    def evolve(self, state: State) -> State:
        return state.popped(self.movement)


def walk(
    state: State, creature: str, path: tuple[Cell, ...], *, how: str = "dash", stand: bool = False
) -> Emits[State]:
    """Emit a movement of the creature's own from its first step: to its end, or until somebody may react."""
    assert WAYS[how].by_itself, how
    movement = f"r{state.round}/m{state.movements + 1}"
    start = Walk(creature=creature, left=path, how=how, stood=stand)
    if stand:
        mover = state.creatures[creature]
        watching = tuple(w.enemy.id for w in watchers(state, mover) if w.reaches(mover.position, mover))
        if watching:
            state = yield MovementBegun(movement=movement, creature=creature, because=("HR-MOVE-5",))
            start = start._replace(provoked=watching)
            return (yield from interrupt(state, movement, start, watching, "stands", standing=True))
        state = yield ConditionLost(creature=creature, condition="prone", because=("HR-MOVE-5",))
    return (yield from go_on(state, movement, start))


class Stride(NamedTuple):
    """How far a movement goes before somebody may react, and why it goes no further."""

    taken: int
    feet: int
    diagonals: int
    inside: Mapping[str, int]
    striking: tuple[str, ...] = ()
    """Enemies that may strike before the next step is done."""
    tripping: tuple[str, ...] = ()
    """Who may trip the mover where the last step led."""
    climb_cn: int = 0
    """What the mover must roll before it can climb the next cell."""
    hidden_creature: str | None = None
    """Who was hidden where the next step leads."""
    fell_from: Cell | None = None
    """The cell from which the last step led over a ledge."""


def stride(state: State, mover: Creature, walk: Walk, *, step_by_step: bool) -> Stride:
    """Return how far *mover* goes: to the end of its way, or to the first moment somebody may react."""
    at, feet = mover.position, 0
    diagonals, inside = walk.diagonals, walk.inside
    watching, way = watchers(state, mover, walk.provoked, walk.how), WAYS[walk.how]
    for done, new in enumerate(walk.left):
        hidden_creature = state.hidden_creature_in(OccupiedSpace(new, mover.space))
        if way.meets and hidden_creature is not None:
            return Stride(done, feet, diagonals, inside, hidden_creature=hidden_creature)
        cn = 0 if walk.climbed else climb_cn(state, mover, at, new)
        if cn:  # whether the mover can climb at all is known before it leaves its cell
            return Stride(done, feet, diagonals, inside, climb_cn=cn)
        striking, counted = provoked_by(state, mover, at, new, watching, inside)
        if striking:  # the step is not taken yet: what it adds counts when it is
            return Stride(done, feet, diagonals, inside, striking=striking)
        inside = counted
        feet += step_cost(state, mover, at, new, diagonals) if way.pays else FEET
        diagonals += at[0] != new[0] and at[1] != new[1]
        if way.falls and drop_ft(state, mover, at, new, climbing=True):
            return Stride(done + 1, feet, diagonals, inside, fell_from=at)
        at = new
        tripping = trip_trigger(state, mover, at) if way.tripped else ()
        if tripping or step_by_step:
            return Stride(done + 1, feet, diagonals, inside, tripping=tripping)
    return Stride(len(walk.left), feet, diagonals, inside)


def foreseen(
    view: State, creature: str, path: tuple[Cell, ...], *, how: str = "dash", stand: bool = False
) -> Way:
    """Return the way of a movement as its seat foresees it, if nobody stops it."""
    mover = view.creatures[creature]
    at, feet, diagonals, inside = mover.position, 0, 0, EMPTY
    watching = watchers(view, mover, (), how)
    provoked = [each.enemy.id for each in watching if stand and each.reaches(at, mover)]
    for new in path:
        left = tuple(each for each in watching if each.enemy.id not in provoked)
        striking, inside = provoked_by(view, mover, at, new, left, inside)
        provoked += striking
        feet += step_cost(view, mover, at, new, diagonals) if WAYS[how].pays else FEET
        diagonals += at[0] != new[0] and at[1] != new[1]
        at = new
    return Way(path=path, feet=feet, provokes=tuple(provoked))


def walked(state: State, mover: Creature, walk: Walk, gone: Stride) -> Emits[State]:
    """Emit the cells that were crossed, who is dragged along, and which bonds that ends."""
    path = walk.left[: gone.taken]
    state = yield Moved(
        creature=mover.id, path=path, feet=gone.feet, how=walk.how, because=("HR-MOVE-3", "A-44")
    )
    if not mover.conditions:
        return state
    captive = captive_of(state, mover) if WAYS[walk.how].drags else None
    if captive is not None:
        state = yield from come_along(state, captive, mover.position, mover.id, "dragged")
    return (yield from look_at_bonds(state, "hopped off"))


@enforces(HR_MOVE_3)
def go_on(state: State, movement: str, walk: Walk) -> Emits[State]:
    """Emit the next part of a movement, up to the next window, obstacle or its end."""
    mover = state.creatures[walk.creature]
    captive = captive_of(state, mover) if WAYS[walk.how].drags and mover.conditions else None
    listening = listens_for(state, "step_taken")
    gone = stride(state, mover, walk, step_by_step=listening)
    done, striking, tripping, cn = gone.taken, gone.striking, gone.tripping, gone.climb_cn
    if done:
        state = yield from walked(state, mover, walk, gone)
    rest = walk._replace(
        left=walk.left[done:],
        diagonals=gone.diagonals,
        provoked=(*walk.provoked, *striking),
        inside=gone.inside,
        walked=walk.walked + done,
        feet=walk.feet + gone.feet,
    )
    about: Mapping[str, str | int] = {"mover": mover.id}
    stops = bool(striking or tripping or cn)
    listening = listening and done > 0
    if gone.fell_from is not None or gone.hidden_creature is not None:
        state = yield from cut_short(state, movement, mover, gone)
    elif listening and not stops and not is_worth_asking(state, "step_taken", about) and rest.left:
        return (yield from go_on(state, movement, rest))
    elif stops or (listening and is_worth_asking(state, "step_taken", about)):
        state = yield from pause(state, movement, rest, gone)
    elif state.stacks.find(movement) is not None:
        state = yield MovementEnded(movement=movement, occasion=f"{movement}/end")
    return (yield from befall(state, captive, "dragged")) if captive is not None else state


def pause(state: State, movement: str, rest: Walk, gone: Stride) -> Emits[State]:
    """Emit that a movement waits: for a climb to be checked, or for those who may react."""
    if state.stacks.find(movement) is None:
        state = yield MovementBegun(movement=movement, creature=rest.creature)
    if gone.climb_cn:
        state = yield from plan(state, movement, rest)
        return (yield from ask_climb(movement, rest.creature, gone.climb_cn, rest.walked))
    who = gone.striking or gone.tripping
    what: Trigger = "moves" if gone.striking else "trip" if gone.tripping else "step_taken"
    return (yield from interrupt(state, movement, rest, who, what))


def cut_short(state: State, movement: str, mover: Creature, gone: Stride) -> Emits[State]:
    """Emit the end of a movement over a ledge, or upon a hidden creature."""
    if gone.fell_from is None:
        assert gone.hidden_creature is not None
        state = yield from bumped_into(state, mover.id, gone.hidden_creature, movement)
        return (yield from step_out(state, mover.id))
    if state.stacks.find(movement) is not None:
        state = yield MovementEnded(movement=movement, occasion=f"{movement}/end", because=("HR-FALL-2",))
    edge, below = changed(mover, position=gone.fell_from), state.creatures[mover.id].position
    return (yield from fall_over(state, edge, below, climbing=True))


@enforces(HR_MOVE_8)
def step_out(state: State, mover: str) -> Emits[State]:
    """Emit that *mover* ends in the nearest free place, where it was on its way through somebody's space."""
    found = state.creatures[mover]
    if may_stop(state, found, found.position):
        return state
    free = next(place for place in nearest(found.position) if may_stop(state, found, place))
    state = yield Moved(creature=mover, path=(free,), feet=0, how="placed", because=(HR_MOVE_8.id,))
    return (yield from look_at_bonds(state, "hopped off"))


def bumped_into(state: State, mover: str, hidden_creature: str, movement: str = "") -> Emits[State]:
    """Emit that *mover* has come upon a creature that was hidden, which ends its *movement*."""
    if state.stacks.find(movement) is not None:
        state = yield MovementEnded(movement=movement, occasion=f"{movement}/end", because=("HR-MOVE-3",))
    after: State = yield from reveal_discovered(state, hidden_creature, mover)
    return after


def interrupt(
    state: State, movement: str, rest: Walk, who: tuple[str, ...], what: Trigger, *, standing: bool = False
) -> Emits[State]:
    """Emit that *who* may react now, and seal what is left of the movement to the mover's seat."""
    state = yield from plan(state, movement, rest, standing=standing)
    number = len(rest.provoked) if what in ("moves", "stands") else rest.walked
    return (
        yield WindowOpened(
            window=f"{movement}/{what}-{number}",
            trigger=what,
            subject=rest.creature,
            eligible=who,
            about={"mover": rest.creature},
        )
    )


def plan(state: State, movement: str, rest: Walk, *, standing: bool = False) -> Emits[State]:
    """Emit what is left of a movement, sealed to the mover's seat."""
    seat = state.controller(rest.creature)
    scope = sealed_to(seat, f"{movement}/end")
    return (
        yield Private(
            scope=scope,
            event=MovementPlanned(
                movement=movement,
                left=rest.left,
                diagonals=rest.diagonals,
                standing=standing,
                provoked=rest.provoked,
                inside=rest.inside,
                seat=seat,
                how=rest.how,
                walked=rest.walked,
                feet=rest.feet,
                stood=rest.stood,
            ),
        )
    )


# --- coming along --------------------------------------------------------------------------------------
# Who is dragged, or goes where the other one of a grappling pair is pushed.


def come_along(state: State, captive: Creature, old: Cell, mover: str, how: str) -> Emits[State]:
    """Emit that *captive* comes after *mover*, which has left *old*; nothing if it cannot come."""
    to = pulled_to(state, captive, state.creatures[mover], old)
    if to is None:
        return state
    return (yield Moved(creature=captive.id, path=(to,), feet=0, how=how, because=("HR-COND-24",)))


def befall(state: State, before: Creature, how: str) -> Emits[State]:
    """Emit what a step not of its own brings a creature that was as *before*: it falls, or may be tripped."""
    mover = state.creatures[before.id]
    if mover.position == before.position:
        return state
    if WAYS[how].falls and drop_ft(state, before, before.position, mover.position, climbing=False):
        return (yield from fall_over(state, before, mover.position, climbing=False))
    tripping = trip_trigger(state, mover, mover.position) if WAYS[how].tripped else ()
    if not tripping:
        return state
    movement = f"r{state.round}/m{state.movements + 1}"
    state = yield MovementBegun(movement=movement, creature=mover.id)
    return (
        yield from interrupt(state, movement, Walk(creature=mover.id, left=(), how=how), tripping, "trip")
    )
