"""Weapons, cantrips and armor: dice, ranges, hands, cover, and what a creature may wield."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Final

from service.dice.values import Term
from service.rules.heartrush import books
from service.rules.heartrush.creatures.abilities import Spell
from service.rules.heartrush.creatures.adjacency import cut_by_edges, feet_apart, is_walled_off
from service.rules.heartrush.creatures.sheet import (
    ARMOR,
    SHIELD,
    UNARMED,
    WEAPON_DIE,
    Cantrip,
    Sheet,
    ShieldKind,
    Weapon,
    rank,
)
from service.rules.heartrush.creatures.size_and_bonds import is_submerged, shot_ft, waters
from service.rules.heartrush.creatures.state import Creature, State
from service.rules.kernel.messages import Refused
from service.rules.kernel.records import changed
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.rolls.chance import PoolDie
from service.rules.space.grid import FEET, Cell, cells
from service.rules.space.walls import Closed, inner_corners, is_line_closed

# --- hands ---------------------------------------------------------------------------------------------
# What weapons, shields and captives take of the two a creature has.

HANDS: Final = 2


def hands_of(weapon: Weapon) -> int:
    """Return the hands a weapon takes: none if part of the body, two if heavy, shot or a blast, else one."""
    if weapon.id == "unarmed" or "natural" in weapon.tags:
        return 0
    if weapon.cantrip is not None:
        return HANDS if weapon.cantrip.form == "blast" else 1
    return HANDS if weapon.size_class == "heavy" or weapon.attack_type == "ranged" else 1


def shield_on(creature: Creature) -> ShieldKind:
    """Return the shield that *creature* wears on its arm, be the hand free for it or not."""
    return "none" if creature.shield_down else creature.sheet.shield


def shield_held(creature: Creature) -> ShieldKind:
    """Return the shield on *creature*'s arm: none where its weapon leaves no hand for one."""
    weapon = creature.in_hand
    taken = 0 if weapon is None else hands_of(weapon)
    return shield_on(creature) if taken < HANDS else "none"


def holding(creature: Creature) -> int:
    """Return the hands with which *creature* holds a captive: those that it seized it with."""
    hold = creature.conditions.get("grappling")
    return 0 if hold is None else max(1, hold.hands)


def besides(creature: Creature) -> int:
    """Return the hands that hold neither shield nor captive, whatever the weapon needs of them."""
    return HANDS - holding(creature) - (0 if shield_on(creature) == "none" else 1)


def no_hands(creature: Creature, weapon: Weapon) -> Refused | None:
    """Return the refusal of a weapon for which a captive leaves too few hands; a shield gives way to one."""
    left = HANDS - holding(creature)
    if hands_of(weapon) <= left:
        return None
    return Refused("no_free_hand", f"{creature.id} has {left} hands for {weapon.id}", "HR-GRAP-3")


def free_hands(creature: Creature) -> int:
    """Return the hands that hold neither weapon nor shield nor captive."""
    weapon = creature.in_hand
    shield = 0 if shield_held(creature) == "none" else 1
    return max(0, HANDS - holding(creature) - shield - (0 if weapon is None else hands_of(weapon)))


# --- cantrips ------------------------------------------------------------------------------------------
# Who can, how far, at how many, and what a hit brings. A bolt is shot like an arrow from one hand. A blast
# goes out on all sides, needs both, and is one attack roll against each of its targets. What a hit brings
# besides damage lands at the end of the step.

RULE: Final = "HR-WPN-13"
BOLT_FT: Final = (0, 30, 60, 120)
"""The range of a bolt by attunement: none, basic, advanced, paragon."""
BLASTED: Final = 2
"""How many a blast strikes at basic attunement; from advanced on, as many as it reaches."""
ADVANCED: Final = 2
PARAGON: Final = 3


def attunement(creature: Creature, element: str) -> int:
    """Return how well *creature* is attuned to an element: 0 not, 1 basic, 2 advanced, 3 paragon."""
    return attuned(creature.sheet, element)


def attuned(sheet: Sheet, element: str) -> int:
    """Return how well *sheet* is attuned to an element: 0 not, 1 basic, 2 advanced, 3 paragon."""
    growth = sheet.growth
    if element in growth.paragon_attunements:
        return PARAGON
    if element in growth.advanced_attunements:
        return ADVANCED
    return 1 if element in growth.attunements else 0


