"""Rise: rounds of two phases, groups that resolve in secret and in parallel, then everything true at once.

A folder for each part of the book, a module for each of its chapters. This file lists the chapters'
messages: what is not listed does not exist.
"""

from __future__ import annotations

from typing import Final

from service.rules.kernel.messages import Command, Event
from service.rules.rise import arrivals, combat, hidden_creatures, opening, questions, rulings, short_view
from service.rules.rise.acting import (
    actions,
    brawling,
    delays,
    reactions,
    shoving,
    special,
    strikes,
    swift,
    taking_turns,
    turns,
)
from service.rules.rise.attacks import assault, blows, hidden, maneuvers, unjudged, zones
from service.rules.rise.harm import conditions, corrections, damage, effects, rest, vital
from service.rules.rise.movement import (
    hurling,
    initiative,
    moving,
    objects,
    reacting,
    reins,
    resolving,
    rushes,
)
from service.rules.rise.options import OPTIONS
from service.rules.rise.phases import ending, exertion, joining, movement, resolution, rounds, squeezing
from service.rules.rise.planning import freely, plans
from service.rules.rise.sentences import SENTENCES
from service.rules.rise.space import aloft, riding
from service.rules.rise.state import State
from service.rules.rise.worlds import apart, groups
from service.rules.ruleset import Ruleset
from service.rules.secrecy import hidden_creatures as common_hidden_creatures
from service.rules.secrecy.hiding import HidingRules
from service.rules.shared import messages_of

_CHAPTERS: Final = (
    opening,
    rounds,
    squeezing,
    combat,
    ending,
    groups,
    hidden,
    hurling,
    freely,
    plans,
    apart,
    arrivals,
    joining,
    common_hidden_creatures,
    hidden_creatures,
    movement,
    riding,
    reins,
    rushes,
    initiative,
    resolving,
    reacting,
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


_FRAMES: Final = (
    rounds.CombatFrame,
    ending.PauseFrame,
    plans.PlanFrame,
    apart.GroupFrame,
    movement.MovementFrame,
    reins.RideFrame,
    rushes.RushFrame,
    turns.TurnsFrame,
    turns.TurnFrame,
    swift.SwiftFrame,
    assault.AssaultFrame,
    resolution.ActionFrame,
    questions.QuestionFrame,
    reactions.ReactionsFrame,
    corrections.CorrectionFrame,
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
    frames=_FRAMES,
    kinds={HidingRules: (hidden_creatures.Den,)},
    tokens=short_view.tokens,
    sentences=SENTENCES,
)
