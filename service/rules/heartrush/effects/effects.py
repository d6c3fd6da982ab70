"""List the kinds of effect that abilities bring: what each names, when it cannot be, what comes of it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, ClassVar, Final, Literal

from service.rules.heartrush.body.actions import RushGained, winded, wounded
from service.rules.heartrush.body.conditions import CONDITIONS, ConditionLost, ConditionsFaded, gain, kind_of
from service.rules.heartrush.body.damage import WoundMarked, hurt
from service.rules.heartrush.body.lasting import EffectEnded, EffectLaid, M, passives
from service.rules.heartrush.body.operations import (
    MOST,
    Effect,
    EffectsFrame,
    OnCreature,
    amount_fault,
    no_such,
    rolled,
)
from service.rules.heartrush.body.weapons import is_wet
from service.rules.heartrush.body.wounds import (
    Died,
    FellUnconscious,
    die_at_the_line,
    ease,
    fall_to_zero,
    heal,
)
from service.rules.heartrush.creatures.abilities import Aura, DicePool, Lasting, Lasts, Modifier, NextRush
from service.rules.heartrush.creatures.adjacency import is_adjacent
from service.rules.heartrush.creatures.sheet import DieSize
from service.rules.heartrush.creatures.size_and_bonds import BONDS
from service.rules.heartrush.creatures.state import MINUTE_S, Creature, State
from service.rules.heartrush.effects.condition_words import lone_fault, word_fault
from service.rules.heartrush.moving.climbing import climb_onto
from service.rules.heartrush.moving.dash_and_sidestep import check_sidestep
from service.rules.heartrush.moving.grapple import HR_GRAP_5, seize
from service.rules.heartrush.moving.movement import at_most_one_size_larger, walk
from service.rules.heartrush.timing.engagement import engagement_open
from service.rules.heartrush.values import ActionsLeft, Cause, EndPlace, HeartDie
from service.rules.kernel.meaning import within
from service.rules.kernel.messages import Emits, Event, Refused
from service.rules.kernel.records import changed, record
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.values import (
    Amount,
    ConditionName,
    Count,
    CreatureId,
    CreatureRef,
    DiceCount,
    Levels,
    Points,
    Rank,
    WoundId,
)
from service.rules.rolls.chance import Chance
from service.rules.table.unchanged import Why

# --- kinds of effect -----------------------------------------------------------------------------------
# What each names, when it cannot be, and what comes of it. Each runs through the chapter of its subject:
# damage is shrugged off, healing stops at wounds, pushes collide.

# --- hit points ------------------------------------------------------------------------------------


@record
class Damage(OnCreature):
    """Deal damage through the usual pipeline: it may be shrugged off, it may wound and kill."""

    kind: ClassVar[str] = "damage"
    amount: Amount = 0
    dice: Annotated[tuple[DieSize, ...], "The dice, each as its number of sides."] = ()
    cause: Cause | None = None

    def fault(self, view: State) -> str | None:
        return no_such(view, self.creature) or amount_fault(self.amount, self.dice)

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        if no_such(state, self.creature):
            return state
        state, amount = yield from rolled(state, chance, frame, self.creature, self.amount, self.dice)
        path, cause = frame.path_of("damage"), self.cause or frame.cause
        return (yield from hurt(state, path, self.creature, amount, source=frame.source, cause=cause))


@record
class Heal(OnCreature):
    """Give hit points back, as far as wounds allow."""

    kind: ClassVar[str] = "heal"
    amount: Amount = 0
    dice: Annotated[tuple[DieSize, ...], "The dice, each as its number of sides."] = ()

    def fault(self, view: State) -> str | None:
        return no_such(view, self.creature) or amount_fault(self.amount, self.dice)

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        if no_such(state, self.creature):
            return state
        state, amount = yield from rolled(state, chance, frame, self.creature, self.amount, self.dice)
        return (yield from heal(state, self.creature, amount, frame.source))


@record
class Wound(OnCreature):
    """Mark a wound without any damage."""

    kind: ClassVar[str] = "wound"
    rank: Annotated[Rank, "The rank."]

    def fault(self, view: State) -> str | None:
        return no_such(view, self.creature) or (None if 1 <= self.rank <= MOST else "a rank of 1 or more")

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        wound, before = frame.path_of("wound"), state.creatures[self.creature].hp
        state = yield WoundMarked(creature=self.creature, wound=wound, rank=self.rank, because=frame.rules)
        state = yield from wounded(state, self.creature)
        state = yield from die_at_the_line(state, self.creature)  # the house may clamp to what a wound leaves
        return (yield from fall_to_zero(state, self.creature, before))


@record
class EaseWounds(OnCreature):
    """Lower the rank of a creature's wounds, all of them or one."""

    kind: ClassVar[str] = "ease_wounds"
    unmet: ClassVar[Why] = "not_there"
    amount: Amount
    wound: WoundId | None = None

    def fault(self, view: State) -> str | None:
        fault = no_such(view, self.creature) or amount_fault(self.amount, ())
        if fault or self.wound is None:
            return fault
        known = (wound.id for wound in view.creatures[self.creature].wounds)
        return None if self.wound in known else f"{self.creature} has no wound {self.wound}"

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        wounds = state.creatures[self.creature].wounds
        chosen = tuple(wound for wound in wounds if self.wound in (None, wound.id))
        if not chosen:
            return state
        return (yield ease(self.creature, chosen, self.amount, frame.rules))


