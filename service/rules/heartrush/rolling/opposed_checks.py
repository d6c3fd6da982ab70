"""Opposed checks: two creatures roll against each other, and other effects follow for who wins.

The GM asks for them, alone or as an effect of a ruling: what a stunt takes, who runs faster, who is believed.
"""

from __future__ import annotations

from typing import ClassVar, Final

from service.rules.heartrush import books
from service.rules.heartrush.body.answers import Asking, ChoiceAsked
from service.rules.heartrush.body.operations import (
    Effect,
    EffectsBegun,
    EffectsFrame,
    faults,
    misused,
    no_such,
)
from service.rules.heartrush.body.permission import gm
from service.rules.heartrush.creatures.sheet import Ability
from service.rules.heartrush.creatures.state import Creature, State, is_able_if_aware
from service.rules.heartrush.rolling.checks import (
    EDGE_LIMIT,
    CheckAsked,
    Checked,
    Checking,
    CheckResult,
    Leaning,
)
from service.rules.heartrush.rolling.rolls import Needs
from service.rules.heartrush.timing.clock import at_rest
from service.rules.heartrush.values import Cause, ComesFrom, IsTroubled, Matter, OpponentId, OpposedId, WasWon
from service.rules.kernel.messages import Command, Emits, Event, Refused
from service.rules.kernel.records import changed, record
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.kernel.values import (
    Causes,
    CreatureId,
    CreatureRef,
    Levels,
    Total,
)
from service.rules.rolls.chance import Chance
from service.rules.table.stack import opened_by

HR_GEN_9: Final = Rule(
    "HR-GEN-9",
    "Of two opposed checks the higher total wins; a tie, or failing outright, goes against who tries.",
    (books.OFFENSIVES, books.CHECKS.at("Complications")),
    settles=("A-52",),
    left_open="the ledger has contests of combat alone, and natural ones of checks alone",
)

BODILY: Final[tuple[Ability, ...]] = ("might", "agility")


@record
class ContestTerms:
    """Who tries what against whom."""

    creature: CreatureRef
    ability: Ability
    against: CreatureRef
    """The creature that opposes it."""
    answered_with: tuple[Ability, ...] = BODILY
    """The abilities that it may oppose with, by its own choice."""
    what: Matter
    advantage: Levels = 0
    """Levels of advantage of the creature that tries; below zero, of disadvantage."""
    against_advantage: Levels = 0
    """Levels of advantage of the one that opposes."""
    needs: tuple[Needs, ...] = ()
    """What it takes of both besides the ability, for what hampers that."""


@record
class OpposedTerms(ContestTerms):
    """Who tries what against whom, and what follows."""

    won: tuple[Effect, ...] = ()
    """What follows if the creature wins."""
    lost: tuple[Effect, ...] = ()
    """What follows if it does not."""


@record
class DeclaredContest(OpposedTerms):
    """Two opposed checks that are asked for, and whose doing they are."""

    source: ComesFrom | None
    cause: Cause
    troubled: IsTroubled


@record
class OpposedFrame(DeclaredContest, Asking, Checking):
    """Two opposed checks under way, and the effects that wait for them."""

    kind: ClassVar[str] = "opposed"
    rules: Causes
    mine: Checked | None = None
    """What the check of the creature that tries came to."""
    checked: CheckResult = None

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        answer = self.answer(state)
        if answer is None:
            return (
                yield ChoiceAsked(
                    choice=f"{self.path}/{self.against}/ability",
                    creature=self.against,
                    of="ability",
                    options=self.answered_with,
                    because=("HR-GEN-9",),
                )
            )
        if self.mine is None and self.checked is None:
            return (yield self.check(self.creature, self.against, self.ability, self.advantage))
        if self.mine is None:
            return (yield OpposedHalfKnown(opposed=self.path, because=("HR-GEN-9",)))
        if self.checked is None:
            return (yield self.check(self.against, self.creature, answer, self.against_advantage))
        return (yield from decided(self, self.mine, self.checked))

    def answer(self, state: State) -> Ability | None:
        """Return what it is opposed with; None if that is to be chosen. A limp body uses its largest die."""
        return opposed_with(state.creatures[self.against], self.answered_with, self.picked.get("ability"))

    def check(self, who: str, other: str, ability: Ability, levels: int) -> CheckAsked:
        """Return that *who* is asked for its check."""
        leaning = Leaning(levels=levels, what=self.cause, rule=self.rules[0])
        return CheckAsked(
            check=f"{self.path}/{who}",
            creature=who,
            ability=ability,
            cn=None,
            what=self.what,
            leanings=(leaning,) if levels else (),
            needs=self.needs,
            against=other,
            troubled=self.troubled,
            because=("HR-GEN-5", "HR-GEN-9"),
        )