def unattuned(sheet: Sheet, spell: Spell) -> str | None:
    """Return the first element of *spell* that *sheet* is not attuned to, None where it is to all."""
    return next((element for element in spell.elements if not attuned(sheet, element)), None)


def cantrip_ft(creature: Creature, cantrip: Cantrip) -> int:
    """Return how far a cantrip reaches: a bolt by attunement, a blast 5 ft, 10 for a paragon."""
    level = attunement(creature, cantrip.element)
    if cantrip.form == "bolt":
        return BOLT_FT[level]
    return 2 * FEET if level == PARAGON else FEET


def most_targets(creature: Creature, weapon: Weapon) -> int | None:
    """Return how many one attack may strike: one, two with a blast, and None for as many as it reaches."""
    if weapon.cantrip is None or weapon.cantrip.form != "blast":
        return 1
    return BLASTED if attunement(creature, weapon.cantrip.element) < ADVANCED else None


def cannot_cast(creature: Creature, weapon: Weapon) -> Refused | None:
    """Return what keeps *creature* from a cantrip: no attunement, or a hand that is not free."""
    cantrip = weapon.cantrip
    if cantrip is None:
        return None
    if not attunement(creature, cantrip.element):
        return Refused("no_attunement", f"{creature.id} is not attuned to {cantrip.element}", RULE)
    if besides(creature) < hands_of(weapon):
        return Refused("no_free_hand", f"{weapon.id} takes {hands_of(weapon)} free hands", RULE)
    return None


def is_conducting(state: State, cantrip: Cantrip, target: Creature) -> bool:
    """Return whether something about *target* doubles the attack roll: it is wet, or wears metal."""
    return ("wet" in cantrip.doubled_by and is_wet(state, target)) or (
        "metal_armor" in cantrip.doubled_by and target.sheet.metal_armor
    )


def is_wet(state: State, creature: Creature) -> bool:
    """Return whether *creature* is drenched, or stands in water."""
    return creature.drenched or state.ground(creature.position) in ("shallow_water", "deep_water")


def has_own_bonus(weapon: Weapon) -> bool:
    """Return whether a cantrip says itself what might adds to it, in place of what its attack type would."""
    cantrip = weapon.cantrip
    return cantrip is not None and bool(cantrip.might_conditions or cantrip.might_push_ft)


# --- cover ---------------------------------------------------------------------------------------------
# Lines from the attacker's best corner to the corners of its target, and how many walls cut. Whole numbers
# only: a line runs between corners of cells, and cuts a wall if it passes through its inside or along a seam
# with wall on both sides.

HR_COVER_1: Final = Rule(
    "HR-COVER-1",
    "Each corner line that is blocked hampers a shot by one level; four blocked by walls allow none.",
    books.COMBAT.at("Cover"),
)


TOTAL: Final = 4
SHOT: Final = ("ranged", "thrown")
LARGER_BY: Final = 2
"""Sizes by which a creature must be larger to shelter another in its space."""


@enforces(HR_COVER_1)
def lines_blocked(state: State, attacker: Creature, target: Creature) -> int:
    """Return how many corner lines from *attacker* to *target* are blocked, 0 to 4."""
    goals, starts = corners(target), corners(attacker)
    walls = tuple(_walls_between(state, (*starts, *goals))) if state.terrain else ()
    if not (walls or state.walls):
        return 0
    cut = [[is_cut(start, goal, walls) for goal in goals] for start in starts]
    edges = cut_by_edges(state, attacker, target)
    return min(sum(a or b for a, b in zip(*lines, strict=True)) for lines in zip(cut, edges, strict=True))


def all_lines_cut(at: Cell, side: int, cell: Cell, solid: frozenset[Cell], closed: Closed) -> bool:
    """Return whether walls cut every corner line from a space to *cell*: then `lines_blocked` is `TOTAL`."""
    lines = list(
        zip(
            product(_corners(at, side), _corners(cell, 1)),
            product(inner_corners(at, side), inner_corners(cell, 1)),
            strict=True,
        )
    )
    walls = tuple(sorted(solid))
    return all(
        is_cut(*outer, walls) or is_line_closed(closed, solid.__contains__, *inner) for outer, inner in lines
    )


