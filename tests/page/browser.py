"""The system's Chromium, and what a test asks of a page in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from playwright.sync_api import Browser, ConsoleMessage, Page, Response, sync_playwright

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
)
PATIENCE_MS: Final = 20_000


@contextmanager
def started() -> Iterator[Browser]:
    """Run a browser with a profile of its own."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=list(OPTIONS))
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Window:
    """A page in a window with storage of its own; it remembers what went wrong and what it received."""

    page: Page
    faults: list[str] = field(default_factory=list)
    bodies: list[str] = field(default_factory=list)

    @classmethod
    def opened(cls, browser: Browser, **how: Any) -> Window:
        """Open a window; *how* is what Playwright's `new_context` takes."""
        page = browser.new_context(**how).new_page()
        page.set_default_timeout(PATIENCE_MS)
        window = cls(page)
        page.on("pageerror", lambda fault: window.faults.append(str(fault)))
        page.on("console", window._logged)
        page.on("response", window._received)
        return window

    def _logged(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.faults.append(message.text)

    def _received(self, response: Response) -> None:
        """Keep the text of an answer of the API; a stream has no end, and its commits are read again."""
        if "/v1/" in response.url and "json" in response.headers.get("content-type", ""):
            self.bodies.append(response.text())

    def visit(self, url: str, key: str | None = None) -> Page:
        """Open an address, with a key as a link carries it."""
        self.page.goto(url + (f"#key={key}" if key else ""))
        return self.page

    def close(self) -> None:
        """Close it; fails if the page reported an error."""
        self.page.context.close()
        assert self.faults == []
