"""Let nobody hold all threads of a pool: each holder has a share of them, and waits for it in order."""

from __future__ import annotations

from asyncio import Semaphore
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass


@dataclass
class _Share:
    places: Semaphore
    asked: int = 0
    """How many hold a place or wait for one."""


class Shares:
    """Places of one loop, so many at once for each holder."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._shares: dict[str, _Share] = {}

    def __len__(self) -> int:
        """Return how many holders have a place or wait for one."""
        return len(self._shares)

    @asynccontextmanager
    async def place(self, holder: str) -> AsyncIterator[None]:
        """Hold one place of *holder*; wait while all of them are held."""
        share = self._shares.setdefault(holder, _Share(Semaphore(self._most)))
        share.asked += 1
        try:
            async with share.places:
                yield
        finally:
            share.asked -= 1
            if not share.asked:
                del self._shares[holder]
