"""Resolve one attack: attack, defense or contested roll, its damage, and what a cantrip's hit brings."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from types import MappingProxyType
from typing import ClassVar, Final, TypeAlias

from service.dice.values import Roll, Term
from service.rules.heartrush import books
from service.rules.heartrush.body.actions import make_active
from service.rules.heartrush.body.conditions import ConditionLost, gain, vent
from service.rules.heartrush.body.damage import half, hurt
from service.rules.heartrush.body.possessions import is_object, landed
from service.rules.heartrush.body.weapons import (
    RULE,
    ignores_armor,
    is_conducting,
    melee_weapon,
    protection,
    spends_reach,
    wielded,
)
from service.rules.heartrush.creatures.abilities import Moment
from service.rules.heartrush.creatures.sheet import Cantrip, Weapon
from service.rules.heartrush.creatures.state import Creature, State
from service.rules.heartrush.engaging import riders
from service.rules.heartrush.engaging.exchanges import (
    AttackRolled,
    ContestedRolled,
    DamageHalved,
    DeclaredAttack,
    DefenseKept,
    DefenseRolled,
    Exchange,
    ExchangeHit,
    ExchangeSettled,
    ShownRoll,
    attack_edges,
    attack_pool,
    defense_ability,
    defense_edges,
    flat_bonus,
)
from service.rules.heartrush.engaging.riders import shoved
from service.rules.heartrush.rolling.rolls import ability_die, heart_die, spend_help, throw
from service.rules.heartrush.timing.engagement import Brought, EngagementFrame, among
from service.rules.heartrush.timing.windows import listens
from service.rules.heartrush.values import EngagementId, ExchangeId
from service.rules.kernel.messages import Emits, Event, Fact
from service.rules.kernel.records import EMPTY, changed, record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.kernel.values import CreatureId, TargetId
from service.rules.rolls.chance import Chance
from service.rules.table.stack import opened_by

# --- what a cantrip brings -----------------------------------------------------------------------------
# Conditions, a push, a drenching. In an engagement it waits for the end of the step, whose attacks are
# simultaneous; after an opportunity attack it comes at once.

HR_WPN_13: Final = Rule(
    "HR-WPN-13",
    "A cantrip strikes in the weapon's place, by attunement and free hands; a hit may bring conditions.",
    books.WEAPONS.at("Cantrips"),
)


@record
class CantripHit(Event[State]):
    """A cantrip hits: what it brings besides damage lands at the end of the step."""

    type: ClassVar[str] = "cantrip_hit"
    engagement: EngagementId
    creature: CreatureId
    target: TargetId
    brought: tuple[Brought, ...]
    """The effects that the hit brings besides damage."""

    def evolve(self, state: State) -> State:
        frame = state.frame(self.engagement, EngagementFrame)
        return state.put(changed(frame, brought=(*frame.brought, *self.brought)))


@record
class BroughtLanded(Event[State]):
    """The first of what cantrips have brought lands now."""

    type: ClassVar[str] = "brought_landed"
    engagement: EngagementId

    def evolve(self, state: State) -> State:
        frame = state.frame(self.engagement, EngagementFrame)
        return state.put(changed(frame, brought=frame.brought[1:]))


@record
class Drenched(Event[State]):
    """A creature is wet through, until combat ends."""

    type: ClassVar[str] = "drenched"
    creature: CreatureId

    def evolve(self, state: State) -> State:
        return state.with_creature(self.creature, drenched=True)


def brings(cantrip: Cantrip, by: str, whom: str, *, might_bonus: bool) -> Iterator[Brought]:
    """Yield what a hit brings besides damage."""
    if cantrip.drenches:
        yield Brought(what="drench", source=by, target=whom)
    levels = dict(cantrip.conditions)
    feet = cantrip.push_ft
    if might_bonus:
        for condition, more in cantrip.might_conditions.items():
            levels[condition] = levels.get(condition, 0) + more
        feet += cantrip.might_push_ft
    for condition, level in levels.items():
        if level:
            yield Brought(what="condition", source=by, target=whom, condition=condition, amount=level)
    if feet:
        yield Brought(what="shove", source=by, target=whom, amount=feet)


@enforces(HR_WPN_13)
def hit_by_cantrip(state: State, exchange: Exchange, cantrip: Cantrip, by: str, whom: str) -> Emits[State]:
    """Emit what a hit with *cantrip* brings: in an engagement at the end of its step, otherwise at once."""
    bonus = exchange.might_bonus and by == exchange.attacker
    found = tuple(brings(cantrip, by, whom, might_bonus=bonus))
    if exchange.engagement is not None:
        hit = CantripHit(engagement=exchange.engagement, creature=by, target=whom, brought=found)
        return (yield hit)
    for one in found:
        state = yield from land(state, f"{exchange.path}/{one.what}", one)
    return state


def land_first(state: State, frame: EngagementFrame) -> Emits[State]:
    """Emit the first of what cantrips have brought in the step in hand."""
    one = frame.brought[0]
    state = yield BroughtLanded(engagement=frame.path, because=(RULE,))
    left = len(frame.brought)
    return (yield from land(state, f"{frame.path}/{frame.phase}/{one.source}/{one.target}/{left}", one))


def land(state: State, path: str, one: Brought) -> Emits[State]:
    """Emit what a hit brings to those that are still there."""
    target = state.creatures[one.target]
    if not target.is_present:
        return state
    if one.what == "drench":
        state = yield Drenched(creature=one.target, because=(RULE,))
        if target.has("burning"):
            state = yield ConditionLost(creature=one.target, condition="burning", because=("HR-COND-19",))
        return state
    if one.what == "condition":
        return (yield from gain(state, one.target, one.condition, one.amount, one.source))
    return (yield from shoved(state, path, one.target, one.source, one.amount))


# --- one attack ----------------------------------------------------------------------------------------
# Attack roll, defense roll or contested roll, and the damage that comes of it. An exchange is a frame that
# goes attack, defense, settle, done; `MOMENTS` names the windows it opens before each stage. Its rolls use
# the creatures as the step began, so that attacks of one step are simultaneous. A roll stays on the frame
# while somebody might change it.

HR_RES_4: Final = Rule(
    "HR-RES-4",
    "Attacks of one step are simultaneous: a creature that one of them kills or pushes still attacks.",
    (books.MECHANICS.at("Resolution of Attacks"), books.COMBAT.at("Resolution")),
    settles=("A-14", "A-64"),
)
HR_ATK_2: Final = Rule(
    "HR-ATK-2",
    "A defense roll is heart die, the die of the attacker's stance, and armor and shield.",
    books.MECHANICS.at("Attack Rolls"),
    settles=("A-10",),
)
HR_ATK_4: Final = Rule(
    "HR-ATK-4",
    "Two of one stance that attack each other both roll attacks; the lower takes the difference.",
    books.MECHANICS.at("Attack Rolls"),
    settles=("A-12",),
)
HR_ATK_3: Final = Rule(
    "HR-ATK-3",
    "Damage is attack minus defense, at least 0; of a contested pair the lower takes the difference.",
    books.MECHANICS.at("Attack Rolls"),
)
HR_ATK_6: Final = Rule(
    "HR-ATK-6",
    "A defensive target takes half damage, defends against the attack and never contests it.",
    books.MECHANICS.at("Attack Rolls"),
    settles=("A-17",),
)
HR_STANCE_DEF_1: Final = Rule(
    "HR-STANCE-DEF-1",
    "A defensive creature makes no attack, and what gets through its defense is halved, rounded up.",
    (books.MECHANICS.at("Engagements"), books.COMBAT.at("Defensive")),
)


_Thrown: TypeAlias = Generator[Fact[State], State, tuple[State, Roll]]
_Halved: TypeAlias = Generator[Fact[State], State, tuple[State, int]]


MOMENTS: Final[Mapping[str, tuple[Moment, ...]]] = MappingProxyType(
    {
        "defense": ("attack_rolled",),
        "settle": ("rolls_known", "damage_pending"),
        "done": ("damage_applied",),
    }
)
"""The windows an exchange opens before it enters each stage."""


@record
class ExchangeFrame(Exchange):
    """An attack on the way to its end: its rolls, its outcome, and what abilities do between them."""

    kind: ClassVar[str] = "exchange"

    def advance(self, state: State, chance: Chance) -> Emits[State]:  # noqa: PLR0911 - one return for each stage
        if self.stage != "done" and self._is_left(state):
            return (yield from conclude(state, self, hit=False))
        if state.lasting or listens(state):
            state, interrupted = yield from riders.before(state, chance, self, MOMENTS.get(self.stage, ()))
            if interrupted:
                return state
        if self.stage == "attack":
            return (yield from roll_attack(state, chance, self))
        if self.stage == "defense" and self.defense:
            return (yield DefenseKept(exchange=self.path, because=("HR-TIME-8",)))
        if self.stage == "defense":
            if self.how == "contested":
                return (yield from roll_contest(state, chance, self))
            return (yield from roll_defense(state, chance, self))
        if self.stage == "settle":
            return (yield from settle(state, self))
        return (yield from conclude(state, self, hit=True))

    def _is_left(self, state: State) -> bool:
        """Return whether the GM has taken one of the two out of the fight: that one takes part in nothing."""
        return any(state.creatures[name].status == "gone" for name in (self.attacker, self.defender))


@record
class ExchangeBegun(DeclaredAttack, Event[State]):
    """An attack begins: who strikes whom, with which stance, and how it will be rolled."""

    type: ClassVar[str] = "exchange_begun"
    exchange: ExchangeId

    def evolve(self, state: State) -> State:
        if self.engagement is not None:
            state = self._take_from(state, self.engagement)
        if self.how == "opportunity":
            state = make_active(state, self.attacker)
        state = self._spend_reach(state, self.attacker, self.defender)
        if self.how == "contested":
            state = self._spend_reach(state, self.defender, self.attacker)
        return state.pushed(opened_by(self, ExchangeFrame, self.exchange, seen=self._seen(state)))

    def _spend_reach(self, state: State, who: str, whom: str) -> State:
        attacker, target = state.creatures[who], state.creatures[whom]
        weapon = melee_weapon(attacker) if self.melee else wielded(attacker)
        if not spends_reach(state, attacker, target, weapon):
            return state
        return state.with_creature(who, used_reach=True)

    def _take_from(self, state: State, path: str) -> State:
        """Return the state with this exchange off the engagement's list, and its attacks made."""
        frame = state.frame(path, EngagementFrame)
        made = (self.attacker, self.defender) if self.how == "contested" else (self.attacker,)
        participants = among(frame, {creature: {"attack": "made"} for creature in made})
        return state.put(changed(frame, participants=participants, exchanges=frame.exchanges[1:]))

    @enforces(HR_RES_4)
    def _seen(self, state: State) -> Mapping[str, Creature]:
        """Return both creatures as the engagement's step began; an opportunity attack goes by the present."""
        if self.how == "opportunity" or state.house.simultaneity != "snapshot":
            return EMPTY
        assert self.engagement is not None
        snapshot = state.frame(self.engagement, EngagementFrame).snapshot
        return {name: snapshot[name] for name in (self.attacker, self.defender)}


