"""Ask seats for answers: sealed until all are shown, chosen when asked, or given in advance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Final, Literal

from service.rules.heartrush.body.permission import answering_for, own, running
from service.rules.heartrush.creatures.sheet import Standing
from service.rules.heartrush.creatures.state import Creature, State
from service.rules.heartrush.values import ChoiceName, ChosenOption
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
from service.rules.kernel.records import EMPTY, Sealed, changed, record, with_key
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.sealed import is_closed, unsealed
from service.rules.kernel.values import Choice, Code, CreatureId, PromptId, SeatId
from service.rules.rolls.chance import Chance
from service.rules.table.stack import Frame, opened_by

# --- sealed answers ------------------------------------------------------------------------------------
# To its own seat, until the occasion opens it for all.

HR_SVC_2: Final = Rule(
    "HR-SVC-2",
    "A choice that is not revealed yet is known only to the seat that made it, and not to the GM.",
    RULING,
)


@enforces(HR_SVC_2)
def sealed_to(seat: str, occasion: str) -> Scope:
    """Return the scope of what only *seat* may see until *occasion*."""
    return Scope(audience=(f"seat:{seat}",), opens=occasion)


# --- choices -------------------------------------------------------------------------------------------
# The choice is handed to what asked for it.


@record
class Asking(Frame[State]):
    """A frame that asks for choices and finds them in `picked`."""

    picked: Mapping[Code, Code] = EMPTY
    """What was chosen for the roll."""


@record
class DeclaredChoice:
    """Who chooses, and between what."""

    creature: CreatureId
    of: Code
    """What is chosen: the name under which the choice is found."""
    options: tuple[Choice, ...]
    """The values to choose from."""


@record
class ChoiceFrame(DeclaredChoice, Frame[State]):
    """One choice that is owed."""

    kind: ClassVar[str] = "choice"

    def waiting(self, state: State) -> tuple[Awaited, ...]:
        return (
            Awaited(
                prompt=self.path,
                seat=state.controller(self.creature),
                accepts=("choose",),
                creature=self.creature,
            ),
        )

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        """Never come to this: a choice waits until it is made."""
        raise AssertionError(self.path)


@record
class ChoiceAsked(DeclaredChoice, Event[State]):
    """Somebody is to choose."""

    type: ClassVar[str] = "choice_asked"
    choice: ChoiceName

    def evolve(self, state: State) -> State:
        return state.pushed(opened_by(self, ChoiceFrame, self.choice))


@record
class Chosen(Event[State]):
    """A choice was made; whatever asked for it goes on from there."""

    type: ClassVar[str] = "chosen"
    choice: ChoiceName
    creature: CreatureId
    of: Code
    """The name of the parameter that is chosen."""
    option: ChosenOption

    def evolve(self, state: State) -> State:
        state = state.popped(self.choice)
        below: Any = state.top
        return state.put(changed(below, picked=with_key(below.picked, self.of, self.option)))


@record
class Choose(Command[State]):
    """Choose one of the options that a prompt lists."""

    type: ClassVar[str] = "choose"
    sentence: ClassVar[str] = "Choose {option}"
    creature: CreatureId
    prompt: PromptId
    option: ChosenOption

    def check(self, view: State) -> None:
        if not isinstance(view.top, ChoiceFrame):
            running(view)  # out of combat too a choice may be owed
        own(view, self, self.creature)
        answering_for(view, self, self.creature)
        frame = view.top_frame(ChoiceFrame)
        if self.option not in frame.options:
            raise Refused("params_missing", f"one of {', '.join(frame.options)}", "HR-ABIL-8")

    def decide(self, state: State) -> Emits[State]:
        frame = state.top_frame(ChoiceFrame)
        return (
            yield Chosen(
                choice=self.prompt,
                creature=self.creature,
                of=frame.of,
                option=self.option,
                because=("HR-ABIL-8",),
            )
        )

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        frame = view.top
        if isinstance(frame, ChoiceFrame):
            yield Offer(
                type=cls.type,
                creature=awaited.creature,
                prompt=awaited.prompt,
                choices={"option": frame.options},
            )


# --- answers in advance --------------------------------------------------------------------------------
# What a seat has said once and for all, so that play need not wait for it. A standing answer is sealed to
# its seat and part of the record. It answers only what is asked of its own creature, and its answer makes
# the same events as any other.

TABLE_STANDING_1: Final = Rule(
    "TABLE-STANDING-1",
    "A seat may answer in advance: let windows pass, shrug nothing off, or only what would kill.",
    RULING,
)


BECAUSE: Final = ("TABLE-STANDING-1",)
ASK: Final = Standing()
WINDOWS: Final = ("ask", "only_abilities", "pass")
SHRUGS: Final = ("ask", "never", "if_it_kills")
BUILT_IN: Final = frozenset({"opportunity_attack", "trip", "pass_window"})


def standing_of(creature: Creature) -> Standing:
    """Return the standing answers of *creature*, as far as this reader knows: those of others ask."""
    found = creature.standing
    if found is None or is_closed(found):
        return ASK
    answers: Standing = unsealed(found)
    return answers


def standing_shrug(creature: Creature) -> Literal["ask", "never", "if_it_kills"]:
    """Return what its seat has said about shrugging off."""
    return standing_of(creature).shrug


def lets_pass(creature: Creature, accepts: tuple[str, ...]) -> bool:
    """Return whether its seat has said to let a window pass in which it could answer with *accepts*."""
    windows = standing_of(creature).windows
    return windows == "pass" or (windows == "only_abilities" and set(accepts) <= BUILT_IN)


@record
class StandingSet(Event[State]):
    """What a seat answers in advance for a creature; shown to that seat alone."""

    type: ClassVar[str] = "standing_set"
    creature: CreatureId
    standing: Standing
    """What its seat answers in advance."""
    seat: SeatId

    def evolve(self, state: State) -> State:
        sealed = Sealed(audience=(f"seat:{self.seat}",), opens=occasion(self.creature), value=self.standing)
        return state.with_creature(self.creature, standing=sealed)


@record
class StandingChanged(Noted[State]):
    """A seat changed what it answers in advance; what that is stays sealed."""

    type: ClassVar[str] = "standing_changed"
    creature: CreatureId


def occasion(creature: str) -> str:
    """Return the occasion at which a creature's standing answers open: none that comes before the end."""
    return f"standing/{creature}"


