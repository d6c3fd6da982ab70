"""Serve the OpenAPI document, a page that renders it, the verifier, and a page for every problem type.

No page loads anything from another server.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Any, Final

from service.api import openapi
from service.api.operations import PUBLIC, UNCHANGED, ResponseSchema, operation
from service.api.problem_pages import POLICY, prefers_page, problem_page, problems_page
from service.api.problems import PROBLEMS, not_found
from service.api.request import ApiRequest, ApiResponse
from service.api.served_files import (
    Document,
    document_response,
    file_response,
    html_response,
    page_response,
    site_response,
)
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
_OFFLINE: Final = POLICY.replace("connect-src 'self'; ", "") + "; form-action 'none'"
"""The policy of a page that loads its own files and opens no other connection."""


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
    return document_response(request, _contract(request, openapi.as_yaml), _YAML)


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
    return document_response(request, _contract(request, openapi.as_json), "application/json")


@operation(
    "GET",
    "/docs",
    "getDocumentation",
    TAG,
    roles=PUBLIC,
    answers={200: ResponseSchema("The page.", None, "text/html"), 304: UNCHANGED},
)
def get_documentation(request: ApiRequest) -> ApiResponse:
    """Show the front page of the documentation, from which everything can be searched.

    A service that runs from a source tree without `make site` has no such page, and shows the API reference.
    """
    return site_response(request, "index") or get_reference(request)


@operation(
    "GET",
    "/docs/api",
    "getReference",
    TAG,
    roles=PUBLIC,
    answers={200: ResponseSchema("The page.", None, "text/html")},
)
def get_reference(request: ApiRequest) -> ApiResponse:  # noqa: ARG001 - it asks nothing
    """Show the API reference, which renders the OpenAPI document."""
    return page_response("docs.html")


@operation(
    "GET",
    "/docs/{file}",
    "getDocumentationFile",
    TAG,
    roles=PUBLIC,
    answers={200: ResponseSchema("The page or file.", None, "*/*"), 304: UNCHANGED},
    problems=("not-found",),
)
def get_documentation_file(request: ApiRequest) -> ApiResponse:
    """Get a page of the documentation, such as `/docs/integrating`, or a file that its pages load."""
    return site_response(request, request.path["file"]) or file_response(request, request.path["file"])


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
    return page_response("verify.html", _OFFLINE)


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
    return file_response(request, f"verifier/{request.path['file']}")


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
    if prefers_page(request.headers.get("accept")):
        answer = html_response(problems_page().encode())
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
    return html_response(problem_page(found).encode())


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
