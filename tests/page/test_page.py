"""Look at fights in a browser, play them, contest them: everything by clicking and typing."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from service.cli.playing import ScriptTable, play
from service.cli.script import sample
from tests.bench.fights import BEGIN, opening, simple
from tests.cli.fights import Service, closed, played
from tests.page.browser import Window
from tests.page.conftest import Open
from tests.page.players import points

VECTORS = Path(__file__).parents[1] / "vectors"
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
    item = page.locator(f'a[href="/encounters/{table.encounter}"]')  # other tests play this fight too
    expect(item).to_contain_text("The orc and the hound")
    expect(item).to_contain_text("heartrush@1 · round 2 · may act: pia (zoe), ash (max)")
    item.click()
    expect(page.locator("[data-creature]")).to_have_count(4)
    page.reload()
    expect(page.get_by_label("Seen as")).to_have_value("")  # its own view


def test_a_key_that_is_not_valid_is_asked_for_again(address: str, window: Open) -> None:
    opened = window()
    opened.expect_fault("401")
    page = opened.visit(address, "rw_000000000000_none")
    expect(page.get_by_role("alert")).to_contain_text("not valid")


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


def test_names_and_tokens_of_neighbours_do_not_cover_each_other(
    running: Service, address: str, window: Open
) -> None:
    page = window().visit(address, f"{running.key}&n=14")
    expect(page.locator(".count")).to_contain_text("14 / ")
    expect(page.locator("[data-creature]")).to_have_count(4)
    covered = page.evaluate(COVERED)
    assert len(covered["names"]) == 4
    assert covered["pairs"] == []


COVERED = """
() => {
  const box = (node) => node.getBoundingClientRect();
  const names = [...document.querySelectorAll(".name")];
  const forms = [...document.querySelectorAll(".form")].map(box);
  const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
  const pairs = names.flatMap((name, i) => [
    ...names.slice(i + 1).filter((other) => meet(box(name), box(other))).map((other) => other.textContent),
    ...forms.filter((form, j) => j !== i && meet(box(name), form)).map(() => "a token"),
  ].map((other) => `${name.textContent} and ${other}`));
  return { names: names.map((each) => each.textContent), pairs };
}
"""


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
    expect(page).to_have_url(re.compile(rf"#n={hurt}$"))  # it follows when the slider rests
    expect(page.locator(f"li[data-n='{hurt}']")).to_have_attribute("aria-current", "true")
    page.locator("#title").click()
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".count")).to_have_text(f"{hurt - 1} / {last}")
    page.get_by_label("Play").click()
    expect(page.locator(".count")).to_have_text(f"{hurt} / {last}")
    page.locator("#title").click()
    page.keyboard.press("End")
    expect(page.locator(".count")).to_have_text(f"{last} / {last}")


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
    expect(page.locator("#acts")).to_be_hidden()
    expect(page.locator("[data-creature]")).to_have_count(4)
    page.get_by_role("button", name="Back", exact=True).click()
    expect(page.locator("#acts")).to_be_visible()


def test_the_statistics_are_those_that_the_service_counts(
    running: Service, table: ScriptTable, address: str, window: Open
) -> None:
    page = window().visit(address, running.key)
    page.get_by_role("tab", name="Statistics").click()
    counted = table.gm.creature_statistics()["creatures"]
    assert {each["id"]: (each["dealt"], each["taken"], each["acts"]) for each in counted} == {
        "ash": (6, 0, 1),
        "hound": (0, 0, 1),
        "orc": (3, 6, 0),
        "pia": (0, 3, 1),
    }
    for each in counted:
        for name, whole in (("dealt", each["dealt"]), ("taken", each["taken"]), ("acts", each["acts"])):
            cells = page.locator(f"[data-counted={name}] [data-of={each['id']}] td")
            expect(cells).to_have_text([str(whole or "·"), str(whole)])


def test_the_mark_is_green_for_what_was_verified_here(running: Service, address: str, window: Open) -> None:
    page = window().visit(address, running.key)
    mark = page.locator(".mark-proof")
    expect(mark).to_have_text("Not verified yet")
    mark.click()
    page.get_by_role("button", name="Verify it here").click()
    expect(mark).to_have_text("✓ Proved")
    panel = page.locator("#panel-proof")
    expect(panel).to_contain_text("Nothing is wrong with this record")
    expect(panel).to_contain_text("the keys of the open dice up to epoch")
    assert not re.search(r"[a-z]_[a-z]|\blane\b|\bmode\b", panel.inner_text()), "a word of the program"


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
    wide = across(phone.page)
    pinch(phone.page)
    phone.page.wait_for_function(f"() => ({ACROSS})() < {wide / 1.5}")
    width = phone.page.evaluate("document.documentElement.scrollWidth")
    assert width <= 390, "the page is wider than the phone"
    phone.expect_fault("401")
    gm.locator("[data-seat=guest-1]").get_by_role("button", name="Close the seat").click()
    gm.get_by_role("button", name="Close it").click()
    expect(gm.locator("[data-seat=guest-1]")).to_have_count(0)
    phone.page.reload()
    expect(phone.page.locator("#ask")).to_contain_text("not valid")


ACROSS = "() => document.querySelector('svg.map').viewBox.baseVal.width"


def across(page: Page) -> float:
    """Return how many cells the map shows from side to side."""
    found: float = page.evaluate(ACROSS)
    return found


def pinch(page: Page) -> None:
    """Move two fingers on the map apart, from 40 pixels to 160."""
    box = page.locator("svg.map").bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    session = page.context.new_cdp_session(page)
    for name, apart in (("touchStart", 20), ("touchMove", 40), ("touchMove", 80)):
        fingers = [{"id": number, "x": x + side * apart, "y": y} for number, side in enumerate((-1, 1))]
        session.send("Input.dispatchTouchEvent", {"type": name, "touchPoints": fingers})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


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


def test_a_bundle_is_held_to_a_receipt_a_seat_s_key_and_the_public_log_in_the_browser_alone(
    running: Service, window: Open
) -> None:
    bundles, logged = VECTORS / "bundles", VECTORS / "public_log"
    opened = window()
    page = opened.visit(f"{running.station.url}/verify")
    page.get_by_text("Compare it with your own keys and receipts").click()
    page.locator("#file").set_input_files(bundles / "right-closed.jsonl")
    expect(page.locator("#verdict")).to_contain_text("valid_unsigned_without_rules")
    page.locator("#signed").set_input_files(bundles / "receipt-of-another-outcome.receipt.json")
    expect(page.locator("#verdict")).to_contain_text("forked(4)")
    page.locator("#signed").set_input_files(bundles / "receipt-right.receipt.json")
    expect(page.locator("#facts")).to_contain_text("1 receipt holds")
    page.locator("#seat-keys").fill(f"ada:{'ab' * 32}")
    page.locator("#seat-keys").blur()
    expect(page.locator("#verdict")).to_contain_text("forged_command(4)")
    page.locator("#seat-keys").fill("")
    page.locator("#signed").set_input_files([])
    page.locator("#keys").fill(json.loads((logged / "verdicts.json").read_text("utf-8"))["key"])
    page.locator("#policy").set_input_files(logged / "right.policy")
    expect(page.locator("#meaning")).to_contain_text("choose both")
    page.locator("#log").set_input_files(logged / "right.log-proof")
    page.locator("#file").set_input_files(logged / "right.bundle.jsonl")
    expect(page.locator("#verdict")).to_contain_text("valid_without_rules")
    page.locator("#file").set_input_files(logged / "another-history.bundle.jsonl")
    expect(page.locator("#verdict")).to_contain_text("log_contradicted(7)")
    assert opened.received == "", "the page has asked for something"


def test_a_verified_bundle_is_imported_from_there_with_one_click(
    running: Service, stranger: str, window: Open, tmp_path: Path
) -> None:
    file = tmp_path / "fight.jsonl"
    file.write_bytes(closed(played(running, "s002", seeded=False)).gm.bundle())
    page = window().visit(f"{running.station.url}/", stranger)
    expect(page.locator(".drop")).to_be_visible()
    page.goto(f"{running.station.url}/verify")
    page.locator("#file").set_input_files(file)
    with page.expect_popup() as opened:
        page.get_by_role("button", name="Import it here").click()
    opened.value.wait_for_url("**/encounters/*")
    expect(opened.value.locator("[data-creature]")).to_have_count(4)


def test_walls_and_doors_are_on_the_map_and_the_round_s_parts_on_the_timeline(
    running: Service, window: Open
) -> None:
    table = running.owner.open(
        {
            "edition": "rise@1",
            "title": "A gate",
            "walls": {"1,0|2,0": "closed_door", "1,1|2,1": "wall"},
            "terrain": {"0,2": "difficult"},
            "creatures": [
                {"position": [0, 0], "sheet": {"id": "a", "name": "Ann", "side": "heroes", "kind": "pc"}},
                {"position": [4, 0], "sheet": {"id": "b", "name": "Bob", "side": "foes"}},
            ],
        }
    )
    table.send({"type": "start_combat", "start_phase": "movement"})
    page = window().visit(f"{running.station.url}/encounters/{table.encounter}", running.key)
    expect(page.locator(".edge title")).to_have_text(
        ["closed door between 1, 0 and 2, 0", "wall between 1, 1 and 2, 1"]
    )
    expect(page.locator(".ground title")).to_have_text(["0, 2: difficult"])
    slider = page.get_by_label("Commit", exact=True)
    expect(slider).to_have_attribute("aria-valuetext", re.compile("round 1, movement$"))
    expect(page.locator(".log .round").last).to_have_text("Round 1 · movement")
    slider.fill("1")
    expect(slider).to_have_attribute("aria-valuetext", re.compile(r"^commit 1 of \d+$"))


def test_only_the_newest_part_of_a_long_record_is_read_until_somebody_looks_further_back(
    running: Service, window: Open
) -> None:
    table = running.owner.open({"edition": "heartrush@1", **opening(apart=2)})
    table.send_all(list(BEGIN))
    script = simple()
    for _ in range(5):
        table.send_all(list(islice(script, 50)))
    last = table.get()["version"]
    assert last > 200
    opened = window()
    page = opened.visit(f"{running.station.url}/encounters/{table.encounter}", running.key)
    expect(page.locator(f"li[data-n='{last}']")).to_have_attribute("aria-current", "true")
    expect(page.locator(".gap")).to_have_count((last - 1) // 100)
    assert '"n":17,' not in opened.received
    page.get_by_label("Commit", exact=True).fill("17")
    expect(page.locator("li[data-n='17']")).to_have_attribute("aria-current", "true")
    said = next(iter(table.commits(after=16, text="en")))["text"][0]
    expect(page.locator("li[data-n='17']")).to_contain_text(said[0].upper() + said[1:])
    expect(page.locator(".gap")).to_have_count((last - 1) // 100 - 1)
    page.get_by_label("Show what concerns").select_option("enemies-0")
    expect(page.locator(".gap")).to_have_count(0)
    expect(page.locator(".entry")).to_have_count(last)


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
    gm = page.get_by_role("tab", name="GM")
    expect(gm).to_be_focused()
    expect(page.get_by_role("tabpanel", name="GM")).to_be_visible()
