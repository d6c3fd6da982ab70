"""Try what no ability names: declared in secret with the group's turn, judged by the GM once it is announced.

A deed is paid for as any other action, and the GM's judgement works by the rules: its effects stand in the
group's log where the deed was tried, so the merge counts them as simultaneous with what other groups did.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Final, Literal

from service.dice.values import Roll, Term
from service.rules.contests.contests import check_text
from service.rules.contests.gm_rulings import check_effects
from service.rules.kernel.messages import Awaited, Command, Emits, Event, Offer, Refused
from service.rules.kernel.records import changed, record, with_key
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.values import (
    Bonus,
    Code,
    Count,
    CreatureId,
    Decision,
    GroupId,
    PromptId,
    Remark,
    StepId,
    ThingName,
    Total,
    Words,
)
from service.rules.rise import books
from service.rules.rise.acting.brawling import not_twice
from service.rules.rise.acting.combat_time import Pay, check_free, check_pay, pay_for
from service.rules.rise.acting.mending import Mending, Mendings, effects_fault
from service.rules.rise.acting.turns import begun, on_turn, sender, taking_turn
from service.rules.rise.body.effects import apply_quietly
from service.rules.rise.body.running_the_game import answer
from service.rules.rise.creatures.combat_statistics import (
    EXERTED,
    asks_to_exert,
    exertion,
    first_counts,
    tired,
)
from service.rules.rise.creatures.creature import Atom, Creature, Deed
from service.rules.rise.creatures.permission import Act, gm, is_allowed
from service.rules.rise.creatures.state import State
from service.rules.rise.planning.groups import GroupFrame
from service.rules.rise.planning.initiative import asks_players, find_order, roll_order
from service.rules.rise.values import Difficulty, TriedDeed
from service.rules.rolls.chance import Chance, PoolDie
from service.rules.table.stack import Frame, FrameDone
from service.rules.table.table import GM

# --- trying --------------------------------------------------------------------------------------------

RI_ACT_12: Final = Rule(
    "RI-ACT-12",
    "A creature may try what no ability names: it says what, pays an action, and the GM judges it.",
    (books.TIME.at("Standard Actions"), books.TIME.at("Free Actions")),
)

PAYING: Final[tuple[Pay, ...]] = ("standard", "minor", "free", "movement")


@record
class DeedTried(Event[State]):
    """A creature tries a deed; what comes of it the GM says when all groups have announced."""

    type: ClassVar[str] = "deed_tried"
    creature: CreatureId
    deed: Deed
    """What the creature tries."""

    def evolve(self, state: State) -> State:
        return changed(state, deeds=(*state.deeds, self.deed))


@record
class DeedsAnnounced(Event[State]):
    """These deeds of a group are open, and wait for the GM."""

    type: ClassVar[str] = "deeds_announced"
    group: GroupId
    deeds: tuple[Deed, ...]
    """What was tried."""

    def evolve(self, state: State) -> State:
        return changed(state, deeds=(*state.deeds, *self.deeds))


@enforces(RI_ACT_12)
@record
class Improvise(Act):
    """Try what no ability names, in the creature's turn; the GM judges it when all is announced."""

    type: ClassVar[str] = "improvise"
    sentence: ClassVar[str] = "Try something that no ability names[, on {targets}]"
    deed: Remark
    """What the creature tries, in words."""
    targets: tuple[CreatureId, ...] = ()
    """The creatures that the deed is about, for the GM and for conflicts."""
    thing: ThingName = ""
    """The thing or place that the deed is about: deeds of several groups about one thing conflict."""
    pay: Pay = "standard"
    """What pays for it."""

    def check(self, view: State) -> None:
        creature = taking_turn(view, self)
        check_text(self.deed, "a deed", rule_id="RI-ACT-12")
        for name in self.targets:
            if name not in view.creatures:
                raise Refused("no_such_creature", f"there is no creature {name}", "TABLE-SEAT-1")
        self.check_paid(view, creature)

    def check_paid(self, view: State, creature: Creature) -> None:
        """Refuse a deed that *creature* cannot pay for so."""
        if self.pay == "free":
            not_twice(creature, self.name)
            check_free(view, creature, self.name, None)
            return
        if self.pay == "minor" and creature.budget.paused and not view.house.minor_in_movement:
            raise Refused("wrong_step", f"{creature.id} is moving", "RI-ACT-6")
        check_pay(creature, self.pay, self.pay, self.name)

    @property
    def name(self) -> str:
        """The name under which its action is paid: the same deed is not tried twice in a round."""
        return f"{self.type}: {self.deed}"

    def decide(self, state: State) -> Emits[State]:
        state = yield from begun(state, self.creature)
        state = yield from pay_for(self.creature, self.pay, self.pay, self.name)
        tried = Deed(
            creature=self.creature,
            deed=self.deed,
            targets=self.targets,
            thing=self.thing,
            group=state.here,
            after=len(state.effects),
        )
        return (yield DeedTried(creature=self.creature, deed=tried, because=("RI-ACT-12",)))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        """Yield the ways to pay and the creatures that a deed may be about; its words are the player's."""
        command = cls(by=sender(view, awaited), creature=awaited.creature or "", deed="improvise")
        user = on_turn(view, command)
        if user is None:
            return
        paid = tuple([p for p in PAYING if is_allowed(changed(command, pay=p).check_paid, view, user)])
        if paid:
            targets = ((), *((name,) for name in view.creatures))
            choices = {"pay": paid, "targets": targets}
            yield Offer(type=cls.type, creature=user.id, given={"deed": command.deed}, choices=choices)


