"""Handle objects: once a round for nothing, then for minor or standard actions, three times in all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar, Final, Literal

from service.rules.kernel.messages import TABLE, Awaited, Emits, Event, Offer, Refused, Sentence
from service.rules.kernel.records import EMPTY, changed, record, with_key
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.values import Code, CreatureId, ThingName
from service.rules.rise import books
from service.rules.rise.acting.combat_time import (
    MANIPULATIONS,
    Pay,
    check_minor,
    check_standard,
    check_trade,
    pay_for,
)
from service.rules.rise.acting.turns import begun, sender, taking_turn
from service.rules.rise.body.running_the_game import ruled
from service.rules.rise.creatures.combat_statistics import hands_free
from service.rules.rise.creatures.creature import Creature
from service.rules.rise.creatures.permission import Act, able, in_phase, is_allowed
from service.rules.rise.creatures.state import State
from service.rules.rise.moving.movement_problem import NeedsInitiative
from service.rules.rise.moving.movement_resolution import meet_needs
from service.rules.rise.planning.initiative import asks_players, find_order
from service.rules.rise.values import HeldThing
from service.rules.rolls.chance import Chance
from service.rules.space.grid import FEET, Cell, cells
from service.rules.table.walled import DOOR_VERBS, TABLE_WALL_2, door_moved, is_door

RI_UNIV_MANIP: Final = Rule(
    "RI-UNIV-MANIP",
    "Handle an object: free once in a round, in either phase, then for a minor or standard action.",
    books.TIME.at("Free Actions"),
)
RI_PHASE_3: Final = Rule(
    "RI-PHASE-3", "Free actions are allowed in both phases.", books.TIME.at("Phases"), settles=("C-25",)
)
RI_MAN_3: Final = Rule("RI-MAN-3", "Letting go of what one holds is not counted.", books.CODEX_EQUIPMENT)
RI_MAN_2: Final = Rule(
    "RI-MAN-2",
    "Nobody handles objects more than three times in a round, however it is paid.",
    books.CODEX_EQUIPMENT,
)
RI_MAN_1: Final = Rule(
    "RI-MAN-1", "Handling an object is free once in a round.", books.TIME.at("Free Actions")
)
RI_CONF_12: Final = Rule(
    "RI-CONF-12",
    "Who has picked a thing up contends for it, even if it has let go of it again.",
    RULING,
    settles=("C-39",),
)
RI_MAN_4: Final = Rule(
    "RI-MAN-4",
    "By the later printing a sheathed thing takes a minor action, and searching a bag a standard one.",
    books.CODEX_EQUIPMENT,
    settles=("C-27",),
)
RI_MAN_5: Final = Rule(
    "RI-MAN-5",
    "What the dead hold and had not brought as a weapon lies where they died, with the next boundary.",
    RULING,
)


Handling = Literal["draw", "stow", "drop", "open", "close", "pick_up", "rummage", "heavy", "other"]
COSTS_MINOR = ("draw", "stow")
LETTING_GO: Final[tuple[Handling, ...]] = ("drop", "stow")
PAYING: Final[tuple[Pay, ...]] = ("free", "minor", "standard")
COSTS_STANDARD = ("rummage", "heavy")


@record
class ObjectManipulated(Event[State]):
    """A creature handled an object."""

    type: ClassVar[str] = "object_manipulated"
    creature: CreatureId
    what: Handling
    """The id of the ability or the name of the weapon."""
    item: HeldThing
    free: bool
    """Whether it costs no action."""
    at: Cell | None = None
    """Where it comes to lie, if not at its holder's feet."""
    trivial: bool = False
    """Whether it is not counted, as the GM has ruled."""

    def evolve(self, state: State) -> State:
        creature = state.creatures[self.creature]
        held = creature.held
        if self.what in ("draw", "pick_up") and self.item:
            held = (*held, self.item)
        if self.what in ("stow", "drop"):
            held = tuple([item for item in held if item != self.item])
        lying = {item: at for item, at in state.lying.items() if item != self.item}
        if self.what == "drop":
            lying[self.item] = self.at or creature.position
        state = changed(state, lying=lying, picked=self._picked(state))
        budget = creature.budget
        if self.what != "drop" and not self.trivial:
            budget = changed(
                budget,
                manipulations=budget.manipulations + 1,
                free_manipulation=budget.free_manipulation or self.free,
            )
        return state.with_creature(self.creature, held=held, budget=budget)

    def _picked(self, state: State) -> Mapping[str, str | None]:
        """Return what the group has taken off the ground, or let go of, first of all."""
        if self.what not in ("drop", "pick_up") or self.item in state.picked:
            return state.picked
        return with_key(state.picked, self.item, self.creature if self.what == "pick_up" else None)


