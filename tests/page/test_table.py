"""A table by clicking: from an empty key to a replay file and a proof; nothing typed is lost."""

from __future__ import annotations

import re
import time
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Locator, Page, expect

from rewound_client import Table
from service.rules.registry import REGISTRY
from service.stores import api_keys
from tests.cli.fights import Service, begun
from tests.page.conftest import Open
from tests.page.players import ClickingTable

pytestmark = pytest.mark.slow  # a browser and a service start, which the tests of this folder share

PHONE: Final = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
MOST_CLICKS: Final = 35
HEROES: Final = {"heartrush@1": ("New character", "Hired attendant"), "rise@1": ("Adventurer", "Archer")}
FOE: Final = {"heartrush@1": "Goblin", "rise@1": "Guard"}
MOVES: Final = 6


@pytest.fixture
def newcomer(running: Service) -> str:
    """Give a key that has no fight yet."""
    with closing(running.station.log()) as log:
        return api_keys.create(log, "newcomer", time.time())[0]


@pytest.mark.parametrize("book", ["heartrush@1", "rise@1"])
def test_from_an_empty_key_to_a_replay_and_a_proof_by_clicks_alone(
    running: Service, newcomer: str, window: Open, tmp_path: Path, book: str
) -> None:
    gm = window(accept_downloads=True).visit(f"{running.station.url}/", newcomer)
    expect(gm.get_by_role("button", name=re.compile("^At the ford"))).to_be_visible()
    gm.get_by_role("link", name="New fight").click()
    links = opened(gm, book)
    ann = window().visit(links[0])
    ben = window(**PHONE).visit(links[1])
    gm.get_by_role("link", name="Go to the fight").click()
    for page in (gm, ann, ben):
        expect(page.locator("[data-creature]")).to_have_count(3)

    expect(gm.locator("#panel-act [data-type]").first).to_be_visible()
    windows = {"gm": gm, "ann": ann, "ben": ben}
    written: list[str] = []
    for page in windows.values():
        page.on("request", lambda request: written.append(request.url) if request.method != "GET" else None)
    table = ClickingTable(windows, dict.fromkeys(windows, "might"))
    moves = 0
    while moves < MOVES and not table.is_over() and table.move():
        moves += 1
    assert moves == MOVES, table.clicked
    assert [url.rsplit("/", 1)[1] for url in written] == ["commands"] * moves, (
        "nothing is sent without a click"
    )

    gm.get_by_role("tab", name="GM").click()
    with gm.expect_download() as replay:
        gm.get_by_role("button", name="Export the replay").click()
    replay.value.save_as(tmp_path / "replay.html")
    gm.get_by_role("button", name="End the fight …").click()
    gm.get_by_role("button", name="End and prove it").click()
    expect(gm.locator(".mark-proof")).to_have_text("✓ Proved")
    expect(ann.locator("#turn")).to_have_text("It has ended")

    again = window(offline=True).visit((tmp_path / "replay.html").as_uri())
    expect(again.locator("[data-creature]")).to_have_count(3)
    expect(again.locator(".mark-proof")).to_have_text("Consistent, no key given")


def opened(gm: Page, book: str) -> list[str]:
    """Open a fight of two players and a foe by clicking; return the links of its players."""
    gm.get_by_role("button", name=re.compile(book)).click()
    for block, side in ((HEROES[book][0], "heroes"), (HEROES[book][1], "heroes"), (FOE[book], "foes")):
        gm.get_by_label("Side", exact=True).select_option(side)
        gm.get_by_label("Stat blocks of the book").fill(block)
        gm.get_by_role("button", name=f"Add {block}", exact=True).click()
    expect(gm.locator("[data-member]")).to_have_count(3)
    gm.get_by_role("button", name="Next: Map").click()
    gm.get_by_role("button", name="Wall", exact=True).click()
    gm.locator(".canvas svg.map").click(position={"x": 40, "y": 40})
    gm.reload()  # the draft is still there
    expect(gm.locator(".canvas .edge")).to_have_count(1)
    gm.get_by_role("button", name="Next: Seats").click()
    gm.get_by_label("What the fight is called").fill("By clicking")
    for name in ("Ann", "Ben"):
        gm.get_by_role("button", name=re.compile("player$")).click()
        gm.get_by_label("Player", exact=True).last.fill(name)
    gm.get_by_role("button", name="Next: Open").click()
    gm.get_by_role("button", name="Open the fight").click()
    expect(gm.get_by_role("heading", name="The fight is open")).to_be_visible()
    expect(gm.locator(".qr")).to_have_count(2)
    return [gm.get_by_label(f"Link for {name}").input_value() for name in ("Ann", "Ben")]


