"""Let the world hurt: hazards and traps against a save, and want of air."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from service.dice.values import Roll
from service.rules.heartrush import books
from service.rules.heartrush.body.actions import AbilityUsed, Exertion, StrainFrame, is_airless, stream_of
from service.rules.heartrush.body.conditions import ConditionLost, gain
from service.rules.heartrush.body.damage import hurt
from service.rules.heartrush.body.operations import (
    MOST,
    Effect,
    EffectsBegun,
    EffectsFrame,
    OnCreature,
    amount_fault,
    faults,
    misused,
    no_such,
)
from service.rules.heartrush.body.permission import gm, taking_action, what_waits
from service.rules.heartrush.creatures.sheet import Ability, DieSize
from service.rules.heartrush.creatures.size_and_bonds import is_submerged, waters
from service.rules.heartrush.creatures.state import Creature, State
from service.rules.heartrush.effects.effects import Damage
from service.rules.heartrush.moving.falling import struck
from service.rules.heartrush.rolling.checks import (
    Against,
    CheckAsked,
    Checking,
    CheckResult,
    Leaning,
)
from service.rules.heartrush.rolling.rolls import challenge_number
from service.rules.heartrush.values import (
    BreathId,
    Cause,
    ChallengeNumber,
    ComesFrom,
    IsSave,
    Matter,
    TrialId,
)
from service.rules.kernel.messages import Awaited, Command, Emits, Event, Offer, Refused
from service.rules.kernel.records import record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.kernel.values import (
    Causes,
    Count,
    CreatureId,
    DamagePoints,
    Levels,
    Round,
    StepId,
    Succeeded,
)
from service.rules.rolls.chance import Chance, PoolDie
from service.rules.table.stack import opened_by

# --- effects that a check decides ----------------------------------------------------------------------
# Hazards, stunts, whatever the GM makes of a moment.


@record
class DeclaredTrial:
    """The effects that a check or save decides between, and whose doing they are."""

    success: tuple[Effect, ...]
    """The effects of a success."""
    failure: tuple[Effect, ...]
    """The effects of a failure."""
    source: ComesFrom | None
    cause: Cause


@record
class TrialFrame(DeclaredTrial, Checking):
    """A check or save under way, and the effects that wait for what it comes to."""

    kind: ClassVar[str] = "trial"
    rules: Causes
    checked: CheckResult = None

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        assert self.checked is not None, "the check above it comes first"
        follows = self.success if self.checked.success else self.failure
        state = yield TrialDecided(trial=self.path, success=self.checked.success, because=self.rules)
        if not follows:
            return state
        return (
            yield EffectsBegun(
                effects=self.path, order=follows, source=self.source, cause=self.cause, because=self.rules
            )
        )


@record
class TrialBegun(DeclaredTrial, Event[State]):
    """What follows depends on a check or a save."""

    type: ClassVar[str] = "trial_begun"
    trial: TrialId

    def evolve(self, state: State) -> State:
        return state.pushed(opened_by(self, TrialFrame, self.trial, rules=self.because))


@record
class TrialDecided(Event[State]):
    """The check or save is made: one of the two lists of effects follows."""

    type: ClassVar[str] = "trial_decided"
    trial: TrialId
    success: Succeeded

    def evolve(self, state: State) -> State:
        return state.popped(self.trial)


@record
class Trial(OnCreature):
    """Have a creature make a check or a save; other effects follow from its success or its failure."""

    kind: ClassVar[str] = "check"
    ability: Ability
    what: Matter
    cn: ChallengeNumber | None = None
    against: Against | None = None
    """Whose challenge number counts; null for none."""
    save: IsSave = False
    advantage: Levels = 0
    """The levels of advantage; below zero, of disadvantage."""
    success: tuple[Effect, ...] = ()
    """The effects of a success."""
    failure: tuple[Effect, ...] = ()
    """The effects of a failure."""

    def misused(self, *, caused: bool) -> str | None:
        return misused((*self.success, *self.failure), caused=caused)

    def fault(self, view: State) -> str | None:
        if (self.cn is None) == (self.against is None) or not 0 <= (self.cn or 0) <= MOST:
            return "a number of 0 or more, or whose number it is"
        if self.against is not None and self.against.creature not in view.creatures:
            return f"there is no creature {self.against.creature}"
        return no_such(view, self.creature) or faults(view, self.success, self.failure)

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        if no_such(state, self.creature):
            return state
        against = self.against
        cn = self.cn if against is None else challenge_number(state.creatures[against.creature], against.by)
        path = frame.path_of("trial")
        state = yield TrialBegun(
            trial=path,
            success=self.success,
            failure=self.failure,
            source=frame.source,
            cause=frame.cause,
            because=frame.rules,
        )
        leaning = Leaning(levels=self.advantage, what=frame.cause, rule=frame.rules[0])
        return (
            yield CheckAsked(
                check=f"{path}/check",
                creature=self.creature,
                ability=self.ability,
                cn=cn,
                what=self.what,
                save=self.save,
                leanings=(leaning,) if leaning.levels else (),
                because=("HR-GEN-5", *frame.rules),
            )
        )


# --- hazards and traps ---------------------------------------------------------------------------------

HR_ENV_9: Final = Rule(
    "HR-ENV-9",
    "Hazards and traps ask for a saving throw; a failure takes the damage the GM sets.",
    books.BASICS.at("Hazards & Traps"),
    settles=("A-56",),
)
MOST_CN: Final = 200


@enforces(HR_ENV_9)
@record
class Hazard(Command[State]):
    """Let a hazard or trap strike a creature, as the GM: a saving throw, or the damage."""

    type: ClassVar[str] = "hazard"
    sentence: ClassVar[str] = "Let a hazard strike[ {creature}]"
    creature: CreatureId
    what: Matter
    ability: Ability
    cn: ChallengeNumber
    damage: DamagePoints = 0
    dice: tuple[DieSize, ...] = ()
    """The dice, each as its number of sides."""

    def check(self, view: State) -> None:
        struck(view, self)
        fault = amount_fault(self.damage, self.dice)
        if fault or self.cn > MOST_CN or not self.what:
            raise Refused(
                "params_missing",
                fault or f"a number to {MOST_CN}, and a few words of what it is",
                HR_ENV_9.id,
            )

    def decide(self, state: State) -> Emits[State]:
        harm = Damage(creature=self.creature, amount=self.damage, dice=self.dice, cause="hazard")
        trial = Trial(
            creature=self.creature,
            ability=self.ability,
            what=self.what,
            cn=self.cn,
            save=True,
            failure=(harm,),
        )
        return (
            yield EffectsBegun(
                effects=state.numbered("hazard"),
                order=(trial,),
                source=None,
                cause="hazard",
            )
        )


# --- breath --------------------------------------------------------------------------------------------
# Whatever uses an ability while holding its breath, or without any, leaves an exertion on the stack
# (`actions.py`); its cost is emitted here, when what it was used for is over.

HR_BREATH_1: Final = Rule(
    "HR-BREATH-1",
    "A might check gives rounds of air. Each round, each action and each move uses one.",
    books.BASICS.at("Suffocation and Strangulation"),
    settles=("A-57",),
)
HR_BREATH_2: Final = Rule(
    "HR-BREATH-2",
    "Out of air, or cut off from it, a creature suffocates until it breathes.",
    books.BASICS.at("Suffocation and Strangulation"),
)
HR_COND_10: Final = Rule(
    "HR-COND-10",
    "A suffocating creature takes 1d6 at the end of each round, and on every move and action.",
    books.CONDITIONS.at("Suffocating"),
)


BECAUSE: Final = ("HR-BREATH-1", "A-57")
STIFLED: Final = ("HR-COND-10",)


# --- holding it ----------------------------------------------------------------------------------------


@record
class BreathFrame(Checking):
    """A creature draws breath for as long as its might check gives."""

    kind: ClassVar[str] = "breath"
    creature: CreatureId
    checked: CheckResult = None

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        assert self.checked is not None, "the check above it comes first"
        rounds = 0 if self.checked.failed_outright else max(0, self.checked.total)  # a penalty may be larger
        state = yield BreathHeld(breath=self.path, creature=self.creature, rounds=rounds, because=BECAUSE)
        return state if rounds else (yield from out_of_breath(state, self.creature))


@record
class BreathAsked(Event[State]):
    """A creature is about to hold its breath."""

    type: ClassVar[str] = "breath_asked"
    breath: BreathId
    creature: CreatureId

    def evolve(self, state: State) -> State:
        return state.pushed(BreathFrame(path=self.breath, creature=self.creature))


@record
class BreathHeld(Event[State]):
    """A creature holds its breath, and has air for so many rounds."""

    type: ClassVar[str] = "breath_held"
    breath: BreathId
    creature: CreatureId
    rounds: Round
    """How many rounds of air it has."""

    def evolve(self, state: State) -> State:
        return state.popped(self.breath).with_creature(self.creature, breath=self.rounds)


@record
class BreathSpent(Event[State]):
    """A round of air is gone."""

    type: ClassVar[str] = "breath_spent"
    creature: CreatureId
    left: Count
    """How many are left."""

    def evolve(self, state: State) -> State:
        return state.with_creature(self.creature, breath=self.left)


@record
class Breathed(Event[State]):
    """A creature breathes again."""

    type: ClassVar[str] = "breathed"
    creature: CreatureId

    def evolve(self, state: State) -> State:
        return state.with_creature(self.creature, breath=None)


@enforces(HR_BREATH_1)
@record
class HoldBreath(Command[State]):
    """Hold the breath of a creature: a might check gives rounds of air.

    Each round, each action and each move uses one. In deep water a creature may hold its breath by itself.
    Elsewhere the GM says that something there cannot be breathed.
    """

    type: ClassVar[str] = "hold_breath"
    sentence: ClassVar[str] = "Hold your breath"
    creature: CreatureId

    def check(self, view: State) -> None:
        creature = breathing(view, self)
        if is_airless(creature):
            raise Refused("breath_held", f"{self.creature} breathes no air already", HR_BREATH_1.id)
        if self.by.role != "gm" and not waters(view, creature):
            raise Refused(
                "gm_approval_required", f"nothing keeps {self.creature} from breathing", HR_BREATH_1.id
            )

    def decide(self, state: State) -> Emits[State]:
        state = yield from use(state, self)
        return (yield from ask_breath(state, self.creature))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        creature = view.creatures[awaited.creature or ""]
        if not is_airless(creature) and waters(view, creature):
            yield Offer(type=cls.type, creature=creature.id)


def ask_breath(state: State, creature: str) -> Emits[State]:
    """Emit that *creature* holds its breath, and the might check that says how long."""
    path = state.numbered(f"breath/{creature}")
    state = yield BreathAsked(breath=path, creature=creature)
    return (
        yield CheckAsked(
            check=f"{path}/check", creature=creature, ability="might", cn=None, what="hold breath"
        )
    )


def breathing(view: State, command: HoldBreath | Breathe) -> Creature:
    """Return the creature whose breath it is: its own seat's ability, or anybody's by the GM's word."""
    if is_ability(view, command):
        return taking_action(view, command, command.creature)
    _choked(command, view)
    top = view.top
    if top is not None and top.kind != "combat":
        raise Refused("no_priority", what_waits(view), "HR-PRIO-1")
    return view.creatures[command.creature]


