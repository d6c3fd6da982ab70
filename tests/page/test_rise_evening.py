"""What a game master snagged on in an evening of Rise, by clicking, and in a new fight from files."""

from __future__ import annotations

import json
import re
from typing import Any, Final

import pytest
from playwright.sync_api import Page, expect

from rewound_client import Table
from tests.cli.fights import Service
from tests.page.conftest import Open
from tests.page.test_by_hand import DROP, MAP, at, drawn, middle, new_fight
from tests.rules.rise.kit import entry

PHONE: Final = {"width": 390, "height": 844}


def named(name: str, who: str, at_: tuple[int, int]) -> dict[str, Any]:
    made = entry(who, at_, hp_max=12)
    return {**made, "sheet": {**made["sheet"], "name": name}}


PIA: Final = named("Pia", "pc@heroes/pia", (0, 1))
WOLVES: Final = [named("Wolf", f"mon@foes/wolf-{y}", (6, y)) for y in range(52)]
OPENING: Final[dict[str, Any]] = {
    "edition": "rise@1",
    "creatures": [PIA, *WOLVES],
    "walls": {"0,1|1,1": "wall", "0,0|1,0": "closed_door"},
    "seats": [{"seat": "ann", "creatures": ["pia"]}],
}


@pytest.fixture
def table(running: Service) -> Table:
    return running.owner.open({**OPENING, "creatures": [PIA, *WOLVES[:3]]})


@pytest.fixture
def begun(table: Table) -> Table:
    table.send({"type": "start_combat", "start_phase": "movement"})
    return table


def anns(running: Service, begun: Table, window: Open) -> Page:
    """Return the window of Ann, who is asked how Pia moves."""
    page = window(viewport=PHONE).visit(at(running, begun), begun.issue_token("ann")["token"])
    expect(page.locator("#panel-act [data-type=plan_movement]").first).to_be_visible()
    return page


def test_one_click_passes_for_creatures_that_choose_in_secret(
    running: Service, begun: Table, window: Open
) -> None:
    gm = window().visit(at(running, begun), running.key)
    gm.locator(".pass-all").click()
    expect(gm.locator("#panel-act [data-type=pass_movement]")).to_have_count(0)
    expect(gm.locator("#panel-act .said")).to_have_text("Done: Stay in place, for all 3.")


def test_one_click_passes_for_more_creatures_than_one_request_takes(running: Service, window: Open) -> None:
    table = running.owner.open(OPENING)
    table.send({"type": "start_combat", "start_phase": "movement"})
    gm = window().visit(at(running, table), running.key)
    sent: list[int] = []
    gm.on(
        "request",
        lambda request: (
            sent.append(len(json.loads(request.post_data or ""))) if request.method == "POST" else None
        ),
    )
    gm.locator(".pass-all").click()
    expect(gm.locator("#panel-act .said")).to_have_text("Done: Stay in place, for all 52.")
    assert sent == [50, 2]


def test_a_way_around_a_corner_is_drawn_cell_by_cell(running: Service, begun: Table, window: Open) -> None:
    ann = anns(running, begun, window)
    ann.locator("#panel-act [data-type=plan_movement]").first.click()
    form = ann.locator(".act-form")
    for step in ("down", "right", "up and right"):
        form.get_by_role("button", name=step, exact=True).click()
    expect(form.locator("select option:checked")).to_have_text("3 cells (15 ft) to 2, 1, as you draw it")
    form.get_by_role("button", name="Send").click()
    expect(ann.locator("#panel-act .said")).to_contain_text("3 cells (15 ft) to 2, 1")
    for y in range(3):
        begun.send({"type": "pass_movement", "creature": f"wolf-{y}"})
    assert next(each for each in begun.creatures() if each["id"] == "pia")["position"] == [2, 1]


def test_a_way_that_the_service_would_refuse_says_why_and_is_not_sent(
    running: Service, begun: Table, window: Open
) -> None:
    ann = anns(running, begun, window)
    pia = ann.locator("[data-creature=pia] .form")
    x, y = middle(pia)
    size = ann.locator("svg.map").evaluate("node => node.getScreenCTM().a")
    drawn(ann, (x, y), (x + 3 * size, y + size))
    ann.mouse.up()
    form = ann.locator(".act-form")
    expect(form.locator("select option:checked")).to_contain_text("to 3, 2")
    form.get_by_role("button", name="one cell less").click()
    form.get_by_role("button", name="one cell less").click()
    form.get_by_role("button", name="up", exact=True).click()
    expect(form.get_by_role("button", name="Send")).to_be_enabled()
    form.get_by_role("button", name="left", exact=True).click()
    expect(form.locator(".foreseen")).to_contain_text("Not so: a wall keeps")
    expect(form.get_by_role("button", name="Send")).to_be_disabled()


def test_a_ruling_asks_for_no_part_that_nobody_wants(running: Service, table: Table, window: Open) -> None:
    gm = window().visit(at(running, table), running.key)
    gm.get_by_role("tab", name="GM").click()
    gm.locator("[data-command=gm_ruling]").click()
    form = gm.locator(".gm-form")
    gm.locator("#gm-decision").fill("The fall hurts")
    form.locator("#gm-effects").click()
    form.locator("#gm-effects-0-target").select_option("pia")
    form.locator("#gm-effects-0-amount").fill("3")
    ability = form.locator("[data-field='/effects/0/ability']")
    ability.get_by_role("button", name="Add it").click()
    ability.get_by_role("button", name="Leave it out").last.click()
    form.get_by_role("button", name="Do it").click()
    expect(gm.locator("#panel-gm .said")).to_have_text("Done: Give a ruling.")
    expect(gm.locator("[data-creature=pia]")).to_have_attribute("aria-label", re.compile("9 of 12"))


