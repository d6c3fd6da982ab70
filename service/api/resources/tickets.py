"""Hand out tickets: a stream for those who can send no headers."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from service.api.call import Answer, Call
from service.api.inputs import NOTHING
from service.api.operations import READERS, Shape, operation
from service.api.shapes import TEXT, TIME, closed, component
from service.encounter.stores import tickets

TAG: Final = "Record"
TICKET: Final = component("Ticket", closed("It opens one stream, once.", ticket=TEXT, expires=TIME))


@operation(
    "POST",
    "/v1/encounters/{encounter}/tickets",
    "issueTicket",
    TAG,
    roles=READERS,
    scope="read",
    body=NOTHING,
    answers={201: Shape("The ticket.", TICKET)},
)
def issue_ticket(call: Call) -> Answer:
    """Get a ticket that opens one stream of commits within thirty seconds.

    A browser's `EventSource` can send no headers: it opens `…/commits?ticket=<ticket>`. A ticket sees what
    you see, and opens nothing a second time; each request makes another.
    """
    caller = call.caller
    assert caller is not None
    host, claim = call.host, caller.claim
    number = 0 if claim is None else host.folder.current(call.encounter).state.seats[claim.seat].tokens
    ticket = tickets.new(
        call.encounter,
        host.clock(),
        key=caller.key.id if caller.key else None,
        seat=claim.seat if claim else None,
        number=number,
    )
    expires = datetime.fromtimestamp(ticket.expires, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    text = tickets.signed(host.service_key, ticket)
    return Answer({"ticket": text, "expires": expires}, 201, {"Cache-Control": "no-store"})
