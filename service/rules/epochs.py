"""Move on to other dice before a round ends: by a numbered command with a reason, and never unseen.

A round's end closes its epoch by itself (`closing.py`). Whatever else moves the epoch stands on the record
and is listed by the audit, for whoever knew the coming dice could use it to be rid of them. Nothing is
disclosed at anybody's request: the next round's end discloses a later link, and that gives the earlier ones.
"""

from __future__ import annotations

from typing import ClassVar, Final

from service.dice.chain import MAX_EPOCHS
from service.rules.messages import Command, Emits, Event, Refused
from service.rules.records import record
from service.rules.rulebook import rule
from service.rules.table import CLOCK, GM, Table

REASON_LENGTH: Final = 500


@record
class Lost:
    """A history that was signed and is no more: how many commits it had, and their root."""

    size: int
    root: str


@record
class EpochAdvanced(Event[Table]):
    """Other dice are thrown from here on than would have been: who wanted it, and why."""

    type: ClassVar[str] = "epoch_advanced"
    seat: str
    reason: str
    epoch: int
    lost: Lost | None = None

    def evolve(self, state: Table) -> Table:
        return state.entered(self.epoch)


def _check_words(command: Command[Table], reason: str) -> None:
    if command.by.role not in (GM, CLOCK):
        raise Refused("not_gm", f"{command.by.seat} is not the gm")
    if not 0 < len(reason) <= REASON_LENGTH:
        raise Refused("reason_missing", f"a reason of 1 to {REASON_LENGTH} characters")


@rule("TABLE-EPOCH-2", "service ruling")
@record
class AdvanceEpoch(Command[Table]):
    """The epoch moves before its round ends only by a command of the GM or the clock that says why."""

    type: ClassVar[str] = "advance_epoch"
    reason: str

    def check(self, view: Table) -> None:
        _check_words(self, self.reason)

    def decide(self, state: Table) -> Emits[Table]:
        return (yield EpochAdvanced(seat=self.by.seat, reason=self.reason, epoch=state.following))


@rule("TABLE-EPOCH-3", "service ruling")
@record
class AcceptHistory(Command[Table]):
    """Where a signed history was lost, play goes on once somebody accepts it, with dice nobody has seen."""

    type: ClassVar[str] = "accept_history"
    reason: str
    lost: Lost
    """What was signed, as the dispute tells it."""
    epoch: int
    """The last epoch that may have been played in the lost history."""

    def check(self, view: Table) -> None:
        _check_words(self, self.reason)
        if not 1 <= self.epoch <= MAX_EPOCHS:
            raise Refused("params_missing", f"an epoch from 1 to {MAX_EPOCHS}")

    def decide(self, state: Table) -> Emits[Table]:
        # In a proposed line it is taken again: there the epochs are those of the line as played.
        epoch = state.following if state.draft else max(state.epoch, state.last_exposed_epoch, self.epoch) + 1
        return (yield EpochAdvanced(seat=self.by.seat, reason=self.reason, epoch=epoch, lost=self.lost))
