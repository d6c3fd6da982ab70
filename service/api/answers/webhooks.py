"""Describe webhooks and their deliveries."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from service.api.shapes import NUMBER, TEXT, TIME, UUID, Schema, closed, listing, maybe, page, ref

_WEBHOOK: Final[dict[str, Schema]] = {
    "webhook": TEXT,
    "url": {"type": "string", "format": "uri"},
    "encounter": {**maybe(UUID), "description": "Null: every encounter of yours."},
    "state": {"enum": ["active", "gone", "ended"], "description": "`gone`: its receiver answered 410."},
    "created": TIME,
}

WEBHOOKS: Final[Mapping[str, Schema]] = MappingProxyType(
    {
        "Webhook": closed("Where commits are posted to.", **_WEBHOOK),
        "Webhooks": closed("All webhooks of yours.", webhooks=listing(ref("Webhook"))),
        "WebhookWithSecret": closed(
            "A webhook and the secret that signs what it gets. It is shown here alone; a repeat of the "
            "request shows it again.",
            **_WEBHOOK,
            secret={"type": "string", "pattern": "^whsec_[A-Za-z0-9+/]{43}=$"},
        ),
        "Delivery": closed(
            "How the telling of one commit fares.",
            delivery=TEXT,
            encounter=UUID,
            n=NUMBER,
            message={**TEXT, "description": "Its `webhook-id`: the same in every attempt."},
            state={"enum": ["pending", "delivered", "failed"]},
            attempts=NUMBER,
            status={**maybe(NUMBER), "description": "The last answer's."},
            fault={**maybe(TEXT), "description": "What kept the last attempt from an answer."},
            due={**maybe(TIME), "description": "When it is tried next."},
        ),
        "Deliveries": page("Deliveries, those first tried last come first.", "deliveries", ref("Delivery")),
    }
)
