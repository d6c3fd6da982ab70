"""Let abilities take part in an attack: windows between its stages, its rolls, its damage, whom it meets."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import ClassVar, Final, Literal, TypeAlias

from service.dice.values import Roll, Term
from service.rules.heartrush import books
from service.rules.heartrush.body.answers import ChoiceAsked
from service.rules.heartrush.body.damage import hurt
from service.rules.heartrush.body.lasting import EffectEnded, PoolSpent, has, having
from service.rules.heartrush.body.operations import Effect, EffectsFrame, OnCreature, no_such, rolled
from service.rules.heartrush.body.weapons import wielded
from service.rules.heartrush.creatures.abilities import (
    Bar,
    Curse,
    DicePool,
    HalfDefense,
    Moment,
    Riposte,
    Shove,
)
from service.rules.heartrush.creatures.sheet import WEAPON_DIE, DieSize
from service.rules.heartrush.creatures.state import State
from service.rules.heartrush.engaging.exchanges import Exchange, ShownRoll
from service.rules.heartrush.moving.forced_movement import PushBegun
from service.rules.heartrush.rolling.rolls import lowest_or_highest
from service.rules.heartrush.timing.windows import Interruptible, is_answered, moment
from service.rules.heartrush.values import (
    CountAfter,
    CountBefore,
    DieRole,
    ExchangeId,
    FlatBonus,
    LastingId,
    MoreWeaponDice,
    ShownFace,
)
from service.rules.kernel.messages import Emits, Event, Fact
from service.rules.kernel.records import changed, record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.kernel.values import (
    Amount,
    CreatureId,
    Levels,
)
from service.rules.rolls.chance import Chance, PoolDie
from service.rules.rolls.withheld import ROLLS
from service.rules.space.grid import FEET

# --- modifiers of an attack ----------------------------------------------------------------------------
# Windows between its stages, and what modifiers add to its outcome. `before` runs before each stage of an
# exchange and only where the fight knows abilities or something lies on somebody; it does one thing at a
# time and says whether it did.

Did: TypeAlias = Generator[Fact[State], State, tuple[State, bool]]
Outcome: TypeAlias = tuple[str, str, int]
"""Who is hurt, by whom, and how much gets through; nothing where it is 0 or less."""


@record
class EffectTriggered(Event[State]):
    """Something that affects a creature takes part in an attack, once."""

    type: ClassVar[str] = "effect_triggered"
    exchange: ExchangeId
    effect: LastingId

    def evolve(self, state: State) -> State:
        frame = state.frame(self.exchange, Interruptible)
        return state.put(changed(frame, offered=(*frame.offered, self.effect)))


def before(state: State, chance: Chance, exchange: Exchange, moments: Sequence[Moment]) -> Did:
    """Return what comes before the next stage of an exchange, and whether anything did."""
    if exchange.stage == "attack":
        return (yield from _bars_end(state, exchange))
    for trigger in moments:
        state, did = yield from _moment(state, exchange, trigger)
        if did:
            return state, True
    if exchange.stage == "defense":
        state, did = yield from _curses(state, chance, exchange)
        if not did and exchange.how != "contested":
            state, did = yield from _pools(state, exchange)
        return state, did
    if exchange.stage == "done" or outcome(state, exchange)[2] <= 0:
        return (yield from _shoves(state, exchange))
    return state, False


def about(state: State, exchange: Exchange) -> Mapping[str, str | int]:
    """Return what a moment of this exchange is about."""
    known: dict[str, str | int] = {
        "exchange": exchange.path,
        "attacker": exchange.attacker,
        "defender": exchange.defender,
        "stance": exchange.stance,
    }
    if exchange.stage != "defense":
        loser, winner, excess = outcome(state, exchange)
        if excess > 0 or not is_veiled(state, exchange):
            known["excess"] = excess
        if excess > 0 and not is_harmless(state, exchange, winner):
            known.update(hurt=loser, hitter=winner)
    return known


def is_veiled(state: State, exchange: Exchange) -> bool:
    """Return whether by how much an attack falls short gives away flat parts of rolls that are GM-only."""
    return any(ROLLS in state.gm_only_of(name) for name in (exchange.attacker, exchange.defender))


def is_harmless(state: State, exchange: Exchange, winner: str) -> bool:
    """Return whether what *winner* strikes with does no damage."""
    cantrip = exchange.weapon(exchange.creature(state, winner)).cantrip
    return cantrip is not None and cantrip.harmless


def outcome(state: State, exchange: Exchange) -> Outcome:
    """Return what the rolls of an exchange and the abilities in it come to."""
    defense = exchange.defense_total
    attacker, defender = exchange.attacker, exchange.defender
    if exchange.how == "contested":
        excess = exchange.attack_total - defense
        loser, winner = (defender, attacker) if excess >= 0 else (attacker, defender)
        return loser, winner, abs(excess) if exchange.adjusted is None else exchange.adjusted
    if state.lasting or state.abilities:
        defending = state.creatures[defender]
        if any(half.stance == exchange.stance for half, _ in having(state, defending, HalfDefense)):
            defense -= -(-defense // 2)
        if defense > exchange.attack_total and has(state, defending, Riposte):
            gained = defense - exchange.attack_total
            return attacker, defender, gained if exchange.adjusted is None else exchange.adjusted
    excess = exchange.attack_total - defense
    return defender, attacker, excess if exchange.adjusted is None else exchange.adjusted


def _moment(state: State, exchange: Exchange, trigger: Moment) -> Did:
    known = about(state, exchange)
    if trigger in ("damage_pending", "damage_applied") and "hurt" not in known:
        return state, False
    if not is_answered(state, exchange, trigger, known):
        return state, False
    return (yield from moment(exchange, trigger, known, exchange.defender)), True


def _bars_end(state: State, exchange: Exchange) -> Did:
    """End what an attack on the defender ends; the attack itself goes on."""
    for bar, where in having(state, state.creatures[exchange.defender], Bar):
        if bar.until_attacked and where is not None:
            state = yield EffectEnded(effect=where.id, reason="attacked", because=("HR-ABIL-2",))
    return state, False


def _curses(state: State, chance: Chance, exchange: Exchange) -> Did:
    """Return what an attacker takes that is cursed against attacking this defender."""
    attacker = state.creatures[exchange.attacker]
    for curse, where in having(state, attacker, Curse):
        if where is None or where.id in exchange.offered or exchange.defender not in curse.guarded:
            continue
        if state.distance(state.creatures[where.source], attacker) > curse.within_ft:
            continue
        state = yield EffectTriggered(exchange=exchange.path, effect=where.id, because=("HR-ABIL-2",))
        roll: Roll
        state, roll = yield from chance.throw(
            state,
            owner=where.source,
            stream=f"{where.source}/curse",
            purpose={"what": where.ability, "exchange": exchange.path, "on": attacker.id},
            pool=(PoolDie(role="curse", sides=curse.sides),) * curse.count,
        )
        path = f"{exchange.path}/{where.ability}"
        state = yield from hurt(
            state, path, attacker.id, roll.total, source=where.source, cause=where.ability
        )
        return state, True
    return state, False


def _pools(state: State, exchange: Exchange) -> Did:
    """Ask the defender how many dice of its pool it adds to the roll it will make, and take them out."""
    for pool, where in having(state, state.creatures[exchange.defender], DicePool):
        if where is None or exchange.defense:
            continue
        if where.id in exchange.picked and f"{where.id}/spent" not in exchange.offered:
            dice = int(exchange.picked[where.id])
            state = yield PoolSpent(effect=where.id, dice=dice, because=("HR-ABIL-2",))
            spent = EffectTriggered(
                exchange=exchange.path, effect=f"{where.id}/spent", because=("HR-ABIL-2",)
            )
            return (yield spent), True
        if where.id not in exchange.offered and pool.left:
            state = yield EffectTriggered(exchange=exchange.path, effect=where.id, because=("HR-ABIL-2",))
            state = yield ChoiceAsked(
                choice=f"{exchange.path}/pool",
                creature=exchange.defender,
                of=where.id,
                options=tuple(str(number) for number in range(pool.left + 1)),
                because=("HR-ABIL-2",),
            )
            return state, True
    return state, False


def pool_dice(state: State, exchange: Exchange) -> tuple[PoolDie, ...]:
    """Return the dice of pools that the defender adds to its roll."""
    if not exchange.picked:
        return ()
    return tuple(
        PoolDie(role="pool", sides=pool.sides)
        for pool, where in having(state, state.creatures[exchange.defender], DicePool)
        if where is not None
        for _ in range(int(exchange.picked.get(where.id, "0")))
    )


def end_empty_pools(state: State, exchange: Exchange) -> Emits[State]:
    """Emit the end of each pool of the defender whose last die was in its roll."""
    for pool, where in having(state, state.creatures[exchange.defender], DicePool):
        if where is not None and not pool.left:
            state = yield EffectEnded(effect=where.id, reason="used", because=("HR-ABIL-2",))
    return state


def _shoves(state: State, exchange: Exchange) -> Did:
    """Push the target of an attack whose attacker was given a push."""
    attacker, target = state.creatures[exchange.attacker], state.creatures[exchange.defender]
    for shove, where in having(state, attacker, Shove):
        if where is None:
            continue
        state = yield EffectEnded(effect=where.id, reason="used", because=("HR-ABIL-2",))
        if not target.is_present:
            continue
        state = yield from shoved(state, f"{exchange.path}/shove", target.id, attacker.id, shove.feet)
        return state, True
    return state, False


def shoved(
    state: State, path: str, creature: str, by: str, feet: int
) -> Generator[Fact[State], State, State]:
    """Emit a push straight away from somebody."""
    step = state.away(creature, by)
    assert feet % FEET == 0, feet
    return (
        yield PushBegun(
            push=path, creature=creature, by=by, step=step, feet=feet, follow=None, because=("HR-FORCE-1",)
        )
    )


# --- effects on an attack ------------------------------------------------------------------------------
# Its rolls, its damage, whom it meets. They act only while the attack is open; once it is settled they find
# nothing, and nothing is rewound.

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
    exchange: ExchangeId
    which: Literal["attack", "defense"]
    """The roll: of the attack, or the defense."""
    creature: CreatureId
    """Whose roll it is."""
    rolled: ShownRoll
    """The roll as the attack has shown it."""

    def evolve(self, state: State) -> State:
        return state.with_frame(self.exchange, Exchange, **{self.which: self.rolled})


OPEN_AFTER_DEFENSE: Final = ("rolls_known", "damage_pending")
OPEN_AFTER_ATTACK: Final = ("attack_rolled", *OPEN_AFTER_DEFENSE)
"""The moments that come again when a roll is thrown again."""


@record
class RollVoided(Event[State]):
    """A roll is thrown again; what it showed counts no more."""

    type: ClassVar[str] = "roll_voided"
    exchange: ExchangeId
    which: Literal["attack", "defense"]
    """The roll: of the attack, or the defense."""

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
    exchange: ExchangeId
    before: CountBefore
    after: CountAfter

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
    """The roll: of the attack, or the defense."""
    dice: tuple[DieSize, ...] = ()
    """The dice, each as its number of sides."""
    weapon_dice: MoreWeaponDice = 0
    flat: FlatBonus = 0

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
    """The roll: of the attack, or the defense."""
    levels: Levels

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
    """The roll: of the attack, or the defense."""
    role: DieRole
    face: ShownFace

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
    """The roll: of the attack, or the defense."""

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
    amount: Amount = 0
    dice: tuple[DieSize, ...] = ()
    """The dice, each as its number of sides."""
    half: Literal["up", "down"] | None = None
    """Whether it is halved, and how it is rounded; null if not."""

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
class Redirect(OnCreature):
    """Deal what the attack in hand rolled to another creature."""

    kind: ClassVar[str] = "redirect"

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