@record
class Die(OnCreature):
    """Kill a creature outright."""

    kind: ClassVar[str] = "die"

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        if no_such(state, self.creature):
            return state
        return (yield Died(creature=self.creature, because=frame.rules))


@record
class KnockOut(OnCreature):
    """Make a creature lose consciousness, whatever its hit points."""

    kind: ClassVar[str] = "knock_out"

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        if state.creatures[self.creature].status != "active":
            return state
        return (yield FellUnconscious(creature=self.creature, reason="effect", because=frame.rules))


@record
class HeartDieSet(Event[State]):
    """A heart die became another."""

    type: ClassVar[str] = "heart_die_set"
    creature: CreatureId
    heart_die: HeartDie

    def evolve(self, state: State) -> State:
        return state.with_creature(self.creature, heart_die=self.heart_die)


@record
class SetHeartDie(OnCreature):
    """Give a creature another heart die; null is the largest it may have."""

    kind: ClassVar[str] = "heart_die"
    die: Annotated[DieSize | None, "The sides of the die; null for the largest that it may have."] = None

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        die = self.die or state.creatures[self.creature].sheet.heart_die
        return (yield HeartDieSet(creature=self.creature, heart_die=die, because=frame.rules))


# --- conditions ------------------------------------------------------------------------------------


LASTS_S: Final[Mapping[str, int]] = MappingProxyType({"minute": MINUTE_S})
"""How long a condition lasts that is laid for a time."""


