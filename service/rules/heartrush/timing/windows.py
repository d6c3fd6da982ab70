"""Open windows for instants: who may answer what, in which order it resolves, and when they close."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import ClassVar, Final

from service.rules.heartrush import books
from service.rules.heartrush.body.actions import can_afford, can_answer, in_combat
from service.rules.heartrush.body.answers import BECAUSE as IN_ADVANCE
from service.rules.heartrush.body.answers import lets_pass, sealed_to
from service.rules.heartrush.body.lasting import strikes_free
from service.rules.heartrush.body.operations import ways
from service.rules.heartrush.body.permission import acting, answering_for, is_unbarred
from service.rules.heartrush.creatures.abilities import Ability, Moment, Spell, Use, is_instant
from service.rules.heartrush.creatures.state import Creature, State, is_able
from service.rules.heartrush.timing.exposed import is_still_in_reach, is_unsteady_beside
from service.rules.heartrush.values import (
    AbilityName,
    DeedName,
    EndCell,
    ItemName,
    Speech,
    StandsUp,
    ThingVerb,
    WalkedCells,
    WindowId,
)
from service.rules.kernel.families import Families
from service.rules.kernel.messages import Answering, Awaited, Emits, Event, Noted, Private, Refused
from service.rules.kernel.records import EMPTY, Sealed, changed, record
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.sealed import unsealed
from service.rules.kernel.values import (
    Choice,
    CreatureId,
    Occasion,
    PromptId,
    Reason,
    SeatId,
    Subject,
    SubjectOf,
    TargetId,
    Total,
)
from service.rules.rolls.chance import Chance
from service.rules.table.stack import Frame, opened_by

# --- whom a moment asks --------------------------------------------------------------------------------
# Those who could answer it with what is on their sheets, or by the house everybody. A moment nobody could
# answer opens no window, so one that opens shows that somebody could; a house that minds asks everybody who
# is able, every time.

TABLE_WINDOW_1: Final = Rule(
    "TABLE-WINDOW-1",
    "A window asks who could answer; by the house it opens always, and asks everybody who is able.",
    RULING,
)
HR_TIME_4: Final = Rule(
    "HR-TIME-4",
    "An instant is used at any moment: in others' actions, between dice and results, in engagements.",
    (books.COMBAT.at("Instant Actions"), books.BASICS.at("Instant Timing")),
)


@enforces(TABLE_WINDOW_1)
def asks_all(state: State) -> bool:
    """Return whether windows ask everybody who is able, and not only those who could answer."""
    return state.house.windows == "all"


def listens(state: State) -> bool:
    """Return whether moments open windows at all: combat runs, and there are abilities or all are asked."""
    return in_combat(state) and (bool(state.abilities) or asks_all(state))


def listens_for(state: State, trigger: Moment) -> bool:
    """Return whether a moment may open a window at all: an ability answers it, or all are asked."""
    return listens(state) and (asks_all(state) or any(trigger in d.trigger for d in state.abilities.values()))


def is_worth_asking(state: State, trigger: Moment, about: Mapping[str, str | int]) -> bool:
    """Return whether a moment asks anybody."""
    if asks_all(state):
        return any(is_able(creature) for creature in state.creatures.values())
    return any(answers(state, creature, trigger, about) for creature in state.creatures.values())


def answers(
    state: State, creature: Creature, trigger: Moment, about: Mapping[str, str | int]
) -> tuple[str, ...]:
    """Return the commands with which *creature* could answer a moment with what is on its sheet."""
    if not creature.sheet.abilities and not creature.sheet.growth.spells:
        return ()
    if not is_able(creature):
        return ()
    found = {
        "cast" if isinstance(definition, Spell) else "declare_instant"
        for definition in usable(state, creature, trigger, about)
    }
    return tuple(name for name in sorted(found) if is_unbarred(state, creature, name))


@enforces(HR_TIME_4)
def usable(
    state: State, creature: Creature, trigger: Moment, about: Mapping[str, str | int]
) -> Iterator[Ability | Spell]:
    """Yield the instant abilities and spells that *creature* could use at the moment *trigger*."""
    for name in known(creature):
        definition = state.abilities.get(name)
        if definition is None or not is_instant(definition):
            continue
        if definition.trigger and trigger not in definition.trigger:
            continue
        if not can_afford(state, creature, definition) or not in_combat(state):
            continue
        use = Use(path="", creature=creature.id, ability=name, moment=trigger, about=about)
        if any(requirement.lacking(state, use) for requirement in definition.requires):
            continue
        if any(True for _ in ways(state, creature, definition)):
            yield definition


def known(creature: Creature) -> tuple[str, ...]:
    """Return the abilities and spells on a creature's sheet."""
    return creature.sheet.abilities + creature.sheet.growth.spells