def test_what_may_be_done_to_a_creature_names_it_and_the_rest_comes_back(
    running: Service, window: Open
) -> None:
    row = [{**each, "position": [2 + n, 0]} for n, each in enumerate([PIA, *WOLVES[:3]])]
    table = running.owner.open({**OPENING, "creatures": row})
    table.send({"type": "start_combat", "start_phase": "action"})
    ann = window().visit(at(running, table), table.issue_token("ann")["token"])
    for each in ("wolf-0", "wolf-1", "wolf-2"):
        table.send({"type": "no_more_swift", "creature": each})
    expect(ann.locator("#panel-act [data-type=pass_turn]")).to_be_visible()
    strike = ann.get_by_role("group", name="Strike Wolf 1 with the blade", exact=True).get_by_role("button")
    expect(strike).to_have_text(["Strike Wolf 1 with the blade", "subdual"])
    ann.locator("[data-creature=wolf-0] .form").click()
    ann.get_by_role("button", name=re.compile(r"^(Trip|Shove) Wolf 1$")).first.click()
    expect(ann.locator("#panel-act .said")).to_contain_text("Done: ")
    expect(ann.get_by_role("button", name="Show everything")).to_have_count(0)


def test_a_door_is_named_by_its_cells_and_chosen_if_it_is_the_only_one(
    running: Service, window: Open
) -> None:
    table = running.owner.open({**OPENING, "creatures": [{**PIA, "position": [0, 0]}, WOLVES[0]]})
    table.send({"type": "start_combat", "start_phase": "action"})
    table.send({"type": "no_more_swift", "creature": "wolf-0"})
    ann = window().visit(at(running, table), table.issue_token("ann")["token"])
    ann.get_by_role("button", name="Open the door at …").click()
    expect(ann.locator(".act-form [aria-pressed=true]")).to_have_text(["free", "0, 0 and 1, 0"])


def test_files_are_taken_wherever_they_are_dropped_and_nobody_stands_on_another(
    running: Service, window: Open
) -> None:
    page = new_fight(running, window)
    page.get_by_role("button", name="Add Wolf", exact=True).click()
    page.locator(".cast").evaluate(DROP, ["boars.csv", "name,hp\nBoar,9\nSow,8\n"])
    expect(page.locator(".foot")).to_contain_text("The cells of 1 were taken")
    page.get_by_role("button", name="Next: Map").click()
    named = [each.get_attribute("aria-label") or "" for each in page.locator(".canvas [data-creature]").all()]
    places = [re.findall(r"at (-?\d+, -?\d+)", each) for each in named]
    assert len({str(each) for each in places}) == 3, named
    page.locator(".canvas svg.map").evaluate(DROP, ["keep.uvtt", json.dumps(MAP)])
    expect(page.locator(".foot")).to_contain_text("keep.uvtt is on the map.")
    expect(page.locator(".canvas .edge")).not_to_have_count(0)


def test_creatures_of_stat_blocks_join_and_hide_and_a_click_changes_one(
    running: Service, table: Table, window: Open
) -> None:
    gm = window().visit(at(running, table), running.key)
    gm.get_by_role("tab", name="GM").click()
    for command, block in (("add_creature", "Archer"), ("hide_creature", "Guard")):
        gm.locator(f"[data-command={command}]").click()
        gm.get_by_role("button", name=f"Add {block}").click()
        gm.locator(".gm-form").get_by_role("button", name="Do it").click()
        expect(gm.locator("#panel-gm .said")).to_contain_text("Done: Add a")
        expect(gm.locator(f"[data-creature={block.lower()}]")).to_be_visible()
    gm.locator("[data-creature=wolf-0] .form").click()
    gm.get_by_role("button", name="Change Wolf").click()
    gm.locator("#gm-decision").fill("It bleeds")
    expect(gm.locator("#gm-effects-0-target")).to_have_value("wolf-0")
    gm.locator("#gm-effects-0-amount").fill("2")
    gm.locator(".gm-form").get_by_role("button", name="Do it").click()
    expect(gm.locator("#panel-gm .said")).to_have_text("Done: Give a ruling.")
    expect(gm.locator("[data-creature=wolf-0]")).to_have_attribute("aria-label", re.compile("10 of 12"))


def test_walls_doors_and_terrain_are_drawn_by_keys(running: Service, window: Open) -> None:
    page = new_fight(running, window)
    page.get_by_role("button", name="Add Wolf", exact=True).press("Enter")
    page.get_by_role("button", name="Next: Map").press("Enter")
    canvas = page.locator(".canvas svg.map")

    def draw(tool: str, *keys: str) -> None:
        page.get_by_role("button", name=tool, exact=True).press("Enter")
        canvas.focus()
        for key in keys:
            canvas.press(key)

    draw("Wall", "ArrowRight", "ArrowDown", "Shift+ArrowRight", "ArrowDown", "Shift+ArrowRight")
    expect(page.locator(".keys")).to_be_visible()
    draw("Door", "Shift+ArrowUp")
    draw("Difficult", "Enter")
    draw("Erase", "Shift+ArrowRight")
    page.get_by_role("button", name="Next: Seats").press("Enter")
    page.get_by_role("button", name="Add a player").press("Enter")
    expect(page.get_by_label("Player", exact=True)).to_be_focused()
    page.keyboard.type("Zoë")
    page.get_by_role("button", name="Next: Open").press("Enter")
    with page.expect_request(lambda each: each.method == "POST" and each.url.endswith("/encounters")) as sent:
        page.get_by_role("button", name="Open the fight").press("Enter")
    body = sent.value.post_data_json or {}
    assert body["walls"] == {"1,1|2,1": "wall", "1,1|1,2": "closed_door"}
    assert body["terrain"] == {"1,2": "difficult"}
