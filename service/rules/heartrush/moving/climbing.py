"""Climb: up what the ground has, and onto creatures, hold on while they rage, and be shaken off."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from service.rules.heartrush import books
from service.rules.heartrush.body.actions import AbilityUsed, action_price, has_action
from service.rules.heartrush.body.conditions import gain
from service.rules.heartrush.body.damage import Consequence, DamageFrame
from service.rules.heartrush.body.permission import taking_action
from service.rules.heartrush.creatures.adjacency import is_adjacent
from service.rules.heartrush.creatures.sheet import Ability
from service.rules.heartrush.creatures.size_and_bonds import climbers_on, come_off, displaced
from service.rules.heartrush.creatures.state import Creature, State
from service.rules.heartrush.rolling.checks import CheckAsked, Checking, CheckResult
from service.rules.heartrush.rolling.contests import (
    BODILY,
    Bodily,
    ContestFrame,
    OffensiveContest,
    OffensiveTried,
    best_of,
)
from service.rules.heartrush.rolling.rolls import Edge, hampered
from service.rules.heartrush.values import ContestStepId, GripId, MovementId, ScalingId
from service.rules.kernel.messages import Awaited, Command, Emits, Event, Offer, Refused
from service.rules.kernel.records import record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.kernel.values import CreatureId, PlaceOf, Reason, Succeeded
from service.rules.rolls.chance import Chance
from service.rules.space.grid import Cell, cells
from service.rules.table.stack import Frame, opened_by

# --- climbing what the ground has ----------------------------------------------------------------------

SCALING: Final = ("HR-ENV-6",)


@record
class DeclaredScaling:
    """Who wants to climb, and in which movement."""

    movement: MovementId
    creature: CreatureId


@record
class ScalingFrame(DeclaredScaling, Checking):
    """A climb that waits for its check."""

    kind: ClassVar[str] = "scaling"
    checked: CheckResult = None

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        assert self.checked is not None, "the check above it comes first"
        return (
            yield ClimbChecked(
                scaling=self.path,
                movement=self.movement,
                creature=self.creature,
                success=self.checked.success,
                because=SCALING,
            )
        )


@record
class ClimbAsked(DeclaredScaling, Event[State]):
    """A creature wants to climb where that takes a check."""

    type: ClassVar[str] = "climb_asked"
    scaling: ScalingId

    def evolve(self, state: State) -> State:
        return state.pushed(opened_by(self, ScalingFrame, self.scaling))


@record
class ClimbChecked(Event[State]):
    """A creature can climb on, or stays where it is and loses the rest of its movement."""

    type: ClassVar[str] = "climb_checked"
    scaling: ScalingId
    movement: MovementId
    creature: CreatureId
    success: Succeeded

    def evolve(self, state: State) -> State:
        state = state.popped(self.scaling)
        changes: dict[str, object] = {"climbed": True} if self.success else {"left": ()}
        return state.with_frame(self.movement, Frame, **changes)


def ask_climb(movement: str, creature: str, cn: int, walked: int) -> Emits[State]:
    """Emit that *creature* checks its might before it climbs, *walked* cells into its movement."""
    path = f"{movement}/climb-{walked}"
    yield ClimbAsked(scaling=path, movement=movement, creature=creature, because=SCALING)
    return (
        yield CheckAsked(
            check=f"{path}/check",
            creature=creature,
            ability="might",
            cn=cn,
            what="climb",
            needs=("motion",),
            because=SCALING,
        )
    )


# --- climbing onto creatures ---------------------------------------------------------------------------

HR_CLIMB_1: Final = Rule(
    "HR-CLIMB-1",
    "Might or agility against that of an adjacent creature two or more sizes larger; a tie fails.",
    (books.BASICS.at("Size"), books.COMBAT.at("Other Offensive Actions")),
)


LARGER_BY: Final = 2
"""Sizes by which a creature must be larger to be climbed on."""
CLINGING: Final = ("HR-COND-23",)


# --- climbing on -------------------------------------------------------------------------------------


@enforces(HR_CLIMB_1)
def check_climb(view: State, creature: Creature, target: Creature) -> None:
    """Refuse a climb onto a creature that is too far away or too small, or by one that cannot climb."""
    if not is_adjacent(view, creature, target):
        raise Refused("not_adjacent", f"{target.id} is not adjacent to {creature.id}", HR_CLIMB_1.id)
    if target.rank < creature.rank + LARGER_BY:
        raise Refused(
            "target_too_small", f"{target.id} is not two sizes larger than {creature.id}", HR_CLIMB_1.id
        )
    if creature.has("creature_climber"):
        raise Refused("already_climbing", f"{creature.id} climbs on somebody already", HR_CLIMB_1.id)
    if creature.has("grappled"):
        raise Refused("restrained", f"{creature.id} is held", "HR-COND-5")


@record
class ClimbOnFrame(OffensiveContest):
    """A creature tries to climb onto a larger one."""

    kind: ClassVar[str] = "climb_on"

    def rules(self) -> tuple[str, ...]:
        return ("HR-CLIMB-1", "HR-OFF-4")


@record
class ClimbTried(OffensiveTried):
    """A creature begins to climb onto another."""

    type: ClassVar[str] = "climb_tried"

    def evolve(self, state: State) -> State:
        return state.pushed(ClimbOnFrame(ability=self.offensive.ability, **self.terms(state)))


@record
class ClimbedOn(Event[State]):
    """A climber is on its mount: it shares the cells of its mount and goes where that goes."""

    type: ClassVar[str] = "climbed_on"
    creature: CreatureId
    mount: CreatureId
    """The id of the creature onto which it climbed."""
    at: PlaceOf

    def evolve(self, state: State) -> State:
        return displaced(state, self.creature, self.at, "mounted")


def climb_onto(state: State, creature: str, mount: str) -> Emits[State]:
    """Emit that *creature* is on *mount* now."""
    state = yield from gain(state, creature, "creature_climber", 1, mount)
    if not state.creatures[mount].has("climbed_on"):
        state = yield from gain(state, mount, "climbed_on", 1, creature)
    at = nearest(state.creatures[creature].position, state.creatures[mount])
    return (yield ClimbedOn(creature=creature, mount=mount, at=at, because=("HR-CLIMB-1", "HR-COND-23")))


def nearest(at: Cell, mount: Creature) -> Cell:
    """Return the cell of a mount's space that lies nearest to *at*."""
    room = cells(mount.position, mount.space)
    return min(room, key=lambda c: (max(abs(c[0] - at[0]), abs(c[1] - at[1])), c))


