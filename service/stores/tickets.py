"""Authenticate a client that cannot send headers, once: a browser's EventSource has only a URL.

A ticket names its owner and expiry, signed with the service key, so nothing is stored until it is used. It
grants once the read access that its owner has when it is used.
"""

from __future__ import annotations

import json
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as Base64Error
from dataclasses import asdict, dataclass
from hashlib import sha256
from hmac import compare_digest
from hmac import digest as hmac_digest
from secrets import token_hex
from typing import Final

from service.log import SideStore

LIFE_S: Final = 30
"""Seconds in which a ticket must be used."""

_TICKET: Final = re.compile(r"rt_([A-Za-z0-9_-]{1,400})\.([A-Za-z0-9_-]{43})")
_LABEL: Final = b"rewound/ticket/1\x00"
_NONCE_BYTES: Final = 16


@dataclass(frozen=True)
class StreamTicket:
    """A ticket of an API key, by its id, or of a seat, by its name and the number of its token."""

    encounter: str
    expires: int
    """Seconds since 1970."""
    nonce: str
    key: str | None = None
    seat: str | None = None
    number: int = 0


def new(
    encounter: str, now: float, *, key: str | None = None, seat: str | None = None, number: int = 0
) -> StreamTicket:
    """Return a ticket to *encounter* for an API key, or for a seat with token *number*."""
    return StreamTicket(encounter, int(now) + LIFE_S, token_hex(_NONCE_BYTES), key, seat, number)


def signed(service_key: bytes, ticket: StreamTicket) -> str:
    """Return *ticket* as it is sent."""
    said = json.dumps(asdict(ticket), separators=(",", ":")).encode()
    return f"rt_{_text(said)}.{_text(_mac(service_key, said))}"


def redeem(store: SideStore, service_key: bytes, text: str, now: float) -> StreamTicket | None:
    """Return the content of the ticket *text* and invalidate it; None if it is invalid already."""
    found = _TICKET.fullmatch(text)
    if found is None:
        return None
    try:
        said = urlsafe_b64decode(found[1] + "=" * (-len(found[1]) % 4))
    except Base64Error:  # no bytes encode to this length
        return None
    if not compare_digest(_text(_mac(service_key, said)), found[2]):
        return None
    ticket = StreamTicket(**json.loads(said))
    if now >= ticket.expires or not store.use_once(f"ticket/{ticket.nonce}", 2 * LIFE_S * 1000):
        return None
    return ticket


def _mac(service_key: bytes, said: bytes) -> bytes:
    return hmac_digest(service_key, _LABEL + said, sha256)


def _text(data: bytes) -> str:
    return urlsafe_b64encode(data).decode().rstrip("=")
