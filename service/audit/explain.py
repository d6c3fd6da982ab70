"""Find the rules that took part in a decision: decide it again, and record what is called.

The chain of rules is not in the record, so extracting a helper function changes no hash. It is computed by
running the same code on the same state and the logged dice. A decision that comes out differently has no
chain because an earlier build of the rules made it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from service import frames
from service.core.continuation import sealed_values_in
from service.core.decide import FoldedState, decide_request
from service.record.commit import Commit, load_commit
from service.rules.kernel.naming import Mark
from service.rules.kernel.records import changed
from service.rules.kernel.rulebook import MARKS
from service.rules.table.table import Table

T = TypeVar("T")

_SALT: Final = bytes(32)

MOST_WATCHED: Final = 2_000_000
"""The most calls and returns that are watched for one request; the largest movements have about as many."""
MOST_STEPS: Final = 50_000
"""The most steps of a chain that is given to one request."""


@dataclass(frozen=True)
class ExplainedStep:
    """A rule that took part, and the number of marked functions that ran around it."""

    rule: str
    depth: int


class NotLogged(Exception):
    """Deciding again asks for dice that the commit does not contain."""


class LoggedDice:
    """The dice of one commit, as it records them."""

    def __init__(self, commit: Commit, payloads: Mapping[int, bytes]) -> None:
        opened = [json.loads(raw) for raw in payloads.values()]
        rolls = [*commit.rolls, *(roll for payload in opened for roll in payload["rolls"])]
        self._rolls = {_place(roll["name"]): roll["dice"] for roll in rolls}
        self._events = commit.events

    def faces(self, lane: int, epoch: int, stream: str, place: int, sides: Sequence[int]) -> tuple[int, ...]:
        """Return the faces that were logged; raises `NotLogged`."""
        # A roll that gains dice is requested in steps; each request is a prefix of the logged dice.
        dice = self._rolls.get((lane, epoch, stream, place), [])[: len(sides)]
        if [die["sides"] for die in dice] != list(sides):
            raise NotLogged(stream)
        return tuple(die["face"] for die in dice)

    def link(self, lane: int, epoch: int) -> bytes:
        """Return the link or seed that the commit discloses; raises `NotLogged`."""
        for event in self._events:
            if event.get("lane") == lane and ("seed" in event or event.get("epoch") == epoch):
                return bytes.fromhex(event["seed"] if "seed" in event else event["link"])
        raise NotLogged(f"link {epoch} of lane {lane}")


class _RecordedDice:
    """The secrets for deciding again: logged dice, and a constant salt."""

    def __init__(self, dice: LoggedDice) -> None:
        self._dice = dice

    def dice_for(self, table: Table) -> LoggedDice:  # noqa: ARG002 - the table's setup is not needed
        """Return the logged dice."""
        return self._dice

    def salt(self, request: bytes, n: int, index: int) -> bytes:  # noqa: ARG002 - one salt will do
        """Return a constant salt because `chain` does not compare commitments."""
        return _SALT


class ChainTooLong(Exception):
    """Tracing the decision takes more work than one request may."""

    def __init__(self) -> None:
        super().__init__(
            f"to trace the command takes more than {MOST_WATCHED:,} calls, or its chain has more than "
            f"{MOST_STEPS:,} steps"
        )


def chain(
    before: FoldedState[Any],
    raw_request: bytes,
    commit: Commit,
    payloads: Mapping[int, bytes],
    *,
    is_bounded: bool = True,
) -> list[ExplainedStep]:
    """Return the rules that took part in deciding *commit*, in call order.

    *before* is the state before the commit, *payloads* are the payloads of its envelopes by index. Empty if
    deciding again gives another result. Raises `ChainTooLong` if it *is_bounded*.
    """
    before = changed(before, encounter=commit.encounter)  # a line's record has the commits of earlier lines
    signing_memory = _RecordedDice(LoggedDice(commit, payloads))
    kept = sealed_values_in(commit, {index: json.loads(raw) for index, raw in payloads.items()})
    try:
        written, steps = watched(
            lambda: decide_request(
                before.ruleset, before, raw_request, commit.n, signing_memory, lambda _origin: kept
            ),
            is_bounded=is_bounded,
        )
    except NotLogged:
        return []
    return steps if _alike(load_commit(written.raw), commit) else []


def watched(work: Callable[[], T], *, is_bounded: bool = False) -> tuple[T, list[ExplainedStep]]:
    """Call *work*; return its result and every rule that took part, in call order.

    Raises `ChainTooLong` if it *is_bounded*.
    """
    steps: list[ExplainedStep] = []

    def heard(mark: Mark, depth: int) -> None:
        steps.extend([ExplainedStep(rule, depth) for rule in mark.rules])
        if is_bounded and len(steps) > MOST_STEPS:
            raise frames.TooMuchToWatch

    try:
        found = frames.watched(work, MARKS, heard, MOST_WATCHED if is_bounded else None)
    except frames.TooMuchToWatch:
        raise ChainTooLong from None
    if is_bounded and len(steps) > MOST_STEPS:
        raise ChainTooLong
    return found, steps


def _alike(one: Commit, other: Commit) -> bool:
    """Return whether two commits are equal except for the commitments of their envelopes."""
    return (one.outcome, one.rolls, one.refusal, _open(one)) == (
        other.outcome,
        other.rolls,
        other.refusal,
        _open(other),
    )


def _open(commit: Commit) -> list[dict[str, Any]]:
    """Return the events of *commit*, with envelopes stripped of their commitments."""
    return [
        {name: value for name, value in event.items() if name != "sealed"} if "sealed" in event else event
        for event in commit.events
    ]


def _place(name: Mapping[str, Any]) -> tuple[int, int, str, int]:
    return name["lane"], name["epoch"], name["stream"], name["place"]