# --- conflicts -----------------------------------------------------------------------------------------
# Nearly all conflicts are of movements, and the solver finds them. Deeds conflict where several groups mean
# one creature or thing: the GM says whether they do, and initiative says whose comes first.

RI_CONF_10: Final = Rule(
    "RI-CONF-10",
    "Deeds of several groups about one creature or thing conflict; initiative orders them, or the GM does.",
    books.TIME.at("Conflicting Actions"),
    settles=("C-39",),
)


@record
class DeedsOrdered(Event[State]):
    """The GM judges the deeds of the phase, in this order."""

    type: ClassVar[str] = "deeds_ordered"
    path: StepId
    phase: Code
    """The phase."""
    deeds: tuple[Deed, ...]
    """What was tried."""

    def evolve(self, state: State) -> State:
        frame = DeedsFrame(path=self.path, phase=self.phase, deeds=self.deeds)
        return changed(state, deeds=()).pushed(frame)


def judge_deeds(state: State, chance: Chance) -> Emits[State]:
    """Emit the order in which the GM judges what was tried, and the initiative that it needs."""
    orders: list[tuple[str, ...]] = []
    for names in conflicts(state.deeds):
        state, named = yield from answer(state, "deed_conflict", names, more=names)
        if named == "initiative":
            state = yield from roll_order(state, chance, names)
            if asks_players(state):
                return state
            orders.append(find_order(state, names) or names)
        elif named in names:
            orders.append((named, *(name for name in names if name != named)))
    path, phase = f"r{state.round}/{state.stage}/deeds", state.top_frame(GroupFrame).path
    deeds = in_order(state.deeds, orders)
    return (yield DeedsOrdered(path=path, phase=phase, deeds=deeds, because=("RI-ACT-12",)))


@enforces(RI_CONF_10)
def conflicts(deeds: Sequence[Deed]) -> tuple[tuple[str, ...], ...]:
    """Return the creatures whose deeds are about the same, where they are of several groups."""
    sets: list[tuple[Deed, ...]] = []
    for deed in deeds:
        met = [known for known in sets if any(share(deed, other) for other in known)]
        joined = tuple([one for known in met for one in known])
        sets = [*(known for known in sets if known not in met), (*joined, deed)]
    several = [known for known in sets if len({deed.group: None for deed in known}) > 1]
    return tuple([tuple(sorted({deed.creature: None for deed in known})) for known in several])


