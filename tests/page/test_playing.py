"""Contest, rule and play in a browser: whole fights of each ruleset, by clicking and by nothing else."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from rewound_client import Table
from tests.cli.fights import Service, begun, played
from tests.page.conftest import Open
from tests.page.players import ClickingTable, points

pytestmark = pytest.mark.slow  # a browser and a service start, which the tests of this folder share

EXAMPLES: Final = Path(__file__).parents[2] / "examples"
TYPED_WRONG: Final = 7
"""The commit of the contested fight in which the gm typed another stance than was announced."""


def test_a_game_master_who_only_clicks_looks_rules_shares_and_proves(
    running: Service, window: Open, tmp_path: Path
) -> None:
    """From the list of encounters to a file that a stranger drops at `/verify`."""
    table = played(running, "s002", seeded=False)
    at, last = f"{running.station.url}/encounters/{table.encounter}", table.gm.get()["version"]
    hurt = next(n for n in range(2, last) if points(table, n) != points(table, n - 1))
    before, after = points(table, hurt - 1), points(table, last)

    gm = window(accept_downloads=True).visit(f"{running.station.url}/", running.key)
    gm.locator(f"a[href='/encounters/{table.encounter}']").click()
    gm.locator("[data-creature=pia]").click()
    gm.get_by_label(f"Pia: {after} of 40 hit points. Why?").click()
    entry = gm.locator(f"li[data-n='{hurt}']")
    expect(entry).to_have_attribute("aria-current", "true")
    expect(entry.locator(".why .answer")).to_contain_text("Pia")

    player = window().visit(at, table.gm.issue_token("zoe")["token"])
    player.get_by_label(f"Contest commit {hurt}").click()
    player.get_by_label(f"What is wrong with commit {hurt}?").fill("the shield was up")
    player.get_by_role("button", name="Contest it").click()
    expect(player.get_by_role("status").filter(has_text="Contested as c1")).to_be_visible()

    gm.get_by_role("tab", name="Rulings").click()
    expect(gm.locator("[data-contest=c1]")).to_contain_text("zoe contests #")
    gm.get_by_role("button", name="Answer").click()
    gm.get_by_label("Go back to before").check()
    gm.get_by_label("The decision").fill("it was")
    gm.get_by_role("button", name="Rule", exact=True).click()
    proposal = gm.locator(".proposal")
    expect(proposal).to_contain_text(f"Pia: {after} → {before} hit points")
    expect(gm.locator("[data-ghost=pia]")).to_contain_text(f"{after} → {before}")
    assert points(table, last) == after, "nothing has changed yet"
    gm.get_by_role("button", name="Accept").click()
    expect(gm.locator("[data-creature=pia]")).to_have_attribute(
        "aria-label", re.compile(rf"\b{before} of 40")
    )
    expect(player.locator(".log .fold")).to_contain_text("Taken back: ")
    player.get_by_role("tab", name="Rulings").click()
    expect(player.locator("[data-contest=c1]")).to_contain_text("undone: play went back to before it")

    gm.get_by_role("button", name=re.compile(f"^After #{hurt - 1}: .* undone$")).click()
    expect(gm.locator(".banner")).to_contain_text("another line of play")
    expect(gm.locator(".count")).to_contain_text(f"{hurt} / ")
    gm.get_by_role("button", name=re.compile(f"^From #{hurt - 1}: the line that is played")).click()
    expect(gm.locator(".banner")).to_have_count(0)

    hand_the_link(gm, window)
    prove(gm, f"the-orc-and-the-hound-{table.encounter[:8]}.jsonl", tmp_path / "proof.jsonl", window)


def hand_the_link(gm: Page, window: Open) -> None:
    """Make a link for zoe, and open it on a phone."""
    gm.get_by_role("tab", name="Share").click()
    gm.locator("[data-seat=zoe]").get_by_role("button", name="Link", exact=True).click()
    phone = window(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    phone.visit(gm.get_by_label("Link for zoe").input_value())
    expect(phone.page.locator("#status")).to_contain_text("seen as zoe")
    expect(phone.page.get_by_role("tab", name="Act")).to_be_visible()


def prove(gm: Page, name: str, proof: Path, window: Open) -> None:
    """Verify the fight, download its proof, and drop it at `/verify` as a stranger does."""
    at = urlsplit(gm.url)
    gm.get_by_role("tab", name="Proof").click()
    gm.get_by_role("button", name="Verify it here").click()
    expect(gm.locator(".mark-proof")).to_have_text("✓ Proved")
    with gm.expect_download() as download:
        gm.get_by_role("button", name="Download the proof").click()
    assert download.value.suggested_filename == name
    download.value.save_as(proof)
    stranger = window().visit(f"{at.scheme}://{at.netloc}/verify")
    stranger.evaluate(DROPPED, proof.read_text("utf-8"))
    expect(stranger.locator("#verdict")).to_contain_text("Nothing is wrong with this file")
    expect(stranger.locator(".record > li").first).to_be_visible()


DROPPED: Final = """
(text) => {
  const carried = new DataTransfer();
  carried.items.add(new File([text], "proof.jsonl"));
  document.dispatchEvent(new DragEvent("drop", { dataTransfer: carried, bubbles: true, cancelable: true }));
}
"""
"""Drops a file with this text on the page."""


def test_a_ruling_decides_again_and_leads_by_clicking_to_a_certificate(
    running: Service, window: Open, tmp_path: Path
) -> None:
    table = running.owner.open(json.loads((EXAMPLES / "contested-ruling" / "fight.json").read_text("utf-8")))
    at = f"{running.station.url}/encounters/{table.encounter}"
    ann = table.with_token(table.issue_token("ann")["token"])
    begun(table)
    ann.send({"type": "engage", "creature": "pia", "target": "orc"})
    stance = {"type": "choose_stance", "prompt": "r1/e1/stance/pia", "creature": "pia", "stance": "might"}
    ann.send(stance)
    table.send(stance | {"prompt": "r1/e1/stance/orc", "creature": "orc", "stance": "cunning"})
    ann.send({"type": "declare_attack", "creature": "pia", "prompt": "r1/e1/might/pia", "target": "orc"})
    ann.contest(commit=TYPED_WRONG, claim="you announced might for the orc")

    gm = window().visit(at, running.key)
    expect(gm.locator(".act-list")).to_contain_text("a seat that you close there is yours to play")
    gm.get_by_role("tab", name="Rulings").click()
    gm.get_by_role("button", name="Answer").click()
    gm.get_by_label("Decide it again from there").check()
    gm.get_by_label("In its place").select_option(label="Orc: Choose a stance: …")
    gm.locator(".instead").get_by_role("button", name="might", exact=True).click()
    gm.get_by_label("The decision").fill("might it was")
    gm.get_by_role("button", name="Rule", exact=True).click()
    proposal = gm.locator(".proposal")
    expect(proposal).to_contain_text("gm: choose stance")
    expect(proposal).to_contain_text("Nothing has changed yet")
    expect(gm.locator("#timeline")).to_contain_text(re.compile(r"proposed, as the gm ruled, \d+ commits?"))
    gm.get_by_role("button", name="Accept").click()
    expect(gm.locator(".log")).to_contain_text("Play goes on from commit")
    player = window().visit(at, table.issue_token("ann")["token"])
    player.get_by_role("tab", name="Rulings").click()
    outcome = player.locator("[data-contest=c1]")
    expect(outcome).to_contain_text("decided again")
    expect(outcome).to_contain_text("The gm: might it was")
    expect(outcome).not_to_contain_text("Play goes on")
    gm.get_by_role("tab", name="Proof").click()
    gm.get_by_role("button", name="Have it audited").click()
    expect(gm.locator("#panel-proof")).to_contain_text("The audit says valid")
    with gm.expect_download() as download:
        gm.get_by_role("button", name="Download the certificate").click()
    download.value.save_as(tmp_path / "certificate.json")
    certificate = json.loads((tmp_path / "certificate.json").read_text("utf-8"))
    summary = table.get()
    assert (certificate["log"]["size"], certificate["log"]["head"]) == (summary["version"], summary["hash"])
    line = next(each["event"] for each in certificate["decisions"] if each["kind"] == "line")
    assert line["origin"]["kind"] == "as_ruled"
    assert certificate["signature"]["value"]


@pytest.mark.parametrize("book", ["heartrush@1", "rise@1"])
def test_players_and_a_gm_play_a_whole_fight_in_a_window_each(
    running: Service, window: Open, book: str
) -> None:
    """In Heart Rush the seats seal their stances themselves."""
    table = running.owner.open({"edition": book, "title": "By hand", **OPENINGS[book]})
    players = [seat["seat"] for seat in OPENINGS[book]["seats"]]
    keys = {"gm": running.key, **{seat: table.issue_token(seat)["token"] for seat in players}}
    clicking = clicked_through(running, table, window, keys, {"ann": "The knight"})
    assert table.get()["winner"] == "heroes"
    opened = [line for line in clicking.clicked if line.endswith(" open_choice")]
    assert bool(opened) is (book == "heartrush@1")
    assert {line.split(" ")[0] for line in clicking.clicked} == set(keys)


def test_a_duel_of_another_package_is_played_in_two_windows(running: Service, window: Open) -> None:
    table = running.owner.open(json.loads((EXAMPLES / "duel" / "duel.json").read_text("utf-8")))
    keys = {seat: table.issue_token(seat)["token"] for seat in ("ann", "bo")}
    clicking = clicked_through(running, table, window, keys, {"ann": "thrust", "bo": "cut"})
    assert table.get()["winner"] in keys
    assert {line.split(" ")[0] for line in clicking.clicked} == set(keys)


def clicked_through(
    running: Service, table: Table, window: Open, keys: dict[str, str], likes: dict[str, str] | None = None
) -> ClickingTable:
    """Play the fight of *table* to its end, each seat in a window of its own; no click is refused."""
    at = f"{running.station.url}/encounters/{table.encounter}"
    clicking = ClickingTable({seat: window().visit(at, key) for seat, key in keys.items()}, likes or {})
    clicking.play(80)
    commits = [json.loads(each["commit"]) for each in table.commits()]
    assert all(commit["outcome"] != "refused" for commit in commits)
    return clicking


SABER: dict[str, Any] = {"id": "saber", "strike": {"dice": [8], "flat": 9}}
OPENINGS: dict[str, dict[str, Any]] = {
    "heartrush@1": {
        "sides": ["heroes", "foes"],
        "player_side": "heroes",
        "declared_sides": ["heroes"],
        "options": {"sealed_by": "seat"},
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
            {
                "position": [0, 1],
                "sheet": {"id": "ash", "name": "Ash", "side": "heroes", "kind": "pc", "might": 8},
            },
            {"position": [1, 0], "sheet": {"id": "orc", "name": "Orc", "side": "foes", "hp_max": 1}},
        ],
        "seats": [
            {"seat": "ann", "role": "player", "creatures": ["pia"]},
            {"seat": "ben", "role": "player", "creatures": ["ash"]},
        ],
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
                "position": [0, 1],
                "sheet": {"id": "tor", "name": "Tor", "side": "heroes", "kind": "pc", "hp_max": 12},
            },
            {
                "position": [1, 0],
                "sheet": {"id": "knight", "name": "The knight", "side": "iron", "hp_max": 1},
            },
        ],
        "seats": [
            {"seat": "ann", "role": "player", "creatures": ["mira"]},
            {"seat": "ben", "role": "player", "creatures": ["tor"]},
        ],
    },
}
