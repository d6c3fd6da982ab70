"""Declare an offensive action instead of an attack: grapple, climb on, hinder, or a stunt."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final, Literal

from service.rules.contests.contests import TEXT_LENGTH
from service.rules.heartrush.engagements.declaring import attack_now, check_step, declare, sealed_declaration
from service.rules.heartrush.engagements.scene import Declaration, EngagementFrame, Offensive, Order
from service.rules.heartrush.engagements.targets import stance_of
from service.rules.heartrush.movement.climbing import check_climb
from service.rules.heartrush.offensives.grapple import check_grapple
from service.rules.heartrush.offensives.hinder import check_hinder
from service.rules.heartrush.offensives.trying import ADJACENT_FT, directly_beats
from service.rules.heartrush.state import Creature, State
from service.rules.kernel.messages import Awaited, Command, Emits, Offer, Refused, Scope
from service.rules.kernel.records import record

What = Literal["grapple", "climb", "hinder", "stunt"]
Way = Literal["harm", "blind", "topple", "push"]
Weakness = Literal["weakened", "off_balanced", "dazed"]
WEAKNESSES: Final[tuple[Weakness, ...]] = ("weakened", "off_balanced", "dazed")
ANYWHERE: Final[tuple[Order, ...]] = ("attack_first", "no_move")


@record
class DeclareOffensive(Command[State]):
    """Instead of attacking one whose stance yours directly beats: grapple it, climb on it, hinder it, stunt.

    A grapple rolls might, a climb the `ability` you choose. A hinder needs a `way`, and for harm a
    `condition`; a stunt its `text`, and the GM's leave. In the agility stance `order` says when to sidestep.
    """

    type: ClassVar[str] = "declare_offensive"
    creature: str
    target: str
    what: What
    prompt: str
    ability: Literal["might", "agility"] = "might"
    way: Way | None = None
    condition: Weakness | None = None
    text: str = ""
    order: Order | None = None

    def scope(self, state: State) -> Scope | None:
        return sealed_declaration(state, self.by.seat)

    def check(self, view: State) -> None:
        frame = check_step(view, self, None)
        if (self.order is not None) != (frame.phase == "agility" and not frame.movers):
            raise Refused("params_missing", "in agility, and only there, say when to move", "HR-STANCE-AGI-3")
        moves = self.order == "move_first"
        check_offensive(
            view, frame, view.creatures[self.creature], self.target, self.offensive(), moves=moves
        )

    def offensive(self) -> Offensive:
        """Return what the command would do."""
        ability = self.ability if self.what == "climb" else "might"
        return Offensive(
            what=self.what, ability=ability, way=self.way, condition=self.condition, text=self.text
        )

    def decide(self, state: State) -> Emits[State]:
        frame = state.top_frame(EngagementFrame)
        if frame.movers:
            return (yield from attack_now(state, frame, self.creature, (self.target,), self.offensive()))
        declaration = Declaration(
            target=self.target, order=self.order or "no_move", offensive=self.offensive()
        )
        return (yield from declare(state, self.by.seat, self.creature, declaration))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        frame = view.top
        creature = view.creatures[awaited.creature or ""]
        if not isinstance(frame, EngagementFrame):
            return
        order = {"order": ANYWHERE} if frame.phase == "agility" and not frame.movers else {}
        for kind, choices in _KINDS:
            targets = tuple(name for name in frame.participants if _fits(view, frame, creature, name, kind))
            if targets:
                yield Offer(
                    type=cls.type,
                    creature=creature.id,
                    prompt=awaited.prompt,
                    given=_given(kind),
                    choices={"target": targets, **choices, **order},
                )


_KINDS: Final[tuple[tuple[Offensive, dict[str, tuple[object, ...]]], ...]] = (
    (Offensive(what="grapple"), {}),
    (Offensive(what="climb"), {"ability": ("might", "agility")}),
    (Offensive(what="hinder", way="harm", condition="weakened"), {"condition": WEAKNESSES}),
    (Offensive(what="hinder", way="blind"), {}),
    (Offensive(what="hinder", way="topple"), {}),
    (Offensive(what="hinder", way="push"), {}),
    (Offensive(what="stunt", text="something bold"), {}),
)


def _given(kind: Offensive) -> dict[str, object]:
    given: dict[str, object] = {"what": kind.what}
    if kind.way is not None:
        given["way"] = kind.way
    return given | ({"text": kind.text} if kind.text else {})


def _fits(view: State, frame: EngagementFrame, creature: Creature, target: str, kind: Offensive) -> bool:
    try:
        check_offensive(view, frame, creature, target, kind, moves=False)
    except Refused:
        return False
    return True


def check_offensive(
    view: State, frame: EngagementFrame, creature: Creature, target: str, offensive: Offensive, *, moves: bool
) -> None:
    """Refuse an offensive action that cannot be tried; who moves first may still come next to its target."""
    other = view.creatures.get(target)
    if target not in frame.participants or other is None or target == creature.id:
        raise Refused("no_valid_target", f"{target} is no other participant of {frame.path}", "HR-OFF-1")
    if other.status not in ("active", "unconscious"):
        raise Refused("target_dead", f"{target} is dead", "HR-OFF-1")
    if not view.house.friendly_fire and other.side == creature.side:
        raise Refused("no_valid_target", f"{target} is on the same side", "HR-RES-2")
    stance, against = stance_of(frame, creature.id), stance_of(frame, target)
    if not directly_beats(view, stance, against):
        raise Refused("stance_not_beaten", f"{stance} does not directly beat {against}", "HR-OFF-1")
    if moves and view.distance(creature, other) > ADJACENT_FT:
        return
    if offensive.what == "grapple":
        check_grapple(view, creature, other)
    elif offensive.what == "climb":
        check_climb(view, creature, other)
    elif offensive.what == "hinder":
        check_hinder(view, creature, other, offensive)
    elif not 0 < len(offensive.text) <= TEXT_LENGTH:
        raise Refused("params_missing", f"describe a stunt in 1 to {TEXT_LENGTH} characters", "HR-STUNT-1")
