"""Sit down to a tiny game: fixed ids, times, nonces and seeds, decided in this process without a store.

Everything that differs between two runs of the service is counted here, so two sittings with the same moves
have the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from service.audit.signing import Signer
from service.core.decide import DecidedCommit, FoldedState, decide_request, unfolded
from service.record.commit import Batch, Request, dump_request
from service.rules.kernel.codec import from_data, to_data
from service.rules.kernel.messages import Actor
from service.rules.kernel.records import EMPTY
from service.rules.rolls.seeding import Seeding
from service.stores.secrets import EncounterSecrets
from tests.support.tiny_game import EDITION, TINY, TinyState

KEY = bytes(32)
SIGNER = Signer("rewound.example", bytes(range(32)))
GM = Actor(seat="gm", role="gm")


def eid(number: int = 1) -> str:
    """Return the id of the *number*th encounter."""
    return str(UUID(int=number))


def player(seat: str) -> Actor:
    """Return a player's seat as an actor."""
    return Actor(seat=seat, role="player")


def secrets_of(encounter: str) -> EncounterSecrets:
    """Return secrets that follow from the id, with a chain short enough to be walked in no time."""
    seed = UUID(encounter).bytes * 2
    return EncounterSecrets(encounter, {0: seed, 1: bytes(16) + seed[:16]}, {0: 64, 1: 64}, seed[::-1])


def request(
    n: int,
    type_: str,
    data: Mapping[str, Any],
    by: Actor = GM,
    encounter: str | None = None,
    batch: Batch | None = None,
) -> bytes:
    """Return the bytes of the *n*th request, to the first encounter if no other is named."""
    at = f"2026-01-02T{n // 3600:02}:{n // 60 % 60:02}:{n % 60:02}.000Z"
    return dump_request(Request(encounter or eid(), type_, at, f"{n:032x}", by, data, batch))


def opening(encounter: str, data: Mapping[str, Any] = EMPTY) -> bytes:
    """Return the bytes of the request that opens *encounter*."""
    seeding = from_data(Seeding, data.get("seeding", {}))
    setup = to_data(secrets_of(encounter).setup(seeding))
    found = {"encounter": encounter, "edition": EDITION, "digest": "0" * 64, "dice": setup, **data}
    return request(1, "open", found, encounter=encounter)


@dataclass
class Sitting:
    """One encounter that is played here: its requests and what was written for each."""

    encounter: str = field(default_factory=eid)
    requests: list[bytes] = field(default_factory=list)
    written: list[DecidedCommit[TinyState]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.secrets = secrets_of(self.encounter)

    @property
    def folded(self) -> FoldedState[TinyState]:
        """Where the encounter stands."""
        return self.written[-1].folded if self.written else unfolded(self.encounter, TINY)

    @property
    def state(self) -> TinyState:
        """The state as decided."""
        return self.folded.state

    def put(self, raw: bytes) -> DecidedCommit[TinyState]:
        """Decide *raw* as the next request."""
        written = decide_request(TINY, self.folded, raw, len(self.written) + 1, self.secrets)
        self.requests.append(raw)
        self.written.append(written)
        return written

    def open(self, **data: Any) -> DecidedCommit[TinyState]:
        """Open the encounter."""
        return self.put(opening(self.encounter, data))

    def do(
        self,
        type_: str,
        by: Actor = GM,
        /,
        batch: Batch | None = None,
        **data: Any,
    ) -> DecidedCommit[TinyState]:
        """Send the next command."""
        n = len(self.written) + 1
        return self.put(request(n, type_, data, by, self.encounter, batch))
