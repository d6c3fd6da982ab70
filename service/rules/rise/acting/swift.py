"""Use Swift abilities: they resolve before everything else of the phase, for everybody."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from service.rules.kernel.messages import Awaited, Emits, Event, Offer, Refused
from service.rules.kernel.records import changed, record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.kernel.values import AbilityId, CreatureId
from service.rules.rise import books
from service.rules.rise.acting.combat_time import Pay, check_pay, pay_for
from service.rules.rise.acting.turns import begun, lapse, on_turn, sender, taking_turn, turns, wrong_step
from service.rules.rise.attacks.making_attacks import AssaultBegun
from service.rules.rise.creatures.combat_statistics import dr_max
from service.rules.rise.creatures.creature import RECOVERS, Creature, obeys
from service.rules.rise.creatures.permission import Act, able, in_phase, is_allowed
from service.rules.rise.creatures.sheet import Ability, Effect, Until
from service.rules.rise.creatures.state import State
from service.rules.rise.sight.obstacles_and_targets import Assault, check_named, whom
from service.rules.rise.sight.vision_and_lines import targets_of
from service.rules.rolls.chance import Chance
from service.rules.table.stack import Frame, FrameDone

# --- Swift abilities -----------------------------------------------------------------------------------

RI_UNIV_TOTALDEF: Final = Rule(
    "RI-UNIV-TOTALDEF",
    "Total defense adds 2 to all defenses for the round, already against the attacks of the same phase.",
    (books.TIME.at("Swift Abilities"), books.ABILITIES.at("Total Defense")),
    settles=("C-28",),
)
RI_UNIV_RECOVER: Final = Rule(
    "RI-UNIV-RECOVER",
    "Recovering removes all conditions, restores damage resistance, and heals half the hit points.",
    books.ABILITIES.at("Recover"),
)
RI_SWIFT_6: Final = Rule(
    "RI-SWIFT-6",
    "If only part of an ability is Swift, that part alone comes early, whatever happens to the rest.",
    books.TIME.at("Swift Abilities"),
    settles=("C-29",),
)
RI_SWIFT_2: Final = Rule(
    "RI-SWIFT-2",
    "Swift abilities hurt nobody and make no attack rolls, except to set a number to beat.",
    books.TIME.at("Swift Abilities"),
    settles=("C-46",),
)

RECKLESS: Final = "reckless_attack"

UNIVERSAL: Final = ("total_defense", "recover", RECKLESS)


@enforces(RI_UNIV_TOTALDEF)
def total_defense(state: State) -> tuple[Effect, ...]:
    """Return the effects of total defense."""
    until: Until = "round" if state.house.total_defense_lasts == "round" else "phase"
    return (
        Effect(does="gain", condition="total_defense", modifiers={"defenses": 2}, until=until, swift=True),
    )


@enforces(RI_UNIV_RECOVER)
def recover(creature: Creature) -> tuple[Effect, ...]:
    """Return the effects of recovering."""
    unseen = "hp_max" in creature.gm_only or "dr_max" in creature.gm_only
    return (
        Effect(does="lose", condition="*", swift=True),
        Effect(does="heal_dr", amount=RECOVERS if unseen else dr_max(creature), swift=True),
        Effect(does="heal_hp", amount=RECOVERS if unseen else creature.sheet.hp_max // 2, swift=True),
    )


@enforces(RI_SWIFT_6)
def early(ability: Ability) -> tuple[Effect, ...]:
    """Return the effects of *ability* that come early."""
    if "swift" in ability.tags:
        return tuple([changed(effect, swift=True) for effect in ability.effects])
    return tuple([effect for effect in ability.effects if effect.swift])


def reckless(state: State, creature: Creature) -> tuple[Effect, ...]:
    """Return what a reckless attack does early: as its sheet says, or as the house does."""
    own = next((early(a) for a in creature.sheet.abilities if a.id == RECKLESS), ())
    lowered = "defenses" if state.house.reckless_lowers == "all" else "armor"
    return own or (
        Effect(does="gain", condition=RECKLESS, modifiers={lowered: -2}, until="phase", swift=True),
    )


def swift_ability(state: State, creature: Creature, id_: str) -> Ability | None:
    """Return what is Swift of an ability of *creature*, universal or its own."""
    if id_ == "total_defense":
        return Ability(id=id_, tags=("swift",), effects=total_defense(state))
    if id_ == "recover":
        return Ability(id=id_, tags=("swift",), effects=recover(creature), cost_fatigue=2)
    if id_ == RECKLESS:
        return Ability(id=id_, tags=("swift",), effects=reckless(state, creature))
    own = next((a for a in creature.sheet.abilities if a.id == id_ and early(a)), None)
    return changed(own, effects=early(own)) if own is not None else None


@enforces(RI_SWIFT_2)
def is_simple(ability: Ability) -> bool:
    """Return whether the Swift part of *ability* deals no damage and rolls no attack."""
    if any(effect.does == "damage" for effect in early(ability)):
        return False
    if "swift" not in ability.tags:
        return ability.strike is None or all(effect.to == "self" for effect in early(ability))
    return ability.strike is None or "swift_roll_ok" in ability.tags


# --- using them ----------------------------------------------------------------------------------------
# They resolve before everything else of the phase, for everybody. They are simple: no attack rolls, nothing
# interrupted. Where several groups of players fight, or the GM does, they are committed before any die is
# thrown; one group of players alone declares them in its turns, and the others' dice wait for it. Committing
# or declaring, the action is paid as printed.

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
class SwiftClosed(FrameDone[State]):
    """The group has committed to all the Swift abilities it uses in this phase."""

    type: ClassVar[str] = "swift_closed"


@record
class SwiftCommitted(Event[State]):
    """A creature is bound to use a Swift ability in this phase."""

    type: ClassVar[str] = "swift_committed"
    creature: CreatureId
    ability: AbilityId

    def evolve(self, state: State) -> State:
        kept = (*state.creatures[self.creature].budget.swift, self.ability)
        return state.with_budget(self.creature, swift=kept)


@record
class SwiftDeclined(Event[State]):
    """A creature commits to no more Swift abilities in this phase."""

    type: ClassVar[str] = "swift_declined"
    creature: CreatureId

    def evolve(self, state: State) -> State:
        return state.with_budget(self.creature, unswift=True)


@record
class SwiftFollowed(Event[State]):
    """The part of an ability that is not Swift follows what was committed to."""

    type: ClassVar[str] = "swift_followed"
    creature: CreatureId
    ability: AbilityId

    def evolve(self, state: State) -> State:
        kept = (*state.creatures[self.creature].budget.followed, self.ability)
        return state.with_budget(self.creature, followed=kept)


@record
class RecoverUsed(Event[State]):
    """A creature has recovered and cannot do so again before a rest."""

    type: ClassVar[str] = "recover_used"
    creature: CreatureId

    def evolve(self, state: State) -> State:
        return state.with_creature(self.creature, recovered=True)


# --- what they are -----------------------------------------------------------------------------------


@enforces(RI_SWIFT_4)
def check_cost(creature: Creature, ability: Ability) -> None:
    """Refuse a Swift ability that *creature* cannot pay for, or has used since its last rest."""
    if ability.id == "recover" and creature.recovered:
        raise Refused(
            "recover_already_used", f"{creature.id} has recovered since its last rest", RI_SWIFT_4.id
        )
    check_pay(creature, ability.usage, ability.usage, ability.id, repeatable=ability.repeat_same_round)


@enforces(RI_SWIFT_3)
def check_committed(view: State, creature: Creature, ability: str) -> None:
    """Refuse a Swift ability that its group had to commit to beforehand, and did not."""
    if turns(view).precommitted and ability not in creature.budget.swift:
        raise Refused(
            "swift_not_precommitted", f"{creature.id} has not committed to {ability}", RI_SWIFT_3.id
        )


def check_follows(view: State, creature: Creature, ability: str) -> bool:
    """Return whether the rest of *ability* follows what was committed and paid; refused if it has already."""
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
    sentence: ClassVar[str] = "Commit to {ability}[ on {targets}]"
    ability: AbilityId
    targets: tuple[CreatureId, ...] = ()
    """On whom; none is the user itself."""

    def check(self, view: State) -> None:
        creature, ability = self.check_use(view)
        self.check_targets(view, creature, ability)

    def check_targets(self, view: State, creature: Creature, ability: Ability) -> None:
        """Refuse targets that *creature* cannot use *ability* on."""
        check_named(ability, self.targets)
        for target in targets_of(view, creature, self.targets, ability.range_ft):
            if self.ability in UNIVERSAL and target.id != creature.id:
                raise Refused("invalid_target", f"{self.ability} is not for {target.id}", "RI-ATK-1")

    def check_use(self, view: State) -> tuple[Creature, Ability]:
        """Return the user and what is Swift of its ability; refused whatever the targets are."""
        creature = in_phase(view, self, "action")
        if not isinstance(view.top, SwiftFrame):
            wrong_step(self.creature, late=True)
        able(creature)
        ability = swift_ability(view, creature, self.ability)
        if ability is None:
            raise Refused("ability_not_in_profile", f"{self.creature} has no Swift ability {self.ability}")
        if self.ability in creature.budget.swift or creature.budget.unswift:
            raise Refused("already_sealed", f"{self.creature} is committed already", "RI-INFO-2")
        check_cost(creature, ability)
        return creature, ability

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
            wanted = changed(command, ability=id_)
            if not is_allowed(wanted.check_use, view):
                continue
            use = wanted.check_use(view)
            named = [changed(wanted, targets=each) for each in targets]
            if found := tuple([each.targets for each in named if is_allowed(each.check_targets, view, *use)]):
                choices = {"ability": (id_,), "targets": found}
                yield Offer(type=cls.type, creature=command.creature, choices=choices)


@record
class NoMoreSwift(Act):
    """Say that a creature commits to no more Swift abilities."""

    type: ClassVar[str] = "no_more_swift"
    sentence: ClassVar[str] = "Commit to no more Swift abilities"
    passes: ClassVar[bool] = True

    def check(self, view: State) -> None:
        creature = in_phase(view, self, "action")
        if not isinstance(view.top, SwiftFrame):
            wrong_step(self.creature, late=True)
        if creature.budget.unswift:
            raise Refused(
                "already_sealed",
                f"{self.creature} has said already that it uses no more Swift abilities",
                "RI-INFO-2",
            )

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
    sentence: ClassVar[str] = "Defend with all you have"

    def because(self) -> tuple[str, ...]:
        return ("RI-SWIFT-5", "RI-SWIFT-1")


@record
class Recover(_SwiftAct):
    """Spend the standard action to throw off conditions and regain damage resistance and hit points."""

    type: ClassVar[str] = "recover"
    sentence: ClassVar[str] = "Recover"

    def because(self) -> tuple[str, ...]:
        return ("RI-UNIV-RECOVER", "RI-SWIFT-1")