OPENING: Final[dict[str, Any]] = {
    "edition": "heartrush@1",
    "title": "Typed",
    "sides": ["heroes", "foes"],
    "player_side": "heroes",
    "creatures": [
        {"position": [0, 0], "sheet": {"id": "pia", "name": "Pia", "side": "heroes", "kind": "pc"}},
        {"position": [0, 2], "sheet": {"id": "ash", "name": "Ash", "side": "heroes", "kind": "pc"}},
        {"position": [4, 0], "stat_block": "goblin", "id": "gob", "side": "foes"},
    ],
    "seats": [{"seat": "ann", "creatures": ["pia"]}, {"seat": "ben", "creatures": ["ash"]}],
}


BESIDE: Final = {
    **OPENING,
    "creatures": [*OPENING["creatures"][:2], {**OPENING["creatures"][2], "position": [1, 0]}],
}
"""The goblin stands beside Pia."""


def hit_points(table: Table) -> int:
    """Return Ash's hit points."""
    found = table.state()["state"]["creatures"]["ash"]["hp"]
    assert isinstance(found, int)
    return found


def test_a_change_of_a_creature_begins_with_its_hit_points_and_sends_what_it_shows(
    running: Service, window: Open
) -> None:
    table = begun(running.owner.open(OPENING))
    gm = window().visit(f"{running.station.url}/encounters/{table.encounter}", running.key)
    gm.get_by_role("tab", name="Creatures").click()
    gm.locator(".roster .creature", has_text="Ash").click()
    gm.get_by_role("tab", name="GM").click()
    gm.get_by_role("button", name="Change Ash").click()
    form = gm.locator(".gm-form")
    had = int(form.get_by_label("Hp", exact=True).input_value())
    assert had == hit_points(table) > 5

    form.get_by_label("Kind").last.select_option("heal")
    expect(form.get_by_label("Creature", exact=True)).to_have_value("ash")
    form.get_by_label("Kind").last.select_option("hp")
    expect(form.get_by_label("Creature", exact=True)).to_have_value("ash")
    form.get_by_label("Hp", exact=True).fill(str(had - 5))
    form.get_by_label("Decision").fill("the bridge gave way")
    form.get_by_role("button", name="Do it").click()

    expect(gm.locator(".log")).to_contain_text("the bridge gave way")
    assert hit_points(table) == had - 5


def test_two_rounds_take_a_gm_and_two_players_at_most_35_clicks(running: Service, window: Open) -> None:
    table = running.owner.open(BESIDE)
    at = f"{running.station.url}/encounters/{table.encounter}"
    windows = {
        "gm": window().visit(at, running.key),
        "ann": window().visit(at, table.issue_token("ann")["token"]),
        "ben": window(**PHONE).visit(at, table.issue_token("ben")["token"]),
    }
    for page in windows.values():
        expect(page.locator("#panel-act[data-version]")).to_be_attached()
    clicking = ClickingTable(windows, dict.fromkeys(windows, "might"), engage={"ann"})
    while (table.get()["round"] or 0) <= 2 and not clicking.is_over():
        assert clicking.move(), clicking.clicked
    assert {"ann engage", "ann choose_stance", "gm choose_stance"} <= set(clicking.clicked)
    assert clicking.clicks == len(clicking.clicked), "each command takes one click"
    assert clicking.clicks <= MOST_CLICKS, clicking.clicked


