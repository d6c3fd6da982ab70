"""Open, read, change and close seats; hand out their tokens."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from service.api.answers import PENDING
from service.api.call import Answer, Call
from service.api.fields import ID
from service.api.inputs import NOTHING
from service.api.operations import GM_ALONE, READERS, UNCHANGED, Shape, operation
from service.api.problems import not_found
from service.api.schemas import schema_of
from service.api.sending import pending, send_checked
from service.api.shapes import NUMBER, SEAT, TEXT, TRUTH, Schema, closed, component, listing
from service.encounter.reading import views
from service.encounter.stores import seats
from service.rules.records import record
from service.rules.seats import ChangeSeat, CloseSeat, IssueToken, OpenSeat
from service.steps import Steps

TAG: Final = "Seats"
_SEAT_MEMBERS: Final[dict[str, Schema]] = {
    "seat": SEAT,
    "role": {"enum": ["gm", "player", "observer", "auditor"]},
    "creatures": listing(SEAT),
    "tokens": {**NUMBER, "description": "How many tokens were issued for it so far."},
    "closed": TRUTH,
}
ONE_SEAT: Final = component("Seat", closed("Who may act, and for which creatures.", **_SEAT_MEMBERS))
SEATS: Final = component("Seats", closed("All seats, the closed ones too.", seats=listing(ONE_SEAT)))
SEAT_WITH_TOKEN: Final = component(
    "SeatWithToken",
    closed(
        "A seat and its token. The token is shown here alone; a repeat of the request shows it again.",
        **_SEAT_MEMBERS,
        token=TEXT,
        n=NUMBER,
    ),
)
_PATH: Final = "/v1/encounters/{encounter}/seats"
_PROBLEMS: Final = ("command-refused", "version-mismatch")


@record
class SeatChange:
    """The creatures a seat controls from now on."""

    creatures: tuple[str, ...]


NEW_SEAT: Final = schema_of(OpenSeat, name="NewSeat")()
SEAT_CHANGE: Final = schema_of(SeatChange)()


@operation(
    "POST",
    _PATH,
    "openSeat",
    TAG,
    roles=GM_ALONE,
    body=NEW_SEAT,
    waits=True,
    problems=_PROBLEMS,
    answers={201: Shape("The seat, with its token.", SEAT_WITH_TOKEN), 202: PENDING},
)
def open_seat(call: Call) -> Steps[Answer]:
    """Open a seat for a player or an observer, and get its token.

    Everybody sees on the record that the seat was opened and that a token was issued. The token is told here
    alone; a repeat with the same idempotency key tells it again.
    """
    sent = yield from send_checked(call, OpenSeat, call.data)
    return (yield from pending(call, sent, _with_token(call, call.data["seat"], 201)))


@operation(
    "GET",
    _PATH,
    "listSeats",
    TAG,
    roles=READERS,
    answers={200: Shape("The seats.", SEATS), 304: UNCHANGED},
)
def list_seats(call: Call) -> Answer:
    """List all seats, as everybody sees them."""
    folded = call.host.folder.current(call.encounter)
    found = views.state_data(folded.state, call.me.seat)["seats"]
    return Answer({"seats": [{"seat": name, **seat} for name, seat in found.items()]}, version=str(folded.n))


@operation(
    "GET",
    _PATH + "/{seat}",
    "getSeat",
    TAG,
    roles=READERS,
    answers={200: Shape("The seat.", ONE_SEAT), 304: UNCHANGED},
)
def get_seat(call: Call) -> Answer:
    """Tell one seat."""
    folded = call.host.folder.current(call.encounter)
    return Answer(_seat(call, folded.state, _named(call)), version=str(folded.n))


@operation(
    "PATCH",
    _PATH + "/{seat}",
    "changeSeat",
    TAG,
    roles=GM_ALONE,
    body=SEAT_CHANGE,
    waits=True,
    problems=_PROBLEMS,
    answers={200: Shape("The seat.", ONE_SEAT), 202: PENDING},
)
def change_seat(call: Call) -> Steps[Answer]:
    """Give a seat other creatures to control."""
    name = _named(call)
    sent = yield from send_checked(call, ChangeSeat, {"seat": name, **call.data})
    return (yield from pending(call, sent, _without_token(call, name)))


@operation(
    "DELETE",
    _PATH + "/{seat}",
    "closeSeat",
    TAG,
    roles=GM_ALONE,
    waits=True,
    problems=_PROBLEMS,
    answers={200: Shape("The seat, closed.", ONE_SEAT), 202: PENDING},
)
def close_seat(call: Call) -> Steps[Answer]:
    """Close a seat: its token stops working and its creatures fall to the gm."""
    name = _named(call)
    sent = yield from send_checked(call, CloseSeat, {"seat": name})
    return (yield from pending(call, sent, _without_token(call, name)))


@operation(
    "POST",
    _PATH + "/{seat}/token",
    "issueToken",
    TAG,
    roles=GM_ALONE,
    body=NOTHING,
    waits=True,
    problems=_PROBLEMS,
    answers={201: Shape("The seat, with its new token.", SEAT_WITH_TOKEN), 202: PENDING},
)
def issue_token(call: Call) -> Steps[Answer]:
    """Hand out a token for a seat; the one before it stops working.

    Everybody sees on the record that one was issued. The new token reads what its seat reads, choices that
    were sealed before it included. It works in every line of play, and the one before it in none.
    """
    name = _named(call)
    sent = yield from send_checked(call, IssueToken, {"seat": name})
    return (yield from pending(call, sent, _with_token(call, name, 201)))


def _named(call: Call) -> str:
    name = call.path["seat"]
    if not ID.fullmatch(name):
        raise not_found()
    return name


def _with_token(call: Call, name: str, status: int) -> Callable[[views.Data], Answer]:
    """Return how to answer a command that issued a token: with the token it issued."""

    def answer(outcome: views.Data) -> Answer:
        number = next(event["number"] for event in outcome["events"] if event["type"] == "seat_token_issued")
        token = seats.token(call.host.service_key, call.host.register.root(call.encounter), name, number)
        data = _after(call, name, outcome) | {"token": token, "n": outcome["n"]}
        return Answer(data, status, {"Location": f"/v1/encounters/{call.encounter}/seats/{name}"})

    return answer


def _without_token(call: Call, name: str) -> Callable[[views.Data], Answer]:
    return lambda outcome: Answer(_after(call, name, outcome))


def _after(call: Call, name: str, outcome: views.Data) -> dict[str, Any]:
    return _seat(call, call.host.folder.current(call.encounter, outcome["n"]).state, name)


def _seat(call: Call, state: Any, name: str) -> dict[str, Any]:
    found = views.state_data(state, call.me.seat)["seats"].get(name)
    if found is None:
        raise not_found()
    return {"seat": name, **found}
