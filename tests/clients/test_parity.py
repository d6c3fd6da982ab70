"""Hold the page of both clients to them: each call asks what its row says, and no operation is left out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import pytest
import requests
import yaml

from rewound_client import Rewound
from rewound_client.transport import WAIT_S
from service.api.request import WAIT_LIMIT
from tests.clients.conftest import ROOT
from tests.support.javascript_verifier import node

PAGE: Final = ROOT / "clients" / "README.md"
NOT_FOR_CLIENTS: Final = {"Documentation", "Public log"}
NOT_OF_THE_API: Final = {"/livez", "/readyz", "/metrics"}
OPENING: Final = {"edition": "rise@1", "creatures": []}
COMMAND: Final = {"type": "pass", "creature": "pia"}
NAMES: Final = {"opening": OPENING, "command": COMMAND, "digest": "0" * 64, "text": "{}"}
LISTS: Final = (
    *("encounters", "seats", "commits", "rolls", "rounds", "contests", "audits", "checkpoints"),
    *(
        "webhooks",
        "deliveries",
        "keys",
        "rulesets",
        "imports",
        "forks",
        "creatures",
        "lines",
        "changes",
        "cells",
        "lists",
    ),
)
ANSWER: Final[Mapping[str, Any]] = {
    **{name: [] for name in LISTS},
    "carried": {},
    "next_cursor": None,
    "encounter": "e",
    "token": "rs_x",
    "ticket": "t",
    "status": "done",
}
"""An answer to everything: whatever a call takes from it is there."""


@dataclass(frozen=True)
class Row:
    """One row of the page: what is asked, and by which call."""

    method: str
    path: str
    python: str
    javascript: str

    def says(self, asked: Mapping[str, Any]) -> bool:
        """Tell whether a request is what this row says."""
        pattern = re.sub(r"\\{\w+\\}", "[^/]+", re.escape(self.path))
        fits = re.fullmatch(pattern, asked["path"]) is not None
        return fits and asked["method"] == self.method and asked["keyed"] == (self.method != "GET")


def rows() -> list[Row]:
    found = []
    for line in PAGE.read_text("utf-8").partition("## Calls")[2].splitlines():
        cells = re.findall(r"`([^`]+)`", line)
        if cells:
            http, python, javascript = cells
            method, _, path = http.partition(" ")
            found.append(Row(method, path.replace("…", "/v1/encounters/{encounter}"), python, javascript))
    return found


class Recorder(requests.Session):
    """Answers everything alike and notes what was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[dict[str, Any]] = []

    def request(self, method: Any, url: Any, **more: Any) -> requests.Response:  # type: ignore[override]  # as it is called
        found = {"method": method, "path": url.removeprefix("http://service").partition("?")[0]}
        self.asked.append(found | {"keyed": "Idempotency-Key" in more["headers"]})
        made = requests.Response()
        made.status_code = 200
        is_text = url.endswith(("/bundle", ".yaml"))
        made.headers["Content-Type"] = "text/plain" if is_text else "application/json"
        made._content = json.dumps(ANSWER).encode()  # noqa: SLF001 - so requests' own test tools do
        return made


@pytest.mark.parametrize("row", rows(), ids=lambda row: f"{row.method} {row.path}")
def test_a_call_in_python_asks_what_its_row_says(row: Row) -> None:
    session = Recorder()
    service = Rewound("http://service", "rw_x", session=session)
    names = {**NAMES, "service": service, "table": service.encounter("e")}
    made = eval(row.python, {"__builtins__": {}}, names)  # noqa: S307 - a call of our own page
    if isinstance(made, Iterator):
        assert list(made) == []
    (asked,) = session.asked
    assert row.says(asked), asked


def test_the_calls_in_javascript_ask_what_their_rows_say() -> None:
    collected = {"answer": ANSWER, "names": NAMES}
    calls = [row.javascript for row in rows()]
    found = json.loads(node("tests/clients/reach.mjs", told=json.dumps(collected | {"calls": calls})))
    wrong = [
        (row.javascript, asked)
        for row, asked in zip(rows(), found, strict=True)
        if len(asked) != 1 or not row.says(asked[0])
    ]
    assert wrong == []


def test_both_clients_wait_as_long_as_the_service_allows_and_the_page_says_so() -> None:
    requests_ = (ROOT / "clients" / "javascript" / "requests.mjs").read_text("utf-8")
    (in_javascript,) = re.findall(r"^export const WAIT_S = (\d+);$", requests_, re.MULTILINE)
    assert WAIT_S == int(in_javascript) == WAIT_LIMIT
    (row,) = re.findall(r"^\| how long one request waits .*$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert re.findall(r"(\d+) s", row) == [str(WAIT_LIMIT)] * 2


def test_no_operation_of_the_contract_is_left_out() -> None:
    contract = yaml.load((ROOT / "openapi.yaml").read_text("utf-8"), yaml.CSafeLoader)
    there = {
        (method.upper(), path)
        for path, item in contract["paths"].items()
        for method, operation in item.items()
        if isinstance(operation, dict)
        and "operationId" in operation
        and not NOT_FOR_CLIENTS & set(operation["tags"])
        and (method != "get" or "Pages" not in operation["tags"])
        and path not in NOT_OF_THE_API
    }
    assert {(row.method, row.path) for row in rows()} == there
