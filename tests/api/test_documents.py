"""Pages that need no network."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from html import escape
from pathlib import Path
from urllib.parse import urljoin

import pytest

from service.api import served_files
from service.api.problems import PROBLEMS
from service.log import StoreUnavailable
from service.usecases.services import Services
from tests.api.client import Api, is_problem

ROOT = Path(__file__).parents[2]
VERIFIER = ROOT / "service" / "api" / "pages" / "verifier"
CONTRACT = 240_000
"""Bytes of the contract as it is sent, at most."""


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


BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"


def test_problems_are_a_page_for_who_prefers_one_and_json_for_everybody_else(api: Api) -> None:
    one = api("GET", "/problems/command-refused")
    for accept in (BROWSER, "text/html", "application/json;q=0.5, text/html"):
        page = api("GET", "/problems", Accept=accept)
        assert page.mimetype == "text/html"
        for name in ("Content-Security-Policy", "X-Content-Type-Options", "Cache-Control"):
            assert page.headers[name] == one.headers[name]
        assert "Accept" in page.headers["Vary"]
        assert re.findall(r'<h2>.*?<a href="([^"]+)">', page.text) == [
            each.uri for each in sorted(PROBLEMS.values(), key=lambda each: each.status)
        ]
        assert all(escape(each.title) in page.text for each in PROBLEMS.values())
    for accept in (
        "application/json",
        "*/*",
        "application/*",
        "text/html;q=0.1, application/json",
        "image/png",
    ):
        answer = api("GET", "/problems", Accept=accept)
        assert (answer.mimetype, "Accept" in answer.headers["Vary"]) == ("application/json", True)


def test_the_documentation_reaches_for_nothing_outside(api: Api) -> None:
    targets = (
        "/",
        "/docs/api",
        "/docs/docs.js",
        "/docs/search-box.js",
        "/docs/site.js",
        "/docs/site.css",
        "/docs/docs.css",
        "/docs/verify",
        "/docs/verify.js",
        "/docs/verify.css",
        "/problems/invalid",
    )
    pages = [api("GET", target).text for target in targets]

    assert not [
        found for page in pages for found in re.findall(r"(?:https?:)?//[a-z][\w.]+\.[a-z]{2,}", page)
    ]
    for link in re.findall(r'(?:src|href)="(/[^"#]*)"', pages[0] + pages[3]):
        assert api("GET", link).status_code == 200


def test_the_page_that_verifies_can_send_nothing_anywhere(api: Api) -> None:
    policy = api("GET", "/docs/verify").headers["Content-Security-Policy"].split("; ")

    assert "default-src 'none'" in policy
    assert {rule.split()[0] for rule in policy if "'self'" in rule} == {"style-src", "script-src", "img-src"}
    assert "form-action 'none'" in policy


def test_the_page_and_the_client_run_the_same_verifier(api: Api) -> None:
    """Follow what the page imports, module by module: each is the very file that the client imports."""
    wanted, served = ["/docs/verify.js"], dict[str, str]()
    while wanted:
        target = wanted.pop()
        answer = api("GET", target)
        assert (answer.status_code, answer.mimetype) == (200, "text/javascript"), target
        served[target] = answer.text
        found = re.findall(r'^import .* from "(\./[^"]+)";', answer.text, re.MULTILINE)
        wanted += [new for name in found if (new := urljoin(target, name)) not in served]
    client = (ROOT / "clients" / "javascript" / "verify.mjs").read_text("utf-8")

    files = {f"/docs/verifier/{path.name}": path.read_text("utf-8") for path in VERIFIER.glob("*.mjs")}
    assert {name: text for name, text in served.items() if name in files} == files
    (home,) = re.findall(r': "(\.\./[^"]+)";', client)
    imported = re.findall(r"import\(`\$\{home\}/([^`]+)`\)", client)
    assert (ROOT / "clients" / "javascript" / home).resolve() == VERIFIER
    assert {"verify.mjs"} <= set(imported) <= {path.name for path in VERIFIER.iterdir()}


def test_readiness_names_what_is_missing(api: Api) -> None:
    answer = api.get("/readyz")

    assert answer == {
        "status": "ready",
        "mode": "memory",
        "checks": {"store": "ok", "worker": "ok", "outcomes": "ok"},
    }


def test_readiness_does_not_say_where_the_store_is(
    api: Api, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    def silent() -> None:
        raise StoreUnavailable("unix:///srv/rewound/valkey.sock cannot be asked: Error 111")

    monkeypatch.setattr(services.log, "ping", silent)
    answer = api("GET", "/readyz")
    assert (answer.status_code, json.loads(answer.text)["status"]) == (503, "not_ready")
    assert "valkey.sock" not in answer.text


@pytest.mark.parametrize("page", ["/docs", "/docs/api", "/docs/verify"])
def test_a_page_stands_in_no_frame_and_tells_nobody_its_address(api: Api, page: str) -> None:
    answer = api("GET", page)
    policy = answer.headers["Content-Security-Policy"].split("; ")
    assert {"frame-ancestors 'none'", "base-uri 'none'"} <= set(policy)
    assert answer.headers["Referrer-Policy"] == "no-referrer"


@pytest.mark.parametrize(
    "path", ["/openapi.yaml", "/openapi.json", "/docs/docs.js", "/docs/verifier/cli.mjs"]
)
def test_what_is_large_is_sent_once_and_small_to_who_takes_it_so(api: Api, path: str) -> None:
    path = path if "verifier" not in path else f"/docs/verifier/{next(VERIFIER.iterdir()).name}"
    whole = api("GET", path)
    small = api("GET", path, Accept_Encoding="br;q=1.0, gzip;q=0.5")

    assert "Content-Encoding" not in whole.headers
    assert small.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(small.data) == whole.data
    assert len(small.data) < len(whole.data)
    assert whole.headers["ETag"] != small.headers["ETag"], "two spellings, each with its own"
    assert "Accept-Encoding" in whole.headers["Vary"]
    refusing = api("GET", path, Accept_Encoding="gzip;q=0")
    assert refusing.data == whole.data
    for answer, accepted in ((whole, ""), (small, "gzip")):
        again = api("GET", path, If_None_Match=answer.headers["ETag"], Accept_Encoding=accepted)
        assert (again.status_code, again.data) == (304, b"")


def test_a_contract_is_small_where_it_is_compressed(api: Api) -> None:
    size = len(api("GET", "/openapi.yaml").data)

    assert len(api("GET", "/openapi.yaml", Accept_Encoding="gzip").data) <= min(CONTRACT, size // 8)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Serve another site than the built one, or none if nothing is written."""

    def forget() -> None:
        served_files._built.cache_clear()  # noqa: SLF001 - what it has read belongs to the site before
        served_files._site_file.cache_clear()  # noqa: SLF001 - as above

    monkeypatch.setattr(served_files, "SITE", str(tmp_path / "site"))
    forget()
    yield tmp_path / "site"
    forget()


