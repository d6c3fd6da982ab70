"""Bound how often one caller asks, and how often one address guesses tokens.

Laws. What is counted is requests with a valid token, by the token's key or seat and by the key's owner, and
by address failed tokens and requests that need none. Who is over is answered 429 with when to come back,
before anything is read of the body or asked of the store. A counter that cannot be reached lets everybody
in: it guards the service, never the record. The fields are those of draft-ietf-httpapi-ratelimit-headers.
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
from limits.errors import StorageError
from limits.storage import storage_from_string
from limits.strategies import FixedWindowRateLimiter

from service.api.problems import Problem
from service.log.errors import refuse_on_loop

WINDOW_S: Final = 60
_ANSWER_S: Final = 1.0
"""How long a server may take to count; longer, and it is one that cannot be reached."""
_logger: Final = structlog.get_logger()


@dataclass(frozen=True)
class RequestQuota:
    """How many requests one of its kind may make in a minute; 0 is no bound."""

    name: str
    per_minute: int

    @property
    def policy(self) -> str:
        """The quota as one item of `RateLimit-Policy`."""
        return f'"{self.name}";q={self.per_minute};w={WINDOW_S}'


@dataclass(frozen=True)
class RateLimits:
    """The quotas of a service, and where their counters are."""

    caller: int = 60_000
    """Requests a minute with one key or seat token."""
    owner: int = 240_000
    """Requests a minute with all keys of one owner."""
    guesses: int = 60
    """Failed tokens a minute from one address."""
    anonymous: int = 600
    """Requests a minute from one address for what asks for no token."""
    counters: str | None = None
    """The address of a server that counts for several processes; None counts in this one."""
    rare_counters: str | None = None
    """The same for what is counted so seldom that a server may count it for all processes: failed tokens."""


class Window(NamedTuple):
    """How many requests one caller made since the window began, and when it ends, in seconds since 1970."""

    requests: int
    ends: float


class Counters(Protocol):
    """Counts by name, each in a window of a minute that its first request begins."""

    def hit(self, quota: RequestQuota, who: str) -> Window:
        """Count one request; raises `StorageError` where the counters cannot be reached."""


class LocalCounters:
    """The counters of this process.

    `limits` has such counters too, but starts a thread about every fourth request to forget old ones.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._windows: dict[tuple[str, str], Window] = {}
        """In the order of their ends, since all are equally long."""

    def hit(self, quota: RequestQuota, who: str) -> Window:
        """Count one request, and forget the windows that ended."""
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
        """Count one request there."""
        refuse_on_loop()
        item = RateLimitItemPerMinute(quota.per_minute)
        is_within = self._limiter.hit(item, quota.name, who)
        left = self._limiter.get_window_stats(item, quota.name, who)
        return Window(quota.per_minute - left.remaining + (not is_within), left.reset_time)


class RequestQuotas:
    """The counters of one service."""

    def __init__(self, bounds: RateLimits) -> None:
        self._counters = _counters(bounds.counters)
        self._rare = _counters(bounds.rare_counters)
        self._in_its_stead = LocalCounters()
        """Count failed tokens where the server that counts them cannot be reached."""
        self._caller = RequestQuota("caller", bounds.caller)
        self._owner = RequestQuota("owner", bounds.owner)
        self._anonymous = RequestQuota("anonymous", bounds.anonymous)
        self._guesses = RequestQuota("guesses", bounds.guesses)

    def take(self, caller: str, owner: str | None) -> Mapping[str, str]:
        """Count a request; the fields that tell what is left. Raises the problem `too-many-requests`."""
        fields = self._count(self._caller, caller)
        if owner is not None:
            self._count(self._owner, owner)
        return fields

    def take_anonymous(self, address: str) -> Mapping[str, str]:
        """Count a request without a token; as `take`."""
        return self._count(self._anonymous, address)

    def guessed(self, address: str) -> None:
        """Count a token that was none; raises the problem `too-many-requests` after too many.

        A valid token is never kept out by the guesses of others at its address.
        """
        if not self._guesses.per_minute:
            return
        try:
            window = self._rare.hit(self._guesses, address)
        except StorageError as failure:
            _logger.warning("quotas.unreachable", failure=str(failure))
            window = self._in_its_stead.hit(self._guesses, address)
        _judged(self._guesses, window)

    def _count(self, quota: RequestQuota, who: str) -> Mapping[str, str]:
        if not quota.per_minute:
            return {}
        try:
            window = self._counters.hit(quota, who)
        except StorageError as failure:
            _logger.warning("quotas.unreachable", failure=str(failure))
            return {}
        return _judged(quota, window)


def _counters(address: str | None) -> Counters:
    return SharedCounters(address) if address else LocalCounters()


def _judged(quota: RequestQuota, window: Window) -> Mapping[str, str]:
    """Return the fields that tell what is left; raises the problem `too-many-requests` where nothing is."""
    if window.requests > quota.per_minute:
        raise _over(quota, window.ends)
    return _fields(quota, quota.per_minute - window.requests, window.ends)


def _fields(quota: RequestQuota, remaining: int, reset: float) -> dict[str, str]:
    seconds = max(0, math.ceil(reset - time.time()))
    return {
        "RateLimit-Policy": quota.policy,
        "RateLimit": f'"{quota.name}";r={remaining};t={seconds}',
    }


def _over(quota: RequestQuota, reset: float) -> Problem:
    fields = _fields(quota, 0, reset)
    seconds = max(1, math.ceil(reset - time.time()))
    detail = f"at most {quota.per_minute} a minute here; come back in {seconds} seconds"
    return Problem("too-many-requests", detail, headers=fields | {"Retry-After": str(seconds)})
