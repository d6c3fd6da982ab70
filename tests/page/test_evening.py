"""What a game master snagged on in an evening of clicking, in order of the evening."""

from __future__ import annotations

import re
from typing import Any, Final

import pytest
from playwright.sync_api import Page, expect

from rewound_client import Table
from tests.cli.fights import Service
from tests.page.conftest import Open
from tests.page.test_by_hand import at, box, drawn, new_fight

PHONE: Final = {"width": 390, "height": 844}
OPENING: Final[dict[str, Any]] = {
    "edition": "heartrush@1",
    "sides": ["heroes", "foes"],
    "player_side": "heroes",
    "creatures": [
        {"position": [0, 0], "stat_block": "new-character", "id": "pia", "name": "Pia", "side": "heroes"},
        *(
            {"position": [6, y], "stat_block": "wolf", "id": f"wolf-{y}", "name": "Wolf", "side": "foes"}
            for y in range(8)
        ),
    ],
}


@pytest.fixture
def table(running: Service) -> Table:
    return running.owner.open(OPENING)


def cell_px(page: Page) -> float:
    """Return how wide a cell of the map is on the screen."""
    found: float = page.locator("svg.map").evaluate("node => node.getScreenCTM().a")
    return found


def form_of(page: Page, type_: str) -> None:
    """Open the form of a command under GM."""
    page.get_by_role("tab", name="GM").click()
    page.locator(f"[data-command={type_}]").click()
    expect(page.locator(".gm-form")).to_be_visible()


def test_a_count_that_was_used_is_one_again_on_the_screen_too(running: Service, window: Open) -> None:
    page = new_fight(running, window)
    page.get_by_label("How many").fill("3")
    page.get_by_role("button", name="Add Wolf", exact=True).click()
    expect(page.locator("[data-member]")).to_have_count(3)
    expect(page.get_by_label("How many")).to_have_value("1")
    page.get_by_role("button", name="Add Orc", exact=True).click()
    expect(page.locator("[data-member]")).to_have_count(4)


def test_a_wall_follows_the_pointer_that_draws_it_and_a_seat_keeps_its_letters(
    running: Service, window: Open
) -> None:
    page = new_fight(running, window)
    page.get_by_role("button", name="Add Wolf", exact=True).click()
    page.get_by_role("button", name="Next: Map").click()
    page.get_by_role("button", name="Wall", exact=True).click()
    canvas = box(page.locator(".canvas svg.map"))
    size = cell_px(page)
    start = (canvas["x"] + 2.1 * size, canvas["y"] + 1.2 * size)
    drawn(page, start, (start[0], start[1] + 3 * size))
    page.mouse.up()
    titles = page.locator(".canvas .edge title").all_text_contents()
    ends = [[tuple(map(int, each)) for each in re.findall(r"(-?\d+), (-?\d+)", text)] for text in titles]
    assert len(ends) >= 3
    assert {(b[0] - a[0], b[1] - a[1]) for a, b in ends} == {(1, 0)}, "all upright, as the pointer went"
    page.get_by_role("button", name="Next: Seats").click()
    page.get_by_role("button", name="Add a player").click()
    page.get_by_label("Player", exact=True).fill("Zoë")
    page.get_by_role("button", name="Next: Open").click()
    with page.expect_request(
        lambda request: request.method == "POST" and request.url.endswith("/encounters")
    ) as sent:
        page.get_by_role("button", name="Open the fight").click()
    body = sent.value.post_data_json or {}
    assert [each["seat"] for each in body["seats"]] == ["zoe"]


def test_the_only_hidden_creature_is_chosen_and_a_form_is_sent_once(
    running: Service, table: Table, window: Open
) -> None:
    page = window().visit(at(running, table), running.key)
    form_of(page, "hide_creature")
    page.locator(".gm-form").get_by_role("button", name=re.compile("Ogre")).click()
    page.locator(".gm-form").get_by_role("button", name="Do it").dblclick()
    expect(page.locator("#panel-gm .said")).to_have_text("Done: Add a hidden creature.")
    form_of(page, "reveal_creature")
    expect(page.locator("#gm-hidden_creature option")).to_have_text([re.compile("^Ogre at")])
    page.locator(".gm-form").get_by_role("button", name="Do it").click()
    expect(page.locator("#panel-gm .said")).to_have_text("Done: Reveal a hidden creature.")
    assert len(list(table.commits())) == 3, "opened, hidden once, revealed"
    page.get_by_role("button", name="Undo the last act").click()
    expect(page.locator("#panel-gm .said")).to_have_text("")


