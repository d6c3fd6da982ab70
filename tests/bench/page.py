"""Measure the page of a long fight in Chromium: its first paint, how soon the fight is there, and scrubbing.

A fight of more than a thousand commits and ten creatures is played over HTTP, and one of sixty creatures.
A phone is a window of 390 by 844 pixels whose CPU Chromium slows down four times. A screen is 1,280 by 800
pixels and not slowed down. Each turn is a new window with an empty cache. The CPU of the page's main thread
is given beside the times: other work on the machine does not change it, and a frame has 16.6 ms.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Browser, CDPSession, Page

from tests.bench import fights
from tests.bench.table import TURNS, Row, median, section
from tests.cli.fights import Service, served
from tests.page.browser import started
from tests.page.chromium import HOW_TO_GET_ONE, chromium

COMMITS: Final = 1_000
FRAMES: Final = 180
PATIENCE_MS: Final = 120_000
SECOND_MS: Final = 1_000.0
RATE: Final = 60.0
FRAME_MS: Final = SECOND_MS / RATE
SLOWED: Final = 4
KILO: Final = 1_000
CROWD: Final = 30
"""Creatures of a side in the fight of sixty."""
CROWDED_COMMITS: Final = 300
LATE_MS: Final = 32.0
LOAD_KB: Final = 120.0

WATCHED: Final = """
window.seen = {};
const note = (name, selector) => {
  if (!(name in seen) && document.querySelector(selector)) seen[name] = performance.now();
};
const look = () => {
  note("map", "[data-creature]");
  note("log", ".entry");
  requestAnimationFrame(look);
};
requestAnimationFrame(look);
"""
"""Has a page note when creatures are on the map, when the newest entries are in the log."""

SCRUBBED: Final = """
(frames) => new Promise((done) => {
  const slider = document.querySelector("#timeline input");
  const last = Number(slider.max);
  const times = [];
  let at = last;
  const step = () => {
    times.push(performance.now());
    if (times.length > frames) {
      const each = times.slice(1).map((time, index) => time - times[index]).sort((a, b) => a - b);
      done([1000 * frames / (times.at(-1) - times[0]), each[Math.floor(0.95 * each.length)]]);
      return;
    }
    at = at > 7 ? at - 7 : last;
    slider.value = String(at);
    slider.dispatchEvent(new Event("input"));
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})
"""
"""Drags the slider by seven commits in each of so many frames; returns frames in a second, and the 95th
percentile of the milliseconds between two frames.

They take the time from the first one to the one after the last; the wait for the first is of no frame.
"""


@dataclass(frozen=True)
class Look:
    """What one window took, in milliseconds from the click on its link; `rate` in frames a second."""

    paint: float
    map: float
    log: float
    rate: float
    cpu: float
    """Of the main thread in a frame of scrubbing, in milliseconds."""
    late: float
    """Between two frames of scrubbing, in milliseconds: the 95th percentile."""
    load: float
    """What was received until the fight was there, in kilobytes."""


def long_fight(service: Service, pairs: int = 5, commits: int = COMMITS) -> str:
    """Play a fight of more than so many commits, and two creatures a pair; return its address."""
    table = service.owner.open({"edition": "heartrush@1", "title": "A long evening", **fights.opening(pairs)})
    table.send_all(list(fights.BEGIN))
    for command in islice(fights.engagements(pairs), commits):
        table.send(command)
    return f"{service.station.url}/encounters/{table.encounter}#key={service.key}"


@contextmanager
def window(browser: Browser, slowed: int) -> Iterator[tuple[Page, CDPSession]]:
    """Open a window with an empty cache; a CPU that is slowed down is a phone's."""
    width, height = (390, 844) if slowed > 1 else (1280, 800)
    context = browser.new_context(viewport={"width": width, "height": height}, has_touch=slowed > 1)
    try:
        page = context.new_page()
        page.add_init_script(WATCHED)
        session = context.new_cdp_session(page)
        session.send("Emulation.setCPUThrottlingRate", {"rate": slowed})
        session.send("Performance.enable", {"timeDomain": "threadTicks"})
        yield page, session
    finally:
        context.close()


def look(browser: Browser, address: str, slowed: int) -> Look:
    """Open the fight at *address*, wait until its newest commit is shown, and scrub through all of it."""
    with window(browser, slowed) as (page, session):
        received: list[float] = []
        session.send("Network.enable")
        session.on("Network.loadingFinished", lambda event: received.append(event["encodedDataLength"]))
        page.goto(address)
        page.wait_for_selector(".entry[aria-current]", state="attached", timeout=PATIENCE_MS)
        page.wait_for_timeout(SECOND_MS)
        paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
        seen: dict[str, float] = page.evaluate("window.seen")
        load = sum(received) / KILO
        before = _cpu_ms(session)
        rate, late = page.evaluate(SCRUBBED, FRAMES)
        cpu = (_cpu_ms(session) - before) / FRAMES
        return Look(paint=paint, map=seen["map"], log=seen["log"], rate=rate, cpu=cpu, late=late, load=load)


def _cpu_ms(session: CDPSession) -> float:
    """Return the milliseconds of CPU that the page's main thread has used."""
    found: dict[str, Any] = session.send("Performance.getMetrics")
    return 1_000 * float(next(each["value"] for each in found["metrics"] if each["name"] == "TaskDuration"))


@section("The page in Chromium")
def rows(times: int = TURNS) -> list[Row | str]:
    """Measure *times* windows of each kind and return the medians."""
    if not chromium():
        return [HOW_TO_GET_ONE]
    with tempfile.TemporaryDirectory() as home, served(Path(home)) as service:
        address = long_fight(service)
        crowded = long_fight(service, CROWD, CROWDED_COMMITS)
        with started() as browser:
            phone = [look(browser, address, SLOWED) for _ in range(times)]
            screen = [look(browser, address, 1) for _ in range(times)]
            crowd = [look(browser, crowded, SLOWED) for _ in range(times)]
    late = median(each.late for each in crowd)
    found: list[Row | str] = [
        Row(
            "phone, CPU 4x slowed down, 60 creatures: 95% of frames of scrubbing",
            late,
            "ms",
            LATE_MS,
            most=True,
        ),
        Row("load of the page and its fight", median(each.load for each in phone), "kB", LOAD_KB, most=True),
    ]
    for what, looks in (("phone, CPU 4x slowed down", phone), ("screen", screen)):
        found += [
            Row(f"{what}: first paint", median(each.paint for each in looks), "ms", SECOND_MS, most=True),
            Row(
                f"{what}: creatures on the map",
                median(each.map for each in looks),
                "ms",
                SECOND_MS,
                most=True,
            ),
            Row(
                f"{what}: newest entries in the log",
                median(each.log for each in looks),
                "ms",
                SECOND_MS,
                most=True,
            ),
            Row(f"{what}: frames of scrubbing", median(each.rate for each in looks), "/s", RATE - 1),
            Row(f"{what}: CPU of a frame", median(each.cpu for each in looks), "ms", FRAME_MS, most=True),
        ]
    return found
