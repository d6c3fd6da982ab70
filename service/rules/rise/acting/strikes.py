"""Strike with weapons: plain, after a charge, or recklessly."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Final

from service.rules.kernel.folding import products
from service.rules.kernel.messages import Awaited, Emits, Offer, Refused
from service.rules.kernel.records import changed, record
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.values import Code, TargetId, WeaponId
from service.rules.rise import books
from service.rules.rise.acting.combat_time import check_pay, check_standard, is_felled, pay_for, spares_felled
from service.rules.rise.acting.swift import RECKLESS, SwiftFollowed, check_follows, reckless
from service.rules.rise.acting.turns import begun, on_turn, sender, taking_turn
from service.rules.rise.attacks.making_attacks import AssaultBegun
from service.rules.rise.body.effects import note_place
from service.rules.rise.body.movement_and_positioning import JOLTED, budget_of, check_free, check_path, jolted
from service.rules.rise.creatures.creature import Creature
from service.rules.rise.creatures.permission import Act, is_allowed
from service.rules.rise.creatures.sheet import Effect, Weapon
from service.rules.rise.creatures.state import State
from service.rules.rise.sight.obstacles_and_targets import Assault
from service.rules.rise.sight.vision_and_lines import (
    check_reach,
    feet_offered,
    in_reach,
    known_of,
    reaching,
    ways,
)
from service.rules.rise.values import CellPath
from service.rules.space.compact import StraightPaths
from service.rules.space.grid import FEET, Cell

RI_ATK_8: Final = Rule(
    "RI-ATK-8",
    "A strike has its weapon's numbers; projectiles suffer 4 against neighbours, 4 beyond close range.",
    books.ABILITIES.at("Strikes"),
)
RI_RES_4: Final = Rule(
    "RI-RES-4",
    "Strike somebody; what enemies do in this phase does not interrupt it, nor is it known yet.",
    books.TIME.at("Resolving Actions"),
)
RI_UNIV_RECKLESS: Final = Rule(
    "RI-UNIV-RECKLESS",
    "A strike with the usual timing, for which the striker's defenses drop before this phase's attacks.",
    books.TIME.at("Swift Abilities"),
    settles=("C-29",),
)
RI_UNIV_CHARGE: Final = Rule(
    "RI-UNIV-CHARGE",
    "Move in a straight line up to speed and strike; 2 less on all defenses follow, after this phase.",
    books.ABILITIES.at("Charge"),
    settles=("C-04",),
)
RI_MOVE1_8: Final = Rule(
    "RI-MOVE1-8",
    "An ability that could only move its user is refused, at no cost, if the user has moved in this phase.",
    RULING,
    settles=("C-18",),
)


WAYS: Final[tuple[Mapping[str, bool], ...]] = (
    MappingProxyType({}),
    MappingProxyType({"thrown": True}),
    MappingProxyType({"willing": True}),
)
"""The ways to strike with a weapon that are offered."""


HOW: Final = "[ with the {weapon}][{thrown}, thrown][{subdual}, to subdue][{willing}, which it allows]"
"""How a strike is made, in a sentence."""


@record
class StrikeAct(Act):
    """A command that ends in a strike with one of the creature's weapons."""

    abstract: ClassVar[bool] = True
    target: TargetId
    weapon: WeaponId | None = None
    """Null takes the first on the sheet."""
    subdual: bool = False
    """Whether to strike to subdue, at half damage."""
    willing: bool = False
    """Whether the target, of the same group, lowers its defenses."""
    thrown: bool = False
    """Whether the weapon is thrown."""

    def check_paid(self, view: State, user: Creature) -> None:
        """Refuse a strike that *user* cannot pay for."""
        raise NotImplementedError

    def check(self, view: State) -> None:
        user = taking_turn(view, self)
        self.check_paid(view, user)
        check_strike(view, self, user)

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        command = cls(by=sender(view, awaited), creature=awaited.creature or "", target="")
        user = on_turn(view, command)
        if user is None or not is_allowed(command.check_paid, view, user):
            return
        for weapon in user.sheet.weapons:
            for way in WAYS:
                given: Mapping[str, Any] = {"weapon": weapon.id, **way}
                targets = struck(view, changed(command, **given), user)
                if targets:
                    choices = {"target": targets, "subdual": (False, True)}
                    yield Offer(type=cls.type, creature=user.id, given=given, choices=choices)


