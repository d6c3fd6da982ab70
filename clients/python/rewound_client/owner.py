"""Manage what an owner has besides encounters: API keys, webhooks, imports and simulations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

from rewound_client import shapes
from rewound_client.place import Place
from rewound_client.transport import Json, Query, Request


class Owner(Place):
    """The resources of an API key's owner."""

    def api_keys(self) -> list[shapes.ApiKey]:
        """Return your API keys, without their secrets."""
        return cast("list[shapes.ApiKey]", self._get("/api-keys")["keys"])

    def make_api_key(
        self, name: str, *, scopes: Sequence[str] | None = None, expires_in_s: int | None = None
    ) -> shapes.ApiKeyWithText:
        """Create an API key. Only this answer contains its secret."""
        members = {"name": name, "scopes": scopes and list(scopes), "expires_in_s": expires_in_s}
        return cast("shapes.ApiKeyWithText", self._done("POST", "/api-keys", _body_of(members)))

    def rotate_api_key(self, key: str, *, overlap_s: int | None = None) -> shapes.ApiKeyWithText:
        """Create the successor of *key*; the old key stays valid for *overlap_s* seconds."""
        return cast(
            "shapes.ApiKeyWithText",
            self._done("POST", f"/api-keys/{key}/rotation", _body_of({"overlap_s": overlap_s})),
        )

    def end_api_key(self, key: str) -> None:
        """Revoke an API key."""
        self._done("DELETE", f"/api-keys/{key}")

    def usage(self) -> shapes.Usage:
        """Return what you store in all encounters together, and your quotas."""
        return cast("shapes.Usage", self._get("/usage"))

    def usage_of(self, owner: str) -> shapes.Usage:
        """Return what *owner* stores, and its quotas; needs an operator's key, as the next two."""
        return cast("shapes.Usage", self._get(f"/owners/{owner}/usage"))

    def change_quotas(self, owner: str, **quotas: int) -> shapes.Usage:
        """Give *owner* quotas of its own: `encounters`, `commands`, `bytes`; 0: no limit."""
        return cast("shapes.Usage", self._done("PATCH", f"/owners/{owner}/quotas", quotas))

    def reset_quotas(self, owner: str) -> shapes.Usage:
        """Give *owner* the quotas of the service's settings again."""
        return cast("shapes.Usage", self._done("DELETE", f"/owners/{owner}/quotas"))

    def signing_keys(self) -> list[shapes.KeysKey]:
        """Return the public keys with which the service signs checkpoints and certificates."""
        return cast("list[shapes.KeysKey]", self._get("/keys")["keys"])

    def webhooks(self) -> list[shapes.Webhook]:
        """Return your webhooks."""
        return cast("list[shapes.Webhook]", self._get("/webhooks")["webhooks"])

    def add_webhook(
        self,
        url: str,
        encounter: str | None = None,
        *,
        text: str | None = None,
        format_: str | None = None,
    ) -> shapes.WebhookWithSecret:
        """Have every commit (of *encounter*, if given) posted to *url*. Only this answer has the `secret`.

        With *text* `"en"` messages also say in words what happened; the format `"discord"` says nothing else.
        """
        return cast(
            "shapes.WebhookWithSecret",
            self._done(
                "POST",
                "/webhooks",
                _body_of({"url": url, "encounter": encounter, "text": text, "format": format_}),
            ),
        )

    def webhook(self, webhook: str) -> shapes.Webhook:
        """Return one webhook."""
        return cast("shapes.Webhook", self._get(f"/webhooks/{webhook}"))

    def change_webhook(self, webhook: str, **more: str) -> shapes.Webhook:
        """Change a webhook's `url`, or its `state`: `active` resumes a disabled webhook."""
        return cast("shapes.Webhook", self._done("PATCH", f"/webhooks/{webhook}", more))

    def end_webhook(self, webhook: str) -> None:
        """Delete a webhook."""
        self._done("DELETE", f"/webhooks/{webhook}")

    def deliveries(self, webhook: str) -> Iterator[shapes.Delivery]:
        """Yield past and pending deliveries, page by page."""
        yield from self._pages(f"/webhooks/{webhook}/deliveries", "deliveries", {})

    def retry_delivery(self, webhook: str, delivery: str) -> shapes.Delivery:
        """Retry a delivery now."""
        return cast(
            "shapes.Delivery", self._done("POST", f"/webhooks/{webhook}/deliveries/{delivery}/retry", {})
        )

    def take_bundle(self, bundle: bytes, *, keys: Iterable[str] = (), wait_s: float = 60) -> shapes.Import:
        """Import an encounter that was played elsewhere; return the import, `done` or `failed`.

        With *keys* the service refuses it unless one of them signed the last commit. Raises `NotDone` after
        *wait_s* seconds.
        """
        given = ",".join(keys)
        query = {"key": given} if given else {}
        return cast("shapes.Import", self._job("/bundles", bundle, "bundle", wait_s, query))

    def imports(self) -> Iterator[shapes.Import]:
        """Yield your imports, newest first, page by page."""
        yield from self._pages("/bundles", "imports", {})

    def imported(self, bundle: str) -> shapes.Import:
        """Return an import with its current status."""
        return cast("shapes.Import", self._get(f"/bundles/{bundle}"))

    def import_file(self, file: bytes, *, edition: str, kind: str, **choices: str) -> shapes.ConvertedFile:
        """Return what a file of another program is in an opening: `part` and `notes`; nothing is opened.

        *kind* is `map` or `creatures`, *choices* are those of that kind, as `windows="open"`.
        """
        query: Query = {"edition": edition, "kind": kind, **choices}
        request = Request("POST", f"{self.path}/imports", file, query)
        return cast("shapes.ConvertedFile", self._transport.call(request).data)

    def simulate(
        self, opening: Mapping[str, Any], *, wait_s: float = 60, **more: object
    ) -> shapes.Simulation:
        """Let bots play an opening and return the results; *more* are `times`, `seed` and the limits.

        Raises `NotDone` after *wait_s* seconds.
        """
        return cast(
            "shapes.Simulation",
            self._job("/simulations", {"opening": dict(opening), **more}, "simulation", wait_s),
        )

    def simulation(self, simulation: str) -> shapes.Simulation:
        """Return a simulation with its current status."""
        return cast("shapes.Simulation", self._get(f"/simulations/{simulation}"))


def _body_of(members: Json) -> Json:
    return {name: value for name, value in members.items() if value is not None}
