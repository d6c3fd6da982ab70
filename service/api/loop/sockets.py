"""Limit the sockets of one process, and how long each may stay in one phase.

Laws. The number of sockets is limited per process and per address. At a limit, the socket that has waited
longest without a whole request is closed for the new one. A request that is being answered is never ended for
another; if every socket is answering one, the new socket is refused. All sockets in a phase have the same
time limit, so they are ordered by deadline, and a sweep looks only at those that are due.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from itertools import islice
from typing import Final, Protocol

from service.api.loop.held_bytes import HeldBytes

IDLE_S: Final = 75
STALLED_S: Final = 10
"""Seconds a client may go without reading its response."""

LINGER_S: Final = 2


class SocketPhase(Enum):
    """What a socket waits for from its client."""

    HEAD = "the head of a request"
    BODY = "the body of a request"
    IDLE = "the next request"
    LINGERING = "the end of what nobody reads any more"
    CLOSING = "the rest of an answer to be taken"

    __hash__ = object.__hash__  # not a function in Python: each request has it looked up three times


@dataclass(frozen=True)
class SocketLimits:
    """The limits of one process."""

    sockets: int = 8192
    address_sockets: int = 2048
    """Sockets of one address; 0 means no limit, for use behind a proxy, whose address all requests have."""
    head_s: int = 10
    """Seconds in which the whole head of a request must arrive."""
    body_s: int = 60
    """Seconds in which its whole body must arrive."""

    def within(self, sockets: int) -> SocketLimits:
        """Return these limits with at most so many *sockets*."""
        return replace(self, sockets=min(self.sockets, sockets))


class OpenSocket(Protocol):
    """An open socket."""

    address: str

    def expire(self, phase: SocketPhase) -> None:
        """End the connection: its time in *phase* is up."""
        ...

    def drop(self) -> None:
        """Abort the connection without a response, because its slot is needed."""
        ...


class Sockets:
    """The open sockets of one process."""

    def __init__(self, limits: SocketLimits, clock: Callable[[], float]) -> None:
        self.limits = limits
        self._clock = clock
        self._seconds = {
            SocketPhase.HEAD: limits.head_s,
            SocketPhase.BODY: limits.body_s,
            SocketPhase.IDLE: IDLE_S,
            SocketPhase.LINGERING: LINGER_S,
            SocketPhase.CLOSING: STALLED_S,
        }
        self._phases: dict[SocketPhase, dict[OpenSocket, float]] = {phase: {} for phase in SocketPhase}
        self.bytes = HeldBytes()
        self._phase_of: dict[OpenSocket, SocketPhase | None] = {}
        self._of_address: dict[str, dict[OpenSocket, None]] = {}

    def __len__(self) -> int:
        return len(self._phase_of)

    def admit(self, held: OpenSocket) -> bool:
        """Add *held*, in the phase HEAD; return false if the limits leave no room for it."""
        same = self._of_address.get(held.address, {})
        most = self.limits.address_sockets
        if most and held.address and len(same) >= most and not self._make_room(iter(same)):
            return False
        if len(self._phase_of) >= self.limits.sockets and not self._make_room(self._longest_waiting()):
            return False
        self._phase_of[held] = None
        self._of_address.setdefault(held.address, {})[held] = None
        self.enter(held, SocketPhase.HEAD)
        return True

    def enter(self, held: OpenSocket, phase: SocketPhase | None) -> None:
        """Move *held* to *phase*; None means that its request is being answered."""
        if held not in self._phase_of:
            return
        before = self._phase_of[held]
        if before is not None:
            self._phases[before].pop(held, None)
        self._phase_of[held] = phase
        if phase is not None:
            self._phases[phase][held] = self._clock() + self._seconds[phase]
            same = self._of_address[held.address]
            same[held] = same.pop(held)  # the one that is longest in its phase comes first

    def phase(self, held: OpenSocket) -> SocketPhase | None:
        """Return the phase of *held*, None while its request is being answered."""
        return self._phase_of.get(held)

    def leave(self, held: OpenSocket) -> None:
        """Remove *held*, whose connection has ended."""
        if held not in self._phase_of:
            return
        self.enter(held, None)
        self.bytes.release(held)
        del self._phase_of[held]
        same = self._of_address[held.address]
        del same[held]
        if not same:
            del self._of_address[held.address]

    def sweep(self, most: int | None = None) -> float:
        """End connections whose time is up, at most so many; return the seconds until the next one's is.

        Returns infinity if no connection has a deadline.
        """
        now = self._clock()
        due = list(islice(self._due(now), most))
        for held, phase in due:
            self._expire(held, phase)
        firsts = [next(iter(members.values())) for members in self._phases.values() if members]
        return max(0.0, min(firsts, default=math.inf) - now)

    def _due(self, now: float) -> Iterator[tuple[OpenSocket, SocketPhase]]:
        for phase, members in self._phases.items():
            for held, ends in members.items():
                if ends > now:
                    break
                yield held, phase

    def end_waiting(self) -> None:
        """End the connections between two requests; a client that has begun a request may finish it."""
        for held in list(self._phases[SocketPhase.IDLE]):
            self._expire(held, SocketPhase.IDLE)

    def _expire(self, held: OpenSocket, phase: SocketPhase) -> None:
        self.enter(held, None)
        held.expire(phase)

    def _make_room(self, candidates: Iterator[OpenSocket]) -> bool:
        """Drop the first of *candidates* that has no whole request; return whether there was one."""
        for held in candidates:
            phase = self._phase_of[held]
            if phase in {SocketPhase.HEAD, SocketPhase.IDLE, SocketPhase.BODY}:
                self.leave(held)
                held.drop()
                return True
        return False

    def _longest_waiting(self) -> Iterator[OpenSocket]:
        for phase in (SocketPhase.HEAD, SocketPhase.IDLE, SocketPhase.BODY):
            yield from self._phases[phase]
