"""Make, rotate and end the API keys of one owner; a key's text is told once, and again to a repeat."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

from service.api.call import Answer, Call
from service.api.inputs import NEW_API_KEY, ROTATION
from service.api.operations import KEY_HOLDERS, Shape, operation
from service.api.problems import Problem, not_found
from service.api.schemas import faults
from service.api.sending import judge
from service.encounter.stores import keys
from service.encounter.stores.keys import ApiKey, Wanted

TAG: Final = "API keys"
_PATH: Final = "/v1/api-keys"
_BODY: Final = (
    "not-strict-json",
    "body-too-large",
    "request-timeout",
    "unsupported-media-type",
    "idempotency-key-reused",
)
OVERLAP_S: Final = 86_400


@operation(
    "GET",
    _PATH,
    "listApiKeys",
    TAG,
    roles=KEY_HOLDERS,
    scope="keys",
    answers={200: Shape("The keys.", "ApiKeys")},
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
    body="NewApiKey",
    problems=_BODY,
    answers={201: Shape("The key, with its text.", "ApiKeyWithText")},
)
def create_api_key(call: Call) -> Answer:
    """Make another key of the same owner, with scopes that your own key has.

    It opens the same encounters. The text is told here alone; a repeat with the same idempotency key tells it
    again.
    """
    judge(faults(NEW_API_KEY, call.data))
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
    body="Rotation",
    problems=_BODY,
    answers={201: Shape("The key that takes its place, with its text.", "ApiKeyWithText")},
)
def rotate_api_key(call: Call) -> Answer:
    """Make a key that takes another's place: same owner, name and scopes.

    The old one works for `overlap_s` seconds more (a day, if you do not say), so that clients can change over
    one by one.
    """
    judge(faults(ROTATION, call.data))
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
    answers={200: Shape("The key, ended.", "ApiKey")},
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
