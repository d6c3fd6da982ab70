"""Heart Rush: rounds without turns, priority between two sides, secret stances, simultaneous engagements.

One module per chapter of the book. This file lists the chapters' messages: what is not listed does not exist.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from service.rules import shared
from service.rules.heartrush import (
    ability_effects,
    actions,
    aftermath,
    agility,
    arrivals,
    attacks,
    breath,
    bringing,
    burning,
    casting,
    charges,
    check_orders,
    checks,
    choices,
    climbing,
    clock,
    combat,
    conditions,
    contests,
    crushing,
    damage,
    dash,
    declaring,
    effect_kinds,
    effects,
    engagement,
    exchanges,
    experience,
    follow_up,
    following,
    forced,
    grapple,
    hazards,
    healing,
    hiding,
    hinder,
    instants,
    joining,
    landing,
    lasting,
    maneuvers,
    might,
    movement,
    offensives,
    opening,
    poison,
    potions,
    priority,
    reactions,
    rest,
    riders,
    roll_effects,
    rolls,
    ruling_kinds,
    rulings,
    rush,
    scaling,
    scenery,
    sidestep,
    stances,
    standing,
    start,
    steadying,
    steps,
    table_kinds,
    treating,
    trials,
    trips,
    turns,
    upkeep,
    uses,
    windows,
    wounds,
    zero,
)
from service.rules.heartrush.options import OPTIONS
from service.rules.heartrush.state import State
from service.rules.messages import Command, Event
from service.rules.ruleset import Ruleset

_CHAPTERS: Final = (
    opening,
    start,
    combat,
    priority,
    rush,
    actions,
    dash,
    movement,
    sidestep,
    turns,
    windows,
    charges,
    choices,
    lasting,
    instants,
    uses,
    ability_effects,
    roll_effects,
    casting,
    riders,
    reactions,
    trips,
    joining,
    stances,
    steps,
    declaring,
    might,
    follow_up,
    agility,
    aftermath,
    engagement,
    forced,
    following,
    attacks,
    exchanges,
    rolls,
    damage,
    zero,
    conditions,
    checks,
    check_orders,
    effects,
    effect_kinds,
    trials,
    rulings,
    ruling_kinds,
    table_kinds,
    arrivals,
    healing,
    wounds,
    treating,
    clock,
    rest,
    experience,
    standing,
    burning,
    bringing,
    contests,
    offensives,
    maneuvers,
    landing,
    grapple,
    crushing,
    climbing,
    hinder,
    scaling,
    breath,
    upkeep,
    hazards,
    steadying,
    hiding,
    poison,
    potions,
    scenery,
)


def _messages(base: type) -> Mapping[str, Any]:
    """Return the chapters' messages of one kind by type; a name given twice does not import."""
    found: dict[str, type] = {}
    own = (cls for chapter in _CHAPTERS for cls in vars(chapter).values() if _is_own(cls, chapter.__name__))
    for cls in (*own, *shared.COMMANDS, *shared.EVENTS):
        if issubclass(cls, base):
            assert cls.type not in found, f"{cls.type} is the name of two messages"
            found[cls.type] = cls
    return MappingProxyType(dict(sorted(found.items())))


def _is_own(cls: object, module: str) -> bool:
    return isinstance(cls, type) and issubclass(cls, Command | Event) and cls.__module__ == module


HEARTRUSH: Final[Ruleset[State]] = Ruleset(
    edition="heartrush@1",
    title="Heart Rush",
    blank=State(),
    opening=opening.OpenEncounter,
    commands=_messages(Command),
    events=_messages(Event),
    options=OPTIONS,
    packages=("service.rules.heartrush",),
)
