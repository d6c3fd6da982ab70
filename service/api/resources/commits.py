"""The stored record: commits in pages or as a stream, and their dice."""

from __future__ import annotations

from typing import Any, Final

from service.api import event_stream, parameters
from service.api.answers import ROLL
from service.api.operations import READERS, TICKET, UNCHANGED, ResponseSchema, operation
from service.api.paging import CURSOR, paged, passed_on
from service.api.parameters import Parameter
from service.api.problems import invalid
from service.api.request import ApiRequest, ApiResponse, cursor, read_cursor
from service.api.shapes import HASH, NUMBER, TEXT, UUID, closed, component, listing, maybe, page, ref
from service.audit.statistics import spreads
from service.core import views
from service.record.commit import load_commit
from service.usecases import reading

TAG: Final = "Record"
_OPENED: Final = closed(
    "An envelope that this seat may open: the payload's exact text and the salt that verify its commitment.",
    index=NUMBER,
    payload=TEXT,
    salt=HASH,
)
OPENED_ENVELOPE: Final = component("OpenedEnvelope", _OPENED)
_COMMIT: Final = closed(
    "A commit as stored, and the envelopes in it that this seat may open.",
    {
        "text": {
            **listing(TEXT),
            "description": "With `?text=en`: a sentence for each event that this seat may read, in order.",
        }
    },
    n=NUMBER,
    hash=HASH,
    commit={
        "type": "string",
        "description": "Its exact text; `hash` is the SHA-256 of a zero byte followed by this text.",
    },
    opened=listing(OPENED_ENVELOPE),
)
COMMIT: Final = component("Commit", _COMMIT)
COMMITS: Final = component("Commits", page("Commits in order.", "commits", COMMIT))
REVEALED_ENVELOPE: Final = component(
    "RevealedEnvelope",
    closed(
        "An envelope of the earlier commit `n`, opened to you by a later commit.",
        n=NUMBER,
        **_OPENED["properties"],
    ),
)
COMMIT_SCHEMA: Final = component(
    "CommitView",
    closed(
        "A commit as your seat could read it when it was made; a later stream sends it in the same form.",
        {"text": _COMMIT["properties"]["text"]},
        **{name: each for name, each in _COMMIT["properties"].items() if name != "text"},
        revealed={
            **listing(REVEALED_ENVELOPE),
            "description": "Envelopes of earlier commits that this commit opened.",
        },
    ),
)
HEARTBEAT: Final = component(
    "Heartbeat",
    closed(
        "The stream has sent every commit up to `version`; `view` is the hash of your seat's view after it.",
        version=NUMBER,
        view=HASH,
    ),
)
RESET: Final = component(
    "Reset",
    closed("The position is unknown; the stream continues after `version`.", version=NUMBER),
)
CONTINUATION: Final = component(
    "Continuation",
    closed(
        "The encounter continues in another line of play, which repeats earlier play up to its commit `n`.",
        line={**UUID, "description": "The line in which it continues."},
        n={**NUMBER, "description": "The last repeated commit of that line; later ones are new."},
        hash=HASH,
        ended=closed("The last commit of this line.", line=UUID, n=NUMBER, hash=HASH),
        origin=closed(
            "The last commit of earlier play that remains valid in the new line.",
            parent=UUID,
            n=NUMBER,
            hash=HASH,
            kind={"enum": ["as_ruled", "undo", "redo"]},
            levels={**NUMBER, "description": "The number of undos that can be redone from its beginning."},
        ),
    ),
)
_EXAMPLE: Final = """\
retry: 3000
id: 5a0d1c7e-1b1f-8c4e-9d4a-3f2b1c0d9e8f:11

id: 5a0d1c7e-1b1f-8c4e-9d4a-3f2b1c0d9e8f:12
event: commit
data: {"n":12,"hash":"…","commit":"…","opened":[],"revealed":[]}

event: heartbeat
data: {"version":12,"view":"…"}

"""
_COMMIT_FIELDS: Final = {
    "commit": "CommitView",
    "heartbeat": "Heartbeat",
    "reset": "Reset",
    "continued": "Continuation",
}
COMMIT_STREAM: Final = component(
    "CommitStream",
    {
        "type": "string",
        "description": "Server-sent events. `id` is the line of play and the commit's number; a browser "
        "sends the last one as `Last-Event-ID` when it reconnects. `data` is JSON; its schema depends on "
        "the event's name:",
        "contentMediaType": "text/event-stream",
        "contentSchema": {"anyOf": [ref(shape) for shape in _COMMIT_FIELDS.values()]},
        "x-event-data": {name: ref(shape) for name, shape in _COMMIT_FIELDS.items()},
        "examples": [_EXAMPLE],
    },
)
ROLLS: Final = component("Rolls", page("Rolls in order; `n` is the commit of each.", "rolls", ROLL))
ROLL_STATISTICS: Final = component(
    "RollStatistics",
    closed(
        "Statistics of the dice up to commit `upto`.",
        upto=NUMBER,
        dice=listing(
            closed(
                "One type of die.",
                sides=NUMBER,
                source={"enum": ["seeded", "declared"]},
                dice={**NUMBER, "description": "The number of dice thrown."},
                faces={
                    **listing(NUMBER),
                    "description": "How often each face came up, from face 1 on.",
                },
                chi_square={"type": "number", "minimum": 0},
                p_value=maybe({"type": "number", "minimum": 0, "maximum": 1}),
            )
        ),
    ),
)
AFTER: Final = Parameter("after", "Only commits after this one.", kind="whole")
ROUND: Final = Parameter("round", "Only this round.", kind="whole", least=1)
CREATURE: Final = Parameter(
    "creature", "Only rolls of or against this creature.", pattern=r"[a-z0-9][a-z0-9-]{0,23}"
)
LIMIT: Final = Parameter("limit", "Maximum number of items (default 100).", kind="whole", least=1, most=500)
PAGE: Final = 100
_STEP: Final = 500


