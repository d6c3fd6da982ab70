"""Declare an engagement, and let others join it until nobody wants to any more."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from service.rules.heartrush import books
from service.rules.heartrush.creatures.weapons import check_works, in_range, out_of_range
from service.rules.heartrush.engagements.scene import EngagementFrame, Participant, PhaseRules
from service.rules.heartrush.means.actions import AbilityUsed, afford_action
from service.rules.heartrush.means.rush import make_active
from service.rules.heartrush.permission import acting, answering, holding_priority, is_unbarred
from service.rules.heartrush.state import Creature, State, is_able
from service.rules.heartrush.windows.deeds import Deed, Said, declared
from service.rules.kernel.messages import Awaited, Command, Emits, Event, Offer, Refused
from service.rules.kernel.records import changed, record, with_key
from service.rules.kernel.rulebook import RULING, Rule, enforces

HR_ENG_3: Final = Rule(
    "HR-ENG-3",
    "From the declaration of an engagement until its end nobody has priority.",
    books.COMBAT.at("Engaging the Enemy"),
)
HR_ENG_1: Final = Rule(
    "HR-ENG-1",
    "The initiator names an enemy it could hit with the weapon in its hand; both are in the engagement.",
    books.COMBAT.at("Engaging the Enemy"),
)
HR_ACT_5: Final = Rule(
    "HR-ACT-5",
    "A full action starts an engagement with an enemy in range; it is spent whatever comes of it.",
    books.COMBAT.at("Engage the Enemy"),
)
HR_ENG_2: Final = Rule(
    "HR-ENG-2",
    "The enemy that is named cannot refuse, and it spends no action.",
    books.COMBAT.at("Engaging the Enemy"),
)
HR_ENG_7: Final = Rule(
    "HR-ENG-7",
    "A round may hold several engagements; who still has an action may start or join the next one.",
    books.COMBAT.at("Engaging the Enemy"),
)
HR_ENG_5: Final = Rule(
    "HR-ENG-5",
    "To join, a creature spends its action and has an enemy in the engagement within weapon range.",
    books.COMBAT.at("Engaging the Enemy"),
    settles=("A-40",),
)
HR_ENG_6: Final = Rule(
    "HR-ENG-6",
    "A creature that can pay, act and reach somebody may join, also if only a newcomer is in its reach.",
    RULING,
)
HR_ACT_12: Final = Rule(
    "HR-ACT-12",
    "Enter an engagement that has been declared but not begun: a full action, at instant speed.",
    books.COMBAT.at("Enter An Engagement"),
)
HR_ENG_4: Final = Rule(
    "HR-ENG-4",
    "Before stances everybody else may join, again and again, until nobody wants to.",
    books.COMBAT.at("Engaging the Enemy"),
)


@enforces(HR_ENG_3)
@record
class EngagementDeclared(Event[State]):
    """An engagement is declared: its initiator and target are in it, and no side has priority."""

    type: ClassVar[str] = "engagement_declared"
    engagement: str
    initiator: str
    target: str

    def evolve(self, state: State) -> State:
        frame = EngagementFrame(
            path=self.engagement,
            initiator=self.initiator,
            first_target=self.target,
            targeted_side=state.creatures[self.target].side,
            participants={
                self.initiator: Participant(entry="initiated"),
                self.target: Participant(entry="forced"),
            },
        )
        state = changed(state, engagements=state.engagements + 1)
        return make_active(make_active(state, self.initiator), self.target).pushed(frame)


@enforces(HR_ENG_4)
@record
class EngagementJoined(Event[State]):
    """Another creature enters the engagement; those that declined are asked again."""

    type: ClassVar[str] = "engagement_joined"
    engagement: str
    creature: str

    def evolve(self, state: State) -> State:
        frame = state.frame(self.engagement, EngagementFrame)
        participants = with_key(frame.participants, self.creature, Participant(entry="joined"))
        return make_active(state, self.creature).put(changed(frame, participants=participants, declined=()))


@record
class JoinDeclined(Event[State]):
    """A creature stays out, unless somebody else joins."""

    type: ClassVar[str] = "join_declined"
    engagement: str
    creature: str

    def evolve(self, state: State) -> State:
        frame = state.frame(self.engagement, EngagementFrame)
        return state.put(changed(frame, declined=(*frame.declined, self.creature)))


@record
class JoiningClosed(Event[State]):
    """Nobody else joins; stances are chosen next."""

    type: ClassVar[str] = "joining_closed"
    engagement: str

    def evolve(self, state: State) -> State:
        return state.frame(self.engagement, EngagementFrame).moved_to(state, "commit")


@enforces(HR_ENG_1)
def check_engage(view: State, creature: Creature, target: Creature | None) -> None:
    """Refuse to engage what is no enemy, is dead, or is out of the range of the weapon in hand."""
    if target is None or target.side == creature.side:
        raise Refused("target_not_enemy", f"{target.id if target else 'nobody'} is no enemy of {creature.id}")
    if not target.is_present:
        raise Refused("target_dead", f"{target.id} is dead")
    check_works(view, creature, target)
    if not in_range(view, creature, target):
        raise out_of_range(view, creature, target, "HR-ENG-1")


@enforces(HR_ACT_5)
@record
class Engage(Command[State]):
    """Start an engagement with an enemy in range: a full action, spent whatever follows."""

    type: ClassVar[str] = "engage"
    creature: str
    target: str

    def check(self, view: State) -> None:
        creature = acting(view, self, self.creature)
        holding_priority(view, creature, "engage")
        afford_action(creature)
        check_engage(view, creature, view.creatures.get(self.target))

    def decide(self, state: State) -> Emits[State]:
        state = yield AbilityUsed(creature=self.creature, ability="engage", paid="action")
        return (yield from declared(state, EngageDeed(), self.creature, "action", Said(target=self.target)))

    @staticmethod
    def done(state: State, creature: str, said: Said) -> Emits[State]:
        """Tell what it does, now that its turn has come."""
        return (yield from declare(state, creature, said.target or ""))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        creature = view.creatures[awaited.creature or ""]
        targets = tuple(
            other.id
            for other in view.creatures.values()
            if other.side != creature.side and other.is_present and in_range(view, creature, other)
        )
        if creature.action and targets:
            yield Offer(type=cls.type, creature=creature.id, choices={"target": targets})


@enforces(HR_ENG_2)
def declare(state: State, initiator: str, target: str) -> Emits[State]:
    """Emit the declaration of an engagement of *initiator* with *target*, who cannot refuse."""
    return (
        yield EngagementDeclared(
            engagement=next_path(state),
            initiator=initiator,
            target=target,
            because=("HR-ENG-1", "HR-ENG-2", "HR-ENG-3"),
        )
    )


@enforces(HR_ENG_7)
def next_path(state: State) -> str:
    """Return the path of the next engagement of this round."""
    return f"r{state.round}/e{state.engagements + 1}"


@enforces(HR_ENG_5)
def check_join(view: State, frame: EngagementFrame, creature: Creature) -> None:
    """Refuse a creature that has no action left, or no enemy of *frame* within its weapon's range."""
    afford_action(creature)
    if not _near(view, frame, creature):
        raise Refused("not_in_range", f"no enemy of {creature.id} in {frame.path} is in its range")


