"""Rate limits: requests of one caller per minute, and invalid tokens from one address per minute.

Laws. Requests with a valid token are counted by the token's key or seat, and by the key's owner. Invalid
tokens and requests to public operations are counted by address. A caller over its limit gets 429 with
`Retry-After`, before the body is read or the store is queried. If a counter cannot be reached, requests are
admitted, because rate limits protect the service and never the record. The fields follow
draft-ietf-httpapi-ratelimit-headers.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Final, NamedTuple, Protocol

import structlog
from limits import RateLimitItemPerMinute
from limits.storage import storage_from_string
from limits.strategies import FixedWindowRateLimiter

from service.api.problems import Problem
from service.log.errors import refuse_on_loop

WINDOW_S: Final = 60
_ANSWER_S: Final = 1.0
"""Seconds a counting server may take; after that it counts as unreachable."""
_logger: Final = structlog.get_logger()


@dataclass(frozen=True)
class RequestQuota:
    """Requests that each caller (or owner, or address) may make in a minute; 0 means no limit."""

    name: str
    per_minute: int

    @property
    def policy(self) -> str:
        """The quota as an item of `RateLimit-Policy`."""
        return f'"{self.name}";q={self.per_minute};w={WINDOW_S}'


@dataclass(frozen=True)
class RateLimits:
    """The quotas of a service, and the addresses of their counters."""

    caller: int = 60_000
    """Requests per minute with one key or seat token."""
    owner: int = 240_000
    """Requests per minute with all keys of one owner."""
    guesses: int = 60
    """Invalid tokens per minute from one address."""
    anonymous: int = 600
    """Requests per minute from one address to public operations."""
    counters: str | None = None
    """The address of a server that counts for several processes; None counts in this process."""
    rare_counters: str | None = None
    """The same for invalid tokens, which are rare enough to be counted by a server for all processes."""


class Window(NamedTuple):
    """The requests of one caller in the current window, and the end of the window in seconds since 1970."""

    requests: int
    ends: float


class CountersUnreachable(Exception):
    """The server that counts does not."""


class Counters(Protocol):
    """Counters by quota and caller; a window of one minute begins with the first request."""

    def hit(self, quota: RequestQuota, who: str) -> Window:
        """Count one request and return its window; raises `CountersUnreachable`."""


class LocalCounters:
    """The counters of this process.

    The library `limits` has such counters too, but its own start a thread about every fourth request to drop
    old windows.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._windows: dict[tuple[str, str], Window] = {}
        """Ordered by their ends, because all windows have the same length."""

    def hit(self, quota: RequestQuota, who: str) -> Window:
        """Count one request, return its window, and drop the windows that have ended."""
        now = time.time()
        with self._lock:
            while self._windows:
                oldest = next(iter(self._windows))
                if self._windows[oldest].ends > now:
                    break
                del self._windows[oldest]
            count, ends = self._windows.get((quota.name, who), (0, now + WINDOW_S))
            window = self._windows[quota.name, who] = Window(count + 1, ends)
        return window


class SharedCounters:
    """The counters of a server that counts for several processes."""

    def __init__(self, address: str) -> None:
        url = re.sub(r"\Aunix:", "redis+unix:", address)
        self._limiter = FixedWindowRateLimiter(
            storage_from_string(
                url, wrap_exceptions=True, socket_timeout=_ANSWER_S, socket_connect_timeout=_ANSWER_S
            )
        )

    def hit(self, quota: RequestQuota, who: str) -> Window:
        """Count one request on the server.

        Raises `CountersUnreachable`, and `WouldWait` on an event loop, because it blocks.
        """
        refuse_on_loop()
        item = RateLimitItemPerMinute(quota.per_minute)
        try:
            is_within = self._limiter.hit(item, quota.name, who)
            left = self._limiter.get_window_stats(item, quota.name, who)
        except Exception as fault:
            raise CountersUnreachable(f"{type(fault).__name__}: {fault}") from fault
        return Window(quota.per_minute - left.remaining + (not is_within), left.reset_time)


class RequestQuotas:
    """The counters of one service."""

    def __init__(self, bounds: RateLimits) -> None:
        self._counters = _counters(bounds.counters)
        self._rare = _counters(bounds.rare_counters)
        self._in_its_stead = LocalCounters()
        """Counts invalid tokens while their server is unreachable."""
        self._caller = RequestQuota("caller", bounds.caller)
        self._owner = RequestQuota("owner", bounds.owner)
        self._anonymous = RequestQuota("anonymous", bounds.anonymous)
        self._guesses = RequestQuota("guesses", bounds.guesses)

    def take(self, caller: str, owner: str | None) -> Mapping[str, str]:
        """Count a request and return the rate-limit fields; raises the problem `too-many-requests`."""
        window = self._count(self._caller, caller)
        if owner is not None:
            self._count(self._owner, owner)
        return _shown(self._caller, window)

    def take_anonymous(self, address: str) -> Mapping[str, str]:
        """Count a request to a public operation; as `take`."""
        return _shown(self._anonymous, self._count(self._anonymous, address))

    def guessed(self, address: str) -> None:
        """Count an invalid token; raises the problem `too-many-requests` after too many.

        Invalid tokens never block a valid token from the same address.
        """
        if not self._guesses.per_minute:
            return
        try:
            window = self._rare.hit(self._guesses, address)
        except CountersUnreachable as failure:
            _logger.warning("quotas.unreachable", failure=str(failure))
            window = self._in_its_stead.hit(self._guesses, address)
        if window.requests > self._guesses.per_minute:
            raise _over(self._guesses, window.ends)

    def _count(self, quota: RequestQuota, who: str) -> Window | None:
        """Count a request; return its window, None if nothing is counted; raises `too-many-requests`."""
        if not quota.per_minute:
            return None
        try:
            window = self._counters.hit(quota, who)
        except CountersUnreachable as failure:
            _logger.warning("quotas.unreachable", failure=str(failure))
            return None
        if window.requests > quota.per_minute:
            raise _over(quota, window.ends)
        return window


def _counters(address: str | None) -> Counters:
    return SharedCounters(address) if address else LocalCounters()


def _shown(quota: RequestQuota, window: Window | None) -> Mapping[str, str]:
    """Return the rate-limit fields of a request that was counted in *window*."""
    return {} if window is None else _fields(quota, quota.per_minute - window.requests, window.ends)


def _fields(quota: RequestQuota, remaining: int, reset: float) -> dict[str, str]:
    seconds = max(0, math.ceil(reset - time.time()))
    return {
        "RateLimit-Policy": quota.policy,
        "RateLimit": f'"{quota.name}";r={remaining};t={seconds}',
    }


def _over(quota: RequestQuota, reset: float) -> Problem:
    fields = _fields(quota, 0, reset)
    seconds = max(1, math.ceil(reset - time.time()))
    detail = f"at most {quota.per_minute} requests a minute; try again in {seconds} seconds"
    return Problem("too-many-requests", detail, headers=fields | {"Retry-After": str(seconds)})
