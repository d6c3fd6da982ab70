"""Add the kinds of effect that abilities bring beside those of rulings: what lies on creatures, and more.

What changes the rolls and the damage of an attack stands in `roll_effects.py`.
"""

from __future__ import annotations

from typing import ClassVar, Final, Literal

from service.rules.heartrush.creatures.cantrips import is_wet
from service.rules.heartrush.creatures.healing import heal
from service.rules.heartrush.creatures.lasting import EffectEnded, EffectLaid
from service.rules.heartrush.engagements.scene import engagement_open
from service.rules.heartrush.harm.conditions import ConditionsFaded, gain, kind_of
from service.rules.heartrush.means.rush import RushGained
from service.rules.heartrush.movement.moved import Moved
from service.rules.heartrush.movement.movement import bumped_into
from service.rules.heartrush.movement.sidestep import check_sidestep
from service.rules.heartrush.movement.trips import at_most_one_size_larger
from service.rules.heartrush.operations.effects import Effect, EffectsFrame, no_such
from service.rules.heartrush.sheets.abilities import Lasting, Lasts, Modifier
from service.rules.heartrush.sheets.modifiers import Aura, DicePool, NextRush
from service.rules.heartrush.sheets.sheet import DieSize
from service.rules.heartrush.state import Creature, State
from service.rules.kernel.messages import Emits, Event, Refused
from service.rules.kernel.records import changed, record
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.rolls.chance import Chance
from service.rules.secrecy.hiding import OccupiedSpace

HR_RUSH_5: Final = Rule(
    "HR-RUSH-5",
    "Rush promised for the beginning of the next round is queued, and comes after the round's own.",
    RULING,
)


MINUTE_S: Final = 60


# --- what lies on creatures -----------------------------------------------------------------------


@record
class Lay(Effect):
    """Leave a modifier on a creature for a time; one laid until reused takes the place of the last."""

    kind: ClassVar[str] = "lay"
    creature: str
    modifier: Modifier
    lasts: Lasts

    def fault(self, view: State) -> str | None:
        return no_such(view, self.creature)

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        source = frame.source or self.creature
        if self.lasts == "until_reused":
            for old in state.lasting:
                if (old.source, old.ability) == (source, frame.cause):
                    state = yield EffectEnded(effect=old.id, reason="replaced", because=frame.rules)
        laid = Lasting(
            id=frame.path_of(f"{self.creature}-{type(self.modifier).kind}"),
            source=source,
            ability=frame.cause,
            on=(self.creature,),
            modifier=self.modifier,
            lasts=self.lasts,
            until_s=state.clock_s + MINUTE_S if self.lasts == "minute" else None,
        )
        return (yield EffectLaid(effect=laid, because=frame.rules))


@record
class LayPool(Effect):
    """Give a creature a pool of dice to add to its defense rolls: *each* for every point of rush."""

    kind: ClassVar[str] = "lay_pool"
    creature: str
    sides: DieSize
    each: int
    rush: int | Literal["$rush"] = "$rush"

    def fault(self, view: State) -> str | None:
        return no_such(view, self.creature)

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        left = self.each * (self.rush if isinstance(self.rush, int) else 0)
        laid = Lay(creature=self.creature, modifier=DicePool(sides=self.sides, left=left), lasts="ongoing")
        return (yield from laid.tell(state, chance, frame))


# --- bodies ---------------------------------------------------------------------------------------


@record
class HealHeart(Effect):
    """Heal the highest face of the creature's largest heart die."""

    kind: ClassVar[str] = "heal_heart"
    creature: str

    def fault(self, view: State) -> str | None:
        return no_such(view, self.creature)

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        most = state.creatures[self.creature].sheet.heart_die
        return (yield from heal(state, self.creature, most, frame.source))


@record
class EaseConditions(Effect):
    """Take one level off every condition with levels."""

    kind: ClassVar[str] = "ease_conditions"
    creature: str

    def fault(self, view: State) -> str | None:
        return no_such(view, self.creature)

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        conditions = state.creatures[self.creature].conditions
        levels = {key: found.level - 1 for key, found in conditions.items() if kind_of(key).levels > 1}
        if not levels:
            return state
        return (yield ConditionsFaded(levels={self.creature: levels}, because=frame.rules))


