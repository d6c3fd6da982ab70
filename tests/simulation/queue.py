"""Be RQ: a queue of rings that loses some, repeats some and is wiped."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.simulation.scheduler import Actor, Scheduler


@dataclass(eq=False)
class Queue:
    """What all processes enqueue to and workers take from."""

    hub: Scheduler
    lost: float = 0.0
    doubled: float = 0.0
    waiting: list[int] = field(default_factory=list)
    takers: list[Actor] = field(default_factory=list)

    def ring(self, bucket: int) -> bool:
        """Enqueue a fold of *bucket*; whether the queue took it."""
        chance = self.hub.chance
        self.hub.sleep(0.0002 + chance.random() * 0.001)
        if self.lost and chance.random() < self.lost:
            self.hub.note(f"the ring for bucket {bucket} is lost")
            return False
        times = 2 if self.doubled and chance.random() < self.doubled else 1
        for _ in range(times):
            self.hub.after(chance.random() * 0.002, lambda: self._arrive(bucket))
        return True

    def _arrive(self, bucket: int) -> None:
        self.waiting.append(bucket)
        for taker in self.takers:
            self.hub.wake(taker)

    def take(self, seconds: float) -> int | None:
        """Return the ring that waits longest, None if none comes within *seconds*."""
        if not self.waiting:
            me = self.hub.current
            self.takers.append(me)
            try:
                self.hub.park(seconds)
            finally:
                self.takers.remove(me)
        return self.waiting.pop(0) if self.waiting else None

    def wipe(self) -> None:
        """Forget every ring."""
        self.hub.note("the queue is wiped")
        self.waiting.clear()
