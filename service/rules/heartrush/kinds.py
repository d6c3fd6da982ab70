"""List the members of the book's families, in the book's order: frames, effects, deeds, phases and others.

What is not listed does not exist.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from service.rules.heartrush import combat, hidden_creatures
from service.rules.heartrush.abilities import ability_effects, effect_kinds, requirements, roll_effects, uses
from service.rules.heartrush.checks import checks, contests, trials
from service.rules.heartrush.creatures import strain
from service.rules.heartrush.engagements import (
    aftermath,
    agility,
    attacks,
    engagement,
    joining,
    might,
    reactions,
    scene,
    steps,
)
from service.rules.heartrush.gm import ruling_kinds, rulings, table_kinds
from service.rules.heartrush.harm import burning, crushing, damage
from service.rules.heartrush.means import timing
from service.rules.heartrush.movement import climbing, dash, forced, movement, sidestep, trips
from service.rules.heartrush.offensives import grapple, hinder, landing
from service.rules.heartrush.operations import effects, operations
from service.rules.heartrush.rests import poison, rest, treating
from service.rules.heartrush.rounds import at_once, priority, turns
from service.rules.heartrush.sheets import abilities, modifiers
from service.rules.heartrush.space import scaling
from service.rules.heartrush.surroundings import breath, hazards, hiding, scenery, steadying, upkeep
from service.rules.heartrush.windows import choices, deeds, windows
from service.rules.secrecy.hiding import HidingRules

FRAMES: Final = (
    combat.CombatFrame,
    deeds.DeedFrame,
    movement.MovementFrame,
    windows.WindowFrame,
    choices.ChoiceFrame,
    uses.UseFrame,
    scene.EngagementFrame,
    forced.PushFrame,
    attacks.ExchangeFrame,
    damage.DamageFrame,
    checks.CheckFrame,
    effects.EffectsFrame,
    trials.TrialFrame,
    rulings.AdjudicationFrame,
    treating.TreatmentFrame,
    rest.NightFrame,
    burning.BurnFrame,
    contests.ContestFrame,
    grapple.GrappleFrame,
    grapple.BreakFreeFrame,
    crushing.CrushFrame,
    climbing.ClimbOnFrame,
    climbing.HoldOnFrame,
    climbing.ShakeOffFrame,
    hinder.HinderFrame,
    strain.StrainFrame,
    scaling.ScalingFrame,
    breath.BreathFrame,
    upkeep.Due,
    hazards.FallFrame,
    steadying.SteadyFrame,
    hiding.HideFrame,
    poison.PoisonFrame,
)

_DEEDS: Final = (
    dash.DashDeed,
    sidestep.SidestepDeed,
    at_once.HelpDeed,
    at_once.CallOutDeed,
    at_once.ObjectDeed,
    joining.EngageDeed,
)

_PHASES: Final = (
    joining.Joining,
    engagement.Committing,
    steps.Reveal,
    steps.CunningStep,
    agility.AgilityStep,
    might.MightStep,
    aftermath.Aftermath,
    landing.OffensivePhase,
    engagement.Closing,
)

_TIMINGS: Final = (priority.ByPriority, turns.InTurns)

_CONSEQUENCES: Final = (climbing.ClimberHurt, poison.Poisoning)

_ITEMS: Final = (uses.AbilityItem, reactions.StrikeItem, trips.TripItem)

_REQUIREMENTS: Final = (
    requirements.Engaged,
    requirements.InStance,
    requirements.Plays,
    requirements.Wields,
    requirements.AtZero,
    requirements.NoDamage,
    requirements.Holding,
    requirements.Behind,
)

_OPERATIONS: Final = (operations.Do, operations.Contest, operations.Save, operations.Adjudicate)

_MODIFIERS: Final = (
    modifiers.RollBonus,
    modifiers.LargerDie,
    modifiers.FullHeart,
    modifiers.Explode,
    modifiers.Extremes,
    modifiers.MoreSidesteps,
    modifiers.FreeStrikes,
    modifiers.KeepPriority,
    modifiers.NextRush,
    modifiers.HalfDefense,
    modifiers.Riposte,
    modifiers.DicePool,
    modifiers.Curse,
    modifiers.Bar,
    modifiers.Shove,
    modifiers.Aura,
)

_EFFECTS: Final = (
    ability_effects.Lay,
    ability_effects.LayPool,
    ability_effects.HealHeart,
    ability_effects.EaseConditions,
    ability_effects.KnockDown,
    ability_effects.Soak,
    ability_effects.EarlySidestep,
    ability_effects.Drag,
    roll_effects.AddDice,
    roll_effects.Lean,
    roll_effects.SetDie,
    roll_effects.Reroll,
    roll_effects.ChangeDamage,
    roll_effects.Redirect,
    effect_kinds.Damage,
    effect_kinds.Heal,
    effect_kinds.Wound,
    effect_kinds.EaseWounds,
    effect_kinds.Die,
    effect_kinds.KnockOut,
    effect_kinds.SetHeartDie,
    effect_kinds.GainCondition,
    effect_kinds.LoseCondition,
    effect_kinds.Place,
    effect_kinds.Push,
    effect_kinds.GainRush,
    effect_kinds.GiveAction,
    trials.Trial,
    ruling_kinds.SetHp,
    ruling_kinds.Restore,
    ruling_kinds.Withdraw,
    ruling_kinds.Expose,
    ruling_kinds.Surprise,
    ruling_kinds.Unaware,
    ruling_kinds.Hide,
    table_kinds.SetTerrain,
    table_kinds.SetOption,
    table_kinds.GivePriority,
    table_kinds.Arm,
    table_kinds.GiveDestiny,
    table_kinds.LayPenalty,
    scenery.SetScenery,
)

KINDS: Final[Mapping[type, tuple[type, ...]]] = MappingProxyType(
    {
        deeds.Deed: _DEEDS,
        windows.StackItem: _ITEMS,
        timing.Timing: _TIMINGS,
        scene.PhaseRules: _PHASES,
        damage.Consequence: _CONSEQUENCES,
        strain.Exertion: (breath.Airless,),
        HidingRules: (hidden_creatures.Den,),
        abilities.Requirement: _REQUIREMENTS,
        abilities.Op: _OPERATIONS,
        abilities.Modifier: _MODIFIERS,
        effects.Effect: _EFFECTS,
    }
)
"""The members of each of the book's families, by head; frames are listed apart."""
