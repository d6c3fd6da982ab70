"""The contests and amendments in a table's state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from service.rules.kernel.records import Sealed, record

Ending: TypeAlias = Literal["upheld", "effects", "as_ruled"]


@record
class Contest:
    """A seat's contest of a commit, an event in it or a roll, and its answer."""

    seat: str
    line: str
    """The line of play that contains the commit."""
    commit: int
    event: int | None
    roll: str | None
    claim: str
    status: Literal["open", "upheld", "effects", "as_ruled"] = "open"
    decision: str = ""
    reason: str = ""


@record
class Instead:
    """A command that replaces the contested one."""

    type: str
    data: Mapping[str, Any]
    by: Literal["sender", "gm"] = "sender"
    """Who gives it: the seat that gave the contested command, or the GM."""


Kind: TypeAlias = Literal["as_ruled", "undo", "redo"]


@record
class Amendment:
    """A proposal: the commit to continue before, the replacing commands, and the epoch of new dice."""

    id: str
    kind: Kind
    commit: int
    """The first commit that is taken back; 0 for a redo that takes back all of them but the first."""
    epoch: int
    contest: str | None = None
    decision: str = ""
    reason: str = ""
    line: str = ""
    """The earlier line that contains the commit, if it is not this one."""
    instead: tuple[Instead, ...] | Sealed[tuple[Instead, ...]] = ()
    """Only the GM reads them, because they may reveal what is sealed in the new line."""
    outdated: bool = False
    """Whether something was played since it was made."""
