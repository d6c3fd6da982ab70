"""Call a path of the service: read, send and wait for outcomes, page through lists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypedDict, Unpack, cast

from rewound_client.errors import NotDone, Problem, Refused
from rewound_client.receipts import ReceiptChecker
from rewound_client.signing import Signer
from rewound_client.transport import (
    KEY,
    WAIT_S,
    Json,
    Pauses,
    Query,
    Reply,
    Request,
    RetryPolicy,
    Settle,
    Transport,
    prefer,
)

NOT_FOUND: Final = 404
PENDING: Final = 202
REFUSED: Final = 409
_MOVED: Final = frozenset({"signature_false", "other_history"})
"""Why a signed command is refused if play goes on in another line."""


class Sending(TypedDict, total=False):
    """How commands are sent."""

    key: str | None
    """The idempotency key; the client makes one if it is None."""
    version: int | None
    """The version that the encounter must have."""
    wait_s: float
    """How long to wait for the outcome."""


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
        """Return an answer with all pages of the lists *names* merged; `a.b` is the list `b` in `a`."""
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

    def _done(
        self,
        method: str,
        path: str,
        data: object = None,
        *,
        key: str | None = None,
        command: Mapping[str, Any] | None = None,
    ) -> Json:
        """Send a request, with *key* as its idempotency key, until it is decided; return the answer's body.

        *command* is what it appends, if anything. Raises `NotDone` if it is not decided before the time for
        retries ends.
        """
        once = {} if key is None else {KEY: f'"{key}"'}
        commands = () if command is None else (command,)
        request = Request(method, self.path + path, data, None, prefer(WAIT_S) | once, commands).keyed()
        pauses = Pauses(self._transport.retry_policy)
        while True:
            reply = self._call(request)
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
        commands: Sequence[Mapping[str, Any]],
        **sending: Unpack[Sending],
    ) -> Json:
        """Send *commands*, one or several, and return their outcome; `pending` if it is not decided in time.

        Raises `Refused` if a single command is refused.
        """
        key, version, wait_s = sending.get("key"), sending.get("version"), sending.get("wait_s", WAIT_S)
        headers = prefer(wait_s)
        if key is not None:
            headers[KEY] = f'"{key}"'
        if version is not None:
            headers["If-Match"] = f'"{version}"'
        request = Request(method, self.path + path, data, query, headers, commands).keyed()
        reply = self._call(request, self._settle)
        if reply.status == PENDING and wait_s > 0:
            reply = self._decided("/commands", {"key": request.key}, wait_s)
            self._notice(reply.data)
        return _accepted(cast("Json", reply.data))

    def _call(self, request: Request, settle: Settle | None = None) -> Reply:
        """Send *request* until it has a final answer."""
        return self._transport.call(request, settle)

    def _notice(self, answer: object) -> None:
        """Take from *answer*, to a command, what the caller keeps."""

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
    """The path of one encounter, with who signs its commands, and where their receipts go."""

    def __init__(
        self,
        transport: Transport,
        encounter: str,
        signer: Signer | None = None,
        receipts: ReceiptChecker | None = None,
    ) -> None:
        super().__init__(transport, f"/v1/encounters/{encounter}")
        self.encounter = encounter
        self._signer = signer
        self._receipts = receipts

    def _call(self, request: Request, settle: Settle | None = None) -> Reply:
        """Send *request*; if the seat has a key, signed, on the newest commit that it has seen.

        If the service has another line of play by now, the signer reads where play goes on, and signs again.
        """
        if self._signer is None or not request.commands:
            reply = super()._call(request, settle)
        else:
            if self._signer.head is None:
                self._look()
            try:
                reply = super()._call(self._signer.signed(request), settle)
            except Refused as refused:
                before = self._signer.head
                if refused.n is not None or refused.code not in _MOVED or self._look() == before:
                    raise
                reply = super()._call(self._signer.signed(request), settle)
        self._notice(reply.data)
        return reply

    def _notice(self, answer: object) -> None:
        if self._signer is not None:
            self._signer.see_outcomes(answer)
        if self._receipts is not None:
            self._receipts.take(answer)

    def _look(self) -> object:
        """Read the encounter's summary, and return the newest commit that the signer has seen."""
        self._see(self._get(""))
        return None if self._signer is None else self._signer.head

    def _see(self, summary: Json) -> None:
        if self._signer is not None and self._transport.line is None and summary["version"]:
            self._signer.see(summary["line"], summary["version"], summary["hash"])
