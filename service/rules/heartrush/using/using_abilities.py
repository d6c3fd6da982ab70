"""Use abilities: the commands, what they check in which order, and what they cost.

First who acts and in which state, then when, then what it costs, then what was said. An instant is declared
in a window or, at an idle moment, opens one; everything else waits for priority or its turn.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from service.rules.heartrush import books
from service.rules.heartrush.body.actions import AbilityUsed, Payment, afford, check_minor, in_combat, pay
from service.rules.heartrush.body.operations import Do, Effects, check_params, faults, ways
from service.rules.heartrush.body.permission import (
    acting,
    answering,
    answering_for,
    at_leisure,
    check_able,
    check_unbarred,
    gm,
    own,
    running,
    timing_of,
)
from service.rules.heartrush.creatures.abilities import Ability, Params, Spell, Use, costs_action, is_instant
from service.rules.heartrush.creatures.state import Creature, State
from service.rules.heartrush.effects.uses import AbilityItem, UseFrame, begin_use, rule_on
from service.rules.heartrush.engaging.riders import AddDice, Lean, Reroll, SetDie, changeable
from service.rules.heartrush.timing.windows import InstantDeclared, WindowFrame, WindowOpened, known
from service.rules.heartrush.values import AbilityName, GmAllows, UseId
from service.rules.kernel.messages import (
    Actor,
    Awaited,
    Command,
    Emits,
    Event,
    Noted,
    Offer,
    Refused,
    Sentence,
)
from service.rules.kernel.records import EMPTY, changed, record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.kernel.values import CreatureId, Points, PromptId, Reason
from service.rules.table.table import GM

HR_ABIL_1: Final = Rule(
    "HR-ABIL-1",
    "The first tag is the frequency: passive, minor, heart, major, weekly or monthly; no passive is used.",
    books.BASICS.at("Frequency Tags"),
)
HR_GEN_3: Final = Rule(
    "HR-GEN-3",
    "The text of an ability overrides the general rules; its own requirements are checked last.",
    books.BASICS.at("Using Abilities"),
)


@record
class UseNumbered(Event[State]):
    """An ability is used: it has a number of its own."""

    type: ClassVar[str] = "use_numbered"
    use: UseId

    def evolve(self, state: State) -> State:
        return changed(state, instants=state.instants + 1)


def ability_of(view: State, creature: Creature, name: str) -> Ability:
    """Return an ability of the creature, or refuse: it has none of this name, or nobody uses a passive."""
    found = view.abilities.get(name)
    if name not in creature.sheet.abilities or not isinstance(found, Ability):
        raise Refused("unknown_ability", f"{creature.id} has no ability {name}", "HR-GEN-2")
    check_usable(found)
    return found


@enforces(HR_ABIL_1)
def check_usable(ability: Ability) -> None:
    """Refuse the use of a passive ability."""
    if ability.frequency == "passive":
        raise Refused("passive_not_activatable", f"{ability.id} is always on", HR_ABIL_1.id)


def check_when(view: State, command: UseAbility, creature: Creature, definition: Ability | Spell) -> None:
    """Refuse an ability at a moment that is not its own; outside combat any will do."""
    if not in_combat(view):
        if command.prompt is None:
            at_leisure(view)
        else:
            window_of(view, command, creature)
        return
    if is_instant(definition):
        check_moment(view, command, creature, definition)
    else:
        timing_of(view).check_ability(view, creature, definition)
    if view.lasting:
        check_unbarred(view, creature, "act")


def check_moment(view: State, command: UseAbility, creature: Creature, definition: Ability | Spell) -> None:
    """Refuse an instant whose moment is over, unless the house leaves such to the GM."""
    window = window_of(view, command, creature)
    late = lateness(view, definition, window)
    if late is not None and view.house.allow_retroactive != "gm":
        raise Refused("window_closed", late, "HR-TIME-8")


def lateness(view: State, definition: Ability | Spell, window: WindowFrame | None) -> str | None:
    """Return what an instant is too late for, or None where it is not."""
    trigger = window.trigger if window is not None else "any"
    if definition.trigger and trigger not in definition.trigger:
        return f"{definition.id} answers another moment"
    for op in definition.effects:
        effect = op.effect if isinstance(op, Do) else None
        if isinstance(effect, AddDice | Lean | SetDie | Reroll) and changeable(view, effect.which) is None:
            return f"no {effect.which} roll is open any more"
    return None


def window_of(view: State, command: UseAbility, creature: Creature) -> WindowFrame | None:
    """Return the window the command is given in, None at an idle moment; refused where it is too late."""
    top = view.top
    if command.prompt is not None:
        answering_for(view, command, creature.id, late="window_closed")
        return top if isinstance(top, WindowFrame) else None
    if isinstance(top, WindowFrame):
        return top
    if top is None or top.kind not in ("combat", "engagement") or not top.waits(view):
        raise Refused("window_closed", "nothing can be declared while that resolves", "HR-TIME-4")
    return None


def use_of(state: State, command: UseAbility, window: WindowFrame | None) -> Use:
    """Return the use that a command declares."""
    return Use(
        path=f"r{state.round}/u{state.instants + 1}",
        creature=command.creature,
        ability=command.ability,
        params=command.params,
        rush=command.rush_extra,
        moment=window.trigger if window is not None else "any",
        about=window.about if window is not None else EMPTY,
    )


def check_requirements(view: State, definition: Ability | Spell, use: Use) -> None:
    """Refuse a use for which something is lacking; what comes too late, the GM judges."""
    window = view.top if isinstance(view.top, WindowFrame) else None
    if is_instant(definition) and in_combat(view) and lateness(view, definition, window) is not None:
        return
    for requirement in definition.requires:
        lacking = requirement.lacking(view, use)
        if lacking is not None:
            raise Refused("prerequisite_missing", f"{definition.id}: {lacking}", "HR-GEN-3")


@enforces(HR_GEN_3)
def declared(state: State, use: Use, definition: Ability | Spell, paid: Payment) -> Emits[State]:
    """Emit the declared use of an ability or spell, with what was paid for it; its effects follow."""
    instant = is_instant(definition) or not in_combat(state)
    state = yield AbilityUsed(
        creature=use.creature, ability=use.ability, paid=paid, instant=instant, because=("HR-ABIL-10",)
    )
    return (yield UseNumbered(use=use.path, because=("HR-GEN-2",)))


def resolve_or_wait(
    state: State, use: Use, definition: Ability | Spell, window: WindowFrame | None
) -> Emits[State]:
    """Emit what follows a paid declaration: an instant waits on a window's stack, everything else begins."""
    if not is_instant(definition) or not in_combat(state):
        return (yield from begin_use(use, definition))
    late = lateness(state, definition, window)
    path = window.path if window is not None else f"{use.path}/window"
    if window is None:
        state = yield WindowOpened(
            window=path, trigger="any", subject=use.creature, eligible=(), because=("HR-TIME-4",)
        )
    item = AbilityItem(creature=use.creature, ability=use.ability, use=use, late=late is not None)
    return (yield InstantDeclared(window=path, item=item, because=("HR-TIME-7", "A-49")))