def _purpose(what: str, exchange: Exchange, against: str, weapon: Weapon | None) -> dict[str, str]:
    purpose = {"what": what, "exchange": exchange.path, "against": against, "stance": exchange.stance}
    return {**purpose, "weapon": weapon.id} if weapon else purpose


def roll_attack(state: State, chance: Chance, exchange: Exchange) -> Emits[State]:
    """Emit the attack roll of the exchange's attacker."""
    state, roll = yield from _attack(state, chance, exchange, exchange.attacker, exchange.defender)
    return (
        yield AttackRolled(
            exchange=exchange.path,
            creature=exchange.attacker,
            rolled=_shown(state, roll),
            because=("HR-ATK-1",),
        )
    )


def _attack(state: State, chance: Chance, exchange: Exchange, who: str, whom: str) -> _Thrown:
    attacker, target = exchange.creature(state, who), exchange.creature(state, whom)
    weapon = exchange.weapon(attacker)
    state, roll = yield from throw(
        state,
        chance,
        owner=who,
        stream=f"{who}/attack",
        purpose=_purpose("attack", exchange, whom, weapon),
        pool=attack_pool(attacker, exchange.stance, weapon, might_bonus=exchange.might_bonus),
        edges=attack_edges(state, exchange, attacker, target),
        terms=flat_bonus(attacker),
        rolling="attack",
        ability=exchange.stance,
    )
    if weapon.cantrip is not None and is_conducting(state, weapon.cantrip, target):
        doubled = Term(amount=roll.total, what="doubled", rule=RULE)
        state, roll = yield from chance.amend(state, owner=who, roll=roll, terms=(doubled,))
    state = yield from spend_help(state, who)
    if state.creatures[who].conditions or state.creatures[whom].conditions:
        state = yield from vent(state, who, whom)
    return state, roll


