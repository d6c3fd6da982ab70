"""Connect to a service: open and list encounters, read its rulebooks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Self, cast

import requests

from rewound_client import shapes
from rewound_client.encounter import Table
from rewound_client.owner import Owner
from rewound_client.transport import Json, Query, RetryPolicy, Transport


class Rewound(Owner):
    """A service at *address*; *token* is an API key or a seat token. Close it, or use it in a `with`.

    Make one for each thread: its connections are reused by every `Table` that it returns.
    """

    def __init__(
        self,
        address: str,
        token: str,
        *,
        retry_policy: RetryPolicy | None = None,
        session: requests.Session | None = None,
    ) -> None:
        self._session = session or requests.Session()
        super().__init__(Transport(address, token, self._session, retry_policy or RetryPolicy()), "/v1")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections."""
        self._session.close()

    def open(self, opening: Mapping[str, Any], *, key: str | None = None) -> Table:
        """Open an encounter and return it as its gm sees it; *key* is the idempotency key."""
        return self.encounter(self._done("POST", "/encounters", dict(opening), key=key)["encounter"])

    def encounter(self, encounter: str) -> Table:
        """Return the encounter with this id, without a request."""
        return Table(self._transport, encounter)

    def encounters(
        self, *, status: str | None = None, edition: str | None = None, ruleset: str | None = None
    ) -> Iterator[shapes.EncountersEncounter]:
        """Yield your encounters, newest first: all, or those of a status, an edition or a ruleset."""
        query: Query = {"status": status, "edition": edition, "ruleset": ruleset}
        yield from self._pages("/encounters", "encounters", query)

    def rulesets(self) -> list[shapes.RulesetsRuleset]:
        """Return the editions that the service supports."""
        return cast("list[shapes.RulesetsRuleset]", self._get("/rulesets")["rulesets"])

    def ruleset(self, edition: str) -> shapes.Ruleset:
        """Return an edition with its house options."""
        return cast("shapes.Ruleset", self._get(f"/rulesets/{edition}"))

    def rule(self, edition: str, rule: str) -> shapes.Rule:
        """Return a rule's statement, and its place in the books."""
        return cast("shapes.Rule", self._get(f"/rulesets/{edition}/rules/{rule}"))

    def commands(self, edition: str) -> shapes.CommandTypes:
        """Return every command of an edition, with its schema."""
        return cast("shapes.CommandTypes", self._get(f"/rulesets/{edition}/commands"))

    def edition_contract(self, edition: str) -> str:
        """Return the OpenAPI document of an edition, for generators."""
        raw = self._transport.get(f"{self.path}/rulesets/{edition}/openapi.yaml")
        assert isinstance(raw, bytes), "YAML is not a JSON document"
        return raw.decode()

    def call(self, method: str, path: str, data: object = None) -> Json:
        """Send any other request of the API; *path* is below `/v1`. Return the answer's body."""
        return self._done(method, path, data)
