"""Roll checks and saving throws against a challenge number, and choose after a natural 1."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, ClassVar, Final, Literal, TypeAlias

from service.dice.values import Roll, Term
from service.rules.heartrush import books
from service.rules.heartrush.body.permission import answering_for, gm, own
from service.rules.heartrush.creatures.abilities import Rolling
from service.rules.heartrush.creatures.sheet import Ability, Complication
from service.rules.heartrush.creatures.state import Creature, State
from service.rules.heartrush.rolling.rolls import (
    Edge,
    Needs,
    ability_die,
    challenge_number,
    hampered,
    heart_die,
    helped,
    spend_help,
    throw,
    trouble_face,
)
from service.rules.heartrush.values import (
    SAID_LENGTH,
    ChallengeNumber,
    CheckId,
    Complicated,
    ComplicationId,
    FailedOutright,
    IsSave,
    IsTroubled,
    Matter,
    ShownFace,
)
from service.rules.kernel.messages import Awaited, Command, Emits, Event, Offer, Refused, Sentence
from service.rules.kernel.records import changed, record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.kernel.values import (
    Count,
    CreatureId,
    Face,
    Levels,
    PromptId,
    Prose,
    RuleId,
    Succeeded,
    Total,
)
from service.rules.rolls.chance import Chance, PoolDie
from service.rules.table.stack import Frame, opened_by

# --- checks and saving throws --------------------------------------------------------------------------
# A natural 1 is somebody's choice. A check is a frame above whatever wants its result (`Checking`):
# `CheckAsked` puts it there, and it rolls, perhaps waits for a choice, and resolves. Attack and defense
# rolls are none of these.

HR_GEN_5: Final = Rule(
    "HR-GEN-5",
    "A check or save is heart die, ability die and modifiers; it succeeds on its number or more.",
    books.CHECKS.at("Skill Checks"),
    settles=("A-55",),
)
HR_GEN_7: Final = Rule(
    "HR-GEN-7",
    "A natural 1 on a check: fail, or reroll that die once for a complication; two of them do both.",
    books.CHECKS.at("Complications"),
)


ABILITIES: Final[tuple[Ability, ...]] = ("might", "agility", "cunning", "presence")


# --- what is asked, and what came of it -----------------------------------------------------------


@record
class Leaning:
    """Advantage (levels above zero) or disadvantage (below) that the sender of the check gives it."""

    levels: Levels
    what: Matter
    rule: RuleId = "HR-AD-3"
    """The id of the rule."""


@record
class Against:
    """Whose challenge number a check is made against: an ability's, or the heart's."""

    creature: CreatureId
    by: Ability | Literal["heart"]
    """The ability, or the heart, that gives the challenge number."""


@record
class Checked:
    """What a check or save came to."""

    total: Total
    success: bool
    """Whether the total reached the number; true where there was none and nothing failed outright."""
    failed_outright: FailedOutright = False
    complication: Complicated = False


CheckResult: TypeAlias = Annotated[Checked | None, "The result of the check; null until it is made."]


@record
class Checking(Frame[State]):
    """A frame that asks for checks and goes on from what they came to, which it finds in `checked`."""

    checked: Checked | None


@record
class DeclaredCheck:
    """What is asked of a creature: a check or a saving throw."""

    creature: CreatureId
    ability: Ability
    cn: ChallengeNumber | None
    what: Matter
    save: IsSave = False
    leanings: tuple[Leaning, ...] = ()
    """The advantages and disadvantages."""
    needs: tuple[Needs, ...] = ()
    """What the check takes besides the ability: motion or sight."""
    against: CreatureId | None = None
    """The creature it is made on, if any."""
    troubled: IsTroubled = True


@record
class CheckFrame(DeclaredCheck, Frame[State]):
    """One check or save on the way to its result."""

    kind: ClassVar[str] = "check"
    stage: Literal["roll", "choose", "reroll", "done"] = "roll"
    """How far it has come."""
    total: Total = 0
    ones: tuple[Count, ...] = ()
    """Sides of the kept dice that brought trouble."""
    face: Face = 0
    """What the first of them showed."""
    complication: Complicated = False
    failed_outright: FailedOutright = False

    def waiting(self, state: State) -> tuple[Awaited, ...]:
        if self.stage != "choose":
            return ()
        return (
            Awaited(
                prompt=self.path,
                seat=state.controller(self.creature),
                accepts=("choose_check",),
                creature=self.creature,
            ),
        )

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        if self.stage == "roll":
            return (yield from roll_check(state, chance, self))
        if self.stage == "reroll":
            return (yield from reroll(state, chance, self))
        return (yield from resolve(self))


# --- facts ----------------------------------------------------------------------------------------


@record
class CheckAsked(DeclaredCheck, Event[State]):
    """A creature is to make a check or a saving throw."""

    type: ClassVar[str] = "check_asked"
    check: CheckId

    def evolve(self, state: State) -> State:
        frame = opened_by(self, CheckFrame, self.check, troubled=self.troubled and not self.save)
        return changed(state, rulings=state.rulings + 1).pushed(frame)


@record
class CheckRolled(Event[State]):
    """The dice of a check are known; where kept ones show trouble, they are listed."""

    type: ClassVar[str] = "check_rolled"
    check: CheckId
    creature: CreatureId
    total: Total
    ones: tuple[Count, ...] = ()
    """The dice that show a one, by place."""
    face: ShownFace = 0

    def evolve(self, state: State) -> State:
        frame = state.frame(self.check, CheckFrame)
        kept = state.creatures[self.creature].bonus if frame.save else 0
        state = state.with_creature(self.creature, penalty=0, bonus=kept)
        return state.put(changed(frame, stage="done", total=self.total, ones=self.ones, face=self.face))


@record
class CheckNeedsChoice(Event[State]):
    """A natural 1: fail, or throw that die once more for the price of a complication."""

    type: ClassVar[str] = "check_needs_choice"
    check: CheckId
    creature: CreatureId

    def evolve(self, state: State) -> State:
        return state.with_frame(self.check, CheckFrame, stage="choose")


@record
class CheckChosen(Event[State]):
    """What a creature makes of its natural 1."""

    type: ClassVar[str] = "check_chosen"
    check: CheckId
    creature: CreatureId
    choice: Literal["fail", "reroll"]
    """What was chosen, or the id of the choice."""

    def evolve(self, state: State) -> State:
        frame = state.frame(self.check, CheckFrame)
        if self.choice == "fail":
            return state.put(changed(frame, stage="done", ones=(), failed_outright=True))
        return state.put(changed(frame, stage="reroll", complication=True))


@record
class CheckFailed(Event[State]):
    """Two natural 1s: the check fails and brings a complication besides."""

    type: ClassVar[str] = "check_failed"
    check: CheckId
    creature: CreatureId

    def evolve(self, state: State) -> State:
        frame = state.frame(self.check, CheckFrame)
        return state.put(changed(frame, stage="done", ones=(), failed_outright=True, complication=True))


@record
class CheckRerolled(Event[State]):
    """The die that showed a 1 was thrown once more; what it shows now stays."""

    type: ClassVar[str] = "check_rerolled"
    check: CheckId
    creature: CreatureId
    total: Total

    def evolve(self, state: State) -> State:
        return state.with_frame(self.check, CheckFrame, stage="done", ones=(), total=self.total)


@record
class CheckResolved(Event[State]):
    """A check or save is over: its total, whether it succeeded, and whether it brings a complication."""

    type: ClassVar[str] = "check_resolved"
    check: CheckId
    creature: CreatureId
    total: Total
    success: Succeeded
    failed_outright: FailedOutright = False
    complication: Complicated = False

    def evolve(self, state: State) -> State:
        frame = state.frame(self.check, CheckFrame)
        state = state.popped(self.check)
        if self.complication:
            pending = Complication(id=self.check, creature=self.creature, what=frame.what)
            state = changed(state, complications=(*state.complications, pending))
        below = state.top
        if not isinstance(below, Checking):
            return state
        checked = Checked(
            total=self.total,
            success=self.success,
            failed_outright=self.failed_outright,
            complication=self.complication,
        )
        return state.put(changed(below, checked=checked))


# --- rules ----------------------------------------------------------------------------------------


@enforces(HR_GEN_5)
def roll_check(state: State, chance: Chance, frame: CheckFrame) -> Emits[State]:
    """Emit the roll of the check or save of *frame*, with its total, its success and its natural ones."""
    creature = state.creatures[frame.creature]
    given = (Edge(leaning.levels, leaning.what, leaning.rule) for leaning in frame.leanings)
    roll: Roll
    state, roll = yield from throw(
        state,
        chance,
        owner=creature.id,
        stream=f"{creature.id}/{'save' if frame.save else 'check'}",
        purpose={"what": frame.what, "check": frame.path, "ability": frame.ability},
        pool=(heart_die(creature), ability_die(creature, frame.ability)),
        edges=(*helped(state, creature.id), *_lain(state, frame, creature), *given),
        terms=(*_penalty(creature), *(() if frame.save else _bonus(creature))),
    )
    state = yield from spend_help(state, creature.id)
    limit = trouble_face(creature, frame.ability)
    ones = tuple(die for die in roll.dice if not die.dropped and die.face <= limit) if frame.troubled else ()
    state = yield CheckRolled(
        check=frame.path,
        creature=creature.id,
        total=roll.total,
        ones=tuple(die.sides for die in ones),
        face=ones[0].face if ones else 0,
    )
    return (yield from trouble(state, state.frame(frame.path, CheckFrame)))


def _lain(state: State, frame: CheckFrame, creature: Creature) -> tuple[Edge, ...]:
    against = state.creatures.get(frame.against) if frame.against else None
    rolling: Rolling = "save" if frame.save else "check"
    return hampered(state, creature, frame.ability, rolling, against=against, needs=frame.needs)


def _penalty(creature: Creature) -> tuple[Term, ...]:
    if not creature.penalty:
        return ()
    return (Term(amount=-creature.penalty, what="invoked wound", rule="HR-WND-3"),)


def _bonus(creature: Creature) -> tuple[Term, ...]:
    if not creature.bonus:
        return ()
    return (Term(amount=creature.bonus, what="destiny points", rule="HR-ASP-1"),)


@enforces(HR_GEN_7)
def trouble(state: State, frame: CheckFrame) -> Emits[State]:
    """Emit what follows from the natural ones of a check: a failure for two, a choice for one."""
    if not frame.ones:
        return state
    if len(frame.ones) > 1:
        return (yield CheckFailed(check=frame.path, creature=frame.creature))
    return (yield CheckNeedsChoice(check=frame.path, creature=frame.creature))


def reroll(state: State, chance: Chance, frame: CheckFrame) -> Emits[State]:
    """Emit the second throw of the die that showed a 1; a 1 it shows now does no harm."""
    roll: Roll
    state, roll = yield from chance.throw(
        state,
        owner=frame.creature,
        stream=f"{frame.creature}/reroll",
        purpose={"what": "reroll", "check": frame.path},
        pool=(PoolDie(role="reroll", sides=frame.ones[0]),),
    )
    total = frame.total - frame.face + roll.total
    return (
        yield CheckRerolled(check=frame.path, creature=frame.creature, total=total, because=("HR-GEN-7",))
    )


def resolve(frame: CheckFrame) -> Emits[State]:
    """Emit what a check came to."""
    reached = frame.cn is None or frame.total >= frame.cn
    return (
        yield CheckResolved(
            check=frame.path,
            creature=frame.creature,
            total=frame.total,
            success=reached and not frame.failed_outright,
            failed_outright=frame.failed_outright,
            complication=frame.complication,
            because=("HR-GEN-5", "HR-GEN-7") if frame.complication else ("HR-GEN-5",),
        )
    )


# --- asking for checks ---------------------------------------------------------------------------------
# Choose after a natural 1, and say what a complication is.

CN_LIMIT: Final = 200
EDGE_LIMIT: Final = 20


@record
class Order(Command[State]):
    """Have a creature roll against a number, or against another creature's challenge number."""

    abstract: ClassVar[bool] = True
    save: ClassVar[bool] = False
    """Whether it is a saving throw."""
    creature: CreatureId
    ability: Ability
    what: Matter
    cn: ChallengeNumber | None = None
    against: Against | None = None
    """Whose challenge number counts; null for none."""
    advantage: Levels = 0
    """Levels of advantage; below zero, of disadvantage."""
    needs: tuple[Needs, ...] = ()
    """What it takes besides the ability, for what hampers that."""

    def check(self, view: State) -> None:
        check_order(view, self)

    def decide(self, state: State) -> Emits[State]:
        return (yield from carry_order(state, self))


