"""What a game master sees at the first look: what was taken back, what waits, and words for people."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Page, Request, expect

from rewound_client import Table
from tests.cli.fights import Service, begun
from tests.page.conftest import Open

pytestmark = pytest.mark.slow  # a browser and a service start, which the tests of this folder share

WOLVES: Final = 3
ROLLS: Final = 12
"""More than a log reads of a line that was left before somebody asks for it."""
SHOVED: Final = {"type": "roll_behind_screen", "dice": [6], "what": "the bridge"}
OPENING: Final[dict[str, Any]] = {
    "edition": "heartrush@1",
    "title": "At first look",
    "sides": ["heroes", "foes"],
    "player_side": "heroes",
    "creatures": [
        {"position": [0, 0], "stat_block": "new-character", "id": "pia", "name": "Pia", "side": "heroes"},
        *(
            {"position": [6, y], "stat_block": "wolf", "id": f"wolf-{y}", "name": "Wolf", "side": "foes"}
            for y in range(WOLVES)
        ),
    ],
    "seats": [{"seat": "ann", "creatures": ["pia"]}],
}
MAP: Final[dict[str, Any]] = {
    "format": 0.3,
    "resolution": {"map_origin": {"x": 0, "y": 0}, "map_size": {"x": 8, "y": 8}, "pixels_per_grid": 70},
    "line_of_sight": [
        [{"x": 4, "y": 0}, {"x": 4, "y": 2.62}],
        [{"x": 4, "y": 3.38}, {"x": 4, "y": 8}],
    ],
    "portals": [
        {
            "position": {"x": 2, "y": 3},
            "bounds": [{"x": 2, "y": 2}, {"x": 2, "y": 3}],
            "rotation": 1.57,
            "closed": False,
            "freestanding": False,
        }
    ],
}


@pytest.fixture
def table(running: Service) -> Table:
    return begun(running.owner.open(OPENING))


@pytest.fixture
def address(running: Service, table: Table) -> str:
    return f"{running.station.url}/encounters/{table.encounter}"


def opened(page: Page, tab: str) -> Page:
    page.get_by_role("tab", name=tab).click()
    return page


def test_a_load_asks_for_the_summary_once_and_for_the_log_as_soon_as_it_is_there(
    running: Service, address: str, table: Table, window: Open
) -> None:
    page = window().page
    asked: list[str] = []

    def note(request: Request) -> None:
        asked.append(request.url.partition(table.encounter)[2].partition("?")[0])

    page.on(
        "request",
        lambda request: note(request) if f"/v1/encounters/{table.encounter}" in request.url else None,
    )
    page.goto(f"{address}#key={running.key}")
    expect(page.locator("#panel-act[data-version]")).to_be_attached()
    assert asked.count("") == 1, asked
    assert max(asked.index("/commits"), asked.index("/creatures/changes")) < asked.index("/rounds"), asked


def test_what_was_undone_stands_in_the_log_in_sentences_and_nothing_else_does(
    running: Service, address: str, table: Table, window: Open
) -> None:
    gm = opened(window().visit(address, running.key), "GM")
    redo = gm.locator(".panel-gm").get_by_role("button", name="Redo")
    expect(redo).to_be_disabled()  # nothing was undone
    table.send(SHOVED)
    expect(gm.locator(".log")).to_contain_text("for the bridge")
    before = table.get()["version"]
    table.send_all([{"type": "redo"}], continue_on_refusal=True)  # refused: it does nothing
    expect(gm.locator(f"#panel-act[data-version='{before + 1}']")).to_be_attached()
    gm.locator(".panel-gm").get_by_role("button", name="Undo the last act").click()
    expect(gm.get_by_role("dialog")).to_contain_text("for the bridge")
    gm.get_by_role("button", name="Take it back").click()
    opened(gm, "Log")
    fold = gm.locator(".log .fold")
    expect(fold.locator("summary")).to_have_text(
        re.compile(r"^Taken back: The gm rolls behind the screen, and \d")
    )
    fold.locator("summary").click()
    expect(fold).to_contain_text("for the bridge")
    expect(fold).not_to_contain_text("proposes to take back")
    expect(fold).not_to_contain_text("another line of play")
    opened(gm, "GM")
    expect(redo).to_be_enabled()


def test_a_contest_says_what_is_contested_and_waits_first(
    running: Service, address: str, table: Table, window: Open
) -> None:
    table.send(SHOVED)
    contested = table.get()["version"]
    table.contest(commit=contested, claim="the die fell off")
    gm = opened(window().visit(address, running.key), "Rulings")
    expect(gm.locator(".panel-rulings > .card").first).to_have_attribute("data-contest", "c1")
    expect(gm.locator("[data-contest=c1]")).to_contain_text("for the bridge")
    gm.get_by_role("button", name="Answer").click()
    expect(gm.get_by_label("It was right, and stays")).to_be_focused()
    gm.get_by_label("Go back to before").check()
    gm.get_by_label("The decision").fill("throw again")
    gm.get_by_role("button", name="Rule", exact=True).click()
    expect(gm.locator(".proposal")).to_contain_text("Taken back")
    expect(gm.locator(".proposal")).to_contain_text("for the bridge")


def test_a_fight_that_has_ended_offers_nothing_but_to_keep_it(
    running: Service, address: str, table: Table, window: Open
) -> None:
    gm = opened(window().visit(address, running.key), "GM")
    expect(gm.locator("[data-command]").first).to_be_visible()
    table.close("over")
    expect(gm.locator(".panel-gm")).to_contain_text("Nobody can act in it any more")
    expect(gm.locator("[data-command]")).to_have_count(0)
    expect(gm.locator(".panel-gm").get_by_role("button", name="Export the replay")).to_be_visible()
    expect(gm.get_by_text("Sign my commands")).to_be_hidden()


def test_of_much_that_was_undone_the_rest_is_read_when_somebody_unfolds_it(
    running: Service, address: str, table: Table, window: Open
) -> None:
    before = table.get()["version"]
    table.send_all([SHOVED] * ROLLS)
    table.undo(to=before)
    seen = window()
    read: list[str] = []
    lines = re.compile(r"/commits\?.*\bline=")
    seen.page.on("request", lambda request: read.append(request.url) if lines.search(request.url) else None)
    gm = opened(seen.visit(address, running.key), "Log")
    fold = gm.locator(".log .fold")
    expect(fold.locator("summary")).to_have_text("Taken back: The gm rolls behind the screen, and more")
    assert ["limit=8" in each for each in read] == [True]
    fold.locator("summary").click()
    expect(fold.get_by_text("The gm rolls behind the screen", exact=True)).to_have_count(ROLLS)
    assert len(read) == 2


def test_a_form_says_what_concerns_its_command_in_words_without_marks(
    running: Service, address: str, table: Table, window: Open
) -> None:
    ann = window().visit(address, table.issue_token("ann")["token"])
    ann.get_by_role("button", name="Handle the …", exact=True).click()
    note = ann.locator(".act-form .note")
    expect(note).to_have_text("What is handled, in a few words.")


def test_creatures_of_one_name_pass_in_one_request_and_have_one_name_everywhere(
    running: Service, address: str, table: Table, window: Open
) -> None:
    gm = window().visit(address, running.key)
    expect(gm.get_by_label("Show what concerns").locator("option")).to_have_text(
        ["Everything", "Pia", "Wolf 1", "Wolf 2", "Wolf 3"]
    )
    table.with_token(table.issue_token("ann")["token"]).send({"type": "pass", "creature": "pia"})
    sent: list[Any] = []
    gm.on(
        "request",
        lambda request: (
            sent.append(json.loads(request.post_data or "")) if request.method == "POST" else None
        ),
    )
    gm.locator(".pass-all").click()
    expect(gm.locator("#panel-act .said")).to_have_text(f"Done: Pass, for all {WOLVES}.")
    expect(gm.locator("#panel-log")).to_contain_text("Wolf 2 passes")
    expect(gm.locator("[data-creature=wolf-1] .letters")).to_have_text("W2")
    expect(gm.locator("[data-creature=wolf-1]")).to_have_attribute(
        "aria-label", re.compile(r"^Wolf 2 \(W2\)")
    )
    assert [[each["creature"] for each in commands] for commands in sent] == [["wolf-0", "wolf-1", "wolf-2"]]


def test_a_map_says_of_what_its_notes_are_and_says_each_once(
    running: Service, window: Open, tmp_path: Path
) -> None:
    page = window().visit(f"{running.station.url}/new", running.key)
    page.get_by_role("button", name=re.compile("^Heart Rush")).click()
    page.get_by_label("How many").fill("2")
    page.get_by_role("button", name="Add Wolf").click()
    for field in page.get_by_label(re.compile("^Name of Wolf")).all():
        field.fill("Wolf")
    page.get_by_role("button", name="Next: Map").click()
    file = tmp_path / "door.uvtt"
    file.write_text(json.dumps(MAP), "utf-8")
    page.locator(".drop-here input").set_input_files(file)
    said = page.locator(".foot")
    expect(said).to_contain_text("door.uvtt is on the map.")
    expect(said).to_contain_text("Walls: moved by 0.38 cells to the nearest edges (2 times).")
    expect(said).to_contain_text("Doors and windows: not closed")
    expect(said).not_to_contain_text("--")
    page.get_by_role("button", name="Next: Seats").click()
    page.get_by_role("button", name="Add a player").click()
    expect(page.locator(".tick-box")).to_have_text(["Wolf 1", "Wolf 2"])
