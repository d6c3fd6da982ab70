"""List the messages that every ruleset has beside its own: seats, thrown dice, epochs, contests, the end."""

from __future__ import annotations

from typing import Final

from service.rules.amendments import (
    AcceptAmendment,
    Amend,
    AmendmentDropped,
    AmendmentProposed,
    Continued,
    DropAmendment,
    Redo,
    Undo,
)
from service.rules.asking import DiceAsked, DiceTold, ThrowDice
from service.rules.closing import CloseEncounter, ClosingBegun, EncounterClosed, EpochClosed, LaneDisclosed
from service.rules.contests import ContestClosed, ContestOpened, OpenContest, Uphold
from service.rules.continuing import Forked, LineBegun, LinkKept, OccasionKept, SealsKept
from service.rules.draws import DiceMoved
from service.rules.epochs import AcceptHistory, AdvanceEpoch, EpochAdvanced
from service.rules.screen import (
    RollBehindScreen,
    ScreenRollAnnounced,
    ScreenRollBegun,
    ScreenRolled,
    ScreenRollShown,
    ShowRoll,
)
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
from service.rules.seeding import (
    CommitSeed,
    DiceSealed,
    RevealSeed,
    SeedCommitted,
    SeedRevealed,
    SeedWaived,
    WaiveSeed,
)

COMMANDS: Final = (
    OpenSeat,
    ChangeSeat,
    IssueToken,
    CloseSeat,
    ThrowDice,
    CommitSeed,
    WaiveSeed,
    RevealSeed,
    AdvanceEpoch,
    AcceptHistory,
    RollBehindScreen,
    ShowRoll,
    CloseEncounter,
    OpenContest,
    Uphold,
    Amend,
    Undo,
    Redo,
    AcceptAmendment,
    DropAmendment,
)

EVENTS: Final = (
    SeatOpened,
    SeatChanged,
    SeatTokenIssued,
    SeatClosed,
    DiceAsked,
    DiceTold,
    SeedCommitted,
    SeedWaived,
    SeedRevealed,
    DiceSealed,
    EpochAdvanced,
    ScreenRollAnnounced,
    ScreenRollBegun,
    ScreenRolled,
    ScreenRollShown,
    EpochClosed,
    LaneDisclosed,
    ClosingBegun,
    EncounterClosed,
    ContestOpened,
    ContestClosed,
    AmendmentProposed,
    AmendmentDropped,
    Continued,
    LineBegun,
    Forked,
    SealsKept,
    OccasionKept,
    LinkKept,
    DiceMoved,
)
