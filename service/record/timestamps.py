"""Format and read times as requests, commits and responses have them."""

from __future__ import annotations

from datetime import UTC, datetime


def timestamp_of(seconds: float) -> str:
    """Return *seconds* since 1970 as RFC 3339 in UTC with milliseconds."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")[:-6] + "Z"


def seconds_of(timestamp: str) -> float:
    """Return the seconds since 1970 of a time that `timestamp_of` formatted."""
    return datetime.fromisoformat(timestamp).timestamp()
