"""What a hand does at the table: drag, measure, drop files, read a sheet, copy a link, keep a key."""

from __future__ import annotations

import base64
import json
import re
from typing import Any, Final

import pytest
from playwright.sync_api import FloatRect, Locator, Page, expect

from rewound_client import Table
from tests.cli.fights import Service, begun
from tests.page.conftest import Open

pytestmark = pytest.mark.slow  # a browser and a service start, which the tests of this folder share

OPENING: Final[dict[str, Any]] = {
    "edition": "heartrush@1",
    "title": "By hand",
    "sides": ["heroes", "foes"],
    "player_side": "heroes",
    "creatures": [
        {
            "position": [0, 0],
            "sheet": {
                "id": "pia",
                "name": "Pia",
                "side": "heroes",
                "kind": "pc",
                "armor": "light",
                "weapons": [{"id": "sword", "size_class": "light", "damage_type": "slashing"}],
                "abilities": ["in-the-thick-of-it"],
            },
        },
        {"position": [6, 0], "stat_block": "goblin", "id": "gob", "side": "foes"},
    ],
    "seats": [{"seat": "ann", "creatures": ["pia"]}],
}
PIXEL: Final = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
MAP: Final[dict[str, Any]] = {
    "format": 0.3,
    "resolution": {"map_origin": {"x": 0, "y": 0}, "map_size": {"x": 6, "y": 4}, "pixels_per_grid": 1},
    "line_of_sight": [[{"x": 2, "y": 0}, {"x": 2, "y": 3}]],
    "portals": [],
    "lights": [],
    "environment": {"baked_lighting": False, "ambient_light": "ffffffff"},
    "image": PIXEL,
}
DROP: Final = """
(zone, [name, content]) => {
  const given = new DataTransfer();
  given.items.add(new File([typeof content === "string" ? content : new Uint8Array(content)], name));
  zone.dispatchEvent(new DragEvent("drop", { dataTransfer: given, bubbles: true, cancelable: true }));
}
"""


@pytest.fixture
def table(running: Service) -> Table:
    return begun(running.owner.open(OPENING))


def at(running: Service, table: Table) -> str:
    return f"{running.station.url}/encounters/{table.encounter}"


def box(place: Locator) -> FloatRect:
    found = place.bounding_box()
    assert found is not None
    return found


def middle(place: Locator) -> tuple[float, float]:
    found = box(place)
    return found["x"] + found["width"] / 2, found["y"] + found["height"] / 2


