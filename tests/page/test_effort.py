"""What a page does for one step and for one load, in counts: a busy machine changes none of them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Final

import pytest
from playwright.sync_api import Page, expect

from tests.bench.page import long_fight
from tests.cli.fights import Service, begun
from tests.page.conftest import Open
from tests.page.test_table import OPENING

pytestmark = pytest.mark.slow  # a browser and a service start, which the tests of this folder share

PAIRS: Final = 6
COMMITS: Final = 60
FAR: Final = 7
"""Commits of a step, as somebody who drags the timeline takes them."""
MOST_BYTES: Final = 120_000
QUIET_MS: Final = 1_000
MOST_WAITS: Final = 30
NOT_MODIFIED: Final = 304
REMOVED: Final = ""
"""The place of a node that was taken out of the page."""
COUNTED: Final = """
() => {
  const counts = {made: 0, asked: 0, records: []};
  const [node, box, page] = [Element.prototype, HTMLElement.prototype, Document.prototype];
  const count = (owner, name, what) => {
    const done = owner[name];
    owner[name] = function (...given) { counts[what] += 1; return done.apply(this, given); };
  };
  for (const name of ["createElement", "createElementNS", "createTextNode"]) count(page, name, "made");
  for (const name of ["getBoundingClientRect", "scrollIntoView"]) count(node, name, "asked");
  count(SVGGraphicsElement.prototype, "getScreenCTM", "asked");
  const sizes = [[box, "offsetHeight"], [box, "offsetWidth"], [node, "clientHeight"], [node, "scrollTop"]];
  for (const [owner, name] of sizes) {
    const {get, set} = Object.getOwnPropertyDescriptor(owner, name);
    const asked = function () { counts.asked += 1; return get.call(this); };
    Object.defineProperty(owner, name, {get: asked, set, configurable: true});
  }
  window.counts = counts;
  window.watching = new MutationObserver((seen) => counts.records.push(...seen));
}
"""
"""Has a page count the nodes that it makes, and how often it asks where something is."""
STEPPED: Final = """
async (n) => {
  const slider = document.querySelector("#timeline input");
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const tokens = () => [...document.querySelectorAll("[data-creature]")];
  const looks = () => new Map(tokens().map((each) => [each.dataset.creature, each.outerHTML]));
  const rows = () => [...document.querySelectorAll(".roster li")];
  const [before, listed] = [looks(), rows().map((each) => each.innerHTML)];
  const later = window.setTimeout;
  window.setTimeout = () => 0; // nobody rests between two steps
  Object.assign(counts, {made: 0, asked: 0, records: []});
  const what = {attributes: true, attributeOldValue: true, childList: true, characterData: true};
  watching.observe(document, {...what, subtree: true});
  slider.value = String(n);
  slider.dispatchEvent(new Event("input"));
  await frame();
  await frame();
  counts.records.push(...watching.takeRecords());
  watching.disconnect();
  window.setTimeout = later;
  const changed = tokens().filter((each) => before.get(each.dataset.creature) !== each.outerHTML);
  const size = (node) => [...node.childNodes].reduce((sum, each) => sum + size(each), 1);
  const redrawn = rows().filter((each, i) => each.innerHTML !== listed[i]).map(size);
  const same = counts.records.filter(({type, target, attributeName, oldValue}) =>
    type === "attributes" && target.getAttribute(attributeName) === oldValue);
  const parts = "[role=tabpanel], [role=group][id], section, header";
  const place = ({target}) => (target.closest ? target : target.parentElement)?.closest(parts)?.id ?? "";
  const at = Object.groupBy(counts.records, place);
  const {made, asked} = counts;
  return {made, asked, changed: changed.length, redrawn: redrawn.reduce((a, b) => a + b, 0),
    same: same.map(({target, attributeName}) => `${target.nodeName} ${attributeName}`),
    places: Object.fromEntries(Object.entries(at).map(([name, found]) => [name, found.length]))};
}
"""
"""Goes to a commit, and returns what the page has made, asked and written until the next frame but one.

