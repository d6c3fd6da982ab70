"""Ask axe what people who see little or use a keyboard would miss, and whether a page fits its window.

What can be pressed is never beyond the edge, where nobody looks for it, even in a bar that scrolls sideways.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any, Final

from playwright.sync_api import Page

ALIKE: Final = "tbody > tr:nth-child(n + 12)"
"""Rows of a long table, whose colours are those of the rows before them."""
ASKED: Final = """
async (alike) => {
  const found = { resultTypes: ["violations"] };
  const ask = async (where, how) => (await axe.run(where, { ...found, ...how })).violations;
  const contrast = "color-contrast", but = { include: [["html"]], exclude: alike.map((each) => [each]) };
  const violations = [
    ...await ask(document, { rules: { [contrast]: { enabled: false } } }),
    ...await ask(but, { runOnly: { type: "rule", values: [contrast] } }),
  ];
  const width = document.documentElement.scrollWidth - innerWidth;
  const places = (nodes) => nodes.map((node) => node.html.slice(0, 120));
  const faults = violations.map(({ id, impact, nodes }) => ({ id, impact, where: places(nodes) }));
  const cut = [...document.querySelectorAll("button, select, summary, header a")].filter((each) => {
    const { left, right } = each.getBoundingClientRect();
    const isOut = left < -1 || right > innerWidth + 1;
    return isOut && right > 0 && each.checkVisibility() && !each.closest(".wide");
  });
  const where = cut.map((each) => each.outerHTML.slice(0, 120));
  if (cut.length) faults.push({ id: "cut off at the edge", impact: "serious", where });
  return [width, faults];
}
"""


@cache
def axe() -> str:
    """Return axe-core as the pinned package has it."""
    return files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")


def faults_of(page: Page, *, alike: str = ALIKE) -> list[str]:
    """Return what is wrong with what *page* shows now, empty if nothing is.

    Contrast takes axe longer than all else; it is not asked for what is *alike* to what was asked.
    """
    if not page.evaluate("'axe' in window"):
        page.evaluate(f"{axe()}; 0")
    width: int
    found: list[dict[str, Any]]
    width, found = page.evaluate(ASKED, [alike] if alike else [])
    wide = [f"wider than the window by {width}"] if width > 0 else []
    return wide + [f"{each['id']}: {each['where']}" for each in found]
