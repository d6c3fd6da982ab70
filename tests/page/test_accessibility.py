"""No screen has a serious finding of axe: in one width and theme by `make test`, in all by `make slow`."""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle, product
from pathlib import Path
from typing import Final, Literal

import pytest
from playwright.sync_api import Page, expect

from tests.cli.fights import Service, played
from tests.page.accessibility import faults_of
from tests.page.conftest import Open

pytestmark = pytest.mark.slow  # a browser and a service start, which the tests of this folder share

Look = tuple[int, Literal["light", "dark"]]
"""The width of a window, and its theme."""

DAILY: Final[tuple[Look, ...]] = ((390, "light"), (1280, "dark"), (390, "dark"), (1280, "light"))
"""The screens take these in turn."""

ALL: Final[tuple[Look, ...]] = tuple(product((320, 390, 820, 1280, 1440, 1920), ("light", "dark")))

Looks = Callable[[], tuple[Look, ...]]
"""Returns how the next screen is looked at."""


@pytest.fixture(params=["daily", pytest.param("all", marks=pytest.mark.overnight)])
def looks(request: pytest.FixtureRequest) -> Looks:
    if request.param == "all":
        return lambda: ALL
    turns = cycle(DAILY)
    return lambda: (next(turns),)


def look(page: Page, what: str, looks: Looks) -> None:
    """Assert that nothing is wrong with *page* as *looks* says."""
    for width, theme in looks():
        page.set_viewport_size({"width": width, "height": 850})
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        assert faults_of(page) == [], (what, width, theme)


def test_every_panel_of_a_fight_can_be_read_and_named(running: Service, window: Open, looks: Looks) -> None:
    table = played(running, "s002", seeded=False)
    table.gm.contest(commit=13, claim="the shield was up")
    page = window().visit(f"{running.station.url}/encounters/{table.encounter}", running.key)
    page.get_by_label("Why? Explain commit 13").click()
    expect(page.locator(".why .answer")).to_be_visible()
    for tab in page.get_by_role("tab").all():
        tab.click()
        look(page, tab.inner_text(), looks)


def test_every_other_screen_can_be_read_and_named(
    running: Service, window: Open, looks: Looks, tmp_path: Path
) -> None:
    table = played(running, "s002", seeded=False)
    table.gm.open_seat("eve", "observer")
    shared = table.gm.share_seat("eve")["page"]
    file = tmp_path / "bundle.jsonl"
    file.write_bytes(table.gm.bundle())
    page = window().visit(f"{running.station.url}/", running.key)
    expect(page.locator(".encounters li").first).to_be_visible()
    look(page, "home", looks)
    page.goto(running.station.url + shared)
    expect(page.locator("#status")).to_contain_text("seen as eve")
    look(page, "a shared fight", looks)
    page.goto(f"{running.station.url}/verify")
    page.locator("#file").set_input_files(file)
    expect(page.locator(".record > li").first).to_be_visible()
    look(page, "the verifier", looks)
    page.goto(f"{running.station.url}/docs/api")
    expect(page.locator("article").first).to_be_attached()
    look(page, "the API reference", looks)
    page.goto(f"{running.station.url}/problems")
    look(page, "the problems", looks)