def _shown(state: State, roll: Roll) -> ShownRoll:
    """Return the total of *roll*, and the roll where abilities could change it."""
    return ShownRoll(total=roll.total, roll=roll if state.abilities else None)


@enforces(HR_ATK_2)
def roll_defense(state: State, chance: Chance, exchange: Exchange) -> Emits[State]:
    """Emit the defense roll of *exchange*."""
    defender = exchange.creature(state, exchange.defender)
    attacker = exchange.creature(state, exchange.attacker)
    bare = ignores_armor(exchange.weapon(attacker), might_bonus=exchange.might_bonus)
    ability = defense_ability(state, exchange)
    state, roll = yield from throw(
        state,
        chance,
        owner=defender.id,
        stream=f"{defender.id}/defense/{attacker.id}",
        purpose=_purpose("defense", exchange, attacker.id, None),
        pool=(
            heart_die(defender),
            ability_die(defender, ability),
            *riders.pool_dice(state, exchange),
        ),
        edges=defense_edges(state, exchange, defender, attacker),
        terms=protection(defender, without_armor=bare),
        rolling="defense",
        ability=ability,
    )
    state = yield from spend_help(state, defender.id)
    return (yield DefenseRolled(exchange=exchange.path, creature=defender.id, rolled=_shown(state, roll)))


