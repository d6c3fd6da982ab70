"""The messages that every ruleset shares: seats, declared dice, epochs, contests, amendments, closing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType, ModuleType
from typing import Any, Final, TypeVar

from service.rules.acceptance import DisclosingFrame, DueDisclosed, LineAccepted
from service.rules.amendments import (
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
from service.rules.asking import DiceDeclared, DiceFrame, DiceRequested, ThrowDice
from service.rules.awaited_command import AwaitedCommand
from service.rules.closing import (
    CloseEncounter,
    ClosingBegun,
    ClosingFrame,
    EncounterClosed,
    EpochClosed,
    EpochEnded,
    LaneDisclosed,
)
from service.rules.contests import ContestClosed, ContestOpened, OpenContest, Uphold
from service.rules.continuing import (
    Forked,
    LineBegun,
    LinkInherited,
    OccasionInherited,
    SealedValuesInherited,
)
from service.rules.draws import StreamRedirected
from service.rules.epochs import AcceptHistory, AdvanceEpoch, EpochAdvanced
from service.rules.gm_only import SheetShown, ShowSheet
from service.rules.messages import Command, Event
from service.rules.screen import (
    RollBehindScreen,
    ScreenFrame,
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

BASES: Final = (AwaitedCommand,)
"""Bases that a ruleset may use; every ruleset has their rules, whether it uses them or not."""

T = TypeVar("T", bound=Command[Any] | Event[Any])

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
    SeatClosed,
    DiceRequested,
    DiceDeclared,
    SeedCommitted,
    SeedWaived,
    SeedRevealed,
    DiceSealed,
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
