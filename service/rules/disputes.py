"""The contests and amendments in a table's state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from service.rules.records import record
from service.rules.sealed import Sealed

Ending: TypeAlias = Literal["upheld", "effects", "as_ruled"]


@record
class Contest:
    """A seat's contest of a commit, an event in it or a roll, and its answer."""

    seat: str
    encounter: str
    """The line of play in which the commit stands."""
    commit: int
    event: int | None
    roll: str | None
    claim: str
    status: Literal["open", "upheld", "effects", "as_ruled"] = "open"
    decision: str = ""
    reason: str = ""


@record
class Instead:
    """A command that is taken in place of the contested one."""

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
    """The first commit that is taken back; 0 where a redo takes all of them back but the first."""
    epoch: int
    contest: str | None = None
    decision: str = ""
    reason: str = ""
    line: str = ""
    """The earlier line in which the commit stands, where it is not this one."""
    instead: tuple[Instead, ...] | Sealed[tuple[Instead, ...]] = ()
    """For the GM alone: it may tell what is sealed in the line that it begins."""
    outdated: bool = False
    """Whether something was played since it was made."""
