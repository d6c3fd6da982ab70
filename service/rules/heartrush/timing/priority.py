"""Pass priority between the sides: who holds it, who declines, and when a round is over.

One ability, then the other side. A side declines when every able member has; a count of declines in a row
ends the round, and any ability starts the count again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final, Literal

from service.rules.heartrush import books
from service.rules.heartrush.body.lasting import has
from service.rules.heartrush.body.permission import (
    Timing,
    acting,
    engaged,
    gm,
    has_priority,
    is_held_back,
    running,
    without_priority,
)
from service.rules.heartrush.creatures.abilities import Ability, KeepPriority, Spell
from service.rules.heartrush.creatures.state import Creature, State, is_able
from service.rules.heartrush.timing.starting_combat import OpeningDecided, first_side
from service.rules.heartrush.values import PassesInARow, Starter
from service.rules.kernel.messages import Awaited, Command, Emits, Event, Offer, Refused
from service.rules.kernel.records import changed, record
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.values import CreatureId, SideId
from service.rules.rolls.chance import Chance

HR_START_2: Final = Rule(
    "HR-START-2",
    "A side that was not expecting the attack leaves starting priority to the other, without a roll.",
    books.COMBAT.at("Starting Combat"),
)
HR_PRIO_9: Final = Rule(
    "HR-PRIO-9",
    "After an engagement priority goes to the side that was targeted when it was declared.",
    books.MECHANICS.at("Example of Combat"),
    settles=("A-72",),
)
HR_TIME_1: Final = Rule(
    "HR-TIME-1",
    "In the priority edition all that is neither passive nor instant needs priority, tagged or not.",
    books.CHECKS.at("Timing Tag"),
)
HR_PRIO_2: Final = Rule(
    "HR-PRIO-2",
    "When an ability has finished resolving, priority moves to the other side, free actions included.",
    books.COMBAT.at("Priority During Combat"),
    settles=("A-03",),
)
HR_PRIO_3: Final = Rule(
    "HR-PRIO-3",
    "A side of which every able member declines hands priority back to the other side.",
    books.COMBAT.at("Priority During Combat"),
    settles=("A-05",),
)
HR_PRIO_10: Final = Rule(
    "HR-PRIO-10",
    "A side with nobody able to act passes by itself; two such passes in a row end the round at once.",
    RULING,
)
HR_PRIO_4: Final = Rule(
    "HR-PRIO-4",
    "After an ability the round ends when the others decline, then the actors, then the others once more.",
    books.COMBAT.at("Priority During Combat"),
    settles=("A-01", "A-02"),
)
HR_PRIO_6: Final = Rule(
    "HR-PRIO-6",
    "A side that keeps declining lets the other act on, and may act again whenever priority reaches it.",
    books.COMBAT.at("Priority During Combat"),
)


AUTO_LIMIT = 2
"""Automatic passes in a row that end a round at once."""


@record
class PriorityGranted(Event[State]):
    """A side holds priority."""

    type: ClassVar[str] = "priority_granted"
    side: SideId
    starter: Starter | None = None

    def evolve(self, state: State) -> State:
        return changed(
            state,
            phase="priority",
            priority_side=self.side,
            last_actor_side=None,
            passes=0,
            auto_passes=0,
            member_passed=(),
            starting_side=state.starting_side or self.side,
            starter=self.starter,
        )


@record
class PriorityPassed(Event[State]):
    """Priority goes to the other side: an ability has resolved, or a side declined."""

    type: ClassVar[str] = "priority_passed"
    side: SideId
    """The side that holds it now."""
    reason: Literal["ability", "kept", "declined", "auto"]
    """Why priority passed."""
    passes: PassesInARow

    def evolve(self, state: State) -> State:
        return changed(
            state,
            phase="priority",
            priority_side=self.side,
            last_actor_side=None,
            passes=self.passes,
            auto_passes=state.auto_passes + 1 if self.reason == "auto" else 0,
            acted_this_round=state.acted_this_round or self.reason != "auto",
            member_passed=(),
            starter=None,
        )


@record
class Declined(Event[State]):
    """One member declines; its side still holds priority until all able members have."""

    type: ClassVar[str] = "declined"
    creature: CreatureId

    def evolve(self, state: State) -> State:
        starter = None if state.starter == self.creature else state.starter
        return changed(state, member_passed=(*state.member_passed, self.creature), starter=starter)


@record
class RoundRanOut(Event[State]):
    """Declines in a row have ended the round."""

    type: ClassVar[str] = "round_ran_out"
    passes: PassesInARow

    def evolve(self, state: State) -> State:
        return changed(state, phase="round_end", priority_side=None, passes=self.passes, member_passed=())


def able_members(state: State, side: str) -> tuple[Creature, ...]:
    """Return the members of *side* who could use an ability."""
    return tuple(creature for creature in state.members(side) if is_able(creature))


def undecided(state: State) -> tuple[Creature, ...]:
    """Return who is asked now: able members of the side with priority who have not declined."""
    assert state.priority_side is not None
    return tuple(
        creature
        for creature in able_members(state, state.priority_side)
        if creature.id not in state.member_passed and not is_held_back(state, creature)
    )


@enforces(HR_PRIO_3)
def is_anybody_undecided(state: State) -> bool:
    """Return whether the side with priority has somebody to ask; a plain loop: asked once a command."""
    for creature in state.creatures.values():
        if (
            creature.sheet.side == state.priority_side
            and creature.id not in state.member_passed
            and is_able(creature)
        ):
            return True
    return False


@enforces(HR_PRIO_2)
def pass_after_ability(state: State) -> Emits[State]:
    """Emit the pass of priority after an ability has resolved, or that its user keeps it."""
    assert state.last_actor_side is not None
    actor = state.creatures.get(state.last_actor or "")
    if actor is not None and has(state, actor, KeepPriority):
        return (yield PriorityPassed(side=actor.side, reason="kept", passes=0, because=("HR-GEN-3",)))
    return (yield PriorityPassed(side=state.other(state.last_actor_side), reason="ability", passes=0))


@enforces(HR_PRIO_3)
def decline(state: State) -> Emits[State]:
    """Emit the decline of a side."""
    return (yield from _counted(state, "declined"))


@enforces(HR_PRIO_10)
def pass_unable(state: State) -> Emits[State]:
    """Emit the pass of a side without a member able to act; the second in a row ends the round."""
    if state.auto_passes + 1 >= AUTO_LIMIT:
        return (yield RoundRanOut(passes=state.passes + 1))
    return (yield from _counted(state, "auto"))


@enforces(HR_PRIO_4)
def _counted(state: State, reason: Literal["declined", "auto"]) -> Emits[State]:
    """Emit the pass of priority to the other side, or the end of the round when the passes are enough."""
    assert state.priority_side is not None
    passes = state.passes + 1
    if passes >= state.house.passes_to_end_round:
        return (yield RoundRanOut(passes=passes))
    return (yield PriorityPassed(side=state.other(state.priority_side), reason=reason, passes=passes))


@enforces(HR_PRIO_6)
@record
class Pass(Command[State]):
    """Decline to act while the side has priority."""

    type: ClassVar[str] = "pass"
    sentence: ClassVar[str] = "Pass"
    passes: ClassVar[bool] = True
    creature: CreatureId

    def check(self, view: State) -> None:
        creature = acting(view, self, self.creature)
        has_priority(view, creature)

    def decide(self, state: State) -> Emits[State]:
        state = yield Declined(creature=self.creature)
        return state if is_anybody_undecided(state) else (yield from decline(state))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        if view.phase == "priority" and awaited.creature and awaited.creature not in view.member_passed:
            yield Offer(type=cls.type, creature=awaited.creature)


@record
class PassSide(Command[State]):
    """Decline for a whole side: the GM, or the player who controls everybody who has not declined yet."""

    type: ClassVar[str] = "pass_side"
    sentence: ClassVar[str] = "Pass for the {side}"
    passes: ClassVar[bool] = True
    side: SideId

    def check(self, view: State) -> None:
        running(view)
        if self.side not in view.sides:
            raise Refused("no_such_side", f"there is no side {self.side}")
        if view.phase == "idle":
            return gm(self)
        if engaged(view):
            raise Refused("engagement_in_progress", "nobody has priority in an engagement", "HR-PRIO-8")
        if (
            view.phase != "priority"
            or view.priority_side != self.side
            or view.top is None
            or view.top.kind != "combat"
        ):
            raise Refused("no_priority", without_priority(view, self.side), "HR-PRIO-3")
        if not may_pass_side(view, self.by.seat):
            raise Refused("not_captain", f"{self.by.seat} does not speak for all of {self.side}", "HR-PRIO-3")
        return None

    def decide(self, state: State) -> Emits[State]:
        if state.phase == "idle":
            return (yield RoundRanOut(passes=0, because=("HR-PRIO-10",)))
        return (yield from decline(state))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        if view.phase == "idle":
            yield Offer(type=cls.type, given={"side": view.sides[0]})
        elif view.phase == "priority" and may_pass_side(view, awaited.seat):
            yield Offer(type=cls.type, given={"side": view.priority_side})


def may_pass_side(view: State, seat: str) -> bool:
    """Return whether *seat* may decline for the side with priority."""
    return seat == "gm" or all(view.controller(creature.id) == seat for creature in undecided(view))


@enforces(HR_START_2)
def unopposed(state: State, starter: str | None) -> Emits[State]:
    """Emit the priority of the side that expected the attack."""
    assert state.unaware_side is not None
    side = state.other(state.unaware_side)
    return (yield PriorityGranted(side=side, starter=starter))


def opening_roll(state: State, chance: Chance) -> Emits[State]:
    """Emit the players' opening die, and which side it grants priority."""
    state, side = yield from first_side(state, chance)
    return (yield PriorityGranted(side=side, because=("HR-START-3", "A-07")))


