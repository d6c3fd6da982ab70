"""Follow an encounter's commits: each once and in order, across lost connections.

After a lost connection the client sends the last id, a line of play and a number in it, as `Last-Event-ID`.
It skips duplicates, reconnects at a gap, and goes on in the line of play that continues the encounter.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Final

import requests

from rewound_client.errors import Problem, RewoundError, Unreachable
from rewound_client.transport import LATER, PROBLEMS, Pauses, Query, Request, Transport, refusal, translated

BEGUN: Final = "begun"
"""An event without data: its id is where the stream begins."""
SILENCE_S: Final = 30.0
"""A stream that is silent for this long is closed; heartbeats come every ten seconds."""


@dataclass(frozen=True)
class StreamEvent:
    """One event of a stream: its name (`commit`, `heartbeat`, `reset` or `continued`) and its data."""

    event: str
    data: Any
    id: str | None = None
    """The line of play and the number after which the stream continues."""

    @property
    def position(self) -> int | None:
        """The commit after which the stream continues, None if this event does not change that."""
        number_names = {"commit": "n", "continued": "n", "reset": "version"}
        found: int | None = self.data.get(number_names.get(self.event, ""))
        return found


def follow(
    transport: Transport, encounter: str, after: int, line: str | None = None, text: str | None = None
) -> Iterator[StreamEvent]:
    """Yield the events of *encounter* after commit *after* of *line* (None: the played one), endlessly.

    With *text* `"en"` each commit has sentences in `text`.
    After `continued` it yields the events of the line that continues. Raises `Problem` if the service refuses
    the stream, `Unreachable` if the time for retries ends before any event arrives.
    """
    last, place, pauses = after, "", Pauses(transport.retry_policy)
    path = f"/v1/encounters/{encounter}/commits"
    while True:
        asked_s = None
        failure: RewoundError = Unreachable("the stream repeatedly ended before any event arrived")
        has_moved = False
        try:
            query: Query = {"text": text, **({} if place else {"after": after, "line": line})}
            for event in _onwards(_connection(transport, path, query, place), last):
                pauses.begin()
                place = event.id or place
                if event.event == BEGUN:
                    continue
                last = last if event.position is None else event.position
                yield event
                has_moved = event.event == "continued"
                if has_moved:
                    break
        except Unreachable as fault:
            failure = fault
        except Problem as fault:
            if fault.status not in LATER:
                raise
            failure, asked_s = fault, fault.retry_after_s
        if not has_moved and not pauses.rest(asked_s):
            raise failure


def _onwards(events: Iterator[StreamEvent], last: int) -> Iterator[StreamEvent]:
    """Yield the events after commit *last* without duplicates; stop at a gap."""
    for each in events:
        if each.event == "commit":
            if each.data["n"] <= last:
                continue
            if each.data["n"] > last + 1:
                return
        last = each.position or last
        yield each


def _connection(transport: Transport, path: str, query: Query, place: str) -> Iterator[StreamEvent]:
    """Yield the events of one connection, from *place* on if there is one, until it ends."""
    headers = {"Accept": "text/event-stream", "Accept-Encoding": "identity"}
    headers |= {"Last-Event-ID": place} if place else {}
    with translated():
        answer = transport.ask(
            Request("GET", path, query=query, headers=headers), stream=True, answer_s=SILENCE_S
        )
    with closing(answer):
        if answer.status_code >= PROBLEMS:
            with translated():
                read = answer.json() if answer.content else {}
            raise refusal(answer, read)
        yield from _events(answer)


def _events(answer: requests.Response) -> Iterator[StreamEvent]:
    """Yield the events in the lines of *answer*; drop one that was cut off."""
    event, data, place = "message", "", None
    for line in _lines(answer):
        name, _, value = line.partition(": ")
        if name == "event":
            event = value
        elif name == "data":
            data += value
        elif name == "id":
            place = value
        elif not line:
            if data:
                yield StreamEvent(event, json.loads(data), place)
            elif place is not None:
                yield StreamEvent(BEGUN, {}, place)
            event, data, place = "message", "", None


def _lines(answer: requests.Response) -> Iterator[str]:
    held = b""
    # Read by chunks if the answer is chunked, else byte by byte: a larger read would block until it is full.
    chunks = answer.iter_content(None if getattr(answer.raw, "chunked", False) else 1)
    while True:
        with translated():
            chunk = next(chunks, None)
        if chunk is None:
            return
        *lines, held = (held + chunk).split(b"\n")
        for line in lines:
            yield line.decode()
