"""Use Swift abilities: they resolve before everything else of the phase, for everybody.

They are simple: no attack rolls, nothing interrupted. Where several groups of players fight, or the GM does,
they are committed before any die is thrown; one group of players alone declares them in its turns, and the
others' dice wait for it. Committing or declaring, the action is paid as printed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from service.rules.kernel.messages import Awaited, Emits, Event, Offer, Refused
from service.rules.kernel.records import changed, record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.rise import books
from service.rules.rise.acting.actions import Pay, check_pay, pay_for
from service.rules.rise.acting.offering import on_turn, sender
from service.rules.rise.acting.swift_abilities import UNIVERSAL, swift_ability
from service.rules.rise.acting.turns import begun, lapse, taking_turn, turns, wrong_step
from service.rules.rise.attacks.areas import check_named, whom
from service.rules.rise.attacks.assault import AssaultBegun
from service.rules.rise.attacks.uses import Assault
from service.rules.rise.creatures.creature import Creature, obeys
from service.rules.rise.creatures.sheet import Ability
from service.rules.rise.permission import Act, able, in_phase, is_allowed
from service.rules.rise.space.sight import targets_of
from service.rules.rise.state import State
from service.rules.rolls.chance import Chance
from service.rules.table.stack import Frame

RI_SWIFT_4: Final = Rule(
    "RI-SWIFT-4",
    "Being Swift changes when an ability resolves, not what it costs.",
    (books.TIME.at("Swift Abilities"), books.ABILITIES.at("Recover")),
)
RI_SWIFT_3: Final = Rule(
    "RI-SWIFT-3",
    "Swift abilities are declared in the user's turn, unless the group had to commit to them beforehand.",
    books.TIME.at("Swift Abilities"),
    settles=("C-01",),
)
RI_SWIFT_5: Final = Rule(
    "RI-SWIFT-5",
    "Spend the standard action on total defense: it protects against the attacks of this phase already.",
    books.TIME.at("Swift Abilities"),
    settles=("C-28",),
)


@record
class SwiftFrame(Frame[State]):
    """A group that commits to its Swift abilities before anybody rolls."""

    kind: ClassVar[str] = "rise_swift"

    def waiting(self, state: State) -> tuple[Awaited, ...]:
        members = [
            name
            for name in state.groups[state.here]
            if obeys(state.creatures[name]) and not state.creatures[name].budget.unswift
        ]
        return tuple(
            [
                Awaited(
                    prompt=f"{self.path}/{name}",
                    seat=state.controller(name),
                    accepts=("commit_swift", "sustain", "maintain_grapple", "no_more_swift"),
                    creature=name,
                    optional=len(members) > 1,
                )
                for name in members
            ]
        )

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        for name in state.groups[state.here]:
            state = yield from lapse(state, name)
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
        kept = (*state.creatures[self.creature].budget.swift, self.ability)
        return state.with_budget(self.creature, swift=kept)


@record
class SwiftDeclined(Event[State]):
    """A creature commits to no more Swift abilities in this phase."""

    type: ClassVar[str] = "swift_declined"
    creature: str

    def evolve(self, state: State) -> State:
        return state.with_budget(self.creature, unswift=True)


@record
class SwiftFollowed(Event[State]):
    """The part of an ability that is not Swift follows what was committed to."""

    type: ClassVar[str] = "swift_followed"
    creature: str
    ability: str

    def evolve(self, state: State) -> State:
        kept = (*state.creatures[self.creature].budget.followed, self.ability)
        return state.with_budget(self.creature, followed=kept)


@record
class RecoverUsed(Event[State]):
    """A creature has recovered and cannot do so again before a rest."""

    type: ClassVar[str] = "recover_used"
    creature: str

    def evolve(self, state: State) -> State:
        return state.with_creature(self.creature, recovered=True)


# --- what they are -----------------------------------------------------------------------------------


@enforces(RI_SWIFT_4)
def check_cost(creature: Creature, ability: Ability) -> None:
    """Refuse a Swift ability that *creature* cannot pay for, or has used since its last rest."""
    if ability.id == "recover" and creature.recovered:
        raise Refused("recover_already_used", f"{creature.id} has recovered since its last rest")
    check_pay(creature, ability.usage, ability.usage, ability.id, repeatable=ability.repeat_same_round)


@enforces(RI_SWIFT_3)
def check_committed(view: State, creature: Creature, ability: str) -> None:
    """Refuse a Swift ability that its group had to commit to beforehand, and did not."""
    if turns(view).precommitted and ability not in creature.budget.swift:
        raise Refused("swift_not_precommitted", f"{creature.id} has not committed to {ability}")


def check_follows(view: State, creature: Creature, ability: str) -> bool:
    """Tell whether the rest of *ability* follows what was committed and paid; refused if it has already."""
    if ability in creature.budget.followed:
        raise Refused("standard_action_spent", f"{creature.id} has used {ability} in this phase", "RI-ACT-2")
    check_committed(view, creature, ability)
    return ability in creature.budget.swift


def used(creature: str, ability: Ability, targets: tuple[str, ...]) -> Assault:
    """Return the use of what is Swift of an ability on its targets."""
    return Assault(
        user=creature,
        what=ability.id,
        targets=targets,
        effects=ability.effects,
        fatigue=ability.cost_fatigue,
    )


# --- commands ----------------------------------------------------------------------------------------


@record
class CommitSwift(Act):
    """Commit a creature to a Swift ability before anybody rolls; its action is paid now."""

    type: ClassVar[str] = "commit_swift"
    ability: str
    targets: tuple[str, ...] = ()
    """On whom; none is the user itself."""

    def check(self, view: State) -> None:
        creature = in_phase(view, self, "action")
        if not isinstance(view.top, SwiftFrame):
            wrong_step(self.creature)
        able(creature)
        ability = swift_ability(view, creature, self.ability)
        if ability is None:
            raise Refused("ability_not_in_profile", f"{self.creature} has no Swift ability {self.ability}")
        if self.ability in creature.budget.swift or creature.budget.unswift:
            raise Refused("already_sealed", f"{self.creature} is committed already", "RI-INFO-2")
        check_cost(creature, ability)
        check_named(ability, self.targets)
        for target in targets_of(view, creature, self.targets, ability.range_ft):
            if self.ability in UNIVERSAL and target.id != creature.id:
                raise Refused("invalid_target", f"{self.ability} is not for {target.id}", "RI-ATK-1")

    def decide(self, state: State) -> Emits[State]:
        ability = swift_ability(state, state.creatures[self.creature], self.ability)
        assert ability is not None, "checked on the view"
        state = yield SwiftCommitted(creature=self.creature, ability=self.ability, because=("RI-SWIFT-3",))
        pay: Pay = "minor" if ability.usage == "minor" else "standard"
        state = yield from pay_for(self.creature, ability.usage, pay, ability.id)
        if self.ability == "recover":
            state = yield RecoverUsed(creature=self.creature, because=("RI-UNIV-RECOVER",))
        assault = used(self.creature, ability, whom(state, self.creature, ability, self.targets))
        return (yield AssaultBegun(assault=assault, because=("RI-SWIFT-1",)))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        command = cls(by=sender(view, awaited), creature=awaited.creature or "", ability="")
        everybody, owned = [(n,) for n in view.creatures], view.creatures[command.creature].sheet.abilities
        aims = [(each.id, everybody if each.area is None else [()]) for each in owned]
        for id_, targets in (*[(each, [()]) for each in UNIVERSAL], *aims):
            named = [changed(command, ability=id_, targets=each) for each in targets]
            if found := tuple([each.targets for each in named if is_allowed(each.check, view)]):
                choices = {"ability": (id_,), "targets": found}
                yield Offer(type=cls.type, creature=command.creature, choices=choices)


@record
class NoMoreSwift(Act):
    """Say that a creature commits to no more Swift abilities."""

    type: ClassVar[str] = "no_more_swift"

    def check(self, view: State) -> None:
        creature = in_phase(view, self, "action")
        if not isinstance(view.top, SwiftFrame):
            wrong_step(self.creature)
        if creature.budget.unswift:
            raise Refused("already_sealed", f"{self.creature} has said so", "RI-INFO-2")

    def decide(self, state: State) -> Emits[State]:
        return (yield SwiftDeclined(creature=self.creature, because=("RI-SWIFT-3",)))

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
        self.check_use(view, taking_turn(view, self))

    def check_use(self, view: State, creature: Creature) -> None:
        """Refuse what *creature* cannot pay for, or has not committed to where it had to."""
        check_cost(creature, self.ability(view))
        check_committed(view, creature, self.type)

    def decide(self, state: State) -> Emits[State]:
        state = yield from begun(state, self.creature)
        state = yield from pay_for(self.creature, "standard", "standard", self.type)
        if self.type == "recover":
            state = yield RecoverUsed(creature=self.creature, because=("RI-UNIV-RECOVER",))
        assault = used(self.creature, self.ability(state), (self.creature,))
        return (yield AssaultBegun(assault=assault, because=self.because()))

    def because(self) -> tuple[str, ...]:
        """Return the rules that this use stands on."""
        raise NotImplementedError

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        command = cls(by=sender(view, awaited), creature=awaited.creature or "")
        user = on_turn(view, command)
        if user is not None and is_allowed(command.check_use, view, user):
            yield Offer(type=cls.type, creature=user.id)


@enforces(RI_SWIFT_5)
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
