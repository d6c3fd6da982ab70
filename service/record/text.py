"""Say which characters text may have, and spell the others so that nobody is deceived by them.

Laws. The door refuses what a reader cannot see or what two readers could show differently. A stranger's file
may hold it nevertheless: whatever shows text on a terminal, in a log or on a page shows it through `plain`.
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any, Final

from service.record.unicode14 import VERSION, first_unassigned, unassigned

CONTROLS: Final = r"\x00-\x1f\x7f-\x9f"
DIRECTIONS: Final = r"\u202a-\u202e\u2066-\u2069"
"""Embeddings, overrides and isolates: they show text in another order than it is read in."""

_MARKS: Final = r"\u061c\u200e\u200f\u2028\u2029"
"""What text may have and a terminal need not obey: marks of direction, separators of lines and paragraphs."""

_REFUSED: Final = re.compile(f"[{CONTROLS}{DIRECTIONS}]")
_LINES: Final = "\n\t"


def fault(text: str, *, lines: bool) -> str | None:
    """Return what keeps *text* from being accepted, None if nothing does; *lines* allows LF and TAB."""
    if text.isascii() and text.isprintable():
        return None
    for found in _REFUSED.finditer(text):
        if not (lines and found[0] in _LINES):
            what = "a control character" if found[0] < "\u2000" else "a control of the direction of text"
            return f"text without U+{ord(found[0]):04X}, {what}"
    point = first_unassigned(text)
    return None if point is None else f"text without U+{point:04X}, which Unicode {VERSION} does not assign"


def plain(text: object, keep: str = "") -> str:
    """Return *text* with all that cannot be seen spelled as JSON escapes it, except what to *keep*."""
    said = str(text)
    if said.isascii() and said.isprintable():
        return said
    return _hidden().sub(lambda found: found[0] if found[0] in keep else _spelled(found[0]), said)


def log_line(data: object, **how: Any) -> str:  # noqa: ANN401 - as the logging library declares it
    """Return *data* as one line of JSON that acts on no terminal."""
    return plain(json.dumps(data, **how))


def _spelled(character: str) -> str:
    raw = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{raw[at : at + 2].hex()}" for at in range(0, len(raw), 2))


@cache
def _hidden() -> re.Pattern[str]:
    return re.compile(f"[{CONTROLS}{DIRECTIONS}{_MARKS}\\ud800-\\udfff{unassigned()}]")
