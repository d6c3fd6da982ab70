"""The choices that seats have sealed themselves and not opened yet."""

from __future__ import annotations

from service.rules.kernel.records import record
from service.rules.kernel.values import ChoiceCommitment, SeatId


@record
class SealedChoice:
    """A choice that its seat has committed to: only the seat knows it until it opens it."""

    seat: SeatId
    commitment: ChoiceCommitment
