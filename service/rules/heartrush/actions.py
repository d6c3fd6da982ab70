"""Use the actions everybody has: what each costs, and those that are over at once.

One action a creature a round; dash, object and call out are free the first time. A use is paid when it is
declared; one that is no instant hands priority over when it has resolved.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final, Literal

from service.rules.heartrush.cantrips import cannot_cast
from service.rules.heartrush.permission import acting, holding_priority
from service.rules.heartrush.rush import afford_rush
from service.rules.heartrush.state import Creature, State, is_able
from service.rules.heartrush.strain import is_airless, strained
from service.rules.messages import Command, Event, Offer, Refused, Tale
from service.rules.records import changed, record, without_key
from service.rules.rulebook import rule
from service.rules.stack import Awaited

Payment = Literal["action", "rush", "free", "none"]
FREE_FIELDS: Final = {"dash": "free_dash", "object": "free_object", "call_out": "free_callout"}
SLIGHT: Final = ("dash", "sidestep", "call_out")
"""What a confused creature may do without having acted: moving is the other half of its choice."""
ADJACENT_FT: Final = 5
CALL_OUT_LENGTH: Final = 280


@rule("HR-GEN-2", "seeds 000 and 003, Abilities")
@record
class AbilityUsed(Event[State]):
    """Whatever a creature does by the rules is an ability: it is paid, and unless an instant it resolves."""

    type: ClassVar[str] = "ability_used"
    creature: str
    ability: str
    paid: Payment
    instant: bool = False

    def evolve(self, state: State) -> State:
        before = state.creatures[self.creature]
        state = state.with_creature(self.creature, **self._payment(before))
        if is_airless(before) and self.paid != "none" and self.ability != "call_out":
            state = strained(state, self.creature)
        if self.instant or state.phase in ("precombat", "setup", "ended"):
            return _leave_priority(state)
        if state.phase == "turn":
            return changed(state, acted_this_round=True)
        return _begin_anew(state, state.creatures[self.creature])

    def _payment(self, creature: Creature) -> dict[str, object]:
        spent: dict[str, object] = {"dashed": True} if self.ability == "dash" else {}
        if self.paid == "action":
            spent["action"] = creature.action - 1
        elif self.paid == "rush":
            spent["rush"] = creature.rush - 1
        elif self.paid == "free":
            spent[FREE_FIELDS[self.ability]] = False
        if creature.meditates:
            spent["meditates"] = False
        if self.ability not in SLIGHT:
            spent["acted"] = True
        return spent


@rule("HR-PRIO-5", "seed 000, Priority During Combat")
def _begin_anew(state: State, actor: Creature) -> State:
    """Any ability used before the round is over starts the count of declines again."""
    return changed(
        state,
        phase="resolving",
        priority_side=None,
        last_actor_side=actor.side,
        last_actor=actor.id,
        passes=0,
        auto_passes=0,
        acted_this_round=True,
        member_passed=(),
        starter=None,
    )


@rule("HR-PRIO-7", "seed 000, Instant Actions", settles=("A-04",))
def _leave_priority(state: State) -> State:
    """Instants need no priority, do not move it and, by default, do not start the count of declines anew."""
    if state.phase == "priority" and state.option("instant_resets_passes"):
        return changed(state, passes=0, auto_passes=0)
    return state


@rule("HR-ACT-1", "seed 000, Actions")
def afford_action(creature: Creature) -> Payment:
    """A creature takes one action a round, besides any number of abilities within their own limits."""
    if creature.action < 1:
        raise Refused("action_spent", f"{creature.id} has no action left this round")
    return "action"


@rule("HR-ACT-3", "seed 000, Actions")
def afford_free_first(creature: Creature, ability: str) -> Payment:
    """Dash, object and call out are free the first time in a round; each repeat costs the action."""
    return "free" if getattr(creature, FREE_FIELDS[ability]) else afford_action(creature)


@rule("HR-ACT-4", "seed 000, Actions", settles=("A-66",))
def afford_action_or_rush(creature: Creature, pay: Literal["action", "rush"] | None) -> Payment:
    """Sidestep and opportunity attack cost the action or 1 rush point; the payer chooses."""
    if creature.action < 1 and creature.rush < 1:
        raise Refused("cannot_pay", f"{creature.id} has neither action nor rush left")
    if pay == "rush" or (pay is None and creature.action < 1):
        afford_rush(creature, 1)
        return "rush"
    return afford_action(creature)


@rule("HR-ACT-2", "seed 000, Actions")
def costs_action(creature: Creature) -> bool:
    """What is tagged a full action spends the action; what is not spends none."""
    return creature.action > 0


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


@rule("HR-ACT-10", "seed 000, Actions", settles=("A-55",))
@record
class Help(Command[State]):
    """A full action gives an adjacent creature advantage on its next attack, defense, check or save."""

    type: ClassVar[str] = "help"
    creature: str
    target: str

    def check(self, view: State) -> None:
        creature = acting(view, self, self.creature)
        holding_priority(view, creature, "help")
        afford_action(creature)
        target = view.creatures.get(self.target)
        if target is None or target.id == creature.id:
            raise Refused("no_valid_target", f"there is nobody else called {self.target}")
        if not target.is_present:
            raise Refused("target_dead", f"{self.target} is dead")
        if view.distance(creature, target) > ADJACENT_FT:
            raise Refused("not_adjacent", f"{self.target} is not adjacent to {self.creature}")

    def decide(self, state: State) -> Tale[State]:
        yield AbilityUsed(creature=self.creature, ability="help", paid="action")
        return (yield HelpGiven(creature=self.creature, target=self.target))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        creature = view.creatures[awaited.creature or ""]
        near = tuple(
            c.id
            for c in view.creatures.values()
            if c.id != creature.id and c.is_present and view.distance(creature, c) <= ADJACENT_FT
        )
        if creature.action and near:
            yield Offer(type=cls.type, creature=creature.id, choices={"target": near})


@record
class CalledOut(Event[State]):
    """A creature said something."""

    type: ClassVar[str] = "called_out"
    creature: str
    words: str

    def evolve(self, state: State) -> State:
        if state.option("callout_passes_priority") or state.phase == "turn":
            return state
        return changed(
            state, phase="priority", priority_side=state.creatures[self.creature].side, last_actor_side=None
        )


@rule("HR-ACT-11", "seed 000, Actions", settles=("A-03",))
@record
class CallOut(Command[State]):
    """Say or shout one sentence of reasonable length."""

    type: ClassVar[str] = "call_out"
    creature: str
    words: str

    def check(self, view: State) -> None:
        creature = acting(view, self, self.creature)
        holding_priority(view, creature, "call_out")
        afford_free_first(creature, "call_out")
        if not 0 < len(self.words) <= CALL_OUT_LENGTH:
            raise Refused("sentence_too_long", f"1 to {CALL_OUT_LENGTH} characters, not {len(self.words)}")

    def decide(self, state: State) -> Tale[State]:
        paid = afford_free_first(state.creatures[self.creature], "call_out")
        state = yield AbilityUsed(creature=self.creature, ability="call_out", paid=paid)
        return (yield CalledOut(creature=self.creature, words=self.words))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        creature = view.creatures[awaited.creature or ""]
        if creature.free_callout or creature.action:
            yield Offer(type=cls.type, creature=creature.id, choices={"words": ("For the hearth!",)})


@record
class ObjectHandled(Event[State]):
    """A creature drew, stowed or handled something."""

    type: ClassVar[str] = "object_handled"
    creature: str
    verb: str
    item: str | None

    def evolve(self, state: State) -> State:
        if self.verb == "draw":
            return state.with_creature(self.creature, wielded=self.item)
        if self.verb == "stow":
            return state.with_creature(self.creature, wielded=None)
        return state


@rule("HR-ACT-9", "seed 000, Actions")
@record
class HandleObject(Command[State]):
    """One simple manipulation of an object; putting a weapon away and drawing another are two."""

    type: ClassVar[str] = "object"
    creature: str
    verb: Literal["draw", "stow", "handle"]
    item: str | None = None
    """The weapon to draw; for `handle`, what is handled, in a few words."""

    def check(self, view: State) -> None:
        creature = acting(view, self, self.creature)
        holding_priority(view, creature, "object")
        afford_free_first(creature, "object")
        if self.verb == "draw":
            check_draw(creature, self.item or "")
        if self.verb == "stow" and creature.wielded is None:
            raise Refused("weapon_not_wielded", f"{self.creature} has nothing in hand")
        if self.verb == "handle" and not 0 < len(self.item or "") <= CALL_OUT_LENGTH:
            raise Refused("params_missing", "say in a few words what is handled")

    def decide(self, state: State) -> Tale[State]:
        paid = afford_free_first(state.creatures[self.creature], "object")
        state = yield AbilityUsed(creature=self.creature, ability="object", paid=paid)
        return (yield ObjectHandled(creature=self.creature, verb=self.verb, item=self.item))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        creature = view.creatures[awaited.creature or ""]
        if not (creature.free_object or creature.action):
            return
        if creature.wielded is not None:
            yield Offer(type=cls.type, creature=creature.id, given={"verb": "stow"})
        elif drawable(creature):
            yield Offer(
                type=cls.type,
                creature=creature.id,
                given={"verb": "draw"},
                choices={"item": drawable(creature)},
            )
        yield Offer(
            type=cls.type, creature=creature.id, given={"verb": "handle"}, choices={"item": ("a door",)}
        )


def drawable(creature: Creature) -> tuple[str, ...]:
    """Return the weapons *creature* could draw: none while one is in hand."""
    if creature.wielded is not None:
        return ()
    return tuple(
        weapon.id
        for weapon in creature.sheet.weapons
        if weapon.id not in creature.thrown and cannot_cast(creature, weapon) is None
    )


def check_draw(creature: Creature, name: str) -> None:
    """Refuse a weapon that is not at hand, and a cantrip that *creature* cannot use."""
    weapon = next((weapon for weapon in creature.sheet.weapons if weapon.id == name), None)
    lacking = None if weapon is None else cannot_cast(creature, weapon)
    if lacking is not None:
        raise lacking
    if name not in drawable(creature):
        raise Refused("weapon_not_wieldable", f"{creature.id} cannot draw {name} now")


def can_answer(creature: Creature) -> bool:
    """Tell whether *creature* could pay for a reaction: able, with an action or rush left."""
    return is_able(creature) and (creature.action > 0 or creature.rush > 0)
