"""Define the report of an audit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from service.audit.signatures import UNSIGNED, Signed
from service.audit.verdict import Counts, Finding, Verdict
from service.rules.table.table import DiceSetup

NOT_COMPARED: Final = "not_compared"
EQUAL: Final = "equal"
DIFFERENT: Final = "different"


@dataclass(frozen=True, slots=True)
class RuledLine:
    """A ruling, an undo or a redo that was accepted: where the record goes on, and what it took back."""

    line: str
    n: int
    """The number of its first commit."""
    kind: str
    by: str
    """The seat that ruled; empty if the request is withheld."""
    decision: str
    """The decision, or the reason, in the words of who ruled."""
    parent: str
    took_back: tuple[int, int] | None
    """The first and last commit of play of the earlier line that it took back; None if it took none."""
    drawn_anew: int
    """How many streams of dice were drawn anew after it, because a roll differed from the one taken back."""


@dataclass(frozen=True, slots=True)
class Report:
    """An audit's result: the verdict, how far it reached, by which code, and the counts."""

    encounter: str
    verdict: Verdict
    counts: Counts
    head: str | None = None
    root: str | None = None
    edition: str | None = None
    digest_recorded: str | None = None
    """The ruleset's digest when the encounter opened."""
    digest_recomputed: str | None = None
    epochs: Mapping[int, int] | None = None
    """The last disclosed epoch of each lane."""
    decided: tuple[int, int] | None = None
    """The first and the last commit that were decided again."""
    findings: tuple[Finding, ...] = ()
    signed: Signed = UNSIGNED
    key_was_given: bool = False
    """Whether the caller named trusted keys."""
    receipts: int = 0
    """The number of receipts that were compared."""
    setup: DiceSetup | None = None
    """How the dice are derived, as commit 1 published it."""
    links: Mapping[tuple[int, int], bytes] | None = None
    """The last disclosed link of each lane, which determines all earlier ones."""
    decisions: tuple[Mapping[str, Any], ...] = ()
    """What people decided outside the rules (see `decisions_of`)."""
    seat_keys: tuple[Mapping[str, Any], ...] = ()
    """Every key that a seat had (see `keys_of`)."""
    unseen: tuple[Mapping[str, Any], ...] = ()
    """What came between the heads that seats signed on and their commands (see `unseen`)."""
    lines: tuple[RuledLine, ...] = ()
    """The lines of play by which the fight went on, in the order in which they were ruled."""
    signed_sizes: tuple[int, ...] = ()
    """Of each line of play of the fight, in its order: the size of the greatest signed head that holds."""
    as_fork: Verdict | None = None
    """Of a fork without its parent: the verdict if the parent is given and proves its first state."""
    seats: tuple[Mapping[str, Any], ...] | None = None
    winner: str | None = None
    """Who won; None if nobody did, if the fight is not over, or if no rule was applied."""
    live_state: str = NOT_COMPARED
    """How the stored state compares with the record: `equal`, `different` or `not_compared`."""
