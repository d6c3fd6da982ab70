"""Rise: rounds of two phases, groups that resolve in secret and in parallel, then everything true at once.

One module per chapter of the book. This file lists the chapters' messages: what is not listed does not exist.
"""

from __future__ import annotations

from typing import Final

from service.rules.messages import Command, Event
from service.rules.rise import (
    actions,
    aloft,
    apart,
    assault,
    blocking,
    blows,
    brawling,
    combat,
    conditions,
    conflicts,
    corrections,
    damage,
    delays,
    effects,
    exertion,
    freely,
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
    reins,
    resolution,
    rest,
    riding,
    rounds,
    rulings,
    rushes,
    shoving,
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
from service.rules.shared import messages_of

_CHAPTERS: Final = (
    opening,
    rounds,
    combat,
    groups,
    hidden,
    hurling,
    freely,
    plans,
    apart,
    movement,
    riding,
    reins,
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
    shoving,
    special,
    objects,
    assault,
    blows,
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


RISE: Final[Ruleset[State]] = Ruleset(
    edition="rise@1",
    title="Rise",
    blank=State(),
    opening=opening.OpenEncounter,
    commands=messages_of(_CHAPTERS, Command),
    events=messages_of(_CHAPTERS, Event),
    options=OPTIONS,
    packages=("service.rules.rise",),
)
