"""The documentation site: every page is on a path, every address leads somewhere, nothing is loaded."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

import pytest

from service.api import resources
from service.api.operations import OPERATIONS
from service.api.served_files import REPLAY
from service.rules.kernel.rulebook import rules_in
from service.rules.registry import REGISTRY
from service.settings import Settings
from tests.docs.pages import PAGES, ROOT, links
from tests.support.site import built_site

pytestmark = pytest.mark.slow  # the site is built, in ten seconds

FRONT: Final = ROOT / "docs" / "README.md"
READERS: Final = ("Game master", "Integrator", "Operator", "Auditor", "Author of a ruleset", "Inside")
ITEM: Final = re.compile(r"^\d+\. \[[^\]]+\]\(([^)]+)\): (\w.+\.)$", re.MULTILINE)
HEAVIEST: Final = 100_000
"""The most bytes of a picture."""
HEAVIEST_FILM: Final = 200_000
"""The most bytes of a picture that moves."""


class Read(HTMLParser):
    """What a page of the site has: anchors, addresses, and what may not be there."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: list[str] = []
        self.addresses: list[str] = []
        self.inline: list[str] = []
        self.unnamed: list[str] = []
        self.headings = 0
        self.heads: list[str] = []
        """The text of each cell that heads a column."""
        self._is_in_head = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if "id" in given:
            self.anchors.append(given["id"])
        self.addresses += [given[name] for name in ("href", "src", "srcset") if name in given]
        if (tag == "script" and "src" not in given) or tag == "style":
            self.inline.append(tag)
        self.inline += [name for name in given if name == "style" or name.startswith("on")]
        if tag == "img" and "alt" not in given:
            self.unnamed.append(given["src"])
        self.headings += tag == "h1"
        if tag == "th":
            self._is_in_head = True
            self.heads.append("")

    def handle_endtag(self, tag: str) -> None:
        self._is_in_head = self._is_in_head and tag != "th"

    def handle_data(self, data: str) -> None:
        if self._is_in_head:
            self.heads[-1] += data.strip()


@cache
def pages() -> dict[str, Read]:
    """Return every page of the site by its address."""
    return {
        "/docs" if file.stem == "index" else f"/docs/{file.stem}": Read(file.read_text("utf-8"))
        for file in built_site().glob("*.html")
        if file.name != REPLAY
    }


def paths() -> dict[str, list[tuple[str, str]]]:
    """Return the items of each path of the front page, each with its sentence."""
    text = re.sub(r"\n {3}", " ", FRONT.read_text("utf-8"))
    _, *sections = text.split("\n## ")
    return {section.partition("\n")[0]: ITEM.findall(section) for section in sections}


def test_each_column_of_a_table_says_what_it_has() -> None:
    assert sum(len(page.heads) for page in pages().values()) > 300
    assert [address for address, page in pages().items() if "" in page.heads] == []


def test_each_reader_has_a_path_of_pages_with_a_sentence_each() -> None:
    found = paths()
    assert tuple(found) == READERS
    for reader, items in found.items():
        assert len(items) >= 5, reader
        numbers = re.findall(
            r"^\d+\. ", FRONT.read_text("utf-8").split(f"## {reader}\n")[1].split("\n## ")[0], re.MULTILINE
        )
        assert len(items) == len(numbers), f"{reader}: an item is not `1. [title](page): A sentence.`"


def test_every_page_is_on_a_path() -> None:
    linked = {
        (FRONT.parent / link.partition("#")[0]).resolve() for items in paths().values() for link, _ in items
    }
    assert [page.name for page in PAGES if page not in linked | {FRONT}] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_begins_with_what_it_is_for(page: Path) -> None:
    found = re.match(r"# .+\n\n([A-Z`*].+)", page.read_text("utf-8"))
    assert found, f"{page.name} begins with no sentence"


def test_a_game_master_is_two_clicks_from_contesting_a_ruling() -> None:
    """The first click is the item of the path; what to do is there, in words and pictures."""
    ((link, _),) = [item for item in paths()["Game master"] if "contest" in item[0]]
    address = "/docs/" + link.replace(".md", "")
    page, _, anchor = address.partition("#")
    assert address in pages()["/docs"].addresses
    assert anchor in pages()[page].anchors
    assert {"/docs/contest-light.webp", "/docs/proposal-light.webp"} <= {*pages()[page].addresses}


