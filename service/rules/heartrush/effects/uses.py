"""Carry out the use of an ability: what it requires, then one operation after the other."""

from __future__ import annotations

from typing import ClassVar, Final

from service.rules.heartrush import books
from service.rules.heartrush.body.answers import Asking, ChoiceAsked
from service.rules.heartrush.body.operations import (
    Adjudicate,
    Contest,
    Do,
    Effect,
    EffectsBegun,
    Save,
    check_params,
    held_by,
    participants,
    whom,
)
from service.rules.heartrush.body.weapons import wielded
from service.rules.heartrush.creatures.abilities import Ability, Op, Requirement, Spell, Use, is_instant
from service.rules.heartrush.creatures.adjacency import is_adjacent
from service.rules.heartrush.creatures.sheet import Ability as AbilityDie
from service.rules.heartrush.creatures.state import Creature, State, is_able
from service.rules.heartrush.rolling.checks import CheckAsked, Checking, CheckResult, Leaning
from service.rules.heartrush.rolling.opposed_checks import HR_GEN_9, opposed_with
from service.rules.heartrush.rolling.rolls import challenge_number
from service.rules.heartrush.timing.engagement import engagement_open
from service.rules.heartrush.timing.windows import (
    InstantFizzled,
    Interruptible,
    StackItem,
    is_answered,
    moment,
)
from service.rules.heartrush.values import (
    AbilityName,
    CreatureOrParameter,
    DieRole,
    IsInstant,
    OpponentId,
    UseId,
)
from service.rules.kernel.messages import Awaited, Emits, Event, Noted, Refused
from service.rules.kernel.records import changed, record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.kernel.sealed import is_closed
from service.rules.kernel.values import (
    Code,
    Count,
    CreatureId,
    NumberFromOne,
    Reason,
    Succeeded,
    Total,
)
from service.rules.rolls.chance import Chance
from service.rules.space.grid import centre
from service.rules.table.stack import opened_by
from service.rules.table.table import GM

# --- requirements --------------------------------------------------------------------------------------
# A requirement looks at the state, at the moment the use answers, and at what was said; it never changes
# anything.


@record
class Engaged(Requirement[State]):
    """The user is in the open engagement."""

    kind: ClassVar[str] = "engaged"

    def lacking(self, state: State, use: Use) -> str | None:
        return None if use.creature in participants(state) else f"{use.creature} is in no engagement"


@record
class InStance(Requirement[State]):
    """The user has shown one of these stances."""

    kind: ClassVar[str] = "in_stance"
    stances: tuple[Code, ...]
    """The stances that are allowed."""

    def lacking(self, state: State, use: Use) -> str | None:
        frame = engagement_open(state)
        part = frame.participants.get(use.creature) if frame else None
        shown = part.stance if part else None
        if shown is not None and not is_closed(shown) and shown in self.stances:
            return None
        return f"{use.creature} is not in {' or '.join(self.stances)}"


@record
class Plays(Requirement[State]):
    """The moment is about the user in this role: `attacker`, `defender`, `hitter`, `hurt`."""

    kind: ClassVar[str] = "plays"
    role: DieRole

    def lacking(self, state: State, use: Use) -> str | None:
        return None if use.about.get(self.role) == use.creature else f"{use.creature} is not the {self.role}"


@record
class Wields(Requirement[State]):
    """The weapon in hand is of this kind."""

    kind: ClassVar[str] = "wields"
    size_class: Code | None = None
    """The weapon's class: light, heavy and so on."""
    attack_type: Code | None = None
    """Whether it strikes in melee or at range."""

    def lacking(self, state: State, use: Use) -> str | None:
        weapon = wielded(state.creatures[use.creature])
        fits = self.size_class in (None, weapon.size_class) and self.attack_type in (None, weapon.attack_type)
        return None if fits else f"{weapon.id} will not do"


@record
class AtZero(Requirement[State]):
    """Somebody the moment is about is at zero hit points or below."""

    kind: ClassVar[str] = "at_zero"
    who: CreatureOrParameter = "hurt"

    def lacking(self, state: State, use: Use) -> str | None:
        found = whom(state, use, self.who)
        down = any(state.creatures[name].hp <= 0 for name in found)
        return None if down else f"the {self.who} has hit points left"


