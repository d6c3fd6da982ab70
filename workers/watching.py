"""What a fold works beside: who signs what is folded, and who keeps snapshots of it."""

from __future__ import annotations

from typing import Any, Protocol

from service.core.decide import FoldedState


class FoldObserver(Protocol):
    """Who signs what is folded, and says what may be folded at all."""

    def may_fold(self, encounter: str) -> bool:
        """Tell whether the store's history is the one that was signed."""
        ...

    def resumes(self, encounter: str) -> int:
        """Return the command that accepted another history than the signed one; 0 if none did."""
        ...

    def recheck(self) -> None:
        """Compare every encounter anew before it may be folded: the store was away, and may be another."""
        ...

    def folded(self, encounter: str, start: int, n: int, *, closes: bool, is_closed: bool) -> None:
        """Note that the commits after *start* up to *n* stand; *closes*: an epoch or the encounter ended."""
        ...


def no_snapshot(folded: FoldedState[Any]) -> None:
    """Keep no snapshot: for a fold whose past is never read."""


class NullFoldObserver:
    """Signs nothing: for a fold of which no signature is wanted."""

    def may_fold(self, encounter: str) -> bool:  # noqa: ARG002 - as `FoldObserver` has it
        """Tell that it may."""
        return True

    def resumes(self, encounter: str) -> int:  # noqa: ARG002 - as `FoldObserver` has it
        """Tell that none did."""
        return 0

    def recheck(self) -> None:
        """Compare nothing."""

    def folded(self, encounter: str, start: int, n: int, *, closes: bool, is_closed: bool) -> None:
        """Note nothing."""
