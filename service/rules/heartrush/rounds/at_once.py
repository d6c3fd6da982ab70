"""Use the built-in actions that are over at once: help, call out, and handle an object."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final, Literal

from service.rules.heartrush import books
from service.rules.heartrush.creatures.cantrips import cannot_cast
from service.rules.heartrush.creatures.hands import free_hands, shield_on
from service.rules.heartrush.means.actions import (
    ADJACENT_FT,
    AbilityUsed,
    action_price,
    free_first_price,
    has_action,
)
from service.rules.heartrush.permission import taking_action
from service.rules.heartrush.state import Creature, State
from service.rules.heartrush.windows.deeds import Deed, Said, declared
from service.rules.kernel.messages import Awaited, Command, Emits, Event, Offer, Refused
from service.rules.kernel.records import changed, record, without_key
from service.rules.kernel.rulebook import Rule, enforces

HR_ACT_10: Final = Rule(
    "HR-ACT-10",
    "A full action gives an adjacent creature advantage on its next attack, defense, check or save.",
    books.COMBAT.at("Help"),
    settles=("A-55",),
)
HR_ACT_11: Final = Rule(
    "HR-ACT-11",
    "Say or shout one sentence of reasonable length.",
    books.COMBAT.at("Call Out"),
    settles=("A-03",),
)
HR_ACT_9: Final = Rule(
    "HR-ACT-9",
    "One simple manipulation of an object; putting a weapon away and drawing another are two.",
    books.COMBAT.at("Object Interaction"),
)


CALL_OUT_LENGTH: Final = 280


@record
class HelpGiven(Event[State]):
    """A creature has advantage on the next roll it makes, and is confused no more."""

    type: ClassVar[str] = "help_given"
    creature: str
    target: str

    def evolve(self, state: State) -> State:
        target = state.creatures[self.target]
        conditions = (
            without_key(target.conditions, "confused") if target.has("confused") else target.conditions
        )
        return state.with_creature(self.target, help=target.help + 1, conditions=conditions)


@enforces(HR_ACT_10)
@record
class Help(Command[State]):
    """Help an adjacent creature: a full action gives advantage on its next attack, defense, check or save."""

    type: ClassVar[str] = "help"
    creature: str
    target: str

    def check(self, view: State) -> None:
        creature = taking_action(view, self, self.creature, "help")
        action_price(view, creature)
        check_help(view, creature, self.target)

    def decide(self, state: State) -> Emits[State]:
        paid = action_price(state, state.creatures[self.creature])
        state = yield AbilityUsed(creature=self.creature, ability="help", paid=paid)
        return (yield from declared(state, HelpDeed(), self.creature, paid, Said(target=self.target)))

    @staticmethod
    def done(_state: State, creature: str, said: Said) -> Emits[State]:
        """Tell what it does, now that its turn has come."""
        return (yield HelpGiven(creature=creature, target=said.target or ""))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        creature = view.creatures[awaited.creature or ""]
        near = tuple(
            c.id
            for c in view.creatures.values()
            if c.id != creature.id and c.is_present and view.distance(creature, c) <= ADJACENT_FT
        )
        if has_action(view, creature) and near:
            yield Offer(type=cls.type, creature=creature.id, choices={"target": near})


@record
class CalledOut(Event[State]):
    """A creature said something."""

    type: ClassVar[str] = "called_out"
    creature: str
    words: str

    def evolve(self, state: State) -> State:
        if state.paused() or state.house.callout_passes_priority or state.phase == "turn":
            return state
        return changed(
            state, phase="priority", priority_side=state.creatures[self.creature].side, last_actor_side=None
        )


@enforces(HR_ACT_11)
@record
class CallOut(Command[State]):
    """Say or shout one sentence."""

    type: ClassVar[str] = "call_out"
    creature: str
    words: str

    def check(self, view: State) -> None:
        creature = taking_action(view, self, self.creature, "call_out")
        free_first_price(view, creature, "call_out")
        if not 0 < len(self.words) <= CALL_OUT_LENGTH:
            raise Refused("sentence_too_long", f"1 to {CALL_OUT_LENGTH} characters, not {len(self.words)}")

    def decide(self, state: State) -> Emits[State]:
        paid = free_first_price(state, state.creatures[self.creature], "call_out")
        state = yield AbilityUsed(creature=self.creature, ability="call_out", paid=paid)
        return (yield from declared(state, CallOutDeed(), self.creature, paid, Said(words=self.words)))

    @staticmethod
    def done(_state: State, creature: str, said: Said) -> Emits[State]:
        """Tell what it does, now that its turn has come."""
        return (yield CalledOut(creature=creature, words=said.words))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        creature = view.creatures[awaited.creature or ""]
        if creature.free_callout or has_action(view, creature):
            yield Offer(type=cls.type, creature=creature.id, choices={"words": ("For the hearth!",)})


@record
class ObjectHandled(Event[State]):
    """A creature drew, stowed or handled something."""

    type: ClassVar[str] = "object_handled"
    creature: str
    verb: str
    item: str | None

    def evolve(self, state: State) -> State:
        if self.verb == "handle":
            return state
        if is_shield(state.creatures[self.creature], self.item):
            return state.with_creature(self.creature, shield_down=self.verb == "stow")
        return state.with_creature(self.creature, wielded=self.item if self.verb == "draw" else None)


@enforces(HR_ACT_9)
@record
class HandleObject(Command[State]):
    """Draw, put away or handle one object; putting a weapon away and drawing another are two uses."""

    type: ClassVar[str] = "object"
    creature: str
    verb: Literal["draw", "stow", "handle"]
    item: str | None = None
    """The weapon to draw or put away, or `shield`; null puts the weapon in hand away. For `handle`, what is
    handled, in a few words."""

    def check(self, view: State) -> None:
        creature = taking_action(view, self, self.creature, "object")
        free_first_price(view, creature, "object")
        check_handling(creature, self.verb, self.item)
        if self.verb == "handle" and not 0 < len(self.item or "") <= CALL_OUT_LENGTH:
            raise Refused("params_missing", "say in a few words what is handled")

    def decide(self, state: State) -> Emits[State]:
        paid = free_first_price(state, state.creatures[self.creature], "object")
        state = yield AbilityUsed(creature=self.creature, ability="object", paid=paid)
        said = Said(verb=self.verb, item=self.item)
        return (yield from declared(state, ObjectDeed(), self.creature, paid, said))

    @staticmethod
    def done(state: State, creature: str, said: Said) -> Emits[State]:
        """Tell what it does, now that its turn has come."""
        item = state.creatures[creature].wielded if said.verb == "stow" and said.item is None else said.item
        return (yield ObjectHandled(creature=creature, verb=said.verb, item=item))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        creature = view.creatures[awaited.creature or ""]
        if not (creature.free_object or has_action(view, creature)):
            return
        for verb, items in (("stow", held_things(creature)), ("draw", drawable(creature))):
            if items:
                yield Offer(
                    type=cls.type, creature=creature.id, given={"verb": verb}, choices={"item": items}
                )
        yield Offer(
            type=cls.type, creature=creature.id, given={"verb": "handle"}, choices={"item": ("a door",)}
        )


SHIELD: Final = "shield"
"""What a shield is called, unless a weapon of its bearer has that id."""


def is_shield(creature: Creature, item: str | None) -> bool:
    """Tell whether *item* is the shield of *creature*."""
    return item == SHIELD and all(weapon.id != SHIELD for weapon in creature.sheet.weapons)


def held_things(creature: Creature) -> tuple[str | None, ...]:
    """Return what *creature* could put away: the weapon in hand, by name or without, and its shield."""
    weapon = () if creature.wielded is None else (None, creature.wielded)
    if not is_shield(creature, SHIELD) or "shield" in creature.gm_only or shield_on(creature) == "none":
        return weapon
    return (*weapon, SHIELD)


def drawable(creature: Creature) -> tuple[str, ...]:
    """Return what *creature* could take in hand: a weapon while it holds none, and a shield it put down."""
    shield = (SHIELD,) if creature.shield_down and free_hands(creature) else ()
    if creature.wielded is not None:
        return shield
    weapons = tuple(
        weapon.id
        for weapon in creature.sheet.weapons
        if weapon.id not in creature.thrown and cannot_cast(creature, weapon) is None
    )
    return (*weapons, *shield)


def check_draw(creature: Creature, name: str) -> None:
    """Refuse what is not at hand, a shield without a free hand, a cantrip that *creature* cannot use."""
    check_shield(creature, name)
    if is_shield(creature, name) and creature.shield_down and not free_hands(creature):
        raise Refused("no_free_hand", f"{creature.id} has no hand free for its shield")
    weapon = next((weapon for weapon in creature.sheet.weapons if weapon.id == name), None)
    lacking = None if weapon is None else cannot_cast(creature, weapon)
    if lacking is not None:
        raise lacking
    if name not in drawable(creature):
        raise Refused("weapon_not_wieldable", f"{creature.id} cannot draw {name} now")


def check_handling(creature: Creature, verb: str, item: str | None) -> None:
    """Refuse to draw what is not at hand, and to stow what is not held."""
    if verb == "draw":
        check_draw(creature, item or "")
    if verb == "stow" and item not in held_things(creature):
        check_shield(creature, item)
        raise Refused("weapon_not_wielded", f"{creature.id} has no {item or 'weapon'} in hand")


def check_shield(creature: Creature, item: str | None) -> None:
    """Refuse to handle a shield of which only the GM knows."""
    if is_shield(creature, item) and "shield" in creature.gm_only:
        raise Refused("gm_only", f"only the gm knows the shield of {creature.id}", "TABLE-GMONLY-1")


def check_help(view: State, creature: Creature, name: str) -> None:
    """Refuse help for who is not there, or not adjacent."""
    target = view.creatures.get(name)
    if target is None or target.id == creature.id:
        raise Refused("no_valid_target", f"there is nobody else called {name}")
    if not target.is_present:
        raise Refused("target_dead", f"{name} is dead")
    if view.distance(creature, target) > ADJACENT_FT:
        raise Refused("not_adjacent", f"{name} is not adjacent to {creature.id}")


# --- what happens once it has been declared -----------------------------------------------------------


class HelpDeed(Deed):
    """What helping does once nobody answers it any more."""

    name = "help"

    def check(self, state: State, creature: Creature, said: Said) -> None:
        check_help(state, creature, said.target or "")

    def happen(self, state: State, creature: str, said: Said) -> Emits[State]:
        return (yield from Help.done(state, creature, said))


class CallOutDeed(Deed):
    """What a call-out does once nobody answers it any more."""

    name = "call_out"

    def happen(self, state: State, creature: str, said: Said) -> Emits[State]:
        return (yield from CallOut.done(state, creature, said))


class ObjectDeed(Deed):
    """What the use of an object does once nobody answers it any more."""

    name = "object"

    def check(self, state: State, creature: Creature, said: Said) -> None:
        check_handling(creature, said.verb, said.item)

    def happen(self, state: State, creature: str, said: Said) -> Emits[State]:
        return (yield from HandleObject.done(state, creature, said))
