"""Find rounds in the record, and play one again from what is stored."""

from __future__ import annotations

from typing import Any, Final

from service.api.call import Answer, Call
from service.api.operations import Shape, operation
from service.api.problems import not_found
from service.encounter import play
from service.encounter.reading import records, views

TAG: Final = "Rounds"
_PATH: Final = "/v1/encounters/{encounter}/rounds"
_UNCHANGED: Final = Shape("Nothing has changed.")


@operation("GET", _PATH, "listRounds", TAG, answers={200: Shape("The rounds.", "Rounds"), 304: _UNCHANGED})
def list_rounds(call: Call) -> Answer:
    """List the rounds that have begun, with the commits they begin and end with.

    A round ends with the commit in which the next one begins.
    """
    spans = records.rounds(call.host, call.encounter)
    head = records.head(call.host, call.encounter)
    return Answer({"rounds": [_span_data(span) for span in spans]}, version=str(head))


@operation(
    "GET",
    _PATH + "/{round}",
    "getRound",
    TAG,
    answers={200: Shape("The round.", "Round"), 304: _UNCHANGED},
)
def get_round(call: Call) -> Answer:
    """Give one round with its commits."""
    span = _span(call)
    head = records.head(call.host, call.encounter)
    last = span.last or head
    page = records.page(call.host, call.encounter, call.me.seat, span.first - 1, last, last - span.first + 1)
    commits = [records.commit_data(each) for each in page]
    return Answer(_span_data(span) | {"commits": commits}, version=f"{last}-{head}")


@operation(
    "GET",
    _PATH + "/{round}/replay",
    "replayRound",
    TAG,
    answers={200: Shape("The frames.", "Replay"), 304: _UNCHANGED},
)
def replay_round(call: Call) -> Answer:
    """Play a round again: for each commit, the state before it, what it says, and the state after it.

    Nothing is decided again: the stored commits are folded. (An audit decides again.) What has been opened
    since is shown opened.
    """
    span = _span(call)
    host, seat = call.host, call.me.seat
    head = records.head(host, call.encounter)
    last = span.last or head
    occasions = host.occasions.upto(call.encounter, head)
    before = views.state_data(host.folder.at(call.encounter, span.first - 1).state, seat, occasions)
    frames: list[dict[str, Any]] = []
    for commit, folded in host.folder.steps(call.encounter, span.first - 1, last):
        after = views.state_data(folded.state, seat, occasions)
        read = play.read(host, call.encounter, seat, commit)
        frames.append(
            {
                "commit": records.commit_data(read),
                "outcome": views.outcome_data(commit, read.payloads, read.reader),
                "before": before,
                "after": after,
            }
        )
        before = after
    return Answer(_span_data(span) | {"frames": frames}, version=f"{last}-{head}")


def _span(call: Call) -> records.Span:
    number = call.number("round")
    found = next((s for s in records.rounds(call.host, call.encounter) if s.round == number), None)
    if found is None:
        raise not_found()
    return found


def _span_data(span: records.Span) -> dict[str, Any]:
    return {"round": span.round, "first": span.first, "last": span.last}
