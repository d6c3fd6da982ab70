"""Keep what lies in an envelope together with the salt that proves it.

Laws. Salt and payload are written by the worker as one value, which whoever may open the envelope is given:
so nobody but a worker ever needs the envelope secret. Damaged bytes are told by the audit, never here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from service.log import Log

SALT_BYTES: Final = 32

Place = tuple[int, int]
"""An envelope: the commit's number, and its index among the commit's events."""


@dataclass(frozen=True, slots=True)
class StoredEnvelope:
    """What lies in an envelope, and the salt with which its commitment was made."""

    payload: bytes
    salt: bytes

    @property
    def stored(self) -> bytes:
        """The bytes as the store keeps them: the salt, then the payload."""
        return self.salt + self.payload

    @classmethod
    def of(cls, stored: bytes) -> StoredEnvelope:
        """Return what was stored; a salt cut short is filled up, and fits no commitment."""
        return cls(stored[SALT_BYTES:], stored[:SALT_BYTES].ljust(SALT_BYTES, b"\x00"))


def envelopes(log: Log, encounter: str, after: int, upto: int) -> dict[Place, StoredEnvelope]:
    """Return the envelopes of commits *after* < n <= *upto*, in order."""
    return {(p.n, p.index): StoredEnvelope.of(p.raw) for p in log.sealed(encounter, after, upto)}