def test_every_address_of_the_site_leads_somewhere() -> None:
    resources.load()
    files = {f"/docs/{each.name}" for each in built_site().iterdir()}
    files |= {f"/docs/{each.name}" for each in (ROOT / "service" / "api" / "pages").iterdir()}
    operations = {each.path for each in OPERATIONS.all.values() if each.method == "GET"}
    served = {"", *pages(), *files, *operations}
    broken = []
    for name, page in pages().items():
        for address in page.addresses:
            target, _, anchor = address.partition("#")
            is_elsewhere = re.match(r"https?://|mailto:", address)
            known = pages()[target or name].anchors if target in {"", *pages()} else [anchor]
            if not is_elsewhere and (target not in served or anchor not in {"", *known}):
                broken.append(f"{name}: {address}")
    assert broken == []


def test_a_page_has_no_script_and_no_style_of_its_own_and_loads_nothing_from_elsewhere() -> None:
    for name, page in pages().items():
        assert page.inline == [], name
        assert page.unnamed == [], name
        assert page.headings == 1, name
        text = (built_site() / f"{name.removeprefix('/docs').strip('/') or 'index'}.html").read_text("utf-8")
        assert not re.findall(r'<(?:script|link|img|source|iframe)[^>]* (?:src|href|srcset)="(?!/)', text), (
            name
        )


def entries() -> list[dict[str, str]]:
    found: list[dict[str, str]] = json.loads((built_site() / "pages.json").read_text("utf-8"))
    return found


def test_the_search_has_every_rule_word_and_setting() -> None:
    by_kind = {kind: {each["name"] for each in entries() if each["kind"] == kind} for kind in kinds()}
    rules = {rule for ruleset in REGISTRY.values() for rule in rules_in(ruleset.packages)}
    assert rules - by_kind["Rules"] == set()
    assert {"REWOUND_PORT", "REWOUND_STREAMS_URL"} <= by_kind["Settings"]
    assert len(by_kind["Settings"]) >= len(fields(Settings))
    assert {"commit", "seat", "sealed"} <= by_kind["Words"]
    assert {"Audits", "Run a fight by clicking", "Contest and rule", "The certificate"} <= by_kind["Pages"]


def kinds() -> set[str]:
    return {each["kind"] for each in entries()}


def test_what_the_search_finds_is_there() -> None:
    for each in entries():
        page, _, anchor = each["to"].partition("#")
        assert page in pages(), each
        assert not anchor or anchor in pages()[page].anchors, each


def pictures() -> Iterator[Path]:
    yield from sorted((ROOT / "docs" / "pictures").iterdir())


def test_every_picture_is_small_is_shown_and_has_both_themes() -> None:
    shown = {address.rpartition("/")[2] for page in pages().values() for address in page.addresses}
    for picture in pictures():
        most = HEAVIEST_FILM if b"ANIM" in picture.read_bytes()[:64] else HEAVIEST
        assert picture.stat().st_size < most, picture.name
        assert picture.name in shown, picture.name
        if picture.suffix == ".webp":
            assert picture.with_name(picture.name.replace("-light.", "-dark.")).exists()


def test_the_image_is_built_from_all_that_the_site_shows() -> None:
    copied = [
        source.rstrip("/")
        for line in (ROOT / "Dockerfile").read_text("utf-8").splitlines()
        if line.startswith("COPY ") and "--from" not in line
        for source in shlex.split(line)[1:-1]
    ]
    text = "".join(each.read_text("utf-8") for each in built_site().glob("source-*.html"))
    linked = [
        (page.parent / link.partition("#")[0]).resolve()
        for page in PAGES
        for link in links(page)
        if not re.match(r"#|https?://|mailto:", link)
    ]
    shown = {
        *re.findall(r"<h1><code>([^<]+)</code></h1>", text),
        *(path.relative_to(ROOT).as_posix() for path in [*PAGES, *linked]),
    }
    assert "openapi.yaml" in shown
    lacking = [
        each for each in shown if not any(each == name or each.startswith(f"{name}/") for name in copied)
    ]
    assert lacking == []
