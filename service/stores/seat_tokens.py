"""Make and check the tokens of seats.

Laws. A token is derived from the service key, the encounter, the seat and the number of tokens issued for it.
So it is not stored, and a repeated request gets the same token. The record has the number of tokens: the
newest token of an open seat is valid and no other is.
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from hashlib import sha256
from hmac import compare_digest
from hmac import digest as hmac_digest
from typing import Final
from uuid import UUID

from service.record.canonical import eid_of
from service.rules.table.table import Seat

TOKEN: Final = re.compile(r"rs_([0-9a-f]{32})_([a-z0-9][a-z0-9-]{0,23})_[A-Za-z0-9_-]{43}")
MOST_TOKENS: Final = 64
"""How many tokens of one seat are tried if its record is lost."""

_LABEL: Final = b"rewound/seat-token/1\x00"


@dataclass(frozen=True)
class SeatTokenClaim:
    """The content of a seat token, before it is verified."""

    encounter: str
    seat: str
    text: str

    def is_true(self, service_key: bytes, seat: Seat | None) -> bool:
        """Return whether it is the newest token of the open *seat* that it names."""
        number = seat.tokens if seat is not None else 0
        real = token(service_key, self.encounter, self.seat, number)
        return compare_digest(real, self.text) and seat is not None and number > 0 and not seat.closed

    def was_issued(self, service_key: bytes) -> bool:
        """Return whether it is one of a seat's first 64 tokens; used if no record has their number."""
        names = range(1, MOST_TOKENS + 1)
        return any(compare_digest(token(service_key, self.encounter, self.seat, n), self.text) for n in names)


def token(service_key: bytes, encounter: str, seat: str, number: int) -> str:
    """Return token *number* of *seat*."""
    eid, name = eid_of(encounter), seat.encode("ascii")
    said = _LABEL + eid + len(name).to_bytes(2, "big") + name + number.to_bytes(8, "big")
    secret = hmac_digest(service_key, said, sha256)
    return f"rs_{eid.hex()}_{seat}_{urlsafe_b64encode(secret).decode().rstrip('=')}"


def claim(text: str) -> SeatTokenClaim | None:
    """Return the claim in *text*; None if it is not a seat token."""
    found = TOKEN.fullmatch(text)
    return SeatTokenClaim(encounter=str(UUID(found[1])), seat=found[2], text=text) if found else None
