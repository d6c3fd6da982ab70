"""Carry out what might attacks earned once all of them are made: pushes, and following in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from service.rules.heartrush import books
from service.rules.heartrush.body.damage import CrushBegun, crush_dice
from service.rules.heartrush.body.permission import acting, answering_for
from service.rules.heartrush.body.weapons import push_ft
from service.rules.heartrush.creatures.state import Creature, State, is_able_if_aware
from service.rules.heartrush.moving.forced_movement import push
from service.rules.heartrush.moving.pushed_ways import cannot_follow, follow_path, left_behind, way
from service.rules.heartrush.timing.engagement import EngagementFrame, Pending, PhaseRules
from service.rules.heartrush.values import EngagementId, FollowCell
from service.rules.kernel.messages import Answering, Awaited, Command, Emits, Event, Offer, Refused, Sentence
from service.rules.kernel.records import changed, record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.kernel.values import CreatureId, Feet, PromptId, TargetId
from service.rules.space.grid import FEET, Cell

HR_WPN_6: Final = Rule(
    "HR-WPN-6",
    "The might bonus of a melee weapon pushes the target straight away, and the attacker may follow.",
    books.WEAPONS.at("Melee"),
    settles=("A-36",),
)
HR_RES_6: Final = Rule(
    "HR-RES-6",
    "The engagement ends once all attacks are made or declined and their deferred effects are done.",
    books.MECHANICS.at("Resolution of Attacks"),
)


@record
class PushResolved(Event[State]):
    """A push that was earned is carried out, shortened or given up."""

    type: ClassVar[str] = "push_chosen"
    engagement: EngagementId
    creature: CreatureId
    target: TargetId
    feet: Feet

    def evolve(self, state: State) -> State:
        frame = state.frame(self.engagement, EngagementFrame)
        return state.put(changed(frame, pending=frame.pending[1:]))


@record
class AftermathOver(Event[State]):
    """All pushes are done; what was won instead of attacks lands, or the engagement closes."""

    type: ClassVar[str] = "aftermath_over"
    engagement: EngagementId

    def evolve(self, state: State) -> State:
        frame = state.frame(self.engagement, EngagementFrame)
        return frame.moved_to(state, "offensive" if frame.offensives else "closing")


def possible(state: State, pending: Pending) -> int:
    """Return the feet of a push that was earned, 0 where there is nothing left to push or nobody to do it."""
    source, target = state.creatures[pending.source], state.creatures[pending.target]
    if not is_able_if_aware(source) or not target.is_present or climbs_on(source, target):
        return 0
    return push_ft(source, target)


def dice_instead(state: State, pending: Pending) -> int:
    """Return the dice of harm that may take the place of a push: on a captive, or on whom one climbs."""
    source, target = state.creatures[pending.source], state.creatures[pending.target]
    if not is_able_if_aware(source) or not target.is_present or not source.conditions:
        return 0
    return 1 if climbs_on(source, target) else crush_dice(source, target)


def climbs_on(source: Creature, target: Creature) -> bool:
    """Return whether *source* climbs on *target*: its pushes become harm (HR-COND-23)."""
    found = source.conditions.get("creature_climber")
    return found is not None and found.source == target.id


def follow_cells(state: State, pending: Pending, feet: int) -> tuple[Cell, ...]:
    """Return the cells the attacker may enter after a push: left or crossed by the target, and free."""
    source, target = state.creatures[pending.source], state.creatures[pending.target]
    away = state.away(target.id, source.id)
    crossed = () if away is None else way(state, target, away, feet)[0]
    if not crossed:
        return ()
    left = left_behind(target, (target.position, *crossed[:-1]), crossed[-1])
    pushed = state.with_creature(target.id, position=crossed[-1])
    return tuple(cell for cell in left if follow_path(pushed, source.id, cell) is not None)


@enforces(HR_WPN_6)
@record
class ChoosePush(Command[State]):
    """Choose how far a melee weapon's might bonus pushes its target, and whether the attacker follows."""

    type: ClassVar[str] = "choose_push"
    sentence: ClassVar[Sentence] = {
        "distance=0": "Push nobody",
        "": "Push it {distance} ft[, and follow to {follow}]",
    }
    creature: CreatureId
    prompt: PromptId
    distance: Feet
    """Feet, in fives, from 0 to what sizes allow."""
    follow: FollowCell | None = None

    def check(self, view: State) -> None:
        acting(view, self, self.creature, allow=("surprised",))
        answering_for(view, self, self.creature)
        pending = view.top_frame(EngagementFrame).pending[0]
        most = possible(view, pending)
        if self.distance % FEET or not 0 <= self.distance <= most:
            raise Refused("push_not_possible", f"from 0 to {most} ft, in fives", HR_WPN_6.id)
        if self.follow is None:
            return
        bound = cannot_follow(view.creatures[self.creature])
        if bound is not None:
            raise bound
        if self.follow not in follow_cells(view, pending, self.distance):
            raise Refused(
                "space_occupied",
                f"{self.follow} is not a free cell that {pending.target} leaves",
                HR_WPN_6.id,
            )

    def decide(self, state: State) -> Emits[State]:
        frame = state.top_frame(EngagementFrame)
        pending = frame.pending[0]
        path = f"{frame.path}/aftermath/{self.creature}/{pending.target}"
        state = yield PushResolved(
            engagement=frame.path, creature=self.creature, target=pending.target, feet=self.distance
        )
        if not self.distance:
            return state
        return (yield from push(state, path, pending.target, self.creature, self.distance, self.follow))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        frame = view.top
        if not isinstance(frame, EngagementFrame):
            return
        pending = frame.pending[0]
        for feet in range(0, possible(view, pending) + 1, FEET):
            follow = (None, *follow_cells(view, pending, feet)) if feet else (None,)
            yield Offer(
                type=cls.type,
                creature=awaited.creature,
                prompt=awaited.prompt,
                given={"distance": feet},
                choices={"follow": follow},
            )


