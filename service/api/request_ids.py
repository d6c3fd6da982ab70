"""Random request ids, which have a fixed length and do not reveal the number of requests."""

from __future__ import annotations

from os import urandom
from typing import Final

_BYTES: Final = 16


def new_request_id() -> str:
    """Return a new request id of 32 random hexadecimal digits."""
    return urandom(_BYTES).hex()
