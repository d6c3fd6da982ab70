"""Notify the followers of an encounter of new commits: each commit is read once for all of them.

Laws. A feed is only woken; its follower reads what it missed from the record. The last commits are buffered
while an encounter is followed, so that a hundred followers do not read one commit a hundred times. The number
of feeds is limited, per process and per owner. The tokens of a seat, and those of all seats together, have a
share of their owner's, so that nobody whom an owner has let in keeps the owner out.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from threading import Lock, RLock
from typing import Final, NamedTuple

from service.log import Outcome
from service.record.commit import Commit, load_commit
from service.signals.outcomes import OutcomeListener
from service.steps import Pause, Wakeup

RECENT: Final = 64
"""Commits buffered for a followed encounter; a follower that is further behind reads the store."""


Counted = tuple[str, str]
"""What a limit counts: of whom the limit is, and their name."""


class TooManyFeeds(Exception):
    """The limit is reached: *whose* is `process`, `owner`, `seats` or `seat`."""

    def __init__(self, whose: str, most: int) -> None:
        super().__init__(f"{most} streams are open already")
        self.whose = whose
        self.most = most


@dataclass(frozen=True)
class FeedLimits:
    """The most feeds that may be open at once."""

    process: int = 512
    owner: int = 256

    @property
    def guests(self) -> int:
        """Those of all seats of one owner's encounters together."""
        return -(-self.owner * 3 // 4)

    @property
    def audience(self) -> int:
        """Those of one seat whose token many may have, such as an observer's."""
        return -(-self.owner // 2)

    @property
    def player(self) -> int:
        """Those of one player's seat, whose token one person has."""
        return -(-self.owner // 8)


class Guest(NamedTuple):
    """Somebody whom the owner has let in with the token of a seat."""

    name: str
    """The same in all lines of an encounter, and in the forks that the seat makes."""
    is_player: bool


class _Heard:
    """A published commit, parsed once for all followers."""

    def __init__(self, outcome: Outcome) -> None:
        self.n = outcome.n
        self._raw = outcome.raw

    @cached_property
    def commit(self) -> Commit:
        return load_commit(self._raw)


@dataclass(eq=False)
class _Followed:
    """An encounter that is followed."""

    feeds: set[EventFeed] = field(default_factory=set)
    recent: deque[_Heard] = field(default_factory=lambda: deque(maxlen=RECENT))
    views: dict[str, tuple[str, str]] = field(default_factory=dict)
    """The hash of each seat's view, after the hash of the commit at which the view had it."""


class EventFeed:
    """One follower's feed; one caller at a time waits on it, and `close` frees its place."""

    def __init__(
        self, feeds: EventFeeds, encounter: str, counted: Sequence[Counted], followed: _Followed
    ) -> None:
        self.encounter = encounter
        self.counted = counted
        self._rung = Lock()
        """Released while there is something to look at; an event would take a kilobyte."""
        self._rung.acquire()
        self._wakeup: Wakeup | None = None
        self.has_ended = False
        self._feeds = feeds
        self._followed = followed
        self._follow = feeds.followed.follow(encounter)

    def ring(self) -> None:
        """Have the follower look: something was heard, or the feed has ended."""
        with suppress(RuntimeError):  # it is released already
            self._rung.release()
        wakeup = self._wakeup
        if wakeup is not None:
            wakeup.ring()

    def pause(self, seconds: float) -> Pause[bool]:
        """Return a pause of up to *seconds*; its result is whether the feed was woken."""
        return Pause(partial(self._wait, seconds), partial(self._park, seconds))

    def _wait(self, seconds: float) -> bool:
        return self._rung.acquire(timeout=max(0.0, seconds))

    async def _park(self, seconds: float) -> bool:
        self._wakeup = Wakeup()
        try:
            if self._rung.locked():
                await self._wakeup.wait(seconds)
        finally:
            self._wakeup = None
        return self._wait(0)

    def after(self, n: int) -> list[Commit]:
        """Return the buffered commits that continue *n* without a gap; none if the store must be read."""
        heard = [each for each in tuple(self._followed.recent) if each.n > n]
        whole = bool(heard) and [each.n for each in heard] == list(range(n + 1, n + 1 + len(heard)))
        return [each.commit for each in heard] if whole else []

    @property
    def begun(self) -> Pause[None]:
        """The wait until every commit is heard; those before it are in the store."""
        return self._follow.begun

    @property
    def views(self) -> dict[str, tuple[str, str]]:
        """The view hashes that all followers of the encounter share, so that none is computed twice."""
        return self._followed.views

    def close(self) -> None:
        """Follow no more."""
        self._follow.close()
        self._feeds.leave(self)


class EventFeeds:
    """All feeds of this process."""

    def __init__(self, outcomes: OutcomeListener) -> None:
        self.room = FeedLimits()
        self.followed = outcomes.followed
        self._lock = RLock()  # what the collector of garbage closes, it may close while this is held
        self._followed: dict[str, _Followed] = {}
        self._count = 0
        self._open: Counter[Counted] = Counter()
        self._is_closed = False
        self._count_hooks: list[Callable[[int], None]] = []
        outcomes.on_each(self._hear)
        outcomes.on_resubscribed(self._wake_all)

    @property
    def count(self) -> int:
        """The number of open feeds."""
        return self._count

    def on_count(self, hook: Callable[[int], None]) -> None:
        """Call *hook* with the number of feeds whenever it changes; *hook* must be quick."""
        self._count_hooks.append(hook)

    def open(self, encounter: str, owner: str, guest: Guest | None = None) -> EventFeed:
        """Return a feed of *encounter*, which belongs to *owner*; raise `TooManyFeeds`.

        It is for *guest*, or for the owner.
        """
        limits = {("process", ""): self.room.process, ("owner", owner): self.room.owner}
        if guest is not None:
            limits["seats", owner] = self.room.guests
            limits["seat", guest.name] = self.room.player if guest.is_player else self.room.audience
        with self._lock:
            for counted, most in limits.items():
                if self._open[counted] >= most:
                    raise TooManyFeeds(counted[0], most)
            followed = self._followed.setdefault(encounter, _Followed())
            feed = EventFeed(self, encounter, tuple(limits), followed)
            feed.has_ended = self._is_closed
            followed.feeds.add(feed)
            self._open.update(feed.counted)
            self._change_count(1)
            return feed

    def leave(self, feed: EventFeed) -> None:
        """Free the place of *feed*; a second call changes nothing."""
        with self._lock:
            followed = self._followed.get(feed.encounter)
            if followed is None or feed not in followed.feeds:
                return
            followed.feeds.discard(feed)
            if not followed.feeds:
                del self._followed[feed.encounter]
            self._change_count(-1)
            for counted in feed.counted:
                self._open[counted] -= 1
                if not self._open[counted]:
                    del self._open[counted]

    def _change_count(self, by: int) -> None:
        self._count += by
        for hook in self._count_hooks:
            hook(self._count)

    def close(self) -> None:
        """End every feed, because the process stops."""
        self._is_closed = True
        for feed in self._all():
            feed.has_ended = True
            feed.ring()

    def _hear(self, outcome: Outcome) -> None:
        followed = self._followed.get(outcome.encounter)
        if followed is None:
            return
        followed.recent.append(_Heard(outcome))
        for feed in tuple(followed.feeds):
            feed.ring()

    def _wake_all(self) -> None:
        """Wake every follower to read the store, because commits may have been missed."""
        for feed in self._all():
            feed.ring()

    def _all(self) -> list[EventFeed]:
        with self._lock:
            return [feed for followed in self._followed.values() for feed in followed.feeds]
