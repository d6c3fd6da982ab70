"""Take turns: a group's members act one at a time, each in one piece, in an order that all accept."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from service.rules.kernel.messages import Actor, Awaited, Emits, Event, Noted, Offer, Refused
from service.rules.kernel.records import changed, derived, record, with_key
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.kernel.values import CreatureId, SeatId, StepId
from service.rules.rise import books
from service.rules.rise.acting.combat_time import (
    DelayedLapsed,
    due,
    fire,
    fire_next,
    is_due,
    lapsing,
    left_over,
)
from service.rules.rise.body.effects import note_quietly
from service.rules.rise.body.running_the_game import ruled
from service.rules.rise.creatures.creature import UNNUMBERED, Atom, Creature, is_able
from service.rules.rise.creatures.permission import Act, able, in_phase, is_allowed, still_resolving
from service.rules.rise.creatures.state import State
from service.rules.rise.values import CreatureOrder, HoldsDelayed
from service.rules.rolls.chance import Chance
from service.rules.table.stack import Frame, FrameDone

# --- the group's turns ---------------------------------------------------------------------------------
# Its members take their turns one at a time, each in one piece, in an order all accept. The frames here lie
# on the stack of the group's world. When all have acted or passed, that stack is empty, and the table's
# action phase knows that the group is done.

RI_RES_13: Final = Rule(
    "RI-RES-13",
    "A creature felled by another group still takes its whole turn; one that wakes up now takes none.",
    books.TIME.at("Resolving Actions"),
)
RI_ORDER_1: Final = Rule(
    "RI-ORDER-1",
    "A round has eleven steps, in one order; Swift abilities are committed before groups resolve.",
    books.TIME.at("Action Resolution Summary"),
)
RI_ACT_8: Final = Rule(
    "RI-ACT-8",
    "A creature's actions make one unbroken turn; once it is over it has none until the next round.",
    books.TIME.at("Delayed and Repeated Effects"),
)
RI_GROUP_3: Final = Rule(
    "RI-GROUP-3",
    "Members act one at a time: each declares, rolls everything and applies it before the next.",
    books.TIME.at("Resolving Actions"),
)
RI_GROUP_4: Final = Rule(
    "RI-GROUP-4", "Members act in any order that all of them accept.", books.TIME.at("Resolving Actions")
)


TURN_COMMANDS = (
    "strike",
    "charge",
    "total_defense",
    "reckless_attack",
    "recover",
    "shove",
    "trip",
    "grapple",
    "escape_grapple",
    "maintain_grapple",
    "overrun",
    "throw",
    "dirty_trick",
    "move",
    "manipulate_object",
    "guide_with_knees",
    "use_ability",
    "improvise",
    "sustain",
    "fire_delayed",
    "end_turn",
)


SUSTAINED_ROUNDS = 50
"""Rounds in the five minutes for which an effect can be kept up."""


@record
class TurnsFrame(Frame[State]):
    """A group at its actions: waits for the members who have not taken their turns."""

    kind: ClassVar[str] = "rise_turns"
    able: tuple[CreatureId, ...] = ()
    """Who could act when the phase began."""
    precommitted: bool = False
    """Whether the group had to commit to its Swift abilities before anybody rolled."""

    def waiting(self, state: State) -> tuple[Awaited, ...]:
        left = self.left(state)
        return tuple(
            [
                Awaited(
                    prompt=f"{self.path}/{name}",
                    seat=state.controller(name),
                    accepts=("begin_turn", "pass_turn", *TURN_COMMANDS[:-2], "set_order"),
                    creature=name,
                    optional=len(left) > 1,
                )
                for name in left
            ]
        )

    def left(self, state: State) -> list[str]:
        """Return the members who may still take a turn."""
        return [
            name
            for name in state.groups[state.here]
            if state.creatures[name].budget.turn == "not_started"
            and may_act(state, self, state.creatures[name])
        ]

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        for name in state.groups[state.here]:
            if left_over(state, state.creatures[name]):
                return (yield from fire(state, name, left_over(state, state.creatures[name])[0]))
        for name in state.groups[state.here]:
            for delayed in lapsing(state, state.creatures[name]):
                state = yield DelayedLapsed(
                    owner=name, ability=delayed.ability, because=("RI-DELAY-4", "C-30")
                )
            if state.creatures[name].budget.turn == "not_started" and not self.precommitted:
                state = yield from lapse(state, name)
        return (yield GroupResolved(path=self.path, because=("RI-PHASE-6",)))


@enforces(RI_RES_13)
def may_act(state: State, frame: TurnsFrame, creature: Creature) -> bool:
    """Return whether *creature* has a turn in this phase."""
    if creature.budget.bolts:
        return False
    if is_able(creature):
        return creature.id in frame.able or woke_early(state, creature.id)
    return is_excused(state, frame, creature)


def woke_early(state: State, creature: str) -> bool:
    """Return whether something Swift has woken *creature*: that was true before turns began (C-35)."""
    return any(effect.swift and effect.target == creature for effect in state.effects)


def is_excused(state: State, frame: TurnsFrame, creature: Creature) -> bool:
    """Return whether the house lets *creature* act although its own group felled it in this phase."""
    return state.house.felled_by_own == "acts" and creature.id in frame.able and not creature.dead


@record
class TurnFrame(Frame[State]):
    """One member's turn: it holds the floor until it ends it."""

    kind: ClassVar[str] = "rise_turn"
    creature: CreatureId
    hold_delayed: bool = False
    """Whether the owner picks itself when delayed effects come."""
    ending: bool = False
    """Whether the turn ends."""

    def waiting(self, state: State) -> tuple[Awaited, ...]:
        if not self.waits(state):
            return ()
        seat = state.controller(self.creature)
        return (Awaited(prompt=self.path, seat=seat, accepts=TURN_COMMANDS, creature=self.creature),)

    def waits(self, state: State) -> bool:
        creature = state.creatures[self.creature]
        if not may_act(state, turns(state), creature):
            return False
        return not (self.ending or (not self.hold_delayed and is_due(state, creature)))

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        if is_due(state, state.creatures[self.creature]) and is_able(state.creatures[self.creature]):
            return (yield from fire_next(state, self.creature))
        if not turns(state).precommitted:
            state = yield from lapse(state, self.creature)
        return (yield TurnEnded(creature=self.creature, path=self.path, because=("RI-ACT-8",)))


