"""Make, rotate and end the API keys of one owner; a key's text is told once, and again to a repeat."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

from service.api.call import Answer, Call
from service.api.fields import Items, OneOf, Text, Whole
from service.api.operations import KEY_HOLDERS, Shape, operation
from service.api.problems import Problem, not_found
from service.api.schemas import strict
from service.api.shapes import TEXT, TIME, Schema, closed, component, listing, maybe
from service.encounter.stores import keys
from service.encounter.stores.keys import SCOPES, ApiKey, Wanted

TAG: Final = "API keys"
_API_KEY: Final[dict[str, Schema]] = {
    "key": {"type": "string", "pattern": "^[0-9a-f]{12}$", "description": "Its id, which is no secret."},
    "name": TEXT,
    "scopes": listing({"enum": ["read", "write", "keys", "operator"]}),
    "state": {"enum": ["valid", "expired", "ended"]},
    "created": TIME,
    "expires": maybe(TIME),
    "follows": {**maybe(TEXT), "description": "The key whose place it took."},
}
API_KEY: Final = component("ApiKey", closed("What is known of a key: never the key itself.", **_API_KEY))
API_KEYS: Final = component("ApiKeys", closed("All keys of your owner.", keys=listing(API_KEY)))
API_KEY_WITH_TEXT: Final = component(
    "ApiKeyWithText",
    closed(
        "A key and its text. The text is shown here alone; a repeat of the request shows it again.",
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
        "name": Text(length=100, required=True, metadata={"example": "initiative bot"}),
        "scopes": Items(OneOf(SCOPES)),
        "expires_in_s": Whole(least=1, most=_TEN_YEARS_S),
    },
)
ROTATION: Final = strict("Rotation", {"overlap_s": Whole(least=0, most=_YEAR_S)})


@operation(
    "GET",
    _PATH,
    "listApiKeys",
    TAG,
    roles=KEY_HOLDERS,
    scope="keys",
    answers={200: Shape("The keys.", API_KEYS)},
)
def list_api_keys(call: Call) -> Answer:
    """List all keys of your owner, the newest first: what is known of them, never the keys themselves."""
    mine = _mine(call)
    return Answer({"keys": [_shown(call, each) for each in keys.of_owner(call.host.log, mine.owner)]})


@operation(
    "POST",
    _PATH,
    "createApiKey",
    TAG,
    roles=KEY_HOLDERS,
    scope="keys",
    body=NEW_API_KEY,
    is_keyed=True,
    answers={201: Shape("The key, with its text.", API_KEY_WITH_TEXT)},
)
def create_api_key(call: Call) -> Answer:
    """Make another key of the same owner, with scopes that your own key has.

    It opens the same encounters. The text is told here alone; a repeat with the same idempotency key tells it
    again.
    """
    mine = _mine(call)
    scopes = tuple(dict.fromkeys(call.data.get("scopes", mine.scopes)))
    lacking = [scope for scope in scopes if scope not in mine.scopes]
    if lacking:
        raise Problem("forbidden", f"your own key lacks the scope {lacking[0]}")
    seconds = call.data.get("expires_in_s")
    expires = None if seconds is None else int(call.host.clock()) + seconds
    return _derived(
        call, mine, Wanted(call.data["name"], scopes, expires, fingerprint=call.repeatable.fingerprint)
    )


@operation(
    "POST",
    _PATH + "/{key}/rotation",
    "rotateApiKey",
    TAG,
    roles=KEY_HOLDERS,
    scope="keys",
    body=ROTATION,
    is_keyed=True,
    answers={201: Shape("The key that takes its place, with its text.", API_KEY_WITH_TEXT)},
)
def rotate_api_key(call: Call) -> Answer:
    """Make a key that takes another's place: same owner, name and scopes.

    The old one works for `overlap_s` seconds more (a day, if you do not say), so that clients can change over
    one by one.
    """
    mine, old = _mine(call), _named(call)
    lacking = [scope for scope in old.scopes if scope not in mine.scopes]
    if lacking:
        raise Problem("forbidden", f"your own key lacks the scope {lacking[0]}")
    now = int(call.host.clock())
    wanted = Wanted(old.name, old.scopes, None, follows=old.id, fingerprint=call.repeatable.fingerprint)
    answer = _derived(call, mine, wanted)
    keys.expire(call.host.log, old, now + call.data.get("overlap_s", OVERLAP_S))
    return answer


@operation(
    "DELETE",
    _PATH + "/{key}",
    "endApiKey",
    TAG,
    roles=KEY_HOLDERS,
    scope="keys",
    answers={200: Shape("The key, ended.", API_KEY)},
)
def end_api_key(call: Call) -> Answer:
    """End a key for good; what it owns stays with the owner.

    A process that has just used it may accept it for three seconds more.
    """
    old = _named(call)
    keys.end(call.host.log, old.id)
    call.host.keys.forget(old.id)
    known = keys.known(call.host.log, old.id)
    assert known is not None
    return Answer(_shown(call, known))


def _derived(call: Call, mine: ApiKey, wanted: Wanted) -> Answer:
    """Return the key that this request stands for, and its text."""
    asked = call.repeatable
    text, key, replayed = keys.derive(
        call.host.log, call.host.service_key, asked.key, mine.owner, wanted, call.host.clock()
    )
    if key.fingerprint != asked.fingerprint:
        raise Problem("idempotency-key-reused", "the key stands for another request")
    headers = {"Location": f"{_PATH}/{key.id}", "Idempotency-Key": f'"{asked.key}"'}
    if replayed:
        headers["Idempotency-Replayed"] = "true"
    return Answer(_shown(call, key) | {"text": text}, 201, headers)


def _mine(call: Call) -> ApiKey:
    assert call.caller is not None
    assert call.caller.key is not None
    return call.caller.key


def _named(call: Call) -> ApiKey:
    """Return the key that the path names; another owner's is the 404 of one that does not exist."""
    found = keys.known(call.host.log, call.path["key"])
    if found is None or found.owner != _mine(call).owner:
        raise not_found()
    return found


def _shown(call: Call, key: ApiKey) -> dict[str, Any]:
    state = "valid" if key.is_valid(call.host.clock()) else "ended" if key.ended else "expired"
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
