"""Keep the record of a fight that a test plays: requests, commits and seals, with the dice of a chain.

Whoever plays sends commands here instead of deciding them; what is written can be audited and folded again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final, Generic, TypeVar

from service.audit.evidence import Evidence
from service.audit.report import Report
from service.audit.verdict import VALID_UNSIGNED
from service.audit.verify import verify
from service.core.decide import DecidedCommit, FoldedState, decide_request, unfolded
from service.record.commit import Commit, Request, dump_request, fold_commit, load_commit
from service.record.digest import ruleset_digest
from service.rules.kernel.codec import from_data, to_data
from service.rules.kernel.messages import Actor
from service.rules.rolls.seeding import Seeding
from service.rules.ruleset import Refusal, Ruleset
from service.rules.table.table import Table
from service.stores.secrets import EncounterSecrets
from tests.support.tiny_table import eid

EPOCHS: Final = 512
AT: Final = "2026-01-02T03:04:05.000Z"

S = TypeVar("S", bound=Table)


class Record(Generic[S]):
    """Everything that is stored of one encounter, with seeds that follow from a number."""

    def __init__(
        self, ruleset: Ruleset[S], seed: int, epochs: int = EPOCHS, encounter: str | None = None
    ) -> None:
        self.ruleset = ruleset
        self.encounter = encounter or eid()
        self.requests: list[bytes] = []
        self.written: list[DecidedCommit[S]] = []
        self.stamp: Callable[[int], tuple[str, str]] = lambda n: (AT, f"{n:032x}")
        """Gives the time and the nonce of the nth request."""
        drawn = seed.to_bytes(32, "big")
        self.secrets = EncounterSecrets(self.encounter, {0: drawn}, {0: epochs}, drawn[::-1])

    @property
    def folded(self) -> FoldedState[S]:
        """Where the encounter stands."""
        return self.written[-1].folded if self.written else unfolded(self.encounter, self.ruleset)

    def opening(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the data of the command that opens the encounter with *given*."""
        return {
            "encounter": self.encounter,
            "edition": self.ruleset.edition,
            "digest": ruleset_digest(self.ruleset),
            "dice": to_data(self.secrets.setup(from_data(Seeding, given.get("seeding", {})))),
            "opening": given,
        }

    def send(self, type_: str, seat: str, data: Mapping[str, Any]) -> Refusal | None:
        """Decide a command as a request and keep what is written; return why it is refused, if it is."""
        n = len(self.written) + 1
        seats = self.folded.state.seats
        actor = Actor(seat=seat, role=seats[seat].role if seat in seats else "gm")
        at, nonce = self.stamp(n)
        raw = dump_request(self.signed(Request(self.encounter, type_, at, nonce, actor, data)))
        written = decide_request(self.ruleset, self.folded, raw, n, self.secrets)
        self.requests.append(raw)
        self.written.append(written)
        paths = [frame.path for frame in self.folded.state.stacks.table]
        assert len(set(paths)) == len(paths), f"two steps under way have one path: {paths}"
        return self._refusal(written)

    def signed(self, request: Request) -> Request:
        """Return *request* as it is sent; a subclass may sign it."""
        return request

    def _refusal(self, written: DecidedCommit[S]) -> Refusal | None:
        """Return what the commit tells of a refusal, be it inside an envelope."""
        answer = load_commit(written.raw).refusal
        for _, lies in written.sealed:
            answer = answer or json.loads(lies.payload).get("refusal")
        return Refusal(code=answer["code"], detail=answer["detail"], rule=answer["rule"]) if answer else None

    def commits(self) -> list[Commit]:
        """Return the commits as they are stored."""
        return [load_commit(written.raw) for written in self.written]

    def evidence(self) -> Evidence:
        """Return everything that was written, as an audit gathers it."""
        opened = {(written.n, index): lies for written in self.written for index, lies in written.sealed}
        return Evidence(
            encounter=self.encounter,
            requests=self.requests,
            commits=[written.raw for written in self.written],
            opened=opened,
            count=len(self.written),
            head=self.written[-1].hash,
        )

    def audited(self) -> Report:
        """Return what an audit of the record says."""
        return verify(self.evidence(), {self.ruleset.edition: self.ruleset})

    def must_be_sound(self) -> None:
        """Fail unless the record audits valid and folds to the state as decided."""
        verdict = self.audited().verdict
        assert verdict.name == VALID_UNSIGNED, verdict
        assert self.folded_again() == self.folded.state, "the record folds otherwise"

    def folded_again(self) -> S:
        """Return the state that folding the written bytes gives."""
        state = self.ruleset.blank
        for written in self.written:
            payloads = {index: json.loads(lies.payload) for index, lies in written.sealed}
            state = fold_commit(self.ruleset, state, load_commit(written.raw), payloads)
        return state
