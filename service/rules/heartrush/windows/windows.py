"""Open windows for instants: who may declare, in which order what was declared resolves, and when they close.

A window is a frame above what it interrupts. It waits until every eligible creature has passed
since the last declaration; then the last declared instant resolves and everybody may declare again. What
each kind of instant does when its turn comes is its own business (`StackItem.resolve`). Who is asked at all
is `listening.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import ClassVar, Final

from service.rules.heartrush import books
from service.rules.heartrush.creatures.lasting import strikes_free
from service.rules.heartrush.means.actions import can_answer
from service.rules.heartrush.permission import acting, answering_for, is_unbarred
from service.rules.heartrush.sheets.abilities import Moment
from service.rules.heartrush.state import Creature, State, is_able
from service.rules.heartrush.windows.listening import answers, asks_all, is_worth_asking, listens
from service.rules.heartrush.windows.standing import BECAUSE as IN_ADVANCE
from service.rules.heartrush.windows.standing import lets_pass
from service.rules.kernel.messages import Awaited, Command, Emits, Event, Offer
from service.rules.kernel.records import EMPTY, changed, record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.rolls.chance import Chance
from service.rules.table.stack import Frame

HR_TIME_7: Final = Rule(
    "HR-TIME-7",
    "Of several instants at one moment the last declared resolves first.",
    books.BASICS.at("Multiple Instant Abilities"),
    settles=("A-49",),
)
HR_TIME_6: Final = Rule(
    "HR-TIME-6",
    "Windows open after the reveal, between steps, after rolls, around damage and before the end.",
    books.BASICS.at("During Engagements"),
)
HR_ACT_14: Final = Rule(
    "HR-ACT-14",
    "Instants may be used while somebody else's ability is in progress; let the moment go by without one.",
    books.COMBAT.at("Instant Actions"),
)


ACCEPTS: Final[Mapping[str, str]] = MappingProxyType(
    {"moves": "opportunity_attack", "stands": "opportunity_attack", "trip": "trip"}
)
"""The built-in reaction to a moment, for those who are eligible for it."""


@record
class StackItem:
    """An instant that was declared and paid, waiting for its turn to resolve."""

    kind: ClassVar[str]
    creature: str
    ability: str

    def resolve(self, state: State, window: str) -> Emits[State]:
        """Tell what the instant does now that its turn has come."""
        raise NotImplementedError


@record
class WindowFrame(Frame[State]):
    """A moment in which the eligible may declare instants."""

    kind: ClassVar[str] = "window"
    trigger: Moment
    subject: str
    eligible: tuple[str, ...]
    """Who may answer with the built-in reaction to this moment."""
    about: Mapping[str, str | int] = EMPTY
    passed: tuple[str, ...] = ()
    items: tuple[StackItem, ...] = ()

    def waiting(self, state: State) -> tuple[Awaited, ...]:
        return tuple(self._awaited(state, name, accepts) for name, accepts in self._answering(state))

    def waits(self, state: State) -> bool:
        answering = tuple(self._answering(state))
        return bool(answering) and not any(
            lets_pass(state.creatures[name], accepts) for name, accepts in answering
        )

    def _answering(self, state: State) -> Iterator[tuple[str, tuple[str, ...]]]:
        everybody = asks_all(state)
        if not state.abilities and not everybody:
            for name in self.eligible:
                if name not in self.passed and self._could(state, state.creatures[name]):
                    yield name, (ACCEPTS[self.trigger],)
            return
        for creature in state.creatures.values():
            name = creature.id
            if name in self.passed:
                continue
            strikes = (
                (ACCEPTS[self.trigger],) if name in self.eligible and self._could(state, creature) else ()
            )
            accepts = strikes + answers(state, creature, self.trigger, self.about)
            if accepts or (everybody and is_able(creature)):
                yield name, accepts

    def _awaited(self, state: State, name: str, accepts: tuple[str, ...]) -> Awaited:
        return Awaited(
            prompt=f"{self.path}/{name}",
            seat=state.controller(name),
            accepts=(*accepts, "pass_window"),
            creature=name,
        )

    def _could(self, state: State, creature: Creature) -> bool:
        if self.trigger == "trip":
            able = is_able(creature) and creature.action > 0
        else:
            able = can_answer(creature) or strikes_free(state, creature)
        return able and is_unbarred(state, creature, ACCEPTS[self.trigger])

    @enforces(HR_TIME_7)
    def advance(self, state: State, chance: Chance) -> Emits[State]:
        """Emit the next instant of the window to resolve, an answer in advance, or the window's close."""
        for name, accepts in self._answering(state):
            if lets_pass(state.creatures[name], accepts):
                return (yield WindowPassed(window=self.path, creature=name, because=IN_ADVANCE))
        if not self.items:
            return (yield WindowClosed(window=self.path))
        item = self.items[-1]
        state = yield InstantResolved(window=self.path, creature=item.creature, ability=item.ability)
        return (yield from item.resolve(state, self.path))


