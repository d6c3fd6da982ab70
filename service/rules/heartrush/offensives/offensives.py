"""Tell the course of offensive actions: begun instead of an attack, won or lost, landed or fizzled.

What is won waits on the engagement until all attacks are made; `landing` carries it out.
"""

from __future__ import annotations

from typing import Any, ClassVar

from service.rules.heartrush.checks.contests import ContestFrame
from service.rules.heartrush.engagements.scene import Earned, EngagementFrame, Offensive, put
from service.rules.heartrush.state import State
from service.rules.kernel.messages import Emits, Event
from service.rules.kernel.records import changed, record


@record
class OffensiveBegun(Event[State]):
    """A participant forgoes its attack for something else."""

    type: ClassVar[str] = "offensive_begun"
    engagement: str
    creature: str
    target: str
    offensive: Offensive

    def evolve(self, state: State) -> State:
        state = put(state, self.engagement, self.creature, attack="forgone")
        frame = state.frame(self.engagement, EngagementFrame)
        return state.put(changed(frame, exchanges=frame.exchanges[1:]))


@record
class OffensiveResolved(Event[State]):
    """What was tried instead of an attack succeeds, and lands after all attacks; or it fails."""

    type: ClassVar[str] = "offensive_resolved"
    engagement: str
    creature: str
    target: str
    offensive: Offensive
    won: bool

    def evolve(self, state: State) -> State:
        if not self.won:
            return state
        frame = state.frame(self.engagement, EngagementFrame)
        earned = Earned(creature=self.creature, target=self.target, offensive=self.offensive)
        return state.put(changed(frame, offensives=(*frame.offensives, earned)))


@record
class OffensiveContest(ContestFrame):
    """What is tried instead of an attack, against one who opposes it."""

    engagement: str
    offensive: Offensive

    def outcome(self, state: State, *, won: bool) -> Emits[State]:
        return (
            yield OffensiveResolved(
                engagement=self.engagement,
                creature=self.creature,
                target=self.opponents[0],
                offensive=self.offensive,
                won=won,
                because=self.rules(),
            )
        )


@record
class OffensiveTried(Event[State]):
    """Somebody begins what takes a contest, instead of an attack."""

    abstract: ClassVar[bool] = True
    contest: str
    engagement: str
    creature: str
    target: str
    offensive: Offensive

    def terms(self, state: State) -> dict[str, Any]:
        """Return what the frame of every such contest holds: both are seen as the step began."""
        seen = state.frame(self.engagement, EngagementFrame).snapshot
        return {
            "path": self.contest,
            "engagement": self.engagement,
            "creature": self.creature,
            "opponents": (self.target,),
            "offensive": self.offensive,
            "seen": {name: seen[name] for name in (self.creature, self.target) if name in seen},
        }


@record
class OffensiveLanded(Event[State]):
    """What was won instead of an attack takes effect now."""

    type: ClassVar[str] = "offensive_landed"
    engagement: str
    creature: str
    target: str

    def evolve(self, state: State) -> State:
        return _without_first(state, self.engagement)


@record
class OffensiveFizzled(Event[State]):
    """What was won instead of an attack finds nothing to act on when it would land."""

    type: ClassVar[str] = "offensive_action_fizzled"
    engagement: str
    creature: str
    target: str
    reason: str

    def evolve(self, state: State) -> State:
        return _without_first(state, self.engagement)


@record
class OffensivesOver(Event[State]):
    """Everything that was won instead of attacks has landed."""

    type: ClassVar[str] = "offensives_over"
    engagement: str

    def evolve(self, state: State) -> State:
        return state.frame(self.engagement, EngagementFrame).moved_to(state, "closing")


def _without_first(state: State, path: str) -> State:
    frame = state.frame(path, EngagementFrame)
    return state.put(changed(frame, offensives=frame.offensives[1:]))
