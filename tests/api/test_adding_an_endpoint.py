"""The endpoint that docs/contributing.md shows works as printed, from the files that the page names."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask

from rewound_client import Rewound
from service.api import openapi, resources
from service.api.app import create_app
from service.api.operations import OPERATIONS, READERS, Operation
from service.api.shapes import COMPONENTS
from service.usecases.services import Services
from tests.api import client, everything
from tests.api.client import Api, Table
from tests.clients.test_parity import ANSWER, Recorder, Row
from tests.docs.pages import ROOT, blocks
from tests.support.javascript_verifier import node

PAGE = ROOT / "docs" / "contributing.md"
NAME = "getDiceSummary"
MODULE = "dice_summaries"


def section() -> str:
    """Return what the page says of adding an endpoint."""
    return PAGE.read_text("utf-8").partition("\n## Add an endpoint\n")[2].partition("\n## ")[0]


def files() -> list[str]:
    """Return the files that the page's steps name, the first one of each."""
    return re.findall(r"^\d\. `([^`]+)`", section(), re.MULTILINE)


@pytest.fixture
def added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Operation]:
    """Declare the page's endpoint, as if its module were in the folder of resources."""
    shown = next(each for each in blocks(PAGE) if f'"{NAME}"' in each.text)
    (tmp_path / f"{MODULE}.py").write_text(shown.text, "utf-8")
    monkeypatch.setattr(resources, "__path__", [*resources.__path__, str(tmp_path)])
    described = dict(COMPONENTS)
    client.contract.cache_clear()
    client.paths.cache_clear()
    client.registry.cache_clear()
    try:
        resources.load()
        yield OPERATIONS.all[NAME]
    finally:
        OPERATIONS.all.pop(NAME, None)
        COMPONENTS.clear()
        COMPONENTS.update(described)
        sys.modules.pop(f"{resources.__name__}.{MODULE}", None)
        client.contract.cache_clear()
        client.paths.cache_clear()
        client.registry.cache_clear()


@pytest.fixture
def application(added: Operation, services: Services) -> Flask:
    assert added.id == NAME
    return create_app(services)


def test_the_page_names_five_files_at_most_and_those_that_are_there_exist() -> None:
    named = files()
    assert named[0] == f"service/api/resources/{MODULE}.py"
    assert len(named) <= 5
    assert all((ROOT / name).parent.is_dir() for name in named)
    assert all((ROOT / name).exists() for name in named if MODULE not in name)


def test_the_endpoint_of_the_page_answers_within_the_contract(table: Table, application: Flask) -> None:
    table.send(table.ada, {"type": "roll"})
    who = Api(application, table.ada.token)
    answer = who("GET", f"{table.at}/dice-summary?limit=500")
    assert answer.status_code == 200, answer.text
    data = json.loads(answer.text)
    assert data["dice"] == [{"sides": 6, "thrown": 1}]
    same = who("GET", f"{table.at}/dice-summary?limit=500", **{"If-None-Match": answer.headers["ETag"]})
    assert same.status_code == 304


def test_the_endpoint_of_the_page_keeps_out_who_is_not_in_the_encounter(
    table: Table, application: Flask
) -> None:
    assert Api(application)("GET", f"{table.at}/dice-summary").status_code == 401
    foreign = Table.opened(table.gm)
    assert Api(application, foreign.ada.token)("GET", f"{table.at}/dice-summary").status_code == 404


def test_contract_and_tests_know_the_endpoint_of_the_page(added: Operation) -> None:
    found = openapi.document()["paths"][added.path]["get"]
    assert found["summary"] == "Count the dice of the newest commits, for each type of die"
    assert set(added.roles) == set(READERS)
    assert {"200", "304", "401", "403", "404", "429"} <= set(found["responses"])
    assert {"ETag", "RateLimit", "Rewound-Checkpoint"} <= set(found["responses"]["200"]["headers"])
    assert "/dice-summary" in list(everything.unlisted(everything.PATHS))


def test_the_row_of_the_page_of_clients_asks_for_the_endpoint(added: Operation) -> None:
    calls = re.findall(r"`(service\.\w+\([^`]+\))`", section())
    assert len(calls) == 2
    session = Recorder()
    row = Row(added.method, added.path, *calls)
    names = {"service": Rewound("http://service", "rw_x", session=session)}
    eval(row.python, {"__builtins__": {}}, names)  # noqa: S307 - a call of our own page
    (asked,) = session.asked
    assert row.says(asked)
    given = {"answer": ANSWER, "names": {}, "calls": [row.javascript]}
    ((asked,),) = json.loads(node("tests/clients/reach.mjs", told=json.dumps(given)))
    assert row.says(asked)