`changed` counts creatures by their look on the map, and `redrawn` the nodes of their rows in the list that
show something else than before: a node beyond them is made for nothing.
"""


def scrubbed(page: Page, steps: int = 6) -> list[dict[str, Any]]:
    """Take *steps* back from the newest commit, and return what each of them took."""
    last = int(page.locator("#timeline input").get_attribute("max") or 0)
    page.evaluate(STEPPED, last)
    return [page.evaluate(STEPPED, last - FAR * step) for step in range(1, steps + 1)]


@pytest.fixture(scope="module")
def crowded(running: Service) -> str:
    return long_fight(running, PAIRS, COMMITS)


def read(page: Page) -> None:
    """Wait until the record is read: a step that has to wait for it is another one."""
    expect(page.locator(".entry[aria-current]")).to_be_attached()
    expect(page.locator("#panel-act[data-version]")).to_be_attached()
    expect(page.locator("#timeline output")).to_have_text(re.compile(r"^\d+ / \d+$"))


def test_a_step_of_scrubbing_writes_what_has_changed_and_nothing_else(crowded: str, window: Open) -> None:
    page = window(viewport={"width": 390, "height": 844}).visit(crowded)
    read(page)
    page.evaluate(COUNTED)
    names = [str(tab.get_attribute("aria-controls")) for tab in page.get_by_role("tab").all()]
    assert len(names) > 5
    assert "panel-creatures" in names
    for name in names:
        page.locator(f"[aria-controls={name}]").click()
        page.wait_for_timeout(QUIET_MS)
        steps = scrubbed(page)
        assert any(each["changed"] for each in steps), "the map follows"
        for each in steps:
            most = each["redrawn"] if name == "panel-creatures" else 0
            assert each["made"] <= most, (name, each)
            assert each["asked"] == 0, (name, each)
            assert each["same"] == [], (name, each)
            places = set(each["places"]) - {REMOVED}
            assert places <= {"stage", "timeline", "panel-rulings", name}, (name, each)
            assert each["places"].get("panel-rulings", 0) <= 1, (name, each)
            assert each["places"]["timeline"] <= 5, (name, each)


@dataclass
class Loading:
    """What a page has received: the addresses, and the bytes with their headers."""

    addresses: dict[str, str] = field(default_factory=dict)
    statuses: dict[str, int] = field(default_factory=dict)
    sizes: dict[str, float] = field(default_factory=dict)

    @classmethod
    def noted(cls, page: Page) -> Loading:
        """Note what *page* receives from now on."""
        session = page.context.new_cdp_session(page)
        loading = cls()
        session.send("Network.enable")
        session.on(
            "Network.requestWillBeSent",
            lambda event: loading.addresses.update({event["requestId"]: event["request"]["url"]}),
        )
        session.on(
            "Network.responseReceivedExtraInfo",
            lambda event: loading.statuses.update({event["requestId"]: event["statusCode"]}),
        )
        session.on(
            "Network.loadingFinished",
            lambda event: loading.sizes.update({event["requestId"]: event["encodedDataLength"]}),
        )
        return loading

    def bodies(self) -> list[str]:
        """Return the address of every answer that was sent with its body."""
        return [
            self.addresses[request]
            for request, size in self.sizes.items()
            if size and self.statuses[request] != NOT_MODIFIED
        ]

    def rest(self, page: Page) -> None:
        """Wait until nothing has come for a second: what comes late counts too."""
        for _ in range(MOST_WAITS):
            before = len(self.sizes)
            page.wait_for_timeout(QUIET_MS)
            if len(self.sizes) == before:
                return
        pytest.fail("the page does not come to rest")


@pytest.mark.parametrize("fight", ["long", "with offers"])
def test_a_load_reads_everything_once_and_nothing_that_nobody_asked_for(
    running: Service, crowded: str, window: Open, fight: str
) -> None:
    table = begun(running.owner.open(OPENING))
    ann = table.issue_token("ann")["token"]
    address = crowded if fight == "long" else f"{running.station.url}/encounters/{table.encounter}#key={ann}"
    page = window(viewport={"width": 390, "height": 844})
    loading = Loading.noted(page.page)
    page.visit(address)
    read(page.page)
    loading.rest(page.page)
    bodies = loading.bodies()
    assert sorted(set(bodies)) == sorted(bodies), "each of them once"
    assert not [each for each in bodies if each.endswith("/commands")], "it is half a load, and for forms"
    total = sum(loading.sizes.values())
    assert 60_000 < total <= MOST_BYTES, total


def test_what_a_command_is_comes_when_somebody_reaches_for_it(running: Service, window: Open) -> None:
    table = begun(running.owner.open(OPENING))
    page = window(viewport={"width": 1280, "height": 800}).visit(
        f"{running.station.url}/encounters/{table.encounter}", table.issue_token("ann")["token"]
    )
    offer = page.locator("#panel-act [data-type]").first
    expect(offer).to_be_visible()
    expect(offer).not_to_have_attribute("title", re.compile("."))
    offer.hover()
    expect(page.locator("#panel-act [data-type][title]").first).to_be_attached()


WIDTHS: Final = ((320, 640), (390, 844), (768, 1024), (1280, 800), (1920, 1080))
SAID: Final = """
(text) => {
  const parts = document.querySelectorAll("#title, #turn, #status, #moment, #lost");
  for (const each of parts) each.textContent = text;
  document.querySelector(".mark-proof").textContent = text.slice(0, 26);
  const {top, height} = document.querySelector("#stage").getBoundingClientRect();
  return [top, height, document.documentElement.scrollWidth <= innerWidth];
}
"""
"""Has the header say something; returns where the map is, and whether the page fits its window."""


@pytest.mark.parametrize(("width", "height"), WIDTHS)
def test_nothing_that_the_header_says_moves_the_map(
    crowded: str, window: Open, width: int, height: int
) -> None:
    page = window(viewport={"width": width, "height": height}).visit(crowded)
    read(page)
    page.wait_for_timeout(QUIET_MS)  # nothing comes that says it otherwise
    found = [
        page.evaluate(SAID, text) for text in ("", "Waits for Pia", "Waits for Pia the Elder or Ash " * 6)
    ]
    assert found[0] == found[1] == found[2]
    assert found[0][2], "wider than its window"


IN_SIGHT: Final = """
(button) => {
  const {top, bottom} = button.getBoundingClientRect();
  const frame = button.closest("#acts, #panels").getBoundingClientRect();
  return top >= frame.top && bottom <= Math.min(frame.bottom, innerHeight);
}
"""
"""Whether a button is within the panel that scrolls it."""


@pytest.mark.parametrize(("width", "height"), WIDTHS)
def test_what_sends_a_form_is_in_sight_while_somebody_fills_it_in(
    running: Service, crowded: str, window: Open, width: int, height: int
) -> None:
    table = begun(running.owner.open(OPENING))
    size = {"width": width, "height": height}
    at = f"{running.station.url}/encounters/{table.encounter}"
    ann = window(viewport=size).visit(at, table.issue_token("ann")["token"])
    ann.locator("#panel-act [data-type=dash]").first.click()
    send = ann.locator("#panel-act [type=submit]")
    expect(send).to_be_visible()
    assert send.evaluate(IN_SIGHT), "Act"
    gm = window(viewport=size).visit(crowded)
    gm.locator("[aria-controls=panel-share]").click()
    gm.locator("#player-name").click()
    assert gm.locator("#panel-share [type=submit]").evaluate(IN_SIGHT), "Share"
