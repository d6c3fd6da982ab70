"""Give the record as it is stored: commits in pages, and the dice in them."""

from __future__ import annotations

from typing import Any, Final

from service.api import event_stream
from service.api.answers import ROLL
from service.api.operations import READERS, TICKET, UNCHANGED, Parameter, ResponseSchema, operation
from service.api.paging import CURSOR, paged
from service.api.problems import invalid
from service.api.request import ApiRequest, ApiResponse, cursor, read_cursor
from service.api.shapes import HASH, NUMBER, TEXT, UUID, closed, component, listing, maybe, page, ref
from service.audit.statistics import spreads
from service.core import views
from service.record.commit import load_commit
from service.usecases import reading

TAG: Final = "Record"
_OPENED: Final = closed(
    "An envelope this seat may open: the payload's exact text and its salt prove the commitment.",
    index=NUMBER,
    payload=TEXT,
    salt=HASH,
)
OPENED_ENVELOPE: Final = component("OpenedEnvelope", _OPENED)
_COMMIT: Final = closed(
    "A commit as stored, and what of it this seat may open.",
    n=NUMBER,
    hash=HASH,
    commit={"type": "string", "description": "Its exact text; `hash` is SHA-256 of a zero byte and it."},
    opened=listing(OPENED_ENVELOPE),
)
COMMIT: Final = component("Commit", _COMMIT)
COMMITS: Final = component("Commits", page("Commits in order.", "commits", COMMIT))
REVEALED_ENVELOPE: Final = component(
    "RevealedEnvelope",
    closed(
        "An envelope of the earlier commit `n`, which a later one opened to you.",
        n=NUMBER,
        **_OPENED["properties"],
    ),
)
TOLD_COMMIT: Final = component(
    "ToldCommit",
    closed(
        "A commit as your seat was told it when it was made, the same whenever it is told.",
        **_COMMIT["properties"],
        revealed={
            **listing(REVEALED_ENVELOPE),
            "description": "What this commit opened of earlier ones.",
        },
    ),
)
HEARTBEAT: Final = component(
    "Heartbeat",
    closed(
        "You have every commit up to `version`; `view` is the hash of your seat's view there.",
        version=NUMBER,
        view=HASH,
    ),
)
RESET: Final = component(
    "Reset", closed("The position was unknown: the stream goes on after `version`.", version=NUMBER)
)
CONTINUATION: Final = component(
    "Continuation",
    closed(
        "The encounter goes on in another line of play; up to `n` that line repeats what was played.",
        encounter={**UUID, "description": "The line in which it goes on."},
        n={**NUMBER, "description": "Its commits after this one are new."},
        hash=HASH,
        ended=closed("The last commit of this line.", encounter=UUID, n=NUMBER, hash=HASH),
        origin=closed(
            "The last commit of earlier play that counts in the new line.",
            parent=UUID,
            n=NUMBER,
            hash=HASH,
            kind={"enum": ["as_ruled", "undo", "redo"]},
            levels={**NUMBER, "description": "How many undos can be taken again from its beginning."},
        ),
    ),
)
_EXAMPLE: Final = """\
retry: 3000

id: 12
event: commit
data: {"n":12,"hash":"…","commit":"…","opened":[],"revealed":[]}

event: heartbeat
data: {"version":12,"view":"…"}

"""
_TOLD: Final = {
    "commit": "ToldCommit",
    "heartbeat": "Heartbeat",
    "reset": "Reset",
    "continued": "Continuation",
}
COMMIT_STREAM: Final = component(
    "CommitStream",
    {
        "type": "string",
        "description": "Server-sent events. `id` is the commit's number; a browser sends the last one as "
        "`Last-Event-ID` when it comes back. `data` is JSON, by the event's name:",
        "x-event-data": {name: ref(shape) for name, shape in _TOLD.items()},
        "examples": [_EXAMPLE],
    },
)
ROLLS: Final = component("Rolls", page("Rolls in order; `n` names each one's commit.", "rolls", ROLL))
ROLL_STATISTICS: Final = component(
    "RollStatistics",
    closed(
        "What the dice showed up to a commit.",
        upto=NUMBER,
        dice=listing(
            closed(
                "One type of die.",
                sides=NUMBER,
                source={"enum": ["seeded", "declared"]},
                dice={**NUMBER, "description": "How many there were."},
                faces={**listing(NUMBER), "description": "How often each face came up, from 1 on."},
                chi_square={"type": "number", "minimum": 0},
                p_value=maybe({"type": "number", "minimum": 0, "maximum": 1}),
            )
        ),
    ),
)
AFTER: Final = Parameter("after", "Only what comes after this commit.", kind="whole")
ROUND: Final = Parameter("round", "Only this round.", kind="whole", least=1)
LIMIT: Final = Parameter("limit", "How many at most (default 100).", kind="whole", least=1, most=500)
PAGE: Final = 100
_STEP: Final = 500