# --- holding on --------------------------------------------------------------------------------------


@record
class CameOff(Event[State]):
    """A climber is off its mount, and stands beside it."""

    type: ClassVar[str] = "came_off"
    creature: CreatureId
    reason: Reason

    def evolve(self, state: State) -> State:
        return come_off(state, state.creatures[self.creature])


@record
class HoldOnFrame(Checking):
    """A climber was hurt or moved by force: it holds on, or falls."""

    kind: ClassVar[str] = "hold_on"
    creature: CreatureId
    checked: CheckResult = None

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        assert self.checked is not None, "the save above it comes first"
        state = yield GripTested(
            grip=self.path, creature=self.creature, held=self.checked.success, because=CLINGING
        )
        if self.checked.success or not state.creatures[self.creature].has("creature_climber"):
            return state
        return (yield CameOff(creature=self.creature, reason="fell off", because=CLINGING))


@record
class GripAsked(Event[State]):
    """A climber has to hold on."""

    type: ClassVar[str] = "grip_asked"
    grip: GripId
    creature: CreatureId

    def evolve(self, state: State) -> State:
        return state.pushed(HoldOnFrame(path=self.grip, creature=self.creature))


@record
class GripTested(Event[State]):
    """A climber held on, or did not."""

    type: ClassVar[str] = "grip_tested"
    grip: GripId
    creature: CreatureId
    held: bool
    """Whether it held on."""

    def evolve(self, state: State) -> State:
        return state.popped(self.grip)