def test_two_rounds_of_rise_and_a_ruling_take_clicks_alone(
    running: Service, newcomer: str, window: Open
) -> None:
    gm = window().visit(f"{running.station.url}/new", newcomer)
    links = opened(gm, "rise@1")
    windows = {"gm": gm, "ann": window().visit(links[0]), "ben": window(**PHONE).visit(links[1])}
    gm.get_by_role("link", name="Go to the fight").click()
    for page in windows.values():
        expect(page.locator("#panel-act[data-version]")).to_be_attached()
    clicking = ClickingTable(windows, {})
    while "round 3" not in gm.locator("#status").inner_text():
        assert not clicking.is_over(), clicking.clicked
        assert clicking.move(), clicking.clicked
    assert {line.split(" ")[0] for line in clicking.clicked} == set(windows)

    ann = windows["ann"]
    number = ann.locator(".entry:has(button:text-is('Contest'))").last.get_attribute("data-n")
    ann.get_by_label(f"Contest commit {number}", exact=True).click()
    ann.get_by_label(f"What is wrong with commit {number}?").fill("I was still moving")
    ann.get_by_role("button", name="Contest it").click()
    gm.get_by_role("tab", name="Rulings").click()
    gm.get_by_role("button", name="Answer").click()
    gm.get_by_label("Go back to before").check()
    gm.get_by_label("The decision").fill("you were")
    gm.get_by_role("button", name="Rule", exact=True).click()
    gm.get_by_role("button", name="Accept").click()
    for page in windows.values():
        page.get_by_role("tab", name="Log").click()
        expect(page.locator(".log")).to_contain_text("The proposal is accepted")
        assert page.locator(".entry:not(:has(p, .chip))").count() == 0, "an entry is empty"
    assert clicking.move(), "play goes on"


def test_nothing_typed_is_lost_while_others_act_and_the_gm_rules(running: Service, window: Open) -> None:
    table = begun(running.owner.open(OPENING))
    at = f"{running.station.url}/encounters/{table.encounter}"
    ann = window().visit(at, table.issue_token("ann")["token"])
    ben = table.sit("ben")
    gm = window().visit(at, running.key)
    typed: list[tuple[Locator, str]] = []

    ann.get_by_label("Contest commit 2").click()
    typed.append(write(ann.get_by_label("What is wrong with commit 2?"), "pia was not asked"))
    ann.locator("#panel-act [data-type=call_out]").click()
    typed.append(write(ann.locator(".act-form").get_by_label("Words"), "For the bridge"))
    gm.get_by_role("tab", name="GM").click()
    gm.locator("[data-command=gm_ruling]").click()
    typed.append(write(gm.locator(".gm-form").get_by_label("Decision"), "the rope holds"))
    gm.get_by_role("tab", name="Share").click()
    typed.append(write(gm.get_by_label("Name", exact=True), "Cleo"))
    ben.contest(commit=3, claim="ash was faster")
    gm.get_by_role("tab", name="Rulings").click()
    gm.get_by_role("button", name="Answer").click()
    typed.append(write(gm.get_by_label("The decision"), "a die decided it"))
    focused = ann.locator(".act-form").get_by_label("Words")
    focused.focus()

    before = table.get()["version"]
    ben.send({"type": "dash", "creature": "ash", "to": [1, 2]})
    shown(table, ann, gm)
    held(typed)
    table.send({"type": "gm_ruling", "kind": "other", "decision": "it rains"})
    shown(table, ann, gm)
    held(typed)
    expect(ann.locator(".act-form")).to_contain_text("What you wrote stays here")
    table.undo(to=before)
    expect(ann.locator(".log")).to_contain_text("Play goes on from")
    held(typed)
    expect(focused).to_be_focused()
    ann.locator(".act-form").get_by_role("button", name="Send").click()
    expect(ann.locator("#panel-act .said")).to_have_text("Done: Call out one sentence, For the bridge.")


def sample(running: Service, book: str) -> Table:
    """Open a fight of a book, in which people are asked."""
    if book == "heartrush@1":
        table = running.owner.open(OPENING)
        begun(table)
        return table
    (fight,) = (each for each in REGISTRY[book].library() if each.kind == "fight")
    return running.owner.open({**fight.data, "seats": [{"seat": "ann", "creatures": ["mira"]}]})


