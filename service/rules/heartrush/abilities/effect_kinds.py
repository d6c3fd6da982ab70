"""List the kinds of effect: what each names, when it cannot be, and what comes of it.

Each runs through the chapter of its subject: damage is shrugged off, healing stops at wounds, pushes collide.
"""

from __future__ import annotations

from typing import ClassVar

from service.rules.heartrush.creatures.healing import heal
from service.rules.heartrush.harm.conditions import ConditionLost, ConditionsFaded, gain
from service.rules.heartrush.harm.damage import WoundMarked, hurt
from service.rules.heartrush.harm.wounds import WoundsEased, eased
from service.rules.heartrush.harm.zero import Died, FellUnconscious
from service.rules.heartrush.means.rush import RushGained
from service.rules.heartrush.movement.forced import PushBegun
from service.rules.heartrush.movement.moved import Moved
from service.rules.heartrush.operations.effects import (
    MOST,
    Effect,
    EffectsFrame,
    amount_fault,
    no_such,
    rolled,
)
from service.rules.heartrush.sheets.sheet import DieSize
from service.rules.heartrush.space.paths import is_walled
from service.rules.heartrush.state import State
from service.rules.kernel.messages import Emits, Event
from service.rules.kernel.records import record
from service.rules.rolls.chance import Chance
from service.rules.space.grid import FEET

# --- hit points ------------------------------------------------------------------------------------


@record
class Damage(Effect):
    """Deal damage through the usual pipeline: it may be shrugged off, it may wound and kill."""

    kind: ClassVar[str] = "damage"
    creature: str
    amount: int = 0
    dice: tuple[DieSize, ...] = ()
    cause: str | None = None

    def fault(self, view: State) -> str | None:
        return no_such(view, self.creature) or amount_fault(self.amount, self.dice)

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        if no_such(state, self.creature):
            return state
        state, amount = yield from rolled(state, chance, frame, self.creature, self.amount, self.dice)
        path, cause = frame.path_of("damage"), self.cause or frame.cause
        return (yield from hurt(state, path, self.creature, amount, source=frame.source, cause=cause))


@record
class Heal(Effect):
    """Give hit points back, as far as wounds allow."""

    kind: ClassVar[str] = "heal"
    creature: str
    amount: int = 0
    dice: tuple[DieSize, ...] = ()

    def fault(self, view: State) -> str | None:
        return no_such(view, self.creature) or amount_fault(self.amount, self.dice)

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        if no_such(state, self.creature):
            return state
        state, amount = yield from rolled(state, chance, frame, self.creature, self.amount, self.dice)
        return (yield from heal(state, self.creature, amount, frame.source))


@record
class Wound(Effect):
    """Mark a wound without any damage."""

    kind: ClassVar[str] = "wound"
    creature: str
    rank: int

    def fault(self, view: State) -> str | None:
        return no_such(view, self.creature) or (None if 1 <= self.rank <= MOST else "a rank of 1 or more")

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        wound = frame.path_of("wound")
        return (yield WoundMarked(creature=self.creature, wound=wound, rank=self.rank, because=frame.rules))


@record
class EaseWounds(Effect):
    """Lower the rank of a creature's wounds, all of them or one."""

    kind: ClassVar[str] = "ease_wounds"
    creature: str
    amount: int
    wound: str | None = None

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
        ranks = eased(chosen, self.amount)
        return (yield WoundsEased(creature=self.creature, ranks=ranks, because=frame.rules))


@record
class Die(Effect):
    """Kill a creature outright."""

    kind: ClassVar[str] = "die"
    creature: str

    def fault(self, view: State) -> str | None:
        return no_such(view, self.creature)

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        if no_such(state, self.creature):
            return state
        return (yield Died(creature=self.creature, because=frame.rules))


@record
class KnockOut(Effect):
    """Make a creature lose consciousness, whatever its hit points."""

    kind: ClassVar[str] = "knock_out"
    creature: str

    def fault(self, view: State) -> str | None:
        return no_such(view, self.creature)

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        if state.creatures[self.creature].status != "active":
            return state
        return (yield FellUnconscious(creature=self.creature, reason="effect", because=frame.rules))


@record
class HeartDieSet(Event[State]):
    """A heart die became another."""

    type: ClassVar[str] = "heart_die_set"
    creature: str
    heart_die: int

    def evolve(self, state: State) -> State:
        return state.with_creature(self.creature, heart_die=self.heart_die)


