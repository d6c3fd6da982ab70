"""Refuse appends that exceed an owner's quota, or that come when the store's memory is nearly full.

An owner's usage is the sum over the heads of the owner's encounters, so a removal frees its room and a crash
leaves no wrong count. Each process reads the sum once a minute and adds what it appends meanwhile; a quota
may be exceeded by what other processes append in that minute.

The store's memory is read once a second. Appends are refused when less than a tenth of it is left: the rest
is for the commits of commands that were acknowledged before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import Final

from service.caches import RecentCache
from service.core.decide import BEGUN
from service.log import Log, LogError, StoreFull, StoreMemory
from service.log.errors import running_loop
from service.stores import owner_quotas
from service.stores.cached import ON_LOOP_S, CachedLookup
from service.stores.encounter_index import EncounterEntry, EncounterIndex
from service.stores.owner_quotas import OwnQuotas, StorageQuotas

USAGE_S: Final = 60.0
"""Maximum age, in seconds, of the sum over an owner's encounters."""

MEMORY_S: Final = 1.0
"""Maximum age, in seconds, of the store's memory figures."""

RESERVED: Final = 10
"""The percentage of the store's memory that is reserved for commits of acknowledged commands."""

_PAGE: Final = 1_000
_OWNERS: Final = 10_000


@dataclass(frozen=True)
class Usage:
    """How much one owner stores."""

    encounters: int = 0
    commands: int = 0
    bytes: int = 0

    def plus(self, encounters: int, commands: int, size: int) -> Usage:
        """Return the usage after an append."""
        return Usage(self.encounters + encounters, self.commands + commands, self.bytes + size)


class QuotaExceeded(Exception):
    """The owner stores as much as the quota *name* allows."""

    def __init__(self, name: str, used: int, limit: int) -> None:
        super().__init__(f"{used} of {limit} {name} are in use")
        self.name = name
        self.used = used
        self.limit = limit


class Capacity:
    """A process's view of the store's free room."""

    def __init__(self, log: Log, register: EncounterIndex, clock: Callable[[], float]) -> None:
        self._log = log
        self._register = register
        self.clock = clock
        self.quotas = StorageQuotas()
        """The quotas of an owner that was given none."""
        self.own: CachedLookup[OwnQuotas] = CachedLookup(partial(owner_quotas.find, log), clock)
        self._usage: RecentCache[str, tuple[float, Usage]] = RecentCache(_OWNERS)
        self._memory = (float("-inf"), StoreMemory(0, 0))
        self._lock = Lock()

    def check(self, owner: str, *, encounters: int = 0, commands: int = 1) -> None:
        """Return if *owner* may append as much; raise `StoreFull` or `QuotaExceeded` otherwise."""
        memory = self.memory()
        if memory.limit and memory.used * 100 >= memory.limit * (100 - RESERVED):
            raise StoreFull(f"{memory.used} of {memory.limit} bytes of the store's memory are in use")
        quotas = self.quotas_of(owner)
        if quotas == StorageQuotas():
            return
        used = self.usage(owner)
        for name, now, more, limit in (
            ("encounters", used.encounters, encounters, quotas.encounters),
            ("commands", used.commands, commands, quotas.commands),
            ("bytes", used.bytes, 1, quotas.bytes),
        ):
            if limit and more and now + more > limit:
                raise QuotaExceeded(name, now, limit)

    def quotas_of(self, owner: str) -> StorageQuotas:
        """Return how much *owner* may store."""
        return self.own.of(owner).over(self.quotas)

    def memory(self) -> StoreMemory:
        """Return the store's memory, used and limit in bytes."""
        now = self.clock()
        asked, memory = self._memory
        age = now - asked
        if 0 <= age < MEMORY_S:
            return memory
        loop = running_loop()
        if 0 <= age < ON_LOOP_S and loop is not None:
            self._memory = (now, memory)  # so that concurrent callers start no second read
            loop.run_in_executor(None, self._renew_memory)
            return memory
        return self._look_at_memory()

    def _look_at_memory(self) -> StoreMemory:
        memory = self._log.memory()
        self._memory = (self.clock(), memory)
        return memory

    def _renew_memory(self) -> None:
        with suppress(LogError):  # the next caller reads it
            self._look_at_memory()

    def usage(self, owner: str) -> Usage:
        """Return how much *owner* stores."""
        now = self.clock()
        known = self._usage.get(owner)
        if known is not None and 0 <= now - known[0] < USAGE_S:
            return known[1]
        found = self._count(owner)
        with self._lock:
            self._usage.put(owner, (now, found))
        return found

    def appended(self, owner: str, *, encounters: int, commands: int, size: int) -> None:
        """Add what this process appended for *owner*; *size* in bytes."""
        with self._lock:
            known = self._usage.get(owner)
            if known is not None:
                self._usage.put(owner, (known[0], known[1].plus(encounters, commands, size)))

    def _count(self, owner: str) -> Usage:
        total = Usage()
        for _, commands, size in self.by_encounter(owner):
            total = total.plus(1, commands, size)
        return total

    def by_encounter(self, owner: str) -> Iterator[tuple[EncounterEntry, int, int]]:
        """Yield every encounter of *owner*, the newest first, with its commands and its size in bytes.

        Those of its later lines count with it: the record of a line has the commits before it a second time,
        so its bytes are all counted, and the commands alone that it has of its own.
        """
        lines = self._of_lines(owner)
        before = None
        while page := self._register.owned_by(owner, before, _PAGE):
            before = page[-1][0]
            sizes = self._log.sizes([entry.encounter for _, entry in page])
            for (_, entry), size in zip(page, sizes, strict=True):
                commands, bytes_ = lines.get(entry.encounter, (0, 0))
                if size.commands + commands:  # an entry may exist without its encounter
                    yield entry, size.commands + commands, size.bytes + bytes_

    def _of_lines(self, owner: str) -> dict[str, tuple[int, int]]:
        """Return the commands and the bytes of the later lines of each encounter, by its first line."""
        found: dict[str, tuple[int, int]] = {}
        for page in self._register.lines_owned_by(owner):
            names = [entry.encounter for entry in page]
            begun = self._log.marks_named(BEGUN, names)
            for entry, size, mark in zip(page, self._log.sizes(names), begun, strict=True):
                commands, bytes_ = found.get(entry.root or entry.encounter, (0, 0))
                own = max(0, size.commands - (0 if mark is None else int(mark) - 1))
                found[entry.root or entry.encounter] = (commands + own, bytes_ + size.bytes)
        return found
