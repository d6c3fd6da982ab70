"""Open, read and close encounters."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from service.api.answers import OUTCOME, PENDING, PROMPT
from service.api.command_outcomes import first_commit, idempotency_key, pending, receipt_headers, send_checked
from service.api.encounter_shapes import DISPUTE, IMPORT_OF, ORIGIN, ORIGIN_MEMBERS, STATUS, WINNER
from service.api.operations import (
    GM_ALONE,
    KEY_HOLDERS,
    OPENING_LIMIT,
    READERS,
    UNCHANGED,
    ResponseSchema,
    operation,
)
from service.api.parameters import Parameter
from service.api.problems import invalid, not_found
from service.api.request import ApiRequest, ApiResponse
from service.api.schemas import faults, raise_if_invalid
from service.api.shapes import (
    HASH,
    NUMBER,
    TEXT,
    TIME,
    TRUTH,
    UUID,
    closed,
    component,
    listing,
    maybe,
    ref,
)
from service.core import summaries, views
from service.rules.kernel.codec import to_data
from service.rules.rolls.closing import CloseEncounter
from service.rules.table.table import Table
from service.steps import Steps, settle
from service.stores import imports
from service.stores.disputes import Disputes
from service.stores.encounter_index import EncounterEntry
from service.usecases import listing_encounters, openings

TAG: Final = "Encounters"
ENCOUNTER: Final = component(
    "Encounter",
    closed(
        "A summary of an encounter.",
        encounter=UUID,
        line={**UUID, "description": "The line of play that the summary describes."},
        edition=TEXT,
        title=TEXT,
        opened=TIME,
        version={**NUMBER, "description": "The number of the last commit; 0 before the first."},
        appended={**NUMBER, "description": "The last command; above `version` while some are undecided."},
        hash=HASH,
        round=NUMBER,
        epoch=NUMBER,
        closed=TRUTH,
        closed_at={**maybe(TIME), "description": "When it was closed."},
        status=STATUS,
        winner=WINNER,
        dispute={
            **maybe(DISPUTE),
            "description": "Why play is suspended until an `accept_history` command; null if it is not.",
        },
        waiting={**listing(PROMPT), "description": "The prompts that wait for an answer."},
        continued={**maybe(UUID), "description": "The line in which it continues."},
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
    seconds = request.preference.seconds
    commit = yield from first_commit(request, entry.encounter, seconds, asked=not sent.replayed)
    if commit is None:
        body = {"encounter": entry.encounter, "n": 1, "outcome": "pending", "version": 0, "hash": None}
        return ApiResponse(body, 202, headers | {"Retry-After": "1"})
    yield from settle(partial(request.services.folder.begin, entry.encounter, ruleset, commit.raw))
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
    "/v1/encounters/{encounter}",
    "getEncounter",
    TAG,
    roles=READERS,
    answers={200: ResponseSchema("The encounter.", ENCOUNTER), 304: UNCHANGED},
)
def get_encounter(request: ApiRequest) -> ApiResponse:
    """Get an encounter's summary: its version, its round, and the prompts that wait.

    Until the opening is decided `version` is 0: poll, or read `state` with `min_version=1`. After an undo, a
    redo or a ruling this address, and every address below it, stands for the line of play that continues; an
    earlier line is read with `?line=`.
    """
    line = request.encounter
    entry = request.services.encounters.find(line)
    head = request.services.log.head(line)
    if entry is None or head is None:
        raise not_found()
    folded = request.services.folder.current(line, head.folded)
    first = request.services.encounters.first(entry)
    data = {
        "encounter": first.encounter,
        "line": line,
        "edition": entry.edition,
        "title": entry.title,
        "opened": first.opened,
        "version": folded.n,
        "appended": max(head.appended, folded.n),
        "hash": folded.hash,
        "round": folded.state.round,
        "epoch": folded.state.epoch,
        "closed": folded.state.closed,
        "closed_at": listing_encounters.closed_at(request.services, line) if folded.state.closed else None,
        "status": summaries.status_of(folded.state),
        "winner": summaries.winner(folded.state),
        "dispute": _dispute(request),
        "waiting": views.prompts(folded.state, request.me.seat),
        "continued": folded.state.continued,
        "imported": imported_of(request, entry),
        "origin": _origin(folded.state),
        "expires": entry.expires,
    }
    disputed = "-disputed" if data["dispute"] is not None else ""
    unsigned = "-unsigned" if data["imported"] and data["imported"]["unsigned"] else ""
    return ApiResponse(data, version=f"{folded.n}-{data['appended']}{disputed}{unsigned}")


def imported_of(request: ApiRequest, entry: EncounterEntry) -> dict[str, Any] | None:
    """Return the origin of an imported encounter, None for every other."""
    found = imports.find(request.services.log, entry.encounter) if entry.imported else None
    return None if found is None else found.shown


def _dispute(request: ApiRequest) -> dict[str, Any] | None:
    """Return the unaccepted dispute that suspends the encounter, None if there is none."""
    found = Disputes(request.services.log).standing(request.encounter)
    return None if found is None else found.public_data


def _origin(state: Table) -> dict[str, Any] | None:
    """Return the commit that an encounter continues from, None if it continues no other."""
    if state.origin is None:
        return None
    origin: dict[str, Any] = to_data(state.origin)
    return {name: origin[name] for name in ORIGIN_MEMBERS}


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