def check_order(view: State, order: Order) -> None:
    """Refuse a check nobody can make, or one against nothing and against two things."""
    gm(order)
    found = view.creatures.get(order.creature)
    if found is None:
        raise Refused("no_such_creature", f"there is no creature {order.creature}", "TABLE-SEAT-1")
    if found.status == "dead":
        raise Refused("dead", f"{order.creature} is dead", "HR-ZERO-4")
    if order.against is not None and order.against.creature not in view.creatures:
        raise Refused("no_such_creature", f"there is no creature {order.against.creature}", "TABLE-SEAT-1")
    if (order.cn is None) == (order.against is None) or not 0 <= (order.cn or 0) <= CN_LIMIT:
        raise Refused("params_missing", f"a number from 0 to {CN_LIMIT}, or whose number it is", "HR-GEN-8")
    if abs(order.advantage) > EDGE_LIMIT:
        raise Refused("params_missing", f"at most {EDGE_LIMIT} levels either way", "HR-AD-3")
    if not order.what:
        raise Refused("params_missing", "say in a few words what is tried", "HR-GEN-5")


def carry_order(state: State, order: Order) -> Emits[State]:
    """Emit that the GM asks for a check or a save."""
    against, leaning = order.against, Leaning(levels=order.advantage, what="the gm's word", rule="HR-SVC-1")
    cn = order.cn if against is None else challenge_number(state.creatures[against.creature], against.by)
    return (
        yield CheckAsked(
            check=state.numbered("check"),
            creature=order.creature,
            ability=order.ability,
            cn=cn,
            what=order.what,
            save=order.save,
            leanings=(leaning,) if leaning.levels else (),
            needs=order.needs,
            against=against.creature if against else None,
            because=("HR-GEN-5", "HR-GEN-8") if against else ("HR-GEN-5",),
        )
    )


