"""List the effects on creatures that only the GM has: what no rule does by itself, what mends a mistake."""

from __future__ import annotations

from typing import ClassVar

from service.rules.heartrush.creatures.bonds import let_go
from service.rules.heartrush.creatures.healing import wake
from service.rules.heartrush.harm.zero import die_at_the_line, fall_to_zero
from service.rules.heartrush.operations.effects import Effect, EffectsFrame, no_such
from service.rules.heartrush.state import State
from service.rules.kernel.messages import Emits, Event
from service.rules.kernel.records import changed, record
from service.rules.rolls.chance import Chance

# --- life ------------------------------------------------------------------------------------------


@record
class HpSet(Event[State]):
    """Hit points were set by the GM's word; no damage was dealt and nothing was healed."""

    type: ClassVar[str] = "hp_set"
    creature: str
    hp: int

    def evolve(self, state: State) -> State:
        clock = {"down_since_s": None} if self.hp > 0 else {}
        return state.with_creature(self.creature, hp=self.hp, **clock)


def _kept_back(view: State, creature: str) -> str | None:
    """Return why the hit points of *creature* cannot be set: a ruling is public, and they are not."""
    if "hp" not in view.gm_only_of(creature):
        return None
    return f"the hit points of {creature} are GM-only: harm it, heal it, or show its sheet first"


@record
class SetHp(Effect):
    """Set a creature's hit points; zero, death and waking follow from them as always."""

    kind: ClassVar[str] = "hp"
    creature: str
    hp: int

    def fault(self, view: State) -> str | None:
        fault = no_such(view, self.creature) or _kept_back(view, self.creature)
        if fault or self.hp <= view.creatures[self.creature].sheet.hp_max:
            return fault
        return f"{self.creature} has at most {view.creatures[self.creature].sheet.hp_max} hit points"

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        before = state.creatures[self.creature].hp
        state = yield HpSet(creature=self.creature, hp=self.hp, because=frame.rules)
        state = yield from die_at_the_line(state, self.creature)
        state = yield from fall_to_zero(state, self.creature, before)
        return (yield from wake(state, self.creature))


@record
class Restored(Event[State]):
    """A creature that was dead or gone is back, awake, with these hit points."""

    type: ClassVar[str] = "restored"
    creature: str
    hp: int

    def evolve(self, state: State) -> State:
        down = state.clock_s if self.hp <= 0 else None
        return state.with_creature(self.creature, status="active", hp=self.hp, down_since_s=down)


@record
class Restore(Effect):
    """Bring back a creature that died, or left, by mistake or by wonder."""

    kind: ClassVar[str] = "restore"
    creature: str
    hp: int

    def fault(self, view: State) -> str | None:
        found = view.creatures.get(self.creature)
        if found is None:
            return f"there is no creature {self.creature}"
        if found.status not in ("dead", "gone"):
            return f"{self.creature} is neither dead nor gone"
        if (fault := _kept_back(view, self.creature)) is not None:
            return fault
        limit = found.sheet.hp_max
        return None if -limit < self.hp <= limit else f"more than {-limit} and at most {limit} hit points"

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        return (yield Restored(creature=self.creature, hp=self.hp, because=frame.rules))


@record
class CreatureLeft(Event[State]):
    """A creature is out of the fight alive: it fled, yielded or was taken away."""

    type: ClassVar[str] = "creature_left"
    creature: str

    def evolve(self, state: State) -> State:
        return let_go(state.with_creature(self.creature, status="gone"), self.creature, dead=True)


@record
class Withdraw(Effect):
    """Take a creature out of the fight alive; it takes part in nothing any more."""

    kind: ClassVar[str] = "withdraw"
    creature: str

    def fault(self, view: State) -> str | None:
        return no_such(view, self.creature)

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        return (yield CreatureLeft(creature=self.creature, because=frame.rules))


# --- openings and sight ----------------------------------------------------------------------------


@record
class Exposed(Event[State]):
    """A creature was ruled open to opportunity attacks, or no longer so."""

    type: ClassVar[str] = "exposed"
    creature: str
    exposed: bool

    def evolve(self, state: State) -> State:
        return state.with_creature(self.creature, exposed=self.exposed)


@record
class Expose(Effect):
    """Rule a helpless creature open to opportunity attacks, or no longer so."""

    kind: ClassVar[str] = "expose"
    creature: str
    exposed: bool = True

    def fault(self, view: State) -> str | None:
        return no_such(view, self.creature)

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        return (yield Exposed(creature=self.creature, exposed=self.exposed, because=frame.rules))


@record
class SurpriseRuled(Event[State]):
    """A creature was ruled surprised, or not."""

    type: ClassVar[str] = "surprise_ruled"
    creature: str
    surprised: bool

    def evolve(self, state: State) -> State:
        return state.with_creature(self.creature, surprised=self.surprised)


@record
class Surprise(Effect):
    """Rule a creature surprised for round 1, or not; only before priority is granted."""

    kind: ClassVar[str] = "surprise"
    creature: str
    surprised: bool = True

    def fault(self, view: State) -> str | None:
        if view.phase != "precombat":
            return "surprise is ruled before priority is granted"
        return no_such(view, self.creature)

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        return (yield SurpriseRuled(creature=self.creature, surprised=self.surprised, because=frame.rules))


@record
class UnawareRuled(Event[State]):
    """Which side did not expect the attack was ruled on."""

    type: ClassVar[str] = "unaware_ruled"
    side: str | None

    def evolve(self, state: State) -> State:
        return changed(state, unaware_side=self.side)


@record
class Unaware(Effect):
    """Rule which side did not expect the attack; null is neither. Only before priority is granted."""

    kind: ClassVar[str] = "unaware"
    side: str | None

    def fault(self, view: State) -> str | None:
        if view.phase != "precombat":
            return "who was unaware is ruled before priority is granted"
        return None if self.side is None or self.side in view.sides else f"there is no side {self.side}"

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        return (yield UnawareRuled(side=self.side, because=frame.rules))


@record
class HiddenRuled(Event[State]):
    """From whom a creature is hidden was ruled on."""

    type: ClassVar[str] = "hidden_ruled"
    creature: str
    hidden_from: tuple[str, ...]

    def evolve(self, state: State) -> State:
        return state.with_creature(self.creature, hidden_from=self.hidden_from)


@record
class Hide(Effect):
    """Rule from whom a creature is hidden: the list replaces what was; an empty one shows it to all."""

    kind: ClassVar[str] = "hidden"
    creature: str
    hidden_from: tuple[str, ...]

    def fault(self, view: State) -> str | None:
        found = (no_such(view, name, dead=True) for name in (self.creature, *self.hidden_from))
        return next((fault for fault in found if fault), None)

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        return (yield HiddenRuled(creature=self.creature, hidden_from=self.hidden_from, because=frame.rules))
