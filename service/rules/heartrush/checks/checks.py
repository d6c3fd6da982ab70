"""Roll checks and saving throws against a challenge number, and let a natural 1 be somebody's choice.

A check is a frame above whatever wants its result (`Checking`): `CheckAsked` puts it there, and it rolls,
perhaps waits for a choice, and resolves. Attack and defense rolls are none of these.
"""

from __future__ import annotations

from typing import ClassVar, Final, Literal

from service.dice.values import Roll, Term
from service.rules.heartrush import books
from service.rules.heartrush.checks.afflictions import Needs, Rolling, hampered
from service.rules.heartrush.checks.challenge import trouble_face
from service.rules.heartrush.checks.rolls import Edge, ability_die, heart_die, helped, spend_help, throw
from service.rules.heartrush.sheets.notes import Complication
from service.rules.heartrush.sheets.sheet import Ability
from service.rules.heartrush.state import Creature, State
from service.rules.kernel.messages import Awaited, Emits, Event
from service.rules.kernel.records import changed, record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.rolls.chance import Chance, PoolDie
from service.rules.table.stack import Frame

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

    levels: int
    what: str
    rule: str = "HR-AD-3"


@record
class Against:
    """Whose challenge number a check is made against: an ability's, or the heart's."""

    creature: str
    by: Ability | Literal["heart"]


@record
class Checked:
    """What a check or save came to."""

    total: int
    success: bool
    """Whether the total reached the number; true where there was none and nothing failed outright."""
    failed_outright: bool = False
    complication: bool = False


@record
class Checking(Frame[State]):
    """A frame that asks for checks and goes on from what they came to, which it finds in `checked`."""

    checked: Checked | None


@record
class CheckFrame(Frame[State]):
    """One check or save on the way to its result."""

    kind: ClassVar[str] = "check"
    creature: str
    ability: Ability
    cn: int | None
    what: str
    save: bool
    leanings: tuple[Leaning, ...] = ()
    needs: tuple[Needs, ...] = ()
    """What the check takes besides the ability: motion or sight."""
    against: str | None = None
    """The creature it is made on, if any."""
    troubled: bool = True
    """Whether a natural 1 brings a choice."""
    stage: Literal["roll", "choose", "reroll", "done"] = "roll"
    total: int = 0
    ones: tuple[int, ...] = ()
    """Sides of the kept dice that brought trouble."""
    face: int = 0
    """What the first of them showed."""
    complication: bool = False
    failed_outright: bool = False

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
class CheckAsked(Event[State]):
    """A creature is to make a check or a saving throw."""

    type: ClassVar[str] = "check_asked"
    check: str
    creature: str
    ability: Ability
    cn: int | None
    what: str
    save: bool = False
    leanings: tuple[Leaning, ...] = ()
    needs: tuple[Needs, ...] = ()
    against: str | None = None
    troubled: bool = True

    def evolve(self, state: State) -> State:
        return changed(state, rulings=state.rulings + 1).pushed(
            CheckFrame(
                path=self.check,
                creature=self.creature,
                ability=self.ability,
                cn=self.cn,
                what=self.what,
                save=self.save,
                leanings=self.leanings,
                needs=self.needs,
                against=self.against,
                troubled=self.troubled and not self.save,
            )
        )


@record
class CheckRolled(Event[State]):
    """The dice of a check are known; where kept ones show trouble, they are listed."""

    type: ClassVar[str] = "check_rolled"
    check: str
    creature: str
    total: int
    ones: tuple[int, ...] = ()
    face: int = 0

    def evolve(self, state: State) -> State:
        frame = state.frame(self.check, CheckFrame)
        state = state.with_creature(self.creature, penalty=0)
        return state.put(changed(frame, stage="done", total=self.total, ones=self.ones, face=self.face))


@record
class CheckNeedsChoice(Event[State]):
    """A natural 1: fail, or throw that die once more for the price of a complication."""

    type: ClassVar[str] = "check_needs_choice"
    check: str
    creature: str

    def evolve(self, state: State) -> State:
        return state.with_frame(self.check, CheckFrame, stage="choose")


@record
class CheckChosen(Event[State]):
    """What a creature makes of its natural 1."""

    type: ClassVar[str] = "check_chosen"
    check: str
    creature: str
    choice: Literal["fail", "reroll"]

    def evolve(self, state: State) -> State:
        frame = state.frame(self.check, CheckFrame)
        if self.choice == "fail":
            return state.put(changed(frame, stage="done", ones=(), failed_outright=True))
        return state.put(changed(frame, stage="reroll", complication=True))


@record
class CheckFailed(Event[State]):
    """Two natural 1s: the check fails and brings a complication besides."""

    type: ClassVar[str] = "check_failed"
    check: str
    creature: str

    def evolve(self, state: State) -> State:
        frame = state.frame(self.check, CheckFrame)
        return state.put(changed(frame, stage="done", ones=(), failed_outright=True, complication=True))


@record
class CheckRerolled(Event[State]):
    """The die that showed a 1 was thrown once more; what it shows now stays."""

    type: ClassVar[str] = "check_rerolled"
    check: str
    creature: str
    total: int

    def evolve(self, state: State) -> State:
        return state.with_frame(self.check, CheckFrame, stage="done", ones=(), total=self.total)


@record
class CheckResolved(Event[State]):
    """A check or save is over: its total, whether it succeeded, and whether it brings a complication."""

    type: ClassVar[str] = "check_resolved"
    check: str
    creature: str
    total: int
    success: bool
    failed_outright: bool = False
    complication: bool = False

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
        terms=_penalty(creature),
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


@enforces(HR_GEN_7)
def trouble(state: State, frame: CheckFrame) -> Emits[State]:
    """Emit what follows from the natural ones of a check: a failure for two, a choice for one."""
    if not frame.ones:
        return state
    if len(frame.ones) > 1:
        return (yield CheckFailed(check=frame.path, creature=frame.creature))
    return (yield CheckNeedsChoice(check=frame.path, creature=frame.creature))


def reroll(state: State, chance: Chance, frame: CheckFrame) -> Emits[State]:
    """Tell the second throw of the die that showed a 1; a 1 it shows now does no harm."""
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
    """Tell what a check came to."""
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