def lapse(state: State, owner: str) -> Emits[State]:
    """Emit that what *owner* has not kept up, or has kept up for five minutes, is over."""
    kept = state.creatures[owner].budget.sustained
    for creature in state.creatures.values():
        for condition in creature.conditions:
            if condition.until != "sustain" or condition.source != owner or condition.since >= state.round:
                continue
            if condition.name not in kept or state.round - condition.since >= SUSTAINED_ROUNDS:
                atom = Atom(
                    seq=UNNUMBERED,
                    source=owner,
                    target=creature.id,
                    does="lose",
                    name=f"{condition.name}@{owner}",
                    swift=True,
                )
                state = yield from note_quietly(state, atom)
    return state


def turns(state: State) -> TurnsFrame:
    """Return the frame of the group's turns in this world."""
    frame = state.stacks.table[0]
    assert isinstance(frame, TurnsFrame), frame.path
    return frame


@record
class TurnBegan(Event[State]):
    """A member of the group has the floor."""

    type: ClassVar[str] = "turn_began"
    creature: CreatureId
    hold_delayed: HoldsDelayed = False

    def evolve(self, state: State) -> State:
        path = f"{turns(state).path}/{self.creature}"
        state = state.with_budget(self.creature, turn="open")
        return state.pushed(TurnFrame(path=path, creature=self.creature, hold_delayed=self.hold_delayed))


@record
class TurnEnding(Event[State]):
    """A member will do no more: what is still due of its delayed effects comes now."""

    type: ClassVar[str] = "turn_ending"
    creature: CreatureId

    def evolve(self, state: State) -> State:
        frame = state.top_frame(TurnFrame)
        return state.put(changed(frame, ending=True, hold_delayed=False))


@record
class TurnEnded(Event[State]):
    """A member's turn is over for this round."""

    type: ClassVar[str] = "turn_ended"
    creature: CreatureId
    path: StepId

    def evolve(self, state: State) -> State:
        return state.popped(self.path).with_budget(self.creature, turn="closed")


@record
class TurnPassed(Noted[State]):
    """A member lets its turn go by."""

    type: ClassVar[str] = "turn_passed"
    creature: CreatureId


@record
class GroupResolved(FrameDone[State]):
    """All members of the group have acted or passed, as far as they could."""

    type: ClassVar[str] = "group_resolved"


# --- permission --------------------------------------------------------------------------------------


def taking_turn(view: State, command: Act) -> Creature:
    """Return the creature if it may use its turn now: its own open one, or one it may begin."""
    found = in_phase(view, command, "action")
    top = view.top
    if found.budget.turn == "closed":
        too_late(found.id)
    if top is None:
        able(found)
        still_resolving(found.id)
    if isinstance(top, TurnFrame) and top.creature == found.id:
        able(found, excused=is_excused(view, turns(view), found))
        return found
    return starting_turn(view, found)


