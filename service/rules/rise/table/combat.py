"""Begin and end combat by the GM's word, and bring creatures into it: announced or hidden."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final, Literal

from service.rules.kernel.messages import Awaited, Command, Emits, Event, Offer, Refused
from service.rules.kernel.records import changed, record
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.values import ControllerSeat, CreatureId, Reason
from service.rules.rise import books
from service.rules.rise.body.running_the_game import ruling
from service.rules.rise.creatures.character import Arrival, Condition, Entering, Entry, sheet_of
from service.rules.rise.creatures.creature import Budget, spelled_out
from service.rules.rise.creatures.permission import gm
from service.rules.rise.creatures.state import State
from service.rules.rise.rounds.entries import GOING_ON
from service.rules.rise.rounds.rounds import (
    RI_ROUND_7,
    CombatEnded,
    CreatureArriving,
    PauseEnded,
    PauseFrame,
    is_player,
    join,
)
from service.rules.rise.table.opening import Opening, faults
from service.rules.rise.values import UnawareCreatures
from service.rules.secrecy import hidden_creatures
from service.rules.secrecy.hiding import HidingRules
from service.rules.table.table import GM

# --- begin and end -------------------------------------------------------------------------------------
# The GM's word; rounds go by in which nobody can act.

RI_ROUND_4: Final = Rule(
    "RI-ROUND-4",
    "A side that starts a fight by surprise picks its first phase; who does not see it coming is unaware.",
    books.AWARENESS.at("Surprise Attacks"),
)
RI_RES_15: Final = Rule(
    "RI-RES-15",
    "Between the announcement and the end of the round the GM may take its time, and rule.",
    books.TIME.at("Resolving Actions"),
)


@record
class CombatStarted(Event[State]):
    """Combat begins with this phase."""

    type: ClassVar[str] = "combat_started"
    start_phase: Literal["movement", "action"]
    """The phase with which the fight begins."""
    unaware: UnawareCreatures
    partly_unaware: tuple[CreatureId, ...] = ()
    """The ids of the creatures that are aware of only some enemies."""

    def evolve(self, state: State) -> State:
        if state.stage == "ended":
            state = ready_again(state)
        state = changed(state, stage="round_start", start_phase=self.start_phase)
        for name in self.unaware:
            state = state.with_creature(name, unaware_of=others(state, name))
        for name in self.partly_unaware:
            state = state.with_creature(name, partly_unaware_of=others(state, name))
        return state


@enforces(RI_ROUND_7)
def ready_again(state: State) -> State:
    """Return *state* after a fight, as another one begins in it: nothing is left that ends by itself.

    What lasts stays, and so do places, mounts, walls, things on the ground, attitudes and the GM's groups.
    """
    creatures = {
        name: changed(
            creature,
            conditions=tuple([condition for condition in creature.conditions if lasts(condition)]),
            hp=max(0, creature.hp),
            depth=0,
            delayed=(),
            credit=() if not (creature.dead or creature.defeated) else creature.credit,
            unaware_of=(),
            partly_unaware_of=(),
            budget=Budget(),
            hurt_by=(),
            location_changed=False,
            hovered=False,
        )
        for name, creature in state.creatures.items()
    }
    zones = tuple([placed for placed in state.zones if placed.zone.until in GOING_ON])
    return changed(state, creatures=creatures, zones=zones, rounds_before=state.round, goes_on=False)


def lasts(condition: Condition) -> bool:
    """Return whether *condition* goes on from one fight to the next; holds and grips are of one fight."""
    return condition.until in GOING_ON and condition.name not in ("grappled", "grip")


def others(state: State, name: str) -> tuple[str, ...]:
    """Return who fights on another side than *name*."""
    side = state.creatures[name].sheet.side
    return tuple([n for n, creature in state.creatures.items() if creature.sheet.side != side])


@record
class RoundForced(Event[State]):
    """The GM lets another round go by."""

    type: ClassVar[str] = "round_forced"

    def evolve(self, state: State) -> State:
        return changed(state, stage="round_end", step=11)


@record
class CombatContinued(Event[State]):
    """The GM lets the fight go on."""

    type: ClassVar[str] = "combat_continued"

    def evolve(self, state: State) -> State:
        return changed(state, stage="round_start", goes_on=True)


@record
class PauseWanted(Event[State]):
    """The GM wants a pause between this round's announcement and its end."""

    type: ClassVar[str] = "pause_wanted"

    def evolve(self, state: State) -> State:
        return changed(state, pauses=True)


