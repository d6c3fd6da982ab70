"""Let a player reroll what its creature has just rolled, at the price of fatigue."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from service.rules.kernel.messages import Awaited, Emits, Event, Offer, Refused
from service.rules.kernel.records import record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.kernel.values import CreatureId
from service.rules.rise import books
from service.rules.rise.attacks.making_attacks import AssaultFrame
from service.rules.rise.creatures.creature import Creature
from service.rules.rise.creatures.permission import Act, in_phase, own
from service.rules.rise.creatures.state import State
from service.rules.rise.moving.mounts import RideExerted, RideFrame, settle
from service.rules.rise.planning.groups import GroupFrame
from service.rules.rise.planning.improvising import DeedExerted, DeedsFrame, settle_deed
from service.rules.rise.planning.initiative import InitiativeAnswered

RI_UNIV_DESPERATE: Final = Rule(
    "RI-UNIV-DESPERATE",
    "For 2 fatigue a player rolls an attack or initiative again, with 2 more; the better roll counts.",
    books.ABILITIES.at("Desperate Exertion"),
    settles=("C-44",),
)


@record
class ExertionUsed(Event[State]):
    """An attack is rolled again with desperate exertion."""

    type: ClassVar[str] = "exertion_used"
    creature: CreatureId

    def evolve(self, state: State) -> State:
        return state.with_top(AssaultFrame, stage="roll", rerolled=True, exerted=True)


@record
class RollKept(Event[State]):
    """An attack stands as it was rolled."""

    type: ClassVar[str] = "roll_kept"
    creature: CreatureId

    def evolve(self, state: State) -> State:
        return state.with_top(AssaultFrame, stage="land")


def shown_to(view: State, command: Act) -> Creature:
    """Return the creature if a roll of its own is open: an attack, or its initiative before the order."""
    frame, name = view.top, command.creature
    if isinstance(frame, GroupFrame) and name in frame.shown:
        return own(view, command, name)
    if isinstance(frame, (RideFrame, DeedsFrame)) and frame.shows(name):
        return own(view, command, name)
    if isinstance(frame, AssaultFrame) and frame.assault.user == name and frame.stage == "shown":
        return own(view, command, name)
    creature = in_phase(view, command, "action")
    if creature.budget.turn == "open" and is_wounded_now(view, creature):
        raise Refused("cannot_modify_vital_roll", f"the wound of {name} stands as rolled", "RI-VITAL-2")
    raise Refused("too_late", f"{name} has no roll to change", "RI-UNIV-DESPERATE")


def is_wounded_now(view: State, creature: Creature) -> bool:
    """Return whether the last roll of *creature* that its group knows of is a vital one of this phase."""
    return any(w.gained == view.round and w.phase == view.stage for w in creature.wounds)


@enforces(RI_UNIV_DESPERATE)
@record
class DesperateExertion(Act):
    """Roll an attack or an initiative check again with 2 more, for 2 fatigue; the better roll counts."""

    type: ClassVar[str] = "desperate_exertion"
    sentence: ClassVar[str] = "Roll again with 2 more, for 2 fatigue"

    def check(self, view: State) -> None:
        shown_to(view, self)

    def decide(self, state: State) -> Emits[State]:
        if isinstance(state.top, GroupFrame):
            return (yield InitiativeAnswered(creature=self.creature, exerts=True))
        if isinstance(state.top, RideFrame):
            return (yield RideExerted(creature=self.creature))
        if isinstance(state.top, DeedsFrame):
            return (yield DeedExerted(creature=self.creature, because=("RI-UNIV-DESPERATE",)))
        return (yield ExertionUsed(creature=self.creature))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        yield Offer(type=cls.type, creature=awaited.creature)


@record
class KeepRoll(Act):
    """Let an attack or an initiative check stand as it was rolled."""

    type: ClassVar[str] = "keep_roll"
    sentence: ClassVar[str] = "Keep the roll"

    def check(self, view: State) -> None:
        shown_to(view, self)

    def decide(self, state: State) -> Emits[State]:
        if isinstance(state.top, GroupFrame):
            return (
                yield InitiativeAnswered(creature=self.creature, exerts=False, because=("RI-UNIV-DESPERATE",))
            )
        if isinstance(state.top, RideFrame):
            return (yield from settle(state))
        if isinstance(state.top, DeedsFrame):
            return (yield from settle_deed(state))
        return (yield RollKept(creature=self.creature, because=("RI-UNIV-DESPERATE",)))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        yield Offer(type=cls.type, creature=awaited.creature)
