"""The routes of the event loop lead where Flask's lead, or nowhere."""

from __future__ import annotations

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