def is_ability(view: State, command: HoldBreath | Breathe) -> bool:
    """Return whether a creature uses this by itself: the GM's own too, while their side holds priority."""
    if command.by.role != "gm":
        return True
    creature = view.creatures.get(command.creature)
    if creature is None or view.controller(creature.id) != command.by.seat:
        return False
    return view.phase in ("priority", "turn") and view.priority_side in (creature.side, None)


def use(state: State, command: HoldBreath | Breathe) -> Emits[State]:
    """Emit that a creature sees to its breath: an ability that costs nothing; what the GM says is none."""
    if not is_ability(state, command):
        return state
    return (
        yield AbilityUsed(creature=command.creature, ability=command.type, paid="none", because=("HR-GEN-2",))
    )


@record
class Breathe(Command[State]):
    """Breathe again, and suffocate no more: who held its breath above water may, others by the GM's word."""

    type: ClassVar[str] = "breathe"
    sentence: ClassVar[str] = "Breathe again"
    creature: CreatureId

    def check(self, view: State) -> None:
        creature = breathing(view, self)
        if not is_airless(creature):
            raise Refused("breath_not_held", f"{self.creature} breathes", "HR-BREATH-2")
        if self.by.role != "gm" and not may_breathe(view, creature):
            raise Refused("gm_approval_required", f"{self.creature} has no air to breathe", "HR-BREATH-2")

    def decide(self, state: State) -> Emits[State]:
        yield from use(state, self)
        state = yield Breathed(creature=self.creature, because=("HR-BREATH-2",))
        if not state.creatures[self.creature].has("suffocating"):
            return state
        return (
            yield ConditionLost(creature=self.creature, condition="suffocating", because=("HR-BREATH-2",))
        )

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        creature = view.creatures[awaited.creature or ""]
        if may_breathe(view, creature):
            yield Offer(type=cls.type, creature=creature.id)


