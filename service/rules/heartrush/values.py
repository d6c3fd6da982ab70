"""The types of values of Heart Rush alone, each with its text; `kernel/values.py` has the shared ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, TypeAlias

from service.rules.kernel.values import AbilityId, CheckNumber, Code, DieSides, Label, Level, SourceId, StepId

EngagementId: TypeAlias = Annotated[StepId, "The id of the engagement."]
ExchangeId: TypeAlias = Annotated[StepId, "The id of the exchange."]
PushId: TypeAlias = Annotated[StepId, "The id of the push."]
CheckId: TypeAlias = Annotated[StepId, "The id of the check."]
ContestStepId: TypeAlias = Annotated[StepId, "The id of the contest."]
UseId: TypeAlias = Annotated[StepId, "The id of the use of an ability."]
MovementId: TypeAlias = Annotated[StepId, "The id of the movement."]
WindowId: TypeAlias = Annotated[StepId, "The id of the window."]
AbilityName: TypeAlias = Annotated[
    AbilityId, "The ability: might, agility, cunning or presence, or the id of a written one."
]
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
