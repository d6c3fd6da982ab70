"""List the members of the book's families, in the book's order: frames, effects, deeds, phases and others.

What is not listed does not exist.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from service.rules.heartrush.body import actions, answers, damage, operations, permission
from service.rules.heartrush.creatures import abilities
from service.rules.heartrush.effects import effects, effects_of_place, ruling_effects, uses
from service.rules.heartrush.engaging import (
    aftermath,
    agility_and_might,
    at_once,
    attacks,
    offensive_actions,
    opportunity_attacks,
    resolution,
    riders,
    stances,
)
from service.rules.heartrush.moving import (
    climbing,
    dash_and_sidestep,
    falling,
    forced_movement,
    grapple,
    movement,
)
from service.rules.heartrush.rolling import checks, contests, opposed_checks, turns
from service.rules.heartrush.surviving import (
    hazards,
    passing_time,
    poison,
    rests_and_healing,
    treating_wounds,
    upkeep,
)
from service.rules.heartrush.table import arrivals, combat
from service.rules.heartrush.timing import engagement, gm_rulings, priority, windows
from service.rules.secrecy.choices import SecretChoice
from service.rules.secrecy.hiding import HidingRules

FRAMES: Final = (
    combat.CombatFrame,
    windows.DeedFrame,
    movement.MovementFrame,
    windows.WindowFrame,
    answers.ChoiceFrame,
    uses.UseFrame,
    engagement.EngagementFrame,
    forced_movement.PushFrame,
    attacks.ExchangeFrame,
    damage.DamageFrame,
    checks.CheckFrame,
    operations.EffectsFrame,
    hazards.TrialFrame,
    opposed_checks.OpposedFrame,
    gm_rulings.AdjudicationFrame,
    treating_wounds.TreatmentFrame,
    rests_and_healing.NightFrame,
    damage.BurnFrame,
    contests.ContestFrame,
    grapple.GrappleFrame,
    grapple.BreakFreeFrame,
    damage.CrushFrame,
    climbing.ClimbOnFrame,
    climbing.HoldOnFrame,
    climbing.ShakeOffFrame,
    offensive_actions.HinderFrame,
    actions.StrainFrame,
    climbing.ScalingFrame,
    hazards.BreathFrame,
    upkeep.Due,
    passing_time.PassingFrame,
    falling.FallFrame,
    at_once.SteadyFrame,
    arrivals.HideFrame,
    poison.PoisonFrame,
)

_DEEDS: Final = (
    dash_and_sidestep.DashDeed,
    dash_and_sidestep.SidestepDeed,
    at_once.HelpDeed,
    at_once.CallOutDeed,
    at_once.ObjectDeed,
    engagement.EngageDeed,
)

_PHASES: Final = (
    engagement.Joining,
    resolution.Committing,
    resolution.Reveal,
    resolution.CunningStep,
    agility_and_might.AgilityStep,
    agility_and_might.MightStep,
    aftermath.Aftermath,
    offensive_actions.OffensivePhase,
    resolution.Closing,
)

_TIMINGS: Final = (priority.ByPriority, turns.InTurns)

_CONSEQUENCES: Final = (climbing.ClimberHurt, poison.Poisoning)

_ITEMS: Final = (uses.AbilityItem, opportunity_attacks.StrikeItem, movement.TripItem)

_REQUIREMENTS: Final = (
    uses.Engaged,
    uses.InStance,
    uses.Plays,
    uses.Wields,
    uses.AtZero,
    uses.NoDamage,
    uses.Holding,
    uses.Behind,
)

_OPERATIONS: Final = (operations.Do, operations.Contest, operations.Save, operations.Adjudicate)

_MODIFIERS: Final = (
    abilities.RollBonus,
    abilities.LargerDie,
    abilities.FullHeart,
    abilities.Explode,
    abilities.Extremes,
    abilities.MoreSidesteps,
    abilities.FreeStrikes,
    abilities.KeepPriority,
    abilities.NextRush,
    abilities.HalfDefense,
    abilities.Riposte,
    abilities.DicePool,
    abilities.Curse,
    abilities.Bar,
    abilities.Shove,
    abilities.Aura,
)

_EFFECTS: Final = (
    effects.Lay,
    effects.LayPool,
    effects.HealHeart,
    effects.EaseConditions,
    effects.KnockDown,
    effects.Soak,
    effects.EarlySidestep,
    effects_of_place.Drag,
    riders.AddDice,
    riders.Lean,
    riders.SetDie,
    riders.Reroll,
    riders.ChangeDamage,
    riders.Redirect,
    effects.Damage,
    effects.Heal,
    effects.Wound,
    effects.EaseWounds,
    effects.Die,
    effects.KnockOut,
    effects.SetHeartDie,
    effects.GainCondition,
    effects.LoseCondition,
    effects_of_place.Place,
    effects_of_place.Push,
    effects.GainRush,
    effects.GiveAction,
    hazards.Trial,
    opposed_checks.Oppose,
    ruling_effects.SetHp,
    ruling_effects.Restore,
    ruling_effects.Withdraw,
    ruling_effects.Expose,
    ruling_effects.Surprise,
    ruling_effects.Unaware,
    ruling_effects.Hide,
    ruling_effects.SetTerrain,
    ruling_effects.SetWalls,
    ruling_effects.SetOption,
    ruling_effects.GivePriority,
    ruling_effects.Arm,
    ruling_effects.GiveDestiny,
    ruling_effects.LayPenalty,
    ruling_effects.LayBonus,
    ruling_effects.SetScenery,
)

KINDS: Final[Mapping[type, tuple[type, ...]]] = MappingProxyType(
    {
        windows.Deed: _DEEDS,
        windows.StackItem: _ITEMS,
        permission.Timing: _TIMINGS,
        engagement.PhaseRules: _PHASES,
        damage.Consequence: _CONSEQUENCES,
        actions.Exertion: (hazards.Airless,),
        HidingRules: (arrivals.Den,),
        SecretChoice: (stances.StanceChoice,),
        abilities.Requirement: _REQUIREMENTS,
        abilities.Op: _OPERATIONS,
        abilities.Modifier: _MODIFIERS,
        operations.Effect: _EFFECTS,
    }
)
"""The members of each of the book's families, by head; frames are listed apart."""
