"""Running the game: record the GM's rulings, and ask the GM what the rules leave open."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from types import MappingProxyType
from typing import ClassVar, Final, Literal, TypeAlias

from service.rules.kernel import rulebook
from service.rules.kernel.messages import (
    TABLE,
    Awaited,
    Command,
    Emits,
    Event,
    Fact,
    Offer,
    QuestionNeeded,
    Refused,
)
from service.rules.kernel.records import changed, record
from service.rules.kernel.values import Choice, PromptId, Question, Round, RulingId
from service.rules.rise import books
from service.rules.rise.creatures.creature import Ruling
from service.rules.rise.creatures.permission import gm
from service.rules.rise.creatures.state import State
from service.rules.rise.values import ChosenAnswer, GmNote, PossibleAnswers, Subjects
from service.rules.table.stack import Frame
from service.rules.table.table import GM

# --- rulings -------------------------------------------------------------------------------------------
# Each call the rules leave open is an event; none rewrites what was announced.

RI_GM_2: Final = rulebook.Rule(
    "RI-GM-2",
    "Every call the GM makes is recorded, with what it is about, its reason, and how long it holds.",
    books.MECHANICS.at("Resolving Ambiguity"),
)
RI_GM_3: Final = rulebook.Rule(
    "RI-GM-3",
    "A ruling never rewrites what has been announced; it holds from now on.",
    books.MECHANICS.at("Resolving Ambiguity"),
)


@record
class RulingMade(Event[State]):
    """The GM ruled on what the rules leave open."""

    type: ClassVar[str] = "ruling_made"
    decides: ClassVar[str] = "ruling"
    ruling: Ruling
    """The ruling."""

    def evolve(self, state: State) -> State:
        kept = tuple([known for known in state.rulings if known.id != self.ruling.supersedes])
        return changed(state, rulings=(*kept, self.ruling))


@rulebook.enforces(RI_GM_2)
@record
class Rule(Command[State]):
    """Record a call of the GM: what it is about, its reason, and how long it holds."""

    type: ClassVar[str] = "rule"
    sentence: ClassVar[str] = "Record a call"
    question: Literal[
        "combat_start",
        "group_membership",
        "group_order",
        "free_action_reasonable",
        "trivial_manipulation",
        "action_cost",
        "reactive_plan_ok",
        "swap_conflict",
        "conflict_exists",
        "location_conflict",
        "deed_conflict",
        "monster_fate",
        "monster_sprint_exception",
        "improved_cover",
        "delayed_lapse",
        "crit_mode",
        "visibility",
        "swift_mode",
    ]
    """The question."""
    subjects: Subjects = ()
    chosen: ChosenAnswer
    note: GmNote = ""
    scope_of: Literal["once", "encounter", "campaign"] = "once"
    """How long it holds."""
    supersedes: RulingId | None = None
    """The ruling that this one takes the place of, from now on."""
    from_round: Round | None = None
    """The round from which it holds; null is now."""

    def check(self, view: State) -> None:
        gm(self)
        forward(view, self.from_round)
        if self.supersedes is not None and all(known.id != self.supersedes for known in view.rulings):
            raise Refused("ruling_required", f"there is no ruling {self.supersedes}", "RI-GM-3")

    def decide(self, state: State) -> Emits[State]:
        made = changed(
            _next(state, self.question, self.subjects, self.chosen),
            note=self.note,
            scope=self.scope_of,
            supersedes=self.supersedes,
        )
        return (yield RulingMade(ruling=made))


def _next(state: State, question: str, subjects: tuple[str, ...], chosen: str) -> Ruling:
    number = 1 + max([int(known.id.removeprefix("ruling-")) for known in state.rulings], default=0)
    return Ruling(
        id=f"ruling-{number}", question=question, subjects=subjects, chosen=chosen, round=state.round
    )


def ruling(
    state: State, question: str, subjects: tuple[str, ...], chosen: str, *, note: str = ""
) -> Emits[State]:
    """Emit what the GM says to a question, by an answer or by a command that is one."""
    made = changed(_next(state, question, subjects, chosen), note=note, scope="encounter")
    return (yield RulingMade(ruling=made, because=("RI-GM-2",)))


def ruled_on(state: State, question: str, subjects: tuple[str, ...]) -> str | None:
    """Return what the GM has last said to *question* about all of *subjects*, if anything."""
    found = [
        r.chosen
        for r in state.rulings
        if r.question == question and (not r.subjects or all(name in r.subjects for name in subjects))
    ]
    return found[-1] if found else None


@rulebook.enforces(RI_GM_3)
def forward(view: State, from_round: int | None) -> None:
    """Refuse a ruling that would hold from an earlier round."""
    if from_round is not None and from_round < view.round:
        raise Refused("ruling_retroactive", f"round {from_round} is over", RI_GM_3.id)


def ruled(state: State, question: str, subject: str) -> str | None:
    """Return what the GM has last said to *question* about *subject*, if anything."""
    found = [r for r in state.rulings if r.question == question and (not r.subjects or subject in r.subjects)]
    return found[-1].chosen if found else None


# --- questions -----------------------------------------------------------------------------------------
# Each question has its answers, the first of which is the default. At the table a question is put on the
# record where it arises. With the option `auto_default` the default answers at once; without it the step
# waits for the GM, as it waits for dice that people throw, and is taken again with the answer. In a group's
# world nobody is asked: what the group does is sealed from the GM. There the GM's standing rulings count,
# and else the default.

Answered: TypeAlias = Generator[Fact[State], State, tuple[State, str]]

ANSWERS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "monster_fate": ("dead", "unconscious"),
        "conflict_exists": ("yes", "no"),
        "swap_conflict": ("yes", "no"),
        "location_conflict": ("initiative",),
        "deed_conflict": ("initiative", "none"),
    }
)
"""The questions that are asked aloud, with their answers; where creatures are answers too, they are added."""


@record
class RulingRequested(Event[State]):
    """The rules leave something to the GM: play goes on by the default, or waits at the prompt."""

    type: ClassVar[str] = "ruling_requested"
    question: Question
    subjects: Subjects
    answers: PossibleAnswers
    fallback: Choice
    """The answer that holds if the GM gives none."""
    prompt: PromptId | None
    """Where it waits; null where the default has answered."""

    def evolve(self, state: State) -> State:
        if self.prompt is None:
            return changed(state, defaulted=(*state.defaulted, (self.question, *self.subjects)))
        frame = QuestionFrame(
            path=self.prompt, question=self.question, subjects=self.subjects, answers=self.answers
        )
        return state.pushed(frame)


@record
class QuestionFrame(Frame[State]):
    """A question that waits for the GM."""

    kind: ClassVar[str] = "rise_question"
    question: Question
    subjects: Subjects
    answers: PossibleAnswers

    def waiting(self, state: State) -> tuple[Awaited, ...]:
        return (Awaited(prompt=self.path, seat=GM, accepts=(AnswerRuling.type,)),)


class RulingWanted(QuestionNeeded):
    """A step cannot go on without the GM's answer."""

    def __init__(self, question: str, subjects: tuple[str, ...], answers: tuple[str, ...]) -> None:
        super().__init__(question)
        self.question = question
        self.subjects = subjects
        self.answers = answers

    def tell(self, state: State) -> Emits[State]:
        """Emit that the question waits."""
        top = state.top
        assert top is not None, "only frames ask"
        return (
            yield RulingRequested(
                question=self.question,
                subjects=self.subjects,
                answers=self.answers,
                fallback=self.answers[0],
                prompt=f"{top.path}/{self.question}/{self.subjects[0]}",
                because=("RI-GM-2",),
            )
        )