@record
class GainCondition(OnCreature):
    """Lay levels of a condition on a creature."""

    kind: ClassVar[str] = "condition"
    unmet: ClassVar[Why] = "not_possible"
    condition: ConditionName
    levels: Levels = 1
    by: CreatureRef | None = None
    """The second creature of fear, rage, charm, a hold or a climb; null is who causes the effect."""
    custom: bool = False
    """Whether the condition is one of the GM's own, which does nothing by itself."""
    lasts: Annotated[Literal["minute"] | None, "How long it lasts; null is until something ends it."] = None

    def misused(self, *, caused: bool) -> str | None:
        if self.lasts is not None and self.condition in BONDS:
            return f"{self.condition} lasts as long as the two are together"
        return word_fault(self.condition, custom=self.custom, other=caused or self.by is not None)

    def fault(self, view: State) -> str | None:
        other = None if self.by is None else no_such(view, self.by)
        fault = no_such(view, self.creature) or other or self.misused(caused=False)
        if fault is not None:
            return fault
        if not 1 <= self.levels <= MOST:
            return "1 level or more"
        ends = tied_ends(self.condition, self.creature, self.by or "")
        if ends is None and self.by == self.creature:
            return f"{self.condition} is of another creature than {self.by} itself"
        return None if ends is None else tie_fault(view, self.condition, *ends)

    @enforces(HR_GRAP_5)
    def clash(self, earlier: Effect) -> str | None:
        """Return what a bond of *earlier* leaves no room for: itself again, or another at an end of it.

        Who causes an effect is not known here, so both have to name their second creature.
        """
        if not isinstance(earlier, GainCondition) or self.by is None or earlier.by is None:
            return None
        mine = tied_ends(self.condition, self.creature, self.by)
        other = tied_ends(earlier.condition, earlier.creature, earlier.by)
        if mine is None or other is None or ("grappl" in self.condition) != ("grappl" in earlier.condition):
            return None
        if set(mine) == set(other):
            return f"an effect before it ties {other[0]} and {other[1]} already"
        if mine[0] == other[0]:
            return f"an effect before it ties {mine[0]} to {other[1]} already"
        is_taken = mine[1] == other[1] and "grappl" in self.condition
        return f"an effect before it has {other[0]} hold {mine[1]} already" if is_taken else None

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        if no_such(state, self.creature):
            return state
        other = self.by or frame.source
        ends = None if other is None else tied_ends(self.condition, self.creature, other)
        if ends is not None:
            if tie_fault(state, self.condition, *ends) is not None:
                return state
            return (yield from (seize if "grappl" in self.condition else climb_onto)(state, *ends))
        lasts_s = None if self.lasts is None else LASTS_S[self.lasts]
        return (yield from gain(state, self.creature, self.condition, self.levels, other, lasts_s=lasts_s))


def tied_ends(condition: str, creature: str, other: str) -> tuple[str, str] | None:
    """Return who holds whom, or who climbs on whom, by an end of a bond; None for other conditions."""
    if condition in ("grappling", "creature_climber"):
        return creature, other
    return (other, creature) if condition in ("grappled", "climbed_on") else None


def tie_fault(view: State, condition: str, one: str, other: str) -> str | None:
    """Return what keeps *one* from holding *other*, or from climbing on it."""
    first, second = view.creatures[one], view.creatures[other]
    if one == other or not is_adjacent(view, first, second):
        return f"{one} is not next to {other}"
    if "grappl" in condition:
        taken = first.has("grappling") or second.has("grappled")
        return f"{one} holds somebody, or {other} is held" if taken else None
    if first.rank >= second.rank:
        return f"{one} is no smaller than {other}"
    return f"{one} climbs on somebody already" if first.has("creature_climber") else None


@record
class LoseCondition(OnCreature):
    """Take levels of a condition off a creature; null takes all of it."""

    kind: ClassVar[str] = "lose_condition"
    unmet: ClassVar[Why] = "not_there"
    condition: ConditionName
    levels: Levels | None = None

    def fault(self, view: State) -> str | None:
        if self.levels is not None and not 1 <= self.levels <= MOST:
            return "1 level or more, or null"
        return no_such(view, self.creature) or self._missing(view.creatures[self.creature])

    def _missing(self, found: Creature) -> str | None:
        """Return why *found* cannot lose the condition: it is no condition, or comes from a hold."""
        if self.condition in found.conditions:
            return None
        if found.has(self.condition):
            return f"{self.creature} is {self.condition} by a hold: take its grappled"
        return None if self.condition in CONDITIONS else word_fault(self.condition, custom=False, other=True)

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        own = state.creatures[self.creature].conditions.get(self.condition)
        if own is None:
            return state
        if self.levels is None or self.levels >= own.level:
            return (
                yield ConditionLost(creature=self.creature, condition=self.condition, because=frame.rules)
            )
        left = {self.creature: {self.condition: own.level - self.levels}}
        return (yield ConditionsFaded(levels=left, because=frame.rules))


# --- means -----------------------------------------------------------------------------------------