@enforces(RI_UNIV_MANIP)
@record
class ManipulateObject(Act):
    """Handle an object: free once in a round, in either phase, then for a minor or standard action."""

    type: ClassVar[str] = "manipulate_object"
    sentence: ClassVar[Sentence] = {
        "what=draw": "Draw the {item}",
        "what=stow": "Put away the {item}",
        "what=drop": "Drop the {item}",
        "what=open": "Open the door at {item}",
        "what=close": "Close the door at {item}",
        "what=pick_up": "Pick up the {item}",
        "what=rummage": "Search a bag[ for {item}]",
        "what=heavy": "Move something heavy[: {item}]",
        "": "Handle an object[: {item}]",
    }
    what: Handling = "other"
    """The id of the ability or the name of the weapon."""
    item: ThingName = ""
    """The thing that is handled; for `open` and `close`, the edge of a door of the map as `x,y|x,y`."""
    pay: Pay = "free"
    """What pays for it."""

    def check(self, view: State) -> None:
        creature = handling(view, self)
        check_item(view, creature, self.what, self.item)
        check_paid(view, creature, self.what, self.pay)

    def decide(self, state: State) -> Emits[State]:
        if state.phase == "action":
            state = yield from begun(state, self.creature)
        trivial = is_trivial(state, self.creature, self.what)
        if self.pay != "free" and self.what != "drop" and not trivial:
            usage = "minor" if self.pay == "minor" else "standard"
            state = yield from pay_for(self.creature, usage, self.pay, f"{self.type}-{self.what}")
        state = yield ObjectManipulated(
            creature=self.creature,
            what=self.what,
            item=self.item,
            free=self.pay == "free",
            trivial=trivial,
        )
        if self.what in DOOR_VERBS and is_door(self.item):
            return (yield door_moved(self.creature, self.item, self.what))
        return state

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        command = cls(by=sender(view, awaited), creature=awaited.creature or "")
        if not is_allowed(handling, view, command):
            return
        creature = view.creatures[command.creature]
        held, owned = creature.held, creature.sheet.weapons
        things: dict[Handling, tuple[str, ...]] = {
            "open": ("", *view.doors_at(creature.position, creature.space, "closed_door")),
            "close": view.doors_at(creature.position, creature.space, "open_door"),
            "rummage": ("",),
            "other": ("",),
            "draw": tuple([own.id for own in owned if own.id not in held]),
            **dict.fromkeys(LETTING_GO, tuple(dict.fromkeys(held))),
            "pick_up": tuple(view.lying),
        }
        found: dict[tuple[tuple[str, ...], tuple[Pay, ...]], list[Handling]] = {}
        payable: dict[str, list[Pay]] = {}
        for what, items in things.items():
            alike = what if what in ("drop", "other") or view.house.detailed_manipulation else "any"
            if alike not in payable:
                pays = PAYING if what != "drop" and view.phase == "action" else PAYING[:1]
                payable[alike] = [pay for pay in pays if is_allowed(check_paid, view, creature, what, pay)]
            paid = payable[alike]
            fit = [item for item in items if is_allowed(check_item, view, creature, what, item)]
            if fit and paid:
                found.setdefault((tuple(fit), tuple(paid)), []).append(what)
        for (named, pays), whats in found.items():
            choices: dict[str, tuple[str, ...]] = {"what": tuple(whats), "pay": pays}
            if named != ("",):
                choices["item"] = named
            yield Offer(type=cls.type, creature=creature.id, choices=choices)


def check_item(view: State, creature: Creature, what: Handling, item: str) -> None:
    """Refuse to handle what is not there, with no hand free, or too often; however it is paid."""
    if what == "drop":
        dropping(creature, item)
    elif not is_trivial(view, creature.id, what):
        three_at_most(creature)
        if what in DOOR_VERBS and is_door(item):
            fault = view.door_fault(creature.position, creature.space, item, what)
            if fault is not None:
                raise Refused("invalid_target", fault, TABLE_WALL_2.id)
        check_hands(view, creature, what, item)


def check_paid(view: State, creature: Creature, what: Handling, pay: Pay) -> None:
    """Refuse what *creature* cannot pay for so, whatever it handles."""
    if what == "drop" or is_trivial(view, creature.id, what):
        return
    if view.house.detailed_manipulation:
        detailed(what, pay)
    if pay == "free":
        once_for_nothing(creature)
    else:
        paid_for(view, creature, pay)


def is_trivial(view: State, creature: str, what: Handling) -> bool:
    """Return whether the GM lets this creature do such a thing uncounted."""
    return what == "other" and ruled(view, "trivial_manipulation", creature) == "yes"


