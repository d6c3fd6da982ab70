"""Look at fights in a browser, play them, contest them: everything by clicking and typing."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from rewound_client import Table
from service.cli.playing import ScriptTable, play
from service.cli.script import sample
from tests.cli.fights import Service, closed, played
from tests.page.accessibility import faults_of
from tests.page.browser import Window
from tests.page.conftest import Open
from tests.page.players import ClickingTable

pytestmark = pytest.mark.slow  # a browser and a service start


@pytest.fixture(scope="module")
def table(running: Service) -> ScriptTable:
    """Give the sample fight after its last step."""
    return played(running, "s002", seeded=False)


@pytest.fixture
def address(running: Service, table: ScriptTable) -> str:
    return f"{running.station.url}/encounters/{table.encounter}"


def newest(page: Page) -> int:
    """Return the number of the newest commit."""
    return int(page.locator(".count").inner_text().split(" / ")[1])


def test_a_key_is_typed_once_and_leads_from_home_to_a_fight(
    running: Service, table: ScriptTable, window: Open
) -> None:
    page = window().visit(f"{running.station.url}/")
    page.get_by_label("API key or seat token").fill(running.key)
    page.keyboard.press("Enter")
    item = page.get_by_role("link", name="The orc and the hound")
    expect(item).to_contain_text("heartrush@1 · round 2 · may act: pia (zoe), ash (max)")
    item.click()
    expect(page.locator("[data-creature]")).to_have_count(4)
    page.reload()
    expect(page.locator("#status")).to_contain_text("seen as gm")


def test_a_key_that_is_not_valid_is_asked_for_again(address: str, window: Open) -> None:
    opened = window()
    page = opened.visit(address, "rw_000000000000_none")
    expect(page.get_by_role("alert")).to_contain_text("not valid")
    assert all("401" in fault for fault in opened.faults)
    opened.faults.clear()  # the browser reports a 401 as an error of the page


def test_a_link_leaves_no_key_in_the_address(running: Service, address: str, window: Open) -> None:
    page = window().visit(f"{address}", f"{running.key}&n=6")
    expect(page.locator(".count")).to_contain_text("6 / ")
    assert running.key not in page.url
    assert page.url.endswith("#n=6")


def test_the_map_and_the_log_say_what_the_record_says(
    running: Service, table: ScriptTable, address: str, window: Open
) -> None:
    page = window().visit(address, running.key)
    for token in table.gm.creatures():
        named = page.locator(f"[data-creature={token['id']}]").get_attribute("aria-label")
        assert named is not None
        assert f"{token['hp']} of {token['hp_max']} hit points" in named
    for commit in table.gm.commits(text="en"):
        entry = page.locator(f"li[data-n='{commit['n']}']")
        for sentence in commit["text"]:
            expect(entry).to_contain_text(sentence.strip("()")[1:])
    for roll in table.gm.rolls():
        expect(page.locator(f"li[data-n='{roll['n']}'] .die b").first).to_be_attached()


def test_the_timeline_goes_by_slider_step_and_key_and_is_a_link(
    table: ScriptTable, running: Service, address: str, window: Open
) -> None:
    page = window().visit(address, running.key)
    expect(page.get_by_role("button", name="● Live")).to_have_attribute("aria-pressed", "true")
    last = newest(page)
    hurt = next(n for n in range(2, last) if points(table, n) != points(table, n - 1))
    pia = page.locator("[data-creature=pia]")
    page.get_by_label("Commit", exact=True).fill(str(hurt - 1))
    expect(pia).to_have_attribute("aria-label", re.compile(rf"\b{points(table, hurt - 1)} of 40 hit points"))
    page.get_by_label("One commit on").click()
    expect(pia).to_have_attribute("aria-label", re.compile(rf"\b{points(table, hurt)} of 40 hit points"))
    assert page.url.endswith(f"#n={hurt}")
    expect(page.locator(f"li[data-n='{hurt}']")).to_have_attribute("aria-current", "true")
    page.locator("#title").click()
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".count")).to_have_text(f"{hurt - 1} / {last}")
    page.get_by_label("Play").click()
    expect(page.locator(".count")).to_have_text(f"{hurt} / {last}")
    page.locator("#title").click()
    page.keyboard.press("End")
    expect(page.locator(".count")).to_have_text(f"{last} / {last}")


def points(table: ScriptTable, n: int) -> int:
    """Return Pia's hit points after commit *n*."""
    (found,) = (each["hp"] for each in table.gm.creatures(at=n) if each["id"] == "pia")
    assert found is not None
    return found


