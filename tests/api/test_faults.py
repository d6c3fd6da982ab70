"""What prevents an answer is named: an edition that is not here, a record that is damaged; headers."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

from service.api import event_stream
from service.api.app import create_app
from service.key_files import Keyring
from service.log import Log
from service.record.commit import QUARANTINED, REFUSED, Commit, load_commit
from service.rules.registry import REGISTRY
from service.usecases.services import Services, make_services
from tests.api.client import Api, Table, is_problem
from tests.api.conftest import KEY


@pytest.fixture
def older(log: Log) -> Iterator[Services]:
    """Give a process of an older version beside the others: it does not have the rules of `tiny@1`."""
    services = make_services(
        log, REGISTRY, ring=lambda _bucket: None, clock=time.time, keys=Keyring.of(KEY), mode="memory"
    )
    yield services
    services.outcomes.close()


def test_an_edition_that_a_process_does_not_have_is_named_and_tried_again(
    table: Table, owner: Api, older: Services
) -> None:
    app = create_app(older)
    assert owner.token is not None
    there = Api(app).with_token(owner.token)

    for path in ("", "/state", "/options"):
        answer = there("GET", table.at + path)
        problem = is_problem(answer, 503, "edition-unavailable")
        assert "tiny@1" in problem["detail"]
        assert answer.headers["Retry-After"]


def test_a_record_that_contradicts_itself_is_named(table: Table, services: Services) -> None:
    table.send(table.gm, {"type": "add", "amount": 1})
    kept = services.log.commits
    services.folder.drop(table.id)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(services.log, "commits", lambda e, a, c: kept(e, max(a, 1), c))
        is_problem(table.gm("GET", f"{table.at}/state"), 500, "record-damaged")


@pytest.mark.parametrize(
    ("outcome", "code"), [(REFUSED, "command-refused"), (QUARANTINED, "command-quarantined")]
)
def test_a_fork_whose_opening_is_refused_is_not_called_quarantined(
    table: Table, monkeypatch: pytest.MonkeyPatch, outcome: str, code: str
) -> None:
    refusal = {"code": "no_such_moment", "detail": "it is not there", "rule": None}

    def opened_otherwise(raw: bytes) -> Commit:
        return replace(load_commit(raw), outcome=outcome, refusal=refusal, events=[])

    monkeypatch.setattr("service.api.command_outcomes.load_commit", opened_otherwise)

    problem = is_problem(table.gm("POST", f"{table.at}/forks", {"at": 1}), 409, code)

    if outcome == REFUSED:
        assert problem["code"] == "no_such_moment"


@pytest.mark.parametrize(
    ("accept", "streams"),
    [
        ("text/event-stream", True),
        ("text/event-stream, application/json", True),
        ("application/json;q=0.5, text/*", True),
        ("text/event-stream;q=0, */*", False),
        ("text/event-stream;q=0.1, application/json", False),
        ("*/*", False),
        ("application/json", False),
        (None, False),
    ],
)
def test_a_client_gets_the_stream_only_where_it_prefers_it(accept: str | None, *, streams: bool) -> None:
    assert event_stream.is_wanted(accept) is streams


def test_whatever_is_there_matches_if_none_match_any(table: Table) -> None:
    tag = table.gm("GET", f"{table.at}/state").headers["ETag"]

    for sent in ("*", tag, f"W/{tag}", f'"other", {tag}'):
        assert table.gm("GET", f"{table.at}/state", If_None_Match=sent).status_code == 304, sent
    assert table.gm("GET", f"{table.at}/state", If_None_Match='"other"').status_code == 200
