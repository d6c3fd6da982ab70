"""Come into a fight: late, hidden by the GM and seen, or from hiding that began before it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Final

from service.rules.heartrush import books
from service.rules.heartrush.body.permission import check_able, gm, own
from service.rules.heartrush.creatures.character import Entering, Entry
from service.rules.heartrush.creatures.sheet import HidingPlace, side_of
from service.rules.heartrush.creatures.state import State
from service.rules.heartrush.rolling.checks import CheckAsked, Checking, CheckResult
from service.rules.heartrush.table.entries import (
    arrives_at_s,
    carried_definitions,
    creature_of,
    entry_faults,
    pass_days,
    sheet_of,
    spelled_out,
    with_sheet,
)
from service.rules.heartrush.table.opening import (
    Opening,
    ability_name_faults,
    carried_definition_faults,
    creature_faults,
)
from service.rules.heartrush.timing.clock import at_rest, check_at_rest
from service.rules.heartrush.using.catalogue import named
from service.rules.heartrush.values import ChallengeNumber, HiddenFrom, HidingId, Viewers
from service.rules.kernel.messages import Awaited, Command, Emits, Event, Offer, Refused
from service.rules.kernel.records import changed, record, with_key, without_key
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.values import ControllerSeat, CreatureId, CreatureRef
from service.rules.rolls.chance import Chance
from service.rules.secrecy import hidden_creatures
from service.rules.secrecy.hiding import HidingRules
from service.rules.space.grid import cells, free_place
from service.rules.table.seats import SeatChanged
from service.rules.table.table import GM

# --- late arrivals -------------------------------------------------------------------------------------
# Checked like an opening's, and in the fight from the moment they stand there.

HR_SVC_5: Final = Rule(
    "HR-SVC-5",
    "A late arrival has an action and one rush point, no active rounds, and its side's priority.",
    RULING,
    settles=("A-30",),
)


MOST_CREATURES: Final = 100


@record
class CreatureAdded(Event[State]):
    """A creature has arrived; in combat it has its action, its free firsts and one rush point at once.

    In turns it has the last turn of the round.
    """

    type: ClassVar[str] = "creature_added"
    entry: Entering

    def evolve(self, state: State) -> State:
        creature = creature_of(self.entry, state.clock_s)
        if not at_rest(state):
            creature = changed(
                creature, action=1, rush=1, free_dash=True, free_object=True, free_callout=True
            )
        creatures = with_key(state.creatures, creature.id, creature)
        own = tuple(carried_definitions((self.entry,)))
        abilities = {**named((creature.sheet,), own), **state.abilities}
        turns = (*state.turns, creature.id) if state.turns and not at_rest(state) else state.turns
        return changed(state, creatures=creatures, abilities=abilities, turns=turns)


@enforces(HR_SVC_5)
@record
class AddCreature(Command[State]):
    """Add a creature to a fight that has begun, and give it to a player's seat or to the GM."""

    type: ClassVar[str] = "add_creature"
    sentence: ClassVar[str] = "Add a creature"
    entry: Entering
    seat: ControllerSeat | None = None

    def check(self, view: State) -> None:
        gm(self)
        check_entry(view, self.entry)
        check_room(view, self.entry)
        if self.seat is not None and self.seat != GM:
            seat = view.seats.get(self.seat)
            if seat is None or seat.closed or seat.role != "player":
                raise Refused("no_such_seat", f"there is no open player's seat {self.seat}", "TABLE-SEAT-1")

    def decide(self, state: State) -> Emits[State]:
        entry = spelled_out(self.entry)
        state = yield from added(state, entry)
        if self.seat is None or self.seat == GM:
            return state
        after: State = yield from seated(state, self.seat, sheet_of(entry).id)
        return after


def added(state: State, entry: Entry) -> Emits[State]:
    """Emit that the creature of *entry* arrives, and what the days before brought it."""
    state = yield CreatureAdded(entry=entry, because=("HR-SVC-5",))
    return (yield from pass_days(state, entry))


def check_entry(view: State, entry: Entry) -> None:
    """Refuse a creature with an impossible sheet or place, or with an id that is taken."""
    opening = Opening(
        sides=view.sides,
        player_side=view.player_side,
        creatures=(entry,),
        terrain=view.terrain,
        walls=view.walls,
    )
    for pointer, fault in (*entry_faults(entry, "/creatures/0"),):
        raise Refused("opening_not_possible", f"{pointer}: {fault}")
    own = {**view.abilities, **{one.id: one for one in carried_definitions((entry,))}}
    faults = (
        *creature_faults(opening),
        *carried_definition_faults(opening, view.abilities),
        *ability_name_faults(opening, own),
    )
    for pointer, fault in faults:
        raise Refused("opening_not_possible", f"{pointer}: {fault}")
    if arrives_at_s(entry) > view.clock_s:
        late_s = arrives_at_s(entry) - view.clock_s
        raise Refused("clock_behind", f"it comes from {late_s} seconds after what the campaign clock shows")
    sheet = sheet_of(entry)
    if sheet.id in view.creatures:
        raise Refused("creature_taken", f"there is a creature {sheet.id} already")
    if len(view.creatures) >= MOST_CREATURES:
        raise Refused("opening_not_possible", f"at most {MOST_CREATURES} creatures take part")


def check_room(view: State, entry: Entry) -> None:
    """Refuse a place where somebody stands."""
    for cell in cells(entry.position, side_of(sheet_of(entry).size)):
        if view.standing_at(cell):
            raise Refused("space_occupied", f"{view.standing_at(cell)[0].id} stands at {cell}")


