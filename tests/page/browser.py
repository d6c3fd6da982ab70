"""The system's Chromium, and what a test asks of a page in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

from tests.page.chromium import chromium

OPTIONS: Final = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP table.test 127.0.0.1",  # an address of a network, without TLS
)
PATIENCE_MS: Final = 20_000
TAP: Final = """
window.received = [];
const ask = window.fetch;
window.fetch = async (...asked) => {
  const answer = await ask(...asked);
  if (!answer.body) return answer;
  const [one, other] = answer.body.tee();
  const keep = new WritableStream({ write: (part) => { received.push(part); } });
  other.pipeThrough(new TextDecoderStream()).pipeTo(keep).catch(() => {});
  return new Response(one, answer);
};
"""
"""Has a page keep what it receives."""


@contextmanager
def started() -> Iterator[Browser]:
    """Run a browser with a profile of its own; what is expected may take as long as a click."""
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=list(OPTIONS))
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Window:
    """A page in a window with storage of its own; it remembers what went wrong."""

    page: Page
    faults: list[str] = field(default_factory=list)
    expected: list[str] = field(default_factory=list)
    """What faults of the page may contain, at any time until it is closed; each is seen at least once."""

    @classmethod
    def opened(cls, browser: Browser, **how: Any) -> Window:
        """Open a window; *how* is what Playwright's `new_context` takes."""
        page = browser.new_context(**how).new_page()
        page.set_default_timeout(PATIENCE_MS)
        window = cls(page)
        page.on("pageerror", lambda fault: window.faults.append(str(fault)))
        page.on("console", window._logged)
        page.add_init_script(TAP)
        return window

    def _logged(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.faults.append(message.text)

    @property
    def received(self) -> str:
        """Everything that the page has received by `fetch`, streams too, as far as they have come."""
        found: str = self.page.evaluate("window.received.join('')")
        return found

    def visit(self, url: str, key: str | None = None) -> Page:
        """Open an address, with a key as a link carries it."""
        self.page.goto(url + (f"#key={key}" if key else ""))
        return self.page

    def close(self) -> None:
        """Close it; fails if the page reported an error that is not expected, or none that is."""
        self.page.context.close()
        found = [fault for fault in self.faults if not any(text in fault for text in self.expected)]
        assert not found, found
        for text in self.expected:
            assert any(text in fault for fault in self.faults), f"expected, and not seen: {text}"

    def expect_fault(self, text: str) -> None:
        """Expect faults that contain *text*; how many, and when, is the browser's affair."""
        self.expected.append(text)
