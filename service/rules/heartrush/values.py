"""The types of values of Heart Rush alone, each with its text; `kernel/values.py` has the shared ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final, TypeAlias

from service.rules.kernel.meaning import text, within
from service.rules.kernel.values import (
    AbilityId,
    Bonus,
    Cell,
    CheckNumber,
    Code,
    Count,
    CreatureId,
    CreatureRef,
    DiceCount,
    DieSides,
    Direction,
    Face,
    Feet,
    HitPointsNow,
    Hours,
    Label,
    Level,
    OptionKey,
    Ordinal,
    Points,
    Remark,
    Seconds,
    SideId,
    SourceId,
    StepId,
    Sum,
    ThingName,
    Words,
    WoundId,
)

EngagementId: TypeAlias = Annotated[StepId, "The id of the engagement."]
ExchangeId: TypeAlias = Annotated[StepId, "The id of the exchange."]
PushId: TypeAlias = Annotated[StepId, "The id of the push."]
CheckId: TypeAlias = Annotated[StepId, "The id of the check."]
ContestStepId: TypeAlias = Annotated[StepId, "The id of the contest."]
UseId: TypeAlias = Annotated[StepId, "The id of the use of an ability."]
MovementId: TypeAlias = Annotated[StepId, "The id of the movement."]
WindowId: TypeAlias = Annotated[StepId, "The id of the window."]
AbilityName: TypeAlias = Annotated[
    AbilityId, "Might, agility, cunning or presence, or the id of a written one."
]
DefinitionId: TypeAlias = Annotated[
    AbilityId,
    text(
        "ability",
        40,
        least=1,
        pattern=r"[a-z0-9][a-z0-9-]{0,39}",
        form="An id of 1 to 40 characters: a-z, 0-9, -; it does not begin with -",
    ),
    "The id.",
]
"""The id of an ability or a spell of one's own."""
LATEST_S: Final = 10**11
"""The last second of the campaign clock: there it stops, so that what it carries on has bounds."""
ClockSecond: TypeAlias = Annotated[Seconds, within(0, LATEST_S)]
SAID_LENGTH: Final = 280
"""The most characters of what somebody says in a sentence or two."""
MOST_LEVELS: Final = 5
"""The most levels that a condition can have."""
ConditionLevel: TypeAlias = Annotated[Level, within(1, MOST_LEVELS)]
Matter: TypeAlias = Annotated[Label, "What it is about."]
ChallengeNumber: TypeAlias = Annotated[CheckNumber, "The challenge number; null for none."]
HeartDie: TypeAlias = Annotated[DieSides, "The sides of its heart die."]
Perks: TypeAlias = Annotated[
    Mapping[Code, Level], "The perks of the stance, each with how often it is bought."
]
ComesFrom: TypeAlias = Annotated[
    SourceId, "The id of the creature or thing that it comes from; null for none."
]
Cause: TypeAlias = Annotated[SourceId, "What caused it; null for nothing in particular."]
WalkedCells: TypeAlias = Annotated[
    tuple[Cell, ...], "The cells to walk, each as x and y; null for the shortest way."
]
ChosenOption: TypeAlias = Annotated[OptionKey, "The chosen value, or the key of the option of the house."]
DeedName: TypeAlias = Annotated[Remark, "The id of the deed."]
Viewers: TypeAlias = Annotated[
    tuple[CreatureId, ...], "The ids of the creatures that might see it; null for all enemies."
]
Complicated: TypeAlias = Annotated[bool, "Whether it brought a complication."]
PassesInARow: TypeAlias = Annotated[Count, "How many sides passed one after the other."]
CountAfter: TypeAlias = Annotated[Count, "How much it is now."]
CountBefore: TypeAlias = Annotated[Ordinal, "How much it was before."]
EndCell: TypeAlias = Annotated[Cell, "The cell where it ends, as x and y."]
WithinFeet: TypeAlias = Annotated[Feet, "The distance in feet within which it works; null for any."]
ShownFace: TypeAlias = Annotated[Face, "The face that the die shows."]
EffectsId: TypeAlias = Annotated[StepId, "The id of the effects that are carried out."]
UpkeepId: TypeAlias = Annotated[StepId, "The id of the end of the round."]
LastingId: TypeAlias = Annotated[StepId, "The id of the lasting effect."]
OpponentId: TypeAlias = Annotated[CreatureId, "The id of the opponent; null for none."]
PassingId: TypeAlias = Annotated[StepId, "The id of the passing time."]
OpposedId: TypeAlias = Annotated[StepId, "The id of the two opposed checks."]
AbilityIds: TypeAlias = Annotated[tuple[AbilityId, ...], "The ids of the abilities."]
HiddenFrom: TypeAlias = Annotated[tuple[CreatureId, ...], "The ids of the creatures that it is hidden from."]
Starter: TypeAlias = Annotated[CreatureId, "The creature that begins; null if any of its side may."]
UnawareSide: TypeAlias = Annotated[SideId, "The side that is not aware of the fight; null for none."]
StanceName: TypeAlias = Annotated[Code, "The stance."]
ItemName: TypeAlias = Annotated[ThingName, "The thing: its name or its id."]
Speech: TypeAlias = Annotated[Words, "What is said."]
LyingThing: TypeAlias = Annotated[ThingName, "What it is called where it lies."]
Looks: TypeAlias = Annotated[Remark, "What it looks like, in words."]
FailedOutright: TypeAlias = Annotated[bool, "Whether it failed whatever the total."]
IsInstant: TypeAlias = Annotated[bool, "Whether it is an instant."]
IsSurprised: TypeAlias = Annotated[bool, "Whether it is surprised."]
StandsUp: TypeAlias = Annotated[bool, "Whether it stands up first."]
WasWon: TypeAlias = Annotated[bool, "Whether it was won."]
HoldHands: TypeAlias = Annotated[Count, "Hands that a hold takes."]
HitPointsAfter: TypeAlias = Annotated[HitPointsNow, "Hit points after it."]
Diagonals: TypeAlias = Annotated[Count, "How many diagonal steps were made."]
HandsUsed: TypeAlias = Annotated[Count, "How many hands it uses."]
HoursPassed: TypeAlias = Annotated[Hours, "How many hours."]
MoreWeaponDice: TypeAlias = Annotated[DiceCount, "How many more weapon dice."]
ActionsLeft: TypeAlias = Annotated[Count, "Its actions that are left."]
DestinyPoints: TypeAlias = Annotated[Points, "Its destiny points."]
EndSecond: TypeAlias = Annotated[Seconds, "The campaign second at which it ends; null if it lasts."]
FollowCell: TypeAlias = Annotated[Cell, "The cell into which it follows, as x and y; null if it does not."]
NewClimbNumber: TypeAlias = Annotated[
    CheckNumber, "The challenge number of climbing there; null if it does not change."
]
PushDirection: TypeAlias = Annotated[
    Direction, "The direction, as steps along x and y; null for straight away."
]
FeetLeft: TypeAlias = Annotated[Feet, "The feet that are left."]
NewHeight: TypeAlias = Annotated[Feet, "The height in feet; null if it does not change."]
HidingId: TypeAlias = Annotated[StepId, "The id of the attempt to hide."]
SteadyId: TypeAlias = Annotated[StepId, "The id of the attempt to master itself."]
BurnId: TypeAlias = Annotated[StepId, "The id of the burning."]
ScalingId: TypeAlias = Annotated[StepId, "The id of the climb."]
ComplicationId: TypeAlias = Annotated[StepId, "The id of the complication."]
PredecessorId: TypeAlias = Annotated[CreatureId, "The id of the creature after which it acts."]
BlockerId: TypeAlias = Annotated[CreatureId, "The id of the creature in the way; null for none."]
InitiatorId: TypeAlias = Annotated[CreatureId, "The id of the creature that began the engagement."]
CauserId: TypeAlias = Annotated[CreatureId, "The id of the creature that caused it; null for none."]
HealerId: TypeAlias = Annotated[CreatureId, "The id of the creature that heals."]
PatientId: TypeAlias = Annotated[CreatureId, "The id of the creature that is healed."]
CrushId: TypeAlias = Annotated[StepId, "The id of the crushing."]
DamageId: TypeAlias = Annotated[StepId, "The id of the damage."]
DefenderId: TypeAlias = Annotated[CreatureId, "The id of the defender."]
FallId: TypeAlias = Annotated[StepId, "The id of the fall."]
HinderId: TypeAlias = Annotated[StepId, "The id of the hindering."]
PoisonName: TypeAlias = Annotated[ThingName, "The id of the poison."]
SpellId: TypeAlias = Annotated[AbilityId, "The id of the spell."]
BreathId: TypeAlias = Annotated[StepId, "The id of the test of its breath."]
GripId: TypeAlias = Annotated[StepId, "The id of the test of its grip."]
TreatmentId: TypeAlias = Annotated[StepId, "The id of the treatment."]
TrialId: TypeAlias = Annotated[StepId, "The id of the trial."]
SideIds: TypeAlias = Annotated[tuple[SideId, ...], "The ids of the sides."]
SurprisedCreatures: TypeAlias = Annotated[tuple[CreatureId, ...], "The ids of the surprised creatures."]
NewRanks: TypeAlias = Annotated[Mapping[WoundId, Sum], "The new rank of each wound, by id."]
Relief: TypeAlias = Annotated[Sum, "By how many ranks they ease, all together."]
RestId: TypeAlias = Annotated[StepId, "The rest: its length, or its id."]
PlayerSide: TypeAlias = Annotated[SideId, "The side of the players' characters."]
FlatBonus: TypeAlias = Annotated[Bonus, "What is added to the roll."]
ThingVerb: TypeAlias = Annotated[Code, "What is done with the thing."]
DieRole: TypeAlias = Annotated[Code, "What the die or the seat is for."]
ChoiceName: TypeAlias = Annotated[Code, "What was chosen, or the id of the choice."]
IsTroubled: TypeAlias = Annotated[bool, "Whether a natural 1 brings a choice."]
ComesAlong: TypeAlias = Annotated[bool, "Whether it comes along."]
IsSave: TypeAlias = Annotated[bool, "Whether it is a saving throw."]
IsExposed: TypeAlias = Annotated[bool, "Whether it is exposed."]
IsStanding: TypeAlias = Annotated[bool, "Whether it stands."]
GmAllows: TypeAlias = Annotated[bool, "Whether the GM allows it."]
BlastTargets: TypeAlias = Annotated[tuple[CreatureId, ...], "Whom a blast strikes besides."]
Manner: TypeAlias = Annotated[Code, "How it is done."]
GreatestValue: TypeAlias = Annotated[Count, "The greatest value."]
CreatureOrParameter: TypeAlias = Annotated[
    CreatureRef, "The id of the creature, or the parameter that names it."
]
EndPlace: TypeAlias = Annotated[Code | Cell, "The cell where it ends, as x and y."]
DiceSides: TypeAlias = Annotated[DieSides, "The number of sides of its dice."]
PointCount: TypeAlias = Annotated[Points, "How many points."]