def drawn(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Press at *start*, move to *end*, and hold."""
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(*end, steps=5)


def cell_size(page: Page) -> float:
    """Return the pixels of a cell: the tokens are six cells from each other."""
    forms = [page.locator(f"[data-creature={each}] .form") for each in ("pia", "gob")]
    return (middle(forms[1])[0] - middle(forms[0])[0]) / 6


def test_a_token_that_is_dragged_opens_the_way_to_its_cell(
    running: Service, table: Table, window: Open
) -> None:
    page = window().visit(at(running, table), table.issue_token("ann")["token"])
    expect(page.locator("#panel-act [data-type=dash]")).to_be_visible()
    pia = page.locator("[data-creature=pia] .form")
    x, y = middle(pia)
    size = cell_size(page)
    drawn(page, (x, y), (x + 2 * size, y))
    expect(page.locator(".ruler-text")).to_have_text("10 ft")
    page.mouse.up()
    form = page.locator(".act-form")
    chosen = form.get_by_label("To", exact=True).evaluate("list => list.selectedOptions[0].textContent")
    assert chosen == "cell 2, 0"
    form.get_by_role("button", name="Send").click()
    expect(page.locator("#panel-act .said")).to_contain_text("Done: ")
    assert next(each for each in table.creatures() if each["id"] == "pia")["position"] == [2, 0]


def test_a_way_that_is_dragged_says_its_cost_and_whom_it_provokes(running: Service, window: Open) -> None:
    beside = [OPENING["creatures"][0], {**OPENING["creatures"][1], "position": [1, 0]}]
    table = running.owner.open({**OPENING, "creatures": beside})
    begun(table)
    page = window().visit(at(running, table), table.issue_token("ann")["token"])
    expect(page.locator("#panel-act [data-type=dash]")).to_be_visible()
    x, y = middle(page.locator("[data-creature=pia] .form"))
    size = middle(page.locator("[data-creature=gob] .form"))[0] - x
    drawn(page, (x, y), (x, y - 2 * size))
    expect(page.locator(".ruler-text.provokes")).to_have_text("provokes Goblin (GO)")
    expect(page.locator(".ruler-text").first).to_have_text("10 ft")
    expect(page.locator("[data-creature=gob]")).to_have_class(re.compile("is-provoked"))
    page.mouse.up()
    expect(page.locator(".act-form .foreseen")).to_have_text("10 ft; it provokes Goblin.")
    expect(page.locator("[data-creature=gob]")).not_to_have_class(re.compile("is-provoked"))
    before = table.get()["version"]
    page.locator(".act-form").get_by_role("button", name="Back").click()
    assert table.get()["version"] == before, "a look at a way sends nothing"


def test_a_creature_of_somebody_else_is_not_dragged(running: Service, table: Table, window: Open) -> None:
    page = window().visit(at(running, table), table.issue_token("ann")["token"])
    expect(page.locator("#panel-act [data-type=dash]")).to_be_visible()
    x, y = middle(page.locator("[data-creature=gob] .form"))
    drawn(page, (x, y), (x - 2 * cell_size(page), y))
    expect(page.locator(".ruler-text")).to_have_count(0)
    page.mouse.up()
    expect(page.locator(".act-form")).to_have_count(0)


def test_the_ruler_measures_and_moves_nothing(running: Service, table: Table, window: Open) -> None:
    page = window().visit(at(running, table), table.issue_token("ann")["token"])
    expect(page.locator("#panel-act [data-type=dash]")).to_be_visible()
    page.get_by_role("button", name="Measure a distance").click()
    start, end = (
        middle(page.locator("[data-creature=pia] .form")),
        middle(page.locator("[data-creature=gob] .form")),
    )
    drawn(page, start, end)
    expect(page.locator(".ruler-text")).to_have_text("6 cells · 30 ft")
    page.mouse.up()
    expect(page.locator(".act-form")).to_have_count(0)
    page.get_by_role("button", name="Measure a distance").click()
    expect(page.locator(".ruler-text")).to_have_count(0)


def test_a_sheet_says_in_words_what_a_creature_has_and_what_ails_it(
    running: Service, table: Table, window: Open
) -> None:
    table.send(
        {
            "type": "gm_ruling",
            "kind": "other",
            "decision": "a blow to the head",
            "effects": [{"kind": "condition", "creature": "pia", "condition": "dazed"}],
        }
    )
    page = window().visit(at(running, table), table.issue_token("ann")["token"])
    page.locator("[data-creature=pia]").click()
    page.get_by_role("button", name="Pia: sheet").click()
    sheet = page.get_by_role("dialog", name="Pia")
    expect(sheet).to_contain_text("sword")
    expect(sheet).to_contain_text("slashing")
    expect(sheet).to_contain_text("light")
    expect(sheet).to_contain_text("In the Thick of It: +1 to attack and defense rolls")
    expect(sheet).to_contain_text("hamper rolls with their ability by their level")
    page.keyboard.press("Escape")
    expect(sheet).to_have_count(0)


def new_fight(running: Service, window: Open) -> Page:
    """Return the creatures' step of a new fight."""
    page = window().visit(f"{running.station.url}/new", running.key)
    page.get_by_role("button", name=re.compile("heartrush@1")).click()
    expect(page.get_by_role("heading", name="Who fights?")).to_be_visible()
    return page


def test_a_map_that_is_dropped_brings_its_walls_and_its_picture_stays_here(
    running: Service, window: Open
) -> None:
    page = window().visit(f"{running.station.url}/new", running.key)
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.post_data or ""))
    page.get_by_role("button", name=re.compile("heartrush@1")).click()
    page.get_by_role("button", name="Add Goblin", exact=True).click()
    page.get_by_role("button", name="Next: Map").click()
    page.locator(".drop-here").evaluate(DROP, ["inn.dd2vtt", json.dumps(MAP)])
    expect(page.locator(".canvas .edge")).to_have_count(3)
    expect(page.locator(".canvas image")).to_be_attached()
    expect(page.locator(".foot")).to_contain_text("inn.dd2vtt is on the map")
    page.get_by_role("button", name="Next: Seats").click()
    expect(page.locator(".foot")).to_contain_text("1 creature, 0 players")
    page.get_by_role("button", name="Next: Open").click()
    page.get_by_role("button", name="Open the fight").click()
    page.get_by_role("link", name="Go to the fight").click()
    expect(page.locator("#stage .edge")).to_have_count(3)
    expect(page.locator("#stage image")).to_be_attached()
    assert not any(PIXEL in body or base64.b64decode(PIXEL)[:20].hex() in body for body in sent)


def test_a_file_that_is_no_map_is_named(running: Service, window: Open) -> None:
    opened = window()
    opened.expect_fault("the server responded with a status of 422")
    page = opened.visit(f"{running.station.url}/new", running.key)
    page.get_by_role("button", name=re.compile("heartrush@1")).click()
    page.get_by_role("button", name="Next: Map").click()
    page.locator(".drop-here").evaluate(DROP, ["notes.txt", "Dear diary"])
    expect(page.get_by_role("alert")).to_contain_text("notes.txt: ")
    expect(page.get_by_role("alert")).to_contain_text("a text or a table, and no map that is read")


def test_a_list_that_is_no_utf8_keeps_its_letters(running: Service, window: Open) -> None:
    page = new_fight(running, window)
    page.locator(".drop-here").evaluate(DROP, ["gang.csv", [*"name;hp\nZo\u00eb;7\n".encode("cp1252")]])
    expect(page.locator(".foot")).to_contain_text("gang.csv was read")
    expect(page.get_by_label("Name of Zo\u00eb")).to_have_value("Zo\u00eb")


