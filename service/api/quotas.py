"""Bound how often one caller asks, and how often one address guesses tokens.

Laws. What is counted is requests with a valid token, by the token's key or seat and by the key's owner, and
failed tokens by address. Whoever is over is told 429 with when to come back, before anything is read of the
body or asked of the store. A counter that cannot be reached lets everybody in: it guards the service,
never the record. The fields are those of draft-ietf-httpapi-ratelimit-headers.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from threading import Lock
from typing import Final

import structlog
from limits import RateLimitItemPerMinute
from limits.errors import StorageError
from limits.storage import storage_from_string
from limits.strategies import FixedWindowRateLimiter

from service.api.problems import Problem

WINDOW_S: Final = 60
_logger: Final = structlog.get_logger()


@dataclass(frozen=True)
class Quota:
    """How many requests one of its kind may make in a minute; 0 is no bound."""

    name: str
    per_minute: int

    @property
    def policy(self) -> str:
        """The quota as one item of `RateLimit-Policy`."""
        return f'"{self.name}";q={self.per_minute};w={WINDOW_S}'


@dataclass(frozen=True)
class Bounds:
    """The quotas of a service, and where their counters are."""

    caller: int = 60_000
    """Requests a minute with one key or seat token."""
    owner: int = 240_000
    """Requests a minute with all keys of one owner."""
    guesses: int = 60
    """Failed tokens a minute from one address."""
    counters: str = "memory://"
    """Of this process, or the address of a server that counts for several."""


class Quotas:
    """The counters of one service."""

    def __init__(self, bounds: Bounds) -> None:
        address = re.sub(r"\Aunix:", "redis+unix:", bounds.counters)
        self._limiter = FixedWindowRateLimiter(storage_from_string(address, wrap_exceptions=True))
        # In memory it starts its own timer without a lock, and two threads at once broke it.
        self._turn: AbstractContextManager[object] = (
            Lock() if address.startswith("memory:") else nullcontext()
        )
        self._caller = Quota("caller", bounds.caller)
        self._owner = Quota("owner", bounds.owner)
        self._guesses = Quota("guesses", bounds.guesses)

    def take(self, caller: str, owner: str | None) -> Mapping[str, str]:
        """Count a request; the fields that tell what is left. Raises the problem `too-many-requests`."""
        fields = self._count(self._caller, caller)
        if owner is not None:
            self._count(self._owner, owner)
        return fields

    def guessed(self, address: str) -> None:
        """Count a token that was none; raises the problem `too-many-requests` after too many.

        A valid token is never kept out by the guesses of others at its address.
        """
        self._count(self._guesses, address)

    def _count(self, quota: Quota, who: str) -> Mapping[str, str]:
        if not quota.per_minute:
            return {}
        item = RateLimitItemPerMinute(quota.per_minute)
        try:
            with self._turn:
                is_within = self._limiter.hit(item, quota.name, who)
                left = self._limiter.get_window_stats(item, quota.name, who)
        except StorageError as failure:
            _logger.warning("quotas.unreachable", failure=str(failure))
            return {}
        if not is_within:
            raise _over(quota, left.reset_time)
        return _fields(quota, left.remaining, left.reset_time)


def _fields(quota: Quota, remaining: int, reset: float) -> dict[str, str]:
    seconds = max(0, math.ceil(reset - time.time()))
    return {
        "RateLimit-Policy": quota.policy,
        "RateLimit": f'"{quota.name}";r={max(0, remaining)};t={seconds}',
    }


def _over(quota: Quota, reset: float) -> Problem:
    fields = _fields(quota, 0, reset)
    seconds = max(1, math.ceil(reset - time.time()))
    detail = f"at most {quota.per_minute} a minute here; come back in {seconds} seconds"
    return Problem("too-many-requests", detail, headers=fields | {"Retry-After": str(seconds)})
