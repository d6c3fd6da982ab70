"""Send requests as a careful client does: one key for all attempts, sent again until the end is known.

A client gives up only where every attempt failed for certain; then the checker holds that nothing of it is on
the record.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from threading import Event, Lock
from typing import Any, Final

from tests.nemesis.history import History
from tests.nemesis.http import Line, LostError, NeverSentError, Reply

Json = dict[str, Any]

WAITS: Final = ("respond-async", "wait=1", "wait=5", None)
UNKNOWN: Final = frozenset({500, 504})
"""Statuses that leave open whether it happened."""
CERTAIN: Final = range(400, 500)
LATER: Final = frozenset({408, 429})
READABLE: Final = frozenset({200, 201, 202, 304, 429, 503, 504})
"""What a well-formed read may be answered."""
SETTLED_S: Final = 90.0
"""How long an unknown is settled for once the run is over."""


@dataclass
class Scene:
    """What all clients of a run share."""

    history: History
    port: int
    key: str
    seed: str
    over: Event = field(default_factory=Event)
    """Set when nothing new is begun."""
    hurry: Event = field(default_factory=Event)
    """Set when nobody waits any longer."""
    _lock: Lock = field(default_factory=Lock)
    _keys: int = 0
    acked: dict[str, int] = field(default_factory=dict)
    """The greatest acknowledged number of each encounter."""

    def new_key(self, client: str) -> str:
        """Return an idempotency key that no other request has."""
        with self._lock:
            self._keys += 1
            return f"{client}.{self._keys}"

    def acknowledge(self, encounter: str, n: int) -> None:
        """Remember what somebody was told to be on the record."""
        with self._lock:
            self.acked[encounter] = max(n, self.acked.get(encounter, 0))

    def known(self, encounter: str) -> int:
        """Return the greatest number of *encounter* that was acknowledged to anybody."""
        with self._lock:
            return self.acked.get(encounter, 0)


@dataclass(frozen=True)
class Wanted:
    """One request: where it goes, what it says, and what it puts on the record."""

    kind: str
    method: str
    path: str
    commands: Sequence[Json]
    """What stands on the record if it happens."""
    data: object = None
    encounter: str = ""
    seat: str = "gm"
    token: str = ""
    if_match: int | None = None
    key: str = ""


class Sender:
    """One client's requests."""

    def __init__(self, scene: Scene, name: str) -> None:
        self.scene = scene
        self.name = name
        self.chance = Random(f"{scene.seed}/{name}")
        self.line = Line(scene.port)

    def send(self, wanted: Wanted, prefer: str | None = "") -> Reply | None:
        """Send until the end is known; the answer that acknowledged it, None where nothing happened."""
        wanted = replace(wanted, key=wanted.key or self.scene.new_key(self.name))
        is_unknown = False
        tries, ends = 0, None
        while True:
            reply, how = self.attempt(wanted, prefer)
            tries += 1
            if how == "ok":
                return reply
            is_unknown |= how == "unknown"
            if reply is not None and reply.status in CERTAIN and reply.status not in LATER:
                return None
            if not is_unknown and (self.scene.over.is_set() or self.chance.random() < 0.3):
                return None
            if self.scene.over.is_set():
                ends = ends or time.monotonic() + SETTLED_S
                if time.monotonic() > ends:
                    return None
            if is_unknown and self.chance.random() < 0.3:
                self.settle(wanted)
            self.scene.hurry.wait(min(2.0, 0.05 * 2 ** min(tries, 5)) * self.chance.uniform(0.5, 1.0))

    def attempt(self, wanted: Wanted, prefer: str | None = "") -> tuple[Reply | None, str]:
        """Send once, and note it."""
        headers = {"Idempotency-Key": f'"{wanted.key}"'}
        waits = self.chance.choice(WAITS) if prefer == "" else prefer
        if waits is not None:
            headers["Prefer"] = waits
        if wanted.if_match is not None:
            headers["If-Match"] = f'"{wanted.if_match}"'
        history = self.scene.history
        op = history.invoke(
            client=self.name,
            key=wanted.key,
            kind=wanted.kind,
            encounter=wanted.encounter,
            seat=wanted.seat,
            commands=wanted.commands,
            if_match=wanted.if_match,
        )
        try:
            reply = self.line.ask(
                wanted.method, wanted.path, wanted.token or self.scene.key, wanted.data, headers
            )
        except NeverSentError:
            history.note("fail", op=op, status=0, code="never sent")
            return None, "fail"
        except LostError as fault:
            history.note("unknown", op=op, why=str(fault))
            return None, "unknown"
        return reply, self._noted(op, wanted, reply)

    def _noted(self, op: int, wanted: Wanted, reply: Reply) -> str:
        history = self.scene.history
        n = reply.data.get("n") if isinstance(reply.data, dict) else None
        if n is not None and (reply.status < 300 or reply.status == 409):
            encounter = wanted.encounter or reply.data["encounter"]
            outcomes = reply.data.get("outcomes") or [reply.data]
            found = [{k: each[k] for k in ("n", "outcome", "hash") if k in each} for each in outcomes]
            history.note("ok", op=op, encounter=encounter, n=n, status=reply.status, outcomes=found)
            self.scene.acknowledge(encounter, n + len(wanted.commands) - 1)
            return "ok"
        if reply.status in UNKNOWN:
            history.note("unknown", op=op, why=reply.code)
            return "unknown"
        history.note("fail", op=op, status=reply.status, code=reply.code)
        return "fail"

    def settle(self, wanted: Wanted) -> None:
        """Ask by its key what became of a request, and note what is told; an opening has nowhere to ask."""
        if not wanted.encounter:
            return
        path = f"/v1/encounters/{wanted.encounter}/commands?key={wanted.key}"
        reply = self.ask("GET", path, wanted.token)
        if reply is not None and reply.status in (200, 202, 404):
            n = reply.data["n"] if reply.status != 404 else None
            self.scene.history.note("asked", key=wanted.key, encounter=wanted.encounter, n=n)

    def ask(
        self, method: str, path: str, token: str = "", headers: Mapping[str, str] | None = None
    ) -> Reply | None:
        """Read something; None where no answer came. What no reader should be told is noted."""
        try:
            reply = self.line.ask(method, path, token or self.scene.key, None, headers)
        except (NeverSentError, LostError):
            self.scene.hurry.wait(0.1)
            return None
        if reply.status not in READABLE and not (reply.status == 404 and "?key=" in path):
            self.scene.history.note("odd", path=f"{method} {path}", status=reply.status, code=reply.code)
        return reply
