"""Let abilities take part in an attack: windows between its stages, and what modifiers add to its outcome.

`before` runs before each stage of an exchange and only where the fight knows abilities or something lies on
somebody; it does one thing at a time and says whether it did.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import ClassVar, TypeAlias

from service.dice.values import Roll
from service.rules.heartrush.creatures.lasting import EffectEnded, PoolSpent, has, having
from service.rules.heartrush.engagements.exchanges import Exchange
from service.rules.heartrush.harm.damage import hurt
from service.rules.heartrush.movement.forced import PushBegun
from service.rules.heartrush.sheets.abilities import Moment
from service.rules.heartrush.sheets.modifiers import Bar, Curse, DicePool, HalfDefense, Riposte, Shove
from service.rules.heartrush.state import State
from service.rules.heartrush.windows.choices import ChoiceAsked
from service.rules.heartrush.windows.windows import Interruptible, is_answered, moment
from service.rules.kernel.messages import Event, Fact
from service.rules.kernel.records import changed, record
from service.rules.rolls.chance import Chance, PoolDie
from service.rules.rolls.withheld import ROLLS
from service.rules.space.grid import FEET

Did: TypeAlias = Generator[Fact[State], State, tuple[State, bool]]
Outcome: TypeAlias = tuple[str, str, int]
"""Who is hurt, by whom, and how much gets through; nothing where it is 0 or less."""


@record
class EffectTriggered(Event[State]):
    """Something that lies on a creature takes part in an attack, once."""

    type: ClassVar[str] = "effect_triggered"
    exchange: str
    effect: str

    def evolve(self, state: State) -> State:
        frame = state.frame(self.exchange, Interruptible)
        return state.put(changed(frame, offered=(*frame.offered, self.effect)))


def before(state: State, chance: Chance, exchange: Exchange, moments: Sequence[Moment]) -> Did:
    """Tell what comes before the next stage of an exchange, and whether anything did."""
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
    """Tell whether by how much an attack falls short gives away flat parts of rolls that are GM-only."""
    return any(ROLLS in state.gm_only_of(name) for name in (exchange.attacker, exchange.defender))


def is_harmless(state: State, exchange: Exchange, winner: str) -> bool:
    """Tell whether what *winner* strikes with does no damage."""
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
    """Tell that what an attack on the defender ends is over; the attack itself goes on."""
    for bar, where in having(state, state.creatures[exchange.defender], Bar):
        if bar.until_attacked and where is not None:
            state = yield EffectEnded(effect=where.id, reason="attacked", because=("HR-ABIL-2",))
    return state, False


def _curses(state: State, chance: Chance, exchange: Exchange) -> Did:
    """Tell what an attacker takes that is cursed against attacking this defender."""
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
    """Tell a push straight away from somebody."""
    step = state.away(creature, by)
    assert feet % FEET == 0, feet
    return (
        yield PushBegun(
            push=path, creature=creature, by=by, step=step, feet=feet, follow=None, because=("HR-FORCE-1",)
        )
    )
