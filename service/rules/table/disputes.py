"""The contests and amendments in a table's state."""

from __future__ import annotations

from typing import ClassVar, Literal, TypeAlias

from service.rules.kernel.records import Sealed, record
from service.rules.kernel.values import (
    Claim,
    Code,
    CommandData,
    CommitNumber,
    ContestedEvent,
    ContestedRoll,
    ContestId,
    Decision,
    EncounterId,
    Epoch,
    Ordinal,
    Reason,
    SeatId,
)

Ending: TypeAlias = Literal["upheld", "effects", "as_ruled"]


@record
class Contest:
    """A seat's contest of a commit, an event in it or a roll, and its answer."""

    seat: SeatId
    line: EncounterId
    """The line of play that contains the commit."""
    commit: CommitNumber
    event: ContestedEvent | None
    roll: ContestedRoll | None
    claim: Claim
    status: Literal["open", "upheld", "effects", "as_ruled"] = "open"
    """Whether it is open, or how it was answered."""
    decision: Decision = ""
    reason: Reason = ""


@record
class Instead:
    """A command that replaces the contested one."""

    many: ClassVar[int] = 50
    type: Code
    """The type of the command."""
    data: CommandData
    """The fields of the command."""
    by: Literal["sender", "gm"] = "sender"
    """Who gives it: the seat that gave the contested command, or the GM."""


Kind: TypeAlias = Literal["as_ruled", "undo", "redo"]


@record
class Amendment:
    """A proposal: the commit to continue before, the replacing commands, and the epoch of new dice."""

    id: Code
    """The id."""
    kind: Kind
    """The kind, which says what the other members mean."""
    commit: Ordinal
    """The first commit that is taken back; 0 for a redo."""
    epoch: Epoch
    contest: ContestId | None = None
    decision: Decision = ""
    reason: Reason = ""
    instead: tuple[Instead, ...] | Sealed[tuple[Instead, ...]] = ()
    """Only the GM reads them, because they may reveal what is sealed in the new line."""
    outdated: bool = False
    """Whether something was played since it was made."""
