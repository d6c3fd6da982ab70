"""Contest checks: one creature tries, others oppose; offensive actions are won or lost by them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Final, Literal, TypeAlias

from service.dice.values import Roll
from service.rules.heartrush import books
from service.rules.heartrush.body.permission import answering_for, own
from service.rules.heartrush.creatures.sheet import Ability, Complication
from service.rules.heartrush.creatures.state import Creature, State, is_able_if_aware
from service.rules.heartrush.rolling.rolls import (
    Edge,
    ability_die,
    hampered,
    heart_die,
    helped,
    high_ground,
    prone,
    spend_help,
    throw,
    trouble_face,
    unseen_edges,
)
from service.rules.heartrush.timing.engagement import Earned, EngagementFrame, Offensive, put
from service.rules.heartrush.values import Complicated, ContestStepId, EngagementId, WasWon
from service.rules.kernel.messages import Awaited, Command, Emits, Event, Offer
from service.rules.kernel.records import EMPTY, changed, record, with_key
from service.rules.kernel.rulebook import Rule, enforces
from service.rules.kernel.values import CreatureId, PromptId, Reason, TargetId, Total
from service.rules.rolls.chance import Chance
from service.rules.table.stack import Frame

# --- contests ------------------------------------------------------------------------------------------
# One creature tries something, others oppose it as they choose, the higher total wins. A contest is a frame:
# it waits until every opponent has chosen might or agility, then all roll, first the one that tries. Each
# kind (grapple, climb, break free, shake off, a ruling's) says what is tried, what it adds to rolls and what
# comes of it.

HR_OFF_4: Final = Rule(
    "HR-OFF-4",
    "A contested check is heart and ability die, swayed like an attack or defense, without arms or armor.",
    books.OFFENSIVES,
    settles=("A-52", "A-55"),
)


Bodily: TypeAlias = Annotated[Literal["might", "agility"], "The ability: might or agility."]
BODILY: Final[tuple[Bodily, ...]] = ("might", "agility")


@record
class ContestFrame(Frame[State]):
    """A contested check under way; its kinds say what it is about."""

    kind: ClassVar[str] = "contest"
    creature: CreatureId
    ability: Ability
    opponents: tuple[CreatureId, ...]
    """The ids of the opponents."""
    seen: Mapping[CreatureId, Creature] = EMPTY
    """The creatures as the engagement's step began; empty where the contest stands alone."""
    chosen: Mapping[CreatureId, Ability] = EMPTY
    """What each opponent opposes it with."""
    totals: Mapping[CreatureId, Total] = EMPTY
    """The totals so far, by creature."""

    def waiting(self, state: State) -> tuple[Awaited, ...]:
        return tuple(
            Awaited(
                prompt=f"{self.path}/{name}",
                seat=state.controller(name),
                accepts=("choose_defense_ability",),
                creature=name,
            )
            for name in self.opponents
            if name not in self.chosen and is_able_if_aware(state.creatures[name])
        )

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        limp = next((name for name in self.opponents if name not in self.chosen), None)
        if limp is not None:
            ability = best_of(state.creatures[limp])
            return (
                yield DefenseAbilityChosen(contest=self.path, creature=limp, ability=ability, because=WHY)
            )
        due = next((name for name in (self.creature, *self.opponents) if name not in self.totals), None)
        if due is not None:
            return (yield from roll(state, chance, self, due))
        mine, theirs = self.totals[self.creature], [self.totals[name] for name in self.opponents]
        won = all(mine > each for each in theirs)
        tied = not won and mine == max(theirs)
        state = yield ContestDecided(
            contest=self.path, creature=self.creature, won=won, tied=tied, because=self.rules()
        )
        return (yield from self.outcome(state, won=won))

    def rules(self) -> tuple[str, ...]:
        """Return the rules this contest goes by."""
        raise NotImplementedError

    def edges(self, state: State, who: Creature, against: Creature) -> tuple[Edge, ...]:
        """Return what changes the roll of *who*: by default what changes attacks and defenses."""
        acts = who.id == self.creature
        return (
            *hampered(state, who, self.ability_of(who.id), "attack" if acts else "defense", against=against),
            *(high_ground(state, who, against) if acts else ()),
            *prone(who),
            *unseen_edges(state, who, against),
        )

    def final(self, who: str, total: int) -> int:
        """Return what the total of *who* counts."""
        return total

    def outcome(self, state: State, *, won: bool) -> Emits[State]:
        """Emit what comes of it."""
        raise NotImplementedError

    def ability_of(self, who: str) -> Ability:
        """Return the ability *who* rolls."""
        return self.ability if who == self.creature else self.chosen[who]

    def as_seen(self, state: State, who: str) -> Creature:
        """Return the creature whose dice and conditions the contest goes by."""
        return self.seen.get(who) or state.creatures[who]


