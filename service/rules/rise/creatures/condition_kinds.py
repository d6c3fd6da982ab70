"""The named conditions of the book: one record each says all that a condition does by itself.

A condition of any other name does what its modifiers, dice and tick say, and nothing by its name.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from service.rules.kernel.records import EMPTY, record
from service.rules.rise.creatures.creature import Creature


@record
class ConditionKind:
    """A named condition: what it does to a creature that has it."""

    name: str
    modifiers: Mapping[str, int] = EMPTY
    """What it adds to each defense; `defenses` is all of them."""
    covered_by: str | None = None
    """The stronger condition beside which it counts nothing."""
    halves_speed: bool = False
    holds_fast: bool = False
    """Whether the creature cannot move."""
    is_posture: bool = False
    """Whether it is a state of body or place, which a cleansing does not reach."""
    helpless: bool = False
    half_aware: bool = False
    """Whether every attack on the creature finds it partly unaware."""
    missed: int = 0
    """Of ten attacks on the creature, how many miss because it is hard to see."""
    misses: int = 0
    """Of ten attacks of the creature, how many miss because it sees badly."""


_KINDS: Final = (
    ConditionKind(
        name="prone",
        modifiers=MappingProxyType({"armor": -2, "reflex": -2}),
        halves_speed=True,
        is_posture=True,
    ),
    ConditionKind(
        name="slowed",
        modifiers=MappingProxyType({"armor": -2, "reflex": -2}),
        covered_by="immobilized",
        halves_speed=True,
    ),
    ConditionKind(
        name="immobilized", modifiers=MappingProxyType({"armor": -4, "reflex": -4}), holds_fast=True
    ),
    ConditionKind(
        name="grappled",
        modifiers=MappingProxyType({"armor": -2, "reflex": -2}),
        holds_fast=True,
        is_posture=True,
    ),
    ConditionKind(name="squeezing", modifiers=MappingProxyType({"armor": -2, "reflex": -2}), is_posture=True),
    ConditionKind(name="midair", modifiers=MappingProxyType({"armor": -4, "reflex": -4}), is_posture=True),
    ConditionKind(name="dazed", modifiers=MappingProxyType({"defenses": -1}), covered_by="stunned"),
    ConditionKind(name="stunned", modifiers=MappingProxyType({"defenses": -2})),
    ConditionKind(name="helpless", helpless=True),
    ConditionKind(name="dazzled", misses=2),
    ConditionKind(name="blinded", misses=5, half_aware=True),
    ConditionKind(name="concealed", missed=2),
    ConditionKind(name="unseen", missed=5),
)

CONDITIONS: Final[Mapping[str, ConditionKind]] = MappingProxyType({kind.name: kind for kind in _KINDS})
"""The named conditions, by name."""

_OTHER: Final = ConditionKind(name="")


def kind_of(condition: str) -> ConditionKind:
    """Return the kind of *condition*; a kind that does nothing by itself for a name that the book lacks."""
    return CONDITIONS.get(condition, _OTHER)


def kinds_on(creature: Creature) -> tuple[ConditionKind, ...]:
    """Return the kind of each condition of *creature*."""
    return tuple([kind_of(condition.name) for condition in creature.conditions])
