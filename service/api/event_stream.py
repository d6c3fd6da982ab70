"""Stream commits to a client as server-sent events.

`id:` is a line of play and a number in it, which a browser repeats in `Last-Event-ID` when it reconnects. A
heartbeat has no id, so after an interruption at any point a client gets every later commit once. A stream
ends where its line does. The id of its last event is where the next line begins, so a client that reconnects
goes on there.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Generator
from contextlib import closing
from functools import partial
from typing import Any, Final

import structlog
from werkzeug.datastructures import MIMEAccept
from werkzeug.http import parse_accept_header

from service.api.parameters import LINE
from service.api.problems import Problem, invalid
from service.api.request import ApiRequest, ApiResponse
from service.log import LogError
from service.rules.table.table import GM
from service.signals.command_traces import CommandTraces
from service.signals.feeds import EventFeed, Guest, TooManyFeeds
from service.steps import Pause, Stream
from service.stores.encounter_index import EncounterEntry
from service.usecases import following, lines, reading
from service.usecases.accepted_lines import is_draft

MEDIA_TYPE: Final = "text/event-stream"
RETRY_MS: Final = 3_000
_EVENT_ID: Final = re.compile(rf"({LINE.pattern}):(\d{{1,15}})")
"""A line of play and a number; 15 digits stay exact in every JSON parser."""
_logger: Final = structlog.get_logger()


def is_wanted(header: str | None) -> bool:
    """Return whether the `Accept` *header* prefers a stream to JSON; on a tie, a named stream wins."""
    accepted = parse_accept_header(header, MIMEAccept)
    stream, data = accepted.quality(MEDIA_TYPE), accepted.quality("application/json")
    is_named = any(value.lower() == MEDIA_TYPE for value in accepted.values())
    return stream > data or (stream == data > 0 and is_named)


def stream(request: ApiRequest) -> ApiResponse:
    """Return the stream of commits for *request*; raises the problems `too-many-streams` and `invalid`."""
    for name in request.query:
        if name not in {"after", "line", "ticket", "text"}:
            raise invalid((f"?{name}", "no such parameter of a stream: `after`, `line` and `text`"))
    line, after = _position(request)
    request.line = line
    entry = request.services.encounters.find(request.encounter)
    assert entry is not None, "the authenticator has checked it"
    try:
        feed = request.services.feeds.open(request.encounter, entry.owner, _guest(request, entry))
    except TooManyFeeds as full:
        request.metrics.stream_refused(full.whose)
        raise Problem(
            "too-many-streams", f"{full}; close one, or read commits in pages", headers={"Retry-After": "5"}
        ) from full
    reader = following.Follower(request.me.seat, request.may_go_on)
    begins = None if after is None else f"{line}:{after}"
    item = following.follow(request.services, feed, reader, after)
    headers = {"Cache-Control": "no-store", "Vary": "Authorization, Accept", "X-Accel-Buffering": "no"}
    say = partial(_said, request) if "text" in request.query else _unsaid
    traces = request.services.traces
    return ApiResponse(
        stream=_Events(item, feed, begins, say, traces), headers=headers, media_type=MEDIA_TYPE
    )


def _guest(request: ApiRequest, entry: EncounterEntry) -> Guest | None:
    """Return whose places a stream takes, None for the owner's; a fork has those of the seat that made it."""
    if request.caller is not None and request.caller.key is not None:
        return None
    if entry.parent is not None and entry.made_by not in {None, GM}:
        return Guest(f"{entry.parent}/{entry.made_by}", is_player=True)
    return Guest(f"{request.address}/{request.me.seat}", is_player=request.me.role == "player")


Say = Callable[[reading.StreamedCommit], dict[str, Any]]
"""Returns what a stream adds to a commit's data."""


def _said(request: ApiRequest, item: reading.StreamedCommit) -> dict[str, Any]:
    (text,) = reading.spoken(request.services, request.encounter, request.me.seat, [item.result])
    return {"text": text}


def _unsaid(_item: reading.StreamedCommit) -> dict[str, Any]:
    return {}


def _position(request: ApiRequest) -> tuple[str, int | None]:
    """Return the line, and the commit in it, after which the stream begins.

    The commit is None if `Last-Event-ID` is not an id of this encounter's stream.
    """
    last = request.headers.get("last-event-id", "").strip()
    if not last:
        return request.encounter, int(request.query.get("after", 0))
    found = _EVENT_ID.fullmatch(last)
    if found is None or not lines.are_of_one_game(request.services, found[1], request.encounter):
        return request.encounter, None
    is_open = found[1] == request.encounter or not is_draft(request.services, found[1])
    return (found[1], int(found[2])) if is_open else (request.encounter, None)


class _Events(Generator[bytes | Pause[Any], Any, None]):
    """The frames and pauses of one stream; the reader must close it, even before the first frame."""

    def __init__(
        self,
        items: Stream[following.StreamItem],
        feed: EventFeed,
        begins: str | None,
        say: Say,
        traces: CommandTraces,
    ) -> None:
        self._feed = feed
        self._frames = _frames(items, feed, begins, say, traces)

    def send(self, value: Any) -> bytes | Pause[Any]:
        """Continue with the result of a pause."""
        return self._frames.send(value)

    def throw(self, *raised: Any) -> bytes | Pause[Any]:
        """Continue with the exception of a pause."""
        return self._frames.throw(*raised)

    def close(self) -> None:
        """Release the stream's slot now, not when the garbage collector runs in some thread."""
        self._frames.close()
        self._feed.close()


def _frames(
    items: Stream[following.StreamItem],
    feed: EventFeed,
    begins: str | None,
    say: Say,
    traces: CommandTraces,
) -> Stream[bytes]:
    """Yield the frames and pauses of one stream, whose first id is *begins*; the reader must close it."""
    with closing(feed), closing(items):
        place = "" if begins is None else f"id: {begins}\n"
        yield f"retry: {RETRY_MS}\n{place}\n".encode()
        try:
            found = next(items)
            while True:
                if isinstance(found, Pause):
                    found = items.send((yield found))
                else:
                    begun = time.time_ns()
                    yield _frame(found, feed.encounter, say)
                    if isinstance(found, reading.StreamedCommit):
                        commit = found.result.commit
                        traces.note("send event", "producer", commit.encounter, commit.n, begun)
                    found = next(items)
        except StopIteration:
            return
        except LogError as failure:  # the client reconnects and continues after the last commit that it got
            _logger.warning("stream.ended", encounter=feed.encounter, why=type(failure).__name__)


def _frame(item: following.StreamItem, line: str, say: Say) -> bytes:
    if isinstance(item, following.CaughtUp):
        return _event("heartbeat", {"version": item.version, "view": item.view})
    if isinstance(item, following.ContinuesElsewhere):
        next_ = item.seam.accepted
        return _event("continued", item.seam.data(), f"{next_.encounter}:{next_.n}")
    if isinstance(item, following.PositionReset):
        return _event("reset", {"version": item.version}, f"{line}:{item.version}")
    commit = item.result.commit
    return _event("commit", reading.streamed_data(item) | say(item), f"{line}:{commit.n}")


def _event(name: str, data: dict[str, Any], id_: str | None = None) -> bytes:
    place = "" if id_ is None else f"id: {id_}\n"
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return f"{place}event: {name}\ndata: {text}\n\n".encode()
