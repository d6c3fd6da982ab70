"""Make and check share links: a seat's token with an end, for a link that one sends.

Laws. A link names its seat, the number of the seat's token and its expiry, signed with the service key, so it
is not stored. It is valid as long as that token is: a new token or the close of the seat ends it too.
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
from service.stores import seat_tokens
from service.stores.seat_tokens import SeatTokenClaim

_LINK: Final = re.compile(
    r"rl_([0-9a-f]{32})_([a-z0-9][a-z0-9-]{0,23})_([1-9][0-9]{0,8})_([1-9][0-9]{0,11})_([A-Za-z0-9_-]{43})"
)
_LABEL: Final = b"rewound/share-link/1\x00"


@dataclass(frozen=True)
class ShareLink:
    """A seat of an encounter until a time."""

    encounter: str
    """The encounter's first line of play, as in a seat's token."""
    seat: str
    number: int
    """The number of the seat's token with which the link ends."""
    expires: int
    """Seconds since 1970."""

    def claim(self, service_key: bytes) -> SeatTokenClaim:
        """Return the claim of the seat's token for which the link stands."""
        token = seat_tokens.token(service_key, self.encounter, self.seat, self.number)
        return SeatTokenClaim(self.encounter, self.seat, token)


def signed(service_key: bytes, link: ShareLink) -> str:
    """Return *link* as it is sent."""
    said = f"rl_{eid_of(link.encounter).hex()}_{link.seat}_{link.number}_{link.expires}"
    return f"{said}_{_mac(service_key, said)}"


def is_one(text: str) -> bool:
    """Return whether *text* has the form of a share link."""
    return _LINK.fullmatch(text) is not None


def read(service_key: bytes, text: str, now: float) -> ShareLink | None:
    """Return the link in *text*; None if it is not valid, or not any more."""
    found = _LINK.fullmatch(text)
    if found is None:
        return None
    said = text[: -len(found[5]) - 1]
    if not compare_digest(_mac(service_key, said), found[5]):
        return None
    link = ShareLink(str(UUID(found[1])), found[2], int(found[3]), int(found[4]))
    return link if now < link.expires else None


def _mac(service_key: bytes, said: str) -> str:
    mac = hmac_digest(service_key, _LABEL + said.encode("ascii"), sha256)
    return urlsafe_b64encode(mac).decode().rstrip("=")
