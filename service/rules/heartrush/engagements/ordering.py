"""Order the cunning attacks of the side that was engaged: who of it rolls next."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from service.rules.heartrush import books
from service.rules.heartrush.engagements.scene import EngagementFrame, Planned
from service.rules.heartrush.permission import answering_for, own, running
from service.rules.heartrush.state import State
from service.rules.kernel.messages import Awaited, Command, Emits, Event, Offer, Refused
from service.rules.kernel.records import changed, record
from service.rules.kernel.rulebook import RULING, Rule, enforces

TABLE_ORDER_1: Final = Rule(
    "TABLE-ORDER-1",
    "Cunning attacks come in any order: the side that was engaged says which of its own is rolled next.",
    (books.COMBAT.at("Cunning"), RULING),
)


@enforces(TABLE_ORDER_1)
def to_order(state: State, frame: EngagementFrame) -> tuple[str, ...]:
    """Return the attackers of which the engaged side may say who rolls next, none if there is no choice."""
    if frame.stage != "exchanges" or not frame.exchanges or state.house.cunning_order != "chosen":
        return ()
    mine = tuple(dict.fromkeys(one.attacker for one in frame.exchanges if _is_own(state, frame, one)))
    is_next = _is_own(state, frame, frame.exchanges[0])
    return mine if is_next and frame.leading not in mine and len(mine) > 1 else ()


def _is_own(state: State, frame: EngagementFrame, planned: Planned) -> bool:
    return state.creatures[planned.attacker].side == frame.targeted_side


@record
class AttackerChosen(Event[State]):
    """The side that was engaged lets this one of its attackers roll next."""

    type: ClassVar[str] = "attacker_chosen"
    engagement: str
    attacker: str

    def evolve(self, state: State) -> State:
        frame = state.frame(self.engagement, EngagementFrame)
        mine = [planned for planned in frame.exchanges if _is_own(state, frame, planned)]
        turned = iter(sorted(mine, key=lambda planned: planned.attacker != self.attacker))
        order = tuple(
            next(turned) if _is_own(state, frame, planned) else planned for planned in frame.exchanges
        )
        return state.put(changed(frame, exchanges=order, leading=self.attacker))


@record
class AttackNext(Command[State]):
    """Say which attacker of the engaged side rolls next in the cunning step."""

    type: ClassVar[str] = "attack_next"
    creature: str
    """Who is asked: the first of the side's attackers."""
    attacker: str
    prompt: str

    def check(self, view: State) -> None:
        running(view)
        own(view, self, self.creature)
        answering_for(view, self, self.creature)
        frame = view.top_frame(EngagementFrame)
        if self.attacker not in to_order(view, frame):
            raise Refused("no_valid_target", f"{self.attacker} has no attack left to roll", "TABLE-ORDER-1")

    def decide(self, state: State) -> Emits[State]:
        frame = state.top_frame(EngagementFrame)
        return (
            yield AttackerChosen(engagement=frame.path, attacker=self.attacker, because=("TABLE-ORDER-1",))
        )

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        frame = view.top
        if isinstance(frame, EngagementFrame):
            names = to_order(view, frame)
            yield Offer(
                type=cls.type, creature=awaited.creature, prompt=awaited.prompt, choices={"attacker": names}
            )
