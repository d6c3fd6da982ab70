"""Amendments: propose an undo, a redo or a ruling, compare it with the play so far, accept or drop it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from http import HTTPStatus
from typing import Any, Final

from service.api import parameters
from service.api.answers import BETWEEN, EVENTS, PENDING, REFUSAL
from service.api.command_outcomes import idempotency_key, pending, refusal_problem, send_checked
from service.api.operations import GM_ALONE, ResponseSchema, operation
from service.api.parameters import LINE
from service.api.problems import not_found
from service.api.request import ApiRequest, ApiResponse
from service.api.schemas import schema_of
from service.api.shapes import (
    HASH,
    NUMBER,
    SEAT,
    TEXT,
    TRUTH,
    UUID,
    Schema,
    closed,
    component,
    listing,
    maybe,
)
from service.core import continuation, views
from service.rules.contests.amendments import AcceptAmendment, DropAmendment, Redo, Undo
from service.rules.kernel.messages import Command, Refused
from service.rules.kernel.records import record
from service.rules.kernel.values import Ordinal, Reason
from service.rules.table.seats import TABLE_SIGN_1
from service.steps import Steps, settle
from service.usecases import accepted_lines, amending
from service.usecases.lines import chain

TAG: Final = "Amendments"
ACCEPTED_COMMAND: Final = component(
    "TakenCommand",
    closed(
        "A command of the proposed line, and its outcome there.",
        {"refusal": REFUSAL},
        n=NUMBER,
        old={
            **maybe(NUMBER),
            "description": "The number of the command that it repeats; null if the ruling added it.",
        },
        source={**UUID, "description": "The encounter of the command that it repeats."},
        seat=SEAT,
        type={**maybe(TEXT), "description": "The type of the command; null while it is sealed."},
        outcome={"enum": ["accepted", "refused", "sealed", "quarantined"]},
    ),
)
ACCEPTANCE_COMMAND: Final = component(
    "AcceptanceCommand",
    closed(
        "The command that accepts a proposal, which a gm with a key signs.",
        type={"const": AcceptAmendment.type},
        amendment=TEXT,
        version=NUMBER,
        encounter=UUID,
        head=closed("The last commit of the proposed line.", n=NUMBER, hash=HASH),
        is_open={
            **TRUTH,
            "description": "Whether the new line hides none of the commands that replace the contested one.",
        },
    ),
)


def _difference(**optional: Schema) -> Schema:
    return closed(
        "The difference between a proposed line and the line as played.",
        optional,
        commands=listing(ACCEPTED_COMMAND),
        gone={
            **listing(ACCEPTED_COMMAND),
            "description": "Repeated commands that are refused in this line.",
        },
        left={**listing(NUMBER), "description": "Numbers of played commands that this line does not repeat."},
        **BETWEEN,
    )


def _amendment(difference: Schema) -> Schema:
    return closed(
        "A proposal of the gm to continue from an earlier commit.",
        {
            "n": {
                **NUMBER,
                "description": "The command that proposed or accepted it, in the answer to that command.",
            }
        },
        amendment=TEXT,
        kind={"enum": ["as_ruled", "undo", "redo"]},
        contest=maybe(TEXT),
        commit={**maybe(NUMBER), "description": "The first commit that is taken back; null for a redo."},
        decision=TEXT,
        reason=TEXT,
        version={**NUMBER, "description": "The version of the encounter that the proposal is compared with."},
        line={**UUID, "description": "The proposed line; the gm may read it with `?line=`."},
        status={
            "enum": ["deciding", "ready", "accepted", "dropped", "outdated", "void"],
            "description": "`void`: play continued before the proposal, so it has no commit to start from, "
            "or a command that it decides again is sealed from the gm.",
        },
        difference=maybe(difference),
        acceptance={
            **maybe(ACCEPTANCE_COMMAND),
            "description": "The command that accepts it, for a gm with a key; null unless it is `ready`.",
        },
    )


AMENDMENT: Final = component("Amendment", _amendment(component("AmendmentDifference", _difference())))
AMENDMENT_WITH_EVENTS: Final = component(
    "AmendmentWithEvents",
    _amendment(component("AmendmentDifferenceWithEvents", _difference(events=EVENTS))),
)
"""What is read of an amendment: only there may a client ask for the events of both sides."""
PENDING_OR_PROPOSED: Final = component(
    "PendingAmendment",
    {
        "description": "The command is not decided yet, or its line is not.",
        "anyOf": [PENDING.schema, AMENDMENT],
    },
)
_PATH: Final = "/v1/encounters/{encounter}"
_ONE: Final = _PATH + "/amendments/{amendment}"
_PROBLEMS: Final = ("command-refused", "version-mismatch")
_PROPOSED: Final = ResponseSchema("The proposal; it has the difference once its line is decided.", AMENDMENT)
_READ: Final = ResponseSchema(_PROPOSED.text, AMENDMENT_WITH_EVENTS)
_DONE: Final = ResponseSchema("It is done: the encounter continues in `line`.", AMENDMENT)
_UNDECIDED: Final = ResponseSchema(
    "It is not done yet. If `status` is `deciding`, repeat the request with the same key.",
    PENDING_OR_PROPOSED,
)


@record
class NewUndo:
    """The last commit that stays, and the reason."""

    to: Ordinal
    """The version to go back to; everything after it is undone."""
    reason: Reason = ""
    preview: bool = False
    """Only propose it, to look at the difference first."""


@record
class NewRedo:
    """The reason for a redo."""

    reason: Reason = ""
    preview: bool = False
    """Only propose it, to look at the difference first."""


@record
class Acceptance:
    """The version of the encounter that the proposal was compared with."""

    version: Ordinal


NEW_UNDO: Final = schema_of(NewUndo)()
NEW_REDO: Final = schema_of(NewRedo)()
ACCEPTANCE: Final = schema_of(Acceptance)()


@operation(
    "POST",
    _PATH + "/undo",
    "undo",
    TAG,
    roles=GM_ALONE,
    body=NEW_UNDO,
    waits=True,
    problems=_PROBLEMS,
    answers={200: _DONE, 201: _PROPOSED, 202: _UNDECIDED},
)
def undo(request: ApiRequest) -> Steps[ApiResponse]:
    """Go back to version `to`: everything after it is undone.

    The encounter continues at the same address in a new line of play; the old line is read by its id. Dice
    that were thrown are not thrown again: the same command gets the same dice. With `preview` nothing changes
    yet: the answer is a proposal with the difference, which you accept or drop. A gm with a key always sends
    `preview` (`accept_apart`), and signs the `acceptance` of the proposal.
    """
    asked = request.data
    data = {
        "commit": asked["to"] + 1,
        "reason": asked.get("reason", ""),
    }
    return (yield from _propose(request, Undo, data))


@operation(
    "POST",
    _PATH + "/redo",
    "redo",
    TAG,
    roles=GM_ALONE,
    body=NEW_REDO,
    waits=True,
    problems=_PROBLEMS,
    answers={200: _DONE, 201: _PROPOSED, 202: _UNDECIDED},
)
def redo(request: ApiRequest) -> Steps[ApiResponse]:
    """Redo what the last undo took back, with the same dice, or with `preview` only propose it."""
    return (yield from _propose(request, Redo, {"reason": request.data.get("reason", "")}))


def _propose(request: ApiRequest, kind: type[Command[Any]], data: Mapping[str, Any]) -> Steps[ApiResponse]:
    """Record a proposal, and accept it unless the request asks for a preview."""
    if not request.data.get("preview", False):
        yield from settle(partial(_check_unsigned, request))
    sent = yield from send_checked(request, kind, data)
    proposed = yield from pending(request, sent, proposal_answer(request))
    if proposed.status != HTTPStatus.CREATED or request.data.get("preview", False):
        return proposed
    if proposed.data["status"] == "deciding":
        proposed.status = HTTPStatus.ACCEPTED
        return proposed
    if proposed.data["status"] == "accepted":  # a repeat
        proposed.status = HTTPStatus.OK
        return proposed
    name, version = proposed.data["amendment"], proposed.data["version"]
    accepted = yield from settle(partial(_acceptance, request, name, version))
    sent = yield from send_checked(request, AcceptAmendment, accepted, step="accept")
    return (yield from pending(request, sent, _accepted(request, accepted)))


@operation(
    "GET",
    _ONE,
    "getAmendment",
    TAG,
    roles=GM_ALONE,
    query=(parameters.EVENTS,),
    may_wait=True,
    answers={200: _READ},
)
def get_amendment(request: ApiRequest) -> ApiResponse:
    """Get a proposal, and how its line differs from the line as played.

    In `difference`, `commands` lists the commands of the proposed line with their outcomes, `gone` the
    repeated ones that are refused there (for example because their prompt no longer exists), and `left` the
    played commands that are not repeated. `patch` (RFC 6902) leads from the state as played to the proposed
    state.
    """
    _find_line(request)
    return ApiResponse(_shown(request, request.path["amendment"]))


@operation(
    "POST",
    _ONE + "/accept",
    "acceptAmendment",
    TAG,
    roles=GM_ALONE,
    body=ACCEPTANCE,
    waits=True,
    problems=_PROBLEMS,
    answers={
        200: _DONE,
        202: PENDING,
    },
)
def accept_amendment(request: ApiRequest) -> Steps[ApiResponse]:
    """Accept a proposal: the encounter continues in its line, at the same address.

    `version` is the version that the proposal was compared with. If anything was played since, the proposal
    is refused. The old line stays as it was played, and is read by its id.
    """
    _find_line(request)
    data = _acceptance(request, request.path["amendment"], request.data["version"])
    sent = yield from send_checked(request, AcceptAmendment, data)
    return (yield from pending(request, sent, _accepted(request, data)))


@operation(
    "DELETE",
    _ONE,
    "dropAmendment",
    TAG,
    roles=GM_ALONE,
    waits=True,
    problems=_PROBLEMS,
    answers={200: ResponseSchema("The proposal is dropped.", AMENDMENT), 202: PENDING},
)
def drop_amendment(request: ApiRequest) -> Steps[ApiResponse]:
    """Drop a proposal: the line as played continues."""
    _find_line(request)
    name = request.path["amendment"]
    sent = yield from send_checked(request, DropAmendment, {"amendment": name})
    return (yield from pending(request, sent, lambda _outcome: ApiResponse(_shown(request, name))))


def proposal_answer(request: ApiRequest) -> Callable[[views.Data], ApiResponse]:
    """Return a function that answers a proposing command with its proposal (201)."""

    def answer(outcome: views.Data) -> ApiResponse:
        name = next(e["amendment"] for e in outcome["events"] if e["type"] == "amendment_proposed")
        data = _shown(request, name) | {"n": outcome["n"]}
        return ApiResponse(data, 201, {"Location": f"/v1/encounters/{request.address}/amendments/{name}"})

    return answer


def _find_line(request: ApiRequest) -> None:
    """Let the request be about the line of play in which its amendment was proposed."""
    services, name = request.services, request.path["amendment"]
    if LINE.name in request.given or not request.has_moved:
        return
    for line in chain(services, services.encounters.root(request.encounter)):
        if continuation.proposal(services.log, line, name) is not None:
            request.line = line
            return


def _check_unsigned(request: ApiRequest) -> None:
    """Raise `command-refused` if the gm has a key, unless it is a repeat.

    A seat signs what it knows, and the line to accept is known only when the proposal is decided.
    """
    seat = request.services.folder.current(request.encounter).state.seats.get(request.me.seat)
    asked = idempotency_key(request, request.me.scope)
    if seat is None or seat.key is None:
        return
    if request.services.log.find_key(request.encounter, asked.scope, asked.key) is None:
        detail = "a gm with a key signs the acceptance too: send it with `preview`, and accept the proposal"
        raise refusal_problem(request, Refused("accept_apart", detail, TABLE_SIGN_1.id))


def _acceptance(request: ApiRequest, name: str, version: int) -> dict[str, Any]:
    """Return the data of the command that accepts a proposal; raises the problem `command-refused`."""
    try:
        return amending.acceptance(request.services, request.encounter, name, version)
    except Refused as refused:
        raise refusal_problem(request, refused) from refused


def _accepted(request: ApiRequest, data: Mapping[str, Any]) -> Callable[[views.Data], ApiResponse]:
    def answer(outcome: views.Data) -> ApiResponse:
        accepted_lines.begin_accepted_line(request.services, data["encounter"], request.preference.seconds)
        return ApiResponse(_shown(request, data["amendment"]) | {"n": outcome["n"]})

    return answer


def _shown(request: ApiRequest, name: str) -> views.Data:
    found = continuation.proposal(request.services.log, request.encounter, name)
    if found is None:
        raise not_found()
    drafted = amending.draft(request.services, found, request.preference.seconds)
    return amending.amendment_data(request.services, drafted, with_events="events" in request.query)
