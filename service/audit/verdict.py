"""Define the verdicts of an audit, in the order of its checks.

The first check that fails gives the verdict. Tampering comes before every check that runs a rule, because a
changed rule must never look like fraud, nor fraud like a changed rule.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

NOT_A_BUNDLE: Final = "not_a_bundle"
MALFORMED: Final = "malformed"
TAMPERED: Final = "tampered"
TRUNCATED: Final = "truncated"
FORKED: Final = "forked"
EMPTY: Final = "empty"
UNSIGNED_FROM: Final = "unsigned_from"
FORGED_COMMAND: Final = "forged_command"
DICE_MOVED: Final = "dice_moved"
FALSE_QUARANTINE: Final = "false_quarantine"
FALSE_REFUSAL: Final = "false_refusal"
DICE_INVALID: Final = "dice_invalid"
UNKNOWN_EDITION: Final = "unknown_edition"
RULES_CHANGED: Final = "rules_changed"
NOT_DETERMINISTIC: Final = "not_deterministic"
STATE_MISMATCH: Final = "state_mismatch"
WRONG_PARENT: Final = "wrong_parent"
SEAM_BROKEN: Final = "seam_broken"
SEAM_SEALED: Final = "seam_sealed"
CARRY_FORGED: Final = "carry_forged"
RECEIPT_MISMATCH: Final = "receipt_mismatch"
CERTIFICATE_MISMATCH: Final = "certificate_mismatch"
BAD_LOG_PROOF: Final = "bad_log_proof"
LOG_CONTRADICTED: Final = "log_contradicted"
UNLOGGED: Final = "unlogged"
UNWITNESSED: Final = "unwitnessed"
MISDATED: Final = "misdated"
OUTDATED: Final = "outdated"
MISSING: Final = "missing"
NOT_ACCEPTED: Final = "not_accepted"
VALID_IN_PART: Final = "valid_in_part"
VALID_WITHOUT_RULES: Final = "valid_without_rules"
VALID_AS_OPENED: Final = "valid_as_opened"
VALID_TO_EPOCH: Final = "valid_to_epoch"
VALID: Final = "valid"
VALID_UNSIGNED_WITHOUT_RULES: Final = "valid_unsigned_without_rules"
VALID_UNSIGNED_AS_OPENED: Final = "valid_unsigned_as_opened"
VALID_UNSIGNED_TO_EPOCH: Final = "valid_unsigned_to_epoch"
VALID_UNSIGNED: Final = "valid_unsigned"

_UNCHANGED: Final = "nothing was changed, and every die shown was fixed before the fight"
_WITHOUT_RULES: Final = f"{_UNCHANGED}; no rule was applied"
_AS_OPENED: Final = f"{_UNCHANGED}; it was decided again up to the first withheld command"
_TO_EPOCH: Final = (
    f"{_UNCHANGED}; all of it was decided again, and the last dice are proved when the fight ends"
)
_WHOLE: Final = f"{_UNCHANGED}; the fight is complete, and all of it was decided again to the last byte"
_NO_KEY: Final = "; no key was given, so anybody may have written it"

MEANING: Final[Mapping[str, str]] = MappingProxyType(
    {
        NOT_A_BUNDLE: "the file is not a bundle of the format rewound/bundle/1",
        MALFORMED: "some bytes are not canonical JSON, or are not a request, commit or envelope",
        TAMPERED: "a hash, root or signature does not fit, so the record was changed after it was written",
        TRUNCATED: "a head, checkpoint or receipt names a later commit, so the end of the record is missing",
        FORKED: "two signed heads, or a head that a seat signed and this record, contradict each other",
        EMPTY: "the record has no commits, so there is nothing to judge",
        UNSIGNED_FROM: "no accepted key has signed this commit or a later one; anybody may have written them",
        FORGED_COMMAND: "a command in a seat's name is not signed by its key, is here twice, or was not sent",
        FALSE_REFUSAL: "the host refused this command as not signed, and its seat has signed it",
        DICE_MOVED: "the dice were moved after a seat signed this command, and it throws the later ones",
        FALSE_QUARANTINE: "the host set this command aside, and the cause that it gives does not hold",
        DICE_INVALID: "a die or a disclosed link does not follow from the published anchor",
        UNKNOWN_EDITION: "this verifier lacks the rules that commit 1 names, so nothing was decided again",
        RULES_CHANGED: "deciding again gives another result, by other rules than those of the fight",
        NOT_DETERMINISTIC: "deciding again gives another result by the same rules",
        STATE_MISMATCH: "a stored state differs from the state that the commits give",
        WRONG_PARENT: "the given parent is not the encounter that this one continues",
        SEAM_BROKEN: "a line of play does not continue the earlier one as that one was ruled and accepted",
        SEAM_SEALED: "the seam cannot be compared, because a commit of the parent is sealed from this reader",
        NOT_ACCEPTED: "the last line of play was only proposed: nobody has accepted it, so it proves nothing",
        VALID_IN_PART: "nothing in this file is wrong, but it is a part: what was taken back, or what a fork "
        "continues, is not in it, so nobody can check where the play comes from",
        CARRY_FORGED: "a carried character did not stand so after the commit that it names",
        RECEIPT_MISMATCH: "a receipt is not signed by an accepted key, or is of another encounter",
        CERTIFICATE_MISMATCH: "the certificate is not signed by an accepted key, or is not of this record",
        BAD_LOG_PROOF: "a signature, a proof or the form of what was shown of the public log does not hold",
        LOG_CONTRADICTED: "the public log has another history of this encounter",
        UNLOGGED: "the host has not put this commit into the public log, so others may know nothing of it",
        UNWITNESSED: "too few witnesses of the policy have cosigned the log with this commit",
        MISDATED: "the time of this commit is not that at which the witnesses saw it",
        OUTDATED: "this command was decided after more than the policy allows of what its seat had not seen",
        MISSING: "a fight that should be among these files is not",
        VALID_UNSIGNED_WITHOUT_RULES: _WITHOUT_RULES + _NO_KEY,
        VALID_UNSIGNED_AS_OPENED: _AS_OPENED + _NO_KEY,
        VALID_UNSIGNED_TO_EPOCH: _TO_EPOCH + _NO_KEY,
        VALID_UNSIGNED: _WHOLE + _NO_KEY,
        VALID_WITHOUT_RULES: _WITHOUT_RULES,
        VALID_AS_OPENED: _AS_OPENED,
        VALID_TO_EPOCH: _TO_EPOCH,
        VALID: _WHOLE,
    }
)
"""Every verdict and its meaning, in the order of the checks."""

SIGNED: Final = (VALID_WITHOUT_RULES, VALID_AS_OPENED, VALID_TO_EPOCH, VALID)
"""Verdicts on sound records that an accepted key has signed."""

UNSIGNED: Final = (
    VALID_UNSIGNED_WITHOUT_RULES,
    VALID_UNSIGNED_AS_OPENED,
    VALID_UNSIGNED_TO_EPOCH,
    VALID_UNSIGNED,
)
"""The same verdicts if no key was given, in the same order."""

SOUND: Final = (*UNSIGNED, *SIGNED)
"""Verdicts on sound records; they differ in what could be checked."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """An audit's conclusion and its location: a commit (*n*), an interval (*n* to *to*), a path, a roll."""

    name: str
    n: int | None = None
    detail: str = ""
    to: int | None = None
    path: str | None = None
    """JSON pointer to the first difference in the commit or the state."""
    roll: str | None = None
    """Name of a roll: `epoch/lane/stream#place`."""

    @property
    def is_sound(self) -> bool:
        """Whether no check failed."""
        return self.name in SOUND

    @property
    def is_signed(self) -> bool:
        """Whether no check failed, and an accepted key has signed the record."""
        return self.name in SIGNED

    @property
    def extent(self) -> str | None:
        """How far a sound record was checked: the signed verdict's name; None if the record is not sound."""
        return SIGNED[SOUND.index(self.name) % len(SIGNED)] if self.is_sound else None

    def without_key(self) -> Verdict:
        """Return the same sound verdict under its name for records without a key."""
        return replace(self, name=UNSIGNED[SIGNED.index(self.name)])

    def __str__(self) -> str:
        """Return the verdict as text: `tampered(7)`, `dice_invalid(9, 1/0/pia/attack#0)`."""
        place = str(self.n) if self.to is None else f"{self.n} to {self.to}"
        parts = [part for part in (place if self.n is not None else None, self.roll, self.path) if part]
        return f"{self.name}({', '.join(parts)})" if parts else self.name


class Fault(Exception):
    """A check failed; *verdict* is the audit's conclusion."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(str(verdict))
        self.verdict = verdict


@dataclass(frozen=True, slots=True)
class Finding:
    """A fact worth reporting that does not affect the verdict."""

    name: str
    detail: str


@dataclass(slots=True)
class Counts:
    """What an audit examined."""

    commits: int = 0
    decided: int = 0
    """Commits that were decided again."""
    refused: int = 0
    quarantined: int = 0
    """Commands that were quarantined without a decision."""
    proposals: int = 0
    """Proposed amendments."""
    proposals_dropped: int = 0
    envelopes: int = 0
    envelopes_opened: int = 0
    requests_withheld: int = 0
    commands_signed: int = 0
    """Commands that are signed by the key of their seat."""
    rolls_checked: int = 0
    """Seeded rolls whose faces were derived again from a disclosed link."""
    rolls_unverified: int = 0
    """Seeded rolls of epochs that nobody has disclosed yet."""
    rolls_declared: int = 0
    faces_declared: int = 0

    def to_data(self) -> dict[str, int]:
        """Return the counts by name."""
        return {name: getattr(self, name) for name in self.__slots__}
