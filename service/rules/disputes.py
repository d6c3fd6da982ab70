"""Hold what a table remembers of contests: who contests which moment, and how it was answered."""

from __future__ import annotations

from typing import Literal, TypeAlias

from service.rules.records import record

Ending: TypeAlias = Literal["upheld", "effects", "as_ruled"]


@record
class Contest:
    """A moment that somebody contests: a commit, an event in it or a roll, and what became of the contest."""

    seat: str
    commit: int
    event: int | None
    roll: str | None
    claim: str
    status: Literal["open", "upheld", "effects", "as_ruled"] = "open"
    decision: str = ""
    reason: str = ""
