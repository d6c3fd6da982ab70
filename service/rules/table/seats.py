"""Seats: commands that open, change and close them, and the events of these commands.

Only the GM opens, changes and closes seats, and everybody sees it. The record says that a token was issued;
the store has its hash.
"""

from __future__ import annotations

from typing import ClassVar, Final, Literal

from service.rules.kernel.hexadecimal import check_hex
from service.rules.kernel.messages import Command, Emits, Event, Refused
from service.rules.kernel.near import close_name
from service.rules.kernel.records import changed, record, with_key
from service.rules.kernel.rulebook import RULING, Rule, enforces
from service.rules.kernel.values import (
    Controlled,
    Count,
    NewlyControlled,
    SeatId,
    SeatKey,
    SeatRole,
)
from service.rules.table.table import CLOCK, GM, WATCHERS, Seat, Table

TABLE_SEAT_1: Final = Rule(
    "TABLE-SEAT-1",
    "The GM decides who sits at the table and which creatures each seat controls, and everybody sees it.",
    RULING,
)
TABLE_SIGN_1: Final = Rule(
    "TABLE-SIGN-1",
    "A seat may set a public key once; then only commands that its key signed are its commands. "
    "The GM may replace or remove the key, and everybody sees it.",
    RULING,
)


MOST_SEATS: Final = 200
"""The most seats of an encounter, the gm's and closed ones too: a seat stays on the record for ever."""
Role = Literal["player", "observer", "auditor"]
BECAUSE = ("TABLE-SEAT-1",)
BY_KEY: Final = ("TABLE-SIGN-1",)


@record
class _OfSeat(Event[Table]):
    """A fact about one seat, which changes nothing of the fight."""

    abstract: ClassVar[bool] = True
    plays: ClassVar[bool] = False
    seat: SeatId

    def seated(self, state: Table, **changes: object) -> Table:
        """Return the state with *changes* of the seat."""
        seat = changed(state.seats[self.seat], **changes)
        return changed(state, seats=with_key(state.seats, self.seat, seat))


@record
class SeatOpened(_OfSeat):
    """A seat was opened, with its role and creatures."""

    type: ClassVar[str] = "seat_opened"
    role: SeatRole
    creatures: Controlled

    def evolve(self, state: Table) -> Table:
        return changed(
            state, seats=with_key(state.seats, self.seat, Seat(role=self.role, creatures=self.creatures))
        )


@record
class SeatChanged(_OfSeat):
    """A seat controls exactly these creatures from now on."""

    type: ClassVar[str] = "seat_changed"
    creatures: NewlyControlled

    def evolve(self, state: Table) -> Table:
        return self.seated(state, creatures=self.creatures)


@record
class SeatTokenIssued(_OfSeat):
    """A token was issued for a seat; `number` counts the seat's tokens."""

    type: ClassVar[str] = "seat_token_issued"
    number: Count
    """How many tokens were issued for the seat so far."""

    def evolve(self, state: Table) -> Table:
        return self.seated(state, tokens=self.number)


@record
class SeatKeySet(_OfSeat):
    """The commands of a seat are signed with this key from now on."""

    type: ClassVar[str] = "seat_key_set"
    decides: ClassVar[str] = "key"
    key: SeatKey

    def evolve(self, state: Table) -> Table:
        return self.seated(state, key=self.key)


@record
class SeatKeyRemoved(_OfSeat):
    """The commands of a seat are not signed from now on."""

    type: ClassVar[str] = "seat_key_removed"
    decides: ClassVar[str] = "key"

    def evolve(self, state: Table) -> Table:
        return self.seated(state, key=None)


@record
class SeatClosed(_OfSeat):
    """A seat was closed; the GM controls its creatures."""

    type: ClassVar[str] = "seat_closed"

    def evolve(self, state: Table) -> Table:
        return self.seated(state, closed=True, creatures=())


@enforces(TABLE_SEAT_1)
def _gm_only(command: Command[Table]) -> None:
    """Refuse everybody but the GM."""
    if command.by.role != GM:
        raise Refused("not_gm", f"{command.by.seat} is not the gm", "TABLE-SEAT-1")


def _free(view: Table, seat: str, creatures: tuple[str, ...]) -> None:
    """Raise `Refused` for creatures that do not exist or that another player controls already."""
    for creature in creatures:
        if not view.has_creature(creature):
            raise Refused("no_such_creature", f"there is no creature {creature}", "TABLE-SEAT-1")
        holder = view.controller(creature)
        if holder not in (GM, seat):
            raise Refused("creature_taken", f"{creature} is controlled by {holder}", "TABLE-SEAT-1")


@enforces(TABLE_SIGN_1)
def _well_formed(key: str | None) -> None:
    """Raise `Refused` for a key that is not one."""
    if key is not None:
        check_hex(key, "a key", "key_malformed", TABLE_SIGN_1.id)


def _known(view: Table, seat: str) -> Seat:
    found = view.seats.get(seat)
    if found is None or found.closed:
        near = close_name(seat, [name for name, each in view.seats.items() if not each.closed])
        hint = f"; closest match: {near}" if near is not None else ""
        raise Refused("no_such_seat", f"there is no open seat {seat}{hint}", "TABLE-SEAT-1")
    return found