def share(one: Deed, other: Deed) -> bool:
    """Return whether two deeds are about one creature or one thing."""
    same_thing = bool(one.thing) and one.thing == other.thing
    return same_thing or any(name in other.targets for name in one.targets)


def in_order(deeds: Sequence[Deed], orders: Sequence[tuple[str, ...]]) -> tuple[Deed, ...]:
    """Return *deeds* with those in conflict in their order, where the first of them would come."""
    left, found = list(deeds), []
    while left:
        order = next((names for names in orders if left[0].creature in names), (left[0].creature,))
        ready = sorted([d for d in left if d.creature in order], key=lambda d: order.index(d.creature))
        found += ready
        left = [deed for deed in left if deed not in ready]
    return tuple(found)


# --- judging -------------------------------------------------------------------------------------------

RI_ACT_13: Final = Rule(
    "RI-ACT-13",
    "What comes of a deed counts among its group's effects, where it was tried; a check may decide it.",
    RULING,
)

Attribute = Literal["strength", "dexterity", "constitution", "intelligence", "perception", "willpower"]
HARDEST: Final = 100


@record
class DeedRoll:
    """A check that decides a deed: a d10, an attribute and a bonus, against a difficulty."""

    difficulty: Difficulty
    attribute: Attribute | None = None
    """The attribute that is added; null is none."""
    bonus: Bonus = 0
    """What else is added, a skill or what the place gives."""


@record
class Judgement:
    """What the GM says of a deed, while its check is rolled."""

    roll: DeedRoll
    """The roll that the deed takes; null for none."""
    effects: Mendings
    failed: tuple[Mending, ...]
    """What follows if the roll is not enough."""


@record
class DeedsFrame(Frame[State]):
    """The deeds of a phase that the GM has still to judge, the first one at hand."""

    kind: ClassVar[str] = "rise_deeds"
    phase: Code
    """The path of the phase whose effects they are among."""
    deeds: tuple[Deed, ...]
    """What was tried."""
    judged: Count = 0
    """How many have been judged."""
    judgement: Judgement | None = None
    """What was said of the first, while its check is rolled."""
    rolled: Total | None = None
    """What its check came to, until it is settled."""
    exerted: bool = False
    """Whether the check is rolled again."""

    def shows(self, name: str) -> bool:
        """Return whether *name* has rolled, and may still roll again or keep the result."""
        mine = bool(self.deeds) and self.deeds[0].creature == name
        return mine and self.rolled is not None and not self.exerted

    @property
    def prompt(self) -> str:
        """Where the GM, or the player whose roll is open, answers."""
        return f"{self.path}/{self.judged}/{self.deeds[0].creature}"

    def waits(self, state: State) -> bool:
        return bool(self.deeds) and (self.judgement is None or self.shows(self.deeds[0].creature))

    def waiting(self, state: State) -> tuple[Awaited, ...]:
        if not self.waits(state):
            return ()
        if self.judgement is None:
            return (Awaited(prompt=self.prompt, seat=GM, accepts=("judge_deed",)),)
        name = self.deeds[0].creature
        accepts = ("desperate_exertion", "keep_roll")
        seat = state.controller(name)
        return (Awaited(prompt=self.prompt, seat=seat, accepts=accepts, creature=name),)

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        if not self.deeds:
            return (yield DeedsJudged(path=self.path, because=("RI-ACT-13",)))
        name = self.deeds[0].creature
        state = yield from roll_deed(state, chance, self)
        frame = state.top_frame(DeedsFrame)
        if self.exerted:
            state = yield from apply_quietly(state, exertion(name))
        elif asks_to_exert(state, name, missed=not succeeds(frame)):
            return state
        return (yield from settle_deed(state))


@record
class DeedRuled(Event[State]):
    """The GM said what comes of a deed, or which check decides it."""

    type: ClassVar[str] = "deed_ruled"
    creature: CreatureId
    deed: TriedDeed
    decision: Decision
    roll: DeedRoll | None = None
    """The roll that the deed takes; null for none."""
    effects: Mendings = ()
    failed: tuple[Mending, ...] = ()
    """What follows if the roll is not enough."""

    def evolve(self, state: State) -> State:
        if self.roll is None:
            return state
        judgement = Judgement(roll=self.roll, effects=self.effects, failed=self.failed)
        return state.with_top(DeedsFrame, judgement=judgement)


