"""Append commands from several threads, remember what was answered, and hold the store to it."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Final, Self

from service.log import OutcomeUnknown, StoreFailure
from service.log.valkey import ValkeyLog

PAUSE_S: Final = 0.01


@dataclass
class Found:
    """What the store has of what was answered."""

    answered: int = 0
    lost: list[tuple[str, int]] = field(default_factory=list)
    """Commands that were answered and are not at their number, each with its encounter."""
    doubled: list[str] = field(default_factory=list)
    """Requests that stand at two numbers."""
    gaps: list[str] = field(default_factory=list)
    """Encounters whose numbers are not dense."""


class Load:
    """Clients that append one command after the other, each to encounters of its own.

    A client that gets no answer sends the same command with the same key until it gets one.
    """

    def __init__(self, log: ValkeyLog, *, clients: int, encounters: int) -> None:
        self._log = log
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._answered: list[tuple[str, int, bytes]] = []
        self._at: list[float] = []
        self.unknown = 0
        self.unavailable = 0
        self.other: list[Exception] = []
        """Failures that are neither."""
        run = partial(threading.Thread, target=self._run, daemon=True)
        self._threads = [run(args=(client, encounters)) for client in range(clients)]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        for thread in self._threads:
            thread.join(60)

    @property
    def answers(self) -> int:
        """How many commands were answered until now."""
        with self._lock:
            return len(self._at)

    @property
    def encounters(self) -> set[str]:
        """The encounters that were answered for."""
        with self._lock:
            return {encounter for encounter, _, _ in self._answered}

    def until_more(self, count: int, within_s: float = 60.0) -> None:
        """Wait for *count* more answers."""
        wanted, ends = self.answers + count, time.monotonic() + within_s
        while self.answers < wanted:
            assert time.monotonic() < ends, f"no {count} answers within {within_s} s: {self.other}"
            time.sleep(0.01)

    def longest_silence(self, since: float) -> float:
        """Return the longest time, in seconds, without any answer since *since* (monotonic)."""
        with self._lock:
            at = [since, *(each for each in self._at if each > since)]
        return max((after - before for before, after in pairwise(at)), default=0.0)

    def check(self, log: ValkeyLog) -> Found:
        """Hold the store to every answer."""
        found = Found(answered=len(self._answered))
        stored = {encounter: log.commands(encounter, 0, 10**6) for encounter in self.encounters}
        by_number = {(of, entry.n): entry.raw for of, entries in stored.items() for entry in entries}
        found.lost = [(of, n) for of, n, raw in self._answered if by_number.get((of, n)) != raw]
        found.gaps = [
            encounter
            for encounter, entries in stored.items()
            if [entry.n for entry in entries] != list(range(1, len(entries) + 1))
        ]
        raws = Counter(entry.raw for entries in stored.values() for entry in entries)
        found.doubled = [raw.decode() for raw, count in raws.items() if count > 1]
        return found

    def _run(self, client: int, encounters: int) -> None:
        count = 0
        while not self._stopping.is_set():
            encounter = f"load-{client}-{count % encounters}"
            key = f"{client}-{count}"
            n = self._settled(partial(self._send, encounter, key, opens=count < encounters))
            if n is not None:
                with self._lock:
                    self._answered.append((encounter, n, key.encode()))
                    self._at.append(time.monotonic())
            count += 1

    def _send(self, encounter: str, key: str, *, opens: bool) -> int:
        return self._log.submit(
            encounter,
            key.encode(),
            scope="load",
            key=key,
            fingerprint=key,
            create=opens,
            at_ms=int(time.time() * 1000),
            notify_ms=1_000,
        ).n

    def _settled(self, send: Callable[[], int]) -> int | None:
        """Send until it is answered; None where the load ends before."""
        while not self._stopping.is_set():
            try:
                return send()
            except OutcomeUnknown:
                self.unknown += 1
            except StoreFailure:
                self.unavailable += 1
            except Exception as fault:  # noqa: BLE001 - it is looked at in the end
                self.other.append(fault)
            time.sleep(PAUSE_S)
        return None