@record
class UseAbility(Command[State]):
    """Use an ability of a creature: say how, and pay what it costs.

    Slow, quick and untagged abilities need priority, or in the turn edition the right turn. An instant may be
    used at any moment; `declare_instant` is the same with a window's prompt.
    """

    type: ClassVar[str] = "use_ability"
    sentence: ClassVar[str] = "Use {ability}[, with {rush_extra} rush points more]"
    creature: CreatureId
    ability: AbilityName
    params: Params = EMPTY
    """How it is used: one value for each parameter the ability lists."""
    rush_extra: Points = 0
    """Rush points on top, where the ability takes them."""
    prompt: PromptId | None = None

    def check(self, view: State) -> None:
        creature = self.user(view)
        ability = ability_of(view, creature, self.ability)
        check_minor(view, ability)
        check_when(view, self, creature, ability)
        afford(view, creature, ability, self.rush_extra)
        check_params(view, creature, ability, self.params)
        window = view.top if isinstance(view.top, WindowFrame) else None
        check_requirements(view, ability, use_of(view, self, window))

    def user(self, view: State) -> Creature:
        """Return the creature that uses the ability, in a state to do so."""
        if in_combat(view):
            return acting(view, self, self.creature)
        creature = own(view, self, self.creature)
        check_able(creature, self.type, ())
        return creature

    def decide(self, state: State) -> Emits[State]:
        window = state.top if isinstance(state.top, WindowFrame) else None
        ability = state.abilities[self.ability]
        assert isinstance(ability, Ability)
        use = use_of(state, self, window)
        paid: Payment = "action" if costs_action(ability) and in_combat(state) else "none"
        state = yield from declared(state, use, ability, paid)
        state = yield from pay(state, self.creature, ability, self.rush_extra)
        return (yield from resolve_or_wait(state, use, ability, window))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        for definition in definitions(view, awaited):
            if isinstance(definition, Ability) and not is_instant(definition):
                command = cls(creature=awaited.creature or "", ability=definition.id, by=_user(awaited))
                yield from offered(view, awaited, command, definition)


