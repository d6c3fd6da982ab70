"""Show the state as a seat sees it, and everything that seat may do."""

from __future__ import annotations

from typing import Any, Final

from service.api.answers import PROMPT
from service.api.describe import json_schema
from service.api.operations import READERS, UNCHANGED, Parameter, ResponseSchema, operation
from service.api.problems import Problem, invalid
from service.api.request import ApiRequest, ApiResponse
from service.api.shapes import HASH, NUMBER, OPEN, SEAT, TEXT, closed, component, listing, maybe
from service.core import views
from service.rules.codec import to_data
from service.rules.ruleset import legal
from service.steps import Steps
from service.usecases import reading

TAG: Final = "State"
STATE: Final = component(
    "State",
    closed(
        "The encounter as this seat sees it after a commit.",
        version=NUMBER,
        known=NUMBER,
        hash=HASH,
        view={**HASH, "description": "SHA-256 of the canonical JSON of `state`."},
        state=OPEN,
    ),
)
OFFER: Final = component(
    "Offer",
    closed(
        "A command that is legal now: `given` as it is, with any value listed of each of `choices`.",
        type=TEXT,
        creature=maybe(SEAT),
        prompt=maybe(TEXT),
        given=OPEN,
        choices={"type": "object", "additionalProperties": {"type": "array", "items": {}}},
    ),
)
OPTION: Final = component(
    "Option",
    closed(
        "An answer this seat owes or may give, and the commands that give it.",
        prompt=PROMPT,
        commands=listing(OFFER),
    ),
)
OPTIONS: Final = component(
    "Options",
    closed(
        "Everything this seat may do now.",
        version=NUMBER,
        seat=SEAT,
        options=listing(OPTION),
        schemas={
            "type": "object",
            "description": "JSON Schema of each type's parameters.",
            "additionalProperties": OPEN,
        },
    ),
)
VERSION: Final = Parameter("at", "As it was after this commit.", kind="whole", least=1)


@operation(
    "GET",
    "/v1/encounters/{encounter}/state",
    "getState",
    TAG,
    roles=READERS,
    query=(
        VERSION,
        Parameter("known", "With `at`: with what was opened up to this commit.", kind="whole", least=1),
        Parameter("round", "As it was at the end of this round.", kind="whole", least=1),
        Parameter("min_version", "Not before this commit is folded.", kind="whole"),
    ),
    answers={200: ResponseSchema("The state.", STATE), 304: UNCHANGED},
    problems=("not-yet-folded",),
)
def get_state(request: ApiRequest) -> Steps[ApiResponse]:
    """Show the encounter as your seat sees it: now, after a commit, or at the end of a round.

    What is sealed from your seat stands there as `{"sealed": [audience]}`. With `at`, you see what you could
    know then; with `known` also what was opened since.
    """
    head = yield from _head(request)
    at, known = _moment(request, head)
    folder = request.services.folder
    folded = folder.current(request.encounter, head) if at == head else folder.at(request.encounter, at)
    if folded.n < at:  # a failover took back what was heard
        raise _not_yet(at, folded.n)
    known = max(known, folded.n)  # it may be newer than the head that was asked for
    may_differ = known > folded.n or folded.state.closed  # what the end opened is sealed in the state still
    occasions = request.services.occasions.upto(request.encounter, known) if may_differ else {}
    opened = tuple(occasion for occasion, n in occasions.items() if n <= known)
    state = views.state_data(folded.state, request.me.seat, opened)
    data = {
        "version": folded.n,
        "known": known,
        "hash": folded.hash,
        "view": views.view_hash(state),
        "state": state,
    }
    return ApiResponse(data, version=str(folded.n) if known == folded.n else f"{folded.n}-{known}")


def _head(request: ApiRequest) -> Steps[int]:
    """Return the number of the last folded commit, once it is what the client waits for."""
    wanted: int = request.query.get("min_version", 0)
    head = request.services.log.head(request.encounter)
    folded = head.folded if head else 0
    appended = head.appended if head else 0
    if wanted > max(appended, 1):
        raise invalid(("?min_version", f"at most {appended}, the newest command"))
    if folded < wanted <= appended:
        heard = yield request.services.outcomes.pause(request.encounter, wanted, request.preference.seconds)
        folded = folded if heard is None else wanted
    if folded < max(wanted, 1):
        raise _not_yet(max(wanted, 1), folded)
    return folded


def _not_yet(wanted: int, folded: int) -> Problem:
    detail = f"commit {wanted} is not folded yet; the encounter is at {folded}"
    return Problem("not-yet-folded", detail, headers={"Retry-After": "1"})


def _moment(request: ApiRequest, head: int) -> tuple[int, int]:
    """Return after which commit the state is wanted, and up to which it may be known."""
    query = request.query
    if "at" in query and "round" in query:
        raise invalid(("?round", "either `at` or `round`"))
    at = query.get("at", head)
    if "round" in query:
        spans = reading.rounds(request.services, request.encounter)
        span = next((span for span in spans if span.round == query["round"]), None)
        if span is None:
            raise invalid(("?round", "a round that has begun"))
        at = span.last or head
    known = query.get("known", at)
    if at > head:
        raise invalid(("?at", f"at most {head}, the newest version"))
    if not at <= known <= head:
        raise invalid(("?known", f"from {at} to {head}"))
    return at, known


@operation(
    "GET",
    "/v1/encounters/{encounter}/options",
    "getOptions",
    TAG,
    roles=READERS,
    query=(Parameter("creature", "Only what this creature may do.", pattern=r"[a-z0-9][a-z0-9-]{0,23}"),),
    answers={200: ResponseSchema("The options.", OPTIONS), 304: UNCHANGED},
)
def get_options(request: ApiRequest) -> ApiResponse:
    """List every command that is legal now for your seat, with concrete choices and its schema.

    Take `given` as it is and one value of each of `choices`: every combination is accepted. What is missing
    here is refused.
    """
    folded = request.services.folder.current(request.encounter)
    seat, creature = request.me.seat, request.query.get("creature")
    options: list[dict[str, Any]] = []
    types: dict[str, None] = {}
    for awaited, offers in legal(folded.ruleset, folded.state, seat, creature):
        options.append(
            {"prompt": views.prompt_data(awaited), "commands": [to_data(offer) for offer in offers]}
        )
        types |= dict.fromkeys(offer.type for offer in offers)
    schemas = request.inputs[request.me.edition].commands
    data = {
        "version": folded.n,
        "seat": seat,
        "options": options,
        "schemas": {name: json_schema(type(schemas[name])) for name in types},
    }
    return ApiResponse(data, version=str(folded.n))
