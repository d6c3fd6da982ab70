"""Making attacks: throw the dice, judge them against defenses, and calculate damage."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar, Final, Literal, NamedTuple, TypeAlias

from service.dice.values import Roll, Term
from service.rules.kernel.messages import Emits, Fact, Noted
from service.rules.kernel.records import EMPTY, record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.kernel.values import Amount, TargetId
from service.rules.rise import books
from service.rules.rise.body.effects import note
from service.rules.rise.body.hidden_swift import felt
from service.rules.rise.body.movement_and_positioning import JOLTED
from service.rules.rise.creatures.combat_statistics import (
    EXERTED,
    accuracy_terms,
    defense_terms,
    halved,
    in_force,
    kind_of,
    kinds_on,
    total,
)
from service.rules.rise.creatures.creature import UNNUMBERED, Atom, Cover, Creature
from service.rules.rise.creatures.sheet import Effect, Sort, Strike
from service.rules.rise.creatures.state import State
from service.rules.rise.sight.obstacles_and_targets import SHELTERED, Aim, Assault, is_dark
from service.rules.rise.values import EffectSource
from service.rules.rolls.chance import Chance, PoolDie

# --- outcomes ------------------------------------------------------------------------------------------
# What a roll comes to against defenses, and what damage it may do. Pure numbers: nothing here throws a die
# or knows how far an ability has come.

RI_INFO_5: Final = Rule(
    "RI-INFO-5",
    "The attacker's group learns how an attack came out, and defenses only where the house says so.",
    books.TIME.at("Resolving Actions"),
)
RI_ATK_3: Final = Rule(
    "RI-ATK-3",
    "Outcomes are looked for in this order: glance, miss, critical hit, hit; every named defense counts.",
    books.ATTACKS.at("Attack Rolls"),
)
RI_ATK_4: Final = Rule(
    "RI-ATK-4",
    "A damaging attack that falls one or two short glances: half damage and nothing else.",
    books.ATTACKS.at("Glancing Blows"),
)
RI_ATK_5: Final = Rule(
    "RI-ATK-5",
    "An attack that is below a defense and does not glance misses.",
    books.ATTACKS.at("Attack Rolls"),
)
RI_ATK_6: Final = Rule(
    "RI-ATK-6",
    "Ten above the defense is critical, and each ten more again; a bonus for this alone makes no hit.",
    books.ATTACKS.at("Critical Hits"),
)
RI_ATK_7: Final = Rule(
    "RI-ATK-7",
    "An attack that reaches the defense, by less than ten more, is a hit.",
    books.ATTACKS.at("Attack Rolls"),
)
RI_DMG_8: Final = Rule(
    "RI-DMG-8",
    "Objects have hit points of their own and suffer no critical hits.",
    (books.ATTACKS.at("Critical Hits"), books.CODEX_ADVENTURING),
)
RI_DMG_4: Final = Rule(
    "RI-DMG-4",
    "Damage is never less than nothing, or than one where the house plays the later printing.",
    books.LATER_COMBAT,
    settles=("C-40",),
)
RI_ATK_12: Final = Rule(
    "RI-ATK-12",
    "A target that no longer qualifies when the ability resolves is not affected; the others are.",
    books.CODEX_COMBAT,
    settles=("C-37",),
)


Outcome = Literal["none", "miss", "glance", "hit", "crit", "unknown"]
CRIT = 10
"""By how much a critical hit beats the defense, and each further multiple."""
GLANCE = -2


@enforces(RI_INFO_5)
def shown(state: State, target: str, defenses: Mapping[str, int]) -> Mapping[str, int]:
    """Return the *defenses* that the attacker's group is shown, mostly none.

    Where a group has committed to Swift abilities unseen, they would tell of these: nobody's are shown then.
    """
    if state.house.visibility != "full" or state.hidden_swift or "defenses" in state.gm_only_of(target):
        return EMPTY
    return defenses


def grip(creature: Creature) -> int:
    """Return what its grapplers rolled this round to keep their hold, 0 where they did not."""
    return max([c.modifiers["grip"] for c in creature.conditions if "grip" in c.modifiers], default=0)


@enforces(RI_ATK_3, RI_ATK_7)
def judge(rolled: int, defenses: Mapping[str, int], strike: Strike) -> tuple[Outcome, int]:
    """Return the outcome of a roll against *defenses*, and how often a critical hit multiplies."""
    margin = min(rolled - defense for defense in defenses.values())
    if is_glance(margin, strike):
        return "glance", 0
    if is_miss(margin):
        return "miss", 0
    multiple = crits(margin, strike)
    return ("crit", multiple) if multiple else ("hit", 0)


@enforces(RI_ATK_4)
def is_glance(margin: int, strike: Strike) -> bool:
    """Return whether an attack glances at this *margin* over the defense."""
    return strike.damaging and GLANCE <= margin < 0


@enforces(RI_ATK_5)
def is_miss(margin: int) -> bool:
    """Return whether an attack that does not glance misses at this *margin*."""
    return margin < 0


@enforces(RI_ATK_6)
def crits(margin: int, strike: Strike) -> int:
    """Return how often a hit at this *margin* is critical, 0 if it is not."""
    return max(0, (margin + strike.crit_bonus) // CRIT)


@enforces(RI_DMG_8)
def may_be_crit(target: Creature) -> bool:
    """Return whether critical hits count against *target*."""
    return target.sheet.kind != "object"


@enforces(RI_DMG_4)
def at_least(state: State, amount: int) -> int:
    """Return damage of *amount*, at least the least of the house."""
    return max(state.house.min_damage, amount)


@enforces(RI_ATK_12)
def is_valid(state: State, target: str, effect: Effect) -> bool:
    """Return whether *effect* still works on *target*."""
    return effect.does == "damage" or not state.creatures[target].dead


# --- the attack roll -----------------------------------------------------------------------------------
# The exploding roll, and the chance to miss what is hard to see. Every roll is recorded with its terms; each
# belongs to the stream of its user and purpose.

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
    "Later members profit from what earlier ones did: defenses count as the group knows them then.",
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

    Where somebody may have become so unseen, the die is thrown for every attack, and discloses nothing.
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
    """Return whether, for all that others know, a hidden Swift ability makes this attack miss by chance."""
    if aim.assault.user == aim.target or aim.assault.area is not None:
        return False
    return any(
        "abilities" in state.gm_only_of(name) or dims(state.creatures[name])
        for group in state.hidden_swift
        for name in state.groups[group]
    )


def dims(creature: Creature) -> bool:
    """Return whether *creature* has a Swift ability that makes somebody hard to see, or see badly."""
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
        terms.append(EXERTED)
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
    """Return what hidden Swift effects take off an attack: no term of its roll shows them."""

    def accuracy(creature: Creature) -> int:
        return total(accuracy_terms(creature, brawling=strike.brawling, bonus=strike.accuracy))

    return accuracy(state.creatures[user.id]) - accuracy(user)


# --- damage --------------------------------------------------------------------------------------------
# Its damage roll, its halves and multiples.

RI_DMG_1: Final = Rule(
    "RI-DMG-1",
    "Damage is dice, a fixed part, half the power, and once for each roll and target what is extra.",
    books.DAMAGE,
)
RI_DMG_2: Final = Rule(
    "RI-DMG-2",
    "A critical hit rolls its damage dice once more for each multiple and multiplies the rest.",
    books.ATTACKS.at("Critical Hits"),
    settles=("C-40",),
)


@record
class DamageRolled(Noted[State]):
    """The damage of an attack or ability, before resistance."""

    type: ClassVar[str] = "damage_rolled"
    source: EffectSource
    target: TargetId
    amount: Amount
    sort: Sort


def strike_damage(
    state: State, chance: Chance, aim: Aim, strike: Strike, outcome: Outcome, multiple: int
) -> Emits[State]:
    """Emit the damage roll of an attack and record what it does."""
    glancing = outcome == "glance" or (outcome == "miss" and strike.half_on_miss)
    if outcome == "miss" and not glancing:
        return state
    amount: int
    state, amount = yield from damage_amount(state, chance, aim, strike, multiple)
    user, subdual = aim.assault.user, aim.assault.subdual
    amount = at_least(state, halved(amount, glancing + subdual) if glancing or subdual else amount)
    sort: Sort = "subdual" if subdual else strike.sort
    state = yield DamageRolled(
        source=user, target=aim.target, amount=amount, sort=sort, because=("RI-DMG-1",)
    )
    atom = Atom(seq=UNNUMBERED, source=user, target=aim.target, does="damage", amount=amount, sort=sort)
    return (yield from note(state, chance, atom))


class Part(NamedTuple):
    """One part of an attack's damage: what it is for, its dice, its fixed part."""

    what: str
    dice: tuple[int, ...]
    flat: int


