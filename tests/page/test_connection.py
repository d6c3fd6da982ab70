"""A page that loses its connection says so, comes back by itself, and misses nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from rewound_client import Table
from tests.cli.fights import Service, closed, played, served
from tests.page.browser import Window
from tests.page.conftest import Open
from tests.page.wire import wire

pytestmark = pytest.mark.slow  # a browser and a service start, which the tests of this folder share

LOST = "Connection lost, trying again"


def end(opened: Window) -> None:
    """Close *opened*, and forgive what the browser reports about connections that fail."""
    opened.page.context.close()
    network = ("net::ERR_", "503 (", "502 (")
    assert [fault for fault in opened.faults if not any(each in fault for each in network)] == []
    opened.faults.clear()


def shown(page: Page) -> list[tuple[int, str]]:
    """Return the number and the text of each entry of the log."""
    return [
        (int(each.get_attribute("data-n") or 0), each.inner_text().split("\n")[-1])
        for each in page.locator(".log > li.entry").all()
    ]


def all_of(table: Table) -> list[int]:
    return [int(each["n"]) for each in table.commits()]


def test_a_cut_stream_is_said_and_what_came_meanwhile_is_shown(running: Service, window: Open) -> None:
    gm = played(running, "s002", seeded=True).gm
    with wire(running.settings.port) as cable:
        opened = window()
        page = opened.visit(f"{cable.url}/encounters/{gm.encounter}", running.key)
        live = page.get_by_role("button", name="● Live")
        expect(live).to_be_visible()
        expect(page.locator("#lost")).to_have_text("")
        expect(page.locator(".log > li.entry")).to_have_count(
            len(all_of(gm))
        )  # live is said before all is read
        cable.cut()
        expect(page.locator("#lost")).to_have_text(LOST)
        expect(page.get_by_role("button", name="Not live")).to_be_visible()
        gm.send({"type": "end_combat"})
        gm.open_seat("late", "observer")
        missed = all_of(gm)
        assert [n for n, _ in shown(page)] == missed[:-2], "the page cannot know them yet"
        cable.mend()
        expect(page.locator("#lost")).to_have_text("")
        expect(live).to_be_visible()
        expect(page.locator(".count")).to_have_text(f"{missed[-1]} / {missed[-1]}")
        assert [n for n, _ in shown(page)] == missed
        gm.open_seat("later", "observer")
        expect(page.locator(".log")).to_contain_text("The seat later is opened")
        end(opened)


def test_an_undo_that_happens_meanwhile_is_where_the_page_comes_back_to(
    running: Service, window: Open
) -> None:
    gm = played(running, "s002", seeded=True).gm
    version = gm.get()["version"]
    with wire(running.settings.port) as cable:
        opened = window()
        page = opened.visit(f"{cable.url}/encounters/{gm.encounter}", running.key)
        expect(page.get_by_role("button", name="● Live")).to_be_visible()
        cable.cut()
        expect(page.locator("#lost")).to_have_text(LOST)
        gm.undo(to=version - 3)
        cable.mend()
        expect(page.locator(".log")).to_contain_text("Play goes on from commit")
        expect(page.locator(".count")).to_have_text(f"{len(all_of(gm))} / {len(all_of(gm))}")
        end(opened)


@pytest.fixture
def restarting(tmp_path: Path) -> Iterator[Service]:
    """Give a service of its own: the other tests share theirs, which must not stop."""
    with served(tmp_path) as found:
        yield found


@pytest.mark.overnight
def test_a_restart_under_an_open_page_loses_nothing(restarting: Service, window: Open) -> None:
    table: Any = played(restarting, "s002", seeded=True)
    gm = table.gm
    opened = window()
    page = opened.visit(f"{restarting.station.url}/encounters/{gm.encounter}", restarting.key)
    expect(page.get_by_role("button", name="● Live")).to_be_visible()
    last = len(all_of(gm))
    expect(page.locator(f'.log > li.entry[data-n="{last}"]')).to_be_visible()
    before = shown(page)
    page.evaluate("window.isTheSame = true")
    with restarting.stopped():
        expect(page.locator("#lost")).to_have_text(LOST)
        assert shown(page) == before
    expect(page.locator("#lost")).to_have_text("")
    closed(table)
    expect(page.get_by_role("button", name="End")).to_be_visible()
    assert [n for n, _ in shown(page)] == all_of(gm)
    assert page.evaluate("window.isTheSame"), "it has not loaded itself again"
    end(opened)