def test_what_is_new_appears_by_itself_and_does_not_move_who_looks_back(
    running: Service, window: Open
) -> None:
    table = played(running, "s002", seeded=True)
    live: Window = window()
    page = live.visit(f"{running.station.url}/encounters/{table.encounter}", running.key)
    expect(page.get_by_role("button", name="● Live")).to_be_visible()
    before = newest(page)
    table.gm.send({"type": "end_combat"})
    expect(page.locator(".count")).to_have_text(f"{before + 1} / {before + 1}")
    expect(page.locator(".log")).to_contain_text("ombat is")
    page.get_by_label("Commit", exact=True).fill("3")
    table.gm.close()
    expect(page.locator(".count")).to_have_text(f"3 / {before + 2}")


def test_a_contest_leads_by_clicking_to_a_proposal_and_the_fight_goes_on_from_there(
    running: Service, window: Open
) -> None:
    table = played(running, "s002", seeded=False)
    at, last = f"{running.station.url}/encounters/{table.encounter}", table.gm.get()["version"]
    hurt = next(n for n in range(2, last) if points(table, n) != points(table, n - 1))
    before, after = points(table, hurt - 1), points(table, last)
    player = window().visit(at, table.gm.issue_token("zoe")["token"])
    player.get_by_label(f"Contest commit {hurt}").click()
    player.get_by_label(f"What is wrong with commit {hurt}?").fill("the shield was up")
    player.get_by_role("button", name="Contest it").click()
    expect(player.get_by_role("status").filter(has_text="Contested as c1")).to_be_visible()

    gm = window().visit(at, running.key)
    gm.get_by_role("tab", name="Rulings").click()
    expect(gm.locator("[data-contest=c1]")).to_contain_text("zoe contests #")
    gm.get_by_role("button", name="Answer").click()
    gm.get_by_label("Go back to before").check()
    gm.get_by_label("The decision").fill("it was")
    gm.get_by_role("button", name="Rule", exact=True).click()
    proposal = gm.locator(".proposal")
    expect(proposal).to_contain_text(f"Pia: {after} → {before} hit points")
    assert points(table, last) == after, "nothing has changed yet"
    gm.get_by_role("button", name="Accept").click()
    expect(gm.locator("[data-creature=pia]")).to_have_attribute(
        "aria-label", re.compile(rf"\b{before} of 40")
    )
    expect(player.locator(".log")).to_contain_text("Play goes on from commit")


def test_a_sealed_stance_is_in_no_page_and_no_traffic_before_its_reveal(
    running: Service, window: Open
) -> None:
    fight = sample("s002")
    table = running.sit_down(fight)
    at = f"{running.station.url}/encounters/{table.encounter}"
    observer = table.gm.open_seat("bob", "observer")["token"]
    windows = {"gm": running.key, "max": table.gm.issue_token("max")["token"], "bob": observer}
    table = replace(table, seats={**table.seats, "max": table.gm.with_token(windows["max"])})
    opened = {seat: window() for seat in windows}
    for seat, each in opened.items():
        each.visit(at, windows[seat])
        expect(each.page.get_by_role("button", name="● Live")).to_be_visible()
    playing = play(table, fight, by_script=True)
    chosen = next(each for each in playing if each.send["type"] == "choose_stance")
    assert (chosen.seat, chosen.send["stance"]) == ("zoe", "might")
    for seat, each in opened.items():
        entry = each.page.locator(f"li[data-n='{chosen.outcome['n']}']")
        expect(entry).to_contain_text("Pia has chosen a stance, in secret")
        expect(entry).to_contain_text("sealed: only zoe may read it yet")
        each.page.get_by_role("tab", name="Creatures").click()
        assert not says_might(each.received), seat
        assert "chose might" not in each.page.content()
    next(each for each in playing if any(e["type"] == "stances_revealed" for e in each.outcome["events"]))
    for seat, each in opened.items():
        each.page.get_by_role("tab", name="Log").click()
        entry = each.page.locator(f"li[data-n='{chosen.outcome['n']}']")
        expect(entry).to_contain_text("Pia chose might")
        assert says_might(each.received), seat


