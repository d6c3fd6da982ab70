"""Bring what the hit of a cantrip brings besides damage: conditions, a push, a drenching.

In an engagement it waits for the end of the step, whose attacks are simultaneous; after an opportunity attack
it comes at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from service.rules.heartrush import books
from service.rules.heartrush.creatures.cantrips import RULE
from service.rules.heartrush.engagements.exchanges import Exchange
from service.rules.heartrush.engagements.riders import shoved
from service.rules.heartrush.engagements.scene import Brought, EngagementFrame
from service.rules.heartrush.harm.conditions import ConditionLost, gain
from service.rules.heartrush.sheets.sheet import Cantrip
from service.rules.heartrush.state import State
from service.rules.kernel.messages import Emits, Event
from service.rules.kernel.records import changed, record
from service.rules.kernel.rulebook import Rule, enforces

HR_WPN_13: Final = Rule(
    "HR-WPN-13",
    "A cantrip strikes in the weapon's place, by attunement and free hands; a hit may bring conditions.",
    books.WEAPONS.at("Cantrips"),
)


@record
class CantripHit(Event[State]):
    """A cantrip hits: what it brings besides damage lands at the end of the step."""

    type: ClassVar[str] = "cantrip_hit"
    engagement: str
    creature: str
    target: str
    brought: tuple[Brought, ...]

    def evolve(self, state: State) -> State:
        frame = state.frame(self.engagement, EngagementFrame)
        return state.put(changed(frame, brought=(*frame.brought, *self.brought)))


@record
class BroughtLanded(Event[State]):
    """The first of what cantrips have brought lands now."""

    type: ClassVar[str] = "brought_landed"
    engagement: str

    def evolve(self, state: State) -> State:
        frame = state.frame(self.engagement, EngagementFrame)
        return state.put(changed(frame, brought=frame.brought[1:]))


@record
class Drenched(Event[State]):
    """A creature is wet through, until combat ends."""

    type: ClassVar[str] = "drenched"
    creature: str

    def evolve(self, state: State) -> State:
        return state.with_creature(self.creature, drenched=True)


def brings(cantrip: Cantrip, by: str, whom: str, *, might_bonus: bool) -> Iterator[Brought]:
    """Yield what a hit brings besides damage."""
    if cantrip.drenches:
        yield Brought(what="drench", source=by, target=whom)
    levels = dict(cantrip.conditions)
    feet = cantrip.push_ft
    if might_bonus:
        for condition, more in cantrip.might_conditions.items():
            levels[condition] = levels.get(condition, 0) + more
        feet += cantrip.might_push_ft
    for condition, level in levels.items():
        if level:
            yield Brought(what="condition", source=by, target=whom, condition=condition, amount=level)
    if feet:
        yield Brought(what="shove", source=by, target=whom, amount=feet)


@enforces(HR_WPN_13)
def hit_by_cantrip(state: State, exchange: Exchange, cantrip: Cantrip, by: str, whom: str) -> Emits[State]:
    """Emit what a hit with *cantrip* brings: in an engagement at the end of its step, otherwise at once."""
    bonus = exchange.might_bonus and by == exchange.attacker
    found = tuple(brings(cantrip, by, whom, might_bonus=bonus))
    if exchange.engagement is not None:
        hit = CantripHit(engagement=exchange.engagement, creature=by, target=whom, brought=found)
        return (yield hit)
    for one in found:
        state = yield from land(state, f"{exchange.path}/{one.what}", one)
    return state


def land_first(state: State, frame: EngagementFrame) -> Emits[State]:
    """Tell the first of what cantrips have brought in the step in hand."""
    one = frame.brought[0]
    state = yield BroughtLanded(engagement=frame.path, because=(RULE,))
    left = len(frame.brought)
    return (yield from land(state, f"{frame.path}/{frame.phase}/{one.source}/{one.target}/{left}", one))


def land(state: State, path: str, one: Brought) -> Emits[State]:
    """Emit what a hit brings to those that are still there."""
    target = state.creatures[one.target]
    if not target.is_present:
        return state
    if one.what == "drench":
        state = yield Drenched(creature=one.target, because=(RULE,))
        if target.has("burning"):
            state = yield ConditionLost(creature=one.target, condition="burning", because=("HR-COND-19",))
        return state
    if one.what == "condition":
        return (yield from gain(state, one.target, one.condition, one.amount, one.source))
    return (yield from shoved(state, path, one.target, one.source, one.amount))
