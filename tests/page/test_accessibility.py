"""No screen has a serious finding of axe: in both themes, on a phone and on a wide screen."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

import pytest
from playwright.sync_api import Page, expect

from tests.cli.fights import Service, played
from tests.page.accessibility import faults_of
from tests.page.conftest import Open

pytestmark = pytest.mark.slow  # a browser and a service start, which the tests of this folder share

WIDTHS: Final = (390, 1280)
THEMES: Final[tuple[Literal["light"], Literal["dark"]]] = ("light", "dark")


def look(page: Page, what: str) -> None:
    """Assert that nothing is wrong with *page* at each width and in each theme."""
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 850})
        for theme in THEMES:
            page.emulate_media(color_scheme=theme, reduced_motion="reduce")
            assert faults_of(page) == [], (what, width, theme)


def test_every_panel_of_a_fight_can_be_read_and_named(running: Service, window: Open) -> None:
    table = played(running, "s002", seeded=False)
    table.gm.contest(commit=13, claim="the shield was up")
    page = window().visit(f"{running.station.url}/encounters/{table.encounter}", running.key)
    page.get_by_label("Why? Explain commit 13").click()
    expect(page.locator(".why .answer")).to_be_visible()
    for tab in page.get_by_role("tab").all():
        tab.click()
        look(page, tab.inner_text())
    for width in (320, 1920):
        page.set_viewport_size({"width": width, "height": 800})
        assert faults_of(page) == [], width


def test_every_other_screen_can_be_read_and_named(running: Service, window: Open, tmp_path: Path) -> None:
    table = played(running, "s002", seeded=False)
    table.gm.open_seat("eve", "observer")
    shared = table.gm.share_seat("eve")["page"]
    file = tmp_path / "bundle.jsonl"
    file.write_bytes(table.gm.bundle())
    page = window().visit(f"{running.station.url}/", running.key)
    expect(page.locator(".encounters li").first).to_be_visible()
    look(page, "home")
    page.goto(running.station.url + shared)
    expect(page.locator("#status")).to_contain_text("seen as eve")
    look(page, "a shared fight")
    page.goto(f"{running.station.url}/verify")
    page.locator("#file").set_input_files(file)
    expect(page.locator(".record > li").first).to_be_visible()
    look(page, "the verifier")
    page.goto(f"{running.station.url}/docs")
    expect(page.locator("article").first).to_be_attached()
    look(page, "the documentation")
    page.goto(f"{running.station.url}/problems")
    look(page, "the problems")
