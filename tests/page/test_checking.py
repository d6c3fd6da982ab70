"""Somebody checks a die and a commit's place by a click: live, in a replay file, and at `/verify`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Page, expect

from service.api.single_file import single_file
from service.cli.replay_page import content_of
from tests.cli.fights import Service, played
from tests.page.accessibility import faults_of
from tests.page.conftest import Open

pytestmark = pytest.mark.slow  # a browser and a service start, which the tests of this folder share

BUNDLE: Final = Path(__file__).parents[1] / "audit" / "golden" / "heartrush-turns.jsonl"
PHONE: Final = {"width": 390, "height": 844}
DICE: Final = re.compile("Check (this die|these dice) yourself")
SEEDED: Final = ":has(.roll:not(:has(.chip)))"
"""With a roll that nobody threw by hand."""
PLACE: Final = "Check that nobody changed it"


@pytest.fixture(scope="module")
def replay(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a file that replays the bundle, made here because the browser's thread has an event loop."""
    content = content_of(BUNDLE.name, BUNDLE.read_bytes())
    file = tmp_path_factory.mktemp("replay") / "replay.html"
    file.write_text(single_file("fight/fight.html", "fight/replayed.mjs", content), "utf-8")
    return file


def is_right(page: Page, says: str) -> None:
    dialog = page.get_by_role("dialog")
    expect(dialog.locator(".check-says.is-right")).to_contain_text(says)
    expect(dialog.locator(".is-wrong")).to_have_count(0)
    expect(dialog).to_contain_text("What you need to believe")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_die_of_a_live_fight_is_checked_from_why(running: Service, window: Open, theme: str) -> None:
    table = played(running, "s002", seeded=True)
    table.gm.send({"type": "roll_behind_screen", "dice": [6], "bonus": 0, "what": "a door"})
    page = window(viewport=PHONE, color_scheme=theme).visit(
        f"{running.station.url}/encounters/{table.encounter}", running.key
    )
    page.get_by_role("tab", name="Log").click()
    entry = page.locator(f".entry{SEEDED}").last
    entry.get_by_role("button", name="Why?").click()
    page.locator(".why").get_by_role("button", name=DICE).first.click()
    dialog = page.get_by_role("dialog")
    expect(dialog.locator(".check-says")).to_contain_text("not disclosed yet")
    assert faults_of(page) == []
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)

    table.gm.close()
    page.locator(".why").get_by_role("button", name=DICE).first.click()
    is_right(page, "These bytes give")
    expect(dialog).to_contain_text("Commit 1 fixed the dice before the fight")
    assert faults_of(page) == []
    dialog.get_by_role("button", name="Close").click()
    page.locator(".why").get_by_role("button", name=PLACE).click()
    is_right(page, "a key you accept has signed")
    assert faults_of(page) == []


def test_a_die_of_a_replay_file_is_checked_without_a_network(window: Open, replay: Path) -> None:
    page = window(offline=True).visit(replay.as_uri())
    page.locator(f".entry{SEEDED}").first.get_by_role("button", name="Why?").click()
    page.locator(".why").get_by_role("button", name=DICE).first.click()
    is_right(page, "These bytes give")
    page.keyboard.press("Escape")
    page.locator(".why").get_by_role("button", name=PLACE).click()
    is_right(page, "the key of this file has signed")


def test_dice_and_places_are_checked_where_a_file_is_verified(running: Service, window: Open) -> None:
    page = window(viewport=PHONE).visit(f"{running.station.url}/verify")
    page.locator("#file").set_input_files(BUNDLE)
    expect(page.locator("#verdict")).to_contain_text("valid_unsigned_without_rules")
    item = page.locator(f".record > li{SEEDED}").first
    item.locator("summary").click()
    item.get_by_role("button", name=DICE).first.click()
    is_right(page, "These bytes give")
    assert faults_of(page) == []
    page.keyboard.press("Escape")
    item.get_by_role("button", name=PLACE).click()
    is_right(page, "the key of this file has signed")
    assert faults_of(page) == []