@record
class ByPriority(Timing):
    """Sides pass priority to each other."""

    kind: ClassVar[str] = "priority"

    def begin(self, state: State, starter: str | None) -> Emits[State]:
        if state.unaware_side is not None:
            return (yield from unopposed(state, starter))
        return (yield OpeningDecided())

    def open(self, state: State, chance: Chance) -> Emits[State]:
        return (yield from opening_roll(state, chance))

    def order_of_round(self, state: State) -> tuple[str, ...]:
        return ()

    def begin_round(self, state: State) -> Emits[State]:
        assert state.starting_side is not None
        return (yield PriorityGranted(side=state.starting_side))

    @enforces(HR_PRIO_9)
    def after_engagement(self, ended: Event[State], targeted_side: str) -> Emits[State]:
        """Emit *ended*, and the priority of the side that was targeted."""
        yield changed(ended, because=("HR-RES-6",))
        return (yield PriorityGranted(side=targeted_side))

    def check_action(self, view: State, creature: Creature, action: str) -> None:
        has_priority(view, creature)

    @enforces(HR_TIME_1)
    def check_ability(self, view: State, creature: Creature, definition: Ability | Spell) -> None:
        """Refuse an ability or spell without priority."""
        has_priority(view, creature)

    def assumed(self, state: State) -> tuple[str, ...]:
        return ()
