"""Call the API as a client would, and hold every answer to the contract."""

from __future__ import annotations

import gzip
import json
import re
from copy import copy
from dataclasses import dataclass
from functools import cache
from typing import Any

import jsonschema_rs
import pytest
from flask import Flask
from referencing import Registry
from referencing.jsonschema import DRAFT202012
from werkzeug.test import TestResponse

from service.api import openapi
from service.rules.registry import REGISTRY
from tests.support.discriminating import DiscriminatingValidator
from tests.support.tiny_game import SHELF as TINY_SHELF

USUAL = {
    *(
        "Content-Type",
        "Content-Length",
        "Cache-Control",
        "Content-Encoding",
        "Vary",
        "Content-Security-Policy",
    ),
    *("X-Content-Type-Options", "X-Accel-Buffering", "Referrer-Policy"),
    *("Access-Control-Allow-Origin", "Access-Control-Expose-Headers"),
}
"""Fields of an answer that say nothing of the service; all others are in the contract."""

JSON = {"application/json", "application/problem+json"}
STREAM = "text/event-stream"
ROOT = "urn:rewound:contract"


@cache
def contract() -> dict[str, Any]:
    return openapi.document({**REGISTRY, **TINY_SHELF})


@cache
def registry() -> Registry[Any]:
    made: Registry[Any] = Registry().with_resource(ROOT, DRAFT202012.create_resource(contract()))
    return made


@cache
def fast_validator(name: str) -> jsonschema_rs.Draft202012Validator:
    """Return a validator of the component *name*, which says only whether a value fits."""
    there = jsonschema_rs.Registry([(ROOT, contract())])
    return jsonschema_rs.Draft202012Validator({"$ref": name.replace("#", f"{ROOT}#")}, registry=there)


@cache
def paths() -> list[tuple[re.Pattern[str], str]]:
    return [(re.compile(re.sub(r"{\w+}", "[^/]+", path)), path) for path in contract()["paths"]]


def check(method: str, target: str, answer: TestResponse) -> None:
    """Fail unless the contract has this answer for this operation."""
    assert "Request-Id" in answer.headers
    path = next((path for pattern, path in paths() if pattern.fullmatch(target.partition("?")[0])), None)
    operation = contract()["paths"].get(path, {}).get(method.lower()) if path else None
    if operation is None:
        if answer.status_code == 308:  # a page that was named with a slash after it
            assert path is None
            assert answer.headers["Location"].startswith("/")
            return
        assert answer.status_code in (404, 405), f"{method} {target} is in no contract"
        if answer.mimetype != "text/html":  # a browser gets a page
            _fits(answer, "#/components/schemas/Problem")
        return
    found: object = "a stream" if answer.mimetype == STREAM else answer.data[:500]
    where = f"{method} {path} answers {answer.status_code}: {found}"
    assert str(answer.status_code) in operation["responses"], where
    described = openapi.response_of(contract(), str(path), method.lower(), str(answer.status_code))
    assert set(answer.headers.keys()) - USUAL <= set(described["headers"]), f"{where}: {answer.headers}"
    content = described.get("content", {})
    if not content:
        return
    if "*/*" in content:
        return
    assert answer.mimetype in content, where
    schema = content[answer.mimetype].get("schema")
    if schema is not None and answer.mimetype in JSON:
        _fits(answer, schema["$ref"])


def _fits(answer: TestResponse, name: str) -> None:
    """Fail unless the body fits the component *name*."""
    is_small = answer.headers.get("Content-Encoding") == "gzip"
    data = json.loads(gzip.decompress(answer.data) if is_small else answer.data)
    if not fast_validator(name).is_valid(data):
        schema = {"$ref": name.replace("#", f"{ROOT}#")}
        found = next(DiscriminatingValidator(schema, registry=registry()).iter_errors(data))
        pytest.fail(f"{found.message[:500]} at {found.json_path}: {json.dumps(data)[:1000]}")


class Api:
    """A client with or without a token."""

    def __init__(self, app: Flask, token: str | None = None) -> None:
        self.app = app
        self.token = token
        self.line: str | None = None
        """The line of play that every request names; None: the one that is played."""

    def with_token(self, token: str) -> Api:
        return Api(self.app, token)

    def in_line(self, line: str) -> Api:
        other = copy(self)
        other.line = line
        return other

    def __call__(self, method: str, target: str, data: object = None, /, **headers: str) -> TestResponse:
        """Send a request; bytes are sent as they are, and `Idempotency_Key="k"` gives a header."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.line is not None:
            target += ("&" if "?" in target else "?") + f"line={self.line}"
        if self.token is not None:
            sent.setdefault("Authorization", f"Bearer {self.token}")
        body = data if data is None or isinstance(data, bytes) else json.dumps(data).encode()
        if body is not None:
            sent.setdefault("Content-Type", "application/json")
        answer = self.app.test_client().open(target, method=method, data=body, headers=sent)
        check(method, target, answer)
        return answer

    def get(self, target: str, **headers: str) -> Any:
        """Return the data of a successful GET."""
        answer = self("GET", target, **headers)
        assert answer.status_code == 200, answer.text
        return answer.json


def is_problem(answer: TestResponse, status: int, code: str) -> dict[str, Any]:
    """Return the problem that *answer* is, which must be of this status and type."""
    assert (answer.status_code, answer.mimetype) == (status, "application/problem+json"), answer.text
    data: dict[str, Any] = json.loads(answer.text)
    assert data["type"] == f"/problems/{code}", answer.text
    return data


@dataclass
class Table:
    """A tiny game and the clients at it."""

    id: str
    gm: Api
    ada: Api
    bo: Api

    @classmethod
    def opened(cls, owner: Api, **opening: object) -> Table:
        answer = owner("POST", "/v1/encounters", {"edition": "tiny@1", **opening})
        assert answer.status_code == 201, answer.text
        id_ = json.loads(answer.text)["encounter"]
        tokens = [
            json.loads(owner("POST", f"/v1/encounters/{id_}/seats/{seat}/token", {}).text)["token"]
            for seat in ("ada", "bo")
        ]
        return cls(id_, owner, *(owner.with_token(token) for token in tokens))

    @property
    def at(self) -> str:
        return f"/v1/encounters/{self.id}"

    @property
    def as_played(self) -> Table:
        """The same people in this very line of play, also when another one continues it."""
        return Table(self.id, *(who.in_line(self.id) for who in (self.gm, self.ada, self.bo)))

    def send(self, who: Api, data: object, /, **headers: str) -> TestResponse:
        return who("POST", f"{self.at}/commands", data, **headers)