def test_a_list_of_creatures_comes_in_with_its_sides(running: Service, window: Open) -> None:
    page = new_fight(running, window)
    text = "name,side,hp_max,stat_block\nGrim,foes,20,\nSnag,foes,,goblin\n"
    page.locator(".drop-here").evaluate(DROP, ["gang.csv", text])
    expect(page.get_by_label("Name of Grim")).to_have_value("Grim")
    expect(page.get_by_label("Side of Snag")).to_have_value("foes")
    expect(page.locator(".foot")).to_contain_text("gang.csv was read")
    page.get_by_role("button", name="Sheet of Grim").click()
    page.locator("[data-member] summary", has_text="What it can take").click()
    expect(page.get_by_label("Hit points, at most").first).to_have_value("20")


def test_creatures_with_the_same_name_are_numbered_on_their_tokens_too(
    running: Service, window: Open
) -> None:
    page = new_fight(running, window)
    page.get_by_label("How many").fill("11")
    page.get_by_role("button", name="Add Goblin", exact=True).click()
    expect(page.locator("[data-member]")).to_have_count(11)
    names = [each.input_value() for each in page.get_by_label(re.compile("^Name of")).all()]
    assert names == [f"Goblin {number}" for number in range(1, 12)]
    page.get_by_role("button", name="Next: Map").click()
    letters = page.locator(".canvas [data-creature] .letters")
    assert letters.all_text_contents() == [f"G{number}" for number in range(1, 12)]


def test_a_table_on_a_network_without_tls_plays_and_copies(
    running: Service, table: Table, window: Open
) -> None:
    lan = running.station.url.replace("127.0.0.1", "table.test")
    there = f"{lan}/encounters/{table.encounter}"
    ann = window().visit(there, table.issue_token("ann")["token"])
    assert ann.evaluate("[isSecureContext, 'clipboard' in navigator]") == [False, False]
    ann.get_by_text("Sign my commands").click()
    expect(ann.locator(".signing")).to_contain_text("Signing needs an address with TLS")
    ann.locator("#panel-act [data-type=pass]").click()
    expect(ann.locator("#panel-act .said")).to_have_text("Done: Pass.")
    gm = window().visit(there, running.key)
    gm.get_by_role("tab", name="Share").click()
    gm.get_by_role("button", name="Link for an observer").click()
    expect(gm.locator(".qr")).to_be_visible()
    link = gm.get_by_label(re.compile("^Link for guest"))
    expect(link).to_have_value(re.compile(rf"^{lan}/s#rl_"))
    expect(gm.locator("#panel-share")).not_to_contain_text("on this computer alone")
    gm.get_by_role("button", name="Copy").click()
    expect(gm.locator(".link [role=status]")).to_have_text(re.compile("^(Copied.|Press Ctrl)"))
    selected = link.evaluate("field => field.selectionEnd - field.selectionStart")
    assert selected == len(link.input_value()), "who has no clipboard finds the link selected"


def test_a_key_is_remembered_where_somebody_says_so_and_a_link_takes_it_along(
    running: Service, window: Open
) -> None:
    page = window().visit(f"{running.station.url}/")
    page.get_by_label("API key or seat token").fill(running.key)
    page.get_by_role("button", name="Open", exact=True).click()
    expect(page.get_by_role("heading", name="Fights", exact=True)).to_be_visible()
    later = page.context.new_page()  # another tab of this browser
    later.goto(f"{running.station.url}/")
    expect(later.get_by_label("API key or seat token")).to_be_visible()

    page.get_by_text("Your key", exact=True).click()
    page.get_by_role("button", name="Stay signed in on this device").click()
    later.reload()
    expect(later.get_by_role("heading", name="Fights", exact=True)).to_be_visible()

    page.get_by_role("button", name="Use it on another device").click()
    page.get_by_role("button", name="Show it").click()
    link = page.get_by_label("Link for another device of yours").input_value()
    phone = window(viewport={"width": 390, "height": 844}).visit(link)
    expect(phone.get_by_role("heading", name="Fights", exact=True)).to_be_visible()
    assert running.key not in phone.url

    later.get_by_role("button", name="Forget the key").click()
    later.reload()
    expect(later.get_by_label("API key or seat token")).to_be_visible()


def test_one_way_acts_ask_first_and_leave_all_as_it_was(running: Service, table: Table, window: Open) -> None:
    gm = window().visit(at(running, table), running.key)
    gm.get_by_role("tab", name="Share").click()
    before = table.get()["version"]
    gm.locator("[data-seat=ann]").get_by_role("button", name="Close the seat").click()
    dialog = gm.get_by_role("dialog")
    expect(dialog).to_contain_text("cannot act or look any more")
    dialog.get_by_role("button", name="Leave it").click()
    gm.get_by_role("tab", name="GM").click()
    gm.get_by_role("button", name="End the fight …").click()
    expect(gm.get_by_role("dialog")).to_contain_text("No undo brings it back")
    gm.keyboard.press("Escape")
    expect(gm.get_by_role("dialog")).to_have_count(0)
    assert table.get()["version"] == before
