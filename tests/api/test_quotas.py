"""Too many requests: counted by key, owner and address, told in standard fields."""

from __future__ import annotations

import json
import re
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from service.api.app import create_app
from service.api.problems import Problem
from service.api.quotas import RateLimits, RequestQuotas
from service.supervisor import EmbeddedValkey
from service.usecases.services import Services
from tests.api.client import Api, Table, is_problem


def served(services: Services, owner: Api, bounds: RateLimits) -> Api:
    """Return the owner's client at an application of its own with *bounds*."""
    return Api(create_app(services, bounds), owner.token)


def test_every_answer_says_what_is_left(services: Services, owner: Api) -> None:
    client = served(services, owner, RateLimits(caller=3))

    left = [client("GET", "/v1/encounters").headers["RateLimit"] for _ in range(3)]

    assert [re.fullmatch(r'"caller";r=(\d+);t=\d+', text)[1] for text in left] == ["2", "1", "0"]  # type: ignore[index]  # it matches or the test fails
    answer = client("GET", "/v1/encounters/none")
    assert answer.headers["RateLimit-Policy"] == '"caller";q=3;w=60'
    assert 0 < int(answer.headers["Retry-After"]) <= 60
    is_problem(answer, 429, "too-many-requests")


def test_what_is_over_the_limit_leaves_no_trace(services: Services, owner: Api) -> None:
    table = Table.opened(owner)
    client = served(services, owner, RateLimits(caller=1))
    client("GET", table.at)

    is_problem(client("POST", f"{table.at}/commands", {"type": "add", "amount": 1}), 429, "too-many-requests")

    assert owner.get(table.at)["appended"] == owner.get(table.at)["version"]


def test_seats_and_keys_are_counted_apart_and_an_owner_as_one(services: Services, owner: Api) -> None:
    table = Table.opened(owner)
    client = served(services, owner, RateLimits(caller=2, owner=3))
    other = client.with_token(json.loads(owner("POST", "/v1/api-keys", {"name": "two"}).text)["text"])
    for _ in range(2):
        assert client("GET", table.at).status_code == 200
    is_problem(client("GET", table.at), 429, "too-many-requests")

    assert other("GET", table.at).status_code == 200
    assert '"owner"' in other("GET", table.at).headers["RateLimit-Policy"]
    assert client.with_token(str(table.ada.token))("GET", table.at).status_code == 200


def test_guessing_is_slowed_and_no_valid_token_is_kept_out(services: Services, owner: Api) -> None:
    client = served(services, owner, RateLimits(guesses=2))
    wrong = client.with_token("rw_000000000000_" + "A" * 43)
    for _ in range(2):
        is_problem(wrong("GET", "/v1/encounters"), 401, "unauthenticated")

    is_problem(wrong("GET", "/v1/encounters"), 429, "too-many-requests")

    assert client("GET", "/v1/encounters").status_code == 200
    is_problem(Api(client.app)("GET", "/v1/encounters"), 401, "unauthenticated")


def test_processes_share_the_count_of_guesses(
    services: Services, owner: Api, tmp_path_factory: pytest.TempPathFactory
) -> None:
    wrong = "rw_000000000000_" + "A" * 43
    with EmbeddedValkey(tmp_path_factory.mktemp("counter")) as server:
        bounds = RateLimits(guesses=3, rare_counters=server.queue_url)
        processes = [served(services, owner, bounds).with_token(wrong) for _ in range(2)]

        answers = [each("GET", "/v1/encounters").status_code for each in 3 * processes]

        assert answers == [401, 401, 401, 429, 429, 429]

    alone = [processes[0]("GET", "/v1/encounters").status_code for _ in range(5)]
    assert alone == [401, 401, 401, 429, 429], "a counter that is gone leaves each process its own"


def test_what_needs_no_token_is_counted_by_address_and_probes_are_not(services: Services, owner: Api) -> None:
    client = Api(served(services, owner, RateLimits(anonymous=2)).app)
    paths = ("/openapi.yaml", "/v1/rulesets", "/docs")

    answers = [client("GET", path) for path in paths]

    assert [answer.status_code for answer in answers] == [200, 200, 429]
    is_problem(answers[2], 429, "too-many-requests")
    assert answers[0].headers["RateLimit-Policy"] == '"anonymous";q=2;w=60'
    assert {client("GET", path).status_code for path in 5 * ("/livez", "/readyz")} <= {200, 503}
    assert served(services, owner, RateLimits())("GET", "/v1/encounters").status_code == 200


def test_zero_is_no_limit(services: Services, owner: Api) -> None:
    client = served(services, owner, RateLimits(caller=0, owner=0, guesses=0, anonymous=0))

    answers = [client("GET", "/v1/encounters") for _ in range(20)]

    assert {answer.status_code for answer in answers} == {200}
    assert "RateLimit" not in answers[-1].headers


def test_processes_that_share_a_counter_share_the_limit(
    services: Services, owner: Api, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with EmbeddedValkey(tmp_path_factory.mktemp("counter")) as server:
        one, two = (
            served(services, owner, RateLimits(caller=2, counters=server.queue_url)) for _ in range(2)
        )

        assert [one("GET", "/v1/encounters").status_code, two("GET", "/v1/encounters").status_code] == [
            200,
            200,
        ]
        is_problem(one("GET", "/v1/encounters"), 429, "too-many-requests")
        is_problem(two("GET", "/v1/encounters"), 429, "too-many-requests")

    assert one("GET", "/v1/encounters").status_code == 200, "a counter that is gone lets everybody in"


def test_many_at_once_are_counted_once_each(request: pytest.FixtureRequest) -> None:
    quotas = RequestQuotas(RateLimits(caller=1_000_000, owner=0))
    usual = sys.getswitchinterval()
    request.addfinalizer(lambda: sys.setswitchinterval(usual))
    sys.setswitchinterval(1e-6)
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda _: quotas.take("key:a", None), range(4_000)))

    left = int(quotas.take("key:a", None)["RateLimit"].split(";r=")[1].split(";")[0])
    assert left == 1_000_000 - 4_001


def test_counting_starts_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[threading.Thread] = []
    monkeypatch.setattr(threading.Thread, "start", started.append)
    quotas = RequestQuotas(RateLimits())

    for nth in range(20):
        quotas.take(f"key:{nth % 3}", "ada")

    assert started == []


def test_a_window_begins_with_its_first_request_and_lasts_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1_000.0
    monkeypatch.setattr("service.api.quotas.time", SimpleNamespace(time=lambda: now))
    quotas = RequestQuotas(RateLimits(caller=2, owner=0))

    def told(who: str) -> str:
        return quotas.take(who, None)["RateLimit"]

    assert told("key:a") == '"caller";r=1;t=60'
    now = 1_030.0
    assert told("key:b") == '"caller";r=1;t=60'
    assert told("key:a") == '"caller";r=0;t=30'
    with pytest.raises(Problem) as over:
        told("key:a")
    assert over.value.headers["Retry-After"] == "30"
    now = 1_060.0
    assert told("key:a") == '"caller";r=1;t=60'
    assert told("key:b") == '"caller";r=0;t=30'
