"""Open a fight: who takes part, where, by which house options; all of it is checked before it exists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any, ClassVar, Final

from service.rules import opening as common_opening
from service.rules.heartrush import books
from service.rules.heartrush.body.conditions import kind_of
from service.rules.heartrush.body.operations import Contest, Do, Save
from service.rules.heartrush.body.permission import timing_of
from service.rules.heartrush.body.weapons import cannot_cast, may_wield, unattuned
from service.rules.heartrush.creatures.abilities import (
    FREQUENCIES,
    ROLES,
    TIMINGS,
    Ability,
    Aura,
    Definition,
    Op,
    Param,
    Spell,
    Value,
    is_instant,
)
from service.rules.heartrush.creatures.character import Entry
from service.rules.heartrush.creatures.options import OPTIONS
from service.rules.heartrush.creatures.sheet import Scenery, Sheet, Terrain, Weapon
from service.rules.heartrush.creatures.size_and_bonds import fit_together, slots, slots_taken
from service.rules.heartrush.creatures.state import Creature, State
from service.rules.heartrush.effects.condition_words import lone_fault
from service.rules.heartrush.table.combat import CombatFrame
from service.rules.heartrush.table.entries import (
    arrives_at_s,
    carried_definitions,
    creature_of,
    entry_faults,
    pass_days,
    sheet_of,
    spelled_out,
)
from service.rules.heartrush.using.catalogue import CATALOGUE, defined, named
from service.rules.heartrush.values import AbilityIds, PlayerSide, SideIds
from service.rules.house_options import option_faults
from service.rules.kernel.messages import Emits, Noted
from service.rules.kernel.records import EMPTY, changed, record
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.values import (
    CellKey,
    Code,
    CreatureId,
    DeclaredSides,
    Title,
)
from service.rules.openings import Fault, Relation, SeatEntry, broken, seat_faults, seats_of
from service.rules.rolls.seeding import Seeding, seeding_faults
from service.rules.space.grid import Cell, cells
from service.rules.space.walls import Walls, closed_edges, is_split, wall_faults
from service.rules.table.stack import Stacks
from service.rules.table.table import GM, Option

# --- the opening's form -------------------------------------------------------------------------------
# Creatures, seats, ground, options and abilities of its own.


@record
class Opening:
    """Everything a fight begins with."""

    sides: SideIds
    player_side: PlayerSide
    creatures: tuple[Entry, ...]
    """The creatures of the fight, each with its sheet and its place."""
    seats: tuple[SeatEntry, ...] = ()
    """The seats, each with its role and its creatures."""
    options: Mapping[Code, Option] = EMPTY
    """The options of the house, by key."""
    terrain: Mapping[CellKey, Terrain] = EMPTY
    """What cells are made of that are not plain ground, by `x,y`, such as `3,-2`."""
    walls: Walls = EMPTY
    """Walls and doors on the edges between cells, by `x,y|x,y`, the left or upper cell first, such as
    `2,0|3,0`."""
    scenery: Scenery = Scenery()
    """Light, heights, ledges and water."""
    declared_sides: DeclaredSides = ()
    seeding: Seeding = Seeding()
    """Who seeds the dice."""
    abilities: tuple[Ability, ...] = ()
    """Abilities of your own, beside the shipped ones; sheets name them by id."""
    spells: tuple[Spell, ...] = ()
    """Spells of your own, beside the shipped ones."""
    turn_order: tuple[CreatureId, ...] = ()
    """The ids of all creatures in the order of their turns, with the options `timing: turns` and `turn_order:
    given`; empty rolls for it."""
    title: Title = ""


def known_in(opening: Opening) -> Mapping[str, Ability | Spell]:
    """Return every ability and spell that the sheets of *opening* name, its own, and those carried to it."""
    sheets = (sheet_of(entry) for entry in opening.creatures)
    return named(sheets, (*carried_definitions(opening.creatures), *opening.abilities, *opening.spells))


# --- faults of abilities and spells --------------------------------------------------------------------
# Every fault with its place. What the types say has been read by then; here is what they cannot say: tags in
# order, places that are named, requirements and moments that fit together.

PLACES = ("self", "held")
"""Creatures an operation may mean without a parameter or a moment."""


def definition_faults(definition: Ability | Spell) -> Iterator[Fault]:
    """Yield everything that keeps *definition* from being an ability or a spell."""
    if isinstance(definition, Ability):
        yield from _tag_faults(definition)
        if definition.builds_on and definition.talent is None:
            yield "/builds_on", "only a talent builds on others"
    yield from _param_faults(definition)
    yield from _moment_faults(definition)
    for i, op in enumerate(definition.effects):
        yield from _op_faults(definition, op, f"/effects/{i}")
    for i, modifier in enumerate(definition.always):
        wrong = lone_fault(modifier.condition) if isinstance(modifier, Aura) else None
        if wrong is not None:
            yield f"/always/{i}/condition", wrong
    if not definition.effects and not definition.always and not _is_for_people(definition):
        yield "/effects", "an ability does something: effects, or what always holds"


def _is_for_people(definition: Ability | Spell) -> bool:
    """Return whether a definition is a noncombat talent: its text may be all there is to it."""
    return isinstance(definition, Ability) and definition.talent == "noncombat"


def _tag_faults(ability: Ability) -> Iterator[Fault]:
    if not ability.tags or ability.tags[0] not in FREQUENCIES:
        yield "/tags/0", "the first tag is the frequency: " + ", ".join(FREQUENCIES)
        return
    for i, tag in enumerate(ability.tags[1:], 1):
        if tag in FREQUENCIES:
            yield f"/tags/{i}", "a second frequency"
    timings = [tag for tag in ability.tags if tag in TIMINGS]
    if len(timings) > 1:
        yield "/tags", "more than one timing: " + ", ".join(timings)
    if ability.frequency == "passive":
        if timings or ability.full_action:
            yield "/tags", "a passive ability has neither timing nor action"
        if ability.effects or ability.params:
            yield "/effects", "a passive ability says what always holds and is not used"
    elif ability.always:
        yield "/always", "only a passive ability always holds"
    if ability.rush_extra and ability.frequency != "major":
        yield "/rush_extra", "only a major ability takes extra rush"


def _param_faults(definition: Definition) -> Iterator[Fault]:
    names: list[str] = []
    for i, param in enumerate(definition.params):
        at = f"/params/{i}"
        if param.name in names or not param.name.isidentifier() or param.name == "rush":
            yield f"{at}/name", "a name of its own, of letters, and not rush"
        names.append(param.name)
        if param.kind == "choice" and not param.choices:
            yield f"{at}/choices", "what there is to choose"
        if param.kind == "number" and param.least > param.most:
            yield f"{at}/most", "at least as much as least"
        if any(key not in names[:-1] for key in param.when):
            yield f"{at}/when", "a choice that was said before it"


def _moment_faults(definition: Ability | Spell) -> Iterator[Fault]:
    if definition.trigger and not is_instant(definition):
        yield "/trigger", "only an instant answers a moment"
    for i, trigger in enumerate(definition.trigger):
        if trigger in ("any", "moves", "stands", "trip"):
            yield f"/trigger/{i}", "a moment that abilities answer"


def _op_faults(definition: Ability | Spell, op: Op[Any], at: str) -> Iterator[Fault]:
    params = {param.name: param for param in definition.params}
    if isinstance(op, Contest):
        if not op.answered_with:
            yield f"{at}/answered_with", "the abilities it may be contested with"
        yield from _who_faults(definition, op.against, f"{at}/against")
    if isinstance(op, Save):
        yield from _who_faults(definition, op.who, f"{at}/who")
    if not isinstance(op, Do):
        return
    for name, value in op.when.items():
        if name not in params or value not in params[name].choices:
            yield f"{at}/when/{name}", "a choice that is a parameter, and one of its values"
    if op.if_won and not any(isinstance(other, Contest) for other in definition.effects):
        yield f"{at}/if_won", "there is no contest to win"
    yield from _place_faults(definition, op.effect, params, f"{at}/effect")
    wrong = op.effect.misused(caused=True)
    if wrong is not None:
        yield f"{at}/effect", wrong


def _place_faults(
    definition: Ability | Spell, value: Value, params: Mapping[str, Param], at: str
) -> Iterator[Fault]:
    """Yield the open places of a record that nothing fills."""
    for field in fields(value):
        held = getattr(value, field.name)
        if field.name == "creature":
            yield from _who_faults(definition, held, f"{at}/creature")
        elif hasattr(held, "__dataclass_fields__"):
            yield from _place_faults(definition, held, params, f"{at}/{field.name}")
        else:
            for item in held if isinstance(held, tuple) else (held,):
                if isinstance(item, str) and item.startswith("$") and item[1:] not in (*params, "rush"):
                    yield f"{at}/{field.name}", f"there is no parameter {item[1:]}"


def _who_faults(definition: Ability | Spell, who: str, at: str) -> Iterator[Fault]:
    if who in PLACES or (who == "failed" and any(isinstance(op, Save) for op in definition.effects)):
        return
    if who in ROLES:
        if not definition.trigger or any(moment not in ROLES[who] for moment in definition.trigger):
            yield at, f"not every moment it answers has a {who}"
        return
    names = tuple(f"${param.name}" for param in definition.params if param.kind in ("creature", "creatures"))
    if who not in names:
        yield at, "self, held, a role of the moment, or $ and a parameter that names creatures"


# --- faults of openings --------------------------------------------------------------------------------
# Each fault with its place.

HR_SVC_8: Final = Rule(
    "HR-SVC-8",
    "A fight has two sides: with more the book does not say who has priority next, nor when a round ends.",
    RULING,
    left_open="the ledger has two sides as a default, and does not say why",
)


RESERVED: Final = ("table", GM)
SIDES: Final = 2
SHARING: Final = 2
"""Sizes by which two creatures differ that may share a space."""
BROUGHT: Final = ("stunned", "incapacitated", "crippled", "prone")
"""Conditions without levels that a cantrip may bring."""


def faults(opening: Opening) -> Iterator[Fault]:
    """Yield everything that keeps *opening* from being a fight, each with its place."""
    nameless = [
        f for i, entry in enumerate(opening.creatures) for f in entry_faults(entry, f"/creatures/{i}")
    ]
    if nameless:
        yield from nameless
        return
    yield from _side_faults(opening)
    yield from creature_faults(opening)
    yield from _ability_faults(opening)
    yield from seat_faults(opening.seats, [sheet_of(entry).id for entry in opening.creatures])
    yield from seeding_faults(opening.seeding, {entry.seat: entry.role for entry in opening.seats})
    yield from option_faults(OPTIONS, opening.options)
    yield from _scenery_faults(opening)


@enforces(HR_SVC_8)
def _side_faults(opening: Opening) -> Iterator[Fault]:
    if len(opening.sides) != SIDES or len(dict.fromkeys(opening.sides)) != SIDES:
        yield "/sides", "a fight has exactly two sides, of different names"
    if opening.player_side not in opening.sides:
        yield "/player_side", f"one of {' and '.join(opening.sides)}"
    for i, side in enumerate(opening.declared_sides):
        if side not in opening.sides:
            yield f"/declared_sides/{i}", f"one of {' and '.join(opening.sides)}"


def creature_faults(opening: Opening) -> Iterator[Fault]:
    """Yield what is wrong with the creatures of *opening* and their places; all of them have sheets."""
    yield from _entry_faults(opening)
    yield from _position_faults(opening)


ENTRY: Final = (
    Relation(
        "/hp",
        "more than the negative of the maximum, and at most the maximum",
        lambda entry: entry.hp is None or -sheet_of(entry).hp_max < entry.hp <= sheet_of(entry).hp_max,
    ),
    Relation(
        "/heart_die",
        "a die: 4, 6, 8, 10, 12 or 20",
        lambda entry: entry.heart_die in (None, 4, 6, 8, 10, 12, 20),
    ),
    Relation(
        "/heart_die",
        "at most the sheet's heart die",
        lambda entry: entry.heart_die is None or entry.heart_die <= sheet_of(entry).heart_die,
    ),
)
WEAPON: Final = (
    Relation(
        "/cantrip",
        "a cantrip has the tag spell, and nothing else has",
        lambda weapon: ("spell" in weapon.tags) == (weapon.cantrip is not None),
    ),
    Relation(
        "/damage_type",
        "only a cantrip has none",
        lambda weapon: weapon.cantrip is not None or weapon.damage_type != "none",
    ),
    Relation(
        "/attack_type",
        "a bolt is ranged, a blast melee",
        lambda weapon: (
            weapon.cantrip is None
            or weapon.attack_type == ("ranged" if weapon.cantrip.form == "bolt" else "melee")
        ),
    ),
)


def _entry_faults(opening: Opening) -> Iterator[Fault]:
    seen: dict[str, int] = {}
    for i, entry in enumerate(opening.creatures):
        sheet, at = sheet_of(entry), f"/creatures/{i}/sheet"
        if sheet.id in RESERVED:
            yield f"{at}/id", "an id is a-z, 0-9 and -, at most 24, and neither table nor gm"
        if sheet.id in seen:
            yield f"{at}/id", f"creature {seen[sheet.id]} has this id already"
        seen[sheet.id] = i
        if sheet.side not in opening.sides:
            yield f"{at}/side", f"one of {' and '.join(opening.sides)}"
        yield from broken(ENTRY, entry, f"/creatures/{i}")
        yield from _weapon_faults(sheet, at)
        yield from _poison_faults(sheet, at)


def _ability_faults(opening: Opening) -> Iterator[Fault]:
    own: dict[str, Ability | Spell] = {one.id: one for one in carried_definitions(opening.creatures)}
    yield from carried_definition_faults(opening, {})
    given: tuple[tuple[str, tuple[Ability | Spell, ...]], ...] = (
        ("abilities", opening.abilities),
        ("spells", opening.spells),
    )
    for key, found in given:
        for i, definition in enumerate(found):
            at = f"/{key}/{i}"
            if definition.id in CATALOGUE or definition.id in own:
                yield f"{at}/id", "an id that no other ability or spell has, shipped ones included"
            own[definition.id] = definition
            yield from ((f"{at}{pointer}", fault) for pointer, fault in definition_faults(definition))
    for i, ability in enumerate(opening.abilities):
        for j, name in enumerate(ability.builds_on):
            base = defined(name, own)
            if not isinstance(base, Ability) or base.talent is None:
                yield f"/abilities/{i}/builds_on/{j}", "no talent has this id"
    yield from ability_name_faults(opening, own)
    names = [sheet_of(entry).id for entry in opening.creatures]
    if opening.turn_order and sorted(opening.turn_order) != sorted(names):
        yield "/turn_order", "every creature, once"


def carried_definition_faults(opening: Opening, own: Mapping[str, Ability | Spell]) -> Iterator[Fault]:
    """Yield the definitions of carried characters that are none, or that *own* or another has differently."""
    known = dict(own)
    for i, entry in enumerate(opening.creatures):
        carried = entry.carried
        given: tuple[tuple[str, tuple[Ability | Spell, ...]], ...] = ()
        if carried is not None:
            given = (("abilities", carried.abilities), ("spells", carried.spells))
        for key, found in given:
            for j, definition in enumerate(found):
                at = f"/creatures/{i}/carried/{key}/{j}"
                if definition.id in CATALOGUE:
                    yield f"{at}/id", "an id that no shipped ability or spell has"
                if known.setdefault(definition.id, definition) != definition:
                    yield f"{at}/id", "another carried character has it with other effects"
                yield from ((f"{at}{pointer}", fault) for pointer, fault in definition_faults(definition))


def ability_name_faults(opening: Opening, own: Mapping[str, Ability | Spell]) -> Iterator[Fault]:
    """Yield the abilities and spells on sheets that nobody defines, or that their owner cannot have."""
    for i, entry in enumerate(opening.creatures):
        for j, name in enumerate(sheet_of(entry).abilities):
            if not isinstance(defined(name, own), Ability):
                yield f"/creatures/{i}/sheet/abilities/{j}", "no ability has this id"
        for where, fault in _spell_faults(sheet_of(entry), own):
            yield f"/creatures/{i}/sheet{where}", fault


def _spell_faults(sheet: Sheet, own: Mapping[str, Ability | Spell]) -> Iterator[Fault]:
    """Yield the spells that nobody defines, and those that *sheet* lacks an attunement for."""
    for j, name in enumerate(sheet.growth.spells):
        spell = defined(name, own)
        if not isinstance(spell, Spell):
            yield f"/growth/spells/{j}", "no spell has this id"
            continue
        missing = unattuned(sheet, spell)
        if missing is not None:
            yield f"/growth/spells/{j}", f"it needs attunement to {missing}"


def _weapon_faults(sheet: Sheet, at: str) -> Iterator[Fault]:
    names = [weapon.id for weapon in sheet.weapons]
    if slots_taken(sheet) > slots(sheet):
        yield (
            f"{at}/weapons",
            f"they take {slots_taken(sheet)} slots besides the one in hand, of {slots(sheet)}",
        )
    if sheet.wielded is not None and sheet.wielded not in names:
        yield f"{at}/wielded", "one of the creature's weapons"
    for i, weapon in enumerate(sheet.weapons):
        if weapon.id == "unarmed" or names.index(weapon.id) != i:
            yield f"{at}/weapons/{i}/id", "an id no other weapon of the creature has, and not unarmed"
        if not may_wield(sheet, weapon):
            yield f"{at}/weapons/{i}", f"a {sheet.size} creature cannot wield a {weapon.size_class} weapon"
        yield from broken(WEAPON, weapon, f"{at}/weapons/{i}")
        yield from _cantrip_faults(weapon, f"{at}/weapons/{i}/cantrip")
        if weapon.id == (sheet.wielded or names[0]) and weapon.cantrip is not None:
            lacking = cannot_cast(Creature(sheet=sheet, position=(0, 0), heart_die=4, hp=1), weapon)
            if lacking is not None:
                yield f"{at}/wielded", lacking.detail


def _cantrip_faults(weapon: Weapon, at: str) -> Iterator[Fault]:
    cantrip = weapon.cantrip
    if cantrip is None:
        return
    for key, levels in (("conditions", cantrip.conditions), ("might_conditions", cantrip.might_conditions)):
        for condition in levels:
            if kind_of(condition).levels <= 1 and condition not in BROUGHT:
                yield f"{at}/{key}/{condition}", "a condition that has levels, or " + ", ".join(BROUGHT)


def _poison_faults(sheet: Sheet, at: str) -> Iterator[Fault]:
    names = [poison.id for poison in sheet.poisons]
    for i, poison in enumerate(sheet.poisons):
        if names.index(poison.id) != i:
            yield f"{at}/poisons/{i}/id", "an id no other poison of the creature has"
        for condition in poison.conditions:
            wrong = lone_fault(condition)
            if wrong is not None:
                yield f"{at}/poisons/{i}/conditions/{condition}", wrong


def _position_faults(opening: Opening) -> Iterator[Fault]:
    taken: dict[Cell, list[Creature]] = {}
    closed = closed_edges(opening.walls)
    for i, entry in enumerate(opening.creatures):
        at: Cell = (entry.position[0], entry.position[1])
        creature = creature_of(entry)
        if is_split(closed, at, creature.space):
            yield f"/creatures/{i}/position", "on both sides of a wall or a closed door"
        for cell in cells(at, creature.space):
            if opening.terrain.get(f"{cell[0]},{cell[1]}") == "wall":
                yield f"/creatures/{i}/position", f"there is a wall at {cell[0]},{cell[1]}"
            there = [other for other in taken.get(cell, ()) if abs(other.rank - creature.rank) < SHARING]
            if there and not fit_together(creature, there):
                yield f"/creatures/{i}/position", f"{there[0].id} stands there"
            taken.setdefault(cell, []).append(creature)


def _scenery_faults(opening: Opening) -> Iterator[Fault]:
    yield from wall_faults(opening.walls)
    yield from _ground_faults(opening)
    yield from _ledge_faults(opening.scenery)


def _ledge_faults(scenery: Scenery) -> Iterator[Fault]:
    for i, key in enumerate(scenery.ledges):
        yield from ((f"/scenery/ledges/{i}", detail) for _, detail in wall_faults((key,)))
        a, _, b = key.partition("|")
        if scenery.heights.get(a, 0) == scenery.heights.get(b, 0):
            yield f"/scenery/ledges/{i}", "its two cells are of different heights"


def _ground_faults(opening: Opening) -> Iterator[Fault]:
    scenery = opening.scenery
    for at, keys, ground in (
        ("/scenery/water", scenery.water, "deep_water"),
        ("/scenery/climb_cn", scenery.climb_cn, "climb"),
        ("/scenery/sheer", scenery.sheer, "climb"),
    ):
        for key in keys:
            if opening.terrain.get(key) != ground:
                yield f"{at}/{key}", f"its terrain is {ground}"


# --- opening -------------------------------------------------------------------------------------------
# Who takes part, where, by which house options; all of it is checked before it exists.

HR_GEN_1: Final = Rule(
    "HR-GEN-1",
    "Combat is a sequence of rounds, in which creatures use abilities and fight engagements.",
    books.COMBAT,
)


@record
class EncounterOpened(common_opening.EncounterOpened[State]):
    """The encounter exists: its edition, dice and everything it begins with, for all to see."""

    opening: Opening
    """The opening of the encounter."""

    def evolve(self, state: State) -> State:
        return initial(state, self)


@record
class TimingAssumed(Noted[State]):
    """A warning: these abilities carry no timing tag, and in turns they count as slow."""

    type: ClassVar[str] = "timing_assumed"
    abilities: AbilityIds


def initial(blank: State, opened: EncounterOpened) -> State:
    """Return the state a fight begins with, made of the *blank* one."""
    opening = opened.opening
    clock_s = max(arrives_at_s(entry) for entry in opening.creatures) if opening.creatures else 0
    return changed(
        blank,
        encounter=opened.encounter,
        edition=opened.edition,
        digest=opened.digest,
        dice=opened.dice,
        options=opening.options,
        seats=seats_of(opening.seats),
        sides=opening.sides,
        player_side=opening.player_side,
        declared_sides=opening.declared_sides,
        terrain=opening.terrain,
        walls=opening.walls,
        scenery=opening.scenery,
        creatures={sheet_of(entry).id: creature_of(entry, clock_s) for entry in opening.creatures},
        clock_s=clock_s,
        abilities=known_in(opening),
        given_order=opening.turn_order,
        stacks=Stacks(table=(CombatFrame(path="combat"),)),
    )


@enforces(HR_GEN_1)
@record
class OpenEncounter(common_opening.OpenEncounter[State]):
    """Open an encounter of Heart Rush."""

    opened = EncounterOpened
    rules = ("HR-GEN-1",)
    refused_by = "HR-GEN-1"
    opening: Opening

    def check_opening(self) -> tuple[Fault, ...]:
        return tuple(faults(self.opening))

    def recorded(self) -> Opening:
        return changed(self.opening, creatures=tuple(map(spelled_out, self.opening.creatures)))

    def decide(self, state: State) -> Emits[State]:
        state = yield from super().decide(state)
        for entry in self.opening.creatures:
            state = yield from pass_days(state, entry)
        untimed = timing_of(state).assumed(state)
        if not untimed:
            return state
        return (yield TimingAssumed(abilities=untimed, because=("HR-TIME-5", "A-47")))
