"""Other offensive actions: grapple, climb on, hinder or a stunt instead of an attack."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final, Literal

from service.dice.values import Roll
from service.rules.contests.contests import TEXT_LENGTH
from service.rules.heartrush import books
from service.rules.heartrush.body.conditions import gain
from service.rules.heartrush.body.damage import hurt
from service.rules.heartrush.body.weapons import free_hands
from service.rules.heartrush.creatures.adjacency import is_adjacent
from service.rules.heartrush.creatures.state import Creature, State, is_able_if_aware
from service.rules.heartrush.engaging.declaring import (
    attack_now,
    check_foe,
    check_step,
    declare,
    sealed_declaration,
    stance_of,
)
from service.rules.heartrush.engaging.stances import beats
from service.rules.heartrush.moving.climbing import ClimbTried, check_climb, climb_onto
from service.rules.heartrush.moving.forced_movement import PushBegun
from service.rules.heartrush.moving.grapple import GrappleTried, check_grapple, seize
from service.rules.heartrush.moving.movement import at_most_one_size_larger
from service.rules.heartrush.rolling.contests import (
    OffensiveBegun,
    OffensiveFizzled,
    OffensiveLanded,
    OffensiveResolved,
    OffensivesOver,
)
from service.rules.heartrush.timing.engagement import (
    Declaration,
    Earned,
    EngagementFrame,
    Offensive,
    Order,
    PhaseRules,
)
from service.rules.heartrush.timing.gm_rulings import AdjudicationAsked
from service.rules.heartrush.values import HinderId
from service.rules.kernel.messages import Awaited, Command, Emits, Event, Offer, Refused, Scope, Sentence
from service.rules.kernel.records import record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.kernel.values import CreatureId, PromptId, Prose, TargetId
from service.rules.rolls.chance import Chance, PoolDie
from service.rules.space.grid import FEET
from service.rules.table.stack import Frame, opened_by

# --- hindering -----------------------------------------------------------------------------------------
# A little harm and a condition, sand in the eyes, a fall, or a shove.

HR_HIND_1: Final = Rule(
    "HR-HIND-1",
    "A hinder deals 1d4 and two levels of a condition, or blinds, or topples, or shoves and unbalances.",
    books.COMBAT.at("Other Offensive Actions"),
)


BECAUSE: Final = ("HR-HIND-1",)
LEVELS: Final = 2
"""Levels of the condition that harm or a shove brings."""


@record
class DeclaredHinder:
    """Who hinders whom."""

    creature: CreatureId
    target: TargetId


@record
class HinderFrame(DeclaredHinder, Frame[State]):
    """The little harm of a hinder, before its die is thrown."""

    kind: ClassVar[str] = "hinder"

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        thrown: Roll
        state, thrown = yield from chance.throw(
            state,
            owner=self.creature,
            stream=f"{self.creature}/hinder",
            purpose={"what": "hinder", "hinder": self.path, "against": self.target},
            pool=(PoolDie(role="hinder", sides=4),),
        )
        state = yield Hindered(hinder=self.path, creature=self.creature, target=self.target, because=BECAUSE)
        path = f"{self.path}/damage"
        return (yield from hurt(state, path, self.target, thrown.total, source=self.creature, cause="hinder"))


@record
class HinderBegun(DeclaredHinder, Event[State]):
    """A hinder does a little harm."""

    type: ClassVar[str] = "hinder_begun"
    hinder: HinderId

    def evolve(self, state: State) -> State:
        return state.pushed(opened_by(self, HinderFrame, self.hinder))


@record
class Hindered(Event[State]):
    """The die of a hinder is known."""

    type: ClassVar[str] = "hindered"
    hinder: HinderId
    creature: CreatureId
    target: TargetId

    def evolve(self, state: State) -> State:
        return state.popped(self.hinder)


def check_hinder(view: State, creature: Creature, target: Creature, offensive: Offensive) -> None:
    """Refuse a hinder of somebody out of reach or too large to topple, or one that says too little."""
    if not is_adjacent(view, creature, target):
        raise Refused("not_adjacent", f"{target.id} is not adjacent to {creature.id}", "HR-HIND-1")
    if offensive.way is None or (offensive.way == "harm") != (offensive.condition is not None):
        raise Refused("params_missing", "say which way, and for harm which condition it brings", "HR-HIND-1")
    if offensive.way == "topple" and not at_most_one_size_larger(target, creature):
        raise Refused("target_too_large", f"{target.id} is too large for {creature.id}", "HR-HIND-1")


@enforces(HR_HIND_1)
def hinder(state: State, path: str, creature: str, target: str, offensive: Offensive) -> Emits[State]:
    """Emit what a hinder does to its target: a condition with damage, blinded, prone, or a push."""
    if offensive.way == "blind":
        return (yield from gain(state, target, "blinded", 1, creature))
    if offensive.way == "topple":
        return (yield from gain(state, target, "prone", 1, creature))
    if offensive.way == "push":
        return (yield from shove(state, path, creature, target))
    assert offensive.condition is not None
    state = yield from gain(state, target, offensive.condition, LEVELS, creature)
    return (yield HinderBegun(hinder=path, creature=creature, target=target))


def shove_ft(creature: Creature, target: Creature) -> int:
    """Return the feet of a shove: 5, and 5 more or less for each size the target is smaller or larger."""
    return max(0, FEET + FEET * (creature.rank - target.rank))


def shove(state: State, path: str, creature: str, target: str) -> Emits[State]:
    """Emit a shove and what it does to the target's balance, even where it moves nobody."""
    state = yield from gain(state, target, "off_balanced", LEVELS, creature)
    feet = shove_ft(state.creatures[creature], state.creatures[target])
    if not feet:
        return state
    step = state.away(target, creature)
    return (yield PushBegun(push=path, creature=target, by=creature, step=step, feet=feet, follow=None))


