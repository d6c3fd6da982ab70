"""Hold one request as handlers see it, and one answer as they give it.

Everything a client sent is read here, strictly, and once: what cannot be read is a problem, never a guess.
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as Base64Error
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Final
from unicodedata import is_normalized

from werkzeug.http import parse_options_header

from service.api import strict_json
from service.api.exchange import Fields
from service.api.operations import Operation, Parameter
from service.api.problems import Problem, invalid, listed
from service.record import canonical
from service.record.fingerprint import fingerprint
from service.record.text import fault
from service.steps import Stream

if TYPE_CHECKING:
    from service.api.authentication import Principal, SeatAccess
    from service.api.inputs import EditionInputs
    from service.api.metrics import Metrics
    from service.usecases.services import Services

WAIT: Final = 2.0
"""Seconds a command waits for its outcome when nothing is said."""
WAIT_LIMIT: Final = 30
_KEY_BYTES: Final = 16
VERSION_TAG: Final = re.compile(r'"(0|[1-9]\d{0,15})"')
KEY: Final = re.compile(r"[\x21\x23-\x5b\x5d-\x7e]{1,255}")
_WHOLE: Final = re.compile(r"0|[1-9][0-9]{0,15}")


@dataclass(frozen=True)
class WaitPreference:
    """How long to wait for an outcome, and what to answer as `Preference-Applied`."""

    seconds: float
    applied: str | None


@dataclass(frozen=True)
class RequestKey:
    """What makes a request happen once: its key, and whether the client or the server made it."""

    key: str
    fingerprint: str


@dataclass
class ApiRequest:
    """One request to one operation."""

    operation: Operation
    services: Services
    inputs: Mapping[str, EditionInputs]
    metrics: Metrics
    request_id: str
    path: Mapping[str, str]
    """The named parts of the path."""
    target: str
    """The path as it was requested."""
    query_text: str
    given: Mapping[str, list[str]]
    """Query parameters as sent, each with every value it was given."""
    headers: Fields
    body: bytes = b""
    address: str = ""
    """Where the request came from, as far as proxies that are trusted tell."""
    told: dict[str, str] = field(default_factory=dict)
    """Fields that every answer to it carries, problems too."""
    caller: Principal | None = None
    seat: SeatAccess | None = None
    may_go_on: Callable[[], bool] = lambda: True
    """Whether the caller would still be let in, for what lasts longer than an answer."""

    @property
    def encounter(self) -> str:
        """The encounter the path names."""
        return self.path["encounter"]

    @property
    def me(self) -> SeatAccess:
        """The seat the caller has in the encounter; operations inside one always have it."""
        assert self.seat is not None
        return self.seat

    def number(self, name: str) -> int:
        """Return a part of the path as a whole number; another text names nothing."""
        text = self.path[name]
        if not _WHOLE.fullmatch(text):
            raise Problem("not-found", "there is nothing at this address for you")
        return int(text)

    @cached_property
    def query(self) -> Mapping[str, Any]:
        """Query parameters by name, those that were not sent left out; raises the problem `invalid`."""
        known = {parameter.name: parameter for parameter in self.operation.query}
        errors = [(f"?{name}", "no such parameter") for name in self.given if name not in known]
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
        """The body as strict JSON; raises the problems of bodies."""
        if not self.body:
            return {}
        kind, options = parse_options_header(self.headers.get("Content-Type", ""))
        if kind != "application/json" or options.get("charset", "utf-8").lower() != "utf-8":
            raise Problem("unsupported-media-type", "send Content-Type: application/json")
        try:
            return strict_json.loads(self.body)
        except strict_json.JsonNotStrict as fault:
            errors = listed([(fault.pointer, fault.detail)])
            raise Problem("not-strict-json", str(fault), members={"errors": errors}) from fault
        except strict_json.JsonNotAccepted as fault:
            raise invalid((fault.pointer, fault.detail)) from fault

    @cached_property
    def repeatable(self) -> RequestKey:
        """The idempotency key, made here if the client sent none, and the request's fingerprint."""
        sent = self.headers.get("Idempotency-Key")
        key = token_hex(_KEY_BYTES) if sent is None else read_key(sent)
        raw = self.operation.raw_body is not None
        said = self.body if raw else canonical.dumps(self.data) if self.body else b""
        return RequestKey(key, fingerprint(self.operation.method, self.target, self.query_text, said))

    @property
    def expected(self) -> int | None:
        """The version that `If-Match` demands, None where it demands none."""
        sent = self.headers.get("If-Match")
        if sent is None or sent.strip() == "*":
            return None
        found = VERSION_TAG.fullmatch(sent.strip())
        if not found:
            raise Problem("bad-request", 'If-Match names one version, as "12"')
        return int(found[1])

    @cached_property
    def preference(self) -> WaitPreference:
        """What `Prefer` asks for (RFC 7240); what it cannot mean is ignored, as the RFC wants."""
        return read_preference(self.headers.get("Prefer") or "")


