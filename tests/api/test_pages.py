"""Lists with more items than a page: every item is shown once, the newest first, page by page."""

from __future__ import annotations

from typing import Any

import pytest

from service.log import IdempotencyKey
from service.record.timestamps import timestamp_of
from service.stores import webhooks
from service.stores.jobs import AUDITS, IMPORTS, JobKind
from service.stores.webhooks import Webhook, WebhookDelivery
from service.usecases.services import Services
from tests.api.client import Api, Table

COUNT = 51
"""One more than the default page has."""

Listed = tuple[str, str, str, list[str]]
"""The address of a list, its member with the items, the member with their ids, and the ids, newest first."""


def pages(api: Api, at: str, name: str, query: str = "") -> list[list[Any]]:
    """Return the pages of a list, read by following `next_cursor` until it is null."""
    found: list[list[Any]] = []
    cursor = ""
    while True:
        answer = api("GET", f"{at}?{query}{cursor}")
        assert answer.status_code == 200, answer.text
        page = api.get(f"{at}?{query}{cursor}")
        found.append(page[name])
        if page["next_cursor"] is None:
            assert "Link" not in answer.headers
            return found
        assert page["next_cursor"] in answer.headers["Link"]
        cursor = f"&cursor={page['next_cursor']}"


def jobs(services: Services, kind: JobKind, whose: str, **wanted: object) -> list[str]:
    """Request jobs and return their ids, newest first."""
    found = []
    for number in range(COUNT):
        once = IdempotencyKey(scope="test", key=f"k{number}", fingerprint="f")
        job, _ = kind.ask(services.log, whose, once, wanted, services.clock())
        found.append(job[kind.id])
    return found[::-1]


def owner_of(services: Services, table: Table) -> str:
    """Return the id of the owner of a table."""
    entry = services.encounters.find(table.id)
    assert entry is not None
    return entry.owner


@pytest.fixture
def audits(services: Services, table: Table) -> Listed:
    wanted = {"first_round": None, "last_round": None, "verdict": None, "certificate": None}
    return f"{table.at}/audits", "audits", "audit", jobs(services, AUDITS, table.id, **wanted)


@pytest.fixture
def imports(services: Services, table: Table) -> Listed:
    whose = owner_of(services, table)
    empty = dict.fromkeys(("encounter", "verdict", "certificate", "imported", "refusal"))
    return (
        "/v1/bundles",
        "imports",
        "bundle",
        jobs(services, IMPORTS, whose, keys=[], required=False, **empty),
    )


@pytest.fixture
def deliveries(services: Services, table: Table) -> Listed:
    hook = Webhook(
        "hook", owner_of(services, table), "https://example.org/hook", timestamp_of(services.clock())
    )
    webhooks.put(services.log, hook)
    made = []
    for n in range(1, COUNT + 1):
        each = WebhookDelivery(hook.id, table.id, n)
        webhooks.put_delivery(services.log, each)
        made.append(each.id)
    return f"/v1/webhooks/{hook.id}/deliveries", "deliveries", "delivery", made[::-1]


@pytest.mark.parametrize("listed", ["audits", "imports", "deliveries"])
@pytest.mark.parametrize(
    ("query", "sizes"),
    [("", [50, 1]), ("limit=20", [20, 20, 11]), ("limit=17", [17, 17, 17]), ("limit=51", [51])],
    ids=["default", "twenty", "full pages", "one full page"],
)
def test_more_items_than_a_page_are_each_shown_once(
    owner: Api, request: pytest.FixtureRequest, listed: str, query: str, sizes: list[int]
) -> None:
    at, name, id_, expected = request.getfixturevalue(listed)

    found = pages(owner, at, name, query)

    assert [len(page) for page in found] == sizes
    assert [item[id_] for page in found for item in page] == expected
