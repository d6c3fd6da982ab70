"""Hold how far the seeds of the dice are in, where seats add some."""

from __future__ import annotations

from collections.abc import Mapping

from service.rules.records import EMPTY, record


@record
class Sealing:
    """Mode `mixed`: which seats have committed to a seed, were waived, and have revealed theirs."""

    committed: Mapping[str, str] = EMPTY
    waived: tuple[str, ...] = ()
    revealed: Mapping[str, str] = EMPTY
    seal: str = ""
    """What every epoch key is salted with; empty until all seeds are in."""

    def has_answered(self, seat: str) -> bool:
        """Tell whether *seat* has committed or was waived."""
        return seat in self.committed or seat in self.waived
