"""Take commands, and tell what became of them."""

from __future__ import annotations

from typing import Final

from service.api.call import Answer, Call, read_key
from service.api.operations import Parameter, Shape, operation
from service.api.problems import Problem, invalid, not_found
from service.api.schemas import faults
from service.api.sending import address, judge, pending, send_checked
from service.encounter import play

TAG: Final = "Commands"

_KEY: Final = r'"?[\x21\x23-\x5b\x5d-\x7e]{1,255}"?'
_DECIDED: Final = {
    200: Shape("It was decided.", "Outcome"),
    202: Shape("It is on the record and not yet decided; `Location` tells where to ask.", "Outcome"),
}


@operation(
    "POST",
    "/v1/encounters/{encounter}/commands",
    "sendCommand",
    TAG,
    body="Command",
    answers=_DECIDED,
    waits=True,
    problems=("command-refused", "version-mismatch", "one-command-at-a-time"),
)
def send_command(call: Call) -> Answer:
    """Send a command, and wait for what becomes of it.

    `type` selects the schema. A command that the rules refuse is answered 409 `command-refused`; it stands
    on the record, throws no dice and changes nothing. The answer holds what your seat may see.
    """
    data = call.data
    if isinstance(data, list):
        raise Problem("one-command-at-a-time", "this is an array; send its commands one by one")
    inputs = call.inputs[call.me.edition]
    type_ = data.get("type") if isinstance(data, dict) else None
    schema = inputs.commands.get(type_) if isinstance(type_, str) else None
    if schema is None or type_ is None:
        raise invalid(("/type", "a command of " + call.me.edition))
    judge(faults(schema, data))
    kind = call.host.shelf[call.me.edition].commands[type_]
    return pending(
        call, send_checked(call, kind, {name: value for name, value in data.items() if name != "type"})
    )


@operation(
    "GET",
    "/v1/encounters/{encounter}/commands/{n}",
    "getCommand",
    TAG,
    answers=_DECIDED,
)
def get_command(call: Call) -> Answer:
    """Tell what became of command n, as far as your seat may know."""
    return _became(call, call.number("n"))


@operation(
    "GET",
    "/v1/encounters/{encounter}/commands",
    "findCommand",
    TAG,
    answers=_DECIDED,
    query=(Parameter("key", "The idempotency key of your request.", pattern=_KEY),),
)
def find_command(call: Call) -> Answer:
    """Tell what became of the request with your idempotency key: it settles every unknown outcome."""
    if "key" not in call.query:
        raise invalid(("?key", "a value: it is required"))
    known = call.host.log.find_key(call.encounter, call.me.scope, read_key(call.query["key"]))
    if known is None:
        raise not_found()
    return _became(call, known.n)


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
