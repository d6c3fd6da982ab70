"""Keep track of things: what a creature carries, what it lets go or throws, what it picks up, its lantern."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import ClassVar, Final

from service.rules.heartrush import books
from service.rules.heartrush.body.weapons import all_lines_cut, free_hands, may_wield, no_hands
from service.rules.heartrush.creatures.sheet import Light, Thing, Weapon
from service.rules.heartrush.creatures.size_and_bonds import BODILY, HR_SIZE_8, WEAPON_SLOTS, slots
from service.rules.heartrush.creatures.state import Creature, State
from service.rules.heartrush.values import ItemName, LyingThing
from service.rules.kernel.messages import Event, Refused
from service.rules.kernel.meter import apart
from service.rules.kernel.records import changed, derived, record, with_key, without_key
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.values import CreatureId, Position, ThingName, WeaponId
from service.rules.space.grid import FEET, Cell, cells, distance, is_step
from service.rules.space.walls import Closed

HR_ITEM_1: Final = Rule(
    "HR-ITEM-1",
    "A thrown weapon leaves the hand, and lies where its target stands until somebody picks it up.",
    RULING,
    left_open="the ledger says what throws a second weapon, and not where a weapon is afterwards",
)
HR_ITEM_2: Final = Rule(
    "HR-ITEM-2",
    "What lies within 5 ft is picked up into an empty hand; what is let go lies where its holder stands.",
    books.COMBAT.at("Object Interaction"),
    left_open="the ledger has the object interaction, and nothing that lies on the ground",
)
HR_LIGHT_1: Final = Rule(
    "HR-LIGHT-1",
    "A burning lantern lights what is around its bearer, wherever it goes: brightly near by, then dimly.",
    books.BASICS.at("Lighting"),
    left_open="the ledger has light by cells; the book names the area around a lantern",
)


SHIELD: Final = "shield"
"""What a shield is called, unless a weapon of its bearer has that id."""
SHIELD_SLOTS: Final[Mapping[str, int]] = MappingProxyType({"none": 0, "light": 5, "heavy": 10})
"""The slots of a shield that is not worn."""
LONGEST_ID: Final = 24
HANDLED: Final = ("HR-ACT-9", "HR-ITEM-2")


def is_shield(creature: Creature, item: str | None) -> bool:
    """Return whether *item* is the shield of *creature*."""
    return item == SHIELD and all(weapon.id != SHIELD for weapon in creature.sheet.weapons)


def is_object(weapon: Weapon) -> bool:
    """Return whether *weapon* is a thing: no part of the body, and no cantrip."""
    return not set(weapon.tags) & set(BODILY)


# --- how much ------------------------------------------------------------------------------------------


def load(creature: Creature) -> int:
    """Return the slots that *creature* fills: spare weapons put away, and a shield that it does not wear."""
    sheet = creature.sheet
    primary = sheet.wielded or (sheet.weapons[0].id if sheet.weapons else None)
    free = (primary, creature.wielded, *creature.thrown)
    away = [weapon for weapon in sheet.weapons if is_object(weapon) and weapon.id not in free]
    shield = SHIELD_SLOTS[sheet.shield] if creature.shield_down else 0
    return shield + sum(WEAPON_SLOTS[weapon.size_class] for weapon in away)


@enforces(HR_SIZE_8)
def load_fault(creature: Creature, item: str | None) -> Refused | None:
    """Return the refusal to put away what *creature* has no slots for, None if it has them."""
    after = (
        changed(creature, shield_down=True) if is_shield(creature, item) else changed(creature, wielded=None)
    )
    most = slots(creature.sheet)
    if load(after) <= most:
        return None
    detail = f"{creature.id} would carry {load(after)} slots, of {most}; it may drop something"
    return Refused("overloaded", detail, HR_SIZE_8.id)


def check_load(creature: Creature, item: str | None) -> None:
    """Refuse to put away what *creature* has no slots for."""
    fault = load_fault(creature, item)
    if fault is not None:
        raise fault


# --- letting go and taking up --------------------------------------------------------------------------


def laid(state: State, creature: str, item: str, thing: str, at: Cell) -> State:
    """Return the state in which *item* of *creature* lies at *at* as *thing*."""
    found = state.creatures[creature]
    sheet = found.sheet
    if is_shield(found, item):
        lies = Thing(position=at, shield=sheet.shield)
        state = state.with_creature(creature, sheet=changed(sheet, shield="none"), shield_down=False)
    else:
        weapon = next(weapon for weapon in sheet.weapons if weapon.id == item)
        lies = Thing(position=at, weapon=weapon, coat=found.coats.get(item))
        state = state.with_creature(
            creature,
            wielded=None if found.wielded == item else found.wielded,
            thrown=tuple(dict.fromkeys((*found.thrown, item))),
            coats=without_key(found.coats, item) if item in found.coats else found.coats,
        )
    return changed(state, lying=with_key(state.lying, thing, lies))


def free_name(wanted: str, taken: Mapping[str, object]) -> str:
    """Return *wanted*, or the first of its numbered forms that is not among *taken*."""
    number, name = 1, wanted
    while name in taken:
        number += 1
        tail = f"-{number}"
        name = wanted[: LONGEST_ID - len(tail)] + tail
    return name


@record
class WeaponLanded(Event[State]):
    """A weapon that was thrown lies where its target stands."""

    type: ClassVar[str] = "weapon_landed"
    creature: CreatureId
    weapon: WeaponId
    thing: LyingThing
    position: Position

    def evolve(self, state: State) -> State:
        return laid(state, self.creature, self.weapon, self.thing, self.position)


@enforces(HR_ITEM_1)
def landed(state: State, creature: str, weapon: str, target: str) -> WeaponLanded:
    """Return the event of a weapon that *creature* threw at *target*."""
    at = state.creatures[target].position
    thing = free_name(weapon, state.lying)
    return WeaponLanded(creature=creature, weapon=weapon, thing=thing, position=at, because=(HR_ITEM_1.id,))


@record
class ThingDropped(Event[State]):
    """A creature let something go, which lies where it stands."""

    type: ClassVar[str] = "thing_dropped"
    creature: CreatureId
    item: ItemName
    thing: LyingThing

    def evolve(self, state: State) -> State:
        return laid(state, self.creature, self.item, self.thing, state.creatures[self.creature].position)


def dropped(state: State, creature: str, item: str | None) -> ThingDropped:
    """Return the event of *creature* letting go *item*, or the weapon in hand."""
    name = item or state.creatures[creature].wielded or ""
    thing = free_name(name, state.lying)
    return ThingDropped(creature=creature, item=name, thing=thing, because=HANDLED)


@record
class ThingTaken(Event[State]):
    """A creature took up what lay on the ground: a weapon is in its hand, a shield on its arm."""

    type: ClassVar[str] = "thing_taken"
    creature: CreatureId
    thing: LyingThing
    item: ThingName
    """What it is called from now on."""

    def evolve(self, state: State) -> State:
        found, thing = state.creatures[self.creature], state.lying[self.thing]
        sheet = found.sheet
        state = changed(state, lying=without_key(state.lying, self.thing))
        if thing.weapon is None:
            return state.with_creature(self.creature, sheet=changed(sheet, shield=thing.shield))
        weapons = sheet.weapons
        if self.item not in found.thrown:
            weapons = (*weapons, changed(thing.weapon, id=self.item))
        coats = found.coats if thing.coat is None else with_key(found.coats, self.item, thing.coat)
        return state.with_creature(
            self.creature,
            sheet=changed(sheet, weapons=weapons),
            wielded=self.item,
            thrown=tuple(name for name in found.thrown if name != self.item),
            coats=coats,
        )


def taken(state: State, creature: str, thing: str) -> ThingTaken:
    """Return the event of *creature* taking up *thing*."""
    found, weapon = state.creatures[creature], state.lying[thing].weapon
    if weapon is None:
        return ThingTaken(creature=creature, thing=thing, item=SHIELD, because=HANDLED)
    own = {each.id: each for each in found.sheet.weapons}
    known = weapon.id in found.thrown and own[weapon.id] == weapon
    item = weapon.id if known else free_name(weapon.id, own)
    return ThingTaken(creature=creature, thing=thing, item=item, because=HANDLED)


def droppable(creature: Creature) -> tuple[str | None, ...]:
    """Return what *creature* could let go: the weapon in hand, by name or without, and a shield."""
    held = [w for w in creature.sheet.weapons if w.id == creature.wielded and is_object(w)]
    weapon: tuple[str | None, ...] = (None, held[0].id) if held else ()
    if not is_shield(creature, SHIELD) or "shield" in creature.gm_only or creature.sheet.shield == "none":
        return weapon
    return (*weapon, SHIELD)


def takeable(view: State, creature: Creature) -> tuple[str, ...]:
    """Return what *creature* could pick up where it stands."""
    return tuple([name for name in view.lying if taking_fault(view, creature, name) is None])


@enforces(HR_ITEM_2)
def check_taking(view: State, creature: Creature, name: str) -> None:
    """Refuse to pick up what is not there, too far away, or has no hand for it."""
    fault = taking_fault(view, creature, name)
    if fault is not None:
        raise fault


def taking_fault(view: State, creature: Creature, name: str) -> Refused | None:
    """Return what keeps *creature* from picking up *name*, None if nothing does."""
    thing = view.lying.get(name)
    if thing is None:
        return Refused("no_valid_target", f"nothing called {name} lies there", HR_ITEM_2.id)
    if not is_beside(view, creature, thing.position):
        return Refused("not_adjacent", f"{name} lies out of reach of {creature.id}", HR_ITEM_2.id)
    if thing.weapon is None:
        return _shield_fault(creature)
    if creature.wielded is not None:
        return Refused("no_free_hand", f"{creature.id} holds {creature.wielded}", HR_ITEM_2.id)
    if not may_wield(creature.sheet, thing.weapon):
        detail = f"a {creature.sheet.size} creature cannot wield a {thing.weapon.size_class} weapon"
        return Refused("weapon_not_wieldable", detail, "HR-WPN-11")
    return no_hands(creature, thing.weapon)


def _shield_fault(creature: Creature) -> Refused | None:
    if "shield" in creature.gm_only:
        return Refused("gm_only", f"only the gm knows the shield of {creature.id}", "TABLE-GMONLY-1")
    if creature.sheet.shield != "none":
        return Refused("no_free_hand", f"{creature.id} has a shield", HR_ITEM_2.id)
    if not free_hands(creature):
        return Refused("no_free_hand", f"{creature.id} has no hand free for a shield", HR_ITEM_2.id)
    return None


def is_beside(view: State, creature: Creature, at: Cell) -> bool:
    """Return whether *at* is in the space of *creature*, or a step from it that no wall bars."""
    own = cells(creature.position, creature.space)
    return at in own or any(is_step(cell, at) and not view.is_barred(cell, at) for cell in own)


# --- lanterns ------------------------------------------------------------------------------------------


def lanterns(state: State) -> tuple[Creature, ...]:
    """Return the creatures that bear a burning lantern."""
    return tuple(
        [c for c in state.creatures.values() if c.sheet.lantern_ft and c.is_present and not c.lantern_out]
    )


@enforces(HR_LIGHT_1)
def lantern_light(state: State, bearer: Creature, cell: Cell) -> Light:
    """Return the light that the lantern of *bearer* sheds in *cell*; walls keep it out as they cover."""
    return lantern_cells(state, bearer).get(cell, "dark")


def lantern_cells(state: State, bearer: Creature) -> Mapping[Cell, Light]:
    """Return the cells that the lantern of *bearer* reaches, by row and column, with the light it sheds."""
    solid = derived(state, "solid cells", _solid_cells)
    feet, metric = bearer.sheet.lantern_ft, state.house.metric
    closed = state.closed_edges
    return apart(lambda: _lit(bearer.position, bearer.space, feet, metric, solid, closed))


def _solid_cells(state: State) -> frozenset[Cell]:
    keys = [key.split(",") for key, kind in state.terrain.items() if kind == "wall"]
    return frozenset((int(x), int(y)) for x, y in keys)


@lru_cache(maxsize=256)  # every map of a fight asks for the same, while nobody with a lantern moves
def _lit(
    at: Cell, side: int, feet: int, metric: str, solid: frozenset[Cell], closed: Closed
) -> Mapping[Cell, Light]:
    (x, y), reach = at, 2 * feet // FEET
    found: dict[Cell, Light] = {}
    for dy in range(-reach, reach + side):
        for dx in range(-reach, reach + side):
            cell = (x + dx, y + dy)
            away = distance(at, side, cell, 1, metric)
            if away <= 2 * feet and not all_lines_cut(at, side, cell, solid, closed):
                found[cell] = "bright" if away <= feet else "dim"
    return MappingProxyType(found)


LANTERN: Final[Mapping[str, bool]] = MappingProxyType({"light": False, "put_out": True})
"""What is done with a lantern, and whether it is out then."""


@record
class LanternTurned(Event[State]):
    """A creature lit its lantern or put it out."""

    type: ClassVar[str] = "lantern_turned"
    creature: CreatureId
    out: bool
    """Whether it is out."""

    def evolve(self, state: State) -> State:
        return state.with_creature(self.creature, lantern_out=self.out)


def lantern_verbs(creature: Creature) -> tuple[str, ...]:
    """Return what *creature* could do with its lantern."""
    if not creature.sheet.lantern_ft:
        return ()
    return tuple([verb for verb, out in LANTERN.items() if creature.lantern_out is not out])


def check_lantern(creature: Creature, verb: str, item: str | None) -> None:
    """Refuse to light what burns, to put out what does not, and a lantern that is not there."""
    if item is not None or verb not in lantern_verbs(creature):
        raise Refused("params_missing", f"{creature.id} has no lantern to {verb.replace('_', ' ')}")
