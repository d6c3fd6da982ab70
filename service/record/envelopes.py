"""Store an envelope's payload together with the salt that proves it.

Laws. The worker writes salt and payload as one value. Readers who may open the envelope receive both, so only
workers need the envelope secret. The audit detects damaged bytes; this module does not.
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
    """The payload of an envelope, and the salt of its commitment."""

    payload: bytes
    salt: bytes

    @property
    def stored(self) -> bytes:
        """The bytes in the store: the salt, then the payload."""
        return self.salt + self.payload

    @classmethod
    def of(cls, stored: bytes) -> StoredEnvelope:
        """Return the envelope in *stored* bytes; a salt cut short is padded, and matches no commitment."""
        return cls(stored[SALT_BYTES:], stored[:SALT_BYTES].ljust(SALT_BYTES, b"\x00"))


def envelopes(log: Log, encounter: str, after: int, upto: int) -> dict[Place, StoredEnvelope]:
    """Return the envelopes of commits *after* < n <= *upto*, in order."""
    return {(p.n, p.index): StoredEnvelope.of(p.raw) for p in log.sealed(encounter, after, upto)}
