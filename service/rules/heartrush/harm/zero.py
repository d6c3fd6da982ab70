"""Fall to zero, unconscious, or dead: what hit points at and below zero mean."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final, Literal

from service.rules.heartrush import books
from service.rules.heartrush.creatures.bonds import let_go
from service.rules.heartrush.creatures.incapacity import check_able
from service.rules.heartrush.permission import AT_REST, own, taking_action
from service.rules.heartrush.state import Creature, State, is_able
from service.rules.kernel.messages import Awaited, Command, Emits, Event, Offer, Refused
from service.rules.kernel.records import record
from service.rules.kernel.rulebook import RULING, Rule, enforces

HR_ZERO_6: Final = Rule(
    "HR-ZERO-6",
    "The unconscious do nothing and hold nobody; in an engagement they stay, and miss its later steps.",
    RULING,
)
HR_DMG_6: Final = Rule(
    "HR-DMG-6",
    "Hit points at or below the negative of the maximum are death.",
    books.MECHANICS.at("Taking Damage"),
    settles=("A-23",),
)
HR_ZERO_4: Final = Rule(
    "HR-ZERO-4",
    "A creature at the negative of its maximum, wounds not counted, or below it, is dead.",
    books.MECHANICS.at("Zero Hit Points"),
    settles=("A-23",),
)
HR_ZERO_2: Final = Rule(
    "HR-ZERO-2",
    "Who does not choose to fall unconscious at zero does so after ten minutes.",
    books.MECHANICS.at("Zero Hit Points"),
    settles=("A-24",),
)
HR_ZERO_1: Final = Rule(
    "HR-ZERO-1",
    "At zero or fewer hit points a creature may choose to fall unconscious; otherwise it acts on.",
    books.MECHANICS.at("Zero Hit Points"),
    settles=("A-24",),
)


FALLING: Final = ("combat", "engagement", "damage")
"""The frames at whose prompts a creature at zero or below may choose to fall."""
CONSCIOUS_SECONDS: Final = 600
"""How long a creature at zero or below stays up if it does not choose otherwise: ten minutes."""


@record
class FellToZero(Event[State]):
    """Hit points fell to zero or below: a ten-minute clock runs."""

    type: ClassVar[str] = "fell_to_zero"
    creature: str
    clock_s: int

    def evolve(self, state: State) -> State:
        return state.with_creature(self.creature, down_since_s=self.clock_s)


@enforces(HR_ZERO_6)
@record
class FellUnconscious(Event[State]):
    """A creature falls unconscious: it lets go of what it holds, and misses the later steps."""

    type: ClassVar[str] = "unconscious"
    creature: str
    reason: Literal["chosen", "ten_minutes", "zero", "effect"]

    def evolve(self, state: State) -> State:
        return let_go(state.with_creature(self.creature, status="unconscious"), self.creature, dead=False)


@record
class Died(Event[State]):
    """A creature is dead."""

    type: ClassVar[str] = "died"
    creature: str

    def evolve(self, state: State) -> State:
        return let_go(state.with_creature(self.creature, status="dead"), self.creature, dead=True)


@enforces(HR_DMG_6)
def die_at_the_line(state: State, creature: str) -> Emits[State]:
    """Emit the death of a creature at or below its death line; nothing above it."""
    found = state.creatures[creature]
    if found.hp > death_line(state, found) or found.status == "dead":
        return state
    return (yield Died(creature=creature, because=("HR-DMG-6", "HR-ZERO-4", "A-23")))


@enforces(HR_ZERO_4)
def death_line(state: State, creature: Creature) -> int:
    """Return the hit points at which *creature* dies."""
    return -(creature.hp_cap if state.house.death_line == "current_cap" else creature.sheet.hp_max)


@enforces(HR_ZERO_2)
def fall_to_zero(state: State, creature: str, before: int) -> Emits[State]:
    """Emit the fall of a creature to zero hit points; nothing if it was there before."""
    found = state.creatures[creature]
    if found.hp > 0 or before <= 0 or found.status != "active":
        return state
    state = yield FellToZero(creature=creature, clock_s=state.clock_s)
    if state.house.zero_hp == "immediate":
        return (yield FellUnconscious(creature=creature, reason="zero"))
    return state


def ten_minutes(state: State) -> Emits[State]:
    """Tell who falls unconscious because ten minutes have passed since it came to zero."""
    for creature in state.creatures.values():
        since = creature.down_since_s
        if since is None or creature.status != "active" or creature.hp > 0:
            continue
        if state.clock_s - since >= CONSCIOUS_SECONDS:
            state = yield FellUnconscious(
                creature=creature.id, reason="ten_minutes", because=("HR-ZERO-2", "A-68")
            )
    return state


@enforces(HR_ZERO_1)
@record
class GoUnconscious(Command[State]):
    """Fall unconscious by choice, at zero hit points or fewer."""

    type: ClassVar[str] = "go_unconscious"
    creature: str

    def check(self, view: State) -> None:
        creature = self._faller(view)
        if creature.hp > 0:
            raise Refused("hp_positive", f"{self.creature} has {creature.hp} hit points")

    def _faller(self, view: State) -> Creature:
        """Return the creature, where the fight waits for somebody and it may choose now."""
        top = view.top
        at_leisure = top is None or top.kind == "combat"
        if at_leisure and view.paused():
            return taking_action(view, self, self.creature, "go_unconscious")
        creature = own(view, self, self.creature)
        check_able(creature, self.type, ())
        asks = top is not None and top.kind in FALLING and top.waits(view)
        if not asks or (at_leisure and view.phase not in AT_REST):
            raise Refused("no_priority", "something is being resolved", "HR-PRIO-1")
        return creature

    def decide(self, state: State) -> Emits[State]:
        return (yield FellUnconscious(creature=self.creature, reason="chosen"))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        if awaited.creature and view.creatures[awaited.creature].hp <= 0:
            yield Offer(type=cls.type, creature=awaited.creature)


def falling(state: State, path: str, asked: tuple[str, ...]) -> tuple[Awaited, ...]:
    """Return who at zero or below may choose to fall, besides those who are *asked* anyway."""
    return tuple(
        Awaited(
            prompt=f"{path}/{creature.id}/fall",
            seat=state.controller(creature.id),
            accepts=(GoUnconscious.type,),
            creature=creature.id,
            optional=True,
        )
        for creature in state.creatures.values()
        if creature.hp <= 0 and creature.id not in asked and is_able(creature)
    )
