"""Record the GM's rulings: each call the rules leave open is an event; none rewrites what was announced."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final, Literal

from service.rules.kernel import rulebook
from service.rules.kernel.messages import Awaited, Command, Emits, Event, Offer, Refused
from service.rules.kernel.records import changed, record
from service.rules.rise import books
from service.rules.rise.creatures.lasting import Ruling
from service.rules.rise.permission import gm
from service.rules.rise.state import State

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
    ruling: Ruling

    def evolve(self, state: State) -> State:
        kept = tuple([known for known in state.rulings if known.id != self.ruling.supersedes])
        return changed(state, rulings=(*kept, self.ruling))


@rulebook.enforces(RI_GM_2)
@record
class Rule(Command[State]):
    """Record a call of the GM: what it is about, its reason, and how long it holds."""

    type: ClassVar[str] = "rule"
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
        "monster_fate",
        "monster_sprint_exception",
        "improved_cover",
        "delayed_lapse",
        "crit_mode",
        "visibility",
        "swift_mode",
    ]
    subjects: tuple[str, ...] = ()
    chosen: str
    note: str = ""
    scope_of: Literal["once", "encounter", "campaign"] = "once"
    supersedes: str | None = None
    """The ruling that this one takes the place of, from now on."""
    from_round: int | None = None
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

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        yield from ()


def _next(state: State, question: str, subjects: tuple[str, ...], chosen: str) -> Ruling:
    number = 1 + max([int(known.id.removeprefix("ruling-")) for known in state.rulings], default=0)
    return Ruling(
        id=f"ruling-{number}", question=question, subjects=subjects, chosen=chosen, round=state.round
    )


def ruling(
    state: State, question: str, subjects: tuple[str, ...], chosen: str, *, note: str = ""
) -> Emits[State]:
    """Tell what the GM says to a question, by an answer or by a command that is one."""
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
        raise Refused("ruling_retroactive", f"round {from_round} is over")


def ruled(state: State, question: str, subject: str) -> str | None:
    """Return what the GM has last said to *question* about *subject*, if anything."""
    found = [r for r in state.rulings if r.question == question and (not r.subjects or subject in r.subjects)]
    return found[-1].chosen if found else None