def starting_turn(view: State, creature: Creature) -> Creature:
    """Return the creature if it may begin its turn: the floor is free, and nobody wants another first."""
    top = view.top
    if not isinstance(view.stacks.table[0], TurnsFrame):
        wrong_step(creature.id)
    able(creature, excused=is_excused(view, turns(view), creature))
    if not isinstance(top, TurnsFrame):
        not_amid(view, creature)
        one_at_a_time(view, creature.id)
    agreed(view, creature.id)
    return creature


@enforces(RI_ORDER_1)
def wrong_step(creature: str, *, late: bool = False) -> None:
    """Refuse an action before Swift abilities are committed, or a commitment that comes too *late*."""
    early = f"{creature} cannot act before Swift abilities are committed"
    raise Refused(
        "wrong_step",
        f"the Swift abilities of {creature} are committed already" if late else early,
        RI_ORDER_1.id,
    )


@enforces(RI_ACT_8)
def too_late(creature: str) -> None:
    """Refuse an action after the creature's turn."""
    raise Refused("turn_already_taken", f"{creature} has taken its turn", RI_ACT_8.id)


def not_amid(view: State, creature: Creature) -> None:
    """Refuse what would come in the middle of another member's action; its own minor and free ones may."""
    turn = view.stacks.table[1]
    if not isinstance(turn, TurnFrame):
        return
    other = view.creatures[turn.creature]
    if other.id != creature.id and (view.top is not turn or other.budget.paused):
        raise Refused(
            "cannot_interrupt_other_creature", f"{other.id} is in the middle of an action", "RI-ACT-6"
        )


@enforces(RI_GROUP_3)
def one_at_a_time(view: State, creature: str) -> None:
    """Refuse an action while another is being resolved; say who owes which answer for it."""
    owed = next(iter(() if view.top is None else view.top.waiting(view)), None)
    waits = "what is being resolved"
    if owed is not None:
        waits = f"{' or '.join(owed.accepts[:2])} of {owed.seat} at {owed.prompt}"
    raise Refused("another_member_resolving", f"{creature} has to wait for {waits}", RI_GROUP_3.id)


@enforces(RI_GROUP_4)
def agreed(view: State, creature: str) -> None:
    """Refuse a turn out of the order that the group agreed on, or while it disagrees."""
    wanted = list(view.orders.values())
    if not wanted:
        return
    if ruled(view, "group_order", creature) == "arrival":
        return
    if any(order != wanted[0] for order in wanted):
        raise Refused("order_not_agreed", f"the group disagrees on when {creature} acts", RI_GROUP_4.id)
    left = turns(view).left(view)
    first = next((name for name in wanted[0] if name in left), creature)
    if first != creature:
        raise Refused("order_not_agreed", f"the group wants {first} to act first", RI_GROUP_4.id)


def begun(state: State, creature: str, *, hold_delayed: bool = False) -> Emits[State]:
    """Emit that the turn of *creature* begins, unless it has."""
    if state.creatures[creature].budget.turn == "open":
        return state
    return (yield TurnBegan(creature=creature, hold_delayed=hold_delayed, because=("RI-GROUP-3",)))


# --- offers --------------------------------------------------------------------------------------------


def on_turn(view: State, command: Act) -> Creature | None:
    """Return the creature of *command* if it may use its turn now; None otherwise."""

    def find(_: State) -> Creature | None:
        return view.creatures[command.creature] if is_allowed(taking_turn, view, command) else None

    return derived(view, f"on turn/{command.by.seat}/{command.creature}", find)


def offered(command: Act, view: State, **given: object) -> Iterator[Offer]:
    """Yield the offer that *command* stands for, if it is legal on *view* as it is."""
    try:
        command.check(view)
    except Refused:
        return
    yield Offer(type=command.type, creature=command.creature, given=given)


def sender(view: State, awaited: Awaited) -> Actor:
    """Return who would answer *awaited*."""
    return Actor(seat=awaited.seat, role=view.seats[awaited.seat].role)


# --- commands ------------------------------------------------------------------------------------------
# Begin, pass and end them, and say in which order the group should act.

RI_GROUP_6: Final = Rule(
    "RI-GROUP-6",
    "The member that begins its turn first acts first. Delayed effects come then or are held back.",
    books.TIME.at("Deciding Action Order"),
)
RI_PHASE_6: Final = Rule(
    "RI-PHASE-6",
    "A phase closes when everybody able to act has acted or passed.",
    books.TIME.at("Resolving Actions"),
)


