"""Say with which dice and edges an attack is rolled, and the defense against it."""

from __future__ import annotations

from typing import Final

from service.dice.values import Term
from service.rules.heartrush import books
from service.rules.heartrush.checks.afflictions import cover_edges, hampered, prone
from service.rules.heartrush.checks.light import high_ground, unseen_edges
from service.rules.heartrush.checks.rolls import (
    Edge,
    ability_die,
    heart_die,
    helped,
)
from service.rules.heartrush.creatures.cover import SHOT
from service.rules.heartrush.creatures.weapons import (
    beyond_range,
    favoured_die,
    weapon_die,
    whip_die,
)
from service.rules.heartrush.engagements.exchanges import (
    Exchange,
)
from service.rules.heartrush.sheets.sheet import Weapon
from service.rules.heartrush.state import Creature, State
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.rolls.chance import PoolDie

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
