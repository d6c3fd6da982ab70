"""Compare the occasions that envelopes wait for with those that events name, over all plays of a check."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from service.rules.kernel.messages import Event, Fact, Private


class Envelopes:
    """The occasions of all plays."""

    def __init__(self) -> None:
        self._sealed: dict[str, None] = {}
        self._named: dict[str, None] = {}

    def add(self, facts: Iterable[Fact[Any]]) -> None:
        """Add the *facts* of a play."""
        for fact in facts:
            if isinstance(fact, Private):
                self._sealed.setdefault(fact.scope.opens)
            elif isinstance(fact, Event) and isinstance(occasion := getattr(fact, "occasion", None), str):
                self._named.setdefault(occasion)

    @property
    def never_opened(self) -> str:
        """What is wrong if events name occasions, and envelopes wait for others alone; else empty."""
        if not self._sealed or not self._named or self._sealed.keys() & self._named.keys():
            return ""
        waits, opens = next(iter(self._sealed)), next(iter(self._named))
        return f"an envelope waits for {waits}, an event has the occasion {opens}, and none are the same"
