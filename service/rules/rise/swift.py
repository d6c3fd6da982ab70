"""Use Swift abilities: they resolve before everything else of the phase, for everybody.

They are simple: no attack rolls, nothing interrupted. Where several groups of players fight, or the GM does,
they are committed before any die is thrown; one group of players alone declares them in its turns, and the
others' dice wait for it. Committing or declaring, the action is paid as printed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import ClassVar, Final

from service.rules.chance import Chance
from service.rules.messages import Event, Offer, Refused, Tale
from service.rules.records import changed, record
from service.rules.rise.actions import Pay, check_minor, check_standard, pay_for
from service.rules.rise.assault import AssaultBegun
from service.rules.rise.numbers import dr_max
from service.rules.rise.permission import Act, able, in_phase
from service.rules.rise.sheet import Ability, Effect, Until
from service.rules.rise.state import Creature, State, is_able
from service.rules.rise.turns import begun, offered, sender, taking_turn, turns, wrong_step
from service.rules.rise.uses import Assault
from service.rules.rulebook import rule
from service.rules.stack import Awaited, Frame

RECKLESS: Final = "reckless_attack"
UNIVERSAL: Final = ("total_defense", "recover", RECKLESS)


@record
class SwiftFrame(Frame[State]):
    """A group that commits to its Swift abilities before anybody rolls."""

    kind: ClassVar[str] = "rise_swift"

    def waiting(self, state: State) -> tuple[Awaited, ...]:
        members = [n for n in state.groups[state.here] if is_able(state.creatures[n])]
        return tuple(
            [
                Awaited(
                    prompt=f"{self.path}/{name}",
                    seat=state.controller(name),
                    accepts=("commit_swift", "no_more_swift"),
                    creature=name,
                    optional=len(members) > 1,
                )
                for name in members
            ]
        )

    def advance(self, state: State, chance: Chance) -> Tale[State]:
        return (yield SwiftClosed(path=self.path, because=("RI-SWIFT-3",)))


@record
class SwiftClosed(Event[State]):
    """The group has committed to all the Swift abilities it uses in this phase."""

    type: ClassVar[str] = "swift_closed"
    path: str

    def evolve(self, state: State) -> State:
        return state.popped(self.path)


@record
class SwiftCommitted(Event[State]):
    """A creature is bound to use a Swift ability in this phase."""

    type: ClassVar[str] = "swift_committed"
    creature: str
    ability: str

    def evolve(self, state: State) -> State:
        return state.with_budget(self.creature, swift=self.ability)


@record
class RecoverUsed(Event[State]):
    """A creature has recovered and cannot do so again before a rest."""

    type: ClassVar[str] = "recover_used"
    creature: str

    def evolve(self, state: State) -> State:
        return state.with_creature(self.creature, recovered=True)


# --- what they are -----------------------------------------------------------------------------------


@rule("RI-UNIV-TOTALDEF", "S1 P33, R4/R5", settles=("C-28",))
def total_defense(state: State) -> tuple[Effect, ...]:
    """Total defense adds 2 to all defenses for the round, already against the attacks of the same phase."""
    until: Until = "round" if state.option("total_defense_lasts") == "round" else "phase"
    return (
        Effect(does="gain", condition="total_defense", modifiers={"defenses": 2}, until=until, swift=True),
    )


@rule("RI-UNIV-RECOVER", "R4/R5")
def recover(creature: Creature) -> tuple[Effect, ...]:
    """Recovering removes all conditions, restores damage resistance, and heals half the hit points."""
    return (
        Effect(does="lose", condition="*", swift=True),
        Effect(does="heal_dr", amount=dr_max(creature), swift=True),
        Effect(does="heal_hp", amount=creature.sheet.hp_max // 2, swift=True),
    )


@rule("RI-SWIFT-6", "P33", settles=("C-29",))
def reckless() -> tuple[Effect, ...]:
    """Where only part of an ability is Swift, that part alone comes early: here the lowered defenses."""
    return (Effect(does="gain", condition=RECKLESS, modifiers={"defenses": -2}, until="phase", swift=True),)


def swift_ability(state: State, creature: Creature, id_: str) -> Ability | None:
    """Return a Swift ability of *creature*, universal or its own."""
    made: Mapping[str, tuple[Effect, ...]] = MappingProxyType(
        {"total_defense": total_defense(state), "recover": recover(creature), RECKLESS: reckless()}
    )
    if id_ in made:
        fatigue = 2 if id_ == "recover" else 0
        return Ability(id=id_, tags=("swift",), effects=made[id_], cost_fatigue=fatigue)
    own = next((a for a in creature.sheet.abilities if a.id == id_ and "swift" in a.tags), None)
    if own is None:
        return None
    return changed(own, effects=tuple([changed(effect, swift=True) for effect in own.effects]))


@rule("RI-SWIFT-2", "P32", settles=("C-46",))
def is_simple(ability: Ability) -> bool:
    """Swift abilities make no attack rolls, except to set a number that others have to beat."""
    return "swift" not in ability.tags or ability.strike is None or "swift_roll_ok" in ability.tags


@rule("RI-SWIFT-4", "P32-33, R4")
def check_cost(creature: Creature, ability: Ability) -> None:
    """Being Swift changes when an ability resolves, not what it costs."""
    if ability.id == "recover" and creature.recovered:
        raise Refused("recover_already_used", f"{creature.id} has recovered since its last rest")
    if ability.usage == "standard":
        check_standard(creature)
    elif ability.usage == "minor":
        check_minor(creature)


@rule("RI-SWIFT-3", "P32", settles=("C-01",))
def check_committed(view: State, creature: Creature, ability: str) -> None:
    """Swift abilities are declared in the user's turn, unless the group had to commit to them beforehand."""
    if turns(view).precommitted and creature.budget.swift != ability:
        raise Refused("swift_not_precommitted", f"{creature.id} has not committed to {ability}")


