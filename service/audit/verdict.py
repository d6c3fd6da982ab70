"""Name what an audit can find, in the order in which it decides.

The first that fails is the verdict. Tampering comes before everything that runs a rule: a changed rule must
never look like fraud, nor fraud like a changed rule.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

MALFORMED: Final = "malformed"
TAMPERED: Final = "tampered"
TRUNCATED: Final = "truncated"
FORKED: Final = "forked"
DICE_INVALID: Final = "dice_invalid"
RULES_CHANGED: Final = "rules_changed"
NOT_DETERMINISTIC: Final = "not_deterministic"
STATE_MISMATCH: Final = "state_mismatch"
VALID_AS_OPENED: Final = "valid_as_opened"
VALID_TO_EPOCH: Final = "valid_to_epoch"
VALID: Final = "valid"

MEANING: Final[Mapping[str, str]] = MappingProxyType(
    {
        MALFORMED: "bytes are not canonical, or spell no request, commit or envelope",
        TAMPERED: "something was changed after it was written: hash chain, root or signature do not fit",
        TRUNCATED: "the end is missing: a head, checkpoint or receipt lies beyond it",
        FORKED: "two signed heads exist of which neither continues the other",
        DICE_INVALID: "a die or a disclosed link is not what the published anchor gives",
        RULES_CHANGED: "deciding again gives another result, by other rules than it was played with",
        NOT_DETERMINISTIC: "deciding again gives another result by the very same rules",
        STATE_MISMATCH: "the state that is kept is not what the commits give",
        VALID_AS_OPENED: "whole, and decided again up to the first command that is withheld",
        VALID_TO_EPOCH: "whole and decided again; dice are proved up to the last epoch that was disclosed",
        VALID: "whole, decided again to the last byte, every seeded die proved",
    }
)
"""Every verdict in the order of deciding, and what it says."""

SOUND: Final = (VALID_AS_OPENED, VALID_TO_EPOCH, VALID)
"""Verdicts in which nothing is wrong: they differ in how far anybody can see."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found, and where: a commit (*n*), an interval (*n* to *to*), a place in it, a roll."""

    name: str
    n: int | None = None
    detail: str = ""
    to: int | None = None
    path: str | None = None
    """JSON pointer into the commit, where deciding again differs first."""
    roll: str | None = None
    """Name of a roll: `epoch/lane/stream#place`."""

    @property
    def is_sound(self) -> bool:
        """Tell whether nothing is wrong."""
        return self.name in SOUND

    def __str__(self) -> str:
        """Spell the verdict as it is quoted: `tampered(7)`, `dice_invalid(9, 1/0/pia/attack#0)`."""
        place = str(self.n) if self.to is None else f"{self.n} to {self.to}"
        parts = [part for part in (place if self.n is not None else None, self.roll, self.path) if part]
        return f"{self.name}({', '.join(parts)})" if parts else self.name


class Fault(Exception):
    """End an audit with its verdict."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(str(verdict))
        self.verdict = verdict


@dataclass(frozen=True, slots=True)
class Finding:
    """Something worth knowing that is no fault."""

    name: str
    detail: str


@dataclass(slots=True)
class Counts:
    """What was looked at."""

    commits: int = 0
    decided: int = 0
    """Commits that were decided again."""
    refused: int = 0
    quarantined: int = 0
    envelopes: int = 0
    envelopes_opened: int = 0
    requests_withheld: int = 0
    rolls_checked: int = 0
    """Seeded rolls whose faces were derived again from a disclosed link."""
    rolls_unverified: int = 0
    """Seeded rolls of epochs that nobody has disclosed yet."""
    rolls_declared: int = 0
    faces_declared: int = 0

    def to_data(self) -> dict[str, int]:
        """Return the counts by name."""
        return {name: getattr(self, name) for name in self.__slots__}
