"""Tell what conditions and surroundings do to a creature's rolls: every source with its levels and its rule.

Attacks, defenses, checks and saves all ask `hampered`; what only attacks know (weapon, range, cover) is added
where the attack is rolled.
"""

from __future__ import annotations

from typing import Final, Literal

from service.rules.heartrush import books
from service.rules.heartrush.checks.light import dim_edges, why_unseen
from service.rules.heartrush.checks.rolls import Edge, hindered
from service.rules.heartrush.creatures.cover import SHOT, TOTAL, cover_level
from service.rules.heartrush.creatures.water import can_stand, waters
from service.rules.heartrush.sheets.ground import Water
from service.rules.heartrush.sheets.sheet import Weapon
from service.rules.heartrush.state import Creature, State
from service.rules.kernel.rulebook import Rule, enforces

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
    "Who cannot stand, or is under water, has five levels of disadvantage instead.",
    books.BASICS.at("Water"),
)


Rolling = Literal["attack", "defense", "check", "save"]
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
    """Return what lies on *creature* or around it and changes its roll with *ability*."""
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
