"""Check who moved the dice: the clock never does, and a command that was signed before throws none.

Who knows the coming dice can choose among them by advancing the epoch. So only the gm advances it by hand,
and no die falls for a command whose seat had not seen the advance. The check needs no rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from service.audit.verdict import DICE_MOVED, FORGED_COMMAND, Fault, Verdict
from service.record.commit import Commit, Request
from service.rules.contests.acceptance import AcceptLine, LineAccepted
from service.rules.contests.continuing import LineBegun
from service.rules.kernel.records import EMPTY
from service.rules.rolls.epochs import EpochAdvanced
from service.rules.table.table import CLOCK

CLOCK_COMMANDS: Final = frozenset((AcceptLine.type,))
"""What the service itself may send."""

Lying = Mapping[int, Mapping[str, Any]]
"""The payloads of a commit's opened envelopes, by their index in it."""
Shown = dict[tuple[Any, ...], int]
"""The number of dice that each roll had so far, by its name."""


def check_moved_dice(
    commits: Sequence[Commit], requests: Sequence[Request | None], payloads: Mapping[int, Lying]
) -> None:
    """Raise `Fault` for a command of the clock that only people give, and for dice of an outdated command.

    A proposed line repeats commands that were signed in the line before, so none of them is outdated.
    """
    moved_in, is_proposed = 0, False
    shown: Shown = {}
    for commit, request in zip(commits, requests, strict=False):
        is_new = _throws(commit, payloads.get(commit.n, EMPTY), shown)
        if request is not None:
            if request.actor.seat == CLOCK and request.type not in CLOCK_COMMANDS:
                detail = f"the service itself sends no {request.type}"
                raise Fault(Verdict(FORGED_COMMAND, commit.n, detail))
            signed = request.signed
            if signed is not None and signed.n < moved_in and is_new and not is_proposed:
                detail = (
                    f"{request.actor.seat} signed it on commit {signed.n}, commit {moved_in} moved the dice, "
                    "and it throws some"
                )
                raise Fault(Verdict(DICE_MOVED, commit.n, detail))
        for event in commit.events:
            match event.get("type"):
                case EpochAdvanced.type:
                    moved_in = commit.n
                case LineBegun.type:
                    is_proposed = True
                case LineAccepted.type:
                    is_proposed = False
                case _:
                    pass


def _throws(commit: Commit, lying: Lying, shown: Shown) -> bool:
    """Return whether *commit* has a seeded die that no earlier commit shows; enter its rolls into *shown*."""
    is_new = False
    rolls = [*commit.rolls, *(roll for payload in lying.values() for roll in payload["rolls"])]
    for roll in rolls:
        name = tuple(sorted(roll["name"].items()))
        many = len(roll["dice"])
        is_new = is_new or (roll["source"] == "seeded" and many > shown.get(name, 0))
        shown[name] = max(many, shown.get(name, 0))
    return is_new
