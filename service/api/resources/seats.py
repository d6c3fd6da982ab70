"""Seats: open, read, change and close them, and issue their tokens."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from service.api.answers import PENDING
from service.api.command_outcomes import pending, send_checked
from service.api.fields import ID, IntegerField
from service.api.operations import GM_ALONE, READERS, UNCHANGED, ResponseSchema, operation
from service.api.problems import Problem, not_found
from service.api.request import ApiRequest, ApiResponse
from service.api.schemas import schema_of, strict
from service.api.shapes import NUMBER, SEAT, TEXT, TIME, TRUTH, Schema, closed, component, listing
from service.core import views
from service.record.timestamps import timestamp_of
from service.rules.kernel.meaning import number
from service.rules.kernel.records import record
from service.rules.kernel.values import Creatures, SeatKey
from service.rules.table.seats import ChangeSeat, CloseSeat, IssueToken, OpenSeat
from service.steps import Steps
from service.stores import seat_tokens, share_links
from service.stores.share_links import ShareLink

TAG: Final = "Seats"
_SEAT_MEMBERS: Final[dict[str, Schema]] = {
    "seat": SEAT,
    "role": {"enum": ["gm", "player", "observer", "auditor"]},
    "creatures": listing(SEAT),
    "tokens": {**NUMBER, "description": "The number of tokens that were issued for it."},
    "closed": TRUTH,
    "key": {
        "type": ["string", "null"],
        "description": "The public key of its signatures: Ed25519, 64 hexadecimal digits; null if none.",
    },
}
ONE_SEAT: Final = component("Seat", closed("A seat: its role and its creatures.", **_SEAT_MEMBERS))
SEATS: Final = component("Seats", closed("All seats, including closed ones.", seats=listing(ONE_SEAT)))
SEAT_WITH_TOKEN: Final = component(
    "SeatWithToken",
    closed(
        "A seat and its token. The token is shown only here; a repeat of the request shows it again.",
        **_SEAT_MEMBERS,
        token=TEXT,
        n=NUMBER,
    ),
)
SHARE_LINK: Final = component(
    "ShareLink",
    closed(
        "A token of a seat that expires, and a page that opens with it.",
        token=TEXT,
        expires=TIME,
        page={"type": "string", "description": "Where the service shows the fight with it."},
    ),
)
_DAY_S: Final = 86_400
_YEAR_S: Final = 366 * _DAY_S
LINK_REQUEST: Final = strict(
    "NewShareLink", {"expires_in_s": IntegerField(number("seconds", 60, _YEAR_S, unit="seconds"))}
)
_PATH: Final = "/v1/encounters/{encounter}/seats"
_PROBLEMS: Final = ("command-refused", "version-mismatch")


@record
class SeatChange:
    """The creatures that a seat controls from now on."""

    creatures: Creatures


@record
class NewToken:
    """A key that the seat's person brings with the new token, if any."""

    key: SeatKey | None = None


NEW_SEAT: Final = schema_of(OpenSeat, name="NewSeat")()
SEAT_CHANGE: Final = schema_of(SeatChange)()
NEW_TOKEN: Final = schema_of(NewToken)()


@operation(
    "POST",
    _PATH,
    "openSeat",
    TAG,
    has_secret=True,
    roles=GM_ALONE,
    body=NEW_SEAT,
    waits=True,
    problems=_PROBLEMS,
    answers={201: ResponseSchema("The seat, with its token.", SEAT_WITH_TOKEN), 202: PENDING},
)
def open_seat(request: ApiRequest) -> Steps[ApiResponse]:
    """Open a seat for a player, an observer or an auditor, and get its token.

    Everybody can see in the record that the seat was opened and that a token was issued. The token itself is
    shown only here; a repeat with the same idempotency key shows it again.
    """
    sent = yield from send_checked(request, OpenSeat, request.data)
    return (yield from pending(request, sent, _with_token(request, request.data["seat"], 201)))


@operation(
    "GET",
    _PATH,
    "listSeats",
    TAG,
    roles=READERS,
    answers={200: ResponseSchema("The seats.", SEATS), 304: UNCHANGED},
)
def list_seats(request: ApiRequest) -> ApiResponse:
    """List all seats."""
    folded = request.services.folder.current(request.encounter)
    found = views.state_data(folded.state, request.me.seat)["seats"]
    return ApiResponse(
        {"seats": [{"seat": name, **seat} for name, seat in found.items()]}, version=str(folded.n)
    )


@operation(
    "GET",
    _PATH + "/{seat}",
    "getSeat",
    TAG,
    roles=READERS,
    answers={200: ResponseSchema("The seat.", ONE_SEAT), 304: UNCHANGED},
)
def get_seat(request: ApiRequest) -> ApiResponse:
    """Get one seat."""
    folded = request.services.folder.current(request.encounter)
    return ApiResponse(_seat(request, folded.state, _named(request)), version=str(folded.n))


