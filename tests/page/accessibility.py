"""Ask a page what people who see little or use a keyboard would miss: contrast, names, room."""

from __future__ import annotations

from typing import Any, Final

from playwright.sync_api import Page

CHECK: Final = """
() => {
  const faults = [];
  const seen = (node) => node.checkVisibility({ visibilityProperty: true }) && node.getClientRects().length;
  const channels = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((c) => c / 255)
      .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const behind = (node) => {
    for (let each = node; each; each = each.parentElement) {
      const [r, g, b, a = 1] = channels(getComputedStyle(each).backgroundColor);
      if (a > 0.9) return [r, g, b];
    }
    return [255, 255, 255];
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    const isLeft = node.closest("svg, noscript, option, [disabled], .visually-hidden, .skip");
    if (!walker.currentNode.textContent.trim() || isLeft || !seen(node)) continue;
    const style = getComputedStyle(node);
    const [one, other] = [light(channels(style.color)), light(behind(node))];
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    const size = parseFloat(style.fontSize);
    const least = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
    if (ratio < least) {
      const what = `${node.tagName}.${node.className} ${node.textContent.slice(0, 30)}`;
      faults.push(`contrast ${ratio.toFixed(2)}: ${what}`);
    }
  }
  const worked = "button, a[href], input, select, textarea, [role=button], [role=tab]";
  for (const node of document.querySelectorAll(worked)) {
    if (!seen(node)) continue;
    const labels = node.labels ? [...node.labels].map((each) => each.textContent).join("") : "";
    const name = node.getAttribute("aria-label") || labels || node.textContent || node.title || "";
    if (!name.trim()) faults.push(`no name: ${node.outerHTML.slice(0, 80)}`);
  }
  const ids = [...document.querySelectorAll("[id]")].map((each) => each.id);
  faults.push(...ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `two have the id ${id}`));
  const wide = document.documentElement.scrollWidth - innerWidth;
  if (wide > 0) faults.push(`wider than the window by ${wide}`);
  return [...new Set(faults)];
}
"""


def faults_of(page: Page) -> list[str]:
    """Return what is wrong with what *page* shows now, empty if nothing is."""
    found: Any = page.evaluate(CHECK)
    return [str(each) for each in found]
