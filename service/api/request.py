"""The request that a handler receives, and the response that it returns.

Everything that a client sends is parsed here, strictly and once; malformed input is a problem, never guessed.
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as Base64Error
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from os import urandom
from typing import Any, Final

from werkzeug.http import parse_options_header

from service.api.exchange import Fields
from service.api.inputs import EditionInputs
from service.api.metrics import Metrics
from service.api.parameters import LINE, PRETTY, SEEN_BY, TEXT, WHOLE, Parameter, read_parameter
from service.api.principals import Principal, SeatAccess
from service.api.problems import Problem, invalid, listed
from service.api.schemas import near
from service.record import canonical, strict_json
from service.record.commit import SeatSignature
from service.record.fingerprint import fingerprint
from service.record.strict_json import JsonProfile, NotStrict, UnacceptedText
from service.record.text import fault
from service.rules.kernel.sealed import NOBODY, Seats
from service.steps import Stream
from service.usecases.services import Services

WAIT: Final = 2.0
"""Seconds that a request waits for an outcome without `Prefer`."""
WAIT_LIMIT: Final = 30
_KEY_BYTES: Final = 16
_COMMANDS_OF_ONE: Final = 2
"""How many commands an operation appends at most, an array of commands aside."""
_MARK: Final = 8
"""How many digits of a line's id a cursor contains."""
VERSION_TAG: Final = re.compile(rf'"(?:({LINE.pattern})\.)?(0|[1-9]\d{{0,15}})(?:-gzip)?"')
"""A version in `If-Match`: its line of play, if it names one, and its number."""
SIGNATURE: Final = re.compile(r"([1-9]\d{0,14}):([0-9a-f]{64})((?: [0-9a-f]{128}){1,50})")
"""`Rewound-Signature`: the newest commit that the seat had seen, and a signature for each command."""
KEY: Final = re.compile(r"[\x21\x23-\x5b\x5d-\x7e]{1,255}")
BODY: Final = JsonProfile(
    levels=32,
    is_name=lambda _: False,
    names="names must be visible ASCII characters",
    unaccepted=partial(fault, lines=True),
)
"""What a JSON body may contain."""


@dataclass(frozen=True)
class WaitPreference:
    """The seconds to wait for an outcome, and the value of `Preference-Applied`."""

    seconds: float
    applied: str | None


@dataclass(frozen=True)
class RequestKey:
    """What makes a request take effect once: its idempotency key, and the fingerprint of the request."""

    key: str
    fingerprint: str


