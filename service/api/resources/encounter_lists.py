"""List encounters as a lobby needs them."""

from __future__ import annotations

from functools import partial
from typing import Any, Final
from urllib.parse import quote

from service.api.encounter_shapes import IMPORT_OF, ORIGIN, ORIGIN_MEMBERS, STATUS, WINNER
from service.api.operations import KEY_HOLDERS, ResponseSchema, operation
from service.api.paging import CURSOR, PAGE_LIMIT, newest_first
from service.api.parameters import Parameter
from service.api.request import ApiRequest, ApiResponse
from service.api.resources.encounters import imported_of
from service.api.shapes import NUMBER, SEAT, TEXT, TIME, TRUTH, UUID, closed, component, listing, maybe, page
from service.core import seams, summaries
from service.stores.encounter_index import EncounterEntry
from service.usecases import listing_encounters
from service.usecases.listing_encounters import ListedEncounter

ENCOUNTERS: Final = component(
    "Encounters",
    page(
        "Your encounters, the newest first.",
        "encounters",
        closed(
            "An encounter of yours.",
            encounter=UUID,
            line={**UUID, "description": "The line of play in which it is played."},
            edition=TEXT,
            title=TEXT,
            opened=TIME,
            closed_at={**maybe(TIME), "description": "When it was closed."},
            status=STATUS,
            round=NUMBER,
            waiting={
                **listing(
                    closed(
                        "A seat that may act or answer now.",
                        seat={**maybe(SEAT), "description": "Null if you may know only its group."},
                        creatures={**listing(SEAT), "description": "The creatures that it may act for."},
                        optional={**TRUTH, "description": "True if play does not wait for this seat alone."},
                    )
                ),
                "description": "Whose turn it is; those for whom play waits come first.",
            },
            winner=WINNER,
            imported=maybe(IMPORT_OF),
            origin={
                **maybe(ORIGIN),
                "description": "The commit that it continues from, if it is a fork or a line.",
            },
            expires={**maybe(TIME), "description": "When a fork, or a line that continues it, is deleted."},
            made_by={**maybe(SEAT), "description": "For a fork: the seat of its parent that made it."},
        ),
    ),
)


@operation(
    "GET",
    "/v1/encounters",
    "listEncounters",
    "Encounters",
    roles=KEY_HOLDERS,
    query=(
        CURSOR,
        PAGE_LIMIT,
        Parameter("status", "Only encounters with this status.", pattern=f"({'|'.join(summaries.STATUSES)})"),
        Parameter("edition", "Only encounters of this edition, as `rise@1`."),
        Parameter("ruleset", "Only encounters of this ruleset in any edition, as `rise`."),
    ),
    answers={200: ResponseSchema("A page of encounters.", ENCOUNTERS)},
)
def list_encounters(request: ApiRequest) -> ApiResponse:
    """List your encounters, newest first, with their status, whose turn it is and who won.

    An encounter is listed once, however often an undo or a ruling made it continue in another line of play.
    What a page says of an encounter was true at its newest commit. A page with a `status`, an `edition` or a
    `ruleset` may have fewer items than its limit, although `next_cursor` is not null.
    """
    assert request.caller is not None
    assert request.caller.key is not None
    read = partial(listing_encounters.owned_by, request.services, request.caller.key.owner)
    asked = "".join(f"&{name}={quote(request.query[name])}" for name in _FILTERS if name in request.query)
    return newest_first(request, "encounters", read, partial(_listed, request), asked)


_FILTERS: Final = ("status", "edition", "ruleset")


def _listed(request: ApiRequest, found: ListedEncounter) -> dict[str, Any] | None:
    """Return an encounter as the list shows it; None if it is gone, or if the query leaves it out."""
    e, query = found.entry, request.query
    if (
        not found.is_there
        or query.get("edition", e.edition) != e.edition
        or query.get("ruleset", e.edition.partition("@")[0]) != e.edition.partition("@")[0]
        or query.get("status", found.summary["status"]) != found.summary["status"]
    ):
        return None
    first = request.services.encounters.first(e)
    return {
        "encounter": first.encounter,
        "line": e.encounter,
        "edition": e.edition,
        "title": e.title,
        "opened": first.opened,
        **{name: value for name, value in found.summary.items() if name != "continued"},
        "imported": imported_of(request, e),
        "origin": _origin(request, e),
        "expires": e.expires,
        "made_by": e.made_by,
    }


def _origin(request: ApiRequest, entry: EncounterEntry) -> dict[str, Any] | None:
    """Return the commit that a listed encounter continues from, None if it continues no other."""
    if entry.root is None and entry.expires is None:
        return None
    found = seams.origin_of(request.services.log, entry.encounter)
    return None if found is None else {name: found[name] for name in ORIGIN_MEMBERS}
