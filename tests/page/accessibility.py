"""Ask axe what people who see little or use a keyboard would miss, and whether a page fits its window."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any, Final

from playwright.sync_api import Page

GRAVE: Final = frozenset({"serious", "critical"})
ASKED: Final = """
async () => {
  const { violations } = await axe.run(document, { resultTypes: ["violations"] });
  const width = document.documentElement.scrollWidth - innerWidth;
  const places = (nodes) => nodes.map((node) => node.html.slice(0, 120));
  return [width, violations.map(({ id, impact, nodes }) => ({ id, impact, where: places(nodes) }))];
}
"""


@cache
def axe() -> str:
    """Return axe-core as the pinned package has it."""
    return files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")


def faults_of(page: Page) -> list[str]:
    """Return what is seriously wrong with what *page* shows now, empty if nothing is."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(f"{axe()}; 0")
    width: int
    found: list[dict[str, Any]]
    width, found = page.evaluate(ASKED)
    wide = [f"wider than the window by {width}"] if width > 0 else []
    return wide + [f"{each['id']}: {each['where']}" for each in found if each["impact"] in GRAVE]
