"""Take commands, and tell what became of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from service.api.answers import OUTCOME, OUTCOME_OR_OUTCOMES
from service.api.call import Answer, Call, read_key
from service.api.operations import ACTORS, READERS, Parameter, Shape, operation
from service.api.problems import invalid, not_found
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
from service.encounter import play
from service.encounter.at_the_door import may_seal
from service.steps import Steps

TAG: Final = "Commands"

_KEY: Final = r'"?[\x21\x23-\x5b\x5d-\x7e]{1,255}"?'
_DECIDED: Final = {
    200: Shape("It was decided; or each of an array was.", OUTCOME_OR_OUTCOMES),
    202: Shape(
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
def send_command(call: Call) -> Steps[Answer]:
    """Send a command, and wait for what becomes of it.

    `type` selects the schema. A command that the rules refuse is answered 409 `command-refused`; it stands
    on the record, throws no dice and changes nothing. The answer holds what your seat may see.

    An array of up to fifty is appended together and decided in order, each on its own. It is answered 200
    with `outcomes`, whatever they are. After a refusal the rest are refused too, as `skipped`, unless
    `?continue=true`. One key, and one `If-Match`, stand for the whole array. A secret choice must be legal
    when the array is sent, and may be followed by others only with `?continue=true`.
    """
    data = call.data
    if isinstance(data, list):
        return (yield from _send_array(call, data))
    if "continue" in call.query:
        raise invalid(("?continue", "an array: a single command has nothing to go on with"))
    kind, given, found = read_command(call, data)
    raise_if_invalid(found)
    return (yield from pending(call, (yield from send_checked(call, kind, given))))


def _send_array(call: Call, data: list[Any]) -> Steps[Answer]:
    if not 1 <= len(data) <= ARRAY:
        raise invalid(("", f"from 1 to {ARRAY} commands"))
    goes_on = call.query.get("continue") == "true"
    commands, found = [], []
    for index, each in enumerate(data):
        kind, given, wrong = read_command(call, each, f"/{index}")
        found += wrong
        commands.append((kind, given))
        if may_seal(kind) and index < len(data) - 1 and not goes_on:
            found.append((f"/{index}", "a secret choice at the end, or `?continue=true`"))
    raise_if_invalid(found)
    return (
        yield from pending_array(call, (yield from send_array(call, commands, stop=not goes_on)), len(data))
    )


@operation(
    "GET",
    "/v1/encounters/{encounter}/commands/{n}",
    "getCommand",
    TAG,
    roles=READERS,
    answers={status: replace(shape, schema=OUTCOME) for status, shape in _DECIDED.items()},
)
def get_command(call: Call) -> Answer:
    """Tell what became of command n, as far as your seat may know."""
    return _became(call, call.number("n"))


@operation(
    "GET",
    "/v1/encounters/{encounter}/commands",
    "findCommand",
    TAG,
    roles=ACTORS,
    answers=_DECIDED,
    query=(Parameter("key", "The idempotency key of your request.", pattern=_KEY, required=True),),
)
def find_command(call: Call) -> Answer:
    """Tell what became of the request with your idempotency key: it settles every unknown outcome."""
    known = call.host.log.find_key(call.encounter, call.me.scope, read_key(call.query["key"]))
    if known is None:
        raise not_found()
    count = play.array_at(call.host, call.encounter, known.n)
    return outcomes(call, known.n, count) if count else _became(call, known.n)


def _became(call: Call, n: int) -> Answer:
    head = call.host.log.head(call.encounter)
    if head is None or not 1 <= n <= head.appended:
        raise not_found()
    if n > head.folded:
        return Answer({"n": n, "outcome": "pending"}, 202, {"Location": address(call, n), "Retry-After": "1"})
    found = play.became(call.host, call.encounter, call.me.seat, n)
    if found is None:
        raise not_found()
    return Answer(play.outcome(call.host, call.encounter, call.me.seat, found))
