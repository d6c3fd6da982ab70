"""No request leaves a cycle that holds its body: processes look for cycles seldom."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Iterator
from types import FrameType, SimpleNamespace
from typing import Any

import pytest
from werkzeug.test import EnvironBuilder

from service.api.loop.worker import Worker
from service.collecting import YOUNG
from tests.api.client import Api

LONG = "x" * 10_000


def _begin(status: str, *_: object) -> Callable[[bytes], object]:
    assert status.startswith("4")
    return len


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)
    gc.set_debug(0)
    gc.garbage.clear()
    gc.unfreeze()
    gc.enable()


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/encounters", LONG),
        ("/v1/encounters", json.dumps({"edition": "heartrush@1", "unheard_of": LONG})),
        ("/v1/encounters", json.dumps({"edition": "none", "sides": [LONG]})),
        ("/v1/encounters/none/commands", json.dumps({"type": LONG})),
    ],
)
def test_a_refused_request_is_freed_at_once(owner: Api, path: str, body: str) -> None:
    def refused() -> None:
        headers = [("Authorization", f"Bearer {owner.token}"), ("Content-Type", "application/json")]
        environ = EnvironBuilder(path, method="POST", data=body, headers=headers).get_environ()
        answer: Any = owner.app.wsgi_app(environ, _begin)
        list(answer)

    refused()
    gc.collect()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)

    refused()
    gc.collect()

    assert not [each for each in gc.garbage if isinstance(each, BaseException | FrameType)]


def test_a_process_of_the_api_looks_for_cycles_seldom() -> None:
    worker = Worker.__new__(Worker)
    worker.app = SimpleNamespace(wsgi=SimpleNamespace)

    worker.load_wsgi()

    assert gc.get_threshold()[0] == YOUNG
    assert gc.get_freeze_count()
