"""Use the actions that are over at once: help, call out, handle an object, master oneself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar, Final, Literal

from service.rules.heartrush import books
from service.rules.heartrush.body.actions import (
    AbilityUsed,
    action_price,
    free_first_price,
    has_action,
)
from service.rules.heartrush.body.conditions import ConditionEased, ConditionLost
from service.rules.heartrush.body.damage import half
from service.rules.heartrush.body.permission import taking_action
from service.rules.heartrush.body.possessions import (
    LANTERN,
    SHIELD,
    LanternTurned,
    check_lantern,
    check_load,
    check_taking,
    droppable,
    dropped,
    is_shield,
    lantern_verbs,
    load_fault,
    takeable,
    taken,
)
from service.rules.heartrush.body.weapons import cannot_cast, free_hands, no_hands, shield_on
from service.rules.heartrush.creatures.adjacency import is_adjacent
from service.rules.heartrush.creatures.sheet import Weapon
from service.rules.heartrush.creatures.state import Creature, State
from service.rules.heartrush.moving.bonds import look_at_bonds
from service.rules.heartrush.rolling.checks import CheckAsked, Checking, CheckResult
from service.rules.heartrush.rolling.rolls import challenge_number
from service.rules.heartrush.timing.windows import Deed, Said, declared
from service.rules.heartrush.values import SAID_LENGTH, ItemName, Speech, SteadyId, ThingVerb
from service.rules.kernel.messages import Awaited, Command, Emits, Event, Offer, Refused, Sentence
from service.rules.kernel.records import changed, record, without_key
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.kernel.values import CreatureId, TargetId, ThingName
from service.rules.rolls.chance import Chance
from service.rules.table.stack import opened_by
from service.rules.table.walled import DOOR_VERBS, TABLE_WALL_2, door_moved

# --- help, calling out, objects ------------------------------------------------------------------------
# Help, call out, and handle an object.

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


@record
class HelpGiven(Event[State]):
    """A creature has advantage on the next roll it makes, and is confused no more."""

    type: ClassVar[str] = "help_given"
    creature: CreatureId
    target: TargetId

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
    sentence: ClassVar[str] = "Help {target}"
    creature: CreatureId
    target: TargetId

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
        """Emit what it does, now that its turn has come."""
        return (yield HelpGiven(creature=creature, target=said.target or ""))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        creature = view.creatures[awaited.creature or ""]
        near = tuple(
            c.id
            for c in view.creatures.values()
            if c.id != creature.id and c.is_present and is_adjacent(view, creature, c)
        )
        if has_action(view, creature) and near:
            yield Offer(type=cls.type, creature=creature.id, choices={"target": near})


@record
class CalledOut(Event[State]):
    """A creature said something."""

    type: ClassVar[str] = "called_out"
    acts: ClassVar[bool] = True
    creature: CreatureId
    words: Speech

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
    sentence: ClassVar[str] = "Call out one sentence"
    creature: CreatureId
    words: Speech

    def check(self, view: State) -> None:
        creature = taking_action(view, self, self.creature, "call_out")
        free_first_price(view, creature, "call_out")
        if not 0 < len(self.words) <= SAID_LENGTH:
            raise Refused(
                "sentence_too_long", f"1 to {SAID_LENGTH} characters, not {len(self.words)}", HR_ACT_11.id
            )

    def decide(self, state: State) -> Emits[State]:
        paid = free_first_price(state, state.creatures[self.creature], "call_out")
        state = yield AbilityUsed(creature=self.creature, ability="call_out", paid=paid)
        return (yield from declared(state, CallOutDeed(), self.creature, paid, Said(words=self.words)))

    @staticmethod
    def done(_state: State, creature: str, said: Said) -> Emits[State]:
        """Emit what it does, now that its turn has come."""
        return (yield CalledOut(creature=creature, words=said.words))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        creature = view.creatures[awaited.creature or ""]
        if creature.free_callout or has_action(view, creature):
            yield Offer(type=cls.type, creature=creature.id, written={"words": "For the hearth!"})


@record
class ObjectHandled(Event[State]):
    """A creature drew, stowed or handled something."""

    type: ClassVar[str] = "object_handled"
    acts: ClassVar[bool] = True
    creature: CreatureId
    verb: ThingVerb
    item: ItemName | None

    def evolve(self, state: State) -> State:
        if self.verb == "handle":
            return state
        if is_shield(state.creatures[self.creature], self.item):
            return state.with_creature(self.creature, shield_down=self.verb == "stow")
        return state.with_creature(self.creature, wielded=self.item if self.verb == "draw" else None)


@enforces(HR_ACT_9)
@record
class HandleObject(Command[State]):
    """Handle one object, or move a door; to put away a weapon and to draw another are two uses.

    What is picked up is in hand, or on the arm; what is dropped lies where its holder stands.
    """

    type: ClassVar[str] = "object"
    sentence: ClassVar[Sentence] = {
        "verb=draw": "Draw the {item}",
        "verb=stow": "Put away the {item}",
        "verb=drop": "Drop the {item}",
        "verb=pick_up": "Pick up the {item}",
        "verb=light": "Light the {item}",
        "verb=put_out": "Put out the {item}",
        "verb=open": "Open the door at {item}",
        "verb=close": "Close the door at {item}",
        "verb=handle": "Handle the {item}",
        "": "Handle an object[: {item}]",
    }
    notes: ClassVar[Mapping[str, str]] = {"item": "What is handled, in a few words."}
    creature: CreatureId
    verb: Literal["draw", "stow", "drop", "pick_up", "light", "put_out", "open", "close", "handle"]
    """What is done with the thing."""
    item: ThingName | None = None
    """The weapon to draw, put away or drop, or `shield`; null: the weapon in hand. `pick_up`: the name
    of what lies there. `light`, `put_out`: null. `open`, `close`: the door's edge, `x,y|x,y`. `handle`: what
    is handled, in a few words."""

    def check(self, view: State) -> None:
        creature = taking_action(view, self, self.creature, "object")
        free_first_price(view, creature, "object")
        check_handling(view, creature, self.verb, self.item)
        if self.verb == "handle" and not self.item:
            raise Refused("params_missing", "say in a few words what is handled", HR_ACT_9.id)

    def decide(self, state: State) -> Emits[State]:
        paid = free_first_price(state, state.creatures[self.creature], "object")
        state = yield AbilityUsed(creature=self.creature, ability="object", paid=paid)
        said = Said(verb=self.verb, item=self.item)
        return (yield from declared(state, ObjectDeed(), self.creature, paid, said))

    @staticmethod
    def done(state: State, creature: str, said: Said) -> Emits[State]:
        """Emit what it does, now that its turn has come."""
        if said.verb in DOOR_VERBS:
            state = yield door_moved(creature, said.item or "", said.verb)
            return (yield from look_at_bonds(state))
        if said.verb in LANTERN:
            turned = LANTERN[said.verb]
            return (yield LanternTurned(creature=creature, out=turned, because=("HR-ACT-9", "HR-LIGHT-1")))
        if said.verb == "drop":
            return (yield dropped(state, creature, said.item))
        if said.verb == "pick_up":
            return (yield taken(state, creature, said.item or ""))
        item = state.creatures[creature].wielded if said.verb == "stow" and said.item is None else said.item
        return (yield ObjectHandled(creature=creature, verb=said.verb, item=item))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        creature = view.creatures[awaited.creature or ""]
        if not (creature.free_object or has_action(view, creature)):
            return
        doors = [(verb, doors_offered(view, creature, verb)) for verb in DOOR_VERBS]
        lantern = [(verb, (None,)) for verb in lantern_verbs(creature)]
        things = (
            ("stow", stowable(creature)),
            ("draw", drawable(creature)),
            ("drop", droppable(creature)),
            ("pick_up", takeable(view, creature)),
        )
        for verb, items in (*things, *lantern, *doors):
            if items:
                yield Offer(
                    type=cls.type, creature=creature.id, given={"verb": verb}, choices={"item": items}
                )
        yield Offer(type=cls.type, creature=creature.id, given={"verb": "handle"}, written={"item": "a door"})


def held_things(creature: Creature) -> tuple[str | None, ...]:
    """Return what *creature* could put away: the weapon in hand, by name or without, and its shield."""
    held = creature.in_hand
    weapon = () if held is None or "natural" in held.tags else (None, held.id)
    if not is_shield(creature, SHIELD) or "shield" in creature.gm_only or shield_on(creature) == "none":
        return weapon
    return (*weapon, SHIELD)


def stowable(creature: Creature) -> tuple[str | None, ...]:
    """Return what *creature* could put away: what it holds and has slots for."""
    return tuple([item for item in held_things(creature) if load_fault(creature, item) is None])


def drawable(creature: Creature) -> tuple[str, ...]:
    """Return what *creature* could take in hand: a weapon while it holds none, and a shield it put down."""
    shield = (SHIELD,) if creature.shield_down and free_hands(creature) else ()
    if creature.wielded is not None:
        return shield
    weapons = tuple(
        weapon.id
        for weapon in creature.sheet.weapons
        if weapon.id not in creature.thrown and cannot_draw(creature, weapon) is None
    )
    return (*weapons, *shield)


def cannot_draw(creature: Creature, weapon: Weapon) -> Refused | None:
    """Return what keeps *creature* from taking *weapon* in hand: too few hands, or no way to cast it."""
    return no_hands(creature, weapon) or cannot_cast(creature, weapon)


def check_draw(creature: Creature, name: str) -> None:
    """Refuse what is not at hand, a shield without a free hand, a cantrip that *creature* cannot use."""
    check_shield(creature, name)
    if is_shield(creature, name) and creature.shield_down and not free_hands(creature):
        raise Refused("no_free_hand", f"{creature.id} has no hand free for its shield")
    weapon = next((weapon for weapon in creature.sheet.weapons if weapon.id == name), None)
    lacking = None if weapon is None else cannot_draw(creature, weapon)
    if lacking is not None:
        raise lacking
    if name not in drawable(creature):
        raise Refused("weapon_not_wieldable", f"{creature.id} cannot draw {name} now")


def doors_offered(view: State, creature: Creature, verb: str) -> tuple[str, ...]:
    """Return the doors that *creature* may open or close."""
    at, side = creature.position, creature.space
    found = view.doors_at(at, side, DOOR_VERBS[verb])
    return tuple([door for door in found if view.door_fault(at, side, door, verb) is None])


def check_handling(view: State, creature: Creature, verb: str, item: str | None) -> None:
    """Refuse to draw what is not at hand, to stow what is not held, and to move a door that is not there."""
    if verb in DOOR_VERBS:
        fault = view.door_fault(creature.position, creature.space, item or "", verb)
        if fault is not None:
            raise Refused("no_valid_target", fault, TABLE_WALL_2.id)
    if verb == "draw":
        check_draw(creature, item or "")
    if verb in LANTERN:
        check_lantern(creature, verb, item)
    if verb == "pick_up":
        check_taking(view, creature, item or "")
    at_hand = {"stow": held_things, "drop": droppable}.get(verb)
    if at_hand is not None and item not in at_hand(creature):
        check_shield(creature, item)
        raise Refused("weapon_not_wielded", f"{creature.id} has no {item or 'weapon'} in hand")
    if verb == "stow":
        check_load(creature, item)


def check_shield(creature: Creature, item: str | None) -> None:
    """Refuse to handle a shield of which only the GM knows."""
    if is_shield(creature, item) and "shield" in creature.gm_only:
        raise Refused("gm_only", f"only the gm knows the shield of {creature.id}", "TABLE-GMONLY-1")


def check_help(view: State, creature: Creature, name: str) -> None:
    """Refuse help for who is not there, or not adjacent."""
    target = view.creatures.get(name)
    if target is None or target.id == creature.id:
        raise Refused("no_valid_target", f"no other creature is called {name}")
    if not target.is_present:
        raise Refused("target_dead", f"{name} is dead")
    if not is_adjacent(view, creature, target):
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
        check_handling(state, creature, said.verb, said.item)

    def happen(self, state: State, creature: str, said: Said) -> Emits[State]:
        return (yield from HandleObject.done(state, creature, said))


# --- actions on oneself --------------------------------------------------------------------------------

Passion = Literal["frightened", "enraged"]
PASSIONS: Final[tuple[Passion, ...]] = ("frightened", "enraged")


def why(passion: Passion) -> tuple[str, ...]:
    """Return the ids of the rules about *passion*."""
    return ("HR-COND-15",) if passion == "frightened" else ("HR-COND-16",)


@record
class DeclaredSteadying:
    """Who tries to master which passion."""

    creature: CreatureId
    passion: Passion
    """The passion that it masters."""


@record
class SteadyFrame(DeclaredSteadying, Checking):
    """A creature tries to master itself."""

    kind: ClassVar[str] = "steady"
    checked: CheckResult = None

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        assert self.checked is not None, "the save above it comes first"
        calm = self.checked.success
        state = yield SteadyTried(
            steady=self.path, creature=self.creature, calm=calm, because=why(self.passion)
        )
        if not calm or not state.creatures[self.creature].has(self.passion):
            return state
        return (
            yield ConditionLost(creature=self.creature, condition=self.passion, because=why(self.passion))
        )


@record
class SteadyBegun(DeclaredSteadying, Event[State]):
    """A creature begins to master its fear or rage."""

    type: ClassVar[str] = "steady_begun"
    steady: SteadyId

    def evolve(self, state: State) -> State:
        return state.pushed(opened_by(self, SteadyFrame, self.steady))


@record
class SteadyTried(Event[State]):
    """A creature has mastered itself, or not."""

    type: ClassVar[str] = "steady_tried"
    steady: SteadyId
    creature: CreatureId
    calm: bool
    """Whether it mastered itself."""

    def evolve(self, state: State) -> State:
        return state.popped(self.steady)


@record
class Steady(Command[State]):
    """Spend the action on a cunning save against the presence of who frightens or enrages you."""

    type: ClassVar[str] = "steady"
    sentence: ClassVar[str] = "Steady yourself against {condition}"
    creature: CreatureId
    condition: Passion
    """The condition."""

    def check(self, view: State) -> None:
        creature = taking_action(view, self, self.creature)
        action_price(view, creature)
        if source_of(view, creature, self.condition) is None:
            raise Refused(
                "condition_missing", f"nobody has {self.creature} {self.condition}", why(self.condition)[0]
            )

    def decide(self, state: State) -> Emits[State]:
        source = source_of(state, state.creatures[self.creature], self.condition)
        assert source is not None
        because = why(self.condition)
        path = state.numbered(f"steady/{self.creature}")
        paid = action_price(state, state.creatures[self.creature])
        state = yield AbilityUsed(
            creature=self.creature,
            ability=self.type,
            paid=paid,
            because=("HR-ACT-2", *because),
        )
        state = yield SteadyBegun(
            steady=path, creature=self.creature, passion=self.condition, because=because
        )
        return (
            yield CheckAsked(
                check=f"{path}/save",
                creature=self.creature,
                ability="cunning",
                cn=challenge_number(source, "presence"),
                what=self.condition,
                save=True,
                because=("HR-GEN-8", *because),
            )
        )

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        creature = view.creatures[awaited.creature or ""]
        passions = tuple(name for name in PASSIONS if source_of(view, creature, name))
        if has_action(view, creature) and passions:
            yield Offer(type=cls.type, creature=creature.id, choices={"condition": passions})


def source_of(view: State, creature: Creature, condition: Passion) -> Creature | None:
    """Return who frightens or enrages *creature*."""
    found = creature.conditions.get(condition)
    return view.creatures.get(found.source) if found is not None and found.source else None


@record
class Douse(Command[State]):
    """Spend the action on the flames: half the levels of burning, rounded up, go out."""

    type: ClassVar[str] = "douse"
    sentence: ClassVar[str] = "Beat out the flames"
    creature: CreatureId

    def check(self, view: State) -> None:
        creature = taking_action(view, self, self.creature)
        action_price(view, creature)
        if not creature.has("burning"):
            raise Refused("condition_missing", f"{self.creature} does not burn", "HR-COND-19")

    def decide(self, state: State) -> Emits[State]:
        levels = half(state.creatures[self.creature].level("burning"))
        because = ("HR-COND-19",)
        paid = action_price(state, state.creatures[self.creature])
        yield AbilityUsed(
            creature=self.creature,
            ability=self.type,
            paid=paid,
            because=("HR-ACT-2", *because),
        )
        return (
            yield ConditionEased(creature=self.creature, condition="burning", levels=levels, because=because)
        )

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        creature = view.creatures[awaited.creature or ""]
        if has_action(view, creature) and creature.has("burning"):
            yield Offer(type=cls.type, creature=creature.id)
