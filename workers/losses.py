"""Log commits that this worker wrote and the store lost.

Causes are a failover without the mode `replicated`, a lost disk, and a restored backup. If the lost commits
were signed, the notary raises a dispute. Unsigned ones are named in the worker's log, with the encounter and
their numbers.
"""

from __future__ import annotations

from typing import Any, Final

import structlog

from service.caches import RecentCache
from service.core.decide import FoldedState
from service.log.values import StreamHead

REMEMBERED: Final = 10_000
"""How many encounters' last commits are remembered."""

_logger: Final = structlog.get_logger()


class CommittedHistory:
    """The last commit that this worker wrote for each encounter."""

    def __init__(self) -> None:
        self._last: RecentCache[str, tuple[int, str]] = RecentCache(REMEMBERED)

    def note(self, folded: FoldedState[Any]) -> None:
        """Remember that the commit of *folded* is written."""
        self._last.put(folded.encounter, (folded.n, folded.hash))

    def check_head(self, encounter: str, head: StreamHead) -> None:
        """Log commands that the store lost. Lost commits alone are decided again, with the same bytes."""
        n, _ = self._last.get(encounter) or (0, "")
        if head.appended < n:
            self._name(encounter, head.appended + 1, n)

    def hold(self, folded: FoldedState[Any]) -> None:
        """Log a commit that is decided again with another hash: its command was lost and replaced."""
        n, hash_ = self._last.get(folded.encounter) or (0, "")
        if folded.n == n and folded.hash != hash_:
            self._name(folded.encounter, n, n)

    def _name(self, encounter: str, first: int, last: int) -> None:
        self._last.drop(encounter)
        _logger.error("encounter.commits_lost", encounter=encounter, first=first, last=last)
