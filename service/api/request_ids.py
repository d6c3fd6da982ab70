"""Name every request at random: an id has one length, and says nothing of how many others were sent."""

from __future__ import annotations

from secrets import token_hex
from typing import Final

_BYTES: Final = 16


def new_request_id() -> str:
    """Return the id of a request: 32 hexadecimal digits that nothing else has."""
    return token_hex(_BYTES)
