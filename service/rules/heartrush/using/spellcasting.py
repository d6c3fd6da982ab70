"""Cast spells: one a round with a free hand and little movement, and long rests before the same spell again.

A spell is a definition like an ability; its cost is the action, its frequency a cooldown counted in long
rests.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from service.rules.heartrush import books
from service.rules.heartrush.body.actions import AbilityUsed, active_in, afford_action, in_combat
from service.rules.heartrush.body.lasting import EffectEnded
from service.rules.heartrush.body.operations import check_params
from service.rules.heartrush.body.permission import acting, holding_priority
from service.rules.heartrush.body.weapons import attunement, free_hands
from service.rules.heartrush.creatures.abilities import Spell, is_instant
from service.rules.heartrush.creatures.state import Creature, State
from service.rules.heartrush.moving.paths import half_speed
from service.rules.heartrush.timing.windows import WindowFrame
from service.rules.heartrush.using.using_abilities import (
    UseAbility,
    check_requirements,
    check_when,
    declared,
    definitions,
    offered,
    resolve_or_wait,
    use_of,
)
from service.rules.heartrush.values import SpellId
from service.rules.kernel.messages import Actor, Awaited, Command, Emits, Event, Offer, Refused
from service.rules.kernel.records import record, with_key
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.kernel.values import CreatureId, Round
from service.rules.table.table import GM

HR_CAST_4: Final = Rule(
    "HR-CAST-4",
    "A creature that knows no spells cannot cast, and nobody casts a spell it does not know.",
    books.COMBAT.at("Cast A Spell"),
)
HR_CAST_1: Final = Rule(
    "HR-CAST-1",
    "One spell a round, for the action, with a hand free, and at most half the speed before and after it.",
    books.SPELLCASTING,
)
HR_CAST_2: Final = Rule(
    "HR-CAST-2",
    "A spell waits four long rests, less one for each round of meditation before it, and its attunement.",
    books.SPELLCASTING,
)
HR_ACT_6: Final = Rule(
    "HR-ACT-6",
    "Cast a spell you know: a full action, once a round; the round counts as an active one.",
    books.COMBAT.at("Cast A Spell"),
)


COOLDOWN: Final = 4
"""Long rests before the same spell may be cast again, before anything lowers them."""


@record
class SpellCast(Event[State]):
    """A spell is cast: the round counts as active, and the spell waits for rests."""

    type: ClassVar[str] = "spell_cast"
    creature: CreatureId
    spell: SpellId
    cooldown: Round
    """The rounds until it may be cast again."""

    def evolve(self, state: State) -> State:
        creature = state.creatures[self.creature]
        return state.with_creature(
            self.creature,
            spell_cast=not state.paused(),
            cast_at_ft=creature.moved_ft,
            meditation=0,
            cooldowns=with_key(creature.cooldowns, self.spell, self.cooldown),
            rounds_active=active_in(creature, state.round).rounds_active,
        )


@enforces(HR_CAST_4)
def spell_of(view: State, creature: Creature, name: str) -> Spell:
    """Return the spell *name* of *creature*; refuse a name that the creature does not know as a spell."""
    found = view.abilities.get(name)
    if name not in creature.sheet.growth.spells or not isinstance(found, Spell):
        raise Refused("unknown_spell", f"{creature.id} knows no spell {name}", HR_CAST_4.id)
    return found


@enforces(HR_CAST_1)
def check_casting(creature: Creature) -> None:
    """Refuse a creature that has cast this round, has no action or hand free, or has moved too far."""
    if creature.spell_cast:
        raise Refused("spell_already_cast", f"{creature.id} has cast a spell this round", HR_CAST_1.id)
    afford_action(creature)
    if not free_hands(creature):
        raise Refused("no_free_hand", f"{creature.id} has no hand free", HR_CAST_1.id)
    if creature.moved_ft > half_speed(creature):
        raise Refused(
            "moved_too_far_to_cast", f"{creature.id} has moved {creature.moved_ft} ft", HR_CAST_1.id
        )


@enforces(HR_CAST_2)
def cooldown(creature: Creature, spell: Spell) -> int:
    """Return the number of long rests until *creature* may cast *spell* again."""
    attuned = max((attunement(creature, element) for element in spell.elements), default=0)
    return max(0, COOLDOWN - creature.meditation - max(0, attuned - 1))


def check_cooldown(creature: Creature, spell: Spell) -> None:
    """Refuse a spell that still waits for rests."""
    if spell.id in creature.cooldowns:
        left = creature.cooldowns[spell.id]
        text = f"{left} long rests" if left else "a short rest"
        raise Refused("spell_cooldown", f"{spell.id} waits for {text}", "HR-CAST-2")


@enforces(HR_ACT_6)
@record
class Cast(UseAbility):
    """Cast a spell that the creature knows: a full action, once a round."""

    type: ClassVar[str] = "cast"
    sentence: ClassVar[str] = "Cast {ability}[, with {rush_extra} rush points more]"

    def check(self, view: State) -> None:
        creature = self.user(view)
        spell = spell_of(view, creature, self.ability)
        check_when(view, self, creature, spell)
        if in_combat(view):
            check_casting(creature)
        check_cooldown(creature, spell)
        check_params(view, creature, spell, self.params)
        window = view.top if isinstance(view.top, WindowFrame) else None
        check_requirements(view, spell, use_of(view, self, window))

    def decide(self, state: State) -> Emits[State]:
        window = state.top if isinstance(state.top, WindowFrame) else None
        creature = state.creatures[self.creature]
        spell = spell_of(state, creature, self.ability)
        use = use_of(state, self, window)
        state = yield from declared(state, use, spell, "action" if in_combat(state) else "none")
        state = yield SpellCast(
            creature=self.creature,
            spell=spell.id,
            cooldown=cooldown(creature, spell),
            because=("HR-CAST-1", "HR-CAST-2", "HR-CAST-4"),
        )
        return (yield from resolve_or_wait(state, use, spell, window))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        at_priority = "pass" in awaited.accepts or "end_turn" in awaited.accepts
        for definition in definitions(view, awaited):
            if not isinstance(definition, Spell) or (at_priority and is_instant(definition)):
                continue
            command = cls(
                creature=awaited.creature or "",
                ability=definition.id,
                prompt=None if at_priority else awaited.prompt,
                by=Actor(seat=awaited.seat, role=GM if awaited.seat == GM else "player"),
            )
            yield from offered(view, awaited, command, definition)


@record
class MeditationBegun(Event[State]):
    """A creature gives the round to meditation."""

    type: ClassVar[str] = "meditation_begun"
    creature: CreatureId

    def evolve(self, state: State) -> State:
        return state.with_creature(self.creature, meditates=True)


@record
class Meditate(Command[State]):
    """Give the round to meditation, a full action without moving; rounds in a row shorten a cooldown."""

    type: ClassVar[str] = "meditate"
    sentence: ClassVar[str] = "Meditate"
    creature: CreatureId

    def check(self, view: State) -> None:
        creature = acting(view, self, self.creature)
        holding_priority(view, creature, "meditate")
        afford_action(creature)
        if not creature.sheet.growth.spells:
            raise Refused("unknown_spell", f"{self.creature} knows no spells", "HR-CAST-4")
        if creature.moved_ft:
            raise Refused("moved_too_far_to_cast", f"{self.creature} has moved this round", "HR-CAST-2")

    def decide(self, state: State) -> Emits[State]:
        yield AbilityUsed(creature=self.creature, ability="meditate", paid="action", because=("HR-CAST-2",))
        return (yield MeditationBegun(creature=self.creature, because=("HR-CAST-2",)))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        creature = view.creatures[awaited.creature or ""]
        if creature.action and creature.sheet.growth.spells and not creature.moved_ft:
            yield Offer(type=cls.type, creature=creature.id)


@record
class EndSpell(Command[State]):
    """End an ongoing spell of yours, at any moment."""

    type: ClassVar[str] = "end_spell"
    sentence: ClassVar[str] = "End {spell}"
    creature: CreatureId
    spell: SpellId

    def check(self, view: State) -> None:
        acting(view, self, self.creature)
        if not ongoing(view, self.creature, self.spell):
            raise Refused("unknown_spell", f"{self.creature} keeps up no {self.spell}", "HR-CAST-3")

    def decide(self, state: State) -> Emits[State]:
        for effect in ongoing(state, self.creature, self.spell):
            state = yield EffectEnded(effect=effect, reason="ended", because=("HR-CAST-3",))
        return state

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        creature = view.creatures[awaited.creature or ""]
        for spell in creature.sheet.growth.spells:
            if ongoing(view, creature.id, spell):
                yield Offer(type=cls.type, creature=creature.id, given={"spell": spell})


def ongoing(state: State, creature: str, spell: str) -> tuple[str, ...]:
    """Return the effects of a spell that its caster keeps up."""
    definition = state.abilities.get(spell)
    if not isinstance(definition, Spell) or not definition.ongoing:
        return ()
    return tuple(one.id for one in state.lasting if (one.source, one.ability) == (creature, spell))
