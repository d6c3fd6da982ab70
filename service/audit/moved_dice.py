"""Check who moved the dice: the clock never does, and a command that was signed before throws none.

Who knows the coming dice can choose among them by advancing the epoch. So only the gm advances it by hand,
and no die falls for a command whose seat had not seen the advance. The check needs no rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from service.audit.beginnings import repeated
from service.audit.contents import Payloads, RollPlace, place_of, rolls_of
from service.audit.verdict import DICE_MOVED, FORGED_COMMAND, Fault, Verdict
from service.record.commit import ACCEPTED, SEALED, Commit, Request
from service.rules.contests.acceptance import AcceptLine, LineAccepted
from service.rules.rolls.epochs import EpochAdvanced
from service.rules.table.table import CLOCK

CLOCK_COMMANDS: Final = frozenset((AcceptLine.type,))
"""What the service itself may send."""

Shown = dict[RollPlace, int]
"""The number of dice that each roll had so far, by its name."""


def check_moved_dice(
    commits: Sequence[Commit], requests: Sequence[Request | None], payloads: Payloads
) -> None:
    """Raise `Fault` for a command of the clock that only people give, and for dice of an outdated command.

    What a line repeats was signed in the line before, so none of it is outdated.
    """
    moved_in, exempt = 0, repeated(commits)
    shown: Shown = {}
    for commit, request in zip(commits, requests, strict=False):
        is_new = _throws(commit, payloads, shown)
        if request is not None:
            if request.actor.seat == CLOCK and request.type not in CLOCK_COMMANDS:
                detail = f"the service itself sends no {request.type}"
                raise Fault(Verdict(FORGED_COMMAND, commit.n, detail))
            if request.actor.seat == CLOCK and _is_forged(commit):
                raise Fault(Verdict(FORGED_COMMAND, commit.n, "the service itself only accepts lines"))
            signed = request.signed
            if signed is not None and signed.n < moved_in and is_new and commit.n not in exempt:
                detail = (
                    f"{request.actor.seat} signed it on commit {signed.n}, commit {moved_in} moved the dice, "
                    "and it throws some"
                )
                raise Fault(Verdict(DICE_MOVED, commit.n, detail))
        if any(event.get("type") == EpochAdvanced.type for event in commit.events):
            moved_in = commit.n


def _is_forged(commit: Commit) -> bool:
    """Return whether a command of the service does something else than accept a line."""
    accepts = bool(commit.events) and commit.events[0].get("type") == LineAccepted.type
    return commit.outcome in (ACCEPTED, SEALED) and not accepts


def _throws(commit: Commit, payloads: Payloads, shown: Shown) -> bool:
    """Return whether *commit* has a seeded die that no earlier commit shows; enter its rolls into *shown*."""
    is_new = False
    for roll in rolls_of(commit, payloads):
        place, many = place_of(roll), len(roll["dice"])
        is_new = is_new or (roll["source"] == "seeded" and many > shown.get(place, 0))
        shown[place] = max(many, shown.get(place, 0))
    return is_new
