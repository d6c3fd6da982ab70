"""List the members of the book's families, in the book's order: frames, and what hides and what is sealed.

What is not listed does not exist.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from service.rules.rise.acting import corrections, special_abilities, swift, turns
from service.rules.rise.attacks import making_attacks
from service.rules.rise.body import running_the_game
from service.rules.rise.moving import mounts, movement_resolution
from service.rules.rise.planning import groups, improvising, planning
from service.rules.rise.rounds import action_phase, movement_phase, rounds
from service.rules.rise.table import combat
from service.rules.secrecy.choices import SecretChoice
from service.rules.secrecy.hiding import HidingRules

FRAMES: Final = (
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

KINDS: Final[Mapping[type[Any], tuple[type[Any], ...]]] = MappingProxyType(
    {HidingRules: (combat.Den,), SecretChoice: (planning.PlanChoice,)}
)