@record
class NoDamage(Requirement[State]):
    """The attack the moment is about does no damage."""

    kind: ClassVar[str] = "no_damage"

    def lacking(self, state: State, use: Use) -> str | None:
        return None if int(use.about.get("excess", 1)) <= 0 else "the attack gets through"


@record
class Holding(Requirement[State]):
    """The user holds somebody in a grapple."""

    kind: ClassVar[str] = "holding"

    def lacking(self, state: State, use: Use) -> str | None:
        return None if held_by(state, use.creature) else f"{use.creature} holds nobody"


@record
class Behind(Requirement[State]):
    """The creature named stands next to the user, on the side away from the attacker."""

    kind: ClassVar[str] = "behind"
    param: Code
    """The name of the parameter that names the creature."""

    def lacking(self, state: State, use: Use) -> str | None:
        named = use.params.get(self.param)
        if named is None:  # nothing was said yet: somebody only asks whether it could be used at all
            return None
        user, attacker = state.creatures[use.creature], state.creatures[str(use.about["attacker"])]
        target = state.creatures[str(named)]
        here = centre(user.position, user.space)
        front, back = centre(attacker.position, attacker.space), centre(target.position, target.space)
        onward = (here[0] - front[0]) * (back[0] - here[0]) + (here[1] - front[1]) * (back[1] - here[1])
        behind = onward > 0 and is_adjacent(state, user, target)
        return None if behind else f"{named} is not behind {use.creature}"


# --- uses ----------------------------------------------------------------------------------------------
# One operation after the other, contests and rulings included. A use is a frame. An ability that is no
# instant first opens a window in which it may be answered; an instant has had its window. What it does is
# fixed when it is declared; whom it finds is looked up when its turn comes.

HR_CAST_3: Final = Rule(
    "HR-CAST-3",
    "Saves against a spell meet its caster's largest heart die plus twice its paragon level.",
    books.SPELLCASTING,
)


@record
class DeclaredUse:
    """A use of an ability, and what it does."""

    use: Use
    """The use of an ability."""
    ops: tuple[Op[State], ...]
    """The operations of the ability, in order."""
    instant: IsInstant


@record
class UseFrame(DeclaredUse, Interruptible, Checking, Asking):
    """One use of an ability, from its declaration to its end."""

    kind: ClassVar[str] = "use"
    at: Count = 0
    """How many of the operations are done."""
    begun: bool = False
    """Whether its turn has come: from then on it no longer fizzles."""
    checked: CheckResult = None
    mine: Total | None = None
    """What the user's check of a contest came to."""
    won: bool = False
    """Whether its contest was won."""
    saved: tuple[CreatureId, ...] = ()
    """Who has made the save that is asked for."""
    failed: tuple[CreatureId, ...] = ()
    """Who has failed a save against this use."""

    def waiting(self, state: State) -> tuple[Awaited, ...]:
        op = self._op()
        if not self.begun or not isinstance(op, Adjudicate):
            return ()
        return (Awaited(prompt=self.path, seat=GM, accepts=("rule_ability",)),)

    def _op(self) -> Op[State] | None:
        return self.ops[self.at] if self.at < len(self.ops) else None

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        if not self.begun:
            return (yield from self._begin(state))
        op = self._op()
        if op is None:
            return (yield UseResolved(use=self.path, because=("HR-GEN-2",)))
        if isinstance(op, Contest):
            return (yield from contest(state, self, op))
        if isinstance(op, Save):
            return (yield from save(state, self, op))
        state = yield OperationTaken(use=self.path, number=self.at, because=("HR-GEN-2",))
        if isinstance(op, Do) and op.if_won and not self.won:
            return state
        use = changed(self.use, params={**self.use.params, "failed": self.failed})
        return (yield from op.apply(state, chance, use))

    def _begin(self, state: State) -> Emits[State]:
        about: dict[str, str | int] = {"declarer": self.use.creature, "ability": self.use.ability}
        if not self.instant and is_answered(state, self, "ability_declared", about):
            return (yield from moment(self, "ability_declared", about, self.use.creature))
        reason = in_vain(state, self.use)
        if reason is not None:
            return (yield from fizzle(self, reason))
        return (yield UseBegins(use=self.path, because=("HR-GEN-2",)))


