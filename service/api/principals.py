"""Who sends a request: an API key or a seat's token, and the seat that it has in an encounter."""

from __future__ import annotations

from dataclasses import dataclass

from service.stores.api_keys import ApiKey
from service.stores.seat_tokens import SeatTokenClaim


@dataclass(frozen=True)
class Principal:
    """The sender of a request: an API key, or a seat by its token."""

    key: ApiKey | None = None
    claim: SeatTokenClaim | None = None
    role: str | None = None
    """The role of the seat; None for an API key."""
    line: str | None = None
    """The line of play that the request names."""
    seated_in: str | None = None
    """The line of play whose seats are valid now: the newest one, in which the encounter continues."""

    expires: int | None = None
    """When the share link that it sent ends, in seconds since 1970; None for a key and a token."""

    @property
    def name(self) -> str:
        """The name under which its requests are counted and logged: the key's id, or encounter and seat."""
        return f"{self.claim.encounter}/{self.claim.seat}" if self.claim else self.key.id if self.key else ""


@dataclass(frozen=True)
class SeatAccess:
    """A caller's seat in one encounter."""

    encounter: str
    edition: str
    seat: str
    role: str
    scope: str
    """The scope of its idempotency keys: `key:<owner>` or `seat:<id>`."""
