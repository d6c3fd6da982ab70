"""Ask what if: an encounter of its own that goes on from a moment of this one."""

from __future__ import annotations

from typing import Any, Final

from service.api.answers import OUTCOME
from service.api.operations import READERS, ResponseSchema, operation
from service.api.problems import Problem, invalid, not_found
from service.api.request import ApiRequest, ApiResponse
from service.api.schemas import raise_if_invalid, schema_of
from service.api.sending import first_commit, idempotency_key, read_command, receipt_headers, refusal_problem
from service.api.shapes import HASH, NUMBER, TEXT, TIME, UUID, closed, component, listing, maybe
from service.core import seams, views
from service.log import StoreFailure
from service.record.commit import load_commit
from service.rules.messages import Refused
from service.rules.records import record
from service.rules.table import GM
from service.steps import Steps
from service.stores import forks, seat_tokens
from service.stores.encounter_index import EncounterEntry
from service.usecases import forking, reading, sending
from service.usecases.preconditions import CommandInput

TAG: Final = "Forks"
FORK: Final = component(
    "Fork",
    closed(
        "A what-if: its address, where it goes on from, and its first commit.",
        {"token": {**TEXT, "description": "Your token in it, where a seat's token asked."}},
        encounter=UUID,
        parent=UUID,
        at={**NUMBER, "description": "The last commit of its parent that stands in it."},
        expires={**TIME, "description": "When it is forgotten."},
        n={**NUMBER, "description": "Its last command so far: the last one given, or its opening."},
        outcome={
            "enum": ["pending", "accepted", "refused", "sealed", "quarantined"],
            "description": "What became of command `n`.",
        },
        outcomes={**listing(OUTCOME), "description": "What became of each command given, in order."},
        version={**NUMBER, "description": "How far it is folded."},
        hash={**maybe(HASH), "description": "The hash of commit `n`; null until that is decided."},
    ),
)
LISTED_FORK: Final = component(
    "ListedFork",
    closed(
        "A fork of this encounter.",
        encounter=UUID,
        parent=UUID,
        at={**maybe(NUMBER), "description": "The last commit of its parent that stands in it."},
        opened=TIME,
        expires={**TIME, "description": "When it is deleted."},
        made_by={**TEXT, "description": "The seat that made it."},
    ),
)
FORKS: Final = component("Forks", closed("The forks of an encounter.", forks=listing(LISTED_FORK)))
_PATH: Final = "/v1/encounters/{encounter}/forks"
MOST_COMMANDS: Final = 50


@record
class NewFork:
    """After which commit a what-if goes on, and what its gm commands there at once."""

    at: int
    commands: tuple[Any, ...] = ()


NEW_FORK: Final = schema_of(NewFork)()


@operation(
    "POST",
    _PATH,
    "forkEncounter",
    TAG,
    roles=READERS,
    body=NEW_FORK,
    waits=True,
    problems=("command-refused", "too-many-forks"),
    answers={
        201: ResponseSchema("The fork exists.", FORK),
        202: ResponseSchema("Its opening is on its record and not yet decided.", FORK),
    },
)
def fork_encounter(request: ApiRequest) -> Steps[ApiResponse]:
    """Ask what if: open an encounter that goes on from this one after a commit, with dice of its own.

    You are its gm and command everybody in it; `commands` are given there at once, as `POST …/commands` with
    `?continue=true` would take them: what is refused at the door there is refused here, and then there is no
    fork. Before this encounter is closed only its gm may fork, and never where something is sealed from you
    (`sealed_here`). Nothing is ever written here. A fork is deleted when it `expires`, with all that went on
    from it. With a seat's token you get a token for the fork.

    `n`, `outcome` and `hash` are of the last command given, or of the opening where none is; `outcomes` tells
    what became of each one. A refused command leaves the fork as it was before it.
    """
    newest = reading.head(request.services, request.encounter)
    at: int = request.data["at"]
    if not 1 <= at <= newest:
        raise invalid(("/at", f"from 1 to {newest}, the newest version"))
    commands = _commands(request)
    try:
        made = forking.fork(
            request.services,
            request.encounter,
            at,
            request.me.seat,
            request.me.role,
            commands,
            idempotency_key(request, request.me.scope),
        )
    except Refused as refused:
        raise refusal_problem(request, refused) from refused
    except forking.ForkExpired as gone:
        raise Problem("fork-expired", str(gone)) from gone
    except forking.TooManyForks as full:
        raise Problem("too-many-forks", str(full)) from full
    fork, n = made.entry.encounter, 1 + len(commands)
    data: dict[str, Any] = {"encounter": fork, "parent": request.encounter, "at": at, "n": n}
    data["expires"] = made.entry.expires
    if request.me.scope.startswith("seat:"):
        data["token"] = seat_tokens.token(request.services.service_key, fork, GM, 1)
    headers = receipt_headers(request, made.sent) | {"Location": f"/v1/encounters/{fork}"}
    try:
        return (yield from _opened(request, fork, n, data, headers))
    except StoreFailure:  # the fork is on the record, whatever becomes of the store
        outcomes = [{"n": number, "outcome": "pending"} for number in range(2, n + 1)]
        data |= {"outcome": "pending", "outcomes": outcomes, "version": 0, "hash": None}
        return ApiResponse(data, 202, headers | {"Retry-After": "1"})


