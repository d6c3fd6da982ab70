"""Define which characters text may have, and escape the others so that they deceive nobody.

Laws. The API refuses characters that a reader cannot see or that two readers could show differently. A
foreign file may have them nevertheless, so all text on a terminal, in a log or on a page goes through
`plain`.
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any, Final

from service.record.unicode14 import VERSION, first_unassigned, unassigned

CONTROLS: Final = r"\x00-\x1f\x7f-\x9f"
DIRECTIONS: Final = r"\u202a-\u202e\u2066-\u2069"
"""Embeddings, overrides and isolates: they display text in another order than it is stored."""

_MARKS: Final = r"\u061c\u200e\u200f\u2028\u2029"
"""Allowed in text, but escaped by `plain`: direction marks, line and paragraph separators."""

_REFUSED: Final = re.compile(f"[{CONTROLS}{DIRECTIONS}]")
_LINES: Final = "\n\t"


def fault(text: str, *, lines: bool) -> str | None:
    """Return why *text* is not accepted, None if it is; *lines* allows LF and TAB."""
    if text.isascii() and text.isprintable():
        return None
    for found in _REFUSED.finditer(text):
        if not (lines and found[0] in _LINES):
            what = "a control character" if found[0] < "\u2000" else "a control of the direction of text"
            return f"text without U+{ord(found[0]):04X}, {what}"
    return unassigned_fault(text)


def unassigned_fault(text: str) -> str | None:
    """Return why *text* is not accepted if Unicode does not assign all of its characters, else None."""
    point = first_unassigned(text)
    return None if point is None else f"text without U+{point:04X}, which Unicode {VERSION} does not assign"


def plain(text: object, keep: str = "") -> str:
    """Return *text* with all invisible characters as JSON escapes, except those in *keep*."""
    said = str(text)
    if said.isascii() and said.isprintable():
        return said
    return _hidden().sub(lambda found: found[0] if found[0] in keep else _spelled(found[0]), said)


def log_line(data: object, **how: Any) -> str:  # noqa: ANN401 - the logging library's signature
    """Return *data* as one line of JSON without terminal controls."""
    return plain(json.dumps(data, **how))


def _spelled(character: str) -> str:
    raw = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{raw[at : at + 2].hex()}" for at in range(0, len(raw), 2))


@cache
def _hidden() -> re.Pattern[str]:
    return re.compile(f"[{CONTROLS}{DIRECTIONS}{_MARKS}\\ud800-\\udfff{unassigned()}]")
