"""The documentation in a browser: what is searched is found, what is long is drawn when it is opened."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import product
from typing import Final, Literal

import pytest
from playwright.sync_api import Page, expect

from service.api.served_files import REPLAY
from tests.cli.fights import Service
from tests.page.accessibility import faults_of
from tests.page.conftest import Open
from tests.support.site import built_site

pytestmark = pytest.mark.slow  # a browser and a service start, which the tests of this folder share

PHONE = {"width": 390, "height": 844}
NODES = 3_000
"""The most elements that the page has before anything is opened."""


@pytest.fixture(scope="module")
def address(running: Service) -> str:
    """Give the address of a service whose site is built."""
    built_site()
    return f"{running.station.url}/docs"


@pytest.fixture
def reference(address: str, window: Open, thread: ThreadPoolExecutor) -> Page:
    def opened() -> Page:
        shown = window(viewport=PHONE).visit(f"{address}/api")
        expect(shown.locator("article").first).to_be_attached()
        return shown

    return thread.submit(opened).result()


FOUND: Final = [
    ("contest", "Pages", "/docs/game-master#contest-and-rule"),
    ("run a fight by clicking", "Pages", "/docs/game-master"),
    ("the certificate", "Pages", "/docs/audit#the-certificate"),
    ("sendCommand", "Operations", "/docs/api#sendCommand"),
    ("choose_stance", "Commands", "/docs/api#schema-Heartrush1ChooseStance"),
    ("strike", "Commands", "/docs/api#schema-Rise1Strike"),
    ("exchange_hit", "Events", "/docs/api#schema-Heartrush1ExchangeHit"),
    ("hp_max", "Fields", "/docs/api#schema-CreatureToken"),
    ("version-mismatch", "Problems", "/problems/version-mismatch"),
    ("HR-ENG-4", "Rules", "/docs/rules-heartrush#HR-ENG-4"),
    ("RI-DMG-2", "Rules", "/docs/rules-rise#RI-DMG-2"),
    ("envelope", "Words", "/docs/glossary#word-envelope"),
    ("REWOUND_PORT", "Settings", "/docs/settings#REWOUND_PORT"),
    ("EncounterStatus", "Schemas", "/docs/api#schema-EncounterStatus"),
]


def test_everything_is_found_first_from_any_page(address: str, window: Open) -> None:
    page = window(viewport=PHONE).visit(f"{address}/maps")
    page.keyboard.press("/")
    for asked, kind, to in FOUND:
        page.locator("#search").fill(asked)
        first = page.get_by_role("list", name=kind, exact=True).get_by_role("link").first
        expect(first).to_have_attribute("href", to)


@pytest.mark.parametrize(
    ("asked", "kind", "to"),
    [
        ("choose_stance", "Commands", "article[id='schema-Heartrush1ChooseStance']"),
        ("RI-DMG-2", "Rules", "tr[id='RI-DMG-2']"),
        ("contest and rule", "Pages", "section#contest-and-rule"),
    ],
)
def test_what_is_found_is_a_click_away(address: str, window: Open, asked: str, kind: str, to: str) -> None:
    page = window(viewport=PHONE).visit(address)
    page.locator("#search").fill(asked)
    page.get_by_role("list", name=kind, exact=True).get_by_role("link").first.click()
    expect(page.locator(to)).to_be_in_viewport()


def test_a_search_that_finds_nothing_says_so_and_ends_with_escape(reference: Page) -> None:
    reference.locator("#search").fill("zzqx")
    expect(reference.get_by_role("status")).to_have_text("Nothing found for “zzqx”.")
    reference.keyboard.press("Escape")
    expect(reference.get_by_role("status")).to_have_text("")
    expect(reference.locator("#contents")).to_be_visible()


def test_an_address_of_the_reference_from_before_the_site_leads_there(address: str, window: Open) -> None:
    page = window().visit(f"{address}#sendCommand")
    page.wait_for_url("**/docs/api#sendCommand")
    expect(page.locator("article#sendCommand")).to_be_in_viewport()


def test_a_game_master_finds_how_to_rule_by_two_clicks(running: Service, address: str, window: Open) -> None:
    page = window(viewport=PHONE).visit(f"{running.station.url}/")
    page.get_by_role("link", name="Documentation").first.click()
    page.get_by_role("main").get_by_role("link", name="Contest a ruling").click()
    expect(page.get_by_role("heading", name="Contest and rule")).to_be_in_viewport()
    expect(page.get_by_alt_text("The proposal")).to_be_attached()


@pytest.mark.parametrize(
    ("name", "width", "theme"),
    [
        ("", 390, "dark"),
        ("/game-master", 390, "light"),
        ("/rules-rise", 820, "dark"),
        ("/audit", 1440, "light"),
    ],
)
def test_a_page_can_be_read_and_named(
    address: str, window: Open, name: str, width: int, theme: Literal["dark", "light"]
) -> None:
    page = window(viewport={"width": width, "height": 850}, color_scheme=theme).visit(address + name)
    expect(page.locator("h1")).to_be_visible()
    assert faults_of(page) == []


@pytest.mark.overnight
def test_every_page_can_be_read_and_named_in_every_width(address: str, window: Open) -> None:
    page = window().visit(address)
    pages = {each.stem for each in built_site().glob("*.html")} - {REPLAY.removesuffix(".html")}
    for name in sorted(pages):
        page.goto(address if name == "index" else f"{address}/{name}")
        for width, theme in product((320, 390, 768, 1280, 1440), ("light", "dark")):
            page.set_viewport_size({"width": width, "height": 850})
            page.emulate_media(color_scheme=theme)  # type: ignore[arg-type] # both are themes
            assert faults_of(page, alike="") == [], (name, width, theme)


def test_on_a_phone_the_page_is_light_and_no_wider_than_the_screen(reference: Page) -> None:
    page = reference
    assert page.locator("*").count() < NODES
    page.goto(page.url + "#sendCommand")
    example = page.locator("#sendCommand details.example").nth(1)
    example.locator("summary").click()
    expect(example.locator("pre")).to_contain_text('"outcome": "accepted"')
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]


def test_the_first_key_leads_past_the_contents(reference: Page) -> None:
    page = reference
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
