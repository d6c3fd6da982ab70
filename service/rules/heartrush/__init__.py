"""Heart Rush: rounds without turns, priority between two sides, secret stances, simultaneous engagements.

A folder for each part of the book, a module for each of its chapters. This file lists the chapters'
messages: what is not listed does not exist.
"""

from __future__ import annotations

from typing import Final

from service.rules.heartrush import arrivals, combat, hidden_creatures, opening, short_view
from service.rules.heartrush.abilities import (
    ability_effects,
    casting,
    effect_kinds,
    instants,
    roll_effects,
    uses,
)
from service.rules.heartrush.checks import check_orders, checks, contests, rolls, trials
from service.rules.heartrush.creatures import healing, lasting
from service.rules.heartrush.engagements import (
    aftermath,
    agility,
    attacks,
    bringing,
    declaring,
    engagement,
    exchanges,
    follow_up,
    joining,
    might,
    ordering,
    reactions,
    riders,
    stances,
    steps,
)
from service.rules.heartrush.gm import ruling_kinds, rulings, table_kinds
from service.rules.heartrush.harm import burning, conditions, crushing, damage, wounds, zero
from service.rules.heartrush.kinds import FRAMES, KINDS
from service.rules.heartrush.means import actions, charges, rush
from service.rules.heartrush.movement import (
    climbing,
    dash,
    following,
    forced,
    moved,
    movement,
    sidestep,
    trips,
)
from service.rules.heartrush.offensives import grapple, hinder, landing, maneuvers, offensives
from service.rules.heartrush.operations import effects
from service.rules.heartrush.options import OPTIONS
from service.rules.heartrush.rests import experience, poison, rest, treating
from service.rules.heartrush.rounds import at_once, clock, potions, priority, start, turns
from service.rules.heartrush.sentences import SENTENCES
from service.rules.heartrush.space import scaling
from service.rules.heartrush.state import State
from service.rules.heartrush.surroundings import breath, hazards, hiding, scenery, steadying, upkeep
from service.rules.heartrush.windows import choices, deeds, standing, windows
from service.rules.kernel.messages import Command, Event
from service.rules.ruleset import Ruleset
from service.rules.secrecy import hidden_creatures as common_hidden_creatures
from service.rules.shared import messages_of

_CHAPTERS: Final = (
    opening,
    start,
    combat,
    priority,
    rush,
    actions,
    at_once,
    deeds,
    dash,
    moved,
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
    ordering,
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
    common_hidden_creatures,
    hidden_creatures,
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
    tokens=short_view.tokens,
    sentences=SENTENCES,
)