def check_hands(view: State, creature: Creature, what: str, item: str) -> None:
    """Refuse to take what is not there, or with no hand free."""
    if what == "pick_up":
        at = view.lying.get(item)
        own = view.body(creature)
        if at is None or own.altitude > FEET or not view.is_beside(cells(own.position, own.space), (at,)):
            raise Refused("invalid_target", f"no {item} lies beside {creature.id}", "RI-MAN-1")
    if what in ("pick_up", "draw") and item and hands_free(creature) < 1:
        raise Refused("no_free_hand", f"{creature.id} has no hand free", "RI-MAN-1")


@record
class ItemsTaken(Event[State]):
    """It is known who got the things that lay on the ground; who came too late has taken in vain."""

    type: ClassVar[str] = "items_taken"
    items: Mapping[Code, CreatureId]
    """Who took each of them, before all others."""

    def evolve(self, state: State) -> State:
        for item, winner in self.items.items():
            taking = next(each for each in state.takings[item] if each.creature == winner)
            for name, creature in state.creatures.items():
                if name != taking.holder and item in creature.held:
                    left = tuple([kept for kept in creature.held if kept != item])
                    state = state.with_creature(name, held=left)
            lying = {other: at for other, at in state.lying.items() if other != item}
            state = changed(state, lying=lying if taking.at is None else {**lying, item: taking.at})
        return changed(state, takings=EMPTY)


@enforces(RI_CONF_12)
def share_out(state: State, chance: Chance) -> Emits[State]:
    """Emit who got what several groups took at once: initiative decides, and the others took in vain.

    The step ends early while players are asked about their initiative.
    """
    takers = {
        item: tuple(sorted([each.creature for each in state.takings[item]])) for item in sorted(state.takings)
    }
    contested = tuple([names for names in takers.values() if len(names) > 1])
    state = yield from meet_needs(state, chance, NeedsInitiative(contests=contested))
    if asks_players(state):
        return state
    items = {item: (find_order(state, names) or names)[0] for item, names in takers.items()}
    return (yield ItemsTaken(items=items, because=("RI-CONF-2", "C-39"))) if items else state


@enforces(RI_MAN_5)
def leave_things(state: State) -> Emits[State]:
    """Emit that what the dead hold lies where they are: nobody else could have it any more.

    Weapons of a sheet stay with it; several sheets may have one of the same name.
    """
    for name, creature in state.creatures.items():
        for item in creature.held if creature.dead else ():
            if item not in [own.id for own in creature.sheet.weapons]:
                state = yield ObjectManipulated(
                    creature=name, what="drop", item=item, free=True, because=(RI_MAN_5.id,)
                )
    return state


@enforces(RI_PHASE_3)
def handling(view: State, command: Act) -> Creature:
    """Return the creature that handles an object; refuse it out of its turn and its planning."""
    if view.phase == "movement":
        creature = in_phase(view, command, "movement")
        able(creature)
        if view.here == TABLE or view.top is None:
            raise Refused("wrong_step", f"{creature.id} has sealed its plans", "RI-ORDER-1")
        return creature
    return taking_turn(view, command)


@enforces(RI_MAN_3)
def dropping(creature: Creature, item: str) -> None:
    """Refuse to drop what *creature* does not hold."""
    if item not in creature.held:
        raise Refused("invalid_target", f"{creature.id} holds no {item}", RI_MAN_3.id)


@enforces(RI_MAN_2)
def three_at_most(creature: Creature) -> None:
    """Refuse to handle a fourth object in one round."""
    if creature.budget.manipulations >= MANIPULATIONS:
        raise Refused(
            "object_manipulation_limit", f"{creature.id} has handled three objects this round", RI_MAN_2.id
        )


@enforces(RI_MAN_1)
def once_for_nothing(creature: Creature) -> None:
    """Refuse to handle a second object for free in one round."""
    if creature.budget.free_manipulation:
        raise Refused(
            "free_manipulation_spent", f"{creature.id} has handled an object for free this round", RI_MAN_1.id
        )


@enforces(RI_MAN_4)
def detailed(what: str, pay: str) -> None:
    """Refuse to pay less than the detailed printing asks for."""
    if what in COSTS_STANDARD and pay != "standard":
        raise Refused("needs_standard_action", f"to {what} takes a standard action", RI_MAN_4.id)
    if what in COSTS_MINOR and pay == "free":
        raise Refused("needs_minor_action", f"to {what} takes a minor action", RI_MAN_4.id)


def paid_for(view: State, creature: Creature, pay: str) -> None:
    """Refuse unless the action that is to pay for it is there; in the movement phase none is."""
    if view.phase != "action":
        raise Refused("wrong_phase", "only free actions come in the movement phase", "RI-PHASE-1")
    if pay == "minor":
        check_minor(creature)
    elif pay == "standard":
        check_standard(creature)
    else:
        check_trade(creature, "free")
