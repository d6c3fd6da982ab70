"""Webhooks: create, show, change and end them; list their deliveries and retry one."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

from service.api.fields import ChoiceField, TextField
from service.api.inputs import NOTHING
from service.api.operations import KEY_HOLDERS, ResponseSchema, operation
from service.api.paging import CURSOR, PAGE_LIMIT, newest_first
from service.api.problems import Problem, invalid, not_found
from service.api.request import ApiRequest, ApiResponse
from service.api.schemas import strict
from service.api.shapes import NUMBER, TEXT, TIME, UUID, Schema, closed, component, listing, maybe, page
from service.rules.kernel.meaning import text
from service.signals.webhook_addresses import AddressNotAllowed
from service.stores import webhooks
from service.stores.webhooks import Webhook, WebhookDelivery
from service.usecases import sending

TAG: Final = "Webhooks"
_WEBHOOK: Final[dict[str, Schema]] = {
    "webhook": TEXT,
    "url": {"type": "string", "format": "uri"},
    "encounter": {**maybe(UUID), "description": "Null for all your encounters."},
    "format": {
        "enum": [webhooks.MESSAGE, webhooks.DISCORD],
        "description": "`message`: Standard Webhooks. `discord`: what a webhook of a Discord channel takes, "
        "which says in words what happened.",
    },
    "text": {
        **maybe({"enum": ["en"]}),
        "description": "The language in which `text` of each message says what happened.",
    },
    "state": {"enum": ["active", "gone", "ended"], "description": "`gone`: its receiver answered 410."},
    "created": TIME,
}
WEBHOOK: Final = component("Webhook", closed("An address to which commits are posted.", **_WEBHOOK))
WEBHOOKS: Final = component("Webhooks", closed("All your webhooks.", webhooks=listing(WEBHOOK)))
WEBHOOK_WITH_SECRET: Final = component(
    "WebhookWithSecret",
    closed(
        "A webhook and the secret that signs its messages. The secret is shown only here; a repeat of the "
        "request shows it again.",
        **_WEBHOOK,
        secret={"type": "string", "pattern": "^whsec_[A-Za-z0-9+/]{43}=$"},
    ),
)
DELIVERY: Final = component(
    "Delivery",
    closed(
        "The delivery of one commit to a webhook.",
        delivery=TEXT,
        encounter=UUID,
        n=NUMBER,
        message={**TEXT, "description": "Its `webhook-id`, the same in every attempt."},
        state={"enum": ["pending", "delivered", "failed"]},
        attempts=NUMBER,
        status={**maybe(NUMBER), "description": "The HTTP status of the last response."},
        fault={**maybe(TEXT), "description": "Why the last attempt got no response."},
        due={**maybe(TIME), "description": "The time of the next attempt."},
    ),
)
DELIVERIES: Final = component("Deliveries", page("Deliveries, newest first.", "deliveries", DELIVERY))
_PATH: Final = "/v1/webhooks"
_URL: Final = text("address", 2_000)
NEW_WEBHOOK: Final = strict(
    "NewWebhook",
    {
        "url": TextField(_URL, required=True, metadata={"example": "https://example.org/hook"}),
        "encounter": TextField(text("encounter", 36)),
        "format": ChoiceField((webhooks.MESSAGE, webhooks.DISCORD)),
        "text": ChoiceField(("en",)),
    },
)
WEBHOOK_CHANGE: Final = strict("WebhookChange", {"url": TextField(_URL), "state": ChoiceField(("active",))})


@operation(
    "POST",
    _PATH,
    "createWebhook",
    TAG,
    has_secret=True,
    roles=KEY_HOLDERS,
    body=NEW_WEBHOOK,
    answers={201: ResponseSchema("The webhook, with its secret.", WEBHOOK_WITH_SECRET)},
    is_keyed=True,
    problems=("too-many-webhooks",),
)
def create_webhook(request: ApiRequest) -> ApiResponse:
    """Create a webhook, to which every new commit of one encounter, or of all yours, is posted.

    The message is what everybody may see of the commit, signed according to Standard Webhooks. `webhook-id`
    is the same in every attempt. A response 2xx accepts the message, 410 disables the webhook; after any
    other result the message is retried for three days. The address must be `https` and public.

    With `"text": "en"` each message also says in words what happened. With `"format": "discord"` it says
    nothing else, in the form that a webhook of a Discord channel takes; a commit that says nothing is not
    posted.
    """
    services, data, owner = request.services, request.data, _owner(request)
    _judge_url(request, data["url"])
    encounter = data.get("encounter")
    entry = None if encounter is None else services.encounters.find(encounter)
    if encounter is not None and (entry is None or entry.owner != owner):
        raise invalid(("/encounter", "an encounter of yours"))
    asked = request.repeatable
    id_ = webhooks.derived_id(services.service_key, owner, asked.key)
    made = Webhook(id_, owner, data["url"], sending.now(services), encounter, fingerprint=asked.fingerprint)
    made = replace(made, text=data.get("text"), format=data.get("format", webhooks.MESSAGE))
    try:
        webhook, replayed = webhooks.make(services.log, made)
    except webhooks.TooManyWebhooks as full:
        most = webhooks.MOST
        detail = f"you have {most} webhooks; end one of them"
        raise Problem("too-many-webhooks", detail, members={"limit": most}) from full
    headers = {"Location": f"{_PATH}/{id_}", "Idempotency-Key": f'"{asked.key}"'}
    if replayed:
        headers["Idempotency-Replayed"] = "true"
    secret = webhooks.secret_text(services.service_key, id_)
    return ApiResponse(_shown(webhook) | {"secret": secret}, 201, headers)


@operation(
    "GET",
    _PATH,
    "listWebhooks",
    TAG,
    roles=KEY_HOLDERS,
    answers={200: ResponseSchema("The webhooks.", WEBHOOKS)},
)
def list_webhooks(request: ApiRequest) -> ApiResponse:
    """List your webhooks, newest first, without their secrets."""
    return ApiResponse(
        {"webhooks": [_shown(each) for each in webhooks.of_owner(request.services.log, _owner(request))]}
    )


@operation(
    "GET",
    _PATH + "/{webhook}",
    "getWebhook",
    TAG,
    roles=KEY_HOLDERS,
    answers={200: ResponseSchema("The webhook.", WEBHOOK)},
)
def get_webhook(request: ApiRequest) -> ApiResponse:
    """Get a webhook, and whether it is still active."""
    return ApiResponse(_shown(_named(request)))


@operation(
    "PATCH",
    _PATH + "/{webhook}",
    "changeWebhook",
    TAG,
    roles=KEY_HOLDERS,
    body=WEBHOOK_CHANGE,
    answers={200: ResponseSchema("The webhook as it is now.", WEBHOOK)},
)
def change_webhook(request: ApiRequest) -> ApiResponse:
    """Change the address of a webhook, or reactivate one whose receiver answered 410.

    Its id and secret stay. `"state": "active"` posts everything that was committed meanwhile, including
    messages that were due when the webhook was disabled or that were answered 410.
    """
    webhook = _named(request)
    if "url" in request.data:
        _judge_url(request, request.data["url"])
        webhook = webhooks.moved(request.services.log, webhook, request.data["url"])
    if "state" in request.data and webhook.state == webhooks.GONE:
        webhook = webhooks.revive(request.services.log, webhook, request.services.clock())
    return ApiResponse(_shown(webhook))


@operation(
    "DELETE",
    _PATH + "/{webhook}",
    "endWebhook",
    TAG,
    roles=KEY_HOLDERS,
    answers={200: ResponseSchema("The webhook, ended.", WEBHOOK)},
)
def end_webhook(request: ApiRequest) -> ApiResponse:
    """End a webhook: nothing more is posted, not even messages that were due."""
    webhook = _named(request)
    webhooks.end(request.services.log, webhook)
    return ApiResponse(_shown(replace(webhook, state=webhooks.ENDED)))


@operation(
    "GET",
    _PATH + "/{webhook}/deliveries",
    "listDeliveries",
    TAG,
    roles=KEY_HOLDERS,
    query=(CURSOR, PAGE_LIMIT),
    answers={200: ResponseSchema("A page of deliveries.", DELIVERIES)},
)
def list_deliveries(request: ApiRequest) -> ApiResponse:
    """List the deliveries of a webhook, newest first by their first attempt.

    The last five hundred are stored, and older ones that were not accepted.
    """
    webhook = _named(request)
    read = partial(webhooks.deliveries, request.services.log, webhook.id)
    return newest_first(request, "deliveries", read, _delivery_data)


@operation(
    "POST",
    _PATH + "/{webhook}/deliveries/{delivery}/retry",
    "retryDelivery",
    TAG,
    roles=KEY_HOLDERS,
    body=NOTHING,
    answers={202: ResponseSchema("The delivery is retried now.", DELIVERY)},
    problems=("webhook-disabled",),
)
def retry_delivery(request: ApiRequest) -> ApiResponse:
    """Retry a delivery now, whether it was accepted, has failed or waits for its next attempt."""
    webhook = _named(request)
    each = webhooks.delivery(request.services.log, webhook.id, request.path["delivery"])
    if each is None:
        raise not_found()
    if webhook.state != webhooks.ACTIVE:
        raise Problem("webhook-disabled", "the webhook's receiver answered 410")
    return ApiResponse(
        _delivery_data(webhooks.again(request.services.log, each, request.services.clock())), 202
    )


def _judge_url(request: ApiRequest, url: str) -> None:
    """Raise the problem `invalid` unless webhooks may be sent to *url*."""
    try:
        request.services.address_guard.look(url)
    except AddressNotAllowed as refused:
        raise invalid(("/url", str(refused))) from refused


def _owner(request: ApiRequest) -> str:
    assert request.caller is not None
    assert request.caller.key is not None
    return request.caller.key.owner


def _named(request: ApiRequest) -> Webhook:
    """Return the webhook that the path names; raises `not-found` if it is missing or another owner's."""
    found = webhooks.find(request.services.log, _owner(request), request.path["webhook"])
    if found is None:
        raise not_found()
    return found


def _shown(webhook: Webhook) -> dict[str, Any]:
    return {
        "webhook": webhook.id,
        "url": webhook.url,
        "encounter": webhook.encounter,
        "format": webhook.format,
        "text": webhook.text,
        "state": webhook.state,
        "created": webhook.created,
    }


def _delivery_data(each: WebhookDelivery) -> dict[str, Any]:
    return {
        "delivery": each.id,
        "encounter": each.encounter,
        "n": each.n,
        "message": each.message,
        "state": each.state,
        "attempts": each.attempts,
        "status": each.status,
        "fault": each.fault,
        "due": None if each.due is None else _time(each.due),
    }


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
