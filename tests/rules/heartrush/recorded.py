"""Play a campaign down to its bytes, with the dice of a chain, so that it can be audited."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from service.record.commit import event_of, load_commit
from service.rules.heartrush import HEARTRUSH
from service.rules.ruleset import Refusal
from tests.random_play.situations import met
from tests.rules.heartrush.campaign import Campaign
from tests.support.recorded_fight import Record


@dataclass
class Recorded(Campaign):
    """A campaign whose requests and commits are kept."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.record = Record(HEARTRUSH, self.seed)

    def open(self) -> Recorded:
        """Open the campaign with the anchors of its chain."""
        refusal = self.attempt("open", "gm", self.record.opening(self.opening()))
        assert refusal is None, f"seed {self.seed}: {refusal}"
        return self

    def close(self) -> None:
        """Close the encounter, so that every link is disclosed."""
        refusal = self.attempt("close", "gm", {"reason": "enough"})
        assert refusal is None, f"seed {self.seed}: {refusal}"

    def attempt(self, type_: str, seat: str, data: Mapping[str, Any]) -> Refusal | None:
        """Send a command as a request; what is written is the record."""
        before = self.state
        refusal = self.record.send(type_, seat, data)
        self.commands += 1
        told = load_commit(self.record.written[-1].raw).events
        facts = [event_of(HEARTRUSH, event) for event in told if "sealed" not in event]
        self.hold(self.record.folded.state, facts)
        if refusal is None:
            self.done[type_] += 1
            self.met.update(met(before, self.state, seat, type_))
        return refusal