@record
class DealInstead(Answering[State]):
    """Hurt whom you hold, or climb on, instead of pushing it."""

    type: ClassVar[str] = "deal_instead"
    sentence: ClassVar[str] = "Hurt it instead of pushing it"
    creature: CreatureId
    prompt: PromptId

    def check(self, view: State) -> None:
        acting(view, self, self.creature, allow=("surprised",))
        answering_for(view, self, self.creature)

    def decide(self, state: State) -> Emits[State]:
        frame = state.top_frame(EngagementFrame)
        pending = frame.pending[0]
        dice = dice_instead(state, pending)
        why = ("HR-GRAP-6",) if state.creatures[self.creature].has("grappling") else ("HR-COND-23",)
        yield PushResolved(
            engagement=frame.path, creature=self.creature, target=pending.target, feet=0, because=why
        )
        return (
            yield CrushBegun(
                crush=f"{frame.path}/aftermath/{self.creature}/{pending.target}",
                creature=self.creature,
                target=pending.target,
                dice=dice,
                because=why,
            )
        )


class Aftermath(PhaseRules):
    """Pushes, one after the other, in the order they were earned."""

    phases = ("aftermath",)

    def waiting(self, state: State, frame: EngagementFrame) -> tuple[Awaited, ...]:
        if not frame.pending:
            return ()
        pending = frame.pending[0]
        harm = dice_instead(state, pending)
        if not harm and not possible(state, pending):
            return ()
        accepts = ("choose_push", "deal_instead") if harm else ("choose_push",)
        return (frame.awaited(state, "aftermath", pending.source, *accepts),)

    @enforces(HR_RES_6)
    def advance(self, state: State, frame: EngagementFrame) -> Emits[State]:
        """Emit the next deferred effect of the engagement, or the end of its aftermath."""
        if frame.pending:
            pending = frame.pending[0]
            return (
                yield PushResolved(
                    engagement=frame.path, creature=pending.source, target=pending.target, feet=0
                )
            )
        return (yield AftermathOver(engagement=frame.path))