@enforces(TABLE_STANDING_1)
@record
class SetStanding(Command[State]):
    """Answer for a seat in advance: let windows pass, shrug nothing off, or only what would kill.

    `only_abilities` still asks where an instant ability could be used, and lets strikes and trips go by.
    """

    type: ClassVar[str] = "set_standing"
    sentence: ClassVar[str] = "Answer in advance[: windows {windows}][, shrug {shrug}]"
    creature: CreatureId
    windows: Literal["ask", "only_abilities", "pass"] = "ask"
    """What the seat answers in windows."""
    shrug: Literal["ask", "never", "if_it_kills"] = "ask"
    """Whether the seat shrugs off damage."""

    def scope(self, state: State) -> Scope | None:
        return sealed_to(self.by.seat, occasion(self.creature))

    def check(self, view: State) -> None:
        own(view, self, self.creature)

    def decide(self, state: State) -> Emits[State]:
        scope = self.scope(state)
        assert scope is not None
        state = yield StandingChanged(creature=self.creature, because=BECAUSE)
        standing = Standing(windows=self.windows, shrug=self.shrug)
        event = StandingSet(creature=self.creature, standing=standing, seat=self.by.seat, because=BECAUSE)
        return (yield Private(scope=scope, event=event))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        yield Offer(type=cls.type, creature=awaited.creature, choices={"windows": WINDOWS, "shrug": SHRUGS})
