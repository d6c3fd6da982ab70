"""The types of values of Rise alone, each with its text; `kernel/values.py` has the shared ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, TypeAlias

from service.rules.kernel.values import (
    Cell,
    CheckNumber,
    Choice,
    Count,
    CreatureId,
    Feet,
    GroupId,
    Label,
    Level,
    Reason,
    Remark,
    SourceId,
    Subject,
    ThingName,
)

UserId: TypeAlias = Annotated[CreatureId, "The id of the creature that uses the ability."]
OwnerId: TypeAlias = Annotated[CreatureId, "The id of the creature whose it is."]
CellPath: TypeAlias = Annotated[tuple[Cell, ...], "The cells of the way, each as x and y."]
MeansName: TypeAlias = Annotated[Label, "The id of the ability or the name of the weapon."]
ModeName: TypeAlias = Annotated[Label, "The way of moving."]
EffectSource: TypeAlias = Annotated[SourceId, "The id of the creature or thing that it comes from."]
Subjects: TypeAlias = Annotated[tuple[Subject, ...], "The ids of those that it is about."]
DamageMultiple: TypeAlias = Annotated[Count, "By how much the damage is multiplied."]
ChosenAnswer: TypeAlias = Annotated[Choice, "The chosen answer."]
GroupIds: TypeAlias = Annotated[tuple[GroupId, ...], "The ids of the groups."]
CreatureOrder: TypeAlias = Annotated[tuple[CreatureId, ...], "The ids, in order."]
GroupMembers: TypeAlias = Annotated[
    Mapping[GroupId, tuple[CreatureId, ...]], "The members of each group, by group."
]
GmNote: TypeAlias = Annotated[Reason, "What the GM adds, in words."]
BeyondFeet: TypeAlias = Annotated[Feet, "Custom: keep this far from the targets."]
NearFeet: TypeAlias = Annotated[Feet, "Custom: stay this near to the targets."]
AreaAltitude: TypeAlias = Annotated[Feet, "How high above that cell the area begins."]
AreaCell: TypeAlias = Annotated[
    Cell, "The cell around which its zone or area lies, or towards which its area points."
]
CustomFeet: TypeAlias = Annotated[Feet, "The distance in feet that it keeps or covers."]
Altitude: TypeAlias = Annotated[Feet, "The feet above the ground."]
MountId: TypeAlias = Annotated[CreatureId, "The id of the creature that it rides; null for none."]
OtherId: TypeAlias = Annotated[CreatureId, "The id of the other creature."]
AskedCreatures: TypeAlias = Annotated[tuple[CreatureId, ...], "The ids of the creatures that are asked."]
UnawareCreatures: TypeAlias = Annotated[
    tuple[CreatureId, ...], "The ids of the creatures that are not aware of the fight."
]
SprintingCreatures: TypeAlias = Annotated[tuple[CreatureId, ...], "The ids of the creatures that sprint."]
RiderIds: TypeAlias = Annotated[tuple[CreatureId, ...], "The ids of the riders."]
FatigueCost: TypeAlias = Annotated[Level, "The levels of fatigue that it costs."]
HeldThing: TypeAlias = Annotated[ThingName, "The name of the thing."]
VitalWoundNumber: TypeAlias = Annotated[Count, "The number of the vital wound, from 0."]
Difficulty: TypeAlias = Annotated[CheckNumber, "The number that the check must reach."]
PossibleAnswers: TypeAlias = Annotated[tuple[Choice, ...], "The possible answers."]
RoundStep: TypeAlias = Annotated[Count, "The step of the round, from 1 to 11."]
TriedDeed: TypeAlias = Annotated[Remark, "What the creature tries."]
HasAgreed: TypeAlias = Annotated[bool, "Whether it agreed."]
Agrees: TypeAlias = Annotated[bool, "Whether it agrees."]
OnlySubdues: TypeAlias = Annotated[bool, "Whether it only subdues."]
HoldsDelayed: TypeAlias = Annotated[bool, "Whether its delayed effects wait."]
CausedBy: TypeAlias = Annotated[SourceId, "What caused it."]
