"""Begin and end combat: surprise, attacks before the first round, and who opens every round."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from types import MappingProxyType
from typing import ClassVar, Final

from service.dice.values import Roll
from service.rules.heartrush import books
from service.rules.heartrush.body.actions import first_rush, with_fresh_round
from service.rules.heartrush.body.permission import check_settled, gm, running, timing_of
from service.rules.heartrush.body.wounds import fall_to_zero
from service.rules.heartrush.creatures.state import TABLE_OWNER, State, is_able
from service.rules.heartrush.values import ShownFace, Starter, SurprisedCreatures, UnawareSide
from service.rules.kernel.messages import (
    Awaited,
    Command,
    Emits,
    Event,
    Fact,
    Noted,
    Offer,
    Refused,
    Sentence,
)
from service.rules.kernel.records import EMPTY, changed, record
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.values import CreatureId, Reason
from service.rules.rolls.chance import Chance, PoolDie
from service.rules.rolls.closing import close_epoch

HR_START_1: Final = Rule(
    "HR-START-1",
    "When combat begins nobody has priority, so only instants may be used until it is granted.",
    books.COMBAT.at("Starting Combat"),
)
HR_START_9: Final = Rule(
    "HR-START-9",
    "Creatures that are hidden at the start hid before combat. Nobody can hide during combat.",
    (books.COMBAT.at("Opportunity Attack"), books.BASICS.at("Hiding")),
)
HR_START_4: Final = Rule(
    "HR-START-4",
    "The side that begins picks one of its members to begin with.",
    books.COMBAT.at("Starting Combat"),
    settles=("A-06",),
)
HR_START_3: Final = Rule(
    "HR-START-3",
    "If both sides saw it coming the players roll a d6: on 4 or more they start, otherwise the others.",
    books.COMBAT.at("Starting Combat"),
    settles=("A-07",),
)
HR_SVC_7: Final = Rule(
    "HR-SVC-7",
    "After a fight another may begin in the same encounter: rounds are numbered on, rush starts at 0.",
    RULING,
    settles=("A-71",),
    left_open="the books speak of encounters, and of nothing that an encounter of this service is",
)
HR_SVC_4: Final = Rule(
    "HR-SVC-4",
    "Combat ends by the GM's word, or by itself when a side has no active member left.",
    RULING,
    settles=("A-71",),
)


PLAYERS_START: Final = 4
"""The least face of the opening die with which the players begin."""


BEYOND_COMBAT: Final = ("minute", "until_reused", "ongoing")
"""What affects creatures so long outlasts the fight."""


_NOTHING_YET: Final[Mapping[str, object]] = MappingProxyType(
    {
        "starting_side": None,
        "starter": None,
        "priority_side": None,
        "last_actor_side": None,
        "last_actor": None,
        "passes": 0,
        "auto_passes": 0,
        "acted_this_round": False,
        "member_passed": (),
        "ending": "",
        "initiative": EMPTY,
        "turn_order": (),
        "turns": (),
        "turn": 0,
        "delayed": (),
    }
)
"""What a fight has not decided yet when it begins, and what ends with it."""
_COUNTS: Final[Mapping[str, object]] = MappingProxyType({"engagements": 0, "movements": 0, "instants": 0})
"""What a fight has not counted yet when it begins. The counts name what follows it, too, so they stay."""


@enforces(HR_SVC_7)
@record
class CombatBegan(Event[State]):
    """Combat begins: its first round, an action and a rush point for everybody, priority for nobody."""

    type: ClassVar[str] = "combat_began"
    unaware_side: UnawareSide | None
    surprised: SurprisedCreatures
    hidden: Mapping[CreatureId, tuple[CreatureId, ...]] = EMPTY
    """Who is hidden, and from whom."""

    def evolve(self, state: State) -> State:
        creatures = {
            name: with_fresh_round(
                creature,
                action=1,
                free_dash=True,
                free_object=True,
                free_callout=True,
                rounds_active=(),
                meditation=0,
                surprised=name in self.surprised,
                hidden_from=self.hidden.get(name, creature.hidden_from),
            )
            for name, creature in state.creatures.items()
        }
        return changed(
            state,
            phase="precombat",
            round=state.round + 1,
            rounds_before=state.round,
            creatures=creatures,
            unaware_side=self.unaware_side,
            **_NOTHING_YET,
            **_COUNTS,
        )


@record
class OpeningDecided(Event[State]):
    """Both sides saw it coming: a die will say who begins."""

    type: ClassVar[str] = "opening_contested"

    def evolve(self, state: State) -> State:
        return changed(state, phase="opening")


@record
class OpeningRoll(Noted[State]):
    """What the players' opening die showed."""

    type: ClassVar[str] = "opening_roll"
    face: ShownFace


