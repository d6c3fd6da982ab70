"""Name commits that the store has lost although this worker wrote them.

That happens in a failover without the mode `replicated`, with a lost disk, and with a restored backup.

What was signed and is gone is a dispute of the notary. This names the rest, which nobody signed: in the
worker's log, with the encounter and the numbers.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, Final

import structlog

from service.core.decide import FoldedState
from service.log.values import StreamHead

REMEMBERED: Final = 10_000
"""Encounters whose last commit is remembered."""

_logger: Final = structlog.get_logger()


class CommittedHistory:
    """The last commit that this worker wrote of each encounter."""

    def __init__(self) -> None:
        self._last: OrderedDict[str, tuple[int, str]] = OrderedDict()

    def note(self, folded: FoldedState[Any]) -> None:
        """Remember that *folded* stands."""
        self._last[folded.encounter] = (folded.n, folded.hash)
        self._last.move_to_end(folded.encounter)
        if len(self._last) > REMEMBERED:
            self._last.popitem(last=False)

    def hold_head(self, encounter: str, head: StreamHead) -> None:
        """Name the commands that the store no longer has; commits alone are decided again, byte for byte."""
        n, _ = self._last.get(encounter, (0, ""))
        if head.appended < n:
            self._name(encounter, head.appended + 1, n)

    def hold(self, folded: FoldedState[Any]) -> None:
        """Name a commit that is decided again and becomes another: its command was lost and replaced."""
        n, hash_ = self._last.get(folded.encounter, (0, ""))
        if folded.n == n and folded.hash != hash_:
            self._name(folded.encounter, n, n)

    def _name(self, encounter: str, first: int, last: int) -> None:
        del self._last[encounter]
        _logger.error("encounter.commits_lost", encounter=encounter, first=first, last=last)
