"""Commands: send them, and look up their outcomes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from service.api import parameters
from service.api.answers import OUTCOME, OUTCOME_OR_OUTCOMES
from service.api.command_outcomes import (
    address,
    outcome_data,
    outcomes,
    pending,
    pending_array,
    read_command,
    send_array,
    send_checked,
)
from service.api.operations import ACTORS, READERS, ResponseSchema, operation
from service.api.parameters import LINE, Parameter
from service.api.problems import invalid, not_found
from service.api.request import ApiRequest, ApiResponse, read_key
from service.api.schemas import raise_if_invalid
from service.api.shapes import ref
from service.steps import Steps
from service.usecases import sending
from service.usecases.lines import chain
from service.usecases.preconditions import may_seal

TAG: Final = "Commands"

_KEY: Final = r'"?[\x21\x23-\x5b\x5d-\x7e]{1,255}"?'
_DECIDED: Final = {
    200: ResponseSchema("The command, or every command of the array, is decided.", OUTCOME_OR_OUTCOMES),
    202: ResponseSchema("Recorded, but not yet decided; poll `Location`.", OUTCOME_OR_OUTCOMES),
}
ARRAY: Final = 50
"""The maximum number of commands in an array."""


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
            "continue_on_refusal",
            "For an array: with `true`, commands after a refused one are decided too.",
            pattern="true|false",
        ),
        parameters.TEXT,
    ),
    answers=_DECIDED,
    waits=True,
    problems=("command-refused", "version-mismatch"),
)
def send_command(request: ApiRequest) -> Steps[ApiResponse]:
    """Send a command, and wait for its outcome.

    `type` selects the schema. The answer contains what your seat may see. A command that the rules refuse is
    answered 409 `command-refused`; it is recorded, throws no dice and changes nothing.

    The commands of an array (at most fifty) are appended together and decided in order. The answer is 200
    with `outcomes`, even if some are refused; the last one alone has `prompts`. After a refusal the rest is
    refused as `skipped`, unless `?continue_on_refusal=true`. The idempotency key and `If-Match` are those of
    the whole array. A secret choice must be legal after the commands before it as far as they throw no dice,
    and be the last command unless `?continue_on_refusal=true`.
    """
    data = request.data
    if isinstance(data, list):
        return (yield from _send_array(request, data))
    if "continue_on_refusal" in request.query:
        raise invalid(("?continue", "an array; a single command does not take this parameter"))
    kind, given, found = read_command(request, data)
    raise_if_invalid(found)
    return (yield from pending(request, (yield from send_checked(request, kind, given))))


def _send_array(request: ApiRequest, data: list[Any]) -> Steps[ApiResponse]:
    if not 1 <= len(data) <= ARRAY:
        raise invalid(("", f"from 1 to {ARRAY} commands"))
    goes_on = request.query.get("continue_on_refusal") == "true"
    commands, found = [], []
    for index, each in enumerate(data):
        kind, given, wrong = read_command(request, each, f"/{index}")
        found += wrong
        commands.append((kind, given))
        if may_seal(kind) and index < len(data) - 1 and not goes_on:
            found.append((f"/{index}", "a secret choice as the last command, or `?continue_on_refusal=true`"))
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
    query=(parameters.TEXT,),
    answers={status: replace(shape, schema=OUTCOME) for status, shape in _DECIDED.items()},
)
def get_command(request: ApiRequest) -> ApiResponse:
    """Get the outcome of command n, as your seat may see it."""
    return _became(request, request.number("n"))


@operation(
    "GET",
    "/v1/encounters/{encounter}/commands",
    "findCommand",
    TAG,
    roles=ACTORS,
    answers=_DECIDED,
    query=(
        Parameter("key", "The idempotency key of your request.", pattern=_KEY, required=True),
        parameters.TEXT,
    ),
)
def find_command(request: ApiRequest) -> ApiResponse:
    """Get the outcome of your request by its idempotency key, for example after `outcome-unknown`."""
    services, key = request.services, read_key(request.query["key"])
    is_named = LINE.name in request.given
    lines = [request.encounter] if is_named else list(chain(services, request.address))
    for request.line in lines:
        known = services.log.find_key(request.encounter, request.me.scope, key)
        if known is not None:
            break
    else:
        raise not_found()
    count = sending.array_at(request.services, request.encounter, known.n)
    return outcomes(request, known.n, count) if count else _became(request, known.n)


def _became(request: ApiRequest, n: int) -> ApiResponse:
    head = request.services.log.head(request.encounter)
    if head is None or n < 1:
        raise not_found()
    if n > head.appended:
        raise not_found(f"there is no command {n}: the newest is {head.appended}")
    if n > head.folded:
        return ApiResponse(
            {"n": n, "outcome": "pending"}, 202, {"Location": address(request, n), "Retry-After": "1"}
        )
    found = sending.result_of(request.services, request.encounter, request.me.seat, n)
    if found is None:
        raise not_found()
    return ApiResponse(outcome_data(request, found))