def used(creature: str, ability: Ability) -> Assault:
    """Return the use of a Swift ability on its user."""
    return Assault(
        user=creature,
        what=ability.id,
        targets=(creature,),
        effects=ability.effects,
        fatigue=ability.cost_fatigue,
    )


# --- commands ----------------------------------------------------------------------------------------


@record
class CommitSwift(Act):
    """Commit a creature to a Swift ability before anybody rolls; its action is paid now."""

    type: ClassVar[str] = "commit_swift"
    ability: str

    def check(self, view: State) -> None:
        creature = in_phase(view, self, "action")
        if not isinstance(view.top, SwiftFrame):
            wrong_step(self.creature)
        able(creature)
        ability = swift_ability(view, creature, self.ability)
        if ability is None:
            raise Refused("ability_not_in_profile", f"{self.creature} has no Swift ability {self.ability}")
        if creature.budget.swift is not None:
            raise Refused("already_sealed", f"{self.creature} is committed already", "RI-INFO-2")
        check_cost(creature, ability)

    def decide(self, state: State) -> Tale[State]:
        ability = swift_ability(state, state.creatures[self.creature], self.ability)
        assert ability is not None, "checked on the view"
        state = yield SwiftCommitted(creature=self.creature, ability=self.ability, because=("RI-SWIFT-3",))
        pay: Pay = "minor" if ability.usage == "minor" else "standard"
        state = yield from pay_for(self.creature, ability.usage, pay, ability.id)
        if self.ability == "recover":
            state = yield RecoverUsed(creature=self.creature, because=("RI-UNIV-RECOVER",))
        return (yield AssaultBegun(assault=used(self.creature, ability), because=("RI-SWIFT-1",)))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        creature = view.creatures[awaited.creature or ""]
        own = [ability.id for ability in creature.sheet.abilities if "swift" in ability.tags]
        for ability in (*UNIVERSAL, *own):
            command = cls(by=sender(view, awaited), creature=creature.id, ability=ability)
            yield from offered(command, view, ability=ability)


@record
class NoMoreSwift(Act):
    """Say that the group commits to no more Swift abilities."""

    type: ClassVar[str] = "no_more_swift"

    def check(self, view: State) -> None:
        in_phase(view, self, "action")
        if not isinstance(view.top, SwiftFrame):
            wrong_step(self.creature)

    def decide(self, state: State) -> Tale[State]:
        frame = state.top
        assert frame is not None, "checked on the view"
        return (yield SwiftClosed(path=frame.path, because=("RI-SWIFT-3",)))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        yield Offer(type=cls.type, creature=awaited.creature)


@record
class _SwiftAct(Act):
    """A universal Swift ability used in the creature's own turn."""

    abstract: ClassVar[bool] = True

    def ability(self, state: State) -> Ability:
        """Return what is used."""
        found = swift_ability(state, state.creatures[self.creature], self.type)
        assert found is not None, self.type
        return found

    def check(self, view: State) -> None:
        creature = taking_turn(view, self)
        check_cost(creature, self.ability(view))
        check_committed(view, creature, self.type)

    def decide(self, state: State) -> Tale[State]:
        state = yield from begun(state, self.creature)
        state = yield from pay_for(self.creature, "standard", "standard", self.type)
        if self.type == "recover":
            state = yield RecoverUsed(creature=self.creature, because=("RI-UNIV-RECOVER",))
        assault = used(self.creature, self.ability(state))
        return (yield AssaultBegun(assault=assault, because=self.because()))

    def because(self) -> tuple[str, ...]:
        """Return the rules that this use stands on."""
        raise NotImplementedError

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        yield from offered(cls(by=sender(view, awaited), creature=awaited.creature or ""), view)


@rule("RI-SWIFT-5", "P33", settles=("C-28",))
@record
class TotalDefense(_SwiftAct):
    """Spend the standard action on total defense: it protects against the attacks of this phase already."""

    type: ClassVar[str] = "total_defense"

    def because(self) -> tuple[str, ...]:
        return ("RI-SWIFT-5", "RI-SWIFT-1")


@record
class Recover(_SwiftAct):
    """Spend the standard action to throw off conditions and regain damage resistance and hit points."""

    type: ClassVar[str] = "recover"

    def because(self) -> tuple[str, ...]:
        return ("RI-UNIV-RECOVER", "RI-SWIFT-1")
