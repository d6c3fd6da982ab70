"""Play an encounter in this process, without a store or a service, by the code with which workers decide.

Its secrets never leave the process. They are random, or derived from a seed; then the whole fight follows
from the seed and the commands.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final
from uuid import UUID, uuid4

from service.core.decide import DecidedCommit, decide_request, unfolded
from service.core.fold import Registry
from service.dice.chain import LANES
from service.record.commit import Commit, Request, dump_request, load_commit
from service.rules.kernel.codec import to_data
from service.rules.kernel.messages import Actor
from service.rules.table.table import GM, Table
from service.stores.secrets import EncounterSecrets
from service.usecases import openings

EPOCHS: Final = 4096
SERVER: Final = "server"
_AT: Final = "2000-01-01T00:00:00.000Z"
"""The time of every request; it is constant because no rule uses time."""
_LABEL: Final = b"rewound/simulation/1\x00"

Decided = tuple[Commit, Mapping[int, bytes]]
"""A commit, and the payloads of its envelopes by index."""


class BadOpening(ValueError):
    """The opening is not valid; the message says why."""


def secrets_of(seed: str) -> EncounterSecrets:
    """Return secrets derived from *seed*. Use them for experiments, never for play that people must trust."""

    def drawn(what: str) -> bytes:
        return sha256(_LABEL + f"{seed}\0{what}".encode()).digest()

    encounter = str(UUID(bytes=drawn("encounter")[:16], version=4))
    seeds = {lane: drawn(f"lane {lane}") for lane in LANES}
    return EncounterSecrets(encounter, seeds, dict.fromkeys(LANES, EPOCHS), drawn("envelopes"))


class LocalTable:
    """An encounter that is played in this process."""

    def __init__(
        self, registry: Registry, opening: Mapping[str, Any], secrets: EncounterSecrets | None = None
    ) -> None:
        edition = opening.get("edition")
        ruleset = registry.get(edition) if isinstance(edition, str) else None
        if ruleset is None:
            raise BadOpening(f"unknown edition {edition!r}; there are {', '.join(registry)}")
        if opening.get("seeding", {}).get("mode", SERVER) != SERVER:
            raise BadOpening("no seat can add to the seed here: its mode must be server")
        self.ruleset = ruleset
        self._secrets = secrets or EncounterSecrets.create(str(uuid4()))
        self._folded = unfolded(self._secrets.encounter, ruleset)
        given = {name: value for name, value in opening.items() if name != "edition"}
        setup = to_data(self._secrets.setup())
        data = openings.opening_request(ruleset, self._secrets.encounter, setup, given)
        self.opened: Decided = self.send(GM, ruleset.opening.type, data)
        """The outcome of the opening."""
        if self.opened[0].refusal is not None:
            raise BadOpening(f"the opening is refused: {self.opened[0].refusal['detail']}")

    @property
    def encounter(self) -> str:
        """The encounter's id."""
        return self._secrets.encounter

    @property
    def state(self) -> Table:
        """The current state; nothing in it is sealed."""
        state: Table = self._folded.state
        return state

    def send(self, seat: str, type_: str, data: Mapping[str, Any]) -> Decided:
        """Decide a command of *seat*; return its commit and the payloads of its envelopes."""
        role = GM if seat == GM else "player"
        n = self._folded.n + 1
        request = Request(
            encounter=self._secrets.encounter,
            type=type_,
            at=_AT,
            nonce=f"{n:032x}",
            actor=Actor(seat=seat, role=role),
            data=data,
        )
        written: DecidedCommit[Any] = decide_request(
            self.ruleset, self._folded, dump_request(request), n, self._secrets
        )
        self._folded = written.folded
        return load_commit(written.raw), {index: envelope.payload for index, envelope in written.sealed}

    def state_data(self) -> dict[str, Any]:
        """Return the current state as data; nothing is sealed, because a script's author may see all."""
        data: dict[str, Any] = to_data(self._folded.state.current())
        return data
