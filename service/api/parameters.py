"""The query parameters that an operation declares, and how their values are read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal
from unicodedata import is_normalized

from service.record.text import fault

WHOLE: Final = re.compile(r"0|[1-9][0-9]{0,15}")


@dataclass(frozen=True)
class Parameter:
    """A query parameter: text that matches *pattern*, or an integer from *least* to *most*."""

    name: str
    text: str
    kind: Literal["whole", "text"] = "text"
    least: int = 0
    most: int = 2**53 - 1
    pattern: str = r"[\x21-\x7e]{1,512}"
    required: bool = False


PRETTY: Final = Parameter(
    "pretty", "Indent the JSON of the answer, for people who read it; `?pretty` is enough.", pattern="(true)?"
)
"""Every operation takes it, though it declares it nowhere: the introduction of the contract names it."""


LINE: Final = Parameter(
    "line",
    "The id of a line of play of this encounter: one that ended, or one that is proposed. Without it the "
    "address stands for the line that is played.",
    pattern="[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
)
"""Every operation within an encounter takes it, though it declares it nowhere."""

SEEN_BY: Final = Parameter(
    "seen_by",
    "A seat: show only what it may read too; `*` shows only what everybody may read.",
    pattern=r"[a-z0-9][a-z0-9-]{0,23}|\*",
)
"""It never shows more than the caller's own seat may read."""

TEXT: Final = Parameter(
    "text", "`en`: also say it in English: a sentence for each event, and for each offer.", pattern="en"
)

EVENTS: Final = Parameter(
    "events", "`true`: also give the events; without it, patches alone.", pattern="true"
)


def read_parameter(parameter: Parameter, text: str) -> str | int:
    """Return the value of *parameter* in *text*; raises ValueError with what was expected."""
    if parameter.kind == "whole":
        if not WHOLE.fullmatch(text) or not parameter.least <= int(text) <= parameter.most:
            raise ValueError(f"a whole number from {parameter.least} to {parameter.most}")
        return int(text)
    if not re.fullmatch(parameter.pattern, text):
        is_word = re.fullmatch(r"\w+", parameter.pattern)
        raise ValueError(f"{'only' if is_word else 'text that matches'} {parameter.pattern}")
    wrong = fault(text, lines=False)
    if wrong is not None or not is_normalized("NFC", text):
        raise ValueError(wrong or "text in Unicode normalization form C")
    return text
