"""The commitments and seeds that seats have added to the dice so far."""

from __future__ import annotations

from collections.abc import Mapping

from service.rules.kernel.records import EMPTY, record
from service.rules.kernel.values import Hexadecimal, RevealedSeeds, SeatId, WaivedSeats


@record
class Sealing:
    """Which seats have committed to a seed, were waived, and have revealed theirs, in mode `mixed`."""

    committed: Mapping[SeatId, Hexadecimal] = EMPTY
    """The commitment of each seat, by seat."""
    waived: WaivedSeats = ()
    revealed: RevealedSeeds = EMPTY
    seal: Hexadecimal = ""
    """The salt of every epoch key; empty until all seeds are revealed."""

    def has_answered(self, seat: str) -> bool:
        """Return whether *seat* has committed or was waived."""
        return seat in self.committed or seat in self.waived