# --- windows -------------------------------------------------------------------------------------------
# Who may declare, in which order what was declared resolves, and when they close. A window is a frame above
# what it interrupts. It waits until every eligible creature has passed since the last declaration; then the
# last declared instant resolves and everybody may declare again. What each kind of instant does when its
# turn comes is its own business (`StackItem.resolve`). Who is asked at all is above.

HR_TIME_7: Final = Rule(
    "HR-TIME-7",
    "Of several instants at one moment the last declared resolves first.",
    books.BASICS.at("Multiple Instant Abilities"),
    settles=("A-49",),
)
HR_TIME_6: Final = Rule(
    "HR-TIME-6",
    "Instants may be used after the reveal, between steps, after rolls, around damage and before the end.",
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
    creature: CreatureId
    ability: AbilityName

    def resolve(self, state: State, window: str) -> Emits[State]:
        """Emit what the instant does now that its turn has come."""
        raise NotImplementedError


@record
class DeclaredWindow:
    """A moment, whose it is, and who may answer it."""

    trigger: Moment
    """The moment that opened the window."""
    subject: SubjectOf
    eligible: tuple[CreatureId, ...]
    """Who may answer with the built-in reaction to this moment."""
    about: Mapping[Subject, Subject | Total] = EMPTY
    """What it is about."""


@record
class WindowFrame(DeclaredWindow, Frame[State]):
    """A moment in which the eligible may declare instants."""

    kind: ClassVar[str] = "window"
    passed: tuple[CreatureId, ...] = ()
    """The ids of those that passed."""
    items: tuple[StackItem, ...] = ()
    """The instants that were declared, the newest last."""

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
        mover = state.creatures[self.subject]
        if not mover.is_present:
            return False
        if self.trigger == "trip":
            able = is_able(creature) and creature.action > 0 and is_unsteady_beside(state, creature, mover)
        else:
            able = can_answer(creature) or strikes_free(state, creature)
            able = able and is_still_in_reach(state, creature, mover)
        return able and is_unbarred(state, creature, ACCEPTS[self.trigger])

    @enforces(HR_TIME_7)
    def advance(self, state: State, chance: Chance) -> Emits[State]:
        """Emit the next instant of the window to resolve, an answer in advance, or the window's close."""
        in_advance = tuple(
            name for name, accepts in self._answering(state) if lets_pass(state.creatures[name], accepts)
        )
        if len(in_advance) > 1:  # at once: each attack of a step has four windows for all of two hundred
            return (yield AllPassed(window=self.path, creatures=in_advance, because=IN_ADVANCE))
        if in_advance:
            return (yield WindowPassed(window=self.path, creature=in_advance[0], because=IN_ADVANCE))
        if not self.items:
            return (yield WindowClosed(window=self.path))
        item = self.items[-1]
        state = yield InstantResolved(window=self.path, creature=item.creature, ability=item.ability)
        return (yield from item.resolve(state, self.path))


@record
class WindowOpened(DeclaredWindow, Event[State]):
    """Somebody may react before play goes on."""

    type: ClassVar[str] = "window_opened"
    window: WindowId

    def evolve(self, state: State) -> State:
        frame = opened_by(self, WindowFrame, self.window)
        below = state.top
        if isinstance(below, Interruptible):
            state = state.put(changed(below, offered=(*below.offered, self.trigger)))
        return state.pushed(frame)


@record
class WindowPassed(Event[State]):
    """A creature lets the moment go by."""

    type: ClassVar[str] = "window_passed"
    window: WindowId
    creature: CreatureId

    def evolve(self, state: State) -> State:
        frame = state.frame(self.window, WindowFrame)
        return state.put(changed(frame, passed=(*frame.passed, self.creature)))


@record
class AllPassed(Event[State]):
    """Several pass in advance."""

    type: ClassVar[str] = "all_passed"
    window: WindowId
    creatures: tuple[CreatureId, ...]
    """Those that pass."""

    def evolve(self, state: State) -> State:
        frame = state.frame(self.window, WindowFrame)
        return state.put(changed(frame, passed=frame.passed + self.creatures))


@record
class InstantDeclared(Event[State]):
    """An instant is declared with everything it needs, and waits to resolve; earlier passes count no more."""

    type: ClassVar[str] = "instant_declared"
    window: WindowId
    item: StackItem
    """The instant that was declared."""

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
    window: WindowId
    creature: CreatureId
    ability: AbilityName

    def evolve(self, state: State) -> State:
        frame = state.frame(self.window, WindowFrame)
        passed = frame.passed if self.ability in ACCEPTS.values() else ()
        return state.put(changed(frame, items=frame.items[:-1], passed=passed))


@record
class InstantFizzled(Noted[State]):
    """An instant finds nothing to act on when its turn comes; its cost is kept."""

    type: ClassVar[str] = "instant_fizzled"
    creature: CreatureId
    ability: AbilityName
    reason: Reason


@record
class WindowClosed(Event[State]):
    """Nobody reacts any more; play goes on from what is true now."""

    type: ClassVar[str] = "window_closed"
    window: WindowId

    def evolve(self, state: State) -> State:
        return state.popped(self.window)


@record
class Interruptible(Frame[State]):
    """A frame between whose stages windows may open; it remembers the moments it has offered."""

    offered: tuple[Choice, ...] = ()
    """What was offered already."""


def fizzle(creature: str, ability: str, reason: str) -> Emits[State]:
    """Emit that an instant finds nothing to act on when its turn comes; its cost is kept."""
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
    """Return whether a moment that *frame* has not offered yet is worth a window: somebody is asked."""
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
class PassWindow(Answering[State]):
    """Let a window pass without using an instant."""

    type: ClassVar[str] = "pass_window"
    sentence: ClassVar[str] = "Let it happen"
    passes: ClassVar[bool] = True
    creature: CreatureId
    prompt: PromptId

    def check(self, view: State) -> None:
        acting(view, self, self.creature)
        answering_for(view, self, self.creature, late="window_closed")

    def decide(self, state: State) -> Emits[State]:
        window = self.prompt.rpartition("/")[0]
        return (yield WindowPassed(window=window, creature=self.creature, because=("HR-ACT-14",)))


# --- built-in actions ----------------------------------------------------------------------------------
# Before it happens, as abilities can be. Where nobody could answer, it happens at once, without another
# event. Otherwise it waits on the stack under a window; when its turn comes it happens, or is in vain
# because of what was done meanwhile. It stays paid.

BECAUSE = ("HR-GEN-2",)


@record
class Said:
    """What was said when a built-in action was declared: each has its own part of this."""

    target: TargetId | None = None
    words: Speech = ""
    verb: ThingVerb = ""
    item: ItemName | None = None
    to: EndCell | None = None
    stand: StandsUp = False
    path: WalkedCells = ()


class Deed:
    """A kind of built-in action: whether it can still be done, and what it does."""

    name: ClassVar[str]
    is_secret: ClassVar[bool] = False
    """Whether what was said is its seat's alone until it has happened: where a dash leads."""

    def check(self, state: State, creature: Creature, said: Said) -> None:
        """Raise `Refused` where it finds nothing to act on any more."""

    def happen(self, state: State, creature: str, said: Said) -> Emits[State]:
        """Emit what it does."""
        raise NotImplementedError


def deed_of(state: State, ability: str) -> Deed:
    """Return the ruleset's deed of this name."""
    return _by_name(state.families)[ability]


@cache
def _by_name(families: Families) -> Mapping[str, Deed]:
    return {kind.name: kind() for kind in families.listed(Deed)}


@record
class DeclaredDeed:
    """Who does which built-in action."""

    creature: CreatureId
    ability: AbilityName


@record
class DeedFrame(DeclaredDeed, Interruptible):
    """A built-in action that was declared and paid, and has not happened yet."""

    kind: ClassVar[str] = "deed"
    said: Said | Sealed[Said] = Said()
    """What was said when it was declared."""

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        about: dict[str, str | int] = {"declarer": self.creature, "ability": self.ability}
        if is_answered(state, self, "ability_declared", about):
            return (yield from moment(self, "ability_declared", about, self.creature))
        said: Said = unsealed(self.said)
        reason = in_vain(state, self.creature, self.ability, said)
        if reason is not None:
            return (yield DeedInVain(deed=self.path, reason=reason, because=BECAUSE))
        state = yield DeedBegun(deed=self.path, because=BECAUSE)
        return (yield from deed_of(state, self.ability).happen(state, self.creature, said))


WITHHELD: Final = "the reason is for the gm"
"""A detail may name a number that follows from a GM-only field: the feet that a speed leaves."""


def in_vain(state: State, creature: str, ability: str, said: Said) -> str | None:
    """Return why a declared action finds nothing to act on now, or None where it does."""
    actor = state.creatures[creature]
    if not is_able(actor):
        return f"{creature} can do nothing"
    try:
        deed_of(state, ability).check(state, actor, said)
    except Refused as refused:
        return WITHHELD if state.gm_only_of(creature) else refused.detail
    return None


# --- facts ----------------------------------------------------------------------------------------


@record
class DeedDeclared(DeclaredDeed, Event[State]):
    """A built-in action is declared, and may be answered before it happens."""

    type: ClassVar[str] = "deed_declared"
    deed: DeedName

    def evolve(self, state: State) -> State:
        return state.pushed(opened_by(self, DeedFrame, self.deed))


@record
class DeedSaid(Event[State]):
    """What was said with it; where a dash leads is shown to its seat alone."""

    type: ClassVar[str] = "deed_said"
    deed: DeedName
    said: Said
    """What was said when it was declared."""
    seat: SeatId | None = None
    occasion: Occasion = ""

    def evolve(self, state: State) -> State:
        frame = state.frame(self.deed, DeedFrame)
        if self.seat is None:
            return state.put(changed(frame, said=self.said))
        sealed = Sealed(audience=(f"seat:{self.seat}",), opens=self.occasion, value=self.said)
        return state.put(changed(frame, said=sealed))


@record
class DeedBegun(Event[State]):
    """Nobody answers any more: what was declared happens now."""

    type: ClassVar[str] = "deed_begun"
    deed: DeedName

    def evolve(self, state: State) -> State:
        return state.popped(self.deed)


@record
class DeedInVain(Event[State]):
    """What was declared finds nothing to act on when its turn comes; its cost is kept."""

    type: ClassVar[str] = "deed_in_vain"
    acts: ClassVar[bool] = True
    deed: DeedName
    reason: Reason

    def evolve(self, state: State) -> State:
        return state.popped(self.deed)


def declared(state: State, deed: Deed, creature: str, paid: str, said: Said) -> Emits[State]:
    """Emit that a built-in action is declared and paid: it happens at once unless somebody could answer."""
    about: dict[str, str | int] = {"declarer": creature, "ability": deed.name}
    path = f"r{state.round}/{deed.name}/{creature}/{paid}"
    if not (listens(state) and is_worth_asking(state, "ability_declared", about)):
        # The command was checked on what its seat knows; a GM-only field may forbid the action all the same.
        reason = in_vain(state, creature, deed.name, said) if state.gm_only_of(creature) else None
        if reason is None:
            return (yield from deed.happen(state, creature, said))
        state = yield DeedDeclared(deed=path, creature=creature, ability=deed.name, because=BECAUSE)
        return (yield DeedInVain(deed=path, reason=reason, because=BECAUSE))
    state = yield DeedDeclared(deed=path, creature=creature, ability=deed.name, because=BECAUSE)
    if not deed.is_secret:
        return (yield DeedSaid(deed=path, said=said, because=BECAUSE))
    seat, occasion = state.controller(creature), f"{path}/end"
    event = DeedSaid(deed=path, said=said, seat=seat, occasion=occasion, because=BECAUSE)
    return (yield Private(scope=sealed_to(seat, occasion), event=event))