def test_a_ruling_moves_a_creature_by_a_click_and_takes_two_dice_of_one_kind(
    running: Service, table: Table, window: Open
) -> None:
    page = window().visit(at(running, table), running.key)
    form_of(page, "gm_ruling")
    form = page.locator(".gm-form")
    expect(form).not_to_contain_text("`")
    page.locator("#gm-decision").fill("It walks through the wall")
    form.get_by_role("button", name="Add one").click()
    page.locator("#gm-effects-0").select_option("move")
    page.locator("#gm-effects-0-creature").select_option("pia")
    form.get_by_role("button", name="Click on the map").click()
    x, y = (
        box(page.locator("[data-creature=pia] .form"))["x"],
        box(page.locator("[data-creature=pia] .form"))["y"],
    )
    page.mouse.click(x + 2.2 * cell_px(page), y + 5)
    expect(form.get_by_label("across")).to_have_value("2")
    form.get_by_role("button", name="One more").last.click()
    page.locator("#gm-effects-1").select_option("heal")
    page.locator("#gm-effects-1-creature").select_option("pia")
    dice = form.locator("[data-field='/effects/1/dice']")
    for _ in range(2):
        dice.get_by_role("button", name=re.compile("Add one|One more")).click()
    for each in dice.locator("select").all():
        each.select_option("6")
    form.get_by_role("button", name="Do it").click()
    expect(page.locator("#panel-gm .said")).to_have_text("Done: Give a ruling.")
    expect(page.locator("[data-creature=pia]")).to_have_attribute("aria-label", re.compile("at 2, 0"))


def test_on_a_phone_no_button_lies_over_a_token(running: Service, table: Table, window: Open) -> None:
    page = window(viewport=PHONE).visit(at(running, table), running.key)
    expect(page.locator("[data-creature=wolf-7]")).to_be_visible()
    lowest = box(page.locator("[data-creature=wolf-7] .body"))
    assert lowest["y"] + lowest["height"] <= box(page.locator(".zoom"))["y"]
    expect(page.locator("[data-creature=wolf-7] .letters")).to_have_text("W8")


def test_who_plays_by_keys_keeps_its_place(running: Service, table: Table, window: Open) -> None:
    page = window().visit(at(running, table), running.key)
    first = page.locator("#panel-act [data-type=begin_combat]").first
    first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#panel-act .said")).to_contain_text("Done: Begin combat")
    expect(page.locator("#panel-act [data-type=grant_priority]")).to_be_visible()
    expect(page.locator("#panel-act")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.locator("#panel-act [data-type=grant_priority]")).to_be_focused()


def test_a_new_fight_is_made_by_keys(running: Service, window: Open) -> None:
    page = window().visit(f"{running.station.url}/new", running.key)
    page.get_by_role("button", name=re.compile("heartrush@1")).press("Enter")
    expect(page.get_by_role("heading", name="Who fights?")).to_be_focused()
    page.get_by_role("button", name="Add Wolf", exact=True).press("Enter")
    page.get_by_role("button", name="Next: Map").press("Enter")
    expect(page.get_by_role("heading", name="The map")).to_be_focused()
    wolf = page.locator(".canvas [data-creature=wolf]")
    before = wolf.get_attribute("aria-label")
    wolf.press("Enter")
    wolf.press("ArrowRight")
    wolf.press("ArrowDown")
    expect(wolf).not_to_have_attribute("aria-label", before or "")
    expect(wolf).to_have_attribute("aria-label", re.compile(r"at 1, 1"))


def test_large_creatures_have_the_room_that_they_fill(running: Service, window: Open) -> None:
    page = window().visit(f"{running.station.url}/new", running.key)
    page.get_by_role("button", name=re.compile("rise@1")).click()
    for name in ("Wolf", "Ogre", "Wolf"):
        page.get_by_role("button", name=f"Add {name}", exact=True).click()
    page.get_by_role("button", name="Next: Map").click()
    places = [
        re.findall(r"at (-?\d+, -?\d+)", each.get_attribute("aria-label") or "")
        for each in page.locator(".canvas [data-creature]").all()
    ]
    assert places == [["0, 0"], ["0, 1"], ["0, 3"]]
    page.get_by_role("button", name="5 Open").click()
    page.get_by_role("button", name="Open the fight").click()
    expect(page.get_by_role("heading", name="The fight is open")).to_be_visible()
