"""Say where an encounter went on in another line of play, from the record alone.

Laws. A line that was proposed has no seam until the line in which it was proposed says `continued`. Up to
the seam its commits repeat what was played; those after it are new. A follower leaves the old line at its end
and enters the new one behind the seam.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from service.log import Log
from service.record.commit import ACCEPTED, SEALED, Commit, load_commit, load_request
from service.rules.amendments import Continued
from service.rules.continuing import BeginLine

PAGE: Final = 100
_CONTINUED: Final = b'"continued"'


@dataclass(frozen=True)
class SeamEnd:
    """A commit of some encounter."""

    encounter: str
    n: int
    hash: str

    def data(self) -> dict[str, Any]:
        """Return it as JSON data."""
        return {"encounter": self.encounter, "n": self.n, "hash": self.hash}


@dataclass(frozen=True)
class Seam:
    """How one line of play took over from another."""

    accepted: SeamEnd
    """The new line's last commit when it was accepted: all up to it repeats what was played."""
    ended: SeamEnd
    """The commit with which the old line ended."""
    at: str
    """When that was, RFC 3339."""
    origin: Mapping[str, Any]
    """The last commit of earlier play that counts here: `parent`, `n`, `hash`, `kind` and `levels`."""

    def data(self) -> dict[str, Any]:
        """Return what those who follow the encounter are sent."""
        return {**self.accepted.data(), "ended": self.ended.data(), "origin": dict(self.origin)}


def is_end(commit: Commit) -> bool:
    """Tell whether *commit* ends its line of play because another takes over."""
    return _CONTINUED in commit.raw and _continued(commit) is not None


def ending(log: Log, encounter: str) -> Seam | None:
    """Return where *encounter* ended and goes on, None while it is played on."""
    end = _last_that_counts(log, encounter)
    return None if end is None else following(log, end)


def following(log: Log, end: Commit) -> Seam | None:
    """Return the seam behind a commit that ends its line; None where it ends none."""
    told = _continued(end)
    if told is None:
        return None
    origin = origin_of(log, told["encounter"])
    if origin is None:
        return None  # the new line was removed, and this one is to follow
    return Seam(
        accepted=SeamEnd(told["encounter"], told["head"]["n"], told["head"]["hash"]),
        ended=SeamEnd(end.encounter, end.n, end.hash),
        at=end.at,
        origin={name: origin[name] for name in ("parent", "n", "hash", "kind", "levels")},
    )


def beginning(log: Log, line: str) -> Seam | None:
    """Return the seam at which *line* took over, None where it took over from none (yet)."""
    origin = origin_of(log, line)
    if origin is None or not origin["amendment"]:
        return None
    seam = ending(log, origin["ruled_in"] or origin["parent"])
    return seam if seam is not None and seam.accepted.encounter == line else None


def origin_of(log: Log, line: str) -> Mapping[str, Any] | None:
    """Return the moment from which *line*, or a fork, goes on, as the request says that opened it."""
    first = log.commands(line, 0, 1)
    request = load_request(first[0].raw) if first else None
    if request is None or request.type != BeginLine.type:
        return None
    origin: Mapping[str, Any] = request.data["origin"]
    return origin


def _last_that_counts(log: Log, encounter: str) -> Commit | None:
    """Return the last commit that was not refused: nothing behind an end is anything else."""
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