WHY: Final = ("HR-OFF-4",)


@record
class DefenseAbilityChosen(Event[State]):
    """An opponent has chosen the ability it opposes with."""

    type: ClassVar[str] = "defense_ability_chosen"
    contest: ContestStepId
    creature: CreatureId
    ability: Ability

    def evolve(self, state: State) -> State:
        frame = state.frame(self.contest, ContestFrame)
        return state.put(changed(frame, chosen=with_key(frame.chosen, self.creature, self.ability)))


@record
class ContestRolled(Event[State]):
    """One side of a contested check has rolled."""

    type: ClassVar[str] = "contest_rolled"
    contest: ContestStepId
    creature: CreatureId
    ability: Ability
    total: Total
    complication: Complicated = False

    def evolve(self, state: State) -> State:
        frame = state.frame(self.contest, ContestFrame)
        state = state.put(changed(frame, totals=with_key(frame.totals, self.creature, self.total)))
        if not self.complication:
            return state
        pending = Complication(id=f"{self.contest}/{self.creature}", creature=self.creature, what=frame.kind)
        return changed(state, complications=(*state.complications, pending))


@record
class ContestDecided(Event[State]):
    """A contested check is over."""

    type: ClassVar[str] = "contest_over"
    contest: ContestStepId
    creature: CreatureId
    won: WasWon
    tied: bool
    """Whether both totals are equal, so that it was lost."""

    def evolve(self, state: State) -> State:
        return state.popped(self.contest)


def best_of(creature: Creature) -> Bodily:
    """Return the ability with the larger die of might and agility: what a limp body opposes with."""
    return "agility" if creature.sheet.agility > creature.sheet.might else "might"


@enforces(HR_OFF_4)
def roll(state: State, chance: Chance, frame: ContestFrame, who: str) -> Emits[State]:
    """Emit the roll of *who* in a contested check."""
    other = frame.opponents[0] if who == frame.creature else frame.creature
    roller = frame.as_seen(state, who)
    ability = frame.ability_of(who)
    thrown: Roll
    state, thrown = yield from throw(
        state,
        chance,
        owner=who,
        stream=f"{who}/contest",
        purpose={"what": frame.kind, "contest": frame.path, "against": other, "ability": ability},
        pool=(heart_die(roller), ability_die(roller, ability)),
        edges=(*helped(state, who), *frame.edges(state, roller, frame.as_seen(state, other))),
    )
    state = yield from spend_help(state, who)
    return (
        yield ContestRolled(
            contest=frame.path,
            creature=who,
            ability=ability,
            total=frame.final(who, thrown.total),
            complication=_troubles(state, roller, ability, thrown),
        )
    )


def _troubles(state: State, roller: Creature, ability: Ability, thrown: Roll) -> bool:
    if not state.house.contested_complications:
        return False
    limit = trouble_face(roller, ability)
    return any(die.face <= limit and not die.dropped for die in thrown.dice)


@record
class ChooseDefenseAbility(Command[State]):
    """Oppose what is tried on you with your might or your agility."""

    type: ClassVar[str] = "choose_defense_ability"
    sentence: ClassVar[str] = "Resist by {ability}"
    creature: CreatureId
    prompt: PromptId
    ability: Bodily

    def check(self, view: State) -> None:
        own(view, self, self.creature)
        answering_for(view, self, self.creature)

    def decide(self, state: State) -> Emits[State]:
        contest = self.prompt.rpartition("/")[0]
        return (
            yield DefenseAbilityChosen(
                contest=contest, creature=self.creature, ability=self.ability, because=WHY
            )
        )

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        yield Offer(
            type=cls.type,
            creature=awaited.creature,
            prompt=awaited.prompt,
            choices={"ability": BODILY},
        )


