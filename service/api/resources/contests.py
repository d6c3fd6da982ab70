"""Contests: a seat contests a commit, an event or a roll; the gm answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Final, Literal

from service.api import parameters
from service.api.answers import PENDING
from service.api.command_outcomes import pending, send_checked
from service.api.operations import ACTORS, GM_ALONE, READERS, UNCHANGED, ResponseSchema, operation
from service.api.problems import invalid, not_found
from service.api.request import ApiRequest, ApiResponse
from service.api.schemas import faults, raise_if_invalid, schema_of
from service.api.shapes import NUMBER, SEAT, TEXT, UUID, closed, component, listing, maybe
from service.core import views
from service.log import Appended
from service.rules.contests.amendments import Amend, AmendmentProposed
from service.rules.contests.contests import OpenContest, Uphold
from service.rules.kernel.codec import to_data
from service.rules.kernel.meaning import at_most
from service.rules.kernel.records import record
from service.rules.kernel.values import Code, CommandLike, Decision, Reason, Subject
from service.rules.table.disputes import Contest
from service.steps import Steps
from service.usecases.reading import contested_text

TAG: Final = "Contests"
CONTEST: Final = component(
    "Contest",
    closed(
        "A contest of a commit, an event or a roll, and how it ended.",
        {
            "n": {
                **NUMBER,
                "description": "The command that opened or answered it, in the answer to that command.",
            },
            "amendment": {**TEXT, "description": "The proposal that would answer it `as_ruled`."},
            "text": {
                **listing(TEXT),
                "description": "With `?text=en`: what the contested commit did, a sentence for each event "
                "that this seat may read.",
            },
        },
        contest=TEXT,
        seat=SEAT,
        line={**UUID, "description": "The line of play that contains the commit."},
        commit=NUMBER,
        event={**maybe(NUMBER), "description": "The event's index in the commit."},
        roll={**maybe(TEXT), "description": "The roll's name: `epoch/lane/stream#place`."},
        claim=TEXT,
        status={"enum": ["open", "upheld", "effects", "as_ruled"]},
        decision=TEXT,
        reason=TEXT,
        explanation={"type": "string", "description": "The address of the commit's explanation."},
    ),
)
CONTESTS: Final = component("Contests", closed("All contests of an encounter.", contests=listing(CONTEST)))
_PATH: Final = "/v1/encounters/{encounter}/contests"
_PROBLEMS: Final = ("command-refused", "version-mismatch")
_RULING: Final = "gm_ruling"
_OF_EFFECTS: Final = ("kind", "subject", "effects")
_OF_AS_RULED: Final = ("instead",)


@record
class ContestRuling:
    """The gm's answer to a contest: its ending, the decision and the reason."""

    ending: Literal["upheld", "effects", "as_ruled"]
    """What the GM ruled: the contest is right, other effects come, or play stays as ruled."""
    decision: Decision
    reason: Reason = ""
    kind: Code | None = None
    """With `effects`: the kind of the ruling, as in the edition's `gm_ruling`."""
    subject: Subject | None = None
    """With `effects`: the subject of the ruling."""
    effects: Annotated[tuple[CommandLike, ...], at_most(100)] = ()
    """With `effects`: the effects to apply now, as in the edition's `gm_ruling`."""
    instead: Annotated[tuple[CommandLike, ...], at_most(50)] = ()
    """With `as_ruled`: the commands that replace the contested one. Each has its `type` and fields.
    With `by: gm` its sender is the gm, else the seat that sent the contested command."""


NEW_CONTEST: Final = schema_of(OpenContest, name="NewContest")()
CONTEST_RULING: Final = schema_of(ContestRuling)()


@operation(
    "POST",
    _PATH,
    "openContest",
    TAG,
    roles=ACTORS,
    body=NEW_CONTEST,
    query=(parameters.TEXT,),
    waits=True,
    problems=_PROBLEMS,
    answers={201: ResponseSchema("The contest.", CONTEST), 202: PENDING},
)
def open_contest(request: ApiRequest) -> Steps[ApiResponse]:
    """Contest a commit, an event in it, or a roll, with a claim.

    Only what every seat can see can be contested. Anything that is sealed from a seat is refused like
    something that does not exist (`no_such_moment`). Play continues until the gm answers.
    """
    sent = yield from send_checked(request, OpenContest, request.data)
    return (yield from pending(request, sent, _contest_answer(request, "contest_opened", 201)))


@operation(
    "GET",
    _PATH,
    "listContests",
    TAG,
    roles=READERS,
    query=(parameters.TEXT,),
    answers={200: ResponseSchema("The contests.", CONTESTS), 304: UNCHANGED},
)
def list_contests(request: ApiRequest) -> ApiResponse:
    """List all contests, oldest first."""
    folded = request.services.folder.current(request.encounter)
    found = [_data(request, *item) for item in folded.state.contests.items()]
    return ApiResponse({"contests": found}, version=str(folded.n))