def test_without_a_built_site_the_documentation_is_the_reference(site: Path, api: Api) -> None:
    assert not site.exists()
    assert api("GET", "/docs").text == api("GET", "/docs/api").text
    is_problem(api("GET", "/docs/audit"), 404, "not-found")


@pytest.mark.parametrize(
    ("named", "page"),
    [
        ("/docs/", "/docs"),
        ("/docs/?q=a%20die", "/docs?q=a%20die"),
        ("/docs/api/", "/docs/api"),
        ("/docs/what%3Fis/", "/docs/what%3Fis"),
        ("/verify/", "/verify"),
    ],
)
def test_a_page_that_is_named_with_a_slash_after_it_is_found(api: Api, named: str, page: str) -> None:
    answer = api("GET", named)
    assert (answer.status_code, answer.headers["Location"]) == (308, page)


@pytest.mark.parametrize("path", ["/docs//", "/docs//example.org/", "/v1/rulesets/"])
def test_a_slash_after_another_path_leads_nowhere(api: Api, path: str) -> None:
    answer = api("GET", path)
    is_problem(answer, 404, "not-found")
    assert "Location" not in answer.headers


def test_a_built_site_is_served_with_its_files(site: Path, api: Api) -> None:
    site.mkdir()
    (site / "index.html").write_text("<h1>Documentation</h1>")
    (site / "audit.html").write_text("<h1>Audits</h1>")
    (site / "pages.json").write_text("[]")
    (site / "secret.key").write_text("no file of the site")
    front, page, index = (api("GET", f"/docs{path}") for path in ("", "/audit", "/pages.json"))
    assert (front.text, page.text, index.text) == ("<h1>Documentation</h1>", "<h1>Audits</h1>", "[]")
    assert (page.mimetype, index.mimetype) == ("text/html", "application/json")
    for each in (front, page):
        assert each.headers["Content-Security-Policy"].startswith("default-src 'none'; style-src 'self'")
    assert api("GET", "/docs/audit", If_None_Match=page.headers["ETag"]).status_code == 304
    is_problem(api("GET", "/docs/secret.key"), 404, "not-found")
    assert api("GET", "/docs/docs.css").status_code == 200