@record
class CombatEnded(Event[State]):
    """Combat is over: rush is gone and the counters of minor abilities are reset."""

    type: ClassVar[str] = "combat_ended"
    reason: Reason

    def evolve(self, state: State) -> State:
        creatures = {
            name: with_fresh_round(
                creature, rush=0, uses={}, surprised=False, drenched=False, rounds_active=(), meditation=0
            )
            for name, creature in state.creatures.items()
        }
        frames = state.stacks.table[:1]
        lasting = tuple(one for one in state.lasting if one.lasts in BEYOND_COMBAT)
        return changed(
            state,
            phase="ended",
            creatures=creatures,
            lasting=lasting,
            stacks=changed(state.stacks, table=frames),
            unaware_side=None,
            **_NOTHING_YET,
        )


@enforces(HR_START_1)
@record
class BeginCombat(Command[State]):
    """Begin combat, as the GM; until priority is granted, only instants may be used.

    `unaware_side` did not expect the attack; `surprised` creatures can do nothing in round 1, and a side
    surprised as a whole is the unaware one; `hidden` names who is hidden, and from which enemies. When a
    fight is over, another may begin.
    """

    type: ClassVar[str] = "begin_combat"
    sentence: ClassVar[str] = "Begin combat[: {unaware_side} did not expect it]"
    unaware_side: UnawareSide | None = None
    surprised: SurprisedCreatures = ()
    hidden: Mapping[CreatureId, tuple[CreatureId, ...]] = EMPTY
    """Who is hidden from whom when combat begins, by creature."""

    def check(self, view: State) -> None:
        if not view.paused():
            raise Refused("in_combat", "combat has begun already", HR_START_1.id)
        check_settled(view)
        gm(self)
        if self.unaware_side is not None and self.unaware_side not in view.sides:
            raise Refused("no_such_side", f"there is no side {self.unaware_side}", HR_START_1.id)
        for creature in self.surprised:
            if creature not in view.creatures:
                raise Refused("no_such_creature", f"there is no creature {creature}", HR_START_1.id)
        check_hidden(view, self.hidden)
        if any(not any(True for _ in view.members(side)) for side in view.sides):
            raise Refused("side_empty", "each side needs at least one creature", HR_START_1.id)
        if view.phase == "ended" and not can_fight_again(view):
            raise Refused("side_empty", "each side needs somebody who can fight", "HR-SVC-7")

    def decide(self, state: State) -> Emits[State]:
        unaware = self.unaware_side or wholly_surprised(state, self.surprised)
        state = yield CombatBegan(unaware_side=unaware, surprised=self.surprised, hidden=self.hidden)
        state = yield from first_rush(state)
        for creature in state.creatures.values():
            if creature.down_since_s is None:
                state = yield from fall_to_zero(state, creature.id, 1)
        return state

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        if view.phase == "setup" or (view.phase == "ended" and can_fight_again(view)):
            yield Offer(type=cls.type, choices={"unaware_side": (None, *view.sides)})


def can_fight_again(view: State) -> bool:
    """Return whether each side has somebody who can fight."""
    return len(view.sides_left) == len(view.sides)


