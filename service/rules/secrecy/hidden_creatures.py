"""Keep creatures hidden that only the GM knows, until the GM reveals them or another creature discovers them.

A hidden creature is sealed in an envelope for the gm, outside `state.creatures`: no view, option, order or
count includes it. Its number is public. It takes no part; it is revealed before it acts. A creature that
would enter its space stops before it, and discovers it. A book adds what an entry is, and how a creature
joins (`HidingRules`).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any, ClassVar, Final, TypeVar

from service.rules.kernel.messages import Command, Emits, Event, Private, Refused, Scope
from service.rules.kernel.records import Sealed, changed, record, with_key, without_key
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.values import CreatureId, HiddenCreature, Occasion, Position
from service.rules.rolls.chance import check_sealed
from service.rules.rolls.withheld import AUDIENCE
from service.rules.secrecy.hiding import HidingTable, OccupiedSpace
from service.rules.table.table import GM

TABLE_HIDDEN_2: Final = Rule(
    "TABLE-HIDDEN-2",
    "A creature that would enter a hidden creature's space stops before it and discovers it.",
    RULING,
)
TABLE_HIDDEN_1: Final = Rule(
    "TABLE-HIDDEN-1",
    "The GM may hide a creature: until it is revealed, others learn only that there is one.",
    RULING,
)
TABLE_HIDDEN_3: Final = Rule(
    "TABLE-HIDDEN-3",
    "A hidden creature takes no part until the GM reveals it; then it joins the fight as an arrival.",
    RULING,
)


L = TypeVar("L", bound=HidingTable)

ID_LENGTH: Final = 24
MOST_HIDDEN: Final = 100


def scope_of(number: int) -> Scope:
    """Return the audience of hidden creature *number*, and the occasion that opens it for all."""
    return Scope(audience=AUDIENCE, opens=f"hidden_creature/{number}")


def _with(state: L, number: int, entry: Any) -> L:  # noqa: ANN401 - an entry of any book
    scope = scope_of(number)
    sealed = Sealed(audience=scope.audience, opens=scope.opens, value=entry)
    return changed(state, hidden_creatures=with_key(state.hidden_creatures, str(number), sealed))


# --- facts -------------------------------------------------------------------------------------------


@record
class CreatureHidden(Event[L]):
    """The GM hid a creature; only the GM reads its entry, whose class each book defines."""

    abstract: ClassVar[bool] = True
    type: ClassVar[str] = "creature_hidden"
    hidden_creature: HiddenCreature
    entry: Any

    def evolve(self, state: L) -> L:
        return _with(changed(state, hidden=self.hidden_creature), self.hidden_creature, self.entry)


@record
class HiddenCreatureMoved(Event[HidingTable]):
    """A hidden creature moved; only the GM reads where."""

    type: ClassVar[str] = "hidden_creature_moved"
    hidden_creature: HiddenCreature
    position: Position

    def evolve(self, state: HidingTable) -> HidingTable:
        entry = changed(state.known_hidden()[str(self.hidden_creature)], position=self.position)
        return _with(state, self.hidden_creature, entry)


@record
class HiddenCreatureRevealed(Event[HidingTable]):
    """A hidden creature was revealed by the GM, or discovered by a creature that came into its space."""

    type: ClassVar[str] = "hidden_creature_revealed"
    hidden_creature: HiddenCreature
    creature: CreatureId
    found_by: CreatureId | None = None
    """The id of the creature that discovered it; null if it was revealed."""
    occasion: Occasion | None = None
    """Opens its envelope; null if its sheet has GM-only fields, which stay sealed."""

    def evolve(self, state: HidingTable) -> HidingTable:
        return changed(state, hidden_creatures=without_key(state.hidden_creatures, str(self.hidden_creature)))


@record
class HiddenCreatureWithdrawn(Event[HidingTable]):
    """A hidden creature was withdrawn; its entry stays sealed."""

    type: ClassVar[str] = "hidden_creature_withdrawn"
    hidden_creature: HiddenCreature

    def evolve(self, state: HidingTable) -> HidingTable:
        return changed(state, hidden_creatures=without_key(state.hidden_creatures, str(self.hidden_creature)))


# --- revealing ---------------------------------------------------------------------------------------


@enforces(TABLE_HIDDEN_2)
def reveal_discovered(state: Any, hidden_creature: str, mover: str) -> Emits[Any]:  # noqa: ANN401 - of any book
    """Emit the reveal of a hidden creature that *mover* came upon.

    The rest of the way of *mover* is lost. A creature that is put there, or falls there, stays, and the
    discovered one takes the nearest free place.
    """
    return (yield from _reveal(state, int(hidden_creature), mover, ("TABLE-HIDDEN-2",)))


def _reveal(state: Any, number: int, mover: str | None, because: tuple[str, ...]) -> Emits[Any]:  # noqa: ANN401 - of any book
    """Emit that a hidden creature is revealed, and its arrival in its place, under its own id.

    If its place is occupied it takes the nearest free one; if its id is taken, the id gets a number.
    """
    entry = state.known_hidden()[str(number)]
    name = _free_name(state, entry.sheet.id)
    state = yield HiddenCreatureRevealed(
        hidden_creature=number,
        creature=name,
        found_by=mover,
        occasion=None if entry.gm_only else scope_of(number).opens,
        because=because,
    )
    return (yield from state.hiding_rules.join(state, _named(entry, name)))


def _named(entry: Any, name: str) -> Any:  # noqa: ANN401 - an entry of any book
    return changed(entry, sheet=changed(entry.sheet, id=name))


def _free_name(state: HidingTable, name: str) -> str:
    if not state.is_named(name):
        return name
    tries = (f"{name[: ID_LENGTH - 4]}-{n}" for n in count(2))
    return next(each for each in tries if not state.is_named(each))


# --- commands ----------------------------------------------------------------------------------------


def _check_gm(command: Command[Any]) -> None:
    if command.by.role != GM:
        raise Refused("not_gm", f"{command.by.seat} is not the gm", "TABLE-HIDDEN-1")


def _known(view: HidingTable, number: int) -> Any:  # noqa: ANN401 - an entry of any book
    """Return the entry of hidden creature *number*; raises `Refused` if there is none."""
    entry = view.known_hidden().get(str(number))
    if entry is None:
        raise Refused("no_such_hidden_creature", f"there is no hidden creature {number}", "TABLE-HIDDEN-1")
    return entry


def _check_room(view: HidingTable, room: OccupiedSpace, number: int = 0) -> None:
    """Raise `Refused` if *room* is occupied, or if another creature is hidden there."""
    for name, creature in view.creatures.items():
        taken = view.room_of(creature)
        if taken is not None and taken.shares(room):
            raise Refused("space_occupied", f"{name} is there")
    other = changed(
        view, hidden_creatures=without_key(view.hidden_creatures, str(number))
    ).hidden_creature_in(room)
    if other is not None:
        raise Refused("space_occupied", f"hidden creature {other} is there")


@enforces(TABLE_HIDDEN_1)
@record
class HideCreature(Command[L]):
    """Hide a creature, as the GM: until it is revealed, others learn only that there is one."""

    abstract: ClassVar[bool] = True
    type: ClassVar[str] = "hide_creature"
    sentence: ClassVar[str] = "Add a hidden creature"
    entry: Any
    event_type: ClassVar[Callable[..., CreatureHidden[Any]]]
    """The book's event of a hidden creature."""

    def scope(self, state: L) -> Scope:
        return scope_of(state.hidden + 1)

    def check(self, view: L) -> None:
        _check_gm(self)
        check_sealed(view)
        view.hiding_rules.check(view, self.entry)
        entry = view.hiding_rules.whole(self.entry)
        if any(known.sheet.id == entry.sheet.id for known in view.known_hidden().values()):
            raise Refused(
                "creature_taken", f"a hidden creature has the id {entry.sheet.id} already", TABLE_HIDDEN_1.id
            )
        if len(view.hidden_creatures) >= MOST_HIDDEN:
            raise Refused(
                "opening_not_possible", f"at most {MOST_HIDDEN} creatures are hidden", TABLE_HIDDEN_1.id
            )
        _check_room(view, view.room_for(entry))

    def decide(self, state: L) -> Emits[L]:
        number = state.hidden + 1
        entry = state.hiding_rules.whole(self.entry)
        event = type(self).event_type(hidden_creature=number, entry=entry, because=("TABLE-HIDDEN-1",))
        return (yield Private(scope=scope_of(number), event=event))


