"""Choose stances in secret, reveal them together, and find out who may attack whom."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import ClassVar, Final, Literal

from service.rules.heartrush import books
from service.rules.heartrush.body.answers import sealed_to
from service.rules.heartrush.body.permission import acting, answering_for
from service.rules.heartrush.body.weapons import check_ranged_stance, wielded
from service.rules.heartrush.creatures.state import Creature, State, is_able_if_aware
from service.rules.heartrush.moving.paths import speed
from service.rules.heartrush.timing.engagement import EngagementFrame, among, engagement_open, put
from service.rules.heartrush.values import EngagementId
from service.rules.kernel.messages import (
    Awaited,
    Command,
    Emits,
    Event,
    Noted,
    Offer,
    Private,
    Refused,
    Scope,
)
from service.rules.kernel.records import Sealed, record
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.sealed import unsealed
from service.rules.kernel.values import Code, CreatureId, Occasion, PromptId, SeatId
from service.rules.secrecy.choices import SecretChoice, by_seats

HR_STANCE_3: Final = Rule(
    "HR-STANCE-3",
    "Cunning beats agility, agility beats might, might beats cunning, and each of them beats defensive.",
    (books.COMBAT.at("Resolution"), books.MECHANICS.at("Resolution of Attacks")),
)
HR_STANCE_4: Final = Rule(
    "HR-STANCE-4",
    "An attacker may target everybody except those in the stance that beats its own.",
    books.COMBAT.at("Resolution"),
    settles=("A-11", "A-53", "A-73"),
)
HR_STANCE_1: Final = Rule(
    "HR-STANCE-1",
    "Each participant secretly chooses might, agility, cunning or defensive; all are revealed together.",
    books.COMBAT.at("Choosing Stances"),
)
HR_STANCE_2: Final = Rule(
    "HR-STANCE-2",
    "If the house option says so, the GM chooses stances before the players do.",
    books.COMBAT.at("Choosing Stances"),
)
HR_STANCE_6: Final = Rule(
    "HR-STANCE-6",
    "A creature that cannot choose a stance is helpless: no attack, no halving, open to every stance.",
    RULING,
    settles=("A-42", "A-08"),
)


Stance = Literal["might", "agility", "cunning", "defensive"]
STANCES: Final[tuple[Stance, ...]] = ("might", "agility", "cunning", "defensive")
ATTACKING: Final = ("cunning", "agility", "might")
"""The stances that attack, in the order of their steps."""

_BEATS: Final[Mapping[str, str]] = MappingProxyType(
    {"cunning": "agility", "agility": "might", "might": "cunning"}
)


@enforces(HR_STANCE_3)
def beats(stance: str, other: str) -> bool:
    """Return whether *stance* beats *other*."""
    return stance in ATTACKING and (other in ("defensive", "helpless") or _BEATS[stance] == other)


@enforces(HR_STANCE_4)
def may_target(state: State, stance: str, other: str) -> bool:
    """Return whether an attacker in *stance* may target a creature in *other*."""
    if stance not in ATTACKING or beats(other, stance):
        return False
    return stance != other or state.house.same_stance_attacks


@record
class StanceCommitted(Noted[State]):
    """A participant has chosen its stance; which one stays sealed."""

    type: ClassVar[str] = "stance_committed"
    creature: CreatureId


@record
class StanceChosen(Event[State]):
    """The stance a participant chose; shown to its seat alone until the reveal."""

    type: ClassVar[str] = "stance_chosen"
    engagement: EngagementId
    creature: CreatureId
    stance: Stance
    """The stance."""
    seat: SeatId

    def evolve(self, state: State) -> State:
        sealed = Sealed(audience=(f"seat:{self.seat}",), opens=f"{self.engagement}/reveal", value=self.stance)
        return put(state, self.engagement, self.creature, stance=sealed)


@record
class HelplessFilled(Event[State]):
    """A participant that cannot choose stands helpless."""

    type: ClassVar[str] = "stance_forced"
    engagement: EngagementId
    creature: CreatureId
    stance: Literal["helpless", "defensive"]
    """The stance."""

    def evolve(self, state: State) -> State:
        return put(state, self.engagement, self.creature, stance=self.stance)


@record
class StancesRevealed(Event[State]):
    """All stances are open, at once."""

    type: ClassVar[str] = "stances_revealed"
    engagement: EngagementId
    stances: Mapping[CreatureId, Code]
    """The stances, by creature."""
    occasion: Occasion

    def evolve(self, state: State) -> State:
        for creature, stance in self.stances.items():
            if stance in ATTACKING and wielded(state.creatures[creature]).attack_type == "ranged":
                state = state.with_creature(creature, ranged_stance_taken=True)
        frame = state.frame(self.engagement, EngagementFrame)
        shown = among(frame, {creature: {"stance": stance} for creature, stance in self.stances.items()})
        return frame.moved_to(state, "reveal", participants=shown)


@enforces(HR_STANCE_1)
@record
class ChooseStance(Command[State]):
    """Choose a stance for a participant in secret; all stances are revealed together."""

    type: ClassVar[str] = "choose_stance"
    sentence: ClassVar[str] = "Choose a stance: {stance}"
    creature: CreatureId
    stance: Stance
    """The stance."""
    prompt: PromptId

    def scope(self, state: State) -> Scope | None:
        frame = engagement_open(state)
        if frame is None or frame.phase != "commit":
            return None
        return sealed_to(self.by.seat, f"{frame.path}/reveal")

    def check(self, view: State) -> None:
        creature = acting(view, self, self.creature, allow=("surprised",))
        frame = view.top
        if not isinstance(frame, EngagementFrame):
            raise Refused("not_in_engagement", "no engagement waits for stances", HR_STANCE_1.id)
        part = frame.participants.get(self.creature)
        if part is None:
            raise Refused("not_in_engagement", f"{self.creature} is not in {frame.path}", HR_STANCE_1.id)
        if part.stance is not None and frame.phase == "commit":
            raise Refused("stance_already_committed", f"{self.creature} has chosen already", HR_STANCE_1.id)
        if frame.phase != "commit":
            raise Refused("stances_not_complete", f"{frame.path} is not choosing stances now", HR_STANCE_1.id)
        answering_for(view, self, self.creature)
        check_gm_first(view, frame, self.by.seat)
        if self.stance not in allowed(view, creature):
            check_ranged_stance(creature, speed(creature), self.stance)
            raise Refused("stance_not_allowed", f"{self.creature} is surprised", "HR-START-7")

    def decide(self, state: State) -> Emits[State]:
        frame = state.top_frame(EngagementFrame)
        scope = self.scope(state)
        assert scope is not None
        state = yield StanceCommitted(creature=self.creature)
        chosen = StanceChosen(
            engagement=frame.path, creature=self.creature, stance=self.stance, seat=self.by.seat
        )
        return (yield Private(scope=scope, event=chosen))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        frame = view.top
        creature = view.creatures[awaited.creature or ""]
        if isinstance(frame, EngagementFrame) and not gm_owes(view, frame, awaited.seat):
            stances = allowed(view, creature)
            yield Offer(
                type=cls.type, creature=creature.id, prompt=awaited.prompt, choices={"stance": stances}
            )


def allowed(view: State, creature: Creature) -> tuple[Stance, ...]:
    """Return the stances *creature* may choose now."""
    if creature.surprised and view.house.surprised_stance == "defensive":
        return ("defensive",)
    if wielded(creature).attack_type == "ranged" and 2 * creature.moved_ft > speed(creature):
        return ("defensive",)
    return STANCES


@enforces(HR_STANCE_2)
def check_gm_first(view: State, frame: EngagementFrame, seat: str) -> None:
    """Refuse a player's stance while the GM's are missing, if the house wants the GM first."""
    if gm_owes(view, frame, seat):
        raise Refused("gm_must_commit_first", "the gm has not chosen yet", HR_STANCE_2.id)


def gm_owes(view: State, frame: EngagementFrame, seat: str) -> bool:
    """Return whether *seat* has to wait for the GM's stances."""
    if not view.house.gm_commits_first or seat == "gm" or by_seats(view):
        return False
    return any(
        view.controller(name) == "gm" and part.stance is None and can_choose(view, name)
        for name, part in frame.participants.items()
    )