def may_breathe(view: State, creature: Creature) -> bool:
    """Return whether *creature* held its breath of its own will and has its head above water."""
    return creature.breath is not None and not is_submerged(view, creature)


@record
class CutOff(Command[State]):
    """Cut a creature off from air: strangled, or without warning, it suffocates at once."""

    type: ClassVar[str] = "cut_off"
    sentence: ClassVar[str] = "Cut {creature} off from air"
    creature: CreatureId

    def check(self, view: State) -> None:
        _choked(self, view)

    def decide(self, state: State) -> Emits[State]:
        return (yield from out_of_breath(state, self.creature))


def _choked(command: HoldBreath | Breathe | CutOff, view: State) -> None:
    gm(command)
    if command.creature not in view.creatures:
        raise Refused("no_such_creature", f"there is no creature {command.creature}", "TABLE-SEAT-1")


@enforces(HR_BREATH_2)
def out_of_breath(state: State, creature: str) -> Emits[State]:
    """Emit the condition suffocating for a creature without air; nothing if it has it."""
    if state.creatures[creature].has("suffocating"):
        return state
    return (yield from gain(state, creature, "suffocating", 1))


# --- spending it ---------------------------------------------------------------------------------------


class Airless(Exertion):
    """An exertion takes a round of breath, or hurts a creature that has none."""

    def tell(self, state: State, chance: Chance, frame: StrainFrame) -> Emits[State]:
        creature = state.creatures[frame.creature]
        if not (creature.has("suffocating") and creature.is_present):
            state = yield StrainOver(strain=frame.path, creature=creature.id, because=BECAUSE)
            return (yield from spend_breath(state, creature.id))
        thrown: Roll
        state, thrown = yield from chance.throw(
            state,
            owner=creature.id,
            stream=stream_of(creature.id),
            purpose={"what": "suffocation", "strain": frame.path},
            pool=(PoolDie(role="suffocation", sides=6),),
        )
        state = yield StrainOver(strain=frame.path, creature=creature.id, because=STIFLED)
        return (yield from stifle(state, frame.path, creature.id, thrown.total))


@record
class StrainOver(Event[State]):
    """An exertion without air has had its price."""

    type: ClassVar[str] = "strain_over"
    strain: StepId
    """The id of the strain."""
    creature: CreatureId

    def evolve(self, state: State) -> State:
        return state.popped(self.strain)


@enforces(HR_COND_10)
def stifle(state: State, path: str, creature: str, total: int) -> Emits[State]:
    """Emit the damage of suffocation."""
    return (yield from hurt(state, f"{path}/damage", creature, total, source=None, cause="suffocation"))


def spend_breath(state: State, creature: str) -> Emits[State]:
    """Emit that a round of air is gone, and with the last one the rest."""
    found = state.creatures[creature]
    if found.breath is None or found.has("suffocating"):
        return state
    left = max(0, found.breath - 1)
    state = yield BreathSpent(creature=creature, left=left, because=BECAUSE)
    return state if left else (yield from out_of_breath(state, creature))