@dataclass
class ApiRequest:
    """One request to one operation."""

    services: Services
    inputs: Mapping[str, EditionInputs]
    metrics: Metrics
    request_id: str
    method: str
    path: Mapping[str, str]
    """The path parameters."""
    target: str
    """The requested path."""
    query_text: str
    given: Mapping[str, list[str]]
    """Query parameters as sent, each with all its values."""
    headers: Fields
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    """The query parameters that its operation takes, by name."""
    is_raw: bool = False
    """Whether its operation takes a body that is not JSON."""
    body: bytes = b""
    sender: str = ""
    """The client's address, according to trusted proxies."""
    response_headers: dict[str, str] = field(default_factory=dict)
    """Header fields for the response, including one with a problem."""
    caller: Principal | None = None
    seat: SeatAccess | None = None
    line: str | None = None
    """The line of play that the request is about; None before the authenticator has found it."""
    is_inside: bool = False
    """Whether its operation acts within one encounter."""
    may_go_on: Callable[[], bool] = lambda: True
    """Returns whether the caller is still authorized; a stream asks it repeatedly."""

    @property
    def address(self) -> str:
        """The id of the encounter that the path names."""
        return self.path["encounter"]

    @property
    def encounter(self) -> str:
        """The id of the line of play that the request is about; see `service.usecases.lines`."""
        return self.line or self.path["encounter"]

    @property
    def has_moved(self) -> bool:
        """Whether the address stands for another line of play than its own."""
        return self.is_inside and self.encounter != self.address and LINE.name not in self.given

    def below(self, path: str) -> str:
        """Return the address of *path* in this line of play, also after another one continues it."""
        return f"/v1/encounters/{self.address}{path}?{LINE.name}={self.encounter}"

    @property
    def me(self) -> SeatAccess:
        """The caller's seat; operations inside an encounter always have one."""
        assert self.seat is not None
        return self.seat

    @property
    def readers(self) -> Seats:
        """The caller's seat, and the one in the query whose view it asks for: what all of them may read.

        Raises `invalid` for a seat that the played line does not have.
        """
        other = self.query.get(SEEN_BY.name)
        if other not in (None, "*") and LINE.name not in self.given:
            seats = self.services.folder.current(self.encounter).state.seats
            if other not in seats:
                raise invalid((f"?{SEEN_BY.name}", f"there is no seat {other}{near(other, seats)}"))
        return self.me.seat if other is None else (self.me.seat, NOBODY if other == "*" else other)

    def number(self, name: str) -> int:
        """Return the path parameter *name* as an integer; raises `not-found` for any other text."""
        text = self.path[name]
        if not WHOLE.fullmatch(text):
            raise Problem("not-found", f"`{name}` in this address must be a whole number, for example 1")
        return int(text)

    @property
    def is_pretty(self) -> bool:
        """Whether the JSON of the answer, or of a problem, is to be indented."""
        return PRETTY.name in self.given

    @cached_property
    def query(self) -> Mapping[str, Any]:
        """The query parameters that were sent, by name; raises the problem `invalid`."""
        known = self.parameters
        there = f"; there are {', '.join(sorted(known))}"
        errors = [
            (f"?{name}", f"no such parameter{near(name, known) or there}")
            for name in self.given
            if name not in known
        ]
        found: dict[str, Any] = {}
        for name, values in self.given.items():
            if name not in known:
                continue
            if len(values) > 1:
                errors.append((f"?{name}", "one value"))
                continue
            try:
                found[name] = read_parameter(known[name], values[0])
            except ValueError as fault:
                errors.append((f"?{name}", str(fault)))
        missing = [name for name, each in known.items() if each.required and name not in self.given]
        errors += [(f"?{name}", "this parameter is required") for name in missing]
        if errors:
            raise invalid(*errors)
        return found

    @cached_property
    def data(self) -> Any:
        """The body as strict JSON, `{}` if empty.

        Raises the problems `unsupported-media-type`, `not-strict-json` and `invalid`.
        """
        if not self.body:
            return {}
        kind, options = parse_options_header(self.headers.get("content-type", ""))
        if kind != "application/json" or options.get("charset", "utf-8").lower() != "utf-8":
            raise Problem("unsupported-media-type", "send Content-Type: application/json")
        try:
            return strict_json.read(self.body, BODY)
        except UnacceptedText as fault:
            raise invalid((fault.pointer, fault.reason)) from fault
        except NotStrict as fault:
            errors = listed([(fault.pointer, fault.reason)])
            raise Problem("not-strict-json", str(fault), members={"errors": errors}) from fault

    @cached_property
    def repeatable(self) -> RequestKey:
        """The idempotency key, generated if the client sent none, and the request's fingerprint.

        Raises the problem `bad-request` for a malformed key.
        """
        sent = self.headers.get("idempotency-key")
        key = urandom(_KEY_BYTES).hex() if sent is None else read_key(sent)
        said = self.body if self.is_raw else canonical.dumps(self.data) if self.body else b""
        asked = self.query_text
        if asked:  # how an answer looks is no part of what is asked for
            shown = (PRETTY.name, TEXT.name)
            asked = "&".join(each for each in asked.split("&") if each.partition("=")[0] not in shown)
        return RequestKey(key, fingerprint(self.method, self.target, asked, said))

    def signatures(self, count: int, first: int = 0) -> list[SeatSignature | None]:
        """Return the seat's signatures of *count* commands, the one at *first* and those behind it.

        All are None if the request is not signed. Raises the problem `bad-request` if the header field is
        malformed or has another number of signatures, or if the request has no idempotency key of its own.
        """
        sent = self.headers.get("rewound-signature")
        if sent is None:
            return [None] * count
        found = SIGNATURE.fullmatch(sent)
        if not found:
            raise Problem(
                "bad-request",
                "Rewound-Signature must be the number and hash of a commit, and a signature of each command: "
                "N:HASH SIGNATURE …",
            )
        if self.headers.get("idempotency-key") is None:
            raise Problem("bad-request", "a signed request needs the Idempotency-Key that the seat signed")
        values = found[3].split()
        if not first + count <= len(values) <= max(count, _COMMANDS_OF_ONE):
            detail = f"Rewound-Signature has {len(values)} signatures, and {first + count} commands need one"
            raise Problem("bad-request", detail)
        return [
            SeatSignature(self.repeatable.key, index, int(found[1]), found[2], values[index])
            for index in range(first, first + count)
        ]

    @property
    def expected(self) -> int | None:
        """The version that `If-Match` requires, None if it requires none.

        Raises the problems `bad-request` and `version-mismatch`: a version is of one line of play.
        """
        sent = self.headers.get("if-match")
        if sent is None or sent.strip() == "*":
            return None
        found = VERSION_TAG.fullmatch(sent.strip())
        if not found:
            raise Problem("bad-request", 'If-Match must name one version, for example "12"')
        line = found[1] or (self.address if self.has_moved else self.encounter)
        if line != self.encounter:
            newest = self.services.folder.current(self.encounter).n
            raise Problem(
                "version-mismatch",
                f'this encounter continues in another line of play; its ETag is "{self.encounter}.{newest}"',
                members={"version": newest},
            )
        return int(found[2])

    @cached_property
    def preference(self) -> WaitPreference:
        """The preference in `Prefer`; unknown preferences are ignored (RFC 7240). Raises `bad-request`."""
        return read_preference(self.headers.get("prefer") or "")


