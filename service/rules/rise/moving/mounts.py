"""Hold a mount: checks on an untrained one as the round begins, guiding with the knees, and what bolts.

A check is a frame of its own. At the round's start it lies on the table's stack, for all to see; with the
knees it is a free action, on the stack of the rider's group. Where the rider's player may exert it, the roll
lies open until it is rolled again or kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, ClassVar, Final, Literal, TypeAlias

from service.dice.values import Roll, Term
from service.rules.kernel.messages import Awaited, Emits, Event, Offer, Refused
from service.rules.kernel.records import changed, record, with_key
from service.rules.kernel.values import CreatureId, StepId, Succeeded, Total
from service.rules.rise.acting.brawling import not_twice
from service.rules.rise.acting.combat_time import check_free, pay_for
from service.rules.rise.acting.turns import begun, offered, sender
from service.rules.rise.body.effects import note
from service.rules.rise.creatures.combat_statistics import (
    EXERTED,
    asks_to_exert,
    exertion,
    first_counts,
    speed_of,
    tired,
)
from service.rules.rise.creatures.creature import Creature, Plan, is_able
from service.rules.rise.creatures.permission import Act
from service.rules.rise.creatures.state import State
from service.rules.rise.moving.objects import handling
from service.rules.rise.planning.intents import is_seen
from service.rules.rise.values import Difficulty, RiderIds
from service.rules.rolls.chance import Chance, PoolDie
from service.rules.table.stack import Frame

Purpose: TypeAlias = Annotated[Literal["control", "knees"], "What it is for."]

DIFFICULTY: Final = {"control": 10, "knees": 5}
"""What a Ride check has to reach."""
FLYING: Final = 10
"""How much harder a mount is to ride in the air."""
FAR_AWAY_FT: Final = 10_000
"""Farther than anybody flees in a round."""
RULE: Final = ("RI-MOUNT-1",)


@record
class RideFrame(Frame[State]):
    """Ride checks that are due, the first one at hand."""

    kind: ClassVar[str] = "rise_ride"
    due: tuple[CreatureId, ...]
    """The riders who still roll."""
    purpose: Purpose
    rolled: Total | None = None
    """What the first of them has rolled, until it is settled."""
    exerted: bool = False
    """Whether the first of them rolls again."""

    def shows(self, name: str) -> bool:
        """Return whether *name* has rolled, and may still roll again or keep the result."""
        return self.rolled is not None and not self.exerted and self.due[0] == name

    def waits(self, state: State) -> bool:
        return self.shows(self.due[0]) and state.creatures[self.due[0]].mount is not None

    def waiting(self, state: State) -> tuple[Awaited, ...]:
        if not self.waits(state):
            return ()
        rider = self.due[0]
        return (
            Awaited(
                prompt=f"{self.path}/{rider}",
                seat=state.controller(rider),
                accepts=("desperate_exertion", "keep_roll"),
                creature=rider,
            ),
        )

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        rider = self.due[0]
        if state.creatures[rider].mount is None:  # by a ruling since it was asked
            return (yield RideDropped(creature=rider, purpose=self.purpose, because=RULE))
        state = yield from roll(state, chance, self)
        if self.exerted:
            state = yield from note(state, chance, exertion(rider))
        elif asks_to_exert(state, rider, missed=not succeeds(state, state.top_frame(RideFrame))):
            return state
        return (yield from settle(state))


# --- facts -------------------------------------------------------------------------------------------


@record
class RideAsked(Event[State]):
    """Riders have to show that they can ride."""

    type: ClassVar[str] = "ride_asked"
    path: StepId
    riders: RiderIds
    purpose: Purpose

    def evolve(self, state: State) -> State:
        return state.pushed(RideFrame(path=self.path, due=self.riders, purpose=self.purpose))


@record
class RideRolled(Event[State]):
    """A rider has rolled its Ride check; what counts from now on."""

    type: ClassVar[str] = "ride_rolled"
    creature: CreatureId
    purpose: Purpose
    total: Total

    def evolve(self, state: State) -> State:
        return state.with_top(RideFrame, rolled=self.total)


@record
class RideExerted(Event[State]):
    """A rider rolls its Ride check again with desperate exertion."""

    type: ClassVar[str] = "ride_exerted"
    creature: CreatureId

    def evolve(self, state: State) -> State:
        return state.with_top(RideFrame, exerted=True)


@record
class RideChecked(Event[State]):
    """A rider holds its mount, or guides it with its knees; or it does not."""

    type: ClassVar[str] = "ride_checked"
    creature: CreatureId
    mount: CreatureId
    """The id of the mount."""
    purpose: Purpose
    total: Total
    difficulty: Difficulty
    success: Succeeded

    def evolve(self, state: State) -> State:
        state = after_first(state)
        if self.purpose == "knees":
            return state.with_budget(self.creature, knees=self.success)
        return state if self.success else state.with_budget(self.mount, bolts=True)


@record
class RideDropped(Event[State]):
    """A rider whose check was due rides nobody any more, so it makes none."""

    type: ClassVar[str] = "ride_dropped"
    creature: CreatureId
    purpose: Purpose

    def evolve(self, state: State) -> State:
        return after_first(state)


@record
class MountBolted(Event[State]):
    """A mount that nobody holds runs away as far as it can, with those who stay on it."""

    type: ClassVar[str] = "mount_bolted"
    creature: CreatureId
    plan: Plan
    """The planned movement; null for none."""

    def evolve(self, state: State) -> State:
        state = state.with_budget(self.creature, moved=True)
        return changed(state, plans=with_key(state.plans, self.creature, self.plan))


def after_first(state: State) -> State:
    """Return *state* with the check of the next rider at hand; of the last one nothing is left."""
    frame = state.top_frame(RideFrame)
    left = frame.due[1:]
    return (
        state.put(changed(frame, due=left, rolled=None, exerted=False)) if left else state.popped(frame.path)
    )


# --- the check ---------------------------------------------------------------------------------------


def ride_terms(creature: Creature) -> tuple[Term, ...]:
    """Return what a Ride check is made of beside its die: it is a check, so fatigue counts."""
    skill = creature.sheet.dexterity if creature.sheet.ride is None else creature.sheet.ride
    return (Term(amount=skill, what="ride", rule="RI-MOUNT-1"), *tired(creature))


def difficulty(mount: Creature, purpose: Purpose) -> int:
    """Return what a Ride check has to reach: 10 to hold a mount, 5 with the knees, 10 more in the air."""
    return DIFFICULTY[purpose] + (FLYING if mount.aloft == "flying" else 0)


def roll(state: State, chance: Chance, frame: RideFrame) -> Emits[State]:
    """Emit the Ride check of the first rider who is due; exerted it is 2 better, and the better counts."""
    rider = frame.due[0]
    terms = ride_terms(state.creatures[rider])
    if frame.exerted:
        terms = (*terms, EXERTED)
    thrown: Roll
    state, thrown = yield from chance.throw(
        state,
        owner=rider,
        stream=f"{rider}/ride/{frame.purpose}",
        purpose={"who": rider, "what": f"ride to {'hold' if frame.purpose == 'control' else 'guide'}"},
        pool=(PoolDie(role="ride", sides=10),),
        terms=terms,
    )
    total = thrown.total
    if frame.rolled is not None and first_counts(state, frame.rolled, total):
        total = frame.rolled
    return (yield RideRolled(creature=rider, purpose=frame.purpose, total=total, because=RULE))


def succeeds(state: State, frame: RideFrame) -> bool:
    """Return whether the open roll is enough."""
    mount = state.creatures[mount_of(state, frame.due[0])]
    return frame.rolled is not None and frame.rolled >= difficulty(mount, frame.purpose)


def mount_of(state: State, rider: str) -> str:
    """Return the mount of somebody who rides."""
    mount = state.creatures[rider].mount
    assert mount is not None, rider
    return mount


def settle(state: State) -> Emits[State]:
    """Emit what the open roll comes to."""
    frame = state.top_frame(RideFrame)
    rider, total = frame.due[0], frame.rolled
    assert total is not None, "rolled before"
    mount = mount_of(state, rider)
    return (
        yield RideChecked(
            creature=rider,
            mount=mount,
            purpose=frame.purpose,
            total=total,
            difficulty=difficulty(state.creatures[mount], frame.purpose),
            success=succeeds(state, frame),
            because=RULE,
        )
    )


# --- an untrained mount ------------------------------------------------------------------------------


def hold_mounts(state: State) -> Emits[State]:
    """Emit who has to hold a mount that is not trained for combat, as the round begins."""
    riders: dict[str, str] = {}
    for name, creature in state.creatures.items():
        mount = state.creatures.get(creature.mount or "")
        if mount is None or mount.sheet.combat_trained or not is_able(mount) or not is_able(creature):
            continue
        riders.setdefault(mount.id, name)  # of several riders the first has the reins
    if not riders:
        return state
    path = f"r{state.round}/ride"
    return (yield RideAsked(path=path, riders=tuple(riders.values()), purpose="control", because=RULE))


def bolt(state: State) -> Emits[State]:
    """Emit where mounts run that nobody holds: away from every enemy they see; or they stay."""
    for name, mount in state.creatures.items():
        if not mount.budget.bolts or mount.budget.moved or not is_able(mount):
            continue
        foes = tuple([n for n in state.creatures if is_feared(state, mount, n)])
        if not foes or state.house.lost_mount == "stays":
            continue
        mode = "fly" if mount.aloft == "flying" and speed_of(state, mount, "fly") else "land"
        plan = Plan(ability="withdraw", targets=foes, distance_ft=FAR_AWAY_FT, mode=mode)
        state = yield MountBolted(creature=name, plan=plan, because=RULE)
    return state


def is_feared(state: State, mount: Creature, name: str) -> bool:
    """Return whether *mount* sees somebody able who is an enemy of its own, or whose enemy it is."""
    other = state.creatures[name]
    hostile = "enemy" in (state.attitude(mount.id, name), state.attitude(name, mount.id))
    return other.id != mount.id and hostile and is_able(other) and is_seen(state, mount, other)


# --- with the knees ----------------------------------------------------------------------------------


@record
class GuideWithKnees(Act):
    """Guide the mount with the knees, by a Ride check of 5: both hands are free for the rest of the round."""

    type: ClassVar[str] = "guide_with_knees"
    sentence: ClassVar[str] = "Guide the mount with your knees"

    def check(self, view: State) -> None:
        creature = handling(view, self)
        if creature.mount is None:
            raise Refused("mount_departed", f"{creature.id} rides nobody", "RI-MOUNT-1")
        not_twice(creature, self.type)
        check_free(view, creature, self.type, None)

    def decide(self, state: State) -> Emits[State]:
        path = f"r{state.round}/{state.stage}/{self.creature}/knees"
        if state.phase == "action":
            state = yield from begun(state, self.creature)
        state = yield from pay_for(self.creature, "free", "free", self.type)
        return (yield RideAsked(path=path, riders=(self.creature,), purpose="knees", because=RULE))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        yield from offered(cls(by=sender(view, awaited), creature=awaited.creature or ""), view)