def hold_on(state: State, path: str, creature: str, number: int) -> Emits[State]:
    """Emit that a climber saves against *number*, with the larger of its might and agility, or falls."""
    ability: Ability = best_of(state.creatures[creature])
    state = yield GripAsked(grip=path, creature=creature, because=CLINGING)
    return (
        yield CheckAsked(
            check=f"{path}/save",
            creature=creature,
            ability=ability,
            cn=number,
            what="hold on",
            save=True,
            because=CLINGING,
        )
    )


class ClimberHurt(Consequence):
    """A climber that is hurt saves against the damage, or falls."""

    def follows(self, state: State, frame: DamageFrame) -> bool:
        return state.creatures[frame.creature].has("creature_climber")

    def tell(self, state: State, frame: DamageFrame, final: int) -> Emits[State]:
        return (yield from hold_on(state, f"{frame.path}/hold", frame.creature, final))


# --- shaking off -------------------------------------------------------------------------------------


@record
class ShakeOffFrame(ContestFrame):
    """A mount tries to throw off everybody who climbs on it."""

    kind: ClassVar[str] = "shake_off"

    def rules(self) -> tuple[str, ...]:
        return CLINGING

    def edges(self, state: State, who: Creature, against: Creature) -> tuple[Edge, ...]:
        ability = self.ability_of(who.id)
        return hampered(state, who, ability, "check", against=against, needs=("motion",))

    def outcome(self, state: State, *, won: bool) -> Emits[State]:
        for climber in self.opponents if won else ():
            if state.creatures[climber].has("creature_climber"):
                state = yield CameOff(creature=climber, reason="shaken off", because=CLINGING)
        return state


@record
class ShakeOffTried(Event[State]):
    """A mount begins to shake off its climbers."""

    type: ClassVar[str] = "shake_off_tried"
    contest: ContestStepId
    creature: CreatureId
    climbers: tuple[CreatureId, ...]
    """The ids of the creatures that climbed onto it."""
    ability: Bodily

    def evolve(self, state: State) -> State:
        return state.pushed(
            ShakeOffFrame(
                path=self.contest, creature=self.creature, ability=self.ability, opponents=self.climbers
            )
        )


@record
class ShakeOff(Command[State]):
    """An action, and might or agility that beats each climber's might or agility, throws all of them off."""

    type: ClassVar[str] = "shake_off"
    sentence: ClassVar[str] = "Shake off who climbs on you[, by {ability}]"
    creature: CreatureId
    ability: Bodily

    def check(self, view: State) -> None:
        creature = taking_action(view, self, self.creature)
        action_price(view, creature)
        if not climbers_on(view, creature):
            raise Refused("not_climbing", f"no creature climbs on {self.creature}", "HR-COND-23")

    def decide(self, state: State) -> Emits[State]:
        climbers = tuple(climber.id for climber in climbers_on(state, state.creatures[self.creature]))
        paid = action_price(state, state.creatures[self.creature])
        state = yield AbilityUsed(
            creature=self.creature,
            ability=self.type,
            paid=paid,
            because=("HR-COND-23", "HR-ACT-1"),
        )
        return (
            yield ShakeOffTried(
                contest=f"r{state.round}/shake-off/{self.creature}",
                creature=self.creature,
                climbers=climbers,
                ability=self.ability,
                because=CLINGING,
            )
        )

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        creature = view.creatures[awaited.creature or ""]
        if has_action(view, creature) and climbers_on(view, creature):
            yield Offer(type=cls.type, creature=creature.id, choices={"ability": BODILY})
