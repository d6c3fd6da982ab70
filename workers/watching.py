"""The observers of a fold: the signer of checkpoints, and the writer of snapshots."""

from __future__ import annotations

from typing import Any, Protocol

from service.core.decide import FoldedState


class FoldObserver(Protocol):
    """Learns what was folded, to sign it, and decides what may be folded."""

    def may_fold(self, encounter: str) -> bool:
        """Return whether the store's history is the signed one."""
        ...

    def resumes(self, encounter: str) -> int:
        """Return the number of the command that accepted a history other than the signed one; 0 if none."""
        ...

    def recheck(self) -> None:
        """Check every encounter again before it may be folded, since the store may have been replaced."""
        ...

    def folded(self, encounter: str, start: int, n: int, *, closes: bool, is_closed: bool) -> None:
        """Note that the commits after *start* up to *n* are written.

        *closes*: an epoch ended. *is_closed*: the encounter is closed.
        """
        ...


def no_snapshot(folded: FoldedState[Any]) -> None:
    """Keep no snapshot, for a fold whose past is never read."""


class NullFoldObserver:
    """Signs nothing and permits everything, for a fold without signatures."""

    def may_fold(self, encounter: str) -> bool:  # noqa: ARG002 - as `FoldObserver` has it
        """Return True."""
        return True

    def resumes(self, encounter: str) -> int:  # noqa: ARG002 - as `FoldObserver` has it
        """Return 0: no command did."""
        return 0

    def recheck(self) -> None:
        """Do nothing."""

    def folded(self, encounter: str, start: int, n: int, *, closes: bool, is_closed: bool) -> None:
        """Do nothing."""
