"""Follow an encounter as one seat: past commits first, then new ones, each once and in order.

A commit's stream data is what a page of commits showed the seat when that commit was the last, with the
envelopes of earlier commits that it opened. So the data is the same at any later time, and nothing need be
read a second time. A follower that has caught up receives the end of the record and the hash of the seat's
own view, then again every few seconds; a follower that folds by itself can compare. A position beyond the
record yields a reset. If the encounter continues in another line of play, that is the last item.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from service.core import views
from service.core.seams import Seam, ending, is_end
from service.record.commit import load_commit
from service.record.subjects import SEATS, is_about
from service.signals.feeds import EventFeed
from service.steps import Stream
from service.usecases import reading
from service.usecases.services import Services

HEARTBEAT_S: Final = 10.0
"""Seconds between two heartbeats of an idle stream."""

PAGE: Final = 100


@dataclass(frozen=True)
class CaughtUp:
    """The record ends with commit *version*; *view* is the hash of the seat's view there."""

    version: int
    view: str


@dataclass(frozen=True)
class PositionReset:
    """The position was unknown: the stream continues after *version*, and the client must read the state."""

    version: int


@dataclass(frozen=True)
class ContinuesElsewhere:
    """The encounter continues in another line of play, behind *seam*; this one has ended."""

    seam: Seam


StreamItem = reading.StreamedCommit | CaughtUp | PositionReset | ContinuesElsewhere


@dataclass(frozen=True)
class Follower:
    """A seat that follows, and the check that it still may."""

    seat: str
    may_go_on: Callable[[], bool]
    """Called at every heartbeat and after every change of seats."""


def follow(services: Services, feed: EventFeed, follower: Follower, after: int | None) -> Stream[StreamItem]:
    """Yield the encounter's stream items for *follower* after commit *after* (None: no position was given).

    The stream ends when the follower may no longer follow, when the line ends, or when the feed ends.
    """
    seat = follower.seat
    yield feed.begun  # first: what is committed from here on is heard
    after, resets = _position(reading.head(services, feed.encounter), after)
    yield from resets
    heartbeat_at = 0.0
    must_look = True
    while not feed.has_ended:
        page = _next(services, feed, seat, after, must_look=must_look)
        for found in page:
            yield found
            commit = found.result.commit
            after = commit.n
            if is_about(commit.raw, SEATS) and not follower.may_go_on():
                return
        if page:
            heartbeat_at = 0.0 if any(is_end(found.result.commit) for found in page) else heartbeat_at
            continue
        now = time.monotonic()
        if now >= heartbeat_at:
            if not follower.may_go_on():
                return
            message = _caught_up(services, feed, seat, after)
            if message is None:
                must_look = True
                continue
            yield message
            if isinstance(message, ContinuesElsewhere):
                return
            heartbeat_at = now + HEARTBEAT_S
        must_look = (yield feed.pause(heartbeat_at - now)) or time.monotonic() >= heartbeat_at


def _position(head: int, wanted: int | None) -> tuple[int, tuple[PositionReset, ...]]:
    """Return the commit after which the stream starts, and a reset if the wanted position does not exist."""
    if wanted is None or wanted > head:
        return head, (PositionReset(head),)
    return wanted, ()


def _next(
    services: Services, feed: EventFeed, seat: str, after: int, *, must_look: bool
) -> list[reading.StreamedCommit]:
    """Return the commits that follow *after*: from the feed if it has them, else from the store."""
    heard = feed.after(after)
    if heard:
        return reading.streamed_commits(services, feed.encounter, seat, heard[:PAGE])
    if not must_look:
        return []
    head = reading.head(services, feed.encounter)
    entries = services.log.commits(feed.encounter, after, min(PAGE, head - after)) if head > after else []
    return reading.streamed_commits(
        services, feed.encounter, seat, [load_commit(entry.raw) for entry in entries]
    )


def _caught_up(
    services: Services, feed: EventFeed, seat: str, n: int
) -> CaughtUp | ContinuesElsewhere | None:
    """Return the item for a *seat* that has everything up to commit *n*; None if the record has moved on."""
    encounter = feed.encounter
    folded = services.folder.current(encounter, n)
    if folded.n != n:
        return None
    seam = ending(services.log, encounter) if folded.state.continued is not None else None
    if seam is not None:
        return ContinuesElsewhere(seam)
    at, view = feed.views.get(seat, ("", ""))
    if at != folded.hash:
        view = views.view_hash(views.state_data(folded.state, seat))
        feed.views[seat] = (folded.hash, view)
    return CaughtUp(n, view)
