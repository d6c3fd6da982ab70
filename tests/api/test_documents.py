"""Pages that need no network."""

from __future__ import annotations

import re

import pytest

from service.api.problems import PROBLEMS
from tests.api.client import Api, is_problem


@pytest.mark.parametrize("code", PROBLEMS)
def test_every_problem_has_a_page_that_explains_it(api: Api, code: str) -> None:
    page = api("GET", PROBLEMS[code].uri)

    assert page.mimetype == "text/html"
    assert PROBLEMS[code].title in page.text
    assert page.headers["Content-Security-Policy"].startswith("default-src 'none'")


def test_an_unknown_problem_is_one(api: Api) -> None:
    is_problem(api("GET", "/problems/none"), 404, "not-found")
    is_problem(api("GET", "/docs/secrets.txt"), 404, "not-found")
    assert len(api.get("/problems")["problems"]) == len(PROBLEMS)


def test_the_documentation_reaches_for_nothing_outside(api: Api) -> None:
    pages = [api("GET", target).text for target in ("/docs", "/docs/docs.js", "/docs/docs.css")]

    assert not [
        found for page in pages for found in re.findall(r"(?:https?:)?//[a-z][\w.]+\.[a-z]{2,}", page)
    ]
    for link in re.findall(r'(?:src|href)="(/[^"#]*)"', pages[0]):
        assert api("GET", link).status_code == 200


def test_readiness_names_what_is_missing(api: Api) -> None:
    told = api.get("/readyz")

    assert told == {
        "status": "ready",
        "mode": "memory",
        "checks": {"store": "ok", "worker": "ok", "outcomes": "ok"},
    }
