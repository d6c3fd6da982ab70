"""Throw the dice of an attack: the exploding roll, and the chance to miss what is hard to see.

Every roll is recorded with its terms; each belongs to the stream of its user and purpose.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from types import MappingProxyType
from typing import Final, TypeAlias

from service.dice.values import Roll, Term
from service.rules.kernel.messages import Fact
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.rise import books
from service.rules.rise.attacks.cover import SHELTERED
from service.rules.rise.attacks.hidden import felt
from service.rules.rise.attacks.outcomes import Outcome, grip
from service.rules.rise.attacks.uses import Aim
from service.rules.rise.attacks.zones import is_dark
from service.rules.rise.creatures.condition_kinds import kind_of, kinds_on
from service.rules.rise.creatures.creature import Creature
from service.rules.rise.creatures.lasting import Cover
from service.rules.rise.creatures.sheet import Strike
from service.rules.rise.harm.numbers import accuracy_terms, defense_terms, total
from service.rules.rise.space.riding import JOLTED
from service.rules.rise.state import State
from service.rules.rolls.chance import Chance, PoolDie

RI_ATK_13: Final = Rule(
    "RI-ATK-13",
    "A hidden target is missed by chance, 2 in 10 if concealed, 5 in 10 if unseen; never a glance.",
    (books.VISION.at("Concealment"), books.GLOSSARY),
)
RI_ATK_2: Final = Rule(
    "RI-ATK-2",
    "A ten on an attack roll explodes: it is rolled on and added. Only attack rolls explode.",
    (books.ATTACKS.at("Exploding Attacks"), books.CODEX_COMBAT),
)
RI_ATK_10: Final = Rule(
    "RI-ATK-10",
    "A willing target may drop a defense to nothing.",
    books.RUNNING.at("Uncommon Combat Circumstances"),
)
RI_GROUP_5: Final = Rule(
    "RI-GROUP-5",
    "Later members profit from what earlier ones did: defenses count as the group knows them by now.",
    books.TIME.at("Resolving Actions"),
)


Thrown: TypeAlias = Generator[Fact[State], State, tuple[State, Roll]]
EXPLOSIONS = 20
BESIDES: Final[Mapping[str, str]] = MappingProxyType({JOLTED: "RI-MOUNT-1"})
"""What counts in an attack by another rule than that of weapons."""


@enforces(RI_ATK_13)
def see_through(
    state: State, chance: Chance, aim: Aim, outcome: Outcome
) -> Generator[Fact[State], State, tuple[State, Outcome]]:
    """Throw the miss chance against a hidden target; return the state and the outcome.

    Where somebody may have become so unseen, the die is thrown for every attack, and tells nothing.
    """
    misses = unsure(state, aim)
    if not misses and not may_be_unsure(state, aim):
        return state, outcome
    roll: Roll
    state, roll = yield from chance.throw(
        state,
        owner=aim.assault.user,
        stream=f"{aim.assault.user}/concealment",
        purpose={"who": aim.assault.user, "whom": aim.target, "what": "concealment"},
        pool=(PoolDie(role="concealment", sides=10),),
    )
    return state, "miss" if roll.total <= misses else outcome


def unsure(state: State, aim: Aim) -> int:
    """Return of ten such attacks how many miss for what cannot be seen: the worst of all reasons counts.

    A dazzled creature sees everything as concealed, a blinded one sees nothing.
    """
    user, target = felt(state, aim.assault.user), felt(state, aim.target)
    if user.id == target.id or aim.assault.area is not None:
        return 0
    if is_dark(state, user) or is_dark(state, target):
        return kind_of("unseen").missed
    reasons = [kind.missed for kind in kinds_on(target)]
    return max([*reasons, *(kind.misses for kind in kinds_on(user))], default=0)


def may_be_unsure(state: State, aim: Aim) -> bool:
    """Tell whether, for all that others know, a hidden Swift ability makes this attack miss by chance."""
    if aim.assault.user == aim.target or aim.assault.area is not None:
        return False
    return any(
        "abilities" in state.gm_only_of(name) or dims(state.creatures[name])
        for group in state.hidden_swift
        for name in state.groups[group]
    )


def dims(creature: Creature) -> bool:
    """Tell whether *creature* has a Swift ability that makes somebody hard to see, or see badly."""
    return any(
        effect.does == "gain" and (kind_of(effect.condition).missed or kind_of(effect.condition).misses)
        for ability in creature.sheet.abilities
        for effect in ability.effects
        if effect.swift or "swift" in ability.tags
    )


@enforces(RI_ATK_2)
def roll_attack(state: State, chance: Chance, aim: Aim, strike: Strike, *, again: bool) -> Thrown:
    """Throw an attack roll, exploding tens included; return the state and the roll."""
    assault = aim.assault
    user = state.creatures[assault.user]
    terms = [*accuracy_terms(user, brawling=strike.brawling, bonus=strike.accuracy)]
    for what, amount in assault.terms.items():
        terms.append(Term(amount=amount, what=what, rule=BESIDES.get(what, "RI-ATK-8")))
    if again:
        terms.append(Term(amount=2, what="desperate exertion", rule="RI-UNIV-DESPERATE"))
    first = state.house.explosion_target if state.profile.exploding else 10

    def explode(faces: Sequence[int]) -> Sequence[PoolDie]:
        if faces[-1] >= (first if len(faces) == 1 else 10) and len(faces) <= EXPLOSIONS:
            return (PoolDie(role="explosion", sides=10),)
        return ()

    return (
        yield from chance.throw(
            state,
            owner=user.id,
            stream=f"{user.id}/attack",
            purpose={"who": user.id, "whom": aim.target, "what": assault.what},
            pool=(PoolDie(role="attack", sides=10),),
            more=explode,
            terms=terms,
        )
    )


@enforces(RI_GROUP_5, RI_ATK_10)
def against(state: State, aim: Aim, strike: Strike, cover: Cover | None) -> Mapping[str, int]:
    """Return the defenses that an attack has to reach, by name."""
    assault = aim.assault
    creature, user = felt(state, aim.target), felt(state, assault.user)
    if "grip" in strike.versus:
        return {"grip": -EXPLOSIONS if assault.maneuver == "grip" else grip(creature)}
    if aim.target in assault.willing:
        return dict.fromkeys(strike.versus, 0)
    extra = sum(assault.defense_terms.values()) + unseen_hindrance(state, user, strike)
    sheltered = dict.fromkeys(SHELTERED, cover.bonus) if cover is not None else {}
    return {
        name: total(defense_terms(creature, name, user)) + extra + sheltered.get(name, 0)
        for name in strike.versus
    }


def unseen_hindrance(state: State, user: Creature, strike: Strike) -> int:
    """Return what hidden Swift effects take off an attack: no term of its roll tells of them."""

    def accuracy(creature: Creature) -> int:
        return total(accuracy_terms(creature, brawling=strike.brawling, bonus=strike.accuracy))

    return accuracy(state.creatures[user.id]) - accuracy(user)