LATE: Final = "What does it still do, now that its moment is over?"


@record
class AbilityItem(StackItem):
    """A declared instant ability or spell, with everything that was said."""

    kind: ClassVar[str] = "ability"
    use: Use
    """The use of an ability."""
    late: bool = False
    """Whether its moment is over, so that the GM says what it still does."""

    def resolve(self, state: State, window: str) -> Emits[State]:
        ops = (Adjudicate(question=LATE),) if self.late else state.abilities[self.ability].effects
        return (yield UseDeclared(use=self.use, ops=ops, instant=True, because=("HR-TIME-7", "A-49")))


# --- facts ----------------------------------------------------------------------------------------


@record
class UseDeclared(DeclaredUse, Event[State]):
    """An ability is about to do what it does."""

    type: ClassVar[str] = "use_declared"

    def evolve(self, state: State) -> State:
        return state.pushed(opened_by(self, UseFrame, self.use.path))


@record
class UseBegins(Event[State]):
    """The turn of an ability has come, and it finds what it needs."""

    type: ClassVar[str] = "use_begins"
    use: UseId

    def evolve(self, state: State) -> State:
        return state.with_frame(self.use, UseFrame, begun=True)


@record
class OperationTaken(Event[State]):
    """The next operation of an ability is carried out."""

    type: ClassVar[str] = "operation_taken"
    use: UseId
    number: NumberFromOne

    def evolve(self, state: State) -> State:
        frame = state.frame(self.use, UseFrame)
        return state.put(changed(frame, at=self.number + 1, checked=None, mine=None, saved=()))


@record
class SaveMade(Event[State]):
    """A saving throw against an ability is known."""

    type: ClassVar[str] = "save_made"
    use: UseId
    creature: CreatureId
    success: Succeeded

    def evolve(self, state: State) -> State:
        frame = state.frame(self.use, UseFrame)
        failed = frame.failed if self.success else (*frame.failed, self.creature)
        return state.put(changed(frame, checked=None, saved=(*frame.saved, self.creature), failed=failed))


@record
class ContestHalfKnown(Event[State]):
    """The user's check of a contest is known; the other's comes next."""

    type: ClassVar[str] = "contest_half_known"
    use: UseId
    total: Total

    def evolve(self, state: State) -> State:
        return state.with_frame(self.use, UseFrame, mine=self.total, checked=None)


@record
class ContestDecided(Event[State]):
    """Both checks of a contest are known; ties go against the user."""

    type: ClassVar[str] = "ability_contested"
    use: UseId
    creature: CreatureId
    against: OpponentId
    mine: Total
    """The total of the user."""
    theirs: Total
    """The total of the opponent."""

    def evolve(self, state: State) -> State:
        frame = state.frame(self.use, UseFrame)
        return state.put(
            changed(frame, at=frame.at + 1, checked=None, mine=None, won=self.mine > self.theirs)
        )


@record
class AbilityFizzled(Noted[State]):
    """An ability finds nothing to act on when its turn comes; its cost is kept."""

    type: ClassVar[str] = "ability_fizzled"
    creature: CreatureId
    ability: AbilityName
    reason: Reason


@record
class UseResolved(Event[State]):
    """An ability is over."""

    type: ClassVar[str] = "ability_resolved"
    use: UseId

    def evolve(self, state: State) -> State:
        return state.popped(self.use)


# --- what becomes of it ---------------------------------------------------------------------------


def in_vain(state: State, use: Use) -> str | None:
    """Return why a use finds nothing to act on now, or None where it does."""
    creature = state.creatures[use.creature]
    if not is_able(creature):
        return f"{use.creature} can do nothing"
    definition = state.abilities.get(use.ability)
    if definition is None:
        return None
    try:
        check_params(state, creature, definition, use.params)
    except Refused as refused:
        return refused.detail
    return None