@record
class OpenSeat(Command[Table]):
    """Open a seat for a player, an observer or an auditor; an auditor also sees the GM's secret rolls."""

    type: ClassVar[str] = "open_seat"
    sentence: ClassVar[str] = "Open a seat"
    seat: SeatId
    role: Role
    """The role of the seat: `gm`, `player`, `observer` or `auditor`."""
    creatures: Controlled = ()
    key: SeatKey | None = None

    def check(self, view: Table) -> None:
        _gm_only(self)
        _well_formed(self.key)
        if self.seat in view.seats or self.seat == CLOCK:
            closed = self.seat in view.seats and view.seats[self.seat].closed
            end = ", and it is closed: a seat's name is used once, so take another" if closed else ""
            raise Refused("seat_taken", f"there is already a seat {self.seat}{end}", "TABLE-SEAT-1")
        if len(view.seats) >= MOST_SEATS:
            raise Refused(
                "too_many_seats",
                f"an encounter has at most {MOST_SEATS} seats, closed ones too",
                TABLE_SEAT_1.id,
            )
        if self.role in WATCHERS and self.creatures:
            raise Refused("observer_controls_nothing", f"an {self.role} controls no creature", "TABLE-SEAT-1")
        _free(view, self.seat, self.creatures)

    def decide(self, state: Table) -> Emits[Table]:
        yield SeatOpened(seat=self.seat, role=self.role, creatures=self.creatures, because=BECAUSE)
        state = yield SeatTokenIssued(seat=self.seat, number=1, because=BECAUSE)
        return (yield from _with_key(state, self.seat, self.key))


@record
class ChangeSeat(Command[Table]):
    """Change which creatures a seat controls."""

    type: ClassVar[str] = "change_seat"
    sentence: ClassVar[str] = "Change a seat"
    seat: SeatId
    creatures: NewlyControlled

    def check(self, view: Table) -> None:
        _gm_only(self)
        seat = _known(view, self.seat)
        if seat.role != "player":
            raise Refused(
                "observer_controls_nothing", f"a seat of role {seat.role} lists no creatures", "TABLE-SEAT-1"
            )
        _free(view, self.seat, self.creatures)

    def decide(self, state: Table) -> Emits[Table]:
        return (yield SeatChanged(seat=self.seat, creatures=self.creatures, because=BECAUSE))


@record
class IssueToken(Command[Table]):
    """Issue another token for a seat, perhaps with a key; earlier tokens stop working."""

    type: ClassVar[str] = "issue_token"
    seat: SeatId
    key: SeatKey | None = None

    def check(self, view: Table) -> None:
        _gm_only(self)
        _well_formed(self.key)
        _known(view, self.seat)

    def decide(self, state: Table) -> Emits[Table]:
        number = state.seats[self.seat].tokens + 1
        state = yield SeatTokenIssued(seat=self.seat, number=number, because=BECAUSE)
        return (yield from _with_key(state, self.seat, self.key))


def _with_key(state: Table, seat: str, key: str | None) -> Emits[Table]:
    """Set the key that came with a token, if one did."""
    return state if key is None else (yield SeatKeySet(seat=seat, key=key, because=BY_KEY))


@record
class CloseSeat(Command[Table]):
    """Close a seat: its token stops working, and the GM controls its creatures."""

    type: ClassVar[str] = "close_seat"
    sentence: ClassVar[str] = "Close a seat"
    seat: SeatId

    def check(self, view: Table) -> None:
        _gm_only(self)
        _known(view, self.seat)
        if self.seat == GM:
            raise Refused("gm_stays", "the gm's seat cannot be closed", "TABLE-SEAT-1")

    def decide(self, state: Table) -> Emits[Table]:
        return (yield SeatClosed(seat=self.seat, because=BECAUSE))


@enforces(TABLE_SIGN_1)
@record
class SetSeatKey(Command[Table]):
    """Set the public key with which a seat signs its commands: its own seat once, the GM at any time."""

    type: ClassVar[str] = "set_seat_key"
    seat: SeatId
    key: SeatKey

    def check(self, view: Table) -> None:
        seat = _known(view, self.seat)
        if self.by.role != GM and self.by.seat != self.seat:
            raise Refused("not_gm", f"{self.by.seat} is not the gm and not {self.seat}", TABLE_SIGN_1.id)
        if self.by.role != GM and seat.key is not None:
            raise Refused("key_is_set", f"{self.seat} has a key; only the gm replaces it", TABLE_SIGN_1.id)
        _well_formed(self.key)

    def decide(self, state: Table) -> Emits[Table]:
        return (yield SeatKeySet(seat=self.seat, key=self.key, because=BY_KEY))


@record
class RemoveSeatKey(Command[Table]):
    """Remove the public key of a seat, as the GM: its commands are not signed from then on."""

    type: ClassVar[str] = "remove_seat_key"
    sentence: ClassVar[str] = "Remove the key of a seat"
    seat: SeatId

    def check(self, view: Table) -> None:
        _gm_only(self)
        if _known(view, self.seat).key is None:
            raise Refused("no_key", f"{self.seat} has no key to remove", "TABLE-SIGN-1")

    def decide(self, state: Table) -> Emits[Table]:
        return (yield SeatKeyRemoved(seat=self.seat, because=BY_KEY))