@operation(
    "GET",
    _PATH + "/{contest}",
    "getContest",
    TAG,
    roles=READERS,
    query=(parameters.TEXT,),
    answers={200: ResponseSchema("The contest.", CONTEST), 304: UNCHANGED},
)
def get_contest(request: ApiRequest) -> ApiResponse:
    """Get a contest, and how it ended."""
    folded = request.services.folder.current(request.encounter)
    name = request.path["contest"]
    if name not in folded.state.contests:
        raise not_found()
    return ApiResponse(_data(request, name, folded.state.contests[name]), version=str(folded.n))


@operation(
    "POST",
    _PATH + "/{contest}/ruling",
    "answerContest",
    TAG,
    roles=GM_ALONE,
    body=CONTEST_RULING,
    query=(parameters.TEXT,),
    waits=True,
    problems=_PROBLEMS,
    answers={201: ResponseSchema("The contest, answered.", CONTEST), 202: PENDING},
)
def answer_contest(request: ApiRequest) -> Steps[ApiResponse]:
    """Answer a contest: uphold the commit, apply effects from now on, or decide again as ruled.

    With `upheld` the commit stays as it is, on the grounds of its explanation. With `effects` the edition's
    `gm_ruling` is sent, with the given `kind`, `subject` and `effects`. With `as_ruled` the fight is decided
    again from the contested commit, which the commands in `instead` replace; the `amendment` of the answer
    shows the difference, and counts only once it is accepted.
    """
    answer = {"contest": request.path["contest"], "decision": request.data["decision"]}
    answer["reason"] = request.data.get("reason", "")
    ending = request.data["ending"]
    if ending == "effects":
        _without(request, ending, _OF_AS_RULED)
        sent = yield from _send_effects(request, answer)
    elif ending == "as_ruled":
        _without(request, ending, _OF_EFFECTS)
        sent = yield from send_checked(request, Amend, answer | {"instead": _instead(request)})
        return (yield from pending(request, sent, _contest_answer(request, AmendmentProposed.type, 201)))
    else:
        _without(request, ending, (*_OF_EFFECTS, *_OF_AS_RULED))
        sent = yield from send_checked(request, Uphold, answer)
    return (yield from pending(request, sent, _contest_answer(request, "contest_closed", 201)))


def _send_effects(request: ApiRequest, answer: dict[str, Any]) -> Steps[Appended]:
    """Append the edition's `gm_ruling` with its effects; raises the problem `invalid`."""
    schema = request.inputs[request.me.edition].commands.get(_RULING)
    if schema is None:
        raise invalid(("/ending", f"{request.me.edition} has no rulings with effects"))
    data = answer | {name: request.data[name] for name in _OF_EFFECTS if name in request.data}
    raise_if_invalid(faults(schema, {"type": _RULING, **data}))
    return (
        yield from send_checked(
            request, request.services.registry[request.me.edition].commands[_RULING], data
        )
    )


def _instead(request: ApiRequest) -> list[dict[str, Any]]:
    """Return the commands that replace the contested one, each checked against its schema."""
    made = []
    for index, each in enumerate(request.data.get("instead", ())):
        members = dict(each) if isinstance(each, dict) else {}
        by = members.pop("by", "sender")
        type_, schema = request.inputs[request.me.edition].command(
            members.pop("type", None), f"/instead/{index}"
        )
        if by not in ("sender", "gm"):
            raise invalid((f"/instead/{index}/by", "one of sender, gm"))
        found = faults(schema, {"type": type_, **members})
        raise_if_invalid([(f"/instead/{index}{pointer}", detail) for pointer, detail in found])
        made.append({"type": type_, "data": members, "by": by})
    return made


def _without(request: ApiRequest, ending: str, names: tuple[str, ...]) -> None:
    """Raise the problem `invalid` if the body has one of *names*, which belong to another ending."""
    more = [name for name in names if name in request.data]
    if more:
        raise invalid((f"/{more[0]}", f"no such field with the ending {ending}"))


def _data(request: ApiRequest, name: str, contest: Contest) -> views.Data:
    """Return a contest as the API shows it; with `?text=en` also what the contested commit did."""
    data: views.Data = {"contest": name, **to_data(contest)}
    data["explanation"] = (
        f"/v1/encounters/{request.address}/commits/{contest.commit}/explanation?{parameters.LINE.name}={contest.line}"
    )
    if parameters.TEXT.name in request.query:
        data["text"] = contested_text(request.services, contest, request.me.seat)
    return data


def _contest_answer(request: ApiRequest, type_: str, status: int) -> Callable[[views.Data], ApiResponse]:
    """Return a function that answers a command about a contest with that contest."""

    def answer(outcome: views.Data) -> ApiResponse:
        name = next(event["contest"] for event in outcome["events"] if event["type"] == type_)
        state = request.services.folder.current(request.encounter, outcome["n"]).state
        data = _data(request, name, state.contests[name])
        if type_ == AmendmentProposed.type:
            data["amendment"] = state.amendment.id
        where = {"Location": f"/v1/encounters/{request.address}/contests/{name}"}
        return ApiResponse(data | {"n": outcome["n"]}, status, where)

    return answer
