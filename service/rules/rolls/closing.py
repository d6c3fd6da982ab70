"""Close epochs and encounters: the events that disclose what the dice were derived from.

Links are disclosed in order when a round ends, never on request. The open lane's link goes to all, the sealed
lane's only to auditors, because its rolls are still sealed. The seeds of both lanes are disclosed when the
encounter closes, when no roll of either is sealed any more.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from service.dice.chain import OPEN_LANE, SEALED_LANE
from service.rules.kernel.messages import Command, Emits, Event, Noted, Private, Refused, Scope
from service.rules.kernel.records import changed, record
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.sealed import EVERYTHING
from service.rules.kernel.values import (
    Code,
    DisclosedLink,
    Epoch,
    LaneNumber,
    Occasion,
    Ordinal,
    Reason,
    Seed,
)
from service.rules.rolls.chance import Chance
from service.rules.table.lines import RedirectedStream
from service.rules.table.stack import Frame, Stacks
from service.rules.table.table import GM, Lane, Table

TABLE_EPOCH_1: Final = Rule(
    "TABLE-EPOCH-1",
    "When a round ends the link of its dice is disclosed, in order and never on request.",
    RULING,
)
TABLE_EPOCH_4: Final = Rule(
    "TABLE-EPOCH-4",
    "A line that is only proposed discloses no link; due links are disclosed once it is accepted.",
    RULING,
)
TABLE_CLOSE_1: Final = Rule(
    "TABLE-CLOSE-1",
    "Close the encounter: disclose the seeds of its dice, open what was sealed, accept nothing more.",
    RULING,
)


OPEN_AT_CLOSE = "open_at_close"
"""The option of the house for what the end of an encounter opens."""

ROLLS = "roll/*"
"""The occasion that opens only what the dice need."""


LINKS = "roll/links"
"""The occasion that opens the links of the sealed lane, which auditors read; they contain no choices."""


@record
class EpochClosed(Event[Table]):
    """An epoch is over: its link is disclosed, and later rolls use another key."""

    type: ClassVar[str] = "epoch_closed"
    lane: LaneNumber
    epoch: Epoch
    link: DisclosedLink

    def evolve(self, state: Table) -> Table:
        if self.lane != OPEN_LANE:
            return state
        if self.epoch in state.undisclosed_epochs:
            due = tuple([epoch for epoch in state.undisclosed_epochs if epoch != self.epoch])
            return changed(state, undisclosed_epochs=due)
        return state.entered(state.following) if self.epoch == state.epoch else state


@record
class EpochEnded(Event[Table]):
    """An epoch ended in a line that is only proposed: its link is disclosed once the line is accepted."""

    type: ClassVar[str] = "epoch_ended"
    epoch: Epoch
    to: Ordinal
    """The epoch from which dice come now; the same one where that is the proposal's own."""
    before: Mapping[Code, Ordinal]
    """Rolls of each stream in the proposal's own epoch so far, by `lane/stream`."""

    def evolve(self, state: Table) -> Table:
        due = state.undisclosed_epochs if self.to == self.epoch else (*state.undisclosed_epochs, self.epoch)
        state = changed(state.entered(self.to), undisclosed_epochs=due)
        if state.line is None or self.to != state.line.new_epochs[-1]:
            return state
        again = {key: RedirectedStream(epoch=self.to, before=count) for key, count in self.before.items()}
        return changed(state, redirected_streams=again)


@record
class LaneDisclosed(Noted[Table]):
    """The seed of a lane was disclosed; none of its rolls is sealed any more."""

    type: ClassVar[str] = "lane_disclosed"
    lane: LaneNumber
    seed: Seed


@record
class EncounterClosed(Event[Table]):
    """The encounter is over: nothing follows, and the seed of its open dice is disclosed."""

    type: ClassVar[str] = "encounter_closed"
    lane: LaneNumber
    seed: Seed
    occasion: Occasion = EVERYTHING
    """Which envelopes it opens for all: every one, or those the dice need."""

    def evolve(self, state: Table) -> Table:
        return changed(state, closed=True, stacks=Stacks())


