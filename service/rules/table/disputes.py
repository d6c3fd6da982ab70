"""The contests and amendments in a table's state."""

from __future__ import annotations

from typing import ClassVar, Literal, TypeAlias

from service.rules.kernel.records import Sealed, record
from service.rules.kernel.values import (
    Code,
    CommandData,
    ContestId,
    EncounterId,
    Ordinal,
    Reason,
    RollId,
    SeatId,
    Words,
)

Ending: TypeAlias = Literal["upheld", "effects", "as_ruled"]


@record
class Contest:
    """A seat's contest of a commit, an event in it or a roll, and its answer."""

    seat: SeatId
    line: EncounterId
    """The line of play that contains the commit."""
    commit: Ordinal
    event: Ordinal | None
    roll: RollId | None
    claim: Words
    status: Literal["open", "upheld", "effects", "as_ruled"] = "open"
    decision: Words = ""
    reason: Reason = ""


@record
class Instead:
    """A command that replaces the contested one."""

    many: ClassVar[int] = 50
    type: Code
    data: CommandData
    by: Literal["sender", "gm"] = "sender"
    """Who gives it: the seat that gave the contested command, or the GM."""


Kind: TypeAlias = Literal["as_ruled", "undo", "redo"]


@record
class Amendment:
    """A proposal: the commit to continue before, the replacing commands, and the epoch of new dice."""

    id: Code
    kind: Kind
    commit: Ordinal
    """The first commit that is taken back; 0 for a redo."""
    epoch: Ordinal
    contest: ContestId | None = None
    decision: Words = ""
    reason: Reason = ""
    instead: tuple[Instead, ...] | Sealed[tuple[Instead, ...]] = ()
    """Only the GM reads them, because they may reveal what is sealed in the new line."""
    outdated: bool = False
    """Whether something was played since it was made."""
