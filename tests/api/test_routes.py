"""The routes of the event loop lead where Flask's lead, or nowhere."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from flask import Flask
from werkzeug.exceptions import HTTPException

from service.api.app import create_app
from service.api.loop.routes import Routes
from service.api.operations import OPERATIONS
from service.usecases.services import Services

METHODS = ("GET", "HEAD", "POST", "PATCH", "DELETE", "OPTIONS")
ODD = (
    *("", "v1/encounters", "/v1/encounters/", "//v1/encounters", "/v1//encounters", "/v1/encounters/e/"),
    *("/v1/encounters/a%2Fb/state", "/v1/encounters/%65/state", "/v1/encounters/é/state", "/nowhere", "*"),
    *(
        "http://host/v1/encounters",
        "/v1/encounters/{encounter}/state",
        "/V1/encounters",
        "/livez/",
        "/.",
        "//",
    ),
)


@pytest.fixture
def app(services: Services) -> Flask:
    return create_app(services)


def by_flask(app: Flask, method: str, path: str) -> tuple[str, dict[str, str]] | None:
    try:
        endpoint, parts = app.url_map.bind("x").match(path, method)
    except HTTPException:
        return None
    return endpoint, dict(parts)


def test_every_operation_is_found_as_flask_finds_it(app: Flask) -> None:
    routes = Routes.of(OPERATIONS.all.values())
    for operation in OPERATIONS.all.values():
        path = operation.path.replace("{", "of-").replace("}", "")
        for method in METHODS:
            found = routes.find(method, path)
            wanted = by_flask(app, method, path)
            assert (found and (found.operation.id, dict(found.path))) == wanted, f"{method} {path}"
        assert routes.find(operation.method, path) is not None


@pytest.mark.parametrize("path", ODD)
def test_an_odd_path_leads_to_no_other_operation(app: Flask, path: str) -> None:
    for method in METHODS:
        found = Routes.of(OPERATIONS.all.values()).find(method, path)
        if found is not None:
            assert (found.operation.id, dict(found.path)) == by_flask(app, method, path)


def test_fields_of_a_request_are_read_by_lower_case_names() -> None:
    """On the loop a request's fields are a plain dict; Flask's own request takes any case."""
    owners = {"asked.headers", "api_request.headers", "request.headers", "self.headers"}
    wrong = []
    for path in Path("service/api").rglob("*.py"):
        text = path.read_text("utf-8")
        reads = [] if "from flask" in text else [_field_read(node) for node in ast.walk(ast.parse(text))]
        wrong += [f"{path}: {name}" for name, owner in reads if owner in owners and name != name.lower()]
    assert wrong == []


def _field_read(node: ast.AST) -> tuple[str, str]:
    """Return the name of the field that *node* reads, and what it reads it from."""
    match node:
        case ast.Call(func=ast.Attribute(value=owner, attr="get"), args=[ast.Constant(value=str(name)), *_]):
            return name, ast.unparse(owner)
        case ast.Compare(left=ast.Constant(value=str(name)), comparators=[owner]):
            return name, ast.unparse(owner)
        case ast.Subscript(value=owner, slice=ast.Constant(value=str(name))):
            return name, ast.unparse(owner)
    return "", ""
