"""Strike with weapons: plain, after a charge, or recklessly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from service.rules.grid import Cell
from service.rules.messages import Emits, Offer, Refused
from service.rules.records import changed, record
from service.rules.rise.acting.actions import check_pay, check_standard, pay_for
from service.rules.rise.acting.swift import RECKLESS, SwiftFollowed, check_follows, reckless
from service.rules.rise.acting.turns import begun, offered, sender, taking_turn
from service.rules.rise.attacks.assault import AssaultBegun
from service.rules.rise.attacks.uses import Assault
from service.rules.rise.creatures.creature import Creature
from service.rules.rise.creatures.sheet import Effect, Weapon
from service.rules.rise.harm.effects import note_place
from service.rules.rise.permission import Act
from service.rules.rise.space.lines import feet_offered, straight
from service.rules.rise.space.pace import budget_of
from service.rules.rise.space.paths import check_free, check_path
from service.rules.rise.space.riding import JOLTED, jolted
from service.rules.rise.space.sight import check_reach
from service.rules.rise.state import State
from service.rules.rulebook import rule
from service.rules.stack import Awaited


@record
class StrikeAct(Act):
    """A command that ends in a strike with one of the creature's weapons."""

    abstract: ClassVar[bool] = True
    target: str
    weapon: str | None = None
    """Null takes the first on the sheet."""
    subdual: bool = False
    """Whether to strike to subdue, at half damage."""
    willing: bool = False
    """Whether the target, of the same group, lowers its defenses."""
    thrown: bool = False
    """Whether the weapon is thrown."""

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        by, name = sender(view, awaited), awaited.creature or ""
        for weapon in view.creatures[name].sheet.weapons:
            for target in view.creatures:
                plain: Mapping[str, Any] = {"target": target, "weapon": weapon.id}
                friend = view.group_of(target) == view.group_of(name)
                for way in ({}, {"thrown": True}, *(({"willing": True},) if friend else ())):
                    given = {**plain, **way}
                    for offer in offered(cls(by=by, creature=name, **given), view, **given):
                        yield changed(offer, choices={"subdual": (False, True)})


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
    if view.house.attack_the_felled == "refused" and (found.dead or found.defeated):
        raise Refused("invalid_target", f"{name} is felled already", "RI-ATK-12")
    if willing and view.group_of(name) != view.group_of(user.id):
        raise Refused("invalid_target", f"{name} is not willing", "RI-ATK-10")
    return found


@rule("RI-ATK-8", "BK 5.8, R4/R5")
def circumstances(view: State, user: Creature, target: Creature, weapon: Weapon) -> Mapping[str, int]:
    """A strike has its weapon's numbers; projectiles suffer 4 against neighbours, 4 beyond close range."""
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


def check_strike(view: State, command: StrikeAct, user: Creature) -> None:
    """Refuse a strike that does not reach its target."""
    weapon = wielded(view, user, command)
    target = target_of(view, user, command.target, willing=command.willing)
    reach = weapon.close_ft if weapon.melee else weapon.long_ft
    check_reach(view, user, target, reach, touching=weapon.melee and reach <= 5)


@rule("RI-RES-4", "P25")
@record
class Strike(StrikeAct):
    """Strike somebody; what enemies do in this phase does not interrupt it, nor is it known yet."""

    type: ClassVar[str] = "strike"
    pay: str = "standard"

    def check(self, view: State) -> None:
        creature = taking_turn(view, self)
        check_pay(creature, "standard", self.pay, self.type)
        check_strike(view, self, creature)

    def decide(self, state: State) -> Emits[State]:
        state = yield from begun(state, self.creature)
        state = yield from pay_for(self.creature, "standard", "standard", self.type)
        return (yield AssaultBegun(assault=strike_with(state, self, self.type), because=("RI-ATK-8",)))


@rule("RI-UNIV-RECKLESS", "S1 P33", settles=("C-29",))
@record
class RecklessAttack(StrikeAct):
    """A strike with the usual timing, for which the striker's defenses drop before this phase's attacks."""

    type: ClassVar[str] = RECKLESS

    def check(self, view: State) -> None:
        creature = taking_turn(view, self)
        if not check_follows(view, creature, self.type):
            check_standard(creature)
        check_strike(view, self, creature)

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


@rule("RI-UNIV-CHARGE", "R4/R5", settles=("C-04",))
@record
class Charge(StrikeAct):
    """Move in a straight line up to speed and strike; 2 less on all defenses follow, after this phase."""

    type: ClassVar[str] = "charge"
    path: tuple[tuple[int, int], ...] = ()

    def check(self, view: State) -> None:
        creature = taking_turn(view, self)
        check_standard(creature)
        if creature.location_changed:
            moved_already(view, creature.id)
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
        by, creature = sender(view, awaited), view.creatures[awaited.creature or ""]
        free = creature.budget.standard == "unused"
        weapons = [weapon for weapon in creature.sheet.weapons if weapon.melee and free]
        for path in straight(view, creature, feet_offered(view, creature) if weapons else 0):
            there = changed(creature, position=path[-1])
            for weapon in weapons:
                for target in view.creatures.values():
                    if target.id == creature.id or view.distance(there, target) > max(10, weapon.close_ft):
                        continue
                    given: Mapping[str, Any] = {"target": target.id, "weapon": weapon.id, "path": path}
                    yield from offered(cls(by=by, creature=creature.id, **given), view, **given)


def check_straight(creature: Creature, path: tuple[Cell, ...]) -> None:
    """Refuse a path that is not one straight line."""
    at, steps = creature.position, []
    for cell in path:
        steps.append((cell[0] - at[0], cell[1] - at[1]))
        at = cell
    if not path or any(step != steps[0] for step in steps):
        raise Refused("path_not_straight", f"{creature.id} charges in a straight line", "RI-UNIV-CHARGE")


@rule("RI-MOVE1-8", "service ruling", settles=("C-18",))
def moved_already(view: State, creature: str) -> None:
    """What could only move its user is refused, at no cost, where the user has moved in this phase."""
    if view.house.second_move == "wasted":
        return
    raise Refused("already_moved_this_phase", f"{creature} has changed its place in this phase")
