"""Follow an encounter's commits as they are made: each once, in order, whatever becomes of the connection.

After a cut the last number is sent as `Last-Event-ID`; what comes twice all the same is passed over, and what
would leave a gap is asked for anew. Where the encounter goes on in another line of play, that is followed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Final

import requests

from rewound_client.errors import Problem, RewoundError, Unreachable
from rewound_client.transport import LATER, PROBLEMS, Pauses, Request, Transport, refusal, translated

SILENCE_S: Final = 30.0
"""A stream from which nothing comes for so long is cut: heartbeats come every ten seconds."""


@dataclass(frozen=True)
class Told:
    """One event of a stream: its name (`commit`, `heartbeat`, `reset` or `continued`) and its data."""

    event: str
    data: Any

    @property
    def position(self) -> int | None:
        """The commit after which a stream goes on behind this event, None where it stays where it is."""
        told = {"commit": "n", "continued": "n", "reset": "version"}
        found: int | None = self.data.get(told.get(self.event, ""))
        return found


def follow(transport: Transport, encounter: str, after: int) -> Iterator[Told]:
    """Yield what is told of *encounter* from *after* on, for as long as the caller takes it.

    Behind `continued` it yields what is told of the line in which the encounter goes on. Raises `Problem`
    where the service refuses the stream, `Unreachable` where the patience ends without anything having come.
    """
    last, pauses = after, Pauses(transport.patience)
    while True:
        asked_s = None
        failure: RewoundError = Unreachable("the stream ends again and again before anything comes")
        has_moved = False
        try:
            for told in _onwards(_connection(transport, _path(encounter), last), last):
                pauses.begin()
                last = last if told.position is None else told.position
                yield told
                has_moved = told.event == "continued"
                if has_moved:
                    encounter = told.data["encounter"]
                    break
        except Unreachable as fault:
            failure = fault
        except Problem as fault:
            if fault.status not in LATER:
                raise
            failure, asked_s = fault, fault.retry_after_s
        if not has_moved and not pauses.rest(asked_s):
            raise failure


def _path(encounter: str) -> str:
    return f"/v1/encounters/{encounter}/commits"


def _onwards(told: Iterator[Told], last: int) -> Iterator[Told]:
    """Yield what goes on after *last*: nothing twice, and nothing more behind a gap."""
    for each in told:
        if each.event == "commit":
            if each.data["n"] <= last:
                continue
            if each.data["n"] > last + 1:
                return
        last = each.position or last
        yield each


def _connection(transport: Transport, path: str, last: int) -> Iterator[Told]:
    """Yield the events of one connection until it ends."""
    headers = {"Accept": "text/event-stream", "Accept-Encoding": "identity", "Last-Event-ID": str(last)}
    with translated():
        answer = transport.ask(Request("GET", path, headers=headers), stream=True, answer_s=SILENCE_S)
    with closing(answer):
        if answer.status_code >= PROBLEMS:
            with translated():
                read = answer.json() if answer.content else {}
            raise refusal(answer, read)
        yield from _events(answer)


def _events(answer: requests.Response) -> Iterator[Told]:
    """Yield the events in the lines of *answer*; one that was cut off is none."""
    event, data = "message", ""
    for line in _lines(answer):
        name, _, value = line.partition(": ")
        if name == "event":
            event = value
        elif name == "data":
            data += value
        elif not line:
            if data:
                yield Told(event, json.loads(data))
            event, data = "message", ""


def _lines(answer: requests.Response) -> Iterator[str]:
    held = b""
    # By chunks where the answer has them; else byte for byte, for a larger read would wait until it is full.
    chunks = answer.iter_content(None if getattr(answer.raw, "chunked", False) else 1)
    while True:
        with translated():
            chunk = next(chunks, None)
        if chunk is None:
            return
        *lines, held = (held + chunk).split(b"\n")
        for line in lines:
            yield line.decode()