@record
class KnockDown(Effect):
    """Knock a creature prone, or give it levels of a condition if it is more than one size larger."""

    kind: ClassVar[str] = "knock_down"
    creature: str
    otherwise: str = "weakened"
    levels: int = 2

    def fault(self, view: State) -> str | None:
        return no_such(view, self.creature)

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        source = state.creatures[frame.source or self.creature]
        if at_most_one_size_larger(state.creatures[self.creature], source):
            return (yield from gain(state, self.creature, "prone", 1, frame.source))
        return (yield from gain(state, self.creature, self.otherwise, self.levels, frame.source))


@record
class Soak(Effect):
    """Restrain a creature by cold: one level, two if it is wet."""

    kind: ClassVar[str] = "soak"
    creature: str
    condition: str = "restrained"

    def fault(self, view: State) -> str | None:
        return no_such(view, self.creature)

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        wet = is_wet(state, state.creatures[self.creature])
        return (yield from gain(state, self.creature, self.condition, 2 if wet else 1, frame.source))


@record
class EarlySidestepTaken(Event[State]):
    """The free sidestep of the agility stance was taken before its step."""

    type: ClassVar[str] = "early_sidestep_taken"
    creature: str

    def evolve(self, state: State) -> State:
        frame = engagement_open(state)
        if frame is None:
            return state
        return state.put(changed(frame, sidestepped=(*frame.sidestepped, self.creature)))


@record
class EarlySidestep(Effect):
    """Take the sidestep of the agility stance now."""

    kind: ClassVar[str] = "early_sidestep"
    creature: str
    to: str | tuple[int, int]

    def fault(self, view: State) -> str | None:
        return no_such(view, self.creature)

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        assert isinstance(self.to, tuple), "the place is filled"
        try:
            check_sidestep(state, state.creatures[self.creature], self.to, stand=False)
        except Refused:
            return state
        state = yield EarlySidestepTaken(creature=self.creature, because=frame.rules)
        hidden_creature = state.hidden_creature_in(
            OccupiedSpace(self.to, state.creatures[self.creature].space)
        )
        if hidden_creature is not None:
            return (yield from bumped_into(state, self.creature, hidden_creature))
        return (
            yield Moved(creature=self.creature, path=(self.to,), feet=5, how="sidestep", because=frame.rules)
        )


@record
class Drag(Effect):
    """Move the user 5 ft and whom it holds into the cell it leaves."""

    kind: ClassVar[str] = "drag"
    creature: str
    to: str | tuple[int, int]

    def fault(self, view: State) -> str | None:
        return no_such(view, self.creature)

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        assert frame.source is not None
        assert isinstance(self.to, tuple), "the place is filled"
        old = state.creatures[frame.source].position
        state = yield Moved(creature=frame.source, path=(self.to,), feet=0, how="placed", because=frame.rules)
        return (yield Moved(creature=self.creature, path=(old,), feet=0, how="placed", because=frame.rules))


# --- with the rounds ------------------------------------------------------------------------------


def effects_of_round(state: State) -> Emits[State]:
    """Tell which effects have run out by the clock, and what auras do at the start of a round."""
    for one in state.lasting:
        if one.until_s is not None and state.clock_s >= one.until_s:
            state = yield EffectEnded(effect=one.id, reason="ran_out", because=("HR-CAST-3",))
    state = yield from queued_rush(state)
    for one in state.lasting:
        if isinstance(one.modifier, Aura):
            for centre in one.on:
                state = yield from _radiate(state, one.modifier, state.creatures[centre])
    return state


@enforces(HR_RUSH_5)
def queued_rush(state: State) -> Emits[State]:
    """Emit the rush promised for this round, and the end of each effect that promised it."""
    for one in state.lasting:
        if isinstance(one.modifier, NextRush):
            state = yield RushGained(gains=dict.fromkeys(one.on, one.modifier.points))
            state = yield EffectEnded(effect=one.id, reason="used", because=("HR-RUSH-5",))
    return state


def _radiate(state: State, aura: Aura, centre: Creature) -> Emits[State]:
    for other in state.creatures.values():
        near = other.id != centre.id and state.distance(centre, other) <= aura.within_ft
        if near and centre.is_present and other.is_present:
            state = yield from gain(state, other.id, aura.condition, aura.levels, centre.id)
    return state