@operation(
    "PATCH",
    _PATH + "/{seat}",
    "changeSeat",
    TAG,
    roles=GM_ALONE,
    body=SEAT_CHANGE,
    waits=True,
    problems=_PROBLEMS,
    answers={200: ResponseSchema("The seat.", ONE_SEAT), 202: PENDING},
)
def change_seat(request: ApiRequest) -> Steps[ApiResponse]:
    """Change the creatures that a seat controls."""
    name = _named(request)
    sent = yield from send_checked(request, ChangeSeat, {"seat": name, **request.data})
    return (yield from pending(request, sent, _without_token(request, name)))


@operation(
    "DELETE",
    _PATH + "/{seat}",
    "closeSeat",
    TAG,
    roles=GM_ALONE,
    waits=True,
    problems=_PROBLEMS,
    answers={200: ResponseSchema("The seat, closed.", ONE_SEAT), 202: PENDING},
)
def close_seat(request: ApiRequest) -> Steps[ApiResponse]:
    """Close a seat: its token stops working, and the gm controls its creatures."""
    name = _named(request)
    sent = yield from send_checked(request, CloseSeat, {"seat": name})
    return (yield from pending(request, sent, _without_token(request, name)))


@operation(
    "POST",
    _PATH + "/{seat}/token",
    "issueToken",
    TAG,
    has_secret=True,
    roles=GM_ALONE,
    body=NEW_TOKEN,
    waits=True,
    problems=_PROBLEMS,
    answers={201: ResponseSchema("The seat, with its new token.", SEAT_WITH_TOKEN), 202: PENDING},
)
def issue_token(request: ApiRequest) -> Steps[ApiResponse]:
    """Issue a new token for a seat; the previous token stops working.

    Everybody can see in the record that a token was issued. The new token can read everything that its seat
    can, including choices that were sealed before. It is valid in every line of play, the previous one in
    none.
    """
    name = _named(request)
    sent = yield from send_checked(request, IssueToken, {"seat": name, **request.data})
    return (yield from pending(request, sent, _with_token(request, name, 201)))


@operation(
    "POST",
    _PATH + "/{seat}/links",
    "shareSeat",
    TAG,
    has_secret=True,
    roles=GM_ALONE,
    body=LINK_REQUEST,
    answers={201: ResponseSchema("The link.", SHARE_LINK)},
    problems=("command-refused",),
)
def share_seat(request: ApiRequest) -> ApiResponse:
    """Get a share link of a seat: a token for it that expires.

    The seat must be open and have a token. `token` may be sent in place of the seat's token until `expires`,
    a day from now by default. A new token for the seat, and its close, end all of its links. `page` opens the
    fight in a browser; its part after `#` is not sent to any server.
    """
    name, services = _named(request), request.services
    seat = services.folder.current(request.encounter).state.seats.get(name)
    if seat is None or seat.closed:
        raise not_found()
    if not seat.tokens:
        detail = f"{name} has no token, for which a link stands: POST …/seats/{name}/token issues one"
        raise Problem("command-refused", detail, members={"code": "no_token", "rule": None})
    expires = int(services.clock()) + request.data.get("expires_in_s", _DAY_S)
    link = ShareLink(services.encounters.root(request.encounter), name, seat.tokens, expires)
    token = share_links.signed(services.service_key, link)
    data = {"token": token, "expires": timestamp_of(expires), "page": f"/s#{token}"}
    return ApiResponse(data, 201, {"Cache-Control": "no-store"})


def _named(request: ApiRequest) -> str:
    name = request.path["seat"]
    if not ID.fullmatch(name):
        raise not_found()
    return name


def _with_token(request: ApiRequest, name: str, status: int) -> Callable[[views.Data], ApiResponse]:
    """Return a function that answers a command that issued a token with the seat and the token."""

    def answer(outcome: views.Data) -> ApiResponse:
        number = next(event["number"] for event in outcome["events"] if event["type"] == "seat_token_issued")
        token = seat_tokens.token(
            request.services.service_key, request.services.encounters.root(request.encounter), name, number
        )
        data = _after(request, name, outcome) | {"token": token, "n": outcome["n"]}
        return ApiResponse(data, status, {"Location": f"/v1/encounters/{request.address}/seats/{name}"})

    return answer


def _without_token(request: ApiRequest, name: str) -> Callable[[views.Data], ApiResponse]:
    return lambda outcome: ApiResponse(_after(request, name, outcome))


def _after(request: ApiRequest, name: str, outcome: views.Data) -> dict[str, Any]:
    return _seat(request, request.services.folder.current(request.encounter, outcome["n"]).state, name)


def _seat(request: ApiRequest, state: Any, name: str) -> dict[str, Any]:
    found = views.state_data(state, request.me.seat)["seats"].get(name)
    if found is None:
        raise not_found()
    return {"seat": name, **found}
