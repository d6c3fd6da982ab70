"""Build pools and throw them: dice, and what light, conditions and surroundings add and drop."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from typing import ClassVar, Final, Literal, NamedTuple, TypeAlias

from service.dice.values import Roll, Term
from service.rules.heartrush import books
from service.rules.heartrush.body.conditions import hindrance
from service.rules.heartrush.body.lasting import EffectEnded, has, having, influence, untouched
from service.rules.heartrush.body.possessions import lantern_light, lanterns
from service.rules.heartrush.body.weapons import SHOT, TOTAL, cover_level
from service.rules.heartrush.creatures.abilities import Explode, Extremes, Rolling
from service.rules.heartrush.creatures.ledges import height_at
from service.rules.heartrush.creatures.sheet import Ability, Light, Water, Weapon
from service.rules.heartrush.creatures.size_and_bonds import can_stand, waters
from service.rules.heartrush.creatures.state import Creature, State
from service.rules.kernel.messages import Event, Fact
from service.rules.kernel.records import record
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.values import CreatureId
from service.rules.rolls.chance import Chance, PoolDie
from service.rules.space.grid import Cell, cells

# --- challenge numbers ---------------------------------------------------------------------------------

HR_GEN_8: Final = Rule(
    "HR-GEN-8",
    "The number a creature sets is the top face of its ability or heart die plus twice its paragon level.",
    books.CHECKS.at("Ability Challenge Number"),
)

PHYSICAL: Final = ("might", "agility")


@enforces(HR_GEN_8)
def challenge_number(creature: Creature, by: Ability | Literal["heart"]) -> int:
    """Return the challenge number that *creature* sets with an ability or with its heart die."""
    faces: int = creature.sheet.heart_die if by == "heart" else getattr(creature.sheet, by)
    return faces + 2 * creature.sheet.paragon_level


def trouble_face(creature: Creature, ability: Ability) -> int:
    """Return the highest face that brings trouble: 1, and 1 more for each level of vulnerability."""
    kind = "physical" if ability in PHYSICAL else "mental"
    return 1 + creature.level(f"vulnerable_{kind}")


# --- pools ---------------------------------------------------------------------------------------------
# Heart die, ability die, weapon dice, and what advantage adds and drops. Order of a pool: heart, ability,
# weapon die, more weapon dice, other dice, then the extras of advantage or disadvantage. Every source of
# advantage is recorded with its rule.

HR_AD_3: Final = Rule(
    "HR-AD-3",
    "Advantage and disadvantage cancel one for one; what remains stacks without limit.",
    books.CHECKS.at("Advantage & Disadvantage"),
)
HR_AD_1: Final = Rule(
    "HR-AD-1",
    "Each level of advantage adds a die of the pool's smallest size, and as many lowest are dropped.",
    books.CHECKS.at("Advantage & Disadvantage"),
)
HR_AD_2: Final = Rule(
    "HR-AD-2",
    "Each level of disadvantage adds a die of the pool's largest size, and as many highest are dropped.",
    books.CHECKS.at("Advantage & Disadvantage"),
)
HR_GEN_6: Final = Rule(
    "HR-GEN-6",
    "Dice are thrown in a fixed order: heart, ability, weapon, others, then the extras of advantage.",
    RULING,
)
HR_AD_4: Final = Rule(
    "HR-AD-4",
    "Only kept dice count for effects of faces: each that shows its highest face adds a die of its size.",
    books.CHECKS.at("Advantage & Disadvantage"),
)
HR_AD_5: Final = Rule(
    "HR-AD-5",
    "A leveled condition that gives disadvantage gives as many levels of it as the condition has.",
    books.CONDITIONS.at("Leveled"),
)


Thrown: TypeAlias = Generator[Fact[State], State, tuple[State, Roll]]


class Edge(NamedTuple):
    """One source of advantage (levels above zero) or disadvantage (below)."""

    levels: int
    what: str
    rule: str


@record
class HelpSpent(Event[State]):
    """A creature used up the advantage that help gave it: all of it, of however many helpers."""

    type: ClassVar[str] = "help_spent"
    creature: CreatureId

    def evolve(self, state: State) -> State:
        return state.with_creature(self.creature, help=0)


@enforces(HR_AD_3)
def net(edges: Iterable[Edge]) -> int:
    """Return the sum of the levels of *edges*: advantage is above 0, disadvantage below."""
    return sum(edge.levels for edge in edges)


@enforces(HR_AD_1)
def advantage(pool: Sequence[PoolDie], levels: int) -> tuple[PoolDie, ...]:
    """Return the dice that *levels* of advantage add to *pool*."""
    smallest = min(pip.sides for pip in pool)
    return (PoolDie(role="advantage", sides=smallest),) * levels


@enforces(HR_AD_2)
def disadvantage(pool: Sequence[PoolDie], levels: int) -> tuple[PoolDie, ...]:
    """Return the dice that *levels* of disadvantage add to *pool*."""
    largest = max(pip.sides for pip in pool)
    return (PoolDie(role="disadvantage", sides=largest),) * levels


@enforces(HR_GEN_6)
def throw(  # noqa: PLR0913 - a roll records all of these; a caller gives only what it needs
    state: State,
    chance: Chance,
    *,
    owner: str,
    stream: str,
    purpose: Mapping[str, str],
    pool: Sequence[PoolDie],
    edges: Sequence[Edge] = (),
    terms: Sequence[Term] = (),
    rolling: Rolling | None = None,
    ability: str = "",
) -> Thrown:
    """Throw *pool* and the dice of advantage or disadvantage; return the state and the roll.

    *rolling* and *ability* tell what kind of roll it is, so that abilities can take part in it.
    """
    creature = state.creatures[owner]
    touched = rolling is not None and not untouched(state, creature)
    used: tuple[str, ...] = ()
    if touched and rolling is not None:
        shaped = influence(state, creature, rolling, ability, pool)
        pool, used = shaped.pool, shaped.used
        edges = (*edges, *(Edge(levels, what, "HR-ABIL-2") for levels, what in shaped.levels))
        terms = (*terms, *shaped.terms)
    levels = net(edges)
    extras: tuple[PoolDie, ...] = ()
    if levels:
        extras = advantage(pool, levels) if levels > 0 else disadvantage(pool, -levels)
    thrown = (*pool, *extras)

    def drop(faces: Sequence[int]) -> Sequence[int]:
        return lowest_or_highest(faces[: len(thrown)], levels)

    explodes = touched and rolling == "attack" and has(state, creature, Explode)
    notes = tuple(Term(amount=0, what=f"{edge.what} {edge.levels:+d}", rule=edge.rule) for edge in edges)
    state, roll = yield from chance.throw(
        state,
        owner=owner,
        stream=stream,
        purpose=purpose,
        pool=thrown,
        drop=drop if levels else None,
        more=(lambda faces: explosions(thrown, faces, drop(faces))) if explodes else None,
        terms=(*terms, *notes),
    )
    if touched and rolling is not None:
        return (yield from _aftereffects(state, chance, creature, roll, used))
    return state, roll


def lowest_or_highest(faces: Sequence[int], levels: int) -> Sequence[int]:
    """Return the places of the faces that advantage (levels above zero) or disadvantage drops."""
    sign = 1 if levels > 0 else -1
    ranked = sorted(range(len(faces)), key=lambda i: (sign * faces[i], i))
    return ranked[: abs(levels)]


EXPLOSIONS: Final = 20
"""Dice that exploding may add to one roll."""


@enforces(HR_AD_4)
def explosions(thrown: Sequence[PoolDie], faces: Sequence[int], dropped: Sequence[int]) -> Sequence[PoolDie]:
    """Return the dice that kept dice at their highest face add, given the *faces* known so far."""
    sides = [pip.sides for pip in thrown]
    for i, face in enumerate(faces):
        if i not in dropped and face == sides[i]:
            sides.append(sides[i])
    known = len(faces)
    return tuple(PoolDie(role="explosion", sides=s) for s in sides[known : len(thrown) + EXPLOSIONS])


def _aftereffects(
    state: State, chance: Chance, creature: Creature, roll: Roll, used: tuple[str, ...]
) -> Thrown:
    """Return what a roll used up, and count its dice at their ends where an ability says so."""
    for extreme, where in having(state, creature, Extremes):
        most = extreme.end == "most"
        amount = sum((die.sides if most else 1) - die.face for die in roll.dice if not die.dropped)
        term = Term(amount=amount, what=f"every die at its {extreme.end}", rule="HR-ABIL-2")
        state, roll = yield from chance.amend(state, owner=creature.id, roll=roll, terms=(term,))
        used = (*used, where.id) if where is not None else used
    for effect in used:
        state = yield EffectEnded(effect=effect, reason="used", because=("HR-ABIL-8",))
    return state, roll


def helped(state: State, creature: str) -> tuple[Edge, ...]:
    """Return the advantage of help for *creature*, a level of each helper; the roll that has it spends it."""
    levels = state.creatures[creature].help
    return (Edge(levels, "help", "HR-ACT-10"),) if levels else ()


def spend_help(state: State, creature: str) -> Generator[Fact[State], State, State]:
    """Emit that help was used, if there was any."""
    if state.creatures[creature].help:
        return (yield HelpSpent(creature=creature, because=("HR-ACT-10",)))
    return state


def ability_die(creature: Creature, ability: str) -> PoolDie:
    """Return the die of an ability as it stands on the sheet."""
    return PoolDie(role=ability, sides=getattr(creature.sheet, ability))


def heart_die(creature: Creature) -> PoolDie:
    """Return the heart die as it is now."""
    return PoolDie(role="heart", sides=creature.heart_die)


@enforces(HR_AD_5)
def hindered(state: State, creature: Creature, ability: str, *, ad: bool = True) -> tuple[Edge, ...]:
    """Return the edge of the conditions that hinder rolls of *creature* with *ability*."""
    level = hindrance(state, creature, ability, ad=ad)
    return (Edge(-level, f"{creature.id} hindered in {ability}", "HR-COND-4"),) if level else ()


# --- light and sight -----------------------------------------------------------------------------------
# Light, darkvision, hiding, what is obscured, blind eyes, and high ground. Everything here is derived from
# the state for one viewer at a time; nothing is stored.

HR_ENV_8: Final = Rule(
    "HR-ENV-8",
    "Darkvision sees in dim light as in bright, and in darkness as in dim light.",
    books.BASICS.at("Darkvision"),
)
HR_ENV_7: Final = Rule(
    "HR-ENV-7",
    "Bright light hampers nobody, dim light watchful eyes by one level, darkness hides what is in it.",
    books.BASICS.at("Lighting"),
)
HR_COND_21: Final = Rule(
    "HR-COND-21",
    "A hidden creature is obscured to those it is hidden from, and may strike at them; attacking ends it.",
    (books.CONDITIONS.at("Hidden"), books.BASICS.at("Hiding")),
)
HR_COND_9: Final = Rule(
    "HR-COND-9",
    "Blinded gives its level of disadvantage on rolls that need sight; at five nothing is seen at all.",
    books.CONDITIONS.at("Blinded"),
)
HR_COND_20: Final = Rule(
    "HR-COND-20",
    "Attacks on a creature obscured to the attacker, and defenses against one, are five levels worse.",
    books.CONDITIONS.at("Obscured"),
)
HR_COND_22: Final = Rule(
    "HR-COND-22",
    "A creature that is higher, or has the high ground by a ruling, attacks those below one level better.",
    books.CONDITIONS.at("Highground"),
)


BRIGHTNESS: Final[tuple[Light, ...]] = ("dark", "dim", "bright")
UNSEEN: Final = 5
"""Levels of disadvantage on attacks against what is not seen, and on defense against it."""
BLIND: Final = 5
"""The level of blinded at which nothing is seen."""


def light_on(state: State, creature: Creature) -> Light:
    """Return the brightest light that falls on any cell of *creature*."""
    lit = (light_at(state, cell) for cell in cells(creature.position, creature.space))
    return max(lit, key=BRIGHTNESS.index)


def light_at(state: State, cell: Cell) -> Light:
    """Return the light in *cell*: that of the place, or of a lantern near it if that is brighter."""
    scenery = state.scenery
    light = scenery.light.get(f"{cell[0]},{cell[1]}", scenery.ambient)
    if light == "bright":
        return light
    shed = (lantern_light(state, bearer, cell) for bearer in lanterns(state))
    return max((light, *shed), key=BRIGHTNESS.index)


@enforces(HR_ENV_8)
def light_for(state: State, viewer: Creature, target: Creature) -> Light:
    """Return the light in which *viewer* sees *target*."""
    light = light_on(state, target)
    if not viewer.sheet.darkvision or light == "bright":
        return light
    return "bright" if light == "dim" else "dim"


@enforces(HR_ENV_7)
def too_dark(state: State, viewer: Creature, target: Creature) -> bool:
    """Return whether *target* is in darkness to *viewer*."""
    return light_for(state, viewer, target) == "dark"


def dim_edges(state: State, viewer: Creature) -> tuple[Edge, ...]:
    """Return the disadvantage of a check that needs sight where *viewer* is."""
    light = light_for(state, viewer, viewer)
    return () if light == "bright" else (Edge(-1, f"{light} light", "HR-ENV-7"),)


@enforces(HR_COND_21)
def hidden(viewer: Creature, target: Creature) -> bool:
    """Return whether *target* is hidden from *viewer*."""
    return viewer.id in target.hidden_from


@enforces(HR_COND_9)
def blind(viewer: Creature) -> bool:
    """Return whether *viewer* is blinded at the level at which it sees nothing."""
    return viewer.level("blinded") >= BLIND


def why_unseen(state: State, viewer: Creature, target: Creature) -> str | None:
    """Return the rule by which *viewer* does not see *target*, None where it does."""
    if target.hidden_from and hidden(viewer, target):
        return "HR-COND-21"
    if target.conditions and target.has("obscured"):
        return "HR-COND-20"
    if viewer.conditions and blind(viewer):
        return "HR-COND-9"
    scenery = state.scenery
    if (scenery.light or scenery.ambient != "bright") and too_dark(state, viewer, target):
        return "HR-ENV-7"
    return None


@enforces(HR_COND_20)
def unseen_edges(state: State, roller: Creature, other: Creature) -> tuple[Edge, ...]:
    """Return the edge of a roll against a creature that *roller* does not see, none if it sees it."""
    why = why_unseen(state, roller, other)
    return (Edge(-UNSEEN, f"{other.id} unseen", why),) if why else ()


def height_of(state: State, creature: Creature) -> int:
    """Return the feet that the highest cell of *creature* lies above the others."""
    return height_at(state, creature.position, creature.space)


@enforces(HR_COND_22)
def high_ground(state: State, attacker: Creature, target: Creature) -> tuple[Edge, ...]:
    """Return the edge of an attacker that is above its target, none otherwise."""
    if attacker.conditions and attacker.has("highground"):
        above = not target.has("highground")
    elif state.scenery.heights and not target.has("highground"):
        above = height_of(state, attacker) > height_of(state, target)
    else:
        return ()
    return (Edge(1, "high ground", "HR-COND-22"),) if above else ()


# --- conditions and surroundings -----------------------------------------------------------------------
# Every source with its levels and its rule. Attacks, defenses, checks and saves all ask `hampered`; what
# only attacks know (weapon, range, cover) is added where the attack is rolled.

HR_COND_8: Final = Rule(
    "HR-COND-8",
    "Poisoned gives its level of disadvantage on attacks, defenses and rolls of abilities.",
    books.CONDITIONS.at("Poisoned"),
)
HR_COND_14: Final = Rule(
    "HR-COND-14",
    "The confused move or act in a round, cast nothing, and roll worse by its level until helped.",
    books.CONDITIONS.at("Confused"),
)
HR_COND_15: Final = Rule(
    "HR-COND-15",
    "Fear hampers all but saves by its level while its source is in sight, and forbids to come nearer.",
    books.CONDITIONS.at("Frightened"),
)
HR_COND_24: Final = Rule(
    "HR-COND-24",
    "A grappler has no dash, fights and moves worse by one level, and drags its captive along.",
    books.CONDITIONS.at("Grappling"),
)
HR_COND_23: Final = Rule(
    "HR-COND-23",
    "A climber attacks its mount with three levels of advantage, the mount it with three against.",
    books.CONDITIONS.at("Creature Climber"),
)
HR_COND_18: Final = Rule(
    "HR-COND-18",
    "The prone defend better against shots by one level, and fight worse by one otherwise.",
    books.CONDITIONS.at("Prone"),
)
HR_ENV_3: Final = Rule(
    "HR-ENV-3",
    "Standing in deeper water hampers attacks, defenses and motion by one level.",
    books.BASICS.at("Water"),
)
HR_ENV_4: Final = Rule(
    "HR-ENV-4",
    "A creature that cannot stand, or is under water, has five levels of disadvantage instead.",
    books.BASICS.at("Water"),
)


Needs = Literal["motion", "sight"]
EVERYTHING: Final[tuple[Needs, ...]] = ("motion", "sight")
"""What an attack or a defense needs."""
STANDING: Final = 1
SWIMMING: Final = 5
"""Levels of disadvantage of who stands in deep water, and of who cannot."""
CLIMBER: Final = 3
"""Levels that climbing on a creature gives against it, and takes from it against its climber."""


def hampered(
    state: State,
    creature: Creature,
    ability: str,
    rolling: Rolling,
    *,
    against: Creature | None = None,
    needs: tuple[Needs, ...] = (),
) -> tuple[Edge, ...]:
    """Return what affects *creature*, or is around it, and changes its roll with *ability*."""
    ad = rolling in ("attack", "defense")
    wanted = EVERYTHING if ad else needs
    edges: tuple[Edge, ...] = ()
    if creature.conditions:
        edges = _conditions(state, creature, ability, rolling, against, wanted)
    if against is not None and against.conditions and ability == "presence" and not ad:
        edges += charming(creature, against)
    if state.terrain and "motion" in wanted:
        edges += water_edges(state, creature)
    if not ad and "sight" in wanted:
        edges += dim_edges(state, creature)
    return edges


def _conditions(
    state: State,
    creature: Creature,
    ability: str,
    rolling: Rolling,
    against: Creature | None,
    needs: tuple[Needs, ...],
) -> tuple[Edge, ...]:
    ad = rolling in ("attack", "defense")
    return (
        *hindered(state, creature, ability, ad=ad),
        *(_by_level(creature, "restrained", "HR-COND-5") if "motion" in needs else ()),
        *poisoned(creature),
        *(_by_level(creature, "blinded", "HR-COND-9") if "sight" in needs else ()),
        *confused(creature),
        *(frightened(state, creature) if rolling != "save" else ()),
        *(enraged(creature, against) if rolling != "save" else ()),
        *(grappling(creature) if "motion" in needs else ()),
        *(climbing(creature, against) if rolling == "attack" else ()),
    )


def _by_level(creature: Creature, condition: str, source: str) -> tuple[Edge, ...]:
    level = creature.level(condition)
    return (Edge(-level, condition, source),) if level else ()


@enforces(HR_COND_8)
def poisoned(creature: Creature) -> tuple[Edge, ...]:
    """Return the edge of the condition poisoned on a roll of *creature*."""
    return _by_level(creature, "poisoned", "HR-COND-8")


@enforces(HR_COND_14)
def confused(creature: Creature) -> tuple[Edge, ...]:
    """Return the edge of the condition confused on a roll of *creature*."""
    return _by_level(creature, "confused", "HR-COND-14")


@enforces(HR_COND_15)
def frightened(state: State, creature: Creature) -> tuple[Edge, ...]:
    """Return the edge of fear on a roll of *creature*, none while the source of its fear is out of sight."""
    source = fears(state, creature)
    return _by_level(creature, "frightened", "HR-COND-15") if source else ()


def fears(state: State, creature: Creature) -> Creature | None:
    """Return whom *creature* fears and sees."""
    found = creature.conditions.get("frightened")
    source = state.creatures.get(found.source) if found is not None and found.source else None
    if source is None or not source.is_present or why_unseen(state, creature, source):
        return None
    return source


def enraged(creature: Creature, against: Creature | None) -> tuple[Edge, ...]:
    """Return the disadvantage of rage on rolls against anybody but its source (HR-COND-16)."""
    found = creature.conditions.get("enraged")
    if found is None or against is None or against.id == found.source:
        return ()
    return _by_level(creature, "enraged", "HR-COND-16")


@enforces(HR_COND_24)
def grappling(creature: Creature) -> tuple[Edge, ...]:
    """Return the edge of the condition grappling on a roll of *creature*."""
    return (Edge(-1, "grappling", "HR-COND-24"),) if creature.has("grappling") else ()


@enforces(HR_COND_23)
def climbing(creature: Creature, against: Creature | None) -> tuple[Edge, ...]:
    """Return the edge of a roll between a climber and the creature it climbs on, none for other pairs."""
    if against is None:
        return ()
    mine, other = creature.conditions.get("creature_climber"), against.conditions.get("creature_climber")
    if mine is not None and mine.source == against.id:
        return (Edge(CLIMBER, "climbing on it", "HR-COND-23"),)
    if other is not None and other.source == creature.id:
        return (Edge(-CLIMBER, "climbed on", "HR-COND-23"),)
    return ()


@enforces(HR_COND_18)
def prone(creature: Creature, *, defends_against_shot: bool = False) -> tuple[Edge, ...]:
    """Return the edge of a prone creature: better in defense against a shot, worse otherwise."""
    if not creature.conditions or not creature.has("prone"):
        return ()
    return (Edge(1 if defends_against_shot else -1, "prone", "HR-COND-18"),)


def charming(creature: Creature, charmed: Creature) -> tuple[Edge, ...]:
    """Return the advantage of a charmer's presence check on whom it charmed (HR-COND-17)."""
    found = charmed.conditions.get("charmed")
    if found is None or found.source != creature.id:
        return ()
    return (Edge(1, "charmer", "HR-COND-17"),)


@enforces(HR_ENV_3)
def water_edges(state: State, creature: Creature) -> tuple[Edge, ...]:
    """Return the edge of the deeper water around *creature*, none on land."""
    found = waters(state, creature)
    if not found:
        return ()
    return out_of_depth(creature, found) or (Edge(-STANDING, "in water", "HR-ENV-3"),)


@enforces(HR_ENV_4)
def out_of_depth(creature: Creature, found: tuple[Water, ...]) -> tuple[Edge, ...]:
    """Return the edge of a creature that cannot stand in one of the waters *found*, none if it can."""
    if all(can_stand(creature, water) for water in found):
        return ()
    return (Edge(-SWIMMING, "out of its depth", "HR-ENV-4"),)


def cover_edges(state: State, attacker: Creature, target: Creature, weapon: Weapon) -> tuple[Edge, ...]:
    """Return what cover takes from a shot; other attacks do not mind it (HR-COVER-1)."""
    if weapon.attack_type not in SHOT:
        return ()
    level = min(TOTAL - 1, cover_level(state, attacker, target))
    return (Edge(-level, "cover", "HR-COVER-1"),) if level else ()