def answer(
    state: State,
    question: str,
    subjects: tuple[str, ...],
    more: tuple[str, ...] = (),
    default: str | None = None,
) -> Answered:
    """Return that *question* arises about *subjects*, and return its answer: the GM's, or the default.

    *more* are answers beside the usual ones; *default* is what the house takes for the first of them.
    """
    usual = ANSWERS[question]
    first = () if default is None else (default,)
    answers = (*first, *(one for one in usual if one not in first), *more)
    known = ruled_on(state, question, subjects)
    if known is not None and known in answers:
        return state, known
    if state.here == TABLE and not state.house.auto_default:
        raise RulingWanted(question, subjects, answers)
    if state.here == TABLE and (question, *subjects) not in state.defaulted:
        state = yield RulingRequested(
            question=question,
            subjects=subjects,
            answers=answers,
            fallback=answers[0],
            prompt=None,
            because=("RI-GM-2",),
        )
    return state, answers[0]


def is_open(state: State, question: str, subjects: tuple[str, ...]) -> bool:
    """Return whether *question* is not answered at the table yet, not even by default."""
    if state.here != TABLE or (question, *subjects) in state.defaulted:
        return False
    return ruled_on(state, question, subjects) not in ANSWERS[question]


@record
class QuestionClosed(Event[State]):
    """A question has its answer; the step that asked goes on."""

    type: ClassVar[str] = "question_closed"
    prompt: PromptId

    def evolve(self, state: State) -> State:
        return state.popped(self.prompt)


@record
class AnswerRuling(Command[State]):
    """Answer a question that waits; the answer holds for the same creatures until the GM rules otherwise."""

    type: ClassVar[str] = "answer_ruling"
    sentence: ClassVar[str] = "Answer: {chosen}"
    prompt: PromptId
    chosen: ChosenAnswer
    note: GmNote = ""

    def check(self, view: State) -> None:
        gm(self)
        frame = view.top
        if not isinstance(frame, QuestionFrame) or frame.path != self.prompt:
            raise Refused("prompt_gone", f"no question waits at {self.prompt}", "RI-GM-2")
        wanted(frame, self.chosen)

    def decide(self, state: State) -> Emits[State]:
        frame = state.top_frame(QuestionFrame)
        state = yield from ruling(state, frame.question, frame.subjects, self.chosen, note=self.note)
        return (yield QuestionClosed(prompt=self.prompt, because=("RI-GM-2",)))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        frame = view.top
        if isinstance(frame, QuestionFrame):
            yield Offer(type=cls.type, prompt=frame.path, choices={"chosen": frame.answers})


def wanted(frame: QuestionFrame, chosen: str) -> None:
    """Refuse what is no answer to the question."""
    if chosen not in frame.answers:
        raise Refused(
            "ruling_required", f"{frame.question} is answered by {', '.join(frame.answers)}", "RI-GM-2"
        )