@record
class GainRush(OnCreature):
    """Give rush points, or take them: never below zero."""

    kind: ClassVar[str] = "rush"
    unmet: ClassVar[Why] = "not_possible"
    points: Annotated[Points, within(-MOST, MOST)]
    """How many points."""

    def fault(self, view: State) -> str | None:
        if view.paused():
            return "outside combat nobody has rush points"
        return no_such(view, self.creature)

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        if state.paused():  # HR-RUSH-1: the pool is empty
            return state
        points = max(self.points, -state.creatures[self.creature].rush)
        return (yield RushGained(gains={self.creature: points}, because=frame.rules))


@record
class ActionGiven(Event[State]):
    """A creature has another number of actions left this round."""

    type: ClassVar[str] = "action_given"
    creature: CreatureId
    action: ActionsLeft

    def evolve(self, state: State) -> State:
        return state.with_creature(self.creature, action=self.action)


@record
class GiveAction(OnCreature):
    """Give actions for this round, or take them: never below zero."""

    kind: ClassVar[str] = "action"
    actions: Annotated[Count, within(-MOST, MOST)] = 1
    """How many actions it gains."""

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        action = max(0, state.creatures[self.creature].action + self.actions)
        return (yield ActionGiven(creature=self.creature, action=action, because=frame.rules))


# --- kinds of effect of abilities alone ----------------------------------------------------------------
# What affects creatures, and more. What changes the rolls and the damage of an attack stands in
# `riders.py`.

HR_RUSH_5: Final = Rule(
    "HR-RUSH-5",
    "Rush promised for the next round comes when it begins, after the round's own.",
    RULING,
)


# --- what affects creatures -----------------------------------------------------------------------


@record
class Lay(OnCreature):
    """Leave a modifier on a creature for a time; one laid until reused takes the place of the last."""

    kind: ClassVar[str] = "lay"
    modifier: Annotated[Modifier, "What it changes."]
    lasts: Annotated[Lasts, "How long it lasts."]

    def misused(self, *, caused: bool) -> str | None:
        if not isinstance(self.modifier, Aura):
            return None
        return lone_fault(self.modifier.condition, caused=caused)

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
class LayPool(OnCreature):
    """Give a creature a pool of dice to add to its defense rolls: *each* for every point of rush."""

    kind: ClassVar[str] = "lay_pool"
    unmet: ClassVar[Why] = "not_possible"
    sides: Annotated[DieSize, "The number of sides of its dice."]
    each: Annotated[DiceCount, "How many dice for each point of rush."]
    rush: Points | Literal["$rush"] = "$rush"
    """The rush points that count; `$rush` for those that the user pays."""

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        left = self.each * (self.rush if isinstance(self.rush, int) else 0)
        if not left:
            return state
        laid = Lay(creature=self.creature, modifier=DicePool(sides=self.sides, left=left), lasts="ongoing")
        return (yield from laid.tell(state, chance, frame))


# --- bodies ---------------------------------------------------------------------------------------


@record
class HealHeart(OnCreature):
    """Heal the highest face of the creature's largest heart die."""

    kind: ClassVar[str] = "heal_heart"

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        most = state.creatures[self.creature].sheet.heart_die
        return (yield from heal(state, self.creature, most, frame.source))


@record
class EaseConditions(OnCreature):
    """Take one level off every condition with levels."""

    kind: ClassVar[str] = "ease_conditions"
    unmet: ClassVar[Why] = "not_there"

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        conditions = state.creatures[self.creature].conditions
        levels = {key: found.level - 1 for key, found in conditions.items() if kind_of(key).levels > 1}
        if not levels:
            return state
        return (yield ConditionsFaded(levels={self.creature: levels}, because=frame.rules))


@record
class KnockDown(OnCreature):
    """Knock a creature prone, or give it levels of a condition if it is more than one size larger."""

    kind: ClassVar[str] = "knock_down"
    otherwise: Annotated[ConditionName, "What happens to a creature that cannot fall."] = "weakened"
    levels: Levels = 2

    def misused(self, *, caused: bool) -> str | None:
        return lone_fault(self.otherwise, caused=caused)

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        source = state.creatures[frame.source or self.creature]
        if at_most_one_size_larger(state.creatures[self.creature], source):
            return (yield from gain(state, self.creature, "prone", 1, frame.source))
        return (yield from gain(state, self.creature, self.otherwise, self.levels, frame.source))


