"""Wounds and healing: hit points rise or fall to zero, wounds are treated and heal, creatures wake or die."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar, Final, Literal

from service.rules.heartrush import books
from service.rules.heartrush.body.permission import AT_REST, check_able, gm, own, taking_action
from service.rules.heartrush.creatures.character import Wound
from service.rules.heartrush.creatures.size_and_bonds import let_go
from service.rules.heartrush.creatures.state import Creature, State, is_able
from service.rules.heartrush.values import (
    SAID_LENGTH,
    ComesFrom,
    HealerId,
    HitPointsAfter,
    Looks,
    NewRanks,
    Relief,
)
from service.rules.kernel.messages import Awaited, Command, Emits, Event, Offer, Refused
from service.rules.kernel.records import changed, record, sealable
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.values import (
    Amount,
    CreatureId,
    Seconds,
    Total,
    WoundId,
)

# --- healing -------------------------------------------------------------------------------------------
# Hit points rise as far as their wounds allow, and who is above zero again wakes. Every gain of hit points
# comes through `heal`; nothing here asks where it came from.

HR_REST_6: Final = Rule(
    "HR-REST-6",
    "Whatever heals stops at what wounds leave of the maximum; the dead stay dead.",
    (books.RESTS.at("Healing"), books.MECHANICS.at("Wounds")),
)
HR_WND_1: Final = Rule(
    "HR-WND-1",
    "Hit points gained stop at the maximum less the ranks of all wounds, and never fall by it.",
    books.MECHANICS.at("Wounds"),
    settles=("A-22",),
)
HR_ZERO_5: Final = Rule(
    "HR-ZERO-5",
    "An unconscious creature stays so until its hit points are above zero, and then wakes by itself.",
    books.MECHANICS.at("Zero Hit Points"),
)


@record
class Healed(Event[State]):
    """A creature regained hit points; what its wounds did not allow was lost."""

    type: ClassVar[str] = "healed"
    creature: CreatureId
    amount: Amount = sealable(of="creature", fact="hp", blank=0)
    """What was offered."""
    gained: Amount = sealable(of="creature", fact="hp", blank=0)
    """What it regained: less than was offered where it can have no more."""
    hp: HitPointsAfter = sealable(of="creature", blank=0)
    source: ComesFrom | None = None

    def evolve(self, state: State) -> State:
        clock = {"down_since_s": None} if self.hp > 0 else {}
        return state.with_creature(self.creature, hp=self.hp, **clock)


@record
class Woke(Event[State]):
    """An unconscious creature is awake again; it lies or stands as it did before."""

    type: ClassVar[str] = "woke"
    creature: CreatureId

    def evolve(self, state: State) -> State:
        return state.with_creature(self.creature, status="active", down_since_s=None)


@enforces(HR_REST_6)
def heal(state: State, creature: str, amount: int, source: str | None = None) -> Emits[State]:
    """Emit the healing of *amount* hit points, and the waking that may follow; nothing for the dead."""
    found = state.creatures[creature]
    amount = max(0, amount)
    if found.status == "dead":
        return state
    if not amount and "hp_max" not in found.gm_only:
        return (yield from wake(state, creature))
    # where hit points are the GM's alone, that none were missing is too
    hp = healed_to(found.hp, amount, found.hp_cap)
    state = yield Healed(
        creature=creature,
        amount=amount,
        gained=hp - found.hp,
        hp=hp,
        source=source,
        because=("HR-WND-1", "HR-REST-6"),
    )
    return (yield from wake(state, creature))


@enforces(HR_WND_1)
def healed_to(hp: int, amount: int, cap: int) -> int:
    """Return the hit points after healing *amount*, which stops at *cap* and never lowers them."""
    return max(hp, min(hp + amount, cap))


@enforces(HR_ZERO_5)
def wake(state: State, creature: str) -> Emits[State]:
    """Emit the waking of an unconscious creature above zero hit points; nothing otherwise."""
    found = state.creatures[creature]
    if found.status != "unconscious" or found.hp <= 0:
        return state
    return (yield Woke(creature=creature))


# --- wounds --------------------------------------------------------------------------------------------
# What a wound is after it was marked. A wound is treated by one check, never twice; only what was treated
# heals by itself. Nothing here changes hit points: a wound lowers what they can rise to.

HR_WND_5: Final = Rule(
    "HR-WND-5",
    "A wound brought to rank 0 or below is gone; where the house says so, one of rank 0 stays listed.",
    books.MECHANICS.at("Treating Wounds"),
    settles=("A-25",),
)
HR_WND_7: Final = Rule(
    "HR-WND-7",
    "One check treats all wounds that were not treated before; a treated wound is never treated again.",
    books.MECHANICS.at("Treating Wounds"),
)
HR_WND_8: Final = Rule(
    "HR-WND-8",
    "Treated wounds heal over long rests; untreated ones only where the house says so.",
    books.MECHANICS.at("Treating Wounds"),
    settles=("A-27",),
)
HR_WND_2: Final = Rule(
    "HR-WND-2",
    "The GM gives a wound a short description; until then it is just a wound.",
    books.MECHANICS.at("More Than 10 Damage"),
)


@record
class WoundDescribed(Event[State]):
    """The GM said what a wound looks like."""

    type: ClassVar[str] = "wound_described"
    creature: CreatureId
    wound: WoundId
    description: Looks

    def evolve(self, state: State) -> State:
        wounds = tuple(
            changed(wound, description=self.description) if wound.id == self.wound else wound
            for wound in state.creatures[self.creature].wounds
        )
        return state.with_creature(self.creature, wounds=wounds)


@record
class WoundTreated(Event[State]):
    """Wounds of a creature were treated, with what is left of each; none of them is treated again."""

    type: ClassVar[str] = "wound_treated"
    creature: CreatureId
    healer: HealerId
    total: Total
    ranks: NewRanks
    relief: Relief

    def evolve(self, state: State) -> State:
        wounds = with_ranks(state, state.creatures[self.creature].wounds, self.ranks)
        treated = tuple(changed(w, treated=True) if w.id in self.ranks else w for w in wounds)
        return state.with_creature(self.creature, wounds=treated)


@record
class WoundsEased(Event[State]):
    """Wounds of a creature have other ranks; what is healed is gone."""

    type: ClassVar[str] = "wounds_eased"
    creature: CreatureId
    ranks: NewRanks
    relief: Relief

    def evolve(self, state: State) -> State:
        wounds = with_ranks(state, state.creatures[self.creature].wounds, self.ranks)
        return state.with_creature(self.creature, wounds=wounds)


def ease(creature: str, wounds: tuple[Wound, ...], amount: int, because: tuple[str, ...]) -> WoundsEased:
    """Return that each of *wounds* of a creature is eased by *amount*."""
    return WoundsEased(
        creature=creature, ranks=eased(wounds, amount), relief=relief(wounds, amount), because=because
    )


def with_ranks(state: State, wounds: tuple[Wound, ...], ranks: Mapping[str, int]) -> tuple[Wound, ...]:
    """Return *wounds* with other ranks; those that are healed are left out."""
    new = (changed(wound, rank=ranks.get(wound.id, wound.rank)) for wound in wounds)
    return tuple(wound for wound in new if not is_healed(state, wound.rank))


@enforces(HR_WND_5)
def is_healed(state: State, rank: int) -> bool:
    """Return whether a wound of *rank* is gone."""
    return rank < 0 or (rank == 0 and not state.house.keep_rank0_wounds)


def eased(wounds: tuple[Wound, ...], amount: int) -> dict[str, int]:
    """Return the ranks of *wounds* after each is lowered by *amount*; -1 stands for all below zero."""
    return {wound.id: max(-1, wound.rank - amount) for wound in wounds}


def relief(wounds: tuple[Wound, ...], amount: int) -> int:
    """Return by how many ranks *wounds* ease, all together, if each is lowered by *amount*."""
    return sum(min(wound.rank, amount) for wound in wounds)


@enforces(HR_WND_7)
def treatable(wounds: tuple[Wound, ...]) -> tuple[Wound, ...]:
    """Return the wounds that were not treated before."""
    return tuple(wound for wound in wounds if not wound.treated)


@enforces(HR_WND_8)
def heals_by_itself(state: State, wound: Wound) -> bool:
    """Return whether a long rest eases *wound*."""
    return wound.treated or state.house.untreated_wounds_heal


@enforces(HR_WND_2)
@record
class DescribeWound(Command[State]):
    """Describe a wound in a few words, as the GM."""

    type: ClassVar[str] = "describe_wound"
    sentence: ClassVar[str] = "Describe a wound[ of {creature}]"
    creature: CreatureId
    wound: WoundId
    description: Looks

    def check(self, view: State) -> None:
        gm(self)
        wounds_of(view, self.creature)
        if all(wound.id != self.wound for wound in view.creatures[self.creature].wounds):
            raise Refused("wound_none", f"{self.creature} has no wound {self.wound}", HR_WND_2.id)
        if not 0 < len(self.description) <= SAID_LENGTH:
            raise Refused(
                "params_missing", f"write 1 to {SAID_LENGTH} characters in `description`", HR_WND_2.id
            )

    def decide(self, state: State) -> Emits[State]:
        return (yield WoundDescribed(creature=self.creature, wound=self.wound, description=self.description))


def wounds_of(view: State, creature: str) -> tuple[Wound, ...]:
    """Return the wounds of *creature*; refused where there is no such creature or it has none."""
    found = view.creatures.get(creature)
    if found is None:
        raise Refused("no_such_creature", f"there is no creature {creature}", "TABLE-SEAT-1")
    if not found.wounds:
        raise Refused("wound_none", f"{creature} has no wounds", "HR-WND-4")
    return found.wounds


# --- zero hit points -----------------------------------------------------------------------------------
# What hit points at and below zero mean.

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
    "A creature at zero that does not choose to fall unconscious falls unconscious after ten minutes.",
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
    creature: CreatureId
    clock_s: Seconds
    """The campaign second at which it fell."""

    def evolve(self, state: State) -> State:
        return state.with_creature(self.creature, down_since_s=self.clock_s)


@enforces(HR_ZERO_6)
@record
class FellUnconscious(Event[State]):
    """A creature falls unconscious: it lets go of what it holds, and misses the later steps."""

    type: ClassVar[str] = "unconscious"
    creature: CreatureId
    reason: Literal["chosen", "ten_minutes", "zero", "effect"]
    """Why it fell unconscious."""

    def evolve(self, state: State) -> State:
        return let_go(state.with_creature(self.creature, status="unconscious"), self.creature, dead=False)


@record
class Died(Event[State]):
    """A creature is dead."""

    type: ClassVar[str] = "died"
    creature: CreatureId

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
    """Emit who falls unconscious because ten minutes have passed since it came to zero."""
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
    sentence: ClassVar[str] = "Let yourself fall unconscious"
    creature: CreatureId

    def check(self, view: State) -> None:
        creature = self._faller(view)
        if creature.hp > 0:
            raise Refused("hp_positive", f"{self.creature} has {creature.hp} hit points", HR_ZERO_1.id)

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