# --- the course of offensive actions -------------------------------------------------------------------
# Begun instead of an attack, won or lost, landed or fizzled. What is won waits on the engagement until all
# attacks are made; `offensive_actions` carries it out.


@record
class OffensiveBegun(Event[State]):
    """A participant forgoes its attack for something else."""

    type: ClassVar[str] = "offensive_begun"
    engagement: EngagementId
    creature: CreatureId
    target: TargetId
    offensive: Offensive
    """The offensive action; null for none."""

    def evolve(self, state: State) -> State:
        state = put(state, self.engagement, self.creature, attack="forgone")
        frame = state.frame(self.engagement, EngagementFrame)
        return state.put(changed(frame, exchanges=frame.exchanges[1:]))


@record
class OffensiveResolved(Event[State]):
    """What was tried instead of an attack succeeds, and lands after all attacks; or it fails."""

    type: ClassVar[str] = "offensive_resolved"
    engagement: EngagementId
    creature: CreatureId
    target: TargetId
    offensive: Offensive
    """The offensive action; null for none."""
    won: WasWon

    def evolve(self, state: State) -> State:
        if not self.won:
            return state
        frame = state.frame(self.engagement, EngagementFrame)
        earned = Earned(creature=self.creature, target=self.target, offensive=self.offensive)
        return state.put(changed(frame, offensives=(*frame.offensives, earned)))


@record
class OffensiveContest(ContestFrame):
    """What is tried instead of an attack, against one who opposes it."""

    engagement: EngagementId
    offensive: Offensive
    """The offensive action; null for none."""

    def outcome(self, state: State, *, won: bool) -> Emits[State]:
        return (
            yield OffensiveResolved(
                engagement=self.engagement,
                creature=self.creature,
                target=self.opponents[0],
                offensive=self.offensive,
                won=won,
                because=self.rules(),
            )
        )


@record
class OffensiveTried(Event[State]):
    """Somebody begins what takes a contest, instead of an attack."""

    abstract: ClassVar[bool] = True
    contest: ContestStepId
    engagement: EngagementId
    creature: CreatureId
    target: TargetId
    offensive: Offensive
    """The offensive action; null for none."""

    def terms(self, state: State) -> dict[str, Any]:
        """Return what the frame of every such contest holds: both are seen as the step began."""
        seen = state.frame(self.engagement, EngagementFrame).snapshot
        return {
            "path": self.contest,
            "engagement": self.engagement,
            "creature": self.creature,
            "opponents": (self.target,),
            "offensive": self.offensive,
            "seen": {name: seen[name] for name in (self.creature, self.target) if name in seen},
        }


@record
class OffensiveLanded(Event[State]):
    """What was won instead of an attack takes effect now."""

    type: ClassVar[str] = "offensive_landed"
    engagement: EngagementId
    creature: CreatureId
    target: TargetId

    def evolve(self, state: State) -> State:
        return _without_first(state, self.engagement)


@record
class OffensiveFizzled(Event[State]):
    """What was won instead of an attack finds nothing to act on when it would land."""

    type: ClassVar[str] = "offensive_action_fizzled"
    engagement: EngagementId
    creature: CreatureId
    target: TargetId
    reason: Reason

    def evolve(self, state: State) -> State:
        return _without_first(state, self.engagement)


@record
class OffensivesOver(Event[State]):
    """Everything that was won instead of attacks has landed."""

    type: ClassVar[str] = "offensives_over"
    engagement: EngagementId

    def evolve(self, state: State) -> State:
        return state.frame(self.engagement, EngagementFrame).moved_to(state, "closing")


def _without_first(state: State, path: str) -> State:
    frame = state.frame(path, EngagementFrame)
    return state.put(changed(frame, offensives=frame.offensives[1:]))
