"""Describe contests and what the GM rules on them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from service.api.shapes import NUMBER, SEAT, TEXT, Schema, closed, listing, maybe, ref

_CONTEST: Final = closed(
    "A contested moment, and how the contest ended.",
    {"n": {**NUMBER, "description": "The command that opened or answered it, after one that did."}},
    contest=TEXT,
    seat=SEAT,
    commit=NUMBER,
    event={**maybe(NUMBER), "description": "The event's index in the commit."},
    roll={**maybe(TEXT), "description": "The roll's name: `epoch/lane/stream#place`."},
    claim=TEXT,
    status={"enum": ["open", "upheld", "effects", "as_ruled"]},
    decision=TEXT,
    reason=TEXT,
    explanation={"type": "string", "description": "Where the moment is explained."},
)

RULINGS: Final[Mapping[str, Schema]] = MappingProxyType(
    {
        "Contest": _CONTEST,
        "Contests": closed("All contests of an encounter.", contests=listing(ref("Contest"))),
    }
)