def corners(creature: Creature) -> tuple[Cell, ...]:
    """Return the four corners of a creature's space, as points of the grid."""
    return _corners(creature.position, creature.space)


def _corners(at: Cell, side: int) -> tuple[Cell, ...]:
    x, y = at
    return ((x, y), (x + side, y), (x, y + side), (x + side, y + side))


def _walls_between(state: State, points: Iterable[Cell]) -> Iterator[Cell]:
    """Yield the wall cells of the rectangle that holds all *points*, and of the rim around it."""
    xs, ys = [x for x, _ in points], [y for _, y in points]
    for y in range(min(ys) - 1, max(ys) + 1):
        for x in range(min(xs) - 1, max(xs) + 1):
            if state.ground((x, y)) == "wall":
                yield (x, y)


def is_cut(start: Cell, goal: Cell, walls: tuple[Cell, ...]) -> bool:
    """Return whether the line between two corners passes through any of *walls*."""
    return any(_cuts(start, goal, wall) for wall in walls) or _in_seam(start, goal, walls)


def _cuts(start: Cell, goal: Cell, wall: Cell) -> bool:
    """Return whether a line passes through the inside of a cell: no axis keeps the two apart."""
    (px, py), (qx, qy), (x, y) = start, goal, wall
    if max(px, qx) <= x or min(px, qx) >= x + 1 or max(py, qy) <= y or min(py, qy) >= y + 1:
        return False
    dx, dy = qx - px, qy - py
    sides = [dx * (cy - py) - dy * (cx - px) for cx in (x, x + 1) for cy in (y, y + 1)]
    return min(sides) < 0 < max(sides)


def _in_seam(start: Cell, goal: Cell, walls: tuple[Cell, ...]) -> bool:
    """Return whether a straight line runs between two walls that touch."""
    (px, py), (qx, qy) = start, goal
    if px == qx:
        pieces = [((px - 1, y), (px, y)) for y in range(min(py, qy), max(py, qy))]
    elif py == qy:
        pieces = [((x, py - 1), (x, py)) for x in range(min(px, qx), max(px, qx))]
    else:
        return False
    return any(a in walls and b in walls for a, b in pieces)


def cover_level(state: State, attacker: Creature, target: Creature) -> int:
    """Return the levels of cover: the most of blocked lines, the GM's word and a larger friend's space."""
    said = target.level("cover") if target.conditions else 0
    return max(lines_blocked(state, attacker, target), said, int(is_sheltered(state, target)))


def is_sheltered(state: State, creature: Creature) -> bool:
    """Return whether *creature* shares the space of a larger one that is not its enemy (HR-SIZE-4)."""
    return any(
        other.id != creature.id and other.side == creature.side and other.rank >= creature.rank + LARGER_BY
        for cell in cells(creature.position, creature.space)
        for other in state.standing_at(cell)
    )


def is_covered_whole(state: State, attacker: Creature, target: Creature, weapon: Weapon) -> bool:
    """Return whether no attack can reach the target at all: walls along edges stop those in melee too."""
    if is_walled_off(state, attacker, target):
        return True
    if weapon.attack_type not in SHOT or not (state.terrain or state.walls or target.conditions):
        return False
    return cover_level(state, attacker, target) >= TOTAL


# --- weapons, armor and shields ------------------------------------------------------------------------
# Dice, ranges, bonuses, and what a creature may wield.

