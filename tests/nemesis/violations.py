"""Name every violation that the checker knows, and the promise it breaks (`docs/guarantees.md`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

LOST: Final = "lost"
OTHER: Final = "another command at its number"
MOVED: Final = "moved"
DOUBLED: Final = "doubled"
INVENTED: Final = "nobody sent it"
CONTESTED: Final = "two keys at one number"
FAILED: Final = "failed, and on the record"
UNSETTLED: Final = "never settled"
GAP: Final = "numbers are not dense"
CHAIN: Final = "the chain is broken"
ANSWER: Final = "the answer told another commit"
TORN: Final = "torn"
IF_MATCH: Final = "If-Match was not exact"
STATE: Final = "the state is not the replay"
AHEAD: Final = "a state that the record does not give"
BACK: Final = "the state went back"
STREAM_GAP: Final = "a stream left something out"
STREAM_REPEAT: Final = "a stream repeated something"
STREAM_OTHER: Final = "a stream told another commit"
STREAM_SHORT: Final = "a stream never told the end"
BUNDLE: Final = "the bundle is not valid"
AUDIT: Final = "the audit is not valid"
MISSING: Final = "an encounter is missing"
STRANGER: Final = "an encounter that nobody opened"
STRANGE: Final = "an answer that should not be"

_BY_PROMISE: Final[Mapping[str, tuple[str, ...]]] = {
    "API": (STRANGE,),
    "G1": (
        LOST,
        OTHER,
        CHAIN,
        ANSWER,
        MISSING,
    ),
    "G2": (
        MOVED,
        DOUBLED,
        INVENTED,
        CONTESTED,
        STRANGER,
    ),
    "G3": (
        GAP,
        IF_MATCH,
    ),
    "G4": (
        FAILED,
        UNSETTLED,
    ),
    "G5": (
        TORN,
        STATE,
        AHEAD,
    ),
    "G6": (
        BUNDLE,
        AUDIT,
    ),
    "G8": (BACK,),
    "G9": (
        STREAM_GAP,
        STREAM_REPEAT,
        STREAM_OTHER,
        STREAM_SHORT,
    ),
}
PROMISES: Final[Mapping[str, str]] = {
    name: promise for promise, names in _BY_PROMISE.items() for name in names
}
"""The promise that each violation breaks."""


@dataclass(frozen=True, order=True)
class Violation:
    """One broken promise."""

    name: str
    encounter: str
    text: str

    def __str__(self) -> str:
        return f"{PROMISES[self.name]} {self.name}: {self.encounter}: {self.text}"
