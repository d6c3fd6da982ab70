"""Define which characters text may have, and escape the others so that they deceive nobody.

Laws. The API refuses characters that a reader cannot see or that two readers could show differently. A
foreign file may have them nevertheless, so all text on a terminal, in a log or on a page goes through
`plain`.
"""

from __future__ import annotations

import json
import re
import unicodedata
from functools import cache
from typing import Any, Final

from service.record.unicode14 import VERSION, first_unassigned, unassigned

CONTROLS: Final = r"\x00-\x1f\x7f-\x9f"
DIRECTIONS: Final = r"\u202a-\u202e\u2066-\u2069"
"""Embeddings, overrides and isolates: they display text in another order than it is stored."""

_MARKS: Final = r"\u061c\u200e\u200f\u2028\u2029"
"""Allowed in text, but escaped by `plain`: direction marks, line and paragraph separators."""

INVISIBLE: Final = (
    r"\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b\u2060-\u2064\u2800\u3164\ufeff\uffa0"
    r"\U000e0000-\U000e007f"
)
"""Soft hyphens, spaces without width, fillers and tags: they make two names of one look."""

_REFUSED: Final = re.compile(f"[{CONTROLS}{DIRECTIONS}{INVISIBLE}]")
_BESIDE: Final = frozenset({"Zs", "Zl", "Zp", "Cc", "Cf", "Mn", "Me"})
"""Categories of characters of which a reader sees nothing if they are alone."""
_WHAT: Final = (
    (re.compile(f"[{CONTROLS}]"), "a control character"),
    (re.compile(f"[{DIRECTIONS}]"), "a control of the direction of text"),
    (re.compile(""), "an invisible character"),
)
_LINES: Final = "\n\t"


def fault(text: str, *, lines: bool) -> str | None:
    """Return why *text* is not accepted, None if it is; *lines* allows LF and TAB."""
    if text.isascii() and text.isprintable() and not text.isspace():
        return None
    if text and all(unicodedata.category(each) in _BESIDE for each in text):
        return f"text with something to see, and not only U+{ord(text[0]):04X} and the like"
    for found in _REFUSED.finditer(text):
        if not (lines and found[0] in _LINES):
            what = next(words for pattern, words in _WHAT if pattern.match(found[0]))
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
