"""Strike at those who give an opening or cannot see it coming: the reaction everybody has.

They are declared in the windows that movement opens, or at any time at the surprised and the unaware. The
windows themselves are `windows.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar, Final, Literal

from service.dice.chain import OPEN_LANE
from service.rules.heartrush import books
from service.rules.heartrush.body.actions import AbilityUsed, Payment, afford_action_or_rush
from service.rules.heartrush.body.lasting import strikes_free
from service.rules.heartrush.body.permission import AT_REST, acting, answering
from service.rules.heartrush.body.weapons import (
    check_works,
    in_range,
    melee_weapon,
    out_of_range,
    push_ft,
    wielded,
)
from service.rules.heartrush.creatures.state import Creature, State, is_able
from service.rules.heartrush.engaging.attacks import ExchangeBegun
from service.rules.heartrush.engaging.declaring import PERK_CHOICES, check_levels
from service.rules.heartrush.timing.exposed import gives_opening, is_still_in_reach, open_targets
from service.rules.heartrush.timing.windows import InstantDeclared, StackItem, WindowFrame, fizzle
from service.rules.heartrush.values import Perks, StanceName
from service.rules.kernel.messages import Awaited, Command, Emits, Offer, Refused, Sentence
from service.rules.kernel.records import EMPTY, record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.kernel.values import CreatureId, Feet, PromptId, PushFeet, TargetId
from service.rules.space.grid import FEET

HR_OA_1: Final = Rule(
    "HR-OA-1",
    "Strike one creature at once, without an engagement, when it gives an opening or cannot see it coming.",
    books.COMBAT.at("Opportunity Attack"),
)
HR_OA_3: Final = Rule(
    "HR-OA-3",
    "The attacker rolls with a stance of its choice, the target defends with that ability, uncontested.",
    books.COMBAT.at("Opportunity Attack"),
    settles=("A-43",),
)


Stance = Literal["might", "agility", "cunning"]
STANCES: Final[tuple[Stance, ...]] = ("might", "agility", "cunning")


@record
class StrikeItem(StackItem):
    """A declared opportunity attack: on whom, and with which stance."""

    kind: ClassVar[str] = "strike"
    target: TargetId
    stance: StanceName
    perk: Perks = EMPTY
    push: PushFeet = 0

    def resolve(self, state: State, window: str) -> Emits[State]:
        attacker, target = state.creatures[self.creature], state.creatures[self.target]
        if not target.is_present or not is_able(attacker):
            return (yield from fizzle(self.creature, self.ability, "nobody to strike"))
        if not is_still_in_reach(state, attacker, target):
            return (yield from fizzle(self.creature, self.ability, "the target is out of reach"))
        return (yield from strike(state, f"{window}/{self.creature}", self, melee=True))


@enforces(HR_OA_1)
@record
class OpportunityAttack(Command[State]):
    """Strike one creature at once, without an engagement, when it gives an opening or cannot see the attack.

    In a window, answer its prompt; at a surprised, incapacitated or unaware target it needs none, also while
    an engagement waits for answers. `perk` and `push` are for houses whose opportunity attacks have the perks
    of their stance.
    """

    type: ClassVar[str] = "opportunity_attack"
    sentence: ClassVar[Sentence] = {
        "pay=action": "Strike {target} at once, for the action",
        "pay=rush": "Strike {target} at once, for a rush point",
        "": "Strike {target} at once",
    }
    creature: CreatureId
    target: TargetId
    stance: Stance
    """The stance."""
    pay: Literal["action", "rush"] | None = None
    """What pays for it: an action or rush; null if the rules choose."""
    prompt: PromptId | None = None
    perk: Perks = EMPTY
    push: Feet = 0
    """Feet, in fives."""

    def check(self, view: State) -> None:
        creature = acting(view, self, self.creature)
        target = view.creatures.get(self.target)
        if self.prompt is None:
            afford_strike(view, creature, self.pay)
            self._check_opening(view, creature, target)
        else:
            self._check_window(view)
            afford_strike(view, creature, self.pay)
        if target is None or not target.is_present:
            raise Refused("target_dead", f"{self.target} is dead or has left", HR_OA_1.id)
        check_levels(self.perk)
        if any(self.perk.values()) and not self.perk_choices(view, self.stance):
            raise Refused("perk_not_available", "this opportunity attack has no such perk", "HR-OA-3")
        pushes = self.push_choices(view, creature, target, self.stance, melee=self.prompt is not None)
        if self.push and self.push not in pushes:
            raise Refused(
                "push_not_possible", f"a push of {self.push} ft is not possible; {pushes} are", "HR-OA-3"
            )

    @staticmethod
    def perk_choices(view: State, stance: str) -> tuple[Mapping[str, int], ...]:
        """Return the levels that a strike with *stance* may add."""
        return PERK_CHOICES if stance == "cunning" and as_if_beaten(view) else ()

    @staticmethod
    def push_choices(
        view: State, creature: Creature, target: Creature, stance: str, *, melee: bool
    ) -> tuple[int, ...]:
        """Return the feet that a strike with *stance* may push."""
        weapon = melee_weapon(creature) if melee else wielded(creature)
        if stance != "might" or weapon.attack_type != "melee" or not as_if_beaten(view):
            return ()
        return tuple(range(0, push_ft(creature, target) + FEET, FEET))

    def _check_window(self, view: State) -> None:
        answering(view, self, late="window_closed")
        frame = view.top_frame(WindowFrame)
        if frame.subject != self.target or not self.prompt == f"{frame.path}/{self.creature}":
            raise Refused(
                "no_oa_trigger", f"{self.creature} may not strike {self.target} at {frame.path}", HR_OA_1.id
            )

    def _check_opening(self, view: State, creature: Creature, target: Creature | None) -> None:
        if not is_idle(view):
            raise Refused("no_oa_trigger", "something else is being resolved", HR_OA_1.id)
        if target is None or target.side == creature.side:
            raise Refused("no_oa_trigger", f"{self.target} is not an enemy", HR_OA_1.id)
        if not gives_opening(creature, target):
            if target.status == "unconscious" or target.has("stunned"):
                raise Refused("gm_approval_required", f"the gm rules what befalls {self.target}", "HR-OA-2")
            if creature.hidden_from:
                raise Refused("not_hidden", f"{self.creature} is not hidden from {self.target}", "HR-HIDE-2")
            raise Refused("no_oa_trigger", f"{self.target} gives {self.creature} no opening", HR_OA_1.id)
        check_works(view, creature, target)
        if not in_range(view, creature, target):
            raise out_of_range(view, creature, target, "HR-OA-1")

    def decide(self, state: State) -> Emits[State]:
        paid = afford_strike(state, state.creatures[self.creature], self.pay)
        state = yield AbilityUsed(creature=self.creature, ability=self.type, paid=paid, instant=True)
        if self.prompt is None:
            strikes = state.place(OPEN_LANE, f"{self.creature}/attack")
            path = state.free_path(f"r{state.round}/oa/{self.creature}", strikes + 1)
            return (yield from strike(state, path, self.item(), melee=False))
        item = self.item()
        return (yield InstantDeclared(window=self.prompt.rpartition("/")[0], item=item))

    def item(self) -> StrikeItem:
        """Return what is declared."""
        perk = {name: levels for name, levels in self.perk.items() if levels}
        return StrikeItem(
            creature=self.creature,
            ability=self.type,
            target=self.target,
            stance=self.stance,
            perk=perk,
            push=self.push,
        )

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        creature = view.creatures[awaited.creature or ""]
        pays = tuple(p for p, left in (("action", creature.action), ("rush", creature.rush)) if left)
        frame = view.top
        if isinstance(frame, WindowFrame):
            targets: tuple[str, ...] = (frame.subject,)
            prompt = awaited.prompt
        else:
            targets, prompt = open_targets(view, creature), None
        free = strikes_free(view, creature)
        if targets and (pays or free):
            paying = {} if free else {"pay": pays}
            choices: dict[str, tuple[object, ...]] = {"target": targets, "stance": STANCES, **paying}
            yield Offer(type=cls.type, creature=creature.id, prompt=prompt, choices=choices)
            if as_if_beaten(view):
                yield from cls._perked(view, creature, prompt, choices)

    @classmethod
    def _perked(
        cls,
        view: State,
        creature: Creature,
        prompt: str | None,
        choices: Mapping[str, tuple[object, ...]],
    ) -> Iterator[Offer]:
        perks = {**choices, "stance": ("cunning",), "perk": PERK_CHOICES}
        yield Offer(type=cls.type, creature=creature.id, prompt=prompt, choices=perks)
        for name in map(str, choices["target"]):
            target = view.creatures[name]
            feet = cls.push_choices(view, creature, target, "might", melee=prompt is not None)
            if feet:
                pushes = {**choices, "target": (name,), "stance": ("might",), "push": feet}
                yield Offer(type=cls.type, creature=creature.id, prompt=prompt, choices=pushes)


def is_idle(view: State) -> bool:
    """Return whether play waits for people: for priority or a turn, or for answers owed in an engagement."""
    if view.top is None or view.top.kind == "engagement":
        return view.top is not None
    return view.top.kind == "combat" and view.phase in AT_REST


def as_if_beaten(state: State) -> bool:
    """Return whether opportunity attacks have the perks of their stance."""
    return state.house.oa_perks == "as_if_beaten"


def afford_strike(state: State, creature: Creature, pay: Literal["action", "rush"] | None) -> Payment:
    """Return what an opportunity attack costs: action or rush point, or nothing where an ability says so."""
    if not strikes_free(state, creature):
        return afford_action_or_rush(creature, pay)
    if pay is not None:
        raise Refused("cannot_pay", f"an opportunity attack of {creature.id} costs nothing", "HR-OA-1")
    return "none"


@enforces(HR_OA_3)
def strike(state: State, path: str, item: StrikeItem, *, melee: bool) -> Emits[State]:
    """Emit the exchange of an opportunity attack, which is never contested."""
    return (
        yield ExchangeBegun(
            exchange=path,
            attacker=item.creature,
            defender=item.target,
            stance=item.stance,
            how="opportunity",
            melee=melee,
            might_bonus=item.stance == "might" and as_if_beaten(state),
            perk=item.perk,
            push_ft=item.push,
        )
    )
