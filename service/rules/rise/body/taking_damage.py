"""Taking damage: resistance, then hit points, then what being below zero leads to."""

from __future__ import annotations

from typing import ClassVar, Final, Literal

from service.rules.kernel.messages import Emits, Event
from service.rules.kernel.records import record, sealable
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.kernel.values import Amount, CreatureId, HitPoints, HitPointsNow, Levels
from service.rules.rise import books
from service.rules.rise.body.running_the_game import answer
from service.rules.rise.body.vital_wounds import due, is_mine_to_roll, take_wounds
from service.rules.rise.creatures.character import Condition
from service.rules.rise.creatures.combat_statistics import dr_max
from service.rules.rise.creatures.creature import RECOVERS, Creature
from service.rules.rise.creatures.sheet import Sort
from service.rules.rise.creatures.state import State
from service.rules.rise.values import CausedBy, EffectSource
from service.rules.rolls.chance import Chance

# --- damage and recovery -------------------------------------------------------------------------------
# Resistance first, then hit points, then what being below zero means. Amounts arrive nominal. A caller with
# several at once applies all damage, then asks `consequences` once, then heals: so several hits of one phase
# count as one, and wounds come before recovery.

RI_DMG_5: Final = Rule(
    "RI-DMG-5", "Damage empties resistance first; what is left over costs hit points.", books.TAKING_DAMAGE
)
RI_DMG_6: Final = Rule(
    "RI-DMG-6",
    "Damage of the surroundings costs what exceeds the resistance left, and does not use it up.",
    books.TAKING_DAMAGE,
)
RI_HEAL_3: Final = Rule(
    "RI-HEAL-3",
    "Healing below zero begins at zero, and nothing rises above the maximum.",
    books.TAKING_DAMAGE.at("Negative Hit Points"),
)
RI_HP_2: Final = Rule("RI-HP-2", "Hit points and resistance never exceed their maximum.", books.TAKING_DAMAGE)


Fate = Literal["dead", "unconscious", "destroyed"]


@record
class DamageTaken(Event[State]):
    """A creature lost damage resistance and hit points."""

    type: ClassVar[str] = "damage_taken"
    creature: CreatureId
    source: EffectSource
    amount: Amount
    sort: Sort
    dr: HitPoints = sealable(of="creature", blank=0)
    """Resistance lost."""
    hp: HitPointsNow = sealable(of="creature", fact="dr", blank=0)
    """Hit points lost: together with the damage they reveal the resistance."""

    def evolve(self, state: State) -> State:
        creature = state.creatures[self.creature]
        hurt = creature.hurt_by if self.source in creature.hurt_by else (*creature.hurt_by, self.source)
        return state.with_creature(
            self.creature, dr=creature.dr - self.dr, hp=creature.hp - self.hp, hurt_by=hurt
        )


@record
class Healed(Event[State]):
    """A creature regained hit points; from below zero they count from zero."""

    type: ClassVar[str] = "healed"
    creature: CreatureId
    amount: Amount
    """What was offered; -1 is half of the maximum."""
    hp: HitPointsNow = sealable(of="creature", blank=0)
    """Its hit points now."""

    def evolve(self, state: State) -> State:
        return state.with_creature(self.creature, hp=self.hp, depth=0)


@record
class ResistanceRecovered(Event[State]):
    """A creature regained damage resistance."""

    type: ClassVar[str] = "resistance_recovered"
    creature: CreatureId
    amount: Amount
    """What was offered; -1 is all of it."""
    dr: HitPoints = sealable(of="creature", blank=0)
    """Its damage resistance now."""

    def evolve(self, state: State) -> State:
        return state.with_creature(self.creature, dr=self.dr)


@record
class FatigueGained(Event[State]):
    """A creature is more tired."""

    type: ClassVar[str] = "fatigue_gained"
    creature: CreatureId
    levels: Levels
    """How many levels."""
    cause: CausedBy

    def evolve(self, state: State) -> State:
        return state.with_creature(
            self.creature, fatigue=state.creatures[self.creature].fatigue + self.levels
        )