@operation(
    "GET",
    "/v1/encounters/{encounter}/commits",
    "listCommits",
    TAG,
    roles=READERS,
    query=(AFTER, ROUND, CURSOR, LIMIT, TICKET, parameters.TEXT, parameters.SEEN_BY),
    answers={200: ResponseSchema("A page of commits.", COMMITS), 304: UNCHANGED},
    stream=COMMIT_STREAM,
    problems=("too-many-streams",),
)
def list_commits(request: ApiRequest) -> ApiResponse:
    """List commits in order: the exact text and hash of each, and the envelopes that your seat may open.

    `hash` is the SHA-256 of a zero byte followed by the text; the next commit has it as `prev`. The payload
    and the salt of an envelope verify its commitment.

    With `Accept: text/event-stream` the answer is a stream (server-sent events). It sends each commit after
    `after`, or after `Last-Event-ID`, once and in order, then every new commit. `heartbeat` comes when you
    have caught up and then at least every ten seconds; it has the hash of your seat's view (`view` of the
    state). `reset` means that the position is unknown: read the state, the stream continues after the given
    version. If the encounter continues in another line of play, `continued` names that line and its position,
    and the stream ends: follow that line after `n`. A stream takes no parameters except `after`, `text` and
    `ticket`.
    """
    if event_stream.is_wanted(request.headers.get("accept")):
        return event_stream.stream(request)
    if TICKET.name in request.query:
        raise invalid(("?ticket", "the header Accept: text/event-stream; a ticket opens only streams"))
    after, upto = _span(request)
    limit = request.query.get("limit", PAGE)
    page = reading.page(request.services, request.encounter, request.readers, after, upto, limit)
    data = [reading.commit_data(each) for each in page]
    if parameters.TEXT.name in request.query:
        said = reading.spoken(request.services, request.encounter, request.readers, page)
        data = [{**each, "text": text} for each, text in zip(data, said, strict=True)]
    last = page[-1].commit.n if page else after
    extra = passed_on(request, parameters.TEXT, parameters.SEEN_BY)
    answer = paged(request, "commits", data, cursor(request, last, upto) if last < upto else None, extra)
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
        CREATURE,
        CURSOR,
        LIMIT,
    ),
    answers={200: ResponseSchema("A page of rolls.", ROLLS), 304: UNCHANGED},
)
def list_rolls(request: ApiRequest) -> ApiResponse:
    """List rolls: purpose, dice with their faces, modifiers and total.

    A page has the rolls of up to `limit` commits.
    """
    after, upto = _span(request)
    limit = request.query.get("limit", PAGE)
    page = reading.page(request.services, request.encounter, request.me.seat, after, upto, limit)
    outcomes = [views.outcome_data(each.commit, each.payloads, each.reader) for each in page]
    data: list[dict[str, Any]] = views.rolls_of(outcomes, request.query.get("creature"))
    last = page[-1].commit.n if page else after
    extra = passed_on(request, CREATURE)
    answer = paged(request, "rolls", data, cursor(request, last, upto) if last < upto else None, extra)
    answer.version = f"{after}-{last}-{reading.head(request.services, request.encounter)}"
    return answer


@operation(
    "GET",
    "/v1/encounters/{encounter}/rolls/statistics",
    "getRollStatistics",
    TAG,
    roles=READERS,
    query=(ROUND,),
    answers={200: ResponseSchema("The statistics.", ROLL_STATISTICS), 304: UNCHANGED},
)
def get_roll_statistics(request: ApiRequest) -> ApiResponse:
    """Count how often each face came up, for each type of die, with Pearson's chi-square.

    Only public rolls are counted, so every seat gets the same answer. `p_value` is the probability that fair
    dice deviate at least this much; it is null while the expected count of a face is below five.
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
    """Return the requested range of commits: after the first number, up to and including the second."""
    query = request.query
    if "cursor" in query:
        if "round" in query or "after" in query:
            raise invalid(("?cursor", "a cursor without `round` and `after`, which it includes"))
        after, upto = read_cursor(request, 2)
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
