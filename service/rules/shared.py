"""The messages that every ruleset shares: seats, declared dice, epochs, contests, amendments, closing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType, ModuleType
from typing import Any, Final, TypeVar

from service.rules.contests.acceptance import DisclosingFrame, DueDisclosed, LineAccepted
from service.rules.contests.amendments import (
    AcceptAmendment,
    Amend,
    AmendmentDetailed,
    AmendmentDropped,
    AmendmentProposed,
    Continued,
    DropAmendment,
    Redo,
    Undo,
)
from service.rules.contests.contests import ContestClosed, ContestOpened, OpenContest, Uphold
from service.rules.contests.continuing import (
    Forked,
    LineBegun,
    LinkInherited,
    OccasionInherited,
    SealedValuesInherited,
)
from service.rules.kernel.messages import Command, Event
from service.rules.rolls.asking import DiceDeclared, DiceFrame, DiceRequested, DiceWithdrawn, ThrowDice
from service.rules.rolls.closing import (
    CloseEncounter,
    ClosingBegun,
    ClosingFrame,
    EncounterClosed,
    EpochClosed,
    EpochEnded,
    LaneDisclosed,
)
from service.rules.rolls.draws import StreamRedirected
from service.rules.rolls.epochs import AcceptHistory, AdvanceEpoch, EpochAdvanced
from service.rules.rolls.seeding import (
    CommitSeed,
    DiceSealed,
    RevealSeed,
    SeedCommitted,
    SeedRevealed,
    SeedWaived,
    WaiveSeed,
)
from service.rules.secrecy.choices import (
    ChoiceCommitted,
    ChoiceForfeited,
    ChoiceOpened,
    ChoiceVoided,
    ForfeitChoice,
    OpenChoice,
    SealChoice,
)
from service.rules.secrecy.gm_only import SheetShown, ShowSheet
from service.rules.secrecy.screen import (
    RollBehindScreen,
    ScreenFrame,
    ScreenRollAnnounced,
    ScreenRollBegun,
    ScreenRolled,
    ScreenRollShown,
    ShowRoll,
)
from service.rules.table.awaited_command import AwaitedCommand
from service.rules.table.seats import (
    ChangeSeat,
    CloseSeat,
    IssueToken,
    OpenSeat,
    RemoveSeatKey,
    SeatChanged,
    SeatClosed,
    SeatKeyRemoved,
    SeatKeySet,
    SeatOpened,
    SeatTokenIssued,
    SetSeatKey,
)
from service.rules.table.unchanged import NothingChanged

BASES: Final = (AwaitedCommand,)
"""Bases that a ruleset may use; every ruleset has their rules, whether it uses them or not."""

T = TypeVar("T", bound=Command[Any] | Event[Any])

COMMANDS: Final = (
    OpenSeat,
    ChangeSeat,
    IssueToken,
    SetSeatKey,
    RemoveSeatKey,
    CloseSeat,
    ThrowDice,
    CommitSeed,
    WaiveSeed,
    RevealSeed,
    SealChoice,
    OpenChoice,
    ForfeitChoice,
    AdvanceEpoch,
    AcceptHistory,
    RollBehindScreen,
    ShowRoll,
    ShowSheet,
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
    SeatKeySet,
    SeatKeyRemoved,
    SeatClosed,
    DiceRequested,
    DiceWithdrawn,
    DiceDeclared,
    SeedCommitted,
    SeedWaived,
    SeedRevealed,
    DiceSealed,
    ChoiceCommitted,
    ChoiceOpened,
    ChoiceVoided,
    ChoiceForfeited,
    EpochAdvanced,
    ScreenRollAnnounced,
    ScreenRollBegun,
    ScreenRolled,
    ScreenRollShown,
    SheetShown,
    EpochClosed,
    EpochEnded,
    LaneDisclosed,
    ClosingBegun,
    EncounterClosed,
    ContestOpened,
    ContestClosed,
    AmendmentProposed,
    AmendmentDetailed,
    AmendmentDropped,
    Continued,
    LineAccepted,
    DueDisclosed,
    LineBegun,
    Forked,
    SealedValuesInherited,
    OccasionInherited,
    LinkInherited,
    StreamRedirected,
    NothingChanged,
)

FRAMES: Final = (DiceFrame, ScreenFrame, ClosingFrame, DisclosingFrame)


def messages_of(chapters: Iterable[ModuleType], base: type[T]) -> Mapping[str, type[T]]:
    """Return the messages below *base* in *chapters*, and those that every ruleset shares, by type.

    Raises `AssertionError` for a type that two classes have. Classes marked `abstract` are left out.
    """
    own = (cls for chapter in chapters for cls in vars(chapter).values() if _is_own(cls, chapter.__name__))
    return messages_in(own, base)


def messages_in(classes: Iterable[type[Any]], base: type[T]) -> Mapping[str, type[T]]:
    """Return the messages below *base* among *classes*, and those that every ruleset shares, by type.

    Raises `AssertionError` for a type that two classes have.
    """
    found: dict[str, type[T]] = {}
    for cls in (*classes, *COMMANDS, *EVENTS):
        if issubclass(cls, base):
            assert cls.type not in found, f"{cls.type} is the name of two messages"
            found[cls.type] = cls
    return MappingProxyType(dict(sorted(found.items())))


def _is_own(cls: object, module: str) -> bool:
    return (
        isinstance(cls, type)
        and issubclass(cls, Command | Event)
        and cls.__module__ == module
        and "abstract" not in vars(cls)
    )
