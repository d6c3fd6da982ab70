"""Take commands, and tell what became of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from service.api.answers import OUTCOME, OUTCOME_OR_OUTCOMES
from service.api.operations import ACTORS, READERS, Parameter, ResponseSchema, operation
from service.api.problems import invalid, not_found
from service.api.request import ApiRequest, ApiResponse, read_key
from service.api.schemas import raise_if_invalid
from service.api.sending import (
    address,
    outcomes,
    pending,
    pending_array,
    read_command,
    send_array,
    send_checked,
)
from service.api.shapes import ref
from service.steps import Steps
from service.usecases import sending
from service.usecases.preconditions import may_seal

TAG: Final = "Commands"

_KEY: Final = r'"?[\x21\x23-\x5b\x5d-\x7e]{1,255}"?'
_DECIDED: Final = {
    200: ResponseSchema("It was decided; or each of an array was.", OUTCOME_OR_OUTCOMES),
    202: ResponseSchema(
        "It is on the record and not yet decided; `Location` tells where to ask.", OUTCOME_OR_OUTCOMES
    ),
}
ARRAY: Final = 50
"""Commands in one array, at most."""


@operation(
    "POST",
    "/v1/encounters/{encounter}/commands",
    "sendCommand",
    TAG,
    roles=ACTORS,
    body=ref("CommandOrCommands"),
    is_quick=True,
    query=(
        Parameter(
            "continue", "With an array: `true` decides the rest after a refusal too.", pattern="true|false"
        ),
    ),
    answers=_DECIDED,
    waits=True,
    problems=("command-refused", "version-mismatch"),
)
def send_command(request: ApiRequest) -> Steps[ApiResponse]:
    """Send a command, and wait for what becomes of it.

    `type` selects the schema. A command that the rules refuse is answered 409 `command-refused`; it stands
    on the record, throws no dice and changes nothing. The answer holds what your seat may see.

    An array of up to fifty is appended together and decided in order, each on its own. It is answered 200
    with `outcomes`, whatever they are. After a refusal the rest are refused too, as `skipped`, unless
    `?continue=true`. One key, and one `If-Match`, stand for the whole array. A secret choice must be legal
    when the array is sent, and may be followed by others only with `?continue=true`.
    """
    data = request.data
    if isinstance(data, list):
        return (yield from _send_array(request, data))
    if "continue" in request.query:
        raise invalid(("?continue", "an array: a single command has nothing to go on with"))
    kind, given, found = read_command(request, data)
    raise_if_invalid(found)
    return (yield from pending(request, (yield from send_checked(request, kind, given))))


def _send_array(request: ApiRequest, data: list[Any]) -> Steps[ApiResponse]:
    if not 1 <= len(data) <= ARRAY:
        raise invalid(("", f"from 1 to {ARRAY} commands"))
    goes_on = request.query.get("continue") == "true"
    commands, found = [], []
    for index, each in enumerate(data):
        kind, given, wrong = read_command(request, each, f"/{index}")
        found += wrong
        commands.append((kind, given))
        if may_seal(kind) and index < len(data) - 1 and not goes_on:
            found.append((f"/{index}", "a secret choice at the end, or `?continue=true`"))
    raise_if_invalid(found)
    return (
        yield from pending_array(
            request, (yield from send_array(request, commands, stop=not goes_on)), len(data)
        )
    )


@operation(
    "GET",
    "/v1/encounters/{encounter}/commands/{n}",
    "getCommand",
    TAG,
    roles=READERS,
    answers={status: replace(shape, schema=OUTCOME) for status, shape in _DECIDED.items()},
)
def get_command(request: ApiRequest) -> ApiResponse:
    """Tell what became of command n, as far as your seat may know."""
    return _became(request, request.number("n"))


@operation(
    "GET",
    "/v1/encounters/{encounter}/commands",
    "findCommand",
    TAG,
    roles=ACTORS,
    answers=_DECIDED,
    query=(Parameter("key", "The idempotency key of your request.", pattern=_KEY, required=True),),
)
def find_command(request: ApiRequest) -> ApiResponse:
    """Tell what became of the request with your idempotency key: it settles every unknown outcome."""
    known = request.services.log.find_key(request.encounter, request.me.scope, read_key(request.query["key"]))
    if known is None:
        raise not_found()
    count = sending.array_at(request.services, request.encounter, known.n)
    return outcomes(request, known.n, count) if count else _became(request, known.n)


def _became(request: ApiRequest, n: int) -> ApiResponse:
    head = request.services.log.head(request.encounter)
    if head is None or not 1 <= n <= head.appended:
        raise not_found()
    if n > head.folded:
        return ApiResponse(
            {"n": n, "outcome": "pending"}, 202, {"Location": address(request, n), "Retry-After": "1"}
        )
    found = sending.result_of(request.services, request.encounter, request.me.seat, n)
    if found is None:
        raise not_found()
    return ApiResponse(sending.result_data(request.services, request.encounter, request.me.seat, found))
