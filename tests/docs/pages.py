"""Read the documentation as its reader does: pages, links, blocks to run, answers that are shown.

A block whose fence says ` run` behind its language is run; the blocks of one page are one script, in order.
A `json answer` block behind it is held to what it printed: whatever is shown must be there. `"…"` stands for
any value, at the end of a list for whatever follows, and as a name for further members.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("docs/*/*.md")])
ANY = "…"

_FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_CODE = re.compile(r"`[^`\n]*`")
_VALUE = re.compile(r"(?:^|(?<=[]}]))[\[{]", re.MULTILINE)
"""Where a JSON value begins: with a line, or right behind the one before."""
_HEADING = re.compile(r"^#+ +(.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """One fenced block: the words behind its fence, its text, and its line."""

    words: tuple[str, ...]
    text: str
    line: int


def blocks(page: Path) -> list[Block]:
    """Return every fenced block of *page*."""
    text = page.read_text("utf-8")
    return [
        Block(tuple(found[1].split()), found[2], text.count("\n", 0, found.start()) + 1)
        for found in _FENCE.finditer(text)
    ]


def to_run(page: Path, language: str) -> list[Block]:
    """Return the blocks of *page* in *language* that are run."""
    return [block for block in blocks(page) if block.words == (language, "run")]


def shown_answers(page: Path) -> list[tuple[Block, Block]]:
    """Return each shown answer with the shell block before it that gives it."""
    found: list[tuple[Block, Block]] = []
    before: Block | None = None
    for block in blocks(page):
        if block.words == ("sh", "run"):
            before = block
        elif block.words == ("json", "answer"):
            assert before is not None, f"{page.name}:{block.line}: an answer to nothing"
            found.append((before, block))
    return found


def links(page: Path) -> list[str]:
    """Return the targets of all links of *page*, those in code left out."""
    text = _CODE.sub("", _FENCE.sub("", page.read_text("utf-8")))
    return _LINK.findall(text)


def anchors(page: Path) -> set[str]:
    """Return the anchors of the headings of *page*, as forges make them."""
    text = _FENCE.sub("", page.read_text("utf-8"))
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in _HEADING.findall(text)}


def values(text: str) -> list[Any]:
    """Return every JSON value in *text*, which may hold lines of other kinds between them."""
    found, at, decoder = [], 0, json.JSONDecoder()
    while (opening := _VALUE.search(text, at)) is not None:
        value, at = decoder.raw_decode(text, opening.start())
        found.append(value)
    return found


def difference(shown: Any, real: Any, at: str = "") -> str | None:
    """Return where *real* is not what is *shown* of it, None where it is."""
    if shown == ANY:
        return None
    if isinstance(shown, dict) and isinstance(real, dict):
        missing = [name for name in shown if name not in real and name != ANY]
        if missing:
            return f"{at}/{missing[0]} is not there"
        pairs = [(f"{at}/{name}", value, real[name]) for name, value in shown.items() if name != ANY]
    elif isinstance(shown, list) and isinstance(real, list):
        kept = shown[:-1] if shown and shown[-1] == ANY else shown
        if len(real) < len(kept) or (kept is shown and len(real) > len(kept)):
            return f"{at} has {len(real)} items"
        pairs = [(f"{at}/{i}", value, item) for i, (value, item) in enumerate(zip(kept, real, strict=False))]
    else:
        return None if shown == real else f"{at} is {real!r}, not {shown!r}"
    return next((fault for place, a, b in pairs if (fault := difference(a, b, place)) is not None), None)
