"""Open, list, read and close encounters."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from service.api.answers import OUTCOME, PENDING, PROMPT
from service.api.command_outcomes import first_commit, idempotency_key, pending, receipt_headers, send_checked
from service.api.operations import (
    GM_ALONE,
    KEY_HOLDERS,
    OPENING_LIMIT,
    READERS,
    UNCHANGED,
    ResponseSchema,
    operation,
)
from service.api.paging import CURSOR, PAGE_LIMIT, newest_first
from service.api.parameters import Parameter
from service.api.problems import invalid, not_found, removed
from service.api.request import ApiRequest, ApiResponse
from service.api.schemas import faults, raise_if_invalid
from service.api.shapes import (
    HASH,
    NUMBER,
    SEAT,
    TEXT,
    TIME,
    TRUTH,
    UUID,
    closed,
    component,
    listing,
    maybe,
    page,
    ref,
)
from service.core import seams, views
from service.rules.kernel.codec import to_data
from service.rules.rolls.closing import CloseEncounter
from service.rules.table.table import Table
from service.steps import Steps
from service.stores import imports
from service.stores.disputes import Disputes
from service.stores.encounter_index import EncounterEntry
from service.usecases import amending, openings

TAG: Final = "Encounters"
IMPORT_OF: Final = component(
    "ImportOf",
    closed(
        "The origin of an imported encounter, and how much of it an accepted key signed.",
        record={**UUID, "description": "Its id in the service where it was played."},
        unsigned={
            **TRUTH,
            "description": "Whether no accepted key signed the last commit, so that its author is unknown.",
        },
        signed={
            **NUMBER,
            "description": "The number of commits under a head that an accepted key signed.",
        },
        keys={**listing(HASH), "description": "The accepted keys."},
    ),
)
DISPUTE: Final = component(
    "Dispute",
    closed(
        "A contradiction between what was signed and what is stored.",
        why={"enum": ["rolled_back", "forked", "altered", "missing"]},
        text=TEXT,
        lost=closed("The signed checkpoint.", size=NUMBER, root=HASH),
        epoch={**NUMBER, "description": "The last dice epoch that was open in the signed history."},
        folded={**NUMBER, "description": "The number of commits in the store."},
    ),
)
ORIGIN: Final = component(
    "Origin",
    closed(
        "The commit of another encounter that this encounter continues from.",
        parent=UUID,
        n=NUMBER,
        hash=HASH,
        kind={"enum": ["as_ruled", "undo", "redo", "fork"]},
        levels={**NUMBER, "description": "The number of undos that can be redone from its beginning."},
    ),
)
ENCOUNTER: Final = component(
    "Encounter",
    closed(
        "A summary of an encounter.",
        encounter=UUID,
        edition=TEXT,
        title=TEXT,
        opened=TIME,
        version={**NUMBER, "description": "The number of the last commit; 0 before the first."},
        appended={**NUMBER, "description": "The last command; above `version` while some are undecided."},
        hash=HASH,
        round=NUMBER,
        epoch=NUMBER,
        closed=TRUTH,
        status={
            "enum": ["open", "over", "closed"],
            "description": "`over`: the fight has ended, but the encounter is not closed.",
        },
        dispute={
            **maybe(DISPUTE),
            "description": "Why play is suspended until an `accept_history` command; null if it is not.",
        },
        waiting={**listing(PROMPT), "description": "The prompts that wait for an answer."},
        continued={**maybe(UUID), "description": "The line in which it continues."},
        as_played={**maybe(UUID), "description": "The requested line, if another one continues it."},
        imported={**maybe(IMPORT_OF), "description": "The origin of an imported encounter."},
        origin=maybe(ORIGIN),
        expires={**maybe(TIME), "description": "When a fork, or a line that continues it, is deleted."},
    ),
)
OPENED_ENCOUNTER: Final = component(
    "OpenedEncounter",
    closed(
        "The new encounter: its address and its first commit.",
        encounter=UUID,
        n=NUMBER,
        outcome={"enum": ["pending", "accepted"]},
        version=NUMBER,
        hash=maybe(HASH),
    ),
)
ENCOUNTERS: Final = component(
    "Encounters",
    page(
        "Your encounters, the newest first.",
        "encounters",
        closed(
            "An encounter of yours.",
            encounter=UUID,
            edition=TEXT,
            title=TEXT,
            opened=TIME,
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
_ORIGIN: Final = ("parent", "n", "hash", "kind", "levels")


@operation(
    "POST",
    "/v1/encounters",
    "openEncounter",
    TAG,
    roles=KEY_HOLDERS,
    body=ref("Opening"),
    limit=OPENING_LIMIT,
    waits=True,
    answers={
        201: ResponseSchema("The encounter exists.", OPENED_ENCOUNTER),
        202: ResponseSchema("The opening is recorded but not yet decided.", OPENED_ENCOUNTER),
    },
    problems=("encounter-removed", "encounter-missing"),
)
def open_encounter(request: ApiRequest) -> Steps[ApiResponse]:
    """Open an encounter with its creatures, their positions and the house options.

    The whole opening is checked before anything is stored; each fault has its pointer. The encounter's id is
    derived from the key's owner and the idempotency key, so a repeat finds the same encounter.
    """
    data = request.data
    edition = data.get("edition") if isinstance(data, dict) else None
    inputs = request.inputs.get(edition) if isinstance(edition, str) else None
    if inputs is None:
        raise invalid(("/edition", "one of " + ", ".join(request.inputs)))
    raise_if_invalid(faults(inputs.opening, data))
    ruleset = request.services.registry[inputs.edition]
    opening = {name: value for name, value in data.items() if name != "edition"}
    raise_if_invalid(list(openings.opening_faults(ruleset, opening)))
    assert request.caller is not None
    assert request.caller.key is not None
    owner = request.caller.key.owner
    asked = idempotency_key(request, f"key:{owner}")
    entry, sent = openings.open_encounter(request.services, owner, ruleset, opening, asked)
    headers = receipt_headers(request, sent) | {"Location": f"/v1/encounters/{entry.encounter}"}
    commit = yield from first_commit(request, entry.encounter, request.preference.seconds)
    if commit is None:
        body = {"encounter": entry.encounter, "n": 1, "outcome": "pending", "version": 0, "hash": None}
        return ApiResponse(body, 202, headers | {"Retry-After": "1"})
    body = {
        "encounter": entry.encounter,
        "n": 1,
        "outcome": commit.outcome,
        "version": 1,
        "hash": commit.hash,
    }
    return ApiResponse(body, 201, headers, version="1")


@operation(
    "GET",
    "/v1/encounters",
    "listEncounters",
    TAG,
    roles=KEY_HOLDERS,
    query=(CURSOR, PAGE_LIMIT),
    answers={200: ResponseSchema("A page of encounters.", ENCOUNTERS)},
)
def list_encounters(request: ApiRequest) -> ApiResponse:
    """List your encounters, newest first."""
    assert request.caller is not None
    assert request.caller.key is not None
    read = partial(request.services.encounters.owned_by, request.caller.key.owner)
    return newest_first(request, "encounters", read, partial(_listed, request))


def _listed(request: ApiRequest, e: EncounterEntry) -> dict[str, Any] | None:
    """Return an encounter as the list of its owner shows it; None if it is missing, expired or removed."""
    if (
        request.services.log.head(e.encounter) is None
        or e.has_expired(request.services.clock())
        or request.services.removals.of(e.encounter) is not None
    ):
        return None
    return {
        "encounter": e.encounter,
        "edition": e.edition,
        "title": e.title,
        "opened": e.opened,
        "imported": _imported(request, e),
        "origin": _listed_origin(request, e),
        "expires": e.expires,
        "made_by": e.made_by,
    }


@operation(
    "GET",
    "/v1/encounters/{encounter}",
    "getEncounter",
    TAG,
    roles=READERS,
    query=(Parameter("line", "`as_played`: this line, even if another continues it.", pattern=r"as_played"),),
    answers={200: ResponseSchema("The encounter.", ENCOUNTER), 304: UNCHANGED},
)
def get_encounter(request: ApiRequest) -> ApiResponse:
    """Get an encounter's summary: its version, its round, and the prompts that wait.

    Until the opening is decided `version` is 0: poll, or read `state` with `min_version=1`. If the encounter
    continues in another line of play, the answer describes that line, and `as_played` names this one. All
    addresses below this one still refer to this line. With `line=as_played` the answer describes this line,
    too.
    """
    goes_on = (
        request.encounter
        if "line" in request.query
        else amending.successor(request.services, request.encounter)
    )
    gone = request.services.removals.of(goes_on)
    if gone is not None:
        raise removed(gone.public_data)
    entry = request.services.encounters.find(goes_on)
    head = request.services.log.head(goes_on)
    if entry is None or head is None:
        raise not_found()
    folded = request.services.folder.current(goes_on, head.folded)
    data = {
        "encounter": entry.encounter,
        "edition": entry.edition,
        "title": entry.title,
        "opened": entry.opened,
        "version": folded.n,
        "appended": max(head.appended, folded.n),
        "hash": folded.hash,
        "round": folded.state.round,
        "epoch": folded.state.epoch,
        "closed": folded.state.closed,
        "status": "closed" if folded.state.closed else "over" if folded.state.is_over else "open",
        "dispute": _dispute(request),
        "waiting": views.prompts(folded.state, request.me.seat),
        "continued": folded.state.continued,
        "as_played": request.encounter if goes_on != request.encounter else None,
        "imported": _imported(request, entry),
        "origin": _origin(folded.state),
        "expires": entry.expires,
    }
    line = "" if goes_on == request.encounter else f"{goes_on}-"
    disputed = "-disputed" if data["dispute"] is not None else ""
    unsigned = "-unsigned" if data["imported"] and data["imported"]["unsigned"] else ""
    return ApiResponse(data, version=f"{line}{folded.n}-{data['appended']}{disputed}{unsigned}")


def _imported(request: ApiRequest, entry: EncounterEntry) -> dict[str, Any] | None:
    """Return the origin of an imported encounter, None for every other."""
    found = imports.find(request.services.log, entry.encounter) if entry.imported else None
    return None if found is None else found.shown


def _dispute(request: ApiRequest) -> dict[str, Any] | None:
    """Return the unaccepted dispute that suspends the encounter, None if there is none."""
    found = Disputes(request.services.log).standing(request.encounter)
    return None if found is None else found.public_data


def _listed_origin(request: ApiRequest, entry: EncounterEntry) -> dict[str, Any] | None:
    """Return the commit that a listed encounter continues from, None if it continues no other."""
    if entry.root is None and entry.expires is None:
        return None
    found = seams.origin_of(request.services.log, entry.encounter)
    return None if found is None else {name: found[name] for name in _ORIGIN}


def _origin(state: Table) -> dict[str, Any] | None:
    """Return the commit that an encounter continues from, None if it continues no other."""
    if state.origin is None:
        return None
    origin: dict[str, Any] = to_data(state.origin)
    return {name: origin[name] for name in _ORIGIN}


@operation(
    "DELETE",
    "/v1/encounters/{encounter}",
    "closeEncounter",
    TAG,
    roles=GM_ALONE,
    waits=True,
    query=(Parameter("reason", "The reason, for the record.", pattern=r"[^\x00-\x1f\x7f]{1,500}"),),
    answers={
        200: ResponseSchema("The encounter is closed; the seed of its dice is disclosed.", OUTCOME),
        202: PENDING,
    },
    problems=("command-refused", "version-mismatch"),
)
def close_encounter(request: ApiRequest) -> Steps[ApiResponse]:
    """Close an encounter: its dice are disclosed, and it takes no more commands.

    The record can still be read and audited until it is removed (`POST …/removal`).
    """
    sent = yield from send_checked(request, CloseEncounter, {"reason": request.query.get("reason", "")})
    return (yield from pending(request, sent))