@record
class DeedRolled(Event[State]):
    """A creature has rolled the check that decides its deed; what counts from now on."""

    type: ClassVar[str] = "deed_rolled"
    creature: CreatureId
    total: Total

    def evolve(self, state: State) -> State:
        return state.with_top(DeedsFrame, rolled=self.total)


@record
class DeedExerted(Event[State]):
    """A creature rolls the check of its deed again with desperate exertion."""

    type: ClassVar[str] = "deed_exerted"
    creature: CreatureId

    def evolve(self, state: State) -> State:
        return state.with_top(DeedsFrame, exerted=True)


@record
class DeedJudged(Event[State]):
    """What a deed comes to stands among its group's effects; it takes effect with them."""

    type: ClassVar[str] = "deed_judged"
    creature: CreatureId
    deed: TriedDeed
    success: bool | None
    """Whether its check was enough; null where none was made."""
    effects: tuple[Atom, ...]
    """The effects, in order."""

    def evolve(self, state: State) -> State:
        frame = state.top_frame(DeedsFrame)
        deed = frame.deeds[0]
        state = state.put(
            changed(
                frame,
                deeds=frame.deeds[1:],
                judged=frame.judged + 1,
                judgement=None,
                rolled=None,
                exerted=False,
            )
        )
        phase: Any = state.frame(frame.phase, GroupFrame)  # the phase's own frame, which imports this file
        log = phase.logs[deed.group]
        before = [effect for effect in log if effect.seq <= deed.after]
        later = [effect for effect in log if effect.seq > deed.after]
        logs = with_key(phase.logs, deed.group, (*before, *self.effects, *later))
        return state.put(changed(phase, logs=logs))


@record
class DeedsJudged(FrameDone[State]):
    """All deeds of the phase are judged."""

    type: ClassVar[str] = "deeds_judged"


@enforces(RI_ACT_13)
@record
class JudgeDeed(Command[State]):
    """Say what comes of a deed, as the GM: its effects at once, or a check and what follows from it."""

    type: ClassVar[str] = "judge_deed"
    sentence: ClassVar[str] = "Say what comes of the deed"
    prompt: PromptId
    decision: Words = ""
    """What the GM says of it."""
    effects: tuple[Mending, ...] = ()
    """What it does; with a roll, what it does if that is enough."""
    roll: DeedRoll | None = None
    """The check that decides it; null lets the effects come without one."""
    failed: tuple[Mending, ...] = ()
    """What it does if the roll is not enough."""

    def check(self, view: State) -> None:
        gm(self)
        frame = view.top
        if not isinstance(frame, DeedsFrame) or not frame.deeds or frame.prompt != self.prompt:
            raise Refused("prompt_gone", f"no deed waits at {self.prompt}", "RI-ACT-13")
        if frame.judgement is not None:
            raise Refused("prompt_gone", f"{self.prompt} is judged: its check comes first", "RI-ACT-13")
        check_text(self.decision, "a decision", least=0, rule_id="RI-ACT-13")
        fault = effects_fault(view, self.effects) or effects_fault(view, self.failed)
        every = len(self.effects) + len(self.failed)
        check_effects(every, fault or self.roll_fault(view, frame.deeds[0].creature), "RI-ACT-13")

    def roll_fault(self, view: State, creature: str) -> str | None:
        """Return what keeps the check from being rolled, None if nothing does."""
        if self.roll is None:
            return "what follows a failure needs a roll" if self.failed else None
        if not 0 <= self.roll.difficulty <= HARDEST or abs(self.roll.bonus) > HARDEST:
            return f"a difficulty from 0 to {HARDEST}, and a bonus of at most {HARDEST}"
        if self.roll.attribute is not None and self.roll.attribute in view.gm_only_of(creature):
            return f"the {self.roll.attribute} of {creature} is GM-only: say it as a bonus, or show it first"
        return None

    def decide(self, state: State) -> Emits[State]:
        deed = state.top_frame(DeedsFrame).deeds[0]
        state = yield DeedRuled(
            creature=deed.creature,
            deed=deed.deed,
            decision=self.decision,
            roll=self.roll,
            effects=self.effects,
            failed=self.failed,
            because=("RI-GM-2",),
        )
        if self.roll is not None:
            return state
        return (yield from come_true(state, self.effects, success=None))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        """Yield judgements that the deed's words do not need: nothing, or one hit point of each target."""
        frame = view.top
        if not isinstance(frame, DeedsFrame) or frame.judgement is not None or not frame.deeds:
            return
        harm = tuple([{"does": "damage", "target": name, "amount": 1} for name in frame.deeds[0].targets])
        effects = ((), harm) if harm else ((),)
        choices = {"effects": effects, "roll": (None, {"difficulty": 5, "attribute": "dexterity"})}
        yield Offer(type=cls.type, prompt=frame.prompt, choices=choices)


