"""The Flask application: it routes requests to operations and serves them in threads.

On the event loop Flask routes only paths that `service.api.loop.routes` does not find; see
`service.api.loop.adapter`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cache, partial
from typing import Final
from urllib.parse import quote

from flask import Flask, Request, Response, current_app, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound
from werkzeug.routing import Map, Rule

from service.api import cors, resources
from service.api.authentication import Authenticator
from service.api.exchange import Reply, RequestHead
from service.api.inputs import all_inputs
from service.api.metrics import Metrics
from service.api.near_paths import near_path
from service.api.operations import OPERATIONS, Operation
from service.api.parameters import PRETTY
from service.api.problem_pages import prefers_page
from service.api.problems import not_found
from service.api.quotas import RateLimits, RequestQuotas
from service.api.request_ids import new_request_id
from service.api.resources import documents
from service.api.serving import AppContext, as_problem, refuse, serve
from service.core.fold import Registry
from service.steps import Pause, blocking, run
from service.usecases.services import Services

SERVED: Final = "rewound.served"
"""The name of the Flask extension that is the application's `AppContext`."""


def create_app(services: Services, bounds: RateLimits | None = None, origins: Collection[str] = ()) -> Flask:
    """Return the WSGI application that serves every operation with *services*, within the limits *bounds*.

    Pages of *origins* may read its answers in a browser (CORS).
    """
    resources.load()
    app = Flask("rewound", static_folder=None)
    app.url_map = _rules()
    served = AppContext(
        services=services,
        inputs=all_inputs(services.registry),
        authenticator=Authenticator(services, RequestQuotas(bounds or RateLimits())),
        metrics=Metrics(services),
        origins=frozenset(origins),
    )
    app.view_functions |= {each.id: _view(each, served) for each in OPERATIONS.all.values()}
    app.register_error_handler(Exception, partial(_framework_fault, served))
    app.extensions[SERVED] = served
    cors.allow(app, served.origins)
    return app


def prepare(registry: Registry) -> None:
    """Compile what every application over *registry* has; `create_app` does it, too, if nobody has before."""
    resources.load()
    _rules()
    all_inputs(registry)


def _rules() -> Map:
    return _url_map(tuple((each.id, each.method, each.path) for each in OPERATIONS.all.values()))


@cache
def _url_map(operations: tuple[tuple[str, str, str], ...]) -> Map:
    """Return the rules for the id, method and path of each operation.

    To compile them takes longer than the rest of `create_app`, so all applications of a process share them.
    """
    rules = (
        Rule(path.replace("{", "<").replace("}", ">"), endpoint=id_, methods=[method])
        for id_, method, path in operations
    )
    return Map(rules, strict_slashes=True, merge_slashes=False)


def _view(operation: Operation, served: AppContext) -> Callable[..., Response]:
    def view(**path: str) -> Response:
        asked = request_head(request, lambda limit: Pause(lambda: _read(request, limit), _cannot_park))
        return _response(run(serve(operation, served, path, asked)))

    return view


def request_head(request: Request, body: Callable[[int], Pause[bytes]]) -> RequestHead:
    """Return Flask's *request* as operations read it; *body* returns a pause that yields its body."""
    return RequestHead(
        method=request.method,
        path=request.path,
        query_text=request.query_string.decode("latin-1"),
        given=request.args.to_dict(flat=False) if request.query_string else {},
        headers=request.headers,
        address=request.remote_addr or "",
        length=request.content_length or 0,
        body=body,
    )


def _read(request: Request, limit: int) -> bytes:
    request.max_content_length = limit
    return request.get_data(cache=False)


async def _cannot_park() -> bytes:
    raise AssertionError("a request in a thread has no event loop")


def _response(reply: Reply) -> Response:
    body = reply.body if isinstance(reply.body, bytes) else blocking(reply.body)
    return Response(body, status=reply.status, headers=reply.headers)


def _page_before_slash() -> str | None:
    """Return the address of the documentation's page that the request names with a slash after it, if any.

    People write `/docs/`. Paths of the API keep their 404, which suggests the right one.
    """
    try:
        id_, _ = current_app.url_map.bind("").match(request.path.removesuffix("/"), method=request.method)
    except HTTPException:
        return None
    if not request.path.endswith("/") or OPERATIONS.all[id_].tag != documents.TAG:
        return None
    query = f"?{request.query_string.decode('latin-1')}" if request.query_string else ""
    return quote(request.path.removesuffix("/")) + query


def _framework_fault(served: AppContext, fault: Exception) -> Response:
    """Return the response to a request that reached no operation, such as an unknown path or method."""
    request_id = new_request_id()
    if isinstance(fault, NotFound) and (page := _page_before_slash()):
        headers = {"Location": page, "Cache-Control": "no-store", "Request-Id": request_id}
        return _response(Reply(308, headers, b""))
    problem = as_problem(fault, request_id)
    if isinstance(fault, NotFound):
        problem = not_found(f"no operation has this path{near_path(request.path, request.method)}")
    elif isinstance(fault, MethodNotAllowed) and cors.is_preflight(request):
        problem.detail = "cross-origin requests are disabled, because REWOUND_CORS_ORIGINS lists no origin"
    is_page = request.method in {"GET", "HEAD"} and prefers_page(request.headers.get("accept"))
    is_pretty = PRETTY.name in request.args
    reply = refuse(problem, request.path, request_id, is_pretty=is_pretty, is_page=is_page)
    reply.headers["Request-Id"] = request_id
    cors.add(reply.headers, served.origins, request.headers.get("origin"))
    return _response(reply)
