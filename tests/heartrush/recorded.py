"""Play a campaign down to its bytes, with the dice of a chain, so that it can be audited."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from service.audit.evidence import Evidence
from service.audit.verdict import Report
from service.audit.verify import verify
from service.encounter.commit import Request, dump_request, fold_commit, load_commit
from service.encounter.decider import Written, decide_request, unfolded
from service.encounter.digest import ruleset_digest
from service.encounter.secrets import EncounterSecrets
from service.rules.codec import to_data
from service.rules.heartrush import HEARTRUSH
from service.rules.heartrush.state import State
from service.rules.messages import Actor
from service.rules.ruleset import Refusal
from tests.encounter.sitting import eid
from tests.heartrush.campaign import Campaign

EPOCHS: Final = 512


@dataclass
class Recorded(Campaign):
    """A campaign whose requests and commits are kept."""

    requests: list[bytes] = field(default_factory=list)
    written: list[Written[State]] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__post_init__()
        seed = self.seed.to_bytes(32, "big")
        self.secrets = EncounterSecrets(eid(), {0: seed}, {0: EPOCHS}, seed[::-1])

    def open(self) -> Recorded:
        """Open the campaign with the anchors of its chain."""
        told = {
            "encounter": eid(),
            "edition": HEARTRUSH.edition,
            "digest": ruleset_digest(HEARTRUSH),
            "dice": to_data(self.secrets.setup),
            "opening": self.opening(),
        }
        refusal = self.attempt("open", "gm", told)
        assert refusal is None, f"seed {self.seed}: {refusal}"
        return self

    def close(self) -> None:
        """Close the encounter, so that every link is disclosed."""
        refusal = self.attempt("close", "gm", {"reason": "enough"})
        assert refusal is None, f"seed {self.seed}: {refusal}"

    def attempt(self, type_: str, seat: str, data: Mapping[str, Any]) -> Refusal | None:
        """Send a command as a request; what is written is the record."""
        n = len(self.written) + 1
        role = self.state.seats[seat].role if seat in self.state.seats else "gm"
        at = "2026-01-02T03:04:05.000Z"
        raw = dump_request(Request(eid(), type_, at, f"{n:032x}", Actor(seat=seat, role=role), data))
        folded = self.written[-1].folded if self.written else unfolded(eid(), HEARTRUSH)
        self.requests.append(raw)
        self.written.append(decide_request(HEARTRUSH, folded, raw, n, self.secrets))
        self.state = self.written[-1].state
        self.commands += 1
        told = load_commit(self.written[-1].raw).refusal
        if told is None:
            self.done[type_] += 1
            return None
        return Refusal(code=told["code"], detail=told["detail"], rule=told["rule"])

    def audited(self) -> Report:
        """Return what an audit of the record says."""
        opened = {(written.n, index): lies for written in self.written for index, lies in written.sealed}
        evidence = Evidence(
            encounter=eid(),
            requests=self.requests,
            commits=[written.raw for written in self.written],
            opened=opened,
            count=len(self.written),
            head=self.written[-1].hash,
        )
        return verify(evidence, {HEARTRUSH.edition: HEARTRUSH})

    def folded_again(self) -> State:
        """Return the state that folding the written bytes gives."""
        state: State = HEARTRUSH.blank
        for written in self.written:
            payloads = {index: json.loads(lies.payload) for index, lies in written.sealed}
            state = fold_commit(HEARTRUSH, state, load_commit(written.raw), payloads)
        return state
