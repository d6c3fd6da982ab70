"""Rounds: list them, read their commits, and replay one from the stored record."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

from service.api import parameters
from service.api.answers import BLANK_STATE, OUTCOME, PATCH, STATE
from service.api.operations import READERS, UNCHANGED, ResponseSchema, operation
from service.api.paging import CURSOR, next_link, paged
from service.api.problems import invalid, not_found
from service.api.request import ApiRequest, ApiResponse, cursor, read_cursor
from service.api.resources.commits import LIMIT, PAGE
from service.api.shapes import NUMBER, TEXT, Schema, closed, component, either, listing, maybe, page, ref
from service.core import views
from service.record.canonical import dumps
from service.usecases import reading

TAG: Final = "Rounds"
_ROUND_MEMBERS: Final[dict[str, Schema]] = {
    "round": NUMBER,
    "first": {**NUMBER, "description": "The commit in which the round begins."},
    "last": {**maybe(NUMBER), "description": "The commit in which it ends; null while it is in progress."},
}
ROUND: Final = component(
    "Round",
    closed(
        "A round and a page of its commits.",
        **_ROUND_MEMBERS,
        commits=listing(ref("Commit")),
        next_cursor=maybe(TEXT),
    ),
)
ROUNDS: Final = component(
    "Rounds", page("The rounds that have begun, in order.", "rounds", closed("A round.", **_ROUND_MEMBERS))
)
REPLAY: Final = component(
    "Replay",
    closed(
        "A page of a replayed round: a state, and for each commit what it changed.",
        **_ROUND_MEMBERS,
        state={**either(STATE, BLANK_STATE), "description": "The state before the first of these frames."},
        frames=listing(
            closed(
                "One commit and what it changed.",
                {
                    "outcome": {**OUTCOME, "description": "With `?events=true`: what the commit holds."},
                    "text": {**listing(TEXT), "description": "With `?text=en`: a sentence for each event."},
                },
                n=NUMBER,
                patch={
                    **PATCH,
                    "description": "The patch from the state before it to the state after it (RFC 6902).",
                },
            )
        ),
        next_cursor=maybe(TEXT),
    ),
)
_PATH: Final = "/v1/encounters/{encounter}/rounds"

STATES: Final = 8 * 1024 * 1024
"""The bytes of states that a page of a replay compares: 25 frames of two hundred creatures."""


@operation(
    "GET",
    _PATH,
    "listRounds",
    TAG,
    roles=READERS,
    query=(CURSOR, LIMIT),
    answers={200: ResponseSchema("A page of rounds.", ROUNDS), 304: UNCHANGED},
)
def list_rounds(request: ApiRequest) -> ApiResponse:
    """List the rounds that have begun, with their first and last commits.

    A round ends with the commit in which the next one begins.
    """
    after = read_cursor(request, 1)[0] if "cursor" in request.query else 0
    limit = request.query.get("limit", PAGE)
    spans = [span for span in reading.rounds(request.services, request.encounter) if span.round > after]
    head = reading.head(request.services, request.encounter)
    data = [_span_data(span) for span in spans[:limit]]
    next_cursor = cursor(request, data[-1]["round"]) if len(spans) > limit else None
    answer = paged(request, "rounds", data, next_cursor)
    answer.version = str(head) if not after else f"{after}-{head}"
    return answer


@operation(
    "GET",
    _PATH + "/{round}",
    "getRound",
    TAG,
    roles=READERS,
    query=(CURSOR, LIMIT),
    answers={200: ResponseSchema("The round.", ROUND), 304: UNCHANGED},
)
def get_round(request: ApiRequest) -> ApiResponse:
    """Get a round with its commits, in pages."""
    part = _part(request)
    limit = part.upto - part.after
    page = reading.page(request.services, request.encounter, request.me.seat, part.after, part.upto, limit)
    return _paged(request, part, {"commits": [reading.commit_data(each) for each in page]})


@operation(
    "GET",
    _PATH + "/{round}/replay",
    "replayRound",
    TAG,
    roles=READERS,
    query=(parameters.EVENTS, parameters.TEXT, CURSOR, LIMIT),
    answers={200: ResponseSchema("The frames.", REPLAY), 304: UNCHANGED},
)
def replay_round(request: ApiRequest) -> ApiResponse:
    """Replay a round: a state, then each commit and how it changes the state.

    A replay folds the stored commits and decides nothing again (an audit does). Envelopes that were opened
    since are shown opened. In a large fight a page has fewer frames. `state` is that before the page's first
    frame; each frame's patch (RFC 6902) leads to the next. With `?events=true` a frame has the events and
    dice of its commit too, with `?text=en` sentences. `GET …/rounds/{round}` has the commits as stored.
    """
    part = _part(request)
    services, seat = request.services, request.me.seat
    occasions = services.occasions.upto(request.encounter, part.head)
    first = before = views.state_data(
        services.folder.at(request.encounter, part.after).state, seat, occasions
    )
    part = replace(part, upto=min(part.upto, part.after + max(1, STATES // len(dumps(first)))))
    steps = list(services.folder.steps(request.encounter, part.after, part.upto))
    read = reading.read_all(services, request.encounter, seat, [commit for commit, _ in steps])
    frames: list[dict[str, Any]] = []
    extra = ""
    for commit, folded in steps:
        after = views.state_data(folded.state, seat, occasions)
        frames.append({"n": commit.n, "patch": views.patch(before, after)})
        before = after
    if parameters.EVENTS.name in request.query:
        extra += "&events=true"
        for frame, each in zip(frames, read, strict=True):
            frame["outcome"] = views.outcome_data(each.commit, each.payloads, each.reader)
    if parameters.TEXT.name in request.query:
        extra += "&text=en"
        for frame, text in zip(frames, reading.spoken(services, request.encounter, seat, read), strict=True):
            frame["text"] = text
    return _paged(request, part, {"state": first, "frames": frames}, extra)


@dataclass(frozen=True)
class _Part:
    """One page of a round: commits *after* < n <= *upto*; *last* is the round's last, or the newest."""

    span: reading.RoundSpan
    after: int
    upto: int
    last: int
    head: int


def _part(request: ApiRequest) -> _Part:
    """Return the requested page of a round; raises `not-found` or `invalid`."""
    span, head = _span(request), reading.head(request.services, request.encounter)
    after, last = span.first - 1, span.last or head
    if "cursor" in request.query:
        after, last = read_cursor(request, 2)
        if not span.first <= after < last <= (span.last or head):
            raise invalid(("?cursor", "a cursor from an earlier page of this round"))
    return _Part(span, after, min(last, after + request.query.get("limit", PAGE)), last, head)


def _paged(request: ApiRequest, part: _Part, data: dict[str, Any], extra: str = "") -> ApiResponse:
    """Return a page of a round, with a link to the next page if there is one."""
    next_cursor = cursor(request, part.upto, part.last) if part.upto < part.last else None
    return ApiResponse(
        _span_data(part.span) | data | {"next_cursor": next_cursor},
        headers=next_link(request, next_cursor, extra),
        version=f"{part.after}-{part.upto}-{part.last}-{part.head}",
    )


def _span(request: ApiRequest) -> reading.RoundSpan:
    number = request.number("round")
    found = next((s for s in reading.rounds(request.services, request.encounter) if s.round == number), None)
    if found is None:
        raise not_found()
    return found


def _span_data(span: reading.RoundSpan) -> dict[str, Any]:
    return {"round": span.round, "first": span.first, "last": span.last}