def says_might(text: str) -> bool:
    """Tell whether *text* has Pia's stance, in an event or in a sentence."""
    event = r"creature\W{3,6}pia\W[^{}]{0,160}stance\W{3,6}might"
    return re.search(rf"{event}|Pia chose might", text) is not None


def test_a_gm_sees_the_fight_as_everybody_and_as_a_seat(
    running: Service, table: ScriptTable, address: str, window: Open
) -> None:
    page = window().visit(address, running.key)
    page.get_by_label("Seen as").select_option("zoe")
    expect(page.locator(".banner")).to_contain_text("This is what zoe may see")
    expect(page.get_by_role("tab", name="Act")).to_have_count(0)
    expect(page.locator("[data-creature]")).to_have_count(4)
    page.get_by_role("button", name="Back", exact=True).click()
    expect(page.get_by_role("tab", name="Act")).to_be_visible()


def test_the_mark_is_green_for_what_was_verified_here(running: Service, address: str, window: Open) -> None:
    page = window().visit(address, running.key)
    mark = page.locator(".mark-proof")
    expect(mark).to_have_text("Not verified yet")
    mark.click()
    page.get_by_role("button", name="Verify it here").click()
    expect(mark).to_have_text("✓ Proved")
    expect(page.locator("#panel-proof")).to_contain_text("valid_without_rules")


