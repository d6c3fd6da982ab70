"""Throw a second weapon: the might bonus of a thrown one, at once and at somebody else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from service.rules.heartrush import books
from service.rules.heartrush.creatures.weapons import throwable
from service.rules.heartrush.engagements.scene import EngagementFrame, Planned
from service.rules.heartrush.engagements.targets import takes_part, targets
from service.rules.heartrush.permission import acting, answering
from service.rules.heartrush.state import Creature, State
from service.rules.kernel.messages import Awaited, Command, Emits, Event, Offer, Refused
from service.rules.kernel.records import changed, record
from service.rules.kernel.rulebook import Rule, enforces

HR_WPN_8: Final = Rule(
    "HR-WPN-8",
    "The might bonus of a thrown weapon: its first hit lets another fly at once, at another valid target.",
    books.WEAPONS.at("Thrown"),
)


@record
class FollowUpMade(Event[State]):
    """A second thrown weapon flies at another target; it is gone from the thrower's hands."""

    type: ClassVar[str] = "follow_up_made"
    engagement: str
    creature: str
    target: str
    weapon: str

    def evolve(self, state: State) -> State:
        frame = state.frame(self.engagement, EngagementFrame)
        planned = Planned(attacker=self.creature, defender=self.target, contested=False, weapon=self.weapon)
        thrown = (*state.creatures[self.creature].thrown, self.weapon)
        state = state.with_creature(self.creature, thrown=thrown)
        return state.put(changed(frame, following=None, exchanges=(planned, *frame.exchanges)))


@record
class FollowUpForgone(Event[State]):
    """No second weapon is thrown."""

    type: ClassVar[str] = "follow_up_forgone"
    engagement: str
    creature: str

    def evolve(self, state: State) -> State:
        return state.with_frame(self.engagement, EngagementFrame, following=None)


def next_targets(state: State, frame: EngagementFrame, creature: Creature) -> tuple[str, ...]:
    """Return whom *creature* could throw its next weapon at: valid targets but the one it has hit."""
    assert frame.following is not None
    if not throwable(creature) or not takes_part(state, creature.id):
        return ()
    found = targets(state, frame, creature, weapon=throwable(creature)[0])
    return tuple(name for name in found if name != frame.following.defender)


def awaited(state: State, frame: EngagementFrame) -> tuple[Awaited, ...]:
    """Return the answer owed by who may throw again, if it can."""
    if frame.following is None:
        return ()
    name = frame.following.attacker
    if not next_targets(state, frame, state.creatures[name]):
        return ()
    return (frame.awaited(state, "follow_up", name, FollowUp.type, ForgoFollowUp.type),)


def forgone(frame: EngagementFrame) -> Emits[State]:
    """Tell that nothing follows, for want of a weapon or a target."""
    assert frame.following is not None
    return (
        yield FollowUpForgone(engagement=frame.path, creature=frame.following.attacker, because=("HR-WPN-8",))
    )


def _frame(view: State, command: FollowUp | ForgoFollowUp) -> EngagementFrame:
    acting(view, command, command.creature, allow=("surprised",))
    answering(view, command)
    frame = view.top_frame(EngagementFrame)
    if command.prompt != frame.prompt_of("follow_up", command.creature):
        raise Refused("not_your_prompt", f"{command.prompt} is not for {command.creature}", "TABLE-SEAT-1")
    return frame


@enforces(HR_WPN_8)
@record
class FollowUp(Command[State]):
    """Throw another weapon at another valid target, after the first hit of a thrown weapon's might bonus."""

    type: ClassVar[str] = "follow_up"
    creature: str
    prompt: str
    target: str
    weapon: str

    def check(self, view: State) -> None:
        frame = _frame(view, self)
        creature = view.creatures[self.creature]
        if self.weapon not in [weapon.id for weapon in throwable(creature)]:
            raise Refused("weapon_not_wieldable", f"{self.creature} has no {self.weapon} to throw")
        if self.target not in next_targets(view, frame, creature):
            raise Refused("no_valid_target", f"{self.weapon} cannot be thrown at {self.target}")

    def decide(self, state: State) -> Emits[State]:
        frame = state.top_frame(EngagementFrame)
        return (
            yield FollowUpMade(
                engagement=frame.path, creature=self.creature, target=self.target, weapon=self.weapon
            )
        )

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        frame = view.top
        creature = view.creatures[awaited.creature or ""]
        if isinstance(frame, EngagementFrame) and frame.following is not None:
            yield Offer(
                type=cls.type,
                creature=creature.id,
                prompt=awaited.prompt,
                choices={
                    "target": next_targets(view, frame, creature),
                    "weapon": tuple(weapon.id for weapon in throwable(creature)),
                },
            )


@record
class ForgoFollowUp(Command[State]):
    """Throw no second weapon."""

    type: ClassVar[str] = "forgo_follow_up"
    creature: str
    prompt: str

    def check(self, view: State) -> None:
        _frame(view, self)

    def decide(self, state: State) -> Emits[State]:
        frame = state.top_frame(EngagementFrame)
        return (yield from forgone(frame))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        yield Offer(type=cls.type, creature=awaited.creature, prompt=awaited.prompt)
