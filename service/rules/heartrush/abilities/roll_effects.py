"""Add the kinds of effect that change an attack in hand: its rolls, its damage, whom it meets.

They act only while the attack is open; once it is settled they find nothing, and nothing is rewound.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final, Literal

from service.dice.values import Roll, Term
from service.rules.heartrush import books
from service.rules.heartrush.checks.rolls import lowest_or_highest
from service.rules.heartrush.creatures.weapons import wielded
from service.rules.heartrush.engagements.exchanges import Exchange, ShownRoll
from service.rules.heartrush.engagements.riders import outcome
from service.rules.heartrush.harm.damage import hurt
from service.rules.heartrush.operations.effects import Effect, EffectsFrame, no_such, rolled
from service.rules.heartrush.sheets.sheet import WEAPON_DIE, DieSize
from service.rules.heartrush.state import State
from service.rules.kernel.messages import Emits, Event
from service.rules.kernel.records import changed, record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.rolls.chance import Chance, PoolDie

HR_TIME_8: Final = Rule(
    "HR-TIME-8",
    "An instant acts from when it is used; it changes a result only while that result is still open.",
    books.BASICS.at("Instant Timing"),
    settles=("A-50",),
)


@record
class RollChanged(Event[State]):
    """A roll that was shown has become another: it gained dice, or lost and kept others."""

    type: ClassVar[str] = "roll_changed"
    exchange: str
    which: Literal["attack", "defense"]
    creature: str
    """Whose roll it is."""
    rolled: ShownRoll

    def evolve(self, state: State) -> State:
        return state.with_frame(self.exchange, Exchange, **{self.which: self.rolled})


OPEN_AFTER_DEFENSE: Final = ("rolls_known", "damage_pending")
OPEN_AFTER_ATTACK: Final = ("attack_rolled", *OPEN_AFTER_DEFENSE)
"""The moments that come again when a roll is thrown again."""


@record
class RollVoided(Event[State]):
    """A roll is thrown again; what it showed counts no more."""

    type: ClassVar[str] = "roll_voided"
    exchange: str
    which: Literal["attack", "defense"]

    def evolve(self, state: State) -> State:
        frame = state.frame(self.exchange, Exchange)
        if self.which == "attack":
            offered = tuple(one for one in frame.offered if one not in OPEN_AFTER_ATTACK)
            return state.put(changed(frame, stage="attack", attack=None, adjusted=None, offered=offered))
        offered = tuple(one for one in frame.offered if one not in OPEN_AFTER_DEFENSE)
        return state.put(changed(frame, stage="defense", defense=None, adjusted=None, offered=offered))


@record
class DamageChanged(Event[State]):
    """What an attack does was changed before it was done."""

    type: ClassVar[str] = "damage_changed"
    exchange: str
    before: int
    after: int

    def evolve(self, state: State) -> State:
        return state.with_frame(self.exchange, Exchange, adjusted=self.after)


def exchange_in_hand(state: State) -> Exchange | None:
    """Return the attack that is being resolved, if one is and it is not settled."""
    found = (frame for frame in reversed(state.stacks.table) if isinstance(frame, Exchange))
    return next(found, None)


@enforces(HR_TIME_8)
def changeable(state: State, which: str) -> tuple[Exchange, Roll] | None:
    """Return the current exchange and its roll *which*, None where no open roll can be changed."""
    exchange = exchange_in_hand(state)
    if exchange is None or exchange.stage == "done":
        return None
    shown = exchange.attack if which == "attack" else exchange.defense
    return None if shown is None or shown.roll is None else (exchange, shown.roll)


def _changed(exchange: Exchange, which: Literal["attack", "defense"], roll: Roll) -> RollChanged:
    creature = exchange.attacker if which == "attack" else exchange.defender
    return RollChanged(
        exchange=exchange.path,
        which=which,
        creature=creature,
        rolled=ShownRoll(total=roll.total, roll=roll),
        because=("HR-TIME-8",),
    )


@record
class AddDice(Effect):
    """Add dice to a roll of the attack: weapon dice of the roller, dice of a size, or points."""

    kind: ClassVar[str] = "add_dice"
    which: Literal["attack", "defense"]
    dice: tuple[DieSize, ...] = ()
    weapon_dice: int = 0
    flat: int = 0

    def fault(self, view: State) -> str | None:
        return None if changeable(view, self.which) else "no such roll is open"

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        found = changeable(state, self.which)
        if found is None:
            return state
        exchange, roll = found
        owner = exchange.attacker if self.which == "attack" else exchange.defender
        weapon = WEAPON_DIE[wielded(state.creatures[owner]).size_class]
        pool = tuple(PoolDie(role=frame.cause, sides=s) for s in (*self.dice, *(weapon,) * self.weapon_dice))
        terms = (Term(amount=self.flat, what=frame.cause, rule="HR-TIME-8"),) if self.flat else ()
        state, roll = yield from chance.amend(state, owner=owner, roll=roll, pool=pool, terms=terms)
        return (yield _changed(exchange, self.which, roll))


@record
class Lean(Effect):
    """Give a roll that was shown levels of advantage, or of disadvantage below zero."""

    kind: ClassVar[str] = "lean"
    which: Literal["attack", "defense"]
    levels: int

    def fault(self, view: State) -> str | None:
        return None if changeable(view, self.which) else "no such roll is open"

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        found = changeable(state, self.which)
        if found is None or not self.levels:
            return state
        exchange, roll = found
        owner = exchange.attacker if self.which == "attack" else exchange.defender
        sides = [die.sides for die in roll.dice]
        pip = PoolDie(role=frame.cause, sides=min(sides) if self.levels > 0 else max(sides))
        gone = [i for i, die in enumerate(roll.dice) if die.dropped]

        def drop(faces: Sequence[int]) -> Sequence[int]:
            kept = [i for i in range(len(faces)) if i not in gone]
            places = lowest_or_highest([faces[i] for i in kept], self.levels)
            return gone + [kept[place] for place in places]

        state, roll = yield from chance.amend(
            state, owner=owner, roll=roll, pool=(pip,) * abs(self.levels), drop=drop
        )
        return (yield _changed(exchange, self.which, roll))


@record
class SetDie(Effect):
    """Let one die of a shown roll, by what it is there for, count as another face."""

    kind: ClassVar[str] = "set_die"
    which: Literal["attack", "defense"]
    role: str
    face: int

    def fault(self, view: State) -> str | None:
        return None if changeable(view, self.which) else "no such roll is open"

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        found = changeable(state, self.which)
        die = (
            next((d for d in found[1].dice if d.role == self.role and not d.dropped), None) if found else None
        )
        if found is None or die is None:
            return state
        exchange, roll = found
        # What a die showed stays on the record; what it counts for is a term beside it.
        amount = min(self.face, die.sides) - die.face
        term = Term(amount=amount, what=f"{self.role} counts as {self.face}", rule="HR-TIME-8")
        owner = exchange.attacker if self.which == "attack" else exchange.defender
        state, roll = yield from chance.amend(state, owner=owner, roll=roll, terms=(term,))
        return (yield _changed(exchange, self.which, roll))


@record
class Reroll(Effect):
    """Throw a roll of the attack in hand again: a new roll, which counts instead."""

    kind: ClassVar[str] = "reroll"
    which: Literal["attack", "defense"]

    def fault(self, view: State) -> str | None:
        return None if changeable(view, self.which) else "no such roll is open"

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        found = changeable(state, self.which)
        if found is None:
            return state
        return (yield RollVoided(exchange=found[0].path, which=self.which, because=("HR-TIME-8", "A-50")))


@record
class ChangeDamage(Effect):
    """Change what the attack in hand does: add to it, or halve it."""

    kind: ClassVar[str] = "change_damage"
    amount: int = 0
    dice: tuple[DieSize, ...] = ()
    half: Literal["up", "down"] | None = None

    def fault(self, view: State) -> str | None:
        return None if exchange_in_hand(view) else "no attack is being resolved"

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        exchange = exchange_in_hand(state)
        if exchange is None or exchange.stage != "settle":
            return state
        before = outcome(state, exchange)[2]
        after = before
        if self.half:
            after = after // 2 if self.half == "down" else -(-after // 2)
        owner = frame.source or exchange.attacker
        state, more = yield from rolled(state, chance, frame, owner, self.amount, self.dice)
        return (
            yield DamageChanged(
                exchange=exchange.path, before=before, after=max(0, after + more), because=frame.rules
            )
        )


@record
class Redirect(Effect):
    """Deal what the attack in hand rolled to another creature."""

    kind: ClassVar[str] = "redirect"
    creature: str

    def fault(self, view: State) -> str | None:
        return no_such(view, self.creature)

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        exchange = exchange_in_hand(state)
        if exchange is None or no_such(state, self.creature):
            return state
        path = frame.path_of("redirect")
        return (
            yield from hurt(
                state,
                path,
                self.creature,
                exchange.attack_total,
                source=exchange.attacker,
                cause=frame.cause,
            )
        )
