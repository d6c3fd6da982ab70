"""Tickets: let a client that cannot send headers open a stream."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from service.api.inputs import NOTHING
from service.api.operations import READERS, ResponseSchema, operation
from service.api.request import ApiRequest, ApiResponse
from service.api.shapes import TEXT, TIME, closed, component
from service.stores import tickets

TAG: Final = "Record"
TICKET: Final = component("Ticket", closed("A ticket, which opens one stream.", ticket=TEXT, expires=TIME))


@operation(
    "POST",
    "/v1/encounters/{encounter}/tickets",
    "issueTicket",
    TAG,
    has_secret=True,
    roles=READERS,
    scope="read",
    body=NOTHING,
    answers={201: ResponseSchema("The ticket.", TICKET)},
)
def issue_ticket(request: ApiRequest) -> ApiResponse:
    """Get a ticket that opens one stream of commits within thirty seconds.

    It is for a browser's `EventSource`, which cannot send headers: open `…/commits?ticket=<ticket>`. The
    stream shows what you may see. A ticket works only once, and each request issues a new one.
    """
    caller = request.caller
    assert caller is not None
    services, claim = request.services, caller.claim
    number = 0 if claim is None else services.folder.current(request.encounter).state.seats[claim.seat].tokens
    ticket = tickets.new(
        request.address,
        services.clock(),
        key=caller.key.id if caller.key else None,
        seat=claim.seat if claim else None,
        number=number,
    )
    expires = datetime.fromtimestamp(ticket.expires, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    text = tickets.signed(services.service_key, ticket)
    return ApiResponse({"ticket": text, "expires": expires}, 201, {"Cache-Control": "no-store"})