def _near(view: State, frame: EngagementFrame, creature: Creature) -> bool:
    anybody = view.house.join_requires == "any_participant_in_range"
    parts = (view.creatures[name] for name in frame.participants if view.creatures[name].is_present)
    return any((anybody or part.side != creature.side) and in_range(view, creature, part) for part in parts)


@enforces(HR_ENG_6)
def eligible(state: State, frame: EngagementFrame) -> tuple[str, ...]:
    """Return the creatures that may still join the engagement of *frame*."""
    return tuple(
        creature.id
        for creature in state.creatures.values()
        if creature.id not in frame.participants
        and creature.id not in frame.declined
        and is_able(creature)
        and creature.action > 0
        and is_unbarred(state, creature, "join_engagement")
        and _near(state, frame, creature)
    )


@enforces(HR_ACT_12)
@record
class JoinEngagement(Command[State]):
    """Join an engagement that is declared and not begun: a full action, at instant speed."""

    type: ClassVar[str] = "join_engagement"
    creature: str
    prompt: str

    def check(self, view: State) -> None:
        creature = acting(view, self, self.creature)
        frame = joinable(view, self.creature)
        check_join(view, frame, creature)
        answering(view, self, late="join_window_closed")
        check_prompt(self.prompt, frame, "join", self.creature)

    def decide(self, state: State) -> Emits[State]:
        frame = state.top_frame(EngagementFrame)
        state = yield AbilityUsed(
            creature=self.creature, ability="join_engagement", paid="action", instant=True
        )
        return (yield EngagementJoined(engagement=frame.path, creature=self.creature))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        yield Offer(type=cls.type, creature=awaited.creature, prompt=awaited.prompt)


@record
class DeclineJoin(Command[State]):
    """Stay out of the engagement, until somebody else joins it."""

    type: ClassVar[str] = "decline_join"
    creature: str
    prompt: str

    def check(self, view: State) -> None:
        acting(view, self, self.creature)
        frame = joinable(view, self.creature)
        answering(view, self, late="join_window_closed")
        check_prompt(self.prompt, frame, "join", self.creature)

    def decide(self, state: State) -> Emits[State]:
        frame = state.top_frame(EngagementFrame)
        return (yield JoinDeclined(engagement=frame.path, creature=self.creature, because=("HR-ENG-4",)))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        yield Offer(type=cls.type, creature=awaited.creature, prompt=awaited.prompt)


def joinable(view: State, creature: str) -> EngagementFrame:
    """Return the engagement that can be joined now, or refuse."""
    frame = view.top
    if not isinstance(frame, EngagementFrame) or frame.phase != "join":
        raise Refused("join_window_closed", "no engagement can be joined now", "HR-ACT-12")
    if creature in frame.participants:
        raise Refused("already_in_engagement", f"{creature} takes part already", "HR-ENG-5")
    return frame


def check_prompt(prompt: str, frame: EngagementFrame, what: str, creature: str) -> None:
    """Refuse an answer that names the prompt of another creature."""
    if prompt != frame.prompt_of(what, creature):
        raise Refused("not_your_prompt", f"{prompt} is not for {creature}")


class Joining(PhaseRules):
    """Everybody else gets a chance to join, again and again, until no one wants to."""

    phases = ("join",)

    def waiting(self, state: State, frame: EngagementFrame) -> tuple[Awaited, ...]:
        return tuple(
            frame.awaited(state, "join", name, JoinEngagement.type, DeclineJoin.type)
            for name in eligible(state, frame)
        )

    def waits(self, state: State, frame: EngagementFrame) -> bool:
        return bool(eligible(state, frame))

    @enforces(HR_ENG_4)
    def advance(self, state: State, frame: EngagementFrame) -> Emits[State]:
        """Emit the end of joining, when no creature is left to be asked."""
        return (yield JoiningClosed(engagement=frame.path))


class EngageDeed(Deed):
    """What an engage does once nobody answers it any more."""

    name = "engage"

    def check(self, state: State, creature: Creature, said: Said) -> None:
        check_engage(state, creature, state.creatures.get(said.target or ""))

    def happen(self, state: State, creature: str, said: Said) -> Emits[State]:
        return (yield from Engage.done(state, creature, said))