@enforces(RI_DMG_1)
def parts(state: State, assault: Assault, strike: Strike) -> tuple[Part, ...]:
    """Return the parts of the damage of *strike*: the weapon's own, and what is extra.

    All of it is halved by a glance and multiplied by a critical hit.
    """
    user = state.creatures[assault.user]
    own = Part("flat damage", strike.dice, strike.flat + user.sheet.power // 2)
    return (own, *(() if assault.spent else extras(user, assault)))


def extras(user: Creature, assault: Assault) -> Iterator[Part]:
    """Yield the extra damage of an attack: what the ability adds, then what affects its user."""
    for effect in assault.effects:
        if effect.does == "extra":
            yield Part(assault.what, effect.dice, effect.amount)
    for condition in in_force(user):
        flat = condition.modifiers.get("damage", 0)
        if condition.dice or flat:
            yield Part(condition.name, condition.dice, flat)


@enforces(RI_DMG_2)
def damage_amount(
    state: State, chance: Chance, aim: Aim, strike: Strike, multiple: int
) -> Generator[Fact[State], State, tuple[State, int]]:
    """Throw the damage of a hit; return the state and the amount."""
    times = 1 + (multiple if may_be_crit(state.creatures[aim.target]) else 0)
    rolled, multiplied = (times, 1) if state.house.crit_mode == "roll" else (1, times)
    found = parts(state, aim.assault, strike)
    roles = ("damage", *("extra" for _ in found[1:]))
    pool = [
        PoolDie(role=role, sides=sides)
        for role, part in zip(roles, found, strict=True)
        for sides in part.dice * rolled
    ]
    terms = [Term(amount=part.flat * rolled, what=part.what, rule="RI-DMG-1") for part in found]
    if not pool:
        return state, sum(term.amount for term in terms) * multiplied
    roll: Roll
    state, roll = yield from chance.throw(
        state,
        owner=aim.assault.user,
        stream=f"{aim.assault.user}/damage",
        purpose={"who": aim.assault.user, "whom": aim.target, "what": aim.assault.what},
        pool=pool,
        terms=terms,
    )
    return state, roll.total * multiplied