def seated(state: State, seat: str, creature: str) -> Emits[Any]:
    """Emit that *seat* controls *creature* besides those it has."""
    creatures = (*state.seats[seat].creatures, creature)
    return (yield SeatChanged(seat=seat, creatures=creatures, because=("TABLE-SEAT-1",)))


# --- hidden creatures ----------------------------------------------------------------------------------
# A creature that is seen arrives at once, where it was hidden.


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

    def whole(self, entry: Entry) -> Entry:
        return with_sheet(entry)

    def check(self, view: State, entry: Entry) -> None:
        check_entry(view, entry)

    def join(self, state: State, entry: Entry) -> Emits[State]:
        place = free_place(
            entry.position,
            state.room_for(entry).side,
            lambda cell: not state.is_solid(cell) and not state.standing_at(cell),
            state.is_divided,
        )
        return (yield from added(state, spelled_out(changed(entry, position=place))))


# --- hiding --------------------------------------------------------------------------------------------
# By the GM's leave, with a stealth check, from those that do not see it.

HR_HIDE_1: Final = Rule(
    "HR-HIDE-1",
    "Hiding takes a suitable place, the GM's leave, peace, and a stealth check that succeeds.",
    books.BASICS.at("Hiding"),
    settles=("A-58",),
)


MOST_CN: Final = 200


@record
class HidingAllowed(Event[State]):
    """The GM finds a place to hide suitable, and sets the number of the stealth check."""

    type: ClassVar[str] = "hiding_allowed"
    creature: CreatureId
    cn: ChallengeNumber
    viewers: Viewers

    def evolve(self, state: State) -> State:
        place = HidingPlace(cn=self.cn, viewers=self.viewers)
        return changed(state, hiding_places=with_key(state.hiding_places, self.creature, place))


@record
class AllowHiding(Command[State]):
    """Allow a creature to hide: the number of its stealth check, and from whom (null: all its enemies)."""

    type: ClassVar[str] = "allow_hiding"
    sentence: ClassVar[str] = "Allow {creature} to hide"
    creature: CreatureId
    cn: ChallengeNumber
    viewers: Viewers | None = None

    def check(self, view: State) -> None:
        gm(self)
        for name in (self.creature, *(self.viewers or ())):
            if name not in view.creatures:
                raise Refused("no_such_creature", f"there is no creature {name}", "TABLE-SEAT-1")
        check_no_combat(view)
        if not 0 <= self.cn <= MOST_CN:
            raise Refused("params_missing", f"a number from 0 to {MOST_CN}", "HR-HIDE-1")

    def decide(self, state: State) -> Emits[State]:
        side = state.creatures[self.creature].side
        enemies = tuple(creature.id for creature in state.creatures.values() if creature.side != side)
        viewers = enemies if self.viewers is None else self.viewers
        return (
            yield HidingAllowed(creature=self.creature, cn=self.cn, viewers=viewers, because=("HR-HIDE-1",))
        )


def check_no_combat(view: State) -> None:
    """Refuse to hide while combat runs."""
    check_at_rest(view, "creatures hide", "HR-HIDE-1")


@record
class HideFrame(Checking):
    """A creature hides, and checks how well."""

    kind: ClassVar[str] = "hiding"
    creature: CreatureId
    viewers: Viewers
    checked: CheckResult = None

    def advance(self, state: State, chance: Chance) -> Emits[State]:
        assert self.checked is not None, "the check above it comes first"
        viewers = self.viewers if self.checked.success else ()
        return (
            yield Hid(
                hiding=self.path, creature=self.creature, hidden_from=viewers, because=("HR-HIDE-1", "A-58")
            )
        )


@record
class HidingTried(Event[State]):
    """A creature hides."""

    type: ClassVar[str] = "hiding_tried"
    hiding: HidingId
    creature: CreatureId

    def evolve(self, state: State) -> State:
        place = state.hiding_places[self.creature]
        state = changed(state, hiding_places=without_key(state.hiding_places, self.creature))
        return state.pushed(HideFrame(path=self.hiding, creature=self.creature, viewers=place.viewers))


@record
class Hid(Event[State]):
    """A creature is hidden from these; from nobody, if it failed."""

    type: ClassVar[str] = "hid"
    hiding: HidingId
    creature: CreatureId
    hidden_from: HiddenFrom

    def evolve(self, state: State) -> State:
        return state.popped(self.hiding).with_creature(self.creature, hidden_from=self.hidden_from)


@enforces(HR_HIDE_1)
@record
class Hide(Command[State]):
    """Hide in a place that the GM has allowed, outside combat: a stealth check."""

    type: ClassVar[str] = "hide"
    sentence: ClassVar[str] = "Hide"
    creature: CreatureRef

    def check(self, view: State) -> None:
        creature = own(view, self, self.creature)
        check_no_combat(view)
        check_able(creature, self.type, ())
        if self.creature not in view.hiding_places:
            raise Refused(
                "gm_approval_required", f"the gm has shown {self.creature} no place to hide", HR_HIDE_1.id
            )

    def decide(self, state: State) -> Emits[State]:
        place = state.hiding_places[self.creature]
        path = state.numbered(f"hide/{self.creature}")
        state = yield HidingTried(hiding=path, creature=self.creature)
        return (
            yield CheckAsked(
                check=f"{path}/check",
                creature=self.creature,
                ability="agility",
                cn=place.cn,
                what="stealth",
                needs=("motion",),
            )
        )

    @classmethod
    def offers(cls, view: State, awaited: Awaited) -> Iterator[Offer]:
        if awaited.creature in view.hiding_places and view.phase in ("setup", "ended"):
            yield Offer(type=cls.type, creature=awaited.creature)
