"""Run the round: eleven steps in order, who joins at its boundaries, and when the fight is over."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Final, Literal

from service.rules.kernel.messages import Awaited, Emits, Event
from service.rules.kernel.records import EMPTY, changed, record, with_key
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.values import Creatures, Reason, Round, StepId
from service.rules.rise import books
from service.rules.rise.acting.special_abilities import react, set_off
from service.rules.rise.body.aerial_movement import come_down
from service.rules.rise.body.effects import let_go
from service.rules.rise.body.movement_and_positioning import come_off, squeeze
from service.rules.rise.body.taking_damage import consequences, fall_or_wake, heal, hurt
from service.rules.rise.body.vital_wounds import die_of_wounds
from service.rules.rise.creatures.character import Arrival, Entering, sheet_of
from service.rules.rise.creatures.combat_statistics import end_sustained, expire, ticking
from service.rules.rise.creatures.creature import Budget, Creature, creature_of, is_able
from service.rules.rise.creatures.sheet import side_of
from service.rules.rise.creatures.state import Stage, State
from service.rules.rise.moving.mounts import hold_mounts
from service.rules.rise.moving.objects import leave_things
from service.rules.rise.planning.groups import partition
from service.rules.rise.rounds.action_phase import ActionFrame
from service.rules.rise.rounds.entries import pass_days
from service.rules.rise.rounds.movement_phase import MovementFrame
from service.rules.rise.sight.obstacles_and_targets import burning, clear
from service.rules.rise.values import GroupMembers
from service.rules.rolls.chance import Chance
from service.rules.rolls.closing import close_epoch
from service.rules.space.grid import free_place
from service.rules.table.seats import SeatChanged
from service.rules.table.stack import Frame, FrameDone
from service.rules.table.table import GM

# --- when a fight is over ------------------------------------------------------------------------------

RI_ROUND_6: Final = Rule(
    "RI-ROUND-6",
    "Combat ends by itself after a round in which one side alone is left standing, or nobody is alive.",
    RULING,
)


RI_ROUND_7: Final = Rule(
    "RI-ROUND-7",
    "After a fight another may begin: rounds are numbered on, what ends by itself is gone, places stay.",
    RULING,
)


SIDES = 2
"""Sides that a fight needs before it can be decided."""


@record
class CombatEnded(Event[State]):
    """Combat is over; what was unfinished is dropped."""

    type: ClassVar[str] = "combat_ended"
    reason: Reason

    def evolve(self, state: State) -> State:
        stacks = changed(state.stacks, table=state.stacks.table[:1])
        return changed(
            state,
            stage="ended",
            stacks=stacks,
            worlds=EMPTY,
            hidden_swift=EMPTY,
            plans=EMPTY,
            initiative=EMPTY,
            takings=EMPTY,
            deeds=(),
            unjudged=(),
            effects=(),
        )


@record
class Paused(Event[State]):
    """Everything is announced, and the round has not ended: the GM says when it goes on."""

    type: ClassVar[str] = "paused"
    path: StepId

    def evolve(self, state: State) -> State:
        return changed(state, pauses=False).pushed(PauseFrame(path=self.path))


@record
class PauseEnded(FrameDone[State]):
    """The round goes on."""

    type: ClassVar[str] = "pause_ended"


@record
class PauseFrame(Frame[State]):
    """A pause: nothing happens before the GM goes on."""

    kind: ClassVar[str] = "rise_pause"

    def waiting(self, state: State) -> tuple[Awaited, ...]:
        return (Awaited(prompt=self.path, seat=GM, accepts=("go_on",)),)


def standing_sides(state: State) -> tuple[str, ...]:
    """Return the sides that have somebody who is able to act."""
    able = [c for c in state.creatures.values() if is_able(c)]
    return tuple(dict.fromkeys([creature.sheet.side for creature in able]))


@enforces(RI_ROUND_6)
def is_decided(state: State) -> bool:
    """Return whether combat ends by itself after this round.

    It does not while somebody is still to come, hidden or not, nor where it began with one side.
    """
    if (
        state.goes_on
        or state.round == state.rounds_before
        or not state.house.auto_end
        or state.arriving
        or state.hidden_creatures
    ):
        return False
    fighters = [c for c in state.creatures.values() if c.sheet.kind != "object"]
    if len(dict.fromkeys([creature.sheet.side for creature in fighters])) < SIDES:
        return False
    sides = standing_sides(state)
    return len(sides) == 1 or all(c.dead or c.defeated for c in fighters)


def end_by_itself(state: State) -> Emits[State]:
    """Emit that one side is left, or nobody."""
    sides = standing_sides(state)
    reason = f"{sides[0]} stands alone" if sides else "nobody stands"
    return (yield CombatEnded(reason=reason, because=("RI-ROUND-6",)))


# --- joining -------------------------------------------------------------------------------------------
# Groups, and what is true for them, are fixed in it.


@record
class CreatureArriving(Event[State]):
    """A creature is on its way: it joins when the next phase begins."""

    type: ClassVar[str] = "creature_arriving"
    arrival: Arrival
    """The creature on its way."""

    def evolve(self, state: State) -> State:
        return changed(state, arriving=(*state.arriving, self.arrival))


@record
class CreatureAdded(Event[State]):
    """A creature joins: the first of those on their way, or one that comes before the fight begins."""

    type: ClassVar[str] = "creature_added"
    entry: Entering

    def evolve(self, state: State) -> State:
        creature = creature_of(self.entry)
        creatures = with_key(state.creatures, creature.id, creature)
        return changed(state, creatures=creatures, arriving=state.arriving[1:])


def is_player(state: State, seat: str) -> bool:
    """Return whether *seat* is an open seat of a player."""
    known = state.seats.get(seat)
    return known is not None and not known.closed and known.role == "player"


def arrive(state: State) -> Emits[State]:
    """Emit that everybody who was on the way joins."""
    while state.arriving:
        state = yield from join(state, state.arriving[0])
    return state


def join(state: State, arrival: Arrival) -> Emits[Any]:
    """Emit that a creature joins, what the days before brought it, and who controls it; its place is free."""
    entry = arrival.entry
    place = free_place(
        (entry.position[0], entry.position[1]),
        side_of(sheet_of(entry).size),
        lambda cell: not state.is_solid(cell) and not state.standing_at(cell),
        state.is_divided,
    )
    entry = changed(entry, position=place)
    state = yield CreatureAdded(entry=entry, because=("RI-GM-5",))
    state = yield from pass_days(state, entry)
    if arrival.seat is None or not is_player(state, arrival.seat):
        return state
    creatures = (*state.seats[arrival.seat].creatures, sheet_of(entry).id)
    return (yield SeatChanged(seat=arrival.seat, creatures=creatures, because=("TABLE-SEAT-1",)))


# --- the round -----------------------------------------------------------------------------------------
# Eleven steps in order, two phases, and what happens by itself at their boundaries. The bottom frame of the
# table's stack. A round ends by disclosing the dice it was played with.

RI_ROUND_3: Final = Rule(
    "RI-ROUND-3",
    "Movements, actions and uses are restored each round; what was not used is lost.",
    (
        books.TIME.at("The Movement Phase"),
        books.TIME.at("Standard Actions"),
        books.TIME.at("Minor Actions"),
        books.TIME.at("Free Actions"),
    ),
)
RI_ROUND_1: Final = Rule(
    "RI-ROUND-1",
    "Combat runs in rounds of about six seconds, ten to a minute; only rounds are counted.",
    (books.TIME.at("Rounds"), books.RUNNING.at("Narrative Pacing")),
)
RI_ROUND_2: Final = Rule(
    "RI-ROUND-2",
    "Each round has a movement phase and then an action phase; when both are over the next round begins.",
    (books.TIME.at("Rounds"), books.TIME.at("Phases")),
)
RI_ORDER_4: Final = Rule(
    "RI-ORDER-4",
    "At the end of the round, after its damage and healing, hit points below zero become zero.",
    books.TAKING_DAMAGE.at("Negative Hit Points"),
)
RI_ORDER_3: Final = Rule(
    "RI-ORDER-3",
    "What a boundary of the round sets off happens at once: damage, then healing, then all the rest.",
    books.TIME.at("Simultaneous Damage and Healing"),
    settles=("C-31",),
)


ACCEPTS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "setup": ("start_combat",),
        "idle": ("next_round", "end_combat"),
        "ended": ("continue_combat", "start_combat"),
    }
)
"""What the GM may say where the fight rests."""


@record
class CombatFrame(Frame[State]):
    """The fight itself, below everything unfinished in it."""

    kind: ClassVar[str] = "rise_combat"

    def waiting(self, state: State) -> tuple[Awaited, ...]:
        accepts = ACCEPTS.get(state.stage)
        if accepts is None:
            return ()
        over = state.stage == "ended"
        return (Awaited(prompt=f"r{state.round}/{state.stage}", seat=GM, accepts=accepts, optional=over),)

    def waits(self, state: State) -> bool:
        return state.stage in ("setup", "idle", "ended")

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        if state.stage == "round_start":
            return (yield from (end_by_itself(state) if is_decided(state) else start_round(state, chance)))
        if state.stage in ("movement_start", "action_start"):
            return (yield from start_phase(state, chance))
        if state.stage in ("movement_end", "action_end"):
            return (yield from after_phase(state, chance))
        assert state.stage == "round_end", state.stage
        return (yield from end_round(state, chance))


# --- facts -------------------------------------------------------------------------------------------


@enforces(RI_ROUND_3)
@record
class RoundStarted(Event[State]):
    """A round begins: movements, actions and uses of the round are new."""

    type: ClassVar[str] = "round_started"
    round: Round

    def evolve(self, state: State) -> State:
        creatures = {name: changed(c, budget=Budget()) for name, c in state.creatures.items()}
        skips = self.round == state.rounds_before + 1 and state.start_phase == "action"
        goes_on = state.goes_on and len(standing_sides(state)) < SIDES
        stage: Stage = "action_start" if skips else "movement_start"
        return changed(
            state, round=self.round, step=1, stage=stage, creatures=creatures, goes_on=goes_on, pauses=False
        )


@record
class PhaseStarted(Event[State]):
    """A phase begins: groups and attitudes are fixed, and what one phase counts is reset."""

    type: ClassVar[str] = "phase_started"
    phase: Literal["movement", "action"]
    """The phase."""
    groups: GroupMembers

    def evolve(self, state: State) -> State:
        creatures = {
            name: changed(
                c,
                location_changed=False,
                hovered=False,
                stood=c.position,
                stood_ft=c.altitude,
                hurt_by=(),
                budget=changed(c.budget, turn="not_started", attacks=0, unswift=False),
            )
            for name, c in state.creatures.items()
        }
        state = changed(
            state,
            stage=self.phase,
            step=2 if self.phase == "movement" else 5,
            groups=self.groups,
            creatures=creatures,
            plans=EMPTY,
            initiative=EMPTY,
            defaulted=(),
        )
        frame = MovementFrame if self.phase == "movement" else ActionFrame
        return state.pushed(frame(path=f"r{state.round}/{self.phase}"))


@record
class AttitudesApplied(Event[State]):
    """What creatures said of others for this phase holds now."""

    type: ClassVar[str] = "attitudes_set"

    def evolve(self, state: State) -> State:
        said = {name: dict(known) for name, known in state.attitudes.items()}
        for name, more in state.next_attitudes.items():
            said[name] = {**said.get(name, {}), **more}
        return changed(state, attitudes=said, next_attitudes=EMPTY)


@record
class PhaseEnded(Event[State]):
    """A phase is over."""

    type: ClassVar[str] = "phase_ended"
    phase: Literal["movement", "action"]
    """The phase."""

    def evolve(self, state: State) -> State:
        stage: Stage = "action_start" if self.phase == "movement" else "round_end"
        return changed(state, stage=stage, step=5 if self.phase == "movement" else 11, reacted=False)


@record
class HitPointsReset(Event[State]):
    """With the round, hit points below zero become zero."""

    type: ClassVar[str] = "hit_points_reset"
    creatures: Creatures

    def evolve(self, state: State) -> State:
        for name in self.creatures:
            state = state.with_creature(name, hp=0, depth=0)
        return state


@record
class RoundEnded(Event[State]):
    """A round is over."""

    type: ClassVar[str] = "round_ended"
    round: Round

    def evolve(self, state: State) -> State:
        creatures = {
            name: changed(c, unaware_of=(), partly_unaware_of=()) for name, c in state.creatures.items()
        }
        return changed(state, stage="round_start", step=0, creatures=creatures)


@record
class NobodyCanAct(Event[State]):
    """Nobody is able to act: the fight waits for the GM."""

    type: ClassVar[str] = "nobody_can_act"

    def evolve(self, state: State) -> State:
        return changed(state, stage="idle")


# --- the steps ---------------------------------------------------------------------------------------


@enforces(RI_ROUND_1)
def start_round(state: State, chance: Chance) -> Emits[State]:
    """Emit the start of a round, with what it sets off."""
    state = yield RoundStarted(round=state.round + 1)
    state = yield from boundary(state, chance, 1)
    if not any(is_able(creature) for creature in state.creatures.values()):
        return (yield NobodyCanAct(because=("RI-PHASE-6",)))
    return (yield from hold_mounts(state))


@enforces(RI_ROUND_2)
def start_phase(state: State, chance: Chance) -> Emits[State]:
    """Emit the start of the next phase, with arrivals and groups."""
    phase: Literal["movement", "action"] = "movement" if state.stage == "movement_start" else "action"
    state = yield from boundary(state, chance, 2 if phase == "movement" else 5)
    state = yield from arrive(state)
    state = yield from squeeze(state)
    if state.next_attitudes:
        state = yield AttitudesApplied(because=("RI-GROUP-2",))
    return (yield PhaseStarted(phase=phase, groups=dict(partition(state))))


def after_phase(state: State, chance: Chance) -> Emits[State]:
    """Emit what comes between the resolution of a phase and its end: a pause, then what was set off."""
    if state.stage == "action_end" and state.pauses:
        return (yield Paused(path=f"r{state.round}/pause", because=("RI-RES-15",)))
    if due := set_off(state):
        return (yield from react(due))
    return (yield from end_phase(state, chance, 4 if state.stage == "movement_end" else 10))


def end_phase(state: State, chance: Chance, step: int) -> Emits[State]:
    """Emit what happens by itself when a phase ends, and that it has ended."""
    phase: Literal["movement", "action"] = "movement" if step == 4 else "action"
    state = yield from boundary(state, chance, step)
    state = yield from come_down(state, chance)
    state = yield from expire(state, step)
    state = yield from clear(state, step)
    return (yield PhaseEnded(phase=phase, because=("RI-ROUND-2",)))


@enforces(RI_ORDER_4)
def end_round(state: State, chance: Chance) -> Emits[State]:
    """Emit the end of the round, with the effects that end and the creatures that die."""
    state = yield from boundary(state, chance, 11)
    low = tuple([name for name, c in state.creatures.items() if is_low(state, c)])
    if low:
        state = yield HitPointsReset(creatures=low)
    state = yield from expire(state, 11)
    state = yield from clear(state, 11)
    state = yield from die_of_wounds(state)
    state = yield RoundEnded(round=state.round, because=("RI-ROUND-1",))
    after: State = yield from close_epoch(state, chance)
    return after


def is_low(state: State, creature: Creature) -> bool:
    """Return whether hit points are reset; GM-only ones are at zero too, or the difference would show."""
    most = 0 if "hp" in state.gm_only_of(creature.id) else -1
    return (creature.hp <= most or creature.depth > 0) and not creature.dead


@enforces(RI_ORDER_3)
def boundary(state: State, chance: Chance, step: int) -> Emits[State]:
    """Emit what *step* of the round sets off: damage, healing, and all the rest."""
    state = yield from end_sustained(state)
    ticks = [
        (name, condition.source, tick)
        for name, creature in state.creatures.items()
        for condition, tick in ticking(creature)
        if tick.step == step
    ]
    for name, source, tick in ticks:
        state = yield from hurt(state, name, source or name, tick.damage, tick.sort)
    burnt = burning(state) if step in (4, 10) else []
    for name, placed in burnt:
        state = yield from hurt(state, name, placed.source, placed.zone.damage, placed.zone.sort)
    hit = [*(name for name, _, tick in ticks if tick.damage), *(name for name, _ in burnt)]
    for name in dict.fromkeys(hit):
        state = yield from consequences(state, chance, name)
    for name, _, tick in ticks:
        state = yield from heal(state, name, tick.heal)
    for name in state.creatures:
        state = yield from fall_or_wake(state, name)
    state = yield from come_off(state)
    state = yield from leave_things((yield from let_go(state)))
    return (yield from end_sustained(state))


# --- commands ----------------------------------------------------------------------------------------
