"""Heart Rush: rounds without turns, priority between two sides, secret stances, simultaneous engagements.

The wings of the book, from the ground; each uses those above it in this list, and says what is in it:

- `creatures`: what there is before anything happens
- `body`: what a creature can do, carries, wears and suffers
- `timing`: whose turn it is, and what waits for whom
- `rolling`: dice, and what they decide
- `moving`: every way from one cell to another
- `effects`: what abilities and the GM bring about
- `engaging`: the heart of the book: two sides that engage
- `using`: abilities and spells in use
- `surviving`: what happens around fights and between them
- `table`: how a fight is opened, shown and ended

`books` names the books, and `values` has the types of values of this book alone. This file lists the
messages of the wings: what is not listed does not exist.
"""

from __future__ import annotations

from typing import Final

from service.rules.heartrush import (
    body,
    creatures,
    effects,
    engaging,
    moving,
    rolling,
    surviving,
    table,
    timing,
    using,
)
from service.rules.heartrush.creatures.character import CarriedCharacter
from service.rules.heartrush.creatures.options import OPTIONS
from service.rules.heartrush.creatures.sheet import SIZES, side_of
from service.rules.heartrush.creatures.state import State
from service.rules.heartrush.table import entries, library, opening, presentation
from service.rules.heartrush.table.kinds import FRAMES, KINDS
from service.rules.heartrush.table.presentation import SENTENCES
from service.rules.heartrush.table.reasons import TELLING, answer
from service.rules.kernel.messages import Command, Event
from service.rules.ruleset import Ruleset
from service.rules.secrecy import hidden_creatures as common_hidden_creatures
from service.rules.shared import messages_of
from service.rules.table import walled
from service.rules.table.carried import Carrying

_CHAPTERS: Final = (
    *creatures.CHAPTERS,
    *body.CHAPTERS,
    *timing.CHAPTERS,
    *rolling.CHAPTERS,
    *moving.CHAPTERS,
    *effects.CHAPTERS,
    *engaging.CHAPTERS,
    *using.CHAPTERS,
    *surviving.CHAPTERS,
    *table.CHAPTERS,
    common_hidden_creatures,
    walled,
)


HEARTRUSH: Final[Ruleset[State]] = Ruleset(
    edition="heartrush@1",
    title="Heart Rush",
    summary="Priority passes between the sides; fighters choose stances in secret and strike at once.",
    blank=State(),
    opening=opening.OpenEncounter,
    commands=messages_of(_CHAPTERS, Command),
    events=messages_of(_CHAPTERS, Event),
    options=OPTIONS,
    packages=("service.rules.heartrush",),
    frames=FRAMES,
    kinds=KINDS,
    tokens=presentation.tokens,
    part=presentation.part,
    battle_map=presentation.battle_map,
    counted=presentation.COUNTED,
    sentences=SENTENCES,
    telling=TELLING,
    answer=answer,
    sheet_groups=library.SHEET,
    spaces={size: side_of(size) for size in SIZES},
    library=library.library,
    unprompted=library.UNPROMPTED,
    carrying=Carrying(CarriedCharacter, entries.carry, written=("hp", "heart_die")),
)