@record
class RollCheck(Order):
    """Have a creature make a skill check against a number, or against another creature's challenge number."""

    type: ClassVar[str] = "roll_check"


@record
class RollSave(Order):
    """Have a creature make a saving throw; natural 1s on it mean nothing."""

    type: ClassVar[str] = "roll_save"
    save = True


@record
class ChooseCheck(Command[State]):
    """After a natural 1: fail the check, or reroll that die once and suffer a complication."""

    type: ClassVar[str] = "choose_check"
    sentence: ClassVar[Sentence] = {
        "choice=fail": "Let the check fail",
        "choice=reroll": "Roll the natural 1 again, for a complication",
        "": "Let the check fail, or roll again",
    }
    creature: CreatureId
    prompt: PromptId
    choice: Literal["fail", "reroll"]
    """What was chosen, or the id of the choice."""

    def check(self, view: State) -> None:
        own(view, self, self.creature)
        answering_for(view, self, self.creature)

    def decide(self, state: State) -> Emits[State]:
        return (
            yield CheckChosen(
                check=self.prompt, creature=self.creature, choice=self.choice, because=("HR-GEN-7",)
            )
        )

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        yield Offer(
            type=cls.type,
            creature=awaited.creature,
            prompt=awaited.prompt,
            choices={"choice": ("reroll", "fail")},
        )


@record
class ComplicationDescribed(Event[State]):
    """The GM said what a complication is."""

    type: ClassVar[str] = "complication_described"
    complication: ComplicationId
    text: Prose

    def evolve(self, state: State) -> State:
        left = tuple(c for c in state.complications if c.id != self.complication)
        return changed(state, complications=left)


@record
class TellComplication(Command[State]):
    """Say what a complication is; its effects, if any, are a ruling of their own."""

    type: ClassVar[str] = "tell_complication"
    complication: ComplicationId
    text: Prose

    def check(self, view: State) -> None:
        gm(self)
        if all(pending.id != self.complication for pending in view.complications):
            raise Refused("no_such_complication", f"{self.complication} is not pending", "HR-GEN-7")
        if not 0 < len(self.text) <= SAID_LENGTH:
            raise Refused("params_missing", f"1 to {SAID_LENGTH} characters", "HR-GEN-7")

    def decide(self, state: State) -> Emits[State]:
        return (
            yield ComplicationDescribed(complication=self.complication, text=self.text, because=("HR-GEN-7",))
        )
