"""Call a path of the service: read, send and wait for outcomes, page through lists."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, cast

from rewound_client.errors import NotDone, Problem, Refused
from rewound_client.transport import (
    KEY,
    WAIT_S,
    Json,
    Pauses,
    Query,
    Reply,
    Request,
    RetryPolicy,
    Transport,
    prefer,
)

NOT_FOUND: Final = 404
PENDING: Final = 202
REFUSED: Final = 409


class Place:
    """A path of the service, with the transport of one caller."""

    def __init__(self, transport: Transport, path: str) -> None:
        self._transport = transport
        self.path = path

    def _get(self, path: str, query: Query | None = None) -> Json:
        return cast("Json", self._transport.get(self.path + path, query))

    def _pages(self, path: str, name: str, query: Query) -> Iterator[Any]:
        while True:
            page = self._get(path, query)
            yield from page[name]
            if page["next_cursor"] is None:
                return
            query = {**query, "cursor": page["next_cursor"]}

    def _whole(self, path: str, query: Query, *names: str) -> Json:
        """Return an answer with all pages of the lists *names* merged; `from.x` is the list x in `from`."""
        whole = page = self._get(path, query)
        while page["next_cursor"] is not None:
            page = self._get(path, {**query, "cursor": page["next_cursor"]})
            for name in names:
                *above, last = name.split(".")
                into, more = whole, page
                for each in above:
                    into, more = into[each], more[each]
                into[last] += more[last]
        return {**whole, "next_cursor": None}

    def _done(self, method: str, path: str, data: object = None, *, key: str | None = None) -> Json:
        """Send a request until it is decided and return the answer's body; *key* is the idempotency key.

        Raises `NotDone` if it is not decided before the time for retries ends.
        """
        once = {} if key is None else {KEY: f'"{key}"'}
        request = Request(method, self.path + path, data, headers=prefer(WAIT_S) | once).keyed()
        pauses = Pauses(self._transport.retry_policy)
        while True:
            reply = self._transport.call(request)
            if reply.status != PENDING:
                return cast("Json", reply.data)
            if not pauses.rest():
                raise NotDone(f"{method} {self.path + path} is on the record and not yet decided")

    def _job(
        self, path: str, data: Json | bytes, name: str, wait_s: float, query: Query | None = None
    ) -> Json:
        """Start a job at *path* and return it when it has ended; raises `NotDone` after *wait_s* seconds."""
        job = cast("Json", self._transport.call(Request("POST", self.path + path, data, query or {})).data)
        pauses = Pauses(RetryPolicy(wait_s, longest_s=1.0))
        while job["status"] in {"pending", "running"}:
            if not pauses.rest():
                raise NotDone(f"{name} {job[name]} is {job['status']} after {wait_s} s")
            job = self._get(f"{path}/{job[name]}")
        return job

    def _act(
        self,
        method: str,
        path: str,
        data: object,
        query: Query | None = None,
        *,
        key: str | None = None,
        version: int | None = None,
        wait_s: float = WAIT_S,
    ) -> Json:
        """Send one or several commands and return their outcome; `pending` after *wait_s* seconds.

        Raises `Refused` if a single command is refused.
        """
        headers = prefer(wait_s)
        if key is not None:
            headers[KEY] = f'"{key}"'
        if version is not None:
            headers["If-Match"] = f'"{version}"'
        request = Request(method, self.path + path, data, query, headers).keyed()
        reply = self._transport.call(request, self._settle)
        if reply.status == PENDING and wait_s > 0:
            reply = self._decided("/commands", {"key": request.key}, wait_s)
        return _accepted(cast("Json", reply.data))

    def _settle(self, key: str) -> Reply | None:
        """Return the outcome of the request with *key*, None if it never arrived."""
        try:
            return self._transport.call(Request("GET", f"{self.path}/commands", query={"key": key}))
        except Problem as fault:
            if fault.status != NOT_FOUND:
                raise
            return None

    def _decided(self, path: str, query: Query | None, wait_s: float) -> Reply:
        """Poll *path* until the command is decided or *wait_s* seconds have passed; return the last reply."""
        pauses = Pauses(RetryPolicy(wait_s, longest_s=1.0))
        while True:
            reply = self._transport.call(Request("GET", self.path + path, query=query))
            if reply.status != PENDING or not pauses.rest():
                return reply


def _accepted(outcome: Json) -> Json:
    """Return *outcome*; raises `Refused` for a refusal, like the direct answer to the command."""
    if outcome.get("outcome") != "refused":
        return outcome
    problem = {
        "type": "/problems/command-refused",
        "title": "The rules refuse the command",
        "status": REFUSED,
    }
    raise Refused(REFUSED, problem | {"n": outcome["n"]} | outcome["refusal"])


class Encounter(Place):
    """The path of one encounter."""

    def __init__(self, transport: Transport, encounter: str) -> None:
        super().__init__(transport, f"/v1/encounters/{encounter}")
        self.encounter = encounter
