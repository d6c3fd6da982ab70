"""Know one attack, or two that meet: who strikes whom with what, and with which dice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final, Literal

from service.dice.values import Roll, Term
from service.rules.heartrush import books
from service.rules.heartrush.body.answers import Asking
from service.rules.heartrush.body.weapons import (
    SHOT,
    beyond_range,
    favoured_die,
    melee_weapon,
    weapon_called,
    weapon_die,
    whip_die,
    wielded,
)
from service.rules.heartrush.creatures.sheet import Weapon
from service.rules.heartrush.creatures.state import Creature, State
from service.rules.heartrush.rolling.rolls import (
    Edge,
    ability_die,
    cover_edges,
    hampered,
    heart_die,
    helped,
    high_ground,
    prone,
    unseen_edges,
)
from service.rules.heartrush.timing.engagement import EngagementFrame, Planned
from service.rules.heartrush.timing.windows import Interruptible
from service.rules.heartrush.values import (
    CauserId,
    CountAfter,
    CountBefore,
    DefenderId,
    EngagementId,
    ExchangeId,
    Perks,
    StanceName,
)
from service.rules.kernel.messages import Event, Noted
from service.rules.kernel.records import EMPTY, changed, record, sealable
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.kernel.values import AttackerId, Code, CreatureId, Feet, Total, WeaponId
from service.rules.rolls.chance import PoolDie
from service.rules.rolls.withheld import ROLLS, open_part

# --- exchanges -----------------------------------------------------------------------------------------
# Who strikes whom with what, and what its rolls have shown so far.

HR_OA_5: Final = Rule("HR-OA-5", "An attacker is hidden no more, hit or miss.", books.BASICS.at("Hiding"))


How = Literal["normal", "contested", "opportunity"]
Stage = Literal["attack", "defense", "settle", "done"]


@record
class ShownRoll:
    """A roll as an attack has shown it: its flat parts may be GM-only."""

    total: Total = sealable(of="creature", fact=ROLLS, blank=0, shown=lambda shown: shown.dice_total)
    roll: Roll | None = sealable(default=None, of="creature", fact=ROLLS, shown=lambda shown: shown.dice)
    """The roll, where somebody might change it."""

    @property
    def dice(self) -> Roll | None:
        """The roll without its flat parts."""
        return None if self.roll is None else open_part(self.roll)

    @property
    def dice_total(self) -> int | None:
        """What the dice alone come to, where the roll is shown."""
        return None if self.dice is None else self.dice.total


@record
class DeclaredAttack:
    """Who strikes whom, in which stance, and how it is rolled."""

    attacker: AttackerId
    defender: DefenderId
    stance: StanceName
    how: How
    """How it is done."""
    melee: bool = False
    """Only what strikes in melee counts: fists, if the weapon in hand does not."""
    might_bonus: bool = False
    """Whether might adds to the damage."""
    defending_stance: Code | None = None
    """What the defender showed, inside an engagement."""
    engagement: EngagementId | None = None
    thrown: WeaponId | None = None
    """The second weapon of a follow-up."""
    perk: Perks = EMPTY
    push_ft: Feet = 0
    """Stance perks of an opportunity attack, where the house gives them: levels, and feet of a push."""


@record
class Exchange(DeclaredAttack, Interruptible, Asking):
    """One attack, or two that meet in a contested roll, with what is known of it so far."""

    seen: Mapping[CreatureId, Creature] = EMPTY
    """The creatures as the step began; empty where the attack stands alone."""
    stage: Stage = "attack"
    """How far it has come."""
    attack: ShownRoll | None = None
    """The roll of the attack."""
    defense: ShownRoll | None = None
    """What meets the attack, also if that is rolled again; in a contest the defender's attack."""
    adjusted: Total | None = None
    """The damage, once an instant has changed it; otherwise it follows from the rolls."""

    @property
    def attack_total(self) -> int:
        """The total of the attack, 0 before it is rolled."""
        return self.attack.total if self.attack else 0

    @property
    def defense_total(self) -> int:
        """The total that meets the attack, 0 before it is rolled."""
        return self.defense.total if self.defense else 0

    def creature(self, state: State, name: str) -> Creature:
        """Return the creature whose dice, conditions and place this exchange goes by."""
        return self.seen.get(name) or state.creatures[name]

    def weapon(self, creature: Creature) -> Weapon:
        """Return what *creature* strikes with here."""
        if self.thrown is not None and creature.id == self.attacker:
            return weapon_called(creature, self.thrown)
        return melee_weapon(creature) if self.melee else wielded(creature)


@record
class AttackRolled(Event[State]):
    """The attack roll is known."""

    type: ClassVar[str] = "attack_rolled"
    exchange: ExchangeId
    creature: CreatureId
    rolled: ShownRoll
    """The roll as the attack has shown it."""

    def evolve(self, state: State) -> State:
        return state.with_frame(self.exchange, Exchange, stage="defense", attack=self.rolled)


@record
class DefenseRolled(Event[State]):
    """The defense roll is known."""

    type: ClassVar[str] = "defense_rolled"
    exchange: ExchangeId
    creature: CreatureId
    rolled: ShownRoll
    """The roll as the attack has shown it."""

    def evolve(self, state: State) -> State:
        return _defended(state, state.frame(self.exchange, Exchange), self.rolled)


@record
class ContestedRolled(Event[State]):
    """The other attack of a contested exchange is known."""

    type: ClassVar[str] = "contested_rolled"
    exchange: ExchangeId
    creature: CreatureId
    rolled: ShownRoll
    """The roll as the attack has shown it."""

    def evolve(self, state: State) -> State:
        return _defended(state, state.frame(self.exchange, Exchange), self.rolled)