def fizzle(frame: UseFrame, reason: str) -> Emits[State]:
    """Emit that a use finds nothing to act on."""
    kind = InstantFizzled if frame.instant else AbilityFizzled
    yield kind(creature=frame.use.creature, ability=frame.use.ability, reason=reason, because=("HR-ABIL-11",))
    return (yield UseResolved(use=frame.path, because=("HR-ABIL-11",)))


def begin_use(use: Use, definition: Ability | Spell) -> Emits[State]:
    """Emit that a paid ability is about to do what it does."""
    instant = is_instant(definition)
    return (yield UseDeclared(use=use, ops=definition.effects, instant=instant, because=("HR-GEN-2",)))


@enforces(HR_GEN_9)
def contest(state: State, frame: UseFrame, op: Contest) -> Emits[State]:
    """Emit the next part of a contest: what the other opposes it with, both checks, the outcome.

    Nobody opposes itself.
    """
    use = frame.use
    found = whom(state, use, op.against)
    if not found or found[0] == use.creature:
        return (yield OperationTaken(use=frame.path, number=frame.at, because=("HR-ABIL-11",)))
    other = found[0]
    answer = opposed_with(state.creatures[other], op.answered_with, frame.picked.get("ability"))
    if answer is None:
        return (
            yield ChoiceAsked(
                choice=f"{frame.path}/{other}/ability",
                creature=other,
                of="ability",
                options=op.answered_with,
                because=("HR-GEN-9",),
            )
        )
    if frame.mine is None and frame.checked is None:
        return (yield _check(state, frame, op, use.creature, other, op.ability))
    if frame.mine is None:
        assert frame.checked is not None, frame.path
        return (yield ContestHalfKnown(use=frame.path, total=frame.checked.total, because=("HR-GEN-5",)))
    if frame.checked is None:
        return (yield _check(state, frame, op, other, use.creature, answer))
    return (
        yield ContestDecided(
            use=frame.path,
            creature=use.creature,
            against=other,
            mine=frame.mine,
            theirs=frame.checked.total,
            because=("HR-GEN-5",),
        )
    )


def save(state: State, frame: UseFrame, op: Save) -> Emits[State]:
    """Emit the next saving throw against a use, or that all have been made."""
    due = next((name for name in whom(state, frame.use, op.who) if name not in frame.saved), None)
    if due is None:
        return (yield OperationTaken(use=frame.path, number=frame.at, because=("HR-CAST-3",)))
    if frame.checked is not None:
        success = frame.checked.success
        return (yield SaveMade(use=frame.path, creature=due, success=success, because=("HR-CAST-3",)))
    return (
        yield CheckAsked(
            check=f"{frame.path}/{due}/save",
            creature=due,
            ability=op.ability,
            cn=save_number(state.creatures[frame.use.creature]),
            what=frame.use.ability,
            save=True,
            because=("HR-CAST-3",),
        )
    )


@enforces(HR_CAST_3)
def save_number(caster: Creature) -> int:
    """Return the number that a saving throw against a spell of *caster* must reach."""
    return challenge_number(caster, "heart")


def _check(
    state: State, frame: UseFrame, op: Contest, who: str, against: str, ability: AbilityDie
) -> CheckAsked:
    larger = state.creatures[who].rank - state.creatures[against].rank
    leanings = (
        (Leaning(levels=larger, what="size", rule="HR-GRAP-2"),) if op.size_counts and larger > 0 else ()
    )
    return CheckAsked(
        check=f"{frame.path}/{who}",
        creature=who,
        ability=ability,
        cn=None,
        what=op.what,
        leanings=leanings,
        against=against,
        troubled=False,
        because=("HR-GEN-5", "A-52"),
    )


def rule_on(frame: UseFrame, effects: tuple[Effect, ...]) -> Emits[State]:
    """Emit what the GM rules an ability to do; nothing where it was rejected."""
    state = yield OperationTaken(use=frame.path, number=frame.at, because=("HR-SVC-1",))
    if not effects:
        return state
    return (
        yield EffectsBegun(
            effects=f"{frame.path}/ruling",
            order=effects,
            source=frame.use.creature,
            cause=frame.use.ability,
            because=("HR-SVC-1",),
        )
    )