@pytest.mark.parametrize("book", ["heartrush@1", "rise@1"])
def test_no_form_of_the_gm_loses_what_is_typed(running: Service, window: Open, book: str) -> None:
    table = sample(running, book)
    gm = window().visit(f"{running.station.url}/encounters/{table.encounter}", running.key)
    gm.get_by_role("tab", name="GM").click()
    expect(gm.locator("[data-command]").first).to_be_visible()
    tried: list[str] = []
    for name in gm.locator("[data-command]:enabled").evaluate_all(
        "all => all.map((each) => each.dataset.command)"
    ):
        gm.locator(f"[data-command={name}]").click()
        expect(gm.locator(".gm-form h3").or_(gm.get_by_role("dialog"))).to_be_visible()
        if gm.get_by_role("dialog").count():  # the end, which is asked about
            gm.keyboard.press("Escape")
            continue
        fields = gm.locator(".gm-form").locator(
            "textarea, input[type=text], input[type=search], input:not([type])"
        )
        typed = [write(field, f"word {index}") for index, field in enumerate(fields.all())]
        table.send({"type": "roll_behind_screen", "dice": [20], "what": f"beside {name}"})
        shown(table, gm)
        held(typed)
        if typed:
            tried.append(name)
        gm.locator(".gm-form").get_by_role("button", name="Back").click()
    assert {"gm_ruling", "add_creature"} <= set(tried), tried


def shown(table: Table, *pages: Page) -> None:
    """Wait until the pages show the newest commit, and what may be done after it."""
    for page in pages:
        expect(page.locator(f"#panel-act[data-version='{table.get()['version']}']")).to_be_attached()


def write(field: Locator, text: str) -> tuple[Locator, str]:
    field.fill(text)
    return field, text


def held(typed: list[tuple[Locator, str]]) -> None:
    """Expect that every field still has its text."""
    for field, text in typed:
        expect(field).to_have_value(text)


LEAST_LINES: Final = 4
VISIBLE_LINES: Final = """
(node) => {
  const { top, bottom } = node.getBoundingClientRect();
  const above = document.querySelector("#timeline").getBoundingClientRect().top;
  return (Math.min(bottom, above, innerHeight) - Math.max(0, top)) / 20;
}
"""
"""How many lines of 20 pixels of an element can be seen above the timeline."""


def test_a_phone_that_is_small_shows_four_lines_of_the_open_panel(running: Service, window: Open) -> None:
    table = begun(running.owner.open(OPENING))
    at = f"{running.station.url}/encounters/{table.encounter}"
    page = window(viewport={"width": 320, "height": 640}).visit(at, table.issue_token("ann")["token"])
    expect(page.locator("#panel-act[data-version]")).to_be_attached()
    tabs = page.get_by_role("tab").all()
    assert len(tabs) > 5
    for tab in tabs:
        tab.click()
        name = tab.get_attribute("aria-controls")
        shown = page.locator(".log" if name == "panel-log" else f"#{name}")
        expect(shown).to_be_visible()
        assert shown.evaluate(VISIBLE_LINES) >= LEAST_LINES, name
        assert page.evaluate("document.documentElement.scrollHeight") <= 640, (
            "the page itself does not scroll"
        )


def test_who_is_asked_reads_it_in_the_header_the_title_and_a_badge(running: Service, window: Open) -> None:
    table = begun(running.owner.open(OPENING))
    at = f"{running.station.url}/encounters/{table.encounter}"
    ann = window(**PHONE).visit(at, table.issue_token("ann")["token"])
    expect(ann.locator("#turn")).to_have_text("Your turn: Pia")
    expect(ann).to_have_title(re.compile("^● Your turn"))
    expect(ann.locator("#tab-act .count-badge")).to_have_text("1")
    gm = window().visit(at, running.key)
    expect(gm.locator("#turn")).to_have_text("Waits for Pia or Ash")
    ann.locator("[data-creature=gob]").click()
    expect(ann.locator("#panel-act")).to_contain_text("Only what Goblin may do, and what may be done to it.")


def test_a_player_whose_seat_is_closed_reads_a_sentence(running: Service, window: Open) -> None:
    table = running.owner.open(OPENING)
    opened_ = window()
    page = opened_.visit(
        f"{running.station.url}/encounters/{table.encounter}", table.issue_token("ann")["token"]
    )
    expect(page.locator("[data-creature]")).to_have_count(3)
    opened_.expect_fault("401")
    table.close_seat("ann")
    expect(page.locator("#lost")).to_contain_text("Your seat has been closed by the gm")
    expect(page.locator("#timeline")).to_contain_text("Not live")
    expect(page.locator("#turn")).not_to_contain_text("Your turn")
