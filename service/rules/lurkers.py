"""Keep creatures hidden that only the GM knows of, until they are revealed or somebody comes upon them.

A lurker lies whole in an envelope for the gm, outside `state.creatures`: no view, option, order or count of
anybody meets it. Public is that there is one, by number. It takes no part; to act it is revealed first. It
holds its ground: who would come into its space stops before it, and it is hidden no more. A book adds what an
entry is, and how a creature joins (`Den`).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any, ClassVar, Final, TypeVar

from service.rules.chance import check_sealed
from service.rules.gm_only import AUDIENCE
from service.rules.lurking import Lurking, Room
from service.rules.messages import Command, Event, Private, Refused, Scope, Tale
from service.rules.records import changed, record, with_key, without_key
from service.rules.rulebook import rule
from service.rules.sealed import Sealed
from service.rules.table import GM

L = TypeVar("L", bound=Lurking)

ID_LENGTH: Final = 24
MOST_LURKERS: Final = 100


def scope_of(number: int) -> Scope:
    """Return who knows of lurker *number*, and what opens that to all."""
    return Scope(audience=AUDIENCE, opens=f"lurker/{number}")


def _with(state: L, number: int, entry: Any) -> L:  # noqa: ANN401 - an entry of any book
    scope = scope_of(number)
    sealed = Sealed(audience=scope.audience, opens=scope.opens, value=entry)
    return changed(state, lurkers=with_key(state.lurkers, str(number), sealed))


# --- facts -------------------------------------------------------------------------------------------


@record
class CreatureHidden(Event[L]):
    """The GM keeps a creature hidden: which, and where; told to the GM alone. A book adds its entry."""

    abstract: ClassVar[bool] = True
    type: ClassVar[str] = "creature_hidden"
    lurker: int
    entry: Any

    def evolve(self, state: L) -> L:
        return _with(changed(state, hidden=self.lurker), self.lurker, self.entry)


@record
class LurkerMoved(Event[Lurking]):
    """A lurker is somewhere else; told to the GM alone."""

    type: ClassVar[str] = "lurker_moved"
    lurker: int
    position: tuple[int, int]

    def evolve(self, state: Lurking) -> Lurking:
        entry = changed(state.lurking()[str(self.lurker)], position=self.position)
        return _with(state, self.lurker, entry)


@record
class LurkerRevealed(Event[Lurking]):
    """A creature is hidden no more: the GM shows it, or somebody found it by coming upon it."""

    type: ClassVar[str] = "lurker_revealed"
    lurker: int
    creature: str
    found_by: str | None = None
    occasion: str | None = None
    """Opens its envelope; null where its sheet has GM-only fields, which stay closed."""

    def evolve(self, state: Lurking) -> Lurking:
        return changed(state, lurkers=without_key(state.lurkers, str(self.lurker)))


@record
class LurkerWithdrawn(Event[Lurking]):
    """What lurked is gone; what it was stays sealed."""

    type: ClassVar[str] = "lurker_withdrawn"
    lurker: int

    def evolve(self, state: Lurking) -> Lurking:
        return changed(state, lurkers=without_key(state.lurkers, str(self.lurker)))


# --- becoming seen -----------------------------------------------------------------------------------


@rule("TABLE-LURK-2", "service ruling")
def found(state: Any, lurker: str, mover: str) -> Tale[Any]:  # noqa: ANN401 - of any book
    """Who would come into a hidden creature's space stops before it and has found it; a way left is lost.

    Whoever comes there by no way (put there, fallen onto it) stays, and what it found gives way.
    """
    return (yield from _seen(state, int(lurker), mover, ("TABLE-LURK-2",)))


def _seen(state: Any, number: int, mover: str | None, because: tuple[str, ...]) -> Tale[Any]:  # noqa: ANN401 - of any book
    """Tell that a lurker is seen, and bring it as an arrival: where it lurked, under its own id.

    Where somebody stands there by now it has the nearest free place, and where its id is taken a number.
    """
    entry = state.lurking()[str(number)]
    name = _free_name(state, entry.sheet.id)
    state = yield LurkerRevealed(
        lurker=number,
        creature=name,
        found_by=mover,
        occasion=None if entry.gm_only else scope_of(number).opens,
        because=because,
    )
    return (yield from state.den.join(state, _named(entry, name)))


def _named(entry: Any, name: str) -> Any:  # noqa: ANN401 - an entry of any book
    return changed(entry, sheet=changed(entry.sheet, id=name))


def _free_name(state: Lurking, name: str) -> str:
    if not state.is_named(name):
        return name
    tries = (f"{name[: ID_LENGTH - 4]}-{n}" for n in count(2))
    return next(each for each in tries if not state.is_named(each))


# --- commands ----------------------------------------------------------------------------------------


def _check_gm(command: Command[Any]) -> None:
    if command.by.role != GM:
        raise Refused("not_gm", f"{command.by.seat} is not the gm", "TABLE-LURK-1")


def _known(view: Lurking, number: int) -> Any:  # noqa: ANN401 - an entry of any book
    """Return a lurker; the GM is refused one that is not there."""
    entry = view.lurking().get(str(number))
    if entry is None:
        raise Refused("no_such_lurker", f"nothing lurks as {number}", "TABLE-LURK-1")
    return entry


def _check_room(view: Lurking, room: Room, number: int = 0) -> None:
    """Refuse a place where somebody stands, or where another one lurks."""
    for name, creature in view.creatures.items():
        taken = view.room_of(creature)
        if taken is not None and taken.shares(room):
            raise Refused("space_occupied", f"{name} stands there")
    other = changed(view, lurkers=without_key(view.lurkers, str(number))).lurker_in(room)
    if other is not None:
        raise Refused("space_occupied", f"lurker {other} is there")


@rule("TABLE-LURK-1", "service ruling")
@record
class HideCreature(Command[L]):
    """The GM may keep a creature hidden: others learn that there is one, and no more until it is seen."""

    abstract: ClassVar[bool] = True
    type: ClassVar[str] = "hide_creature"
    entry: Any
    telling: ClassVar[Callable[..., CreatureHidden[Any]]]
    """What tells of it in this book."""

    def scope(self, state: L) -> Scope:
        return scope_of(state.hidden + 1)

    def check(self, view: L) -> None:
        _check_gm(self)
        check_sealed(view)
        view.den.check(view, self.entry)
        entry = view.den.whole(self.entry)
        if any(known.sheet.id == entry.sheet.id for known in view.lurking().values()):
            raise Refused("creature_taken", f"something lurks as {entry.sheet.id} already")
        if len(view.lurkers) >= MOST_LURKERS:
            raise Refused("opening_not_possible", f"at most {MOST_LURKERS} creatures lurk")
        _check_room(view, view.room_for(entry))

    def decide(self, state: L) -> Tale[L]:
        number = state.hidden + 1
        entry = state.den.whole(self.entry)
        told = type(self).telling(lurker=number, entry=entry, because=("TABLE-LURK-1",))
        return (yield Private(scope=scope_of(number), event=told))


@record
class MoveLurker(Command[Lurking]):
    """Put a hidden creature elsewhere, without anybody seeing it."""

    type: ClassVar[str] = "move_lurker"
    lurker: int
    position: tuple[int, int]

    def scope(self, state: Lurking) -> Scope:
        return scope_of(self.lurker)

    def check(self, view: Lurking) -> None:
        _check_gm(self)
        moved = changed(_known(view, self.lurker), position=self.position)
        view.den.check(view, _named(moved, _free_name(view, moved.sheet.id)))
        _check_room(view, view.room_for(moved), self.lurker)

    def decide(self, state: Lurking) -> Tale[Lurking]:
        moved = LurkerMoved(lurker=self.lurker, position=self.position, because=("TABLE-LURK-1",))
        return (yield Private(scope=scope_of(self.lurker), event=moved))


@rule("TABLE-LURK-3", "service ruling")
@record
class RevealCreature(Command[Lurking]):
    """A hidden creature takes no part until the GM reveals it; then it is there as one that arrives."""

    type: ClassVar[str] = "reveal_creature"
    lurker: int

    def check(self, view: Lurking) -> None:
        _check_gm(self)
        _known(view, self.lurker)
        view.den.check_running(view)

    def decide(self, state: Lurking) -> Tale[Lurking]:
        after: Lurking = yield from _seen(state, self.lurker, None, ("TABLE-LURK-3",))
        return after


@record
class WithdrawLurker(Command[Lurking]):
    """Take a hidden creature away: that it is gone is public, what it was is not."""

    type: ClassVar[str] = "withdraw_lurker"
    lurker: int

    def check(self, view: Lurking) -> None:
        _check_gm(self)
        _known(view, self.lurker)

    def decide(self, state: Lurking) -> Tale[Lurking]:
        return (yield LurkerWithdrawn(lurker=self.lurker, because=("TABLE-LURK-1",)))
