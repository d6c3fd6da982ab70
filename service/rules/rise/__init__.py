"""Rise: rounds of two phases, groups that resolve in secret and in parallel, then everything true at once.

One module per chapter of the book. This file lists the chapters' messages: what is not listed does not exist.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from service.rules import shared
from service.rules.messages import Command, Event
from service.rules.rise import (
    actions,
    aloft,
    apart,
    assault,
    blocking,
    brawling,
    combat,
    conditions,
    conflicts,
    corrections,
    damage,
    delays,
    effects,
    exertion,
    groups,
    hidden,
    hurling,
    initiative,
    maneuvers,
    movement,
    moving,
    objects,
    opening,
    plans,
    questions,
    reactions,
    resolution,
    rest,
    riding,
    rounds,
    rulings,
    rushes,
    special,
    strikes,
    swift,
    taking_turns,
    turns,
    unjudged,
    vital,
    zones,
)
from service.rules.rise.options import OPTIONS
from service.rules.rise.state import State
from service.rules.ruleset import Ruleset

_CHAPTERS: Final = (
    opening,
    rounds,
    combat,
    groups,
    hidden,
    hurling,
    plans,
    apart,
    movement,
    riding,
    rushes,
    initiative,
    blocking,
    conflicts,
    moving,
    turns,
    taking_turns,
    actions,
    swift,
    delays,
    strikes,
    brawling,
    special,
    objects,
    assault,
    maneuvers,
    unjudged,
    exertion,
    effects,
    damage,
    vital,
    conditions,
    resolution,
    aloft,
    rest,
    rulings,
    questions,
    reactions,
    zones,
    corrections,
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
    return (
        isinstance(cls, type)
        and issubclass(cls, Command | Event)
        and cls.__module__ == module
        and "abstract" not in vars(cls)
    )


RISE: Final[Ruleset[State]] = Ruleset(
    edition="rise@1",
    title="Rise",
    blank=State(),
    opening=opening.OpenEncounter,
    commands=_messages(Command),
    events=_messages(Event),
    options=OPTIONS,
    packages=("service.rules.rise",),
)