def _opened(
    request: ApiRequest, fork: str, n: int, data: dict[str, Any], headers: dict[str, str]
) -> Steps[ApiResponse]:
    """Wait for the *n* commands of a fork as long as the client prefers, and answer what became of them."""
    last = yield request.services.outcomes.pause(fork, n, request.preference.seconds)
    yield from first_commit(request, fork, 0)
    outcomes = [_outcome(request, fork, number) for number in range(1, n + 1)]
    data |= {"outcome": outcomes[-1]["outcome"], "outcomes": outcomes[1:]}
    if last is None:
        data |= {"version": reading.head(request.services, fork), "hash": None}
        return ApiResponse(data, 202, headers | {"Retry-After": "1"})
    return ApiResponse(data | {"version": n, "hash": load_commit(last.raw).hash}, 201, headers)


def _outcome(request: ApiRequest, fork: str, n: int) -> views.Data:
    """Return what became of command *n* of a fork, as its gm may know it."""
    found = sending.result_of(request.services, fork, GM, n)
    return (
        {"n": n, "outcome": "pending"}
        if found is None
        else sending.result_data(request.services, fork, GM, found)
    )


@operation("GET", _PATH, "listForks", TAG, roles=READERS, answers={200: ResponseSchema("The forks.", FORKS)})
def list_forks(request: ApiRequest) -> ApiResponse:
    """List the forks that go on from this encounter, the newest first: the gm sees all, a seat its own."""
    found = forks.of_parent(request.services.log, request.services.encounters, request.encounter)
    live = [each for each in found if forking.is_live(request.services, each)]
    return ApiResponse({"forks": [_shown(request, each) for each in live if _is_mine(request, each)]})


@operation(
    "DELETE",
    _PATH + "/{fork}",
    "deleteFork",
    TAG,
    roles=READERS,
    answers={200: ResponseSchema("The fork, which has ended.", LISTED_FORK)},
)
def delete_fork(request: ApiRequest) -> ApiResponse:
    """Delete a fork now, with every line that went on from it: the gm any of them, a seat its own.

    From now on its address answers 410 `fork-expired`, and it counts no more. Deleted again it is the same.
    """
    fork = request.services.encounters.find(request.path["fork"])
    if fork is None or fork.parent != request.encounter or not _is_mine(request, fork):
        raise not_found()
    shown = _shown(request, fork)
    ended = fork if fork.has_expired(request.services.clock()) else forking.end(request.services, fork)
    return ApiResponse(shown | {"expires": ended.expires})


def _is_mine(request: ApiRequest, fork: EncounterEntry) -> bool:
    return request.me.role == GM or fork.made_by == request.me.seat


def _shown(request: ApiRequest, fork: EncounterEntry) -> dict[str, Any]:
    origin = seams.origin_of(request.services.log, fork.encounter)
    return {
        "encounter": fork.encounter,
        "parent": fork.parent,
        "at": origin["n"] if origin is not None else None,
        "opened": fork.opened,
        "expires": fork.expires,
        "made_by": fork.made_by,
    }


def _commands(request: ApiRequest) -> list[CommandInput]:
    """Return the commands given in the fork at once, each held to its schema."""
    given = request.data.get("commands", ())
    if len(given) > MOST_COMMANDS:
        raise invalid(("/commands", f"at most {MOST_COMMANDS}"))
    made: list[CommandInput] = []
    found: list[tuple[str, str]] = []
    for index, each in enumerate(given):
        kind, data, wrong = read_command(request, each, f"/commands/{index}")
        found += wrong
        made.append((kind, data))
    raise_if_invalid(found)
    return made