@operation(
    "GET",
    "/v1/encounters/{encounter}/commits",
    "listCommits",
    TAG,
    roles=READERS,
    query=(AFTER, ROUND, CURSOR, LIMIT, TICKET),
    answers={200: ResponseSchema("A page of commits.", COMMITS), 304: UNCHANGED},
    stream=COMMIT_STREAM,
    problems=("too-many-streams",),
)
def list_commits(request: ApiRequest) -> ApiResponse:
    """List commits in order: each one's exact text, its hash, and the envelopes your seat may open.

    `hash` is SHA-256 of a zero byte and the text, and the next commit's `prev`. An envelope's commitment is
    proved by its payload and salt.

    With `Accept: text/event-stream` it is a stream (server-sent events): each commit after `after`, or after
    `Last-Event-ID`, once and in order, then each as it is made. `heartbeat` comes when you have caught up and
    at least every ten seconds, with the hash of your seat's view (`view` of the state); `reset` where the
    position is unknown: read the state anew, the stream goes on from there. Where the encounter goes on in
    another line of play, `continued` names it and its position, and the stream ends: follow that one after
    `n`. Other parameters are refused.
    """
    if event_stream.is_wanted(request.headers.get("Accept")):
        return event_stream.stream(request)
    if TICKET.name in request.query:
        raise invalid(("?ticket", "Accept: text/event-stream: a ticket opens streams alone"))
    after, upto = _span(request)
    limit = request.query.get("limit", PAGE)
    page = reading.page(request.services, request.encounter, request.me.seat, after, upto, limit)
    data = [reading.commit_data(each) for each in page]
    last = page[-1].commit.n if page else after
    answer = paged(request, "commits", data, cursor(last, upto) if last < upto else None)
    answer.version = f"{after}-{last}-{reading.head(request.services, request.encounter)}"
    return answer


@operation(
    "GET",
    "/v1/encounters/{encounter}/rolls",
    "listRolls",
    TAG,
    roles=READERS,
    query=(
        ROUND,
        Parameter("creature", "Only rolls of or against this creature.", pattern=r"[a-z0-9][a-z0-9-]{0,23}"),
        CURSOR,
        LIMIT,
    ),
    answers={200: ResponseSchema("A page of rolls.", ROLLS), 304: UNCHANGED},
)
def list_rolls(request: ApiRequest) -> ApiResponse:
    """List the dice that were thrown, with what for, every face, and what made the total.

    A page holds the rolls of up to `limit` commits.
    """
    after, upto = _span(request)
    limit = request.query.get("limit", PAGE)
    page = reading.page(request.services, request.encounter, request.me.seat, after, upto, limit)
    outcomes = [views.outcome_data(each.commit, each.payloads, each.reader) for each in page]
    data: list[dict[str, Any]] = views.rolls_of(outcomes, request.query.get("creature"))
    last = page[-1].commit.n if page else after
    extra = f"&creature={request.query['creature']}" if "creature" in request.query else ""
    answer = paged(request, "rolls", data, cursor(last, upto) if last < upto else None, extra)
    answer.version = f"{after}-{last}-{reading.head(request.services, request.encounter)}"
    return answer


@operation(
    "GET",
    "/v1/encounters/{encounter}/rolls/statistics",
    "getRollStatistics",
    TAG,
    roles=READERS,
    query=(ROUND,),
    answers={200: ResponseSchema("What the dice showed.", ROLL_STATISTICS), 304: UNCHANGED},
)
def get_roll_statistics(request: ApiRequest) -> ApiResponse:
    """Count the faces that dice showed, for each type of die, with Pearson's chi-square.

    Only rolls that everybody can see are counted, and everybody is told the same. `p_value` says how likely
    fair dice are to spread at least so unevenly; it is null while a face is expected fewer than five times.
    """
    after, upto = _span(request)
    rolls: list[dict[str, Any]] = []
    while after < upto:
        entries = request.services.log.commits(request.encounter, after, min(_STEP, upto - after))
        for commit in (load_commit(entry.raw) for entry in entries):
            rolls += commit.rolls
            after = commit.n
    data = [
        {
            "sides": each.sides,
            "source": each.source,
            "dice": each.dice,
            "faces": [each.faces.get(face, 0) for face in range(1, each.sides + 1)],
            "chi_square": round(each.chi_square, 6),
            "p_value": None if each.p_value is None else round(each.p_value, 6),
        }
        for each in spreads(rolls)
    ]
    return ApiResponse({"upto": upto, "dice": data}, version=str(upto))


def _span(request: ApiRequest) -> tuple[int, int]:
    """Return which commits are asked for: after the first number, up to the second."""
    query = request.query
    if "cursor" in query:
        if "round" in query or "after" in query:
            raise invalid(("?cursor", "a cursor alone: it stands for the whole question"))
        after, upto = read_cursor(query["cursor"], 2)
        return after, upto
    after, upto = query.get("after", 0), reading.head(request.services, request.encounter)
    if "round" in query:
        span = next(
            (s for s in reading.rounds(request.services, request.encounter) if s.round == query["round"]),
            None,
        )
        if span is None:
            raise invalid(("?round", "a round that has begun"))
        after, upto = max(after, span.first - 1), span.last or upto
    return after, max(after, upto)