@enforces(RI_ROUND_4)
@record
class StartCombat(Command[State]):
    """Start combat, as the GM, with either phase; `unaware` creatures do not see it coming.

    After a fight has ended another may be started.
    """

    type: ClassVar[str] = "start_combat"
    sentence: ClassVar[str] = "Start combat[ with the {start_phase} phase]"
    start_phase: Literal["movement", "action"] = "movement"
    """The phase with which the fight begins."""
    unaware: UnawareCreatures = ()
    partly_unaware: tuple[CreatureId, ...] = ()
    """Who knows of danger, but not where it comes from."""

    def check(self, view: State) -> None:
        gm(self)
        if view.stage not in ("setup", "ended"):
            raise Refused("wrong_step", "combat has begun already", RI_ROUND_4.id)
        for name in (*self.unaware, *self.partly_unaware):
            if name not in view.creatures:
                raise Refused("no_such_creature", f"there is no creature {name}", "TABLE-SEAT-1")

    def decide(self, state: State) -> Emits[State]:
        surprised = (*self.unaware, *self.partly_unaware)
        state = yield from ruling(state, "combat_start", surprised, self.start_phase)
        return (
            yield CombatStarted(
                start_phase=self.start_phase, unaware=self.unaware, partly_unaware=self.partly_unaware
            )
        )

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        if view.stage in ("setup", "ended"):
            yield Offer(type=cls.type, choices={"start_phase": ("movement", "action")})


@record
class EndCombat(Command[State]):
    """End combat by the GM's word."""

    type: ClassVar[str] = "end_combat"
    sentence: ClassVar[str] = "End combat"
    reason: Reason = "called by the gm"

    def check(self, view: State) -> None:
        gm(self)
        if view.stage in ("setup", "ended"):
            raise Refused("wrong_step", "there is no combat to end", "RI-ROUND-5")

    def decide(self, state: State) -> Emits[State]:
        return (yield CombatEnded(reason=self.reason, because=("RI-ROUND-5",)))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        yield Offer(type=cls.type)


@record
class NextRound(Command[State]):
    """Let a round go by in which nobody is able to act."""

    type: ClassVar[str] = "next_round"
    sentence: ClassVar[str] = "Let the round go by"

    def check(self, view: State) -> None:
        gm(self)
        if view.phase:
            raise Refused("phase_not_ready", f"the {view.phase} phase waits for who can act", "RI-PHASE-6")
        if view.stage != "idle":
            raise Refused("wrong_step", "no round can go by now: start_combat begins one", "RI-ROUND-5")

    def decide(self, state: State) -> Emits[State]:
        return (yield RoundForced(because=("RI-ROUND-5",)))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        if view.stage == "idle":
            yield Offer(type=cls.type)


@record
class ContinueCombat(Command[State]):
    """Let a fight go on that has ended."""

    type: ClassVar[str] = "continue_combat"
    sentence: ClassVar[str] = "Let the fight go on"

    def check(self, view: State) -> None:
        gm(self)
        if view.stage != "ended":
            raise Refused("wrong_step", "combat has not ended", "RI-ROUND-6")

    def decide(self, state: State) -> Emits[State]:
        return (yield CombatContinued(because=("RI-ROUND-6",)))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        if view.stage == "ended":
            yield Offer(type=cls.type)


@record
class AskPause(Command[State]):
    """Ask for a pause of this round, once all that was done is announced and before the round ends."""

    type: ClassVar[str] = "ask_pause"
    sentence: ClassVar[str] = "Ask for a pause before the round ends"

    def check(self, view: State) -> None:
        gm(self)
        if view.stage in ("setup", "ended") or view.pauses:
            raise Refused(
                "wrong_step", "a pause of this round is asked for already, or no combat runs", "RI-RES-15"
            )

    def decide(self, state: State) -> Emits[State]:
        return (yield PauseWanted(because=("RI-RES-15",)))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        yield Offer(type=cls.type)


