"""No screen has a finding of axe: in one width and theme by `make test`, in all by `make screens`."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import cycle, product
from pathlib import Path
from typing import Final, Literal

import pytest
from playwright.sync_api import Page, expect

from service.api.single_file import single_file
from service.cli.replay_page import content_of
from tests.cli.fights import Service, played
from tests.page.accessibility import faults_of
from tests.page.conftest import Open

pytestmark = pytest.mark.slow  # a browser and a service start, which the tests of this folder share

Look = tuple[int, Literal["light", "dark"]]
"""The width of a window, and its theme."""

DAILY: Final[tuple[Look, ...]] = (
    *((390, "light"), (1440, "dark"), (320, "dark"), (768, "light")),
    *((390, "dark"), (1440, "light"), (320, "light"), (768, "dark")),
)
"""The screens take these in turn."""

ALL: Final[tuple[Look, ...]] = tuple(product((320, 390, 768, 820, 1024, 1280, 1440, 1920), ("light", "dark")))

BUNDLE: Final = Path(__file__).parents[1] / "audit" / "golden" / "heartrush-redone.jsonl"

Looks = Callable[[], tuple[Look, ...]]
"""Returns how the next screen is looked at."""


@pytest.fixture(params=["daily", pytest.param("all", marks=pytest.mark.overnight)])
def looks(request: pytest.FixtureRequest) -> Looks:
    if request.param == "all":
        return lambda: ALL
    turns = cycle(DAILY)
    return lambda: (next(turns),)


@pytest.fixture(scope="module")
def replay(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a replay file, made here because the browser's thread has an event loop."""
    content = content_of(BUNDLE.name, BUNDLE.read_bytes())
    file = tmp_path_factory.mktemp("replay") / "replay.html"
    file.write_text(single_file("fight/fight.html", "fight/replayed.mjs", content), "utf-8")
    return file


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


def test_every_step_of_a_new_fight_can_be_read_and_named(
    running: Service, window: Open, looks: Looks
) -> None:
    page = window().visit(f"{running.station.url}/new", running.key)
    page.get_by_role("button", name=re.compile("stances in secret.*heartrush@1")).wait_for()
    look(page, "the book", looks)
    page.get_by_role("button", name=re.compile("heartrush@1")).click()
    page.get_by_label("How many").fill("2")
    page.get_by_role("button", name="Add Goblin", exact=True).click()
    page.get_by_role("button", name="Sheet of Goblin 1").click()
    for group in page.locator("[data-member] summary").all()[1:]:
        group.click()
    look(page, "the creatures", looks)
    page.get_by_role("button", name="Next: Map").click()
    page.get_by_role("button", name="Wall", exact=True).click()
    page.locator(".canvas svg.map").click(position={"x": 40, "y": 40})
    look(page, "the map", looks)
    page.get_by_role("button", name="Next: Seats").click()
    page.get_by_role("button", name="Add a player").click()
    page.locator("details.options summary").click()
    look(page, "the seats", looks)
    page.get_by_role("button", name="Next: Open").click()
    look(page, "before it is open", looks)
    page.get_by_role("button", name="Open the fight").click()
    expect(page.locator(".qr")).to_be_visible()
    look(page, "the links", looks)


def test_every_form_and_dialog_can_be_read_and_named(running: Service, window: Open, looks: Looks) -> None:
    table = played(running, "s002", seeded=False)
    url = running.station.url
    page = window().visit(f"{url}/encounters/{table.encounter}", running.key)
    page.get_by_label("Contest commit 13").click()
    look(page, "a contest", looks)
    page.set_viewport_size({"width": 1440, "height": 850})
    page.locator("[data-creature]").first.click()
    page.locator("#card").get_by_role("button", name=re.compile("sheet$")).click()
    expect(page.locator(".sheet-line").first).to_be_visible()
    look(page, "a sheet", looks)
    page.keyboard.press("Escape")
    page.get_by_role("tab", name="GM").click()
    for command in ("gm_ruling", "add_creature", "roll_behind_screen"):
        page.locator(f"[data-command={command}]:enabled").click()
        look(page, command, looks)
        page.locator(".gm-form").get_by_role("button", name="Back").click()
    page.get_by_role("button", name="End the fight …").click()
    look(page, "before the end", looks)
    page.get_by_role("button", name="Leave it").click()
    page.get_by_role("button", name="Undo the last act").first.click()
    expect(page.get_by_role("dialog")).to_be_visible()
    look(page, "before an undo", looks)
    page.get_by_role("button", name="Leave it").click()
    page.goto(f"{url}/")
    page.get_by_text("Your key", exact=True).click()
    page.get_by_role("button", name="Use it on another device").click()
    look(page, "before a key is shown", looks)
    page.get_by_role("button", name="Show it").click()
    expect(page.locator(".qr")).to_be_visible()
    look(page, "a key on another device", looks)
    page.get_by_role("button", name="Forget the key").click()
    look(page, "the question for a key", looks)


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


def test_every_panel_of_a_replay_file_can_be_read_and_named(replay: Path, window: Open, looks: Looks) -> None:
    page = window(bypass_csp=True).visit(replay.as_uri())  # axe is put into the page
    expect(page.locator(".entry").first).to_be_attached()
    page.locator(".banner summary").click()
    for tab in page.get_by_role("tab").all():
        tab.click()
        look(page, tab.inner_text(), looks)