@record
class Defeated(Event[State]):
    """A monster or an object is out of the fight, to the credit of everybody who hurt it in this phase."""

    type: ClassVar[str] = "defeated"
    creature: CreatureId
    fate: Fate
    """What becomes of it."""
    credit: tuple[CreatureId, ...]
    """The ids of the creatures that hurt it in this phase."""
    wasted_damage: HitPoints = sealable(of="creature", fact="hp", blank=0)
    """The damage beyond what was needed."""

    def evolve(self, state: State) -> State:
        return state.with_creature(
            self.creature, defeated=True, dead=self.fate != "unconscious", credit=self.credit
        )


@record
class FellUnconscious(Event[State]):
    """A creature falls unconscious where it is."""

    type: ClassVar[str] = "fell_unconscious"
    creature: CreatureId

    def evolve(self, state: State) -> State:
        creature = state.creatures[self.creature]
        conditions = creature.conditions
        if state.house.fall_prone and not creature.has("prone"):
            conditions = (*conditions, Condition(name="prone", source=self.creature))
        return state.with_creature(self.creature, down=True, conditions=conditions)


@record
class Woke(Event[State]):
    """A creature is conscious again."""

    type: ClassVar[str] = "woke"
    creature: CreatureId

    def evolve(self, state: State) -> State:
        return state.with_creature(self.creature, down=False)


@enforces(RI_DMG_5, RI_DMG_6)
def split(creature: Creature, amount: int, sort: Sort) -> tuple[int, int]:
    """Return what damage takes of a creature's resistance, and of its hit points."""
    if sort == "environmental":
        return 0, max(0, amount - creature.dr)
    stopped = min(creature.dr, amount)
    return stopped, amount - stopped


def _taken(state: State, creature: str, source: str, amount: int, sort: Sort) -> Event[State]:
    why = ("RI-DMG-6",) if sort == "environmental" else ("RI-DMG-5",)
    dr, hp = split(state.creatures[creature], amount, sort)
    return DamageTaken(creature=creature, source=source, amount=amount, sort=sort, dr=dr, hp=hp, because=why)


def hurt(state: State, creature: str, source: str, amount: int, sort: Sort) -> Emits[State]:
    """Emit damage of any sort; `consequences` emits what it leads to."""
    found = state.creatures[creature]
    if found.dead or amount <= 0:
        return state
    return (yield _taken(state, creature, source, amount, sort))


@enforces(RI_HEAL_3)
def heal(state: State, creature: str, amount: int) -> Emits[State]:
    """Emit the healing of a creature; nothing for the dead and the defeated."""
    found = state.creatures[creature]
    if found.dead or found.defeated or (amount <= 0 and amount != RECOVERS):
        return state
    return (yield Healed(creature=creature, amount=amount, hp=healed_to(found, amount)))


def healed_to(creature: Creature, amount: int) -> int:
    """Return the hit points to which *amount* heals a creature."""
    if amount == RECOVERS:
        amount = creature.sheet.hp_max // 2
    return capped(max(0, creature.hp) + amount, creature.sheet.hp_max)


def restored_to(creature: Creature, amount: int) -> int:
    """Return the resistance that a creature has when it regains *amount* of it."""
    if amount == RECOVERS:
        amount = dr_max(creature)
    return capped(creature.dr + amount, max(creature.dr, dr_max(creature)))


@enforces(RI_HP_2)
def capped(amount: int, most: int) -> int:
    """Return *amount*, at most *most*."""
    return min(amount, most)


def restore(state: State, creature: str, amount: int) -> Emits[State]:
    """Emit that damage resistance comes back."""
    found = state.creatures[creature]
    if found.dead or found.defeated or (amount <= 0 and amount != RECOVERS):
        return state
    dr = restored_to(found, amount)
    return (yield ResistanceRecovered(creature=creature, amount=amount, dr=dr, because=("RI-HP-2",)))


# --- what damage leads to ------------------------------------------------------------------------------
# Vital wounds, fatigue, unconsciousness, and the fall of monsters.

