"""Serve the yardstick: a bare Flask route that validates the same body and does one fsynced XADD.

It uses the service's own marshmallow schemas, the same gunicorn settings and the same store, and does nothing
else: no key, no record, no rules, no answer to wait for.
"""

from __future__ import annotations

import json
import os
from typing import Any

from flask import Flask, Response, request
from redis import Redis

from service.api.inputs import inputs_of
from service.rules.registry import ruleset_of


def create() -> Flask:
    """Return the bare application; the store's address comes from `BENCH_STORE`."""
    app = Flask("bare")
    store: Redis = Redis.from_url(os.environ["BENCH_STORE"])
    schemas = inputs_of(ruleset_of("heartrush@1")).commands

    @app.post("/bare")
    def bare() -> Response:
        body: dict[str, Any] = request.get_json()
        schemas[body["type"]].load(body)
        n = store.xadd("bench", {"request": request.get_data()})
        return Response(json.dumps({"n": str(n)}), status=200, mimetype="application/json")

    return app