@enforces(RI_RES_15)
@record
class GoOn(Command[State]):
    """Go on after the announcement, as the GM."""

    type: ClassVar[str] = "go_on"
    sentence: ClassVar[str] = "Go on"

    def check(self, view: State) -> None:
        gm(self)
        if not isinstance(view.top, PauseFrame):
            raise Refused("wrong_step", "play does not pause: go_on answers a pause", RI_RES_15.id)

    def decide(self, state: State) -> Emits[State]:
        assert state.top is not None, "checked on the view"
        return (yield PauseEnded(path=state.top.path))

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        yield Offer(type=cls.type)


# --- arrivals ------------------------------------------------------------------------------------------
# They are announced at once, and join with the next phase.

RI_GM_5: Final = Rule(
    "RI-GM-5",
    "A creature that comes late joins with the next phase, at its place or in the nearest free one.",
    RULING,
)


MOST_CREATURES = 100


@enforces(RI_GM_5)
@record
class AddCreature(Command[State]):
    """Add a creature to the fight, as the GM; it joins with the next phase."""

    type: ClassVar[str] = "add_creature"
    sentence: ClassVar[str] = "Add a creature"
    entry: Entering
    seat: ControllerSeat | None = None

    def check(self, view: State) -> None:
        gm(self)
        check_entry(view, self.entry)
        if self.seat is not None and self.seat != GM and not is_player(view, self.seat):
            raise Refused("no_such_seat", f"there is no open player's seat {self.seat}", "TABLE-SEAT-1")

    def decide(self, state: State) -> Emits[State]:
        return (yield from announced(state, Arrival(entry=spelled_out(self.entry), seat=self.seat)))


def check_entry(view: State, entry: Entry) -> None:
    """Refuse a creature with an impossible sheet or place, or with an id that is taken."""
    alone = Opening(creatures=(entry,), options=view.options, terrain=view.terrain, walls=view.walls)
    for pointer, fault in faults(alone):
        raise Refused("opening_not_possible", f"{pointer}: {fault}", "RI-GM-5")
    if view.is_named(sheet_of(entry).id):
        raise Refused("creature_taken", f"there is a creature {sheet_of(entry).id} already", "RI-GM-5")
    if len(view.creatures) + len(view.arriving) >= MOST_CREATURES:
        raise Refused("opening_not_possible", f"at most {MOST_CREATURES} creatures take part", "RI-GM-5")


def announced(state: State, arrival: Arrival) -> Emits[State]:
    """Emit that somebody comes: at once while no fight runs, and with the next phase in its course."""
    if state.stage in ("setup", "ended") and not state.arriving:
        after: State = yield from join(state, arrival)
        return after
    return (yield CreatureArriving(arrival=arrival, because=("RI-GM-5",)))


# --- hidden creatures ----------------------------------------------------------------------------------
# No group knows of them, and one that is seen joins with the next phase.


@record
class CreatureHidden(hidden_creatures.CreatureHidden[State]):
    """The GM keeps a creature hidden: which, and where; shown to the GM alone."""

    entry: Entering


@record
class HideCreature(hidden_creatures.HideCreature[State]):
    """Keep a creature hidden: others learn that there is one, and no more until it is seen."""

    event_type: ClassVar[type[CreatureHidden]] = CreatureHidden
    entry: Entering


class Den(HidingRules):
    """How hidden creatures join a fight of this book."""

    def check_running(self, view: State) -> None:
        """Refuse nothing: there is always a phase to come, of this fight or of another."""

    def check(self, view: State, entry: Entry) -> None:
        check_entry(view, entry)

    def whole(self, entry: Entry) -> Entry:
        return changed(entry, sheet=sheet_of(entry))

    def join(self, state: State, entry: Entry) -> Emits[State]:
        return (yield from announced(state, Arrival(entry=spelled_out(entry))))
