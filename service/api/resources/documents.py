"""Serve the OpenAPI document, a page that renders it, the verifier, and a page for every problem type.

No page loads anything from another server.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from importlib.resources import files
from threading import Lock
from typing import Any, Final

from werkzeug.http import parse_accept_header

from service.api import openapi
from service.api.operations import PUBLIC, UNCHANGED, ResponseSchema, operation
from service.api.problem_pages import HTML, POLICY, prefers_page, problem_page, problems_page
from service.api.problems import PROBLEMS, not_found
from service.api.request import ApiRequest, ApiResponse
from service.api.shapes import NUMBER, TEXT, closed, component, listing

TAG: Final = "Documentation"
PROBLEM_TYPES: Final = component(
    "ProblemTypes",
    closed(
        "All problem types of the API.",
        problems=listing(closed("A problem type.", type=TEXT, status=NUMBER, title=TEXT, text=TEXT)),
    ),
)
_YAML: Final = "application/yaml"
_FILES: Final = {
    "docs.css": "text/css; charset=utf-8",
    "docs.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
    "verify.css": "text/css; charset=utf-8",
    "verify.js": "text/javascript; charset=utf-8",
}
_OFFLINE: Final = POLICY.replace("connect-src 'self'; ", "") + "; form-action 'none'"
"""The policy of a page that loads its own files and opens no other connection."""

_DIGEST: Final = 32
"""The number of hexadecimal digits in an `ETag`."""

_MODULES: Final = frozenset(
    each.name for each in files("service.api").joinpath("pages", "verifier").iterdir() if each.is_file()
)
"""The modules of the verifier in JavaScript; clients/javascript runs the same files."""


class Document:
    """Immutable bytes, uncompressed and compressed, with the digest for their `ETag`."""

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self.gzip = gzip.compress(raw, mtime=0)
        self.digest = sha256(raw).hexdigest()[:_DIGEST]


@operation(
    "GET",
    "/openapi.yaml",
    "getContract",
    TAG,
    roles=PUBLIC,
    answers={200: ResponseSchema("The OpenAPI 3.1 document.", None, _YAML), 304: UNCHANGED},
)
def get_contract(request: ApiRequest) -> ApiResponse:
    """Get the OpenAPI document of this API as YAML."""
    return _document_response(request, _contract(request, openapi.as_yaml), _YAML)


@operation(
    "GET",
    "/openapi.json",
    "getContractAsJson",
    TAG,
    roles=PUBLIC,
    answers={200: ResponseSchema("The OpenAPI 3.1 document."), 304: UNCHANGED},
)
def get_contract_as_json(request: ApiRequest) -> ApiResponse:
    """Get the OpenAPI document of this API as JSON."""
    return _document_response(request, _contract(request, openapi.as_json), "application/json")


@operation(
    "GET",
    "/docs",
    "getDocumentation",
    TAG,
    roles=PUBLIC,
    answers={200: ResponseSchema("The page.", None, "text/html")},
)
def get_documentation(request: ApiRequest) -> ApiResponse:  # noqa: ARG001 - it asks nothing
    """Show the documentation page, which renders the OpenAPI document and can be searched."""
    return _documentation()


def _documentation() -> ApiResponse:
    return _page(_file("docs.html").raw)


@operation(
    "GET", "/", "getHome", TAG, roles=PUBLIC, answers={200: ResponseSchema("The page.", None, "text/html")}
)
def get_home(request: ApiRequest) -> ApiResponse:  # noqa: ARG001 - it asks nothing
    """Show the documentation page at the address that the service prints when it starts."""
    return _documentation()


@operation(
    "GET",
    "/docs/{file}",
    "getDocumentationFile",
    TAG,
    roles=PUBLIC,
    answers={200: ResponseSchema("The file.", None, "*/*"), 304: UNCHANGED},
    problems=("not-found",),
)
def get_documentation_file(request: ApiRequest) -> ApiResponse:
    """Get a file that the documentation page loads."""
    name = request.path["file"]
    if name not in _FILES:
        raise not_found()
    return _document_response(request, _file(name), _FILES[name])


@operation(
    "GET",
    "/docs/verify",
    "getVerifier",
    TAG,
    roles=PUBLIC,
    answers={200: ResponseSchema("The page.", None, "text/html")},
)
def get_verifier(request: ApiRequest) -> ApiResponse:  # noqa: ARG001 - it asks nothing
    """Show a page that verifies a bundle in the browser without uploading it."""
    answer = _page(_file("verify.html").raw)
    answer.headers["Content-Security-Policy"] = _OFFLINE
    return answer


@operation(
    "GET",
    "/verify",
    "findVerifier",
    TAG,
    roles=PUBLIC,
    answers={200: ResponseSchema("The page.", None, "text/html")},
)
def find_verifier(request: ApiRequest) -> ApiResponse:
    """Show the page that verifies a bundle, at the address that people try."""
    return get_verifier(request)


@operation(
    "GET",
    "/docs/verifier/{file}",
    "getVerifierModule",
    TAG,
    roles=PUBLIC,
    answers={200: ResponseSchema("The module.", None, "text/javascript"), 304: UNCHANGED},
    problems=("not-found",),
)
def get_verifier_module(request: ApiRequest) -> ApiResponse:
    """Get a module of the JavaScript verifier, which also runs under Node.js."""
    name = request.path["file"]
    if name not in _MODULES:
        raise not_found()
    return _document_response(request, _file(f"verifier/{name}"), "text/javascript; charset=utf-8")


@operation(
    "GET",
    "/problems",
    "listProblemTypes",
    TAG,
    roles=PUBLIC,
    answers={200: ResponseSchema("The problem types.", PROBLEM_TYPES, page=True)},
)
def list_problem_types(request: ApiRequest) -> ApiResponse:
    """List all problem types; a client that prefers `text/html`, such as a browser, gets a page."""
    if prefers_page(request.headers.get("Accept")):
        answer = _page(problems_page().encode())
        answer.headers["Vary"] = "Accept"
        return answer
    found = [
        {"type": each.uri, "status": each.status, "title": each.title, "text": each.text}
        for each in PROBLEMS.values()
    ]
    return ApiResponse({"problems": found}, headers={"Vary": "Authorization, Accept"})


@operation(
    "GET",
    "/problems/{code}",
    "getProblemType",
    TAG,
    roles=PUBLIC,
    answers={200: ResponseSchema("The page.", None, "text/html")},
    problems=("not-found",),
)
def get_problem_type(request: ApiRequest) -> ApiResponse:
    """Show the page that explains a problem type."""
    found = PROBLEMS.get(request.path["code"])
    if found is None:
        raise not_found()
    return _page(problem_page(found).encode())


_documents: Final[dict[tuple[str, ...], dict[str, Any]]] = {}
_spellings: Final[dict[tuple[object, ...], Document]] = {}
_turn: Final = Lock()


def _contract(request: ApiRequest, spell: Callable[[dict[str, Any]], str]) -> Document:
    """Return the OpenAPI document for the editions of this process, encoded by *spell* and cached."""
    editions = tuple(request.services.registry)
    with _turn:  # generating takes a second; concurrent requests wait for the result
        if (editions, spell) not in _spellings:
            if editions not in _documents:
                _documents[editions] = openapi.document(request.services.registry)
            _spellings[editions, spell] = Document(spell(_documents[editions]).encode())
        return _spellings[editions, spell]


@cache
def _file(name: str) -> Document:
    return Document(files("service.api").joinpath("pages", name).read_bytes())


def _document_response(request: ApiRequest, document: Document, media_type: str) -> ApiResponse:
    """Return *document* as a response with an ETag, compressed if the client accepts gzip."""
    if request.is_pretty and media_type == "application/json":
        return ApiResponse(json.loads(document.raw), version=f"{document.digest}-pretty")
    wanted = parse_accept_header(request.headers.get("Accept-Encoding"))
    is_small = wanted["gzip"] > 0
    answer = _served(document.gzip if is_small else document.raw, media_type)
    answer.version = f"{document.digest}-gzip" if is_small else document.digest
    answer.headers["Vary"] = "Accept-Encoding"
    if is_small:
        answer.headers["Content-Encoding"] = "gzip"
    return answer


def _page(raw: bytes) -> ApiResponse:
    answer = _served(raw, HTML)
    answer.headers["Content-Security-Policy"] = POLICY
    answer.headers["Referrer-Policy"] = "no-referrer"
    return answer


def _served(raw: bytes, media_type: str) -> ApiResponse:
    headers = {"Cache-Control": "public, max-age=300", "X-Content-Type-Options": "nosniff"}
    return ApiResponse(raw=raw, media_type=media_type, headers=headers)