def wielded(view: State, creature: Creature, command: StrikeAct) -> Weapon:
    """Return the weapon as it is used: what is not made for throwing flies badly, and not far."""
    weapon = weapon_of(creature, command.weapon)
    if not command.thrown:
        return changed(weapon, close_ft=5, long_ft=5) if weapon.thrown and weapon.melee else weapon
    if weapon.projectile:
        raise Refused("invalid_target", f"{weapon.id} shoots and is not thrown", "RI-ATK-8")
    if weapon.thrown:
        return changed(weapon, melee=False)
    strike = changed(weapon.strike, accuracy=weapon.strike.accuracy - 2)
    return changed(weapon, melee=False, strike=strike, close_ft=10, long_ft=view.profile.thrown_ft)


def weapon_of(creature: Creature, id_: str | None) -> Weapon:
    """Return the weapon with this id, the first where none is named; refused where there is none."""
    for weapon in creature.sheet.weapons:
        if id_ in (None, weapon.id):
            return weapon
    raise Refused("ability_not_in_profile", f"{creature.id} has no weapon {id_ or 'at all'}", "RI-ATK-8")


def target_of(view: State, user: Creature, name: str, *, willing: bool = False) -> Creature:
    """Return the target if there is one of this name; only its own group's members lower their defenses."""
    found = view.creatures.get(name)
    if found is None or found.id == user.id:
        raise Refused("invalid_target", f"{user.id} cannot target {name}", "RI-ATK-1")
    if spares_felled(view) and is_felled(found):
        raise Refused("invalid_target", f"{name} is felled already", "RI-ATK-12")
    if willing and view.group_of(name) != view.group_of(user.id):
        raise Refused("invalid_target", f"{name} is not willing", "RI-ATK-10")
    return found


@enforces(RI_ATK_8)
def circumstances(view: State, user: Creature, target: Creature, weapon: Weapon) -> Mapping[str, int]:
    """Return the modifiers of a strike with *weapon* by distance and ride, by their names."""
    found: dict[str, int] = {}
    if weapon.projectile and view.adjacent(user, target):
        found["adjacent target"] = -4
    if not weapon.melee and view.distance(user, target) > weapon.close_ft:
        found["long range"] = -4
    if not weapon.melee and (jolt := jolted(view, user)):
        found[JOLTED] = jolt
    return found


def protection(view: State, user: Creature, target: Creature, weapon: Weapon) -> Mapping[str, int]:
    """Return what helps the target with all its defenses: lying flat against distant missiles."""
    if target.has("prone") and not weapon.melee and not view.adjacent(user, target):
        return {"prone": 4}
    return {}


def strike_with(view: State, command: StrikeAct, what: str) -> Assault:
    """Return the strike that *command* asks for."""
    user, target = view.creatures[command.creature], view.creatures[command.target]
    weapon = wielded(view, user, command)
    return Assault(
        user=user.id,
        what=what,
        targets=(target.id,),
        strike=weapon.strike,
        terms=circumstances(view, user, target, weapon),
        defense_terms=protection(view, user, target, weapon),
        willing=(target.id,) if command.willing else (),
        subdual=command.subdual,
    )


def reach_of(weapon: Weapon) -> tuple[int, bool]:
    """Return how many feet *weapon* reaches as it is used, and whether its user has to touch its target."""
    reach = weapon.close_ft if weapon.melee else weapon.long_ft
    return reach, weapon.melee and reach <= FEET


def check_strike(view: State, command: StrikeAct, user: Creature) -> None:
    """Refuse a strike that does not reach its target."""
    reach, touching = reach_of(wielded(view, user, command))
    target = target_of(view, user, command.target, willing=command.willing)
    check_reach(view, user, target, reach, touching=touching)


def struck(view: State, command: StrikeAct, user: Creature) -> tuple[str, ...]:
    """Return each creature that a strike like *command* could have as its target, none if it is refused."""
    try:
        reach, touching = reach_of(wielded(view, user, command))
    except Refused:
        return ()
    fit = fitting(view, user, willing=command.willing)
    return tuple([name for name in in_reach(view, user, reach, touching=touching) if name in fit])


def fitting(view: State, user: Creature, *, willing: bool = False) -> Collection[str]:
    """Return whom `target_of` allows *user*, wherever they are."""

    def find(_: State) -> Collection[str]:
        names = view.groups.get(view.group_of(user.id) or "", ()) if willing else view.creatures
        spared = spares_felled(view)
        return {
            name: True
            for name in names
            if name != user.id and not (spared and is_felled(view.creatures[name]))
        }

    return known_of(view, user, f"fitting/{willing}", find)


@enforces(RI_RES_4)
@record
class Strike(StrikeAct):
    """Strike a creature with a weapon."""

    type: ClassVar[str] = "strike"
    sentence: ClassVar[str] = "Strike {target}" + HOW
    pay: Code = "standard"
    """What pays for it."""

    def check_paid(self, view: State, user: Creature) -> None:
        check_pay(user, "standard", self.pay, self.type)

    def decide(self, state: State) -> Emits[State]:
        state = yield from begun(state, self.creature)
        state = yield from pay_for(self.creature, "standard", "standard", self.type)
        return (yield AssaultBegun(assault=strike_with(state, self, self.type), because=("RI-ATK-8",)))


