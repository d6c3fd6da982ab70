"""Say why a command was set aside without a decision, so that others can repeat it.

A quarantined commit names the cause, the digest of the code that was to decide, and of a crash the
exception's type, its place and the rule. The exception's text is left out, because it may hold a secret.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, Final

from service.frames import FaultPlace, places
from service.record.digest import package_digest, ruleset_digest
from service.rules.kernel.rulebook import MARKS
from service.rules.ruleset import Ruleset

CRASHED: Final = "crashed"
"""The code raised an exception, each time that it was tried."""
KILLED: Final = "killed"
"""The workers that decided it died, were ended because they took too long, or had no memory left."""
DISPUTED: Final = "disputed"
"""It was sent while the record was in dispute, so its sender may have seen its dice."""
CAUSES: Final = (CRASHED, KILLED, DISPUTED)
MEMBERS: Final = frozenset(("cause", "code", "error", "place", "rule"))
_DECIDING: Final = ("service.core", "service.record")
"""The packages that decide beside the rules and the dice."""

Quarantine = Mapping[str, Any]


def code_digest(ruleset: Ruleset[Any]) -> str:
    """Return the digest of everything that decides by *ruleset*: its sources, and the code around them."""
    parts = (ruleset_digest(ruleset), package_digest(_DECIDING))
    return sha256("".join(f"{part}\n" for part in parts).encode()).hexdigest()


def because(cause: str, ruleset: Ruleset[Any], error: BaseException | None = None) -> Quarantine:
    """Return the member `quarantine` of a commit; *error* is what a crash raised."""
    left = [] if error is None else places(error)
    rules = [MARKS[place[:2]].rules[0] for place in left if place[:2] in MARKS]
    return {
        "cause": cause,
        "code": code_digest(ruleset),
        "error": None if error is None else type(error).__name__,
        "place": None if error is None else _place(left),
        "rule": rules[-1] if rules else None,
    }


def said_of(quarantine: Quarantine) -> str:
    """Return what happened, for people."""
    if quarantine["cause"] == KILLED:
        return "that its workers died"
    rule = f" ({quarantine['rule']})" if quarantine["rule"] else ""
    return f"{quarantine['error']} at {quarantine['place']}{rule}"


def _place(left: Sequence[FaultPlace]) -> str:
    """Return the innermost module and line, without directories: those differ between machines."""
    return f"{left[-1].module}:{left[-1].line}" if left else ""
