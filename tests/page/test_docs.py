"""The documentation page in a browser: what is searched is found, what is long is drawn when it is opened."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from playwright.sync_api import Page, expect

from tests.cli.fights import Service
from tests.page.conftest import Open

pytestmark = pytest.mark.slow  # a browser and a service start, which the tests of this folder share

PHONE = {"width": 390, "height": 844}
NODES = 3_000
"""The most elements that the page has before anything is opened."""


@pytest.fixture
def page(running: Service, window: Open, thread: ThreadPoolExecutor) -> Page:
    def opened() -> Page:
        shown = window(viewport=PHONE).visit(f"{running.station.url}/docs")
        expect(shown.locator("article").first).to_be_attached()
        return shown

    return thread.submit(opened).result()


@pytest.mark.parametrize(
    ("asked", "kind", "to"),
    [
        ("sendCommand", "Operations", "#sendCommand"),
        ("choose_stance", "Commands", "#schema-Heartrush1ChooseStance"),
        ("strike", "Commands", "#schema-Rise1Strike"),
        ("exchange_hit", "Events", "#schema-Heartrush1ExchangeHit"),
        ("hp_max", "Fields", "#schema-CreatureToken"),
        ("version-mismatch", "Problems", "/problems/version-mismatch"),
        ("HR-ENG-4", "Rules", "#rule-HR-ENG-4"),
        ("RI-DMG-2", "Rules", "#rule-RI-DMG-2"),
        ("EncounterStatus", "Schemas", "#schema-EncounterStatus"),
    ],
)
def test_a_search_finds_it_first(page: Page, asked: str, kind: str, to: str) -> None:
    page.keyboard.press("/")
    page.locator("#search").fill(asked)
    first = page.get_by_role("list", name=kind, exact=True).get_by_role("link").first
    expect(first).to_have_attribute("href", to)
    if to.startswith("#"):
        first.click()
        expect(page.locator(f"article[id='{to[1:]}']")).to_be_in_viewport()


def test_a_search_that_finds_nothing_says_so_and_ends_with_escape(page: Page) -> None:
    page.locator("#search").fill("zzqx")
    expect(page.get_by_role("status")).to_have_text("Nothing found for “zzqx”.")
    page.keyboard.press("Escape")
    expect(page.get_by_role("status")).to_have_text("")
    expect(page.locator("#contents")).to_be_visible()


def test_on_a_phone_the_page_is_light_and_no_wider_than_the_screen(page: Page) -> None:
    assert page.locator("*").count() < NODES
    page.goto(page.url + "#sendCommand")
    example = page.locator("#sendCommand details.example").nth(1)
    example.locator("summary").click()
    expect(example.locator("pre")).to_contain_text('"outcome": "accepted"')
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]


def test_the_first_key_leads_past_the_contents(page: Page) -> None:
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
