"""Ask what holds for a creature, for a while or always: what lies on it, and its passive abilities.

Modifiers come from passive abilities on the sheet and from effects that lie on creatures. Nothing derived
from them is stored: each roll, movement and payment computes it again. A creature without abilities and
effects costs two look-ups.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Final, Literal, NamedTuple, TypeVar

from service.dice.values import Term
from service.rules.heartrush import books
from service.rules.heartrush.body.weapons import wielded
from service.rules.heartrush.creatures.abilities import (
    Bar,
    DicePool,
    Extremes,
    FreeStrikes,
    FullHeart,
    LargerDie,
    Lasting,
    Lasts,
    Modifier,
    RollBonus,
    Rolling,
)
from service.rules.heartrush.creatures.adjacency import is_adjacent
from service.rules.heartrush.creatures.sheet import WEAPON_DIE
from service.rules.heartrush.creatures.state import Creature, State, is_able
from service.rules.heartrush.values import LastingId
from service.rules.kernel.messages import Emits, Event
from service.rules.kernel.records import changed, record
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.values import DiceCount
from service.rules.rolls.chance import PoolDie

HR_ABIL_2: Final = Rule(
    "HR-ABIL-2",
    "A passive ability is always on, without limit: the sheet is asked whenever it matters.",
    books.BASICS.at("Frequency Tags"),
)


LADDER: Final = (4, 6, 8, 10, 12, 20)
M = TypeVar("M", bound=Modifier)


@enforces(HR_ABIL_2)
def passives(state: State, creature: Creature) -> tuple[Modifier, ...]:
    """Return the modifiers of the passive abilities of *creature*."""
    found = (state.abilities.get(name) for name in creature.sheet.abilities)
    return tuple(modifier for ability in found if ability is not None for modifier in ability.always)


class Lying(NamedTuple):
    """A modifier as it is found: the modifier, and where it lies if no sheet carries it."""

    modifier: Modifier
    where: Lasting | None


@record
class EffectLaid(Event[State]):
    """An ability leaves something that holds for a time."""

    type: ClassVar[str] = "effect_laid"
    effect: Lasting
    """The effect."""

    def evolve(self, state: State) -> State:
        return changed(state, lasting=(*state.lasting, self.effect))


@record
class EffectEnded(Event[State]):
    """Something an ability left is over: used up, run out or ended."""

    type: ClassVar[str] = "effect_ended"
    effect: LastingId
    reason: Literal["used", "ran_out", "ended", "attacked", "replaced"]
    """Why it ended."""

    def evolve(self, state: State) -> State:
        return changed(state, lasting=tuple(one for one in state.lasting if one.id != self.effect))


@record
class PoolSpent(Event[State]):
    """Dice were taken out of a pool."""

    type: ClassVar[str] = "pool_spent"
    effect: LastingId
    dice: DiceCount
    """The number of dice taken from the pool."""

    def evolve(self, state: State) -> State:
        return changed(state, lasting=tuple(self._without(one) for one in state.lasting))

    def _without(self, one: Lasting) -> Lasting:
        if one.id != self.effect or not isinstance(one.modifier, DicePool):
            return one
        return changed(one, modifier=changed(one.modifier, left=one.modifier.left - self.dice))


def lying(state: State, creature: Creature) -> tuple[Lying, ...]:
    """Return every modifier that holds for *creature* now: its passive abilities, then what lies on it."""
    if not state.lasting and not creature.sheet.abilities:
        return ()
    own = tuple(Lying(modifier, None) for modifier in passives(state, creature))
    return own + tuple(
        Lying(one.modifier, one)
        for one in state.lasting
        if creature.id in one.on and (one.until_s is None or state.clock_s < one.until_s)
    )


def having(state: State, creature: Creature, kind: type[M]) -> Iterator[tuple[M, Lasting | None]]:
    """Yield the modifiers of one kind that hold for *creature*, and where each lies."""
    for modifier, where in lying(state, creature):
        if isinstance(modifier, kind):
            yield modifier, where


def has(state: State, creature: Creature, kind: type[Modifier]) -> bool:
    """Return whether a modifier of this kind holds for *creature*."""
    return any(True for _ in having(state, creature, kind))


def untouched(state: State, *creatures: Creature) -> bool:
    """Return quickly whether no modifier can hold for any of *creatures*."""
    return not state.lasting and not any(creature.sheet.abilities for creature in creatures)


class Influence(NamedTuple):
    """What modifiers make of one roll before it is thrown."""

    pool: tuple[PoolDie, ...]
    levels: tuple[tuple[int, str], ...] = ()
    terms: tuple[Term, ...] = ()
    used: tuple[str, ...] = ()
    """Effects that this roll uses up."""


def influence(
    state: State, creature: Creature, rolling: Rolling, ability: str, pool: Sequence[PoolDie]
) -> Influence:
    """Return what modifiers make of a roll with *ability*: other dice, more dice, levels and points."""
    found = lying(state, creature)
    if not found:
        return Influence(tuple(pool))
    pips, levels, terms, used = list(pool), [], [], []
    for modifier, where in found:
        takes_part = True
        if isinstance(modifier, RollBonus) and rolling in modifier.rolls:
            pips += _dice(creature, modifier)
            levels += [(modifier.levels, where.ability if where else "passive")] if modifier.levels else []
            terms += _points(state, creature, modifier, where)
        elif isinstance(modifier, LargerDie) and modifier.ability == ability:
            pips = [_larger(pip, modifier) if pip.role == ability else pip for pip in pips]
        elif isinstance(modifier, FullHeart):
            top = creature.sheet.heart_die
            pips = [PoolDie(role="heart", sides=top) if pip.role == "heart" else pip for pip in pips]
        elif not isinstance(modifier, Extremes):
            takes_part = False
        if (
            takes_part
            and where is not None
            and where.lasts == "next_roll"
            and not isinstance(modifier, Extremes)
        ):
            used.append(where.id)
    return Influence(tuple(pips), tuple(levels), tuple(terms), tuple(used))


def _dice(creature: Creature, bonus: RollBonus) -> list[PoolDie]:
    weapon = WEAPON_DIE[wielded(creature).size_class]
    return [PoolDie(role="ability", sides=s) for s in (*bonus.dice, *(weapon,) * bonus.weapon_dice)]


def _points(state: State, creature: Creature, bonus: RollBonus, where: Lasting | None) -> list[Term]:
    times = 1 if bonus.per == "roll" else adjacent_enemies(state, creature)
    amount = bonus.flat * times
    name = where.ability if where else "passive"
    return [Term(amount=amount, what=name, rule="HR-ABIL-2")] if amount else []


def adjacent_enemies(state: State, creature: Creature) -> int:
    """Return how many living enemies stand next to *creature*."""
    return sum(
        other.side != creature.side and other.status == "active" and is_adjacent(state, creature, other)
        for other in state.creatures.values()
    )


def _larger(pip: PoolDie, modifier: LargerDie) -> PoolDie:
    at = LADDER.index(pip.sides) + 1 if pip.sides in LADDER else 0
    larger = LADDER[min(at, len(LADDER) - 1)]
    return PoolDie(role=pip.role, sides=min(larger, max(modifier.most, pip.sides)))


HR_COND_30: Final = Rule(
    "HR-COND-30",
    "While no combat runs a round's time ends what lasts for a round or an engagement, the clock the rest.",
    RULING,
    left_open="the ledger has what lasts for a round, and not who ends it while no combat runs",
)


@enforces(HR_COND_30)
def end_with_time(state: State, seconds: int) -> Emits[State]:
    """Emit the end of each effect whose time is over, after *seconds* outside combat."""
    brief = ("round", "engagement") if seconds >= state.house.round_seconds else ()
    for one in state.lasting:
        if one.lasts in brief or (one.until_s is not None and one.until_s <= state.clock_s):
            state = yield EffectEnded(effect=one.id, reason="ran_out", because=(HR_COND_30.id,))
    return state


def without(state: State, lasts: Lasts) -> tuple[Lasting, ...]:
    """Return what is still in effect when everything that lasts so long is over."""
    return tuple(one for one in state.lasting if one.lasts != lasts)


def after_round(state: State) -> Iterator[Lasting]:
    """Yield what is still in effect when a round is over, without those that have died.

    The dead keep theirs until then: who dies in a step still attacks in it as it began.
    """
    for one in without(state, "round"):
        living = tuple(name for name in one.on if state.creatures[name].status != "dead")
        if living:
            yield one if living == one.on else changed(one, on=living)


def strikes_free(state: State, creature: Creature) -> bool:
    """Return whether *creature* is able and its opportunity attacks cost nothing."""
    return bool(state.abilities) and is_able(creature) and has(state, creature, FreeStrikes)


def barred(state: State, creature: Creature, what: str) -> bool:
    """Return whether something affects *creature* that forbids it to `move`, `act` or `sidestep`."""
    if not state.lasting and not creature.sheet.abilities:
        return False  # asked of everybody who could join or strike: a look-up is cheaper than a search
    for bar, where in having(state, creature, Bar):
        source = state.creatures.get(where.source) if where else None
        is_over = (
            bar.within_ft is not None  # it holds near its source, while that one is there to hold it
            and source is not None
            and (source.status != "active" or state.distance(source, creature) > bar.within_ft)
        )
        if what in bar.what and not is_over:
            return True
    return False