@record
class DefenseKept(Event[State]):
    """An attack that was rolled again meets the roll that answered the first."""

    type: ClassVar[str] = "defense_kept"
    exchange: ExchangeId

    def evolve(self, state: State) -> State:
        return state.with_frame(self.exchange, Exchange, stage="settle")


@record
class DamageHalved(Noted[State]):
    """The defensive stance halves what got through."""

    type: ClassVar[str] = "damage_halved"
    creature: CreatureId
    before: CountBefore
    after: CountAfter


@record
class ExchangeSettled(Event[State]):
    """An attack is over."""

    type: ClassVar[str] = "exchange_settled"
    exchange: ExchangeId
    hit: bool
    """Whether it hit."""

    def evolve(self, state: State) -> State:
        return state.popped(self.exchange)


@record
class ExchangeHit(Event[State]):
    """Damage of an exchange is on its way to the creature it hits."""

    type: ClassVar[str] = "exchange_hit"
    exchange: ExchangeId
    creature: CreatureId
    by: CauserId
    excess: Total
    """By how much the attack beat the defense."""

    def evolve(self, state: State) -> State:
        frame = state.frame(self.exchange, Exchange)
        state = state.put(changed(frame, stage="done"))
        if frame.engagement is None:
            return state
        scene = state.frame(frame.engagement, EngagementFrame)
        following = scene.following
        if self.by == frame.attacker and earns_follow_up(state, frame) and self.by not in scene.hits:
            following = Planned(attacker=self.by, defender=self.creature, contested=False)
        return state.put(changed(scene, hits=(*scene.hits, self.by), following=following))


def earns_follow_up(state: State, frame: Exchange) -> bool:
    """Return whether a hit of this attack lets a second thrown weapon follow (HR-WPN-8)."""
    return frame.might_bonus and frame.weapon(state.creatures[frame.attacker]).attack_type == "thrown"


def _defended(state: State, frame: Exchange, rolled: ShownRoll) -> State:
    state = _unhide(state, frame.attacker)
    if frame.how == "contested":
        state = _unhide(state, frame.defender)
    return state.put(changed(frame, stage="settle", defense=rolled))


@enforces(HR_OA_5)
def _unhide(state: State, creature: str) -> State:
    """Return the state in which *creature* is not hidden."""
    if not state.creatures[creature].hidden_from:
        return state
    return state.with_creature(creature, hidden_from=())


# --- the dice of an attack -----------------------------------------------------------------------------
# With which dice and edges an attack is rolled, and the defense against it.

HR_ATK_1: Final = Rule(
    "HR-ATK-1",
    "An attack roll is heart die, the die of the stance's ability, weapon die, and what the weapon adds.",
    books.MECHANICS.at("Attack Rolls"),
)
HR_ATK_7: Final = Rule(
    "HR-ATK-7",
    "High ground, lying prone, distance, what cannot be seen, help and conditions change an attack roll.",
    (books.BASICS, books.CONDITIONS, books.WEAPONS),
)


@enforces(HR_ATK_1)
def attack_pool(creature: Creature, stance: str, weapon: Weapon, *, might_bonus: bool) -> tuple[PoolDie, ...]:
    """Return the dice of an attack roll of *creature* in *stance* with *weapon*."""
    return (
        heart_die(creature),
        ability_die(creature, stance),
        weapon_die(weapon),
        *favoured_die(weapon, stance),
        *whip_die(weapon, might_bonus=might_bonus),
    )


@enforces(HR_ATK_7)
def attack_edges(state: State, exchange: Exchange, attacker: Creature, target: Creature) -> tuple[Edge, ...]:
    """Return the edges of an attack roll: height, conditions, cover, distance, sight and help."""
    weapon = exchange.weapon(attacker)
    edges = [
        *helped(state, attacker.id),
        *hampered(state, attacker, exchange.stance, "attack", against=target),
        *high_ground(state, attacker, target),
        *prone(attacker),
        *unseen_edges(state, attacker, target),
        *cover_edges(state, attacker, target, weapon),
    ]
    feet = state.distance(state.creatures[attacker.id], state.creatures[target.id])
    far = beyond_range(state, attacker, weapon, feet)
    if far:
        edges.append(Edge(-far, "beyond range", "HR-WPN-5"))
    return tuple(edges)


def defense_edges(
    state: State, exchange: Exchange, defender: Creature, attacker: Creature
) -> tuple[Edge, ...]:
    """Return what changes a defense roll: lying prone, an attacker unseen, help and conditions."""
    shot = exchange.weapon(attacker).attack_type in SHOT
    return (
        *helped(state, defender.id),
        *hampered(state, defender, defense_ability(state, exchange), "defense", against=attacker),
        *prone(defender, defends_against_shot=shot),
        *unseen_edges(state, defender, attacker),
    )


def flat_bonus(creature: Creature) -> tuple[Term, ...]:
    """Return the flat bonus on a sheet, where it has one."""
    bonus = creature.sheet.attack_bonus
    return (Term(amount=bonus, what="attack bonus", rule="HR-ATK-1"),) if bonus else ()


def defense_ability(state: State, exchange: Exchange) -> str:
    """Return whose stance names the defender's die: the attacker's, unless the house says its own."""
    own = exchange.defending_stance
    if state.house.defense_die == "defender_stance" and own in ("might", "agility", "cunning"):
        return own
    return exchange.stance