@enforces(HR_ATK_4)
def roll_contest(state: State, chance: Chance, exchange: Exchange) -> Emits[State]:
    """Emit the second attack roll of a contested exchange."""
    state, roll = yield from _attack(state, chance, exchange, exchange.defender, exchange.attacker)
    return (
        yield ContestedRolled(
            exchange=exchange.path,
            creature=exchange.defender,
            rolled=_shown(state, roll),
        )
    )


@enforces(HR_ATK_3)
def settle(state: State, exchange: Exchange) -> Emits[State]:
    """Emit the result of *exchange*: a miss, or a hit with its damage and what a cantrip brings."""
    loser, winner, excess = riders.outcome(state, exchange)
    if excess <= 0 or state.creatures[loser].status == "gone":  # nobody hits who is there no more
        return (yield from conclude(state, exchange, hit=False))
    state = yield ExchangeHit(exchange=exchange.path, creature=loser, by=winner, excess=excess)
    cantrip = exchange.weapon(exchange.creature(state, winner)).cantrip
    if cantrip is not None and exchange.engagement is not None:
        state = yield from hit_by_cantrip(state, exchange, cantrip, winner, loser)
    if cantrip is not None and cantrip.harmless:
        return state
    amount = excess
    if is_half_safe(exchange) and loser == exchange.defender:
        state, amount = yield from halve(state, loser, excess)
    return (yield from hurt(state, f"{exchange.path}/damage", loser, amount, source=winner, cause="attack"))


def conclude(state: State, exchange: Exchange, *, hit: bool) -> Emits[State]:
    """Emit the end of an attack, and what an opportunity attack does beyond damage by the house's leave."""
    state = yield ExchangeSettled(exchange=exchange.path, hit=hit, because=("HR-ATK-3",))
    if state.lasting:
        state = yield from riders.end_empty_pools(state, exchange)
    for who, whom in thrown_in(state, exchange):
        weapon = exchange.weapon(exchange.creature(state, who)).id
        state = yield landed(state, who, weapon, whom)
    target, attacker = exchange.defender, exchange.attacker
    if not state.creatures[target].is_present:
        return state
    cantrip = exchange.weapon(exchange.creature(state, attacker)).cantrip
    if cantrip is not None and hit and exchange.engagement is None:
        state = yield from hit_by_cantrip(state, exchange, cantrip, attacker, target)
    if hit or not state.house.cunning_perk_needs_hit:
        for condition, levels in exchange.perk.items():
            state = yield from gain(state, target, condition, levels, attacker)
    if exchange.push_ft:
        state = yield from riders.shoved(state, f"{exchange.path}/push", target, attacker, exchange.push_ft)
    return state


def thrown_in(state: State, exchange: Exchange) -> Iterator[tuple[str, str]]:
    """Yield who threw a weapon that it had, and at whom."""
    pairs = [(exchange.attacker, exchange.defender)]
    if exchange.how == "contested":
        pairs.append((exchange.defender, exchange.attacker))
    for who, whom in pairs:
        weapon = exchange.weapon(exchange.creature(state, who))
        had = weapon.id in (state.creatures[who].wielded, exchange.thrown)
        if had and weapon.attack_type == "thrown" and is_object(weapon):
            yield who, whom


@enforces(HR_ATK_6)
def is_half_safe(exchange: Exchange) -> bool:
    """Return whether the defender of *exchange* is in the defensive stance, which halves the damage."""
    assert exchange.how != "contested" or exchange.defending_stance != "defensive"
    return exchange.defending_stance == "defensive"


@enforces(HR_STANCE_DEF_1)
def halve(state: State, creature: str, excess: int) -> _Halved:
    """Emit the halving of *excess* by the defensive stance; return the state and the damage left."""
    after = half(excess)
    state = yield DamageHalved(creature=creature, before=excess, after=after)
    return state, after