@record
class Soak(OnCreature):
    """Restrain a creature by cold: one level, two if it is wet."""

    kind: ClassVar[str] = "soak"
    condition: ConditionName = "restrained"
    lasts: Annotated[Literal["minute"] | None, "How long it lasts; null is until something ends it."] = None

    def misused(self, *, caused: bool) -> str | None:
        return lone_fault(self.condition, caused=caused)

    def fault(self, view: State) -> str | None:
        return no_such(view, self.creature) or self.misused(caused=False)

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        wet = is_wet(state, state.creatures[self.creature])
        levels, lasts_s = 2 if wet else 1, None if self.lasts is None else LASTS_S[self.lasts]
        return (yield from gain(state, self.creature, self.condition, levels, frame.source, lasts_s=lasts_s))


@record
class EarlySidestepTaken(Event[State]):
    """The free sidestep of the agility stance was taken before its step."""

    type: ClassVar[str] = "early_sidestep_taken"
    creature: CreatureId

    def evolve(self, state: State) -> State:
        frame = engagement_open(state)
        if frame is None:
            return state
        state = state.put(changed(frame, sidestepped=(*frame.sidestepped, self.creature)))
        return winded(state, self.creature, "sidestep")


@record
class EarlySidestep(OnCreature):
    """Take the sidestep of the agility stance now."""

    kind: ClassVar[str] = "early_sidestep"
    unmet: ClassVar[Why] = "not_possible"
    to: EndPlace

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        assert isinstance(self.to, tuple), "the place is filled"
        try:
            check_sidestep(state, state.creatures[self.creature], self.to, stand=False)
        except Refused:
            return state
        state = yield EarlySidestepTaken(creature=self.creature, because=frame.rules)
        return (yield from walk(state, self.creature, (self.to,), how="sidestep"))


# --- with the rounds ------------------------------------------------------------------------------


def effects_of_round(state: State) -> Emits[State]:
    """Emit which effects have run out by the clock, and what auras do at the start of a round."""
    for one in state.lasting:
        if one.until_s is not None and state.clock_s >= one.until_s:
            state = yield EffectEnded(effect=one.id, reason="ran_out", because=("HR-CAST-3",))
    state = yield from queued_rush(state)
    for one in state.lasting:
        if isinstance(one.modifier, Aura):
            for centre in one.on:
                state = yield from _radiate(state, one.modifier, state.creatures[centre])
    for centre, aura in _always(state, Aura):
        state = yield from _radiate(state, aura, state.creatures[centre])
    return state


@enforces(HR_RUSH_5)
def queued_rush(state: State) -> Emits[State]:
    """Emit the rush promised for this round, and the end of each effect that promised it."""
    for one in state.lasting:
        if isinstance(one.modifier, NextRush):
            here = tuple(name for name in one.on if state.creatures[name].is_present)
            if here:
                state = yield RushGained(gains=dict.fromkeys(here, one.modifier.points))
            state = yield EffectEnded(effect=one.id, reason="used", because=("HR-RUSH-5",))
    for name, promise in _always(state, NextRush):
        state = yield RushGained(gains={name: promise.points})
    return state


def _always(state: State, kind: type[M]) -> tuple[tuple[str, M], ...]:
    """Return who has a modifier of one kind by a passive ability, and the modifier."""
    return tuple(
        (creature.id, modifier)
        for creature in state.creatures.values()
        if creature.sheet.abilities and creature.is_present
        for modifier in passives(state, creature)
        if isinstance(modifier, kind)
    )


def _radiate(state: State, aura: Aura, centre: Creature) -> Emits[State]:
    for other in state.creatures.values():
        near = other.id != centre.id and state.distance(centre, other) <= aura.within_ft
        if near and centre.is_present and other.is_present:
            state = yield from gain(state, other.id, aura.condition, aura.levels, centre.id)
    return state
