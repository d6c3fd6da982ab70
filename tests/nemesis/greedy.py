"""Be the owner that sends more than a worker decides: bursts of arrays to one encounter.

What it is answered is in no history: it plays no part but to be in the way of the others.
"""

from __future__ import annotations

from contextlib import suppress
from threading import Event, Thread
from typing import Any, Final

from tests.nemesis import fights
from tests.nemesis.http import Line, LostError, NeverSentError, Reply
from tests.nemesis.sender import Scene

BURST: Final = 40
"""Arrays of one burst: as many commands as may be undecided."""
ARRAY: Final = 50


class Greedy:
    """A client with a key of its own, in a thread of its own."""

    def __init__(self, scene: Scene, key: str) -> None:
        self._scene = scene
        self._key = key
        self._line = Line(scene.port)
        self._wanted = Event()
        self.taken = 0
        """Commands that were acknowledged."""
        self.refused = 0
        """Arrays that were refused because too many commands were undecided."""
        self.thread = Thread(target=self._run, name="greedy", daemon=True)

    def burst(self) -> None:
        """Send a burst, soon."""
        self._wanted.set()

    def _run(self) -> None:
        at = ""
        while not self._scene.over.is_set():
            if not self._wanted.wait(0.5):
                continue
            self._wanted.clear()
            at = at or self._opened()
            for _ in range(BURST if at else 0):
                if self._scene.over.is_set():
                    break
                self._flood(at)
        self._line.close()

    def _opened(self) -> str:
        reply = self._ask("/v1/encounters", fights.opening("heartrush@1"), "wait=5")
        return f"/v1/encounters/{reply.data['encounter']}" if reply is not None and reply.status < 300 else ""

    def _flood(self, at: str) -> None:
        command = {"type": "pass", "creature": "players-0"}
        reply = self._ask(f"{at}/commands?continue_on_refusal=true", [command] * ARRAY, "respond-async")
        if reply is None:
            self._scene.over.wait(0.2)
        elif reply.status < 300:
            self.taken += ARRAY
        else:
            self.refused += reply.status == 429
            self._scene.over.wait(0.05)

    def _ask(self, path: str, data: Any, prefer: str) -> Reply | None:
        headers = {"Prefer": prefer, "Idempotency-Key": f'"{self._scene.new_key("greedy")}"'}
        with suppress(NeverSentError, LostError):
            return self._line.ask("POST", path, self._key, data, headers)
        return None