@record
class SetHeartDie(Effect):
    """Give a creature another heart die; null is the largest it may have."""

    kind: ClassVar[str] = "heart_die"
    creature: str
    die: DieSize | None = None

    def fault(self, view: State) -> str | None:
        return no_such(view, self.creature)

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        die = self.die or state.creatures[self.creature].sheet.heart_die
        return (yield HeartDieSet(creature=self.creature, heart_die=die, because=frame.rules))


# --- conditions ------------------------------------------------------------------------------------


@record
class GainCondition(Effect):
    """Lay levels of a condition on a creature."""

    kind: ClassVar[str] = "condition"
    creature: str
    condition: str
    levels: int = 1

    def fault(self, view: State) -> str | None:
        return no_such(view, self.creature) or (None if 1 <= self.levels <= MOST else "1 level or more")

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        if no_such(state, self.creature):
            return state
        return (yield from gain(state, self.creature, self.condition, self.levels, frame.source))


@record
class LoseCondition(Effect):
    """Take levels of a condition off a creature; null takes all of it."""

    kind: ClassVar[str] = "lose_condition"
    creature: str
    condition: str
    levels: int | None = None

    def fault(self, view: State) -> str | None:
        if self.levels is not None and not 1 <= self.levels <= MOST:
            return "1 level or more, or null"
        return no_such(view, self.creature)

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        level = state.creatures[self.creature].level(self.condition)
        if not level:
            return state
        if self.levels is None or self.levels >= level:
            return (
                yield ConditionLost(creature=self.creature, condition=self.condition, because=frame.rules)
            )
        left = {self.creature: {self.condition: level - self.levels}}
        return (yield ConditionsFaded(levels=left, because=frame.rules))


# --- place -----------------------------------------------------------------------------------------


@record
class Place(Effect):
    """Put a creature somewhere, without a way between and without provoking anybody."""

    kind: ClassVar[str] = "move"
    creature: str
    to: tuple[int, int]

    def fault(self, view: State) -> str | None:
        fault = no_such(view, self.creature, dead=True)
        if fault:
            return fault
        mover = view.creatures[self.creature]
        return f"there is a wall at {self.to}" if is_walled(view, mover, self.to) else None

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        return (
            yield Moved(creature=self.creature, path=(self.to,), feet=0, how="placed", because=frame.rules)
        )


@record
class Push(Effect):
    """Push a creature in a direction, or straight away from the cause; what is in the way counts."""

    kind: ClassVar[str] = "push"
    creature: str
    feet: int
    direction: tuple[int, int] | None = None

    def fault(self, view: State) -> str | None:
        if self.feet < 0 or self.feet % FEET or self.feet > MOST:
            return "feet in steps of 5"
        if self.direction is not None and (
            self.direction == (0, 0) or any(abs(axis) > 1 for axis in self.direction)
        ):
            return "a direction is one of the eight steps"
        return no_such(view, self.creature)

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        step = self.direction or state.away(self.creature, frame.source or self.creature)
        return (
            yield PushBegun(
                push=frame.path_of("push"),
                creature=self.creature,
                by=frame.source,
                step=step,
                feet=self.feet,
                follow=None,
                because=frame.rules,
            )
        )


# --- means -----------------------------------------------------------------------------------------


@record
class GainRush(Effect):
    """Give rush points, or take them: never below zero."""

    kind: ClassVar[str] = "rush"
    creature: str
    points: int

    def fault(self, view: State) -> str | None:
        return no_such(view, self.creature) or (None if abs(self.points) <= MOST else "fewer points")

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        points = max(self.points, -state.creatures[self.creature].rush)
        return (yield RushGained(gains={self.creature: points}, because=frame.rules))


@record
class ActionGiven(Event[State]):
    """A creature has another number of actions left this round."""

    type: ClassVar[str] = "action_given"
    creature: str
    action: int

    def evolve(self, state: State) -> State:
        return state.with_creature(self.creature, action=self.action)


@record
class GiveAction(Effect):
    """Give actions for this round, or take them: never below zero."""

    kind: ClassVar[str] = "action"
    creature: str
    actions: int = 1

    def fault(self, view: State) -> str | None:
        return no_such(view, self.creature) or (None if abs(self.actions) <= MOST else "fewer actions")

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        action = max(0, state.creatures[self.creature].action + self.actions)
        return (yield ActionGiven(creature=self.creature, action=action, because=frame.rules))
