"""Bring creatures into a fight: from a sheet, from a stat block, or as they stood in another encounter.

A carried character enters as it stood. What the days between bring comes as events behind its entry, by the
rules that bring it in play: nights, fading conditions, potions that work.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar, Final, TypeVar

from service.rules.heartrush.body.actions import recharge
from service.rules.heartrush.body.conditions import fade_with_time, run_out
from service.rules.heartrush.body.wounds import ten_minutes
from service.rules.heartrush.creatures.abilities import Ability, Spell
from service.rules.heartrush.creatures.bestiary import BESTIARY, drawn
from service.rules.heartrush.creatures.character import (
    CarriedCharacter,
    Character,
    Condition,
    Entry,
)
from service.rules.heartrush.creatures.sheet import Sheet
from service.rules.heartrush.creatures.size_and_bonds import BONDS, FEELINGS
from service.rules.heartrush.creatures.state import DAY_S, Creature, State
from service.rules.heartrush.effects.ruling_effects import MOST_DESTINY
from service.rules.heartrush.surviving.rests_and_healing import recover, slept
from service.rules.heartrush.timing.clock import (
    check_at_rest,
    check_out_of_peril,
    day,
    potions_work,
)
from service.rules.heartrush.using.catalogue import CATALOGUE
from service.rules.heartrush.values import LATEST_S, MOST_LEVELS, HeartDie
from service.rules.kernel.messages import Emits, Event, Refused
from service.rules.kernel.near import nearest_name
from service.rules.kernel.records import changed, record, sealable_fields
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.sealed import names
from service.rules.kernel.values import Count, CreatureId, Ordinal, Seconds
from service.rules.openings import Fault
from service.rules.secrecy.gm_only import facts_of, field_faults, hide_gm_only
from service.rules.table.carried import CarriedFrom

# --- entries -------------------------------------------------------------------------------------------


def sheet_of(entry: Entry) -> Sheet:
    """Return the sheet of *entry*: its own, the carried one, or that of its stat block; one must be there."""
    if entry.sheet is not None:
        return entry.sheet
    if entry.carried is not None:
        return entry.carried.character.sheet
    assert entry.stat_block is not None, "an entry without a sheet names a stat block"
    return drawn(entry.stat_block, entry.id or "", entry.side or "", entry.name)


def gm_only_of(entry: Entry) -> tuple[str, ...]:
    """Return the fields of the sheet that are GM-only: those of *entry*, and those that were so before."""
    before = () if entry.carried is None else entry.carried.character.gm_only
    return tuple(dict.fromkeys((*entry.gm_only, *before)))


def with_sheet(entry: Entry) -> Entry:
    """Return *entry* with its whole sheet, so that it needs no bestiary."""
    if entry.sheet is not None:
        return entry
    return changed(entry, sheet=sheet_of(entry), stat_block=None, id=None, side=None, name=None)


def spelled_out(entry: Entry) -> Entry:
    """Return *entry* with its whole sheet, so that a record needs no bestiary, and what is GM-only sealed."""
    entry = changed(with_sheet(entry), gm_only=gm_only_of(entry))
    assert entry.sheet is not None
    name, facts = entry.sheet.id, facts_of(Sheet, entry.gm_only)
    carried = entry.carried
    if carried is not None:
        character = changed(carried.character, sheet=hide_gm_only(carried.character.sheet, name, facts))
        carried = changed(carried, character=hide_gm_only(character, name, facts))
    sheet = hide_gm_only(entry.sheet, name, facts)
    return changed(hide_gm_only(entry, name, facts), sheet=sheet, carried=carried)


def entry_faults(entry: Entry, at: str) -> Iterator[Fault]:
    """Yield what keeps *entry* from having a sheet, or from sealing what it says is GM-only."""
    alone = (entry.stat_block, entry.id, entry.side, entry.name)
    if entry.sheet is not None or entry.carried is not None:
        if any(value is not None for value in alone):
            yield at, "a sheet or a carried character, or a stat block with id and side: not both"
        is_pc = sheet_of(entry).kind == "pc"
        yield from field_faults(gm_only_of(entry), () if is_pc else sealable_fields(Sheet), at)
    elif entry.stat_block is None:
        yield f"{at}/stat_block", "a sheet, a carried character, or the name of a stat block"
    elif entry.stat_block not in BESTIARY:
        near = nearest_name(entry.stat_block, BESTIARY)
        yield f"{at}/stat_block", f"there is no stat block {entry.stat_block}; the nearest is {near}"
    else:
        yield from field_faults(entry.gm_only, sealable_fields(Sheet), at)
        for key, value in (("id", entry.id), ("side", entry.side)):
            if value is None:
                yield f"{at}/{key}", "a stat block needs it"
    if entry.carried is not None:
        yield from ((f"{at}/carried{where}", fault) for where, fault in _carried_faults(entry.carried))
    if entry.days_between and entry.carried is None:
        yield f"{at}/days_between", "days pass for a carried character alone"


def creature_of(entry: Entry, clock_s: int = 0) -> Creature:
    """Return the creature that *entry* brings at *clock_s*, as it is before anything happens."""
    sheet, gm_only = sheet_of(entry), gm_only_of(entry)
    creature = _new(entry, sheet) if entry.carried is None else _going_on(entry, entry.carried.character)
    if creature.hp <= 0 and creature.down_since_s is None:
        creature = changed(creature, down_since_s=clock_s)
    return hide_gm_only(changed(creature, gm_only=gm_only), sheet.id, facts_of(Sheet, gm_only))


def _new(entry: Entry, sheet: Sheet) -> Creature:
    first = sheet.weapons[0].id if sheet.weapons else None
    return Creature(
        sheet=sheet,
        position=(entry.position[0], entry.position[1]),
        heart_die=entry.heart_die or sheet.heart_die,
        hp=sheet.hp_max if entry.hp is None else entry.hp,
        wielded=sheet.wielded or first,
        potions=sheet.potions,
        doses={poison.id: poison.doses for poison in sheet.poisons},
        destiny_points=sheet.destiny_points,
    )


def _going_on(entry: Entry, character: Character) -> Creature:
    known = {name: getattr(character, name) for name in names(Character)}
    known["conditions"] = {key: found for key, found in character.conditions.items() if goes_on(key, found)}
    written = {"sheet": entry.sheet, "hp": entry.hp, "heart_die": entry.heart_die}
    by_hand = {name: value for name, value in written.items() if value is not None}
    return Creature(**(known | by_hand), position=(entry.position[0], entry.position[1]))


# --- carrying ------------------------------------------------------------------------------------------
# What of a creature goes on: everything that its record shares with `Character`, less what the place and the
# other creatures of the fight made of it.

HR_CARRY_1: Final = Rule(
    "HR-CARRY-1",
    "What belongs to the fight stays behind: place, rush, bonds, cover, lying prone, and being out of it.",
    RULING,
    left_open="the books know one campaign, and no border between two encounters",
)
HR_CARRY_2: Final = Rule(
    "HR-CARRY-2",
    "Each day between two encounters has a long rest that succeeds; other days are played.",
    RULING,
    left_open="no book says how nights between sessions are slept",
)

D = TypeVar("D", Ability, Spell)

LEFT_BEHIND: Final = (
    *BONDS,
    "cover",
    "obscured",
    "highground",
    "prone",
    *FEELINGS,
)
"""Conditions that a place or another creature makes."""


def goes_on(name: str, condition: Condition) -> bool:
    """Return whether a condition goes on to another encounter: not where somebody there restrains."""
    return name not in LEFT_BEHIND and not (name == "restrained" and condition.source is not None)


@enforces(HR_CARRY_1)
def carry(state: State, creature: str, carried_from: CarriedFrom) -> CarriedCharacter:
    """Return *creature* as it goes on to another encounter; raises `Refused` while combat runs."""
    check_at_rest(state, "characters are carried", "HR-CARRY-1")
    if creature not in state.creatures:
        raise Refused("no_such_creature", f"there is no creature {creature}", "TABLE-SEAT-1")
    found = state.creatures[creature]
    if found.is_present:
        check_out_of_peril(found, "be carried", "HR-CARRY-1")
    known = {name: vars(found)[name] for name in names(Character)}  # what is sealed stays sealed
    conditions = {
        name: changed(condition, since=0)
        for name, condition in found.conditions.items()
        if goes_on(name, condition)
    }
    wounds = tuple(changed(wound, id=f"carried-{i}") for i, wound in enumerate(found.wounds, 1))
    back = "unconscious" if found.left_unconscious else "active"
    status = back if found.status == "gone" else found.status
    return CarriedCharacter(
        carried_from=carried_from,
        character=Character(**(known | {"conditions": conditions, "wounds": wounds, "status": status})),
        clock_s=state.clock_s,
        abilities=tuple(_own(state, found.sheet.abilities, Ability)),
        spells=tuple(_own(state, found.sheet.growth.spells, Spell)),
    )


def _own(state: State, wanted: Iterable[str], kind: type[D]) -> Iterator[D]:
    """Yield the definitions of *kind* among the *wanted* that are not shipped."""
    for name in wanted:
        found = state.abilities.get(name)
        if name not in CATALOGUE and isinstance(found, kind):
            yield found


def carried_definitions(entries: Iterable[Entry]) -> Iterator[Ability | Spell]:
    """Yield what carried characters bring of abilities and spells that are not shipped."""
    for entry in entries:
        if entry.carried is not None:
            yield from entry.carried.abilities
            yield from entry.carried.spells


def arrives_at_s(entry: Entry) -> int:
    """Return the campaign second at which a carried character is there; 0 for others."""
    if entry.carried is None:
        return 0
    return min(LATEST_S, entry.carried.clock_s + entry.days_between * DAY_S)


@record
class DaysPassed(Event[State]):
    """Time passed for a carried character since it was carried, with a long rest on each of its days."""

    type: ClassVar[str] = "days_passed"
    creature: CreatureId
    seconds: Seconds
    nights: Count
    """The long rests on the way, all of which succeeded."""
    heart_die: HeartDie
    day: Ordinal
    """The campaign day on which it enters."""

    def evolve(self, state: State) -> State:
        if not self.nights:
            return state
        changes = slept(state.creatures[self.creature], self.nights, self.heart_die, self.day, well=True)
        return state.with_creature(self.creature, **changes)


@enforces(HR_CARRY_2)
def pass_days(state: State, entry: Entry) -> Emits[State]:
    """Emit what the time between two encounters brings a carried character; nothing for others."""
    if entry.carried is None:
        return state
    name, before_s = sheet_of(entry).id, entry.carried.clock_s
    seconds = state.clock_s - before_s
    if seconds <= 0 or state.creatures[name].status == "dead":
        return state
    state = yield from run_out(state)
    state = yield from potions_work(state)
    state = yield from ten_minutes(state)
    state = yield from fade_with_time(state, seconds, (name,))
    if state.house.major_recharge == "day" and day(state.clock_s) > day(before_s):
        state = yield from recharge(state, name, "major")
    rested = state.creatures[name]
    state = yield DaysPassed(
        creature=name,
        seconds=seconds,
        nights=entry.days_between,
        heart_die=rested.sheet.heart_die if entry.days_between else rested.heart_die,
        day=day(state.clock_s),
    )
    return (yield from recover(state, name, entry.days_between)) if entry.days_between else state


# --- faults of carried characters ----------------------------------------------------------------------
# What a host may have changed on the way: only what could not be at all; the audit compares the rest.


def _carried_faults(carried: CarriedCharacter) -> Iterator[Fault]:
    """Yield what no character can be."""
    found = (
        *_body_faults(carried.character),
        *_weapon_faults(carried.character),
        *_count_faults(carried.character, carried.clock_s),
    )
    yield from ((f"/character{where}", fault) for where, fault in found)


def _body_faults(found: Character) -> Iterator[Fault]:
    top = found.sheet.hp_max
    if found.hp > top or (found.status != "dead" and found.hp <= -top):
        yield "/hp", "more than the negative of the maximum, and at most the maximum"
    if not found.heart_die <= found.sheet.heart_die or found.heart_die not in (4, 6, 8, 10, 12, 20):
        yield "/heart_die", "a die: 4, 6, 8, 10, 12 or 20, at most the sheet's heart die"
    known: set[str] = set()
    for i, wound in enumerate(found.wounds):
        if wound.id in known:
            yield f"/wounds/{i}", "an id of its own"
        known.add(wound.id)
    for key, condition in found.conditions.items():
        if key in LEFT_BEHIND or not 1 <= condition.level <= MOST_LEVELS:
            yield f"/conditions/{key}", f"a condition that goes on, from 1 to {MOST_LEVELS} levels"


def _weapon_faults(found: Character) -> Iterator[Fault]:
    weapons = ("unarmed", *(weapon.id for weapon in found.sheet.weapons))
    if found.wielded is not None and found.wielded not in weapons:
        yield "/wielded", "one of the creature's weapons"
    for key in found.coats:
        if key not in weapons:
            yield f"/coats/{key}", "one of the creature's weapons"


def _count_faults(found: Character, clock_s: int) -> Iterator[Fault]:
    if found.destiny_points > MOST_DESTINY:
        yield "/destiny_points", f"from 0 to {MOST_DESTINY}"
    for name, used_s in found.last_used.items():
        if used_s > clock_s:
            yield f"/last_used/{name}", "a second that the clock has passed"
    if found.down_since_s is not None and found.down_since_s > clock_s:
        yield "/down_since_s", "a second that the clock has passed"
    if list(found.potions_at_s) != sorted(found.potions_at_s):
        yield "/potions_at_s", "in the order in which they work"