def roll_deed(state: State, chance: Chance, frame: DeedsFrame) -> Emits[State]:
    """Emit the check of the deed at hand; exerted it is 2 better, and the better counts."""
    name, judgement = frame.deeds[0].creature, frame.judgement
    assert judgement is not None, "the gm asked for a check"
    terms = deed_terms(state.creatures[name], judgement.roll)
    if frame.exerted:
        terms = (*terms, EXERTED)
    thrown: Roll
    state, thrown = yield from chance.throw(
        state,
        owner=name,
        stream=f"{name}/deed/{frame.judged}",
        purpose={"who": name, "what": "an improvised deed"},
        pool=(PoolDie(role="deed", sides=10),),
        terms=terms,
    )
    total = thrown.total
    if frame.rolled is not None and first_counts(state, frame.rolled, total):
        total = frame.rolled
    return (yield DeedRolled(creature=name, total=total, because=("RI-ACT-13",)))


def deed_terms(creature: Creature, roll: DeedRoll) -> tuple[Term, ...]:
    """Return what a check is made of beside its die: it is a check, so fatigue counts."""
    found = []
    if roll.attribute is not None:
        skill: int = getattr(creature.sheet, roll.attribute)
        found.append(Term(amount=skill, what=roll.attribute, rule="RI-ACT-13"))
    if roll.bonus:
        found.append(Term(amount=roll.bonus, what="bonus", rule="RI-ACT-13"))
    return (*found, *tired(creature))


def succeeds(frame: DeedsFrame) -> bool:
    """Return whether the open roll is enough."""
    assert frame.judgement is not None, "the gm asked for a check"
    return frame.rolled is not None and frame.rolled >= frame.judgement.roll.difficulty


def settle_deed(state: State) -> Emits[State]:
    """Emit what the open roll comes to."""
    frame = state.top_frame(DeedsFrame)
    judgement, success = frame.judgement, succeeds(frame)
    assert judgement is not None, "the gm asked for a check"
    effects = judgement.effects if success else judgement.failed
    return (yield from come_true(state, effects, success=success))


def come_true(state: State, effects: Sequence[Mending], *, success: bool | None) -> Emits[State]:
    """Emit what a deed comes to: walls change at once, all else stands among its group's effects."""
    deed = state.top_frame(DeedsFrame).deeds[0]
    atoms: list[Atom] = []
    for each in effects:
        if (does := each.felt) is None:
            state = yield from each.alter(state)
        else:
            atom = each.atom(does)
            name = deed.creature if atom.name == "ruling" else atom.name
            atoms.append(changed(atom, source=deed.creature, group=deed.group, seq=deed.after, name=name))
    return (
        yield DeedJudged(
            creature=deed.creature,
            deed=deed.deed,
            success=success,
            effects=tuple(atoms),
            because=("RI-ACT-13",),
        )
    )
