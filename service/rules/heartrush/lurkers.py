"""Keep creatures hidden that only the GM knows of, until they are revealed or somebody runs into them.

A lurker lies whole in an envelope for the gm, outside `state.creatures`: no view, option, order or count of
anybody meets it. Public is that there is one, by number. It takes no part; to act it is revealed first. It
holds its ground: who would step into its space stops before it, and it is hidden no more.
"""

from __future__ import annotations

from itertools import count
from typing import ClassVar, Final

from service.rules.chance import check_sealed
from service.rules.gm_only import AUDIENCE
from service.rules.grid import cells, free_place
from service.rules.heartrush.arrivals import MOST_CREATURES, CreatureAdded, check_entry, check_room
from service.rules.heartrush.entries import sheet_of, spelled_out, with_sheet
from service.rules.heartrush.permission import gm
from service.rules.heartrush.sheets.sheet import Entry, side_of
from service.rules.heartrush.state import State
from service.rules.messages import Command, Event, Private, Refused, Scope, Tale
from service.rules.records import changed, record, with_key, without_key
from service.rules.rulebook import rule
from service.rules.sealed import Sealed

ID_LENGTH: Final = 24


def scope_of(number: int) -> Scope:
    """Return who knows of lurker *number*, and what opens that to all."""
    return Scope(audience=AUDIENCE, opens=f"lurker/{number}")


def _with(state: State, number: int, entry: Entry) -> State:
    scope = scope_of(number)
    sealed = Sealed(audience=scope.audience, opens=scope.opens, value=entry)
    return changed(state, lurkers=with_key(state.lurkers, str(number), sealed))


# --- facts -------------------------------------------------------------------------------------------


@record
class CreatureHidden(Event[State]):
    """The GM keeps a creature hidden: which, and where; told to the GM alone."""

    type: ClassVar[str] = "creature_hidden"
    lurker: int
    entry: Entry

    def evolve(self, state: State) -> State:
        return _with(changed(state, hidden=self.lurker), self.lurker, self.entry)


@record
class LurkerMoved(Event[State]):
    """A lurker is somewhere else; told to the GM alone."""

    type: ClassVar[str] = "lurker_moved"
    lurker: int
    position: tuple[int, int]

    def evolve(self, state: State) -> State:
        entry = changed(state.lurking()[str(self.lurker)], position=self.position)
        return _with(state, self.lurker, entry)


@record
class LurkerRevealed(Event[State]):
    """A creature is hidden no more: the GM shows it, or somebody found it by running into it."""

    type: ClassVar[str] = "lurker_revealed"
    lurker: int
    creature: str
    found_by: str | None = None
    occasion: str | None = None
    """Opens its envelope; null where its sheet has GM-only fields, which stay closed."""

    def evolve(self, state: State) -> State:
        return changed(state, lurkers=without_key(state.lurkers, str(self.lurker)))


@record
class LurkerWithdrawn(Event[State]):
    """What lurked is gone; what it was stays sealed."""

    type: ClassVar[str] = "lurker_withdrawn"
    lurker: int

    def evolve(self, state: State) -> State:
        return changed(state, lurkers=without_key(state.lurkers, str(self.lurker)))


# --- becoming seen -----------------------------------------------------------------------------------


@rule("TABLE-LURK-2", "service ruling")
def found(state: State, lurker: str, mover: str) -> Tale[State]:
    """Who would come into a hidden creature's space stops before it and has found it; a way left is lost."""
    return (yield from _seen(state, int(lurker), mover, ("TABLE-LURK-2",)))


def _seen(state: State, number: int, mover: str | None, because: tuple[str, ...]) -> Tale[State]:
    """Tell that a lurker is seen, and bring it as an arrival: where it lurked, under its own id.

    Where somebody stands there by now it has the nearest free place, and where its id is taken a number.
    """
    entry = state.lurking()[str(number)]
    sheet = sheet_of(entry)
    name = _free_name(state, sheet.id)
    state = yield LurkerRevealed(
        lurker=number,
        creature=name,
        found_by=mover,
        occasion=None if entry.gm_only else scope_of(number).opens,
        because=because,
    )
    place = free_place(
        entry.position,
        side_of(sheet.size),
        lambda cell: state.ground(cell) != "wall" and not state.standing_at(cell),
    )
    entry = spelled_out(changed(entry, sheet=changed(sheet, id=name), position=place))
    return (yield CreatureAdded(entry=entry, because=(*because, "HR-SVC-5")))