@record
class OrderWanted(Event[State]):
    """A seat of the group says in which order it wants the members to act."""

    type: ClassVar[str] = "order_wanted"
    seat: SeatId
    order: CreatureOrder

    def evolve(self, state: State) -> State:
        return changed(state, orders=with_key(state.orders, self.seat, self.order))


@enforces(RI_GROUP_6)
@record
class BeginTurn(Act):
    """Begin the turn of a creature; its delayed effects come now, or are held."""

    type: ClassVar[str] = "begin_turn"
    sentence: ClassVar[str] = "Begin the turn[{hold_delayed}, holding what is delayed]"
    hold_delayed: HoldsDelayed = False

    def check(self, view: State) -> None:
        creature = in_phase(view, self, "action")
        if creature.budget.turn == "open":
            raise Refused("turn_split", f"the turn of {self.creature} cannot be paused", "RI-DELAY-3")
        taking_turn(view, self)

    def decide(self, state: State) -> Emits[State]:
        return (yield from begun(state, self.creature, hold_delayed=self.hold_delayed))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        if may_begin(view, awaited):
            yield Offer(type=cls.type, creature=awaited.creature, choices={"hold_delayed": (False, True)})


def may_begin(view: State, awaited: Awaited) -> bool:
    """Return whether the creature of *awaited* may begin its turn now."""
    try:
        starting_turn(view, view.creatures[awaited.creature or ""])
    except Refused:
        return False
    return True


@enforces(RI_PHASE_6)
@record
class PassTurn(Act):
    """Pass the turn of a creature, without another action."""

    type: ClassVar[str] = "pass_turn"
    sentence: ClassVar[str] = "Pass the turn"
    passes: ClassVar[bool] = True

    def check(self, view: State) -> None:
        creature = taking_turn(view, self)
        if creature.budget.turn == "open":
            points_picked(view, creature)

    def decide(self, state: State) -> Emits[State]:
        state = yield TurnPassed(creature=self.creature)
        state = yield from begun(state, self.creature)
        return (yield TurnEnding(creature=self.creature))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        if may_begin(view, awaited):
            yield Offer(type=cls.type, creature=awaited.creature)


def points_picked(view: State, creature: Creature) -> None:
    """Refuse to end a turn in which a delayed effect was held and never came, where no default helps."""
    left = due(view, creature)
    if left and not view.house.auto_default:
        raise Refused("delayed_point_unset", f"{left[0].ability} has not come yet", "RI-DELAY-2")


@record
class EndTurn(Act):
    """End the creature's turn: what it has not spent of its round is lost."""

    type: ClassVar[str] = "end_turn"
    sentence: ClassVar[str] = "End the turn"
    passes: ClassVar[bool] = True

    def check(self, view: State) -> None:
        creature = in_phase(view, self, "action")
        if creature.budget.turn == "not_started":
            raise Refused("turn_not_begun", f"{self.creature} has not begun its turn", "RI-ACT-8")
        taking_turn(view, self)
        points_picked(view, creature)

    def decide(self, state: State) -> Emits[State]:
        return (yield TurnEnding(creature=self.creature, because=("RI-ROUND-3",)))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        command = cls(by=sender(view, awaited), creature=awaited.creature or "")
        yield from offered(command, view) if isinstance(view.top, TurnFrame) else ()


@record
class SetOrder(Act):
    """Say in which order the group should act; members whose seats disagree cannot begin."""

    type: ClassVar[str] = "set_order"
    sentence: ClassVar[str] = "Set the order of the group[: {order}]"
    order: CreatureOrder = ()

    def check(self, view: State) -> None:
        in_phase(view, self, "action")
        for name in self.order:
            if name not in view.groups[view.here]:
                raise Refused("not_in_group", f"{name} is not in {view.here}", "RI-GROUP-1")

    def decide(self, state: State) -> Emits[State]:
        return (yield OrderWanted(seat=self.by.seat, order=self.order, because=("RI-GROUP-4",)))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        """Yield what settles an order: no wish, that this member is next, and what another seat wants."""
        first = awaited.creature or ""
        rest = tuple([name for name in view.groups[view.here] if name != first])
        command = cls(by=sender(view, awaited), creature=first)
        wished = dict.fromkeys([(), (first, *rest), *view.orders.values()])
        orders = tuple([each for each in wished if is_allowed(changed(command, order=each).check, view)])
        if orders:
            yield Offer(type=cls.type, creature=first, choices={"order": orders})
