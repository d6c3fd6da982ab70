"""Rule as the GM: a recorded decision with its reason and the exact effects that follow from it.

A ruling stores everything it does, so a replay needs nobody. What a player may only ask for waits on the
stack (`AdjudicationAsked`) or on a list (`ask_ruling`) until the GM has answered; both are on the record.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar, Final, Literal

from service.rules.contests.contests import check_text
from service.rules.contests.gm_rulings import (
    MOST_EFFECTS,
    GmRulingRecorded,
    RulingOfGm,
    check_effects,
)
from service.rules.heartrush.body.operations import ABILITIES, Effect, Effects, EffectsBegun, faults
from service.rules.heartrush.body.permission import answering, gm, own
from service.rules.heartrush.creatures.sheet import Request
from service.rules.heartrush.creatures.state import State
from service.rules.heartrush.values import GmAllows
from service.rules.kernel.messages import Awaited, Command, Emits, Event, Offer, Refused, Sentence
from service.rules.kernel.records import changed, record
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.values import (
    LABEL,
    Choice,
    CreatureId,
    Decision,
    PromptId,
    Prose,
    Reason,
    StepId,
)
from service.rules.rolls.chance import Chance
from service.rules.table.stack import Frame, opened_by
from service.rules.table.table import GM

HR_SVC_6: Final = Rule(
    "HR-SVC-6", "A correction is added to the record; nothing that was recorded is changed.", RULING
)
HR_SVC_1: Final = Rule(
    "HR-SVC-1",
    "The GM rules: a decision, its reason, and effects that the rules apply like any other.",
    RULING,
)


Kind = Literal[
    "surprise",
    "void",
    "hazard",
    "environment",
    "effect",
    "helpless",
    "withdraw",
    "complication",
    "stunt",
    "ability",
    "wound",
    "aspect",
    "object",
    "correction",
    "other",
]


@record
class DeclaredAdjudication:
    """What the GM is to allow or not, and what follows."""

    about: Kind
    """What it is about."""
    creature: CreatureId
    text: Prose
    on_accept: tuple[Effect, ...] = ()
    """What follows from a yes, besides whatever the GM adds."""
    on_reject: tuple[Effect, ...] = ()
    """The effects if the GM does not allow it."""
    against: CreatureId | None = None
    """The other creature that it is about, if one is."""


@record
class AdjudicationFrame(DeclaredAdjudication, Frame[State]):
    """Something that goes on only if the GM says so."""

    kind: ClassVar[str] = "adjudication"

    def waiting(self, state: State) -> tuple[Awaited, ...]:
        return (Awaited(prompt=self.path, seat=GM, accepts=("adjudicate",)),)

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        raise AssertionError(self.path)


@record
class AdjudicationAsked(DeclaredAdjudication, Event[State]):
    """Play waits for the GM to allow something or not."""

    type: ClassVar[str] = "adjudication_asked"
    adjudication: StepId
    """The id of the step that waits for the GM."""

    def evolve(self, state: State) -> State:
        frame = opened_by(self, AdjudicationFrame, self.adjudication)
        return changed(state, rulings=state.rulings + 1).pushed(frame)


@record
class RulingRequested(Event[State]):
    """A player asked the GM for a ruling; play goes on meanwhile."""

    type: ClassVar[str] = "ruling_requested"
    request: StepId
    """The id of the request."""
    creature: CreatureId
    text: Prose

    def evolve(self, state: State) -> State:
        request = Request(id=self.request, creature=self.creature, text=self.text)
        return changed(state, rulings=state.rulings + 1, requests=(*state.requests, request))


@record
class RulingRecorded(GmRulingRecorded[State]):
    """The GM ruled: on what, how, why, and with which effects."""

    kind: Kind
    """The kind: which of those listed."""
    effects: Effects = ()
    answers: Choice | None = None
    """The request, or the prompt, that this ruling answers."""

    def evolve(self, state: State) -> State:
        state = changed(
            state,
            rulings=state.rulings + 1,
            requests=tuple(request for request in state.requests if request.id != self.answers),
        )
        top = state.top
        if isinstance(top, AdjudicationFrame) and top.path == self.answers:
            return state.popped(top.path)
        return state


def rule_on(state: State, ruling: RulingRecorded) -> Emits[State]:
    """Emit a ruling and begin its effects, above whatever is unfinished."""
    state = yield ruling
    if not ruling.effects:
        return state
    return (
        yield EffectsBegun(
            effects=ruling.ruling,
            order=ruling.effects,
            source=None,
            cause="ruling",
            because=ruling.because,
        )
    )


def path_of(state: State) -> str:
    """Return the path of the ruling that is made next."""
    return state.numbered("ruling")


def check_ruling(view: State, decision: str, effects: tuple[Effect, ...]) -> None:
    """Refuse a ruling that says nothing, or whose effects cannot be."""
    check_text(decision, "a decision", rule_id="HR-SVC-1")
    check_effects(len(effects), faults(view, effects), "HR-SVC-1")


@enforces(HR_SVC_6)
def because_of(kind: Kind) -> tuple[str, ...]:
    """Return the rules that a ruling of *kind* cites."""
    return ("HR-SVC-1", "HR-SVC-6") if kind == "correction" else ("HR-SVC-1",)


@enforces(HR_SVC_1)
@record
class GmRuling(RulingOfGm[State]):
    """Rule as the GM: a decision, its reason, and effects that run through the rules like any others."""

    kind: Kind
    """The kind: which of those listed."""
    effects: Effects = ()
    answers: Choice | None = None
    """The request of a player that it answers."""

    def check(self, view: State) -> None:
        gm(self)
        self.check_contest(view)
        if self.answers is not None and all(request.id != self.answers for request in view.requests):
            raise Refused("no_such_request", f"nobody asks {self.answers}", HR_SVC_1.id)
        check_ruling(view, self.decision, self.effects)

    def decide(self, state: State) -> Emits[State]:
        ruling = RulingRecorded(
            ruling=path_of(state),
            kind=self.kind,
            subject=self.subject,
            decision=self.decision,
            reason=self.reason,
            seat=self.by.seat,
            effects=self.effects,
            answers=self.answers,
            because=because_of(self.kind),
        )
        state = yield from self.close_contest(state)
        return (yield from rule_on(state, ruling))


@record
class Adjudicate(Command[State]):
    """Allow what waits for the GM, with whatever follows from it, or forbid it; both are recorded."""

    type: ClassVar[str] = "adjudicate"
    sentence: ClassVar[Sentence] = {
        "accept=True": "Allow it",
        "accept=False": "Forbid it",
        "": "Allow it, or forbid it",
    }
    prompt: PromptId
    accept: GmAllows
    decision: Decision = ""
    reason: Reason = ""
    effects: tuple[Effect, ...] = ()
    """What follows besides; a `check` effect makes it depend on a roll."""

    def check(self, view: State) -> None:
        gm(self)
        answering(view, self)
        check_ruling(view, self.decision or "as asked", self.effects)

    def decide(self, state: State) -> Emits[State]:
        frame = state.top_frame(AdjudicationFrame)
        own_effects = frame.on_accept if self.accept else frame.on_reject
        ruling = RulingRecorded(
            ruling=path_of(state),
            kind=frame.about,
            subject=frame.creature,
            decision=self.decision or ("accepted" if self.accept else "rejected"),
            reason=self.reason,
            seat=self.by.seat,
            effects=(*own_effects, *self.effects),
            answers=frame.path,
            because=("HR-SVC-1",),
        )
        return (yield from rule_on(state, ruling))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        yield Offer(type=cls.type, prompt=awaited.prompt, choices={"accept": (True, False)})
        frame = view.top
        if isinstance(frame, AdjudicationFrame) and frame.about == "stunt" and frame.against is not None:
            both = (view.creatures.get(name) for name in (frame.creature, frame.against))
            if not all(found is not None and found.is_present for found in both):
                return  # one of them has died since it was declared
            follows = tuple(ways_of_stunt(frame.creature, frame.against, frame.text))
            yield Offer(
                type=cls.type, prompt=awaited.prompt, given={"accept": True}, choices={"effects": follows}
            )


OUTCOMES: Final[tuple[Mapping[str, object], ...]] = (
    {"condition": "prone"},
    {"condition": "off_balanced", "levels": 2},
    {"condition": "dazed", "levels": 2},
    {"condition": "blinded"},
)
"""What a stunt that is won may do, as it is offered; the GM may say anything else."""


def ways_of_stunt(creature: str, against: str, text: str) -> Iterator[tuple[Mapping[str, object], ...]]:
    """Yield effects by which a stunt may be allowed: a contest with each ability, and what it wins."""
    for ability in ABILITIES:
        for outcome in OUTCOMES:
            yield (
                {
                    "kind": "contest",
                    "creature": creature,
                    "ability": ability,
                    "against": against,
                    "what": text[:LABEL],
                    "won": ({"kind": "condition", "creature": against, **outcome},),
                },
            )


@record
class AskRuling(Command[State]):
    """Ask the GM to rule on something a creature would do; the game goes on meanwhile."""

    type: ClassVar[str] = "ask_ruling"
    creature: CreatureId
    text: Prose

    def check(self, view: State) -> None:
        own(view, self, self.creature)
        check_text(self.text, "a request", rule_id="HR-SVC-1")
        if len(view.requests) >= MOST_EFFECTS:
            raise Refused("too_many_requests", "the gm has enough to answer: wait for a ruling", "HR-SVC-1")

    def decide(self, state: State) -> Emits[State]:
        request = f"request-{state.rulings + 1}"
        return (
            yield RulingRequested(
                request=request, creature=self.creature, text=self.text, because=("HR-SVC-1",)
            )
        )
