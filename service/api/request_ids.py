"""Name every request: a part drawn once for the process, and a count. Unique, and no secret."""

from __future__ import annotations

from itertools import count
from secrets import token_hex
from typing import Final

_PART_BYTES: Final = 8


class RequestIds:
    """Gives ids that no other process gives, without asking the kernel for chance each time."""

    def __init__(self) -> None:
        self._part = token_hex(_PART_BYTES)
        self._count = count(1)

    def next(self) -> str:
        """Return the next id."""
        return f"{self._part}-{next(self._count):x}"