RI_HP_3: Final = Rule(
    "RI-HP-3",
    "Monsters take no vital wounds: at zero they die, or drop if subdual damage brought them there.",
    books.TAKING_DAMAGE,
    settles=("C-41", "C-08"),
)
RI_MULTI_2: Final = Rule(
    "RI-MULTI-2",
    "What several groups did beyond felling a creature is simply lost; nothing is given back.",
    books.TIME.at("Multi-Group Battles"),
)
RI_MULTI_3: Final = Rule(
    "RI-MULTI-3",
    "Everybody who damaged a creature in the phase it fell has defeated it.",
    books.GLOSSARY,
    settles=("C-08",),
)
RI_DMG_7: Final = Rule(
    "RI-DMG-7",
    "Subdual damage tires by 3 levels where other damage would have wounded.",
    books.DAMAGE.at("Subdual Damage"),
    settles=("C-33",),
)
RI_HP_1: Final = Rule(
    "RI-HP-1",
    "A creature falls when a wound or fatigue takes its senses, and wakes when that no longer holds.",
    books.TAKING_DAMAGE.at("Negative Hit Points"),
    settles=("C-35", "C-53"),
)
RI_FATIG_2: Final = Rule(
    "RI-FATIG-2",
    "Fatigue is paid after the ability has done its work, down to unconsciousness; monsters do not tire.",
    (books.CODEX_CHARACTERS.at("Fatigue"), books.ABILITIES.at("Special Combat Abilities")),
)

SUBDUAL_FATIGUE: Final = 3


def consequences(state: State, chance: Chance, creature: str, *, subdual: bool = False) -> Emits[State]:
    """Emit what the hit points of *creature* now mean: defeat, wounds, exhaustion, or a fall."""
    found = state.creatures[creature]
    if found.dead or found.defeated:
        return state
    if not found.sheet.is_pc:
        return (yield from fell(state, creature, subdual=subdual)) if found.hp <= 0 else state
    if subdual:
        state = yield from exhaust(state, creature)
    else:
        state = yield from take_wounds(state, chance, creature)
    return (yield from fall_or_wake(state, creature))


@enforces(RI_HP_3)
def fell(state: State, creature: str, *, subdual: bool) -> Emits[State]:
    """Emit the fall of a monster or object at zero hit points."""
    found = state.creatures[creature]
    fate: Fate = "unconscious" if subdual else "dead"
    if found.sheet.kind == "object":
        fate = "destroyed"
    elif not subdual:
        usual = state.house.monsters_at_zero
        state, said = yield from answer(state, "monster_fate", (creature,), default=usual)
        fate = "unconscious" if said == "unconscious" else "dead"
    return (
        yield Defeated(
            creature=creature,
            fate=fate,
            credit=credited(state, found.hurt_by),
            wasted_damage=wasted(found),
        )
    )


@enforces(RI_MULTI_2)
def wasted(creature: Creature) -> int:
    """Return the damage beyond what felled *creature*."""
    return max(0, -creature.hp)


@enforces(RI_MULTI_3)
def credited(state: State, hurt_by: tuple[str, ...]) -> tuple[str, ...]:
    """Return the creatures that defeated another, of those that hurt it."""
    return hurt_by if state.house.credit == "everyone" else hurt_by[-1:]


@enforces(RI_DMG_7)
def exhaust(state: State, creature: str) -> Emits[State]:
    """Emit the fatigue of subdual damage, where other damage would have wounded."""
    found = state.creatures[creature]
    new = due(state, found) - found.depth
    if new <= 0 or not is_mine_to_roll(state, creature):
        return state
    levels = SUBDUAL_FATIGUE * (new if state.house.subdual_fatigue_per == "wound" else 1)
    return (yield FatigueGained(creature=creature, levels=levels, cause="subdual damage"))


@enforces(RI_HP_1)
def fall_or_wake(state: State, creature: str) -> Emits[State]:
    """Emit that a creature falls unconscious or wakes, if that has changed."""
    found = state.creatures[creature]
    if found.dead or found.is_unconscious == found.down:
        return state
    return (yield FellUnconscious(creature=creature) if not found.down else Woke(creature=creature))


@enforces(RI_FATIG_2)
def tire(state: State, creature: str, levels: int, cause: str) -> Emits[State]:
    """Emit *levels* of fatigue for a player's creature; nothing for a monster."""
    if not state.creatures[creature].sheet.is_pc or levels <= 0:
        return state
    state = yield FatigueGained(creature=creature, levels=levels, cause=cause)
    return (yield from fall_or_wake(state, creature))