@enforces(HR_START_9)
def check_hidden(view: State, hidden: Mapping[str, tuple[str, ...]]) -> None:
    """Refuse hidden creatures, or creatures they are hidden from, that are not in this fight."""
    for creature, viewers in hidden.items():
        for name in (creature, *viewers):
            if name not in view.creatures:
                raise Refused("no_such_creature", f"there is no creature {name}", HR_START_9.id)


@enforces(HR_START_4)
@record
class GrantPriority(Command[State]):
    """Grant the first priority of the fight; `starter` names who begins, if one side was unaware."""

    type: ClassVar[str] = "grant_priority"
    sentence: ClassVar[Sentence] = {
        "starter=None": "Settle which side begins",
        "": "Let {starter} begin",
    }
    starter: Starter | None = None

    def check(self, view: State) -> None:
        if view.phase == "setup":
            raise Refused("no_encounter", "combat has not begun: the gm sends begin_combat", HR_START_4.id)
        running(view)
        if view.phase != "precombat":
            raise Refused("priority_granted_already", "priority has been granted", HR_START_4.id)
        gm(self)
        if self.starter is not None and self.starter not in view.creatures:
            raise Refused("no_such_creature", f"there is no creature {self.starter}", HR_START_4.id)
        if self.starter is not None and self.starter not in starters(view):
            raise Refused("no_valid_target", self._wrong(view), HR_START_4.id)

    def _wrong(self, view: State) -> str:
        """Return why the starter cannot begin."""
        if view.unaware_side is None or view.house.timing != "priority":
            return "it is not settled yet which side begins; then whoever of it acts first begins"
        return f"{self.starter} is not one of {view.other(view.unaware_side)} that can act"

    def decide(self, state: State) -> Emits[State]:
        return (yield from timing_of(state).begin(state, self.starter))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        if view.phase == "precombat":
            yield Offer(type=cls.type, choices={"starter": (None, *starters(view))})


def starters(view: State) -> tuple[str, ...]:
    """Return who may be named to begin: those of the side that starts, where that is settled, who can act."""
    if view.unaware_side is None or view.house.timing != "priority":
        return ()
    return tuple(one.id for one in view.members(view.other(view.unaware_side)) if is_able(one))


def wholly_surprised(state: State, surprised: tuple[str, ...]) -> str | None:
    """Return the side of which everybody who could act is surprised, where the other side's are not."""
    found = [side for side in state.sides if _is_taken_unawares(state, side, surprised)]
    return found[0] if len(found) == 1 else None


def _is_taken_unawares(state: State, side: str, surprised: tuple[str, ...]) -> bool:
    active = [creature.id for creature in state.members(side) if creature.status == "active"]
    return bool(active) and all(name in surprised for name in active)


@enforces(HR_START_3)
def first_side(state: State, chance: Chance) -> Generator[Fact[State], State, tuple[State, str]]:
    """Emit the die that decides which side begins; return the state and that side."""
    roll: Roll
    state, roll = yield from chance.throw(
        state,
        owner=TABLE_OWNER,
        stream="table",
        purpose={"what": "opening"},
        pool=(PoolDie(role="opening", sides=6),),
    )
    state = yield OpeningRoll(face=roll.total)
    return state, state.player_side if roll.total >= PLAYERS_START else state.other(state.player_side)


@enforces(HR_SVC_4)
def end_if_one_side_is_gone(state: State, chance: Chance) -> Emits[State]:
    """Emit the end of the fight if a side has no active member left; nothing otherwise."""
    for side in state.sides:
        if side not in state.sides_left:
            return (yield from end(state, chance, f"{side} has nobody left"))
    return state


def end(state: State, chance: Chance, reason: str) -> Emits[State]:
    """Emit that combat ends, and disclose the dice of its last round."""
    state = yield CombatEnded(reason=reason, because=("HR-SVC-4", "A-71"))
    after: State = yield from close_epoch(state, chance)
    return after


def is_one_side_gone(state: State) -> bool:
    """Return whether combat ends by itself now."""
    return state.house.auto_end and len(state.sides_left) < len(state.sides)