@record
class MoveHiddenCreature(Command[HidingTable]):
    """Move a hidden creature; others learn nothing."""

    type: ClassVar[str] = "move_hidden_creature"
    sentence: ClassVar[str] = "Move a hidden creature"
    hidden_creature: HiddenCreature
    position: Position

    def scope(self, state: HidingTable) -> Scope:
        return scope_of(self.hidden_creature)

    def check(self, view: HidingTable) -> None:
        _check_gm(self)
        moved = changed(_known(view, self.hidden_creature), position=self.position)
        view.hiding_rules.check(view, _named(moved, _free_name(view, moved.sheet.id)))
        _check_room(view, view.room_for(moved), self.hidden_creature)

    def decide(self, state: HidingTable) -> Emits[HidingTable]:
        moved = HiddenCreatureMoved(
            hidden_creature=self.hidden_creature, position=self.position, because=("TABLE-HIDDEN-1",)
        )
        return (yield Private(scope=scope_of(self.hidden_creature), event=moved))


@enforces(TABLE_HIDDEN_3)
@record
class RevealCreature(Command[HidingTable]):
    """Reveal a hidden creature, as the GM; it joins the fight as an arrival."""

    type: ClassVar[str] = "reveal_creature"
    sentence: ClassVar[str] = "Reveal a hidden creature"
    hidden_creature: HiddenCreature

    def check(self, view: HidingTable) -> None:
        _check_gm(self)
        _known(view, self.hidden_creature)
        view.hiding_rules.check_running(view)

    def decide(self, state: HidingTable) -> Emits[HidingTable]:
        after: HidingTable = yield from _reveal(state, self.hidden_creature, None, ("TABLE-HIDDEN-3",))
        return after


@record
class WithdrawHiddenCreature(Command[HidingTable]):
    """Withdraw a hidden creature: everybody sees that it is gone, and only the GM knows what it was."""

    type: ClassVar[str] = "withdraw_hidden_creature"
    sentence: ClassVar[str] = "Withdraw a hidden creature"
    hidden_creature: HiddenCreature

    def check(self, view: HidingTable) -> None:
        _check_gm(self)
        _known(view, self.hidden_creature)

    def decide(self, state: HidingTable) -> Emits[HidingTable]:
        return (
            yield HiddenCreatureWithdrawn(hidden_creature=self.hidden_creature, because=("TABLE-HIDDEN-1",))
        )
