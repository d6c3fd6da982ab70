"""Go along with a captive that is pushed away, or let it go."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from service.rules.heartrush.creatures.bonds import freed
from service.rules.heartrush.movement.forced import PushFrame
from service.rules.heartrush.permission import answering_for, own
from service.rules.heartrush.state import State
from service.rules.kernel.messages import Awaited, Command, Emits, Event, Offer
from service.rules.kernel.records import changed, record


@record
class CaptiveFollowed(Event[State]):
    """A grappler comes along with its captive, or lets it go."""

    type: ClassVar[str] = "captive_followed"
    push: str
    creature: str
    captive: str
    follow: bool

    def evolve(self, state: State) -> State:
        frame = state.frame(self.push, PushFrame)
        state = state.put(
            changed(frame, stage="moving", companion=self.creature if self.follow else frame.companion)
        )
        return state if self.follow else freed(state, state.creatures[self.captive])


@record
class FollowCaptive(Command[State]):
    """When whom you hold is pushed away: go along and share its harm, or let go."""

    type: ClassVar[str] = "follow_captive"
    creature: str
    prompt: str
    follow: bool

    def check(self, view: State) -> None:
        own(view, self, self.creature)
        answering_for(view, self, self.creature)

    def decide(self, state: State) -> Emits[State]:
        frame = state.top_frame(PushFrame)
        return (
            yield CaptiveFollowed(
                push=frame.path,
                creature=self.creature,
                captive=frame.creature,
                follow=self.follow,
                because=("HR-FORCE-3",),
            )
        )

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        yield Offer(
            type=cls.type,
            creature=awaited.creature,
            prompt=awaited.prompt,
            choices={"follow": (True, False)},
        )
