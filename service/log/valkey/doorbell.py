"""The doorbell in a Valkey or Redis server: dirty sets, rings, leases, notifications and outcomes.

Safety needs none of it: the sweeper finds what a lost ring announced in the dirty set, and a reader finds
what a lost message carried in the log.
"""

from collections.abc import Sequence
from itertools import chain

from service.log import keys
from service.log.protocol import ALL_BUCKETS
from service.log.valkey.library import call
from service.log.valkey.routing import Router
from service.log.valkey.subscription import Subscription
from service.log.values import CommandNotification, Outcome


class ValkeyDoorbell:
    """The encounters that wait for a fold, and who folds them."""

    _wire: Router

    def mark_dirty(self, encounter: str, at_ms: int) -> None:
        """Record that the encounter waits for a fold, since *at_ms* unless it has waited longer."""
        self._wire.change("ZADD", keys.dirty(keys.bucket_of(encounter)), "NX", at_ms, encounter)

    def dirty(self, buckets: Sequence[int], older_than: int, count: int = 1000) -> list[str]:
        """Return encounters that have waited since *older_than* or longer, the longest waiting first."""
        found = self._wire.read_all(
            [("ZRANGE", keys.dirty(bucket), 0, count - 1, "WITHSCORES") for bucket in buckets]
        )
        waiting = chain.from_iterable(zip(flat[1::2], flat[::2], strict=True) for flat in found if flat)
        since = sorted((int(at_ms), encounter.decode()) for at_ms, encounter in waiting)
        return [encounter for at_ms, encounter in since if at_ms <= older_than][:count]

    def clean(self, encounter: str) -> bool:
        """Remove the encounter from the dirty set if everything appended is folded."""
        dirty = keys.dirty(keys.bucket_of(encounter))
        return bool(self._wire.change(*call("clean", (dirty, keys.head(encounter)), encounter)))

    def answer_notification(self, bucket: int) -> None:
        """Record that a fold of the bucket begins."""
        self._wire.change("DEL", keys.notified(bucket))

    def hold_leases(self, names: Sequence[str], token: str, ttl_ms: int) -> list[bool]:
        """Take or prolong leases, except those that another token has."""
        calls = [call("hold", (keys.lease(name),), token, ttl_ms) for name in names]
        return [bool(held) for held in self._wire.change_all(calls)]

    def release_lease(self, name: str, token: str) -> bool:
        """Free a lease if *token* has it."""
        return bool(self._wire.change(*call("release", (keys.lease(name),), token)))

    def notify(self, encounter: str) -> None:
        """Notify the listeners of the encounter's bucket that it has something to fold."""
        self._wire.change("SPUBLISH", keys.appends(keys.bucket_of(encounter)), f"{encounter}\n0\n")

    def listen_commands(self, buckets: Sequence[int] = ALL_BUCKETS) -> Subscription[CommandNotification]:
        """Subscribe to the commands of *buckets*."""
        return Subscription(self._wire, keys.appends, _notification, buckets)

    def listen_outcomes(self, buckets: Sequence[int] = ALL_BUCKETS) -> Subscription[Outcome]:
        """Subscribe to the commits of *buckets*."""
        return Subscription(self._wire, keys.outcomes, outcome_of, buckets)


def _notification(message: bytes) -> CommandNotification:
    whose, n, raw = message.split(b"\n", 2)
    encounter, _, process = whose.decode().partition(" ")
    return CommandNotification(encounter, int(n), raw, process)


def outcome_of(message: bytes) -> Outcome:
    """Return the commit in a published *message*."""
    encounter, n, outcome, raw = message.split(b"\n", 3)
    return Outcome(encounter.decode(), int(n), raw, outcome)