@enforces(RI_UNIV_RECKLESS)
@record
class RecklessAttack(StrikeAct):
    """Strike with the usual timing, for lower defenses against this phase's attacks."""

    type: ClassVar[str] = RECKLESS
    sentence: ClassVar[str] = "Strike {target} recklessly" + HOW

    def check_paid(self, view: State, user: Creature) -> None:
        if not check_follows(view, user, self.type):
            check_standard(user)

    def decide(self, state: State) -> Emits[State]:
        creature = state.creatures[self.creature]
        state = yield from begun(state, self.creature)
        assault = strike_with(state, self, self.type)
        if self.type in creature.budget.swift:
            state = yield SwiftFollowed(creature=self.creature, ability=self.type)
        else:
            state = yield from pay_for(self.creature, "standard", "standard", self.type)
            assault = changed(assault, after=reckless(state, creature))
        return (yield AssaultBegun(assault=assault, because=("RI-SWIFT-6",)))


@enforces(RI_UNIV_CHARGE)
@record
class Charge(StrikeAct):
    """Move in a straight line up to speed and strike; 2 less on all defenses follow, after this phase."""

    type: ClassVar[str] = "charge"
    sentence: ClassVar[str] = "Charge {target}" + HOW
    path: CellPath = ()

    def check_paid(self, view: State, user: Creature) -> None:
        check_standard(user)
        if user.location_changed:
            moved_already(view, user.id)

    def check(self, view: State) -> None:
        creature = taking_turn(view, self)
        self.check_paid(view, creature)
        check_straight(creature, self.path)
        check_path(view, creature, self.path, budget_of(view, creature, "land", sprint=False))
        check_free(view, creature, self.path)
        if not wielded(view, creature, self).melee:
            raise Refused("not_adjacent", f"{creature.id} charges with a melee weapon", "RI-UNIV-CHARGE")
        there = changed(creature, position=self.path[-1]) if self.path else creature
        check_strike(view.with_creature(there.id, position=there.position), self, there)

    def decide(self, state: State) -> Emits[State]:
        state = yield from begun(state, self.creature)
        state = yield from pay_for(self.creature, "standard", "standard", self.type)
        state = yield from note_place(state, self.creature, self.path)
        penalty = Effect(does="gain", condition="charge", modifiers={"defenses": -2}, until="brief")
        assault = changed(strike_with(state, self, self.type), after=(penalty,))
        return (yield AssaultBegun(assault=assault, because=("RI-UNIV-CHARGE",)))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        command = cls(by=sender(view, awaited), creature=awaited.creature or "", target="")
        user = on_turn(view, command)
        if user is None or not is_allowed(command.check_paid, view, user):
            return
        weapons = {w.id: wielded(view, user, changed(command, weapon=w.id)) for w in user.sheet.weapons}
        reaches = {name: reach_of(weapon) for name, weapon in weapons.items() if weapon.melee}
        found = ways(view, user, feet_offered(view, user), None) if reaches else ()
        runs = [way for way in found if way.ends and way.is_open]
        fit = fitting(view, user)
        for weapon, (reach_ft, touching) in reaches.items():
            near = reaching(view, user, reach_ft, touching=touching)
            met = [(way.line, tuple([each.id for each in near(way.end) if each.id in fit])) for way in runs]
            for some, targets in products(met):
                choices = {"path": StraightPaths.of(user.position, some), "target": targets}
                yield Offer(type=cls.type, creature=user.id, given={"weapon": weapon}, choices=choices)


def check_straight(creature: Creature, path: tuple[Cell, ...]) -> None:
    """Refuse a path that is not one straight line."""
    at, steps = creature.position, []
    for cell in path:
        steps.append((cell[0] - at[0], cell[1] - at[1]))
        at = cell
    if not path or any(step != steps[0] for step in steps):
        raise Refused("path_not_straight", f"{creature.id} charges in a straight line", "RI-UNIV-CHARGE")


def check_trades(view: State) -> None:
    """Refuse what a standard action buys instead of a hustle, where the house sells a hustle alone."""
    if view.house.traded_movement == "hustle":
        raise Refused("no_such_trade", "a standard action buys a hustle in this house", "RI-ACT-4")


@enforces(RI_MOVE1_8)
def moved_already(view: State, creature: str) -> None:
    """Refuse a second move of *creature* in this phase, unless the house lets it be wasted."""
    if view.house.second_move == "wasted":
        return
    raise Refused(
        "already_moved_this_phase", f"{creature} has changed its place in this phase", RI_MOVE1_8.id
    )
