"""Carry characters of Rise from encounter to encounter: what goes on, and what the days between bring.

A carried character enters as it stood. What the days between bring comes as events behind its entry.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from service.rules.kernel.messages import Emits, Event, Refused
from service.rules.kernel.records import changed, record, with_key
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.sealed import names
from service.rules.kernel.values import Count, CreatureId
from service.rules.openings import Fault
from service.rules.rise.body.resting import rested
from service.rules.rise.body.taking_damage import fall_or_wake
from service.rules.rise.body.vital_wounds import MINUTE, die_untreated
from service.rules.rise.creatures.character import (
    CarriedCharacter,
    Character,
    Condition,
    Entry,
    VitalWound,
    sheet_of,
)
from service.rules.rise.creatures.creature import Creature
from service.rules.rise.creatures.state import State
from service.rules.table.carried import CarriedFrom

# --- carrying ------------------------------------------------------------------------------------------
# What of a creature goes on: everything that its record shares with `Character`, less what the place, the
# other creatures and the count of rounds made of it.

RI_CARRY_1: Final = Rule(
    "RI-CARRY-1",
    "What belongs to the fight stays behind: place, mount, height, grapples, and all that ends by itself.",
    RULING,
)
RI_CARRY_2: Final = Rule(
    "RI-CARRY-2",
    "Each day between two encounters has a long rest that takes the gravest wound; other days are played.",
    RULING,
)

LEFT_BEHIND: Final = ("grappled", "grip", "squeezing", "midair")
"""Conditions that a place or another creature makes."""
GOING_ON: Final = ("condition", "permanent")
"""How long the conditions last that go on; all others end by themselves."""


@enforces(RI_CARRY_1)
def carry(state: State, creature: str, carried_from: CarriedFrom) -> CarriedCharacter:
    """Return *creature* as it goes on to another encounter; raises `Refused` while combat runs."""
    if state.stage not in ("setup", "ended"):
        raise Refused("in_combat", "combat runs; characters are carried before it or after it", "RI-CARRY-1")
    if creature not in state.creatures:
        raise Refused("no_such_creature", f"there is no creature {creature}", "TABLE-SEAT-1")
    found = state.creatures[creature]
    known = {name: vars(found)[name] for name in names(Character)}  # what is sealed stays sealed
    character = Character(
        **known
        | {
            "conditions": tuple(_going_on(found)),
            "wounds": tuple([_without_rounds(wound, state.round) for wound in found.wounds]),
        }
    )
    if found.hp < 0:  # the fight was ended within a round
        character = changed(character, hp=0)
    if found.defeated and found.hp > 0 and not found.dead:  # it was taken out of the fight alive
        character = changed(character, defeated=False)
    return CarriedCharacter(carried_from=carried_from, character=character)


def _going_on(found: Creature) -> Iterator[Condition]:
    """Yield the conditions that go on, without the rounds and the other creatures of the fight."""
    for condition in found.conditions:
        is_posture = condition.name == "prone" and not found.down
        if condition.until in GOING_ON and condition.name not in LEFT_BEHIND and not is_posture:
            source = condition.source if condition.source == found.id else ""
            yield changed(condition, source=source, since=0, expires=None)


def _without_rounds(wound: VitalWound, after_round: int) -> VitalWound:
    """Return *wound* with its deadline counted from the end of the fight."""
    left = None if wound.deadline is None else max(0, wound.deadline - after_round)
    return changed(wound, gained=0, phase="", deadline=left, by=None)


@record
class DaysPassed(Event[State]):
    """Days passed for a carried character since it was carried, each with a long rest."""

    type: ClassVar[str] = "days_passed"
    creature: CreatureId
    nights: Count
    """The long rests on the way."""
    removed: tuple[Count, ...]
    """The vital wounds that the rests removed, as they were counted before."""

    def evolve(self, state: State) -> State:
        new = rested(state.creatures[self.creature], self.removed, long=True)
        awake = changed(new, defeated=new.dead)
        return changed(state, creatures=with_key(state.creatures, self.creature, awake))


@enforces(RI_CARRY_2)
def pass_days(state: State, entry: Entry) -> Emits[State]:
    """Emit what the days between two encounters bring a carried character; nothing for others."""
    name = sheet_of(entry).id
    if not entry.days_between or state.creatures[name].dead:
        return state
    state = yield from die_untreated(state, name)
    found = state.creatures[name]
    if found.dead:
        return state
    worst = sorted(range(len(found.wounds)), key=lambda i: found.wounds[i].result)
    removed = tuple(sorted(worst[: entry.days_between]))
    state = yield DaysPassed(creature=name, nights=entry.days_between, removed=removed)
    return (yield from fall_or_wake(state, name))


# --- faults of entries ---------------------------------------------------------------------------------
# What a host may have changed on the way: only what could not be at all; the audit compares the rest.

FACES: Final = 10


def entry_faults(entry: Entry, at: str) -> Iterator[Fault]:
    """Yield what keeps *entry* from having a sheet, and what is wrong with what it carries."""
    if entry.sheet is None and entry.carried is None:
        yield f"{at}/sheet", "a sheet, or a carried character"
        return
    if entry.days_between and entry.carried is None:
        yield f"{at}/days_between", "days pass for a carried character alone"
    carried = entry.carried
    if carried is None:
        return
    yield from ((f"{at}/carried/character{where}", fault) for where, fault in _faults(carried.character))


def _faults(found: Character) -> Iterator[Fault]:
    """Yield what no character can be."""
    for key, most in (("hp", found.sheet.hp_max), ("dr", found.sheet.dr_max)):
        if not 0 <= getattr(found, key) <= most:
            yield f"/{key}", f"from 0 to {most}"
    for i, wound in enumerate(found.wounds):
        if not 1 <= wound.die <= FACES or wound.result > FACES:
            yield f"/wounds/{i}", f"a die and a result of at most {FACES}"
        if wound.gained or wound.phase or not 0 <= (wound.deadline or 0) <= MINUTE:
            yield f"/wounds/{i}", f"without rounds of another fight, and a deadline of at most {MINUTE}"
    for i, condition in enumerate(found.conditions):
        if condition.until not in GOING_ON or condition.name in LEFT_BEHIND or condition.expires is not None:
            yield f"/conditions/{i}", "a condition that goes on"
