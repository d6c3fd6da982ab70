"""Answer in advance: what a seat has said once and for all, so that play need not wait for it.

A standing answer is sealed to its seat and part of the record. It answers only what is asked of its own
creature, and its answer makes the same events as any other.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final, Literal

from service.rules.heartrush.permission import own
from service.rules.heartrush.secrecy import sealed_to
from service.rules.heartrush.sheets.notes import Standing
from service.rules.heartrush.state import Creature, State
from service.rules.kernel.messages import Awaited, Command, Emits, Event, Offer, Private, Scope
from service.rules.kernel.records import Sealed, record
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.sealed import is_closed, unsealed

TABLE_STANDING_1: Final = Rule(
    "TABLE-STANDING-1",
    "A seat may answer in advance: let windows pass, shrug nothing off, or only what would kill.",
    RULING,
)


BECAUSE: Final = ("TABLE-STANDING-1",)
ASK: Final = Standing()
WINDOWS: Final = ("ask", "only_abilities", "pass")
SHRUGS: Final = ("ask", "never", "if_it_kills")
BUILT_IN: Final = frozenset({"opportunity_attack", "trip", "pass_window"})


def standing_of(creature: Creature) -> Standing:
    """Return the standing answers of *creature*, as far as this reader knows: those of others ask."""
    found = creature.standing
    if found is None or is_closed(found):
        return ASK
    answers: Standing = unsealed(found)
    return answers


def standing_shrug(creature: Creature) -> Literal["ask", "never", "if_it_kills"]:
    """Return what its seat has said about shrugging off."""
    return standing_of(creature).shrug


def lets_pass(creature: Creature, accepts: tuple[str, ...]) -> bool:
    """Tell whether its seat has said to let a window pass in which it could answer with *accepts*."""
    windows = standing_of(creature).windows
    return windows == "pass" or (windows == "only_abilities" and set(accepts) <= BUILT_IN)


@record
class StandingSet(Event[State]):
    """What a seat answers in advance for a creature; shown to that seat alone."""

    type: ClassVar[str] = "standing_set"
    creature: str
    standing: Standing
    seat: str

    def evolve(self, state: State) -> State:
        sealed = Sealed(audience=(f"seat:{self.seat}",), opens=occasion(self.creature), value=self.standing)
        return state.with_creature(self.creature, standing=sealed)


@record
class StandingChanged(Event[State]):
    """A seat changed what it answers in advance; what that is stays sealed."""

    type: ClassVar[str] = "standing_changed"
    creature: str

    def evolve(self, state: State) -> State:
        return state


def occasion(creature: str) -> str:
    """Return the occasion at which a creature's standing answers open: none that comes before the end."""
    return f"standing/{creature}"


@enforces(TABLE_STANDING_1)
@record
class SetStanding(Command[State]):
    """Answer for a seat in advance: let windows pass, shrug nothing off, or only what would kill.

    `only_abilities` still asks where an instant ability could be used, and lets strikes and trips go by.
    """

    type: ClassVar[str] = "set_standing"
    creature: str
    windows: Literal["ask", "only_abilities", "pass"] = "ask"
    shrug: Literal["ask", "never", "if_it_kills"] = "ask"

    def scope(self, state: State) -> Scope | None:
        return sealed_to(self.by.seat, occasion(self.creature))

    def check(self, view: State) -> None:
        own(view, self, self.creature)

    def decide(self, state: State) -> Emits[State]:
        scope = self.scope(state)
        assert scope is not None
        state = yield StandingChanged(creature=self.creature, because=BECAUSE)
        standing = Standing(windows=self.windows, shrug=self.shrug)
        event = StandingSet(creature=self.creature, standing=standing, seat=self.by.seat, because=BECAUSE)
        return (yield Private(scope=scope, event=event))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        yield Offer(type=cls.type, creature=awaited.creature, choices={"windows": WINDOWS, "shrug": SHRUGS})
