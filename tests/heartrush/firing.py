"""Collect which rules take part: those whose code runs, and those that events name as their reason.

A rule without code of its own that runs is still seen where a fact names it. Functions that are the home of
two rules count for both.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterable
from types import CodeType, FrameType
from typing import Final

from service.rules.heartrush.state import State
from service.rules.messages import Event, Fact, Private
from service.rules.rulebook import BY_CODE, RULES

HOUSE: Final = "service.rules.heartrush"
OURS: Final = frozenset(name for name, rule in RULES.items() if rule.home.startswith(HOUSE))


def _by_code() -> dict[CodeType, frozenset[str]]:
    sharing: dict[str, set[str]] = defaultdict(set)
    for rule in RULES.values():
        sharing[rule.home].add(rule.id)
    return {code: frozenset(sharing[rule.home]) for code, rule in BY_CODE.items()}


def fired(play: Callable[[], object]) -> set[str]:
    """Return the ids of the rules whose code *play* runs."""
    known = _by_code()
    seen: set[str] = set()

    def watch(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and (found := known.get(frame.f_code)) is not None:
            seen.update(found)

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        play()
    finally:
        sys.setprofile(before)
    return seen & OURS


def named(facts: Iterable[Fact[State]]) -> set[str]:
    """Return the ids of the rules that *facts* name."""
    events = (fact.event if isinstance(fact, Private) else fact for fact in facts)
    return {name for event in events if isinstance(event, Event) for name in event.because} & OURS
