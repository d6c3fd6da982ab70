"""Derive the state with which a fork begins, and its sealed values."""

from __future__ import annotations

from service.core.continuation import ContinuationReader
from service.rules.contests.continuing import SealedValues, split_sealed
from service.rules.kernel.records import EMPTY, changed
from service.rules.kernel.sealed import resealed
from service.rules.table.lines import Origin
from service.rules.table.seeds import Sealing
from service.rules.table.table import GM, Seat, Table


def fork_state(state: Table) -> Table:
    """Return the state with which a fork begins, without what identifies the encounter."""
    return changed(
        resealed(state, (f"seat:{GM}",)),  # its GM is its maker, who may open all of it
        seats={GM: Seat(role=GM, tokens=1)},  # any name is free for a new seat
        sealing=Sealing(),
        line=None,
        redirected_streams=EMPTY,
        rolls_in_other_epochs=EMPTY,
        dice_moved_in=0,
        last_exposed_epoch=0,
        draft=False,
        undisclosed_epochs=(),
        seats_by_command=EMPTY,
        amendment=None,
        stopped=None,
    )


def sealed_fork_values(reading: ContinuationReader, origin: Origin) -> tuple[SealedValues, ...]:
    """Return the sealed values of the state with which a fork begins."""
    return split_sealed(fork_state(reading.folder.at(origin.parent, origin.n).state))[1]
