"""What damage leads to: vital wounds, fatigue, unconsciousness, and the fall of monsters."""

from __future__ import annotations

from typing import Final

from service.rules.kernel.messages import Emits
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.rise import books
from service.rules.rise.creatures.creature import Creature, is_unconscious
from service.rules.rise.harm.damage import Defeated, Fate, FatigueGained, FellUnconscious, Woke
from service.rules.rise.harm.vital import due, is_mine_to_roll, take_wounds
from service.rules.rise.questions import answer
from service.rules.rise.state import State
from service.rules.rolls.chance import Chance

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
    """Tell what the hit points of *creature* now mean: defeat, wounds, exhaustion, or a fall."""
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
    if found.dead or is_unconscious(found) == found.down:
        return state
    return (yield FellUnconscious(creature=creature) if not found.down else Woke(creature=creature))


@enforces(RI_FATIG_2)
def tire(state: State, creature: str, levels: int, cause: str) -> Emits[State]:
    """Emit *levels* of fatigue for a player's creature; nothing for a monster."""
    if not state.creatures[creature].sheet.is_pc or levels <= 0:
        return state
    state = yield FatigueGained(creature=creature, levels=levels, cause=cause)
    return (yield from fall_or_wake(state, creature))
