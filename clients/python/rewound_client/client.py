"""Come to a service: open encounters, find them again, read its rulebooks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Self, cast

import requests

from rewound_client.encounter import Table
from rewound_client.owner import Owner
from rewound_client.shapes import Json
from rewound_client.transport import Patience, Transport


class Rewound(Owner):
    """A service at *address*, for the holder of an API key or a seat token; close it, or use it as a context.

    One for each thread: its connections are kept and shared by everything that comes of it.
    """

    def __init__(
        self,
        address: str,
        token: str,
        *,
        patience: Patience | None = None,
        session: requests.Session | None = None,
    ) -> None:
        self._session = session or requests.Session()
        super().__init__(Transport(address, token, self._session, patience or Patience()), "/v1")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give all connections back."""
        self._session.close()

    def open(self, opening: Mapping[str, Any], *, key: str | None = None) -> Table:
        """Open an encounter and return it as its gm sees it; the same *key* finds the same one again."""
        return self.encounter(self._done("POST", "/encounters", dict(opening), key=key)["encounter"])

    def encounter(self, encounter: str) -> Table:
        """Return the encounter of that id; nothing is asked yet."""
        return Table(self._transport, encounter)

    def encounters(self) -> Iterator[Json]:
        """Yield your encounters, the newest first, page by page."""
        yield from self._pages("/encounters", "encounters", {})

    def rulesets(self) -> list[Json]:
        """Return the editions that are played here."""
        return cast("list[Json]", self._get("/rulesets")["rulesets"])

    def ruleset(self, edition: str) -> Json:
        """Return an edition with its house options."""
        return self._get(f"/rulesets/{edition}")

    def rule(self, edition: str, rule: str) -> Json:
        """Return a rule's statement, and where it stands in the books."""
        return self._get(f"/rulesets/{edition}/rules/{rule}")

    def commands(self, edition: str) -> Json:
        """Return every command of an edition with its schema."""
        return self._get(f"/rulesets/{edition}/commands")

    def call(self, method: str, path: str, data: object = None) -> Json:
        """Ask for anything else that the contract has, under `/v1`."""
        return self._done(method, path, data)