def test_a_share_link_opens_on_a_phone_without_typing_and_ends(
    running: Service, table: ScriptTable, address: str, window: Open
) -> None:
    gm = window().visit(address, running.key)
    gm.get_by_role("tab", name="Share").click()
    gm.get_by_role("button", name="Link for an observer").click()
    link = gm.get_by_label("Link for guest-1").input_value()
    phone = window(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    phone.visit(link)
    expect(phone.page.locator("#status")).to_contain_text("seen as guest-1")
    expect(phone.page.get_by_role("tab", name="Act")).to_have_count(0)
    width = phone.page.evaluate("document.documentElement.scrollWidth")
    assert width <= 390, "the page is wider than the phone"
    gm.locator("[data-seat=guest-1]").get_by_role("button", name="Close the seat").click()
    expect(gm.locator("[data-seat=guest-1]")).to_have_count(0)
    phone.page.reload()
    expect(phone.page.locator("#ask")).to_contain_text("not valid")
    phone.faults.clear()  # the browser reports a 401 as an error of the page


def test_a_bundle_is_verified_and_replayed_in_the_browser_alone(
    running: Service, table: ScriptTable, window: Open, tmp_path: Path
) -> None:
    opened = window()
    page = opened.visit(f"{running.station.url}/verify")
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    good.write_bytes(table.gm.bundle())
    bad.write_bytes(good.read_bytes().replace(b"heroes", b"heroez", 1))
    page.locator("#file").set_input_files(good)
    expect(page.locator("#verdict")).to_contain_text("valid_unsigned_without_rules")
    expect(page.locator(".record > li")).to_have_count(table.gm.get()["version"])
    expect(page.locator(".record > li").nth(5)).to_contain_text("zoe: engage")
    page.locator("#file").set_input_files(bad)
    expect(page.locator("#result")).to_have_class("fault")
    expect(page.locator(".record > li")).to_have_count(0)
    assert opened.received == "", "the page has asked for something"


def test_a_bundle_is_imported_at_home_and_shown_on_its_map(
    running: Service, stranger: str, window: Open, tmp_path: Path
) -> None:
    file = tmp_path / "fight.jsonl"
    table = closed(played(running, "s002", seeded=False))
    file.write_bytes(table.gm.bundle())
    page = window().visit(f"{running.station.url}/", stranger)
    page.locator("#bundle").set_input_files(file)
    page.wait_for_url("**/encounters/*")
    expect(page.locator("[data-creature]")).to_have_count(4)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_everything_can_be_read_and_named_at_every_width(
    running: Service, address: str, window: Open, theme: str
) -> None:
    page = window(color_scheme=theme).visit(f"{running.station.url}/", running.key)
    expect(page.locator(".encounters li").first).to_be_visible()
    assert faults_of(page) == []
    page.goto(address)
    page.get_by_label("Why? Explain commit 13").click()
    expect(page.locator(".why .answer")).to_be_visible()
    page.set_viewport_size({"width": 320, "height": 800})
    for tab in page.get_by_role("tab").all():
        tab.click()
        assert faults_of(page) == [], tab.inner_text()
    page.set_viewport_size({"width": 1920, "height": 1000})
    assert faults_of(page) == []


def test_the_map_the_panels_and_an_offer_are_worked_by_keyboard(
    running: Service, address: str, window: Open
) -> None:
    page = window().visit(address, running.key)
    pia = page.locator("[data-creature=pia]")
    pia.press("Enter")
    expect(pia).to_have_attribute("aria-pressed", "true")
    map_ = page.locator("svg.map")
    before = map_.get_attribute("viewBox")
    map_.press("ArrowRight")
    expect(map_).not_to_have_attribute("viewBox", str(before))
    map_.press("0")
    expect(map_).to_have_attribute("viewBox", str(before))
    page.get_by_role("tab", name="Log").press("ArrowRight")
    act = page.get_by_role("tab", name="Act")
    expect(act).to_be_focused()
    expect(page.get_by_role("tabpanel", name="Act")).to_be_visible()


@pytest.mark.parametrize("book", ["heartrush@1", "rise@1"])
def test_a_whole_fight_is_played_by_clicking(running: Service, window: Open, book: str) -> None:
    opening = OPENINGS[book]
    table = running.owner.open({"edition": book, "title": "By hand", **opening})
    at = f"{running.station.url}/encounters/{table.encounter}"
    keys = {"gm": running.key, "ann": table.issue_token("ann")["token"]}
    clicking = ClickingTable({seat: window().visit(at, key) for seat, key in keys.items()})
    clicking.play(60)
    assert table.get()["winner"] is not None
    assert {line.split(" ")[0] for line in clicking.clicked} == {"gm", "ann"}
    assert all(commit["outcome"] != "refused" for commit in outcomes(table))


def outcomes(table: Table) -> list[dict[str, object]]:
    """Return the commits of *table*, read."""
    return [json.loads(each["commit"]) for each in table.commits()]


SABER: dict[str, Any] = {"id": "saber", "strike": {"dice": [8], "flat": 9}}
OPENINGS: dict[str, dict[str, Any]] = {
    "heartrush@1": {
        "sides": ["heroes", "foes"],
        "player_side": "heroes",
        "declared_sides": ["heroes"],
        "creatures": [
            {
                "position": [0, 0],
                "sheet": {
                    "id": "pia",
                    "name": "Pia",
                    "side": "heroes",
                    "kind": "pc",
                    "might": 12,
                    "weapons": [{"id": "mace", "size_class": "light", "damage_type": "bludgeoning"}],
                },
            },
            {"position": [1, 0], "sheet": {"id": "orc", "name": "Orc", "side": "foes", "hp_max": 1}},
        ],
        "seats": [{"seat": "ann", "role": "player", "creatures": ["pia"]}],
    },
    "rise@1": {
        "creatures": [
            {
                "position": [0, 0],
                "sheet": {
                    "id": "mira",
                    "name": "Mira",
                    "side": "heroes",
                    "kind": "pc",
                    "hp_max": 12,
                    "accuracy": 20,
                    "weapons": [SABER],
                },
            },
            {
                "position": [1, 0],
                "sheet": {"id": "knight", "name": "The knight", "side": "iron", "hp_max": 1},
            },
        ],
        "seats": [{"seat": "ann", "role": "player", "creatures": ["mira"]}],
    },
}
