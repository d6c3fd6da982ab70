"""Tell what weapons, armor and shields do: dice, ranges, bonuses, and what a creature may wield."""

from __future__ import annotations

from typing import Final

from service.dice.values import Term
from service.rules.heartrush import books
from service.rules.heartrush.creatures.cantrips import cannot_cast, cantrip_ft, has_own_bonus
from service.rules.heartrush.creatures.cover import is_covered_whole
from service.rules.heartrush.creatures.hands import in_hand, shield_held
from service.rules.heartrush.creatures.water import is_submerged, shot_ft, waters
from service.rules.heartrush.sheets.sheet import ARMOR, SHIELD, UNARMED, WEAPON_DIE, Sheet, Weapon, rank
from service.rules.heartrush.state import Creature, State
from service.rules.kernel.messages import Refused
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.rolls.chance import PoolDie
from service.rules.space.grid import FEET

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
    "Who took an attacking stance with a ranged weapon moves at most half its speed that round.",
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
    return in_hand(creature) or UNARMED


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
    """Tell whether *weapon* is a bolt, which no damage type favours."""
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
    excess = feet - near
    increment = INCREMENT_FT.get(weapon.attack_type)
    if excess <= 0 or increment is None:
        return 0
    started = state.house.range_increment == "started"
    return -(-excess // increment) if started else excess // increment


@enforces(HR_WPN_12)
def works(state: State, attacker: Creature, target: Creature, weapon: Weapon) -> bool:
    """Tell whether *weapon* works between *attacker* and *target*; no thrown weapon or whip does in water."""
    if weapon.attack_type not in ("thrown", "whip"):
        return True
    return not (waters(state, attacker) or waters(state, target))


def check_works(state: State, attacker: Creature, target: Creature) -> None:
    """Refuse a strike with a weapon that water stops."""
    if not works(state, attacker, target, wielded(attacker)):
        raise Refused("weapon_underwater", f"{attacker.wielded} does not work in water", "HR-WPN-12")


def spends_reach(state: State, attacker: Creature, target: Creature, weapon: Weapon) -> bool:
    """Tell whether a strike needs the length of a reach weapon, which rules out a dash this round."""
    return "reach" in weapon.tags and state.distance(attacker, target) > FEET


def max_range_ft(creature: Creature, weapon: Weapon) -> int:
    """Return how far *weapon* can strike at all: double its range if shot or thrown."""
    near = range_ft(creature, weapon)
    return near * 2 if weapon.attack_type in INCREMENT_FT else near


def in_range(state: State, attacker: Creature, target: Creature, weapon: Weapon | None = None) -> bool:
    """Tell whether *attacker* can strike *target* from where both stand."""
    weapon = weapon or wielded(attacker)
    if cannot_cast(attacker, weapon) is not None:
        return False
    feet = max_range_ft(attacker, weapon)
    if state.terrain:
        if not works(state, attacker, target, weapon):
            return False
        if weapon.attack_type == "ranged":
            feet = shot_ft(feet, under_water=is_submerged(state, attacker) or is_submerged(state, target))
    if state.distance(attacker, target) > feet:
        return False
    return not is_covered_whole(state, attacker, target, weapon)


def out_of_range(state: State, attacker: Creature, target: Creature, source: str) -> Refused:
    """Return the refusal of a strike that cannot be: no hand for a cantrip, too far away, total cover."""
    weapon = wielded(attacker)
    lacking = cannot_cast(attacker, weapon)
    if lacking is not None:
        return lacking
    away = state.distance(attacker, target)
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
        raise Refused("ranged_move_cap", f"{creature.id} shot this round and may move {speed // 2} ft in all")


def leaves_no_step(creature: Creature, speed: int) -> bool:
    """Tell whether a shot leaves *creature* not even a sidestep this round."""
    return creature.ranged_stance_taken and 2 * (creature.moved_ft + FEET) > speed


@enforces(HR_STANCE_5)
def check_ranged_stance(creature: Creature, speed: int, stance: str) -> None:
    """Refuse an attacking stance with a ranged weapon after a move of more than half the speed."""
    ranged = wielded(creature).attack_type == "ranged"
    if ranged and stance != "defensive" and 2 * creature.moved_ft > speed:
        raise Refused(
            "stance_not_allowed", f"{creature.id} has moved {creature.moved_ft} ft with a ranged weapon"
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


@enforces(HR_WPN_11, HR_SIZE_5)
def may_wield(sheet: Sheet, weapon: Weapon) -> bool:
    """Tell whether a creature of *sheet* is large enough to wield *weapon*."""
    if "natural" in weapon.tags:
        return True
    if weapon.size_class == "heavy":
        return rank(sheet.size) > rank("small")
    return weapon.size_class != "light" or rank(sheet.size) > rank("tiny")


@enforces(HR_WPN_7)
def ignores_armor(weapon: Weapon, *, might_bonus: bool) -> bool:
    """Tell whether an attack with *weapon* ignores the armor of its target."""
    return might_bonus and weapon.attack_type == "ranged" and not has_own_bonus(weapon)


def pushes(weapon: Weapon) -> bool:
    """Tell whether the might bonus of *weapon* is a push."""
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