HR_WPN_1: Final = Rule(
    "HR-WPN-1",
    "A heavy weapon rolls d12, a light one d8, an ultralight or improvised one d4.",
    books.WEAPONS.at("Size"),
)
HR_WPN_2: Final = Rule(
    "HR-WPN-2",
    "Bludgeoning favours might, slashing agility, piercing cunning: one more weapon die in that stance.",
    books.WEAPONS.at("Damage Type"),
)
HR_WPN_3: Final = Rule(
    "HR-WPN-3",
    "Melee reaches 5 ft, a reach weapon 10 unless one dashed; ranged 30 or 60, thrown and whip 20.",
    books.WEAPONS.at("Attack Type"),
)
HR_WPN_5: Final = Rule(
    "HR-WPN-5",
    "Up to double range, each 10 ft beyond (ranged) or 5 ft (thrown) gives a level of disadvantage.",
    books.WEAPONS.at("Ranged"),
    settles=("A-63",),
)
HR_WPN_12: Final = Rule(
    "HR-WPN-12",
    "Thrown weapons and whips do not work in water, be it around the attacker or the target.",
    (books.WEAPONS.at("Thrown"), books.BASICS.at("Water")),
)
HR_OA_6: Final = Rule(
    "HR-OA-6",
    "A strike at a mover uses a melee weapon, or fists with a bow or a throwing knife in hand.",
    RULING,
)
HR_WPN_4: Final = Rule(
    "HR-WPN-4",
    "After an attacking stance with a ranged weapon a creature moves at most half its speed that round.",
    books.WEAPONS.at("Ranged"),
)
HR_STANCE_5: Final = Rule(
    "HR-STANCE-5",
    "Having moved more than half its speed, a creature with a ranged weapon may only be defensive.",
    books.WEAPONS.at("Ranged"),
)
HR_WPN_10: Final = Rule(
    "HR-WPN-10",
    "Light, medium and heavy armor add 2, 4 and 6 to defense, shields 1 or 2, natural armor its value.",
    books.WEAPONS.at("Armor"),
)
HR_SIZE_5: Final = Rule(
    "HR-SIZE-5",
    "Small creatures and smaller wield nothing heavy, tiny ones and smaller nothing light either.",
    books.BASICS.at("Size"),
)
HR_WPN_11: Final = Rule(
    "HR-WPN-11",
    "Small creatures and smaller wield nothing heavy, tiny ones and smaller nothing light either.",
    books.BASICS.at("Size"),
)
HR_WPN_7: Final = Rule(
    "HR-WPN-7",
    "The might bonus of a ranged weapon: the target adds no armor to that defense roll.",
    books.WEAPONS.at("Ranged"),
)
HR_WPN_9: Final = Rule(
    "HR-WPN-9", "The might bonus of a whip: one more weapon die on the attack.", books.WEAPONS.at("Whip")
)
HR_SIZE_3: Final = Rule(
    "HR-SIZE-3",
    "A might push goes 10 ft, 5 more for each size the defender is smaller, 5 less for each it is larger.",
    books.BASICS.at("Size"),
)


REACH_FT: Final = 10
RANGE_FT: Final = {"melee": 5, "thrown": 20, "whip": 20}
RANGED_FT: Final = {"ultralight": 20, "light": 30, "heavy": 60}
FAVOURS: Final = {"bludgeoning": "might", "slashing": "agility", "piercing": "cunning"}
INCREMENT_FT: Final = {"ranged": 10, "thrown": 5}


def wielded(creature: Creature) -> Weapon:
    """Return the weapon *creature* strikes with: the one in hand, or its fists."""
    return creature.in_hand or UNARMED


def weapon_called(creature: Creature, name: str) -> Weapon:
    """Return the weapon of *creature* with this id."""
    return next(weapon for weapon in creature.sheet.weapons if weapon.id == name)


def throwable(creature: Creature) -> tuple[Weapon, ...]:
    """Return the thrown weapons *creature* has besides the one in hand, without those it threw away."""
    return tuple(
        weapon
        for weapon in creature.sheet.weapons
        if weapon.attack_type == "thrown" and weapon.id not in (creature.wielded, *creature.thrown)
    )


@enforces(HR_WPN_1)
def weapon_die(weapon: Weapon) -> PoolDie:
    """Return the die of *weapon* by its size class."""
    return PoolDie(role="weapon", sides=WEAPON_DIE[weapon.size_class])


@enforces(HR_WPN_2)
def favoured_die(weapon: Weapon, stance: str) -> tuple[PoolDie, ...]:
    """Return the die that the damage type of *weapon* adds in *stance*, none in another stance."""
    if FAVOURS.get(weapon.damage_type) != stance or is_bolt(weapon):
        return ()
    return (PoolDie(role=weapon.damage_type, sides=WEAPON_DIE[weapon.size_class]),)