def can_choose(state: State, creature: str) -> bool:
    """Return whether a participant can choose a stance; the surprised can by default."""
    found = state.creatures[creature]
    if found.surprised and state.house.surprised_stance == "helpless":
        return False
    return is_able_if_aware(found)


class StanceChoice(SecretChoice[State]):
    """The choice of a stance; a creature without one cannot choose, as if it were helpless."""

    commands = (ChooseStance,)

    def no_choice(self, state: State, creature: str) -> Emits[State]:
        return (yield from fill_helpless(state, state.top_frame(EngagementFrame), creature))


@enforces(HR_STANCE_6)
def fill_helpless(state: State, frame: EngagementFrame, creature: str) -> Emits[State]:
    """Emit the helpless stance of a creature that cannot choose, or the defensive one by option."""
    stance: Literal["helpless", "defensive"] = (
        "defensive" if state.house.helpless_stance == "defensive" else "helpless"
    )
    return (yield HelplessFilled(engagement=frame.path, creature=creature, stance=stance))


def reveal_stances(state: State, frame: EngagementFrame) -> Emits[State]:  # noqa: ARG001 - every decision takes the state first
    """Emit all stances of an engagement at once."""
    stances = {name: unsealed(part.stance) or "helpless" for name, part in frame.participants.items()}
    return (
        yield StancesRevealed(
            engagement=frame.path, stances=stances, occasion=f"{frame.path}/reveal", because=("HR-STANCE-1",)
        )
    )
