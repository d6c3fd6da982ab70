"""A player signs by clicking: the page makes the key, keeps it, and signs everything from then on."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from rewound_client import SeatKey, Table
from service.audit import bundle
from service.record.commit import load_request
from service.record.statements import is_signed_by
from tests.cli.fights import Service, begun
from tests.page.conftest import Open
from tests.support.javascript_verifier import Case, judged

pytestmark = pytest.mark.slow  # a browser and a service start

DUEL = {
    "edition": "heartrush@1",
    "title": "Signed by clicking",
    "sides": ["heroes", "foes"],
    "player_side": "heroes",
    "creatures": [
        {
            "position": [0, 0],
            "sheet": {"id": "pia", "name": "Pia", "side": "heroes", "kind": "pc", "might": 8},
        },
        {
            "position": [9, 0],
            "sheet": {"id": "orc", "name": "Orc", "side": "foes", "hp_max": 35, "might": 10},
        },
    ],
    "seats": [{"seat": "ann", "role": "player", "creatures": ["pia"]}],
}


@pytest.fixture
def table(running: Service) -> Table:
    return begun(running.owner.open(DUEL))


def contest(page: Page, n: int, claim: str) -> None:
    """Contest commit *n* by clicking."""
    page.get_by_role("tab", name="Log").click()
    page.get_by_label(f"Contest commit {n}").click()
    page.get_by_label(f"What is wrong with commit {n}?").fill(claim)
    page.get_by_role("button", name="Contest it").click()
    expect(page.get_by_role("status").filter(has_text="Contested as")).to_be_visible()


def test_a_player_signs_by_clicking_and_both_verifiers_agree(
    running: Service, table: Table, window: Open
) -> None:
    at = f"{running.station.url}/encounters/{table.encounter}"
    token = table.issue_token("ann")["token"]
    page = window().visit(at, token)
    page.get_by_text("Sign my commands").click()
    page.get_by_role("button", name="Make a key and sign").click()
    expect(page.locator(".signing")).to_contain_text("Every command of this seat is signed by the key")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the key").click()
    assert download.value.suggested_filename == "ann.key"
    key = SeatKey.kept_in(download.value.path())

    contest(page, 2, "before the page was loaded again")
    page.reload()
    contest(page, 3, "after it")

    assert table.seat("ann")["key"] == key.public
    requests = [load_request(each) for each in bundle.read(table.bundle()).requests if each]
    said = [each for each in requests if each.actor.seat == "ann" and each.type == "contest"]
    assert [is_signed_by(each, key.public) for each in said] == [True, True]
    assert judged([Case(table.bundle())]) == ["valid_unsigned_without_rules"]


def test_a_window_without_the_key_is_refused_until_it_has_it_or_the_gm_removes_it(
    running: Service, table: Table, window: Open, tmp_path: Path
) -> None:
    at = f"{running.station.url}/encounters/{table.encounter}"
    key = SeatKey.make()
    table.sit("ann").signing("ann", key)
    opened = window()
    page = opened.visit(at, table.issue_token("ann")["token"])
    opened.expect_fault("409")
    page.get_by_label("Contest commit 2").click()
    page.get_by_label("What is wrong with commit 2?").fill("not signed")
    page.get_by_role("button", name="Contest it").click()
    expect(page.get_by_text("ann has a key, and the command is not signed by it")).to_be_visible()
    page.get_by_text("Sign my commands").click()
    expect(page.locator(".signing")).to_contain_text("this browser does not have it")
    file = tmp_path / "ann.key"
    file.write_text(f"{'0' * 64}\n", "ascii")
    page.get_by_label("The file with its key").set_input_files(file)
    expect(page.locator(".signing")).to_contain_text("That is not the key of this seat.")
    file.write_text(f"{key.secret.hex()}\n", "ascii")
    page.get_by_label("The file with its key").set_input_files(file)
    expect(page.locator(".signing")).to_contain_text("Every command of this seat is signed by the key")
    contest(page, 2, "signed")

    gm = window().visit(at, running.key)
    gm.get_by_role("tab", name="Share").click()
    gm.locator("[data-seat=ann]").get_by_role("button", name="Remove its key").click()
    gm.get_by_role("button", name="Remove it", exact=True).click()
    expect(gm.get_by_text(re.compile("ann has no key any more"))).to_be_visible()
    assert table.seat("ann")["key"] is None