@enforces(TABLE_EPOCH_1)
def close_epoch(state: Table, chance: Chance) -> Emits[Any]:
    """Emit the end of an epoch of dice, with its link; a proposed line discloses none."""
    if state.draft:
        return (yield from withhold(state))
    return (yield from disclose(state, state.epoch, chance))


@enforces(TABLE_EPOCH_4)
def withhold(state: Table) -> Emits[Any]:
    """Emit the end of an epoch whose link stays undisclosed."""
    assert state.line is not None, "what is proposed goes on from another line"
    own = f"{state.line.new_epochs[-1]}/"
    before = {
        key.removeprefix(own): count
        for key, count in state.rolls_in_other_epochs.items()
        if key.startswith(own)
    }
    return (
        yield EpochEnded(epoch=state.epoch, to=state.following, before=before, because=("TABLE-EPOCH-4",))
    )


def disclose(state: Table, epoch: int, chance: Chance) -> Emits[Any]:
    """Emit the links of an epoch that is over."""
    because = ("TABLE-EPOCH-1",)
    auditors = state.auditors
    if auditors and _lane(state, SEALED_LANE) is not None:
        link = chance.dice.link(SEALED_LANE, epoch).hex()
        closed = EpochClosed(lane=SEALED_LANE, epoch=epoch, link=link, because=because)
        yield Private(scope=Scope(audience=auditors, opens=LINKS), event=closed)
    link = chance.dice.link(OPEN_LANE, epoch).hex()
    return (yield EpochClosed(lane=OPEN_LANE, epoch=epoch, link=link, because=because))


def _lane(state: Table, lane: int) -> Lane | None:
    return next((each for each in state.dice.lanes if each.lane == lane), None)


@record
class ClosingFrame(Frame[Table]):
    """Discloses the seeds: the last step of an encounter."""

    kind: ClassVar[str] = "closing"

    def advance(self, state: Table, chance: Chance) -> Emits[Table]:
        because = ("TABLE-CLOSE-1",)
        for lane in state.dice.lanes:
            if lane.lane != OPEN_LANE:
                seed = chance.dice.link(lane.lane, lane.n).hex()
                state = yield LaneDisclosed(lane=lane.lane, seed=seed, because=because)
        lane = next(lane for lane in state.dice.lanes if lane.lane == OPEN_LANE)
        seed = chance.dice.link(OPEN_LANE, lane.n).hex()
        occasion = ROLLS if state.options.get(OPEN_AT_CLOSE) == "dice" else EVERYTHING
        return (yield EncounterClosed(lane=OPEN_LANE, seed=seed, occasion=occasion, because=because))


@record
class ClosingBegun(Event[Table]):
    """The GM ended the encounter; unfinished steps stay unfinished."""

    type: ClassVar[str] = "closing_begun"
    reason: Reason
    abandoned: bool = False
    """Whether it was closed before it was played to its end."""

    def evolve(self, state: Table) -> Table:
        return changed(state, stacks=Stacks(table=(ClosingFrame(path="closing"),)))


@enforces(TABLE_CLOSE_1)
@record
class CloseEncounter(Command[Table]):
    """Close the encounter: disclose the seeds of its dice, open what was sealed, accept nothing more."""

    type: ClassVar[str] = "close"
    sentence: ClassVar[str] = "End the fight"
    reason: Reason = ""

    def check(self, view: Table) -> None:
        if self.by.role != GM:
            raise Refused("not_gm", f"{self.by.seat} is not the gm", "TABLE-CLOSE-1")
        if view.draft:
            raise Refused("line_not_accepted", "the line is proposed, not accepted", "TABLE-CLOSE-1")

    def decide(self, state: Table) -> Emits[Table]:
        return (
            yield ClosingBegun(reason=self.reason, abandoned=not state.is_over, because=("TABLE-CLOSE-1",))
        )
