"""Find where an encounter continues in another line of play, from the record alone.

Laws. A proposed line has no seam until the line that proposed it says `continued`. The new line's record has
the commits of the path that led to it, then those that repeat earlier play, and new ones behind them. A
follower leaves the old line at its end and enters the new one behind those that repeat earlier play.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from service.core.lineage import beginning_request
from service.log import Log
from service.record.commit import ACCEPTED, SEALED, Commit, load_commit
from service.rules.contests.amendments import Continued

PAGE: Final = 100


@dataclass(frozen=True)
class SeamEnd:
    """A commit at one end of a seam."""

    encounter: str
    n: int
    hash: str

    def data(self) -> dict[str, Any]:
        """Return it as JSON data."""
        return {"line": self.encounter, "n": self.n, "hash": self.hash}


@dataclass(frozen=True)
class Seam:
    """How one line of play replaced another."""

    accepted: SeamEnd
    """The new line's last commit when it was accepted; every commit up to it repeats earlier play."""
    ended: SeamEnd
    """The commit with which the old line ended."""
    at: str
    """The time of that commit, RFC 3339."""
    origin: Mapping[str, Any]
    """The last commit of earlier play that counts here: `parent`, `n`, `hash`, `kind` and `levels`."""

    def data(self) -> dict[str, Any]:
        """Return the data that followers of the encounter receive."""
        return {**self.accepted.data(), "ended": self.ended.data(), "origin": dict(self.origin)}


def is_end(commit: Commit) -> bool:
    """Return whether *commit* ends its line of play because another continues it."""
    return _continued(commit) is not None


def ending(log: Log, encounter: str) -> Seam | None:
    """Return the seam at which *encounter* ended; None if nothing continues it."""
    end = _last_that_counts(log, encounter)
    return None if end is None else following(log, end)


def following(log: Log, end: Commit) -> Seam | None:
    """Return the seam behind a commit that ends its line; None if it does not end it."""
    continued = _continued(end)
    if continued is None:
        return None
    origin = origin_of(log, continued["encounter"])
    if origin is None:
        return None  # the new line was removed; the old one is about to be
    return Seam(
        accepted=SeamEnd(continued["encounter"], continued["head"]["n"], continued["head"]["hash"]),
        ended=SeamEnd(end.encounter, end.n, end.hash),
        at=end.at,
        origin={name: origin[name] for name in ("parent", "n", "hash", "kind", "levels")},
    )


def beginning(log: Log, line: str) -> Seam | None:
    """Return the seam at which *line* replaced another; None if it replaced none (yet)."""
    origin = origin_of(log, line)
    if origin is None or not origin["amendment"]:
        return None
    seam = ending(log, origin["ruled_in"] or origin["parent"])
    return seam if seam is not None and seam.accepted.encounter == line else None


def origin_of(log: Log, line: str) -> Mapping[str, Any] | None:
    """Return the origin of a line or fork from the request that began it; None for another encounter."""
    request = beginning_request(log, line)
    if request is None:
        return None
    origin: Mapping[str, Any] = request.data["origin"]
    return origin


def _last_that_counts(log: Log, encounter: str) -> Commit | None:
    """Return the last commit that was not refused; behind the end of a line only refusals follow."""
    return next((each for each in _backwards(log, encounter) if each.outcome in (ACCEPTED, SEALED)), None)


def _backwards(log: Log, encounter: str) -> Iterator[Commit]:
    head = log.head(encounter)
    upto = head.folded if head is not None else 0
    count = 1
    while upto > 0:
        after = max(0, upto - count)
        for entry in reversed(log.commits(encounter, after, upto - after)):
            yield load_commit(entry.raw)
        upto, count = after, PAGE


def _continued(commit: Commit) -> Mapping[str, Any] | None:
    return next((each for each in commit.events if each.get("type") == Continued.type), None)