@dataclass
class ApiResponse:
    """What a handler answers: data for JSON, or bytes of another kind."""

    data: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    media_type: str = "application/json"
    stream: Stream[bytes] | None = None
    """Parts of a body that has no end, and pauses between them; it is closed when nobody reads on."""
    version: str | None = None
    """The strong ETag, without its quotes."""


@lru_cache(maxsize=256)
def read_preference(sent: str) -> WaitPreference:
    """Return what the field `Prefer` asks for; raises the problem `bad-request`."""
    if not (sent.isascii() and sent.isprintable()):
        raise Problem("bad-request", "Prefer is printable ASCII")
    for part in sent.split(","):
        name, _, value = part.partition("=")
        name, value = name.strip().lower(), value.strip().strip('"')
        if name == "respond-async":
            return WaitPreference(0, "respond-async")
        if name == "wait" and value.isascii() and value.isdigit():
            seconds = min(int(value[:9]), WAIT_LIMIT)
            return WaitPreference(seconds, f"wait={seconds}")
    return WaitPreference(WAIT, None)


def read_parameter(parameter: Parameter, text: str) -> str | int:
    """Return the value of *parameter* that *text* spells; raises ValueError saying what was expected."""
    if parameter.kind == "whole":
        if not _WHOLE.fullmatch(text) or not parameter.least <= int(text) <= parameter.most:
            raise ValueError(f"a whole number from {parameter.least} to {parameter.most}")
        return int(text)
    if not re.fullmatch(parameter.pattern, text):
        raise ValueError(f"text that matches {parameter.pattern}")
    wrong = fault(text, lines=False)
    if wrong is not None or not is_normalized("NFC", text):
        raise ValueError(wrong or "text in Unicode normalization form C")
    return text


def read_key(sent: str) -> str:
    """Return the key in an `Idempotency-Key`, quoted (a structured field) or bare."""
    text = sent.strip()
    if text.startswith('"') and text.endswith('"') and len(text) > 1:
        text = text[1:-1]
    if not KEY.fullmatch(text):
        raise Problem("bad-request", "Idempotency-Key holds 1 to 255 visible ASCII characters, no quotes")
    return text


def cursor(*numbers: int) -> str:
    """Return an opaque cursor that stands for *numbers*."""
    return urlsafe_b64encode(".".join(map(str, numbers)).encode()).decode().rstrip("=")


def read_cursor(text: str, count: int) -> tuple[int, ...]:
    """Return the *count* numbers a cursor of ours stands for; raises the problem `invalid`."""
    try:
        parts = urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode("ascii").split(".")
    except (Base64Error, UnicodeDecodeError, ValueError):
        parts = []
    if len(parts) != count or not all(map(_WHOLE.fullmatch, parts)):
        raise invalid(("?cursor", "a cursor that an earlier answer gave"))
    return tuple(map(int, parts))
