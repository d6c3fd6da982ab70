"""List the messages that every ruleset has beside its own: seats, thrown dice, epochs, contests, the end."""

from __future__ import annotations

from typing import Final

from service.rules.asking import DiceAsked, DiceTold, ThrowDice
from service.rules.closing import CloseEncounter, ClosingBegun, EncounterClosed, EpochClosed
from service.rules.contests import ContestClosed, ContestOpened, OpenContest, Uphold
from service.rules.seats import (
    ChangeSeat,
    CloseSeat,
    IssueToken,
    OpenSeat,
    SeatChanged,
    SeatClosed,
    SeatOpened,
    SeatTokenIssued,
)

COMMANDS: Final = (
    OpenSeat,
    ChangeSeat,
    IssueToken,
    CloseSeat,
    ThrowDice,
    CloseEncounter,
    OpenContest,
    Uphold,
)

EVENTS: Final = (
    SeatOpened,
    SeatChanged,
    SeatTokenIssued,
    SeatClosed,
    DiceAsked,
    DiceTold,
    EpochClosed,
    ClosingBegun,
    EncounterClosed,
    ContestOpened,
    ContestClosed,
)
