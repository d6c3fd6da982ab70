"""Rise: rounds of two phases, groups that resolve in secret and in parallel, then everything true at once.

The chapters in the book's order, with the modules that have them:

- 3.2 Combat Statistics: `sheet`, `creature`, `combat_statistics`
- 5.1 Making Attacks; 5.2 Calculating Damage: `attack_rolls`, `making_attacks`, `unjudged`
- 5.3 Taking Damage: `taking_damage`
- 5.4 Vital Wounds: `vital_wounds`, `resting`
- 5.5 Combat Time: `rounds`, `groups`, `planning`, `intents`, `movement_phase`, `initiative`, `action_phase`,
  `turns`, `combat_time`, `swift`, `objects`, `improvising`, `effects`, `merging`
- 5.6 Movement and Positioning: `movement_and_positioning`, `moving`, `movement_problem`, `movement_solver`,
  `movement_resolution`, `mounts`
- 5.7 Aerial Movement: `aerial_movement`
- 5.8 Universal Abilities: `strikes`, `brawling`, `hurling`, `special_abilities`, `exertion`
- 5.9 Vision and Light; 5.10 Obstacles and Cover: `vision_and_lines`, `obstacles_and_targets`
- 5.11 Awareness and Surprise: `combat`
- Running the Game: `running_the_game`, `mending`, `corrections`

The rest of the package: `books`, `options`, `state`, `permission`, `character`, `entries`, `opening`,
`presentation`, `reasons`, `sheet_faults`, `field_texts`.

This file lists the messages of the chapters: what is not listed does not exist.
"""

from __future__ import annotations

from typing import Final

from service.rules.kernel.messages import Command, Event
from service.rules.rise import (
    action_phase,
    aerial_movement,
    attack_rolls,
    brawling,
    combat,
    combat_statistics,
    combat_time,
    corrections,
    effects,
    entries,
    exertion,
    groups,
    hurling,
    improvising,
    initiative,
    intents,
    making_attacks,
    mending,
    mounts,
    movement_and_positioning,
    movement_phase,
    movement_resolution,
    moving,
    objects,
    obstacles_and_targets,
    opening,
    planning,
    presentation,
    resting,
    rounds,
    running_the_game,
    special_abilities,
    strikes,
    swift,
    taking_damage,
    turns,
    unjudged,
    vital_wounds,
)
from service.rules.rise.character import CarriedCharacter
from service.rules.rise.field_texts import FIELD_TEXTS
from service.rules.rise.options import OPTIONS
from service.rules.rise.presentation import SENTENCES
from service.rules.rise.reasons import TELLING, answer
from service.rules.rise.state import State
from service.rules.ruleset import Ruleset
from service.rules.secrecy import hidden_creatures as common_hidden_creatures
from service.rules.secrecy.choices import SecretChoice
from service.rules.secrecy.hiding import HidingRules
from service.rules.shared import messages_of
from service.rules.table import walled
from service.rules.table.carried import Carrying

_CHAPTERS: Final = (
    combat_statistics,
    attack_rolls,
    making_attacks,
    unjudged,
    taking_damage,
    vital_wounds,
    resting,
    rounds,
    groups,
    planning,
    intents,
    movement_phase,
    initiative,
    action_phase,
    turns,
    combat_time,
    swift,
    objects,
    improvising,
    effects,
    movement_and_positioning,
    moving,
    movement_resolution,
    mounts,
    aerial_movement,
    strikes,
    brawling,
    hurling,
    special_abilities,
    exertion,
    obstacles_and_targets,
    combat,
    running_the_game,
    mending,
    corrections,
    opening,
    entries,
    common_hidden_creatures,
    walled,
)


_FRAMES: Final = (
    rounds.CombatFrame,
    rounds.PauseFrame,
    planning.PlanFrame,
    groups.GroupFrame,
    movement_phase.MovementFrame,
    mounts.RideFrame,
    movement_resolution.RushFrame,
    turns.TurnsFrame,
    turns.TurnFrame,
    swift.SwiftFrame,
    making_attacks.AssaultFrame,
    action_phase.ActionFrame,
    running_the_game.QuestionFrame,
    improvising.DeedsFrame,
    special_abilities.ReactionsFrame,
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
    kinds={HidingRules: (combat.Den,), SecretChoice: (planning.PlanChoice,)},
    tokens=presentation.tokens,
    part=presentation.part,
    battle_map=presentation.battle_map,
    counted=presentation.COUNTED,
    sentences=SENTENCES,
    telling=TELLING,
    answer=answer,
    field_texts=FIELD_TEXTS,
    carrying=Carrying(CarriedCharacter, entries.carry, written=("hp", "dr", "fatigue")),
)
