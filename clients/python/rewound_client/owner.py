"""Manage what an owner has besides encounters: API keys, webhooks, imports and simulations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

from rewound_client.place import Place
from rewound_client.shapes import Json


class Owner(Place):
    """The resources of an API key's owner."""

    def api_keys(self) -> list[Json]:
        """Return your API keys, without their secrets."""
        return cast("list[Json]", self._get("/api-keys")["keys"])

    def make_api_key(
        self, name: str, *, scopes: Sequence[str] | None = None, expires_in_s: int | None = None
    ) -> Json:
        """Create an API key. Only this answer contains its secret."""
        members = {"name": name, "scopes": scopes and list(scopes), "expires_in_s": expires_in_s}
        return self._done("POST", "/api-keys", _body_of(members))

    def rotate_api_key(self, key: str, *, overlap_s: int | None = None) -> Json:
        """Create the successor of *key*; the old key stays valid for *overlap_s* seconds."""
        return self._done("POST", f"/api-keys/{key}/rotation", _body_of({"overlap_s": overlap_s}))

    def end_api_key(self, key: str) -> None:
        """Revoke an API key."""
        self._done("DELETE", f"/api-keys/{key}")

    def signing_keys(self) -> list[Json]:
        """Return the public keys with which the service signs checkpoints and certificates."""
        return cast("list[Json]", self._get("/keys")["keys"])

    def webhooks(self) -> list[Json]:
        """Return your webhooks."""
        return cast("list[Json]", self._get("/webhooks")["webhooks"])

    def add_webhook(
        self,
        url: str,
        encounter: str | None = None,
        *,
        text: str | None = None,
        format_: str | None = None,
    ) -> Json:
        """Have every commit (of *encounter*, if given) posted to *url*. Only this answer has the `secret`.

        With *text* `"en"` messages also say in words what happened; the format `"discord"` says nothing else.
        """
        return self._done(
            "POST",
            "/webhooks",
            _body_of({"url": url, "encounter": encounter, "text": text, "format": format_}),
        )

    def webhook(self, webhook: str) -> Json:
        """Return one webhook."""
        return self._get(f"/webhooks/{webhook}")

    def change_webhook(self, webhook: str, **more: str) -> Json:
        """Change a webhook's `url`, or its `state`: `active` resumes a disabled webhook."""
        return self._done("PATCH", f"/webhooks/{webhook}", more)

    def end_webhook(self, webhook: str) -> None:
        """Delete a webhook."""
        self._done("DELETE", f"/webhooks/{webhook}")

    def deliveries(self, webhook: str) -> Iterator[Json]:
        """Yield past and pending deliveries, page by page."""
        yield from self._pages(f"/webhooks/{webhook}/deliveries", "deliveries", {})

    def retry_delivery(self, webhook: str, delivery: str) -> Json:
        """Retry a delivery now."""
        return self._done("POST", f"/webhooks/{webhook}/deliveries/{delivery}/retry", {})

    def take_bundle(self, bundle: bytes, *, keys: Iterable[str] = (), wait_s: float = 60) -> Json:
        """Import an encounter that was played elsewhere; return the import, `done` or `failed`.

        With *keys* the service refuses it unless one of them signed the last commit. Raises `NotDone` after
        *wait_s* seconds.
        """
        given = ",".join(keys)
        query = {"key": given} if given else {}
        return self._job("/bundles", bundle, "import", wait_s, query)

    def imports(self) -> Iterator[Json]:
        """Yield your imports, newest first, page by page."""
        yield from self._pages("/bundles", "imports", {})

    def import_(self, import_: str) -> Json:
        """Return an import with its current status."""
        return self._get(f"/bundles/{import_}")

    def simulate(self, opening: Mapping[str, Any], *, wait_s: float = 60, **more: object) -> Json:
        """Let bots play an opening and return the results; *more* are `times`, `seed` and the limits.

        Raises `NotDone` after *wait_s* seconds.
        """
        return self._job("/simulations", {"opening": dict(opening), **more}, "simulation", wait_s)

    def simulation(self, simulation: str) -> Json:
        """Return a simulation with its current status."""
        return self._get(f"/simulations/{simulation}")


def _body_of(members: Json) -> Json:
    return {name: value for name, value in members.items() if value is not None}