def opposed_with(opponent: Creature, abilities: tuple[Ability, ...], picked: str | None) -> Ability | None:
    """Return which of *abilities* it opposes a check with; None if it has not *picked* one and can."""
    if picked is None and (len(abilities) == 1 or not is_able_if_aware(opponent)):
        return max(abilities, key=lambda ability: getattr(opponent.sheet, ability))
    return next((ability for ability in abilities if ability == picked), None)


@enforces(HR_GEN_9)
def decided(frame: OpposedFrame, mine: Checked, theirs: Checked) -> Emits[State]:
    """Emit who wins, and the effects that follow."""
    won = not mine.failed_outright and (theirs.failed_outright or mine.total > theirs.total)
    state = yield OpposedDecided(
        opposed=frame.path,
        creature=frame.creature,
        against=frame.against,
        mine=mine.total,
        theirs=theirs.total,
        won=won,
    )
    follows = frame.won if won else frame.lost
    if not follows:
        return state
    return (
        yield EffectsBegun(
            effects=frame.path, order=follows, source=frame.source, cause=frame.cause, because=frame.rules
        )
    )


# --- facts ---------------------------------------------------------------------------------------------


@record
class OpposedBegun(DeclaredContest, Event[State]):
    """Two creatures are to roll against each other."""

    type: ClassVar[str] = "opposed_begun"
    opposed: OpposedId

    def evolve(self, state: State) -> State:
        return state.pushed(opened_by(self, OpposedFrame, self.opposed, rules=self.because))


@record
class OpposedHalfKnown(Event[State]):
    """The check of the creature that tries is known; the other's comes next."""

    type: ClassVar[str] = "opposed_half_known"
    opposed: OpposedId

    def evolve(self, state: State) -> State:
        frame = state.frame(self.opposed, OpposedFrame)
        return state.put(changed(frame, mine=frame.checked, checked=None))


@record
class OpposedDecided(Event[State]):
    """Both checks are known."""

    type: ClassVar[str] = "opposed_decided"
    opposed: OpposedId
    creature: CreatureId
    against: OpponentId
    mine: Total
    """The total of the creature that tried."""
    theirs: Total
    """The total of the one that opposed it."""
    won: WasWon

    def evolve(self, state: State) -> State:
        return state.popped(self.opposed)


# --- asking for them -----------------------------------------------------------------------------------


@record
class Oppose(OpposedTerms, Effect):
    """Let two creatures roll against each other; other effects follow from who wins."""

    kind: ClassVar[str] = "contest"

    def misused(self, *, caused: bool) -> str | None:
        return misused((*self.won, *self.lost), caused=caused)

    def fault(self, view: State) -> str | None:
        missing = no_such(view, self.creature) or no_such(view, self.against)
        if missing or self.creature == self.against:
            return missing or "a creature does not oppose itself"
        if not self.answered_with or len(dict.fromkeys(self.answered_with)) != len(self.answered_with):
            return "the abilities it may be opposed with, each once"
        if max(abs(self.advantage), abs(self.against_advantage)) > EDGE_LIMIT:
            return f"at most {EDGE_LIMIT} levels either way"
        if not self.what:
            return "say in a few words what is tried"
        return faults(view, self.won, self.lost)

    def tell(self, state: State, chance: Chance, frame: EffectsFrame) -> Emits[State]:
        if no_such(state, self.creature) or no_such(state, self.against) or self.creature == self.against:
            return state
        return (
            yield OpposedBegun(
                **{name: getattr(self, name) for name in TERMS},
                opposed=frame.path_of("opposed"),
                source=frame.source,
                cause=frame.cause,
                troubled=is_troubled(state),
                because=frame.rules,
            )
        )


TERMS: Final = tuple(OpposedTerms.__dataclass_fields__)


def is_troubled(state: State) -> bool:
    """Return whether natural 1s count: outside combat, and in it only where the house says so."""
    return at_rest(state) or state.house.contested_complications


@record
class RollContest(ContestTerms, Command[State]):
    """Let two creatures roll against each other, as the GM; the higher total wins, and ties fail."""

    type: ClassVar[str] = "roll_contest"

    def effect(self) -> Oppose:
        """Return the contest as an effect from which nothing follows."""
        terms = ContestTerms.__dataclass_fields__
        return Oppose(**{name: getattr(self, name) for name in terms})

    def check(self, view: State) -> None:
        gm(self)
        for name in (self.creature, self.against):
            if name not in view.creatures:
                raise Refused("no_such_creature", f"there is no creature {name}", "TABLE-SEAT-1")
        fault = self.effect().fault(view)
        if fault is not None:
            raise Refused("params_missing", fault, "HR-GEN-9")

    def decide(self, state: State) -> Emits[State]:
        return (
            yield EffectsBegun(
                effects=state.numbered("contest"),
                order=(self.effect(),),
                source=None,
                cause="contest",
                because=("HR-GEN-9",),
            )
        )
