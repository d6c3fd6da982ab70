"""Collect which rules take part: those whose code runs, and those that events cite.

A rule without code of its own that runs is still seen where an event cites it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from service.frames import watched
from service.rules.kernel.messages import Event, Fact, Private
from service.rules.kernel.rulebook import MARKS


def fired(play: Callable[[], object]) -> set[str]:
    """Return the ids of the rules whose code *play* runs."""
    seen: set[str] = set()
    watched(play, MARKS, lambda mark, _: seen.update(mark.rules))
    return seen


def named(facts: Iterable[Fact[Any]]) -> set[str]:
    """Return the ids of the rules that *facts* cite."""
    events = (fact.event if isinstance(fact, Private) else fact for fact in facts)
    return {name for event in events if isinstance(event, Event) for name in event.because}