# --- beginning -----------------------------------------------------------------------------------------
# Its check is rolled in its own step, what it wins waits.

HR_OFF_1: Final = Rule(
    "HR-OFF-1",
    "Only a stance that beats the target's allows something else than an attack; an equal one does not.",
    books.OFFENSIVES,
    settles=("A-41",),
)
HR_OFF_2: Final = Rule("HR-OFF-2", "An offensive action replaces the attack roll.", books.OFFENSIVES)


@enforces(HR_OFF_1)
def directly_beats(state: State, stance: str, other: str) -> bool:
    """Return whether an offensive action in *stance* is possible against a creature in *other*."""
    if other == "defensive" and not state.house.defensive_counts_as_beaten:
        return False
    return beats(stance, other)


@enforces(HR_OFF_2)
def forgo(
    state: State, frame: EngagementFrame, creature: str, target: str, offensive: Offensive
) -> Emits[State]:
    """Emit an offensive action in the place of an attack."""
    state = yield OffensiveBegun(engagement=frame.path, creature=creature, target=target, offensive=offensive)
    return (yield from attempt(state, frame, creature, target, offensive))


def attempt(
    state: State, frame: EngagementFrame, creature: str, target: str, offensive: Offensive
) -> Emits[State]:
    """Emit the check of an offensive action, or that it needs none."""
    path = f"{frame.path}/{frame.phase}/{creature}/{offensive.what}"
    if not is_adjacent(state, state.creatures[creature], state.creatures[target]):
        return (
            yield OffensiveResolved(
                engagement=frame.path,
                creature=creature,
                target=target,
                offensive=offensive,
                won=False,
                because=("HR-OFF-3", "A-51"),
            )
        )
    if offensive.what == "grapple":
        return (
            yield GrappleTried(
                contest=path,
                engagement=frame.path,
                creature=creature,
                target=target,
                offensive=offensive,
                hands=min(2, free_hands(state.creatures[creature])),
                because=("HR-GRAP-1",),
            )
        )
    if offensive.what == "climb":
        return (
            yield ClimbTried(
                contest=path,
                engagement=frame.path,
                creature=creature,
                target=target,
                offensive=offensive,
                because=("HR-CLIMB-1",),
            )
        )
    return (
        yield OffensiveResolved(
            engagement=frame.path,
            creature=creature,
            target=target,
            offensive=offensive,
            won=True,
            because=("HR-STUNT-1",) if offensive.what == "stunt" else ("HR-HIND-1",),
        )
    )


# --- landing -------------------------------------------------------------------------------------------
# After all attacks and their pushes, in the order it was won.

HR_OFF_3: Final = Rule(
    "HR-OFF-3",
    "Offensive actions land after all attack rolls; a target that is out of reach by then is not seized.",
    books.OFFENSIVES,
    settles=("A-51",),
)
HR_STUNT_1: Final = Rule(
    "HR-STUNT-1",
    "A stunt is a player's own idea: the GM allows it or not, and says by which check and what it does.",
    books.COMBAT.at("Other Offensive Actions"),
)


CLINGS = ("grapple", "climb")