@record
class WindowOpened(Event[State]):
    """Somebody may react before play goes on."""

    type: ClassVar[str] = "window_opened"
    window: str
    trigger: Moment
    subject: str
    eligible: tuple[str, ...]
    about: Mapping[str, str | int] = EMPTY

    def evolve(self, state: State) -> State:
        frame = WindowFrame(
            path=self.window,
            trigger=self.trigger,
            subject=self.subject,
            eligible=self.eligible,
            about=self.about,
        )
        below = state.top
        if isinstance(below, Interruptible):
            state = state.put(changed(below, offered=(*below.offered, self.trigger)))
        return state.pushed(frame)


@record
class WindowPassed(Event[State]):
    """A creature lets the moment go by."""

    type: ClassVar[str] = "window_passed"
    window: str
    creature: str

    def evolve(self, state: State) -> State:
        frame = state.frame(self.window, WindowFrame)
        return state.put(changed(frame, passed=(*frame.passed, self.creature)))


@record
class InstantDeclared(Event[State]):
    """An instant is declared with everything it needs, and waits to resolve; earlier passes count no more."""

    type: ClassVar[str] = "instant_declared"
    window: str
    item: StackItem

    def evolve(self, state: State) -> State:
        frame = state.frame(self.window, WindowFrame)
        eligible = frame.eligible
        if self.item.ability in ACCEPTS.values():
            eligible = tuple(name for name in frame.eligible if name != self.item.creature)
        return state.put(changed(frame, eligible=eligible, passed=(), items=(*frame.items, self.item)))


@record
class InstantResolved(Event[State]):
    """The instant on top of the stack takes effect now; those that passed may respond to an ability's."""

    type: ClassVar[str] = "instant_resolved"
    window: str
    creature: str
    ability: str

    def evolve(self, state: State) -> State:
        frame = state.frame(self.window, WindowFrame)
        passed = frame.passed if self.ability in ACCEPTS.values() else ()
        return state.put(changed(frame, items=frame.items[:-1], passed=passed))


@record
class InstantFizzled(Event[State]):
    """An instant finds nothing to act on when its turn comes; its cost is kept."""

    type: ClassVar[str] = "instant_fizzled"
    creature: str
    ability: str
    reason: str

    def evolve(self, state: State) -> State:
        return state


@record
class WindowClosed(Event[State]):
    """Nobody reacts any more; play goes on from what is true now."""

    type: ClassVar[str] = "window_closed"
    window: str

    def evolve(self, state: State) -> State:
        return state.popped(self.window)


@record
class Interruptible(Frame[State]):
    """A frame between whose stages windows may open; it remembers the moments it has offered."""

    offered: tuple[str, ...] = ()


def fizzle(creature: str, ability: str, reason: str) -> Emits[State]:
    """Tell that an instant finds nothing to act on when its turn comes; its cost is kept."""
    return (yield InstantFizzled(creature=creature, ability=ability, reason=reason, because=("HR-ABIL-11",)))


@enforces(HR_TIME_6)
def moment(
    frame: Interruptible, trigger: Moment, about: Mapping[str, str | int], subject: str
) -> Emits[State]:
    """Emit the opening of a window at the moment *trigger*."""
    return (
        yield WindowOpened(
            window=f"{frame.path}/{trigger}",
            trigger=trigger,
            subject=subject,
            eligible=(),
            about=about,
        )
    )


def is_answered(state: State, frame: Interruptible, trigger: Moment, about: Mapping[str, str | int]) -> bool:
    """Tell whether a moment that *frame* has not offered yet is worth a window: somebody is asked."""
    return listens(state) and trigger not in frame.offered and is_worth_asking(state, trigger, about)


def idle(state: State, path: str) -> tuple[Awaited, ...]:
    """Return who may declare an instant although no window is open: play waits for somebody else."""
    if not state.abilities:
        return ()
    return tuple(
        Awaited(
            prompt=f"{path}/{creature.id}/instant",
            seat=state.controller(creature.id),
            accepts=accepts,
            creature=creature.id,
            optional=True,
        )
        for creature in state.creatures.values()
        if (accepts := answers(state, creature, "any", EMPTY))
    )


@enforces(HR_ACT_14)
@record
class PassWindow(Command[State]):
    """Let a window pass without using an instant."""

    type: ClassVar[str] = "pass_window"
    creature: str
    prompt: str

    def check(self, view: State) -> None:
        acting(view, self, self.creature)
        answering_for(view, self, self.creature, late="window_closed")

    def decide(self, state: State) -> Emits[State]:
        window = self.prompt.rpartition("/")[0]
        return (yield WindowPassed(window=window, creature=self.creature, because=("HR-ACT-14",)))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        yield Offer(type=cls.type, creature=awaited.creature, prompt=awaited.prompt)
