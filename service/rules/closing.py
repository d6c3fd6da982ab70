"""Close epochs and encounters: the facts that disclose what the dice were derived from.

A link is disclosed when its round ends and at nobody's request, in order. The seed of lane 0 is disclosed
when the encounter closes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from service.rules.chance import OPEN_LANE, Chance
from service.rules.messages import Command, Event, Offer, Refused, Tale
from service.rules.records import EMPTY, changed, record
from service.rules.rulebook import rule
from service.rules.stack import Awaited, Frame, Stacks
from service.rules.table import GM, Table


@record
class EpochClosed(Event[Table]):
    """The dice of an epoch are over: its link is disclosed, and from here on another key is used."""

    type: ClassVar[str] = "epoch_closed"
    lane: int
    epoch: int
    link: str

    def evolve(self, state: Table) -> Table:
        if self.epoch != state.epoch:
            return state
        return changed(state, epoch=state.epoch + 1, places=EMPTY)


@record
class EncounterClosed(Event[Table]):
    """The encounter is over: nothing follows, and the seed of its open dice is disclosed."""

    type: ClassVar[str] = "encounter_closed"
    lane: int
    seed: str

    def evolve(self, state: Table) -> Table:
        return changed(state, closed=True, stacks=Stacks())


@rule("TABLE-EPOCH-1", "service ruling")
def close_epoch(state: Table, chance: Chance) -> Tale[Any]:
    """When a round ends the link of its dice is disclosed, in order and at nobody's request."""
    link = chance.dice.link(OPEN_LANE, state.epoch)
    return (yield EpochClosed(lane=OPEN_LANE, epoch=state.epoch, link=link.hex(), because=("TABLE-EPOCH-1",)))


@record
class ClosingFrame(Frame[Table]):
    """Discloses the seed: the last step of an encounter."""

    kind: ClassVar[str] = "closing"

    def waiting(self, state: Table) -> tuple[Awaited, ...]:
        return ()

    def advance(self, state: Table, chance: Chance) -> Tale[Table]:
        lane = next(lane for lane in state.dice.lanes if lane.lane == OPEN_LANE)
        seed = chance.dice.link(OPEN_LANE, lane.n).hex()
        return (yield EncounterClosed(lane=OPEN_LANE, seed=seed, because=("TABLE-CLOSE-1",)))


@record
class ClosingBegun(Event[Table]):
    """The GM ends the encounter; what was unfinished stays unfinished."""

    type: ClassVar[str] = "closing_begun"
    reason: str

    def evolve(self, state: Table) -> Table:
        return changed(state, stacks=Stacks(table=(ClosingFrame(path="closing"),)))


@rule("TABLE-CLOSE-1", "service ruling")
@record
class CloseEncounter(Command[Table]):
    """Close the encounter: disclose the seed of its dice and accept nothing more."""

    type: ClassVar[str] = "close"
    reason: str = ""

    def check(self, view: Table) -> None:
        if self.by.role != GM:
            raise Refused("not_gm", f"{self.by.seat} is not the gm", "TABLE-CLOSE-1")

    def decide(self, state: Table) -> Tale[Table]:
        return (yield ClosingBegun(reason=self.reason, because=("TABLE-CLOSE-1",)))

    @classmethod
    def offers(cls, view: Table, awaited: Awaited) -> Iterator[Offer]:
        yield from ()
