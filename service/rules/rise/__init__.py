"""Rise: rounds of two phases, groups that resolve in secret and in parallel, then everything true at once.

The wings of the book, from the ground; each uses those above it in this list, and says what is in it:

- `creatures`: what there is before anything happens
- `body`: what a creature suffers, and where it is
- `sight`: who sees and reaches whom
- `attacks`: attacks, from the roll to what a hit does
- `acting`: what a creature does on its turn of the action phase
- `planning`: what a group decides in secret
- `moving`: how the movements of all groups become one
- `rounds`: the course of a round
- `table`: how a fight is opened, shown and ended

`books` names the books, and `values` has the types of values of this book alone. This file lists the
messages of the wings: what is not listed does not exist.
"""

from __future__ import annotations

from typing import Final

from service.rules.kernel.messages import Command, Event
from service.rules.rise import (
    acting,
    attacks,
    body,
    creatures,
    moving,
    planning,
    rounds,
    sight,
    table,
)
from service.rules.rise.creatures.character import CarriedCharacter
from service.rules.rise.creatures.options import OPTIONS
from service.rules.rise.creatures.sheet import SIZES, side_of
from service.rules.rise.creatures.state import State
from service.rules.rise.rounds import entries
from service.rules.rise.table import library, opening, presentation
from service.rules.rise.table.kinds import FRAMES, KINDS
from service.rules.rise.table.presentation import SENTENCES
from service.rules.rise.table.reasons import TELLING, answer
from service.rules.ruleset import Ruleset
from service.rules.secrecy import hidden_creatures as common_hidden_creatures
from service.rules.shared import messages_of
from service.rules.table import walled
from service.rules.table.carried import Carrying

_CHAPTERS: Final = (
    *creatures.CHAPTERS,
    *body.CHAPTERS,
    *sight.CHAPTERS,
    *attacks.CHAPTERS,
    *acting.CHAPTERS,
    *planning.CHAPTERS,
    *moving.CHAPTERS,
    *rounds.CHAPTERS,
    *table.CHAPTERS,
    common_hidden_creatures,
    walled,
)


RISE: Final[Ruleset[State]] = Ruleset(
    edition="rise@1",
    title="Rise",
    summary="Each group of allies plans a phase in secret; then all plans happen at once.",
    blank=State(),
    opening=opening.OpenEncounter,
    commands=messages_of(_CHAPTERS, Command),
    events=messages_of(_CHAPTERS, Event),
    options=OPTIONS,
    packages=("service.rules.rise",),
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
    carrying=Carrying(CarriedCharacter, entries.carry, written=("hp", "dr", "fatigue")),
)
