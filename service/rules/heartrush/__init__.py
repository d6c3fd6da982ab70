"""Heart Rush: rounds without turns, priority between two sides, secret stances, simultaneous engagements.

The chapters in the order of the books, with the modules that have them:

- Combat: `starting_combat`, `priority`, `turns`, `combat`, `upkeep`, `actions`, `at_once`,
  `possessions`, `dash_and_sidestep`, `movement`, `exposed`, `opportunity_attacks`, `windows`, `engagement`,
  `stances`, `declaring`, `resolution`, `agility_and_might`
- Conditions: `conditions`
- Weapons, Cantrips & Armor: `weapons`
- Rests & Healing: `rests_and_healing`
- Gameplay Basics: `rolls`, `checks`, `contests`, `size_and_bonds`, `paths`, `forced_movement`, `ledges`,
  `falling`, `hazards`, `drowning`, `opposed_checks`, `poison`, `abilities`, `operations`, `lasting`,
  `using_abilities`, `uses`, `effects`, `riders`, `catalogue`, `experience`
- Building Your Character: `aspects`
- Combat Mechanics: `exchanges`, `attacks`, `aftermath`, `damage`, `wounds`, `treating_wounds`
- Other Offensive Actions: `offensive_actions`, `grapple`, `climbing`
- Spellcasting: `spellcasting`

The rest of the package: `books`, `options`, `sheet`, `bestiary`, `state`, `permission`, `answers`, `clock`,
`passing_time`, `gm_rulings`, `ruling_effects`, `character`, `entries`, `opening`, `arrivals`, `kinds`,
`presentation`, `reasons`, `field_texts`.

This file lists the messages of the chapters: what is not listed does not exist.
"""

from __future__ import annotations

from typing import Final

from service.rules.heartrush import (
    actions,
    aftermath,
    agility_and_might,
    answers,
    arrivals,
    aspects,
    at_once,
    attacks,
    checks,
    climbing,
    clock,
    combat,
    conditions,
    contests,
    damage,
    dash_and_sidestep,
    declaring,
    drowning,
    effects,
    engagement,
    entries,
    exchanges,
    experience,
    falling,
    forced_movement,
    gm_rulings,
    grapple,
    hazards,
    lasting,
    movement,
    offensive_actions,
    opening,
    operations,
    opportunity_attacks,
    opposed_checks,
    passing_time,
    poison,
    possessions,
    presentation,
    priority,
    resolution,
    rests_and_healing,
    riders,
    rolls,
    ruling_effects,
    size_and_bonds,
    spellcasting,
    stances,
    starting_combat,
    treating_wounds,
    turns,
    upkeep,
    uses,
    using_abilities,
    windows,
    wounds,
)
from service.rules.heartrush.character import CarriedCharacter
from service.rules.heartrush.field_texts import FIELD_TEXTS
from service.rules.heartrush.kinds import FRAMES, KINDS
from service.rules.heartrush.options import OPTIONS
from service.rules.heartrush.presentation import SENTENCES
from service.rules.heartrush.reasons import TELLING, answer
from service.rules.heartrush.state import State
from service.rules.kernel.messages import Command, Event
from service.rules.ruleset import Ruleset
from service.rules.secrecy import hidden_creatures as common_hidden_creatures
from service.rules.shared import messages_of
from service.rules.table import walled
from service.rules.table.carried import Carrying

_CHAPTERS: Final = (
    starting_combat,
    priority,
    turns,
    combat,
    upkeep,
    actions,
    at_once,
    possessions,
    dash_and_sidestep,
    movement,
    opportunity_attacks,
    windows,
    engagement,
    stances,
    declaring,
    resolution,
    agility_and_might,
    conditions,
    rests_and_healing,
    rolls,
    checks,
    contests,
    size_and_bonds,
    forced_movement,
    aspects,
    hazards,
    falling,
    drowning,
    opposed_checks,
    poison,
    operations,
    lasting,
    using_abilities,
    uses,
    effects,
    riders,
    experience,
    exchanges,
    attacks,
    aftermath,
    damage,
    wounds,
    treating_wounds,
    offensive_actions,
    grapple,
    climbing,
    spellcasting,
    answers,
    clock,
    passing_time,
    gm_rulings,
    ruling_effects,
    entries,
    opening,
    arrivals,
    common_hidden_creatures,
    walled,
)


HEARTRUSH: Final[Ruleset[State]] = Ruleset(
    edition="heartrush@1",
    title="Heart Rush",
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
    field_texts=FIELD_TEXTS,
    carrying=Carrying(CarriedCharacter, entries.carry, written=("hp", "heart_die")),
)
