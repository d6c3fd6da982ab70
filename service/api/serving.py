"""Serve requests to operations, independent of the HTTP server, and turn errors into problems in one place.

Every answer has a declared schema or is a problem of a known type, and carries the request's id.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from time import perf_counter
from typing import Any, Final

import orjson
import structlog
from werkzeug.exceptions import HTTPException, RequestEntityTooLarge
from werkzeug.http import parse_etags, quote_etag

from service import tracing
from service.api import cors
from service.api.authentication import Authenticator
from service.api.compression import CODING, compressed, matching
from service.api.exchange import Reply, RequestHead
from service.api.inputs import EditionInputs
from service.api.metrics import Metrics
from service.api.operations import Operation
from service.api.problem_pages import HTML, POLICY, failure_page, prefers_page
from service.api.problems import MEDIA_TYPE, Problem, missing, not_found, removed
from service.api.request import ApiRequest, ApiResponse
from service.api.request_ids import new_request_id
from service.core.fold import ChainBroken, UnknownEdition
from service.log import (
    KeyReused,
    NoSuchEncounter,
    OutcomeUnknown,
    StoreFailure,
    StoreFull,
    StoreLoading,
    TooManyUndecided,
    VersionConflict,
    WouldWait,
)
from service.rules.kernel.meter import READING, Meter, TooMuchWork, WorkStopped
from service.steps import IN_POOL, Steps, settle, within
from service.stores.archive.storage import ArchiveUnavailable, FileLost
from service.stores.capacity import QuotaExceeded
from service.stores.checkpoints import TreeHead
from service.stores.secrets import Undecipherable
from service.usecases.openings import EncounterMissing, EncounterRemoved
from service.usecases.refusals import TooManyRefusals
from service.usecases.sending import EncounterImported
from service.usecases.services import Services

_logger: Final = structlog.get_logger()
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_INDENTING: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, indent=2)
_SPELLING: Final = (
    orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_APPEND_NEWLINE
)
CHECKPOINT: Final = "Rewound-Checkpoint"
_HEADERS: Final = {
    "Cache-Control": "private, no-cache",
    "Vary": "Authorization",
    "X-Content-Type-Options": "nosniff",
}
READ_S: Final = 30
"""Seconds that a read may compute in a thread; then it is stopped."""

_CODES: Final = {
    404: "not-found",
    405: "method-not-allowed",
    413: "body-too-large",
    415: "unsupported-media-type",
}
"""The problem for each status that the framework raises; any other 4xx is `bad-request`."""


@dataclass(frozen=True)
class AppContext:
    """The objects that all requests of one application share."""

    services: Services
    inputs: Mapping[str, EditionInputs]
    authenticator: Authenticator
    metrics: Metrics
    origins: frozenset[str]
    """The origins whose pages may read answers in a browser."""


def serve(
    operation: Operation, served: AppContext, path: Mapping[str, str], asked: RequestHead
) -> Steps[Reply]:
    """Return the response of *operation* to the request *asked*; every exception becomes a problem.

    *path* has the path parameters.
    """
    start = perf_counter()
    parent = asked.headers.get(tracing.TRACEPARENT, "")
    with tracing.RequestSpan(operation.method, operation.path, parent) as span:
        api_request = _call(operation, served, path, asked)
        try:
            answer = yield from _answer(operation, served, api_request, asked)
            if asked.method == "HEAD" and answer.stream is not None:
                answer.stream.close()
            answer.is_pretty = api_request.is_pretty
            if answer.version is not None and api_request.has_moved:
                answer.version = f"{api_request.encounter}.{answer.version}"
            if operation.has_secret:
                answer.headers.setdefault("Cache-Control", "no-store")
            reply = respond(answer, api_request.headers.get("if-none-match", ""))
            answer.data = None  # it takes ten times the bytes that it is encoded as
            reply = compressed(reply, operation, asked.headers.get("accept-encoding"))
        except Exception as fault:  # noqa: BLE001 - the one place where every exception becomes a response
            if isinstance(fault, QuotaExceeded | StoreFull):
                served.metrics.quota_refused(fault.name if isinstance(fault, QuotaExceeded) else "store")
            # The problem gets no name here: it refers to this frame, and would keep the request's body alive.
            reply = refuse(
                as_problem(fault, api_request.request_id),
                asked.path,
                api_request.request_id,
                is_pretty=api_request.is_pretty,
                is_page=operation.has_page and prefers_page(asked.headers.get("accept")),
            )
        reply.headers |= api_request.response_headers
        reply.headers["Request-Id"] = api_request.request_id
        if api_request.seat is not None:
            point = yield from settle(partial(_checkpoint, api_request))
            if point is not None:
                reply.headers[CHECKPOINT] = f"size={point.size}, root={point.root}"
        if served.origins:
            cors.add(reply.headers, served.origins, asked.headers.get("origin"))
        seconds = perf_counter() - start
        served.metrics.answered(operation.id, reply.status, seconds)
        encounter = api_request.path.get("encounter")
        ids = {"rewound.request": api_request.request_id, "rewound.encounter": encounter}
        span.answered(reply.status, ids)
        _logger.info(
            "http.answered",
            operation=operation.id,
            status=reply.status,
            ms=round(seconds * 1000, 1),
            request=api_request.request_id,
            encounter=encounter,
            caller=api_request.caller.name if api_request.caller is not None else None,
            seat=api_request.seat.seat if api_request.seat is not None else None,
            address=api_request.sender,
            **span.log_fields,
        )
        return reply


def _answer(
    operation: Operation, served: AppContext, api_request: ApiRequest, asked: RequestHead
) -> Steps[ApiResponse]:
    """Authenticate *api_request* and run its handler; if it would block the loop, start again in the pool.

    What the handler computes by the rules has `READING` steps of work.
    Nothing has been appended by then, because after an append a handler only waits in the pool.
    """
    if not operation.is_quick:
        yield IN_POOL
    is_read = False
    while True:
        try:
            served.authenticator.admit(operation, api_request)
            if not is_read:
                api_request.body = yield from _body(operation, asked)
                is_read = True
            api_request.query  # noqa: B018 - reading it checks it: unknown parameters are refused everywhere
            meter = Meter(READING, is_lenient=True, stop=asked.stop)
            with meter:
                answer = operation.handler(api_request)
            return answer if isinstance(answer, ApiResponse) else (yield from within(meter, answer))
        except WouldWait:
            yield IN_POOL
        except NoSuchEncounter:  # it was deleted after the caches were filled
            yield IN_POOL
            if operation.is_inside:
                served.services.removals.forget(api_request.encounter)
                served.services.missing.forget(api_request.encounter)
            served.authenticator.admit(operation, api_request)
            raise


def _checkpoint(api_request: ApiRequest) -> TreeHead | None:
    """Return the latest signed checkpoint, so that two clients can compare histories; None if unavailable.

    The answer is already made, perhaps to a command that took effect: no failure here may take its place.
    """
    try:
        return api_request.services.tree_heads.of(api_request.encounter)
    except WouldWait:  # it is asked for again, in the pool
        raise
    except StoreFailure:
        return None
    except Exception:
        _logger.exception("http.checkpoint_failed", request=api_request.request_id)
        return None


def _call(
    operation: Operation, served: AppContext, path: Mapping[str, str], asked: RequestHead
) -> ApiRequest:
    return ApiRequest(
        services=served.services,
        inputs=served.inputs,
        metrics=served.metrics,
        request_id=new_request_id(),
        method=operation.method,
        path=path,
        target=asked.path,
        query_text=asked.query_text,
        given=asked.given,
        headers=asked.headers,
        parameters=operation.parameters,
        is_raw=bool(operation.raw_body),
        sender=asked.address,
        is_inside=operation.is_inside,
    )


def _body(operation: Operation, asked: RequestHead) -> Steps[bytes]:
    """Return the request's body; a body with a too large `Content-Length` is not read.

    Raises the problems `unsupported-media-type` and `body-too-large`.
    """
    if asked.headers.get("content-encoding", "identity") != "identity":
        raise Problem("unsupported-media-type", "send the body without a content encoding")
    if operation.method == "GET":
        return b""
    if asked.length > operation.limit:
        raise _too_large(operation.limit)
    try:
        body: bytes = yield asked.body(operation.limit)
    except RequestEntityTooLarge:
        raise _too_large(operation.limit) from None
    return body


def _too_large(limit: int) -> Problem:
    return Problem("body-too-large", f"a body of at most {limit:,} bytes", members={"limit": limit})


def respond(answer: ApiResponse, if_none_match: str = "") -> Reply:
    """Return *answer* as an HTTP response, or 304 if the ETag matches *if_none_match*."""
    headers = _HEADERS | answer.headers
    if answer.version is not None:
        headers["ETag"] = quote_etag(answer.version)
        known = matching(parse_etags(if_none_match), answer.version) if if_none_match else None
        if known is not None:
            headers["ETag"] = quote_etag(known)
            return Reply(HTTPStatus.NOT_MODIFIED, headers | {"Vary": f"{headers['Vary']}, {CODING}"}, b"")
    headers["Content-Type"] = answer.media_type
    if answer.stream is not None:
        return Reply(answer.status, headers, answer.stream)
    body = answer.raw if answer.raw is not None else encoded(answer.data, is_pretty=answer.is_pretty)
    return Reply(answer.status, headers, b"" if answer.status == HTTPStatus.NO_CONTENT else body)


def encoded(data: Any, *, is_pretty: bool = False) -> bytes:
    """Return *data* as a line of JSON, or indented if *is_pretty*, with a newline at the end.

    The standard library encodes what orjson cannot, as large integers.
    """
    try:
        return orjson.dumps(data, option=_SPELLING | (orjson.OPT_INDENT_2 if is_pretty else 0))
    except orjson.JSONEncodeError:
        encoder = _INDENTING if is_pretty else _ENCODER
        return encoder.encode(data).encode() + b"\n"


def as_problem(fault: Exception, request_id: str) -> Problem:
    """Return the problem for *fault*; an unexpected exception is logged and becomes `internal-error`."""
    if isinstance(fault, Problem):
        return fault
    if isinstance(fault, HTTPException):
        return _of_framework(fault)
    if isinstance(fault, MemoryError):
        _logger.error("http.without_memory", request=request_id)
        return Problem(
            "out-of-memory", "the process that served this had no memory left", headers={"Retry-After": "1"}
        )
    known = _of_log(fault)
    if known is not None:
        return known
    _logger.error("http.failed", request=request_id, exc_info=fault)
    return Problem("internal-error", "the error was logged under this request's id")


def _of_framework(fault: HTTPException) -> Problem:
    code = _CODES.get(fault.code or 500)
    if code is None:
        code = "bad-request" if 400 <= (fault.code or 500) < 500 else "internal-error"  # noqa: PLR2004 - HTTP's classes
    headers = {  # in one order: the framework gives a set
        name: ", ".join(sorted(value.split(", "))) for name, value in fault.get_headers() if name == "Allow"
    }
    detail = {
        "not-found": "there is nothing at this address that you may see",
        "method-not-allowed": f"this resource supports {headers.get('Allow', 'another method')} alone",
    }.get(code, (fault.description or fault.name).lower().rstrip("."))
    return Problem(code, detail, headers=headers)


def _of_log(fault: Exception) -> Problem | None:
    for kind, tell in _PROBLEM_OF.items():
        if isinstance(fault, kind):
            return tell(fault)
    return None


def _conflict(fault: Any) -> Problem:
    return Problem(
        "version-mismatch",
        f'{fault}: read what is new, then send If-Match: "{fault.actual}"',
        members={"version": fault.actual},
        headers={"ETag": f'"{fault.actual}"'},
    )


_PROBLEM_OF: Final[Mapping[type[Exception], Callable[[Any], Problem]]] = {
    NoSuchEncounter: lambda _: not_found(),
    EncounterRemoved: lambda fault: removed(fault.removal.public_data),
    EncounterMissing: lambda fault: missing(fault.dispute.public_data),
    UnknownEdition: lambda fault: Problem(
        "edition-unavailable",
        f"this process does not have the edition {fault.edition}",
        headers={"Retry-After": "10"},
    ),
    ChainBroken: lambda fault: Problem(
        "record-damaged", f"commit {fault.n} does not continue the one before it"
    ),
    Undecipherable: lambda _: Problem(
        "record-damaged", "the service's secret does not decrypt the encounter's secrets"
    ),
    EncounterImported: lambda fault: Problem("encounter-imported", str(fault)),
    TooMuchWork: lambda fault: Problem(
        "too-much-work", f"{fault}: ask for less, such as one creature (`?creature=`) or fewer commands"
    ),
    WorkStopped: lambda _: Problem(
        "too-slow", f"it took more than {READ_S} seconds", headers={"Retry-After": "10"}
    ),
    KeyReused: lambda fault: Problem(
        "idempotency-key-reused",
        "the key was used for another request; take a new key",
        members={"n": fault.n},
    ),
    VersionConflict: _conflict,
    TooManyRefusals: lambda fault: Problem(
        "too-many-refusals",
        str(fault),
        members={"quota": "refusals", "used": fault.most, "limit": fault.most},
        headers={"Retry-After": str(fault.seconds)},
    ),
    TooManyUndecided: lambda fault: Problem(
        "too-many-undecided",
        str(fault),
        members={"quota": "undecided", "used": fault.undecided, "limit": fault.most},
        headers={"Retry-After": "1"},
    ),
    QuotaExceeded: lambda fault: Problem(
        "quota-exceeded",
        str(fault),
        members={"quota": fault.name, "used": fault.used, "limit": fault.limit},
    ),
    OutcomeUnknown: lambda _: Problem(
        "outcome-unknown", "the store did not answer; look up the outcome by the idempotency key"
    ),
    StoreFull: lambda _: Problem("store-full", "the store is out of memory", headers={"Retry-After": "10"}),
    StoreLoading: lambda _: Problem(
        "store-loading", "the store is reading its log from disk", headers={"Retry-After": "2"}
    ),
    FileLost: lambda _: Problem(
        "archive-unavailable",
        "the file of the archived encounter is missing or damaged; the operator must restore it",
        headers={"Retry-After": "60"},
    ),
    ArchiveUnavailable: lambda _: Problem(
        "archive-unavailable",
        "the encounter is archived and cannot be restored now",
        headers={"Retry-After": "2"},
    ),
    StoreFailure: lambda _: Problem(
        "store-unavailable", "the store cannot be reached", headers={"Retry-After": "1"}
    ),
}
"""The problem for each exception of the lower layers; the first match counts, so subclasses come first."""


def refuse(
    problem: Problem, instance: str, request_id: str, *, is_pretty: bool = False, is_page: bool = False
) -> Reply:
    """Return *problem* as the response to the request *request_id* to the path *instance*.

    With *is_pretty* its JSON is indented; with *is_page* it is an HTML page.
    """
    document = problem.body(instance, request_id)
    headers = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Content-Type": MEDIA_TYPE}
    if is_page:
        headers |= {
            "Content-Type": HTML,
            "Content-Security-Policy": POLICY,
            "Referrer-Policy": "no-referrer",
        }
    body = (
        failure_page(problem.kind, document).encode() if is_page else encoded(document, is_pretty=is_pretty)
    )
    return Reply(problem.kind.status, headers | problem.headers, body)
