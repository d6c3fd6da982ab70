"""API keys of one owner: create, list, rotate and end. A key's text is shown only when it is created."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

from service.api.fields import ChoiceField, IntegerField, ListField, TextField
from service.api.operations import KEY_HOLDERS, ResponseSchema, operation
from service.api.problems import Problem, not_found
from service.api.request import ApiRequest, ApiResponse
from service.api.schemas import strict
from service.api.shapes import TEXT, TIME, Schema, closed, component, listing, maybe
from service.rules.kernel.meaning import at_most, number, text
from service.stores import api_keys
from service.stores.api_keys import SCOPES, ApiKey, ApiKeyDraft

TAG: Final = "API keys"
_API_KEY: Final[dict[str, Schema]] = {
    "key": {"type": "string", "pattern": "^[0-9a-f]{12}$", "description": "Its id, which is not secret."},
    "name": TEXT,
    "scopes": listing({"enum": ["read", "write", "keys", "operator"]}),
    "state": {"enum": ["valid", "expired", "ended"]},
    "created": TIME,
    "expires": maybe(TIME),
    "follows": {**maybe(TEXT), "description": "The key that it replaces."},
}
API_KEY: Final = component("ApiKey", closed("An API key, without its text.", **_API_KEY))
API_KEYS: Final = component("ApiKeys", closed("All API keys of your owner.", keys=listing(API_KEY)))
API_KEY_WITH_TEXT: Final = component(
    "ApiKeyWithText",
    closed(
        "An API key and its text. The text is shown only here; a repeat of the request shows it again.",
        **_API_KEY,
        text=TEXT,
    ),
)
_PATH: Final = "/v1/api-keys"
OVERLAP_S: Final = 86_400
_YEAR_S: Final = 366 * 86_400
_TEN_YEARS_S: Final = 10 * _YEAR_S
NEW_API_KEY: Final = strict(
    "NewApiKey",
    {
        "name": TextField(text("label", 100), required=True, metadata={"example": "initiative bot"}),
        "scopes": ListField(ChoiceField(SCOPES), at_most(len(SCOPES))),
        "expires_in_s": IntegerField(number("seconds", 1, _TEN_YEARS_S, unit="seconds")),
    },
)
ROTATION: Final = strict(
    "Rotation", {"overlap_s": IntegerField(number("seconds", 0, _YEAR_S, unit="seconds"))}
)


@operation(
    "GET",
    _PATH,
    "listApiKeys",
    TAG,
    roles=KEY_HOLDERS,
    scope="keys",
    answers={200: ResponseSchema("The keys.", API_KEYS)},
)
def list_api_keys(request: ApiRequest) -> ApiResponse:
    """List all API keys of your owner, newest first, without their texts."""
    mine = _mine(request)
    return ApiResponse(
        {"keys": [_shown(request, each) for each in api_keys.of_owner(request.services.log, mine.owner)]}
    )


@operation(
    "POST",
    _PATH,
    "createApiKey",
    TAG,
    has_secret=True,
    roles=KEY_HOLDERS,
    scope="keys",
    body=NEW_API_KEY,
    is_keyed=True,
    problems=("too-many-api-keys",),
    answers={201: ResponseSchema("The key, with its text.", API_KEY_WITH_TEXT)},
)
def create_api_key(request: ApiRequest) -> ApiResponse:
    """Create another key for your owner, with scopes that your own key has.

    It has access to the same encounters. The text is shown only here; a repeat with the same idempotency key
    shows it again.
    """
    mine = _mine(request)
    scopes = tuple(dict.fromkeys(request.data.get("scopes", mine.scopes)))
    lacking = [scope for scope in scopes if scope not in mine.scopes]
    if lacking:
        raise Problem("forbidden", f"your own key lacks the scope {lacking[0]}")
    seconds = request.data.get("expires_in_s")
    expires = None if seconds is None else int(request.services.clock()) + seconds
    return _derived(
        request,
        mine,
        ApiKeyDraft(request.data["name"], scopes, expires, fingerprint=request.repeatable.fingerprint),
    )


@operation(
    "POST",
    _PATH + "/{key}/rotation",
    "rotateApiKey",
    TAG,
    has_secret=True,
    roles=KEY_HOLDERS,
    scope="keys",
    body=ROTATION,
    is_keyed=True,
    problems=("too-many-api-keys",),
    answers={201: ResponseSchema("The new key, with its text.", API_KEY_WITH_TEXT)},
)
def rotate_api_key(request: ApiRequest) -> ApiResponse:
    """Replace a key by a new one with the same owner, name and scopes.

    The old key works for another `overlap_s` seconds (default: one day), so that clients can change over one
    by one.
    """
    mine, old = _mine(request), _named(request)
    lacking = [scope for scope in old.scopes if scope not in mine.scopes]
    if lacking:
        raise Problem("forbidden", f"your own key lacks the scope {lacking[0]}")
    now = int(request.services.clock())
    wanted = ApiKeyDraft(
        old.name, old.scopes, None, follows=old.id, fingerprint=request.repeatable.fingerprint
    )
    answer = _derived(request, mine, wanted)
    api_keys.expire(request.services.log, old, now + request.data.get("overlap_s", OVERLAP_S))
    return answer


@operation(
    "DELETE",
    _PATH + "/{key}",
    "endApiKey",
    TAG,
    roles=KEY_HOLDERS,
    scope="keys",
    answers={200: ResponseSchema("The key, ended.", API_KEY)},
)
def end_api_key(request: ApiRequest) -> ApiResponse:
    """End a key permanently; its owner keeps the encounters.

    A process that has just used the key may accept it for another three seconds.
    """
    old = _named(request)
    api_keys.end(request.services.log, old.id)
    request.services.keys.forget(old.id)
    known = api_keys.known(request.services.log, old.id)
    assert known is not None
    return ApiResponse(_shown(request, known))


def _derived(request: ApiRequest, mine: ApiKey, wanted: ApiKeyDraft) -> ApiResponse:
    """Return the key that this request creates, or created before, with its text.

    Raises the problems `idempotency-key-reused` and `too-many-api-keys`.
    """
    asked = request.repeatable
    services = request.services
    try:
        text, key, replayed = api_keys.derive(
            services.log, services.service_key, asked.key, mine.owner, wanted, services.clock()
        )
    except api_keys.TooManyKeys as full:
        raise Problem("too-many-api-keys", str(full), members={"limit": api_keys.MOST}) from full
    if key.fingerprint != asked.fingerprint:
        raise Problem("idempotency-key-reused", "the key was used for another request; take a new key")
    headers = {"Location": f"{_PATH}/{key.id}", "Idempotency-Key": f'"{asked.key}"'}
    if replayed:
        headers["Idempotency-Replayed"] = "true"
    return ApiResponse(_shown(request, key) | {"text": text}, 201, headers)


def _mine(request: ApiRequest) -> ApiKey:
    assert request.caller is not None
    assert request.caller.key is not None
    return request.caller.key


def _named(request: ApiRequest) -> ApiKey:
    """Return the key that the path names; raises `not-found` if it is missing or another owner's."""
    found = api_keys.known(request.services.log, request.path["key"])
    if found is None or found.owner != _mine(request).owner:
        raise not_found()
    return found


def _shown(request: ApiRequest, key: ApiKey) -> dict[str, Any]:
    state = "valid" if key.is_valid(request.services.clock()) else "ended" if key.ended else "expired"
    return {
        "key": key.id,
        "name": key.name,
        "scopes": list(key.scopes),
        "state": state,
        "created": _time(key.created),
        "expires": None if key.expires is None else _time(key.expires),
        "follows": key.follows,
    }


def _time(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
