"""What a person reads who acts: what is asked, what was done, what passes, and what a proof proves."""

from __future__ import annotations

import re
from typing import Any, Final

import pytest
from playwright.sync_api import Page, expect

from rewound_client import Table
from tests.cli.fights import Service, begun
from tests.page.conftest import Open
from tests.page.test_table import BESIDE, PHONE

pytestmark = pytest.mark.slow  # a browser and a service start, which the tests of this folder share

THREE: Final[dict[str, Any]] = {
    **BESIDE,
    "creatures": [
        *BESIDE["creatures"],
        {**BESIDE["creatures"][2], "id": "gab", "position": [6, 0]},
        {**BESIDE["creatures"][2], "id": "gub", "position": [6, 2]},
    ],
}
"""Three goblins, one of them beside Pia."""


def fighting(running: Service, opening: dict[str, Any]) -> Table:
    table = running.owner.open(opening)
    begun(table)
    return table


def visited(running: Service, table: Table, page: Any, seat: str | None = None) -> Page:
    key = running.key if seat is None else table.issue_token(seat)["token"]
    found: Page = page.visit(f"{running.station.url}/encounters/{table.encounter}", key)
    expect(found.locator("#panel-act[data-version]")).to_be_attached()
    return found


def engaged(table: Table, stance: str) -> None:
    """Have Pia and the goblin engage each other, she in a stance."""
    table.sit("ann").send({"type": "engage", "creature": "pia", "target": "gob"})
    for creature, chosen in (("pia", stance), ("gob", "might")):
        prompt = next(each for each in table.get()["waiting"] if each["creature"] == creature)
        seat = table.sit("ann") if creature == "pia" else table
        seat.send(
            {"type": "choose_stance", "creature": creature, "prompt": prompt["prompt"], "stance": chosen}
        )


def test_a_phone_says_above_the_acts_what_happened_and_how_much_damage_is_taken_from_whom(
    running: Service, window: Open
) -> None:
    table = fighting(running, BESIDE)
    ann = visited(running, table, window(**PHONE), "ann")
    hurt = {"kind": "damage", "creature": "pia", "amount": 7, "cause": "ruling"}
    table.send({"type": "gm_ruling", "kind": "effect", "decision": "a stone falls", "effects": [hurt]})
    expect(ann.locator("[data-type=accept_damage]")).to_have_text("Take all 7 damage (ruling)")
    expect(ann.locator("[data-type=shrug]")).to_have_text(
        "Shrug it off: take 4 of 7 damage (ruling), and a smaller heart die"
    )
    recent = ann.locator("#panel-act .recent")
    expect(recent).to_contain_text("Pia is about to take 7")
    above = recent.evaluate("node => node.getBoundingClientRect().bottom")
    asked = ann.locator("[data-type=accept_damage]").evaluate("node => node.getBoundingClientRect().top")
    assert above <= asked
    wide = visited(running, table, window())
    expect(wide.locator("#acts .recent")).to_be_hidden()


def test_what_was_sent_is_said_as_its_offer_says_it(running: Service, window: Open) -> None:
    table = fighting(running, BESIDE)
    ann = visited(running, table, window(), "ann")
    ann.locator("[data-type=engage]").click()
    expect(ann.locator("#panel-act .said")).to_have_text("Done: Engage Goblin.")
    ann.locator("[data-type=choose_stance]", has_text="might").click()
    expect(ann.locator("#panel-act .said")).to_have_text("Done: Choose a stance: might.")


def test_a_selected_creature_leaves_a_way_back_that_is_seen(running: Service, window: Open) -> None:
    table = fighting(running, BESIDE)
    ann = visited(running, table, window(), "ann")
    every = ann.locator("#panel-act [data-type]")
    expect(ann.locator("[data-type=pass]")).to_be_visible()
    many = every.count()
    ann.locator("[data-creature=gob]").click()
    expect(ann.locator("[data-type=pass]")).to_have_count(0)
    ann.get_by_role("button", name="Show everything").click()
    expect(every).to_have_count(many)
    expect(ann.get_by_role("button", name="Show everything")).to_have_count(0)


def test_one_click_passes_and_one_passes_for_all_creatures_of_a_seat(running: Service, window: Open) -> None:
    table = fighting(running, THREE)
    ben = table.sit("ben")
    gm = visited(running, table, window())
    page = visited(running, table, window(**PHONE), "ann")
    head = page.locator(".option h3 [data-type=pass]")
    expect(head).to_have_text("Pass")
    head.click()
    expect(page.locator("#panel-act .said")).to_have_text("Done: Pass.")
    ben.send({"type": "pass", "creature": "ash"})
    expect(gm.locator(".option h3 [data-type=pass]")).to_have_count(3)
    gm.get_by_role("button", name="Pass: all 3").click()
    expect(gm.locator("#panel-act .said")).to_have_text("Done: Pass, for all 3.")
    assert {each["creature"] for each in table.get()["waiting"]} == {"pia", "ash"}


def test_a_form_to_attack_begins_with_its_only_target_or_with_none_that_can_be_sent(
    running: Service, window: Open
) -> None:
    table = fighting(running, BESIDE)
    engaged(table, "agility")
    ann = visited(running, table, window(), "ann")
    ann.locator("[data-type=declare_agility]", has_text="…").first.click()
    form = ann.locator(".act-form")
    target = form.get_by_role("group", name="target")
    expect(target.get_by_role("button", name="Goblin")).to_have_attribute("aria-pressed", "true")
    expect(target.get_by_role("button", name="none")).to_have_attribute("aria-pressed", "false")


def test_a_proof_says_in_plain_words_what_was_checked_and_what_it_proves(
    running: Service, window: Open
) -> None:
    table = fighting(running, BESIDE)
    gm = visited(running, table, window())
    gm.get_by_role("tab", name="Proof").click()
    gm.get_by_role("button", name="Verify it here").click()
    panel = gm.locator("#panel-proof")
    expect(panel).to_contain_text("Nothing is wrong with this record. Your browser has checked:")
    expect(panel).to_contain_text(re.compile(r"All \d+ commits follow from one another"))
    expect(panel).to_contain_text("So nobody, the host included, has changed this fight")
    expect(panel).to_contain_text("Whether the rules were applied rightly was not checked here")
    expect(panel.get_by_text("root", exact=True)).to_be_hidden()


def test_that_links_reach_no_phone_is_said_before_they_are_made(running: Service, window: Open) -> None:
    table = fighting(running, BESIDE)
    gm = visited(running, table, window(**PHONE))
    gm.get_by_role("tab", name="Share").click()
    note, first = (
        gm.locator("#panel-share .reach"),
        gm.locator("#panel-share select").first,
    )
    expect(note).to_contain_text("Links from here work on this computer alone")
    top = "node => node.getBoundingClientRect().top"
    assert note.evaluate(top) < first.evaluate(top)


def test_a_player_answers_in_advance_and_asks_the_gm_at_any_time(running: Service, window: Open) -> None:
    table = fighting(running, BESIDE)
    ann = visited(running, table, window(**PHONE), "ann")
    ann.locator("#panel-act summary", has_text="At any time").click()
    expect(ann.locator("[data-any=ask_ruling]")).to_be_visible()
    ann.locator("[data-any=set_standing]").click()
    form = ann.locator(".act-form")
    form.get_by_role("group", name="windows").get_by_role("button", name="pass", exact=True).click()
    form.get_by_role("button", name="Send").click()
    expect(ann.locator("#panel-act .said")).to_contain_text("Done: Answer for a seat in advance")
    expect(ann.locator("#panel-act .recent")).to_contain_text("Pia answers in advance")
