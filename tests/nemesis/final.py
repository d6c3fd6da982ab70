"""Hold what the service shows once everything is over: the other half of what the checker compares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

SOUND_AUDITS: Final = frozenset({"valid"})
"""Verdicts that an encounter which is closed and signed may have."""


@dataclass(frozen=True)
class Logged:
    """One command and its commit, as a bundle has them: exact bytes, and who sent what."""

    n: int
    request: bytes
    commit: bytes


@dataclass(frozen=True)
class Shown:
    """One encounter as the service shows it in the end."""

    encounter: str
    log: tuple[Logged, ...]
    pages: tuple[tuple[int, str], ...]
    """Number and hash of each commit, as `GET …/commits` has them."""
    live: tuple[int, str]
    """The version of the state that the service keeps, and the hash of the gm's view."""
    replayed: Mapping[int, str]
    """The hash of the gm's view after commit n, folded from the bundle: the last, and all that were read."""
    bundle: str
    """The verdict of the bundle, offline."""
    audit: str
    """The verdict of the service's own audit."""
    live_state: str
    """What that audit says of the state that is kept: `equal`."""
    keys: Mapping[str, int | None] = field(default_factory=dict)
    """What each key is told about its request: a number, or nothing."""
