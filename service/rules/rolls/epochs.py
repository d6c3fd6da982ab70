"""Advance the epoch before a round ends: by a command with a reason.

The end of a round closes its epoch (`closing.py`). Every other advance is a command of the gm, and the audit
lists it, because somebody who knew the coming dice could use it to discard them. The service itself advances
nothing, and a command that a seat signed before an advance throws no die after it. An advance discloses
nothing: the end of the next round discloses a later link, and earlier links follow from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final, TypeVar

from service.dice.chain import MAX_EPOCHS
from service.dice.source import Dice
from service.rules.kernel.messages import Command, Emits, Event, Refused
from service.rules.kernel.records import changed, record
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.values import Epoch, Hexadecimal, Ordinal, Reason, SeatId
from service.rules.table.table import GM, Table

TABLE_EPOCH_2: Final = Rule(
    "TABLE-EPOCH-2",
    "Only the GM may advance the epoch before its round ends, and must give a reason.",
    RULING,
)
TABLE_EPOCH_3: Final = Rule(
    "TABLE-EPOCH-3",
    "If a signed history was lost, play continues once it is accepted, with dice that nobody has seen.",
    RULING,
)
TABLE_EPOCH_5: Final = Rule(
    "TABLE-EPOCH-5",
    "A command that its seat signed before the epoch was advanced by hand throws no dice.",
    RULING,
)

DICE_MOVED: Final = "dice_moved"

REASON_LENGTH: Final = 500

S = TypeVar("S", bound=Table)


@record
class Lost:
    """A signed history that the store lost: its number of commits, and their Merkle root."""

    size: Ordinal
    """The number of commits."""
    root: Hexadecimal
    """The root of their Merkle tree, in hexadecimal digits."""


@record
class EpochAdvanced(Event[Table]):
    """The epoch advanced, so the coming dice are others: the seat that asked for it, and its reason."""

    type: ClassVar[str] = "epoch_advanced"
    decides: ClassVar[str] = "epoch"
    seat: SeatId
    reason: Reason
    epoch: Epoch
    lost: Lost | None = None
    """The signed history that the store lost; null if it lost none."""

    def evolve(self, state: Table) -> Table:
        return state.entered(self.epoch)


def _check_words(command: Command[Table], reason: str) -> None:
    if command.by.role != GM:
        raise Refused("not_gm", f"{command.by.seat} is not the gm")
    if not 0 < len(reason) <= REASON_LENGTH:
        raise Refused("reason_missing", f"a reason of 1 to {REASON_LENGTH} characters")


@enforces(TABLE_EPOCH_2)
@record
class AdvanceEpoch(Command[Table]):
    """Advance the epoch of the dice before its round ends, for a reason that all see."""

    type: ClassVar[str] = "advance_epoch"
    reason: Reason

    def check(self, view: Table) -> None:
        _check_words(self, self.reason)

    def decide(self, state: Table) -> Emits[Table]:
        return (yield EpochAdvanced(seat=self.by.seat, reason=self.reason, epoch=state.following))


@enforces(TABLE_EPOCH_3)
@record
class AcceptHistory(Command[Table]):
    """Go on after a signed history was lost, with unseen dice."""

    type: ClassVar[str] = "accept_history"
    reason: Reason
    lost: Lost
    """The signed history, as the dispute names it."""
    epoch: Ordinal
    """The last epoch that may have been played in the lost history."""

    def check(self, view: Table) -> None:
        _check_words(self, self.reason)
        if not 1 <= self.epoch <= MAX_EPOCHS:
            raise Refused("params_missing", f"an epoch from 1 to {MAX_EPOCHS}", TABLE_EPOCH_3.id)

    def decide(self, state: Table) -> Emits[Table]:
        # A proposed line decides this command again, with the epochs of the line as played.
        epoch = state.following if state.draft else max(state.epoch, state.last_exposed_epoch, self.epoch) + 1
        return (yield EpochAdvanced(seat=self.by.seat, reason=self.reason, epoch=epoch, lost=self.lost))


def dice_moved(state: S, events: Sequence[Mapping[str, Any]], n: int) -> S:
    """Return *state* after commit *n* with these *events*, which notes whether they advanced the epoch."""
    is_moved = any(event.get("type") == EpochAdvanced.type for event in events)
    return changed(state, dice_moved_in=n) if is_moved else state


class MovedDice:
    """The dice for a command that was signed before the epoch was advanced: none is thrown."""

    def __init__(self, dice: Dice, seen: int, moved_in: int) -> None:
        self._dice = dice
        self._seen = seen
        self._moved_in = moved_in

    @enforces(TABLE_EPOCH_5)
    def faces(self, lane: int, epoch: int, stream: str, place: int, sides: Sequence[int]) -> tuple[int, ...]:
        """Raise `Refused`."""
        detail = (
            f"commit {self._moved_in} moved the dice after commit {self._seen}, on which it was signed; "
            "look again, and sign again"
        )
        raise Refused(DICE_MOVED, detail, "TABLE-EPOCH-5")

    def link(self, lane: int, epoch: int) -> bytes:
        """Return a link: a round may end, and its link is that of its epoch."""
        return self._dice.link(lane, epoch)
