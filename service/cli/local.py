"""Play an encounter inside this process: no store, no service, the very code that workers decide with.

Its secrets are drawn for this one telling and never leave it.
"""

from __future__ import annotations

from collections.abc import Mapping
from secrets import token_hex
from typing import Any, Final
from uuid import uuid4

from service.cli.script import BadScript
from service.encounter import openings, play
from service.encounter.commit import Commit, Request, dump_request, load_commit
from service.encounter.decider import Written, decide_request, unfolded
from service.encounter.fold import Shelf
from service.encounter.secrets import EncounterSecrets
from service.rules.codec import to_data
from service.rules.messages import Actor
from service.rules.table import GM

_AT: Final = "2000-01-01T00:00:00.000Z"
"""When all of it happens: time is no input to a rule."""

Decided = tuple[Commit, Mapping[int, bytes]]
"""A commit, and what lies in its envelopes."""


class LocalTable:
    """One encounter that is played here."""

    def __init__(self, shelf: Shelf, opening: Mapping[str, Any]) -> None:
        edition = opening.get("edition")
        ruleset = shelf.get(edition) if isinstance(edition, str) else None
        if ruleset is None:
            raise BadScript(f"there are no rules {edition!r}: {', '.join(shelf)}")
        self._ruleset = ruleset
        self._secrets = EncounterSecrets.create(str(uuid4()))
        self._folded = unfolded(self._secrets.encounter, ruleset)
        given = {name: value for name, value in opening.items() if name != "edition"}
        setup = to_data(self._secrets.setup())
        data = openings.opening_request(ruleset, self._secrets.encounter, setup, given)
        self.opened: Decided = self.send(GM, ruleset.opening.type, data)
        """What became of the opening."""
        if self.opened[0].refusal is not None:
            raise BadScript(f"the opening is refused: {self.opened[0].refusal['detail']}")

    def send(self, seat: str, type_: str, data: Mapping[str, Any]) -> Decided:
        """Decide a command of *seat* and return its commit."""
        role = GM if seat == GM else "player"
        request = Request(
            encounter=self._secrets.encounter,
            type=type_,
            at=_AT,
            nonce=token_hex(play.NONCE_BYTES),
            actor=Actor(seat=seat, role=role),
            data=data,
        )
        n = self._folded.n + 1
        written: Written[Any] = decide_request(
            self._ruleset, self._folded, dump_request(request), n, self._secrets
        )
        self._folded = written.folded
        return load_commit(written.raw), {index: lies.payload for index, lies in written.sealed}

    def state_data(self) -> dict[str, Any]:
        """Return the state as it is, nothing sealed: whoever tells a script knows all of it."""
        data: dict[str, Any] = to_data(self._folded.state)
        return data