def is_bolt(weapon: Weapon) -> bool:
    """Return whether *weapon* is a bolt, which no damage type favours."""
    return weapon.cantrip is not None and weapon.cantrip.form == "bolt"


@enforces(HR_WPN_3)
def range_ft(creature: Creature, weapon: Weapon) -> int:
    """Return the range of *weapon* in the hands of *creature*, in feet."""
    if weapon.cantrip is not None:
        return cantrip_ft(creature, weapon.cantrip)
    if weapon.attack_type == "ranged":
        return RANGED_FT[weapon.size_class]
    if "reach" in weapon.tags and not creature.dashed:
        return REACH_FT
    return RANGE_FT[weapon.attack_type]


@enforces(HR_WPN_5)
def beyond_range(state: State, creature: Creature, weapon: Weapon, feet: int) -> int:
    """Return the levels of disadvantage for a shot over *feet*, 0 within range."""
    near = range_ft(creature, weapon)
    if state.terrain and weapon.attack_type == "ranged":
        near = shot_ft(near, under_water=is_submerged(state, creature))
    excess = max(0, feet - near)
    increment = INCREMENT_FT.get(weapon.attack_type)
    if increment is None:
        return 0
    started = state.house.range_increment == "started"
    return -(-excess // increment) if started else excess // increment


@enforces(HR_WPN_12)
def works(state: State, attacker: Creature, target: Creature, weapon: Weapon) -> bool:
    """Return whether *weapon* works between both; no thrown weapon or whip does in water."""
    if weapon.attack_type not in ("thrown", "whip"):
        return True
    return not (waters(state, attacker) or waters(state, target))


def check_works(state: State, attacker: Creature, target: Creature) -> None:
    """Refuse a strike with a weapon that water stops."""
    if not works(state, attacker, target, wielded(attacker)):
        raise Refused("weapon_underwater", f"{attacker.wielded} does not work in water", "HR-WPN-12")


def spends_reach(state: State, attacker: Creature, target: Creature, weapon: Weapon) -> bool:
    """Return whether a strike needs the length of a reach weapon, which rules out a dash this round."""
    return "reach" in weapon.tags and feet_between(state, attacker, target, weapon) > FEET


def feet_between(state: State, attacker: Creature, target: Creature, weapon: Weapon) -> int:
    """Return the feet that *weapon* has to reach; what is shot or thrown minds no ledge."""
    flies = weapon.attack_type in SHOT or is_bolt(weapon)
    return state.distance(attacker, target) if flies else feet_apart(state, attacker, target)


def max_range_ft(creature: Creature, weapon: Weapon) -> int:
    """Return how far *weapon* can strike at all: double its range if shot or thrown."""
    near = range_ft(creature, weapon)
    return near * 2 if weapon.attack_type in INCREMENT_FT else near


def in_range(state: State, attacker: Creature, target: Creature, weapon: Weapon | None = None) -> bool:
    """Return whether *attacker* can strike *target* from where both stand."""
    weapon = weapon or wielded(attacker)
    if cannot_cast(attacker, weapon) is not None:
        return False
    feet = max_range_ft(attacker, weapon)
    if state.terrain:
        if not works(state, attacker, target, weapon):
            return False
        if weapon.attack_type == "ranged":
            feet = shot_ft(feet, under_water=is_submerged(state, attacker) or is_submerged(state, target))
    if feet_between(state, attacker, target, weapon) > feet:
        return False
    return not is_covered_whole(state, attacker, target, weapon)


def out_of_range(state: State, attacker: Creature, target: Creature, source: str) -> Refused:
    """Return the refusal of a strike that cannot be: no hand for a cantrip, too far away, total cover."""
    weapon = wielded(attacker)
    lacking = cannot_cast(attacker, weapon)
    if lacking is not None:
        return lacking
    away = feet_between(state, attacker, target, weapon)
    if away <= max_range_ft(attacker, weapon) and is_covered_whole(state, attacker, target, weapon):
        return Refused("total_cover", f"{target.id} is behind total cover", "HR-COVER-1")
    return Refused("not_in_range", f"{target.id} is {away} ft away", source)


@enforces(HR_OA_6)
def melee_weapon(creature: Creature) -> Weapon:
    """Return the weapon of a strike at a mover: the one in hand if it is for melee, fists otherwise."""
    weapon = wielded(creature)
    strikes = weapon.attack_type in ("melee", "whip") and cannot_cast(creature, weapon) is None
    return weapon if strikes else UNARMED


def reach_ft(creature: Creature) -> int:
    """Return the melee reach of *creature* in feet; a whip strikes far but threatens only what is near."""
    weapon = melee_weapon(creature)
    return range_ft(creature, weapon) if weapon.attack_type == "melee" else FEET


@enforces(HR_WPN_4)
def check_ranged_move(creature: Creature, speed: int, feet: int) -> None:
    """Refuse a move of *feet* that is too far after an attacking stance with a ranged weapon."""
    if creature.ranged_stance_taken and 2 * (creature.moved_ft + feet) > speed:
        raise Refused(
            "ranged_move_cap",
            f"{creature.id} shot this round and may move {speed // 2} ft in all",
            HR_WPN_4.id,
        )


def leaves_no_step(creature: Creature, speed: int) -> bool:
    """Return whether a shot leaves *creature* not even a sidestep this round."""
    return creature.ranged_stance_taken and 2 * (creature.moved_ft + FEET) > speed


@enforces(HR_STANCE_5)
def check_ranged_stance(creature: Creature, speed: int, stance: str) -> None:
    """Refuse an attacking stance with a ranged weapon after a move of more than half the speed."""
    ranged = wielded(creature).attack_type == "ranged"
    if ranged and stance != "defensive" and 2 * creature.moved_ft > speed:
        raise Refused(
            "stance_not_allowed",
            f"{creature.id} has moved {creature.moved_ft} ft with a ranged weapon",
            HR_STANCE_5.id,
        )


@enforces(HR_WPN_10)
def protection(creature: Creature, *, without_armor: bool = False) -> tuple[Term, ...]:
    """Return the terms that armor, shield and bonuses add to a defense roll of *creature*."""
    sheet = creature.sheet
    armor = sheet.natural_armor if sheet.armor == "natural" else ARMOR[sheet.armor]
    terms = (
        Term(amount=0 if without_armor else armor, what="armor", rule="HR-WPN-10"),
        Term(amount=SHIELD[shield_held(creature)], what="shield", rule="HR-WPN-10"),
        Term(amount=sheet.defense_bonus, what="defense bonus", rule="HR-WPN-10"),
    )
    return tuple(term for term in terms if term.amount)


def armed(sheet: Sheet, weapon: Weapon) -> Sheet:
    """Return *sheet* with *weapon*, in place of one of the same id."""
    return changed(sheet, weapons=(*(each for each in sheet.weapons if each.id != weapon.id), weapon))


@enforces(HR_WPN_11, HR_SIZE_5)
def may_wield(sheet: Sheet, weapon: Weapon) -> bool:
    """Return whether a creature of *sheet* is large enough to wield *weapon*."""
    if "natural" in weapon.tags:
        return True
    if weapon.size_class == "heavy":
        return rank(sheet.size) > rank("small")
    return weapon.size_class != "light" or rank(sheet.size) > rank("tiny")


@enforces(HR_WPN_7)
def ignores_armor(weapon: Weapon, *, might_bonus: bool) -> bool:
    """Return whether an attack with *weapon* ignores the armor of its target."""
    return might_bonus and weapon.attack_type == "ranged" and not has_own_bonus(weapon)


def pushes(weapon: Weapon) -> bool:
    """Return whether the might bonus of *weapon* is a push."""
    return weapon.attack_type == "melee" and not has_own_bonus(weapon)


@enforces(HR_WPN_9)
def whip_die(weapon: Weapon, *, might_bonus: bool) -> tuple[PoolDie, ...]:
    """Return the die that the might bonus of a whip adds, none for other weapons."""
    if might_bonus and weapon.attack_type == "whip":
        return (PoolDie(role="might bonus", sides=WEAPON_DIE[weapon.size_class]),)
    return ()


@enforces(HR_SIZE_3)
def push_ft(attacker: Creature, defender: Creature) -> int:
    """Return how many feet a might push of *attacker* moves *defender*."""
    return max(0, 2 * FEET + FEET * (attacker.rank - defender.rank))
