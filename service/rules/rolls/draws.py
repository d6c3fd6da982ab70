"""The event that a stream draws from another epoch, so that nobody can choose a ruling's new dice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

from service.dice.values import RollName
from service.rules.kernel.messages import Event, Refused
from service.rules.kernel.records import record
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.values import LaneNumber, Ordinal, StreamName
from service.rules.table.lines import RedirectedStream
from service.rules.table.table import Table

TABLE_DICE_3: Final = Rule(
    "TABLE-DICE-3", "A proposed line never shows a die that the line as played could still throw.", RULING
)
TABLE_DICE_2: Final = Rule(
    "TABLE-DICE-2",
    "A line that continues another keeps its dice; a stream that differs draws from an unused epoch.",
    RULING,
)


@record
class StreamRedirected(Event[Table]):
    """A roll differs from the old line's, so its stream draws from another epoch until this one closes."""

    type: ClassVar[str] = "stream_redirected"
    decides: ClassVar[str] = "epoch"
    lane: LaneNumber
    stream: StreamName
    epoch: Ordinal
    """The epoch of the roll that differs."""
    to: Ordinal
    """The epoch from which the stream draws instead."""
    before: Ordinal
    """Rolls of the stream in that epoch so far."""

    def evolve(self, state: Table) -> Table:
        redirected = RedirectedStream(epoch=self.to, before=self.before)
        return state.stream_redirected(self.lane, self.stream, redirected)


def kept(
    state: Table, name: RollName, purpose: Mapping[str, Any], sides: Sequence[int], *, grows: bool
) -> RollName:
    """Return the name of a roll that would be *name* if this line continued no other.

    No die is read, because an audit must derive the same name while the link of the epoch is undisclosed.
    """
    line = state.line
    while line is not None and not line.keeps(name, purpose, sides, grows=grows):
        name = state.drawn(name.lane, name.stream, line.beyond(name.epoch))
    return name


def check_shown(state: Table, name: RollName, sides: Sequence[int]) -> None:
    """Raise `Refused` if a proposed line would show dice of *name* that the old line may still throw."""
    if state.draft and state.line is not None and not state.line.has_shown(name, sides):
        raise not_shown()


@enforces(TABLE_DICE_3)
def not_shown() -> Refused:
    """Return the refusal of dice that the line as played could still throw."""
    detail = "the line as played may still throw the next dice of this roll; undo, and play it"
    return Refused("dice_not_shown", detail, "TABLE-DICE-3")


@enforces(TABLE_DICE_2)
def redirected(before: RollName, now: RollName) -> Any:  # noqa: ANN401 - an event of any table
    """Return the event of a stream that draws from another epoch than before."""
    return StreamRedirected(
        lane=now.lane,
        stream=now.stream,
        epoch=before.epoch,
        to=now.epoch,
        before=now.place,
        because=("TABLE-DICE-2",),
    )