def _free_name(state: State, name: str) -> str:
    if name not in state.creatures:
        return name
    tries = (f"{name[: ID_LENGTH - 4]}-{n}" for n in count(2))
    return next(each for each in tries if each not in state.creatures)


# --- commands ----------------------------------------------------------------------------------------


def _known(view: State, number: int) -> Entry:
    """Return a lurker; the GM is refused one that is not there."""
    entry = view.lurking().get(str(number))
    if entry is None:
        raise Refused("no_such_lurker", f"nothing lurks as {number}", "TABLE-LURK-1")
    return entry


def _check_place(view: State, entry: Entry, number: int = 0) -> None:
    """Refuse a place where somebody stands, or where another one lurks."""
    check_room(view, entry)
    others = changed(view, lurkers=without_key(view.lurkers, str(number)))
    other = others.lurker_in(cells(entry.position, side_of(sheet_of(entry).size)))
    if other is not None:
        raise Refused("space_occupied", f"lurker {other} is there")


@rule("TABLE-LURK-1", "service ruling")
@record
class HideCreature(Command[State]):
    """The GM may keep a creature hidden: others learn that there is one, and no more until it is seen."""

    type: ClassVar[str] = "hide_creature"
    entry: Entry

    def scope(self, state: State) -> Scope:
        return scope_of(state.hidden + 1)

    def check(self, view: State) -> None:
        gm(self)
        check_sealed(view)
        check_entry(view, self.entry)
        if any(sheet_of(entry).id == sheet_of(self.entry).id for entry in view.lurking().values()):
            raise Refused("creature_taken", f"something lurks as {sheet_of(self.entry).id} already")
        if len(view.lurkers) >= MOST_CREATURES:
            raise Refused("opening_not_possible", f"at most {MOST_CREATURES} creatures lurk")
        _check_place(view, self.entry)

    def decide(self, state: State) -> Tale[State]:
        number = state.hidden + 1
        hidden = CreatureHidden(lurker=number, entry=with_sheet(self.entry), because=("TABLE-LURK-1",))
        return (yield Private(scope=scope_of(number), event=hidden))


@record
class MoveLurker(Command[State]):
    """Put a hidden creature elsewhere, without anybody seeing it."""

    type: ClassVar[str] = "move_lurker"
    lurker: int
    position: tuple[int, int]

    def scope(self, state: State) -> Scope:
        return scope_of(self.lurker)

    def check(self, view: State) -> None:
        gm(self)
        moved = changed(_known(view, self.lurker), position=self.position)
        sheet = sheet_of(moved)
        check_entry(view, changed(moved, sheet=changed(sheet, id=_free_name(view, sheet.id))))
        _check_place(view, moved, self.lurker)

    def decide(self, state: State) -> Tale[State]:
        moved = LurkerMoved(lurker=self.lurker, position=self.position, because=("TABLE-LURK-1",))
        return (yield Private(scope=scope_of(self.lurker), event=moved))


@rule("TABLE-LURK-3", "service ruling")
@record
class RevealCreature(Command[State]):
    """A hidden creature takes no part until the GM reveals it; then it is there as one that arrives."""

    type: ClassVar[str] = "reveal_creature"
    lurker: int

    def check(self, view: State) -> None:
        gm(self)
        _known(view, self.lurker)

    def decide(self, state: State) -> Tale[State]:
        return (yield from _seen(state, self.lurker, None, ("TABLE-LURK-3",)))


@record
class WithdrawLurker(Command[State]):
    """Take a hidden creature away: that it is gone is public, what it was is not."""

    type: ClassVar[str] = "withdraw_lurker"
    lurker: int

    def check(self, view: State) -> None:
        gm(self)
        _known(view, self.lurker)

    def decide(self, state: State) -> Tale[State]:
        return (yield LurkerWithdrawn(lurker=self.lurker, because=("TABLE-LURK-1",)))
