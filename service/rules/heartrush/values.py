"""The types of values of Heart Rush alone, each with its text; `kernel/values.py` has the shared ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final, TypeAlias

from service.rules.kernel.meaning import text, within
from service.rules.kernel.values import (
    AbilityId,
    CheckNumber,
    Code,
    DieSides,
    Label,
    Level,
    Seconds,
    SourceId,
    StepId,
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
    AbilityId, "The ability: might, agility, cunning or presence, or the id of a written one."
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