class OffensivePhase(PhaseRules):
    """What was won lands, one after the other."""

    phases = ("offensive",)

    def waiting(self, state: State, frame: EngagementFrame) -> tuple[Awaited, ...]:
        return ()

    @enforces(HR_OFF_3)
    def advance(self, state: State, frame: EngagementFrame) -> Emits[State]:
        """Emit the next offensive action that lands or fizzles, or the end of them all."""
        if not frame.offensives:
            return (yield OffensivesOver(engagement=frame.path))
        earned = frame.offensives[0]
        reason = why_not(state, earned)
        if reason is not None:
            return (
                yield OffensiveFizzled(
                    engagement=frame.path, creature=earned.creature, target=earned.target, reason=reason
                )
            )
        state = yield OffensiveLanded(engagement=frame.path, creature=earned.creature, target=earned.target)
        return (yield from land(state, frame, earned))


def why_not(state: State, earned: Earned) -> str | None:
    """Return what keeps an offensive action from landing, None where it lands."""
    creature, target = state.creatures[earned.creature], state.creatures[earned.target]
    if not is_able_if_aware(creature):
        return "unable"
    if target.status not in ("active", "unconscious"):
        return "target_dead"
    what = earned.offensive.what
    apart = not is_adjacent(state, creature, target)
    if what in CLINGS and apart and state.house.offensive_recheck_adjacency:
        return "not_adjacent"
    if what == "grapple":
        return cannot_seize(creature, target)
    if what == "climb" and creature.has("creature_climber"):
        return "already_climbing"
    return None


def cannot_seize(creature: Creature, target: Creature) -> str | None:
    """Return what keeps a grapple from landing: one of the two holds or is held, or no hand is free."""
    if target.has("grappled"):
        return "already_grappled"
    if creature.has("grappling"):
        return "already_grappling"
    return None if free_hands(creature) else "no_free_hand"


def land(state: State, frame: EngagementFrame, earned: Earned) -> Emits[State]:
    """Emit what an offensive action does."""
    creature, target, offensive = earned.creature, earned.target, earned.offensive
    path = f"{frame.path}/offensive/{creature}/{target}"
    if offensive.what == "grapple":
        return (yield from seize(state, creature, target))
    if offensive.what == "climb":
        return (yield from climb_onto(state, creature, target))
    if offensive.what == "hinder":
        return (yield from hinder(state, path, creature, target, offensive))
    return (yield from stunt(path, creature, target, offensive.text))


@enforces(HR_STUNT_1)
def stunt(path: str, creature: str, target: str, text: str) -> Emits[State]:
    """Emit the question to the GM whether a stunt is allowed, by which check and with what effect."""
    return (
        yield AdjudicationAsked(
            adjudication=path, about="stunt", creature=creature, text=text, against=target
        )
    )


# --- declaring -----------------------------------------------------------------------------------------
# Grapple, climb on, hinder, or a stunt.

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
    sentence: ClassVar[Sentence] = {
        "what=grapple": "Grapple {target}[ by {ability}]",
        "what=climb": "Climb on {target}[ by {ability}]",
        "way=harm": "Harm {target}[: {condition}][ by {ability}]",
        "way=blind": "Blind {target}[ by {ability}]",
        "way=topple": "Topple {target}[ by {ability}]",
        "way=push": "Push {target}[ by {ability}]",
        "what=hinder": "Hinder {target}[: {condition}][ by {ability}]",
        "what=stunt": "Try a stunt on {target}[ by {ability}]",
        "": "Try something else on {target}",
    }
    creature: CreatureId
    target: TargetId
    what: What
    """What it is about."""
    prompt: PromptId
    ability: Literal["might", "agility"] = "might"
    """Might, agility, cunning or presence, or the id of a written one."""
    way: Way | None = None
    """How it is done; null for the usual way."""
    condition: Weakness | None = None
    """The name of the condition."""
    text: Prose = ""
    order: Order | None = None
    """Whether it moves before or after its attack."""

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
                    written={"text": kind.text} if kind.text else {},
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
    return given


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
        raise Refused("no_valid_target", f"{target} is not another participant of {frame.path}", "HR-OFF-1")
    if other.status not in ("active", "unconscious"):
        raise Refused("target_dead", f"{target} is dead", "HR-OFF-1")
    check_foe(view, creature, other)
    stance, against = stance_of(frame, creature.id), stance_of(frame, target)
    if not directly_beats(view, stance, against):
        raise Refused("stance_not_beaten", f"{stance} does not directly beat {against}", "HR-OFF-1")
    if moves and not is_adjacent(view, creature, other):
        return
    if offensive.what == "grapple":
        check_grapple(view, creature, other)
    elif offensive.what == "climb":
        check_climb(view, creature, other)
    elif offensive.what == "hinder":
        check_hinder(view, creature, other, offensive)
    elif not 0 < len(offensive.text) <= TEXT_LENGTH:
        raise Refused("params_missing", f"describe a stunt in 1 to {TEXT_LENGTH} characters", "HR-STUNT-1")
