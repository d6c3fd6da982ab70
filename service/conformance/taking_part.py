"""Collect which rules take part: those whose code runs, and those that events cite.

A rule without code of its own that runs is still seen where an event cites it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from types import FrameType
from typing import Any

from service.rules.kernel.messages import Event, Fact, Private
from service.rules.kernel.rulebook import BY_CODE, key_of


def fired(play: Callable[[], object]) -> set[str]:
    """Return the ids of the rules whose code *play* runs."""
    seen: set[str] = set()

    def watch(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and (found := BY_CODE.get(key_of(frame.f_code))) is not None:
            seen.update(rule.id for rule in found)

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        play()
    finally:
        sys.setprofile(before)
    return seen


def named(facts: Iterable[Fact[Any]]) -> set[str]:
    """Return the ids of the rules that *facts* cite."""
    events = (fact.event if isinstance(fact, Private) else fact for fact in facts)
    return {name for event in events if isinstance(event, Event) for name in event.because}