@record
class DeclareInstant(UseAbility):
    """Use an instant ability: answer a window's prompt, or declare it at an idle moment and open one."""

    type: ClassVar[str] = "declare_instant"
    sentence: ClassVar[str] = "Use {ability} at once[, with {rush_extra} rush points more]"

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        for definition in definitions(view, awaited):
            if isinstance(definition, Ability) and is_instant(definition):
                command = cls(
                    creature=awaited.creature or "",
                    ability=definition.id,
                    prompt=awaited.prompt,
                    by=_user(awaited),
                )
                yield from offered(view, awaited, command, definition)


def definitions(view: State, awaited: Awaited) -> Iterator[Ability | Spell]:
    """Yield what is on the sheet of the creature that is asked."""
    for name in known(view.creatures[awaited.creature or ""]):
        if name in view.abilities:
            yield view.abilities[name]


def _user(awaited: Awaited) -> Actor:
    return Actor(seat=awaited.seat, role=GM if awaited.seat == GM else "player")


def offered(
    view: State, awaited: Awaited, command: UseAbility, definition: Ability | Spell
) -> Iterator[Offer]:
    """Yield every way to use one ability now that the rules would accept."""
    creature = view.creatures[awaited.creature or ""]
    accepted = tuple(
        params
        for params in ways(view, creature, definition)
        if _is_accepted(view, changed(command, params=params))
    )
    if accepted:
        yield Offer(
            type=command.type,
            creature=creature.id,
            prompt=command.prompt,
            given={"ability": definition.id},
            choices={"params": accepted},
        )


def _is_accepted(view: State, command: UseAbility) -> bool:
    try:
        command.check(view)
    except Refused:
        return False
    return True


# --- the GM's word --------------------------------------------------------------------------------


@record
class AdjudicateAbility(Command[State]):
    """Rule on an ability that needs the GM's word: accept it with effects or reject it, with a reason."""

    type: ClassVar[str] = "rule_ability"
    sentence: ClassVar[Sentence] = {
        "accept=True": "Allow it",
        "accept=False": "Forbid it",
        "": "Allow it, or forbid it",
    }
    prompt: PromptId
    accept: GmAllows
    reason: Reason = ""
    effects: Effects = ()

    def check(self, view: State) -> None:
        if not isinstance(view.top, UseFrame):
            running(view)  # out of combat too abilities are used
        gm(self)
        answering(view, self)
        fault = faults(view, self.effects)
        if fault:
            raise Refused("params_missing", fault, "HR-SVC-1")

    def decide(self, state: State) -> Emits[State]:
        frame = state.top_frame(UseFrame)
        state = yield AbilityRuled(
            use=frame.path, accepted=self.accept, reason=self.reason, because=("HR-SVC-1",)
        )
        return (yield from rule_on(frame, self.effects if self.accept else ()))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        yield Offer(type=cls.type, prompt=awaited.prompt, choices={"accept": (True, False)})


@record
class AbilityRuled(Noted[State]):
    """The GM ruled on an ability."""

    type: ClassVar[str] = "ability_ruled"
    use: UseId
    accepted: bool
    """Whether the GM allowed it."""
    reason: Reason