@dataclass
class ApiResponse:
    """The response of a handler: data for JSON, raw bytes, or a stream."""

    data: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    media_type: str = "application/json"
    stream: Stream[bytes] | None = None
    """Parts of an endless body, and pauses between them; it is closed when the client disconnects."""
    version: str | None = None
    """The strong ETag, without quotes."""
    is_pretty: bool = False
    """Whether its JSON is indented."""


@lru_cache(maxsize=256)
def read_preference(sent: str) -> WaitPreference:
    """Return the preference in the field `Prefer`; raises the problem `bad-request`."""
    if not (sent.isascii() and sent.isprintable()):
        raise Problem("bad-request", "Prefer must be printable ASCII")
    for part in sent.split(","):
        name, _, value = part.partition("=")
        name, value = name.strip().lower(), value.strip().strip('"')
        if name == "respond-async":
            return WaitPreference(0, "respond-async")
        if name == "wait":
            if not value.isdigit():
                raise Problem("bad-request", "Prefer: wait takes whole seconds, for example wait=10")
            seconds = min(int(value[:9]), WAIT_LIMIT)
            return WaitPreference(seconds, f"wait={seconds}")
    return WaitPreference(WAIT, None)


def read_key(sent: str) -> str:
    """Return the key in an `Idempotency-Key`, quoted (a structured field) or bare; raises `bad-request`."""
    text = sent.strip()
    if text.startswith('"') and text.endswith('"') and len(text) > 1:
        text = text[1:-1]
    if not KEY.fullmatch(text):
        raise Problem("bad-request", "Idempotency-Key must be 1 to 255 visible ASCII characters, no quotes")
    return text


def cursor(request: ApiRequest, *numbers: int) -> str:
    """Return an opaque cursor that encodes *numbers*; within an encounter it is of its line of play."""
    parts = (*map(str, numbers), *_line_mark(request))
    return urlsafe_b64encode(".".join(parts).encode()).decode().rstrip("=")


def read_cursor(request: ApiRequest, count: int) -> tuple[int, ...]:
    """Return the *count* numbers that the cursor in the query encodes; raises the problem `invalid`."""
    text, mark = request.query["cursor"], _line_mark(request)
    try:
        parts = urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode("ascii").split(".")
    except (Base64Error, UnicodeDecodeError, ValueError):
        parts = []
    if len(parts) != count + len(mark) or not all(map(WHOLE.fullmatch, parts[:count])):
        raise invalid(("?cursor", "a cursor from an earlier answer"))
    if tuple(parts[count:]) != mark:
        raise invalid(
            ("?cursor", "a cursor of this line of play; the encounter continues in another one now")
        )
    return tuple(map(int, parts[:count]))


def _line_mark(request: ApiRequest) -> tuple[str, ...]:
    """Return what a cursor contains so that it is not read in another line of play."""
    return (request.encounter[:_MARK],) if request.is_inside else ()
