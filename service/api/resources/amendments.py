"""Continue otherwise from an earlier moment: undo, redo, what the gm rules; shown before it is accepted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from service.api.answers import BETWEEN, PENDING, REFUSAL
from service.api.operations import GM_ALONE, ResponseSchema, operation
from service.api.problems import not_found
from service.api.request import ApiRequest, ApiResponse
from service.api.schemas import schema_of
from service.api.sending import pending, refusal_problem, send_checked
from service.api.shapes import NUMBER, SEAT, TEXT, UUID, closed, component, listing, maybe
from service.core import continuation, views
from service.rules.amendments import AcceptAmendment, DropAmendment, Redo, Undo
from service.rules.messages import Refused
from service.rules.records import record
from service.steps import Steps
from service.usecases import accepting, amending

TAG: Final = "Amendments"
TAKEN_COMMAND: Final = component(
    "TakenCommand",
    closed(
        "A command of the proposed line, and what became of it.",
        {"refusal": REFUSAL},
        n=NUMBER,
        old={**maybe(NUMBER), "description": "The old command that it is; null where the ruling put it in."},
        source={**UUID, "description": "The encounter whose command it is."},
        seat=SEAT,
        type={**maybe(TEXT), "description": "null where what was commanded is still sealed."},
        outcome={"enum": ["accepted", "refused", "sealed", "quarantined"]},
    ),
)
AMENDMENT_DIFFERENCE: Final = component(
    "AmendmentDifference",
    closed(
        "How a proposed line differs from the one as played.",
        None,
        commands=listing(TAKEN_COMMAND),
        gone={**listing(TAKEN_COMMAND), "description": "Old answers whose prompt is gone."},
        left={**listing(NUMBER), "description": "Commands as played that the line does not take."},
        **BETWEEN,
    ),
)
AMENDMENT: Final = component(
    "Amendment",
    closed(
        "How the gm would continue from an earlier moment.",
        {"n": {**NUMBER, "description": "The command that proposed or ended it, after one that did."}},
        amendment=TEXT,
        kind={"enum": ["as_ruled", "undo", "redo"]},
        contest=maybe(TEXT),
        commit={**maybe(NUMBER), "description": "The first commit that is taken back."},
        line={
            **maybe(UUID),
            "description": "The earlier line in which that stands, where it is not this one.",
        },
        decision=TEXT,
        reason=TEXT,
        version={**NUMBER, "description": "The version of the encounter that is compared."},
        encounter={**UUID, "description": "The line that is proposed; the gm may read it."},
        status={
            "enum": ["deciding", "ready", "accepted", "dropped", "void"],
            "description": "`void`: something was played before it was proposed, so it goes on from nowhere.",
        },
        difference=maybe(AMENDMENT_DIFFERENCE),
    ),
)
_PATH: Final = "/v1/encounters/{encounter}"
_ONE: Final = _PATH + "/amendments/{amendment}"
_PROBLEMS: Final = ("command-refused", "version-mismatch")
_PROPOSED: Final = ResponseSchema("The proposal, with how its line differs once that is decided.", AMENDMENT)


@record
class NewUndo:
    """From which commit on everything is taken back, and why."""

    commit: int
    reason: str = ""
    line: str = ""
    """The earlier line in which the commit stands; none is this one."""


@record
class NewRedo:
    """Why what was undone is taken again."""

    reason: str = ""


@record
class Acceptance:
    """The version of the encounter that was compared with the proposal."""

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
    """Propose to take back everything from a commit on.

    Nothing changes until the proposal is accepted. Dice that were thrown stay: who does the same again throws
    the same.
    """
    return (
        yield from pending(
            request, (yield from send_checked(request, Undo, request.data)), told_proposal(request)
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
    """Propose to take again what an undo has taken back, with the same dice."""
    return (
        yield from pending(
            request, (yield from send_checked(request, Redo, request.data)), told_proposal(request)
        )
    )


@operation("GET", _ONE, "getAmendment", TAG, roles=GM_ALONE, answers={200: _PROPOSED})
def get_amendment(request: ApiRequest) -> ApiResponse:
    """Tell how a proposed line differs from the one as played.

    `commands` lists every old command with what became of it, `gone` those that are refused now because what
    they answered is not asked any more, `left` those that are not taken. `patch` (RFC 6902) leads from the
    state as played to the proposed one.
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
            "Accepted: the encounter goes on in the other line.", AMENDMENT, headers=("Link",)
        ),
        202: PENDING,
    },
)
def accept_amendment(request: ApiRequest) -> Steps[ApiResponse]:
    """Accept a proposal: the encounter goes on in its line, and this one stays as it was played.

    `version` is the one that was compared; if anything has happened since, nothing is accepted. Seat tokens
    keep working: they open the new line too.
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
    answers={200: ResponseSchema("It is dropped.", AMENDMENT), 202: PENDING},
)
def drop_amendment(request: ApiRequest) -> Steps[ApiResponse]:
    """Drop a proposal: the line as played goes on."""
    name = request.path["amendment"]
    sent = yield from send_checked(request, DropAmendment, {"amendment": name})
    return (yield from pending(request, sent, lambda _outcome: ApiResponse(_shown(request, name))))


def told_proposal(request: ApiRequest) -> Callable[[views.Data], ApiResponse]:
    """Return how to answer a command that proposed: with the proposal."""

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
        accepting.begin_accepted_line(request.services, data["encounter"], request.preference.seconds)
        link = f'</v1/encounters/{data["encounter"]}>; rel="successor-version"'
        return ApiResponse(_shown(request, data["amendment"]) | {"n": outcome["n"]}, 200, {"Link": link})

    return answer


def _shown(request: ApiRequest, name: str) -> views.Data:
    found = continuation.proposal(request.services.log, request.encounter, name)
    if found is None:
        raise not_found()
    drafted = amending.draft(request.services, found, request.preference.seconds)
    return amending.amendment_data(request.services, drafted)
