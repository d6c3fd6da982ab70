"""Amendments: propose an undo, a redo or a ruling, compare it with the play so far, accept or drop it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from service.api.answers import BETWEEN, PENDING, REFUSAL
from service.api.command_outcomes import pending, refusal_problem, send_checked
from service.api.operations import GM_ALONE, ResponseSchema, operation
from service.api.problems import not_found
from service.api.request import ApiRequest, ApiResponse
from service.api.schemas import schema_of
from service.api.shapes import NUMBER, SEAT, TEXT, UUID, closed, component, listing, maybe
from service.core import continuation, views
from service.rules.contests.amendments import AcceptAmendment, DropAmendment, Redo, Undo
from service.rules.kernel.messages import Refused
from service.rules.kernel.records import record
from service.steps import Steps
from service.usecases import accepted_lines, amending

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
AMENDMENT_DIFFERENCE: Final = component(
    "AmendmentDifference",
    closed(
        "The difference between a proposed line and the line as played.",
        None,
        commands=listing(ACCEPTED_COMMAND),
        gone={
            **listing(ACCEPTED_COMMAND),
            "description": "Repeated commands that are refused in this line.",
        },
        left={**listing(NUMBER), "description": "Numbers of played commands that this line does not repeat."},
        **BETWEEN,
    ),
)
AMENDMENT: Final = component(
    "Amendment",
    closed(
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
        line={
            **maybe(UUID),
            "description": "The line of play that contains `commit`; null if it is this one.",
        },
        decision=TEXT,
        reason=TEXT,
        version={**NUMBER, "description": "The version of the encounter that the proposal is compared with."},
        encounter={**UUID, "description": "The proposed line; the gm may read it."},
        status={
            "enum": ["deciding", "ready", "accepted", "dropped", "outdated", "void"],
            "description": "`void`: play continued before the proposal, so it has no commit to start from, "
            "or a command that it decides again is sealed from the gm.",
        },
        difference=maybe(AMENDMENT_DIFFERENCE),
    ),
)
_PATH: Final = "/v1/encounters/{encounter}"
_ONE: Final = _PATH + "/amendments/{amendment}"
_PROBLEMS: Final = ("command-refused", "version-mismatch")
_PROPOSED: Final = ResponseSchema("The proposal; it has the difference once its line is decided.", AMENDMENT)


@record
class NewUndo:
    """The first commit to take back, and the reason."""

    commit: int
    reason: str = ""
    line: str = ""
    """The line of play that contains the commit; empty for this one."""


@record
class NewRedo:
    """The reason for a redo."""

    reason: str = ""


@record
class Acceptance:
    """The version of the encounter that the proposal was compared with."""

    version: int


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
    answers={201: _PROPOSED, 202: PENDING},
)
def undo(request: ApiRequest) -> Steps[ApiResponse]:
    """Propose to undo a commit and everything after it.

    Nothing changes until the proposal is accepted. Dice that were thrown are not thrown again: the same
    command gets the same dice.
    """
    return (
        yield from pending(
            request, (yield from send_checked(request, Undo, request.data)), proposal_answer(request)
        )
    )


@operation(
    "POST",
    _PATH + "/redo",
    "redo",
    TAG,
    roles=GM_ALONE,
    body=NEW_REDO,
    waits=True,
    problems=_PROBLEMS,
    answers={201: _PROPOSED, 202: PENDING},
)
def redo(request: ApiRequest) -> Steps[ApiResponse]:
    """Propose to redo what an undo took back, with the same dice."""
    return (
        yield from pending(
            request, (yield from send_checked(request, Redo, request.data)), proposal_answer(request)
        )
    )


@operation("GET", _ONE, "getAmendment", TAG, roles=GM_ALONE, may_wait=True, answers={200: _PROPOSED})
def get_amendment(request: ApiRequest) -> ApiResponse:
    """Get a proposal, and how its line differs from the line as played.

    In `difference`, `commands` lists the commands of the proposed line with their outcomes, `gone` the
    repeated ones that are refused there (for example because their prompt no longer exists), and `left` the
    played commands that are not repeated. `patch` (RFC 6902) leads from the state as played to the proposed
    state.
    """
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
        200: ResponseSchema(
            "The proposal is accepted; the encounter continues in its line.", AMENDMENT, headers=("Link",)
        ),
        202: PENDING,
    },
)
def accept_amendment(request: ApiRequest) -> Steps[ApiResponse]:
    """Accept a proposal: the encounter continues in its line, and this line stays as it was played.

    `version` is the version that the proposal was compared with. If anything was played since, the proposal
    is refused. Seat tokens keep working: they are valid in the new line too.
    """
    name = request.path["amendment"]
    try:
        data = amending.acceptance(request.services, request.encounter, name, request.data["version"])
    except Refused as refused:
        raise refusal_problem(request, refused) from refused
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
    name = request.path["amendment"]
    sent = yield from send_checked(request, DropAmendment, {"amendment": name})
    return (yield from pending(request, sent, lambda _outcome: ApiResponse(_shown(request, name))))


def proposal_answer(request: ApiRequest) -> Callable[[views.Data], ApiResponse]:
    """Return a function that answers a proposing command with its proposal (201)."""

    def answer(outcome: views.Data) -> ApiResponse:
        name = next(e["amendment"] for e in outcome["events"] if e["type"] == "amendment_proposed")
        data = _shown(request, name) | {"n": outcome["n"]}
        return ApiResponse(data, 201, {"Location": f"/v1/encounters/{request.encounter}/amendments/{name}"})

    return answer


def _accepted(request: ApiRequest, data: Mapping[str, Any]) -> Callable[[views.Data], ApiResponse]:
    def answer(outcome: views.Data) -> ApiResponse:
        entry = request.services.encounters.find(data["encounter"])
        assert entry is not None, "a line that is accepted has an entry"
        request.services.encounters.show(entry)
        accepted_lines.begin_accepted_line(request.services, data["encounter"], request.preference.seconds)
        link = f'</v1/encounters/{data["encounter"]}>; rel="successor-version"'
        return ApiResponse(_shown(request, data["amendment"]) | {"n": outcome["n"]}, 200, {"Link": link})

    return answer


def _shown(request: ApiRequest, name: str) -> views.Data:
    found = continuation.proposal(request.services.log, request.encounter, name)
    if found is None:
        raise not_found()
    drafted = amending.draft(request.services, found, request.preference.seconds)
    return amending.amendment_data(request.services, drafted)
